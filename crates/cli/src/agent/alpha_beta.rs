//! The settings of alpha-beta search, whichever agent it belongs to.

use super::catalogue::{Setting, setting};
use super::settings::Settings;
use afterstate_engine::search::AlphaBetaSettings;
use anyhow::Result;

pub const TABLE: Setting =
    setting("table-mib", Some("16"), "size of the transposition table in MiB, 0 (none) to 65536");
pub const DEEPENING: Setting =
    setting("deepening", Some("true"), "whether to search 2, 3, ... plies deep before the full depth: true or false");
pub const PRINCIPAL_VARIATION: Setting = setting(
    "principal-variation",
    Some("true"),
    "whether later moves are asked at first only whether they are better: true or false",
);
pub const KILLERS: Setting =
    setting("killers", Some("true"), "whether moves that lately refuted others are tried early: true or false");
pub const HISTORY: Setting =
    setting("history", Some("false"), "whether moves that often refuted others are tried earlier: true or false");
pub const NULL_MOVE: Setting = setting(
    "null-move",
    Some("false"),
    "whether who is well off even after a pass is not searched in full, which may change the result: true or false",
);

pub const THREADS: Setting =
    setting("threads", Some("1"), "threads that search together, 1 to 256; one repeats itself exactly");

/// Reads `depth` and all of the above. `threads` may be those of the agent's other parts, too.
pub fn build(settings: &mut Settings) -> Result<AlphaBetaSettings> {
    let table_mib = settings.whole("table-mib", 0, 65_536)? as usize;
    Ok(AlphaBetaSettings {
        depth: settings.whole("depth", 1, 64)? as u32,
        transpositions: table_mib > 0,
        table_mib,
        threads: settings.whole("threads", 1, 256)? as usize,
        deepening: settings.flag("deepening")?,
        principal_variation: settings.flag("principal-variation")?,
        killers: settings.flag("killers")?,
        history: settings.flag("history")?,
        null_move: settings.flag("null-move")?,
    })
}
