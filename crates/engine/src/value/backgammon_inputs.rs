//! TD-Gammon's 198 inputs of a position of backgammon (G. Tesauro, *Practical issues in temporal difference learning*, Machine
//! Learning 8, 1992, §4.1), as the side sees it whose dice are thrown next.
//!
//! ```text
//! for each side, each point:   1 man or more, 2 or more, 3 or more: 1 each        (n − 3) / 2 for n men more than 3
//! for each side:               men on the bar / 2                                 men off / 15
//! whose turn it is:            1, 0
//! ```

use super::perceptron::SparseInputs;
use afterstate_games::Side;
use afterstate_games::backgammon::{BAR, Board, MEN, POINTS};

/// How many inputs there are.
pub const INPUTS: usize = 198;

/// Inputs for one point and side.
const UNITS: usize = 4;

/// Replaces `inputs` by those of a board on which `side` is about to roll. Its men come first, and all points are counted from
/// its own home.
///
/// ```
/// use afterstate_engine::value::backgammon_inputs::inputs_of;
/// use afterstate_engine::value::perceptron::SparseInputs;
/// use afterstate_games::Side;
/// use afterstate_games::backgammon::Board;
/// let mut inputs = SparseInputs::default();
/// inputs_of(&Board::start(), Side::First, &mut inputs);
/// // Five men on the six point: three ones and a one for the two others.
/// let six: Vec<_> = inputs.iter().filter(|(index, _)| (20..24).contains(index)).collect();
/// assert_eq!(six, [(20, 1.0), (21, 1.0), (22, 1.0), (23, 1.0)]);
/// ```
pub fn inputs_of(board: &Board, side: Side, inputs: &mut SparseInputs) {
    inputs.clear();
    for (index, owner) in [side, side.other()].into_iter().enumerate() {
        for place in 0..POINTS {
            let men = board.men(owner, place);
            // The other side's points are named as the first counts them.
            let point = if index == 0 { place } else { POINTS - 1 - place };
            let first = (index * POINTS + point) * UNITS;
            for unit in 0..men.min(3) {
                inputs.push(first + usize::from(unit), 1.0);
            }
            if men > 3 {
                inputs.push(first + 3, f32::from(men - 3) / 2.0);
            }
        }
        let rest = 2 * POINTS * UNITS + index;
        if board.men(owner, BAR) > 0 {
            inputs.push(rest, f32::from(board.men(owner, BAR)) / 2.0);
        }
        if board.off(owner) > 0 {
            inputs.push(rest + 2, f32::from(board.off(owner)) / f32::from(MEN));
        }
    }
    inputs.push(INPUTS - 2, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(board: &Board, side: Side) -> Vec<f32> {
        let mut inputs = SparseInputs::default();
        inputs_of(board, side, &mut inputs);
        let mut dense = vec![0.0; INPUTS];
        for (index, value) in inputs.iter() {
            assert_eq!(dense[index], 0.0, "input {index} comes twice");
            dense[index] = value;
        }
        dense
    }

    #[test]
    fn men_on_points_bar_and_off_are_counted() {
        let mut men = [[0; 25]; 2];
        men[0][0] = 2;
        men[0][BAR] = 1;
        men[1][23] = 4;
        men[1][22] = 6;
        // Place 23 of the second side is place 0 of the first, where nobody of the other may be.
        assert_eq!(Board::from_men(men), None);
        men[1][23] = 0;
        let board = Board::from_men(men).unwrap();
        let found = dense(&board, Side::First);
        assert_eq!(found[0..4], [1.0, 1.0, 0.0, 0.0]);
        // Six men of the other on the first's second point.
        assert_eq!(found[96 + 4..96 + 8], [1.0, 1.0, 1.0, 1.5]);
        assert_eq!(found[192..], [0.5, 0.0, 12.0 / 15.0, 9.0 / 15.0, 1.0, 0.0]);
    }

    #[test]
    fn both_sides_see_the_same_where_they_stand_the_same() {
        let start = Board::start();
        assert_eq!(dense(&start, Side::First), dense(&start, Side::Second));
    }
}
