//! Two-phase search, as a user meets it: in matches, with clocks, over GTP.

mod support;

use support::{checkpoint, fail, run_in, succeed};

#[test]
fn beats_a_random_player_at_every_game_on_a_grid() {
    for game in [&["--size", "5"][..], &["--game", "connect-four"], &["--game", "tic-tac-toe"]] {
        let args = [&["match", "two-phase:100,depth=3", "random", "--games", "6", "--json"], game].concat();
        let report: serde_json::Value = serde_json::from_str(&succeed(&args)).unwrap();
        assert_eq!(report["faults"].as_array().map(Vec::len), Some(0), "{report}");
        assert!(report["tally"]["wins"].as_u64().unwrap() >= 4, "{game:?}: {report}");
    }
}

#[test]
fn every_setting_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    checkpoint(folder.path(), 100, 5);
    for agent in [
        "two-phase:30,depth=2,split=0.7,table-mib=0,memory=run",
        "two-phase:30,depth=3,memory=run,lambda=0.5,features=1,reset=true,resign=0",
        "two-phase,simulations=30,depth=1,lambda=0.5,squash=linear,switch=never",
        "two-phase:30,memory=none,playout=uniform,ponder=true,exploration=0.2,step-size=0.3",
    ] {
        let log = ["match", agent, "random", "--games", "2", "--size", "5", "--log", "log.jsonl"];
        let answer = run_in(folder.path(), &log, "");
        assert!(answer.ok, "{agent}: {}", answer.err);
        let played = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
        assert_eq!(played.contains("memory=run@100"), agent.contains("memory=run"), "{played}");
        std::fs::remove_file(folder.path().join("log.jsonl")).unwrap();
    }
}

#[test]
fn keeps_to_a_clock() {
    let agents = ["match", "two-phase", "td-search:20", "--games", "2", "--size", "5", "--time", "5s", "--json"];
    let report: serde_json::Value = serde_json::from_str(&succeed(&agents)).unwrap();
    assert_eq!(report["faults"].as_array().map(Vec::len), Some(0), "{report}");
}

#[test]
fn parts_of_alpha_beta_can_be_switched_off_and_on() {
    for agent in [
        "two-phase:20,depth=3,deepening=false,principal-variation=false,killers=false,history=true,null-move=true",
        "two-phase:20,depth=3,decay=never,ponder=true",
        "two-phase:20,decay=5",
        "alpha-beta,depth=3,null-move=true,history=true,killers=false",
    ] {
        let args = ["match", agent, "random", "--games", "2", "--size", "5", "--time", "3s", "--json"];
        let report: serde_json::Value = serde_json::from_str(&succeed(&args)).unwrap();
        assert_eq!(report["faults"].as_array().map(Vec::len), Some(0), "{agent}: {report}");
    }
    assert!(fail(&["match", "two-phase:20,decay=1", "random"]).contains("decay '1': expected a number from 2 to 1000"));
    assert!(fail(&["match", "alpha-beta,null-move=yes", "random"]).contains("null-move 'yes': expected true, false"));
}

#[test]
fn tree_search_can_start_from_what_td_search_has_learnt() {
    let folder = tempfile::tempdir().unwrap();
    checkpoint(folder.path(), 100, 5);
    for agent in [
        "mc-rave:100,prior=short-term",
        "uct:100,prior=short-term:run,prior-weight=20,prior-share=0.3",
        "mcts:60,prior=handcrafted+short-term,threads=2,ponder=true",
    ] {
        let answer = run_in(
            folder.path(),
            &["match", agent, "random", "--games", "2", "--size", "5", "--log", "log.jsonl", "--json"],
            "",
        );
        assert!(answer.ok, "{agent}: {}", answer.err);
        let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
        assert_eq!(log.contains("short-term:run@100"), agent.contains("short-term:run"), "{log}");
        std::fs::remove_file(folder.path().join("log.jsonl")).unwrap();
    }
    let commands = "boardsize 5\nlz-genmove_analyze b\nquit\n";
    let answer = run_in(folder.path(), &["gtp", "--agent", "uct:200,prior=short-term"], commands);
    assert!(answer.ok && answer.out.contains("info move "), "{}", answer.err);
    assert!(fail(&["match", "uct:50,prior-share=0.3", "random"]).contains("does nothing without prior=short-term"));
    assert!(fail(&["match", "uct:50,prior=short-term+short-term", "random"]).contains("once is enough"));
    assert!(fail(&["match", "uct:50,prior=short-terms", "random"]).contains("did you mean 'short-term'?"));
    let other = fail(&["match", "uct:50,prior=fuego", "random", "--game", "connect-four"]);
    assert!(other.contains("no such prior"), "{other}");
}

/// What TD search and Dyna-2 learn of other games is a prior there, a long-term memory and the start of alpha-beta.
#[test]
fn other_games_have_both_memories_too() {
    let folder = tempfile::tempdir().unwrap();
    let recipes = [
        ("four", "game = \"connect-four\"\ngames = 50\n[features]\nsizes = [1, 2]\n[evaluation]\ngames = 0\n"),
        (
            "chess",
            "game = \"chess\"\ngames = 1\n[learner]\nrule = \"tree-strap\"\n[search]\nnodes = 200\n[evaluation]\ngames = 0\n",
        ),
    ];
    for (name, recipe) in recipes {
        std::fs::write(folder.path().join(format!("{name}.toml")), recipe).unwrap();
        let trained = run_in(folder.path(), &["train", &format!("{name}.toml"), "--out", name], "");
        assert!(trained.ok, "{}", trained.err);
    }
    for (game, agent) in [
        ("tic-tac-toe", "uct:60,prior=short-term,prior-weight=20".to_string()),
        ("connect-four", "mc-rave:60,prior=short-term:four+even,prior-share=0.3,solver=true,threads=2".to_string()),
        ("connect-four", "dyna-2:40,memory=four".to_string()),
        ("connect-four", "two-phase:40,memory=four,depth=3".to_string()),
        ("chess", "uct:20,prior=short-term".to_string()),
        ("chess", "mcts:20,prior=short-term:chess".to_string()),
        ("chess", "dyna-2:10,memory=chess".to_string()),
        ("chess", "two-phase:10,memory=chess,depth=2".to_string()),
    ] {
        let args = ["match", &agent, "random", "--games", "2", "--game", game, "--json"];
        let answer = run_in(folder.path(), &args, "");
        assert!(answer.ok, "{agent}: {}", answer.err);
        let report: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
        assert_eq!(report["faults"].as_array().map(Vec::len), Some(0), "{agent}: {report}");
    }
    let wrong = run_in(folder.path(), &["match", "uct:20,prior=short-term:four", "random", "--game", "chess"], "");
    assert!(!wrong.ok && wrong.err.contains("four@50 holds values of connect-four, not of chess"), "{}", wrong.err);
}

#[test]
fn the_same_games_whatever_the_number_of_workers() {
    let games = |workers: &str| {
        let agents = ["match", "two-phase:40,depth=3", "td-search:30", "--games", "4", "--size", "5", "--csv", "-"];
        let out = succeed(&[&agents[..], &["--workers", workers]].concat());
        // Thinking times are never the same.
        let lines =
            out.lines().filter(|line| line.contains(',')).map(|line| line.rsplitn(3, ',').nth(2).map(str::to_string));
        lines.take(5).collect::<Vec<_>>()
    };
    assert_eq!(games("1"), games("2"));
}

#[test]
fn what_both_phases_think_can_be_seen() {
    let commands = "boardsize 5\nlz-genmove_analyze b\nlz-analyze w 10\nname\nquit\n";
    let answer = run_in(&std::env::temp_dir(), &["gtp", "--agent", "two-phase:200,depth=3"], commands);
    assert!(answer.ok, "{}", answer.err);
    let played = answer.out.split("play ").nth(1).expect("a move").lines().next().unwrap_or_default();
    assert!(answer.out.contains(&format!("info move {played} visits ")), "{}", answer.out);
    assert!(answer.out.contains("= afterstate two-phase:200,depth=3"), "{}", answer.out);
}

#[test]
fn plays_on_any_board_unless_it_remembers() {
    let commands = "boardsize 5\ngenmove b\nboardsize 7\nclear_board\ngenmove b\ngenmove w\nquit\n";
    let answer = run_in(&std::env::temp_dir(), &["gtp", "--agent", "two-phase:30,depth=2"], commands);
    let lines: Vec<&str> = answer.out.lines().filter(|line| !line.is_empty()).collect();
    assert!(answer.ok && lines.len() == 7 && lines.iter().all(|line| line.starts_with('=')), "{lines:?}");
    let folder = tempfile::tempdir().unwrap();
    checkpoint(folder.path(), 100, 5);
    let agent = ["match", "two-phase:30,memory=run", "random", "--games", "2", "--size", "7"];
    let other = run_in(folder.path(), &agent, "");
    assert!(!other.ok && other.err.contains("learnt on 5x5"), "{}", other.err);
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let refused = |agent: &str| fail(&["match", agent, "random"]);
    assert!(refused("two-phase:50,depth=0").contains("depth '0': expected a whole number from 1 to 64"));
    assert!(refused("two-phase:50,split=2").contains("split '2': expected a number from 0 to 1"));
    assert!(refused("two-phase:50,memory=x,squash=linear").contains("squash does nothing with a memory"));
    assert!(refused("two-phase:50,memory=no/such/run").contains("no/such/run"));
    let nothing = fail(&["match", "two-phase:50,memory=no/such/run", "random", "--game", "connect-four"]);
    assert!(nothing.contains("no/such/run"), "{nothing}");
}
