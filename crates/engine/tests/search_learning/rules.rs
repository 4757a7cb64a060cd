//! Every rule on trees that are small enough to work out by hand. Values are linear: V = ½ + θ of the position.

use crate::hand_tree::{HandTree, Here, search, search_with};
use afterstate_engine::Budget;
use afterstate_engine::learning::{
    DifferenceSettings, Learns, RootStrap, SearchLearner, StepSettings, Steps, TdDirected, TdLeaf, TdRoot, TreeStrap,
    TreeStrapSettings,
};
use afterstate_engine::search::{Found, Score, TrainingSearch, TrainingSearchSettings};
use afterstate_engine::value::{ChessTerms, Squash, TermSet, Weights};
use afterstate_games::{Chess, Notation, Outcome, Record, Side};
use std::sync::Arc;

/// ```text
///             0                First chooses the larger
///         1       2            Second the smaller
///       3   4   4   5          First; 4 is reached twice
///      6 7 8 9     10 11
/// ```
const TREE: &[&[usize]] = &[&[1, 2], &[3, 4], &[4, 5], &[6, 7], &[8, 9], &[10, 11]];

/// The leaves, so that 3 is worth 0.1, 4 is 0.3, 5 is 0.2, 1 is 0.1, 2 and 0 are 0.2.
const LEAVES: [(usize, f32); 6] = [(6, 0.1), (7, -0.2), (8, 0.3), (9, 0.0), (10, -0.1), (11, 0.2)];

/// ```text
///             0
///         1       2
///       3   4   5   6
///      7 8 9 10 11 12 13 14
/// ```
const PLAIN: &[&[usize]] = &[&[1, 2], &[3, 4], &[5, 6], &[7, 8], &[9, 10], &[11, 12], &[13, 14]];

/// 3 is worth 0.1, 4 at least 0.3, 1 therefore 0.1; 5 is worth 0.05, 2 therefore at most 0.05, and nobody asks about 6.
const PLAIN_LEAVES: [(usize, f32); 8] =
    [(7, 0.1), (8, -0.2), (9, 0.3), (10, 0.4), (11, 0.05), (12, -0.1), (13, 0.2), (14, 0.45)];

fn tree_strap(step_size: f32, least_depth: u32) -> TreeStrap {
    TreeStrap::new(TreeStrapSettings { step_size, least_depth, ..Default::default() })
}

fn steps(step_size: f32) -> StepSettings {
    StepSettings { step_size, ..Default::default() }
}

fn searched(search: &mut TrainingSearch<HandTree, Here>, game: &HandTree) -> Found<HandTree> {
    search.search(&Record::new(game.clone()), &Budget::default()).unwrap()
}

/// What one search from the first position changes about the weights.
fn changes(
    game: &HandTree,
    search: &mut TrainingSearch<HandTree, Here>,
    rule: &mut impl SearchLearner<HandTree, Here>,
) -> Vec<(usize, f32)> {
    let before = search.weights().values();
    rule.begin();
    let found = searched(search, game);
    rule.searched(game, &found, true, search);
    differences(&before, search)
}

fn differences(before: &[f32], search: &TrainingSearch<HandTree, Here>) -> Vec<(usize, f32)> {
    let after = search.weights().values();
    let changed = before.iter().zip(&after).enumerate().map(|(i, (before, after))| (i, after - before));
    changed.filter(|(_, change)| change.abs() > 1e-6).collect()
}

#[track_caller]
fn assert_close(found: &[(usize, f32)], expected: &[(usize, f32)]) {
    let close = found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-5);
    assert!(close, "found {found:?}, expected {expected:?}");
}

#[test]
fn tree_strap_of_minimax_moves_every_inner_position_to_its_value_once() {
    let game = HandTree::new(TREE, &[]);
    let mut search = search(&LEAVES, false);
    let found = changes(&game, &mut search, &mut tree_strap(0.5, 1));
    assert_close(&found, &[(0, 0.1), (1, 0.05), (2, 0.1), (3, 0.05), (4, 0.15), (5, 0.1)]);
}

#[test]
fn tree_strap_of_alpha_beta_is_the_same_where_nothing_is_cut_off() {
    // Every value inside is exact in this tree although lines were left out.
    let game = HandTree::new(TREE, &[]);
    for weights in [&LEAVES[..], &[(0, 0.2), (1, -0.1), (2, 0.3), (4, -0.3), (6, 0.1), (8, 0.3), (11, 0.2), (7, -0.2)]]
    {
        let minimax = changes(&game, &mut search(weights, false), &mut tree_strap(1.0, 1));
        let exact = searched(&mut search(weights, true), &game).score;
        assert_eq!(searched(&mut search(weights, false), &game).score, exact);
        if weights.len() == LEAVES.len() {
            let pruned = changes(&game, &mut search(weights, true), &mut tree_strap(1.0, 1));
            assert_close(&pruned, &minimax);
        }
    }
}

#[test]
fn a_bound_moves_only_what_lies_beyond_it() {
    let game = HandTree::new(PLAIN, &[]);
    let mut rule = tree_strap(1.0, 1);
    // 4 is worth at least 0.3; 2 and 5 at most 0.05, which they are already.
    let found = changes(&game, &mut search(&PLAIN_LEAVES, true), &mut rule);
    assert_close(&found, &[(0, 0.1), (1, 0.1), (3, 0.1), (4, 0.3)]);
    // Above the bound from below nothing moves.
    let mut weights = PLAIN_LEAVES.to_vec();
    weights.push((4, 0.35));
    let found = changes(&game, &mut search(&weights, true), &mut rule);
    assert_close(&found, &[(0, 0.1), (1, 0.1), (3, 0.1)]);
    // Above the one from above it does: 1 still looks better than 2, so that it is searched first.
    weights.extend([(1, 0.3), (2, 0.25)]);
    let found = changes(&game, &mut search(&weights, true), &mut rule);
    assert_close(&found, &[(0, 0.1), (1, -0.2), (2, -0.2), (3, 0.1)]);
}

#[test]
fn the_least_depth_says_how_deep_a_position_must_have_been_searched() {
    let game = HandTree::new(TREE, &[]);
    for (least_depth, expected) in [(2, &[(0, 0.2), (1, 0.1), (2, 0.2)][..]), (3, &[(0, 0.2)]), (4, &[])] {
        let mut rule = tree_strap(1.0, least_depth);
        assert_close(&changes(&game, &mut search(&LEAVES, true), &mut rule), expected);
    }
}

#[test]
fn sure_results_and_cut_scores_are_targets_inside_the_range() {
    // 8 is a win for the first player, one ply from 4; the leaf 6 says more than a heuristic may.
    let game = HandTree::new(TREE, &[8]);
    let mut weights = LEAVES.to_vec();
    weights.push((6, 0.9));
    weights.push((10, 0.3));
    let found = changes(&game, &mut search(&weights, false), &mut tree_strap(1.0, 1));
    // 4: a win in one. 3 and 1: 0.495. 2: Second goes to 5, worth 0.3.
    assert_close(&found, &[(0, 0.495), (1, 0.495), (2, 0.3), (3, 0.495), (4, 0.499_95), (5, 0.3)]);
}

#[test]
fn with_adam_the_first_step_is_as_long_for_every_weight_that_errs() {
    let game = HandTree::new(TREE, &[]);
    let settings = TreeStrapSettings { step_size: 0.01, steps: Steps::Adam, ..Default::default() };
    let found = changes(&game, &mut search(&LEAVES, false), &mut TreeStrap::new(settings));
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|(_, change)| (change - 0.01).abs() < 1e-4), "{found:?}");
}

#[test]
fn where_nothing_can_be_taken_a_quiet_leaf_is_the_position_itself() {
    let game = HandTree::new(TREE, &[]);
    let settings = TreeStrapSettings { step_size: 0.5, learns: Learns::QuietLeaf, ..Default::default() };
    let found = changes(&game, &mut search(&LEAVES, false), &mut TreeStrap::new(settings));
    assert_close(&found, &changes(&game, &mut search(&LEAVES, false), &mut tree_strap(0.5, 1)));
}

#[test]
fn root_strap_moves_the_root_alone() {
    let game = HandTree::new(TREE, &[]);
    for pruning in [true, false] {
        let mut weights = LEAVES.to_vec();
        weights.push((0, 0.4));
        let found = changes(&game, &mut search(&weights, pruning), &mut RootStrap::new(steps(0.5)));
        assert_close(&found, &[(0, -0.1)]);
    }
}

#[test]
fn with_adam_every_learner_takes_a_first_step_of_one_length() {
    let mut weights = LEAVES.to_vec();
    weights.extend([(0, 0.1), (39, 0.15)]);
    let (steps, step_size) = (Steps::Adam, 0.01);
    let settings = DifferenceSettings { steps, step_size, lambda: 0.5, least_moves: 1, ..Default::default() };
    let won = Outcome::win(Side::First);
    let root = StepSettings { steps, step_size };
    let found = [
        changes(&HandTree::new(TREE, &[]), &mut search(&weights, true), &mut RootStrap::new(root)),
        play_two_searches(&mut TdLeaf::new(settings.clone()), &weights, true, won),
        play_two_searches(&mut TdDirected::new(settings), &weights, true, won),
    ];
    for found in found {
        assert!(!found.is_empty(), "nothing was learnt");
        assert!(found.iter().all(|(_, change)| (change.abs() - 0.01).abs() < 1e-4), "{found:?}");
    }
}

/// A game in which First goes from 0 by 2 and 4 on, Second having surprised it, to 8, and then wins or not.
fn play_two_searches(
    rule: &mut impl SearchLearner<HandTree, Here>,
    weights: &[(usize, f32)],
    predicted: bool,
    outcome: impl Into<Option<Outcome>>,
) -> Vec<(usize, f32)> {
    play_two_searches_with(Squash::Linear, rule, weights, predicted, outcome)
}

fn play_two_searches_with(
    squash: Squash,
    rule: &mut impl SearchLearner<HandTree, Here>,
    weights: &[(usize, f32)],
    predicted: bool,
    outcome: impl Into<Option<Outcome>>,
) -> Vec<(usize, f32)> {
    let mut game = HandTree::new(TREE, &[]);
    let mut search = search_with(squash, weights, true);
    let before = search.weights().values();
    rule.begin();
    for position in [0, 4] {
        game.here = position;
        let mut at = Record::new(game.clone());
        // Both positions are First's.
        let found = search.search(&at, &Budget::default()).unwrap();
        rule.searched(at.position(), &found, position == 0 || predicted, &mut search);
        at.play(found.best);
    }
    rule.ended(outcome.into(), &search);
    differences(&before, &search)
}

#[test]
fn td_root_moves_a_position_to_the_search_value_of_the_next() {
    let first_wins = Outcome::win(Side::First);
    let mut weights = LEAVES.to_vec();
    // What 8 and 9 lead to after two more plies is 39 for ever, which is worth 0.
    weights.push((39, 0.0));
    let found = play_two_searches(&mut TdRoot::new(steps(0.5)), &weights, true, first_wins);
    // V(4) three plies deep is 39's: 0. θ₀ was 0, so nothing; then 4 moves half of the way to 1, which is ½ + ½.
    assert_close(&found, &[(4, 0.25)]);
}

#[test]
fn td_directed_learns_from_the_positions_themselves() {
    let settings = DifferenceSettings { step_size: 1.0, lambda: 0.5, least_moves: 1, ..Default::default() };
    let mut weights = LEAVES.to_vec();
    weights.extend([(0, 0.1), (4, 0.2)]);
    let lost = Outcome::win(Side::Second);
    let found = play_two_searches(&mut TdDirected::new(settings.clone()), &weights, true, lost);
    // d₁ = 0.7 − 0.6 = 0.1, d₂ = 0 − 0.7 = −0.7: θ₀ += d₁ + ½ d₂, θ₄ += d₂.
    assert_close(&found, &[(0, -0.25), (4, -0.7)]);
    // What is good and was not foreseen does not count; what is bad does.
    let settings = DifferenceSettings { drop_unpredicted: true, ..settings };
    let found = play_two_searches(&mut TdDirected::new(settings.clone()), &weights, false, lost);
    assert_close(&found, &[(0, -0.35), (4, -0.7)]);
    // Of a win only what came before the end counts, and that where it was foreseen.
    let won = Outcome::win(Side::First);
    let found = play_two_searches(&mut TdDirected::new(settings.clone()), &weights, true, won);
    assert_close(&found, &[(0, 0.1)]);
    assert_close(&play_two_searches(&mut TdDirected::new(settings), &weights, false, won), &[]);
}

#[test]
fn td_leaf_learns_from_the_leaves_of_its_searches() {
    let settings = DifferenceSettings { step_size: 1.0, lambda: 0.5, least_moves: 1, ..Default::default() };
    let mut weights = LEAVES.to_vec();
    weights.push((39, 0.15));
    let won = Outcome::win(Side::First);
    let found = play_two_searches(&mut TdLeaf::new(settings.clone()), &weights, true, won);
    // The leaf of 0 is 11 (0.2) and that of 4 is 39 (0.15): d₁ = −0.05, d₂ = 0.35.
    assert_close(&found, &[(11, 0.125), (39, 0.35)]);
    // The logistic value moves its sum by its slope.
    let found = play_two_searches_with(Squash::Logistic, &mut TdLeaf::new(settings.clone()), &weights, true, won);
    let value = |sum: f32| 1.0 / (1.0 + (-sum).exp());
    let (d1, d2) = (value(0.15) - value(0.2), 1.0 - value(0.15));
    let slope = |sum: f32| value(sum) * (1.0 - value(sum));
    assert_close(&found, &[(11, slope(0.2) * (d1 + 0.5 * d2)), (39, slope(0.15) * d2)]);
    // A leaf that says more than a heuristic may is not what the search saw, and does not learn; nor does a game too short.
    let strict = DifferenceSettings { tolerance: 0.001, ..settings.clone() };
    let loud = weights.iter().copied().chain([(39, 0.6)]).collect::<Vec<_>>();
    let found = play_two_searches(&mut TdLeaf::new(strict), &loud, true, won);
    assert!(found.iter().all(|&(position, _)| position != 39), "{found:?}");
    let long = DifferenceSettings { least_moves: 3, ..settings };
    assert_close(&play_two_searches(&mut TdLeaf::new(long), &weights, true, won), &[]);
}

#[test]
fn what_learns_tells_how_far_it_was_from_its_target() {
    fn mean(rule: &impl SearchLearner<HandTree, Here>) -> f64 {
        rule.errors().mean().unwrap()
    }
    let close =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "found {found}, expected {expected}");
    let (game, mut weights) = (HandTree::new(TREE, &[]), LEAVES.to_vec());
    // From 0 the six inner positions are 0.2, 0.1, 0.2, 0.1, 0.3 and 0.2 below what they are worth; and anew in each game.
    let mut rule = tree_strap(0.5, 1);
    changes(&game, &mut search(&LEAVES, false), &mut rule);
    close(mean(&rule), 0.23 / 6.0);
    changes(&game, &mut search(&LEAVES, false), &mut rule);
    close(mean(&rule), 0.23 / 6.0);
    let mut rule = RootStrap::new(steps(0.5));
    changes(&game, &mut search(&LEAVES, true), &mut rule);
    close(mean(&rule), 0.04);
    // The games of the tests above: 0 has no error and 4 is ½ below; d₁ + ½ d₂ and d₂.
    weights.extend([(39, 0.0)]);
    let mut rule = TdRoot::new(steps(0.5));
    play_two_searches(&mut rule, &weights, true, Outcome::win(Side::First));
    close(mean(&rule), 0.125);
    let settings = DifferenceSettings { step_size: 1.0, lambda: 0.5, least_moves: 1, ..Default::default() };
    weights.extend([(0, 0.1), (4, 0.2), (39, 0.15)]);
    let mut rule = TdDirected::new(settings.clone());
    play_two_searches(&mut rule, &weights, true, Outcome::win(Side::Second));
    close(mean(&rule), (0.25 * 0.25 + 0.7 * 0.7) / 2.0);
    let mut rule = TdLeaf::new(settings.clone());
    play_two_searches(&mut rule, &weights, true, Outcome::win(Side::First));
    close(mean(&rule), (0.125 * 0.125 + 0.35 * 0.35) / 2.0);
    // Nothing has learnt from a game that was too short.
    let mut rule = TdLeaf::new(DifferenceSettings { least_moves: 3, ..settings });
    play_two_searches(&mut rule, &weights, true, Outcome::win(Side::First));
    assert_eq!(SearchLearner::<HandTree, Here>::errors(&rule).mean(), None);
}

#[test]
fn a_game_that_did_not_end_on_the_board_has_no_last_difference() {
    let settings = DifferenceSettings { step_size: 1.0, lambda: 0.5, least_moves: 1, ..Default::default() };
    let mut weights = LEAVES.to_vec();
    weights.extend([(0, 0.1), (4, 0.2), (39, 0.15)]);
    let directed = play_two_searches(&mut TdDirected::new(settings.clone()), &weights, true, None);
    // As above d₁ = 0.7 − 0.6, and that is all there is.
    assert_close(&directed, &[(0, 0.1)]);
    // The leaf of 0 is 11 (0.2) and that of 4 is 39 (0.15).
    assert_close(&play_two_searches(&mut TdLeaf::new(settings), &weights, true, None), &[(11, -0.05)]);
    // θ₀ goes half of the way to V(4), which is 0.65; 4 has nowhere to go.
    assert_close(&play_two_searches(&mut TdRoot::new(steps(0.5)), &weights, true, None), &[(0, 0.025)]);
}

#[test]
fn the_line_leads_to_the_leaf_that_has_the_score() {
    let game = HandTree::new(TREE, &[]);
    let found = searched(&mut search(&LEAVES, true), &game);
    assert_eq!((found.best, found.line, found.leaf.here), (2, vec![2, 5, 11], 11));
    assert_eq!(found.score, Score::heuristic(0.2));
}

/// A queen down, White's only move brings a position back: the search sees a draw, and the leaf shows a queen.
#[test]
fn td_leaf_does_not_learn_where_the_line_repeats_a_position() {
    let terms = Arc::new(ChessTerms::new(TermSet::Meep));
    let first = terms.piece_values([0.01, 0.03, 0.03, 0.05, 0.09]);
    let settings = DifferenceSettings { step_size: 0.1, tolerance: 1.0, least_moves: 1, ..Default::default() };
    let learnt = |moves: &[&str]| {
        let mut record = Record::new(Chess::parse_position("7k/8/8/8/8/8/1q6/7K w - - 0 1").unwrap());
        for text in moves {
            record.play(record.position().parse_move(text).unwrap());
        }
        let weights = Arc::new(Weights::from_values(&first.values()));
        let depth = TrainingSearchSettings { depth: 1, nodes: 0, ..Default::default() };
        let mut search = TrainingSearch::new(terms.clone(), weights.clone(), Squash::Linear, depth);
        let found = search.search(&record, &Budget::default()).unwrap();
        let mut rule = TdLeaf::new(settings.clone());
        let rule: &mut dyn SearchLearner<Chess, ChessTerms> = &mut rule;
        rule.begin();
        rule.searched(record.position(), &found, true, &mut search);
        rule.ended(Some(Outcome::win(Side::Second)), &search);
        (found.repeats, found.score.first_player(), weights.values() != first.values())
    };
    let (repeats, score, changed) = learnt(&[]);
    assert!(!repeats && score < -0.05 && changed);
    assert_eq!(learnt(&["h1g1", "h8g8", "g1h1", "g8h8"]), (true, 0.0, false));
}
