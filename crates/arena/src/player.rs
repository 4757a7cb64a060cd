//! [`Player`]: whoever chooses moves in a real game — a search, a learner that remembers, an external engine.

use crate::clock::Clock;
use afterstate_engine::{Budget, Decision, Search};
use afterstate_games::rng::{below, stream};
use afterstate_games::{Game, Outcome, Record, Rng};
use thiserror::Error;

/// Why a player could not answer. It loses the game, and the reason goes into the result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// The engine ended, closed its output, or panicked.
    #[error("crashed: {0}")]
    Crashed(String),
    /// No answer within the limit.
    #[error("hung: {0}")]
    Hung(String),
    /// An answer that the protocol does not allow.
    #[error("protocol error: {0}")]
    Garbage(String),
    /// Could not be started.
    #[error("cannot start: {0}")]
    NotStarted(String),
    /// [`Budget::stop`] was set while the player thought. This is nobody's fault: the game is abandoned.
    #[error("interrupted")]
    Interrupted,
}

/// Someone who plays games of `G`.
///
/// The calls of a game come in this order: `new_game`, then for every move either `clocks`, `choose` and
/// `move_played`, or `move_played` alone, then `game_over` or `broken_off`. After an error only `new_game` is called again.
pub trait Player<G: Game>: Send {
    /// A game begins at `record`'s position (usually without moves; with an opening otherwise).
    ///
    /// `seed` is the only source of randomness that the player may use in this game.
    fn new_game(&mut self, record: &Record<G>, seed: u64) -> Result<(), PlayerError>;

    /// What both clocks show (indexed by [`afterstate_games::Side::index`]), just before `choose`.
    /// Who only obeys its [`Budget`] need not look.
    fn clocks(&mut self, clocks: &[Clock; 2]) {
        let _ = clocks;
    }

    /// Chooses a move in the current position of `record`.
    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError>;

    /// Chooses a move in a game that is played on, after both sides had passed, to take dead stones off the board: a
    /// player passes only when nothing is left to be captured. Who never leaves dead stones need not do anything else.
    fn clean_up(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        self.choose(record, budget)
    }

    /// How the game is sure to end if nobody makes a mistake any more, as the player proved when it last chose a move;
    /// `None` if it proved nothing, which most players never do.
    fn proved(&mut self) -> Option<Outcome> {
        None
    }

    /// A move was played, by either side; `record` already holds it as its last move.
    fn move_played(&mut self, record: &Record<G>) -> Result<(), PlayerError> {
        let _ = record;
        Ok(())
    }

    /// The game has ended.
    fn game_over(&mut self, record: &Record<G>, outcome: Outcome) {
        let _ = (record, outcome);
    }

    /// The game has ended, but not on the board: by a clock, by resignation or by the fault of a program. Who learns from outcomes
    /// learns nothing from this one; to everybody else it is an end like any other.
    fn broken_off(&mut self, record: &Record<G>, outcome: Outcome) {
        self.game_over(record, outcome);
    }
}

impl<G: Game> Player<G> for Box<dyn Player<G>> {
    fn new_game(&mut self, record: &Record<G>, seed: u64) -> Result<(), PlayerError> {
        (**self).new_game(record, seed)
    }
    fn clocks(&mut self, clocks: &[Clock; 2]) {
        (**self).clocks(clocks);
    }
    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        (**self).choose(record, budget)
    }
    fn clean_up(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        (**self).clean_up(record, budget)
    }
    fn proved(&mut self) -> Option<Outcome> {
        (**self).proved()
    }
    fn move_played(&mut self, record: &Record<G>) -> Result<(), PlayerError> {
        (**self).move_played(record)
    }
    fn game_over(&mut self, record: &Record<G>, outcome: Outcome) {
        (**self).game_over(record, outcome);
    }
    fn broken_off(&mut self, record: &Record<G>, outcome: Outcome) {
        (**self).broken_off(record, outcome);
    }
}

/// A uniformly random one among the legal [`Game::candidate_moves`]: the bottom of every rating scale.
pub struct RandomPlayer {
    rng: Rng,
}

impl Default for RandomPlayer {
    fn default() -> Self {
        RandomPlayer { rng: stream(0, 0) }
    }
}

impl<G: Game> Player<G> for RandomPlayer {
    fn new_game(&mut self, _record: &Record<G>, seed: u64) -> Result<(), PlayerError> {
        self.rng = stream(seed, 0);
        Ok(())
    }

    fn choose(&mut self, record: &Record<G>, _budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        Ok(random_candidate(record, &mut self.rng).map_or_else(Decision::resign, Decision::play))
    }
}

/// A random candidate move that repetition allows, else a random legal move; `None` if there is no legal move.
pub(crate) fn random_candidate<G: Game>(record: &Record<G>, rng: &mut Rng) -> Option<G::Move> {
    let mut moves = Vec::new();
    record.position().candidate_moves(&mut moves);
    moves.retain(|&mv| record.is_legal(mv));
    if moves.is_empty() {
        record.legal_moves(&mut moves);
    }
    (!moves.is_empty()).then(|| moves[below(rng, moves.len() as u32) as usize])
}

/// A search as a player that remembers nothing from move to move.
///
/// A search sees positions, not their history: when it chooses a move that superko forbids, a random
/// candidate is played instead.
///
/// ```
/// use afterstate_arena::{GameRules, RandomPlayer, RulesReferee, SearchPlayer, play_game};
/// use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings};
/// use afterstate_engine::value::Indifferent;
/// use afterstate_games::{Side, TicTacToe};
/// let search = AlphaBeta::new(std::sync::Arc::new(Indifferent), AlphaBetaSettings { depth: 9, ..Default::default() });
/// let (mut perfect, mut random) = (SearchPlayer::new(search), RandomPlayer::default());
/// let players: [&mut dyn afterstate_arena::Player<_>; 2] = [&mut perfect, &mut random];
/// let game = play_game(&TicTacToe::new(), &[], players, &mut RulesReferee, &GameRules::default()).unwrap();
/// assert_ne!(game.outcome.winner, Some(Side::Second));
/// ```
pub struct SearchPlayer<S> {
    search: S,
    rng: Rng,
}

impl<S> SearchPlayer<S> {
    /// Plays what `search` decides.
    pub fn new(search: S) -> Self {
        SearchPlayer { search, rng: stream(0, 0) }
    }
}

impl<G: Game, S: Search<G>> Player<G> for SearchPlayer<S> {
    fn new_game(&mut self, _record: &Record<G>, seed: u64) -> Result<(), PlayerError> {
        self.rng = stream(seed, 0);
        Ok(())
    }

    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        let mut decision = self.search.search(record.position(), budget, &mut self.rng);
        if let Some(best) = decision.best
            && record.position().is_legal(best)
            && !record.is_legal(best)
        {
            decision.best = random_candidate(record, &mut self.rng);
            decision.principal_variation.clear();
        }
        Ok(decision)
    }
}
