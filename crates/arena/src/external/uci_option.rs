//! [`UciOption`]: what a UCI engine says of an option, and whether a value is one of its.
//!
//! Engines mostly say nothing of values that they do not know, and play on as they were: games would be under a wrong name.

use super::engine::shown;

/// An option that an engine has told of.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct UciOption {
    pub name: String,
    takes: Takes,
}

/// Which values an option takes.
#[derive(Clone, PartialEq, Debug)]
enum Takes {
    /// `spin`: whole numbers from the one to the other.
    Numbers(i64, i64),
    /// `check`
    Switch,
    /// `combo`
    OneOf(Vec<String>),
    /// Everything else, and what is told in another way than UCI has it.
    Anything,
}

impl UciOption {
    /// Reads a line such as `option name Skill Level type spin default 20 min 0 max 20`.
    pub fn read(line: &str) -> Option<UciOption> {
        let rest = line.strip_prefix("option")?.trim_start().strip_prefix("name ")?;
        let (name, kind) = rest.split_once(" type ").unwrap_or((rest, ""));
        let number = |key: &str| {
            let mut words = kind.split_whitespace().skip_while(|word| *word != key);
            words.nth(1)?.parse::<i64>().ok()
        };
        let takes = match (kind.split_whitespace().next(), number("min"), number("max")) {
            (Some("spin"), Some(min), Some(max)) => Takes::Numbers(min, max),
            (Some("check"), ..) => Takes::Switch,
            (Some("combo"), ..) => {
                Takes::OneOf(kind.split(" var ").skip(1).map(|var| var.trim().to_string()).collect())
            }
            _ => Takes::Anything,
        };
        Some(UciOption { name: name.trim().chars().take(80).collect(), takes })
    }

    /// What was expected, if `value` is none that the option takes.
    pub fn refuses(&self, value: &str) -> Option<String> {
        let is = |known: &str| known.eq_ignore_ascii_case(value);
        match &self.takes {
            Takes::Numbers(min, max) => {
                let is_good = value.parse().is_ok_and(|value| (*min..=*max).contains(&value));
                (!is_good).then(|| format!("a whole number from {min} to {max}"))
            }
            Takes::Switch => (!is("true") && !is("false")).then(|| "true or false".to_string()),
            Takes::OneOf(values) => {
                let is_good = values.is_empty() || values.iter().any(|known| is(known));
                (!is_good).then(|| format!("one of {}", shown(&values.join(", "))))
            }
            Takes::Anything => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_say_which_values_they_take() {
        let read = |line: &str| UciOption::read(line).unwrap();
        let level = read("option name Skill Level type spin default 20 min 0 max 20");
        assert_eq!(level.name, "Skill Level");
        assert_eq!((level.refuses("0"), level.refuses("20")), (None, None));
        for wrong in ["21", "-1", "", "much", "1.5"] {
            assert_eq!(level.refuses(wrong).as_deref(), Some("a whole number from 0 to 20"), "{wrong}");
        }
        let ponder = read("option name Ponder type check default false");
        assert_eq!((ponder.refuses("True"), ponder.refuses("maybe").as_deref()), (None, Some("true or false")));
        let style = read("option name Style type combo default Very solid var Very solid var Risky");
        assert_eq!((style.refuses("very solid"), style.refuses("Risky")), (None, None));
        assert_eq!(style.refuses("solid").as_deref(), Some("one of Very solid, Risky"));
        // A spin without its ends, a button, a text, and what is no type at all.
        for line in ["Hash type spin default 16", "Clear Hash type button", "Path type string default <empty>", "X"] {
            assert_eq!(read(&format!("option name {line}")).refuses("anything"), None);
        }
        assert_eq!(read("option name Clear Hash type button").name, "Clear Hash");
        assert_eq!(UciOption::read("id name X"), None);
    }
}
