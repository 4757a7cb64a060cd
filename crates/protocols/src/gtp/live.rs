//! GoGui's live graphics: drawings on standard error while a search thinks.
//!
//! After the line `gogui-gfx:` come drawing instructions as analyze commands of the kind `gfx` answer them, up to an empty
//! line. What is drawn is a setting that GoGui shows in a dialog of its own.

use super::analyst::Analysis;
use super::command::{Refusal, quote, refuse};
use super::search_maps::Map;
use super::session::{Answer, Call, Session};
use afterstate_games::go::Go;
use std::io::Write;
use std::time::Duration;

/// How often a search that nobody asked for reports draws.
pub(super) const LIVE_INTERVAL: Duration = Duration::from_millis(500);

/// Where to draw, and what.
#[derive(Default)]
pub(super) struct LiveGraphics {
    out: Option<Box<dyn Write + Send>>,
    map: Option<Map>,
}

impl LiveGraphics {
    /// Draws nothing yet.
    pub fn new(out: Box<dyn Write + Send>) -> LiveGraphics {
        LiveGraphics { out: Some(out), map: None }
    }

    /// Whether there is somewhere to draw.
    pub fn exists(&self) -> bool {
        self.out.is_some()
    }

    /// Whether something is drawn.
    pub fn is_on(&self) -> bool {
        self.exists() && self.map.is_some()
    }

    /// Draws what is known of `position`.
    pub fn draw(&mut self, position: &Go, analysis: &Analysis) {
        if let Some(map) = self.map {
            self.write(&format!("gogui-gfx:\n{}\n\n", map.drawing(position, analysis)));
        }
    }

    /// Takes the drawing away. GoGui might else take it for part of the next command's.
    pub fn clear(&mut self) {
        if self.map.is_some() {
            self.write("gogui-gfx: CLEAR\n");
        }
    }

    fn write(&mut self, text: &str) {
        if let Some(out) = &mut self.out {
            // Whoever closed standard error does not look; the game goes on.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }
}

/// Without arguments the setting in the form that GoGui reads, with `draw MAP` its change.
pub(super) fn live_graphics(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let names = || Map::ALL.map(Map::name).join("/");
    match call.args {
        [] => {
            let now = session.live.map.map_or("off", Map::name);
            Answer::text(format!("[list/off/{}] draw {now}", names()))
        }
        [key, name] if key == "draw" => {
            let map = Map::ALL.into_iter().find(|map| map.name() == name);
            if map.is_none() && name != "off" {
                return refuse(format!("syntax error: draw '{}': expected off/{}", quote(name), names()));
            }
            session.live.map = map;
            Answer::done()
        }
        _ => refuse(format!("syntax error: expected draw off/{}", names())),
    }
}
