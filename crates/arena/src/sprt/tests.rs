//! Tests of the tests: ratios against direct maximisation, error rates by simulation.

use super::*;
use crate::rating::expected_score;
use afterstate_games::rng::{Rng, stream, unit};

fn logistic(elo0: f64, elo1: f64) -> Sprt {
    Sprt { elo0, elo1, model: EloModel::Logistic, ..Sprt::default() }
}

fn normalised(elo0: f64, elo1: f64) -> Sprt {
    Sprt { elo0, elo1, ..Sprt::default() }
}

fn tri(wins: u64, draws: u64, losses: u64) -> GameCounts {
    GameCounts::Trinomial(Tally::new(wins, draws, losses))
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b} within {tolerance}");
}

/// The largest value of a function with one maximum between `low` and `high`.
fn largest(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..300 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if f(a) < f(b) { low = a } else { high = b }
    }
    f(0.5 * (low + high))
}

/// Multinomial log-likelihood of wins, draws and losses.
fn log_likelihood(n: [f64; 3], p: [f64; 3]) -> f64 {
    n.iter().zip(p).map(|(n, p)| n * p.ln()).sum()
}

const EXAMPLES: [[u64; 3]; 5] = [[120, 300, 100], [30, 5, 40], [1000, 8000, 900], [55, 45, 10], [3, 200, 5]];

#[test]
fn the_logistic_ratio_is_that_of_the_best_trinomials() {
    for [w, d, l] in EXAMPLES {
        let n = [w as f64, d as f64, l as f64];
        for (elo0, elo1) in [(0.0, 5.0), (-30.0, 40.0)] {
            // With the mean fixed at s, the share of draws is the only freedom.
            let best = |elo: f64| {
                let s = expected_score(elo);
                largest(|d| log_likelihood(n, [s - d / 2.0, d, 1.0 - s - d / 2.0]), 0.0, 2.0 * s.min(1.0 - s))
            };
            let llr = logistic(elo0, elo1).llr(&tri(w, d, l)).unwrap();
            close(llr, best(elo1) - best(elo0), 1e-6 * (1.0 + llr.abs()));
        }
    }
}

#[test]
fn the_normalised_ratio_is_that_of_the_best_trinomials() {
    for [w, d, l] in EXAMPLES {
        let n = [w as f64, d as f64, l as f64];
        for (elo0, elo1) in [(0.0, 5.0), (-30.0, 40.0)] {
            // The mean is ½ + u and the variance (1 − d)/4 − u², so u / deviation = t says what u is.
            let best = |elo: f64| {
                let t = elo / NORMALISED_ELO_PER_SIGMA;
                let p = |d: f64| {
                    let u = t / (1.0 + t * t).sqrt() * (1.0 - d).sqrt() / 2.0;
                    [0.5 + u - d / 2.0, d, 0.5 - u - d / 2.0]
                };
                // Beyond this share of draws, wins or losses would be negative.
                let most = 1.0 - t * t / (1.0 + t * t);
                largest(|d| log_likelihood(n, p(d)), 0.0, most)
            };
            let llr = normalised(elo0, elo1).llr(&tri(w, d, l)).unwrap();
            close(llr, best(elo1) - best(elo0), 1e-6 * (1.0 + llr.abs()));
        }
    }
}

/// Results of which some never came up, and differences that a uniform distribution is far from. As computed apart, by the same equations
/// in another program, whose solutions meet their constraint to 10⁻⁸.
#[test]
fn the_normalised_ratio_holds_for_one_sided_pairs_and_large_differences() {
    for (pairs, elo0, elo1, expected) in [
        ([54, 13, 31, 0, 0], 0.0, 10.0, -3.20820),
        ([94, 5, 0, 0, 0], -10.0, 0.0, -3.89575),
        ([0, 0, 0, 528, 470], 0.0, 10.0, 34.02303),
        ([0, 0, 0, 0, 100], 0.0, 300.0, 57.30490),
        ([100, 0, 0, 0, 0], -300.0, 0.0, -57.30490),
        ([10, 20, 40, 20, 10], 0.0, 10.0, -0.08282),
    ] {
        close(normalised(elo0, elo1).llr(&GameCounts::Pentanomial(pairs)).unwrap(), expected, 1e-4);
    }
    // With every pair that is won, and nothing but that, it becomes surer.
    let mut before = 0.0;
    for won in 1..200 {
        let llr = normalised(0.0, 300.0).llr(&GameCounts::Pentanomial([0, 0, 0, 0, won])).unwrap();
        assert!(llr > before, "{won}: {llr} after {before}");
        before = llr;
    }
}

#[test]
fn without_draws_the_ratio_is_the_plain_binomial_one() {
    // A draw that was never seen still has the weight of a thousandth of a game, hence the tolerance.
    let (p0, p1) = (expected_score(0.0), expected_score(50.0));
    let plain = 60.0 * (p1 / p0).ln() + 40.0 * ((1.0 - p1) / (1.0 - p0)).ln();
    close(logistic(0.0, 50.0).llr(&tri(60, 0, 40)).unwrap(), plain, 1e-3);
}

#[test]
fn the_pentanomial_ratio_is_that_of_the_best_distributions() {
    // Any distribution that meets a hypothesis makes the results at most as probable as the one used; so
    // shaking it (and mending the mean) must never find a better one. Checked through the ratio's two halves.
    let counts = [12.0, 40.0, 130.0, 55.0, 14.0];
    let total: f64 = counts.iter().sum();
    let best = |s: f64| {
        // Dual form: maximum over distributions = minimum over x of Σ nᵢ ln(pᵢ / (1 + x (aᵢ − s))).
        let dual = |x: f64| {
            counts.iter().enumerate().map(|(i, n)| n * (n / total / (1.0 + x * (i as f64 / 4.0 - s))).ln()).sum::<f64>()
        };
        -largest(|x| -dual(x), -1.0 / (1.0 - s) + 1e-9, 1.0 / s - 1e-9)
    };
    let llr = logistic(0.0, 20.0).llr(&GameCounts::Pentanomial([12, 40, 130, 55, 14])).unwrap();
    close(llr, best(expected_score(20.0)) - best(0.5), 1e-6);
}

#[test]
fn normal_approximations_are_near() {
    let pairs = [500u64, 4000, 11000, 4300, 560];
    let counts = GameCounts::Pentanomial(pairs);
    let n = pairs.iter().sum::<u64>() as f64;
    let mean = counts.score();
    let variance = pairs.iter().enumerate().map(|(i, &c)| c as f64 * (i as f64 / 4.0 - mean).powi(2)).sum::<f64>() / n;
    let (s0, s1) = (expected_score(0.0), expected_score(4.0));
    let llr = n * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
    close(logistic(0.0, 4.0).llr(&counts).unwrap(), llr, 0.02 * llr.abs());
    let t = (mean - 0.5) / (2.0 * variance).sqrt();
    let [t0, t1] = [0.0, 4.0].map(|elo| elo / NORMALISED_ELO_PER_SIGMA);
    let llr = n * ((1.0 + (t - t0) * (t - t0)) / (1.0 + (t - t1) * (t - t1))).ln();
    close(normalised(0.0, 4.0).llr(&counts).unwrap(), llr, 0.02 * llr.abs());
    close(normalised_elo(&counts).elo, t * NORMALISED_ELO_PER_SIGMA, 1e-9);
}

#[test]
fn swapping_the_players_turns_the_sign() {
    for (mine, theirs) in [(tri(30, 50, 12), tri(12, 50, 30)), (tri(9, 0, 0), tri(0, 0, 9))] {
        for model in [EloModel::Logistic, EloModel::Normalised] {
            let test = |elo0, elo1| Sprt { elo0, elo1, model, ..Sprt::default() };
            close(test(-3.0, 12.0).llr(&mine).unwrap(), -test(-12.0, 3.0).llr(&theirs).unwrap(), 1e-9);
        }
    }
}

#[test]
fn bounds_and_decisions_follow_the_errors() {
    let test = Sprt { alpha: 0.01, beta: 0.2, ..logistic(0.0, 50.0) };
    let (lower, upper) = test.bounds();
    close(lower, (0.2f64 / 0.99).ln(), 1e-12);
    close(upper, (0.8f64 / 0.01).ln(), 1e-12);
    assert_eq!(test.status(&GameCounts::NO_GAMES).unwrap().decision, Decision::Continue);
    assert_eq!(test.status(&tri(300, 0, 100)).unwrap().decision, Decision::AcceptH1);
    let status = test.status(&tri(100, 0, 300)).unwrap();
    assert_eq!((status.decision, status.games), (Decision::AcceptH0, 400));
    assert!(status.to_string().ends_with("H0 accepted") && status.elo.high < 0.0);
}

#[test]
fn extreme_counts_give_finite_ratios() {
    let penta = |i: usize, n| {
        let mut pairs = [0; 5];
        pairs[i] = n;
        GameCounts::Pentanomial(pairs)
    };
    let mut all = vec![tri(1, 0, 0), tri(0, 1, 0), tri(0, 0, 1), tri(1_000_000, 0, 0), tri(0, 1_000_000, 0)];
    all.extend((0..5).flat_map(|i| [penta(i, 1), penta(i, 100_000)]));
    all.extend([GameCounts::NO_GAMES, GameCounts::NO_PAIRS, tri(u64::MAX, 1, u64::MAX), penta(3, u64::MAX)]);
    for counts in all {
        for (elo0, elo1) in [(0.0, 5.0), (-1000.0, 1000.0), (100.0, 400.0), (-2.0, -1.0)] {
            for test in [logistic(elo0, elo1), normalised(elo0, elo1)] {
                let status = test.status(&counts).unwrap();
                assert!(status.llr.is_finite(), "{test:?} {counts:?} {status:?}");
                assert!(status.elo.low <= status.elo.elo && status.elo.elo <= status.elo.high, "{status:?}");
                let text = serde_json::to_string(&status).unwrap();
                assert_eq!(serde_json::from_str::<SprtStatus>(&text).unwrap(), status);
            }
        }
    }
}

#[test]
fn impossible_settings_are_refused() {
    let refused = |test: Sprt| test.status(&GameCounts::NO_GAMES).unwrap_err().to_string();
    assert!(refused(Sprt { alpha: 0.0, ..Sprt::default() }).contains("alpha is 0"));
    assert!(refused(Sprt { beta: f64::NAN, ..Sprt::default() }).contains("beta is NaN"));
    assert!(refused(logistic(5.0, 5.0)).contains("elo0 must be the smaller"));
    assert!(refused(normalised(f64::NEG_INFINITY, 5.0)).contains("within ±1000"));
    assert!(serde_json::from_str::<Sprt>(r#"{"elo2": 1}"#).is_err());
    let test: Sprt = serde_json::from_str(r#"{"model": "logistic", "elo1": 3.5}"#).unwrap();
    assert_eq!(test, logistic(0.0, 3.5));
    let counts: GameCounts = serde_json::from_str(r#"{"pentanomial": [1, 2, 3, 4, 5]}"#).unwrap();
    assert_eq!(counts.games(), 30);
}

/// Plays a pair from an opening that favours whoever moves first by `bias` Elo, or by minus that.
fn pair(rng: &mut Rng, elo: f64, bias: f64) -> [Score; 2] {
    let bias = if unit(rng) < 0.5 { bias } else { -bias };
    [elo + bias, elo - bias].map(|x| {
        let (u, draw) = (f64::from(unit(rng)), 60.0);
        if u < expected_score(x - draw) {
            Score::Win
        } else if u < expected_score(x - draw) + expected_score(-x - draw) {
            Score::Loss
        } else {
            Score::Draw
        }
    })
}

/// The expected score of such a pair, per game.
fn mean_score(elo: f64, bias: f64) -> f64 {
    let of = |x: f64| {
        let (win, loss) = (expected_score(x - 60.0), expected_score(-x - 60.0));
        win + 0.5 * (1.0 - win - loss)
    };
    0.5 * (of(elo + bias) + of(elo - bias))
}

/// The strength at which the expected score is that of `target` logistic Elo.
fn strength_for(target: f64, bias: f64) -> f64 {
    let (mut low, mut high) = (-1000.0, 1000.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if mean_score(middle, bias) < expected_score(target) { low = middle } else { high = middle }
    }
    low
}

/// Runs tests until each decides: the share that accepted H1, and the mean number of games.
fn simulate(test: &Sprt, empty: GameCounts, elo: f64, bias: f64, runs: u64) -> (f64, f64) {
    let (mut accepted, mut games) = (0, 0);
    for seed in 0..runs {
        let mut rng = stream(4711, seed);
        let mut counts = empty;
        loop {
            for _ in 0..4 {
                let [one, other] = pair(&mut rng, elo, bias);
                counts.add_pair(one, other);
            }
            match test.status(&counts).unwrap().decision {
                Decision::Continue => continue,
                decision => accepted += u64::from(decision == Decision::AcceptH1),
            }
            break;
        }
        games += counts.games();
    }
    (accepted as f64 / runs as f64, games as f64 / runs as f64)
}

#[test]
fn errors_are_as_rare_as_promised() {
    let test = Sprt { alpha: 0.1, beta: 0.05, ..logistic(0.0, 40.0) };
    for empty in [GameCounts::NO_GAMES, GameCounts::NO_PAIRS] {
        let (false_positives, _) = simulate(&test, empty, strength_for(0.0, 0.0), 0.0, 600);
        let (true_positives, _) = simulate(&test, empty, strength_for(40.0, 0.0), 0.0, 600);
        // Three standard deviations of 600 runs; overshooting the bounds makes errors a little rarer.
        assert!((0.04..=0.137).contains(&false_positives), "{false_positives}");
        assert!((0.923..=0.985).contains(&true_positives), "{true_positives}");
    }
}

#[test]
fn normalised_errors_are_as_rare_as_promised() {
    // Without bias the deviation of a game is that of the trinomial, so H1's normalised Elo is known.
    let elo = 30.0;
    let (win, loss) = (expected_score(elo - 60.0), expected_score(-elo - 60.0));
    let mean = mean_score(elo, 0.0);
    let variance = win + 0.25 * (1.0 - win - loss) - mean * mean;
    let elo1 = NORMALISED_ELO_PER_SIGMA * (mean - 0.5) / variance.sqrt();
    let test = normalised(0.0, elo1);
    for empty in [GameCounts::NO_GAMES, GameCounts::NO_PAIRS] {
        let (false_positives, _) = simulate(&test, empty, 0.0, 0.0, 600);
        let (true_positives, _) = simulate(&test, empty, elo, 0.0, 600);
        assert!((0.02..=0.077).contains(&false_positives), "{false_positives}");
        assert!((0.923..=0.985).contains(&true_positives), "{true_positives}");
    }
}

#[test]
fn pairs_from_unbalanced_openings_decide_sooner() {
    // Each opening favours the mover by 300 Elo: the two games of a pair mostly cancel.
    let bias = 300.0;
    let test = logistic(0.0, 40.0);
    let h1 = strength_for(40.0, bias);
    let (by_game, games) = simulate(&test, GameCounts::NO_GAMES, h1, bias, 200);
    let (by_pair, pairs) = simulate(&test, GameCounts::NO_PAIRS, h1, bias, 200);
    assert!(by_game >= 0.9 && by_pair >= 0.9, "{by_game} {by_pair}");
    assert!(pairs < 0.8 * games, "{pairs} {games}");
    // The same games: pairs know their Elo better.
    let (mut tri, mut penta) = (GameCounts::NO_GAMES, GameCounts::NO_PAIRS);
    let mut rng = stream(1, 0);
    for _ in 0..2000 {
        let [one, other] = pair(&mut rng, h1, bias);
        tri.add_pair(one, other);
        penta.add_pair(one, other);
    }
    let (a, b) = (logistic_elo(&tri), logistic_elo(&penta));
    close(a.elo, b.elo, 1e-9);
    assert!(b.high - b.low < 0.9 * (a.high - a.low));
    assert!(normalised_elo(&penta).elo > 1.1 * normalised_elo(&tri).elo);
}

#[test]
fn the_interval_of_pairs_covers_the_truth() {
    let (bias, elo) = (300.0, 25.0);
    let truth = score_to_elo(mean_score(elo, bias));
    let mut inside = 0;
    for seed in 0..1000 {
        let mut rng = stream(99, seed);
        let mut counts = GameCounts::NO_PAIRS;
        for _ in 0..60 {
            let [one, other] = pair(&mut rng, elo, bias);
            counts.add_pair(one, other);
        }
        let interval = logistic_elo(&counts);
        inside += u64::from(interval.low <= truth && truth <= interval.high);
    }
    assert!((929..=971).contains(&inside), "{inside}");
}

#[test]
fn results_are_seen_from_the_right_side() {
    assert_eq!(Score::of(Outcome::win(Side::Second), Side::Second), Score::Win);
    assert_eq!(Score::of(Outcome::win(Side::Second), Side::First), Score::Loss);
    assert_eq!(Score::of(Outcome::DRAW, Side::First), Score::Draw);
    let mut single = GameCounts::NO_GAMES;
    single.add_pair(Score::Win, Score::Loss);
    single.add_pair(Score::Draw, Score::Win);
    assert_eq!(single, tri(2, 1, 1));
}
