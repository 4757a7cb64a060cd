//! Positions of backgammon with random damage: no panic, no endless loop, no more than 256 MB.
//!
//! Each test tries 10,000 damaged texts; with `AFTERSTATE_FUZZ_SECONDS` it goes on for so many seconds instead, from the same seed.

mod fuzzing;

use afterstate_games::backgammon::cube::{Situation, Terms};
use afterstate_games::backgammon::ids::{PositionId, read_xgid, write_xgid};
use afterstate_games::backgammon::mat::MatMatch;
use afterstate_games::backgammon::match_id::MatchId;
use afterstate_games::backgammon::xgid::Xgid;
use afterstate_games::backgammon::{Backgammon, Board, Dice, fibs};
use afterstate_games::{Game, Notation, NotationError, Side};
use fuzzing::{fuzz, texts};

/// Whoever takes more ends the program.
#[global_allocator]
static ALLOCATOR: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, 256 << 20);

const XGIDS: [&str; 3] = [
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
    "XGID=bBBBBB---------------abcAA:1:-1:-1:66:3:5:1:7:8",
    "XGID=-CBA---------------bbbbbb-:0:0:-1:00:0:0:0:0:10",
];

/// Whether something could be read. Whatever could be read can be played on; what could not is refused in one line.
fn explore(read: Result<Backgammon, NotationError>) -> bool {
    let game = match read {
        Ok(game) => game,
        Err(error) => {
            assert!(!error.to_string().contains('\n'), "{error}");
            return false;
        }
    };
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let _ = (game.turn(), game.key(), game.diagram());
    for &mv in moves.iter().take(5) {
        assert_eq!(game.parse_move(&game.move_text(mv)), Ok(mv), "{}", game.position_text());
        let mut next = game;
        next.play(mv);
        let _ = (next.turn(), next.key());
    }
    assert_eq!(read_xgid(&write_xgid(&game)).map(|again| *again.board()), Ok(*game.board()));
    true
}

#[test]
fn damaged_xgids_do_no_harm() {
    fuzz("XGID", &texts(&XGIDS), &[b":", b"-", b"A", b"o", b"0", b"66", b"XGID="], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        match text.parse::<Xgid>() {
            Ok(xgid) => assert_eq!(xgid.to_string().parse(), Ok(xgid), "{text}"),
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
        explore(read_xgid(&text))
    });
}

#[test]
fn damaged_position_ids_do_no_harm() {
    let ids = ["4HPwATDgc/ABMA", "AAAAAAAAAAAAAA", "//8PAADw/w8AAA", "4HPwATDgc/ABMA=="];
    fuzz("position ID", &texts(&ids), &[b"A", b"/", b"=", b"AAAA"], |bytes| {
        let id = String::from_utf8_lossy(bytes).parse::<PositionId>();
        explore(id.map(|id| {
            let board = id.board(Side::Second).expect("it stands for a position");
            assert_eq!(PositionId::of(&board, Side::Second), id);
            Backgammon::at(board, Side::Second, Dice::new(6, 1))
        }))
    });
}

#[test]
fn damaged_match_ids_do_no_harm() {
    let ids = ["QYkqASAAIAAA", "MIEuAQAAAAAE", "cAkgAQAAAAAE", "////////////"];
    fuzz("match ID", &texts(&ids), &[b"A", b"/", b"Q", b"AAAA"], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        match text.parse::<MatchId>() {
            Ok(id) => {
                assert_eq!(id.to_string(), text);
                if let Ok(Situation { terms: Terms::Match(score), .. }) = id.situation(id.on_roll) {
                    assert!([Side::First, Side::Second].into_iter().all(|side| score.away(side) > 0), "{text}");
                }
                true
            }
            Err(error) => {
                assert!(!error.to_string().contains('\n'), "{error}");
                false
            }
        }
    });
}

#[test]
fn damaged_fibs_boards_do_no_harm() {
    let games = XGIDS.iter().filter_map(|text| read_xgid(text).ok());
    let mut lines: Vec<String> = games.map(|game| fibs::write(&game, "Opponent")).collect();
    lines.push(fibs::write(&Backgammon::at(Board::start(), Side::Second, Dice::new(2, 2)), "x"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    fuzz("FIBS board", &texts(&lines), &[b":", b"-", b"1", b"0", b"15", b"99999999999", b"board:"], |bytes| {
        explore(fibs::read(&String::from_utf8_lossy(bytes)))
    });
}

#[test]
fn damaged_matches_do_no_harm() {
    let whole = " 3 point match\n\n Game 1\n Ada : 0                        Bob : 0\n  1) 21: 13/11 24/23             41: 6/2* 2/1*\n  \
                 2) 66: Cannot Move             65: 6/1 24/18\n  3)  Doubles => 2                Takes\n  4) 23: 25/22 25/23    \
                          32: 18/13\n  5)  Doubles => 4                Drops\n      Wins 2 points\n";
    let pieces: [&[u8]; 8] = [b"Doubles", b"Takes", b"66:", b"1)", b"25/", b"/0", b"Game 2\n", b" : 9\n"];
    fuzz("match", &texts(&[whole]), &pieces, |bytes| match MatMatch::read(&String::from_utf8_lossy(bytes)) {
        Ok(read) => {
            let plays: usize = read.games.iter().map(|game| game.plays().count()).sum();
            let again = MatMatch::read(&read.to_string()).expect("what was read can be written and read");
            assert_eq!(again.games.iter().map(|game| game.plays().count()).sum::<usize>(), plays);
            true
        }
        Err(error) => {
            assert!(!error.to_string().contains('\n'), "{error}");
            false
        }
    });
}
