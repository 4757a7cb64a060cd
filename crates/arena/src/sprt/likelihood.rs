//! The generalised log-likelihood ratio: each hypothesis with the distribution that suits it best.

use crate::rating::expected_score;

/// Stands in for a count of 0, as in Fishtest: a result that has not come up is rare, not impossible.
const UNSEEN: f64 = 1e-3;

/// Scores with their probabilities.
type Distribution = Vec<(f64, f64)>;

/// Observed shares, and the number of observations.
fn observed(cells: &[(f64, f64)]) -> (Distribution, f64) {
    // A share below the second bound would drown in rounding; real tests are far from it.
    let least = UNSEEN.max(1e-12 * cells.iter().map(|c| c.1).sum::<f64>());
    let count = |c: f64| c.max(least);
    let n: f64 = cells.iter().map(|&(_, c)| count(c)).sum();
    (cells.iter().map(|&(s, c)| (s, count(c) / n)).collect(), n)
}

/// LLR of the expected scores of two logistic Elo differences.
pub(super) fn of_scores(cells: &[(f64, f64)], elo0: f64, elo1: f64) -> f64 {
    let (seen, n) = observed(cells);
    let [h0, h1] = [elo0, elo1].map(|elo| with_mean(&seen, expected_score(elo)));
    n * ratio(&seen, &h0, &h1)
}

/// LLR of two differences given in standard deviations of one game, `games` of which make an observation.
pub(super) fn of_t_values(cells: &[(f64, f64)], games: f64, t0: f64, t1: f64) -> f64 {
    let (seen, n) = observed(cells);
    // The mean of a pair deviates less than a single game, so the same difference is more of its deviations.
    let scale = games.sqrt();
    let [h0, h1] = [t0, t1].map(|t| with_t_value(&seen, t * scale));
    n * ratio(&seen, &h0, &h1)
}

fn ratio(seen: &Distribution, h0: &Distribution, h1: &Distribution) -> f64 {
    seen.iter().zip(h0).zip(h1).map(|((s, a), b)| s.1 * (b.1 / a.1).ln()).sum()
}

fn moments(distribution: &Distribution) -> (f64, f64) {
    let mean = distribution.iter().map(|(s, p)| s * p).sum::<f64>();
    (mean, distribution.iter().map(|(s, p)| p * (s - mean).powi(2)).sum())
}

/// The distribution with mean `target` under which `seen` is most probable: `pᵢ / (1 + x (aᵢ − target))`.
fn with_mean(seen: &Distribution, target: f64) -> Distribution {
    let tilt: Vec<f64> = seen.iter().map(|(s, _)| s - target).collect();
    // A target inside the range of scores always has scores on both sides.
    tilted(seen, &tilt).unwrap_or_else(|| seen.clone())
}

/// The distribution with `(mean − ½) / deviation = target` under which `seen` is most probable. The constraint
/// is made linear at the current guess, and that repeated.
fn with_t_value(seen: &Distribution, target: f64) -> Distribution {
    let mut guess = first_guess(seen, target);
    for _ in 0..100 {
        let (mean, variance) = moments(&guess);
        let tilt: Vec<f64> = seen
            .iter()
            .map(|(s, _)| s - 0.5 - target * variance.sqrt() * (1.0 + (mean - s).powi(2) / variance) / 2.0)
            .collect();
        let Some(next) = tilted(seen, &tilt) else { break };
        let change = guess.iter().zip(&next).fold(0.0f64, |m, (a, b)| m.max((a.1 - b.1).abs()));
        guess = next;
        // Where some scores have not come up, halving leaves more than rounding does.
        if change < 1e-9 {
            break;
        }
    }
    guess
}

/// All scores alike, and the best (or worst) one so much more often that the constraint is met. There the linear one can be met, too:
/// it asks for less than the best score and for more than the worst.
fn first_guess(seen: &Distribution, target: f64) -> Distribution {
    let extreme = if target < 0.0 { 0.0 } else { 1.0 };
    let alike = 1.0 / seen.len() as f64;
    let guess = |more: f64| -> Distribution {
        seen.iter().map(|&(s, _)| (s, (1.0 - more) * alike + if s == extreme { more } else { 0.0 })).collect()
    };
    // The more of it, the further the mean is from ½ and the less the scores deviate.
    let (mut from, mut to) = (0.0, 1.0);
    for _ in 0..60 {
        let more = 0.5 * (from + to);
        let (mean, variance) = moments(&guess(more));
        if (mean - 0.5).abs() < target.abs() * variance.sqrt() { from = more } else { to = more }
    }
    guess(0.5 * (from + to))
}

/// `pᵢ / (1 + x tᵢ)` with the `x` for which the `tᵢ` average to 0 under it (the secular equation). `None` when
/// they all have the same sign.
fn tilted(seen: &Distribution, tilt: &[f64]) -> Option<Distribution> {
    let low = tilt.iter().copied().fold(f64::INFINITY, f64::min);
    let high = tilt.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(low < 0.0 && high > 0.0) {
        return None;
    }
    // Between its poles the sum falls from +∞ to −∞, so halving finds the root.
    let (mut from, mut to) = (-1.0 / high, -1.0 / low);
    for _ in 0..100 {
        let x = 0.5 * (from + to);
        let sum: f64 = seen.iter().zip(tilt).map(|((_, p), t)| p * t / (1.0 + x * t)).sum();
        if sum > 0.0 { from = x } else { to = x }
    }
    let x = 0.5 * (from + to);
    Some(seen.iter().zip(tilt).map(|(&(s, p), t)| (s, p / (1.0 + x * t))).collect())
}
