//! Searches of games of which nothing is known but the rules, whatever leads them.

use super::Playable;
use super::monte_carlo::{self, SearchFactory};
use super::puct;
use crate::agent::Agent;
use crate::zero_game::ZeroGame;
use anyhow::Result;

/// Makes the searches of `agent`; `None` if it is an agent without a tree of positions.
///
/// # Errors
///
/// If what it has learnt cannot be read, or is about something else.
pub fn plain_searches<G: Playable + ZeroGame>(start: &G, agent: &Agent) -> Result<Option<SearchFactory<G, ()>>> {
    Ok(match agent {
        Agent::MonteCarlo(agent) => Some(monte_carlo::plain_searches(start, agent)?),
        Agent::Puct(agent) => Some(puct::plain_searches(start, agent)?),
        _ => None,
    })
}
