//! Ratings against closed forms, finite differences, symmetries and simulated tournaments.

use super::model::{ELO, Model, Point};
use super::*;
use afterstate_games::rng::{Rng, stream, unit};

fn fixed(draw: f64, advantage: f64) -> RatingSettings {
    RatingSettings { draw: Parameter::Fixed(draw), advantage: Parameter::Fixed(advantage), ..Default::default() }
}

fn two(ab: Tally, ba: Tally) -> Results {
    let mut results = Results::new();
    results.add("a", "b", ab).unwrap();
    results.add("b", "a", ba).unwrap();
    results
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b} within {tolerance}");
}

/// A small tournament with draws, both orders, and uneven numbers of games.
fn mixed() -> Results {
    let mut results = Results::new();
    for (a, b, w, d, l) in [
        ("anna", "ben", 12, 3, 5),
        ("ben", "anna", 7, 2, 9),
        ("ben", "carl", 10, 4, 4),
        ("carl", "anna", 2, 1, 13),
        ("carl", "dora", 8, 0, 8),
        ("dora", "ben", 3, 2, 6),
    ] {
        results.add(a, b, Tally::new(w, d, l)).unwrap();
    }
    results
}

/// One game from the model's own probabilities.
fn play(rng: &mut Rng, x: f64, draw: f64) -> Tally {
    let u = f64::from(unit(rng));
    let (win, loss) = (expected_score(x - draw), expected_score(-x - draw));
    if u < win {
        Tally::new(1, 0, 0)
    } else if u < win + loss {
        Tally::new(0, 0, 1)
    } else {
        Tally::new(0, 1, 0)
    }
}

#[test]
fn two_players_without_draws_have_their_log_odds() {
    for (w1, l1, w2, l2) in [(30, 10, 12, 28), (5, 0, 0, 7), (1, 1, 0, 0), (1000, 3, 2, 999)] {
        let ratings = rate(&two(Tally::new(w1, 0, l1), Tally::new(w2, 0, l2)), &fixed(0.0, 0.0)).unwrap();
        // A virtual draw is a win and a loss, and there are two of them.
        let (wins, losses) = ((w1 + l2 + 2) as f64, (l1 + w2 + 2) as f64);
        let d = ratings.difference("a", "b").unwrap();
        close(d.elo, 400.0 * (wins / losses).log10(), 1e-6);
        close(d.std_error, ELO * (1.0 / wins + 1.0 / losses).sqrt(), 1e-6);
        let a = ratings.player("a").unwrap();
        close(a.elo, d.elo / 2.0, 1e-6);
        close(a.std_error, d.std_error / 2.0, 1e-6);
        close(a.high - a.elo, 1.959964 * a.std_error, 1e-4);
    }
}

#[test]
fn an_anchor_is_certain_and_the_other_carries_the_whole_error() {
    let results = two(Tally::new(30, 0, 10), Tally::new(12, 0, 28));
    let ratings = rate(&results, &fixed(0.0, 0.0).with_anchor("b", 1800.0)).unwrap();
    let (a, b) = (ratings.player("a").unwrap(), ratings.player("b").unwrap());
    assert_eq!((b.elo, b.std_error, b.low, b.anchor), (1800.0, 0.0, 1800.0, true));
    close(a.elo, 1800.0 + 400.0 * (60.0f64 / 24.0).log10(), 1e-6);
    close(a.std_error, ELO * (1.0f64 / 60.0 + 1.0 / 24.0).sqrt(), 1e-6);
    close(a.score, 58.0 / 80.0, 1e-12);
    close(a.opponents_mean, 1800.0, 1e-9);
}

#[test]
fn a_fitted_advantage_splits_the_log_odds() {
    // One virtual draw in each order; the model is saturated: two probabilities, two unknowns.
    let results = two(Tally::new(40, 0, 10), Tally::new(20, 0, 30));
    let settings = RatingSettings { advantage: Parameter::Fitted, ..fixed(0.0, 0.0) };
    let ratings = rate(&results, &settings).unwrap();
    let (ab, ba) = ((41.0f64 / 11.0).ln(), (21.0f64 / 31.0).ln());
    close(ratings.difference("a", "b").unwrap().elo, ELO * (ab - ba) / 2.0, 1e-6);
    close(ratings.advantage.elo, ELO * (ab + ba) / 2.0, 1e-6);
    let error = ELO * (1.0f64 / 41.0 + 1.0 / 11.0 + 1.0 / 21.0 + 1.0 / 31.0).sqrt() / 2.0;
    close(ratings.advantage.std_error, error, 1e-6);
}

#[test]
fn a_fitted_draw_parameter_reproduces_the_share_of_draws() {
    // Without a prior and with equal players: P(draw) = (θ − 1)/(θ + 1) must be the share seen, 1/3.
    let results = two(Tally::new(20, 20, 20), Tally::new(20, 20, 20));
    let ratings = rate(&results, &RatingSettings { prior_draws: 0.0, ..Default::default() }).unwrap();
    close(ratings.draw.elo, 400.0 * 2f64.log10(), 1e-6);
    close(ratings.advantage.elo, 0.0, 1e-6);
    assert!(ratings.draw.std_error > 0.0);
    close(ratings.log_likelihood, 120.0 * (1.0f64 / 3.0).ln(), 1e-6);
}

#[test]
fn virtual_draws_do_not_say_how_often_games_are_drawn() {
    // 10 of 20 games are drawn. As two wins and two losses of games with draws, the virtual ones would make that 42 %.
    let results = two(Tally::new(3, 5, 2), Tally::new(2, 5, 3));
    let fitted = |prior_draws| rate(&results, &RatingSettings { prior_draws, ..Default::default() }).unwrap().draw.elo;
    close(fitted(2.0), fitted(0.0), 2.0);
    close(fitted(20.0), fitted(0.0), 4.0);
}

#[test]
fn extreme_results_stay_finite_with_the_prior() {
    let everything_drawn = two(Tally::new(0, 50, 0), Tally::new(0, 50, 0));
    let first_always_wins = two(Tally::new(50, 0, 0), Tally::new(50, 0, 0));
    let a_always_wins = two(Tally::new(50_000, 0, 0), Tally::new(0, 0, 50_000));
    for results in [everything_drawn, first_always_wins, a_always_wins] {
        let ratings = rate(&results, &RatingSettings::default()).unwrap();
        assert!(ratings.players.iter().all(|p| p.elo.is_finite() && p.std_error.is_finite()), "{ratings:?}");
        assert!(ratings.advantage.elo.is_finite() && ratings.draw.elo.is_finite());
    }
    // Counts that only a damaged file can hold give ratings or an error, but no panic.
    let _ = rate(&two(Tally::new(u64::MAX, u64::MAX, 1), Tally::new(1, u64::MAX, 0)), &RatingSettings::default());
    let one_draw_in_a_million = two(Tally::new(500_000, 1, 499_999), Tally::new(1, 0, 0));
    let draw = rate(&one_draw_in_a_million, &RatingSettings::default()).unwrap().draw.elo;
    assert!((1e-4..1e-2).contains(&draw), "{draw}");
    let ratings = rate(&two(Tally::new(9, 0, 9), Tally::new(9, 0, 9)), &RatingSettings::default()).unwrap();
    assert_eq!((ratings.draw.elo, ratings.draw.std_error), (0.0, 0.0), "no draws: the parameter is 0");
}

#[test]
fn derivatives_agree_with_finite_differences() {
    let settings = RatingSettings::default().with_anchor("dora", -50.0);
    let model = Model::new(&mixed(), &settings);
    let slots = model.slots();
    assert_eq!(slots.count, 5);
    let at = Point { ratings: vec![0.7, 0.2, -0.4, -50.0 / ELO], advantage: 0.13, draw: 0.31 };
    let here = model.posterior(&at, &slots);
    let h = 1e-5;
    for i in 0..slots.count {
        let mut unit = vec![0.0; slots.count];
        unit[i] = 1.0;
        let (more, less) = (at.moved(&unit, h, &slots), at.moved(&unit, -h, &slots));
        close(here.gradient[i], (model.value(&more) - model.value(&less)) / (2.0 * h), 1e-6);
        let (more, less) = (model.posterior(&more, &slots), model.posterior(&less, &slots));
        for j in 0..slots.count {
            close(here.curvature.at(i, j), (less.gradient[j] - more.gradient[j]) / (2.0 * h), 1e-5);
        }
    }
}

#[test]
fn the_probabilities_are_those_of_the_model() {
    // ln of each single outcome's likelihood, against the formulas of the module's head.
    let (x, draw): (f64, f64) = (120.0 + 35.0, 90.0);
    let (win, loss) = (expected_score(x - draw), expected_score(-x - draw));
    let at = Point { ratings: vec![120.0 / ELO, 0.0], advantage: 35.0 / ELO, draw: draw / ELO };
    for (tally, p) in [(Tally::new(1, 0, 0), win), (Tally::new(0, 1, 0), 1.0 - win - loss), (Tally::new(0, 0, 1), loss)]
    {
        let mut results = Results::new();
        results.add("a", "b", tally).unwrap();
        close(Model::new(&results, &fixed(90.0, 35.0)).log_likelihood(&at), p.ln(), 1e-12);
    }
}

#[test]
fn no_neighbouring_ratings_are_more_probable() {
    let settings = RatingSettings::default();
    let ratings = rate(&mixed(), &settings).unwrap();
    let model = Model::new(&mixed(), &settings);
    let of = |name: &str| ratings.player(name).unwrap().elo / ELO;
    let best = Point {
        ratings: mixed().players().iter().map(|p| of(p)).collect(),
        advantage: ratings.advantage.elo / ELO,
        draw: ratings.draw.elo / ELO,
    };
    let top = model.value(&best);
    let mut rng = stream(5, 0);
    for _ in 0..200 {
        let mut shaken = best.clone();
        let mut shake = || 0.1 * (f64::from(unit(&mut rng)) - 0.5);
        shaken.ratings.iter_mut().for_each(|r| *r += shake());
        shaken.advantage += shake();
        shaken.draw += shake();
        assert!(model.value(&shaken) < top);
    }
}

#[test]
fn the_prior_shares_virtual_draws_as_bayeselo_does() {
    let mut results = Results::new();
    results.add("a", "b", Tally::new(2, 0, 1)).unwrap();
    results.add("a", "c", Tally::new(1, 0, 0)).unwrap();
    let model = Model::new(&results, &RatingSettings::default());
    let prior = |i, j| model.observations.iter().find(|o| (o.first, o.second) == (i, j)).unwrap().prior;
    // Each player gives one virtual draw in all: a 3/4 to b and 1/4 to c, b and c all of theirs to a.
    close(prior(0, 1), (0.75 + 1.0) / 2.0, 1e-12);
    close(prior(1, 0), (0.75 + 1.0) / 2.0, 1e-12);
    close(prior(0, 2) + prior(2, 0), 0.25 + 1.0, 1e-12);
    assert_eq!(model.observations.len(), 4);
}

#[test]
fn the_mean_zero_covariance_is_the_anchored_one_seen_from_the_mean() {
    let free = rate(&mixed(), &RatingSettings::default()).unwrap();
    let anchored = rate(&mixed(), &RatingSettings::default().with_anchor("ben", 500.0)).unwrap();
    let n = free.players.len();
    let order: Vec<usize> =
        free.players.iter().map(|p| anchored.players.iter().position(|q| q.name == p.name).unwrap()).collect();
    let mean_of_row = |i: usize| anchored.covariance[i].iter().sum::<f64>() / n as f64;
    let mean = (0..n).map(mean_of_row).sum::<f64>() / n as f64;
    for i in 0..n {
        for j in 0..n {
            let (a, b) = (order[i], order[j]);
            let centred = anchored.covariance[a][b] - mean_of_row(a) - mean_of_row(b) + mean;
            close(free.covariance[i][j], centred, 1e-6);
            close(free.superiority[i][j], anchored.superiority[a][b], 1e-9);
            close(free.superiority[i][j] + free.superiority[j][i], 1.0, 1e-12);
        }
        close(free.covariance[i].iter().sum::<f64>(), 0.0, 1e-6);
    }
    let shift = 500.0 - free.player("ben").unwrap().elo;
    for p in &free.players {
        close(anchored.player(&p.name).unwrap().elo, p.elo + shift, 1e-6);
    }
}

#[test]
fn shifting_the_origin_shifts_every_rating() {
    let low = rate(&mixed(), &RatingSettings::default().with_anchor("ben", 0.0).with_anchor("carl", -70.0)).unwrap();
    let high =
        rate(&mixed(), &RatingSettings::default().with_anchor("ben", 1800.0).with_anchor("carl", 1730.0)).unwrap();
    let mean = rate(&mixed(), &RatingSettings { mean: 1500.0, ..Default::default() }).unwrap();
    for (a, b) in low.players.iter().zip(&high.players) {
        assert_eq!(a.name, b.name);
        close(a.elo + 1800.0, b.elo, 1e-6);
        close(a.std_error, b.std_error, 1e-6);
    }
    close(mean.players.iter().map(|p| p.elo).sum::<f64>() / 4.0, 1500.0, 1e-9);
}

#[test]
fn names_and_their_order_do_not_matter() {
    let names = [("anna", "z"), ("ben", "y"), ("carl", "x"), ("dora", "w")];
    let new = |old: &str| names.iter().find(|n| n.0 == old).unwrap().1;
    let mut renamed = Results::new();
    let mut pairs: Vec<PairTally> = mixed().pairs().collect();
    pairs.reverse();
    for p in pairs {
        renamed.add(new(&p.first), new(&p.second), Tally::new(p.wins, p.draws, p.losses)).unwrap();
    }
    let (before, after) =
        (rate(&mixed(), &RatingSettings::default()).unwrap(), rate(&renamed, &RatingSettings::default()).unwrap());
    for p in &before.players {
        let q = after.player(new(&p.name)).unwrap();
        assert_eq!((p.rank, p.games), (q.rank, q.games));
        close(p.elo, q.elo, 1e-7);
        close(p.std_error, q.std_error, 1e-7);
    }
}

#[test]
fn intervals_cover_the_truth_19_times_in_20() {
    let truth: Vec<f64> = (0..10).map(|i| 60.0 * i as f64 - 270.0).collect();
    let (advantage, draw) = (40.0, 60.0);
    let (mut inside, mut advantage_inside, mut draw_inside) = (0, 0, 0);
    let repetitions = 200;
    for seed in 0..repetitions {
        let mut rng = stream(2024, seed);
        let mut results = Results::new();
        for i in 0..10 {
            for j in 0..10 {
                if i != j {
                    for _ in 0..20 {
                        let game = play(&mut rng, truth[i] - truth[j] + advantage, draw);
                        results.add(&i.to_string(), &j.to_string(), game).unwrap();
                    }
                }
            }
        }
        let ratings = rate(&results, &RatingSettings::default()).unwrap();
        for p in &ratings.players {
            let t = truth[p.name.parse::<usize>().unwrap()];
            inside += usize::from(p.low <= t && t <= p.high);
        }
        advantage_inside += usize::from((ratings.advantage.elo - advantage).abs() <= Z95 * ratings.advantage.std_error);
        draw_inside += usize::from((ratings.draw.elo - draw).abs() <= Z95 * ratings.draw.std_error);
    }
    // Standard deviations: about 0.5 % for 2,000 intervals, 1.5 % for 200.
    let share = |n: usize, of: u64| n as f64 / of as f64;
    let covered = share(inside, 10 * repetitions);
    assert!((0.935..=0.965).contains(&covered), "{covered}");
    for parameter in [share(advantage_inside, repetitions), share(draw_inside, repetitions)] {
        assert!((0.90..=0.99).contains(&parameter), "{parameter}");
    }
}

#[test]
fn groups_without_common_games_are_named() {
    let mut results = mixed();
    results.add("eve", "fred", Tally::new(1, 0, 1)).unwrap();
    results.add_player("gus");
    let error = rate(&results, &RatingSettings::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("['anna', 'ben', 'carl', 'dora'] ['eve', 'fred'] ['gus']"), "{text}");
    // With anchors only the groups without one are at fault.
    let settings = RatingSettings::default().with_anchor("anna", 0.0).with_anchor("gus", 0.0);
    let error = rate(&results, &settings).unwrap_err();
    assert_eq!(error, RatingError::Disconnected { groups: vec![vec!["eve".into(), "fred".into()]] });
    let ratings = rate(&results, &settings.with_anchor("eve", 300.0)).unwrap();
    close(ratings.player("fred").unwrap().elo, 300.0, 30.0);
    // Each group can be rated alone.
    let group = results.groups().remove(0);
    assert_eq!(rate(&results.among(&group), &RatingSettings::default()), rate(&mixed(), &RatingSettings::default()));
}

#[test]
fn without_a_prior_unbounded_players_are_named() {
    let none = RatingSettings { prior_draws: 0.0, ..Default::default() };
    let mut results = mixed();
    results.add("eve", "anna", Tally::new(3, 0, 0)).unwrap();
    assert_eq!(rate(&results, &none).unwrap_err(), RatingError::Unbounded { players: vec!["eve".into()] });
    assert!(rate(&results, &RatingSettings::default()).is_ok());
    assert!(rate(&mixed(), &none).is_ok());
    // Two anchors hold the ladder together from both ends, but the middle must still be bounded.
    let mut ladder = Results::new();
    ladder.add("top", "middle", Tally::new(3, 0, 0)).unwrap();
    ladder.add("middle", "bottom", Tally::new(3, 0, 0)).unwrap();
    let held = RatingSettings { draw: Parameter::Fixed(0.0), advantage: Parameter::Fixed(0.0), ..none.clone() };
    let held = held.with_anchor("top", 100.0).with_anchor("bottom", -100.0);
    close(rate(&ladder, &held).unwrap().player("middle").unwrap().elo, 0.0, 1e-6);
    // A first player who always wins: the advantage has no limit, though the players are even.
    let first = two(Tally::new(9, 0, 0), Tally::new(9, 0, 0));
    assert!(matches!(rate(&first, &none), Err(RatingError::NotDetermined { .. })));
}

#[test]
fn impossible_settings_are_refused() {
    let refused = |settings: RatingSettings| rate(&mixed(), &settings).unwrap_err().to_string();
    assert!(refused(fixed(-1.0, 0.0)).contains("draw is -1"));
    assert!(refused(fixed(50.0, f64::NAN)).contains("advantage is NaN"));
    assert!(refused(fixed(0.0, 0.0)).contains("15 games") || refused(fixed(0.0, 0.0)).contains("12 games"));
    assert!(refused(RatingSettings { prior_draws: f64::INFINITY, ..Default::default() }).contains("prior_draws"));
    assert!(refused(RatingSettings::default().with_anchor("zoe", 0.0)).contains("anchor 'zoe' is not among"));
    assert!(matches!(rate(&Results::new(), &RatingSettings::default()), Err(RatingError::NoPlayers)));
    assert!(matches!(Results::new().add("a", "a", Tally::default()), Err(RatingError::SelfPlay { .. })));
    for bad in [r#"{"draw": "free"}"#, r#"{"draw": null}"#, r#"{"colour": 1}"#] {
        assert!(serde_json::from_str::<RatingSettings>(bad).is_err(), "{bad}");
    }
}

#[test]
fn everything_survives_json() {
    let settings = RatingSettings { draw: Parameter::Fixed(97.3), ..Default::default() }.with_anchor("ben", 5.0);
    let ratings = rate(&mixed(), &settings).unwrap();
    assert_eq!(serde_json::from_str::<Ratings>(&ratings.to_json()).unwrap(), ratings);
    let text = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<RatingSettings>(&text).unwrap(), settings);
    let text = serde_json::to_string(&mixed()).unwrap();
    assert_eq!(serde_json::from_str::<Results>(&text).unwrap(), mixed());
    let one_sided = match_elo(Tally::new(4, 0, 0));
    let text = serde_json::to_string(&one_sided).unwrap();
    assert_eq!(serde_json::from_str::<EloInterval>(&text).unwrap(), one_sided);
    let selfish = r#"{"players":[],"pairs":[{"first":"a","second":"a","wins":1,"draws":0,"losses":0}]}"#;
    assert!(serde_json::from_str::<Results>(selfish).unwrap_err().to_string().contains("'a'"));
}

#[test]
fn tables_stay_aligned_and_csv_quoted() {
    let mut results = mixed();
    results.add("é, \"x\"\nlong name", "ben", Tally::new(0, 0, 2)).unwrap();
    let ratings = rate(&results, &RatingSettings::default()).unwrap();
    for table in [ratings.to_table(), ratings.to_superiority_table()] {
        let widths: Vec<usize> = table.lines().map(|l| l.chars().count()).collect();
        assert_eq!(widths.len(), 6);
        assert!(widths.windows(2).all(|w| w[0] == w[1]), "{table}");
    }
    let csv = ratings.to_csv();
    assert!(csv.contains("\"é, \"\"x\"\"\nlong name\""), "{csv}");
    assert_eq!(csv.lines().next().unwrap().split(',').count(), 11);
}

#[test]
fn wilson_matches_published_values() {
    // Newcombe (1998), Table I: 81/263, 15/148, 0/20, 1/29.
    for (wins, games, low, high) in
        [(81.0, 263, 0.2553, 0.3662), (15.0, 148, 0.0624, 0.1605), (0.0, 20, 0.0, 0.1611), (1.0, 29, 0.0061, 0.1718)]
    {
        let p = wilson(wins, games);
        close(p.low, low, 5e-5);
        close(p.high, high, 5e-5);
    }
    assert_eq!(wilson(0.0, 0), Proportion { estimate: 0.5, low: 0.0, high: 1.0 });
    assert_eq!(wilson(7.0, 7).high, 1.0);
}

#[test]
fn a_match_with_draws_covers_its_truth() {
    let (win, draw) = (0.35, 0.4);
    let truth = score_to_elo(win + draw / 2.0);
    let mut inside = 0;
    for seed in 0..2000 {
        let mut rng = stream(77, seed);
        let mut tally = Tally::default();
        for _ in 0..60 {
            let u = f64::from(unit(&mut rng));
            tally += if u < win {
                Tally::new(1, 0, 0)
            } else if u < win + draw {
                Tally::new(0, 1, 0)
            } else {
                Tally::new(0, 0, 1)
            };
        }
        let elo = match_elo(tally);
        inside += usize::from(elo.low <= truth && truth <= elo.high);
    }
    assert!((1870..=1935).contains(&inside), "{inside}");
    let even = match_elo(Tally::new(0, 40, 0));
    assert!(even.elo == 0.0 && even.low < -5.0 && even.high < 60.0);
}
