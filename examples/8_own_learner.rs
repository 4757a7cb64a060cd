//! A learning rule of one's own: every position in which a search chose a move moves towards how the game ended. Two such players teach
//! themselves Connect Four, and what they learnt meets a player that looks as far ahead and knows nothing.
//!
//! ```text
//! cargo run --release --example 8_own_learner
//! ```

use afterstate_arena::openings::opening;
use afterstate_arena::{AlphaBetaPlayer, GameRules, LearningPlayer, Player, RulesReferee, play_game};
use afterstate_engine::Value;
use afterstate_engine::learning::{SearchLearner, SquaredErrors};
use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings, Found, TrainingSearch, TrainingSearchSettings};
use afterstate_engine::value::{ActiveSet, AfterstateValues, Features, GridShapes, Indifferent, Linear, Squash};
use afterstate_engine::value::{Weights, WindowSizes};
use afterstate_games::{ConnectFour, Outcome, Side, Tactics};
use std::sync::Arc;

/// θ ← θ + α (z − V(sₜ)) φ(sₜ) / ‖φ(sₜ)‖² for every t, when the game is over.
struct TowardsOutcome {
    /// α.
    step_size: f32,
    /// φ(sₜ).
    positions: Vec<ActiveSet>,
    errors: SquaredErrors,
}

impl<G: Tactics, F: Features<G>> SearchLearner<G, F> for TowardsOutcome {
    fn begin(&mut self) {
        self.positions.clear();
        self.errors = SquaredErrors::default();
    }

    fn searched(&mut self, game: &G, _found: &Found<G>, _predicted: bool, search: &mut TrainingSearch<G, F>) {
        let mut position = ActiveSet::default();
        search.features().active(game, &mut position);
        self.positions.push(position);
    }

    fn ended(&mut self, outcome: Option<Outcome>, search: &TrainingSearch<G, F>) {
        let Some(outcome) = outcome else { return };
        let (target, weights) = (Value::from(outcome), search.weights());
        for position in &self.positions {
            let error = target.0 - search.squash().value(weights.sum(position)).0;
            self.errors.add(error);
            weights.add(position, self.step_size * error / position.norm_squared().max(1) as f32);
        }
    }

    fn errors(&self) -> SquaredErrors {
        self.errors
    }
}

fn main() {
    // What small windows show, each wherever it is, and nothing known of it.
    let shapes = Arc::new(GridShapes::new(&ConnectFour::new(), WindowSizes::ALL));
    let weights = Arc::new(Weights::zeros(Features::<ConnectFour>::count(&*shapes)));

    // Both sides learn the same weights, each from the positions in which it is to move.
    let learner = || {
        let settings = TrainingSearchSettings { depth: 2, ..TrainingSearchSettings::default() };
        let search = TrainingSearch::new(shapes.clone(), weights.clone(), Squash::Logistic, settings);
        let rule = TowardsOutcome { step_size: 0.1, positions: Vec::new(), errors: SquaredErrors::default() };
        LearningPlayer::new(search, Box::new(rule))
    };
    let (mut first, mut second) = (learner(), learner());
    let value = || Arc::new(Linear { features: shapes.clone(), weights: weights.clone(), squash: Squash::Logistic });

    println!("games of self-play   won of 200 against a player without knowledge");
    let mut learnt = 0;
    for games in [0, 100, 1000] {
        for game in learnt..games {
            let rules = GameRules { seed: game, ..GameRules::default() };
            let opening = opening(&ConnectFour::new(), 1, game, 4);
            play_game(&ConnectFour::new(), &opening, [&mut first, &mut second], &mut RulesReferee, &rules);
        }
        learnt = games;
        println!(
            "{learnt:>18}   {:.1}",
            points(&mut looking_ahead(value()), &mut looking_ahead(Arc::new(Indifferent)), 200)
        );
    }
}

/// Looks two plies ahead, and values what it sees then.
fn looking_ahead(value: Arc<dyn AfterstateValues<ConnectFour>>) -> impl Player<ConnectFour> {
    let search = AlphaBeta::new(value, AlphaBetaSettings { depth: 2, ..Default::default() });
    AlphaBetaPlayer::new(search, ConnectFour::clone)
}

/// How many of so many games `player` wins, a draw counting one half. Four random moves begin each pair of games, in which the players
/// swap sides.
fn points(player: &mut impl Player<ConnectFour>, opponent: &mut impl Player<ConnectFour>, games: u64) -> f32 {
    let mut points = 0.0;
    for game in 0..games {
        let opening = opening(&ConnectFour::new(), 2, game / 2, 4);
        let rules = GameRules { seed: game, ..GameRules::default() };
        let (mine, players): (_, [&mut dyn Player<ConnectFour>; 2]) = match game % 2 {
            0 => (Side::First, [player, opponent]),
            _ => (Side::Second, [opponent, player]),
        };
        let result = play_game(&ConnectFour::new(), &opening, players, &mut RulesReferee, &rules);
        points += result.map_or(0.0, |game| Value::from(game.outcome).seen_by(mine));
    }
    points
}
