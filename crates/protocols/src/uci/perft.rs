//! `perft`: how many sequences of moves there are, by the first move. As everywhere, draws end nothing here: moves are counted that a
//! game would not see.

use super::limits::GoLimits;
use super::position::playable_moves;
use afterstate_games::{Chess, Game, Notation};

/// Deeper counts take years.
pub(super) const MOST_PLIES: u32 = 12;

/// At this depth it is asked whether to stop: what is below takes a fraction of a second.
const SHORT: u32 = 3;

/// Calls `print` with the number behind each move, and then with the sum; `None` if it was stopped before.
pub(super) fn divide(position: &Chess, depth: u32, limits: &GoLimits, mut print: impl FnMut(String)) -> Option<u64> {
    let mut total = 0;
    for (mv, next) in continuations(position) {
        let paths = count(&next, depth.saturating_sub(1), limits)?;
        print(format!("{}: {paths}", position.move_text(mv)));
        total += paths;
    }
    Some(if depth == 0 { 1 } else { total })
}

fn count(position: &Chess, depth: u32, limits: &GoLimits) -> Option<u64> {
    match depth {
        0 => return Some(1),
        // The last move need not be played to be counted.
        1 => return Some(playable_moves(position).len() as u64),
        SHORT if limits.stopped() => return None,
        _ => {}
    }
    continuations(position).try_fold(0, |sum, (_, next)| Some(sum + count(&next, depth - 1, limits)?))
}

fn continuations(position: &Chess) -> impl Iterator<Item = (<Chess as Game>::Move, Chess)> {
    let position = position.clone();
    playable_moves(&position).into_iter().map(move |mv| {
        let mut next = position.clone();
        next.play(mv);
        (mv, next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_the_published_ones() {
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        for (position, depth, expected) in [
            (Chess::new(), 1, 20),
            (Chess::new(), 4, 197_281),
            (Chess::new(), 5, 4_865_609),
            (Chess::parse_position(kiwipete).unwrap(), 4, 4_085_603),
            // Bare kings, and as many half-moves as draw a game, are moves like others.
            (Chess::parse_position("K1k5/8/P7/8/8/8/8/8 w - - 0 1").unwrap(), 6, 2_217),
            (Chess::parse_position("8/P1k5/K7/8/8/8/8/8 w - - 0 1").unwrap(), 6, 92_683),
            (Chess::parse_position("4k3/8/8/8/8/8/8/4K2R w - - 99 80").unwrap(), 2, 63),
        ] {
            let mut lines = Vec::new();
            let total = divide(&position, depth, &GoLimits::default(), |line| lines.push(line)).unwrap();
            assert_eq!(total, expected);
            let sum: u64 = lines.iter().map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap()).sum();
            assert_eq!(sum, expected);
        }
    }

    #[test]
    fn a_count_can_be_stopped() {
        let limits = GoLimits::default();
        let mut lines = 0;
        assert_eq!(divide(&Chess::new(), 1, &limits, |_| lines += 1), Some(20));
        limits.signals.stop();
        assert_eq!(divide(&Chess::new(), MOST_PLIES, &limits, |_| lines += 1), None);
        assert_eq!(lines, 20);
    }
}
