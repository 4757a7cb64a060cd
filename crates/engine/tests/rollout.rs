//! Rollouts against what can be computed exactly, and what luck has to do with it.

use afterstate_engine::search::rollout::{RolloutSettings, roll_out};
use afterstate_engine::search::{Equity, Expectimax, ExpectimaxSettings};
use afterstate_engine::value::backgammon_network::BackgammonNetwork;
use afterstate_games::backgammon::{Backgammon, Board};
use afterstate_games::{Game, Side, Turn, stream};

/// A short race: both sides have a few men on low points.
fn race() -> Backgammon {
    let mut men = [[0; 25]; 2];
    (men[0][1], men[0][4], men[1][2], men[1][0]) = (1, 1, 1, 2);
    Backgammon::at(Board::from_men(men).unwrap(), Side::First, None)
}

fn search() -> Expectimax<Backgammon, BackgammonNetwork> {
    Expectimax::new(BackgammonNetwork::random(6, &mut stream(1, 0)), ExpectimaxSettings::default())
}

/// What `game` is worth to `side` if both play as the network says one ply ahead.
fn exactly(search: &mut Expectimax<Backgammon, BackgammonNetwork>, game: &Backgammon, side: Side) -> f64 {
    match game.turn() {
        Turn::Over(outcome) => f64::from(outcome.points(side)),
        Turn::Player(_) => {
            let mut after = *game;
            after.play(search.rank_by(game, 1)[0].mv);
            exactly(search, &after, side)
        }
        Turn::Chance => {
            let mut rolls = Vec::new();
            game.chance_outcomes(&mut rolls);
            let rolled = |(roll, probability): (_, f32)| {
                let mut rolled = *game;
                rolled.play(roll);
                f64::from(probability) * exactly(search, &rolled, side)
            };
            rolls.into_iter().map(rolled).sum()
        }
    }
}

#[test]
fn they_find_what_the_position_is_worth_with_luck_and_without() {
    let expected = exactly(&mut search(), &race(), Side::First);
    let seen_by_the_other = exactly(&mut search(), &race(), Side::Second);
    assert!((expected + seen_by_the_other).abs() < 1e-6);
    for luck in [false, true] {
        let settings = RolloutSettings { trials: 4_000, luck, ..RolloutSettings::default() };
        for (side, expected) in [(Side::First, expected), (Side::Second, seen_by_the_other)] {
            let found = roll_out(&search(), &race(), side, &settings, &|| ());
            let off = (found.equity - expected).abs();
            assert!(off < 3.5 * found.standard_error + 1e-4, "luck taken out: {luck}, {found:?}, exactly {expected}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let settings = RolloutSettings { trials: 50, ..RolloutSettings::default() };
    let one = roll_out(&search(), &race(), Side::First, &settings, &|| ());
    let three = roll_out(&search(), &race(), Side::First, &RolloutSettings { threads: 3, ..settings }, &|| ());
    assert_eq!(one, three);
    let other = roll_out(&search(), &race(), Side::First, &RolloutSettings { seed: 2, ..settings }, &|| ());
    assert_ne!(one, other);
}

#[test]
fn truncated_after_no_play_they_say_what_the_search_says() {
    // After a play of each roll: one trial for each part of all throws comes close to the sum over them.
    let (mut search, race) = (search(), race());
    let settings = RolloutSettings { trials: 3_600, truncate: 1, luck: false, ..RolloutSettings::default() };
    let found = roll_out(&search, &race, Side::First, &settings, &|| ());
    let mut one_ply = Expectimax::new(search.evaluation().clone(), ExpectimaxSettings::default());
    let expected = f64::from(one_ply.equity(&race));
    assert!((found.equity - expected).abs() < 2e-3, "{found:?}, the search: {expected}");
    // Where luck is all that there is, nothing is left of it: every trial is worth the same.
    let without = roll_out(&search, &race, Side::First, &RolloutSettings { luck: true, ..settings }, &|| ());
    assert!((without.equity - expected).abs() < 1e-4 && without.standard_error < 1e-5, "{without:?}");
    assert!(search.evaluation().equity(&race).abs() < 3.0);
}

#[test]
fn a_game_in_which_nobody_can_ever_move_is_valued() {
    // Both sides are on the bar before six points that the other one holds.
    let mut men = [[0; 25]; 2];
    for side in &mut men {
        side[..6].fill(2);
        side[24] = 3;
    }
    let stuck = Backgammon::at(Board::from_men(men).unwrap(), Side::First, None);
    let trials = std::sync::atomic::AtomicU32::new(0);
    let settings = RolloutSettings { trials: 2, luck: false, ..RolloutSettings::default() };
    let count = || _ = trials.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let (mut search, found) = (search(), roll_out(&search(), &stuck, Side::First, &settings, &count));
    assert_eq!(trials.into_inner(), 2);
    assert!((found.equity - f64::from(search.evaluation().equity(&stuck))).abs() < 1e-6, "{found:?}");
}
