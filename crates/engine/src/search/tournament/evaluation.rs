//! [`ChessEvaluation`]: what the tournament search asks for at its leaves.

use afterstate_games::Chess;
use afterstate_games::chess::cozy_chess::Board;

/// Evaluations beyond this, either way, are cut off: what lies farther out are mates. Meep's limit is the same.
pub const EVALUATION_LIMIT: i32 = 9_900;

/// A static evaluation of chess positions. Every thread of a search has a clone of its own, which may remember what it
/// computed, such as the evaluation of pawn structures.
///
/// The same position must get the same evaluation, whatever was asked before: otherwise searches cannot be repeated.
///
/// ```
/// use afterstate_engine::search::ChessEvaluation;
/// use afterstate_games::{Chess, chess::cozy_chess::{Color, Piece}};
///
/// #[derive(Clone)]
/// struct CountPawns;
///
/// impl ChessEvaluation for CountPawns {
///     fn evaluate(&mut self, game: &Chess) -> i32 {
///         let pawns = |color| game.board().colored_pieces(color, Piece::Pawn).len() as i32;
///         100 * (pawns(Color::White) - pawns(Color::Black))
///     }
/// }
/// assert_eq!(CountPawns.evaluate(&Chess::new()), 0);
/// ```
pub trait ChessEvaluation: Clone + Send + 'static {
    /// **White's** advantage in hundredths of a pawn, cut off at ±[`EVALUATION_LIMIT`].
    ///
    /// The search asks only of positions whose side to move is not in check. They may be stalemate, be drawn, or come
    /// after a null move.
    fn evaluate(&mut self, game: &Chess) -> i32;

    /// What men are worth here, in 64ths of what they are worth in the first position: what captures may bring grows with it. By
    /// default 64: the same everywhere.
    fn growth(&self, _board: &Board) -> i32 {
        64
    }
}
