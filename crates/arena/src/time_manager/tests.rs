//! Whole games on simulated clocks.

use super::*;

const CONTROLS: [&str; 14] = [
    "10s/move",
    "50ms/move",
    "10m",
    "10s",
    "100ms",
    "5m+2s",
    "1s+10ms",
    "5m+3x30s",
    "0s+1x1s",
    "0s+3x50ms",
    "5m+10/60s",
    "0s+25/10s",
    "0s+1/50ms",
    "20s+1/100ms",
];

fn clock(control: &str) -> Clock {
    Clock::new(control.parse().unwrap(), Duration::ZERO)
}

/// Plays `moves` own moves, each of which takes what `spent` makes of its plan, and returns the time they took.
fn play(control: &str, moves: usize, settings: &TimeSettings, spent: impl Fn(Plan) -> Duration) -> Vec<Duration> {
    let mut clock = clock(control);
    (0..moves)
        .map(|number| {
            let plan = plan(&clock, 2 * number, settings).unwrap();
            assert!(plan.longest >= plan.share, "{control}, move {number}: {plan:?}");
            let used = spent(plan);
            clock.spend(used).unwrap_or_else(|fall| panic!("{control}, move {number}: {fall}, {plan:?}"));
            used
        })
        .collect()
}

#[test]
fn no_flag_falls_even_if_every_move_is_unstable_and_games_are_long() {
    for decay in [None, Some(2.0), Some(20.0)] {
        let settings = TimeSettings { decay, ..TimeSettings::default() };
        for control in CONTROLS {
            play(control, 300, &settings, |plan| plan.longest);
            play(control, 300, &settings, |plan| plan.share);
        }
    }
}

#[test]
fn time_decays_exponentially_if_so_wanted() {
    let settings = TimeSettings { decay: Some(20.0), margin: 0.0, overhead: 0.0, ..TimeSettings::default() };
    let used: Vec<f64> = play("5m", 60, &settings, |plan| plan.share).iter().map(Duration::as_secs_f64).collect();
    for (i, used) in used.iter().enumerate() {
        // 1/20 of what 19/20 of the time before have left.
        let expected = 300.0 / 20.0 * 0.95f64.powi(i as i32);
        assert!((used - expected).abs() < 1e-4, "move {i}: {used} s, not {expected} s");
    }
}

#[test]
fn no_flag_falls_when_every_move_takes_a_little_longer_than_planned() {
    let settings = TimeSettings::default();
    // Games twice as long as usual; a tenth of a second is less than their moves cost beyond their thinking.
    for control in CONTROLS.into_iter().filter(|&control| control != "100ms") {
        play(control, 80, &settings, |plan| plan.longest + Duration::from_millis(5));
    }
}

#[test]
fn most_of_the_time_is_used_by_the_end_of_a_usual_game() {
    let settings = TimeSettings { game_length: 80.0, ..TimeSettings::default() };
    for (control, all) in [("10m", 600.0), ("10s", 10.0), ("5m+2s", 300.0 + 80.0), ("5m+3x30s", 300.0)] {
        let used: f64 = play(control, 40, &settings, |plan| plan.share).iter().map(Duration::as_secs_f64).sum();
        assert!(used > 0.6 * all, "{control}: {used} s of {all} s");
    }
    let share = |clock: &Clock| plan(clock, 100, &settings).unwrap().share.as_secs_f64();
    let near = |share: f64, expected: f64| assert!((share - expected).abs() < 1e-6, "{share} s, not {expected} s");
    // Byo-yomi is used to the full, less the margin: 3/10 of a short period.
    near(share(&clock("0s+3x50ms")), 0.035);
    near(share(&clock("10s/move")), 9.9);
    // So is the longest time that a move may take.
    near(share(&clock("10m+30s").capped(None, Some(Duration::from_secs(10)))), 9.9);
    // Ten moves in 60 s: (60 − 0.1 − 10·0.005) / 10; then two in 6 s.
    let mut late = clock("0s+10/60s");
    near(share(&late), 5.985);
    late.set_left(Duration::from_secs(6), 2);
    near(share(&late), 2.945);
    // What is left of a Japanese period is all that there is.
    let mut started = clock("0s+3x5s");
    started.set_left(Duration::from_secs(1), 1);
    near(share(&started), 0.9);
}

#[test]
fn without_a_clock_there_is_no_plan() {
    for control in ["none", "1000sims/move"] {
        assert_eq!(plan(&clock(control), 0, &TimeSettings::default()), None);
    }
}

#[test]
fn whatever_is_left_a_move_gets_some_of_it() {
    for control in ["10m", "5m+2s", "5m+3x30s", "5m+10/60s"] {
        for left in [Duration::ZERO, Duration::from_micros(1), Duration::from_millis(1), Duration::from_millis(50)] {
            let mut clock = clock(control);
            clock.set_left(left, 0);
            let plan = plan(&clock, 300, &TimeSettings::default()).unwrap();
            assert!(plan.longest <= clock.allowed().unwrap(), "{control}, {left:?}: {plan:?}");
            assert!(!plan.share.is_zero() || left.is_zero() || left < Duration::from_micros(2), "{control}, {left:?}");
        }
    }
}
