//! Three scripted simulations, worked out by hand.

use crate::script::{Letters, Named, Outcomes, Scripted};
use afterstate_engine::learning::{Plies, Td, TdSettings, TraceKind};
use afterstate_engine::search::{Dyna2, FeatureMemory, Leaf, LongTermMemory, TdSearch, TdSearchSettings};
use afterstate_engine::value::{ActiveSet, Share, Squash, Weights};
use afterstate_engine::{Budget, Search, Value};
use afterstate_games::{Rng, stream};

type Words = Letters<4, 2>;

/// θ after each of the simulations `abaa` (Black wins), `bbab` (White wins) and `aaba` (Black wins); with a switch the
/// that ends learning too the default policy gives 1, 0 and ½.
fn learnt(td: TdSettings, learn_moves: Option<u32>) -> Vec<[f32; 2]> {
    let mut found = Vec::new();
    for tells in [true, false] {
        found.clear();
        for simulations in 1..=3 {
            let script = ["abaa", "bbab", "aaba"].map(|word| word.bytes().collect()).to_vec();
            let memory = Scripted::new(FeatureMemory::new(Named.into(), td.clone()), script, tells);
            let settings = TdSearchSettings {
                simulations,
                exploration: 0.0,
                switch_after: learn_moves,
                learn_moves,
                ..TdSearchSettings::article()
            };
            let mut search = TdSearch::new(memory, Outcomes::new(&[1.0, 0.0, 0.5]), settings);
            search.search(&Words::default(), &Budget::default(), &mut stream(1, 0));
            found.push(search.memory().memory.weights().try_into().unwrap());
        }
    }
    found
}

fn linear(lambda: f32) -> TdSettings {
    TdSettings { step_size: 0.5, lambda, squash: Squash::Linear, ..TdSettings::default() }
}

/// V = ½ + θ_a [a was named] + θ_b [b was named], α = ½, and each position moves towards the one two plies later.
///
/// The first simulation with λ = 0: all values are ½ until it ends. s₂ (a and b) moves by ½ · (1 − ½) / 2 = ⅛ for each
/// letter to (⅛, ⅛). s₃ (a and b) is now worth ¾ and moves by ½ · ¼ / 2 = 1/16. The trace of s₃ with λ also holds λ/1 of
/// a, for s₁: with λ = 1 it is 3/2 of a and ½ of b, and a moves by ½ · ¼ · 3/2 = 3/16, to 5/16.
///
/// The second one with λ = 0: when s₃ is reached, s₁ (b, 11/16) moves towards s₃ (7/8) by ½ · 3/16, so that
/// θ_b = 9/32. In the end s₂ (b, 25/32) moves by −½ · 25/32 to θ_b = −7/64, and s₃ (½ + 3/16 − 7/64 = 37/64) by
/// −½ · 37/64 / 2 for each.
#[test]
fn without_a_switch() {
    assert_eq!(
        learnt(linear(0.0), None),
        [[3.0 / 16.0, 3.0 / 16.0], [11.0 / 256.0, -65.0 / 256.0], [1411.0 / 4096.0, -481.0 / 4096.0]]
    );
    assert_eq!(
        learnt(linear(0.5), None),
        [[1.0 / 4.0, 3.0 / 16.0], [11.0 / 128.0, -27.0 / 64.0], [71.0 / 128.0, -61.0 / 256.0]]
    );
    assert_eq!(
        learnt(linear(1.0), None),
        [[5.0 / 16.0, 3.0 / 16.0], [33.0 / 256.0, -161.0 / 256.0], [3629.0 / 4096.0, -1581.0 / 4096.0]]
    );
}

/// λ-returns after the simulation, of one parity: of `abaa`, where all values are ½ and s₁ (a), s₂ and s₃ (a and b) are
/// reached, either s₃ and s₁ learn or s₂ does. s₃ moves by ½ · (1 − ½) / 2 = ⅛ for each letter. The return of s₁ is
/// λ · 1 + (1 − λ) · ½, so that with λ = ½ it moves by ½ · ¼ to θ_a = ¼, and with λ = 0 it does not move.
#[test]
fn backward_returns_teach_one_parity() {
    for (lambda, a) in [(0.0, 1.0 / 8.0), (0.5, 1.0 / 4.0), (1.0, 3.0 / 8.0)] {
        let found = learnt(TdSettings { traces: TraceKind::Backward, ..linear(lambda) }, None)[0];
        assert!(found == [a, 1.0 / 8.0] || found == [1.0 / 8.0, 1.0 / 8.0], "λ = {lambda}: {found:?}");
    }
    // The second simulation of the same search draws again, and so does every other: both parities come up.
    let td = TdSettings { traces: TraceKind::Backward, ..linear(1.0) };
    let (mut odd, mut even) = (0, 0);
    let mut rule = Td::new(1, td);
    for _ in 0..200 {
        let weights = Weights::zeros(1);
        rule.begin();
        for time in 0..2 {
            let mut set = ActiveSet::default();
            (0..time).for_each(|_| set.push(Share::new(0, false)));
            rule.reached(&mut set, Value::EVEN, &weights);
        }
        rule.ended(Value(1.0), &weights);
        if weights.get(0) == 0.0 { even += 1 } else { odd += 1 }
    }
    assert!(odd > 70 && even > 70, "{odd} and {even}");
}

/// With one ply all positions are of one parity: s₃, s₂ and s₁ all learn.
#[test]
fn backward_returns_with_one_ply_teach_every_position() {
    let td = TdSettings { traces: TraceKind::Backward, plies: Plies::One, ..linear(1.0) };
    // ⅛ + ⅛ for both letters, and ¼ for a.
    assert_eq!(learnt(td, None)[0], [0.5, 0.25]);
}

/// After two moves both positions move towards the outcome of the default policy. There is nobody else they could
/// give credit to, so λ does not matter.
#[test]
fn with_a_switch_after_two_moves() {
    // ab → 1: s₁ (a) by ½ · ½ to θ_a = ¼, s₂ (a, b: ¾) by ½ · ¼ / 2. bb → 0: b from 9/16 by −9/32 to −7/32, then from 9/32
    // by −9/64 to −23/64. aa → ½: a by −5/32, then by −5/64.
    let expected = [[5.0 / 16.0, 1.0 / 16.0], [5.0 / 16.0, -23.0 / 64.0], [5.0 / 64.0, -23.0 / 64.0]];
    for lambda in [0.0, 0.5, 1.0] {
        assert_eq!(learnt(linear(lambda), Some(2)), expected, "λ = {lambda}");
    }
}

/// After three moves only the outcome of the third simulation is another one than without a switch.
#[test]
fn with_a_switch_after_three_moves() {
    for (lambda, last) in [
        (0.0, [131.0 / 4096.0, -737.0 / 4096.0]),
        (0.5, [23.0 / 128.0, -77.0 / 256.0]),
        (1.0, [1837.0 / 4096.0, -1837.0 / 4096.0]),
    ] {
        let (never, found) = (learnt(linear(lambda), None), learnt(linear(lambda), Some(3)));
        assert_eq!((&found[..2], found[2]), (&never[..2], last), "λ = {lambda}");
    }
}

/// A default policy that plays the same words.
#[derive(Clone)]
struct Plays(Vec<&'static str>);

impl Leaf<Words> for Plays {
    fn finish(&mut self, _game: &mut Words, _trace: &mut Vec<u8>, _rng: &mut Rng) -> Value {
        unreachable!("learning goes on to the end")
    }

    fn one_move(&mut self, game: &Words, _rng: &mut Rng) -> Option<u8> {
        let mv = self.0[0].as_bytes()[game.named.len()];
        if game.named.len() == 3 {
            self.0.remove(0);
        }
        Some(mv)
    }
}

/// Whoever chooses, the same simulations teach the same.
#[test]
fn what_the_default_policy_plays_is_learnt_too() {
    let words = ["abaa", "bbab", "aaba"];
    for lambda in [0.0, 0.5, 1.0] {
        for switch_after in 0..4 {
            let script = words.map(|word| word.as_bytes()[..switch_after].to_vec()).to_vec();
            let memory = Scripted::new(FeatureMemory::new(Named.into(), linear(lambda)), script, false);
            let settings = TdSearchSettings {
                simulations: 3,
                exploration: 0.0,
                switch_after: Some(switch_after as u32),
                ..TdSearchSettings::article()
            };
            let mut search = TdSearch::new(memory, Plays(words.to_vec()), settings);
            search.search(&Words::default(), &Budget::default(), &mut stream(1, 0));
            assert_eq!(
                search.memory().memory.weights(),
                learnt(linear(lambda), None)[2],
                "λ = {lambda}, T = {switch_after}"
            );
        }
    }
}

#[test]
fn learning_that_ends_at_once_teaches_nothing() {
    assert_eq!(learnt(linear(0.0), Some(0)), [[0.0; 2]; 3]);
}

/// One ply: s₁ → s₂ → s₃ → z. In the first simulation only s₃ learns, ½ · ½ / 2 for each letter.
#[test]
fn one_ply_targets_are_the_next_positions() {
    let td = TdSettings { plies: Plies::One, ..linear(0.0) };
    assert_eq!(learnt(td, None)[0], [0.125, 0.125]);
}

/// The same first simulation with logistic values: s₂ by ½ · (1 − σ(0)) / 2 = ⅛ for each letter, and s₃ by
/// ½ · (1 − σ(¼)) / 2.
#[test]
fn logistic_values_move_by_the_same_rule() {
    let found = learnt(TdSettings { squash: Squash::Logistic, ..linear(0.0) }, None)[0];
    let expected = 0.125 + 0.25 * (1.0 - 1.0 / (1.0 + (-0.25f32).exp()));
    assert!(found.iter().all(|weight| (weight - expected).abs() < 1e-6), "{found:?}");
}

/// Knows that an a is worth ¼.
#[derive(Clone)]
struct LikesA(Words);

impl LongTermMemory<Words> for LikesA {
    fn set_root(&mut self, root: &Words) {
        self.0 = root.clone();
    }
    fn begin(&mut self) {}
    fn afterstate_sums(&mut self, game: &Words, moves: &[u8], sums: &mut Vec<f32>) {
        sums.clear();
        let known = |mv: u8| if mv == b'a' || game.named.contains(&b'a') { 0.25 } else { 0.0 };
        sums.extend(moves.iter().map(|&mv| known(mv)));
    }
    fn playing(&mut self, _game: &Words, _mv: u8) {}
    fn sum(&mut self, game: &Words) -> f32 {
        if game.named.contains(&b'a') { 0.25 } else { 0.0 }
    }
}

/// `abaa` with a switch after three moves and outcome 1, λ = 0: Q̄ of s₁, s₂ and s₃ is ¾, so s₁ does not move. s₂ (a, b)
/// moves by ½ · ¼ / 2 = 1/16 for each letter, s₃ (now 7/8) by ½ · ⅛ / 2 = 1/32. The long-term memory stays as it is.
///
/// `bbab` with outcome 0: Q̄ of s₁ (b) is ½ + 3/32 = 19/32, that of s₃ (a, b) ¾ + 6/32 = 15/16: s₁ moves by
/// ½ · 11/32, to θ̄_b = 17/64. s₂ (b, 49/64) by −49/128 to −15/128. s₃: ¾ + 12/128 − 15/128 = 93/128, by −93/512 for each.
#[test]
fn dyna_2_learns_what_the_long_term_memory_does_not_know() {
    for tells in [true, false] {
        for (simulations, expected) in [(1, [3.0 / 32.0, 3.0 / 32.0]), (2, [-45.0 / 512.0, -153.0 / 512.0])] {
            let short = FeatureMemory::new(Named.into(), linear(0.0));
            let script = ["abaa", "bbab"].map(|word| word.bytes().collect()).to_vec();
            let memory = Scripted::new(Dyna2::new(LikesA(Words::default()), short), script, tells);
            let settings =
                TdSearchSettings { simulations, exploration: 0.0, learn_moves: Some(3), ..TdSearchSettings::article() };
            let mut search = TdSearch::new(memory, Outcomes::new(&[1.0, 0.0]), settings);
            search.search(&Words::default(), &Budget::default(), &mut stream(1, 0));
            assert_eq!(search.memory().memory.short_term().weights(), expected);
        }
    }
}
