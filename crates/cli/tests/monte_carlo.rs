//! Agents that simulate, as a user meets them: in matches, in the terminal, over GTP, in files.

mod support;

use support::{checkpoint, fail, run, run_in, succeed};

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeed(args)).unwrap()
}

/// Wins and losses of the first agent.
fn tally(args: &[&str]) -> (u64, u64) {
    let report = json(&[&["match"], args, &["--json"]].concat());
    assert_eq!(report["faults"].as_array().map(Vec::len), Some(0), "{report}");
    (report["tally"]["wins"].as_u64().unwrap(), report["tally"]["losses"].as_u64().unwrap())
}

#[test]
fn every_search_beats_a_random_player_at_every_game() {
    for agent in ["flat-mc:150", "mcts:150", "uct:150", "rave:150", "mc-rave:150"] {
        for game in [&["--size", "5"][..], &["--game", "connect-four"], &["--game", "tic-tac-toe"]] {
            let (wins, losses) = tally(&[&[agent, "random", "--games", "10"], game].concat());
            assert!(wins >= 6 && losses <= 2, "{agent}, {game:?}: {wins} wins, {losses} losses");
        }
    }
}

#[test]
fn every_setting_can_be_used() {
    for agent in [
        "mc-rave:60,beta=hand,equivalence=500,exploration=0.2,weighted-exploration=true,prior=even,prior-weight=20,prior-weight-mc=5",
        "mc-rave:60,beta=full-min-mse,bias=0.1,prior=grandfather+handcrafted,final-move=lower-bound",
        "mc-rave:60,playout=fuego,playout-without=low-liberties+patterns,mercy=0,avoid-self-atari=false,solver=true",
        "uct:60,playout=uniform,exploration=0.3,first-play-urgency=0.9,expansion-threshold=2,memory-mib=1,reuse=false",
        "uct:60,prior=handcrafted,prior-weight=5,threads=2,resign=0",
        "mcts:60,playout=mogo,avoid-self-atari=true,mercy=0.3,threads=2,parallel=root,final-move=value",
        "rave:60,ponder=true,resign=0.2,prior=none",
        "uct:60,truncate=40,early-stop=false",
        "mc-rave:60,widening=5,widening-first=10,widening-growth=1.2,threads=2,virtual-loss=3",
        "flat-mc,simulations=60,playout=mogo,playout-without=save",
    ] {
        let (wins, _) = tally(&[agent, "random", "--games", "2", "--size", "5", "--opening", "0"]);
        assert!(wins >= 1, "{agent}");
    }
}

/// Who asks for more memory than there is hears so at once, whether the search would take it bit by bit or not.
#[cfg(unix)]
#[test]
fn a_limit_of_memory_that_cannot_be_had_is_an_error() {
    for agent in ["mc-rave:50,memory-mib=100000", "uct:50,memory-mib=100000,threads=4,parallel=root"] {
        for command in ["match $AGENT random --size 5 --games 2 --time 1s", "gtp --agent $AGENT", "play --agent $AGENT"]
        {
            let command = command.replace("$AGENT", agent);
            // 16 GiB of addresses, whatever the machine has.
            let script = format!("ulimit -v 16000000; exec {} {command}", env!("CARGO_BIN_EXE_afterstate"));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{command}: {error}");
            assert!(error.trim_end().lines().count() == 1 && error.contains("memory-mib=100000"), "{command}: {error}");
        }
    }
}

#[test]
fn one_thread_plays_the_same_games_whatever_the_number_of_workers() {
    let games = |workers: &str| {
        let agents = ["match", "mc-rave:80", "uct:80", "--games", "6", "--size", "5", "--csv", "-"];
        let out = succeed(&[&agents[..], &["--workers", workers]].concat());
        // Thinking times are never the same.
        let lines =
            out.lines().filter(|line| line.contains(',')).map(|line| line.rsplitn(3, ',').nth(2).map(str::to_string));
        lines.take(7).collect::<Vec<_>>()
    };
    assert_eq!(games("1"), games("3"));
}

#[test]
fn shapes_that_were_learnt_are_prior_knowledge_and_belong_to_a_board() {
    let folder = tempfile::tempdir().unwrap();
    checkpoint(folder.path(), 100, 5);
    let log = folder.path().join("log.jsonl");
    let agent = "mc-rave:60,prior=shapes:run+even,truncate=20,values=run";
    let args = ["match", agent, "random", "--games", "2", "--size", "5", "--log", "log.jsonl", "--json"];
    let answer = run_in(folder.path(), &args, "");
    assert!(answer.ok, "{}", answer.err);
    // What played stays known when training goes on.
    assert!(std::fs::read_to_string(log).unwrap().contains("prior=shapes:run@100+even,truncate=20,values=run@100"));
    let none = run_in(folder.path(), &["match", "flat-mc:10,truncate=0,values=none", "random", "--size", "5"], "");
    assert!(!none.ok && none.err.contains("none"), "{}", none.err);
    let other = run_in(folder.path(), &["match", agent, "random", "--games", "2", "--size", "7"], "");
    assert!(!other.ok && other.err.contains("learnt on 5x5") && other.err.contains("--size 5"), "{}", other.err);
    // Over GTP the checkpoint's board is the only one.
    let gtp = run_in(folder.path(), &["gtp", "--agent", agent], "boardsize 5\ngenmove b\nboardsize 9\nquit\n");
    let lines: Vec<&str> = gtp.out.lines().filter(|line| !line.is_empty()).collect();
    assert!(
        lines[0] == "= " && lines[1].starts_with("= ") && lines[2] == "? unacceptable size",
        "{lines:?} {}",
        gtp.err
    );
}

#[test]
fn people_play_against_them() {
    let play = |game: &str, agent: &str, input: &str| {
        let answer = run_in(
            &std::env::temp_dir(),
            &["play", "--game", game, "--seed", "1", "--agent", agent, "--side", "second"],
            input,
        );
        assert!(answer.ok, "{}", answer.err);
        answer.out
    };
    let out = play("tic-tac-toe", "uct:2000,solver=true", "hint\n9\n8\n7\n6\n4\n3\n2\n1\n9\n8\n7\n6\nquit\n");
    for expected in ["uct:2000,solver=true plays ", "% for X", "would play"] {
        assert!(out.contains(expected), "'{expected}' is missing in {out}");
    }
    let out = play("connect-four", "mc-rave:500", "4\nresign\n");
    assert!(out.contains("expects") && out.contains("You resign."), "{out}");
}

#[test]
fn they_answer_over_gtp_with_clocks_and_clean_up() {
    let input = "boardsize 7\ntime_settings 1 0 0\ngenmove b\ntime_left w 1 0\ngenmove w\nplay b pass\nplay w pass\n\
                 kgs-genmove_cleanup b\nundo\ngenmove b\nquit\n";
    let answer = run_in(&std::env::temp_dir(), &["gtp", "--agent", "mc-rave:100,ponder=true", "--size", "7"], input);
    assert!(answer.ok, "{}", answer.err);
    let answers: Vec<&str> = answer.out.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(answers.len(), 11, "{answers:?}");
    assert!(answers.iter().all(|line| line.starts_with('=')), "{answers:?}");
    assert!(answers[7].len() >= 4 && answers[7] != "= pass", "the board is nearly empty: {answers:?}");
}

#[test]
fn an_agent_file_says_the_same_as_a_spec() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        "agent = \"mc-rave\"\nname = \"mogo\"\nsimulations = 80\nbeta = \"hand\"\nequivalence = 3_000\nsolver = true\n";
    std::fs::write(folder.path().join("mogo.toml"), file).unwrap();
    let play = |agent: &str| {
        let args = ["match", agent, "random", "--games", "4", "--size", "5", "--csv", "-"];
        let answer = run_in(folder.path(), &args, "");
        assert!(answer.ok, "{}", answer.err);
        let games = answer.out.lines().filter(|line| line.contains(',')).skip(1);
        games.map(|line| line.rsplitn(3, ',').nth(2).unwrap().replace(agent, "")).take(4).collect::<Vec<_>>()
    };
    let spec = play("mc-rave:80,beta=hand,equivalence=3000,solver=true");
    assert_eq!(spec.len(), 4);
    let from_file: Vec<String> = play("mogo.toml").iter().map(|line| line.replace("mogo", "")).collect();
    let moves = |lines: &[String]| lines.iter().map(|line| line.matches(' ').count()).collect::<Vec<_>>();
    assert_eq!(moves(&from_file), moves(&spec));
    std::fs::write(folder.path().join("bad.toml"), "agent = \"uct\"\n\nexplortion = 1\n").unwrap();
    let bad = run_in(folder.path(), &["match", "bad.toml", "random"], "");
    assert!(bad.err.contains("bad.toml:3") && bad.err.contains("did you mean 'exploration'?"), "{}", bad.err);
}

#[test]
fn what_is_wrong_is_named_with_what_would_be_right() {
    let refused = |agent: &str, game: &[&str]| fail(&[&["match", agent, "random"], game].concat());
    for (agent, expected) in [
        ("mc-rave:9,weighted-exploration=true", "does nothing without exploration"),
        ("mc-rave:0", "simulations '0': expected a whole number from 1"),
        ("mc-rave:100,beta=min-mes", "did you mean 'min-mse'?"),
        ("mc-rave:100,equivalence=10", "set beta=hand"),
        ("mc-rave:100,beta=hand,bias=0.1", "set beta=min-mse"),
        ("uct:100,playout=moggo", "did you mean 'mogo'?"),
        ("uct:100,playout-without=patern", "expected capture-last, save, low-liberties, patterns, captures, nakade"),
        ("uct:100,playout=mogo,playout-without=capture-last", "expected save, patterns, captures"),
        ("uct:100,playout=uniform,playout-without=save", "have no rules"),
        (
            "uct:100,playout=fuego,playout-without=nakade",
            "expected capture-last, save, low-liberties, patterns, captures",
        ),
        ("uct:100,playout=uniform,mercy=0.3", "set playout=mogo"),
        ("uct:100,mercy=2", "mercy '2': expected a number from 0 to 1"),
        ("uct:100,widening-first=10", "set widening=1"),
        ("uct:100,widening=0", "widening '0': expected a whole number from 1 to 1000"),
        ("uct:100,values=run", "set truncate=10"),
        ("uct:100,truncate=5,playout=mogo", "know no playout"),
        ("uct:100,truncate=many", "truncate 'many': expected a whole number from 0 to 10000"),
        ("uct:100,prior=handcraftet", "did you mean 'handcrafted'?"),
        ("uct:100,prior=shapes:no/such/run", "no/such/run"),
        ("uct:100,threads=0", "threads '0': expected a whole number from 1 to 256"),
        ("uct:100,solver=yes", "solver 'yes': expected true, false"),
        ("flat-mc:100,threads=2", "unknown setting 'threads'"),
        ("mc-raev:100", "did you mean 'mc-rave'?"),
    ] {
        let message = refused(agent, &[]);
        assert!(message.contains(expected), "{agent}: {message}");
    }
    let four = &["--game", "connect-four"];
    assert!(refused("uct:100,playout=mogo", four).contains("uniform playouts only"));
    assert!(refused("uct:100,prior=handcrafted", four).contains("use prior=none, even, grandfather or shapes:"));
    assert!(run(&["agents"]).out.contains("mc-rave  -  "));
}
