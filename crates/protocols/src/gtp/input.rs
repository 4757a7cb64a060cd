//! Lines of input, read by a thread of their own: an analysis must notice the next command while it runs.

use crate::line::{Line, read_line};
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Lines that are read ahead. Whoever sends more waits.
const READ_AHEAD: usize = 64;

#[derive(Default)]
struct Queue {
    /// Each with when it came.
    lines: VecDeque<(Line, Instant)>,
    ended: bool,
    abandoned: bool,
}

/// The lines that have been read and not yet been taken.
#[derive(Default)]
pub(super) struct Inbox {
    queue: Mutex<Queue>,
    changed: Condvar,
    pending: Arc<AtomicBool>,
}

impl Inbox {
    /// Starts a thread that reads `input` to its end, or until the [`Reader`] is dropped and one more line came.
    pub fn read(mut input: impl BufRead + Send + 'static) -> Reader {
        let inbox = Arc::new(Inbox::default());
        let shared = Arc::clone(&inbox);
        std::thread::spawn(move || {
            // An input that cannot be read any more has ended.
            while let Ok(Some(line)) = read_line(&mut input) {
                if !shared.push(line) {
                    return;
                }
            }
            shared.change(|queue| queue.ended = true);
        });
        Reader(inbox)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Queue) -> T) -> T {
        let mut queue = self.lock();
        let result = change(&mut queue);
        self.pending.store(!queue.lines.is_empty() || queue.ended, Ordering::Relaxed);
        self.changed.notify_all();
        result
    }

    /// Whether anybody still takes lines.
    fn push(&self, line: Line) -> bool {
        let mut queue = self.lock();
        while queue.lines.len() >= READ_AHEAD && !queue.abandoned {
            queue = self.wait(queue);
        }
        drop(queue);
        self.change(|queue| {
            queue.lines.push_back((line, Instant::now()));
            !queue.abandoned
        })
    }

    /// The next line and when it came, waited for; `None` when there are no more.
    fn next(&self) -> Option<(Line, Instant)> {
        let mut queue = self.lock();
        while queue.lines.is_empty() && !queue.ended {
            queue = self.wait(queue);
        }
        drop(queue);
        self.change(|queue| queue.lines.pop_front())
    }

    /// Waits until there is a line, or no more to come.
    fn wait_for_input(&self) {
        let mut queue = self.lock();
        while queue.lines.is_empty() && !queue.ended {
            queue = self.wait(queue);
        }
    }
}

/// The end of an [`Inbox`] from which lines are taken.
pub(super) struct Reader(Arc<Inbox>);

impl Reader {
    pub fn next(&self) -> Option<(Line, Instant)> {
        self.0.next()
    }

    pub fn interrupt(&self) -> Interrupt {
        Interrupt { pending: Arc::clone(&self.0.pending), inbox: Some(Arc::clone(&self.0)) }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.change(|queue| queue.abandoned = true);
    }
}

/// Tells a running analysis that it has to stop.
#[derive(Clone)]
pub(super) struct Interrupt {
    /// Whether input is waiting, or has ended.
    pub pending: Arc<AtomicBool>,
    inbox: Option<Arc<Inbox>>,
}

impl Interrupt {
    /// For sessions that are given single lines: an analysis ends as soon as it has reported.
    pub fn at_once() -> Interrupt {
        Interrupt { pending: Arc::new(AtomicBool::new(true)), inbox: None }
    }

    /// Waits until input is waiting, or has ended.
    pub fn wait(&self) {
        if let Some(inbox) = &self.inbox {
            inbox.wait_for_input();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn pending_says_whether_the_next_line_is_there() {
        let reader = Inbox::read(Cursor::new(b"a\nb\n".to_vec()));
        let interrupt = reader.interrupt();
        interrupt.wait();
        assert!(interrupt.pending.load(Ordering::Relaxed));
        let next = || reader.next().map(|(line, _)| line);
        assert_eq!(next(), Some(Line::Whole("a".into())));
        assert_eq!(next(), Some(Line::Whole("b".into())));
        assert_eq!(next(), None);
        assert!(interrupt.pending.load(Ordering::Relaxed), "the end counts as input");
    }
}
