//! [`Template`]: an agent with some of its numbers left open.

use afterstate_arena::spsa::TunedNumber;
use afterstate_games::Rng;
use afterstate_games::rng::unit;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// A number that is left open.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// What stands before it.
    pub name: String,
    /// Digits behind the point that it is written with; 0: it is a whole number.
    pub decimals: usize,
    /// Where it begins and how it is changed.
    pub number: TunedNumber,
}

/// A spec in which `{START:STEP}` or `{START:STEP:LEAST:MOST}` stands for each number that is open.
#[derive(Clone, PartialEq, Debug)]
pub struct Template {
    /// What stands before the first of them, between them, and behind the last one.
    texts: Vec<String>,
    /// The numbers.
    pub open: Vec<Open>,
}

impl Template {
    /// Reads it.
    pub fn parse(spec: &str) -> Result<Template> {
        let (mut texts, mut open, mut rest) = (Vec::new(), Vec::new(), spec);
        while let Some((before, behind)) = rest.split_once('{') {
            let (inside, behind) =
                behind.split_once('}').with_context(|| format!("'{{{behind}': expected a '}}' behind it"))?;
            let named = before.trim_end_matches([' ', '=']);
            let name =
                named.rsplit(|c: char| !c.is_ascii_alphanumeric() && !" -_.".contains(c)).next().unwrap_or_default();
            let mut name = name.trim().to_string();
            if name.is_empty() || open.iter().any(|other: &Open| other.name == name) {
                name = format!("{name}#{}", open.len() + 1);
            }
            open.push(Open::parse(name, inside).with_context(|| format!("'{{{inside}}}'"))?);
            texts.push(before.to_string());
            rest = behind;
        }
        texts.push(rest.to_string());
        ensure!(
            !open.is_empty(),
            "expected {{START:STEP}} in place of each number to tune, as in uct:1000,exploration={{0.5:0.1}}"
        );
        Ok(Template { texts, open })
    }

    /// The spec with these numbers. A whole number is rounded up or down by chance, as often as makes its mean right, or, without, to
    /// the nearest.
    pub fn fill(&self, values: &[f64], mut chance: Option<&mut Rng>) -> String {
        let mut spec = self.texts[0].clone();
        for ((open, value), behind) in self.open.iter().zip(values).zip(&self.texts[1..]) {
            let value = match &mut chance {
                Some(rng) if open.decimals == 0 => (value + f64::from(unit(rng))).floor(),
                _ => *value,
            };
            spec += &open.text(value);
            spec += behind;
        }
        spec
    }
}

impl Open {
    fn parse(name: String, text: &str) -> Result<Open> {
        let parts: Vec<&str> = text.split(':').map(str::trim).collect();
        ensure!(matches!(parts.len(), 2 | 4), "expected START:STEP or START:STEP:LEAST:MOST");
        let number = |part: &str| -> Result<f64> {
            // How it is written says how many decimals the number has in games.
            let value: Option<f64> =
                part.parse().ok().filter(|value: &f64| value.is_finite() && !part.contains(['e', 'E']));
            let value = value.with_context(|| format!("'{part}': expected a number such as 25 or 0.05"))?;
            Ok(value)
        };
        let (start, step) = (number(parts[0])?, number(parts[1])?);
        let (least, most) = match parts[2..] {
            [least, most] => (number(least)?, number(most)?),
            // Nothing that agents count is negative unless it says so itself.
            _ if start >= 0.0 => (0.0, f64::MAX),
            _ => (f64::MIN, 0.0),
        };
        ensure!(step > 0.0, "the step, {step}, must be above 0");
        ensure!(least <= start && start <= most, "{start} must lie between {least} and {most}");
        let behind_the_point = |part: &str| part.split_once('.').map_or(0, |(_, behind)| behind.len() + 2);
        let decimals = behind_the_point(parts[0]).max(behind_the_point(parts[1])).min(12);
        Ok(Open { name, decimals, number: TunedNumber { start, step, least, most } })
    }

    /// A value as it is written.
    pub fn text(&self, value: f64) -> String {
        format!("{value:.*}", self.decimals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::stream;

    #[test]
    fn numbers_in_braces_are_open() {
        let spec = "tournament-search:runs/a,nodes=5000,tunables=delta={150:25}+late-moves={3072:500:1:9000},error={0.05:0.01}";
        let template = Template::parse(spec).unwrap();
        let names: Vec<&str> = template.open.iter().map(|open| &open.name[..]).collect();
        assert_eq!(names, ["delta", "late-moves", "error"]);
        assert_eq!(template.open[1].number, TunedNumber { start: 3072.0, step: 500.0, least: 1.0, most: 9000.0 });
        assert_eq!(template.open[0].number.least, 0.0);
        assert_eq!(
            template.fill(&[149.6, 3000.4, 0.051_27], None),
            "tournament-search:runs/a,nodes=5000,tunables=delta=150+late-moves=3000,error=0.0513"
        );
    }

    #[test]
    fn whole_numbers_are_rounded_by_chance_to_the_right_mean() {
        let template = Template::parse("{10:1}").unwrap();
        assert_eq!(template.open[0].name, "#1");
        let mut rng = stream(1, 0);
        let rounded: Vec<String> = (0..4_000).map(|_| template.fill(&[9.25], Some(&mut rng))).collect();
        let tens = rounded.iter().filter(|text| *text == "10").count();
        assert!(rounded.iter().all(|text| text == "9" || text == "10") && (900..1_100).contains(&tens), "{tens}");
    }

    #[test]
    fn options_of_external_programs_are_numbers_like_others() {
        let template = Template::parse("uci:engine,options=\"Null Move={3:1}+Null Move={-4:1}\"").unwrap();
        let names: Vec<&str> = template.open.iter().map(|open| &open.name[..]).collect();
        assert_eq!(names, ["Null Move", "Null Move#2"]);
        assert_eq!(template.open[1].number.most, 0.0);
        assert_eq!(template.fill(&[2.0, -5.0], None), "uci:engine,options=\"Null Move=2+Null Move=-5\"");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (spec, expected) in [
            ("uct:1000", "expected {START:STEP}"),
            ("uct:{1000", "expected a '}'"),
            ("uct:{1000}", "START:STEP or"),
            ("uct:{1000:x}", "'x': expected a number"),
            ("uct:{1000:inf}", "'inf': expected a number"),
            ("uct:{1000:0}", "must be above 0"),
            ("uct:{1000:10:1:500}", "must lie between 1 and 500"),
            ("uct:{1000:10:1}", "START:STEP or"),
        ] {
            let error = format!("{:#}", Template::parse(spec).unwrap_err());
            assert!(error.contains(expected), "{spec}: {error}");
        }
    }
}
