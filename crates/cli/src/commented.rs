//! [`commented()`]: settings as TOML in which every key is explained, by the comments of the code that reads it.

use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Comments are broken before this column.
const WIDTH: usize = 100;

/// What one key means.
#[derive(Serialize)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// What is said of it.
    pub meaning: String,
    /// Its usual value as TOML, if there is one.
    pub usual: Option<String>,
}

/// All keys of settings, in the order of their declaration, values before tables.
pub fn keys<T: Serialize + JsonSchema>(usual: &T) -> Result<Vec<Key>> {
    let page = Page::of(usual)?;
    let value = serde_json::to_value(usual)?;
    let all = value.as_object().context("settings are an object")?;
    let named = page.in_order("", all).into_iter().map(|name| {
        let meaning = page.property(&page.schema, name, all).map(|property| page.meaning(property));
        Key { name: name.clone(), meaning: meaning.unwrap_or_default(), usual: text_of(&all[name]) }
    });
    Ok(named.collect())
}

/// A file with all that is usual, each key with its meaning before it; what is usually not said is in comments.
pub fn commented<T: Serialize + JsonSchema>(usual: &T) -> Result<String> {
    let page = Page::of(usual)?;
    let mut out = String::new();
    remark(&mut out, &page.meaning(&page.schema));
    out.push('\n');
    let value = serde_json::to_value(usual)?;
    page.table(&mut out, "", &page.schema, value.as_object().context("settings are a table")?);
    Ok(out)
}

struct Page {
    schema: Value,
    /// The keys of each table in the order of their declaration.
    order: BTreeMap<String, Vec<String>>,
}

impl Page {
    fn of<T: Serialize + JsonSchema>(usual: &T) -> Result<Page> {
        let mut order: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut path = String::new();
        // Values come before tables here, as they have to in such a file.
        for line in toml::to_string(usual)?.lines() {
            if let Some(table) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                path = table.to_string();
                let (parent, name) = path.rsplit_once('.').unwrap_or(("", &path));
                order.entry(parent.to_string()).or_default().push(name.to_string());
            } else if let Some((key, _)) = line.split_once(" = ") {
                order.entry(path.clone()).or_default().push(key.to_string());
            }
        }
        Ok(Page { schema: schemars::schema_for!(T).to_value(), order })
    }

    /// The names of a table, those first whose order is known.
    fn in_order<'a>(&self, path: &str, table: &'a Map<String, Value>) -> Vec<&'a String> {
        let known = self.order.get(path).map_or(&[][..], |known| known);
        let mut names: Vec<&String> = table.keys().collect();
        names.sort_by_key(|&name| known.iter().position(|other| other == name).unwrap_or(usize::MAX));
        names
    }

    /// Follows references.
    fn resolved<'a>(&'a self, node: &'a Value) -> &'a Value {
        let mut node = node;
        while let Some(name) = node["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            node = &self.schema["$defs"][name];
        }
        node
    }

    /// What a node consists of: itself, what it refers to, and of its alternatives those that `table` may be.
    fn parts<'a>(&'a self, node: &'a Value, table: &Map<String, Value>) -> Vec<&'a Value> {
        let mut parts = vec![node];
        if node.get("$ref").is_some() {
            parts.extend(self.parts(self.resolved(node), table));
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            let alternatives = node[key].as_array().into_iter().flatten();
            for part in alternatives.filter(|&part| tag(part).is_none_or(|(tag, is)| table.get(tag) == Some(is))) {
                parts.extend(self.parts(part, table));
            }
        }
        parts
    }

    fn property<'a>(&'a self, node: &'a Value, name: &str, table: &Map<String, Value>) -> Option<&'a Value> {
        self.parts(node, table).into_iter().find_map(|part| part["properties"].get(name))
    }

    /// Its own description, or that of what it refers to, and what words stand for.
    fn meaning(&self, node: &Value) -> String {
        let parts = self.parts(node, &Map::new());
        let described = parts.iter().find_map(|part| part["description"].as_str()).unwrap_or_default();
        let mut meaning = plain(described);
        let words = parts.iter().flat_map(|part| part["oneOf"].as_array().into_iter().flatten());
        for word in words.filter(|word| word.get("const").is_some()) {
            let (name, means) = (&word["const"], plain(word["description"].as_str().unwrap_or_default()));
            meaning += &format!("\n{name}: {means}");
        }
        meaning
    }

    /// The keys of a table with their meanings: values, what is usually not said, tables.
    fn table(&self, out: &mut String, path: &str, node: &Value, table: &Map<String, Value>) {
        let (tables, values): (Vec<_>, Vec<_>) = self
            .in_order(path, table)
            .into_iter()
            .filter(|&name| !table[name].is_null())
            .partition(|&name| table[name].is_object());
        for name in values {
            remark(out, &self.property(node, name, table).map_or_else(String::new, |property| self.meaning(property)));
            out.push_str(&format!("{name} = {}\n", text_of(&table[name]).unwrap_or_default()));
        }
        let parts = self.parts(node, table);
        let all: BTreeSet<&String> =
            parts.iter().flat_map(|part| part["properties"].as_object()).flat_map(|all| all.keys()).collect();
        let (unsaid_tables, unsaid): (Vec<_>, Vec<_>) = all
            .into_iter()
            .filter(|&name| table.get(name).is_none_or(Value::is_null))
            .filter_map(|name| Some((name, self.property(node, name, table)?)))
            .partition(|(_, property)| self.is_table(property));
        for (name, property) in unsaid {
            remark(out, &self.meaning(property));
            let usual = property.get("default").and_then(text_of);
            out.push_str(&format!("# {name} = {}\n", usual.unwrap_or_else(|| self.kind(property))));
        }
        let below = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        for name in tables {
            let Some(property) = self.property(node, name, table) else { continue };
            let inner = table[name].as_object().expect("only objects are among the tables");
            out.push('\n');
            remark(out, &self.meaning(property));
            out.push_str(&format!("[{}]\n", below(name)));
            self.table(out, &below(name), property, inner);
            self.alternatives(out, &below(name), property, inner);
        }
        for (name, property) in unsaid_tables {
            let mut inside = String::new();
            remark(&mut inside, &self.meaning(property));
            let usual = self.usual(property, &Map::new());
            if !usual.is_empty() {
                inside.push_str(&format!("[{}]\n", below(name)));
                self.table(&mut inside, &below(name), property, &usual);
            }
            out.push('\n');
            comment_out(out, &inside);
            if usual.is_empty() {
                self.alternatives(out, &below(name), property, &usual);
            }
        }
    }

    /// What a table may be instead of what it is.
    fn alternatives(&self, out: &mut String, path: &str, node: &Value, table: &Map<String, Value>) {
        for other in self.tagged(node) {
            let Some((tag, is)) = tag(other).filter(|(tag, is)| table.get(*tag) != Some(is)) else { continue };
            let named = Map::from_iter([(tag.clone(), is.clone())]);
            let mut inside = String::new();
            let before = if table.is_empty() { "" } else { "Instead: " };
            remark(&mut inside, &format!("{before}{}", self.meaning(other)));
            inside.push_str(&format!("[{path}]\n"));
            let mut usual = self.usual(other, &named);
            usual.insert(tag.clone(), is.clone());
            self.table(&mut inside, "", other, &usual);
            out.push('\n');
            comment_out(out, &inside);
        }
    }

    /// The alternatives among which a key of their own decides.
    fn tagged<'a>(&'a self, node: &'a Value) -> Vec<&'a Value> {
        let parts = self.parts(node, &Map::new()).into_iter();
        parts
            .flat_map(|part| part["oneOf"].as_array().into_iter().flatten())
            .filter(|part| tag(part).is_some())
            .collect()
    }

    /// What the keys of a table are by themselves, and where the table itself has something that is usual, that.
    fn usual(&self, node: &Value, table: &Map<String, Value>) -> Map<String, Value> {
        let parts = self.parts(node, table);
        let properties = parts.iter().flat_map(|part| part["properties"].as_object()).flatten();
        let of_keys = properties.filter_map(|(name, property)| Some((name.clone(), property.get("default")?.clone())));
        of_keys.chain(node["default"].as_object().cloned().into_iter().flatten()).collect()
    }

    fn is_table(&self, node: &Value) -> bool {
        !self.tagged(node).is_empty() || self.parts(node, &Map::new()).iter().any(|part| part["properties"].is_object())
    }

    /// What stands for a value of which nothing is usual.
    fn kind(&self, node: &Value) -> String {
        let parts = self.parts(node, &Map::new());
        let kinds = parts.iter().find_map(|part| match &part["type"] {
            Value::String(kind) if kind != "null" => Some(kind.clone()),
            Value::Array(kinds) => {
                kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").map(str::to_string)
            }
            _ => None,
        });
        match kinds.as_deref() {
            Some("string") => "\"…\"".to_string(),
            Some("array") => "[…]".to_string(),
            // Such a one is left out where it is what it usually is.
            Some("boolean") => "false".to_string(),
            _ => "…".to_string(),
        }
    }
}

/// The key and value by which one alternative is told from others.
fn tag(node: &Value) -> Option<(&String, &Value)> {
    node["properties"].as_object()?.iter().find_map(|(name, property)| Some((name, property.get("const")?)))
}

/// As TOML; nothing for what TOML has no word for.
fn text_of(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Number(number) => match number.as_f64() {
            // What was a number of 32 bits is written as such.
            Some(wide) if number.is_f64() && f64::from(wide as f32) == wide => format!("{:?}", wide as f32),
            _ => number.to_string(),
        },
        _ => toml::Value::try_from(value).ok()?.to_string(),
    })
}

/// Lines of comment.
fn remark(out: &mut String, text: &str) {
    for paragraph in text.lines() {
        let mut line = String::from("#");
        for word in paragraph.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                out.push_str(&line);
                out.push('\n');
                line = String::from("#");
            }
            line.push(' ');
            line.push_str(word);
        }
        if line.len() > 1 {
            out.push_str(&line);
            out.push('\n');
        }
    }
}

fn comment_out(out: &mut String, text: &str) {
    for line in text.lines() {
        out.push_str(format!("# {line}").trim_end());
        out.push('\n');
    }
}

/// A comment of the code without its links and marks.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        plain += &rest[..at];
        let inside = &rest[at + 1..];
        let Some(end) = inside.find(']') else { break };
        plain += &inside[..end];
        rest = &inside[end + 1..];
        if let Some(link) = rest.strip_prefix('(') {
            rest = link.find(')').map_or(link, |end| &link[end + 1..]);
        }
    }
    plain += rest;
    plain.replace('`', "").replace("super::", "").replace("\n\n", "\u{1}").replace('\n', " ").replace('\u{1}', "\n")
}
