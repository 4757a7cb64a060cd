//! Chess in tournaments: openings from files, adjudication, and games as PGN, whatever kills the program.

use afterstate_arena::adjudication::{Adjudication, DrawRule, WinRule};
use afterstate_arena::chess_files::game_record;
use afterstate_arena::chess_openings::read;
use afterstate_arena::openings::OpeningSuite;
use afterstate_arena::pgn_file::{PgnFile, PgnFileError};
use afterstate_arena::tournament::{RunOptions, TournamentResults, TournamentSettings, run_from};
use afterstate_arena::{EndKind, GameRules, Player, PlayerError, RandomPlayer, RulesReferee, play_game};
use afterstate_engine::{Budget, Decision, Value};
use afterstate_games::chess::pgn::{Evaluation, PgnGame, PgnReader};
use afterstate_games::chess::polyglot::{BookMove, entry, key};
use afterstate_games::{Chess, Game, Notation, Outcome, Record, Side};
use std::collections::HashSet;
use std::path::PathBuf;

/// Plays the first legal move and says that the game is worth so much.
struct Opinion(Option<f32>);

impl Player<Chess> for Opinion {
    fn new_game(&mut self, _record: &Record<Chess>, _seed: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(
        &mut self,
        record: &Record<Chess>,
        _budget: &Budget,
    ) -> Result<Decision<<Chess as Game>::Move>, PlayerError> {
        let mut moves = Vec::new();
        record.legal_moves(&mut moves);
        Ok(Decision { value: self.0.map(Value), depth: Some(3), effort: 20, ..Decision::play(moves[0]) })
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn settings(games: u32) -> TournamentSettings {
    TournamentSettings {
        agents: vec!["Ada".into(), "Bob \"B\"".into()],
        games,
        opening_moves: 0,
        move_limit: 12,
        time: "10s+1s".parse().unwrap(),
        ..TournamentSettings::default()
    }
}

fn play(settings: TournamentSettings, suite: Option<&OpeningSuite<Chess>>) -> TournamentResults {
    let openings = suite.map_or_else(String::new, |suite| suite.name.clone());
    let build = |agent: usize| -> Result<Box<dyn Player<Chess>>, PlayerError> {
        Ok(if agent == 0 { Box::new(RandomPlayer::default()) } else { Box::new(Opinion(Some(0.64))) })
    };
    let settings = TournamentSettings { openings, ..settings };
    let (referee, options) = (|| Ok(Box::new(RulesReferee) as Box<_>), RunOptions::default());
    run_from(&settings, &Chess::new(), suite, &build, &referee, &options, &mut |_| {}).unwrap()
}

const POSITIONS: &str = "\
    rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - hmvc 2; fmvn 3; id \"Petrov\";\n\
    bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf -\n\
    rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n";

#[test]
fn positions_of_a_suite_are_played_in_pairs_with_sides_swapped() {
    let folder = Folder::new();
    let suite = read(&folder.file("three.epd", POSITIONS), 16, 4, 3).unwrap();
    assert_eq!(suite.openings.len(), 3);
    assert!(suite.name.starts_with("three.epd, CRC-32 "), "{}", suite.name);
    let results = play(settings(8), Some(&suite));
    let games = &results.games;
    assert_eq!(games.len(), 8);
    for pair in games.chunks_exact(2) {
        assert_eq!(pair[0].start, pair[1].start);
        assert_eq!([pair[0].agents[1], pair[0].agents[0]], pair[1].agents);
    }
    let starts: Vec<String> = games.iter().step_by(2).map(|game| game.start.clone().unwrap()).collect();
    assert_eq!(starts[..3].iter().collect::<HashSet<_>>().len(), 3, "each once before any comes again");
    assert_eq!(starts[0], starts[3]);
    // The games begin there, and are written so.
    for game in games {
        let start = Chess::parse_position(game.start.as_ref().unwrap()).unwrap();
        let record = game_record(&results.header, game).unwrap();
        assert_eq!((&record.start, record.moves().count()), (&start, game.result.moves.len()));
    }
    assert!(starts.contains(&"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1".to_string()));
}

#[test]
fn games_of_a_suite_are_cut_where_asked_and_where_they_end() {
    let folder = Folder::new();
    let text = "1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n";
    let lengths = |plies| {
        let mut suite = read(&folder.file("games.pgn", text), plies, 10, 1).unwrap();
        suite.openings.sort_by_key(|opening| std::cmp::Reverse(opening.moves.len()));
        suite.openings.iter().map(|opening| opening.moves.len()).collect::<Vec<_>>()
    };
    // The mate is taken back: somebody must have something to play.
    assert_eq!((lengths(16), lengths(3), lengths(0)), (vec![5, 3, 1], vec![3, 3, 1], vec![0, 0, 0]));
    let suite = read(&folder.file("games.pgn", text), 4, 10, 1).unwrap();
    let results = play(TournamentSettings { opening_moves: 1, ..settings(6) }, Some(&suite));
    for game in &results.games {
        let suite_moves = suite.of_pair(game.index / 2).unwrap().moves.len();
        assert_eq!(game.result.opening, suite_moves + 1, "one random move after the opening");
    }
}

#[test]
fn a_long_file_gives_a_sample() {
    let folder = Folder::new();
    let games: String = (0..500)
        .map(|number| format!("[Event \"{number}\"]\n\n1. {} *\n\n", if number % 2 == 0 { "e4" } else { "d4" }))
        .collect();
    let path = folder.file("many.pgn", games);
    let suite = read(&path, 16, 20, 1).unwrap();
    assert_eq!(suite.openings.len(), 20);
    assert_eq!(suite, read(&path, 16, 20, 1).unwrap());
    assert_ne!(suite, read(&path, 16, 20, 2).unwrap());
}

#[test]
fn a_book_gives_openings_by_its_weights() {
    let start = Chess::new();
    let after = |text: &str| {
        let mut game = start.clone();
        game.play(game.parse_move(text).unwrap());
        game
    };
    let mut entries = Vec::new();
    for (game, text, weight) in
        [(&start, "e2e4", 3), (&start, "d2d4", 1), (&after("e2e4"), "c7c5", 1), (&after("d2d4"), "d7d5", 1)]
    {
        entries.push(entry(key(game), BookMove { mv: game.parse_move(text).unwrap(), weight, learn: 0 }));
    }
    entries.sort_unstable();
    let folder = Folder::new();
    let path = folder.file("small.bin", entries.concat());
    let suite = read(&path, 16, 400, 1).unwrap();
    let lines: Vec<String> = suite
        .openings
        .iter()
        .map(|opening| opening.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        .collect();
    let kings = lines.iter().filter(|line| *line == "e2e4 c7c5").count();
    assert!((240..360).contains(&kings), "{kings} of 400");
    assert_eq!(lines.iter().filter(|line| *line == "d2d4 d7d5").count(), 400 - kings);
    assert_eq!(read(&path, 1, 1, 1).unwrap().openings[0].moves.len(), 1);
}

#[test]
fn bad_openings_are_refused_in_words() {
    let folder = Folder::new();
    for (name, bytes, message) in [
        ("a.epd", &b"4k3/8/8 w - -\n"[..], "EPD, line 1: position"),
        ("b.epd", b"# nothing\n", "expected at least one opening, and found none"),
        (
            "c.epd",
            b"k7/8/8/8/8/8/8/K7 w - -\n",
            "number 1 in the file: expected a position in which the game is not over",
        ),
        ("d.pgn", b"1. e4 e5 *\n\n1. e5 *\n", "PGN, line 3, move 1 of White: move 'e5'"),
        ("e.pgn", b"", "found none"),
        ("f.pgn", b"[FEN \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\"]\n\n*\n", "the game is not over"),
        ("g.bin", b"0123456789", "10 bytes: expected entries of 16 bytes"),
        ("h.bin", &entry(1, BookMove { mv: "e2e4".parse().unwrap(), weight: 1, learn: 0 }), "found none"),
        ("i.txt", b"", "expected a file named .epd, .pgn or .bin"),
    ] {
        let path = folder.file(name, bytes);
        let told = read(&path, 16, 10, 1).unwrap_err().to_string();
        assert!(told.starts_with("openings '") && told.contains(name) && told.contains(message), "{told}");
    }
    assert!(read(&folder.0.path().join("none.epd"), 16, 10, 1).unwrap_err().to_string().contains("No such file"));
}

#[test]
fn games_are_adjudicated_when_both_agree() {
    let rules = GameRules {
        adjudication: Adjudication {
            draw: Some(DrawRule { after: 6, moves: 2, score: 10 }),
            win: Some(WinRule { moves: 3, score: 300 }),
        },
        ..GameRules::default()
    };
    let ended = |first, second| {
        let (mut first, mut second) = (Opinion(first), Opinion(second));
        let result = play_game(&Chess::new(), &[], [&mut first, &mut second], &mut RulesReferee, &rules).unwrap();
        (result.ending.kind, result.outcome, result.moves.len(), result.ending.detail)
    };
    let (kind, outcome, moves, detail) = ended(Some(0.5), Some(0.501));
    assert_eq!((kind, outcome, moves), (EndKind::Adjudication, Outcome::DRAW, 12));
    assert_eq!(detail, "both saw at most 10 centipawns for 2 moves");
    let (kind, outcome, moves, detail) = ended(Some(0.1), Some(0.12));
    assert_eq!((kind, outcome, moves), (EndKind::Adjudication, Outcome::win(Side::Second), 6));
    assert_eq!(detail, "both saw at least 300 centipawns for it for 3 moves");
    assert!(!kind.is_fault());
    for (first, second) in [(Some(0.9), Some(0.1)), (Some(0.5), None)] {
        assert_ne!(ended(first, second).0, EndKind::Adjudication);
    }
}

#[test]
fn a_game_is_written_with_what_its_players_thought() {
    let mut results = play(settings(2), None);
    let game = &mut results.games[1];
    assert_eq!(game.agents, [1, 0]);
    game.result.notes[0].as_mut().unwrap().seconds = 2.5;
    game.result.notes[2].as_mut().unwrap().seconds = 0.25;
    for (number, value, plies) in [(2, 1.0, 5), (4, 0.0, 4)] {
        let note = game.result.notes[number].as_mut().unwrap();
        (note.value, note.plies_to_end) = (Some(Value(value)), Some(plies));
    }
    let text = game_record(&results.header, &results.games[1]).unwrap().to_string();
    let record: PgnGame = PgnReader::new(text.as_bytes()).next().unwrap().unwrap();
    for (name, value) in [
        ("Event", "afterstate round-robin"),
        ("Round", "2"),
        ("White", "Bob \"B\""),
        ("Black", "Ada"),
        ("Result", "1/2-1/2"),
        ("TimeControl", "10+1"),
        ("Termination", "adjudication"),
        ("PlyCount", "12"),
    ] {
        assert_eq!(record.tag(name), Some(value), "{text}");
    }
    let moves = &record.line.moves;
    // 400·log10(0.64/0.36)
    assert_eq!((moves[0].evaluation, moves[1].evaluation), (Some(Evaluation::Centipawns(100)), None));
    // White mates with its third move from now, Black with its second.
    assert_eq!((moves[2].evaluation, moves[4].evaluation), (Some(Evaluation::Mate(3)), Some(Evaluation::Mate(-2))));
    assert!(text.contains("[%eval #3]"), "{text}");
    assert_eq!(moves[0].comment, "depth 3, 20 positions, 2.500 s");
    let clock = |number: usize| moves[number].clock.unwrap().as_secs_f64();
    assert_eq!((clock(0), clock(2)), (8.5, 9.25), "10 − 2.5 + 1, and − 0.25 + 1");
    assert!(moves[11].comment.ends_with("at the limit of moves"), "{text}");
}

#[test]
fn the_reason_of_every_ending_is_written() {
    let mut results = play(settings(2), None);
    let mut written = |kind, winner: Option<Side>, moves: &[&str]| {
        let game = &mut results.games[0];
        (game.result.ending.kind, game.result.outcome.winner) = (kind, winner);
        game.result.moves = moves.iter().map(ToString::to_string).collect();
        let record = game_record(&results.header, &results.games[0]).unwrap();
        let comment = record.line.moves.last().map_or(record.line.comment.clone(), |last| last.comment.clone());
        (record.tag("Termination").unwrap().to_string(), comment.rsplit("; ").next().unwrap().to_string())
    };
    for (kind, termination, comment) in [
        (EndKind::Time, "time forfeit", "lost on time"),
        (EndKind::IllegalMove, "rules infraction", "illegal move"),
        (EndKind::Crash, "abandoned", "crashed"),
        (EndKind::Resignation, "normal", "resigned"),
        (EndKind::Adjudication, "adjudication", "adjudicated"),
    ] {
        assert_eq!(written(kind, Some(Side::First), &["e2e4"]), (termination.into(), comment.into()));
    }
    let mate = ["f2f3", "e7e5", "g2g4", "d8h4"];
    assert_eq!(written(EndKind::Rules, Some(Side::Second), &mate).1, "checkmate");
    let circle = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
    assert_eq!(written(EndKind::Rules, None, &circle).1, "repetition");
    // Nobody came.
    assert_eq!(written(EndKind::NotStarted, None, &[]), ("abandoned".into(), "could not start".into()));
    assert_eq!(game_record(&results.header, &results.games[0]).unwrap().outcome, None);
    results.games[0].result.moves = vec!["e2e5".into()];
    let error = game_record(&results.header, &results.games[0]).unwrap_err().to_string();
    assert_eq!(error, "game 0: move 'e2e5': expected a legal move as number 1; is this a tournament of chess?");
}

fn texts(games: u32) -> Vec<String> {
    let results = play(settings(games), None);
    results.games.iter().map(|game| game_record(&results.header, game).unwrap().to_string()).collect()
}

/// A program that is killed leaves any beginning of what it wrote; the next one goes on from whole games.
#[test]
fn a_file_torn_anywhere_is_cut_to_whole_games() {
    let (folder, texts) = (Folder::new(), texts(2));
    let foreign = "[Event \"Somebody's\"]\n\n1. e4 {[%eval 0.1]\n[%clk 0:01:00]} e5 *\n";
    let ends = texts[1].len() - 14..texts[1].len();
    for written in (0..ends.start).step_by(3).chain(ends) {
        // A whole game, of which the last end of line may be missing, and some of the next.
        let before = format!("{foreign}\n{}", texts[0]);
        let path = folder.file("games.pgn", format!("{before}{}", &texts[1][..written]));
        let mut file = PgnFile::open(&path).unwrap();
        let result = texts[1][..written].trim_end().strip_suffix("1/2-1/2");
        let complete = result.is_some_and(|before| before.ends_with(char::is_whitespace));
        assert_eq!(file.cut_off(), if complete { 0 } else { written as u64 }, "{written}: {}", &texts[1][..written]);
        assert_eq!((file.held(&texts[0]), file.held(&texts[1])), (true, complete), "{written}");
        file.append(&texts[1]).unwrap();
        let end = std::fs::read_to_string(&path).unwrap();
        assert!(end.starts_with(&before) && end.ends_with(&format!("\n\n{}", texts[1])), "{end}");
        assert!(!end.contains("\n\n\n"), "{written}: {end}");
        let games = PgnReader::new(end.as_bytes()).map(Result::unwrap).count();
        assert_eq!(games, if complete { 4 } else { 3 });
    }
}

#[test]
fn games_are_the_same_by_their_tags_and_moves() {
    let (folder, texts) = (Folder::new(), texts(1));
    let path = folder.file("games.pgn", &texts[0]);
    let file = PgnFile::open(&path).unwrap();
    let (tags, moves) = texts[0].split_once("\n\n").unwrap();
    let (first, rest) = moves.split_once(' ').unwrap();
    let (played, rest) = rest.split_once(' ').unwrap();
    let of = |first: &str, played: &str| format!("{tags}\n\n{first}{played} {rest}");
    assert!(file.held(&of(&format!("{first} "), played)));
    // What was said about moves, and where lines break, is no other game; another move is.
    assert!(file.held(&of(&format!("{first}\n"), &format!("{played} {{[%eval 0.5] a {{brace}}"))));
    assert!(!file.held(&of(&format!("{first} "), "a2a9")));
    assert!(!file.held(&texts[0].replacen("[Round", "[Other", 1)));
}

/// What an engine said last stands in a comment, and its lines are broken anywhere.
#[test]
fn words_in_brackets_at_the_beginning_of_a_line_are_no_tags() {
    let (folder, texts) = (Folder::new(), texts(2));
    let said = |text: &str, words: &str| {
        let (game, result) = text.trim_end().rsplit_once(' ').unwrap();
        format!("{game}\n{{crashed; last words:\n[ERROR] the table {words}}} {result}\n\n")
    };
    for words in ["is too big", "is\n[ERROR] too big"] {
        let (first, second) = (said(&texts[0], words), said(&texts[1], words));
        let path = folder.file("games.pgn", format!("{first}{second}"));
        let file = PgnFile::open(&path).unwrap();
        assert_eq!((file.cut_off(), file.held(&first), file.held(&second)), (0, true, true), "{words}");
        drop(file);
        // And of what was torn nothing but that game is taken away.
        let torn = second.find("last words").unwrap()..second.len() - 8;
        for written in torn {
            folder.file("games.pgn", format!("{first}{}", &second[..written]));
            let file = PgnFile::open(&path).unwrap();
            assert_eq!((file.cut_off(), file.held(&first)), (written as u64, true), "{}", &second[..written]);
        }
    }
}

#[test]
fn files_of_others_are_appended_to_and_never_cut() {
    let (folder, texts) = (Folder::new(), texts(2));
    let long = format!("1. e4 {{{}}} e5 1-0", "x".repeat(100_000));
    for foreign in ["", "\n", "1. e4 e5 1-0", "1. e4 e5 1-0\n", "[Event \"x\"]\r\n\r\n1. d4 *\r\n\r\n", &long] {
        let path = folder.file("games.pgn", foreign);
        let mut file = PgnFile::open(&path).unwrap();
        assert_eq!(file.cut_off(), 0);
        file.append(&texts[0]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(foreign) && text.ends_with(&texts[0]));
        let games: Vec<PgnGame> = PgnReader::new(text.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(games.len(), 1 + usize::from(!foreign.trim().is_empty()), "{foreign:?}");
    }
    let path = folder.file("games.pgn", "[Event \"x\"]\n\n1. e4 *\n\n[Event \"y\"]\n\n1. d4 d5");
    let error = PgnFile::open(&path).unwrap_err();
    assert!(matches!(error, PgnFileError::Unfinished { line: 5, .. }), "{error}");
    let error = PgnFile::open(&folder.file("games.txt", "no games\n")).unwrap_err();
    assert!(matches!(error, PgnFileError::Unfinished { line: 1, .. }), "{error}");
    // Two writers would mix their games.
    let path = folder.file("games.pgn", "");
    let _held = PgnFile::open(&path).unwrap();
    assert!(matches!(PgnFile::open(&path), Err(PgnFileError::InUse { .. })));
}
