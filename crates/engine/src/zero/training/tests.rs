use super::*;
use crate::Value;
use crate::zero::actor::{ActorSettings, Played};
use crate::zero::network::{Example, Network, Question};
use crate::zero::start_positions::Keep;
use crate::zero::{Branching, Expert, PlayoutCap, ServerSettings, unique_states};
use afterstate_games::{Game, IndexedMoves, Rng, TicTacToe, Turn};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Remembers the mean outcome, and answers with it.
#[derive(Clone, Debug, PartialEq)]
struct Mean {
    weights: Vec<f32>,
}

struct Answers(f32);

impl Network<TicTacToe> for Answers {
    fn evaluate(&mut self, questions: &mut [&mut Question<TicTacToe>]) {
        questions.iter_mut().for_each(|question| question.answer(Value(self.0), |_| 0.0));
    }
}

impl Trainable<TicTacToe> for Mean {
    type Player = Answers;

    fn player(&self) -> Answers {
        Answers(self.weights[0])
    }

    fn twin(&self) -> Mean {
        self.clone()
    }

    fn learn(&mut self, examples: &[Example<'_, TicTacToe>], _rng: &mut Rng) -> Loss {
        for example in examples {
            assert!(matches!(example.game.turn(), Turn::Player(_)));
            let mut moves = Vec::new();
            example.game.legal_moves(&mut moves);
            assert_eq!(moves.len(), example.policy.len());
            self.weights[0] += 0.01 * (example.outcome.0 - self.weights[0]);
        }
        Loss { policy: 1.0, value: self.weights[0], ownership: 0.0 }
    }
}

fn settings(interest: Option<(Interest, Keep)>) -> ZeroSettings {
    ZeroSettings {
        self_play: ActorSettings { iterations: 12, ..ActorSettings::default() },
        archive: interest.map(|(interest, keep)| ArchiveSettings { interest, keep, capacity: 50, initial: 0.1 }),
        batching: Batching::default(),
        play_ahead: false,
        replay: ReplaySettings { capacity: 200, step: 60, batches: 2, batch: 16, lambda: 1.0, keep: false },
    }
}

type Training = ZeroTraining<TicTacToe, Mean>;

fn open(folder: &Path, settings: &ZeroSettings, learner: Mean, done: (u64, u64)) -> Training {
    ZeroTraining::open(TicTacToe::default(), settings.clone(), (7, 1), learner, folder, done).unwrap()
}

fn new() -> Mean {
    Mean { weights: vec![0.5] }
}

fn variants() -> [ZeroSettings; 7] {
    let ahead = |settings| ZeroSettings { play_ahead: true, ..settings };
    let mut branching = settings(None);
    let often = Branching { side_positions: 0.3, forks: 0.5, fork_moves: 1.0, ..Branching::default() };
    branching.self_play.katago.branching = Some(often);
    [
        branching,
        settings(None),
        settings(Some((Interest::Visited, Keep::Expanding))),
        settings(Some((Interest::Searched, Keep::Reservoir))),
        settings(Some((Interest::Searched, Keep::Circular))),
        ahead(settings(Some((Interest::Visited, Keep::Circular)))),
        ahead(settings(Some((Interest::Searched, Keep::Reservoir)))),
    ]
}

/// Plays the first legal move always, is sure of it, and thinks that O is winning.
struct First;

impl Expert<TicTacToe> for First {
    fn play(&mut self, first: &TicTacToe, way: &[u16], number: u64, _seed: u64, stop: &AtomicBool) -> Option<Played> {
        let mut played = Trajectory { number, way: way.to_vec(), opening: way.len() as u16, ..Trajectory::default() };
        let mut game = *first;
        way.iter().for_each(|&index| game.play(game.move_at(usize::from(index))));
        while let Turn::Player(_) = game.turn() {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            let indices = moves.iter().map(|&mv| game.move_index(mv) as u16);
            played
                .policies
                .push(indices.enumerate().map(|(at, index)| (index, f32::from(u8::from(at == 0)))).collect());
            played.values.push(Some(0.25));
            played.way.push(game.move_index(moves[0]) as u16);
            game.play(moves[0]);
        }
        let Turn::Over(outcome) = game.turn() else { unreachable!("the game went on to its end") };
        let trajectories = vec![Trajectory { outcome: outcome.first_player_score(), ..played }];
        (!stop.load(Ordering::Relaxed)).then_some(Played { trajectories, ..Played::default() })
    }
}

/// Who plays ahead is led by what was learnt before, and learns from what was played before.
#[test]
fn what_is_played_ahead_is_a_step_behind() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ZeroSettings { play_ahead: true, ..settings(None) };
    let go_on = AtomicBool::new(false);
    let mut ahead = open(folder.path(), &settings, new(), (0, 0));
    let first = ahead.step(&go_on, &|_| {}).unwrap().unwrap();
    let logs = |step| ReplayLog::read(&log_path(folder.path(), step)).unwrap();
    assert!(first.examples >= 60 && logs(1).len() > 5, "the next step has been played");
    assert_eq!(first.buffer, first.examples, "but is not learnt from");

    // One that waits learns the same from the same, and then plays otherwise.
    let alone = tempfile::tempdir().unwrap();
    let waits = ZeroSettings { play_ahead: false, ..settings };
    let mut waiting = open(alone.path(), &waits, new(), (0, 0));
    let second = waiting.step(&go_on, &|_| {}).unwrap().unwrap();
    assert_eq!((second.loss, waiting.learner()), (first.loss, ahead.learner()));

    // The first weights lead both steps that are there.
    let unlearnt = tempfile::tempdir().unwrap();
    let mut without = open(unlearnt.path(), &waits, new(), (0, 0));
    without.step(&go_on, &|_| {}).unwrap().unwrap();
    without.learner = new();
    without.step(&go_on, &|_| {}).unwrap().unwrap();
    let others = |step| ReplayLog::read(&log_path(unlearnt.path(), step)).unwrap();
    assert!(logs(0) == others(0) && logs(1) == others(1));
}

#[test]
fn experts_play_in_the_learners_place() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(Some((Interest::Visited, Keep::Circular)));
    let open = |done| open(folder.path(), &settings, new(), done).with_experts(Arc::new(|| Box::new(First)));
    let mut training = open((0, 0));
    assert_eq!(training.step(&AtomicBool::new(true), &|_| {}).unwrap(), None, "a game that was stopped is no game");
    let report = training.step(&AtomicBool::new(false), &|_| {}).unwrap().unwrap();
    assert_eq!((report.questions, report.examples), ([0, 0], report.moves), "nobody asks the network");
    // With the first legal moves X fills the first row after seven moves from anywhere on that way.
    assert_eq!(report.first_player_score, 1.0);
    assert!(report.opening > 0.0, "some began where others had been");
    // Another one goes on where it was.
    training.save_beside().unwrap();
    let games = training.games();
    let next = training.step(&AtomicBool::new(false), &|_| {}).unwrap().unwrap();
    let again = open((1, games)).step(&AtomicBool::new(false), &|_| {}).unwrap().unwrap();
    assert_eq!((next.moves, next.trajectories, next.opening), (again.moves, again.trajectories, again.opening));
}

/// X wins all games of this expert, who thinks otherwise.
#[test]
fn values_learn_outcomes_and_what_searches_say() {
    let learnt = |lambda| {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(None);
        settings.replay = ReplaySettings { lambda, batches: 50, ..settings.replay };
        let mut training = open(folder.path(), &settings, new(), (0, 0)).with_experts(Arc::new(|| Box::new(First)));
        training.step(&AtomicBool::new(false), &|_| {}).unwrap().unwrap();
        training.learner().weights[0]
    };
    assert!((learnt(1.0) - 1.0).abs() < 0.01, "the outcome");
    assert!((learnt(0.0) - 0.25).abs() < 0.01, "the search");
    // Seven positions: ¾ of the way from 0.25 to 1 for the last, down to ¾⁷ for the first, on average 0.25 + 0.75 · 0.371.
    assert!((learnt(0.75) - 0.528).abs() < 0.05, "{}", learnt(0.75));
}

#[test]
fn a_step_is_made_when_there_are_enough_examples() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = open(folder.path(), &settings(Some((Interest::Visited, Keep::Circular))), new(), (0, 0));
    let go_on = AtomicBool::new(false);
    for step in 1..=5 {
        let report = training.step(&go_on, &|_| {}).unwrap().unwrap();
        assert_eq!((report.step, training.steps()), (step, step));
        assert!((60..70).contains(&report.examples), "{report:?}");
        assert_eq!(report.examples, report.moves, "every move teaches something");
        assert!(((60 * step).min(200)..=(70 * step).min(200)).contains(&report.buffer), "{report:?}");
        assert!(report.questions[1] <= report.questions[0] && report.questions[1] > 0);
        // Trajectories begin all over the game once there is an archive.
        assert!(report.opening > 0.5 && report.archive == 50, "{report:?}");
    }
}

#[test]
fn without_an_archive_all_trajectories_begin_at_the_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let mut training = open(folder.path(), &settings(None), new(), (0, 0));
    let report = training.step(&AtomicBool::new(false), &|_| {}).unwrap().unwrap();
    assert_eq!((report.opening, report.archive, report.archive_games), (0.0, 0, 0));
}

/// What is played does not depend on how many questions are answered together, or by whom; only the order in which games end does.
#[test]
fn games_side_by_side_are_those_one_after_the_other() {
    let play = |batching| {
        let folder = tempfile::tempdir().unwrap();
        let settings = ZeroSettings { batching, ..settings(None) };
        let report = open(folder.path(), &settings, new(), (0, 0)).step(&AtomicBool::new(false), &|_| {}).unwrap();
        let entries = ReplayLog::read(&log_path(folder.path(), 0)).unwrap();
        let mut games: Vec<Trajectory> = entries
            .into_iter()
            .map(|entry| match entry {
                Entry::Trajectory(trajectory) => trajectory,
                other => panic!("{other:?} without archive games and branches"),
            })
            .collect();
        games.sort_by_key(|trajectory| trajectory.number);
        (report.unwrap(), games)
    };
    let (_, alone) = play(Batching::default());
    for batching in [
        Batching { games: 5, server: None },
        Batching { games: 1, server: Some(ServerSettings::default()) },
        Batching { games: 4, server: Some(ServerSettings { batch: 3, deadline: 100, networks: 2 }) },
    ] {
        let (report, together) = play(batching);
        // Some may still be going on when a step ends.
        let common: Vec<_> = together.iter().filter(|game| (game.number as usize) < alone.len()).collect();
        assert!(common.len() > 5);
        assert!(common.iter().all(|game| alone[game.number as usize] == **game), "{batching:?}");
        assert!(report.examples >= 60 && report.questions[1] > 0, "{report:?}");
    }
}

#[test]
fn threads_can_share_a_network() {
    let folder = tempfile::tempdir().unwrap();
    let server = Some(ServerSettings { batch: 6, deadline: 500, networks: 1 });
    let settings = ZeroSettings { batching: Batching { games: 3, server }, ..settings(None) };
    let mut training =
        ZeroTraining::open(TicTacToe::default(), settings, (7, 3), new(), folder.path(), (0, 0)).unwrap();
    for step in 1..4 {
        let report = training.step(&AtomicBool::new(false), &|_| {}).unwrap().unwrap();
        assert_eq!(report.step, step);
        assert!(report.examples >= 60 && report.questions[1] > 0, "{report:?}");
    }
}

#[test]
fn one_move_in_fifteen_is_an_archive_games() {
    for batching in [Batching::default(), Batching { games: 40, server: None }] {
        let folder = tempfile::tempdir().unwrap();
        let settings = ZeroSettings { batching, ..settings(Some((Interest::Searched, Keep::Circular))) };
        let mut training = open(folder.path(), &settings, new(), (0, 0));
        for _ in 0..20 {
            let report = training.step(&AtomicBool::new(false), &|_| {}).unwrap().unwrap();
            assert!(report.examples < 120, "a step ends when there are enough, whoever is still playing: {report:?}");
        }
        let (mut trained, mut archive_moves, mut met) = (0, 0, Vec::new());
        for step in 0..20 {
            for entry in ReplayLog::read(&log_path(folder.path(), step)).unwrap() {
                match entry {
                    Entry::Met(_, moves, ways) => {
                        archive_moves += i64::from(moves);
                        met.extend(ways);
                    }
                    Entry::Trajectory(trajectory) => trained += trajectory.policies.len() as i64,
                    Entry::Side(_) => panic!("nothing branches"),
                }
            }
        }
        // To within the longest games of tic-tac-toe that three actors can play, each move searched as long.
        let behind = trained - TRAINED * archive_moves;
        assert!(archive_moves > 0 && behind.abs() <= 3 * 9 * TRAINED, "{trained} {archive_moves}");
        assert!(met.contains(&Vec::new()), "the first position is searched, too");
    }
}

#[test]
fn an_archive_begins_with_the_first_position() {
    let folder = tempfile::tempdir().unwrap();
    for settings in &variants()[2..] {
        let training = open(folder.path(), settings, new(), (0, 0));
        assert_eq!(training.archive.unwrap().ways(), [Box::from([])]);
    }
}

/// Threads that stop leave games unfinished, and none of them gives a number twice.
#[test]
fn no_game_is_played_twice_by_threads_that_pause() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(None);
    // Games that take long enough to overtake each other.
    settings.self_play.iterations = 1000;
    let mut training =
        ZeroTraining::open(TicTacToe::default(), settings, (7, 4), new(), folder.path(), (0, 0)).unwrap();
    for pause_at in 1..40 {
        let stop = AtomicBool::new(false);
        training.step(&stop, &|examples| stop.store(examples >= pause_at, Ordering::Relaxed)).unwrap();
    }
    let mut numbers = Vec::new();
    for step in 0..=training.steps() {
        let entries = ReplayLog::read(&log_path(folder.path(), step)).unwrap_or_default();
        numbers.extend(entries.iter().map(Entry::number));
    }
    let all = numbers.len();
    numbers.sort();
    numbers.dedup();
    assert!(all > 20 && numbers.len() == all, "{} of {all} games have a number of their own", numbers.len());
}

/// A run that is stopped again and again, and gone on with from its last save, ends as one that was not.
#[test]
fn a_run_in_pieces_ends_as_a_whole_one() {
    for settings in variants() {
        let (whole, pieces) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let go_on = AtomicBool::new(false);
        let mut training = open(whole.path(), &settings, new(), (0, 0));
        let reports: Vec<StepReport> = (0..6).map(|_| training.step(&go_on, &|_| {}).unwrap().unwrap()).collect();

        let (mut saved, mut done) = (new(), (0, 0));
        let mut pause_at = 5;
        while done.0 < 6 {
            let mut piece = open(pieces.path(), &settings, saved.clone(), done);
            // Stopped in the middle of a step, and before the last two steps could be saved.
            for _ in 0..2 {
                let report = piece.step(&go_on, &|_| {}).unwrap().unwrap();
                let expected = &reports[report.step as usize - 1];
                assert_eq!(
                    (report.loss, report.examples, report.archive),
                    (expected.loss, expected.examples, expected.archive)
                );
                if report.step == 6 {
                    break;
                }
            }
            let stop = AtomicBool::new(false);
            let paused = piece.step(&stop, &|examples| stop.store(examples >= pause_at, Ordering::Relaxed)).unwrap();
            // What goes on after a pause takes nothing in twice.
            if paused.is_none() {
                let report = piece.step(&go_on, &|_| {}).unwrap().unwrap();
                let expected = reports.get(report.step as usize - 1);
                assert!(
                    expected
                        .is_none_or(|expected| (expected.loss, expected.examples) == (report.loss, report.examples))
                );
            }
            pause_at += 17;
            // Only one step more than before is saved; the others are made again from what was played.
            let mut again = open(pieces.path(), &settings, saved, done);
            again.step(&go_on, &|_| {}).unwrap().unwrap();
            again.save_beside().unwrap();
            (saved, done) = (again.learner().clone(), (again.steps(), again.games()));
            again.forget_before([done.0; 2]);
        }
        assert_eq!((&saved, done.0), (training.learner(), 6));
    }
}

/// An archive that is saved in the middle of a step has seen positions of the step after it, too.
#[test]
fn a_step_tells_of_the_archive_without_what_is_played_ahead() {
    let archive = settings(Some((Interest::Visited, Keep::Expanding)));
    let settings = ZeroSettings { play_ahead: true, ..archive };
    let (whole, pieces) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let go_on = AtomicBool::new(false);
    let mut training = open(whole.path(), &settings, new(), (0, 0));
    let reports = [0, 1, 2].map(|_| training.step(&go_on, &|_| {}).unwrap().unwrap().archive);
    assert!(reports.is_sorted_by(|a, b| a < b), "{reports:?}");
    for pause_at in [1, 20, 40] {
        let mut first = open(pieces.path(), &settings, new(), (0, 0));
        first.step(&go_on, &|_| {}).unwrap().unwrap();
        let stop = AtomicBool::new(false);
        first.step(&stop, &|examples| stop.store(examples >= pause_at, Ordering::Relaxed)).unwrap();
        first.save_beside().unwrap();
        let (learnt, done) = (first.learner().clone(), (first.steps(), first.games()));
        let mut second = open(pieces.path(), &settings, learnt, done);
        let report = second.step(&go_on, &|_| {}).unwrap().unwrap();
        assert_eq!(report.archive, reports[report.step as usize - 1], "step {}", report.step);
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(Some((Interest::Visited, Keep::Circular)));
    let mut training = open(folder.path(), &settings, new(), (0, 0));
    training.step(&AtomicBool::new(false), &|_| {}).unwrap();
    training.save_beside().unwrap();
    let message = || {
        let done = (1, training.games());
        let opened = ZeroTraining::open(TicTacToe::default(), settings.clone(), (7, 1), new(), folder.path(), done);
        opened.err().unwrap().to_string()
    };
    let (log, archive) = (log_path(folder.path(), 0), archive_path(folder.path(), 1));
    let played = std::fs::read(&log).unwrap();
    std::fs::write(&log, &played[..played.len() - 1]).unwrap();
    assert!(message().contains("games-00000000.log") && message().contains("cut off"), "{}", message());
    std::fs::write(&log, played).unwrap();
    std::fs::write(&archive, b"rubbish").unwrap();
    assert!(message().contains("archive-00000001.bin") && message().contains("damaged"), "{}", message());
}

/// Where a game starts says nothing of what happens in it, whatever the seed.
#[test]
fn starts_and_searches_are_drawn_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(Some((Interest::Visited, Keep::Circular)));
    settings.archive = settings.archive.map(|archive| ArchiveSettings { initial: 0.5, ..archive });
    settings.self_play.katago.playout_cap = Some(PlayoutCap { full_share: 0.5, fast: 4 });
    let mut training =
        ZeroTraining::open(TicTacToe::default(), settings, (0, 1), new(), folder.path(), (0, 0)).unwrap();
    // Whether the game began at the beginning, and whether its first search was a full one.
    let mut counts = [[0u32; 2]; 2];
    for step in 0..8 {
        training.step(&AtomicBool::new(false), &|_| {}).unwrap().unwrap();
        for entry in ReplayLog::read(&log_path(folder.path(), step)).unwrap() {
            let Entry::Trajectory(Trajectory { opening, policies, .. }) = entry else { continue };
            counts[usize::from(opening > 0)][usize::from(policies.first().is_some_and(|policy| !policy.is_empty()))] +=
                1;
        }
    }
    assert!(counts.iter().flatten().all(|&count| count > 5), "{counts:?}");
}

#[test]
fn what_a_run_has_seen_is_counted_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(None);
    settings.replay.keep = true;
    let mut training = open(folder.path(), &settings, new(), (0, 0));
    let mut trajectories = 0;
    for _ in 0..12 {
        let report = training.step(&AtomicBool::new(false), &|_| {}).unwrap().unwrap();
        trajectories += report.trajectories;
        training.forget_before([training.steps(); 2]);
    }
    let seen = unique_states(&TicTacToe::default(), folder.path(), training.steps()).unwrap();
    assert_eq!(seen[..2], [1, 9], "the empty board, and a cross anywhere");
    assert!(seen[2] <= 72 && seen.len() <= 9 && seen.iter().all(|&states| states <= trajectories), "{seen:?}");

    // The last position of a game that ended early was searched, too.
    let trajectory = Trajectory { way: vec![0, 4], policies: vec![vec![(0, 1.0)]; 3], ..Trajectory::default() };
    let early = tempfile::tempdir().unwrap();
    let log = |step| log_path(early.path(), step);
    ReplayLog::open(&log(0)).unwrap().0.append(&[Entry::Trajectory(trajectory)]).unwrap();
    assert_eq!(unique_states(&TicTacToe::default(), early.path(), 1).unwrap(), [1, 1, 1]);

    settings.replay.keep = false;
    training.settings = settings;
    training.forget_before([training.steps(); 2]);
    assert!(unique_states(&TicTacToe::default(), folder.path(), training.steps()).is_err(), "the first games are gone");
}
