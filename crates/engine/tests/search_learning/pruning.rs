//! What alpha-beta proves of random trees, and what TreeStrap learns from it, against minimax.

use crate::hand_tree::{HandTree, Here, search};
use afterstate_engine::Budget;
use afterstate_engine::learning::{SearchLearner, TreeStrap, TreeStrapSettings};
use afterstate_engine::search::TrainingSearch;
use afterstate_engine::search::training_search::Interval;
use afterstate_games::rng::{below, unit};
use afterstate_games::{Record, Rng, stream};
use std::collections::BTreeMap;

/// Where the positions one, two and three plies from the first begin, and where the last of them end.
const PLIES: [usize; 4] = [1, 4, 9, 33];

/// A tree three plies deep with one to three moves in each position, which may lead to the same ones, and a weight for every position.
fn random_tree(rng: &mut Rng) -> (Vec<Vec<usize>>, Vec<(usize, f32)>) {
    let moves_to = |rng: &mut Rng, next: std::ops::Range<usize>| {
        let mut moves: Vec<usize> = next.collect();
        for i in (1..moves.len()).rev() {
            moves.swap(i, below(rng, i as u32 + 1) as usize);
        }
        moves.truncate(1 + below(rng, 3) as usize);
        moves
    };
    let ply_of = |position: usize| PLIES.iter().filter(|&&begin| begin <= position).count();
    let children = (0..PLIES[2]).map(|position| {
        let next = ply_of(position);
        moves_to(rng, PLIES[next]..PLIES.get(next + 1).copied().unwrap_or(PLIES[3]))
    });
    let children = children.collect();
    (children, (0..PLIES[3]).map(|position| (position, 0.8 * (unit(rng) - 0.5))).collect())
}

/// ½ + θ of the leaf that both sides' best moves lead to.
fn minimax(children: &[Vec<usize>], weights: &[(usize, f32)], position: usize, first: bool) -> f32 {
    let Some(moves) = children.get(position) else { return 0.5 + weights[position].1 };
    let values = moves.iter().map(|&mv| minimax(children, weights, mv, !first));
    if first { values.fold(0.0, f32::max) } else { values.fold(1.0, f32::min) }
}

/// What the search knows of each position that is not a leaf.
fn known(game: &HandTree, search: &mut TrainingSearch<HandTree, Here>) -> BTreeMap<usize, Interval> {
    search.search(&Record::new(game.clone()), &Budget::default()).unwrap();
    let mut known = BTreeMap::new();
    search.walk(game, 1, &mut |_, game, interval| {
        assert!(known.insert(game.here, interval).is_none(), "shown twice");
    });
    known
}

/// The weights after one search.
fn learnt(game: &HandTree, search: &mut TrainingSearch<HandTree, Here>) -> Vec<f32> {
    let mut rule = TreeStrap::new(TreeStrapSettings { step_size: 0.5, ..TreeStrapSettings::default() });
    SearchLearner::<HandTree, Here>::begin(&mut rule);
    let found = search.search(&Record::new(game.clone()), &Budget::default()).unwrap();
    rule.searched(game, &found, true, search);
    search.weights().values()
}

#[test]
fn bounds_hold_and_trees_without_cut_offs_teach_what_minimax_does() {
    let (mut uncut, mut cut) = (0, 0);
    for number in 0..400 {
        let mut rng = stream(12, number);
        let (children, weights) = random_tree(&mut rng);
        let game = HandTree::new(&children.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[]);
        let ply_of = |position: usize| PLIES[..3].iter().filter(|&&begin| begin <= position).count();
        let value = |position| minimax(&children, &weights, position, ply_of(position) % 2 == 0);
        let whole = known(&game, &mut search(&weights, false));
        for (&position, interval) in &whole {
            let score = interval.exact().expect("minimax knows every score").first_player();
            assert!((score + 0.5 - value(position)).abs() < 1e-6, "tree {number}: {position} is worth {score}");
        }
        let pruned = known(&game, &mut search(&weights, true));
        for (&position, interval) in &pruned {
            let worth = value(position) - 0.5;
            assert!(interval.at_least.is_none_or(|bound| bound.first_player() < worth + 1e-6), "{number}: {position}");
            assert!(interval.at_most.is_none_or(|bound| bound.first_player() > worth - 1e-6), "{number}: {position}");
        }
        assert!(pruned[&0].exact().is_some());
        if pruned == whole {
            uncut += 1;
            assert_eq!(learnt(&game, &mut search(&weights, true)), learnt(&game, &mut search(&weights, false)));
        } else {
            cut += 1;
        }
    }
    assert!(uncut >= 50 && cut >= 50, "{uncut} trees without cut-offs, {cut} with");
}
