//! Games: in the terminal, in matches and tournaments, over GTP, and their ratings.

mod support;

use std::path::Path;
use support::{checkpoint, fail, run_in, succeed};

fn succeed_in(folder: &Path, args: &[&str]) -> String {
    let answer = run_in(folder, args, "");
    assert!(answer.ok, "{args:?}: {}", answer.err);
    answer.out
}

fn json_in(folder: &Path, args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeed_in(folder, args)).unwrap()
}

#[test]
fn a_game_is_played_from_a_pipe() {
    let folder = std::env::temp_dir();
    let play = |args: &[&str], input: &str| {
        let answer = run_in(&folder, &[&["play", "--seed", "1"], args].concat(), input);
        assert!(answer.ok, "{}", answer.err);
        answer.out
    };
    let out = play(&["--size", "5"], "C3\nC3\nZ9\nnonsense\nmoves\nhint\nundo\nundo\nboard\nhelp\nresign\n");
    for expected in ["random plays", "not legal", "expected", "would play", "no move of yours", "You resign."] {
        assert!(out.contains(expected), "'{expected}' is missing in {out}");
    }
    assert!(out.contains("(O)"), "the last move is marked: {out}");
    assert!(play(&["--unicode"], "E5\nquit\n").contains('●'));
    assert!(play(&[], "").contains("End of input."));
    assert!(play(&[], "quit\n").contains("You are Black"));
    assert!(play(&["--side", "white", "--size", "5"], "quit\n").contains("random plays"));
    // Alpha-beta to the end never loses tic-tac-toe, and takes what is offered.
    let out = play(&["--game", "tic-tac-toe", "--agent", "alpha-beta,depth=9", "--side", "second"], "moves\nquit\n");
    assert_eq!(out.lines().find(|line| line.split(' ').all(|word| word.parse::<u8>().is_ok())).unwrap().len(), 15);
    let broken = run_in(&folder, &["play", "--size", "5"], "\u{0}\u{1}\n\n\nC3\n");
    assert!(broken.ok, "{}", broken.err);
}

#[test]
fn undo_takes_back_both_moves() {
    let answer = run_in(&std::env::temp_dir(), &["play", "--size", "5", "--seed", "1"], "C3\nundo\nC3\nquit\n");
    assert!(answer.ok && !answer.out.contains("not legal"), "{}", answer.out);
}

#[test]
fn alpha_beta_to_the_end_never_loses_tic_tac_toe() {
    let report = json_in(
        &std::env::temp_dir(),
        &[
            "match",
            "alpha-beta,depth=9",
            "random",
            "--game",
            "tic-tac-toe",
            "--games",
            "40",
            "--opening",
            "0",
            "--json",
        ],
    );
    assert_eq!((&report["tally"]["losses"], report["games"].as_u64()), (&0.into(), Some(40)));
    assert!(report["tally"]["wins"].as_u64() > Some(20));
}

#[test]
fn a_match_does_not_depend_on_the_number_of_workers_and_goes_on_from_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let play = |extra: &[&str]| {
        let args = ["match", "random", "random", "--size", "5", "--games", "30", "--csv", "-"];
        let out = succeed_in(folder.path(), &[&args, extra].concat());
        // Thinking times are never the same.
        let lines: Vec<String> = out
            .lines()
            .map_while(|line| line.contains(',').then(|| line.rsplitn(3, ',').nth(2).unwrap().to_string()))
            .collect();
        assert_eq!(lines.len(), 31);
        assert!(lines[0].starts_with("game,round,first,second,winner,stake,score,ending"), "{}", lines[0]);
        lines
    };
    let whole = play(&[]);
    assert_eq!(whole, play(&["--workers", "3"]));
    assert_eq!(whole, play(&["--log", "log.jsonl"]));
    // What a killed run leaves: some whole lines, and a torn one.
    let log = folder.path().join("log.jsonl");
    let bytes = std::fs::read(&log).unwrap();
    for cut in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&log, &bytes[..cut]).unwrap();
        assert_eq!(whole, play(&["--log", "log.jsonl"]), "after {cut} bytes");
    }
    let other = run_in(folder.path(), &["match", "random", "random", "--size", "7", "--log", "log.jsonl"], "");
    assert!(!other.ok && other.err.contains("another tournament"), "{}", other.err);
    let mut damaged = bytes;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&log, damaged).unwrap();
    let answer = run_in(folder.path(), &["rate", "log.jsonl"], "");
    assert!(!answer.ok && answer.err.contains("log.jsonl', line"), "{}", answer.err);
}

#[test]
fn a_sequential_test_stops_early_and_stays_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "match",
        "alpha-beta,depth=6",
        "random",
        "--game",
        "tic-tac-toe",
        "--games",
        "2000",
        "--sprt",
        "elo0=0,elo1=50",
        "--log",
        "log.jsonl",
        "--json",
    ];
    let report = json_in(folder.path(), &args);
    assert_eq!(report["sprt"]["decision"], "accept-h1");
    assert!(report["games"].as_u64().unwrap() < 1000);
    assert_eq!(json_in(folder.path(), &args)["sprt"], report["sprt"]);
}

#[test]
fn a_pgn_file_gets_the_games_that_were_played_before() {
    let folder = tempfile::tempdir().unwrap();
    let play = |more: &[&str]| {
        let args = ["match", "random", "random", "--game", "chess", "--log", "log.jsonl", "--json"];
        json_in(folder.path(), &[&args, more].concat())
    };
    play(&["--games", "4"]);
    play(&["--games", "8", "--pgn", "games.pgn"]);
    let pgn = std::fs::read_to_string(folder.path().join("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 8);
}

#[test]
fn an_undecided_test_is_gone_on_with_by_more_games() {
    let folder = tempfile::tempdir().unwrap();
    let play = |games: &str, sprt: &[&str]| {
        let args = ["match", "random", "random", "--game", "tic-tac-toe", "--games", games, "--json"];
        json_in(folder.path(), &[&args, sprt].concat())
    };
    let test = ["--sprt", "elo0=0,elo1=1", "--log", "log.jsonl"];
    assert_eq!(play("20", &test)["sprt"]["decision"], "continue");
    let longer = play("50", &test);
    assert_eq!((&longer["games"], &longer["tally"]), (&50.into(), &play("50", &[])["tally"]));
    let fewer = run_in(
        folder.path(),
        &["match", "random", "random", "--game", "tic-tac-toe", "--games", "20", "--log", "log.jsonl"],
        "",
    );
    assert!(!fewer.ok && fewer.err.contains("games is 50 in the log and 20 now"), "{}", fewer.err);
}

#[test]
fn games_that_repeat_are_told_wherever_they_count() {
    let folder = tempfile::tempdir().unwrap();
    let text = "game = \"tic-tac-toe\"\nagents = [\"alpha-beta,depth=2\", \"alpha-beta,depth=1\"]\ngames = 600\nopening-moves = 0\n";
    std::fs::write(folder.path().join("same.toml"), text).unwrap();
    for args in [&["tournament", "same.toml"][..], &["rate", "same.jsonl"]] {
        let out = succeed_in(folder.path(), args);
        assert!(out.contains(" of the 600 games are different: intervals count the others as if they were"), "{out}");
    }
    let report = json_in(folder.path(), &["tournament", "same.toml", "--json"]);
    assert!(report["different"].as_u64().unwrap() < 600, "{report}");
}

#[test]
fn checkpoints_play_wherever_an_agent_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let run = checkpoint(folder.path(), 100, 5);
    checkpoint(folder.path(), 2000, 5);
    let (last, first) = (format!("greedy:{run}"), format!("alpha-beta:{run}@100,depth=2"));
    let base = ["match", &last, &first, "--size", "5", "--games", "4", "--json", "--sgf", "games"];
    let report = json_in(folder.path(), &base);
    assert_eq!(report["agents"][0], format!("greedy:{run}@2000"), "a run is pinned to its last checkpoint");
    assert_eq!(report["faults"], serde_json::json!([]));
    let file = std::fs::read_to_string(folder.path().join("games/000003.sgf")).unwrap();
    let game = afterstate_games::go::sgf::GameRecordFile::read(&file).unwrap();
    assert_eq!((game.white.as_str(), game.start.size()), (format!("greedy:{run}@2000").as_str(), 5));
    assert!(file.contains("depth 2"));
    let message = fail(&["match", &last, "random", "--size", "9"]);
    assert!(message.contains("learnt on 5x5") && message.contains("--size 5"), "{message}");
    let message = fail(&["match", &last, "random", "--game", "connect-four"]);
    assert!(message.contains("Go"), "{message}");
    let answer = run_in(folder.path(), &["play", "--agent", &run, "--size", "5"], "C3\nhint\nundo\nquit\n");
    assert!(answer.ok && answer.out.contains("% for White"), "{}", answer.out);
}

#[test]
fn a_log_is_not_gone_on_with_by_other_weights_under_the_same_name() {
    let folder = tempfile::tempdir().unwrap();
    let run = checkpoint(folder.path(), 100, 5);
    let base =
        ["match", &format!("greedy:{run}"), "random", "--size", "5", "--games", "4", "--log", "log.jsonl", "--json"];
    let first = json_in(folder.path(), &base);
    assert_eq!(json_in(folder.path(), &base)["tally"], first["tally"]);
    // The run is trained anew, by another recipe.
    let weights = folder.path().join(&run).join("checkpoints/000000100.safetensors");
    let other = checkpoint(folder.path(), 2000, 5);
    std::fs::rename(folder.path().join(&other).join("checkpoints/000002000.safetensors"), &weights).unwrap();
    let answer = run_in(folder.path(), &base, "");
    assert!(
        !answer.ok && answer.err.contains("had other weights or settings when these games were played"),
        "{}",
        answer.err
    );
    assert_eq!(answer.err.trim().lines().count(), 1, "{}", answer.err);
    // Rated together they count as one, which is said.
    let mut elsewhere = base;
    elsewhere[8] = "other.jsonl";
    json_in(folder.path(), &elsewhere);
    let rated = run_in(folder.path(), &["rate", "log.jsonl", "other.jsonl"], "");
    assert!(
        rated.ok && rated.err.contains("other weights or settings in other.jsonl than in log.jsonl"),
        "{}",
        rated.err
    );
    let rated = run_in(folder.path(), &["rate", "log.jsonl"], "");
    assert_eq!((rated.ok, rated.err.as_str()), (true, ""));
}

/// Standard output that takes nothing is no reason to lose files, and CSV there is all that stands there.
#[cfg(unix)]
#[test]
fn files_are_written_whoever_reads_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_afterstate"));
        assert!(!command.args(args).current_dir(folder.path()).stdout(full).output().unwrap().status.success());
    };
    let base = ["match", "random", "random", "--size", "5", "--games", "2", "--csv", "-"];
    run(&[&base[..], &["--sgf", "games"]].concat());
    let again = ["match", "random", "random", "--size", "5", "--games", "1", "--sgf", "games"];
    let answer = run_in(folder.path(), &again, "");
    assert!(!answer.ok && answer.err.contains("--sgf games: there are games of an earlier match"), "{}", answer.err);
    assert!(folder.path().join("games/000001.sgf").exists());
    run(&["analyze", "games/000001.sgf", "--simulations", "5", "--to", "2", "-o", "new.sgf", "--svg", "new.svg"]);
    assert!(folder.path().join("new.sgf").exists() && folder.path().join("new.svg").exists());
}

#[test]
fn an_opening_suite_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("io.pgn"), "1. e4 e5 *\n\n1. d4 d5 *\n").unwrap();
    let base = ["match", "random", "random", "--game", "chess", "--games", "8", "--openings", "io.pgn"];
    let answer = run_in(folder.path(), &[&base[..], &["--pgn", "io.pgn"]].concat(), "");
    assert!(!answer.ok && answer.err.contains("are the same file"), "{}", answer.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("io.pgn")).unwrap().lines().count(), 3);
}

const LADDER: &str = r#"
game = "go5"
games = 6
agents = ["random", { name = "old", agent = "greedy:run@100" }, "greedy:run@2000,epsilon=0.2"]
[anchors]
random = 500
"#;

#[test]
fn a_tournament_is_rated_resumed_and_rated_again_from_its_log() {
    let folder = tempfile::tempdir().unwrap();
    checkpoint(folder.path(), 100, 5);
    checkpoint(folder.path(), 2000, 5);
    std::fs::write(folder.path().join("ladder.toml"), LADDER).unwrap();
    let table = succeed_in(folder.path(), &["tournament", "ladder.toml", "--workers", "2"]);
    assert!(table.contains("greedy:run@2000,epsilon=0.2") && table.contains(" 500 "), "{table}");
    let report = json_in(folder.path(), &["tournament", "ladder.toml", "--json"]);
    let csv = succeed_in(folder.path(), &["tournament", "ladder.toml", "--csv", "-"]);
    assert_eq!(csv.lines().count(), 1 + 18, "a heading and the games: {csv}");
    let rate =
        ["rate", "ladder.jsonl", "--anchor", "random=500", "--svg", "curve.svg", "--csv", "ratings.csv", "--json"];
    let ratings = json_in(folder.path(), &rate);
    assert_eq!(ratings, report["ratings"]);
    assert!(std::fs::read_to_string(folder.path().join("curve.svg")).unwrap().contains("greedy:run,epsilon=0.2"));
    assert_eq!(std::fs::read_to_string(folder.path().join("ratings.csv")).unwrap().lines().count(), 4);
}

#[test]
fn a_wrong_tournament_file_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |text: &str| {
        std::fs::write(folder.path().join("x.toml"), text).unwrap();
        let answer = run_in(folder.path(), &["tournament", "x.toml"], "");
        assert!(!answer.ok && answer.err.lines().count() == 1 && answer.err.contains("x.toml"), "{}", answer.err);
        answer.err
    };
    assert!(refused("agents = [\"random\", \"random\"]\ngmaes = 3\n").contains("x.toml:2"));
    assert!(refused("agents = [\"random\", \"radnom\"]\n").contains("did you mean 'random'?"));
    assert!(refused("agents = [\"random\", \"random\"]\nkind = \"knockout\"\n").contains("swiss:N"));
    assert!(refused("agents = [\"random\", \"random\"]\n[anchors]\nelse = 3\n").contains("anchor 'else'"));
    assert!(refused("agents = [\"random\",").contains("x.toml:1"));
    assert!(refused("agents = [3, 4]\n").contains("x.toml:1: expected an agent's spec in quotes"));
    let too_far = refused("agents = [\"random\", \"uct:10\"]\n[anchors]\nrandom = 30000\n");
    assert!(too_far.contains("the anchor of 'random'") && too_far.contains("between -20000 and 20000"), "{too_far}");
}

#[test]
fn an_agent_speaks_gtp() {
    let folder = tempfile::tempdir().unwrap();
    let run = checkpoint(folder.path(), 100, 5);
    let input = "1 name\n2 boardsize 9\n3 boardsize 5\n4 genmove b\n5 play b pass\nnonsense\nundo\n6 quit\n";
    let answer = run_in(folder.path(), &["gtp", "--agent", &run, "--komi", "0.5"], input);
    assert!(answer.ok, "{}", answer.err);
    assert!(answer.out.starts_with(&format!("=1 afterstate {run}\n\n?2 ")), "{}", answer.out);
    assert!(answer.out.contains("=4 ") && answer.out.contains("\n? ") && answer.out.contains("=6"), "{}", answer.out);
    let random = run_in(folder.path(), &["gtp", "--agent", "random"], "boardsize 13\ngenmove w\nget_komi\n");
    assert!(random.ok && random.out.starts_with("= \n\n= "), "{}", random.out);
}

#[test]
fn gnugo_plays_and_judges() {
    let installed = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>())
        .chain([Path::new("/usr/games").to_path_buf()])
        .any(|folder| folder.join("gnugo").is_file());
    if !installed {
        assert!(
            std::env::var_os("AFTERSTATE_REQUIRE_ENGINES").is_none_or(|value| value != "1"),
            "gnugo is not installed"
        );
        println!("left out: gnugo_plays_and_judges: gnugo is not installed");
        return;
    }
    let gnugo = "gtp:\"gnugo --mode gtp --level 1 --chinese-rules\",move-timeout=60s";
    let args = ["match", gnugo, "random", "--size", "5", "--games", "4", "--referee", "gnugo", "--json"];
    let report = json_in(&std::env::temp_dir(), &args);
    assert_eq!(report["faults"], serde_json::json!([]));
    assert_eq!(report["tally"]["wins"], 4);
}

/// Nothing is kept of games that are not played.
#[test]
fn a_match_may_be_longer_than_anybody_could_play() {
    let most = u32::MAX.to_string();
    let args = ["match", "uct:100", "random", "--game", "tic-tac-toe", "--games", &most, "--opening", "0"];
    let answer = succeed(&[&args[..], &["--sprt", "elo0=0,elo1=200"]].concat());
    assert!(answer.contains("SPRT: ") && answer.contains("H1"), "{answer}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_whole_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let args = ["match", "random", "random", "--games", "1000000", "--log", "log.jsonl", "--json"];
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(args)
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = || std::fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    while lines() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["complete"], false);
    assert_eq!(report["games"].as_u64().unwrap() as usize + 1, lines(), "one line for the header");
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.ends_with('\n'));
    assert!(String::from_utf8_lossy(&output.stderr).contains("run the same command again"));
}

/// A program that cannot sit down at the board has not lost: nothing is played.
#[cfg(unix)]
#[test]
fn a_match_begins_only_when_both_players_can_start() {
    let folder = tempfile::tempdir().unwrap();
    for agents in [["gtp:cat", "random"], ["random", "gtp:cat"]] {
        let args = ["match", agents[0], agents[1], "--size", "5", "--games", "2", "--log", "log.jsonl"];
        let answer = run_in(folder.path(), &args, "");
        assert!(!answer.ok && answer.err.starts_with("error: agent 'gtp:cat': "), "{}", answer.err);
        assert_eq!(answer.err.trim().lines().count(), 1, "{}", answer.err);
        assert!(!folder.path().join("log.jsonl").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_shown_is_an_error_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(["reproduce", "rlgo/table1", "--results", folder.path().to_str().unwrap()])
        .stdout(full)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && err.starts_with("error: ") && err.lines().count() == 1, "{err}");
}
