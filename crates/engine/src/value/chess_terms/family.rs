//! How the terms are numbered and named: [`Family`].

use std::fmt::Write;

/// What one number behind a family's name says.
#[derive(Clone, Copy)]
pub(super) enum Axis {
    /// A square, White's a1 first.
    Square,
    /// A square that a pawn may stand on: from the second rank to the seventh.
    PawnSquare,
    /// A square of the fourth to the sixth rank.
    OutpostSquare,
    /// A rank that a pawn may stand on.
    PawnRank,
    /// A file.
    File,
    /// How far a file is from the nearer edge, 0 to 3.
    EdgeDistance,
    /// One of the first so many kinds of men, pawns first.
    Men(usize),
    /// A kind of piece: knight, bishop, rook or queen.
    Piece,
    /// A kind of piece, or the king.
    PieceOrKing,
    /// A number from 0 on, below so many; the last stands for more, too.
    Count(usize),
}

const MEN: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

impl Axis {
    const fn len(self) -> usize {
        match self {
            Axis::Square => 64,
            Axis::PawnSquare => 48,
            Axis::OutpostSquare => 24,
            Axis::PawnRank => 6,
            Axis::File => 8,
            Axis::EdgeDistance | Axis::Piece => 4,
            Axis::PieceOrKing => 5,
            Axis::Men(kinds) => kinds,
            Axis::Count(most) => most,
        }
    }

    fn describe(self, number: usize) -> String {
        let square = |number: usize| format!("{}{}", char::from(b'a' + (number % 8) as u8), number / 8 + 1);
        match self {
            Axis::Square => square(number),
            Axis::PawnSquare => square(number + 8),
            Axis::OutpostSquare => square(number + 24),
            Axis::PawnRank => format!("rank {}", number + 2),
            Axis::File => format!("file {}", char::from(b'a' + number as u8)),
            Axis::EdgeDistance => format!("edge {number}"),
            Axis::Men(_) => MEN[number].to_string(),
            Axis::Piece | Axis::PieceOrKing => MEN[number + 1].to_string(),
            Axis::Count(most) if number + 1 == most => format!("{number}+"),
            Axis::Count(_) => number.to_string(),
        }
    }
}

/// The five groups of Meep (paper 002, §5), and KnightCap's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// What men are worth wherever they stand.
    Material,
    /// What they are worth on each square.
    PieceSquare,
    /// Pawns among themselves, and passed pawns.
    PawnStructure,
    /// What pieces can reach and attack.
    Mobility,
    /// What protects and what threatens the king.
    KingSafety,
    /// What KnightCap looked at besides.
    KnightCap,
}

impl Group {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Group::Material => "material",
            Group::PieceSquare => "piece-square tables",
            Group::PawnStructure => "pawn structure",
            Group::Mobility => "mobility",
            Group::KingSafety => "king safety",
            Group::KnightCap => "knightcap",
        }
    }
}

/// Terms that differ in a number or two. Each is one weight; a side that shows it counts it, the other counts it negative.
#[derive(Clone, Copy)]
pub(super) struct Family {
    pub(super) group: Group,
    name: &'static str,
    first: usize,
    axes: &'static [Axis],
}

impl Family {
    /// The first of all families.
    pub(super) const fn first(group: Group, name: &'static str, axes: &'static [Axis]) -> Family {
        Family { group, name, first: 0, axes }
    }

    /// The family whose numbers follow this one's.
    pub(super) const fn then(&self, group: Group, name: &'static str, axes: &'static [Axis]) -> Family {
        Family { group, name, first: self.end(), axes }
    }

    const fn len(&self) -> usize {
        let (mut len, mut axis) = (1, 0);
        while axis < self.axes.len() {
            len *= self.axes[axis].len();
            axis += 1;
        }
        len
    }

    /// The number after the last one.
    pub(super) const fn end(&self) -> usize {
        self.first + self.len()
    }

    /// The only term of a family without axes.
    #[inline(always)]
    pub(super) const fn only(&self) -> usize {
        self.first
    }

    /// The term with this number on the only axis.
    #[inline(always)]
    pub(super) const fn at(&self, number: usize) -> usize {
        debug_assert!(number < self.len());
        self.first + number
    }

    /// The term with these numbers on the two axes.
    #[inline(always)]
    pub(super) const fn at2(&self, one: usize, other: usize) -> usize {
        debug_assert!(one < self.axes[0].len() && other < self.axes[1].len());
        self.first + one * self.axes[1].len() + other
    }

    /// The term with these numbers on the three axes.
    #[inline(always)]
    pub(super) const fn at3(&self, one: usize, two: usize, three: usize) -> usize {
        debug_assert!(one < self.axes[0].len() && two < self.axes[1].len() && three < self.axes[2].len());
        self.first + (one * self.axes[1].len() + two) * self.axes[2].len() + three
    }

    /// `king safety: shield edge 0, 1, 2`, if the term belongs to this family.
    pub(super) fn describe(&self, term: usize) -> Option<String> {
        let mut rest = term.checked_sub(self.first).filter(|&number| number < self.len())?;
        let mut numbers = Vec::new();
        for axis in self.axes.iter().rev() {
            numbers.push(axis.describe(rest % axis.len()));
            rest /= axis.len();
        }
        numbers.reverse();
        let mut text = format!("{}: {}", self.group.name(), self.name);
        if !numbers.is_empty() {
            let _ = write!(text, " ({})", numbers.join(", "));
        }
        Some(text)
    }
}
