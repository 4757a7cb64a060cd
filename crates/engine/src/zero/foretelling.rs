//! [`Foretelling`]: how well a network knows games that it has not learnt from.
//!
//! What a network says of what it learns from shows how well it remembers. Of games that it has never seen, the same losses say what
//! it has understood:
//!
//! ```text
//! policy     −πᵀ log p        π: what was played, or how often each move was visited
//! choice     p is largest for the move that π is largest for
//! outcome    (z − v)²         z: how the game ended
//! searched   (v' − v)²        v': what a search said of the position, where one did
//! ```
//!
//! Positions of a game resemble each other, so that intervals take games, not positions, for independent.

use super::actor::Trajectory;
use super::network::{Network, Question};
use afterstate_games::{Deterministic, IndexedMoves};
use serde::Serialize;

/// A mean over positions, and how sure it is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Foretold {
    /// The mean.
    pub mean: f64,
    /// Half of the width of its 95 % interval; `None` with fewer than two games.
    pub margin: Option<f64>,
}

/// What games say of one mean: for each game a sum over its positions, and how many these are.
#[derive(Clone, Debug, Default)]
struct Sums(Vec<(f64, f64)>);

impl Sums {
    /// The ratio of the two sums, with the usual variance of a ratio over clusters.
    fn foretold(&self) -> Option<Foretold> {
        let total: f64 = self.0.iter().map(|(_, positions)| positions).sum();
        let mean = self.0.iter().map(|(sum, _)| sum).sum::<f64>() / total;
        let games = self.0.len() as f64;
        let spread: f64 = self.0.iter().map(|(sum, positions)| (sum - mean * positions).powi(2)).sum();
        let error = (spread * games / (games - 1.0)).sqrt() / total;
        (total > 0.0).then(|| Foretold { mean, margin: (games > 1.0).then_some(1.96 * error) })
    }
}

/// What a network says of games, and what came of them.
///
/// ```
/// use afterstate_engine::zero::{Foretelling, Trajectory, Uniform};
/// use afterstate_games::{Game, TicTacToe};
/// // The first player takes the middle, of nine moves, and wins in the end.
/// let policy = (0..9).map(|index| (index, f32::from(u8::from(index == 4)))).collect();
/// let game = Trajectory { way: vec![4], policies: vec![policy], outcome: 1.0, ..Trajectory::default() };
/// let mut foretelling = Foretelling::default();
/// foretelling.add(&TicTacToe::default(), &game, &mut Uniform);
/// assert!((foretelling.policy().unwrap().mean - 9f64.ln()).abs() < 1e-6);
/// assert_eq!(foretelling.outcome().unwrap().mean, 0.25);
/// assert_eq!(foretelling.searched(), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Foretelling {
    positions: u64,
    policy: Sums,
    choice: Sums,
    outcome: Sums,
    searched: Sums,
}

impl Foretelling {
    /// Asks `network` about the positions of a game from `first` on that have a policy.
    pub fn add<G, N>(&mut self, first: &G, game: &Trajectory, network: &mut N)
    where
        G: Deterministic + IndexedMoves,
        N: Network<G> + ?Sized,
    {
        let (mut position, mut asked) = (first.clone(), Vec::new());
        for at in 0..=game.way.len() {
            let example = at.checked_sub(usize::from(game.opening));
            if let Some(example) = example.filter(|&example| game.policies.get(example).is_some_and(|p| !p.is_empty()))
            {
                asked.push((example, Question::new(position.clone())));
            }
            if let Some(&index) = game.way.get(at) {
                position.play(position.move_at(usize::from(index)));
            }
        }
        if asked.is_empty() {
            return;
        }
        let mut questions: Vec<_> = asked.iter_mut().map(|(_, question)| question).collect();
        network.evaluate(&mut questions);

        let mut sums = [(0.0, 0.0); 4];
        let mut count = |sum: usize, what: f64| sums[sum] = (sums[sum].0 + what, sums[sum].1 + 1.0);
        for (example, question) in &asked {
            let policy = &game.policies[*example];
            let played =
                |index: usize| policy.iter().find(|(of, _)| usize::from(*of) == index).map_or(0.0, |(_, p)| *p);
            let moves = || question.moves.iter().map(|&mv| played(question.game.move_index(mv))).zip(&question.priors);
            // What is not played may have no chance at all.
            let likely = moves().filter(|(pi, _)| *pi > 0.0);
            count(0, -likely.map(|(pi, p)| f64::from(pi) * f64::from(p.max(f32::MIN_POSITIVE)).ln()).sum::<f64>());
            let largest = |of: &dyn Fn((f32, &f32)) -> f32| {
                moves().enumerate().max_by(|a, b| of(a.1).total_cmp(&of(b.1))).map(|(at, _)| at)
            };
            count(1, f64::from(u8::from(largest(&|(pi, _)| pi) == largest(&|(_, p)| *p))));
            let value = f64::from(question.value.0);
            count(2, (value - f64::from(game.outcome)).powi(2));
            if let Some(Some(searched)) = game.values.get(*example) {
                count(3, (value - f64::from(*searched)).powi(2));
            }
        }
        self.positions += asked.len() as u64;
        let all = [&mut self.policy, &mut self.choice, &mut self.outcome, &mut self.searched];
        for (of, sum) in all.into_iter().zip(sums).filter(|(_, (_, positions))| *positions > 0.0) {
            of.0.push(sum);
        }
    }

    /// Positions so far.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// −πᵀ log p, in nats; `None` where nothing was asked, here and below.
    pub fn policy(&self) -> Option<Foretold> {
        self.policy.foretold()
    }

    /// How often the likeliest move is the one that was played, from 0 to 1.
    pub fn choice(&self) -> Option<Foretold> {
        self.choice.foretold()
    }

    /// (z − v)² of chances to win, from 0 to 1: always ½ has 0.25 where nobody draws.
    pub fn outcome(&self) -> Option<Foretold> {
        self.outcome.foretold()
    }

    /// (v' − v)² of chances to win, from 0 to 1, over the positions that were searched.
    pub fn searched(&self) -> Option<Foretold> {
        self.searched.foretold()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use afterstate_games::TicTacToe;

    /// Says p = ½ of the move with the largest index, shares the rest, and values positions by how many moves there are.
    struct Made;

    impl Network<TicTacToe> for Made {
        fn evaluate(&mut self, questions: &mut [&mut Question<TicTacToe>]) {
            for question in questions {
                let others = question.moves.len() - 1;
                question.priors = vec![0.5 / others as f32; others];
                question.priors.push(0.5);
                question.value = Value(others as f32 / 10.0);
            }
        }
    }

    /// All of π for one move, of so many legal ones.
    fn one(played: u16, legal: impl Iterator<Item = u16>) -> Vec<(u16, f32)> {
        legal.map(|index| (index, f32::from(u8::from(index == played)))).collect()
    }

    #[test]
    fn losses_of_two_positions_by_hand() {
        // The opening is cell 0; then 8 is played of 1 to 8, and 1 of 1 to 7, where nothing was searched.
        let game = Trajectory {
            way: vec![0, 8, 1],
            opening: 1,
            policies: vec![one(8, 1..9), one(1, 1..8)],
            values: vec![Some(0.9), None],
            outcome: 1.0,
            ..Trajectory::default()
        };
        let mut foretelling = Foretelling::default();
        foretelling.add(&TicTacToe::default(), &game, &mut Made);
        assert_eq!(foretelling.positions(), 2);
        let near = |found: Option<Foretold>, expected: f64| (found.unwrap().mean - expected).abs() < 1e-6;
        // p is ½, and ½ over six.
        assert!(near(foretelling.policy(), (2f64.ln() + 12f64.ln()) / 2.0));
        assert!(near(foretelling.choice(), 0.5));
        // v is 0.7 and 0.6.
        assert!(near(foretelling.outcome(), (0.09 + 0.16) / 2.0));
        assert!(near(foretelling.searched(), 0.04));
        assert_eq!(foretelling.policy().unwrap().margin, None);
    }

    #[test]
    fn intervals_take_games_for_independent() {
        // Two positions with 1 each, and one with 0: the mean is 2/3, and the games are off by 2 − 4/3 and 0 − 2/3.
        let sums = Sums(vec![(2.0, 2.0), (0.0, 1.0)]);
        let Foretold { mean, margin } = sums.foretold().unwrap();
        let error = (2.0 * (4.0 / 9.0 + 4.0 / 9.0f64)).sqrt() / 3.0;
        assert!((mean - 2.0 / 3.0).abs() < 1e-12 && (margin.unwrap() - 1.96 * error).abs() < 1e-12);
        assert_eq!(Sums::default().foretold(), None);
    }
}
