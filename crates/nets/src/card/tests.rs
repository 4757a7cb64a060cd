//! The card against the processor's own kernels. Where there is no card, these tests say so, and nothing else.

use super::*;
use crate::training::{Batch, ILLEGAL, Trainer};
use crate::{Architecture, FoldedNetwork};
use afterstate_games::rng::unit;
use afterstate_games::stream;

const SMALL: Architecture =
    Architecture { planes: 3, height: 6, width: 7, moves: 7, blocks: 2, filters: 32, hidden: 24, ownership: false };

fn card() -> Option<Card> {
    let card = Card::open(0);
    if let Err(problem) = &card {
        println!("left out, there is no card: {problem}");
    }
    card.ok()
}

/// Random positions, each with one illegal move.
fn batch(positions: usize) -> Batch {
    let mut rng = stream(5, 0);
    let mut batch = Batch::default();
    for position in 0..positions {
        batch.inputs.extend((0..SMALL.input_len()).map(|_| f32::from(unit(&mut rng) < 0.3)));
        let mut policy: Vec<f32> = (0..SMALL.moves).map(|_| unit(&mut rng) as f32).collect();
        policy[position % SMALL.moves] = 0.0;
        let sum: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|probability| *probability /= sum);
        policy[position % SMALL.moves] = ILLEGAL;
        batch.policies.extend(policy);
        batch.outcomes.push(2.0 * unit(&mut rng) as f32 - 1.0);
    }
    batch
}

fn close(a: f32, b: f32, within: f32) -> bool {
    (a - b).abs() <= within * (1.0 + a.abs().max(b.abs()))
}

/// Weights whose norms do something.
fn weights() -> Vec<f32> {
    let mut weights = SMALL.random(&mut stream(3, 0));
    let mut gradients = Vec::new();
    Trainer::new(SMALL).gradients(&mut weights, &batch(32), &mut gradients);
    weights
}

#[test]
fn planes_are_laid_out_cell_by_cell() {
    // Two boards of two cells with two planes, and room for a third.
    let mut there = [9.0; 12];
    by_cells(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [2, 2, 3], |number| number, &mut there);
    assert_eq!(there, [1.0, 3.0, 9.0, 2.0, 4.0, 9.0, 5.0, 7.0, 9.0, 6.0, 8.0, 9.0]);
}

#[test]
fn answers_are_those_of_the_processor() {
    let Some(card) = card() else { return };
    let weights = weights();
    let mut folded = FoldedNetwork::new(SMALL, &weights);
    let mut network = CardNetwork::new(SMALL, &weights, &card);
    // Fewer than go together, more, and again as many: each number of positions has a graph of its own.
    for positions in [9, 300, 9, 128, 129] {
        let batch = batch(positions);
        let (mut values, mut logits) = (vec![7.0], vec![7.0]);
        network.evaluate(&batch.inputs, &mut values, &mut logits);
        assert_eq!((values.len(), logits.len()), (positions, positions * SMALL.moves));
        for (position, input) in batch.inputs.chunks_exact(SMALL.input_len()).enumerate() {
            let mut expected = vec![0.0; SMALL.moves];
            let value = folded.evaluate(input, &mut expected);
            assert!(close(values[position], value, 0.01), "{} {value}", values[position]);
            let found = &logits[position * SMALL.moves..][..SMALL.moves];
            assert!(found.iter().zip(&expected).all(|(a, b)| close(*a, *b, 0.01)), "{found:?} {expected:?}");
        }
    }
    let (mut values, mut logits) = (vec![7.0], vec![7.0]);
    network.clone().evaluate(&[], &mut values, &mut logits);
    assert!(values.is_empty() && logits.is_empty());
}

/// The gradients of a batch as the processor and the card find them, and the statistics and losses beside them, which must be the
/// same but for `within`.
fn gradients(trainer: &mut CardTrainer, positions: usize, within: f32) -> [Vec<f32>; 2] {
    let (mut here, mut there) = (weights(), weights());
    let (mut expected, mut found) = (Vec::new(), vec![1.0]);
    let batch = batch(positions);
    let loss = Trainer::new(SMALL).gradients(&mut here, &batch, &mut expected);
    let on_card = trainer.gradients(&mut there, &batch, &mut found);
    assert!(close(loss.policy, on_card.policy, within), "{on_card:?} {loss:?}");
    assert!(close(loss.value, on_card.value, within), "{on_card:?} {loss:?}");
    assert!(here.iter().zip(&there).all(|(a, b)| close(*a, *b, within)));
    assert!(found.iter().any(|gradient| gradient.abs() > 1e-3));
    [expected, found]
}

fn length(numbers: impl Iterator<Item = f32>) -> f32 {
    numbers.map(|number| number * number).sum::<f32>().sqrt()
}

#[test]
fn gradients_and_statistics_are_those_of_the_processor() {
    let Some(card) = card() else { return };
    let mut trainer = CardTrainer::new(SMALL, &card).exact();
    for positions in [12, 12, 40] {
        let [expected, found] = gradients(&mut trainer, positions, 5e-4);
        for tensor in SMALL.layout().tensors() {
            let (expected, found) = (&expected[tensor.range.clone()], &found[tensor.range.clone()]);
            let apart = length(expected.iter().zip(found).map(|(a, b)| a - b));
            let most = 0.005 * length(expected.iter().copied()) + 1e-5;
            assert!(apart <= most, "gradients of {}: {apart}, expected at most {most}", tensor.name);
        }
    }
}

/// Rounded factors have 11 bits, and units whose sums are near 0 may be on here and off there: each such unit is a whole error in
/// what little a small batch has of them.
#[test]
fn rounded_gradients_point_where_exact_ones_do() {
    let Some(card) = card() else { return };
    let mut trainer = CardTrainer::new(SMALL, &card);
    for positions in [12, 12, 40] {
        let [expected, found] = gradients(&mut trainer, positions, 0.01);
        let apart = length(expected.iter().zip(&found).map(|(a, b)| a - b));
        let length = length(expected.iter().copied());
        assert!(apart <= 0.1 * length, "{apart} of {length}");
    }
}
