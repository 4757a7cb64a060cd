//! [`Session`]: one thinker, one position, one conversation.

use super::command::{Command, Keyword, quote};
use super::go::GoWords;
use super::limits::{GoLimits, Signals};
use super::option::{Settings, UciOption};
use super::output::Output;
use super::perft::MOST_PLIES;
use super::position::parse_position;
use super::report::text_line;
use super::strength::Strengths;
use super::tasks::{Queue, Task, Thought};
use super::thinker::Thinker;
use super::worker::Worker;
use crate::line::{Line, MAX_LINE, read_line};
use afterstate_games::{Chess, Game, Notation, Record, stream};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

/// A conversation in which a GUI lets somebody think. It begins at the usual first position.
///
/// ```
/// use afterstate_arena::RandomPlayer;
/// use afterstate_protocols::uci::{PlayerThinker, Session};
/// use std::io::Cursor;
///
/// let thinker = PlayerThinker::new(Box::new(RandomPlayer::default()));
/// let mut output = Vec::new();
/// let input = "uci\nposition startpos moves e2e4 e7e5\ngo movetime 10\nquit\n";
/// Session::new("random", Box::new(thinker)).run(Cursor::new(input), &mut output)?;
/// let text = String::from_utf8(output).unwrap();
/// assert!(text.starts_with("id name random\nid author "));
/// assert_eq!(text.matches("bestmove").count(), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Session {
    name: String,
    author: String,
    thinker: Box<dyn Thinker>,
    seed: u64,
    strengths: Strengths,
    strengths_note: Option<String>,
}

/// Lines that are read ahead. Whoever sends more waits.
const READ_AHEAD: usize = 64;

/// Searches recur once or more for every ply.
const STACK: usize = 16 << 20;

/// What the session waits for.
enum Event {
    /// A line of input, and when it came.
    Line(Line, Instant),
    EndOfInput,
    /// Nobody reads the answers any more.
    OutputClosed,
}

impl Session {
    /// A session in which `thinker` thinks. `name` is how it introduces itself.
    pub fn new(name: impl Into<String>, thinker: Box<dyn Thinker>) -> Session {
        Session {
            name: name.into(),
            author: "the afterstate developers".into(),
            thinker,
            seed: 0,
            strengths: Strengths::default(),
            strengths_note: None,
        }
    }

    /// Who wrote it, if not who wrote this.
    pub fn with_author(mut self, author: impl Into<String>) -> Session {
        self.author = author.into();
        self
    }

    /// What decides when a player errs whose strength is limited.
    pub fn with_seed(mut self, seed: u64) -> Session {
        self.seed = seed;
        self
    }

    /// What `UCI_Elo` is turned into; unless told otherwise, what was measured with the values of men alone.
    pub fn with_strengths(mut self, strengths: Strengths) -> Session {
        self.strengths = strengths;
        self
    }

    /// What is said to whoever limits the strength of this thinker, if what `UCI_Elo` is turned into was measured with another one.
    pub fn with_strengths_note(mut self, note: impl Into<String>) -> Session {
        self.strengths_note = Some(note.into());
        self
    }

    /// Does what `input` says, and answers on `output`, until `quit` or the end of the input, either of which stops a
    /// search; a bench or perft is finished before.
    ///
    /// The input is read by a thread of its own, which after `quit` stays behind until it has read one more line or the
    /// input ends.
    ///
    /// # Errors
    ///
    /// When `output` cannot be written. An input that cannot be read counts as ended.
    pub fn run(self, input: impl BufRead + Send + 'static, output: impl Write + Send) -> io::Result<()> {
        let (sender, events) = sync_channel(READ_AHEAD);
        let alarm = sender.clone();
        thread::spawn(move || read(input, &sender));
        // With a full channel there is something to do anyway, and the error will be seen.
        let output = Output::new(output, move || drop(alarm.try_send(Event::OutputClosed)));
        let queue = Queue::default();
        let conversation = Conversation {
            name: self.name,
            author: self.author,
            options: self.thinker.options(),
            keeps_time: self.thinker.keeps_time(),
            settings: Settings::new(&self.strengths),
            strengths: self.strengths,
            strengths_note: self.strengths_note,
            debug: false,
            record: Record::new(Chess::new()),
            running: Vec::new(),
            queue: &queue,
            output: &output,
        };
        let worker = Worker { thinker: self.thinker, queue: &queue, output: &output, rng: stream(self.seed, 0) };
        thread::scope(|scope| {
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || worker.run())?;
            conversation.run(&events);
            io::Result::Ok(())
        })?;
        output.result()
    }
}

fn read(mut input: impl BufRead, sender: &SyncSender<Event>) {
    while let Ok(Some(line)) = read_line(&mut input) {
        if sender.send(Event::Line(line, Instant::now())).is_err() {
            return;
        }
    }
    // An input that cannot be read any more has ended.
    let _ = sender.send(Event::EndOfInput);
}

/// Something that takes long, and can be stopped.
struct Running {
    limits: GoLimits,
    /// A search, rather than a bench or perft.
    is_search: bool,
}

/// The session's side of the conversation; the other is the [`Worker`]'s.
struct Conversation<'a, 'w> {
    name: String,
    author: String,
    options: Vec<UciOption>,
    keeps_time: bool,
    settings: Settings,
    strengths: Strengths,
    strengths_note: Option<String>,
    debug: bool,
    record: Record<Chess>,
    /// What takes long, of all that was asked for and is not done yet.
    running: Vec<Running>,
    queue: &'a Queue,
    output: &'a Output<'w>,
}

impl Drop for Conversation<'_, '_> {
    /// Whatever happens, the thinking thread must end.
    fn drop(&mut self) {
        let closed = self.output.has_failed();
        self.stop(|running| closed || running.is_search);
        self.queue.close();
    }
}

impl Conversation<'_, '_> {
    fn run(mut self, events: &Receiver<Event>) {
        loop {
            let event = match self.stop_at() {
                None => events.recv().unwrap_or(Event::EndOfInput),
                Some(deadline) => match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Disconnected) => Event::EndOfInput,
                    Err(RecvTimeoutError::Timeout) => {
                        self.stop_who_is_late();
                        continue;
                    }
                },
            };
            let goes_on = match event {
                Event::Line(line, at) => self.hear(&line, at),
                Event::EndOfInput | Event::OutputClosed => false,
            };
            if !goes_on || self.output.has_failed() {
                return;
            }
            // Lines that come without end must not keep anybody thinking.
            self.stop_who_is_late();
        }
    }

    /// When the next search has to be stopped.
    fn stop_at(&mut self) -> Option<Instant> {
        self.running.retain(|running| !running.limits.signals.is_done());
        let live = self.running.iter().filter(|running| !running.limits.stopped());
        live.filter_map(|running| self.deadline(&running.limits)).min()
    }

    fn deadline(&self, limits: &GoLimits) -> Option<Instant> {
        if self.keeps_time { limits.hard_deadline() } else { limits.soft_deadline() }
    }

    fn stop_who_is_late(&self) {
        let now = Instant::now();
        self.stop(|running| self.deadline(&running.limits).is_some_and(|deadline| deadline <= now));
    }

    fn stop(&self, which: impl Fn(&Running) -> bool) {
        self.running.iter().filter(|running| which(running)).for_each(|running| running.limits.signals.stop());
    }

    /// Whether the session goes on after this line.
    fn hear(&mut self, line: &Line, at: Instant) -> bool {
        let (Line::Whole(text) | Line::TooLong(text)) = line;
        match Command::parse(text) {
            // Who says `go` waits for an answer, so that the beginning of the line has to do.
            Command::Known(keyword, _) if matches!(line, Line::TooLong(_)) && keyword != Keyword::Go => {
                self.say(&format!("line too long: expected at most {MAX_LINE} bytes"));
            }
            Command::Known(keyword, words) => return self.obey(keyword, &words, at),
            Command::Unknown(word) => self.say(&format!("unknown command '{}'; try help", quote(word))),
            Command::Nothing => {}
        }
        true
    }

    fn obey(&mut self, keyword: Keyword, words: &[&str], at: Instant) -> bool {
        match keyword {
            Keyword::Uci => self.introduce(),
            Keyword::Debug => self.debug = words.first().is_none_or(|&word| word != "off"),
            Keyword::IsReady => self.answer_when_ready(),
            Keyword::SetOption => self.set_option(words),
            Keyword::Register => {}
            Keyword::NewGame => {
                self.stop(|running| running.is_search);
                self.record = Record::new(Chess::new());
                self.submit(Task::NewGame);
            }
            Keyword::Position => match parse_position(words, self.settings.chess960) {
                Ok(record) => self.record = record,
                Err(error) => self.say(&format!("position: {error}; the position stays as it was")),
            },
            Keyword::Go => self.go(words, at),
            Keyword::Stop => self.stop(|_| true),
            Keyword::PonderHit => self.running.iter().for_each(|running| running.limits.signals.ponder_hit(at)),
            Keyword::Quit => return false,
            Keyword::Display => self.display(),
            Keyword::Evaluate => self.submit(Task::Evaluate(Box::new(self.record.clone()))),
            Keyword::Bench => match words.first().map(|word| (word, word.parse::<u32>())) {
                Some((word, Err(_))) => self.say(&format!("bench '{}': expected a depth in plies", quote(word))),
                depth => {
                    let limits = self.run_for_long(GoLimits { began: at, ..GoLimits::default() }, false);
                    self.submit(Task::Bench(depth.and_then(|(_, depth)| depth.ok()), limits));
                }
            },
            Keyword::Perft => match words.first().copied().unwrap_or_default().parse() {
                Ok(depth) => self.perft(depth),
                Err(_) => self.say(&format!("perft: expected a depth from 0 to {MOST_PLIES} behind it")),
            },
            Keyword::Help => self.output.line(HELP),
        }
        true
    }

    fn introduce(&self) {
        let mut text = format!("id name {}\nid author {}\n", self.name, self.author);
        for option in self.options.iter().chain(&Settings::options(&self.strengths)) {
            text += &format!("{option}\n");
        }
        self.output.line(&(text + "uciok"));
    }

    /// At once while something runs that takes long, as the protocol demands; otherwise after what was asked for before.
    fn answer_when_ready(&mut self) {
        self.running.retain(|running| !running.limits.signals.is_done());
        if self.running.is_empty() { self.submit(Task::Ready) } else { self.output.line("readyok") }
    }

    /// `setoption name NAME [value VALUE]`, both of one or more words. An option of the thinker that comes while it thinks
    /// is set when it has done.
    fn set_option(&mut self, words: &[&str]) {
        let Some(("name", words)) = words.split_first().map(|(first, rest)| (*first, rest)) else {
            return self.say("setoption: expected name NAME value VALUE behind it");
        };
        let split = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let name = words[..split].join(" ");
        let value = words.get(split + 1..).unwrap_or_default().join(" ");
        let is_named = |option: &&UciOption| option.name.eq_ignore_ascii_case(&name);
        let own = Settings::options(&self.strengths);
        if let Some(option) = own.iter().find(is_named) {
            match option.read(&value) {
                Ok(value) => {
                    let limited = self.settings.limit_strength;
                    self.settings.set(&option.name, &value);
                    if let Some(note) =
                        self.strengths_note.as_ref().filter(|_| self.settings.limit_strength && !limited)
                    {
                        self.say(note);
                    }
                }
                Err(error) => self.say(&error),
            }
        } else if let Some(option) = self.options.iter().find(is_named) {
            match option.read(&value) {
                Ok(value) => self.submit(Task::Set(option.name.clone(), value)),
                Err(error) => self.say(&error),
            }
        } else {
            self.say(&format!("setoption: there is no option '{}'", quote(&name)));
        }
    }

    /// A search that still runs is stopped, and answered, before.
    fn go(&mut self, words: &[&str], at: Instant) {
        let go = GoWords::parse(words, self.record.position());
        for complaint in &go.complaints {
            self.say(&format!("go: {complaint}"));
        }
        if let Some(depth) = go.perft {
            return self.perft(depth);
        }
        self.stop(|running| running.is_search);
        let held_back = self.settings.limit_strength && !self.settings.analyse;
        let strength = held_back.then(|| self.strengths.of(self.settings.elo));
        let time = go.clock.allot(self.record.position().side_to_move(), self.settings.overhead);
        let limits = GoLimits {
            depth: go.depth,
            nodes: go.nodes.into_iter().chain(strength.map(|strength| strength.nodes)).min(),
            mate: go.mate,
            search_moves: go.search_moves,
            infinite: go.infinite,
            alone: strength.is_some(),
            analyse: self.settings.analyse,
            began: at,
            time: time.filter(|_| !go.infinite),
            signals: Signals::new(go.ponder),
        };
        if self.debug
            && let Some(time) = limits.time
        {
            self.say(&format!("time {} ms, at most {} ms", time.share.as_millis(), time.longest.as_millis()));
        }
        let limits = self.run_for_long(limits, true);
        let thought = Thought { record: self.record.clone(), limits, show_wdl: self.settings.show_wdl, strength };
        self.submit(Task::Think(Box::new(thought)));
    }

    fn perft(&mut self, depth: u32) {
        if depth > MOST_PLIES {
            return self.say(&format!("perft {depth}: expected a depth from 0 to {MOST_PLIES}"));
        }
        let limits = self.run_for_long(GoLimits::default(), false);
        self.submit(Task::Perft(Box::new(self.record.position().clone()), depth, limits));
    }

    fn run_for_long(&mut self, limits: GoLimits, is_search: bool) -> GoLimits {
        self.running.retain(|running| !running.limits.signals.is_done());
        self.running.push(Running { limits: limits.clone(), is_search });
        limits
    }

    /// Who asks for more than can wait gets room by stopping what runs.
    fn submit(&self, task: Task) {
        if self.queue.is_full() {
            self.stop(|_| true);
        }
        self.queue.push(task);
    }

    fn display(&self) {
        let position = self.record.position();
        let (diagram, fen) = (position.diagram(), position.position_text());
        self.output.line(&format!("\n{diagram}\nFen: {fen}\nKey: {:016X}", position.key()));
    }

    fn say(&self, text: &str) {
        self.output.line(&text_line(text));
    }
}

const HELP: &str = "\
uci                                   who this is, and its options
debug [on|off]                        more to read
isready                               answers readyok when it is
setoption name NAME [value VALUE]
ucinewgame
position startpos|fen FEN [moves MOVE ...]
go [depth N] [nodes N] [mate N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
   [searchmoves MOVE ...] [infinite] [ponder]
stop, ponderhit
quit
d                                     the position
eval                                  what it is worth, without a search
bench [DEPTH]                         thinks about some positions, to see how fast it is
perft N, go perft N                   counts sequences of N moves";
