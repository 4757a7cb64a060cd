//! Recipes of learning by search: chess, learnt from self-play or from other engines with one of the rules of
//! [`LearnerSettings`].

use crate::chess_learner::ChessLearner;
use crate::conditions::BOOK_PLIES;
use crate::lesson::{Lesson, Plan};
use crate::partners::PartnerSettings;
use crate::recipe::{self, CheckpointSettings, EvaluationSettings};
use crate::sources::Sources;
use afterstate_arena::{Player, TimeControl, TournamentPlayer};
use afterstate_engine::learning::{DifferenceSettings, LearnerSettings, TrainingTotals};
use afterstate_engine::search::TrainingSearchSettings;
use afterstate_engine::value::{
    Checkpoint, CheckpointError, ChessTerms, Features, Squash, TermAgent, TermSet, Weights,
};
use afterstate_games::rng::unit;
use afterstate_games::{Chess, stream};
use anyhow::{Context, Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The game of such a recipe. It has to be named: without it a recipe is one of Go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchedGame {
    /// Chess.
    #[default]
    Chess,
}

/// What the weights are before the first game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum FirstWeights {
    /// Small random numbers (paper 002, §5).
    #[default]
    Random,
    /// Pawn 1, knight 4, bishop 4, rook 6, queen 12, and nothing else (paper 001, §4).
    Material,
    /// Every man is worth a pawn (paper 001, §4).
    Pawns,
    /// Those that another run has learnt: its folder, `folder@games`, or one of its checkpoints.
    Run(String),
}

impl From<String> for FirstWeights {
    fn from(name: String) -> FirstWeights {
        match name.as_str() {
            "random" => FirstWeights::Random,
            "material" => FirstWeights::Material,
            "pawns" => FirstWeights::Pawns,
            _ => FirstWeights::Run(name),
        }
    }
}

impl From<FirstWeights> for String {
    fn from(first: FirstWeights) -> String {
        match first {
            FirstWeights::Random => "random".to_string(),
            FirstWeights::Material => "material".to_string(),
            FirstWeights::Pawns => "pawns".to_string(),
            FirstWeights::Run(name) => name,
        }
    }
}

/// What `train` does for a game that is learnt by search. Every other key has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SearchRecipe {
    /// The game that is learnt.
    pub game: SearchedGame,
    /// Games of training.
    pub games: u64,
    /// Game number i draws from stream i of this seed.
    pub seed: u64,
    /// Games at once; with one, and nobody else to play against, it is reproducible to the bit.
    pub threads: usize,
    /// What is seen of a position: `meep`, `knightcap`, or `tapered`, where terms may be worth something else when pieces are gone.
    pub terms: TermSet,
    /// What makes a value of the sum of weights: `linear` (Meep) or `logistic` (KnightCap).
    pub value: Squash,
    /// What the weights are before the first game: `random`, `material`, `pawns`, or another run's folder.
    #[schemars(with = "String")]
    pub first_weights: FirstWeights,
    /// Whether a pawn stays worth what it was at first, so that the scale of all other weights is given (KnightCap's program). For rules
    /// that learn when a game is over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub frozen_pawn: bool,
    /// Random moves of both sides at the beginning of a game, if there are no `openings`.
    pub opening_moves: usize,
    /// A suite of openings (.epd, .pgn or .bin) with which games begin, in an order that the seed decides; all of them, then all again.
    /// A relative path counts from the current folder, as all paths in recipes do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<PathBuf>,
    /// Of games in PGN, and from books, so many moves of both sides are an opening; 16 if it says nothing.
    #[serde(skip_serializing_if = "is_usual")]
    pub book_plies: u32,
    /// Longer games are drawn.
    pub move_limit: usize,
    /// The rule that learns.
    pub learner: LearnerSettings,
    /// After so many games the step size is half of what it was at first, after twice as many a third, and so on; 0: it stays.
    pub annealing: u64,
    /// What is saved and played with are the means of the weights over about so many games; 0: the weights themselves.
    #[serde(skip_serializing_if = "is_zero")]
    pub averaging: u64,
    /// The search that it learns from and plays by.
    pub search: TrainingSearchSettings,
    /// Each side's time for a game, such as `1m+1s` or `100ms/move`; `none`: only the search's own limits hold. With a clock both do,
    /// so that `search.nodes` may be 0, and no run is the same twice. Who oversteps loses, and
    /// neither side learns from that outcome.
    #[serde(skip_serializing_if = "TimeControl::is_none")]
    #[schemars(with = "String")]
    pub time: TimeControl,
    /// Who it plays against; nobody: itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partners: Option<PartnerSettings>,
    /// When weights are saved.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint.
    pub evaluation: EvaluationSettings,
    /// Positions that tournament search looks at for a move of these games.
    pub evaluation_nodes: u64,
}

/// Recipes of older runs say nothing of what is 0.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_usual(plies: &u32) -> bool {
    *plies == BOOK_PLIES
}

impl Default for SearchRecipe {
    fn default() -> Self {
        SearchRecipe {
            game: SearchedGame::Chess,
            games: 1000,
            seed: 1,
            threads: 1,
            terms: TermSet::Meep,
            value: Squash::Linear,
            first_weights: FirstWeights::Random,
            frozen_pawn: false,
            opening_moves: 4,
            openings: None,
            book_plies: BOOK_PLIES,
            move_limit: 400,
            learner: LearnerSettings::default(),
            annealing: 0,
            averaging: 0,
            search: TrainingSearchSettings::default(),
            time: TimeControl::None,
            partners: None,
            checkpoints: CheckpointSettings { first: 10, ..CheckpointSettings::default() },
            evaluation: EvaluationSettings { games: 40, ..EvaluationSettings::default() },
            evaluation_nodes: 2000,
        }
    }
}

impl SearchRecipe {
    /// Reads the text of a recipe.
    pub fn parse(text: &str) -> Result<SearchRecipe> {
        let recipe = recipe::from_toml_over(text, &SearchRecipe::default())?;
        recipe.check()?;
        Ok(recipe)
    }

    fn check(&self) -> Result<()> {
        ensure!((1..=1024).contains(&self.threads), "threads = {}: expected 1 to 1024", self.threads);
        ensure!((1..1_000_000_000).contains(&self.games), "games = {}: expected 1 to 999,999,999", self.games);
        self.checkpoints.check(self.games)?;
        check_learner(&self.learner)?;
        ensure!(
            !self.frozen_pawn || matches!(self.learner, LearnerSettings::TdLeaf(_) | LearnerSettings::TdDirected(_)),
            "frozen-pawn: expected a rule that learns when a game is over, td-leaf or td-directed"
        );
        ensure!(
            !self.frozen_pawn || self.first_weights != FirstWeights::Random,
            "frozen-pawn: expected first-weights that know what a pawn is worth, material, pawns or a run's"
        );
        check_search(&self.search, &self.learner, !self.time.is_none())?;
        if let LearnerSettings::TdLeaf(settings) | LearnerSettings::TdDirected(settings) = &self.learner {
            let (least, most) = (settings.least_moves, self.move_limit.saturating_sub(self.opening_moves).div_ceil(2));
            ensure!(
                least <= most,
                "learner.least-moves = {least}: expected at most {most}, half of move-limit without opening-moves, or nothing is learnt"
            );
        }
        ensure!(
            (1..=1_000_000).contains(&self.move_limit),
            "move-limit = {}: expected 1 to 1,000,000",
            self.move_limit
        );
        ensure!(
            self.openings.is_some() || self.book_plies == BOOK_PLIES,
            "book-plies = {}: it is about openings, and there are none: leave it out, or name some",
            self.book_plies
        );
        ensure!(self.book_plies <= 1000, "book-plies = {}: expected 0 to 1000", self.book_plies);
        ensure!(self.opening_moves <= 100, "opening-moves = {}: expected 0 to 100", self.opening_moves);
        ensure!(
            (1..=1_000_000_000).contains(&self.evaluation_nodes),
            "evaluation-nodes = {}: expected 1 to 1e9",
            self.evaluation_nodes
        );
        self.partners.as_ref().map_or(Ok(()), PartnerSettings::check)
    }

    /// The rule as it is in game number `number`, the first being 0.
    pub fn learner_at(&self, number: u64) -> LearnerSettings {
        annealed(&self.learner, self.annealing, number)
    }

    /// The weights before the first game.
    ///
    /// # Errors
    ///
    /// If they are those of a run that cannot be read, or that sees other terms or makes other values of them.
    pub fn first_weights(&self) -> Result<Weights> {
        let terms = ChessTerms::new(self.terms);
        // What a pawn is worth then: a fiftieth of a win; KnightCap's logits are ½.
        let pawn = if self.value == Squash::Logistic { 0.5 } else { 0.01 };
        Ok(match &self.first_weights {
            FirstWeights::Random => {
                let mut rng = stream(self.seed, u64::MAX);
                let small = |_| 0.0002 * (unit(&mut rng) - 0.5);
                Weights::from_values(&(0..terms.count()).map(small).collect::<Vec<f32>>())
            }
            FirstWeights::Material => terms.piece_values([1.0, 4.0, 4.0, 6.0, 12.0].map(|worth| worth * pawn)),
            FirstWeights::Pawns => terms.piece_values([pawn; 5]),
            FirstWeights::Run(name) => {
                let checkpoint = TermAgent::load(name).with_context(|| {
                    format!(
                        "first-weights = \"{name}\": expected \"random\", \"material\", \"pawns\" or a run's folder"
                    )
                })?;
                let TermAgent { terms, squash, .. } = checkpoint.about;
                if (terms, squash, self.terms) == (TermSet::Meep, self.value, TermSet::Tapered) {
                    return Ok(Weights::from_values(&ChessTerms::tapered(&checkpoint.weights)));
                }
                ensure!(
                    (terms, squash) == (self.terms, self.value),
                    "first-weights = \"{name}\": its terms and values are {terms:?} and {squash:?}, the recipe's {:?} and {:?}",
                    self.terms,
                    self.value
                );
                Weights::from_values(&checkpoint.weights)
            }
        })
    }
}

/// Whether a rule can learn.
pub fn check_learner(learner: &LearnerSettings) -> Result<()> {
    let step = learner.step_size();
    ensure!(step.is_finite() && step > 0.0, "learner.step-size = {step}: expected a positive number");
    if let LearnerSettings::TdLeaf(settings) | LearnerSettings::TdDirected(settings) = learner {
        recipe::unit("learner.lambda", settings.lambda)?;
        recipe::unit("learner.tolerance", settings.tolerance)?;
    }
    if let LearnerSettings::TdDirected(settings) = learner {
        ensure!(
            settings.tolerance == DifferenceSettings::default().tolerance,
            "learner.tolerance is about leaves, and td-directed learns of the positions on the board: leave it out"
        );
    }
    Ok(())
}

/// Whether a search to learn from can run and comes to an end, by itself or by a clock.
pub fn check_search(search: &TrainingSearchSettings, learner: &LearnerSettings, has_clock: bool) -> Result<()> {
    ensure!((1..=64).contains(&search.depth), "search.depth = {}: expected 1 to 64", search.depth);
    ensure!(search.table_mib <= 65_536, "search.table-mib = {}: expected at most 65536", search.table_mib);
    ensure!(
        search.depth < 64 || search.nodes > 0 || has_clock,
        "search.nodes = 0: expected a number of positions, a search.depth below 64, or in chess a time"
    );
    let exact = search.exact_depth;
    ensure!(exact == 0 || !search.pruning, "search.exact-depth = {exact}: expected 0, or search.pruning = false");
    if let LearnerSettings::TreeStrap(settings) = learner {
        let least = settings.least_depth;
        ensure!(exact <= least, "search.exact-depth = {exact}: expected at most learner.least-depth, {least}");
        let depth = search.depth;
        ensure!(
            least <= depth,
            "learner.least-depth = {least}: expected at most search.depth, {depth}, or nothing is learnt"
        );
    }
    if let LearnerSettings::TdLeaf(settings) | LearnerSettings::TdDirected(settings) = learner {
        ensure!(
            !settings.drop_unpredicted || search.depth > 1,
            "learner.drop-unpredicted: expected a search.depth of 2 or more, or no answer is predicted"
        );
    }
    Ok(())
}

/// The rule in game number `number`, the first being 0.
pub fn annealed(learner: &LearnerSettings, annealing: u64, number: u64) -> LearnerSettings {
    learner.with_step_size(annealed_step(learner.step_size(), annealing, number))
}

/// The step size in game number `number`, the first being 0: after `annealing` games it is half of what it was at first, after twice as
/// many a third, and so on; if that is 0, it stays.
pub fn annealed_step(first: f32, annealing: u64, number: u64) -> f32 {
    let part = if annealing == 0 { 1.0 } else { 1.0 / (1.0 + number as f64 / annealing as f64) };
    (f64::from(first) * part) as f32
}

impl Lesson for SearchRecipe {
    type Game = Chess;
    type About = TermAgent;
    type Learner = ChessLearner;

    fn load(path: &Path) -> Result<SearchRecipe> {
        recipe::read_file(path, SearchRecipe::parse)
    }

    fn plan(&self) -> Plan<'_> {
        let SearchRecipe { games, seed, threads, checkpoints, evaluation, .. } = self;
        Plan { games: *games, unit: "games", seed: *seed, threads: *threads, checkpoints, evaluation }
    }

    fn essence(&self) -> SearchRecipe {
        let (checkpoints, evaluation) = Default::default();
        SearchRecipe { games: 1, threads: 1, checkpoints, evaluation, evaluation_nodes: 1, ..self.clone() }
    }

    fn start(&self) -> Chess {
        Chess::new()
    }

    fn about(&self) -> Result<TermAgent> {
        Ok(TermAgent {
            terms: self.terms,
            squash: self.value,
            games: 0,
            since_milestone: TrainingTotals::default(),
            ratings: Vec::new(),
            origin: format!("afterstate {}\n{}", crate::version::VERSION, toml::to_string(self)?),
        })
    }

    fn sources(&self, _done: u64) -> Sources {
        let sources = self.openings.iter().fold(Sources::default(), |all, path| all.with_file("openings", path));
        let partners = self.partners.iter().flat_map(|partners| &partners.pool);
        partners.fold(sources, |all, partner| all.with_agent("partners", &partner.agent))
    }

    fn learner(&self, last: Option<&Checkpoint<TermAgent>>, _folder: &Path) -> Result<ChessLearner> {
        ChessLearner::new(self, last)
    }

    fn read(path: &Path) -> Result<Checkpoint<TermAgent>, CheckpointError> {
        TermAgent::read(path)
    }

    fn player(&self, checkpoint: &Checkpoint<TermAgent>) -> Result<Box<dyn Player<Chess>>> {
        Ok(Box::new(TournamentPlayer::new(checkpoint.evaluation(), Default::default(), self.evaluation_nodes)))
    }

    fn uses(&self, folder: &str) -> Vec<(&'static str, String)> {
        uses_of_chess(folder)
    }
}

/// How to play with what was learnt of chess in `folder`.
pub fn uses_of_chess(folder: &str) -> Vec<(&'static str, String)> {
    let agent = format!("tournament-search:{folder}");
    vec![
        ("Play against it here", format!("play --game chess --agent {agent}")),
        ("Use it in a chess program", format!("uci --agent {agent}")),
        ("Measure it", format!("match --game chess {agent} tournament-search:material --games 100")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::value::shape_agent::checkpoint_name;

    #[test]
    fn a_recipe_that_names_chess_is_complete() {
        let recipe = SearchRecipe::parse("game = \"chess\"\n").unwrap();
        assert_eq!(recipe, SearchRecipe::default());
        assert_eq!(SearchRecipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
    }

    #[test]
    fn every_rule_can_be_asked_for() {
        for rule in ["tree-strap", "root-strap", "td-root", "td-leaf", "td-directed"] {
            let text = format!("game = \"chess\"\n[learner]\nrule = \"{rule}\"\nstep-size = 0.25\n");
            let recipe = SearchRecipe::parse(&text).unwrap();
            assert_eq!(recipe.learner.step_size(), 0.25);
            assert_eq!(SearchRecipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
            assert!(!recipe.learns_like(&SearchRecipe { seed: 9, ..recipe.clone() }));
            assert!(recipe.learns_like(&SearchRecipe { games: 9, threads: 2, ..recipe.clone() }));
        }
    }

    #[test]
    fn mistakes_are_named_in_one_line() {
        for (text, part) in [
            ("gmaes = 5", "gmaes"),
            ("[learner]\nrule = \"tree-strep\"", "tree-strap"),
            ("[learner]\nrule = \"td-leaf\"\nlambda = 2.0", "learner.lambda"),
            ("[learner]\nrule = \"root-strap\"\nstep-size = 0.0", "learner.step-size"),
            ("[search]\nnodes = 0", "search.nodes = 0"),
            ("[search]\nexact-depth = 1", "search.exact-depth = 1: expected 0, or search.pruning = false"),
            ("[search]\nexact-depth = 2\npruning = false", "expected at most learner.least-depth, 1"),
            ("[search]\ndepth = 65", "search.depth"),
            ("threads = 0", "threads"),
            ("frozen-pawn = true", "expected a rule that learns when a game is over"),
            ("time = \"soon\"", "soon"),
            ("book-plies = 1001", "book-plies"),
            ("time = \"none\"\n[search]\nnodes = 0", "search.nodes = 0"),
            ("terms = \"crafty\"", "line 1"),
        ] {
            let message = format!("{:#}", SearchRecipe::parse(text).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
    }

    #[test]
    fn a_clock_may_stand_in_for_a_number_of_positions() {
        let recipe = SearchRecipe::parse("time = \"10s+100ms\"\n[search]\nnodes = 0\n").unwrap();
        assert_eq!(recipe.time.to_string(), "10s+100ms");
        assert_eq!(SearchRecipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
        assert!(!recipe.learns_like(&SearchRecipe { time: TimeControl::None, ..recipe.clone() }));
        // Recipes of older runs say nothing of it.
        assert!(!toml::to_string(&SearchRecipe::default()).unwrap().contains("time ="));
    }

    #[test]
    fn annealing_makes_steps_smaller_game_by_game() {
        let steady = SearchRecipe::default();
        assert_eq!(steady.learner_at(1_000_000), steady.learner);
        let annealed = SearchRecipe { annealing: 100, ..steady.clone() };
        let part = |number| annealed.learner_at(number).step_size() / steady.learner.step_size();
        assert_eq!((part(0), part(100), part(300)), (1.0, 0.5, 0.25));
    }

    #[test]
    fn first_weights_are_what_the_papers_began_with() {
        let recipe = |first, value| SearchRecipe { first_weights: first, value, ..SearchRecipe::default() };
        let weights = recipe(FirstWeights::Material, Squash::Logistic).first_weights().unwrap().values();
        assert_eq!(weights[..5], [0.5, 2.0, 2.0, 3.0, 6.0]);
        assert!(weights[5..].iter().all(|&weight| weight == 0.0));
        assert_eq!(recipe(FirstWeights::Pawns, Squash::Linear).first_weights().unwrap().values()[..5], [0.01; 5]);
        let random = recipe(FirstWeights::Random, Squash::Linear).first_weights().unwrap().values();
        assert!(random.iter().all(|weight| weight.abs() <= 1e-4) && random.iter().any(|&weight| weight != 0.0));
    }

    #[test]
    fn first_weights_may_be_those_of_another_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(checkpoint_name(7));
        let first = |name: &str| FirstWeights::from(name.to_string());
        let recipe = SearchRecipe { first_weights: first(&path.display().to_string()), ..SearchRecipe::default() };
        let learnt = vec![0.25; ChessTerms::new(TermSet::Meep).count()];
        Checkpoint::new(recipe.about().unwrap(), learnt.clone()).save(&path).unwrap();
        assert_eq!(recipe.first_weights().unwrap().values(), learnt);
        assert_eq!(SearchRecipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);

        let tapered = SearchRecipe { terms: TermSet::Tapered, ..recipe.clone() };
        assert_eq!(tapered.first_weights().unwrap().values(), ChessTerms::tapered(&learnt));
        let knightcap = SearchRecipe { terms: TermSet::KnightCap, ..recipe.clone() };
        assert!(knightcap.first_weights().is_err());
        let other = SearchRecipe { value: Squash::Logistic, ..recipe };
        let message = format!("{:#}", other.first_weights().unwrap_err());
        assert!(message.contains("000000007") && message.contains("Linear"), "{message}");
        let nowhere = SearchRecipe { first_weights: first("matreial"), ..SearchRecipe::default() };
        let message = format!("{:#}", nowhere.first_weights().unwrap_err());
        assert!(message.contains("\"material\"") && !message.contains('\n'), "{message}");
    }
}
