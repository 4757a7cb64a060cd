//! [`Actor`]: one trajectory of self-play by PUCT (paper 004, §2), in halves of simulations, so that many actors can ask a
//! network together.
//!
//! ```text
//! s ← a start position;  then until the game ends:
//!     search s, with P = (1−ε) p + ε d at the root, d ~ Dir(α)
//!     π ∝ N^(1/τ);  a ~ π for the first k moves of the trajectory, then the most visited
//! every (s, π) with the game's outcome z is an example
//! ```

use super::branching::{alternative, fork_candidates};
use super::katago::KataGoSettings;
use super::network::Question;
use crate::Value;
use crate::search::{Puct, PuctSettings, Situation};
use afterstate_games::rng::{below, unit};
use afterstate_games::{Deterministic, Game, IndexedMoves, Record, Rng, Turn};
use rand_distr::{Distribution, Gamma};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Settings of self-play; the defaults are the paper's AlphaZero for Connect Four.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ActorSettings {
    /// Simulations for a move, the one that asks about the root included.
    pub iterations: u32,
    /// The search.
    pub puct: PuctSettings,
    /// ε, the share of noise at the root.
    pub noise: f32,
    /// α, how evenly the noise is spread: the less, the more of it falls on few moves.
    pub noise_concentration: f32,
    /// τ of π and of the moves drawn from it.
    pub temperature: f32,
    /// k: so many moves of a trajectory are drawn, later ones are the most visited.
    pub sampled_moves: u32,
    /// Probability that a game may end early, once the search thinks it is worth more than 0.95 or less than −0.95; that
    /// value is then the outcome. The paper's program had 0.8; the paper does not say so.
    pub early_end: f32,
    /// KataGo's ways to see more positions.
    pub katago: KataGoSettings,
}

impl Default for ActorSettings {
    fn default() -> Self {
        ActorSettings {
            iterations: 100,
            puct: PuctSettings::default(),
            noise: 0.25,
            noise_concentration: 1.0,
            temperature: 1.0,
            sampled_moves: 10,
            early_end: 0.0,
            katago: KataGoSettings::default(),
        }
    }
}

/// Beyond this value, from −1 to 1, a game may end early.
const DECIDED: f32 = 0.95;

/// Whether a game that may end early ends where a search finds this value.
pub fn decided(value: Value) -> bool {
    (2.0 * value.0 - 1.0).abs() > DECIDED
}

/// What a trajectory was like: all that learning needs of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Trajectory {
    /// Its number in the run, which all its random choices come from.
    pub number: u64,
    /// All moves from the game's first position, by their index.
    pub way: Vec<u16>,
    /// How many of them led to the start.
    pub opening: u16,
    /// π for the positions before the moves behind the opening, and for the last one if the game [ended
    /// early](ActorSettings::early_end) there: indices and probabilities of all legal moves. Empty where there is nothing to
    /// be learnt.
    pub policies: Vec<Vec<(u16, f32)>>,
    /// What their searches say that these positions are worth, as the first player's score; `None` where nothing was searched.
    /// Empty where nothing followed a search.
    pub values: Vec<Option<f32>>,
    /// z as the first player's score, from 0 to 1.
    pub outcome: f32,
}

impl Trajectory {
    /// How many examples it has.
    pub fn examples(&self) -> usize {
        self.policies.iter().filter(|policy| !policy.is_empty()).count()
    }

    /// The λ-return of the position with this policy, as the first player's score from 0 to 1: a mixture of what the searches from
    /// there on say and of how it ended, Gᵗ = (1 − λ) vᵗ + λ Gᵗ⁺¹ with z behind the last. λ = 1 is the outcome z, as AlphaZero has it;
    /// λ = 0 is the position's own search, as RootStrap has it (paper 002, §3).
    ///
    /// ```
    /// use afterstate_engine::zero::Trajectory;
    /// let won = Trajectory { values: vec![Some(0.5), None, Some(0.75)], outcome: 1.0, ..Trajectory::default() };
    /// assert_eq!([won.lambda_return(2, 1.0), won.lambda_return(2, 0.0), won.lambda_return(2, 0.5)], [1.0, 0.75, 0.875]);
    /// // The second position was not searched.
    /// assert_eq!([won.lambda_return(1, 0.5), won.lambda_return(0, 0.5)], [0.875, 0.6875]);
    /// ```
    pub fn lambda_return(&self, at: usize, lambda: f32) -> f32 {
        let mix = |after: f32, value: &Option<f32>| value.map_or(after, |value| value + lambda * (after - value));
        self.values.iter().skip(at).rev().fold(self.outcome, mix)
    }
}

/// What an actor has to show.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Played {
    /// The trajectory, and with [branching](super::branching) perhaps the one that forks from it.
    pub trajectories: Vec<Trajectory>,
    /// Positions beside the game: each with the way to it, its policy, and what a search says of it as outcome.
    pub sides: Vec<Trajectory>,
    /// The ways to the positions met in searches, if somebody wanted to know: the searched ones, and each new one once for each
    /// search.
    pub met: Vec<Vec<u16>>,
}

/// What the present search is for.
#[derive(Clone, Debug)]
enum Purpose<M> {
    /// A move of the game.
    Move,
    /// The value of the position after a move that a fork may begin with; with the moves that are still to be looked at,
    /// and the best before, as its side sees it.
    Fork { after: usize, candidates: Vec<M>, candidate: M, best: Option<(f32, M)> },
    /// A position beside the game.
    Side,
}

/// Plays one trajectory, and what branches off it.
#[derive(Clone, Debug)]
pub struct Actor<G: Game> {
    settings: ActorSettings,
    first: G,
    record: Record<G>,
    search: Puct<G>,
    rng: Rng,
    trajectory: Trajectory,
    purpose: Purpose<G::Move>,
    /// After how many moves of its own the game forks, if it does.
    fork: Option<usize>,
    /// The ways to positions beside the game that are still to be searched.
    sides: Vec<Vec<u16>>,
    played: Played,
    ended: bool,
    /// Moves of the raw policy that are still to be played before the trajectory begins.
    initial: u32,
    /// Simulations for the present move, and whether it is one to learn from.
    iterations: u32,
    learns: bool,
    /// Whether the game may end when it is decided.
    may_end_early: bool,
    /// Whether somebody wants to know about the positions met in searches.
    keeps_met: bool,
    /// The [keys](Game::key) of those that the present search has met.
    keys: HashSet<u64>,
    /// The raw policy of the position that is searched, where games branch.
    policy: Vec<f32>,
    /// A buffer.
    moves: Vec<G::Move>,
    /// Whether the present search is past its root: the network has answered, and no initial move was drawn.
    began: bool,
}

impl<G: Deterministic + IndexedMoves> Actor<G> {
    /// An actor that starts where `way` leads from `first`, which must not be the end of the game.
    ///
    /// `number` is the trajectory's own; `rng` its stream. With `keeps_met` it is an archive actor: it remembers the positions of
    /// its searches, all of which are full ones, plays its game to the end, and neither initial moves nor branches.
    pub fn new(
        settings: &ActorSettings,
        first: &G,
        way: &[u16],
        (number, mut rng): (u64, Rng),
        keeps_met: bool,
    ) -> Self {
        let initial = if keeps_met { 0 } else { settings.katago.initial_moves(&mut rng) };
        let may_end_early = !keeps_met && settings.early_end > 0.0 && unit(&mut rng) < settings.early_end;
        let branching = settings.katago.branching.filter(|_| !keeps_met);
        let fork = branching.and_then(|branching| branching.fork(&mut rng));
        let mut actor = Actor {
            search: Puct::new(settings.puct),
            settings: settings.clone(),
            first: first.clone(),
            record: Record::new(first.clone()),
            rng,
            trajectory: Trajectory { number, ..Trajectory::default() },
            purpose: Purpose::Move,
            fork,
            sides: Vec::new(),
            played: Played::default(),
            ended: false,
            initial,
            iterations: 0,
            learns: true,
            may_end_early,
            keeps_met,
            keys: HashSet::new(),
            policy: Vec::new(),
            moves: Vec::new(),
            began: false,
        };
        actor.begin_game(way.to_vec());
        actor
    }

    /// Goes on until there is a question that must be answered for [`Actor::apply`]; `false` when everything has been
    /// played.
    pub fn gather(&mut self, question: &mut Question<G>) -> bool {
        while !self.ended {
            if self.began && self.search.visits() >= self.iterations {
                match self.purpose {
                    Purpose::Side => self.keep_side(),
                    _ => self.play_searched(),
                }
            } else if self.search.gather(question) {
                return true;
            }
        }
        false
    }

    /// Takes the answer to the last question.
    pub fn apply(&mut self, question: &Question<G>) {
        self.search.apply(question);
        if self.began {
            if self.keeps_met {
                self.meet(&question.game);
            }
            return;
        }
        // The root has its policy now.
        if let Purpose::Fork { .. } = self.purpose {
            self.weigh_candidate();
            return;
        }
        if self.initial > 0 {
            let index = draw(self.search.moves().map(|mv| mv.prior), &mut self.rng);
            let mv = self.search.moves().nth(index).expect("it was drawn from them").mv;
            let mut after = self.record.clone();
            after.play(mv);
            if let Turn::Player(_) = after.turn() {
                self.initial -= 1;
                self.trajectory.opening += 1;
                self.play(mv);
                return;
            }
            // Where a move of the raw policy would end the game, its search begins before it.
            self.initial = 0;
        }
        self.began = true;
        if self.keeps_met {
            self.keys.clear();
            self.meet(&question.game);
        }
        if self.settings.katago.branching.is_some() {
            self.policy.clone_from(&question.priors);
        }
        if self.learns && self.settings.noise > 0.0 {
            let noise = dirichlet(self.settings.noise_concentration, question.moves.len(), &mut self.rng);
            self.search.add_noise(self.settings.noise, noise);
        }
    }

    /// Remembers `position`, which was just answered, by the way to it, unless the search has met it before.
    fn meet(&mut self, position: &G) {
        if !self.keys.insert(position.key()) {
            return;
        }
        let mut way = self.trajectory.way.clone();
        let mut game = self.record.position().clone();
        for mv in self.search.way() {
            way.push(game.move_index(mv) as u16);
            game.play(mv);
        }
        self.played.met.push(way);
    }

    /// What was played, when that has ended.
    pub fn into_played(self) -> Played {
        assert!(self.ended, "it is still playing");
        self.played
    }

    /// Stands where `way` leads.
    fn stand(&mut self, way: &[u16]) {
        self.record = Record::new(self.first.clone());
        for &index in way {
            let mv = self.record.position().move_at(usize::from(index));
            self.record.play(mv);
        }
    }

    /// Begins a trajectory where `way` leads.
    fn begin_game(&mut self, way: Vec<u16>) {
        self.stand(&way);
        self.purpose = Purpose::Move;
        let (number, opening) = (self.trajectory.number, way.len() as u16);
        self.trajectory = Trajectory { number, way, opening, ..Trajectory::default() };
        self.begin_move();
    }

    fn begin_move(&mut self) {
        match self.record.turn() {
            Turn::Over(outcome) => self.end_game(outcome.into()),
            _ => {
                let full = self.settings.iterations;
                (self.iterations, self.learns) = match self.keeps_met {
                    true => (full, true),
                    false => self.settings.katago.iterations(full, &mut self.rng),
                };
                self.begin_search();
            }
        }
    }

    fn begin_search(&mut self) {
        self.record.legal_moves(&mut self.moves);
        // Nothing is forced in a search that nobody learns from.
        self.search.force(if self.learns { self.settings.puct.forced_playouts } else { 0.0 });
        self.search.begin(&Situation::of(&self.record, &self.moves));
        self.began = false;
    }

    fn end_game(&mut self, outcome: Value) {
        let trajectory = Trajectory { outcome: outcome.0, ..std::mem::take(&mut self.trajectory) };
        self.trajectory.number = trajectory.number;
        self.played.trajectories.push(trajectory);
        self.branch();
    }

    /// The game is over: what branches off it follows.
    fn branch(&mut self) {
        if let Some(moves) = self.fork.take() {
            let Trajectory { way, opening, .. } = &self.played.trajectories[0];
            let branching = self.settings.katago.branching.unwrap_or_default();
            let after =
                usize::from(*opening) + branching.fork_within(moves, way.len() - usize::from(*opening), &mut self.rng);
            if after < way.len() {
                let way = way[..after].to_vec();
                self.stand(&way);
                self.record.legal_moves(&mut self.moves);
                let candidates = fork_candidates(self.moves.clone(), &mut self.rng);
                self.next_candidate(after, candidates, None);
                return;
            }
        }
        match self.sides.pop() {
            Some(way) => {
                self.stand(&way);
                self.trajectory.way = way;
                self.purpose = Purpose::Side;
                (self.iterations, self.learns) = (self.settings.iterations, true);
                self.begin_search();
            }
            None => self.ended = true,
        }
    }

    /// Looks at the next move that the fork may begin with, `after` so many moves; begins it when there is none left.
    fn next_candidate(&mut self, after: usize, mut candidates: Vec<G::Move>, best: Option<(f32, G::Move)>) {
        let way = self.played.trajectories[0].way[..after].to_vec();
        while let Some(candidate) = candidates.pop() {
            self.stand(&way);
            self.record.play(candidate);
            // There is nothing to be learnt after the end.
            if matches!(self.record.turn(), Turn::Player(_)) {
                self.purpose = Purpose::Fork { after, candidates, candidate, best };
                self.begin_search();
                return;
            }
        }
        match best {
            Some((_, mv)) => {
                self.stand(&way);
                let index = self.record.position().move_index(mv) as u16;
                self.begin_game([&way[..], &[index]].concat());
            }
            None => self.branch(),
        }
    }

    /// The network has said what the position after a candidate is worth.
    fn weigh_candidate(&mut self) {
        let Purpose::Fork { after, candidates, candidate, best } = std::mem::replace(&mut self.purpose, Purpose::Move)
        else {
            return;
        };
        let Turn::Player(side) = self.record.turn() else { return };
        let value = self.search.value().seen_by(side.other());
        let better = best.filter(|(known, _)| *known >= value).or(Some((value, candidate)));
        self.next_candidate(after, candidates, better);
    }

    /// A position beside the game has been searched: an example, and perhaps there is another beside it.
    fn keep_side(&mut self) {
        let policy = self.target();
        let game = self.record.position();
        let learnt = self.search.moves().zip(&policy).map(|(mv, &share)| (game.move_index(mv.mv) as u16, share));
        let way = std::mem::take(&mut self.trajectory.way);
        let (number, opening, outcome) = (self.trajectory.number, way.len() as u16, self.search.value().0);
        let policies = vec![learnt.collect()];
        let values = Vec::new();
        self.played.sides.push(Trajectory { number, way: way.clone(), opening, policies, values, outcome });
        let again = self.settings.katago.branching.map_or(0.0, |branching| branching.again);
        if unit(&mut self.rng) < again {
            self.note_side(&way, None);
        }
        self.branch();
    }

    /// A move of the position searched, where `way` led, goes to a side position: another one than `played`.
    fn note_side(&mut self, way: &[u16], played: Option<G::Move>) {
        let banned = played.and_then(|played| self.search.moves().position(|known| known.mv == played));
        let Some(other) = alternative(&self.policy, banned, &mut self.rng) else { return };
        let other = self.search.moves().nth(other).expect("it was drawn from them").mv;
        let mut record = self.record.clone();
        let index = record.position().move_index(other) as u16;
        record.play(other);
        if matches!(record.turn(), Turn::Player(_)) {
            self.sides.push([way, &[index]].concat());
        }
    }

    /// π ∝ N^(1/τ) of the moves of the search.
    fn target(&self) -> Vec<f32> {
        let visits = self.search.learnable_visits();
        let most = visits.iter().copied().max().unwrap_or(0).max(1) as f32;
        let power = 1.0 / self.settings.temperature;
        let mut policy: Vec<f32> = visits.iter().map(|&visits| (visits as f32 / most).powf(power)).collect();
        let sum: f32 = policy.iter().sum();
        // A search of a single simulation has visited no move.
        if sum > 0.0 {
            policy.iter_mut().for_each(|probability| *probability /= sum);
        } else {
            policy.fill(1.0 / visits.len() as f32);
        }
        policy
    }

    /// Chooses a move by the search, and plays it.
    fn play_searched(&mut self) {
        let value = self.search.value();
        let policy = self.target();
        let game = self.record.position();
        let mut learnt = Vec::new();
        if self.learns {
            let indices = self.search.moves().map(|mv| game.move_index(mv.mv) as u16);
            learnt.extend(indices.zip(policy.iter().copied()));
        }
        self.trajectory.policies.push(learnt);
        self.trajectory.values.push(Some(value.0));
        if self.may_end_early && decided(value) {
            self.end_game(value);
            return;
        }
        let played = self.trajectory.way.len() - usize::from(self.trajectory.opening);
        let mv = if (played as u32) < self.settings.sampled_moves {
            let index = draw(policy.iter().copied(), &mut self.rng);
            self.search.moves().nth(index).expect("it was drawn from them").mv
        } else {
            self.search.best().expect("a player is to move").mv
        };
        if let Some(branching) = self.settings.katago.branching.filter(|_| !self.keeps_met)
            && unit(&mut self.rng) < branching.side_positions
        {
            let way = std::mem::take(&mut self.trajectory.way);
            self.note_side(&way, Some(mv));
            self.trajectory.way = way;
        }
        self.play(mv);
    }

    fn play(&mut self, mv: G::Move) {
        self.trajectory.way.push(self.record.position().move_index(mv) as u16);
        self.record.play(mv);
        self.begin_move();
    }
}

/// The index of a draw in proportion to `weights`.
pub(super) fn draw(weights: impl Iterator<Item = f32> + Clone, rng: &mut Rng) -> usize {
    let sum: f32 = weights.clone().sum();
    let mut left = unit(rng) * sum;
    let mut last = 0;
    for (i, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
        last = i;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// d ~ Dir(α, …, α): numbers that are 1 together.
fn dirichlet(concentration: f32, count: usize, rng: &mut Rng) -> Vec<f32> {
    let gamma = Gamma::new(f64::from(concentration), 1.0).expect("a positive concentration");
    let mut numbers: Vec<f64> = (0..count).map(|_| gamma.sample(rng)).collect();
    let sum: f64 = numbers.iter().sum();
    if sum <= 0.0 {
        // All of them were too small for a number: one has it all.
        numbers[below(rng, count as u32) as usize] = 1.0;
        return numbers.into_iter().map(|number| number as f32).collect();
    }
    numbers.into_iter().map(|number| (number / sum) as f32).collect()
}

#[cfg(test)]
mod tests;
