//! [`SeenPosition`]: a position of chess as a network learns it, in a few bytes.

use crate::value::chess_network::{MOST_MEN, Men};
use afterstate_games::chess::cozy_chess::{Board, Piece};

/// What a position was worth to the side to move: what a search said of it, and how its game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// The search's value, 0 to 1.
    pub searched: f32,
    /// The game's outcome: 0, 0.5 or 1.
    pub outcome: f32,
}

/// A position and its [`Worth`].
///
/// ```
/// use afterstate_engine::learning::{SeenPosition, seen_position::Worth};
/// use afterstate_games::Chess;
/// let worth = Worth { searched: 0.5625, outcome: 1.0 };
/// let position = SeenPosition::new(Chess::new().board(), worth).unwrap();
/// let again = SeenPosition::from_bytes(position.bytes());
/// assert_eq!(again, position);
/// assert!((again.worth().searched - worth.searched).abs() < 1e-4 && again.worth().outcome == worth.outcome);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPosition([u8; SeenPosition::BYTES]);

impl SeenPosition {
    /// The squares that are taken, seen by the side to move (8); who stands on each of them, four bits each (16); the search's value
    /// (2) and the outcome (1).
    pub const BYTES: usize = 27;

    /// A position; `None` if it has more men than a game can have.
    pub fn new(board: &Board, worth: Worth) -> Option<SeenPosition> {
        let men = Men::of(board);
        if men.inputs().len() > MOST_MEN {
            return None;
        }
        let mut on = [0; 64];
        for &input in men.inputs() {
            on[usize::from(input % 64)] = 1 + (input / 64) as u8;
        }
        let (mut bytes, mut taken, mut number) = ([0; SeenPosition::BYTES], 0u64, 0);
        for (square, man) in on.into_iter().enumerate().filter(|(_, man)| *man > 0) {
            taken |= 1 << square;
            bytes[8 + number / 2] |= (man - 1) << (4 * (number % 2));
            number += 1;
        }
        bytes[..8].copy_from_slice(&taken.to_le_bytes());
        let searched = (worth.searched.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16;
        bytes[24..26].copy_from_slice(&searched.to_le_bytes());
        bytes[26] = (2.0 * worth.outcome) as u8;
        Some(SeenPosition(bytes))
    }

    /// The same from its [bytes](SeenPosition::bytes).
    pub fn from_bytes(bytes: [u8; SeenPosition::BYTES]) -> SeenPosition {
        SeenPosition(bytes)
    }

    /// All of it.
    pub fn bytes(self) -> [u8; SeenPosition::BYTES] {
        self.0
    }

    /// Its men, as the side to move sees them.
    pub fn men(&self) -> Men {
        let mut taken = u64::from_le_bytes(*self.0.first_chunk().expect("there are eight bytes"));
        let kinds = self.0[8..24].iter().flat_map(|pair| [pair & 15, pair >> 4]);
        Men::from_inputs(kinds.map_while(|man| {
            let square = (taken != 0).then(|| taken.trailing_zeros() as u16)?;
            taken &= taken - 1;
            // Of bytes that nobody wrote here, too.
            Some(u16::from(man.min(2 * Piece::NUM as u8 - 1)) * 64 + square)
        }))
    }

    /// What it was worth.
    pub fn worth(&self) -> Worth {
        let searched = u16::from_le_bytes([self.0[24], self.0[25]]);
        Worth { searched: f32::from(searched) / f32::from(u16::MAX), outcome: f32::from(self.0[26].min(2)) / 2.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::chess_network::{Activation, ChessNetwork};
    use afterstate_games::rng::below;
    use afterstate_games::{Chess, Game, Turn, stream};

    #[test]
    fn nothing_of_it_is_lost() {
        let mut rng = stream(7, 0);
        let network = ChessNetwork::random(16, 8, &mut rng);
        let (mut game, mut moves) = (Chess::new(), Vec::new());
        while let Turn::Player(_) = game.turn() {
            let (board, worth) = (game.board(), Worth { searched: 0.25, outcome: 0.5 });
            let mut inputs = Men::of(board).inputs().to_vec();
            inputs.sort_unstable_by_key(|input| input % 64);
            let seen = SeenPosition::new(board, worth).unwrap();
            assert_eq!(seen.men().inputs(), inputs);
            let [one, other] =
                [seen.men(), Men::of(board)].map(|men| network.evaluate(&men, &mut Activation::default()));
            assert!((one - other).abs() < 1e-4);
            game.legal_moves(&mut moves);
            game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
        }
    }

    #[test]
    fn any_bytes_are_some_position() {
        let position = SeenPosition::from_bytes([255; SeenPosition::BYTES]);
        assert_eq!((position.men().inputs().len(), position.worth().outcome), (32, 1.0));
        assert_eq!(SeenPosition::from_bytes([0; SeenPosition::BYTES]).men().inputs(), [0u16; 0]);
    }
}
