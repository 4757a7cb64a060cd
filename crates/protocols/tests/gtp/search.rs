//! Tree searches as Sabaki, Lizzie and GoGui see them: what these programs send, and what they must get.

use super::analysis::{Talk, talk};
use super::players::FirstPoint;
use afterstate_engine::search::{Even, Experience, Grandfather, McRave, MctsSettings, PlayOut};
use afterstate_games::go::{MogoPlayout, Point};
use afterstate_protocols::gtp::{SearchAnalyst, Session};
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn searching() -> Session {
    let settings = MctsSettings { simulations: 300, memory_mib: 16, ..MctsSettings::default() };
    let prior = Grandfather::new(Experience::default());
    let analyst = SearchAnalyst::new(McRave::default(), PlayOut(MogoPlayout::default()), prior, settings, 1);
    Session::new("search", Box::new(FirstPoint)).with_analyst(Box::new(analyst)).with_status_playouts(300)
}

/// One `info` of a line, as readers take it apart: pairs of words up to `pv`, which is last.
struct Info(HashMap<String, String>, Vec<String>);

impl Info {
    fn number(&self, key: &str) -> f64 {
        self.0[key].parse().unwrap()
    }
}

/// The moves of a line, and the owners at its end.
fn parse(line: &str) -> (Vec<Info>, Vec<f64>) {
    let (infos, owners) = line.trim_end().split_once(" ownership ").unwrap_or((line.trim_end(), ""));
    let infos = infos.split_once(" rootInfo ").map_or(infos, |(infos, _)| infos);
    let mut found = Vec::new();
    for text in infos.split("info ").filter(|text| !text.is_empty()) {
        let (pairs, line) = text.trim_end().split_once(" pv ").expect("a line of play");
        let words: Vec<&str> = pairs.split(' ').collect();
        let pairs = words.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
        found.push(Info(pairs, line.split(' ').map(str::to_owned).collect()));
    }
    let owners = owners.split(' ').filter(|text| !text.is_empty()).map(|text| text.parse().unwrap()).collect();
    (found, owners)
}

/// Everything up to the empty line that ends a response.
fn response(talk: &Talk) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        match talk.line() {
            line if line == "\n" => return lines,
            line => lines.push(line),
        }
    }
}

fn ask(talk: &Talk, command: &str) -> Vec<String> {
    talk.send(&format!("{command}\n"));
    let lines = response(talk);
    assert!(lines[0].starts_with('='), "{command}: {lines:?}");
    lines
}

/// What every line must hold: moves in order, each with sensible numbers, its line of play beginning with itself.
fn check_infos(infos: &[Info], scale: f64) {
    assert!(!infos.is_empty());
    for (order, info) in infos.iter().enumerate() {
        assert_eq!(info.number("order"), order as f64);
        assert_eq!(info.0["move"], info.1[0]);
        assert!(info.number("visits") >= 1.0);
        let (win, bound) = (info.number("winrate"), info.number("lcb"));
        assert!((0.0..=scale).contains(&bound) && bound <= win && win <= scale, "{bound} {win}");
        assert!((0.0..=scale).contains(&info.number("prior")));
    }
    // Moves are played by their visits.
    assert!(infos.windows(2).all(|pair| pair[0].number("visits") >= pair[1].number("visits")));
}

/// Whatever line comes next ends an analysis at once, be it empty, wrong or a comment, and is answered.
#[test]
fn any_line_ends_an_analysis() {
    let talk = talk(searching());
    ask(&talk, "boardsize 5");
    for (stop, answer) in [
        ("protocol_version", Some("= 2\n")),
        ("", None),
        ("# a comment", None),
        ("nonsense", Some("? unknown command\n")),
        ("12 name", Some("=12 search\n")),
        ("stop", Some("? unknown command\n")),
    ] {
        talk.send("lz-analyze 1\n");
        assert_eq!(talk.line(), "= \n");
        let first = talk.line();
        talk.send(&format!("{stop}\n"));
        let mut last = first.clone();
        for line in response(&talk) {
            last = line;
        }
        check_infos(&parse(&first).0, 10_000.0);
        let total = |line: &str| parse(line).0.iter().map(|info| info.number("visits")).sum::<f64>();
        assert!(total(&last) >= total(&first));
        if let Some(answer) = answer {
            assert_eq!(response(&talk), [answer]);
        }
    }
    // An analysis ends another, and the search goes on where it was.
    talk.send("kata-analyze b 1\n");
    assert_eq!(talk.line(), "= \n");
    talk.line();
    talk.send("kata-analyze w 1\n");
    response(&talk);
    assert_eq!(talk.line(), "= \n");
    talk.line();
    talk.send("quit\n");
    response(&talk);
    assert_eq!(response(&talk), ["= \n"]);
    talk.end.recv_timeout(Duration::from_secs(60)).expect("the end");
}

/// What Sabaki 0.52 sends: the questions at the start, the position, an analysis, `protocol_version` to stop it, a move that
/// it shows the thinking of.
#[test]
fn sabaki_analyses_and_plays() {
    let talk = talk(searching());
    for question in ["name", "version", "protocol_version", "list_commands"] {
        ask(&talk, question);
    }
    for command in ["boardsize 9", "komi 7.5", "clear_board", "play B E5", "play W C3", "play B G7"] {
        assert_eq!(ask(&talk, command), ["= \n"], "{command}");
    }
    talk.send("lz-analyze W 2\n");
    assert_eq!(talk.line(), "= \n");
    let line = talk.line();
    talk.send("protocol_version\n");
    response(&talk);
    assert_eq!(response(&talk), ["= 2\n"]);
    let infos = parse(&line).0;
    check_infos(&infos, 10_000.0);
    assert!(infos.len() > 3 && infos.iter().all(|info| !["E5", "C3", "G7"].contains(&info.0["move"].as_str())));

    let lines = ask(&talk, "lz-genmove_analyze W 2");
    let played = lines.last().unwrap().trim_end().strip_prefix("play ").expect("a move").to_owned();
    let shown = parse(&lines[lines.len() - 2]).0;
    assert_eq!(shown[0].0["move"], played, "the last report leads with the move");
    assert_eq!(ask(&talk, "undo"), ["= \n"]);
    assert_eq!(ask(&talk, &format!("play W {played}")), ["= \n"]);
    ask(&talk, "quit");
}

/// What KaTrain, Lizzie and others ask for: ownership and the root, for either side.
#[test]
fn ownership_has_the_signs_and_sums_of_the_side() {
    let owners = |color: &str| {
        let mut session = searching();
        session.respond("boardsize 5");
        session.respond("komi 0.5");
        // Black's wall in the middle, with an eye above and below; White's stone is lost.
        for point in ["A3", "B3", "C3", "D3", "E3", "B4", "D4", "B2", "D2", "C5", "C1"] {
            assert_eq!(session.respond(&format!("play b {point}")), "= \n\n");
        }
        session.respond("play w E5");
        let command = format!("kata-analyze {color} interval 50 ownership true rootInfo true maxmoves 2");
        let text = session.respond(&command);
        let line = text.lines().nth(1).unwrap();
        let (infos, owners) = parse(line);
        check_infos(&infos, 1.0);
        assert!(infos.len() <= 2);
        assert_eq!(owners.len(), 25);
        let root = line.split_once("rootInfo ").unwrap().1;
        let word = |key: &str| root.split(' ').skip_while(|word| *word != key).nth(1).unwrap().parse::<f64>().unwrap();
        // The lead is the sum of the owners, and komi.
        let komi = if color == "b" { -0.5 } else { 0.5 };
        assert!((word("scoreLead") - owners.iter().sum::<f64>() - komi).abs() < 0.05);
        assert!(word("visits") >= 1.0);
        (owners, word("winrate"))
    };
    let ((black, black_wins), (white, white_wins)) = (owners("b"), owners("w"));
    // From the upper left corner: the wall is the middle row, White's stone the fifth point.
    for point in 10..15 {
        assert!(black[point] > 0.9 && white[point] < -0.9, "{point}: {black:?} {white:?}");
    }
    assert!(black[4] > 0.0 && white[4] < 0.0);
    assert!(black_wins > 0.9 && white_wins < 0.1, "{black_wins} {white_wins}");
}

#[test]
fn moves_are_avoided_and_allowed_in_the_search_itself() {
    let mut session = searching();
    session.respond("boardsize 5");
    let only = session.respond("kata-analyze b interval 1 allow b C3,D3 1");
    let (infos, _) = parse(only.lines().nth(1).unwrap());
    let mut moves: Vec<&str> = infos.iter().map(|info| info.0["move"].as_str()).collect();
    moves.sort_unstable();
    assert_eq!(moves, ["C3", "D3"]);
    let move_of = |answer: &str| answer.trim_end().rsplit_once("play ").unwrap().1.to_owned();
    let best = move_of(&session.respond("lz-genmove_analyze b"));
    session.respond("undo");
    let without = session.respond(&format!("lz-genmove_analyze b avoid b {best} 1"));
    assert!(!without.contains(&format!("move {best} ")) && move_of(&without) != best, "{best}: {without}");
    let none = session.respond("lz-analyze b allow b pass 1 avoid b pass 1");
    assert_eq!(none, "= \n\n");
    // Nobody resigns because there is nothing that may be played, and nobody waits for a report of no moves.
    let before = session.respond("showboard");
    for command in ["lz-genmove_analyze b allow b pass 1 avoid b pass 1", "kata-genmove_analyze b 10 allow b Z9 1"] {
        assert!(session.respond(command).starts_with('?'), "{command}");
    }
    assert_eq!(session.respond("showboard"), before);
    assert!(session.respond("kata-analyze b maxmoves 0").contains("maxmoves '0': expected a whole number from 1"));
}

/// What was asked about some moves alone is not drawn as if it were all that there is.
#[test]
fn maps_are_of_all_moves_and_of_this_board() {
    let mut session = searching();
    session.respond("boardsize 9");
    session.respond("lz-analyze b 100 allow b A1 1");
    let drawn = session.respond("afterstate-search-visits");
    let labels = drawn.lines().find(|line| line.starts_with("LABEL")).unwrap();
    assert!(labels.split_whitespace().count() > 20, "{drawn}");
    // Empty boards have one key, whatever their size.
    for size in [7, 19, 5] {
        session.respond(&format!("boardsize {size}"));
        for map in ["value", "ownership"] {
            let drawn = session.respond(&format!("afterstate-search-{map}"));
            assert!(drawn.starts_with("= ") && !drawn.contains("knows nothing"), "{size} {map}: {drawn}");
        }
        let drawn = session.respond("afterstate-search-ownership");
        let influence = drawn.lines().find(|line| line.contains("INFLUENCE")).unwrap();
        assert_eq!(influence.split("INFLUENCE").nth(1).unwrap().split_whitespace().count(), 2 * size * size);
    }
}

/// They are shares, whatever the search has in their place.
#[test]
fn priors_add_up_to_one_at_most() {
    let settings = MctsSettings { simulations: 300, memory_mib: 16, ..MctsSettings::default() };
    let prior = Even { experience: Experience::default() };
    let analyst = SearchAnalyst::new(McRave::default(), PlayOut(MogoPlayout::default()), prior, settings, 1);
    let mut session = Session::new("even", Box::new(FirstPoint)).with_analyst(Box::new(analyst));
    for command in ["boardsize 5", "play b C3", "play w C2", "play b D2"] {
        session.respond(command);
    }
    let answer = session.respond("kata-analyze w 1");
    let infos = parse(answer.lines().find(|line| line.starts_with("info")).unwrap()).0;
    let priors: Vec<f64> = infos.iter().map(|info| info.number("prior")).collect();
    let all: f64 = priors.iter().sum();
    assert!(all <= 1.001 && priors.iter().any(|&prior| prior > 0.0), "{priors:?}");
}

/// A stream that the test looks at afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// GoGui's start, its analyze menu, every drawing, live graphics while a move is chosen.
#[test]
fn gogui_draws_what_the_search_knows() {
    let error = Shared::default();
    let mut session = searching().with_live_graphics(Box::new(error.clone()));
    for command in ["protocol_version", "name", "list_commands", "version"] {
        assert!(session.respond(command).starts_with("= "));
    }
    let menu = session.respond("gogui-analyze_commands");
    assert_eq!(
        menu,
        "= gfx/Search Value/afterstate-search-value\ngfx/Search Visits/afterstate-search-visits\n\
         gfx/Search All-Moves-As-First/afterstate-search-amaf\ngfx/Search Prior/afterstate-search-prior\n\
         gfx/Search Ownership/afterstate-search-ownership\nparam/Live Graphics/afterstate-live-graphics\n\n"
    );
    for command in ["boardsize 9", "clear_board", "komi 7.5", "time_settings 0 0 0", "play b E5", "play w C3"] {
        assert_eq!(session.respond(command), "= \n\n", "{command}");
    }
    let visits = session.respond("afterstate-search-visits");
    let labels = visits.lines().find(|line| line.starts_with("LABEL ")).unwrap();
    let words: Vec<&str> = labels.split(' ').skip(1).collect();
    let numbers: u64 = words.chunks(2).map(|pair| pair[1].parse::<u64>().unwrap()).sum();
    let pass = visits.rsplit_once("; pass ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u64>().ok());
    assert_eq!(numbers + pass.unwrap_or(0), 300, "{visits}");
    assert!(visits.trim_end().lines().last().unwrap().starts_with("TEXT 300 visits, best "), "{visits}");
    for map in ["value", "amaf"] {
        let drawing = session.respond(&format!("afterstate-search-{map}"));
        assert!(drawing.starts_with("= COLOR #"), "{drawing}");
        let labels = drawing.lines().find(|line| line.starts_with("LABEL ")).unwrap();
        let words: Vec<&str> = labels.split(' ').skip(1).collect();
        for pair in words.chunks(2) {
            assert!(Point::parse(pair[0], 9).is_ok() && (0..=100).contains(&pair[1].parse::<i32>().unwrap()));
        }
    }
    assert!(session.respond("afterstate-search-prior").starts_with("= "));
    let owners = session.respond("afterstate-search-ownership");
    let influence: Vec<&str> = owners.lines().next().unwrap().split(' ').skip(2).collect();
    assert_eq!(influence.len(), 2 * 81);
    assert!(influence.chunks(2).all(|pair| (-1.0..=1.0).contains(&pair[1].parse::<f32>().unwrap())));
    assert!(error.0.lock().unwrap().is_empty(), "nothing is drawn until somebody asks for it");

    let setting = "[list/off/value/visits/amaf/prior/ownership] draw";
    assert_eq!(session.respond("afterstate-live-graphics"), format!("= {setting} off\n\n"));
    assert_eq!(session.respond("afterstate-live-graphics draw visits"), "= \n\n");
    assert_eq!(session.respond("afterstate-live-graphics"), format!("= {setting} visits\n\n"));
    assert!(session.respond("afterstate-live-graphics draw faces").starts_with("? syntax error: draw 'faces'"));
    let played = session.respond("genmove b");
    let drawn = String::from_utf8(std::mem::take(&mut *error.0.lock().unwrap())).unwrap();
    assert!(drawn.starts_with("gogui-gfx:\nCOLOR #") && drawn.ends_with("\n\ngogui-gfx: CLEAR\n"), "{drawn}");
    let best = played.trim_end().strip_prefix("= ").unwrap();
    assert!(drawn.contains(&format!(" visits, best {best} wins ")), "{played} {drawn}");
    // What the move was chosen by is still known where it was chosen.
    session.respond("undo");
    assert!(session.respond("afterstate-search-value").contains(&format!("best {best} wins")));
    session.respond("afterstate-live-graphics draw off");
    error.0.lock().unwrap().clear();
    session.respond("lz-genmove_analyze b");
    assert!(error.0.lock().unwrap().is_empty());
}

/// A finished game with prisoners on the board: they are dead, the rest is counted, and seki is told apart.
#[test]
fn dead_stones_are_listed_and_not_counted() {
    let mut session = searching();
    session.respond("boardsize 9");
    session.respond("komi 7.5");
    for row in 1..=9 {
        for (color, columns) in [("b", ["C", "D", "E"]), ("w", ["F", "G", "G"])] {
            for column in columns {
                session.respond(&format!("play {color} {column}{row}"));
            }
        }
    }
    for command in ["play w A5", "play b J3", "play b J7", "play w pass", "play b pass"] {
        assert_eq!(session.respond(command), "= \n\n", "{command}");
    }
    assert_eq!(session.respond("final_status_list dead"), "= J3\nA5\nJ7\n\n");
    assert_eq!(session.respond("final_status_list seki"), "= \n\n");
    let alive = session.respond("final_status_list alive");
    assert_eq!(alive.lines().filter(|line| !line.is_empty()).count(), 2, "{alive}");
    let territory = session.respond("final_status_list black_territory");
    assert_eq!(territory.trim().split(' ').skip(1).count(), 18, "{territory}");
    // 45 points against 36 and komi.
    assert_eq!(session.respond("final_score"), "= B+1.5\n\n");
    let printed = session.respond("printsgf");
    assert!(printed.contains("RE[B+1.5]"), "{printed}");
}

/// A game that playouts alone give to White, because their rules save what is dead. GNU Go counts 19.5 points for Black.
#[test]
fn who_is_dead_is_what_the_search_thinks() {
    const GAME: &str = "E5 C4 D3 C3 C6 D2 F6 G4 F3 H6 G3 H3 E2 G2 B5 G7 F7 D1 E1 G8 F8 F9 E9 G9 D8 F4 E4 F2 E3 H2 G5 H5 F1 G1 F5 H4 G6 \
                        pass pass";
    let mut session = searching();
    session.respond("boardsize 9");
    session.respond("komi 7.5");
    for (number, mv) in GAME.split_whitespace().enumerate() {
        let color = ["b", "w"][number % 2];
        assert_eq!(session.respond(&format!("play {color} {mv}")), "= \n\n", "{mv}");
    }
    assert_eq!(session.respond("final_score"), "= B+19.5\n\n");
    let dead = session.respond("final_status_list dead");
    assert!(["C3", "C4", "D1", "D2"].iter().all(|stone| dead.contains(stone)), "{dead}");
    // Asked again it says the same.
    assert_eq!(session.respond("final_status_list dead"), dead);
    assert!(session.respond("printsgf").contains("RE[B+19.5]"));
}

#[test]
fn what_is_known_of_other_komi_is_forgotten() {
    let mut session = searching();
    session.respond("boardsize 5");
    let black_wins = |komi: &str| -> f64 {
        session.respond(&format!("komi {komi}"));
        let answer = session.respond("kata-analyze b 1");
        let info = answer.lines().find(|line| line.starts_with("info")).unwrap();
        parse(info).0[0].number("winrate")
    };
    assert_eq!(["-30", "30", "-30"].map(black_wins), [1.0, 0.0, 1.0]);
}
