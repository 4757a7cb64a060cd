//! The committed recipes, and what is wrong with others.

use super::recipe::MatchExperiment;
use crate::agent::{Agent, AgentSpec};
use crate::any_recipe::AnyRecipe;
use crate::lesson::Lesson;
use crate::network_recipe::NetworkRecipe;
use crate::registry::{self, Playable, Visitor};
use crate::reproduce::{EXPERIMENTS, Scale, gnugo};
use crate::zero_recipe::{ZeroLesson, ZeroRecipe};
use afterstate_arena::adjudication::WinRule;
use afterstate_games::{ConnectFour, Record, stream};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn paper(system: &str) -> PathBuf {
    let (_, folder, _) = EXPERIMENTS.iter().find(|(known, _, _)| *known == system).unwrap();
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

/// The match experiments, each with its system and name.
fn recipes() -> Vec<(&'static str, &'static str, MatchExperiment)> {
    let with_matches = EXPERIMENTS
        .iter()
        .filter(|(system, _, _)| ["rlgo", "mogo", "backgammon", "meep", "go-exploit"].contains(system));
    let all = with_matches.flat_map(|(system, _, names)| names.iter().map(move |name| (*system, *name)));
    let others = [
        ("rlgo", &["table1", "table2", "table4", "fig5", "fig6"][..]),
        ("go-exploit", &["fig1", "fig2", "fig3", "table2", "fig1-go", "ratings"]),
        ("meep", &["table2", "fig2", "table2-tuned", "table3", "uci-elo", "wdl"]),
    ];
    let is_other = |system: &str, name: &str| others.iter().any(|(of, names)| *of == system && names.contains(&name));
    let of_matches = all.filter(|(system, name)| !is_other(system, name));
    of_matches
        .map(|(system, name)| {
            let path = paper(system).join(format!("{name}.toml"));
            (system, name, MatchExperiment::load(&path).unwrap())
        })
        .collect()
}

/// The sizes that an experiment has.
fn scales(recipe: &MatchExperiment) -> impl Iterator<Item = Scale> {
    [Scale::Quick, Scale::Full, Scale::Paper].into_iter().filter(|scale| recipe.scale.contains_key(scale.name()))
}

#[test]
fn gnu_go_is_the_same_in_every_experiment() {
    let mut met = 0;
    for (system, name, recipe) in recipes() {
        for scale in scales(&recipe) {
            for planned in recipe.matches(scale).unwrap() {
                if matches!(planned.agents[1].agent, Agent::Gtp { .. }) {
                    let known = [0, 10].map(gnugo::agent);
                    assert!(known.contains(&planned.agents[1].name), "{system}/{name}: {}", planned.agents[1].name);
                    assert_eq!(planned.referee, "gnugo", "{system}/{name}");
                    met += 1;
                }
            }
        }
    }
    assert!(met > 100, "{met}");
}

fn parsed(text: &str) -> Result<MatchExperiment, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.toml");
    std::fs::write(&path, text).unwrap();
    MatchExperiment::load(&path).map_err(|error| format!("{error:#}"))
}

const GOOD: &str = r#"
source = "s"
title = "t"
board-size = 5
opponent = { name = "r", agent = "random" }
[scale.quick]
games = 2
points = ["a"]
[scale.full]
games = 4
[[point]]
name = "a"
agent = "random"
time = "10s"
games = { full = 6 }
[[point]]
name = "b"
agent = "alpha-beta,depth=1"
opponent = { name = "deeper", agent = "alpha-beta,depth=2" }
[[point]]
name = "c"
panel = "p"
series = "s"
x = 7
board-size = 7
referee = "rules"
agent = "random"
[[panel]]
name = "p"
title = "A part"
plot = { x-label = "Size", log-x = false }
[[claim]]
text = "c"
of = "a"
at-least = 0.5
"#;

#[test]
fn a_scale_says_which_points_are_played_how_often() {
    let recipe = parsed(GOOD).unwrap();
    let quick = recipe.matches(Scale::Quick).unwrap();
    assert_eq!(quick.iter().map(|planned| (planned.point, planned.games)).collect::<Vec<_>>(), [(0, 2)]);
    let full = recipe.matches(Scale::Full).unwrap();
    assert_eq!(full.iter().map(|planned| (planned.point, planned.games)).collect::<Vec<_>>(), [(0, 6), (1, 4), (2, 4)]);
    assert_eq!(full.iter().map(|planned| planned.game.name()).collect::<Vec<_>>(), ["go5", "go5", "go7"]);
    assert_eq!(full.iter().map(|planned| planned.referee.as_str()).collect::<Vec<_>>(), ["", "", "rules"]);
    assert_eq!((full[0].opponent.as_str(), full[1].opponent.as_str()), ("r", "deeper"));
    assert!(matches!(&full[1].agents[1].agent, Agent::AlphaBeta { search, .. } if search.depth == 2));
    assert_eq!(full[0].time.to_string(), "10s");
    assert!(recipe.matches(Scale::Paper).unwrap_err().to_string().contains("only full, quick"));
}

#[test]
fn a_point_may_have_its_games_adjudicated_otherwise() {
    let rule = "title = \"t\"\nnotes = false\nadjudication = { win = { score = 500 } }";
    let text = GOOD.replacen("title = \"t\"", rule, 1);
    let text = text.replacen("name = \"b\"", "name = \"b\"\nadjudication = {}", 1);
    let recipe = parsed(&text).unwrap();
    assert!(!recipe.notes && parsed(GOOD).unwrap().notes);
    let rules: Vec<_> = recipe.matches(Scale::Full).unwrap().iter().map(|planned| planned.adjudication).collect();
    let win = Some(WinRule { moves: 4, score: 500 });
    assert_eq!(rules.iter().map(|rules| rules.win).collect::<Vec<_>>(), [win, None, win]);
    assert!(rules.iter().all(|rules| rules.draw.is_none()));
    assert!(
        parsed(&text.replacen("500", "0", 1)).unwrap_err().contains("adjudication: win: score: expected at least 1")
    );
}

#[test]
fn the_points_that_a_scale_names_first_are_played_first() {
    let turns = |scale: &str| {
        let recipe = parsed(&GOOD.replacen("points = [\"a\"]", scale, 1)).unwrap();
        let quick = recipe.matches(Scale::Quick).unwrap();
        quick.iter().map(|planned| (planned.point, planned.turn)).collect::<Vec<_>>()
    };
    assert_eq!(turns(r#"points = ["c", "a"]"#), [(0, 1), (2, 0)]);
    assert_eq!(turns(""), [(0, 0), (1, 1), (2, 2)]);
}

#[test]
fn what_is_wrong_with_a_recipe_is_named() {
    let refused = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        let message = parsed(&GOOD.replacen(from, to, 1)).unwrap_err();
        assert!(message.contains("x.toml"), "{message}");
        message
    };
    assert!(refused("agent = \"random\"\ntime", "agent = \"radnom\"\ntime").contains("did you mean 'random'?"));
    assert!(refused("games = 4", "games = 3").contains("even number"));
    assert!(refused("name = \"b\"", "name = \"A\"").contains("same name"));
    assert!(refused("points = [\"a\"]", "points = [\"z\"]").contains("no point 'z'"));
    assert!(refused("of = \"a\"", "of = \"z\"").contains("no point 'z'"));
    assert!(refused("at-least = 0.5", "").contains("expected one of"));
    assert!(refused("at-least = 0.5", "about = 0.5").contains("within"));
    assert!(refused("at-least = 0.5", "beats = \"b\"").contains("different opponents"));
    assert!(refused("at-least = 0.5", "beats = \"c\"").contains("different opponents"));
    assert!(refused("at-least = 0.5", "equals = \"a\"").contains("within"));
    assert!(refused("at-least = 0.5", "gains-more-than = \"z\"").contains("no point 'z'"));
    assert!(refused("panel = \"p\"", "panel = \"q\"").contains("point 'c': there is no panel 'q'"));
    assert!(refused("board-size = 7", "board-size = 4").contains("5 to 19"));
    assert!(refused("time = \"10s\"", "time = \"soon\"").contains("point 'a'"));
    assert!(refused("time = \"10s\"", "x = 3").contains("no series"));
    assert!(refused("time = \"10s\"", "paper = 69").contains("0 to 1"));
    assert!(refused("board-size = 5", "board-size = 4").contains("5 to 19"));
    assert!(refused("board-size = 5", "bord-size = 5").contains("bord-size"));
    assert!(refused("[scale.full]", "[scale.large]").contains("scale.full"));
}

/// A run's folder with a checkpoint of zeros for boards of 9×9, as training leaves it.
fn untrained(folder: &Path, games: u64) -> String {
    use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoint_name};
    use afterstate_engine::value::{Checkpoint, Features, ShapeAgent, Sharing, Squash, TrackedGo, WindowSizes};
    let about = ShapeAgent {
        board_size: 9,
        komi: afterstate_games::go::Komi::DEFAULT,
        sizes: WindowSizes::new(&[1]).unwrap(),
        sharing: Sharing::LocationIndependent,
        squash: Squash::Logistic,
        games,
        since_milestone: Default::default(),
        origin: "a test".into(),
    };
    let weights = vec![0.0; Features::<TrackedGo>::count(&about.features())];
    Checkpoint::new(about, weights).save(&folder.join(CHECKPOINTS).join(checkpoint_name(games))).unwrap();
    folder.to_str().unwrap().to_string()
}

/// The same with a network. It begins with random weights: those that a recipe goes on with are found from where the program is
/// started.
fn first_network(folder: &Path, recipe: &NetworkRecipe) -> String {
    use crate::lesson::{Described, Learner, Lesson};
    use afterstate_engine::value::Checkpoint;
    use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoint_name};
    let about = recipe.about().unwrap().at(recipe.games, Default::default());
    let anew = NetworkRecipe { first_weights: None, ..recipe.clone() };
    let weights = anew.learner(None, Path::new("")).unwrap().weights().values();
    let name = checkpoint_name(recipe.games);
    Checkpoint::new(about, weights).save(&folder.join(CHECKPOINTS).join(name)).unwrap();
    folder.to_str().unwrap().to_string()
}

/// The same with a residual network for Connect Four.
fn first_residual(folder: &Path, recipe: &ZeroRecipe) -> String {
    use crate::lesson::{Described, Lesson};
    use afterstate_engine::value::Checkpoint;
    use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoint_name};
    let about = ZeroLesson::<ConnectFour>::new(recipe.clone()).about().unwrap().at(recipe.steps, Default::default());
    let weights = about.network.random(&mut stream(1, 0));
    Checkpoint::new(about, weights).save(&folder.join(CHECKPOINTS).join(checkpoint_name(recipe.steps))).unwrap();
    folder.to_str().unwrap().to_string()
}

struct Builds<'a>(&'a AgentSpec);

impl Visitor for Builds<'_> {
    type Output = anyhow::Result<()>;

    fn visit<G: Playable>(self, start: G) -> anyhow::Result<()> {
        let mut player = registry::players(&start, self.0)?()?;
        Ok(player.new_game(&Record::new(start), 1)?)
    }
}

#[test]
fn every_agent_of_every_recipe_can_be_played() {
    let folder = tempfile::tempdir().unwrap();
    // What is kept with the project is named from its root, where its commands are given.
    let papers = format!(":{}/papers/", Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").display());
    let mut built = BTreeSet::new();
    for (system, name, recipe) in recipes() {
        let mut learnt = Vec::new();
        for training in &recipe.trainings {
            let recipe = AnyRecipe::load(&paper(system).join(&training.recipe)).unwrap();
            let games = recipe.games();
            let own = match &recipe {
                AnyRecipe::Network(recipe) => first_network(&folder.path().join("networks"), recipe),
                AnyRecipe::Zero(recipe) => first_residual(&folder.path().join(&training.folder), recipe),
                _ => untrained(folder.path(), games),
            };
            let asked = training.folder.to_str().unwrap();
            let milestones = match &recipe {
                AnyRecipe::Shapes(recipe) => recipe.milestones(),
                _ => vec![games],
            };
            // The longest numbers first: shorter ones may begin them.
            let saved = milestones.iter().rev().map(|games| format!("{asked}@{games}"));
            learnt.extend(saved.map(|saved| (saved, format!("{own}@{games}"))));
            learnt.push((asked.to_string(), own));
        }
        for scale in scales(&recipe) {
            let matches = recipe.matches(scale).unwrap();
            let players = matches.into_iter().flat_map(|planned| planned.agents.map(|agent| (planned.game, agent)));
            for (game, agent) in players {
                if matches!(agent.agent, Agent::Gtp { .. } | Agent::Gnubg { .. }) {
                    continue;
                }
                let mut text = agent.name.replace(":papers/", &papers);
                for (asked, own) in &learnt {
                    text = text.replace(asked, own);
                }
                assert!(
                    !text.contains("=runs") && !text.contains(":runs"),
                    "{system}/{name}: nobody trains what {text} needs"
                );
                if built.insert((game.name(), text.clone())) {
                    let spec = AgentSpec::parse(&text).unwrap();
                    registry::visit(game, Builds(&spec)).unwrap();
                }
            }
        }
    }
    assert!(built.len() > 200, "{}", built.len());
}
