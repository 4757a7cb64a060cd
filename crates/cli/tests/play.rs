//! Games in the terminal against searches that prove outcomes.

mod support;

use support::{fail, run_in};

/// What is printed while `input` is typed, with the same seed every time.
fn play(args: &[&str], input: &str) -> String {
    play_with_any_seed(&[args, &["--seed", "1"]].concat(), input)
}

fn play_with_any_seed(args: &[&str], input: &str) -> String {
    let answer = run_in(&std::env::temp_dir(), &[&["play"], args].concat(), input);
    assert!(answer.ok, "{args:?}: {}", answer.err);
    answer.out
}

/// The two discs in the middle become three, with room on both sides.
const OPEN_THREE: &str = "......./......./......./......./..OO.../..XX...";

#[test]
fn a_proven_win_is_announced_and_played_out() {
    for agent in ["uct:5000,solver=true", "mc-rave:5000,solver=true", "rave:5000,solver=true"] {
        let args = ["--game", "connect-four", "--position", OPEN_THREE, "--agent", agent, "--side", "second"];
        // Whichever side it takes, both ends cannot be closed.
        let out = play(&args, "7\n7\n");
        let moves: Vec<&str> = out.lines().filter(|line| line.contains(" plays ")).collect();
        assert!(moves[0].contains("(proven win for X, ") && moves.len() == 2, "{agent}: {out}");
        assert!(out.trim_end().ends_with(&format!("{agent} wins.")), "{out}");
        let hint = play(&args[..6], "hint\nquit\n");
        assert!(hint.contains(" would play ") && hint.contains("(proven win for X, "), "{agent}: {hint}");
    }
    // Without the solver nothing is proved.
    let out = play(&["--game", "connect-four", "--position", OPEN_THREE, "--agent", "uct:2000"], "hint\nquit\n");
    assert!(out.contains("% for X") && !out.contains("proven"), "{out}");
}

#[test]
fn proven_losses_and_draws_are_announced_too() {
    let args = ["--agent", "uct:100000,solver=true", "--game"];
    let lost = "......./......./......./......./..OO.../..XXX..";
    let out = play(&[&args[..], &["connect-four", "--position", lost]].concat(), "quit\n");
    assert!(out.contains("plays ") && out.contains("(proven win for X, "), "{out}");
    let out = play(&[&args[..], &["tic-tac-toe", "--position", "XOX/XO./OX."]].concat(), "quit\n");
    assert!(out.contains("(proven draw, "), "{out}");
    // The whole of tic-tac-toe is a draw.
    let out = play(&[&args[..], &["tic-tac-toe", "--side", "second"]].concat(), "quit\n");
    assert!(out.contains("(proven draw, "), "{out}");
}

/// Every game has dice of its own, but the seed that is shown brings them back.
#[test]
fn a_game_says_with_which_seed_it_is_played() {
    let args = ["--game", "backgammon"];
    let out = play_with_any_seed(&args, "moves\nquit\n");
    let seed = out.lines().find_map(|line| line.split_once("--seed ")).map(|(_, seed)| seed.trim()).unwrap();
    assert_eq!(play_with_any_seed(&[&args[..], &["--seed", seed]].concat(), "moves\nquit\n"), out);
}

/// Moves and positions are lines, so that programs can play as well as people.
#[test]
fn positions_are_lines_that_a_game_can_begin_with() {
    for (game, mv) in [("connect-four", "4"), ("tic-tac-toe", "5"), ("go5", "C3")] {
        let input = format!("{mv}\nposition\nquit\n");
        let out = play(&["--game", game], &input);
        let position = out.lines().find(|line| line.contains('/')).unwrap();
        let again = play(&["--game", game, "--position", position], "position\nquit\n");
        assert!(again.lines().any(|line| line == position), "{game}: {out}\n{again}");
    }
    let over = play(&["--game", "tic-tac-toe", "--position", "XXX/OO./..."], "");
    assert!(over.contains("You win."), "{over}");
    for (game, text, expected) in [
        ("connect-four", "X......", "six rows of seven squares"),
        ("connect-four", "X....../......./......./......./......./.......", "every disc at the bottom"),
        ("tic-tac-toe", "XXXXXXXXX", "position"),
        ("go", "nonsense", "position"),
    ] {
        let message = fail(&["play", "--game", game, "--position", text]);
        assert!(message.contains("--position") && message.contains(expected), "{game}: {message}");
    }
}
