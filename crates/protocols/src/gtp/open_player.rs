//! [`OpenPlayer`]: a player by tree search whose thoughts can be seen.

use super::analyst::{Analysis, Analyst, Candidate, Inquiry};
use super::search_analyst::{analysis, study};
use afterstate_arena::{Clock, GoConduct, MctsPlayer, Player, PlayerError, Purpose};
use afterstate_engine::search::{SearchReport, Watch};
use afterstate_engine::{Budget, Decision};
use afterstate_games::go::{Go, Move};
use afterstate_games::{Outcome, Record, Rng, Turn, stream};
use std::sync::{Arc, Mutex, MutexGuard};

/// One player in two roles: it plays, and it analyses, with the same search and the same tree. Copies are the same
/// player.
///
/// A move that is asked for with analysis is the move that it would play without: its clock, its manners at the end of
/// games and its resignation are the same.
///
/// ```
/// use afterstate_arena::{GoConduct, MctsPlayer, MctsPlayerSettings};
/// use afterstate_engine::search::{GoOwnership, McRave, Mcts, MctsSettings, PlayOut};
/// use afterstate_games::go::MogoPlayout;
/// use afterstate_protocols::gtp::{OpenPlayer, Session};
/// let settings = MctsSettings { simulations: 200, memory_mib: 4, ..MctsSettings::default() };
/// let playout = PlayOut(MogoPlayout::default());
/// let search = Mcts::with(McRave::default(), playout, (), GoOwnership::default(), settings);
/// let player = OpenPlayer::new(MctsPlayer::new(Box::new(search), GoConduct, MctsPlayerSettings::default()), 1);
/// let mut session = Session::new("open", Box::new(player.clone())).with_analyst(Box::new(player));
/// session.respond("boardsize 5");
/// let answer = session.respond("lz-genmove_analyze b");
/// let played = answer.trim_end().rsplit_once("play ").unwrap().1;
/// assert!(answer.contains(&format!("info move {played} visits ")));
/// ```
#[derive(Clone)]
pub struct OpenPlayer(Arc<Mutex<Inner>>);

struct Inner {
    player: MctsPlayer<Go, GoConduct>,
    /// The only size of board that it knows.
    only: Option<usize>,
    /// For analyses. Games have their own seeds.
    rng: Rng,
}

impl OpenPlayer {
    /// Shows what `player` thinks. `seed` is for analyses.
    pub fn new(player: MctsPlayer<Go, GoConduct>, seed: u64) -> OpenPlayer {
        OpenPlayer(Arc::new(Mutex::new(Inner { player, only: None, rng: stream(seed, 0) })))
    }

    /// Refuses all boards but those of `size`: for players whose knowledge belongs to one.
    pub fn with_size(self, size: usize) -> OpenPlayer {
        if let Ok(mut inner) = self.0.lock() {
            inner.only = Some(size);
        }
        self
    }

    fn inner(&self) -> Result<MutexGuard<'_, Inner>, PlayerError> {
        self.0.lock().map_err(|_| PlayerError::Crashed("the search failed before".into()))
    }

    /// The player, if it knows the board.
    fn on(&self, record: &Record<Go>) -> Result<MutexGuard<'_, Inner>, PlayerError> {
        let (inner, size) = (self.inner()?, record.position().size());
        match inner.only {
            Some(only) if only != size => {
                Err(PlayerError::NotStarted(format!("plays on {only}x{only} only, the board is {size}x{size}")))
            }
            _ => Ok(inner),
        }
    }
}

impl Player<Go> for OpenPlayer {
    fn new_game(&mut self, record: &Record<Go>, seed: u64) -> Result<(), PlayerError> {
        self.on(record)?.player.new_game(record, seed)
    }

    fn clocks(&mut self, clocks: &[Clock; 2]) {
        if let Ok(mut inner) = self.inner() {
            inner.player.clocks(clocks);
        }
    }

    fn choose(&mut self, record: &Record<Go>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        self.on(record)?.player.choose(record, budget)
    }

    fn clean_up(&mut self, record: &Record<Go>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        self.on(record)?.player.clean_up(record, budget)
    }

    fn move_played(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
        self.on(record)?.player.move_played(record)
    }

    fn game_over(&mut self, record: &Record<Go>, outcome: Outcome) {
        if let Ok(mut inner) = self.inner() {
            inner.player.game_over(record, outcome);
        }
    }

    fn broken_off(&mut self, record: &Record<Go>, outcome: Outcome) {
        if let Ok(mut inner) = self.inner() {
            inner.player.broken_off(record, outcome);
        }
    }
}

impl Analyst for OpenPlayer {
    fn analyze(
        &mut self,
        inquiry: &Inquiry<'_>,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<Decision<Move>, PlayerError> {
        let mut inner = self.on(inquiry.record)?;
        let Inner { player, rng, .. } = &mut *inner;
        let search = player.search()?;
        let before = search.set_early_stop(false);
        let decision = study(search, rng, inquiry, report);
        search.set_early_stop(before);
        Ok(decision)
    }

    fn choose(
        &mut self,
        inquiry: &Inquiry<'_>,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<Decision<Move>, PlayerError> {
        // The player decides for itself which moves to look at.
        if inquiry.allow.is_some() || !inquiry.avoid.is_empty() {
            return self.analyze(inquiry, report);
        }
        let Turn::Player(side) = inquiry.record.turn() else { return Ok(Decision::resign()) };
        let mut inner = self.on(inquiry.record)?;
        let mut show = |found: SearchReport<Move>| report(&analysis(found, side));
        let watch = Watch { every: inquiry.interval, report: &mut show };
        let decision = inner.player.think(inquiry.record, inquiry.budget, Purpose::Play, Some(watch))?;
        let mut last = analysis(inner.player.report()?, side);
        lead_with(&mut last, &decision);
        report(&last);
        Ok(decision)
    }
}

/// Puts the move that is played first, even where manners and not the search chose it.
fn lead_with(analysis: &mut Analysis, decision: &Decision<Move>) {
    let Some(mv) = decision.best else { return };
    match analysis.candidates.iter().position(|candidate| candidate.mv == mv) {
        Some(at) => analysis.candidates[..=at].rotate_right(1),
        None => {
            if let Some(value) = decision.value.or(analysis.value) {
                analysis.candidates.insert(0, Candidate::new(mv, value));
            }
        }
    }
}
