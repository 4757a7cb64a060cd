//! Nothing that can be set up makes it panic or play what is not legal.

use crate::{decide, engine, nodes, position, random_positions, small};
use afterstate_engine::search::TournamentSettings;
use afterstate_games::{Chess, Game, Notation, Record};

fn survives(game: &Chess, settings: &TournamentSettings, budget: u64) {
    let record = Record::new(game.clone());
    let (decision, score) = decide(&mut engine(settings.clone()), &record, &nodes(budget));
    let text = game.position_text();
    assert!(decision.best.is_some() && score.is_none_or(|score| !score.first_player().is_nan()), "{text}");
    assert_eq!(decision.principal_variation.first(), decision.best.as_ref(), "{text}");
    let mut game = game.clone();
    for &mv in &decision.principal_variation {
        assert!(game.board().is_legal(mv), "{mv} in the line from {text}");
        game.play(mv);
    }
}

#[test]
fn random_positions_of_both_kinds_of_chess() {
    for game in random_positions(5, 500, 7) {
        survives(&game, &small(), 3_000);
    }
    for game in random_positions(6, 60, 19) {
        survives(&game, &TournamentSettings::full_width(), 3_000);
    }
}

#[test]
fn positions_at_the_edge_of_the_rules() {
    let edges = [
        // Promotions everywhere, en passant with a pin, castling through a rook's own place, the most moves of all.
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "1rkr4/8/8/8/8/8/8/1RKR4 w DBdb - 0 1",
        "6k1/8/8/8/8/8/8/RK5R w HA - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 99 200",
        "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
        "7k/8/8/8/8/8/8/K7 w - - 100 1",
    ];
    for text in edges {
        survives(&position(text), &small(), 20_000);
        survives(&position(text), &TournamentSettings { threads: 2, ..small() }, 20_000);
        survives(&position(text), &TournamentSettings::full_width(), 20_000);
    }
}

#[test]
fn settings_out_of_range_are_brought_back() {
    let settings = TournamentSettings { threads: 0, table_mib: 0, depth: 0, ..TournamentSettings::default() };
    let mut search = engine(settings);
    assert_eq!(search.settings().threads, 1);
    let mut limits = nodes(10_000);
    limits.multi_pv = 0;
    limits.budget.depth = Some(u32::MAX);
    limits.mate = Some(u32::MAX);
    assert!(decide(&mut search, &Record::new(Chess::new()), &limits).0.best.is_some());
    assert!(serde_json::from_str::<TournamentSettings>(r#"{"nul-move": true}"#).is_err());
}

#[test]
fn a_game_played_to_its_end_without_forgetting() {
    let mut search = engine(small());
    let mut record = Record::new(Chess::new());
    while let afterstate_games::Turn::Player(_) = record.turn() {
        let (decision, _) = decide(&mut search, &record, &nodes(500));
        assert!(record.is_legal(decision.best.unwrap()));
        record.play(decision.best.unwrap());
        if record.moves().len() > 300 {
            break;
        }
    }
}
