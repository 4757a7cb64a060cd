//! Tournaments: the same games whatever the workers and interruptions, and no damaged log goes unnoticed.

use afterstate_arena::pairing::Format;
use afterstate_arena::result_log::{LogError, LoggedGame, read_log};
use afterstate_arena::tournament::{RunOptions, TournamentError, TournamentResults, TournamentSettings, run};
use afterstate_arena::{Player, PlayerError, RandomPlayer, RulesReferee};
use afterstate_engine::{Budget, Decision};
use afterstate_games::go::{Go, Move};
use afterstate_games::{Game, Record};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Plays the first legal move of a list that begins somewhere else for every agent: as deterministic as can be.
struct Stubborn(usize);

impl Player<Go> for Stubborn {
    fn new_game(&mut self, _record: &Record<Go>, _seed: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, record: &Record<Go>, _budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        let mut moves = Vec::new();
        record.position().candidate_moves(&mut moves);
        moves.retain(|&mv| record.is_legal(mv));
        moves.sort_by_key(|mv| mv.point().map(|point| point.index()));
        Ok(Decision::play(moves.get(self.0 % moves.len().max(1)).copied().unwrap_or(Move::PASS)))
    }
}

fn build(agent: usize) -> Result<Box<dyn Player<Go>>, PlayerError> {
    match agent {
        0 => Ok(Box::new(RandomPlayer::default())),
        number => Ok(Box::new(Stubborn(number))),
    }
}

fn settings(agents: usize, format: Format, games: u32) -> TournamentSettings {
    TournamentSettings {
        agents: (0..agents).map(|number| format!("agent {number}")).collect(),
        format,
        games,
        opening_moves: 2,
        seed: 7,
        move_limit: 150,
        ..TournamentSettings::default()
    }
}

fn play(settings: &TournamentSettings, options: &RunOptions<'_>) -> Result<TournamentResults, TournamentError> {
    run(settings, &Go::new(5), &build, &|| Ok(Box::new(RulesReferee)), options, &mut |_| {})
}

/// The games without what depends on the speed of the machine.
fn timeless(games: &[LoggedGame]) -> Vec<LoggedGame> {
    let mut games = games.to_vec();
    for game in &mut games {
        game.result.seconds = [0.0; 2];
        game.result.notes.iter_mut().flatten().for_each(|note| note.seconds = 0.0);
    }
    games
}

fn with_log(path: &Path) -> RunOptions<'_> {
    RunOptions { log: Some(path), ..RunOptions::default() }
}

#[test]
fn results_do_not_depend_on_the_number_of_workers() {
    for format in [Format::RoundRobin, Format::Gauntlet, Format::Swiss { rounds: 3 }] {
        let settings = settings(5, format, 4);
        let one = play(&settings, &RunOptions::default()).unwrap();
        let many = play(&settings, &RunOptions { workers: 7, ..RunOptions::default() }).unwrap();
        assert_eq!(timeless(&one.games), timeless(&many.games));
        assert!(one.complete && one.games.len() as u64 == settings.total_games());
    }
}

#[test]
fn pairs_share_their_opening_and_swap_colours() {
    let results = play(&settings(2, Format::Match, 20), &RunOptions::default()).unwrap();
    let mut openings = Vec::new();
    for pair in results.games.chunks(2) {
        let [a, b] = pair else { panic!("twenty games are ten pairs") };
        assert_eq!(a.agents, [b.agents[1], b.agents[0]]);
        assert_eq!(a.result.opening, 2);
        assert_eq!(a.result.moves[..2], b.result.moves[..2]);
        openings.push(&a.result.moves[..2]);
    }
    openings.sort();
    openings.dedup();
    assert!(openings.len() >= 8, "ten openings out of 600 should hardly repeat: {openings:?}");
}

#[test]
fn another_seed_gives_other_games() {
    let first = settings(2, Format::Match, 4);
    let second = TournamentSettings { seed: 8, ..first.clone() };
    let moves = |settings| {
        let games = play(settings, &RunOptions::default()).unwrap().games;
        games.into_iter().map(|game| game.result.moves).collect::<Vec<_>>()
    };
    assert_ne!(moves(&first), moves(&second));
}

/// A log of few and short games.
fn small() -> TournamentSettings {
    TournamentSettings { move_limit: 4, ..settings(3, Format::RoundRobin, 2) }
}

#[test]
fn a_log_cut_at_any_byte_resumes_to_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let whole = play(&small(), &with_log(&path)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for cut in 0..=bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let resumed = play(&small(), &with_log(&path)).unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        assert_eq!(timeless(&resumed.games), timeless(&whole.games), "cut at {cut}");
        assert_eq!(resumed.notice.is_some(), cut > 0 && bytes[cut - 1] != b'\n', "cut at {cut}");
        let mut logged: Vec<LoggedGame> = read_log(&path).unwrap().games.into_iter().map(|(_, game)| game).collect();
        logged.sort_by_key(|game| game.index);
        assert_eq!(timeless(&logged), timeless(&whole.games), "cut at {cut}");
    }
}

#[test]
fn damage_anywhere_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    play(&small(), &with_log(&path)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let mut line_number = 1;
    for place in 0..bytes.len() - 1 {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        match play(&small(), &with_log(&path)) {
            Err(TournamentError::Log(LogError::Corrupt { line, .. })) => assert_eq!(line, line_number, "byte {place}"),
            other => panic!("byte {place}: {other:?}"),
        }
        assert_eq!(std::fs::read(&path).unwrap(), damaged, "a refused log stays as it is");
        line_number += u64::from(bytes[place] == b'\n');
    }
}

#[test]
fn lines_that_do_not_belong_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    play(&small(), &with_log(&path)).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let cases = [
        (format!("{text}{}\n", lines[2]), "appears twice"),
        (format!("{text}{}\n", lines[0]), "a second header"),
        (format!("{}\n{text}", lines[1]), "before the header"),
        ("some notes of mine\n".to_string(), "does not begin with"),
        ("{\"games\":100,\"moves\":35.4}\n".to_string(), "is no log of a match or tournament"),
        ("some notes of mine".to_string(), "not a header"),
        (format!("{}\n\n{}\n", lines[0], lines[1]), "line 2"),
    ];
    for (content, needle) in cases {
        std::fs::write(&path, &content).unwrap();
        let error = play(&small(), &with_log(&path)).unwrap_err().to_string();
        assert!(error.contains(needle) && error.contains("log.jsonl"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content, "a refused log stays as it is");
    }
}

#[test]
fn a_log_of_another_tournament_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    play(&small(), &with_log(&path)).unwrap();
    let error = play(&TournamentSettings { seed: 99, ..small() }, &with_log(&path)).unwrap_err().to_string();
    assert!(error.contains("seed is 7 in the log and 99 now"), "{error}");
    let other = run(&small(), &Go::new(6), &build, &|| Ok(Box::new(RulesReferee)), &with_log(&path), &mut |_| {});
    let error = other.unwrap_err().to_string();
    assert!(error.contains("start is"), "{error}");
}

#[test]
fn a_tournament_can_be_made_longer_and_not_shorter() {
    let folder = tempfile::tempdir().unwrap();
    for (number, format) in [Format::RoundRobin, Format::Gauntlet].into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.jsonl"));
        // After an odd number the last opening has been played by one side alone.
        for games in [3, 4, 7] {
            let settings = settings(3, format, games);
            let longer = play(&settings, &with_log(&path)).unwrap();
            let whole = play(&settings, &RunOptions::default()).unwrap();
            assert_eq!(timeless(&longer.games), timeless(&whole.games), "{games}");
            assert_eq!((longer.complete, read_log(&path).unwrap().header.settings.games), (true, games));
        }
        let before = std::fs::read(&path).unwrap();
        let error = play(&settings(3, format, 6), &with_log(&path)).unwrap_err().to_string();
        assert!(error.contains("games is 7 in the log and 6 now"), "{error}");
        let other = TournamentSettings { seed: 8, ..settings(3, format, 9) };
        let error = play(&other, &with_log(&path)).unwrap_err().to_string();
        assert!(error.contains(" in the log and "), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "a refused log stays as it is");
    }
    // Pairings of the second round go by results of all games of the first.
    let path = folder.path().join("swiss.jsonl");
    let swiss = |games| settings(4, Format::Swiss { rounds: 2 }, games);
    play(&swiss(2), &with_log(&path)).unwrap();
    let error = play(&swiss(4), &with_log(&path)).unwrap_err().to_string();
    assert!(error.contains("games is 2 in the log and 4 now"), "{error}");
}

#[test]
fn a_log_has_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let mut seen = None;
    run(&small(), &Go::new(5), &build, &|| Ok(Box::new(RulesReferee)), &with_log(&path), &mut |_| {
        seen.get_or_insert_with(|| play(&small(), &with_log(&path)));
    })
    .unwrap();
    assert!(matches!(seen, Some(Err(TournamentError::Log(LogError::InUse { .. })))), "{seen:?}");
}

#[test]
fn a_stopped_tournament_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::RoundRobin, Format::Swiss { rounds: 4 }] {
        let settings = settings(5, format, 2);
        let whole = play(&settings, &RunOptions::default()).unwrap();
        let path = folder.path().join(format!("{format}.jsonl").replace(':', "-"));
        let mut runs = 0;
        loop {
            let stop = Arc::new(AtomicBool::new(false));
            let options = RunOptions { workers: 2, log: Some(&path), stop: Arc::clone(&stop), ..RunOptions::default() };
            let mut games = 0;
            let part = run(&settings, &Go::new(5), &build, &|| Ok(Box::new(RulesReferee)), &options, &mut |progress| {
                games += 1;
                assert!(progress.finished <= progress.total);
                if games == 3 {
                    stop.store(true, Ordering::Relaxed);
                }
            })
            .unwrap();
            runs += 1;
            if part.complete {
                assert_eq!(timeless(&part.games), timeless(&whole.games));
                break;
            }
            assert!(games >= 3 && runs < 50);
        }
        assert!(runs > 1, "the flag stopped nothing");
    }
}

#[test]
fn a_log_says_which_program_began_it_and_another_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.jsonl");
    let settings = settings(2, Format::RoundRobin, 2);
    let by = |revision| RunOptions { revision, ..with_log(&path) };
    let whole = play(&settings, &by("76e1d5c0a1")).unwrap();
    let lines = std::fs::read_to_string(&path).unwrap();
    let cut: String = lines.lines().take(2).map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, cut).unwrap();
    let resumed = play(&settings, &by("another")).unwrap();
    assert_eq!(timeless(&resumed.games), timeless(&whole.games));
    assert_eq!(read_log(&path).unwrap().header.revision, "76e1d5c0a1");
}

#[test]
fn a_log_without_notes_holds_the_same_games_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, short) = (folder.path().join("whole.jsonl"), folder.path().join("short.jsonl"));
    let settings = settings(3, Format::RoundRobin, 4);
    let mut results = timeless(&play(&settings, &with_log(&whole)).unwrap().games);
    let without = RunOptions { log_notes: false, ..with_log(&short) };
    let mut said = 0;
    let played = run(&settings, &Go::new(5), &build, &|| Ok(Box::new(RulesReferee)), &without, &mut |progress| {
        said += progress.game.result.notes.len();
    });
    assert!(said > 0, "who follows the games hears what was said");
    assert!(results.iter().any(|game| !game.result.notes.is_empty()));
    results.iter_mut().for_each(|game| game.result.notes.clear());
    assert_eq!(timeless(&played.unwrap().games), results);
    assert_eq!(timeless(&play(&settings, &without).unwrap().games), results, "as the log has them");
    let bytes = |path: &Path| path.metadata().unwrap().len();
    assert!(bytes(&short) < bytes(&whole) / 2, "{} of {}", bytes(&short), bytes(&whole));
    let lines = std::fs::read_to_string(&short).unwrap();
    let cut: String = lines.lines().take(5).map(|line| format!("{line}\n")).collect();
    std::fs::write(&short, cut).unwrap();
    let resumed = play(&settings, &without).unwrap();
    assert!(resumed.complete);
    let moves = |games: &[LoggedGame]| games.iter().map(|game| game.result.moves.clone()).collect::<Vec<_>>();
    assert_eq!(moves(&resumed.games), moves(&results));
}

#[test]
fn swiss_brings_equals_together() {
    let results = play(&settings(6, Format::Swiss { rounds: 3 }, 2), &RunOptions::default()).unwrap();
    for round in 0..3 {
        let games: Vec<_> = results.games.iter().filter(|game| game.round == round).collect();
        let mut agents: Vec<usize> = games.iter().flat_map(|game| game.agents).collect();
        agents.sort_unstable();
        assert_eq!(agents, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let good = settings(3, Format::RoundRobin, 2);
    let cases = [
        (TournamentSettings { agents: vec!["alone".into()], ..good.clone() }, "at least 2"),
        (TournamentSettings { format: Format::Match, ..good.clone() }, "exactly 2"),
        (TournamentSettings { agents: vec!["x".into(), "x".into()], ..good.clone() }, "'x' appears twice"),
        (TournamentSettings { games: 0, ..good.clone() }, "games"),
        (TournamentSettings { move_limit: 0, ..good }, "move-limit"),
    ];
    for (settings, needle) in cases {
        let error = play(&settings, &RunOptions::default()).unwrap_err().to_string();
        assert!(error.contains(needle), "{error}");
    }
    assert!(serde_json::from_str::<TournamentSettings>(r#"{"gamse": 3}"#).is_err(), "unknown settings are errors");
}

#[test]
fn a_referee_that_cannot_work_ends_the_tournament() {
    let no_referee = || Err(PlayerError::NotStarted("no whistle".into()));
    let error = run(&small(), &Go::new(5), &build, &no_referee, &RunOptions::default(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, TournamentError::Referee(_)), "{error}");
}

#[test]
fn an_agent_that_cannot_be_built_loses_with_the_reason() {
    let factory = |agent| match agent {
        0 => Err(PlayerError::NotStarted("no weights at runs/x".into())),
        1 => panic!("a bug in the factory"),
        _ => build(agent),
    };
    let results =
        run(&small(), &Go::new(5), &factory, &|| Ok(Box::new(RulesReferee)), &RunOptions::default(), &mut |_| {})
            .unwrap();
    for game in &results.games {
        let winner = game.result.outcome.winner.map(|side| game.agents[side.index()]);
        if game.agents.contains(&2) {
            assert_eq!(winner, Some(2));
        } else {
            assert_eq!(winner, None, "neither could start");
        }
        assert!(!game.result.ending.detail.is_empty());
    }
}
