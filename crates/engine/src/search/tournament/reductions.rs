//! How much less deep late moves are searched at first (<https://www.chessprogramming.org/Late_Move_Reductions>).

use super::Tunables;

/// By depth and by number of the move, both cut off at 63, plies in 1024ths: b + g · ln(depth) · ln(number).
pub(super) struct Reductions(Vec<[i32; 64]>);

impl Reductions {
    pub(super) fn new(tunables: &Tunables) -> Reductions {
        let plies = |depth: usize, number: usize| {
            if depth == 0 || number == 0 {
                return 0;
            }
            let growth = (depth as f64).ln() * (number as f64).ln();
            tunables.reduction + (f64::from(tunables.reduction_growth) * growth) as i32
        };
        Reductions((0..64).map(|depth| std::array::from_fn(|number| plies(depth, number))).collect())
    }

    /// Plies in 1024ths for the move of this number, the first being 1.
    #[inline(always)]
    pub(super) fn plies(&self, depth: i32, number: i32) -> i32 {
        self.0[depth.clamp(0, 63) as usize][number.clamp(0, 63) as usize]
    }
}
