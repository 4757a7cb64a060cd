//! Networks that learn backgammon from searches: against the search itself, against finite differences, and against the learner that
//! does not look ahead.

use afterstate_engine::learning::principal_leaves::GammonSearch;
use afterstate_engine::learning::{
    GammonLearner, NetworkTdLeaf, NetworkTdSettings, NetworkTreeStrap, PrincipalLeaves, SearchGammon, SelfTaught,
    TdGammon,
};
use afterstate_engine::search::expectimax::{Expectimax, ExpectimaxSettings, Pruning};
use afterstate_engine::value::backgammon_inputs::inputs_of;
use afterstate_engine::value::backgammon_network::{BackgammonNetwork, OUTPUTS, equity};
use afterstate_engine::value::perceptron::{Activation, Perceptron, SparseInputs};
use afterstate_games::backgammon::{Backgammon, Board, Phase};
use afterstate_games::rng::{below, unit};
use afterstate_games::{Game, Side, stream};

fn network(hidden: usize) -> BackgammonNetwork {
    let small = BackgammonNetwork::random(hidden, &mut stream(1, 0));
    // Larger weights than a beginner has, so that positions differ.
    let (layers, mut rng) = (small.perceptron().layers(), stream(1, 1));
    let weights = small.perceptron().weights().iter().map(|weight| 4.0 * weight + unit(&mut rng) - 0.5).collect();
    BackgammonNetwork::new(Perceptron::from_weights(layers, weights).unwrap())
}

fn search(hidden: usize, plies: u32) -> GammonSearch {
    let settings = ExpectimaxSettings { plies, keep: 1000, margin: 100.0, pruning: Pruning::None };
    Expectimax::new(network(hidden), settings)
}

/// Positions before a roll, from random games; late ones are among them.
fn positions(count: usize) -> Vec<Backgammon> {
    let (mut found, mut moves, mut rng) = (Vec::new(), Vec::new(), stream(7, 0));
    while found.len() < count {
        let mut game = Backgammon::new();
        loop {
            match game.phase() {
                Phase::Over(_) => break,
                Phase::ToPlay(..) => {
                    game.legal_moves(&mut moves);
                    game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
                    if matches!(game.phase(), Phase::ToRoll(_)) && below(&mut rng, 40) == 0 {
                        found.push(game);
                    }
                }
                _ => game.play(game.roll(&mut rng)),
            }
        }
    }
    found.truncate(count);
    found
}

/// A race that some rolls end.
fn nearly_over() -> Backgammon {
    let mut men = [[0; 25]; 2];
    (men[0][1], men[0][3], men[1][0], men[1][5]) = (1, 1, 1, 2);
    Backgammon::at(Board::from_men(men).unwrap(), Side::First, None)
}

#[test]
fn leaves_say_what_the_search_says() {
    let (mut one, mut two) = (search(8, 2), search(5, 3));
    let mut leaves = PrincipalLeaves::default();
    for game in positions(20).into_iter().chain([nearly_over()]) {
        leaves.find(&mut one, &game, 1);
        let expected = one.equity(&game);
        let found = equity(&leaves.evaluate(one.evaluation().perceptron()));
        assert!((found - expected).abs() < 1e-4, "{game:?}: {found}, the search: {expected}");
    }
    leaves.find(&mut one, &nearly_over(), 1);
    assert!(leaves.len() < 21, "some rolls end the game");
    for game in positions(2).into_iter().chain([nearly_over()]) {
        leaves.find(&mut two, &game, 2);
        let expected = two.equity(&game);
        let found = equity(&leaves.evaluate(two.evaluation().perceptron()));
        assert!((found - expected).abs() < 1e-4, "{game:?}: {found}, the search: {expected}");
    }
}

#[test]
fn with_one_ply_all_rules_of_differences_are_td_lambda() {
    let ahead = ExpectimaxSettings { plies: 1, ..ExpectimaxSettings::default() };
    for lambda in [0.0, 0.7] {
        let td = NetworkTdSettings { step_size: 0.1, lambda };
        let mut plain = TdGammon::new(network(6), td);
        let mut others = [GammonLearner::TdDirected, GammonLearner::TdLeaf]
            .map(|rule| SearchGammon::new(network(6), rule, td, ahead));
        for game in 0..3 {
            let ended = plain.play(&mut stream(2, game));
            for other in &mut others {
                assert_eq!(other.play(&mut stream(2, game)), ended);
                let pairs = plain.network.perceptron().weights().iter().zip(other.network().perceptron().weights());
                for (a, b) in pairs {
                    assert!((a - b).abs() < 1e-4, "λ = {lambda}, game {game}: {a} and {b}");
                }
            }
        }
    }
}

/// Asserts that the weights went from `before` to `after` by `step_size` times the slope of `potential`.
fn assert_ascent(
    before: &Perceptron,
    after: &Perceptron,
    step_size: f32,
    mut potential: impl FnMut(&Perceptron) -> f64,
) {
    const STEP: f32 = 1e-2;
    let (mut rng, mut moved) = (stream(3, 0), 0);
    for _ in 0..400 {
        let index = below(&mut rng, before.weights().len() as u32) as usize;
        let mut at = |change: f32| {
            let mut weights = before.weights().to_vec();
            weights[index] += change;
            potential(&Perceptron::from_weights(before.layers(), weights).unwrap())
        };
        let slope = (at(STEP) - at(-STEP)) / f64::from(2.0 * STEP);
        let went = f64::from((after.weights()[index] - before.weights()[index]) / step_size);
        assert!((went - slope).abs() < 2e-4 + 5e-3 * slope.abs(), "weight {index}: went {went}, slope {slope}");
        moved += usize::from(slope.abs() > 1e-3);
    }
    assert!(moved > 5, "only {moved} weights had something to learn");
}

#[test]
fn leaves_move_towards_how_the_game_ends() {
    for game in [positions(1)[0], nearly_over()] {
        let (mut search, mut leaves) = (search(8, 2), PrincipalLeaves::default());
        leaves.find(&mut search, &game, 1);
        let before = search.evaluation().perceptron().clone();
        let (outcome, value) = ([1.0, 1.0, 0.0, 0.0, 0.0], leaves.evaluate(&before));
        let td = NetworkTdSettings { step_size: 0.01, lambda: 0.7 };
        let (mut rule, mut after) = (NetworkTdLeaf::new(before.layers(), td), before.clone());
        rule.reached(&mut after, &mut leaves);
        rule.ended(&mut after, outcome);
        // Its slope is Σₖ δₖ ∇Yₖ, δ being what it was.
        let potential = |network: &Perceptron| {
            let outputs = leaves.clone().evaluate(network);
            (0..OUTPUTS).map(|k| f64::from(outcome[k] - value[k]) * f64::from(outputs[k])).sum()
        };
        assert_ascent(&before, &after, td.step_size, potential);
    }
}

#[test]
fn earlier_leaves_share_what_later_ones_learn() {
    // Two positions and an outcome, by hand: w + α [(Y₂ turned − Y₁) e₁ + (z − Y₂) (λ e₁ turned + e₂)], which to first order is
    // the slope of what follows at the first weights.
    let games = positions(2);
    let (mut search, mut leaves) = (search(8, 2), [PrincipalLeaves::default(), PrincipalLeaves::default()]);
    leaves[0].find(&mut search, &games[0], 1);
    leaves[1].find(&mut search, &games[1], 1);
    let before = search.evaluation().perceptron().clone();
    let (outcome, lambda) = ([0.0, 0.0, 0.0, 1.0, 0.0], 0.6);
    let td = NetworkTdSettings { step_size: 1e-3, lambda };
    let (mut rule, mut after) = (NetworkTdLeaf::new(before.layers(), td), before.clone());
    leaves.iter_mut().for_each(|leaves| rule.reached(&mut after, leaves));
    rule.ended(&mut after, outcome);
    let turn = |y: [f32; OUTPUTS]| [1.0 - y[0], y[3], y[4], y[1], y[2]];
    let [first, second] = leaves.each_mut().map(|leaves| leaves.evaluate(&before));
    let potential = |network: &Perceptron| {
        let mut leaves = leaves.clone();
        let [own, next] = leaves.each_mut().map(|leaves| leaves.evaluate(network));
        let turned = turn(own);
        (0..OUTPUTS)
            .map(|k| {
                let last = f64::from(outcome[k] - second[k]);
                f64::from(turn(second)[k] - first[k]) * f64::from(own[k])
                    + last * (f64::from(next[k]) + f64::from(lambda * turned[k]))
            })
            .sum()
    };
    assert_ascent(&before, &after, td.step_size, potential);
}

#[test]
fn positions_of_the_tree_move_towards_what_the_search_says() {
    let (games, mut search) = (positions(3), search(8, 2));
    let before = search.evaluation().perceptron().clone();
    let mut targets = Vec::new();
    for game in &games {
        let mut leaves = PrincipalLeaves::default();
        leaves.find(&mut search, game, 1);
        targets.push(leaves.evaluate(&before));
    }
    let mut rule = NetworkTreeStrap::new(before.layers(), 0.01);
    rule.searched(&mut search, games.iter().copied());
    let potential = |network: &Perceptron| {
        let mut sum = 0.0;
        for (game, target) in games.iter().zip(&targets) {
            let Phase::ToRoll(side) = game.phase() else { panic!("{game:?}") };
            let (mut inputs, mut activation) = (SparseInputs::default(), Activation::default());
            inputs_of(game.board(), side, &mut inputs);
            network.evaluate(&inputs, &mut activation);
            sum -= (0..OUTPUTS).map(|k| f64::from(target[k] - activation.outputs[k]).powi(2)).sum::<f64>() / 2.0;
        }
        sum
    };
    assert_ascent(&before, search.evaluation().perceptron(), 0.01, potential);
}

#[test]
fn searches_teach_to_win_races() {
    // A short game that is soon learnt: who is ahead in bearing off.
    let ahead = ExpectimaxSettings { plies: 2, keep: 2, ..ExpectimaxSettings::default() };
    for rule in [GammonLearner::TdDirected, GammonLearner::TdLeaf, GammonLearner::TreeStrap] {
        let small = BackgammonNetwork::random(8, &mut stream(4, 0));
        let mut learner =
            SearchGammon::new(small.clone(), rule, NetworkTdSettings { step_size: 0.5, lambda: 0.7 }, ahead);
        for game in 0..70 {
            learner.play(&mut stream(5, game));
        }
        let ahead_by = |network: &mut BackgammonNetwork| {
            let mut men = [[0; 25]; 2];
            (men[0][1], men[1][4], men[1][5]) = (2, 5, 5);
            let board = Board::from_men(men).unwrap();
            network.board_equity(&board, Side::First) - network.board_equity(&board, Side::Second)
        };
        let (before, after) = (ahead_by(&mut small.clone()), ahead_by(learner.network()));
        assert!(after > before + 0.2, "{rule:?}: {before} before, {after} after");
    }
}
