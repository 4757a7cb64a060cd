//! What every game promises, checked on random games: [`check`].
//!
//! Put your own game through it before anything learns or searches with it; a broken promise here
//! shows up there as a player that is a little too weak, which is far harder to find.

mod checks;

use crate::rng::{Rng, below, stream};
use crate::{IndexedMoves, Notation, Turn};
use checks::{Checks, Fault};
use std::fmt;

/// How thoroughly [`check`] looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Random games to play.
    pub games: u32,
    /// A game is left unfinished after so many moves; some games have no bound of their own.
    pub longest_game: u32,
    /// Which random games: the same seed checks the same games.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { games: 100, longest_game: 1000, seed: 1 }
    }
}

/// What [`check`] looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Games played.
    pub games: u64,
    /// Games that reached [`Settings::longest_game`] before they ended.
    pub unfinished: u64,
    /// Positions on the way, each checked in full.
    pub positions: u64,
    /// Pairs of different move orders that led to the same position, whose keys were compared.
    pub transpositions: u64,
}

/// A broken promise, with all that is needed to see it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The game's [`Notation::NAME`].
    pub game: &'static str,
    /// What every game promises.
    pub promise: &'static str,
    /// How it was broken.
    pub detail: String,
    /// The position, as [`Notation::position_text`] gives it.
    pub position: String,
    /// The moves that led there from the start.
    pub moves: Vec<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves = if self.moves.is_empty() { "no moves".to_owned() } else { self.moves.join(" ") };
        write!(
            f,
            "{}: expected that {}, but {}\n  position: {}\n  after: {moves}",
            self.game, self.promise, self.detail, self.position
        )
    }
}

impl std::error::Error for Violation {}

/// Plays random games from `start` and checks at every position what the [`crate::Game`] and
/// [`Notation`] contracts promise:
///
/// - there are legal moves exactly when a player is to move, all different, in the same order each time;
/// - `is_legal` agrees with `legal_moves` about every move met so far, and each legal move can be played;
/// - candidate moves are legal, and there are some when a player is to move; a random one is among them;
/// - chance outcomes exist exactly at chance's turn, with probabilities that sum to 1;
/// - an outcome comes only at the end, and `outcome_after` foretells it;
/// - the same position has the same key however it was reached, and positions with the same key go on alike;
/// - moves and positions survive being written and read; different moves are written differently;
/// - copies are independent: playing on one leaves the other as it was, and replaying leads to the same place.
///
/// # Errors
///
/// The first broken promise. Panics of the game while it plays a legal move are reported as such.
///
/// ```
/// use afterstate_games::{TicTacToe, conformance};
/// let report = conformance::check(&TicTacToe::new(), conformance::Settings::default())?;
/// assert!(report.games == 100 && report.transpositions > 0);
/// # Ok::<(), conformance::Violation>(())
/// ```
pub fn check<G: Notation>(start: &G, settings: Settings) -> Result<Report, Violation> {
    let mut checks = Checks::new();
    let mut report = Report::default();
    for index in 0..settings.games {
        let mut rng = stream(settings.seed, u64::from(index));
        let mut moves: Vec<G::Move> = Vec::new();
        play_one(start, &mut moves, index, settings, &mut checks, &mut report, &mut rng)
            .map_err(|fault| violation(start, &moves, fault))?;
        report.games += 1;
    }
    Ok(report)
}

/// Plays random games from `start` and checks at every position what [`IndexedMoves`] promises:
///
/// - every legal move has a number below the count, and gets the move back from it;
/// - different legal moves have different numbers;
/// - a move met before still has its number.
///
/// # Errors
///
/// The first broken promise.
///
/// ```
/// use afterstate_games::{TicTacToe, conformance};
/// let positions = conformance::check_indices(&TicTacToe::new(), conformance::Settings::default())?;
/// assert!(positions > 500);
/// # Ok::<(), conformance::Violation>(())
/// ```
pub fn check_indices<G: Notation + IndexedMoves>(start: &G, settings: Settings) -> Result<u64, Violation> {
    let (mut known, mut positions) = (Vec::new(), 0);
    for game in 0..settings.games {
        let mut rng = stream(settings.seed, u64::from(game));
        let (mut position, mut moves, mut legal) = (start.clone(), Vec::new(), Vec::new());
        for _ in 0..settings.longest_game {
            position.legal_moves(&mut legal);
            if legal.is_empty() {
                break;
            }
            positions += 1;
            checks::indices(&position, &legal, &mut known).map_err(|fault| violation(start, &moves, fault))?;
            let mv = legal[below(&mut rng, legal.len() as u32) as usize];
            position.play(mv);
            moves.push(mv);
        }
    }
    Ok(positions)
}

fn play_one<G: Notation>(
    start: &G,
    moves: &mut Vec<G::Move>,
    index: u32,
    settings: Settings,
    checks: &mut Checks<G>,
    report: &mut Report,
    rng: &mut Rng,
) -> Result<(), Fault> {
    let mut position = start.clone();
    loop {
        checks.position(&position)?;
        report.positions += 1;
        report.transpositions += u64::from(checks.transposition(&position, rng)?);
        // Candidate moves reach the ends that legal moves rarely do (full boards), and the other way round.
        let choices = match position.turn() {
            Turn::Over(_) => break,
            _ if moves.len() >= settings.longest_game as usize => {
                report.unfinished += 1;
                break;
            }
            Turn::Player(_) if index % 2 == 1 => checks.candidates(&position),
            _ => checks.continuations(&position),
        };
        let mv = choices[below(rng, choices.len() as u32) as usize];
        position.play(mv);
        moves.push(mv);
    }
    checks.replay(start, moves, &position)
}

/// Names the position at which the game stands after `moves`.
fn violation<G: Notation>(start: &G, moves: &[G::Move], fault: Fault) -> Violation {
    let mut position = start.clone();
    let mut written = Vec::with_capacity(moves.len());
    for &mv in moves {
        written.push(position.move_text(mv));
        position.play(mv);
    }
    Violation {
        game: G::NAME,
        promise: fault.promise,
        detail: fault.detail,
        position: position.position_text(),
        moves: written,
    }
}
