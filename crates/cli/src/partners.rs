//! Partners: a pool of players with ratings, from which a learner gets opponents of about its own strength, as on an internet
//! server (paper 001, §4: KnightCap was matched with people of its own rating, and met stronger ones as it improved).
//!
//! ```text
//! the chance to be invited ∝ exp(−½ (difference of ratings / width)²)
//! after a game with expectation e and result r:   own rating += K (r − e)      the partner's, unless it is fixed, −= K (r − e)
//! ```

use crate::agent::AgentSpec;
use crate::registry::{self, PlayerFactory};
use afterstate_arena::game_loop::GameResult;
use afterstate_arena::{Player, PlayerError};
use afterstate_engine::{Budget, Decision};
use afterstate_games::chess::Move;
use afterstate_games::rng::unit;
use afterstate_games::{Chess, Record, Side, stream};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// One of the pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PartnerSpec {
    /// Who plays, as everywhere.
    pub agent: String,
    /// Its rating before the first game, in Elo.
    pub rating: f64,
    /// Whether its rating is known and stays.
    #[serde(default)]
    pub fixed: bool,
}

/// The pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PartnerSettings {
    /// Who is in it.
    pub pool: Vec<PartnerSpec>,
    /// The learner's own rating before the first game, in Elo.
    pub rating: f64,
    /// How far apart in rating partners usually are.
    pub width: f64,
    /// K: how much a game changes a rating at most.
    pub gain: f64,
}

impl Default for PartnerSettings {
    fn default() -> Self {
        PartnerSettings { pool: Vec::new(), rating: 1500.0, width: 150.0, gain: 24.0 }
    }
}

impl PartnerSettings {
    /// Whether all that was said makes sense.
    pub fn check(&self) -> Result<()> {
        ensure!(!self.pool.is_empty(), "partners.pool is empty: expected at least one [[partners.pool]]");
        let rating = |name: &str, rating: f64| -> Result<()> {
            ensure!((-10_000.0..=10_000.0).contains(&rating), "{name} = {rating}: expected -10000 to 10000");
            Ok(())
        };
        rating("partners.rating", self.rating)?;
        for partner in &self.pool {
            rating("partners.pool.rating", partner.rating)?;
        }
        ensure!((1.0..=10_000.0).contains(&self.width), "partners.width = {}: expected 1 to 10000", self.width);
        ensure!((0.0..=1_000.0).contains(&self.gain), "partners.gain = {}: expected 0 to 1000", self.gain);
        Ok(())
    }
}

struct Partner {
    make: PlayerFactory<Chess>,
    rating: f64,
    fixed: bool,
    /// Players that wait for their next game: an engine is started once, not for every game.
    waiting: Vec<Box<dyn Player<Chess>>>,
}

/// The pool at work.
pub struct Partners {
    settings: PartnerSettings,
    partners: Vec<Partner>,
    own: f64,
}

impl Partners {
    /// A pool with the ratings that a checkpoint has saved, if there are as many.
    pub fn new(settings: &PartnerSettings, saved: &[f64]) -> Result<Partners> {
        let mut partners = Vec::new();
        for partner in &settings.pool {
            let spec = AgentSpec::parse(&partner.agent).context("partners.pool")?;
            let make = registry::players(&Chess::new(), &spec).context("partners.pool")?;
            partners.push(Partner { make, rating: partner.rating, fixed: partner.fixed, waiting: Vec::new() });
        }
        let mut own = settings.rating;
        if let [theirs @ .., mine] = saved
            && theirs.len() == partners.len()
        {
            own = *mine;
            partners.iter_mut().zip(theirs).for_each(|(partner, &rating)| partner.rating = rating);
        }
        Ok(Partners { settings: settings.clone(), partners, own })
    }

    /// Somebody to play against.
    pub fn invite(&mut self, seed: u64) -> (usize, Box<dyn Player<Chess>>) {
        let distance = |partner: &Partner| 0.5 * ((partner.rating - self.own) / self.settings.width).powi(2);
        // Counted from the nearest, so that it is still likely when all of them are far away.
        let nearest = self.partners.iter().map(distance).fold(f64::INFINITY, f64::min);
        let likelihoods: Vec<f64> = self.partners.iter().map(|partner| (nearest - distance(partner)).exp()).collect();
        let mut rest = f64::from(unit(&mut stream(seed, 7))) * likelihoods.iter().sum::<f64>();
        let index = likelihoods.iter().position(|likelihood| {
            rest -= likelihood;
            rest < 0.0
        });
        let index = index.unwrap_or(likelihoods.len() - 1);
        let partner = &mut self.partners[index];
        let player = partner.waiting.pop().unwrap_or_else(|| match (partner.make)() {
            Ok(player) => player,
            // It loses its game, and the reason is in the result.
            Err(error) => Box::new(Absent(error)),
        });
        (index, player)
    }

    /// A game with partner number `index` is over, in which the learner was `side`.
    pub fn played(&mut self, index: usize, player: Box<dyn Player<Chess>>, side: Side, result: &GameResult) {
        let partner = &mut self.partners[index];
        partner.waiting.push(player);
        // A program that failed has shown nothing of its play.
        if result.ending.kind.is_fault() {
            return;
        }
        let score = match result.outcome.winner {
            None => 0.5,
            Some(winner) if winner == side => 1.0,
            Some(_) => 0.0,
        };
        let expected = 1.0 / (1.0 + 10f64.powf((partner.rating - self.own) / 400.0));
        let change = self.settings.gain * (score - expected);
        self.own += change;
        if !partner.fixed {
            partner.rating -= change;
        }
    }

    /// All ratings as they are now, the learner's last.
    pub fn ratings(&self) -> Vec<f64> {
        self.partners.iter().map(|partner| partner.rating).chain([self.own]).collect()
    }
}

/// A partner that could not be made.
struct Absent(PlayerError);

impl Player<Chess> for Absent {
    fn new_game(&mut self, _record: &Record<Chess>, _seed: u64) -> Result<(), PlayerError> {
        Err(self.0.clone())
    }

    fn choose(&mut self, _record: &Record<Chess>, _budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        Err(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(ratings: &[f64]) -> Partners {
        let partner = |&rating: &f64| PartnerSpec { agent: "random".into(), rating, fixed: false };
        let pool = ratings.iter().map(partner).collect();
        Partners::new(&PartnerSettings { pool, ..PartnerSettings::default() }, &[]).unwrap()
    }

    fn invited(partners: &mut Partners) -> Vec<usize> {
        let mut counts = vec![0; partners.partners.len()];
        (0..1000).for_each(|seed| counts[partners.invite(seed).0] += 1);
        counts
    }

    #[test]
    fn who_is_near_in_rating_is_invited_most() {
        // A width away, and two: e^(-1/2) and e^(-2) as often.
        let counts = invited(&mut pool(&[1500.0, 1650.0, 1200.0]));
        for (count, share) in counts.iter().zip([1.0, 0.607, 0.135]) {
            let expected = 1000.0 * share / 1.742;
            assert!((*count as f64 - expected).abs() < 50.0, "{counts:?}");
        }
        assert_eq!(invited(&mut pool(&[-9000.0, 9500.0])), [0, 1000], "the nearest, however far");
    }

    #[test]
    fn ratings_are_gone_on_with_if_they_belong_to_the_pool() {
        let settings = pool(&[1500.0, 1650.0]).settings;
        assert_eq!(Partners::new(&settings, &[1.0, 2.0, 3.0]).unwrap().ratings(), [1.0, 2.0, 3.0]);
        assert_eq!(Partners::new(&settings, &[1.0, 2.0]).unwrap().ratings(), [1500.0, 1650.0, 1500.0]);
    }
}
