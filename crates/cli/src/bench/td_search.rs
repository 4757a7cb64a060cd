//! TD search of the empty board, and Dyna-2, against UCT with the same playout policy.

use super::Effort;
use super::measure::{Figure, Measured, Report, measure};
use super::speed_up::speed_up;
use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{
    Dyna2, FeatureMemory, Freeze, LongTermShapes, Mcts, MctsSettings, PlayOut, ShapeMemory, ShortTermMemory, TdSearch,
    TdSearchSettings, TwoPhase, TwoPhaseSettings, Uct,
};
use afterstate_engine::value::{FusedShapes, LocalShapes, Sharing, Squash, TrackedGo, WindowSizes};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::{FuegoPlayout, Go};
use afterstate_games::stream;
use anyhow::Result;
use std::sync::Arc;

/// Simulations of a search. They begin with nothing learnt, and without a tree.
const SIMULATIONS: u64 = 1000;

/// Measures simulations with a switch after six moves, and the article's ε-greedy ones to the end.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    for size in [9, 19] {
        let uct = uct(size, effort);
        uct.report(&format!("go{size}.mcts.uct.fuego"), 0, report)?;
        let switched = td_search(|| short(Squash::Logistic), size, Some(6), effort);
        switched.report(&format!("go{size}.td-search.simulations"), 0, report)?;
        let value = 100.0 * switched.rate(0) / uct.rate(0);
        report(Figure { name: format!("go{size}.td-search.of-uct"), value, unit: "%" })?;
        let greedy = td_search(|| short(Squash::Logistic), size, None, effort);
        greedy.report(&format!("go{size}.td-search.simulations-greedy"), 0, report)?;
        // The same search that sums the windows around every move, instead of keeping what the move would change.
        for (name, switch_after) in [("simulations", Some(6)), ("simulations-greedy", None)] {
            let summed = td_search(|| summed(size), size, switch_after, effort);
            summed.report(&format!("go{size}.td-search.{name}.by-windows"), 0, report)?;
        }
        threads(size, effort, report)?;
    }
    let long = long();
    let both = || Dyna2::new(long.clone(), short(Squash::Logistic));
    let simulations = td_search(both, 9, Some(6), effort);
    simulations.report("go9.dyna-2.simulations", 0, report)?;
    let rate = td_search(|| short(Squash::Logistic), 9, Some(6), effort).rate(0);
    second_phase("go9.td-search", || short(Squash::Logistic), rate, effort, report)?;
    second_phase("go9.dyna-2", both, simulations.rate(0), effort, report)
}

/// Measures five plies of alpha-beta on what so many simulations have taught, also by how many simulations take as long.
fn second_phase<M: Freeze<Go> + 'static>(
    first: &str,
    memory: impl Fn() -> M + Sync,
    simulations: f64,
    effort: Effort,
    report: Report,
) -> Result<()> {
    let positions = super::search::positions(&super::search::exact_values(), 4, 12);
    let measured = measure(effort, |thread| {
        let first = TdSearchSettings { simulations: SIMULATIONS, ..TdSearchSettings::default() };
        let (playout, second) = (PlayOut(FuegoPlayout::default()), TwoPhaseSettings::default());
        let (mut rng, mut next) = (stream(1, u64::from(thread)), 0);
        let mut searches: Vec<_> = positions
            .iter()
            .map(|position| {
                let mut search = TwoPhase::new(memory(), playout.clone(), first.clone(), second.clone());
                search.first_mut().search(position.game(), &Budget::default(), &mut rng);
                (search, position.game())
            })
            .collect();
        let alone = Budget { simulations: Some(0), ..Budget::default() };
        let places = searches.len();
        move || {
            let (search, position) = &mut searches[next % places];
            next += 1;
            search.search(position, &alone, &mut rng);
            [1, search.nodes()]
        }
    });
    measured.report(&format!("{first}.second-phase.nodes"), 1, report)?;
    let value = simulations / measured.rate(0);
    report(Figure { name: format!("{first}.second-phase.as-long-as"), value, unit: "simulations" })
}

/// The paper's short-term memory: windows of 1×1 and 2×2, each place for itself.
pub fn short(squash: Squash) -> ShapeMemory {
    ShapeMemory::new(sizes(), TdSettings { squash, ..TdSettings::default() })
}

fn summed(size: usize) -> FeatureMemory<Go, LocalShapes, TrackedGo> {
    let shapes = LocalShapes::new(size, sizes(), Sharing::None);
    FeatureMemory::of_shapes(Arc::new(shapes), TdSettings::default())
}

fn sizes() -> WindowSizes {
    WindowSizes::new(&[1, 2]).expect("both are sizes of windows")
}

/// A long-term memory for 9×9 that nobody learnt.
pub fn long() -> LongTermShapes {
    let values: Arc<FusedShapes> = super::search::exact_values();
    LongTermShapes::new(values)
}

fn uct(size: usize, effort: Effort) -> Measured<1> {
    let start = Go::new(size);
    measure(effort, |thread| {
        let settings = MctsSettings { simulations: SIMULATIONS, early_stop: false, ..MctsSettings::default() };
        let mut search = Mcts::new(Uct::default(), PlayOut(FuegoPlayout::default()), settings);
        let (mut rng, start) = (stream(1, u64::from(thread)), start.clone());
        move || {
            search.clear();
            [search.search(&start, &Budget::default(), &mut rng).effort]
        }
    })
}

/// What a second thread gains. A move has more simulations than the other figures', for threads begin anew with each.
fn threads(size: usize, effort: Effort, report: Report) -> Result<()> {
    let mut searches = [1, 2].map(|threads| {
        let settings = TdSearchSettings { threads, ..TdSearchSettings::default() };
        TdSearch::new(short(Squash::Logistic), PlayOut(FuegoPlayout::default()), settings)
    });
    let (mut rng, start) = (stream(1, 0), Go::new(size));
    let search = |kind: usize| {
        searches[kind].clear();
        searches[kind].search(&start, &Budget::default(), &mut rng).effort
    };
    speed_up(&format!("go{size}.td-search"), search, effort, report)
}

fn td_search<M: ShortTermMemory<Go>>(
    memory: impl Fn() -> M + Sync,
    size: usize,
    switch_after: Option<u32>,
    effort: Effort,
) -> Measured<1> {
    let start = Go::new(size);
    measure(effort, |thread| {
        let simulated = match switch_after {
            Some(_) => TdSearchSettings::default(),
            None => TdSearchSettings::article(),
        };
        let settings = TdSearchSettings { simulations: SIMULATIONS, switch_after, ..simulated };
        let mut search = TdSearch::new(memory(), PlayOut(FuegoPlayout::default()), settings);
        let (mut rng, start) = (stream(1, u64::from(thread)), start.clone());
        move || {
            search.clear();
            [search.search(&start, &Budget::default(), &mut rng).effort]
        }
    })
}
