//! Mates that are there are found, whatever part is switched off, and are as near as they are said to be.

use crate::{decide, depth, engine, nodes, position, small};
use afterstate_engine::search::{SearchLimits, TournamentSettings};
use afterstate_games::{Chess, Game, Outcome, Record, Side, Turn};

/// Positions and the number of moves in which the side to move mates. The last is for searches that guess nothing:
/// its sacrifices come late.
const MATES: [(&str, u32); 10] = [
    ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1),
    ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1", 2),
    // Ends with a promotion to a knight.
    ("1rb4r/pkPp3p/1b1P3n/1Q6/N3Pp2/8/P1P3PP/7K w - - 1 1", 2),
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3),
    ("r3k2r/ppp2Npp/1b5n/4p2b/2B1P2q/BQP2P2/P5PP/RN5K w kq - 1 1", 3),
    ("4k3/8/4K3/8/8/8/8/R7 w - - 0 1", 1),
    ("k7/8/2K5/8/8/8/8/7R w - - 0 1", 2),
    ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 2),
    ("k7/8/8/8/2K5/8/8/6Q1 w - - 0 1", 4),
    ("r5rk/2p1Nppp/3p3P/pp2p1P1/4P3/2qnPQK1/8/R6R w - - 1 1", 4),
];

/// Whether the side to move mates in so many moves, by trying everything.
fn mates_in(game: &Chess, moves: u32) -> bool {
    let Turn::Player(side) = game.turn() else { return false };
    let mut own = Vec::new();
    game.legal_moves(&mut own);
    own.iter().any(|&mv| {
        let mut after = game.clone();
        after.play(mv);
        match after.turn() {
            Turn::Over(outcome) => outcome == Outcome::win(side),
            _ if moves == 1 => false,
            _ => {
                let mut replies = Vec::new();
                after.legal_moves(&mut replies);
                replies.iter().all(|&reply| {
                    let mut next = after.clone();
                    next.play(reply);
                    mates_in(&next, moves - 1)
                })
            }
        }
    })
}

#[test]
fn the_positions_are_what_they_are_said_to_be() {
    for (text, moves) in MATES {
        let game = position(text);
        assert!(mates_in(&game, moves), "{text}");
        assert!(moves == 1 || !mates_in(&game, moves - 1), "{text} is shorter");
    }
}

/// Within these limits, told how many moves the mate takes, mates are found, and none that is nearer.
fn finds_mates(mates: &[(&str, u32)], settings: &TournamentSettings, limits: impl Fn(u32) -> SearchLimits, what: &str) {
    for &(text, moves) in mates {
        let record = Record::new(position(text));
        let side = record.position().side_to_move();
        let (decision, score) = decide(&mut engine(settings.clone()), &record, &limits(moves));
        let score = score.unwrap_or_else(|| panic!("{what}: no score in {text}"));
        assert!(decision.effort < 5_000_000, "{what}: not found in time in {text}");
        assert_eq!(score.winner(), Some(side), "{what}: no mate in {text}");
        assert_eq!(score.plies_to_end(), Some(2 * moves - 1), "{what}: {text}");
        // The line is as long as the mate is far, and ends with it.
        let mut game = record.position().clone();
        for &mv in &decision.principal_variation {
            assert!(game.is_legal(mv), "{what}: {mv} in {text}");
            game.play(mv);
        }
        assert_eq!(game.turn(), Turn::Over(Outcome::win(side)), "{what}: {text}");
        assert_eq!(decision.value.map(|value| value.seen_by(side)), Some(1.0));
    }
}

#[test]
fn searching_everything_finds_mates_at_their_depth() {
    let settings = TournamentSettings { table_mib: 1, ..TournamentSettings::full_width() };
    finds_mates(&MATES, &settings, |moves| depth(2 * moves - 1), "full width");
}

/// Until the mate is found. What guesses may find a longer one first.
fn until_found(moves: u32) -> SearchLimits {
    SearchLimits { mate: Some(moves), ..nodes(5_000_000) }
}

#[test]
fn mates_are_found() {
    finds_mates(&MATES[..MATES.len() - 1], &small(), until_found, "default");
}

#[test]
fn mates_are_found_without_any_one_part() {
    let serde_json::Value::Object(all) = serde_json::to_value(small()).unwrap() else { panic!("not an object") };
    let switches: Vec<&String> = all.iter().filter(|(_, value)| value.is_boolean()).map(|(name, _)| name).collect();
    assert!(switches.len() >= 20);
    for name in switches {
        let mut settings = all.clone();
        let on = settings[name].as_bool().unwrap();
        settings.insert(name.clone(), (!on).into());
        finds_mates(
            &MATES[..MATES.len() - 1],
            &serde_json::from_value(settings.into()).unwrap(),
            until_found,
            &format!("{name} = {}", !on),
        );
    }
}

#[test]
fn two_threads_find_mates() {
    finds_mates(&MATES[..MATES.len() - 1], &TournamentSettings { threads: 2, ..small() }, until_found, "two threads");
}

#[test]
fn a_side_that_is_mated_holds_out_as_long_as_it_can() {
    // The only move is Kg8, and Ra8 mates.
    let record = Record::new(position("7k/R7/6K1/8/8/8/8/8 b - - 0 1"));
    let (_, score) = decide(&mut engine(small()), &record, &depth(12));
    let score = score.unwrap();
    assert_eq!(score.winner(), Some(Side::First));
    assert_eq!(score.plies_to_end(), Some(2));
}
