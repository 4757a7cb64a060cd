//! What can be set about a tree search, apart from its selection rule, default policy and priors.

use crate::search::tree::Tree;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Settings of [`Mcts`](super::Mcts).
///
/// ```
/// use afterstate_engine::search::{FinalMove, MctsSettings};
/// let settings: MctsSettings = serde_json::from_str(r#"{ "simulations": 10000, "final-move": "value" }"#).unwrap();
/// assert_eq!(settings, MctsSettings { simulations: 10_000, final_move: FinalMove::Value, ..Default::default() });
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MctsSettings {
    /// How many simulations a move gets when the budget sets no limit of its own. Default 3000, as in paper 003, §4 and §5.
    pub simulations: u64,
    /// The visit at which a position enters the tree. Default 1: each simulation adds one (paper 003, §2.4). More saves memory.
    pub expansion_threshold: u32,
    /// How much memory the tree may take, in MiB. That much is reserved at once, and used as the tree grows. When it is
    /// full, what was visited least is forgotten. Default 256.
    pub memory_mib: usize,
    /// Whether what was learnt below the moves that were played is kept for the next search. Another search of the same position goes on
    /// where the last one stopped in any case. Default true.
    pub reuse_tree: bool,
    /// How many threads simulate. One thread gives the same result for the same seed, several do not. Default 1.
    pub threads: u32,
    /// How several threads share the work. Default: one tree.
    pub parallelisation: Parallelisation,
    /// How many losses a simulation under way counts as, so that other threads look elsewhere. Default 1.
    pub virtual_loss: u32,
    /// Where passes are considered beside the candidate moves. Default: everywhere.
    pub passes: Passes,
    /// Whether moves inside the tree that repeat an earlier position are left out, in games that forbid it. Default true.
    pub superko: bool,
    /// Whether outcomes that are certain are proved and passed on ([`mcts_solver`](crate::search::mcts_solver)). Default false.
    pub solver: bool,
    /// One choice in so many inside the tree is made without all-moves-as-first values, so that a move that these speak against is
    /// looked at all the same; 0: none. Fuego 1.1 has 20 (`randomize_rave_frequency`). Default 0.
    pub without_rapid: u32,
    /// Whether moves that priors think little of have to wait. Default: all are considered at once.
    pub widening: Option<Widening>,
    /// What decides in the end. Default: visits.
    pub final_move: FinalMove,
    /// Resign when the best move's value, as the side to move sees it, is below this. Default 0: never.
    pub resign_below: f32,
    /// Whether to stop as soon as the rest of the budget cannot change the decision, unless by a proof; by time it is an estimate. Default
    /// true.
    pub early_stop: bool,
}

impl MctsSettings {
    /// Memory, in MiB, for all positions that so many simulations can add to the tree, with at most so many moves each.
    ///
    /// ```
    /// use afterstate_engine::search::MctsSettings;
    /// // 4,000 positions of 9×9 Go.
    /// assert_eq!(MctsSettings::memory_for(4_000, 82), 11);
    /// ```
    pub fn memory_for(simulations: u64, most_moves: usize) -> usize {
        // And the first position.
        let positions = usize::try_from(simulations).unwrap_or(usize::MAX).saturating_add(1);
        Tree::mib_for(positions.saturating_mul(Tree::room_for(most_moves)))
    }
}

impl Default for MctsSettings {
    fn default() -> Self {
        MctsSettings {
            simulations: 3000,
            expansion_threshold: 1,
            memory_mib: 256,
            reuse_tree: true,
            threads: 1,
            parallelisation: Parallelisation::Tree,
            virtual_loss: 1,
            passes: Passes::Always,
            superko: true,
            solver: false,
            without_rapid: 0,
            widening: None,
            final_move: FinalMove::Visits,
            resign_below: 0.0,
            early_stop: true,
        }
    }
}

/// How several threads share the work (G. Chaslot, M. Winands and J. van den Herik, Parallel Monte-Carlo tree search, 2008).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parallelisation {
    /// All threads search one tree, without locks.
    #[default]
    Tree,
    /// Each thread has a tree of its own, with its part of the memory; what they know of the moves at the root is added up.
    Root,
}

/// Where the tree holds a pass beside the game's candidate moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Passes {
    /// Only where the game itself names it as a candidate.
    Candidates,
    /// Also where it ends the game at once: a side that is ahead may answer a pass by a pass.
    Ending,
    /// Everywhere: without, whoever runs out of harmless moves seems to have to play into a seki.
    #[default]
    Always,
}

/// What decides which move is played.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinalMove {
    /// The most visits; of equal ones, the best value.
    #[default]
    Visits,
    /// The best mean outcome Q among the moves that were visited.
    Value,
    /// The best mean outcome less one standard error, so that little-visited moves need a better mean.
    LowerBound,
}

impl FinalMove {
    /// Which of two moves it prefers, whatever is certain: by their visits, by what they are worth to the side to move, and by how much
    /// that is at least.
    pub(in crate::search) fn compare<M>(
        self,
        (a, b): (&M, &M),
        visits: impl Fn(&M) -> u32,
        value: impl Fn(&M) -> f32,
        lower_bound: impl Fn(&M) -> f32,
    ) -> Ordering {
        let by_visits = || visits(a).cmp(&visits(b));
        let by_value = || value(a).total_cmp(&value(b));
        match self {
            FinalMove::Visits => by_visits().then_with(by_value),
            FinalMove::Value => (visits(a) > 0).cmp(&(visits(b) > 0)).then_with(by_value).then_with(by_visits),
            FinalMove::LowerBound => lower_bound(a).total_cmp(&lower_bound(b)).then_with(by_visits).then_with(by_value),
        }
    }
}

/// Progressive widening: move number n of a position, best priors first, is considered once the position has been visited often enough
/// (R. Coulom, Computing Elo ratings of move patterns in the game of Go, 2007, §4.2).
///
/// ```text
/// t₁ = … = tₛ = 0        tₙ₊₁ = tₙ + first · growthⁿ⁻ˢ
/// ```
///
/// ```
/// use afterstate_engine::search::Widening;
/// let widening = Widening { start: 2, first: 40.0, growth: 1.5 };
/// // 40 visits for the third, 60 more for the fourth.
/// assert_eq!([0, 39, 40, 99, 100].map(|visits| widening.considered(visits, 81)), [2, 2, 3, 3, 4]);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Widening {
    /// s: how many moves are considered from the beginning. Default 1.
    pub start: u32,
    /// Visits until the next one. Default 40.
    pub first: f32,
    /// How much longer each later one waits. Default 1.4.
    pub growth: f32,
}

impl Default for Widening {
    fn default() -> Self {
        Widening { start: 1, first: 40.0, growth: 1.4 }
    }
}

impl Widening {
    /// How many of a position's `moves` are considered when it was visited so often.
    pub fn considered(self, visits: u32, moves: usize) -> usize {
        let (mut considered, mut threshold, mut wait) = (self.start.max(1), 0.0, self.first.max(1.0));
        loop {
            threshold += wait;
            if (visits as f32) < threshold || considered as usize >= moves {
                return moves.min(considered as usize);
            }
            considered += 1;
            wait *= self.growth.max(1.0);
        }
    }
}
