//! The rules of backgammon and its position IDs against an independent program: GNU Backgammon 1.07, asked at its command line.
//!
//! All positions are written in one go and the answers read afterwards, so that ten thousand of them take seconds.

#[path = "support/gnubg.rs"]
mod gnubg;
mod support;

use afterstate_games::backgammon::ids::PositionId;
use afterstate_games::backgammon::mat::{Action, MatMatch};
use afterstate_games::backgammon::match_id::{GameState, MatchId};
use afterstate_games::backgammon::{BAR, Backgammon, Board, Dice, Move, POINTS, Phase, Play};
use afterstate_games::rng::{below, stream};
use afterstate_games::{Game, Notation, Side, Turn, playout::draw_chance};
use gnubg::ask;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How people like a board that a play of `side` leads to: points made, and nobody left alone where he can be hit.
fn soundness(board: &Board, side: Side) -> i32 {
    let behind = (0..POINTS).rev().find(|&place| board.men(side.other(), place) > 0).unwrap_or(0);
    let bar = i32::from(board.men(side.other(), BAR));
    let on_points = (0..POINTS).map(|place| match board.men(side, place) {
        0 => 0,
        // A man of the other side is further back than this one.
        1 if bar > 0 || POINTS - 1 - place < behind => -2,
        1 => 0,
        men => 3 + i32::from(place < 6) - (i32::from(men) - 3).max(0),
    });
    on_points.sum::<i32>() + 2 * bar + i32::from(board.off(side))
}

/// How games are played.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// As people play.
    Sound,
    /// By plays that hit, so that more men are on the bar.
    Hits,
    Random,
}

/// Positions of such games in which a side is to play a roll.
fn positions(style: Style, count: usize) -> Vec<Backgammon> {
    let (mut found, mut moves, mut chances) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0.. {
        let mut rng = stream(6 + style as u64, index);
        let mut game = Backgammon::new();
        loop {
            match game.turn() {
                Turn::Over(_) => break,
                Turn::Chance => {
                    game.chance_outcomes(&mut chances);
                    let roll = draw_chance(&chances, &mut rng);
                    game.play(roll);
                }
                Turn::Player(side) => {
                    if found.len() == count {
                        return found;
                    }
                    found.push(game);
                    game.legal_moves(&mut moves);
                    let hits = |&mv: &Move| game.move_text(mv).contains('*');
                    let sound = |&mv: &Move| {
                        let mut after = game;
                        after.play(mv);
                        soundness(after.board(), side)
                    };
                    let random = moves[below(&mut rng, moves.len() as u32) as usize];
                    let chosen = match style {
                        Style::Sound => moves.iter().copied().max_by_key(sound),
                        Style::Hits => moves.iter().copied().find(hits),
                        Style::Random => None,
                    };
                    game.play(chosen.unwrap_or(random));
                }
            }
        }
    }
    found
}

#[test]
fn plays_and_position_ids_are_those_of_gnu_backgammon() {
    let Some(program) = support::find("gnubg", "plays_and_position_ids_are_those_of_gnu_backgammon") else { return };
    let mut positions = positions(Style::Sound, 10_000);
    positions.extend([Style::Hits, Style::Random].into_iter().flat_map(|style| self::positions(style, 2_500)));
    assert!(positions.iter().any(|game| game.turn() == Turn::Player(Side::Second)));
    let plays: usize = std::thread::scope(|scope| {
        let halves = positions.chunks(7_500).map(|half| scope.spawn(|| compare(&program, half))).collect::<Vec<_>>();
        halves.into_iter().map(|half| half.join().expect("the comparison panicked")).sum()
    });
    assert!(plays > 200_000, "{plays} plays were compared");
}

/// Compares all plays of these positions, and returns how many there are.
fn compare(program: &Path, positions: &[Backgammon]) -> usize {
    let mut commands = "set player 0 human\nset player 1 human\nnew session\n".to_string();
    // Only the list of plays is wanted, not what they are worth.
    commands += "set evaluation chequerplay evaluation plies 0\nset evaluation chequerplay evaluation cubeful off\n";
    for game in positions {
        let Phase::ToPlay(side, dice) = game.phase() else { panic!("somebody is to play") };
        let (high, low) = dice.numbers();
        let id = PositionId::of(game.board(), side);
        commands += &format!("set turn 1\nset board {id}\nset dice {high} {low}\nhint 5000\n");
    }
    let text = ask(program, commands);
    let answers: Vec<&str> = text.split("The dice have been set to ").skip(1).collect();
    assert_eq!(answers.len(), positions.len(), "answers");
    let (mut before, mut plays) = (text.split("The dice have been set to ").next().unwrap_or_default(), 0);
    for (game, answer) in positions.iter().zip(answers) {
        let Phase::ToPlay(side, _) = game.phase() else { panic!("somebody is to play") };
        // The board is shown between the answer to the last question and this one.
        let shown = before.rsplit("Position ID: ").next().and_then(|rest| rest.lines().next());
        assert_eq!(shown, Some(PositionId::of(game.board(), side).to_string().as_str()), "{}", game.diagram());
        let read = shown.and_then(|id| id.parse::<PositionId>().ok()).and_then(|id| id.board(side));
        assert_eq!(read, Some(*game.board()));
        before = answer;

        let theirs: BTreeSet<String> = answer
            .lines()
            .filter_map(|line| line.split_once("-ply")?.1.split_once("Eq.:"))
            .map(|(play, _)| play.trim().to_string())
            .collect();
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        moves.retain(|&mv| mv != Move::Play(Play::NOTHING));
        let ours: BTreeSet<String> = moves.iter().map(|&mv| game.move_text(mv)).collect();
        assert_eq!(theirs, ours, "{}{}\n{answer}", game.diagram(), game.position_text());
        plays += ours.len();
        for text in theirs {
            assert!(moves.contains(&game.parse_move(&text).unwrap()), "{text}");
        }
    }
    plays
}

#[test]
fn matches_of_gnu_backgammon_are_read_and_written_as_it_does() {
    let Some(program) = support::find("gnubg", "matches_of_gnu_backgammon_are_read_and_written_as_it_does") else {
        return;
    };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let [theirs, ours, again] = ["theirs.mat", "ours.mat", "again.mat"].map(|name| folder.join(name));
    let export = |path: &PathBuf| format!("export match mat \"{}\"\n", path.display());
    let play = "set automatic game on\nset automatic roll on\nset automatic move on\nset display off\n\
                set player 0 gnubg\nset player 1 gnubg\nset seed 11\nnew match 7\n";
    // Lines without comments, and without steps: which of a play's two men goes first is a matter of taste.
    let frame = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with(';') && !line.trim().is_empty());
        let words =
            |line: &str| line.split_whitespace().filter(|word| !word.contains('/')).collect::<Vec<_>>().join(" ");
        lines.map(words).collect()
    };
    ask(&program, format!("{play}{}", export(&theirs)));
    let text = std::fs::read_to_string(&theirs).expect("gnubg writes its match");
    let read = MatMatch::read(&text).expect("a match of gnubg's is understood");
    assert!(read.length == 7 && !read.games.is_empty());
    let doubles =
        read.games.iter().flat_map(|game| &game.actions).filter(|(_, action)| matches!(action, Action::Double(_)));
    assert!(doubles.count() > 0);
    assert_eq!(frame(&read.to_string()), frame(&text));
    // And it reads that.
    std::fs::write(&ours, read.to_string()).expect("a file in the tests' folder");
    ask(&program, format!("import mat \"{}\"\n{}", ours.display(), export(&again)));
    let returned = std::fs::read_to_string(&again).expect("gnubg writes what it has read");
    assert_eq!(MatMatch::read(&returned).expect("it is understood again"), read);

    // Names of agents, and a session with a beaver.
    let session = " 0 point match\n\n Game 1\n Ada : 0                      Bob : 0\n  1) 31: 8/5 6/5                  Doubles => 2\n  \
                   2)  Beavers => 4               66: 24/18 24/18 13/7 13/7\n  3) 21: 13/11 24/23\n";
    let mut session = MatMatch::read(session).expect("a session");
    session.games[0].players = ["greedy:runs/weak@2000".into(), "gnubg:0".into()];
    std::fs::write(&ours, session.to_string()).expect("a file in the tests' folder");
    std::fs::remove_file(&again).expect("gnubg wrote it");
    ask(&program, format!("import mat \"{}\"\n{}", ours.display(), export(&again)));
    let returned = std::fs::read_to_string(&again).expect("gnubg writes what it has read");
    session.games[0].players = ["greedy runs/weak@2000".into(), "gnubg 0".into()];
    let returned = MatMatch::read(&returned).expect("it is understood again");
    assert_eq!(
        (&returned.games[0].players, &returned.games[0].actions),
        (&session.games[0].players, &session.games[0].actions)
    );
}

#[test]
fn match_ids_are_those_of_gnu_backgammon() {
    let Some(program) = support::find("gnubg", "match_ids_are_those_of_gnu_backgammon") else { return };
    let (mut rng, mut commands, mut asked) = (stream(4, 0), String::from("new match 7\n"), Vec::new());
    for _ in 0..200 {
        let mut one_of = |count: u32| below(&mut rng, count);
        let length = 2 + one_of(20);
        let (score, on_roll) = ([one_of(length), one_of(length)], one_of(2) as usize);
        let (cube, one, other) = (one_of(4), one_of(6) as u8 + 1, one_of(6) as u8 + 1);
        // It tells the larger number first.
        let dice = Dice::new(one.max(other), one.min(other));
        let id = MatchId {
            cube: 1 << cube,
            cube_owner: (cube > 0).then(|| one_of(2) as usize),
            on_roll,
            crawford: false,
            state: GameState::Playing,
            to_decide: on_roll,
            doubled: false,
            resigns: 0,
            dice: dice.filter(|_| one_of(3) > 0),
            length,
            score,
            jacoby: true,
        };
        commands += &format!("set matchid {id}\nshow board\n");
        asked.push(id.to_string());
    }
    let said = ask(&program, commands);
    let said: Vec<&str> =
        said.lines().filter_map(|line| line.split_once("Match ID   : ")).map(|found| found.1).collect();
    // The first boards are those of the match's own beginning.
    let found: Vec<&str> = said.iter().map(|id| id.trim()).filter(|id| asked.iter().any(|asked| asked == id)).collect();
    let missing: Vec<&String> = asked.iter().filter(|id| !found.contains(&id.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}, for example {:?}", missing[0].parse::<MatchId>());
}
