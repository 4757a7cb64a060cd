//! Distances along which moves matter to each other: from stone to stone of a chain it is no step at all.

use super::{Board, Color, at};
use crate::go::point::{AREA, Point};

impl Board {
    /// Calls `each` with every empty point that is 1 to `limit` steps away from `origin` and with the number of steps, nearest
    /// first. A step leads to a neighbour, and the stones of a chain are all in one place: distance in the common fate
    /// graph (T. Graepel, M. Goutrié, M. Krüger and R. Herbrich, Learning on graphs in the game of Go, 2001).
    ///
    /// ```
    /// use afterstate_games::Side;
    /// use afterstate_games::go::{Board, Point};
    /// let mut board = Board::new(9);
    /// for x in 0..3 {
    ///     board.play(Point::at(x, 0, 9), Side::First);
    /// }
    /// // All liberties of the chain are next to its first stone.
    /// let mut near = Vec::new();
    /// board.for_each_common_fate(Point::at(0, 0, 9), 1, |point, _| near.push(point.label(9)));
    /// near.sort();
    /// assert_eq!(near, ["A2", "B2", "C2", "D1"]);
    /// ```
    pub fn for_each_common_fate(&self, origin: Point, limit: u8, mut each: impl FnMut(Point, u8)) {
        let mut seen = [false; AREA];
        let mut queue = [0u16; AREA];
        // Points in `queue[..end]` have been reached, those of the distance `steps` begin at `begin`.
        let (mut begin, mut end) = (0, 0);
        self.reach(origin.0, &mut seen, &mut queue, &mut end);
        for steps in 1..=limit {
            let reached = begin..end;
            begin = end;
            for i in reached {
                for n in self.neighbours(queue[at(i as u16)]) {
                    if !seen[at(n)] && self.cells[at(n)].color != Color::Border {
                        let before = end;
                        self.reach(n, &mut seen, &mut queue, &mut end);
                        if self.cells[at(n)].color == Color::Empty {
                            each(Point(queue[before]), steps);
                        }
                    }
                }
            }
        }
    }

    /// Adds a point, or all stones of its chain.
    fn reach(&self, point: u16, seen: &mut [bool; AREA], queue: &mut [u16; AREA], end: &mut usize) {
        let mut p = point;
        loop {
            seen[at(p)] = true;
            queue[*end & (AREA - 1)] = p;
            *end += 1;
            p = self.cells[at(p)].next;
            if p == point || self.cells[at(point)].color == Color::Empty {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Go;
    use crate::rng::{below, stream};
    use crate::{Game, Side, Turn};

    /// The same by relaxation: no step between stones of a chain, one between other neighbours.
    fn distances(board: &Board) -> impl Fn(Point) -> [u8; AREA] {
        let size = board.size();
        let board = board.clone();
        move |origin| {
            let mut steps = [u8::MAX; AREA];
            steps[origin.index()] = 0;
            loop {
                let mut changed = false;
                for point in Point::all(size).filter(|&point| board.color(point) != Color::Border) {
                    for n in board.neighbours_of(point).into_iter().filter(|&n| board.color(n) != Color::Border) {
                        let together = board.color(n) != Color::Empty
                            && board.color(point) != Color::Empty
                            && board.chain(n) == board.chain(point);
                        let here = steps[point.index()].saturating_add(u8::from(!together));
                        if here < steps[n.index()] {
                            steps[n.index()] = here;
                            changed = true;
                        }
                    }
                }
                if !changed {
                    return steps;
                }
            }
        }
    }

    #[test]
    fn steps_are_those_of_the_graph() {
        for (number, size) in [5, 9, 13].into_iter().enumerate() {
            let (mut game, mut moves, mut rng) = (Go::new(size), Vec::new(), stream(17, number as u64));
            for _ in 0..2 * size * size {
                game.candidate_moves(&mut moves);
                game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
                let Some(last) = game.recent_stones()[0] else { break };
                let expected = distances(game.board())(last);
                let (mut found, mut before) = ([u8::MAX; AREA], 1);
                game.board().for_each_common_fate(last, 3, |point, steps| {
                    assert!(steps >= before && found[point.index()] == u8::MAX);
                    (found[point.index()], before) = (steps, steps);
                });
                for point in Point::all(size).filter(|&point| game.board().is_empty(point)) {
                    let expected = if expected[point.index()] <= 3 { expected[point.index()] } else { u8::MAX };
                    assert_eq!(found[point.index()], expected);
                }
            }
        }
    }

    #[test]
    fn putting_in_atari_is_what_playing_does() {
        let (mut game, mut moves, mut rng) = (Go::new(9), Vec::new(), stream(18, 0));
        for _ in 0..150 {
            for point in Point::all(9).filter(|&point| game.board().is_empty(point)) {
                for side in [Side::First, Side::Second].into_iter().filter(|&side| game.board().is_legal(point, side)) {
                    let endangered = |board: &Board| {
                        let enemy = Color::of(side.other());
                        let mut around = board.neighbours_of(point).into_iter();
                        around.any(|n| board.color(n) == enemy && board.is_in_atari(n))
                    };
                    let mut after = game.board().clone();
                    after.play(point, side);
                    assert_eq!(game.board().puts_in_atari(point, side), endangered(&after));
                }
            }
            if !matches!(game.turn(), Turn::Player(_)) {
                break;
            }
            game.candidate_moves(&mut moves);
            game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
        }
    }
}
