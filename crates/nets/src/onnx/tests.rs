//! The file is read by its bytes alone, by the field numbers of onnx.proto, and computed node by node: neither our messages
//! nor our network have a part in that.

use super::*;
use crate::FoldedNetwork;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;

/// A field of a message: its number, and a number or bytes.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, as protobuf writes them.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key % 8 {
            0 => Field::Number(varint(&mut bytes)),
            wire @ (2 | 5) => {
                let length = if wire == 5 { 4 } else { varint(&mut bytes) as usize };
                let (field, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(field)
            }
            other => panic!("wire type {other}"),
        };
        fields.push((key / 8, field));
    }
    fields
}

fn all(message: &[u8], number: u64) -> Vec<&[u8]> {
    let bytes = |(found, field)| match field {
        Field::Bytes(bytes) if found == number => Some(bytes),
        _ => None,
    };
    fields(message).into_iter().filter_map(bytes).collect()
}

fn texts(message: &[u8], number: u64) -> Vec<&str> {
    all(message, number).into_iter().map(|bytes| std::str::from_utf8(bytes).unwrap()).collect()
}

fn numbers(message: &[u8], number: u64) -> Vec<u64> {
    let of = |(found, field)| match field {
        Field::Number(value) if found == number => Some(value),
        _ => None,
    };
    fields(message).into_iter().filter_map(of).collect()
}

/// A shape, and numbers of which the last axis is contiguous.
#[derive(Clone, Debug)]
struct Array(Vec<usize>, Vec<f64>);

fn floats(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<4>().0.iter().map(|number| f64::from(f32::from_le_bytes(*number))).collect()
}

fn convolve(Array(input, x): &Array, Array(kernel, w): &Array, pads: &[u64]) -> Array {
    let &[batch, channels, height, width] = &input[..] else { panic!("{input:?}") };
    let &[outputs, inputs, rows, columns] = &kernel[..] else { panic!("{kernel:?}") };
    let &[top, left, bottom, right] = pads else { panic!("{pads:?}") };
    assert_eq!((channels, top + bottom + 1, left + right + 1), (inputs, rows as u64, columns as u64));
    let mut sums = Vec::new();
    for (n, output, y, x0) in product([batch, outputs, height, width]) {
        let mut sum = 0.0;
        for (_, channel, down, across) in product([1, inputs, rows, columns]) {
            let (row, column) = ((y + down).wrapping_sub(top as usize), (x0 + across).wrapping_sub(left as usize));
            if row < height && column < width {
                sum += w[((output * inputs + channel) * rows + down) * columns + across]
                    * x[((n * channels + channel) * height + row) * width + column];
            }
        }
        sums.push(sum);
    }
    Array(vec![batch, outputs, height, width], sums)
}

fn product([a, b, c, d]: [usize; 4]) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    (0..a * b * c * d).map(move |i| (i / (b * c * d), i / (c * d) % b, i / d % c, i % d))
}

/// What a file makes of a batch of planes: its two outputs.
fn computed(file: &[u8], planes: Array) -> [Array; 2] {
    let [graph] = all(file, 7)[..] else { panic!("one graph") };
    let mut known: HashMap<String, Array> = HashMap::new();
    for tensor in all(graph, 5) {
        assert_eq!(numbers(tensor, 2), [1], "floats");
        let shape = numbers(tensor, 1).into_iter().map(|length| length as usize).collect();
        known.insert(texts(tensor, 8)[0].to_string(), Array(shape, floats(all(tensor, 9)[0])));
    }
    known.insert(texts(all(graph, 11)[0], 1)[0].to_string(), planes);
    for node in all(graph, 1) {
        let inputs: Vec<&Array> = texts(node, 1).iter().map(|name| &known[*name]).collect();
        let attributes: HashMap<&str, &[u8]> = all(node, 5).iter().map(|a| (texts(a, 1)[0], *a)).collect();
        let Array(shape, x) = inputs[0];
        let each = |change: &dyn Fn(f64) -> f64| Array(shape.clone(), x.iter().map(|x| change(*x)).collect());
        let result = match texts(node, 4)[0] {
            "Conv" => convolve(inputs[0], inputs[1], &numbers(attributes["pads"], 8)),
            "BatchNormalization" => {
                let epsilon = floats(all(attributes["epsilon"], 2)[0])[0];
                let channel = |i: usize| i / (shape[2] * shape[3]) % shape[1];
                let of = |input: usize, i: usize| inputs[input].1[channel(i)];
                let normal = |(i, x): (usize, &f64)| of(1, i) * (x - of(3, i)) / (of(4, i) + epsilon).sqrt() + of(2, i);
                Array(shape.clone(), x.iter().enumerate().map(normal).collect())
            }
            "Relu" => each(&|x| x.max(0.0)),
            "Tanh" => each(&f64::tanh),
            "Add" => Array(shape.clone(), x.iter().zip(&inputs[1].1).map(|(a, b)| a + b).collect()),
            "Flatten" => {
                assert_eq!(numbers(attributes["axis"], 3), [1]);
                Array(vec![shape[0], shape[1..].iter().product()], x.clone())
            }
            "Gemm" => {
                assert_eq!(numbers(attributes["transB"], 3), [1]);
                let (Array(rows, w), bias) = (inputs[1], &inputs[2].1);
                let row = |x: &[f64], output: usize| {
                    let weights = &w[output * rows[1]..][..rows[1]];
                    bias[output] + weights.iter().zip(x).map(|(w, x)| w * x).sum::<f64>()
                };
                let outputs = x.chunks(rows[1]).flat_map(|x| (0..rows[0]).map(move |output| row(x, output)));
                Array(vec![shape[0], rows[0]], outputs.collect())
            }
            other => panic!("operator {other}"),
        };
        known.insert(texts(node, 2)[0].to_string(), result);
    }
    let outputs: Vec<&str> = all(graph, 12).into_iter().map(|output| texts(output, 1)[0]).collect();
    assert_eq!(outputs, [POLICY, VALUE]);
    [POLICY, VALUE].map(|name| known[name].clone())
}

/// Weights of norms that do something.
fn weights(architecture: &Architecture) -> Vec<f32> {
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(5);
    let mut weights = architecture.random(&mut rng);
    for tensor in architecture.layout().tensors().iter().filter(|tensor| tensor.shape.len() == 1) {
        weights[tensor.range.clone()].iter_mut().for_each(|weight| *weight += 0.3 * rng.random::<f32>());
    }
    weights
}

#[test]
fn the_file_computes_what_the_network_answers() {
    for architecture in [
        Architecture { planes: 4, height: 6, width: 7, moves: 7, blocks: 2, filters: 16, hidden: 20, ownership: false },
        Architecture { planes: 4, height: 3, width: 3, moves: 10, blocks: 0, filters: 32, hidden: 5, ownership: false },
    ] {
        let weights = weights(&architecture);
        let file = export(&architecture, &weights, &[]);
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(6);
        let inputs: Vec<f32> = (0..3 * architecture.input_len()).map(|_| f32::from(rng.random_bool(0.4))).collect();
        let shape = vec![3, architecture.planes, architecture.height, architecture.width];
        let planes = Array(shape, inputs.iter().map(|x| f64::from(*x)).collect());
        let [policy, value] = computed(&file, planes);
        assert_eq!((policy.0, value.0), (vec![3, architecture.moves], vec![3, 1]));
        let mut network = FoldedNetwork::new(architecture, &weights);
        let mut logits = vec![0.0; architecture.moves];
        for (i, input) in inputs.chunks(architecture.input_len()).enumerate() {
            let answered = network.evaluate(input, &mut logits);
            assert!((f64::from(answered) - value.1[i]).abs() < 1e-5, "{answered} {:?}", value.1);
            for (answered, computed) in logits.iter().zip(&policy.1[i * architecture.moves..]) {
                assert!((f64::from(*answered) - computed).abs() < 1e-5, "{answered} {computed}");
            }
        }
    }
}

#[test]
fn the_batch_has_any_length_and_the_rest_the_boards() {
    let architecture =
        Architecture { planes: 4, height: 6, width: 7, moves: 7, blocks: 1, filters: 16, hidden: 16, ownership: false };
    let weights = weights(&architecture);
    let file = export(&architecture, &weights, &[("game", "connect-four".to_string())]);
    assert_eq!(numbers(&file, 1), [IR_VERSION as u64]);
    let operators = all(&file, 8);
    assert_eq!((operators.len(), numbers(operators[0], 2)), (1, vec![OPERATOR_SET as u64]));
    let [entry] = all(&file, 14)[..] else { panic!("one entry") };
    assert_eq!((texts(entry, 1), texts(entry, 2)), (vec!["game"], vec!["connect-four"]));
    let graph = all(&file, 7)[0];
    for (info, expected) in [(11, vec![4, 6, 7]), (12, vec![7])] {
        let tensor = all(all(all(graph, info)[0], 2)[0], 1)[0];
        assert_eq!(numbers(tensor, 1), [1], "floats");
        let axes = all(all(tensor, 2)[0], 1);
        assert_eq!(texts(axes[0], 2), ["batch"]);
        let lengths: Vec<u64> = axes[1..].iter().flat_map(|axis| numbers(axis, 1)).collect();
        assert_eq!(lengths, expected);
    }
    // The weights stand in it as they are, in the order of the layout and by its names.
    let tensors = all(graph, 5);
    let names: Vec<&str> = tensors.iter().map(|tensor| texts(tensor, 8)[0]).collect();
    let layout = architecture.layout();
    assert_eq!(names, layout.tensors().iter().map(|tensor| &tensor.name[..]).collect::<Vec<_>>());
    let bytes: Vec<u8> = tensors.iter().flat_map(|tensor| all(tensor, 9)[0].to_vec()).collect();
    assert_eq!(bytes, weights.iter().flat_map(|weight| weight.to_le_bytes()).collect::<Vec<u8>>());
}
