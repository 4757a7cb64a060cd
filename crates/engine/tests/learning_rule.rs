//! TD(λ) and NTD2(λ) on scripted features, against sums written out by hand.

use afterstate_engine::Value;
use afterstate_engine::learning::{EligibilityTrace, OnlineTd, Plies, Td, TdSettings, TraceKind};
use afterstate_engine::value::{ActiveSet, Share, Squash, Weights};
use afterstate_games::rng::{below, stream, unit};
use afterstate_games::{Outcome, Side};

const BLACK: Outcome = Outcome::win(Side::First);
const WHITE: Outcome = Outcome::win(Side::Second);

/// σ.
fn s(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The features of a position: `+2` is the weight 2, `-2` the same weight shared with the opposite sign.
/// Weight 0 is left unused, so that every sign can be written.
fn set(signed: &[i32]) -> ActiveSet {
    let mut set = ActiveSet::default();
    for &feature in signed {
        set.push(Share::new(feature.unsigned_abs() as usize, feature < 0));
    }
    set
}

/// Weights after one game through `positions`, each value taken when its position is reached.
fn learn(settings: &TdSettings, weights: &[f64], positions: &[&[i32]], outcome: Outcome) -> Vec<f64> {
    let weights = Weights::from_values(&weights.iter().map(|&weight| weight as f32).collect::<Vec<_>>());
    let before = weights.clone();
    let mut td = Td::new(weights.len(), settings.clone());
    // An earlier game, broken off, on weights of its own: its traces must not outlive it.
    td.begin();
    for position in positions {
        td.reached(&mut set(position), Value::EVEN, &Weights::zeros(weights.len()));
    }
    td.begin();
    for position in positions {
        let mut set = set(position);
        let value = settings.squash.value(weights.sum(&set));
        td.reached(&mut set, value, &weights);
    }
    td.ended(outcome, &weights);
    let learnt: Vec<f64> = weights.values().into_iter().map(f64::from).collect();
    if settings.lambda == 0.0 {
        assert_close(&learn_online(settings, before, positions, outcome), &learnt);
    }
    learnt
}

/// The same by what each move changes, from a position without features.
fn learn_online(settings: &TdSettings, weights: Weights, positions: &[&[i32]], outcome: Outcome) -> Vec<f64> {
    let mut td = OnlineTd::new(&weights, settings.clone());
    let mut last = ActiveSet::default();
    td.begin(&last);
    for position in positions {
        let now = set(position);
        let change = td.next_change();
        last.shares().iter().for_each(|&share| change.stop(share));
        now.shares().iter().for_each(|&share| change.start(share));
        last = now;
        let value = settings.squash.value(td.sum_of_next());
        td.reached(value);
    }
    td.ended(outcome, &last);
    (0..weights.len()).map(|index| f64::from(td.weights().weight(index))).collect()
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-6, "weight {i}: {found}, expected {expected}");
    }
}

fn settings(plies: Plies, squash: Squash, lambda: f32, traces: TraceKind) -> TdSettings {
    TdSettings { step_size: 0.5, lambda, plies, traces, squash }
}

/// A = {1, 2}, B = {3}, C = {1, −4}; θ at the beginning.
const ABC: [&[i32]; 3] = [&[1, 2], &[3], &[1, -4]];
const THETA: [f64; 5] = [9.0, 0.2, -0.4, 0.6, 0.1];

#[test]
fn logistic_two_ply() {
    let found = learn(&settings(Plies::Two, Squash::Logistic, 0.0, TraceKind::Accumulating), &THETA, &ABC, BLACK);
    // C is reached: A moves towards V(C).
    let a = 0.5 / 2.0 * (s(0.2 - 0.1) - s(0.2 - 0.4));
    // The end: B and C move towards 1.
    let b = 0.5 / 1.0 * (1.0 - s(0.6));
    let c = 0.5 / 2.0 * (1.0 - s(0.2 + a - 0.1));
    assert_close(&found, &[9.0, 0.2 + a + c, -0.4 + a, 0.6 + b, 0.1 - c]);
}

#[test]
fn linear_two_ply() {
    let found = learn(&settings(Plies::Two, Squash::Linear, 0.0, TraceKind::Accumulating), &THETA, &ABC, WHITE);
    let a = 0.5 / 2.0 * ((0.5 + 0.2 - 0.1) - (0.5 + 0.2 - 0.4));
    let b = 0.5 / 1.0 * (0.0 - (0.5 + 0.6));
    let c = 0.5 / 2.0 * (0.0 - (0.5 + 0.2 + a - 0.1));
    assert_close(&found, &[9.0, 0.2 + a + c, -0.4 + a, 0.6 + b, 0.1 - c]);
}

#[test]
fn logistic_one_ply() {
    let found =
        learn(&settings(Plies::One, Squash::Logistic, 0.0, TraceKind::Accumulating), &THETA, &ABC, Outcome::DRAW);
    // B is reached: A moves towards V(B). C is reached: B moves towards V(C), in which A's step shows.
    let a = 0.5 / 2.0 * (s(0.6) - s(0.2 - 0.4));
    let b = 0.5 / 1.0 * (s(0.2 + a - 0.1) - s(0.6));
    // The end, a draw: only C moves towards it.
    let c = 0.5 / 2.0 * (0.5 - s(0.2 + a - 0.1));
    assert_close(&found, &[9.0, 0.2 + a + c, -0.4 + a, 0.6 + b, 0.1 - c]);
}

#[test]
fn linear_one_ply() {
    let found = learn(&settings(Plies::One, Squash::Linear, 0.0, TraceKind::Accumulating), &THETA, &ABC, BLACK);
    let a = 0.5 / 2.0 * ((0.5 + 0.6) - (0.5 + 0.2 - 0.4));
    let b = 0.5 / 1.0 * ((0.5 + 0.2 + a - 0.1) - (0.5 + 0.6));
    let c = 0.5 / 2.0 * (1.0 - (0.5 + 0.2 + a - 0.1));
    assert_close(&found, &[9.0, 0.2 + a + c, -0.4 + a, 0.6 + b, 0.1 - c]);
}

#[test]
fn a_weight_that_is_shared_several_times_moves_once_for_each() {
    // 1 twice; 2 with both signs, which cancel; 3 once: five active features.
    let positions: [&[i32]; 1] = [&[1, 2, 1, -2, 3]];
    let theta = [0.0, 0.3, 0.7, -0.2];
    for lambda in [0.0, 0.5, 1.0] {
        for traces in [TraceKind::Accumulating, TraceKind::Replacing] {
            let found = learn(&settings(Plies::Two, Squash::Logistic, lambda, traces), &theta, &positions, BLACK);
            let step = 0.5 / 5.0 * (1.0 - s(2.0 * 0.3 - 0.2));
            assert_close(&found, &[0.0, 0.3 + 2.0 * step, 0.7, -0.2 + step]);
        }
    }
}

#[test]
fn credit_that_passes_through_zero_is_applied_once() {
    // + − + : the credit of weight 1 is 1/3, 0, 1/3 on the way, and a third in the end.
    let positions: [&[i32]; 1] = [&[1, -1, 1]];
    for traces in [TraceKind::Accumulating, TraceKind::Replacing] {
        let found = learn(&settings(Plies::One, Squash::Logistic, 0.5, traces), &[0.0, 0.4], &positions, WHITE);
        assert_close(&found, &[0.0, 0.4 + 0.5 / 3.0 * (0.0 - s(0.4))]);
    }
    let mut trace = EligibilityTrace::new(2, TraceKind::Accumulating);
    trace.visit(&set(&[1, -1, 1]), 0.5);
    trace.visit(&set(&[1, -1, 1]), 0.5);
    let weights = Weights::zeros(2);
    trace.apply(&weights, 1.0);
    assert_close(&[f64::from(weights.values()[1])], &[0.5 / 3.0 + 1.0 / 3.0]);
}

/// A = {1, 2}, B = {3}, C = {1, −2}, D = {3, 3}: A and C are of one parity, B and D of the other.
const ABCD: [&[i32]; 4] = [&[1, 2], &[3], &[1, -2], &[3, 3]];

/// Two-ply with credits that were worked out by hand: of weights 1 and 2 after C, of weight 3 after D.
fn two_ply_traces(lambda: f32, traces: TraceKind, after_c: [f64; 2], after_d: f64, squash: Squash, v: fn(f64) -> f64) {
    let found = learn(&settings(Plies::Two, squash, lambda, traces), &[0.0, 0.3, -0.1, 0.2], &ABCD, WHITE);
    let (mut one, mut two, mut three) = (0.3, -0.1, 0.2);
    // C is reached; the trace of A is ½, ½.
    let a = 0.5 * (v(one - two) - v(one + two));
    one += a / 2.0;
    two += a / 2.0;
    // D is reached; the trace of B is 1.
    let b = 0.5 * (v(three + three) - v(three));
    three += b;
    // The end.
    let c = 0.5 * (0.0 - v(one - two));
    one += c * after_c[0];
    two += c * after_c[1];
    let d = 0.5 * (0.0 - v(three + three));
    three += d * after_d;
    assert_close(&found, &[0.0, one, two, three]);
}

#[test]
fn accumulating_traces() {
    let linear = |x: f64| 0.5 + x;
    for (squash, v) in [(Squash::Logistic, s as fn(f64) -> f64), (Squash::Linear, linear)] {
        let half = [0.5 * 0.5 + 0.5, 0.5 * 0.5 - 0.5];
        two_ply_traces(0.5, TraceKind::Accumulating, half, 0.5 * 1.0 + 0.5 + 0.5, squash, v);
        two_ply_traces(1.0, TraceKind::Accumulating, [0.5 + 0.5, 0.5 - 0.5], 1.0 + 0.5 + 0.5, squash, v);
        two_ply_traces(0.0, TraceKind::Accumulating, [0.5, -0.5], 1.0, squash, v);
    }
}

#[test]
fn replacing_traces() {
    for lambda in [0.0, 0.5, 1.0] {
        two_ply_traces(lambda, TraceKind::Replacing, [0.5, -0.5], 1.0, Squash::Logistic, s);
    }
    // Credit of features that are not active again fades all the same.
    let positions: [&[i32]; 2] = [&[1], &[2]];
    let found =
        learn(&settings(Plies::One, Squash::Logistic, 0.5, TraceKind::Replacing), &[0.0, 0.3, -0.1], &positions, BLACK);
    let a = 0.5 * (s(-0.1) - s(0.3));
    let b = 0.5 * (1.0 - s(-0.1));
    assert_close(&found, &[0.0, 0.3 + a + 0.5 * b, -0.1 + b]);
}

#[test]
fn one_ply_has_a_single_trace() {
    let found = learn(
        &settings(Plies::One, Squash::Logistic, 0.5, TraceKind::Accumulating),
        &[0.0, 0.3, -0.1, 0.2],
        &ABCD[..3],
        BLACK,
    );
    let (mut one, mut two, mut three) = (0.3, -0.1, 0.2);
    let a = 0.5 * (s(three) - s(one + two));
    one += a * 0.5;
    two += a * 0.5;
    // Credit after B: ¼, ¼, 1.
    let b = 0.5 * (s(one - two) - s(three));
    one += b * 0.25;
    two += b * 0.25;
    three += b;
    // After C: ⅛ + ½, ⅛ − ½, ½.
    let c = 0.5 * (1.0 - s(one - two));
    one += c * 0.625;
    two += c * -0.375;
    three += c * 0.5;
    assert_close(&found, &[0.0, one, two, three]);
}

#[test]
fn a_position_without_features_still_passes_credit_on() {
    // Its own value is even; what is left of A's credit learns from the surprise that follows it.
    let positions: [&[i32]; 2] = [&[1], &[]];
    let settings = settings(Plies::One, Squash::Logistic, 0.5, TraceKind::Accumulating);
    let found = learn(&settings, &[0.0, 0.4], &positions, BLACK);
    assert_close(&found, &[0.0, 0.4 + 0.5 * (0.5 - s(0.4)) + 0.5 * 0.5 * (1.0 - 0.5)]);
}

#[test]
fn short_games_learn_from_their_end() {
    for plies in [Plies::One, Plies::Two] {
        for lambda in [0.0, 0.7] {
            let settings = settings(plies, Squash::Logistic, lambda, TraceKind::Accumulating);
            // One position: it moves towards the outcome.
            let found = learn(&settings, &[0.0, 0.4], &[&[1]], WHITE);
            assert_close(&found, &[0.0, 0.4 + 0.5 * (0.0 - s(0.4))]);
            // None: nothing happens.
            assert_close(&learn(&settings, &[0.0, 0.4], &[], WHITE), &[0.0, 0.4]);
        }
    }
    // Two positions: under the two-ply rule both move towards the outcome, under the one-ply rule the last.
    let two = settings(Plies::Two, Squash::Logistic, 0.0, TraceKind::Accumulating);
    let found = learn(&two, &[0.0, 0.4, -0.3], &[&[1], &[2]], BLACK);
    assert_close(&found, &[0.0, 0.4 + 0.5 * (1.0 - s(0.4)), -0.3 + 0.5 * (1.0 - s(-0.3))]);
    let one = TdSettings { plies: Plies::One, ..two };
    let found = learn(&one, &[0.0, 0.4, -0.3], &[&[1], &[2]], BLACK);
    assert_close(&found, &[0.0, 0.4 + 0.5 * (s(-0.3) - s(0.4)), -0.3 + 0.5 * (1.0 - s(-0.3))]);
}

/// With λ = 1 the TD-errors of a game add up to its outcome's surprise, so that small steps are those of
/// Monte-Carlo learning: θ ← θ + α Σₜ φ(sₜ)/‖φ(sₜ)‖² (z − V(sₜ)).
#[test]
fn lambda_one_is_monte_carlo() {
    const COUNT: usize = 12;
    let alpha = 1e-3;
    for plies in [Plies::One, Plies::Two] {
        for squash in [Squash::Logistic, Squash::Linear] {
            let mut rng = stream(3, plies as u64);
            let before: Vec<f32> = (0..COUNT).map(|_| 0.2 * unit(&mut rng) - 0.1).collect();
            let weights = Weights::from_values(&before);
            let settings = TdSettings { step_size: alpha, lambda: 1.0, plies, traces: TraceKind::Accumulating, squash };
            let mut td = Td::new(COUNT, settings);
            let mut expected = [0f64; COUNT];
            td.begin();
            for _ in 0..30 {
                let mut active = ActiveSet::default();
                for _ in 0..4 {
                    active.push(Share::new(below(&mut rng, COUNT as u32) as usize, unit(&mut rng) < 0.3));
                }
                let Value(then) = squash.value(Weights::from_values(&before).sum(&active));
                for share in active.shares() {
                    expected[share.index()] += f64::from(share.sign()) / 4.0 * f64::from(1.0 - then);
                }
                let value = squash.value(weights.sum(&active));
                td.reached(&mut active, value, &weights);
            }
            td.ended(BLACK, &weights);
            let largest = expected.iter().fold(0f64, |most, x| most.max(x.abs()));
            assert!(largest > 0.3, "{largest}");
            for ((after, before), expected) in weights.values().iter().zip(&before).zip(expected) {
                let found = f64::from(after - before) / f64::from(alpha);
                assert!(
                    (found - expected).abs() < 0.02 * largest,
                    "{plies:?} {squash:?}: {found}, expected {expected}"
                );
            }
        }
    }
}
