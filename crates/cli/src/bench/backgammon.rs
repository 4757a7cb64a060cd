//! Backgammon: self-play that learns, evaluations, and plays of expectimax.

use super::Effort;
use super::measure::{Report, measure};
use afterstate_engine::learning::{NetworkTdSettings, SelfTaught, TdGammon};
use afterstate_engine::search::{EquityCache, Expectimax, ExpectimaxSettings};
use afterstate_engine::value::backgammon_network::BackgammonNetwork;
use afterstate_games::backgammon::{Backgammon, Move, Phase};
use afterstate_games::rng::mix;
use afterstate_games::{Game, stream};
use anyhow::Result;

/// Games of training before anything is measured: untrained networks play games that never end.
const WARM_UP: u64 = 2000;

/// The network of so many hidden units after a few games.
fn trained(hidden: usize, games: u64, td: NetworkTdSettings) -> TdGammon {
    let mut learner = TdGammon::new(BackgammonNetwork::random(hidden, &mut stream(1, u64::MAX)), td);
    (0..games).for_each(|game| {
        learner.play(&mut stream(1, game));
    });
    learner
}

/// The positions of a game of the network with itself in which a side plays.
fn positions(network: &BackgammonNetwork) -> Vec<Backgammon> {
    let greedy = ExpectimaxSettings { plies: 1, ..ExpectimaxSettings::default() };
    let (mut search, mut rng) = (Expectimax::new(network.clone(), greedy), stream(2, 0));
    let (mut game, mut found) = (Backgammon::new(), Vec::new());
    loop {
        match game.phase() {
            Phase::Over(_) => return found,
            Phase::ToPlay(..) => {
                found.push(game);
                game.play(search.rank(&game)[0].mv);
            }
            _ => game.play(game.roll(&mut rng)),
        }
    }
}

/// Measures everything.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    let usual = NetworkTdSettings::default();
    let without_traces = NetworkTdSettings { lambda: 0.0, ..usual };
    let first = trained(80, WARM_UP, usual);
    for (name, td) in [("backgammon.td", usual), ("backgammon.td-0", without_traces)] {
        let measured = measure(effort, |thread| {
            let mut learner = TdGammon::new(first.network.clone(), td);
            let mut number = u64::from(thread) << 32;
            move || {
                let before = learner.evaluations();
                learner.play(&mut stream(3, number));
                number += 1;
                [1, learner.evaluations() - before]
            }
        });
        measured.report(&format!("{name}.games"), 0, report)?;
        measured.report(&format!("{name}.evaluations"), 1, report)?;
    }
    let positions = positions(&first.network);
    for plies in 1..=3 {
        let settings = ExpectimaxSettings { plies, ..ExpectimaxSettings::default() };
        let measured = measure(effort, |_| {
            let mut search = Expectimax::new(EquityCache::new(first.network.clone(), 16), settings);
            let (positions, mut next) = (&positions, 0);
            move || {
                search.rank(&positions[next % positions.len()]);
                next += 1;
                [1]
            }
        });
        measured.report(&format!("backgammon.expectimax.{plies}-ply"), 0, report)?;
    }
    Ok(())
}

/// What a few games teach a small network, and what it then thinks of a game's plays two plies deep.
pub fn signature() -> [u64; 2] {
    let learner = trained(10, 30, NetworkTdSettings::default());
    let hash = |hash: u64, number: u64| mix(hash.rotate_left(23) ^ mix(number));
    let learnt = learner.network.perceptron().weights().iter().map(|weight| u64::from(weight.to_bits())).fold(0, hash);
    let mut search = Expectimax::new(learner.network.clone(), ExpectimaxSettings::default());
    let game = positions(&learner.network).into_iter().step_by(5).take(10);
    let steps = |mv: Move| match mv {
        Move::Play(play) => {
            play.steps().map(|step| step.from() as u64 * 32 + step.to().unwrap_or(31) as u64).fold(1, hash)
        }
        Move::Roll(_) => 0,
    };
    let ranked = game.flat_map(|game| search.rank(&game)).map(|play| steps(play.mv)).fold(0, hash);
    [learnt, hash(ranked, search.evaluations())]
}
