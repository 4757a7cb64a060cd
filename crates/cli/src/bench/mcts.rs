//! Tree searches of the empty 9×9 board, 3000 simulations each, with one thread and with two that share a tree.

use super::Effort;
use super::measure::Report;
use super::speed_up::speed_up;
use afterstate_engine::search::{
    Experience, FuegoPrior, Leaf, McRave, Mcts, MctsSettings, PlayOut, Prior, Selection, Uct,
};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::{FuegoPlayout, FuegoSettings, Go, MogoPlayout, UniformGoPlayout};
use afterstate_games::stream;
use anyhow::Result;

/// Measures simulations of UCT and MC-RAVE, with uniform playouts, MoGo's and Fuego's, and as the agent `mc-rave` has them
/// unless told otherwise, with its prior.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    one("uct.uniform", Uct::default(), PlayOut(UniformGoPlayout), (), effort, report)?;
    one("mc-rave.uniform", McRave::default(), PlayOut(UniformGoPlayout), (), effort, report)?;
    one("mc-rave.mogo", McRave::default(), PlayOut(MogoPlayout::default()), (), effort, report)?;
    one("mc-rave.fuego", McRave::default(), PlayOut(FuegoPlayout::default()), (), effort, report)?;
    let nakade = FuegoPlayout::new(FuegoSettings { nakade: true, ..FuegoSettings::default() });
    let prior = FuegoPrior::new(Experience { monte_carlo: 5, amaf: 9 });
    one("mc-rave.usual", McRave::default(), PlayOut(nakade), prior, effort, report)
}

fn one(
    name: &str,
    rule: impl Selection,
    leaf: impl Leaf<Go> + Sync,
    prior: impl Prior<Go> + Sync,
    effort: Effort,
    report: Report,
) -> Result<()> {
    let mut searches = [1, 2].map(|threads| {
        let settings = MctsSettings { threads, early_stop: false, ..MctsSettings::default() };
        Mcts::with(rule.clone(), leaf.clone(), prior.clone(), (), settings)
    });
    let (mut rng, start) = (stream(1, 0), Go::new(9));
    let search = |kind: usize| {
        searches[kind].clear();
        searches[kind].search(&start, &Budget::default(), &mut rng).effort
    };
    speed_up(&format!("go9.mcts.{name}"), search, effort, report)
}
