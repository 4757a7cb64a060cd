use super::*;
use crate::search::minimax;
use crate::value::Indifferent;
use crate::zero::{Network, Uniform};
use afterstate_games::go::{Go, Move, Point};
use afterstate_games::{ConnectFour, Notation, Outcome, Record, TicTacToe, rng::below, stream};

/// Simulates until so many simulations are behind it.
fn simulate<G: Deterministic>(search: &mut Puct<G>, network: &mut impl Network<G>, simulations: u32) {
    let mut question = Question::new(search.root.clone().unwrap());
    while search.visits() < simulations {
        if search.gather(&mut question) {
            network.evaluate(&mut [&mut question]);
            search.apply(&question);
        }
    }
}

/// X to move in a position with three empty squares, and answers that are made up.
struct Scripted;

impl Network<TicTacToe> for Scripted {
    fn evaluate(&mut self, questions: &mut [&mut Question<TicTacToe>]) {
        for question in questions {
            let empty = question.moves.len();
            let first = question.game.move_text(question.moves[0]);
            let (value, priors): (f32, &[f32]) = match (empty, first.as_str()) {
                (3, _) => (0.6, &[0.5, 0.3, 0.2]),
                // After 7, 8 and 9 in this order.
                (2, "8") => (0.3, &[0.9, 0.1]),
                (2, "7") => (0.7, &[0.4, 0.6]),
                _ => panic!("{first} was not expected"),
            };
            question.value = Value(value);
            question.priors = priors.to_vec();
        }
    }
}

#[test]
fn selection_and_backup_by_hand() {
    // No line can be completed with fewer than two more moves of X.
    let game = TicTacToe::parse_position("XOX/XOO/...").unwrap();
    let game = match game.turn() {
        Turn::Player(Side::First) => game,
        other => panic!("{other:?}"),
    };
    let mut search = Puct::new(PuctSettings { exploration: 2.0, ..PuctSettings::default() });
    search.begin(&Situation::new(&game));
    simulate(&mut search, &mut Scripted, 1);
    assert_eq!(search.moves().map(|mv| mv.visits).collect::<Vec<_>>(), [0, 0, 0]);
    assert!((search.value().0 - 0.6).abs() < 1e-6);
    // N = 1: 2·P·1/1 = 1.0, 0.6, 0.4. X wins by 7 (the left column), which is a value of 1.
    simulate(&mut search, &mut Scripted, 2);
    assert_eq!(search.moves().map(|mv| mv.visits).collect::<Vec<_>>(), [1, 0, 0]);
    // N = 2: 1 + 2·0.5·√2/2 = 1.71 against 2·0.3·√2 = 0.85 and 0.57. The same again at N = 3: 1.58 and 1.04; and so on
    // until 2·0.3·√N > 1 + √N/N, at N = 5: 1.34 against 1 + 2·0.5·√5/5 = 1.45; N = 6: 1.47 against 1.41.
    simulate(&mut search, &mut Scripted, 6);
    assert_eq!(search.moves().map(|mv| mv.visits).collect::<Vec<_>>(), [5, 0, 0]);
    simulate(&mut search, &mut Scripted, 7);
    let moves: Vec<_> = search.moves().collect();
    assert_eq!(moves.iter().map(|mv| mv.visits).collect::<Vec<_>>(), [5, 1, 0]);
    // After 8 the network said 0.7 for the first player: 0.4 between −1 and 1.
    assert!((moves[1].value - 0.4).abs() < 1e-6 && moves[0].value == 1.0);
    // (0.2 + 5·1 + 0.4) / 7 is 0.8, and 0.9 as a probability.
    assert!((search.value().0 - 0.9).abs() < 1e-6);
    assert_eq!(game.move_text(search.best().unwrap().mv), "7");
}

#[test]
fn noise_is_mixed_in_by_its_share() {
    let game = TicTacToe::parse_position("XOX/XOO/...").unwrap();
    let mut search = Puct::new(PuctSettings::default());
    search.begin(&Situation::new(&game));
    simulate(&mut search, &mut Scripted, 1);
    search.add_noise(0.25, [0.0, 0.2, 0.8]);
    let priors: Vec<f32> = search.moves().map(|mv| mv.prior).collect();
    for (prior, expected) in priors.iter().zip([0.375, 0.275, 0.35]) {
        assert!((prior - expected).abs() < 1e-6, "{priors:?}");
    }
}

/// A root of three moves, with visits and totals as given.
fn made_up(settings: PuctSettings, moves: [(f32, u32, f64); 3]) -> Puct<TicTacToe> {
    let game = TicTacToe::parse_position("XOX/XOO/...").unwrap();
    let mut search = Puct::new(settings);
    search.begin(&Situation::new(&game));
    simulate(&mut search, &mut Scripted, 1);
    for (edge, (prior, visits, total)) in search.edges.iter_mut().zip(moves) {
        (edge.prior, edge.visits, edge.total) = (prior, visits, total);
        search.nodes[0].visits += visits;
    }
    search
}

#[test]
fn forced_playouts_come_first_and_are_pruned_from_what_is_learnt() {
    let settings = PuctSettings { forced_playouts: 2.0, ..PuctSettings::default() };
    // N = 101. A move of prior 0.18 is forced to √(2·0.18·100) = 6 visits, one of 0.02 to 2, if it has any.
    let search = made_up(settings, [(0.8, 95, 47.5), (0.18, 5, -4.0), (0.02, 0, 0.0)]);
    assert_eq!(search.select(0), 1);
    let plain = made_up(PuctSettings::default(), [(0.8, 95, 47.5), (0.18, 5, -4.0), (0.02, 0, 0.0)]);
    assert_eq!(plain.select(0), 0);
    // The most visited one: 0.5 + 0.8·√101/96 = 0.584. The other: −0.8 + 0.18·√101/(1+n) is below that for n = 1
    // (0.10), and above for n = 0 (1.01). What is left of a single visit is none.
    assert_eq!(search.learnable_visits(), [95, 0, 0]);
    assert_eq!(plain.learnable_visits(), [95, 5, 0]);
    // A move that is worth its visits keeps them: 0.45 + 0.18·√121/(1+n) stays below 0.5 + 0.8·√121/101 = 0.587 down to
    // n = 14 (0.582), so that 6 of 20 are taken back, though √(2·0.18·120) = 6.57 could have been forced.
    let search = made_up(settings, [(0.8, 100, 50.0), (0.18, 20, 9.0), (0.02, 0, 0.0)]);
    assert_eq!(search.learnable_visits(), [100, 14, 0]);
}

#[test]
fn the_final_move_goes_by_visits_value_or_lower_bound() {
    // As chances to win 0.55 − 0.05, 0.75 − 0.06 and 1 − √(0.75·0.25/1) = 0.57.
    let moves = [(0.5, 100, 10.0), (0.3, 60, 30.0), (0.2, 1, 1.0)];
    for (rule, expected) in [(FinalMove::Visits, 0), (FinalMove::LowerBound, 1), (FinalMove::Value, 2)] {
        let mut search = made_up(PuctSettings::default(), moves);
        search.decide_by(rule);
        let best = search.best().unwrap().mv;
        assert_eq!(search.moves().position(|mv| mv.mv == best), Some(expected), "{rule:?}");
        assert_eq!(search.report(0).moves[0].mv, best, "{rule:?}");
        assert_eq!(search.principal_variation()[0], best, "{rule:?}");
    }
}

#[test]
fn untried_moves_are_worth_less_the_more_was_tried() {
    let settings = PuctSettings { first_play: FirstPlay::Reduced(0.2), exploration: 0.0, ..PuctSettings::default() };
    // The root's mean is (0.2 + 0.2) / 3 = 0.133, and 0.133 − 0.2·√0.5 = −0.008: less than 0.1.
    assert_eq!(made_up(settings, [(0.5, 2, 0.2), (0.3, 0, 0.0), (0.2, 0, 0.0)]).select(0), 0);
    // (0.2 − 1) / 3 − 0.2·√0.5 = −0.41: more than −0.5.
    assert_eq!(made_up(settings, [(0.5, 2, -1.0), (0.3, 0, 0.0), (0.2, 0, 0.0)]).select(0), 1);
}

/// What perfect play leads to.
fn solved(game: &ConnectFour) -> Value {
    match game.turn() {
        Turn::Over(outcome) => outcome.into(),
        _ => minimax(game, 42, &Indifferent).0.winner().map_or(Value::EVEN, |side| Outcome::win(side).into()),
    }
}

/// Connect Four with at most `empty` empty squares, from random games.
fn late_positions(count: usize, empty: usize) -> Vec<ConnectFour> {
    let (mut rng, mut moves, mut positions) = (stream(7, 0), Vec::new(), Vec::new());
    while positions.len() < count {
        let (mut game, mut played) = (ConnectFour::new(), 0);
        while played < 42 - empty && matches!(game.turn(), Turn::Player(_)) {
            game.legal_moves(&mut moves);
            game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
            played += 1;
        }
        if matches!(game.turn(), Turn::Player(_)) {
            positions.push(game);
        }
    }
    positions
}

#[test]
fn with_the_solver_it_proves_what_minimax_finds() {
    let settings = PuctSettings { solver: true, ..PuctSettings::default() };
    for game in late_positions(150, 8) {
        let Turn::Player(side) = game.turn() else { unreachable!() };
        let mut search = Puct::new(settings);
        search.begin(&Situation::new(&game));
        let root = |search: &Puct<ConnectFour>| prove(search.moves().map(|mv| mv.proof), side);
        let mut simulations = 0;
        while simulations == 0 || root(&search) == Proof::Open {
            simulations += 1;
            assert!(simulations < 100_000, "{}", game.position_text());
            simulate(&mut search, &mut Uniform, simulations);
        }
        assert_eq!(root(&search).value(), Some(solved(&game)), "{}", game.position_text());
        let mut after = game;
        after.play(search.best().unwrap().mv);
        assert_eq!(solved(&after), solved(&game), "the best move keeps the value");
    }
}

#[test]
fn without_the_solver_it_finds_what_minimax_finds() {
    for game in late_positions(60, 6) {
        let mut search = Puct::new(PuctSettings::default());
        search.begin(&Situation::new(&game));
        simulate(&mut search, &mut Uniform, 5000);
        let mut after = game;
        after.play(search.best().unwrap().mv);
        assert_eq!(solved(&after), solved(&game), "{}", game.position_text());
    }
}

#[test]
fn searches_that_share_a_batch_do_not_know_of_each_other() {
    let games = late_positions(5, 20);
    let alone = games.iter().map(|game| {
        let mut search = Puct::new(PuctSettings::default());
        search.begin(&Situation::new(game));
        simulate(&mut search, &mut Uniform, 300);
        search.moves().collect::<Vec<_>>()
    });
    let mut searches: Vec<Puct<ConnectFour>> = games.iter().map(|_| Puct::new(PuctSettings::default())).collect();
    let mut questions: Vec<Question<ConnectFour>> = games.iter().map(|game| Question::new(*game)).collect();
    searches.iter_mut().zip(&games).for_each(|(search, game)| search.begin(&Situation::new(game)));
    while searches.iter().any(|search| search.visits() < 300) {
        let open = searches.iter_mut().zip(&mut questions).filter(|(search, _)| search.visits() < 300);
        let mut asked: Vec<_> =
            open.filter_map(|(search, question)| search.gather(question).then_some((search, question))).collect();
        let mut batch: Vec<&mut Question<ConnectFour>> =
            asked.iter_mut().map(|(_, question)| &mut **question).collect();
        Uniform.evaluate(&mut batch);
        asked.iter_mut().for_each(|(search, question)| search.apply(question));
    }
    for (alone, together) in alone.zip(&searches) {
        assert_eq!(alone, together.moves().collect::<Vec<_>>());
    }
}

/// All nodes, with their positions, from the root on; every one of them must be there because it is reached.
fn checked<G: Deterministic + PartialEq>(search: &Puct<G>) -> usize {
    let mut open = vec![(0, search.root.clone().unwrap())];
    let (mut nodes, mut edges, mut moves) = (0, 0, Vec::new());
    while let Some((node, game)) = open.pop() {
        let Node { visits, side, .. } = search.nodes[node as usize];
        assert_eq!(game.turn(), Turn::Player(side));
        game.legal_moves(&mut moves);
        let below = &search.edges[search.edges_of(node)];
        assert_eq!(below.iter().map(|edge| edge.mv).collect::<Vec<_>>(), moves);
        assert_eq!(visits, 1 + below.iter().map(|edge| edge.visits).sum::<u32>());
        for edge in below.iter().filter(|edge| edge.child != NONE) {
            assert_eq!(search.nodes[edge.child as usize].visits, edge.visits);
            let mut after = game.clone();
            after.play(edge.mv);
            open.push((edge.child, after));
        }
        (nodes, edges) = (nodes + 1, edges + below.len());
    }
    assert_eq!((nodes, edges), (search.nodes.len(), search.edges.len()), "nothing else is kept");
    nodes
}

#[test]
fn what_lies_below_the_move_played_is_kept_and_nothing_else() {
    let mut game = ConnectFour::new();
    let mut search = Puct::new(PuctSettings::default());
    search.begin(&Situation::new(&game));
    let mut rng = stream(4, 0);
    for ply in 0..12 {
        let before = search.visits();
        simulate(&mut search, &mut Uniform, before + 150);
        let all = checked(&search);
        let tried: Vec<_> = search.moves().filter(|mv| mv.visits > 0).collect();
        let played = tried[below(&mut rng, tried.len() as u32) as usize];
        let edge = *search.edges.iter().find(|edge| edge.mv == played.mv).unwrap();
        let known: Vec<_> = search.edges[search.edges_of(edge.child)].to_vec();
        game.play(played.mv);
        search.advance(played.mv, &game);
        search.go_on(&Situation::new(&game));
        assert!(checked(&search) < all, "ply {ply}");
        assert_eq!(search.visits(), played.visits);
        // The mean of the simulations that came by is what the move was worth, to the other side.
        assert!((search.value().seen_by(search.nodes[0].side) - (0.5 - 0.5 * played.value)).abs() < 1e-5);
        let kept: Vec<_> = search.moves().map(|mv| (mv.mv, mv.prior, mv.visits)).collect();
        assert_eq!(kept, known.iter().map(|edge| (edge.mv, edge.prior, edge.visits)).collect::<Vec<_>>());
    }
}

#[test]
fn what_does_not_follow_is_forgotten() {
    let start = TicTacToe::default();
    let after = |moves: &str| {
        let mut game = start;
        moves.split(' ').for_each(|mv| game.play(game.parse_move(mv).unwrap()));
        game
    };
    let searched = || {
        let mut search = Puct::new(PuctSettings::default());
        search.begin(&Situation::new(&start));
        simulate(&mut search, &mut Uniform, 100);
        search
    };
    let mut search = searched();
    search.go_on(&Situation::new(&start));
    assert_eq!(search.visits(), 100, "the same position again");
    search.go_on(&Situation::new(&after("5")));
    assert_eq!(search.visits(), 0, "nobody said that the game went on");
    let mut search = searched();
    search.advance(start.parse_move("5").unwrap(), &after("1"));
    search.go_on(&Situation::new(&after("1")));
    assert_eq!(search.visits(), 0, "this move does not lead there");
    let mut search = searched();
    search.advance(start.parse_move("5").unwrap(), &after("5"));
    search.forget();
    search.go_on(&Situation::new(&after("5")));
    assert_eq!(search.visits(), 0);
}

/// Likes the moves in the order in which they come, and thinks nothing of positions.
struct InOrder;

impl<G: Deterministic> Network<G> for InOrder {
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
        for question in questions {
            let all = (question.moves.len() * (question.moves.len() + 1) / 2) as f32;
            question.value = Value::EVEN;
            question.priors = (0..question.moves.len()).rev().map(|rank| (rank + 1) as f32 / all).collect();
        }
    }
}

#[test]
fn moves_that_the_record_forbids_are_taken_out_of_what_is_kept() {
    let game = TicTacToe::parse_position("X.O/.../...").unwrap();
    let mut search = Puct::new(PuctSettings::default());
    search.begin(&Situation::new(&game));
    simulate(&mut search, &mut InOrder, 300);
    let before: Vec<_> = search.moves().collect();
    let allowed: Vec<_> = before.iter().map(|mv| mv.mv).filter(|mv| *mv != before[0].mv).collect();
    search.go_on(&Situation { position: &game, moves: Some(&allowed), history: &[] });
    let after: Vec<_> = search.moves().collect();
    assert_eq!(after.iter().map(|mv| (mv.mv, mv.visits)).collect::<Vec<_>>(), {
        before[1..].iter().map(|mv| (mv.mv, mv.visits)).collect::<Vec<_>>()
    });
    assert_eq!(search.visits(), 300 - before[0].visits);
    // Of seven moves the first had a quarter of the policy.
    assert!(before[1..].iter().zip(&after).all(|(before, after)| (after.prior - before.prior / 0.75).abs() < 1e-6));
    simulate(&mut search, &mut InOrder, 400);
    assert!(search.moves().all(|mv| allowed.contains(&mv.mv)));
    // With a move that it does not know it has to begin anew.
    let all: Vec<_> = before.iter().map(|mv| mv.mv).collect();
    search.go_on(&Situation { position: &game, moves: Some(&all), history: &[] });
    assert_eq!(search.visits(), 0);
}

#[test]
fn in_go_a_tree_is_kept_only_with_the_past_that_it_was_made_with() {
    use afterstate_games::Record;
    use afterstate_games::go::{Go, Move, Point};
    let point = |x, y| Move::play(Point::at(x, y, 5));
    let mut record = Record::new(Go::new(5));
    record.play(point(2, 2));
    let mut search = Puct::new(PuctSettings::default());
    let moves = |record: &Record<Go>| {
        let mut moves = Vec::new();
        record.legal_moves(&mut moves);
        moves
    };
    let allowed = moves(&record);
    search.begin(&Situation::of(&record, &allowed));
    simulate(&mut search, &mut Uniform, 300);
    let played = search.best().unwrap();
    record.play(played.mv);
    search.advance(played.mv, record.position());
    let allowed = moves(&record);
    search.go_on(&Situation::of(&record, &allowed));
    assert_eq!(search.visits(), played.visits);
    let strange = Situation { history: &[1, 2, 3], ..Situation::of(&record, &allowed) };
    search.go_on(&strange);
    assert_eq!(search.visits(), 0);
}

/// It has no more visits once it is known, and the rest of them go to what may be worse.
#[test]
fn a_sure_draw_is_measured_by_the_most_visited_open_move() {
    let with = |solver, value: f32| {
        let settings = PuctSettings { solver, ..PuctSettings::default() };
        let mut search = made_up(settings, [(0.5, 90, 90.0 * f64::from(value)), (0.3, 5, 0.0), (0.2, 1, 0.9)]);
        search.edges[1].proof = Proof::Draw;
        search
    };
    let best = |search: &Puct<TicTacToe>| search.moves().position(|mv| mv.mv == search.best().unwrap().mv).unwrap();
    for (solver, value, expected) in [(true, -0.1, 1), (true, 0.1, 0), (false, -0.1, 0)] {
        let search = with(solver, value);
        assert_eq!(best(&search), expected, "{solver}, {value}");
        assert_eq!(search.report(0).moves[0].mv, search.best().unwrap().mv);
    }
    // Whoever learns from it learns the draw.
    assert_eq!(with(true, -0.1).learnable_visits(), [0, 5, 0]);
}

/// Whoever has a draw for sure is not afraid of what else it could do.
#[test]
fn what_is_worse_than_a_sure_draw_is_no_news_above() {
    let game = TicTacToe::parse_position("XOX/XOO/...").unwrap();
    let mut search = Puct::new(PuctSettings { solver: true, ..PuctSettings::default() });
    search.begin(&Situation::new(&game));
    simulate(&mut search, &mut Scripted, 1);
    let before = search.value();
    search.edges[2].proof = Proof::Draw;
    for (edge, value, seen) in [(2, 0.5, 0.0), (0, 0.1, -0.8)] {
        search.path = vec![(0, edge)];
        search.back_up(Value(value));
        assert!((search.edges[edge as usize].total - seen).abs() < 1e-6);
    }
    assert!(search.nodes[0].drawn && search.value().0 < before.0);
}

#[test]
fn a_single_simulation_plays_what_the_network_thinks_of() {
    let game = TicTacToe::parse_position("XOX/XOO/...").unwrap();
    let mut search = Puct::new(PuctSettings::default());
    search.begin(&Situation::new(&game));
    simulate(&mut search, &mut Scripted, 1);
    search.edges[1].prior = 0.8;
    assert_eq!(game.move_text(search.best().unwrap().mv), "8");
    assert_eq!(search.report(1).moves.iter().map(|mv| game.move_text(mv.mv)).collect::<Vec<_>>(), ["8", "7", "9"]);
}

/// A position of a ko fight after which taking back at once would be legal but for superko: that is not played, and says nothing of its
/// position.
#[test]
fn what_repeats_the_history_is_left_out_where_that_is_forbidden() {
    let mut game = Record::new(Go::new(5));
    for (x, y) in [(1, 0), (2, 0), (0, 1), (3, 1), (1, 2), (2, 2), (4, 4), (1, 1), (2, 1)] {
        game.play(Move::play(Point::at(x, y, 5)));
    }
    // Black has taken the ko, and by magic no simple ko forbids to take it back.
    let position = game.position().clone().with_turn(Side::Second);
    let back = Move::play(Point::at(1, 1, 5));
    assert!(position.is_legal(back));
    for (history, expected) in [(game.repetition_keys(), Proof::Forbidden), (&[][..], Proof::Open)] {
        let mut search = Puct::new(PuctSettings::default());
        search.begin(&Situation { position: &position, moves: None, history });
        simulate(&mut search, &mut Uniform, 2000);
        let found = search.moves().find(|mv| mv.mv == back).unwrap();
        assert_eq!((found.proof, found.visits == 0), (expected, expected == Proof::Forbidden));
        assert!(found.visits > 0 || search.best().unwrap().mv != back);
    }
}

#[test]
fn very_many_visits_still_count() {
    // What single precision cannot add to any more.
    let most = 1 << 24;
    let mut search = made_up(PuctSettings::default(), [(0.8, most, f64::from(most)), (0.1, 0, 0.0), (0.1, 0, 0.0)]);
    for _ in 0..most / 4 {
        search.path = vec![(0, 0)];
        search.back_up(unsigned(1.0, Side::First));
    }
    assert_eq!(search.moves().next().map(|mv| mv.visits), Some(most + most / 4));
    assert!(search.moves().all(|mv| mv.visits == 0 || (mv.value - 1.0).abs() < 1e-6));
}
