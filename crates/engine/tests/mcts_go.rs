//! Tree searches on Go: reproducible, legal, and within their memory.

use afterstate_engine::search::{
    Experience, FuegoPrior, McRave, Mcts, MctsSettings, Passes, PlayOut, Schedule, Situation, Uct,
};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::{FuegoPlayout, Go, Point, UniformGoPlayout};
use afterstate_games::{Game, Notation, Record, Side, Turn, stream};

fn settings(simulations: u64) -> MctsSettings {
    MctsSettings { simulations, memory_mib: 16, early_stop: false, ..MctsSettings::default() }
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let search = |seed| {
        let mut search = Mcts::new(McRave::default(), PlayOut(UniformGoPlayout), settings(400));
        let decision = search.search(&Go::new(9), &Budget::default(), &mut stream(seed, 0));
        (decision, search.report())
    };
    assert_eq!(search(1), search(1));
    assert_ne!(search(1), search(2));
}

/// Both sides of a whole game search with their trees kept; every move is legal under superko, and the game ends.
#[test]
fn games_end_and_respect_superko() {
    let mut record = Record::new(Go::new(5));
    let mut black = Mcts::new(McRave::default(), PlayOut(UniformGoPlayout), settings(200));
    let mut white = Mcts::new(Uct::default(), PlayOut(UniformGoPlayout), settings(200));
    let (mut rng, mut moves) = (stream(3, 0), Vec::new());
    for ply in 0..300 {
        let Turn::Player(_) = record.turn() else { return };
        record.position().candidate_moves(&mut moves);
        moves.push(afterstate_games::go::Move::PASS);
        moves.dedup();
        moves.retain(|&mv| record.is_legal(mv));
        let situation = Situation::of(&record, &moves);
        let decision = match ply % 2 {
            0 => black.search_situation(&situation, &Budget::default(), &mut rng, None),
            _ => white.search_situation(&situation, &Budget::default(), &mut rng, None),
        };
        let mv = decision.best.unwrap();
        assert!(record.is_legal(mv));
        record.play(mv);
    }
    panic!("no end after 300 moves");
}

/// On 5×5 the centre is by far the best first move, which even uniform playouts show (196 of 200 seeds). Without priors,
/// all-moves-as-first values must keep their weight for long, for nothing else makes the search look around.
#[test]
fn the_centre_is_found_on_five_by_five() {
    let rule = McRave { schedule: Schedule::MinimumMse { bias: 0.007 }, ..McRave::default() };
    let finds = |seed: &u64| {
        let mut search = Mcts::new(rule, PlayOut(UniformGoPlayout), settings(10_000));
        let decision = search.search(&Go::new(5), &Budget::default(), &mut stream(*seed, 0));
        decision.best.unwrap().point() == Some(Point::at(2, 2, 5))
    };
    let found = (0..40).filter(finds).count();
    assert!(found >= 36, "{found} of 40");
}

/// Whoever plays J5 loses a chain there, and nothing else is left to do: without passes in the tree the side to move
/// seems to have to. With them White sees that Black, who is behind, has to lose something too, or to pass and lose the game.
#[test]
fn nobody_has_to_play_where_both_would_lose() {
    let rows = "O1OOOOOOO/1O1OXOXXX/OOOXXOOX1/OXXOXXXXX/OOXOOOOX1/OXXOXOOOO/XXOOXOXOO/1XXXXXXO1/XX1XX1XOO";
    let game = Go::parse_position(&format!("{} w komi=7.5", rows)).unwrap();
    let seen = |passes| {
        let rule = McRave { schedule: Schedule::MinimumMse { bias: 0.007 }, ..McRave::default() };
        let settings = MctsSettings { passes, ..settings(2000) };
        let mut search = Mcts::new(rule, PlayOut(FuegoPlayout::default()), settings);
        let decision = search.search(&game, &Budget::default(), &mut stream(4, 0));
        (decision.best.unwrap().is_pass(), decision.value.unwrap().seen_by(Side::Second))
    };
    let (passes, value) = seen(Passes::Always);
    assert!(passes && value > 0.9, "{value}");
    let (passes, value) = seen(Passes::Candidates);
    assert!(!passes && value < 0.1, "{value}");
}

/// White is ahead, and Black can only hope that White moves in the seki at the top right. Playouts in which White does so lose, and
/// White passes in all of them when it is too late: that must not speak against its passing at once.
#[test]
fn passing_in_time_is_not_judged_by_passing_too_late() {
    let rows = "OOOOOXXX1/1OOXXXO1O/OOOOXOOOO/1OOXOOOXX/OOXXXOX1X/1OOXXXXXX/OOX1XXX2/O1XXXXXXX/OOOXX2XX";
    let game = Go::parse_position(&format!("{rows} b komi=7.5")).unwrap();
    let prior = FuegoPrior::new(Experience { monte_carlo: 5, amaf: 9 });
    let mut search = Mcts::with(McRave::default(), PlayOut(FuegoPlayout::default()), prior, (), settings(10_000));
    let value = search.search(&game, &Budget::default(), &mut stream(6, 0)).value.unwrap();
    assert!(value.0 < 0.5, "{value:?}");
}
