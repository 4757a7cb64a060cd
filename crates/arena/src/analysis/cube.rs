//! [`judge_cube`]: each decision about the cube in a game of backgammon beside the right one.

use afterstate_engine::cube::{Chances, CubeAnswer, CubeDecision, MatchEquityTable, decide, efficiency};
use afterstate_games::backgammon::cube::{Cube, Situation, Terms};
use afterstate_games::backgammon::mat::{Action, MatGame};
use afterstate_games::backgammon::{Backgammon, Board, Move};
use afterstate_games::{Game, Side};
use serde::Serialize;

/// To roll is a decision worth counting where doubling would lose less than this, in units of the cube. Doubles, takes and passes
/// always are. GNU Backgammon draws the line there, too.
pub const CLOSE: f64 = 0.16;

/// What a side did about the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CubeChoice {
    /// It rolled, though it could have doubled.
    Rolled,
    /// It doubled.
    Doubled,
    /// It took a double.
    Took,
    /// It took a double and turned the cube once more.
    Beavered,
    /// It passed.
    Passed,
}

/// A decision that was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedCube {
    /// Which play of the game comes next, from 1.
    pub number: usize,
    /// Who decided.
    pub side: Side,
    /// Who was about to roll: the same, or who had doubled.
    pub on_roll: Side,
    /// Where the men were.
    pub board: Board,
    /// The cube before a double, and what was played for.
    pub situation: Situation,
    /// What was decided.
    pub choice: CubeChoice,
    /// What both sides should have done, seen by who was about to roll.
    pub decision: CubeDecision,
    /// What the choice lost against the best, in units of the cube before the double; never less than nothing.
    pub loss: f64,
    /// Whether there was something to decide: it is no roll in a position far from a double.
    pub counts: bool,
}

/// Judges what both sides of a game did about the cube, by the chances that `chances` names for who is about to roll, until
/// `go_on` says no.
///
/// # Panics
///
/// If it is a game of a match longer than the table.
pub fn judge_cube(
    game: &MatGame,
    terms: Terms,
    table: &MatchEquityTable,
    chances: &mut dyn FnMut(&Board, Side) -> Chances,
    go_on: &mut dyn FnMut() -> bool,
) -> Vec<JudgedCube> {
    let (mut judged, mut board, mut number) = (Vec::new(), Board::start(), 1);
    let mut situation = Situation { cube: Cube::CENTRED, terms };
    // Who has doubled, and what was thought of it.
    let mut offered: Option<(Side, CubeDecision)> = None;
    let mut has_doubled = false;
    for &(side, action) in &game.actions {
        if !go_on() {
            break;
        }
        let mut decided = || {
            let x = efficiency(&board, side);
            decide(&chances(&board, side), &situation, side, x, table)
        };
        let (choice, on_roll, decision) = match action {
            Action::Play(dice, play) => {
                // Nobody doubles before the opening roll, or twice in a turn.
                let free = number > 1 && !has_doubled && situation.may_double(side);
                let decision = free.then(&mut decided);
                let at = (number, board);
                let mut position = Backgammon::at(board, side, Some(dice));
                position.play(Move::Play(play));
                (board, number, has_doubled) = (*position.board(), number + 1, false);
                let Some(decision) = decision else { continue };
                let loss = decision.loss_of_double(false);
                judged.push(JudgedCube {
                    number: at.0,
                    side,
                    on_roll: side,
                    board: at.1,
                    situation,
                    choice: CubeChoice::Rolled,
                    decision,
                    loss,
                    counts: decision.loss_of_double(true) < CLOSE,
                });
                continue;
            }
            Action::Double(_) => {
                let decision = decided();
                (offered, has_doubled) = (Some((side, decision)), true);
                (CubeChoice::Doubled, side, decision)
            }
            Action::Take | Action::Beaver(_) | Action::Drop => {
                let Some((doubler, decision)) = offered.take() else { continue };
                let choice = match action {
                    Action::Take => CubeChoice::Took,
                    Action::Beaver(_) => CubeChoice::Beavered,
                    _ => CubeChoice::Passed,
                };
                (choice, doubler, decision)
            }
        };
        let loss = match choice {
            CubeChoice::Doubled | CubeChoice::Rolled => decision.loss_of_double(true),
            CubeChoice::Took => decision.loss_of_answer(CubeAnswer::Take),
            CubeChoice::Beavered => decision.loss_of_answer(CubeAnswer::Beaver),
            CubeChoice::Passed => decision.loss_of_answer(CubeAnswer::Pass),
        };
        judged.push(JudgedCube { number, side, on_roll, board, situation, choice, decision, loss, counts: true });
        match choice {
            CubeChoice::Took => situation.cube = situation.cube.doubled(on_roll),
            CubeChoice::Beavered => situation.cube = situation.cube.doubled(on_roll).beavered(side),
            _ => {}
        }
    }
    judged
}

/// How one side handled the cube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CubeSummary {
    /// Its decisions that count: doubles, takes, passes, and rolls where a double was near.
    pub decisions: usize,
    /// Doubles among them.
    pub doubles: usize,
    /// Takes, beavers among them.
    pub takes: usize,
    /// Passes.
    pub passes: usize,
    /// What all its decisions lost, in units of the cube.
    pub loss: f64,
    /// The same for each decision that counts, in thousandths.
    pub error_rate: f64,
    /// Decisions that lost as much as a blunder does.
    pub blunders: usize,
}

/// Sums up how `side` handled the cube. Decisions that lost `blunder` or more are blunders.
pub fn summarise_cube<'a>(judged: impl IntoIterator<Item = &'a JudgedCube>, side: Side, blunder: f64) -> CubeSummary {
    let mut summary = CubeSummary::default();
    for cube in judged.into_iter().filter(|cube| cube.side == side) {
        summary.decisions += usize::from(cube.counts);
        summary.doubles += usize::from(cube.choice == CubeChoice::Doubled);
        summary.takes += usize::from(matches!(cube.choice, CubeChoice::Took | CubeChoice::Beavered));
        summary.passes += usize::from(cube.choice == CubeChoice::Passed);
        summary.loss += cube.loss;
        summary.blunders += usize::from(cube.loss >= blunder);
    }
    summary.error_rate = 1000.0 * summary.loss / summary.decisions.max(1) as f64;
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::backgammon::mat::MatMatch;

    const GAME: &str = " 3 point match\n\n Game 1\n Ada : 0                        Bob : 0\n  \
                        1) 31: 8/5 6/5                 42: 8/4 6/4\n  2)  Doubles => 2                Takes\n  \
                        3) 65: 24/13                   61: 13/7 8/7\n  4) 52: 13/8 13/11              Doubles => 4\n  \
                        5)  Drops\n                                   Wins 2 points\n";

    #[test]
    fn every_decision_is_judged_with_the_cube_as_it_was() {
        let read = MatMatch::read(GAME).unwrap();
        let terms = read.terms(0).unwrap();
        let table = MatchEquityTable::new(3);
        let mut asked = Vec::new();
        // Whoever rolls wins six games of ten, some by a gammon.
        let mut chances = |_: &Board, side: Side| {
            asked.push(side);
            Chances::from([0.6, 0.15, 0.0, 0.1, 0.0])
        };
        let judged = judge_cube(&read.games[0], terms, &table, &mut chances, &mut || true);
        use CubeChoice::*;
        let told: Vec<_> =
            judged.iter().map(|cube| (cube.number, cube.side, cube.choice, cube.situation.cube.value)).collect();
        let (ada, bob) = (Side::First, Side::Second);
        // Bob may roll or double before his first play; after Ada's double the cube is his alone.
        let expected = [
            (2, bob, Rolled, 1),
            (3, ada, Doubled, 1),
            (3, bob, Took, 1),
            (4, bob, Rolled, 2),
            (6, bob, Doubled, 2),
            (6, ada, Passed, 2),
        ];
        assert_eq!(told, expected);
        assert_eq!(asked, [bob, ada, bob, bob]);
        for cube in &judged {
            let decision = decide(
                &Chances::from([0.6, 0.15, 0.0, 0.1, 0.0]),
                &cube.situation,
                cube.on_roll,
                efficiency(&cube.board, cube.on_roll),
                &table,
            );
            assert_eq!(decision, cube.decision);
            assert!(cube.loss >= 0.0);
        }
        // Three away with the cube at 2 Bob's redouble is for the match; a pass leaves Ada a chance that taking would better.
        assert!((judged[5].loss - judged[5].decision.double_pass + judged[5].decision.double_take).abs() < 1e-12);
        let summary = summarise_cube(&judged, ada, 0.1);
        assert_eq!((summary.decisions, summary.doubles, summary.takes, summary.passes), (2, 1, 0, 1));
        assert!((summary.loss - judged[1].loss - judged[5].loss).abs() < 1e-12);
        assert!((summary.error_rate - 500.0 * summary.loss).abs() < 1e-9);
    }

    #[test]
    fn who_beavers_has_the_cube_turned_twice() {
        let text = " 0 point match\n\n Game 1\n Ada : 0   Bob : 0\n  1) 31: 8/5 6/5                  Doubles => 2\n  \
                    2)  Beavers => 4               66: 24/18(2) 13/7(2)\n  3) 21: 6/5 24/22                61: 13/7 8/7\n";
        let read = MatMatch::read(text).unwrap();
        let mut chances = |_: &Board, _: Side| Chances::from([0.4, 0.0, 0.0, 0.0, 0.0]);
        let table = MatchEquityTable::new(1);
        let judged = judge_cube(&read.games[0], read.terms(0).unwrap(), &table, &mut chances, &mut || true);
        let told: Vec<_> = judged.iter().map(|cube| (cube.side, cube.choice, cube.situation.cube)).collect();
        let (ada, bob) = (Side::First, Side::Second);
        let turned = Cube { value: 4, owner: Some(ada) };
        let expected = [
            (bob, CubeChoice::Doubled, Cube::CENTRED),
            (ada, CubeChoice::Beavered, Cube::CENTRED),
            (ada, CubeChoice::Rolled, turned),
        ];
        assert_eq!(told, expected);
        // Whoever has two games of five should not double, and is beavered rightly.
        assert!(judged[0].loss > 0.2 && judged[1].loss == 0.0);
        assert_eq!(summarise_cube(&judged, ada, 0.1).takes, 1);
    }
}
