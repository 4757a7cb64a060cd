//! [`ZeroGame`]: games that AlphaZero's family learns, and whose play it can learn from there.

use crate::agent::Agent;
use crate::registry::{GoSearcher, Playable, plain_searches};
use crate::zero_recipe::ZeroRecipe;
use afterstate_arena::GoConduct;
use afterstate_arena::mcts_player::{ExpertSettings, MctsExpert};
use afterstate_engine::zero::{MakeExpert, Planes};
use afterstate_games::go::Go;
use afterstate_games::{ConnectFour, Deterministic, Notation, TicTacToe};
use anyhow::{Context, Result};
use std::sync::Arc;

/// A game that is learnt so: where it begins, and how its UCT plays out.
pub trait ZeroGame: Planes + Deterministic + Notation {
    /// The first position, as a recipe wants it.
    fn first(recipe: &ZeroRecipe) -> Self;

    /// The same position where games last as long as in matches.
    fn unlimited(&self) -> Self {
        self.clone()
    }

    /// White's compensation, where there is one.
    fn komi(&self) -> Option<f64> {
        None
    }

    /// Players by a tree search, which `agent` is, whose games are learnt from.
    ///
    /// # Errors
    ///
    /// If `agent` is another, or what it has learnt cannot be read or is about something else.
    fn experts(&self, agent: &Agent, settings: ExpertSettings) -> Result<MakeExpert<Self>>;
}

/// Why somebody is no expert.
pub const NO_TREE: &str = "expected a tree search: mcts, uct, rave, mc-rave or puct";

/// Experts of games that have no manners.
fn plain_experts<G: ZeroGame + Playable>(start: &G, agent: &Agent, settings: ExpertSettings) -> Result<MakeExpert<G>> {
    let search = plain_searches(start, agent)?.context(NO_TREE)?;
    Ok(Arc::new(move || Box::new(MctsExpert::new(search(), (), settings))))
}

impl ZeroGame for TicTacToe {
    fn first(_recipe: &ZeroRecipe) -> Self {
        TicTacToe::default()
    }

    fn experts(&self, agent: &Agent, settings: ExpertSettings) -> Result<MakeExpert<Self>> {
        plain_experts(self, agent, settings)
    }
}

impl ZeroGame for ConnectFour {
    fn first(_recipe: &ZeroRecipe) -> Self {
        ConnectFour::new()
    }

    fn experts(&self, agent: &Agent, settings: ExpertSettings) -> Result<MakeExpert<Self>> {
        plain_experts(self, agent, settings)
    }
}

/// At most twice as many moves as there are points, as in the paper's program.
impl ZeroGame for Go {
    fn first(recipe: &ZeroRecipe) -> Self {
        let points = (recipe.board_size * recipe.board_size) as u16;
        Go::new(recipe.board_size).with_komi(recipe.komi).with_move_limit(2 * points)
    }

    fn unlimited(&self) -> Self {
        self.clone().with_move_limit(u16::MAX)
    }

    fn komi(&self) -> Option<f64> {
        Some(self.komi().points())
    }

    fn experts(&self, agent: &Agent, settings: ExpertSettings) -> Result<MakeExpert<Self>> {
        let searcher = GoSearcher::of(agent, self.size())?.context(NO_TREE)?;
        Ok(Arc::new(move || Box::new(MctsExpert::new(searcher.search(), GoConduct, settings))))
    }
}
