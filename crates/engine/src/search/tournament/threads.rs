//! Several threads on one search ("lazy SMP", <https://www.chessprogramming.org/Lazy_SMP>): each searches the root by itself,
//! and they help each other only through the table.

use super::ChessEvaluation;
use super::limits::Clock;
use super::report::SearchNews;
use super::root::RootMove;
use super::worker::Worker;
use afterstate_games::Chess;

/// Stops the helpers when it is dropped, also by a panic: who waits for them would wait for ever.
struct Stop<'a>(&'a Clock);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Searches with all workers until the first is done, which alone reports. Returns the best root move and its depth.
pub(super) fn search<'a, E: ChessEvaluation>(
    workers: &'a mut [Worker<E>],
    root: &Chess,
    clock: &Clock,
    watch: &mut dyn FnMut(&SearchNews),
) -> (&'a RootMove, u32) {
    let depths: Vec<u32> = std::thread::scope(|scope| {
        let (first, helpers) = workers.split_at_mut(1);
        let stop = Stop(clock);
        // Where the system gives no more threads, those that there are search.
        let helpers: Vec<_> = helpers
            .iter_mut()
            .map(|helper| std::thread::Builder::new().spawn_scoped(scope, move || helper.deepen(root, None)).ok())
            .collect();
        let depth = first[0].deepen(root, Some(watch));
        drop(stop);
        let depths = helpers.into_iter().map(|helper| helper.and_then(|helper| helper.join().ok()).unwrap_or(0));
        std::iter::once(depth).chain(depths).collect()
    });
    for worker in workers.iter() {
        clock.report(worker.number, worker.nodes);
    }
    // The first thread decides, unless another saw deeper and found something better.
    let several_lines = clock.limits.multi_pv > 1;
    let mut best = 0;
    for (number, worker) in workers.iter().enumerate().skip(1) {
        let found = &worker.root_moves[0];
        if !several_lines && depths[number] > depths[best] && found.known() > workers[best].root_moves[0].known() {
            best = number;
        }
    }
    if best > 0 {
        // Whoever watches has seen another line.
        workers[best].tell(root, 0, true, watch);
    }
    (&workers[best].root_moves[0], depths[best])
}
