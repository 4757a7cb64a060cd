//! Which parts alpha-beta search is made of.

use serde::{Deserialize, Serialize};

/// The deepest search there is.
pub const MAX_DEPTH: u32 = 64;

/// Settings of alpha-beta search.
///
/// ```
/// use afterstate_engine::search::AlphaBetaSettings;
/// let settings: AlphaBetaSettings = serde_json::from_str(r#"{ "depth": 6, "table-mib": 64 }"#).unwrap();
/// assert_eq!(settings, AlphaBetaSettings { depth: 6, table_mib: 64, ..Default::default() });
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct AlphaBetaSettings {
    /// Plies to look ahead, from 1 (which is greedy) to [`MAX_DEPTH`]; what lies outside is taken as the
    /// nearer of the two. A budget's depth limits it further; to let the clock decide, make it large. Default 4.
    pub depth: u32,
    /// Whether positions that several lines reach are looked up instead of searched again. Default true.
    pub transpositions: bool,
    /// Size of the table of such positions in MiB. Default 16.
    pub table_mib: usize,
    /// How many threads search together; 0 counts as 1. They find the same value, but for null moves, in less time, two in 0.6 of it. They help each
    /// other through the table, so that without one a single thread searches. Limits in positions are shared evenly. For searches
    /// made by [`AlphaBeta::indexed`](super::AlphaBeta::indexed). Default 1.
    pub threads: usize,
    /// Whether to search 2, 3, … plies deep before `depth`: it costs little, orders the moves, and gives
    /// an answer at any time. Default true.
    pub deepening: bool,
    /// Whether moves after the first are asked at first only whether they are better (principal-variation search).
    /// Default true.
    pub principal_variation: bool,
    /// Whether moves that lately refuted other positions as far from the root are tried early. Default true.
    pub killers: bool,
    /// Whether moves that often refuted positions anywhere are tried earlier than their looks say. For searches made by
    /// [`AlphaBeta::indexed`](super::AlphaBeta::indexed). Default false: values of afterstates order moves well already.
    pub history: bool,
    /// Whether a position is left alone that is too good for the opponent to allow even if its side passes (null-move
    /// pruning). Alone of all it may change the result. For searches made by
    /// [`AlphaBeta::indexed`](super::AlphaBeta::indexed), in games with a pass. Default false.
    pub null_move: bool,
}

impl Default for AlphaBetaSettings {
    fn default() -> Self {
        AlphaBetaSettings {
            depth: 4,
            transpositions: true,
            table_mib: 16,
            threads: 1,
            deepening: true,
            principal_variation: true,
            killers: true,
            history: false,
            null_move: false,
        }
    }
}
