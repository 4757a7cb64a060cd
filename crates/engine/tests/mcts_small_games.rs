//! Tree searches find what plain minimax finds in tic-tac-toe and in late positions of Connect Four.

use afterstate_engine::search::{
    FlatMonteCarlo, FlatMonteCarloSettings, GreedyMcts, McRave, Mcts, MctsSettings, Parallelisation, PlayOut, Proof,
    Rave, Schedule, Selection, Uct, Widening, minimax,
};
use afterstate_engine::value::Indifferent;
use afterstate_engine::{Budget, Search, Value};
use afterstate_games::rng::{below, stream};
use afterstate_games::{ConnectFour, Deterministic, Game, IndexedMoves, Side, TicTacToe, Turn, UniformPlayout};
use std::fmt::Debug;
use std::sync::LazyLock;

fn settings(simulations: u64) -> MctsSettings {
    MctsSettings { simulations, memory_mib: 8, early_stop: false, ..MctsSettings::default() }
}

/// The value of `position` for the first player under perfect play.
fn exact<G: Deterministic>(position: &G) -> f32 {
    match minimax(position, 42, &Indifferent).0.winner() {
        Some(Side::First) => 1.0,
        Some(Side::Second) => 0.0,
        None => 0.5,
    }
}

/// The position after `moves` random ones, unless the game is over by then.
fn random_position<G: Game>(mut game: G, moves: usize, seed: u64) -> Option<G> {
    let (mut rng, mut legal) = (stream(seed, moves as u64), Vec::new());
    for _ in 0..moves {
        game.legal_moves(&mut legal);
        if legal.is_empty() {
            return None;
        }
        game.play(legal[below(&mut rng, legal.len() as u32) as usize]);
    }
    matches!(game.turn(), Turn::Player(_)).then_some(game)
}

/// A position, its value for the first player under perfect play, and the moves that keep it.
struct Solved<G: Game> {
    position: G,
    value: f32,
    best: Vec<G::Move>,
}

fn solve<G: Deterministic>(position: G) -> Solved<G> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let values: Vec<f32> = moves
        .iter()
        .map(|&mv| {
            let mut after = position.clone();
            after.play(mv);
            exact(&after)
        })
        .collect();
    let value = match position.turn() {
        Turn::Player(Side::First) => values.iter().copied().fold(0.0, f32::max),
        _ => values.iter().copied().fold(1.0, f32::min),
    };
    let best = moves.iter().zip(&values).filter(|&(_, v)| *v == value).map(|(&mv, _)| mv).collect();
    Solved { position, value, best }
}

/// In how many of `positions` the search plays a move that keeps their value.
fn right_moves<G, S>(positions: &[Solved<G>], rule: &S, settings: &MctsSettings) -> usize
where
    G: IndexedMoves + Deterministic + Debug,
    S: Selection,
{
    let mut search = Mcts::new(rule.clone(), PlayOut(UniformPlayout::default()), settings.clone());
    let mut right = 0;
    for (i, Solved { position, value, best }) in positions.iter().enumerate() {
        search.clear();
        let decision = search.search(position, &Budget::default(), &mut stream(7, i as u64));
        right += usize::from(best.contains(&decision.best.unwrap()));
        if settings.solver {
            assert_ne!(search.report().moves[0].proof, Proof::Open, "{position:?}");
            assert_eq!(decision.value, Some(Value(*value)), "{position:?}");
        }
    }
    right
}

/// Positions of Connect Four in which at most twelve discs are still to come, all random games that get there.
fn late_positions() -> impl Iterator<Item = Solved<ConnectFour>> {
    let late = |seed: u64| random_position(ConnectFour::new(), 30 + (seed % 6) as usize, seed);
    (0..).filter_map(late).map(solve)
}

/// Some move is a mistake, and none wins at once.
fn is_hard<G: Game>(solved: &Solved<G>) -> bool {
    let mut moves = Vec::new();
    solved.position.legal_moves(&mut moves);
    let wins = |&mv: &G::Move| solved.position.outcome_after(mv).is_some_and(|outcome| outcome.winner.is_some());
    solved.best.len() < moves.len() && !moves.iter().any(wins)
}

static CONNECT_FOUR_POSITIONS: LazyLock<Vec<Solved<ConnectFour>>> =
    LazyLock::new(|| late_positions().filter(is_hard).take(CONNECT_FOUR).collect());

static TIC_TAC_TOE_POSITIONS: LazyLock<Vec<Solved<TicTacToe>>> = LazyLock::new(|| {
    let middle = |seed: u64| random_position(TicTacToe::new(), (seed % 8) as usize, seed);
    let all = (0..).filter_map(middle).map(solve);
    all.filter(|solved| is_hard(solved) || solved.position == TicTacToe::new()).take(TIC_TAC_TOE).collect()
});

const CONNECT_FOUR: usize = 110;
const TIC_TAC_TOE: usize = 40;

fn agreement<S: Selection>(rule: S, simulations: u64) -> (usize, usize) {
    let settings = settings(simulations);
    let connect_four = right_moves(&CONNECT_FOUR_POSITIONS, &rule, &settings);
    (connect_four, right_moves(&TIC_TAC_TOE_POSITIONS, &rule, &settings))
}

/// Upper confidence bounds converge to minimax.
#[test]
fn rules_that_explore_agree_with_minimax() {
    assert_eq!(agreement(Uct::default(), 10_000), (CONNECT_FOUR, TIC_TAC_TOE));
    assert_eq!(agreement(McRave { exploration: 0.5, ..McRave::default() }, 10_000), (CONNECT_FOUR, TIC_TAC_TOE));
    let schedule = Schedule::HandSelected { equivalence: 1000.0 };
    let weighted = McRave { schedule, exploration: 1.0, weighted_exploration: true, ..McRave::default() };
    assert_eq!(agreement(weighted, 10_000), (CONNECT_FOUR, TIC_TAC_TOE));
}

/// Only a share can be asked of rules that never explore. A move whose first simulations went badly falls below the values of
/// others and is never tried again, although it may be the best: what it is worth stays what random playouts said. Rapid
/// values mend that in part, for other simulations add to them, but they say what a move is worth at any time and not now.
/// With the solver the same rules prove every position: what is proved to lose is left alone, and the rest comes to be tried.
#[test]
fn rules_that_only_exploit_nearly_agree_with_minimax() {
    let nearly = |(connect_four, tic_tac_toe): (usize, usize)| {
        assert!(connect_four >= CONNECT_FOUR * 7 / 10, "{connect_four} of {CONNECT_FOUR}");
        assert!(tic_tac_toe >= TIC_TAC_TOE * 6 / 10, "{tic_tac_toe} of {TIC_TAC_TOE}");
    };
    nearly(agreement(GreedyMcts::default(), 2000));
    nearly(agreement(Rave::default(), 2000));
    for schedule in
        [Schedule::default(), Schedule::HandSelected { equivalence: 1000.0 }, Schedule::FullMinimumMse { bias: 0.1 }]
    {
        nearly(agreement(McRave { schedule, ..McRave::default() }, 2000));
    }
}

/// With the solver every rule proves the value of every position, and plays a move that keeps it.
#[test]
fn the_solver_proves_what_minimax_finds() {
    let settings = MctsSettings { solver: true, ..settings(400_000) };
    fn proves<S: Selection>(rule: S, settings: &MctsSettings) {
        assert_eq!(right_moves(&CONNECT_FOUR_POSITIONS, &rule, settings), CONNECT_FOUR);
        assert_eq!(right_moves(&TIC_TAC_TOE_POSITIONS, &rule, settings), TIC_TAC_TOE);
    }
    proves(Uct::default(), &settings);
    proves(GreedyMcts::default(), &settings);
    proves(Rave::default(), &settings);
    proves(McRave::default(), &settings);
    let hand_selected = Schedule::HandSelected { equivalence: 1000.0 };
    proves(McRave { schedule: hand_selected, ..McRave::default() }, &settings);
    proves(McRave { exploration: 0.5, ..McRave::default() }, &settings);
    proves(Uct::default(), &MctsSettings { widening: Some(Widening::default()), ..settings.clone() });
    proves(Uct::default(), &MctsSettings { threads: 2, ..settings.clone() });
    let parallelisation = Parallelisation::Root;
    proves(McRave::default(), &MctsSettings { threads: 2, parallelisation, ..settings });
}

/// A thousand late positions as they come, easy ones too.
#[test]
fn the_solver_proves_a_thousand_late_positions() {
    let positions: Vec<_> = late_positions().take(1000).collect();
    let settings = MctsSettings { solver: true, ..settings(400_000) };
    assert_eq!(right_moves(&positions, &Uct::default(), &settings), 1000);
    assert_eq!(right_moves(&positions, &McRave::default(), &settings), 1000);
    // Plain searches find a move that keeps the value in nearly all of them.
    let plain = MctsSettings { solver: false, simulations: 2000, ..settings };
    for right in [right_moves(&positions, &Uct::default(), &plain), right_moves(&positions, &McRave::default(), &plain)]
    {
        assert!(right >= 950, "{right} of 1000");
    }
}

/// Flat simulations find most of the right moves, but not all, however many there are.
#[test]
fn flat_monte_carlo_nearly_agrees_with_minimax() {
    let mut search = FlatMonteCarlo::new(PlayOut(UniformPlayout::default()), FlatMonteCarloSettings::default());
    let mut right = 0;
    for (i, Solved { position, best, .. }) in CONNECT_FOUR_POSITIONS.iter().enumerate() {
        let decision = search.search(position, &Budget::default(), &mut stream(9, i as u64));
        right += usize::from(best.contains(&decision.best.unwrap()));
        assert_eq!(search.statistics().map(|(_, visits, _)| visits).sum::<u64>(), 3000);
    }
    assert!((CONNECT_FOUR * 7 / 10..CONNECT_FOUR).contains(&right), "{right} of {CONNECT_FOUR}");
}
