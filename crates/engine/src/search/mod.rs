//! Choosing a move.

pub mod alpha_beta;
mod bear_off_equity;
pub mod connect_four_solver;
pub mod dyna2;
mod early_stop;
pub mod equity_cache;
pub mod expectimax;
pub mod flat_monte_carlo;
mod freeze;
mod fuego_prior;
mod greedy_mcts;
mod handcrafted;
mod history;
mod leaf;
mod looks;
pub mod mc_rave;
pub mod mcts;
pub mod mcts_solver;
mod minimax;
mod mixed;
mod network_prior;
mod network_search;
mod ownership;
pub mod prior;
mod puct;
mod rave;
pub mod rollout;
mod score;
pub mod selection;
mod shape_memory;
mod shared_transposition;
mod short_term_memory;
mod table_lookup;
pub mod td_search;
pub mod tournament;
pub mod training_search;
mod transposition;
pub mod tree;
pub mod two_phase;
pub mod two_phase_mcts;
pub mod uct;
mod window;

pub use alpha_beta::{AlphaBeta, AlphaBetaSettings};
pub use bear_off_equity::WithBearOff;
pub use connect_four_solver::{ConnectFourSolver, OpeningTable, OpeningTableError};
pub use dyna2::{Dyna2, LongTermMemory, LongTermShapes, NoShortTerm};
pub use equity_cache::EquityCache;
pub use expectimax::{Equity, Expectimax, ExpectimaxSettings};
pub use flat_monte_carlo::{FlatMonteCarlo, FlatMonteCarloSettings};
pub use freeze::{BoundedLogits, Corrected, FoldShapes, Freeze};
pub use fuego_prior::FuegoPrior;
pub use greedy_mcts::GreedyMcts;
pub use handcrafted::Handcrafted;
pub use leaf::{Leaf, PlayOut, PlayoutObserver, Truncated};
pub use mc_rave::{McRave, Schedule};
pub use mcts::{
    FinalMove, Mcts, MctsSettings, MoveReport, NoMemory, Parallelisation, Passes, SearchReport, Situation,
    VisitedPosition, Watch, Widening,
};
pub use mcts_solver::Proof;
pub use minimax::minimax;
pub use mixed::{Mixed, MixedPlayouts};
pub use network_prior::NetworkPrior;
pub use network_search::{NetworkSearch, NetworkSearchSettings};
pub use ownership::{ChainStatus, GoOwnership, Ownership, playout_ownership};
pub use prior::{ByReadValue, ByValue, Even, Experience, Grandfather, NewPosition, Prior, PriorValue};
pub use puct::{FirstPlay, Puct, PuctMove, PuctSettings};
pub use rave::Rave;
pub use score::Score;
pub use selection::Selection;
pub use shape_memory::ShapeMemory;
pub use short_term_memory::{FeatureMemory, ShortTermMemory};
pub use table_lookup::TableLookup;
pub use td_search::{TdSearch, TdSearchSettings};
pub use tournament::{
    ChessEvaluation, EVALUATION_LIMIT, MAX_TOURNAMENT_DEPTH, RootProgress, SearchInfo, SearchLimits, SearchNews,
    TournamentSearch, TournamentSettings, Tunables,
};
pub use training_search::{Found, TrainingSearch, TrainingSearchSettings};
pub use transposition::{Bound, Entry, TranspositionTable};
pub use two_phase::{TwoPhase, TwoPhaseSettings};
pub use two_phase_mcts::{SharedValues, ShortTermPrior, TwoPhaseMcts};
pub use uct::Uct;

use crate::Value;
use afterstate_games::{Game, Rng};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a search, or any player, decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<M> {
    /// The move; `None` resigns.
    pub best: Option<M>,
    /// What the decider thinks the position is worth, if it has an opinion.
    pub value: Option<Value>,
    /// The line of play that it expects, beginning with `best`.
    pub principal_variation: Vec<M>,
    /// How much was done for it: positions evaluated, or simulations.
    pub effort: u64,
    /// The depth that was completed, for searches that have one.
    pub depth: Option<u32>,
    /// In how many moves of both sides the game ends, for searches that have seen a sure win of the side that `value` favours.
    pub plies_to_end: Option<u32>,
}

impl<M: Copy> Decision<M> {
    /// A bare move.
    pub fn play(mv: M) -> Self {
        Decision { best: Some(mv), principal_variation: vec![mv], ..Decision::resign() }
    }

    /// Gives the game up.
    pub fn resign() -> Self {
        let principal_variation = Vec::new();
        Decision { best: None, value: None, principal_variation, effort: 0, depth: None, plies_to_end: None }
    }
}

/// How long a search may go on. Whatever limit is reached first ends it; none at all means that the
/// search's own settings decide.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// At most so many simulations (or positions, for searches without simulations).
    pub simulations: Option<u64>,
    /// At most this deep.
    pub depth: Option<u32>,
    /// Stop at this moment.
    pub deadline: Option<Instant>,
    /// Stop as soon as somebody sets this.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// A limit of time alone, from now.
    pub fn time(limit: Duration) -> Budget {
        Budget { deadline: Some(Instant::now() + limit), ..Budget::default() }
    }

    /// The same, with the first part of its time alone: `share`, 0 to 1, of what is left at `begin`.
    ///
    /// ```
    /// use afterstate_engine::Budget;
    /// use std::time::{Duration, Instant};
    /// let begin = Instant::now();
    /// let budget = Budget { deadline: Some(begin + Duration::from_secs(10)), ..Budget::default() };
    /// assert_eq!(budget.first_part(begin, 0.5).deadline, Some(begin + Duration::from_secs(5)));
    /// ```
    pub fn first_part(&self, begin: Instant, share: f32) -> Budget {
        let part = |end: Instant| begin + end.saturating_duration_since(begin).mul_f32(share);
        Budget { deadline: self.deadline.map(part), ..self.clone() }
    }

    /// Whether a deadline or somebody who says so ends the search, and not a number of simulations.
    pub fn is_timed(&self) -> bool {
        self.simulations.is_none() && (self.deadline.is_some() || self.stop.is_some())
    }

    /// At most so many simulations: those of the budget; without a limit there, `settings`, or as many as time allows if time alone decides.
    ///
    /// ```
    /// use afterstate_engine::Budget;
    /// use std::time::Duration;
    /// assert_eq!(Budget::default().simulations_or(3000), 3000);
    /// assert_eq!(Budget { simulations: Some(20), ..Budget::default() }.simulations_or(3000), 20);
    /// assert_eq!(Budget::time(Duration::from_secs(1)).simulations_or(3000), u64::MAX);
    /// ```
    pub fn simulations_or(&self, settings: u64) -> u64 {
        match self.simulations {
            Some(limit) => limit,
            None if self.is_timed() => u64::MAX,
            None => settings,
        }
    }

    /// Whether the time is up or somebody asked to stop. Costs a clock reading: ask now and then.
    pub fn expired(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A way to choose a move in a position.
///
/// # Contract
///
/// The move is legal. Whoever chooses none resigns: a search that has hardly any time, or none, still chooses one if there is one. It ends
/// soon after [`Budget::expired`], and with no limit at all by its own settings. All chance comes from `rng`, so that the same search with
/// the same seed, and a budget without time, decides the same. What it keeps from one search to the next must be true of every position
/// that may come, of another game's, too.
///
/// ```
/// use afterstate_engine::{Budget, Decision, Search};
/// use afterstate_games::rng::{Rng, below, stream};
/// use afterstate_games::{Game, TicTacToe};
///
/// /// Any legal move.
/// struct Guess;
///
/// impl<G: Game> Search<G> for Guess {
///     fn search(&mut self, root: &G, _budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
///         let mut moves = Vec::new();
///         root.legal_moves(&mut moves);
///         if moves.is_empty() {
///             return Decision::resign();
///         }
///         Decision::play(moves[below(rng, moves.len() as u32) as usize])
///     }
/// }
///
/// let game = TicTacToe::new();
/// let decision = Guess.search(&game, &Budget::default(), &mut stream(1, 0));
/// assert!(game.is_legal(decision.best.unwrap()));
/// ```
pub trait Search<G: Game>: Send {
    /// Searches from `root`, where a player must be to move.
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move>;
}
