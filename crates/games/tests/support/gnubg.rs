//! Asking GNU Backgammon at its command line.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// What the program says to these commands.
pub fn ask(program: &Path, commands: String) -> String {
    // Where it never ran before it makes a folder for its files; of two that do so at once one gives up.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut child = Command::new(program)
        .args(["--tty", "--quiet", "--no-rc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("gnubg starts");
    let (mut input, mut output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let writer = std::thread::spawn(move || input.write_all(commands.as_bytes()).and_then(|()| input.flush()));
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes).expect("answers");
    child.wait().expect("gnubg ends at the end of its input");
    writer.join().expect("the writer does not panic").expect("gnubg reads all commands");
    String::from_utf8_lossy(&bytes).into_owned()
}
