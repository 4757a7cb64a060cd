//! Model checks: every order in which two threads can do the same things to a small tree, tried out by loom.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p afterstate-engine --lib model
//! ```

use super::*;
use loom::sync::Arc;
use loom::thread;

const MOVES: [u16; 2] = [5, 6];

fn seeds() -> impl ExactSizeIterator<Item = Seed> {
    MOVES.iter().map(|&index| Seed { index, experience: 1, sum: 0.5, ..Seed::default() })
}

/// What a simulation does to the tree: expand or descend, with a virtual loss; then back up.
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
        let chosen = &tree.node(children.start + choice).outcomes();
        let losses = Statistic::losses(1, true);
        chosen.add(losses);
        chosen.add(Statistic::outcome(z).wrapping_sub(losses));
        tree.node(children.start + choice).amaf().add(Statistic::outcome(z));
    }
    tree.node(ROOT).outcomes().add(Statistic::outcome(z));
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

#[test]
fn updates_of_the_same_move_add_up() {
    loom::model(|| {
        let tree = Arc::new(Tree::new(16).unwrap());
        assert!(tree.claim(ROOT) && tree.expand(ROOT, seeds()).is_some());
        let other = tree.clone();
        let thread = thread::spawn(move || simulate(&other, 0, 1.0));
        simulate(&tree, 0, 0.5);
        thread.join().unwrap();
        let node = tree.block(tree.children(ROOT).unwrap()).node(0);
        assert_eq!(node.outcomes().count_and_sum(), (3.0, 2.0));
        assert_eq!(node.amaf().count_and_sum(), (2.0, 1.5));
    });
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
