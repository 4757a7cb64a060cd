//! The single checks behind [`super::check`].

use crate::rng::{Rng, below, stream};
use crate::{Game, IndexedMoves, Notation, Turn};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A promise that was broken, wherever the game stands now.
pub(super) struct Fault {
    pub(super) promise: &'static str,
    pub(super) detail: String,
}

fn ensure(holds: bool, promise: &'static str, detail: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault { promise, detail: detail() }) }
}

/// Plays a legal move or a chance outcome, and looks at where it leads.
fn play<G: Game>(position: &mut G, mv: G::Move) -> Result<(), Fault> {
    let played = catch_unwind(AssertUnwindSafe(|| {
        position.play(mv);
        let _ = (position.turn(), position.key());
    }));
    ensure(played.is_ok(), "every legal move and chance outcome can be played", || format!("playing {mv:?} panics"))
}

/// The numbers of the `legal` moves of a position; `known` holds the move that each number stood for so far.
pub(super) fn indices<G: IndexedMoves>(
    position: &G,
    legal: &[G::Move],
    known: &mut Vec<Option<G::Move>>,
) -> Result<(), Fault> {
    let count = position.index_count();
    ensure(count <= 1 << 16, "there are at most 65,536 numbers of moves", || format!("there are {count}"))?;
    known.resize(count, None);
    for &mv in legal {
        let index = position.move_index(mv);
        ensure(index < count, "the number of a move is below their count", || format!("{mv:?} is {index} of {count}"))?;
        let back = position.move_at(index);
        ensure(back == mv, "the number of a move leads back to it", || {
            format!("{mv:?} is {index}, which is {back:?}")
        })?;
        let other = known[index].get_or_insert(mv);
        ensure(*other == mv, "a number stands for one move", || format!("{index} is {mv:?} and {other:?}"))?;
    }
    Ok(())
}

/// So many different moves are remembered, to ask about their legality elsewhere.
const MOST_MOVES_SEEN: usize = 1000;

/// So many positions are remembered, to find others with the same key or the same text.
const MOST_POSITIONS_SEEN: usize = 20_000;

/// What has been met so far.
pub(super) struct Checks<G: Game> {
    moves_seen: Vec<G::Move>,
    text_of_key: HashMap<u64, String>,
    key_of_text: HashMap<String, u64>,
}

impl<G: Notation> Checks<G> {
    pub(super) fn new() -> Self {
        Checks { moves_seen: Vec::new(), text_of_key: HashMap::new(), key_of_text: HashMap::new() }
    }

    /// Everything that can happen next: legal moves or chance outcomes.
    pub(super) fn continuations(&self, position: &G) -> Vec<G::Move> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut chances = Vec::new();
        position.chance_outcomes(&mut chances);
        moves.extend(chances.into_iter().map(|(mv, _)| mv));
        moves
    }

    pub(super) fn candidates(&self, position: &G) -> Vec<G::Move> {
        let mut moves = Vec::new();
        position.candidate_moves(&mut moves);
        moves
    }

    /// All checks of one position.
    pub(super) fn position(&mut self, position: &G) -> Result<(), Fault> {
        self.turn(position)?;
        self.chance(position)?;
        self.legality(position)?;
        self.playing(position)?;
        self.move_notation(position)?;
        self.position_notation(position)?;
        self.keys(position)
    }

    fn turn(&self, position: &G) -> Result<(), Fault> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let turn = position.turn();
        ensure(
            matches!(turn, Turn::Player(_)) != moves.is_empty(),
            "there are legal moves exactly when a player is to move",
            || format!("there are {} legal moves and the turn is {turn:?}", moves.len()),
        )?;
        if let Turn::Over(outcome) = turn {
            ensure(outcome.stake >= 1, "a finished game is worth at least 1", || {
                format!("the outcome is {outcome:?}")
            })?;
        }
        let repeated = moves.iter().enumerate().find(|(i, mv)| moves[..*i].contains(mv));
        ensure(repeated.is_none(), "legal moves are all different", || format!("{repeated:?} comes twice"))?;
        // The second list goes into a buffer that is not empty, as in every search.
        let mut again = moves.clone();
        position.legal_moves(&mut again);
        ensure(
            moves == again,
            "legal_moves replaces the buffer's contents by the same moves in the same order",
            || format!("first there were {} and then {}", moves.len(), again.len()),
        )?;

        let candidates = self.candidates(position);
        ensure(
            candidates.is_empty() == moves.is_empty(),
            "there are candidate moves exactly when there are legal moves",
            || format!("there are {} candidates and {} legal moves", candidates.len(), moves.len()),
        )?;
        let stray = candidates.iter().find(|mv| !moves.contains(mv));
        ensure(stray.is_none(), "candidate moves are legal", || format!("{stray:?} is a candidate and not legal"))?;
        if candidates.is_empty() {
            return Ok(());
        }
        let drawn = position.random_candidate(&mut moves, &mut stream(position.key(), 0));
        ensure(candidates.contains(&drawn), "a random candidate is a candidate", || format!("{drawn:?} is none"))
    }

    fn chance(&self, position: &G) -> Result<(), Fault> {
        let mut outcomes = Vec::new();
        position.chance_outcomes(&mut outcomes);
        let turn = position.turn();
        ensure(
            (turn == Turn::Chance) != outcomes.is_empty(),
            "there are chance outcomes exactly when chance is to act",
            || format!("there are {} outcomes and the turn is {turn:?}", outcomes.len()),
        )?;
        if outcomes.is_empty() {
            return Ok(());
        }
        let sum: f64 = outcomes.iter().map(|&(_, probability)| f64::from(probability)).sum();
        let positive = outcomes.iter().all(|&(_, probability)| probability > 0.0);
        ensure(
            positive && (sum - 1.0).abs() < 1e-4,
            "the probabilities of chance outcomes are positive and sum to 1",
            || format!("they sum to {sum} over {} outcomes", outcomes.len()),
        )?;
        let repeated =
            outcomes.iter().enumerate().find(|(i, (mv, _))| outcomes[..*i].iter().any(|(other, _)| other == mv));
        ensure(repeated.is_none(), "chance outcomes are all different", || format!("{repeated:?} comes twice"))
    }

    fn legality(&mut self, position: &G) -> Result<(), Fault> {
        let mut legal = Vec::new();
        position.legal_moves(&mut legal);
        for &mv in &legal {
            if self.moves_seen.len() < MOST_MOVES_SEEN && !self.moves_seen.contains(&mv) {
                self.moves_seen.push(mv);
            }
        }
        let differs = self.moves_seen.iter().find(|&&mv| position.is_legal(mv) != legal.contains(&mv));
        ensure(differs.is_none(), "is_legal agrees with legal_moves", || {
            format!(
                "they differ about {differs:?}, which legal_moves {}",
                match differs {
                    Some(mv) if legal.contains(mv) => "lists",
                    _ => "does not list",
                }
            )
        })
    }

    fn playing(&self, position: &G) -> Result<(), Fault> {
        let before = Snapshot::of(position);
        for mv in self.continuations(position) {
            let mut copy = position.clone();
            play(&mut copy, mv)?;
            let (told, outcome) = (
                position.outcome_after(mv),
                match copy.turn() {
                    Turn::Over(outcome) => Some(outcome),
                    _ => None,
                },
            );
            ensure(told == outcome, "outcome_after says how the game ends", || {
                format!("it says {told:?} about {mv:?}, which leads to {outcome:?}")
            })?;
        }
        ensure(before == Snapshot::of(position), "playing on a copy leaves the original as it was", || {
            "the original has changed".to_owned()
        })
    }

    fn move_notation(&self, position: &G) -> Result<(), Fault> {
        let mut texts = HashMap::new();
        for mv in self.continuations(position) {
            let text = position.move_text(mv);
            let read = position.parse_move(&text);
            ensure(read.as_ref() == Ok(&mv), "a move that is written can be read back", || {
                format!("{mv:?} is written '{text}', which reads as {read:?}")
            })?;
            let other = texts.insert(text, mv);
            ensure(other.is_none(), "different moves are written differently", || {
                format!("{mv:?} and {other:?} are both written '{}'", position.move_text(mv))
            })?;
        }
        Ok(())
    }

    fn position_notation(&self, position: &G) -> Result<(), Fault> {
        const PROMISE: &str = "a position that is written can be read back";
        let text = position.position_text();
        ensure(!text.is_empty() && !text.contains(['\n', '\r']), "a position is written on one line", || {
            format!("it is written {text:?}")
        })?;
        let read = match G::parse_position(&text) {
            Ok(read) => read,
            Err(error) => return Err(Fault { promise: PROMISE, detail: format!("reading says: {error}") }),
        };
        let written_again = read.position_text();
        ensure(written_again == text, PROMISE, || format!("it comes back as '{written_again}'"))?;
        ensure(read.repetition_key() == position.repetition_key(), PROMISE, || {
            "its repetition key differs".to_owned()
        })?;
        ensure(read.key() == position.key(), PROMISE, || "its key differs".to_owned())?;
        ensure(Snapshot::of(&read).goes_on_like(&Snapshot::of(position)), PROMISE, || {
            "its turn or its legal moves differ".to_owned()
        })
    }

    fn keys(&mut self, position: &G) -> Result<(), Fault> {
        let (key, text) = (position.key(), position.position_text());
        if let Some(&other) = self.key_of_text.get(&text) {
            ensure(other == key, "the same position has the same key however it was reached", || {
                format!("its key is {key:#018x} here and {other:#018x} elsewhere")
            })?;
        }
        if let Some(other) = self.text_of_key.get(&key).filter(|&other| *other != text) {
            let alike =
                G::parse_position(other).is_ok_and(|other| Snapshot::of(&other).goes_on_like(&Snapshot::of(position)));
            ensure(alike, "positions with the same key go on alike", || format!("'{other}' has the same key"))?;
        }
        if self.key_of_text.len() < MOST_POSITIONS_SEEN {
            self.text_of_key.entry(key).or_insert_with(|| text.clone());
            self.key_of_text.insert(text, key);
        }
        Ok(())
    }

    /// Plays three random moves and then the same three with the first and last exchanged; `true` if
    /// both orders were possible and led to the same position.
    pub(super) fn transposition(&self, position: &G, rng: &mut Rng) -> Result<bool, Fault> {
        let mut there = position.clone();
        let mut moves = Vec::new();
        for _ in 0..3 {
            let choices = self.continuations(&there);
            if choices.is_empty() {
                return Ok(false);
            }
            let mv = choices[below(rng, choices.len() as u32) as usize];
            play(&mut there, mv)?;
            moves.push(mv);
        }
        let mut other = position.clone();
        for &mv in moves.iter().rev() {
            if !self.continuations(&other).contains(&mv) {
                return Ok(false);
            }
            play(&mut other, mv)?;
        }
        if there.position_text() != other.position_text() {
            return Ok(false);
        }
        ensure(
            there.key() == other.key() && there.repetition_key() == other.repetition_key(),
            "the same position has the same key however it was reached",
            || format!("the keys after {moves:?} and after the reverse differ: '{}'", there.position_text()),
        )?;
        Ok(true)
    }

    /// Plays the moves again from the start.
    pub(super) fn replay(&self, start: &G, moves: &[G::Move], end: &G) -> Result<(), Fault> {
        let mut again = start.clone();
        for &mv in moves {
            again.play(mv);
        }
        ensure(
            Snapshot::of(&again) == Snapshot::of(end),
            "playing the same moves again leads to the same position",
            || "replaying the game ends elsewhere".to_owned(),
        )
    }
}

/// Everything that can be observed of a position.
struct Snapshot<M> {
    turn: Turn,
    legal: Vec<M>,
    chances: Vec<(M, f32)>,
    keys: [u64; 2],
    text: String,
}

impl<M: Copy + Eq> Snapshot<M> {
    fn of<G: Notation<Move = M>>(position: &G) -> Self {
        let mut snapshot = Snapshot {
            turn: position.turn(),
            legal: Vec::new(),
            chances: Vec::new(),
            keys: [position.key(), position.repetition_key()],
            text: position.position_text(),
        };
        position.legal_moves(&mut snapshot.legal);
        position.chance_outcomes(&mut snapshot.chances);
        snapshot
    }

    /// Whether the same may follow, in whatever order it is listed.
    fn goes_on_like(&self, other: &Self) -> bool {
        self.turn == other.turn
            && self.legal.len() == other.legal.len()
            && self.legal.iter().all(|mv| other.legal.contains(mv))
            && self.chances.len() == other.chances.len()
            && self.chances.iter().all(|outcome| other.chances.contains(outcome))
    }
}

impl<M: Copy + Eq> PartialEq for Snapshot<M> {
    fn eq(&self, other: &Self) -> bool {
        self.turn == other.turn
            && self.legal == other.legal
            && self.chances == other.chances
            && self.keys == other.keys
            && self.text == other.text
    }
}
