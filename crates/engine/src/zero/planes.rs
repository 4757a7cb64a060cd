//! [`Planes`]: a position as a residual network sees it.

use afterstate_games::go::{Go, Move, Point};
use afterstate_games::rng::mix;
use afterstate_games::{ConnectFour, Game, Grid, IndexedMoves, Side, TicTacToe, Turn};

/// How many planes a position has, unless its details are shown too.
pub const PLANES: usize = 4;

/// A game on a rectangle whose positions are shown to a network as planes, and whose moves have answers among its logits.
///
/// The planes are always those of the side to move: its stones, the other side's, ones if it is the first player, and ones
/// everywhere, so that the network can tell where the board ends. Details of the game may stand behind these: what its rules say of
/// a position, and a small network needs many games to see.
pub trait Planes: Grid + IndexedMoves {
    /// How many planes there are with all details.
    const DETAILED: usize = PLANES;

    /// In how many ways the board can be turned and mirrored so that the game stays the same; number 0 leaves it as it is.
    const SYMMETRIES: usize;

    /// How many logits a network has.
    fn answers(&self) -> usize;

    /// Which of them belongs to a move.
    fn answer(&self, mv: Self::Move) -> usize;

    /// Where a cell goes under a symmetry: column and row.
    fn image(&self, cell: (usize, usize), symmetry: usize) -> (usize, usize);

    /// Where an answer goes under a symmetry.
    fn answer_image(&self, answer: usize, symmetry: usize) -> usize;

    /// Writes the planes, each row by row, after turning the board by `symmetry`: with details if there is room for them.
    ///
    /// ```
    /// use afterstate_engine::zero::{PLANES, Planes};
    /// use afterstate_games::{Game, go::{Go, Move, Point}};
    /// let mut game = Go::new(9);
    /// game.play(Move::play(Point::at(4, 4, 9)));
    /// let mut planes = [0.0; PLANES * 81];
    /// game.planes(0, &mut planes);
    /// // White is to move, so that Black's stone is the other side's.
    /// assert_eq!(planes.iter().position(|&plane| plane == 1.0), Some(81 + 9 * 4 + 4));
    /// ```
    ///
    /// # Panics
    ///
    /// If `planes` has neither [`PLANES`] times the board's cells nor [`DETAILED`](Planes::DETAILED) times as many.
    fn planes(&self, symmetry: usize, planes: &mut [f32]) {
        let (columns, rows) = (self.columns(), self.rows());
        let cells = columns * rows;
        let detailed = planes.len() == Self::DETAILED * cells;
        assert!(detailed || planes.len() == PLANES * cells, "planes of another size");
        let side = if let Turn::Player(side) = self.turn() { side } else { Side::First };
        planes.fill(0.0);
        for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
            if let Some(stone) = self.stone(column, row) {
                let (column, row) = self.image((column, row), symmetry);
                let plane = usize::from(stone != side);
                planes[plane * cells + row * columns + column] = 1.0;
            }
        }
        planes[2 * cells..3 * cells].fill(if side == Side::First { 1.0 } else { 0.0 });
        planes[3 * cells..4 * cells].fill(1.0);
        if detailed {
            self.details(side, &mut |plane, (column, row)| {
                let (column, row) = self.image((column, row), symmetry);
                planes[(PLANES + plane) * cells + row * columns + column] = 1.0;
            });
        }
    }

    /// Names each cell that is 1 on a plane of details, which are counted from 0, as `side` sees them.
    fn details(&self, side: Side, mark: &mut impl FnMut(usize, (usize, usize))) {
        let _ = (side, mark);
    }

    /// A hash of all that planes with details show.
    fn detailed_key(&self) -> u64 {
        self.key()
    }

    /// Whose each cell is, row by row, in a game that is over; `None` where cells belong to nobody by the rules.
    fn owners(&self) -> Option<Vec<Option<Side>>> {
        None
    }
}

/// The eight symmetries of a square: mirrored first if the number is odd, then turned by quarters.
fn turned((mut column, mut row): (usize, usize), size: usize, symmetry: usize) -> (usize, usize) {
    if symmetry % 2 == 1 {
        column = size - 1 - column;
    }
    for _ in 0..symmetry / 2 {
        (column, row) = (size - 1 - row, column);
    }
    (column, row)
}

/// Only left and right can change places.
impl Planes for ConnectFour {
    const SYMMETRIES: usize = 2;

    fn answers(&self) -> usize {
        self.columns()
    }

    fn answer(&self, mv: Self::Move) -> usize {
        mv.index()
    }

    fn image(&self, (column, row): (usize, usize), symmetry: usize) -> (usize, usize) {
        (self.answer_image(column, symmetry), row)
    }

    fn answer_image(&self, answer: usize, symmetry: usize) -> usize {
        if symmetry == 0 { answer } else { self.columns() - 1 - answer }
    }
}

impl Planes for TicTacToe {
    const SYMMETRIES: usize = 8;

    fn answers(&self) -> usize {
        9
    }

    fn answer(&self, mv: Self::Move) -> usize {
        self.move_index(mv)
    }

    fn image(&self, cell: (usize, usize), symmetry: usize) -> (usize, usize) {
        turned(cell, 3, symmetry)
    }

    fn answer_image(&self, answer: usize, symmetry: usize) -> usize {
        let (column, row) = turned((answer % 3, answer / 3), 3, symmetry);
        3 * row + column
    }
}

/// Points row by row, and then the pass. Details are, as far as AlphaGo's planes (D. Silver et al., *Mastering the game of Go with deep
/// neural networks and tree search*, 2016, table 2) gain most: stones of the side to move in chains with one liberty and with two, those
/// of the other side, the point of a ko that may not be taken back at once, and the stones of the last move and of the one before it.
impl Planes for Go {
    const DETAILED: usize = PLANES + 7;

    const SYMMETRIES: usize = 8;

    fn answers(&self) -> usize {
        self.size() * self.size() + 1
    }

    fn answer(&self, mv: Self::Move) -> usize {
        let size = self.size();
        mv.point().map_or(size * size, |point| {
            let (column, row) = point.column_row(size);
            size * row + column
        })
    }

    fn image(&self, cell: (usize, usize), symmetry: usize) -> (usize, usize) {
        turned(cell, self.size(), symmetry)
    }

    fn details(&self, side: Side, mark: &mut impl FnMut(usize, (usize, usize))) {
        let (board, size) = (self.board(), self.size());
        for point in Point::all(size).filter(|&point| !board.is_empty(point)) {
            let first = if board.color(point).side() == Some(side) { 0 } else { 2 };
            if board.is_in_atari(point) {
                mark(first, point.column_row(size));
            } else if board.two_liberties(point).is_some() {
                mark(first + 1, point.column_row(size));
            }
        }
        let single = [board.ko(), self.recent_stones()[0], self.recent_stones()[1]];
        for (plane, point) in (4..).zip(single) {
            if let Some(point) = point {
                mark(plane, point.column_row(size));
            }
        }
    }

    /// The last stones are no part of the position.
    fn detailed_key(&self) -> u64 {
        let place = |stone: Option<Point>| stone.map_or(0, |point| 1 + self.move_index(Move::play(point)) as u64);
        let [last, before] = self.recent_stones().map(place);
        self.key() ^ mix(last << 32 | before)
    }

    /// As the area is counted.
    fn owners(&self) -> Option<Vec<Option<Side>>> {
        let Turn::Over(_) = self.turn() else { return None };
        let size = self.size();
        let mut owners = vec![None; size * size];
        self.board().for_each_owned(|point, side| {
            let (column, row) = point.column_row(size);
            owners[row * size + column] = Some(side);
        });
        Some(owners)
    }

    fn answer_image(&self, answer: usize, symmetry: usize) -> usize {
        let size = self.size();
        if answer == size * size {
            return answer;
        }
        let (column, row) = turned((answer % size, answer / size), size, symmetry);
        size * row + column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Notation, go::Move, rng::below, stream};
    use std::collections::HashSet;

    /// Playing a move and turning the board, or turning it and playing the move's image, is the same.
    fn turns_with_its_moves<G: Planes>(start: G) {
        let (mut rng, mut moves) = (stream(1, 0), Vec::new());
        let mut game = start;
        let cells = game.columns() * game.rows();
        for _ in 0..12 {
            let Turn::Player(_) = game.turn() else { break };
            game.legal_moves(&mut moves);
            let answers: HashSet<usize> = moves.iter().map(|&mv| game.answer(mv)).collect();
            assert_eq!(answers.len(), moves.len(), "every move has an answer of its own");
            for symmetry in 0..G::SYMMETRIES {
                let images: HashSet<usize> =
                    (0..game.answers()).map(|answer| game.answer_image(answer, symmetry)).collect();
                assert_eq!(images, (0..game.answers()).collect());
            }
            let mv = moves[below(&mut rng, moves.len() as u32) as usize];
            let mut after = game.clone();
            after.play(mv);
            // Nobody is to move at the end, so that nothing is the other side's.
            if matches!(after.turn(), Turn::Over(_)) {
                break;
            }
            let (mut before_planes, mut planes) = (vec![0.0; PLANES * cells], vec![0.0; PLANES * cells]);
            let mut as_it_is = vec![0.0; G::DETAILED * cells];
            after.planes(0, &mut as_it_is);
            for symmetry in 0..G::SYMMETRIES {
                game.planes(symmetry, &mut before_planes);
                after.planes(symmetry, &mut planes);
                let mut detailed = vec![0.0; G::DETAILED * cells];
                after.planes(symmetry, &mut detailed);
                assert_eq!(planes, detailed[..PLANES * cells]);
                for (place, seen) in as_it_is.iter().enumerate() {
                    let (plane, cell) = (place / cells, place % cells);
                    let (column, row) = game.image((cell % game.columns(), cell / game.columns()), symmetry);
                    assert_eq!(detailed[plane * cells + row * game.columns() + column], *seen);
                }
                // The new stone is the other side's now; it stands where the answer's image is, where answers are cells.
                let stones =
                    |planes: &[f32], plane: usize| planes[plane * cells..(plane + 1) * cells].iter().sum::<f32>();
                let image = game.answer_image(game.answer(mv), symmetry);
                if game.answers() >= cells && image < cells {
                    assert_eq!(
                        (before_planes[image] + before_planes[cells + image], planes[cells + image]),
                        (0.0, 1.0)
                    );
                }
                assert!(stones(&planes, 1) >= 1.0 || image == cells);
            }
            game = after;
        }
    }

    #[test]
    fn moves_turn_with_the_board() {
        turns_with_its_moves(TicTacToe::default());
        turns_with_its_moves(ConnectFour::new());
        turns_with_its_moves(Go::new(5));
    }

    #[test]
    fn planes_are_those_of_the_side_to_move() {
        let game = TicTacToe::parse_position("X../.O./X..").unwrap();
        let mut planes = [0.0; PLANES * 9];
        game.planes(0, &mut planes);
        assert_eq!(planes[..9], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], "O is to move");
        assert_eq!(planes[9..18], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!((planes[18], planes[35]), (0.0, 1.0));
    }

    #[test]
    fn points_belong_to_somebody_when_the_game_is_over() {
        // Black has the column C, White E5 and E4; D belongs to nobody.
        let mut game = Go::new(5);
        assert_eq!(game.owners(), None);
        for (column, row) in [(2, 0), (4, 4), (2, 1), (4, 3), (2, 2)] {
            game.play(Move::play(Point::at(column, row, 5)));
        }
        game.play(Move::PASS);
        for (column, row) in [(2, 3), (4, 2), (2, 4)] {
            game.play(Move::play(Point::at(column, row, 5)));
        }
        assert_eq!(game.owners(), None, "nobody has passed twice");
        game.play(Move::PASS);
        game.play(Move::PASS);
        let owners = game.owners().unwrap();
        let count = |owner| owners.iter().filter(|known| **known == owner).count();
        assert_eq!([count(Some(Side::First)), count(Some(Side::Second)), count(None)], [15, 3, 7]);
        assert_eq!((owners[3 * 5 + 1], owners[4 * 5 + 4], owners[3]), (Some(Side::First), Some(Side::Second), None));
        assert_eq!(TicTacToe::default().owners(), None);
    }

    /// A ko on 5×5: . X O . . / X . X O . with a white stone just captured at the ko's point.
    #[test]
    fn details_of_go_are_liberties_ko_and_the_last_stones() {
        let mut game = Go::new(5);
        let at = |column, row| Point::at(column, row, 5);
        for (column, row) in [(1, 0), (2, 0), (0, 1), (3, 1), (1, 2), (2, 2), (2, 1), (1, 1)] {
            game.play(Move::play(at(column, row)));
        }
        // Black: b1, a2, b3 and c2, which White has just taken by b2.
        assert_eq!(game.board().ko(), Some(at(2, 1)));
        let mut planes = [0.0; Go::DETAILED * 25];
        game.planes(0, &mut planes);
        let ones = |plane: usize| -> Vec<(usize, usize)> {
            let cells = planes[plane * 25..][..25].iter().enumerate();
            cells.filter(|(_, seen)| **seen == 1.0).map(|(cell, _)| (cell % 5, cell / 5)).collect()
        };
        assert_eq!(ones(0), [(1, 0), (0, 1), (1, 2)]);
        assert_eq!(ones(1), [(2, 0), (1, 1), (3, 1), (2, 2)]);
        assert_eq!(ones(PLANES), [(1, 0)], "Black's in atari");
        assert_eq!(ones(PLANES + 1), [(0, 1), (1, 2)], "Black's with two liberties");
        assert_eq!(ones(PLANES + 2), [(1, 1)], "White's in atari");
        assert_eq!(ones(PLANES + 3), [(2, 0)], "White's with two liberties");
        assert_eq!([ones(PLANES + 4), ones(PLANES + 5), ones(PLANES + 6)], [[(2, 1)], [(1, 1)], [(2, 1)]]);
    }
}
