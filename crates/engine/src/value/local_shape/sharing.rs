//! Which shapes share a weight (paper 000, §3.1.3).
//!
//! *Location dependent* (LD): windows that are images of each other under the eight symmetries of the
//! board share, and a shape with its colours exchanged shares with the opposite sign. *Location
//! independent* (LI): all places share as well. A shape that is its own inversion in its class says
//! nothing about who is ahead; it is *neutral* and has no weight.

use super::windows::{Symmetry, Windows};
use serde::{Deserialize, Serialize};

/// Which tables of weights are used; `Both` adds a location-dependent and a location-independent weight.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// Every window has its own weights; only windows that are entirely empty have none.
    None,
    /// Shared among symmetric places.
    LocationDependent,
    /// Shared among all places.
    LocationIndependent,
    /// The sum of the last two: the paper's default.
    Both,
}

impl Sharing {
    /// Weights that apply to one window: 2 for [`Sharing::Both`], else 1.
    pub fn tables(self) -> usize {
        if self == Sharing::Both { 2 } else { 1 }
    }
}

/// A weight and the sign with which it is shared, in one word: twice the weight's index, and 1 more for minus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share(u32);

impl Share {
    /// A weight with its sign.
    pub fn new(index: usize, minus: bool) -> Share {
        debug_assert!(index < 1 << 31);
        Share((index as u32) << 1 | u32::from(minus))
    }

    /// Which weight.
    #[inline(always)]
    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// +1 or −1.
    #[inline(always)]
    pub fn sign(self) -> f32 {
        f32::from_bits(1f32.to_bits() | self.sign_bit())
    }

    /// The same weight with the opposite sign.
    #[inline(always)]
    pub fn opposite(self) -> Share {
        Share(self.0 ^ 1)
    }

    /// Whether its weight stands before that of `other`, which has a plus.
    #[inline(always)]
    pub(crate) fn comes_before(self, other: Share) -> bool {
        self.0 < other.0
    }

    /// The sign as the highest bit, where floating-point numbers have theirs.
    #[inline(always)]
    pub(crate) fn sign_bit(self) -> u32 {
        self.0 << 31
    }

    /// Which weight with which sign: two for every weight.
    #[inline(always)]
    pub(crate) fn signed_index(self) -> usize {
        self.0 as usize
    }
}

/// For every window and shape, the weights that it shares.
#[derive(Clone, Debug)]
pub(crate) struct ShareTable {
    /// [`Sharing::tables`] entries for each shape number of each row.
    pub(crate) shares: Vec<Share>,
    /// Where a window's row begins, in shapes.
    pub(crate) row: Vec<u32>,
    /// For describing weights: the sets in order, with the index of their first weight.
    pub(crate) sets: Vec<ShapeSet>,
    /// Number of weights. This is also the index that neutral shapes carry.
    pub(crate) count: usize,
}

/// The weights of one window size under one kind of sharing: `3x3-LD` and so on.
#[derive(Clone, Debug)]
pub(crate) struct ShapeSet {
    pub(crate) k: usize,
    pub(crate) kind: Kind,
    pub(crate) offset: usize,
    pub(crate) len: usize,
    /// Of each shared weight: the window (by ordinal) and the shape of its canonical example. Empty where
    /// nothing is shared: the index then is `ordinal · shapes + shape`.
    canonical: Vec<(u32, u16)>,
}

impl ShapeSet {
    /// The window (by ordinal) and the shape, in that window's own row order, that weight `index` of this set stands for.
    pub(crate) fn example(&self, index: usize) -> (usize, usize) {
        match self.canonical.get(index) {
            Some(&(ordinal, shape)) => (ordinal as usize, usize::from(shape)),
            None => {
                let shapes = 3usize.pow((self.k * self.k) as u32);
                (index / shapes, index % shapes)
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Independent,
    Dependent,
    Unshared,
}

impl Kind {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Kind::Independent => "LI",
            Kind::Dependent => "LD",
            Kind::Unshared => "place",
        }
    }
}

/// Takes each cell of a k×k shape elsewhere: `to[j * k + i]` is the digit where the cell (i, j) goes.
fn permutation(symmetry: Symmetry, k: usize) -> Vec<usize> {
    (0..k * k)
        .map(|cell| {
            let (x, y) = symmetry.apply((cell % k, cell / k), k);
            y * k + x
        })
        .collect()
}

fn permuted(shape: usize, to: &[usize]) -> usize {
    let mut rest = shape;
    to.iter()
        .map(|&digit| {
            let color = rest % 3;
            rest /= 3;
            color * 3usize.pow(digit as u32)
        })
        .sum()
}

/// The shape with black and white exchanged.
fn inverted(shape: usize, cells: usize) -> usize {
    let (mut rest, mut out, mut unit) = (shape, 0, 1);
    for _ in 0..cells {
        out += (3 - rest % 3) % 3 * unit;
        rest /= 3;
        unit *= 3;
    }
    out
}

/// Numbers the classes of k×k shapes under `symmetries` and colour inversion, from `first` on, in the
/// order of each class's smallest shape. Returns the share of every shape; neutral ones have `None`.
fn classes(k: usize, symmetries: &[Symmetry], first: usize, canonical: &mut Vec<u16>) -> Vec<Option<Share>> {
    let shapes = 3usize.pow((k * k) as u32);
    let permutations: Vec<Vec<usize>> = symmetries.iter().map(|&s| permutation(s, k)).collect();
    let mut shares: Vec<Option<Share>> = vec![None; shapes];
    let mut seen = vec![false; shapes];
    let mut next = first;
    for shape in 0..shapes {
        if seen[shape] {
            continue;
        }
        let upright: Vec<usize> = permutations.iter().map(|to| permuted(shape, to)).collect();
        let neutral = upright.contains(&inverted(shape, k * k));
        for &image in &upright {
            let opposite = inverted(image, k * k);
            seen[image] = true;
            seen[opposite] = true;
            if !neutral {
                shares[image] = Some(Share::new(next, false));
                shares[opposite] = Some(Share::new(next, true));
            }
        }
        if !neutral {
            canonical.push(shape as u16);
            next += 1;
        }
    }
    shares
}

impl ShareTable {
    pub(crate) fn new(windows: &Windows, sharing: Sharing) -> ShareTable {
        let kinds: &[Kind] = match sharing {
            Sharing::None => &[Kind::Unshared],
            Sharing::LocationDependent => &[Kind::Dependent],
            Sharing::LocationIndependent => &[Kind::Independent],
            Sharing::Both => &[Kind::Independent, Kind::Dependent],
        };
        let mut table = ShareTable { shares: Vec::new(), row: vec![0; windows.len()], sets: Vec::new(), count: 0 };
        for k in windows.sizes().iter() {
            let shapes = 3usize.pow((k * k) as u32);
            let first_row = table.shares.len() / kinds.len();
            for (window, row) in windows.all().iter().zip(&mut table.row).filter(|(window, _)| window.k == k) {
                let which = match kinds {
                    [Kind::Independent] => 0,
                    [Kind::Unshared] => window.ordinal,
                    _ => window.orbit,
                };
                *row = (first_row + which * shapes) as u32;
            }
            let by_kind: Vec<Vec<Vec<Option<Share>>>> = kinds
                .iter()
                .map(|&kind| {
                    let (rows, set) = set_of(windows, k, kind, table.count);
                    table.count += set.len;
                    table.sets.push(set);
                    rows
                })
                .collect();
            let row_count = by_kind.iter().map(Vec::len).max().unwrap_or(0);
            for which in 0..row_count {
                for shape in 0..shapes {
                    // The single row of a location-independent set serves every orbit.
                    table
                        .shares
                        .extend(by_kind.iter().map(|rows| rows[which.min(rows.len() - 1)][shape].unwrap_or(NEUTRAL)));
                }
            }
        }
        // How many weights there are, and so which index means "none", is known only now.
        let neutral = Share::new(table.count, false);
        for share in &mut table.shares {
            if *share == NEUTRAL {
                *share = neutral;
            }
        }
        table
    }
}

const NEUTRAL: Share = Share(u32::MAX);

/// The rows of one set: one for each orbit (LD), each window (unshared), or a single one (LI).
fn set_of(windows: &Windows, k: usize, kind: Kind, offset: usize) -> (Vec<Vec<Option<Share>>>, ShapeSet) {
    let across = windows.board_size() - k + 1;
    let mut set = ShapeSet { k, kind, offset, len: 0, canonical: Vec::new() };
    let mut rows = Vec::new();
    let of_size = || windows.all().iter().filter(move |window| window.k == k);
    match kind {
        Kind::Independent => {
            let mut canonical = Vec::new();
            rows.push(classes(k, &Symmetry::ALL, offset, &mut canonical));
            set.canonical.extend(canonical.into_iter().map(|shape| (0, shape)));
        }
        Kind::Dependent => {
            let orbits = of_size().map(|window| window.orbit).max().unwrap_or(0) + 1;
            for orbit in 0..orbits {
                let representative =
                    of_size().find(|window| window.orbit == orbit).expect("orbits are numbered without gaps");
                // Only the symmetries that leave the representative in its place can still identify shapes.
                let stabiliser: Vec<Symmetry> = Symmetry::ALL
                    .into_iter()
                    .filter(|symmetry| symmetry.apply(representative.anchor, across) == representative.anchor)
                    .collect();
                let mut canonical = Vec::new();
                rows.push(classes(k, &stabiliser, offset + set.canonical.len(), &mut canonical));
                set.canonical.extend(canonical.into_iter().map(|shape| (representative.ordinal as u32, shape)));
            }
        }
        Kind::Unshared => {
            let shapes = 3usize.pow((k * k) as u32);
            for window in of_size() {
                let to = permutation(window.to_representative, k);
                let mut row = vec![None; shapes];
                // Shape 0, the empty window, keeps its number but has no share.
                for shape in 1..shapes {
                    row[permuted(shape, &to)] = Some(Share::new(offset + window.ordinal * shapes + shape, false));
                }
                rows.push(row);
                set.len += shapes;
            }
        }
    }
    if kind != Kind::Unshared {
        set.len = set.canonical.len();
    }
    (rows, set)
}
