//! TD-Gammon's 198 inputs of a position of backgammon (G. Tesauro, *Practical issues in temporal difference learning*, Machine
//! Learning 8, 1992, §4.1), as the side sees it whose dice are thrown next.
//!
//! ```text
//! for each side, each point:   1 man or more, 2 or more, 3 or more: 1 each        (n − 3) / 2 for n men more than 3
//! for each side:               men on the bar / 2                                 men off / 15
//! whose turn it is:            1, 0
//! ```

use super::backgammon_expert::{EXPERT_INPUTS, push_expert_inputs};
use super::perceptron::{Perceptron, SparseInputs};
use afterstate_games::Side;
use afterstate_games::backgammon::{BAR, Board, MEN, POINTS};
use serde::{Deserialize, Serialize};

/// How many of these inputs there are.
pub const INPUTS: usize = 198;

/// Inputs for one point and side.
const UNITS: usize = 4;

/// Which inputs a network has.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputSet {
    /// TD-Gammon's 198: where the men are.
    #[default]
    TdGammon,
    /// These, and behind them what experts count: [`super::backgammon_expert`].
    Expert,
    /// The same, with weights of their own in each phase of the game, as GNU Backgammon has networks of their own for races and
    /// for contact: whether it is a race, and which side has men left in the other's half.
    Phases,
}

/// Phases of the game.
const PHASES: usize = 4;

impl InputSet {
    /// How many there are.
    pub fn count(self) -> usize {
        match self {
            InputSet::TdGammon => INPUTS,
            InputSet::Expert => INPUTS + EXPERT_INPUTS,
            InputSet::Phases => PHASES * InputSet::Expert.count(),
        }
    }

    /// The set with so many inputs.
    pub fn with_count(count: usize) -> Option<InputSet> {
        [InputSet::TdGammon, InputSet::Expert, InputSet::Phases].into_iter().find(|set| set.count() == count)
    }

    /// Replaces `inputs` by those of a board on which `side` is about to roll.
    pub fn read(self, board: &Board, side: Side, inputs: &mut SparseInputs) {
        inputs_of(board, side, inputs);
        self.complete(board, side, inputs);
    }

    /// To `inputs`, TD-Gammon's or what changes about them, adds those that changes do not tell, and moves all to where the
    /// phase has them.
    #[inline]
    pub(super) fn complete(self, board: &Board, side: Side, inputs: &mut SparseInputs) {
        if self != InputSet::TdGammon {
            push_expert_inputs(board, side, INPUTS, inputs);
            inputs.shift(self.first(board, side));
        }
    }

    /// Where the inputs of a board begin.
    #[inline]
    pub(super) fn first(self, board: &Board, side: Side) -> usize {
        if self == InputSet::Phases { phase(board, side) * InputSet::Expert.count() } else { 0 }
    }

    /// A network with these inputs that says what `network` says, which has fewer: what it does not see yet has no say.
    ///
    /// # Panics
    ///
    /// If `network` has inputs that this set has not.
    pub fn extend(self, network: Perceptron) -> Perceptron {
        match self {
            _ if network.layers().inputs == self.count() => network,
            InputSet::Phases => network.with_inputs(InputSet::Expert.count()).with_copies(PHASES),
            _ => network.with_inputs(self.count()),
        }
    }
}

/// 0: a race. Else who has men in the other's half of the board: 1 both sides, 2 only the other, 3 only the side itself.
fn phase(board: &Board, side: Side) -> usize {
    let is_home = |side| board.hindmost(side).is_none_or(|place| place < POINTS / 2);
    match (board.is_race(), is_home(side), is_home(side.other())) {
        (true, ..) => 0,
        (_, false, false) => 1,
        (_, true, _) => 2,
        (_, _, true) => 3,
    }
}

/// Replaces `inputs` by TD-Gammon's of a board on which `side` is about to roll. Its men come first, and all points are counted from
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
            let first = first_input(index, place);
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

/// Where the inputs of a place begin: the other side's points (`index` 1) are named as the first counts them.
#[inline(always)]
fn first_input(index: usize, place: usize) -> usize {
    let point = if index == 0 { place } else { POINTS - 1 - place };
    (index * POINTS + point) * UNITS
}

/// Replaces `changes` by what has to be added to the inputs of `from` to get those of `to`, with `side` about to roll in both.
///
/// ```
/// use afterstate_engine::value::backgammon_inputs::changes_of;
/// use afterstate_engine::value::perceptron::SparseInputs;
/// use afterstate_games::Side;
/// use afterstate_games::backgammon::{Board, Step};
/// let (start, mut changes) = (Board::start(), SparseInputs::default());
/// let after = start.after_step(Side::First, Step::new(7, Some(6))).unwrap();
/// changes_of(&start, &after, Side::First, &mut changes);
/// // The bar point has its first man, the eight point two instead of three.
/// assert_eq!(changes.iter().collect::<Vec<_>>(), [(24, 1.0), (30, -1.0)]);
/// ```
pub fn changes_of(from: &Board, to: &Board, side: Side, changes: &mut SparseInputs) {
    changes.clear();
    for (index, owner) in [side, side.other()].into_iter().enumerate() {
        let mut borne_off = 0i8;
        from.for_each_change(to, owner, |place, before, after| {
            borne_off += before as i8 - after as i8;
            if place == BAR {
                changes.push(2 * POINTS * UNITS + index, (f32::from(after) - f32::from(before)) / 2.0);
                return;
            }
            let first = first_input(index, place);
            let (low, high, sign) = if before < after { (before, after, 1.0) } else { (after, before, -1.0) };
            for unit in low.min(3)..high.min(3) {
                changes.push(first + usize::from(unit), sign);
            }
            let more = (f32::from(after.max(3)) - f32::from(before.max(3))) / 2.0;
            if more != 0.0 {
                changes.push(first + 3, more);
            }
        });
        if borne_off != 0 {
            changes.push(2 * POINTS * UNITS + index + 2, f32::from(borne_off) / f32::from(MEN));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::rng::below;
    use afterstate_games::stream;

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
    fn changes_lead_from_one_positions_inputs_to_anothers() {
        let mut random = stream(3, 0);
        let mut board = || loop {
            let mut men = [[0u8; 25]; 2];
            for side in &mut men {
                (0..below(&mut random, 16)).for_each(|_| side[below(&mut random, 25) as usize] += 1);
            }
            if let Some(board) = Board::from_men(men) {
                return board;
            }
        };
        let mut changes = SparseInputs::default();
        for _ in 0..2000 {
            let (from, to) = (board(), board());
            for side in [Side::First, Side::Second] {
                let mut inputs = dense(&from, side);
                changes_of(&from, &to, side, &mut changes);
                changes.iter().for_each(|(index, value)| inputs[index] += value);
                let expected = dense(&to, side);
                assert!(inputs.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-6));
                assert!(changes.iter().all(|(_, value)| value != 0.0));
            }
        }
    }

    #[test]
    fn phases_are_told_by_who_has_men_in_the_others_half() {
        let board = |own: &[(usize, u8)], other: &[(usize, u8)]| {
            let mut men = [[0; 25]; 2];
            for (side, places) in men.iter_mut().zip([own, other]) {
                places.iter().for_each(|&(place, count)| side[place] = count);
            }
            Board::from_men(men).unwrap()
        };
        let phases = |board: Board| [phase(&board, Side::First), phase(&board, Side::Second)];
        assert_eq!(phases(Board::start()), [1, 1]);
        assert_eq!(phases(board(&[(11, 2)], &[(11, 2)])), [0, 0]);
        assert_eq!(phases(board(&[(11, 2)], &[(13, 2), (20, 1)])), [2, 3]);
        assert_eq!(phases(board(&[(3, 2)], &[(BAR, 1)])), [2, 3]);
    }

    #[test]
    fn both_sides_see_the_same_where_they_stand_the_same() {
        let start = Board::start();
        assert_eq!(dense(&start, Side::First), dense(&start, Side::Second));
    }
}
