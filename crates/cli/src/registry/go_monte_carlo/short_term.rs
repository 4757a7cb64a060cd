//! Tree searches of Go that start from what TD search has just learnt.

use super::super::go::learnt;
use super::super::monte_carlo::SearchFactory;
use super::{GoParts, GoPlayout, GoPrior};
use crate::agent::monte_carlo::{Method, MonteCarlo};
use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{
    Dyna2, Freeze, GoOwnership, LongTermShapes, Mcts, PlayOut, Selection, ShapeMemory, SharedValues, ShortTermPrior,
    TdSearch, TdSearchSettings, TwoPhaseMcts,
};
use afterstate_engine::value::{FusedShapes, TrackedGo, WindowSizes};
use afterstate_games::go::Go;
use anyhow::{Result, bail};
use std::sync::Arc;

/// Makes searches of `agent` that TD search goes before, with the checkpoint `long` as its long-term memory if there is
/// one.
pub(super) fn searches(
    agent: &MonteCarlo,
    parts: GoParts,
    long: Option<&str>,
    size: usize,
) -> Result<SearchFactory<Go, GoOwnership>> {
    let Some(checkpoint) = long else { return with_memory(agent, parts, || short(TdSettings::default())) };
    let value = learnt(checkpoint, size)?.value();
    let (td, long) = (TdSettings { squash: value.squash, ..TdSettings::default() }, LongTermShapes::of(&value));
    with_memory(agent, parts, move || Dyna2::new(long.clone(), short(td.clone())))
}

/// The paper's short-term memory.
fn short(td: TdSettings) -> ShapeMemory {
    ShapeMemory::new(WindowSizes::new(&[1, 2]).expect("both are sizes of windows"), td)
}

fn with_memory<M: Freeze<Go, Frozen = FusedShapes> + 'static>(
    agent: &MonteCarlo,
    parts: GoParts,
    memory: impl Fn() -> M + Send + Sync + 'static,
) -> Result<SearchFactory<Go, GoOwnership>> {
    match agent.method {
        Method::Flat => bail!("flat Monte-Carlo has no tree whose nodes could start with anything"),
        Method::Greedy(rule) => with_rule(rule, agent, parts, memory),
        Method::Uct { exploration, first_play_urgency } => {
            with_rule(parts.uct(exploration, first_play_urgency), agent, parts, memory)
        }
        Method::Rave(rule) => with_rule(rule, agent, parts, memory),
        Method::McRave(rule) => with_rule(rule, agent, parts, memory),
    }
}

fn with_rule<S: Selection + 'static, M: Freeze<Go, Frozen = FusedShapes> + 'static>(
    rule: S,
    agent: &MonteCarlo,
    parts: GoParts,
    memory: impl Fn() -> M + Send + Sync + 'static,
) -> Result<SearchFactory<Go, GoOwnership>> {
    let playout = PlayOut(GoPlayout::new(&agent.playout)?);
    let (settings, share, experience) = (agent.search.clone(), agent.prior_share, agent.experience);
    let learning = TdSearchSettings { threads: settings.threads, ..TdSearchSettings::default() };
    let search = move || {
        let (values, mut prior) = (SharedValues::default(), parts.prior.clone());
        let read: fn(&FusedShapes, &Go) -> TrackedGo = |values, game| values.track(game.clone());
        prior.0.push(GoPrior::ShortTerm(ShortTermPrior::new(values.clone(), read, experience)));
        let first = TdSearch::new(memory(), playout.clone(), learning.clone());
        let second = Mcts::with(rule.clone(), parts.leaf.clone(), prior, GoOwnership::default(), settings.clone());
        TwoPhaseMcts::new(first, values, second, share)
    };
    search().second_mut().reserve()?;
    Ok(Arc::new(move || Box::new(search())))
}
