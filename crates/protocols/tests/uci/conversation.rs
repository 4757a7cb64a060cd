//! A session that is spoken to line by line.

use afterstate_protocols::uci::{Session, Thinker};
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Long enough for any machine; only a hang waits for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A session on a thread of its own.
pub struct Conversation {
    /// `None` once the input has ended.
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<String>,
    session: JoinHandle<io::Result<()>>,
}

impl Conversation {
    pub fn new(thinker: impl Thinker + 'static) -> Conversation {
        let (input, bytes) = channel();
        let (send, lines) = channel();
        let session = Session::new("test", Box::new(thinker)).with_author("nobody");
        let input_end = BufReader::new(Pipe { bytes, left: Vec::new() });
        let session = std::thread::spawn(move || session.run(input_end, Lines { send, begun: Vec::new() }));
        Conversation { input: Some(input), lines, session }
    }

    pub fn send_bytes(&self, bytes: &[u8]) {
        // A session that has ended does not listen.
        let _ = self.input.as_ref().expect("the input is open").send(bytes.to_vec());
    }

    pub fn send(&self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// The next line of the answers; `None` after the last.
    pub fn line(&self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(error) => panic!("no line: {error}"),
        }
    }

    /// All lines up to one that begins like this, which is the last of them.
    pub fn until(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line().unwrap_or_else(|| panic!("'{beginning}' is missing after {lines:?}"));
            let found = line.starts_with(beginning);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Nothing more is said for now.
    pub fn expect_quiet(&self) {
        std::thread::sleep(Duration::from_millis(30));
        self.send("isready");
        assert_eq!(self.line().as_deref(), Some("readyok"));
    }

    /// Ends the input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Ends the input; the lines that are still said, and how the session ended.
    pub fn end(mut self) -> (Vec<String>, io::Result<()>) {
        self.close();
        let lines = std::iter::from_fn(|| self.line()).collect();
        (lines, self.session.join().expect("no panic"))
    }
}

/// Standard input of a session.
struct Pipe {
    bytes: Receiver<Vec<u8>>,
    left: Vec<u8>,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            self.left = self.bytes.recv().unwrap_or_default();
        }
        let count = self.left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.left[..count]);
        self.left.drain(..count);
        Ok(count)
    }
}

/// Standard output of a session.
struct Lines {
    send: Sender<String>,
    begun: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        while let Some(end) = self.begun.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            let _ = self.send.send(String::from_utf8(line[..end].to_vec()).expect("text"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        assert!(self.begun.is_empty(), "lines are written whole");
        Ok(())
    }
}
