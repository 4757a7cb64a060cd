//! What playouts by rules have in common: the rules' raw material, the loop, and when a playout ends early.

use super::neighbourhood::{Code, Neighbourhoods, code_of, surroundings};
use super::pattern::PatternTable;
use super::uniform::{Allows, draw, sample};
use crate::go::board::{Board, Color};
use crate::go::point::{AREA, Move, Point};
use crate::go::rules::{Go, Komi};
use crate::rng::{Rng, below};
use crate::{Outcome, Side};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a playout policy chose its move; each policy asks those of these rules that it has, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Captures the chain of the last move.
    CaptureLast,
    /// Takes own stones out of the atari that the last move put them in.
    Save,
    /// Plays the vital point of a small eye space.
    Nakade,
    /// Gives more liberties to a chain near the last move that has two, or takes these from the opponent's.
    LowLiberties,
    /// Plays a 3×3 pattern beside the last move.
    Pattern,
    /// Captures something somewhere.
    Capture,
    /// Any move that the policy allows.
    Random,
    /// There is no move that the policy allows.
    Pass,
}

impl Rule {
    /// All of them, in their order.
    pub const ALL: [Rule; 8] = [
        Rule::CaptureLast,
        Rule::Save,
        Rule::Nakade,
        Rule::LowLiberties,
        Rule::Pattern,
        Rule::Capture,
        Rule::Random,
        Rule::Pass,
    ];

    /// As settings and reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::CaptureLast => "capture-last",
            Rule::Save => "save",
            Rule::Nakade => "nakade",
            Rule::LowLiberties => "low-liberties",
            Rule::Pattern => "pattern",
            Rule::Capture => "capture",
            Rule::Random => "random",
            Rule::Pass => "pass",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Points that a rule has found, each once.
#[derive(Clone, Debug)]
pub(super) struct Found {
    points: [Point; AREA],
    count: usize,
}

impl Found {
    #[inline(always)]
    pub(super) fn add(&mut self, point: Point) {
        if !self.points().contains(&point) {
            self.add_new(point);
        }
    }

    /// Adds a point that is not there.
    #[inline(always)]
    fn add_new(&mut self, point: Point) {
        self.points[self.count & (AREA - 1)] = point;
        self.count += 1;
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline(always)]
    pub(super) fn points(&self) -> &[Point] {
        // No board has so many points that this would cut any off.
        &self.points[..self.count & (AREA - 1)]
    }
}

/// What the rules look at besides the board, kept up to date through a playout.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) table: &'static PatternTable,
    neighbourhoods: Neighbourhoods,
    /// By side, a stone of every chain of its that is in atari; stones of other chains and of none too.
    in_atari: [Vec<Point>; 2],
    /// Stones of the chains that the last move put in atari, in `endangered[..endangered_count]`.
    endangered: [Point; 4],
    endangered_count: usize,
    pub(super) found: Found,
}

impl Default for View {
    fn default() -> Self {
        View {
            table: PatternTable::standard(),
            neighbourhoods: Neighbourhoods::default(),
            in_atari: [Vec::with_capacity(64), Vec::with_capacity(64)],
            endangered: [Point(0); 4],
            endangered_count: 0,
            found: Found { points: [Point(0); AREA], count: 0 },
        }
    }
}

impl View {
    /// Looks at a position afresh.
    pub(super) fn load(&mut self, board: &Board) {
        use crate::go::board::Watcher;
        let size = board.size();
        self.neighbourhoods.clear(size);
        self.forget();
        for point in Point::all(size) {
            let color = board.color(point);
            if let Some(side) = color.side() {
                self.neighbourhoods.appears(point, color, size);
                if board.chain(point) == point && board.is_in_atari(point) {
                    self.in_atari[side.index()].push(point);
                }
            }
        }
    }

    /// Forgets which chains were in atari.
    fn forget(&mut self) {
        self.in_atari.iter_mut().for_each(Vec::clear);
    }

    /// Notes what the last move, a stone of the opponent of `side` on `last`, has put in atari.
    #[inline(always)]
    pub(super) fn note(&mut self, board: &Board, last: Option<Point>, side: Side) {
        self.found.count = 0;
        self.endangered_count = 0;
        let Some(last) = last else { return };
        let own = Color::of(side);
        if board.color(last) == Color::of(side.other()) && board.is_in_atari(last) {
            self.in_atari[side.other().index()].push(last);
        }
        for n in board.neighbours_of(last) {
            if board.color(n) == own && board.is_in_atari(n) {
                self.endangered[self.endangered_count & 3] = n;
                self.endangered_count += 1;
                self.in_atari[side.index()].push(n);
            }
        }
    }

    /// Finds the liberty of the opponent's chain that the last move belongs to, if it is in atari.
    #[inline(always)]
    pub(super) fn find_capture_of(&mut self, board: &Board, last: Point, side: Side) {
        if board.color(last) == Color::of(side.other())
            && let Some(liberty) = board.atari_liberty(last)
            && board.is_sensible(liberty, side)
        {
            self.found.add(liberty);
        }
    }

    /// Finds the moves that take the chains of `side` that the last move put in atari out of it.
    #[inline(always)]
    pub(super) fn find_rescues(&mut self, board: &Board, side: Side) {
        for i in 0..self.endangered_count {
            board.for_each_rescue(self.endangered[i & 3], side, |point| self.found.add(point));
        }
    }

    /// Finds the vital point of an eye space that the last move is beside.
    #[inline(always)]
    pub(super) fn find_nakade(&mut self, board: &Board, last: Point, side: Side) {
        for n in board.neighbours_of(last) {
            if board.is_empty(n)
                && let Some(vital) = board.vital_point(n)
                && board.is_legal(vital, side)
            {
                self.found.add(vital);
            }
        }
    }

    /// Whether a pattern's move for `side` is on `point`.
    pub(super) fn fits_pattern(&self, point: Point, side: Side) -> bool {
        self.table.matches(self.neighbourhoods.code(point), side)
    }

    /// Finds the patterns' moves among the eight neighbours of `around`. Unless it has `FOLLOWED` the game the view looks at the board.
    #[inline(always)]
    pub(super) fn find_patterns<const FOLLOWED: bool>(
        &mut self,
        board: &Board,
        around: Point,
        side: Side,
        self_atari: bool,
    ) {
        for n in surroundings(around, board.size()) {
            if !FOLLOWED && !board.is_empty(n) {
                continue;
            }
            let code = if FOLLOWED { self.neighbourhoods.code(n) } else { code_of(board, n) };
            if self.table.matches(code, side)
                && board.is_empty(n)
                && board.is_sensible(n, side)
                && (self_atari || !board.is_self_atari(n, side))
            {
                self.found.add(n);
            }
        }
    }

    /// What surrounds a point.
    #[inline(always)]
    pub(super) fn code(&self, point: Point) -> Code {
        self.neighbourhoods.code(point)
    }

    /// What has to hear of every stone that appears or disappears.
    #[inline(always)]
    pub(super) fn watcher(&mut self) -> &mut Neighbourhoods {
        &mut self.neighbourhoods
    }

    /// A stone of each chain that the last move put in atari; of some, more than one.
    #[inline(always)]
    pub(super) fn endangered(&self) -> impl Iterator<Item = Point> + use<> {
        self.endangered.into_iter().take(self.endangered_count)
    }

    /// Finds all captures of `side`. Unless it has `FOLLOWED` the game the view looks at the board.
    #[inline(always)]
    pub(super) fn find_captures<const FOLLOWED: bool>(&mut self, board: &Board, side: Side) {
        if !FOLLOWED {
            self.in_atari[side.other().index()].clear();
            for point in Point::all(board.size()) {
                if board.color(point) == Color::of(side.other())
                    && board.chain(point) == point
                    && board.is_in_atari(point)
                {
                    self.in_atari[side.other().index()].push(point);
                }
            }
        }
        let View { in_atari, found, .. } = self;
        for_each_atari(&mut in_atari[side.other().index()], board, side, |_, liberty| {
            if board.is_sensible(liberty, side) {
                found.add(liberty);
            }
        });
    }

    /// Calls `each` with a stone and the last liberty of every chain that `side` could capture; of some chains more than once.
    #[inline(always)]
    pub(super) fn for_each_atari(&mut self, board: &Board, side: Side, each: impl FnMut(Point, Point)) {
        for_each_atari(&mut self.in_atari[side.other().index()], board, side, each);
    }
}

/// [`View::for_each_atari`], with the `stones` of the other side that may be in atari; those that are not are forgotten.
#[inline(always)]
fn for_each_atari(stones: &mut Vec<Point>, board: &Board, side: Side, mut each: impl FnMut(Point, Point)) {
    let enemy = Color::of(side.other());
    let mut i = 0;
    while let Some(&stone) = stones.get(i) {
        let liberty = if board.color(stone) == enemy { board.atari_liberty(stone) } else { None };
        match liberty {
            Some(liberty) => {
                each(stone, liberty);
                i += 1;
            }
            None => {
                stones.swap_remove(i);
            }
        }
    }
}

/// A policy made of rules.
pub(super) trait Rules: Allows {
    fn view(&mut self) -> &mut View;

    /// Lets the rules fill `found` until one has found something, and says which. `FOLLOWED`: the view knows the position from having
    /// loaded it, or one before it and each move since.
    fn find<const FOLLOWED: bool>(&mut self, board: &Board, side: Side, recent: [Option<Point>; 2]) -> Option<Rule>;

    /// What is played instead of a move that was chosen.
    fn correct(&self, board: &Board, point: Point, side: Side) -> Point;

    /// The difference in stones at which a playout is decided, and the number of its moves at which it is
    /// counted as it stands.
    fn limits(&self, size: usize) -> (usize, u32);
}

/// Plays one move and says whether the playout goes on.
#[inline(always)]
fn turn<R: Rules>(rules: &mut R, game: &mut Go, side: Side, trace: &mut Vec<Move>, rng: &mut Rng) -> bool {
    let recent = game.recent_stones();
    rules.view().note(&game.board, recent[0], side);
    let chosen = match rules.find::<true>(&game.board, side, recent) {
        Some(_) => {
            let found = rules.view().found.points();
            Some(found[below(rng, found.len() as u32) as usize])
        }
        None => draw::<R>(&mut game.board, side, rng),
    };
    let mv = match chosen {
        Some(point) => {
            let point = rules.correct(&game.board, point, side);
            game.place_as(point, side, &mut rules.view().neighbourhoods);
            Move::play(point)
        }
        None => {
            game.pass();
            Move::PASS
        }
    };
    game.recent = [mv, game.recent[0]];
    trace.push(mv);
    !game.is_over()
}

/// Plays a game out.
#[inline(always)]
pub(super) fn play_out<R: Rules>(rules: &mut R, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Outcome {
    if game.is_over() {
        return game.outcome();
    }
    rules.view().load(&game.board);
    let (mercy, mut moves_left) = rules.limits(game.size());
    let mercy = mercy_by_side(mercy, game);
    // A generator of its own can stay in registers.
    let mut own = rng.clone();
    let mut winner = None;
    while moves_left > 0 {
        let side = game.to_move;
        // The two sides have code of their own: their colours are then constants.
        let goes_on = match side {
            Side::First => turn(rules, game, Side::First, trace, &mut own),
            Side::Second => turn(rules, game, Side::Second, trace, &mut own),
        };
        if !goes_on {
            break;
        }
        // Only the side that moved can have become the leader.
        if game.board.stone_count(side) >= game.board.stone_count(side.other()) + mercy[side.index()] {
            winner = Some(side);
            break;
        }
        moves_left -= 1;
    }
    *rng = own;
    winner.map_or_else(|| game.outcome(), Outcome::win)
}

/// The moves that the first rule to know one knows, and the rule; the random rule is not asked.
pub(super) fn good_moves<'a, R: Rules>(rules: &'a mut R, game: &Go) -> (Option<Rule>, &'a [Point]) {
    rules.view().load(game.board());
    let (side, recent) = (game.to_move(), game.recent_stones());
    rules.view().note(game.board(), recent[0], side);
    let rule = if game.is_over() { None } else { rules.find::<true>(game.board(), side, recent) };
    (rule, rules.view().found.points())
}

/// Chooses one move as a playout would. The rules look at the board itself: searches that ask for single moves between others would
/// spend more on a view of all of it.
pub(super) fn choose<R: Rules>(rules: &mut R, game: &Go, rng: &mut Rng) -> (Move, Rule) {
    if game.is_over() {
        return (Move::PASS, Rule::Pass);
    }
    let (board, side, recent) = (game.board(), game.to_move(), game.recent_stones());
    rules.view().forget();
    rules.view().note(board, recent[0], side);
    let (point, rule) = match rules.find::<false>(board, side, recent) {
        Some(rule) => {
            let found = rules.view().found.points();
            (Some(found[below(rng, found.len() as u32) as usize]), rule)
        }
        None => (sample::<R>(board, side, rng), Rule::Random),
    };
    match point {
        Some(point) => (Move::play(rules.correct(board, point, side)), rule),
        None => (Move::PASS, Rule::Pass),
    }
}

/// By how many stones either side has to lead to have won. A lead that is safe with the usual komi is not against more of it, or
/// against what White gets for handicap stones.
#[inline(always)]
pub(super) fn mercy_by_side(mercy: usize, game: &Go) -> [usize; 2] {
    let against_first = game.compensation();
    [against_first, -against_first].map(|komi| {
        let beyond = (komi - Komi::DEFAULT.points()).max(0.0).ceil() as usize;
        mercy.saturating_add(beyond)
    })
}

/// Settings as numbers of stones and moves: a share of the points of the board at which playouts are decided
/// (0 or less: never), and a multiple of them at which they are counted (at least one move).
#[inline(always)]
pub(super) fn limits(mercy: f32, move_limit: f32, size: usize) -> (usize, u32) {
    let points = (size * size) as f32;
    // Conversions saturate, and no board has so many stones as "never" says.
    let never = usize::MAX / 2;
    let mercy = if mercy > 0.0 { ((mercy * points).ceil() as usize).clamp(1, never) } else { never };
    (mercy, ((move_limit * points) as u32).max(1))
}
