//! GNU Backgammon as an opponent: a stand-in that fails in every way we could think of, and the program itself.
#![cfg(target_os = "linux")]

mod support;

use afterstate_arena::external::{Gnubg, Limits};
use afterstate_arena::{EndKind, GameRules, Player, PlayerError, RandomPlayer, RulesReferee, play_game};
use afterstate_engine::Budget;
use afterstate_games::backgammon::{Backgammon, Board, Dice, ids::read_xgid};
use afterstate_games::{Notation, Record, Side};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::expect_none_left;

fn limits() -> Limits {
    Limits { start: Duration::from_secs(20), command: Duration::from_secs(20), per_move: Duration::from_secs(2) }
}

/// Programs whose part at the socket is played by `answer`: what is written for each line; nothing closes the socket.
fn fake(folder: &Path, answer: impl Fn(&str) -> Option<String> + Send + 'static) -> Gnubg {
    let port = folder.join("port");
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-gnubg.sh");
    let programs = Gnubg::new(&format!("sh '{}' '{}' talks", script.display(), port.display()), 0).unwrap();
    std::thread::spawn(move || {
        let text = loop {
            match std::fs::read_to_string(&port) {
                Ok(text) => break text,
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let listener = TcpListener::bind(("localhost", text.trim().parse::<u16>().unwrap())).unwrap();
        let mut stream = listener.accept().unwrap().0;
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            let Some(answer) = answer(&line) else { return };
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    programs.with_limits(limits())
}

fn start(one: u8, other: u8) -> Record<Backgammon> {
    Record::new(Backgammon::at(Board::start(), Side::First, Dice::new(one, other)))
}

/// What a player of `programs` says to the opening roll of 3 and 1.
fn answer_to_31(programs: &Gnubg) -> Result<String, PlayerError> {
    let record = start(3, 1);
    let mut player = programs.player();
    player.new_game(&record, 1)?;
    let decision = player.choose(&record, &Budget::default())?;
    Ok(record.position().move_text(decision.best.unwrap()))
}

#[test]
fn plays_are_read_however_their_steps_are_written() {
    for (text, expected) in [("8/5 6/5 \n", "8/5 6/5"), ("6/5* 8/5\n", "8/5 6/5"), ("24/23 23/20\n", "24/20")] {
        let folder = tempfile::tempdir().unwrap();
        let programs = fake(folder.path(), move |line| line.starts_with("board:You:").then(|| text.to_string()));
        assert_eq!(answer_to_31(&programs).unwrap(), expected);
        // The next player asks the same program.
        assert_eq!(answer_to_31(&programs).unwrap(), expected);
        drop(programs);
        expect_none_left(folder.path().to_str().unwrap());
    }
}

#[test]
fn every_failure_has_its_reason_and_leaves_nothing_behind() {
    let endless = "x".repeat(200_000);
    let cases: [(Option<&str>, &str); 9] = [
        (Some("hello\n"), "'hello': expected a legal play"),
        (Some("\n"), "'': expected a legal play"),
        (Some("24/1\n"), "'24/1': expected a legal play"),
        (Some("8/5\n"), "'8/5': expected a legal play"),
        (Some("8/5 6/5 6/5 6/5 6/5\n"), "expected a legal play"),
        (Some("99999999999999999999/1 0/0 6/-1\n"), "expected a legal play"),
        (Some(&endless), "an answer is longer than"),
        (Some("8/5 6"), "no play within 2.000 s"),
        (None, "the socket was closed"),
    ];
    for (answer, needle) in cases {
        let folder = tempfile::tempdir().unwrap();
        let answer = answer.map(str::to_string);
        let programs = fake(folder.path(), move |_| answer.clone());
        let error = answer_to_31(&programs).unwrap_err().to_string();
        assert!(error.contains(needle), "{needle}: {error}");
        expect_none_left(folder.path().to_str().unwrap());
    }
}

#[test]
fn a_program_that_ends_at_once_cannot_be_started() {
    let folder = tempfile::tempdir().unwrap();
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-gnubg.sh");
    let command = format!("sh '{}' '{}' deaf", script.display(), folder.path().join("port").display());
    let error = answer_to_31(&Gnubg::new(&command, 0).unwrap().with_limits(limits())).unwrap_err();
    assert!(matches!(error, PlayerError::NotStarted(_)), "{error}");
    assert!(error.to_string().contains("no such command"), "{error}");
    assert!(answer_to_31(&Gnubg::new("no-such-gnubg", 0).unwrap()).is_err());
}

#[test]
fn the_program_itself_plays_whole_games() {
    if !support::installed_or_leave_out("gnubg", "the_program_itself_plays_whole_games") {
        return;
    }
    let programs = Gnubg::new("gnubg --tty --quiet --no-rc", 0).unwrap();
    let mut wins = 0;
    for game in 0..20 {
        let (mut gnubg, mut random) = (programs.player(), RandomPlayer::default());
        let rules = GameRules { seed: game, dice: game, ..GameRules::default() };
        let players: [&mut dyn Player<Backgammon>; 2] =
            if game % 2 == 0 { [&mut gnubg, &mut random] } else { [&mut random, &mut gnubg] };
        let result = play_game(&Backgammon::new(), &[], players, &mut RulesReferee, &rules).unwrap();
        assert_eq!(result.ending.kind, EndKind::Rules, "{:?}", result.ending);
        let mine = if game % 2 == 0 { Side::First } else { Side::Second };
        wins += u32::from(result.outcome.winner == Some(mine));
    }
    assert!(wins >= 18, "{wins} of 20 games against a random player");
    // Men borne off, by either side.
    let home = [format!("-BBBBBB{}abc-:0:0:1", "-".repeat(15)), format!("-CBA{}bbbbbb-:0:0:-1", "-".repeat(15))];
    for position in home.map(|home| format!("XGID={home}:65:0:0:0:0:10")) {
        let record = Record::new(read_xgid(&position).unwrap());
        let mut player = programs.player();
        player.new_game(&record, 1).unwrap();
        let best = player.choose(&record, &Budget::default()).unwrap().best.unwrap();
        assert_eq!(record.position().move_text(best), "6/off 5/off", "{position}");
    }
}
