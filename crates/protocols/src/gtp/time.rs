//! Thinking time: what the controller says becomes the budget of each move.

use super::command::{Refusal, parse_argument, parse_color, quote, refuse};
use super::session::{Answer, Call, Session};
use afterstate_arena::clock::LONGEST;
use afterstate_arena::{Clock, TimeControl};
use afterstate_engine::Budget;
use afterstate_games::Side;
use std::time::{Duration, Instant};

/// The clocks of both sides.
pub(super) struct Clocks {
    /// As they are when a game begins.
    start: Clock,
    sides: [Clock; 2],
    /// Whether nobody has said yet how games are timed, so that what is left tells it.
    unset: bool,
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks { unset: true, ..Clocks::new(TimeControl::None) }
    }
}

impl Clocks {
    pub fn new(control: TimeControl) -> Clocks {
        // Whoever sends the largest number that there is means that there is no limit.
        let control = match control {
            TimeControl::SuddenDeath(main)
            | TimeControl::Fischer { main, .. }
            | TimeControl::Japanese { main, .. }
            | TimeControl::Canadian { main, .. }
                if main >= LONGEST =>
            {
                TimeControl::None
            }
            control => control,
        };
        // The referee is on the other side: what it forgives is its own affair.
        Clocks::of(Clock::new(control, Duration::ZERO))
    }

    fn of(start: Clock) -> Clocks {
        Clocks { sides: [start.clone(), start.clone()], start, unset: false }
    }

    /// Sets both clocks to the start of a game.
    pub fn restart(&mut self) {
        *self = Clocks { unset: self.unset, ..Clocks::of(self.start.clone()) };
    }

    pub fn both(&self) -> &[Clock; 2] {
        &self.sides
    }

    /// The same after `side` has been waited for so long.
    pub fn running(&self, side: Side, waited: Duration) -> Clocks {
        let mut sides = self.sides.clone();
        sides[side.index()] = sides[side.index()].running(waited);
        Clocks { start: self.start.clone(), sides, unset: self.unset }
    }

    /// What the controller says that `side` has left: for `count` moves, or for the game if that is 0.
    fn set_left(&mut self, side: Side, left: Duration, count: u32) {
        let clock = &mut self.sides[side.index()];
        if self.unset && (count > 0 || !left.is_zero()) {
            *clock = Clocks::new(match count {
                0 => TimeControl::SuddenDeath(left),
                stones => TimeControl::Canadian { main: Duration::ZERO, stones, period: left },
            })
            .start;
        }
        clock.set_left(left, count);
    }

    /// The budget of a move of `side` that goes on from now.
    pub fn budget(&self, side: Side) -> Budget {
        self.sides[side.index()].budget(Instant::now())
    }

    /// A move of `side` took `used`. Controllers need not send `time_left`, so we count along.
    pub fn spend(&mut self, side: Side, used: Duration) {
        let clock = &mut self.sides[side.index()];
        if clock.spend(used).is_err() {
            // Out of time by our count; the game may well go on.
            clock.forgive();
        }
    }
}

/// Larger numbers are refused. KataGo's extension asks for 31 bits at least, and some controllers send the largest.
const MAX_SECONDS: f64 = i32::MAX as f64;
const MAX_COUNT: u32 = 1_000_000;

fn parse_seconds(name: &str, text: &str) -> Result<Duration, Refusal> {
    let expected = format!("seconds from 0 to {MAX_SECONDS}");
    let seconds: f64 = parse_argument(name, text, &expected)?;
    if !(0.0..=MAX_SECONDS).contains(&seconds) {
        return refuse(format!("syntax error: {name} '{}': expected {expected}", quote(text)));
    }
    Ok(Duration::from_secs_f64(seconds).min(LONGEST))
}

/// A limit that is not there if it is negative.
fn parse_limit(name: &str, text: &str) -> Result<Option<Duration>, Refusal> {
    let seconds: f64 = parse_argument(name, text, "seconds, or a negative number for no limit")?;
    if seconds < 0.0 { Ok(None) } else { parse_seconds(name, text).map(Some) }
}

fn parse_count(name: &str, text: &str) -> Result<u32, Refusal> {
    let expected = format!("a whole number from 0 to {MAX_COUNT}");
    match parse_argument(name, text, &expected)? {
        count if count <= MAX_COUNT => Ok(count),
        _ => refuse(format!("syntax error: {name} '{}': expected {expected}", quote(text))),
    }
}

/// Absolute time, Canadian byo-yomi, or no limit (a period without stones, and no time at all).
pub(super) fn time_settings(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let main = parse_seconds("MAIN_SECONDS", &call.args[0])?;
    let period = parse_seconds("PERIOD_SECONDS", &call.args[1])?;
    let stones = parse_count("PERIOD_STONES", &call.args[2])?;
    session.clocks = Clocks::new(match (main.is_zero(), period.is_zero(), stones) {
        (_, false, 0) | (true, true, _) => TimeControl::None,
        (false, true, _) => TimeControl::SuddenDeath(main),
        (_, false, stones) => TimeControl::Canadian { main, stones, period },
    });
    Answer::done()
}

pub(super) fn time_left(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let side = parse_color(&call.args[0])?;
    let left = parse_seconds("SECONDS", &call.args[1])?;
    let count = parse_count("STONES", &call.args[2])?;
    session.clocks.set_left(side, left, count);
    Answer::done()
}

/// `kgs-time_settings`: the system's name, then its numbers.
pub(super) fn parse_kgs(args: &[String]) -> Result<TimeControl, Refusal> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    parse_control(&words)?.map_or_else(|| refuse(format!("syntax error: expected {SYSTEMS}")), Ok)
}

/// What KGS and KataGo have in common, for people.
const SYSTEMS: &str = "none, absolute MAIN, byoyomi MAIN PERIOD PERIODS or canadian MAIN PERIOD STONES";

/// One of these; `None` if it is something else.
fn parse_control(words: &[&str]) -> Result<Option<TimeControl>, Refusal> {
    let control = match *words {
        ["none"] => TimeControl::None,
        ["absolute", main] => TimeControl::SuddenDeath(parse_seconds("MAIN", main)?),
        ["byoyomi", main, period, periods] => TimeControl::Japanese {
            main: parse_seconds("MAIN", main)?,
            period: parse_seconds("PERIOD", period)?,
            periods: parse_count("PERIODS", periods)?,
        },
        ["canadian", main, period, stones] => TimeControl::Canadian {
            main: parse_seconds("MAIN", main)?,
            period: parse_seconds("PERIOD", period)?,
            stones: parse_count("STONES", stones)?,
        },
        _ => return Ok(None),
    };
    Ok(Some(match control {
        // Periods that give nothing leave the main time alone.
        TimeControl::Japanese { main, periods, period } if periods == 0 || period.is_zero() => {
            TimeControl::SuddenDeath(main)
        }
        TimeControl::Canadian { main, stones, period } if stones == 0 || period.is_zero() => {
            TimeControl::SuddenDeath(main)
        }
        control => control,
    }))
}

/// What `kata-time_settings` takes.
pub(super) fn kata_list_time_settings(_: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    Answer::text("none absolute byoyomi canadian fischer fischer-capped")
}

/// KataGo's extension: the systems of KGS, and Fischer's clock, whose increments may be capped and whose moves limited.
pub(super) fn kata_time_settings(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let words: Vec<&str> = call.args.iter().map(String::as_str).collect();
    let fischer = |main, increment| -> Result<TimeControl, Refusal> {
        Ok(TimeControl::Fischer {
            main: parse_seconds("MAIN", main)?,
            increment: parse_seconds("INCREMENT", increment)?,
        })
    };
    session.clocks = match words[..] {
        ["fischer", main, increment] => Clocks::new(fischer(main, increment)?),
        ["fischer-capped", main, increment, most_main, longest_move] => {
            let clock = Clock::new(fischer(main, increment)?, Duration::ZERO);
            let cap = parse_limit("MAIN_LIMIT", most_main)?;
            if cap.is_some_and(|cap| cap < clock.main_left()) {
                let expected = "no less than MAIN, or a negative number for no limit";
                return refuse(format!("syntax error: MAIN_LIMIT '{}': expected {expected}", quote(most_main)));
            }
            Clocks::of(clock.capped(cap, parse_limit("MOVE_LIMIT", longest_move)?))
        }
        _ => match parse_control(&words)? {
            Some(control) => Clocks::new(control),
            None => {
                let fischers = "fischer MAIN INCREMENT or fischer-capped MAIN INCREMENT MAIN_LIMIT MOVE_LIMIT";
                return refuse(format!("syntax error: expected {SYSTEMS}, {fischers}"));
            }
        },
    };
    Answer::done()
}
