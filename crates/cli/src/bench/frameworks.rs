//! PyTorch and ONNX Runtime with the same networks, for comparison. A Python that has both is asked (`frameworks.py`); that
//! their answers are ours shows that the same thing is measured.

use afterstate_nets::{Architecture, DeviceName, FoldedNetwork, onnx};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

const SCRIPT: &str = include_str!("frameworks.py");

/// Positions at once, of which the fastest counts: as many as games that are played side by side ask.
const BATCHES: [usize; 3] = [16, 64, 256];

/// Positions of a batch of gradients.
pub const TRAINING_BATCH: usize = 256;

/// Answers differ by rounding, and no more.
const TOLERANCE: f64 = 1e-3;

/// What is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Framework {
    /// Without compiling anything, with both orders of an image's numbers.
    PyTorch,
    /// Only for answers.
    OnnxRuntime,
}

impl Framework {
    /// As questions and figures call it.
    pub fn name(self) -> &'static str {
        match self {
            Framework::PyTorch => "pytorch",
            Framework::OnnxRuntime => "onnxruntime",
        }
    }
}

#[derive(Deserialize)]
struct Rate {
    rate: f64,
}

/// Logits and then the value of a position.
#[derive(Deserialize)]
struct Answers {
    pytorch: Vec<f64>,
    onnxruntime: Vec<f64>,
}

/// A Python with both.
pub struct Frameworks {
    name: String,
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Drop for Frameworks {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Frameworks {
    /// Starts it.
    pub fn start(python: &str) -> Result<Frameworks> {
        let has_both = Command::new(python)
            .args(["-c", "import torch, onnxruntime"])
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("--beside {python}: cannot be started"))?;
        ensure!(
            has_both.success(),
            "--beside {python}: expected a Python with both: {python} -m pip install torch onnxruntime"
        );
        let mut process = Command::new(python)
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("--beside {python}: cannot be started"))?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (questions, answers) = pipes.context("both are pipes")?;
        Ok(Frameworks { name: python.to_string(), process, questions, answers: BufReader::new(answers) })
    }

    fn ask<T: DeserializeOwned>(&mut self, question: &serde_json::Value, behind: &[&[u8]]) -> Result<T> {
        let mut answer = String::new();
        let mut exchange = || {
            writeln!(self.questions, "{question}")?;
            behind.iter().try_for_each(|bytes| self.questions.write_all(bytes))?;
            self.questions.flush()?;
            self.answers.read_line(&mut answer)
        };
        let name = &self.name;
        let read = exchange().unwrap_or(0);
        ensure!(
            read > 0,
            "--beside {name}: ended without an answer; expected a Python with both: {name} -m pip install torch onnxruntime"
        );
        serde_json::from_str(&answer).with_context(|| format!("--beside {name}: not an answer: {answer:?}"))
    }

    /// Gives it a network, and makes sure that both programs answer as ours does.
    pub fn load(&mut self, architecture: &Architecture, weights: &[f32]) -> Result<()> {
        let input: Vec<f32> = (0..architecture.input_len()).map(|i| (i * 7 % 5) as f32 / 4.0).collect();
        let file = onnx::export(architecture, weights, &[]);
        let layout = architecture.layout();
        let tensors: Vec<_> = layout.tensors().iter().map(|tensor| (&tensor.name, &tensor.shape)).collect();
        let question = json!({
            "architecture": architecture, "tensors": tensors, "input": input, "weights": weights.len(), "onnx": file.len(),
        });
        let bytes: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        let answers: Answers = self.ask(&question, &[&bytes, &file])?;

        let mut ours = vec![0.0; architecture.moves];
        let value = FoldedNetwork::new(*architecture, weights).evaluate(&input, &mut ours);
        ours.push(value);
        same(Framework::PyTorch, &ours, &answers.pytorch)?;
        same(Framework::OnnxRuntime, &ours, &answers.onnxruntime)
    }

    /// Positions per second of processor time that it answers, with as many at once as suit it best.
    pub fn inference(&mut self, framework: Framework, time: Duration) -> Result<f64> {
        self.best(framework, "inference", &BATCHES, time)
    }

    /// Positions per second of processor time of which PyTorch makes gradients.
    pub fn training(&mut self, time: Duration) -> Result<f64> {
        self.best(Framework::PyTorch, "training", &[TRAINING_BATCH], time)
    }

    /// Positions per second of the clock that PyTorch answers, or has gradients of, on a device, so many at once, with 16 bits.
    pub fn on_device(&mut self, device: DeviceName, what: &str, batch: usize, time: Duration) -> Result<f64> {
        let mut best: f64 = 0.0;
        for channels_last in [false, true] {
            let question = json!({
                "program": Framework::PyTorch.name(), "what": what, "batch": batch, "channels-last": channels_last,
                "seconds": time.as_secs_f64() / 2.0, "device": device.to_string(),
            });
            let Rate { rate } = self.ask(&question, &[])?;
            best = best.max(rate);
        }
        Ok(best)
    }

    fn best(&mut self, framework: Framework, what: &str, batches: &[usize], time: Duration) -> Result<f64> {
        let orders: &[bool] = if framework == Framework::PyTorch { &[false, true] } else { &[false] };
        let ways = || batches.iter().flat_map(|batch| orders.iter().map(move |order| (*batch, *order)));
        let seconds = time.as_secs_f64() / ways().count() as f64;
        let mut best: f64 = 0.0;
        for (batch, channels_last) in ways() {
            let question = json!({
                "program": framework.name(), "what": what, "batch": batch, "channels-last": channels_last, "seconds": seconds,
            });
            let Rate { rate } = self.ask(&question, &[])?;
            best = best.max(rate);
        }
        Ok(best)
    }
}

fn same(framework: Framework, ours: &[f32], theirs: &[f64]) -> Result<()> {
    let near = ours.iter().zip(theirs).all(|(ours, theirs)| (f64::from(*ours) - theirs).abs() <= TOLERANCE);
    ensure!(
        near && ours.len() == theirs.len(),
        "{} answers otherwise than we do, so that speeds say nothing: {theirs:?}, expected {ours:?}",
        framework.name()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_the_same_but_for_rounding() {
        let check = |theirs: &[f64]| same(Framework::PyTorch, &[0.25, -1.0], theirs).is_ok();
        assert!(check(&[0.2501, -0.9999]));
        assert!(!check(&[0.26, -1.0]) && !check(&[0.25]) && !check(&[0.25, -1.0, 0.0]) && !check(&[f64::NAN, -1.0]));
    }
}
