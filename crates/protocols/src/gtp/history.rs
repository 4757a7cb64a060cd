//! The game so far, as GTP sees it: either side may move at any time.

use afterstate_games::go::{Go, Move};
use afterstate_games::{Game, Record, Side, Turn};

/// Longer games are refused; the rules end every sensible one long before.
pub(super) const MAX_MOVES: usize = 10_000;

/// Why a move was not played.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unplayable {
    Illegal,
    TooLong,
}

/// Every move with the side that made it, and the [`Record`] that players see.
///
/// In a record sides alternate and two passes end the game; GTP knows neither rule. A move out of turn,
/// or after the end, starts a new record at the present position that remembers the old one's positions
/// for superko. Taking moves back replays the list.
pub(super) struct History {
    start: Go,
    plies: Vec<(Side, Move)>,
    record: Record<Go>,
}

impl History {
    pub fn new(start: Go) -> History {
        History { record: Record::new(start.clone()), start, plies: Vec::new() }
    }

    pub fn start(&self) -> &Go {
        &self.start
    }

    pub fn record(&self) -> &Record<Go> {
        &self.record
    }

    pub fn position(&self) -> &Go {
        self.record.position()
    }

    pub fn plies(&self) -> &[(Side, Move)] {
        &self.plies
    }

    /// Changes what is no move, such as komi, and replays the game from there.
    pub fn change_start(&mut self, change: impl FnOnce(Go) -> Go) {
        self.start = change(self.start.clone());
        self.replay();
    }

    /// The record that goes on with a move of `side`, if the present one does not.
    pub fn turned_to(&self, side: Side) -> Option<Record<Go>> {
        (self.record.turn() != Turn::Player(side))
            .then(|| Record::continuing(self.record.position().clone().with_turn(side), self.record.repetition_keys()))
    }

    /// Plays a legal move of either side and says whether the record was rebuilt for it.
    pub fn play(&mut self, side: Side, mv: Move) -> Result<bool, Unplayable> {
        self.play_if(side, mv, |record| record.is_legal(mv))
    }

    /// Plays a move of a game that was played elsewhere: many rules let positions come again (triple ko).
    pub fn follow(&mut self, side: Side, mv: Move) -> Result<bool, Unplayable> {
        self.play_if(side, mv, |record| record.position().is_legal(mv))
    }

    fn play_if(&mut self, side: Side, mv: Move, legal: impl Fn(&Record<Go>) -> bool) -> Result<bool, Unplayable> {
        if self.plies.len() >= MAX_MOVES {
            return Err(Unplayable::TooLong);
        }
        let turned = self.turned_to(side);
        if !legal(turned.as_ref().unwrap_or(&self.record)) {
            return Err(Unplayable::Illegal);
        }
        self.plies.push((side, mv));
        let rebuilt = turned.is_some();
        self.advance(turned, mv);
        Ok(rebuilt)
    }

    /// Takes the last move back; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let undone = self.plies.pop().is_some();
        if undone {
            self.replay();
        }
        undone
    }

    fn advance(&mut self, turned: Option<Record<Go>>, mv: Move) {
        if let Some(turned) = turned {
            self.record = turned;
        }
        self.record.play(mv);
    }

    fn replay(&mut self) {
        self.record = Record::new(self.start.clone());
        for (side, mv) in std::mem::take(&mut self.plies) {
            let turned = self.turned_to(side);
            self.advance(turned, mv);
            self.plies.push((side, mv));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::go::{Komi, Point};

    fn at(label: &str, size: usize) -> Move {
        super::super::vertex::parse_move(label, size).unwrap()
    }

    fn stones(history: &History) -> Vec<String> {
        let go = history.position();
        Point::all(go.size()).map(|point| format!("{:?}", go.board().color(point))).collect()
    }

    #[test]
    fn undo_crosses_moves_out_of_turn() {
        let mut history = History::new(Go::new(9));
        let plies = [
            (Side::First, "E5"),
            (Side::First, "E6"),
            (Side::Second, "pass"),
            (Side::First, "pass"),
            (Side::First, "C3"),
            (Side::Second, "D4"),
            (Side::Second, "G7"),
        ];
        let mut boards = vec![stones(&history)];
        for (side, label) in plies {
            history.play(side, at(label, 9)).unwrap();
            boards.push(stones(&history));
        }
        while let Some(board) = boards.pop() {
            assert_eq!(stones(&history), board);
            assert_eq!(history.undo(), !boards.is_empty());
        }
    }

    #[test]
    fn superko_reaches_across_moves_out_of_turn() {
        let mut history = History::new(Go::new(5));
        // A ko: Black B2 takes White C2 back and forth.
        for (side, label) in [
            (Side::First, "B1"),
            (Side::Second, "C1"),
            (Side::First, "A2"),
            (Side::Second, "D2"),
            (Side::First, "B3"),
            (Side::Second, "C3"),
            (Side::First, "C2"),
            (Side::Second, "B2"),
        ] {
            history.play(side, at(label, 5)).unwrap();
        }
        // White took C2. Whoever moves out of turn lifts the simple ko, but not superko.
        assert_eq!(history.play(Side::First, at("C2", 5)), Err(Unplayable::Illegal));
        assert_eq!(history.play(Side::Second, at("pass", 5)), Ok(true));
        assert_eq!(history.play(Side::First, at("C2", 5)), Err(Unplayable::Illegal));
        history.play(Side::First, at("E5", 5)).unwrap();
        history.play(Side::Second, at("E4", 5)).unwrap();
        assert_eq!(history.play(Side::First, at("C2", 5)), Ok(false), "other stones are another position");
    }

    #[test]
    fn komi_changes_in_the_middle_keep_the_moves() {
        let mut history = History::new(Go::new(9));
        history.play(Side::First, at("E5", 9)).unwrap();
        history.change_start(|go| go.with_komi(Komi::new(0.5).unwrap()));
        assert_eq!(history.position().score(), 80.5);
        assert_eq!(history.plies().len(), 1);
    }
}
