//! The thread that thinks: it does one [`Task`] after the other.

use super::bench::bench;
use super::info::{Info, Line, Score};
use super::limits::GoLimits;
use super::output::Output;
use super::perft::divide;
use super::position::{line_text, playable_moves};
use super::report::{Reporter, text_line};
use super::tasks::{Queue, Task, Thought};
use super::thinker::Thinker;
use afterstate_engine::Decision;
use afterstate_games::chess::Move;
use afterstate_games::rng::{below, unit};
use afterstate_games::{Chess, Notation, Rng};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The thinking thread's own.
pub(super) struct Worker<'a, 'w> {
    pub thinker: Box<dyn Thinker>,
    pub queue: &'a Queue,
    pub output: &'a Output<'w>,
    /// What decides when a player that is held back errs.
    pub rng: Rng,
}

impl Worker<'_, '_> {
    /// Does what is asked for until nothing more comes.
    pub fn run(mut self) {
        while let Some(task) = self.queue.next() {
            self.perform(task);
        }
    }

    fn perform(&mut self, task: Task) {
        match task {
            Task::Ready => self.output.line("readyok"),
            Task::Set(name, value) => {
                if let Some(Err(error)) = self.guarded(|thinker| thinker.set_option(&name, &value)) {
                    self.say(&error);
                }
            }
            Task::NewGame => drop(self.guarded(|thinker| thinker.new_game())),
            Task::Think(thought) => self.think(*thought),
            Task::Evaluate(record) => match self.guarded(|thinker| thinker.evaluate(&record)) {
                Some(Some(text)) => self.output.line(text.trim_end()),
                _ => self.say("eval: nothing is known of a position before it is searched"),
            },
            Task::Bench(depth, limits) => self.bench(depth, &limits),
            Task::Perft(position, depth, limits) => self.perft(&position, depth, &limits),
        }
    }

    /// Answers a `go`: whatever happens, with one `bestmove`.
    fn think(&mut self, thought: Thought) {
        let Thought { record, limits, show_wdl, strength } = thought;
        let position = record.position();
        let moves = playable_moves(position);
        let mut reporter = Reporter::new(position.clone(), limits.began, show_wdl);
        let output = self.output;
        let mut report = |info: &Info| {
            if let Some(line) = reporter.line(info) {
                output.line(&line);
            }
        };
        let mut decision = None;
        if moves.is_empty() {
            let score = if position.board().checkers().is_empty() { Score::Centipawns(0) } else { Score::Mate(0) };
            report(&Info::Line(Line { score: Some(score), ..Line::default() }));
        } else {
            decision = self.guarded(|thinker| thinker.think(&record, &limits, &mut report));
            if decision.is_none() {
                // What it held may be half done.
                self.guarded(|thinker| thinker.new_game());
            }
        }
        let allowed = if limits.search_moves.is_empty() { &moves } else { &limits.search_moves };
        let (mut best, mut line) = choose(decision, allowed);
        if let Some(strength) = strength
            && !allowed.is_empty()
            && unit(&mut self.rng) < strength.error
        {
            best = Some(allowed[below(&mut self.rng, allowed.len() as u32) as usize]);
            line.clear();
        }
        limits.signals.wait_for_leave(limits.infinite);
        // First done, then said: who has the answer may ask again at once.
        limits.signals.finish();
        self.output.line(&answer(position, best, &line));
    }

    fn bench(&mut self, depth: Option<u32>, limits: &GoLimits) {
        let output = self.output;
        let mut report = |info: &Info| {
            if let Info::Text(text) = info {
                output.line(&text_line(text));
            }
        };
        let total = self.guarded(|thinker| bench(thinker, depth, limits, &mut report)).flatten();
        limits.signals.finish();
        match total {
            Some(total) => {
                let per_second = u128::from(total.nodes) * 1_000_000 / total.time.as_micros().max(1);
                let milliseconds = total.time.as_millis();
                self.output.line(&format!(
                    "Total time (ms) : {milliseconds}\nNodes searched  : {}\nNodes/second    : {per_second}",
                    total.nodes
                ));
            }
            None => self.say("bench: stopped"),
        }
    }

    fn perft(&mut self, position: &Chess, depth: u32, limits: &GoLimits) {
        let total = divide(position, depth, limits, |line| self.output.line(&line));
        limits.signals.finish();
        match total {
            Some(total) => self.output.line(&format!("\nNodes searched: {total}\n")),
            None => self.say("perft: stopped"),
        }
    }

    /// Turns a panic of the thinker into a line: the session outlives its thinker's mistakes.
    fn guarded<T>(&mut self, call: impl FnOnce(&mut dyn Thinker) -> T) -> Option<T> {
        let thinker = &mut *self.thinker;
        let result = catch_unwind(AssertUnwindSafe(|| call(thinker))).ok();
        if result.is_none() {
            self.say("the search failed: this is a mistake in the program");
        }
        result
    }

    fn say(&self, text: &str) {
        self.output.line(&text_line(text));
    }
}

/// The decision's move if it is allowed, and the line that it begins; else the first allowed move, if there is one.
fn choose(decision: Option<Decision<Move>>, allowed: &[Move]) -> (Option<Move>, Vec<Move>) {
    match decision {
        Some(Decision { best: Some(best), principal_variation, .. }) if allowed.contains(&best) => {
            (Some(best), principal_variation)
        }
        _ => (allowed.first().copied(), Vec::new()),
    }
}

/// `bestmove e2e4 ponder e7e5`; a null move where there is none.
fn answer(position: &Chess, best: Option<Move>, line: &[Move]) -> String {
    let Some(best) = best else { return "bestmove 0000".into() };
    let mut text = format!("bestmove {}", position.move_text(best));
    if let [first, reply, ..] = line
        && *first == best
        && let Some((_, reply)) = line_text(position, &[best, *reply]).split_once(' ')
    {
        text += &format!(" ponder {reply}");
    }
    text
}
