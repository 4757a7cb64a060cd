//! [`Pondering`]: something that goes on in another thread until it is wanted back.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, spawn};

/// A search on the opponent's time. Dropping it stops the thread and waits for it.
pub(super) struct Pondering<T: Send + 'static> {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<T>>,
}

impl<T: Send + 'static> Pondering<T> {
    /// Lets `work` use `search` until it is stopped.
    pub(super) fn start(mut search: T, work: impl FnOnce(&mut T, Arc<AtomicBool>) + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let theirs = stop.clone();
        let thread = spawn(move || {
            work(&mut search, theirs);
            search
        });
        Pondering { stop, thread: Some(thread) }
    }

    /// Stops, and gives back what was lent. A panic of the thread goes on here.
    pub(super) fn end(mut self) -> T {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take().expect("only `end` and `drop` take the thread");
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl<T: Send + 'static> Drop for Pondering<T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Whatever went wrong there matters to nobody any more.
            let _ = thread.join();
        }
    }
}
