//! The games keep their promises, and the conformance check notices when a game does not.

use afterstate_games::conformance::{Settings, check, check_indices};
use afterstate_games::go::handicap::fixed_handicap;
use afterstate_games::go::{Go, Komi, Scoring};
use afterstate_games::{Backgammon, ConnectFour, Game, Notation, NotationError, Outcome, Side, TicTacToe, Turn};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn tic_tac_toe_conforms() {
    let report =
        check(&TicTacToe::new(), Settings { games: 1000, ..Settings::default() }).unwrap_or_else(|v| panic!("{v}"));
    assert_eq!((report.games, report.unfinished), (1000, 0));
    assert!(report.transpositions > 1000, "{report:?}");
}

#[test]
fn connect_four_conforms() {
    let report =
        check(&ConnectFour::new(), Settings { games: 300, ..Settings::default() }).unwrap_or_else(|v| panic!("{v}"));
    assert_eq!((report.games, report.unfinished), (300, 0));
    assert!(report.transpositions > 300, "{report:?}");
}

#[test]
fn backgammon_conforms() {
    let report =
        check(&Backgammon::new(), Settings { games: 30, ..Settings::default() }).unwrap_or_else(|v| panic!("{v}"));
    assert_eq!((report.games, report.unfinished), (30, 0));
    assert!(report.transpositions > 30, "{report:?}");
}

#[test]
fn go_conforms() {
    for (size, games) in [(5, 60), (9, 12), (13, 4), (19, 2)] {
        let report = check(&Go::new(size), Settings { games, ..Settings::default() }).unwrap_or_else(|v| panic!("{v}"));
        assert!(report.transpositions > u64::from(games), "{size}: {report:?}");
    }
}

#[test]
fn go_with_handicap_conforms() {
    let start = Go::new(7)
        .with_komi(Komi::new(0.5).unwrap())
        .with_scoring(Scoring::Chinese)
        .with_handicap(&fixed_handicap(7, 3).unwrap())
        .unwrap();
    check(&start, Settings { games: 10, ..Settings::default() }).unwrap_or_else(|v| panic!("{v}"));
}

#[test]
fn moves_have_numbers_of_their_own() {
    let settings = Settings { games: 100, ..Settings::default() };
    check_indices(&TicTacToe::new(), settings).unwrap_or_else(|v| panic!("{v}"));
    check_indices(&ConnectFour::new(), settings).unwrap_or_else(|v| panic!("{v}"));
    for size in [5, 9, 13, 19] {
        let longest_game = 2 * (size * size) as u32;
        let settings = Settings { games: 5, longest_game, ..Settings::default() };
        check_indices(&Go::new(size), settings).unwrap_or_else(|v| panic!("{v}"));
    }
}

/// Ways to break a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    KeyDependsOnHistory,
    KeyForgetsTheStones,
    EverythingIsLegal,
    LegalMovesAppends,
    NoCandidates,
    IllegalCandidate,
    EndsTooLate,
    EndsTooEarly,
    ChanceForPlayers,
    MoveTextIsAmbiguous,
    MoveTextCannotBeRead,
    PositionTextForgets,
    PositionTextHasTwoLines,
    CopiesShareState,
    PlayingPanics,
    OutcomeAfterIsWrong,
}

use Fault::*;

/// Tic-tac-toe with one fault.
#[derive(Clone)]
struct Broken {
    inner: TicTacToe,
    fault: Fault,
    history: u64,
    shared: Arc<AtomicU32>,
}

impl Broken {
    fn new(fault: Fault) -> Broken {
        Broken { inner: TicTacToe::new(), fault, history: 0, shared: Arc::default() }
    }
}

impl Game for Broken {
    type Move = <TicTacToe as Game>::Move;

    fn turn(&self) -> Turn {
        match self.inner.turn() {
            Turn::Over(_) if self.fault == EndsTooLate => Turn::Player(Side::First),
            Turn::Player(_) if self.fault == EndsTooEarly && self.history > 1 => Turn::Over(Outcome::DRAW),
            turn => turn,
        }
    }

    fn legal_moves(&self, moves: &mut Vec<Self::Move>) {
        let before = if self.fault == LegalMovesAppends { moves.clone() } else { Vec::new() };
        self.inner.legal_moves(moves);
        moves.splice(0..0, before);
    }

    fn candidate_moves(&self, moves: &mut Vec<Self::Move>) {
        self.inner.legal_moves(moves);
        match self.fault {
            NoCandidates => moves.clear(),
            IllegalCandidate if moves.len() < 9 && !moves.is_empty() => {
                moves.extend((1..=9).map(|i| self.inner.parse_move(&i.to_string()).unwrap()));
            }
            _ => {}
        }
    }

    fn play(&mut self, mv: Self::Move) {
        if self.fault == PlayingPanics && self.history > 2 {
            // Unwinds without the panic hook, which would print a backtrace for every one of them.
            std::panic::resume_unwind(Box::new("broken on purpose"));
        }
        self.inner.play(mv);
        let digit = self.inner.move_text(mv).parse::<u64>().unwrap();
        self.history = 10 * self.history + digit;
        self.shared.fetch_add(1, Ordering::Relaxed);
    }

    fn outcome_after(&self, mv: Self::Move) -> Option<Outcome> {
        match self.fault {
            OutcomeAfterIsWrong => None,
            _ => {
                let mut after = self.clone();
                after.shared = Arc::default();
                after.play(mv);
                if let Turn::Over(outcome) = after.turn() { Some(outcome) } else { None }
            }
        }
    }

    fn is_legal(&self, mv: Self::Move) -> bool {
        self.fault == EverythingIsLegal || self.inner.is_legal(mv)
    }

    fn chance_outcomes(&self, out: &mut Vec<(Self::Move, f32)>) {
        out.clear();
        if self.fault == ChanceForPlayers {
            out.push((self.inner.parse_move("1").unwrap(), 1.0));
        }
    }

    fn key(&self) -> u64 {
        match self.fault {
            KeyDependsOnHistory => self.history,
            KeyForgetsTheStones => self.inner.position_text().matches('X').count() as u64,
            CopiesShareState => self.inner.key() ^ u64::from(self.shared.load(Ordering::Relaxed)),
            _ => self.inner.key(),
        }
    }
}

impl Notation for Broken {
    const NAME: &'static str = "broken";

    fn move_text(&self, mv: Self::Move) -> String {
        match self.fault {
            MoveTextIsAmbiguous => "5".to_owned(),
            MoveTextCannotBeRead => "middle".to_owned(),
            _ => self.inner.move_text(mv),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Self::Move, NotationError> {
        self.inner.parse_move(text)
    }

    fn position_text(&self) -> String {
        let text = self.inner.position_text();
        match self.fault {
            PositionTextForgets if text.matches(['X', 'O']).count() == 2 => "X../.../...".to_owned(),
            PositionTextHasTwoLines => text.replace('/', "\n"),
            _ => text,
        }
    }

    fn parse_position(text: &str) -> Result<Self, NotationError> {
        // What is read has no fault of its own.
        Ok(Broken { inner: TicTacToe::parse_position(text)?, ..Broken::new(EverythingIsLegal) })
    }

    fn diagram(&self) -> String {
        self.inner.diagram()
    }
}

#[test]
fn broken_games_are_found_out() {
    for (fault, promise) in [
        (KeyDependsOnHistory, "key"),
        (KeyForgetsTheStones, "key"),
        (EverythingIsLegal, "is_legal agrees"),
        (LegalMovesAppends, "replaces the buffer"),
        (NoCandidates, "candidate moves exactly when"),
        (IllegalCandidate, "candidate moves are legal"),
        (EndsTooLate, "legal moves exactly when"),
        (EndsTooEarly, "legal moves exactly when"),
        (ChanceForPlayers, "chance outcomes exactly when"),
        (MoveTextIsAmbiguous, "a move that is written can be read"),
        (MoveTextCannotBeRead, "a move that is written can be read"),
        (PositionTextForgets, "a position that is written can be read"),
        (PositionTextHasTwoLines, "one line"),
        (CopiesShareState, "copy"),
        (PlayingPanics, "can be played"),
        (OutcomeAfterIsWrong, "outcome_after"),
    ] {
        match check(&Broken::new(fault), Settings::default()) {
            Ok(report) => panic!("{fault:?} was not found: {report:?}"),
            Err(violation) => {
                let text = violation.to_string();
                let promised = violation.promise.contains(promise)
                    // Reading a position back compares keys before transpositions can.
                    || promise == "key" && violation.detail.contains("key differs");
                assert!(promised, "{fault:?} was found as something else: {text}");
                assert!(text.starts_with("broken: expected that "), "{text}");
            }
        }
    }
}

/// One throw of a loaded die, then the game is over.
#[derive(Clone)]
struct Die {
    thrown: bool,
    probability: f32,
}

impl Game for Die {
    type Move = u8;
    fn turn(&self) -> Turn {
        if self.thrown { Turn::Over(Outcome::DRAW) } else { Turn::Chance }
    }
    fn legal_moves(&self, moves: &mut Vec<u8>) {
        moves.clear();
    }
    fn play(&mut self, _: u8) {
        self.thrown = true;
    }
    fn chance_outcomes(&self, out: &mut Vec<(u8, f32)>) {
        out.clear();
        if !self.thrown {
            out.extend((1..=6).map(|face| (face, self.probability)));
        }
    }
    fn key(&self) -> u64 {
        u64::from(self.thrown)
    }
}

impl Notation for Die {
    const NAME: &'static str = "die";
    fn move_text(&self, mv: u8) -> String {
        mv.to_string()
    }
    fn parse_move(&self, text: &str) -> Result<u8, NotationError> {
        text.parse().map_err(|_| NotationError::new("move", text, "1 to 6"))
    }
    fn position_text(&self) -> String {
        format!("{} {}", self.thrown, self.probability)
    }
    fn parse_position(text: &str) -> Result<Die, NotationError> {
        let (thrown, probability) = text.split_once(' ').expect("two words");
        Ok(Die { thrown: thrown == "true", probability: probability.parse().expect("a number") })
    }
    fn diagram(&self) -> String {
        self.position_text()
    }
}

#[test]
fn chance_has_to_add_up() {
    check(&Die { thrown: false, probability: 1.0 / 6.0 }, Settings::default()).unwrap_or_else(|v| panic!("{v}"));
    let violation = check(&Die { thrown: false, probability: 0.15 }, Settings::default()).unwrap_err();
    assert!(violation.promise.contains("sum to 1"), "{violation}");
}

#[test]
fn chance_counts_as_a_move() {
    let die = Die { thrown: false, probability: 1.0 / 6.0 };
    assert_eq!(afterstate_games::perft::paths(&die, 1), 6);
    assert_eq!(afterstate_games::perft::paths(&die, 2), 0);
    assert_eq!(afterstate_games::perft::distinct_positions(&die, 2), [1, 1, 0]);
}
