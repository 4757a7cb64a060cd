//! What a search can show while it thinks: [`Analyst`].

use afterstate_arena::PlayerError;
use afterstate_engine::search::Ownership;
use afterstate_engine::{Budget, Decision, Value};
use afterstate_games::go::{Go, Move};
use afterstate_games::{Game, Record};
use std::time::Duration;

/// One of the moves that an analysis looks at.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// What the position after it is worth.
    pub value: Value,
    /// What it is worth at least to the side that makes it, if chance was not unusually kind: the lower confidence bound.
    pub lower_bound: Option<Value>,
    /// Simulations or positions that were spent on it.
    pub visits: u64,
    /// What was thought of it before the search, from 0 to 1, as the side that makes it sees it: how likely it seemed
    /// to be played, or to win.
    pub prior: Option<f32>,
    /// What simulations were worth in which that side played it at any time: the all-moves-as-first value.
    pub amaf: Option<Value>,
    /// Black's expected lead in points.
    pub lead: Option<f32>,
    /// The line of play that is expected, beginning with the move itself.
    pub principal_variation: Vec<Move>,
}

impl Candidate {
    /// A move of which nothing but the value is known.
    pub fn new(mv: Move, value: Value) -> Candidate {
        Candidate {
            mv,
            value,
            lower_bound: None,
            visits: 1,
            prior: None,
            amaf: None,
            lead: None,
            principal_variation: vec![mv],
        }
    }
}

/// What is known of a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// The moves, the best first. Those that were not visited come last.
    pub candidates: Vec<Candidate>,
    /// Simulations or positions that were spent on all of them, in earlier searches as well.
    pub visits: u64,
    /// What the position is worth, if there is a move.
    pub value: Option<Value>,
    /// Who will own which point.
    pub ownership: Option<Ownership>,
}

/// What an analysis is asked.
#[derive(Clone, Copy)]
pub struct Inquiry<'a> {
    /// The game. The side to move in its position chooses.
    pub record: &'a Record<Go>,
    /// When to stop. An endless analysis has nothing but [`Budget::stop`], which is set when the next command arrives;
    /// where there is no limit at all, the analyst's own settings decide.
    pub budget: &'a Budget,
    /// How often to report.
    pub interval: Duration,
    /// The only moves to choose from, if there are any such.
    pub allow: Option<&'a [Move]>,
    /// Moves not to choose.
    pub avoid: &'a [Move],
}

impl<'a> Inquiry<'a> {
    /// About the position where `record` stands, with all moves.
    pub fn new(record: &'a Record<Go>, budget: &'a Budget) -> Inquiry<'a> {
        Inquiry { record, budget, interval: Duration::from_secs(1), allow: None, avoid: &[] }
    }

    /// The moves to choose from: those that are allowed, or the game's candidate moves and, where it ends the game, the
    /// pass; all of them legal.
    ///
    /// ```
    /// use afterstate_engine::Budget;
    /// use afterstate_games::{Record, go::{Go, Move, Point}};
    /// use afterstate_protocols::gtp::Inquiry;
    /// let (mut record, budget) = (Record::new(Go::new(5)), Budget::default());
    /// assert_eq!(Inquiry::new(&record, &budget).moves().len(), 25);
    /// record.play(Move::PASS);
    /// let centre = Move::play(Point::at(2, 2, 5));
    /// let inquiry = Inquiry { avoid: &[centre], ..Inquiry::new(&record, &budget) };
    /// assert_eq!(inquiry.moves().len(), 25);
    /// assert!(inquiry.moves().contains(&Move::PASS));
    /// ```
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let position = self.record.position();
        match self.allow {
            Some(allowed) => moves.extend_from_slice(allowed),
            None => {
                position.candidate_moves(&mut moves);
                if position.passes() > 0 {
                    moves.push(Move::PASS);
                }
            }
        }
        moves.sort_unstable();
        moves.dedup();
        moves.retain(|&mv| self.record.is_legal(mv) && !self.avoid.contains(&mv));
        moves
    }
}

/// A search that reports while it thinks: what `lz-analyze` and its relatives show.
pub trait Analyst: Send {
    /// Searches until the budget is used up, and decides. Calls `report` about once an interval, and once in the end.
    ///
    /// # Errors
    ///
    /// If it cannot search this position, such as one of a board size that it does not know.
    fn analyze(
        &mut self,
        inquiry: &Inquiry<'_>,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<Decision<Move>, PlayerError>;

    /// The same for a move that will be played. An analyst that plays, too, keeps to its clock and its manners here;
    /// others decide as they analyse.
    ///
    /// # Errors
    ///
    /// As [`Analyst::analyze`].
    fn choose(
        &mut self,
        inquiry: &Inquiry<'_>,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<Decision<Move>, PlayerError> {
        self.analyze(inquiry, report)
    }
}
