//! What a search keeps when the game goes on: the tree below the moves that were played (D. Silver et al., *Mastering the
//! game of Go without human knowledge*, 2017, methods: "the child node corresponding to the played action becomes the new
//! root node; the subtree below this child is retained along with all its statistics").

use super::{Edge, NONE, Node, Puct};
use crate::search::mcts::Situation;
use afterstate_games::{Deterministic, Repetition};

impl<G: Deterministic> Puct<G> {
    /// The game went on by `mv` to `position`: keeps what lies below that move for [`Puct::go_on`], and forgets the rest.
    pub fn advance(&mut self, mv: G::Move, position: &G) {
        let played = self.root.take().filter(|_| !self.nodes.is_empty()).and_then(|mut root| {
            let edge = self.edges_of(0).map(|edge| self.edges[edge]).find(|edge| edge.mv == mv)?;
            root.play(mv);
            (edge.child != NONE && root.key() == position.key()).then_some((root, edge.child))
        });
        match played {
            Some((root, child)) => {
                self.history.push(self.key(&root));
                self.keep(child);
                self.root = Some(root);
            }
            None => self.forget(),
        }
    }

    /// Like [`Puct::begin`], but with all that is known already of this position from the last search, if the game
    /// [went on](Puct::advance) to it, or if it is still the same.
    ///
    /// ```
    /// use afterstate_engine::search::{Puct, PuctSettings, Situation};
    /// use afterstate_engine::zero::{Network, Question, Uniform};
    /// use afterstate_games::{Game, TicTacToe};
    /// let mut game = TicTacToe::default();
    /// let (mut search, mut question) = (Puct::new(PuctSettings::default()), Question::new(game));
    /// search.begin(&Situation::new(&game));
    /// for _ in 0..200 {
    ///     if search.gather(&mut question) {
    ///         Uniform.evaluate(&mut [&mut question]);
    ///         search.apply(&question);
    ///     }
    /// }
    /// let best = search.best().unwrap();
    /// game.play(best.mv);
    /// search.advance(best.mv, &game);
    /// search.go_on(&Situation::new(&game));
    /// assert_eq!(search.visits(), best.visits);
    /// ```
    pub fn go_on(&mut self, situation: &Situation<'_, G>) {
        let is_there = self.root.as_ref().is_some_and(|root| root.key() == situation.position.key());
        // What repeats depends on the past, and what was found with another one may be wrong.
        let known = || self.history.iter().all(|key| situation.history.contains(key));
        let follows = self.nodes.is_empty() || G::REPETITION == Repetition::Allowed || known();
        if !(is_there && follows && self.restrict(situation)) {
            self.begin(situation);
            return;
        }
        self.root = Some(situation.position.clone());
        self.history.clear();
        self.history.extend_from_slice(situation.history);
    }

    /// Bytes that the tree takes. What it took before and may take again does not count.
    pub fn memory(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.edges.len() * size_of::<Edge<G::Move>>()
    }

    /// Knows nothing any more.
    pub fn forget(&mut self) {
        self.root = None;
        self.nodes.clear();
        self.edges.clear();
    }

    /// Takes away moves at the root that are not allowed, with all that lies below them; the policy is shared out among the
    /// others. Nothing is done if a move is missing.
    fn restrict(&mut self, situation: &Situation<'_, G>) -> bool {
        self.allowed.clear();
        match situation.moves {
            Some(moves) => self.allowed.extend_from_slice(moves),
            None => situation.position.legal_moves(&mut self.allowed),
        }
        if self.nodes.is_empty() {
            return true;
        }
        let known = &self.edges[self.edges_of(0)];
        if !self.allowed.iter().all(|mv| known.iter().any(|edge| edge.mv == *mv)) {
            return false;
        }
        if known.len() == self.allowed.len() {
            return true;
        }
        let mut left: Vec<Edge<G::Move>> = known.to_vec();
        left.retain(|edge| self.allowed.contains(&edge.mv));
        let policy: f32 = left.iter().map(|edge| edge.prior).sum();
        // A network may be sure of a move that is not allowed.
        let even = 1.0 / left.len() as f32;
        left.iter_mut().for_each(|edge| edge.prior = if policy > 0.0 { edge.prior / policy } else { even });
        let root = &mut self.nodes[0];
        root.edges = left.len() as u32;
        root.visits = 1 + left.iter().map(|edge| edge.visits).sum::<u32>();
        let first = root.first as usize;
        self.edges[first..first + left.len()].copy_from_slice(&left);
        self.keep(0);
        true
    }

    /// Makes `root` the root, and closes the gaps that nodes above and beside it leave.
    fn keep(&mut self, root: u32) {
        let (nodes, edges) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.edges));
        self.nodes.push(nodes[root as usize]);
        let mut at = 0;
        while let Some(node) = self.nodes.get_mut(at) {
            let below = &edges[node.first as usize..(node.first + node.edges) as usize];
            node.first = self.edges.len() as u32;
            for edge in below {
                let mut edge = *edge;
                if edge.child != NONE {
                    self.nodes.push(nodes[edge.child as usize]);
                    edge.child = self.nodes.len() as u32 - 1;
                }
                self.edges.push(edge);
            }
            at += 1;
        }
    }
}
