//! With nothing that guesses, the search finds the minimax value: compared with a slow reference.

use crate::piece_squares::PieceSquares;
use crate::{decide, depth, engine, random_positions};
use afterstate_engine::search::{ChessEvaluation, TournamentSettings};
use afterstate_games::chess::Move;
use afterstate_games::chess::cozy_chess::Piece;
use afterstate_games::{Chess, Game, Notation, Record, Side, Turn};

/// Scores as the side to move sees them; a mate now is worth this.
const MATE: i32 = 32_000;

struct Reference {
    evaluation: PieceSquares,
    /// Repetition keys of the line that is being looked at.
    keys: Vec<u64>,
}

impl Reference {
    fn is_drawn(&self, game: &Chess) -> bool {
        let now = game.repetition_key();
        game.board().halfmove_clock() >= 100
            || game.has_insufficient_material()
            || self.keys[..self.keys.len() - 1].contains(&now)
    }

    /// The best that follows after any of `moves`.
    fn best(&mut self, game: &Chess, moves: &[Move], mut low: i32, depth: Option<u32>, ply: i32, beta: i32) -> i32 {
        let mut best = low;
        for &mv in moves {
            let mut child = game.clone();
            child.play(mv);
            self.keys.push(child.repetition_key());
            let value = match depth {
                Some(depth) => -self.minimax(&child, depth, ply + 1),
                None => -self.quiescence(&child, -beta, -low, ply + 1),
            };
            self.keys.pop();
            best = best.max(value);
            if depth.is_none() {
                low = low.max(best);
                if low >= beta {
                    break;
                }
            }
        }
        best
    }

    /// Everything is searched.
    fn minimax(&mut self, game: &Chess, depth: u32, ply: i32) -> i32 {
        if depth == 0 {
            return self.quiescence(game, -MATE, MATE, ply);
        }
        match game.turn() {
            Turn::Over(outcome) => outcome.winner.map_or(0, |_| ply - MATE),
            _ if self.is_drawn(game) => 0,
            _ => {
                let mut moves = Vec::new();
                game.legal_moves(&mut moves);
                self.best(game, &moves, -MATE, Some(depth - 1), ply, MATE)
            }
        }
    }

    /// The textbook's: fails hard, looks at captures and promotions in any order, but for those to rook and bishop, in check at everything.
    fn quiescence(&mut self, game: &Chess, alpha: i32, beta: i32, ply: i32) -> i32 {
        let board = game.board();
        let in_check = !board.checkers().is_empty();
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        if in_check && !board.generate_moves(|_| true) {
            return ply - MATE;
        }
        if self.is_drawn(game) {
            return 0;
        }
        let mut low = alpha;
        if !in_check {
            let white = self.evaluation.evaluate(game);
            low = low.max(if game.side_to_move() == Side::First { white } else { -white });
            if low >= beta {
                return low;
            }
            let takes = |mv: &Move| {
                board.colors(!board.side_to_move()).has(mv.to)
                    || (board.piece_on(mv.from) == Some(Piece::Pawn) && mv.from.file() != mv.to.file())
            };
            moves.retain(|mv| mv.promotion.map_or(takes(mv), |piece| matches!(piece, Piece::Queen | Piece::Knight)));
        }
        self.best(game, &moves, low, None, ply, beta)
    }
}

#[test]
fn a_search_that_guesses_nothing_equals_minimax() {
    let mut settings = TournamentSettings {
        table_mib: 1,
        killers: true,
        counter_moves: true,
        capture_history: true,
        ..TournamentSettings::full_width()
    };
    let plain = TournamentSettings {
        principal_variation: false,
        aspiration: false,
        killers: false,
        counter_moves: false,
        history: false,
        continuation_history: false,
        capture_history: false,
        ..settings.clone()
    };
    for (number, game) in random_positions(11, 80, 17).into_iter().enumerate() {
        // The reference looks at everything: as deep as it can in a second or so.
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let plies = match moves.len() {
            0..8 => 3,
            8..16 => 2,
            _ => 1,
        };
        let mut reference = Reference { evaluation: PieceSquares::new(), keys: vec![game.repetition_key()] };
        let expected = reference.minimax(&game, plies, 0);
        settings.mate_distance = number % 2 == 0;
        for settings in [&settings, &plain] {
            let record = Record::new(game.clone());
            let (_, score) = decide(&mut engine(settings.clone()), &record, &depth(plies));
            let score = score.unwrap();
            let seen = match score.plies_to_end() {
                Some(far) if score.winner() == Some(game.side_to_move()) => MATE - far as i32,
                Some(far) => far as i32 - MATE,
                None => score.seen_by(game.side_to_move()) as i32,
            };
            assert_eq!(seen, expected, "{plies} plies in {}", game.position_text());
        }
    }
}
