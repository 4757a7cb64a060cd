//! [`GridShapes`]: local shapes of any game on a grid, each place for itself (paper 000, §4.4).
//!
//! What every k×k window of the board shows is a feature with a weight of its own; nothing is shared, and windows that
//! are entirely empty have none. For Go, [`LocalShapes`](super::LocalShapes) with
//! [`Sharing::None`](super::Sharing::None) are the same features, computed at the cost of what a move changes.

use super::features::{ActiveSet, Features, Share};
use super::local_shape::WindowSizes;
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
    rows: usize,
    sizes: WindowSizes,
}

impl GridShapes {
    /// The shapes of all windows of `sizes` that the grid of `game` has room for.
    pub fn new<G: Grid>(game: &G, sizes: WindowSizes) -> GridShapes {
        GridShapes { columns: game.columns(), rows: game.rows(), sizes }
    }

    /// Every window: its size, its first column and row, and the weight of the empty shape.
    fn windows(&self) -> impl Iterator<Item = (usize, (usize, usize), usize)> + '_ {
        let mut first = 0;
        let places = self.sizes.iter().flat_map(move |k| {
            let (across, up) = (self.columns + 1 - k.min(self.columns + 1), self.rows + 1 - k.min(self.rows + 1));
            (0..up).flat_map(move |y| (0..across).map(move |x| (k, (x, y))))
        });
        places.map(move |(k, anchor)| {
            let window = (k, anchor, first);
            first += shapes(k);
            window
        })
    }
}

/// How many different things a window of size k can show.
fn shapes(k: usize) -> usize {
    3usize.pow((k * k) as u32)
}

impl<G: Grid> Features<G> for GridShapes {
    fn count(&self) -> usize {
        self.windows().map(|(k, ..)| shapes(k)).sum()
    }

    fn active(&self, game: &G, set: &mut ActiveSet) {
        set.clear();
        for (k, (x, y), first) in self.windows() {
            let cells = (0..k * k).rev();
            let number = cells.fold(0, |number, cell| {
                3 * number
                    + match game.stone(x + cell % k, y + cell / k) {
                        None => 0,
                        Some(Side::First) => 1,
                        Some(Side::Second) => 2,
                    }
            });
            if number != 0 {
                set.push(Share::new(first + number, false));
            }
        }
    }

    /// `2x2 (3, 0) X./.O`: the size, the first column and row, and the rows in ascending order.
    fn describe(&self, index: usize) -> String {
        let found = self.windows().find(|&(k, _, first)| (first..first + shapes(k)).contains(&index));
        let Some((k, (x, y), first)) = found else { return "none".to_string() };
        let digit = |cell: usize| ['.', 'X', 'O'][(index - first) / 3usize.pow(cell as u32) % 3];
        let rows: Vec<String> = (0..k).map(|row| (0..k).map(|column| digit(row * k + column)).collect()).collect();
        format!("{k}x{k} ({x}, {y}) {}", rows.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{LocalShapes, Sharing};
    use afterstate_games::go::Go;
    use afterstate_games::{Game, Notation, TicTacToe, stream};

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
}
