//! Lines of input, read by a thread of their own: an analysis must notice the next command while it runs.

use std::collections::VecDeque;
use std::io::{self, BufRead, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Longer lines (in bytes) are refused, and all but their beginning is forgotten while it is read.
pub const MAX_LINE: usize = 64 * 1024;

/// Lines that are read ahead. Whoever sends more waits.
const READ_AHEAD: usize = 64;

/// A line, without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(String),
    /// The beginning of a line of more than [`MAX_LINE`] bytes.
    TooLong(String),
}

/// Reads one line of any length into bounded memory; `None` at the end. Bytes that are not UTF-8 become
/// replacement characters.
pub(super) fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let (mut bytes, mut whole, mut anything) = (Vec::new(), true, false);
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            break;
        }
        anything = true;
        let feed = chunk.iter().position(|&byte| byte == b'\n');
        let text = &chunk[..feed.unwrap_or(chunk.len())];
        let kept = text.len().min(MAX_LINE - bytes.len());
        bytes.extend_from_slice(&text[..kept]);
        whole &= kept == text.len();
        let used = text.len() + usize::from(feed.is_some());
        input.consume(used);
        if feed.is_some() {
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(anything.then_some(if whole { Line::Whole(text) } else { Line::TooLong(text) }))
}

#[derive(Default)]
struct Queue {
    lines: VecDeque<Line>,
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
            queue.lines.push_back(line);
            !queue.abandoned
        })
    }

    /// The next line, waited for; `None` when there are no more.
    fn next(&self) -> Option<Line> {
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
    pub fn next(&self) -> Option<Line> {
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
    use std::io::{BufReader, Cursor, Read};

    fn lines(bytes: &[u8]) -> Vec<Line> {
        // A tiny buffer, so that lines cross its border.
        let mut input = BufReader::with_capacity(7, Cursor::new(bytes.to_vec()));
        std::iter::from_fn(|| read_line(&mut input).unwrap()).collect()
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end() {
        let whole = |text: &str| Line::Whole(text.into());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"name\nversion"), [whole("name"), whole("version")]);
        assert_eq!(lines(b"\n\nname and more\n"), [whole(""), whole(""), whole("name and more")]);
        assert_eq!(lines(b"na\xffme\n"), [whole("na\u{fffd}me")]);
    }

    #[test]
    fn overlong_lines_are_cut_and_the_next_one_is_whole() {
        let mut bytes = vec![b'x'; MAX_LINE];
        assert_eq!(lines(&bytes), [Line::Whole("x".repeat(MAX_LINE))]);
        bytes.extend_from_slice(b"y\nname\n");
        assert_eq!(lines(&bytes), [Line::TooLong("x".repeat(MAX_LINE)), Line::Whole("name".into())]);
    }

    #[test]
    fn an_endless_line_takes_no_more_memory_than_the_limit() {
        let mut input = BufReader::new(io::repeat(b'a').take(50_000_000));
        let Some(Line::TooLong(text)) = read_line(&mut input).unwrap() else { panic!("expected an overlong line") };
        assert_eq!(text.len(), MAX_LINE);
    }

    #[test]
    fn pending_says_whether_the_next_line_is_there() {
        let reader = Inbox::read(Cursor::new(b"a\nb\n".to_vec()));
        let interrupt = reader.interrupt();
        interrupt.wait();
        assert!(interrupt.pending.load(Ordering::Relaxed));
        assert_eq!(reader.next(), Some(Line::Whole("a".into())));
        assert_eq!(reader.next(), Some(Line::Whole("b".into())));
        assert_eq!(reader.next(), None);
        assert!(interrupt.pending.load(Ordering::Relaxed), "the end counts as input");
    }
}
