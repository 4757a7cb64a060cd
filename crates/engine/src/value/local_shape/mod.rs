//! Local shapes: what every small window of a Go board shows (paper 000, §3.1).
//!
//! [`windows`] reads a position, [`sharing`] says which shapes share a weight, and [`LocalShapes`]
//! puts the two together as [`Features`].

mod describe;
mod sharing;
mod windows;

pub use describe::ShapeOnBoard;
pub use sharing::{Share, Sharing};
pub use windows::{MAX_WINDOWS, Patterns, WindowSizes, Windows};

use super::features::{ActiveSet, Features};
use super::tracked::{TrackedGo, digit};
use super::weights::Weights;
use afterstate_games::go::{Go, Move, Point};
use afterstate_games::{Game, Side};
use sharing::ShareTable;

/// Local shape features of a board.
///
/// ```
/// use afterstate_engine::value::{Features, LocalShapes, Sharing, WindowSizes};
/// let shapes = LocalShapes::new(9, WindowSizes::ALL, Sharing::Both);
/// assert_eq!(Features::<afterstate_games::go::Go>::count(&shapes), 63_303);
/// ```
#[derive(Debug)]
pub struct LocalShapes {
    windows: &'static Windows,
    sharing: Sharing,
    table: ShareTable,
}

impl LocalShapes {
    /// The shapes of all windows of `sizes` on a board of `board_size`.
    ///
    /// # Panics
    ///
    /// If `board_size` is not between 5 and 19.
    pub fn new(board_size: usize, sizes: WindowSizes, sharing: Sharing) -> LocalShapes {
        let windows = Windows::of(board_size, sizes);
        LocalShapes { windows, sharing, table: ShareTable::new(windows, sharing) }
    }

    /// The windows that are read.
    pub fn windows(&self) -> &'static Windows {
        self.windows
    }

    /// Which shapes share a weight.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// Number of features before weights are shared: every shape in every window.
    pub fn feature_count(&self) -> usize {
        self.windows.all().iter().map(|window| 3usize.pow((window.k * window.k) as u32)).sum()
    }

    /// The position with its windows read.
    pub fn track(&self, game: Go) -> TrackedGo {
        TrackedGo::read(game, self.windows)
    }

    /// The weights that the shape with this `number` shares in the window with this index; those of
    /// neutral shapes are the entry of [`Weights`] that is always 0.
    pub(crate) fn shares_of(&self, window: usize, number: usize) -> &[Share] {
        let tables = self.sharing.tables();
        let at = (self.table.row[window] as usize + number) * tables;
        &self.table.shares[at..at + tables]
    }

    fn shares<const TABLES: usize>(&self) -> &[[Share; TABLES]] {
        self.table.shares.as_chunks::<TABLES>().0
    }

    fn read_active<const TABLES: usize>(&self, numbers: &[u16], set: &mut ActiveSet) {
        let shares = self.shares::<TABLES>();
        let neutral = self.table.count;
        set.clear();
        let entries = set.entries();
        entries.resize(numbers.len() * TABLES, Share::new(neutral, false));
        // Written without a branch: whether a window is neutral is hard to predict.
        let mut filled = 0;
        for (&row, &number) in self.table.row.iter().zip(numbers) {
            for share in shares[row as usize + usize::from(number)] {
                entries[filled] = share;
                filled += usize::from(share.index() != neutral);
            }
        }
        entries.truncate(filled);
    }

    /// Sums of all afterstates. What each window contributes now is computed once; a move then only
    /// exchanges the windows that contain its point (or a stone that it captures).
    fn sums_after<const TABLES: usize>(
        &self,
        game: &TrackedGo,
        moves: &[Move],
        weights: &Weights,
        sums: &mut Vec<f32>,
    ) {
        let shares = self.shares::<TABLES>();
        let numbers = game.track().patterns.numbers();
        let worth = |window: usize, number: usize| -> f32 {
            let mut sum = 0.0;
            for share in shares[self.table.row[window] as usize + number] {
                sum += weights.shared(share);
            }
            sum
        };
        let mut now = [0f32; MAX_WINDOWS];
        let now = &mut now[..numbers.len()];
        let mut total = 0.0;
        for (window, (now, &number)) in now.iter_mut().zip(numbers).enumerate() {
            *now = worth(window, usize::from(number));
            total += *now;
        }
        let (board, side) = (game.game().board(), game.game().to_move());
        sums.clear();
        for &mv in moves {
            let Some(point) = mv.point() else {
                sums.push(total);
                continue;
            };
            if board.captures_something(point, side) {
                sums.push(total + self.change_with_captures(game, point, side, now, worth));
                continue;
            }
            let digit = digit(side);
            let mut change = 0.0;
            for cover in self.windows.covering(point) {
                let window = usize::from(cover.window);
                change += worth(window, usize::from(numbers[window] + digit * cover.unit)) - now[window];
            }
            sums.push(total + change);
        }
    }

    /// What a capturing move changes, every window that it touches counted once.
    #[cold]
    fn change_with_captures(
        &self,
        game: &TrackedGo,
        point: Point,
        side: Side,
        now: &[f32],
        worth: impl Fn(usize, usize) -> f32,
    ) -> f32 {
        let mut patterns = game.track().patterns.clone();
        patterns.add(self.windows, point, digit(side));
        game.game().board().for_each_capture(point, side, |stone| {
            patterns.remove(self.windows, stone, digit(side.other()));
        });
        let before = game.track().patterns.numbers();
        let mut change = 0.0;
        for (window, (&number, &was)) in patterns.numbers().iter().zip(before).enumerate() {
            if number != was {
                change += worth(window, usize::from(number)) - now[window];
            }
        }
        change
    }
}

impl Features<TrackedGo> for LocalShapes {
    fn count(&self) -> usize {
        self.table.count
    }

    fn active(&self, game: &TrackedGo, set: &mut ActiveSet) {
        let numbers = game.track().patterns.numbers();
        match self.sharing.tables() {
            1 => self.read_active::<1>(numbers, set),
            _ => self.read_active::<2>(numbers, set),
        }
    }

    fn describe(&self, index: usize) -> String {
        self.describe_weight(index)
    }

    fn afterstate_sums(&self, game: &TrackedGo, moves: &[Move], weights: &Weights, sums: &mut Vec<f32>) {
        match self.sharing.tables() {
            1 => self.sums_after::<1>(game, moves, weights, sums),
            _ => self.sums_after::<2>(game, moves, weights, sums),
        }
    }
}

impl Features<Go> for LocalShapes {
    fn count(&self) -> usize {
        self.table.count
    }

    fn active(&self, game: &Go, set: &mut ActiveSet) {
        Features::<TrackedGo>::active(self, &self.track(game.clone()), set);
    }

    fn describe(&self, index: usize) -> String {
        self.describe_weight(index)
    }

    fn afterstate_sums(&self, game: &Go, moves: &[<Go as Game>::Move], weights: &Weights, sums: &mut Vec<f32>) {
        Features::<TrackedGo>::afterstate_sums(self, &self.track(game.clone()), moves, weights, sums);
    }
}
