//! Thinking time: what the controller says becomes the budget of each move.

use super::command::{Refusal, parse_argument, parse_color, quote, refuse};
use super::session::{Answer, Call, Session};
use afterstate_arena::{Clock, TimeControl};
use afterstate_engine::Budget;
use afterstate_games::Side;
use std::time::{Duration, Instant};

/// The clocks of both sides.
pub(super) struct Clocks {
    control: TimeControl,
    sides: [Clock; 2],
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks::new(TimeControl::None)
    }
}

impl Clocks {
    pub fn new(control: TimeControl) -> Clocks {
        // The referee is on the other side: what it forgives is its own affair.
        let clock = Clock::new(control, Duration::ZERO);
        Clocks { control, sides: [clock.clone(), clock] }
    }

    /// Sets both clocks to the start of a game.
    pub fn restart(&mut self) {
        *self = Clocks::new(self.control);
    }

    pub fn both(&self) -> &[Clock; 2] {
        &self.sides
    }

    /// The budget of a move of `side` that begins now.
    pub fn budget(&self, side: Side) -> Budget {
        self.sides[side.index()].budget(Instant::now())
    }

    /// A move of `side` took `used`. Controllers need not send `time_left`, so we count along.
    pub fn spend(&mut self, side: Side, used: Duration) {
        let clock = &mut self.sides[side.index()];
        if clock.spend(used).is_err() {
            // Out of time by our count; the game may well go on, and then every move is in haste.
            clock.set_left(Duration::ZERO, clock.count_left().min(1));
        }
    }
}

/// Longer times are refused: more than any game, less than what clocks can hold.
const MAX_SECONDS: f64 = 3_600_000.0;
const MAX_COUNT: u32 = 1_000_000;

fn parse_seconds(name: &str, text: &str) -> Result<Duration, Refusal> {
    let expected = format!("seconds from 0 to {MAX_SECONDS}");
    let seconds: f64 = parse_argument(name, text, &expected)?;
    if !(0.0..=MAX_SECONDS).contains(&seconds) {
        return refuse(format!("syntax error: {name} '{}': expected {expected}", quote(text)));
    }
    Ok(Duration::from_secs_f64(seconds))
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
    session.clocks.sides[side.index()].set_left(left, count);
    Answer::done()
}

/// `kgs-time_settings`: the system's name, then its numbers.
pub(super) fn parse_kgs(args: &[String]) -> Result<TimeControl, Refusal> {
    let expected = "none, absolute MAIN, byoyomi MAIN PERIOD PERIODS or canadian MAIN PERIOD STONES";
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let control = match words[..] {
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
        _ => return refuse(format!("syntax error: expected {expected}")),
    };
    match control {
        // Periods that give nothing leave the main time alone.
        TimeControl::Japanese { main, periods, period } if periods == 0 || period.is_zero() => {
            Ok(TimeControl::SuddenDeath(main))
        }
        TimeControl::Canadian { main, stones, period } if stones == 0 || period.is_zero() => {
            Ok(TimeControl::SuddenDeath(main))
        }
        control => Ok(control),
    }
}
