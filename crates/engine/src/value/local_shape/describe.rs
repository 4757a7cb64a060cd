//! What a weight of local shapes stands for, in text.

use super::LocalShapes;
use super::sharing::Kind;
use crate::value::tracked::TrackedGo;
use crate::value::weights::Weights;
use afterstate_games::go::Point;

/// What one window of a position shows, and what that counts for.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeOnBoard {
    /// The points of the window, row by row from its lower left corner.
    pub points: Vec<Point>,
    /// What it adds to φ·θ, all shared weights together; positive is good for the first player.
    pub worth: f32,
    /// The weights that it shares, as [`LocalShapes::describe_weight`] numbers them.
    pub weights: Vec<usize>,
}

impl LocalShapes {
    /// Every window of `game` whose shape has a weight. Together they are worth φ·θ.
    ///
    /// ```
    /// use afterstate_engine::value::{Features, LocalShapes, Sharing, TrackedGo, Weights, WindowSizes};
    /// use afterstate_games::{Game, go::{Go, Move, Point}};
    /// let shapes = LocalShapes::new(5, WindowSizes::new(&[1]).unwrap(), Sharing::Both);
    /// let weights = Weights::from_values(&vec![0.5; Features::<TrackedGo>::count(&shapes)]);
    /// let mut game = Go::new(5);
    /// game.play(Move::play(Point::at(2, 2, 5)));
    /// let on_board = shapes.shapes_on(&shapes.track(game), &weights);
    /// // One black stone: a weight for its place and one for black stones anywhere.
    /// assert_eq!((on_board.len(), on_board[0].worth), (1, 1.0));
    /// assert_eq!(on_board[0].points, [Point::at(2, 2, 5)]);
    /// ```
    pub fn shapes_on(&self, game: &TrackedGo, weights: &Weights) -> Vec<ShapeOnBoard> {
        let (tables, size) = (self.sharing.tables(), self.windows.board_size());
        let mut found = Vec::new();
        for (window, (place, &number)) in self.windows.all().iter().zip(game.track().patterns.numbers()).enumerate() {
            let row = (self.table.row[window] as usize + usize::from(number)) * tables;
            let active = self.table.shares[row..row + tables].iter().filter(|share| share.index() != self.table.count);
            let (mut worth, mut indices) = (0.0, Vec::new());
            for &share in active {
                worth += weights.shared(share);
                indices.push(share.index());
            }
            if !indices.is_empty() {
                let ((x, y), k) = (place.anchor, place.k);
                let points = (0..k * k).map(|cell| Point::at(x + cell % k, y + cell / k, size)).collect();
                found.push(ShapeOnBoard { points, worth, weights: indices });
            }
        }
        found
    }

    /// The set, the place and the rows of a weight's canonical example, top row first: `3x3-LD A1 .X./OX./...`
    /// (`X` black, `O` white). `none` if there is no such weight.
    pub fn describe_weight(&self, index: usize) -> String {
        let Some(set) =
            self.table.sets.iter().rev().find(|set| set.offset <= index).filter(|set| index < set.offset + set.len)
        else {
            return "none".to_string();
        };
        let (ordinal, shape) = set.example(index - set.offset);
        let k = set.k;
        let size = self.windows.board_size();
        let across = size - k + 1;
        let rows: Vec<String> = (0..k)
            .rev()
            .map(|row| {
                (0..k).map(|column| ['.', 'X', 'O'][shape / 3usize.pow((row * k + column) as u32) % 3]).collect()
            })
            .collect();
        let place = match set.kind {
            Kind::Independent => String::new(),
            _ => format!("{} ", Point::at(ordinal % across, ordinal / across, size).label(size)),
        };
        format!("{k}x{k}-{} {place}{}", set.kind.label(), rows.join("/"))
    }
}
