//! MCTS-Solver: what simulations have proved is never simulated again (M. Winands, Y. Björnsson and
//! J.-T. Saito, Monte-Carlo tree search solver, 2008; draws as in T. Cazenave and A. Saffidine, Score
//! bounded Monte-Carlo tree search, 2010).
//!
//! ```text
//! a wins for the side to move     if the position after it is over and won, or proved so
//! s is won for the side to move   if one of its moves wins
//! s is lost or drawn              if all of its moves are proved, as the best of them is
//! ```
//!
//! A simulation that ends inside the tree proves its last move, and what follows from it on the way back. Selection
//! plays a proved win at once, and otherwise only moves that are not proved yet. Where a draw is already sure,
//! a simulation that the side to move loses counts as a draw for the position above: it would choose the draw.
//!
//! "All moves" are those that the search considers: [`Game::candidate_moves`](afterstate_games::Game::candidate_moves).

use crate::Value;
use afterstate_games::{Outcome, Side};

/// What is known for sure about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Proof {
    /// Nothing yet.
    #[default]
    Open = 0,
    /// The first player wins.
    First = 1,
    /// The second player wins.
    Second = 2,
    /// Nobody wins.
    Draw = 3,
    /// It may not be played: it would repeat an earlier position.
    Forbidden = 4,
}

impl Proof {
    #[inline(always)]
    pub(super) const fn from_byte(byte: u8) -> Proof {
        match byte {
            0 => Proof::Open,
            1 => Proof::First,
            2 => Proof::Second,
            3 => Proof::Draw,
            _ => Proof::Forbidden,
        }
    }

    /// That `side` wins.
    pub const fn win(side: Side) -> Proof {
        match side {
            Side::First => Proof::First,
            Side::Second => Proof::Second,
        }
    }

    /// The outcome, if it is about one.
    pub const fn outcome(self) -> Option<Outcome> {
        match self {
            Proof::First => Some(Outcome::win(Side::First)),
            Proof::Second => Some(Outcome::win(Side::Second)),
            Proof::Draw => Some(Outcome::DRAW),
            Proof::Open | Proof::Forbidden => None,
        }
    }

    /// What it is worth, if it is about an outcome.
    pub const fn value(self) -> Option<Value> {
        match self {
            Proof::First => Some(Value(1.0)),
            Proof::Second => Some(Value(0.0)),
            Proof::Draw => Some(Value::EVEN),
            Proof::Open | Proof::Forbidden => None,
        }
    }
}

impl From<Outcome> for Proof {
    fn from(outcome: Outcome) -> Proof {
        outcome.winner.map_or(Proof::Draw, Proof::win)
    }
}

/// What a position's `moves` prove about it when `side` is to move.
///
/// ```
/// use afterstate_engine::search::{Proof, mcts_solver::prove};
/// use afterstate_games::Side;
/// assert_eq!(prove([Proof::Second, Proof::Open], Side::Second), Proof::Second);
/// assert_eq!(prove([Proof::Second, Proof::Open], Side::First), Proof::Open);
/// assert_eq!(prove([Proof::Second, Proof::Draw], Side::First), Proof::Draw);
/// ```
pub fn prove(moves: impl IntoIterator<Item = Proof>, side: Side) -> Proof {
    let (win, mut all_proved, mut draw, mut loss) = (Proof::win(side), true, false, false);
    for proof in moves {
        match proof {
            proof if proof == win => return win,
            Proof::Open => all_proved = false,
            Proof::Draw => draw = true,
            Proof::Forbidden => {}
            _ => loss = true,
        }
    }
    match (all_proved, draw, loss) {
        (true, true, _) => Proof::Draw,
        (true, false, true) => Proof::win(side.other()),
        _ => Proof::Open,
    }
}
