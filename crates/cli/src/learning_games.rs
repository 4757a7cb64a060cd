//! Games between players that learn: one after the other, or several at once that share what is learnt.

use afterstate_engine::learning::TrainingTotals;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a series of games is played.
pub struct LearningGames<'a, P> {
    /// Games at once.
    pub threads: usize,
    /// Whether another game may begin. Those that have begun are played to their end.
    pub may_go_on: &'a (dyn Fn() -> bool + Sync),
    /// Makes the players of a thread.
    pub players: &'a (dyn Fn() -> P + Sync),
    /// Plays the game with this number and says what it adds to the totals; nothing if it could not be played.
    pub play: &'a (dyn Fn(u64, &mut P) -> Option<TrainingTotals> + Sync),
    /// Is told of the totals so far after each game, one thread after the other.
    pub played: &'a (dyn Fn(TrainingTotals) + Sync),
}

impl<P> LearningGames<'_, P> {
    /// Plays the games with numbers in `games`, or the first of them.
    pub fn run(&self, games: Range<u64>) -> TrainingTotals {
        let next = AtomicU64::new(games.start);
        let finished = Mutex::new(TrainingTotals::default());
        let work = || {
            let mut players = (self.players)();
            while (self.may_go_on)() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= games.end {
                    break;
                }
                let Some(totals) = (self.play)(number, &mut players) else { break };
                let mut finished = finished.lock().expect("no thread panics with the totals");
                finished.add(&totals);
                (self.played)(*finished);
            }
        };
        if self.threads <= 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..self.threads {
                    scope.spawn(work);
                }
            });
        }
        finished.into_inner().expect("no thread panics with the totals")
    }
}
