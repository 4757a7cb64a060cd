//! Suites of chess in EPD: positions with the moves that solve them, or those that lose, or a mate to be found.
//!
//! | opcode | what it asks for |
//! | --- | --- |
//! | `bm` | one of these moves |
//! | `am` | none of these moves |
//! | `dm` | where neither of them stands, a line that ends in mate after at most so many moves of the side to move |
//! | `id` | the position's name |
//!
//! What else is known of a position (`acd`, `ce`, `c0`, …) stays in its [`Epd`].

use afterstate_engine::Decision;
use afterstate_games::chess::Move;
use afterstate_games::chess::epd::{Epd, EpdError, EpdReader};
use afterstate_games::{Game, Turn};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A position that asks for something.
#[derive(Clone, Debug)]
pub struct EpdProblem {
    /// Its `id`, or its number among the file's positions, from 1.
    pub name: String,
    /// The position, and all that is known of it.
    pub epd: Epd,
}

/// What a file holds.
#[derive(Clone, Debug, Default)]
pub struct EpdSuite {
    /// The positions that ask for something.
    pub problems: Vec<EpdProblem>,
    /// How many positions ask for nothing.
    pub without_question: usize,
}

/// Why a suite cannot be used.
#[derive(Debug, Error)]
#[error("{}: {why}", path.display())]
pub struct EpdSuiteError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it, and where.
    pub why: EpdSuiteProblem,
}

/// What is wrong with a suite.
#[derive(Debug, Error)]
pub enum EpdSuiteProblem {
    /// The file cannot be opened.
    #[error("cannot be read: {0}")]
    Open(#[from] std::io::Error),
    /// A line makes no sense.
    #[error(transparent)]
    Line(#[from] EpdError),
    /// Nobody can move there.
    #[error("position '{name}': expected one with legal moves")]
    Over {
        /// The position.
        name: String,
    },
    /// It holds nothing to solve.
    #[error("no position: expected some with bm, am or dm")]
    Empty,
}

impl EpdProblem {
    /// What it asks for, as the file writes it: `bm Qg6`, say.
    pub fn question(&self) -> String {
        let asks = |opcode: &str| match opcode {
            "bm" | "am" => true,
            _ => opcode == "dm" && !self.names_moves(),
        };
        let asked = self.epd.operations.iter().filter(|operation| asks(&operation.opcode));
        // The position's own operations stand before, and have other opcodes.
        let alone = Epd { position: self.epd.position.clone(), operations: asked.cloned().collect() }.to_string();
        let begin = ["bm", "am", "dm"].iter().filter_map(|opcode| alone.find(&format!(" {opcode} "))).min();
        begin.map_or_else(String::new, |at| alone[at..].trim().trim_end_matches(';').to_string())
    }

    fn names_moves(&self) -> bool {
        ["bm", "am"].iter().any(|opcode| self.epd.moves(opcode).next().is_some())
    }

    /// Whether a decision solves it.
    ///
    /// ```
    /// use afterstate_arena::epd_suite::EpdProblem;
    /// use afterstate_engine::{Decision, Value};
    /// use afterstate_games::Notation;
    /// let epd = "7k/8/5K2/8/8/8/8/6R1 w - - dm 2; id \"rook\";".parse()?;
    /// let problem = EpdProblem { name: "rook".into(), epd };
    /// let best = problem.epd.position.parse_move("Kf7")?;
    /// assert!(!problem.is_solved_by(&Decision::play(best)));
    /// let line = ["f6f7", "h8h7", "g1h1"].map(|text| text.parse().unwrap()).to_vec();
    /// assert!(problem.is_solved_by(&Decision { principal_variation: line, ..Decision::play(best) }));
    /// // Or it may say how far away the mate is.
    /// let announced = |plies| Decision { value: Some(Value(1.0)), plies_to_end: Some(plies), ..Decision::play(best) };
    /// assert!(problem.is_solved_by(&announced(3)) && !problem.is_solved_by(&announced(5)));
    /// # Ok::<(), afterstate_games::NotationError>(())
    /// ```
    pub fn is_solved_by(&self, decision: &Decision<Move>) -> bool {
        let Some(best) = decision.best else { return false };
        if self.names_moves() {
            let (mut good, mut bad) = (self.epd.moves("bm").peekable(), self.epd.moves("am"));
            return (good.peek().is_none() || good.any(|mv| mv == best)) && !bad.any(|mv| mv == best);
        }
        let moves = self.epd.integer("dm").and_then(|moves| usize::try_from(moves).ok()).unwrap_or(0);
        let shown =
            decision.principal_variation.first() == Some(&best) && self.mates(&decision.principal_variation, moves);
        // Other programs name the number of moves, and not always the line.
        let wins = decision.value.is_some_and(|value| value.seen_by(self.epd.position.side_to_move()) > 0.5);
        let announced = decision.plies_to_end.is_some_and(|plies| (plies as usize).div_ceil(2) <= moves);
        shown || (wins && announced && self.epd.position.is_legal(best))
    }

    /// Whether a line ends in mate after at most so many moves of the side that begins it.
    fn mates(&self, line: &[Move], moves: usize) -> bool {
        let mut position = self.epd.position.clone();
        let side = position.side_to_move();
        for &mv in line {
            if !position.is_legal(mv) {
                return false;
            }
            position.play(mv);
        }
        let mated = matches!(position.turn(), Turn::Over(outcome) if outcome.winner == Some(side));
        mated && line.len().div_ceil(2) <= moves
    }
}

/// Reads a suite from a file.
///
/// # Errors
///
/// If the file cannot be read, a line is no EPD, a position has no legal move, or none asks for anything.
///
/// ```
/// use afterstate_arena::epd_suite;
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "4k3/8/8/3q4/4P3/8/8/4K3 w - - bm exd5; id \"pawn\";\n4k3/8/8/8/8/8/8/4K3 w - -\n")?;
/// let suite = epd_suite::read(file.path())?;
/// assert_eq!((suite.problems[0].name.as_str(), suite.without_question), ("pawn", 1));
/// assert_eq!(suite.problems[0].question(), "bm exd5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: &Path) -> Result<EpdSuite, EpdSuiteError> {
    let read = || -> Result<EpdSuite, EpdSuiteProblem> {
        let mut suite = EpdSuite::default();
        for (number, epd) in (1..).zip(EpdReader::new(BufReader::new(File::open(path)?))) {
            let epd = epd?;
            let name = epd.text("id").map_or_else(|| number.to_string(), str::to_string);
            let problem = EpdProblem { name, epd };
            if !problem.names_moves() && problem.epd.integer("dm").is_none() {
                suite.without_question += 1;
            } else if matches!(problem.epd.position.turn(), Turn::Over(_)) {
                return Err(EpdSuiteProblem::Over { name: problem.name });
            } else {
                suite.problems.push(problem);
            }
        }
        if suite.problems.is_empty() { Err(EpdSuiteProblem::Empty) } else { Ok(suite) }
    };
    read().map_err(|why| EpdSuiteError { path: path.into(), why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::Notation;

    fn problem(text: &str) -> EpdProblem {
        EpdProblem { name: "x".into(), epd: text.parse().unwrap() }
    }

    fn solves(problem: &EpdProblem, text: &str) -> bool {
        problem.is_solved_by(&Decision::play(problem.epd.position.parse_move(text).unwrap()))
    }

    #[test]
    fn good_moves_and_bad_ones_are_both_heeded() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let good = problem(&format!("{start} bm e4 d4; dm 5;"));
        assert!(solves(&good, "e4") && solves(&good, "d4") && !solves(&good, "a3"));
        let bad = problem(&format!("{start} am f3 g4;"));
        assert!(solves(&bad, "e4") && !solves(&bad, "f3") && !solves(&bad, "g4"));
        let both = problem(&format!("{start} am f3; bm e4; acd 3;"));
        assert!(solves(&both, "e4") && !solves(&both, "d4") && !solves(&both, "f3"));
        assert_eq!((good.question(), both.question()), ("bm e4 d4".into(), "am f3; bm e4".into()));
        assert!(!good.is_solved_by(&Decision::resign()));
    }

    #[test]
    fn a_mate_must_be_shown_and_be_soon() {
        let mate = |moves: u32| problem(&format!("7k/8/5K2/8/8/8/8/6R1 w - - dm {moves};"));
        let line = |texts: &[&str]| {
            let moves: Vec<Move> = texts.iter().map(|text| text.parse().unwrap()).collect();
            Decision { principal_variation: moves.clone(), ..Decision::play(moves[0]) }
        };
        let shortest = line(&["f6f7", "h8h7", "g1h1"]);
        assert!(mate(2).is_solved_by(&shortest) && mate(5).is_solved_by(&shortest) && !mate(1).is_solved_by(&shortest));
        for other in [line(&["f6f7", "h8h7"]), line(&["f6f7", "h8h8", "g1h1"]), line(&["g1h1"])] {
            assert!(!mate(9).is_solved_by(&other));
        }
        let another = Decision { best: Some("g1g2".parse().unwrap()), ..shortest };
        assert!(!mate(2).is_solved_by(&another), "the line must begin with the move");
        assert_eq!(mate(2).question(), "dm 2");
    }
}
