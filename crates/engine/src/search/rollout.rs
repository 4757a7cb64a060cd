//! [`roll_out`]: what a position of a game with dice is worth, by playing it to its end many times (G. Tesauro, G. Galperin, *On-line
//! policy improvement using Monte-Carlo search*, NIPS 9, 1996), with luck taken out.
//!
//! ```text
//! trial = the points won − Σ over the throws r of  L(r)
//! L(r)  = V(s∘r) − Σᵣ p(r) V(s∘r)             V(s∘r): what the best play of the roll is worth one ply ahead
//! ```
//!
//! On average a throw is as lucky as any other, so that what is taken off changes no expectation; but most of what makes one game
//! end otherwise than another is in it. The first throws of all trials together are as many of each roll as its probability says.

use super::expectimax::{Equity, Expectimax};
use afterstate_games::rng::unit;
use afterstate_games::{Game, Side, Turn, stream};
use serde::{Deserialize, Serialize};

/// A game that goes on for so many plays is valued there, whatever the settings say: with both sides shut out for good it would never
/// end, and games that do end have some fifty plays.
const MOST_PLAYS: u32 = 2_000;

/// Settings of rollouts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct RolloutSettings {
    /// Games.
    pub trials: u32,
    /// After so many plays a game is not played on but valued; 0: it is played to its end.
    pub truncate: u32,
    /// How many plies the players look ahead; at most as many as the search was made for.
    pub plies: u32,
    /// Whether luck is taken out.
    pub luck: bool,
    /// Trial number i draws from stream i of this seed.
    pub seed: u64,
    /// Threads; their number changes nothing but the time.
    pub threads: usize,
}

impl Default for RolloutSettings {
    /// As many trials as GNU Backgammon plays, and its choice of plies.
    fn default() -> Self {
        RolloutSettings { trials: 1296, truncate: 0, plies: 1, luck: true, seed: 1, threads: 1 }
    }
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RolloutResult {
    /// In points, for the side that was asked about.
    pub equity: f64,
    /// Standard deviation of that.
    pub standard_error: f64,
    /// Games.
    pub trials: u32,
}

/// Plays `position`, in which chance or `side` acts next, many times; `side` is whose points are counted. `finished` is called after
/// every trial.
///
/// ```
/// use afterstate_engine::search::rollout::{RolloutSettings, roll_out};
/// use afterstate_engine::search::{Expectimax, ExpectimaxSettings};
/// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
/// use afterstate_games::backgammon::{Backgammon, Board};
/// use afterstate_games::{Side, stream};
/// // One man each on its last point: whoever rolls has won.
/// let mut men = [[0; 25]; 2];
/// (men[0][0], men[1][0]) = (1, 1);
/// let position = Backgammon::at(Board::from_men(men).unwrap(), Side::First, None);
/// let search = Expectimax::new(BackgammonNetwork::random(4, &mut stream(1, 0)), ExpectimaxSettings::default());
/// let settings = RolloutSettings { trials: 36, ..RolloutSettings::default() };
/// let found = roll_out(&search, &position, Side::First, &settings, &|| ());
/// assert!((found.equity - 1.0).abs() < 1e-5 && found.standard_error < 1e-5);
/// ```
///
/// # Panics
///
/// If there are fewer than two trials, or if players should look further ahead than `search` was made for.
pub fn roll_out<G: Game, E: Equity<G> + Clone>(
    search: &Expectimax<G, E>,
    position: &G,
    side: Side,
    settings: &RolloutSettings,
    finished: &(dyn Fn() + Sync),
) -> RolloutResult {
    assert!(settings.trials > 1, "two trials at least have to be played");
    let mut found = vec![0.0; settings.trials as usize];
    let part = found.len().div_ceil(settings.threads.max(1));
    std::thread::scope(|scope| {
        for (number, part_found) in found.chunks_mut(part).enumerate() {
            let mut player = Trials { search: search.clone(), rolls: Vec::new(), settings };
            scope.spawn(move || {
                for (index, found) in part_found.iter_mut().enumerate() {
                    *found = f64::from(player.play(position, side, (number * part + index) as u32));
                    finished();
                }
            });
        }
    });
    let count = found.len() as f64;
    let mean = found.iter().sum::<f64>() / count;
    let variance = found.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    RolloutResult { equity: mean, standard_error: (variance / count).sqrt(), trials: settings.trials }
}

/// Who plays trials.
struct Trials<'a, G: Game, E> {
    search: Expectimax<G, E>,
    rolls: Vec<(G::Move, f32)>,
    settings: &'a RolloutSettings,
}

impl<G: Game, E: Equity<G>> Trials<'_, G, E> {
    fn play(&mut self, position: &G, side: Side, number: u32) -> f32 {
        self.search.forget();
        let (mut game, mut rng) = (position.clone(), stream(self.settings.seed, u64::from(number)));
        // Where in its share of all throws the first one lies.
        let mut first = Some((number as f32 + unit(&mut rng)) / self.settings.trials as f32);
        let most_plays = if self.settings.truncate == 0 { MOST_PLAYS } else { self.settings.truncate.min(MOST_PLAYS) };
        let (mut luck, mut plays) = (0.0, 0);
        loop {
            match game.turn() {
                Turn::Over(outcome) => return outcome.points(side) - luck,
                Turn::Chance if plays >= most_plays => return self.value(&game, side) - luck,
                Turn::Chance => {
                    game.chance_outcomes(&mut self.rolls);
                    let at = first.take().unwrap_or_else(|| unit(&mut rng));
                    let drawn = drawn(&self.rolls, at);
                    if self.settings.luck {
                        luck += self.luck(&game, drawn, side);
                    }
                    game.play(self.rolls[drawn].0);
                }
                Turn::Player(_) => {
                    game.play(self.search.rank_by(&game, self.settings.plies)[0].mv);
                    plays += 1;
                }
            }
        }
    }

    /// How much better the roll with this number is than rolls are on average, for `side`.
    fn luck(&mut self, game: &G, drawn: usize, side: Side) -> f32 {
        let (mut mean, mut value) = (0.0, 0.0);
        for index in 0..self.rolls.len() {
            let (roll, probability) = self.rolls[index];
            let mut rolled = game.clone();
            rolled.play(roll);
            let points = self.search.best_equity(&rolled);
            let points = if rolled.turn() == Turn::Player(side) { points } else { -points };
            mean += probability * points;
            if index == drawn {
                value = points;
            }
        }
        value - mean
    }

    /// What a position before a throw is worth to `side`.
    fn value(&mut self, game: &G, side: Side) -> f32 {
        game.chance_outcomes(&mut self.rolls);
        let mut rolled = game.clone();
        rolled.play(self.rolls[0].0);
        let equity = self.search.evaluation().equity(game);
        if rolled.turn() == Turn::Player(side) { equity } else { -equity }
    }
}

/// The number of the outcome at this part of all, 0 to 1.
fn drawn<M>(rolls: &[(M, f32)], at: f32) -> usize {
    let mut left = at;
    let found = rolls.iter().position(|&(_, probability)| {
        left -= probability;
        left < 0.0
    });
    found.unwrap_or(rolls.len() - 1)
}
