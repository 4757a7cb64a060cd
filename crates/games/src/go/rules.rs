//! Go as a [`Game`]: turns, passes, komi, and how a finished position is scored.

use super::board::{Board, Watcher};
use super::playout::{UniformGoPlayout, sample};
use super::point::{Move, Point};
use crate::rng::{Rng, mix};
use crate::{Deterministic, Game, IndexedMoves, Outcome, Repetition, Side, Turn};
use serde::{Deserialize, Serialize};

/// With fewer moves left the limit may matter to a search, and counts for [`Game::key`].
const LIMIT_MATTERS: u16 = 32;

/// Points that White gets for moving second, in steps of one half.
///
/// ```
/// use afterstate_games::go::Komi;
/// assert_eq!(Komi::new(7.5).unwrap().points(), 7.5);
/// assert!(Komi::new(0.3).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Komi {
    half_points: i16,
}

impl Komi {
    /// The 7.5 points of area scoring on 9×9 and 19×19, and of every experiment in the papers.
    pub const DEFAULT: Komi = Komi { half_points: 15 };

    /// `points` must be a multiple of one half and at most 1,000 either way.
    pub fn new(points: f64) -> Option<Komi> {
        let half_points = points * 2.0;
        (half_points.fract() == 0.0 && half_points.abs() <= 2000.0).then_some(Komi { half_points: half_points as i16 })
    }

    /// In points.
    pub fn points(self) -> f64 {
        f64::from(self.half_points) / 2.0
    }
}

impl TryFrom<f64> for Komi {
    type Error = String;
    fn try_from(points: f64) -> Result<Self, String> {
        Komi::new(points).ok_or_else(|| format!("komi {points}: expected a multiple of 0.5 between -1000 and 1000"))
    }
}

impl From<Komi> for f64 {
    fn from(komi: Komi) -> f64 {
        komi.points()
    }
}

/// How a finished game is counted. Both count area with every stone alive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// Stones and surrounded points.
    #[default]
    TrompTaylor,
    /// The same, and White also gets a point for each handicap stone.
    Chinese,
    /// The same, and White also gets a point for each handicap stone but the first, as the American Go Association counts area.
    Aga,
}

/// A position of Go. The first player is Black.
///
/// ```
/// use afterstate_games::{Game, Turn, go::{Go, Move}};
/// let mut game = Go::new(9);
/// game.play(Move::PASS);
/// game.play(Move::PASS);
/// // An empty board is a tie on points, so komi decides.
/// assert!(matches!(game.turn(), Turn::Over(outcome) if outcome.first_player_score() == 0.0));
/// ```
pub struct Go {
    pub(super) board: Board,
    pub(super) to_move: Side,
    pub(super) passes: u8,
    pub(super) komi: Komi,
    pub(super) scoring: Scoring,
    pub(super) handicap: u8,
    pub(super) moves_left: u16,
    /// Where the last two moves put stones, the last one first; see [`Go::recent_stones`].
    pub(super) recent: [Move; 2],
}

impl Go {
    /// An empty board of `size` with komi 7.5, Black to move.
    ///
    /// # Panics
    ///
    /// If `size` is not between 5 and 19.
    pub fn new(size: usize) -> Go {
        Go {
            board: Board::new(size),
            to_move: Side::First,
            passes: 0,
            komi: Komi::DEFAULT,
            scoring: Scoring::TrompTaylor,
            handicap: 0,
            moves_left: u16::MAX,
            recent: [Move::PASS; 2],
        }
    }

    /// The same position with another komi.
    pub fn with_komi(mut self, komi: Komi) -> Go {
        self.komi = komi;
        self
    }

    /// The same position with another way to count.
    pub fn with_scoring(mut self, scoring: Scoring) -> Go {
        self.scoring = scoring;
        self
    }

    /// The same position, ended and counted as it stands after `moves` more moves (passes included).
    pub fn with_move_limit(mut self, moves: u16) -> Go {
        self.moves_left = moves;
        self
    }

    /// The same position with `side` to move, no move before it and no ko.
    pub fn with_turn(mut self, side: Side) -> Go {
        self.to_move = side;
        self.passes = 0;
        self.recent = [Move::PASS; 2];
        self.board.lift_ko();
        self
    }

    /// The stones.
    #[inline(always)]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Points along one edge.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.board.size()
    }

    /// Whose turn it is, or would be if the game had not ended.
    #[inline(always)]
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// White's compensation.
    pub fn komi(&self) -> Komi {
        self.komi
    }

    /// How the game is counted.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// Handicap stones that were placed before the first move.
    pub fn handicap(&self) -> usize {
        usize::from(self.handicap)
    }

    /// Passes just before this position.
    pub fn passes(&self) -> u8 {
        self.passes
    }

    /// Where the last move and the one before it put their stones; `None` for a pass, and where there was no
    /// move since the position was set up. Playouts answer there; neither legality nor [`Game::key`] depends on it.
    ///
    /// ```
    /// use afterstate_games::{Game, go::{Go, Move, Point}};
    /// let (mut game, point) = (Go::new(9), Point::at(2, 2, 9));
    /// game.play(Move::play(point));
    /// assert_eq!(game.recent_stones(), [Some(point), None]);
    /// ```
    #[inline(always)]
    pub fn recent_stones(&self) -> [Option<Point>; 2] {
        self.recent.map(Move::point)
    }

    /// Black's lead in points if the game ended now, komi and handicap compensation included.
    pub fn score(&self) -> f64 {
        f64::from(self.board.area_difference()) - self.compensation()
    }

    /// What White gets beside its area: komi, and what the scoring gives for handicap stones.
    #[inline]
    pub(super) fn compensation(&self) -> f64 {
        let handicap = match self.scoring {
            Scoring::TrompTaylor => 0.0,
            Scoring::Chinese => f64::from(self.handicap),
            Scoring::Aga => f64::from(self.handicap.saturating_sub(1)),
        };
        self.komi.points() + handicap
    }

    /// The result by [`Go::score`].
    #[inline]
    pub fn outcome(&self) -> Outcome {
        let score = self.score();
        if score > 0.0 {
            Outcome::win(Side::First)
        } else if score < 0.0 {
            Outcome::win(Side::Second)
        } else {
            Outcome::DRAW
        }
    }

    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.passes >= 2 || self.moves_left == 0
    }

    /// Puts a stone on `point` for `side`, who is to move; leaves [`Go::recent_stones`] to the caller.
    #[inline(always)]
    pub(super) fn place_as(&mut self, point: Point, side: Side, watcher: &mut impl Watcher) {
        debug_assert_eq!(side, self.to_move);
        self.board.play_watched(point, side, watcher);
        self.passes = 0;
        self.to_move = side.other();
        self.moves_left -= 1;
    }

    /// Passes; leaves [`Go::recent_stones`] to the caller.
    #[inline(always)]
    pub(super) fn pass(&mut self) {
        self.board.lift_ko();
        self.passes += 1;
        self.to_move = self.to_move.other();
        self.moves_left -= 1;
    }
}

impl Clone for Go {
    fn clone(&self) -> Go {
        Go { board: self.board.clone(), ..*self }
    }

    #[inline]
    fn clone_from(&mut self, from: &Go) {
        self.board.clone_from(&from.board);
        self.to_move = from.to_move;
        self.passes = from.passes;
        self.komi = from.komi;
        self.scoring = from.scoring;
        self.handicap = from.handicap;
        self.moves_left = from.moves_left;
        self.recent = from.recent;
    }
}

impl Game for Go {
    type Move = Move;

    const REPETITION: Repetition = Repetition::Forbidden;

    #[inline]
    fn turn(&self) -> Turn {
        if self.is_over() { Turn::Over(self.outcome()) } else { Turn::Player(self.to_move) }
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if self.is_over() {
            return;
        }
        moves.extend(self.board.empty_points().filter(|&p| self.board.is_legal(p, self.to_move)).map(Move::play));
        moves.push(Move::PASS);
    }

    /// Sensible moves: legal, not filling an own single-point eye; a pass only when there is no other
    /// (paper 000, §3.2.1).
    fn candidate_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if self.is_over() {
            return;
        }
        moves.extend(self.board.empty_points().filter(|&p| self.board.is_sensible(p, self.to_move)).map(Move::play));
        if moves.is_empty() {
            moves.push(Move::PASS);
        }
    }

    fn random_candidate(&self, _moves: &mut Vec<Move>, rng: &mut Rng) -> Move {
        assert!(!self.is_over(), "a player is to move");
        sample::<UniformGoPlayout>(&self.board, self.to_move, rng).map_or(Move::PASS, Move::play)
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        match mv.point() {
            Some(point) => self.place_as(point, self.to_move, &mut ()),
            None => self.pass(),
        }
        self.recent = [mv, self.recent[0]];
    }

    fn is_legal(&self, mv: Move) -> bool {
        !self.is_over() && mv.point().is_none_or(|point| self.board.is_legal(point, self.to_move))
    }

    /// Only a second pass and the move limit end a game, so nearly always this is two comparisons.
    #[inline]
    fn outcome_after(&self, mv: Move) -> Option<Outcome> {
        let ends = self.moves_left == 1 || (mv.is_pass() && self.passes >= 1);
        ends.then(|| {
            let mut after = self.clone();
            after.play(mv);
            after.outcome()
        })
    }

    /// The moves that are left count only when they are few: before, positions that differ in them are the same to a search.
    fn key(&self) -> u64 {
        let ko = self.board.ko().map_or(0, |point| mix(0x6b6f_0000 + point.0 as u64));
        let turn = mix(0x7475_726e + 4 * self.to_move.index() as u64 + u64::from(self.passes));
        let near = if self.moves_left < LIMIT_MATTERS { mix(0x6c69_6d69_7400 + u64::from(self.moves_left)) } else { 0 };
        self.board.hash() ^ ko ^ turn ^ near
    }

    fn repetition_key(&self) -> u64 {
        self.board.hash()
    }
}

impl Deterministic for Go {}

/// Numbers are those of [`Point::index`](super::Point::index), for simulations ask for them at every move; the
/// pass is 0.
impl IndexedMoves for Go {
    #[inline(always)]
    fn move_index(&self, mv: Move) -> usize {
        mv.index()
    }

    #[inline(always)]
    fn move_at(&self, index: usize) -> Move {
        Move::from_index(index)
    }

    #[inline]
    fn index_count(&self) -> usize {
        // The last point of the board, and one more.
        (self.size() + 1) * (self.size() + 1)
    }

    #[inline]
    fn pass(&self) -> Option<Move> {
        Some(Move::PASS)
    }
}
