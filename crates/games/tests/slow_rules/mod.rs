//! The playout rules once more, on a grid of characters and without any cleverness: flood fill for liberties, a
//! copy of the board for every question.

use afterstate_games::Side;
use afterstate_games::go::{Board, Color, FuegoSettings, Go, MogoSettings, Point, Rule};
use std::collections::BTreeSet;

type Points = BTreeSet<usize>;

/// A board, row by row from A1, with the point that ko forbids.
#[derive(Clone, PartialEq)]
pub struct Grid {
    size: usize,
    cells: Vec<char>,
    ko: Option<usize>,
}

fn stone(side: Side) -> char {
    if side == Side::First { 'X' } else { 'O' }
}

impl Grid {
    pub fn of(board: &Board) -> Grid {
        let symbol = |point| match board.color(point) {
            Color::Black => 'X',
            Color::White => 'O',
            _ => '.',
        };
        let size = board.size();
        Grid { size, cells: Point::all(size).map(symbol).collect(), ko: board.ko().map(|point| point.ordinal(size)) }
    }

    fn get(&self, x: i32, y: i32) -> char {
        let inside = |v: i32| (0..self.size as i32).contains(&v);
        if inside(x) && inside(y) { self.cells[y as usize * self.size + x as usize] } else { '#' }
    }

    fn place(&self, at: usize) -> (i32, i32) {
        ((at % self.size) as i32, (at / self.size) as i32)
    }

    fn beside(&self, at: usize) -> Vec<usize> {
        let (x, y) = self.place(at);
        [(0, -1), (-1, 0), (1, 0), (0, 1)]
            .into_iter()
            .filter(|(dx, dy)| self.get(x + dx, y + dy) != '#')
            .map(|(dx, dy)| (y + dy) as usize * self.size + (x + dx) as usize)
            .collect()
    }

    fn chain(&self, at: usize) -> Points {
        let (mut chain, mut todo) = (Points::from([at]), vec![at]);
        while let Some(now) = todo.pop() {
            for n in self.beside(now) {
                if self.cells[n] == self.cells[at] && chain.insert(n) {
                    todo.push(n);
                }
            }
        }
        chain
    }

    fn liberties(&self, at: usize) -> Points {
        self.chain(at).into_iter().flat_map(|s| self.beside(s)).filter(|&n| self.cells[n] == '.').collect()
    }

    fn put(&self, at: usize, side: Side) -> Grid {
        let mut after = self.clone();
        after.cells[at] = stone(side);
        after
    }

    /// The board after a move, and how many stones it captured.
    fn play(&self, at: usize, side: Side) -> (Grid, usize) {
        let mut after = self.put(at, side);
        let mut captured = Points::new();
        for n in self.beside(at) {
            if after.cells[n] == stone(side.other()) && after.liberties(n).is_empty() {
                captured.extend(after.chain(n));
            }
        }
        for &stone in &captured {
            after.cells[stone] = '.';
        }
        (after, captured.len())
    }

    /// Legal, and no filling of an own eye.
    fn sensible(&self, at: usize, side: Side) -> bool {
        if self.cells[at] != '.' || self.ko == Some(at) || self.play(at, side).0.liberties(at).is_empty() {
            return false;
        }
        let (x, y) = self.place(at);
        let corners = [(-1, -1), (-1, 1), (1, -1), (1, 1)].map(|(dx, dy)| self.get(x + dx, y + dy));
        let hostile = corners.iter().filter(|&&c| c == stone(side.other())).count();
        let allowed = if corners.contains(&'#') { 0 } else { 1 };
        let eye = self.beside(at).iter().all(|&n| self.cells[n] == stone(side)) && hostile <= allowed;
        !eye
    }

    fn left(&self, at: usize, side: Side) -> Option<usize> {
        let (after, captured) = self.play(at, side);
        let liberties = after.liberties(at);
        let lone_capture = captured > 0 && after.chain(at).len() == 1;
        (liberties.len() == 1 && !lone_capture).then(|| liberties.into_iter().next().unwrap())
    }

    fn self_atari(&self, at: usize, side: Side) -> bool {
        self.left(at, side).is_some()
    }

    fn in_atari(&self, at: usize) -> bool {
        "XO".contains(self.cells[at]) && self.liberties(at).len() == 1
    }

    fn rescues(&self, last: usize, side: Side) -> Points {
        let mut found = Points::new();
        for own in self.beside(last) {
            if self.cells[own] != stone(side) || !self.in_atari(own) {
                continue;
            }
            let mut tries = self.liberties(own);
            for enemy in self.chain(own).into_iter().flat_map(|s| self.beside(s)) {
                if self.cells[enemy] == stone(side.other()) && self.in_atari(enemy) {
                    tries.extend(self.liberties(enemy));
                }
            }
            found.extend(
                tries
                    .into_iter()
                    .filter(|&at| self.sensible(at, side) && self.play(at, side).0.liberties(own).len() > 1),
            );
        }
        found
    }

    fn captures(&self, side: Side) -> Points {
        (0..self.cells.len())
            .filter(|&at| self.cells[at] == stone(side.other()) && self.in_atari(at))
            .flat_map(|at| self.liberties(at))
            .filter(|&at| self.sensible(at, side))
            .collect()
    }

    fn low_liberties(&self, last: usize, side: Side) -> Points {
        let own = self.beside(last).into_iter().filter(|&n| self.cells[n] == stone(side));
        let mut found = Points::new();
        for near in std::iter::once(last).chain(own) {
            let owner = if self.cells[near] == 'X' { Side::First } else { Side::Second };
            let liberties = self.liberties(near);
            if self.cells[near] != '.' && liberties.len() == 2 {
                found.extend(liberties.into_iter().filter(|&at| {
                    self.sensible(at, side)
                        && self.put(at, owner).liberties(near).len() > 2
                        && !self.self_atari(at, side)
                }));
            }
        }
        found
    }

    /// Whether a pattern's move is here: the neighbourhood is turned until one fits.
    pub fn pattern(&self, at: usize, side: Side) -> bool {
        let (x, y) = self.place(at);
        let mut square: Vec<Vec<char>> =
            (0..3).map(|row| (0..3).map(|column| self.get(x + column - 1, y + 1 - row)).collect()).collect();
        for turn in 0..8 {
            if turn == 4 {
                square.reverse();
            }
            let mut turned = square.clone();
            for (row, line) in square.iter().enumerate() {
                for (column, &symbol) in line.iter().enumerate() {
                    turned[column][2 - row] = symbol;
                }
            }
            square = turned;
            for x in ['X', 'O'] {
                let fits = |rows: &[&str; 3]| {
                    rows.iter().zip(&square).all(|(row, line)| row.chars().zip(line).all(|(c, &s)| agrees(c, s, x)))
                };
                let my = if stone(side) == x { 'X' } else { 'O' };
                for (rows, movers) in SHAPES {
                    let connected = rows == CUT && CONNECTED.iter().any(fits);
                    if movers.contains(my) && fits(&rows) && !connected {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn patterns(&self, around: usize, side: Side, self_atari: bool) -> Points {
        let (x, y) = self.place(around);
        (0..self.cells.len())
            .filter(|&at| {
                let (a, b) = self.place(at);
                let near = (a - x).abs().max((b - y).abs()) == 1;
                near && self.sensible(at, side) && self.pattern(at, side) && (self_atari || !self.self_atari(at, side))
            })
            .collect()
    }

    fn secured(&self, at: usize) -> bool {
        let beside = self.beside(at);
        let first = self.cells[beside[0]];
        first != '.' && beside.iter().all(|&n| self.cells[n] == first && !self.in_atari(n))
    }
}

const CUT: [&str; 3] = ["XO?", "O.?", "???"];
const CONNECTED: [[&str; 3]; 2] = [["XO?", "O.O", "?.?"], ["XO?", "O..", "?O?"]];
const SHAPES: [([&str; 3], &str); 11] = [
    (["XOX", "...", "???"], "XO"),
    (["XO.", "...", "?.?"], "XO"),
    (["XO?", "X..", "?.?"], "XO"),
    (["XOO", "...", "?.?"], "X"),
    (CUT, "XO"),
    (["?X?", "O.O", "xxx"], "XO"),
    (["X.?", "O.?", "###"], "XO"),
    (["?X?", "o.O", "###"], "XO"),
    (["?XO", "?.?", "###"], "X"),
    (["?XO", "?.o", "###"], "O"),
    (["?XO", "O.X", "###"], "O"),
];

/// Eye spaces that one stone spoils, which goes on `*`.
const SPOILT: [&[&str]; 6] =
    [&["#*#"], &["#*", " #"], &["#*#", " # "], &[" # ", "#*#", " # "], &["##", "#*", " #"], &[" # ", "#*#", " ##"]];

impl Grid {
    /// The vital points of the eye spaces beside `at`.
    fn vital_points(&self, at: usize) -> Points {
        let empty = self.beside(at).into_iter().filter(|&n| self.cells[n] == '.');
        empty.filter_map(|n| self.vital_point(&self.chain(n))).collect()
    }

    fn vital_point(&self, space: &Points) -> Option<usize> {
        let around: BTreeSet<char> = space.iter().flat_map(|&p| self.beside(p)).map(|n| self.cells[n]).collect();
        if around.contains(&'X') == around.contains(&'O') {
            return None;
        }
        let places: Vec<(i32, i32)> = space.iter().map(|&p| self.place(p)).collect();
        SPOILT.iter().flat_map(|shape| (0..8).map(move |turn| (shape, turn))).find_map(|(shape, turn)| {
            let cells = shape.iter().enumerate().flat_map(|(y, row)| {
                row.chars().enumerate().filter(|(_, c)| *c != ' ').map(move |(x, c)| (x as i32, y as i32, c))
            });
            let turned: Vec<(i32, i32, char)> = cells
                .map(|(x, y, c)| {
                    let (x, y) = if turn & 4 != 0 { (y, x) } else { (x, y) };
                    (if turn & 1 != 0 { -x } else { x }, if turn & 2 != 0 { -y } else { y }, c)
                })
                .collect();
            let left = |xs: &mut dyn Iterator<Item = i32>| xs.min();
            let dx = left(&mut places.iter().map(|p| p.0))? - left(&mut turned.iter().map(|p| p.0))?;
            let dy = left(&mut places.iter().map(|p| p.1))? - left(&mut turned.iter().map(|p| p.1))?;
            let moved: BTreeSet<(i32, i32)> = turned.iter().map(|&(x, y, _)| (x + dx, y + dy)).collect();
            let vital = turned.iter().find(|cell| cell.2 == '*')?;
            let here = moved == places.iter().copied().collect();
            here.then(|| (vital.1 + dy) as usize * self.size + (vital.0 + dx) as usize)
        })
    }
}

/// Whether a diagram's symbol agrees with what stands there, if its `X` is the colour `x`.
fn agrees(symbol: char, stands: char, x: char) -> bool {
    let o = if x == 'X' { 'O' } else { 'X' };
    match symbol {
        'X' => stands == x,
        'O' => stands == o,
        'x' => stands == x || stands == '.',
        'o' => stands == o || stands == '.',
        '?' => stands != '#',
        other => stands == other,
    }
}

fn ordinals(game: &Go) -> [Option<usize>; 2] {
    game.recent_stones().map(|stone| stone.map(|point| point.ordinal(game.size())))
}

fn first(rules: Vec<(bool, Rule, Points)>, allowed: impl Fn(usize) -> bool, count: usize) -> (Rule, Points) {
    if let Some((_, rule, points)) = rules.into_iter().find(|(on, _, points)| *on && !points.is_empty()) {
        return (rule, points);
    }
    let random: Points = (0..count).filter(|&at| allowed(at)).collect();
    if random.is_empty() { (Rule::Pass, random) } else { (Rule::Random, random) }
}

/// MoGo's rule and the moves among which it chooses, as ordinals.
pub fn mogo(game: &Go, settings: &MogoSettings) -> (Rule, Points) {
    let (grid, side, [last, _]) = (Grid::of(game.board()), game.to_move(), ordinals(game));
    let near = |find: &dyn Fn(usize) -> Points| last.map(find).unwrap_or_default();
    let rules = vec![
        (settings.save, Rule::Save, near(&|last| grid.rescues(last, side))),
        (settings.patterns, Rule::Pattern, near(&|last| grid.patterns(last, side, !settings.avoid_self_atari))),
        (settings.captures, Rule::Capture, grid.captures(side)),
    ];
    first(rules, |at| grid.sensible(at, side), grid.cells.len())
}

/// Fuego's rule and the moves among which it chooses, before correction, as ordinals.
pub fn fuego(game: &Go, settings: &FuegoSettings) -> (Rule, Points) {
    let (grid, side, [last, before]) = (Grid::of(game.board()), game.to_move(), ordinals(game));
    let near = |find: &dyn Fn(usize) -> Points| last.map(find).unwrap_or_default();
    let capture_last = near(&|last| {
        let liberties = if grid.in_atari(last) { grid.liberties(last) } else { Points::new() };
        liberties.into_iter().filter(|&at| grid.sensible(at, side)).collect()
    });
    let around = |point: Option<usize>| point.map(|point| grid.patterns(point, side, false)).unwrap_or_default();
    let rules = vec![
        (settings.capture_last, Rule::CaptureLast, capture_last),
        (settings.save, Rule::Save, near(&|last| grid.rescues(last, side))),
        (settings.nakade, Rule::Nakade, near(&|last| grid.vital_points(last))),
        (settings.low_liberties, Rule::LowLiberties, near(&|last| grid.low_liberties(last, side))),
        (settings.patterns, Rule::Pattern, &around(last) | &around(before)),
        (settings.captures, Rule::Capture, grid.captures(side)),
    ];
    first(rules, |at| grid.sensible(at, side) && !grid.secured(at), grid.cells.len())
}

/// What Fuego's correction makes of a move.
pub fn corrected(game: &Go, at: usize) -> usize {
    let (grid, side) = (Grid::of(game.board()), game.to_move());
    match grid.left(at, side) {
        Some(left) if grid.sensible(left, side) && !grid.self_atari(left, side) => left,
        _ => at,
    }
}

/// Whether a move would put its own chain in atari.
pub fn is_self_atari(game: &Go, at: usize) -> bool {
    Grid::of(game.board()).self_atari(at, game.to_move())
}
