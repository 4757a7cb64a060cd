//! [`Grid`]: how the channels of a board stand in memory, so that a 3×3 convolution need not ask where the board ends.
//!
//! Every cell is followed by its channels. A column of zeros stands between rows, and a row of zeros above and below: the
//! neighbours of a border cell are there, whichever way one looks, and the three neighbours in a row are contiguous.

use crate::architecture::Architecture;

/// A board with zeros around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Grid {
    pub height: usize,
    pub width: usize,
}

impl Grid {
    pub const fn of(architecture: &Architecture) -> Grid {
        Grid { height: architecture.height, width: architecture.width }
    }

    /// Cells from one row to the next.
    pub const fn stride(self) -> usize {
        self.width + 1
    }

    /// All cells, zeros included.
    pub const fn len(self) -> usize {
        (self.height + 2) * self.stride() + 1
    }

    /// Where the cell in this row and column stands.
    pub const fn at(self, row: usize, column: usize) -> usize {
        1 + (row + 1) * self.stride() + column
    }

    /// Cells of the board.
    pub const fn cells(self) -> usize {
        self.height * self.width
    }

    /// Where the board's cells stand, row by row.
    pub fn places(self) -> impl Iterator<Item = usize> + Clone {
        (0..self.height).flat_map(move |row| (0..self.width).map(move |column| self.at(row, column)))
    }

    /// The board's rows, each with all channels of its cells, of boards that stand behind each other.
    pub fn rows(self, boards: &[f32], channels: usize) -> impl Iterator<Item = &[f32]> {
        boards.chunks_exact(self.len() * channels).flat_map(move |board| {
            (0..self.height).map(move |row| &board[self.at(row, 0) * channels..][..self.width * channels])
        })
    }

    /// The same to be changed: `change` gets each row of `boards` and the same row of `others`.
    pub fn for_rows(
        self,
        boards: &mut [f32],
        others: &[f32],
        channels: usize,
        mut change: impl FnMut(&mut [f32], &[f32]),
    ) {
        let length = self.len() * channels;
        for (board, other) in boards.chunks_exact_mut(length).zip(others.chunks_exact(length)) {
            for row in 0..self.height {
                let row = self.at(row, 0) * channels..self.at(row, self.width) * channels;
                change(&mut board[row.clone()], &other[row]);
            }
        }
    }

    /// Reads `input`, plane by plane, into a board whose other cells are 0.
    pub fn read(self, input: &[f32], channels: usize, board: &mut [f32]) {
        for (channel, plane) in input.chunks_exact(self.cells()).enumerate() {
            for (place, &number) in self.places().zip(plane) {
                board[place * channels + channel] = number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neighbours_of_every_cell_are_cells_or_zeros() {
        let grid = Grid { height: 3, width: 4 };
        let places: Vec<usize> = grid.places().collect();
        assert_eq!(places.len(), grid.cells());
        for (row, column) in (0..3).flat_map(|row| (0..4).map(move |column| (row as isize, column as isize))) {
            for (down, right) in (-1..2).flat_map(|down| (-1..2).map(move |right| (down, right))) {
                let at = grid.at(row as usize, column as usize) as isize + down * grid.stride() as isize + right;
                let there = (0..3).contains(&(row + down)) && (0..4).contains(&(column + right));
                assert!((0..grid.len() as isize).contains(&at));
                assert_eq!(places.contains(&(at as usize)), there, "{row} {column} {down} {right}");
            }
        }
    }
}
