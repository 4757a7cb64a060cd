//! [`look_ahead`]: how games end from a position, as a search sees it some plies ahead.
//!
//! The plays are chosen without a cube and the chances averaged; the cube model is asked once, about the mean. GNU Backgammon asks
//! it at every leaf instead, so that beyond one ply its cubeful equities are others.

use super::Chances;
use crate::search::{Equity, EquityCache, Expectimax, WithBearOff};
use crate::value::backgammon_network::{BackgammonNetwork, outputs_of};
use afterstate_games::backgammon::{Backgammon, Board};
use afterstate_games::{Game, Side, Turn};

/// An evaluation that says how games end, not only what they bring.
pub trait OutcomeEvaluation: Equity<Backgammon> {
    /// The chances of `side`, which is about to roll.
    fn chances(&mut self, board: &Board, side: Side) -> Chances;
}

impl OutcomeEvaluation for BackgammonNetwork {
    fn chances(&mut self, board: &Board, side: Side) -> Chances {
        let mut outputs = [0.0; 5];
        outputs.copy_from_slice(self.outputs(board, side));
        Chances::from(outputs)
    }
}

impl<E: OutcomeEvaluation> OutcomeEvaluation for WithBearOff<E> {
    fn chances(&mut self, board: &Board, side: Side) -> Chances {
        match self.database().outputs(board, side) {
            Some(outputs) => Chances::from(outputs),
            None => self.evaluation().chances(board, side),
        }
    }
}

impl<E: OutcomeEvaluation> OutcomeEvaluation for EquityCache<Backgammon, E> {
    fn chances(&mut self, board: &Board, side: Side) -> Chances {
        self.evaluation().chances(board, side)
    }
}

/// The chances of `side`, which is about to roll, by so many plies, from 1: the mean over all rolls of what the best play of each leads to,
/// the best being found by one ply less. One ply is the evaluation itself. Their equity is that of [`Expectimax::equity`].
///
/// ```
/// use afterstate_engine::cube::look_ahead;
/// use afterstate_engine::search::{Expectimax, ExpectimaxSettings};
/// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
/// use afterstate_games::{Side, backgammon::Board, stream};
/// let network = BackgammonNetwork::random(4, &mut stream(1, 0));
/// let mut search = Expectimax::new(network, ExpectimaxSettings::default());
/// let chances = look_ahead(&mut search, &Board::start(), Side::First, 2);
/// assert!((0.0..=1.0).contains(&chances.win));
/// ```
///
/// # Panics
///
/// If there are more plies than the search was made for.
pub fn look_ahead<E: OutcomeEvaluation>(
    search: &mut Expectimax<Backgammon, E>,
    board: &Board,
    side: Side,
    plies: u32,
) -> Chances {
    if plies <= 1 {
        return search.evaluation().chances(board, side);
    }
    let before = Backgammon::at(*board, side, None);
    let mut rolls = Vec::new();
    before.chance_outcomes(&mut rolls);
    // Rounded to 32 bits they are not quite 1 together, and a sure win would be more than one.
    let total: f64 = rolls.iter().map(|(_, probability)| f64::from(*probability)).sum();
    let mut mean = Chances::from([0.0; 5]);
    for (roll, probability) in rolls {
        let mut after = before;
        after.play(roll);
        let Some(best) = search.rank_by(&after, plies - 1).first().map(|play| play.mv) else { continue };
        after.play(best);
        let chances = match after.turn() {
            Turn::Over(outcome) => Chances::from(outputs_of(outcome, side)),
            _ => look_ahead(search, after.board(), side.other(), plies - 1).turned(),
        };
        mean.add(&chances, f64::from(probability) / total);
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::ExpectimaxSettings;
    use crate::search::expectimax::Pruning;
    use crate::value::bear_off::BearOff;
    use afterstate_games::stream;
    use std::sync::Arc;

    #[test]
    fn a_sure_win_is_no_more_than_sure() {
        let known = WithBearOff::new(BackgammonNetwork::random(5, &mut stream(3, 0)), Arc::new(BearOff::generate()));
        let settings = ExpectimaxSettings { plies: 3, ..ExpectimaxSettings::default() };
        let mut search = Expectimax::new(known, settings);
        let mut counts = [[0; 25]; 2];
        (counts[0][0], counts[1][0]) = (1, 1);
        let board = Board::from_men(counts).unwrap();
        for plies in 1..=3 {
            let chances = look_ahead(&mut search, &board, Side::First, plies);
            assert!((chances.win - 1.0).abs() < 1e-12, "{plies}: {}", chances.win);
        }
    }

    #[test]
    fn chances_and_equities_of_a_search_are_of_one_piece() {
        let settings = ExpectimaxSettings { plies: 2, keep: 1000, margin: 100.0, pruning: Pruning::None };
        let known = WithBearOff::new(BackgammonNetwork::random(5, &mut stream(3, 0)), Arc::new(BearOff::generate()));
        let mut search = Expectimax::new(known, settings);
        let home = |men: [(usize, u8); 2]| {
            let mut counts = [[0; 25]; 2];
            men.iter().for_each(|&(place, count)| counts.iter_mut().for_each(|side| side[place] = count));
            Board::from_men(counts).unwrap()
        };
        for board in [home([(1, 2), (4, 3)]), home([(0, 9), (5, 6)])] {
            let before = Backgammon::at(board, Side::First, None);
            for plies in [1, 2] {
                let chances = look_ahead(&mut search, &board, Side::First, plies);
                let equity = search.equity(&before);
                // The plays of one ply are the best of these positions, or nearly so.
                assert!((chances.equity() - f64::from(equity)).abs() < 5e-3, "{plies}: {chances:?} {equity}");
            }
        }
        // Whoever rolls bears off both men and has won.
        let last = look_ahead(&mut search, &home([(0, 2), (1, 0)]), Side::Second, 2);
        assert!((last.win - 1.0).abs() < 1e-6 && last.gammon < 1e-9);
    }
}
