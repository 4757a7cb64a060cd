//! Tree searches that start from what TD search has just learnt (paper 000, §6.2, Table 5).

use super::chess::chess_value;
use super::monte_carlo::{Parts, SearchFactory, plain_parts, uniform_playout};
use super::{Playable, PlayerFactory, grid_value};
use crate::agent::monte_carlo::{Method, MonteCarlo};
use afterstate_arena::MctsPlayer;
use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{
    Dyna2, FeatureMemory, Freeze, Leaf, Mcts, PlayOut, PlayoutObserver, Prior, Selection, SharedValues, ShortTermPrior,
    TdSearch, TdSearchSettings, TwoPhaseMcts,
};
use afterstate_engine::value::{ChessTerms, Features, GridShapes, Linear, WindowSizes};
use afterstate_games::{Chess, Deterministic, Grid, IndexedMoves};
use anyhow::{Result, bail};
use std::sync::Arc;

/// How a position becomes what frozen values read.
pub type Reading<G, M> = fn(&<M as Freeze<G>>::Frozen, &G) -> <M as Freeze<G>>::Position;

/// What TD search learns with, and how its values are read.
pub struct Learning<G: Playable, M: Freeze<G>, D, F> {
    /// Makes a memory for each search.
    pub memory: F,
    /// The default policy of simulations that learn.
    pub playout: D,
    /// Reads a position.
    pub read: Reading<G, M>,
}

/// The paper's short-term memory sees windows of these sizes.
pub fn windows() -> WindowSizes {
    WindowSizes::new(&[1, 2]).expect("both are sizes of windows")
}

/// Makes searches of `agent` that TD search goes before: what it learnt is a prior beside those of `parts`.
pub fn searches<G, M, D, F, L, P, C, O>(
    agent: &MonteCarlo,
    parts: Parts<L, P, C>,
    learning: Learning<G, M, D, F>,
) -> Result<SearchFactory<G, O>>
where
    G: Playable + Deterministic + IndexedMoves,
    M: Freeze<G> + 'static,
    D: Leaf<G> + Sync + 'static,
    F: Fn() -> M + Send + Sync + 'static,
    L: Leaf<G> + Sync + 'static,
    P: Prior<G> + Sync + 'static,
    O: PlayoutObserver<G> + Default + 'static,
{
    match agent.method {
        Method::Flat => bail!("flat Monte-Carlo has no tree whose nodes could start with anything"),
        Method::Greedy(rule) => with_rule(rule, agent, parts.leaf, parts.prior, learning),
        Method::Uct { exploration, first_play_urgency } => {
            let rule = parts.uct(exploration, first_play_urgency);
            with_rule(rule, agent, parts.leaf, parts.prior, learning)
        }
        Method::Rave(rule) => with_rule(rule, agent, parts.leaf, parts.prior, learning),
        Method::McRave(rule) => with_rule(rule, agent, parts.leaf, parts.prior, learning),
    }
}

fn with_rule<G, M, D, F, S, L, P, O>(
    rule: S,
    agent: &MonteCarlo,
    leaf: L,
    prior: P,
    learning: Learning<G, M, D, F>,
) -> Result<SearchFactory<G, O>>
where
    G: Playable + Deterministic + IndexedMoves,
    M: Freeze<G> + 'static,
    D: Leaf<G> + Sync + 'static,
    F: Fn() -> M + Send + Sync + 'static,
    S: Selection + 'static,
    L: Leaf<G> + Sync + 'static,
    P: Prior<G> + Sync + 'static,
    O: PlayoutObserver<G> + Default + 'static,
{
    let Learning { memory, playout, read } = learning;
    let (settings, share, experience) = (agent.search.clone(), agent.prior_share, agent.experience);
    let first_settings = TdSearchSettings { threads: settings.threads, ..TdSearchSettings::default() };
    let search = move || {
        let values = SharedValues::default();
        let prior = (prior.clone(), ShortTermPrior::new(values.clone(), read, experience));
        let first = TdSearch::new(memory(), playout.clone(), first_settings.clone());
        let second = Mcts::with(rule.clone(), leaf.clone(), prior, O::default(), settings.clone());
        TwoPhaseMcts::new(first, values, second, share)
    };
    search().second_mut().reserve()?;
    Ok(Arc::new(move || Box::new(search())))
}

/// The players of a game on a grid, with a checkpoint as long-term memory if the prior names one.
pub fn grid_players<G: Playable + Deterministic + IndexedMoves + Grid>(
    start: &G,
    agent: &MonteCarlo,
    game_length: f32,
) -> Result<PlayerFactory<G>> {
    let long = agent.short_term().flatten().map(|checkpoint| grid_value(start, checkpoint)).transpose()?;
    plain_players(start, agent, (long, GridShapes::new(start, windows())), game_length)
}

/// The players of chess, of which the terms of its evaluation are learnt.
pub fn chess_players(start: &Chess, agent: &MonteCarlo, game_length: f32) -> Result<PlayerFactory<Chess>> {
    let long = agent.short_term().flatten().map(chess_value).transpose()?;
    plain_players(start, agent, (long, ChessTerms::default()), game_length)
}

/// Players whose short-term memory is about `features`, beside what was learnt before, if anything was.
fn plain_players<G, L, F>(
    start: &G,
    agent: &MonteCarlo,
    (long, features): (Option<Linear<L>>, F),
    game_length: f32,
) -> Result<PlayerFactory<G>>
where
    G: Playable + Deterministic + IndexedMoves,
    L: Features<G> + 'static,
    F: Features<G> + 'static,
{
    let parts = plain_parts(start, agent, game_length)?;
    let playout = PlayOut(uniform_playout::<G>(&agent.playout)?);
    let squash = long.as_ref().map_or(TdSettings::default().squash, |long| long.squash);
    let (features, td) = (Arc::new(features), TdSettings { squash, ..TdSettings::default() });
    let short = move || FeatureMemory::new(features.clone(), td.clone());
    let search: SearchFactory<G, ()> = match long {
        None => searches(agent, parts, Learning { memory: short, playout, read: |_, game| game.clone() })?,
        Some(long) => {
            let memory = move || Dyna2::new(long.clone(), short());
            searches(agent, parts, Learning { memory, playout, read: |_, game| game.clone() })?
        }
    };
    let settings = agent.player.clone().for_games_of(game_length);
    Ok(Arc::new(move || Ok(Box::new(MctsPlayer::new(search(), (), settings.clone())))))
}
