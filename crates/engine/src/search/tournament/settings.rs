//! Which parts the tournament search is made of.

use super::Tunables;
use serde::{Deserialize, Serialize};

/// The deepest iteration there is.
pub const MAX_TOURNAMENT_DEPTH: u32 = 100;

/// Settings of the tournament search. Each part can be switched off; the sources are named where the parts are.
///
/// ```
/// use afterstate_engine::search::TournamentSettings;
/// let settings: TournamentSettings = serde_json::from_str(r#"{ "threads": 2, "null-move": false }"#).unwrap();
/// assert_eq!(settings, TournamentSettings { threads: 2, null_move: false, ..Default::default() });
/// ```
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TournamentSettings {
    /// How deep to search if the limits do not say, in plies, from 1 to [`MAX_TOURNAMENT_DEPTH`], which is the default: the
    /// clock decides.
    pub depth: u32,
    /// Threads that search together (lazy SMP). With one, equal searches give equal results. Default 1.
    pub threads: usize,
    /// Size of the table of positions in MiB. Default 16.
    pub table_mib: usize,
    /// Whether what the table knows of a position replaces searching it. Without, the table still orders moves. Default true.
    pub transpositions: bool,
    /// Whether an iteration begins with a narrow window around the score of the one before. Default true.
    pub aspiration: bool,
    /// Whether all moves but a node's first are asked at first only whether they are better. Default true.
    pub principal_variation: bool,
    /// Whether a side that can repeat a position counts as having a draw before it does. Default true.
    pub cycles: bool,
    /// Whether lines are cut that cannot be better than a mate already found. Default true.
    pub mate_distance: bool,
    /// Whether a position that is expected to be refuted is left alone if it is good enough even if its side passes. Default true.
    pub null_move: bool,
    /// Whether a position is left alone whose evaluation is far better than needed, near the leaves. Default true.
    pub reverse_futility: bool,
    /// Whether a position whose evaluation is hopeless gets only quiescence, near the leaves. Default true.
    pub razoring: bool,
    /// Whether a position is left alone that a capture refutes with great probability (ProbCut). Default true.
    pub probcut: bool,
    /// Whether a position of which the table knows no move is searched less deep. Default true.
    pub internal_iterative_reduction: bool,
    /// Whether late moves are searched less deep at first. Default true.
    pub late_move_reductions: bool,
    /// Whether a late move that proves much better than those before it is searched deeper than they were, and one that proves
    /// hardly better less deep. Default true.
    pub adaptive_research: bool,
    /// Whether late quiet moves are searched less deep still where the table's move takes something. Default true.
    pub noisy_hint_reduction: bool,
    /// Whether late quiet moves are left out near the leaves. Default true.
    pub late_move_pruning: bool,
    /// Whether quiet moves are left out near the leaves if the evaluation is hopeless. Default true.
    pub futility: bool,
    /// Whether quiet moves that did badly everywhere are left out near the leaves. Default true.
    pub history_pruning: bool,
    /// Whether moves that lose material by exchange are left out near the leaves. Default true.
    pub exchange_pruning: bool,
    /// Whether a side whose evaluation rises is pruned less against and one whose evaluation falls more. Default true.
    pub improving: bool,
    /// Whether moves that give check are searched deeper. Default true.
    pub check_extension: bool,
    /// Whether a move that is much better than all others of its node is searched deeper, by two plies if it is better still; and whether a
    /// node is left alone, or its best move searched less deep, where others are as good (multi-cut). Default true.
    pub singular_extension: bool,
    /// Whether quiet moves that lately refuted positions as far from the root are tried early. Default false: the
    /// histories order moves better.
    pub killers: bool,
    /// Whether the quiet move that last refuted the move before is tried early. Default false, for the same reason.
    pub counter_moves: bool,
    /// Whether quiet moves are ordered by how they did anywhere (butterfly history). Default true.
    pub history: bool,
    /// Whether quiet moves are ordered by how they did after the moves before them. Default true.
    pub continuation_history: bool,
    /// Whether continuation history learns from late moves that were searched less deep. Default true.
    pub reduced_history: bool,
    /// Whether quiet moves that take a piece away from cheaper attackers come early, and those that put it there late. Default true.
    pub escapes: bool,
    /// Whether butterfly history tells moves apart by whether their squares are attacked. Default true.
    pub threat_history: bool,
    /// Whether quiet moves are ordered by how they did with the same pawns. Default true.
    pub pawn_history: bool,
    /// Whether quiet moves that give check, and that lose nothing by it, come early. Default true.
    pub quiet_checks: bool,
    /// Whether captures are ordered, and searched less deep, also by how they did anywhere. Default true.
    pub capture_history: bool,
    /// Whether evaluations are corrected by how far they were off in positions with the same pawns. Default true.
    pub correction_history: bool,
    /// Whether they are corrected, too, by how far they were off in positions with the same pieces of either side. Default true.
    pub piece_correction: bool,
    /// Whether an advantage that can hardly be won, with few men left, counts for less. Default true.
    pub endings: bool,
    /// Whether quiescence takes the table's score for the evaluation where its bound allows. Default true.
    pub quiescence_table: bool,
    /// Whether quiescence leaves out captures that cannot bring the evaluation near enough. Default true.
    pub delta_pruning: bool,
    /// Whether quiescence leaves out captures that lose material by exchange and, in check, all quiet moves after one that is no loss.
    /// Default true.
    pub quiescence_exchange: bool,
    /// How far the parts go.
    pub tunables: Tunables,
}

impl Default for TournamentSettings {
    fn default() -> Self {
        TournamentSettings {
            depth: MAX_TOURNAMENT_DEPTH,
            threads: 1,
            table_mib: 16,
            transpositions: true,
            aspiration: true,
            principal_variation: true,
            cycles: true,
            mate_distance: true,
            null_move: true,
            reverse_futility: true,
            razoring: true,
            probcut: true,
            internal_iterative_reduction: true,
            late_move_reductions: true,
            adaptive_research: true,
            noisy_hint_reduction: true,
            late_move_pruning: true,
            futility: true,
            history_pruning: true,
            exchange_pruning: true,
            improving: true,
            check_extension: true,
            singular_extension: true,
            killers: false,
            counter_moves: false,
            history: true,
            continuation_history: true,
            reduced_history: true,
            escapes: true,
            threat_history: true,
            pawn_history: true,
            quiet_checks: true,
            capture_history: true,
            correction_history: true,
            piece_correction: true,
            endings: true,
            quiescence_table: true,
            delta_pruning: true,
            quiescence_exchange: true,
            tunables: Tunables::default(),
        }
    }
}

impl TournamentSettings {
    /// Nothing that guesses, and no table: a search with these finds the minimax value of its depth, with quiescence at the
    /// leaves. What only orders moves stays.
    ///
    /// ```
    /// use afterstate_engine::search::TournamentSettings;
    /// let settings = TournamentSettings::full_width();
    /// assert!(!settings.null_move && settings.principal_variation && settings.history);
    /// ```
    pub fn full_width() -> Self {
        TournamentSettings {
            transpositions: false,
            cycles: false,
            mate_distance: false,
            null_move: false,
            reverse_futility: false,
            razoring: false,
            probcut: false,
            internal_iterative_reduction: false,
            late_move_reductions: false,
            adaptive_research: false,
            noisy_hint_reduction: false,
            late_move_pruning: false,
            futility: false,
            history_pruning: false,
            exchange_pruning: false,
            check_extension: false,
            singular_extension: false,
            correction_history: false,
            piece_correction: false,
            endings: false,
            quiescence_table: false,
            delta_pruning: false,
            quiescence_exchange: false,
            ..TournamentSettings::default()
        }
    }
}
