//! Expectimax and its pruning against the definition, written down without either.

use afterstate_engine::Budget;
use afterstate_engine::search::expectimax::{Equity, Expectimax, ExpectimaxSettings, Pruning};
use afterstate_engine::search::{EquityCache, WithBearOff};
use afterstate_engine::value::backgammon_network::BackgammonNetwork;
use afterstate_games::backgammon::{Backgammon, Move};
use afterstate_games::rng::below;
use afterstate_games::{Game, Turn, stream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a position before a throw is worth to who throws.
fn by_definition(game: &Backgammon, plies: u32, evaluation: &mut BackgammonNetwork) -> f32 {
    if plies == 0 {
        return evaluation.equity(game);
    }
    let mut rolls = Vec::new();
    game.chance_outcomes(&mut rolls);
    let best = |roll: Move| {
        let mut rolled = *game;
        rolled.play(roll);
        plays(&rolled, plies, evaluation).into_iter().map(|play| play.1).fold(f32::NEG_INFINITY, f32::max)
    };
    let probabilities: Vec<f32> = rolls.iter().map(|roll| roll.1).collect();
    rolls.into_iter().map(|roll| roll.0).map(best).zip(probabilities).map(|(value, p)| value * p).sum()
}

/// All plays of a roll with what they are worth to who makes them.
fn plays(game: &Backgammon, plies: u32, evaluation: &mut BackgammonNetwork) -> Vec<(Move, f32)> {
    let Turn::Player(side) = game.turn() else { panic!("nobody plays") };
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let worth = |mv: Move| {
        let mut after = *game;
        after.play(mv);
        match after.turn() {
            Turn::Over(outcome) => (mv, outcome.points(side)),
            _ => (mv, -by_definition(&after, plies - 1, evaluation)),
        }
    };
    moves.into_iter().map(worth).collect()
}

/// A position in which somebody plays, so many plays into a random game.
fn position(seed: u64, plays: usize) -> Backgammon {
    let (mut rng, mut moves) = (stream(seed, 0), Vec::new());
    let mut game = Backgammon::new();
    let mut played = 0;
    loop {
        match game.turn() {
            Turn::Chance => game.play(game.roll(&mut rng)),
            Turn::Player(_) if played == plays => return game,
            Turn::Player(_) => {
                game.legal_moves(&mut moves);
                game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
                played += 1;
            }
            Turn::Over(_) => return position(seed + 1000, plays),
        }
    }
}

/// A network that is sure of itself, so that there is something to prune.
fn network() -> BackgammonNetwork {
    let mut random = BackgammonNetwork::random(6, &mut stream(5, 0));
    let weights = random.perceptron().weights().iter().map(|weight| 10.0 * weight).collect();
    *random.perceptron_mut() =
        afterstate_engine::value::perceptron::Perceptron::from_weights(random.perceptron().layers(), weights).unwrap();
    random
}

fn everything(plies: u32, pruning: Pruning) -> ExpectimaxSettings {
    ExpectimaxSettings { plies, keep: usize::MAX, margin: f32::INFINITY, pruning }
}

#[test]
fn the_best_play_is_that_of_the_definition_however_it_is_pruned() {
    let mut fewer = [0; 3];
    for seed in 0..12 {
        // Late positions, some near the end, have fewer plays.
        let game = position(seed, 20 + 8 * seed as usize % 70);
        let mut expected = plays(&game, 2, &mut network());
        if expected.len() < 2 {
            continue;
        }
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (index, pruning) in [Pruning::None, Pruning::Star1, Pruning::Star2].into_iter().enumerate() {
            let mut search = Expectimax::new(network(), everything(2, pruning));
            let found = search.rank(&game);
            assert_eq!(found.len(), expected.len());
            assert!((found[0].equity - expected[0].1).abs() < 1e-4, "{seed} {pruning:?}: {found:?} {expected:?}");
            let of = |mv: Move| expected.iter().find(|play| play.0 == mv).expect("it is a play").1;
            assert!((of(found[0].mv) - expected[0].1).abs() < 1e-4);
            // What was pruned is no better than what is said of it.
            assert!(found.iter().all(|play| of(play.mv) <= play.equity + 1e-4));
            if pruning == Pruning::None {
                assert!(found.iter().all(|play| (of(play.mv) - play.equity).abs() < 1e-4));
            }
            fewer[index] += search.evaluations();
        }
    }
    let [all, star1, star2] = fewer;
    assert!(star1 < all && star2 < star1, "{fewer:?}");
}

#[test]
fn three_plies_are_those_of_the_definition_in_a_race() {
    // Three men each, borne off by either side within a few throws.
    let game = format!("XGID=-BA{}ab-:0:0:1:21:0:0:0:0:10", "-".repeat(20));
    let game = afterstate_games::backgammon::ids::read_xgid(&game).unwrap();
    let expected = plays(&game, 3, &mut network()).into_iter().map(|play| play.1).fold(f32::NEG_INFINITY, f32::max);
    for pruning in [Pruning::None, Pruning::Star1, Pruning::Star2] {
        let mut search = Expectimax::new(EquityCache::new(network(), 10), everything(3, pruning));
        let found = search.rank(&game)[0];
        assert!(
            (found.equity - expected).abs() < 1e-4 && found.plies == 3,
            "{pruning:?}: {found:?}, expected {expected}"
        );
        assert!(search.evaluation().hits() > 0);
    }
}

#[test]
fn the_filter_keeps_the_best_few() {
    let game = position(3, 10);
    let all = Expectimax::new(network(), everything(1, Pruning::None)).rank(&game);
    assert!(all.len() > 5);
    for (keep, margin) in [(3, f32::INFINITY), (100, 0.02), (1, 1.0)] {
        let settings = ExpectimaxSettings { keep, margin, ..everything(2, Pruning::None) };
        let found = Expectimax::new(network(), settings).rank(&game);
        let within = all.iter().filter(|play| play.equity >= all[0].equity - margin).count().min(keep);
        let expected = if within < 2 { 0 } else { within };
        assert_eq!(found.iter().filter(|play| play.plies == 2).count(), expected, "{keep} {margin}");
        assert_eq!(found.len(), all.len());
    }
}

#[test]
fn before_a_throw_a_position_is_worth_the_mean_of_all_throws() {
    let mut game = position(8, 60);
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    game.play(moves[0]);
    let mut search = Expectimax::new(network(), everything(2, Pruning::Star2));
    let expected = by_definition(&game, 1, &mut network());
    assert!((search.equity(&game) - expected).abs() < 1e-4);
}

#[test]
fn with_the_bear_off_database_positions_at_home_are_known() {
    let database = std::sync::Arc::new(afterstate_engine::value::bear_off::BearOff::generate());
    let mut known = WithBearOff::new(network(), database);
    // One man each on the ace point: who throws wins.
    let game = format!("XGID=-A{}a-:0:0:-1:00:0:0:0:0:10", "-".repeat(22));
    assert_eq!(known.equity(&afterstate_games::backgammon::ids::read_xgid(&game).unwrap()), 1.0);
    // Somebody is still on the way: the network is asked.
    let mut game = position(8, 10);
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    game.play(moves[0]);
    assert_eq!(known.equity(&game), network().equity(&game));
}

#[test]
fn pruning_changes_no_choice_behind_a_filter_either() {
    for seed in 0..8 {
        let game = position(seed, 30 + 5 * seed as usize);
        let chosen = |pruning| {
            let settings = ExpectimaxSettings { plies: 3, keep: 4, margin: 0.1, pruning };
            let plays = Expectimax::new(EquityCache::new(network(), 16), settings).rank(&game);
            let searched = plays.iter().filter(|play| play.plies == 3).count();
            (plays[0].equity, searched)
        };
        let (expected, searched) = chosen(Pruning::None);
        for pruning in [Pruning::Star1, Pruning::Star2] {
            let (found, also) = chosen(pruning);
            assert!((found - expected).abs() < 1e-4, "{seed} {pruning:?}: {found}, expected {expected}");
            assert_eq!(also, searched, "{seed} {pruning:?}");
        }
    }
}

/// However short the budget is, what a play is worth is that of as many plies as it says.
#[test]
fn a_budget_ends_a_search_between_two_plays() {
    let settings = ExpectimaxSettings { plies: 3, keep: 4, margin: f32::INFINITY, pruning: Pruning::None };
    let within = |game: &Backgammon, budget: Budget| {
        let mut search = Expectimax::new(network(), settings);
        let ranked = search.rank_within(game, &budget);
        (ranked, search.evaluations())
    };
    let mut depths = [0; 4];
    for seed in 0..3 {
        let game = position(seed, 60 + 10 * seed as usize);
        let mut search = Expectimax::new(network(), settings);
        let whole = search.rank(&game);
        let effort = search.evaluations();
        if whole.len() < 5 {
            continue;
        }
        assert_eq!(within(&game, Budget::default()), (whole.clone(), effort));
        for plies in 1..=3 {
            let depth = Budget { depth: Some(plies), ..Budget::default() };
            assert_eq!(within(&game, depth).0, search.rank_by(&game, plies));
        }
        let set = Budget { stop: Some(Arc::new(AtomicBool::new(true))), ..Budget::default() };
        assert_eq!(within(&game, set), (search.rank_by(&game, 1), whole.len() as u64));

        for share in 0..20 {
            let most = effort * share / 20;
            let (ranked, used) = within(&game, Budget { simulations: Some(most), ..Budget::default() });
            // Beyond the first ply no more is done than what one position before a throw takes.
            assert!(used <= most.max(whole.len() as u64) + 21 * 500, "{used} of {most}");
            assert_eq!(ranked.len(), whole.len());
            assert!(ranked.windows(2).all(|pair| pair[0].plies >= pair[1].plies));
            assert!(ranked.windows(2).all(|pair| pair[0].plies > pair[1].plies || pair[0].equity >= pair[1].equity));
            for (place, play) in ranked.iter().enumerate() {
                let mut alone = Expectimax::new(network(), ExpectimaxSettings { plies: play.plies, ..settings });
                let worth = alone.equity_of(&game, play.mv);
                // Behind the best of the last ply only bounds are known.
                let exact = place == 0 || play.plies < 3;
                assert!((worth - play.equity).abs() < 1e-5 || (worth < play.equity && !exact), "{worth} {play:?}");
                depths[play.plies as usize] += 1;
            }
        }
    }
    assert!(depths[1..].iter().all(|&plays| plays > 20), "{depths:?}");
}
