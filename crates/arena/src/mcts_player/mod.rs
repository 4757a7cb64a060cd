//! [`MctsPlayer`]: Monte-Carlo search, or one that a network leads, as a player of whole games.
//!
//! Around the search there is what games need: what was learnt below the moves that were played is kept, superko
//! is respected, thinking time is shared out by [`time_manager`](crate::time_manager), the opponent's time can be
//! used, lost games are given up, and a [`Conduct`] knows when to pass.

mod conduct;
mod expert;
mod pondering;
mod search;
mod teacher;

pub use conduct::{Conduct, GoConduct};
pub use expert::{ExpertSettings, MctsExpert};
pub use search::MonteCarlo;
pub use teacher::{Judgement, TaughtGame, Teacher, TeacherSettings};

use crate::clock::Clock;
use crate::player::{Player, PlayerError};
use crate::time_manager::{TimeSettings, plan};
use afterstate_engine::search::{SearchReport, Situation, VisitedPosition, Watch};
use afterstate_engine::{Budget, Decision};
use afterstate_games::{Game, Outcome, Record, Repetition, Rng, Side, Turn, stream};
use pondering::Pondering;
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Settings of [`MctsPlayer`], apart from those of its search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MctsPlayerSettings {
    /// Resign when the best move was worth less than this for the last [`MctsPlayerSettings::resign_after`] moves.
    /// Default 0: never.
    pub resign_below: f32,
    /// How many moves in a row. Default 3.
    pub resign_after: u32,
    /// Whether to search on the opponent's time. Then games do not repeat themselves. Default false: the opponent may
    /// need the processor.
    pub ponder: bool,
    /// How thinking time is shared out.
    pub time: TimeSettings,
}

impl Default for MctsPlayerSettings {
    fn default() -> Self {
        MctsPlayerSettings { resign_below: 0.0, resign_after: 3, ponder: false, time: TimeSettings::default() }
    }
}

impl MctsPlayerSettings {
    /// The same for games that usually last so many moves, those of both sides: thinking time is shared out by that.
    ///
    /// ```
    /// use afterstate_arena::MctsPlayerSettings;
    /// let time = MctsPlayerSettings::default().for_games_of(36.0).time;
    /// assert_eq!((time.game_length, time.least_moves), (36.0, 4.5));
    /// ```
    pub fn for_games_of(mut self, moves: f32) -> Self {
        self.time.game_length = moves;
        self.time.least_moves = moves / 8.0;
        self
    }
}

/// What a move is wanted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To win the game.
    Play,
    /// To take dead stones off the board, after both sides had passed.
    CleanUp,
}

/// Nobody ponders longer than this: a game may have been left without a word.
const LONGEST_PONDERING: Duration = Duration::from_secs(600);

/// An unstable choice is looked at again after such a part of a move's time.
const SLICES: u32 = 8;

/// A search that stays what it is while others use it.
type Held<G, O> = Box<dyn MonteCarlo<G, O>>;

/// Plays by a Monte-Carlo search.
///
/// ```
/// use afterstate_arena::{MctsPlayer, MctsPlayerSettings, Player};
/// use afterstate_engine::search::{Mcts, MctsSettings, PlayOut, Uct};
/// use afterstate_engine::Budget;
/// use afterstate_games::{Notation, Record, TicTacToe, UniformPlayout};
/// let settings = MctsSettings { simulations: 500, memory_mib: 1, ..MctsSettings::default() };
/// let search = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings);
/// let mut player = MctsPlayer::new(Box::new(search), (), MctsPlayerSettings::default());
/// // X completes a line.
/// let record = Record::new(TicTacToe::parse_position("XX./OO./...").unwrap());
/// player.new_game(&record, 1).unwrap();
/// let decision = player.choose(&record, &Budget::default()).unwrap();
/// assert_eq!(record.position().move_text(decision.best.unwrap()), "3");
/// ```
pub struct MctsPlayer<G: Game, C: Conduct<G>>
where
    C::Observer: 'static,
{
    /// Absent while it is pondering, and after that has failed.
    search: Option<Held<G, C::Observer>>,
    pondering: Option<Pondering<Held<G, C::Observer>>>,
    conduct: C,
    settings: MctsPlayerSettings,
    rng: Rng,
    /// Where the randomness of pondering comes from, and how often that was used in this game.
    ponder_seed: (u64, u64),
    clocks: Option<[Clock; 2]>,
    /// Our last move in this game, by the number of moves before it.
    moved_at: Option<usize>,
    /// What the last search proved.
    proved: Option<Outcome>,
    /// For so many moves the game has been as good as lost for a side; who is asked may play both.
    hopeless: [u32; 2],
}

impl<G: Game, C: Conduct<G>> MctsPlayer<G, C> {
    /// Plays what `search` decides and `conduct` lets pass.
    pub fn new(search: Box<dyn MonteCarlo<G, C::Observer>>, conduct: C, settings: MctsPlayerSettings) -> Self {
        MctsPlayer {
            search: Some(search),
            pondering: None,
            conduct,
            settings,
            rng: stream(0, 0),
            ponder_seed: (0, 0),
            clocks: None,
            moved_at: None,
            proved: None,
            hopeless: [0; 2],
        }
    }

    /// What is known of the position that was searched last. Stops pondering.
    pub fn report(&mut self) -> Result<SearchReport<G::Move>, PlayerError> {
        Ok(self.search()?.report())
    }

    /// What the last search found out of positions below its root, as [`MonteCarlo::visited_positions`]. Stops pondering.
    pub fn visited_positions(
        &mut self,
        least: u32,
        without: Option<G::Move>,
    ) -> Result<Vec<VisitedPosition<G::Move>>, PlayerError> {
        Ok(self.search()?.visited_positions(least, without))
    }

    /// What was seen of the last search's simulations. Stops pondering.
    pub fn observer(&mut self) -> Result<Option<&mut C::Observer>, PlayerError> {
        Ok(self.search()?.observer())
    }

    /// Searches the record's position and decides, for whatever `purpose`; `watch` sees how it goes on.
    pub fn think(
        &mut self,
        record: &Record<G>,
        budget: &Budget,
        purpose: Purpose,
        mut watch: Option<Watch<'_, G::Move>>,
    ) -> Result<Decision<G::Move>, PlayerError> {
        let begin = Instant::now();
        self.proved = None;
        let Turn::Player(side) = record.turn() else { return Ok(Decision::resign()) };
        self.moved_at = Some(record.moves().len());
        let (budget, longest) = self.limits(record, side, budget, begin)?;
        let moves = self.moves(record, purpose)?;
        if let [only] = moves[..]
            && watch.is_none()
        {
            return Ok(Decision::play(only));
        }
        let search = self.search.as_mut().ok_or_else(lost)?;
        if let Some(observer) = search.observer() {
            self.conduct.begin(observer);
        }
        let situation = Situation::of(record, &moves);
        let mut decision = search.search(&situation, &budget, &mut self.rng, reborrow(&mut watch));
        let mut report = search.report();
        let stopped = || budget.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        let slice =
            budget.deadline.map_or(Duration::ZERO, |deadline| deadline.saturating_duration_since(begin) / SLICES);
        // Whose simulations are counted has had all of them.
        let longest = longest.filter(|_| budget.simulations.is_none());
        // Nothing is overtaken within a slice, though within all of them it may be.
        let early_stop = search.set_early_stop(false);
        while let Some(longest) = longest.filter(|longest| Instant::now() < *longest)
            && !stopped()
            && !search.is_finished()
            && is_unstable(&report, decision.best, side)
        {
            let more = Budget { deadline: Some(longest.min(Instant::now() + slice)), ..budget.clone() };
            let effort = decision.effort;
            decision = search.search(&situation, &more, &mut self.rng, reborrow(&mut watch));
            decision.effort += effort;
            report = search.report();
        }
        search.set_early_stop(early_stop);
        // Where moves were left out, or the past has a say, nothing is proved of the game.
        if G::REPETITION == Repetition::Allowed && moves.len() == count_legal(record) {
            self.proved = report.proof(side).outcome();
        }
        if let Some(observer) = search.observer()
            && let Some(mv) = self.conduct.overrule(record, purpose, &report, observer)
            && Some(mv) != decision.best
            && record.is_legal(mv)
        {
            decision.best = Some(mv);
            decision.principal_variation = vec![mv];
        }
        if purpose == Purpose::Play && self.gives_up(&decision, side) {
            decision.best = None;
            decision.principal_variation.clear();
        }
        Ok(decision)
    }

    /// The search itself, called back from pondering: to analyse with, say. It searches from wherever it is asked to, and
    /// keeps what it can of its tree.
    pub fn search(&mut self) -> Result<&mut dyn MonteCarlo<G, C::Observer>, PlayerError> {
        if let Some(pondering) = self.pondering.take() {
            self.search = Some(pondering.end());
        }
        self.search.as_deref_mut().map_or_else(|| Err(lost()), |search| Ok(search as _))
    }

    /// The search's limits, and the time until which an unstable choice may be thought over.
    fn limits(
        &mut self,
        record: &Record<G>,
        side: Side,
        budget: &Budget,
        begin: Instant,
    ) -> Result<(Budget, Option<Instant>), PlayerError> {
        let mut budget = budget.clone();
        let mut longest = None;
        let clock = self.clocks.as_ref().map(|clocks| &clocks[side.index()]);
        // A clock knows more than the deadline that was made of it.
        if let Some(plan) = clock.and_then(|clock| plan(clock, record.moves().len(), &self.settings.time)) {
            budget.deadline = Some(begin + plan.share);
            longest = (plan.longest > plan.share).then(|| begin + plan.longest);
        }
        if budget.deadline.is_none() && budget.simulations.is_none() {
            budget.simulations = Some(self.search()?.simulations());
        }
        Ok((budget, longest))
    }

    /// The moves to choose from: those of the search that the whole record and the conduct allow.
    fn moves(&mut self, record: &Record<G>, purpose: Purpose) -> Result<Vec<G::Move>, PlayerError> {
        let mut moves = Vec::new();
        self.search()?.candidates(record.position(), &mut moves);
        moves.retain(|&mv| record.is_legal(mv));
        if moves.is_empty() {
            record.legal_moves(&mut moves);
        }
        // Without a look at simulations the conduct could not overrule the search afterwards.
        if self.search()?.observer().is_some() {
            self.conduct.consider(record, purpose, &mut moves);
        }
        Ok(moves)
    }

    fn gives_up(&mut self, decision: &Decision<G::Move>, side: Side) -> bool {
        let poor = decision.value.is_some_and(|value| value.seen_by(side) < self.settings.resign_below);
        let hopeless = &mut self.hopeless[side.index()];
        *hopeless = if poor { *hopeless + 1 } else { 0 };
        poor && *hopeless >= self.settings.resign_after.max(1)
    }

    /// Searches on while the opponent thinks.
    fn ponder(&mut self, record: &Record<G>) {
        let Some(search) = self.search.take() else { return };
        let record = record.clone();
        let mut rng = stream(self.ponder_seed.0, self.ponder_seed.1);
        self.ponder_seed.1 += 1;
        self.pondering = Some(Pondering::start(search, move |search, stop| {
            let mut moves = Vec::new();
            search.candidates(record.position(), &mut moves);
            moves.retain(|&mv| record.is_legal(mv));
            let budget = Budget { stop: Some(stop), ..Budget::time(LONGEST_PONDERING) };
            search.ponder(&Situation::of(&record, &moves), &budget, &mut rng);
        }));
    }
}

fn count_legal<G: Game>(record: &Record<G>) -> usize {
    let mut moves = Vec::new();
    record.legal_moves(&mut moves);
    moves.len()
}

fn lost() -> PlayerError {
    PlayerError::Crashed("the search was lost when pondering failed".into())
}

/// The same watcher for another search.
fn reborrow<'a, M>(watch: &'a mut Option<Watch<'_, M>>) -> Option<Watch<'a, M>> {
    watch.as_mut().map(|watch| Watch { every: watch.every, report: &mut *watch.report })
}

/// Whether a move that was tried often is worth more than the one that is decided on.
fn is_unstable<M: PartialEq>(report: &SearchReport<M>, best: Option<M>, side: Side) -> bool {
    let Some(best) = report.moves.iter().find(|known| Some(&known.mv) == best.as_ref()) else { return false };
    let seen = |value: Option<afterstate_engine::Value>| value.map_or(f32::NEG_INFINITY, |value| value.seen_by(side));
    // Values of few visits say little: a tenth of the most is asked for.
    report.moves.iter().any(|other| other.visits > best.visits / 10 && seen(other.value) > seen(best.value))
}

impl<G: Game, C: Conduct<G>> Player<G> for MctsPlayer<G, C> {
    fn new_game(&mut self, record: &Record<G>, seed: u64) -> Result<(), PlayerError> {
        let search = self.search()?;
        // Before any clock runs.
        search.reserve(record.position()).map_err(|error| PlayerError::NotStarted(error.to_string()))?;
        search.clear();
        if let Some(length) = self.conduct.game_length(record.position()) {
            self.settings = self.settings.clone().for_games_of(length);
        }
        self.rng = stream(seed, 0);
        self.ponder_seed = (afterstate_games::rng::mix(seed), 0);
        (self.clocks, self.moved_at, self.proved, self.hopeless) = (None, None, None, [0; 2]);
        Ok(())
    }

    fn clocks(&mut self, clocks: &[Clock; 2]) {
        self.clocks = Some(clocks.clone());
    }

    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        self.think(record, budget, Purpose::Play, None)
    }

    fn clean_up(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        self.think(record, budget, Purpose::CleanUp, None)
    }

    fn proved(&mut self) -> Option<Outcome> {
        self.proved
    }

    fn move_played(&mut self, record: &Record<G>) -> Result<(), PlayerError> {
        let Some(&mv) = record.moves().last() else { return Ok(()) };
        self.search()?.advance(mv, record.position());
        let ours = self.moved_at == Some(record.moves().len() - 1);
        if self.settings.ponder && ours && matches!(record.turn(), Turn::Player(_)) {
            self.ponder(record);
        }
        Ok(())
    }

    fn game_over(&mut self, _record: &Record<G>, _outcome: Outcome) {
        // A search that panicked while it pondered is lost, and the next game says so.
        let _ = self.search();
    }
}
