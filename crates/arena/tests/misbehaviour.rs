//! A tournament full of engines that fail: it completes, every loss has its reason, and no process stays.
#![cfg(target_os = "linux")]

mod support;

use afterstate_arena::crosstable::Crosstable;
use afterstate_arena::game_loop::EndKind;
use afterstate_arena::pairing::Format;
use afterstate_arena::result_log::read_log;
use afterstate_arena::tournament::{RunOptions, TournamentSettings, run};
use afterstate_arena::{AreaReferee, Player, RandomPlayer};
use afterstate_games::go::Go;
use support::{expect_none_left, fake_engine, unique_mark};

const MODES: [(&str, &[EndKind]); 10] = [
    ("crash-at-start", &[EndKind::NotStarted]),
    ("crash", &[EndKind::Crash]),
    ("hang", &[EndKind::Hang]),
    ("garbage", &[EndKind::Garbage]),
    ("nonsense", &[EndKind::Garbage]),
    ("illegal", &[EndKind::IllegalMove]),
    ("endless", &[EndKind::Garbage]),
    ("endless-line", &[EndKind::Garbage]),
    ("leaves-children", &[EndKind::Rules, EndKind::MoveLimit]),
    ("ignores-signals", &[EndKind::Rules, EndKind::MoveLimit]),
];

#[test]
fn a_hundred_games_against_every_kind_of_failure_complete() {
    let mark = unique_mark("tournament");
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let settings = TournamentSettings {
        agents: std::iter::once("random").chain(MODES.iter().map(|(mode, _)| *mode)).map(String::from).collect(),
        format: Format::Gauntlet,
        games: 10,
        move_limit: 120,
        opening_moves: 2,
        ..TournamentSettings::default()
    };
    let results = run(
        &settings,
        &Go::new(9),
        &|agent| -> Result<Box<dyn Player<Go>>, _> {
            match agent {
                0 => Ok(Box::new(RandomPlayer::default())),
                number => Ok(Box::new(fake_engine(MODES[number - 1].0, &mark))),
            }
        },
        &|| Ok(Box::new(AreaReferee)),
        &RunOptions { workers: 4, log: Some(&log), ..RunOptions::default() },
        &mut |_| {},
    )
    .unwrap();
    expect_none_left(&mark);

    assert!(results.complete);
    assert_eq!(results.games.len(), 100);
    let logged = read_log(&log).unwrap().games;
    assert_eq!(logged.len(), 100);
    for (_, game) in &logged {
        let engine = game.agents[0] + game.agents[1];
        let (mode, expected) = MODES[engine - 1];
        let ending = &game.result.ending;
        assert!(expected.contains(&ending.kind), "{mode}: {ending:?}");
        if ending.kind.is_fault() {
            assert_eq!(game.result.outcome.winner.map(|side| game.agents[side.index()]), Some(0), "{mode}: {ending:?}");
            assert!(!ending.detail.is_empty(), "{mode}: the reason is missing");
        }
    }
    let table = Crosstable::new(&results);
    let line = |name: &str| table.lines.iter().find(|line| line.name == name).unwrap();
    assert_eq!(line("hang").faults["hang"], 10);
    assert_eq!(line("crash-at-start").faults["not-started"], 10);
    assert!(line("random").faults.is_empty());
    assert!(table.text().contains("illegal lost by fault: illegal-move 10"), "{}", table.text());
}
