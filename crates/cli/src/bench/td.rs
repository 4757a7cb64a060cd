//! Self-play with learning on 9×9, with all local shapes and both kinds of sharing.

use super::Effort;
use super::measure::{Figure, Report, measure, processor_time};
use afterstate_engine::learning::{SelfPlay, SelfPlaySettings, TdSettings};
use afterstate_engine::policy;
use afterstate_engine::value::{AccruingWeights, Features, LocalShapes, Sharing, TrackedGo, Weights, WindowSizes};
use afterstate_games::go::{Go, Move};
use afterstate_games::rng::{Rng, below, unit};
use afterstate_games::{Game, Turn, stream};
use anyhow::{Result, ensure};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Games played before measuring, so that the weights are not all 0.
const WARM_UP: u64 = 300;

struct Learning {
    features: Arc<LocalShapes>,
    weights: Arc<Weights>,
    start: TrackedGo,
}

impl Learning {
    fn new() -> Learning {
        let features = Arc::new(LocalShapes::new(9, WindowSizes::ALL, Sharing::Both));
        let weights = Arc::new(Weights::zeros(Features::<TrackedGo>::count(&*features)));
        let start = features.track(Go::new(9));
        let learning = Learning { features, weights, start };
        let mut learner = learning.learner(TdSettings::default());
        for game in 0..WARM_UP {
            learner.play(&learning.start, &mut stream(1, game));
        }
        learner.publish();
        learning
    }

    fn learner(&self, td: TdSettings) -> SelfPlay<TrackedGo, LocalShapes> {
        SelfPlay::new(self.features.clone(), self.weights.clone(), td, SelfPlaySettings::default())
    }
}

/// Measures learning from self-play.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    let learning = Learning::new();
    let next = AtomicU64::new(WARM_UP);
    let measured = measure(effort, |_| {
        let mut learner = learning.learner(TdSettings::default());
        let (learning, next) = (&learning, &next);
        move || {
            let episode = learner.play(&learning.start, &mut stream(1, next.fetch_add(1, Ordering::Relaxed)));
            [episode.evaluations, 1]
        }
    });
    measured.report("go9.td.afterstates", 0, report)?;
    measured.report("go9.td.games", 1, report)?;
    report(Figure { name: "go9.td.learning-share".into(), value: learning_share(effort.time)?, unit: "%" })
}

/// The share of the time of self-play that learning takes, in percent.
///
/// The same games are played twice: by the learner with a step size of 0, which does all its work but
/// leaves the weights as they are, and by a bare ε-greedy loop without learning. As the weights stand still both
/// draw the same random numbers and make the same moves, so that the difference in time is what learning
/// costs. Both read the same kind of table: the learner's holds every weight with both signs, and on the plainer
/// one of [`Weights`] a bare loop may be the slower of the two. Blocks alternate, so that a change in the machine's
/// speed meets both, and the median of all pairs of blocks leaves out those that something disturbed. At the beginning of a
/// block the tables have to come back into the cache, which is no part of self-play; a block is long enough for that not to
/// matter.
fn learning_share(time: Duration) -> Result<f64> {
    const BLOCK: u64 = 100;
    let learning = Learning::new();
    let mut learner = learning.learner(TdSettings { step_size: 0.0, ..TdSettings::default() });
    let mut bare = Bare { weights: AccruingWeights::new(&learning.weights), moves: Vec::new(), sums: Vec::new() };
    let (mut spent, mut shares) = (Duration::ZERO, Vec::new());
    let mut game = WARM_UP;
    while spent < time || shares.is_empty() {
        let begun = processor_time();
        let mut learnt = 0;
        for number in game..game + BLOCK {
            learnt += learner.play(&learning.start, &mut stream(1, number)).evaluations;
        }
        let between = processor_time();
        let mut played = 0;
        for number in game..game + BLOCK {
            played += bare.play(&learning, &mut stream(1, number));
        }
        let ended = processor_time();
        shares.push(100.0 * (1.0 - (ended - between).as_secs_f64() / (between - begun).as_secs_f64()));
        spent += ended - begun;
        ensure!(learnt == played, "the bare loop left the learner's games: {played} evaluations, expected {learnt}");
        game += BLOCK;
    }
    shares.sort_by(f64::total_cmp);
    Ok(shares[shares.len() / 2])
}

/// ε-greedy self-play without learning, with the learner's random numbers.
struct Bare {
    weights: AccruingWeights,
    moves: Vec<Move>,
    sums: Vec<f32>,
}

impl Bare {
    /// Plays a game and returns how many afterstates were evaluated.
    fn play(&mut self, learning: &Learning, rng: &mut Rng) -> u64 {
        let epsilon = SelfPlaySettings::default().exploration;
        let mut game = learning.start.clone();
        let mut evaluations = 0;
        while let Turn::Player(side) = game.turn() {
            game.candidate_moves(&mut self.moves);
            let chosen = if unit(rng) < epsilon {
                below(rng, self.moves.len() as u32) as usize
            } else {
                learning.features.afterstate_sums(&game, &self.moves, &self.weights, &mut self.sums);
                evaluations += self.moves.len() as u64;
                policy::greedy(&self.sums, side, rng)
            };
            game.play(self.moves[chosen]);
        }
        evaluations
    }
}

/// Measures the values of all afterstates in the positions of a fixed random game.
pub fn afterstates(effort: Effort, report: Report) -> Result<()> {
    let learning = Learning::new();
    let mut positions = Vec::new();
    let (mut game, mut moves, mut rng) = (learning.start.clone(), Vec::new(), stream(2, 0));
    while let Some(mv) = policy::random(&game, &mut moves, &mut rng) {
        positions.push((game.clone(), moves.clone()));
        game.play(mv);
    }
    let measured = measure(effort, |_| {
        let (learning, positions, mut sums) = (&learning, &positions, Vec::new());
        move || {
            let mut evaluations = 0;
            for (game, moves) in positions {
                learning.features.afterstate_sums(game, moves, &*learning.weights, &mut sums);
                evaluations += sums.len() as u64;
            }
            [evaluations]
        }
    });
    measured.report("go9.afterstates.sums", 0, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bare_loop_plays_the_learners_games() {
        let share = learning_share(Duration::from_millis(50)).unwrap();
        assert!(share < 100.0);
    }
}
