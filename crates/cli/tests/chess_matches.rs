//! Matches of chess: PGN that survives kills, opening suites, adjudication.
#![cfg(unix)]

mod support;

use afterstate_games::chess::pgn::{PgnGame, PgnReader};
use std::collections::HashSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use support::{fail, run_in};

fn games(path: &Path) -> Vec<PgnGame> {
    PgnReader::new(&std::fs::read(path).unwrap()[..]).map(Result::unwrap).collect()
}

fn rounds(path: &Path) -> Vec<u64> {
    games(path).iter().map(|game| game.tag("Round").unwrap().parse().unwrap()).collect()
}

fn start(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(args)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_match_killed_again_and_again_leaves_every_game_in_its_pgn_once() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    let args: Vec<&str> =
        "match random random --game chess --games 2000 --move-limit 60 --workers 2 --log log.jsonl --pgn games.pgn"
            .split(' ')
            .collect();
    for lines in [5, 200, 600] {
        let mut child = start(folder.path(), &args);
        while child.try_wait().unwrap().is_none()
            && std::fs::read_to_string(folder.path().join("log.jsonl")).map_or(0, |text| text.lines().count()) < lines
        {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What a kill within a write would have left.
        let torn = std::fs::read_to_string(&pgn).unwrap() + "[Event \"afterstate match\"]\n[Site";
        std::fs::write(&pgn, torn).unwrap();
    }
    // A game that was logged, and then the program was killed.
    let text = std::fs::read_to_string(&pgn).unwrap();
    let second = text.find("[Event").and_then(|first| text[first + 1..].find("[Event")).unwrap() + 1;
    std::fs::write(&pgn, &text[second..]).unwrap();
    let answer = run_in(folder.path(), &args, "");
    assert!(answer.ok, "{}", answer.err);
    assert!(answer.err.contains("cut off an incomplete last game of"), "{}", answer.err);
    let mut played = rounds(&pgn);
    assert_eq!(played.len(), 2000);
    played.sort_unstable();
    assert_eq!(played, (1..=2000).collect::<Vec<_>>());
}

#[test]
fn games_begin_with_the_openings_of_a_suite() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("suite.pgn"), "1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n\n1. c4 e5 *\n").unwrap();
    let args =
        "match random random --game chess --games 6 --move-limit 20 --openings suite.pgn --book-plies 2 --pgn out.pgn";
    let answer = run_in(folder.path(), &args.split(' ').collect::<Vec<_>>(), "");
    assert!(answer.ok, "{}", answer.err);
    let games = games(&folder.path().join("out.pgn"));
    let first = |game: &PgnGame| game.moves().take(2).map(|mv| mv.to_string()).collect::<Vec<_>>();
    assert_eq!(games.len(), 6);
    for pair in games.chunks_exact(2) {
        assert_eq!(first(&pair[0]), first(&pair[1]));
        assert_eq!(pair[0].tag("White"), pair[1].tag("Black"));
    }
    assert_eq!(games.iter().map(first).collect::<HashSet<_>>().len(), 3);
    assert!(games[0].tag("OpeningSuite").unwrap().starts_with("suite.pgn, 2 plies, CRC-32 "));
    // A log of other openings is another tournament's.
    let log = |suite: &str| {
        let args =
            format!("match random random --game chess --games 2 --move-limit 4 --log log.jsonl --openings {suite}");
        run_in(folder.path(), &args.split(' ').collect::<Vec<_>>(), "")
    };
    assert!(log("suite.pgn").ok);
    std::fs::write(folder.path().join("suite.pgn"), "1. e4 *\n").unwrap();
    assert!(log("suite.pgn").err.contains("is another tournament's: openings is"), "{}", log("suite.pgn").err);
}

#[test]
fn a_tournament_file_names_openings_and_when_games_are_adjudicated() {
    let folder = tempfile::tempdir().unwrap();
    let suite = "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - hmvc 2; fmvn 3;\n";
    std::fs::write(folder.path().join("petrov.epd"), suite).unwrap();
    let file = "game = 'chess'\nagents = ['random', 'alpha-beta,depth=1']\ngames = 4\nopenings = 'petrov.epd'\n\
                draw = {after = 5, moves = 1}\nwin = {score = 900}\nmove-limit = 30\n";
    std::fs::write(folder.path().join("cup.toml"), file).unwrap();
    let answer = run_in(folder.path(), &["tournament", "cup.toml", "--pgn", "cup.pgn", "--json"], "");
    assert!(answer.ok, "{}", answer.err);
    let report: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    let settings = &report["settings"];
    assert_eq!(settings["adjudication"]["draw"], serde_json::json!({"after": 5, "moves": 1, "score": 10}));
    assert_eq!(settings["adjudication"]["win"], serde_json::json!({"moves": 4, "score": 900}));
    assert_eq!(settings["opening-moves"], 0);
    for game in games(&folder.path().join("cup.pgn")) {
        assert_eq!(game.start.board().fullmove_number(), 3);
    }
}

#[test]
fn what_cannot_be_is_said_in_one_line() {
    let chess = |args: &str| {
        fail(
            &[
                &["match", "random", "random", "--game", "chess", "--games", "2"],
                &args.split(' ').collect::<Vec<_>>()[..],
            ]
            .concat(),
        )
    };
    assert!(chess("--openings none.epd").contains("openings 'none.epd': No such file"));
    assert!(chess("--openings none.doc").contains("expected a file named .epd, .pgn or .bin"));
    assert!(chess("--book-plies 4").contains("--openings"));
    assert!(chess("--draw=moves=0").contains("moves: expected at least 1"));
    assert!(chess("--win=depth=3").contains("expected moves or score"));
    assert!(fail(&["match", "random", "random", "--games", "2", "--pgn", "x.pgn"]).contains("leave --pgn out"));
    assert!(
        fail(&["match", "random", "random", "--games", "2", "--openings", "x.epd"]).contains("only chess has suites")
    );
    assert!(chess("--pgn /").contains("--pgn /: expected the name of a file"));
}
