//! The log-posterior of ratings, with gradient and curvature.
//!
//! Everything here is in natural units: `1` is `400 / ln 10` Elo.

use super::cholesky::Matrix;
use super::{Parameter, RatingSettings, Results};

/// Elo per natural unit.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The games of one ordered pair, with the prior's share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Observation {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) wins: f64,
    pub(super) draws: f64,
    pub(super) losses: f64,
    /// Virtual draws with `first` moving first.
    pub(super) prior: f64,
}

impl Observation {
    /// What the first player is ahead by, in natural units, moving first included.
    fn x(&self, at: &Point) -> f64 {
        at.ratings[self.first] - at.ratings[self.second] + at.advantage
    }
}

/// All that the log-posterior depends on, and which of it is unknown.
pub(super) struct Model {
    pub(super) observations: Vec<Observation>,
    /// Ratings that are given; `None` for those to be found.
    pub(super) known: Vec<Option<f64>>,
    pub(super) known_advantage: Option<f64>,
    pub(super) known_draw: Option<f64>,
    /// Virtual draws of equal players, and as many virtual decisions: by them alone the draw parameter stays finite where everything is
    /// drawn. One half: Jeffreys's prior of the share of draws.
    pub(super) even: f64,
}

/// A value for every parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    pub(super) ratings: Vec<f64>,
    pub(super) advantage: f64,
    pub(super) draw: f64,
}

/// Where the unknowns stand in the gradient's vector.
pub(super) struct Slots {
    pub(super) ratings: Vec<Option<usize>>,
    pub(super) advantage: Option<usize>,
    pub(super) draw: Option<usize>,
    pub(super) count: usize,
}

/// The log-posterior at one point. `curvature` is minus the Hessian.
pub(super) struct Posterior {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) curvature: Matrix,
}

/// `ln σ(x)` without overflow.
fn ln_sigmoid(x: f64) -> f64 {
    if x > 0.0 { -(-x).exp().ln_1p() } else { x - x.exp().ln_1p() }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `ln(e^(2d) − 1)`, the draws' factor, without overflow.
fn ln_draw_factor(d: f64) -> f64 {
    2.0 * d + (-(-2.0 * d).exp_m1()).ln()
}

impl Model {
    pub(super) fn new(results: &Results, settings: &RatingSettings) -> Model {
        let mut games = vec![0u64; results.players().len()];
        let mut drawn = false;
        for (i, j, t) in results.indexed() {
            games[i] = games[i].saturating_add(t.games());
            games[j] = games[j].saturating_add(t.games());
            drawn |= t.draws > 0;
        }
        // Both players of a pair give their share, and of each share half goes to each order of moving.
        let share = |own: u64, player: usize| match games[player] {
            0 => 0.0,
            all => settings.prior_draws / 4.0 * own as f64 / all as f64,
        };
        let mut pairs = std::collections::BTreeMap::<(usize, usize), Observation>::new();
        for (i, j, t) in results.indexed() {
            let prior = share(t.games(), i) + share(t.games(), j);
            for (first, second) in [(i, j), (j, i)] {
                let blank = Observation { first, second, wins: 0.0, draws: 0.0, losses: 0.0, prior: 0.0 };
                pairs.entry((first, second)).or_insert(blank).prior += prior;
            }
            if let Some(o) = pairs.get_mut(&(i, j)) {
                o.wins += t.wins as f64;
                o.draws += t.draws as f64;
                o.losses += t.losses as f64;
            }
        }
        let fixed = |p: Parameter| match p {
            Parameter::Fixed(elo) => Some(elo / ELO),
            Parameter::Fitted => None,
        };
        // With no draw the likelihood only grows towards 0, where the parameter's range ends.
        let known_draw = if !drawn && settings.draw == Parameter::Fitted { Some(0.0) } else { fixed(settings.draw) };
        Model {
            observations: pairs.into_values().collect(),
            known: results.players().iter().map(|p| settings.anchors.get(p).map(|elo| elo / ELO)).collect(),
            known_advantage: fixed(settings.advantage),
            known_draw,
            even: if known_draw.is_none() && settings.prior_draws > 0.0 { 0.5 } else { 0.0 },
        }
    }

    pub(super) fn slots(&self) -> Slots {
        let mut count = 0;
        let mut slot = |unknown: bool| {
            unknown.then(|| {
                count += 1;
                count - 1
            })
        };
        let ratings = self.known.iter().map(|k| slot(k.is_none())).collect();
        let advantage = slot(self.known_advantage.is_none());
        let draw = slot(self.known_draw.is_none());
        Slots { ratings, advantage, draw, count }
    }

    /// Where the search begins: all unknown ratings at the anchors' mean, no advantage, and the draw parameter
    /// that equal players would have.
    pub(super) fn start(&self) -> Point {
        let anchors: Vec<f64> = self.known.iter().flatten().copied().collect();
        let middle = if anchors.is_empty() { 0.0 } else { anchors.iter().sum::<f64>() / anchors.len() as f64 };
        let games: f64 = self.observations.iter().map(|o| o.wins + o.draws + o.losses).sum();
        let draws: f64 = self.observations.iter().map(|o| o.draws).sum();
        let share = (draws / games.max(1.0)).clamp(0.001, 0.9);
        Point {
            ratings: self.known.iter().map(|k| k.unwrap_or(middle)).collect(),
            advantage: self.known_advantage.unwrap_or(0.0),
            draw: self.known_draw.unwrap_or(((1.0 + share) / (1.0 - share)).ln()),
        }
    }

    /// The log-posterior. Virtual draws speak about strength, not about how often games are drawn: each is a win and a loss of a game
    /// that knows no draws.
    pub(super) fn value(&self, at: &Point) -> f64 {
        let prior = |o: &Observation| {
            let x = o.x(at);
            o.prior * (ln_sigmoid(x) + ln_sigmoid(-x))
        };
        self.log_likelihood(at) + self.observations.iter().map(prior).sum::<f64>() + self.of_even(at.draw)
    }

    /// What equal players add, who decide with probability 2 σ(−d) and draw with tanh(d/2).
    fn of_even(&self, d: f64) -> f64 {
        if self.even > 0.0 { self.even * (ln_sigmoid(-d) + (d / 2.0).tanh().ln()) } else { 0.0 }
    }

    /// The log-likelihood of the real games.
    pub(super) fn log_likelihood(&self, at: &Point) -> f64 {
        let term = |o: &Observation| {
            let x = o.x(at);
            let drawn = if o.draws > 0.0 { o.draws * ln_draw_factor(at.draw) } else { 0.0 };
            (o.wins + o.draws) * ln_sigmoid(x - at.draw) + (o.losses + o.draws) * ln_sigmoid(-x - at.draw) + drawn
        };
        self.observations.iter().map(term).sum()
    }

    /// The log-posterior with its derivatives in the unknowns.
    pub(super) fn posterior(&self, at: &Point, slots: &Slots) -> Posterior {
        let mut out =
            Posterior { value: self.value(at), gradient: vec![0.0; slots.count], curvature: Matrix::zero(slots.count) };
        for o in &self.observations {
            let x = o.x(at);
            let terms = [
                (o.wins + o.draws, 1.0, slots.draw),
                (o.losses + o.draws, -1.0, slots.draw),
                (o.prior, 1.0, None),
                (o.prior, -1.0, None),
            ];
            for (i, (count, sign, draw)) in terms.into_iter().enumerate() {
                // d ln σ(u) / du = σ(−u), and once more −σ(u) σ(−u); u is linear in the unknowns.
                let u = sign * x - if i < 2 { at.draw } else { 0.0 };
                let slope = count * sigmoid(-u);
                let bend = count * sigmoid(u) * sigmoid(-u);
                let parts = [
                    (slots.ratings[o.first], sign),
                    (slots.ratings[o.second], -sign),
                    (slots.advantage, sign),
                    (draw, -1.0),
                ];
                for &(row, a) in &parts {
                    let Some(row) = row else { continue };
                    out.gradient[row] += a * slope;
                    for &(column, b) in &parts {
                        let Some(column) = column else { continue };
                        out.curvature.add(row, column, a * b * bend);
                    }
                }
            }
            if let Some(d) = slots.draw {
                // d ln(e^(2d) − 1) = 2 / (1 − e^(−2d)), and once more −4 e^(−2d) / (1 − e^(−2d))².
                let e = (-2.0 * at.draw).exp();
                out.gradient[d] += o.draws * 2.0 / (1.0 - e);
                out.curvature.add(d, d, o.draws * 4.0 * e / (1.0 - e).powi(2));
            }
        }
        if let Some(d) = slots.draw {
            // d ln tanh(d/2) = 1 / sinh d, and once more −cosh d / sinh² d.
            let (sinh, cosh) = (at.draw.sinh(), at.draw.cosh());
            out.gradient[d] += self.even * (1.0 / sinh - sigmoid(at.draw));
            out.curvature.add(d, d, self.even * (cosh / sinh.powi(2) + sigmoid(at.draw) * sigmoid(-at.draw)));
        }
        out
    }
}

impl Point {
    /// This point moved by `scale` times `step`, a vector in the order of `slots`.
    pub(super) fn moved(&self, step: &[f64], scale: f64, slots: &Slots) -> Point {
        let by = |slot: Option<usize>| slot.map_or(0.0, |s| scale * step[s]);
        Point {
            ratings: self.ratings.iter().zip(&slots.ratings).map(|(r, &s)| r + by(s)).collect(),
            advantage: self.advantage + by(slots.advantage),
            draw: self.draw + by(slots.draw),
        }
    }
}
