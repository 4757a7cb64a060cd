use super::*;
use crate::zero::{Branching, Network, PlayoutCap, Uniform};
use afterstate_games::{ConnectFour, Side, stream};

fn all_played(settings: &ActorSettings, way: &[u16], seed: u64, keeps_met: bool) -> Played {
    played_with(&mut Uniform, settings, way, seed, keeps_met)
}

fn played_with(
    network: &mut dyn Network<ConnectFour>,
    settings: &ActorSettings,
    way: &[u16],
    seed: u64,
    keeps_met: bool,
) -> Played {
    let first = ConnectFour::new();
    let mut actor = Actor::new(settings, &first, way, (seed, stream(seed, 0)), keeps_met);
    let mut question = Question::new(first);
    while actor.gather(&mut question) {
        network.evaluate(&mut [&mut question]);
        actor.apply(&question);
    }
    actor.into_played()
}

fn played(settings: &ActorSettings, way: &[u16], seed: u64, keeps_met: bool) -> (Trajectory, Vec<Vec<u16>>) {
    let Played { mut trajectories, sides, met } = all_played(settings, way, seed, keeps_met);
    assert_eq!((trajectories.len(), sides.len()), (1, 0));
    (trajectories.swap_remove(0), met)
}

/// Where `way` leads.
fn at(way: &[u16]) -> ConnectFour {
    way.iter().fold(ConnectFour::new(), |mut game, &index| {
        game.play(game.move_at(usize::from(index)));
        game
    })
}

fn fast() -> ActorSettings {
    ActorSettings { iterations: 30, ..ActorSettings::default() }
}

#[test]
fn a_trajectory_is_a_game_with_a_policy_for_each_of_its_moves() {
    for seed in 0..20 {
        let (trajectory, met) = played(&fast(), &[3, 3], seed, false);
        assert_eq!((trajectory.opening, &trajectory.way[..2], met.len()), (2, &[3u16, 3][..], 0));
        assert_eq!(trajectory.policies.len(), trajectory.way.len() - 2);
        assert_eq!(trajectory.examples(), trajectory.policies.len());
        // Nobody knows anything here but how games end: the last search has seen that, and says so from the first player's side.
        assert_eq!(trajectory.values.len(), trajectory.policies.len());
        assert!((trajectory.values.last().unwrap().unwrap() - trajectory.outcome).abs() < 0.5, "{trajectory:?}");
        let mut game = ConnectFour::new();
        for (i, &index) in trajectory.way.iter().enumerate() {
            if let Some(policy) = i.checked_sub(2).map(|i| &trajectory.policies[i]) {
                let mut moves = Vec::new();
                game.legal_moves(&mut moves);
                let legal: Vec<u16> = moves.iter().map(|mv| mv.index() as u16).collect();
                assert_eq!(policy.iter().map(|(index, _)| *index).collect::<Vec<_>>(), legal);
                assert!((policy.iter().map(|(_, probability)| probability).sum::<f32>() - 1.0).abs() < 1e-5);
                // Behind the drawn moves, one of the most probable ones.
                if i >= 2 + 10 {
                    let most = policy.iter().map(|(_, probability)| *probability).fold(0.0, f32::max);
                    let played = policy.iter().find(|(mv, _)| *mv == index).unwrap();
                    assert_eq!(played.1, most);
                }
            }
            game.play(game.move_at(usize::from(index)));
        }
        let Turn::Over(outcome) = game.turn() else { panic!("the game has ended") };
        assert_eq!(trajectory.outcome, outcome.first_player_score());
        assert_eq!(played(&fast(), &[3, 3], seed, false).0, trajectory, "the same stream plays the same game");
    }
}

#[test]
fn archive_actors_tell_what_their_searches_met() {
    let (trajectory, met) = played(&fast(), &[], 1, true);
    // Every search meets its root, and at most one new position with each other simulation.
    assert!(met.len() > trajectory.policies.len() && met.len() <= trajectory.policies.len() * 30);
    for moves in 0..trajectory.policies.len() {
        assert!(met.contains(&trajectory.way[..moves].to_vec()), "the position before move {moves} was searched");
    }
    // Two discs of the same side in either order: one position.
    let first: Vec<_> = met.iter().take_while(|way| way.len() != 1 || **way != trajectory.way[..1]).collect();
    let keys: std::collections::HashSet<u64> = first.iter().map(|way| at(way).key()).collect();
    assert_eq!(keys.len(), first.len());
    for way in met {
        let mut game = ConnectFour::new();
        for index in way {
            assert!(matches!(game.turn(), Turn::Player(_)));
            game.play(game.move_at(usize::from(index)));
        }
        assert!(matches!(game.turn(), Turn::Player(_)), "what has ended is no position to start from");
    }
}

#[test]
fn fast_searches_teach_nothing() {
    let katago =
        KataGoSettings { playout_cap: Some(PlayoutCap { full_share: 0.25, fast: 5 }), ..KataGoSettings::default() };
    let settings = ActorSettings { katago, ..fast() };
    let all: Vec<Trajectory> = (0..60).map(|seed| played(&settings, &[], seed, false).0).collect();
    let (moves, examples) = all
        .iter()
        .fold((0, 0), |(moves, examples), trajectory| (moves + trajectory.way.len(), examples + trajectory.examples()));
    let share = examples as f64 / moves as f64;
    assert!((0.2..0.3).contains(&share), "{share}");
}

#[test]
fn initial_moves_of_the_policy_belong_to_the_opening() {
    let katago = KataGoSettings { initialisation: 3.5, ..KataGoSettings::default() };
    let settings = ActorSettings { katago, ..fast() };
    let openings: Vec<u16> = (0..40).map(|seed| played(&settings, &[], seed, false).0.opening).collect();
    // An exponential of mean 3.5, rounded down; a few games would have ended before.
    let mean = openings.iter().map(|opening| f64::from(*opening)).sum::<f64>() / 40.0;
    assert!((1.5..4.5).contains(&mean), "{mean}");
    // However many there would be, something is left to be learnt.
    let katago = KataGoSettings { initialisation: 500.0, ..KataGoSettings::default() };
    let settings = ActorSettings { katago, ..fast() };
    let trajectories: Vec<_> = (0..20).map(|seed| played(&settings, &[], seed, false).0).collect();
    assert!(trajectories.iter().all(|trajectory| trajectory.examples() > 0));
    assert!(trajectories.iter().filter(|trajectory| trajectory.opening >= 7).count() >= 18);
}

#[test]
fn positions_beside_the_game_are_examples_of_what_their_search_says() {
    let branching = Branching { side_positions: 0.5, again: 0.5, forks: 0.0, ..Branching::default() };
    let katago = KataGoSettings { branching: Some(branching), ..KataGoSettings::default() };
    let settings = ActorSettings { katago, ..fast() };
    let (mut moves, mut sides, mut again) = (0, 0, 0);
    for seed in 0..60 {
        let Played { trajectories, sides: beside, .. } = all_played(&settings, &[3], seed, false);
        let [game] = &trajectories[..] else { panic!("one game") };
        moves += game.policies.len();
        sides += beside.len();
        for side in &beside {
            assert_eq!((side.number, side.way.len(), side.policies.len()), (seed, side.opening.into(), 1));
            assert!(matches!(at(&side.way).turn(), Turn::Player(_)) && (0.0..=1.0).contains(&side.outcome));
            let (policy, mut legal) = (&side.policies[0], Vec::new());
            at(&side.way).legal_moves(&mut legal);
            assert_eq!(policy.len(), legal.len());
            assert!((policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
            let (before, last) = (&side.way[..side.way.len() - 1], side.way[side.way.len() - 1]);
            match game.way.starts_with(before) {
                true => assert_ne!(game.way[before.len()], last, "what was played is no side position"),
                false => {
                    again += 1;
                    assert!(beside.iter().any(|other| other.way == before));
                }
            }
        }
    }
    // At half of the positions, a few of them where the other move ends the game; and as many again, and again.
    let first = sides - again;
    assert!((0.4..0.52).contains(&(first as f64 / moves as f64)), "{first} {moves}");
    assert!((0.38..0.52).contains(&(again as f64 / sides as f64)), "{again} {sides}");
    assert!(all_played(&settings, &[3], 1, true).sides.is_empty(), "archive games do not branch");
}

#[test]
fn a_fork_goes_on_from_the_best_of_some_random_moves() {
    let branching = Branching { side_positions: 0.0, forks: 1.0, fork_moves: 3.0, ..Branching::default() };
    let katago = KataGoSettings { branching: Some(branching), ..KataGoSettings::default() };
    let settings = ActorSettings { katago, ..fast() };
    let (mut depths, mut distances, mut without) = (0, 0, 0);
    for seed in 0..60 {
        let played = played_with(&mut Central, &settings, &[3, 3], seed, false);
        let [game, fork] = &played.trajectories[..] else {
            // It was over before it could fork.
            without += 1;
            continue;
        };
        let depth = usize::from(fork.opening) - 1;
        depths += depth - 2;
        assert_eq!((fork.number, &fork.way[..depth]), (seed, &game.way[..depth]));
        assert_eq!(fork.policies.len(), fork.way.len() - depth - 1);
        assert!(fork.examples() > 0 && matches!(at(&fork.way).turn(), Turn::Over(_)));
        distances += fork.way[depth].abs_diff(3);
    }
    // The mean of an exponential of mean 3, rounded down, is 2.5.
    assert!(without < 6 && (1.8..3.2).contains(&(depths as f64 / 60.0)), "{without} {depths}");
    // Of random moves it would be 12/7.
    assert!(f64::from(distances) / 60.0 < 0.8, "{distances}");
    // A game that is too short for where it should fork does so elsewhere.
    let branching = Branching { fork_moves: 60.0, ..branching };
    let katago = KataGoSettings { branching: Some(branching), ..KataGoSettings::default() };
    let settings = ActorSettings { katago, ..fast() };
    let forked = (0..20).filter(|&seed| all_played(&settings, &[3, 3], seed, false).trajectories.len() == 2).count();
    assert!(forked >= 18, "{forked}");
}

/// Likes discs in the middle.
struct Central;

impl Network<ConnectFour> for Central {
    fn evaluate(&mut self, questions: &mut [&mut Question<ConnectFour>]) {
        for question in questions {
            let game = question.game;
            let central = |side| {
                let discs = game.discs(side);
                (0..49)
                    .filter(|bit| discs >> bit & 1 != 0)
                    .map(|bit| 3.0 - (bit as f32 / 7.0 - 3.0).floor().abs())
                    .sum::<f32>()
            };
            question.answer(Value(0.5 + 0.01 * (central(Side::First) - central(Side::Second))), |_| 0.0);
        }
    }
}

#[test]
fn games_may_end_when_they_are_decided() {
    let settings = ActorSettings { early_end: 1.0, ..fast() };
    let shorter = (0..30).filter(|&seed| {
        let (early, whole) = (played(&settings, &[], seed, false).0, played(&fast(), &[], seed, false).0);
        // What was decided is an example, too.
        let ended_early = matches!(at(&early.way).turn(), Turn::Player(_));
        assert_eq!(early.policies.len(), early.way.len() + usize::from(ended_early));
        early.way.len() < whole.way.len()
    });
    assert!(shorter.count() > 0);
}

#[test]
fn archive_games_are_whole_games_of_full_searches() {
    let katago = KataGoSettings {
        initialisation: 3.5,
        playout_cap: Some(PlayoutCap { full_share: 0.25, fast: 5 }),
        branching: None,
    };
    let settings = ActorSettings { katago, ..fast() };
    for seed in 0..10 {
        let (trajectory, _) = played(&settings, &[], seed, true);
        assert_eq!((trajectory.opening, trajectory.examples()), (0, trajectory.way.len()));
    }
}

#[test]
fn noise_is_1_together_and_the_more_uneven_the_less_its_concentration() {
    let mut rng = stream(5, 0);
    let mut greatest = |concentration| {
        let mut sum = 0.0;
        for _ in 0..500 {
            let noise = dirichlet(concentration, 7, &mut rng);
            assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-4 && noise.iter().all(|number| *number >= 0.0));
            sum += noise.iter().copied().fold(0.0, f32::max) / 500.0;
        }
        sum
    };
    // The greatest of seven: 0.37 on average when all vectors are equally likely (α = 1), nearly 1 for α = 0.03.
    let [even, uneven] = [greatest(1.0), greatest(0.03)];
    assert!((even - 0.37).abs() < 0.03 && uneven > 0.85, "{even} {uneven}");
}
