//! Agents whose search a network leads.

use super::catalogue::{Kind, setting};
use super::monte_carlo::{EARLY_STOP, FINAL, PONDER, RESIGN, final_move};
use super::playout::{MERCY, Playout, SELF_ATARI, WITHOUT};
use super::settings::Settings;
use afterstate_arena::MctsPlayerSettings;
use afterstate_engine::search::{FirstPlay, NetworkSearchSettings, PuctSettings};
use afterstate_engine::value::ShapeAgent;
use afterstate_games::go::Komi;
use afterstate_nets::{DeviceName, ResidualAgent, View};
use anyhow::{Result, anyhow, bail, ensure};

/// The kind of agents.
pub const KIND: Kind = Kind {
    name: "puct",
    summary: "AlphaZero's tree search, led by a network's policy and value; with playouts AlphaGo's",
    games: "go, connect-four, tic-tac-toe",
    main: Some("network"),
    settings: &[
        setting(
            "network",
            Some("uniform"),
            "a checkpoint file, a run's folder (its last checkpoint), or folder@steps; shapes: and a checkpoint of local \
             shapes; or uniform, which knows nothing",
        ),
        setting("iterations", Some("100"), "simulations for a move when no clock runs, 1 to 1000000000"),
        setting(
            "reuse",
            Some("true"),
            "keep the tree below the moves played, beside as many new simulations: true or false",
        ),
        setting("memory-mib", Some("1024"), "memory for the tree in MiB, with which a search ends, 1 to 1048576"),
        setting("exploration", Some("1"), "c_puct, 0 to 100"),
        setting(
            "first-play",
            Some("draw"),
            "what a move that was not tried is worth: draw, or how much less than its position for all of the policy (0 to 2)",
        ),
        setting(
            "solver",
            Some("auto"),
            "whether what is proved is not simulated again: true, false, or auto, which is true where a network knows what else to expect",
        ),
        setting(
            "playout",
            Some("none"),
            "play out from new positions, too: none, or as in uct (usual, uniform; in go also fuego, mogo and softmax:CHECKPOINT)",
        ),
        WITHOUT,
        SELF_ATARI,
        MERCY,
        setting(
            "mix-weight",
            Some("0.5"),
            "with playout: how much the network says of what simulations come to, 0 to 1",
        ),
        setting(
            "symmetries",
            Some("false"),
            "from where the network looks at positions: false: as they are; one: each from some side or mirrored, as fast; true: from all \
             sides, better and slower",
        ),
        setting(
            "device",
            Some("cpu"),
            "where the network works: cpu; or cuda, cuda:1, … in a program built with --features cuda",
        ),
        FINAL,
        EARLY_STOP,
        RESIGN,
        PONDER,
    ],
    example: "puct:runs/four,iterations=400",
};

/// Where priors and values come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// From nothing.
    Uniform,
    /// From a residual network's checkpoint.
    Residual(String),
    /// From the afterstates of local shapes.
    Shapes(String),
}

/// Such an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct PuctAgent {
    /// The network.
    pub network: Source,
    /// From which sides it looks at positions.
    pub view: View,
    /// Where it works.
    pub device: DeviceName,
    /// How new positions are played out from, if they are, and how much the network says of what simulations come to then.
    pub playout: Option<(Playout, f32)>,
    /// How it searches.
    pub search: NetworkSearchSettings,
    /// How it plays.
    pub player: MctsPlayerSettings,
}

impl PuctAgent {
    /// Reads its settings.
    pub fn build(settings: &mut Settings) -> Result<PuctAgent> {
        let network = settings.text("network")?;
        let network = match network.strip_prefix("shapes:") {
            Some(checkpoint) => Source::Shapes(checkpoint.to_string()),
            None if network == "uniform" => Source::Uniform,
            None => Source::Residual(network),
        };
        // Without a network nothing but the ends that are met again and again says where danger is: with `solver` 80.6 % of the 1,000
        // moves of suites/connect-four keep the value by 5,000 simulations, without 84.2 %.
        let knows = network != Source::Uniform;
        let first_play = settings.text("first-play")?;
        let first_play = match first_play.parse::<f32>() {
            _ if first_play == "draw" => FirstPlay::Draw,
            Ok(reduction) if (0.0..=2.0).contains(&reduction) => FirstPlay::Reduced(reduction),
            _ => bail!("{}: first-play '{first_play}': expected draw, or 0 to 2", settings.source()),
        };
        let puct = PuctSettings {
            exploration: settings.number("exploration", 0.0, 100.0)? as f32,
            first_play,
            forced_playouts: 0.0,
            solver: settings.choice("solver", &[("auto", knows), ("true", true), ("false", false)])?,
        };
        let iterations = settings.whole("iterations", 1, 1_000_000_000)?;
        let playout = playout(settings)?;
        let views = [("false", View::Upright), ("one", View::Turned), ("true", View::All)];
        let view = settings.choice("symmetries", &views)?;
        let device = settings.text("device")?;
        let device = device.parse().map_err(|problem| anyhow!("{}: {problem}", settings.source()))?;
        let search = NetworkSearchSettings {
            puct,
            iterations,
            reuse_tree: settings.flag("reuse")?,
            memory_mib: settings.whole("memory-mib", 1, 1 << 20)? as usize,
            early_stop: settings.flag("early-stop")?,
            final_move: final_move(settings)?,
        };
        let player = MctsPlayerSettings {
            resign_below: settings.number("resign", 0.0, 1.0)? as f32,
            ponder: settings.flag("ponder")?,
            ..MctsPlayerSettings::default()
        };
        Ok(PuctAgent { network, view, device, playout, search, player })
    }

    /// The size of the square board that it learnt on, and the komi if it has one; `None` for what plays on every size.
    pub fn learnt_on(&self) -> Result<Option<(usize, Option<Komi>)>> {
        match &self.network {
            Source::Uniform => Ok(None),
            Source::Residual(checkpoint) => {
                let learnt = ResidualAgent::load(checkpoint)?.about;
                let komi = learnt.komi.map(Komi::try_from).transpose();
                Ok(Some((learnt.network.height, komi.map_err(|error| anyhow!("{checkpoint}: {error}"))?)))
            }
            Source::Shapes(checkpoint) => {
                let learnt = ShapeAgent::load(checkpoint)?.about;
                Ok(Some((learnt.board_size, Some(learnt.komi))))
            }
        }
    }

    /// The checkpoints that it names.
    pub fn checkpoints(&mut self) -> Vec<&mut String> {
        let network = match &mut self.network {
            Source::Uniform => None,
            Source::Residual(checkpoint) | Source::Shapes(checkpoint) => Some(checkpoint),
        };
        let playout = self.playout.as_mut().and_then(|(playout, _)| playout.checkpoint());
        network.into_iter().chain(playout).collect()
    }
}

fn playout(settings: &mut Settings) -> Result<Option<(Playout, f32)>> {
    let Some(playout) = Playout::build_or_none(settings)? else {
        for part in ["playout-without", "avoid-self-atari", "mercy", "mix-weight"] {
            ensure!(
                !settings.is_given(part),
                "{}: {part} does nothing without playouts: leave it out, or set playout=usual",
                settings.source()
            );
        }
        return Ok(None);
    };
    Ok(Some((playout, settings.number("mix-weight", 0.0, 1.0)? as f32)))
}
