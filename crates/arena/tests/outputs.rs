//! Tables and files: their numbers are those of the games.

use afterstate_arena::crosstable::{Crosstable, games_csv, rating_results};
use afterstate_arena::game_loop::{EndKind, Ending, GameResult, MoveNote};
use afterstate_arena::go_files::{game_record, write_sgf_files};
use afterstate_arena::pairing::Format;
use afterstate_arena::result_log::{Header, LoggedGame};
use afterstate_arena::tournament::{RunOptions, TournamentResults, TournamentSettings, run};
use afterstate_arena::{AreaReferee, RandomPlayer, Verdict};
use afterstate_engine::Value;
use afterstate_games::go::{Go, Move, sgf::GameRecordFile};
use afterstate_games::{Game, Notation, Outcome, Side};

fn game(index: u64, agents: [usize; 2], winner: Option<Side>, kind: EndKind) -> LoggedGame {
    let outcome = Outcome { winner, stake: 1 };
    let result = GameResult {
        outcome,
        ending: Ending { kind, detail: String::new() },
        moves: vec!["A1".into(), "B2".into()],
        opening: 1,
        notes: vec![Some(MoveNote {
            seconds: 0.5,
            value: Some(Value(0.25)),
            effort: 10,
            depth: Some(3),
            plies_to_end: None,
        })],
        seconds: [0.0, 0.5],
        verdict: None,
    };
    LoggedGame { index, round: 0, agents, start: None, result }
}

fn results(games: Vec<LoggedGame>) -> TournamentResults {
    let settings = TournamentSettings {
        agents: ["weak", "strong, by far", "absent"].map(String::from).to_vec(),
        format: Format::RoundRobin,
        ..TournamentSettings::default()
    };
    let header = Header {
        format: 1,
        version: "1".into(),
        revision: String::new(),
        game: "go".into(),
        start: Go::new(5).position_text(),
        settings,
    };
    TournamentResults { header, games, complete: true, notice: None }
}

fn few_games() -> TournamentResults {
    results(vec![
        game(0, [0, 1], Some(Side::Second), EndKind::Rules),
        game(1, [1, 0], Some(Side::First), EndKind::Hang),
        game(2, [0, 1], None, EndKind::Rules),
        game(3, [1, 0], Some(Side::First), EndKind::Resignation),
    ])
}

#[test]
fn a_crosstable_counts_every_game_from_both_sides() {
    let table = Crosstable::new(&few_games());
    let names: Vec<&str> = table.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["strong, by far", "absent", "weak"], "without games an agent counts as even");
    let (strong, absent, weak) = (&table.lines[0], &table.lines[1], &table.lines[2]);
    assert_eq!((strong.games, strong.wins, strong.draws, strong.losses, strong.score), (4, 3, 1, 0, 0.875));
    assert_eq!((weak.games, weak.wins, weak.draws, weak.losses, weak.score), (4, 0, 1, 3, 0.125));
    assert_eq!(strong.against, [None, None, Some(3.5)]);
    assert_eq!(absent.against, [None, None, None]);
    assert_eq!((weak.faults["hang"], weak.faults.len()), (1, 1), "to resign is no fault");
    assert!(strong.low < 0.875 && 0.875 < strong.high && strong.high <= 1.0);

    let text = table.text();
    let widths: Vec<usize> = text.lines().take(4).map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|&width| width == widths[0]), "columns are aligned:\n{text}");
    assert!(text.contains("weak lost by fault: hang 1"), "{text}");

    let json: serde_json::Value = serde_json::to_value(&table).unwrap();
    assert_eq!(json["lines"][0]["score"], 0.875);
}

#[test]
fn keys_have_hyphens_and_older_ones_are_read() {
    let json = r#"{"outcome":{"winner":"first","stake":1},"score":1.5,"plain_score":2.5,"note":null}"#;
    let verdict: Verdict = serde_json::from_str(json).unwrap();
    assert_eq!((verdict.plain_score, verdict.disagrees()), (Some(2.5), Some(false)));
    assert_eq!(serde_json::to_string(&verdict).unwrap(), json.replace("plain_score", "plain-score"));
    let note: MoveNote = serde_json::from_str(r#"{"seconds":0.5,"plies_to_end":3}"#).unwrap();
    assert_eq!(note.plies_to_end, Some(3));
    assert!(serde_json::to_string(&note).unwrap().contains(r#""plies-to-end":3"#));
}

#[test]
fn csv_quotes_what_it_must() {
    let table = Crosstable::new(&few_games()).csv().unwrap();
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!((&rows[0][1], &rows[0][6]), ("strong, by far", "0.875000"));

    let games = games_csv(&few_games()).unwrap();
    let mut reader = csv::Reader::from_reader(games.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let winners: Vec<&str> = rows.iter().map(|row| &row[4]).collect();
    assert_eq!(winners, ["strong, by far", "strong, by far", "draw", "strong, by far"]);
    assert_eq!(&rows[1][5], "hang");
}

#[test]
fn ratings_see_who_moved_first() {
    let rated = rating_results(&few_games());
    let pair = rated.pairs().find(|pair| pair.first == "weak").unwrap();
    assert_eq!((pair.wins, pair.draws, pair.losses), (0, 1, 1));
    let pair = rated.pairs().find(|pair| pair.first == "strong, by far").unwrap();
    assert_eq!((pair.wins, pair.draws, pair.losses), (2, 0, 0));
}

#[test]
fn the_table_says_how_often_the_referee_was_needed() {
    let verdict = |score, plain| Verdict {
        outcome: Outcome::win(Side::First),
        score,
        plain_score: Some(plain),
        note: if score.is_none() { Some("no answer".into()) } else { None },
    };
    let mut played = few_games();
    for (game, verdict) in
        played.games.iter_mut().zip([verdict(Some(3.5), 1.5), verdict(Some(3.5), -0.5), verdict(None, 1.0)])
    {
        game.result.verdict = Some(verdict);
    }
    let table = Crosstable::new(&played);
    assert_eq!((table.referee.judged, table.referee.differ, table.referee.failed), (2, 1, 1));
    assert!(table.text().contains("in 1 of 2 games (50.0 %)"), "{}", table.text());
}

#[test]
fn sgf_results_say_how_a_game_was_lost() {
    let played = few_games();
    let text = |game: &LoggedGame| game_record(&played, game).unwrap().result;
    assert_eq!(text(&played.games[2]), "0");
    assert_eq!(text(&played.games[1]), "B+F");
    assert_eq!(text(&played.games[3]), "B+R");
    assert_eq!(text(&game(0, [0, 1], Some(Side::Second), EndKind::Time)), "W+T");
    let mut judged = game(0, [0, 1], Some(Side::Second), EndKind::Rules);
    judged.result.verdict =
        Some(Verdict { outcome: judged.result.outcome, score: Some(-12.5), plain_score: Some(3.5), note: None });
    assert_eq!(text(&judged), "W+12.5");
    judged.result.ending.detail = "a word at the end".into();
    let file = game_record(&played, &judged).unwrap();
    assert_eq!(file.comments.len(), 3);
    assert!(file.comments[1].is_empty(), "the opening has no comment");
    assert!(file.comments[2].contains("black wins 25.0 %") && file.comments[2].contains("a word at the end"));
}

#[test]
fn results_that_are_not_go_are_refused() {
    let mut played = few_games();
    played.games[1].result.moves[1] = "A1".into();
    let error = game_record(&played, &played.games[1]).err().unwrap().to_string();
    assert!(error.contains("game 1") && error.contains("A1"), "{error}");
    played.header.start = "xo./.../...".into();
    assert!(game_record(&played, &played.games[0]).is_err());
}

#[test]
fn sgf_files_hold_the_games_that_were_played() {
    let settings = TournamentSettings {
        agents: vec!["a".into(), "b".into()],
        games: 4,
        move_limit: 60,
        ..TournamentSettings::default()
    };
    let played = run(
        &settings,
        &Go::new(7),
        &|_| Ok(Box::new(RandomPlayer::default())),
        &|| Ok(Box::new(AreaReferee)),
        &RunOptions::default(),
        &mut |_| {},
    )
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sgf = folder.path().join("new").join("sgf");
    assert_eq!(write_sgf_files(&played, &sgf).unwrap(), 4);
    for game in &played.games {
        let text = std::fs::read_to_string(sgf.join(format!("{:06}.sgf", game.index))).unwrap();
        let file = GameRecordFile::read(&text).unwrap();
        let mut position = Go::new(7);
        let moves: Vec<String> = file
            .moves
            .iter()
            .map(|&mv: &Move| {
                let text = position.move_text(mv);
                position.play(mv);
                text
            })
            .collect();
        assert_eq!(moves, game.result.moves);
        assert_eq!(file.black, ["a", "b"][game.agents[0]]);
        let score = position.score();
        assert_eq!(file.result, format!("{}+{}", if score > 0.0 { "B" } else { "W" }, score.abs()));
    }
}
