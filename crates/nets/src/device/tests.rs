//! The device against the processor's own kernels.

use super::*;
use crate::training::{Batch, ILLEGAL, Trainer};
use crate::{Architecture, FoldedNetwork};
use afterstate_games::rng::unit;
use afterstate_games::stream;
use burn_autodiff::Autodiff;
use burn_flex::{Flex, FlexDevice};

const SMALL: Architecture =
    Architecture { planes: 3, height: 6, width: 7, moves: 7, blocks: 2, filters: 16, hidden: 16 };

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
fn answers_are_those_of_the_processor() {
    let weights = weights();
    let mut folded = FoldedNetwork::new(SMALL, &weights);
    let batch = batch(9);
    for (half, within) in [(false, 1e-4), (true, 0.05)] {
        let network = DeviceNetwork::<Flex>::new(SMALL, &weights, &FlexDevice, half);
        let (values, logits) = network.evaluate(&batch.inputs);
        assert_eq!((values.len(), logits.len()), (9, 9 * SMALL.moves));
        for (position, input) in batch.inputs.chunks_exact(SMALL.input_len()).enumerate() {
            let mut expected = vec![0.0; SMALL.moves];
            let value = folded.evaluate(input, &mut expected);
            assert!(close(values[position], value, within), "{} {value}", values[position]);
            let found = &logits[position * SMALL.moves..][..SMALL.moves];
            assert!(found.iter().zip(&expected).all(|(a, b)| close(*a, *b, within)), "{found:?} {expected:?}");
        }
    }
    assert!(DeviceNetwork::<Flex>::new(SMALL, &weights, &FlexDevice, false).evaluate(&[]).0.is_empty());
}

#[test]
fn gradients_and_statistics_are_those_of_the_processor() {
    let (mut here, mut there) = (weights(), weights());
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    let batch = batch(12);
    let loss = Trainer::new(SMALL).gradients(&mut here, &batch, &mut expected);
    let on_device = DeviceTrainer::<Autodiff<Flex>>::new(SMALL, FlexDevice).gradients(&mut there, &batch, &mut found);
    assert!(close(loss.policy, on_device.policy, 1e-4) && close(loss.value, on_device.value, 1e-4), "{on_device:?}");
    for tensor in SMALL.layout().tensors() {
        let pairs = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| close(*a, *b, 1e-3));
        assert!(pairs(&expected[tensor.range.clone()], &found[tensor.range.clone()]), "gradients of {}", tensor.name);
        assert!(pairs(&here[tensor.range.clone()], &there[tensor.range.clone()]), "{}", tensor.name);
    }
    assert!(found.iter().any(|gradient| gradient.abs() > 1e-3));
}
