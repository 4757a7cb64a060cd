//! A game of one's own: the rules, the check that they keep the contract, and a perfect player for them.
//!
//! Twenty-one matches lie on the table. The players take one, two or three in turn; who takes the last
//! one wins.
//!
//! ```text
//! cargo run --release --example 2_own_game
//! ```

use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings};
use afterstate_engine::value::Indifferent;
use afterstate_engine::{Budget, Search};
use afterstate_games::rng::{mix, stream};
use afterstate_games::{Deterministic, Game, Notation, NotationError, Outcome, Side, Turn, conformance, perft};
use std::sync::Arc;

/// How many matches lie on the table, and who takes next.
#[derive(Clone, Debug, PartialEq)]
struct Matches {
    left: u8,
    to_move: Side,
}

impl Game for Matches {
    /// How many matches are taken.
    type Move = u8;

    fn turn(&self) -> Turn {
        // Whoever is to move when nothing is left has lost: the other side took the last match.
        if self.left == 0 { Turn::Over(Outcome::win(self.to_move.other())) } else { Turn::Player(self.to_move) }
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        moves.clear();
        moves.extend(1..=self.left.min(3));
    }

    fn play(&mut self, taken: u8) {
        self.left -= taken;
        self.to_move = self.to_move.other();
    }

    fn key(&self) -> u64 {
        mix(2 * u64::from(self.left) + self.to_move.index() as u64)
    }
}

/// There is no chance in it, so every search may be used.
impl Deterministic for Matches {}

impl Notation for Matches {
    const NAME: &'static str = "matches";

    fn move_text(&self, taken: u8) -> String {
        taken.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<u8, NotationError> {
        match text {
            "1" | "2" | "3" => Ok(text.as_bytes()[0] - b'0'),
            _ => Err(NotationError::new("move", text, "1, 2 or 3")),
        }
    }

    fn position_text(&self) -> String {
        format!("{} {}", self.left, if self.to_move == Side::First { "first" } else { "second" })
    }

    fn parse_position(text: &str) -> Result<Matches, NotationError> {
        let error = || NotationError::new("position", text, "0 to 21 and who is to move, such as '21 first'");
        let (left, side) = text.split_once(' ').ok_or_else(error)?;
        let left = left.parse().ok().filter(|left| *left <= 21).ok_or_else(error)?;
        match side {
            "first" => Ok(Matches { left, to_move: Side::First }),
            "second" => Ok(Matches { left, to_move: Side::Second }),
            _ => Err(error()),
        }
    }

    fn diagram(&self) -> String {
        format!("{}\n", "|".repeat(usize::from(self.left)))
    }
}

fn main() -> Result<(), conformance::Violation> {
    let start = Matches { left: 21, to_move: Side::First };

    // Random games, and everything that a game promises checked in each of their positions.
    let report = conformance::check(&start, conformance::Settings::default())?;
    println!("keeps the contract in {} positions of {} games", report.positions, report.games);
    for depth in 1..=4 {
        println!("{} ways to play {depth} moves", perft::paths(&start, depth));
    }

    // Alpha-beta needs nothing but the rules. Without a value function it sees only how games end.
    let settings = AlphaBetaSettings { depth: 21, ..Default::default() };
    let mut search = AlphaBeta::new(Arc::new(Indifferent), settings);
    let mut position = start;
    while let Turn::Player(side) = position.turn() {
        let decision = search.search(&position, &Budget::default(), &mut stream(1, 0));
        let (Some(taken), Some(value)) = (decision.best, decision.value) else { break };
        let fate = if value.seen_by(side) == 1.0 { "will win" } else { "will lose" };
        println!("{:<21} {side:?} {fate}, and takes {taken}", position.diagram().trim_end());
        position.play(taken);
    }
    Ok(())
}
