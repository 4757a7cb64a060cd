//! `afterstate recipes`: what recipes for `train` can say, with every key, its usual value and its meaning.

use crate::agent::catalogue::did_you_mean;
use crate::balance_recipe::BalanceRecipe;
use crate::chess_network_recipe::ChessNetworkRecipe;
use crate::commented::commented;
use crate::grid_recipe::GridRecipe;
use crate::network_recipe::NetworkRecipe;
use crate::output::{self, Table};
use crate::recipe::Recipe;
use crate::search_recipe::SearchRecipe;
use crate::zero_recipe::ZeroRecipe;
use anyhow::{Context, Result};
use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use serde_json::Value;
use std::io::Write;

/// Arguments of `recipes`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  afterstate recipes\n  afterstate recipes chess > mine.toml\n  afterstate train mine.toml --out runs/mine\n  \
                  afterstate recipes chess --json > chess.schema.json\n\n\
                  A kind is printed as a recipe in which everything is as usual. What is left out of a recipe is as usual, too, so that\n\
                  most are short: those of the papers are in papers/. With --json it is a JSON Schema, by which editors complete and check\n\
                  recipes as they are written."
)]
pub struct Args {
    /// What is learnt; all kinds are listed without it
    kind: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A kind of recipe.
struct Kind {
    name: &'static str,
    /// What such a recipe learns.
    learns: &'static str,
    /// What a recipe says at least.
    says: &'static str,
    text: fn() -> Result<String>,
    schema: fn() -> Schema,
}

impl Kind {
    /// Recipes of this type, in which all that is not said is as by default.
    const fn of<T: Default + Serialize + JsonSchema>(
        name: &'static str,
        learns: &'static str,
        says: &'static str,
    ) -> Kind {
        Kind { name, learns, says, text: || commented(&T::default()), schema: || schema_for!(T) }
    }
}

/// All of them.
const KINDS: [Kind; 7] = [
    Kind::of::<Recipe>("go", "Go over local shapes, by TD(λ), Dyna-2 or from searches", "nothing"),
    Kind::of::<BalanceRecipe>(
        "go-playouts",
        "a policy for playouts of Go, by imitation and simulation balancing",
        "learner = \"simulation-balancing\"",
    ),
    Kind::of::<GridRecipe>(
        "grid",
        "Connect Four or tic-tac-toe over their shapes, by TD(λ), Dyna-2 or from searches",
        "game = \"connect-four\", and features, td or learner",
    ),
    Kind::of::<SearchRecipe>(
        "chess",
        "chess over terms, by TreeStrap, RootStrap, TD-Root, TD-Leaf or TD-directed",
        "game = \"chess\"",
    ),
    Kind::of::<ChessNetworkRecipe>(
        "chess-network",
        "a network for chess, by OutcomeStrap",
        "game = \"chess\", hidden = 64",
    ),
    Kind::of::<NetworkRecipe>(
        "backgammon",
        "a network for backgammon, by TD(λ), TD-Leaf or TreeStrap",
        "game = \"backgammon\"",
    ),
    Kind {
        name: "zero",
        learns: "a residual network for Go, Connect Four or tic-tac-toe, by AlphaZero or Go-Exploit",
        says: "game = \"connect-four\", or preset = \"gesc\" or another",
        // What is usual depends on preset, scale and game.
        text: || {
            Ok(saying_only(&["game", "preset", "scale"], &commented(&ZeroRecipe::parse("preset = \"alphazero\"")?)?))
        },
        schema: || {
            let mut schema = schema_for!(ZeroRecipe).to_value();
            demand_only_tags(&mut schema);
            Schema::try_from(schema).expect("what is left of an object is one")
        },
    },
];

/// A recipe in which all is a comment but these of its first keys.
fn saying_only(keys: &[&str], text: &str) -> String {
    let is_said = |line: &str| line.split_once(" = ").is_some_and(|(key, _)| keys.contains(&key));
    let line = |line: &str| match line {
        _ if line.is_empty() || line.starts_with('#') || is_said(line) => format!("{line}\n"),
        _ => format!("# {line}\n"),
    };
    text.lines().map(line).collect()
}

/// Leaves of the keys that a schema's tables must have those that tell alternatives apart: presets have the others.
fn demand_only_tags(schema: &mut Value) {
    match schema {
        Value::Object(node) => {
            let tags: Vec<String> = node.get("properties").and_then(Value::as_object).map_or_else(Vec::new, |keys| {
                keys.iter().filter(|(_, key)| key.get("const").is_some()).map(|(name, _)| name.clone()).collect()
            });
            if let Some(Value::Array(required)) = node.get_mut("required") {
                required.retain(|name| name.as_str().is_some_and(|name| tags.iter().any(|tag| tag == name)));
            }
            node.values_mut().for_each(demand_only_tags);
        }
        Value::Array(nodes) => nodes.iter_mut().for_each(demand_only_tags),
        _ => {}
    }
}

/// Prints the kinds, or one of them.
pub fn run(args: Args) -> Result<()> {
    let mut out = output::stdout();
    let Some(name) = args.kind else {
        if args.json {
            let kinds =
                KINDS.map(|kind| serde_json::json!({ "name": kind.name, "learns": kind.learns, "says": kind.says }));
            return output::json(&mut out, &kinds);
        }
        let mut table = Table::new(["kind", "learns", "says at least"]);
        for kind in KINDS {
            table.row([kind.name, kind.learns, kind.says].map(str::to_string));
        }
        table.write(&mut out)?;
        writeln!(out, "\n'afterstate recipes KIND' prints every key of one, with what is usual.")?;
        return Ok(out.flush()?);
    };
    let names = KINDS.map(|kind| kind.name);
    let kind = KINDS.into_iter().find(|kind| kind.name == name);
    let kind = kind.with_context(|| {
        format!("recipes of '{name}': expected one of {}{}", names.join(", "), did_you_mean(&name, names))
    })?;
    if args.json {
        return output::json(&mut out, &(kind.schema)());
    }
    write!(out, "{}", (kind.text)()?)?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_a_recipe_with_everything_as_usual() {
        fn is_usual<T: PartialEq + std::fmt::Debug>(kind: &str, parse: fn(&str) -> Result<T>, says: &str) {
            let kind = KINDS.into_iter().find(|other| other.name == kind).unwrap();
            let text = (kind.text)().unwrap();
            assert_eq!(parse(&text).unwrap(), parse(says).unwrap(), "{text}");
        }
        is_usual("go", Recipe::parse, "");
        is_usual("go-playouts", BalanceRecipe::parse, "learner = \"simulation-balancing\"");
        is_usual("grid", GridRecipe::parse, "game = \"connect-four\"\n[features]");
        is_usual("chess", SearchRecipe::parse, "game = \"chess\"");
        is_usual("chess-network", ChessNetworkRecipe::parse, "game = \"chess\"\nhidden = 64");
        is_usual("backgammon", NetworkRecipe::parse, "game = \"backgammon\"");
        is_usual("zero", ZeroRecipe::parse, "preset = \"alphazero\"");
    }

    #[test]
    fn every_key_has_a_meaning() {
        for kind in KINDS {
            let text = (kind.text)().unwrap();
            // The key that tells alternatives apart is explained where the alternative is.
            let is_key = |line: &str| {
                let said = line.trim_start_matches("# ");
                let is_value = said.split_once(" = ").is_some_and(|(key, _)| !key.contains([' ', '"']));
                (is_value || said.starts_with('[')) && !said.starts_with("rule = ") && !said.starts_with("kind = ")
            };
            for (before, line) in text.lines().zip(text.lines().skip(1)).filter(|(_, line)| is_key(line)) {
                assert!(before.starts_with('#') && !is_key(before), "{}: {before}\n{line}", kind.name);
            }
            assert!(!text.contains("](") && !text.contains('`') && !text.contains("::"), "{}: {text}", kind.name);
            // Names of constants say nothing to who writes a recipe.
            let is_constant = |word: &str| word.len() > 4 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            let constant = text.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| is_constant(word));
            assert_eq!(constant, None, "{}", kind.name);
        }
    }

    /// Whoever changes the preset of what was printed has the other preset's keys, and not the first one's.
    #[test]
    fn what_presets_decide_is_left_to_them() {
        let text = (KINDS[6].text)().unwrap();
        for (key, others) in [("preset = \"alphazero\"", ["akti", "gesc-3k"]), ("scale = \"laptop\"", ["paper", "gpu"])]
        {
            for other in others {
                let name = key.split_once(" = ").unwrap().0;
                let said = format!("{name} = \"{other}\"");
                let changed = ZeroRecipe::parse(&text.replacen(key, &said, 1)).unwrap();
                let preset = if name == "preset" { String::new() } else { "preset = \"alphazero\"\n".to_string() };
                assert_eq!(changed, ZeroRecipe::parse(&format!("{preset}{said}")).unwrap(), "{other}");
            }
        }
    }

    #[test]
    fn no_key_has_to_be_said_of_what_presets_decide() {
        fn required(schema: &Value) -> Vec<&str> {
            let of_node =
                schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            let inside: Vec<&Value> = match schema {
                Value::Object(node) => node.values().collect(),
                Value::Array(nodes) => nodes.iter().collect(),
                _ => Vec::new(),
            };
            of_node.chain(inside.into_iter().flat_map(required)).collect()
        }
        let schema = (KINDS[6].schema)().to_value();
        let tags = required(&schema);
        assert!(tags.iter().all(|&name| name == "kind"), "{tags:?}");
        assert!(schema["properties"].get("archive").is_some() && schema["properties"].get("steps").is_some());
    }

    #[test]
    fn what_is_usually_not_said_is_explained_too() {
        let text = (KINDS[0].text)().unwrap();
        for part in [
            "# [dyna-2]\n",
            "# [learner]\n",
            "\n# rule = \"td-leaf\"\n",
            "# [search]\n",
            "\n# depth = 2\n",
            "\n# nodes = 0\n",
            "\n# annealing = ",
            "\nsizes = [1, 2, 3]\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let text = (KINDS[3].text)().unwrap();
        for part in
            ["rule = \"tree-strap\"", "# rule = \"td-leaf\"", "# openings = \"…\"", "# [partners]", "# book-plies = …"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
