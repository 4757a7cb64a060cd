//! The game loop: every way for a game to end, and who gets the blame.

use afterstate_arena::game_loop::{EndKind, GameResult, GameRules, play_game};
use afterstate_arena::{AreaReferee, Player, PlayerError, RandomPlayer, Referee, RulesReferee, Verdict};
use afterstate_engine::{Budget, Decision, Value};
use afterstate_games::go::{Go, Move, Point};
use afterstate_games::{Game, Outcome, Record, Side, Turn};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Does what a function says.
struct Does<F>(F);

impl<F: FnMut(&Record<Go>, &Budget) -> Result<Decision<Move>, PlayerError> + Send> Player<Go> for Does<F> {
    fn new_game(&mut self, _record: &Record<Go>, _seed: u64) -> Result<(), PlayerError> {
        Ok(())
    }
    fn choose(&mut self, record: &Record<Go>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        (self.0)(record, budget)
    }
}

fn at(x: usize, y: usize) -> Move {
    Move::play(Point::at(x, y, 5))
}

fn against_random(
    rules: &GameRules,
    choose: impl FnMut(&Record<Go>, &Budget) -> Result<Decision<Move>, PlayerError> + Send,
) -> Option<GameResult> {
    let mut random = RandomPlayer::default();
    play_game(&Go::new(5), &[], [&mut random, &mut Does(choose)], &mut RulesReferee, rules)
}

fn blamed(result: &GameResult, kind: EndKind) -> &str {
    assert_eq!(result.ending.kind, kind, "{:?}", result.ending);
    assert_eq!(result.outcome, Outcome::win(Side::First), "the second player is to blame");
    &result.ending.detail
}

#[test]
fn an_occupied_point_loses() {
    let result = against_random(&GameRules::default(), |record, _| Ok(Decision::play(record.moves()[0]))).unwrap();
    let detail = blamed(&result, EndKind::IllegalMove);
    assert!(detail.contains("move 2") && detail.contains("illegal"), "{detail}");
    assert_eq!(result.moves.len(), 1, "the illegal move is not part of the game");
}

#[test]
fn a_superko_violation_loses() {
    // "Send two, return one": White takes two stones at the edge, and taking back the one that did it
    // would recreate the position before. Simple ko does not forbid that.
    let opening = [at(1, 0), at(0, 1), at(2, 1), at(1, 1), at(3, 0), at(4, 4), at(0, 0), at(2, 0)];
    let mut black = Does(|record: &Record<Go>, _: &Budget| {
        assert!(record.position().is_legal(at(1, 0)), "the position alone allows it");
        Ok(Decision::play(at(1, 0)))
    });
    let mut white = RandomPlayer::default();
    let rules = GameRules::default();
    let result = play_game(&Go::new(5), &opening, [&mut black, &mut white], &mut RulesReferee, &rules).unwrap();
    assert_eq!(result.opening, 8);
    assert_eq!((result.ending.kind, result.outcome), (EndKind::IllegalMove, Outcome::win(Side::Second)));
    assert!(result.ending.detail.contains("B1 repeats a position"), "{}", result.ending.detail);
}

#[test]
fn a_panic_is_the_players_own_crash() {
    let result = against_random(&GameRules::default(), |_, _| panic!("index 12 out of range")).unwrap();
    assert!(blamed(&result, EndKind::Crash).contains("index 12 out of range"));
}

#[test]
fn resigning_loses_and_notes_survive() {
    let mut moves = 0;
    let result = against_random(&GameRules::default(), |record, _| {
        moves += 1;
        let mut legal = Vec::new();
        record.legal_moves(&mut legal);
        let decision = Decision { value: Some(Value(0.25)), effort: 9, depth: Some(2), ..Decision::play(legal[0]) };
        Ok(if moves < 3 { decision } else { Decision::resign() })
    })
    .unwrap();
    blamed(&result, EndKind::Resignation);
    assert_eq!(result.moves.len(), 5);
    assert_eq!(result.notes.len(), 5);
    let note = result.notes[1].as_ref().unwrap();
    assert_eq!((note.value, note.effort, note.depth), (Some(Value(0.25)), 9, Some(2)));
    let json = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<GameResult>(&json).unwrap(), result);
}

#[test]
fn thinking_too_long_loses_on_time() {
    let rules = GameRules { time: "50ms".parse().unwrap(), lag: Duration::ZERO, ..GameRules::default() };
    let mut patient = Does(|_: &Record<Go>, _: &Budget| Ok(Decision::play(Move::PASS)));
    let mut slow = Does(|_: &Record<Go>, budget: &Budget| {
        assert!(budget.deadline.is_some());
        std::thread::sleep(Duration::from_millis(80));
        Ok(Decision::play(Move::PASS))
    });
    let result =
        play_game(&Go::new(5), &[at(0, 0), at(1, 1), at(2, 2)], [&mut patient, &mut slow], &mut RulesReferee, &rules);
    let result = result.unwrap();
    assert_eq!((result.ending.kind, result.outcome), (EndKind::Time, Outcome::win(Side::First)));
    assert!(result.seconds[1] >= 0.08, "{:?}", result.seconds);
}

#[test]
fn simulations_reach_the_player() {
    let rules = GameRules { time: "123sims/move".parse().unwrap(), move_limit: 4, ..GameRules::default() };
    let result = against_random(&rules, |_, budget| {
        assert_eq!((budget.simulations, budget.deadline), (Some(123), None));
        Ok(Decision::play(Move::PASS))
    })
    .unwrap();
    assert_eq!(result.ending.kind, EndKind::MoveLimit, "{:?}", result.ending);
}

#[test]
fn at_the_move_limit_the_referee_decides() {
    let rules = GameRules { move_limit: 1, ..GameRules::default() };
    let mut players = [RandomPlayer::default(), RandomPlayer::default()];
    let mut game = |referee: &mut dyn Referee<Go>| {
        let [a, b] = &mut players;
        play_game(&Go::new(5), &[], [a, b], referee, &rules).unwrap()
    };
    assert_eq!(game(&mut RulesReferee).outcome, Outcome::DRAW);
    // One black stone owns all 25 points: more than komi.
    let result = game(&mut AreaReferee);
    assert_eq!(result.outcome, Outcome::win(Side::First));
    assert_eq!(result.verdict.unwrap().score, Some(17.5));
}

#[test]
fn a_failing_referee_leaves_the_decision_to_the_rules() {
    struct Asleep;
    impl Referee<Go> for Asleep {
        fn judge(&mut self, _record: &Record<Go>) -> Result<Verdict, PlayerError> {
            Err(PlayerError::Hung("zzz".into()))
        }
    }
    let pass = |_: &Record<Go>, _: &Budget| Ok(Decision::play(Move::PASS));
    let result = play_game(&Go::new(5), &[], [&mut Does(pass), &mut Does(pass)], &mut Asleep, &GameRules::default());
    let result = result.unwrap();
    assert_eq!(result.outcome, Outcome::win(Side::Second), "komi decides an empty board");
    assert!(result.ending.detail.contains("zzz"));
}

#[test]
fn both_sides_hear_of_every_move_and_of_the_end() {
    #[derive(Default)]
    struct Listener {
        heard: Arc<Mutex<Vec<String>>>,
    }
    impl Player<Go> for Listener {
        fn new_game(&mut self, record: &Record<Go>, _seed: u64) -> Result<(), PlayerError> {
            self.heard.lock().unwrap().push(format!("new {}", record.moves().len()));
            Ok(())
        }
        fn choose(&mut self, record: &Record<Go>, _budget: &Budget) -> Result<Decision<Move>, PlayerError> {
            self.heard.lock().unwrap().push(format!("choose {}", record.moves().len()));
            Ok(Decision::play(Move::PASS))
        }
        fn move_played(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
            self.heard.lock().unwrap().push(format!("played {}", record.moves().len()));
            Ok(())
        }
        fn game_over(&mut self, record: &Record<Go>, outcome: Outcome) {
            assert_eq!(record.turn(), Turn::Over(outcome));
            self.heard.lock().unwrap().push("over".into());
        }
    }
    let (mut a, mut b) = (Listener::default(), Listener::default());
    play_game(&Go::new(5), &[at(2, 2)], [&mut a, &mut b], &mut RulesReferee, &GameRules::default()).unwrap();
    assert_eq!(*a.heard.lock().unwrap(), ["new 1", "played 2", "choose 2", "played 3", "over"]);
    assert_eq!(*b.heard.lock().unwrap(), ["new 1", "choose 1", "played 2", "played 3", "over"]);
}

#[test]
fn who_fails_at_the_last_move_has_not_lost_by_that() {
    /// Passes, and cannot take the news of a move.
    struct Deaf(usize);
    impl Player<Go> for Deaf {
        fn new_game(&mut self, _record: &Record<Go>, _seed: u64) -> Result<(), PlayerError> {
            Ok(())
        }
        fn choose(&mut self, _record: &Record<Go>, _budget: &Budget) -> Result<Decision<Move>, PlayerError> {
            Ok(Decision::play(Move::PASS))
        }
        fn move_played(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
            if record.moves().len() == self.0 { Err(PlayerError::Crashed("gone".into())) } else { Ok(()) }
        }
    }
    let pass = |_: &Record<Go>, _: &Budget| Ok(Decision::play(Move::PASS));
    let ending = |at: usize| {
        let rules = GameRules::default();
        let game = play_game(&Go::new(5), &[], [&mut Does(pass), &mut Deaf(at)], &mut RulesReferee, &rules).unwrap();
        (game.ending.kind, game.outcome)
    };
    // Two passes end the game, which komi decides for White.
    assert_eq!(ending(2), (EndKind::Rules, Outcome::win(Side::Second)));
    assert_eq!(ending(1), (EndKind::Crash, Outcome::win(Side::First)));
}

#[test]
fn the_stop_flag_abandons_the_game() {
    let stop = Arc::new(AtomicBool::new(false));
    let rules = GameRules { stop: Some(Arc::clone(&stop)), ..GameRules::default() };
    let result = against_random(&rules, |_, budget| {
        stop.store(true, Ordering::Relaxed);
        assert!(budget.expired(), "players see the flag");
        Ok(Decision::resign())
    });
    assert_eq!(result, None, "a player that gives up because of the flag has not resigned");
}

#[test]
fn an_opening_stops_at_an_illegal_move() {
    let pass = |_: &Record<Go>, _: &Budget| Ok(Decision::play(Move::PASS));
    let opening = [at(0, 0), at(0, 0), at(1, 1)];
    let result =
        play_game(&Go::new(5), &opening, [&mut Does(pass), &mut Does(pass)], &mut RulesReferee, &GameRules::default());
    assert_eq!(result.unwrap().opening, 1);
}
