//! `afterstate analyze`: a game of Go looked at again, move by move, or a match of backgammon, play by play.

mod backgammon;
mod cube;
mod files;
mod game;
mod report;

use crate::agent::monte_carlo::Method;
use crate::agent::{Agent, AgentSpec};
use crate::destinations;
use crate::progress::Progress;
use crate::registry::GoSearcher;
use crate::{interrupt, output, registry};
use afterstate_arena::GoConduct;
use afterstate_arena::analysis::{Assessment, GameAnalysisSettings, GameAnalyst, judge};
use afterstate_engine::search::{MctsSettings, NetworkSearchSettings};
use afterstate_games::Game;
use afterstate_games::go::Go;
use anyhow::{Context, Result, bail, ensure};
use game::AnalysedGame;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Arguments of `analyze`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate analyze game.sgf\n  \
    afterstate analyze game.sgf -o analysed.sgf --svg graph.svg\n  \
    afterstate analyze game.sgf --agent mc-rave,prior=shapes:runs/quick --simulations 20000 --threads 4\n  \
    afterstate analyze game.sgf --from 30 --to 60 --threshold 5 --json\n  \
    afterstate analyze match.mat --agent expectimax:runs/gammon,plies=2\n\n\
    'before' is the chance to win with the search's own move, 'after' that with the move played, both as the side that\n\
    moved sees it. A blunder lost at least the threshold. In backgammon what a play lost is told in points, cubeless, and the\n\
    error rate in thousandths of a point for each unforced play; what a decision about the cube lost, in units of the cube, and the\n\
    cube error rate for each double, take, pass, and roll where a double was near. Ctrl-C ends the analysis and reports what there is.")]
pub struct Args {
    /// The game: an SGF file of Go, of which the first game's main line is looked at, or a .mat file of backgammon
    #[arg(value_name = "FILE")]
    game: PathBuf,
    /// Who looks at it: a tree search (see `afterstate agents`) [default: mc-rave]; backgammon: greedy or expectimax with a
    /// checkpoint
    #[arg(long, value_name = "SPEC")]
    agent: Option<String>,
    /// Simulations for each position [default: the agent's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    simulations: Option<u64>,
    /// Threads that simulate; with one, the same seed gives the same report [default: the agent's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,
    /// The first move to judge, by its number in the file
    #[arg(long, default_value_t = 1, value_name = "MOVE")]
    from: usize,
    /// The last move to judge [default: the last of the game]
    #[arg(long, value_name = "MOVE")]
    to: Option<usize>,
    /// What a blunder loses at least, in percent [default: 10]; backgammon: in points [default: 0.08]
    #[arg(long, value_name = "LOSS")]
    threshold: Option<f64>,
    /// Seed of the search's random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the game again, with win rates as comments (and for Sabaki's graph), and better lines as variations
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw who was winning when
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Backgammon for money: gammons count only once the cube was turned
    #[arg(long)]
    jacoby: bool,
    /// Backgammon without a cube, of which GNU Backgammon's files say nothing
    #[arg(long)]
    no_cube: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Everything that the result depends on, beside the game.
#[derive(Clone, Debug, Serialize)]
pub struct Effective {
    pub agent: String,
    pub simulations: u64,
    pub seed: u64,
    /// What a blunder loses at least, from 0 to 1.
    pub threshold: f64,
    pub from: usize,
    pub to: usize,
    pub search: SearchSettings,
}

/// How each position was searched.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum SearchSettings {
    Tree(MctsSettings),
    Network(NetworkSearchSettings),
}

/// Reads the game, searches, reports, and writes what was asked for.
pub fn run(args: Args) -> Result<()> {
    if args.game.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mat")) {
        return backgammon::run(&args);
    }
    for (name, given) in [("--jacoby", args.jacoby), ("--no-cube", args.no_cube)] {
        ensure!(!given, "{name} is for a .mat file of backgammon: leave it out");
    }
    let threshold = args.threshold.unwrap_or(10.0);
    ensure!(
        threshold > 0.0 && threshold <= 100.0,
        "--threshold {threshold}: expected more than 0 and at most 100 percent"
    );
    let game = AnalysedGame::read(&args.game)?;
    let range = game.moves_between(args.from, args.to)?;
    let (first, last) = (*range.start(), *range.end());

    let spec = AgentSpec::parse(args.agent.as_deref().unwrap_or("mc-rave"))?.pinned();
    let (agent, simulations, settings) = searching(&spec, &args)?;
    let searcher = GoSearcher::of(&agent, game.file.start.size()).with_context(|| format!("agent '{}'", spec.name))?;
    let search = searcher.context("every agent that searches is such an agent")?.search();
    let written = [("--output", args.output.as_deref())];
    destinations::check(&written, &[])?;
    destinations::check(&[("--svg", args.svg.as_deref())], &[written[0], ("the game", Some(&args.game))])?;
    let mut analyst = GameAnalyst::new(search, GoConduct, GameAnalysisSettings { simulations, seed: args.seed });

    let interrupted = interrupt::flag()?;
    let positions = (last + 2 - first) as u64;
    let progress = Progress::new(positions.saturating_mul(simulations), 0, "simulations", args.json);
    let mut assessments = Vec::new();
    for (begin, part) in game.parts() {
        let (from, to) = (first.max(begin), (last + 1).min(begin + part.moves().len()));
        if from > to || interrupted.load(Ordering::Relaxed) {
            continue;
        }
        let before = assessments.len() as u64 * simulations;
        let found = analyst.analyse(&part, from - begin..=to - begin, &mut |done| {
            progress.set(before + done);
            !interrupted.load(Ordering::Relaxed)
        });
        assessments.extend(found.into_iter().map(|found| Assessment { moves_made: begin + found.moves_made, ..found }));
    }
    progress.finish();
    let complete = assessments.len() as u64 == positions;
    if !complete {
        ensure!(assessments.len() > 1, "interrupted before the first move was judged");
        crate::output::tell!("note: {} of {positions} positions were analysed", assessments.len());
    }
    let effective = Effective {
        agent: spec.name,
        simulations,
        seed: args.seed,
        threshold: threshold / 100.0,
        from: game.number(first),
        to: game.number(last),
        search: settings,
    };
    let mut judged = judge(&game.record(), &assessments);
    judged.retain(|judged| !game.is_added_pass(judged.number - 1));
    let report = report::Report::new(&args.game, &game, effective, complete, &assessments, &judged);
    // The report comes first: if a file cannot be written, it should be seen all the same. Nor do files depend on whether anybody reads it.
    let mut out = output::stdout();
    let shown = if args.json { output::json(&mut out, &report) } else { report.write(&mut out) };
    if let Some(path) = &args.output {
        files::write_game(path, &game.bytes, &report, &assessments, &judged)
            .with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.svg {
        files::write_graph(path, &game, &report, &assessments, &judged).with_context(|| path.display().to_string())?;
    }
    shown
}

/// The agent as an analysis needs it, the number of its simulations, and all settings of its search. Values are wanted, and not only
/// moves, so it never stops early.
fn searching(spec: &AgentSpec, args: &Args) -> Result<(Agent, u64, SearchSettings)> {
    let mut agent = spec.agent.clone();
    let (simulations, settings) = match &mut agent {
        Agent::MonteCarlo(agent) if agent.method != Method::Flat => {
            let search = &mut agent.search;
            search.simulations = args.simulations.unwrap_or(search.simulations);
            search.threads = args.threads.unwrap_or(search.threads);
            search.early_stop = false;
            (search.simulations, SearchSettings::Tree(search.clone()))
        }
        Agent::Puct(agent) => {
            ensure!(
                args.threads.unwrap_or(1) == 1,
                "agent '{}' searches by one thread: leave --threads out",
                spec.name
            );
            let search = &mut agent.search;
            search.iterations = args.simulations.unwrap_or(search.iterations);
            search.early_stop = false;
            (search.iterations, SearchSettings::Network(search.clone()))
        }
        _ => bail!("agent '{}': expected a tree search: mcts, uct, rave, mc-rave or puct", spec.name),
    };
    Ok((agent, simulations, settings))
}

/// Whose move it was, as people say.
fn side_name(side: afterstate_games::Side) -> &'static str {
    <Go as registry::Playable>::side_name(side)
}

/// Moves as text.
fn texts(game: &Go, moves: &[<Go as Game>::Move]) -> Vec<String> {
    moves.iter().map(|&mv| afterstate_games::Notation::move_text(game, mv)).collect()
}
