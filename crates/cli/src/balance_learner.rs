//! A run that learns a playout policy: games of the teacher, and steps of imitation or balancing after each.
//!
//! What the teacher said is kept in the run's folder, so that a run that goes on need not ask again. Games depend on their number alone:
//! one that is not there is played again.

use crate::balance_recipe::BalanceRecipe;
use crate::lesson::{Described, Learner, Lesson};
use afterstate_arena::mcts_player::{Judgement, TaughtGame, Teacher};
use afterstate_engine::learning::{Adam, Imitation, Judged, SimulationBalancing, TrainingTotals};
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::value::{Checkpoint, PlayoutAgent, Weights};
use afterstate_games::go::{Go, Move, SoftmaxPlayout, SoftmaxWeights};
use afterstate_games::rng::mix;
use afterstate_games::{Game, LearnablePlayout, Notation, Turn};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// What the teacher said, a line for each game, in a run's folder.
pub const GAMES: &str = "games.jsonl";

/// Plays and learns as a recipe says.
pub struct BalanceLearner {
    recipe: BalanceRecipe,
    path: PathBuf,
    /// A copy of the policy's, for who reads them.
    weights: Weights,
    state: Mutex<State>,
}

struct State {
    policy: SoftmaxPlayout,
    adam: Adam,
    /// By number, as far as they are known.
    games: Vec<TaughtGame<Move>>,
    /// How many of the games have been learnt from.
    learnt: usize,
    /// The positions of those.
    moves: Vec<Judged<Go>>,
    deep: Vec<Judged<Go>>,
}

/// A game as it is written: moves, and what was said at which ply.
#[derive(Serialize, Deserialize)]
struct Line {
    game: u64,
    moves: String,
    judged: Vec<(usize, f32, String, bool)>,
}

impl Line {
    fn of(number: usize, game: &TaughtGame<Move>, start: &Go) -> Line {
        let moves: Vec<String> = game.moves.iter().map(|&mv| start.move_text(mv)).collect();
        let text = |judgement: &Judgement<Move>| {
            let Judgement { ply, worth, best, deep } = *judgement;
            (ply, worth, start.move_text(best), deep)
        };
        Line { game: number as u64, moves: moves.join(" "), judged: game.judgements.iter().map(text).collect() }
    }

    /// The game, if it is one that can be played.
    fn read(&self, start: &Go) -> Option<TaughtGame<Move>> {
        let moves = self.moves.split_whitespace().map(|text| start.parse_move(text).ok());
        let moves: Vec<Move> = moves.collect::<Option<_>>()?;
        let mut judgements = Vec::with_capacity(self.judged.len());
        for &(ply, worth, ref best, deep) in &self.judged {
            judgements.push(Judgement { ply, worth, best: start.parse_move(best).ok()?, deep });
        }
        let in_order = judgements.is_sorted_by_key(|judgement| judgement.ply);
        let mut known = in_order && judgements.last().is_none_or(|last| last.ply <= moves.len());
        let (mut position, mut legal) = (start.clone(), Vec::new());
        for &mv in &moves {
            position.legal_moves(&mut legal);
            known &= legal.contains(&mv);
            if !known {
                return None;
            }
            position.play(mv);
        }
        known.then_some(TaughtGame { moves, judgements })
    }
}

impl BalanceLearner {
    /// Goes on in `folder` from a checkpoint, or from weights of 0.
    pub fn open(
        recipe: &BalanceRecipe,
        last: Option<&Checkpoint<PlayoutAgent>>,
        folder: &Path,
    ) -> Result<BalanceLearner> {
        let policy = match last {
            Some(last) => last.policy(),
            None => SoftmaxPlayout::new(SoftmaxWeights::zeros().into()),
        };
        let theta = policy.theta();
        let memory = last.map_or(&[][..], |last| &last.memory);
        let adam = Adam::from_memory(memory, theta.len()).context("the checkpoint was made by another learner")?;
        let path = folder.join(GAMES);
        let games = read_games(&path, &recipe.start())?;
        let learnt = last.map_or(0, |last| last.about.games as usize);
        let state = State { policy, adam, games, learnt, moves: Vec::new(), deep: Vec::new() };
        let weights = Weights::from_values(&theta);
        Ok(BalanceLearner { recipe: recipe.clone(), path, weights, state: Mutex::new(state) })
    }

    /// What the first player got, or what the teacher last thought of it where the game was decided before its end.
    fn first_player_score(&self, game: &TaughtGame<Move>) -> f64 {
        let mut position = self.recipe.start();
        game.moves.iter().for_each(|&mv| position.play(mv));
        match position.turn() {
            Turn::Over(outcome) => f64::from(outcome.first_player_score()),
            _ => game.judgements.last().map_or(0.5, |last| f64::from(last.worth)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics with the state")
    }

    /// Plays the games from the last known one up to `end`, a few at the same time; fewer if `stop` is set.
    fn play(&self, state: &mut State, end: usize, stop: &AtomicBool) -> Result<()> {
        let begin = state.games.len();
        if begin >= end {
            return Ok(());
        }
        let (searcher, start) = (self.recipe.searcher()?, self.recipe.start());
        let played: Vec<Option<TaughtGame<Move>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (begin..end)
                .map(|number| {
                    let mut teacher = Teacher::new(searcher.search(), self.recipe.teaching);
                    let (start, seed) = (&start, mix(self.recipe.seed ^ mix(number as u64)));
                    scope.spawn(move || teacher.play(start, seed, stop))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("searches do not panic")).collect()
        });
        state.games.extend(played.into_iter().map_while(|game| game));
        Ok(())
    }

    /// Adds the positions of all games before number `end` that are not there yet.
    fn show(&self, state: &mut State, shown: &mut usize, end: usize) {
        let start = self.recipe.start();
        for game in &state.games[*shown..end] {
            for (judged, deep) in game.positions(&start) {
                if deep {
                    state.deep.push(judged.clone());
                }
                state.moves.push(judged);
            }
        }
        *shown = end;
    }

    /// Learns from game number `number` and those before; returns the mean squared error of balancing, or 0.
    fn learn(&self, state: &mut State, number: usize) -> f64 {
        let BalanceRecipe { imitated_games, annealing, threads, seed, .. } = self.recipe;
        let steps = u64::from(self.recipe.steps_per_game);
        let mut error = 0.0;
        if number as u64 == imitated_games {
            // Imitation's gradients are larger: who remembered them would begin with steps that are too short.
            state.adam = Adam::default();
        }
        for step in number as u64 * steps..(number as u64 + 1) * steps {
            if (number as u64) < imitated_games {
                if !state.moves.is_empty() {
                    let learner = Imitation { settings: self.recipe.imitation, seed };
                    learner.step(&mut state.policy, &state.moves, step, &mut state.adam);
                }
            } else if !state.deep.is_empty() {
                let before = number as u64 - imitated_games;
                let shorter = if annealing == 0 { 1.0 } else { 1.0 / (1.0 + before as f32 / annealing as f32) };
                let learner = SimulationBalancing { settings: self.recipe.balancing, seed, threads };
                let step_size = self.recipe.balancing.step_size * shorter;
                error += learner.step(&mut state.policy, &state.deep, step, &mut state.adam, step_size) / steps as f64;
            }
        }
        error
    }
}

/// The games of a file, in order; none if it is not there.
///
/// # Errors
///
/// A line that cannot be read. The file is written as a whole, so that no line of it is cut off.
fn read_games(path: &Path, start: &Go) -> Result<Vec<TaughtGame<Move>>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let read = |(number, text): (usize, &str)| {
        let game = || -> Option<_> {
            let line: Line = serde_json::from_str(text).ok()?;
            (line.game == number as u64).then(|| line.read(start)).flatten()
        };
        game().with_context(|| {
            format!(
                "{}, line {}: expected game {number} as the teacher played it: delete from this line on what shall be played again",
                path.display(),
                number + 1
            )
        })
    };
    text.lines().enumerate().map(read).collect()
}

impl Learner for BalanceLearner {
    type About = PlayoutAgent;
    const STOPS_AT_ONCE: bool = true;

    fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals> {
        let state = &mut *self.state();
        let mut totals = TrainingTotals::default();
        let mut shown = state.learnt;
        if state.moves.is_empty() && shown > 0 {
            // What earlier parts of the run have seen.
            while state.games.len() < shown && !stop.load(Ordering::Relaxed) {
                let end = shown.min(state.games.len() + self.recipe.threads);
                self.play(state, end, stop)?;
            }
            if state.games.len() < shown {
                return Ok(totals);
            }
            let all = shown;
            shown = 0;
            self.show(state, &mut shown, all);
        }
        for number in games.start as usize..games.end as usize {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            if state.games.len() <= number {
                self.play(state, (number + self.recipe.threads).min(games.end as usize), stop)?;
            }
            let Some(game) = state.games.get(number) else { break };
            let (moves, searched) = (game.moves.len() as u64, game.judgements.len() as u64);
            let first_player_score = TrainingTotals::exact(self.first_player_score(game));
            self.show(state, &mut shown, number + 1);
            let error = self.learn(state, number);
            state.learnt = number + 1;
            totals.add(&TrainingTotals {
                games: 1,
                moves,
                evaluations: searched,
                squared_error: TrainingTotals::exact(error),
                first_player_score,
            });
            progress(totals);
        }
        for (index, weight) in state.policy.theta().into_iter().enumerate() {
            self.weights.set(index, weight);
        }
        Ok(totals)
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn memory(&self) -> Vec<f32> {
        self.state().adam.memory()
    }

    fn save_beside(&self) -> Result<()> {
        let start = self.recipe.start();
        let mut text = String::new();
        for (number, game) in self.state().games.iter().enumerate() {
            text += &serde_json::to_string(&Line::of(number, game, &start))?;
            text.push('\n');
        }
        write_whole(&self.path, text.as_bytes()).with_context(|| self.path.display().to_string())
    }
}

impl Described for PlayoutAgent {
    const FIXED: &'static [&'static str] = &["learner", "board-size", "komi"];
    const MOST: [u64; 2] = [1 << 20, 1 << 30];

    fn progress(&self) -> (u64, TrainingTotals) {
        (self.games, self.since_milestone)
    }

    fn at(&self, games: u64, since_milestone: TrainingTotals) -> Self {
        PlayoutAgent { games, since_milestone, ..self.clone() }
    }
}
