//! [`GridShapes`]: local shapes of any game on a grid, each place for itself (paper 000, §4.4).
//!
//! What every k×k window of the board shows is a feature with a weight of its own; nothing is shared, and windows that
//! are entirely empty have none. For Go, [`LocalShapes`](super::LocalShapes) with
//! [`Sharing::None`](super::Sharing::None) are the same features, computed at the cost of what a move changes.

use super::features::{ActiveChange, ActiveSet, Features, Memory, Share};
use super::local_shape::WindowSizes;
use afterstate_games::go::MAX_SIZE;
use afterstate_games::{Grid, Side};

/// Local shapes of a grid.
///
/// ```
/// use afterstate_engine::value::{Features, GridShapes, WindowSizes};
/// use afterstate_games::ConnectFour;
/// let shapes = GridShapes::new(&ConnectFour::new(), WindowSizes::new(&[1, 2]).unwrap());
/// // 42 points with 3 shapes, and 6 × 5 windows with 81.
/// assert_eq!(Features::<ConnectFour>::count(&shapes), 42 * 3 + 30 * 81);
/// ```
#[derive(Clone, Debug)]
pub struct GridShapes {
    columns: usize,
    sizes: WindowSizes,
    windows: Vec<Window>,
    /// For each point the windows that it lies in.
    through: Vec<Vec<u16>>,
    count: usize,
}

/// A square of points.
#[derive(Clone, Copy, Debug)]
struct Window {
    size: usize,
    /// Its first column and row.
    anchor: (usize, usize),
    /// The weight of the empty shape.
    first: usize,
}

/// What stands on each point of a board: 0 for nothing, 1 and 2 for stones of the first and the second player.
type Stones = [u8; MOST_POINTS];

/// The largest grid is that of Go.
const MOST_POINTS: usize = MAX_SIZE * MAX_SIZE;

/// There are three sizes of windows, and no more windows of a size than points.
const MOST_WINDOWS: usize = 3 * MOST_POINTS;

impl GridShapes {
    /// The shapes of all windows of `sizes` that the grid of `game` has room for.
    pub fn new<G: Grid>(game: &G, sizes: WindowSizes) -> GridShapes {
        let (columns, rows) = (game.columns(), game.rows());
        let (mut windows, mut through, mut count) = (Vec::new(), vec![Vec::new(); columns * rows], 0);
        for size in sizes.iter() {
            let (across, up) = (columns + 1 - size.min(columns + 1), rows + 1 - size.min(rows + 1));
            for anchor in (0..up).flat_map(|y| (0..across).map(move |x| (x, y))) {
                let window = Window { size, anchor, first: count };
                window.points(columns).for_each(|point| through[point].push(windows.len() as u16));
                windows.push(window);
                count += shapes(size);
            }
        }
        GridShapes { columns, sizes, windows, through, count }
    }

    /// Which sizes the windows have.
    pub fn sizes(&self) -> WindowSizes {
        self.sizes
    }

    /// Number of weights.
    pub fn weight_count(&self) -> usize {
        self.count
    }

    fn read<G: Grid>(&self, game: &G) -> Stones {
        let mut stones = [0; MOST_POINTS];
        for (point, stone) in stones[..self.through.len()].iter_mut().enumerate() {
            *stone = match game.stone(point % self.columns, point / self.columns) {
                None => 0,
                Some(Side::First) => 1,
                Some(Side::Second) => 2,
            };
        }
        stones
    }

    /// Visits the windows that show something else, each once and in order.
    fn for_changed(&self, before: &Stones, after: &Stones, mut visit: impl FnMut(Window)) {
        let mut changed = [0u64; MOST_WINDOWS.div_ceil(64)];
        for point in (0..self.through.len()).filter(|&point| before[point] != after[point]) {
            for &window in &self.through[point] {
                changed[usize::from(window) / 64] |= 1 << (window % 64);
            }
        }
        for (i, &word) in changed[..self.windows.len().div_ceil(64)].iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                visit(self.windows[64 * i + rest.trailing_zeros() as usize]);
                rest &= rest - 1;
            }
        }
    }

    /// What a window counts for by what it shows.
    fn worth(&self, window: Window, stones: &Stones, memory: &impl Memory) -> f32 {
        window.shape(stones, self.columns).map_or(0.0, |share| memory.worth(share))
    }
}

impl Window {
    /// Its points, those of a row one after the other.
    fn points(self, columns: usize) -> impl DoubleEndedIterator<Item = usize> {
        let Window { size, anchor: (x, y), .. } = self;
        (0..size * size).map(move |cell| x + cell % size + columns * (y + cell / size))
    }

    /// The weight of what it shows; none has one that is entirely empty.
    fn shape(self, stones: &Stones, columns: usize) -> Option<Share> {
        let number = self.points(columns).rev().fold(0, |number, point| 3 * number + usize::from(stones[point]));
        (number != 0).then(|| Share::new(self.first + number, false))
    }
}

/// How many different things a window of size k can show.
fn shapes(k: usize) -> usize {
    3usize.pow((k * k) as u32)
}

impl<G: Grid> Features<G> for GridShapes {
    fn count(&self) -> usize {
        self.count
    }

    fn active(&self, game: &G, set: &mut ActiveSet) {
        let stones = self.read(game);
        set.clear();
        self.windows.iter().filter_map(|window| window.shape(&stones, self.columns)).for_each(|share| set.push(share));
    }

    /// `2x2 (3, 0) X./.O`: the size, the first column and row, and the rows in ascending order.
    fn describe(&self, index: usize) -> String {
        let found =
            self.windows.iter().find(|window| (window.first..window.first + shapes(window.size)).contains(&index));
        let Some(&Window { size: k, anchor: (x, y), first }) = found else { return "none".to_string() };
        let digit = |cell: usize| ['.', 'X', 'O'][(index - first) / 3usize.pow(cell as u32) % 3];
        let rows: Vec<String> = (0..k).map(|row| (0..k).map(|column| digit(row * k + column)).collect()).collect();
        format!("{k}x{k} ({x}, {y}) {}", rows.join("/"))
    }

    fn change(&self, game: &G, mv: G::Move, change: &mut ActiveChange) {
        let (before, mut after) = (self.read(game), game.clone());
        after.play(mv);
        let after = self.read(&after);
        self.for_changed(&before, &after, |window| {
            window.shape(&before, self.columns).into_iter().for_each(|share| change.stop(share));
            window.shape(&after, self.columns).into_iter().for_each(|share| change.start(share));
        });
    }

    fn sum<M: Memory>(&self, game: &G, memory: &M) -> f32 {
        let stones = self.read(game);
        self.windows.iter().map(|&window| self.worth(window, &stones, memory)).sum()
    }

    fn afterstate_sums<M: Memory>(&self, game: &G, moves: &[G::Move], memory: &M, sums: &mut Vec<f32>) {
        let before = self.read(game);
        let worth = |window: Window, stones: &Stones| self.worth(window, stones, memory);
        let present: f32 = self.windows.iter().map(|&window| worth(window, &before)).sum();
        sums.clear();
        sums.extend(moves.iter().map(|&mv| {
            let mut after = game.clone();
            after.play(mv);
            let after = self.read(&after);
            let mut more = 0.0;
            self.for_changed(&before, &after, |window| more += worth(window, &after) - worth(window, &before));
            present + more
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{LocalShapes, Sharing, Weights};
    use afterstate_games::go::Go;
    use afterstate_games::rng::{below, unit};
    use afterstate_games::{ConnectFour, Game, Notation, TicTacToe, stream};

    #[test]
    fn every_window_has_a_weight_for_what_it_shows() {
        let game = TicTacToe::parse_position("X../.O./...").unwrap();
        let shapes = GridShapes::new(&game, WindowSizes::new(&[1, 2]).unwrap());
        let mut set = ActiveSet::default();
        shapes.active(&game, &mut set);
        let found: Vec<String> =
            set.shares().iter().map(|share| Features::<TicTacToe>::describe(&shapes, share.index())).collect();
        let expected = [
            "1x1 (0, 0) X",
            "1x1 (1, 1) O",
            "2x2 (0, 0) X./.O",
            "2x2 (1, 0) ../O.",
            "2x2 (0, 1) .O/..",
            "2x2 (1, 1) O./..",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn on_a_board_of_go_they_are_the_local_shapes_that_share_nothing() {
        let sizes = WindowSizes::ALL;
        let (grid, local) = (GridShapes::new(&Go::new(5), sizes), LocalShapes::new(5, sizes, Sharing::None));
        assert_eq!(Features::<Go>::count(&grid), Features::<Go>::count(&local));
        let (mut game, mut moves, mut rng) = (Go::new(5), Vec::new(), stream(3, 0));
        let (mut one, mut other) = (ActiveSet::default(), ActiveSet::default());
        for _ in 0..60 {
            grid.active(&game, &mut one);
            local.active(&game, &mut other);
            assert_eq!(one, other);
            let Some(mv) = crate::policy::random(&game, &mut moves, &mut rng) else { break };
            game.play(mv);
        }
    }

    #[test]
    fn what_a_move_changes_is_the_difference_of_what_is_active() {
        check_changes(&ConnectFour::new(), 42);
        check_changes(&TicTacToe::new(), 9);
        // Captures change points far away.
        check_changes(&Go::new(5), 120);
    }

    fn check_changes<G: Grid>(start: &G, most: usize) {
        let shapes = GridShapes::new(start, WindowSizes::ALL);
        let mut rng = stream(4, 0);
        let weights: Vec<f32> = (0..shapes.weight_count()).map(|_| unit(&mut rng) - 0.5).collect();
        let weights = Weights::from_values(&weights);
        let (mut game, mut moves, mut sums) = (start.clone(), Vec::new(), Vec::new());
        let (mut before, mut after, mut change) = (ActiveSet::default(), ActiveSet::default(), ActiveChange::default());
        for _ in 0..most {
            game.candidate_moves(&mut moves);
            let Some(&mv) = moves.get(below(&mut rng, moves.len().max(1) as u32) as usize) else { break };
            shapes.active(&game, &mut before);
            shapes.afterstate_sums(&game, &moves, &weights, &mut sums);
            for (&mv, sum) in moves.iter().zip(&sums) {
                let mut next = game.clone();
                next.play(mv);
                shapes.active(&next, &mut after);
                assert!((weights.sum(&after) - sum).abs() < 1e-4);
            }
            change.clear();
            shapes.change(&game, mv, &mut change);
            game.play(mv);
            shapes.active(&game, &mut after);
            let mut counts: Vec<i32> = vec![0; shapes.weight_count()];
            before.shares().iter().for_each(|share| counts[share.index()] += 1);
            change.shares().iter().for_each(|share| counts[share.index()] += share.sign() as i32);
            after.shares().iter().for_each(|share| counts[share.index()] -= 1);
            assert!(counts.iter().all(|&count| count == 0));
            assert_eq!(change.more(), after.norm_squared() as isize - before.norm_squared() as isize);
        }
    }
}
