//! Finding the maximum of the log-posterior, and how sure it is.

use super::cholesky::{Cholesky, Matrix};
use super::model::{ELO, Model, Point, Slots};
use super::results::reachable;
use super::{Estimate, Parameter, PlayerRating, RatingError, RatingSettings, Ratings, Results, Tally, Z95, normal_cdf};

pub(super) fn rate(results: &Results, settings: &RatingSettings) -> Result<Ratings, RatingError> {
    settings.check()?;
    check_players(results, settings)?;
    if settings.prior_draws == 0.0 {
        check_bounded(results, settings)?;
    }
    let model = Model::new(results, settings);
    let slots = model.slots();
    let free = settings.anchors.is_empty();
    let mut best = maximum(&model, &slots, free)?;
    let covariance = covariance(&model, &best, &slots, free)?;
    if free {
        let mean = best.ratings.iter().sum::<f64>() / best.ratings.len() as f64;
        let shift = settings.mean / ELO - mean;
        best.ratings.iter_mut().for_each(|r| *r += shift);
    }
    Ok(present(results, settings, &model, &best, &slots, &covariance))
}

fn check_players(results: &Results, settings: &RatingSettings) -> Result<(), RatingError> {
    let players = results.players();
    if players.is_empty() {
        return Err(RatingError::NoPlayers);
    }
    for name in settings.anchors.keys() {
        if !players.contains(name) {
            return Err(RatingError::UnknownAnchor { name: name.clone(), players: players.to_vec() });
        }
    }
    let mut groups = results.groups();
    if settings.anchors.is_empty() {
        if groups.len() > 1 {
            return Err(RatingError::Disconnected { groups });
        }
    } else {
        groups.retain(|g| !g.iter().any(|name| settings.anchors.contains_key(name)));
        if !groups.is_empty() {
            return Err(RatingError::Disconnected { groups });
        }
    }
    let draws = results.indexed().map(|(_, _, t)| t.draws).fold(0, u64::saturating_add);
    if draws > 0 && settings.draw == Parameter::Fixed(0.0) {
        return Err(RatingError::DrawsImpossible { draws });
    }
    Ok(())
}

/// Ford's condition (1957): the ratings are finite if and only if no split of the players has one side
/// winning every game against the other. Anchors are held together by their given ratings.
fn check_bounded(results: &Results, settings: &RatingSettings) -> Result<(), RatingError> {
    let players = results.players();
    let (mut above, mut below) = (vec![Vec::new(); players.len()], vec![Vec::new(); players.len()]);
    let mut scored = |i: usize, j: usize| {
        above[j].push(i);
        below[i].push(j);
    };
    for (i, j, t) in results.indexed() {
        if t.wins + t.draws > 0 {
            scored(i, j);
        }
        if t.losses + t.draws > 0 {
            scored(j, i);
        }
    }
    let anchors: Vec<usize> = (0..players.len()).filter(|&i| settings.anchors.contains_key(&players[i])).collect();
    for pair in anchors.windows(2) {
        scored(pair[0], pair[1]);
        scored(pair[1], pair[0]);
    }
    let start = anchors.first().copied().unwrap_or(0);
    for next in [&above, &below] {
        let mut seen = vec![false; players.len()];
        reachable(next, start, &mut seen);
        let cut: Vec<String> = (0..players.len()).filter(|&i| !seen[i]).map(|i| players[i].clone()).collect();
        if !cut.is_empty() {
            return Err(RatingError::Unbounded { players: cut });
        }
    }
    Ok(())
}

/// Minus the Hessian, made regular. Without anchors a common shift of all ratings changes nothing; a
/// term `c·e·eᵀ` along that direction `e` (returned as `c`) takes the place of the missing information.
fn regular(mut curvature: Matrix, slots: &Slots, free: bool) -> (Matrix, f64) {
    if !free {
        return (curvature, 0.0);
    }
    let n = slots.ratings.len();
    let trace: f64 = slots.ratings.iter().flatten().map(|&i| curvature.at(i, i)).sum();
    let c = if trace > 0.0 { trace / (n * n) as f64 } else { 1.0 };
    for &i in slots.ratings.iter().flatten() {
        for &j in slots.ratings.iter().flatten() {
            curvature.add(i, j, c);
        }
    }
    (curvature, c)
}

/// Newton's method, each step halved until the (concave) log-posterior grows enough.
fn maximum(model: &Model, slots: &Slots, free: bool) -> Result<Point, RatingError> {
    let mut at = model.start();
    for _ in 0..500 {
        let here = model.posterior(&at, slots);
        let (curvature, _) = regular(here.curvature, slots, free);
        let step = Cholesky::new(&curvature).ok_or_else(|| undetermined(slots))?.solve(&here.gradient);
        let slope: f64 = step.iter().zip(&here.gradient).map(|(s, g)| s * g).sum();
        // The draw parameter is positive and may be tiny: only its relative change tells convergence.
        let change = |(slot, s): (usize, &f64)| if Some(slot) == slots.draw { s / at.draw } else { *s };
        let size = step.iter().enumerate().map(change).fold(0.0f64, |m, s| m.max(s.abs()));
        if size < 1e-4 {
            // So near, each step squares the error, while the value's own rounding would stop the comparison.
            at = at.moved(&step, 1.0, slots);
            if size < 1e-9 {
                return Ok(at);
            }
            continue;
        }
        let mut scale = 1.0;
        loop {
            let next = at.moved(&step, scale, slots);
            let positive = slots.draw.is_none() || next.draw > 0.0;
            if positive && model.value(&next) >= here.value + 1e-4 * scale * slope {
                at = next;
                break;
            }
            scale *= 0.5;
            if scale < 1e-12 {
                return Err(undetermined(slots));
            }
        }
    }
    // Steps that never shrink follow a maximum at infinity.
    Err(undetermined(slots))
}

fn undetermined(slots: &Slots) -> RatingError {
    let what = match (slots.advantage.is_some(), slots.draw.is_some()) {
        (true, true) => "the ratings, the first-move advantage and the draw parameter",
        (true, false) => "the ratings and the first-move advantage",
        (false, true) => "the ratings and the draw parameter",
        (false, false) => "the ratings",
    };
    RatingError::NotDetermined { what }
}

/// Covariance of the unknowns in natural units, under the condition that fixes the scale's origin.
fn covariance(model: &Model, best: &Point, slots: &Slots, free: bool) -> Result<Matrix, RatingError> {
    let (curvature, c) = regular(model.posterior(best, slots).curvature, slots, free);
    let mut inverse = Cholesky::new(&curvature).ok_or_else(|| undetermined(slots))?.inverse();
    if free {
        // The added term alone has the inverse e·eᵀ / (c n²) on its direction; without it, the mean is certain.
        let excess = 1.0 / (c * (slots.ratings.len() as f64).powi(2));
        for &i in slots.ratings.iter().flatten() {
            for &j in slots.ratings.iter().flatten() {
                inverse.add(i, j, -excess);
            }
        }
    }
    Ok(inverse)
}

fn present(
    results: &Results,
    settings: &RatingSettings,
    model: &Model,
    best: &Point,
    slots: &Slots,
    covariance: &Matrix,
) -> Ratings {
    let names = results.players();
    let n = names.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| best.ratings[b].total_cmp(&best.ratings[a]).then_with(|| names[a].cmp(&names[b])));
    let cell = |i: Option<usize>, j: Option<usize>| match (i, j) {
        (Some(i), Some(j)) => ELO * ELO * covariance.at(i, j),
        _ => 0.0,
    };
    let (mut tallies, mut opponents) = (vec![Tally::default(); n], vec![0.0; n]);
    for (i, j, t) in results.indexed() {
        tallies[i] += t;
        tallies[j] += t.reversed();
        opponents[i] += t.games() as f64 * best.ratings[j] * ELO;
        opponents[j] += t.games() as f64 * best.ratings[i] * ELO;
    }
    let player = |(rank, &i): (usize, &usize)| {
        let elo = best.ratings[i] * ELO;
        let std_error = cell(slots.ratings[i], slots.ratings[i]).max(0.0).sqrt();
        let per_game = |x: f64| if tallies[i].games() == 0 { 0.0 } else { x / tallies[i].games() as f64 };
        PlayerRating {
            rank: rank + 1,
            name: names[i].clone(),
            elo,
            std_error,
            low: elo - Z95 * std_error,
            high: elo + Z95 * std_error,
            games: tallies[i].games(),
            score: per_game(tallies[i].points()),
            opponents_mean: per_game(opponents[i]),
            draws: per_game(tallies[i].draws as f64),
            anchor: settings.anchors.contains_key(&names[i]),
        }
    };
    let players: Vec<PlayerRating> = order.iter().enumerate().map(player).collect();
    let covariance: Vec<Vec<f64>> =
        order.iter().map(|&i| order.iter().map(|&j| cell(slots.ratings[i], slots.ratings[j])).collect()).collect();
    let estimate = |value: f64, slot| Estimate { elo: value * ELO, std_error: cell(slot, slot).max(0.0).sqrt() };
    Ratings {
        superiority: superiority(&players, &covariance),
        players,
        advantage: estimate(best.advantage, slots.advantage),
        draw: estimate(best.draw, slots.draw),
        log_likelihood: model.log_likelihood(best),
        covariance,
    }
}

/// Variance of the difference between two ratings, in Elo².
pub(super) fn difference_variance(covariance: &[Vec<f64>], i: usize, j: usize) -> f64 {
    (covariance[i][i] + covariance[j][j] - 2.0 * covariance[i][j]).max(0.0)
}

fn superiority(players: &[PlayerRating], covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let probability = |i: usize, j: usize| {
        let difference = players[i].elo - players[j].elo;
        if i == j || difference == 0.0 {
            return 0.5;
        }
        // Two anchors differ with certainty: the quotient is infinite, and its probability 0 or 1.
        normal_cdf(difference / difference_variance(covariance, i, j).sqrt())
    };
    (0..players.len()).map(|i| (0..players.len()).map(|j| probability(i, j)).collect()).collect()
}
