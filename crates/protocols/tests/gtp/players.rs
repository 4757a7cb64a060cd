//! Players whose moves a test can predict.

use afterstate_arena::{Player, PlayerError};
use afterstate_engine::{Budget, Decision, Value, ValueFunction};
use afterstate_games::go::{Go, Move};
use afterstate_games::{Outcome, Record, Side};
use afterstate_protocols::gtp::{Session, ValueInsight};
use std::sync::{Arc, Mutex};

/// Plays the first legal point from A1 along the rows; passes when there is none.
pub struct FirstPoint;

pub fn first_point(record: &Record<Go>) -> Move {
    let mut moves = Vec::new();
    record.legal_moves(&mut moves);
    moves.into_iter().filter(|mv| !mv.is_pass()).min().unwrap_or(Move::PASS)
}

impl Player<Go> for FirstPoint {
    fn new_game(&mut self, _: &Record<Go>, _: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, record: &Record<Go>, _: &Budget) -> Result<Decision<Move>, PlayerError> {
        Ok(Decision::play(first_point(record)))
    }
}

/// What a player was told, one line a call.
pub type Log = Arc<Mutex<Vec<String>>>;

/// Writes down what it is told and answers from a list: a move, `None` to resign, or an error.
pub struct Witness {
    pub log: Log,
    pub answers: Vec<Result<Option<Move>, PlayerError>>,
}

impl Witness {
    fn note(&self, what: &str, record: &Record<Go>) {
        let go = record.position();
        let stones: usize = Side::First.index().max(go.board().stone_count(Side::First));
        self.log.lock().unwrap().push(format!(
            "{what}: size {}, komi {}, {} moves, {stones} + {} stones, {:?} to move",
            go.size(),
            go.komi().points(),
            record.moves().len(),
            go.board().stone_count(Side::Second),
            go.to_move(),
        ));
    }
}

impl Player<Go> for Witness {
    fn new_game(&mut self, record: &Record<Go>, _: u64) -> Result<(), PlayerError> {
        self.note("new game", record);
        Ok(())
    }

    fn choose(&mut self, record: &Record<Go>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        self.note(if budget.deadline.is_some() { "choose in time" } else { "choose" }, record);
        let answer = if self.answers.is_empty() { Ok(Some(first_point(record))) } else { self.answers.remove(0) };
        answer.map(|best| best.map_or_else(Decision::resign, Decision::play))
    }

    fn move_played(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
        self.note("played", record);
        Ok(())
    }

    fn game_over(&mut self, record: &Record<Go>, outcome: Outcome) {
        self.note(&format!("over, {:?}", outcome.winner), record);
    }
}

/// Black's share of all stones, one more for each side.
pub struct ShareOfStones;

impl ValueFunction<Go> for ShareOfStones {
    fn value(&self, game: &Go) -> Value {
        let stones = |side| game.board().stone_count(side) as f32;
        Value((1.0 + stones(Side::First)) / (2.0 + stones(Side::First) + stones(Side::Second)))
    }
}

/// A session of [`FirstPoint`], with the values of afterstates.
pub fn session() -> Session {
    Session::new("first", Box::new(FirstPoint))
        .with_version("1.0")
        .with_insight(Arc::new(ValueInsight(Arc::new(ShareOfStones))))
}
