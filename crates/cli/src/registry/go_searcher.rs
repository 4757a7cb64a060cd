//! [`GoSearcher`]: agents of Go whose searches can be looked into.

use super::PlayerFactory;
use super::go::OneSize;
use super::monte_carlo::SearchFactory;
use super::{go_monte_carlo, puct, td_search};
use crate::agent::Agent;
use afterstate_arena::{Conduct, GoConduct, MctsPlayer, MctsPlayerSettings, MonteCarlo};
use afterstate_engine::search::GoOwnership;
use afterstate_games::go::Go;
use afterstate_protocols::gtp::OpenPlayer;
use anyhow::Result;
use std::sync::Arc;

/// An agent that plays Go by simulations, whatever leads them.
pub struct GoSearcher {
    /// Makes its searches.
    pub(super) search: SearchFactory<Go, GoOwnership>,
    /// How it plays with them.
    pub(super) player: MctsPlayerSettings,
    /// The only size of board that it knows.
    pub(super) only: Option<usize>,
}

impl GoSearcher {
    /// That of `agent` for boards of `size`; `None` if it is an agent of another kind.
    ///
    /// # Errors
    ///
    /// If what it has learnt cannot be read, or is about something else.
    pub fn of(agent: &Agent, size: usize) -> Result<Option<GoSearcher>> {
        let mut searcher = match agent {
            Agent::MonteCarlo(agent) => go_monte_carlo::go_searcher(agent, size)?,
            Agent::TdSearch(agent) => td_search::go_searcher(agent, size)?,
            Agent::Puct(agent) => puct::go_searcher(agent, size)?,
            _ => return Ok(None),
        };
        let game_length = GoConduct.game_length(&Go::new(size)).unwrap_or_default();
        searcher.player = searcher.player.for_games_of(game_length);
        Ok(Some(searcher))
    }

    /// A search alone.
    pub fn search(&self) -> Box<dyn MonteCarlo<Go, GoOwnership>> {
        (self.search)()
    }

    /// A player that shows its thoughts, with `seed` for analyses.
    pub fn open_player(&self, seed: u64) -> OpenPlayer {
        let player = OpenPlayer::new(MctsPlayer::new(self.search(), GoConduct, self.player.clone()), seed);
        match self.only {
            Some(size) => player.with_size(size),
            None => player,
        }
    }

    /// Makes players.
    pub fn players(self) -> PlayerFactory<Go> {
        let player = move || MctsPlayer::new((self.search)(), GoConduct, self.player.clone());
        match self.only {
            Some(size) => Arc::new(move || Ok(Box::new(OneSize { size, inner: player() }))),
            None => Arc::new(move || Ok(Box::new(player()))),
        }
    }
}
