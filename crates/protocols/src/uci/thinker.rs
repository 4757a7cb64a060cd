//! [`Thinker`]: whoever thinks behind UCI.

use super::info::Info;
use super::limits::GoLimits;
use super::option::UciOption;
use afterstate_engine::Decision;
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Record};

/// Whoever thinks behind UCI. All its methods are called by one thread, never two at once.
pub trait Thinker: Send {
    /// Its options, beside the session's own (`Ponder`, `UCI_Chess960`, `UCI_ShowWDL`, `UCI_LimitStrength`, `UCI_Elo`,
    /// `UCI_AnalyseMode` and `Move Overhead`).
    fn options(&self) -> Vec<UciOption> {
        Vec::new()
    }

    /// One of its options is set. `name` is written as in [`Thinker::options`], and `value` is what that allows: `true` or
    /// `false`, a number within the limits, one of the choices, or, for a button, nothing.
    ///
    /// # Errors
    ///
    /// What is wrong with it after all, on one line. The old value stays.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let _ = value;
        Err(format!("there is no option {name}"))
    }

    /// The next position is of another game: forget what was learnt of this one.
    fn new_game(&mut self) {}

    /// Thinks about the position that `record` has come to. There are moves in it, though a rule may call it drawn: by
    /// repetition, say, if nobody has claimed that.
    ///
    /// Must return soon after [`GoLimits::stopped`], with whatever there is: an illegal move, or none, is replaced by
    /// some legal one. The second move of its principal variation is what the session proposes to ponder on.
    fn think(&mut self, record: &Record<Chess>, limits: &GoLimits, report: &mut dyn FnMut(&Info)) -> Decision<Move>;

    /// Whether [`Thinker::think`] ends by [`GoLimits::soft_deadline`] on its own, even if a ponderhit sets it. Otherwise
    /// the session stops it then. At [`GoLimits::hard_deadline`] the session stops everybody.
    fn keeps_time(&self) -> bool {
        true
    }

    /// What it thinks of a position without searching, in some lines for people; `None` if it has no opinion.
    fn evaluate(&mut self, record: &Record<Chess>) -> Option<String> {
        let _ = record;
        None
    }

    /// How deep `bench` searches if it is not told, in plies.
    fn bench_depth(&self) -> u32 {
        4
    }
}

impl Thinker for Box<dyn Thinker> {
    fn options(&self) -> Vec<UciOption> {
        (**self).options()
    }
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        (**self).set_option(name, value)
    }
    fn new_game(&mut self) {
        (**self).new_game();
    }
    fn think(&mut self, record: &Record<Chess>, limits: &GoLimits, report: &mut dyn FnMut(&Info)) -> Decision<Move> {
        (**self).think(record, limits, report)
    }
    fn keeps_time(&self) -> bool {
        (**self).keeps_time()
    }
    fn evaluate(&mut self, record: &Record<Chess>) -> Option<String> {
        (**self).evaluate(record)
    }
    fn bench_depth(&self) -> u32 {
        (**self).bench_depth()
    }
}
