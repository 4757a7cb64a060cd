//! A network teaches itself backgammon.

use afterstate_engine::learning::td_gammon::best_play;
use afterstate_engine::learning::{NetworkTdSettings, SelfTaught, TdGammon};
use afterstate_engine::value::backgammon_inputs::InputSet;
use afterstate_engine::value::backgammon_network::{BackgammonNetwork, TURNED, equity, outputs_of};
use afterstate_games::backgammon::{Backgammon, Board, Dice, Phase};
use afterstate_games::rng::below;
use afterstate_games::{Game, Notation, Outcome, Side, stream};

fn learner(lambda: f32) -> TdGammon {
    let network = BackgammonNetwork::random(10, &mut stream(1, 0));
    TdGammon::new(network, NetworkTdSettings { step_size: 0.1, lambda })
}

/// The share of games that the network wins against random plays.
fn score_against_random(network: &mut BackgammonNetwork, games: u64) -> f64 {
    let (mut wins, mut moves) = (0, Vec::new());
    for index in 0..games {
        let mut rng = stream(5, index);
        let own = if index % 2 == 0 { Side::First } else { Side::Second };
        let mut game = Backgammon::new();
        loop {
            match game.phase() {
                Phase::ToPlay(side, _) => {
                    game.legal_moves(&mut moves);
                    let random = moves[below(&mut rng, moves.len() as u32) as usize];
                    game.play(if side == own { best_play(network, &game, side, &moves) } else { random });
                }
                Phase::Over(outcome) => {
                    wins += u32::from(outcome.winner == Some(own));
                    break;
                }
                _ => game.play(game.roll(&mut rng)),
            }
        }
    }
    f64::from(wins) / games as f64
}

#[test]
fn games_with_itself_teach_it_to_beat_random_plays() {
    let mut learner = learner(0.7);
    for index in 0..3_000 {
        learner.play(&mut stream(2, index));
    }
    let score = score_against_random(&mut learner.network, 200);
    assert!(score > 0.9, "{score}");
}

#[test]
fn the_same_games_teach_the_same() {
    let weights = |games: u64| {
        let mut learner = learner(0.5);
        let plays: usize = (0..games).map(|index| learner.play(&mut stream(2, index)).1).sum();
        assert!(plays > 20);
        learner.network.perceptron().weights().to_vec()
    };
    assert_eq!(weights(5), weights(5));
    assert_ne!(weights(5), weights(6));
}

#[test]
fn what_one_side_sees_is_what_the_other_does_turned_around() {
    for stake in 1..=3 {
        let outcome = Outcome { winner: Some(Side::Second), stake };
        let [first, second] = [Side::First, Side::Second].map(|side| outputs_of(outcome, side));
        let turned: Vec<f32> = TURNED.iter().map(|turned| turned.offset + turned.sign * first[turned.from]).collect();
        assert_eq!(turned, second);
        assert_eq!((equity(&first), equity(&second)), (-f32::from(stake), f32::from(stake)));
        assert_eq!(outcome.points(Side::First), -f32::from(stake));
    }
}

#[test]
fn a_game_that_can_be_won_at_once_is_won() {
    let mut men = [[0; 25]; 2];
    (men[0][1], men[0][0], men[1][0]) = (1, 1, 15);
    let board = Board::from_men(men).unwrap();
    let game = Backgammon::at(board, Side::First, Dice::new(2, 1));
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let mut network = BackgammonNetwork::random(4, &mut stream(3, 0));
    assert_eq!(game.move_text(best_play(&mut network, &game, Side::First, &moves)), "2/off 1/off");
}

#[test]
fn what_experts_count_is_learnt_from_and_values_do_not_depend_on_how_they_are_computed() {
    let networks = [InputSet::Expert, InputSet::Phases];
    networks.into_iter().for_each(expect_more_inputs_to_be_learnt_from);
}

fn expect_more_inputs_to_be_learnt_from(set: InputSet) {
    let network = BackgammonNetwork::random_over(set, 10, &mut stream(1, 0));
    let first = network.perceptron().weights().to_vec();
    let mut learner = TdGammon::new(network, NetworkTdSettings { step_size: 0.1, lambda: 0.0 });
    for index in 0..50 {
        learner.play(&mut stream(2, index));
    }
    let learnt = learner.network.perceptron().weights();
    for phase in 0..set.count() / 214 {
        let changed = |input: &usize| first[10 * input] != learnt[10 * input];
        let met = (214 * phase + 198..214 * (phase + 1)).filter(changed).count();
        // In a race there are no shots, nobody is held, and nobody has to pass.
        let least = if set == InputSet::Expert { 16 } else { 8 };
        assert!(met >= least, "{met} of what experts count were met in phase {phase}");
    }
    let (mut random, mut game, mut moves, mut compared) = (stream(8, 0), Backgammon::new(), Vec::new(), 0);
    let (mut alone, mut following) = (learner.network.clone(), learner.network.clone());
    while compared < 1000 {
        match game.phase() {
            Phase::ToPlay(side, _) => {
                game.legal_moves(&mut moves);
                following.follow_board(game.board(), side.other());
                for &mv in &moves {
                    let mut after = game;
                    after.play(mv);
                    if let Phase::ToRoll(_) = after.phase() {
                        let found = following.outputs(after.board(), side.other());
                        let expected = alone.outputs(after.board(), side.other());
                        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5));
                        compared += 1;
                    }
                }
                game.play(moves[below(&mut random, moves.len() as u32) as usize]);
            }
            Phase::Over(_) => game = Backgammon::new(),
            _ => game.play(game.roll(&mut random)),
        }
    }
}
