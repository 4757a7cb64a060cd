//! [`Tunables`]: the numbers in the tournament search that no theory gives.

use serde::{Deserialize, Serialize};

/// How far the parts of the tournament search go. Margins are hundredths of a pawn as the evaluation counts them, reductions
/// 1024ths of a ply. Useful values lie within a factor of two or three of the defaults, and depend on each other and a little on the
/// evaluation; what the parts are is said where their switches are, in [`TournamentSettings`](super::TournamentSettings).
///
/// The defaults are what `afterstate tune` found in 8,136 games of a network against itself, 10,000 positions a move, but for those of
/// parts that came later, and for that of delta pruning, which was too small (`papers/2009-treestrap/SEARCH.md`).
///
/// ```
/// use afterstate_engine::search::Tunables;
/// let bold: Tunables = serde_json::from_str(r#"{ "reverse-futility": 60 }"#).unwrap();
/// assert_eq!(bold, Tunables { reverse_futility: 60, ..Tunables::default() });
/// ```
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Tunables {
    /// Half the width of an iteration's first window.
    pub aspiration_window: i32,
    /// How much the evaluation must exceed beta for each ply of depth so that a position is left alone.
    pub reverse_futility: i32,
    /// How far the evaluation must be below alpha so that a position gets only quiescence, …
    pub razoring: i32,
    /// … and as much more for each ply of depth.
    pub razoring_ply: i32,
    /// How much less deep a null move is searched, …
    pub null_move: i32,
    /// … and as much more for each ply of depth.
    pub null_move_ply: i32,
    /// A null move is searched a ply less deep for each time that the evaluation exceeds beta by so much, up to three times.
    pub null_move_excess: i32,
    /// A null move is tried if the evaluation is at least beta, this much more, …
    pub null_move_margin: i32,
    /// … and this much less for each ply of depth.
    pub null_move_slope: i32,
    /// How much better than beta a capture must be by a shallow search so that it need not be searched deep.
    pub probcut: i32,
    /// How much less deep late moves are searched at least, …
    pub reduction: i32,
    /// … and as much more for each unit of ln(depth) · ln(number of the move), …
    pub reduction_growth: i32,
    /// … and as much less for each 1024 that the histories count for the move (they count up to 65,536 either way), …
    pub reduction_history: i32,
    /// … and as much less for each 1024 that capture history counts for one that takes something (up to 16,384 either way), …
    pub reduction_capture_history: i32,
    /// … and as much more where the side to move does not improve, …
    pub reduction_worsening: i32,
    /// … where the node is expected to be refuted, …
    pub reduction_cut: i32,
    /// … and as much less where the node was once part of a principal variation, …
    pub reduction_principal: i32,
    /// … for a move that gives check, …
    pub reduction_check: i32,
    /// … and for a capture that loses nothing.
    pub reduction_capture: i32,
    /// How much less deep a late quiet move is searched where the table's move takes something.
    pub reduction_noisy_hint: i32,
    /// A late move that is better than all before it by so much, and twice this for each ply that it is searched again, gets a ply
    /// more then; …
    pub research_deeper: i32,
    /// … and one that is not better by so much a ply less.
    pub research_shallower: i32,
    /// So many 1024ths of moves are tried at depth 0, …
    pub late_moves: i32,
    /// … and so many more for each unit of depth², half of it all where the side to move does not improve.
    pub late_moves_growth: i32,
    /// How far the evaluation must be below alpha so that quiet moves are left out, …
    pub futility: i32,
    /// … and as much more for each ply of depth.
    pub futility_ply: i32,
    /// How far below 0 the histories must count (they count up to 65,536 either way) so that a quiet move is left out, for each ply that
    /// it would be searched.
    pub history_pruning: i32,
    /// What a capture may lose by exchange for each ply of depth.
    pub exchange_capture: i32,
    /// What a quiet move may lose by exchange for each unit of depth².
    pub exchange_quiet: i32,
    /// How much better than all others a move must be to be singular, for each ply of depth, in 16ths of a hundredth.
    pub singular: i32,
    /// How much better still it must be for a second ply of extension.
    pub singular_doubly: i32,
    /// How much more than what it takes a capture may bring.
    pub delta: i32,
    /// How much more than what the histories count (up to 65,536 either way) a quiet move counts in the order of moves that takes a knight
    /// or bishop away from cheaper attackers, as much less one that brings it before them; …
    pub escape_minor: i32,
    /// … of a rook, …
    pub escape_rook: i32,
    /// … and of a queen.
    pub escape_queen: i32,
    /// How much more one counts that gives check.
    pub quiet_check: i32,
    /// How much a refutation moves the histories for each ply of depth, …
    pub history_ply: i32,
    /// … how much less in any case, …
    pub history_less: i32,
    /// … and at most.
    pub history_most: i32,
    /// What part of that, in 1024ths, a late move moves continuation history that was searched less deep and seemed better than alpha, …
    pub history_reduced_better: i32,
    /// … or did not.
    pub history_reduced_worse: i32,
    /// The most that an evaluation is corrected by what searches with the same pawns showed, …
    pub correction_pawns: i32,
    /// … and by those with the same pieces of one side.
    pub correction_pieces: i32,
    /// By how many 1024ths of a part a hundredth of a pawn that it was still off moves a correction, for each ply of depth; all of it
    /// is 1024 parts.
    pub correction_rate: i32,
}

impl Default for Tunables {
    fn default() -> Self {
        Tunables {
            aspiration_window: 14,
            reverse_futility: 80,
            razoring: 122,
            razoring_ply: 281,
            null_move: 3905,
            null_move_ply: 326,
            null_move_excess: 232,
            null_move_margin: 115,
            null_move_slope: 18,
            probcut: 197,
            reduction: 1338,
            reduction_growth: 491,
            reduction_history: 96,
            reduction_capture_history: 288,
            reduction_worsening: 1161,
            reduction_cut: 956,
            reduction_principal: 888,
            reduction_check: 1043,
            reduction_capture: 994,
            reduction_noisy_hint: 1024,
            research_deeper: 43,
            research_shallower: 16,
            late_moves: 3424,
            late_moves_growth: 1508,
            futility: 134,
            futility_ply: 83,
            history_pruning: 5000,
            exchange_capture: 103,
            exchange_quiet: 20,
            singular: 29,
            singular_doubly: 20,
            delta: 450,
            escape_minor: 7000,
            escape_rook: 12000,
            escape_queen: 16000,
            quiet_check: 8000,
            history_ply: 249,
            history_less: 73,
            history_most: 1865,
            history_reduced_better: 512,
            history_reduced_worse: 128,
            correction_pawns: 42,
            correction_pieces: 16,
            correction_rate: 384,
        }
    }
}
