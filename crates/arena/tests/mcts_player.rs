//! Monte-Carlo search as a player of whole games: what it keeps, what it may not play, when it passes and gives up.

use afterstate_arena::game_loop::{EndKind, GameRules, play_game};
use afterstate_arena::{
    Clock, GoConduct, MctsPlayer, MctsPlayerSettings, MonteCarlo, Player, RandomPlayer, RulesReferee, TimeControl,
};
use afterstate_engine::search::mcts_solver::Proof;
use afterstate_engine::search::{
    GoOwnership, McRave, Mcts, MctsSettings, MoveReport, PlayOut, SearchReport, Situation, TdSearch, Truncated, Uct,
    Watch,
};
use afterstate_engine::value::Indifferent;
use afterstate_engine::{Budget, Decision, Value};
use afterstate_games::go::{Color, Go, Komi, MogoPlayout, Move, Point, UniformGoPlayout};
use afterstate_games::{ConnectFour, Game, Notation, Outcome, Record, Rng, Side, TicTacToe, UniformPlayout};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

fn settings(simulations: u64) -> MctsSettings {
    MctsSettings { simulations, memory_mib: 16, ..MctsSettings::default() }
}

fn go_player(search: MctsSettings, player: MctsPlayerSettings) -> MctsPlayer<Go, GoConduct> {
    let leaf = PlayOut(MogoPlayout::default());
    let search = Mcts::with(McRave::default(), leaf, (), GoOwnership::default(), search);
    MctsPlayer::new(Box::new(search), GoConduct, player)
}

fn quick(simulations: u64) -> MctsPlayer<Go, GoConduct> {
    go_player(settings(simulations), MctsPlayerSettings::default())
}

fn choose<G: Game>(player: &mut impl Player<G>, record: &Record<G>) -> Decision<G::Move> {
    player.choose(record, &Budget::default()).unwrap()
}

/// A board from its rows, the uppermost first: `X` is Black, `O` White.
fn board(rows: &[&str]) -> Go {
    let size = rows.len();
    let stones = rows.iter().enumerate().flat_map(|(row, text)| {
        text.chars().enumerate().filter_map(move |(x, c)| {
            let color = match c {
                'X' => Color::Black,
                'O' => Color::White,
                _ => return None,
            };
            Some((Point::at(x, size - 1 - row, size), color))
        })
    });
    Go::set_up(size, stones).unwrap()
}

fn text(record: &Record<Go>, decision: &Decision<Move>) -> String {
    decision.best.map_or("resign".into(), |mv| record.position().move_text(mv))
}

#[test]
fn what_was_learnt_below_the_moves_played_is_kept() {
    for (reuse_tree, pondering) in [(true, false), (false, false), (true, true)] {
        let search = MctsSettings { reuse_tree, early_stop: false, ..settings(400) };
        let mut player = go_player(search, MctsPlayerSettings { ponder: pondering, ..MctsPlayerSettings::default() });
        let mut record = Record::new(Go::new(5));
        player.new_game(&record, 1).unwrap();
        let mut reused = 0;
        for _ in 0..4 {
            let decision = choose(&mut player, &record);
            let report = player.report().unwrap();
            assert_eq!((decision.effort, report.simulations), (400, 400));
            reused += report.visits - 400;
            // The opponent does what was expected of it, so that something must be known of what follows.
            let expected = decision.principal_variation[..2].to_vec();
            for mv in expected {
                record.play(mv);
                player.move_played(&record).unwrap();
                if pondering && record.moves().len() % 2 == 1 {
                    // Asking for a report ends the pondering, which has begun by then.
                    assert!(player.report().unwrap().simulations > 0);
                }
            }
        }
        assert_eq!(reused > 0, reuse_tree);
        player.game_over(&record, record.position().outcome());
    }
}

#[test]
fn a_new_game_forgets_the_old_one_and_its_seed_decides() {
    let mut player = go_player(MctsSettings { early_stop: false, ..settings(200) }, MctsPlayerSettings::default());
    let record = Record::new(Go::new(5));
    let mut game = |seed| {
        player.new_game(&record, seed).unwrap();
        let decision = choose(&mut player, &record);
        (decision, player.report().unwrap())
    };
    let first = game(1);
    assert_eq!(first.1.visits, 200);
    assert_ne!(first.1, game(2).1);
    assert_eq!(first, game(1));
}

#[test]
fn time_for_one_position_may_be_given_in_parts_whatever_is_kept_of_games() {
    let search = MctsSettings { reuse_tree: false, early_stop: false, ..settings(100) };
    let mut player = go_player(search, MctsPlayerSettings::default());
    let mut record = Record::new(Go::new(5));
    player.new_game(&record, 1).unwrap();
    for searches in 1..4 {
        choose(&mut player, &record);
        assert_eq!(player.report().unwrap().visits, 100 * searches);
    }
    record.play(choose(&mut player, &record).best.unwrap());
    player.move_played(&record).unwrap();
    choose(&mut player, &record);
    assert_eq!(player.report().unwrap().visits, 100);
}

#[test]
fn superko_is_respected_at_the_root() {
    // A ko at B2 and C2: White has just taken at B2. The record knows that, the position does not.
    let mut played = Record::new(Go::new(5));
    for text in ["B1", "C1", "A2", "D2", "B3", "C3", "C2", "B2"] {
        played.play(played.position().parse_move(text).unwrap());
    }
    let forgetful = played.position().clone().with_turn(Side::First);
    let retake = forgetful.parse_move("C2").unwrap();
    let considers = |record: &Record<Go>| {
        let mut player = quick(300);
        player.new_game(record, 1).unwrap();
        let decision = choose(&mut player, record);
        let known = player.report().unwrap().moves.iter().any(|report| report.mv == retake);
        assert!(record.is_legal(decision.best.unwrap()) && (known || decision.best != Some(retake)));
        known
    };
    assert!(considers(&Record::new(forgetful.clone())), "without a past nothing speaks against it");
    assert!(!considers(&Record::continuing(forgetful, played.repetition_keys())));
}

#[test]
fn a_lost_game_is_given_up_at_the_third_lost_move() {
    // Black owns the board, and White is to move.
    let start = board(&[".X.X.", "XXXXX", ".X.X.", "XXXXX", "....."]).with_komi(Komi::new(0.5).unwrap());
    let resigning = MctsPlayerSettings { resign_below: 0.1, ..MctsPlayerSettings::default() };
    for (player, gives_up) in [(resigning, true), (MctsPlayerSettings::default(), false)] {
        let mut player = go_player(settings(100), player);
        let record = Record::new(start.clone().with_turn(Side::Second));
        player.new_game(&record, 1).unwrap();
        let resigned = [1, 2, 3].map(|_| choose(&mut player, &record).best.is_none());
        assert_eq!(resigned, [false, false, gives_up]);
        // A new game is a new chance.
        player.new_game(&record, 1).unwrap();
        assert!(choose(&mut player, &record).best.is_some());
        // Whoever is ahead does not give up.
        let record = Record::new(start.clone());
        player.new_game(&record, 1).unwrap();
        assert!((0..4).all(|_| choose(&mut player, &record).best.is_some()));
    }
}

/// Somebody who plays both sides' moves is not confused by the side that is ahead.
#[test]
fn hopeless_moves_are_counted_for_each_side() {
    let start = board(&[".X.X.", "XXXXX", ".X.X.", "XXXXX", "....."]).with_komi(Komi::new(0.5).unwrap());
    let resigning = MctsPlayerSettings { resign_below: 0.1, ..MctsPlayerSettings::default() };
    let mut player = go_player(settings(100), resigning);
    let [lost, won] = [Side::Second, Side::First].map(|side| Record::new(start.clone().with_turn(side)));
    player.new_game(&lost, 1).unwrap();
    let resigned = [&lost, &won, &lost, &won, &lost].map(|record| choose(&mut player, record).best.is_none());
    assert_eq!(resigned, [false, false, false, false, true]);
}

/// What follows a forced reply can be thought about as long as the opponent needs for it.
#[test]
fn pondering_goes_on_where_the_opponent_has_one_move() {
    let pondering = MctsPlayerSettings { ponder: true, ..MctsPlayerSettings::default() };
    let search = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings(50));
    let mut player: MctsPlayer<ConnectFour, ()> = MctsPlayer::new(Box::new(search), (), pondering);
    // One column has room.
    let rows = "XXOXXO./OOXOOX./XXOXXO./OOXOOX./XXOXXOX/OOXOOXO";
    let before = Record::new(ConnectFour::parse_position(rows).unwrap());
    let pondered = (1..=20).map(|attempt| {
        let mut record = before.clone();
        player.new_game(&record, 1).unwrap();
        record.play(choose(&mut player, &record).best.unwrap());
        player.move_played(&record).unwrap();
        std::thread::sleep(Duration::from_millis(20 * attempt));
        player.report().unwrap().simulations
    });
    // A decision was called settled after 64.
    assert!(pondered.into_iter().any(|simulations| simulations > 64));
}

/// Black has the left with two eyes, White the right. The rest is up to the test.
fn divided(dead: char) -> Go {
    let row = format!(".XO{dead}.");
    board(&[".XO..", "XXOOO", ".XO..", "XXOOO", &row])
}

#[test]
fn a_pass_is_answered_when_both_counts_are_won_and_never_when_the_stones_on_the_board_lose() {
    let after_pass = |game: Go| {
        let mut record = Record::new(game);
        record.play(Move::PASS);
        record
    };
    let answer = |record: &Record<Go>| {
        let mut player = quick(300);
        player.new_game(record, 1).unwrap();
        text(record, &choose(&mut player, record))
    };
    // 10 points against 15 and komi: White has won.
    let won = after_pass(divided('.'));
    assert_eq!(answer(&won), "pass");
    // Black has lost, and while it can still put stones somewhere, it does.
    let lost = after_pass(divided('.').with_turn(Side::Second));
    assert_ne!(answer(&lost), "pass");
    // With the colours exchanged White wins the plain count with this komi, but only if its dead stone counts.
    let optimistic = board(&[".OX..", "OOXXX", ".OX..", "OOXXX", ".OXO."]).with_komi(Komi::new(2.5).unwrap());
    let hopeful = after_pass(optimistic);
    assert!(hopeful.position().score() < 0.0);
    assert_ne!(answer(&hopeful), "pass");
    // 11 points against 13 in the plain count, by which Black wins with this komi; without its dead stone it has lost.
    let disputed = after_pass(divided('X').with_komi(Komi::new(-2.5).unwrap()));
    assert!(disputed.position().score() > 0.0);
    assert_ne!(answer(&disputed), "pass");
}

#[test]
fn cleaning_up_takes_dead_stones_off_and_then_passes() {
    let start = divided('X').with_komi(Komi::new(7.5).unwrap()).with_turn(Side::Second);
    let mut record = Record::new(start);
    let mut player = quick(300);
    player.new_game(&record, 1).unwrap();
    let mut moves = Vec::new();
    while record.turn() == afterstate_games::Turn::Player(Side::Second) && moves.len() < 10 {
        let decision = player.clean_up(&record, &Budget::default()).unwrap();
        moves.push(text(&record, &decision));
        record.play(decision.best.unwrap());
        player.move_played(&record).unwrap();
        if !matches!(record.turn(), afterstate_games::Turn::Over(_)) && moves.last().unwrap() != "pass" {
            record.play(Move::PASS);
            player.move_played(&record).unwrap();
        } else {
            break;
        }
    }
    assert_eq!(moves, ["E1", "pass"]);
    assert!(record.position().board().is_empty(Point::at(3, 0, 5)));
}

/// White's area on the right has been invaded. As it stands White wins the count, and simulations do not agree on the two
/// stones; but one more move of Black's would live.
#[test]
fn cleaning_up_does_not_pass_while_an_invasion_is_unsettled() {
    let (row, invaded, far) = ("...X.O...", "...X.O.X.", ".O.X.O...");
    let rows = [row, far, far, row, row, invaded, row, invaded, row];
    let record = Record::new(board(&rows).with_komi(Komi::new(7.5).unwrap()).with_turn(Side::Second));
    assert!(record.position().score() < 0.0);
    let mut player = quick(1000);
    player.new_game(&record, 1).unwrap();
    let decision = player.clean_up(&record, &Budget::default()).unwrap();
    let report = player.report().unwrap();
    let ownership = player.observer().unwrap().unwrap().mean().unwrap();
    assert!(ownership.dead_stones(record.position().board()).is_empty(), "the test is about stones that are not dead");
    assert!(ownership.score(record.position()) < 0.0, "and White wins as it is");
    assert_ne!(text(&record, &decision), "pass", "{report:?}");
    // Once Black has passed, nothing is to be feared.
    let mut record = Record::new(record.position().clone().with_turn(Side::First));
    record.play(Move::PASS);
    player.new_game(&record, 1).unwrap();
    let decision = player.clean_up(&record, &Budget::default()).unwrap();
    assert_eq!(text(&record, &decision), "pass");
}

#[test]
fn games_with_a_tenth_of_a_second_are_not_lost_on_time() {
    for (number, control) in ["100ms", "100ms+20ms", "0s+3x40ms", "0s+5/100ms", "30ms/move"].iter().enumerate() {
        let rules = GameRules { time: control.parse().unwrap(), seed: number as u64, ..GameRules::default() };
        let (mut timed, mut random) = (quick(1_000_000_000), RandomPlayer::default());
        let result = play_game(&Go::new(7), &[], [&mut timed, &mut random], &mut RulesReferee, &rules).unwrap();
        assert_eq!(result.ending.kind, EndKind::Rules, "{control}: {:?}", result.ending);
        assert!(result.notes.iter().flatten().any(|note| note.effort > 16), "{control}: it thought");
    }
}

#[test]
fn pondering_ends_with_the_opponents_move_and_with_the_player() {
    let pondering = MctsPlayerSettings { ponder: true, ..MctsPlayerSettings::default() };
    let search = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings(50));
    let mut player: MctsPlayer<ConnectFour, ()> = MctsPlayer::new(Box::new(search), (), pondering);
    let rules = GameRules { time: "1s".parse().unwrap(), lag: Duration::from_secs(60), ..GameRules::default() };
    let mut random = RandomPlayer::default();
    let result = play_game(&ConnectFour::default(), &[], [&mut player, &mut random], &mut RulesReferee, &rules);
    assert_eq!(result.unwrap().ending.kind, EndKind::Rules);
    let mut record = Record::new(ConnectFour::default());
    player.new_game(&record, 1).unwrap();
    record.play(choose(&mut player, &record).best.unwrap());
    player.move_played(&record).unwrap();
    // It ponders now, and would for ten minutes.
    drop(player);
}

/// Alpha-beta would leave nothing behind, so all of the opponent's time goes to simulations.
#[test]
fn two_phase_search_ponders_by_simulating() {
    use afterstate_engine::learning::TdSettings;
    use afterstate_engine::search::{ShapeMemory, TdSearchSettings, TwoPhase, TwoPhaseSettings};
    use afterstate_engine::value::WindowSizes;
    let memory = ShapeMemory::new(WindowSizes::new(&[1, 2]).unwrap(), TdSettings::default());
    let first = TdSearchSettings { simulations: 50, ..TdSearchSettings::default() };
    let search = TdSearch::with(memory, PlayOut(UniformGoPlayout), GoOwnership::default(), first);
    let search = TwoPhase::with(search, TwoPhaseSettings::default());
    let settings = MctsPlayerSettings { ponder: true, ..MctsPlayerSettings::default() };
    let mut player: MctsPlayer<Go, GoConduct> = MctsPlayer::new(Box::new(search), GoConduct, settings);
    let mut record = Record::new(Go::new(5));
    player.new_game(&record, 1).unwrap();
    let decision = choose(&mut player, &record);
    assert_eq!((decision.depth, decision.effort), (Some(5), 50));
    record.play(decision.best.unwrap());
    player.move_played(&record).unwrap();
    // The report is on the opponent's moves, by simulations that nobody had counted.
    let report = player.report().unwrap();
    assert!(report.moves.iter().all(|known| Some(known.mv) != decision.best));
    assert!(report.simulations > 0 && report.simulations == report.visits);
    player.game_over(&record, record.position().outcome());
}

/// What a network leads ponders, gives up and keeps to its clock as other searches do.
#[test]
fn a_network_plays_whole_games_too() {
    use afterstate_engine::search::{NetworkSearch, NetworkSearchSettings};
    use afterstate_engine::zero::Uniform;
    let search = Box::new(NetworkSearch::new(Uniform, NetworkSearchSettings::default()));
    let settings = MctsPlayerSettings { ponder: true, ..MctsPlayerSettings::default() };
    let mut player: MctsPlayer<ConnectFour, ()> = MctsPlayer::new(search, (), settings);
    let mut record = Record::new(ConnectFour::new());
    player.new_game(&record, 1).unwrap();
    let decision = choose(&mut player, &record);
    record.play(decision.best.unwrap());
    let known = player.report().unwrap().moves[0].visits;
    player.move_played(&record).unwrap();
    let report = player.report().unwrap();
    assert!(report.visits > u64::from(known), "simulations that nobody had counted");
    player.game_over(&record, Outcome::DRAW);

    // X has three lines to complete: nothing helps.
    let settings = MctsPlayerSettings { resign_below: 0.05, resign_after: 1, ..MctsPlayerSettings::default() };
    let search = Box::new(NetworkSearch::new(Uniform, NetworkSearchSettings::default()));
    let mut player: MctsPlayer<TicTacToe, ()> = MctsPlayer::new(search, (), settings);
    let record = Record::new(TicTacToe::parse_position("X.X/..O/X.O").unwrap());
    player.new_game(&record, 1).unwrap();
    assert_eq!(choose(&mut player, &record).best, None);
    assert_eq!(player.proved(), Some(Outcome::win(Side::First)));

    let search = Box::new(NetworkSearch::new(Uniform, NetworkSearchSettings::default()));
    let mut player: MctsPlayer<Go, GoConduct> = MctsPlayer::new(search, GoConduct, MctsPlayerSettings::default());
    let rules = GameRules { time: "300ms".parse().unwrap(), ..GameRules::default() };
    let mut random = RandomPlayer::default();
    let result = play_game(&Go::new(5), &[], [&mut player, &mut random], &mut RulesReferee, &rules).unwrap();
    assert!(matches!(result.ending.kind, EndKind::Rules | EndKind::MoveLimit), "{:?}", result.ending);
}

/// Boards on which games do not end say nothing of what is dead: manners that ask for that are left to the search.
#[test]
fn truncated_simulations_are_no_ground_for_manners() {
    let search = Mcts::with(
        McRave::default(),
        Truncated::new(0, Arc::new(Indifferent)),
        (),
        GoOwnership::default(),
        MctsSettings { solver: true, ..settings(200) },
    );
    let mut player = MctsPlayer::new(Box::new(search), GoConduct, MctsPlayerSettings::default());
    // White has won, and Black has passed: a pass ends the game, which the search itself can prove.
    let mut record = Record::new(divided('.'));
    record.play(Move::PASS);
    player.new_game(&record, 1).unwrap();
    assert_eq!(text(&record, &choose(&mut player, &record)), "pass");
    assert!(player.report().unwrap().moves.iter().any(|known| known.mv == Move::PASS), "the search was asked about it");
    assert!(player.observer().unwrap().is_none());
}

#[test]
fn flat_search_plays_whole_games_too() {
    use afterstate_engine::search::{FlatMonteCarlo, FlatMonteCarloSettings};
    let search = FlatMonteCarlo::new(PlayOut(UniformGoPlayout), FlatMonteCarloSettings { simulations: 100 });
    let mut flat: MctsPlayer<Go, GoConduct> =
        MctsPlayer::new(Box::new(search), GoConduct, MctsPlayerSettings::default());
    let mut random = RandomPlayer::default();
    let rules = GameRules::default();
    let result = play_game(&Go::new(5), &[], [&mut flat, &mut random], &mut RulesReferee, &rules).unwrap();
    assert_eq!(result.ending.kind, EndKind::Rules);
    assert_eq!(result.notes[0].as_ref().unwrap().effort, 100);
}

/// White has won by 11.5, and the only point that it may fill puts its own stones of a seki in atari.
#[test]
fn a_single_point_that_loses_is_not_played_after_a_pass() {
    let rows = [".O.OX.X", "OOOOXXX", "OOOOX.X", "OOOOXXX", "OOOOXXX", "XXXXOOO", ".XX.OO."];
    let mut record = Record::new(board(&rows));
    record.play(Move::PASS);
    let mut player = quick(500);
    player.new_game(&record, 1).unwrap();
    let decision = choose(&mut player, &record);
    assert_eq!(text(&record, &decision), "pass");
}

/// A search that waits as long as it may, and whose choice is unstable for so many searches; or that has ended by itself.
struct Wavering {
    unstable: u32,
    finished: bool,
    searches: Arc<AtomicU32>,
}

impl MonteCarlo<TicTacToe, ()> for Wavering {
    fn search(
        &mut self,
        situation: &Situation<'_, TicTacToe>,
        budget: &Budget,
        _rng: &mut Rng,
        _watch: Option<Watch<'_, <TicTacToe as Game>::Move>>,
    ) -> Decision<<TicTacToe as Game>::Move> {
        // As searches with long simulations it ends somewhat before its time.
        let left = budget.deadline.unwrap().saturating_duration_since(Instant::now());
        std::thread::sleep(left * 3 / 4);
        self.searches.fetch_add(1, Ordering::Relaxed);
        Decision::play(situation.moves.unwrap()[0])
    }

    fn report(&self) -> SearchReport<<TicTacToe as Game>::Move> {
        let mut moves = Vec::new();
        TicTacToe::default().legal_moves(&mut moves);
        let is_unstable = self.searches.load(Ordering::Relaxed) <= self.unstable;
        let report = |(i, &mv): (usize, &_)| MoveReport {
            mv,
            visits: 100 - i as u32,
            value: Some(Value(if is_unstable && i == 1 { 0.9 } else { 0.5 })),
            prior: None,
            amaf_visits: 0,
            amaf_value: None,
            proof: Proof::Open,
            principal_variation: vec![mv],
        };
        SearchReport { moves: moves.iter().enumerate().map(report).collect(), ..SearchReport::default() }
    }

    fn clear(&mut self) {}

    fn simulations(&self) -> u64 {
        100
    }

    fn is_finished(&self) -> bool {
        self.finished
    }

    fn observer(&mut self) -> Option<&mut ()> {
        None
    }
}

#[test]
fn an_unstable_choice_is_thought_over_until_it_is_stable() {
    let searches = |unstable, finished| {
        let searches = Arc::new(AtomicU32::new(0));
        let search = Wavering { unstable, finished, searches: Arc::clone(&searches) };
        let mut player = MctsPlayer::new(Box::new(search), (), MctsPlayerSettings::default());
        let record = Record::new(TicTacToe::default());
        player.new_game(&record, 1).unwrap();
        let clock = Clock::new(TimeControl::SuddenDeath(Duration::from_secs(8)), Duration::ZERO);
        player.clocks(&[clock.clone(), clock.clone()]);
        player.choose(&record, &clock.budget(Instant::now())).unwrap();
        searches.load(Ordering::Relaxed)
    };
    assert_eq!(searches(0, false), 1);
    assert_eq!(searches(1, false), 2, "a slice of its time more was enough");
    assert_eq!(searches(2, true), 1, "nothing could change any more");
    assert!(searches(1_000, false) > 4, "as long as it may");
}

/// A search that stops as soon as its time is too short for another choice, and has always doubts about its choice.
struct Doubting {
    search: Mcts<Go, McRave, PlayOut<UniformGoPlayout>>,
    searches: Arc<AtomicU32>,
}

impl MonteCarlo<Go, ()> for Doubting {
    fn search(
        &mut self,
        situation: &Situation<'_, Go>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, Move>>,
    ) -> Decision<Move> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        self.search.search_situation(situation, budget, rng, watch)
    }

    fn report(&self) -> SearchReport<Move> {
        let mut report = self.search.report();
        let most = report.moves[0].visits;
        let doubt = report.moves.last_mut().unwrap();
        (doubt.visits, doubt.value) = (most, Some(Value(1.0)));
        report
    }

    fn clear(&mut self) {
        self.search.clear();
    }

    fn simulations(&self) -> u64 {
        1
    }

    fn set_early_stop(&mut self, early_stop: bool) -> bool {
        self.search.set_early_stop(early_stop)
    }

    fn is_finished(&self) -> bool {
        self.search.is_finished()
    }

    fn observer(&mut self) -> Option<&mut ()> {
        None
    }
}

#[test]
fn a_choice_that_time_alone_has_settled_is_thought_over() {
    let searches = Arc::new(AtomicU32::new(0));
    let search = Mcts::new(McRave::default(), PlayOut(UniformGoPlayout), settings(1));
    let search = Doubting { search, searches: Arc::clone(&searches) };
    let mut player = MctsPlayer::new(Box::new(search), (), MctsPlayerSettings::default());
    let record = Record::new(Go::new(5));
    player.new_game(&record, 1).unwrap();
    let clock = Clock::new(TimeControl::SuddenDeath(Duration::from_secs(8)), Duration::ZERO);
    player.clocks(&[clock.clone(), clock.clone()]);
    player.choose(&record, &clock.budget(Instant::now())).unwrap();
    assert!(searches.load(Ordering::Relaxed) > 4, "it goes on for as long as it may");
    assert!(player.search().unwrap().set_early_stop(true), "and stops early the next time");
}
