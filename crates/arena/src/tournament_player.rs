//! [`TournamentPlayer`]: the tournament search as a player that shares out its time.

use crate::clock::{Clock, TimeControl};
use crate::player::{Player, PlayerError};
use crate::time_manager::{Plan, TimeLeft, TimeSettings, plan, share_out};
use afterstate_engine::search::{ChessEvaluation, SearchLimits, TournamentSearch, TournamentSettings};
use afterstate_engine::{Budget, Decision};
use afterstate_games::chess::Move;
use afterstate_games::rng::{below, unit};
use afterstate_games::{Chess, Record, Rng, stream};
use std::time::{Duration, Instant};

/// Plays chess with an evaluation. It keeps its table from move to move of a game.
///
/// ```
/// use afterstate_arena::{Player, TournamentPlayer};
/// use afterstate_engine::Budget;
/// use afterstate_engine::value::{ChessTerms, FrozenTerms, TermSet};
/// use afterstate_games::{Chess, Notation, Record};
/// let terms = ChessTerms::new(TermSet::Meep);
/// let evaluation = FrozenTerms::new(terms, &terms.piece_values([1.0, 3.0, 3.0, 5.0, 9.0]));
/// let mut player = TournamentPlayer::new(evaluation, Default::default(), 5_000);
/// let game = Record::new(Chess::parse_position("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")?);
/// player.new_game(&game, 1).unwrap();
/// let decision = player.choose(&game, &Budget::default()).unwrap();
/// assert_eq!(game.position().san(decision.best.unwrap()), "exd5");
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub struct TournamentPlayer<E> {
    search: TournamentSearch<E>,
    nodes: u64,
    /// How often any move will do, 0 to 1.
    error: f32,
    /// Decides when, and which one.
    rng: Rng,
    clocks: Option<[Clock; 2]>,
}

/// What a move of this player takes beyond its thinking.
const OVERHEAD: Duration = Duration::from_millis(10);

/// How long to think; `None` if no time limits it.
fn planned(clock: &Clock, ply: usize) -> Option<Plan> {
    let left = TimeLeft { left: clock.main_left(), ..TimeLeft::default() };
    match clock.control() {
        TimeControl::SuddenDeath(_) => Some(share_out(left, OVERHEAD)),
        TimeControl::Fischer { increment, .. } => Some(share_out(TimeLeft { increment, ..left }, OVERHEAD)),
        // Time that comes back with every move or period does not depend on how long the game will be.
        _ => plan(clock, ply, &TimeSettings::default()),
    }
}

impl<E: ChessEvaluation> TournamentPlayer<E> {
    /// A player that looks at so many positions for a move when no clock runs and nothing else limits it.
    pub fn new(evaluation: E, settings: TournamentSettings, nodes: u64) -> Self {
        let search = TournamentSearch::new(evaluation, settings);
        TournamentPlayer { search, nodes, error: 0.0, rng: stream(0, 0), clocks: None }
    }

    /// The same player, which plays any legal move, each as likely as the others, in this part of its moves (0 to 1) instead of
    /// what it finds. Chance is decided by the seed of the game.
    pub fn with_error(self, error: f32) -> Self {
        TournamentPlayer { error, ..self }
    }

    fn any_move(&mut self, record: &Record<Chess>) -> Option<Move> {
        if unit(&mut self.rng) >= self.error {
            return None;
        }
        let mut moves = Vec::new();
        record.legal_moves(&mut moves);
        (!moves.is_empty()).then(|| moves[below(&mut self.rng, moves.len() as u32) as usize])
    }

    fn limits(&self, record: &Record<Chess>, budget: &Budget, begin: Instant) -> SearchLimits {
        let mut limits = SearchLimits::from(budget.clone());
        let side = record.position().side_to_move();
        let clock = self.clocks.as_ref().map(|clocks| &clocks[side.index()]);
        if let Some(plan) = clock.and_then(|clock| planned(clock, record.moves().len())) {
            limits.soft_deadline = Some(begin + plan.share);
            limits.budget.deadline = Some(begin + plan.longest);
        }
        let unlimited = limits.budget.deadline.is_none() && limits.budget.depth.is_none();
        if unlimited && limits.budget.simulations.is_none() {
            limits.budget.simulations = Some(self.nodes);
        }
        limits
    }
}

impl<E: ChessEvaluation> Player<Chess> for TournamentPlayer<E> {
    fn new_game(&mut self, _record: &Record<Chess>, seed: u64) -> Result<(), PlayerError> {
        self.rng = stream(seed, 0);
        self.clocks = None;
        self.search.clear();
        Ok(())
    }

    fn clocks(&mut self, clocks: &[Clock; 2]) {
        self.clocks = Some(clocks.clone());
    }

    fn choose(&mut self, record: &Record<Chess>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        let limits = self.limits(record, budget, Instant::now());
        if let Some(mv) = self.any_move(record) {
            return Ok(Decision::play(mv));
        }
        Ok(self.search.search(record, &limits, &mut |_| {}))
    }
}
