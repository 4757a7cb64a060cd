//! Standard output, which several threads write to, line by line.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Where answers go. After an error nothing is written any more, and the error is kept.
pub(super) struct Output<'w> {
    sink: Mutex<(Box<dyn Write + Send + 'w>, Option<io::Error>)>,
    /// Called once, when nobody reads any more.
    on_error: Box<dyn Fn() + Send + Sync + 'w>,
}

impl<'w> Output<'w> {
    pub fn new(writer: impl Write + Send + 'w, on_error: impl Fn() + Send + Sync + 'w) -> Output<'w> {
        Output { sink: Mutex::new((Box::new(writer), None)), on_error: Box::new(on_error) }
    }

    /// Writes a line, or several, which nothing comes between.
    pub fn line(&self, text: &str) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        if sink.1.is_some() {
            return;
        }
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(b'\n');
        if let Err(error) = sink.0.write_all(&bytes).and_then(|()| sink.0.flush()) {
            sink.1 = Some(error);
            drop(sink);
            (self.on_error)();
        }
    }

    pub fn has_failed(&self) -> bool {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner).1.is_some()
    }

    /// The error that ended it, if one did.
    pub fn result(&self) -> io::Result<()> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner).1.take().map_or(Ok(()), Err)
    }
}
