//! Residual networks for the engine: [`ResidualPlayer`] answers a search, [`ResidualLearner`] learns from what it found.

use crate::architecture::Architecture;
use crate::backend::{Answering, Backend, Training};
use crate::optimizer::{Optimizer, OptimizerSettings};
use crate::ownership::UNKNOWN;
use crate::training::{Batch, ILLEGAL};
use afterstate_engine::Value;
use afterstate_engine::zero::{Example, Loss, Network, PLANES, Planes, Question, Trainable};
use afterstate_games::rng::below;
use afterstate_games::{Rng, Side, Turn};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How large a network is, whatever game it is for. The defaults are the paper's.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct NetworkSize {
    /// Residual blocks.
    pub blocks: usize,
    /// Filters of each convolution: a multiple of 16.
    pub filters: usize,
    /// Hidden units of the value head.
    pub hidden: usize,
    /// Whether it is shown more of the position than its men, where the game has more to show: in Go liberties, ko and the last stones.
    /// Not in the paper.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub details: bool,
    /// Whether it learns whose each point is in the end, besides: in Go. Not in the paper.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ownership: bool,
}

impl Default for NetworkSize {
    fn default() -> Self {
        NetworkSize { blocks: 10, filters: 256, hidden: 256, details: false, ownership: false }
    }
}

impl NetworkSize {
    /// A network of this size for the game of this position.
    ///
    /// ```
    /// use afterstate_games::ConnectFour;
    /// use afterstate_nets::NetworkSize;
    /// let size = NetworkSize { blocks: 4, filters: 32, hidden: 32, ..NetworkSize::default() };
    /// let architecture = size.architecture(&ConnectFour::new());
    /// assert_eq!((architecture.height, architecture.width, architecture.moves), (6, 7, 7));
    /// ```
    pub fn architecture<G: Planes>(self, game: &G) -> Architecture {
        let NetworkSize { blocks, filters, hidden, details, ownership } = self;
        let (height, width) = (game.rows(), game.columns());
        let planes = if details { G::DETAILED } else { PLANES };
        Architecture { planes, height, width, moves: game.answers(), blocks, filters, hidden, ownership }
    }
}

/// From which sides a network looks at a position: under which of the game's [symmetries](Planes::SYMMETRIES).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum View {
    /// As it is.
    #[default]
    Upright,
    /// From one side, which is by chance, but always the same one of the same position (D. Silver et al., *Mastering the game of Go without
    /// human knowledge*, 2017, methods). What it gets wrong of one position need not be wrong of the next, as fast as upright.
    Turned,
    /// From all sides; the answer is the mean. Better, and as many times slower as there are symmetries.
    All,
}

impl View {
    /// The symmetries to look at a position under.
    fn symmetries<G: Planes>(self, game: &G) -> Range<usize> {
        match self {
            View::Upright => 0..1,
            View::Turned => {
                // The upper half of the product, of a key all of whose bits have a say.
                let mixed = game.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                let symmetry = ((mixed * G::SYMMETRIES as u64) >> 32) as usize;
                symmetry..symmetry + 1
            }
            View::All => 0..G::SYMMETRIES,
        }
    }
}

/// A network that only answers.
#[derive(Clone, Debug)]
pub struct ResidualPlayer {
    network: Answering,
    view: View,
    /// Planes of all that is asked at once, behind each other; values and logits of the same.
    planes: Vec<f32>,
    values: Vec<f32>,
    logits: Vec<f32>,
    sum: Vec<f32>,
}

impl ResidualPlayer {
    /// Answers with one look at each position.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as the architecture's [`Layout`](crate::Layout) says.
    pub fn new(architecture: Architecture, weights: &[f32], backend: &Backend) -> ResidualPlayer {
        let network = backend.network(architecture, weights);
        let (planes, values, logits) = Default::default();
        let sum = vec![0.0; architecture.moves];
        ResidualPlayer { network, view: View::Upright, planes, values, logits, sum }
    }

    /// Looks at positions from where `view` says.
    pub fn viewing(self, view: View) -> ResidualPlayer {
        ResidualPlayer { view, ..self }
    }
}

impl<G: Planes> Network<G> for ResidualPlayer {
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
        let looks = if self.view == View::All { G::SYMMETRIES } else { 1 };
        let Architecture { moves, .. } = *self.network.architecture();
        let length = self.network.architecture().input_len();
        self.planes.resize(questions.len() * looks * length, 0.0);
        let view = self.view;
        let looked_at =
            questions.iter().flat_map(|Question { game, .. }| view.symmetries(game).map(move |i| (game, i)));
        for ((game, symmetry), planes) in looked_at.zip(self.planes.chunks_exact_mut(length)) {
            game.planes(symmetry, planes);
        }
        self.network.evaluate(&self.planes, &mut self.values, &mut self.logits);
        let answers = self.values.chunks_exact(looks).zip(self.logits.chunks_exact(looks * moves));
        for (question, (values, logits)) in questions.iter_mut().zip(answers) {
            let game = &question.game;
            self.sum.fill(0.0);
            for (symmetry, logits) in view.symmetries(game).zip(logits.chunks_exact(moves)) {
                for (answer, sum) in self.sum.iter_mut().enumerate() {
                    *sum += logits[game.answer_image(answer, symmetry)] / looks as f32;
                }
            }
            let value: f32 = values.iter().map(|value| value / looks as f32).sum();
            let seen = 0.5 + 0.5 * value;
            let value = Value(if game.turn() == Turn::Player(Side::Second) { 1.0 - seen } else { seen });
            let (sum, game) = (&self.sum, game.clone());
            question.answer(value, |mv| sum[game.answer(mv)]);
        }
    }

    fn sees(&self) -> fn(&G) -> u64 {
        if self.network.architecture().planes > PLANES { G::detailed_key } else { G::key }
    }
}

/// A network that learns.
pub struct ResidualLearner {
    architecture: Architecture,
    weights: Vec<f32>,
    backend: Backend,
    trainer: Training,
    optimizer: Box<dyn Optimizer + Send + Sync>,
    settings: OptimizerSettings,
    /// Whether examples are turned and mirrored at random.
    augments: bool,
    batch: Batch,
    gradients: Vec<f32>,
}

impl ResidualLearner {
    /// Goes on with `weights` and an optimiser that remembers `memory`, or nothing. `None` if they are not of the
    /// architecture.
    pub fn new(
        architecture: Architecture,
        weights: Vec<f32>,
        settings: OptimizerSettings,
        memory: &[f32],
        augments: bool,
    ) -> Option<ResidualLearner> {
        let backend = Backend::default();
        let trainer = backend.trainer(architecture);
        if weights.len() != trainer.layout().len() {
            return None;
        }
        let optimizer = settings.optimizer(weights.len(), memory)?;
        let (batch, gradients) = Default::default();
        Some(ResidualLearner {
            architecture,
            weights,
            backend,
            trainer,
            optimizer,
            settings,
            augments,
            batch,
            gradients,
        })
    }

    /// Has gradients calculated elsewhere than on the processor. The optimiser stays there.
    pub fn on(self, backend: Backend) -> ResidualLearner {
        ResidualLearner { trainer: backend.trainer(self.architecture), backend, ..self }
    }

    /// The weights, as the [`Layout`](crate::Layout) orders them.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// What the optimiser remembers.
    pub fn memory(&self) -> Vec<f32> {
        self.optimizer.memory()
    }
}

impl<G: Planes> Trainable<G> for ResidualLearner {
    type Player = ResidualPlayer;

    fn player(&self) -> ResidualPlayer {
        ResidualPlayer::new(self.architecture, &self.weights, &self.backend)
    }

    fn twin(&self) -> ResidualLearner {
        let ResidualLearner { architecture, settings, augments, .. } = *self;
        ResidualLearner::new(architecture, self.weights.clone(), settings, &self.memory(), augments)
            .expect("what a learner remembers is of its own kind")
            .on(self.backend.clone())
    }

    fn learns_owners(&self) -> bool {
        self.architecture.ownership
    }

    fn learn(&mut self, examples: &[Example<'_, G>], rng: &mut Rng) -> Loss {
        let (length, moves) = (self.architecture.input_len(), self.architecture.moves);
        let Batch { inputs, policies, outcomes, owners } = &mut self.batch;
        inputs.resize(examples.len() * length, 0.0);
        policies.clear();
        policies.resize(examples.len() * moves, ILLEGAL);
        outcomes.clear();
        owners.clear();
        let cells = self.architecture.cells();
        let rows = inputs.chunks_exact_mut(length).zip(policies.chunks_exact_mut(moves));
        for (example, (planes, policy)) in examples.iter().zip(rows) {
            let game = &example.game;
            let symmetry = if self.augments { below(rng, G::SYMMETRIES as u32) as usize } else { 0 };
            game.planes(symmetry, planes);
            for &(index, probability) in example.policy {
                let answer = game.answer(game.move_at(usize::from(index)));
                policy[game.answer_image(answer, symmetry)] = probability;
            }
            let side = if game.turn() == Turn::Player(Side::Second) { Side::Second } else { Side::First };
            outcomes.push(2.0 * example.outcome.seen_by(side) - 1.0);
            if self.architecture.ownership {
                let before = owners.len();
                owners.resize(before + cells, UNKNOWN);
                for (cell, owner) in example.owners.into_iter().flatten().enumerate() {
                    let (column, row) = game.image((cell % game.columns(), cell / game.columns()), symmetry);
                    let owned = owner.map_or(0.0, |owner| if owner == side { 1.0 } else { -1.0 });
                    owners[before + row * game.columns() + column] = owned;
                }
            }
        }
        let loss = self.trainer.gradients(&mut self.weights, &self.batch, &mut self.gradients);
        self.optimizer.step(self.trainer.layout(), &mut self.weights, &self.gradients);
        Loss { policy: loss.policy, value: loss.value, ownership: loss.ownership }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::go::{Go, Move, Point};
    use afterstate_games::{Game, IndexedMoves, Notation, TicTacToe, stream};

    fn learner(augments: bool) -> (Architecture, ResidualLearner) {
        let size = NetworkSize { blocks: 1, filters: 16, hidden: 16, ..NetworkSize::default() };
        let architecture = size.architecture(&TicTacToe::default());
        let weights = architecture.random(&mut stream(1, 0));
        let optimizer = OptimizerSettings::default();
        (architecture, ResidualLearner::new(architecture, weights, optimizer, &[], augments).unwrap())
    }

    /// A position, the move to be learnt, and how it ends.
    fn lessons() -> Vec<(TicTacToe, u16, f32)> {
        let at = |text| TicTacToe::parse_position(text).unwrap();
        vec![(at("XX./OO./..."), 2, 1.0), (at("X../OO./X.."), 5, 1.0), (at("XO./XO./.X."), 6, 0.0)]
    }

    fn learnt(learner: &mut ResidualLearner, steps: u64) -> Loss {
        let lessons: Vec<_> = lessons()
            .into_iter()
            .map(|(game, best, outcome)| {
                let mut moves = Vec::new();
                game.legal_moves(&mut moves);
                let index = |mv| game.move_index(mv) as u16;
                let policy = moves.iter().map(|&mv| (index(mv), f32::from(index(mv) == best)));
                (game, policy.collect::<Vec<_>>(), outcome)
            })
            .collect();
        let examples: Vec<Example<'_, TicTacToe>> = lessons
            .iter()
            .map(|(game, policy, outcome)| Example { game: *game, policy, outcome: Value(*outcome), owners: None })
            .collect();
        let examples: Vec<_> = std::iter::repeat_n(examples, 8).flatten().collect();
        let mut loss = Loss::default();
        for step in 0..steps {
            loss = Trainable::<TicTacToe>::learn(learner, &examples, &mut stream(2, step));
        }
        loss
    }

    #[test]
    fn a_twin_learns_the_same() {
        let (_, mut learner) = learner(true);
        learnt(&mut learner, 3);
        let mut twin = Trainable::<TicTacToe>::twin(&learner);
        assert_eq!(learnt(&mut learner, 3), learnt(&mut twin, 3));
        assert_eq!((learner.weights(), learner.memory()), (twin.weights(), twin.memory()));
    }

    #[test]
    fn what_is_taught_is_answered_from_all_sides() {
        let (_, mut learner) = learner(true);
        let loss = learnt(&mut learner, 400);
        assert!(loss.policy < 0.1 && loss.value < 0.1, "{loss:?}");
        let mut player = Trainable::<TicTacToe>::player(&learner);
        for (game, best, outcome) in lessons() {
            for view in [View::Upright, View::Turned, View::All] {
                player = player.viewing(view);
                let mut question = Question::new(game);
                player.evaluate(&mut [&mut question]);
                let at = question.moves.iter().position(|&mv| game.move_index(mv) as u16 == best).unwrap();
                assert!(question.priors[at] > 0.7, "{} {:?}", game.position_text(), question.priors);
                assert!((question.value.0 - outcome).abs() < 0.25, "{} {:?}", game.position_text(), question.value);
            }
        }
    }

    #[test]
    fn positions_without_a_policy_have_no_say_in_its_loss() {
        let game = TicTacToe::parse_position("XX./OO./...").unwrap();
        let (known, unknown) =
            ([(2, 1.0), (5, 0.0), (6, 0.0), (7, 0.0), (8, 0.0)], [2, 5, 6, 7, 8].map(|mv| (mv, 0.0)));
        let loss = |policies: [&[(u16, f32)]; 2]| {
            let (_, mut learner) = learner(false);
            let examples = policies.map(|policy| Example { game, policy, outcome: Value(1.0), owners: None });
            Trainable::<TicTacToe>::learn(&mut learner, &examples, &mut stream(2, 0))
        };
        assert_eq!(loss([&known, &unknown]), loss([&known, &known]));
        assert_eq!(loss([&unknown, &unknown]).policy, 0.0);
    }

    #[test]
    fn from_one_side_it_answers_as_about_the_image() {
        let (_, learner) = learner(false);
        let mut player = Trainable::<TicTacToe>::player(&learner);
        let mut seen = [false; TicTacToe::SYMMETRIES];
        for text in
            ["XX./OO./...", "X../OO./X..", "XO./XO./.X.", "X../.../...", ".X./.../...", "XO./.../..X", ".../.X./O.."]
        {
            let game = TicTacToe::parse_position(text).unwrap();
            let mut answers = [View::Turned, View::Turned, View::Upright].map(|view| {
                let mut question = Question::new(game);
                player = player.clone().viewing(view);
                player.evaluate(&mut [&mut question]);
                question
            });
            assert_eq!(answers[0].priors, answers[1].priors, "always from the same side");
            let symmetry = View::Turned.symmetries(&game).start;
            seen[symmetry] = true;
            let mut image = [['.'; 3]; 3];
            for (row, line) in text.split('/').enumerate() {
                for (column, cell) in line.chars().enumerate() {
                    let (column, row) = game.image((column, row), symmetry);
                    image[row][column] = cell;
                }
            }
            let image = image.map(String::from_iter).join("/");
            let mut about_image = Question::new(TicTacToe::parse_position(&image).unwrap());
            player.evaluate(&mut [&mut about_image]);
            let [turned, _, upright] = &mut answers;
            assert!((turned.value.0 - about_image.value.0).abs() < 1e-6, "{text} {symmetry}");
            for (&mv, prior) in turned.moves.iter().zip(&turned.priors) {
                let there = game.answer_image(game.answer(mv), symmetry);
                let at = about_image.moves.iter().position(|&mv| game.answer(mv) == there).unwrap();
                assert!((prior - about_image.priors[at]).abs() < 1e-6, "{text} {symmetry}");
            }
            assert_eq!(turned.priors == upright.priors, symmetry == 0, "{text} {symmetry}");
        }
        assert!(seen.iter().filter(|seen| **seen).count() >= 4, "{seen:?}");
    }

    #[test]
    fn owners_turn_with_the_board() {
        let size = NetworkSize { blocks: 1, filters: 16, hidden: 16, ownership: true, ..NetworkSize::default() };
        let mut game = Go::new(5);
        game.play(Move::play(Point::at(1, 0, 5)));
        let architecture = size.architecture(&game);
        let weights = architecture.random(&mut stream(1, 0));
        let optimizer = OptimizerSettings::default();
        let mut learner = ResidualLearner::new(architecture, weights, optimizer, &[], true).unwrap();
        // The stone's point is Black's, who played it, and all others are nobody's.
        let owners: Vec<_> = (0..25).map(|cell| (cell == 1).then_some(Side::First)).collect();
        let (policy, outcome) = (vec![(0, 1.0)], Value::EVEN);
        let known = Example { game, policy: &policy, outcome, owners: Some(&owners) };
        let unknown = Example { owners: None, ..known.clone() };
        let mut losses = (0..30).map(|step| {
            let loss = learner.learn(&vec![known.clone(); 16], &mut stream(2, step)).ownership;
            let Batch { inputs, owners, .. } = &learner.batch;
            for (planes, owners) in inputs.chunks(architecture.input_len()).zip(owners.chunks(25)) {
                // White is to move, and Black's stones are on the second plane.
                let stones: Vec<f32> = planes[25..50].iter().map(|stone| 0.0 - stone).collect();
                assert_eq!(stones, owners);
            }
            loss
        });
        let (first, last) = (losses.next().unwrap(), losses.last().unwrap());
        assert!(last < 0.5 * first, "{first} {last}");
        assert_eq!(learner.learn(&[unknown.clone(), unknown], &mut stream(3, 0)).ownership, 0.0);
    }

    #[test]
    fn a_learner_that_comes_back_goes_on_as_if_nothing_had_happened() {
        let (architecture, mut whole) = learner(true);
        learnt(&mut whole, 6);
        let (_, mut first) = learner(true);
        learnt(&mut first, 6);
        let optimizer = OptimizerSettings::default();
        let memory = first.memory();
        let mut second =
            ResidualLearner::new(architecture, first.weights().to_vec(), optimizer, &memory, true).unwrap();
        learnt(&mut whole, 5);
        learnt(&mut second, 5);
        assert_eq!(whole.weights(), second.weights());
        assert!(ResidualLearner::new(architecture, vec![0.0; 3], optimizer, &[], true).is_none());
    }
}
