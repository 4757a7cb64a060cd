//! A chess program that speaks XBoard's protocol (CECP, version 2), as a [`Player`]: Fairy-Max, Crafty, GNU Chess.
//!
//! T. Mann and H. G. Muller, *Chess Engine Communication Protocol*. The program never thinks but when it is asked for a move
//! (`force` otherwise), and is told whatever was played since.

use super::engine::{Engine, Limits, shown, unusable};
use super::process::NoLine;
use super::uci::read_move;
use crate::clock::{Clock, TimeControl};
use crate::player::{Player, PlayerError};
use afterstate_engine::value::centipawns::winning_chance;
use afterstate_engine::{Budget, Decision, Value};
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Game, Notation, Outcome, Record, Side};
use std::time::{Duration, Instant};

/// After so long without an answer an engine is told again which protocol is spoken.
const REMINDER: Duration = Duration::from_secs(1);

/// After so long without another word an engine has said what it can, unless it has asked to be waited for
/// (<https://www.gnu.org/software/xboard/engine-intf.html>, `done`).
const PATIENCE: Duration = Duration::from_secs(2);

/// An external engine. It starts with its first game and serves all later ones until it fails, after
/// which the next game starts it again.
///
/// ```no_run
/// use afterstate_arena::{Player, external::XboardEngine};
/// use afterstate_engine::Budget;
/// use afterstate_games::{Chess, Record};
///
/// let mut fairy_max = XboardEngine::new("fairymax").unwrap().with_option("memory", "64").with_search("sd 6");
/// let record = Record::new(Chess::new());
/// fairy_max.new_game(&record, 1).unwrap();
/// let decision = fairy_max.choose(&record, &Budget::default()).unwrap();
/// assert!(decision.best.is_some());
/// ```
#[derive(Debug)]
pub struct XboardEngine {
    engine: Engine,
    options: Vec<(String, String)>,
    /// What limits a move when nothing else does.
    search: String,
    features: Features,
    clocks: Option<[Clock; 2]>,
    /// Whether the engine knows how much time the game has.
    levelled: bool,
    /// The moves that the engine knows.
    told: Vec<Move>,
    pings: u32,
}

impl XboardEngine {
    /// An engine that is started as `command_line` says (see [`EngineCommand::parse`](super::EngineCommand::parse)) when
    /// it is first needed.
    pub fn new(command_line: &str) -> Result<XboardEngine, PlayerError> {
        Ok(XboardEngine {
            engine: Engine::new(command_line)?,
            options: Vec::new(),
            search: "st 1".into(),
            features: Features::default(),
            clocks: None,
            levelled: false,
            told: Vec::new(),
            pings: 0,
        })
    }

    /// The same engine with other limits.
    pub fn with_limits(mut self, limits: Limits) -> XboardEngine {
        self.engine.limits = limits;
        self
    }

    /// The same engine with one of its options set, `memory` (in MB) and `cores` among them. It cannot be started if it has no such
    /// option.
    pub fn with_option(mut self, name: &str, value: &str) -> XboardEngine {
        self.options.push((name.into(), value.into()));
        self
    }

    /// The same engine, which searches like this when no clock or budget limits a move: `st 1`, seconds for a move, which is the
    /// default, or `sd 8`, a depth.
    pub fn with_search(mut self, search: &str) -> XboardEngine {
        self.search = search.into();
        self
    }

    fn start(&mut self) -> Result<(), PlayerError> {
        if self.engine.is_running() {
            return Ok(());
        }
        self.engine.start()?;
        let features = self.greet().map_err(unusable)?;
        // Moves are told as coordinates, so that nothing else may be expected.
        for (name, accepted) in [("setboard", true), ("usermove", true), ("ping", true), ("san", false), ("done", true)]
        {
            self.engine.send(&format!("{} {name}", if accepted { "accepted" } else { "rejected" }));
        }
        self.features = features;
        for (name, value) in self.options.clone() {
            self.set(&name, &value)?;
        }
        Ok(())
    }

    /// Says which protocol is spoken, and reads what the engine says of itself.
    fn greet(&mut self) -> Result<Features, PlayerError> {
        const GREETING: &str = "protover 2";
        let limit = self.engine.limits.start;
        let (mut features, deadline) = (Features::default(), Instant::now() + limit);
        let (mut reminder, mut last_heard) = (Instant::now(), Instant::now());
        while !features.done {
            // Whoever needs longer says done=0; others may end their list without a word.
            if features.heard && !features.more_to_come && last_heard.elapsed() >= PATIENCE {
                break;
            }
            if Instant::now() >= deadline {
                return Err(self.engine.fail_without_line(GREETING, limit, NoLine::Late));
            }
            // GNU Chess loses what comes before it listens, and has to be told again.
            if !features.heard && Instant::now() >= reminder {
                self.engine.send("xboard");
                self.engine.send(GREETING);
                reminder = Instant::now() + REMINDER;
            }
            let until = match features.heard {
                true if features.more_to_come => deadline,
                true => deadline.min(last_heard + PATIENCE),
                false => deadline.min(reminder),
            };
            if let Some(line) = self.engine.line_if_any(GREETING, until)? {
                features.read(line.trim());
                last_heard = Instant::now();
            }
        }
        Ok(features)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), PlayerError> {
        if let Some(known) = self.features.options.iter().find(|known| known.eq_ignore_ascii_case(name)) {
            let command = match known.as_str() {
                "memory" | "cores" => format!("{known} {value}"),
                _ => format!("option {known}={value}"),
            };
            self.engine.send(&command);
            return Ok(());
        }
        let has = self.features.options.join(", ");
        self.refuse(format!("the engine has no option '{}'; it has {has}", shown(name)))
    }

    fn refuse<T>(&mut self, why: String) -> Result<T, PlayerError> {
        Err(self.engine.fail(PlayerError::NotStarted(why)))
    }

    /// Where the engine can tell, until it has done what it was told.
    fn wait_until_ready(&mut self) -> Result<(), PlayerError> {
        self.watch_until_ready(|_| None::<()>).map(|_| ())
    }

    /// The same, or until `seen` finds what it looks for in a line.
    fn watch_until_ready<T>(&mut self, seen: impl Fn(&str) -> Option<T>) -> Result<Option<T>, PlayerError> {
        if !self.features.ping {
            return Ok(None);
        }
        self.pings += 1;
        let (ping, pong) = (format!("ping {}", self.pings), format!("pong {}", self.pings));
        self.engine.ask(&ping, self.engine.limits.command, None, |line| match seen(line) {
            None => (line == pong).then_some(None),
            found => Some(found),
        })
    }

    /// Without a limit that it knows, an engine would think for ever: where it can tell, it has to have accepted them.
    fn check_limits(&mut self, commands: &[String]) -> Result<(), PlayerError> {
        let limits = commands.iter().find(|command| command.starts_with("sd ") || command.starts_with("st "));
        let Some(limit) = limits else { return Ok(()) };
        let complaint = self.watch_until_ready(|line| {
            let lower = line.to_ascii_lowercase();
            let complains = ["error", "illegal move", "invalid move"].into_iter().any(|word| lower.starts_with(word));
            (complains && lower.contains(limit.as_str())).then_some(())
        })?;
        match complaint {
            None => Ok(()),
            Some(()) => self.refuse(format!("the engine does not know '{}': search by another limit", shown(limit))),
        }
    }

    /// The beginning of a game from `start`.
    fn begin(&mut self, start: &Chess) -> Result<(), PlayerError> {
        for command in ["new", "force", "easy", "post"] {
            self.engine.send(command);
        }
        (self.levelled, self.told) = (false, Vec::new());
        if start.is_chess960() {
            return self.refuse("Chess960 is played with UCI's engines only".into());
        }
        if *start != Chess::new() {
            if !self.features.setboard {
                return self.refuse("the engine cannot be told a position (feature setboard=0), only moves".into());
            }
            self.engine.send(&format!("setboard {}", start.position_text()));
        }
        Ok(())
    }

    /// Tells the moves that the engine does not know.
    fn tell(&mut self, record: &Record<Chess>) -> Result<(), PlayerError> {
        if !record.moves().starts_with(&self.told) {
            self.begin(record.start())?;
        }
        let mut position = record.start().clone();
        for (i, &mv) in record.moves().iter().enumerate() {
            if i >= self.told.len() {
                let word = if self.features.usermove { "usermove " } else { "" };
                self.engine.send(&format!("{word}{}", position.move_text(mv)));
            }
            position.play(mv);
        }
        self.told = record.moves().to_vec();
        Ok(())
    }

    /// What limits the next move, a command each.
    fn limits_of_move(&mut self, side: Side, budget: &Budget) -> Result<Vec<String>, String> {
        let clocks = self.clocks.as_ref().map(|clocks| [&clocks[side.index()], &clocks[side.other().index()]]);
        let Some([own, other]) = clocks else { return self.limits_of_budget(budget) };
        let (base, increment) = match own.control() {
            TimeControl::SuddenDeath(base) => (base, Duration::ZERO),
            TimeControl::Fischer { main, increment } => (main, increment),
            TimeControl::Simulations(_) => {
                return Err("XBoard's protocol does not count simulations: use search".into());
            }
            // Byo-yomi is not known: the engine gets its share.
            _ => {
                return own
                    .share()
                    .map_or_else(|| self.limits_of_budget(budget), |share| Ok(vec![seconds_a_move(share)?]));
            }
        };
        let mut commands = Vec::new();
        if !self.levelled {
            // Whole seconds of the increment, as the protocol has it: what is left of it shows on the clock.
            let (base, increment) = (base.as_secs().max(1), increment.as_secs());
            commands.push(format!("level 0 {}:{:02} {increment}", base / 60, base % 60));
        }
        let centiseconds = |clock: &Clock| clock.main_left().as_millis() / 10;
        commands.push(format!("time {}", centiseconds(own)));
        commands.push(format!("otim {}", centiseconds(other)));
        self.levelled = true;
        Ok(commands)
    }

    fn limits_of_budget(&self, budget: &Budget) -> Result<Vec<String>, String> {
        let left = budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let mut limits = Vec::new();
        limits.extend(budget.depth.map(|depth| format!("sd {depth}")));
        match left {
            // Who set the deadline can stop it there.
            Some(left) if budget.stop.is_some() => limits.push(format!("st {}", left.as_secs().clamp(1, 86_400))),
            Some(left) => limits.push(seconds_a_move(left)?),
            None if limits.is_empty() => limits.push(self.search.clone()),
            None => {}
        }
        Ok(limits)
    }
}

/// `st 2`
fn seconds_a_move(time: Duration) -> Result<String, String> {
    match time.as_secs() {
        0 => Err(format!(
            "XBoard's protocol counts whole seconds for a move, and {:.3} s are less: use a clock for the game, or search",
            time.as_secs_f64()
        )),
        seconds => Ok(format!("st {seconds}")),
    }
}

/// What an engine answers when it is asked for a move.
#[derive(Debug, PartialEq)]
enum Answer {
    Move(String),
    Resignation,
    /// It says that the game has ended.
    Claim(String),
    /// It refuses what it was told.
    Refusal(String),
}

impl Answer {
    /// What a line says to the question for a move of `side`.
    fn read(line: &str, side: Side) -> Option<Answer> {
        let lower = line.to_ascii_lowercase();
        // The second is how version 1 says it, and GNU Chess still does.
        if let Some(text) = lower.strip_prefix("move ").or_else(|| lower.strip_prefix("my move is")) {
            return Some(Answer::Move(text.trim_start_matches([' ', ':']).to_string()));
        }
        let starts = |word: &str| lower.starts_with(word);
        // Not "resignation threshold is …".
        if lower.strip_prefix("resign").is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)) {
            Some(Answer::Resignation)
        } else if starts(if side == Side::First { "0-1" } else { "1-0" }) && lower.contains("resign") {
            // "0-1 {White resigns}", as Crafty has it: "the RESULT {comment} command if the string 'resign' is included in the comment"
            // (T. Mann and H. G. Muller, Chess Engine Communication Protocol).
            Some(Answer::Resignation)
        } else if ["1-0", "0-1", "1/2-1/2"].into_iter().any(starts) {
            Some(Answer::Claim(line.to_string()))
        } else if starts("illegal move") {
            Some(Answer::Refusal(line.to_string()))
        } else {
            None
        }
    }
}

impl Player<Chess> for XboardEngine {
    fn new_game(&mut self, record: &Record<Chess>, _seed: u64) -> Result<(), PlayerError> {
        self.clocks = None;
        self.start()?;
        self.begin(record.start())?;
        self.wait_until_ready()
    }

    fn clocks(&mut self, clocks: &[Clock; 2]) {
        self.clocks = Some(clocks.clone());
    }

    fn choose(&mut self, record: &Record<Chess>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        let asked = Instant::now();
        let (position, side) = (record.position(), record.position().side_to_move());
        let limit = self.engine.limit_of_move(self.clocks.as_ref(), side, budget);
        self.engine.send("force");
        self.tell(record)?;
        // What it had to say about the moves before is over then: a result that it sees, for instance.
        self.wait_until_ready()?;
        match self.limits_of_move(side, budget) {
            Ok(commands) => {
                commands.iter().for_each(|command| self.engine.send(command));
                self.check_limits(&commands)?;
            }
            Err(why) => return self.refuse(why),
        }
        let mut thought = Thought::default();
        let stop = budget.stop.as_deref().map(|stop| (stop, "?"));
        // Who does not answer pings may still be speaking of the game before, or of its own last move.
        let is_about_this = |answer: &Answer| self.features.ping || !matches!(answer, Answer::Claim(_));
        let answer = self.engine.ask("go", limit.saturating_sub(asked.elapsed()), stop, |line| {
            thought.read(line);
            Answer::read(line, side).filter(is_about_this)
        })?;
        let text = match answer {
            Answer::Move(text) => text,
            Answer::Resignation => return Ok(Decision::resign()),
            Answer::Claim(text) | Answer::Refusal(text) => {
                let text = format!("'go' was answered by '{}': expected a move", shown(&text));
                return Err(self.engine.fail(PlayerError::Garbage(text)));
            }
        };
        let Some(mv) = read_move(position, &text) else {
            let text = format!("'go' was answered by 'move {}': expected a move such as e2e4", shown(&text));
            return Err(self.engine.fail(PlayerError::Garbage(text)));
        };
        self.told.push(mv);
        let value = thought.value.map(|value| if side == Side::First { value } else { 1.0 - value });
        Ok(Decision { value: value.map(Value), effort: thought.nodes, depth: thought.depth, ..Decision::play(mv) })
    }

    fn game_over(&mut self, _record: &Record<Chess>, _outcome: Outcome) {
        self.clocks = None;
        self.engine.send("force");
    }
}

/// What an engine has said of itself.
#[derive(Clone, Debug, Default, PartialEq)]
struct Features {
    setboard: bool,
    usermove: bool,
    ping: bool,
    options: Vec<String>,
    /// Whether it has said anything.
    heard: bool,
    /// Whether it has said all.
    done: bool,
    /// Whether it has said that more comes, however long that takes.
    more_to_come: bool,
}

impl Features {
    /// Reads a line such as `feature ping=1 option="Resign -check 0" done=1`.
    fn read(&mut self, line: &str) {
        let Some(mut rest) = line.strip_prefix("feature ") else { return };
        self.heard = true;
        while let Some((name, behind)) = rest.split_once('=') {
            let (value, next) = match behind.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                None => behind.split_once(' ').unwrap_or((behind, "")),
            };
            let yes = value == "1";
            match name.trim() {
                "setboard" => self.setboard = yes,
                "usermove" => self.usermove = yes,
                "ping" => self.ping = yes,
                "memory" if yes => self.options.push("memory".into()),
                "smp" if yes => self.options.push("cores".into()),
                "option" => {
                    let name = value.split(" -").next().unwrap_or(value).trim();
                    self.options.push(name.chars().take(80).collect());
                }
                "done" => (self.done, self.more_to_come) = (yes, !yes),
                _ => {}
            }
            rest = next;
        }
    }
}

/// What the last line of thinking said: `depth score time nodes moves`, the score in centipawns, the time in centiseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Thought {
    depth: Option<u32>,
    nodes: u64,
    /// The chance of the side to move to win, a draw counting half.
    value: Option<f32>,
}

impl Thought {
    fn read(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        // Some engines mark the depth with a sign of their own.
        let depth = words.next().and_then(|word| word.trim_end_matches(['.', '&', '!']).parse().ok());
        let [score, _time, nodes] = [(); 3].map(|()| words.next().and_then(|word| word.parse::<i64>().ok()));
        let (Some(depth), Some(score), Some(nodes)) = (depth, score, nodes) else { return };
        // Mates are scores from 100,000 on, whose chance is as good as sure.
        let value = Some(winning_chance(score as f32));
        *self = Thought { depth: Some(depth), nodes: nodes.unsigned_abs(), value };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_from_lines_of_any_of_them() {
        let mut features = Features::default();
        for line in [
            "tellics say hello=1",
            "feature myname=\"Fairy-Max 5.0b\" setboard=0 ping=1 done=0",
            "feature memory=1 option=\"Resign Threshold -spin 800 200 1200\" usermove=1",
            "feature option=\"Clear Hash -button\"",
        ] {
            features.read(line);
        }
        let options = ["memory", "Resign Threshold", "Clear Hash"].map(str::to_string).to_vec();
        let expected = Features {
            setboard: false,
            usermove: true,
            ping: true,
            options,
            heard: true,
            done: false,
            more_to_come: true,
        };
        assert_eq!(features, expected);
        features.read("feature done=1");
        assert!(features.done);
        features.read("feature =\" =");
    }

    #[test]
    fn moves_are_told_from_everything_else() {
        let mv = |text: &str| Some(Answer::Move(text.to_string()));
        let read = |line: &str| Answer::read(line, Side::First);
        assert_eq!((read("move e7e8Q"), read("My move is : e2e4")), (mv("e7e8q"), mv("e2e4")));
        assert_eq!(
            (read("resign"), read("0-1 {White resigns}")),
            (Some(Answer::Resignation), Some(Answer::Resignation))
        );
        assert_eq!(Answer::read("1-0 {Black Resigns}", Side::Second), Some(Answer::Resignation));
        for result in ["1/2-1/2 {Draw by repetition}", "0-1 {Black mates}", "1-0 {Black resigns}"] {
            assert_eq!(read(result), Some(Answer::Claim(result.to_string())));
        }
        assert!(matches!(read("Illegal move: e2e5"), Some(Answer::Refusal(_))));
        assert_eq!(
            (read("resignation threshold is 800"), read("RESIGN {hopeless}")),
            (None, Some(Answer::Resignation))
        );
        assert_eq!((read(" 5 15 2 21499 d2d4 d7d5"), read("1. e2e4"), read("# move")), (None, None, None));
    }

    #[test]
    fn thoughts_are_understood() {
        let mut thought = Thought::default();
        for line in ["4 +400 7 165363 d5 exd5", "9& x", "# 16+16 pieces", "5 15", ""] {
            thought.read(line);
        }
        assert_eq!((thought.depth, thought.nodes), (Some(4), 165_363));
        assert!((thought.value.unwrap() - 10.0 / 11.0).abs() < 1e-6);
        thought.read("9. -100003 7 1000 d5");
        assert_eq!((thought.depth, thought.value), (Some(9), Some(0.0)));
    }

    #[test]
    fn clocks_are_told_in_their_units() {
        let mut engine = XboardEngine::new("none").unwrap().with_search("sd 3");
        let mut told = |control: &str, budget: &Budget| {
            let clock = Clock::new(control.parse().unwrap(), Duration::ZERO);
            (engine.clocks, engine.levelled) = (Some([clock.clone(), clock]), false);
            engine.limits_of_move(Side::Second, budget).map(|commands| commands.join(", "))
        };
        let free = Budget::default();
        assert_eq!(told("90s", &free).unwrap(), "level 0 1:30 0, time 9000, otim 9000");
        assert_eq!(told("10s+2500ms", &free).unwrap(), "level 0 0:10 2, time 1000, otim 1000");
        assert_eq!(told("2s/move", &free).unwrap(), "st 2");
        assert!(told("100ms/move", &free).unwrap_err().contains("whole seconds for a move, and 0.100 s are less"));
        assert!(told("500sims/move", &free).unwrap_err().contains("does not count simulations"));
        assert_eq!(told("none", &free).unwrap(), "sd 3");
        assert_eq!(told("none", &Budget { depth: Some(5), ..free.clone() }).unwrap(), "sd 5");
        let stoppable = Budget { stop: Some(Default::default()), ..Budget::time(Duration::from_millis(300)) };
        assert_eq!(told("none", &stoppable).unwrap(), "st 1");
    }
}
