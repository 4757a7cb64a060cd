//! What patches of two sizes are transformed by, line by line. A transform of a patch is that of its columns, and then of its rows.
//!
//! Both come from interpolation: a product of polynomials is found from its values at a few points and at infinity (S. Winograd,
//! *Arithmetic complexity of computations*, 1980).

use crate::tile::{Lane, PANEL};

/// Patches of `SIDE`×`SIDE` cells, of which a 3×3 convolution makes `CELLS`×`CELLS`: two less.
pub(super) trait Patch<const CELLS: usize, const SIDE: usize> {
    /// G: three weights.
    fn spread_weights(taps: [f32; 3]) -> [f32; SIDE];
    /// Gᵀ: the gradients of three weights.
    fn gather_weights(transformed: [f32; SIDE]) -> [f32; 3];
    /// Bᵀ: a line of a patch.
    fn spread_inputs(line: [&Lane; SIDE]) -> [Lane; SIDE];
    /// Aᵀ: what a line of products comes to.
    fn gather_sums(line: [&Lane; SIDE]) -> [Lane; CELLS];
    /// A: the errors of a line of sums.
    fn spread_errors(line: [&Lane; CELLS]) -> [Lane; SIDE];
}

// What follows has no closures: they would not be compiled for the processor that the function around them is for.

/// `a + factor · b`
#[inline(always)]
pub(super) fn combine(a: &Lane, factor: f32, b: &Lane) -> Lane {
    let mut sum = *a;
    for lane in 0..PANEL {
        sum[lane] += factor * b[lane];
    }
    sum
}

/// F(2×2, 3×3), from the points 0, 1 and −1 and infinity.
pub(super) struct OfFour;

impl Patch<2, 4> for OfFour {
    fn spread_weights([a, b, c]: [f32; 3]) -> [f32; 4] {
        [a, 0.5 * (a + b + c), 0.5 * (a - b + c), c]
    }

    fn gather_weights([a, b, c, d]: [f32; 4]) -> [f32; 3] {
        [a + 0.5 * (b + c), 0.5 * (b - c), 0.5 * (b + c) + d]
    }

    #[inline(always)]
    fn spread_inputs([a, b, c, d]: [&Lane; 4]) -> [Lane; 4] {
        [combine(a, -1.0, c), combine(b, 1.0, c), combine(c, -1.0, b), combine(b, -1.0, d)]
    }

    #[inline(always)]
    fn gather_sums([a, b, c, d]: [&Lane; 4]) -> [Lane; 2] {
        [combine(&combine(a, 1.0, b), 1.0, c), combine(&combine(b, -1.0, c), -1.0, d)]
    }

    #[inline(always)]
    fn spread_errors([a, b]: [&Lane; 2]) -> [Lane; 4] {
        [*a, combine(a, 1.0, b), combine(a, -1.0, b), combine(&[0.0; PANEL], -1.0, b)]
    }
}

/// F(3×3, 3×3), from the points 0, 1, −1 and 2 and infinity.
pub(super) struct OfFive;

impl Patch<3, 5> for OfFive {
    fn spread_weights([a, b, c]: [f32; 3]) -> [f32; 5] {
        [0.5 * a, -0.5 * (a + b + c), (b - a - c) / 6.0, (a + 2.0 * b + 4.0 * c) / 6.0, c]
    }

    fn gather_weights([a, b, c, d, e]: [f32; 5]) -> [f32; 3] {
        [0.5 * (a - b) + (d - c) / 6.0, -0.5 * b + (c + 2.0 * d) / 6.0, -0.5 * b + (4.0 * d - c) / 6.0 + e]
    }

    #[inline(always)]
    fn spread_inputs([a, b, c, d, e]: [&Lane; 5]) -> [Lane; 5] {
        let (last, middle) = (combine(d, -1.0, b), combine(d, -1.0, c));
        [
            combine(&last, 2.0, &combine(a, -1.0, c)),
            combine(&middle, -2.0, b),
            combine(&combine(&middle, 2.0, b), -2.0, c),
            last,
            combine(&combine(e, -1.0, c), -2.0, &last),
        ]
    }

    #[inline(always)]
    fn gather_sums([a, b, c, d, e]: [&Lane; 5]) -> [Lane; 3] {
        let (both, difference) = (combine(b, 1.0, c), combine(b, -1.0, c));
        [
            combine(&combine(a, 1.0, &both), 1.0, d),
            combine(&difference, 2.0, d),
            combine(&combine(&both, 4.0, d), 1.0, e),
        ]
    }

    #[inline(always)]
    fn spread_errors([a, b, c]: [&Lane; 3]) -> [Lane; 5] {
        let ends = combine(a, 1.0, c);
        [*a, combine(&ends, 1.0, b), combine(&ends, -1.0, b), combine(&combine(a, 2.0, b), 4.0, c), *c]
    }
}
