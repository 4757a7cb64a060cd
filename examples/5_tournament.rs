//! Learns 5×5 Go, lets earlier and later selves of the learner play a tournament, and rates them.
//!
//! ```text
//! cargo run --release --example 5_tournament
//! ```

use afterstate_arena::crosstable::rating_results;
use afterstate_arena::pairing::Format;
use afterstate_arena::rating::{RatingError, RatingSettings, rate};
use afterstate_arena::tournament::{RunOptions, TournamentError, TournamentSettings, run};
use afterstate_arena::{AreaReferee, Player, RandomPlayer, ValuePlayer};
use afterstate_engine::learning::{SelfPlaySettings, TdSettings, Training};
use afterstate_engine::value::{Features, Linear, LocalShapes, Sharing, TrackedGo, Weights, WindowSizes};
use afterstate_games::go::Go;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let selves = [10, 100, 1000];
    let values = learn(&selves);

    // Who plays: a random player, and the learner after so many games of self-play.
    let mut agents = vec!["random".to_string()];
    agents.extend(selves.iter().map(|games| format!("after {games} games")));
    let player = |agent: usize| -> Result<Box<dyn Player<Go>>, _> {
        Ok(match agent {
            0 => Box::new(RandomPlayer::default()),
            _ => Box::new(ValuePlayer::new(values[agent - 1].clone())),
        })
    };

    // Everyone against everyone. Two games share an opening of two random moves, with sides swapped.
    // `RunOptions { log: Some(path), .. }` would make it resumable.
    let settings = TournamentSettings { agents, format: Format::RoundRobin, games: 60, ..Default::default() };
    let results = play(&settings, &player)?;

    // Elo by maximum likelihood, on a scale where the random player has 0.
    println!("{}", ratings(&results)?);
    Ok(())
}

type Factory<'a> = afterstate_arena::tournament::PlayerFactory<'a, Go>;
type Results = afterstate_arena::tournament::TournamentResults;

fn play(settings: &TournamentSettings, player: Factory<'_>) -> Result<Results, TournamentError> {
    let options = RunOptions { workers: 2, ..RunOptions::default() };
    run(settings, &Go::new(5), player, &|| Ok(Box::new(AreaReferee)), &options, &mut |_| {})
}

fn ratings(results: &Results) -> Result<String, RatingError> {
    let settings = RatingSettings::default().with_anchor("random", 0.0);
    Ok(rate(&rating_results(results), &settings)?.to_table())
}

/// One run of self-play, and the value function after each of the numbers of games.
fn learn(milestones: &[u64]) -> Vec<Arc<Linear<LocalShapes>>> {
    let features = Arc::new(LocalShapes::new(5, WindowSizes::ALL, Sharing::Both));
    let weights = Arc::new(Weights::zeros(Features::<TrackedGo>::count(&*features)));
    let training = Training {
        start: features.track(Go::new(5).with_move_limit(75)),
        features: features.clone(),
        weights: weights.clone(),
        td: TdSettings::default(),
        self_play: SelfPlaySettings::default(),
        seed: 1,
        threads: 1,
    };
    let mut learnt = 0;
    let mut values = Vec::new();
    for &games in milestones {
        training.run(learnt..games, &AtomicBool::new(false), &|_| {});
        learnt = games;
        let now = Arc::new(Weights::clone(&weights));
        values.push(Arc::new(Linear { features: features.clone(), weights: now, squash: training.td.squash }));
    }
    values
}
