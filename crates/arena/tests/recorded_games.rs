//! Games of match logs, as a network learns them.

use afterstate_arena::game_loop::{EndKind, Ending, GameResult, MoveNote};
use afterstate_arena::result_log::{LoggedGame, ResultLog};
use afterstate_arena::tournament::{TournamentSettings, header};
use afterstate_arena::{RecordedGames, RecordedGamesError, Verdict};
use afterstate_engine::Value;
use afterstate_engine::zero::{Expert, Trajectory};
use afterstate_games::{ConnectFour, Notation, Outcome, Side, TicTacToe};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

fn note(value: Option<f32>) -> Option<MoveNote> {
    Some(MoveNote { seconds: 0.0, value: value.map(Value), effort: 0, depth: None, plies_to_end: None })
}

/// A game of tic-tac-toe in which X takes the upper row.
fn won(kind: EndKind) -> GameResult {
    GameResult {
        outcome: Outcome::win(Side::First),
        ending: Ending { kind, detail: String::new() },
        moves: ["1", "4", "2", "5", "3"].map(String::from).into(),
        opening: 2,
        notes: vec![note(Some(0.75)), None, note(None)],
        seconds: [0.0; 2],
        verdict: None,
    }
}

fn log<G: Notation>(path: &Path, first: &G, results: Vec<GameResult>) -> PathBuf {
    let settings = TournamentSettings { agents: vec!["a".into(), "b".into()], ..TournamentSettings::default() };
    let mut log = ResultLog::open(path, &header(&settings, first)).unwrap().log;
    for (index, result) in (0..).zip(results) {
        log.append(&LoggedGame { index, round: 0, agents: [0, 1], start: None, result }).unwrap();
    }
    path.to_path_buf()
}

fn game(games: &mut RecordedGames, number: u64) -> Trajectory {
    let played = games.play(&TicTacToe::default(), &[], number, 9, &AtomicBool::new(false)).unwrap();
    assert!(played.sides.is_empty() && played.met.is_empty());
    played.trajectories.into_iter().next().unwrap()
}

#[test]
fn a_game_is_learnt_behind_its_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = log(&folder.path().join("a.jsonl"), &TicTacToe::default(), vec![won(EndKind::Rules)]);
    let mut games = RecordedGames::read(&TicTacToe::default(), &TicTacToe::default(), &[path], 1).unwrap();
    let played = game(&mut games, 3);
    assert_eq!((played.number, &played.way[..], played.opening), (3, &[0, 3, 1, 4, 2][..], 2));
    // All that was legal, and the move that was played.
    let second = [(1, 1.0), (2, 0.0), (4, 0.0), (5, 0.0), (6, 0.0), (7, 0.0), (8, 0.0)];
    assert_eq!((played.policies.len(), &played.policies[0][..]), (3, &second[..]));
    assert_eq!(played.policies[2], [(2, 1.0), (5, 0.0), (6, 0.0), (7, 0.0), (8, 0.0)]);
    assert_eq!((played.values, played.outcome), (vec![Some(0.75), None, None], 1.0));
}

#[test]
fn folders_are_read_and_faults_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = GameResult {
        outcome: Outcome::DRAW,
        ending: Ending { kind: EndKind::Adjudication, ..won(EndKind::Rules).ending },
        ..won(EndKind::Rules)
    };
    let first = TicTacToe::default();
    log(
        &folder.path().join("a.jsonl"),
        &first,
        vec![won(EndKind::Crash), won(EndKind::Resignation), won(EndKind::Hang)],
    );
    log(&folder.path().join("b.jsonl"), &first, vec![drawn]);
    std::fs::write(folder.path().join("notes.txt"), "no log").unwrap();
    let read = |seed| RecordedGames::read(&first, &first, &[folder.path().to_path_buf()], seed).unwrap();
    let outcomes = |seed| [0, 1, 2].map(|number| game(&mut read(seed), number).outcome);
    assert_eq!(read(1).len(), 2);
    let orders: Vec<_> = (0..20).map(outcomes).collect();
    assert!(orders.contains(&[1.0, 0.5, 1.0]) && orders.contains(&[0.5, 1.0, 0.5]), "{orders:?}");
    assert_eq!(outcomes(5), outcomes(5));
}

#[test]
fn weaker_players_teach_outcomes_alone() {
    let folder = tempfile::tempdir().unwrap();
    let first = TicTacToe::default();
    let at = |name: &str| folder.path().join(name);
    let strong = log(&at("strong.jsonl"), &first, vec![won(EndKind::Rules)]);
    let weak = log(&at("weak.jsonl"), &first, vec![won(EndKind::Rules), won(EndKind::Resignation)]);
    let games = RecordedGames::read(&first, &first, &[strong], 1).unwrap();
    let mut games = games.and_outcomes_of(&first, &first, &[weak], 1).unwrap();
    assert_eq!(games.len(), 3);
    let played = [0, 1, 2].map(|number| game(&mut games, number));
    let taught = |game: &Trajectory| game.policies[0].iter().map(|(_, share)| share).sum::<f32>();
    let mut shares: Vec<f32> = played.iter().map(taught).collect();
    shares.sort_by(f32::total_cmp);
    assert_eq!(shares, [0.0, 0.0, 1.0]);
    for game in played {
        // Their moves are legal all the same.
        assert_eq!(game.policies[0].iter().map(|(of, _)| *of).collect::<Vec<_>>(), [1, 2, 4, 5, 6, 7, 8]);
        assert_eq!((game.values, game.outcome), (vec![Some(0.75), None, None], 1.0));
    }
    let nothing = RecordedGames::read(&first, &first, &[at("strong.jsonl")], 1).unwrap();
    let nothing = nothing.and_outcomes_of(&first, &first, &[at("none.jsonl")], 1).unwrap_err();
    assert!(nothing.to_string().contains("none.jsonl"), "{nothing}");
}

#[test]
fn what_cannot_be_learnt_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let read =
        |path: PathBuf| RecordedGames::read(&TicTacToe::default(), &TicTacToe::default(), &[path], 1).unwrap_err();
    let other = log(&at("other.jsonl"), &ConnectFour::new(), vec![]);
    let message = read(other).to_string();
    assert!(
        message.contains("other.jsonl: games of connect-four from") && message.contains("expected tic-tac-toe from"),
        "{message}"
    );
    let mut wrong = won(EndKind::Rules);
    wrong.moves[3] = "2".into();
    let RecordedGamesError::Move { line: 3, number: 4, text, .. } =
        read(log(&at("wrong.jsonl"), &TicTacToe::default(), vec![won(EndKind::Rules), wrong]))
    else {
        panic!("the second line is a game, the third one with a move that is not legal")
    };
    assert_eq!(text, "2");
    let nothing = read(log(&at("nothing.jsonl"), &TicTacToe::default(), vec![won(EndKind::Time)]));
    assert!(matches!(nothing, RecordedGamesError::None(_)), "{nothing}");
    // At the move limit nobody has won, unless somebody counts.
    let cut_off = GameResult { outcome: Outcome::DRAW, ..won(EndKind::MoveLimit) };
    let nothing = read(log(&at("cut-off.jsonl"), &TicTacToe::default(), vec![cut_off.clone()]));
    assert!(matches!(nothing, RecordedGamesError::None(_)), "{nothing}");
    let verdict = Some(Verdict { outcome: Outcome::DRAW, score: Some(0.0), plain_score: None, note: None });
    let counted = log(&at("counted.jsonl"), &TicTacToe::default(), vec![GameResult { verdict, ..cut_off }]);
    assert!(RecordedGames::read(&TicTacToe::default(), &TicTacToe::default(), &[counted], 1).is_ok());
    let resigned = GameResult { opening: 5, notes: vec![], ..won(EndKind::Resignation) };
    let nothing = read(log(&at("opening.jsonl"), &TicTacToe::default(), vec![resigned]));
    assert!(matches!(nothing, RecordedGamesError::None(_)), "{nothing}");
    assert!(matches!(read(at("missing.jsonl")), RecordedGamesError::Log(_)));
}
