//! The word that holds a chain's pseudo-liberties.

/// Pseudo-liberties of a chain; see [`super`].
/// Number in bits 0–11, sum in bits 12–31, sum of squares in bits 32–63.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Liberties(pub(super) u64);

impl Liberties {
    pub(super) const NONE: Liberties = Liberties(0);

    /// What an empty point adds to the chain of each stone beside it.
    pub(super) const fn of(point: u16) -> u64 {
        let p = point as u64;
        1 | p << 12 | (p * p) << 32
    }

    /// Whether every pseudo-liberty is the point with this `liberty` (also true of no liberties at all).
    #[inline(always)]
    pub(super) fn only_at(self, liberty: u64) -> bool {
        self.0 == (self.0 & 0xfff) * liberty
    }

    /// Whether there is one liberty, which may be counted up to four times.
    #[inline(always)]
    pub(super) fn is_single(self) -> bool {
        let (number, sum, squares) = (self.0 & 0xfff, self.0 >> 12 & 0xf_ffff, self.0 >> 32);
        number.wrapping_sub(1) < 4 && number * squares == sum * sum
    }

    /// The one liberty of a chain in atari.
    #[inline(always)]
    pub(super) fn single(self) -> Option<u16> {
        // 2^16 divided by 1 to 4 and rounded up: multiplying is faster than dividing.
        const RECIPROCALS: [u32; 4] = [65_536, 32_768, 21_846, 16_384];
        self.is_single().then(|| {
            let (number, sum) = (self.0 & 0xfff, (self.0 >> 12 & 0xf_ffff) as u32);
            ((sum * RECIPROCALS[(number as usize).wrapping_sub(1) & 3]) >> 16) as u16
        })
    }
}
