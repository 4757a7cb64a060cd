//! `loadsgf` and `printsgf`.

use super::players::session;
use afterstate_protocols::gtp::Session;
use std::path::PathBuf;

/// A file that is gone when the test ends.
pub struct Temporary(pub PathBuf);

impl Temporary {
    pub fn new(name: &str, text: impl AsRef<[u8]>) -> Temporary {
        let path = std::env::temp_dir().join(format!("afterstate-gtp-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const GAME: &str = "(;GM[1]FF[4]SZ[9]KM[5.5]AW[aa]PL[B];B[ee];W[ce];B[eg](;W[gc])(;W[cc]))";

#[test]
fn a_move_number_stops_before_that_move() {
    let file = Temporary::new("a game.sgf", GAME);
    let path = file.0.display();
    let mut session = session();
    for (number, stones) in [("", 5), (" 1", 1), (" 2", 2), (" 3", 3), (" 4", 4), (" 5", 5), (" 99", 5)] {
        assert_eq!(session.respond(&format!("loadsgf {path}{number}")), "= \n\n", "{number}");
        let go = session.record().position();
        assert_eq!((go.size(), go.komi().points()), (9, 5.5));
        assert_eq!(81 - go.board().empty_count(), stones, "{number}");
    }
    assert_eq!(session.respond("final_status_list alive"), "= E3\nC5\nE5\nG7\nA9\n\n");
    assert_eq!(session.respond("undo"), "= \n\n");
    assert_eq!(session.respond("final_status_list alive"), "= E3\nC5\nE5\nA9\n\n");
    assert_eq!(session.respond("genmove w"), "= A1\n\n");
}

#[test]
fn files_that_cannot_be_loaded_leave_the_game_as_it_was() {
    let files = [
        ("cut", "(;SZ[9];B[e"),
        ("nonsense", "this is no game"),
        ("illegal", "(;SZ[9];B[ee];W[ee])"),
        ("chess", "(;GM[2])"),
        ("large", "(;SZ[13];B[ee])"),
        ("tiny", "(;SZ[2];B[aa])"),
        ("empty", ""),
    ];
    let mut session = session().with_sizes(5..=9);
    session.respond("play b C3");
    for (name, text) in files {
        let file = Temporary::new(name, text);
        let response = session.respond(&format!("loadsgf {}", file.0.display()));
        assert!(response.starts_with("? cannot load file '"), "{name}: {response}");
        assert_eq!(session.record().moves().len(), 1, "{name}");
    }
    for path in ["/no/such/file.sgf", "/", "/dev/zero"] {
        assert!(session.respond(&format!("loadsgf {path}")).starts_with("? cannot load file"), "{path}");
    }
    let file = Temporary::new("good", GAME);
    for number in ["0", "99999999999999999999999"] {
        let response = session.respond(&format!("loadsgf {} {number}", file.0.display()));
        assert!(response.starts_with("? syntax error: MOVE_NUMBER"), "{response}");
    }
    assert_eq!(session.respond("final_status_list alive"), "= C3\n\n");
}

#[test]
fn what_is_printed_can_be_loaded() {
    let mut session = session();
    for command in [
        "boardsize 9",
        "komi 6.5",
        "play w E5",
        "play w E6",
        "play b C3",
        "play b C4",
        "play b pass",
        "play w D4",
        "play w D3",
        "genmove b",
    ] {
        assert!(session.respond(command).starts_with('='), "{command}");
    }
    let stones = session.respond("final_status_list alive");
    let score = session.respond("final_score");
    let printed = session.respond("printsgf");
    let text = printed.strip_prefix("= ").unwrap();
    assert!(!text.trim_end().contains("\n\n"), "{text}");
    let file = Temporary::new("printed.sgf", text);
    session.respond("clear_board");
    assert_eq!(session.respond(&format!("loadsgf {}", file.0.display())), "= \n\n");
    assert_eq!(session.respond("final_status_list alive"), stones);
    assert_eq!(session.respond("final_score"), score);
}

/// A triple ko comes back to a position, as Japanese rules let it; over GTP positional superko holds.
#[test]
fn positions_may_come_again_in_a_file() {
    let mut session = session();
    let stones = "AB[ba][ab][bc][ga][fb][gc][hb][bf][ag][bh]AW[ca][db][cc][bb][ha][ib][hc][cf][dg][ch][bg]PL[B]";
    let moves = ";B[cb];W[gb];B[cg];W[bb];B[hb]";
    let file = Temporary::new("triple.sgf", format!("(;SZ[9]KM[7.5]RU[Japanese]{stones}{moves};W[bg];B[ii])"));
    assert_eq!(session.respond(&format!("loadsgf {}", file.0.display())), "= \n\n");
    assert!(session.respond("printsgf").trim_end().ends_with(";W[bg];B[ii])"));
    let file = Temporary::new("before.sgf", format!("(;SZ[9]KM[7.5]{stones}{moves})"));
    assert_eq!(session.respond(&format!("loadsgf {}", file.0.display())), "= \n\n");
    assert!(session.respond("play w B3").starts_with("? illegal move"));
}

/// Handicap stones that stand as moves count as such, passes that do not stand there do not, and a pass out of turn ends no game.
#[test]
fn moves_are_counted_as_the_file_has_them() {
    let mut session = session();
    let file = Temporary::new("free.sgf", "(;SZ[9]HA[3]KM[0.5];B[cc];B[gg];B[cg];W[ee];W[dd];B[ff])");
    let stones = |session: &mut Session, number: &str| {
        assert_eq!(session.respond(&format!("loadsgf {}{number}", file.0.display())), "= \n\n");
        let alive = session.respond("final_status_list alive");
        alive.trim_start_matches("= ").split_whitespace().count()
    };
    assert_eq!([" 4", " 5", " 6", ""].map(|number| stones(&mut session, number)), [3, 4, 5, 6]);

    // After a dispute about what is dead the game goes on; the passes before count as the moves that they are in the file.
    let file = Temporary::new("dispute.sgf", "(;SZ[9]KM[0.5];B[ee];W[];B[];W[gc];B[cc])");
    for (number, last) in [(" 2", ";B[ee])"), (" 4", ";B[ee])"), (" 5", ";W[gc])"), ("", ";B[cc])")] {
        assert_eq!(session.respond(&format!("loadsgf {}{number}", file.0.display())), "= \n\n");
        let printed = session.respond("printsgf");
        assert!(printed.trim_end().ends_with(last), "{number}: {printed}");
    }

    for command in ["clear_board", "play w C3", "play w pass"] {
        assert!(session.respond(command).starts_with('='), "{command}");
    }
    let printed = session.respond("printsgf");
    assert!(printed.contains(";W[cg])") && !printed.contains("RE["), "{printed}");
}

#[test]
fn handicaps_and_results_are_printed() {
    let mut session = session();
    for command in ["boardsize 9", "komi 0.5", "fixed_handicap 2", "play w E5", "play b pass", "play w pass"] {
        assert!(session.respond(command).starts_with('='), "{command}");
    }
    let printed = session.respond("printsgf");
    for property in ["SZ[9]", "KM[0.5]", "HA[2]", "AB[", ";W[ee]"] {
        assert!(printed.contains(property), "{property}: {printed}");
    }
    assert!(printed.contains("RE[W+") || printed.contains("RE[B+"), "{printed}");
}
