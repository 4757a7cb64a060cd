//! What presets, scales and games say about a recipe of AlphaZero and Go-Exploit (paper 004, Tables 4, 6 and 8, and §5).

use crate::recipe::{CheckpointSettings, EvaluationSettings, short};
use crate::zero_recipe::{Preset, ZeroGameName, ZeroRecipe, ZeroScale};
use afterstate_engine::search::PuctSettings;
use afterstate_engine::zero::{
    ActorSettings, ArchiveSettings, Batching, Branching, Interest, KataGoSettings, Keep, PlayoutCap, ReplaySettings,
    ServerSettings, ZeroSettings,
};
use afterstate_games::go::Komi;
use afterstate_nets::{DeviceName, NetworkSize, OptimizerSettings};
use anyhow::{Result, anyhow, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// The keys that decide about the others' defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Named {
    /// The game.
    pub game: ZeroGameName,
    /// Which learner.
    pub preset: Preset,
    /// How much of it.
    pub scale: ZeroScale,
    /// Points along one edge, in Go.
    pub board_size: usize,
}

impl Default for Named {
    fn default() -> Named {
        Named { game: Default::default(), preset: Default::default(), scale: Default::default(), board_size: 9 }
    }
}

/// The recipe that `own` makes of what its names stand for. A mistake is named with its key.
pub fn read(own: &Table) -> Result<ZeroRecipe> {
    let (names, rest): (Table, Table) =
        own.clone().into_iter().partition(|(key, _)| ["game", "preset", "scale", "board-size"].contains(&key.as_str()));
    if let Some(games) = own.get("games").filter(|games| games.is_integer()) {
        bail!(
            "games = {games}: the length of AlphaZero is steps = {games}, and games names logs to learn from; \
             with [features], [td] or a learner the recipe is one of shapes instead, which counts games"
        );
    }
    let usual = Table::try_from(recipe(read_over(&Table::new(), &names)?))?;
    let read: Result<ZeroRecipe> = read_over(&usual, &rest);
    let mut recipe = read.map_err(|error| {
        // Serde does not list keys beside a flattened table.
        match error.to_string() {
            message if message.contains("unknown field") && !message.contains("expected") => {
                let schema = schemars::schema_for!(ZeroRecipe);
                let known = schema.get("properties").and_then(|all| all.as_object()).into_iter().flatten();
                let known: Vec<&str> = known.map(|(key, _)| key.as_str()).collect();
                anyhow!("{message}, expected one of `{}`", known.join("`, `"))
            }
            _ => error,
        }
    })?;
    let katago = own.get("self-play").and_then(|self_play| self_play.get("katago"));
    let says_fast = katago.and_then(|katago| katago.get("playout-cap")?.get("fast"));
    let says_moves = katago.and_then(|katago| katago.get("branching")?.get("fork-moves"));
    let usual_moves = fork_moves(recipe.game, recipe.board_size);
    let ActorSettings { iterations, katago, .. } = &mut recipe.zero.self_play;
    if let (Some(cap), None) = (&mut katago.playout_cap, says_fast) {
        cap.fast = fast(*iterations);
    }
    if let (Some(branching), None) = (&mut katago.branching, says_moves) {
        branching.fork_moves = usual_moves;
    }
    Ok(recipe)
}

/// What `own` says, and of `usual` what it does not say.
fn read_over<T: DeserializeOwned>(usual: &Table, own: &Table) -> Result<T> {
    let read = |own: Table| {
        let mut table = usual.clone();
        replace(&mut table, &own);
        T::deserialize(table)
    };
    read(own.clone()).map_err(|error| match mistake(own, &|own| read(own).err()) {
        Some((key, error)) => anyhow!("{key}: {}", short(error.message())),
        None => anyhow!("{}", short(error.message())),
    })
}

/// The path of the key in `own` that cannot be read by itself, and why. A table's kind says what the others have to be.
fn mistake(own: &Table, error: &dyn Fn(Table) -> Option<toml::de::Error>) -> Option<(String, toml::de::Error)> {
    let kind = own.get_key_value("kind").map(|(key, kind)| (key.clone(), kind.clone()));
    own.iter().find_map(|(key, value)| {
        let alone = |value: Value| error(kind.clone().into_iter().chain([(key.clone(), value)]).collect());
        let found = alone(value.clone())?;
        // What is missing beside a key is no mistake of the key.
        if !value.is_table() && found.message().starts_with("missing field") {
            return None;
        }
        let inner = value.as_table().and_then(|inner| mistake(inner, &|inner| alone(Value::Table(inner))));
        Some(inner.map_or((key.clone(), found), |(path, found)| (format!("{key}.{path}"), found)))
    })
}

/// Replaces in `table` what `own` says, key by key.
fn replace(table: &mut Table, own: &Table) {
    for (key, value) in own {
        match (table.get_mut(key), value) {
            // What is one of several kinds is replaced as a whole.
            (Some(Value::Table(inner)), Value::Table(value))
                if inner.get("kind").is_none_or(|kind| value.get("kind").is_none_or(|own| own == kind)) =>
            {
                replace(inner, value);
            }
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

/// What the paper's table says of a learner: α, ε, c_puct, k, and of its archive λ and |A|.
struct Row {
    concentration: f32,
    noise: f32,
    exploration: f32,
    sampled: u32,
    initial: f32,
    capacity: usize,
}

fn row(game: ZeroGameName, preset: Preset) -> Row {
    let row = |concentration, noise, exploration, sampled, initial, capacity| Row {
        concentration,
        noise,
        exploration,
        sampled,
        initial,
        capacity,
    };
    match (game, preset) {
        (ZeroGameName::Go, Preset::Alphazero | Preset::Akti | Preset::Akb | Preset::Aktib) => {
            row(0.03, 0.1, 1.0, 2, 1.0, 0)
        }
        (ZeroGameName::Go, Preset::Geve) => row(0.03, 0.1, 2.0, 1, 0.1, 0),
        (ZeroGameName::Go, Preset::Gevc) => row(0.03, 0.1, 2.0, 1, 0.1, 1_000_000),
        (ZeroGameName::Go, Preset::Gesr) => row(0.03, 0.1, 1.0, 2, 0.1, 2_000_000),
        (ZeroGameName::Go, _) => row(0.03, 0.1, 2.0, 1, 0.1, 2_000_000),
        (_, Preset::Alphazero | Preset::Akti | Preset::Akb | Preset::Aktib) => row(1.0, 0.25, 1.0, 10, 1.0, 0),
        (_, Preset::Geve) => row(1.0, 0.25, 1.0, 5, 0.1, 0),
        (_, Preset::Gevc) => row(1.0, 0.1, 1.0, 10, 0.1, 1_000_000),
        (_, Preset::Gesr) => row(1.0, 0.25, 1.0, 2, 0.0, 1_000_000),
        (_, _) => row(1.0, 0.25, 1.0, 10, 0.01, 100_000),
    }
}

/// How many times as many simulations MCTS-Solver has, at paper scale.
const PAPERS_SOLVERS: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];

/// In the paper's program a fast search has a fifth of a full one's simulations.
fn fast(iterations: u32) -> u32 {
    (iterations / 5).max(2)
}

/// There a game forks after 0.025 moves for each point of the board, on average.
fn fork_moves(game: ZeroGameName, board_size: usize) -> f32 {
    0.025 * points(game, board_size)
}

/// How many points the board has.
fn points(game: ZeroGameName, board_size: usize) -> f32 {
    match game {
        ZeroGameName::Go => (board_size * board_size) as f32,
        ZeroGameName::ConnectFour => 42.0,
        ZeroGameName::TicTacToe => 9.0,
    }
}

/// The recipe of these names, without anything of its own.
pub fn recipe(Named { game, preset, scale, board_size }: Named) -> ZeroRecipe {
    let Row { concentration, noise, exploration, sampled, initial, capacity } = row(game, preset);
    let kind = match preset {
        Preset::Alphazero | Preset::Akti | Preset::Akb | Preset::Aktib => None,
        Preset::Geve => Some((Interest::Visited, Keep::Expanding)),
        Preset::Gevc => Some((Interest::Visited, Keep::Circular)),
        Preset::Gesr => Some((Interest::Searched, Keep::Reservoir)),
        Preset::Gesc | Preset::GescKb | Preset::GescKpcr | Preset::GescKfp | Preset::Gesc3k => {
            Some((Interest::Searched, Keep::Circular))
        }
    };
    let archive = kind.map(|(interest, keep)| ArchiveSettings { interest, keep, capacity, initial });
    let iterations = match game {
        ZeroGameName::Go => 400,
        ZeroGameName::ConnectFour => 100,
        ZeroGameName::TicTacToe => 25,
    };
    let is = |presets: &[Preset]| presets.contains(&preset);
    let branching = Branching { fork_moves: fork_moves(game, board_size), ..Branching::default() };
    let katago = KataGoSettings {
        initialisation: if is(&[Preset::Akti, Preset::Aktib]) { 0.04 * points(game, board_size) } else { 0.0 },
        branching: is(&[Preset::Akb, Preset::Aktib, Preset::GescKb, Preset::Gesc3k]).then_some(branching),
        playout_cap: is(&[Preset::GescKpcr, Preset::Gesc3k])
            .then_some(PlayoutCap { full_share: 0.25, fast: fast(iterations) }),
    };
    let forced_playouts = if is(&[Preset::GescKfp, Preset::Gesc3k]) { 2.0 } else { 0.0 };
    let self_play = ActorSettings {
        iterations,
        puct: PuctSettings { exploration, forced_playouts, ..PuctSettings::default() },
        noise,
        noise_concentration: concentration,
        temperature: 1.0,
        sampled_moves: sampled,
        early_end: 0.0,
        katago,
    };
    let paper = ZeroRecipe {
        game,
        preset,
        scale,
        board_size,
        komi: Komi::DEFAULT,
        steps: if game == ZeroGameName::Go { 900 } else { 600 },
        seed: 1,
        threads: 2,
        augment: true,
        expert: None,
        games: Vec::new(),
        outcomes_of: Vec::new(),
        expert_visits: 0,
        first_weights: None,
        device: DeviceName::Cpu,
        network: NetworkSize::default(),
        optimizer: OptimizerSettings::default(),
        zero: ZeroSettings { self_play, archive, ..ZeroSettings::default() },
        checkpoints: CheckpointSettings { every: 10, ..CheckpointSettings::default() },
        evaluation: EvaluationSettings { games: 40, opponents: 1, opening_moves: 2, window: 50, beside: false },
        solvers: vec![1.0, 10.0],
    };
    match (scale, game) {
        (ZeroScale::Paper, _) => ZeroRecipe {
            evaluation: EvaluationSettings { beside: true, ..paper.evaluation.clone() },
            augment: false,
            solvers: PAPERS_SOLVERS.to_vec(),
            zero: ZeroSettings { play_ahead: true, ..paper.zero.clone() },
            ..paper
        },
        // Together the threads ask about as many positions as a batch has.
        (ZeroScale::Gpu, _) => ZeroRecipe {
            evaluation: EvaluationSettings { beside: true, ..paper.evaluation.clone() },
            augment: false,
            solvers: PAPERS_SOLVERS.to_vec(),
            device: DeviceName::Cuda(0),
            threads: 16,
            zero: ZeroSettings {
                batching: Batching {
                    games: 256,
                    server: Some(ServerSettings { batch: 1024, deadline: 1_000, networks: 2 }),
                },
                play_ahead: true,
                ..paper.zero.clone()
            },
            ..paper
        },
        (ZeroScale::Laptop, ZeroGameName::TicTacToe) => ZeroRecipe {
            steps: 30,
            network: NetworkSize { blocks: 1, filters: 16, hidden: 16, ..NetworkSize::default() },
            zero: ZeroSettings {
                replay: ReplaySettings {
                    capacity: 1 << 13,
                    step: 1 << 9,
                    batches: 8,
                    batch: 128,
                    lambda: 1.0,
                    keep: false,
                },
                ..small_archive(paper.zero.clone(), 8)
            },
            checkpoints: CheckpointSettings { every: 5, ..paper.checkpoints.clone() },
            ..paper
        },
        (ZeroScale::Laptop, _) => ZeroRecipe {
            network: NetworkSize { blocks: 4, filters: 32, hidden: 32, ..NetworkSize::default() },
            zero: ZeroSettings {
                // A quarter of the paper's examples for a step, and each of them learnt twice as often.
                replay: ReplaySettings {
                    capacity: 1 << 15,
                    step: 1 << 10,
                    batches: 8,
                    batch: 256,
                    lambda: 1.0,
                    keep: false,
                },
                ..small_archive(paper.zero.clone(), 4)
            },
            ..paper
        },
    }
}

/// The same with an archive that is so many times smaller.
fn small_archive(mut zero: ZeroSettings, factor: usize) -> ZeroSettings {
    if let Some(archive) = &mut zero.archive {
        archive.capacity /= factor;
    }
    zero
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_the_papers() {
        let parse = |text: &str| ZeroRecipe::parse(text).unwrap();
        let gesc = parse("preset = \"gesc\"\nscale = \"paper\"");
        let archive = gesc.zero.archive.unwrap();
        assert_eq!((archive.keep, archive.capacity, archive.initial), (Keep::Circular, 100_000, 0.01));
        assert_eq!(
            (gesc.network, gesc.steps, gesc.zero.replay),
            (NetworkSize::default(), 600, ReplaySettings::default())
        );
        let gesr = parse("preset = \"gesr\"\nscale = \"paper\"\ngame = \"go\"");
        assert_eq!((gesr.zero.self_play.iterations, gesr.zero.self_play.puct.exploration, gesr.steps), (400, 1.0, 900));
        assert_eq!(gesr.zero.archive.unwrap().capacity, 2_000_000);
        let gpu = parse("preset = \"gesr\"\nscale = \"gpu\"\ngame = \"go\"");
        assert_eq!((gpu.device, gpu.network, gpu.zero.replay), (DeviceName::Cuda(0), gesr.network, gesr.zero.replay));
        assert_eq!(parse("preset = \"gesc-kfp\"").zero.self_play.puct.forced_playouts, 2.0);
        assert!(parse("").zero.archive.is_none());
        let [akb, aktib, kb, three] =
            ["akb", "aktib", "gesc-kb", "gesc-3k"].map(|name| parse(&format!("preset = {name:?}")).zero);
        let all = [&akb, &aktib, &kb, &three];
        assert!(
            all.iter().all(|zero| zero
                .self_play
                .katago
                .branching
                .is_some_and(|it| (it.fork_moves - 1.05).abs() < 1e-6))
        );
        assert_eq!(all.map(|zero| zero.self_play.katago.initialisation > 0.0), [false, true, false, false]);
        assert_eq!(all.map(|zero| zero.archive.is_some()), [false, false, true, true]);
        assert_eq!(all.map(|zero| zero.self_play.puct.forced_playouts > 0.0), [false, false, false, true]);
        assert_eq!(all.map(|zero| zero.self_play.katago.playout_cap.is_some()), [false, false, false, true]);
    }

    /// What is left out of a recipe is its preset's, so a recipe that is written down may leave nothing out that is not.
    #[test]
    fn a_recipe_says_what_its_preset_says_otherwise() {
        for preset in ["alphazero", "akb", "gevc", "gesc-3k"] {
            for scale in ["laptop", "paper", "gpu"] {
                let text = format!(
                    "preset = {preset:?}\nscale = {scale:?}\nplay-ahead = false\n[batching]\ngames = 1\n[checkpoints]\nevery = 0\n"
                );
                let recipe = ZeroRecipe::parse(&text).unwrap();
                let again = ZeroRecipe::parse(&toml::to_string(&recipe).unwrap()).unwrap();
                assert_eq!(recipe, again, "{text}");
                assert!(!again.zero.play_ahead && again.zero.batching.games == 1 && again.checkpoints.every == 0);
            }
        }
    }

    #[test]
    fn what_depends_on_the_board_and_the_simulations_follows_them() {
        let zero = |text: &str| ZeroRecipe::parse(text).unwrap().zero.self_play;
        let small = zero("game = \"go\"\npreset = \"gesc-3k\"\nboard-size = 5\n[self-play]\niterations = 50");
        assert!((small.katago.branching.unwrap().fork_moves - 0.625).abs() < 1e-6);
        assert_eq!(small.katago.playout_cap.unwrap().fast, 10);
        let own = "game = \"go\"\nboard-size = 5\n[self-play.katago.branching]\nforks = 0.1";
        assert!((zero(own).katago.branching.unwrap().fork_moves - 0.625).abs() < 1e-6);
        let own = format!("{own}\nfork-moves = 3");
        assert_eq!(zero(&own).katago.branching.unwrap().fork_moves, 3.0);
        assert_eq!(zero("preset = \"gesc-kpcr\"\n[self-play]\niterations = 4").katago.playout_cap.unwrap().fast, 2);
        let own = "preset = \"gesc-kpcr\"\n[self-play]\niterations = 50\n[self-play.katago.playout-cap]\nfast = 7";
        assert_eq!(zero(own).katago.playout_cap.unwrap().fast, 7);
    }

    #[test]
    fn what_a_recipe_says_replaces_what_its_preset_says() {
        let text =
            "preset = \"gevc\"\nsteps = 7\n[archive]\ninitial = 0.5\n[optimizer]\nkind = \"sgd\"\nmomentum = 0.5";
        let recipe = ZeroRecipe::parse(text).unwrap();
        let archive = recipe.zero.archive.unwrap();
        assert_eq!((recipe.steps, archive.initial, archive.interest), (7, 0.5, Interest::Visited));
        let OptimizerSettings::Sgd(sgd) = recipe.optimizer else { panic!("{:?}", recipe.optimizer) };
        assert_eq!(sgd.momentum, 0.5);
        assert_eq!(ZeroRecipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
    }

    #[test]
    fn mistakes_are_named_in_one_line() {
        for (text, part) in [
            ("preset = \"gesk\"", "preset: unknown variant `gesk`"),
            ("step = 3", "step: unknown field `step`, expected one of `archive`"),
            ("step = 3", "`augment`"),
            ("play-ahed = true", "`play-ahead`"),
            ("games = 1000", "steps = 1000, and games names logs"),
            (
                "[optimizer]\nkind = \"sgd\"\nmomentu = 0.5",
                "optimizer.momentu: unknown field `momentu`, expected one of `step-size`",
            ),
            ("\n\n[self-play]\niterations = \"many\"", "self-play.iterations: invalid type"),
            ("[self-play.puct]\nexploring = 1.0", "self-play.puct.exploring: unknown field"),
            ("game = \"tic-tac-toe\"\nboard-size = 5", "board-size and komi are Go's"),
            ("komi = 5.5", "board-size and komi are Go's"),
            ("[network]\nfilters = 20", "multiple of 16"),
            ("[self-play]\niterations = 1", "self-play.iterations"),
            ("[self-play]\niteration = 100", "iteration"),
            ("[replay]\ncapacity = 3", "replay.capacity"),
            ("[replay]\nlambda = 1.5", "replay.lambda"),
            ("preset = \"gesc\"\n[archive]\ninitial = 3.0", "archive.initial"),
            ("solvers = [0.0]", "solvers"),
            ("solvers = [2.0, 10.0, 2.0]", "solvers: 2 stands there twice"),
            ("[self-play]\niterations = 1_000_001", "self-play.iterations"),
            ("[optimizer]\nkind = \"adam\"\nhalf-life = 0", "optimizer.half-life"),
            ("preset = \"akb\"\n[self-play.katago.branching]\nforks = 2.0", "branching.forks"),
            ("preset = \"akb\"\n[self-play.katago.branching]\nfork-moves = -1.0", "branching.fork-moves"),
            ("preset = \"akti\"\n[self-play.katago]\ninitialisation = -1.0", "initialisation"),
            ("preset = \"gesc-3k\"\n[self-play.katago.playout-cap]\nfull-share = 0.0", "playout-cap.full-share"),
            ("preset = \"gesc-3k\"\n[self-play.katago.playout-cap]\nfast = 1", "playout-cap.fast"),
            ("preset = \"gesc-3k\"\n[self-play.katago.playout-cap]\nfast = 101", "playout-cap.fast"),
            ("game = \"go\"\nboard-size = 40", "board-size = 40"),
            ("[optimizer]\nkind = \"adam\"\nstep-size = -1.0", "optimizer.step-size"),
            ("[optimizer]\nkind = \"adam\"\nfirst = 1.0", "optimizer.first"),
            ("[optimizer]\nkind = \"sgd\"\nmomentum = 2.0", "optimizer.momentum"),
            ("[optimizer]\nkind = \"sgd\"\ndecay = -3.0", "optimizer.decay"),
            ("[self-play.puct]\nfirst-play = { reduced = nan }", "first-play"),
            ("[self-play.puct]\nforced-playouts = -2.0", "forced-playouts"),
            ("threads = 0", "threads"),
        ] {
            let message = format!("{:#}", ZeroRecipe::parse(text).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
    }
}
