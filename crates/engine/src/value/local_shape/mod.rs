//! Local shapes: what every small window of a Go board shows (paper 000, §3.1).
//!
//! [`windows`] reads a position, [`sharing`] says which shapes share a weight, and [`LocalShapes`]
//! puts the two together as [`Features`].

mod describe;
mod sharing;
mod windows;

pub use describe::ShapeOnBoard;
pub use sharing::{Share, Sharing};
pub(crate) use windows::Window;
use windows::WindowSet;
pub use windows::{MAX_WINDOWS, Patterns, WindowSizes, Windows};

use super::features::{Active, ActiveChange, ActiveSet, Features, Memory};
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
#[derive(Clone, Debug)]
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

    /// What each window is worth by what it shows, window by window: the weights without their sharing.
    pub(crate) fn weights_by_window(&self, weights: &Weights) -> Vec<f32> {
        let worth = |(window, number)| self.shares_of(window, number).iter().map(|&share| weights.shared(share)).sum();
        let windows = self.windows.all().iter().enumerate();
        let places = windows.flat_map(|(i, window)| (0..3usize.pow((window.k * window.k) as u32)).map(move |n| (i, n)));
        places.map(worth).collect()
    }

    /// Number of weights.
    pub(crate) fn weight_count(&self) -> usize {
        self.table.count
    }

    fn shares<const TABLES: usize>(&self) -> &[[Share; TABLES]] {
        self.table.shares.as_chunks::<TABLES>().0
    }

    fn read_active<const TABLES: usize>(&self, numbers: &[u16], set: &mut ActiveSet) {
        let shares = self.shares::<TABLES>();
        // Empty windows have no weight, and boards on which games begin have many of them.
        let shown = self.table.row.iter().zip(numbers).filter(|&(_, &number)| number != 0);
        let windows = shown.map(|(&row, &number)| shares[row as usize + usize::from(number)]);
        set.read(numbers.len(), Active::new(self.table.count), windows);
    }

    /// What a move changes: the windows that contain its point, or a stone that it captures.
    fn read_change<const TABLES: usize, const WINDOWS: usize>(
        &self,
        game: &TrackedGo,
        mv: Move,
        change: &mut ActiveChange,
    ) {
        let Some(point) = mv.point() else { return };
        let (board, side) = (game.game().board(), game.game().to_move());
        let (shares, numbers) = (self.shares::<TABLES>(), game.track().patterns.numbers());
        let exchanged = |window: usize, number: u16, next: u16| {
            let row = self.table.row[window] as usize;
            [shares[row + usize::from(number)], shares[row + usize::from(next)]]
        };
        if board.captures_something(point, side) {
            let (after, changed) = self.numbers_after_capture::<WINDOWS>(game, point, side);
            let windows = changed.iter(numbers.len()).map(|window| exchanged(window, numbers[window], after[window]));
            change.exchange(numbers.len(), windows);
        } else {
            let (digit, covers) = (digit(side), self.windows.covering(point));
            let windows = covers.iter().map(|cover| {
                let number = numbers[usize::from(cover.window)];
                exchanged(usize::from(cover.window), number, number + digit * cover.unit)
            });
            change.exchange(covers.len(), windows);
        }
    }

    /// Sums of all afterstates. What each window contributes now is computed once; a move then only
    /// exchanges the windows that contain its point (or a stone that it captures). There are at most `WINDOWS`,
    /// a power of two, so that no index needs a check.
    #[inline(never)]
    fn sums_after<const TABLES: usize, const WINDOWS: usize>(
        &self,
        game: &TrackedGo,
        moves: &[Move],
        memory: &impl Memory,
        sums: &mut Vec<f32>,
    ) {
        let mut now = [(0, 0.0); WINDOWS];
        let total = self.sum_now::<TABLES, WINDOWS>(game.track().patterns.numbers(), memory, &mut now);
        let worth = self.worths::<TABLES>(memory);
        let (board, side) = (game.game().board(), game.game().to_move());
        let digit = u32::from(digit(side));
        sums.clear();
        sums.extend(moves.iter().map(|&mv| {
            let Some(point) = mv.point() else { return total };
            if board.captures_something(point, side) {
                let (after, changed) = self.numbers_after_capture::<WINDOWS>(game, point, side);
                let change = changed.iter(self.table.row.len()).map(|window| {
                    worth(self.table.row[window] + u32::from(after[window % WINDOWS])) - now[window % WINDOWS].1
                });
                return total + change.sum::<f32>();
            }
            let mut change = 0.0;
            for cover in self.windows.covering(point) {
                let (at, worth_now) = now[usize::from(cover.window) % WINDOWS];
                change += worth(at + digit * u32::from(cover.unit)) - worth_now;
            }
            total + change
        }));
    }

    /// The sum as it is; and of each window, where its shares stand in the table, and what they are worth. A function
    /// of its own, so that the sum stays in a register: what follows calls functions, and would keep it in memory.
    #[inline(never)]
    fn sum_now<const TABLES: usize, const WINDOWS: usize>(
        &self,
        numbers: &[u16],
        memory: &impl Memory,
        now: &mut [(u32, f32); WINDOWS],
    ) -> f32 {
        let worth = self.worths::<TABLES>(memory);
        let mut total = 0.0;
        for ((now, &number), &row) in now.iter_mut().zip(numbers).zip(&self.table.row) {
            let at = row + u32::from(number);
            *now = (at, worth(at));
            total += now.1;
        }
        total
    }

    /// The sum alone.
    fn sum_of<const TABLES: usize>(&self, numbers: &[u16], memory: &impl Memory) -> f32 {
        let worth = self.worths::<TABLES>(memory);
        numbers.iter().zip(&self.table.row).map(|(&number, &row)| worth(row + u32::from(number))).sum()
    }

    /// What a window contributes whose shares stand at some place in the table.
    #[inline(always)]
    fn worths<const TABLES: usize>(&self, memory: &impl Memory) -> impl Fn(u32) -> f32 {
        let shares = self.shares::<TABLES>();
        move |at| {
            let mut sum = 0.0;
            for share in shares[at as usize] {
                sum += memory.worth(share);
            }
            sum
        }
    }

    /// What the windows show after a capturing move, and which of them are changed by it.
    #[cold]
    fn numbers_after_capture<const WINDOWS: usize>(
        &self,
        game: &TrackedGo,
        point: Point,
        side: Side,
    ) -> ([u16; WINDOWS], WindowSet) {
        let before = game.track().patterns.numbers();
        let (mut numbers, mut changed) = ([0; WINDOWS], WindowSet::default());
        numbers[..before.len()].copy_from_slice(before);
        for cover in self.windows.covering(point) {
            numbers[usize::from(cover.window)] += digit(side) * cover.unit;
            changed.insert(cover.window);
        }
        game.game().board().for_each_capture(point, side, |stone| {
            for cover in self.windows.covering(stone) {
                numbers[usize::from(cover.window)] -= digit(side.other()) * cover.unit;
                changed.insert(cover.window);
            }
        });
        (numbers, changed)
    }
}

/// Calls a method for the number of weights that apply to a window, and for a power of two that is at least
/// the number of windows: up to 9×9, up to 13×13, and all.
macro_rules! sized {
    ($shapes:ident . $method:ident ( $($argument:expr),* )) => {
        match ($shapes.sharing.tables(), $shapes.windows.len()) {
            (1, 0..=256) => $shapes.$method::<1, 256>($($argument),*),
            (1, 257..=512) => $shapes.$method::<1, 512>($($argument),*),
            (1, _) => $shapes.$method::<1, { MAX_WINDOWS.next_power_of_two() }>($($argument),*),
            (_, 0..=256) => $shapes.$method::<2, 256>($($argument),*),
            (_, 257..=512) => $shapes.$method::<2, 512>($($argument),*),
            (_, _) => $shapes.$method::<2, { MAX_WINDOWS.next_power_of_two() }>($($argument),*),
        }
    };
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

    fn change(&self, game: &TrackedGo, mv: Move, change: &mut ActiveChange) {
        sized!(self.read_change(game, mv, change));
    }

    fn sum<M: Memory>(&self, game: &TrackedGo, memory: &M) -> f32 {
        let numbers = game.track().patterns.numbers();
        match self.sharing.tables() {
            1 => self.sum_of::<1>(numbers, memory),
            _ => self.sum_of::<2>(numbers, memory),
        }
    }

    fn afterstate_sums<M: Memory>(&self, game: &TrackedGo, moves: &[Move], memory: &M, sums: &mut Vec<f32>) {
        sized!(self.sums_after(game, moves, memory, sums));
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

    fn sum<M: Memory>(&self, game: &Go, memory: &M) -> f32 {
        Features::<TrackedGo>::sum(self, &self.track(game.clone()), memory)
    }

    fn afterstate_sums<M: Memory>(&self, game: &Go, moves: &[<Go as Game>::Move], memory: &M, sums: &mut Vec<f32>) {
        Features::<TrackedGo>::afterstate_sums(self, &self.track(game.clone()), moves, memory, sums);
    }
}
