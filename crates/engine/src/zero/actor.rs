//! [`Actor`]: one trajectory of self-play by PUCT (paper 004, §2), in halves of simulations, so that many actors can ask a
//! network together.
//!
//! ```text
//! s ← a start position;  then until the game ends:
//!     search s, with P = (1−ε) p + ε d at the root, d ~ Dir(α)
//!     π ∝ N^(1/τ);  a ~ π for the first k moves of the trajectory, then the most visited
//! every (s, π) with the game's outcome z is an example
//! ```

use super::katago::KataGoSettings;
use super::network::Question;
use crate::Value;
use crate::search::{Puct, PuctSettings, Situation};
use afterstate_games::rng::{below, unit};
use afterstate_games::{Deterministic, Game, IndexedMoves, Record, Rng, Turn};
use rand_distr::{Distribution, Gamma};
use serde::{Deserialize, Serialize};

/// Settings of self-play; the defaults are the paper's AlphaZero for Connect Four.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ActorSettings {
    /// Simulations for a move, the one that asks about the root included.
    pub iterations: u32,
    /// The search.
    pub puct: PuctSettings,
    /// ε, the share of noise at the root.
    pub noise: f32,
    /// α, how evenly the noise is spread: the less, the more of it falls on few moves.
    pub noise_concentration: f32,
    /// τ of π and of the moves drawn from it.
    pub temperature: f32,
    /// k: so many moves of a trajectory are drawn, later ones are the most visited.
    pub sampled_moves: u32,
    /// Probability that a game may end early, once the search thinks it is worth more than 0.95 or less than −0.95; that
    /// value is then the outcome. The paper's program had 0.8; the paper does not say so.
    pub early_end: f32,
    /// KataGo's ways to see more positions.
    pub katago: KataGoSettings,
}

impl Default for ActorSettings {
    fn default() -> Self {
        ActorSettings {
            iterations: 100,
            puct: PuctSettings::default(),
            noise: 0.25,
            noise_concentration: 1.0,
            temperature: 1.0,
            sampled_moves: 10,
            early_end: 0.0,
            katago: KataGoSettings::default(),
        }
    }
}

/// Beyond this value of the root, from −1 to 1, a game may end early.
const DECIDED: f32 = 0.95;

/// What a trajectory was like: all that learning needs of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Trajectory {
    /// Its number in the run, which all its random choices come from.
    pub number: u64,
    /// All moves from the game's first position, by their index.
    pub way: Vec<u16>,
    /// How many of them led to the start.
    pub opening: u16,
    /// π for the positions before the moves behind the opening: indices and probabilities of all legal moves. Empty where
    /// there is nothing to be learnt.
    pub policies: Vec<Vec<(u16, f32)>>,
    /// z as the first player's score, from 0 to 1.
    pub outcome: f32,
}

impl Trajectory {
    /// How many examples it has.
    pub fn examples(&self) -> usize {
        self.policies.iter().filter(|policy| !policy.is_empty()).count()
    }
}

/// Plays one trajectory.
#[derive(Clone, Debug)]
pub struct Actor<G: Game> {
    settings: ActorSettings,
    record: Record<G>,
    search: Puct<G>,
    rng: Rng,
    trajectory: Trajectory,
    /// Moves of the raw policy that are still to be played before the trajectory begins.
    initial: u32,
    /// Simulations for the present move, and whether it is one to learn from.
    iterations: u32,
    learns: bool,
    /// Whether the game may end when it is decided.
    may_end_early: bool,
    outcome: Option<Value>,
    /// Positions met in searches, if somebody wants to know.
    met: Option<Vec<Vec<u16>>>,
    /// A buffer.
    moves: Vec<G::Move>,
    /// Whether the present search is past its root: the network has answered, and no initial move was drawn.
    began: bool,
}

impl<G: Deterministic + IndexedMoves> Actor<G> {
    /// An actor that starts where `way` leads from `first`, which must not be the end of the game.
    ///
    /// `number` is the trajectory's own; `rng` its stream. With `keeps_met` it remembers the positions of its searches.
    pub fn new(
        settings: &ActorSettings,
        first: &G,
        way: &[u16],
        (number, mut rng): (u64, Rng),
        keeps_met: bool,
    ) -> Self {
        let mut record = Record::new(first.clone());
        for &index in way {
            let mv = record.position().move_at(usize::from(index));
            record.play(mv);
        }
        let initial = settings.katago.initial_moves(first.index_count(), &mut rng);
        let may_end_early = settings.early_end > 0.0 && unit(&mut rng) < settings.early_end;
        let trajectory = Trajectory { number, way: way.to_vec(), opening: way.len() as u16, ..Trajectory::default() };
        let mut actor = Actor {
            search: Puct::new(settings.puct),
            settings: settings.clone(),
            record,
            rng,
            trajectory,
            initial,
            iterations: 0,
            learns: true,
            may_end_early,
            outcome: None,
            met: keeps_met.then(Vec::new),
            moves: Vec::new(),
            began: false,
        };
        actor.begin_move();
        actor
    }

    /// Goes on until there is a question that must be answered for [`Actor::apply`]; `false` when the game has ended.
    pub fn gather(&mut self, question: &mut Question<G>) -> bool {
        while self.outcome.is_none() {
            if self.began && self.search.visits() >= self.iterations {
                self.play_searched();
            } else if self.search.gather(question) {
                return true;
            }
        }
        false
    }

    /// Takes the answer to the last question.
    pub fn apply(&mut self, question: &Question<G>) {
        self.search.apply(question);
        if self.began {
            if let Some(met) = &mut self.met {
                let mut way = self.trajectory.way.clone();
                let mut game = self.record.position().clone();
                for mv in self.search.way() {
                    way.push(game.move_index(mv) as u16);
                    game.play(mv);
                }
                met.push(way);
            }
            return;
        }
        // The root has its policy now.
        if self.initial > 0 {
            self.initial -= 1;
            let index = draw(self.search.moves().map(|mv| mv.prior), &mut self.rng);
            let mv = self.search.moves().nth(index).expect("it was drawn from them").mv;
            self.trajectory.opening += 1;
            self.play(mv);
            return;
        }
        self.began = true;
        if self.learns && self.settings.noise > 0.0 {
            let noise = dirichlet(self.settings.noise_concentration, question.moves.len(), &mut self.rng);
            self.search.add_noise(self.settings.noise, noise);
        }
    }

    /// The trajectory, when its game has ended, and the positions met in its searches.
    pub fn into_trajectory(self) -> (Trajectory, Vec<Vec<u16>>) {
        let outcome = self.outcome.expect("the game has ended").0;
        (Trajectory { outcome, ..self.trajectory }, self.met.unwrap_or_default())
    }

    fn begin_move(&mut self) {
        match self.record.turn() {
            Turn::Over(outcome) => self.outcome = Some(outcome.into()),
            _ => {
                self.record.legal_moves(&mut self.moves);
                self.search.begin(&Situation::of(&self.record, &self.moves));
                (self.iterations, self.learns) =
                    self.settings.katago.iterations(self.settings.iterations, &mut self.rng);
                self.began = false;
            }
        }
    }

    /// Chooses a move by the search, and plays it.
    fn play_searched(&mut self) {
        let value = self.search.value();
        if self.may_end_early && (2.0 * value.0 - 1.0).abs() > DECIDED {
            self.outcome = Some(value);
            return;
        }
        let visits = self.search.learnable_visits();
        let most = visits.iter().copied().max().unwrap_or(0).max(1) as f32;
        let power = 1.0 / self.settings.temperature;
        let mut policy: Vec<f32> = visits.iter().map(|&visits| (visits as f32 / most).powf(power)).collect();
        let sum: f32 = policy.iter().sum();
        // A search of a single simulation has visited no move.
        if sum > 0.0 {
            policy.iter_mut().for_each(|probability| *probability /= sum);
        } else {
            policy.fill(1.0 / visits.len() as f32);
        }
        let played = self.trajectory.way.len() - usize::from(self.trajectory.opening);
        let mv = if (played as u32) < self.settings.sampled_moves {
            let index = draw(policy.iter().copied(), &mut self.rng);
            self.search.moves().nth(index).expect("it was drawn from them").mv
        } else {
            self.search.best().expect("a player is to move").mv
        };
        let game = self.record.position();
        let mut learnt = Vec::new();
        if self.learns {
            let indices = self.search.moves().map(|mv| game.move_index(mv.mv) as u16);
            learnt.extend(indices.zip(policy.iter().copied()));
        }
        self.trajectory.policies.push(learnt);
        self.play(mv);
    }

    fn play(&mut self, mv: G::Move) {
        self.trajectory.way.push(self.record.position().move_index(mv) as u16);
        self.record.play(mv);
        self.begin_move();
    }
}

/// The index of a draw in proportion to `weights`.
fn draw(weights: impl Iterator<Item = f32> + Clone, rng: &mut Rng) -> usize {
    let sum: f32 = weights.clone().sum();
    let mut left = unit(rng) * sum;
    let mut last = 0;
    for (i, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
        last = i;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// d ~ Dir(α, …, α): numbers that are 1 together.
fn dirichlet(concentration: f32, count: usize, rng: &mut Rng) -> Vec<f32> {
    let gamma = Gamma::new(f64::from(concentration), 1.0).expect("a positive concentration");
    let mut numbers: Vec<f64> = (0..count).map(|_| gamma.sample(rng)).collect();
    let sum: f64 = numbers.iter().sum();
    if sum <= 0.0 {
        // All of them were too small for a number: one has it all.
        numbers[below(rng, count as u32) as usize] = 1.0;
        return numbers.into_iter().map(|number| number as f32).collect();
    }
    numbers.into_iter().map(|number| (number / sum) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zero::{Network, PlayoutCap, Uniform};
    use afterstate_games::{ConnectFour, stream};

    fn played(settings: &ActorSettings, way: &[u16], seed: u64, keeps_met: bool) -> (Trajectory, Vec<Vec<u16>>) {
        let first = ConnectFour::new();
        let mut actor = Actor::new(settings, &first, way, (seed, stream(seed, 0)), keeps_met);
        let mut question = Question::new(first);
        while actor.gather(&mut question) {
            Uniform.evaluate(&mut [&mut question]);
            actor.apply(&question);
        }
        actor.into_trajectory()
    }

    fn fast() -> ActorSettings {
        ActorSettings { iterations: 30, ..ActorSettings::default() }
    }

    #[test]
    fn a_trajectory_is_a_game_with_a_policy_for_each_of_its_moves() {
        for seed in 0..20 {
            let (trajectory, met) = played(&fast(), &[3, 3], seed, false);
            assert_eq!((trajectory.opening, &trajectory.way[..2], met.len()), (2, &[3u16, 3][..], 0));
            assert_eq!(trajectory.policies.len(), trajectory.way.len() - 2);
            assert_eq!(trajectory.examples(), trajectory.policies.len());
            let mut game = ConnectFour::new();
            for (i, &index) in trajectory.way.iter().enumerate() {
                if let Some(policy) = i.checked_sub(2).map(|i| &trajectory.policies[i]) {
                    let mut moves = Vec::new();
                    game.legal_moves(&mut moves);
                    let legal: Vec<u16> = moves.iter().map(|mv| mv.index() as u16).collect();
                    assert_eq!(policy.iter().map(|(index, _)| *index).collect::<Vec<_>>(), legal);
                    assert!((policy.iter().map(|(_, probability)| probability).sum::<f32>() - 1.0).abs() < 1e-5);
                    // Behind the drawn moves, one of the most probable ones.
                    if i >= 2 + 10 {
                        let most = policy.iter().map(|(_, probability)| *probability).fold(0.0, f32::max);
                        let played = policy.iter().find(|(mv, _)| *mv == index).unwrap();
                        assert_eq!(played.1, most);
                    }
                }
                game.play(game.move_at(usize::from(index)));
            }
            let Turn::Over(outcome) = game.turn() else { panic!("the game has ended") };
            assert_eq!(trajectory.outcome, outcome.first_player_score());
            assert_eq!(played(&fast(), &[3, 3], seed, false).0, trajectory, "the same stream plays the same game");
        }
    }

    #[test]
    fn archive_actors_tell_what_their_searches_met() {
        let (trajectory, met) = played(&fast(), &[], 1, true);
        // Every search meets at most one new position with each of its simulations but the first.
        assert!(!met.is_empty() && met.len() <= trajectory.policies.len() * 29);
        for way in met {
            let mut game = ConnectFour::new();
            for index in way {
                assert!(matches!(game.turn(), Turn::Player(_)));
                game.play(game.move_at(usize::from(index)));
            }
            assert!(matches!(game.turn(), Turn::Player(_)), "what has ended is no position to start from");
        }
    }

    #[test]
    fn fast_searches_teach_nothing() {
        let katago =
            KataGoSettings { playout_cap: Some(PlayoutCap { full_share: 0.25, fast: 5 }), ..KataGoSettings::default() };
        let settings = ActorSettings { katago, ..fast() };
        let all: Vec<Trajectory> = (0..60).map(|seed| played(&settings, &[], seed, false).0).collect();
        let (moves, examples) = all.iter().fold((0, 0), |(moves, examples), trajectory| {
            (moves + trajectory.way.len(), examples + trajectory.examples())
        });
        let share = examples as f64 / moves as f64;
        assert!((0.2..0.3).contains(&share), "{share}");
    }

    #[test]
    fn initial_moves_of_the_policy_belong_to_the_opening() {
        let katago = KataGoSettings { initialisation: 0.5, ..KataGoSettings::default() };
        let settings = ActorSettings { katago, ..fast() };
        let openings: Vec<u16> = (0..40).map(|seed| played(&settings, &[], seed, false).0.opening).collect();
        // An exponential of mean 3.5, rounded down, of which a few games ended before.
        let mean = openings.iter().map(|opening| f64::from(*opening)).sum::<f64>() / 40.0;
        assert!((1.5..4.5).contains(&mean), "{mean}");
    }

    #[test]
    fn games_may_end_when_they_are_decided() {
        let settings = ActorSettings { early_end: 1.0, ..fast() };
        let shorter = (0..30).filter(|&seed| {
            let (early, whole) = (played(&settings, &[], seed, false).0, played(&fast(), &[], seed, false).0);
            early.way.len() < whole.way.len()
        });
        assert!(shorter.count() > 0);
    }

    #[test]
    fn noise_is_1_together_and_the_more_uneven_the_less_its_concentration() {
        let mut rng = stream(5, 0);
        let mut greatest = |concentration| {
            let mut sum = 0.0;
            for _ in 0..500 {
                let noise = dirichlet(concentration, 7, &mut rng);
                assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-4 && noise.iter().all(|number| *number >= 0.0));
                sum += noise.iter().copied().fold(0.0, f32::max) / 500.0;
            }
            sum
        };
        // The greatest of seven: 0.37 on average when all vectors are equally likely (α = 1), nearly 1 for α = 0.03.
        let [even, uneven] = [greatest(1.0), greatest(0.03)];
        assert!((even - 0.37).abs() < 0.03 && uneven > 0.85, "{even} {uneven}");
    }
}
