//! [`TwoPhase`]: a simulation-based search, then alpha-beta on what it has learnt (paper 000, §6.1).
//!
//! ```text
//! search from s₀:
//!     TD search or Dyna-2 from s₀                                     Q̄ learns
//!     play the best move of the minimax tree of depth d from s₀, whose leaves are worth Q̄
//! ```
//!
//! "The two-phase algorithm can also be viewed as an extension to alpha-beta search, in which the evaluation function is
//! dynamically updated." Memories, simulations and settings of the first phase are those of [`TdSearch`]; the second is
//! [`AlphaBeta`] over the memory as [`Freeze`] makes it a function. With depth 1 it plays what the first phase would,
//! unless several moves are as good as won to it: log odds beyond ±16 are all the same to the second.
//!
//! Where simulations are counted, the second phase looks a fixed number of plies ahead. Where time limits the search,
//! time is split between both, and the second looks deeper and deeper until it is up. Each has its own number of threads; those of the
//! second share what was learnt, which does not change meanwhile, and a table.

use super::alpha_beta::{AlphaBeta, AlphaBetaSettings, MAX_DEPTH};
use super::freeze::{BoundedLogits, Freeze};
use super::leaf::{Leaf, PlayoutObserver};
use super::mcts::{MoveReport, SearchReport, Situation, Watch};
use super::td_search::{TdSearch, TdSearchSettings};
use super::{Budget, Decision, Search};
use crate::value::AfterstateValues;
use afterstate_games::{Game, Rng, Turn};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// Settings of two-phase search, beside those of its first phase.
///
/// ```
/// use afterstate_engine::search::TwoPhaseSettings;
/// let settings: TwoPhaseSettings = serde_json::from_str(r#"{ "split": 0.75 }"#).unwrap();
/// assert_eq!((settings.split, settings.alpha_beta.depth), (0.75, 5));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TwoPhaseSettings {
    /// The share of the time that the first phase gets, 0 to 1. Default 0.5: "approximately evenly".
    pub split: f32,
    /// The second phase. Its depth counts where no time limits the search, or without deepening, and is 5 by default.
    pub alpha_beta: AlphaBetaSettings,
}

impl Default for TwoPhaseSettings {
    fn default() -> Self {
        TwoPhaseSettings { split: 0.5, alpha_beta: AlphaBetaSettings { depth: 5, ..AlphaBetaSettings::default() } }
    }
}

type Leaves<G, M> = BoundedLogits<<M as Freeze<G>>::Frozen>;

/// TD search with memory `M`, default policy `L` and observer `O`, followed by alpha-beta, which always goes by the newest values: a
/// [`move_gap`](TdSearchSettings::move_gap) says nothing.
///
/// ```
/// use afterstate_engine::learning::TdSettings;
/// use afterstate_engine::search::{PlayOut, ShapeMemory, TdSearchSettings, TwoPhase, TwoPhaseSettings};
/// use afterstate_engine::value::WindowSizes;
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{go::{FuegoPlayout, Go}, stream};
/// let memory = ShapeMemory::new(WindowSizes::new(&[1, 2]).unwrap(), TdSettings::default());
/// let first = TdSearchSettings { simulations: 500, ..TdSearchSettings::default() };
/// let mut search = TwoPhase::new(memory, PlayOut(FuegoPlayout::default()), first, TwoPhaseSettings::default());
/// let decision = search.search(&Go::new(5), &Budget::default(), &mut stream(1, 0));
/// assert_eq!((decision.effort, decision.depth), (500, Some(5)));
/// ```
pub struct TwoPhase<G: Game, M: Freeze<G>, L, O = ()> {
    first: TdSearch<G, M, L, O>,
    settings: TwoPhaseSettings,
    /// Absent until the first search: its values are what was learnt.
    second: Option<AlphaBeta<M::Position, Leaves<G, M>>>,
    report: SearchReport<G::Move>,
}

impl<G: Game, M: Freeze<G>, L: Leaf<G>> TwoPhase<G, M, L> {
    /// A search that nobody watches.
    pub fn new(memory: M, leaf: L, first: TdSearchSettings, settings: TwoPhaseSettings) -> Self {
        TwoPhase::with(TdSearch::new(memory, leaf, first), settings)
    }
}

impl<G: Game, M: Freeze<G>, L: Leaf<G>, O: PlayoutObserver<G>> TwoPhase<G, M, L, O> {
    /// Alpha-beta after the simulations of `first`.
    pub fn with(first: TdSearch<G, M, L, O>, settings: TwoPhaseSettings) -> Self {
        let report = first.report().clone();
        TwoPhase { first, settings, second: None, report }
    }

    /// Its settings.
    pub fn settings(&self) -> &TwoPhaseSettings {
        &self.settings
    }

    /// The first phase.
    pub fn first(&self) -> &TdSearch<G, M, L, O> {
        &self.first
    }

    /// The same, to be changed between searches.
    pub fn first_mut(&mut self) -> &mut TdSearch<G, M, L, O> {
        &mut self.first
    }

    /// Positions expanded in the last second phase, the root included.
    pub fn nodes(&self) -> u64 {
        self.second.as_ref().map_or(0, AlphaBeta::nodes)
    }

    /// Forgets what was learnt: a new game.
    pub fn clear(&mut self) {
        self.first.clear();
        self.report.moves.clear();
        if let Some(second) = &mut self.second {
            second.clear();
        }
    }

    /// Simulates without deciding: on the opponent's time, from which nothing but the memory is left.
    pub fn simulate(&mut self, situation: &Situation<'_, G>, budget: &Budget, rng: &mut Rng) {
        self.first.search_situation(situation, budget, rng, None);
        self.report = self.first.report().clone();
    }

    /// What is known of the position that was searched last, the best move first. Its value is alpha-beta's; those of
    /// other moves say how good they are at most. Visits are of simulations.
    pub fn report(&self) -> &SearchReport<G::Move> {
        &self.report
    }

    /// Searches among the moves that `situation` allows. Repetition is known at the root only, by these moves. `watch`
    /// sees the first phase.
    pub fn search_situation(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        let simulating = budget.first_part(Instant::now(), self.settings.split.clamp(0.0, 1.0));
        let decision = self.first.search_situation(situation, &simulating, rng, watch);
        self.report = self.first.report().clone();
        if decision.best.is_none() {
            return decision;
        }
        // With nothing but time to end it, the search goes as deep as it gets.
        let AlphaBetaSettings { depth: fixed, deepening, .. } = self.settings.alpha_beta;
        let own = if budget.is_timed() && deepening { MAX_DEPTH } else { fixed };
        let depth = Some(budget.depth.map_or(own, |depth| depth.min(own)));
        let deepening = Budget { simulations: None, depth, ..budget.clone() };
        let found = self.look_ahead(situation.position, &deepening, rng);
        Decision { effort: decision.effort, ..found }
    }

    /// The second phase, and the report on both.
    fn look_ahead(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        let memory = self.first.memory();
        let values = Arc::new(BoundedLogits(memory.freeze()));
        let position = memory.read(&values.0, root);
        let moves: Vec<G::Move> = self.report.moves.iter().map(|report| report.mv).collect();
        let second = self.second.get_or_insert_with(|| {
            let settings = AlphaBetaSettings { depth: MAX_DEPTH, ..self.settings.alpha_beta.clone() };
            AlphaBeta::indexed(values.clone(), settings)
        });
        second.set_values(values.clone());
        let decision = second.search_among(&position, &moves, budget, rng);
        let (Turn::Player(side), Some(value)) = (root.turn(), decision.value) else { return decision };
        let best = value.seen_by(side);
        for (mv, score) in second.root_scores() {
            let Some(report) = self.report.moves.iter_mut().find(|report| report.mv == mv) else { continue };
            let proved = score.winner().map(|winner| afterstate_games::Outcome::win(winner).into());
            let bound = proved.unwrap_or_else(|| values.value_of_score(score.first_player()).bounded());
            // What was looked at less deeply may look better than what was chosen.
            report.value = Some(if bound.seen_by(side) > best { value } else { bound });
            if Some(mv) == decision.best {
                report.value = Some(value);
                report.principal_variation.clone_from(&decision.principal_variation);
            }
        }
        let seen = |report: &MoveReport<G::Move>| report.value.map_or(f32::NEG_INFINITY, |value| value.seen_by(side));
        let chosen = |report: &MoveReport<G::Move>| Some(report.mv) == decision.best;
        self.report.moves.sort_by(|a, b| chosen(b).cmp(&chosen(a)).then(seen(b).total_cmp(&seen(a))));
        self.report.value = Some(value);
        decision
    }
}

impl<G: Game, M: Freeze<G>, L: Leaf<G>, O: PlayoutObserver<G>> Search<G> for TwoPhase<G, M, L, O> {
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        self.search_situation(&Situation::new(root), budget, rng, None)
    }
}
