//! GNU Backgammon as a [`Player`], asked at its socket: a FIBS board goes in, a play comes out.
//!
//! The program is told to listen (`external localhost:PORT`) and answers from the position alone, so that it may serve one game
//! after the other, and several players share the programs that run ([`Gnubg`]). Whatever it does — crash, hang, print garbage
//! or without end — ends as a [`PlayerError`] within the [`Limits`], with the program gone.

use super::command::EngineCommand;
use super::engine::{Engine, Limits, shown, unusable};
use super::process::MAX_LINE;
use crate::clock::Clock;
use crate::player::{Player, PlayerError};
use afterstate_engine::{Budget, Decision};
use afterstate_games::backgammon::{Backgammon, Board, Move, Phase, Step, fibs};
use afterstate_games::{Game, Record, Side};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a wait looks at the stop flag.
const STOP_CHECK: Duration = Duration::from_millis(20);
/// What the program prints when it listens.
const LISTENS: &str = "Waiting for a connection";
/// One program starts at a time: where none ever ran, it makes a folder for its files, and of two that do so at once one gives up.
static STARTS: Mutex<()> = Mutex::new(());

/// Programs that run, for the players that ask them.
///
/// ```no_run
/// use afterstate_arena::Player;
/// use afterstate_arena::external::Gnubg;
/// use afterstate_engine::Budget;
/// use afterstate_games::backgammon::{Backgammon, Board, Dice};
/// use afterstate_games::{Notation, Record, Side};
/// let mut player = Gnubg::new("gnubg --tty --quiet --no-rc", 0).unwrap().player();
/// let record = Record::new(Backgammon::at(Board::start(), Side::First, Dice::new(3, 1)));
/// player.new_game(&record, 1).unwrap();
/// let best = player.choose(&record, &Budget::default()).unwrap().best.unwrap();
/// assert_eq!(record.position().move_text(best), "8/5 6/5");
/// ```
#[derive(Clone, Debug)]
pub struct Gnubg {
    command_line: String,
    plies: u32,
    limits: Limits,
    idle: Arc<Mutex<Vec<Running>>>,
}

impl Gnubg {
    /// A program that is started as `command_line` says (see [`EngineCommand::parse`](super::EngineCommand::parse)) when it is
    /// first needed, and looks so many plies ahead, as it counts: its 0 is the 1 of everybody else here.
    pub fn new(command_line: &str, plies: u32) -> Result<Gnubg, PlayerError> {
        // What cannot be run should be known now.
        Engine::new(command_line)?;
        Ok(Gnubg { command_line: command_line.to_string(), plies, limits: Limits::default(), idle: Arc::default() })
    }

    /// The same with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Gnubg {
        self.limits = limits;
        self
    }

    /// A player. It takes a program that nobody else uses, or starts one.
    pub fn player(&self) -> GnubgPlayer {
        GnubgPlayer { programs: self.clone(), running: None, clocks: None }
    }

    fn idle(&self) -> Option<Running> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn start(&self) -> Result<Running, PlayerError> {
        let _turn = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
        // It translates what it prints, and writes numbers as the language does.
        let command = EngineCommand::parse(&self.command_line)?.with_environment("LC_ALL", "C");
        let mut engine = Engine::of(command);
        engine.limits = self.limits;
        engine.start()?;
        let (limit, deadline) = (self.limits.start, Instant::now() + self.limits.start);
        // A port that is free now. Should somebody else take it meanwhile, nobody listens there in time.
        let free = TcpListener::bind(("localhost", 0)).and_then(|listener| listener.local_addr());
        let address = free.map_err(|error| PlayerError::NotStarted(format!("no free port: {error}")))?;
        for command in [
            "set player 0 human".to_string(),
            "set player 1 human".to_string(),
            // Gammons count, cube or no cube.
            "set jacoby off".to_string(),
            "set threads 1".to_string(),
            format!("set evaluation chequerplay evaluation plies {}", self.plies),
            "set evaluation chequerplay evaluation cubeful off".to_string(),
            format!("external localhost:{}", address.port()),
        ] {
            engine.send(&command);
        }
        while !engine.line("external", limit, deadline, None).map_err(unusable)?.contains(LISTENS) {}
        let socket = loop {
            match TcpStream::connect(("localhost", address.port())) {
                Ok(socket) => break socket,
                Err(_) if Instant::now() < deadline => std::thread::sleep(STOP_CHECK),
                Err(error) => {
                    return Err(engine.fail(PlayerError::NotStarted(format!("port {}: {error}", address.port()))));
                }
            }
        };
        let ready = socket.set_nodelay(true).and_then(|()| socket.set_read_timeout(Some(STOP_CHECK)));
        ready.map_err(|error| PlayerError::NotStarted(format!("socket: {error}")))?;
        Ok(Running { engine, socket, unread: Vec::new() })
    }
}

/// A program that listens.
#[derive(Debug)]
struct Running {
    engine: Engine,
    socket: TcpStream,
    /// What came behind the last line.
    unread: Vec<u8>,
}

impl Running {
    /// The answer to a line: one line.
    fn ask(&mut self, line: &str, limit: Duration, stop: Option<&AtomicBool>) -> Result<String, PlayerError> {
        let deadline = Instant::now() + limit;
        if let Err(error) = self.socket.write_all(format!("{line}\n").as_bytes()) {
            return Err(self.engine.fail(PlayerError::Crashed(format!("the socket is closed: {error}"))));
        }
        let mut bytes = [0; 1024];
        loop {
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim().to_string());
            }
            if self.unread.len() > MAX_LINE {
                let text = format!("an answer is longer than {MAX_LINE} bytes");
                return Err(self.engine.fail(PlayerError::Garbage(text)));
            }
            match self.socket.read(&mut bytes) {
                Ok(0) => return Err(self.engine.fail(PlayerError::Crashed("the socket was closed".into()))),
                Ok(length) => self.unread.extend_from_slice(&bytes[..length]),
                Err(error) if is_late(&error) => {}
                Err(error) => return Err(self.engine.fail(PlayerError::Crashed(format!("socket: {error}")))),
            }
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err(self.engine.fail(PlayerError::Interrupted));
            }
            if Instant::now() >= deadline {
                let text = format!("no play within {:.3} s", limit.as_secs_f64());
                return Err(self.engine.fail(PlayerError::Hung(text)));
            }
        }
    }
}

fn is_late(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// One who asks GNU Backgammon. It takes a program with its first move, and leaves it to the next player.
pub struct GnubgPlayer {
    programs: Gnubg,
    running: Option<Running>,
    /// The clocks before this move; `None` if there are none.
    clocks: Option<[Clock; 2]>,
}

impl GnubgPlayer {
    /// What the program thinks of a position before the roll, by its own plies: the chances of the side to roll to win, to
    /// win a gammon or more, to win a backgammon, to lose a gammon or more, and to lose a backgammon.
    pub fn outputs(&mut self, game: &Backgammon) -> Result<[f32; 5], PlayerError> {
        let mut running = self.take()?;
        let line =
            format!("evaluation fibsboard {} PLIES {} CUBE OFF", fibs::write(game, "afterstate"), self.programs.plies);
        let answer = running.ask(&line, self.programs.limits.per_move, None)?;
        let numbers: Vec<f32> = answer.split_whitespace().map_while(|word| word.parse().ok()).collect();
        match numbers.first_chunk() {
            Some(outputs) => {
                self.running = Some(running);
                Ok(*outputs)
            }
            None => {
                let text = format!("'{}': expected five chances", shown(&answer));
                Err(running.engine.fail(PlayerError::Garbage(text)))
            }
        }
    }

    /// The program that this player asks.
    fn take(&mut self) -> Result<Running, PlayerError> {
        match self.running.take().or_else(|| self.programs.idle()) {
            Some(running) => Ok(running),
            None => self.programs.start(),
        }
    }
}

impl Player<Backgammon> for GnubgPlayer {
    fn new_game(&mut self, _record: &Record<Backgammon>, _seed: u64) -> Result<(), PlayerError> {
        self.clocks = None;
        self.running = Some(self.take()?);
        Ok(())
    }

    fn clocks(&mut self, clocks: &[Clock; 2]) {
        self.clocks = Some(clocks.clone());
    }

    fn choose(&mut self, record: &Record<Backgammon>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        let game = record.position();
        let Phase::ToPlay(side, _) = game.phase() else { return Ok(Decision::resign()) };
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        if let [only] = moves[..] {
            return Ok(Decision::play(only));
        }
        let mut running = self.take()?;
        let limit = running.engine.limit_of_move(self.clocks.as_ref(), side, budget);
        let answer = running.ask(&fibs::write(game, "afterstate"), limit, budget.stop.as_deref())?;
        match legal_play(game, side, &moves, &answer) {
            Some(mv) => {
                self.running = Some(running);
                Ok(Decision { depth: Some(self.programs.plies + 1), ..Decision::play(mv) })
            }
            None => {
                let text = format!("'{}': expected a legal play such as 8/5 6/5", shown(&answer));
                Err(running.engine.fail(PlayerError::Garbage(text)))
            }
        }
    }
}

impl Drop for GnubgPlayer {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            self.programs.idle.lock().unwrap_or_else(PoisonError::into_inner).push(running);
        }
    }
}

/// The one among `moves` that leads where the program's text does: `24/18 18/13`, `bar` as 25 and `off` as 0.
fn legal_play(game: &Backgammon, side: Side, moves: &[Move], text: &str) -> Option<Move> {
    let after = |mv: Move| -> Board {
        let mut after = *game;
        after.play(mv);
        *after.board()
    };
    let mut steps = Vec::new();
    for word in text.split_whitespace() {
        let (from, to) = word.trim_end_matches('*').split_once('/')?;
        let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
        if !(1..=25).contains(&from) || to >= from || steps.len() == 4 {
            return None;
        }
        steps.push(Step::new(from - 1, to.checked_sub(1)));
    }
    // Steps that cannot be made, one after the other, are no play.
    let mut board = *game.board();
    for step in &steps {
        board = board.after_step(side, *step)?;
    }
    moves.iter().copied().find(|&mv| after(mv) == board)
}
