//! Classes of 3×3 neighbourhoods: those that turning, mirroring and exchanging the colours make the same are one.

use super::neighbourhood::{COMPASS, Code, turned};
use crate::Side;
use crate::go::board::Color;
use std::sync::OnceLock;

/// The class of every neighbourhood, as either side sees it.
///
/// ```
/// use afterstate_games::Side;
/// use afterstate_games::go::{Board, Point, playout::{neighbourhood::code_of, shapes::ShapeClasses}};
/// let (classes, mut board) = (ShapeClasses::standard(), Board::new(9));
/// board.play(Point::at(4, 4, 9), Side::First);
/// board.play(Point::at(6, 4, 9), Side::Second);
/// // What a black stone on the left is to Black, a white one on the right is to White.
/// let between = code_of(&board, Point::at(5, 4, 9));
/// assert_eq!(classes.of(between, Side::First), classes.of(between, Side::Second));
/// ```
#[derive(Debug)]
pub struct ShapeClasses {
    by_code: [Vec<u16>; 2],
    count: usize,
}

/// What the border can look like around a point of a board: its left and right columns and lowest and highest rows may be off it.
const EDGES: [[i8; 2]; 9] = [[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1], [-1, -1], [-1, 1], [1, -1], [1, 1]];

impl ShapeClasses {
    /// The classes, numbered at first use.
    pub fn standard() -> &'static ShapeClasses {
        static CLASSES: OnceLock<ShapeClasses> = OnceLock::new();
        CLASSES.get_or_init(ShapeClasses::number)
    }

    fn number() -> ShapeClasses {
        let mut by_code = [vec![0; 1 << 16], vec![0; 1 << 16]];
        let mut numbers = vec![None; 1 << 16];
        let mut count = 0u16;
        for edge in EDGES {
            for stones in 0..3u32.pow(8) {
                let Some(code) = around(edge, stones) else { continue };
                for (side, classes) in [Side::First, Side::Second].into_iter().zip(&mut by_code) {
                    let same = representative(if side == Side::First { code } else { exchanged(code) });
                    let number = numbers[usize::from(same)].get_or_insert_with(|| {
                        count += 1;
                        count - 1
                    });
                    classes[usize::from(code)] = *number;
                }
            }
        }
        ShapeClasses { by_code, count: usize::from(count) }
    }

    /// How many classes there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The class of what surrounds a point, as `side` sees it: from 0 to [`ShapeClasses::count`]. Codes that no board has are of any class.
    #[inline(always)]
    pub fn of(&self, code: Code, side: Side) -> u16 {
        self.by_code[side.index()][usize::from(code)]
    }
}

/// The code of a point at this edge whose neighbours on the board have the colours that the digits of `stones` to base 3 say; none
/// where digits of neighbours off the board are not 0, so that each code comes once.
fn around(edge: [i8; 2], mut stones: u32) -> Option<Code> {
    let mut code = 0;
    for (i, (dx, dy)) in COMPASS.into_iter().enumerate() {
        let digit = stones % 3;
        stones /= 3;
        let off = (dx != 0 && dx == edge[0]) || (dy != 0 && dy == edge[1]);
        if off && digit != 0 {
            return None;
        }
        let color = if off { Color::Border as Code } else { digit as Code };
        code |= color << (2 * i);
    }
    Some(code)
}

/// The same with black stones for white ones.
fn exchanged(code: Code) -> Code {
    // Stones of either colour have a 0 in the higher bit.
    code ^ (!(code >> 1) & 0x5555)
}

/// The least code that turning and mirroring makes of this one.
fn representative(code: Code) -> Code {
    (0..8).map(|symmetry| code_turned(code, symmetry)).min().expect("there are eight")
}

fn code_turned(code: Code, symmetry: u8) -> Code {
    let mut result = 0;
    for (i, step) in COMPASS.into_iter().enumerate() {
        let to = COMPASS.iter().position(|&other| other == turned(step, symmetry)).expect("a neighbour stays one");
        result |= (code >> (2 * i) & 3) << (2 * to);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_orbits() {
        // Burnside's lemma, by hand: on the edge 3⁵ = 243 codes and one mirror, which leaves 3³ of them as they are; in the corner 3³ = 27
        // and 3². In the middle 3⁸ = 6,561, with 3⁸ + 2·3² + 3⁴ + 4·3⁵ fixed in all by turns and mirrors.
        let middle = (6_561 + 2 * 9 + 81 + 4 * 243) / 8;
        let (edge, corner) = ((243 + 27) / 2, (27 + 9) / 2);
        assert_eq!(ShapeClasses::standard().count(), middle + edge + corner);
    }

    #[test]
    fn colours_are_exchanged_twice_for_nothing() {
        for code in 0..=u16::MAX {
            assert_eq!(exchanged(exchanged(code)), code);
            assert_eq!(representative(code_turned(code, (code % 8) as u8)), representative(code));
        }
    }
}
