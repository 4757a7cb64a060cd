//! [`Lessons`]: what a learning step learns, drawn from the replay buffer before others play on.

use super::ReplaySettings;
use crate::Value;
use crate::zero::network::{Example, Loss, Trainable};
use crate::zero::planes::Planes;
use crate::zero::replay::ReplayBuffer;
use afterstate_games::rng::below;
use afterstate_games::{Deterministic, Game, Rng, Side, stream};

/// Separates what is drawn here from the trajectories.
const OF_LEARNER: u64 = 1 << 63;

/// An [`Example`] that needs no buffer any more.
struct Lesson<G> {
    game: G,
    policy: Vec<(u16, f32)>,
    outcome: Value,
    owners: Option<Vec<Option<Side>>>,
}

impl<G: Game> Lesson<G> {
    fn example(&self) -> Example<'_, G> {
        Example { game: self.game.clone(), policy: &self.policy, outcome: self.outcome, owners: self.owners.as_deref() }
    }
}

/// The batches of a learning step, each with the chance that learning it takes.
pub(super) struct Lessons<G>(Vec<(Vec<Lesson<G>>, Rng)>);

impl<G: Deterministic + Planes> Lessons<G> {
    /// Draws what a run of this seed learns after so many steps, with `owners` if somebody learns them. Examples are drawn with equal
    /// probabilities, and may come again.
    pub fn draw(
        (first, owners): (&G, bool),
        buffer: &ReplayBuffer,
        settings: &ReplaySettings,
        (seed, steps): (u64, u64),
    ) -> Self {
        let batches = settings.batches as u64;
        let lesson = |rng: &mut Rng| {
            let (trajectory, at) = buffer.example(below(rng, buffer.len() as u32) as usize);
            let mut game = first.clone();
            let play = |game: &mut G, index: u16| game.play(game.move_at(usize::from(index)));
            let (before, behind) = trajectory.way.split_at(usize::from(trajectory.opening) + at);
            before.iter().for_each(|&index| play(&mut game, index));
            let owners = owners.then(|| {
                let mut last = game.clone();
                behind.iter().for_each(|&index| play(&mut last, index));
                last.owners()
            });
            let outcome = Value(trajectory.lambda_return(at, settings.lambda));
            Lesson { game, policy: trajectory.policies[at].clone(), outcome, owners: owners.flatten() }
        };
        let batch = |number| {
            let mut rng = stream(seed ^ OF_LEARNER, steps * batches + number);
            let lessons = (0..settings.batch).map(|_| lesson(&mut rng)).collect();
            (lessons, rng)
        };
        Lessons((0..batches).map(batch).collect())
    }

    /// One step down the loss on each batch; returns the mean of their losses.
    pub fn teach<T: Trainable<G>>(&self, learner: &mut T) -> Loss {
        let mut sum = Loss::default();
        for (lessons, rng) in &self.0 {
            let examples: Vec<Example<'_, G>> = lessons.iter().map(Lesson::example).collect();
            let loss = learner.learn(&examples, &mut rng.clone());
            sum.policy += loss.policy / self.0.len() as f32;
            sum.value += loss.value / self.0.len() as f32;
            sum.ownership += loss.ownership / self.0.len() as f32;
        }
        sum
    }
}
