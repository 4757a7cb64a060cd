//! What the player hears of, and when.

use super::analysis::Counting;
use super::players::{FirstPoint, Log, Witness, session};
use afterstate_arena::{Clock, Player, PlayerError};
use afterstate_engine::{Budget, Decision};
use afterstate_games::Record;
use afterstate_games::go::{Go, Move, Point};
use afterstate_protocols::gtp::Session;
use std::io::{self, Cursor, Write};
use std::time::Duration;

/// A session, the commands already given, and what the player was told.
fn told(answers: Vec<Result<Option<Move>, PlayerError>>, commands: &[(&str, &str)]) -> Vec<String> {
    let log = Log::default();
    let player = Witness { log: Log::clone(&log), answers };
    let mut session = Session::new("witness", Box::new(player)).with_sizes(5..=9);
    for (command, answer) in commands {
        assert_eq!(session.respond(command), format!("{answer}\n\n"), "{command}");
    }
    log.lock().unwrap().clone()
}

#[test]
fn setting_up_is_one_new_game_and_moves_are_told_one_by_one() {
    let told = told(
        vec![],
        &[
            ("boardsize 5", "= "),
            ("komi 0.5", "= "),
            ("clear_board", "= "),
            ("play b C3", "= "),
            ("genmove w", "= A1"),
            ("play b pass", "= "),
            ("play w pass", "= "),
            ("kgs-game_over", "= "),
        ],
    );
    assert_eq!(
        told,
        [
            "new game: size 5, komi 0.5, 0 moves, 0 + 0 stones, First to move",
            "played: size 5, komi 0.5, 1 moves, 1 + 0 stones, Second to move",
            "choose: size 5, komi 0.5, 1 moves, 1 + 0 stones, Second to move",
            "played: size 5, komi 0.5, 2 moves, 1 + 1 stones, First to move",
            "played: size 5, komi 0.5, 3 moves, 1 + 1 stones, Second to move",
            "played: size 5, komi 0.5, 4 moves, 1 + 1 stones, First to move",
            "over, Some(Second): size 5, komi 0.5, 4 moves, 1 + 1 stones, First to move",
        ]
    );
}

/// Writes answers into the list of what the player was told.
struct Answers(Log);

impl Write for Answers {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(text).trim_end().to_owned();
        self.0.lock().unwrap().push(line);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn moves_are_answered_before_the_player_hears_of_them() {
    let log = Log::default();
    let session = Session::new("witness", Box::new(Witness { log: Log::clone(&log), answers: vec![] }));
    let commands = "play b C3\ngenmove w\nundo\ngenmove w\nplay b pass\nplay w pass\nquit\n";
    session.run(Cursor::new(commands), Answers(Log::clone(&log))).unwrap();
    let told = log.lock().unwrap();
    let order: Vec<&str> = told.iter().map(|line| line.split(':').next().unwrap()).collect();
    // What was taken back was an end, as nobody should go on with it, and the end of the game comes last.
    let first = ["new game", "=", "played", "choose", "= A1", "played", "over, Some(First)"];
    let then = ["=", "new game", "choose", "= A1", "played", "=", "played", "=", "played", "over, Some(Second)", "="];
    assert_eq!(order, [&first[..], &then].concat());
}

#[test]
fn an_analysis_is_of_the_game_as_it_is() {
    let log = Log::default();
    let witness = Witness { log: log.clone(), answers: vec![] };
    let mut session = Session::new("witness", Box::new(witness)).with_analyst(Box::new(Counting));
    for command in
        ["boardsize 9", "lz-analyze b 1", "komi 7.5", "play b C3", "komi 6.5", "lz-analyze w 1", "lz-analyze b 1"]
    {
        assert!(session.respond(command).starts_with('='), "{command}");
    }
    session.respond("play w D4");
    assert_eq!(
        *log.lock().unwrap(),
        [
            "new game: size 9, komi 7.5, 0 moves, 0 + 0 stones, First to move",
            // The same komi is no news.
            "played: size 9, komi 7.5, 1 moves, 1 + 0 stones, Second to move",
            // The tree knew another komi, and then nothing of Black's second move.
            "over, Some(First): size 9, komi 6.5, 1 moves, 1 + 0 stones, Second to move",
            "new game: size 9, komi 6.5, 1 moves, 1 + 0 stones, Second to move",
            "new game: size 9, komi 6.5, 0 moves, 1 + 0 stones, First to move",
            "new game: size 9, komi 6.5, 1 moves, 1 + 0 stones, Second to move",
            "played: size 9, komi 6.5, 2 moves, 1 + 1 stones, First to move",
        ]
    );
}

#[test]
fn whatever_is_no_move_is_a_new_game() {
    let told = told(
        vec![],
        &[
            ("play b C3", "= "),
            ("play b D4", "= "),
            ("genmove b", "= A1"),
            ("undo", "= "),
            ("undo", "= "),
            ("genmove w", "= A1"),
            ("reg_genmove w", "= B1"),
            ("play b B1", "= "),
        ],
    );
    assert_eq!(
        told,
        [
            "new game: size 9, komi 7.5, 0 moves, 0 + 0 stones, First to move",
            "played: size 9, komi 7.5, 1 moves, 1 + 0 stones, Second to move",
            // Black again, and again: each time the record starts anew, and nobody ponders on what is no more.
            "over, Some(First): size 9, komi 7.5, 1 moves, 2 + 0 stones, Second to move",
            "new game: size 9, komi 7.5, 0 moves, 2 + 0 stones, First to move",
            "choose: size 9, komi 7.5, 0 moves, 2 + 0 stones, First to move",
            "played: size 9, komi 7.5, 1 moves, 3 + 0 stones, Second to move",
            // Taken back to the first move, which White answers.
            "over, Some(First): size 9, komi 7.5, 1 moves, 2 + 0 stones, Second to move",
            "new game: size 9, komi 7.5, 1 moves, 1 + 0 stones, Second to move",
            "choose: size 9, komi 7.5, 1 moves, 1 + 0 stones, Second to move",
            "played: size 9, komi 7.5, 2 moves, 1 + 1 stones, First to move",
            // A move that is only asked for is chosen elsewhere…
            "new game: size 9, komi 7.5, 0 moves, 1 + 1 stones, Second to move",
            "choose: size 9, komi 7.5, 0 moves, 1 + 1 stones, Second to move",
            // …and the game goes on as it was.
            "new game: size 9, komi 7.5, 2 moves, 1 + 1 stones, First to move",
            "played: size 9, komi 7.5, 3 moves, 2 + 1 stones, Second to move",
        ]
    );
}

#[test]
fn failures_are_refusals_and_leave_the_game_as_it_was() {
    let occupied = Move::play(Point::at(2, 2, 9));
    let told = told(
        vec![Err(PlayerError::Garbage("no idea".into())), Ok(Some(occupied)), Ok(None), Ok(Some(Move::PASS))],
        &[
            ("play b C3", "= "),
            ("genmove w", "? the player cannot move: protocol error: no idea"),
            ("genmove w", "? the player chose the illegal move C3"),
            ("genmove w", "= resign"),
            ("genmove w", "= pass"),
            ("undo", "= "),
            ("undo", "= "),
            ("undo", "? cannot undo"),
        ],
    );
    let choices = told.iter().filter(|line| line.starts_with("choose"));
    assert!(choices.clone().all(|line| line.contains("1 moves, 1 + 0 stones, Second")), "{told:#?}");
    assert_eq!(choices.count(), 4);
    assert_eq!(told.iter().filter(|line| line.starts_with("new game")).count(), 4, "{told:#?}");
}

#[test]
fn clocks_become_budgets() {
    let told = told(
        vec![],
        &[
            ("genmove b", "= A1"),
            ("time_settings 300 0 0", "= "),
            ("genmove w", "= B1"),
            ("time_settings 0 30 5", "= "),
            ("time_left b 10 2", "= "),
            ("genmove b", "= C1"),
            ("time_settings 0 1 0", "= "),
            ("genmove w", "= D1"),
            ("kgs-time_settings byoyomi 10 30 5", "= "),
            ("genmove b", "= E1"),
            ("kgs-time_settings none", "= "),
            ("genmove w", "= F1"),
            ("kata-time_settings fischer 60 2.5", "= "),
            ("genmove b", "= G1"),
            ("kata-time_settings none", "= "),
            ("genmove w", "= H1"),
            // The largest number that some have stands for no limit, and who said so is not asked again.
            ("time_settings 2147483647 0 0", "= "),
            ("time_left b 2147483647 0", "= "),
            ("genmove b", "= J1"),
        ],
    );
    let limited: Vec<bool> =
        told.iter().filter(|line| line.starts_with("choose")).map(|line| line.contains("in time")).collect();
    assert_eq!(limited, [false, true, true, false, true, false, true, false, false]);
}

/// Says how long it was given for its last move.
struct Hurry(std::sync::mpsc::Sender<std::time::Duration>);

impl Player<Go> for Hurry {
    fn new_game(&mut self, _: &Record<Go>, _: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, _: &Record<Go>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        let _ = self.0.send(budget.deadline.unwrap().saturating_duration_since(std::time::Instant::now()));
        Ok(Decision::play(Move::PASS))
    }
}

/// A session that takes commands, the last of which asks for a move, and says how many seconds that was given.
fn limits() -> impl FnMut(&[&str]) -> f64 {
    let (sender, limits) = std::sync::mpsc::channel();
    let mut session = Session::new("hurry", Box::new(Hurry(sender)));
    move |commands: &[&str]| {
        for command in commands {
            assert!(session.respond(command).starts_with('='), "{command}");
        }
        limits.recv().unwrap().as_secs_f64()
    }
}

#[test]
fn time_left_outranks_our_own_count() {
    let mut limit = limits();
    // A thirtieth of an hour, less what it took to get here.
    let limit_of_an_hour = limit(&["time_settings 3600 0 0", "genmove b"]);
    assert!((60.0..=120.0).contains(&limit_of_an_hour), "{limit_of_an_hour}");
    let limit_at_the_end = limit(&["time_left b 3 0", "genmove b"]);
    assert!(limit_at_the_end <= 0.1, "{limit_at_the_end}");
    // Ten minutes for the last stone of a period.
    let last_stone = limit(&["time_settings 0 3600 100", "time_left w 600 1", "genmove w"]);
    assert!((300.0..=540.0).contains(&last_stone), "{last_stone}");
    // A second of the last Japanese period, which comes back with the move.
    let commands = ["kgs-time_settings byoyomi 0 600 3", "time_left w 1 1", "genmove w"];
    assert!(limit(&commands) <= 1.0);
    assert!(limit(&["genmove w"]) > 300.0);
}

/// Some controllers say what is left and never how the game is timed.
#[test]
fn time_left_tells_of_a_clock_that_nobody_has_set() {
    let mut limit = limits();
    assert!(limit(&["time_left b 3 0", "genmove b"]) <= 0.1);
    let last_stone = limit(&["time_left w 600 1", "genmove w"]);
    assert!((300.0..=540.0).contains(&last_stone), "{last_stone}");
    let again = limit(&["clear_board", "time_left b 1200 0", "genmove b"]);
    assert!((20.0..=40.0).contains(&again), "{again}");
}

/// Tidies up for a while after each move, and says what its clock shows.
struct Tidy(Duration, std::sync::mpsc::Sender<Duration>);

impl Player<Go> for Tidy {
    fn new_game(&mut self, _: &Record<Go>, _: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn clocks(&mut self, clocks: &[Clock; 2]) {
        let _ = self.1.send(clocks[1].allowed().unwrap());
    }

    fn choose(&mut self, _: &Record<Go>, _: &Budget) -> Result<Decision<Move>, PlayerError> {
        Ok(Decision::play(Move::PASS))
    }

    fn move_played(&mut self, _: &Record<Go>) -> Result<(), PlayerError> {
        std::thread::sleep(self.0);
        Ok(())
    }
}

#[test]
fn whoever_waits_for_us_waits_on_our_clock() {
    let (sender, shown) = std::sync::mpsc::channel();
    let tidying = Duration::from_millis(300);
    let session = Session::new("tidy", Box::new(Tidy(tidying, sender)));
    let commands = "time_settings 0 20 1\nplay b E5\ngenmove w\n";
    session.run(std::io::Cursor::new(commands), Vec::new()).unwrap();
    let shown = shown.recv().unwrap();
    assert!(shown <= Duration::from_secs(20) - tidying, "{shown:?}");
    assert!(shown > Duration::from_secs(5), "{shown:?}");
}

#[test]
fn katagos_clocks_are_those_that_it_lists() {
    let mut session = session();
    let listed = session.respond("kata-list_time_settings");
    for (system, numbers) in [
        ("none", ""),
        ("absolute", " 2147483647"),
        ("byoyomi", " 10.5 30.5 5"),
        ("canadian", " 0 30 10"),
        ("fischer", " 60.5 0"),
        ("fischer-capped", " 60 5 -1 -1"),
    ] {
        assert!(listed.split_whitespace().any(|known| known == system), "{system}: {listed}");
        assert_eq!(session.respond(&format!("kata-time_settings {system}{numbers}")), "= \n\n");
    }
    assert_eq!(listed.split_whitespace().count(), 7, "{listed}");
    for wrong in
        ["fischer 60", "fischer 60 -1", "fischer-capped 60 5 59 -1", "fischer-capped 60 5 nan -1", "hourglass 60"]
    {
        let answer = session.respond(&format!("kata-time_settings {wrong}"));
        assert!(answer.starts_with("? syntax error: ") && answer.lines().count() == 2, "{wrong}: {answer}");
    }
    let mut limit = limits();
    // Increments are thought out although hardly any time is left for the game…
    let with_increment = limit(&["kata-time_settings fischer 30 60", "genmove b"]);
    assert!((20.0..=30.0).contains(&with_increment), "{with_increment}");
    // …and go to the clock after every move: the second move finds more than 30 seconds.
    let with_two = limit(&["genmove b"]);
    assert!(with_two > with_increment + 1.0, "{with_two}");
    let capped = limit(&["kata-time_settings fischer-capped 3000 60 3000 15", "genmove b"]);
    assert!((10.0..=15.0).contains(&capped), "{capped}");
    // A new game begins with the same clocks.
    let again = limit(&["clear_board", "genmove w"]);
    assert!((10.0..=15.0).contains(&again), "{again}");
}

/// Panics whenever it has to move.
struct Panics;

impl Player<Go> for Panics {
    fn new_game(&mut self, _: &Record<Go>, _: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, _: &Record<Go>, _: &Budget) -> Result<Decision<Move>, PlayerError> {
        panic!("this player always does")
    }
}

#[test]
fn a_player_that_panics_does_not_end_the_session() {
    let mut session = Session::new("panics", Box::new(Panics));
    assert_eq!(session.respond("genmove b"), "? the player cannot move: crashed: the player panicked\n\n");
    assert_eq!(session.respond("name"), "= panics\n\n");
}

#[test]
fn sizes_that_the_player_cannot_play_are_unacceptable() {
    let mut session = Session::new("nine", Box::new(FirstPoint)).with_sizes(9..=13);
    assert_eq!(session.record().position().size(), 13);
    assert_eq!(session.respond("boardsize 8"), "? unacceptable size\n\n");
    assert_eq!(session.respond("boardsize 14"), "? unacceptable size\n\n");
    assert_eq!(session.respond("boardsize 9"), "= \n\n");
    assert_eq!(session.record().position().size(), 9);
}
