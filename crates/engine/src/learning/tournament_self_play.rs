//! [`TournamentSelfPlay`]: games of chess that the tournament search plays against itself, for networks that learn from them.

use super::seen_position::{SeenPosition, Worth};
use crate::Budget;
use crate::search::{ChessEvaluation, TournamentSearch, TournamentSettings};
use crate::value::centipawns::winning_chance;
use afterstate_games::chess::Move;
use afterstate_games::chess::cozy_chess::Board;
use afterstate_games::rng::below;
use afterstate_games::{Chess, Outcome, Record, Rng, Side, Turn};
use serde::{Deserialize, Serialize};

/// How games are played.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TournamentSelfPlaySettings {
    /// Positions that are looked at for a move.
    pub nodes: u64,
    /// Random moves of both sides at the beginning; every second game has one more.
    pub opening_moves: u32,
    /// A game whose first search says that a side is so many hundredths of a pawn ahead is not played.
    pub uneven: i32,
    /// Searches in a row that say that the same side is `won` ahead decide the game.
    pub sure: u32,
    /// By so many hundredths of a pawn a side is far enough ahead for `sure`.
    pub won: i32,
    /// Longer games are drawn.
    pub move_limit: usize,
    /// Size of the transposition table in MiB.
    pub table_mib: usize,
}

impl Default for TournamentSelfPlaySettings {
    fn default() -> Self {
        TournamentSelfPlaySettings {
            nodes: 600,
            opening_moves: 7,
            uneven: 300,
            sure: 6,
            won: 900,
            move_limit: 300,
            table_mib: 4,
        }
    }
}

/// What a game was.
#[derive(Clone, Debug, Default)]
pub struct SeenGame {
    /// The positions that are worth learning, in their order.
    pub positions: Vec<SeenPosition>,
    /// Moves of both sides.
    pub moves: usize,
    /// Positions that were looked at.
    pub nodes: u64,
    /// How it ended.
    pub outcome: Option<Outcome>,
}

/// One search that plays both sides.
pub struct TournamentSelfPlay<E> {
    settings: TournamentSelfPlaySettings,
    search: TournamentSearch<E>,
}

impl<E: ChessEvaluation> TournamentSelfPlay<E> {
    /// Plays by this evaluation.
    pub fn new(evaluation: E, settings: TournamentSelfPlaySettings) -> TournamentSelfPlay<E> {
        let search = TournamentSettings { table_mib: settings.table_mib, ..TournamentSettings::default() };
        TournamentSelfPlay { settings, search: TournamentSearch::new(evaluation, search) }
    }

    /// Plays by another evaluation from the next game on.
    pub fn set_evaluation(&mut self, evaluation: E) {
        self.search.set_evaluation(evaluation);
    }

    /// One game.
    pub fn play(&mut self, number: u64, rng: &mut Rng) -> SeenGame {
        self.search.clear();
        let mut record = self.opening(number, rng);
        let mut game = SeenGame::default();
        let mut seen: Vec<(Side, Board, f32)> = Vec::new();
        let mut ahead = 0i32;
        let TournamentSelfPlaySettings { nodes, uneven, sure, won, move_limit, .. } = self.settings;
        let budget = Budget { simulations: Some(nodes), ..Budget::default() };
        let [even, over] = [uneven, won].map(|centipawns| winning_chance(centipawns as f32) - 0.5);
        let outcome = loop {
            let side = match record.turn() {
                Turn::Over(outcome) => break outcome,
                Turn::Player(side) if record.moves().len() < move_limit => side,
                _ => break Outcome::DRAW,
            };
            let decision = self.search.search(&record, &budget.clone().into(), &mut |_| {});
            game.nodes += decision.effort;
            let (Some(mv), Some(value)) = (decision.best, decision.value) else { break Outcome::DRAW };
            if game.moves == 0 && (value.0 - 0.5).abs() > even {
                return game;
            }
            ahead = match value.0 - 0.5 {
                lead if lead > over => ahead.max(0) + 1,
                lead if lead < -over => ahead.min(0) - 1,
                _ => 0,
            };
            if ahead.unsigned_abs() >= sure {
                break Outcome::win(if ahead > 0 { Side::First } else { Side::Second });
            }
            if is_quiet(record.position(), mv) && decision.plies_to_end.is_none() {
                seen.push((side, record.position().board().clone(), value.seen_by(side)));
            }
            record.play(mv);
            game.moves += 1;
        };
        game.positions.extend(seen.into_iter().filter_map(|(side, board, searched)| {
            let outcome = crate::Value::from(outcome).seen_by(side);
            SeenPosition::new(&board, Worth { searched, outcome })
        }));
        game.outcome = Some(outcome);
        game
    }

    /// Random moves to where a side is to move.
    fn opening(&self, number: u64, rng: &mut Rng) -> Record<Chess> {
        let plies = self.settings.opening_moves + (number % 2) as u32;
        let mut moves = Vec::new();
        loop {
            let mut record = Record::new(Chess::new());
            for _ in 0..plies {
                record.legal_moves(&mut moves);
                let Some(&mv) = moves.get(below(rng, moves.len().max(1) as u32) as usize) else { break };
                record.play(mv);
            }
            if matches!(record.turn(), Turn::Player(_)) {
                return record;
            }
        }
    }
}

/// Whether an evaluation can be expected to know what a position is worth: nobody is in check, and the best move takes nothing.
fn is_quiet(game: &Chess, best: Move) -> bool {
    game.board().checkers().is_empty() && game.exchange(best).is_none() && best.promotion.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{ChessTerms, FrozenTerms, TermSet};
    use afterstate_games::{Notation, stream};

    fn self_play(settings: TournamentSelfPlaySettings) -> TournamentSelfPlay<FrozenTerms> {
        let terms = ChessTerms::new(TermSet::Meep);
        TournamentSelfPlay::new(FrozenTerms::new(terms, &terms.piece_values([1.0, 3.0, 3.0, 5.0, 9.0])), settings)
    }

    #[test]
    fn games_are_those_of_their_streams_and_each_side_learns_its_own_outcome() {
        let settings = TournamentSelfPlaySettings { nodes: 200, ..TournamentSelfPlaySettings::default() };
        let (mut one, mut other) = (self_play(settings), self_play(settings));
        let (mut decided, mut agree) = (0, [0, 0]);
        for number in 0..12 {
            let game = one.play(number, &mut stream(1, number));
            let again = other.play(number, &mut stream(1, number));
            assert_eq!((&game.positions, game.moves, game.nodes), (&again.positions, again.moves, again.nodes));
            assert!(game.moves <= 300 && game.positions.len() <= game.moves);
            let won = game.outcome.is_some_and(|outcome| outcome.winner.is_some());
            let halves = game.positions.iter().filter(|position| position.worth().outcome == 0.5).count();
            assert_eq!(halves, if won { 0 } else { game.positions.len() });
            decided += usize::from(won);
            // Whoever sees itself far ahead wins, whichever side it is.
            let clear = game.positions.iter().map(|position| position.worth());
            for Worth { searched, outcome } in clear.filter(|worth| won && (worth.searched - 0.5).abs() > 0.45) {
                agree[usize::from((searched > 0.5) == (outcome > 0.5))] += 1;
            }
        }
        assert!(decided > 2, "{decided} of 12 games have a winner");
        assert!(agree[1] > 20 && agree[1] > 5 * agree[0], "{agree:?}");
    }

    #[test]
    fn castling_is_quiet_and_taking_en_passant_is_not() {
        let game = |text| Chess::parse_position(text).unwrap();
        let castling = game("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert!(is_quiet(&castling, castling.parse_move("O-O").unwrap()));
        let passant = game("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        assert!(!is_quiet(&passant, passant.parse_move("exd6").unwrap()));
        assert!(is_quiet(&passant, passant.parse_move("Kd2").unwrap()));
    }

    #[test]
    fn a_game_that_begins_uneven_is_not_played() {
        let settings = TournamentSelfPlaySettings { uneven: 0, nodes: 100, ..TournamentSelfPlaySettings::default() };
        let mut self_play = self_play(settings);
        let games: Vec<SeenGame> = (0..20).map(|number| self_play.play(number, &mut stream(2, number))).collect();
        assert!(games.iter().any(|game| game.moves == 0 && game.outcome.is_none() && game.positions.is_empty()));
    }
}
