//! The settings of one agent as text, from a spec or a file, and their typed reading.

use super::catalogue::{KINDS, Kind, did_you_mean, kind};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;
use toml::de::{DeTable, DeValue};

/// What kinds of agents call the same thing, each in the words of its own field.
const SAME: [&[&str]; 3] = [
    &["simulations", "iterations", "nodes"],
    &["first-play-urgency", "first-play"],
    &["exploration", "cpuct", "c-puct"],
];

/// The one of `names` by which what others call `key` goes.
fn called_otherwise<'a>(key: &str, names: &[&'a str]) -> Option<&'a str> {
    let same = SAME.into_iter().find(|same| same.contains(&key))?;
    names.iter().copied().find(|name| same.contains(name) && *name != key)
}

/// What was given, checked against the names of the kind's settings.
pub struct Settings {
    kind: &'static Kind,
    /// Where they come from, for messages: `agent '…'` or a file's name.
    source: String,
    values: BTreeMap<&'static str, String>,
}

impl Settings {
    /// Reads `kind:main,key=value,…`. Values with commas stand in double quotes.
    pub fn from_spec(text: &str) -> Result<Settings> {
        let source = format!("agent '{text}'");
        let (head, rest) = match text.find([':', ',']) {
            Some(at) => (&text[..at], &text[at..]),
            None => (text, ""),
        };
        let kind = kind(head).ok_or_else(|| anyhow!("{source}: unknown kind '{head}'"))?;
        let mut settings = Settings { kind, source, values: BTreeMap::new() };
        let (main, rest) = match rest.strip_prefix(':') {
            Some(rest) => (true, rest),
            None => (false, rest.strip_prefix(',').unwrap_or(rest)),
        };
        if rest.is_empty() && !main {
            return Ok(settings);
        }
        for (i, part) in split(rest).with_context(|| settings.source.clone())?.into_iter().enumerate() {
            let assigned = part.split_once('=').filter(|_| !(main && i == 0 && settings.is_main(&part)));
            match assigned {
                Some((key, value)) if value.trim().is_empty() => {
                    bail!("{}: '{}=': expected a value, or leave {} out", settings.source, key.trim(), key.trim())
                }
                Some((key, value)) => settings.insert(key.trim(), unquoted(value.trim()))?,
                None if main && i == 0 => {
                    let name = settings.kind.main.ok_or_else(|| {
                        anyhow!("{}: {} takes nothing behind a colon", settings.source, settings.kind.name)
                    })?;
                    settings.insert(name, unquoted(part.trim()))?;
                }
                None => bail!("{}: '{part}': expected key=value (quote values with commas)", settings.source),
            }
        }
        Ok(settings)
    }

    /// Whether the first part behind the colon is the main setting's value although it contains `=`.
    fn is_main(&self, part: &str) -> bool {
        let is_other = |key: &str| {
            let names: Vec<&str> = self.kind.settings.iter().map(|setting| setting.name).collect();
            called_otherwise(key, &names).is_some()
        };
        part.split_once('=').is_none_or(|(key, _)| self.kind.setting(key.trim()).is_none() && !is_other(key.trim()))
    }

    /// Reads a TOML file; the second result is its `name`.
    pub fn from_file(path: &Path) -> Result<(Settings, Option<String>)> {
        let file = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("agent file {file}"))?;
        let line = |span: Range<usize>| 1 + text[..span.start.min(text.len())].matches('\n').count();
        let table = DeTable::parse(&text).map_err(|error| {
            anyhow!("{file}:{}: {}", error.span().map_or(1, line), error.message().replace('\n', "; "))
        })?;
        let mut given = Vec::new();
        for (key, value) in table.get_ref() {
            let number = line(key.span());
            let scalar = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(_) | DeValue::Float(_) => text[value.span()].replace('_', ""),
                DeValue::Boolean(value) => value.to_string(),
                _ => bail!("{file}:{number}: {}: expected a text or a number", key.get_ref()),
            };
            given.push((number, key.get_ref().to_string(), scalar));
        }
        let mut take = |name: &str| given.iter().position(|(_, key, _)| key == name).map(|i| given.remove(i));
        let name = take("name").map(|(_, _, name)| name);
        let kinds = || KINDS.iter().map(|kind| kind.name);
        let (number, _, head) = take("agent").ok_or_else(|| {
            anyhow!(
                "{file}: 'agent' is missing: expected agent = \"…\" with {}",
                kinds().collect::<Vec<_>>().join(", ")
            )
        })?;
        let kind = kind(&head).ok_or_else(|| {
            anyhow!(
                "{file}:{number}: agent '{head}': expected {}{}",
                kinds().collect::<Vec<_>>().join(", "),
                did_you_mean(&head, kinds())
            )
        })?;
        let mut settings = Settings { kind, source: String::new(), values: BTreeMap::new() };
        for (number, key, value) in given {
            settings.source = format!("{file}:{number}");
            settings.insert(&key, value)?;
        }
        settings.source = file.to_string();
        Ok((settings, name))
    }

    /// The kind of agent.
    pub fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// Where the settings come from, for messages.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether a setting was given, so that its default does not hold.
    pub fn is_given(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    fn insert(&mut self, key: &str, value: String) -> Result<()> {
        let names: Vec<&str> = self.kind.settings.iter().map(|setting| setting.name).collect();
        let Some(setting) = self.kind.setting(key) else {
            let have = match called_otherwise(key, &names) {
                _ if names.is_empty() => format!("{} has no settings", self.kind.name),
                Some(name) => format!("{} calls it '{name}'", self.kind.name),
                None => {
                    format!("{} has {}{}", self.kind.name, names.join(", "), did_you_mean(key, names.iter().copied()))
                }
            };
            bail!("{}: unknown setting '{key}': {have}", self.source);
        };
        if self.values.insert(setting.name, value).is_some() {
            bail!("{}: '{key}' is given twice", self.source);
        }
        Ok(())
    }

    /// A setting's text, or its default's.
    pub fn text(&mut self, key: &str) -> Result<String> {
        let setting = self.kind.setting(key).expect("only listed settings are read");
        let value = self.values.get(setting.name).cloned().filter(|value| !value.is_empty());
        match (value, setting.default) {
            (Some(value), _) => Ok(value),
            (None, Some(default)) => Ok(default.to_string()),
            (None, None) => bail!(
                "{}: '{key}' is missing: expected {}, as in '{}'",
                self.source,
                setting.meaning,
                self.kind.example
            ),
        }
    }

    /// A number between `low` and `high`.
    pub fn number(&mut self, key: &str, low: f64, high: f64) -> Result<f64> {
        let text = self.text(key)?;
        let number = text.parse::<f64>().ok().filter(|number| (low..=high).contains(number));
        number.ok_or_else(|| anyhow!("{}: {key} '{text}': expected a number from {low} to {high}", self.source))
    }

    /// A whole number between `low` and `high`.
    pub fn whole(&mut self, key: &str, low: u64, high: u64) -> Result<u64> {
        let text = self.text(key)?;
        let number = text.parse::<u64>().ok().filter(|number| (low..=high).contains(number));
        number.ok_or_else(|| anyhow!("{}: {key} '{text}': expected a whole number from {low} to {high}", self.source))
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &str) -> Result<bool> {
        self.choice(key, &[("true", true), ("false", false)])
    }

    /// One of some words, each with what it stands for.
    pub fn choice<T: Clone>(&mut self, key: &str, choices: &[(&str, T)]) -> Result<T> {
        let text = self.text(key)?;
        if let Some((_, chosen)) = choices.iter().find(|(word, _)| *word == text) {
            return Ok(chosen.clone());
        }
        let words: Vec<&str> = choices.iter().map(|&(word, _)| word).collect();
        bail!(
            "{}: {key} '{text}': expected {}{}",
            self.source,
            words.join(", "),
            did_you_mean(&text, words.iter().copied())
        )
    }

    /// A duration: `30s`, `1500ms`, `2m`, or seconds without a unit.
    pub fn duration(&mut self, key: &str) -> Result<Duration> {
        let text = self.text(key)?;
        parse_duration(&text).ok_or_else(|| {
            anyhow!("{}: {key} '{text}': expected a time such as 30s, 1500ms or 2m, at most a day", self.source)
        })
    }
}

/// `30s`, `1500ms`, `2m`, `1h`, or seconds without a unit; positive and at most a day.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let factor = match unit.trim() {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let seconds = number.parse::<f64>().ok()? * factor;
    (seconds > 0.0 && seconds <= 86_400.0).then(|| Duration::from_secs_f64(seconds))
}

/// Splits at commas outside double quotes; the quotes stay.
fn split(text: &str) -> Result<Vec<String>> {
    let mut parts = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && !escaped;
        match c {
            ',' if !quoted => parts.push(String::new()),
            _ => parts.last_mut().expect("never empty").push(c),
        }
    }
    if quoted {
        bail!("a double quote is not closed");
    }
    Ok(parts)
}

/// Without the double quotes around the whole text, if there are any.
fn unquoted(text: &str) -> String {
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inside) => inside.replace("\\\"", "\""),
        None => text.to_string(),
    }
}
