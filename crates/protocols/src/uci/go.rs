//! The words behind `go`.

use super::command::quote;
use super::position::{parse_move, playable_moves};
use super::time::GoClock;
use afterstate_arena::clock::LONGEST;
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Side};
use std::time::Duration;

/// What they say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GoWords {
    pub clock: GoClock,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub mate: Option<u32>,
    pub search_moves: Vec<Move>,
    pub infinite: bool,
    pub ponder: bool,
    /// Not a search at all, but a count.
    pub perft: Option<u32>,
    /// What is wrong with them, a line each.
    pub complaints: Vec<String>,
}

const NUMBERED: [&str; 10] =
    ["depth", "nodes", "mate", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "perft"];

fn is_keyword(word: &str) -> bool {
    NUMBERED.contains(&word) || matches!(word, "searchmoves" | "infinite" | "ponder")
}

impl GoWords {
    /// Reads `words` in a position that `searchmoves` must be legal in. Unknown words are skipped, and what is wrong is left
    /// out, with a complaint.
    ///
    /// A `go` that only a mistake leaves without any limit gets a second: who waits for an answer shall have one.
    pub fn parse(words: &[&str], position: &Chess) -> GoWords {
        let mut go = GoWords::default();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    while let Some(text) = words.next_if(|word| !is_keyword(word)) {
                        go.restrict_to(text, position);
                    }
                }
                _ if NUMBERED.contains(&word) => {
                    match words.next_if(|word| !is_keyword(word)).map(|text| (text, parse_number(text))) {
                        Some((_, Some(number))) => go.limit(word, number),
                        Some((text, None)) => {
                            go.complaints.push(format!("{word} '{}': expected a whole number", quote(text)));
                        }
                        None => go.complaints.push(format!("{word}: expected a whole number behind it")),
                    }
                }
                _ => go.complaints.push(format!("'{}' is unknown", quote(word))),
            }
        }
        let side = position.side_to_move();
        if !go.is_limited(side) && go.clock != GoClock::default() {
            let color = if side == Side::First { "white" } else { "black" };
            go.complaints.push(format!("{color} is to move, and its clock is not told: one second"));
        }
        if !go.complaints.is_empty() && !go.is_limited(side) {
            go.clock.move_time = Some(Duration::from_secs(1));
        }
        // A line of nonsense need not be answered by a page of it.
        go.complaints.truncate(3);
        go
    }

    /// What the opponent's clock says ends no search of `side`.
    fn is_limited(&self, side: Side) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.mate.is_some()
            || self.infinite
            || self.perft.is_some()
            || self.clock.move_time.is_some()
            || self.clock.left[side.index()].is_some()
    }

    fn limit(&mut self, word: &str, number: i64) {
        let at_least_one = number.max(1);
        let small = u32::try_from(at_least_one).unwrap_or(u32::MAX);
        // Clocks that ran out are told as negative times.
        let time = Duration::from_millis(u64::try_from(number).unwrap_or(0)).min(LONGEST);
        match word {
            "depth" => self.depth = Some(small),
            "nodes" => self.nodes = Some(at_least_one.unsigned_abs()),
            "mate" => self.mate = Some(small),
            "movetime" => self.clock.move_time = Some(time),
            "wtime" => self.clock.left[Side::First.index()] = Some(time),
            "btime" => self.clock.left[Side::Second.index()] = Some(time),
            "winc" => self.clock.increment[Side::First.index()] = time,
            "binc" => self.clock.increment[Side::Second.index()] = time,
            // Zero is how some say that there is no other time control.
            "movestogo" => self.clock.moves_to_go = (number > 0).then_some(small),
            _ => self.perft = Some(u32::try_from(number.max(0)).unwrap_or(u32::MAX)),
        }
    }

    fn restrict_to(&mut self, text: &str, position: &Chess) {
        match parse_move(position, text) {
            Some(mv) if playable_moves(position).contains(&mv) => {
                if !self.search_moves.contains(&mv) {
                    self.search_moves.push(mv);
                }
            }
            _ => self.complaints.push(format!("searchmoves '{}': expected a legal move such as e2e4", quote(text))),
        }
    }
}

/// A whole number; numbers beyond what fits count as the nearest that does.
fn parse_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let limit = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    is_number.then(|| text.parse().unwrap_or(limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Game, Notation};

    fn parse(text: &str) -> GoWords {
        GoWords::parse(&text.split_whitespace().collect::<Vec<_>>(), &Chess::new())
    }

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn every_word_is_understood_in_any_order() {
        let go = parse("binc 7 wtime 1000 searchmoves e2e4 g1f3 e2e4 movestogo 5 btime -3 winc 2 ponder");
        assert_eq!(go.clock.left, [Some(MS(1000)), Some(MS(0))]);
        assert_eq!((go.clock.increment, go.clock.moves_to_go), ([MS(2), MS(7)], Some(5)));
        assert_eq!(go.search_moves.len(), 2);
        assert!(go.ponder && !go.infinite && go.complaints.is_empty());
        let go = parse("depth 4 nodes 0 mate 2 movetime 50 infinite perft 3");
        assert_eq!((go.depth, go.nodes, go.mate, go.perft), (Some(4), Some(1), Some(2), Some(3)));
        assert!(go.infinite && go.clock.move_time == Some(MS(50)));
        assert_eq!(parse(""), GoWords::default());
        assert_eq!(parse("movestogo 0").clock.moves_to_go, None);
    }

    #[test]
    fn numbers_of_any_length_are_understood() {
        assert_eq!(parse_number("99999999999999999999999"), Some(i64::MAX));
        assert_eq!(parse_number("-99999999999999999999999"), Some(i64::MIN));
        for text in ["", "-", "1.5", "0x10", "١", "--1", "1e3"] {
            assert_eq!(parse_number(text), None, "{text}");
        }
        assert_eq!(parse("wtime 99999999999999999999").clock.left[0], Some(LONGEST));
        assert_eq!(parse("depth -99999999999999999999").depth, Some(1));
    }

    #[test]
    fn what_is_wrong_is_left_out_and_the_rest_counts() {
        let go = parse("depth x nodes 7 searchmoves e2e5 0000 d2d4 foo wtime btime 9");
        assert_eq!((go.depth, go.nodes, go.search_moves.len()), (None, Some(7), 1));
        assert_eq!(go.clock.left, [None, Some(MS(9))]);
        assert_eq!(go.complaints.len(), 3, "{:?}", go.complaints);
        assert_eq!(go.complaints[0], "depth 'x': expected a whole number");
        assert_eq!(go.clock.move_time, None);
    }

    #[test]
    fn a_mistake_never_makes_a_search_endless() {
        for text in ["depth", "depth x", "depht 5", "wtime", "searchmoves e9e4", "ponder movetime x"] {
            assert_eq!(parse(text).clock.move_time, Some(MS(1000)), "{text}");
        }
        assert_eq!(parse("searchmoves e2e4").clock.move_time, None);
    }

    #[test]
    fn a_clock_that_is_the_opponents_alone_does_not_make_a_search_endless() {
        for text in ["btime 1000", "btime 0 binc 5", "winc 100", "movestogo 40", "wtime x btime 1000"] {
            let go = parse(text);
            assert_eq!(go.clock.move_time, Some(MS(1000)), "{text}");
            assert!(
                go.complaints.iter().any(|complaint| complaint.contains("white is to move")),
                "{:?}",
                go.complaints
            );
        }
        let mut black = Chess::new();
        black.play(black.parse_move("e2e4").unwrap());
        assert_eq!(GoWords::parse(&["wtime", "1000"], &black).clock.move_time, Some(MS(1000)));
        for text in ["wtime 1000", "btime 5 depth 3", "btime 5 nodes 3", "btime 5 infinite", "btime 5 movetime 7"] {
            assert!(parse(text).complaints.is_empty(), "{text}");
        }
    }
}
