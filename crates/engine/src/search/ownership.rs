//! Who owns what when simulations end: [`GoOwnership`] counts, [`Ownership`] is the average, and says which stones
//! are dead.
//!
//! The mean owner of a point over playouts is the oldest use of Monte-Carlo simulation in Go beside choosing moves
//! (B. Bruegmann, Monte Carlo Go, 1993; B. Bouzy and B. Helmstetter, Monte-Carlo Go developments, 2003).

use super::leaf::PlayoutObserver;
use crate::Value;
use afterstate_games::go::{Board, Color, Go, MogoPlayout, Move, Point, PointSet};
use afterstate_games::{Game, PlayoutPolicy, Rng, Side, Turn, stream};

/// A chain whose own side holds its points at least this much is alive, one whose opponent does is dead; 1 would be
/// in every playout. Playouts kill what is dead and save what is alive in all but a few cases.
const SETTLED: f32 = 0.4;

/// Of simulations that ended early one in so many is played on, and counts for all of them.
const PLAYED_ON: u32 = 4;

/// Counts who owned each point in the final positions of simulations. Those that ended early because somebody was far ahead
/// (`mercy`) leave dead stones on the board and points to nobody, so some of them are played on, by MoGo's rules, and count for the rest.
///
/// As the observer of a tree search it sees every simulation; each thread counts for itself, and the counts are
/// added up when the threads are done.
///
/// ```
/// use afterstate_engine::search::{GoOwnership, Mcts, MctsSettings, PlayOut, Uct};
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{go::{Color, Go, Point, UniformGoPlayout}, stream};
/// // Black has split the board in two and holds everything.
/// let wall = Point::all(5).filter(|point| [1, 3].contains(&point.column_row(5).0));
/// let game = Go::set_up(5, wall.map(|point| (point, Color::Black))).unwrap();
/// let settings = MctsSettings { simulations: 200, memory_mib: 1, ..MctsSettings::default() };
/// let playout = PlayOut(UniformGoPlayout);
/// let mut search = Mcts::with(Uct::default(), playout, (), GoOwnership::default(), settings);
/// search.search(&game, &Budget::default(), &mut stream(1, 0));
/// let ownership = search.observer().mean().unwrap();
/// assert!(Point::all(5).all(|point| ownership.of(point) > 0.5));
/// ```
#[derive(Clone, Debug)]
pub struct GoOwnership {
    size: usize,
    playouts: u32,
    /// Indexed by [`Point::index`]: how many more playouts Black owned the point in than White.
    sums: Vec<i32>,
    /// Those that ended early.
    stopped: u32,
    policy: MogoPlayout,
    trace: Vec<Move>,
    /// Of its own, so that a search does the same whether it is watched or not.
    rng: Rng,
}

impl Default for GoOwnership {
    fn default() -> Self {
        GoOwnership {
            size: 0,
            playouts: 0,
            sums: Vec::new(),
            stopped: 0,
            policy: MogoPlayout::default(),
            trace: Vec::new(),
            rng: stream(0, 0),
        }
    }
}

impl GoOwnership {
    /// How many final positions were seen.
    pub fn playouts(&self) -> u32 {
        self.playouts
    }

    /// Forgets everything: before another position is searched.
    pub fn clear(&mut self) {
        // What it sees of one search must not depend on those before.
        (self.stopped, self.rng) = (0, stream(0, 0));
        self.playouts = 0;
        self.sums.fill(0);
    }

    /// Counts one final position. One of another board size starts the count anew.
    #[inline]
    pub fn add(&mut self, end: &Go) {
        self.add_times(end, 1);
    }

    #[inline]
    fn add_times(&mut self, end: &Go, times: u32) {
        if end.size() != self.size {
            self.size = end.size();
            self.playouts = 0;
            self.sums = vec![0; (self.size + 1) * (self.size + 1)];
        }
        self.playouts = self.playouts.saturating_add(times);
        let (sums, times) = (&mut self.sums[..], times as i32);
        end.board().for_each_owned(|point, side| sums[point.index()] += times * (1 - 2 * side.index() as i32));
    }

    /// Plays a simulation on that ended early, and counts it, if it is its turn.
    fn play_on(&mut self, end: &Go) {
        self.stopped = self.stopped.wrapping_add(1);
        if self.stopped % PLAYED_ON == 1 {
            let mut end = end.clone();
            self.trace.clear();
            self.policy.play_out(&mut end, &mut self.trace, &mut self.rng);
            self.add_times(&end, PLAYED_ON);
        }
    }

    /// The average; `None` if nothing was seen.
    pub fn mean(&self) -> Option<Ownership> {
        if self.playouts == 0 {
            return None;
        }
        let mean = |point: Point| (f64::from(self.sums[point.index()]) / f64::from(self.playouts)) as f32;
        Some(Ownership { size: self.size, black: Point::all(self.size).map(mean).collect() })
    }
}

impl PlayoutObserver<Go> for GoOwnership {
    #[inline]
    fn finished(&mut self, end: &Go, _value: Value) {
        if end.passes() < 2 { self.play_on(end) } else { self.add(end) }
    }

    fn ownership(&self) -> Option<Ownership> {
        self.mean()
    }

    fn fork(&self) -> Self {
        GoOwnership::default()
    }

    fn join(&mut self, other: Self) {
        if other.playouts == 0 {
            return;
        }
        if other.size != self.size || self.playouts == 0 {
            (self.size, self.playouts, self.sums) = (other.size, other.playouts, other.sums);
            return;
        }
        self.playouts = self.playouts.saturating_add(other.playouts);
        self.sums.iter_mut().zip(other.sums).for_each(|(sum, more)| *sum += more);
    }
}

/// What becomes of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChainStatus {
    /// It stays on the board.
    Alive,
    /// It stays, but does not own its surroundings: whoever fills a liberty that it shares with the enemy loses.
    Seki,
    /// It will be captured.
    Dead,
}

/// The mean owner of each point of a board: +1 is always Black, −1 always White.
#[derive(Clone, Debug, PartialEq)]
pub struct Ownership {
    size: usize,
    /// Indexed by [`Point::ordinal`].
    black: Vec<f32>,
}

impl Ownership {
    /// From numbers in the order of [`Point::all`], from −1 (White) to 1 (Black); `None` if there are not `size`²
    /// of them.
    pub fn new(size: usize, black: Vec<f32>) -> Option<Ownership> {
        (black.len() == size * size).then_some(Ownership { size, black })
    }

    /// Points along one edge.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How much more often Black owns the point than White, from −1 to 1.
    ///
    /// # Panics
    ///
    /// If the point is on no board of this size.
    pub fn of(&self, point: Point) -> f32 {
        self.black[point.ordinal(self.size)]
    }

    /// The same from one side's point of view: 1 if `side` always owns the point.
    pub fn seen_by(&self, point: Point, side: Side) -> f32 {
        match side {
            Side::First => self.of(point),
            Side::Second => -self.of(point),
        }
    }

    /// Black's expected lead in points when `game` ends, komi included.
    pub fn lead(&self, game: &Go) -> f64 {
        let compensation = game.score() - f64::from(game.board().area_difference());
        self.black.iter().map(|&owner| f64::from(owner)).sum::<f64>() + compensation
    }

    /// Every chain of `board`, as its stones in the order of [`Point::all`], with what becomes of it.
    ///
    /// Between life and death lies what playouts cannot settle. That counts as seki where it shares a liberty with
    /// an enemy chain of the same kind, and else as alive, for it is still on the board.
    pub fn chains(&self, board: &Board) -> Vec<(Vec<Point>, ChainStatus)> {
        let (mut seen, mut chains) = (PointSet::EMPTY, Vec::new());
        for start in Point::all(board.size()) {
            let Some(side) = board.color(start).side() else { continue };
            if seen.contains(start) {
                continue;
            }
            let mut stones: Vec<Point> = board.chain_stones(start).collect();
            stones.sort_unstable();
            for &stone in &stones {
                seen.insert(stone);
            }
            let owned = stones.iter().map(|&stone| self.seen_by(stone, side)).sum::<f32>() / stones.len() as f32;
            chains.push((stones, owned));
        }
        let mut open = PointSet::EMPTY;
        for stone in chains.iter().filter(|(_, owned)| owned.abs() < SETTLED).flat_map(|(stones, _)| stones) {
            open.insert(*stone);
        }
        let status = |(stones, owned): (Vec<Point>, f32)| {
            let status = match owned {
                owned if owned <= -SETTLED => ChainStatus::Dead,
                owned if owned < SETTLED && shares_liberty(board, &stones, &open) => ChainStatus::Seki,
                _ => ChainStatus::Alive,
            };
            (stones, status)
        };
        chains.into_iter().map(status).collect()
    }

    /// The stones that will be captured, in the order of [`Point::all`].
    ///
    /// ```
    /// use afterstate_engine::search::playout_ownership;
    /// use afterstate_games::go::{Color, Go, MogoPlayout, Point};
    /// use afterstate_games::stream;
    /// // A White stone alone in Black's area.
    /// let wall = Point::all(5).filter(|point| [1, 3].contains(&point.column_row(5).0));
    /// let stones = wall.map(|point| (point, Color::Black)).chain([(Point::at(4, 4, 5), Color::White)]);
    /// let game = Go::set_up(5, stones).unwrap();
    /// let ownership = playout_ownership(&game, &mut MogoPlayout::default(), 200, &mut stream(1, 0));
    /// assert_eq!(ownership.dead_stones(game.board()), [Point::at(4, 4, 5)]);
    /// ```
    pub fn dead_stones(&self, board: &Board) -> Vec<Point> {
        let dead = self.chains(board).into_iter().filter(|(_, status)| *status == ChainStatus::Dead);
        let mut stones: Vec<Point> = dead.flat_map(|(stones, _)| stones).collect();
        stones.sort_unstable();
        stones
    }

    /// Black's lead in points when the dead stones are taken off and the rest is counted as it stands.
    pub fn score(&self, game: &Go) -> f64 {
        let (before, after) =
            (game.board().area_difference(), self.without_dead_stones(game.board()).area_difference());
        game.score() + f64::from(after - before)
    }

    /// The board with the dead stones taken off.
    pub fn without_dead_stones(&self, board: &Board) -> Board {
        let dead = self.dead_stones(board);
        let kept = Point::all(board.size()).filter(|point| !dead.contains(point));
        let stones: Vec<(Point, Color)> = kept.map(|point| (point, board.color(point))).collect();
        // Taking stones off leaves no chain without liberties, so the set-up cannot fail.
        Go::set_up(board.size(), stones).map_or_else(|_| board.clone(), |game| game.board().clone())
    }
}

/// Whether a chain has a liberty beside a stone of `open` that is the enemy's.
fn shares_liberty(board: &Board, stones: &[Point], open: &PointSet) -> bool {
    let color = board.color(stones[0]);
    let liberties =
        stones.iter().flat_map(|&stone| board.neighbours_of(stone)).filter(|&n| board.color(n) == Color::Empty);
    let enemy = |n: Point| {
        let other = board.color(n);
        other.side().is_some() && other != color && open.contains(n)
    };
    liberties.into_iter().any(|liberty| board.neighbours_of(liberty).into_iter().any(enemy))
}

/// The mean owner of each point after playouts from `game`, in which the sides take turns in moving first: what will
/// become of the stones when both sides think that the game is over.
///
/// `playouts` counts as one if it is 0. A few hundred tell dead stones from living ones, in some hundredths of a
/// second on 9×9.
pub fn playout_ownership<P: PlayoutPolicy<Go>>(game: &Go, policy: &mut P, playouts: u32, rng: &mut Rng) -> Ownership {
    let (mut count, mut trace) = (GoOwnership::default(), Vec::new());
    let starts = [Side::First, Side::Second].map(|side| game.clone().with_turn(side));
    let mut end = game.clone();
    for i in 0..playouts.max(1) {
        end.clone_from(&starts[i as usize % 2]);
        trace.clear();
        if !matches!(end.turn(), Turn::Over(_)) {
            policy.play_out(&mut end, &mut trace, rng);
        }
        // A policy may stop early, when the stones have decided.
        count.finished(&end, Value::EVEN);
    }
    let nobody = || Ownership { size: game.size(), black: vec![0.0; game.size() * game.size()] };
    count.mean().unwrap_or_else(nobody)
}
