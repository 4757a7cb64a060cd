//! Residual networks: answers, gradients, and the self-play that they lead.

use super::Effort;
use super::frameworks::{Framework, Frameworks, TRAINING_BATCH};
use super::measure::{Figure, Report, measure};
use super::signature::hash;
use afterstate_engine::search::{Puct, PuctSettings, Situation};
use afterstate_engine::zero::{Actor, ActorSettings, Cached, Network, Question, Trajectory, Uniform};
use afterstate_games::go::Go;
use afterstate_games::{ConnectFour, Game, IndexedMoves, Turn, stream};
use afterstate_nets::{Backend, Batch, FoldedNetwork, NetworkSize, ResidualPlayer, Trainer};
use anyhow::Result;

/// Measures everything, and other programs beside what they can do as well.
pub fn run(effort: Effort, mut beside: Option<Frameworks>, report: Report) -> Result<()> {
    let size = |blocks, filters| NetworkSize { blocks, filters, hidden: filters, ..NetworkSize::default() };
    let (four, go) = (ConnectFour::new(), Go::new(9));
    let of_four = |blocks, filters| size(blocks, filters).architecture(&four);
    let kinds = [
        ("connect-four-4x32", of_four(4, 32), true),
        ("connect-four-4x64", of_four(4, 64), true),
        ("go9-4x64", size(4, 64).architecture(&go), true),
        ("connect-four-10x256", of_four(10, 256), false),
    ];
    for (name, architecture, learns) in kinds {
        let weights = architecture.random(&mut stream(1, 0));
        let first = FoldedNetwork::new(architecture, &weights);
        let (inference, training) = (format!("nets.{name}.inference"), format!("nets.{name}.training"));
        let measured = measure(effort, |_| {
            let (mut network, input) = (first.clone(), vec![1.0; architecture.input_len()]);
            let mut logits = vec![0.0; architecture.moves];
            move || {
                network.evaluate(&input, &mut logits);
                [1]
            }
        });
        measured.report(&inference, 0, report)?;
        if let Some(frameworks) = &mut beside {
            frameworks.load(&architecture, &weights)?;
            for framework in [Framework::PyTorch, Framework::OnnxRuntime] {
                let theirs = frameworks.inference(framework, effort.time)?;
                compare(&inference, framework, measured.rate(0), theirs, report)?;
            }
        }
        if learns {
            let measured = measure(effort, |_| {
                let (mut trainer, mut gradients) = (Trainer::new(architecture), Vec::new());
                let mut weights = weights.clone();
                let batch = Batch {
                    inputs: vec![0.5; TRAINING_BATCH * architecture.input_len()],
                    policies: vec![1.0 / architecture.moves as f32; TRAINING_BATCH * architecture.moves],
                    outcomes: vec![0.0; TRAINING_BATCH],
                    owners: Vec::new(),
                };
                move || {
                    trainer.gradients(&mut weights, &batch, &mut gradients);
                    [TRAINING_BATCH as u64]
                }
            });
            measured.report(&training, 0, report)?;
            if let Some(frameworks) = &mut beside {
                compare(&training, Framework::PyTorch, measured.rate(0), frameworks.training(effort.time)?, report)?;
            }
        }
    }
    let architecture = of_four(4, 32);
    let weights = architecture.random(&mut stream(1, 0));
    let player = ResidualPlayer::new(architecture, &weights, &Backend::Processor);
    let measured = measure(effort, |thread| {
        let mut network = Cached::new(player.clone(), 16, four.most_moves());
        let mut number = u64::from(thread) << 32;
        move || {
            let [asked, _] = network.counts();
            let trajectory = play(&ActorSettings::default(), &mut network, number);
            number += 1;
            [trajectory.examples() as u64, network.counts()[0] - asked]
        }
    });
    measured.report("connect-four.zero.examples", 0, report)?;
    measured.report("connect-four.zero.evaluations", 1, report)
}

/// Reports another program's speed, and how many times as fast we are.
fn compare(name: &str, framework: Framework, ours: f64, theirs: f64, report: Report) -> Result<()> {
    let other = framework.name();
    report(Figure { name: format!("{name}.{other}"), value: theirs, unit: "/s" })?;
    report(Figure { name: format!("{name}.times-{other}"), value: ours / theirs, unit: "times" })
}

/// A trajectory of Connect Four.
fn play(settings: &ActorSettings, network: &mut impl Network<ConnectFour>, number: u64) -> Trajectory {
    let first = ConnectFour::new();
    let mut actor = Actor::new(settings, &first, &[], (number, stream(3, number)), false);
    let mut question = Question::new(first);
    while actor.gather(&mut question) {
        network.evaluate(&mut [&mut question]);
        actor.apply(&question);
    }
    actor.into_played().trajectories.swap_remove(0)
}

/// What PUCT thinks of the positions of a game of Go, and what trajectories of Connect Four are like, led by a network that
/// knows nothing.
pub fn signature() -> [u64; 2] {
    let mut numbers = Vec::new();
    let mut game = Go::new(5).with_move_limit(20);
    while let Turn::Player(_) = game.turn() {
        let mut search = Puct::new(PuctSettings { solver: true, ..PuctSettings::default() });
        search.begin(&Situation::new(&game));
        let mut question = Question::new(game.clone());
        for _ in 0..300 {
            if search.gather(&mut question) {
                Uniform.evaluate(&mut [&mut question]);
                search.apply(&question);
            }
        }
        numbers.extend(search.moves().map(|mv| u64::from(mv.visits)));
        game.play(search.best().expect("a player is to move").mv);
        numbers.push(game.key());
    }
    let trajectories = (0..20).map(|number| play(&ActorSettings::default(), &mut Uniform, number));
    let of_trajectory = |trajectory: Trajectory| {
        let policies =
            trajectory.policies.iter().flatten().map(|(index, p)| u64::from(*index) << 32 | u64::from(p.to_bits()));
        hash(trajectory.way.iter().map(|index| u64::from(*index)).chain(policies))
    };
    [hash(numbers), hash(trajectories.map(of_trajectory))]
}
