//! [`Teacher`]: quick games by tree search in which some positions are looked at for longer, so that their worth can be learnt from.

use super::MonteCarlo;
use afterstate_engine::Budget;
use afterstate_engine::learning::Judged;
use afterstate_engine::search::Situation;
use afterstate_games::rng::{below, unit};
use afterstate_games::{Game, Record, Rng, Turn, stream};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};

/// How a [`Teacher`] plays. The defaults are for Go on 9×9.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TeacherSettings {
    /// Simulations for a usual move.
    pub quick: u64,
    /// Simulations where a position is looked at for longer.
    pub deep: u64,
    /// The part of the positions that are. Those of one game have much in common, so few of many games are better.
    pub deep_share: f32,
    /// A game begins with 1 to so many random moves.
    pub opening_moves: u32,
    /// The part of the later moves that are random, too.
    pub wandering: f32,
    /// A game ends when the search is so sure of either outcome.
    pub decided: f32,
}

impl Default for TeacherSettings {
    fn default() -> Self {
        TeacherSettings { quick: 250, deep: 6_000, deep_share: 0.07, opening_moves: 5, wandering: 0.06, decided: 0.02 }
    }
}

/// What a search said of one position of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement<M> {
    /// How many moves came before.
    pub ply: usize,
    /// The first player's chance to win.
    pub worth: f32,
    /// The move that was found.
    pub best: M,
    /// Whether it was looked at for longer.
    pub deep: bool,
}

/// A game, with what was said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaughtGame<M> {
    /// All moves.
    pub moves: Vec<M>,
    /// All judgements, by ascending ply.
    pub judgements: Vec<Judgement<M>>,
}

impl<M: Copy> TaughtGame<M> {
    /// Every position that was judged, with whether it was looked at for longer.
    pub fn positions<G: Game<Move = M>>(&self, start: &G) -> impl Iterator<Item = (Judged<G>, bool)> {
        let (mut position, mut played) = (start.clone(), 0);
        self.judgements.iter().map(move |&Judgement { ply, worth, best, deep }| {
            for &mv in &self.moves[played..ply] {
                position.play(mv);
            }
            played = ply;
            (Judged { position: position.clone(), worth, best }, deep)
        })
    }
}

/// Plays games with itself by tree search.
///
/// ```
/// use afterstate_arena::mcts_player::{MonteCarlo, Teacher, TeacherSettings};
/// use afterstate_engine::search::{Mcts, MctsSettings, PlayOut, Uct};
/// use afterstate_games::{TicTacToe, UniformPlayout};
/// use std::sync::atomic::AtomicBool;
/// let settings = MctsSettings { memory_mib: 1, ..MctsSettings::default() };
/// let search = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings);
/// let search: Box<dyn MonteCarlo<TicTacToe, ()>> = Box::new(search);
/// let settings = TeacherSettings { quick: 20, deep: 200, deep_share: 0.5, ..TeacherSettings::default() };
/// let mut teacher = Teacher::new(search, settings);
/// let taught = teacher.play(&TicTacToe::default(), 1, &AtomicBool::new(false)).unwrap();
/// assert!(taught.positions(&TicTacToe::default()).count() <= taught.moves.len());
/// ```
pub struct Teacher<G: Game, O: 'static> {
    search: Box<dyn MonteCarlo<G, O>>,
    settings: TeacherSettings,
}

impl<G: Game, O> Teacher<G, O> {
    /// A teacher who plays by `search`, all of whose simulations are made.
    pub fn new(mut search: Box<dyn MonteCarlo<G, O>>, settings: TeacherSettings) -> Self {
        search.set_early_stop(false);
        Teacher { search, settings }
    }

    /// Plays one game from `start`, the same for the same seed; `None` if `stop` was set meanwhile.
    pub fn play(&mut self, start: &G, seed: u64, stop: &AtomicBool) -> Option<TaughtGame<G::Move>> {
        let TeacherSettings { quick, deep, deep_share, opening_moves, wandering, decided } = self.settings;
        self.search.clear();
        let (mut record, rng) = (Record::new(start.clone()), &mut stream(seed, 0));
        let mut judgements = Vec::new();
        let opening = 1 + below(rng, opening_moves.max(1));
        let (mut played, mut legal) = (0, Vec::new());
        while let Turn::Player(_) = record.turn() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let mut mv = random_move(&record, rng);
            if played >= opening {
                self.search.candidates(record.position(), &mut legal);
                legal.retain(|&mv| record.is_legal(mv));
                let is_deep = unit(rng) < deep_share;
                let simulations = Some(if is_deep { deep } else { quick });
                let budget = Budget { simulations, ..Budget::default() };
                let decision = self.search.search(&Situation::of(&record, &legal), &budget, rng, None);
                let (Some(best), Some(worth)) = (decision.best, decision.value) else { break };
                if worth.0 < decided || worth.0 > 1.0 - decided {
                    break;
                }
                judgements.push(Judgement { ply: record.moves().len(), worth: worth.0, best, deep: is_deep });
                if unit(rng) >= wandering || mv.is_none() {
                    mv = Some(best);
                }
            }
            let Some(mv) = mv else { break };
            record.play(mv);
            self.search.advance(mv, record.position());
            played += 1;
        }
        Some(TaughtGame { moves: record.moves().to_vec(), judgements })
    }
}

/// A candidate move that the record allows, if there is one.
fn random_move<G: Game>(record: &Record<G>, rng: &mut Rng) -> Option<G::Move> {
    let mut moves = Vec::new();
    record.position().candidate_moves(&mut moves);
    moves.retain(|&mv| record.is_legal(mv));
    (!moves.is_empty()).then(|| moves[below(rng, moves.len() as u32) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::search::{GoOwnership, Mcts, MctsSettings, PlayOut, Uct};
    use afterstate_games::go::{Go, MogoPlayout};

    fn teacher() -> Teacher<Go, GoOwnership> {
        let settings = MctsSettings { memory_mib: 4, ..MctsSettings::default() };
        let playout = PlayOut(MogoPlayout::default());
        let search = Mcts::with(Uct::default(), playout, (), GoOwnership::default(), settings);
        let settings = TeacherSettings { quick: 20, deep: 100, deep_share: 0.3, ..TeacherSettings::default() };
        Teacher::new(Box::new(search), settings)
    }

    #[test]
    fn a_game_depends_on_its_seed_alone() {
        let (start, go_on) = (Go::new(5), AtomicBool::new(false));
        let mut veteran = teacher();
        let first = veteran.play(&start, 1, &go_on).unwrap();
        let other = veteran.play(&start, 2, &go_on).unwrap();
        assert_ne!(first, other);
        assert_eq!(first, teacher().play(&start, 1, &go_on).unwrap());
        let deep = first.judgements.iter().filter(|judgement| judgement.deep).count();
        assert!(deep > 0 && deep < first.judgements.len());
        let mut legal = Vec::new();
        for (judged, _) in first.positions(&start) {
            assert!((0.02..=0.98).contains(&judged.worth));
            judged.position.legal_moves(&mut legal);
            assert!(legal.contains(&judged.best));
        }
    }

    #[test]
    fn who_stops_it_gets_nothing() {
        assert!(teacher().play(&Go::new(5), 1, &AtomicBool::new(true)).is_none());
    }
}
