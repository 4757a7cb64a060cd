//! Features of one's own: what a player of Connect Four looks at, the check that they keep the contract, and what they are worth.
//!
//! ```text
//! cargo run --release --example 6_own_features
//! ```

use afterstate_arena::{GameRules, Player, RandomPlayer, RulesReferee, ValuePlayer, play_game};
use afterstate_engine::learning::{SelfPlaySettings, TdSettings, Training};
use afterstate_engine::value::{ActiveSet, FeatureViolation, Features, Linear, Share, Weights, check_features};
use afterstate_games::{ConnectFour, Grid, Side, conformance};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Lines of four squares that only one side has stones in, by how many: 1, 2 or 3. A line of the second player's shares the first
/// player's weight with the opposite sign, so that what is learnt of one side is known of the other.
struct Lines {
    /// The squares of each line.
    lines: Vec<[(usize, usize); 4]>,
}

impl Lines {
    fn of(game: &ConnectFour) -> Lines {
        let mut lines = Vec::new();
        let (columns, rows) = (game.columns() as isize, game.rows() as isize);
        for (x, y) in (0..columns).flat_map(|x| (0..rows).map(move |y| (x, y))) {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                let squares = [0, 1, 2, 3].map(|step| (x + step * dx, y + step * dy));
                if squares.iter().all(|&(x, y)| (0..columns).contains(&x) && (0..rows).contains(&y)) {
                    lines.push(squares.map(|(x, y)| (x as usize, y as usize)));
                }
            }
        }
        Lines { lines }
    }
}

impl Features<ConnectFour> for Lines {
    fn count(&self) -> usize {
        3
    }

    fn active(&self, game: &ConnectFour, set: &mut ActiveSet) {
        set.clear();
        for line in &self.lines {
            let mut stones = [0, 0];
            line.iter().filter_map(|&(x, y)| game.stone(x, y)).for_each(|side| stones[side.index()] += 1);
            match stones {
                [own @ 1..=3, 0] => set.push(Share::new(own - 1, false)),
                [0, others @ 1..=3] => set.push(Share::new(others - 1, true)),
                _ => {}
            }
        }
    }

    fn describe(&self, index: usize) -> String {
        format!("a line of four that holds {} of one side's stones and none of the other's", index + 1)
    }
}

fn main() -> Result<(), FeatureViolation> {
    let start = ConnectFour::new();
    let features = Arc::new(Lines::of(&start));

    // What features promise, checked in each position of random games. It matters most where they are had incrementally, by `change`
    // and `afterstate_sums`; these say only what is active.
    let positions = check_features(&*features, &start, conformance::Settings::default())?;
    println!("{} lines keep the contract in {positions} positions", features.lines.len());

    let weights = Arc::new(Weights::zeros(features.count()));
    let training = Training {
        start,
        features: features.clone(),
        weights: weights.clone(),
        td: TdSettings::default(),
        self_play: SelfPlaySettings::default(),
        seed: 1,
        threads: 1,
    };
    training.run(0..2000, &AtomicBool::new(false), &|_| {});
    for (index, weight) in weights.values().into_iter().enumerate() {
        println!("{weight:>+6.2}  {}", features.describe(index));
    }

    let mut learner = ValuePlayer::new(Arc::new(Linear { features, weights, squash: training.td.squash }));
    println!("won {} of 200 games against random", wins(&mut learner, &mut RandomPlayer::default(), 200));
    Ok(())
}

/// How many of so many games `player` wins, moving first in every other one.
fn wins(player: &mut impl Player<ConnectFour>, opponent: &mut impl Player<ConnectFour>, games: u64) -> u32 {
    let mut won = 0;
    for game in 0..games {
        let rules = GameRules { seed: game, ..GameRules::default() };
        let (mine, players): (_, [&mut dyn Player<ConnectFour>; 2]) = match game % 2 {
            0 => (Side::First, [player, opponent]),
            _ => (Side::Second, [opponent, player]),
        };
        let result = play_game(&ConnectFour::new(), &[], players, &mut RulesReferee, &rules);
        won += u32::from(result.is_some_and(|game| game.outcome.winner == Some(mine)));
    }
    won
}
