//! [`Tracked`]: a position that keeps its features up to date as it is played on.

use super::local_shape::{Patterns, Windows};
use afterstate_games::go::{Go, Move, Point};
use afterstate_games::{Deterministic, Game, IndexedMoves, Outcome, Repetition, Side, Tactics, Turn};

/// A game whose positions can carry incremental features.
pub trait Track<G: Game>: Clone + Send + Sync + 'static {
    /// Follows a move: `before` is the position in which it is about to be played.
    fn follow(&mut self, before: &G, mv: G::Move);
}

/// A position together with features that follow its moves. It is itself a [`Game`], so whatever
/// searches or learns can run on it unchanged.
pub struct Tracked<G: Game, T: Track<G>> {
    game: G,
    track: T,
}

impl<G: Game, T: Track<G>> Clone for Tracked<G, T> {
    fn clone(&self) -> Self {
        Tracked { game: self.game.clone(), track: self.track.clone() }
    }

    #[inline]
    fn clone_from(&mut self, from: &Self) {
        self.game.clone_from(&from.game);
        self.track.clone_from(&from.track);
    }
}

impl<G: Game, T: Track<G>> Tracked<G, T> {
    /// A position and the features that belong to it.
    pub fn new(game: G, track: T) -> Self {
        Tracked { game, track }
    }

    /// The position itself.
    #[inline(always)]
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Its features.
    #[inline(always)]
    pub fn track(&self) -> &T {
        &self.track
    }
}

impl<G: Game, T: Track<G>> Game for Tracked<G, T> {
    type Move = G::Move;
    const REPETITION: Repetition = G::REPETITION;

    #[inline]
    fn turn(&self) -> Turn {
        self.game.turn()
    }

    fn legal_moves(&self, moves: &mut Vec<Self::Move>) {
        self.game.legal_moves(moves);
    }

    fn candidate_moves(&self, moves: &mut Vec<Self::Move>) {
        self.game.candidate_moves(moves);
    }

    #[inline]
    fn play(&mut self, mv: Self::Move) {
        self.track.follow(&self.game, mv);
        self.game.play(mv);
    }

    fn is_legal(&self, mv: Self::Move) -> bool {
        self.game.is_legal(mv)
    }

    #[inline]
    fn outcome_after(&self, mv: Self::Move) -> Option<Outcome> {
        self.game.outcome_after(mv)
    }

    fn chance_outcomes(&self, out: &mut Vec<(Self::Move, f32)>) {
        self.game.chance_outcomes(out);
    }

    fn key(&self) -> u64 {
        self.game.key()
    }

    fn repetition_key(&self) -> u64 {
        self.game.repetition_key()
    }
}

impl<G: Deterministic, T: Track<G>> Deterministic for Tracked<G, T> {}

impl<G: Tactics, T: Track<G>> Tactics for Tracked<G, T> {
    fn to_move(&self) -> Side {
        self.game.to_move()
    }

    fn is_check(&self) -> bool {
        self.game.is_check()
    }

    fn forcing_moves(&self, moves: &mut Vec<Self::Move>) {
        self.game.forcing_moves(moves);
    }

    fn urgency(&self, mv: Self::Move) -> u32 {
        self.game.urgency(mv)
    }
}

impl<G: IndexedMoves, T: Track<G>> IndexedMoves for Tracked<G, T> {
    #[inline(always)]
    fn move_index(&self, mv: Self::Move) -> usize {
        self.game.move_index(mv)
    }

    #[inline(always)]
    fn move_at(&self, index: usize) -> Self::Move {
        self.game.move_at(index)
    }

    fn index_count(&self) -> usize {
        self.game.index_count()
    }

    fn most_moves(&self) -> usize {
        self.game.most_moves()
    }

    fn pass(&self) -> Option<Self::Move> {
        self.game.pass()
    }
}

/// The windows of a Go position, stone by stone.
pub struct WindowTrack {
    pub(crate) windows: &'static Windows,
    pub(crate) patterns: Patterns,
}

impl Clone for WindowTrack {
    fn clone(&self) -> Self {
        WindowTrack { windows: self.windows, patterns: self.patterns.clone() }
    }

    #[inline]
    fn clone_from(&mut self, from: &Self) {
        self.windows = from.windows;
        self.patterns.clone_from(&from.patterns);
    }
}

/// Go with its windows read: what local shapes are computed from.
pub type TrackedGo = Tracked<Go, WindowTrack>;

impl TrackedGo {
    /// Reads all of `windows` in `game`.
    ///
    /// # Panics
    ///
    /// If the board sizes differ.
    pub fn read(game: Go, windows: &'static Windows) -> TrackedGo {
        assert_eq!(game.size(), windows.board_size(), "windows of another board size");
        let patterns = Patterns::read(windows, game.board());
        Tracked::new(game, WindowTrack { windows, patterns })
    }

    /// How the game would end if it ended here.
    pub fn outcome(&self) -> Outcome {
        self.game.outcome()
    }
}

/// The digit that stands for a side's stone in a window's number.
#[inline(always)]
pub(crate) fn digit(side: Side) -> u16 {
    1 + side as u16
}

impl Track<Go> for WindowTrack {
    #[inline]
    fn follow(&mut self, before: &Go, mv: Move) {
        let Some(point) = mv.point() else { return };
        let (board, side) = (before.board(), before.to_move());
        self.patterns.add(self.windows, point, digit(side));
        if board.captures_something(point, side) {
            let taken = digit(side.other());
            board.for_each_capture(point, side, |stone: Point| self.patterns.remove(self.windows, stone, taken));
        }
    }
}
