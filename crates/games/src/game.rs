//! What a game is: [`Game`], and the few words that every game shares.

use crate::rng::{Rng, below};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// One of the two players. In Go and chess-like games `First` is Black and White respectively.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Moves first in an ordinary game.
    First,
    /// Moves second in an ordinary game.
    Second,
}

impl Side {
    /// The opponent.
    #[inline]
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first player, 1 for the second: for indexing tables of two.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How a finished game ended.
///
/// ```
/// use afterstate_games::{Outcome, Side};
/// assert_eq!(Outcome::win(Side::First).first_player_score(), 1.0);
/// assert_eq!(Outcome::DRAW.first_player_score(), 0.5);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub struct Outcome {
    /// Who won; `None` is a draw.
    pub winner: Option<Side>,
    /// What the game was worth: 1, or 2 and 3 for gammons and backgammons.
    pub stake: u8,
}

impl Outcome {
    /// Nobody won.
    pub const DRAW: Outcome = Outcome { winner: None, stake: 1 };

    /// A plain win.
    #[inline]
    pub const fn win(side: Side) -> Outcome {
        Outcome { winner: Some(side), stake: 1 }
    }

    /// 1 if the first player won, 0 if the second did, ½ for a draw: the `z` of the TD papers.
    #[inline]
    pub const fn first_player_score(self) -> f32 {
        match self.winner {
            Some(Side::First) => 1.0,
            Some(Side::Second) => 0.0,
            None => 0.5,
        }
    }

    /// What `side` has won, in points: the stake, less than 0 if it has lost it.
    ///
    /// ```
    /// use afterstate_games::{Outcome, Side};
    /// let gammon = Outcome { winner: Some(Side::First), stake: 2 };
    /// assert_eq!((gammon.points(Side::First), gammon.points(Side::Second)), (2.0, -2.0));
    /// ```
    #[inline]
    pub fn points(self, side: Side) -> f32 {
        match self.winner {
            Some(winner) if winner == side => f32::from(self.stake),
            Some(_) => -f32::from(self.stake),
            None => 0.0,
        }
    }
}

/// Who acts in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// A player chooses one of the legal moves.
    Player(Side),
    /// Chance chooses one of [`Game::chance_outcomes`].
    Chance,
    /// Nobody: the game has ended.
    Over(Outcome),
}

/// What the rules say about a position that comes again. [`crate::Record`] enforces it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// Positions may recur (or cannot).
    Allowed,
    /// A move that recreates an earlier position is illegal (superko in Go).
    Forbidden,
    /// The n-th occurrence of a position ends the game as a draw (chess: 3).
    DrawAt(u8),
}

/// A position of a two-player game, with the rules to go on from it.
///
/// Positions are small values that are copied rather than undone. Callers own the move buffer, so
/// that nothing is allocated inside a search.
///
/// # Contract
///
/// `legal_moves` is empty exactly when `turn()` is not [`Turn::Player`]; `play` takes only moves from
/// `legal_moves` (or from `chance_outcomes` when it is chance's turn) and may panic on others.
/// The `conformance` module checks this for any game.
pub trait Game: Clone + Send + Sync + 'static {
    /// A move, or a chance event.
    type Move: Copy + Eq + Debug + Send + Sync + 'static;

    /// What a recurring position means.
    const REPETITION: Repetition = Repetition::Allowed;

    /// Who acts now.
    fn turn(&self) -> Turn;

    /// Replaces the contents of `moves` by all legal moves, in a fixed order.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);

    /// Replaces the contents of `moves` by the moves that self-play and simulations choose from: all
    /// legal ones, less those that the game knows only to prolong it. Never empty when a player is to move.
    fn candidate_moves(&self, moves: &mut Vec<Self::Move>) {
        self.legal_moves(moves);
    }

    /// One of the candidate moves, each with the same probability; `moves` is memory for them. Games override this with something
    /// that need not know them all.
    ///
    /// # Panics
    ///
    /// If no player is to move.
    fn random_candidate(&self, moves: &mut Vec<Self::Move>, rng: &mut Rng) -> Self::Move {
        self.candidate_moves(moves);
        moves[below(rng, moves.len() as u32) as usize]
    }

    /// Plays a legal move or a chance outcome.
    fn play(&mut self, mv: Self::Move);

    /// Whether `mv` is among the legal moves. Games override this with something faster.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.contains(&mv)
    }

    /// How the game ends if `mv`, a legal move, is played; `None` if it goes on. Games override this with
    /// something faster: searches ask it of every move before they look at what follows.
    fn outcome_after(&self, mv: Self::Move) -> Option<Outcome> {
        let mut after = self.clone();
        after.play(mv);
        match after.turn() {
            Turn::Over(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Replaces the contents of `out` by the chance outcomes and their probabilities, which sum to 1.
    fn chance_outcomes(&self, out: &mut Vec<(Self::Move, f32)>) {
        out.clear();
    }

    /// A hash of everything that decides how the game goes on from here (side to move included).
    fn key(&self) -> u64;

    /// A hash of what counts as "the same position" for [`Game::REPETITION`]; in Go the stones alone.
    fn repetition_key(&self) -> u64 {
        self.key()
    }
}

/// A game without dice. Searches that cannot handle chance demand it, so that the compiler refuses the others.
pub trait Deterministic: Game {}

/// A game whose moves have small numbers, the same in every position, so that what is known of a move can be
/// kept in plain arrays: search trees and all-moves-as-first statistics need it.
///
/// # Contract
///
/// `move_at(move_index(mv)) == mv` for every legal move, and every index is below `index_count`. The
/// conformance module's [`check_indices`](crate::conformance::check_indices) checks this on random games.
///
/// ```
/// use afterstate_games::{IndexedMoves, go::{Go, Move, Point}};
/// let (game, mv) = (Go::new(9), Move::play(Point::at(2, 1, 9)));
/// let index = game.move_index(mv);
/// assert!(index < game.index_count());
/// assert_eq!(game.move_at(index), mv);
/// assert_eq!(game.pass(), Some(Move::PASS));
/// ```
pub trait IndexedMoves: Game {
    /// The number of a move: equal moves of any two positions of a game have equal numbers, different moves
    /// of a position have different ones.
    fn move_index(&self, mv: Self::Move) -> usize;

    /// The move with this number. It need not be legal now.
    ///
    /// # Panics
    ///
    /// Perhaps, if `index` is not the number of any move.
    fn move_at(&self, index: usize) -> Self::Move;

    /// How many numbers there are; at most 65,536.
    fn index_count(&self) -> usize;

    /// No position has more legal moves: searches make room for so many. Games with more numbers than moves override it.
    fn most_moves(&self) -> usize {
        self.index_count()
    }

    /// The move that leaves the position as it is but for the turn, if the game has one.
    fn pass(&self) -> Option<Self::Move> {
        None
    }
}
