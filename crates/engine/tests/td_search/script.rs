//! Simulations that go as a script says.

use afterstate_engine::Value;
use afterstate_engine::search::{Leaf, ShortTermMemory};
use afterstate_engine::value::{ActiveSet, Features, Share};
use afterstate_games::{Deterministic, Game, IndexedMoves, Outcome, Rng, Side, Turn};
use std::sync::{Arc, Mutex};

/// Two players name letters in turn. Black wins if there are more `a`s than is to be expected before the last letter.
#[derive(Clone)]
pub struct Letters<const LENGTH: usize, const ALPHABET: usize> {
    pub named: Vec<u8>,
}

impl<const LENGTH: usize, const ALPHABET: usize> Default for Letters<LENGTH, ALPHABET> {
    fn default() -> Self {
        Letters { named: Vec::new() }
    }
}

impl<const LENGTH: usize, const ALPHABET: usize> Game for Letters<LENGTH, ALPHABET> {
    type Move = u8;

    fn turn(&self) -> Turn {
        let n = self.named.len();
        if n < LENGTH {
            return Turn::Player(if n.is_multiple_of(2) { Side::First } else { Side::Second });
        }
        let count = self.named[..n - 1].iter().filter(|&&letter| letter == b'a').count();
        Turn::Over(Outcome::win(if count * ALPHABET > n - 1 { Side::First } else { Side::Second }))
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        moves.clear();
        if self.named.len() < LENGTH {
            moves.extend(b'a'..b'a' + ALPHABET as u8);
        }
    }

    fn play(&mut self, letter: u8) {
        self.named.push(letter);
    }

    /// Tells every line from every other: there are no transpositions.
    fn key(&self) -> u64 {
        self.named.iter().fold(1, |key, &letter| ALPHABET as u64 * key + u64::from(letter - b'a'))
    }
}

impl<const LENGTH: usize, const ALPHABET: usize> Deterministic for Letters<LENGTH, ALPHABET> {}

impl<const LENGTH: usize, const ALPHABET: usize> IndexedMoves for Letters<LENGTH, ALPHABET> {
    fn move_index(&self, letter: u8) -> usize {
        usize::from(letter - b'a')
    }

    fn move_at(&self, index: usize) -> u8 {
        b'a' + index as u8
    }

    fn index_count(&self) -> usize {
        ALPHABET
    }
}

/// One feature for each letter: it has been named.
pub struct Named;

impl<const LENGTH: usize, const ALPHABET: usize> Features<Letters<LENGTH, ALPHABET>> for Named {
    fn count(&self) -> usize {
        ALPHABET
    }

    fn active(&self, game: &Letters<LENGTH, ALPHABET>, set: &mut ActiveSet) {
        set.clear();
        for letter in (0..ALPHABET).filter(|&letter| game.named.contains(&(b'a' + letter as u8))) {
            set.push(Share::new(letter, false));
        }
    }

    fn describe(&self, index: usize) -> String {
        char::from(b'a' + index as u8).to_string()
    }
}

/// A memory for which the next move of the script is always the best. With a memory that knows the values of moves it
/// hands these on, so that whatever searches with it learns as it would without a script.
#[derive(Clone)]
pub struct Scripted<M, Move> {
    pub memory: M,
    /// The simulations, each a line of moves from the root.
    script: Arc<Mutex<Vec<Vec<Move>>>>,
    line: Vec<Move>,
    played: usize,
    root: Option<Side>,
    /// Whether the value of the move that is chosen is handed on, or has to be found out anew.
    tells: bool,
    next: Option<f32>,
}

impl<M, Move> Scripted<M, Move> {
    pub fn new(memory: M, script: Vec<Vec<Move>>, tells: bool) -> Self {
        let script = Arc::new(Mutex::new(script));
        Scripted { memory, script, line: Vec::new(), played: 0, root: None, tells, next: None }
    }
}

impl<G: Game, M: ShortTermMemory<G>> ShortTermMemory<G> for Scripted<M, G::Move> {
    fn clear(&mut self) {
        self.memory.clear();
    }

    fn set_root(&mut self, root: &G) {
        self.root = match root.turn() {
            Turn::Player(side) => Some(side),
            _ => None,
        };
        self.memory.set_root(root);
    }

    fn begin(&mut self) {
        let mut script = self.script.lock().unwrap();
        self.line = if script.is_empty() { Vec::new() } else { script.remove(0) };
        self.played = 0;
        self.memory.begin();
    }

    fn afterstate_sums(&mut self, game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        self.memory.afterstate_sums(game, moves, sums);
        let Some(wanted) = self.line.get(self.played) else { return };
        let place = moves.iter().position(|mv| mv == wanted).expect("the script has legal moves");
        self.next = Some(sums[place]);
        let Turn::Player(side) = game.turn() else { panic!("nobody is to move") };
        sums[place] = if side == Side::First { f32::MAX } else { f32::MIN };
    }

    fn playing(&mut self, game: &G, mv: G::Move) {
        self.played += 1;
        self.memory.playing(game, mv);
    }

    fn reached(&mut self, game: &G, _sum: Option<f32>, beside: f32) {
        let sum = self.next.take().filter(|_| self.tells);
        self.memory.reached(game, sum, beside);
    }

    fn ended(&mut self, z: Value, rest: &[G::Move]) {
        self.memory.ended(z, rest);
    }

    fn abandoned(&mut self) {
        self.memory.abandoned();
    }

    fn value(&self, sum: f32) -> Value {
        self.memory.value(sum)
    }

    fn knows(&self, game: &G) -> bool {
        self.memory.knows(game)
    }
}

/// A default policy whose outcomes are given.
#[derive(Clone)]
pub struct Outcomes(pub Arc<Mutex<Vec<f32>>>);

impl Outcomes {
    pub fn new(outcomes: &[f32]) -> Outcomes {
        Outcomes(Arc::new(Mutex::new(outcomes.to_vec())))
    }
}

impl<G: Game> Leaf<G> for Outcomes {
    fn finish(&mut self, _game: &mut G, _trace: &mut Vec<G::Move>, _rng: &mut Rng) -> Value {
        Value(self.0.lock().unwrap().remove(0))
    }
}
