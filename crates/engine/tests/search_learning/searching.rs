//! The search against minimax, with and without what saves work.

use crate::reference::Reference;
use afterstate_engine::search::{Score, TrainingSearch, TrainingSearchSettings};
use afterstate_engine::value::{ChessTerms, Features, GridShapes, Squash, TermSet, Weights, WindowSizes};
use afterstate_engine::{Budget, value::ActiveSet};
use afterstate_games::rng::{below, unit};
use afterstate_games::{Chess, ConnectFour, Game, IndexedMoves, Notation, Record, Side, Tactics, Turn, stream};
use std::collections::HashMap;
use std::sync::Arc;

fn random_weights(count: usize, size: f32) -> Arc<Weights> {
    let mut rng = stream(4, 1);
    Arc::new(Weights::from_values(&(0..count).map(|_| (unit(&mut rng) - 0.5) * size).collect::<Vec<_>>()))
}

fn settings(depth: u32, pruning: bool) -> TrainingSearchSettings {
    TrainingSearchSettings { depth, nodes: 0, pruning, table_mib: 4, ..TrainingSearchSettings::default() }
}

/// Positions of random games of a length.
fn random_games<G: Game>(start: &G, plies: u32, count: u64) -> Vec<Record<G>> {
    let play = |number| {
        let (mut record, mut rng, mut moves) = (Record::new(start.clone()), stream(9, number), Vec::new());
        for _ in 0..plies {
            record.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            record.play(moves[below(&mut rng, moves.len() as u32) as usize]);
        }
        record
    };
    (0..count).map(play).filter(|record| matches!(record.turn(), Turn::Player(_))).collect()
}

fn agrees<G: Tactics + Notation, F: Features<G>>(
    records: &[Record<G>],
    features: F,
    weights: Arc<Weights>,
    depth: u32,
) {
    let features = Arc::new(features);
    for (pruning, exact_depth) in [(true, 0), (false, 0), (false, 1), (false, 2)] {
        let settings = TrainingSearchSettings { exact_depth, ..settings(depth, pruning) };
        let mut search = TrainingSearch::new(features.clone(), weights.clone(), Squash::Linear, settings);
        for record in records {
            let limit = Squash::Linear.limit();
            let reference = Reference { features: &*features, weights: &weights, limit };
            let keys = record.repetition_keys();
            let mut path = keys[..keys.len() - 1].to_vec();
            let found = search.search(record, &Budget::default()).unwrap();
            let text = record.position().position_text();
            // A sure result may be seen, and the search be over, before the last ply.
            let expected = reference.score(record.position(), found.depth, 0, &mut path);
            assert_eq!(found.score, expected, "{text}");
            assert!(found.depth == depth || found.score.winner().is_some());
            assert_eq!(found.line[0], found.best);
            let leaf = match found.leaf.turn() {
                Turn::Over(outcome) => Score::ended(outcome, found.line.len() as u32, 0.0),
                _ => {
                    let sum = features.sum(&found.leaf, &*weights).clamp(-limit, limit);
                    Score::heuristic(sum)
                }
            };
            // A line may end in a repetition, which the leaf alone does not show.
            assert!(leaf == found.score || found.repeats, "{text}: {leaf:?} {:?}", found.score);
            assert!(!found.repeats || found.score.first_player() == 0.0, "{text}: {:?}", found.score);
        }
    }
}

#[test]
fn chess_is_searched_as_minimax_would() {
    let terms = ChessTerms::new(TermSet::Meep);
    let weights = random_weights(terms.count(), 0.02);
    // With many men there are too many captures for the reference.
    let late = Chess::parse_position("8/2k2p2/2p5/8/1P3R2/5K2/8/1n6 w - - 0 1").unwrap();
    agrees(&random_games(&late, 20, 12), terms, weights, 2);
}

#[test]
fn connect_four_is_searched_as_minimax_would() {
    let game = ConnectFour::new();
    let shapes = GridShapes::new(&game, WindowSizes::new(&[1, 2]).unwrap());
    let weights = random_weights(Features::<ConnectFour>::count(&shapes), 0.02);
    agrees(&random_games(&game, 8, 30), shapes, weights, 5);
}

/// Positions of the next iteration, which a budget ended, are in the table already, one ply deeper than the score's.
#[test]
fn the_leaf_has_the_score_wherever_a_budget_ends_the_search() {
    let terms = Arc::new(ChessTerms::new(TermSet::Meep));
    let weights = random_weights(terms.count(), 0.02);
    let mut search = TrainingSearch::new(terms.clone(), weights.clone(), Squash::Linear, settings(10, true));
    let (mut searches, mut other) = (0, 0);
    for record in random_games(&Chess::new(), 20, 20) {
        for nodes in [100, 300, 1000, 3000, 10_000] {
            let found = search.search(&record, &Budget { simulations: Some(nodes), ..Budget::default() }).unwrap();
            if found.score.winner().is_some() || found.repeats || !matches!(found.leaf.turn(), Turn::Player(_)) {
                continue;
            }
            let sum = terms.sum(&found.leaf, &*weights);
            searches += 1;
            other += usize::from(Score::heuristic(sum) != found.score);
        }
    }
    assert_eq!(other, 0, "of {searches} searches");
}

#[test]
fn the_walk_shows_bounds_that_hold_and_every_position_once() {
    let terms = Arc::new(ChessTerms::new(TermSet::Meep));
    let weights = random_weights(terms.count(), 0.02);
    let game = Chess::parse_position("8/2k2p2/2p5/8/1P3R2/5K2/8/1n6 w - - 0 1").unwrap();
    let mut search = TrainingSearch::new(terms.clone(), weights.clone(), Squash::Linear, settings(3, true));
    let record = Record::new(game.clone());
    let found = search.search(&record, &Budget::default()).unwrap();
    let (mut shown, mut one_sided) = (HashMap::new(), 0);
    search.walk(&game, 1, &mut |_, position, interval| {
        assert!(shown.insert(position.key(), interval).is_none(), "each once");
        one_sided += usize::from(interval.exact().is_none());
        if let (Some(low), Some(high)) = (interval.at_least, interval.at_most) {
            assert!(low <= high);
        }
    });
    assert!(shown.len() > 100 && one_sided > 0 && one_sided < shown.len());
    assert_eq!(shown[&game.key()].exact(), Some(found.score));
    // Bounds of positions one ply below the root are those of searches two plies deep.
    let limit = Squash::Linear.limit();
    let reference = Reference { features: &*terms, weights: &weights, limit };
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let mut compared = 0;
    for &mv in &moves {
        let mut after = game.clone();
        after.play(mv);
        let Some(interval) = shown.get(&after.key()).filter(|_| !after.is_check()) else { continue };
        let exact = reference.score(&after, 2, 1, &mut vec![game.repetition_key()]);
        assert!(interval.at_least.is_none_or(|low| low <= exact) && interval.at_most.is_none_or(|high| high >= exact));
        compared += 1;
    }
    assert!(compared > 10);
    // A second walk shows the same.
    let mut again = 0;
    search.walk(&game, 1, &mut |_, _, _| again += 1);
    assert_eq!(again, shown.len());
}

/// Everything that is searched two plies deep or deeper has the value that it has where nothing is pruned. (Trees so shallow that
/// no position repeats: what a repetition is worth depends on the line by which it was reached first.)
#[test]
fn pruning_below_what_is_learnt_from_changes_nothing_above() {
    let terms = Arc::new(ChessTerms::new(TermSet::Meep));
    let weights = random_weights(terms.count(), 0.02);
    let late = Chess::parse_position("8/2k2p2/2p5/8/1P3R2/5K2/8/1n6 w - - 0 1").unwrap();
    for game in random_games(&late, 10, 12) {
        let record = Record::new(game.position().clone());
        let tree = |exact_depth: u32| {
            let settings = TrainingSearchSettings { exact_depth, ..settings(3, false) };
            let mut search = TrainingSearch::new(terms.clone(), weights.clone(), Squash::Linear, settings);
            let found = search.search(&record, &Budget::default()).unwrap();
            let mut shown = HashMap::new();
            search.walk(record.position(), 2, &mut |_, position, interval| {
                shown.insert(position.key(), interval.exact().expect("no bounds"));
            });
            (found, shown)
        };
        let ((all, every), (found, shown)) = (tree(0), tree(2));
        let text = record.position().position_text();
        assert_eq!(found.score, all.score, "{text}");
        // Positions that come up in the tree again, less deep, lose the place where they were deeper.
        let both: Vec<_> = every.iter().filter_map(|(key, score)| Some((score, shown.get(key)?))).collect();
        assert!(both.len() > 5 && 10 * both.len() >= 9 * every.len(), "{} of {} in {text}", both.len(), every.len());
        assert!(both.iter().all(|(score, other)| score == other), "{text}");
        assert!(2 * found.nodes < all.nodes, "{} of {} nodes in {text}", found.nodes, all.nodes);
    }
}

#[test]
fn a_quiet_leaf_is_where_captures_end() {
    let terms = Arc::new(ChessTerms::new(TermSet::Meep));
    let weights = Arc::new(terms.piece_values([0.01, 0.03, 0.03, 0.05, 0.09]));
    let mut search = TrainingSearch::new(terms, weights, Squash::Linear, settings(3, true));
    let mut leaf_of = |text: &str| {
        let leaf = search.quiet_leaf(&Chess::parse_position(text).unwrap());
        leaf.map(|leaf| leaf.position_text().split(' ').next().unwrap().to_string())
    };
    // An answer to check leaves nothing to take, before any search, too; a knight is free; a pawn is not, for it is protected; two kings alone
    // are a draw.
    let cases = [
        ("4k3/8/8/8/8/8/5P1P/r5K1 w - - 0 1", Some("4k3/8/8/8/8/8/5PKP/r7")),
        ("4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1", Some("4k3/8/8/3P4/8/8/8/4K3")),
        ("4k3/2p5/3p4/8/8/8/8/3RK3 w - - 0 1", Some("4k3/2p5/3p4/8/8/8/8/3RK3")),
        ("k7/8/1K6/8/8/8/8/8 w - - 0 1", None),
    ];
    for (text, expected) in cases {
        assert_eq!(leaf_of(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn budgets_end_a_search_but_not_before_the_first_ply() {
    let terms = Arc::new(ChessTerms::new(TermSet::Meep));
    let weights = Arc::new(terms.piece_values([0.01, 0.03, 0.03, 0.05, 0.09]));
    let mut search = TrainingSearch::new(
        terms,
        weights,
        Squash::Linear,
        TrainingSearchSettings { nodes: 3000, ..settings(64, true) },
    );
    let record = Record::new(Chess::new());
    let one = search.search(&record, &Budget { simulations: Some(1), ..Budget::default() }).unwrap();
    assert_eq!((one.depth, one.best), (1, one.line[0]));
    let many = search.search(&record, &Budget::default()).unwrap();
    assert!(many.depth > 1 && (3000..3100).contains(&many.nodes), "{}", many.nodes);
    assert_eq!(search.search(&record, &Budget::default()).unwrap(), many, "nothing is left of a search but its result");
    let two = search.search(&record, &Budget { depth: Some(2), simulations: Some(u64::MAX), ..Budget::default() });
    assert_eq!(two.unwrap().depth, 2);
}

#[test]
fn positions_of_the_game_are_not_repeated_for_nothing() {
    // White is a rook down and repeats; Black, who may avoid it, is asked after White's move.
    let terms = Arc::new(ChessTerms::new(TermSet::Meep));
    let weights = Arc::new(terms.piece_values([0.01, 0.03, 0.03, 0.05, 0.09]));
    let mut record = Record::new(Chess::parse_position("6k1/8/8/8/8/8/r7/6K1 w - - 0 1").unwrap());
    for text in ["g1f1", "a2b2", "f1g1", "b2a2"] {
        record.play(record.position().parse_move(text).unwrap());
    }
    let mut search = TrainingSearch::new(terms.clone(), weights.clone(), Squash::Linear, settings(1, true));
    let found = search.search(&record, &Budget::default()).unwrap();
    // Kf1 leads to a position that was there: as good as a draw.
    assert_eq!(record.position().move_text(found.best), "g1f1");
    assert_eq!(found.score.first_player(), 0.0);
    assert_eq!(record.position().to_move(), Side::First);
    let mut set = ActiveSet::default();
    terms.active(record.position(), &mut set);
    assert!(weights.sum(&set) < 0.0 && record.position().index_count() > 0);
}
