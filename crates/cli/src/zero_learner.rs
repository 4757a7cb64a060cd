//! A run of AlphaZero or Go-Exploit: learning steps, and a line about each of them; the same for TensorBoard.

use crate::event_file::EventFile;
use crate::lesson::{Described, Learner};
use crate::training_run::Diverged;
use crate::watch::Milestone;
use crate::zero_game::ZeroGame;
use crate::zero_recipe::ZeroRecipe;
use crate::zero_view::{self, LiveView};
use afterstate_engine::learning::TrainingTotals;
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::value::shape_agent::checkpoints_in;
use afterstate_engine::value::{Checkpoint, Weights};
use afterstate_engine::zero::{StepReport, ZeroTraining};
use afterstate_nets::{ResidualAgent, ResidualLearner};
use anyhow::{Context, Result};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// What is known of each learning step, in a run's folder.
pub const METRICS: &str = "metrics.jsonl";

/// Plays and learns as a recipe says.
pub struct ZeroLearner<G: ZeroGame> {
    training: Mutex<ZeroTraining<G, ResidualLearner>>,
    /// A copy of the learner's, for who reads them.
    weights: Weights,
    metrics: PathBuf,
    folder: PathBuf,
    /// Steps before this part of the run.
    before: u64,
    /// From the first event of this part of the run on.
    events: Mutex<Option<EventFile>>,
    view: Mutex<LiveView>,
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
            None => (recipe.first_weights(&architecture)?, &[][..], (0, 0)),
        };
        let shared = Weights::from_values(&weights);
        let learner = ResidualLearner::new(architecture, weights, recipe.optimizer, memory, recipe.augment)
            .context("the checkpoint was made with another optimizer than the recipe's")?
            .on(recipe.device.open().map_err(anyhow::Error::msg)?);
        let (settings, experts) = (recipe.zero.clone(), recipe.experts(&first)?);
        let mut training = ZeroTraining::open(first, settings, (recipe.seed, recipe.threads), learner, folder, done)
            .context("cannot go on without what was played so far; choose another --out to begin anew")?;
        if let Some(experts) = experts {
            training = training.with_experts(experts);
        }
        Ok(ZeroLearner {
            training: Mutex::new(training),
            weights: shared,
            metrics: folder.join(METRICS),
            folder: folder.to_path_buf(),
            before: done.0,
            events: Mutex::default(),
            view: Mutex::new(LiveView::new(&recipe.zero, recipe.evaluation.window)),
        })
    }

    /// Adds to the events of the run, which begin anew with those that are still true.
    fn add_event(&self, step: u64, scalars: &[(String, f64)]) -> Result<()> {
        let mut events = self.events.lock().expect("no thread panics with the events");
        let events = match &mut *events {
            Some(events) => events,
            none => none.insert(EventFile::resume(&self.folder, self.before)?),
        };
        Ok(events.add(step, scalars)?)
    }

    fn view(&self) -> MutexGuard<'_, LiveView> {
        self.view.lock().expect("no thread panics with the view")
    }

    /// Adds a line about a step.
    fn note(&self, report: &StepReport) -> Result<()> {
        let line = serde_json::to_string(report)? + "\n";
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&self.metrics);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .with_context(|| self.metrics.display().to_string())?;
        self.add_event(report.step, &zero_view::of_step(report))
    }
}

/// Takes away lines about steps that will be made again, and a last one that was not written to its end.
///
/// # Errors
///
/// If another line cannot be read.
fn trim_metrics(path: &Path, steps: u64) -> Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut kept = String::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')).filter(|(_, line)| line.ends_with('\n')) {
        let report: StepReport = serde_json::from_str(line)
            .with_context(|| format!("{}:{number}: expected what is told of a step", path.display()))?;
        if report.step <= steps {
            kept.push_str(line);
        }
    }
    if kept != text {
        write_whole(path, kept.as_bytes()).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

impl<G: ZeroGame> Learner for ZeroLearner<G> {
    type About = ResidualAgent;
    const STOPS_AT_ONCE: bool = true;

    fn run(
        &self,
        steps: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals> {
        let mut training = self.training.lock().expect("no thread panics with the training");
        // Not when the run is opened: nothing is written then.
        if self.metrics.exists() {
            trim_metrics(&self.metrics, training.steps())?;
        }
        let mut totals = TrainingTotals::default();
        for _ in steps {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let fresh = |examples| {
                self.view().fresh = examples;
                progress(totals);
            };
            let Some(report) = training.step(stop, &fresh)? else { break };
            if !(report.loss.policy.is_finite() && report.loss.value.is_finite()) {
                return Err(Diverged { done: report.step, unit: "learning steps" }.into());
            }
            for (index, &weight) in training.learner().weights().iter().enumerate() {
                self.weights.set(index, weight);
            }
            self.note(&report)?;
            {
                let mut view = self.view();
                (view.fresh, view.step) = (0, Some(report));
            }
            totals.add(&TrainingTotals {
                games: 1,
                moves: (report.moves + report.trajectories / 2) / report.trajectories.max(1),
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
        // Whatever is there may be gone on from, if the last one cannot be read.
        let Ok(checkpoints) = checkpoints_in(&self.folder) else { return };
        let before = checkpoints.iter().rev().find(|(steps, _)| *steps < training.steps());
        training.forget_before([before.map_or(0, |(steps, _)| *steps), training.steps()]);
    }

    fn measured(&self, milestone: &Milestone) -> Result<()> {
        let scalars = self.view().add_measurement(milestone);
        self.add_event(milestone.games, &scalars)
    }

    fn status(&self) -> String {
        self.view().to_string()
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
