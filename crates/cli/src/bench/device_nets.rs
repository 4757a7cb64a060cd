//! Residual networks of the paper's size on a graphics card: answers to a search's questions, learning, and self-play.
//!
//! All rates are per second of the clock, for the card's time is nobody's processor time.

use super::Effort;
use super::frameworks::{Framework, Frameworks};
use super::measure::{Figure, Report, measure};
use afterstate_engine::Value;
use afterstate_engine::zero::{
    Actor, ActorSettings, Cached, EvaluationServer, Example, Network, Planes, Question, ServerSettings, Trainable,
};
use afterstate_games::go::Go;
use afterstate_games::rng::below;
use afterstate_games::{ConnectFour, Deterministic, IndexedMoves, Turn, stream};
use afterstate_nets::{Backend, DeviceName, NetworkSize, OptimizerSettings, ResidualLearner, ResidualPlayer};
use anyhow::{Result, ensure};

/// Positions that are asked together.
const BATCHES: [usize; 3] = [256, 1024, 4096];

/// Examples of a batch that is learnt: the paper's.
const LEARNT: usize = 512;

/// Numbers of 16 bits differ by rounding, and no more.
const TOLERANCE: f32 = 0.01;

/// Games that a thread plays side by side.
const GAMES: usize = 256;

/// Measures the network of 10 blocks with 256 filters in both of the paper's games; self-play has as many threads as the effort.
pub fn run(device: DeviceName, effort: Effort, mut beside: Option<Frameworks>, report: Report) -> Result<()> {
    game("connect-four", &ConnectFour::new(), device, effort, beside.as_mut(), report)?;
    game("go9", &Go::new(9), device, effort, beside.as_mut(), report)
}

fn game<G: Deterministic + IndexedMoves + Planes>(
    name: &str,
    first: &G,
    device: DeviceName,
    effort: Effort,
    mut beside: Option<&mut Frameworks>,
    report: Report,
) -> Result<()> {
    let backend = device.open().map_err(anyhow::Error::msg)?;
    let architecture = NetworkSize::default().architecture(first);
    let weights = architecture.random(&mut stream(1, 0));
    if let Some(frameworks) = &mut beside {
        frameworks.load(&architecture, &weights)?;
    }
    agree(first, &mut ResidualPlayer::new(architecture, &weights, &backend), &weights)?;
    let alone = Effort { threads: 1, ..effort };
    let mut figure = |name: String, value: f64| report(Figure { name, value, unit: "/s" });
    for batch in BATCHES {
        let name = format!("nets.{name}-10x256.{device}.inference-{batch}");
        let player = ResidualPlayer::new(architecture, &weights, &backend);
        let measured = measure(alone, |_| {
            let (mut player, mut questions) = (player.clone(), questions(first, batch));
            move || {
                player.evaluate(&mut questions.iter_mut().collect::<Vec<_>>());
                [batch as u64]
            }
        });
        figure(name.clone(), measured.wall_rate(0))?;
        if let Some(frameworks) = &mut beside {
            let theirs = frameworks.on_device(device, "inference", batch, effort.time)?;
            figure(format!("{name}.{}", Framework::PyTorch.name()), theirs)?;
        }
    }
    let name_of = |what| format!("nets.{name}-10x256.{device}.{what}");
    let player = ResidualPlayer::new(architecture, &weights, &backend);
    let settings = ServerSettings { batch: 1024, deadline: 1_000, networks: 2 };
    let server = EvaluationServer::start(|| player.clone(), settings);
    let measured = measure(effort, |thread| {
        let mut network = Cached::new(server.client(), 16, first.most_moves());
        let mut number = u64::from(thread) << 32;
        let mut seat = move || {
            number += 1;
            let actor = Actor::new(&ActorSettings::default(), first, &[], (number, stream(3, number)), false);
            (actor, Question::new(first.clone()))
        };
        let mut seats: Vec<_> = (0..GAMES).map(|_| seat()).collect();
        move || {
            let [_, before] = network.counts();
            for (actor, question) in &mut seats {
                while !actor.gather(question) {
                    (*actor, *question) = seat();
                }
            }
            network.evaluate(&mut seats.iter_mut().map(|(_, question)| question).collect::<Vec<_>>());
            seats.iter_mut().for_each(|(actor, question)| actor.apply(question));
            [network.counts()[1] - before]
        }
    });
    figure(name_of("self-play.evaluations"), measured.wall_rate(0))?;
    let measured = measure(alone, |_| {
        let learner = ResidualLearner::new(architecture, weights.clone(), OptimizerSettings::default(), &[], false);
        let mut learner = learner.expect("weights of this architecture").on(backend.clone());
        let positions = questions(first, LEARNT);
        let policies: Vec<Vec<(u16, f32)>> = positions
            .iter()
            .map(|Question { game, moves, .. }| {
                moves.iter().map(|&mv| (game.move_index(mv) as u16, 1.0 / moves.len() as f32)).collect()
            })
            .collect();
        move || {
            let examples = positions.iter().zip(&policies);
            let examples: Vec<_> = examples
                .map(|(position, policy)| Example {
                    game: position.game.clone(),
                    policy,
                    outcome: Value::EVEN,
                    owners: None,
                })
                .collect();
            Trainable::<G>::learn(&mut learner, &examples, &mut stream(1, 1));
            [LEARNT as u64]
        }
    });
    figure(name_of("training"), measured.wall_rate(0))?;
    if let Some(frameworks) = &mut beside {
        let theirs = frameworks.on_device(device, "training", LEARNT, effort.time)?;
        figure(format!("{}.{}", name_of("training"), Framework::PyTorch.name()), theirs)?;
    }
    Ok(())
}

/// Makes sure that a device answers as the processor does, but for rounding.
fn agree<G: Deterministic + IndexedMoves + Planes>(
    first: &G,
    there: &mut ResidualPlayer,
    weights: &[f32],
) -> Result<()> {
    let mut here = ResidualPlayer::new(NetworkSize::default().architecture(first), weights, &Backend::Processor);
    let (mut ours, mut theirs) = (questions(first, 30), questions(first, 30));
    here.evaluate(&mut ours.iter_mut().collect::<Vec<_>>());
    there.evaluate(&mut theirs.iter_mut().collect::<Vec<_>>());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let pairs = ours.priors.iter().zip(&theirs.priors).chain([(&ours.value.0, &theirs.value.0)]);
        let differs = pairs.map(|(ours, theirs)| (ours - theirs).abs()).fold(0.0, f32::max);
        ensure!(
            differs < TOLERANCE,
            "the device answers otherwise than the processor: {:?} {:?}, expected {:?} {:?}",
            theirs.value,
            theirs.priors,
            ours.value,
            ours.priors
        );
    }
    Ok(())
}

/// Positions of games of random moves.
fn questions<G: Deterministic + IndexedMoves>(first: &G, number: usize) -> Vec<Question<G>> {
    let mut rng = stream(7, 0);
    let mut question = Question::new(first.clone());
    let next = |_| {
        let asked = question.clone();
        let mut game = question.game.clone();
        game.play(question.moves[below(&mut rng, question.moves.len() as u32) as usize]);
        question = Question::new(if matches!(game.turn(), Turn::Player(_)) { game } else { first.clone() });
        asked
    };
    (0..number).map(next).collect()
}
