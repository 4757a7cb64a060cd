//! Rules of backgammon that are easily got wrong, positions worked out by hand, and readers that are given nonsense.

use afterstate_games::backgammon::ids::PositionId;
use afterstate_games::backgammon::{BAR, Backgammon, Board, Dice, Move, Phase, Play};
use afterstate_games::{Game, Notation, Side, Turn, stream};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A board from men by point, each side counting from its own home; point 25 is the bar.
fn board(first: &[(usize, u8)], second: &[(usize, u8)]) -> Board {
    let mut men = [[0; 25]; 2];
    for (side, places) in [first, second].into_iter().enumerate() {
        for &(point, count) in places {
            men[side][point - 1] = count;
        }
    }
    Board::from_men(men).unwrap()
}

fn plays(first: &[(usize, u8)], second: &[(usize, u8)], one: u8, other: u8) -> BTreeSet<String> {
    let game = Backgammon::at(board(first, second), Side::First, Dice::new(one, other));
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let texts: BTreeSet<String> = moves.iter().map(|&mv| game.move_text(mv)).collect();
    assert_eq!(texts.len(), moves.len(), "{texts:?}");
    texts
}

fn set<const N: usize>(texts: [&str; N]) -> BTreeSet<String> {
    texts.map(str::to_string).into()
}

#[test]
fn both_numbers_are_played_if_that_is_possible() {
    // 6 then 5 is blocked on point 4 after 15/9, so only 5 first: 15/10/4.
    let wall = [(25 - 9, 2)];
    assert_eq!(plays(&[(15, 1)], &wall, 6, 5), set(["15/4"]));
}

#[test]
fn the_larger_number_is_played_if_only_one_can_be() {
    let wall = [(25 - 3, 2), (25 - 14, 2), (25 - 15, 2)];
    assert_eq!(plays(&[(20, 1)], &wall, 6, 5), set(["pass"]));
    let wall = [(25 - 9, 2)];
    // 20/14 and 20/15 are open; both meet point 9, so only one number can be played.
    assert_eq!(plays(&[(20, 1)], &wall, 6, 5), set(["20/14"]));
}

#[test]
fn men_on_the_bar_enter_first() {
    assert_eq!(plays(&[(25, 2), (6, 1)], &[(25 - 20, 2)], 5, 4), set(["bar/21"]));
    assert_eq!(plays(&[(25, 1), (6, 1)], &[(25 - 20, 2), (25 - 21, 2)], 5, 4), set(["pass"]));
    let texts = set(["bar/16", "bar/20 6/2", "bar/21* 6/1", "bar/21*/16"]);
    assert_eq!(plays(&[(25, 1), (6, 1)], &[(25 - 21, 1)], 5, 4), texts);
}

#[test]
fn men_are_borne_off_when_all_are_at_home() {
    assert_eq!(plays(&[(7, 1), (3, 1)], &[(25, 1)], 6, 1), set(["7/1 3/2", "7/off"]));
    // A number that is too large takes the hindmost man, and only that one.
    assert_eq!(plays(&[(4, 1), (2, 2)], &[(25, 1)], 6, 5), set(["4/off 2/off"]));
    assert_eq!(plays(&[(2, 5)], &[(25, 1)], 3, 3), set(["2/off(4)"]));
}

#[test]
fn four_steps_of_a_double_and_fewer_where_the_way_is_closed() {
    assert_eq!(plays(&[(24, 1)], &[(24, 1)], 6, 6), set(["24/off"]));
    assert_eq!(plays(&[(24, 1)], &[(25 - 12, 2)], 6, 6), set(["24/18"]));
}

#[test]
fn ways_that_hit_differ_from_ways_that_do_not() {
    let texts = plays(&[(13, 1)], &[(25 - 8, 1)], 5, 1);
    assert_eq!(texts, set(["13/7", "13/8*/7"]));
    let game = Backgammon::at(board(&[(13, 1)], &[(25 - 8, 1)]), Side::First, Dice::new(5, 1));
    let hit = game.parse_move("13/8*/7").unwrap();
    assert_ne!(game.parse_move("13/7").unwrap(), hit);
    let mut after = game;
    after.play(hit);
    assert_eq!((after.board().men(Side::Second, BAR), after.phase()), (1, Phase::ToRoll(Side::Second)));
}

#[test]
fn stars_may_be_left_out_where_nothing_else_is_meant() {
    let game = Backgammon::at(board(&[(13, 1), (2, 1)], &[(25 - 7, 1)]), Side::First, Dice::new(6, 1));
    assert_eq!(game.parse_move("13/7 2/1").unwrap(), game.parse_move("13/7* 2/1").unwrap());
    assert!(game.parse_move("7/13").is_err() && game.parse_move("13/7(9)").is_err() && game.parse_move("").is_err());
    // What is well formed but not legal is left to the rules.
    assert!(!game.is_legal(game.parse_move("13/9").unwrap()));
}

#[test]
fn a_win_counts_by_how_far_the_loser_came() {
    for (loser, stake) in [
        (&[(1, 14)][..], 1),
        (&[(1, 15)], 2),
        (&[(18, 1), (1, 14)], 2),
        (&[(19, 1), (1, 14)], 3),
        (&[(25, 1), (1, 14)], 3),
    ] {
        let game = Backgammon::at(board(&[(1, 1)], loser), Side::First, Dice::new(2, 1));
        let mv = game.parse_move("1/off").unwrap();
        let outcome = game.outcome_after(mv).unwrap();
        assert_eq!((outcome.winner, outcome.stake), (Some(Side::First), stake), "{loser:?}");
        let mut after = game;
        after.play(mv);
        assert_eq!(after.turn(), Turn::Over(outcome));
    }
}

#[test]
fn the_opening_roll_says_who_begins() {
    let mut chances = Vec::new();
    Backgammon::new().chance_outcomes(&mut chances);
    assert_eq!(chances.len(), 30);
    for (text, side) in [("31", Side::First), ("13", Side::Second)] {
        let mut game = Backgammon::new();
        game.play(game.parse_move(text).unwrap());
        assert_eq!(game.turn(), Turn::Player(side));
        game.chance_outcomes(&mut chances);
        assert!(chances.is_empty());
        game.play(game.parse_move("8/5 6/5").unwrap());
        game.chance_outcomes(&mut chances);
        assert_eq!(chances.len(), 21);
    }
}

#[test]
fn an_xgid_of_another_program_is_read() {
    let game = Backgammon::parse_position("XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10").unwrap();
    assert_eq!((game.board(), game.phase()), (&Board::start(), Phase::ToPlay(Side::First, Dice::new(5, 2).unwrap())));
    for (text, complaint) in [
        ("XGID=-b----E-C---eE---c-e----B", "26 letters"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:2:52:0:0:3:0:10", "whose turn"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:72:0:0:3:0:10", "dice"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1", "the dice"),
        ("XGID=-bO---E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10", "fifteen"),
        ("XGID=Ab----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10", "last bar"),
    ] {
        let error = Backgammon::parse_position(text).unwrap_err().to_string();
        assert!(error.contains(complaint) && !error.contains('\n'), "{text}: {error}");
    }
}

#[test]
fn the_diagram_tells_all() {
    let game = Backgammon::at(Board::start(), Side::Second, Dice::new(6, 1));
    let diagram = game.diagram();
    assert!(diagram.contains("O to play 61") && diagram.contains("X: 167 pips, 0 off"), "{diagram}");
    assert!(diagram.contains("+13 14 15 16 17 18 +---+19 20 21 22 23 24 +"), "{diagram}");
    assert_eq!(diagram.matches(" X ").count() + diagram.matches(" O ").count(), 30, "{diagram}");
}

/// A random position of a random game.
fn position() -> impl Strategy<Value = Backgammon> {
    (any::<u64>(), 0..200usize).prop_map(|(seed, moves)| {
        let (mut game, mut rng) = (Backgammon::new(), stream(seed, 0));
        let (mut plays, mut chances) = (Vec::new(), Vec::new());
        for _ in 0..moves {
            match game.turn() {
                Turn::Over(_) => break,
                Turn::Chance => {
                    game.chance_outcomes(&mut chances);
                    game.play(afterstate_games::playout::draw_chance(&chances, &mut rng));
                }
                Turn::Player(_) => {
                    game.legal_moves(&mut plays);
                    game.play(plays[afterstate_games::rng::below(&mut rng, plays.len() as u32) as usize]);
                }
            }
        }
        game
    })
}

proptest! {
    #[test]
    fn ids_bring_positions_back(game in position()) {
        for side in [Side::First, Side::Second] {
            let id = PositionId::of(game.board(), side).to_string().parse::<PositionId>().unwrap();
            prop_assert_eq!(id.board(side), Some(*game.board()));
        }
        prop_assert_eq!(Backgammon::parse_position(&game.position_text()).unwrap(), game);
    }

    #[test]
    fn every_text_is_read_or_refused_in_one_line(game in position(), text in "\\PC{0,40}", play in "[0-9bar/of*() ]{0,24}") {
        for text in [&text, &play] {
            for refused in [
                game.parse_move(text).err(),
                Backgammon::parse_position(text).err(),
                text.parse::<PositionId>().err(),
            ]
            .into_iter()
            .flatten()
            {
                prop_assert!(!refused.to_string().contains('\n'));
            }
        }
    }

    #[test]
    fn a_damaged_id_stands_for_a_position_or_for_none(mut letters in "[A-Za-z0-9+/]{14}", men in "[-a-oA-O]{26}") {
        if let Ok(id) = letters.parse::<PositionId>() {
            prop_assert_eq!(PositionId::of(&id.board(Side::First).unwrap(), Side::First).to_string(), letters.clone());
        }
        letters.push('A');
        prop_assert!(letters.parse::<PositionId>().is_err());
        if let Ok(game) = Backgammon::parse_position(&format!("{men}:0:0:1:61:0:0:0:0:10")) {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            prop_assert!(!moves.is_empty() || matches!(game.turn(), Turn::Over(_)));
        }
    }
}

#[test]
fn nothing_is_a_play_too() {
    let game = Backgammon::at(board(&[(25, 1)], &[(25 - 20, 2), (25 - 21, 2)]), Side::First, Dice::new(5, 4));
    assert_eq!(game.parse_move("pass").unwrap(), Move::Play(Play::NOTHING));
    assert!(game.is_legal(Move::Play(Play::NOTHING)));
}
