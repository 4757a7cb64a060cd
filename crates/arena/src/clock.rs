//! Time controls as text and as clocks.
//!
//! A [`Clock`] never looks at the time itself: whoever plays the game tells it how long a move took.
//! That keeps it exact, and lets tests run hours of play in no time.
//!
//! | text | meaning |
//! | --- | --- |
//! | `none` | no limit: the player's own settings decide |
//! | `10s/move` | at most so long for every move |
//! | `1000sims/move` | so many simulations for every move, however long they take |
//! | `5m` | so long for the whole game (sudden death) |
//! | `5m+2s` | so long, and two seconds more after every move (Fischer) |
//! | `5m+3x30s` | so long, then three periods of 30 seconds; a move within a period keeps it (Japanese byo-yomi) |
//! | `5m+10/60s` | so long, then ten moves in every 60 seconds (Canadian byo-yomi) |
//!
//! A duration is a number, which may have a decimal point, and `ms`, `s`, `m` or `h`.

use afterstate_engine::Budget;
use afterstate_games::NotationError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// How thinking time is limited. Reads and prints as text; see the [module](self) for the grammar.
///
/// ```
/// use afterstate_arena::TimeControl;
/// use std::time::Duration;
/// let control: TimeControl = "5m+3x30s".parse().unwrap();
/// let thirty = Duration::from_secs(30);
/// assert_eq!(control, TimeControl::Japanese { main: 10 * thirty, periods: 3, period: thirty });
/// assert_eq!(control.to_string(), "5m+3x30s");
/// assert!("5 minutes".parse::<TimeControl>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TimeControl {
    /// No limit.
    #[default]
    None,
    /// So long for every move.
    PerMove(Duration),
    /// So many simulations for every move.
    Simulations(u64),
    /// So long for the whole game.
    SuddenDeath(Duration),
    /// Time for the game, and more after every move.
    Fischer {
        /// At the start.
        main: Duration,
        /// Added after every move.
        increment: Duration,
    },
    /// Main time, then periods that only a move longer than one uses up.
    Japanese {
        /// Before the first period.
        main: Duration,
        /// How many periods.
        periods: u32,
        /// Length of a period.
        period: Duration,
    },
    /// Main time, then some number of moves in every period.
    Canadian {
        /// Before the first period.
        main: Duration,
        /// Moves to be made in a period.
        stones: u32,
        /// Length of a period.
        period: Duration,
    },
}

/// Longer times count as this: longer than any game, and far from what overflows sums of durations.
pub const LONGEST: Duration = Duration::from_secs(1000 * 3600);

fn write_duration(f: &mut fmt::Formatter<'_>, duration: Duration) -> fmt::Result {
    match duration.as_millis() {
        0 => write!(f, "0s"),
        ms if ms % 3_600_000 == 0 => write!(f, "{}h", ms / 3_600_000),
        ms if ms % 60_000 == 0 => write!(f, "{}m", ms / 60_000),
        ms if ms % 1000 == 0 => write!(f, "{}s", ms / 1000),
        ms => write!(f, "{ms}ms"),
    }
}

/// Seconds are printed as `60s` after a slash or an `x`, so that periods look alike in every control.
fn write_seconds(f: &mut fmt::Formatter<'_>, duration: Duration) -> fmt::Result {
    match duration.as_millis() {
        ms if ms % 1000 == 0 => write!(f, "{}s", ms / 1000),
        ms => write!(f, "{ms}ms"),
    }
}

impl TimeControl {
    /// Whether there is no limit.
    ///
    /// ```
    /// use afterstate_arena::TimeControl;
    /// assert!(TimeControl::default().is_none() && !"1m+1s".parse::<TimeControl>().unwrap().is_none());
    /// ```
    pub fn is_none(&self) -> bool {
        matches!(self, TimeControl::None)
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TimeControl::None => write!(f, "none"),
            TimeControl::PerMove(time) => write_seconds(f, time).and_then(|()| write!(f, "/move")),
            TimeControl::Simulations(count) => write!(f, "{count}sims/move"),
            TimeControl::SuddenDeath(main) => write_duration(f, main),
            TimeControl::Fischer { main, increment } => {
                write_duration(f, main)?;
                write!(f, "+")?;
                write_seconds(f, increment)
            }
            TimeControl::Japanese { main, periods, period } => {
                write_duration(f, main)?;
                write!(f, "+{periods}x")?;
                write_seconds(f, period)
            }
            TimeControl::Canadian { main, stones, period } => {
                write_duration(f, main)?;
                write!(f, "+{stones}/")?;
                write_seconds(f, period)
            }
        }
    }
}

/// A duration of whole milliseconds, at most [`LONGEST`].
fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    if number.len() > 12 || !number.starts_with(|c: char| c.is_ascii_digit()) || number.ends_with('.') {
        return None;
    }
    let milliseconds = match unit {
        "ms" => 1.0,
        "s" => 1000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    } * number.parse::<f64>().ok()?;
    let rounded = milliseconds.round();
    if (milliseconds - rounded).abs() > 1e-6 {
        return None;
    }
    let duration = Duration::from_millis(rounded as u64);
    (duration <= LONGEST).then_some(duration)
}

fn parse_count(text: &str) -> Option<u32> {
    (text.len() <= 6 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
        .filter(|&n| n > 0)
}

fn parse_control(text: &str) -> Option<TimeControl> {
    if text == "none" {
        return Some(TimeControl::None);
    }
    let positive = |text: &str| parse_duration(text).filter(|duration| !duration.is_zero());
    if let Some(per_move) = text.strip_suffix("/move") {
        return match per_move.strip_suffix("sims") {
            Some(count) if !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit()) => {
                count.parse().ok().filter(|&n| n > 0).map(TimeControl::Simulations)
            }
            Some(_) => None,
            None => positive(per_move).map(TimeControl::PerMove),
        };
    }
    let Some((main, extra)) = text.split_once('+') else {
        return positive(text).map(TimeControl::SuddenDeath);
    };
    let main = parse_duration(main)?;
    if let Some((periods, period)) = extra.split_once('x') {
        Some(TimeControl::Japanese { main, periods: parse_count(periods)?, period: positive(period)? })
    } else if let Some((stones, period)) = extra.split_once('/') {
        Some(TimeControl::Canadian { main, stones: parse_count(stones)?, period: positive(period)? })
    } else {
        // Without main time there would be none at all for the first move.
        (!main.is_zero()).then_some(TimeControl::Fischer { main, increment: positive(extra)? })
    }
}

impl FromStr for TimeControl {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<Self, NotationError> {
        parse_control(text.trim()).ok_or_else(|| {
            NotationError::new(
                "time control",
                text,
                "none, 10s/move, 1000sims/move, 5m (sudden death), 5m+2s (Fischer), 5m+3x30s (Japanese) or 5m+10/60s (Canadian)",
            )
        })
    }
}

impl TryFrom<String> for TimeControl {
    type Error = NotationError;
    fn try_from(text: String) -> Result<Self, NotationError> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> String {
        control.to_string()
    }
}

/// A player used more time than it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagFall {
    /// How long the move took.
    pub used: Duration,
    /// How long it might have taken.
    pub allowed: Duration,
}

impl fmt::Display for FlagFall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "used {:.3} s, had {:.3} s", self.used.as_secs_f64(), self.allowed.as_secs_f64())
    }
}

/// One side's clock.
///
/// ```
/// use afterstate_arena::Clock;
/// use std::time::Duration;
/// let mut clock = Clock::new("1m+2s".parse().unwrap(), Duration::from_millis(100));
/// clock.spend(Duration::from_secs(10)).unwrap();
/// assert_eq!(clock.main_left(), Duration::from_secs(52));
/// assert!(clock.spend(Duration::from_secs(53)).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    lag: Duration,
    main: Duration,
    /// Japanese: periods left. Canadian: moves still to be made in this period.
    count: u32,
    /// Time left in this period, all of it before the first one.
    period: Duration,
    /// Fischer: increments fill the main time up to this.
    most_main: Duration,
    /// No move should take longer.
    longest_move: Option<Duration>,
}

impl Clock {
    /// A clock that has not run yet. `lag` is how far a move may exceed its time without losing: it
    /// covers what the machine adds to a player's thinking.
    pub fn new(control: TimeControl, lag: Duration) -> Clock {
        let (main, count, period) = match control {
            TimeControl::None | TimeControl::Simulations(_) | TimeControl::PerMove(_) => {
                (Duration::ZERO, 0, Duration::ZERO)
            }
            TimeControl::SuddenDeath(main) | TimeControl::Fischer { main, .. } => (main, 0, Duration::ZERO),
            TimeControl::Japanese { main, periods, period } => (main, periods, period),
            TimeControl::Canadian { main, stones, period } => (main, stones, period),
        };
        Clock { control, lag: lag.min(LONGEST), main, count, period, most_main: LONGEST, longest_move: None }
    }

    /// The same clock with two limits that few know: increments fill its main time up to `most_main` only, and no move
    /// should take longer than `longest_move`, though nobody loses by that.
    ///
    /// ```
    /// use afterstate_arena::Clock;
    /// use std::time::Duration;
    /// let clock = Clock::new("60s+30s".parse().unwrap(), Duration::ZERO);
    /// let mut capped = clock.capped(Some(Duration::from_secs(75)), Some(Duration::from_secs(20)));
    /// assert_eq!(capped.allowed(), Some(Duration::from_secs(20)));
    /// capped.spend(Duration::from_secs(10)).unwrap();
    /// assert_eq!(capped.main_left(), Duration::from_secs(75));
    /// ```
    pub fn capped(self, most_main: Option<Duration>, longest_move: Option<Duration>) -> Clock {
        Clock { most_main: most_main.map_or(LONGEST, |most| most.min(LONGEST)), longest_move, ..self }
    }

    /// Sets the clock to what a referee says is left: main time if `count` is 0, otherwise what is left
    /// of a byo-yomi period and the periods (Japanese) or moves (Canadian) still to go.
    ///
    /// ```
    /// use afterstate_arena::Clock;
    /// use std::time::Duration;
    /// let mut clock = Clock::new("5m+10/60s".parse().unwrap(), Duration::ZERO);
    /// clock.set_left(Duration::from_secs(20), 4);
    /// assert_eq!((clock.allowed(), clock.count_left()), (Some(Duration::from_secs(20)), 4));
    /// ```
    pub fn set_left(&mut self, left: Duration, count: u32) {
        let left = left.min(LONGEST);
        if count == 0 {
            self.main = left;
            return;
        }
        self.main = Duration::ZERO;
        match self.control {
            TimeControl::Canadian { .. } => (self.count, self.period) = (count, left),
            TimeControl::Japanese { period, .. } => (self.count, self.period) = (count, left.min(period)),
            _ => self.main = left,
        }
    }

    /// The rules this clock runs by.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Main time left.
    pub fn main_left(&self) -> Duration {
        self.main
    }

    /// Japanese periods left, or Canadian moves left in this period; 0 in other controls.
    pub fn count_left(&self) -> u32 {
        self.count
    }

    /// What is left of the current byo-yomi period, or of the first one before the main time has run out; zero in other controls.
    pub fn period_left(&self) -> Duration {
        self.period
    }

    /// How long the next move may take, lag not counted; `None` is for ever.
    pub fn allowed(&self) -> Option<Duration> {
        let until_flag = self.until_flag()?;
        Some(self.longest_move.map_or(until_flag, |longest| longest.min(until_flag)))
    }

    /// When the flag falls, lag not counted.
    fn until_flag(&self) -> Option<Duration> {
        match self.control {
            TimeControl::None | TimeControl::Simulations(_) => None,
            TimeControl::PerMove(time) => Some(time),
            TimeControl::SuddenDeath(_) | TimeControl::Fischer { .. } => Some(self.main),
            TimeControl::Japanese { period, .. } => {
                Some(self.main + self.period + period * self.count.saturating_sub(1))
            }
            TimeControl::Canadian { .. } => Some(self.main + self.period),
        }
    }

    /// When the flag falls, and the lag: whoever has not answered after this long has lost.
    pub fn flag_after(&self) -> Option<Duration> {
        self.until_flag().map(|allowed| allowed + self.lag)
    }

    /// How long to think about the next move: all of a time per move, most of a byo-yomi share, and
    /// otherwise a thirtieth of what is left, as if the game always had thirty moves to go.
    pub fn share(&self) -> Option<Duration> {
        let most = |time: Duration| time / 10 * 9;
        let share = match self.control {
            TimeControl::None | TimeControl::Simulations(_) => return None,
            TimeControl::PerMove(time) => time,
            TimeControl::SuddenDeath(_) => self.main / 30,
            TimeControl::Fischer { increment, .. } => (self.main / 30 + increment / 4 * 3).min(most(self.main)),
            TimeControl::Japanese { .. } => (self.main / 30).max(most(self.period)),
            TimeControl::Canadian { .. } => (self.main / 30).max(most(self.period / self.count.max(1))),
        };
        Some(self.longest_move.map_or(share, |longest| share.min(most(longest))))
    }

    /// The budget of a move that begins at `now`.
    pub fn budget(&self, now: Instant) -> Budget {
        let simulations = match self.control {
            TimeControl::Simulations(count) => Some(count),
            _ => None,
        };
        Budget { simulations, deadline: self.share().map(|share| now + share), ..Budget::default() }
    }

    /// The same clock in the middle of a move that has taken `used` so far.
    ///
    /// ```
    /// use afterstate_arena::Clock;
    /// use std::time::Duration;
    /// let seconds = |clock: &Clock| clock.allowed().unwrap().as_secs();
    /// let clock = Clock::new("5s+10/60s".parse().unwrap(), Duration::ZERO);
    /// let later = clock.running(Duration::from_secs(15));
    /// assert_eq!((seconds(&clock), seconds(&later), later.count_left()), (65, 50, 10));
    /// ```
    pub fn running(&self, used: Duration) -> Clock {
        let mut clock = self.clone();
        clock.longest_move = clock.longest_move.map(|longest| longest.saturating_sub(used));
        clock.main = self.main.saturating_sub(used);
        let mut over = used.saturating_sub(self.main);
        match self.control {
            TimeControl::PerMove(time) => clock.longest_move = Some(time.saturating_sub(used)),
            TimeControl::Japanese { period, .. } => {
                while clock.count > 1 && over > clock.period {
                    over -= clock.period;
                    (clock.count, clock.period) = (clock.count - 1, period);
                }
                clock.period = clock.period.saturating_sub(over);
            }
            TimeControl::Canadian { .. } => clock.period = clock.period.saturating_sub(over),
            TimeControl::None
            | TimeControl::Simulations(_)
            | TimeControl::SuddenDeath(_)
            | TimeControl::Fischer { .. } => {}
        }
        clock
    }

    /// The flag fell, and the game goes on all the same: with the last period, a new one or the next increment, or with nothing.
    ///
    /// ```
    /// use afterstate_arena::Clock;
    /// use std::time::Duration;
    /// let mut clock = Clock::new("0s+10/60s".parse().unwrap(), Duration::ZERO);
    /// assert!(clock.spend(Duration::from_secs(70)).is_err());
    /// clock.forgive();
    /// assert_eq!((clock.allowed(), clock.count_left()), (Some(Duration::from_secs(60)), 10));
    /// ```
    pub fn forgive(&mut self) {
        self.main = Duration::ZERO;
        match self.control {
            TimeControl::Fischer { increment, .. } => self.main = increment,
            TimeControl::Japanese { period, .. } => (self.count, self.period) = (1, period),
            TimeControl::Canadian { stones, period, .. } => (self.count, self.period) = (stones, period),
            _ => {}
        }
    }

    /// A move took `used`. After an error the clock is no longer meaningful, unless it is [forgiven](Clock::forgive).
    pub fn spend(&mut self, used: Duration) -> Result<(), FlagFall> {
        let Some(allowed) = self.until_flag() else { return Ok(()) };
        if used > allowed + self.lag {
            return Err(FlagFall { used, allowed });
        }
        // What the lag forgives counts as thinking right up to the limit.
        let used = used.min(allowed);
        let over = used.saturating_sub(self.main);
        match self.control {
            TimeControl::None | TimeControl::Simulations(_) | TimeControl::PerMove(_) => {}
            TimeControl::SuddenDeath(_) => self.main -= used,
            TimeControl::Fischer { increment, .. } => {
                // What the clock held before may be more, if a referee said so.
                self.main = (self.main - used + increment).min(self.most_main.max(self.main - used));
            }
            TimeControl::Japanese { period, .. } => {
                self.main = self.main.saturating_sub(used);
                let beyond = over.saturating_sub(self.period).as_nanos();
                let spent = u32::try_from(beyond.div_ceil(period.as_nanos())).unwrap_or(u32::MAX);
                self.count = self.count.saturating_sub(spent).max(1);
                // A move within a period gives it back.
                self.period = period;
            }
            TimeControl::Canadian { stones, period, .. } => {
                let in_period = self.main.is_zero() || !over.is_zero();
                self.main = self.main.saturating_sub(used);
                if in_period {
                    self.period -= over;
                    self.count -= 1;
                    if self.count == 0 {
                        (self.count, self.period) = (stones, period);
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
