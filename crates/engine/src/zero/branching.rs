//! KataGo's branching (D. Wu, *Accelerating self-play learning in Go*, 2019, and the program's notes; paper 004, §5.1):
//! what was not played is looked at, too.
//!
//! ```text
//! side positions   at a few positions of a game another move than the one played, drawn from the raw policy,
//!                  leads to a position that is searched when the game is over: an example whose z is the search's value
//! forks            after a few games, another one goes on from one of their first positions,
//!                  by the best of some random moves, as the network sees them
//! ```

use super::actor::draw;
use super::katago::exponential;
use afterstate_games::Rng;
use afterstate_games::rng::{below, unit};
use serde::{Deserialize, Serialize};

/// How often games branch. The defaults are those of the paper's program.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Branching {
    /// Side positions for each position of a game.
    pub side_positions: f32,
    /// Probability that a side position has a side position itself.
    pub again: f32,
    /// Forks for each game.
    pub forks: f32,
    /// Mean number of moves between where a game begins and where it forks; the number is drawn from an exponential
    /// distribution, and rounded down. The paper's program has 0.025 for each point of the board.
    pub fork_moves: f32,
}

impl Default for Branching {
    fn default() -> Self {
        Branching { side_positions: 0.025, again: 0.25, forks: 0.05, fork_moves: 0.025 * 42.0 }
    }
}

/// How many random moves a fork is the best of.
const FORK_CANDIDATES: std::ops::RangeInclusive<u32> = 3..=10;

impl Branching {
    /// Whether a game is one that forks, and after how many moves.
    pub(super) fn fork(&self, rng: &mut Rng) -> Option<usize> {
        (unit(rng) < self.forks).then(|| exponential(self.fork_moves, rng) as usize)
    }

    /// That number of moves if the game had more, else another that it had more than; its length if it had none.
    pub(super) fn fork_within(&self, mut moves: usize, length: usize, rng: &mut Rng) -> usize {
        while moves >= length && length > 0 {
            moves = exponential(self.fork_moves, rng) as usize;
        }
        moves.min(length)
    }
}

/// Some of these moves at random.
pub(super) fn fork_candidates<M>(mut moves: Vec<M>, rng: &mut Rng) -> Vec<M> {
    let spread = FORK_CANDIDATES.end() - FORK_CANDIDATES.start() + 1;
    let wanted = (FORK_CANDIDATES.start() + below(rng, spread)) as usize;
    for i in 0..wanted.min(moves.len()) {
        let other = i + below(rng, (moves.len() - i) as u32) as usize;
        moves.swap(i, other);
    }
    moves.truncate(wanted);
    moves
}

/// Which of some moves with these `priors` a side position comes from, what is `banned` left out: by the raw policy in 70 of 100
/// cases, by its square root in 25, and any of them in 5. `None` if there is no other move.
pub(super) fn alternative(priors: &[f32], banned: Option<usize>, rng: &mut Rng) -> Option<usize> {
    let power = match unit(rng) {
        share if share < 0.70 => 1.0,
        share if share < 0.95 => 0.5,
        _ => 0.0,
    };
    let weight = |(i, &prior): (usize, &f32)| if Some(i) == banned { 0.0 } else { prior.max(1e-9).powf(power) };
    (priors.len() > usize::from(banned.is_some())).then(|| draw(priors.iter().enumerate().map(weight), rng))
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::stream;

    #[test]
    fn alternatives_are_drawn_from_three_policies() {
        let priors = [0.64, 0.04, 0.16, 0.16];
        let (rng, mut counts) = (&mut stream(1, 0), [0u32; 4]);
        const DRAWS: u32 = 200_000;
        (0..DRAWS).for_each(|_| counts[alternative(&priors, Some(0), rng).unwrap()] += 1);
        // What is left: 0.04, 0.16, 0.16; by their roots 0.2, 0.4, 0.4; and thirds.
        let small = 0.70 / 9.0 + 0.25 * 0.2 + 0.05 / 3.0;
        let expected = [0.0, small, (1.0 - small) / 2.0, (1.0 - small) / 2.0];
        for (count, expected) in counts.iter().zip(expected) {
            let share = f64::from(*count) / f64::from(DRAWS);
            assert!((share - expected).abs() < 5.0 * (0.25 / f64::from(DRAWS)).sqrt(), "{counts:?}");
        }
        assert_eq!(alternative(&[1.0], Some(0), rng), None);
        assert_eq!(alternative(&[1.0], None, rng), Some(0));
    }

    #[test]
    fn candidates_are_three_to_ten_different_moves() {
        let (rng, mut lengths) = (&mut stream(2, 0), [0u32; 11]);
        for _ in 0..8_000 {
            let mut found = fork_candidates((0..30).collect(), rng);
            let length = found.len();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), length);
            lengths[length] += 1;
        }
        assert!(lengths[3..].iter().all(|count| (850..1_150).contains(count)), "{lengths:?}");
        assert_eq!(fork_candidates(vec![7], rng), [7]);
    }

    #[test]
    fn games_fork_as_often_and_as_early_as_they_should() {
        let branching = Branching { forks: 0.5, fork_moves: 4.0, ..Branching::default() };
        let rng = &mut stream(3, 0);
        let all: Vec<usize> = (0..20_000).filter_map(|_| branching.fork(rng)).collect();
        let mean = all.iter().sum::<usize>() as f64 / all.len() as f64;
        assert!((9_700..10_300).contains(&all.len()));
        // An exponential rounded down: 1/(e^(1/4) − 1).
        assert!((mean - 3.52).abs() < 0.15, "{mean}");
        assert_eq!((branching.fork_within(2, 3, rng), branching.fork_within(0, 0, rng)), (2, 0));
        let mut within = [0u32; 3];
        (0..9_000).for_each(|_| within[branching.fork_within(3, 3, rng)] += 1);
        assert!(within[0] > within[1] && within[1] > within[2] && within[2] > 1_500, "{within:?}");
    }
}
