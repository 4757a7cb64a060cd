//! Several threads on one search: each searches the root by itself, in the same order but for moves that another is
//! [looking at](UnderWay), and they help each other only through the table.
//!
//! What the table knows was proved with the same values at exactly the depth that is asked for, whoever proved it, so that helpers
//! change how long a search takes and not what it finds. Of equal moves another may be chosen. With null moves, which prove nothing, what
//! one thread cut by them others may have searched, and the value found may be another, too.

use super::under_way::{LEAST_DEPTH, UnderWay};
use super::{AlphaBeta, Found};
use crate::search::Budget;
use crate::value::AfterstateValues;
use afterstate_games::{Deterministic, Side};
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops the helpers when it is dropped, also by a panic: who waits for them would wait for ever.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<G: Deterministic, V: AfterstateValues<G> + ?Sized> AlphaBeta<G, V> {
    /// How many threads search: without a table they could not help each other, and without numbers of moves they would all
    /// look at the same.
    pub(super) fn threads(&self) -> usize {
        if self.settings.transpositions && self.numbers.is_some() { self.settings.threads.max(1) } else { 1 }
    }

    /// [`AlphaBeta::deepen`] with the other threads of the settings beside, which stop when it has its result.
    pub(super) fn deepen_together(
        &mut self,
        root: &G,
        side: Side,
        limit: u32,
        moves: Vec<(G::Move, f32)>,
        found: &mut Found<G::Move>,
    ) {
        if self.threads() == 1 {
            return self.deepen(root, side, limit, moves, found);
        }
        let mut helpers = take(&mut self.helpers);
        helpers.resize_with(self.threads() - 1, || self.helper());
        self.under_way = Some(Arc::new(UnderWay::new()));
        let stop = Arc::new(AtomicBool::new(false));
        std::thread::scope(|scope| {
            for helper in &mut helpers {
                (helper.values, helper.table) = (self.values.clone(), self.table.clone());
                helper.under_way.clone_from(&self.under_way);
                let (moves, stop) = (moves.clone(), stop.clone());
                scope.spawn(move || helper.help(root, side, limit, moves, stop));
            }
            let _stop = Stop(stop);
            self.deepen(root, side, limit, moves, found);
        });
        self.evaluations += helpers.iter().map(|helper| helper.evaluations).sum::<u64>();
        self.nodes += helpers.iter().map(|helper| helper.nodes).sum::<u64>();
        self.helpers = helpers;
    }

    /// What a move is called among the threads; `None` where they do not ask.
    #[inline]
    pub(super) fn name(&self, game: &G, mv: G::Move, depth: u32) -> Option<u64> {
        let numbers = self.numbers.as_ref().filter(|_| self.under_way.is_some() && depth >= LEAST_DEPTH)?;
        Some(UnderWay::name(game.key(), (numbers.index)(game, mv), depth))
    }

    /// Whether another thread is looking at the move.
    #[inline]
    pub(super) fn is_under_way(&self, name: Option<u64>) -> bool {
        name.is_some_and(|name| self.under_way.as_ref().is_some_and(|under_way| under_way.contains(name)))
    }

    /// Lets the others know of the move while it is looked at.
    #[inline]
    pub(super) fn under_way<T>(&mut self, name: Option<u64>, look: impl FnOnce(&mut Self) -> T) -> T {
        let Some((name, under_way)) = name.zip(self.under_way.clone()) else { return look(self) };
        under_way.begin(name);
        let seen = look(self);
        under_way.end(name);
        seen
    }

    /// Another thread's part of the search.
    fn helper(&self) -> Self {
        let mut settings = self.settings.clone();
        settings.threads = 1;
        AlphaBeta { numbers: self.numbers.clone(), ..AlphaBeta::new(self.values.clone(), settings) }
    }

    /// Fills the table until it is told to stop.
    fn help(&mut self, root: &G, side: Side, limit: u32, moves: Vec<(G::Move, f32)>, stop: Arc<AtomicBool>) {
        self.begin(root, Budget { stop: Some(stop), ..Budget::default() });
        self.make_room(limit);
        let Some(&(first, seen)) = moves.first() else { return };
        let mut found = Found { seen, line: vec![first], depth: 1 };
        self.deepen(root, side, limit, moves, &mut found);
    }
}
