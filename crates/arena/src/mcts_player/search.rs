//! [`MonteCarlo`]: what a player needs of a Monte-Carlo search, whichever it is.

use afterstate_engine::search::prior::Prior;
use afterstate_engine::search::{
    Decision, FlatMonteCarlo, Freeze, Leaf, Mcts, MoveReport, NetworkSearch, NoMemory, PlayoutObserver, Proof,
    SearchReport, Selection, ShortTermMemory, Situation, TdSearch, TwoPhase, TwoPhaseMcts, VisitedPosition, Watch,
};
use afterstate_engine::zero::Network;
use afterstate_engine::{Budget, Value};
use afterstate_games::{Deterministic, Game, IndexedMoves, Rng};

/// A Monte-Carlo search with a tree or without one, and an observer `O` of its simulations.
pub trait MonteCarlo<G: Game, O>: Send {
    /// Searches as [`Mcts::search_situation`] does.
    fn search(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move>;

    /// Searches without deciding anything, on the opponent's time: also where its choice is clear, for ours behind it is not.
    fn ponder(&mut self, situation: &Situation<'_, G>, budget: &Budget, rng: &mut Rng) {
        let early_stop = self.set_early_stop(false);
        self.search(situation, budget, rng, None);
        self.set_early_stop(early_stop);
    }

    /// What is known of the position that was searched last.
    fn report(&self) -> SearchReport<G::Move>;

    /// What a tree knows of positions below the one that was searched last, as [`Mcts::visited_positions`]; nothing without such a tree.
    fn visited_positions(&self, least: u32, without: Option<G::Move>) -> Vec<VisitedPosition<G::Move>> {
        let _ = (least, without);
        Vec::new()
    }

    /// Replaces the contents of `moves` by those that a search of `position` considers unless it is told which.
    fn candidates(&self, position: &G, moves: &mut Vec<G::Move>) {
        position.candidate_moves(moves);
    }

    /// The game went on by `mv` to `position`. A search without a tree need not know.
    fn advance(&mut self, mv: G::Move, position: &G) {
        let _ = (mv, position);
    }

    /// Forgets what was learnt.
    fn clear(&mut self);

    /// Makes ready for a game that begins at `position`, before any clock runs: asks the machine for all the memory that the search may
    /// take, unless it takes it bit by bit.
    fn reserve(&mut self, position: &G) -> Result<(), NoMemory> {
        let _ = position;
        Ok(())
    }

    /// How many simulations a move gets when nothing else limits them.
    fn simulations(&self) -> u64;

    /// Sets whether searches stop as soon as the rest of the budget cannot change the decision, and returns what was set
    /// before. A search that never does changes nothing.
    fn set_early_stop(&mut self, early_stop: bool) -> bool {
        let _ = early_stop;
        false
    }

    /// Whether the last search ended by itself, because going on could change nothing: all is proved, or settled, or nothing more can be
    /// counted. One that stopped before its time, or because its time was too short for another choice, did not. A search that never does
    /// says no.
    fn is_finished(&self) -> bool {
        false
    }

    /// What watched the simulations; `None` if nobody did, or if they are not played to the end.
    fn observer(&mut self) -> Option<&mut O>;
}

impl<G, S, L, P, O> MonteCarlo<G, O> for Mcts<G, S, L, P, O>
where
    G: IndexedMoves + Deterministic,
    S: Selection,
    L: Leaf<G>,
    P: Prior<G>,
    O: PlayoutObserver<G>,
{
    fn search(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        self.search_situation(situation, budget, rng, watch)
    }

    fn report(&self) -> SearchReport<G::Move> {
        Mcts::report(self)
    }

    fn visited_positions(&self, least: u32, without: Option<G::Move>) -> Vec<VisitedPosition<G::Move>> {
        Mcts::visited_positions(self, least, without)
    }

    fn candidates(&self, position: &G, moves: &mut Vec<G::Move>) {
        Mcts::candidates(self, position, moves);
    }

    fn advance(&mut self, mv: G::Move, position: &G) {
        Mcts::advance(self, mv, position);
    }

    fn clear(&mut self) {
        Mcts::clear(self);
    }

    fn reserve(&mut self, _position: &G) -> Result<(), NoMemory> {
        Mcts::reserve(self)
    }

    fn simulations(&self) -> u64 {
        self.settings().simulations
    }

    fn set_early_stop(&mut self, early_stop: bool) -> bool {
        Mcts::set_early_stop(self, early_stop)
    }

    fn is_finished(&self) -> bool {
        Mcts::is_finished(self)
    }

    fn observer(&mut self) -> Option<&mut O> {
        self.plays_to_end().then(|| self.observer_mut())
    }
}

/// A network says what is known of every move, that of passing included, and nobody watches what is played to the end, if anything is.
impl<G: Deterministic, N: Network<G>, O> MonteCarlo<G, O> for NetworkSearch<G, N> {
    fn search(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        self.search_situation(situation, budget, rng, watch)
    }

    fn report(&self) -> SearchReport<G::Move> {
        NetworkSearch::report(self)
    }

    fn candidates(&self, position: &G, moves: &mut Vec<G::Move>) {
        position.legal_moves(moves);
    }

    fn advance(&mut self, mv: G::Move, position: &G) {
        NetworkSearch::advance(self, mv, position);
    }

    fn clear(&mut self) {
        NetworkSearch::clear(self);
    }

    fn simulations(&self) -> u64 {
        self.settings().iterations
    }

    fn set_early_stop(&mut self, early_stop: bool) -> bool {
        NetworkSearch::set_early_stop(self, early_stop)
    }

    fn is_finished(&self) -> bool {
        NetworkSearch::is_finished(self)
    }

    fn observer(&mut self) -> Option<&mut O> {
        None
    }
}

/// Without a tree there is nothing to keep from move to move, and nothing to report before the end.
impl<G: Game, L: Leaf<G>, O> MonteCarlo<G, O> for FlatMonteCarlo<G, L> {
    fn search(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        _watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        let mut moves = Vec::new();
        match situation.moves {
            Some(allowed) => moves.extend_from_slice(allowed),
            None => situation.position.candidate_moves(&mut moves),
        }
        self.search_among(situation.position, &moves, budget, rng)
    }

    fn report(&self) -> SearchReport<G::Move> {
        let report = |(mv, visits, value): (G::Move, u64, Option<Value>)| MoveReport {
            mv,
            visits: u32::try_from(visits).unwrap_or(u32::MAX),
            value,
            prior: None,
            amaf_visits: 0,
            amaf_value: None,
            proof: Proof::Open,
            principal_variation: vec![mv],
        };
        let moves: Vec<_> = self.statistics().map(report).collect();
        let visits = moves.iter().map(|report| u64::from(report.visits)).sum();
        // Nobody knows here whose turn it was, so the moves stand in no order and no value is the best.
        SearchReport { simulations: visits, visits, value: None, moves, ownership: None }
    }

    fn clear(&mut self) {}

    fn simulations(&self) -> u64 {
        self.settings().simulations
    }

    fn observer(&mut self) -> Option<&mut O> {
        None
    }
}

/// What was learnt is about features and not about places in a tree: it is kept whatever is played.
impl<G, M, L, O> MonteCarlo<G, O> for TdSearch<G, M, L, O>
where
    G: Game,
    M: ShortTermMemory<G>,
    L: Leaf<G>,
    O: PlayoutObserver<G>,
{
    fn search(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        self.search_situation(situation, budget, rng, watch)
    }

    fn report(&self) -> SearchReport<G::Move> {
        TdSearch::report(self).clone()
    }

    fn advance(&mut self, _mv: G::Move, _position: &G) {
        TdSearch::advance(self);
    }

    fn clear(&mut self) {
        TdSearch::clear(self);
    }

    fn reserve(&mut self, position: &G) -> Result<(), NoMemory> {
        TdSearch::reserve(self, position);
        Ok(())
    }

    fn simulations(&self) -> u64 {
        self.settings().simulations
    }

    fn observer(&mut self) -> Option<&mut O> {
        self.plays_to_end().then(|| self.observer_mut())
    }
}

/// The memory is kept whatever is played.
impl<G, M, L, O> MonteCarlo<G, O> for TwoPhase<G, M, L, O>
where
    G: Game,
    M: Freeze<G>,
    L: Leaf<G>,
    O: PlayoutObserver<G>,
{
    fn search(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        self.search_situation(situation, budget, rng, watch)
    }

    /// Only simulations leave something behind, so they get all the time.
    fn ponder(&mut self, situation: &Situation<'_, G>, budget: &Budget, rng: &mut Rng) {
        self.simulate(situation, budget, rng);
    }

    fn report(&self) -> SearchReport<G::Move> {
        TwoPhase::report(self).clone()
    }

    fn clear(&mut self) {
        TwoPhase::clear(self);
    }

    fn reserve(&mut self, position: &G) -> Result<(), NoMemory> {
        self.first_mut().reserve(position);
        Ok(())
    }

    fn simulations(&self) -> u64 {
        self.first().settings().simulations
    }

    fn observer(&mut self) -> Option<&mut O> {
        self.first().plays_to_end().then(|| self.first_mut().observer_mut())
    }
}

/// Both the memory and the tree are kept.
impl<G, M, D, S, L, P, O> MonteCarlo<G, O> for TwoPhaseMcts<G, M, D, S, L, P, O>
where
    G: IndexedMoves + Deterministic,
    M: Freeze<G>,
    D: Leaf<G>,
    S: Selection,
    L: Leaf<G>,
    P: Prior<G>,
    O: PlayoutObserver<G>,
{
    fn search(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        self.search_situation(situation, budget, rng, watch)
    }

    fn ponder(&mut self, situation: &Situation<'_, G>, budget: &Budget, rng: &mut Rng) {
        let early_stop = self.second_mut().set_early_stop(false);
        TwoPhaseMcts::ponder(self, situation, budget, rng);
        self.second_mut().set_early_stop(early_stop);
    }

    fn report(&self) -> SearchReport<G::Move> {
        self.second().report()
    }

    fn candidates(&self, position: &G, moves: &mut Vec<G::Move>) {
        self.second().candidates(position, moves);
    }

    fn advance(&mut self, mv: G::Move, position: &G) {
        self.second_mut().advance(mv, position);
    }

    fn clear(&mut self) {
        TwoPhaseMcts::clear(self);
    }

    fn reserve(&mut self, position: &G) -> Result<(), NoMemory> {
        self.first_mut().reserve(position);
        self.second_mut().reserve()
    }

    /// Those of both phases.
    fn simulations(&self) -> u64 {
        self.second().settings().simulations
    }

    fn set_early_stop(&mut self, early_stop: bool) -> bool {
        self.second_mut().set_early_stop(early_stop)
    }

    fn is_finished(&self) -> bool {
        self.second().is_finished()
    }

    fn observer(&mut self) -> Option<&mut O> {
        self.second().plays_to_end().then(|| self.second_mut().observer_mut())
    }
}
