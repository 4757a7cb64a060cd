//! [`ShapeMemory`]: local shapes of Go, each place for itself, at the cost of what a move or a step of learning touches.
//!
//! TD search asks for the value of every afterstate at every move of every simulation, which is nearly all of its work.
//! So the difference that each move would make is kept, for every empty point p and either colour c:
//!
//! ```text
//! d(c, p) = Σ over windows w that contain p:  θ(w, what w shows with a stone of c on p) − θ(w, what w shows)
//! φ(s∘a)·θ = φ(s)·θ + d(c, p)                 unless the move captures
//! ```
//!
//! A stone changes the windows around it, and so the differences of the points in these windows alone. A step of learning
//! moves the weights of all that a position shows, nearly all windows of the board; as in
//! [`AccruingWeights`](crate::value::AccruingWeights) it is summed up once for all of them:
//!
//! ```text
//! θ = b + n C         n = 1 for what the position shows that is about to learn, else 0
//! θ ← θ + c φ:        C ← C + c
//! ```
//!
//! A sum of weights is then a pair (Σ b, Σ n), differences are such pairs too, and a step touches none of them. They
//! change only when the position that learns moves on, by what that move changed.

mod differences;
mod meeting;

use super::short_term_memory::ShortTermMemory;
use crate::Value;
use crate::large_pages::ask_for;
use crate::learning::TdSettings;
use crate::value::{Linear, LocalShapes, Patterns, WindowSizes, Windows};
use afterstate_games::Side;
use afterstate_games::go::{Go, Move, Point};
use differences::{Pair, plus};
use meeting::Meeting;
use std::mem::take;
use std::sync::Arc;

/// A point of a window, and what a black stone there adds to the window's number.
#[derive(Clone, Copy, Debug)]
struct Cell {
    point: u16,
    unit: u16,
}

/// What a window shows changes.
#[derive(Clone, Copy, Debug)]
struct Change {
    window: u16,
    old: u16,
    new: u16,
}

/// A move of the simulation under way: where its changes end, and the points whose stones came and went. The first of
/// these is that of the move; a pass has none.
#[derive(Clone, Copy, Debug)]
struct Played {
    changes: usize,
    points: usize,
}

/// What a position shows.
#[derive(Clone, Debug, Default)]
struct Shown {
    /// The number of each window.
    numbers: Vec<u16>,
    /// By the index of a point: whether there is no stone.
    empty: Vec<bool>,
}

/// After so many simulations differences are computed anew, before rounding adds up.
const REFRESH: u32 = 64;

/// θ̄ over local shapes that share nothing; windows that are entirely empty have no weight. The rule is that of
/// [`OnlineTd`](crate::learning::OnlineTd), and what is computed is what
/// [`FeatureMemory::of_shapes`](super::FeatureMemory::of_shapes) would, up to rounding.
///
/// ```
/// use afterstate_engine::learning::TdSettings;
/// use afterstate_engine::search::{PlayOut, ShapeMemory, TdSearch, TdSearchSettings};
/// use afterstate_engine::value::WindowSizes;
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{go::{FuegoPlayout, Go}, stream};
/// let memory = ShapeMemory::new(WindowSizes::new(&[1, 2]).unwrap(), TdSettings::default());
/// let settings = TdSearchSettings { simulations: 500, ..TdSearchSettings::default() };
/// let mut search = TdSearch::new(memory, PlayOut(FuegoPlayout::default()), settings);
/// let decision = search.search(&Go::new(5), &Budget::default(), &mut stream(1, 0));
/// assert_eq!((decision.best.is_some(), decision.effort), (true, 500));
/// assert!(search.memory().weights().iter().any(|&weight| weight != 0.0));
/// ```
#[derive(Clone, Debug)]
pub struct ShapeMemory {
    td: TdSettings,
    sizes: WindowSizes,
    windows: &'static Windows,
    /// Where the weights of each window begin, and its cells; one more entry closes the last.
    rows: Vec<(u32, u32)>,
    cells: Vec<Cell>,
    weights: Vec<Pair>,
    /// C.
    credit: f32,
    root: Shown,
    now: Shown,
    /// φ·θ of the present position.
    sum: Pair,
    /// d, by colour and the index of a point. Entries of points that hold a stone mean nothing.
    differences: [Vec<Pair>; 2],
    /// The numbers of the position that is about to learn, φ·θ of it, and ‖φ‖².
    learning: Vec<u16>,
    learning_sum: f64,
    active: u32,
    /// The moves of the simulation under way, how many of them lead to the position that learns, and how many positions
    /// were reached.
    moves: Vec<Played>,
    changes: Vec<Change>,
    points: Vec<Point>,
    behind: usize,
    time: usize,
    /// What the positions that wait are worth beside φ·θ.
    beside: [f32; 2],
    simulations: u32,
    /// What a new game begins with; `None`: nothing.
    initial: Option<Arc<[f32]>>,
    /// Where several threads learn together.
    meeting: Option<Meeting>,
    /// What windows show after a capture that is only thought of.
    after: Vec<u16>,
}

impl ShapeMemory {
    /// A memory that knows nothing yet, for boards of any size; on another board it begins anew.
    ///
    /// # Panics
    ///
    /// If λ is not 0, or its form is backward.
    pub fn new(sizes: WindowSizes, td: TdSettings) -> ShapeMemory {
        assert!(td.is_online(), "λ is {}: this memory has no eligibility traces", td.lambda);
        let mut memory = ShapeMemory {
            td,
            sizes,
            windows: Windows::of(9, sizes),
            rows: Vec::new(),
            cells: Vec::new(),
            weights: Vec::new(),
            credit: 0.0,
            root: Shown::default(),
            now: Shown::default(),
            sum: [0.0; 2],
            differences: Default::default(),
            learning: Vec::new(),
            learning_sum: 0.0,
            active: 0,
            moves: Vec::new(),
            changes: Vec::new(),
            points: Vec::new(),
            behind: 0,
            time: 0,
            beside: [0.0; 2],
            simulations: 0,
            initial: None,
            meeting: None,
            after: Vec::new(),
        };
        memory.lay_out(9);
        memory
    }

    /// A memory that knows what was learnt before the game, and goes on from there: Dyna-2 with one table in place of two,
    /// as the original program had it. It looks at the windows of `learnt`, each place for itself, and makes values of sums
    /// as that does. For boards of the same size; on another board it begins with nothing.
    ///
    /// # Panics
    ///
    /// If λ is not 0, or its form is backward.
    pub fn starting_with(learnt: &Linear<LocalShapes>, td: TdSettings) -> ShapeMemory {
        let (shapes, windows) = (&*learnt.features, learnt.features.windows());
        let mut memory = ShapeMemory::new(windows.sizes(), TdSettings { squash: learnt.squash, ..td });
        memory.lay_out(windows.board_size());
        memory.initial = Some(shapes.weights_by_window(&learnt.weights).into());
        ShortTermMemory::<Go>::clear(&mut memory);
        memory
    }

    /// θ̄, between searches: window by window, in the order of their numbers.
    pub fn weights(&self) -> Vec<f32> {
        self.weights.iter().map(|&weight| self.worth(weight)).collect()
    }

    /// The windows of the board that was searched last.
    pub fn windows(&self) -> &'static Windows {
        self.windows
    }

    /// How it learns.
    pub fn settings(&self) -> &TdSettings {
        &self.td
    }

    /// Weights of 0 for a board of this size.
    fn lay_out(&mut self, size: usize) {
        self.windows = Windows::of(size, self.sizes);
        let mut cells = vec![Vec::new(); self.windows.len()];
        for point in Point::all(size) {
            for cover in self.windows.covering(point) {
                cells[usize::from(cover.window)].push(Cell { point: point.index() as u16, unit: cover.unit });
            }
        }
        self.rows.clear();
        self.cells.clear();
        let mut weights = 0;
        for cells in cells {
            self.rows.push((weights, self.cells.len() as u32));
            weights += 3u32.pow(cells.len() as u32);
            self.cells.extend(cells);
        }
        self.rows.push((weights, self.cells.len() as u32));
        self.weights = vec![[0.0; 2]; weights as usize];
        ask_for(&self.weights);
        let points = Point::at(size - 1, size - 1, size).index() + 1;
        self.differences = [(); 2].map(|()| vec![[0.0; 2]; points]);
        self.learning = vec![0; self.windows.len()];
        self.forget();
    }

    /// Knows what a new game begins with, if that is of this board, and nothing else.
    fn forget(&mut self) {
        match self.initial.as_ref().filter(|initial| initial.len() == self.weights.len()) {
            Some(initial) => self.weights.iter_mut().zip(&**initial).for_each(|(pair, &weight)| *pair = [weight, 0.0]),
            None => self.weights.fill([0.0; 2]),
        }
        self.learning.fill(0);
        self.credit = 0.0;
    }

    /// The number that a pair stands for.
    #[inline(always)]
    fn worth(&self, [b, n]: Pair) -> f32 {
        b + n * self.credit
    }

    /// The present position and the one that learns are the root, and everything is computed anew.
    fn rebuild(&mut self) {
        self.settle();
        self.now.clone_from(&self.root);
        self.learning.clone_from(&self.root.numbers);
        (self.learning_sum, self.active, self.sum) = (0.0, 0, [0.0; 2]);
        for (&number, &(row, _)) in self.learning.iter().zip(&self.rows) {
            if number != 0 {
                let weight = &mut self.weights[row as usize + usize::from(number)];
                weight[1] = 1.0;
                self.learning_sum += f64::from(weight[0]);
                self.active += 1;
                self.sum = plus(self.sum, *weight);
            }
        }
        for point in Point::all(self.windows.board_size()) {
            if self.now.empty[point.index()] {
                self.open(point);
            }
        }
        self.forget_moves();
        self.simulations = 0;
    }

    /// No position learns any more: θ = b.
    fn settle(&mut self) {
        for (&number, &(row, _)) in self.learning.iter().zip(&self.rows) {
            let weight = &mut self.weights[row as usize + usize::from(number)];
            *weight = [weight[0] + weight[1] * self.credit, 0.0];
        }
        self.learning.fill(0);
        self.credit = 0.0;
    }

    fn forget_moves(&mut self) {
        self.moves.clear();
        self.changes.clear();
        self.points.clear();
        self.behind = 0;
    }

    /// The position that learns goes on by one move.
    fn follow(&mut self) {
        let first = self.behind.checked_sub(1).map_or(0, |before| self.moves[before].changes);
        for i in first..self.moves[self.behind].changes {
            let Change { window, old, new } = self.changes[i];
            self.learn_with(window, old, -1.0);
            self.learn_with(window, new, 1.0);
            self.active = self.active + u32::from(new != 0) - u32::from(old != 0);
            self.learning[usize::from(window)] = new;
        }
        self.behind += 1;
    }

    /// Both positions go back to the root.
    fn return_to_root(&mut self) {
        self.time = 0;
        self.simulations += 1;
        // Taking a change back costs about as much as computing the differences of a point for all its windows.
        if self.simulations >= REFRESH || self.changes.len() > self.windows.len() / 2 {
            self.rebuild();
            return;
        }
        while let Some(behind) = self.behind.checked_sub(1) {
            let first = behind.checked_sub(1).map_or(0, |before| self.moves[before].changes);
            for i in (first..self.moves[behind].changes).rev() {
                let Change { window, old, new } = self.changes[i];
                self.learn_with(window, new, -1.0);
                self.learn_with(window, old, 1.0);
                self.active = self.active + u32::from(old != 0) - u32::from(new != 0);
                self.learning[usize::from(window)] = old;
            }
            self.behind = behind;
        }
        while self.moves.pop().is_some() {
            let Played { changes, points } = self.moves.last().copied().unwrap_or(Played { changes: 0, points: 0 });
            for &captured in self.points.iter().skip(points + 1) {
                self.now.empty[captured.index()] = false;
            }
            while self.changes.len() > changes {
                if let Some(Change { window, old, .. }) = self.changes.pop() {
                    self.show(window, old);
                }
            }
            if let Some(&point) = self.points.get(points) {
                self.open(point);
            }
            self.points.truncate(points);
        }
    }

    /// A stone comes or goes, as one that adds `digit` to a window's number in units of its cell.
    #[inline(always)]
    fn place(&mut self, point: Point, digit: i16) {
        self.points.push(point);
        for cover in self.windows.covering(point) {
            let old = self.now.numbers[usize::from(cover.window)];
            let new = old.wrapping_add_signed(digit * cover.unit as i16);
            self.changes.push(Change { window: cover.window, old, new });
            self.show(cover.window, new);
        }
    }

    /// The position that learns moves towards `target`.
    fn update(&mut self, target: Value, beside: f32) {
        let error = target.0 - self.td.squash.value(self.learning_sum as f32 + beside).0;
        let step = self.td.step_size * error / self.active.max(1) as f32;
        self.credit += step;
        self.learning_sum += f64::from(step) * f64::from(self.active);
    }

    /// A position with this value was reached: the one `plies` before it learns.
    fn reached_value(&mut self, value: Value, beside: f32) {
        let plies = self.td.plies.count();
        let slot = self.time % plies;
        if self.time >= plies {
            self.update(value, self.beside[slot]);
        }
        self.beside[slot] = beside;
        self.time += 1;
        if self.time >= plies && self.behind < self.moves.len() {
            self.follow();
        }
    }
}

/// The digit that stands for a side's stone in a window's number.
#[inline(always)]
fn digit(side: Side) -> i16 {
    1 + side as i16
}

impl ShortTermMemory<Go> for ShapeMemory {
    fn clear(&mut self) {
        self.forget();
    }

    fn set_root(&mut self, root: &Go) {
        self.settle();
        if self.windows.board_size() != root.size() {
            self.lay_out(root.size());
        }
        let patterns = Patterns::read(self.windows, root.board());
        self.root.numbers.clear();
        self.root.numbers.extend_from_slice(patterns.numbers());
        self.root.empty.clear();
        self.root.empty.resize(self.differences[0].len(), false);
        for point in root.board().empty_points() {
            self.root.empty[point.index()] = true;
        }
        self.rebuild();
    }

    fn begin(&mut self) {}

    fn afterstate_sums(&mut self, game: &Go, moves: &[Move], sums: &mut Vec<f32>) {
        let (board, side) = (game.board(), game.to_move());
        let now = self.worth(self.sum);
        sums.clear();
        sums.extend(moves.iter().map(|&mv| {
            let Some(point) = mv.point() else { return now };
            let difference = if board.captures_something(point, side) {
                self.difference_of_capture(board, point, side)
            } else {
                self.differences[side.index()][point.index()]
            };
            now + self.worth(difference)
        }));
    }

    fn playing(&mut self, game: &Go, mv: Move) {
        if let Some(point) = mv.point() {
            let (board, side) = (game.board(), game.to_move());
            self.now.empty[point.index()] = false;
            self.place(point, digit(side));
            if board.captures_something(point, side) {
                let first = self.points.len();
                board.for_each_capture(point, side, |stone| self.place(stone, -digit(side.other())));
                for i in first..self.points.len() {
                    self.open(self.points[i]);
                }
            }
        }
        self.moves.push(Played { changes: self.changes.len(), points: self.points.len() });
    }

    fn reached(&mut self, _game: &Go, sum: Option<f32>, beside: f32) {
        let sum = sum.unwrap_or_else(|| self.worth(self.sum) + beside);
        self.reached_value(self.td.squash.value(sum), beside);
    }

    fn ended(&mut self, z: Value, _rest: &[Move]) {
        for _ in 0..self.td.plies.count() {
            self.reached_value(z, 0.0);
        }
        self.return_to_root();
    }

    fn abandoned(&mut self) {
        self.return_to_root();
    }

    /// What is played and taken back leaves sums that are rounded in another way, and a step nearer to when all is computed anew:
    /// everything becomes what it was. Of the weights only those of the root's windows can have changed.
    fn back_to_now(&mut self) -> impl FnOnce(&mut Self) + use<> {
        let (weights, meeting) = (take(&mut self.weights), take(&mut self.meeting));
        let before = self.clone();
        (self.weights, self.meeting) = (weights, meeting);
        let rows = self.root.numbers.iter().zip(&self.rows);
        let at_root = rows.map(|(&number, &(row, _))| row as usize + usize::from(number));
        let worth: Vec<(usize, Pair)> = at_root.map(|index| (index, self.weights[index])).collect();
        move |memory: &mut Self| {
            let (weights, meeting) = (take(&mut memory.weights), take(&mut memory.meeting));
            *memory = ShapeMemory { weights, meeting, ..before };
            worth.into_iter().for_each(|(index, worth)| memory.weights[index] = worth);
        }
    }

    fn value(&self, sum: f32) -> Value {
        self.td.squash.value(sum)
    }

    fn share(&mut self, others: usize) -> Vec<Self> {
        self.fork(others)
    }

    fn meet(&mut self) {
        self.exchange(false);
    }

    fn meet_finally(&mut self) {
        self.exchange(true);
    }
}
