//! Counts of move paths and positions, against published or independently derived figures.

use afterstate_games::go::Go;
use afterstate_games::{ConnectFour, TicTacToe, perft};

#[test]
fn connect_four_move_paths() {
    let counts: Vec<u64> = (1..=8).map(|depth| perft::paths(&ConnectFour::new(), depth)).collect();
    assert_eq!(counts, [7, 49, 343, 2401, 16807, 117_649, 823_536, 5_673_234]);
}

#[test]
fn connect_four_nine_moves_deep() {
    assert_eq!(perft::paths(&ConnectFour::new(), 9), 39_394_572);
}

#[test]
fn connect_four_distinct_positions() {
    assert_eq!(
        perft::distinct_positions(&ConnectFour::new(), 9),
        [1, 7, 49, 238, 1120, 4263, 16_422, 54_859, 184_275, 558_186]
    );
}

/// 255,168 games in all, of which 1,440 end after 5 moves, 5,328 after 6, 47,952 after 7, 72,576 after
/// 8 and 127,872 after 9; 5,478 positions in all.
#[test]
fn tic_tac_toe_counts() {
    let counts: Vec<u64> = (0..=10).map(|depth| perft::paths(&TicTacToe::new(), depth)).collect();
    let ended = [1440, 5328, 47_952, 72_576];
    assert_eq!(counts[..6], [1, 9, 72, 504, 3024, 15_120]);
    assert_eq!(counts[6], (15_120 - ended[0]) * 4);
    assert_eq!(counts[7], (counts[6] - ended[1]) * 3);
    assert_eq!(counts[8], (counts[7] - ended[2]) * 2);
    assert_eq!(counts[9..], [127_872, 0]);
    assert_eq!(perft::distinct_positions(&TicTacToe::new(), 9).iter().sum::<u64>(), 5478);
}

/// Two moves cannot capture anything or make a point illegal, so they are counted by hand.
#[test]
fn go_opening_moves() {
    let game = Go::new(5);
    assert_eq!(perft::paths(&game, 1), 26);
    // 25 stones leave 24 points and a pass each; a pass leaves 25 points and a pass.
    assert_eq!(perft::paths(&game, 2), 25 * 25 + 26);
    let by_move: u64 = perft::paths_by_move(&game, 3).iter().map(|(_, paths)| paths).sum();
    assert_eq!(by_move, perft::paths(&game, 3));
}
