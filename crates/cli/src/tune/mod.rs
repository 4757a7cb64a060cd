//! `afterstate tune`: better numbers for any agent, by games against itself.

mod template;

use crate::agent::AgentSpec;
use crate::conditions::{self, ConditionArgs};
use crate::contest;
use crate::file_lock::FileLock;
use crate::interrupt;
use crate::output::{self, Table};
use crate::progress::Progress;
use crate::registry::{self, GameArgs, GameSpec, Playable, RefereeMaker, Visitor};
use crate::standings;
use afterstate_arena::curve::{Curve, CurvePoint, Series};
use afterstate_arena::openings::OpeningSuite;
use afterstate_arena::rating::Tally;
use afterstate_arena::spsa::{Spsa, Trial};
use afterstate_arena::tournament::{self, RunOptions, TournamentSettings};
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_games::rng::mix;
use afterstate_games::stream;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use template::{Open, Template};

/// Arguments of `tune`.
#[derive(clap::Args)]
#[command(after_help = format!("Examples:\n  \
    afterstate tune 'uct:1000,exploration={{0.5:0.1}}' --game connect-four --games 4000 --workers 2\n  \
    afterstate tune 'tournament-search:runs/chess,nodes=10000,tunables=delta={{150:25}}+reverse-futility={{80:10}}' \\\n    \
      --game chess --opening 4 --draw --win --out delta.json --svg delta.svg --workers 2\n  \
    afterstate tune 'uci:engine,options=\"LmrBase={{80:10}}+LmrScale={{240:20}}\"' --game chess --time 2s+20ms\n\n\
    {{START:STEP}} stands for a number: where it begins, and by how much it is changed either way in the last games, which\n\
    should be so much that it may cost or gain a few Elo; {{START:STEP:LEAST:MOST}} bounds it, else it keeps its sign. Numbers\n\
    without a decimal point are whole. In each pair of games two copies of the agent, in which all numbers are changed a\n\
    little in opposite directions, play one opening with either side, and the numbers move towards those of the winner\n\
    (SPSA). What comes out should be tested: afterstate match NEW OLD --sprt elo0=0,elo1=5.\n\n\
    {}", conditions::HELP))]
pub struct Args {
    /// The agent, its numbers as {START:STEP} (see `afterstate agents`)
    agent: String,
    #[command(flatten)]
    game: GameArgs,
    /// Games, two a pair; thousands are needed
    #[arg(long, default_value_t = 20_000)]
    games: u32,
    /// What part of its step a number moves in the last pair for each game that is won more
    #[arg(long, default_value_t = 0.006, value_name = "R")]
    rate: f64,
    #[command(flatten)]
    how: ConditionArgs,
    /// Keep what has been found here; an interrupted run goes on from it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Plot how the numbers went
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How often what has been found is written down.
const SAVE_EVERY: Duration = Duration::from_secs(1);
/// Points of the course that are kept.
const POINTS: u64 = 200;
/// So many pairs in a row in which neither side could start mean that nobody ever will.
const MOST_UNSTARTED: usize = 4;

/// What is kept in the file.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Tuning {
    made_by: String,
    /// The agent as it was given.
    agent: String,
    /// The agent as it is now.
    tuned: String,
    game: String,
    rate: f64,
    conditions: TournamentSettings,
    numbers: Vec<Open>,
    /// Pairs of games that have been played.
    pairs: u64,
    /// Of these, the numbers of those that ended before one that was begun earlier.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    ahead: BTreeSet<u64>,
    values: Vec<f64>,
    /// The games of those whose numbers were changed in the direction that was drawn: about even.
    tally: Tally,
    /// Games that ended by a fault of the agent.
    faults: Vec<(String, u64)>,
    /// Pairs, and the values after them.
    course: Vec<(u64, Vec<f64>)>,
}

impl Tuning {
    /// The first thing in which `earlier` is another tuning than this one, in words.
    fn difference(&self, earlier: &Tuning) -> Result<Option<String>> {
        let said = |tuning: &Tuning| -> Result<serde_json::Value> {
            let mut said = serde_json::to_value(&tuning.conditions)?;
            said["agent"] = tuning.agent.clone().into();
            said["game"] = tuning.game.clone().into();
            said["rate"] = tuning.rate.into();
            Ok(said)
        };
        let (mut there, now) = (said(earlier)?, said(self)?);
        if earlier.conditions.fingerprints.is_empty() {
            // As it was before weights were told apart.
            there["fingerprints"] = now["fingerprints"].clone();
        }
        let keys =
            ["agent"].into_iter().chain(now.as_object().into_iter().flat_map(|all| all.keys().map(|key| &key[..])));
        let changed = keys.into_iter().find(|&key| there[key] != now[key]);
        Ok(changed.map(|key| format!("{key} is {} there and {} now", there[key], now[key])))
    }

    /// `earlier`, which `path` holds, if it is of the same games.
    fn gone_on_with(&self, earlier: Tuning, path: &Path) -> Result<Tuning> {
        if let Some(difference) = self.difference(&earlier)? {
            bail!("{} is of other games: {difference}; name another file", path.display());
        }
        let total = self.total();
        ensure!(
            earlier.values.len() == self.values.len()
                && earlier.pairs <= total
                && earlier.ahead.len() as u64 <= earlier.pairs
                && earlier.ahead.iter().all(|&pair| earlier.first_missing() < pair && pair < total),
            "{}: damaged: name another file",
            path.display()
        );
        let fingerprints = self.conditions.fingerprints.clone();
        Ok(Tuning { conditions: TournamentSettings { fingerprints, ..earlier.conditions }, ..earlier })
    }

    fn total(&self) -> u64 {
        u64::from(self.conditions.games / 2)
    }

    /// The first pair that has not been played.
    fn first_missing(&self) -> u64 {
        self.pairs - self.ahead.len() as u64
    }

    /// Pair number `pair` has been played.
    fn ended(&mut self, pair: u64) {
        let mut missing = self.first_missing();
        self.pairs += 1;
        self.ahead.insert(pair);
        while self.ahead.remove(&missing) {
            missing += 1;
        }
    }
}

/// Plays the games that are missing, and reports what they changed.
pub fn run(args: Args) -> Result<()> {
    let Args { agent, game, games, rate, how, out, svg, json } = args;
    let game = game.spec()?;
    let template = Template::parse(&agent).with_context(|| format!("agent '{agent}'"))?;
    ensure!(games >= 2 && games.is_multiple_of(2), "--games {games}: expected an even number above 0");
    let conditions = how.settings(game, games)?;
    contest::check_adjudication(game, &conditions)?;
    ensure!(rate.is_finite() && rate > 0.0, "--rate {rate}: expected a number above 0");
    let numbers: Vec<_> = template.open.iter().map(|open| open.number).collect();
    let start: Vec<f64> = numbers.iter().map(|number| number.start).collect();
    let spsa = Spsa::new(numbers, u64::from(games / 2), rate);
    conditions::check_time(&AgentSpec::parse(&template.fill(&start, None))?, conditions.time)?;
    let pinned = check_agents(game, &template, &spsa, conditions.seed)?;
    crate::destinations::check(
        &[("--out", out.as_deref()), ("--svg", svg.as_deref())],
        &[("--openings", how.opening_file())],
    )?;
    let _lock = out.as_deref().filter(|path| path.is_file() || !path.exists()).map(FileLock::take).transpose()?;
    let conditions = TournamentSettings { fingerprints: vec![pinned.weights_fingerprint()?], ..conditions };
    let tuning = Tuning {
        made_by: format!("afterstate {}: tune", crate::version::VERSION),
        tuned: template.fill(&start, None),
        agent,
        game: game.name(),
        rate,
        conditions,
        numbers: template.open.clone(),
        pairs: 0,
        ahead: BTreeSet::new(),
        values: start.clone(),
        tally: Tally::default(),
        faults: Vec::new(),
        course: vec![(0, start)],
    };
    let play = Play { template, pinned, spsa, how, tuning, out: out.clone(), quiet: json };
    let tuning = registry::visit(game, play)?;
    if let Some(path) = &svg {
        standings::write_file(path, &curve(&tuning).to_svg()?)?;
    }
    if tuning.pairs < tuning.total() {
        let go_on = match &out {
            Some(path) => format!("run the same command again to go on from {}", path.display()),
            None => "with --out an interrupted run can go on later".to_string(),
        };
        crate::output::tell!("note: {} of {} games played; {go_on}", 2 * tuning.pairs, 2 * tuning.total());
    }
    let mut stdout = output::stdout();
    if json {
        return output::json(&mut stdout, &tuning);
    }
    report(&mut stdout, &tuning)
}

/// Whether the agent can be had with the numbers that it begins with, and with those that the first pair tries. Returns it with its
/// weights as they are now.
fn check_agents(game: GameSpec, template: &Template, spsa: &Spsa, seed: u64) -> Result<AgentSpec> {
    let agent = AgentSpec::parse(&template.fill(spsa.values(), None))?.pinned();
    contest::check_start(game, std::slice::from_ref(&agent))?;
    for tried in spsa.trial(0, &mut stream(seed, 0)).tried {
        AgentSpec::parse(&template.fill(&tried, None)).context("with the numbers of the first games")?;
    }
    Ok(agent)
}

/// What an earlier run left.
fn read(path: &Path) -> Result<Option<Tuning>> {
    match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text)
            .map(Some)
            .with_context(|| format!("{}: expected what `afterstate tune` wrote: name another file", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

struct Play {
    template: Template,
    /// The agent as it begins, with the weights that all games are played with.
    pinned: AgentSpec,
    spsa: Spsa,
    how: ConditionArgs,
    tuning: Tuning,
    out: Option<PathBuf>,
    quiet: bool,
}

impl Visitor for Play {
    type Output = Result<Tuning>;

    fn visit<G: Playable>(self, start: G) -> Result<Tuning> {
        let Play { template, pinned, spsa, how, mut tuning, out, quiet } = self;
        let total = tuning.total();
        let suite = match how.openings() {
            Some(file) => Some(G::openings(&file.path, file.plies, total, tuning.conditions.seed)?),
            None => None,
        };
        contest::complete(&mut tuning.conditions, &start);
        tuning.conditions.openings = suite.as_ref().map_or_else(String::new, |suite| suite.name.clone());
        if let Some(path) = &out
            && let Some(mut earlier) = read(path)?
        {
            // What was left to the game is not said in files of earlier versions.
            contest::complete(&mut earlier.conditions, &start);
            tuning = tuning.gone_on_with(earlier, path)?;
        }
        let spsa = spsa.from(tuning.values.clone());
        let pairs = Pairs::new(&start, suite.as_ref(), &tuning.conditions, pinned)?;
        let interrupted = interrupt::flag()?;
        let progress = Progress::new(2 * total, 2 * tuning.pairs, "games", quiet);
        let next = tuning.first_missing();
        let saved = Instant::now();
        let shared = Shared { template, spsa, tuning, next, out, saved, unstarted: Vec::new(), error: None };
        let shared = Mutex::new(shared);
        std::thread::scope(|scope| {
            for _ in 0..how.workers() {
                scope.spawn(|| {
                    while !interrupted.load(Ordering::Relaxed) {
                        // A condition of the loop would keep the lock while the games are played.
                        let Some(begun) = lock(&shared).begin() else { break };
                        let played = pairs.play(&begun, interrupted);
                        let mut shared = lock(&shared);
                        shared.end(begun, played);
                        progress.set(2 * shared.tuning.pairs);
                    }
                });
            }
        });
        progress.finish();
        let mut shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        shared.save()?;
        match shared.error {
            Some(error) => Err(error),
            None => Ok(shared.tuning),
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What pairs in progress share.
struct Shared {
    template: Template,
    spsa: Spsa,
    tuning: Tuning,
    /// The next pair to begin.
    next: u64,
    out: Option<PathBuf>,
    saved: Instant,
    /// The last pairs, if neither side could start in any of them; they are played again by whoever goes on from here.
    unstarted: Vec<(Begun, Played)>,
    /// The first thing that went wrong: no other pair is begun.
    error: Option<anyhow::Error>,
}

/// A pair of games that is being played.
struct Begun {
    pair: u64,
    trial: Trial,
    agents: [String; 2],
}

impl Shared {
    fn begin(&mut self) -> Option<Begun> {
        while self.tuning.ahead.contains(&self.next) {
            self.next += 1;
        }
        if self.next == self.tuning.total() || self.error.is_some() {
            return None;
        }
        let pair = self.next;
        self.next += 1;
        let mut rng = stream(self.tuning.conditions.seed, pair);
        let trial = self.spsa.trial(pair, &mut rng);
        let agents = trial.tried.each_ref().map(|tried| self.template.fill(tried, Some(&mut rng)));
        Some(Begun { pair, trial, agents })
    }

    fn end(&mut self, begun: Begun, played: Result<Option<Played>>) {
        let learnt = played.and_then(|played| match played {
            // Abandoned.
            None => Ok(()),
            Some(played) => self.heed(begun, played),
        });
        if let Err(error) = learnt {
            self.error.get_or_insert(error);
        }
    }

    /// Numbers with which an agent cannot start are lost with, which leads away from them. A program that starts with none has gone.
    fn heed(&mut self, begun: Begun, played: Played) -> Result<()> {
        if let Some(why) = &played.unstarted {
            let why = why.clone();
            self.unstarted.push((begun, played));
            let pairs = self.unstarted.len();
            ensure!(pairs < MOST_UNSTARTED, "neither side could start in {pairs} pairs of games in a row: {why}");
            return Ok(());
        }
        for (begun, played) in std::mem::take(&mut self.unstarted) {
            self.learn(&begun, &played)?;
        }
        self.learn(&begun, &played)
    }

    fn learn(&mut self, begun: &Begun, played: &Played) -> Result<()> {
        let Tally { wins, draws, losses } = played.tally;
        self.spsa.learn(begun.pair, &begun.trial, wins as f64 - losses as f64);
        let tuning = &mut self.tuning;
        let all = &mut tuning.tally;
        (all.wins, all.draws, all.losses) = (all.wins + wins, all.draws + draws, all.losses + losses);
        for (fault, count) in &played.faults {
            match tuning.faults.iter_mut().find(|(other, _)| other == fault) {
                Some((_, all)) => *all += count,
                None => tuning.faults.push((fault.clone(), *count)),
            }
        }
        tuning.ended(begun.pair);
        tuning.values = self.spsa.values().to_vec();
        tuning.tuned = self.template.fill(&tuning.values, None);
        if tuning.pairs.is_multiple_of(tuning.total().div_ceil(POINTS)) || tuning.pairs == tuning.total() {
            tuning.course.push((tuning.pairs, tuning.values.clone()));
        }
        if self.saved.elapsed() >= SAVE_EVERY { self.save() } else { Ok(()) }
    }

    fn save(&mut self) -> Result<()> {
        let Some(path) = &self.out else { return Ok(()) };
        self.saved = Instant::now();
        let text = serde_json::to_string(&self.tuning)? + "\n";
        write_whole(path, text.as_bytes()).with_context(|| path.display().to_string())
    }
}

impl Played {
    /// A pair of games of which at least one player cannot be had.
    fn without_a_move(specs: &[Result<AgentSpec>; 2]) -> Played {
        let tally = match specs {
            [Ok(_), _] => Tally { wins: 2, ..Tally::default() },
            [_, Ok(_)] => Tally { losses: 2, ..Tally::default() },
            _ => Tally { draws: 2, ..Tally::default() },
        };
        let fault = |error: &anyhow::Error| (format!("an agent that cannot be: {error:#}"), 2);
        Played {
            tally,
            faults: specs.iter().filter_map(|spec| spec.as_ref().err().map(fault)).collect(),
            unstarted: None,
        }
    }
}

/// Plays pairs of games.
struct Pairs<'a, G: Playable> {
    start: &'a G,
    suite: Option<&'a OpeningSuite<G>>,
    /// Of a match of two games.
    settings: TournamentSettings,
    referee: RefereeMaker<G>,
    /// Whose weights all play with.
    pinned: AgentSpec,
}

/// How a pair went.
struct Played {
    tally: Tally,
    faults: Vec<(String, u64)>,
    /// Why neither side could start.
    unstarted: Option<String>,
}

impl<'a, G: Playable> Pairs<'a, G> {
    fn new(
        start: &'a G,
        suite: Option<&'a OpeningSuite<G>>,
        of_all: &TournamentSettings,
        pinned: AgentSpec,
    ) -> Result<Self> {
        let settings = TournamentSettings {
            games: 2,
            agents: vec!["one".into(), "other".into()],
            fingerprints: Vec::new(),
            ..of_all.clone()
        };
        let referee = G::referee(&settings.referee)?;
        Ok(Pairs { start, suite, settings, referee, pinned })
    }

    /// Nothing if `stop` was set meanwhile.
    fn play(&self, Begun { pair, agents, .. }: &Begun, stop: &Arc<AtomicBool>) -> Result<Option<Played>> {
        let specs = match [&agents[0], &agents[1]].map(|text| AgentSpec::parse(text)) {
            [Ok(one), Ok(other)] => [one, other],
            // Numbers that an agent cannot have are lost with, which leads away from them.
            unfit => return Ok(Some(Played::without_a_move(&unfit))),
        };
        let opening = self.suite.and_then(|suite| suite.of_pair(*pair));
        let suite = opening.map(|opening| OpeningSuite { name: pair.to_string(), openings: vec![opening.clone()] });
        let settings = TournamentSettings {
            openings: suite.as_ref().map_or_else(String::new, |suite| suite.name.clone()),
            seed: mix(self.settings.seed ^ mix(*pair)),
            ..self.settings.clone()
        };
        let [one, other] = specs.map(|spec| registry::players(self.start, &spec.with_checkpoints_of(&self.pinned)));
        let factories = [one?, other?];
        let build = |agent: usize| factories[agent]();
        let results = tournament::run_from(
            &settings,
            self.start,
            suite.as_ref(),
            &build,
            &*self.referee,
            &RunOptions { stop: Arc::clone(stop), ..RunOptions::default() },
            &mut |_| {},
        )?;
        if !results.complete {
            return Ok(None);
        }
        let agent = "an agent".to_string();
        let unstarted = results.games.iter().find(|game| !game.result.counts());
        Ok(Some(Played {
            tally: standings::tally(&results.games),
            faults: standings::faults(&[agent.clone(), agent], &results.games),
            unstarted: unstarted.map(|game| game.result.ending.detail.clone()),
        }))
    }
}

/// How far the numbers went, in their steps.
fn curve(tuning: &Tuning) -> Curve {
    let series = |(i, open): (usize, &Open)| {
        let moved = |values: &[f64]| (values[i] - open.number.start) / open.number.step;
        let point = |(pairs, values): &(u64, Vec<f64>)| CurvePoint::around(2.0 * *pairs as f64, moved(values), 0.0);
        Series { name: open.name.clone(), points: tuning.course.iter().map(point).collect() }
    };
    Curve {
        title: "Numbers by how far they went from where they began".to_string(),
        x_label: "Games".to_string(),
        y_label: "Steps".to_string(),
        log_x: false,
        series: tuning.numbers.iter().enumerate().map(series).collect(),
        ..Curve::default()
    }
}

fn report(out: &mut dyn Write, tuning: &Tuning) -> Result<()> {
    let mut table = Table::new(["number", "start", "now", "steps"]);
    for (open, value) in tuning.numbers.iter().zip(&tuning.values) {
        let steps = (value - open.number.start) / open.number.step;
        table.row([open.name.clone(), open.text(open.number.start), open.text(*value), format!("{steps:+.2}")]);
    }
    table.write(out)?;
    writeln!(out, "after {} games: {}", 2 * tuning.pairs, tuning.tuned)?;
    standings::write_faults(out, &tuning.faults)?;
    Ok(out.flush()?)
}
