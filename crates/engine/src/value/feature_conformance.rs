//! What features promise, checked on random games: [`check_features`].
//!
//! A wrong increment shows nowhere as an error: something learns a little less than it could. Put features of your own through this
//! before anything learns with them, as a game goes through [`afterstate_games::conformance`].

use super::features::{ActiveChange, ActiveSet, Features};
use super::weights::Weights;
use afterstate_games::conformance::Settings;
use afterstate_games::playout::draw_chance;
use afterstate_games::rng::{below, stream, unit};
use afterstate_games::{Game, Turn};
use std::collections::BTreeMap;
use thiserror::Error;

/// A promise that features broke, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("features: expected that {promise}, but {detail}\n  after: {moves}")]
pub struct FeatureViolation {
    /// What all features promise.
    pub promise: &'static str,
    /// How it was broken.
    pub detail: String,
    /// The moves that led there from the start, as [`std::fmt::Debug`] writes them.
    pub moves: String,
}

/// What was broken, and how.
type Fault = (&'static str, String);

/// How far sums of the same weights may lie apart that are added up in another order, as a part of the sum of their sizes.
const ROUNDING: f32 = 1e-5;

/// Plays random games from `start` and checks in every position, finished ones included, what [`Features`] promise:
///
/// - weights are numbered from 0 to below [`Features::count`], and each has a description;
/// - a position has the same active features whenever it is asked for;
/// - [`Features::sum`] and [`Features::afterstate_sums`] are the sums of the active features' weights;
/// - [`Features::change`] leads from the active features of a position to those after each move.
///
/// Returns how many positions it has seen.
///
/// # Errors
///
/// The first broken promise.
///
/// ```
/// use afterstate_engine::value::{GridShapes, WindowSizes, check_features};
/// use afterstate_games::{TicTacToe, conformance};
/// let game = TicTacToe::new();
/// let shapes = GridShapes::new(&game, WindowSizes::new(&[1, 2]).unwrap());
/// assert!(check_features(&shapes, &game, conformance::Settings::default())? > 500);
/// # Ok::<(), afterstate_engine::value::FeatureViolation>(())
/// ```
pub fn check_features<G: Game, F: Features<G>>(
    features: &F,
    start: &G,
    settings: Settings,
) -> Result<u64, FeatureViolation> {
    let mut rng = stream(settings.seed, u64::MAX);
    let weights: Vec<f32> = (0..features.count()).map(|_| unit(&mut rng) - 0.5).collect();
    let weights = Weights::from_values(&weights);
    let (mut choices, mut chances, mut positions) = (Vec::new(), Vec::new(), 0);
    for number in 0..settings.games {
        let mut rng = stream(settings.seed, u64::from(number));
        let (mut game, mut played) = (start.clone(), Vec::new());
        loop {
            positions += 1;
            choices.clear();
            match game.turn() {
                Turn::Player(_) => game.legal_moves(&mut choices),
                Turn::Chance => {
                    game.chance_outcomes(&mut chances);
                    choices.extend(chances.iter().map(|&(outcome, _)| outcome));
                }
                Turn::Over(_) => {}
            }
            check_position(features, &weights, &game, &choices).map_err(|(promise, detail)| FeatureViolation {
                promise,
                detail,
                moves: format!("{played:?}"),
            })?;
            if choices.is_empty() || played.len() >= settings.longest_game as usize {
                break;
            }
            let mv = match game.turn() {
                Turn::Chance => draw_chance(&chances, &mut rng),
                _ => choices[below(&mut rng, choices.len() as u32) as usize],
            };
            game.play(mv);
            played.push(mv);
        }
    }
    Ok(positions)
}

fn check_position<G: Game, F: Features<G>>(
    features: &F,
    weights: &Weights,
    game: &G,
    moves: &[G::Move],
) -> Result<(), Fault> {
    let (active, size) = summed(features, weights, game)?;
    let same = |promise, found: f32, expected: f32, size: f32| match (found - expected).abs() <= ROUNDING * (1.0 + size)
    {
        true => Ok(()),
        false => Err((promise, format!("it is {found} and not {expected}"))),
    };
    let sum =
        |active: &Counts| active.iter().fold(0.0, |sum, (&index, &count)| sum + count as f32 * weights.get(index));
    same("the sum is that of the active features' weights", features.sum(game, weights), sum(&active), size)?;
    let mut sums = vec![f32::NAN];
    features.afterstate_sums(game, moves, weights, &mut sums);
    if sums.len() != moves.len() {
        let detail = format!("there are {} sums for {} moves", sums.len(), moves.len());
        return Err(("every move has the sum of its afterstate", detail));
    }
    for (&mv, &found) in moves.iter().zip(&sums) {
        let (mut after, mut change) = (game.clone(), ActiveChange::default());
        after.play(mv);
        let (expected, size) = summed(features, weights, &after)?;
        same("every move has the sum of its afterstate", found, sum(&expected), size)
            .map_err(|(promise, detail)| (promise, format!("for {mv:?} {detail}")))?;
        features.change(game, mv, &mut change);
        let mut changed = active.clone();
        change.shares().iter().for_each(|share| *changed.entry(share.index()).or_default() += share.sign() as i64);
        changed.retain(|&index, count| *count != 0 && index != features.count());
        if changed != expected {
            let index = changed.keys().chain(expected.keys()).find(|index| changed.get(index) != expected.get(index));
            let index = *index.expect("they differ somewhere");
            let [found, expected] = [&changed, &expected].map(|counts| counts.get(&index).copied().unwrap_or(0));
            let name = if index < features.count() { features.describe(index) } else { "no weight".to_string() };
            let detail = format!(
                "{mv:?} leads to weight {index} ({name}) counting {found} times, and in the position it counts {expected} times"
            );
            return Err(("what a move changes leads to the active features after it", detail));
        }
    }
    Ok(())
}

/// How often each weight counts, those that cancel left out.
type Counts = BTreeMap<usize, i64>;

/// What is active in a position, and the sum of the sizes of its weights.
fn summed<G: Game, F: Features<G>>(features: &F, weights: &Weights, game: &G) -> Result<(Counts, f32), Fault> {
    let (mut set, mut again) = (ActiveSet::default(), ActiveSet::default());
    features.active(game, &mut set);
    // What was in the set before must not show.
    again.clone_from(&set);
    features.active(game, &mut again);
    if set != again {
        let detail = format!("there are {} and then {}, or others", set.norm_squared(), again.norm_squared());
        return Err(("a position has the same active features again", detail));
    }
    let (mut counts, mut size) = (Counts::new(), 0.0);
    for share in set.shares() {
        if share.index() >= features.count() {
            let detail = format!("there is weight {} of {}", share.index(), features.count());
            return Err(("weights are numbered from 0 to below their count", detail));
        }
        if features.describe(share.index()).trim().is_empty() {
            return Err(("every weight has a description", format!("weight {} has none", share.index())));
        }
        *counts.entry(share.index()).or_default() += share.sign() as i64;
        size += weights.get(share.index()).abs();
    }
    counts.retain(|_, count| *count != 0);
    Ok((counts, size))
}
