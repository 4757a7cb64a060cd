//! A run of AlphaZero or Go-Exploit: learning steps, and a line about each of them.

use crate::lesson::{Described, Learner};
use crate::zero_recipe::{ZeroGame, ZeroRecipe};
use afterstate_engine::learning::TrainingTotals;
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::value::{Checkpoint, Weights};
use afterstate_engine::zero::{StepReport, ZeroTraining};
use afterstate_games::stream;
use afterstate_nets::{ResidualAgent, ResidualLearner};
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is known of each learning step, in a run's folder.
pub const METRICS: &str = "metrics.jsonl";

/// Plays and learns as a recipe says.
pub struct ZeroLearner<G> {
    training: Mutex<ZeroTraining<G, ResidualLearner>>,
    /// A copy of the learner's, for who reads them.
    weights: Weights,
    metrics: PathBuf,
}

impl<G: ZeroGame> ZeroLearner<G> {
    /// Goes on in `folder` from a checkpoint, or from nothing.
    pub fn open(
        recipe: &ZeroRecipe,
        first: G,
        last: Option<&Checkpoint<ResidualAgent>>,
        folder: &Path,
    ) -> Result<Self> {
        let architecture = recipe.network.architecture(&first);
        let (weights, memory, done) = match last {
            Some(last) => (last.weights.clone(), &last.memory[..], (last.about.steps, last.about.games)),
            // A stream that no game draws from.
            None => (architecture.random(&mut stream(recipe.seed, u64::MAX)), &[][..], (0, 0)),
        };
        let shared = Weights::from_values(&weights);
        let learner = ResidualLearner::new(architecture, weights, recipe.optimizer, memory, recipe.augment)
            .context("the checkpoint was made with another optimizer than the recipe's")?;
        let settings = recipe.zero.clone();
        let training = ZeroTraining::open(first, settings, (recipe.seed, recipe.threads), learner, folder, done)
            .context("cannot go on without what was played so far; choose another --out to begin anew")?;
        let metrics = folder.join(METRICS);
        Ok(ZeroLearner { training: Mutex::new(training), weights: shared, metrics })
    }

    /// Adds a line about a step, behind those about the steps before it.
    fn note(&self, report: &StepReport) -> Result<()> {
        let path = || self.metrics.display().to_string();
        let line = serde_json::to_string(report)? + "\n";
        let known = if self.metrics.exists() { read_metrics(&self.metrics)? } else { Vec::new() };
        if known.last().is_none_or(|last| last.step + 1 == report.step) {
            let mut file =
                std::fs::OpenOptions::new().append(true).create(true).open(&self.metrics).with_context(path)?;
            return file.write_all(line.as_bytes()).with_context(path);
        }
        // Steps that are made again, or a last line that was not written to its end.
        let kept = known.iter().take_while(|known| known.step < report.step);
        let mut text = String::new();
        for known in kept {
            text += &(serde_json::to_string(known)? + "\n");
        }
        write_whole(&self.metrics, (text + &line).as_bytes()).with_context(path)
    }
}

/// The whole lines of a run's metrics.
pub fn read_metrics(path: &Path) -> Result<Vec<StepReport>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(text.lines().map_while(|line| serde_json::from_str(line).ok()).collect())
}

impl<G: ZeroGame> Learner for ZeroLearner<G> {
    type About = ResidualAgent;

    fn run(
        &self,
        steps: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals> {
        let mut training = self.training.lock().expect("no thread panics with the training");
        let mut totals = TrainingTotals::default();
        for _ in steps {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let Some(report) = training.step(stop, &|_| progress(totals))? else { break };
            if !(report.loss.policy.is_finite() && report.loss.value.is_finite()) {
                bail!("the network diverged at step {}: try a smaller step size", report.step);
            }
            for (index, &weight) in training.learner().weights().iter().enumerate() {
                self.weights.set(index, weight);
            }
            self.note(&report)?;
            totals.add(&TrainingTotals {
                games: 1,
                moves: report.moves / report.trajectories.max(1),
                // Positions searched. Questions are not counted again when a run goes on.
                evaluations: report.moves,
                squared_error: TrainingTotals::exact(f64::from(report.loss.value)),
                first_player_score: TrainingTotals::exact(report.first_player_score),
            });
            progress(totals);
        }
        Ok(totals)
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn memory(&self) -> Vec<f32> {
        self.training.lock().expect("no thread panics with the training").learner().memory()
    }

    fn save_beside(&self) -> Result<()> {
        Ok(self.training.lock().expect("no thread panics with the training").save_beside()?)
    }

    fn saved(&self) {
        let training = self.training.lock().expect("no thread panics with the training");
        training.forget_before(training.steps());
    }

    fn describe(&self, about: ResidualAgent) -> ResidualAgent {
        let training = self.training.lock().expect("no thread panics with the training");
        ResidualAgent { games: training.games(), ..about }
    }
}

impl Described for ResidualAgent {
    const FIXED: &'static [&'static str] = &["game", "komi", "network"];
    const MOST: [u64; 2] = [1 << 30, 1 << 50];

    fn progress(&self) -> (u64, TrainingTotals) {
        (self.steps, self.since_milestone)
    }

    fn at(&self, steps: u64, since_milestone: TrainingTotals) -> Self {
        ResidualAgent { steps, since_milestone, ..self.clone() }
    }
}
