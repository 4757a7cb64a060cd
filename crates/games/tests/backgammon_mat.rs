//! Matches as `.mat` files: what is written is read again, and what makes no sense is refused with its line.

use afterstate_games::backgammon::cube::Terms;
use afterstate_games::backgammon::mat::{Action, MatGame, MatMatch};
use afterstate_games::backgammon::{BAR, Backgammon, Board, Move, Phase};
use afterstate_games::rng::{Rng, below};
use afterstate_games::{Game, Side, stream};
use proptest::prelude::*;

/// A file as programs write them: with comments, a player's name with a colon, dice that play nothing, and a cube.
const MATCH: &str = "\
; [EventDate \"2026.11.22\"]

 5 point match

 Game 1
 Ada : 0                        Bob:2nd : 0
  1) 21: 13/11 24/23             41: 6/2* 2/1*
  2) 66: Cannot Move             65: 6/1 24/18
  3)  Doubles => 2                Takes
  4) 23: 25/22 25/23             32: 18/13
  5) 31: 8/5 6/5                  Doubles => 4
  6)  Drops
                                  Wins 2 points

 Game 2
 Ada : 0                        Bob:2nd : 2
  1)                             31: 8/5 6/5
  2) 66: 24/18(2) 13/7(2)
";

#[test]
fn a_match_of_people_is_read() {
    let read = MatMatch::read(MATCH).unwrap();
    assert_eq!((read.length, read.games.len()), (5, 2));
    let [first, second] = &read.games[..] else { panic!("two games") };
    assert_eq!(first.players, ["Ada", "Bob:2nd"]);
    assert_eq!((first.score, second.score), ([0, 0], [0, 2]));
    assert_eq!(first.won, Some((Side::Second, 2)));
    assert_eq!(first.actions.len(), 11);
    assert_eq!(first.actions[4..6], [(Side::First, Action::Double(2)), (Side::Second, Action::Take)]);
    assert_eq!(first.plays().count(), 7);
    // The hits of the first line leave two men on the bar.
    let (position, _) = first.plays().nth(2).unwrap();
    assert_eq!(position.board().men(Side::First, BAR), 2);
    assert_eq!((second.won, second.plays().count()), (None, 2));
    // A name that would make its line another is written otherwise.
    let mut renamed = read.clone();
    renamed.games[0].players = ["; a : 3 ".into(), "b\n : 4 :".into()];
    assert_eq!(MatMatch::read(&renamed.to_string()).unwrap().games[0].players, ["a 3", "b 4"]);
    // Columns may be narrow, a way may have several men, and a roll may not have been played.
    let narrow =
        " 0 point match\n Game 1\n a : 0 b : 0\n 1) 31: 8/5 6/5 66: 24/18(2) 13/7(2)\n 2) 21:\n Wins 1 point\n";
    let narrow = &MatMatch::read(narrow).unwrap().games[0];
    assert_eq!((narrow.plays().count(), narrow.won), (2, Some((Side::First, 1))));
    // Written and read again it is the same, whatever the columns' words were, but for colons in names.
    let mut plain = read.clone();
    plain.games.iter_mut().for_each(|game| game.players[1] = "Bob 2nd".into());
    assert_eq!(MatMatch::read(&read.to_string()).unwrap(), plain);
}

#[test]
fn what_was_played_without_a_cube_says_so() {
    let text = " 0 point match\n\n Game 1\n a : 0 b : 0\n  1) 31: 8/5 6/5\n";
    let mut read = MatMatch::read(text).unwrap();
    assert!(!read.cubeless);
    read.cubeless = true;
    let written = read.to_string();
    assert!(written.starts_with("; [CubeLimit \"1\"]\n"), "{written}");
    assert_eq!(MatMatch::read(&written).unwrap(), read);
    let doubled = written.replace("6/5", "6/5   Doubles => 2");
    assert!(MatMatch::read(&doubled).unwrap_err().problem.contains("there is no cube"), "{doubled}");
    assert!(!MatMatch::read(&text.replacen(" 0", "; [CubeLimit \"1024\"]\n 0", 1)).unwrap().cubeless);
}

/// As GNU Backgammon writes a session in which White beavers.
const BEAVER: &str = " 0 point match

 Game 1
 Ada : 0                      Bob : 0
  1) 31: 8/5 6/5                  Doubles => 2
  2)  Beavers => 4               66: 24/18 24/18 13/7 13/7
  3) 21: 13/11 24/23
";

#[test]
fn rules_that_a_file_tells_count() {
    let money = " 0 point match\n\n Game 1\n a : 0 b : 0\n  1) 31: 8/5 6/5\n";
    let read = MatMatch::read(&format!("; [Jacoby \"On\"]\n; [Beaver \"On\"]\n# a remark\n{money}")).unwrap();
    assert_eq!(read.terms(0), Some(Terms::Money { jacoby: true, beavers: true }));
    assert_eq!(MatMatch::read(&read.to_string()).unwrap(), read);
    let off = MatMatch::read(&format!("; [Jacoby \"Off\"]\n; [Beaver \"Off\"]\n{money}")).unwrap();
    assert_eq!(off.terms(0), Some(Terms::Money { jacoby: false, beavers: false }));

    let points =
        " 3 Point Match\n\n Game 1\n a : 2 b : 0\n  1) 31: 8/5 6/5\n\n Game 2\n a : 2 b : 1\n  1) 31: 8/5 6/5\n";
    let crawford = |text: &str| {
        let read = MatMatch::read(text).unwrap();
        assert_eq!(MatMatch::read(&read.to_string()).unwrap(), read);
        [0, 1].map(|game| matches!(read.terms(game), Some(Terms::Match(score)) if score.crawford))
    };
    assert_eq!(crawford(points), [true, false]);
    assert_eq!(crawford(&format!("; [Crawford \"Off\"]\n{points}")), [false, false]);

    assert!(MatMatch::read(&format!("; [Variation \"Backgammon\"]\n{money}")).is_ok());
    let refused = |comment: &str| MatMatch::read(&format!("{comment}\n{money}")).unwrap_err().to_string();
    assert_eq!(
        refused("; [Variation \"Nackgammon\"]"),
        "line 1: '[Variation \"Nackgammon\"]': expected [Variation \"Backgammon\"]"
    );
    assert!(refused("; Set Pos=-a-B--E-B-a-dDB--b-bcb----/0").contains("expected games that begin with the usual"));
}

/// As eXtreme Gammon writes a game that somebody gave up after a roll, and a play that was the only one.
#[test]
fn plays_that_are_not_written_are_known_or_end_the_game() {
    let text = " 0 point match\n\n Game 1\n a : 0 b : 0\n  1) 31: 8/5 6/5      64: ????\n      Wins 1 point\n";
    let read = MatMatch::read(text).unwrap();
    assert_eq!((read.games[0].plays().count(), read.games[0].won), (1, Some((Side::First, 1))));
}

/// What is left of a match when plays are not written that were the only ones, and how many these are.
fn without_only_plays(written: &MatMatch) -> (String, usize) {
    let mut moves = Vec::new();
    let mut is_only = written.games.iter().flat_map(MatGame::plays).map(|(position, _)| {
        position.legal_moves(&mut moves);
        moves.len() == 1
    });
    let (mut text, mut blank, mut left_out) = (String::new(), false, 0);
    for word in written.to_string().split_inclusive(char::is_whitespace) {
        if word.trim_end().strip_suffix(':').is_some_and(|dice| dice.parse::<u8>().is_ok()) {
            blank = is_only.next().unwrap();
            left_out += usize::from(blank);
        }
        let blanked = |c: char| if c.is_whitespace() { c } else { ' ' };
        text.extend(word.chars().map(|c| if blank && word.contains('/') { blanked(c) } else { c }));
    }
    (text, left_out)
}

#[test]
fn the_only_play_need_not_be_written() {
    let mut all = 0;
    for seed in 0..40 {
        let games = vec![random_game(&mut stream(seed, 0))];
        let written = MatMatch { length: 0, games, ..MatMatch::default() };
        let (text, left_out) = without_only_plays(&written);
        let read = MatMatch::read(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(boards(&read.games[0]), boards(&written.games[0]), "{text}");
        all += left_out;
    }
    assert!(all > 40, "{all}");
}

#[test]
fn who_beavers_takes_and_the_doubler_rolls() {
    let read = MatMatch::read(BEAVER).unwrap();
    let (ada, bob) = (Side::First, Side::Second);
    assert_eq!(read.games[0].actions[1..3], [(bob, Action::Double(2)), (ada, Action::Beaver(4))]);
    assert_eq!(read.games[0].plays().count(), 3);
    assert_eq!(read.terms(0), Some(Terms::Money { jacoby: false, beavers: true }));
    assert_eq!(MatMatch::read(&read.to_string()).unwrap(), read);
    for (found, instead, line, part) in [
        ("Beavers => 4", "Beavers", 6, "expected 'Beavers => 4'"),
        ("0 point match", "3 point match", 6, "a beaver in a match"),
        ("Doubles => 2", "21: 6/5 24/22", 6, "'Beavers => 4'"),
        ("66: 24/18 24/18 13/7 13/7", "Takes", 6, "nobody has doubled"),
        ("Beavers => 4", "Beavers => 8", 6, "expected 4"),
        ("66: 24/18 24/18 13/7 13/7", "Beavers => 8", 6, "raccoons"),
        ("Doubles => 2", "Doubles => 6", 5, "expected a power of two"),
    ] {
        let error = MatMatch::read(&BEAVER.replacen(found, instead, 1)).unwrap_err();
        assert!(error.line == line && error.problem.contains(part), "{instead}: {error}");
    }
}

/// GNU Backgammon leaves no space behind a name that is too long for its column.
#[test]
fn names_are_told_apart_however_long_they_are() {
    let read = |line: &str| {
        let text = format!(" 3 point match\n\n Game 1\n {line}\n  1) 31: 8/5 6/5\n");
        MatMatch::read(&text).map(|read| (read.games[0].players.clone(), read.games[0].score))
    };
    for (line, players, score) in [
        ("MaximilianaRosenkrantzvonGu : 0Bob : 0", ["MaximilianaRosenkrantzvonGu", "Bob"], [0, 0]),
        ("MaximilianaRosenkrantzvonGu : 1Bob : x : 2", ["MaximilianaRosenkrantzvonGu", "Bob : x"], [1, 2]),
        ("a : 1 b : 2", ["a", "b"], [1, 2]),
        ("x : y : 1  7up : 2", ["x : y", "7up"], [1, 2]),
    ] {
        assert_eq!(read(line).unwrap(), (players.map(String::from), score), "{line}");
    }
    for line in ["Ada : Bob : 0", "Ada : 0", "Ada : 0Bob", "Ada : 0Bob : x", ""] {
        assert!(read(line).is_err(), "{line}");
    }
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (found, instead, line, part) in [
        (" 5 point match", " 5 points", 3, "expected '5 point match'"),
        (" Game 2", " Game two", 15, "expected 'Game 1'"),
        (" Ada : 0                        Bob:2nd : 2", " Ada 0 and Bob", 16, "expected both players"),
        ("31: 8/5 6/5\n", "31: 8/5 6/4\n", 17, "no legal play"),
        ("31: 8/5 6/5\n", "37: 8/5 6/5\n", 17, "expected a roll"),
        ("31: 8/5 6/5\n", "31: eight\n", 17, "8/5 6/5"),
        ("Cannot Move", "8/2        ", 8, "no legal play"),
        ("Takes", "21: 6/5", 9, "expected Takes or Drops"),
        ("Takes", "Drops", 10, "the game is over"),
        ("24/18(2) 13/7(2)\n", "\n  3)                             66:\n", 19, "the game is over"),
        ("  3)  Doubles => 2                Takes", "  3)  Takes", 9, "nobody has doubled"),
        ("  4) 23:", "  4)                                 21:", 10, "the other player is to move"),
        ("  4) 23:", "  4) well: 21:", 10, "well"),
        ("  4) 23:", "  x) 21:", 10, "expected a numbered line"),
        ("Wins 2 points", "Wins some", 13, "expected 'Wins 2 points'"),
        ("Wins 2 points", "Wins 7 points", 13, "expected 1 to 6 points"),
        ("Wins 2 points", "Wins 0 points", 13, "expected 1 to 6 points"),
        ("  1)                             31: 8/5 6/5", "  1)  Doubles => 2", 17, "before the first roll"),
        ("Doubles => 2", "Doubles => 4", 9, "expected 2"),
        ("Doubles => 4", "Doubles => 8", 11, "expected 4"),
        ("Doubles => 4", "Doubles => -4", 11, "expected 'Doubles => 2'"),
        ("31: 8/5 6/5                  Doubles => 4", "Doubles => 4", 11, "the cube is the other player's"),
    ] {
        let text = MATCH.replacen(found, instead, 1);
        assert_ne!(text, MATCH, "{found}");
        let error = MatMatch::read(&text).unwrap_err();
        assert_eq!(error.line, line, "{instead}: {error}");
        assert!(error.problem.contains(part) && !error.problem.contains('\n'), "{instead}: {error}");
    }
    assert!(MatMatch::read("").unwrap_err().to_string().contains("no match"));
    assert!(MatMatch::read(" 1 point match\n Game 1\n").unwrap_err().to_string().contains("the names of the players"));
}

/// A game with random plays, up to a point.
fn random_game(rng: &mut Rng) -> MatGame {
    let (mut game, mut moves, mut actions) = (Backgammon::new(), Vec::new(), Vec::new());
    let length = below(rng, 150);
    let won = loop {
        match game.phase() {
            Phase::Over(outcome) => break outcome.winner.map(|winner| (winner, u32::from(outcome.stake))),
            Phase::ToPlay(side, dice) if actions.len() < length as usize => {
                game.legal_moves(&mut moves);
                let mv = moves[below(rng, moves.len() as u32) as usize];
                let Move::Play(play) = mv else { panic!("{mv:?} is no play") };
                actions.push((side, Action::Play(dice, play)));
                game.play(mv);
            }
            Phase::ToPlay(side, _) => {
                if actions.is_empty() || below(rng, 2) == 0 {
                    break None;
                }
                actions.extend([(side, Action::Double(2)), (side.other(), Action::Drop)]);
                break Some((side, 1));
            }
            _ => game.play(game.roll(rng)),
        }
    };
    MatGame { players: ["left one".into(), "right".into()], score: [below(rng, 9), below(rng, 9)], actions, won }
}

/// Where the men are after each play.
fn boards(game: &MatGame) -> Vec<Board> {
    game.plays().map(|(position, _)| *position.board()).collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(seed in any::<u64>(), games in 0usize..4, length in 0u32..26) {
        let mut rng = stream(seed, 0);
        let games = (0..games).map(|_| random_game(&mut rng)).collect();
        let written = MatMatch { length, games, ..MatMatch::default() };
        let read = MatMatch::read(&written.to_string()).unwrap();
        prop_assert_eq!(read.length, length);
        for (read, written) in read.games.iter().zip(&written.games) {
            prop_assert_eq!(boards(read), boards(written));
            prop_assert_eq!((&read.players, read.score, read.won), (&written.players, written.score, written.won));
        }
        // Plays may be of the same men in another order; once read they stay as they are.
        prop_assert_eq!(&MatMatch::read(&read.to_string()).unwrap(), &read);
    }

    #[test]
    fn nonsense_is_refused_without_a_panic(at in 0usize..400, cut in 0usize..40, insert in ".{0,12}") {
        let (from, to) = (at.min(MATCH.len()), (at + cut).min(MATCH.len()));
        let text = format!("{}{insert}{}", &MATCH[..from], &MATCH[to..]);
        if let Err(error) = MatMatch::read(&text) {
            prop_assert!(!error.to_string().contains('\n'));
        }
    }
}
