//! Cube decisions against an independent program: GNU Backgammon 1.07, asked at its command line for its evaluation without looking
//! ahead. Its own chances are what the cube model is given here, so that the model alone is compared; it is given the match
//! equity table that was computed here.

#[path = "../../games/tests/support/gnubg.rs"]
mod gnubg;
#[path = "../../games/tests/support/mod.rs"]
mod support;

use afterstate_engine::cube::{Chances, CubeAction, CubeAnswer, CubeDecision, MatchEquityTable, decide, efficiency};
use afterstate_games::backgammon::cube::{Cube, MatchScore, Situation, Terms};
use afterstate_games::backgammon::xgid::Xgid;
use afterstate_games::backgammon::{BAR, Backgammon, Phase};
use afterstate_games::playout::draw_chance;
use afterstate_games::rng::{below, stream};
use afterstate_games::{Game, Side, Turn};
use gnubg::ask;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The longest match that is asked about.
const LENGTH: u32 = 15;
/// What it prints when it is told to show so many digits: what follows is about the next position.
const MARK: &str = "Probabilities and equities will be shown with";
/// Equities are told with five digits, but computed in single precision, and normalised by what may be a small difference.
const TOLERANCE: f64 = 1e-4;

/// The table in the program's own form.
fn written(table: &MatchEquityTable) -> String {
    let row = |entries: &mut dyn Iterator<Item = f64>| {
        let entries: String = entries.map(|entry| format!("<me>{entry:.9}</me>\n")).collect();
        format!("<row>\n{entries}</row>\n")
    };
    let mut text = String::from(
        "<?xml version = \"1.0\"?>\n<!DOCTYPE met PUBLIC \"-//GNU Backgammon//DTD Match Equity Tables//EN\" \"met.dtd\">\n<met>\n",
    );
    let _ = write!(
        text,
        "<info><name>afterstate</name><description>computed</description><length>{LENGTH}</length></info>\n\
         <pre-crawford-table type=\"explicit\">\n"
    );
    for own in 1..=LENGTH {
        text += &row(&mut (1..=LENGTH).map(|other| table.chance(own, other)));
    }
    text += "</pre-crawford-table>\n<post-crawford-table type=\"explicit\" player=\"both\">\n";
    text += &row(&mut (1..=LENGTH).map(|away| table.post_crawford(away)));
    text + "</post-crawford-table>\n</met>\n"
}

/// Positions of games of random plays in which a side is about to roll, with chances of all kinds; and races.
fn positions(count: usize) -> Vec<Backgammon> {
    let (mut found, mut moves, mut chances) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0.. {
        let mut rng = stream(31, index);
        let mut game = Backgammon::new();
        let mut wait = 6 + below(&mut rng, 70);
        loop {
            match game.turn() {
                Turn::Over(_) => break,
                Turn::Chance => {
                    if wait == 0 && matches!(game.phase(), Phase::ToRoll(_)) {
                        // Of positions with few men at home it knows both sides' exact chances with the cube.
                        let few = [Side::First, Side::Second].into_iter().all(|side| game.board().off(side) > 8);
                        if !few {
                            found.push(game);
                        }
                        wait = 15 + below(&mut rng, 60);
                    }
                    wait = wait.saturating_sub(1);
                    game.chance_outcomes(&mut chances);
                    let roll = draw_chance(&chances, &mut rng);
                    game.play(roll);
                }
                Turn::Player(side) => {
                    game.legal_moves(&mut moves);
                    // Every other game runs home, so that races come about.
                    let runs = |mv: &afterstate_games::backgammon::Move| {
                        let mut after = game;
                        after.play(*mv);
                        let hind = after.board().hindmost(side).unwrap_or(0);
                        (hind, after.board().men(side.other(), BAR))
                    };
                    let mv = match index % 2 {
                        0 => moves[below(&mut rng, moves.len() as u32) as usize],
                        _ => moves.iter().copied().min_by_key(runs).expect("there is a play"),
                    };
                    game.play(mv);
                }
            }
            if found.len() == count {
                return found;
            }
        }
    }
    found
}

/// Money play and matches, by turns.
fn situation(number: usize) -> Situation {
    let mut rng = stream(32, number as u64);
    let power = below(&mut rng, 4);
    let owner = [Some(Side::First), Some(Side::Second)][below(&mut rng, 2) as usize];
    let cube = if power == 0 { Cube::CENTRED } else { Cube { value: 1 << power, owner } };
    let terms = if number.is_multiple_of(3) {
        Terms::Money { jacoby: below(&mut rng, 2) == 1, beavers: false }
    } else {
        let length = 1 + below(&mut rng, LENGTH);
        let points = [0; 2].map(|_| below(&mut rng, length));
        let crawford = points.contains(&(length - 1)) && (length == 1 || below(&mut rng, 2) == 1);
        Terms::Match(MatchScore { length, points, crawford })
    };
    Situation { cube, terms }
}

/// What it says of a position: chances, the three equities, and its advice.
fn read(answer: &str) -> Option<(Chances, [f64; 3], String)> {
    let number = |text: &str| text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    let equity = |name: &str| number(answer.split_once(name)?.1);
    let numbers = answer.split_once("cubeless equity")?.1.lines().nth(1)?;
    let numbers: Vec<f64> = numbers.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [win, gammon, backgammon, _, lost_gammon, lost_backgammon] = numbers[..] else { return None };
    let chances = Chances { win, gammon, backgammon, lost_gammon, lost_backgammon };
    let no_double = equity("o double").or_else(|| equity("o redouble"))?;
    let take = equity("ouble, take")?;
    let pass = equity("ouble, pass")?;
    let advice = answer.split_once("Proper cube action: ")?.1.lines().next()?;
    Some((chances, [no_double, take, pass], advice.split('(').next().unwrap_or_default().trim().to_lowercase()))
}

/// Whether both mean the same, or it does not matter.
fn agree(ours: &CubeDecision, advice: &str) -> bool {
    let answer = if ours.answer == CubeAnswer::Pass { "pass" } else { "take" };
    let answers = advice.ends_with(answer) || answer == "take" && advice.ends_with("beaver");
    let open = (ours.double_take - ours.double_pass).abs() < TOLERANCE;
    let doubles = ours.action == CubeAction::Double;
    let too_good = advice.starts_with("too good");
    let said = ["double", "redouble", "optional"].iter().any(|word| advice.starts_with(word));
    let even = (ours.no_double - ours.double()).abs() < TOLERANCE;
    (answers || open) && (even || said == doubles && too_good == (ours.action == CubeAction::TooGood))
}

/// Whether both sides need two points with the cube in the middle.
fn is_two_away(situation: &Situation) -> bool {
    let Terms::Match(score) = situation.terms else { return false };
    situation.cube.owner.is_none() && [Side::First, Side::Second].into_iter().all(|side| score.away(side) == 2)
}

/// What is asked about.
fn asked() -> Vec<Xgid> {
    let positions = positions(600).into_iter().enumerate();
    positions.map(|(number, game)| Xgid { game, situation: situation(number), doubled: false }).collect()
}

/// What it says of each.
fn answers(program: &Path, settings: &str, asked: &[Xgid]) -> Vec<String> {
    let mut commands = format!(
        "set player 0 human\nset player 1 human\nset evaluation cubedecision evaluation plies 0\n\
         set evaluation cubedecision evaluation cubeful on\n{settings}set automatic roll off\nnew session\n"
    );
    for xgid in asked {
        let _ = write!(commands, "set output digits 5\nset xgid {xgid}\nhint\n");
    }
    let answers: Vec<String> = ask(program, commands).split(MARK).skip(1).map(str::to_string).collect();
    assert_eq!(answers.len(), asked.len());
    answers
}

#[test]
fn equities_and_decisions_are_those_of_gnu_backgammon() {
    let Some(program) = support::find("gnubg", "equities_and_decisions_are_those_of_gnu_backgammon") else { return };
    let table = MatchEquityTable::new(LENGTH);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("computed-met.xml");
    std::fs::write(&file, written(&table)).expect("a file in the tests' folder");
    let asked = asked();
    let answers = answers(&program, &format!("set met \"{}\"\n", file.display()), &asked);
    let (mut compared, mut races, mut worst, mut unavailable, mut two_away) = ([0, 0], 0, 0.0f64, 0, 0);
    let (mut kinds, mut differing) = (std::collections::BTreeMap::new(), Vec::new());
    for (xgid, answer) in asked.iter().zip(&answers) {
        let Phase::ToRoll(side) = xgid.game.phase() else { panic!("a side is about to roll") };
        let Some((chances, theirs, advice)) = read(answer) else {
            // It has no analysis where there is nothing to decide.
            assert!(!xgid.situation.may_double(side), "{xgid}\n{answer}");
            unavailable += 1;
            continue;
        };
        assert!(xgid.situation.may_double(side), "{xgid}\n{answer}");
        let x = efficiency(xgid.game.board(), side);
        let ours = decide(&chances, &xgid.situation, side, x, &table);
        let found = [ours.no_double, ours.double_take, ours.double_pass];
        if is_two_away(&xgid.situation) {
            // There it counts the cube in the middle as dead, so that only what follows a double can be compared.
            let cubeless = decide(&chances, &xgid.situation, side, 0.0, &table).no_double;
            assert!(
                (cubeless - theirs[0]).abs() < TOLERANCE && (found[1] - theirs[1]).abs() < TOLERANCE,
                "{xgid}\n{answer}"
            );
            two_away += 1;
            continue;
        }
        let difference = found.iter().zip(theirs).map(|(ours, theirs)| (ours - theirs).abs()).fold(0.0, f64::max);
        if difference > TOLERANCE || !agree(&ours, &advice) {
            differing.push(format!(
                "{xgid} x = {x}\n{found:?} {:?} {:?}, theirs {theirs:?} {advice}",
                ours.action, ours.answer
            ));
        }
        compared[usize::from(matches!(xgid.situation.terms, Terms::Match(_)))] += 1;
        races += usize::from(xgid.game.board().is_race());
        worst = worst.max(difference);
        *kinds.entry(advice).or_insert(0) += 1;
    }
    println!(
        "compared {compared:?} (money, match), {races} races, {unavailable} without a decision, {two_away} at 2-away 2-away; largest difference {worst:.6}; {kinds:?}"
    );
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    assert!(compared.iter().all(|&count| count >= 80) && races >= 30, "{compared:?} {races}");
}

#[test]
fn the_computed_table_decides_as_one_that_was_rolled_out_with_few_exceptions() {
    let test = "the_computed_table_decides_as_one_that_was_rolled_out_with_few_exceptions";
    let Some(program) = support::find("gnubg", test) else { return };
    let (table, asked) = (MatchEquityTable::new(LENGTH), asked());
    // The program's own table: N. Kazaross' XG2.
    let answers = answers(&program, "", &asked);
    let (mut same, mut other, mut most_lost) = (0, 0, 0.0f64);
    for (xgid, answer) in asked.iter().zip(&answers) {
        let Phase::ToRoll(side) = xgid.game.phase() else { panic!("a side is about to roll") };
        let (Terms::Match(_), Some((chances, theirs, advice))) = (xgid.situation.terms, read(answer)) else { continue };
        let ours = decide(&chances, &xgid.situation, side, efficiency(xgid.game.board(), side), &table);
        if is_two_away(&xgid.situation) {
            continue;
        }
        if agree(&ours, &advice) {
            same += 1;
            continue;
        }
        // What our decisions lose by their equities: of who may double, or of who answers.
        let [no_double, take, pass] = theirs;
        let doubles = ours.action == CubeAction::Double;
        let chosen = if doubles { take.min(pass) } else { no_double };
        let answered = if ours.answer == CubeAnswer::Pass { pass - take } else { take - pass };
        most_lost = most_lost.max(no_double.max(take.min(pass)) - chosen).max(answered);
        other += 1;
    }
    println!("{same} decisions at match scores are the same, {other} others lose {most_lost:.4} at most");
    assert!(same >= 100 && other * 20 <= same && most_lost < 0.05, "{same} {other} {most_lost}");
}
