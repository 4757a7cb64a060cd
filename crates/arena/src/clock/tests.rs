//! Hours of play on a clock that is told the time.

use super::*;
use proptest::prelude::*;

const LAG: Duration = Duration::from_millis(100);

fn clock(text: &str) -> Clock {
    Clock::new(text.parse().expect(text), LAG)
}

fn seconds(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

#[test]
fn texts_mean_what_the_table_says() {
    let cases = [
        ("none", TimeControl::None),
        ("10s/move", TimeControl::PerMove(seconds(10.0))),
        ("250ms/move", TimeControl::PerMove(seconds(0.25))),
        ("1000sims/move", TimeControl::Simulations(1000)),
        ("5m", TimeControl::SuddenDeath(seconds(300.0))),
        ("5m+2s", TimeControl::Fischer { main: seconds(300.0), increment: seconds(2.0) }),
        ("0s+1x5s", TimeControl::Japanese { main: seconds(0.0), periods: 1, period: seconds(5.0) }),
        ("1h+10/60s", TimeControl::Canadian { main: seconds(3600.0), stones: 10, period: seconds(60.0) }),
    ];
    for (text, control) in cases {
        assert_eq!(text.parse::<TimeControl>(), Ok(control));
        assert_eq!(control.to_string(), text);
        let json = serde_json::to_string(&control).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<TimeControl>(&json).unwrap(), control);
    }
    assert_eq!("1.5m".parse(), Ok(TimeControl::SuddenDeath(seconds(90.0))));
}

#[test]
fn malformed_texts_are_refused() {
    for text in [
        "",
        "5",
        "5m+",
        "+2s",
        "s",
        "-5m",
        "5m-2s",
        "0s",
        "0s/move",
        "0sims/move",
        "sims/move",
        "5m+0x30s",
        "5m+3x",
        "5m+x30s",
        "5m+0/60s",
        "5m+3x0s",
        "5m+10/0s",
        "1e3s",
        "1..5s",
        "1.s",
        ".5s",
        "0.0001s",
        "9999999h",
        "5m+2s+2s",
        "∞",
        "5m+10/60s/move",
        "99999999999999999999sims/move",
        "+5sims/move",
        "nan s",
        "5m+99999999x1s",
        "0s+1s",
    ] {
        let error = text.parse::<TimeControl>().expect_err(text);
        assert!(error.to_string().contains("sudden death"), "{error}");
    }
}

#[test]
fn sudden_death_runs_down_and_falls() {
    let mut clock = clock("10s");
    for _ in 0..9 {
        clock.spend(seconds(1.0)).unwrap();
    }
    assert_eq!(clock.allowed(), Some(seconds(1.0)));
    clock.spend(seconds(1.05)).expect("the lag forgives 50 ms");
    assert_eq!(clock.main_left(), Duration::ZERO);
    assert_eq!(clock.spend(seconds(0.2)), Err(FlagFall { used: seconds(0.2), allowed: Duration::ZERO }));
}

#[test]
fn japanese_periods_return_after_each_move() {
    let mut clock = clock("10s+3x5s");
    assert_eq!(clock.allowed(), Some(seconds(25.0)));
    clock.spend(seconds(12.0)).unwrap();
    assert_eq!((clock.main_left(), clock.count_left()), (Duration::ZERO, 3));
    for _ in 0..100 {
        clock.spend(seconds(5.0)).expect("a move of exactly one period keeps it");
    }
    assert_eq!(clock.count_left(), 3);
    clock.spend(seconds(5.2)).unwrap();
    assert_eq!(clock.count_left(), 2);
    clock.spend(seconds(9.0)).unwrap();
    assert_eq!(clock.count_left(), 1);
    clock.spend(seconds(4.9)).unwrap();
    assert!(clock.spend(seconds(5.2)).is_err());
}

#[test]
fn what_is_left_of_a_japanese_period_is_all_that_a_move_has() {
    let mut last = clock("0s+5x5s");
    last.set_left(seconds(1.0), 1);
    assert_eq!((last.allowed(), last.share()), (Some(seconds(1.0)), Some(seconds(0.9))));
    last.spend(seconds(0.9)).unwrap();
    // The move was made within the period, which comes back.
    assert_eq!((last.allowed(), last.count_left()), (Some(seconds(5.0)), 1));
    last.set_left(seconds(1.0), 1);
    assert!(last.spend(seconds(1.2)).is_err());
    let mut first = clock("10s+5x5s");
    first.set_left(seconds(2.0), 3);
    assert_eq!(first.allowed(), Some(seconds(12.0)));
    first.spend(seconds(7.5)).unwrap();
    assert_eq!((first.allowed(), first.count_left()), (Some(seconds(5.0)), 1));
    // Nobody has more of a period than there is in it.
    first.set_left(seconds(60.0), 2);
    assert_eq!(first.allowed(), Some(seconds(10.0)));
}

#[test]
fn a_game_that_goes_on_after_a_flag_fell_has_clocks_again() {
    for (text, allowed) in [("10s", 0.0), ("10s+2s", 2.0), ("10s+3x5s", 5.0), ("10s+2/8s", 8.0), ("2s/move", 2.0)]
        .map(|(t, s)| (t, seconds(s)))
    {
        let mut clock = clock(text);
        assert!(clock.spend(seconds(100.0)).is_err(), "{text}");
        clock.forgive();
        assert_eq!(clock.allowed(), Some(allowed), "{text}");
        clock.spend(allowed).unwrap();
    }
}

#[test]
fn canadian_periods_renew_after_their_stones() {
    let mut clock = clock("10s+2/8s");
    clock.spend(seconds(10.0)).unwrap();
    assert_eq!((clock.count_left(), clock.period_left()), (2, seconds(8.0)));
    clock.spend(seconds(6.0)).unwrap();
    assert_eq!((clock.count_left(), clock.period_left()), (1, seconds(2.0)));
    clock.spend(seconds(1.0)).unwrap();
    assert_eq!((clock.count_left(), clock.period_left()), (2, seconds(8.0)));
    clock.spend(seconds(7.0)).unwrap();
    assert!(clock.spend(seconds(1.5)).is_err());
}

#[test]
fn a_move_that_crosses_from_main_time_counts_in_the_period() {
    let mut clock = clock("10s+2/8s");
    clock.spend(seconds(13.0)).unwrap();
    assert_eq!((clock.count_left(), clock.period_left()), (1, seconds(5.0)));
}

#[test]
fn per_move_time_and_simulations_never_run_down() {
    let mut clock = clock("2s/move");
    for _ in 0..1000 {
        clock.spend(seconds(2.0)).unwrap();
    }
    assert!(clock.spend(seconds(2.2)).is_err());
    let mut patient = Clock::new(TimeControl::Simulations(50), LAG);
    patient.spend(seconds(1e6)).unwrap();
    let budget = patient.budget(Instant::now());
    assert_eq!((budget.simulations, budget.deadline), (Some(50), None));
}

#[test]
fn whoever_uses_its_share_never_loses_on_time() {
    for text in ["1s", "10m", "10s+1s", "1s+1s", "10s+1x1s", "1m+3x5s", "0s+5/10s", "1m+25/60s", "1s/move"] {
        let mut clock = clock(text);
        for number in 0..500 {
            let share = clock.share().unwrap();
            // Thinking is never exact: 1 ms late, forgiven by the lag.
            clock
                .spend(share + Duration::from_millis(1))
                .unwrap_or_else(|fall| panic!("{text}, move {number}: {fall}"));
        }
    }
}

proptest! {
    #[test]
    fn any_control_survives_its_text(kind in 0..6, main in 0u64..1_000_000, count in 1u32..1000, extra in 1u64..1_000_000) {
        let (main_time, extra) = (Duration::from_millis(main), Duration::from_millis(extra));
        let control = match kind {
            0 => TimeControl::PerMove(extra),
            1 => TimeControl::Simulations(main + 1),
            2 => TimeControl::SuddenDeath(extra),
            3 => TimeControl::Fischer { main: main_time + extra, increment: extra },
            4 => TimeControl::Japanese { main: main_time, periods: count, period: extra },
            _ => TimeControl::Canadian { main: main_time, stones: count, period: extra },
        };
        prop_assert_eq!(control.to_string().parse(), Ok(control));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,30}") {
        let _ = text.parse::<TimeControl>();
    }

    #[test]
    fn no_clock_gains_main_time_from_a_move(kind in 0..3usize, moves in proptest::collection::vec(0u64..3000, 1..100)) {
        let mut clock = clock(["30s", "30s+2x1s", "30s+4/6s"][kind]);
        for ms in moves {
            let before = clock.main_left();
            if clock.spend(Duration::from_millis(ms)).is_err() { break; }
            prop_assert!(clock.main_left() <= before);
            prop_assert_eq!(before - clock.main_left(), before.min(Duration::from_millis(ms)));
        }
    }
}
