//! One game between two players, from the opening to a reasoned result.
//!
//! Nothing that a player does stops the loop: crashes, hangs, panics, illegal moves and flag falls all
//! end as a lost game whose [`Ending`] says why.

use crate::adjudication::Adjudication;
use crate::clock::{Clock, TimeControl};
use crate::player::{Player, PlayerError};
use crate::referee::{Referee, Verdict};
use afterstate_engine::{Decision, Value};
use afterstate_games::playout::draw_chance;
use afterstate_games::rng::{mix, stream};
use afterstate_games::{Game, Notation, Outcome, Record, Side, Turn};
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How a game is played, besides by whom.
#[derive(Clone, Debug)]
pub struct GameRules {
    /// Both sides' time.
    pub time: TimeControl,
    /// How far a move may exceed its time without losing.
    pub lag: Duration,
    /// The game is stopped and judged after so many moves, opening included.
    pub move_limit: usize,
    /// When the players' agreement ends the game.
    pub adjudication: Adjudication,
    /// Seeds the players.
    pub seed: u64,
    /// Seeds the dice: games with the same get the same throws, one after the other.
    pub dice: u64,
    /// Set by whoever wants the game abandoned.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for GameRules {
    fn default() -> Self {
        GameRules {
            time: TimeControl::None,
            lag: Duration::from_millis(500),
            move_limit: 1000,
            adjudication: Adjudication::default(),
            seed: 0,
            dice: 0,
            stop: None,
        }
    }
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// By the rules of the game.
    Rules,
    /// At the move limit.
    MoveLimit,
    /// The loser resigned.
    Resignation,
    /// Both players agreed on the result for as long as [`GameRules::adjudication`] says.
    Adjudication,
    /// The loser played a move that the rules or superko forbid.
    IllegalMove,
    /// The loser ran out of time.
    Time,
    /// The loser's program ended, or panicked.
    Crash,
    /// The loser did not answer.
    Hang,
    /// The loser broke its protocol.
    Garbage,
    /// The loser could not be started.
    NotStarted,
}

impl EndKind {
    /// Whether the loser was at fault as a program, so that the result says little about its play.
    pub fn is_fault(self) -> bool {
        !matches!(self, EndKind::Rules | EndKind::MoveLimit | EndKind::Resignation | EndKind::Adjudication)
    }

    /// Whether the position decided, by itself or by somebody's judgement, so that the outcome says something of it.
    pub fn is_on_the_board(self) -> bool {
        !self.is_fault() && self != EndKind::Resignation
    }
}

/// Why a game ended, with what is known about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// In one word.
    pub kind: EndKind,
    /// In a sentence for people; empty if there is nothing to add.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What a player had to say about its move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MoveNote {
    /// Thinking time in seconds.
    pub seconds: f64,
    /// What it thought the position worth (for the first player, as always). In backgammon it is no chance to win, but what the first
    /// player expects, between losing (0) and winning (1) a backgammon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Positions or simulations that it looked at.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub effort: u64,
    /// How deep it looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// In how many moves of both sides it saw the game end, with a sure win of the side that `value` favours.
    #[serde(default, alias = "plies_to_end", skip_serializing_if = "Option::is_none")]
    pub plies_to_end: Option<u32>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// Who won.
    pub outcome: Outcome,
    /// Why it ended.
    pub ending: Ending,
    /// Every move, opening and dice included, in the game's notation.
    pub moves: Vec<String>,
    /// How many of them were the opening's.
    pub opening: usize,
    /// One entry for each move after the opening, `None` for chance; none at all where they were not kept.
    pub notes: Vec<Option<MoveNote>>,
    /// Seconds that each side used, first player first.
    pub seconds: [f64; 2],
    /// The referee's count, of games that were judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

impl GameResult {
    /// Whether there was a game: where neither side could start, nobody won, lost or drew.
    pub fn counts(&self) -> bool {
        self.ending.kind != EndKind::NotStarted || self.outcome != Outcome::DRAW
    }
}

/// Plays a game from `start` after the `opening` moves. `None` means that somebody set `rules.stop`.
///
/// `players[0]` plays the first side. The opening must be legal; it stops early at the first move
/// that is not.
///
/// ```
/// use afterstate_arena::game_loop::{EndKind, GameRules, play_game};
/// use afterstate_arena::{RandomPlayer, RulesReferee};
/// # use afterstate_games::go::Go;
/// let (mut a, mut b) = (RandomPlayer::default(), RandomPlayer::default());
/// let result = play_game(&Go::new(5), &[], [&mut a, &mut b], &mut RulesReferee, &GameRules::default());
/// assert_eq!(result.unwrap().ending.kind, EndKind::Rules);
/// ```
pub fn play_game<G: Notation>(
    start: &G,
    opening: &[G::Move],
    players: [&mut dyn Player<G>; 2],
    referee: &mut dyn Referee<G>,
    rules: &GameRules,
) -> Option<GameResult> {
    let mut table = Table::new(start, opening, rules);
    let mut players = players;
    let (outcome, ending, verdict) = match table.play(&mut players, rules)? {
        Stop::Judged(kind) => {
            let (verdict, detail) = judge(referee, &table.record);
            (verdict.outcome, Ending { kind, detail }, Some(verdict))
        }
        Stop::Decided(outcome, ending) => (outcome, ending, None),
    };
    for player in &mut players {
        // The game is over: what a player does with the news cannot change it.
        let _ = guarded(|| {
            match ending.kind.is_on_the_board() {
                true => player.game_over(&table.record, outcome),
                false => player.broken_off(&table.record, outcome),
            }
            Ok(())
        });
    }
    let verdict = verdict.filter(|verdict| verdict.score.is_some() || verdict.note.is_some());
    let seconds = table.used.map(|time| time.as_secs_f64());
    Some(GameResult {
        outcome,
        ending,
        moves: table.texts,
        opening: table.opening,
        notes: table.notes,
        seconds,
        verdict,
    })
}

/// How the playing stopped.
enum Stop {
    /// The referee decides.
    Judged(EndKind),
    Decided(Outcome, Ending),
}

fn lost(loser: Side, kind: EndKind, detail: impl Into<String>) -> Option<Stop> {
    Some(Stop::Decided(Outcome::win(loser.other()), Ending { kind, detail: detail.into() }))
}

struct Table<G: Notation> {
    record: Record<G>,
    texts: Vec<String>,
    opening: usize,
    notes: Vec<Option<MoveNote>>,
    clocks: [Clock; 2],
    used: [Duration; 2],
}

impl<G: Notation> Table<G> {
    fn new(start: &G, opening: &[G::Move], rules: &GameRules) -> Self {
        let clock = Clock::new(rules.time, rules.lag);
        let mut table = Table {
            record: Record::new(start.clone()),
            texts: Vec::new(),
            opening: 0,
            notes: Vec::new(),
            clocks: [clock.clone(), clock],
            used: [Duration::ZERO; 2],
        };
        for &mv in opening {
            let legal = match table.record.turn() {
                Turn::Player(_) => table.record.is_legal(mv),
                Turn::Chance => chances(table.record.position()).iter().any(|&(outcome, _)| outcome == mv),
                Turn::Over(_) => false,
            };
            if !legal {
                break;
            }
            table.record_move(mv);
        }
        table.opening = table.texts.len();
        table
    }

    fn record_move(&mut self, mv: G::Move) {
        self.texts.push(self.record.position().move_text(mv));
        self.record.play(mv);
    }

    /// Plays on until the game stops; `None` if it was abandoned.
    fn play(&mut self, players: &mut [&mut dyn Player<G>; 2], rules: &GameRules) -> Option<Stop> {
        if let Some(stop) = self.seat(players, rules)? {
            return Some(stop);
        }
        let mut dice = stream(rules.dice, 2);
        loop {
            if stopped(rules) {
                return None;
            }
            let mv = match self.record.turn() {
                Turn::Over(_) => return Some(Stop::Judged(EndKind::Rules)),
                _ if self.texts.len() >= rules.move_limit => return Some(Stop::Judged(EndKind::MoveLimit)),
                Turn::Chance => {
                    self.notes.push(None);
                    draw_chance(&chances(self.record.position()), &mut dice)
                }
                Turn::Player(side) => match self.ask(side, players, rules)? {
                    Ok(mv) => mv,
                    Err(stop) => return Some(stop),
                },
            };
            self.record_move(mv);
            let is_over = matches!(self.record.turn(), Turn::Over(_));
            for side in [Side::First, Side::Second] {
                let player = &mut players[side.index()];
                let heard = guarded(|| player.move_played(&self.record));
                // Of a game that is over, what a player does with the news cannot change the result.
                if let Err(error) = heard
                    && !is_over
                {
                    return fault(side, error, rules);
                }
            }
            if !is_over && let Some((outcome, detail)) = rules.adjudication.decide(&self.notes, self.texts.len()) {
                return Some(Stop::Decided(outcome, Ending { kind: EndKind::Adjudication, detail }));
            }
        }
    }

    /// Tells both players that a game begins.
    #[expect(clippy::option_option, reason = "abandoned, or stopped already, or ready to play")]
    fn seat(&mut self, players: &mut [&mut dyn Player<G>; 2], rules: &GameRules) -> Option<Option<Stop>> {
        let mut errors = Vec::new();
        for side in [Side::First, Side::Second] {
            let seed = mix(rules.seed ^ mix(side.index() as u64 + 1));
            let player = &mut players[side.index()];
            if let Err(error) = guarded(|| player.new_game(&self.record, seed)) {
                errors.push((side, error));
            }
        }
        if errors.is_empty() {
            return Some(None);
        }
        if let [(_, first), (_, second)] = &errors[..]
            && !stopped(rules)
        {
            let detail = format!("neither could start; first: {first}; second: {second}");
            return Some(Some(Stop::Decided(Outcome::DRAW, Ending { kind: EndKind::NotStarted, detail })));
        }
        let (side, error) = errors.remove(0);
        fault(side, error, rules).map(Some)
    }

    /// Lets a player choose. `None` means abandoned, an error that the game is over.
    fn ask(
        &mut self,
        side: Side,
        players: &mut [&mut dyn Player<G>; 2],
        rules: &GameRules,
    ) -> Option<Result<G::Move, Stop>> {
        let player = &mut players[side.index()];
        let clock = &mut self.clocks[side.index()];
        let begin = Instant::now();
        let mut budget = clock.budget(begin);
        budget.stop.clone_from(&rules.stop);
        let answer = guarded(|| {
            player.clocks(&self.clocks);
            player.choose(&self.record, &budget)
        });
        let thought = begin.elapsed();
        if stopped(rules) {
            return None;
        }
        self.used[side.index()] += thought;
        let number = self.texts.len() + 1;
        if let Err(fall) = self.clocks[side.index()].spend(thought) {
            let error = answer.err().map_or_else(String::new, |error| format!("; {error}"));
            return lost(side, EndKind::Time, format!("move {number}: {fall}{error}")).map(Err);
        }
        let decision: Decision<G::Move> = match answer {
            Ok(decision) => decision,
            Err(error) => return fault(side, error, rules).map(Err),
        };
        let Some(mv) = decision.best else {
            return lost(side, EndKind::Resignation, format!("move {number}")).map(Err);
        };
        if !self.record.is_legal(mv) {
            let why = if self.record.position().is_legal(mv) { "repeats a position" } else { "is illegal" };
            return lost(
                side,
                EndKind::IllegalMove,
                format!("move {number}: {} {why}", illegal_text(&self.record, mv)),
            )
            .map(Err);
        }
        self.notes.push(Some(MoveNote {
            seconds: (thought.as_secs_f64() * 1e6).round() / 1e6,
            value: decision.value,
            effort: decision.effort,
            depth: decision.depth,
            plies_to_end: decision.plies_to_end,
        }));
        Some(Ok(mv))
    }
}

/// The text of a move that need not make sense here; a notation may give up on such a move.
fn illegal_text<G: Notation>(record: &Record<G>, mv: G::Move) -> String {
    catch_unwind(AssertUnwindSafe(|| record.position().move_text(mv))).unwrap_or_else(|_| format!("{mv:?}"))
}

fn stopped(rules: &GameRules) -> bool {
    rules.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

fn chances<G: Game>(game: &G) -> Vec<(G::Move, f32)> {
    let mut outcomes = Vec::new();
    game.chance_outcomes(&mut outcomes);
    outcomes
}

/// A player's error as a lost game, or as an abandoned one.
fn fault(loser: Side, error: PlayerError, rules: &GameRules) -> Option<Stop> {
    if stopped(rules) || error == PlayerError::Interrupted {
        return None;
    }
    let (kind, detail) = match error {
        PlayerError::Crashed(detail) => (EndKind::Crash, detail),
        PlayerError::Hung(detail) => (EndKind::Hang, detail),
        PlayerError::Garbage(detail) => (EndKind::Garbage, detail),
        PlayerError::NotStarted(detail) => (EndKind::NotStarted, detail),
        PlayerError::Interrupted => return None,
    };
    lost(loser, kind, detail)
}

/// Calls a player, and turns a panic in it into a crash of that player alone.
fn guarded<T>(call: impl FnOnce() -> Result<T, PlayerError>) -> Result<T, PlayerError> {
    // The player is asked nothing more in this game, so what the panic left behind in it does not matter.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".into());
        Err(PlayerError::Crashed(format!("panicked: {text}")))
    })
}

/// The referee's verdict, or the rules' own when the referee fails.
fn judge<G: Game>(referee: &mut dyn Referee<G>, record: &Record<G>) -> (Verdict, String) {
    match guarded(|| referee.judge(record)) {
        Ok(verdict) => (verdict, String::new()),
        Err(error) => {
            let outcome = match record.turn() {
                Turn::Over(outcome) => outcome,
                _ => Outcome::DRAW,
            };
            let note = format!("the referee failed ({error}); the rules decided");
            (Verdict { outcome, score: None, plain_score: None, note: Some(note.clone()) }, note)
        }
    }
}
