//! What the thinking thread has to do, in the order in which it was asked for.

use super::limits::GoLimits;
use super::strength::Strength;
use afterstate_games::{Chess, Record};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Something for the thinking thread.
pub(super) enum Task {
    /// `readyok`, when everything before is done.
    Ready,
    /// An option of the thinker, and its value.
    Set(String, String),
    NewGame,
    Think(Box<Thought>),
    Evaluate(Box<Record<Chess>>),
    /// How deep, if that was said.
    Bench(Option<u32>, GoLimits),
    Perft(Box<Chess>, u32, GoLimits),
}

/// A `go`.
pub(super) struct Thought {
    pub record: Record<Chess>,
    pub limits: GoLimits,
    pub show_wdl: bool,
    /// Not at its best, but so.
    pub strength: Option<Strength>,
}

/// More wait for nobody: who sends so much without waiting means no harm to what runs.
const MOST: usize = 64;

/// Tasks that wait.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    closed: bool,
}

impl Queue {
    pub fn is_full(&self) -> bool {
        self.lock().tasks.len() >= MOST
    }

    /// Adds a task, when there is room for it. An option that is set again before anybody looked is set once.
    pub fn push(&self, task: Task) {
        let mut state = self.lock();
        if let Task::Set(name, value) = &task {
            let waiting = state.tasks.iter_mut().rev().map_while(|task| match task {
                Task::Set(name, value) => Some((name, value)),
                _ => None,
            });
            if let Some((_, old)) = waiting.into_iter().find(|(other, _)| *other == name) {
                old.clone_from(value);
                return;
            }
        }
        while state.tasks.len() >= MOST {
            state = self.wait(state);
        }
        state.tasks.push_back(task);
        self.changed.notify_all();
    }

    /// The next task, waited for; `None` when no more will come.
    pub fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        while state.tasks.is_empty() && !state.closed {
            state = self.wait(state);
        }
        let task = state.tasks.pop_front();
        self.changed.notify_all();
        task
    }

    /// No more tasks will come; those that wait are still done.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: &str) -> Task {
        Task::Set(name.into(), value.into())
    }

    fn names(queue: &Queue) -> Vec<String> {
        queue.close();
        std::iter::from_fn(|| queue.next())
            .map(|task| match task {
                Task::Set(name, value) => format!("{name}={value}"),
                Task::NewGame => "new game".into(),
                _ => "other".into(),
            })
            .collect()
    }

    #[test]
    fn tasks_keep_their_order_and_options_their_last_value() {
        let queue = Queue::default();
        for task in [set("Hash", "1"), set("Threads", "2"), set("Hash", "3"), Task::NewGame, set("Hash", "4")] {
            queue.push(task);
        }
        assert_eq!(names(&queue), ["Hash=3", "Threads=2", "new game", "Hash=4"]);
    }

    #[test]
    fn any_number_of_options_takes_no_room() {
        let queue = Queue::default();
        for i in 0..10_000 {
            queue.push(set("Hash", &i.to_string()));
        }
        assert!(!queue.is_full());
        assert_eq!(names(&queue), ["Hash=9999"]);
    }

    #[test]
    fn a_full_queue_makes_wait() {
        let queue = Queue::default();
        std::thread::scope(|scope| {
            scope.spawn(|| (0..500).for_each(|_| queue.push(Task::NewGame)));
            for _ in 0..500 {
                assert!(queue.next().is_some());
            }
        });
        assert_eq!(names(&queue).len(), 0);
    }
}
