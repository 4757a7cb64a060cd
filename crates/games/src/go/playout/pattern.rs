//! 3×3 patterns: diagrams as people write them, expanded into tables that are looked up by neighbourhood code.
//!
//! The diagrams are those of MoGo's playouts (S. Gelly, Y. Wang, R. Munos, O. Teytaud, Modification of UCT with
//! Patterns in Monte-Carlo Go, INRIA RR-6062, 2006; paper 003, §3.6).

use super::neighbourhood::{COMPASS, Code, turned};
use crate::Side;
use crate::go::board::Color;
use std::sync::OnceLock;

/// Who may play a pattern's move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    Both,
    X,
    O,
}

/// See [`diagrams`].
type Diagram = [&'static str; 3];

/// A diagram with what is said about it.
struct Pattern {
    name: &'static str,
    diagram: Diagram,
    /// It does not hold where one of these, placed the same way, does.
    except: &'static [Diagram],
    mover: Mover,
}

const fn pattern(name: &'static str, diagram: Diagram, mover: Mover) -> Pattern {
    Pattern { name, diagram, except: &[], mover }
}

#[rustfmt::skip]
static PATTERNS: [Pattern; 11] = [
    pattern("hane 1", ["XOX",
                       ".*.",
                       "???"], Mover::Both),
    pattern("hane 2", ["XO.",
                       ".*.",
                       "?.?"], Mover::Both),
    pattern("hane 3", ["XO?",
                       "X*.",
                       "?.?"], Mover::Both),
    pattern("hane 4", ["XOO",
                       ".*.",
                       "?.?"], Mover::X),
    // A cut, unless one stroke connects again: the two exceptions are each other's mirror images.
    Pattern { name: "cut 1", diagram: ["XO?",
                                       "O*?",
                                       "???"],
              except: &[["XO?",
                         "O*O",
                         "?.?"],
                        ["XO?",
                         "O*.",
                         "?O?"]], mover: Mover::Both },
    pattern("cut 2",  ["?X?",
                       "O*O",
                       "xxx"], Mover::Both),
    pattern("edge 1", ["X.?",
                       "O*?",
                       "###"], Mover::Both),
    pattern("edge 2", ["?X?",
                       "o*O",
                       "###"], Mover::Both),
    pattern("edge 3", ["?XO",
                       "?*?",
                       "###"], Mover::X),
    pattern("edge 4", ["?XO",
                       "?*o",
                       "###"], Mover::O),
    pattern("edge 5", ["?XO",
                       "O*X",
                       "###"], Mover::O),
];

/// The patterns by name and diagram: three rows from the top with the move in the middle (`*`). `X` and `O` are
/// stones of opposite colours, `.` is empty, `x` is `X` or empty, `o` is `O` or empty, `?` is anything on the board,
/// and `#` is off it.
///
/// ```
/// use afterstate_games::go::playout::pattern::diagrams;
/// assert_eq!(diagrams().next(), Some(("hane 1", ["XOX", ".*.", "???"])));
/// ```
pub fn diagrams() -> impl Iterator<Item = (&'static str, [&'static str; 3])> {
    PATTERNS.iter().map(|pattern| (pattern.name, pattern.diagram))
}

/// Which neighbourhood codes match some pattern, for each side to move.
///
/// ```
/// use afterstate_games::Side;
/// use afterstate_games::go::{Board, Point, playout::{neighbourhood::code_of, pattern::PatternTable}};
/// let (mut board, above) = (Board::new(9), Point::at(4, 5, 9));
/// board.play(Point::at(4, 4, 9), Side::First);
/// board.play(Point::at(3, 4, 9), Side::Second);
/// // White's hane at the head of the two stones.
/// assert!(PatternTable::standard().matches(code_of(&board, above), Side::Second));
/// ```
#[derive(Debug)]
pub struct PatternTable {
    bits: [[u64; 1024]; 2],
}

impl PatternTable {
    /// The table of the hane, cut and edge patterns, made at first use.
    pub fn standard() -> &'static PatternTable {
        static TABLE: OnceLock<PatternTable> = OnceLock::new();
        TABLE.get_or_init(|| {
            let mut table = PatternTable { bits: [[0; 1024]; 2] };
            for pattern in &PATTERNS {
                table.add(pattern);
            }
            table
        })
    }

    /// Whether a point with this neighbourhood is a pattern's move for `side`.
    #[inline(always)]
    pub fn matches(&self, code: Code, side: Side) -> bool {
        self.bits[side.index()][usize::from(code >> 6)] >> (code & 63) & 1 != 0
    }

    fn add(&mut self, pattern: &Pattern) {
        for symmetry in 0..8 {
            for x in [Side::First, Side::Second] {
                let except: Vec<_> = pattern.except.iter().map(|diagram| allowed(diagram, symmetry, x)).collect();
                let main = allowed(&pattern.diagram, symmetry, x);
                expand(&main, 0, 0, &mut |code| {
                    if except.iter().any(|allowed| fits(allowed, code)) {
                        return;
                    }
                    for side in [Side::First, Side::Second] {
                        let may = match pattern.mover {
                            Mover::Both => true,
                            Mover::X => side == x,
                            Mover::O => side != x,
                        };
                        if may {
                            self.bits[side.index()][usize::from(code >> 6)] |= 1 << (code & 63);
                        }
                    }
                });
            }
        }
    }
}

/// For each neighbour, in the order of the code, a bit for each colour that may be there.
type Allowed = [u8; 8];

/// A diagram turned and mirrored, with the colour of `X` given.
fn allowed(diagram: &Diagram, symmetry: u8, x: Side) -> Allowed {
    COMPASS.map(|step| {
        let (dx, dy) = turned(step, symmetry);
        // The first row of a diagram is the highest.
        let symbol = diagram[(1 - dy) as usize].as_bytes()[(1 + dx) as usize];
        let (own, other) = (1 << Color::of(x) as u8, 1 << Color::of(x.other()) as u8);
        let (empty, border) = (1 << Color::Empty as u8, 1 << Color::Border as u8);
        match symbol {
            b'X' => own,
            b'O' => other,
            b'.' => empty,
            b'x' => own | empty,
            b'o' => other | empty,
            b'#' => border,
            _ => own | other | empty,
        }
    })
}

/// Calls `each` with all codes that are allowed from neighbour `i` on.
fn expand(allowed: &Allowed, i: usize, code: Code, each: &mut impl FnMut(Code)) {
    if i == allowed.len() {
        return each(code);
    }
    for color in (0..4).filter(|color| allowed[i] >> color & 1 != 0) {
        expand(allowed, i + 1, code | color << (2 * i), each);
    }
}

fn fits(allowed: &Allowed, code: Code) -> bool {
    allowed.iter().enumerate().all(|(i, colors)| colors >> (code >> (2 * i) & 3) & 1 != 0)
}
