//! Players that simulate, for any game.

use super::{Playable, PlayerFactory, values_or_none};
use crate::agent::monte_carlo::{Method, MonteCarlo};
use crate::agent::playout::{Playout, Policy};
use crate::agent::prior::Prior;
use afterstate_arena::MonteCarlo as SearchMonteCarlo;
use afterstate_arena::{Conduct, MctsPlayer};
use afterstate_engine::Value;
use afterstate_engine::search::Prior as SearchPrior;
use afterstate_engine::search::{
    ByValue, Even, FlatMonteCarlo, FlatMonteCarloSettings, Grandfather, Leaf, Mcts, MctsSettings, NewPosition, PlayOut,
    PlayoutObserver, PriorValue, Selection, Truncated, Uct,
};
use afterstate_engine::value::AfterstateValues;
use afterstate_games::{Deterministic, Game, IndexedMoves, Rng, UniformPlayout};
use anyhow::{Result, bail, ensure};
use std::sync::Arc;

/// What a game brings along for players that simulate: how simulations end, what new moves of the tree start with,
/// and how a player behaves.
pub struct Parts<L, P, C> {
    pub leaf: L,
    pub prior: P,
    pub conduct: C,
    /// How long a game usually is, in moves of both sides.
    pub game_length: f32,
    /// How much UCT explores unless told otherwise.
    pub exploration: f32,
}

impl<L, P, C> Parts<L, P, C> {
    /// The rule of upper confidence bounds, with what is usual in the game where nothing else is wanted.
    pub fn uct(&self, exploration: Option<f32>, first_play_urgency: f32) -> Uct {
        Uct { exploration: exploration.unwrap_or(self.exploration), first_play_urgency }
    }
}

/// Makes searches that watch their simulations with `O`.
pub type SearchFactory<G, O> = Arc<dyn Fn() -> Box<dyn SearchMonteCarlo<G, O>> + Send + Sync>;

/// Makes players of `agent` from a game's `parts`.
///
/// # Errors
///
/// As for [`searches`].
pub fn players<G, L, P, C>(agent: &MonteCarlo, parts: Parts<L, P, C>) -> Result<PlayerFactory<G>>
where
    G: Playable + Deterministic + IndexedMoves,
    L: Leaf<G> + Sync + 'static,
    P: SearchPrior<G> + Sync + 'static,
    C: Conduct<G> + Clone + Sync + 'static,
    C::Observer: PlayoutObserver<G> + Default + 'static,
{
    let settings = agent.player.clone().for_games_of(parts.game_length);
    let conduct = parts.conduct.clone();
    let search = searches::<G, L, P, C>(agent, parts)?;
    Ok(Arc::new(move || Ok(Box::new(MctsPlayer::new(search(), conduct.clone(), settings.clone())))))
}

/// Makes searches of `agent` from a game's `parts`.
///
/// # Errors
///
/// If the machine cannot give the memory for one.
pub fn searches<G, L, P, C>(agent: &MonteCarlo, parts: Parts<L, P, C>) -> Result<SearchFactory<G, C::Observer>>
where
    G: Playable + Deterministic + IndexedMoves,
    L: Leaf<G> + Sync + 'static,
    P: SearchPrior<G> + Sync + 'static,
    C: Conduct<G>,
    C::Observer: PlayoutObserver<G> + Default + 'static,
{
    let settings = agent.search.clone();
    match agent.method {
        Method::Flat => {
            let settings = FlatMonteCarloSettings { simulations: settings.simulations };
            let leaf = parts.leaf;
            Ok(Arc::new(move || Box::new(FlatMonteCarlo::new(leaf.clone(), settings.clone()))))
        }
        Method::Greedy(rule) => with_rule(rule, parts.leaf, parts.prior, settings),
        Method::Uct { exploration, first_play_urgency } => {
            with_rule(parts.uct(exploration, first_play_urgency), parts.leaf, parts.prior, settings)
        }
        Method::Rave(rule) => with_rule(rule, parts.leaf, parts.prior, settings),
        Method::McRave(rule) => with_rule(rule, parts.leaf, parts.prior, settings),
    }
}

fn with_rule<G, S, L, P, O>(rule: S, leaf: L, prior: P, settings: MctsSettings) -> Result<SearchFactory<G, O>>
where
    G: Playable + Deterministic + IndexedMoves,
    S: Selection + 'static,
    L: Leaf<G> + Sync + 'static,
    P: SearchPrior<G> + Sync + 'static,
    O: PlayoutObserver<G> + Default + 'static,
{
    let search = move || Mcts::with(rule.clone(), leaf.clone(), prior.clone(), O::default(), settings.clone());
    search().reserve()?;
    Ok(Arc::new(move || Box::new(search())))
}

/// The default policy of games for which nothing is known but the rules.
pub fn uniform_playout<G: Playable>(playout: &Playout) -> Result<UniformPlayout<G>> {
    ensure!(
        matches!(playout.policy, Policy::Usual | Policy::Uniform)
            && playout.without.is_empty()
            && playout.avoid_self_atari.is_none()
            && playout.mercy.is_none(),
        "{} has uniform playouts only: leave out playout and its rules, or set playout=uniform",
        G::NAME
    );
    Ok(UniformPlayout::default())
}

/// The players of games for which nothing is known but the rules.
pub fn plain_players<G: Playable + Deterministic + IndexedMoves>(
    start: &G,
    agent: &MonteCarlo,
    game_length: f32,
) -> Result<PlayerFactory<G>> {
    players(agent, plain_parts(start, agent, game_length)?)
}

/// The searches of the same games.
pub(super) fn plain_searches<G: Playable + Deterministic + IndexedMoves>(
    start: &G,
    agent: &MonteCarlo,
) -> Result<SearchFactory<G, ()>> {
    ensure!(
        agent.short_term().is_none(),
        "prior=short-term is for who plays, not for who is learnt from: leave it out"
    );
    // They know nothing of clocks.
    searches::<_, _, _, ()>(agent, plain_parts(start, agent, 0.0)?)
}

/// What players bring along of whose game nothing is known but the rules. A prior that TD search learns is not among it: every
/// search has its own.
pub(super) fn plain_parts<G: Playable + Deterministic + IndexedMoves>(
    start: &G,
    agent: &MonteCarlo,
    game_length: f32,
) -> Result<Parts<PlainLeaf<G>, Several<PlainPrior<G>>, ()>> {
    ensure!(agent.mix.is_none(), "no network has a say in simulations of {}: leave mix out, or use puct", G::NAME);
    let playout = PlainLeaf::PlayOut(PlayOut(uniform_playout(&agent.playout)?));
    let leaf = match &agent.truncation {
        None => playout,
        Some(truncation) => {
            PlainLeaf::Truncated(Truncated::new(truncation.moves, values_or_none(start, truncation.values.as_deref())?))
        }
    };
    let mut prior = Vec::new();
    for wanted in &agent.priors {
        prior.push(match wanted {
            Prior::Usual | Prior::Even => PlainPrior::Even(Even { experience: agent.experience }),
            Prior::Grandfather => PlainPrior::Grandfather(Grandfather::new(agent.experience)),
            Prior::Shapes(checkpoint) => PlainPrior::Learnt(ByValue::new(start.values(checkpoint)?, agent.experience)),
            Prior::ShortTerm(_) => continue,
            Prior::Handcrafted | Prior::Fuego | Prior::Network(_) => bail!(
                "{} has no such prior: use prior=none, even, grandfather or shapes:CHECKPOINT, or short-term",
                G::NAME
            ),
        });
    }
    Ok(Parts { leaf, prior: Several(prior), conduct: (), game_length, exploration: Uct::default().exploration })
}

/// How simulations end where nothing is known but the rules.
#[derive(Clone)]
pub(super) enum PlainLeaf<G: Game> {
    PlayOut(PlayOut<UniformPlayout<G>>),
    Truncated(Truncated<G, dyn AfterstateValues<G>>),
}

impl<G: Game> Leaf<G> for PlainLeaf<G> {
    fn finish(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Value {
        match self {
            PlainLeaf::PlayOut(leaf) => leaf.finish(game, trace, rng),
            PlainLeaf::Truncated(leaf) => leaf.finish(game, trace, rng),
        }
    }

    fn plays_to_end(&self) -> bool {
        matches!(self, PlainLeaf::PlayOut(_))
    }
}

/// Priors that need no knowledge of the game but what was learnt.
#[derive(Clone)]
pub(super) enum PlainPrior<G> {
    Even(Even),
    Grandfather(Grandfather),
    Learnt(ByValue<dyn AfterstateValues<G>>),
}

impl<G: IndexedMoves> SearchPrior<G> for PlainPrior<G> {
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        match self {
            PlainPrior::Even(prior) => prior.fill(position, out),
            PlainPrior::Grandfather(prior) => prior.fill(position, out),
            PlainPrior::Learnt(prior) => prior.fill(position, out),
        }
    }

    fn looks_two_plies_up(&self) -> bool {
        matches!(self, PlainPrior::Grandfather(_))
    }
}

/// Any number of priors, each of which has its say.
#[derive(Clone)]
pub struct Several<P>(pub Vec<P>);

impl<G: Game, P: SearchPrior<G>> SearchPrior<G> for Several<P> {
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        for prior in &mut self.0 {
            prior.fill(position, out);
        }
    }

    fn looks_two_plies_up(&self) -> bool {
        self.0.iter().any(|prior| prior.looks_two_plies_up())
    }
}
