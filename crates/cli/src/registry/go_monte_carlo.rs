//! Players of Go that simulate: MoGo and its relatives.

mod short_term;

use super::GoSearcher;
use super::go::learnt;
use super::monte_carlo::{Parts, Several, searches};
use super::puct::{POLICY_TEMPERATURE, residual};
use crate::agent::monte_carlo::{Mix, MonteCarlo};
use crate::agent::playout::{Playout, Policy};
use crate::agent::prior::Prior;
use afterstate_arena::{Conduct, GoConduct};
use afterstate_engine::search::{
    ByReadValue, Even, FuegoPrior, Grandfather, Handcrafted, Leaf, Mixed, NetworkPrior, NewPosition, PlayOut,
    PriorValue, Truncated,
};
use afterstate_engine::value::{FusedShapes, Indifferent, PlayoutAgent, TrackedGo, WindowSizes, Windows};
use afterstate_engine::zero::KnownValues;
use afterstate_engine::{Value, ValueFunction};
use afterstate_games::go::{
    FuegoPlayout, FuegoSettings, Go, MogoPlayout, MogoSettings, Move, SoftmaxPlayout, UniformGoPlayout,
};
use afterstate_games::{Outcome, PlayoutPolicy, Rng};
use afterstate_nets::{DeviceName, ResidualPlayer};
use anyhow::{Result, ensure};
use std::sync::Arc;

/// What plays Go by simulations; with learnt shapes it knows boards of `size` alone.
pub fn go_searcher(agent: &MonteCarlo, size: usize) -> Result<GoSearcher> {
    let parts = parts(agent, size)?;
    let search = match agent.short_term() {
        None => searches::<_, _, _, GoConduct>(agent, parts)?,
        Some(long) => short_term::searches(agent, parts, long, size)?,
    };
    Ok(GoSearcher { search, player: agent.player.clone(), only: agent.has_learnt().then_some(size) })
}

/// How much UCT explores. The bound that holds for outcomes of any kind explores too much where playouts know the rules
/// of thumb. Against 0.3, with MoGo's playouts and 1,000 simulations on 9×9, 0.05 had −139 Elo (−212 to −66, 100 games),
/// 0.15 −25 (−107 to 56, 69 games) and 0.6 −131 (−203 to −58, 100 games).
const EXPLORATION: f32 = 0.25;

type GoParts = Parts<GoLeaf, Several<GoPrior>, GoConduct>;

fn parts(agent: &MonteCarlo, size: usize) -> Result<GoParts> {
    let mut networks = Networks { size, opened: Vec::new() };
    let leaf = GoLeaf::new(agent, size, &mut networks)?;
    let mut prior = Vec::new();
    for wanted in &agent.priors {
        prior.push(match wanted {
            Prior::Even => GoPrior::Even(Even { experience: agent.experience }),
            Prior::Grandfather => GoPrior::Grandfather(Grandfather::new(agent.experience)),
            Prior::Usual if matches!(agent.playout.policy, Policy::Usual | Policy::Fuego | Policy::Softmax(_)) => {
                GoPrior::Fuego(Box::new(FuegoPrior::new(agent.experience)))
            }
            Prior::Usual | Prior::Handcrafted => {
                GoPrior::Handcrafted(Box::new(match GoPlayout::new(&agent.playout)? {
                    GoPlayout::Fuego(rules) => Handcrafted::of_fuego(rules, agent.experience),
                    GoPlayout::Mogo(rules) => Handcrafted::of_mogo(rules, agent.experience),
                    GoPlayout::Uniform(_) | GoPlayout::Softmax(_) => Handcrafted::new(agent.experience),
                }))
            }
            Prior::Fuego => GoPrior::Fuego(Box::new(FuegoPrior::new(agent.experience))),
            Prior::Shapes(checkpoint) => {
                let shapes = Arc::new(FusedShapes::of(&learnt(checkpoint, size)?.value()));
                GoPrior::Shapes(ByReadValue::new(shapes, read_windows, agent.experience))
            }
            Prior::Network(checkpoint) => {
                let network = networks.open(checkpoint)?;
                GoPrior::Network(Box::new(NetworkPrior::new(network, POLICY_TEMPERATURE, agent.experience)))
            }
            // Every search has its own.
            Prior::ShortTerm(_) => continue,
        });
    }
    let game_length = GoConduct.game_length(&Go::new(size)).unwrap_or_default();
    Ok(Parts { leaf, prior: Several(prior), conduct: GoConduct, game_length, exploration: EXPLORATION })
}

/// A network whose value of a position is known to all who have it.
type GoNetwork = KnownValues<ResidualPlayer>;

/// The values that a network remembers, as a power of two: half a megabyte, and more positions than a move has simulations.
const KNOWN_BITS: u32 = 16;

/// The networks that an agent has.
struct Networks<'a> {
    size: usize,
    opened: Vec<(&'a str, GoNetwork)>,
}

impl<'a> Networks<'a> {
    /// That of `checkpoint`, which is read once.
    fn open(&mut self, checkpoint: &'a str) -> Result<GoNetwork> {
        if let Some((_, network)) = self.opened.iter().find(|(name, _)| *name == checkpoint) {
            return Ok(network.clone());
        }
        let network = KnownValues::new(residual(&Go::new(self.size), checkpoint, DeviceName::Cpu)?, KNOWN_BITS);
        self.opened.push((checkpoint, network.clone()));
        Ok(network)
    }
}

fn read_windows(game: &Go) -> TrackedGo {
    TrackedGo::read(game.clone(), Windows::of(game.size(), WindowSizes::THREE))
}

/// How simulations of Go end.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one for each thread, and the large one is the usual one")]
enum GoLeaf {
    PlayOut(PlayOut<GoPlayout>),
    Truncated(Truncated<Go, dyn ValueFunction<Go>>),
    Mixed(Box<Mixed<Go, GoLeaf, GoNetwork>>),
}

impl GoLeaf {
    fn new<'a>(agent: &'a MonteCarlo, size: usize, networks: &mut Networks<'a>) -> Result<GoLeaf> {
        let leaf = GoLeaf::alone(agent, size)?;
        Ok(match &agent.mix {
            None => leaf,
            Some(Mix { network, weight }) => {
                let network = networks.open(network)?;
                GoLeaf::Mixed(Box::new(Mixed::new(leaf, network, *weight)))
            }
        })
    }

    /// Without a network.
    fn alone(agent: &MonteCarlo, size: usize) -> Result<GoLeaf> {
        let Some(truncation) = &agent.truncation else {
            return Ok(GoLeaf::PlayOut(PlayOut(GoPlayout::new(&agent.playout)?)));
        };
        let values: Arc<dyn ValueFunction<Go>> = match &truncation.values {
            None => Arc::new(Indifferent),
            Some(checkpoint) => Arc::new(ReadShapes(FusedShapes::of(&learnt(checkpoint, size)?.value()))),
        };
        Ok(GoLeaf::Truncated(Truncated::new(truncation.moves, values)))
    }
}

impl Leaf<Go> for GoLeaf {
    fn finish(&mut self, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Value {
        match self {
            GoLeaf::PlayOut(leaf) => leaf.finish(game, trace, rng),
            GoLeaf::Truncated(leaf) => leaf.finish(game, trace, rng),
            GoLeaf::Mixed(leaf) => leaf.finish(game, trace, rng),
        }
    }

    fn plays_to_end(&self) -> bool {
        match self {
            GoLeaf::PlayOut(_) => true,
            GoLeaf::Truncated(_) => false,
            GoLeaf::Mixed(leaf) => leaf.plays_to_end(),
        }
    }
}

/// Learnt shapes as the value of positions whose features nobody has followed.
struct ReadShapes(FusedShapes);

impl ValueFunction<Go> for ReadShapes {
    fn value(&self, game: &Go) -> Value {
        self.0.value(&read_windows(game))
    }
}

/// A default policy of Go.
#[derive(Clone)]
pub(super) enum GoPlayout {
    Uniform(UniformGoPlayout),
    Mogo(MogoPlayout),
    Fuego(FuegoPlayout),
    Softmax(Box<SoftmaxPlayout>),
}

impl GoPlayout {
    /// The policy that `playout` describes; the usual one is Fuego's.
    pub(super) fn new(playout: &Playout) -> Result<GoPlayout> {
        let has = |rule: &str| !playout.without.iter().any(|without| without == rule);
        Ok(match &playout.policy {
            Policy::Uniform => {
                ensure!(
                    playout.avoid_self_atari.is_none() && playout.mercy.is_none(),
                    "uniform playouts have no avoid-self-atari and no mercy: leave them out, or set playout=mogo"
                );
                GoPlayout::Uniform(UniformGoPlayout)
            }
            Policy::Softmax(checkpoint) => {
                ensure!(
                    playout.avoid_self_atari.is_none() && playout.mercy.is_none(),
                    "learnt playouts know themselves what to avoid, and when to end: leave avoid-self-atari and mercy out"
                );
                GoPlayout::Softmax(Box::new(PlayoutAgent::load(checkpoint)?.policy()))
            }
            Policy::Mogo => {
                let usual = MogoSettings::default();
                GoPlayout::Mogo(MogoPlayout::new(MogoSettings {
                    save: has("save"),
                    patterns: has("patterns"),
                    captures: has("captures"),
                    avoid_self_atari: playout.avoid_self_atari.unwrap_or(usual.avoid_self_atari),
                    mercy: playout.mercy.unwrap_or(usual.mercy),
                    ..usual
                }))
            }
            Policy::Fuego | Policy::Usual => {
                let usual = FuegoSettings::default();
                GoPlayout::Fuego(FuegoPlayout::new(FuegoSettings {
                    capture_last: has("capture-last"),
                    save: has("save"),
                    low_liberties: has("low-liberties"),
                    patterns: has("patterns"),
                    captures: has("captures"),
                    nakade: playout.policy == Policy::Usual && has("nakade"),
                    correct_self_atari: playout.avoid_self_atari.unwrap_or(usual.correct_self_atari),
                    mercy: playout.mercy.unwrap_or(usual.mercy),
                    ..usual
                }))
            }
        })
    }
}

impl PlayoutPolicy<Go> for GoPlayout {
    fn play_out(&mut self, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Outcome {
        match self {
            GoPlayout::Uniform(policy) => policy.play_out(game, trace, rng),
            GoPlayout::Mogo(policy) => policy.play_out(game, trace, rng),
            GoPlayout::Fuego(policy) => policy.play_out(game, trace, rng),
            GoPlayout::Softmax(policy) => policy.play_out(game, trace, rng),
        }
    }

    fn one_move(&mut self, game: &Go, rng: &mut Rng) -> Option<Move> {
        match self {
            GoPlayout::Uniform(policy) => policy.one_move(game, rng),
            GoPlayout::Mogo(policy) => policy.one_move(game, rng),
            GoPlayout::Fuego(policy) => policy.one_move(game, rng),
            GoPlayout::Softmax(policy) => policy.one_move(game, rng),
        }
    }
}

/// Prior knowledge of Go.
#[derive(Clone)]
enum GoPrior {
    Even(Even),
    Grandfather(Grandfather),
    Handcrafted(Box<Handcrafted>),
    Fuego(Box<FuegoPrior>),
    Shapes(ByReadValue<FusedShapes, fn(&Go) -> TrackedGo>),
    Network(Box<NetworkPrior<Go, GoNetwork>>),
}

impl afterstate_engine::search::Prior<Go> for GoPrior {
    fn fill(&mut self, position: &NewPosition<'_, Go>, out: &mut [PriorValue]) {
        match self {
            GoPrior::Even(prior) => prior.fill(position, out),
            GoPrior::Grandfather(prior) => prior.fill(position, out),
            GoPrior::Handcrafted(prior) => prior.fill(position, out),
            GoPrior::Fuego(prior) => prior.fill(position, out),
            GoPrior::Shapes(prior) => prior.fill(position, out),
            GoPrior::Network(prior) => prior.fill(position, out),
        }
    }

    fn looks_two_plies_up(&self) -> bool {
        matches!(self, GoPrior::Grandfather(_))
    }
}
