//! [`PlayAnalyst`]: each play of a game of backgammon beside what a search would have played.

use afterstate_engine::search::{Equity, EquityCache, Expectimax, ExpectimaxSettings};
use afterstate_games::backgammon::mat::MatGame;
use afterstate_games::backgammon::{Backgammon, Move, Play};
use afterstate_games::{Side, Turn};
use serde::Serialize;

/// Evaluations that are kept: 2 to this power.
const CACHE_BITS: u32 = 18;

/// A play that was made, and what a search thinks of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPlay {
    /// Which play of the game, from 1.
    pub number: usize,
    /// Who made it.
    pub side: Side,
    /// The position with the roll.
    pub position: Backgammon,
    /// The play.
    pub played: Move,
    /// What the search would have played.
    pub best: Move,
    /// What the play was worth to who made it, in points.
    pub equity: f32,
    /// How many points it lost against the best; never less than nothing.
    pub loss: f32,
    /// Whether it was the only legal one.
    pub forced: bool,
}

/// Judges plays by a search.
pub struct PlayAnalyst<E> {
    search: Expectimax<Backgammon, EquityCache<Backgammon, E>>,
}

impl<E: Equity<Backgammon>> PlayAnalyst<E> {
    /// An analyst that looks ahead as the settings say.
    pub fn new(evaluation: E, settings: ExpectimaxSettings) -> Self {
        PlayAnalyst { search: Expectimax::new(EquityCache::new(evaluation, CACHE_BITS), settings) }
    }

    /// Judges the plays of a game one after the other, until `go_on` says no.
    pub fn judge(&mut self, game: &MatGame, go_on: &mut dyn FnMut() -> bool) -> Vec<JudgedPlay> {
        let mut judged = Vec::new();
        for (index, (position, play)) in game.plays().enumerate() {
            if !go_on() {
                break;
            }
            judged.extend(self.judge_play(index + 1, position, play));
        }
        judged
    }

    fn judge_play(&mut self, number: usize, position: Backgammon, play: Play) -> Option<JudgedPlay> {
        let Turn::Player(side) = afterstate_games::Game::turn(&position) else { return None };
        let played = Move::Play(play);
        let ranked = self.search.rank(&position);
        let best = ranked.first()?;
        let forced = ranked.len() == 1;
        // A play that nothing competes with is not looked at as far.
        let whole = best.plies == self.search.settings().plies;
        let most = if whole { best.equity } else { self.search.equity_of(&position, best.mv) };
        let equity = if best.mv == played { most } else { self.search.equity_of(&position, played) };
        Some(JudgedPlay {
            number,
            side,
            position,
            played,
            best: best.mv,
            equity,
            loss: if forced { 0.0 } else { (most - equity).max(0.0) },
            forced,
        })
    }
}

/// How one side played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlaySummary {
    /// Its plays.
    pub plays: usize,
    /// Those where it had a choice.
    pub unforced: usize,
    /// Points that they lost, all together.
    pub loss: f64,
    /// The same for each unforced play, in thousandths of a point: the usual error rate.
    pub error_rate: f64,
    /// Plays that lost as much as a blunder does.
    pub blunders: usize,
}

/// Sums up how `side` played. Plays that lost `blunder` points or more are blunders.
pub fn summarise_plays<'a>(judged: impl IntoIterator<Item = &'a JudgedPlay>, side: Side, blunder: f32) -> PlaySummary {
    let mut summary = PlaySummary::default();
    for play in judged.into_iter().filter(|play| play.side == side) {
        summary.plays += 1;
        summary.unforced += usize::from(!play.forced);
        summary.loss += f64::from(play.loss);
        summary.blunders += usize::from(play.loss >= blunder);
    }
    summary.error_rate = 1000.0 * summary.loss / summary.unforced.max(1) as f64;
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::search::expectimax::Pruning;
    use afterstate_engine::value::backgammon_network::BackgammonNetwork;
    use afterstate_games::backgammon::mat::MatMatch;
    use afterstate_games::{Game, stream};

    const GAME: &str = " 0 point match\n\n Game 1\n Ada : 0                        Bob : 0\n  \
                        1) 21: 13/11 24/23             41: 6/2* 2/1*\n  2) 66:                         65: 6/1 24/18\n  \
                        3) 32: 25/22 25/23             32: 18/13\n";

    #[test]
    fn what_a_play_lost_is_what_the_best_is_worth_more() {
        let network = BackgammonNetwork::random(6, &mut stream(1, 0));
        let settings = ExpectimaxSettings { plies: 2, keep: 1000, margin: 100.0, pruning: Pruning::None };
        let game = &MatMatch::read(GAME).unwrap().games[0];
        let judged = PlayAnalyst::new(network.clone(), settings).judge(game, &mut || true);
        assert_eq!(judged.len(), 6);
        let mut search = Expectimax::new(network, settings);
        for play in &judged {
            // Each legal play by itself, from the position that it leads to.
            let mut equities = Vec::new();
            let mut moves = Vec::new();
            play.position.legal_moves(&mut moves);
            for mv in moves {
                let mut after = play.position;
                after.play(mv);
                equities.push((mv, -search.equity(&after)));
            }
            let of = |mv| equities.iter().find(|(other, _)| *other == mv).unwrap().1;
            let most = equities.iter().map(|(_, equity)| *equity).fold(f32::NEG_INFINITY, f32::max);
            assert!((of(play.played) - play.equity).abs() < 1e-4, "{play:?}: {}", of(play.played));
            assert!(play.forced || (most - play.equity - play.loss).abs() < 1e-4, "{play:?}: {most}");
        }
        // A side that cannot move has no choice, and neither has one whose two men can enter in one way.
        assert!(judged[2].forced && judged[2].loss == 0.0 && judged[4].forced);
        let summary = summarise_plays(&judged, Side::First, 0.0);
        assert_eq!((summary.plays, summary.unforced, summary.blunders), (3, 1, 3));
        assert!((summary.loss - f64::from(judged[0].loss)).abs() < 1e-6);
        assert!((summary.error_rate - 1000.0 * summary.loss).abs() < 1e-3);
    }
}
