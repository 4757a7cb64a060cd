//! [`VisitedPosition`]: what a search has found out of positions below its root. Whoever learns from it alone throws away most of a
//! tree (paper 002, §4).

use super::Mcts;
use crate::Value;
use crate::search::leaf::{Leaf, PlayoutObserver};
use crate::search::mcts_solver::Proof;
use crate::search::prior::Prior;
use crate::search::selection::Selection;
use crate::search::tree::{NodeIndex, ROOT, Tree};
use afterstate_games::{Deterministic, IndexedMoves, Turn};

/// A position of a tree, in which a player is to move.
#[derive(Clone, Debug, PartialEq)]
pub struct VisitedPosition<M> {
    /// The moves to it, from the position that was searched.
    pub way: Vec<M>,
    /// Q, priors included: the first player's mean outcome from 0 to 1, or what was proved.
    pub value: Value,
    /// The moves that the tree considers, and how often each was visited; at least one was.
    pub moves: Vec<(M, u32)>,
}

impl<G, S, L, P, O> Mcts<G, S, L, P, O>
where
    G: IndexedMoves + Deterministic,
    S: Selection,
    L: Leaf<G>,
    P: Prior<G>,
    O: PlayoutObserver<G>,
{
    /// The positions below the root that simulations went through at least `least` times, in the order of the tree, but for those behind
    /// the move `without`: if that is played, the next search still knows them. Of several trees it is the first one's.
    ///
    /// ```
    /// use afterstate_engine::search::{Mcts, MctsSettings, PlayOut, Uct};
    /// use afterstate_engine::{Budget, Search};
    /// use afterstate_games::{Game, Notation, TicTacToe, UniformPlayout, stream};
    /// let game = TicTacToe::parse_position("XX./OO./...").unwrap();
    /// let settings = MctsSettings { simulations: 200, memory_mib: 1, ..MctsSettings::default() };
    /// let mut search = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings);
    /// let best = search.search(&game, &Budget::default(), &mut stream(1, 0)).best;
    /// let visited = search.visited_positions(5, best);
    /// // X does not complete its line, and O completes its own: O is winning.
    /// assert!(visited.iter().all(|visited| visited.way[0] != best.unwrap()));
    /// assert!(visited.iter().any(|visited| visited.way.len() == 1 && visited.value.0 < 0.5));
    /// ```
    pub fn visited_positions(&self, least: u32, without: Option<G::Move>) -> Vec<VisitedPosition<G::Move>> {
        let (Some(tree), Some(root)) = (self.tree(), &self.root) else { return Vec::new() };
        let without = without.map(|mv| root.move_index(mv));
        let mut visited = Vec::new();
        for child in tree.children(ROOT).into_iter().flatten() {
            if Some(tree.node(child).index()) != without {
                collect(tree, child, (root, &[]), least, &mut visited);
            }
        }
        visited
    }
}

/// The position of `node`, a child of the one at the end of `way`, and those below it.
fn collect<G: IndexedMoves + Deterministic>(
    tree: &Tree,
    node: NodeIndex,
    (parent, way): (&G, &[G::Move]),
    least: u32,
    visited: &mut Vec<VisitedPosition<G::Move>>,
) {
    let known = tree.node(node);
    if known.visits() < least || known.proof() == Proof::Forbidden {
        return;
    }
    let mv = parent.move_at(known.index());
    let mut position = parent.clone();
    position.play(mv);
    let way = [way, &[mv]].concat();
    let value = known.proof().value().or_else(|| known.outcomes().mean().map(Value));
    let (Turn::Player(_), Some(value), Some(children)) = (position.turn(), value, tree.children(node)) else { return };
    let moves = |child| (position.move_at(tree.node(child).index()), tree.node(child).visits());
    let moves: Vec<(G::Move, u32)> = children.clone().map(moves).collect();
    // What is proved need not have been searched.
    if moves.iter().all(|(_, visits)| *visits == 0) {
        return;
    }
    visited.push(VisitedPosition { way: way.clone(), value, moves });
    children.for_each(|child| collect(tree, child, (&position, &way), least, visited));
}
