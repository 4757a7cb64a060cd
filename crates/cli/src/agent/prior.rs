//! What new positions of a search tree begin with: its settings as text, and typed.

use super::catalogue::{Setting, did_you_mean, setting};
use super::settings::Settings;
use anyhow::{Result, bail};

/// Prior knowledge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prior {
    /// The game's best, if it has any.
    Usual,
    /// One half.
    Even,
    /// What the move was worth two plies up.
    Grandfather,
    /// The rules of the playouts: Fuego's, or else MoGo's.
    Handcrafted,
    /// Fuego's, which looks at the whole board.
    Fuego,
    /// What the learnt values of a checkpoint say.
    Shapes(String),
    /// What a residual network's checkpoint says.
    Network(String),
    /// What TD search has learnt just before, perhaps with a checkpoint as its long-term memory.
    ShortTerm(Option<String>),
}

pub(super) const PRIOR: Setting = setting(
    "prior",
    Some("none"),
    "what new moves start with, joined by +: even, grandfather, shapes:CHECKPOINT (as for greedy), short-term (TD search), \
     short-term:CHECKPOINT (Dyna-2); in go also handcrafted (the playout's rules), fuego (the whole board), network:CHECKPOINT; or none",
);

/// Reads the priors, which are joined by `+`; none of them is none.
pub(super) fn priors(settings: &mut Settings) -> Result<Vec<Prior>> {
    let text = settings.text("prior")?;
    if text == "none" {
        return Ok(Vec::new());
    }
    text.split('+')
        .map(|name| match name.trim() {
            "usual" => Ok(Prior::Usual),
            "even" => Ok(Prior::Even),
            "grandfather" => Ok(Prior::Grandfather),
            "handcrafted" => Ok(Prior::Handcrafted),
            "fuego" => Ok(Prior::Fuego),
            "short-term" => Ok(Prior::ShortTerm(None)),
            "none" => bail!("{}: prior '{text}': none stands alone: leave it out, or the others", settings.source()),
            other => match other.split_once(':') {
                Some(("shapes", checkpoint)) if !checkpoint.is_empty() => Ok(Prior::Shapes(checkpoint.to_string())),
                Some(("network", checkpoint)) if !checkpoint.is_empty() => Ok(Prior::Network(checkpoint.to_string())),
                Some(("short-term", memory)) if !memory.is_empty() => Ok(Prior::ShortTerm(Some(memory.to_string()))),
                _ => bail!(
                    "{}: prior '{other}': expected none, usual, even, grandfather, handcrafted, fuego, shapes:CHECKPOINT, \
                     network:CHECKPOINT, short-term or short-term:CHECKPOINT{}",
                    settings.source(),
                    did_you_mean(
                        other,
                        ["none", "usual", "even", "grandfather", "handcrafted", "fuego", "shapes:", "network:", "short-term"]
                    )
                ),
            },
        })
        .collect()
}
