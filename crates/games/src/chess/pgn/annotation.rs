//! What programs write into comments: `[%eval 0.35]`, `[%eval #-3]`, `[%clk 0:01:30]`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What a program thinks of a position, as White sees it.
///
/// ```
/// use afterstate_games::chess::pgn::Evaluation;
/// assert_eq!("-1.25".parse(), Ok(Evaluation::Centipawns(-125)));
/// assert_eq!("#-3".parse::<Evaluation>().map(|mate| mate.to_string()), Ok("#-3".to_string()));
/// assert!("much".parse::<Evaluation>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// Checkmate in so many moves, by Black if negative.
    Mate(i32),
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evaluation::Centipawns(hundredths) => write!(f, "{:.2}", f64::from(*hundredths) / 100.0),
            Evaluation::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

impl FromStr for Evaluation {
    /// What would have been right.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "pawns such as -0.35, or # and moves to mate";
        match text.strip_prefix('#') {
            Some(moves) => moves.parse().map(Evaluation::Mate).map_err(|_| EXPECTED),
            None => {
                let pawns: f64 = text.parse().map_err(|_| EXPECTED)?;
                // Beyond ten million pawns nobody can mean it.
                if pawns.abs() <= 1e7 {
                    Ok(Evaluation::Centipawns((100.0 * pawns).round() as i32))
                } else {
                    Err(EXPECTED)
                }
            }
        }
    }
}

/// A clock as `[%clk …]` has it: hours, minutes and seconds.
pub(super) fn clock_text(clock: Duration) -> String {
    let (seconds, millis) = (clock.as_secs(), clock.subsec_millis());
    let fraction = if millis > 0 { format!(".{millis:03}") } else { String::new() };
    let fraction = fraction.trim_end_matches('0');
    format!("{}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn parse_clock(text: &str) -> Option<Duration> {
    let mut parts = text.splitn(3, ':');
    let (hours, minutes): (u32, u32) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let seconds: f64 = parts.next()?.parse().ok()?;
    let whole = 3600 * u64::from(hours) + 60 * u64::from(minutes);
    Duration::from_secs(whole).checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

/// A comment without the commands that are understood, and these.
pub(super) fn take_apart(comment: &str) -> (String, Option<Evaluation>, Option<Duration>) {
    let (mut text, mut evaluation, mut clock) = (String::new(), None, None);
    let mut rest = comment;
    while let Some(at) = rest.find("[%") {
        let Some(end) = rest[at..].find(']') else { break };
        let inside = &rest[at + 2..at + end];
        let (name, value) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        // Some programs add the depth after a comma.
        let value = value.trim().split(',').next().unwrap_or("").trim();
        let understood = match name {
            "eval" => value.parse().map(|value| evaluation = Some(value)).is_ok(),
            "clk" => parse_clock(value).map(|value| clock = Some(value)).is_some(),
            _ => false,
        };
        text += &rest[..at];
        if !understood {
            text += &rest[at..=at + end];
        }
        rest = &rest[at + end + 1..];
    }
    text += rest;
    (text.split_whitespace().collect::<Vec<_>>().join(" "), evaluation, clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_taken_out_of_comments_and_others_stay() {
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        for (comment, text, evaluation, clock) in [
            ("plain", "plain", None, None),
            (" [%eval 0.17] [%clk 0:00:30] good\n move ", "good move", Some(Evaluation::Centipawns(17)), seconds(30.0)),
            ("[%eval #-12,24]", "", Some(Evaluation::Mate(-12)), None),
            ("[%clk 1:02:03.5]x", "x", None, seconds(3723.5)),
            ("[%csl Ga1] [%eval odd]", "[%csl Ga1] [%eval odd]", None, None),
            ("[%eval 1", "[%eval 1", None, None),
            ("[%clk 1:99999999999:1]", "[%clk 1:99999999999:1]", None, None),
            ("[%clk 4294967295:0:18446744073709549568]", "[%clk 4294967295:0:18446744073709549568]", None, None),
        ] {
            assert_eq!(take_apart(comment), (text.to_string(), evaluation, clock), "{comment}");
        }
        assert_eq!(clock_text(Duration::from_millis(3_723_500)), "1:02:03.5");
    }
}
