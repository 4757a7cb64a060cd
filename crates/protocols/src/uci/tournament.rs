//! [`TournamentThinker`]: the tournament search behind UCI.

use super::info::{Info, Line, Score, ScoreBound};
use super::limits::GoLimits;
use super::option::{OptionKind, UciOption};
use super::thinker::Thinker;
use afterstate_engine::search::{
    self, Bound, ChessEvaluation, SearchInfo, SearchLimits, SearchNews, TournamentSearch, TournamentSettings,
};
use afterstate_engine::{Budget, Decision};
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Record, Side};

/// The tournament search, with any evaluation, and with all that UCI can ask of it.
///
/// ```
/// use afterstate_engine::search::{ChessEvaluation, TournamentSettings};
/// use afterstate_games::{Chess, Notation, Record};
/// use afterstate_protocols::uci::{GoLimits, Info, Score, Thinker, TournamentThinker};
///
/// #[derive(Clone)]
/// struct Indifferent;
///
/// impl ChessEvaluation for Indifferent {
///     fn evaluate(&mut self, _: &Chess) -> i32 {
///         0
///     }
/// }
/// let mut thinker = TournamentThinker::new(Indifferent, TournamentSettings::default());
/// let record = Record::new(Chess::parse_position("k7/8/2K5/8/8/8/8/7R w - - 0 1")?);
/// let limits = GoLimits { depth: Some(6), ..GoLimits::default() };
/// let mut scores = Vec::new();
/// thinker.think(&record, &limits, &mut |info| {
///     if let Info::Line(line) = info {
///         scores.push(line.score);
///     }
/// });
/// assert_eq!(scores.last(), Some(&Some(Score::Mate(2))));
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub struct TournamentThinker<E> {
    search: TournamentSearch<E>,
    /// For `eval`, which asks without a search.
    evaluation: E,
    /// Option `MultiPV`.
    lines: usize,
}

const MOST_MEMORY: i64 = 1 << 16;
const MOST_THREADS: i64 = 1024;
const MOST_LINES: i64 = 256;

/// A second or two of work.
const BENCH_DEPTH: u32 = 13;

impl<E: ChessEvaluation> TournamentThinker<E> {
    /// A search with this evaluation; `settings` are where the options begin.
    pub fn new(evaluation: E, settings: TournamentSettings) -> Self {
        let search = TournamentSearch::new(evaluation.clone(), settings);
        TournamentThinker { search, evaluation, lines: 1 }
    }
}

impl<E: ChessEvaluation> Thinker for TournamentThinker<E> {
    fn options(&self) -> Vec<UciOption> {
        let settings = self.search.settings();
        let spin = |name: &str, default: usize, max: i64| {
            let default = i64::try_from(default).unwrap_or(max).clamp(1, max);
            UciOption::new(name, OptionKind::Spin { default, min: 1, max })
        };
        vec![
            spin("Hash", settings.table_mib, MOST_MEMORY),
            spin("Threads", settings.threads, MOST_THREADS),
            UciOption::new("Clear Hash", OptionKind::Button),
            spin("MultiPV", self.lines, MOST_LINES),
        ]
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = value.parse().unwrap_or(1);
        match name {
            "Hash" => {
                let given = self.search.set_table_mib(number);
                if given < number {
                    return Err(format!("the machine gives {given} MiB of the {number} that Hash should have"));
                }
            }
            "Threads" => self.search.set_threads(number),
            "MultiPV" => self.lines = number,
            "Clear Hash" => self.search.clear(),
            _ => return Err(format!("there is no option {name}")),
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.search.clear();
    }

    fn think(&mut self, record: &Record<Chess>, limits: &GoLimits, report: &mut dyn FnMut(&Info)) -> Decision<Move> {
        let side = record.position().side_to_move();
        let several = self.lines > 1;
        let limits = search_limits(limits, self.lines);
        self.search.search(record, &limits, &mut |news| match news {
            SearchNews::Line(found) => report(&Info::Line(line(found, side, several))),
            SearchNews::Move(now) => {
                report(&Info::CurrentMove(now.depth, now.mv, now.number));
                report(&Info::Progress(now.nodes, Some(now.hashfull)));
            }
        })
    }

    fn evaluate(&mut self, record: &Record<Chess>) -> Option<String> {
        let position = record.position();
        if !position.board().checkers().is_empty() {
            return Some("Evaluation: none, the king is in check".into());
        }
        let pawns = f64::from(self.evaluation.evaluate(position)) / 100.0;
        Some(format!("Evaluation: {pawns:+.2} (in pawns, as White sees it)"))
    }

    fn bench_depth(&self) -> u32 {
        BENCH_DEPTH
    }
}

/// What the search needs to know. While pondering neither deadline counts; at a ponderhit the soft one does, and the hard
/// one, which then begins to count, is the session's affair.
fn search_limits(limits: &GoLimits, lines: usize) -> SearchLimits {
    // A mate that is nowhere near will not be found by looking for ever.
    let mate = limits.mate.map(|moves| moves.saturating_mul(4).saturating_add(8));
    let budget = Budget {
        simulations: limits.nodes,
        depth: limits.depth.into_iter().chain(mate).min(),
        deadline: limits.hard_deadline(),
        stop: Some(limits.stop_flag()),
    };
    SearchLimits {
        budget,
        soft_deadline: limits.time.map(|time| limits.began + time.share),
        pondering: Some(limits.pondering_flag()),
        root_moves: limits.search_moves.clone(),
        multi_pv: lines,
        mate: limits.mate,
        alone: limits.alone,
    }
}

fn line(info: &SearchInfo, side: Side, several: bool) -> Line {
    Line {
        depth: info.depth,
        selective_depth: Some(info.selective_depth),
        rank: several.then(|| u32::try_from(info.multi_pv).unwrap_or(u32::MAX)),
        score: Some(score(info.score, side)),
        bound: match (info.bound, side) {
            (Bound::Exact, _) => ScoreBound::Exact,
            (Bound::AtLeast, Side::First) | (Bound::AtMost, Side::Second) => ScoreBound::Lower,
            (Bound::AtMost, Side::First) | (Bound::AtLeast, Side::Second) => ScoreBound::Upper,
        },
        decided: info.decided,
        nodes: info.nodes,
        hash_full: Some(info.hashfull),
        moves: info.pv.to_vec(),
    }
}

/// A score in hundredths of a pawn, as `side` sees it.
fn score(score: search::Score, side: Side) -> Score {
    match (score.winner(), score.plies_to_end()) {
        (Some(winner), Some(plies)) => Score::mate_in_plies(plies, winner == side),
        _ => Score::Centipawns(score.seen_by(side).round() as i32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_turned_to_who_moves() {
        let ahead = search::Score::heuristic(130.0);
        assert_eq!(score(ahead, Side::First), Score::Centipawns(130));
        assert_eq!(score(ahead, Side::Second), Score::Centipawns(-130));
        let mates = |plies| search::Score::ended(afterstate_games::Outcome::win(Side::Second), plies, 0.0);
        assert_eq!(score(mates(3), Side::Second), Score::Mate(2));
        assert_eq!(score(mates(4), Side::First), Score::Mate(-2));
        let info = |bound| SearchInfo {
            depth: 3,
            selective_depth: 5,
            multi_pv: 2,
            score: ahead,
            bound,
            decided: false,
            nodes: 7,
            elapsed: std::time::Duration::ZERO,
            hashfull: 1,
            pv: &[],
        };
        assert_eq!(line(&info(Bound::AtLeast), Side::First, false).bound, ScoreBound::Lower);
        assert_eq!(line(&info(Bound::AtLeast), Side::Second, false).bound, ScoreBound::Upper);
        assert_eq!(line(&info(Bound::AtMost), Side::Second, true).rank, Some(2));
    }
}
