//! [`NetworkSearch`]: PUCT as a whole search, with limits and a memory: what plays and analyses with a network.

use super::early_stop::{lead, left_by_time};
use super::mcts::{FinalMove, SearchReport, Situation, Watch};
use super::mcts_solver::Proof;
use super::mixed::MixedPlayouts;
use super::puct::{Puct, PuctSettings};
use super::{Budget, Decision, Search};
use crate::zero::{Network, Question};
use afterstate_games::{Deterministic, Rng, Side, Turn};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// How a [`NetworkSearch`] searches.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct NetworkSearchSettings {
    /// How simulations choose their moves.
    pub puct: PuctSettings,
    /// Simulations of a search, if the budget says nothing else. Default 100, the paper's.
    pub iterations: u64,
    /// Whether what was learnt below the moves that were played is kept for the next search, beside which as many simulations
    /// are made as without. Default true.
    pub reuse_tree: bool,
    /// How much memory the tree may take, in MiB; a search that has used it up ends. Default 1024.
    pub memory_mib: usize,
    /// Whether searches by time end as soon as the rest of it cannot change which move is visited most. Default true.
    pub early_stop: bool,
    /// What decides in the end. Default: the visits.
    pub final_move: FinalMove,
}

impl Default for NetworkSearchSettings {
    fn default() -> Self {
        NetworkSearchSettings {
            puct: PuctSettings { solver: true, ..PuctSettings::default() },
            iterations: 100,
            reuse_tree: true,
            memory_mib: 1024,
            early_stop: true,
            final_move: FinalMove::Visits,
        }
    }
}

/// A search that a network leads. It decides for the move that PUCT visits most, without noise, or by
/// [another rule](NetworkSearchSettings::final_move).
///
/// ```
/// use afterstate_engine::search::{NetworkSearch, NetworkSearchSettings};
/// use afterstate_engine::zero::Uniform;
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{Notation, TicTacToe, stream};
/// // X completes a line.
/// let game = TicTacToe::parse_position("XX./OO./...").unwrap();
/// let mut search = NetworkSearch::new(Uniform, NetworkSearchSettings::default());
/// let decision = search.search(&game, &Budget::default(), &mut stream(1, 0));
/// assert_eq!(game.move_text(decision.best.unwrap()), "3");
/// ```
pub struct NetworkSearch<G: Deterministic, N> {
    network: N,
    playouts: Option<MixedPlayouts<G>>,
    settings: NetworkSearchSettings,
    puct: Puct<G>,
    question: Option<Question<G>>,
    /// Simulations of the last search.
    simulations: u64,
    /// Whether it ended by itself.
    finished: bool,
}

/// Simulations between two looks at whether the tree can still change anything. At the clock it looks after every answer of the network,
/// which may take longer than all else.
const BETWEEN_LOOKS: u64 = 8;

impl<G: Deterministic, N: Network<G>> NetworkSearch<G, N> {
    /// A search that asks `network`.
    pub fn new(network: N, settings: NetworkSearchSettings) -> Self {
        let mut puct = Puct::new(settings.puct);
        puct.decide_by(settings.final_move);
        NetworkSearch { network, playouts: None, settings, puct, question: None, simulations: 0, finished: false }
    }

    /// Has new positions played out from, too, and that be a part of what simulations come to.
    ///
    /// ```
    /// use afterstate_engine::search::{MixedPlayouts, NetworkSearch, NetworkSearchSettings, PlayOut};
    /// use afterstate_engine::zero::Uniform;
    /// use afterstate_engine::{Budget, Search};
    /// use afterstate_games::{ConnectFour, UniformPlayout, stream};
    /// // A network that knows nothing would think the beginning even, and the middle no better than the edge.
    /// let playouts = MixedPlayouts::new(PlayOut(UniformPlayout::default()), 0.0);
    /// let settings = NetworkSearchSettings { iterations: 500, ..NetworkSearchSettings::default() };
    /// let mut search = NetworkSearch::new(Uniform, settings).with_playouts(playouts);
    /// let decision = search.search(&ConnectFour::new(), &Budget::default(), &mut stream(1, 0));
    /// assert!(decision.value.unwrap().0 > 0.5);
    /// ```
    pub fn with_playouts(self, playouts: MixedPlayouts<G>) -> Self {
        NetworkSearch { playouts: Some(playouts), ..self }
    }

    /// Its settings.
    pub fn settings(&self) -> &NetworkSearchSettings {
        &self.settings
    }

    /// Sets [`NetworkSearchSettings::early_stop`], and returns what it was before.
    pub fn set_early_stop(&mut self, early_stop: bool) -> bool {
        std::mem::replace(&mut self.settings.early_stop, early_stop)
    }

    /// Searches among the moves that `situation` allows, going on from what is known of it. Chance has a part in it only with
    /// [playouts](Self::with_playouts).
    pub fn search_situation(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        mut watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        let Turn::Player(side) = situation.position.turn() else { return Decision::resign() };
        self.puct.go_on(situation);
        self.simulations = self.simulate(situation.position, side, budget, rng, &mut watch);
        let Some(best) = self.puct.best() else { return Decision::resign() };
        // What is proved lost is chosen only when all is.
        let proved = best.proof.value().filter(|_| self.settings.puct.solver);
        Decision {
            best: Some(best.mv),
            value: proved.or(Some(self.puct.value())),
            principal_variation: self.puct.principal_variation(),
            effort: self.simulations,
            depth: None,
            plies_to_end: None,
        }
    }

    /// What is known of the position that was searched last.
    pub fn report(&self) -> SearchReport<G::Move> {
        self.puct.report(self.simulations)
    }

    /// Whether the last search ended by itself, because going on could change nothing: all is proved, or settled whatever the simulations
    /// bring that are left, or there is no room for more. One that ended because of its deadline did not.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The game went on by `mv` to `position`: keeps what lies below that move, as the settings say.
    pub fn advance(&mut self, mv: G::Move, position: &G) {
        if self.settings.reuse_tree {
            self.puct.advance(mv, position);
        } else {
            self.puct.forget();
        }
    }

    /// Forgets what was learnt.
    pub fn clear(&mut self) {
        self.puct.forget();
    }

    /// Whether it ends where the rest of the time cannot change the decision. Who decides by values may always change it.
    fn stops_early(&self) -> bool {
        self.settings.early_stop && self.settings.final_move == FinalMove::Visits
    }

    /// Simulates as long as the limits allow, and says how often.
    fn simulate(
        &mut self,
        position: &G,
        side: Side,
        budget: &Budget,
        rng: &mut Rng,
        watch: &mut Option<Watch<'_, G::Move>>,
    ) -> u64 {
        let begin = Instant::now();
        let stops_early = self.stops_early();
        let question = self.question.get_or_insert_with(|| Question::new(position.clone()));
        let most = budget.simulations_or(self.settings.iterations);
        let room = self.settings.memory_mib.saturating_mul(1 << 20);
        let mut next_report = watch.as_ref().map(|watch| begin + watch.every);
        let mut done = 0;
        self.finished = false;
        // There is always something to choose from.
        while done < most.max(1) {
            let is_asked = self.puct.gather(question);
            if is_asked {
                self.network.evaluate(&mut [question]);
                if let Some(playouts) = &mut self.playouts {
                    playouts.mix(question, rng);
                }
                self.puct.apply(question);
            }
            done += 1;
            if self.settings.puct.solver && self.puct.best().is_some_and(|best| best.proof == Proof::win(side)) {
                self.finished = true;
                break;
            }
            let is_turn = done.is_multiple_of(BETWEEN_LOOKS);
            if (is_asked || is_turn) && is_over(budget, begin, done) {
                break;
            }
            if is_turn {
                let lead = if stops_early && budget.deadline.is_some() { lead_of(&self.puct) } else { 0 };
                let left = budget.simulations.map_or(u64::MAX, |most| most.saturating_sub(done));
                self.finished = self.puct.memory() > room || is_proved(&self.puct) || lead > left;
                if self.finished || lead > left_by_time(budget, begin, done) {
                    break;
                }
            }
            if let (true, Some(watch), Some(at)) = (is_asked || is_turn, watch.as_mut(), next_report.as_mut())
                && Instant::now() >= *at
            {
                (watch.report)(self.puct.report(done));
                *at = Instant::now() + watch.every;
            }
        }
        done
    }
}

/// Whether a search that has simulated so often has to end: it was told to, or another simulation would end too late.
fn is_over(budget: &Budget, begin: Instant, done: u64) -> bool {
    let ends_late = |deadline: Instant| {
        let now = Instant::now();
        now + now.duration_since(begin).div_f64(done as f64) > deadline
    };
    budget.expired() || budget.deadline.is_some_and(ends_late)
}

/// Whether nothing is open any more, for a search that goes by proofs.
fn is_proved<G: Deterministic>(search: &Puct<G>) -> bool {
    search.settings().solver && search.moves().all(|mv| mv.proof != Proof::Open)
}

/// By how many simulations the most visited move is ahead of all others.
fn lead_of<G: Deterministic>(search: &Puct<G>) -> u64 {
    let solver = search.settings().solver;
    lead(search.moves().map(|mv| (mv.visits.into(), if solver { mv.proof } else { Proof::Open })))
}

impl<G: Deterministic, N: Network<G>> Search<G> for NetworkSearch<G, N> {
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        let mut moves = Vec::new();
        root.legal_moves(&mut moves);
        self.search_situation(&Situation { moves: Some(&moves), ..Situation::new(root) }, budget, rng, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::search::PlayOut;
    use crate::zero::Uniform;
    use afterstate_games::{ConnectFour, Game, Notation, TicTacToe, UniformPlayout, stream};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    fn search<G: Deterministic>(settings: NetworkSearchSettings) -> NetworkSearch<G, Uniform> {
        NetworkSearch::new(Uniform, settings)
    }

    fn decide<G: Deterministic>(
        search: &mut NetworkSearch<G, Uniform>,
        game: &G,
        budget: &Budget,
    ) -> Decision<G::Move> {
        search.search(game, budget, &mut stream(1, 0))
    }

    fn mixed<G: Deterministic>(settings: NetworkSearchSettings, weight: f32) -> NetworkSearch<G, Uniform> {
        search(settings).with_playouts(MixedPlayouts::new(PlayOut(UniformPlayout::default()), weight))
    }

    #[test]
    fn it_never_loses_tic_tac_toe() {
        let proving = NetworkSearchSettings { iterations: 3000, ..NetworkSearchSettings::default() };
        let hoping = NetworkSearchSettings { puct: PuctSettings::default(), ..proving.clone() };
        for mut search in [search(proving), mixed(hoping, 0.0)] {
            let mut game = TicTacToe::default();
            while let Turn::Player(_) = game.turn() {
                let decision = decide(&mut search, &game, &Budget::default());
                assert_eq!(decision.principal_variation.first(), decision.best.as_ref());
                game.play(decision.best.unwrap());
                search.advance(decision.best.unwrap(), &game);
            }
            assert_eq!(game.turn(), Turn::Over(afterstate_games::Outcome::DRAW));
        }
    }

    #[test]
    fn playouts_are_drawn_anew_for_every_seed() {
        let game = ConnectFour::new();
        let decided = |weight: f32, seed: u64| {
            let mut search = mixed(NetworkSearchSettings::default(), weight);
            search.search(&game, &Budget::default(), &mut stream(seed, 0))
        };
        assert_eq!(decided(0.5, 1), decided(0.5, 1));
        assert_ne!(decided(0.5, 1), decided(0.5, 2));
        // Of a network that says everything they are no part.
        assert_eq!(decided(1.0, 1), decide(&mut search(NetworkSearchSettings::default()), &game, &Budget::default()));
    }

    #[test]
    fn a_budget_limits_it() {
        let mut search = search(NetworkSearchSettings::default());
        let game = TicTacToe::default();
        let budget = Budget { simulations: Some(7), ..Budget::default() };
        assert_eq!(decide(&mut search, &game, &budget).effort, 7);
        assert_eq!(decide(&mut search, &game, &Budget::default()).effort, 100);
    }

    #[test]
    fn without_reuse_every_search_is_the_first_one() {
        let settings = NetworkSearchSettings { iterations: 200, reuse_tree: false, ..NetworkSearchSettings::default() };
        let mut veteran = search(settings.clone());
        let mut game = ConnectFour::new();
        for _ in 0..10 {
            let decision = decide(&mut veteran, &game, &Budget::default());
            assert_eq!(veteran.report().visits, 200);
            assert_eq!(decide(&mut search(settings.clone()), &game, &Budget::default()), decision);
            game.play(decision.best.unwrap());
            veteran.advance(decision.best.unwrap(), &game);
        }
    }

    #[test]
    fn what_was_found_below_the_moves_played_is_kept() {
        let mut search = search(NetworkSearchSettings { iterations: 200, ..NetworkSearchSettings::default() });
        let mut game = ConnectFour::new();
        let mut kept = 0;
        for _ in 0..5 {
            let decision = decide(&mut search, &game, &Budget::default());
            let visits = search.report().visits;
            assert_eq!((visits, decision.effort), (kept + 200, 200), "as many as without, beside them");
            // With both sides' moves, as in a game against somebody else.
            game.play(decision.best.unwrap());
            search.advance(decision.best.unwrap(), &game);
            let answer = search.report().moves[0].clone();
            game.play(answer.mv);
            search.advance(answer.mv, &game);
            kept = u64::from(answer.visits);
        }
        assert!(kept > 0);
        search.clear();
        decide(&mut search, &game, &Budget::default());
        assert_eq!(search.report().visits, 200);
    }

    #[test]
    fn a_report_is_what_the_side_to_move_sees() {
        // O can win at once.
        let game = TicTacToe::parse_position("XX./OO./X..").unwrap();
        let mut search = search(NetworkSearchSettings::default());
        assert_eq!(search.report().moves.len(), 0);
        let decision = decide(&mut search, &game, &Budget::default());
        let report = search.report();
        assert_eq!((report.simulations, report.value), (decision.effort, Some(Value(0.0))));
        let best = &report.moves[0];
        assert_eq!((best.mv, best.value, best.proof), (decision.best.unwrap(), Some(Value(0.0)), Proof::Second));
        assert_eq!(best.principal_variation, [best.mv]);
        assert!(report.moves.iter().all(|mv| (mv.prior.unwrap().seen_by(Side::Second) - 0.25).abs() < 1e-6));
        let visits: u32 = report.moves.iter().map(|mv| mv.visits).sum();
        assert_eq!(u64::from(visits) + 1, report.visits);
    }

    #[test]
    fn who_watches_is_told_in_time() {
        let mut search = search(NetworkSearchSettings::default());
        let (mut seen, game) = (Vec::new(), ConnectFour::new());
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let mut report = |report: SearchReport<_>| seen.push(report.simulations);
        let watch = Watch { every: Duration::ZERO, report: &mut report };
        let situation = Situation { moves: Some(&moves[2..5]), ..Situation::new(&game) };
        search.search_situation(&situation, &Budget::default(), &mut stream(1, 0), Some(watch));
        assert_eq!(seen, (1..=100).collect::<Vec<_>>());
        assert_eq!(search.report().moves.len(), 3);
    }

    #[test]
    fn time_ends_it_and_so_does_whoever_wants_it_to() {
        let mut search = search(NetworkSearchSettings::default());
        let game = ConnectFour::new();
        // Without an end of its own the search would go on for good.
        let decision = decide(&mut search, &game, &Budget::time(Duration::from_millis(20)));
        assert!(decision.best.is_some() && decision.effort > 0);
        let stop = Arc::new(AtomicBool::new(true));
        let budget = Budget { stop: Some(stop), ..Budget::default() };
        assert_eq!(decide(&mut search, &game, &budget).effort, 1);
    }

    /// A network that takes its time.
    struct Slow(Duration);

    impl<G: Game> Network<G> for Slow {
        fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
            std::thread::sleep(self.0);
            Uniform.evaluate(questions);
        }
    }

    #[test]
    fn a_slow_network_is_not_asked_once_more_than_there_is_time_for() {
        let settings = NetworkSearchSettings { early_stop: false, ..NetworkSearchSettings::default() };
        let mut search = NetworkSearch::new(Slow(Duration::from_millis(20)), settings);
        let budget = Budget::time(Duration::from_millis(70));
        let decision = search.search(&ConnectFour::new(), &budget, &mut stream(1, 0));
        assert!((1..=3).contains(&decision.effort), "{}", decision.effort);
    }

    #[test]
    fn no_time_goes_to_what_is_settled() {
        let effort = |position: &str, solver: bool| {
            let puct = PuctSettings { solver, ..PuctSettings::default() };
            let mut search = search(NetworkSearchSettings { puct, ..NetworkSearchSettings::default() });
            let game = TicTacToe::parse_position(position).unwrap();
            decide(&mut search, &game, &Budget::time(Duration::from_secs(100_000))).effort
        };
        assert_eq!(effort("XOX/XOO/OX.", false), BETWEEN_LOOKS, "the only move");
        // A draw, whatever is played. Without the proof hours would go by.
        assert!(effort(".../.../...", true) < 1_000_000);
    }

    #[test]
    fn a_tree_that_has_no_room_left_ends_the_search() {
        let settings =
            NetworkSearchSettings { iterations: 1_000_000_000, memory_mib: 1, ..NetworkSearchSettings::default() };
        let (mut search, game) = (search(settings), ConnectFour::new());
        let first = decide(&mut search, &game, &Budget::default());
        assert!((1000..1_000_000).contains(&first.effort), "{}", first.effort);
        // What another game took is free again.
        search.clear();
        assert_eq!(decide(&mut search, &game, &Budget::default()), first);
    }
}
