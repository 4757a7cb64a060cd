//! [`ExpectimaxPlayer`]: a search of games with dice as a player.

use crate::player::{Player, PlayerError};
use afterstate_engine::search::{Equity, EquityCache, Expectimax, ExpectimaxSettings};
use afterstate_engine::{Budget, Decision, Value};
use afterstate_games::{Game, Record, Side, Turn};

/// The cache has 2 to the power of so many entries, together a MiB: as much as stays in a processor's own cache.
const CACHE_BITS: u32 = 16;

/// Plays what is worth most by [`Expectimax`], by as many plies as there is time for. It needs no random numbers: of equal plays it
/// makes the first.
///
/// ```
/// use afterstate_arena::{ExpectimaxPlayer, Player};
/// use afterstate_engine::Budget;
/// use afterstate_engine::search::ExpectimaxSettings;
/// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
/// use afterstate_games::backgammon::{Backgammon, Board, Dice};
/// use afterstate_games::{Record, Side, stream};
/// let network = BackgammonNetwork::random(10, &mut stream(1, 0));
/// let mut player = ExpectimaxPlayer::new(network, ExpectimaxSettings { plies: 1, ..Default::default() });
/// let game = Record::new(Backgammon::at(Board::start(), Side::First, Dice::new(3, 1)));
/// let decision = player.choose(&game, &Budget::default()).unwrap();
/// assert!(game.is_legal(decision.best.unwrap()));
/// ```
pub struct ExpectimaxPlayer<G: Game, E> {
    search: Search<G, E>,
}

/// Looking one ply ahead meets no position twice.
enum Search<G: Game, E> {
    Plain(Expectimax<G, E>),
    Cached(Box<Expectimax<G, EquityCache<G, E>>>),
}

impl<G: Game, E: Equity<G>> ExpectimaxPlayer<G, E> {
    /// Plays by an evaluation.
    pub fn new(evaluation: E, settings: ExpectimaxSettings) -> Self {
        let search = match settings.plies {
            1 => Search::Plain(Expectimax::new(evaluation, settings)),
            _ => Search::Cached(Box::new(Expectimax::new(EquityCache::new(evaluation, CACHE_BITS), settings))),
        };
        ExpectimaxPlayer { search }
    }
}

impl<G: Game, E: Equity<G>> Player<G> for ExpectimaxPlayer<G, E> {
    fn new_game(&mut self, _record: &Record<G>, _seed: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        let Turn::Player(side) = record.turn() else { return Ok(Decision::resign()) };
        let (plays, effort) = match &mut self.search {
            Search::Plain(search) => {
                let before = search.evaluations();
                (search.rank_within(record.position(), budget), search.evaluations() - before)
            }
            Search::Cached(search) => {
                let before = search.evaluations();
                (search.rank_within(record.position(), budget), search.evaluations() - before)
            }
        };
        let Some(best) = plays.first() else { return Ok(Decision::resign()) };
        let sign = if side == Side::First { 0.5 } else { -0.5 };
        let value = Value(0.5 + sign * best.equity / E::BOUND);
        Ok(Decision { value: Some(value), effort, depth: Some(best.plies), ..Decision::play(best.mv) })
    }
}
