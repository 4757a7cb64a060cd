//! How long to think about a move, given what the clock says.
//!
//! ```text
//! n    = max((L − ply) / 2, n₀)                 own moves that are still expected; L: a game's usual length, in plies
//!        or D, whatever the ply                 time decays exponentially
//! N    = max(L − ply / 2, 2·n)                  own moves that there will hardly be more of
//! r    = main time left − margin − N·overhead   what can be shared out
//!
//! sudden death   t = r/n                        most = r/3
//! Fischer        t = r/n + i                    most = r/3 + i, at most main time left − margin
//!                                               i = 0.8 · (increment − overhead)
//! Japanese       t = max(r/n, p − margin)       most = max(r/3, p − margin)
//!                                               p: what is left of the period
//! Canadian       t = max(r/n, s)                most = max(r/3, s)
//!                                               s = (period left − margin − k·overhead) / k, k: moves left in the period
//! per move       t = most = limit − margin
//! ```
//!
//! A search ends early when the most visited move cannot be overtaken in what is left of `t`
//! (`MctsSettings::early_stop`), and in either case goes on, up to `stretch`·`t` but never beyond `most`, while the most visited
//! move is not the one of the best value. Both rules, and shares that fall with the length of the game, are those of
//! S.-C. Huang, R. Coulom and S.-S. Lin, *Time management for Monte-Carlo tree search applied to the game of Go*, 2010.
//!
//! With D (`decay`) every move gets the same part of what is left: the time control of RLGO (paper 000, §6.1).
//!
//! The margin is what the machine may add to a move: it is never shared out. Where a period or a move has a limit of
//! its own, it is at most three tenths of that. When nothing can be shared out, a move still gets [`TimeSettings::least`].
//!
//! All this is for games whose length is known about, as in Go. Games of chess may end in twenty moves or in two hundred:
//! [`share_out`] is theirs.

mod open_ended;

pub use open_ended::{TimeLeft, share_out, use_up};

use crate::clock::{Clock, TimeControl};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Settings of [`plan`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TimeSettings {
    /// L: how long a game usually is, in moves of both sides. Default 80.
    pub game_length: f32,
    /// n₀: as if so many own moves were always to come. Default 10.
    pub least_moves: f32,
    /// D: a move gets one part in so many of what is left; `None`: as the length of the game has it. Default `None`.
    pub decay: Option<f32>,
    /// What a move may take beyond its deadline without losing on time, in seconds. Default 0.1.
    pub margin: f32,
    /// What every move costs beyond its thinking, in seconds. Default 0.005.
    pub overhead: f32,
    /// How many times its share an undecided move may take. Default 2.
    pub stretch: f32,
    /// What a move gets at least, in seconds. Default 0.001.
    pub least: f32,
}

impl Default for TimeSettings {
    fn default() -> Self {
        TimeSettings {
            game_length: 80.0,
            least_moves: 10.0,
            decay: None,
            margin: 0.1,
            overhead: 0.005,
            stretch: 2.0,
            least: 0.001,
        }
    }
}

/// How long to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// As a rule.
    pub share: Duration,
    /// While the choice is unstable; never less than `share`.
    pub longest: Duration,
}

/// Plans the next move of the side whose `clock` this is, after `ply` moves of both sides; `None` if no time limits it.
///
/// ```
/// use afterstate_arena::time_manager::{TimeSettings, plan};
/// use afterstate_arena::Clock;
/// use std::time::Duration;
/// let settings = TimeSettings { game_length: 80.0, margin: 0.1, overhead: 0.0, stretch: 2.0, ..TimeSettings::default() };
/// // 10 seconds for 40 moves: (10 − 0.1) / 40, and twice that if need be.
/// let plan = plan(&Clock::new("10s".parse().unwrap(), Duration::ZERO), 0, &settings).unwrap();
/// assert_eq!((plan.share.as_micros(), plan.longest.as_micros()), (247_500, 495_000));
/// ```
pub fn plan(clock: &Clock, ply: usize, settings: &TimeSettings) -> Option<Plan> {
    let allowed = clock.allowed()?.as_secs_f64();
    let (main, margin) = (clock.main_left().as_secs_f64(), f64::from(settings.margin));
    let overhead = f64::from(settings.overhead);
    let expected = (f64::from(settings.game_length) - ply as f64) / 2.0;
    let own_moves = settings.decay.map_or(expected.max(f64::from(settings.least_moves)), f64::from).max(1.0);
    let most_moves = (f64::from(settings.game_length) - ply as f64 / 2.0).max(2.0 * own_moves);
    let rest = main - margin - most_moves * overhead;
    let without_margin = |limit: f64| limit - margin.min(0.3 * limit);
    let (share, most) = match clock.control() {
        TimeControl::None | TimeControl::Simulations(_) => return None,
        TimeControl::PerMove(limit) => (without_margin(limit.as_secs_f64()), without_margin(limit.as_secs_f64())),
        TimeControl::SuddenDeath(_) => (rest / own_moves, rest / 3.0),
        TimeControl::Fischer { increment, .. } => {
            let often = 0.8 * (increment.as_secs_f64() - overhead).max(0.0);
            (rest.max(0.0) / own_moves + often, rest.max(0.0) / 3.0 + often)
        }
        TimeControl::Japanese { .. } => {
            let free = without_margin(clock.period_left().as_secs_f64());
            ((rest / own_moves).max(free), (rest / 3.0).max(free))
        }
        TimeControl::Canadian { .. } => {
            let stones = f64::from(clock.count_left().max(1));
            let free = (without_margin(clock.period_left().as_secs_f64()) - stones * overhead) / stones;
            ((rest / own_moves).max(free), (rest / 3.0).max(free))
        }
    };
    let least = f64::from(settings.least).max(0.0);
    // With no more than the margin left, half of what there is: a share that cannot be thought out is no use.
    let most = most.min(without_margin(allowed)).max((allowed / 2.0).min(least)).max(0.0);
    let share = share.clamp(0.0, most).max(most.min(least));
    let longest = (share * f64::from(settings.stretch).max(1.0)).min(most).max(share);
    Some(Plan { share: Duration::from_secs_f64(share), longest: Duration::from_secs_f64(longest) })
}

#[cfg(test)]
mod tests;
