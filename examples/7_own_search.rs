//! A search of one's own: simulations shared out by the upper confidence bounds of the moves at the root, without a tree. It plays
//! every game that has rules, and meets the library's UCT, which has a tree, at Connect Four.
//!
//! ```text
//! cargo run --release --example 7_own_search
//! ```

use afterstate_arena::openings::opening;
use afterstate_arena::{GameRules, Player, RulesReferee, SearchPlayer, play_game};
use afterstate_engine::search::{Mcts, MctsSettings, PlayOut, Uct};
use afterstate_engine::{Budget, Decision, Search, Value};
use afterstate_games::{ConnectFour, Game, Notation, PlayoutPolicy, Rng, Side, Turn, UniformPlayout, stream};

/// UCB1 (P. Auer, N. Cesa-Bianchi and P. Fischer, *Finite-time analysis of the multiarmed bandit problem*, 2002) over random playouts.
struct FlatUcb {
    /// How many simulations a move gets when nothing else limits them.
    simulations: u64,
    /// What uncertainty counts for; √2 in the article.
    exploration: f64,
}

/// A move, how often it was tried, and what that brought the side that moves.
struct Arm<M> {
    mv: M,
    visits: u64,
    sum: f64,
}

impl<G: Game> Search<G> for FlatUcb {
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        let Turn::Player(side) = root.turn() else { return Decision::resign() };
        let mut moves = Vec::new();
        root.candidate_moves(&mut moves);
        let mut arms: Vec<Arm<G::Move>> = moves.into_iter().map(|mv| Arm { mv, visits: 0, sum: 0.0 }).collect();
        let limit = budget.simulations.unwrap_or(self.simulations);
        let (mut playout, mut trace) = (UniformPlayout::default(), Vec::new());
        let mut done = 0;
        // Whoever is asked for a move has one, however little time there is.
        while done == 0 || done < limit && !budget.expired() {
            let bound = |arm: &Arm<G::Move>| match arm.visits {
                0 => f64::INFINITY,
                n => arm.sum / n as f64 + self.exploration * ((done as f64).ln() / n as f64).sqrt(),
            };
            let Some(arm) = arms.iter_mut().max_by(|a, b| bound(a).total_cmp(&bound(b))) else {
                return Decision::resign();
            };
            let mut game = root.clone();
            game.play(arm.mv);
            trace.clear();
            let value: Value = playout.play_out(&mut game, &mut trace, rng).into();
            arm.sum += f64::from(value.seen_by(side));
            arm.visits += 1;
            done += 1;
        }
        let Some(best) = arms.iter().max_by_key(|arm| arm.visits) else { return Decision::resign() };
        let mean = (best.sum / best.visits.max(1) as f64) as f32;
        let value = if side == Side::First { Value(mean) } else { Value(1.0 - mean) };
        Decision { value: Some(value), effort: done, ..Decision::play(best.mv) }
    }
}

fn main() {
    let start = ConnectFour::new();
    let own = || FlatUcb { simulations: 500, exploration: 0.5 };
    let decision = own().search(&start, &Budget::default(), &mut stream(1, 0));
    if let (Some(mv), Some(value)) = (decision.best, decision.value) {
        println!(
            "column {} looks best, worth {:.2}, after {} simulations",
            start.move_text(mv),
            value.0,
            decision.effort
        );
    }

    // A search is a player, and meets other players.
    let settings = MctsSettings { simulations: 500, memory_mib: 16, ..MctsSettings::default() };
    let uct = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings);
    let (mut flat, mut tree) = (SearchPlayer::new(own()), SearchPlayer::new(uct));
    println!("won {:.1} of 40 games against UCT", points(&mut flat, &mut tree, 40));
}

/// How many of so many games `player` wins, a draw counting one half. Two random moves begin each pair of games, in which the players
/// swap sides.
fn points(player: &mut impl Player<ConnectFour>, opponent: &mut impl Player<ConnectFour>, games: u64) -> f32 {
    let mut points = 0.0;
    for game in 0..games {
        let opening = opening(&ConnectFour::new(), 1, game / 2, 2);
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
