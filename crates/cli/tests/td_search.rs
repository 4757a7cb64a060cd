//! Agents that learn while they simulate, as a user meets them: in matches, over GTP, in the suite.

mod support;

use support::{checkpoint, fail, run_in, succeed};

/// Wins and losses of the first agent.
fn tally(args: &[&str]) -> (u64, u64) {
    let report: serde_json::Value = serde_json::from_str(&succeed(&[&["match"], args, &["--json"]].concat())).unwrap();
    assert_eq!(report["faults"].as_array().map(Vec::len), Some(0), "{report}");
    (report["tally"]["wins"].as_u64().unwrap(), report["tally"]["losses"].as_u64().unwrap())
}

#[test]
fn td_search_beats_a_random_player_at_every_game_on_a_grid() {
    for game in [&["--size", "5"][..], &["--game", "connect-four"], &["--game", "tic-tac-toe"]] {
        let (wins, losses) = tally(&[&["td-search:200", "random", "--games", "10"], game].concat());
        assert!(wins >= 6 && losses <= 2, "{game:?}: {wins} wins, {losses} losses");
    }
}

#[test]
fn td_search_learns_the_terms_of_chess() {
    let folder = tempfile::tempdir().unwrap();
    for agent in ["td-search:20,learn=8", "two-phase:20,learn=8,depth=1"] {
        tally(&[agent, "random", "--game", "chess", "--games", "2"]);
    }
    // Mate in one is known without any simulation that finds it.
    let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let played = run_in(
        folder.path(),
        &["uci", "--agent", "td-search:10,learn=8"],
        &format!("position fen {mate}\ngo nodes 10\n"),
    );
    assert!(played.out.contains("bestmove a1a8"), "{}{}", played.out, played.err);
}

#[test]
fn every_setting_can_be_used() {
    for agent in [
        "td-search:60,switch=never,exploration=0.2,step-size=0.3,lambda=0.5,features=1,squash=linear,reset=true",
        "td-search:60,switch=0,playout=uniform,features=1+2+3,resign=0,ponder=true",
        "td-search,simulations=60,playout=mogo,playout-without=save,avoid-self-atari=true,mercy=0.3",
        "td-search:60,playout-without=low-liberties",
        "td-search:60,exploration=0.1,explore-by-playout=0,random-after-switch=0,learn=all",
        "td-search:60,explore-by-playout=1,exploration=1,playout=uniform",
        "td-search:60,move-gap=4,lambda=0.8,traces=replacing",
        "td-search:60,threads=3",
        "td-search:60,lambda=0.4,traces=backward",
    ] {
        let (wins, _) = tally(&[agent, "random", "--games", "2", "--size", "5", "--opening", "0"]);
        assert!(wins >= 1, "{agent}");
    }
}

#[test]
fn one_thread_plays_the_same_games_whatever_the_number_of_workers() {
    let games = |workers: &str| {
        let agents = ["match", "td-search:60", "td-search:30", "--games", "6", "--size", "5", "--csv", "-"];
        let out = succeed(&[&agents[..], &["--workers", workers]].concat());
        // Thinking times are never the same.
        let lines =
            out.lines().filter(|line| line.contains(',')).map(|line| line.rsplitn(3, ',').nth(2).map(str::to_string));
        lines.take(7).collect::<Vec<_>>()
    };
    assert_eq!(games("1"), games("2"));
}

#[test]
fn dyna_2_remembers_a_checkpoint_and_belongs_to_its_board() {
    let folder = tempfile::tempdir().unwrap();
    checkpoint(folder.path(), 100, 5);
    let agent = "dyna-2:60,memory=run";
    let args = ["match", agent, "random", "--games", "2", "--size", "5", "--log", "log.jsonl", "--json"];
    let answer = run_in(folder.path(), &args, "");
    assert!(answer.ok, "{}", answer.err);
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    assert!(log.contains("memory=run@100"), "what played stays known when training goes on");
    let other = run_in(folder.path(), &["match", agent, "random", "--games", "2", "--size", "7"], "");
    assert!(!other.ok && other.err.contains("learnt on 5x5") && other.err.contains("--size 5"), "{}", other.err);
}

#[test]
fn threads_and_old_values_work_with_two_memories_and_on_every_grid() {
    let folder = tempfile::tempdir().unwrap();
    checkpoint(folder.path(), 100, 5);
    for agent in [
        "dyna-2:60,memory=run,threads=2,features=1+2+3",
        "dyna-2:60,memory=run,move-gap=2",
        "dyna-2:60,memory=run,tables=one,threads=2",
    ] {
        let answer = run_in(folder.path(), &["match", agent, "random", "--games", "2", "--size", "5"], "");
        assert!(answer.ok, "{}", answer.err);
    }
    let (wins, losses) = tally(&["td-search:300,threads=2", "random", "--games", "6", "--game", "connect-four"]);
    assert!(wins >= 4, "{wins} wins, {losses} losses");
}

#[test]
fn td_search_plays_over_gtp_on_any_board() {
    let commands = "boardsize 5\ngenmove b\nboardsize 7\nclear_board\ngenmove b\ngenmove w\nquit\n";
    let answer = run_in(&std::env::temp_dir(), &["gtp", "--agent", "td-search:50"], commands);
    let lines: Vec<&str> = answer.out.lines().filter(|line| !line.is_empty()).collect();
    assert!(
        answer.ok && lines.len() == 7 && lines.iter().all(|line| line.starts_with("= ") || *line == "="),
        "{lines:?}"
    );
}

#[test]
fn what_td_search_thinks_can_be_seen() {
    let commands = "boardsize 5\nlz-genmove_analyze b\nquit\n";
    let answer = run_in(&std::env::temp_dir(), &["gtp", "--agent", "td-search:200"], commands);
    let played = answer.out.trim_end().rsplit_once("play ").expect("a move").1.lines().next().unwrap_or_default();
    assert!(answer.out.contains(&format!("info move {played} visits ")), "{}", answer.out);
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    assert!(fail(&["match", "td-search:50,switch=soon", "random"]).contains("switch 'soon'"));
    assert!(fail(&["match", "td-search:50,features=4", "random"]).contains("features '4': expected some of 1, 2, 3"));
    assert!(fail(&["match", "td-search:50,learn=few", "random"]).contains("learn 'few'"));
    assert!(fail(&["match", "td-search:50,traces=no", "random"]).contains("replacing, backward"));
    assert!(fail(&["match", "dyna-2:50", "random"]).contains("'memory' is missing"));
    let one_table = fail(&["match", "dyna-2:50,memory=x,tables=one", "random", "--game", "tic-tac-toe"]);
    assert!(one_table.contains("leave tables out"), "{one_table}");
    assert!(fail(&["match", "td-search:50,reset=true,ponder=true", "random"]).contains("leave one of them out"));
    assert!(fail(&["match", "td-search:50,switch=0,exploration=0.1", "random"]).contains("exploration does nothing"));
    let nothing = fail(&["match", "dyna-2:50,memory=no/such/run", "random", "--game", "connect-four"]);
    assert!(nothing.contains("no/such/run"), "{nothing}");
    assert!(fail(&["match", "td-search:50,features=1", "random", "--game", "chess"]).contains("leave features out"));
    assert!(fail(&["match", "dyna-2:50,memory=none", "random"]).contains("td-search"));
    assert!(fail(&["match", "two-phase:50,tables=one", "random"]).contains("without a memory"));
    assert!(fail(&["match", "two-phase:50,tables=banana", "random"]).contains("banana"));
    assert!(fail(&["match", "td-search:50,learn=0", "random"]).contains("1 to 1000000"));
    assert!(fail(&["match", "td-search:50,switch=40,learn=32", "random"]).contains("learn=all"));
    let policy = fail(&["match", "td-search:50,playout=fuego", "random", "--game", "connect-four"]);
    assert!(policy.contains("uniform playouts only"), "{policy}");
}
