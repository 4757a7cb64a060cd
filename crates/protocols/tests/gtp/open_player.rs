//! A player by tree search that analyses with its own search.

use super::analysis::talk;
use afterstate_arena::{GoConduct, MctsPlayer, MctsPlayerSettings};
use afterstate_engine::Budget;
use afterstate_engine::search::{
    GoOwnership, McRave, Mcts, MctsSettings, NetworkSearch, NetworkSearchSettings, PlayOut,
};
use afterstate_engine::zero::{Network, Question, Uniform};
use afterstate_games::Record;
use afterstate_games::go::{Go, MogoPlayout};
use afterstate_protocols::gtp::{Analyst, Inquiry, OpenPlayer, Session};
use std::time::Duration;

fn open() -> Session {
    open_with(400)
}

fn player(simulations: u64) -> OpenPlayer {
    let settings = MctsSettings { simulations, memory_mib: 16, ..MctsSettings::default() };
    let playout = PlayOut(MogoPlayout::default());
    let search = Mcts::with(McRave::default(), playout, (), GoOwnership::default(), settings);
    OpenPlayer::new(MctsPlayer::new(Box::new(search), GoConduct, MctsPlayerSettings::default()), 1)
}

fn open_with(simulations: u64) -> Session {
    let player = player(simulations);
    Session::new("open", Box::new(player.clone())).with_analyst(Box::new(player)).with_seed(3)
}

/// The move of an answer to a `genmove` of any kind.
fn played(answer: &str) -> &str {
    let answer = answer.trim_end();
    answer.rsplit_once("play ").map_or_else(|| answer.strip_prefix("= ").unwrap(), |(_, mv)| mv)
}

#[test]
fn the_same_moves_are_played_with_analysis_and_without() {
    let (mut plain, mut analysing) = (open(), open());
    for session in [&mut plain, &mut analysing] {
        session.respond("boardsize 5");
        session.respond("komi 0.5");
    }
    let commands = ["lz-genmove_analyze", "kata-genmove_analyze", "cgos-genmove_analyze"];
    for (i, command) in commands.iter().cycle().take(9).enumerate() {
        let color = ["b", "w"][i % 2];
        let expected = plain.respond(&format!("genmove {color}"));
        let answer = analysing.respond(&format!("{command} {color}"));
        assert_eq!(played(&answer), played(&expected), "{command}: {answer}");
        let leads = format!("info move {} ", played(&answer));
        let shown = answer.lines().rfind(|line| line.starts_with("info "));
        // CGOS is told in JSON.
        let is_told = *command == "cgos-genmove_analyze" || shown.is_some();
        assert!(is_told && shown.is_none_or(|shown| shown.starts_with(&leads)), "{answer}");
    }
}

/// Every report has them, and not only the last one.
#[test]
fn owners_are_shown_while_a_move_is_chosen() {
    let mut session = open_with(1 << 40);
    session.respond("boardsize 9");
    session.respond("kata-time_settings absolute 20");
    let answer = session.respond("kata-genmove_analyze b 2 ownership true rootInfo true");
    let reports: Vec<&str> = answer.lines().filter(|line| line.starts_with("info ")).collect();
    assert!(reports.len() >= 3, "{answer}");
    for report in reports {
        assert!(report.contains(" scoreLead "), "{report}");
        let owners = report.split_once(" ownership ").expect("owners").1;
        assert_eq!(owners.split(' ').count(), 81, "{report}");
    }
}

/// The search is not asked about passes, but the player passes: the report says so.
#[test]
fn a_move_of_manners_leads_the_report() {
    let mut session = open();
    session.respond("boardsize 5");
    session.respond("komi 0.5");
    for point in ["C1", "C2", "C3", "C4", "C5", "B3", "D3"] {
        assert_eq!(session.respond(&format!("play b {point}")), "= \n\n");
    }
    session.respond("play w pass");
    let answer = session.respond("kata-genmove_analyze b ownership true");
    assert!(answer.ends_with("\nplay pass\n\n"), "{answer}");
    let shown = answer.lines().rfind(|line| line.starts_with("info ")).unwrap();
    assert!(shown.starts_with("info move pass visits ") && shown.contains(" order 1 "), "{answer}");
    assert!(shown.contains(" ownership "), "{answer}");
}

/// An analysis in the middle of a game, ended by whatever comes, and the game goes on.
#[test]
fn a_game_is_played_with_looks_in_between() {
    let talk = talk(open());
    let ask = |command: &str| {
        talk.send(&format!("{command}\n"));
        let mut lines = vec![talk.line()];
        while lines.last().is_some_and(|line| line != "\n") {
            lines.push(talk.line());
        }
        lines
    };
    ask("boardsize 5");
    for color in ["b", "w", "b", "w"] {
        talk.send(&format!("kata-analyze {color} 1 rootInfo true ownership true\n"));
        assert_eq!(talk.line(), "= \n");
        // It does not end by itself, although a move is decided by 400 simulations.
        let visits = |line: String| line.split("rootInfo visits ").nth(1)?.split(' ').next()?.parse::<u64>().ok();
        let enough = (0..10_000).any(|_| visits(talk.line()).expect("a number of visits") >= 1000);
        assert!(enough);
        talk.send(&format!("genmove {color}\n"));
        while talk.line() != "\n" {}
        let answer = talk.line();
        assert!(answer.starts_with("= ") && answer.len() > 3, "{answer}");
        assert_eq!(talk.line(), "\n");
    }
    assert_eq!(ask("undo"), ["= \n", "\n"]);
    talk.send("lz-analyze 1\n");
    assert_eq!(talk.line(), "= \n");
    talk.line();
    talk.send("quit\n");
    while talk.line() != "\n" {}
    assert_eq!((talk.line(), talk.line()), ("= \n".to_owned(), "\n".to_owned()));
    talk.end.recv_timeout(Duration::from_secs(60)).expect("the end");
}

#[test]
fn knowledge_of_one_board_is_not_used_on_another() {
    let settings = MctsSettings { simulations: 50, memory_mib: 4, ..MctsSettings::default() };
    let playout = PlayOut(MogoPlayout::default());
    let search = Mcts::with(McRave::default(), playout, (), GoOwnership::default(), settings);
    let player = MctsPlayer::new(Box::new(search), GoConduct, MctsPlayerSettings::default());
    let player = OpenPlayer::new(player, 1).with_size(7);
    let mut session = Session::new("open", Box::new(player.clone())).with_analyst(Box::new(player));
    session.respond("boardsize 9");
    assert!(session.respond("genmove b").contains("plays on 7x7 only, the board is 9x9"));
    assert!(session.respond("lz-genmove_analyze b").starts_with("? "));
    assert_eq!(session.respond("lz-analyze b"), "= \n\n");
    session.respond("boardsize 7");
    assert!(session.respond("lz-genmove_analyze b").contains("\nplay "));
}

#[test]
fn what_an_analysis_found_out_is_known_when_a_move_is_chosen() {
    let (mut player, record) = (player(100), Record::new(Go::new(5)));
    let budget = Budget { simulations: Some(1000), ..Budget::default() };
    player.analyze(&Inquiry::new(&record, &budget), &mut |_| {}).unwrap();
    let (budget, mut visits) = (Budget { simulations: Some(100), ..Budget::default() }, 0);
    Analyst::choose(&mut player, &Inquiry::new(&record, &budget), &mut |analysis| visits = analysis.visits).unwrap();
    assert!(visits > 1000, "{visits}");
}

/// A network that takes its time.
struct Slow;

impl Network<Go> for Slow {
    fn evaluate(&mut self, questions: &mut [&mut Question<Go>]) {
        std::thread::sleep(Duration::from_millis(3));
        Uniform.evaluate(questions);
    }
}

/// Each of its searches ends somewhat before its time, and the analysis goes on.
#[test]
fn a_slow_network_is_asked_to_the_end_of_an_analysis() {
    let search = NetworkSearch::new(Slow, NetworkSearchSettings::default());
    let mut player = OpenPlayer::new(MctsPlayer::new(Box::new(search), GoConduct, MctsPlayerSettings::default()), 1);
    let (record, budget) = (Record::new(Go::new(5)), Budget { simulations: Some(60), ..Budget::default() });
    let inquiry = Inquiry { interval: Duration::from_millis(10), ..Inquiry::new(&record, &budget) };
    let mut reports = 0;
    let decision = player.analyze(&inquiry, &mut |_| reports += 1).unwrap();
    assert_eq!(decision.effort, 60);
    assert!(reports > 1, "{reports}");
}
