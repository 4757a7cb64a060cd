//! What a search tells while it thinks.

use afterstate_engine::value::centipawns::centipawns;
use afterstate_games::chess::Move;

/// A score as UCI has it: **the side to move** in the searched position sees it, and positive is good.
///
/// Values inside the house are the first player's; a [`Thinker`](super::Thinker) converts them here, by
/// [`Value::seen_by`](afterstate_engine::Value::seen_by) or its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many own moves; negative if the side to move is mated, 0 if it already is.
    Mate(i32),
}

impl Score {
    /// A chance to win, 0 to 1 with a draw counting half, as the advantage in centipawns from which Elo's formula
    /// expects it, if a pawn is worth 100 points. At most 3,000 either way: nothing is proved by a mere estimate.
    ///
    /// ```
    /// use afterstate_protocols::uci::Score;
    /// assert_eq!(Score::of_chance(0.5), Score::Centipawns(0));
    /// assert_eq!(Score::of_chance(10.0 / 11.0), Score::Centipawns(400));
    /// assert_eq!(Score::of_chance(0.0), Score::Centipawns(-3000));
    /// ```
    pub fn of_chance(chance: f32) -> Score {
        Score::Centipawns(centipawns(chance).clamp(-3000.0, 3000.0).round() as i32)
    }

    /// Mate after so many moves of both sides from here, won by the side to move or by the other.
    ///
    /// ```
    /// use afterstate_protocols::uci::Score;
    /// assert_eq!((Score::mate_in_plies(3, true), Score::mate_in_plies(2, false)), (Score::Mate(2), Score::Mate(-1)));
    /// ```
    pub fn mate_in_plies(plies: u32, wins: bool) -> Score {
        let moves = i32::try_from(plies.div_ceil(2)).unwrap_or(i32::MAX);
        Score::Mate(if wins { moves } else { -moves })
    }
}

/// What is certain of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ScoreBound {
    /// All of it.
    #[default]
    Exact,
    /// The side to move has at least this: the search failed high.
    Lower,
    /// It has at most this: the search failed low.
    Upper,
}

/// A line of play, and what the search thinks of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The depth that was searched, in plies.
    pub depth: u32,
    /// The deepest that was looked anywhere, in plies.
    pub selective_depth: Option<u32>,
    /// 1 for the best line, 2 for the second best, …; `None` if there is only one.
    pub rank: Option<u32>,
    /// What the line is worth.
    pub score: Option<Score>,
    /// What is certain of that.
    pub bound: ScoreBound,
    /// Whether a search that was stopped ends with it, so that it is worth showing though it may be no more than a bound.
    pub decided: bool,
    /// Positions seen in this search so far.
    pub nodes: u64,
    /// How full the transposition table is, in thousandths.
    pub hash_full: Option<u32>,
    /// The moves.
    pub moves: Vec<Move>,
}

/// Something that a search tells. Tell all of it: the session prints it at a rate that is good for people and programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Info {
    /// The best line, or one of the best, at a new depth or with a new bound.
    Line(Line),
    /// The move of the root that is searched now: its depth, itself, and the how manieth it is, from 1.
    CurrentMove(u32, Move, u32),
    /// How much has been done: positions seen so far, and thousandths of the table that are full.
    Progress(u64, Option<u32>),
    /// Anything else, for people.
    Text(String),
}
