//! Where games begin: random moves, or a suite of openings. Two games share each opening, with sides swapped.

use crate::player::random_candidate;
use afterstate_games::playout::draw_chance;
use afterstate_games::rng::{Rng, below, mix, shuffle, stream};
use afterstate_games::{Game, Record, Turn};

/// A position and the moves after which the players take over.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening<G: Game> {
    /// The first position.
    pub start: G,
    /// What is played from there.
    pub moves: Vec<G::Move>,
}

/// Openings from a file, in the order in which they are played.
///
/// ```
/// use afterstate_arena::openings::{Opening, OpeningSuite};
/// use afterstate_games::{Chess, Notation};
/// let open = |text: &str| Opening { start: Chess::new(), moves: vec![Chess::new().parse_move(text).unwrap()] };
/// let suite = OpeningSuite { name: "two".into(), openings: vec![open("e2e4"), open("d2d4")] };
/// assert_eq!(suite.of_pair(2), Some(&open("e2e4")), "when all have been played they come again");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OpeningSuite<G: Game> {
    /// Words that tell the suite from any other, for the header of a log.
    pub name: String,
    /// The openings.
    pub openings: Vec<Opening<G>>,
}

impl<G: Game> OpeningSuite<G> {
    /// The opening of a pair of games; `None` if there are none at all.
    pub fn of_pair(&self, pair: u64) -> Option<&Opening<G>> {
        let number = pair.checked_rem(self.openings.len() as u64)?;
        self.openings.get(number as usize)
    }
}

/// The opening of a pair of games: `moves` random candidate moves (dice are rolled as they come), cut
/// short before a move that would end the game.
///
/// ```
/// use afterstate_arena::openings::opening;
/// use afterstate_games::go::Go;
/// let (a, b) = (opening(&Go::new(9), 1, 0, 2), opening(&Go::new(9), 1, 0, 2));
/// assert_eq!(a.len(), 2);
/// assert_eq!(a, b, "the same seed and pair give the same opening");
/// ```
pub fn opening<G: Game>(start: &G, tournament_seed: u64, pair: u64, moves: u32) -> Vec<G::Move> {
    extend(Record::new(start.clone()), tournament_seed, pair, moves)
}

/// The moves of a game with so many random ones behind them.
pub(crate) fn extend<G: Game>(mut record: Record<G>, tournament_seed: u64, pair: u64, moves: u32) -> Vec<G::Move> {
    let mut rng = stream(mix(tournament_seed ^ 0x6f70_656e), pair);
    let mut chances = Vec::new();
    let mut played = 0;
    while played < moves {
        let mv = match record.turn() {
            Turn::Over(_) => break,
            Turn::Player(_) => match random_candidate(&record, &mut rng) {
                Some(mv) => {
                    played += 1;
                    mv
                }
                None => break,
            },
            Turn::Chance => {
                record.position().chance_outcomes(&mut chances);
                draw_chance(&chances, &mut rng)
            }
        };
        let mut next = record.clone();
        next.play(mv);
        if matches!(next.turn(), Turn::Over(_)) {
            break;
        }
        record = next;
    }
    record.moves().to_vec()
}

/// So many of the things that come by, each equally likely, in random order, without keeping the others (J. S. Vitter 1985,
/// algorithm R).
pub(crate) struct Sample<T> {
    kept: Vec<T>,
    wanted: usize,
    seen: u64,
    rng: Rng,
}

impl<T> Sample<T> {
    pub(crate) fn new(wanted: usize, seed: u64) -> Self {
        Sample { kept: Vec::new(), wanted, seen: 0, rng: stream(mix(seed ^ 0x7375_6974), 0) }
    }

    pub(crate) fn add(&mut self, thing: T) {
        self.seen += 1;
        if self.kept.len() < self.wanted {
            self.kept.push(thing);
            return;
        }
        // Beyond 2^32 things nobody can tell that the last ones never come.
        let place = below(&mut self.rng, u32::try_from(self.seen).unwrap_or(u32::MAX)) as usize;
        if let Some(kept) = self.kept.get_mut(place) {
            *kept = thing;
        }
    }

    pub(crate) fn shuffled(mut self) -> Vec<T> {
        shuffle(&mut self.kept, &mut self.rng);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_takes_each_equally_often_and_to_each_place() {
        let mut counts = [[0u32; 3]; 10];
        for seed in 0..3000 {
            let mut sample = Sample::new(3, seed);
            (0..10usize).for_each(|thing| sample.add(thing));
            let taken = sample.shuffled();
            assert_eq!(taken.len(), 3);
            for (place, thing) in taken.into_iter().enumerate() {
                counts[thing][place] += 1;
            }
        }
        // 300 expected, with a standard deviation of 16.
        assert!(counts.iter().flatten().all(|&count| (200..400).contains(&count)), "{counts:?}");
    }

    #[test]
    fn a_sample_of_few_is_all_of_them() {
        let mut sample = Sample::new(5, 1);
        (0..4).for_each(|thing| sample.add(thing));
        let mut all = sample.shuffled();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
    }
}
