//! [`Tactics`]: what a search needs to know of a game so as not to stop in the middle of an exchange.

use crate::go::Go;
use crate::{Chess, ConnectFour, Deterministic, IndexedMoves, Side, TicTacToe, Turn};

/// A game that can say which positions are quiet. Games in which all are need not say anything.
///
/// ```
/// use afterstate_games::{Chess, Notation, Tactics};
/// let game = Chess::parse_position("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")?;
/// let mut moves = Vec::new();
/// game.forcing_moves(&mut moves);
/// assert_eq!(moves, [game.parse_move("e4d5")?]);
/// assert!(!game.is_check());
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub trait Tactics: Deterministic + IndexedMoves {
    /// Who moves, or would if the game were not over.
    fn to_move(&self) -> Side {
        match self.turn() {
            Turn::Player(side) => side,
            _ => Side::First,
        }
    }

    /// Whether the side to move has to answer a threat at once, so that the position is not quiet whatever it plays.
    fn is_check(&self) -> bool {
        false
    }

    /// Replaces the contents of `moves` by the legal ones that a search goes on with in positions that are not quiet.
    fn forcing_moves(&self, moves: &mut Vec<Self::Move>) {
        moves.clear();
    }

    /// How soon to try a legal move, larger first, by the rules of the game alone; 0 for those of which nothing is known.
    fn urgency(&self, mv: Self::Move) -> u32 {
        let _ = mv;
        0
    }
}

impl Tactics for TicTacToe {}
impl Tactics for ConnectFour {}
impl Tactics for Go {}

/// Captures are forcing.
impl Tactics for Chess {
    #[inline]
    fn to_move(&self) -> Side {
        self.side_to_move()
    }

    #[inline]
    fn is_check(&self) -> bool {
        !self.board().checkers().is_empty()
    }

    #[inline]
    fn forcing_moves(&self, moves: &mut Vec<Self::Move>) {
        self.captures(moves);
    }

    /// Captures, those of the most valuable victim by the least valuable attacker first.
    #[inline]
    fn urgency(&self, mv: Self::Move) -> u32 {
        self.exchange(mv).map_or(0, |(attacker, victim)| 8 * (victim as u32 + 1) + 6 - attacker as u32)
    }
}
