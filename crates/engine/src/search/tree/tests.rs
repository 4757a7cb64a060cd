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
fn eight_nodes_take_four_cache_lines() {
    assert_eq!((size_of::<Octet>(), align_of::<Octet>()), (256, 64));
    assert_eq!(Tree::capacity_of(1), 32_768);
}

#[test]
fn a_claim_is_given_once_and_can_be_given_up() {
    let tree = Tree::new(10).unwrap();
    assert!(tree.claim(ROOT) && !tree.claim(ROOT) && tree.children(ROOT).is_none());
    // The root has the first eight for itself, so there is no room for nine.
    assert_eq!(tree.expand(ROOT, seeds(&[1, 2, 3, 4, 5, 6, 7, 8, 9])), None);
    assert_eq!(expand(&tree, ROOT, &[7, 8, 9]), 8..11);
    assert!(!tree.claim(ROOT));
    assert_eq!(tree.block(8..11).iter().map(Node::index).collect::<Vec<_>>(), [7, 8, 9]);
    assert_eq!((tree.used(), tree.capacity()), (16, 16));
}

#[test]
fn a_block_gives_its_nodes_in_order_and_no_others() {
    let tree = Tree::new(100).unwrap();
    for count in [1, 7, 8, 9, 16, 17] {
        let node = tree.used() as u32 - 8;
        let indices: Vec<u16> = (0..count).map(|i| 100 + i).collect();
        let block = tree.block(expand(&tree, node, &indices));
        let all: Vec<u16> = block.iter().map(|node| node.index() as u16).collect();
        assert_eq!((block.len(), &all), (usize::from(count), &indices));
        assert!((0..block.len()).all(|place| block.node(place).index() == usize::from(indices[place])));
        assert_eq!(block.first(5).iter().count(), usize::from(count.min(5)));
    }
}

#[test]
fn priors_count_in_means_but_not_in_visits() {
    let tree = Tree::new(16).unwrap();
    assert!(tree.claim(ROOT));
    let seed = Seed { index: 5, experience: 3, sum: 3.0, amaf_experience: 10, amaf_sum: 5.0 };
    tree.expand(ROOT, [seed].into_iter()).unwrap();
    let node = tree.node(8);
    node.outcomes().add(Statistic::outcome(0.0));
    assert_eq!((node.visits(), node.outcomes().count(), node.outcomes().mean()), (1, 4, Some(0.75)));
    assert_eq!((node.amaf_visits(), node.amaf().count(), node.amaf().mean()), (0, 10, Some(0.5)));
    assert!((node.prior().unwrap() - 8.0 / 13.0).abs() < 1e-4);
}

/// Everything below a node, as text: the moves with their statistics, in order.
fn describe(tree: &Tree, node: NodeIndex) -> String {
    let here = tree.node(node);
    let mut text = format!("({} {:?} {:?} {:?}", here.index(), here.outcomes(), here.amaf(), here.proof());
    for child in tree.children(node).into_iter().flatten() {
        text += &describe(tree, child);
    }
    text + ")"
}

/// How many nodes the blocks below a node take.
fn room_below(tree: &Tree, node: NodeIndex) -> usize {
    let Some(children) = tree.children(node) else { return 0 };
    children.len().next_multiple_of(8) + children.map(|child| room_below(tree, child)).sum::<usize>()
}

/// A tree of random shape with random statistics.
fn random_tree(seed: u64) -> Tree {
    use afterstate_games::rng::{below, stream};
    let (tree, mut rng) = (Tree::new(8000).unwrap(), stream(seed, 0));
    for _ in 0..300 {
        let mut node = ROOT;
        let mut draw = |n: usize| below(&mut rng, n as u32);
        while let Some(children) = tree.children(node) {
            node = children.start + draw(children.len());
            tree.node(node).outcomes().add(Statistic::outcome(draw(3) as f32 / 2.0));
            tree.node(node).amaf().add(Statistic::outcome(draw(2) as f32));
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
        // Room for what was described, not more.
        assert_eq!(tree.used(), 8 + room_below(&tree, ROOT));
        // What was freed can be used again.
        let mut leaf = ROOT;
        while let Some(children) = tree.children(leaf) {
            leaf = children.start;
        }
        assert_eq!(expand(&tree, leaf, &[1, 2]), kept.after as u32..kept.after as u32 + 2);
    }
}

/// A move that a search was to leave out may be played all the same.
#[test]
fn whatever_is_played_is_open() {
    let mut tree = random_tree(1);
    let child = tree.children(ROOT).unwrap().start;
    tree.node(child).prove(Proof::Forbidden);
    tree.keep_below(child);
    assert_eq!(tree.node(ROOT).proof(), Proof::Open);
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
        let mut open: Vec<_> = tree.children(ROOT).unwrap().collect();
        while let Some(node) = open.pop() {
            assert!(tree.children(node).is_none() || tree.node(node).visits() >= 10);
            open.extend(tree.children(node).into_iter().flatten());
        }
    }
}
