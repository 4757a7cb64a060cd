//! What a training search is made of.

use serde::{Deserialize, Serialize};

/// The deepest search there is, extensions included.
pub(super) const MAX_PLY: usize = 120;

/// Settings of a training search; the defaults are the paper's where it says anything.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TrainingSearchSettings {
    /// Plies to look ahead at most, 1 to 64. With 64 nodes or time decide.
    pub depth: u32,
    /// Positions to look at for a move; 0 for no limit. Whatever limit comes first ends a search, but not before the
    /// first ply.
    pub nodes: u64,
    /// Whether lines are left out that cannot matter (αβ); without it the tree is minimax's, and every value exact.
    /// Default true.
    pub pruning: bool,
    /// Without `pruning`: only positions that are searched at least so many plies deep have exact values, and what lies below them
    /// is pruned all the same, which changes none of these values. As much as the least depth that a learner learns from makes
    /// trees deeper for nothing. Default 0: nothing is pruned.
    #[serde(skip_serializing_if = "is_zero")]
    pub exact_depth: u32,
    /// Whether to look at captures and answers to checks beyond the depth. Default true.
    pub quiescence: bool,
    /// Whether positions in check are searched one ply deeper. Default true.
    pub check_extension: bool,
    /// Size of the transposition table in MiB.
    pub table_mib: usize,
}

/// 10,000 positions, however deep, and 16 MiB.
impl Default for TrainingSearchSettings {
    fn default() -> Self {
        TrainingSearchSettings {
            depth: 64,
            nodes: 10_000,
            pruning: true,
            exact_depth: 0,
            quiescence: true,
            check_extension: true,
            table_mib: 16,
        }
    }
}

/// Recipes of runs from before there was such a setting say nothing about it.
fn is_zero(number: &u32) -> bool {
    *number == 0
}
