//! The statistics of the tree, and what selection makes of them, against numbers worked out by hand and against a
//! plain reading of the paper's Algorithm 2 with maps in place of a tree.

use afterstate_engine::search::selection::{Edge, Selection};
use afterstate_engine::search::tree::{Node, NodeIndex, ROOT, Tree};
use afterstate_engine::search::{Leaf, McRave, Mcts, MctsSettings, PlayOut, Schedule, Situation, Uct};
use afterstate_engine::{Budget, Search, Value};
use afterstate_games::go::{Go, UniformGoPlayout};
use afterstate_games::{
    ConnectFour, Deterministic, Game, IndexedMoves, Outcome, Rng, Side, TicTacToe, Turn, UniformPlayout, stream,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Two players name letters in turn, six in all; nobody may repeat what the other has just said.
#[derive(Clone, Default)]
struct Letters {
    named: Vec<u8>,
}

impl Game for Letters {
    type Move = u8;

    fn turn(&self) -> Turn {
        match self.named.len() {
            6 => Turn::Over(Outcome::DRAW),
            n if n % 2 == 0 => Turn::Player(Side::First),
            _ => Turn::Player(Side::Second),
        }
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        moves.clear();
        moves.extend((b'a'..=b'c').filter(|letter| self.named.len() < 6 && self.named.last() != Some(letter)));
    }

    fn play(&mut self, letter: u8) {
        self.named.push(letter);
    }

    fn key(&self) -> u64 {
        self.named.iter().fold(1, |key, &letter| 4 * key + u64::from(letter - b'a'))
    }
}

impl Deterministic for Letters {}

impl IndexedMoves for Letters {
    fn move_index(&self, letter: u8) -> usize {
        usize::from(letter - b'a')
    }

    fn move_at(&self, index: usize) -> u8 {
        b'a' + index as u8
    }

    fn index_count(&self) -> usize {
        3
    }
}

/// The greatest mean, everything tried once; all-moves-as-first statistics are kept, but not looked at.
#[derive(Clone)]
struct Greedy;

impl Selection for Greedy {
    const AMAF: bool = true;
    type Common = ();

    fn common(&self, _visits: impl FnOnce() -> f32) {}

    fn score(&self, (): (), edge: Edge) -> f32 {
        if edge.visits > 0.0 { edge.mean() } else { 1.0 }
    }
}

/// Goes on as a script says; `visits` counts the simulations that began with `a`.
#[derive(Clone, Default)]
struct Scripted {
    visits: u32,
}

impl Leaf<Letters> for Scripted {
    fn finish(&mut self, _game: &mut Letters, trace: &mut Vec<u8>, _rng: &mut Rng) -> Value {
        if trace[0] == b'a' {
            self.visits += 1;
        }
        let (moves, z) = match (&trace[..], self.visits) {
            (b"b", _) => ("acaca", 0.0),
            (b"a", k) if k % 2 == 1 => ("bcbca", if k % 4 == 0 { 0.0 } else { 1.0 }),
            (b"a", k) => ("cbcba", if k % 4 == 0 { 0.0 } else { 1.0 }),
            (b"ab", 19) => ("cbca", 1.0),
            (line, k) => panic!("not in the script: {line:?} in visit {k}"),
        };
        trace.extend(moves.bytes());
        Value(z)
    }
}

fn statistics(node: Node<'_>) -> (u32, f32, u32, f32) {
    let ((visits, sum), (amaf_visits, amaf_sum)) = (node.outcomes().count_and_sum(), node.amaf().count_and_sum());
    (visits as u32, sum, amaf_visits as u32, amaf_sum)
}

/// How many moves the tree holds below a node.
fn moves_below(tree: &Tree, node: NodeIndex) -> usize {
    tree.children(node).into_iter().flatten().map(|child| 1 + moves_below(tree, child)).sum()
}

fn at<'a>(tree: &'a Tree, line: &[usize]) -> Option<Node<'a>> {
    let node = line
        .iter()
        .try_fold(ROOT, |node, &index| tree.children(node)?.find(|&child| tree.node(child).index() == index))?;
    Some(tree.node(node))
}

/// The choice at the root is between a and b. `b` is tried once and lost, so `a` is taken in the 19 other simulations, of
/// which numbers 4, 8, 12 and 16 are lost. Number 18 puts the position after `a` into the tree.
#[test]
fn twenty_scripted_simulations_leave_the_numbers_worked_out_by_hand() {
    let settings = MctsSettings {
        simulations: 20,
        expansion_threshold: 18,
        early_stop: false,
        memory_mib: 1,
        ..MctsSettings::default()
    };
    let game = Letters::default();
    for seed in 0..10 {
        let mut search = Mcts::new(Greedy, Scripted::default(), settings.clone());
        let situation = Situation { moves: Some(b"ab"), ..Situation::new(&game) };
        let decision = search.search_situation(&situation, &Budget::default(), &mut stream(seed, 0), None);
        assert_eq!((decision.best, decision.effort), (Some(b'a'), 20));
        let tree = search.tree().unwrap();
        assert_eq!(tree.node(ROOT).outcomes().count_and_sum(), (20.0, 15.0));
        // N and Ñ of a: 19 visits, 15 won. Where White says a, that does not count.
        assert_eq!(at(tree, &[0]).map(statistics), Some((19, 15.0, 19, 15.0)));
        // b was Black's third and fifth letter in the 9 even simulations (5 won) and counts once in each; and its own.
        assert_eq!(at(tree, &[1]).map(statistics), Some((1, 0.0, 10, 5.0)));
        // c, which Black said in every odd one, may not be chosen here.
        assert_eq!(at(tree, &[2]).map(statistics), None);
        // After a: number 18 went on with c (twice, counted once) and White's a, which is not legal at once.
        assert_eq!(at(tree, &[0, 2]).map(statistics), Some((1, 1.0, 1, 1.0)));
        // Number 19 tried b, which White then said again.
        assert_eq!(at(tree, &[0, 1]).map(statistics), Some((1, 1.0, 1, 1.0)));
        assert_eq!(at(tree, &[0, 0]).map(statistics), None);
        assert_eq!(moves_below(tree, ROOT), 2 + 2);
    }
}

/// How many moves of a simulation were inside the tree, all of its moves, and its outcome.
type Simulation<M> = (usize, Vec<M>, f32);

/// Writes down what simulations did.
#[derive(Clone)]
struct Recorded<G: Game, L> {
    leaf: L,
    simulations: Arc<Mutex<Vec<Simulation<G::Move>>>>,
}

impl<G: Game, L: Leaf<G>> Leaf<G> for Recorded<G, L> {
    fn finish(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Value {
        let in_tree = trace.len();
        let z = self.leaf.finish(game, trace, rng);
        self.simulations.lock().unwrap().push((in_tree, trace.clone(), z.0));
        z
    }
}

/// N, N·Q, Ñ, Ñ·Q̃ of a move.
type Numbers = [f64; 4];

/// What is known of a position, by the numbers of its moves.
#[derive(Clone, Default)]
struct Known {
    /// How many simulations went through it.
    visits: usize,
    moves: HashMap<usize, Numbers>,
}

/// `Q* + c·√(ln N(s)/N)` as the paper writes it, seen by `side`.
fn score(rule: &Rule, numbers: Numbers, total: f64, side: Side) -> f64 {
    let [n, sum, amaf_n, amaf_sum] = numbers;
    let seen = |mean: f64| if side == Side::First { mean } else { 1.0 - mean };
    let c = match rule {
        Rule::Uct(rule) => rule.exploration,
        Rule::McRave(rule) => rule.exploration,
    };
    let bonus = f64::from(c) * (total.max(1.0).ln() / n.max(1.0)).sqrt();
    match rule {
        Rule::Uct(_) if n == 0.0 => 1.0,
        Rule::Uct(_) => seen(sum / n) + bonus,
        Rule::McRave(_) if n + amaf_n == 0.0 => 1.0,
        Rule::McRave(rule @ McRave { schedule, .. }) => {
            let q = if n > 0.0 { seen(sum / n) } else { 0.0 };
            let amaf_q = if amaf_n > 0.0 { seen(amaf_sum / amaf_n) } else { 0.0 };
            let minimum = |b: f64| amaf_n / (n + amaf_n + 4.0 * n * amaf_n * b * b);
            let beta = match *schedule {
                Schedule::HandSelected { .. } if n == 0.0 => 1.0,
                Schedule::HandSelected { .. } if amaf_n == 0.0 => 0.0,
                Schedule::HandSelected { equivalence: k } => (f64::from(k) / (3.0 * total + f64::from(k))).sqrt(),
                Schedule::MinimumMse { bias } => minimum(f64::from(bias)),
                Schedule::FullMinimumMse { bias } => {
                    let beta = minimum(f64::from(bias));
                    let mean = (1.0 - beta) * q + beta * amaf_q;
                    let variance = (mean * (1.0 - mean)).max(0.01);
                    amaf_n / (n + amaf_n + n * amaf_n * f64::from(bias) * f64::from(bias) / variance)
                }
            };
            let share = match (rule, *schedule) {
                (McRave { weighted_exploration: false, .. }, _) => 1.0,
                (_, Schedule::HandSelected { equivalence: k }) => {
                    1.0 - (f64::from(k) / (3.0 * total + f64::from(k))).sqrt()
                }
                (_, Schedule::MinimumMse { bias } | Schedule::FullMinimumMse { bias }) => {
                    1.0 - minimum(f64::from(bias))
                }
            };
            (1.0 - beta) * q + beta * amaf_q + share * bonus
        }
    }
}

#[derive(Clone, Debug)]
enum Rule {
    Uct(Uct),
    McRave(McRave),
}

/// Replays what was recorded after the paper, checks every choice inside the tree, and compares the final numbers.
fn check<G: IndexedMoves + Deterministic, L: Leaf<G>>(game: &G, leaf: L, rule: &Rule, simulations: u64) {
    let settings =
        MctsSettings { simulations, early_stop: false, memory_mib: 16, superko: false, ..MctsSettings::default() };
    let log = Arc::new(Mutex::new(Vec::new()));
    let leaf = Recorded { leaf, simulations: log.clone() };
    match rule {
        Rule::Uct(rule) => compare(game, Mcts::new(*rule, leaf, settings), &log, &Rule::Uct(*rule)),
        Rule::McRave(rule) => compare(game, Mcts::new(*rule, leaf, settings), &log, &Rule::McRave(*rule)),
    }
}

fn compare<G: IndexedMoves + Deterministic, S: Selection, L: Leaf<G>>(
    game: &G,
    mut search: Mcts<G, S, L>,
    log: &Mutex<Vec<Simulation<G::Move>>>,
    rule: &Rule,
) {
    search.search(game, &Budget::default(), &mut stream(11, 0));
    let mut known: HashMap<Vec<usize>, Known> = HashMap::new();
    let enter = |position: &G| {
        let mut moves = Vec::new();
        position.candidate_moves(&mut moves);
        moves.extend(position.pass().filter(|pass| !moves.contains(pass)));
        Known { visits: 0, moves: moves.into_iter().map(|mv| (position.move_index(mv), [0.0; 4])).collect() }
    };
    known.insert(Vec::new(), enter(game));
    let log = log.lock().unwrap();
    let pass = game.pass().map(|pass| game.move_index(pass));
    for (in_tree, trace, z) in log.iter() {
        let indices: Vec<usize> = trace.iter().map(|&mv| game.move_index(mv)).collect();
        let mut position = game.clone();
        for t in 0..=*in_tree {
            let Turn::Player(side) = position.turn() else { break };
            let here = known.entry(indices[..t].to_vec()).or_insert_with(|| enter(&position));
            if t < *in_tree {
                let total = here.moves.values().map(|numbers| numbers[0]).sum();
                let chosen = score(rule, here.moves[&indices[t]], total, side);
                // A pass that nothing is known of waits until all moves could have been visited.
                let waits = |index, numbers: &Numbers| {
                    Some(index) == pass && numbers[0] + numbers[2] == 0.0 && here.visits < here.moves.len()
                };
                assert!(!waits(indices[t], &here.moves[&indices[t]]), "{rule:?}: it passed");
                let others = here.moves.iter().filter(|&(&index, numbers)| !waits(index, numbers));
                let best = others.map(|(_, &numbers)| score(rule, numbers, total, side)).fold(0.0, f64::max);
                assert!(chosen > best - 1e-4, "{rule:?}: chose {chosen}, best is {best}");
                position.play(trace[t]);
            }
        }
        let last = if matches!(position.turn(), Turn::Over(_)) { *in_tree } else { *in_tree + 1 };
        for t in 0..last {
            let here = known.get_mut(&indices[..t]).unwrap();
            here.visits += 1;
            let mut said = Vec::new();
            for u in (t..indices.len()).step_by(2) {
                let Some(numbers) = here.moves.get_mut(&indices[u]) else { continue };
                if u == t {
                    numbers[0] += 1.0;
                    numbers[1] += f64::from(*z);
                }
                // Passes have no all-moves-as-first values.
                if !said.contains(&indices[u]) && Some(indices[u]) != pass {
                    said.push(indices[u]);
                    numbers[2] += 1.0;
                    numbers[3] += f64::from(*z);
                }
            }
        }
    }
    let tree = search.tree().unwrap();
    let (mut compared, amaf) = (0, matches!(rule, Rule::McRave(_)));
    for (line, known) in &known {
        for (&index, numbers) in &known.moves {
            let line: Vec<usize> = line.iter().copied().chain([index]).collect();
            let (n, sum, amaf_n, amaf_sum) = at(tree, &line).map(statistics).expect("a move of the tree");
            let amaf_numbers = if amaf { [numbers[2], numbers[3]] } else { [0.0; 2] };
            let found = [f64::from(n), f64::from(sum), f64::from(amaf_n), f64::from(amaf_sum)];
            assert_eq!(found, [numbers[0], numbers[1], amaf_numbers[0], amaf_numbers[1]], "{rule:?} {line:?}");
            compared += 1;
        }
    }
    // Nothing but the moves compared.
    assert_eq!(moves_below(tree, ROOT), compared);
}

#[test]
fn statistics_and_choices_are_those_of_the_paper() {
    let rave = |schedule, exploration| Rule::McRave(McRave { schedule, exploration, ..McRave::default() });
    let weighted =
        |schedule| Rule::McRave(McRave { schedule, exploration: 0.5, weighted_exploration: true, ..McRave::default() });
    for rule in [
        Rule::Uct(Uct::default()),
        Rule::Uct(Uct { exploration: 0.2, ..Uct::default() }),
        rave(Schedule::HandSelected { equivalence: 100.0 }, 0.0),
        rave(Schedule::MinimumMse { bias: 0.1 }, 0.0),
        rave(Schedule::MinimumMse { bias: 0.1 }, 0.5),
        rave(Schedule::FullMinimumMse { bias: 0.1 }, 0.0),
        weighted(Schedule::HandSelected { equivalence: 100.0 }),
        weighted(Schedule::MinimumMse { bias: 0.1 }),
        weighted(Schedule::FullMinimumMse { bias: 0.1 }),
    ] {
        check(&TicTacToe::new(), PlayOut(UniformPlayout::default()), &rule, 300);
        check(&ConnectFour::new(), PlayOut(UniformPlayout::default()), &rule, 500);
        check(&Go::new(5).with_move_limit(60), PlayOut(UniformGoPlayout), &rule, 400);
    }
}

#[test]
fn choices_without_rapid_values_do_not_look_at_them_and_leave_no_move_out() {
    let visits = |bias: f32, without_rapid: u32| {
        let settings = MctsSettings { simulations: 2000, without_rapid, early_stop: false, ..MctsSettings::default() };
        let rule = McRave { schedule: Schedule::MinimumMse { bias }, ..McRave::default() };
        let mut search = Mcts::new(rule, PlayOut(UniformGoPlayout), settings);
        search.search(&Go::new(7), &Budget::default(), &mut stream(3, 0));
        search.report().moves.iter().map(|report| (report.mv, report.visits)).collect::<Vec<_>>()
    };
    // Where none is made with them, it does not matter how far they are trusted.
    assert_eq!(visits(0.0, 1), visits(0.5, 1));
    assert_ne!(visits(0.0, 0), visits(0.5, 0));
    let unvisited = |without_rapid| visits(0.0, without_rapid).iter().filter(|&&(_, visits)| visits == 0).count();
    assert!(unvisited(0) > 0 && unvisited(20) == 0, "{} and {}", unvisited(0), unvisited(20));
}
