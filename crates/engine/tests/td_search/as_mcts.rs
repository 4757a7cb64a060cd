//! With table lookup, λ = 1, α = 1/N and one new state in each simulation TD search is Monte-Carlo tree search.

use crate::script::{Letters, Scripted};
use afterstate_engine::search::tree::{NodeIndex, ROOT, Tree};
use afterstate_engine::search::{
    GreedyMcts, Leaf, Mcts, MctsSettings, PlayOut, TableLookup, TdSearch, TdSearchSettings,
};
use afterstate_engine::{Budget, Search, Value};
use afterstate_games::{Game, IndexedMoves, Rng, UniformPlayout, stream};
use std::sync::{Arc, Mutex};

/// Longer than there are simulations, so that none comes to the end of the game inside the tree.
type Words = Letters<40, 3>;

/// A simulation: how many of its moves were inside the tree, all of them, and its outcome.
type Simulation = (usize, Vec<u8>, f32);

/// Plays at random, and writes down what simulations did.
#[derive(Clone)]
struct Recorded(PlayOut<UniformPlayout<Words>>, Arc<Mutex<Vec<Simulation>>>);

impl Leaf<Words> for Recorded {
    fn finish(&mut self, game: &mut Words, trace: &mut Vec<u8>, rng: &mut Rng) -> Value {
        let in_tree = trace.len();
        let z = self.0.finish(game, trace, rng);
        self.1.lock().unwrap().push((in_tree, trace.clone(), z.0));
        z
    }
}

/// Ends simulations as they were written down.
#[derive(Clone)]
struct Replayed(Arc<Mutex<Vec<Simulation>>>);

impl Leaf<Words> for Replayed {
    fn finish(&mut self, game: &mut Words, trace: &mut Vec<u8>, _rng: &mut Rng) -> Value {
        let (in_tree, moves, z) = self.0.lock().unwrap().remove(0);
        assert_eq!(*trace, moves[..in_tree], "the simulation leaves the table where the other left the tree");
        for &mv in &moves[in_tree..] {
            game.play(mv);
            trace.push(mv);
        }
        Value(z)
    }
}

/// Compares every move of the tree with the table's.
fn compare(tree: &Tree, node: NodeIndex, game: &Words, table: &TableLookup<u8>, compared: &mut usize) {
    for child in tree.children(node).into_iter().flatten() {
        let mv = game.move_at(tree.node(child).index());
        let (visits, sum) = tree.node(child).outcomes().count_and_sum();
        match table.known(game.key(), mv) {
            None => assert_eq!(visits, 0.0),
            Some((n, value)) => {
                assert_eq!(n as f32, visits);
                assert!((value.0 - sum / visits).abs() < 1e-5, "{} and {}", value.0, sum / visits);
                *compared += 1;
            }
        }
        let mut after = game.clone();
        after.play(mv);
        compare(tree, child, &after, table, compared);
    }
}

#[test]
fn the_same_simulations_give_the_same_statistics_in_every_state() {
    for seed in 0..30 {
        let simulations = 39;
        let written = Arc::new(Mutex::new(Vec::new()));
        let settings = MctsSettings { simulations, early_stop: false, memory_mib: 1, ..MctsSettings::default() };
        let mut mcts =
            Mcts::new(GreedyMcts::default(), Recorded(PlayOut(UniformPlayout::default()), written.clone()), settings);
        let decided = mcts.search(&Words::default(), &Budget::default(), &mut stream(seed, 0));

        let lines = written.lock().unwrap().iter().map(|(_, moves, _)| moves.clone()).collect();
        let memory = Scripted::new(TableLookup::new(1.0), lines, true);
        let settings =
            TdSearchSettings { simulations, exploration: 0.0, switch_after: None, ..TdSearchSettings::default() };
        let mut search = TdSearch::new(memory, Replayed(written.clone()), settings);
        let found = search.search(&Words::default(), &Budget::default(), &mut stream(seed, 0));

        assert!(written.lock().unwrap().is_empty(), "every simulation was made");
        let (tree, table, mut compared) = (mcts.tree().unwrap(), &search.memory().memory, 0);
        compare(tree, ROOT, &Words::default(), table, &mut compared);
        assert!(compared >= 39, "{compared}");
        assert_eq!(table.states(), 40, "the root, and one for each simulation");
        let value = search.report().moves.iter().find(|report| Some(report.mv) == decided.best).unwrap().value;
        assert!((value.unwrap().0 - decided.value.unwrap().0).abs() < 1e-5);
        assert!(found.value.unwrap().0 >= decided.value.unwrap().0 - 1e-5, "the final move goes by value");
    }
}
