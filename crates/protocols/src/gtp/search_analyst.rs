//! [`SearchAnalyst`]: Monte-Carlo tree search as an [`Analyst`].

use super::analyst::{Analysis, Analyst, Candidate, Inquiry};
use afterstate_arena::{MonteCarlo, PlayerError};
use afterstate_engine::search::{
    GoOwnership, Leaf, Mcts, MctsSettings, MoveReport, Prior, SearchReport, Selection, Situation,
};
use afterstate_engine::{Budget, Decision, Value};
use afterstate_games::go::{Go, Komi, Move, Scoring};
use afterstate_games::{Rng, Side, Turn, stream};
use std::time::Instant;

/// A tree search that shows what it knows of every move, and who owned what at the end of its simulations.
///
/// It keeps its tree from one analysis to the next, so that it goes on where it was when a game moves forward.
///
/// ```
/// use afterstate_engine::search::{McRave, MctsSettings, PlayOut};
/// use afterstate_engine::Budget;
/// use afterstate_games::{Record, go::{Go, MogoPlayout, Point}};
/// use afterstate_protocols::gtp::{Analysis, Analyst, Inquiry, SearchAnalyst};
///
/// let settings = MctsSettings { simulations: 500, memory_mib: 4, ..MctsSettings::default() };
/// let mut analyst = SearchAnalyst::new(McRave::default(), PlayOut(MogoPlayout::default()), (), settings, 1);
/// let (record, budget) = (Record::new(Go::new(5)), Budget::default());
/// let mut last = Analysis::default();
/// let decision = analyst.analyze(&Inquiry::new(&record, &budget), &mut |analysis| last = analysis.clone())?;
/// assert_eq!((last.visits, Some(last.candidates[0].mv)), (500, decision.best));
/// // With the first move Black comes to own the centre.
/// assert!(last.ownership.unwrap().of(Point::at(2, 2, 5)) > 0.0);
/// # Ok::<(), afterstate_arena::PlayerError>(())
/// ```
pub struct SearchAnalyst<S, L, P> {
    search: Mcts<Go, S, L, P, GoOwnership>,
    rng: Rng,
    /// What the game that the tree is about is played on, and how it is counted, which the keys of positions say nothing of.
    counted: Option<(usize, Komi, Scoring, usize)>,
}

impl<S, L, P> SearchAnalyst<S, L, P>
where
    S: Selection,
    L: Leaf<Go>,
    P: Prior<Go>,
{
    /// A search with this selection rule, default policy, and prior knowledge (`()` for none).
    ///
    /// It never stops early: whoever looks at a position wants to know about all moves, not only which is the best.
    pub fn new(rule: S, leaf: L, prior: P, settings: MctsSettings, seed: u64) -> Self {
        let settings = MctsSettings { early_stop: false, ..settings };
        let search = Mcts::with(rule, leaf, prior, GoOwnership::default(), settings);
        SearchAnalyst { search, rng: stream(seed, 0), counted: None }
    }
}

fn candidate(report: MoveReport<Move>, side: Side) -> Candidate {
    let bound = report.lower_bound(side);
    let of_first = |seen: f32| match side {
        Side::First => Value(seen),
        // The conversion is its own inverse.
        Side::Second => Value(Value(seen).seen_by(Side::Second)),
    };
    Candidate {
        mv: report.mv,
        value: report.value.or(report.amaf_value).unwrap_or(Value::EVEN),
        lower_bound: bound.is_finite().then(|| of_first(bound.clamp(0.0, 1.0))),
        visits: u64::from(report.visits),
        prior: report.prior.map(|prior| prior.seen_by(side)),
        amaf: report.amaf_value,
        lead: None,
        principal_variation: report.principal_variation,
    }
}

impl<S, L, P> Analyst for SearchAnalyst<S, L, P>
where
    S: Selection,
    L: Leaf<Go>,
    P: Prior<Go>,
{
    fn analyze(
        &mut self,
        inquiry: &Inquiry<'_>,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<Decision<Move>, PlayerError> {
        let game = inquiry.record.position();
        let counted = Some((game.size(), game.komi(), game.scoring(), game.handicap()));
        if std::mem::replace(&mut self.counted, counted) != counted {
            self.search.clear();
        }
        Ok(study(&mut self.search, &mut self.rng, inquiry, report))
    }
}

/// Searches with `search`, which must not stop early, and reports.
pub(super) fn study(
    search: &mut dyn MonteCarlo<Go, GoOwnership>,
    rng: &mut Rng,
    inquiry: &Inquiry<'_>,
    report: &mut dyn FnMut(&Analysis),
) -> Decision<Move> {
    let Turn::Player(side) = inquiry.record.turn() else { return Decision::resign() };
    let moves = moves(search, inquiry);
    if moves.is_empty() {
        return Decision::resign();
    }
    let situation = Situation::of(inquiry.record, &moves);
    let limit = match inquiry.budget {
        Budget { simulations: None, deadline: None, stop: None, .. } => Some(search.simulations()),
        // Something else ends it, or a number.
        budget => budget.simulations,
    };
    if let Some(observer) = search.observer() {
        observer.clear();
    }
    let mut done = 0;
    // What threads have counted is added up only between searches, so there is one for each report.
    loop {
        let begin = Instant::now();
        let end_of_interval = begin.checked_add(inquiry.interval);
        let deadline = [inquiry.budget.deadline, end_of_interval].into_iter().flatten().min();
        let simulations = limit.map(|limit| limit.saturating_sub(done));
        let budget = Budget { simulations, deadline, ..inquiry.budget.clone() };
        let mut decision = search.search(&situation, &budget, rng, None);
        done += decision.effort;
        report(&analysis(search.report(), side));
        let has_more = limit.is_none_or(|limit| done < limit) && !inquiry.budget.expired();
        if !has_more || search.is_finished() || decision.effort == 0 {
            decision.effort = done;
            return decision;
        }
    }
}

/// The moves to choose from: all that the search considers where it plays, so that one tree serves both, and where it ends the game the
/// pass; or those that are asked about.
fn moves(search: &dyn MonteCarlo<Go, GoOwnership>, inquiry: &Inquiry<'_>) -> Vec<Move> {
    if inquiry.allow.is_some() {
        return inquiry.moves();
    }
    let (mut moves, position) = (Vec::new(), inquiry.record.position());
    search.candidates(position, &mut moves);
    if position.passes() > 0 && !moves.contains(&Move::PASS) {
        moves.push(Move::PASS);
    }
    moves.retain(|&mv| inquiry.record.is_legal(mv) && !inquiry.avoid.contains(&mv));
    if moves.is_empty() { inquiry.moves() } else { moves }
}

/// What a search knows, as `side` sees it, who is to move.
pub(super) fn analysis(report: SearchReport<Move>, side: Side) -> Analysis {
    let SearchReport { visits, value, moves, ownership, .. } = report;
    let mut candidates: Vec<Candidate> = moves.into_iter().map(|report| candidate(report, side)).collect();
    // The order is that of the final choice, which may prefer what was not visited to what is lost.
    candidates.sort_by_key(|candidate| candidate.visits == 0);
    Analysis { candidates, visits, value, ownership }
}
