//! Chess960: counts from all 960 first positions, and from 960 positions of games, against other programs'.

use afterstate_games::chess::epd::{Epd, EpdReader};
use afterstate_games::{Chess, Notation, perft};

const STARTS: &str = include_str!("perft/chess960_starts.epd");
const GAMES: &str = include_str!("perft/chess960.epd");

fn suite(text: &str) -> Vec<Epd> {
    let suite: Vec<Epd> = EpdReader::new(text.as_bytes()).map(Result::unwrap).collect();
    assert_eq!(suite.len(), 960);
    assert!(suite.iter().all(|epd| epd.perft().count() == 4));
    suite
}

fn compare(suite: &[Epd]) {
    let compare_some = |first: usize| {
        for epd in suite.iter().skip(first).step_by(2) {
            for (depth, count) in epd.perft() {
                assert_eq!(perft::paths(&epd.position, depth), count, "{epd} at depth {depth}");
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| compare_some(1));
        compare_some(0);
    });
}

#[test]
fn the_first_positions_have_their_numbers() {
    for (number, epd) in (0..).zip(suite(STARTS)) {
        assert_eq!(Chess::chess960(number).unwrap(), epd.position, "number {number}");
    }
}

/// The king's rook of White stands inside of another one.
#[test]
fn rooks_inside_are_named_by_their_file() {
    let game = Chess::parse_position("rn2k1r1/ppp1pp1p/3p2p1/5bn1/P7/2N2B2/1PPPPP2/2BNK1RR w Gkq - 4 11").unwrap();
    assert_eq!(game.position_text(), "rn2k1r1/ppp1pp1p/3p2p1/5bn1/P7/2N2B2/1PPPPP2/2BNK1RR w Gga - 4 11");
    assert!(game.is_chess960() && game.parse_move("O-O").is_ok());
}

#[test]
fn perft_of_the_960_first_positions() {
    compare(&suite(STARTS));
}

#[test]
fn perft_of_960_positions_of_games() {
    compare(&suite(GAMES));
}
