//! [`SearchNews`]: what a search says while it goes on.

use crate::search::{Bound, Score};
use afterstate_games::chess::Move;
use std::time::Duration;

/// Something that a search says while it goes on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SearchNews<'a> {
    /// A line of play.
    Line(SearchInfo<'a>),
    /// The move of the root that is searched now. Only told when the search has gone on for a second: before, nobody could
    /// read it.
    Move(RootProgress),
}

impl<'a> SearchNews<'a> {
    /// The line, if it is one.
    pub fn line(&self) -> Option<&SearchInfo<'a>> {
        match self {
            SearchNews::Line(line) => Some(line),
            SearchNews::Move(_) => None,
        }
    }
}

/// Where a search is at its root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootProgress {
    /// The iteration, in plies.
    pub depth: u32,
    /// The move that is searched now.
    pub mv: Move,
    /// The how manieth of the root's moves it is in this iteration, from 1.
    pub number: u32,
    /// Positions that moves were played to, by all threads, since the search began.
    pub nodes: u64,
    /// How full the table is with this search's positions, in thousandths.
    pub hashfull: u32,
}

/// One line of play that the search has finished looking at, or has found to be better or worse than expected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchInfo<'a> {
    /// The iteration, in plies.
    pub depth: u32,
    /// The longest line that was looked at, in plies.
    pub selective_depth: u32,
    /// Which of several lines it is, the best being 1.
    pub multi_pv: usize,
    /// The **first player's** score in hundredths of a pawn, or a sure mate with its distance in plies: see
    /// [`Score::plies_to_end`]. [`Score::seen_by`] turns it to the side to move, as UCI wants it.
    pub score: Score,
    /// What the score says. A line that is not exact is still being searched.
    pub bound: Bound,
    /// Whether it is what a search that was stopped decides for, and did not finish.
    pub decided: bool,
    /// Positions that moves were played to, by all threads, since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// How full the table is with this search's positions, in thousandths.
    pub hashfull: u32,
    /// The line.
    pub pv: &'a [Move],
}
