//! What is printed of what a search tells, and how often.
//!
//! A line for every finished depth; what else is new, about once a second; the move that is searched now, and bounds that
//! are not yet a score, only when a search takes longer than three seconds or ends with them: no GUI can show more, and the
//! fast games of tournaments should not wait for output.

use super::info::{Info, Line, Score, ScoreBound};
use super::position::line_text;
use super::wdl::win_draw_loss;
use afterstate_games::{Chess, Game, Notation, Outcome, Turn};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Details are for who has waited so long.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often a search that finds nothing new shows that it is alive.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// Writes the info lines of one search.
pub(super) struct Reporter {
    position: Chess,
    began: Instant,
    show_wdl: bool,
    /// Whether the position is a draw by the rules, whatever can still be moved in it.
    drawn: bool,
    /// When positions were counted last.
    counted: Duration,
}

impl Reporter {
    pub fn new(position: Chess, began: Instant, show_wdl: bool) -> Reporter {
        let drawn = position.turn() == Turn::Over(Outcome::DRAW);
        Reporter { position, began, show_wdl, drawn, counted: Duration::ZERO }
    }

    /// The line to print now, if there is one.
    pub fn line(&mut self, info: &Info) -> Option<String> {
        self.line_after(info, self.began.elapsed())
    }

    fn line_after(&mut self, info: &Info, elapsed: Duration) -> Option<String> {
        match info {
            Info::Line(line) if line.bound != ScoreBound::Exact && !line.decided && elapsed < PATIENCE => None,
            Info::Line(line) => {
                self.counted = elapsed;
                Some(self.variation(line, elapsed))
            }
            Info::CurrentMove(..) if elapsed < PATIENCE => None,
            Info::CurrentMove(depth, mv, number) => {
                let mv = self.position.move_text(*mv);
                Some(format!("info depth {depth} currmove {mv} currmovenumber {number}"))
            }
            Info::Progress(..) if elapsed < self.counted + SIGN_OF_LIFE => None,
            Info::Progress(nodes, hash_full) => {
                self.counted = elapsed;
                Some(format!("info{}", counts(*nodes, *hash_full, elapsed)))
            }
            Info::Text(text) => Some(text_line(text)),
        }
    }

    fn variation(&self, line: &Line, elapsed: Duration) -> String {
        let mut text = format!("info depth {}", line.depth);
        if let Some(depth) = line.selective_depth {
            let _ = write!(text, " seldepth {depth}");
        }
        if let Some(rank) = line.rank {
            let _ = write!(text, " multipv {rank}");
        }
        if let Some(score) = line.score {
            text += &score_text(score);
            text += match line.bound {
                ScoreBound::Exact => "",
                ScoreBound::Lower => " lowerbound",
                ScoreBound::Upper => " upperbound",
            };
            if self.show_wdl {
                let [win, draw, loss] = if self.drawn { [0, 1000, 0] } else { win_draw_loss(score) };
                let _ = write!(text, " wdl {win} {draw} {loss}");
            }
        }
        text += &counts(line.nodes, line.hash_full, elapsed);
        let moves = line_text(&self.position, &line.moves);
        if !moves.is_empty() {
            text += " pv ";
            text += &moves;
        }
        text
    }
}

/// ` score cp 13`
pub(super) fn score_text(score: Score) -> String {
    match score {
        Score::Centipawns(cp) => format!(" score cp {cp}"),
        Score::Mate(moves) => format!(" score mate {moves}"),
    }
}

fn counts(nodes: u64, hash_full: Option<u32>, elapsed: Duration) -> String {
    let per_second = u128::from(nodes) * 1_000_000 / elapsed.as_micros().max(1);
    let hash_full = hash_full.map_or_else(String::new, |full| format!(" hashfull {}", full.min(1000)));
    format!(" nodes {nodes} nps {per_second}{hash_full} time {}", elapsed.as_millis())
}

/// Something to read for people, on one line.
pub(super) fn text_line(text: &str) -> String {
    let text: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("info string {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reporter(show_wdl: bool) -> Reporter {
        Reporter::new(Chess::new(), Instant::now(), show_wdl)
    }

    fn line(bound: ScoreBound) -> Info {
        let moves = ["e2e4", "d2d4"].map(|text| Chess::new().parse_move(text).unwrap()).to_vec();
        let score = Some(Score::Centipawns(0));
        Info::Line(Line { depth: 5, selective_depth: Some(9), score, bound, nodes: 1000, moves, ..Line::default() })
    }

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn lines_say_everything_that_is_known() {
        let text = reporter(false).line_after(&line(ScoreBound::Exact), MS(10)).unwrap();
        assert_eq!(text, "info depth 5 seldepth 9 score cp 0 nodes 1000 nps 100000 time 10 pv e2e4");
        let text = reporter(true).line_after(&line(ScoreBound::Lower), MS(5000)).unwrap();
        assert_eq!(
            text,
            "info depth 5 seldepth 9 score cp 0 lowerbound wdl 286 428 286 nodes 1000 nps 200 time 5000 pv e2e4"
        );
        let more = Line { rank: Some(2), score: Some(Score::Mate(-2)), hash_full: Some(1001), ..Line::default() };
        let text = reporter(false).line_after(&Info::Line(more), Duration::ZERO).unwrap();
        assert_eq!(text, "info depth 0 multipv 2 score mate -2 nodes 0 nps 0 hashfull 1000 time 0");
        let text = reporter(false).line(&Info::Text("a\nb\u{7}".into())).unwrap();
        assert_eq!(text, "info string a b ");
    }

    #[test]
    fn what_is_drawn_by_the_rules_is_drawn_in_all_games() {
        for place in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/8/8/8/8/8/8/K7 w - - 0 1"] {
            let mut reporter = Reporter::new(Chess::parse_position(place).unwrap(), Instant::now(), true);
            let score = Info::Line(Line { score: Some(Score::Centipawns(0)), ..Line::default() });
            let text = reporter.line_after(&score, Duration::ZERO).unwrap();
            assert_eq!(text, "info depth 0 score cp 0 wdl 0 1000 0 nodes 0 nps 0 time 0");
        }
    }

    #[test]
    fn details_wait_until_somebody_might_be_bored() {
        let mv = Chess::new().parse_move("e2e4").unwrap();
        for info in [line(ScoreBound::Lower), line(ScoreBound::Upper), Info::CurrentMove(7, mv, 3)] {
            let mut reporter = reporter(false);
            assert_eq!(reporter.line_after(&info, MS(2999)), None);
            assert!(reporter.line_after(&info, MS(3000)).is_some());
        }
        let Info::Line(bound) = line(ScoreBound::Lower) else { unreachable!("it is one") };
        let decided = Info::Line(Line { decided: true, ..bound });
        assert!(reporter(false).line_after(&decided, MS(1)).unwrap().contains("lowerbound"));
        let text = reporter(false).line_after(&Info::CurrentMove(7, mv, 3), MS(3000)).unwrap();
        assert_eq!(text, "info depth 7 currmove e2e4 currmovenumber 3");
    }

    #[test]
    fn signs_of_life_come_once_a_second() {
        let mut reporter = reporter(false);
        let mut printed = Vec::new();
        for tenth in 1..=50 {
            if tenth == 25 {
                assert!(reporter.line_after(&line(ScoreBound::Exact), MS(2500)).is_some());
            }
            if reporter.line_after(&Info::Progress(tenth, Some(3)), MS(100 * tenth)).is_some() {
                printed.push(tenth);
            }
        }
        assert_eq!(printed, [10, 20, 35, 45]);
        let text = reporter.line_after(&Info::Progress(12_000, Some(3)), MS(6000));
        assert_eq!(text.unwrap(), "info nodes 12000 nps 2000 hashfull 3 time 6000");
    }
}
