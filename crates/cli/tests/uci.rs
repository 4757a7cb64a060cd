//! The engine as chess programs run it: a process of its own, that plays others and outlives what it is told.

mod support;

use afterstate_arena::external::{Limits, UciEngine};
use afterstate_arena::{EndKind, GameResult, GameRules, Player, RandomPlayer, RulesReferee, play_game};
use afterstate_games::{Chess, Game, Notation};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{fail, run_in};

/// The program as an engine of the arena.
fn afterstate(arguments: &str) -> UciEngine {
    let limits =
        Limits { start: Duration::from_secs(60), command: Duration::from_secs(60), per_move: Duration::from_secs(60) };
    UciEngine::new(&format!("'{}' uci {arguments}", env!("CARGO_BIN_EXE_afterstate"))).unwrap().with_limits(limits)
}

fn play(start: &Chess, white: &mut dyn Player<Chess>, black: &mut dyn Player<Chess>, time: &str) -> GameResult {
    let rules = GameRules { time: time.parse().unwrap(), lag: Duration::from_secs(20), ..GameRules::default() };
    play_game(start, &[], [white, black], &mut RulesReferee, &rules).unwrap()
}

/// A game that nobody lost by anything but bad moves.
fn expect_sound(result: &GameResult) {
    let faults = [EndKind::Time, EndKind::IllegalMove];
    assert!(!faults.contains(&result.ending.kind) && result.ending.detail.is_empty(), "{:?}", result.ending);
}

#[test]
fn plays_itself_with_clocks_and_beats_random_moves() {
    let (mut white, mut black) = (afterstate(""), afterstate("--agent alpha-beta,depth=2"));
    expect_sound(&play(&Chess::new(), &mut white, &mut black, "2s+20ms"));
    let mut random = RandomPlayer::default();
    for _ in 0..2 {
        let result = play(&Chess::new(), &mut random, &mut white, "3s+10ms");
        expect_sound(&result);
        assert_eq!(result.outcome.winner, Some(afterstate_games::Side::Second));
    }
}

#[test]
fn every_kind_of_agent_plays_chess960_with_every_kind_of_limit() {
    let start = Chess::chess960(3).unwrap();
    for (agent, search) in [("uct:30", "nodes 20"), ("random", "movetime 20"), ("alpha-beta", "depth 1")] {
        let mut engine = afterstate(&format!("--agent {agent}")).with_search(search);
        let mut other = afterstate("").with_search("depth 2").with_option("hash", "1").with_option("Threads", "2");
        expect_sound(&play(&start, &mut engine, &mut other, "none"));
    }
}

/// An engine behind the program is told what limits a search, and answers when the search is stopped.
#[cfg(unix)]
#[test]
fn an_engine_behind_it_gets_its_limits_and_its_stop() {
    let folder = tempfile::tempdir().unwrap();
    let script = "while read -r word rest; do case \"$word $rest\" in uci*) echo uciok;; isready*) echo readyok;; \
                  \"go depth 4\") echo bestmove d2d4;; stop*) echo bestmove e2e4;; quit*) exit;; esac; done";
    std::fs::write(folder.path().join("engine.sh"), script).unwrap();
    for (go, best) in
        [("depth 4", "d2d4"), ("movetime 200", "e2e4"), ("wtime 2000 btime 2000", "e2e4"), ("infinite", "e2e4")]
    {
        // The end of the input stops what still runs, so that no time has to pass.
        let answer = run_in(folder.path(), &["uci", "--agent", "uci:sh engine.sh"], &format!("go {go}\n"));
        assert!(answer.out.trim_end().ends_with(&format!("bestmove {best}")), "{go}: {}{}", answer.out, answer.err);
    }
}

#[test]
fn a_match_of_the_program_against_itself() {
    let folder = tempfile::tempdir().unwrap();
    let engine = format!("uci:'{}' uci --agent random", env!("CARGO_BIN_EXE_afterstate"));
    let args = ["match", &engine, "random", "--game", "chess", "--games", "4", "--time", "1s+10ms", "--json"];
    let answer = run_in(folder.path(), &args, "");
    assert!(answer.ok, "{}", answer.err);
    let report: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!((&report["faults"], &report["games"]), (&serde_json::json!([]), &4.into()));
}

/// Stockfish is where Debian puts it, or on the path.
fn stockfish_or_leave_out(test: &str) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain(["/usr/games".into()])
        .map(|folder| folder.join("stockfish"))
        .find(|file| file.is_file());
    if found.is_none() {
        let required = std::env::var_os("AFTERSTATE_REQUIRE_ENGINES").is_some_and(|value| value == "1");
        assert!(!required, "{test}: stockfish is not installed, and AFTERSTATE_REQUIRE_ENGINES=1 demands it");
        println!("left out: {test}: stockfish is not installed");
    }
    found.map(|file| file.display().to_string())
}

#[test]
fn plays_stockfish() {
    let Some(stockfish) = stockfish_or_leave_out("plays_stockfish") else { return };
    let mut stockfish = UciEngine::new(&stockfish).unwrap().with_option("Threads", "1").with_option("Hash", "16");
    let mut engine = afterstate("");
    for number in [518, 100] {
        let start = Chess::chess960(number).unwrap();
        expect_sound(&play(&start, &mut engine, &mut stockfish, "1s+20ms"));
    }
}

/// Our counts and Stockfish's, move by move.
#[test]
fn counts_as_stockfish_does() {
    let Some(stockfish) = stockfish_or_leave_out("counts_as_stockfish_does") else { return };
    let mut script = String::from("setoption name UCI_Chess960 value true\n");
    for position in [
        "startpos moves e2e4 d7d5 e4e5 f7f5",
        "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "fen 1rk3r1/8/8/8/8/8/8/1RK3R1 w GBgb - 0 1",
        "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        // Draws end no count.
        "fen 2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1",
        "fen 4k3/8/8/8/8/8/8/4K2R w K - 98 80",
    ] {
        script += &format!("position {position}\ngo perft 3\n");
    }
    let counts = |program: &str, arguments: &[&str]| {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let is_count = |line: &&str| line.split_once(": ").is_some_and(|(_, count)| count.parse::<u64>().is_ok());
        let mut lines: Vec<String> = text.lines().filter(is_count).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let ours = counts(env!("CARGO_BIN_EXE_afterstate"), &["uci"]);
    assert!(ours.len() > 80, "{ours:?}");
    assert_eq!(ours, counts(&stockfish, &[]));
}

#[test]
fn a_closed_output_ends_it_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .arg("uci")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    input.write_all(b"isready\n").unwrap();
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "readyok\n");
    drop(output);
    // Its input stays open: only the output tells it that nobody is there.
    input.write_all(b"go infinite\nisready\nisready\n").unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
    drop(input);
}

#[test]
fn the_end_of_input_stops_a_search_and_leaves() {
    let answer = run_in(&std::env::temp_dir(), &["uci"], "position startpos moves e2e4\ngo infinite\n");
    assert!(answer.ok && answer.err.is_empty(), "{}", answer.err);
    assert_eq!(answer.out.matches("bestmove").count(), 1);
    let best = answer.out.lines().last().unwrap().split(' ').nth(1).unwrap();
    let mut game = Chess::new();
    game.play(game.parse_move("e2e4").unwrap());
    assert!(game.is_legal(game.parse_move(best).unwrap()), "{best}");
}

#[test]
fn a_mate_is_found_and_told() {
    for agent in [&["uci"][..], &["uci", "--agent", "alpha-beta"]] {
        let script = "position fen 7k/8/5K2/8/8/8/8/6R1 w - - 0 1\ngo mate 2\nisready\n";
        let mut child = Command::new(env!("CARGO_BIN_EXE_afterstate"))
            .args(agent)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(script.as_bytes()).unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut score = String::new();
        for line in lines {
            if line.contains(" score ") {
                score = line;
            } else if line.starts_with("bestmove") {
                assert_eq!(line.split(' ').nth(1), Some("f6f7"), "{agent:?}: {line}");
                break;
            }
        }
        assert!(score.contains(" score mate 2 "), "{agent:?}: {score}");
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

/// The program with open pipes, as a chess program has it.
struct Engine {
    child: std::process::Child,
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Engine {
    fn start() -> Engine {
        let mut command = Command::new(env!("CARGO_BIN_EXE_afterstate"));
        let mut child = command.arg("uci").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Engine { child, input, output }
    }

    /// Says it, and returns all lines up to the first one that begins with `last`.
    fn ask(&mut self, text: &str, last: &str) -> Vec<String> {
        writeln!(self.input, "{text}").unwrap();
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended before '{last}': {lines:?}");
            lines.push(line.trim_end().to_string());
            if line.starts_with(last) {
                return lines;
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "quit");
        let _ = self.child.wait();
    }
}

/// What follows a word in a line of information.
fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.split_once(&format!(" {word} ")).map(|(_, rest)| rest.split(' ').next().unwrap())
}

#[test]
fn several_lines_are_shown_with_their_chances() {
    let mut engine = Engine::start();
    let options = engine.ask("uci", "uciok").join("\n");
    for option in ["MultiPV type spin", "UCI_ShowWDL type check", "UCI_LimitStrength type check", "UCI_Elo type spin"] {
        assert!(options.contains(&format!("option name {option}")), "{option}: {options}");
    }
    engine.ask("setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true\nisready", "readyok");
    let lines = engine.ask("position startpos moves e2e4\ngo depth 5", "bestmove");
    let of_depth = |depth| lines.iter().filter(move |line| after(line, "depth") == Some(depth));
    // The last three of the last depth: in order, of different moves, none better than the one before.
    let last: Vec<_> = of_depth("5").filter(|line| after(line, "pv").is_some()).collect();
    let last = &last[last.len() - 3..];
    let of = |word| last.iter().map(|line| after(line, word).unwrap()).collect::<Vec<_>>();
    assert_eq!(of("multipv"), ["1", "2", "3"], "{lines:?}");
    let (moves, scores) = (of("pv"), of("cp").iter().map(|score| score.parse::<i32>().unwrap()).collect::<Vec<_>>());
    assert!(moves[0] != moves[1] && moves[1] != moves[2] && moves[0] != moves[2], "{moves:?}");
    assert!(scores.is_sorted_by(|one, next| one >= next), "{scores:?}");
    assert_eq!(lines.last().unwrap().split(' ').nth(1), Some(moves[0]));
    for line in last {
        let chances: Vec<u32> =
            line.split_once(" wdl ").unwrap().1.split(' ').take(3).map(|n| n.parse().unwrap()).collect();
        assert_eq!(chances.iter().sum::<u32>(), 1000, "{line}");
    }
}

#[test]
fn what_has_pondered_enough_answers_at_once() {
    let mut engine = Engine::start();
    // A mate in one that no time makes surer: the clock alone would not begin another iteration.
    let place = "position fen 6k1/5ppp/8/8/8/8/8/R6K w - - 0 1";
    engine.ask(&format!("{place}\ngo ponder wtime 100000000 btime 100000000"), "info depth 12");
    let begin = std::time::Instant::now();
    engine.ask("ponderhit", "bestmove");
    // The hard limit would be hours.
    assert!(begin.elapsed() < Duration::from_secs(60));
}

#[test]
fn only_the_moves_that_are_named_are_searched() {
    let mut engine = Engine::start();
    // Taking the queen is left out.
    let lines =
        engine.ask("position fen 4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1\ngo depth 4 searchmoves e1e2 e1f2", "bestmove");
    let best = lines.last().unwrap().split(' ').nth(1).unwrap();
    assert!(["e1e2", "e1f2"].contains(&best), "{lines:?}");
    let all = engine.ask("go depth 4", "bestmove");
    assert!(all.last().unwrap().starts_with("bestmove e4d5"), "{all:?}");
}

#[test]
fn what_ponders_answers_only_when_its_move_was_played_or_it_is_stopped() {
    let mut engine = Engine::start();
    for end in ["ponderhit", "stop"] {
        let mut lines = engine.ask("position startpos moves e2e4 e7e5\ngo ponder depth 2", "info depth 2");
        lines.extend(engine.ask("isready", "readyok"));
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
        engine.ask(end, "bestmove");
        // Nothing of it is left over.
        let lines = engine.ask("isready", "readyok");
        assert_eq!(lines, ["readyok"]);
    }
}

#[test]
fn with_limited_strength_it_looks_at_fewer_positions() {
    let mut engine = Engine::start();
    let mut nodes = |limited: bool, elo: &str| -> u64 {
        let options = format!("setoption name UCI_LimitStrength value {limited}\nsetoption name UCI_Elo value {elo}");
        engine.ask(&format!("ucinewgame\n{options}\nisready"), "readyok");
        let lines = engine.ask("position startpos\ngo depth 12", "bestmove");
        lines.iter().filter_map(|line| after(line, "nodes")).map(|nodes| nodes.parse().unwrap()).max().unwrap()
    };
    let [all, weak, stronger] =
        [(false, "1790"), (true, "500"), (true, "1000")].map(|(limited, elo)| nodes(limited, elo));
    assert!(weak < stronger && stronger < all, "{weak} {stronger} {all}");
}

#[test]
fn who_limits_a_strength_that_nobody_measured_is_told() {
    let limit = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1000\nisready";
    let notes = |agent: &str| {
        let answer = run_in(".".as_ref(), &["uci", "--agent", agent], &format!("{limit}\nquit\n"));
        answer.out.matches("info string UCI_Elo was measured with tournament-search:material").count()
    };
    assert_eq!([notes("tournament-search"), notes("uct:100")], [0, 1]);
}

#[test]
fn agents_that_cannot_play_chess_are_refused_at_once() {
    assert!(fail(&["uci", "--agent", "dyna-2:memory=run"]).contains("chess"));
    assert!(fail(&["uci", "--agent", "gtp:gnugo"]).contains("chess"));
    assert!(fail(&["uci", "--agent", "nonsense"]).contains("expected random"));
    for idle in ["nodes=500", "error=0.1"] {
        let agent = format!("tournament-search:material,{idle}");
        assert!(fail(&["uci", "--agent", &agent]).contains("UCI_LimitStrength"), "{idle}");
    }
}
