//! Model checks: every order in which two threads can do the same things to a small tree, tried out by loom.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p afterstate-engine --lib model
//! ```

use super::*;
use loom::sync::Arc;
use loom::thread;
use std::collections::HashSet;
use std::sync::Mutex;

const MOVES: [u16; 2] = [5, 6];

fn seeds() -> impl ExactSizeIterator<Item = Seed> {
    MOVES.iter().map(|&index| Seed { index, experience: 1, sum: 0.5, ..Seed::default() })
}

/// What a simulation does to the tree: expand or descend, with a virtual loss; then back up, as searches do.
fn simulate(tree: &Tree, choice: u32, z: f32) -> bool {
    let mut expanded = false;
    let children = tree.children(ROOT).or_else(|| {
        let children = tree.claim(ROOT).then(|| tree.expand(ROOT, seeds())).flatten();
        expanded = children.is_some();
        children
    });
    if let Some(children) = children {
        // Whoever sees the moves sees them whole.
        let block = tree.block(children.clone());
        assert_eq!([block.node(0).index(), block.node(1).index()], [5, 6]);
        assert!(block.iter().all(|node| node.outcomes().count() >= 1 && node.proof() == Proof::Open));
        let (chosen, losses) = (children.start + choice, Statistic::losses(1, true));
        tree.node(chosen).outcomes().add(losses);
        tree.add_amaf(children, &[1 << MOVES[choice as usize]], Statistic::outcome(z));
        tree.add_outcome(chosen, Statistic::outcome(z).wrapping_sub(losses), true);
    }
    tree.add_outcome(ROOT, Statistic::outcome(z), true);
    expanded
}

#[test]
fn a_position_is_expanded_once_and_no_outcome_is_lost() {
    loom::model(|| {
        let tree = Arc::new(Tree::new(16).unwrap());
        let other = tree.clone();
        let thread = thread::spawn(move || simulate(&other, 0, 1.0));
        let here = simulate(&tree, 1, 0.0);
        let there = thread.join().unwrap();
        assert!(here ^ there, "one of them expands");
        assert_eq!(tree.used(), 16);
        assert_eq!(tree.node(ROOT).outcomes().count_and_sum(), (2.0, 1.0));
        // Whoever found the position being expanded played on from it as from a leaf; the prior counts one half.
        let block = tree.block(tree.children(ROOT).unwrap());
        let [first, second] = [block.node(0), block.node(1)].map(|node| node.outcomes().count_and_sum());
        assert!(first == (2.0, 1.5) || !there && first == (1.0, 0.5), "{first:?}");
        assert!(second == (2.0, 0.5) || !here && second == (1.0, 0.5), "{second:?}");
    });
}

/// What the first two moves' rapid statistics may be in the end, when one thread has simulated the first move and won, and the
/// other `choice` with a draw; and that outcomes add up meanwhile.
fn rapid_statistics(choice: u32) -> HashSet<[String; 2]> {
    let seen = std::sync::Arc::new(Mutex::new(HashSet::new()));
    let found = seen.clone();
    loom::model(move || {
        let tree = Arc::new(Tree::new(16).unwrap());
        assert!(tree.claim(ROOT) && tree.expand(ROOT, seeds()).is_some());
        let other = tree.clone();
        let thread = thread::spawn(move || simulate(&other, 0, 1.0));
        simulate(&tree, choice, 0.5);
        thread.join().unwrap();
        let block = tree.block(tree.children(ROOT).unwrap());
        let outcomes = [block.node(0), block.node(1)].map(|node| node.outcomes().count_and_sum());
        assert_eq!(outcomes, [[(3.0, 2.0), (1.0, 0.5)], [(2.0, 1.5), (2.0, 1.0)]][choice as usize]);
        let amaf = [block.node(0), block.node(1)].map(|node| format!("{:?}", node.amaf().count_and_sum()));
        found.lock().unwrap().insert(amaf);
    });
    let seen = seen.lock().unwrap();
    seen.clone()
}

#[test]
fn of_rapid_updates_of_the_same_move_one_may_be_lost_but_not_both() {
    let (nothing, win, draw, both) = ("(0.0, 0.0)", "(1.0, 1.0)", "(1.0, 0.5)", "(2.0, 1.5)");
    let expected = [win, draw, both].map(|first| [first.to_string(), nothing.to_string()]);
    assert_eq!(rapid_statistics(0), HashSet::from(expected));
}

#[test]
fn a_rapid_update_may_be_undone_by_a_thread_that_adds_nothing_there() {
    let (nothing, win, draw) = ("(0.0, 0.0)", "(1.0, 1.0)", "(1.0, 0.5)");
    // One of them wrote last at each move, so that all four are possible.
    let expected = [[win, draw], [win, nothing], [nothing, draw], [nothing, nothing]];
    assert_eq!(rapid_statistics(1), HashSet::from(expected.map(|pair| pair.map(str::to_string))));
}

#[test]
fn a_full_tree_is_found_full_by_both() {
    loom::model(|| {
        let tree = Arc::new(Tree::new(8).unwrap());
        let other = tree.clone();
        let thread = thread::spawn(move || simulate(&other, 0, 1.0));
        let here = simulate(&tree, 1, 0.0);
        assert!(!here && !thread.join().unwrap());
        // The claims were given back.
        assert!(tree.claim(ROOT));
        assert_eq!((tree.used(), tree.node(ROOT).outcomes().count()), (8, 2));
    });
}

#[test]
fn two_positions_never_get_the_same_room() {
    loom::model(|| {
        let tree = Arc::new(Tree::new(32).unwrap());
        assert!(tree.claim(ROOT) && tree.expand(ROOT, seeds()).is_some());
        let other = tree.clone();
        let expand = |tree: &Tree, node| tree.claim(node).then(|| tree.expand(node, seeds())).flatten();
        let thread = thread::spawn(move || expand(&other, 8));
        let here = expand(&tree, 9);
        let (here, there) = (here.unwrap(), thread.join().unwrap().unwrap());
        assert!(here.end <= there.start || there.end <= here.start);
        assert_eq!(tree.used(), 32);
    });
}
