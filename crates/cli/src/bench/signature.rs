//! `afterstate bench signature`: numbers that change when, and only when, what the program computes
//! changes. `bench.txt` holds them, and `--check` compares.
//!
//! Nothing here may depend on the machine. Sums of f32 are made in a fixed order and so are the same
//! everywhere, but `exp` is not: mathematical libraries differ in the last bit. Learning is therefore signed with
//! linear values, and a second time with logistic ones under a name that is checked only where `exp` is
//! glibc's. The weights of searches are such that their sums are exact in any order.

use super::search::{exact_values, positions};
use super::td_search::{long, short};
use super::{backgammon, chess, chess_network, nets};
use crate::agent::tournament_search::{parts, switched};
use crate::output;
use crate::progress::Progress;
use afterstate_engine::learning::{
    DifferenceSettings, LearnerSettings, SelfPlaySettings, StepSettings, TdSettings, Training, TreeStrapSettings,
};
use afterstate_engine::search::{
    AlphaBeta, AlphaBetaSettings, Dyna2, Experience, FuegoPrior, Handcrafted, Leaf, McRave, Mcts, MctsSettings,
    MixedPlayouts, NetworkSearch, NetworkSearchSettings, PlayOut, Prior, Selection, TdSearch, TdSearchSettings,
    TournamentSettings, TwoPhase, TwoPhaseSettings, Uct,
};
use afterstate_engine::value::{ChessTerms, Features, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes};
use afterstate_engine::zero::Uniform;
use afterstate_engine::{Budget, Search};
use afterstate_games::backgammon::Backgammon;
use afterstate_games::go::{
    FuegoPlayout, FuegoSettings, Go, MogoPlayout, Point, SoftmaxPlayout, SoftmaxWeights, UniformGoPlayout,
};
use afterstate_games::rng::mix;
use afterstate_games::{
    Chess, ConnectFour, Game, IndexedMoves, Outcome, PlayoutPolicy, Side, TicTacToe, perft, stream,
};
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A name and what was computed.
type Line = (String, String);

/// What names in `bench.txt` begin with when they belong to the signature.
const PREFIX: &str = "signature.";

/// Names with this end are only checked where `exp` is glibc's.
const NEEDS_GLIBC: &str = ".glibc";

/// Prints the signature, or compares it with a file.
pub fn run(check: Option<&Path>, json: bool) -> Result<()> {
    let known =
        check.map(|path| std::fs::read_to_string(path).with_context(|| path.display().to_string())).transpose()?;
    let progress = Progress::spinner("computing", json);
    let computed = compute()?;
    drop(progress);
    let mut out = output::stdout();
    let (Some(path), Some(text)) = (check, known) else {
        if json {
            let map: serde_json::Map<String, serde_json::Value> =
                computed.into_iter().map(|(name, value)| (name, value.into())).collect();
            return output::json(&mut out, &map);
        }
        for (name, value) in computed {
            writeln!(out, "{name} {value}")?;
        }
        return Ok(out.flush()?);
    };
    let differences = compare(&computed, &text, cfg!(target_env = "gnu"));
    if let Some(first) = differences.first() {
        bail!(
            "{}: {}{}; if the change is meant, write the new signature with 'afterstate bench signature'",
            path.display(),
            first,
            if differences.len() > 1 {
                format!(" (and {} more differences)", differences.len() - 1)
            } else {
                String::new()
            }
        );
    }
    writeln!(out, "{} lines agree with {}", computed.len(), path.display())?;
    Ok(out.flush()?)
}

/// What differs between the computed lines and a file's, in words.
fn compare(computed: &[Line], text: &str, glibc: bool) -> Vec<String> {
    let held: Vec<(&str, &str)> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(PREFIX))
        .map(|line| line.split_once(' ').map_or((line, ""), |(name, value)| (name, value.trim())))
        .collect();
    let checked = |name: &str| glibc || !name.ends_with(NEEDS_GLIBC);
    let mut differences = Vec::new();
    for (name, value) in computed.iter().filter(|(name, _)| checked(name)) {
        match held.iter().find(|(held, _)| held == name) {
            None => differences.push(format!("{name} is missing, computed {value}")),
            Some((_, expected)) if expected != value => {
                differences.push(format!("{name} is {expected} in the file, computed {value}"));
            }
            Some(_) => {}
        }
    }
    for (name, _) in held {
        if !computed.iter().any(|(computed, _)| computed == name) {
            differences.push(format!("{name} is in the file, but nothing computes it"));
        }
    }
    differences
}

/// A hash of numbers in their order.
pub fn hash(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0x6166_7465_7273_7461, |hash, number| mix(hash.rotate_left(23) ^ mix(number)))
}

/// Nodes and decisions of the tournament search, so many plies deep.
fn tournament_searched(settings: TournamentSettings, depth: u32) -> [u64; 2] {
    let mut search = chess::tournament_search(settings);
    let mut nodes = 0;
    let decisions = hash(chess::positions().iter().flat_map(|record| {
        search.clear();
        let budget = Budget { depth: Some(depth), ..Budget::default() };
        let decision = search.search(record, &budget.into(), &mut |_| {});
        nodes += decision.effort;
        let line = decision.principal_variation.iter().map(|&mv| record.position().move_index(mv) as u64);
        line.collect::<Vec<u64>>()
    }));
    [nodes, decisions]
}

/// Every rule that learns from searches, with a step size that changes much.
fn learners() -> [(&'static str, bool, LearnerSettings); 6] {
    let steps = StepSettings { step_size: 0.001, ..StepSettings::default() };
    let differences = DifferenceSettings { step_size: 0.001, least_moves: 1, ..DifferenceSettings::default() };
    let tree_strap = LearnerSettings::TreeStrap(TreeStrapSettings { step_size: 1e-6, ..Default::default() });
    [
        ("tree-strap", true, tree_strap.clone()),
        ("tree-strap.minimax", false, tree_strap),
        ("root-strap", true, LearnerSettings::RootStrap(steps.clone())),
        ("td-root", true, LearnerSettings::TdRoot(steps)),
        ("td-leaf", true, LearnerSettings::TdLeaf(differences.clone())),
        ("td-directed", true, LearnerSettings::TdDirected(differences)),
    ]
}

/// The weights after a game of a few moves from each fixed position, which White wins.
fn learnt_by_search(pruning: bool, settings: &LearnerSettings) -> u64 {
    let mut search = chess::training_search(2000, pruning);
    let mut rule = settings.build::<Chess, ChessTerms>();
    for mut record in chess::positions() {
        rule.begin();
        for _ in 0..4 {
            let Some(found) = search.search(&record, &Budget::default()) else { break };
            rule.searched(record.position(), &found, true, &mut search);
            record.play(found.best);
            let Some(answer) = search.search(&record, &Budget::default()) else { break };
            record.play(answer.best);
        }
        rule.ended(Some(Outcome::win(Side::First)), &search);
    }
    hash(search.weights().values().iter().map(|weight| u64::from(weight.to_bits())))
}

fn compute() -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push((format!("{PREFIX}{name}"), value));
    for (size, games) in [(9, 300), (13, 100), (19, 50)] {
        line(&format!("go{size}.playouts"), format!("{:016x}", playouts(UniformGoPlayout, size, games)));
        line(&format!("go{size}.playouts.mogo"), format!("{:016x}", playouts(MogoPlayout::default(), size, games)));
        line(&format!("go{size}.playouts.fuego"), format!("{:016x}", playouts(FuegoPlayout::default(), size, games)));
        let softmax = SoftmaxPlayout::new(SoftmaxWeights::zeros().into());
        line(&format!("go{size}.playouts.softmax"), format!("{:016x}", playouts(softmax, size, games)));
    }
    line("tic-tac-toe.perft9", perft::paths(&TicTacToe::new(), 9).to_string());
    line("connect-four.perft6", perft::paths(&ConnectFour::new(), 6).to_string());
    line("backgammon.perft2", perft::paths(&Backgammon::new(), 2).to_string());
    let [learnt_by_td, ranked] = backgammon::signature();
    line("backgammon.td.weights", format!("{learnt_by_td:016x}"));
    line("backgammon.expectimax", format!("{ranked:016x}"));
    line("chess.perft4", perft::paths(&Chess::new(), 4).to_string());
    let settings = TournamentSettings { table_mib: 64, ..TournamentSettings::default() };
    let [nodes, decisions] = tournament_searched(settings.clone(), 8);
    line("chess.search.nodes", nodes.to_string());
    line("chess.search.decisions", format!("{decisions:016x}"));
    for (part, on) in parts(&settings)? {
        let [nodes, _] = tournament_searched(switched(&settings, &part, !on)?, 8);
        line(&format!("chess.search.{}.{part}.nodes", if on { "without" } else { "with" }), nodes.to_string());
    }
    for (name, pruning, settings) in learners() {
        line(&format!("chess.{name}.weights"), format!("{:016x}", learnt_by_search(pruning, &settings)));
    }
    let [said, taught] = chess_network::signature();
    line("chess.network.evaluations", format!("{said:016x}"));
    line(&format!("chess.outcome-strap.weights{NEEDS_GLIBC}"), format!("{taught:016x}"));
    line("go5.perft4", perft::paths(&Go::new(5), 4).to_string());
    for depth in 1..=4 {
        let (nodes, decisions) = searched(depth);
        line(&format!("go9.alpha-beta.depth{depth}.nodes"), nodes.to_string());
        line(&format!("go9.alpha-beta.depth{depth}.decisions"), format!("{decisions:016x}"));
    }
    let prior = Handcrafted::new(Experience::default());
    let mogo = || PlayOut(MogoPlayout::default());
    line("go9.mc-rave.decisions", format!("{:016x}", simulated(McRave::default(), mogo(), prior.clone())));
    line(&format!("go9.uct.decisions{NEEDS_GLIBC}"), format!("{:016x}", simulated(Uct::default(), mogo(), prior)));
    let nakade = PlayOut(FuegoPlayout::new(FuegoSettings { nakade: true, ..FuegoSettings::default() }));
    let prior = FuegoPrior::new(Experience { monte_carlo: 5, amaf: 9 });
    line("go9.mc-rave.usual.decisions", format!("{:016x}", simulated(McRave::default(), nakade, prior)));
    for (name, lambda) in [("", 0.0), ("-traces", 0.4)] {
        line(&format!("go9.td.linear{name}"), format!("{:016x}", learnt(Squash::Linear, lambda)));
        line(&format!("go9.td.logistic{name}{NEEDS_GLIBC}"), format!("{:016x}", learnt(Squash::Logistic, lambda)));
    }
    for (name, squash) in [("linear", Squash::Linear), ("logistic.glibc", Squash::Logistic)] {
        line(&format!("go9.td-search.{name}"), format!("{:016x}", searched_and_learnt(squash)));
    }
    let [searched, played] = nets::signature();
    line("go5.puct.decisions", format!("{searched:016x}"));
    line("go9.puct.playouts.decisions", format!("{:016x}", played_out()));
    line(&format!("connect-four.zero.trajectories{NEEDS_GLIBC}"), format!("{played:016x}"));
    line("go9.dyna-2.linear", format!("{:016x}", corrected()));
    line("go9.two-phase.linear", format!("{:016x}", looked_ahead()));
    Ok(lines)
}

/// All weights after searches of the first four moves on 9×9, and what they decided.
fn searched_and_learnt(squash: Squash) -> u64 {
    let mut search = TdSearch::new(short(squash), PlayOut(FuegoPlayout::default()), TdSearchSettings::default());
    let mut numbers = decisions(&mut search);
    numbers.extend(search.memory().weights().into_iter().map(|weight| u64::from(weight.to_bits())));
    hash(numbers)
}

/// The same with a long-term memory, whose values are linear.
fn corrected() -> u64 {
    let memory = Dyna2::new(long(), short(Squash::Linear));
    let mut search = TdSearch::new(memory, PlayOut(FuegoPlayout::default()), TdSearchSettings::default());
    let mut numbers = decisions(&mut search);
    numbers.extend(search.memory().short_term().weights().into_iter().map(|weight| u64::from(weight.to_bits())));
    hash(numbers)
}

/// What is decided three plies deep on both memories.
fn looked_ahead() -> u64 {
    let memory = Dyna2::new(long(), short(Squash::Linear));
    let mut settings = TwoPhaseSettings::default();
    settings.alpha_beta.depth = 3;
    let playout = PlayOut(FuegoPlayout::default());
    let mut search = TwoPhase::new(memory, playout, TdSearchSettings::default(), settings);
    let mut numbers = decisions(&mut search);
    numbers.push(search.nodes());
    hash(numbers)
}

/// The moves, and their values, of searches of 200 simulations from the empty board on.
fn decisions(search: &mut impl Search<Go>) -> Vec<u64> {
    let (mut game, mut rng, mut numbers) = (Go::new(9), stream(1, 0), Vec::new());
    let budget = Budget { simulations: Some(200), ..Budget::default() };
    for _ in 0..4 {
        let decision = search.search(&game, &budget, &mut rng);
        let Some(best) = decision.best else { break };
        numbers.push(best.point().map_or(0, |point| 1 + point.ordinal(9) as u64));
        numbers.push(decision.value.map_or(0, |value| value.0.to_bits().into()));
        game.play(best);
    }
    numbers
}

/// What PUCT decides in the first four moves on 9×9, whose values are half a playout's.
fn played_out() -> u64 {
    let playouts = MixedPlayouts::new(PlayOut(FuegoPlayout::default()), 0.5);
    let mut search = NetworkSearch::new(Uniform, NetworkSearchSettings::default()).with_playouts(playouts);
    hash(decisions(&mut search))
}

/// Every move and outcome of so many playouts.
fn playouts(mut policy: impl PlayoutPolicy<Go>, size: usize, games: u64) -> u64 {
    let (mut trace, mut numbers) = (Vec::new(), Vec::new());
    for game in 0..games {
        trace.clear();
        let outcome = policy.play_out(&mut Go::new(size), &mut trace, &mut stream(1, game));
        numbers.push(outcome.first_player_score().to_bits().into());
        numbers.extend(trace.iter().map(|mv| mv.point().map_or(0, |point| 1 + point.ordinal(size) as u64)));
    }
    hash(numbers)
}

/// Nodes of the searches of four positions, and their values and moves.
fn searched(depth: u32) -> (u64, u64) {
    let values = exact_values();
    let mut search = AlphaBeta::new(values.clone(), AlphaBetaSettings { depth, ..AlphaBetaSettings::default() });
    let (mut nodes, mut numbers) = (0, Vec::new());
    for (i, position) in positions(&values, 4, 15).iter().enumerate() {
        search.clear();
        let decision = search.search(position, &Budget::default(), &mut stream(1, i as u64));
        nodes += search.nodes();
        numbers.push(decision.value.map_or(0, |value| value.0.to_bits().into()));
        let ordinal = |point: Point| 1 + point.ordinal(9) as u64;
        numbers.extend(decision.principal_variation.iter().map(|mv| mv.point().map_or(0, ordinal)));
    }
    (nodes, hash(numbers))
}

/// Every visit and value at the root of tree searches of four positions.
fn simulated(rule: impl Selection, leaf: impl Leaf<Go> + Sync, prior: impl Prior<Go> + Sync) -> u64 {
    let settings = MctsSettings { simulations: 1000, early_stop: false, ..MctsSettings::default() };
    let mut search = Mcts::with(rule, leaf, prior, (), settings);
    let mut numbers = Vec::new();
    for (i, position) in positions(&exact_values(), 4, 15).iter().enumerate() {
        search.clear();
        search.search(position.game(), &Budget::default(), &mut stream(1, i as u64));
        for known in search.report().moves {
            numbers.push(known.mv.point().map_or(0, |point| 1 + point.ordinal(9) as u64));
            numbers.extend([u64::from(known.visits), known.value.map_or(0, |value| value.0.to_bits().into())]);
        }
    }
    hash(numbers)
}

/// All weights after a short seeded training on 9×9.
fn learnt(squash: Squash, lambda: f32) -> u64 {
    let features = Arc::new(LocalShapes::new(9, WindowSizes::ALL, Sharing::Both));
    let weights = Arc::new(Weights::zeros(Features::<TrackedGo>::count(&*features)));
    let training = Training {
        start: features.track(Go::new(9)),
        features,
        weights: weights.clone(),
        td: TdSettings { squash, lambda, ..TdSettings::default() },
        self_play: SelfPlaySettings::default(),
        seed: 1,
        threads: 1,
    };
    training.run(0..200, &AtomicBool::new(false), &|_| {});
    hash(weights.values().into_iter().map(|weight| weight.to_bits().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pairs: &[(&str, &str)]) -> Vec<Line> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn every_difference_is_found_and_other_lines_are_left_alone() {
        let computed = lines(&[("signature.a", "1"), ("signature.b", "2"), ("signature.c.glibc", "3")]);
        let good = "# comment\nsignature.a 1\nsignature.b   2\nsignature.c.glibc 3\ncallgrind.x 99\n";
        assert!(compare(&computed, good, true).is_empty());
        let other = "signature.a 1\nsignature.b 3\nsignature.d 4\n";
        assert_eq!(compare(&computed, other, true).len(), 3);
        assert_eq!(compare(&computed, other, false).len(), 2, "without glibc its line does not count");
    }

    #[test]
    fn the_hash_depends_on_order_and_length() {
        let hashes = [hash([1, 2]), hash([2, 1]), hash([1]), hash([0, 1]), hash([1, 0]), hash([])];
        for (i, a) in hashes.iter().enumerate() {
            assert!(!hashes[i + 1..].contains(a));
        }
    }
}
