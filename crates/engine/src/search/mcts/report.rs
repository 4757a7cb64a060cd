//! What a tree knows of the moves at its root, and which of them is played.

use super::settings::FinalMove;
use crate::Value;
use crate::search::mcts_solver::{self, Proof};
use crate::search::ownership::Ownership;
use crate::search::tree::{NodeIndex, ROOT, Tree};
use afterstate_games::{IndexedMoves, Side, Turn};
use std::cmp::Ordering;

/// What is known of a move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport<M> {
    /// The move.
    pub mv: M,
    /// How many simulations began with it, priors not counted.
    pub visits: u32,
    /// Q, priors included: the first player's mean outcome, or what was proved. `None` without any experience.
    pub value: Option<Value>,
    /// What the priors said: how likely it is to win or, where a policy speaks, to be played.
    pub prior: Option<Value>,
    /// How often the all-moves-as-first statistics were updated, priors not counted.
    pub amaf_visits: u32,
    /// Q̃, priors included.
    pub amaf_value: Option<Value>,
    /// What is certain.
    pub proof: Proof,
    /// The line that is expected after it, itself included.
    pub principal_variation: Vec<M>,
}

impl<M> MoveReport<M> {
    /// The mean outcome less one standard error, as `side` sees it: how good the move is at least, if chance was not
    /// unusually kind to it. What is proved is certain; minus infinity without any visit.
    ///
    /// ```
    /// use afterstate_engine::Value;
    /// use afterstate_engine::search::{MoveReport, Proof};
    /// use afterstate_games::Side;
    /// let report = |visits, proof| MoveReport {
    ///     mv: (), visits, value: Some(Value(0.25)), prior: None, amaf_visits: 0, amaf_value: None, proof,
    ///     principal_variation: Vec::new(),
    /// };
    /// // White won three quarters of 99 games; one more is counted as half won: p = 0.7475.
    /// let bound = report(99, Proof::Open).lower_bound(Side::Second);
    /// assert!((bound - (0.75 - (0.7475f32 * 0.2525 / 99.0).sqrt())).abs() < 1e-6);
    /// assert_eq!(report(0, Proof::Open).lower_bound(Side::Second), f32::NEG_INFINITY);
    /// ```
    pub fn lower_bound(&self, side: Side) -> f32 {
        match (self.value, self.visits) {
            (Some(value), _) if self.proof != Proof::Open => value.seen_by(side),
            (Some(value), visits) => lower_bound(value.seen_by(side), visits),
            (None, _) => f32::NEG_INFINITY,
        }
    }
}

/// The mean of so many outcomes between 0 and 1 less one standard error, as if each had been 0 or 1.
pub(in crate::search) fn lower_bound(mean: f32, visits: u32) -> f32 {
    if visits == 0 {
        return f32::NEG_INFINITY;
    }
    // Even if all outcomes so far were the same, others are possible: half a win and half a loss are added.
    let n = visits as f32;
    let smooth = (mean * n + 0.5) / (n + 1.0);
    mean - (smooth * (1.0 - smooth) / n).sqrt()
}

/// What is known of the position that is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport<M> {
    /// How many simulations this search has done.
    pub simulations: u64,
    /// How many simulations the tree holds at its root, with those that earlier searches left.
    pub visits: u64,
    /// The value of the best move.
    pub value: Option<Value>,
    /// All moves, the best first: the first one would be played.
    pub moves: Vec<MoveReport<M>>,
    /// Who owned what at the end of simulations, if an observer counts that. While several threads search, it is of the
    /// simulations of one of them.
    pub ownership: Option<Ownership>,
}

/// Of a search that knows nothing yet.
impl<M> Default for SearchReport<M> {
    fn default() -> Self {
        SearchReport { simulations: 0, visits: 0, value: None, moves: Vec::new(), ownership: None }
    }
}

impl<M> SearchReport<M> {
    /// What is certain about the position, in which `side` is to move, if it may choose among these moves only.
    pub fn proof(&self, side: Side) -> Proof {
        mcts_solver::prove(self.moves.iter().map(|report| report.proof), side)
    }
}

/// The moves of a position with their statistics, in no order; those that may not be played left out.
pub(super) fn children<G: IndexedMoves>(tree: &Tree, game: &G) -> Vec<MoveReport<G::Move>> {
    let Some(children) = tree.children(ROOT) else { return Vec::new() };
    let block = tree.block(children);
    let playable = block.iter().filter(|node| node.proof() != Proof::Forbidden);
    playable
        .map(|node| MoveReport {
            mv: game.move_at(node.index()),
            visits: node.visits(),
            value: node.proof().value().or_else(|| node.outcomes().mean().map(Value)),
            prior: node.prior().map(Value),
            amaf_visits: node.amaf_visits(),
            amaf_value: node.amaf().mean().map(Value),
            proof: node.proof(),
            principal_variation: Vec::new(),
        })
        .collect()
}

/// Adds the simulations of another tree to a move's.
pub(super) fn merge<M>(into: &mut MoveReport<M>, other: &MoveReport<M>) {
    let mean = |a: Option<Value>, n: u32, b: Option<Value>, m: u32| match (a, b) {
        (Some(a), Some(b)) if n + m > 0 => {
            Some(Value(((f64::from(a.0) * f64::from(n) + f64::from(b.0) * f64::from(m)) / f64::from(n + m)) as f32))
        }
        (a, b) => a.or(b),
    };
    into.value = mean(into.value, into.visits, other.value, other.visits);
    into.amaf_value = mean(into.amaf_value, into.amaf_visits, other.amaf_value, other.amaf_visits);
    into.visits += other.visits;
    into.amaf_visits += other.amaf_visits;
    if into.proof == Proof::Open {
        into.proof = other.proof;
    }
    if let Some(value) = into.proof.value() {
        into.value = Some(value);
    }
}

/// Puts the moves into the order in which `side` would play them, the best first.
pub(super) fn sort<M>(moves: &mut [MoveReport<M>], side: Side, rule: FinalMove) {
    let rank = ranks(moves, side, rule);
    moves.sort_by(|a, b| rank(b).cmp(&rank(a)).then_with(|| by_rule(b, a, side, rule)));
}

/// The rank of a move among `moves`, which comes before what the rule says: certain wins are first and certain losses last, and a
/// certain draw comes before the best of those that nothing is certain of unless that is worth more.
fn ranks<M>(moves: &[MoveReport<M>], side: Side, rule: FinalMove) -> impl Fn(&MoveReport<M>) -> u8 + use<M> {
    let open = moves.iter().filter(|report| report.proof == Proof::Open);
    let best = open.max_by(|a, b| by_rule(a, b, side, rule)).and_then(|best| best.value);
    let drawn = if best.is_some_and(|value| value.seen_by(side) > 0.5) { 1 } else { 3 };
    move |report| match report.proof {
        proof if proof == Proof::win(side) => 4,
        Proof::Draw => drawn,
        Proof::Open => 2,
        _ => 0,
    }
}

/// Which of two moves the rule prefers, whatever is certain.
fn by_rule<M>(a: &MoveReport<M>, b: &MoveReport<M>, side: Side, rule: FinalMove) -> Ordering {
    let seen = |report: &MoveReport<M>| report.value.map_or(f32::NEG_INFINITY, |value| value.seen_by(side));
    rule.compare((a, b), |report| report.visits, seen, |report| report.lower_bound(side))
}

/// The line that follows the child of the root that is `first`: at each position the move that would be played.
pub(super) fn line<G: IndexedMoves>(tree: &Tree, root: &G, first: G::Move, rule: FinalMove) -> Vec<G::Move> {
    let mut line = vec![first];
    let mut game = root.clone();
    let Some(mut node) = child(tree, ROOT, root.move_index(first)) else { return line };
    game.play(first);
    while let (Turn::Player(side), Some(children)) = (game.turn(), tree.children(node)) {
        let (known, summaries): (Vec<_>, Vec<_>) = children
            .filter(|&child| {
                let node = tree.node(child);
                node.proof() != Proof::Forbidden && (node.visits() > 0 || node.proof() != Proof::Open)
            })
            .map(|child| (child, summary(tree, child)))
            .unzip();
        let rank = ranks(&summaries, side, rule);
        let better =
            |a: &MoveReport<_>, b: &MoveReport<_>| rank(a).cmp(&rank(b)).then_with(|| by_rule(a, b, side, rule));
        let best = known.into_iter().zip(&summaries).max_by(|a, b| better(a.1, b.1));
        let Some((best, summary)) = best else { break };
        // What was visited once is hardly an expectation.
        if summary.visits < 2 && summary.proof == Proof::Open {
            break;
        }
        let mv = game.move_at(tree.node(best).index());
        game.play(mv);
        line.push(mv);
        node = best;
    }
    line
}

fn summary(tree: &Tree, node: NodeIndex) -> MoveReport<()> {
    let node = tree.node(node);
    MoveReport {
        mv: (),
        visits: node.visits(),
        value: node.proof().value().or_else(|| node.outcomes().mean().map(Value)),
        prior: None,
        amaf_visits: 0,
        amaf_value: None,
        proof: node.proof(),
        principal_variation: Vec::new(),
    }
}

/// The child of `node` that is move number `index`.
pub(super) fn child(tree: &Tree, node: NodeIndex, index: usize) -> Option<NodeIndex> {
    tree.children(node)?.find(|&child| tree.node(child).index() == index)
}
