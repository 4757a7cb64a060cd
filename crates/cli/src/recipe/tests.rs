use super::*;
use afterstate_games::rng::below;
use afterstate_games::stream;
use std::time::{Duration, Instant};

#[test]
fn an_empty_recipe_is_the_papers() {
    let recipe = Recipe::parse("").unwrap();
    assert_eq!(recipe, Recipe::default());
    assert_eq!((recipe.td.step_size, recipe.self_play.exploration, recipe.komi.points()), (0.1, 0.1, 7.5));
}

#[test]
fn a_search_for_self_play_is_asked_for_by_its_table() {
    assert_eq!(Recipe::default().dyna_2, None);
    let recipe = Recipe::parse("[dyna-2]\nsimulations = 7\n").unwrap();
    assert_eq!(recipe.dyna_2.as_ref().map(|search| search.simulations), Some(7));
    assert_eq!(Recipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
    assert!(!recipe.learns_like(&Recipe::default()));
    for (bad, part) in [
        ("simulations = 0", "dyna-2.simulations = 0"),
        ("exploration = 2", "expected 0 to 1"),
        ("learn = 0", "dyna-2.learn"),
        ("switch-after = 33", "dyna-2.learn = 32: expected at least as many as dyna-2.switch-after = 33"),
    ] {
        let message = Recipe::parse(&format!("[dyna-2]\n{bad}\n")).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_rule_that_learns_from_searches_is_asked_for_by_its_table() {
    let recipe = Recipe::parse("[learner]\nrule = \"td-leaf\"\n").unwrap();
    assert_eq!(recipe.training_search().depth, 2);
    assert_eq!(Recipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
    assert!(!recipe.learns_like(&Recipe::default()));
    // Recipes of older runs say nothing of it.
    let usual = toml::to_string(&Recipe::default()).unwrap();
    assert!(["learner", "search", "annealing"].iter().all(|key| !usual.contains(key)), "{usual}");
    for (bad, part) in [
        ("[search]\ndepth = 3", "name its rule"),
        ("[learner]\nrule = \"td-leaf\"\n[dyna-2]", "leave one of them out"),
        ("[learner]\nrule = \"td-leaf\"\nlambda = 2.0", "learner.lambda"),
        ("[learner]\nrule = \"td-leaf\"\n[search]\ndepth = 65", "search.depth = 65"),
        ("[learner]\nrule = \"td-leef\"", "td-leaf"),
    ] {
        let message = Recipe::parse(bad).unwrap_err().to_string();
        assert!(message.contains(part) && !message.contains('\n'), "{message}");
    }
}

#[test]
fn the_effective_settings_can_be_read_back() {
    let recipe = Recipe { games: 5, seed: 9, ..Recipe::default() };
    assert_eq!(Recipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
}

#[test]
fn milestones_are_spaced_evenly_in_the_logarithm() {
    let mut recipe = Recipe { games: 1000, ..Recipe::default() };
    recipe.checkpoints.per_decade = 2;
    assert_eq!(recipe.milestones(), [100, 316, 1000]);
    recipe.games = 50;
    assert_eq!(recipe.milestones(), [50]);
}

#[test]
fn mistakes_are_named_in_one_line() {
    for (text, part) in [
        ("gmaes = 5", "gmaes"),
        ("board-size = 4", "expected 5 to 19"),
        ("komi = 7.3", "multiple of 0.5"),
        ("\n[td]\nlambda = 2.0", "td.lambda"),
        ("[td]\nlambda = \"x\"", "line 2"),
        ("[features]\nsizes = [4]", "1, 2, 3"),
        ("[learner]\nrule = \"td-leaf\"\nleast-moves = 5000", "least-moves = 5000: expected at most 122"),
        ("games = -1", "line 1"),
        ("[[[", "line 1"),
    ] {
        let message = format!("{:#}", Recipe::parse(text).unwrap_err());
        assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
    }
}

#[test]
fn threads_and_length_may_change_between_the_parts_of_a_run() {
    let recipe = Recipe::default();
    assert!(recipe.learns_like(&Recipe { threads: 2, games: 7, ..recipe.clone() }));
    assert!(!recipe.learns_like(&Recipe { seed: 2, ..recipe.clone() }));
}

/// 20,000 mutations; `AFTERSTATE_FUZZ_SECONDS` goes on for so many seconds instead, from the same seed.
///
/// Memory is counted for a whole process, and other tests reserve trees of searches: this one has a process of its own.
#[test]
fn mutated_recipes_do_no_harm() {
    const ALONE: &str = "AFTERSTATE_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return read_mutated_recipes();
    }
    let name = "recipe::tests::mutated_recipes_do_no_harm";
    let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
    let alone = alone.args([name, "--exact", "--nocapture"]).env(ALONE, "1").output().unwrap();
    let [out, err] = [&alone.stdout, &alone.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(alone.status.success() && out.contains("1 passed"), "{out}{err}");
    print!("{out}");
}

fn read_mutated_recipes() {
    const PIECES: &[&str] = &[
        "=",
        "[",
        "]",
        "[[",
        "{",
        "}",
        "\"",
        "'",
        "#",
        "\n",
        ".",
        "-",
        "0",
        "9",
        "1e308",
        "-inf",
        "nan",
        "0x7f",
        "9223372036854775807",
        "1979-05-27T07:32:00Z",
        "td",
        "checkpoints",
        "every-seconds",
        "per-decade",
        "first",
        "games",
        "threads",
        "squash",
        "\"linear\"",
        "true",
        "\"\"\"",
        "\\u0000",
        "\u{feff}",
        "a.b.c.d = 1\n",
    ];
    let seconds = std::env::var("AFTERSTATE_FUZZ_SECONDS").ok().map(|text| {
        Duration::from_secs(
            text.parse().unwrap_or_else(|_| panic!("AFTERSTATE_FUZZ_SECONDS='{text}': expected whole seconds")),
        )
    });
    let (begin, rng) = (Instant::now(), &mut stream(6, 0));
    let corpus = [
        toml::to_string(&Recipe::default()).unwrap(),
        "games = 500\nkomi = 6.5\n[checkpoints]\nfirst = 10\nper-decade = 2 # two\n[features]\nsizes = [1, 2]\n".into(),
        "td = { lambda = 0.4, plies = \"one\" }\nself-play.order = 'sweep'\n".into(),
    ];
    for text in &corpus {
        Recipe::parse(text).unwrap();
    }
    let (mut tried, mut accepted) = (0u64, 0u64);
    while seconds.map_or(tried < 20_000, |limit| begin.elapsed() < limit) {
        let mut bytes = corpus[below(rng, 3) as usize].clone().into_bytes();
        for _ in 0..1 + below(rng, 4) {
            let at = below(rng, bytes.len() as u32 + 1) as usize;
            let end = (at + below(rng, 12) as usize).min(bytes.len());
            match below(rng, 5) {
                0 if at < bytes.len() => bytes[at] = below(rng, 256) as u8,
                1 => drop(bytes.drain(at..end)),
                2 => {
                    // Up to some thousand times, so that nesting goes deep.
                    let copy = bytes[at..end].repeat(1 << below(rng, 12));
                    bytes.splice(at..at, copy);
                }
                3 if below(rng, 4) == 0 => bytes.truncate(at),
                _ => drop(bytes.splice(at..at, PIECES[below(rng, PIECES.len() as u32) as usize].bytes())),
            }
        }
        tried += 1;
        match Recipe::parse(&String::from_utf8_lossy(&bytes)) {
            Ok(recipe) => {
                // What is accepted can be carried out and written down.
                accepted += 1;
                let milestones = recipe.milestones();
                assert!(milestones.is_sorted() && milestones.last() == Some(&recipe.games));
                assert_eq!(recipe.start().size(), recipe.board_size);
                assert!(Duration::try_from_secs_f64(recipe.checkpoints.every_seconds).is_ok());
                assert_eq!(Recipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
            }
            Err(error) => {
                let message = format!("{error:#}");
                assert!(!message.contains('\n') && message.chars().count() < 500, "{message}");
            }
        }
    }
    println!("{tried} mutated recipes, {accepted} of them accepted");
    assert!(accepted > tried / 100, "too few of the mutated recipes can be read: {accepted} of {tried}");
    let most = crate::ALLOCATOR.max_allocated();
    assert!(most < 256 << 20, "{} MiB were taken at once", most >> 20);
}
