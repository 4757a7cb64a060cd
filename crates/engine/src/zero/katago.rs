//! KataGo's ways to see more positions and to learn more from them, each by itself (D. Wu, *Accelerating self-play
//! learning in Go*, 2019; paper 004, §5). Forced playouts are the [search's](crate::search::PuctSettings::forced_playouts).

use super::branching::Branching;
use afterstate_games::Rng;
use afterstate_games::rng::unit;
use rand_distr::{Distribution, Exp1};
use serde::{Deserialize, Serialize};

/// Which of them are in use; by default none.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct KataGoSettings {
    /// Trajectory initialisation: the mean number of moves drawn from the raw policy before a trajectory begins. The
    /// number is drawn from an exponential distribution, and rounded down. KataGo has 0.04 for each point of the board;
    /// 0: none.
    pub initialisation: f32,
    /// Branching: other moves than those of the game are looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branching: Option<Branching>,
    /// Playout-cap randomisation: most moves are searched fast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playout_cap: Option<PlayoutCap>,
}

/// Some searches are full, with noise, and give examples; the others are fast, and only play the game on.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PlayoutCap {
    /// The share of full searches.
    pub full_share: f32,
    /// Simulations of a fast search.
    pub fast: u32,
}

/// KataGo's share. The paper's program has 80 simulations for fast searches of 9×9 Go, whose full ones have 400; as large a part of
/// the 100 of Connect Four are 20, which no source gives.
impl Default for PlayoutCap {
    fn default() -> Self {
        PlayoutCap { full_share: 0.25, fast: 20 }
    }
}

impl KataGoSettings {
    /// How many moves of the raw policy a trajectory begins with.
    pub(super) fn initial_moves(&self, rng: &mut Rng) -> u32 {
        match self.initialisation {
            mean if mean > 0.0 => exponential(mean, rng) as u32,
            _ => 0,
        }
    }

    /// Simulations for the next move, of which a full search has so many, and whether it is one to learn from.
    pub(super) fn iterations(&self, full: u32, rng: &mut Rng) -> (u32, bool) {
        match self.playout_cap {
            Some(cap) if unit(rng) >= cap.full_share => (cap.fast, false),
            _ => (full, true),
        }
    }
}

/// A number of the exponential distribution of this mean.
pub(super) fn exponential(mean: f32, rng: &mut Rng) -> f32 {
    let number: f32 = Exp1.sample(rng);
    mean * number
}
