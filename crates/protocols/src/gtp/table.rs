//! Every command there is, and the ones about the session itself.

use super::command::{Refusal, refuse};
use super::session::{Answer, Call, Session};
use super::{analyze, gogui, kgs, live, moves, score, search_maps, setup, sgf, time};

/// What carries a command out.
type Handler = fn(&mut Session, Call<'_>) -> Result<Answer, Refusal>;

/// What a session must have for a command to exist.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// An [`super::Insight`] with values of afterstates.
    Values,
    /// An [`super::Insight`] with shapes.
    Shapes,
    /// Anything that GoGui can draw.
    Drawings,
    /// An [`super::Analyst`].
    Search,
    /// An [`super::Analyst`], and somewhere to draw while it thinks.
    LiveGraphics,
    /// An [`super::Analyst`], or values of afterstates.
    Analysis,
}

struct Entry {
    /// The command and its arguments, as they appear in error messages.
    usage: &'static str,
    /// Fewest and most arguments.
    arity: (usize, usize),
    needs: Needs,
    run: Handler,
}

const fn entry(usage: &'static str, arity: (usize, usize), run: Handler) -> Entry {
    Entry { usage, arity, needs: Needs::Nothing, run }
}

const fn needing(needs: Needs, usage: &'static str, arity: (usize, usize), run: Handler) -> Entry {
    Entry { usage, arity, needs, run }
}

const ANY: usize = usize::MAX;

static TABLE: &[Entry] = &[
    // The session.
    entry("protocol_version", (0, 0), |_, _| Answer::text("2")),
    entry("name", (0, 0), |session, _| Answer::text(&session.name)),
    entry("version", (0, 0), |session, _| Answer::text(&session.version)),
    entry("known_command NAME", (1, 1), known_command),
    entry("list_commands", (0, 0), list_commands),
    entry("quit", (0, 0), |_, _| Ok(Answer::Quit)),
    // The game.
    entry("boardsize SIZE", (1, 1), moves::boardsize),
    entry("clear_board", (0, 0), moves::clear_board),
    entry("komi POINTS", (1, 1), moves::komi),
    entry("play COLOR VERTEX", (2, 2), moves::play),
    entry("genmove COLOR", (1, 1), moves::genmove),
    entry("reg_genmove COLOR", (1, 1), moves::reg_genmove),
    entry("undo", (0, 0), moves::undo),
    entry("fixed_handicap STONES", (1, 1), setup::fixed_handicap),
    entry("place_free_handicap STONES", (1, 1), setup::place_free_handicap),
    entry("set_free_handicap VERTEX VERTEX …", (2, ANY), setup::set_free_handicap),
    entry("loadsgf FILE [MOVE_NUMBER]", (1, ANY), sgf::loadsgf),
    entry("printsgf", (0, 0), sgf::printsgf),
    entry("showboard", (0, 0), setup::showboard),
    // Time.
    entry("time_settings MAIN_SECONDS PERIOD_SECONDS PERIOD_STONES", (3, 3), time::time_settings),
    entry("time_left COLOR SECONDS STONES", (3, 3), time::time_left),
    entry("kata-list_time_settings", (0, 0), time::kata_list_time_settings),
    entry("kata-time_settings SYSTEM [NUMBER …]", (1, 5), time::kata_time_settings),
    // The end.
    entry("final_score", (0, 0), score::final_score),
    entry("final_status_list STATUS", (1, 1), score::final_status_list),
    // KGS.
    entry("kgs-rules RULES", (1, 1), kgs::rules),
    entry("kgs-time_settings SYSTEM [NUMBER …]", (1, 4), kgs::time_settings),
    entry("kgs-genmove_cleanup COLOR", (1, 1), kgs::genmove_cleanup),
    entry("kgs-game_over", (0, 0), kgs::game_over),
    entry("kgs-chat game|private NAME [TEXT …]", (2, ANY), kgs::chat),
    // Analysis.
    needing(Needs::Analysis, "lz-analyze [COLOR] [INTERVAL] [KEY VALUE …]", (0, ANY), analyze::lz_analyze),
    needing(Needs::Analysis, "kata-analyze [COLOR] [INTERVAL] [KEY VALUE …]", (0, ANY), analyze::kata_analyze),
    needing(Needs::Analysis, "cgos-analyze [COLOR] [INTERVAL] [KEY VALUE …]", (0, ANY), analyze::cgos_analyze),
    needing(Needs::Analysis, "lz-genmove_analyze [COLOR] [INTERVAL] [KEY VALUE …]", (0, ANY), analyze::lz_genmove),
    needing(Needs::Analysis, "kata-genmove_analyze [COLOR] [INTERVAL] [KEY VALUE …]", (0, ANY), analyze::kata_genmove),
    needing(Needs::Analysis, "cgos-genmove_analyze [COLOR] [INTERVAL] [KEY VALUE …]", (0, ANY), analyze::cgos_genmove),
    // GoGui.
    needing(Needs::Drawings, "gogui-analyze_commands", (0, 0), gogui::analyze_commands),
    needing(Needs::Values, "afterstate-values", (0, 0), gogui::values),
    needing(Needs::Values, "afterstate-labels", (0, 0), gogui::labels),
    needing(Needs::Shapes, "afterstate-shapes [NUMBER]", (0, 1), gogui::shapes),
    needing(Needs::Search, "afterstate-search-value", (0, 0), search_maps::value),
    needing(Needs::Search, "afterstate-search-visits", (0, 0), search_maps::visits),
    needing(Needs::Search, "afterstate-search-amaf", (0, 0), search_maps::amaf),
    needing(Needs::Search, "afterstate-search-prior", (0, 0), search_maps::prior),
    needing(Needs::Search, "afterstate-search-ownership", (0, 0), search_maps::ownership),
    needing(Needs::LiveGraphics, "afterstate-live-graphics [draw MAP]", (0, 2), live::live_graphics),
];

impl Entry {
    fn name(&self) -> &'static str {
        self.usage.split(' ').next().unwrap_or_default()
    }

    fn exists(&self, session: &Session) -> bool {
        match self.needs {
            Needs::Nothing => true,
            Needs::Values => session.has_values(),
            Needs::Shapes => session.has_shapes(),
            Needs::Drawings => session.analyst.is_some() || session.has_values() || session.has_shapes(),
            Needs::Search => session.analyst.is_some(),
            Needs::LiveGraphics => session.analyst.is_some() && session.live.exists(),
            Needs::Analysis => session.analyst.is_some() || session.has_values(),
        }
    }
}

/// Calls the command with this name.
pub(super) fn call(session: &mut Session, name: &str, call: Call<'_>) -> Result<Answer, Refusal> {
    if name.is_empty() {
        return refuse("syntax error: expected a command after the id");
    }
    let Some(entry) = TABLE.iter().find(|entry| entry.name() == name && entry.exists(session)) else {
        return refuse("unknown command");
    };
    if !(entry.arity.0..=entry.arity.1).contains(&call.args.len()) {
        return refuse(format!("syntax error: expected {}", entry.usage));
    }
    (entry.run)(session, call)
}

fn known_command(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let known = TABLE.iter().any(|entry| entry.name() == call.args[0] && entry.exists(session));
    Answer::text(known.to_string())
}

fn list_commands(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    let names: Vec<_> = TABLE.iter().filter(|entry| entry.exists(session)).map(Entry::name).collect();
    Answer::text(names.join("\n"))
}
