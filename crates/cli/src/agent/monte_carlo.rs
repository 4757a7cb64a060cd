//! Agents that simulate: their settings as text, and typed.

use super::catalogue::{Kind, Setting, setting};
use super::playout::{MERCY, PLAYOUT, Playout, SELF_ATARI, WITHOUT};
use super::prior::{PRIOR, Prior, priors};
use super::settings::Settings;
use afterstate_arena::MctsPlayerSettings;
use afterstate_engine::search::{
    Experience, FinalMove, GreedyMcts, McRave, MctsSettings, Parallelisation, Passes, Rave, Schedule, Widening,
};
use afterstate_engine::value::ShapeAgent;
use afterstate_nets::ResidualAgent;
use anyhow::{Result, bail, ensure};

/// An agent that decides by simulations.
#[derive(Clone, Debug, PartialEq)]
pub struct MonteCarlo {
    /// How simulations go through the tree.
    pub method: Method,
    /// How they go on behind it.
    pub playout: Playout,
    /// Or where they end before the game does.
    pub truncation: Option<Truncation>,
    /// The network that has a say in what simulations come to, if any.
    pub mix: Option<Mix>,
    /// What new moves of the tree start with.
    pub priors: Vec<Prior>,
    /// How much each prior counts.
    pub experience: Experience,
    /// What part of the simulations teaches [`Prior::ShortTerm`].
    pub prior_share: f32,
    /// The tree.
    pub search: MctsSettings,
    /// The player around the search.
    pub player: MctsPlayerSettings,
}

/// How simulations choose their first moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Without a tree: each move in turn.
    Flat,
    /// By the mean.
    Greedy(GreedyMcts),
    /// By an upper confidence bound.
    Uct {
        /// How much uncertainty adds; `None`: as much as suits the game.
        exploration: Option<f32>,
        /// What a move counts as that no simulation has played.
        first_play_urgency: f32,
    },
    /// By all-moves-as-first values.
    Rave(Rave),
    /// By both.
    McRave(McRave),
}

/// Truncated simulations: random moves, then a value function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// So many moves behind the tree.
    pub moves: u32,
    /// The checkpoint that values where they end; `None`: all positions are even.
    pub values: Option<String>,
}

/// A network that has a say in what simulations come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix {
    /// Its checkpoint.
    pub network: String,
    /// How much of the outcome it says, from 0 to 1 (λ).
    pub weight: f32,
}

pub(super) const SIMULATIONS: Setting =
    setting("simulations", Some("3000"), "simulations for a move when no clock limits it");
const TRUNCATE: Setting = setting(
    "truncate",
    Some("none"),
    "end simulations after so many random moves behind the tree, 0 to 10000, by what 'values' says; or none",
);
const VALUES: Setting =
    setting("values", Some("even"), "with truncate: what positions are worth: a checkpoint, as for greedy; or even");
const MIX: Setting = setting(
    "mix",
    Some("none"),
    "in go: what simulations come to is mixed with what network:CHECKPOINT says of where they left the tree; or none",
);
const MIX_WEIGHT: Setting = setting("mix-weight", Some("0.5"), "with mix: how much the network says, 0 to 1");
const WITHOUT_RAPID: Setting = setting(
    "without-rapid",
    Some("0"),
    "one choice in so many is made without all-moves-as-first values, which may be wrong about a move; 0 (never) to 1000000",
);
const URGENCY: Setting =
    setting("first-play-urgency", Some("1"), "what a move without any simulation counts as, -10 to 10");
const PRIOR_SHARE: Setting = setting(
    "prior-share",
    Some("0.5"),
    "with prior=short-term: the part of the simulations, or of the time, that teaches it, 0 to 1",
);
const MC_PRIOR_WEIGHT: Setting = setting("prior-weight", Some("10"), "simulations that a prior counts as, 0 to 10000");
const EXPAND: Setting =
    setting("expansion-threshold", Some("1"), "the visit at which a position enters the tree, 1 to 10000");
const SOLVER: Setting = setting("solver", Some("false"), "prove certain wins, losses and draws: true or false");
pub(super) const FINAL: Setting =
    setting("final-move", Some("visits"), "what decides in the end: visits, value or lower-bound");
pub(super) const THREADS: Setting =
    setting("threads", Some("1"), "threads that simulate, 1 to 256; one repeats itself exactly");
const PARALLEL: Setting = setting("parallel", Some("tree"), "threads share one tree, or have one each: tree or root");
const MEMORY: Setting = setting("memory-mib", Some("256"), "memory for the tree in MiB, 1 to 1048576");
const REUSE: Setting = setting("reuse", Some("true"), "keep the tree below the moves played: true or false");
const VIRTUAL_LOSS: Setting =
    setting("virtual-loss", Some("1"), "threads on one tree: losses that a simulation under way counts as, 0 to 1000");
const WIDENING: Setting = setting(
    "widening",
    Some("none"),
    "progressive widening: moves considered at first, those with the best priors, 1 to 1000; or none",
);
const WIDENING_FIRST: Setting =
    setting("widening-first", Some("40"), "with widening: visits until one more move is considered, 1 to 1e9");
const WIDENING_GROWTH: Setting =
    setting("widening-growth", Some("1.4"), "with widening: how many times as long each later one waits, 1 to 100");
const PASSES: Setting = setting(
    "passes",
    Some("always"),
    "where passes are searched: always, ending (where they end the game), or candidates (where nothing else is sensible)",
);
pub(super) const EARLY_STOP: Setting = setting(
    "early-stop",
    Some("true"),
    "stop when what is left cannot change the decision, unless by a proof: true or false",
);
pub(super) const RESIGN: Setting = setting(
    "resign",
    Some("0.05"),
    "resign when the chance to win was below this three times in a row, 0 (never) to 1",
);
pub(super) const PONDER: Setting = setting("ponder", Some("false"), "search on the opponent's time: true or false");

macro_rules! tree_settings {
    ($($own:expr),* $(,)?) => {
        &[SIMULATIONS, $($own,)* PRIOR_SHARE, PLAYOUT, WITHOUT, SELF_ATARI, MERCY, TRUNCATE, VALUES, MIX, MIX_WEIGHT,
          EXPAND, WIDENING, WIDENING_FIRST, WIDENING_GROWTH, SOLVER, FINAL, THREADS, PARALLEL, VIRTUAL_LOSS, MEMORY, REUSE,
          PASSES, EARLY_STOP, RESIGN, PONDER]
    };
}

/// The kinds of agents that simulate.
pub const KINDS: [Kind; 5] = [
    Kind {
        name: "flat-mc",
        summary: "flat Monte-Carlo: as many simulations for every move, the best mean is played",
        games: "all but backgammon",
        main: Some("simulations"),
        settings: &[SIMULATIONS, PLAYOUT, WITHOUT, SELF_ATARI, MERCY, TRUNCATE, VALUES, RESIGN],
        example: "flat-mc:1000",
    },
    Kind {
        name: "mcts",
        summary: "greedy Monte-Carlo tree search: simulations follow the best mean so far",
        games: "all but backgammon",
        main: Some("simulations"),
        settings: tree_settings![URGENCY, PRIOR, MC_PRIOR_WEIGHT],
        example: "mcts:1000,first-play-urgency=0.6",
    },
    Kind {
        name: "uct",
        summary: "Monte-Carlo tree search by upper confidence bounds",
        games: "all but backgammon",
        main: Some("simulations"),
        settings: tree_settings![
            setting(
                "exploration",
                Some("usual"),
                "how much uncertainty adds to a mean, 0 to 100 (c); usual is 0.25 in go and 1 elsewhere"
            ),
            URGENCY,
            PRIOR,
            MC_PRIOR_WEIGHT,
        ],
        example: "uct:3000,playout=uniform,exploration=0.5",
    },
    Kind {
        name: "rave",
        summary: "Monte-Carlo tree search by all-moves-as-first values alone",
        games: "all but backgammon",
        main: Some("simulations"),
        settings: tree_settings![
            URGENCY,
            PRIOR,
            setting("prior-weight", Some("50"), "all-moves-as-first updates that a prior counts as, 0 to 10000"),
            WITHOUT_RAPID,
        ],
        example: "rave:1000",
    },
    Kind {
        name: "mc-rave",
        summary: "Monte-Carlo tree search by means and all-moves-as-first values together: MoGo",
        games: "all but backgammon",
        main: Some("simulations"),
        settings: tree_settings![
            setting(
                "beta",
                Some("min-mse"),
                "how all-moves-as-first values lose weight: hand, min-mse or full-min-mse"
            ),
            setting("equivalence", Some("1000"), "beta=hand: visits at which both weigh the same, 1 to 1e9 (k)"),
            setting("bias", Some("0.035"), "other beta: how much all-moves-as-first values are off, 0 to 1"),
            setting("exploration", Some("0"), "how much uncertainty adds, 0 to 100 (c): with more than 0, UCT-RAVE"),
            setting(
                "weighted-exploration",
                Some("false"),
                "it adds to the part that means have in a value alone (1−β)"
            ),
            URGENCY,
            setting(
                "prior",
                Some("usual"),
                "as for uct; usual in go is fuego, or handcrafted with other playouts, and even elsewhere"
            ),
            setting("prior-weight", Some("9"), "all-moves-as-first updates that a prior counts as, 0 to 10000"),
            setting("prior-weight-mc", Some("5"), "simulations that a prior counts as, 0 to 10000"),
            WITHOUT_RAPID,
        ],
        example: "mc-rave:10000,beta=hand,equivalence=1000,prior=shapes:runs/quick",
    },
];

impl MonteCarlo {
    /// The checkpoints that it needs.
    pub fn checkpoints(&mut self) -> impl Iterator<Item = &mut String> {
        let of_priors = self.priors.iter_mut().filter_map(|prior| match prior {
            Prior::Shapes(checkpoint) | Prior::Network(checkpoint) | Prior::ShortTerm(Some(checkpoint)) => {
                Some(checkpoint)
            }
            _ => None,
        });
        let of_truncation = self.truncation.as_mut().and_then(|truncation| truncation.values.as_mut());
        let of_mix = self.mix.as_mut().map(|mix| &mut mix.network);
        of_priors.chain(of_truncation).chain(of_mix).chain(self.playout.checkpoint())
    }

    /// A residual network's checkpoint that it needs.
    fn network(&self) -> Option<&String> {
        let of_priors = self.priors.iter().find_map(|prior| match prior {
            Prior::Network(checkpoint) => Some(checkpoint),
            _ => None,
        });
        of_priors.or_else(|| self.mix.as_ref().map(|mix| &mix.network))
    }

    /// A checkpoint of local shapes that it needs.
    fn shapes(&self) -> Option<&String> {
        let of_priors = self.priors.iter().find_map(|prior| match prior {
            Prior::Shapes(checkpoint) | Prior::ShortTerm(Some(checkpoint)) => Some(checkpoint),
            _ => None,
        });
        of_priors.or_else(|| self.truncation.as_ref().and_then(|truncation| truncation.values.as_ref()))
    }

    /// The long-term memory of the TD search that goes before, if there is one; `None`: there is no such search.
    pub fn short_term(&self) -> Option<Option<&str>> {
        self.priors.iter().find_map(|prior| match prior {
            Prior::ShortTerm(long) => Some(long.as_deref()),
            _ => None,
        })
    }

    /// Whether it needs a checkpoint, which is of one board size.
    pub fn has_learnt(&self) -> bool {
        self.shapes().or(self.network()).is_some()
    }

    /// The size of board that it learnt on; `None` for what plays on every size.
    pub fn learnt_on(&self) -> Result<Option<usize>> {
        match (self.shapes(), self.network()) {
            (Some(shapes), _) => Ok(Some(ShapeAgent::load(shapes)?.about.board_size)),
            (None, Some(network)) => Ok(Some(ResidualAgent::load(network)?.about.network.height)),
            (None, None) => Ok(None),
        }
    }

    /// Reads the settings of an agent of a kind in [`KINDS`].
    pub fn build(settings: &mut Settings) -> Result<MonteCarlo> {
        let kind = settings.kind().name;
        let simulations = settings.whole("simulations", 1, 1_000_000_000_000)?;
        let mut player =
            MctsPlayerSettings { resign_below: settings.number("resign", 0.0, 1.0)? as f32, ..Default::default() };
        let playout = Playout::build(settings)?;
        let truncation = truncation(settings)?;
        if kind == "flat-mc" {
            let search = MctsSettings { simulations, ..MctsSettings::default() };
            let experience = Experience { monte_carlo: 0, amaf: 0 };
            let (method, priors) = (Method::Flat, Vec::new());
            return Ok(MonteCarlo {
                method,
                playout,
                truncation,
                mix: None,
                priors,
                experience,
                prior_share: 0.0,
                search,
                player,
            });
        }
        let mix = mix(settings)?;
        player.ponder = settings.flag("ponder")?;
        let search = MctsSettings {
            simulations,
            expansion_threshold: settings.whole("expansion-threshold", 1, 10_000)? as u32,
            memory_mib: settings.whole("memory-mib", 1, 1 << 20)? as usize,
            reuse_tree: settings.flag("reuse")?,
            threads: settings.whole("threads", 1, 256)? as u32,
            parallelisation: settings
                .choice("parallel", &[("tree", Parallelisation::Tree), ("root", Parallelisation::Root)])?,
            virtual_loss: settings.whole("virtual-loss", 0, 1000)? as u32,
            widening: widening(settings)?,
            passes: settings.choice(
                "passes",
                &[("always", Passes::Always), ("ending", Passes::Ending), ("candidates", Passes::Candidates)],
            )?,
            early_stop: settings.flag("early-stop")?,
            solver: settings.flag("solver")?,
            final_move: final_move(settings)?,
            ..MctsSettings::default()
        };
        let (unused, otherwise): (&[&str], _) = match search.parallelisation {
            _ if search.threads == 1 => {
                (&["parallel", "virtual-loss"], "with one thread: leave it out, or set threads=2")
            }
            Parallelisation::Root => {
                (&["virtual-loss"], "with a tree for each thread: leave it out, or set parallel=tree")
            }
            Parallelisation::Tree => (&[], ""),
        };
        if let Some(part) = unused.iter().find(|part| settings.is_given(part)) {
            bail!("{}: {part} does nothing {otherwise}", settings.source());
        }
        let without_rapid = match kind {
            "rave" | "mc-rave" => settings.whole("without-rapid", 0, 1_000_000)? as u32,
            _ => 0,
        };
        let search = MctsSettings { without_rapid, ..search };
        let first_play_urgency = settings.number("first-play-urgency", -10.0, 10.0)? as f32;
        let weight = settings.whole("prior-weight", 0, 10_000)? as u16;
        let mut experience = Experience { monte_carlo: 0, amaf: weight };
        let method = match kind {
            "mcts" => Method::Greedy(GreedyMcts { first_play_urgency }),
            "uct" => {
                let exploration = match settings.text("exploration")?.as_str() {
                    "usual" => None,
                    _ => Some(settings.number("exploration", 0.0, 100.0)? as f32),
                };
                Method::Uct { exploration, first_play_urgency }
            }
            "rave" => Method::Rave(Rave { first_play_urgency }),
            "mc-rave" => {
                experience.monte_carlo = settings.whole("prior-weight-mc", 0, 10_000)? as u16;
                let exploration = settings.number("exploration", 0.0, 100.0)? as f32;
                let weighted_exploration = settings.flag("weighted-exploration")?;
                ensure!(
                    exploration > 0.0 || !weighted_exploration,
                    "{}: weighted-exploration does nothing without exploration: leave it out, or set that",
                    settings.source()
                );
                let schedule = schedule(settings)?;
                Method::McRave(McRave { schedule, exploration, weighted_exploration, first_play_urgency })
            }
            other => bail!("agent kind '{other}' does not simulate"),
        };
        if matches!(method, Method::Greedy(_) | Method::Uct { .. }) {
            experience = Experience { monte_carlo: weight, amaf: 0 };
        }
        let (priors, prior_share) = (priors(settings)?, settings.number("prior-share", 0.0, 1.0)? as f32);
        let short_term = priors.iter().filter(|prior| matches!(prior, Prior::ShortTerm(_))).count();
        ensure!(
            search.reuse_tree || !player.ponder || short_term > 0,
            "{}: ponder does nothing with reuse=false, which forgets what was found: leave one of them out",
            settings.source()
        );
        for part in ["prior-weight", "prior-weight-mc"] {
            ensure!(
                !(priors.is_empty() && settings.is_given(part)),
                "{}: {part} does nothing without a prior: leave it out, or set prior=even",
                settings.source()
            );
        }
        ensure!(
            short_term <= 1,
            "{}: prior: short-term is there {short_term} times, once is enough",
            settings.source()
        );
        ensure!(
            short_term == 1 || !settings.is_given("prior-share"),
            "{}: prior-share does nothing without prior=short-term: leave it out, or add that",
            settings.source()
        );
        Ok(MonteCarlo { method, playout, truncation, mix, priors, experience, prior_share, search, player })
    }
}

pub(super) fn final_move(settings: &mut Settings) -> Result<FinalMove> {
    let rules = [("visits", FinalMove::Visits), ("value", FinalMove::Value), ("lower-bound", FinalMove::LowerBound)];
    settings.choice("final-move", &rules)
}

fn schedule(settings: &mut Settings) -> Result<Schedule> {
    let beta = settings.choice("beta", &[("hand", 0), ("min-mse", 1), ("full-min-mse", 2)])?;
    let unused = if beta == 0 { "bias" } else { "equivalence" };
    ensure!(
        !settings.is_given(unused),
        "{}: {unused} does nothing with this beta: leave it out, or set beta={}",
        settings.source(),
        if beta == 0 { "min-mse" } else { "hand" }
    );
    Ok(match beta {
        0 => Schedule::HandSelected { equivalence: settings.number("equivalence", 1.0, 1e9)? as f32 },
        1 => Schedule::MinimumMse { bias: settings.number("bias", 0.0, 1.0)? as f32 },
        _ => Schedule::FullMinimumMse { bias: settings.number("bias", 0.0, 1.0)? as f32 },
    })
}

fn widening(settings: &mut Settings) -> Result<Option<Widening>> {
    if settings.text("widening")? == "none" {
        for part in ["widening-first", "widening-growth"] {
            ensure!(
                !settings.is_given(part),
                "{}: {part} does nothing without widening: leave it out, or set widening=1",
                settings.source()
            );
        }
        return Ok(None);
    }
    Ok(Some(Widening {
        start: settings.whole("widening", 1, 1000)? as u32,
        first: settings.number("widening-first", 1.0, 1e9)? as f32,
        growth: settings.number("widening-growth", 1.0, 100.0)? as f32,
    }))
}

fn truncation(settings: &mut Settings) -> Result<Option<Truncation>> {
    if settings.text("truncate")? == "none" {
        ensure!(
            !settings.is_given("values"),
            "{}: values does nothing without truncate: leave it out, or set truncate=10",
            settings.source()
        );
        return Ok(None);
    }
    for part in ["playout", "playout-without", "avoid-self-atari", "mercy"] {
        ensure!(
            !settings.is_given(part),
            "{}: truncated simulations play random moves and know no {part}: leave it out, or truncate",
            settings.source()
        );
    }
    let moves = settings.whole("truncate", 0, 10_000)? as u32;
    Ok(Some(Truncation { moves, values: Some(settings.text("values")?).filter(|values| values != "even") }))
}

fn mix(settings: &mut Settings) -> Result<Option<Mix>> {
    let text = settings.text("mix")?;
    if text == "none" {
        ensure!(
            !settings.is_given("mix-weight"),
            "{}: mix-weight does nothing without mix: leave it out, or set mix=network:CHECKPOINT",
            settings.source()
        );
        return Ok(None);
    }
    let Some(network) = text.strip_prefix("network:").filter(|checkpoint| !checkpoint.is_empty()) else {
        bail!("{}: mix '{text}': expected none or network:CHECKPOINT", settings.source())
    };
    let weight = settings.number("mix-weight", 0.0, 1.0)? as f32;
    Ok(Some(Mix { network: network.to_string(), weight }))
}
