//! What the threads of [`ZeroTraining`] do between learning steps: play, several games at once if they are told to, so that their
//! questions are answered together.

use super::{ARCHIVE_GAMES, Interest, Shared, ZeroError, ZeroTraining, log_path};
use crate::zero::actor::{Actor, Played};
use crate::zero::cached::Cached;
use crate::zero::expert::Expert;
use crate::zero::network::{Network, Question, Trainable};
use crate::zero::replay::Entry;
use crate::zero::start_positions::Archive;
use afterstate_games::rng::{mix, unit};
use afterstate_games::{Deterministic, IndexedMoves, stream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Answers that each thread remembers: 2 to the power of this.
const CACHE_BITS: u32 = 16;

/// A step that is being played.
pub(super) struct Round<'a> {
    pub shared: Mutex<Shared>,
    /// The number of the next game.
    pub next: AtomicU64,
    pub stop: &'a AtomicBool,
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl Round<'_> {
    pub fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no thread panics while it holds what all share")
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A game that is being played, and what its search wants to know.
struct Seat<G: afterstate_games::Game> {
    number: u64,
    actor: Actor<G>,
    question: Question<G>,
}

impl<G: Deterministic + IndexedMoves, T: Trainable<G>> ZeroTraining<G, T> {
    /// One thread's trajectories of a step, led by `network`. What is going on when it is stopped is lost; its numbers are given
    /// again when the run goes on, unless a later game has ended already.
    pub(super) fn play(&self, network: impl Network<G>, round: &Round<'_>) {
        let mut network = Cached::new(network, CACHE_BITS, self.first.most_moves());
        let mut seats: Vec<Seat<G>> = (0..self.settings.batching.games).map_while(|_| self.sit_down(round)).collect();
        while !seats.is_empty() && !round.stopped() {
            let mut at = 0;
            while at < seats.len() {
                let Seat { actor, question, .. } = &mut seats[at];
                if actor.gather(question) {
                    at += 1;
                    continue;
                }
                let Seat { number, actor, .. } = seats.swap_remove(at);
                self.end(number, actor.into_played(), round);
                seats.extend(self.sit_down(round));
            }
            match &mut seats[..] {
                [] => break,
                [alone] => network.evaluate(&mut [&mut alone.question]),
                many => network.evaluate(&mut many.iter_mut().map(|seat| &mut seat.question).collect::<Vec<_>>()),
            }
            seats.iter_mut().for_each(|seat| seat.actor.apply(&seat.question));
        }
        let counts = network.counts();
        round.lock().report.questions.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }

    /// One thread's trajectories of a step, played by somebody else.
    pub(super) fn play_as(&self, mut expert: Box<dyn Expert<G>>, round: &Round<'_>) {
        while let Some((number, way)) = self.begin(round) {
            let seed = mix(self.seed ^ mix(number));
            let Some(trajectory) = expert.play(&self.first, &way, number, seed, round.stop) else { return };
            self.end(number, Played { trajectories: vec![trajectory], ..Played::default() }, round);
        }
    }

    /// A new game, if one is needed.
    fn sit_down(&self, round: &Round<'_>) -> Option<Seat<G>> {
        let (number, way) = self.begin(round)?;
        let own = (number, stream(self.seed, number));
        let actor = Actor::new(&self.settings.self_play, &self.first, &way, own, self.fills(number));
        Some(Seat { number, actor, question: Question::new(self.first.clone()) })
    }

    /// Number and opening of a new game, if one is needed.
    fn begin(&self, round: &Round<'_>) -> Option<(u64, Vec<u16>)> {
        let shared = round.lock();
        if shared.error.is_some() || shared.report.examples as usize >= self.settings.replay.step {
            return None;
        }
        let number = round.next.fetch_add(1, Ordering::Relaxed);
        Some((number, self.start_of(number, shared.archive.as_ref())))
    }

    /// Keeps what was played.
    fn end(&self, number: u64, Played { trajectories, sides, met }: Played, round: &Round<'_>) {
        let entries: Vec<Entry> = if self.fills(number) {
            vec![Entry::Met(number, met)]
        } else {
            trajectories.into_iter().map(Entry::Trajectory).chain(sides.into_iter().map(Entry::Side)).collect()
        };
        let mut shared = round.lock();
        if shared.error.is_some() {
            return;
        }
        if let Err(source) = shared.log.append(&entries) {
            shared.error = Some(ZeroError { path: log_path(&self.folder, self.steps), source });
            return;
        }
        entries.into_iter().for_each(|entry| self.enter(entry, false, &mut shared));
        (round.progress)(shared.report.examples.min(self.settings.replay.step as u64));
    }

    /// Whether a game is there to fill the archive.
    fn fills(&self, number: u64) -> bool {
        let searched = self.settings.archive.is_some_and(|archive| archive.interest == Interest::Searched);
        searched && number.is_multiple_of(ARCHIVE_GAMES)
    }

    /// The moves to where a game starts.
    fn start_of(&self, number: u64, archive: Option<&Archive>) -> Vec<u16> {
        let (Some(settings), Some(archive)) = (&self.settings.archive, archive) else { return Vec::new() };
        // A stream of its own, so that the trajectory's does not depend on where it starts.
        let rng = &mut stream(mix(self.seed), number);
        if self.fills(number) || unit(rng) < settings.initial {
            return Vec::new();
        }
        archive.draw(rng).unwrap_or_default().to_vec()
    }
}
