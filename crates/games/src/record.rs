//! The history of a game. What depends on history lives here: superko and draws by repetition.
//!
//! A position knows nothing of its past, so that searches stay small and fast; whoever plays a real
//! game keeps a [`Record`] and asks it what is legal.

use crate::{Game, Outcome, Repetition, Turn};

/// A game from its first position to now.
#[derive(Clone, Debug)]
pub struct Record<G: Game> {
    start: G,
    position: G,
    moves: Vec<G::Move>,
    /// Repetition keys of every position so far, the start included.
    keys: Vec<u64>,
}

impl<G: Game> Record<G> {
    /// A game that begins at `start`.
    pub fn new(start: G) -> Self {
        Record { position: start.clone(), keys: vec![start.repetition_key()], start, moves: Vec::new() }
    }

    /// A game that goes on from `start` after positions that none of its own moves leads through, such
    /// as a game of Go in which a side moved twice in a row.
    ///
    /// `earlier` holds their [`Game::repetition_key`]s, oldest first ([`Record::repetition_keys`] of the
    /// record that is being continued); they may not be repeated either.
    ///
    /// ```
    /// use afterstate_games::{Game, Record, Side, go::{Go, Move, Point}};
    /// let mut game = Record::new(Go::new(9));
    /// game.play(Move::play(Point::at(4, 4, 9)));
    /// let black_again = game.position().clone().with_turn(Side::First);
    /// let game = Record::continuing(black_again, game.repetition_keys());
    /// assert_eq!(game.repetition_keys().len(), 2);
    /// ```
    pub fn continuing(start: G, earlier: &[u64]) -> Self {
        let mut keys = earlier.to_vec();
        // The last of them is usually the very position from which the game goes on.
        if keys.last() != Some(&start.repetition_key()) {
            keys.push(start.repetition_key());
        }
        Record { position: start.clone(), keys, start, moves: Vec::new() }
    }

    /// The same game before its first move.
    ///
    /// ```
    /// use afterstate_games::{Game, Record, Side, go::{Go, Move, Point}};
    /// let mut game = Record::new(Go::new(9));
    /// game.play(Move::play(Point::at(4, 4, 9)));
    /// let mut game = Record::continuing(game.position().clone().with_turn(Side::First), game.repetition_keys());
    /// game.play(Move::play(Point::at(2, 4, 9)));
    /// let before = game.before_first_move();
    /// assert!(before.moves().is_empty());
    /// assert_eq!((game.repetition_keys().len(), before.repetition_keys().len()), (3, 2));
    /// ```
    pub fn before_first_move(&self) -> Record<G> {
        let earlier = self.keys.len() - self.moves.len();
        Record {
            start: self.start.clone(),
            position: self.start.clone(),
            moves: Vec::new(),
            keys: self.keys[..earlier].to_vec(),
        }
    }

    /// The [`Game::repetition_key`] of every position so far, the present one last.
    pub fn repetition_keys(&self) -> &[u64] {
        &self.keys
    }

    /// Where the game began.
    pub fn start(&self) -> &G {
        &self.start
    }

    /// Where the game is now.
    pub fn position(&self) -> &G {
        &self.position
    }

    /// Every move so far.
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// Who acts now, with repetition taken into account.
    pub fn turn(&self) -> Turn {
        if let Repetition::DrawAt(limit) = G::REPETITION {
            let now = self.keys[self.keys.len() - 1];
            if self.keys.iter().filter(|&&key| key == now).count() >= usize::from(limit)
                && !matches!(self.position.turn(), Turn::Over(_))
            {
                return Turn::Over(Outcome::DRAW);
            }
        }
        self.position.turn()
    }

    /// Whether `mv` may be played now, superko included.
    pub fn is_legal(&self, mv: G::Move) -> bool {
        !matches!(self.turn(), Turn::Over(_)) && self.position.is_legal(mv) && !self.repeats(mv)
    }

    /// Replaces the contents of `moves` by all legal moves, superko included.
    pub fn legal_moves(&self, moves: &mut Vec<G::Move>) {
        if matches!(self.turn(), Turn::Over(_)) {
            moves.clear();
            return;
        }
        self.position.legal_moves(moves);
        if G::REPETITION == Repetition::Forbidden {
            moves.retain(|&mv| !self.repeats(mv));
        }
    }

    /// Plays a move that [`Record::is_legal`] allows (or a chance outcome).
    pub fn play(&mut self, mv: G::Move) {
        self.position.play(mv);
        self.moves.push(mv);
        self.keys.push(self.position.repetition_key());
    }

    /// Takes the last move back; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let Some(_) = self.moves.pop() else { return false };
        self.keys.pop();
        self.position = self.start.clone();
        for &mv in &self.moves {
            self.position.play(mv);
        }
        true
    }

    /// Whether `mv` would recreate an earlier position although the rules forbid it. A move that
    /// leaves the position as it was (a pass in Go) does not count as recreating it.
    fn repeats(&self, mv: G::Move) -> bool {
        if G::REPETITION != Repetition::Forbidden {
            return false;
        }
        let mut next = self.position.clone();
        next.play(mv);
        let key = next.repetition_key();
        key != self.keys[self.keys.len() - 1] && self.keys.contains(&key)
    }
}
