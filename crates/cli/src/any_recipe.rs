//! [`AnyRecipe`]: a recipe of whatever game it names, for those who only want it carried out.

use crate::agent::catalogue::did_you_mean;
use crate::balance_recipe::BalanceRecipe;
use crate::chess_network_recipe::ChessNetworkRecipe;
use crate::grid_recipe::{GridGameName, GridLesson, GridRecipe};
use crate::lesson::Lesson;
use crate::network_recipe::NetworkRecipe;
use crate::recipe::{self, Recipe};
use crate::search_recipe::SearchRecipe;
use crate::train::{Report, train};
use crate::training_run::RECIPE;
use crate::zero_recipe::{ZeroGameName, ZeroLesson, ZeroRecipe};
use afterstate_games::go::Go;
use afterstate_games::{ConnectFour, TicTacToe};
use anyhow::{Result, bail};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A recipe of any kind.
#[derive(Clone, Debug)]
pub enum AnyRecipe {
    /// Go, with local shapes.
    Shapes(Recipe),
    /// Go, a policy for playouts.
    Playouts(Box<BalanceRecipe>),
    /// Chess, by search.
    Search(Box<SearchRecipe>),
    /// Chess, with a network.
    ChessNetwork(Box<ChessNetworkRecipe>),
    /// Backgammon, with a network.
    Network(NetworkRecipe),
    /// A small game on a grid, over its shapes.
    Grid(Box<GridRecipe>),
    /// A game on a grid, by AlphaZero or Go-Exploit.
    Zero(Box<ZeroRecipe>),
}

/// What can be learnt.
const GAMES: [&str; 5] = ["go", "chess", "backgammon", "connect-four", "tic-tac-toe"];

impl AnyRecipe {
    /// Reads a recipe file of the kind that its game says.
    pub fn load(path: &Path) -> Result<AnyRecipe> {
        recipe::read_file(path, recipe::refuse_others)?;
        if recipe::read_file(path, is_grid)? {
            return Ok(AnyRecipe::Grid(Box::new(recipe::read_file(path, GridRecipe::parse)?)));
        }
        if recipe::read_file(path, is_zero)? {
            return Ok(AnyRecipe::Zero(Box::new(recipe::read_file(path, ZeroRecipe::parse)?)));
        }
        if recipe::read_file(path, is_of_playouts)? {
            return Ok(AnyRecipe::Playouts(Box::new(BalanceRecipe::load(path)?)));
        }
        let game = recipe::read_file(path, named_game)?;
        if let Some(game) = game.as_deref().filter(|game| !GAMES.contains(game)) {
            bail!("{}: game '{game}': expected {}{}", path.display(), GAMES.join(", "), did_you_mean(game, GAMES));
        }
        Ok(match game.as_deref() {
            Some("chess") if recipe::read_file(path, has_hidden_units)? => {
                AnyRecipe::ChessNetwork(Box::new(ChessNetworkRecipe::load(path)?))
            }
            Some("chess") => AnyRecipe::Search(Box::new(SearchRecipe::load(path)?)),
            Some("backgammon") => AnyRecipe::Network(NetworkRecipe::load(path)?),
            _ => AnyRecipe::Shapes(Recipe::load(path)?),
        })
    }

    /// The same with what `change` makes of its games, seed and threads, if that is still a recipe.
    pub fn changed(self, change: impl FnOnce(&mut u64, &mut u64, &mut usize)) -> Result<AnyRecipe> {
        Ok(match self {
            AnyRecipe::Shapes(mut recipe) => {
                change(&mut recipe.games, &mut recipe.seed, &mut recipe.threads);
                AnyRecipe::Shapes(Recipe::parse(&toml::to_string(&recipe)?)?)
            }
            AnyRecipe::Playouts(mut recipe) => {
                change(&mut recipe.games, &mut recipe.seed, &mut recipe.threads);
                AnyRecipe::Playouts(Box::new(BalanceRecipe::parse(&toml::to_string(&recipe)?)?))
            }
            AnyRecipe::Search(mut recipe) => {
                change(&mut recipe.games, &mut recipe.seed, &mut recipe.threads);
                AnyRecipe::Search(Box::new(SearchRecipe::parse(&toml::to_string(&recipe)?)?))
            }
            AnyRecipe::ChessNetwork(mut recipe) => {
                change(&mut recipe.games, &mut recipe.seed, &mut recipe.threads);
                AnyRecipe::ChessNetwork(Box::new(ChessNetworkRecipe::parse(&toml::to_string(&recipe)?)?))
            }
            AnyRecipe::Grid(mut recipe) => {
                change(&mut recipe.games, &mut recipe.seed, &mut recipe.threads);
                AnyRecipe::Grid(Box::new(GridRecipe::parse(&toml::to_string(&recipe)?)?))
            }
            AnyRecipe::Zero(mut recipe) => {
                change(&mut recipe.steps, &mut recipe.seed, &mut recipe.threads);
                AnyRecipe::Zero(Box::new(ZeroRecipe::parse(&toml::to_string(&recipe)?)?))
            }
            AnyRecipe::Network(mut recipe) => {
                change(&mut recipe.games, &mut recipe.seed, &mut recipe.threads);
                AnyRecipe::Network(NetworkRecipe::parse(&toml::to_string(&recipe)?)?)
            }
        })
    }

    /// Games of training, or learning steps.
    pub fn games(&self) -> u64 {
        match self {
            AnyRecipe::Shapes(recipe) => recipe.games,
            AnyRecipe::Playouts(recipe) => recipe.games,
            AnyRecipe::Search(recipe) => recipe.games,
            AnyRecipe::ChessNetwork(recipe) => recipe.games,
            AnyRecipe::Network(recipe) => recipe.games,
            AnyRecipe::Grid(recipe) => recipe.games,
            AnyRecipe::Zero(recipe) => recipe.steps,
        }
    }

    /// What its length is counted in.
    pub fn unit(&self) -> &'static str {
        match self {
            AnyRecipe::Zero(_) => "learning steps",
            _ => "games",
        }
    }

    /// Whether the run in a folder was learnt in this way, as far as it says how.
    pub fn is_of(&self, folder: &Path) -> bool {
        if !folder.join(RECIPE).exists() {
            return true;
        }
        match self {
            AnyRecipe::Shapes(recipe) => recipe.is_of(folder),
            AnyRecipe::Playouts(recipe) => recipe.is_of(folder),
            AnyRecipe::Search(recipe) => recipe.is_of(folder),
            AnyRecipe::ChessNetwork(recipe) => recipe.is_of(folder),
            AnyRecipe::Network(recipe) => recipe.is_of(folder),
            AnyRecipe::Grid(recipe) => match recipe.game {
                GridGameName::TicTacToe => GridLesson::<TicTacToe>::new((**recipe).clone()).is_of(folder),
                GridGameName::ConnectFour => GridLesson::<ConnectFour>::new((**recipe).clone()).is_of(folder),
            },
            AnyRecipe::Zero(recipe) => match recipe.game {
                ZeroGameName::TicTacToe => ZeroLesson::<TicTacToe>::new((**recipe).clone()).is_of(folder),
                ZeroGameName::ConnectFour => ZeroLesson::<ConnectFour>::new((**recipe).clone()).is_of(folder),
                ZeroGameName::Go => ZeroLesson::<Go>::new((**recipe).clone()).is_of(folder),
            },
        }
    }

    /// Trains as [`train()`] does.
    pub fn train(&self, folder: &Path, resume: bool, report: Report, stop: &AtomicBool) -> Result<()> {
        match self {
            AnyRecipe::Shapes(recipe) => train(recipe, folder, resume, report, stop),
            AnyRecipe::Playouts(recipe) => train(&**recipe, folder, resume, report, stop),
            AnyRecipe::Search(recipe) => train(&**recipe, folder, resume, report, stop),
            AnyRecipe::ChessNetwork(recipe) => train(&**recipe, folder, resume, report, stop),
            AnyRecipe::Network(recipe) => train(recipe, folder, resume, report, stop),
            AnyRecipe::Grid(recipe) => {
                let recipe = (**recipe).clone();
                match recipe.game {
                    GridGameName::TicTacToe => {
                        train(&GridLesson::<TicTacToe>::new(recipe), folder, resume, report, stop)
                    }
                    GridGameName::ConnectFour => {
                        train(&GridLesson::<ConnectFour>::new(recipe), folder, resume, report, stop)
                    }
                }
            }
            AnyRecipe::Zero(recipe) => {
                let recipe = (**recipe).clone();
                match recipe.game {
                    ZeroGameName::TicTacToe => {
                        train(&ZeroLesson::<TicTacToe>::new(recipe), folder, resume, report, stop)
                    }
                    ZeroGameName::ConnectFour => {
                        train(&ZeroLesson::<ConnectFour>::new(recipe), folder, resume, report, stop)
                    }
                    ZeroGameName::Go => train(&ZeroLesson::<Go>::new(recipe), folder, resume, report, stop),
                }
            }
        }
    }
}

/// Whether a recipe names a small game on a grid.
fn names_small_grid(table: &toml::Table) -> bool {
    matches!(table.get("game").and_then(|game| game.as_str()), Some("connect-four" | "tic-tac-toe"))
}

/// Whether a recipe is one of such a game's shapes: it says what is seen of a position, or by what rule weights of that are learnt.
fn is_grid(text: &str) -> Result<bool> {
    let table: Option<toml::Table> = text.parse().ok();
    let says = |table: &toml::Table| ["features", "td", "learner", "dyna-2"].iter().any(|&key| table.contains_key(key));
    Ok(table.is_some_and(|table| names_small_grid(&table) && says(&table)))
}

/// Whether a recipe is one of AlphaZero or Go-Exploit: it names a preset, or a small game and nothing that says otherwise.
fn is_zero(text: &str) -> Result<bool> {
    let table: Option<toml::Table> = text.parse().ok();
    Ok(table.is_some_and(|table| table.contains_key("preset") || names_small_grid(&table)))
}

/// Whether a recipe is one of playouts: its learner says so.
fn is_of_playouts(text: &str) -> Result<bool> {
    let table: Option<toml::Table> = text.parse().ok();
    let learner = table.as_ref().and_then(|table| table.get("learner")?.as_str());
    Ok(learner == Some(crate::balance_recipe::LEARNER))
}

/// Whether a recipe is one of a network: it says how many hidden units.
fn has_hidden_units(text: &str) -> Result<bool> {
    let table: Option<toml::Table> = text.parse().ok();
    Ok(table.is_some_and(|table| table.contains_key("hidden")))
}

/// The game that a recipe names. What cannot be read is left to whoever reads it properly.
fn named_game(text: &str) -> Result<Option<String>> {
    let table: Option<toml::Table> = text.parse().ok();
    Ok(table.and_then(|table| table.get("game")?.as_str().map(str::to_string)))
}
