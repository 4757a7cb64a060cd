//! [`SoftmaxPlayout`]: moves are drawn in proportion to the product of the weights of their features (R. Coulom, Computing Elo ratings of
//! move patterns in the game of Go, 2007).
//!
//! ```text
//! π(a|s) = exp(θ·φ(s,a)) / Σ_b exp(θ·φ(s,b))
//! ```
//!
//! The features φ are the 3×3 shape around the point, the same shape once more beside the last move, how near the last two moves are,
//! and what the move does: capture, rescue, take or give liberties, play a vital point, put itself in atari ([`move_features`]).
//!
//! [`move_features`]: super::move_features

use super::move_features::{self as features, Observer, SELF_ATARI};
use super::ruled::{View, limits, mercy_by_side};
use super::shapes::ShapeClasses;
use crate::go::board::Board;
use crate::go::point::{AREA, Move, Point};
use crate::go::rules::Go;
use crate::rng::{Rng, unit};
use crate::{LearnablePlayout, Outcome, PlayoutPolicy, Side};
use std::sync::Arc;

/// The largest weight, either way: 22,000 times as likely.
const LARGEST: f32 = 10.0;

/// Moves into atari that one draw remembers to have asked about; more are refused.
const REMEMBERED: usize = 64;

/// A lead in stones that decides a playout, and the most moves that it has, both as Fuego's: shares of the points of the board.
const MERCY: f32 = 0.3;
const MOVE_LIMIT: f32 = 3.0;

/// θ, and what playouts make of it.
#[derive(Debug)]
pub struct SoftmaxWeights {
    theta: Vec<f32>,
    /// exp(θ) of the shape, by side and code.
    shape: [Vec<f32>; 2],
    /// exp(θ) of every feature.
    factor: Vec<f32>,
}

impl SoftmaxWeights {
    /// Weights for [`features::count`] features.
    ///
    /// # Panics
    ///
    /// If there are more or fewer.
    pub fn new(mut theta: Vec<f32>) -> SoftmaxWeights {
        assert_eq!(theta.len(), features::count(), "a weight for each feature of moves");
        // Products of all that one move can have must stay finite.
        for weight in &mut theta {
            *weight = if weight.is_nan() { 0.0 } else { weight.clamp(-LARGEST, LARGEST) };
        }
        // Moves into atari are drawn and then perhaps refused, which can only make them rarer.
        for weight in &mut theta[features::tactical(SELF_ATARI)..] {
            *weight = weight.min(0.0);
        }
        let factor: Vec<f32> = theta.iter().map(|weight| weight.exp()).collect();
        let classes = ShapeClasses::standard();
        let by_code =
            |side| (0..=u16::MAX).map(|code| factor[usize::from(classes.of(code, side))]).collect::<Vec<f32>>();
        let shape = [by_code(Side::First), by_code(Side::Second)];
        SoftmaxWeights { theta, shape, factor }
    }

    /// Weights of 0: all sensible moves alike.
    pub fn zeros() -> SoftmaxWeights {
        SoftmaxWeights::new(vec![0.0; features::count()])
    }
}

/// Playouts by a softmax policy.
///
/// ```
/// use afterstate_games::{PlayoutPolicy, go::{Go, SoftmaxPlayout, SoftmaxWeights}, stream};
/// let mut policy = SoftmaxPlayout::new(SoftmaxWeights::zeros().into());
/// let mut moves = Vec::new();
/// let outcome = policy.play_out(&mut Go::new(9), &mut moves, &mut stream(1, 0));
/// assert!(outcome.winner.is_some() && moves.len() <= 3 * 81);
/// ```
#[derive(Clone, Debug)]
pub struct SoftmaxPlayout {
    weights: Arc<SoftmaxWeights>,
    view: View,
    observer: Observer,
    /// What the features of the position at hand multiply the weight of a point's shape by; 1 where there are none.
    boost: Box<[f32; AREA]>,
    cumulative: Box<[f32; AREA]>,
}

impl SoftmaxPlayout {
    /// The policy with these weights.
    pub fn new(weights: Arc<SoftmaxWeights>) -> SoftmaxPlayout {
        SoftmaxPlayout {
            weights,
            view: View::default(),
            observer: Observer::default(),
            boost: Box::new([1.0; AREA]),
            cumulative: Box::new([0.0; AREA]),
        }
    }

    /// Draws a move; none if there is no sensible one.
    #[inline(always)]
    fn draw(&mut self, board: &Board, side: Side, recent: [Option<Point>; 2], rng: &mut Rng) -> Option<Point> {
        self.view.note(board, recent[0], side);
        self.observer.observe(&mut self.view, board, side, recent);
        for &(point, feature) in self.observer.found() {
            self.boost[point.index() & (AREA - 1)] *= self.weights.factor[usize::from(feature)];
        }
        let shape = &self.weights.shape[side.index()];
        let mut total = 0.0;
        for (point, sum) in board.empty_points().zip(self.cumulative.iter_mut()) {
            total += shape[usize::from(self.view.code(point))] * self.boost[point.index() & (AREA - 1)];
            *sum = total;
        }
        let chosen = self.pick(board, side, rng);
        for &(point, _) in self.observer.found() {
            self.boost[point.index() & (AREA - 1)] = 1.0;
        }
        chosen
    }

    /// Draws an empty point by `cumulative`. Whether a point may be played, and whether it is self-atari, is asked only of points that are
    /// drawn; what is refused has its weight reduced to its true one, so that it is asked once. The draw has the distribution that it
    /// would have if all had been asked, unless more than [`REMEMBERED`] moves into atari are refused.
    #[inline(always)]
    fn pick(&mut self, board: &Board, side: Side, rng: &mut Rng) -> Option<Point> {
        let count = board.empty_count();
        let mut asked = 0;
        let mut known = [Point(0); REMEMBERED];
        loop {
            let sums = &mut self.cumulative[..count & (AREA - 1)];
            let total = *sums.last()?;
            // Nothing is left, but for what rounding leaves.
            if total <= 1e-20 {
                return None;
            }
            let at = unit(rng) * total;
            let i = sums.iter().position(|&sum| sum > at).unwrap_or(sums.len() - 1);
            let point = board.empty_at(i as u32);
            let keeps = if known[..asked].contains(&point) {
                1.0
            } else if !board.is_sensible(point, side) {
                0.0
            } else if let Some(feature) = features::self_atari(board, point, side) {
                if asked < REMEMBERED { self.weights.factor[usize::from(feature)] } else { 0.0 }
            } else {
                1.0
            };
            if keeps >= 1.0 || (keeps > 0.0 && unit(rng) < keeps) {
                return Some(point);
            }
            let weight = sums[i] - if i == 0 { 0.0 } else { sums[i - 1] };
            let gone = weight * (1.0 - keeps);
            for sum in &mut sums[i..] {
                *sum -= gone;
            }
            if keeps > 0.0 {
                known[asked] = point;
                asked += 1;
            } else if i > 0 {
                // Rounding must not leave anything.
                sums[i] = sums[i - 1];
            } else {
                sums[i] = 0.0;
            }
        }
    }

    /// What all sensible moves weigh, with their features and probabilities; for learning, where speed matters less.
    fn weigh_all(&mut self, game: &Go, all: &mut Weighed) {
        let (board, side, recent) = (game.board(), game.to_move(), game.recent_stones());
        self.view.note(board, recent[0], side);
        self.observer.observe(&mut self.view, board, side, recent);
        all.points.clear();
        all.extra.clear();
        let mut total = 0.0;
        for point in board.empty_points().filter(|&point| board.is_sensible(point, side)) {
            let class = ShapeClasses::standard().of(self.view.code(point), side);
            let begin = all.extra.len();
            all.extra.extend(self.observer.found().iter().filter(|(at, _)| *at == point).map(|(_, feature)| *feature));
            all.extra.extend(features::self_atari(board, point, side));
            let mut weight = self.weights.factor[usize::from(class)];
            for &feature in &all.extra[begin..] {
                weight *= self.weights.factor[usize::from(feature)];
            }
            total += weight;
            all.points.push((point, class, begin as u32, weight));
        }
        all.points.iter_mut().for_each(|(_, _, _, weight)| *weight /= total);
    }

    /// Adds ∇ log π(a|s) of move number `chosen` of `all` to `gradient`.
    fn add_gradient(all: &Weighed, chosen: usize, gradient: &mut [f32]) {
        for (i, &(_, class, begin, chance)) in all.points.iter().enumerate() {
            let end = all.points.get(i + 1).map_or(all.extra.len(), |next| next.2 as usize);
            let change = f32::from(u8::from(i == chosen)) - chance;
            gradient[usize::from(class)] += change;
            for &feature in &all.extra[begin as usize..end] {
                gradient[usize::from(feature)] += change;
            }
        }
    }

    /// Puts a stone of `side` on `point`, or passes.
    #[inline(always)]
    fn make(&mut self, game: &mut Go, side: Side, point: Option<Point>) -> Move {
        let mv = match point {
            Some(point) => {
                game.place_as(point, side, self.view.watcher());
                Move::play(point)
            }
            None => {
                game.pass();
                Move::PASS
            }
        };
        game.recent = [mv, game.recent[0]];
        mv
    }

    #[inline(always)]
    fn turn(&mut self, game: &mut Go, side: Side, trace: &mut Vec<Move>, rng: &mut Rng) -> bool {
        let recent = game.recent_stones();
        let point = self.draw(&game.board, side, recent, rng);
        trace.push(self.make(game, side, point));
        !game.is_over()
    }
}

/// Plays a game that is not over to where it is decided; `turn` plays a move of a side and says whether the game goes on.
#[inline(always)]
fn play_to_end(game: &mut Go, mut turn: impl FnMut(&mut Go, Side) -> bool) -> Outcome {
    let (mercy, mut moves_left) = limits(MERCY, MOVE_LIMIT, game.size());
    let mercy = mercy_by_side(mercy, game);
    while moves_left > 0 {
        let side = game.to_move;
        if !turn(game, side) {
            break;
        }
        if game.board.stone_count(side) >= game.board.stone_count(side.other()) + mercy[side.index()] {
            return Outcome::win(side);
        }
        moves_left -= 1;
    }
    game.outcome()
}

/// The sensible moves of a position.
#[derive(Clone, Debug, Default)]
struct Weighed {
    /// Point, class of its shape, where its other features begin in `extra`, probability.
    points: Vec<(Point, u16, u32, f32)>,
    extra: Vec<u16>,
}

impl PlayoutPolicy<Go> for SoftmaxPlayout {
    fn play_out(&mut self, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Outcome {
        if game.is_over() {
            return game.outcome();
        }
        self.view.load(&game.board);
        let mut own = rng.clone();
        let outcome = play_to_end(game, |game, side| match side {
            Side::First => self.turn(game, Side::First, trace, &mut own),
            Side::Second => self.turn(game, Side::Second, trace, &mut own),
        });
        *rng = own;
        outcome
    }

    fn one_move(&mut self, game: &Go, rng: &mut Rng) -> Option<Move> {
        if game.is_over() {
            return Some(Move::PASS);
        }
        self.view.load(game.board());
        Some(self.draw(game.board(), game.to_move(), game.recent_stones(), rng).map_or(Move::PASS, Move::play))
    }
}

impl LearnablePlayout<Go> for SoftmaxPlayout {
    fn theta(&self) -> Vec<f32> {
        self.weights.theta.clone()
    }

    fn set_theta(&mut self, theta: &[f32]) {
        self.weights = Arc::new(SoftmaxWeights::new(theta.to_vec()));
    }

    fn add_log_gradient(&mut self, game: &Go, mv: Move, gradient: &mut [f32]) -> Option<f32> {
        let mut all = Weighed::default();
        self.view.load(game.board());
        self.weigh_all(game, &mut all);
        let chosen = all.points.iter().position(|(point, ..)| Some(*point) == mv.point())?;
        Self::add_gradient(&all, chosen, gradient);
        Some(all.points[chosen].3.ln())
    }

    fn play_out_with_gradient(&mut self, game: &mut Go, gradient: &mut [f32], rng: &mut Rng) -> Outcome {
        if game.is_over() {
            return game.outcome();
        }
        let mut all = Weighed::default();
        self.view.load(game.board());
        play_to_end(game, |game, side| {
            self.weigh_all(game, &mut all);
            let mut left = unit(rng);
            let drawn = all.points.iter().position(|&(_, _, _, chance)| {
                left -= chance;
                left < 0.0
            });
            let chosen = drawn.or(all.points.len().checked_sub(1));
            let point = chosen.map(|i| {
                Self::add_gradient(&all, i, gradient);
                all.points[i].0
            });
            self.make(game, side, point);
            !game.is_over()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{below, stream};
    use crate::{Game, Turn};

    fn random_policy(seed: u64) -> SoftmaxPlayout {
        let mut rng = stream(seed, 0);
        let theta = (0..features::count()).map(|_| 2.0 * unit(&mut rng) - 1.0).collect();
        SoftmaxPlayout::new(Arc::new(SoftmaxWeights::new(theta)))
    }

    /// Positions of playouts, with chains in atari and eyes.
    fn positions(count: u64) -> impl Iterator<Item = Go> {
        (0..count).map(|number| {
            let (mut game, mut moves, mut rng) = (Go::new(7), Vec::new(), stream(5, number));
            for _ in 0..10 + below(&mut rng, 50) {
                let Turn::Player(_) = game.turn() else { break };
                game.candidate_moves(&mut moves);
                game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
            }
            game
        })
    }

    #[test]
    fn gradients_equal_finite_differences() {
        const STEP: f32 = 1e-2;
        let (mut policy, mut tried) = (random_policy(1), 0);
        for (number, game) in positions(24).enumerate() {
            let mut rng = stream(6, number as u64);
            let Some(mv) = policy.one_move(&game, &mut rng).filter(|mv| !mv.is_pass()) else { continue };
            let mut gradient = vec![0.0; features::count()];
            policy.add_log_gradient(&game, mv, &mut gradient).unwrap();
            for (i, expected) in gradient.iter().enumerate().filter(|(_, part)| **part != 0.0) {
                let at = |change: f32| {
                    let mut theta = policy.theta();
                    theta[i] += change;
                    let mut moved = SoftmaxPlayout::new(Arc::new(SoftmaxWeights::new(theta)));
                    moved.add_log_gradient(&game, mv, &mut vec![0.0; features::count()]).unwrap()
                };
                // Weights of moves into atari end at 0; those that are near are left alone.
                if i >= features::tactical(SELF_ATARI) && policy.weights.theta[i] > -STEP {
                    continue;
                }
                let found = (at(STEP) - at(-STEP)) / (2.0 * STEP);
                assert!((found - expected).abs() < 2e-3, "feature {i}: {found}, not {expected}");
                tried += 1;
            }
        }
        assert!(tried > 300, "{tried}");
    }

    #[test]
    fn moves_are_drawn_as_often_as_their_probability_says() {
        const DRAWS: u32 = 20_000;
        let mut policy = random_policy(2);
        for (number, game) in positions(6).enumerate() {
            let mut all = Weighed::default();
            policy.view.load(game.board());
            policy.weigh_all(&game, &mut all);
            let (mut drawn, mut rng) = (vec![0u32; all.points.len()], stream(7, number as u64));
            for _ in 0..DRAWS {
                let mv = policy.one_move(&game, &mut rng).unwrap();
                let at = all.points.iter().position(|(point, ..)| Some(*point) == mv.point());
                drawn[at.expect("sensible moves alone are drawn")] += 1;
            }
            let squared: f32 = (all.points.iter().zip(&drawn))
                .map(|(&(_, _, _, chance), &drawn)| {
                    let expected = chance * DRAWS as f32;
                    (drawn as f32 - expected).powi(2) / expected.max(1.0)
                })
                .sum();
            // Chi-squared: its mean is the degrees of freedom, its variance twice that.
            let freedom = (all.points.len() - 1) as f32;
            assert!(squared < freedom + 5.0 * (2.0 * freedom).sqrt(), "{squared} of {freedom}");
        }
    }

    #[test]
    fn weights_of_any_kind_end_their_playouts() {
        let mut rng = stream(9, 0);
        for extreme in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30] {
            let theta = (0..features::count()).map(|_| if unit(&mut rng) < 0.5 { extreme } else { 0.0 }).collect();
            let mut policy = SoftmaxPlayout::new(Arc::new(SoftmaxWeights::new(theta)));
            for number in 0..20 {
                let mut trace = Vec::new();
                policy.play_out(&mut Go::new(9), &mut trace, &mut stream(10, number));
                assert!(!trace.is_empty() && trace.len() <= 3 * 81);
            }
        }
    }

    #[test]
    fn playouts_with_and_without_gradients_end_alike() {
        const PLAYOUTS: u32 = 2_000;
        let mut policy = random_policy(3);
        let (mut trace, mut gradient, mut rng) = (Vec::new(), vec![0.0; features::count()], stream(8, 0));
        let (mut plain, mut differentiated) = (0.0, 0.0);
        for _ in 0..PLAYOUTS {
            plain += policy.play_out(&mut Go::new(5), &mut trace, &mut rng).first_player_score();
            differentiated +=
                policy.play_out_with_gradient(&mut Go::new(5), &mut gradient, &mut rng).first_player_score();
        }
        // Five standard deviations of the difference of two such means.
        let allowed = 5.0 * (0.5 / PLAYOUTS as f32).sqrt();
        assert!((plain - differentiated).abs() / (PLAYOUTS as f32) < allowed, "{plain} and {differentiated}");
    }

    #[test]
    fn what_the_policy_has_noted_of_a_position_is_there_in_the_middle_of_a_playout() {
        // Looked at afresh, a position has the same features, but for those of what the last move put in atari.
        let mut policy = random_policy(4);
        for game in positions(40) {
            let (board, side, recent) = (game.board(), game.to_move(), game.recent_stones());
            let mut features = || {
                policy.view.load(board);
                policy.view.note(board, recent[0], side);
                policy.observer.observe(&mut policy.view, board, side, recent);
                let mut found = policy.observer.found().to_vec();
                found.sort();
                found
            };
            let (once, twice) = (features(), features());
            assert_eq!(once, twice);
            assert!(once.is_sorted_by(|a, b| a < b), "a feature is there twice: {once:?}");
        }
    }
}
