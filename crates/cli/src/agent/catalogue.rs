//! Every kind of agent with every setting: what `agents` prints, what specs are checked against.

use super::{alpha_beta, expectimax, monte_carlo, puct, td_search, tournament_search};
use serde::Serialize;

/// One setting of a kind of agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its key, in specs and files.
    pub name: &'static str,
    /// What holds when it is not given; `None` if it must be.
    pub default: Option<&'static str>,
    /// What it is, with unit and range.
    pub meaning: &'static str,
}

/// A kind of agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Kind {
    /// What a spec begins with.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The games that it plays.
    pub games: &'static str,
    /// The setting that stands behind the colon without its name.
    pub main: Option<&'static str>,
    /// All settings, the main one included.
    pub settings: &'static [Setting],
    /// A complete spec.
    pub example: &'static str,
}

pub const fn setting(name: &'static str, default: Option<&'static str>, meaning: &'static str) -> Setting {
    Setting { name, default, meaning }
}

/// All kinds, the simplest first.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "random",
        summary: "a random sensible move (in Go: fills no own eye and passes last)",
        games: "all",
        main: None,
        settings: &[],
        example: "random",
    },
    Kind {
        name: "greedy",
        summary: "the move whose afterstate a learnt value function likes best",
        games: "all",
        main: Some("checkpoint"),
        settings: &[
            setting("checkpoint", None, "a checkpoint file, a run's folder (its last checkpoint), or folder@games"),
            setting("epsilon", Some("0"), "probability of a random move instead, 0 to 1"),
        ],
        example: "greedy:runs/quick@10000,epsilon=0.1",
    },
    Kind {
        name: "alpha-beta",
        summary: "iterative-deepening alpha-beta with a transposition table",
        games: "all but backgammon",
        main: Some("checkpoint"),
        settings: &[
            setting("checkpoint", Some("none"), "the value of leaves, as for greedy; without one all leaves are even"),
            setting("depth", Some("4"), "plies to search at most, 1 to 64; clocks may end it earlier"),
            alpha_beta::TABLE,
            alpha_beta::THREADS,
            alpha_beta::DEEPENING,
            alpha_beta::PRINCIPAL_VARIATION,
            alpha_beta::KILLERS,
            alpha_beta::HISTORY,
            alpha_beta::NULL_MOVE,
        ],
        example: "alpha-beta:runs/quick,depth=5,table-mib=64",
    },
    // flat-mc, mcts, uct, rave, mc-rave
    monte_carlo::KINDS[0],
    monte_carlo::KINDS[1],
    monte_carlo::KINDS[2],
    monte_carlo::KINDS[3],
    monte_carlo::KINDS[4],
    // td-search, dyna-2, two-phase
    td_search::KINDS[0],
    td_search::KINDS[1],
    td_search::KINDS[2],
    puct::KIND,
    tournament_search::KIND,
    expectimax::KIND,
    Kind {
        name: "gnubg",
        summary: "GNU Backgammon, without the cube",
        games: "backgammon",
        main: Some("plies"),
        settings: &[
            setting("plies", Some("0"), "how far it looks ahead as it counts, 0 to 7: its 0 is expectimax's 1"),
            setting("command", Some("gnubg --tty --quiet --no-rc"), "the command line that starts it"),
            setting("start-timeout", Some("30s"), "how long it may take to start"),
            setting("move-timeout", Some("300s"), "how long it may take for a play when no clock runs"),
        ],
        example: "gnubg:2,command=\"gnubg --tty --quiet --no-rc\"",
    },
    Kind {
        name: "gtp",
        summary: "an external Go program that speaks GTP 2",
        games: "go",
        main: Some("command"),
        settings: &[
            setting("command", None, "the command line that starts it"),
            setting("start-timeout", Some("30s"), "how long it may take to start"),
            setting("move-timeout", Some("300s"), "how long it may take for a move when no clock runs"),
            setting("command-timeout", Some("10s"), "how long it may take for any other command"),
        ],
        example: "gtp:\"gnugo --mode gtp --level 10 --chinese-rules\",move-timeout=60s",
    },
    Kind {
        name: "uci",
        summary: "an external chess program that speaks UCI",
        games: "chess",
        main: Some("command"),
        settings: &[
            setting("command", None, "the command line that starts it"),
            setting("options", Some("none"), "options of the program, joined by +: name=value"),
            setting(
                "search",
                Some("movetime 1000"),
                "how it searches when no clock runs: depth 8, nodes 10000 or movetime 1000 (in ms)",
            ),
            setting("start-timeout", Some("30s"), "how long it may take to start"),
            setting("move-timeout", Some("300s"), "how long it may take for a move when no clock runs"),
            setting("command-timeout", Some("10s"), "how long it may take for any other command"),
        ],
        example: "uci:stockfish,options=\"UCI_LimitStrength=true+UCI_Elo=1500\",search=\"depth 8\"",
    },
    Kind {
        name: "xboard",
        summary: "an external chess program that speaks XBoard's protocol (CECP)",
        games: "chess",
        main: Some("command"),
        settings: &[
            setting("command", None, "the command line that starts it"),
            setting(
                "options",
                Some("none"),
                "options of the program, joined by +: name=value; also memory (in MB) and cores",
            ),
            setting(
                "search",
                Some("st 1"),
                "how it searches when no clock runs: st 1 (seconds for a move) or sd 8 (depth)",
            ),
            setting("start-timeout", Some("30s"), "how long it may take to start"),
            setting("move-timeout", Some("300s"), "how long it may take for a move when no clock runs"),
            setting("command-timeout", Some("10s"), "how long it may take for any other command"),
        ],
        example: "xboard:fairymax,search=\"sd 6\"",
    },
];

/// The kind called `name`.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

impl Kind {
    /// The setting called `name`.
    pub fn setting(&self, name: &str) -> Option<&'static Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }
}

/// ` (did you mean 'depth'?)`, if one of `names` is close to `text`; else nothing.
pub fn did_you_mean<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(text, name), name))
        .filter(|&(distance, name)| distance <= 1 + name.len() / 4)
        .min()
        .map_or_else(String::new, |(_, name)| format!(" (did you mean '{name}'?)"))
}
