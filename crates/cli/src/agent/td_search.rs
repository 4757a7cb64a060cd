//! Agents that learn while they simulate: their settings as text, and typed.

use super::alpha_beta;
use super::catalogue::{Kind, Setting, setting};
use super::monte_carlo::{PONDER, RESIGN, SIMULATIONS, THREADS};
use super::playout::{MERCY, PLAYOUT, Playout, SELF_ATARI, WITHOUT};
use super::settings::Settings;
use afterstate_arena::MctsPlayerSettings;
use afterstate_arena::time_manager::TimeSettings;
use afterstate_engine::learning::{TdSettings, TraceKind};
use afterstate_engine::search::{TdSearchSettings, TwoPhaseSettings};
use afterstate_engine::value::{Squash, WindowSizes};
use anyhow::{Result, anyhow, ensure};

/// An agent that decides by TD search, alone or as the first of two phases.
#[derive(Clone, Debug, PartialEq)]
pub struct TdSearch {
    /// The checkpoint of the long-term memory, as [`ShapeAgent::find`](afterstate_engine::value::ShapeAgent::find)
    /// understands it; `None`: TD search alone.
    pub memory: Option<String>,
    /// Whether both memories are one table, which begins every game with the long-term weights.
    pub one_table: bool,
    /// Which windows the short-term memory looks at, unless there is but one table.
    pub features: WindowSizes,
    /// How it learns. With a long-term memory its values are that one's, linear or logistic.
    pub td: TdSettings,
    /// The simulations.
    pub search: TdSearchSettings,
    /// The alpha-beta search after them, if there is one.
    pub second: Option<TwoPhaseSettings>,
    /// How they go on after the switch.
    pub playout: Playout,
    /// The player around the search.
    pub player: MctsPlayerSettings,
}

const SWITCH: Setting = setting(
    "switch",
    Some("6"),
    "after how many moves of a simulation the playout policy chooses, 0 to 1000000, or never (T)",
);
const EXPLORATION: Setting =
    setting("exploration", Some("0.3"), "probability of a random move before the switch, 0 to 1 (epsilon)");
const EXPLORE_BY_PLAYOUT: Setting = setting(
    "explore-by-playout",
    Some("0.6"),
    "probability that the playout policy chooses in place of chance, where a random move would be played, 0 to 1; uniform playouts choose by chance, too",
);
const RANDOM_AFTER: Setting = setting(
    "random-after-switch",
    Some("0.4"),
    "probability of a random move after the switch, in place of the playout policy's, 0 to 1; those of uniform playouts are random anyway",
);
const LEARN: Setting = setting(
    "learn",
    Some("32"),
    "how many moves of a simulation learn, whoever chooses them, 1 to 1000000, or all, as with a later switch or none; the last learn its outcome",
);
const STEP_SIZE: Setting =
    setting("step-size", Some("0.1"), "how far a position moves towards its target, 0 to 100 (alpha)");
const LAMBDA: Setting =
    setting("lambda", Some("0"), "0: positions learn from the next value; 1: from the outcome; or between");
const TRACES: Setting = setting(
    "traces",
    Some("accumulating"),
    "the form of lambda: credit of shapes that are there again is accumulating or replacing; or backward, after each simulation",
);
const FEATURES: Setting = setting(
    "features",
    Some("1+2"),
    "sizes of the windows, joined by +: 1, 2, 3; in chess its terms are learnt instead",
);
const SQUASH: Setting = setting("squash", Some("logistic"), "what makes a value of a sum: logistic or linear");
const RESET: Setting =
    setting("reset", Some("false"), "whether every move begins with nothing learnt, for experiments: true or false");

const TABLES: Setting = setting(
    "tables",
    Some("two"),
    "with a memory: two; or, in go, one, with the checkpoint's windows, that begins every game with its weights",
);
const MOVE_GAP: Setting = setting(
    "move-gap",
    Some("0"),
    "for experiments: moves are chosen by what was learnt so many moves of both sides ago, 0 to 1000",
);

macro_rules! td_settings {
    ($($own:expr),* $(,)?) => {
        &[SIMULATIONS, $($own,)* SWITCH, EXPLORATION, EXPLORE_BY_PLAYOUT, RANDOM_AFTER, LEARN, STEP_SIZE, LAMBDA, TRACES, FEATURES,
          PLAYOUT, WITHOUT, SELF_ATARI, MERCY, THREADS, RESET, RESIGN, PONDER]
    };
}

/// The kinds of agents that decide by TD search.
pub const KINDS: [Kind; 3] = [
    Kind {
        name: "td-search",
        summary: "temporal-difference search: learns local shapes from simulations of the game at hand",
        games: "go, connect-four, tic-tac-toe, chess",
        main: Some("simulations"),
        settings: td_settings![SQUASH, MOVE_GAP],
        example: "td-search:5000,exploration=0.1,explore-by-playout=0,random-after-switch=0,learn=all",
    },
    Kind {
        name: "dyna-2",
        summary: "TD search that corrects what a checkpoint knows: long-term and short-term memory",
        games: "go, connect-four, tic-tac-toe, chess",
        main: Some("simulations"),
        settings: td_settings![
            setting("memory", None, "the long-term memory: a checkpoint, as for greedy"),
            TABLES,
            MOVE_GAP,
        ],
        example: "dyna-2:2000,memory=runs/quick@10000",
    },
    Kind {
        name: "two-phase",
        summary: "TD search, or Dyna-2 with a memory, and then alpha-beta on what it has learnt",
        games: "go, connect-four, tic-tac-toe, chess",
        main: Some("simulations"),
        settings: td_settings![
            setting("depth", Some("5"), "plies of the second phase, 1 to 64; with a clock it goes on while time lasts"),
            setting("split", Some("0.5"), "the share of the time that the first phase gets, 0 to 1"),
            alpha_beta::TABLE,
            alpha_beta::DEEPENING,
            alpha_beta::PRINCIPAL_VARIATION,
            alpha_beta::KILLERS,
            alpha_beta::HISTORY,
            alpha_beta::NULL_MOVE,
            setting(
                "decay",
                Some("20"),
                "with a clock a move gets one part in so many of what is left, 2 to 1000; never: as other agents do",
            ),
            setting("memory", Some("none"), "a long-term memory, which makes the first phase Dyna-2: as for dyna-2"),
            TABLES,
            SQUASH,
        ],
        example: "two-phase:2000,depth=5,memory=runs/quick@10000",
    },
];

impl TdSearch {
    /// Reads the settings of an agent of a kind in [`KINDS`].
    pub fn build(settings: &mut Settings) -> Result<TdSearch> {
        let kind = settings.kind().name;
        let memory = match kind {
            "td-search" => None,
            _ => Some(settings.text("memory")?).filter(|memory| memory != "none"),
        };
        ensure!(
            kind != "dyna-2" || memory.is_some(),
            "{}: memory 'none': without a long-term memory it is td-search",
            settings.source()
        );
        let one_table = kind != "td-search" && settings.choice("tables", &[("two", false), ("one", true)])?;
        ensure!(
            memory.is_some() || !settings.is_given("tables"),
            "{}: tables does nothing without a memory: leave it out",
            settings.source()
        );
        if one_table {
            let unused = ["features", "lambda", "traces"].into_iter().find(|name| settings.is_given(name));
            ensure!(
                unused.is_none(),
                "{}: {} does nothing with tables=one, which has the checkpoint's windows and no traces: leave it out",
                settings.source(),
                unused.unwrap_or_default()
            );
        }
        let squash = if memory.is_some() {
            ensure!(
                !settings.is_given("squash"),
                "{}: squash does nothing with a memory, whose values are what they are: leave it out",
                settings.source()
            );
            Squash::Logistic
        } else {
            settings.choice("squash", &[("logistic", Squash::Logistic), ("linear", Squash::Linear)])?
        };
        let unless = |settings: &mut Settings, name: &str, low: u64, none: &str| -> Result<Option<u32>> {
            if settings.text(name)? == none {
                return Ok(None);
            }
            Ok(Some(settings.whole(name, low, 1_000_000)? as u32))
        };
        let (second, time) = match kind {
            "two-phase" => {
                (Some(second(settings)?), TimeSettings { decay: decay(settings)?, ..TimeSettings::default() })
            }
            _ => (None, TimeSettings::default()),
        };
        let switch_after = unless(settings, "switch", 0, "never")?;
        let mut learn_moves = unless(settings, "learn", 1, "all")?;
        // What a simulation chooses by itself it learns from.
        if learn_moves.is_some_and(|learnt| switch_after.is_none_or(|after| after > learnt)) {
            ensure!(
                !settings.is_given("learn"),
                "{}: switch comes after the last move that learns: expected learn=all, or at least as many as switch",
                settings.source()
            );
            learn_moves = None;
        }
        for (name, needed, nothing) in [
            (
                "random-after-switch",
                "a switch before the last move that learns",
                switch_after.is_none_or(|after| learn_moves == Some(after)),
            ),
            ("exploration", "moves before the switch", switch_after == Some(0)),
            ("explore-by-playout", "exploration", settings.number("exploration", 0.0, 1.0)? == 0.0),
        ] {
            ensure!(
                !(nothing && settings.is_given(name) && settings.number(name, 0.0, 1.0)? > 0.0),
                "{}: {name} does nothing without {needed}: leave it out, or set that",
                settings.source()
            );
        }
        ensure!(
            !(settings.flag("reset")? && settings.flag("ponder")?),
            "{}: ponder does nothing with reset=true, which forgets what pondering learnt: leave one of them out",
            settings.source()
        );
        // Alpha-beta decides by what is known now.
        let move_gap = if second.is_some() { 0 } else { settings.whole("move-gap", 0, 1000)? as u32 };
        let traces = settings.choice(
            "traces",
            &[
                ("accumulating", TraceKind::Accumulating),
                ("replacing", TraceKind::Replacing),
                ("backward", TraceKind::Backward),
            ],
        )?;
        ensure!(
            !settings.is_given("traces") || settings.number("lambda", 0.0, 1.0)? > 0.0,
            "{}: traces do nothing with lambda=0: leave them out, or set lambda",
            settings.source()
        );
        Ok(TdSearch {
            memory,
            one_table,
            second,
            features: features(settings)?,
            td: TdSettings {
                step_size: settings.number("step-size", 0.0, 100.0)? as f32,
                lambda: settings.number("lambda", 0.0, 1.0)? as f32,
                traces,
                squash,
                ..TdSettings::default()
            },
            search: TdSearchSettings {
                simulations: settings.whole("simulations", 1, 1_000_000_000_000)?,
                exploration: settings.number("exploration", 0.0, 1.0)? as f32,
                explore_by_policy: settings.number("explore-by-playout", 0.0, 1.0)? as f32,
                switch_after,
                random_after_switch: settings.number("random-after-switch", 0.0, 1.0)? as f32,
                learn_moves,
                move_gap,
                threads: settings.whole("threads", 1, 256)? as u32,
                reset: settings.flag("reset")?,
            },
            playout: Playout::build(settings)?,
            player: MctsPlayerSettings {
                resign_below: settings.number("resign", 0.0, 1.0)? as f32,
                ponder: settings.flag("ponder")?,
                time,
                ..MctsPlayerSettings::default()
            },
        })
    }
}

fn second(settings: &mut Settings) -> Result<TwoPhaseSettings> {
    let split = settings.number("split", 0.0, 1.0)? as f32;
    Ok(TwoPhaseSettings { split, alpha_beta: alpha_beta::build(settings)? })
}

/// What `decay` is unless told otherwise.
pub const DEFAULT_DECAY: f32 = 20.0;

/// The tournament version's control of time; the paper does not give its rate.
fn decay(settings: &mut Settings) -> Result<Option<f32>> {
    Ok(match settings.text("decay")?.as_str() {
        "never" => None,
        _ => Some(settings.number("decay", 2.0, 1000.0)? as f32),
    })
}

fn features(settings: &mut Settings) -> Result<WindowSizes> {
    let text = settings.text("features")?;
    let sizes: Option<Vec<usize>> = text.split('+').map(|size| size.trim().parse().ok()).collect();
    let sizes = sizes.and_then(|sizes| WindowSizes::new(&sizes));
    sizes.ok_or_else(|| anyhow!("{}: features '{text}': expected some of 1, 2, 3, joined by +", settings.source()))
}
