//! What [`Puct`] knows of the moves at its root, and which of them is played.

use super::{NONE, Puct, PuctMove, unsigned};
use crate::search::mcts::{MoveReport, SearchReport, lower_bound};
use crate::search::mcts_solver::Proof;
use afterstate_games::{Deterministic, Side};
use std::cmp::Ordering;

impl<G: Deterministic> Puct<G> {
    /// The best move: one that is proved to win, else the most visited one that is open, or one that is proved to draw if that is not
    /// worth more. Of those with as many visits it is the more valuable one, and of those without any the likelier. (Or the best one by
    /// [another rule](Puct::decide_by).)
    pub fn best(&self) -> Option<PuctMove<G::Move>> {
        let rank = self.rank();
        // Of equals the first.
        self.moves().reduce(|best, mv| if self.compare(&mv, &best, &rank).is_gt() { mv } else { best })
    }

    /// The rank of a move, which comes before the rule: what is proved is not simulated again.
    fn rank(&self) -> impl Fn(&PuctMove<G::Move>) -> u8 + use<G> {
        let (solver, side) = (self.settings.solver, self.nodes.first().map_or(Side::First, |root| root.side));
        let best = self.moves().filter(|mv| mv.proof == Proof::Open).max_by(|a, b| self.compare(a, b, &|_| 0));
        let drawn = if best.is_some_and(|best| best.visits > 0 && best.value > 0.0) { 1 } else { 3 };
        move |mv| match mv.proof {
            Proof::Forbidden => 0,
            _ if !solver => 2,
            Proof::Draw => drawn,
            proof if proof == Proof::win(side) => 4,
            proof if proof == Proof::win(side.other()) => 0,
            _ => 2,
        }
    }

    /// Which of two moves is better, by their ranks, by the rule, and by what is thought of them.
    fn compare(
        &self,
        a: &PuctMove<G::Move>,
        b: &PuctMove<G::Move>,
        rank: &impl Fn(&PuctMove<G::Move>) -> u8,
    ) -> Ordering {
        let thought = |mv: &PuctMove<G::Move>| if mv.visits > 0 { mv.value } else { mv.prior };
        let bound = |mv: &PuctMove<G::Move>| lower_bound(0.5 + 0.5 * mv.value, mv.visits);
        rank(a).cmp(&rank(b)).then_with(|| self.final_move.compare((a, b), |mv| mv.visits, thought, bound))
    }

    /// The line of play that is visited most, from the root.
    pub fn principal_variation(&self) -> Vec<G::Move> {
        self.best().map_or_else(Vec::new, |best| self.line(best.mv))
    }

    /// The line that is visited most after a move at the root, itself included.
    fn line(&self, first: G::Move) -> Vec<G::Move> {
        let mut line = vec![first];
        let mut edge = self.edges_of(0).find(|edge| self.edges[*edge].mv == first);
        while let Some(node) = edge.map(|edge| self.edges[edge].child).filter(|child| *child != NONE) {
            edge = self.edges_of(node).max_by_key(|edge| self.edges[*edge].visits);
            let Some(visited) = edge.map(|edge| self.edges[edge]).filter(|edge| edge.visits > 0) else { break };
            line.push(visited.mv);
        }
        line
    }

    /// All that is known, as other searches say it: priors are the policy, as the side to move sees it. `simulations`: those of the
    /// last search alone.
    pub fn report(&self, simulations: u64) -> SearchReport<G::Move> {
        let Some(root) = self.nodes.first() else { return SearchReport { simulations, ..SearchReport::default() } };
        let mut moves: Vec<PuctMove<G::Move>> = self.moves().collect();
        // The first of equals stays the first.
        let rank = self.rank();
        moves.sort_by(|a, b| self.compare(b, a, &rank));
        let describe = |mv: PuctMove<G::Move>| MoveReport {
            mv: mv.mv,
            visits: mv.visits,
            value: mv.proof.value().or_else(|| (mv.visits > 0).then(|| unsigned(mv.value, root.side))),
            prior: Some(unsigned(2.0 * mv.prior - 1.0, root.side)),
            amaf_visits: 0,
            amaf_value: None,
            proof: mv.proof,
            principal_variation: self.line(mv.mv),
        };
        let moves: Vec<_> = moves.into_iter().map(describe).collect();
        let value = moves.first().and_then(|best| best.value).or_else(|| Some(self.value()));
        SearchReport { simulations, visits: u64::from(root.visits), value, moves, ownership: None }
    }
}
