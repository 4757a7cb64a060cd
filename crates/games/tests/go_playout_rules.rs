//! Each rule of the playout policies on positions drawn by hand.

use afterstate_games::go::playout::neighbourhood::code_of;
use afterstate_games::go::playout::pattern::{PatternTable, diagrams};
use afterstate_games::go::{Color, FuegoPlayout, FuegoSettings, Go, MogoPlayout, MogoSettings, Move, Point, Rule};
use afterstate_games::rng::{Rng, stream};
use afterstate_games::{Game, Side};
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};

/// A position from rows, the highest first. The last move was the stone in lower case, `x` Black's or `o`
/// White's, so the other side is to move.
fn position(rows: [&str; 5]) -> Go {
    let size = rows.len();
    let (mut stones, mut last) = (Vec::new(), None);
    for (row, line) in rows.iter().enumerate() {
        for (x, symbol) in line.chars().filter(|symbol| *symbol != ' ').enumerate() {
            let point = Point::at(x, size - 1 - row, size);
            match symbol {
                'X' => stones.push((point, Color::Black)),
                'O' => stones.push((point, Color::White)),
                'x' => last = Some((point, Side::First)),
                'o' => last = Some((point, Side::Second)),
                _ => {}
            }
        }
    }
    let (point, side) = last.expect("a last move");
    let mut game = Go::set_up(size, stones).unwrap().with_turn(side);
    game.play(Move::play(point));
    game
}

fn labels(points: &[Point], size: usize) -> Vec<String> {
    let mut labels: Vec<String> = points.iter().map(|point| point.label(size)).collect();
    labels.sort();
    labels
}

/// The rule and the moves of MoGo's policy, which `choose` must agree with.
fn mogo(settings: MogoSettings, game: &Go) -> (Option<Rule>, Vec<String>) {
    let mut policy = MogoPlayout::new(settings);
    let (rule, points) = policy.good_moves(game);
    let found = labels(points, game.size());
    let (mv, chosen) = policy.choose(game, &mut stream(1, 0));
    match rule {
        Some(rule) => assert!(chosen == rule && found.contains(&mv.point().unwrap().label(game.size()))),
        None => assert!(chosen >= Rule::Random),
    }
    (rule, found)
}

fn fuego(game: &Go) -> (Option<Rule>, Vec<String>) {
    let mut policy = FuegoPlayout::default();
    let (rule, points) = policy.good_moves(game);
    (rule, labels(points, game.size()))
}

fn only_save() -> MogoSettings {
    MogoSettings { patterns: false, captures: false, ..MogoSettings::default() }
}

fn only_captures() -> MogoSettings {
    MogoSettings { save: false, patterns: false, ..MogoSettings::default() }
}

fn found(rule: Rule, points: &[&str]) -> (Option<Rule>, Vec<String>) {
    (Some(rule), points.iter().map(ToString::to_string).collect())
}

const NOTHING: (Option<Rule>, Vec<String>) = (None, Vec::new());

#[test]
fn stones_in_atari_run() {
    let game = position([
        ". . . . .", //
        ". . O . .",
        ". O X o .",
        ". . . . .",
        ". . . . .",
    ]);
    assert_eq!(mogo(MogoSettings::default(), &game), found(Rule::Save, &["C2"]));
    assert_eq!(fuego(&game), found(Rule::Save, &["C2"]));
    assert_eq!(mogo(MogoSettings { save: false, ..only_save() }, &game), NOTHING);
}

#[test]
fn they_do_not_run_into_the_next_atari() {
    // B1 leaves two liberties, A1 and C1; with a stone on C1 it leaves one.
    let game = position([
        ". . . . .", //
        ". . . . .",
        ". O . . .",
        "O X o . .",
        ". . . . .",
    ]);
    assert_eq!(mogo(only_save(), &game), found(Rule::Save, &["B1"]));
    let game = position([
        ". . . . .", //
        ". . . . .",
        ". O . . .",
        "O X o . .",
        ". . O . .",
    ]);
    assert_eq!(mogo(only_save(), &game), NOTHING);
}

#[test]
fn they_are_saved_by_captures_of_what_surrounds_them() {
    // A1 captures A2. E4 captures too, but far away.
    let game = position([
        ". . . X O", //
        ". . . . .",
        "X O . . .",
        "O X o . .",
        ". . O . .",
    ]);
    assert_eq!(mogo(only_save(), &game), found(Rule::Save, &["A1"]));
    assert_eq!(mogo(only_captures(), &game), found(Rule::Capture, &["A1", "E4"]));
    // B1 would be one stone more in atari, but it captures C1 and C2.
    let game = position([
        ". . . . .", //
        ". . . . .",
        ". O X . .",
        "O X o X .",
        ". . O X .",
    ]);
    assert_eq!(mogo(only_save(), &game), found(Rule::Save, &["B1"]));
}

#[test]
fn patterns_come_before_captures_elsewhere() {
    let game = position([
        ". . . X O", //
        ". . . . .",
        ". . o . .",
        ". . . . .",
        ". . . . .",
    ]);
    assert_eq!(mogo(MogoSettings::default(), &game), found(Rule::Pattern, &["D4"]));
    assert_eq!(mogo(only_captures(), &game), found(Rule::Capture, &["E4"]));
    assert_eq!(mogo(only_save(), &game), NOTHING);
}

#[test]
fn ko_forbids_its_capture() {
    // B3 has taken a stone on C3 and is in atari itself.
    let game = position([
        ". . . . .", //
        ". X O . .",
        "X o X O .",
        ". X O . .",
        ". . . . .",
    ]);
    assert_eq!(game.board().ko(), Some(Point::at(2, 2, 5)));
    assert_eq!(mogo(only_captures(), &game), NOTHING);
    assert_ne!(fuego(&game).0, Some(Rule::CaptureLast));
}

#[test]
fn self_atari_is_left_out_where_that_is_set() {
    // C1 and C2 are patterns; on C1 Black would have the liberty C2 alone.
    let game = position([
        ". . . . .", //
        ". . . . .",
        ". . . . .",
        ". X . . .",
        ". O . o .",
    ]);
    assert_eq!(mogo(MogoSettings::default(), &game), found(Rule::Pattern, &["C1", "C2"]));
    let avoiding = MogoSettings { avoid_self_atari: true, ..MogoSettings::default() };
    assert_eq!(mogo(avoiding, &game), found(Rule::Pattern, &["C2"]));
    assert_eq!(fuego(&game), found(Rule::Pattern, &["C2"]));
    let (c1, c2) = (Point::at(2, 0, 5), Point::at(2, 1, 5));
    assert_eq!(game.board().liberty_left(c1, Side::First), Some(c2));
    assert_eq!(game.board().liberty_left(c1, Side::Second), None);
}

#[test]
fn self_atari_is_bad_unless_a_stone_is_thrown_in() {
    // Black B1 gives a stone: White takes it on C1 and has the liberty B1 left, where Black takes all.
    let game = position([
        ". . . . o", //
        ". . . . .",
        "X X X X .",
        "O O O O X",
        "O . . X .",
    ]);
    let b1 = Point::at(1, 0, 5);
    let (board, black) = (game.board(), Side::First);
    assert!(board.is_self_atari(b1, black) && !board.is_bad_self_atari(b1, black));
    // White's chain has a third liberty, D3: nothing is gained.
    let game = position([
        ". . . . o", //
        ". . . . .",
        "X X X . .",
        "O O O O X",
        "O . . X .",
    ]);
    assert!(game.board().is_bad_self_atari(b1, Side::First));
    // A2 would be a second stone beside A1, with the liberty A3; A3 gives A1 nothing and itself three liberties.
    let game = position([
        ". . . . .", //
        ". . . . .",
        ". . . . .",
        ". O . . .",
        "X o . . .",
    ]);
    let bad = |y| game.board().is_bad_self_atari(Point::at(0, y, 5), game.to_move());
    assert!(bad(1) && !bad(2));
}

#[test]
fn a_capture_can_be_self_atari() {
    // A2 captures A1 and leaves three stones with the liberty A1: a snapback.
    let game = position([
        ". . . . .", //
        ". . . . o",
        "O O . . .",
        ". X O . .",
        "O X O . .",
    ]);
    let (a1, a2) = (Point::at(0, 0, 5), Point::at(0, 1, 5));
    assert_eq!(game.board().liberty_left(a2, Side::First), Some(a1));
    // A lone stone that captures another starts a ko.
    let game = position([
        ". . . . .", //
        ". X O . .",
        "X . x O .",
        ". X O . .",
        ". . . . .",
    ]);
    let b3 = Point::at(1, 2, 5);
    assert!(game.board().captures_something(b3, Side::Second) && !game.board().is_self_atari(b3, Side::Second));
}

#[test]
fn fuego_captures_the_last_move() {
    let game = position([
        ". . . . .", //
        ". . X . O",
        ". X o X X",
        ". . . . .",
        ". . . . .",
    ]);
    assert_eq!(fuego(&game), found(Rule::CaptureLast, &["C2"]));
    let settings = FuegoSettings { capture_last: false, low_liberties: false, patterns: false, ..Default::default() };
    assert_eq!(FuegoPlayout::new(settings).good_moves(&game).0, Some(Rule::Capture));
}

#[test]
fn fuego_gives_and_takes_liberties() {
    let game = position([
        ". . . . .", //
        ". . O . .",
        ". . X o .",
        ". . . . .",
        ". . . . .",
    ]);
    assert_eq!(fuego(&game), found(Rule::LowLiberties, &["B3", "C2"]));
    // A1 would bring nothing new.
    let game = position([
        ". . . . .", //
        ". . . . .",
        ". . . . .",
        "O o . . .",
        ". X . . .",
    ]);
    assert_eq!(fuego(&game), found(Rule::LowLiberties, &["C1"]));
    // B1 and C2 are liberties of the last move; A3 joins A2 to B3, whereas A1 would not help it.
    let game = position([
        ". . . . .", //
        ". . . . .",
        ". X . . .",
        "X o . . .",
        ". . . . .",
    ]);
    assert_eq!(fuego(&game), found(Rule::LowLiberties, &["A3", "B1", "C2"]));
}

#[test]
fn fuego_looks_around_the_move_before_the_last_as_well() {
    let point = |x, y| Point::at(x, y, 9);
    let mut game = Go::set_up(9, [(point(2, 4), Color::Black)]).unwrap().with_turn(Side::Second);
    game.play(Move::play(point(3, 4)));
    game.play(Move::play(point(7, 1)));
    assert_eq!(fuego(&game), found(Rule::Pattern, &["C4", "C6", "D4", "D6"]));
    assert_eq!(mogo(MogoSettings::default(), &game), NOTHING);
}

#[test]
fn with_nakade_fuego_plays_the_vital_point_beside_the_last_move() {
    // White has just made an eye space of three points in the corner, where Black's stone in the middle kills.
    let game = position([
        ". . . O X", //
        "o O O O X",
        "X X X X X",
        ". . . . .",
        ". . . . .",
    ]);
    let mut policy = FuegoPlayout::new(FuegoSettings { nakade: true, ..FuegoSettings::default() });
    let (rule, points) = policy.good_moves(&game);
    assert_eq!((rule, labels(points, 5)), found(Rule::Nakade, &["B5"]));
    // Fuego's own rules do not see it.
    assert_ne!(fuego(&game).0, Some(Rule::Nakade));
}

#[test]
fn fuego_fills_no_point_that_one_colour_secures() {
    // Black's stones meet on C3, a false eye. A5 and E1 capture.
    let game = position([
        ". O X X .", //
        "O O X X X",
        "X X . X X",
        "X X X O O",
        ". X x O .",
    ])
    .with_turn(Side::First);
    let [c3, a5, e1] = [(2, 2), (0, 4), (4, 0)].map(|(x, y)| Point::at(x, y, 5));
    assert!(game.board().is_secured(c3) && !game.board().is_secured(a5) && !game.board().is_secured(e1));
    let mut fuego = FuegoPlayout::new(FuegoSettings { captures: false, ..FuegoSettings::default() });
    let mut mogo = MogoPlayout::new(MogoSettings { captures: false, ..MogoSettings::default() });
    let mut rng = stream(2, 0);
    let mut chosen = |choose: &mut dyn FnMut(&mut Rng) -> (Move, Rule)| {
        let mut points: Vec<Point> = (0..100).filter_map(|_| choose(&mut rng).0.point()).collect();
        points.sort();
        points.dedup();
        labels(&points, 5)
    };
    assert_eq!(chosen(&mut |rng| fuego.choose(&game, rng)), ["A5", "E1"]);
    assert_eq!(chosen(&mut |rng| mogo.choose(&game, rng)), ["A5", "C3", "E1"]);
    // White could only fill its own eyes.
    let game = game.with_turn(Side::Second);
    assert_eq!(FuegoPlayout::default().choose(&game, &mut rng), (Move::PASS, Rule::Pass));
}

/// Whether X and O may play in the middle of a 3×3 diagram whose lowest row may be off the board, in all
/// symmetries and with either colour as X.
fn movers(diagram: [&str; 3]) -> (bool, bool) {
    const SIZE: usize = 7;
    let y = if diagram[2] == "###" { 0 } else { 3 };
    let mut answers = Vec::new();
    for symmetry in 0..8 {
        let turn = |x: usize, y: usize| {
            let (x, y) = if symmetry & 1 == 0 { (x, y) } else { (SIZE - 1 - x, y) };
            let (x, y) = if symmetry & 2 == 0 { (x, y) } else { (x, SIZE - 1 - y) };
            if symmetry & 4 == 0 { Point::at(x, y, SIZE) } else { Point::at(y, x, SIZE) }
        };
        for x in [Side::First, Side::Second] {
            let mut stones = Vec::new();
            for (row, line) in diagram.iter().enumerate() {
                for (column, symbol) in line.chars().enumerate() {
                    let side = match symbol {
                        'X' => x,
                        'O' => x.other(),
                        _ => continue,
                    };
                    stones.push((turn(2 + column, y + 1 - row), Color::of(side)));
                }
            }
            let game = Go::set_up(SIZE, stones).unwrap();
            let code = code_of(game.board(), turn(3, y));
            let may = |side| PatternTable::standard().matches(code, side);
            answers.push((may(x), may(x.other())));
        }
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{diagram:?} depends on how it is turned");
    answers[0]
}

#[test]
fn patterns_hold_in_all_symmetries_and_both_colours() {
    const BOTH: (bool, bool) = (true, true);
    const ONLY_X: (bool, bool) = (true, false);
    const NEITHER: (bool, bool) = (false, false);
    for (diagram, expected) in [
        (["XOX", ".*.", "..."], BOTH),
        (["XOX", "O*O", "..."], NEITHER),
        (["XO.", ".*.", "O.X"], BOTH),
        (["XO.", ".*.", ".X."], NEITHER),
        (["XOX", "X*.", "..."], BOTH),
        (["XOO", ".*.", "..."], ONLY_X),
        (["XO.", "O*.", "..."], BOTH),
        (["XO.", "O*X", "..."], BOTH),
        (["XO.", "O*O", "..."], NEITHER),
        (["XO.", "O*.", ".O."], NEITHER),
        ([".X.", "O*O", "X.X"], BOTH),
        ([".X.", "O*O", "O.."], NEITHER),
        (["X..", "O*.", "###"], BOTH),
        ([".X.", ".*O", "###"], BOTH),
        ([".X.", "O*O", "###"], BOTH),
        ([".X.", "X*O", "###"], NEITHER),
        ([".XO", ".*X", "###"], ONLY_X),
        ([".XO", ".*.", "###"], BOTH),
        ([".XO", "O*X", "###"], BOTH),
        (["...", ".*.", "..."], NEITHER),
        (["OOO", "O*O", "O.O"], NEITHER),
        (["XX.", "X*.", "###"], NEITHER),
    ] {
        assert_eq!(movers(diagram), expected, "{diagram:?}");
    }
    assert_eq!(diagrams().count(), 11);
}

#[test]
fn no_pattern_is_in_a_corner() {
    let table = PatternTable::standard();
    for stones in 0..27 {
        let color = |i: u32| [Color::Empty, Color::Black, Color::White][stones / 3usize.pow(i) % 3];
        let points = [Point::at(1, 0, 9), Point::at(0, 1, 9), Point::at(1, 1, 9)];
        let game = Go::set_up(9, points.into_iter().zip([0, 1, 2].map(color))).unwrap();
        for side in [Side::First, Side::Second] {
            assert!(!table.matches(code_of(game.board(), Point::at(0, 0, 9)), side));
        }
    }
}

#[test]
fn settings_know_their_keys_and_no_others() {
    let mogo = |pairs: &[(&'static str, bool)]| MogoSettings::deserialize(of(pairs));
    assert_eq!(mogo(&[]).unwrap(), MogoSettings::default());
    assert!(mogo(&[("avoid-self-atari", true)]).unwrap().avoid_self_atari);
    assert!(mogo(&[("avoid_self_atari", true)]).unwrap_err().to_string().contains("unknown field"));
    let fuego = |pairs: &[(&'static str, bool)]| FuegoSettings::deserialize(of(pairs));
    assert!(!fuego(&[("low-liberties", false)]).unwrap().low_liberties);
    assert!(fuego(&[("lowliberties", false)]).is_err());
    assert!(Rule::ALL.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(Rule::LowLiberties.to_string(), "low-liberties");
}

type Pairs<'a> = std::iter::Copied<std::slice::Iter<'a, (&'static str, bool)>>;

fn of<'a>(pairs: &'a [(&'static str, bool)]) -> MapDeserializer<'static, Pairs<'a>, Error> {
    MapDeserializer::new(pairs.iter().copied())
}
