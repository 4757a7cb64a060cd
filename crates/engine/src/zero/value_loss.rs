//! [`value_loss`]: how well a network knows what its own games and searches come to (paper 004, §6.2, Table 2).
//!
//! ```text
//! visited states     those of games from s₀, played as in training:    mean of (v − z)², z the game's outcome
//! search states      some that these games' searches met:              the same, z the outcome of going on from there
//!                                                                      without noise and without drawn moves
//! ```

use super::actor::{Actor, ActorSettings, Played};
use super::network::{Network, Question};
use afterstate_games::rng::below;
use afterstate_games::{Deterministic, IndexedMoves, stream};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};

/// Separates the draws of search states from what happens in the games.
const OF_SAMPLES: u64 = 1 << 62;

/// Mean squared errors of values from −1 to 1.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ValueLoss {
    /// Over visited states.
    pub visited: f64,
    /// How many there were.
    pub visited_states: u64,
    /// Over search states.
    pub searched: f64,
    /// How many there were.
    pub searched_states: u64,
}

/// Plays `games` games from `first` and, for each of them, on from `of_each` of the states that its searches met. `None` if `stop`
/// was set meanwhile.
pub fn value_loss<G, N>(
    first: &G,
    settings: &ActorSettings,
    network: &mut N,
    (games, of_each, seed): (u64, u64, u64),
    stop: &AtomicBool,
) -> Option<ValueLoss>
where
    G: Deterministic + IndexedMoves,
    N: Network<G>,
{
    let best = ActorSettings { noise: 0.0, sampled_moves: 0, ..settings.clone() };
    let mut loss = ValueLoss::default();
    for number in 0..games {
        let Played { trajectories, met, .. } = play(first, settings, network, &[], (number, seed), true, stop)?;
        for trajectory in &trajectories {
            for moves in 0..trajectory.way.len() {
                loss.visited += squared_error(first, network, &trajectory.way[..moves], trajectory.outcome);
                loss.visited_states += 1;
            }
        }
        let rng = &mut stream(seed ^ OF_SAMPLES, number);
        for sample in 0..if met.is_empty() { 0 } else { of_each } {
            let way = &met[below(rng, met.len() as u32) as usize];
            let own = (games + number * of_each + sample, seed);
            let Played { trajectories, .. } = play(first, &best, network, way, own, false, stop)?;
            loss.searched += squared_error(first, network, way, trajectories[0].outcome);
            loss.searched_states += 1;
        }
    }
    loss.visited /= loss.visited_states.max(1) as f64;
    loss.searched /= loss.searched_states.max(1) as f64;
    Some(loss)
}

fn play<G: Deterministic + IndexedMoves, N: Network<G>>(
    first: &G,
    settings: &ActorSettings,
    network: &mut N,
    way: &[u16],
    (number, seed): (u64, u64),
    keeps_met: bool,
    stop: &AtomicBool,
) -> Option<Played> {
    let mut actor = Actor::new(settings, first, way, (number, stream(seed, number)), keeps_met);
    let mut question = Question::new(first.clone());
    while actor.gather(&mut question) {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        network.evaluate(&mut [&mut question]);
        actor.apply(&question);
    }
    Some(actor.into_played())
}

/// (v − z)² where `way` leads, of values from −1 to 1.
fn squared_error<G: Deterministic + IndexedMoves, N: Network<G>>(
    first: &G,
    network: &mut N,
    way: &[u16],
    outcome: f32,
) -> f64 {
    let mut game = first.clone();
    way.iter().for_each(|&index| game.play(game.move_at(usize::from(index))));
    let mut question = Question::new(game);
    network.evaluate(&mut [&mut question]);
    4.0 * f64::from(question.value.0 - outcome).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zero::Uniform;
    use afterstate_games::TicTacToe;

    #[test]
    fn who_always_says_even_is_off_by_1_where_somebody_wins() {
        let settings = ActorSettings { iterations: 8, ..ActorSettings::default() };
        let stop = AtomicBool::new(false);
        let loss = value_loss(&TicTacToe::default(), &settings, &mut Uniform, (40, 3, 1), &stop).unwrap();
        assert_eq!(loss.searched_states, 120);
        assert!((40 * 5..=40 * 9).contains(&loss.visited_states));
        // Some games are drawn, the others are won: errors are 0 and 1.
        assert!(loss.visited > 0.3 && loss.visited < 1.0 && loss.searched > 0.0 && loss.searched < 1.0, "{loss:?}");
        assert_eq!(value_loss(&TicTacToe::default(), &settings, &mut Uniform, (40, 3, 1), &stop), Some(loss));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(value_loss(&TicTacToe::default(), &settings, &mut Uniform, (40, 3, 1), &stop), None);
    }
}
