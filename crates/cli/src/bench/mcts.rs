//! Tree searches of the empty 9×9 board, 3000 simulations each, with one thread and with two that share a tree.

use super::Effort;
use super::measure::{Report, measure};
use afterstate_engine::search::{Leaf, McRave, Mcts, MctsSettings, PlayOut, Selection, Uct};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::{Go, MogoPlayout, UniformGoPlayout};
use afterstate_games::stream;
use anyhow::Result;

/// Measures simulations of UCT and MC-RAVE, with uniform playouts and MoGo's.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    one("uct.uniform", Uct::default(), PlayOut(UniformGoPlayout), effort, report)?;
    one("mc-rave.uniform", McRave::default(), PlayOut(UniformGoPlayout), effort, report)?;
    one("mc-rave.mogo", McRave::default(), PlayOut(MogoPlayout::default()), effort, report)
}

/// One search runs at a time: its own threads are what is measured.
fn one(name: &str, rule: impl Selection, leaf: impl Leaf<Go> + Sync, effort: Effort, report: Report) -> Result<()> {
    for threads in [1, 2] {
        let measured = measure(Effort { threads: 1, ..effort }, |_| {
            let settings = MctsSettings { threads, early_stop: false, ..MctsSettings::default() };
            let mut search = Mcts::new(rule.clone(), leaf.clone(), settings);
            let (mut rng, start) = (stream(1, 0), Go::new(9));
            move || {
                search.clear();
                [search.search(&start, &Budget::default(), &mut rng).effort]
            }
        });
        measured.report(&format!("go9.mcts.{name}.{threads}-thread"), 0, report)?;
    }
    Ok(())
}
