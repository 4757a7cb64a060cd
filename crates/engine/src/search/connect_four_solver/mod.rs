//! [`ConnectFourSolver`]: who wins a position of Connect Four with best play by both, and when. It proves it, so that
//! the moves of any agent can be measured by it.
//!
//! ```text
//! v(s) = max over a of −v(s∘a)        v(s) > 0: the side to move wins, the sooner the larger
//! v(s) > α?  is asked with null windows (α, α + 1); bisection over α finds v(s), α = 0 and α = −1 its sign
//! ```
//!
//! The ideas are known from J. Tromp's and P. Pons' solvers and from V. Allis' theory of the game.

mod negamax;
mod node;
mod opening_table;
mod table;
#[cfg(test)]
mod tests;

pub use opening_table::{OpeningTable, OpeningTableError};

use super::Score;
use afterstate_games::connect_four::{COLUMNS, Column};
use afterstate_games::{ConnectFour, Game, Outcome, Side, Turn};
use negamax::Negamax;
use node::{Node, SQUARES};

/// Solves positions of Connect Four.
///
/// What it has proved it remembers in a table of fixed size, so that a second question about the same game is quick. A
/// position with some 14 discs takes milliseconds, one with 8 discs about a second, and the empty board minutes; an
/// [opening table](OpeningTable) shortens what lies before it.
///
/// ```
/// use afterstate_engine::search::ConnectFourSolver;
/// use afterstate_games::{ConnectFour, Notation, Outcome, Side};
/// // X threatens to win at both ends, and O can stop it at one.
/// let game = ConnectFour::parse_position("......./......./......./......./......./.XXX.OO")?;
/// let mut solver = ConnectFourSolver::new(1);
/// assert_eq!(solver.outcome(&game), Outcome::win(Side::First));
/// let score = solver.solve(&game);
/// assert_eq!((score.winner(), score.plies_to_end()), (Some(Side::First), Some(2)));
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub struct ConnectFourSolver {
    search: Negamax,
}

impl ConnectFourSolver {
    /// A solver with a table of `memory_mib` MiB, rounded down to a power of two, of eight bytes a position. If that
    /// much memory can't be had, it takes less. 64 are plenty but for the first moves of a game.
    pub fn new(memory_mib: usize) -> ConnectFourSolver {
        ConnectFourSolver { search: Negamax::new(memory_mib) }
    }

    /// With the outcomes of all positions of an opening table: searches from positions with fewer discs end there.
    pub fn with_opening_table(mut self, table: OpeningTable) -> ConnectFourSolver {
        self.search.opening = Some(table);
        self
    }

    /// How many positions it has searched so far.
    pub fn nodes(&self) -> u64 {
        self.search.nodes
    }

    /// The result with best play by both: the winner wins as soon as possible, the loser loses as late as possible.
    ///
    /// [`Score::winner`] says who wins, and [`Score::plies_to_end`] in how many moves from here (0 if the game is over,
    /// at most 42). A draw is a score of exactly 0, without winner and number of moves: it ends with the board full.
    pub fn solve(&mut self, game: &ConnectFour) -> Score {
        let side = match game.turn() {
            Turn::Player(side) => side,
            Turn::Over(outcome) => return Score::ended(outcome, 0, 0.0),
            Turn::Chance => unreachable!("Connect Four has no dice"),
        };
        let node = Node::new(game, side);
        let score = self.search.score(node);
        let outcome = outcome_of(score.signum(), side);
        // The winner ends the game with this disc of its own; the first player's are the odd ones of all.
        let winning_disc = SQUARES / 2 + 1 - score.abs();
        let last = 2 * winning_disc - i32::from(outcome.winner == Some(Side::First));
        Score::ended(outcome, (last - node.discs()).unsigned_abs(), 0.0)
    }

    /// Who wins with best play by both. Much quicker than [`ConnectFourSolver::solve`], which also asks when.
    pub fn outcome(&mut self, game: &ConnectFour) -> Outcome {
        match game.turn() {
            Turn::Player(side) => outcome_of(self.search.sign(Node::new(game, side)), side),
            Turn::Over(outcome) => outcome,
            Turn::Chance => unreachable!("Connect Four has no dice"),
        }
    }

    /// Replaces the contents of `out` by all legal moves, from the left, each with who wins after it with best play by
    /// both. If the game is over there are none.
    pub fn outcomes_of_moves(&mut self, game: &ConnectFour, out: &mut Vec<(Column, Outcome)>) {
        out.clear();
        for column in (0..COLUMNS).filter_map(Column::new) {
            if game.is_legal(column) {
                let mut after = *game;
                after.play(column);
                out.push((column, self.outcome(&after)));
            }
        }
    }

    /// Whether `column` is as good as any other move, when only who wins counts: it wins if the position is won, and
    /// does not lose if it is drawn. In a lost position every legal move keeps the value. `false` if the move is
    /// not legal.
    pub fn keeps_value(&mut self, game: &ConnectFour, column: Column) -> bool {
        let Turn::Player(side) = game.turn() else { return false };
        if !game.is_legal(column) {
            return false;
        }
        let mut after = *game;
        after.play(column);
        if let Turn::Over(_) = after.turn() {
            // It wins, or it fills the board and there was no other.
            return true;
        }
        match self.search.sign(Node::new(game, side)) {
            -1 => true,
            // The other side's score must not exceed what this one leaves it.
            sign => !self.search.exceeds(Node::new(&after, side.other()), -sign),
        }
    }
}

/// The outcome of a score with this sign for `side`.
fn outcome_of(sign: i32, side: Side) -> Outcome {
    match sign {
        0 => Outcome::DRAW,
        1.. => Outcome::win(side),
        _ => Outcome::win(side.other()),
    }
}
