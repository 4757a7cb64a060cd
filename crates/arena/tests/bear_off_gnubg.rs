//! The one-sided bear-off database against GNU Backgammon's.
//!
//! The program keeps probabilities in steps of 1/65,535 and computes each position from others so rounded, so that its equities
//! differ from exact ones by up to a ten-thousandth. Computed as it does they have to be the same.
#![cfg(target_os = "linux")]

mod support;

use afterstate_arena::external::Gnubg;
use afterstate_engine::value::backgammon_network::equity;
use afterstate_engine::value::bear_off::{BearOff, MOST_THROWS};
use afterstate_games::backgammon::{Backgammon, Board, Dice, MEN};
use afterstate_games::rng::below;
use afterstate_games::{Game, Side, stream};
use std::collections::HashMap;

/// The men on each point of a home.
type Home = [u8; 6];
/// How likely each number of throws is, in steps of 1/65,535.
type Steps = [u16; MOST_THROWS];

/// What the program's generator computes.
struct Rounded {
    /// Until all men are off.
    all: HashMap<Home, Steps>,
    /// Until the first is, of fifteen.
    first: HashMap<Home, Steps>,
}

impl Rounded {
    fn generate() -> Rounded {
        let mut homes: Vec<Home> = (0..1u32 << 24)
            .map(|number| std::array::from_fn(|point| (number >> (4 * point)) as u8 & 15))
            .filter(|men: &Home| men.iter().sum::<u8>() <= MEN)
            .collect();
        homes.sort_by_key(|men| men.iter().zip(1u32..).map(|(&count, pips)| u32::from(count) * pips).sum::<u32>());
        let mut rounded = Rounded { all: HashMap::new(), first: HashMap::new() };
        rounded.all.insert([0; 6], certain());
        for men in &homes[1..] {
            let throws: Vec<(u32, Vec<Home>)> = (1..=6u8)
                .flat_map(|one| (1..=one).map(move |other| (one, other)))
                .map(|(one, other)| (if one == other { 1 } else { 2 }, after(*men, Dice::new(one, other).unwrap())))
                .collect();
            rounded.all.insert(*men, rounded_sum(&throws, |home| rounded.all[&home]));
            if men.iter().sum::<u8>() == MEN {
                // With a man off there is nothing to wait for.
                let first = |home| rounded.first.get(&home).copied().unwrap_or_else(certain);
                let steps = rounded_sum(
                    &throws,
                    |home: Home| {
                        if home.iter().sum::<u8>() < MEN { certain() } else { first(home) }
                    },
                );
                rounded.first.insert(*men, steps);
            }
        }
        rounded
    }

    /// As the side sees it that is about to throw, like [`BearOff::outputs`].
    fn outputs(&self, own: Home, other: Home) -> [f32; 5] {
        let (mine, theirs) = (&self.all[&own], &self.all[&other]);
        let gammon = self.first.get(&other).map_or(0.0, |theirs| in_time(mine, theirs, 0));
        let lost_gammon = self.first.get(&own).map_or(0.0, |mine| in_time(theirs, mine, 1));
        [in_time(mine, theirs, 0), gammon, 0.0, lost_gammon, 0.0]
    }
}

/// No throw is needed.
fn certain() -> Steps {
    std::array::from_fn(|throws| if throws == 0 { u16::MAX } else { 0 })
}

/// What a throw leaves at home, by any play.
fn after(men: Home, dice: Dice) -> Vec<Home> {
    let mut both = [[0; 25]; 2];
    both[0][..6].copy_from_slice(&men);
    // Somebody far away, so that the game goes on.
    both[1][0] = 1;
    let game = Backgammon::at(Board::from_men(both).unwrap(), Side::First, Some(dice));
    let mut plays = Vec::new();
    game.legal_moves(&mut plays);
    let home = |mv| {
        let mut after = game;
        after.play(mv);
        std::array::from_fn(|place| after.board().men(Side::First, place))
    };
    plays.into_iter().map(home).collect()
}

/// One throw more than the best play of each throw leaves, on average, rounded; and the most likely number has what is then
/// missing to 65,535.
fn rounded_sum(throws: &[(u32, Vec<Home>)], known: impl Fn(Home) -> Steps) -> Steps {
    let mut sums = [0u32; MOST_THROWS];
    for (weight, after) in throws {
        let mean = |steps: &Steps| (0u32..).zip(steps).map(|(throws, &step)| throws * u32::from(step)).sum::<u32>();
        let best = after.iter().map(|&home| known(home)).min_by_key(mean).expect("there is a play");
        for (sum, step) in sums[1..].iter_mut().zip(best) {
            *sum += weight * u32::from(step);
        }
    }
    let mut steps = sums.map(|sum| ((sum + 18) / 36) as u16);
    let total: i32 = steps.iter().map(|&step| i32::from(step)).sum();
    let most = (0..MOST_THROWS).rev().max_by_key(|&throws| steps[throws]).expect("there are numbers");
    steps[most] = (i32::from(steps[most]) + 65_535 - total) as u16;
    steps
}

/// How likely it is that `mine` throws are not more than `theirs` less `behind`.
fn in_time(mine: &Steps, theirs: &Steps, behind: usize) -> f32 {
    let pairs = mine.iter().enumerate().flat_map(|(own, &a)| theirs.iter().skip(own + behind).map(move |&b| (a, b)));
    let sum: f64 = pairs.map(|(a, b)| f64::from(a) * f64::from(b)).sum();
    (sum / 65_535f64.powi(2)) as f32
}

/// Both sides' men at home, more than six of each: of fewer the program knows both sides' exact chances.
fn positions() -> Vec<[Home; 2]> {
    let mut rng = stream(21, 0);
    let mut side = || {
        let mut men = [0u8; 6];
        (0..7 + below(&mut rng, 9)).for_each(|_| men[below(&mut rng, 6) as usize] += 1);
        men
    };
    (0..300).map(|_| [side(), side()]).collect()
}

#[test]
fn one_sided_bear_off_equities_are_those_of_the_program() {
    if !support::installed_or_leave_out("gnubg", "one_sided_bear_off_equities_are_those_of_the_program") {
        return;
    }
    let mut program = Gnubg::new("gnubg --tty --quiet --no-rc", 0).unwrap().player();
    let (exact, rounded) = (BearOff::generate(), Rounded::generate());
    let (mut worst, mut worst_exact) = (0.0f32, 0.0f32);
    for [own, other] in positions() {
        let men = [own, other].map(|home| std::array::from_fn(|place| home.get(place).copied().unwrap_or(0)));
        let board = Board::from_men(men).expect("homes do not meet");
        let theirs = equity(&program.outputs(&Backgammon::at(board, Side::First, None)).unwrap());
        let as_they_do = (theirs - equity(&rounded.outputs(own, other))).abs();
        assert!(as_they_do < 1e-5, "{board:?}: {theirs} of the program, off by {as_they_do} computed as it does");
        let ours = equity(&exact.outputs(&board, Side::First).expect("all men are at home"));
        worst = worst.max(as_they_do);
        worst_exact = worst_exact.max((theirs - ours).abs());
    }
    println!("largest difference {worst}, without its rounding {worst_exact}");
    assert!(worst_exact < 1.5e-4, "{worst_exact}");
}
