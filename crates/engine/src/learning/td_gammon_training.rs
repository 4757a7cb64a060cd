//! [`TdGammonTraining`]: many games of a network with itself, by one thread or several that share what they learn.

use super::network_td::NetworkTdSettings;
use super::search_gammon::{GammonLearner, SearchGammon};
use super::td_gammon::{SelfTaught, TdGammon};
use super::training::{TrainingTotals, Worker, in_threads};
use crate::search::ExpectimaxSettings;
use crate::value::Weights;
use crate::value::backgammon_network::BackgammonNetwork;
use crate::value::perceptron::{Layers, Perceptron};
use afterstate_games::stream;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// What is learnt, and how.
///
/// ```
/// use afterstate_engine::learning::{GammonLearner, NetworkTdSettings, TdGammonTraining};
/// use afterstate_engine::search::ExpectimaxSettings;
/// use afterstate_engine::value::Weights;
/// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
/// use afterstate_games::stream;
/// use std::sync::atomic::AtomicBool;
/// let first = BackgammonNetwork::random(5, &mut stream(1, 0)).perceptron().clone();
/// let weights = Weights::from_values(first.weights());
/// let td = NetworkTdSettings::default();
/// let (learner, search) = (GammonLearner::TdDirected, ExpectimaxSettings { plies: 1, ..ExpectimaxSettings::default() });
/// let layers = first.layers();
/// let training = TdGammonTraining { layers, weights, learner, td, search, annealing: 0, seed: 1, threads: 1 };
/// let totals = training.run(0..3, &AtomicBool::new(false), &|_| {});
/// assert_eq!(totals.games, 3);
/// assert_ne!(training.weights.values(), first.weights());
/// ```
pub struct TdGammonTraining {
    /// How large the network is.
    pub layers: Layers,
    /// Its weights, shared by all threads.
    pub weights: Weights,
    /// Which positions learn, and from what.
    pub learner: GammonLearner,
    /// The step size and λ.
    pub td: NetworkTdSettings,
    /// How far the players look ahead.
    pub search: ExpectimaxSettings,
    /// If it is not 0, the steps of game n are shorter by the factor 1 / (1 + n / `annealing`).
    pub annealing: u64,
    /// Game number i draws from stream i of this seed, whichever thread plays it.
    pub seed: u64,
    /// Threads. With one, the result is reproducible to the bit; of several each learns on a copy of the weights and tells
    /// the others every few games.
    pub threads: usize,
}

/// One network that plays itself.
struct Player<'a> {
    training: &'a TdGammonTraining,
    learner: Box<dyn SelfTaught>,
    /// The shared weights as they were when the learner's own were equal to them.
    before: Vec<f32>,
    turn: &'a Mutex<()>,
}

impl Worker for Player<'_> {
    fn play(&mut self, number: u64) -> TrainingTotals {
        let TdGammonTraining { td, annealing, seed, .. } = self.training;
        let part = if *annealing == 0 { 1.0 } else { 1.0 / (1.0 + number as f64 / *annealing as f64) };
        self.learner.set_step_size((f64::from(td.step_size) * part) as f32);
        let before = self.learner.evaluations();
        let (outcome, plays) = self.learner.play(&mut stream(*seed, number));
        TrainingTotals {
            games: 1,
            moves: plays as u64,
            evaluations: self.learner.evaluations() - before,
            squared_error: 0.0,
            first_player_score: f64::from(outcome.first_player_score()),
        }
    }

    fn exchange(&mut self) {
        let _turn = self.turn.lock().expect("no thread panics while it exchanges");
        let own = self.learner.network().perceptron_mut().weights_mut();
        for (index, (own, before)) in own.iter_mut().zip(&mut self.before).enumerate() {
            let weight = self.training.weights.get(index) + (*own - *before);
            self.training.weights.set(index, weight);
            (*own, *before) = (weight, weight);
        }
    }

    fn publish(&mut self) {
        for (index, &weight) in self.learner.network().perceptron().weights().iter().enumerate() {
            self.training.weights.set(index, weight);
        }
    }
}

impl TdGammonTraining {
    /// Plays the games with numbers in `games`, or fewer if `stop` is set meanwhile (games in progress are finished): always
    /// the first of the range. `progress` is told of the totals so far, about every hundred games, or after each in which players look ahead.
    pub fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> TrainingTotals {
        let turn = Mutex::new(());
        let make = || {
            let before = self.weights.values();
            let network = Perceptron::from_weights(self.layers, before.clone());
            let network = BackgammonNetwork::new(network.expect("the weights are those of the network"));
            let learner: Box<dyn SelfTaught> = match self.learner {
                GammonLearner::TdDirected if self.search.plies == 1 => Box::new(TdGammon::new(network, self.td)),
                learner => Box::new(SearchGammon::new(network, learner, self.td, self.search)),
            };
            Player { training: self, learner, before, turn: &turn }
        };
        // Games of searches take long enough to be told of one by one.
        let told = if self.learner == GammonLearner::TdDirected && self.search.plies == 1 { 100 } else { 1 };
        in_threads(self.threads, make, games, told, stop, progress)
    }
}
