//! `afterstate gtp`: an agent behind the Go Text Protocol, for Go programs and servers.

use crate::agent::monte_carlo::Method;
use crate::agent::{Agent, AgentSpec};
use crate::registry;
use crate::registry::GoSearcher;
use afterstate_engine::Value;
use afterstate_engine::value::{Features, Linear, LocalShapes, ShapeAgent, TrackedGo};
use afterstate_games::Record;
use afterstate_games::go::{Go, Komi, MAX_SIZE, MIN_SIZE, Move};
use afterstate_protocols::gtp::{Insight, Session, ShapeReport, ValueInsight};
use anyhow::{Context, Result, anyhow, ensure};
use std::io::{BufReader, stderr, stdin, stdout};
use std::sync::Arc;

/// Arguments of `gtp`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate gtp --agent runs/quick\n  \
    afterstate gtp --agent alpha-beta:runs/quick,depth=4\n  \
    afterstate gtp --agent mc-rave:10000,threads=2\n  \
    afterstate gtp --agent two-phase:5000,depth=4\n  \
    afterstate gtp --agent mc-rave:10000 --version-text 0.17\n\n\
    Agents that search trees, and TD search, answer lz-analyze and kata-analyze, and draw for GoGui.\n\
    In a Go program with a graphical board (Sabaki, GoGui, Lizzie) enter the first line as the engine's command;\n\
    for Lizzie, the last.")]
pub struct Args {
    /// Who plays (see `afterstate agents`)
    #[arg(long, value_name = "SPEC")]
    agent: String,
    /// The only board size to accept, 5 to 19 [default: what the agent learnt, else all]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// Komi until the other side sets it [default: what the agent learnt, else 7.5]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    komi: Option<f64>,
    /// Seed of the agent's random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What to answer when asked for the version, for programs that look for another engine's: Lizzie wants 0.15 or more
    /// [default: that of afterstate]
    #[arg(long, value_name = "TEXT")]
    version_text: Option<String>,
}

/// Simulations, with either side to move, that tell dead stones from living ones, for agents that simulate; others play on until what is
/// dead is off the board. Four games of forty had another winner than GNU Go's when as many playouts without a search told it.
const STATUS_PLAYOUTS: u32 = 1000;

/// Answers commands until `quit` or the end of the input.
pub fn run(args: Args) -> Result<()> {
    let spec = AgentSpec::parse(&args.agent)?;
    let sizes = MIN_SIZE..=MAX_SIZE;
    ensure!(
        args.size.is_none_or(|size| sizes.contains(&size)),
        "--size {}: expected {MIN_SIZE} to {MAX_SIZE}",
        args.size.unwrap_or_default()
    );
    let komi = args.komi.map(Komi::try_from).transpose().map_err(|error| anyhow!("--komi: {error}"))?;
    let mut learnt_komi = None;
    let named = || format!("agent '{}'", spec.name);
    let (learnt, prior) = match &spec.agent {
        Agent::Greedy { checkpoint, .. } | Agent::AlphaBeta { checkpoint: Some(checkpoint), .. } => {
            let learnt = ShapeAgent::load(checkpoint).with_context(named)?;
            learnt_komi = Some(learnt.about.komi);
            (Some(learnt), None)
        }
        Agent::MonteCarlo(agent) => (None, agent.learnt_on().with_context(named)?),
        Agent::Puct(agent) => {
            let (size, komi) = agent.learnt_on().with_context(named)?.unzip();
            learnt_komi = komi.flatten();
            (None, size)
        }
        Agent::TdSearch(agent) => {
            let board_size = |memory| ShapeAgent::load(memory).map(|learnt| learnt.about.board_size);
            (None, agent.memory.as_deref().map(board_size).transpose().with_context(named)?)
        }
        _ => (None, None),
    };
    // What was learnt of other games has other sizes, and is refused below as such.
    let prior = prior.filter(|size| sizes.contains(size));
    let only = args.size.or(learnt.as_ref().map(|learnt| learnt.about.board_size)).or(prior);
    let start = Go::new(only.unwrap_or(9));
    let name = format!("afterstate {}", spec.name);
    let open = match &spec.agent {
        // Without a tree there is nothing to look into.
        Agent::MonteCarlo(agent) if agent.method == Method::Flat => None,
        agent => GoSearcher::of(agent, start.size()).with_context(|| format!("agent '{}'", spec.name))?,
    };
    let mut session = match open.map(|searcher| searcher.open_player(args.seed)) {
        Some(player) => Session::new(name, Box::new(player.clone()))
            .with_analyst(Box::new(player))
            .with_live_graphics(Box::new(stderr())),
        None => Session::new(name, registry::players(&start, &spec)?()?),
    };
    session = session.with_seed(args.seed).with_sizes(only.map_or(sizes, |size| size..=size));
    if matches!(spec.agent, Agent::MonteCarlo(_) | Agent::TdSearch(_) | Agent::Puct(_)) {
        session = session.with_status_playouts(STATUS_PLAYOUTS);
    }
    if let Some(version) = args.version_text {
        session = session.with_version(version);
    }
    if let Some(learnt) = learnt {
        session = session.with_insight(Arc::new(LearntInsight::new(learnt.value())));
    }
    if let Some(komi) = komi.or(learnt_komi) {
        session.respond(&format!("komi {}", komi.points()));
    }
    // A reader of standard input that does not hold its lock: it stays behind when the session ends.
    Ok(session.run(BufReader::new(stdin()), stdout())?)
}

/// What learnt local shapes see in a position.
struct LearntInsight {
    value: Arc<Linear<LocalShapes>>,
    afterstates: ValueInsight<Linear<LocalShapes>>,
}

impl LearntInsight {
    fn new(value: Linear<LocalShapes>) -> Self {
        let value = Arc::new(value);
        LearntInsight { afterstates: ValueInsight(value.clone()), value }
    }
}

impl Insight for LearntInsight {
    fn afterstate_values(&self, record: &Record<Go>) -> Option<Vec<(Move, Value)>> {
        self.afterstates.afterstate_values(record)
    }

    fn strongest_shapes(&self, record: &Record<Go>, n: usize) -> Option<Vec<ShapeReport>> {
        let shapes = &self.value.features;
        let position = shapes.track(record.position().clone());
        let mut found = shapes.shapes_on(&position, &self.value.weights);
        found.sort_by(|a, b| b.worth.abs().total_cmp(&a.worth.abs()));
        found.truncate(n);
        let describe = |weight: &usize| Features::<TrackedGo>::describe(&**shapes, *weight);
        let report = |shape: afterstate_engine::value::ShapeOnBoard| ShapeReport {
            description: shape.weights.iter().map(describe).collect::<Vec<_>>().join(" + "),
            points: shape.points,
            weight: shape.worth,
        };
        Some(found.into_iter().map(report).collect())
    }
}
