//! Backgammon. A position and its moves know nothing of the doubling cube; [`cube`] does.
//!
//! Dice are moves of chance: the opening roll, in which each side throws one die until they differ and the higher one begins,
//! and then a roll of two before every play. A play of all numbers of a roll is one move; plays that lead to the same position
//! are the same move.
//!
//! Reading order: [`board`] → `plays` → this file → [`ids`], [`fibs`] and [`mat`]; [`cube`] and [`xgid`] for
//! what is played for.

pub mod board;
pub mod cube;
pub mod fibs;
pub mod ids;
pub mod mat;
pub mod match_id;
mod notation;
mod plays;
pub mod xgid;

pub use board::{BAR, Board, MEN, POINTS, Step};

use crate::rng::{Rng, below, mix};
use crate::{Game, Outcome, Side, Turn};

/// Two dice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dice {
    one: u8,
    other: u8,
}

impl Dice {
    /// A roll; `None` unless both numbers are from 1 to 6. In the opening the first is the first player's die.
    ///
    /// ```
    /// use afterstate_games::backgammon::Dice;
    /// assert_eq!(Dice::new(3, 5).unwrap().numbers(), (5, 3));
    /// assert_eq!(Dice::new(3, 7), None);
    /// ```
    pub fn new(one: u8, other: u8) -> Option<Dice> {
        ((1..=6).contains(&one) && (1..=6).contains(&other)).then_some(Dice { one, other })
    }

    /// The larger number and the smaller one.
    #[inline]
    pub fn numbers(self) -> (usize, usize) {
        (usize::from(self.one.max(self.other)), usize::from(self.one.min(self.other)))
    }

    /// The same with the larger number first.
    fn sorted(self) -> Dice {
        Dice { one: self.one.max(self.other), other: self.one.min(self.other) }
    }
}

/// What is done with a roll: up to four steps, in the order in which they are made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Play {
    steps: [Step; 4],
}

impl Play {
    /// No number can be played.
    pub const NOTHING: Play = Play { steps: [Step::NONE; 4] };

    /// A play of so many steps.
    ///
    /// # Panics
    ///
    /// If there are more than four.
    pub fn new(steps: &[Step]) -> Play {
        let mut play = Play::NOTHING;
        play.steps[..steps.len()].copy_from_slice(steps);
        play
    }

    /// The steps.
    #[inline]
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.steps.iter().copied().take_while(|&step| step != Step::NONE)
    }
}

/// A move of backgammon.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// Chance rolls the dice.
    Roll(Dice),
    /// A player plays them.
    Play(Play),
}

/// What happens next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Each side throws one die.
    Opening,
    /// This side's dice are thrown.
    ToRoll(Side),
    /// This side plays these dice.
    ToPlay(Side, Dice),
    /// Nothing.
    Over(Outcome),
}

/// A position of backgammon.
///
/// ```
/// use afterstate_games::backgammon::Backgammon;
/// use afterstate_games::{Game, Notation, Side, Turn};
/// let mut game = Backgammon::new();
/// // The first player throws a 3, the second a 1: the first begins.
/// game.play(game.parse_move("31")?);
/// assert_eq!(game.turn(), Turn::Player(Side::First));
/// game.play(game.parse_move("8/5 6/5")?);
/// assert_eq!(game.turn(), Turn::Chance);
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Backgammon {
    board: Board,
    phase: Phase,
}

impl Default for Backgammon {
    fn default() -> Self {
        Backgammon::new()
    }
}

impl Backgammon {
    /// The beginning of a game.
    pub fn new() -> Backgammon {
        Backgammon { board: Board::start(), phase: Phase::Opening }
    }

    /// A position in which `side` has rolled `dice`, or is about to roll. It is over if a side has no men left.
    pub fn at(board: Board, side: Side, dice: Option<Dice>) -> Backgammon {
        let winner = [side, side.other()].into_iter().find(|&side| board.is_done(side));
        let phase = match (winner, dice) {
            (Some(winner), _) => Phase::Over(outcome(&board, winner)),
            (None, Some(dice)) => Phase::ToPlay(side, dice.sorted()),
            (None, None) => Phase::ToRoll(side),
        };
        Backgammon { board, phase }
    }

    /// Where the men are.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// What happens next.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// A throw of the dice, drawn as [`Game::chance_outcomes`] says.
    ///
    /// ```
    /// use afterstate_games::{Game, Turn, backgammon::Backgammon, stream};
    /// let mut game = Backgammon::new();
    /// game.play(game.roll(&mut stream(1, 0)));
    /// assert!(matches!(game.turn(), Turn::Player(_)));
    /// ```
    #[inline]
    pub fn roll(&self, rng: &mut Rng) -> Move {
        loop {
            let [one, other] = [0; 2].map(|_| below(rng, 6) as u8 + 1);
            let dice = Dice { one, other };
            match self.phase {
                // Until they differ.
                Phase::Opening if one == other => {}
                Phase::Opening => return Move::Roll(dice),
                _ => return Move::Roll(dice.sorted()),
            }
        }
    }
}

/// How a game ends in which `winner` has borne off all its men: plainly, or by a gammon if the loser has none off, or by a
/// backgammon if a man of it then is on the bar or in the winner's home.
fn outcome(board: &Board, winner: Side) -> Outcome {
    let loser = winner.other();
    let behind = board.hindmost(loser).is_some_and(|hindmost| hindmost >= POINTS - 6);
    let stake = match board.off(loser) {
        0 if behind => 3,
        0 => 2,
        _ => 1,
    };
    Outcome { winner: Some(winner), stake }
}

impl Game for Backgammon {
    type Move = Move;

    #[inline]
    fn turn(&self) -> Turn {
        match self.phase {
            Phase::Opening | Phase::ToRoll(_) => Turn::Chance,
            Phase::ToPlay(side, _) => Turn::Player(side),
            Phase::Over(outcome) => Turn::Over(outcome),
        }
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        match self.phase {
            Phase::ToPlay(side, dice) => plays::plays(&self.board, side, dice, moves),
            _ => moves.clear(),
        }
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        match (mv, self.phase) {
            (Move::Roll(dice), Phase::Opening) => {
                let side = if dice.one > dice.other { Side::First } else { Side::Second };
                self.phase = Phase::ToPlay(side, dice.sorted());
            }
            (Move::Roll(dice), Phase::ToRoll(side)) => self.phase = Phase::ToPlay(side, dice.sorted()),
            (Move::Play(play), Phase::ToPlay(side, _)) => {
                for step in play.steps() {
                    self.board.step(side, step);
                }
                self.phase = if self.board.is_done(side) {
                    Phase::Over(outcome(&self.board, side))
                } else {
                    Phase::ToRoll(side.other())
                };
            }
            (mv, phase) => panic!("{mv:?} is no move where {phase:?}"),
        }
    }

    fn outcome_after(&self, mv: Move) -> Option<Outcome> {
        // Most plays bear nobody off.
        if matches!(mv, Move::Play(play) if play.steps().all(|step| step.to().is_some())) {
            return None;
        }
        let mut after = *self;
        after.play(mv);
        match after.turn() {
            Turn::Over(outcome) => Some(outcome),
            _ => None,
        }
    }

    fn chance_outcomes(&self, out: &mut Vec<(Move, f32)>) {
        out.clear();
        let dice = (1..=6u8).flat_map(|one| (1..=6u8).map(move |other| Dice { one, other }));
        match self.phase {
            Phase::Opening => {
                out.extend(dice.filter(|dice| dice.one != dice.other).map(|dice| (Move::Roll(dice), 1.0 / 30.0)));
            }
            Phase::ToRoll(_) => out.extend(
                dice.filter(|dice| dice.one >= dice.other)
                    .map(|dice| (Move::Roll(dice), if dice.one == dice.other { 1.0 / 36.0 } else { 1.0 / 18.0 })),
            ),
            _ => {}
        }
    }

    fn key(&self) -> u64 {
        let phase = match self.phase {
            Phase::Opening => 1,
            Phase::ToRoll(side) => 2 + side.index() as u64,
            Phase::ToPlay(side, dice) => 4 + side.index() as u64 + 2 * u64::from(8 * dice.one + dice.other),
            Phase::Over(_) => 0,
        };
        let words = [Side::First, Side::Second].map(|side| self.board.packed(side));
        words.into_iter().fold(mix(phase), |key, word| mix(mix(key ^ word as u64) ^ (word >> 64) as u64))
    }
}
