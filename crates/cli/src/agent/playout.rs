//! The default policy of agents that simulate: its settings as text, and typed.

use super::catalogue::{Setting, setting};
use super::settings::Settings;
use anyhow::{Result, ensure};

/// A default policy, with the rules of Go that it does without.
#[derive(Clone, Debug, PartialEq)]
pub struct Playout {
    /// Whose rules.
    pub policy: Policy,
    /// Rules that are switched off.
    pub without: Vec<String>,
    /// Whether moves that put their own chain in atari are avoided; `None`: as the policy's authors did.
    pub avoid_self_atari: Option<bool>,
    /// The lead in stones that decides, as a share of the points; `None`: as the policy's authors had it.
    pub mercy: Option<f32>,
}

/// A default policy's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The game's best.
    Usual,
    /// All sensible moves alike.
    Uniform,
    /// MoGo's rules.
    Mogo,
    /// Fuego's rules.
    Fuego,
    /// Learnt by imitation and simulation balancing; the checkpoint.
    Softmax(String),
}

pub(super) const PLAYOUT: Setting = setting(
    "playout",
    Some("usual"),
    "how simulations end: uniform; in go also fuego, mogo and softmax:CHECKPOINT (learnt); usual there is fuego with nakade",
);
pub(super) const WITHOUT: Setting = setting(
    "playout-without",
    Some("none"),
    "rules of the playout to leave out, joined by +: save, patterns, captures; not of mogo: capture-last, low-liberties; of usual: nakade",
);
pub(super) const SELF_ATARI: Setting = setting(
    "avoid-self-atari",
    Some("usual"),
    "whether self-atari is avoided, by mogo in patterns, by fuego by putting moves right: true, false, or usual (mogo false, fuego true)",
);
pub(super) const MERCY: Setting = setting(
    "mercy",
    Some("usual"),
    "lead in stones that ends a playout, as a share of the points, 0 (never) to 1, or usual (mogo 0, fuego 0.3)",
);

/// The policies by name.
const NAMED: [(&str, Policy); 5] = [
    ("usual", Policy::Usual),
    ("uniform", Policy::Uniform),
    ("mogo", Policy::Mogo),
    ("fuego", Policy::Fuego),
    // For the list of what is expected: this very word is read by `learnt`.
    ("softmax:CHECKPOINT", Policy::Softmax(String::new())),
];

/// The policy of a checkpoint, if that is what is wanted.
fn learnt(settings: &mut Settings) -> Result<Option<Policy>> {
    let name = settings.text("playout")?;
    let checkpoint = name.strip_prefix("softmax:").filter(|checkpoint| !checkpoint.is_empty());
    Ok(checkpoint.map(|checkpoint| Policy::Softmax(checkpoint.to_string())))
}

impl Playout {
    /// Reads the settings of a default policy.
    pub(super) fn build(settings: &mut Settings) -> Result<Playout> {
        let policy = match learnt(settings)? {
            Some(policy) => policy,
            None => settings.choice("playout", &NAMED)?,
        };
        Playout::of(policy, settings)
    }

    /// The same for agents that need not have any, with `playout=none`.
    pub(super) fn build_or_none(settings: &mut Settings) -> Result<Option<Playout>> {
        let policy = match learnt(settings)? {
            Some(policy) => Some(policy),
            None => {
                let named = NAMED.map(|(name, policy)| (name, Some(policy)));
                settings.choice("playout", &[&[("none", None)], &named[..]].concat())?
            }
        };
        policy.map(|policy| Playout::of(policy, settings)).transpose()
    }

    /// Reads all but the policy.
    fn of(policy: Policy, settings: &mut Settings) -> Result<Playout> {
        let without = settings.text("playout-without")?;
        let without: Vec<String> = match without.as_str() {
            "none" => Vec::new(),
            names => names.split('+').map(|name| name.trim().to_string()).collect(),
        };
        let known: &[&str] = match &policy {
            Policy::Uniform | Policy::Softmax(_) => &[],
            Policy::Mogo => &["save", "patterns", "captures"],
            Policy::Fuego => &["capture-last", "save", "low-liberties", "patterns", "captures"],
            Policy::Usual => &["capture-last", "save", "low-liberties", "patterns", "captures", "nakade"],
        };
        for name in &without {
            ensure!(
                known.contains(&name.as_str()),
                "{}: playout-without '{name}': expected {}",
                settings.source(),
                if known.is_empty() {
                    "nothing, for these playouts have no rules".to_string()
                } else {
                    known.join(", ")
                }
            );
        }
        let avoid_self_atari =
            settings.choice("avoid-self-atari", &[("usual", None), ("true", Some(true)), ("false", Some(false))])?;
        let mercy = match settings.text("mercy")?.as_str() {
            "usual" => None,
            _ => Some(settings.number("mercy", 0.0, 1.0)? as f32),
        };
        Ok(Playout { policy, without, avoid_self_atari, mercy })
    }

    /// The checkpoint that it needs, if it is learnt.
    pub fn checkpoint(&mut self) -> Option<&mut String> {
        match &mut self.policy {
            Policy::Softmax(checkpoint) => Some(checkpoint),
            _ => None,
        }
    }
}
