//! [`Session`]: one player, one game, one conversation.

use super::analyst::{Analysis, Analyst};
use super::command::{Command, Refusal};
use super::history::History;
use super::input::{Inbox, Interrupt};
use super::insight::Insight;
use super::live::LiveGraphics;
use super::table;
use super::time::Clocks;
use crate::line::{Line, MAX_LINE};
use afterstate_arena::{Player, PlayerError};
use afterstate_engine::search::Ownership;
use afterstate_games::go::{Go, MAX_SIZE, MIN_SIZE};
use afterstate_games::rng::mix;
use afterstate_games::{Game, Record, Turn};
use std::io::{self, BufRead, Write};
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A conversation in which other programs play against, or with the help of, one player.
///
/// It starts with an empty 19×19 board (or the nearest size that the player accepts) and komi 7.5.
///
/// ```
/// use afterstate_arena::RandomPlayer;
/// use afterstate_protocols::gtp::Session;
/// use std::io::Cursor;
///
/// let session = Session::new("random", Box::new(RandomPlayer::default())).with_sizes(9..=9);
/// let mut output = Vec::new();
/// session.run(Cursor::new("known_command play\n2 boardsize 13\n3 quit\n"), &mut output).unwrap();
/// assert_eq!(String::from_utf8(output).unwrap(), "= true\n\n?2 unacceptable size\n\n=3 \n\n");
/// ```
pub struct Session {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) player: Box<dyn Player<Go>>,
    pub(super) insight: Option<Arc<dyn Insight>>,
    pub(super) analyst: Option<Box<dyn Analyst>>,
    /// What the analyst last found, and in which position.
    pub(super) seen: Option<(Go, Analysis)>,
    /// Who owns what at the end, where that was asked for last.
    pub(super) settled: Option<(Go, Ownership)>,
    pub(super) live: LiveGraphics,
    /// How many playouts, or simulations of the analyst, tell dead stones from living ones; `None` if all stones count as alive.
    pub(super) status_playouts: Option<u32>,
    pub(super) sizes: RangeInclusive<usize>,
    pub(super) seed: u64,
    /// How often the player was told of a new game: every time with another seed.
    games: u64,
    pub(super) history: History,
    pub(super) clocks: Clocks,
    /// When the present command came, and when the last one was answered.
    asked: Instant,
    answered: Instant,
    /// The player does not know the present record: it must hear of a new game before anything else.
    pub(super) stale: bool,
    /// The record ends with a move that the player has not heard of: it hears when the command has been answered.
    unreported: bool,
    /// The player has heard that this game is over.
    over: bool,
}

/// What a command is called with.
pub(super) struct Call<'a> {
    pub id: Option<u32>,
    pub args: &'a [String],
    pub out: &'a mut dyn Write,
    pub interrupt: &'a Interrupt,
}

/// What a command leads to.
pub(super) enum Answer {
    /// The text after `=`.
    Text(String),
    /// The command has written its response itself, the empty line at the end included.
    Streamed,
    /// An empty response, and the end.
    Quit,
}

impl Answer {
    /// A response without text.
    pub fn done() -> Result<Answer, Refusal> {
        Ok(Answer::Text(String::new()))
    }

    pub fn text(text: impl Into<String>) -> Result<Answer, Refusal> {
        Ok(Answer::Text(text.into()))
    }
}

impl Session {
    /// A session in which `player` plays. `name` is how it introduces itself.
    pub fn new(name: impl Into<String>, player: Box<dyn Player<Go>>) -> Session {
        Session {
            name: name.into(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            player,
            insight: None,
            analyst: None,
            seen: None,
            settled: None,
            live: LiveGraphics::default(),
            status_playouts: None,
            sizes: MIN_SIZE..=MAX_SIZE,
            seed: 0,
            games: 0,
            history: History::new(Go::new(MAX_SIZE)),
            clocks: Clocks::default(),
            asked: Instant::now(),
            answered: Instant::now(),
            stale: true,
            unreported: false,
            over: false,
        }
    }

    /// What the `version` command answers; this crate's version unless it is said.
    pub fn with_version(mut self, version: impl Into<String>) -> Session {
        self.version = version.into();
        self
    }

    /// Where the player's randomness comes from. With the same seed and the same commands, everything
    /// but time-limited searches repeats itself.
    pub fn with_seed(mut self, seed: u64) -> Session {
        self.seed = seed;
        self
    }

    /// The board sizes that the player can play on; others are refused as unacceptable. Sizes beyond 5 to
    /// 19 are cut off.
    ///
    /// # Panics
    ///
    /// If no size is left.
    pub fn with_sizes(mut self, sizes: RangeInclusive<usize>) -> Session {
        self.sizes = *sizes.start().max(&MIN_SIZE)..=*sizes.end().min(&MAX_SIZE);
        assert!(!self.sizes.is_empty(), "board sizes {sizes:?}: expected some size from {MIN_SIZE} to {MAX_SIZE}");
        self.history = History::new(Go::new(*self.sizes.end()));
        self
    }

    /// Shows values of afterstates and shapes to whoever asks.
    pub fn with_insight(mut self, insight: Arc<dyn Insight>) -> Session {
        self.insight = Some(insight);
        self
    }

    /// Answers the analyze commands with a search, rather than with the values of afterstates.
    pub fn with_analyst(mut self, analyst: Box<dyn Analyst>) -> Session {
        self.analyst = Some(analyst);
        self
    }

    /// Draws on GoGui's board while the analyst thinks, if the user switches that on: `out` is standard error, where GoGui
    /// looks for it.
    pub fn with_live_graphics(mut self, out: Box<dyn Write + Send>) -> Session {
        self.live = LiveGraphics::new(out);
        self
    }

    /// Finds dead stones by as many simulations of the analyst, if there is one that knows who owns what, or else by so many playouts, and
    /// counts games without them. Otherwise every stone counts as alive.
    ///
    /// ```
    /// use afterstate_arena::RandomPlayer;
    /// use afterstate_protocols::gtp::Session;
    /// let mut session = Session::new("random", Box::new(RandomPlayer::default())).with_status_playouts(500);
    /// session.respond("boardsize 5");
    /// for point in ["B1", "B2", "B3", "B4", "B5", "D1", "D2", "D3", "D4", "D5"] {
    ///     session.respond(&format!("play b {point}"));
    /// }
    /// session.respond("play w E3");
    /// assert_eq!(session.respond("final_status_list dead"), "= E3\n\n");
    /// assert_eq!(session.respond("final_score"), "= B+17.5\n\n");
    /// ```
    pub fn with_status_playouts(mut self, playouts: u32) -> Session {
        self.status_playouts = Some(playouts);
        self
    }

    /// The game as it stands.
    pub fn record(&self) -> &Record<Go> {
        self.history.record()
    }

    /// Answers every line of `input` on `output`, until `quit` or the end.
    ///
    /// The input is read by a thread of its own, which after `quit` stays behind until it has read one
    /// more line or the input ends.
    ///
    /// # Errors
    ///
    /// When `output` cannot be written. An input that cannot be read counts as ended.
    pub fn run(mut self, input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
        let lines = Inbox::read(input);
        let interrupt = lines.interrupt();
        while let Some((line, came)) = lines.next() {
            // A clock runs from here on, whatever the player still has to do.
            self.asked = came.max(self.answered);
            if !self.answer(&line, &mut output, &interrupt)? {
                break;
            }
        }
        Ok(())
    }

    /// The response to one line; empty if the line has no command. Analyses end as soon as they have reported.
    pub fn respond(&mut self, line: &str) -> String {
        let line = if line.len() > MAX_LINE { Line::TooLong(line.to_owned()) } else { Line::Whole(line.to_owned()) };
        self.asked = Instant::now();
        let mut output = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.answer(&line, &mut output, &Interrupt::at_once());
        String::from_utf8_lossy(&output).into_owned()
    }

    /// How long the present command has been waiting for us.
    pub(super) fn waited(&self) -> Duration {
        self.asked.elapsed()
    }

    /// Whether the session goes on after this line.
    fn answer(&mut self, line: &Line, out: &mut dyn Write, interrupt: &Interrupt) -> io::Result<bool> {
        let goes_on = self.write_answer(line, out, interrupt)?;
        self.answered = Instant::now();
        // A player may take its time over a move that it hears of, to tidy up its tree, say. Nobody should wait for that.
        self.report_move();
        Ok(goes_on)
    }

    fn write_answer(&mut self, line: &Line, out: &mut dyn Write, interrupt: &Interrupt) -> io::Result<bool> {
        let (Line::Whole(text) | Line::TooLong(text)) = line;
        let command = match Command::parse(text) {
            Some(Ok(command)) => command,
            Some(Err(Refusal::Says(reason))) => return write_response(out, '?', None, &reason).map(|()| true),
            Some(Err(Refusal::Output(error))) => return Err(error),
            None if matches!(line, Line::TooLong(_)) && !text.contains('#') => {
                Command { id: None, name: String::new(), args: Vec::new() }
            }
            None => return Ok(true),
        };
        let id = command.id;
        let result = match line {
            Line::TooLong(_) => Err(Refusal::Says(format!("line too long: expected at most {MAX_LINE} bytes"))),
            Line::Whole(_) => table::call(self, &command.name, Call { id, args: &command.args, out, interrupt }),
        };
        match result {
            Ok(Answer::Text(text)) => write_response(out, '=', id, &text)?,
            Ok(Answer::Streamed) => {}
            Ok(Answer::Quit) => {
                write_response(out, '=', id, "")?;
                return Ok(false);
            }
            Err(Refusal::Says(reason)) => write_response(out, '?', id, &reason.replace('\n', " "))?,
            Err(Refusal::Output(error)) => return Err(error),
        }
        Ok(true)
    }

    /// Begins a new game at `start`.
    pub(super) fn start_game(&mut self, start: Go) {
        self.history = History::new(start);
        self.clocks.restart();
        self.changed();
    }

    /// The record was changed by something other than a move.
    pub(super) fn changed(&mut self) {
        // Whoever ponders should not go on with a game that is no more.
        if !self.stale && !self.over {
            let (player, record) = (&mut self.player, self.history.record());
            let _ = guarded(|| {
                player.broken_off(record, record.position().outcome());
                Ok(())
            });
        }
        self.stale = true;
        self.unreported = false;
        self.over = false;
    }

    /// The present record ends with a move that the player has to hear of.
    pub(super) fn moved(&mut self) {
        self.unreported = true;
    }

    /// Makes sure that the player knows `record`.
    pub(super) fn introduce(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
        if self.stale {
            let seed = mix(self.seed ^ mix(self.games));
            self.games += 1;
            self.over = false;
            let player = &mut self.player;
            guarded(|| player.new_game(record, seed))?;
            self.stale = false;
        }
        Ok(())
    }

    /// Tells the player of the move that the present record ends with, if it has not heard of it.
    fn report_move(&mut self) {
        if !std::mem::take(&mut self.unreported) {
            return;
        }
        let (player, record) = (&mut self.player, self.history.record());
        // A player that cannot follow is introduced to the game again when it is needed.
        self.stale |= guarded(|| player.move_played(record)).is_err();
        if matches!(record.turn(), Turn::Over(_)) {
            self.report_end();
        }
    }

    /// Tells the player, once, that the game is over as it stands.
    pub(super) fn report_end(&mut self) {
        if !self.over && !self.stale {
            self.over = true;
            let (player, record) = (&mut self.player, self.history.record());
            let _ = guarded(|| {
                player.game_over(record, record.position().outcome());
                Ok(())
            });
        }
    }
}

/// Whether who wins, and by how much, is the same question in both positions: their keys say nothing of the board's size, which empty
/// ones do not show, and of how games are counted.
pub(super) fn same_question(one: &Go, other: &Go) -> bool {
    let question = |game: &Go| (game.key(), game.size(), game.komi(), game.scoring(), game.handicap());
    question(one) == question(other)
}

/// Turns a panic of a player into an error: the session outlives its player's mistakes.
pub(super) fn guarded<T>(call: impl FnOnce() -> Result<T, PlayerError>) -> Result<T, PlayerError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Err(PlayerError::Crashed("the player panicked".into())))
}

/// The beginning of a response: `=`, the id, a blank.
pub(super) fn head(sign: char, id: Option<u32>) -> String {
    id.map_or_else(|| format!("{sign} "), |id| format!("{sign}{id} "))
}

/// Writes a whole response. An empty line would end it too early, so there can be none within.
fn write_response(out: &mut dyn Write, sign: char, id: Option<u32>, text: &str) -> io::Result<()> {
    let text: String = text.chars().filter(|&c| c == '\n' || !c.is_control()).collect();
    let mut response = head(sign, id);
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 && !line.trim().is_empty() {
            response.push('\n');
        }
        if i == 0 || !line.trim().is_empty() {
            response.push_str(line);
        }
    }
    response.push_str("\n\n");
    out.write_all(response.as_bytes())?;
    out.flush()
}
