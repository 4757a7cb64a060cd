//! [`EquityCache`]: an evaluation that remembers what it said of positions, for searches that come upon them again by other dice.

use super::expectimax::Equity;
use afterstate_games::Game;
use std::marker::PhantomData;

/// An evaluation with a table of what it said last, one entry for each slot. A key is 64 bits long, so that two positions are
/// taken for each other about once in 10¹³ lookups of a full table of a million.
///
/// ```
/// use afterstate_engine::search::{Equity, EquityCache};
/// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
/// use afterstate_games::{Side, backgammon::{Backgammon, Board}, stream};
/// let network = BackgammonNetwork::random(10, &mut stream(1, 0));
/// let game = Backgammon::at(Board::start(), Side::First, None);
/// let mut cached = EquityCache::new(network.clone(), 16);
/// assert_eq!([cached.equity(&game), cached.equity(&game)], [{ network }.equity(&game); 2]);
/// assert_eq!((cached.lookups(), cached.hits()), (2, 1));
/// ```
#[derive(Clone, Debug)]
pub struct EquityCache<G, E> {
    evaluation: E,
    /// Keys and equities.
    table: Vec<(u64, f32)>,
    lookups: u64,
    hits: u64,
    game: PhantomData<fn(&G)>,
}

impl<G, E> EquityCache<G, E> {
    /// A table of 2^`bits` entries, of 16 bytes each.
    pub fn new(evaluation: E, bits: u32) -> EquityCache<G, E> {
        let table = vec![(0, 0.0); 1 << bits];
        EquityCache { evaluation, table, lookups: 0, hits: 0, game: PhantomData }
    }

    /// How often a position was asked for.
    pub fn lookups(&self) -> u64 {
        self.lookups
    }

    /// How often the answer was known.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// What is asked when nothing is known.
    pub fn evaluation(&mut self) -> &mut E {
        &mut self.evaluation
    }
}

impl<G: Game, E: Equity<G>> Equity<G> for EquityCache<G, E> {
    const BOUND: f32 = E::BOUND;

    #[inline]
    fn follow(&mut self, game: &G) {
        self.evaluation.follow(game);
    }

    #[inline]
    fn equity(&mut self, game: &G) -> f32 {
        let key = game.key();
        let slot = key as usize & (self.table.len() - 1);
        self.lookups += 1;
        let (known, equity) = self.table[slot];
        if known == key {
            self.hits += 1;
            return equity;
        }
        let equity = self.evaluation.equity(game);
        self.table[slot] = (key, equity);
        equity
    }
}
