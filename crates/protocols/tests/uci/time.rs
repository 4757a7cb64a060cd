//! The session keeps the time of thinkers that do not.

use super::conversation::Conversation;
use super::thinkers::Scripted;

#[test]
fn who_does_not_keep_its_time_is_stopped() {
    for timeless in [false, true] {
        let conversation = Conversation::new(Scripted { timeless, ..Scripted::default() });
        for go in ["go movetime 20", "go wtime 1000 btime 1000", "go wtime 1 btime 1 movestogo 1"] {
            conversation.send(go);
            conversation.until("bestmove");
        }
        conversation.send("go ponder wtime 1000 btime 1000");
        conversation.until("info depth");
        conversation.expect_quiet();
        conversation.send("ponderhit");
        assert!(conversation.line().unwrap().starts_with("bestmove"));
        conversation.end().1.unwrap();
    }
}

#[test]
fn lines_that_never_stop_do_not_keep_it_thinking() {
    let conversation = Conversation::new(Scripted { timeless: true, ..Scripted::default() });
    conversation.send("go movetime 50");
    let mut said = Vec::new();
    while !said.iter().any(|line: &String| line.starts_with("bestmove")) {
        conversation.send("isready");
        said.push(conversation.line().unwrap());
    }
    let (rest, result) = conversation.end();
    assert!(rest.iter().all(|line| line == "readyok"), "{rest:?}");
    result.unwrap();
}
