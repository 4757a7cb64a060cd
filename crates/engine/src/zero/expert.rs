//! [`Expert`]: somebody else whose games a network learns from, instead of those that it leads itself.
//!
//! A search that knows more than the network does is the better teacher, as long as it does: learn what it plays, let the network
//! help it (as prior knowledge, say), and learn from that again (T. Anthony, Z. Tian and D. Barber, *Thinking fast and slow with
//! deep learning and tree search*, 2017: expert iteration).

use super::actor::Played;
use afterstate_games::Game;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Plays whole trajectories in an [`Actor`](super::Actor)'s place.
pub trait Expert<G: Game>: Send {
    /// Plays the trajectory of this number, from where `way` leads from `first`, with side positions if it likes. `None` if `stop` was
    /// set before its end.
    ///
    /// What it plays depends on these and on `seed` alone, and not on what it has played before.
    fn play(&mut self, first: &G, way: &[u16], number: u64, seed: u64, stop: &AtomicBool) -> Option<Played>;
}

/// Makes one for each thread.
pub type MakeExpert<G> = Arc<dyn Fn() -> Box<dyn Expert<G>> + Send + Sync>;
