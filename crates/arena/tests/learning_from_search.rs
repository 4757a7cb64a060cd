//! Every rule that learns from searches learns games other than chess, too: what it learnt beats what it began with.

use afterstate_arena::game_loop::{EndKind, GameRules, play_game};
use afterstate_arena::{LearningPlayer, Player, PlayerError, RandomPlayer, RulesReferee};
use afterstate_engine::learning::{DifferenceSettings, LearnerSettings, StepSettings, TreeStrapSettings};
use afterstate_engine::search::{TrainingSearch, TrainingSearchSettings};
use afterstate_engine::value::{Features, GridShapes, LocalShapes, Sharing, Squash, Weights, WindowSizes};
use afterstate_engine::{Budget, Decision};
use afterstate_games::go::{Go, Komi};
use afterstate_games::rng::below;
use afterstate_games::{ConnectFour, Game, Record, Side, Tactics, Turn, stream};
use std::sync::Arc;
use std::time::Duration;

/// All rules, with step sizes for games that are learnt in some hundred games.
fn rules() -> Vec<LearnerSettings> {
    let differences = DifferenceSettings { step_size: 0.002, ..DifferenceSettings::default() };
    vec![
        LearnerSettings::TreeStrap(TreeStrapSettings { step_size: 2e-4, ..Default::default() }),
        LearnerSettings::RootStrap(StepSettings { step_size: 0.01, ..Default::default() }),
        LearnerSettings::TdRoot(StepSettings { step_size: 0.01, ..Default::default() }),
        LearnerSettings::TdLeaf(differences.clone()),
        LearnerSettings::TdDirected(differences),
    ]
}

struct Learning<G, F> {
    start: G,
    features: Arc<F>,
    search: TrainingSearchSettings,
}

impl<G: Tactics, F: Features<G>> Learning<G, F> {
    fn player(&self, weights: &Arc<Weights>, rule: &LearnerSettings) -> LearningPlayer<G, F> {
        let search = TrainingSearch::new(self.features.clone(), weights.clone(), Squash::Linear, self.search.clone());
        LearningPlayer::new(search, rule.build())
    }

    /// A few random moves, so that no two pairs of games are the same.
    fn opening(&self, number: u64) -> Vec<G::Move> {
        let (mut game, mut rng, mut moves, mut opening) =
            (self.start.clone(), stream(5, number), Vec::new(), Vec::new());
        for _ in 0..3 {
            game.candidate_moves(&mut moves);
            opening.push(moves[below(&mut rng, moves.len() as u32) as usize]);
            game.play(opening[opening.len() - 1]);
        }
        opening
    }

    /// The first player's score.
    fn game(&self, number: u64, first: &mut LearningPlayer<G, F>, second: &mut LearningPlayer<G, F>) -> f32 {
        let mut record = Record::new(self.start.clone());
        self.opening(number).into_iter().for_each(|mv| record.play(mv));
        let mut players = [first, second];
        players.iter_mut().for_each(|player| player.new_game(&record, number).unwrap());
        let outcome = loop {
            match record.turn() {
                Turn::Over(outcome) => break outcome,
                Turn::Player(side) => {
                    let decision = players[side.index()].choose(&record, &Budget::default()).unwrap();
                    record.play(decision.best.unwrap());
                }
                Turn::Chance => unreachable!("no dice"),
            }
        };
        players.iter_mut().for_each(|player| player.game_over(&record, outcome));
        outcome.first_player_score()
    }

    /// What the weights score after so many games of self-play against those from before.
    fn score(&self, rule: &LearnerSettings, games: u64) -> f32 {
        let weights = || Arc::new(Weights::zeros(self.features.count()));
        let (learnt, untrained) = (weights(), weights());
        let mut players = [self.player(&learnt, rule), self.player(&learnt, rule)];
        for number in 0..games {
            let [first, second] = &mut players;
            self.game(number, first, second);
        }
        // A rule that changes nothing.
        let still = LearnerSettings::RootStrap(StepSettings { step_size: 0.0, ..Default::default() });
        let (mut me, mut other) = (self.player(&learnt, &still), self.player(&untrained, &still));
        let trials = 40;
        let scores = (0..trials).map(|number| {
            let opening = 1_000_000 + number / 2;
            match if number % 2 == 0 { Side::First } else { Side::Second } {
                Side::First => self.game(opening, &mut me, &mut other),
                Side::Second => 1.0 - self.game(opening, &mut other, &mut me),
            }
        });
        scores.sum::<f32>() / trials as f32
    }
}

#[test]
fn every_rule_learns_connect_four() {
    let start = ConnectFour::new();
    let features = Arc::new(GridShapes::new(&start, WindowSizes::new(&[1, 2]).unwrap()));
    let search = TrainingSearchSettings { depth: 3, nodes: 0, table_mib: 1, ..TrainingSearchSettings::default() };
    let learning = Learning { start, features, search };
    for rule in rules() {
        let score = learning.score(&rule, 400);
        assert!(score > 0.65, "{rule:?}: {score}");
    }
}

/// TD(λ) itself, then: every move is chosen by the values of the positions behind it.
#[test]
fn td_directed_learns_connect_four_from_one_ply() {
    let start = ConnectFour::new();
    let features = Arc::new(GridShapes::new(&start, WindowSizes::new(&[1, 2]).unwrap()));
    let (quiescence, check_extension) = (false, false);
    let search = TrainingSearchSettings { depth: 1, quiescence, check_extension, table_mib: 1, ..Default::default() };
    let learning = Learning { start, features, search };
    let rule = DifferenceSettings { step_size: 0.005, ..DifferenceSettings::default() };
    let score = learning.score(&LearnerSettings::TdDirected(rule), 2000);
    assert!(score > 0.65, "{score}");
}

#[test]
fn every_rule_learns_small_go() {
    let shapes = LocalShapes::new(5, WindowSizes::new(&[1, 2]).unwrap(), Sharing::LocationDependent);
    let start = shapes.track(Go::new(5).with_komi(Komi::new(0.5).unwrap()).with_move_limit(50));
    let search = TrainingSearchSettings { depth: 2, nodes: 0, table_mib: 1, ..TrainingSearchSettings::default() };
    let learning = Learning { start, features: Arc::new(shapes), search };
    for rule in rules() {
        let score = learning.score(&rule, 200);
        assert!(score > 0.65, "{rule:?}: {score}");
    }
}

/// Plays at random until it fails at its second move.
struct Fails {
    kind: EndKind,
    random: RandomPlayer,
}

impl<G: Game> Player<G> for Fails {
    fn new_game(&mut self, record: &Record<G>, seed: u64) -> Result<(), PlayerError> {
        self.random.new_game(record, seed)
    }

    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        if record.moves().len() == 3 {
            match self.kind {
                EndKind::Crash => return Err(PlayerError::Crashed("on purpose".into())),
                EndKind::Hang => return Err(PlayerError::Hung("on purpose".into())),
                EndKind::Resignation => return Ok(Decision::resign()),
                EndKind::Time => std::thread::sleep(Duration::from_millis(300)),
                _ => {}
            }
        }
        self.random.choose(record, budget)
    }
}

/// All positions are worth the same at first, so that nothing but the outcome can teach anything.
#[test]
fn a_partner_that_fails_resigns_or_oversteps_its_time_is_no_merit() {
    let start = ConnectFour::new();
    let features = Arc::new(GridShapes::new(&start, WindowSizes::new(&[1, 2]).unwrap()));
    let search = TrainingSearchSettings { depth: 2, nodes: 0, table_mib: 1, ..TrainingSearchSettings::default() };
    let learning = Learning { start, features, search };
    let differences = DifferenceSettings { least_moves: 1, ..DifferenceSettings::default() };
    for rule in [
        LearnerSettings::TdRoot(StepSettings::default()),
        LearnerSettings::TdLeaf(differences.clone()),
        LearnerSettings::TdDirected(differences),
    ] {
        for kind in [EndKind::Crash, EndKind::Hang, EndKind::Resignation, EndKind::Time, EndKind::Rules] {
            let weights = Arc::new(Weights::zeros(Features::<ConnectFour>::count(&*learning.features)));
            let mut partner = Fails { kind, random: RandomPlayer::default() };
            let time = if kind == EndKind::Time { "200ms/move".parse().unwrap() } else { Default::default() };
            let rules = GameRules { time, lag: Duration::ZERO, ..GameRules::default() };
            let mut me = learning.player(&weights, &rule);
            let result = play_game(&learning.start, &[], [&mut me, &mut partner], &mut RulesReferee, &rules).unwrap();
            assert_eq!((result.ending.kind, result.outcome.winner), (kind, Some(Side::First)));
            let learnt = weights.values().iter().any(|&weight| weight != 0.0);
            assert_eq!(learnt, kind == EndKind::Rules, "{rule:?}, {kind:?}");
        }
    }
}
