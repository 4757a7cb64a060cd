//! [`TournamentSearch`]: the strong search for chess, with any static evaluation (paper 002, §5: "everything a modern
//! αβ has").
//!
//! Reading order: `node.rs` (the recursive search, beside its pseudo-code) → `quiescence.rs` (its leaves) →
//! `move_picker.rs`, `history.rs` and `threats.rs` (which moves first) → `pruning.rs`, `probcut.rs` and `reductions.rs` (which moves not, or
//! less deep) → `root.rs` (iterative deepening) → `threads.rs` (several at once). `table.rs` and `see.rs` stand alone;
//! `tunables.rs` has the numbers.
//!
//! Inside, scores are whole hundredths of a pawn as the side to move sees them; what leaves the search is the first
//! player's (`scores.rs`).

mod corrections;
mod cycles;
mod endings;
mod evaluation;
mod history;
mod keys;
mod limits;
mod move_picker;
mod node;
mod packed;
mod probcut;
mod pruning;
mod quiescence;
mod reductions;
mod report;
mod root;
mod scores;
mod see;
mod settings;
mod table;
mod threads;
mod threats;
mod tunables;
mod worker;

pub use evaluation::{ChessEvaluation, EVALUATION_LIMIT};
pub use limits::SearchLimits;
pub use report::{RootProgress, SearchInfo, SearchNews};
pub use settings::{MAX_TOURNAMENT_DEPTH, TournamentSettings};
pub use tunables::Tunables;

use super::{Budget, Decision, Score, Search};
use crate::Value;
use crate::value::centipawns::winning_chance;
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Record, Rng, Side};
use limits::Clock;
use std::sync::Arc;
use table::Table;
use worker::Worker;

/// The search that plays: iterative deepening with all the enhancements of [`TournamentSettings`].
///
/// It keeps its table and histories from search to search, as a game wants it. With one thread, a search after
/// [`TournamentSearch::clear`] is the same every time, node by node, unless the clock ends it.
///
/// ```
/// use afterstate_engine::Budget;
/// use afterstate_engine::search::{ChessEvaluation, SearchNews, TournamentSearch, TournamentSettings};
/// use afterstate_games::{Chess, Notation, Record};
///
/// #[derive(Clone)]
/// struct Indifferent;
///
/// impl ChessEvaluation for Indifferent {
///     fn evaluate(&mut self, _: &Chess) -> i32 {
///         0
///     }
/// }
/// let game = Record::new(Chess::parse_position("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")?);
/// let mut search = TournamentSearch::new(Indifferent, TournamentSettings::default());
/// let budget = Budget { depth: Some(4), ..Budget::default() };
/// let shallow = &mut |news: &SearchNews| assert!(news.line().is_none_or(|line| line.depth <= 4));
/// let decision = search.search(&game, &budget.into(), shallow);
/// assert_eq!(decision.best, Some(game.position().parse_move("Ra8#")?));
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub struct TournamentSearch<E> {
    settings: TournamentSettings,
    table: Arc<Table>,
    /// One for each thread.
    workers: Vec<Worker<E>>,
}

impl<E: ChessEvaluation> TournamentSearch<E> {
    /// A search with this evaluation.
    pub fn new(evaluation: E, settings: TournamentSettings) -> Self {
        let table = Arc::new(Table::new(settings.table_mib));
        let first = Worker::new(0, &settings, table.clone(), evaluation);
        let threads = settings.threads;
        let mut search = TournamentSearch { settings, table, workers: vec![first] };
        search.set_threads(threads);
        search
    }

    /// The settings as they are now.
    pub fn settings(&self) -> &TournamentSettings {
        &self.settings
    }

    /// Searches with so many threads from now on; 0 counts as 1.
    pub fn set_threads(&mut self, threads: usize) {
        self.settings.threads = threads.max(1);
        self.workers.truncate(self.settings.threads);
        while self.workers.len() < self.settings.threads {
            let evaluation = self.workers[0].evaluation.clone();
            self.workers.push(Worker::new(self.workers.len(), &self.settings, self.table.clone(), evaluation));
        }
    }

    /// A new, empty table of about so many MiB. If that much memory cannot be had, it is smaller. Returns how large it is, in MiB.
    pub fn set_table_mib(&mut self, mebibytes: usize) -> usize {
        self.settings.table_mib = mebibytes;
        // The old one goes first, to make room.
        self.replace_table(Table::new(0));
        self.replace_table(Table::new(mebibytes));
        self.table.mebibytes()
    }

    fn replace_table(&mut self, table: Table) {
        self.table = Arc::new(table);
        for worker in &mut self.workers {
            worker.table = self.table.clone();
        }
    }

    /// Another evaluation from now on. What the old one left behind is forgotten.
    pub fn set_evaluation(&mut self, evaluation: E) {
        for worker in &mut self.workers {
            worker.evaluation = evaluation.clone();
        }
        self.clear();
    }

    /// Forgets what earlier searches left: the next one runs as if it were the first.
    pub fn clear(&mut self) {
        self.table.clear();
        self.workers.iter_mut().for_each(Worker::clear);
    }

    /// Searches from the present position of a game, whose earlier positions count for repetition, and calls `watch` with
    /// every line that is finished, and when it takes long with every move of the root that is begun.
    ///
    /// There is always a move if the position has a legal one, whatever the limits, even where the game is a draw already;
    /// without one it resigns. [`Decision::effort`] counts nodes: positions that moves were played to.
    pub fn search(
        &mut self,
        record: &Record<Chess>,
        limits: &SearchLimits,
        watch: &mut dyn FnMut(&SearchNews),
    ) -> Decision<Move> {
        let root = record.position();
        let moves = root_moves(root, &limits.root_moves);
        if moves.is_empty() {
            return Decision::resign();
        }
        self.table.age();
        let threads = if limits.alone { 1 } else { self.workers.len() };
        let workers = &mut self.workers[..threads];
        let clock = Arc::new(Clock::new(limits, threads));
        for worker in &mut *workers {
            worker.begin(record.repetition_keys(), &moves, &clock);
        }
        let (best, depth) = threads::search(workers, root, &clock, watch);
        let score = best.known().map(|seen| scores::leaving(root.side_to_move(), seen));
        Decision {
            best: Some(best.mv()),
            value: score.map(value_of),
            principal_variation: best.line.clone(),
            effort: clock.total_nodes(),
            depth: Some(depth),
            plies_to_end: score.and_then(Score::plies_to_end),
        }
    }
}

/// The moves to choose among: the legal ones that were asked for, or all.
fn root_moves(root: &Chess, asked_for: &[Move]) -> Vec<Move> {
    let mut moves = Vec::new();
    // Not the legal moves of the game, which has none when it is drawn: an answer may be wanted all the same.
    root.board().generate_moves(|of_a_piece| {
        moves.extend(of_a_piece);
        false
    });
    if moves.iter().any(|mv| asked_for.contains(mv)) {
        moves.retain(|mv| asked_for.contains(mv));
    }
    moves
}

/// The winning probability that a score stands for: certainty, or the logistic curve of the Elo scale with a pawn worth 100.
fn value_of(score: Score) -> Value {
    Value(match score.winner() {
        Some(Side::First) => 1.0,
        Some(Side::Second) => 0.0,
        None => winning_chance(score.first_player()),
    })
}

impl<E: ChessEvaluation> Search<Chess> for TournamentSearch<E> {
    /// Knows nothing of what came before `root`, and needs no random numbers.
    fn search(&mut self, root: &Chess, budget: &Budget, _: &mut Rng) -> Decision<Move> {
        TournamentSearch::search(self, &Record::new(root.clone()), &budget.clone().into(), &mut |_| {})
    }
}
