//! [`Spsa`]: tunes numbers by games between two copies of a player in which all numbers differ a little at once.
//!
//! ```text
//! for k = 0, 1, …, N − 1                                    pairs of games, one opening with either side
//!     δᵢ ← +1 or −1, each as likely
//!     lead ← wins − losses of θ + c·δ against θ − c·δ       cᵢ = stepᵢ (N / (k + 1))^γ
//!     θᵢ ← θᵢ + (aᵢ / cᵢ) δᵢ lead                           aᵢ = r stepᵢ² ((A + N) / (A + k + 1))^α
//! ```
//!
//! Two games say something about all numbers, however many there are (J. C. Spall, *Implementation of the simultaneous perturbation
//! algorithm for stochastic optimization*, IEEE Transactions on Aerospace and Electronic Systems 34, 1998, from which α = 0.602,
//! γ = 0.101 and A = N/10 are). Steps and r are those of the end, as in Fishtest, since nobody knows what those of the beginning should
//! be.

use afterstate_games::Rng;
use afterstate_games::rng::below;
use serde::{Deserialize, Serialize};

/// α and γ, how fast steps and differences shrink.
const STEPS_SHRINK: f64 = 0.602;
const DIFFERENCES_SHRINK: f64 = 0.101;
/// A, as a part of all pairs: steps of the first ones are not much larger than those after them.
const STEADY: f64 = 0.1;

/// A number to be tuned.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TunedNumber {
    /// What it is at first.
    pub start: f64,
    /// By how much it is changed either way in the last games: so much that it may show.
    pub step: f64,
    /// It is not tried below this …
    pub least: f64,
    /// … nor above this.
    pub most: f64,
}

/// What two players try.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// δ.
    signs: Vec<f64>,
    /// The numbers of either player: θ + c·δ, and θ − c·δ.
    pub tried: [Vec<f64>; 2],
}

/// See the head of this file.
///
/// ```
/// use afterstate_arena::spsa::{Spsa, TunedNumber};
/// use afterstate_games::stream;
/// let number = TunedNumber { start: 10.0, step: 4.0, least: 0.0, most: f64::INFINITY };
/// let pairs = 4_000;
/// let mut spsa = Spsa::new(vec![number], pairs, 0.006);
/// for pair in 0..pairs {
///     let trial = spsa.trial(pair, &mut stream(1, pair));
///     // Who is nearer to 20 wins.
///     let [one, other] = [0, 1].map(|player| (trial.tried[player][0] - 20.0_f64).abs());
///     spsa.learn(pair, &trial, if one < other { 1.0 } else { -1.0 });
/// }
/// assert!((spsa.values()[0] - 20.0).abs() < 4.0);
/// ```
#[derive(Clone, Debug)]
pub struct Spsa {
    numbers: Vec<TunedNumber>,
    values: Vec<f64>,
    pairs: u64,
    rate: f64,
}

impl Spsa {
    /// Tunes these numbers by so many pairs of games. `rate`: r, what part of a step the last pair moves a number for each game that is
    /// won more.
    pub fn new(numbers: Vec<TunedNumber>, pairs: u64, rate: f64) -> Spsa {
        let values = numbers.iter().map(|number| number.start).collect();
        Spsa { numbers, values, pairs, rate }
    }

    /// The same, going on from these values.
    ///
    /// # Panics
    ///
    /// If they are not as many as there are numbers.
    pub fn from(self, values: Vec<f64>) -> Spsa {
        assert_eq!(values.len(), self.numbers.len(), "one value for each number");
        Spsa { values, ..self }
    }

    /// What the numbers are now.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// What the players of pair number `pair` try, the first being 0.
    pub fn trial(&self, pair: u64, rng: &mut Rng) -> Trial {
        let signs: Vec<f64> = self.numbers.iter().map(|_| f64::from(2 * below(rng, 2) as i32 - 1)).collect();
        let tried = [1.0, -1.0].map(|side| {
            let numbers = self.numbers.iter().zip(&self.values).zip(&signs);
            let try_one = |((number, value), sign): ((&TunedNumber, &f64), &f64)| {
                (value + side * sign * self.difference(number, pair)).clamp(number.least, number.most)
            };
            numbers.map(try_one).collect()
        });
        Trial { signs, tried }
    }

    /// Pair number `pair` tried this; the first player won so many games more than it lost.
    pub fn learn(&mut self, pair: u64, trial: &Trial, lead: f64) {
        let steady = STEADY * self.pairs as f64;
        let shrunk = ((steady + self.pairs as f64) / (steady + pair as f64 + 1.0)).powf(STEPS_SHRINK);
        for i in 0..self.values.len() {
            let number = self.numbers[i];
            let step = self.rate * number.step.powi(2) * shrunk / self.difference(&number, pair);
            self.values[i] = (self.values[i] + step * trial.signs[i] * lead).clamp(number.least, number.most);
        }
    }

    /// cᵢ.
    fn difference(&self, number: &TunedNumber, pair: u64) -> f64 {
        number.step * (self.pairs as f64 / (pair as f64 + 1.0)).powf(DIFFERENCES_SHRINK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::stream;

    fn free(start: f64, step: f64) -> TunedNumber {
        TunedNumber { start, step, least: f64::NEG_INFINITY, most: f64::INFINITY }
    }

    #[test]
    fn the_last_pair_tries_one_step_and_moves_by_the_rate() {
        let mut spsa = Spsa::new(vec![free(50.0, 5.0), free(-1.0, 0.5)], 100, 0.1);
        let trial = spsa.trial(99, &mut stream(1, 0));
        let [plus, minus] = &trial.tried;
        assert_eq!(((plus[0] - 50.0).abs(), (plus[1] + 1.0).abs()), (5.0, 0.5));
        assert_eq!((plus[0] + minus[0], plus[1] + minus[1]), (100.0, -2.0));
        spsa.learn(99, &trial, 2.0);
        // r · step² / step · 2 = 0.2 steps, towards what won.
        assert!((spsa.values()[0] - (50.0 + 0.2 * (plus[0] - 50.0))).abs() < 1e-12);
        assert!((spsa.values()[1] - (-1.0 + 0.2 * (plus[1] + 1.0))).abs() < 1e-12);
        spsa.learn(99, &trial, 0.0);
        assert!((spsa.values()[0] - (50.0 + 0.2 * (plus[0] - 50.0))).abs() < 1e-12, "a drawn pair says nothing");
    }

    #[test]
    fn the_first_pair_tries_more() {
        let mut spsa = Spsa::new(vec![free(0.0, 1.0)], 1_000, 0.01);
        let trial = spsa.trial(0, &mut stream(1, 0));
        let tried = trial.tried[0][0];
        assert!((tried.abs() - 1_000_f64.powf(0.101)).abs() < 1e-12);
        spsa.learn(0, &trial, 1.0);
        let expected = 0.01 * (1_100.0_f64 / 101.0).powf(0.602) / tried;
        assert!((spsa.values()[0] - expected).abs() < 1e-12);
    }

    #[test]
    fn bounds_are_kept() {
        let mut spsa = Spsa::new(vec![TunedNumber { start: 1.0, step: 3.0, least: 0.0, most: 2.0 }], 10, 5.0);
        for pair in 0..10 {
            let trial = spsa.trial(pair, &mut stream(1, pair));
            assert!(trial.tried.iter().all(|tried| (0.0..=2.0).contains(&tried[0])));
            spsa.learn(pair, &trial, 2.0);
            assert!((0.0..=2.0).contains(&spsa.values()[0]));
        }
    }

    #[test]
    fn many_numbers_find_their_places_at_once() {
        let places = [3.0, 40.0, 0.5, 100.0];
        let numbers = vec![free(5.0, 1.0), free(30.0, 5.0), free(0.6, 0.1), free(80.0, 10.0)];
        let far = |values: &[f64]| -> f64 {
            let off =
                values.iter().zip(&places).zip(&numbers).map(|((value, place), number)| (value - place) / number.step);
            off.map(|off| off * off).sum()
        };
        let mut spsa = Spsa::new(numbers.clone(), 5_000, 0.01);
        for pair in 0..5_000 {
            let mut rng = stream(2, pair);
            let trial = spsa.trial(pair, &mut rng);
            // The better one wins more often, but far from always.
            let better = (far(&trial.tried[1]) - far(&trial.tried[0])) / 20.0;
            let chance = 1.0 / (1.0 + (-better).exp());
            let wins = f64::from(below(&mut rng, 1_000_000)) / 1e6 < chance;
            spsa.learn(pair, &trial, if wins { 1.0 } else { -1.0 });
        }
        assert!(far(spsa.values()) < 1.0, "{:?}", spsa.values());
    }
}
