//! Options: what a GUI may set, and the session's own.

use super::command::quote;
use super::strength::Strengths;
use std::fmt;
use std::time::Duration;

/// An option as a GUI shows it.
///
/// ```
/// use afterstate_protocols::uci::{OptionKind, UciOption};
/// let hash = UciOption::new("Hash", OptionKind::Spin { default: 16, min: 1, max: 1024 });
/// assert_eq!(hash.to_string(), "option name Hash type spin default 16 min 1 max 1024");
/// assert!(hash.read("64").is_ok() && hash.read("0").is_err() && hash.read("many").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UciOption {
    /// As GUIs write it; upper and lower case do not matter.
    pub name: String,
    /// What values it has.
    pub kind: OptionKind,
}

/// What values an option has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Yes or no.
    Check {
        /// At the start.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// At the start.
        default: i64,
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// At the start.
        default: String,
        /// All of them.
        choices: Vec<String>,
    },
    /// Something to be done.
    Button,
    /// Any text.
    Text {
        /// At the start.
        default: String,
    },
}

impl UciOption {
    /// An option of this kind.
    pub fn new(name: impl Into<String>, kind: OptionKind) -> UciOption {
        UciOption { name: name.into(), kind }
    }

    /// The value that somebody wrote, in the form that [`Thinker::set_option`](super::Thinker::set_option) gets.
    ///
    /// # Errors
    ///
    /// What was expected instead.
    pub fn read(&self, text: &str) -> Result<String, String> {
        let error = |expected: String| Err(format!("option {}: '{}': expected {expected}", self.name, quote(text)));
        match &self.kind {
            OptionKind::Check { .. } => match text.to_ascii_lowercase().as_str() {
                value @ ("true" | "false") => Ok(value.to_owned()),
                _ => error("true or false".into()),
            },
            OptionKind::Spin { min, max, .. } => match text.parse::<i64>() {
                Ok(value) if (*min..=*max).contains(&value) => Ok(value.to_string()),
                _ => error(format!("a whole number from {min} to {max}")),
            },
            OptionKind::Combo { choices, .. } => {
                match choices.iter().find(|choice| choice.eq_ignore_ascii_case(text)) {
                    Some(choice) => Ok(choice.clone()),
                    None => error(choices.join(", ")),
                }
            }
            OptionKind::Button => Ok(String::new()),
            // How the protocol writes a text without letters.
            OptionKind::Text { .. } => Ok(if text == "<empty>" { String::new() } else { text.to_owned() }),
        }
    }
}

/// As the answer to `uci` lists it.
impl fmt::Display for UciOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => write!(f, "spin default {default} min {min} max {max}"),
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::Button => write!(f, "button"),
            OptionKind::Text { default } if default.is_empty() => write!(f, "string default <empty>"),
            OptionKind::Text { default } => write!(f, "string default {default}"),
        }
    }
}

/// The session's own options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub chess960: bool,
    pub show_wdl: bool,
    pub limit_strength: bool,
    pub elo: u32,
    pub analyse: bool,
    pub overhead: Duration,
}

/// Two processes that wake each other up on a busy machine take some milliseconds.
const OVERHEAD_MS: u32 = 30;

impl Settings {
    /// Those at the start.
    pub fn new(strengths: &Strengths) -> Settings {
        Settings {
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: *strengths.range().end(),
            analyse: false,
            overhead: Duration::from_millis(OVERHEAD_MS.into()),
        }
    }

    /// All of them, as a GUI shows them.
    pub fn options(strengths: &Strengths) -> Vec<UciOption> {
        let check = |name: &str| UciOption::new(name, OptionKind::Check { default: false });
        let spin = |name: &str, default: u32, min: u32, max: u32| {
            let kind = OptionKind::Spin { default: default.into(), min: min.into(), max: max.into() };
            UciOption::new(name, kind)
        };
        let (least, most) = (*strengths.range().start(), *strengths.range().end());
        vec![
            check("Ponder"),
            check("UCI_Chess960"),
            check("UCI_ShowWDL"),
            check("UCI_AnalyseMode"),
            check("UCI_LimitStrength"),
            spin("UCI_Elo", most, least, most),
            spin("Move Overhead", OVERHEAD_MS, 0, 5000),
        ]
    }

    /// Sets one of them to what [`UciOption::read`] returned.
    pub fn set(&mut self, name: &str, value: &str) {
        let yes = value == "true";
        let number = value.parse().unwrap_or_default();
        match name {
            "UCI_Chess960" => self.chess960 = yes,
            "UCI_ShowWDL" => self.show_wdl = yes,
            "UCI_AnalyseMode" => self.analyse = yes,
            "UCI_LimitStrength" => self.limit_strength = yes,
            "UCI_Elo" => self.elo = number,
            "Move Overhead" => self.overhead = Duration::from_millis(number.into()),
            // Ponder tells what the GUI means to do; nothing follows from it here.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_checked() {
        let combo = OptionKind::Combo { default: "Solid".into(), choices: vec!["Solid".into(), "Risky".into()] };
        for (kind, text, value) in [
            (OptionKind::Check { default: true }, "TRUE", Ok("true")),
            (OptionKind::Check { default: true }, "yes", Err("true or false")),
            (OptionKind::Spin { default: 1, min: -5, max: 5 }, "-5", Ok("-5")),
            (OptionKind::Spin { default: 1, min: -5, max: 5 }, "+5", Ok("5")),
            (OptionKind::Spin { default: 1, min: -5, max: 5 }, "6", Err("-5 to 5")),
            (OptionKind::Spin { default: 1, min: -5, max: 5 }, "99999999999999999999", Err("-5 to 5")),
            (OptionKind::Spin { default: 1, min: -5, max: 5 }, "", Err("'': expected")),
            (combo.clone(), "risky", Ok("Risky")),
            (combo, "bold", Err("Solid, Risky")),
            (OptionKind::Button, "whatever", Ok("")),
            (OptionKind::Text { default: String::new() }, "<empty>", Ok("")),
            (OptionKind::Text { default: String::new() }, "C:\\some where", Ok("C:\\some where")),
        ] {
            let read = UciOption::new("Some Name", kind).read(text);
            match value {
                Ok(value) => assert_eq!(read.as_deref(), Ok(value)),
                Err(part) => {
                    let error = read.unwrap_err();
                    assert!(error.starts_with("option Some Name: '") && error.contains(part), "{error}");
                }
            }
        }
    }

    #[test]
    fn options_are_written_as_the_protocol_says() {
        let combo = OptionKind::Combo { default: "Solid".into(), choices: vec!["Solid".into(), "Risky".into()] };
        for (kind, text) in [
            (OptionKind::Check { default: true }, "check default true"),
            (combo, "combo default Solid var Solid var Risky"),
            (OptionKind::Button, "button"),
            (OptionKind::Text { default: String::new() }, "string default <empty>"),
            (OptionKind::Text { default: "a b".into() }, "string default a b"),
        ] {
            assert_eq!(UciOption::new("N", kind).to_string(), format!("option name N type {text}"));
        }
    }

    #[test]
    fn defaults_that_are_shown_are_those_that_hold() {
        let strengths = Strengths::default();
        let mut settings = Settings::new(&strengths);
        for option in Settings::options(&strengths) {
            match option.kind {
                OptionKind::Check { default } => settings.set(&option.name, &default.to_string()),
                OptionKind::Spin { default, min, max } => {
                    assert!((min..=max).contains(&default));
                    settings.set(&option.name, &default.to_string());
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(settings, Settings::new(&strengths));
    }

    #[test]
    fn every_option_that_does_something_does_it() {
        let strengths = Strengths::default();
        for option in Settings::options(&strengths).iter().filter(|option| option.name != "Ponder") {
            let mut settings = Settings::new(&strengths);
            settings.set(&option.name, if matches!(option.kind, OptionKind::Check { .. }) { "true" } else { "1234" });
            assert_ne!(settings, Settings::new(&strengths), "{}", option.name);
        }
    }
}
