//! Agents by name: the one way in which every subcommand and file says who plays.
//!
//! A spec is `kind`, `kind:main,key=value,…`, a TOML file, or a checkpoint alone (which plays greedily, or by `puct` if a residual network).
//! [`catalogue`] lists the kinds and their settings; building players from them is the registry's work.

mod alpha_beta;
pub mod catalogue;
pub mod expectimax;
mod fingerprint;
pub mod monte_carlo;
pub mod playout;
pub mod prior;
pub mod puct;
mod settings;
pub mod td_search;
pub mod tournament_search;

use afterstate_arena::external::Limits;
use afterstate_engine::search::AlphaBetaSettings;
use afterstate_engine::value::ShapeAgent;
use afterstate_engine::value::shape_agent::checkpoints_in;
use afterstate_nets::ResidualAgent;
use anyhow::{Context, Result, bail, ensure};
use catalogue::{KINDS, did_you_mean, kind};
use expectimax::ExpectimaxAgent;
use monte_carlo::MonteCarlo;
use puct::PuctAgent;
use settings::Settings;
use std::path::Path;
use std::time::Duration;
use td_search::TdSearch;
use tournament_search::TournamentAgent;

/// Who plays.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSpec {
    /// What it is called in tables and logs: its spec, unless a file gives it another name.
    pub name: String,
    /// What it is.
    pub agent: Agent,
}

/// An agent with its effective settings; [`catalogue::KINDS`] explains them.
#[derive(Clone, Debug, PartialEq)]
pub enum Agent {
    /// `random`
    Random,
    /// `greedy`
    Greedy {
        /// As [`ShapeAgent::find`] understands it.
        checkpoint: String,
        /// Probability of a random move.
        epsilon: f32,
    },
    /// `alpha-beta`
    AlphaBeta {
        /// As [`ShapeAgent::find`] understands it.
        checkpoint: Option<String>,
        /// How it searches.
        search: AlphaBetaSettings,
    },
    /// `flat-mc`, `mcts`, `uct`, `rave`, `mc-rave`
    MonteCarlo(Box<MonteCarlo>),
    /// `td-search`, `dyna-2`, `two-phase`
    TdSearch(Box<TdSearch>),
    /// `puct`
    Puct(PuctAgent),
    /// `tournament-search`
    Tournament(Box<TournamentAgent>),
    /// `expectimax`
    Expectimax(ExpectimaxAgent),
    /// `gnubg`
    Gnubg {
        /// Command line.
        command: String,
        /// As it counts: 0 is greedy play.
        plies: u32,
        /// Its limits.
        limits: Limits,
    },
    /// `gtp`
    Gtp {
        /// Command line.
        command: String,
        /// Limit for starting.
        start: Duration,
        /// Limit for a move without a clock.
        per_move: Duration,
        /// Limit for any other command.
        per_command: Duration,
    },
    /// `uci`
    Uci(ChessProgram),
    /// `xboard`
    Xboard(ChessProgram),
}

/// An external program that plays chess.
#[derive(Clone, Debug, PartialEq)]
pub struct ChessProgram {
    /// Command line.
    pub command: String,
    /// Names and values.
    pub options: Vec<(String, String)>,
    /// How it searches when no clock runs, in the words of its protocol.
    pub search: String,
    /// Its limits.
    pub limits: Limits,
}

/// Whether tables and logs can show an agent by this name.
pub fn check_name(name: &str) -> Result<()> {
    ensure!(!name.trim().is_empty() && !name.contains(char::is_control), "name {name:?}: expected text on one line");
    Ok(())
}

impl AgentSpec {
    /// Reads a spec, or the TOML file that it names.
    pub fn parse(text: &str) -> Result<AgentSpec> {
        let text = text.trim();
        let head = text.split([':', ',']).next().unwrap_or_default();
        if kind(head).is_some() {
            let settings = Settings::from_spec(text)?;
            return Ok(AgentSpec { name: text.to_string(), agent: Agent::build(settings)? });
        }
        if let Some(file) = agent_file(text) {
            return Self::read(file);
        }
        let path = text.split(',').next().unwrap_or_default();
        if path.contains(['/', '@', '\\']) || Path::new(path).exists() {
            ShapeAgent::find(path).with_context(|| format!("agent '{text}'"))?;
            // Networks learn by search and play by it.
            let kind = if ResidualAgent::load(path).is_ok() { "puct" } else { "greedy" };
            let settings = Settings::from_spec(&format!("{kind}:{text}"))?;
            return Ok(AgentSpec { name: text.to_string(), agent: Agent::build(settings)? });
        }
        let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        bail!(
            "agent '{text}': expected {}, a .toml file, or a checkpoint's file or folder{}; see 'afterstate agents'",
            kinds.join(", "),
            did_you_mean(head, kinds.iter().copied()),
        )
    }

    /// The same agent with its checkpoint named by its number of games, so that it stays the same agent
    /// when training goes on: `runs/x` becomes `runs/x@10000`. What names a file, or no checkpoint, stays as it is.
    pub fn pinned(&self) -> AgentSpec {
        let mut spec = self.clone();
        for checkpoint in spec.agent.checkpoints() {
            if let Ok(found) = checkpoints_in(Path::new(checkpoint.as_str()))
                && let Some((games, _)) = found.last()
            {
                let pinned = format!("{}@{games}", checkpoint.trim_end_matches('/'));
                if let Some(at) = mention(&spec.name, checkpoint) {
                    spec.name.replace_range(at..at + checkpoint.len(), &pinned);
                }
                *checkpoint = pinned;
            }
        }
        spec
    }

    /// The same agent with the checkpoints of another one of its kind.
    pub fn with_checkpoints_of(mut self, other: &AgentSpec) -> AgentSpec {
        let mut other = other.agent.clone();
        for (own, other) in self.agent.checkpoints().into_iter().zip(other.checkpoints()) {
            own.clone_from(other);
        }
        self
    }

    /// Reads a TOML file: `agent = "kind"`, the kind's settings, and perhaps `name = "…"`.
    pub fn read(path: &Path) -> Result<AgentSpec> {
        let (settings, name) = Settings::from_file(path)?;
        if let Some(name) = &name {
            check_name(name).with_context(|| path.display().to_string())?;
        }
        Ok(AgentSpec { name: name.unwrap_or_else(|| path.display().to_string()), agent: Agent::build(settings)? })
    }
}

/// The file that says what the agent is, if a spec names one.
pub fn agent_file(text: &str) -> Option<&Path> {
    Some(Path::new(text.trim())).filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
}

/// Where `name` first mentions `checkpoint` as it is, and not as a part of a longer path or pinned already.
fn mention(name: &str, checkpoint: &str) -> Option<usize> {
    let ends = |at: usize| name[at + checkpoint.len()..].chars().next().is_none_or(|next| ",+\"".contains(next));
    name.match_indices(checkpoint).map(|(at, _)| at).find(|&at| ends(at))
}

impl Agent {
    /// The names of the checkpoints that it plays with.
    fn checkpoints(&mut self) -> Vec<&mut String> {
        match self {
            Agent::Greedy { checkpoint, .. } | Agent::AlphaBeta { checkpoint: Some(checkpoint), .. } => {
                vec![checkpoint]
            }
            Agent::MonteCarlo(agent) => agent.checkpoints().collect(),
            Agent::TdSearch(agent) => agent.memory.iter_mut().chain(agent.playout.checkpoint()).collect(),
            Agent::Puct(agent) => agent.checkpoints(),
            Agent::Tournament(agent) => vec![&mut agent.checkpoint],
            Agent::Expectimax(agent) => vec![&mut agent.checkpoint],
            _ => Vec::new(),
        }
    }

    fn build(mut settings: Settings) -> Result<Agent> {
        let agent = match settings.kind().name {
            "random" => Agent::Random,
            "greedy" => Agent::Greedy {
                checkpoint: settings.text("checkpoint")?,
                epsilon: settings.number("epsilon", 0.0, 1.0)? as f32,
            },
            "alpha-beta" => {
                let checkpoint = Some(settings.text("checkpoint")?).filter(|checkpoint| checkpoint != "none");
                let search = alpha_beta::build(&mut settings)?;
                ensure!(
                    search.threads == 1 || search.transpositions,
                    "{}: threads do nothing without a table, by which they know of each other: leave them out, or set table-mib=16",
                    settings.source()
                );
                Agent::AlphaBeta { checkpoint, search }
            }
            "gnubg" => Agent::Gnubg {
                command: settings.text("command")?,
                plies: settings.whole("plies", 0, 7)? as u32,
                limits: Limits {
                    start: settings.duration("start-timeout")?,
                    per_move: settings.duration("move-timeout")?,
                    ..Limits::default()
                },
            },
            "gtp" => Agent::Gtp {
                command: settings.text("command")?,
                start: settings.duration("start-timeout")?,
                per_move: settings.duration("move-timeout")?,
                per_command: settings.duration("command-timeout")?,
            },
            "uci" => Agent::Uci(ChessProgram::build(&mut settings, &["depth", "nodes", "movetime"])?),
            "xboard" => Agent::Xboard(ChessProgram::build(&mut settings, &["st", "sd"])?),
            "flat-mc" | "mcts" | "uct" | "rave" | "mc-rave" => {
                Agent::MonteCarlo(Box::new(MonteCarlo::build(&mut settings)?))
            }
            "td-search" | "dyna-2" | "two-phase" => Agent::TdSearch(Box::new(TdSearch::build(&mut settings)?)),
            "puct" => Agent::Puct(PuctAgent::build(&mut settings)?),
            "expectimax" => Agent::Expectimax(ExpectimaxAgent::build(&mut settings)?),
            "tournament-search" => Agent::Tournament(Box::new(TournamentAgent::build(&mut settings)?)),
            other => bail!("agent kind '{other}' is listed but cannot be built"),
        };
        Ok(agent)
    }
}

impl ChessProgram {
    /// `limits`: the words that may stand before a number in its `search`.
    fn build(settings: &mut Settings, limits: &[&str]) -> Result<ChessProgram> {
        Ok(ChessProgram {
            command: settings.text("command")?,
            options: program_options(settings)?,
            search: program_search(settings, limits)?,
            limits: Limits {
                start: settings.duration("start-timeout")?,
                per_move: settings.duration("move-timeout")?,
                command: settings.duration("command-timeout")?,
            },
        })
    }
}

/// `name=value`, joined by `+`.
fn program_options(settings: &mut Settings) -> Result<Vec<(String, String)>> {
    let text = settings.text("options")?;
    let option = |text: &str| match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !text.contains(char::is_control) => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => {
            bail!("{}: options '{text}': expected name=value, joined by +, as in Hash=64+Threads=1", settings.source())
        }
    };
    if text == "none" { Ok(Vec::new()) } else { text.split('+').map(option).collect() }
}

fn program_search(settings: &mut Settings, limits: &[&str]) -> Result<String> {
    let text = settings.text("search")?;
    match text.split_once(' ') {
        Some((limit, number)) if limits.contains(&limit) && number.parse::<u64>().is_ok_and(|n| n > 0) => Ok(text),
        _ => bail!(
            "{}: search '{text}': expected a number behind {}, as in {} 8",
            settings.source(),
            limits.join(" or "),
            limits[0]
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alpha_beta(checkpoint: Option<&str>, depth: u32, table_mib: usize) -> Agent {
        let search = AlphaBetaSettings { depth, table_mib, ..AlphaBetaSettings::default() };
        Agent::AlphaBeta { checkpoint: checkpoint.map(str::to_string), search }
    }

    fn parsed(text: &str) -> Agent {
        AgentSpec::parse(text).unwrap().agent
    }

    fn refused(text: &str) -> String {
        let message = format!("{:#}", AgentSpec::parse(text).unwrap_err());
        assert!(!message.contains('\n'), "{message}");
        message
    }

    #[test]
    fn uci_options_and_limits_are_checked() {
        let Agent::Uci(program) = parsed("uci:x,options=\"Skill Level=3+Hash=16\",search=\"depth 8\"") else {
            panic!()
        };
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(
            (program.options, &program.search[..]),
            (vec![pair("Skill Level", "3"), pair("Hash", "16")], "depth 8")
        );
        assert!(refused("uci:x,options=Hash").contains("options 'Hash': expected name=value"));
        for wrong in ["depth", "depth 0", "mate 3", "depth 8 nodes 9"] {
            assert!(refused(&format!("uci:x,search=\"{wrong}\"")).contains("expected a number behind depth or nodes"));
        }
        assert!(matches!(parsed("xboard:x,search=\"sd 8\""), Agent::Xboard(program) if program.search == "sd 8"));
        assert!(refused("xboard:x,search=\"depth 8\"").contains("expected a number behind st or sd, as in st 8"));
    }

    #[test]
    fn every_kind_of_the_catalogue_is_built_from_its_example() {
        for kind in KINDS {
            let spec = AgentSpec::parse(kind.example).unwrap();
            assert_eq!(spec.name, kind.example);
        }
    }

    #[test]
    fn settings_are_read_by_name_and_place() {
        assert_eq!(parsed("alpha-beta:runs/x,depth=5,table-mib=64"), alpha_beta(Some("runs/x"), 5, 64));
        assert_eq!(parsed("alpha-beta,depth=2"), alpha_beta(None, 2, 16));
        let Agent::AlphaBeta { search, .. } =
            parsed("alpha-beta,table-mib=0,deepening=false,principal-variation=false,killers=false,history=true")
        else {
            panic!()
        };
        assert!(search.history && !search.null_move);
        assert!(!(search.transpositions || search.deepening || search.principal_variation || search.killers));
        assert_eq!(parsed("greedy:a,epsilon=0.25"), parsed("greedy,epsilon=0.25,checkpoint=a"));
    }

    #[test]
    fn commands_may_be_quoted_or_not() {
        let expected = |limit| Agent::Gtp {
            command: "gnugo --mode gtp".into(),
            start: Duration::from_secs(30),
            per_move: limit,
            per_command: Duration::from_secs(10),
        };
        assert_eq!(parsed("gtp:\"gnugo --mode gtp\",move-timeout=2m"), expected(Duration::from_secs(120)));
        assert_eq!(parsed("gtp:gnugo --mode gtp,move-timeout=1500ms"), expected(Duration::from_millis(1500)));
        let Agent::Gtp { command, .. } = parsed("gtp:\"x --list 1,2,3 --key=4\"") else { panic!() };
        assert_eq!(command, "x --list 1,2,3 --key=4");
    }

    #[test]
    fn what_is_wrong_is_named_with_the_nearest_right_word() {
        assert!(refused("greeedy:x").contains("did you mean 'greedy'?"));
        assert!(refused("alpha-beta:x,depht=3").contains("did you mean 'depth'?"));
        assert!(refused("alpha-beta:x,depth=many").contains("depth 'many': expected a whole number from 1 to 64"));
        assert!(refused("greedy").contains("'checkpoint' is missing"));
        assert!(refused("greedy:x,epsilon=2").contains("from 0 to 1"));
        assert!(refused("greedy:x,epsilon=nan").contains("from 0 to 1"));
        assert!(refused("random,depth=3").contains("has no settings"));
        assert!(refused("puct:x,simulations=10").contains("unknown setting 'simulations': puct calls it 'iterations'"));
        assert!(refused("tournament-search:simulations=10").contains("tournament-search calls it 'nodes'"));
        assert!(refused("alpha-beta:x,depth=3,depth=4").contains("twice"));
        assert!(refused("gtp:\"gnugo").contains("quote"));
        assert!(refused("no/such/run").contains("no/such/run"));
        assert!(refused("").contains("expected random"));
        assert!(
            refused("puct,playout=fuegoo").contains("expected none, usual, uniform, mogo, fuego, softmax:CHECKPOINT")
        );
        assert!(refused("uct,playout=none").contains("expected usual, uniform, mogo, fuego, softmax:CHECKPOINT"));
        assert!(refused("uct,prior-weight=3").contains("prior-weight does nothing without a prior"));
        assert!(refused("uct,virtual-loss=3").contains("virtual-loss does nothing with one thread"));
        assert!(refused("uct,parallel=tree").contains("parallel does nothing with one thread"));
        assert!(refused("uct,threads=2,parallel=root,virtual-loss=3").contains("set parallel=tree"));
        assert!(refused("alpha-beta,threads=2,table-mib=0").contains("threads do nothing without a table"));
        assert!(
            refused("mc-rave,prior=none,prior-weight-mc=3").contains("prior-weight-mc does nothing without a prior")
        );
    }

    #[test]
    fn a_run_is_pinned_to_its_last_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        std::fs::create_dir_all(run.join("checkpoints")).unwrap();
        for games in ["000000100", "000020000"] {
            std::fs::write(run.join(format!("checkpoints/{games}.safetensors")), "").unwrap();
        }
        let run = run.to_str().unwrap();
        let pinned = AgentSpec::parse(&format!("alpha-beta:{run},depth=2")).unwrap().pinned();
        assert_eq!(pinned.name, format!("alpha-beta:{run}@20000,depth=2"));
        assert_eq!(pinned.pinned(), pinned);
        // Several mentions are pinned each, and what only begins alike is left alone.
        std::fs::create_dir_all(folder.path().join("runs")).unwrap();
        let twice = AgentSpec::parse(&format!("uct:9,prior=shapes:{run}s+shapes:{run},truncate=1,values={run}"));
        assert_eq!(
            twice.unwrap().pinned().name,
            format!("uct:9,prior=shapes:{run}s+shapes:{run}@20000,truncate=1,values={run}@20000")
        );
        let alone = AgentSpec::parse(&format!("{run}/")).unwrap().pinned();
        assert_eq!(alone.agent, Agent::Greedy { checkpoint: format!("{run}@20000"), epsilon: 0.0 });
    }

    #[test]
    fn files_are_read_and_their_errors_have_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        let name = path.to_str().unwrap().to_string();
        write("agent = \"alpha-beta\"\ncheckpoint = \"runs/x\"\ndepth = 6\nname = \"deep\"\n");
        assert_eq!(
            AgentSpec::parse(&name).unwrap(),
            AgentSpec { name: "deep".into(), agent: alpha_beta(Some("runs/x"), 6, 16) }
        );
        write("agent = \"alpha-beta\"\n\ndepht = 6\n");
        let message = refused(&name);
        assert!(message.contains("a.toml:3") && message.contains("did you mean 'depth'?"), "{message}");
        write("agent = \"alpha-beta\"\ndepth = [1]\n");
        assert!(refused(&name).contains("a.toml:2"));
        for name in ["", "a\\nb"] {
            write(&format!("agent = \"random\"\nname = \"{name}\"\n"));
            assert!(refused(path.to_str().unwrap()).contains("expected text on one line"));
        }
        write("agent = \n");
        assert!(refused(&name).contains("a.toml:1"));
        write("depth = 6\n");
        assert!(refused(&name).contains("'agent' is missing"));
    }
}
