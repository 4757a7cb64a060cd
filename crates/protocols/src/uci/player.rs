//! [`PlayerThinker`]: any [`Player`] of chess behind UCI.

use super::info::{Info, Line, Score};
use super::limits::GoLimits;
use super::option::{OptionKind, UciOption};
use super::position::{playable, playable_moves};
use super::thinker::Thinker;
use afterstate_arena::{Player, PlayerError};
use afterstate_engine::Decision;
use afterstate_games::chess::Move;
use afterstate_games::rng::mix;
use afterstate_games::{Chess, Game, Record, Side, Turn};

/// What a player may take of the machine. `None`: there is no such option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Option `Hash`: memory for what a search keeps, in MiB.
    pub hash: Option<u32>,
    /// Option `Threads`.
    pub threads: Option<u32>,
}

type Build = Box<dyn FnMut(Resources) -> Result<Box<dyn Player<Chess>>, PlayerError> + Send>;

/// A player that thinks behind UCI. It tells what it has found when it has found it, not before. Which moves it considers is
/// its own affair; for `searchmoves` and `MultiPV` it is asked about the position behind each of them, with an equal part of
/// the time or the positions.
///
/// ```
/// use afterstate_arena::AlphaBetaPlayer;
/// use afterstate_engine::{search::{AlphaBeta, AlphaBetaSettings}, value::Indifferent};
/// use afterstate_games::{Chess, Record, Notation};
/// use afterstate_protocols::uci::{GoLimits, PlayerThinker, Thinker};
/// let search = AlphaBeta::new(std::sync::Arc::new(Indifferent), AlphaBetaSettings::default());
/// let mut thinker = PlayerThinker::new(Box::new(AlphaBetaPlayer::new(search, Chess::clone)));
/// let record = Record::new(Chess::parse_position("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")?);
/// let decision = thinker.think(&record, &GoLimits::default(), &mut |_| {});
/// assert_eq!(record.position().move_text(decision.best.unwrap()), "a1a8");
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub struct PlayerThinker {
    pub(super) player: Box<dyn Player<Chess>>,
    resources: Resources,
    build: Option<Build>,
    seed: u64,
    games: u64,
    /// The game as the player knows it; `None`: it must hear of a new one first.
    known: Option<Record<Chess>>,
    /// Option `MultiPV`.
    pub(super) lines: usize,
}

/// What the options allow: as much as any agent's own settings do.
const MOST_MEMORY: u32 = 1 << 20;
const MOST_THREADS: u32 = 256;
const MOST_LINES: i64 = 256;

impl PlayerThinker {
    /// Lets `player` think.
    pub fn new(player: Box<dyn Player<Chess>>) -> PlayerThinker {
        let resources = Resources::default();
        PlayerThinker { player, resources, build: None, seed: 0, games: 0, known: None, lines: 1 }
    }

    /// Lets a player think that `build` makes of `resources`, and makes again when a GUI changes them.
    ///
    /// # Errors
    ///
    /// Those of `build`.
    pub fn built(
        resources: Resources,
        mut build: impl FnMut(Resources) -> Result<Box<dyn Player<Chess>>, PlayerError> + Send + 'static,
    ) -> Result<PlayerThinker, PlayerError> {
        let player = build(resources)?;
        Ok(PlayerThinker { resources, build: Some(Box::new(build)), ..PlayerThinker::new(player) })
    }

    /// Where the player's randomness comes from.
    pub fn with_seed(mut self, seed: u64) -> PlayerThinker {
        self.seed = seed;
        self
    }

    /// Makes sure that the player knows the game: by the moves that are new, or from its beginning.
    pub(super) fn introduce(&mut self, record: &Record<Chess>) -> Result<(), PlayerError> {
        let goes_on =
            |known: &Record<Chess>| known.start() == record.start() && record.moves().starts_with(known.moves());
        let Some(mut known) = self.known.take().filter(goes_on) else {
            let seed = mix(self.seed ^ mix(self.games));
            self.games += 1;
            self.player.new_game(record, seed)?;
            self.known = Some(record.clone());
            return Ok(());
        };
        for &mv in &record.moves()[known.moves().len()..] {
            known.play(mv);
            self.player.move_played(&known)?;
        }
        self.known = Some(known);
        Ok(())
    }

    fn choose(
        &mut self,
        record: &Record<Chess>,
        limits: &GoLimits,
        report: &mut dyn FnMut(&Info),
    ) -> Result<Decision<Move>, PlayerError> {
        let record = playable(record);
        self.introduce(&record)?;
        let decision = self.player.choose(&record, &limits.budget())?;
        if decision.best.is_some() {
            report(&Info::Line(line(record.position(), &decision)));
        }
        Ok(decision)
    }

    fn choose_among(
        &mut self,
        moves: &[Move],
        record: &Record<Chess>,
        limits: &GoLimits,
        report: &mut dyn FnMut(&Info),
    ) -> Result<Decision<Move>, PlayerError> {
        if let Some(decision) = self.weigh(record, limits, moves, report)? {
            return Ok(decision);
        }
        let decision = self.choose(record, limits, report)?;
        if decision.best.is_some_and(|best| !moves.contains(&best)) {
            report(&Info::Text(
                "searchmoves: this player has no opinion of positions, and would play another move".into(),
            ));
        }
        Ok(decision)
    }
}

impl Thinker for PlayerThinker {
    fn options(&self) -> Vec<UciOption> {
        let spin = |name: &str, default: Option<u32>, max: u32| {
            let kind = OptionKind::Spin { default: default?.into(), min: 1, max: max.into() };
            Some(UciOption::new(name, kind))
        };
        let mut options: Vec<UciOption> = spin("Hash", self.resources.hash, MOST_MEMORY).into_iter().collect();
        options.extend(spin("Threads", self.resources.threads, MOST_THREADS));
        if self.resources.hash.is_some() {
            options.push(UciOption::new("Clear Hash", OptionKind::Button));
        }
        options.push(UciOption::new("MultiPV", OptionKind::Spin { default: 1, min: 1, max: MOST_LINES }));
        options
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut resources = self.resources;
        match name {
            "MultiPV" => {
                self.lines = value.parse().unwrap_or(1);
                return Ok(());
            }
            "Hash" => resources.hash = value.parse().ok(),
            "Threads" => resources.threads = value.parse().ok(),
            _ => {}
        }
        if let Some(build) = &mut self.build
            && resources != self.resources
        {
            self.player = build(resources).map_err(|error| format!("option {name}: {error}"))?;
            self.resources = resources;
        }
        // A player clears what it keeps when a game begins.
        self.known = None;
        Ok(())
    }

    fn new_game(&mut self) {
        self.known = None;
    }

    fn think(&mut self, record: &Record<Chess>, limits: &GoLimits, report: &mut dyn FnMut(&Info)) -> Decision<Move> {
        let moves = match limits.search_moves.as_slice() {
            [] if self.lines > 1 => playable_moves(record.position()),
            named => named.to_vec(),
        };
        let decision = match moves.is_empty() {
            true => self.choose(record, limits, report),
            false => self.choose_among(&moves, record, limits, report),
        };
        decision.unwrap_or_else(|error| {
            self.known = None;
            if error != PlayerError::Interrupted {
                report(&Info::Text(format!("the player {error}")));
            }
            Decision::resign()
        })
    }

    fn keeps_time(&self) -> bool {
        false
    }
}

/// What a decision tells.
pub(super) fn line(position: &Chess, decision: &Decision<Move>) -> Line {
    let side = position.side_to_move();
    let moves = decision.principal_variation.clone();
    let score = decision.value.map(|value| {
        let seen = value.seen_by(side);
        // A line may end in mate that the other side need not allow: only what is certain is a mate.
        let proved = || winner_after(position, &moves).map(|_| moves.len() as u32);
        match decision.plies_to_end.or_else(proved) {
            Some(plies) if seen == 0.0 || seen == 1.0 => Score::mate_in_plies(plies, seen == 1.0),
            _ => Score::of_chance(seen),
        }
    });
    Line {
        depth: decision.depth.unwrap_or(moves.len() as u32).max(1),
        score,
        nodes: decision.effort,
        moves,
        ..Line::default()
    }
}

/// Who has mated at the end of a line.
fn winner_after(position: &Chess, moves: &[Move]) -> Option<Side> {
    let mut position = position.clone();
    for &mv in moves {
        if !position.is_legal(mv) {
            return None;
        }
        position.play(mv);
    }
    match position.turn() {
        Turn::Over(outcome) => outcome.winner,
        _ => None,
    }
}
