//! The files: all of them load, cover what they should, and bad ones are refused with the line at fault.

use afterstate_arena::suite::{self, Grade, Problem, Theme};
use afterstate_games::{Game, Turn};
use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

static SUITE: LazyLock<Vec<Problem>> = LazyLock::new(|| {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites/go"));
    let files = std::fs::read_dir(folder).expect("the suite is in the repository").map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files.iter().flat_map(|file| suite::read(file).unwrap_or_else(|error| panic!("{error}"))).collect()
});

/// Every position of `suites/go`.
pub fn suite() -> &'static [Problem] {
    &SUITE
}

/// A position by its name.
pub fn named(name: &str) -> &'static Problem {
    suite().iter().find(|problem| problem.name == name).expect("the position exists")
}

#[test]
fn every_theme_has_positions_on_both_boards() {
    assert!(suite().len() >= 60, "{} positions", suite().len());
    let names: HashSet<&str> = suite().iter().map(|problem| problem.name.as_str()).collect();
    assert_eq!(names.len(), suite().len(), "a name comes twice");
    let mut diagrams = HashSet::new();
    for theme in Theme::ALL {
        for size in [9, 19] {
            let fits = |problem: &&Problem| problem.theme == theme && problem.position.size() == size;
            assert!(suite().iter().filter(fits).count() >= 3, "{theme} on {size}x{size}");
        }
    }
    for problem in suite() {
        assert!(problem.name.starts_with(problem.theme.name()), "{}", problem.name);
        assert!(problem.name.ends_with(&format!("-{}", problem.position.size())), "{}", problem.name);
        assert!(matches!(problem.position.turn(), Turn::Player(_)));
        assert!(!problem.wrong.is_empty(), "{} has no wrong move", problem.name);
        assert!(problem.why.ends_with('.') && problem.why.len() > 30, "{}: {}", problem.name, problem.why);
        assert!(diagrams.insert(problem.position.key()), "{} has the stones of another position", problem.name);
        assert_eq!(problem.grade(Some(problem.right[0])), Grade::Right);
        assert_eq!(problem.grade(Some(problem.wrong[0])), Grade::Wrong);
        assert_eq!(problem.grade(None), Grade::Other);
    }
}

const GOOD: &str = r#"[[position]]
name = "a"
theme = "ko"
to-move = "black"
komi = 0.5
goal = "capture A5"
right = ["C5"]
wrong = ["pass"]
why = "Because."
board = """
O X . . .
. . . . .
. . . . .
. . . . .
. . . . .
"""
"#;

#[test]
fn what_is_wrong_with_a_file_is_named_with_its_line() {
    assert_eq!(suite::parse(GOOD, "x.toml").map(|problems| problems.len()), Ok(1));
    for (from, to, line, part) in [
        ("name = \"a\"", "name = \"A b\"", 2, "lower case"),
        ("name = \"a\"", "nmae = \"a\"", 2, "unknown field `nmae`"),
        ("theme = \"ko\"\n", "", 1, "missing field `theme`"),
        ("theme = \"ko\"", "theme = \"koh\"", 3, "unknown variant `koh`"),
        ("to-move = \"black\"", "to-move = \"red\"", 4, "unknown variant `red`"),
        ("komi = 0.5", "komi = 0.3", 5, "multiple of 0.5"),
        ("komi = 0.5", "komi = 0.5\nko = \"C3\"", 6, "ko 'C3'"),
        ("komi = 0.5", "komi = 0.5\nko = \"Z3\"", 6, "ko 'Z3'"),
        ("capture A5", "capture", 6, "'capture' or 'save'"),
        ("capture A5", "eat A5", 6, "'capture' or 'save'"),
        ("capture A5", "capture B5", 6, "a stone of the side that is not to move"),
        ("capture A5", "save A5", 6, "a stone of the side to move"),
        ("capture A5", "capture F9", 6, "A1 to E5"),
        ("right = [\"C5\"]", "right = []", 7, "at least one move"),
        ("right = [\"C5\"]", "right = [\"A5\"]", 7, "White has a stone there"),
        ("right = [\"C5\"]", "right = [\"C5\",\n\"I5\"]", 8, "A1 to E5"),
        ("wrong = [\"pass\"]", "wrong = [\"C5\"]", 8, "not right"),
        ("wrong = [\"pass\"]", "wrong = \"pass\"", 8, "invalid type"),
        ("why = \"Because.\"", "why = \" \"", 9, "one sentence"),
        ("O X . . .", "O X . .", 10, "row 5: expected 5 points"),
        ("O X . . .", "O X . . ?", 10, "found '?'"),
        ("O X . . .\n", "", 10, "expected 5 to 19 rows, found 4"),
        ("O X . . .\n. . . . .", "O X . . .\nX . . . .", 10, "no liberty"),
        ("\"\"\"\n", "", 10, ""),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let error = suite::parse(&GOOD.replacen(from, to, 1), "x.toml").err().unwrap_or_else(|| panic!("{to}"));
        let text = error.to_string();
        assert_eq!(error.line, Some(line), "{to}: {text}");
        assert!(text.starts_with(&format!("x.toml:{line}: ")) && text.contains(part), "{to}: {text}");
        assert!(!text.contains('\n'), "{text}");
    }
    let twice = suite::parse(&format!("{GOOD}{GOOD}"), "x.toml").err().expect("a name comes twice");
    assert_eq!(twice.to_string(), "x.toml:18: name 'a': expected another one, line 2 has it already");
    let missing = suite::read(Path::new("no-such-suite.toml")).err().expect("there is no such file");
    assert!(missing.to_string().starts_with("no-such-suite.toml: cannot be read: "), "{missing}");
}

#[test]
fn a_forbidden_ko_is_part_of_the_position() {
    let text = GOOD
        .replace("O X . . .\n. . . . .", "O . O X .\n. O X . .")
        .replace("capture A5", "capture A5\"\nko = \"B5")
        .replace("\"C5\"", "\"A4\"");
    let problems = suite::parse(&text, "x.toml").unwrap();
    let ko = afterstate_games::go::Point::parse("B5", 5).unwrap();
    assert_eq!(problems[0].position.board().ko(), Some(ko));
}
