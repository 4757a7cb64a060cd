//! What the threads of [`ZeroTraining`] do between learning steps, or beside them: play, several games at once if they are told to,
//! so that their questions are answered together.

use super::{Interest, Shared, TRAINED, ZeroError, ZeroTraining};
use crate::zero::actor::{Actor, Played};
use crate::zero::cached::Cached;
use crate::zero::expert::Expert;
use crate::zero::network::{Network, Question, Trainable};
use crate::zero::planes::Planes;
use crate::zero::replay::Entry;
use crate::zero::start_positions::Archive;
use afterstate_games::rng::{mix, unit};
use afterstate_games::{Deterministic, Game, stream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Answers that each thread remembers: 2 to the power of this.
const CACHE_BITS: u32 = 16;

/// Separates the draws of where trajectories start from what happens in them.
const OF_STARTS: u64 = 1 << 61;

/// A step that is being played.
pub(super) struct Round<'a> {
    /// Of its log.
    pub path: PathBuf,
    pub shared: Mutex<Shared>,
    /// The number of the next game.
    pub next: AtomicU64,
    /// Whether there are enough examples, or there was an error.
    pub enough: AtomicBool,
    pub stop: &'a AtomicBool,
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl Round<'_> {
    pub fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no thread panics while it holds what all share")
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.enough.load(Ordering::Relaxed)
    }
}

/// A game that is being played, and what its search wants to know.
pub(super) struct Seat<G: Game> {
    pub number: u64,
    /// Whether it is an archive game.
    pub fills: bool,
    actor: Actor<G>,
    question: Question<G>,
}

/// A game that is to be played.
struct NewGame {
    number: u64,
    /// The moves to where it starts.
    way: Vec<u16>,
    fills: bool,
}

impl<G: Deterministic + Planes, T: Trainable<G>> ZeroTraining<G, T> {
    /// One thread's trajectories of a step, led by `network`: what goes on in `seats`, and new ones. What is going on in the end is
    /// returned. It is lost if the run is killed; its numbers are then given again, unless a later game has ended already.
    pub(super) fn play(&self, network: impl Network<G>, mut seats: Vec<Seat<G>>, round: &Round<'_>) -> Vec<Seat<G>> {
        let mut network = Cached::new(network, CACHE_BITS, self.first.most_moves());
        while seats.len() < self.settings.batching.games {
            let Some(seat) = self.sit_down(round) else { break };
            seats.push(seat);
        }
        while !seats.is_empty() && !round.is_over() {
            let mut at = 0;
            while at < seats.len() {
                let Seat { actor, question, .. } = &mut seats[at];
                if actor.gather(question) {
                    at += 1;
                    continue;
                }
                let Seat { number, fills, actor, .. } = seats.swap_remove(at);
                self.end(number, fills, actor.into_played(), round);
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
        seats
    }

    /// One thread's trajectories of a step, played by somebody else. A game that is stopped is lost.
    pub(super) fn play_as(&self, mut expert: Box<dyn Expert<G>>, round: &Round<'_>) -> Vec<Seat<G>> {
        while let Some(NewGame { number, way, fills }) = self.begin(round) {
            let seed = mix(self.seed ^ mix(number));
            let Some(played) = expert.play(&self.first, &way, number, seed, round.stop) else { break };
            self.end(number, fills, played, round);
        }
        Vec::new()
    }

    /// A new game, if one is needed.
    fn sit_down(&self, round: &Round<'_>) -> Option<Seat<G>> {
        let NewGame { number, way, fills } = self.begin(round)?;
        let own = (number, stream(self.seed, number));
        let actor = Actor::new(&self.settings.self_play, &self.first, &way, own, fills);
        Some(Seat { number, fills, actor, question: Question::new(self.first.clone()) })
    }

    /// A new game, if one is needed.
    fn begin(&self, round: &Round<'_>) -> Option<NewGame> {
        let mut shared = round.lock();
        if round.enough.load(Ordering::Relaxed) {
            return None;
        }
        let number = round.next.fetch_add(1, Ordering::Relaxed);
        let fills = self.is_archive_due(&shared);
        shared.filling += usize::from(fills);
        let way = if fills { Vec::new() } else { self.start_of(number, shared.archive.as_ref()) };
        Some(NewGame { number, way, fills })
    }

    /// Keeps what was played.
    fn end(&self, number: u64, fills: bool, Played { trajectories, sides, met }: Played, round: &Round<'_>) {
        let entries: Vec<Entry> = if fills {
            let moves = trajectories.iter().map(|trajectory| trajectory.policies.len() as u16).sum();
            vec![Entry::Met(number, moves, met)]
        } else {
            trajectories.into_iter().map(Entry::Trajectory).chain(sides.into_iter().map(Entry::Side)).collect()
        };
        let mut shared = round.lock();
        if shared.error.is_some() {
            return;
        }
        if let Err(source) = shared.log.append(&entries) {
            shared.error = Some(ZeroError { path: round.path.clone(), source });
            round.enough.store(true, Ordering::Relaxed);
            return;
        }
        shared.filling -= usize::from(fills);
        entries.into_iter().for_each(|entry| self.enter(entry, false, &mut shared));
        if self.has_enough(&shared.report) {
            round.enough.store(true, Ordering::Relaxed);
        }
        (round.progress)(shared.report.examples.min(self.settings.replay.step as u64));
    }

    /// Whether the next game should fill the archive. Where many are played at once, no more of them than there are archive actors
    /// in the paper.
    fn is_archive_due(&self, shared: &Shared) -> bool {
        let searched = self.settings.archive.is_some_and(|archive| archive.interest == Interest::Searched);
        let actors = (self.threads * self.settings.batching.games).div_ceil(1 + TRAINED as usize);
        searched && shared.behind >= 0 && shared.filling < actors
    }

    /// The moves to where a game starts.
    fn start_of(&self, number: u64, archive: Option<&Archive>) -> Vec<u16> {
        let (Some(settings), Some(archive)) = (&self.settings.archive, archive) else { return Vec::new() };
        // A stream of its own, so that the trajectory's does not depend on where it starts.
        let rng = &mut stream(self.seed ^ OF_STARTS, number);
        if unit(rng) < settings.initial {
            return Vec::new();
        }
        archive.draw(rng).unwrap_or_default().to_vec()
    }
}
