//! What stones, and the position that learns, do to sums and differences.

use super::{ShapeMemory, digit};
use afterstate_games::Side;
use afterstate_games::go::{Board, Point};
use std::ops::Range;

/// b and n of a weight, or of a sum of weights.
pub(super) type Pair = [f32; 2];

#[inline(always)]
pub(super) fn plus([b, n]: Pair, [more_b, more_n]: Pair) -> Pair {
    [b + more_b, n + more_n]
}

#[inline(always)]
pub(super) fn minus([b, n]: Pair, [less_b, less_n]: Pair) -> Pair {
    [b - less_b, n - less_n]
}

impl ShapeMemory {
    #[inline(always)]
    fn cells(&self, window: u16) -> (usize, Range<usize>) {
        let ((row, first), (_, end)) = (self.rows[usize::from(window)], self.rows[usize::from(window) + 1]);
        (row as usize, first as usize..end as usize)
    }

    /// A point has become empty: its differences are computed.
    #[inline]
    pub(super) fn open(&mut self, point: Point) {
        self.now.empty[point.index()] = true;
        let mut differences = [[0.0; 2]; 2];
        for cover in self.windows.covering(point) {
            let at = self.rows[usize::from(cover.window)].0 as usize
                + usize::from(self.now.numbers[usize::from(cover.window)]);
            let weight = self.weights[at];
            for (color, difference) in differences.iter_mut().enumerate() {
                let with_stone = self.weights[at + (1 + color) * usize::from(cover.unit)];
                *difference = plus(*difference, minus(with_stone, weight));
            }
        }
        for (all, difference) in self.differences.iter_mut().zip(differences) {
            all[point.index()] = difference;
        }
    }

    /// A window shows something else. Points whose stones come or go now must not be marked as empty.
    #[inline(always)]
    pub(super) fn show(&mut self, window: u16, new: u16) {
        let old = std::mem::replace(&mut self.now.numbers[usize::from(window)], new);
        let (row, cells) = self.cells(window);
        let (old_at, new_at) = (row + usize::from(old), row + usize::from(new));
        let change = minus(self.weights[new_at], self.weights[old_at]);
        self.sum = plus(self.sum, change);
        let [black, white] = &mut self.differences;
        for cell in &self.cells[cells] {
            let (point, unit) = (usize::from(cell.point), usize::from(cell.unit));
            if self.now.empty[point] {
                let with_black = minus(self.weights[new_at + unit], self.weights[old_at + unit]);
                let with_white = minus(self.weights[new_at + 2 * unit], self.weights[old_at + 2 * unit]);
                black[point] = plus(black[point], minus(with_black, change));
                white[point] = plus(white[point], minus(with_white, change));
            }
        }
    }

    /// The position that learns begins (`times` 1) or ceases (−1) to show `number` in a window.
    #[inline(always)]
    pub(super) fn learn_with(&mut self, window: u16, number: u16, times: f32) {
        if number == 0 {
            return;
        }
        let (row, cells) = self.cells(window);
        let at = row + usize::from(number);
        let before = self.weights[at];
        self.learning_sum += f64::from(times * self.worth(before));
        let change = [-times * self.credit, times];
        self.weights[at] = plus(before, change);
        let shown = self.now.numbers[usize::from(window)];
        let [black, white] = &mut self.differences;
        if shown == number {
            self.sum = plus(self.sum, change);
            for cell in &self.cells[cells] {
                let point = usize::from(cell.point);
                black[point] = minus(black[point], change);
                white[point] = minus(white[point], change);
            }
        } else if shown < number {
            for cell in &self.cells[cells] {
                let point = usize::from(cell.point);
                if number - shown == cell.unit {
                    black[point] = plus(black[point], change);
                } else if number - shown == 2 * cell.unit {
                    white[point] = plus(white[point], change);
                }
            }
        }
    }

    /// φ(s∘a)·θ − φ(s)·θ for a move that captures.
    #[cold]
    pub(super) fn difference_of_capture(&mut self, board: &Board, point: Point, side: Side) -> Pair {
        self.after.clone_from(&self.now.numbers);
        let windows = self.windows;
        let after = &mut self.after[..];
        let mut shift = |point: Point, digit: i16| {
            for cover in windows.covering(point) {
                let number = &mut after[usize::from(cover.window)];
                *number = number.wrapping_add_signed(digit * cover.unit as i16);
            }
        };
        shift(point, digit(side));
        board.for_each_capture(point, side, |stone| shift(stone, -digit(side.other())));
        let mut difference = [0.0; 2];
        for ((&old, &new), &(row, _)) in self.now.numbers.iter().zip(&self.after).zip(&self.rows) {
            if old != new {
                let (old, new) = (row as usize + usize::from(old), row as usize + usize::from(new));
                difference = plus(difference, minus(self.weights[new], self.weights[old]));
            }
        }
        difference
    }
}
