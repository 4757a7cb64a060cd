//! Partners: a pool of players with ratings, from which a learner gets opponents of about its own strength, as on an internet
//! server (paper 001, §4: KnightCap was matched with people of its own rating, and met stronger ones as it improved).
//!
//! ```text
//! the chance to be invited ∝ exp(−½ (difference of ratings / width)²)
//! after a game with expectation e and result r:   own rating += K (r − e)      the partner's, unless it is fixed, −= K (r − e)
//! ```

use crate::agent::AgentSpec;
use crate::registry::{self, PlayerFactory};
use afterstate_arena::game_loop::{Ending, GameResult};
use afterstate_arena::{Player, PlayerError};
use afterstate_engine::{Budget, Decision};
use afterstate_games::chess::Move;
use afterstate_games::rng::unit;
use afterstate_games::{Chess, Record, Side, stream};
use anyhow::{Context, Result, anyhow, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of the pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PartnerSettings {
    /// Who is in it. Each is a table `[[partners.pool]]` of its own, with `agent`, who plays, as everywhere (`agent = "uci:fairymax"`), `rating`, in
    /// Elo before the first game, and `fixed = true` if that is known and stays.
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

/// Who fails in so many games one after the other will fail in the next, too.
const MOST_FAULTS: u32 = 3;

struct Partner {
    /// As the recipe names it.
    name: String,
    make: PlayerFactory<Chess>,
    rating: f64,
    fixed: bool,
    /// Players that wait for their next game: an engine is started once, not for every game.
    waiting: Vec<Box<dyn Player<Chess>>>,
    games: u64,
    /// How many of them it lost as a program, and how many of these were the last ones.
    faults: u64,
    faults_in_a_row: u32,
    /// What was wrong the first time.
    first_fault: String,
}

/// The pool at work.
pub struct Partners {
    settings: PartnerSettings,
    partners: Vec<Partner>,
    own: f64,
}

impl Partners {
    /// A pool with the ratings that a checkpoint has saved, if there are as many.
    ///
    /// # Errors
    ///
    /// If one of them cannot be started: a run should end of this before its first game, not after its last.
    pub fn new(settings: &PartnerSettings, saved: &[f64]) -> Result<Partners> {
        let mut partners = Vec::new();
        for partner in &settings.pool {
            let spec = AgentSpec::parse(&partner.agent).context("partners.pool")?;
            let make = registry::players(&Chess::new(), &spec).context("partners.pool")?;
            let refused = |error| anyhow!("partners.pool: agent '{}' {error}", partner.agent);
            let mut player = make().map_err(refused)?;
            player.new_game(&Record::new(Chess::new()), 0).map_err(refused)?;
            partners.push(Partner {
                name: partner.agent.clone(),
                make,
                rating: partner.rating,
                fixed: partner.fixed,
                waiting: vec![player],
                games: 0,
                faults: 0,
                faults_in_a_row: 0,
                first_fault: String::new(),
            });
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
        partner.games += 1;
        // A program that failed has shown nothing of its play.
        if result.ending.kind.is_fault() {
            if result.outcome.winner == Some(side) {
                partner.failed(&result.ending);
            }
            return;
        }
        partner.faults_in_a_row = 0;
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

    /// Why training cannot go on, if a partner fails again and again.
    pub fn hindrance(&self) -> Option<String> {
        let partner = self.partners.iter().find(|partner| partner.faults_in_a_row >= MOST_FAULTS)?;
        Some(format!("{}, {MOST_FAULTS} times in a row", partner.faults_so_far()))
    }

    /// A line for each partner that failed.
    pub fn mishaps(&self) -> Vec<String> {
        self.partners.iter().filter(|partner| partner.faults > 0).map(Partner::faults_so_far).collect()
    }

    /// All ratings as they are now, the learner's last.
    pub fn ratings(&self) -> Vec<f64> {
        self.partners.iter().map(|partner| partner.rating).chain([self.own]).collect()
    }
}

impl Partner {
    fn failed(&mut self, ending: &Ending) {
        self.faults += 1;
        self.faults_in_a_row += 1;
        if self.faults == 1 {
            let kind = serde_json::to_value(ending.kind).ok();
            let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or_default();
            self.first_fault = format!("{kind}: {}", ending.detail);
            // Said at once, because it may be hours to the end.
            crate::output::tell!("note: partner '{}' failed in a game ({})", self.name, self.first_fault);
        }
    }

    fn faults_so_far(&self) -> String {
        let Partner { name, games, faults, first_fault, .. } = self;
        format!("partner '{name}' failed in {faults} of {games} games (first {first_fault})")
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
    use afterstate_arena::RandomPlayer;
    use afterstate_arena::game_loop::EndKind;
    use afterstate_games::Outcome;

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
    fn a_partner_that_fails_three_times_in_a_row_ends_the_run() {
        let mut partners = pool(&[1500.0, 1500.0]);
        let mut play = |index: usize, kind: EndKind| {
            let player = Box::new(RandomPlayer::default());
            let ending = Ending { kind, detail: "at 'isready'".into() };
            let (outcome, seconds) = (Outcome::win(Side::First), [0.0; 2]);
            let (moves, notes) = Default::default();
            let result = GameResult { outcome, ending, moves, opening: 0, notes, seconds, verdict: None };
            partners.played(index, player, Side::First, &result);
            (partners.hindrance().is_some(), partners.mishaps().len())
        };
        assert_eq!(play(0, EndKind::Crash), (false, 1));
        assert_eq!(play(0, EndKind::Hang), (false, 1));
        assert_eq!(play(0, EndKind::Rules), (false, 1), "it can play");
        assert_eq!(play(1, EndKind::Crash), (false, 2), "each partner is counted for itself");
        assert_eq!(play(0, EndKind::Time), (false, 2));
        assert_eq!(play(0, EndKind::IllegalMove), (false, 2));
        assert_eq!(play(0, EndKind::Crash), (true, 2));
        let why = partners.hindrance().unwrap();
        assert_eq!(why, "partner 'random' failed in 5 of 6 games (first crash: at 'isready'), 3 times in a row");
    }

    #[test]
    fn ratings_are_gone_on_with_if_they_belong_to_the_pool() {
        let settings = pool(&[1500.0, 1650.0]).settings;
        assert_eq!(Partners::new(&settings, &[1.0, 2.0, 3.0]).unwrap().ratings(), [1.0, 2.0, 3.0]);
        assert_eq!(Partners::new(&settings, &[1.0, 2.0]).unwrap().ratings(), [1500.0, 1650.0, 1500.0]);
    }
}
