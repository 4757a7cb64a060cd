//! The engine as Sabaki, Lizzie and GoGui run it: a process of its own, with commands that come when they come.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use support::run_in;

struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

impl Engine {
    fn start(args: &[&str]) -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_afterstate"))
            .arg("gtp")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        Engine { child, input, lines: lines(out), errors: lines(err) }
    }

    fn send(&mut self, text: &str) {
        writeln!(self.input, "{text}").unwrap();
    }

    /// Long enough for any machine; only a hang waits for it.
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).expect("a line")
    }

    /// Everything up to the empty line that ends a response.
    fn response(&self) -> Vec<String> {
        std::iter::repeat_with(|| self.line()).take_while(|line| !line.is_empty()).collect()
    }

    fn ask(&mut self, command: &str) -> Vec<String> {
        self.send(command);
        let lines = self.response();
        assert!(lines[0].starts_with('='), "{command}: {lines:?}");
        lines
    }

    fn quit(mut self) {
        self.ask("quit");
        assert!(self.child.wait().unwrap().success());
    }
}

/// Sabaki asks who it is and what it can do, sets the position up, analyses, stops that with the next command, and plays
/// with `lz-genmove_analyze` because it exists.
#[test]
fn sabaki_analyses_and_plays() {
    for agent in ["mc-rave:300", "puct:iterations=300", "puct:iterations=300,playout=usual"] {
        let mut engine = Engine::start(&["--agent", agent]);
        assert_eq!(engine.ask("name"), [format!("= afterstate {agent}")]);
        engine.ask("version");
        engine.ask("protocol_version");
        let commands = engine.ask("list_commands");
        for command in ["lz-analyze", "kata-analyze", "lz-genmove_analyze", "kata-genmove_analyze", "undo", "loadsgf"] {
            assert!(commands.iter().any(|line| line.trim_start_matches("= ") == command), "{command}: {commands:?}");
        }
        for command in ["boardsize 9", "komi 7.5", "clear_board", "play B E5"] {
            assert_eq!(engine.ask(command), ["= "], "{command}");
        }
        for stop in ["protocol_version", "play W C3", "undo", "nonsense"] {
            engine.send("lz-analyze W 1");
            assert_eq!(engine.line(), "= ");
            for _ in 0..3 {
                let line = engine.line();
                for word in ["info move ", " visits ", " winrate ", " prior ", " lcb ", " order 0 ", " pv "] {
                    assert!(line.contains(word), "{word}: {line}");
                }
            }
            engine.send(stop);
            engine.response();
            let answer = engine.response();
            assert_eq!(answer[0].starts_with('='), stop != "nonsense", "{stop}: {answer:?}");
        }
        let answer = engine.ask("lz-genmove_analyze W 1");
        let (last, shown) = (answer.last().unwrap(), &answer[answer.len() - 2]);
        assert!(shown.starts_with(&format!("info move {} ", last.strip_prefix("play ").unwrap())), "{answer:?}");
        engine.quit();
    }
}

/// Lizzie analyses on and on while moves are made and taken back; its successors ask for owners and the root.
#[test]
fn lizzie_analyses() {
    let mut engine = Engine::start(&["--agent", "uct:300,threads=2", "--version-text", "0.17"]);
    // It takes this for Leela Zero's, of which it wants 0.15 or newer.
    assert_eq!(engine.ask("version"), ["= 0.17"]);
    for command in ["name", "boardsize 13", "komi 6.5", "time_settings 0 0 1"] {
        engine.ask(command);
    }
    for command in ["play B D4", "play W K10", "undo", "clear_board"] {
        engine.send("lz-analyze 2");
        assert_eq!(engine.line(), "= ");
        assert!(engine.line().starts_with("info move "));
        engine.send(command);
        engine.response();
        assert_eq!(engine.response(), ["= "], "{command}");
    }
    engine.send("kata-analyze B 2 rootInfo true ownership true maxmoves 3");
    assert_eq!(engine.line(), "= ");
    let line = engine.line();
    assert_eq!(line.matches("info move ").count(), 3, "{line}");
    assert!(line.contains(" rootInfo "), "{line}");
    let owners: Vec<f64> =
        line.split_once(" ownership ").unwrap().1.split(' ').map(|owner| owner.parse().unwrap()).collect();
    assert_eq!(owners.len(), 169);
    // The end of input ends the analysis and the program.
    drop(engine.input);
    assert!(engine.child.wait().unwrap().success());
}

/// GoGui puts the drawings on its menu and shows them on request; live graphics come on standard error.
#[test]
fn gogui_draws() {
    let mut engine = Engine::start(&["--agent", "mc-rave:300"]);
    for command in ["protocol_version", "name", "list_commands", "version", "boardsize 9", "clear_board"] {
        engine.ask(command);
    }
    let menu = engine.ask("gogui-analyze_commands").join("\n");
    for map in ["value", "visits", "amaf", "prior", "ownership"] {
        assert!(menu.contains(&format!("/afterstate-search-{map}")), "{menu}");
        let drawing = engine.ask(&format!("afterstate-search-{map}"));
        let expected = if map == "ownership" { "= INFLUENCE " } else { "= COLOR " };
        assert!(drawing[0].starts_with(expected), "{map}: {drawing:?}");
    }
    assert!(menu.contains("param/Live Graphics/afterstate-live-graphics"), "{menu}");
    assert_eq!(engine.ask("afterstate-live-graphics draw amaf"), ["= "]);
    assert_ne!(engine.ask("genmove b"), ["= "]);
    assert_eq!(engine.errors.recv_timeout(Duration::from_secs(60)).unwrap(), "gogui-gfx:");
    let drawn: Vec<String> = std::iter::repeat_with(|| engine.errors.recv_timeout(Duration::from_secs(60)).unwrap())
        .take_while(|line| line != "gogui-gfx: CLEAR")
        .collect();
    assert!(drawn.iter().any(|line| line.starts_with("LABEL ")), "{drawn:?}");
    engine.quit();
}

/// A network does not say who owns what, and knows nothing of moves as first: those maps are empty.
#[test]
fn what_a_network_leads_draws_what_it_knows() {
    let mut engine = Engine::start(&["--agent", "puct:iterations=300"]);
    engine.ask("boardsize 5");
    for (map, expected) in [("value", "= COLOR "), ("visits", "= COLOR "), ("prior", "= COLOR ")] {
        let drawing = engine.ask(&format!("afterstate-search-{map}"));
        assert!(drawing[0].starts_with(expected), "{map}: {drawing:?}");
    }
    for map in ["amaf", "ownership"] {
        engine.ask(&format!("afterstate-search-{map}"));
    }
    engine.send("kata-analyze B 2 rootInfo true ownership true");
    assert_eq!(engine.line(), "= ");
    let line = engine.line();
    assert!(line.contains("info move ") && line.contains(" rootInfo ") && !line.contains(" ownership "), "{line}");
    engine.send("quit");
    assert!(engine.child.wait().unwrap().success());
}

/// What is cut off somewhere ends on boards that say nothing of owners and of points.
#[test]
fn truncated_simulations_show_no_owners() {
    let mut engine = Engine::start(&["--agent", "mc-rave:300,truncate=0"]);
    engine.ask("boardsize 9");
    let answer = engine.ask("kata-genmove_analyze b 1 ownership true rootInfo true").join("\n");
    assert!(answer.contains(" rootInfo visits ") && answer.contains("play "), "{answer}");
    assert!(!answer.contains(" scoreLead ") && !answer.contains(" ownership "), "{answer}");
    engine.quit();
}

/// Dead stones are told from living ones by playouts, for agents that simulate; others play on instead.
#[test]
fn a_finished_game_is_counted_without_dead_stones() {
    let mut script = String::from("boardsize 5\nkomi 0.5\n");
    for row in 1..=5 {
        script += &format!("play b B{row}\nplay b D{row}\n");
    }
    script += "play w E3\nplay b pass\nplay w pass\nfinal_status_list dead\nfinal_score\nquit\n";
    for (agent, dead, score) in
        [("mc-rave:50", "= E3", "= B+24.5"), ("puct", "= E3", "= B+24.5"), ("random", "= ", "= B+18.5")]
    {
        let answer = run_in(&std::env::temp_dir(), &["gtp", "--agent", agent], &script);
        assert!(answer.ok, "{}", answer.err);
        let lines: Vec<&str> = answer.out.lines().filter(|line| !line.is_empty()).rev().collect();
        assert_eq!(lines[1..3], [score, dead], "{agent}: {}", answer.out);
    }
}

/// After a pass TD search may end its simulations at once; who owns what is seen where they are played out.
#[test]
fn a_pass_that_ends_simulations_says_nothing_of_owners() {
    let mut engine = Engine::start(&["--agent", "td-search:1000", "--size", "5"]);
    for row in 1..=5 {
        engine.ask(&format!("play b B{row}"));
        engine.ask(&format!("play b D{row}"));
    }
    for command in ["play w E3", "play b C3", "play w pass"] {
        engine.ask(command);
    }
    engine.send("kata-analyze b 20 ownership true");
    assert_eq!(engine.line(), "= ");
    let line = engine.line();
    let owners: Vec<f64> =
        line.split_once(" ownership ").unwrap().1.split(' ').map(|owner| owner.parse().unwrap()).collect();
    // Row by row from the top: the last of the third.
    assert!(owners[14] > 0.2, "{line}");
    drop(engine.input);
    assert!(engine.child.wait().unwrap().success());
}
