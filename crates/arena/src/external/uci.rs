//! A chess program that speaks UCI, as a [`Player`].
//!
//! Whatever the program does — crash, hang, print garbage or without end — ends as a
//! [`PlayerError`] within the [`Limits`], with the program gone.

use super::engine::{Engine, Limits, shown, unusable};
use super::uci_option::UciOption;
use crate::clock::{Clock, TimeControl};
use crate::player::{Player, PlayerError};
use afterstate_engine::value::centipawns::winning_chance;
use afterstate_engine::{Budget, Decision, Value};
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Game, Notation, Outcome, Record, Side};
use std::time::{Duration, Instant};

/// An engine is told this much less than a deadline leaves, or a tenth of that where it is short: who set the deadline will stop it
/// there, and it may need a moment for its answer.
const MARGIN: Duration = Duration::from_millis(50);

/// Deadlines further away are none, if somebody can stop the engine: such a number of milliseconds does not fit into every engine's.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// An external engine. It starts with its first game and serves all later ones until it fails, after
/// which the next game starts it again.
///
/// ```no_run
/// use afterstate_arena::{Player, external::UciEngine};
/// use afterstate_engine::Budget;
/// use afterstate_games::{Chess, Record};
///
/// let mut stockfish = UciEngine::new("stockfish").unwrap().with_option("Hash", "64").with_search("depth 10");
/// let record = Record::new(Chess::new());
/// stockfish.new_game(&record, 1).unwrap();
/// let decision = stockfish.choose(&record, &Budget::default()).unwrap();
/// assert!(decision.best.is_some());
/// ```
#[derive(Debug)]
pub struct UciEngine {
    engine: Engine,
    options: Vec<(String, String)>,
    /// What stands behind `go` when nothing limits a move.
    search: String,
    /// The options that the engine has.
    known: Vec<UciOption>,
    clocks: Option<[Clock; 2]>,
}

impl UciEngine {
    /// An engine that is started as `command_line` says (see [`EngineCommand::parse`](super::EngineCommand::parse)) when
    /// it is first needed.
    pub fn new(command_line: &str) -> Result<UciEngine, PlayerError> {
        Ok(UciEngine {
            engine: Engine::new(command_line)?,
            options: Vec::new(),
            search: "movetime 1000".into(),
            known: Vec::new(),
            clocks: None,
        })
    }

    /// The same engine with other limits.
    pub fn with_limits(mut self, limits: Limits) -> UciEngine {
        self.engine.limits = limits;
        self
    }

    /// The same engine with one of its options set. It cannot be started if it has no such option, or if that does not take such a value.
    pub fn with_option(mut self, name: &str, value: &str) -> UciEngine {
        self.options.push((name.into(), value.into()));
        self
    }

    /// The same engine, which searches like this when no clock or budget limits a move: what stands behind UCI's `go`,
    /// such as `depth 8`, `nodes 10000` or `movetime 1000`, which is the default.
    pub fn with_search(mut self, search: &str) -> UciEngine {
        self.search = search.into();
        self
    }

    fn start(&mut self) -> Result<(), PlayerError> {
        if self.engine.is_running() {
            return Ok(());
        }
        self.engine.start()?;
        let mut known = Vec::new();
        let limit = self.engine.limits.start;
        let read = |line: &str| {
            known.extend(UciOption::read(line));
            (line == "uciok").then_some(())
        };
        self.engine.ask("uci", limit, None, read).map_err(unusable)?;
        self.known = known;
        for (name, value) in self.options.clone() {
            self.set(&name, &value)?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), PlayerError> {
        let Some(option) = self.known.iter().find(|known| known.name.eq_ignore_ascii_case(name)) else {
            let known: Vec<&str> = self.known.iter().map(|known| &known.name[..]).collect();
            let error = format!("the engine has no option '{}'; it has {}", shown(name), known.join(", "));
            return Err(self.engine.fail(PlayerError::NotStarted(error)));
        };
        if let Some(expected) = option.refuses(value) {
            let error = format!("option '{}': '{}': expected {expected}", shown(name), shown(value));
            return Err(self.engine.fail(PlayerError::NotStarted(error)));
        }
        self.engine.send(&format!("setoption name {name} value {value}"));
        Ok(())
    }

    fn wait_until_ready(&mut self) -> Result<(), PlayerError> {
        let limit = self.engine.limits.command;
        self.engine.ask("isready", limit, None, |line| (line == "readyok").then_some(()))
    }

    /// What stands behind `go`.
    fn limits_of_move(&self, side: Side, budget: &Budget) -> String {
        let milliseconds = |time: Duration| time.as_millis().max(1);
        let own = self.clocks.as_ref().map(|clocks| &clocks[side.index()]);
        match own.map(Clock::control) {
            Some(TimeControl::SuddenDeath(_) | TimeControl::Fischer { .. }) => {
                let [white, black] = [Side::First, Side::Second]
                    .map(|side| self.clocks.as_ref().map_or(Duration::ZERO, |clocks| clocks[side.index()].main_left()));
                let mut text = format!("wtime {} btime {}", milliseconds(white), milliseconds(black));
                if let Some(TimeControl::Fischer { increment, .. }) = own.map(Clock::control) {
                    text += &format!(" winc {0} binc {0}", milliseconds(increment));
                }
                text
            }
            Some(TimeControl::Simulations(count)) => format!("nodes {count}"),
            // UCI does not know byo-yomi: the engine gets its share.
            _ => match own.and_then(Clock::share) {
                Some(share) => format!("movetime {}", milliseconds(share)),
                None => self.limits_of_budget(budget),
            },
        }
    }

    /// All limits that somebody named, or what the engine was made with.
    fn limits_of_budget(&self, budget: &Budget) -> String {
        let left = budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let mut limits = Vec::new();
        limits.extend(left.filter(|&left| left <= LONGEST || budget.stop.is_none()).map(|left| {
            let time = left - MARGIN.min(left / 10);
            format!("movetime {}", time.as_millis().max(1))
        }));
        limits.extend(budget.simulations.map(|nodes| format!("nodes {nodes}")));
        limits.extend(budget.depth.map(|depth| format!("depth {depth}")));
        match left {
            Some(_) if limits.is_empty() => "infinite".into(),
            None if limits.is_empty() => self.search.clone(),
            _ => limits.join(" "),
        }
    }
}

impl Player<Chess> for UciEngine {
    fn new_game(&mut self, record: &Record<Chess>, _seed: u64) -> Result<(), PlayerError> {
        self.clocks = None;
        self.start()?;
        if record.start().is_chess960() || self.known.iter().any(|known| known.name == CHESS960) {
            self.set(CHESS960, if record.start().is_chess960() { "true" } else { "false" })?;
        }
        self.engine.send("ucinewgame");
        self.wait_until_ready()
    }

    fn clocks(&mut self, clocks: &[Clock; 2]) {
        self.clocks = Some(clocks.clone());
    }

    fn choose(&mut self, record: &Record<Chess>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        let asked = Instant::now();
        let (position, side) = (record.position(), record.position().side_to_move());
        let limit = self.engine.limit_of_move(self.clocks.as_ref(), side, budget);
        self.engine.send(&position_command(record));
        let go = format!("go {}", self.limits_of_move(side, budget));
        let mut thought = Thought::default();
        let stop = budget.stop.as_deref().map(|stop| (stop, "stop"));
        let best = self.engine.ask(&go, limit.saturating_sub(asked.elapsed()), stop, |line| {
            thought.read(line);
            let best = line.strip_prefix("bestmove")?;
            Some(best.split_whitespace().next().unwrap_or_default().to_string())
        })?;
        let Some(mv) = read_move(position, &best) else {
            let text = format!("'{go}' was answered by 'bestmove {}': expected a move such as e2e4", shown(&best));
            return Err(self.engine.fail(PlayerError::Garbage(text)));
        };
        let value = thought.value.map(|value| if side == Side::First { value } else { 1.0 - value });
        Ok(Decision {
            value: value.map(Value),
            effort: thought.nodes,
            depth: thought.depth,
            plies_to_end: thought.plies_to_mate,
            ..Decision::play(mv)
        })
    }

    fn game_over(&mut self, _record: &Record<Chess>, _outcome: Outcome) {
        self.clocks = None;
    }
}

const CHESS960: &str = "UCI_Chess960";

/// `position startpos moves …`
fn position_command(record: &Record<Chess>) -> String {
    let mut position = record.start().clone();
    let mut text = match position == Chess::new() {
        true => "position startpos".to_string(),
        false => format!("position fen {}", position.position_text()),
    };
    for (i, &mv) in record.moves().iter().enumerate() {
        text += if i == 0 { " moves " } else { " " };
        text += &position.move_text(mv);
        position.play(mv);
    }
    text
}

/// A move as UCI writes it, and no other notation.
pub(super) fn read_move(position: &Chess, text: &str) -> Option<Move> {
    let is_uci = matches!(text.as_bytes(), [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', ..]);
    is_uci.then(|| position.parse_move(text).ok()).flatten()
}

/// What the last `info` lines said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Thought {
    depth: Option<u32>,
    nodes: u64,
    /// The chance of the side to move to win, a draw counting half.
    value: Option<f32>,
    /// Moves of both sides to a forced mate.
    plies_to_mate: Option<u32>,
}

impl Thought {
    fn read(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|text| text.parse::<i64>().ok());
            match word {
                "depth" => self.depth = number().and_then(|depth| u32::try_from(depth).ok()).or(self.depth),
                "nodes" => self.nodes = number().map_or(self.nodes, i64::unsigned_abs),
                "multipv" if number().is_some_and(|line| line > 1) => return,
                "cp" => {
                    if let Some(score) = number() {
                        (self.value, self.plies_to_mate) = (Some(winning_chance(score as f32)), None);
                    }
                }
                "mate" => {
                    if let Some(moves) = number() {
                        // The side that mates has the last move.
                        let plies = moves.unsigned_abs().saturating_mul(2).saturating_sub(u64::from(moves > 0));
                        self.value = Some(if moves > 0 { 1.0 } else { 0.0 });
                        self.plies_to_mate = u32::try_from(plies).ok();
                    }
                }
                // Whatever follows is no more about the position.
                "pv" | "string" => return,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_lines_are_understood() {
        let mut thought = Thought::default();
        for line in [
            "info string cp 900 is a joke",
            "info depth 3 seldepth 4 score cp 400 nodes 1200 nps 99 pv e2e4 e7e5",
            "info depth 5 multipv 2 score cp -900 pv d2d4",
            "info nodes 5000 time 3",
            "info depth x score",
        ] {
            thought.read(line);
        }
        assert_eq!((thought.depth, thought.nodes), (Some(5), 5000));
        assert!((thought.value.unwrap() - 10.0 / 11.0).abs() < 1e-6);
        assert_eq!(thought.plies_to_mate, None);
        thought.read("info depth 9 score mate -3");
        assert_eq!((thought.value, thought.plies_to_mate), (Some(0.0), Some(6)));
        thought.read("info depth 9 score mate 3");
        assert_eq!((thought.value, thought.plies_to_mate), (Some(1.0), Some(5)));
        thought.read("info depth 9 score cp 0");
        assert_eq!((thought.value, thought.plies_to_mate), (Some(0.5), None));
    }

    #[test]
    fn positions_are_told_from_the_start_of_the_game() {
        let mut record = Record::new(Chess::new());
        assert_eq!(position_command(&record), "position startpos");
        for text in ["e4", "e5", "Nf3"] {
            record.play(record.position().parse_move(text).unwrap());
        }
        assert_eq!(position_command(&record), "position startpos moves e2e4 e7e5 g1f3");
        let record = Record::new(Chess::parse_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap());
        assert_eq!(position_command(&record), "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    }

    #[test]
    fn clocks_are_told_in_milliseconds() {
        let mut engine = UciEngine::new("none").unwrap().with_search("depth 3");
        let mut told = |control: &str, budget: &Budget| {
            let clock = Clock::new(control.parse().unwrap(), Duration::ZERO);
            engine.clocks = Some([clock.clone(), clock]);
            engine.limits_of_move(Side::Second, budget)
        };
        let free = Budget::default();
        assert_eq!(told("10s", &free), "wtime 10000 btime 10000");
        assert_eq!(told("1s+50ms", &free), "wtime 1000 btime 1000 winc 50 binc 50");
        assert_eq!(told("100ms/move", &free), "movetime 100");
        assert_eq!(told("500sims/move", &free), "nodes 500");
        assert_eq!(told("0s+5x1s", &free), "movetime 900");
        assert_eq!(told("none", &free), "depth 3");
        assert_eq!(told("none", &Budget { simulations: Some(7), ..free.clone() }), "nodes 7");
        assert_eq!(told("none", &Budget { depth: Some(5), ..free.clone() }), "depth 5");
        assert_eq!(told("none", &Budget { simulations: Some(7), depth: Some(5), ..free }), "nodes 7 depth 5");
    }

    #[test]
    fn an_engine_is_told_less_than_the_time_after_which_it_is_stopped() {
        let engine = UciEngine::new("none").unwrap();
        let told = |left| {
            let text = engine.limits_of_move(Side::First, &Budget::time(Duration::from_millis(left)));
            text.strip_prefix("movetime ").unwrap().parse::<u64>().unwrap()
        };
        assert!((1800..=1950).contains(&told(2000)), "{}", told(2000));
        assert!((50..=90).contains(&told(100)), "{}", told(100));
        assert_eq!(told(0), 1);
        let endless = Budget { stop: Some(Default::default()), ..Budget::time(LONGEST + Duration::from_secs(60)) };
        assert_eq!(engine.limits_of_move(Side::First, &endless), "infinite");
        assert_eq!(engine.limits_of_move(Side::First, &Budget { depth: Some(3), ..endless }), "depth 3");
    }
}
