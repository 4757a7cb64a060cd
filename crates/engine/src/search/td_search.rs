//! [`TdSearch`]: temporal-difference search (paper 000, §4).
//!
//! TD learning applied to the game that begins now: many games are simulated from the position to be decided, and the
//! value function learns from every step of them.
//!
//! ```text
//! θ ← 0 when the real game begins
//! for every real move, in s₀
//!     while there is time
//!         s ← s₀
//!         for t = 1 … T, until the game ends
//!             a ← argmax (Black) or argmin (White) of V(s∘a), with probability ε a random one
//!             s ← s∘a
//!             θ ← θ + α φ(sₜ₋₂)/‖φ(sₜ₋₂)‖² · (V(s) − V(sₜ₋₂))
//!         play on by the default policy, with outcome z
//!         move the last two positions towards z in the same way
//!     play argmax (argmin) of V(s₀∘a)
//! ```
//!
//! That is λ = 0; with traces the last line of the loop is that of [`td`](crate::learning::td). The position of a
//! value is the afterstate, so there is no update for s₀ itself. V of a game that is over is its outcome.
//!
//! Weights are kept from move to move: what was learnt is true of the next position too (§4.5.4). With table lookup in
//! place of features, λ = 1 and α = 1/N, this is Monte-Carlo tree search: [`TableLookup`](super::TableLookup).

use super::leaf::{Leaf, PlayoutObserver};
use super::mcts::{MoveReport, SearchReport, Situation, Watch};
use super::mcts_solver::Proof;
use super::short_term_memory::ShortTermMemory;
use super::{Budget, Decision, Search};
use crate::policy;
use afterstate_games::playout::draw_chance;
use afterstate_games::rng::{below, unit};
use afterstate_games::{Game, Outcome, Rng, Side, Turn};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Settings of TD search; those of its rule are [`TdSettings`](crate::learning::TdSettings). The defaults are the paper's.
///
/// ```
/// use afterstate_engine::search::TdSearchSettings;
/// let settings: TdSearchSettings = serde_json::from_str(r#"{ "simulations": 5000, "switch-after": null }"#).unwrap();
/// assert_eq!((settings.exploration, settings.switch_after), (0.1, None));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TdSearchSettings {
    /// How many simulations a move gets when the budget sets no limit of its own. Default 3000.
    pub simulations: u64,
    /// ε, the probability of a random move in a simulation. Default 0.1.
    pub exploration: f32,
    /// T, after how many moves a simulation goes on by the default policy; `None`: never. Default 6.
    pub switch_after: Option<u32>,
    /// Whether every search begins with weights of 0, for the experiment that shows what that costs (§4.5.4). Default false.
    pub reset: bool,
}

impl Default for TdSearchSettings {
    fn default() -> Self {
        TdSearchSettings { simulations: 3000, exploration: 0.1, switch_after: Some(6), reset: false }
    }
}

/// So many simulations pass between two looks at the clock.
const CLOCK_EVERY: u64 = 16;

/// TD search with memory `M`, default policy `L`, and an observer `O` of what its simulations end in.
///
/// ```
/// use afterstate_engine::learning::TdSettings;
/// use afterstate_engine::search::{FeatureMemory, PlayOut, TdSearch, TdSearchSettings};
/// use afterstate_engine::value::{GridShapes, WindowSizes};
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{Notation, TicTacToe, UniformPlayout, stream};
/// // O would complete a line, so X must block it.
/// let game = TicTacToe::parse_position("X../OO./..X").unwrap();
/// let memory = FeatureMemory::new(GridShapes::new(&game, WindowSizes::ALL).into(), TdSettings::default());
/// let mut search = TdSearch::new(memory, PlayOut(UniformPlayout::default()), TdSearchSettings::default());
/// let decision = search.search(&game, &Budget::default(), &mut stream(1, 0));
/// assert_eq!(decision.best.map(|mv| game.move_text(mv)), Some("6".to_string()));
/// ```
pub struct TdSearch<G: Game, M, L, O = ()> {
    memory: M,
    leaf: L,
    observer: O,
    settings: TdSearchSettings,
    /// What may be played at the root, and how many simulations began with it.
    root_moves: Vec<G::Move>,
    root_visits: Vec<u32>,
    /// The [`Game::key`] of the root.
    root_key: Option<u64>,
    moves: Vec<G::Move>,
    chances: Vec<(G::Move, f32)>,
    sums: Vec<f32>,
    trace: Vec<G::Move>,
    /// The position of the simulation under way; `None` before the first.
    game: Option<G>,
    report: SearchReport<G::Move>,
}

impl<G: Game, M: ShortTermMemory<G>, L: Leaf<G>> TdSearch<G, M, L> {
    /// A search that nobody watches.
    pub fn new(memory: M, leaf: L, settings: TdSearchSettings) -> Self {
        TdSearch::with(memory, leaf, (), settings)
    }
}

impl<G: Game, M: ShortTermMemory<G>, L: Leaf<G>, O: PlayoutObserver<G>> TdSearch<G, M, L, O> {
    /// A search whose final positions `observer` sees.
    pub fn with(memory: M, leaf: L, observer: O, settings: TdSearchSettings) -> Self {
        TdSearch {
            memory,
            leaf,
            observer,
            settings,
            root_moves: Vec::new(),
            root_visits: Vec::new(),
            root_key: None,
            moves: Vec::new(),
            chances: Vec::new(),
            sums: Vec::new(),
            trace: Vec::new(),
            game: None,
            report: SearchReport { simulations: 0, visits: 0, value: None, moves: Vec::new() },
        }
    }

    /// Its settings.
    pub fn settings(&self) -> &TdSearchSettings {
        &self.settings
    }

    /// What it has learnt.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// The same, to be changed between searches.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// What watched, with all that it saw.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Forgets what was learnt: a new game.
    pub fn clear(&mut self) {
        self.memory.clear();
        self.root_key = None;
        self.report.moves.clear();
    }

    /// What is known of the position that was searched last, the best move first.
    pub fn report(&self) -> &SearchReport<G::Move> {
        &self.report
    }

    /// Searches among the moves that `situation` allows. Repetition is known at the root only, by these moves.
    pub fn search_situation(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        mut watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        let root = situation.position;
        let Turn::Player(side) = root.turn() else { return Decision::resign() };
        match situation.moves {
            Some(allowed) => self.moves.splice(.., allowed.iter().copied()).for_each(drop),
            None => root.candidate_moves(&mut self.moves),
        }
        if self.moves.is_empty() {
            return Decision::resign();
        }
        if self.settings.reset {
            self.clear();
        }
        // A search of the same position goes on where the last one stopped.
        if self.root_key != Some(root.key()) || self.root_moves != self.moves {
            self.root_key = Some(root.key());
            self.root_moves.clone_from(&self.moves);
            self.root_visits.clear();
            self.root_visits.resize(self.root_moves.len(), 0);
        }
        let limit = match budget.simulations {
            Some(limit) => limit,
            None if budget.deadline.is_some() || budget.stop.is_some() => u64::MAX,
            None => self.settings.simulations,
        };
        self.memory.set_root(root);
        let mut next_report = watch.as_ref().map(|watch| Instant::now() + watch.every);
        let mut simulations = 0;
        while simulations < limit && !(simulations % CLOCK_EVERY == CLOCK_EVERY - 1 && budget.expired()) {
            self.simulate(root, rng);
            simulations += 1;
            if let (Some(watch), Some(at)) = (watch.as_mut(), next_report.as_mut())
                && simulations.is_multiple_of(CLOCK_EVERY)
                && Instant::now() >= *at
            {
                self.sum_up(root, side, simulations);
                (watch.report)(self.report.clone());
                *at = Instant::now() + watch.every;
            }
        }
        self.sum_up(root, side, simulations);
        let Some(best) = self.report.moves.first() else { return Decision::resign() };
        Decision {
            best: Some(best.mv),
            value: best.value,
            principal_variation: best.principal_variation.clone(),
            effort: simulations,
            depth: None,
        }
    }

    /// One simulation from `root`, and what it teaches.
    fn simulate(&mut self, root: &G, rng: &mut Rng) {
        let mut game = match self.game.take() {
            Some(mut game) => {
                game.clone_from(root);
                game
            }
            None => root.clone(),
        };
        self.trace.clear();
        self.memory.begin();
        let mut left = self.settings.switch_after.unwrap_or(u32::MAX);
        let mut switch = None;
        let z = loop {
            let side = match game.turn() {
                Turn::Over(outcome) => break outcome.into(),
                Turn::Chance => {
                    game.chance_outcomes(&mut self.chances);
                    let outcome = draw_chance(&self.chances, rng);
                    self.memory.playing(&game, outcome);
                    game.play(outcome);
                    self.trace.push(outcome);
                    continue;
                }
                Turn::Player(side) => side,
            };
            if left == 0 || !self.memory.knows(&game) {
                switch = Some(self.trace.len());
                break self.leaf.finish(&mut game, &mut self.trace, rng);
            }
            left -= 1;
            let (mv, sum) = self.choose(&game, side, rng);
            self.memory.playing(&game, mv);
            game.play(mv);
            self.trace.push(mv);
            if !matches!(game.turn(), Turn::Over(_)) {
                self.memory.reached(&game, sum, 0.0);
            }
        };
        self.memory.ended(z, &self.trace[switch.unwrap_or(self.trace.len())..]);
        self.observer.finished(&game, z);
        self.game = Some(game);
    }

    /// ε-greedy: a move, and the sum of its afterstate where that was computed.
    fn choose(&mut self, game: &G, side: Side, rng: &mut Rng) -> (G::Move, Option<f32>) {
        let at_root = self.trace.is_empty();
        let Self { moves, sums, memory, root_moves, root_visits, .. } = self;
        if !at_root {
            game.candidate_moves(moves);
        }
        let moves = if at_root { root_moves } else { moves };
        let explores = unit(rng) < self.settings.exploration;
        let chosen = if explores {
            below(rng, moves.len() as u32) as usize
        } else {
            memory.afterstate_sums(game, moves, sums);
            know_the_end(game, moves, sums);
            policy::greedy(sums, side, rng)
        };
        if at_root {
            root_visits[chosen] = root_visits[chosen].saturating_add(1);
        }
        (moves[chosen], (!explores).then(|| sums[chosen]))
    }

    /// Fills in the report: every move with its value, the best first, and the lines expected after some.
    fn sum_up(&mut self, root: &G, side: Side, simulations: u64) {
        let moves = std::mem::take(&mut self.root_moves);
        self.memory.begin();
        self.memory.afterstate_sums(root, &moves, &mut self.sums);
        self.memory.abandoned();
        let report = |((&mv, &sum), &visits): ((&G::Move, &f32), &u32)| {
            let proof = root.outcome_after(mv).map_or(Proof::Open, Proof::from);
            let value = Some(proof.value().unwrap_or_else(|| self.memory.value(sum)));
            let principal_variation = vec![mv];
            MoveReport { mv, visits, value, prior: None, amaf_visits: 0, amaf_value: None, proof, principal_variation }
        };
        let mut reports: Vec<_> = moves.iter().zip(&self.sums).zip(&self.root_visits).map(report).collect();
        let seen = |report: &MoveReport<G::Move>| report.value.map_or(f32::NEG_INFINITY, |value| value.seen_by(side));
        reports.sort_by(|a, b| seen(b).total_cmp(&seen(a)).then(b.visits.cmp(&a.visits)));
        for report in reports.iter_mut().take(LINES) {
            report.principal_variation = self.greedy_line(root, report.mv);
        }
        self.root_moves = moves;
        let value = reports.first().and_then(|best| best.value);
        let visits = self.root_visits.iter().map(|&visits| u64::from(visits)).sum();
        self.report = SearchReport { simulations, visits, value, moves: reports };
    }

    /// What both sides would play after `first` if they did not explore. Of equal moves the first counts.
    fn greedy_line(&mut self, root: &G, first: G::Move) -> Vec<G::Move> {
        let (mut game, mut line, mut next) = (root.clone(), Vec::new(), Some(first));
        self.memory.begin();
        while let Some(mv) = next {
            self.memory.playing(&game, mv);
            game.play(mv);
            line.push(mv);
            next = match game.turn() {
                Turn::Player(side) if line.len() < LINE && self.memory.knows(&game) => {
                    game.candidate_moves(&mut self.moves);
                    self.memory.afterstate_sums(&game, &self.moves, &mut self.sums);
                    know_the_end(&game, &self.moves, &mut self.sums);
                    let seen = |sum: f32| if side == Side::First { sum } else { -sum };
                    let best = self.moves.iter().zip(&self.sums).rev();
                    best.max_by(|a, b| seen(*a.1).total_cmp(&seen(*b.1))).map(|(&mv, _)| mv)
                }
                _ => None,
            };
        }
        self.memory.abandoned();
        line
    }
}

/// Of so many moves a report shows how the game is expected to go on, and so far.
const LINES: usize = 10;
const LINE: usize = 8;

/// V of a game that is over is its outcome: the sums of moves that end it are better than all others, worse, or even.
#[inline]
fn know_the_end<G: Game>(game: &G, moves: &[G::Move], sums: &mut [f32]) {
    for (&mv, sum) in moves.iter().zip(sums) {
        if let Some(Outcome { winner, .. }) = game.outcome_after(mv) {
            *sum = match winner {
                Some(Side::First) => f32::INFINITY,
                Some(Side::Second) => f32::NEG_INFINITY,
                None => 0.0,
            };
        }
    }
}

impl<G: Game, M: ShortTermMemory<G>, L: Leaf<G>, O: PlayoutObserver<G>> Search<G> for TdSearch<G, M, L, O> {
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        self.search_situation(&Situation::new(root), budget, rng, None)
    }
}
