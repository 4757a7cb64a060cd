//! [`export`]: a network as an ONNX file, which other runtimes can ask and other tools can convert.
//!
//! ```text
//! planes [batch, planes, height, width] → policy [batch, moves]: a logit for each move, before any softmax
//!                                         value  [batch, 1]: of the side to move, from −1 to 1
//! ```
//!
//! The graph is that of [`architecture`](crate::architecture), one node for each step of it. Norms stay nodes of their
//! own, so that the file holds the weights as they were learnt, under their own names; runtimes fold them when they load it.

mod message;
#[cfg(test)]
mod tests;

use crate::architecture::{Architecture, OWNERSHIP, Tensor};
use crate::batch_norm::EPSILON;
use afterstate_engine::zero::{self, Planes};
use afterstate_games::go::Go;
use message::{
    AttributeProto, Dimension, FLOAT, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, StringStringEntryProto,
    TensorProto, TensorShapeProto, TensorType, TypeProto, ValueInfoProto,
};
use prost::Message;

/// The format of the file, and the operators: old enough for runtimes of several years ago.
const IR_VERSION: i64 = 8;
const OPERATOR_SET: i64 = 15;

/// The name of the input.
pub const PLANES: &str = "planes";
/// The name of the first output.
pub const POLICY: &str = "policy";
/// The name of the second output.
pub const VALUE: &str = "value";

/// The bytes of an ONNX file with the network of these weights. `metadata` is what it says besides, by names; the input's
/// first axis, `batch`, may have any length.
///
/// ```
/// use afterstate_nets::{Architecture, onnx};
/// use rand::SeedableRng;
/// let architecture =
///     Architecture { planes: 3, height: 6, width: 7, moves: 7, blocks: 2, filters: 16, hidden: 16, ownership: false };
/// let weights = architecture.random(&mut rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1));
/// let file = onnx::export(&architecture, &weights, &[("game", "connect-four".to_string())]);
/// // Little else than the weights.
/// assert!((4 * weights.len()..4 * weights.len() + 10_000).contains(&file.len()));
/// ```
///
/// What only learning asks is left out.
///
/// # Panics
///
/// If there are not as many weights as the architecture's [`Layout`](crate::Layout) says.
pub fn export(architecture: &Architecture, weights: &[f32], metadata: &[(&str, String)]) -> Vec<u8> {
    let layout = architecture.layout();
    assert_eq!(weights.len(), layout.len(), "weights of another architecture");
    let answering = layout.tensors().iter().filter(|tensor| !tensor.name.starts_with(OWNERSHIP));
    let entry =
        |(key, value): &(&str, String)| StringStringEntryProto { key: (*key).to_string(), value: value.clone() };
    let model = ModelProto {
        ir_version: IR_VERSION,
        producer_name: "afterstate".to_string(),
        producer_version: env!("CARGO_PKG_VERSION").to_string(),
        graph: Some(GraphProto {
            node: nodes(architecture),
            name: "residual".to_string(),
            initializer: answering.map(|tensor| initializer(tensor, weights)).collect(),
            doc_string: "A residual policy-value network".to_string(),
            input: vec![planes(architecture)],
            output: vec![
                value_info(POLICY, &[architecture.moves], "A logit for each move, whether it is legal or not"),
                value_info(VALUE, &[1], "Of the side to move: 1 for a win, -1 for a loss"),
            ],
        }),
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: OPERATOR_SET }],
        metadata_props: metadata.iter().map(entry).collect(),
    };
    model.encode_to_vec()
}

fn planes(architecture: &Architecture) -> ValueInfoProto {
    let &Architecture { planes, height, width, .. } = architecture;
    let described = "Stones of the side to move, those of the other side, ones if the first player is to move, ones";
    // Whoever builds a network of other planes knows what they are.
    let described = match planes {
        zero::PLANES => described.to_string(),
        Go::DETAILED => format!(
            "{described}; stones of the side to move in chains with one liberty, with two, those of the other side, the point of ko, \
             the stone of the last move, that of the one before"
        ),
        _ => String::new(),
    };
    value_info(PLANES, &[planes, height, width], &described)
}

/// A tensor whose first axis is the batch.
fn value_info(name: &str, shape: &[usize], doc_string: &str) -> ValueInfoProto {
    let batch = Dimension { dim_value: None, dim_param: Some("batch".to_string()) };
    let axes = shape.iter().map(|length| Dimension { dim_value: Some(*length as i64), dim_param: None });
    let shape = TensorShapeProto { dim: std::iter::once(batch).chain(axes).collect() };
    let tensor_type = TensorType { elem_type: FLOAT, shape: Some(shape) };
    ValueInfoProto {
        name: name.to_string(),
        r#type: Some(TypeProto { tensor_type: Some(tensor_type) }),
        doc_string: doc_string.to_string(),
    }
}

fn initializer(tensor: &Tensor, weights: &[f32]) -> TensorProto {
    TensorProto {
        dims: tensor.shape.iter().map(|length| *length as i64).collect(),
        data_type: FLOAT,
        name: tensor.name.clone(),
        raw_data: weights[tensor.range.clone()].iter().flat_map(|weight| weight.to_le_bytes()).collect(),
    }
}

/// The graph, in the order of the picture in [`architecture`](crate::architecture).
fn nodes(architecture: &Architecture) -> Vec<NodeProto> {
    let mut graph = Graph::default();
    graph.conv_norm(PLANES, ["stem.conv", "stem.norm"], 3);
    let mut trunk = "stem.relu".to_string();
    graph.node("Relu", &["stem.norm"], &trunk, vec![]);
    for block in 0..architecture.blocks {
        let name = |what: &str| format!("blocks.{block}.{what}");
        graph.conv_norm(&trunk, [&name("conv1"), &name("norm1")], 3);
        graph.node("Relu", &[&name("norm1")], &name("relu1"), vec![]);
        graph.conv_norm(&name("relu1"), [&name("conv2"), &name("norm2")], 3);
        graph.node("Add", &[&name("norm2"), &trunk], &name("sum"), vec![]);
        graph.node("Relu", &[&name("sum")], &name("relu2"), vec![]);
        trunk = name("relu2");
    }
    for head in [POLICY, VALUE] {
        let name = |what: &str| format!("{head}.{what}");
        graph.conv_norm(&trunk, [&name("conv"), &name("norm")], 1);
        graph.node("Relu", &[&name("norm")], &name("relu"), vec![]);
        graph.node("Flatten", &[&name("relu")], &name("flat"), vec![AttributeProto::int("axis", 1)]);
    }
    graph.linear("policy.flat", "policy.linear", POLICY);
    graph.linear("value.flat", "value.hidden", "value.hidden");
    graph.node("Relu", &["value.hidden"], "value.hidden.relu", vec![]);
    graph.linear("value.hidden.relu", "value.output", "value.output");
    graph.node("Tanh", &["value.output"], VALUE, vec![]);
    graph.0
}

/// The nodes so far.
#[derive(Default)]
struct Graph(Vec<NodeProto>);

impl Graph {
    /// A node with one output, which it is called after.
    fn node(&mut self, operator: &str, inputs: &[&str], output: &str, attribute: Vec<AttributeProto>) {
        self.0.push(NodeProto {
            input: inputs.iter().map(|input| (*input).to_string()).collect(),
            output: vec![output.to_string()],
            name: output.to_string(),
            op_type: operator.to_string(),
            attribute,
        });
    }

    /// A convolution that keeps the board's size, and the norm behind it, whose name the output has.
    fn conv_norm(&mut self, input: &str, [conv, norm]: [&str; 2], side: i64) {
        let shape =
            vec![AttributeProto::ints("kernel_shape", &[side; 2]), AttributeProto::ints("pads", &[side / 2; 4])];
        self.node("Conv", &[input, &format!("{conv}.weight")], conv, shape);
        let statistics = ["weight", "bias", "running_mean", "running_var"].map(|what| format!("{norm}.{what}"));
        let [scale, bias, mean, variance] = &statistics;
        let epsilon = vec![AttributeProto::float("epsilon", EPSILON)];
        self.node("BatchNormalization", &[conv, scale, bias, mean, variance], norm, epsilon);
    }

    fn linear(&mut self, input: &str, layer: &str, output: &str) {
        let [weight, bias] = ["weight", "bias"].map(|what| format!("{layer}.{what}"));
        self.node("Gemm", &[input, &weight, &bias], output, vec![AttributeProto::int("transB", 1)]);
    }
}
