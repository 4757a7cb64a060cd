//! What is kept up to date move by move, against a textbook that computes everything anew.

use afterstate_engine::Value;
use afterstate_engine::learning::{Plies, TdSettings, TraceKind};
use afterstate_engine::search::{
    Dyna2, FeatureMemory, LongTermMemory, LongTermShapes, PlayOut, ShapeMemory, ShortTermMemory, TdSearch,
    TdSearchSettings,
};
use afterstate_engine::value::{
    ActiveSet, Features, FusedShapes, GridShapes, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes,
};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::{FuegoPlayout, Go};
use afterstate_games::rng::{below, unit};
use afterstate_games::{ConnectFour, Game, UniformPlayout, stream};
use std::sync::Arc;

/// The rule as it is written: every position of the simulation is kept, every sum is computed from the weights, and λ
/// is a sum over all earlier positions of the same parity.
#[derive(Clone)]
struct Textbook<F> {
    features: F,
    td: TdSettings,
    weights: Vec<f64>,
    /// φ, and what other memories say, of each position so far.
    positions: Vec<(Vec<usize>, f64)>,
}

impl<F> Textbook<F> {
    fn new<G: Game>(features: F, td: TdSettings) -> Self
    where
        F: Features<G>,
    {
        assert_eq!(td.traces, TraceKind::Accumulating);
        let weights = vec![0.0; features.count()];
        Textbook { features, td, weights, positions: Vec::new() }
    }

    fn active<G: Game>(&self, game: &G) -> Vec<usize>
    where
        F: Features<G>,
    {
        let mut set = ActiveSet::default();
        self.features.active(game, &mut set);
        set.shares().iter().map(|share| share.index()).collect()
    }

    fn sum(&self, active: &[usize]) -> f64 {
        active.iter().map(|&index| self.weights[index]).sum()
    }

    fn plies(&self) -> usize {
        if self.td.plies == Plies::One { 1 } else { 2 }
    }

    fn value(&self, sum: f64) -> f64 {
        match self.td.squash {
            Squash::Logistic => 1.0 / (1.0 + (-sum).exp()),
            Squash::Linear => 0.5 + sum,
        }
    }

    /// Position number `t` (from 0) and all before it of its parity get credit for `target`.
    fn update(&mut self, t: usize, target: f64) {
        let (active, beside) = &self.positions[t];
        let error = target - self.value(self.sum(active) + beside);
        let plies = self.plies();
        for earlier in (0..=t).rev().step_by(plies) {
            let share = f64::from(self.td.lambda).powi(((t - earlier) / plies) as i32);
            let active = &self.positions[earlier].0;
            for &index in active {
                self.weights[index] += f64::from(self.td.step_size) * error * share / active.len().max(1) as f64;
            }
        }
    }

    fn reached<G: Game>(&mut self, game: &G, beside: f32)
    where
        F: Features<G>,
    {
        let (active, beside) = (self.active(game), f64::from(beside));
        let value = self.value(self.sum(&active) + beside);
        let t = self.positions.len();
        if t >= self.plies() {
            self.update(t - self.plies(), value);
        }
        self.positions.push((active, beside));
    }

    fn ended(&mut self, z: Value) {
        for t in self.positions.len().saturating_sub(self.plies())..self.positions.len() {
            self.update(t, f64::from(z.0));
        }
    }
}

/// A memory beside a textbook, which looks at every sum.
#[derive(Clone)]
struct Compared<M, F> {
    memory: M,
    textbook: Textbook<F>,
    looked: u64,
}

impl<G: Game, M: ShortTermMemory<G>, F: Features<G> + Clone> ShortTermMemory<G> for Compared<M, F> {
    fn clear(&mut self) {
        self.memory.clear();
        self.textbook.weights.fill(0.0);
    }

    fn set_root(&mut self, root: &G) {
        self.memory.set_root(root);
    }

    fn begin(&mut self) {
        self.textbook.positions.clear();
        self.memory.begin();
    }

    fn afterstate_sums(&mut self, game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        self.memory.afterstate_sums(game, moves, sums);
        for (&mv, &sum) in moves.iter().zip(&*sums) {
            let mut after = game.clone();
            after.play(mv);
            let expected = self.textbook.sum(&self.textbook.active(&after));
            assert!((f64::from(sum) - expected).abs() < 1e-3, "{mv:?}: {sum}, from scratch {expected}");
            self.looked += 1;
        }
    }

    fn playing(&mut self, game: &G, mv: G::Move) {
        self.memory.playing(game, mv);
    }

    fn reached(&mut self, game: &G, sum: Option<f32>, beside: f32) {
        self.memory.reached(game, sum, beside);
        self.textbook.reached(game, beside);
    }

    fn ended(&mut self, z: Value, rest: &[G::Move]) {
        self.memory.ended(z, rest);
        self.textbook.ended(z);
    }

    fn abandoned(&mut self) {
        self.memory.abandoned();
    }

    fn value(&self, sum: f32) -> Value {
        self.memory.value(sum)
    }
}

fn td(lambda: f32, squash: Squash) -> TdSettings {
    TdSettings { lambda, squash, ..TdSettings::default() }
}

fn settings(simulations: u64, switch_after: Option<u32>) -> TdSearchSettings {
    // Much exploration: captures and odd positions come up.
    TdSearchSettings { simulations, switch_after, exploration: 0.3, ..TdSearchSettings::default() }
}

fn shapes(size: usize, sizes: &[usize]) -> LocalShapes {
    LocalShapes::new(size, WindowSizes::new(sizes).unwrap(), Sharing::None)
}

/// Plays `moves` moves by searches of 1,000 simulations in all and returns how many sums were looked at.
fn play_go<M: ShortTermMemory<Go>>(memory: M, sizes: &[usize], td: TdSettings, switch_after: Option<u32>) -> u64 {
    let memory = Compared { memory, textbook: Textbook::new::<Go>(shapes(5, sizes), td), looked: 0 };
    let mut search = TdSearch::new(memory, PlayOut(FuegoPlayout::default()), settings(250, switch_after));
    let (mut game, mut rng) = (Go::new(5).with_move_limit(60), stream(5, 0));
    for _ in 0..4 {
        let Some(best) = search.search(&game, &Budget::default(), &mut rng).best else { break };
        game.play(best);
    }
    search.memory().looked
}

#[test]
fn values_are_those_computed_from_scratch_after_every_move_of_1000_simulations() {
    for switch in [Some(6), None] {
        for squash in [Squash::Logistic, Squash::Linear] {
            for lambda in [0.0, 0.5] {
                let td = td(lambda, squash);
                let memory = FeatureMemory::of_shapes(shapes(5, &[1, 2]).into(), td.clone());
                let looked = play_go(memory, &[1, 2], td, switch);
                assert!(looked > 50_000, "{looked}");
            }
        }
    }
}

#[test]
fn differences_are_those_computed_from_scratch_after_every_move_of_1000_simulations() {
    let (two, one) = (Plies::Two, Plies::One);
    for (switch, sizes, squash, plies) in [
        (Some(6), &[1, 2][..], Squash::Logistic, two),
        (None, &[1, 2], Squash::Logistic, two),
        (None, &[1, 2], Squash::Linear, one),
        (Some(12), &[3], Squash::Linear, two),
        (Some(1), &[1, 2, 3], Squash::Logistic, two),
    ] {
        let td = TdSettings { plies, ..td(0.0, squash) };
        let memory = ShapeMemory::new(WindowSizes::new(sizes).unwrap(), td.clone());
        let looked = play_go(memory, sizes, td, switch);
        assert!(looked > 10_000, "{looked}");
    }
}

#[test]
fn other_games_have_their_windows_too() {
    let start = ConnectFour::new();
    let features = GridShapes::new(&start, WindowSizes::new(&[1, 2]).unwrap());
    for lambda in [0.0, 1.0] {
        let td = td(lambda, Squash::Logistic);
        let memory = FeatureMemory::new(Arc::new(features.clone()), td.clone());
        let memory = Compared { memory, textbook: Textbook::new::<ConnectFour>(features.clone(), td), looked: 0 };
        let mut search = TdSearch::new(memory, PlayOut(UniformPlayout::default()), settings(300, None));
        search.search(&start, &Budget::default(), &mut stream(5, 0));
        assert!(search.memory().looked > 10_000);
    }
}

/// Some learnt function: its weights are arbitrary.
fn learnt() -> (LocalShapes, Weights) {
    let shapes = LocalShapes::new(5, WindowSizes::ALL, Sharing::Both);
    let mut rng = stream(6, 0);
    let weights: Vec<f32> = (0..Features::<Go>::count(&shapes)).map(|_| 0.2 * unit(&mut rng) - 0.1).collect();
    (shapes, Weights::from_values(&weights))
}

/// A long-term memory that is summed from scratch, beside one that follows the moves.
#[derive(Clone)]
struct ComparedLong {
    memory: LongTermShapes,
    shapes: LocalShapes,
    weights: Weights,
}

impl ComparedLong {
    fn summed_anew(&self, game: &Go) -> f32 {
        let mut set = ActiveSet::default();
        Features::<Go>::active(&self.shapes, game, &mut set);
        self.weights.sum(&set)
    }
}

impl LongTermMemory<Go> for ComparedLong {
    fn set_root(&mut self, root: &Go) {
        self.memory.set_root(root);
    }

    fn begin(&mut self) {
        self.memory.begin();
    }

    fn afterstate_sums(&mut self, game: &Go, moves: &[<Go as Game>::Move], sums: &mut Vec<f32>) {
        self.memory.afterstate_sums(game, moves, sums);
        let place = below(&mut stream(game.key(), 0), moves.len() as u32) as usize;
        let mut after = game.clone();
        after.play(moves[place]);
        let expected = self.summed_anew(&after);
        assert!((sums[place] - expected).abs() < 1e-4, "{} and {expected}", sums[place]);
    }

    fn playing(&mut self, game: &Go, mv: <Go as Game>::Move) {
        self.memory.playing(game, mv);
    }

    fn sum(&mut self, game: &Go) -> f32 {
        let (sum, expected) = (self.memory.sum(game), self.summed_anew(game));
        assert!((sum - expected).abs() < 1e-4, "{sum} and {expected}");
        sum
    }
}

/// The textbook learns the short-term memory with what the long-term memory says beside it.
#[test]
fn dyna_2_adds_two_memories_and_changes_one() {
    let (shapes_of_checkpoint, weights) = learnt();
    for lambda in [0.0, 0.5] {
        let td = td(lambda, Squash::Logistic);
        let memory = LongTermShapes::new(FusedShapes::new(&shapes_of_checkpoint, &weights, Squash::Logistic).into());
        let long = ComparedLong { memory, shapes: learnt().0, weights: learnt().1 };
        let short = FeatureMemory::of_shapes(shapes(5, &[1, 2]).into(), td.clone());
        let short = Compared { memory: short, textbook: Textbook::new::<Go>(shapes(5, &[1, 2]), td), looked: 0 };
        let mut search =
            TdSearch::new(Dyna2::new(long, short), PlayOut(FuegoPlayout::default()), settings(250, Some(6)));
        let (mut game, mut rng) = (Go::new(5), stream(7, 0));
        for _ in 0..4 {
            game.play(search.search(&game, &Budget::default(), &mut rng).best.unwrap());
        }
        assert!(search.memory().short_term().looked > 50_000);
    }
}

/// Reading windows as they follow a game is only another way to know the position.
#[test]
fn features_of_tracked_positions_and_of_plain_ones_learn_the_same() {
    fn learn(mut memory: impl ShortTermMemory<Go>) -> Vec<f32> {
        let (mut rng, mut moves, mut sums) = (stream(8, 0), Vec::new(), Vec::new());
        memory.set_root(&Go::new(5));
        for simulation in 0..50 {
            let mut game = Go::new(5);
            memory.begin();
            for _ in 0..30 {
                let Some(mv) = afterstate_engine::policy::random(&game, &mut moves, &mut rng) else { break };
                memory.playing(&game, mv);
                game.play(mv);
                memory.reached(&game, None, 0.0);
            }
            memory.ended(Value((simulation % 2) as f32), &[]);
        }
        memory.begin();
        Go::new(5).candidate_moves(&mut moves);
        memory.afterstate_sums(&Go::new(5), &moves, &mut sums);
        memory.abandoned();
        sums
    }
    let features = Arc::new(shapes(5, &[1, 2]));
    let tracked =
        learn(FeatureMemory::<Go, LocalShapes, TrackedGo>::of_shapes(features.clone(), td(0.0, Squash::Logistic)));
    let plain = learn(FeatureMemory::<Go, LocalShapes>::new(features, td(0.0, Squash::Logistic)));
    assert!(tracked.iter().any(|sum| sum.abs() > 1e-3));
    for (one, other) in tracked.iter().zip(&plain) {
        assert!((one - other).abs() < 1e-5);
    }
}
