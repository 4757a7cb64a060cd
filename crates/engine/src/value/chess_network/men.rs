//! [`Men`]: the inputs of a position that are not 0.

use afterstate_games::chess::cozy_chess::{Board, Color, Piece};

/// One for each kind of man of either side on each square.
pub const INPUTS: usize = 2 * Piece::NUM * SQUARES;

const SQUARES: usize = 64;

/// Inputs of the other side's men come behind those of one's own.
const OTHERS: u16 = (Piece::NUM * SQUARES) as u16;

/// The men of a position, each as the input that it is to the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Men {
    inputs: [u16; SQUARES],
    count: usize,
}

impl Men {
    /// Those of a board.
    #[inline]
    pub fn of(board: &Board) -> Men {
        let mut men = Men::none();
        let us = board.side_to_move();
        for color in [us, !us] {
            for kind in Piece::ALL {
                men.push_all(us, (color, kind), board.colored_pieces(color, kind).0);
            }
        }
        men
    }

    /// Those with these inputs, of which there are at most 64; others are left out.
    pub(crate) fn from_inputs(inputs: impl IntoIterator<Item = u16>) -> Men {
        let mut men = Men::none();
        inputs.into_iter().take(SQUARES).for_each(|input| men.push(input));
        men
    }

    #[inline(always)]
    pub(super) fn none() -> Men {
        Men { inputs: [0; SQUARES], count: 0 }
    }

    /// Men of one kind on all squares of a set, as `seer` sees them. There are no more than 64 in all.
    #[inline(always)]
    pub(super) fn push_all(&mut self, seer: Color, (color, kind): (Color, Piece), mut squares: u64) {
        while squares != 0 {
            self.push(input(seer, color, kind, squares.trailing_zeros() as usize));
            squares &= squares - 1;
        }
    }

    #[inline(always)]
    fn push(&mut self, input: u16) {
        self.inputs[self.count] = input;
        self.count += 1;
    }

    /// As the side to move sees them.
    #[inline(always)]
    pub(crate) fn inputs(&self) -> &[u16] {
        &self.inputs[..self.count]
    }
}

/// An input of the side to move, as that side (0) or the other one (1) sees it.
#[inline(always)]
pub(super) fn seen_by(side: usize, input: u16) -> usize {
    usize::from(if side == 0 { input } else { turned(input) })
}

/// Which input a man of `color` is to `seer`.
#[inline(always)]
fn input(seer: Color, color: Color, kind: Piece, square: usize) -> u16 {
    let from_own_rank = if seer == Color::White { square } else { square ^ 56 };
    (usize::from(seer != color) * usize::from(OTHERS) + kind as usize * SQUARES + from_own_rank) as u16
}

/// The same man with the other side's eyes.
#[inline(always)]
fn turned(input: u16) -> u16 {
    (if input < OTHERS { input + OTHERS } else { input - OTHERS }) ^ 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Chess, Notation};

    #[test]
    fn each_side_sees_its_own_men_first_and_from_its_own_rank() {
        let board = |fen| Chess::parse_position(fen).unwrap();
        let men = Men::of(board("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1").board());
        // Black's king on its e1; White's pawn on its e7 and king on its e8.
        assert_eq!(men.inputs(), [5 * 64 + 4, 6 * 64 + 52, 11 * 64 + 60]);
        let others: Vec<usize> = men.inputs().iter().map(|&input| seen_by(1, input)).collect();
        let mirrored = Men::of(board("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1").board());
        let mut own: Vec<usize> = mirrored.inputs().iter().map(|&input| seen_by(0, input)).collect();
        own.sort_unstable();
        assert_eq!(own, [12, 5 * 64 + 4, 11 * 64 + 60]);
        assert_eq!(
            {
                let mut sorted = others;
                sorted.sort_unstable();
                sorted
            },
            own
        );
        assert!((0..INPUTS as u16).all(|input| turned(turned(input)) == input && turned(input) != input));
    }
}
