//! The tree by itself: statistics, expansion, and what garbage collection keeps.

use super::*;

fn seeds(indices: &[u16]) -> impl ExactSizeIterator<Item = Seed> {
    indices.iter().map(|&index| Seed { index, ..Seed::default() })
}

fn expand(tree: &Tree, node: NodeIndex, indices: &[u16]) -> Range<NodeIndex> {
    assert!(tree.claim(node));
    tree.expand(node, seeds(indices)).unwrap()
}

#[test]
fn statistics_are_exact_for_wins_draws_and_losses() {
    let statistic = Statistic::default();
    for i in 0..3_000_000u32 {
        statistic.add([Statistic::outcome(1.0), Statistic::outcome(0.5), Statistic::outcome(0.0)][i as usize % 3]);
    }
    assert_eq!((statistic.count(), statistic.mean()), (3_000_000, Some(0.5)));
    assert_eq!(statistic.count_and_sum(), (3_000_000.0, 1_500_000.0));
}

#[test]
fn virtual_losses_leave_no_trace() {
    for of_first in [true, false] {
        let statistic = Statistic::default();
        statistic.add(Statistic::outcome(1.0));
        let losses = Statistic::losses(3, of_first);
        statistic.add(losses);
        let sum = if of_first { 1.0 } else { 4.0 };
        assert_eq!(statistic.count_and_sum(), (4.0, sum));
        statistic.add(Statistic::outcome(0.0).wrapping_sub(losses));
        assert_eq!(statistic.count_and_sum(), (2.0, 1.0));
    }
}

#[test]
fn a_node_takes_half_a_cache_line() {
    assert_eq!(size_of::<Node>(), 32);
    assert_eq!(Tree::capacity_of(1), 32_768);
}

#[test]
fn a_claim_is_given_once_and_can_be_given_up() {
    let tree = Tree::new(4);
    assert!(tree.claim(ROOT) && !tree.claim(ROOT) && tree.children(ROOT).is_none());
    // No room for four besides the root.
    assert_eq!(tree.expand(ROOT, seeds(&[1, 2, 3, 4])), None);
    assert_eq!(expand(&tree, ROOT, &[7, 8, 9]), 1..4);
    assert!(!tree.claim(ROOT));
    assert_eq!(tree.block(1..4).iter().map(Node::index).collect::<Vec<_>>(), [7, 8, 9]);
    assert_eq!((tree.used(), tree.capacity()), (4, 4));
}

#[test]
fn priors_count_in_means_but_not_in_visits() {
    let tree = Tree::new(2);
    assert!(tree.claim(ROOT));
    let seed = Seed { index: 5, experience: 3, sum: 3.0, amaf_experience: 10, amaf_sum: 5.0 };
    tree.expand(ROOT, [seed].into_iter()).unwrap();
    let node = tree.node(1);
    node.outcomes.add(Statistic::outcome(0.0));
    assert_eq!((node.visits(), node.outcomes.count(), node.outcomes.mean()), (1, 4, Some(0.75)));
    assert_eq!((node.amaf_visits(), node.amaf.count(), node.amaf.mean()), (0, 10, Some(0.5)));
    assert!((node.prior().unwrap() - 8.0 / 13.0).abs() < 1e-4);
}

/// Everything below a node, as text: the moves with their statistics, in order.
fn describe(tree: &Tree, node: NodeIndex) -> String {
    let here = tree.node(node);
    let mut text = format!("({} {:?} {:?} {:?}", here.index(), here.outcomes, here.amaf, here.proof());
    for child in tree.children(node).into_iter().flatten() {
        text += &describe(tree, child);
    }
    text + ")"
}

/// A tree of random shape with random statistics.
fn random_tree(seed: u64) -> Tree {
    use afterstate_games::rng::{below, stream};
    let (tree, mut rng) = (Tree::new(4000), stream(seed, 0));
    for _ in 0..300 {
        let mut node = ROOT;
        let mut draw = |n: usize| below(&mut rng, n as u32);
        while let Some(children) = tree.children(node) {
            node = children.start + draw(children.len());
            tree.node(node).outcomes.add(Statistic::outcome(draw(3) as f32 / 2.0));
            tree.node(node).amaf.add(Statistic::outcome(draw(2) as f32));
        }
        tree.node(node).prove(Proof::from_byte(draw(9) as u8 % 5));
        let moves: Vec<u16> = (0..1 + draw(6) as u16).collect();
        expand(&tree, node, &moves);
    }
    tree
}

#[test]
fn keeping_a_subtree_keeps_exactly_its_statistics() {
    for seed in 0..20 {
        let mut tree = random_tree(seed);
        let before = tree.used();
        let mut node = ROOT;
        for _ in 0..2 {
            let children = tree.children(node).unwrap();
            node = children.max_by_key(|&child| tree.node(child).visits()).unwrap();
        }
        let expected = describe(&tree, node);
        let kept = tree.keep(node, 0);
        assert_eq!(describe(&tree, ROOT), expected);
        assert_eq!((kept.before, kept.after), (before, tree.used()));
        // As many nodes as were described, not one more.
        assert_eq!(tree.used(), expected.matches('(').count() - expected.matches("Statistic(").count());
        // What was freed can be used again.
        let leaf = (0..tree.used() as u32).find(|&node| tree.children(node).is_none()).unwrap();
        assert_eq!(expand(&tree, leaf, &[1, 2]), kept.after as u32..kept.after as u32 + 2);
    }
}

#[test]
fn forgetting_cuts_below_rarely_visited_nodes_only() {
    for seed in 0..10 {
        let mut tree = random_tree(seed);
        let visits =
            |tree: &Tree| -> Vec<u32> { tree.children(ROOT).unwrap().map(|child| tree.node(child).visits()).collect() };
        let before = visits(&tree);
        tree.keep(ROOT, 10);
        assert_eq!(visits(&tree), before);
        for node in 1..tree.used() as u32 {
            assert!(tree.children(node).is_none() || tree.node(node).visits() >= 10);
        }
    }
}
