//! [`Expectimax`]: depth-limited search of games with dice, with Star1 and Star2 pruning (B. Ballard, *The \*-minimax search
//! procedure for trees containing chance nodes*, Artificial Intelligence 21, 1983; T. Hauk, M. Buro, J. Schaeffer, *Rediscovering
//! \*-minimax search*, CG 2004).
//!
//! ```text
//! rolled(s, 0, α, β) = equity of s for the side about to roll
//! rolled(s, d, α, β) = Σᵣ pᵣ · best(s∘r, d, αᵣ, βᵣ)
//!     Star2  first probe one play of each roll: Σᵣ pᵣ probeᵣ ≥ β ends it
//!     Star1  αᵣ, βᵣ: what roll r must be worth for the sum to stay inside (α, β), if the rolls behind it are worth as much,
//!            or as little, as they can be (as little: their probe)
//! best(s, d, α, β)   = max over plays a of −rolled(s∘a, d − 1, −β, −α), or the outcome
//! ```
//!
//! One ply is a player's choice with the dice before it, so that 1 ply is greedy play (paper 001, §6; GNU Backgammon counts from 0).

use super::Budget;
use afterstate_games::{Game, Turn};
use serde::{Deserialize, Serialize};

/// What positions are worth before the dice are thrown, in games in which the sides take turns.
pub trait Equity<G: Game>: Send {
    /// No position is worth more points, or less than minus as many.
    const BOUND: f32;

    /// What a position in which chance acts next is worth to the side that acts after it, in points.
    fn equity(&mut self, game: &G) -> f32;

    /// The positions that are asked for next come about by a play in `game`, as a rule. Evaluations that can be had
    /// incrementally start from it.
    fn follow(&mut self, game: &G) {
        let _ = game;
    }
}

/// How chance nodes are cut.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pruning {
    /// Every roll is searched.
    None,
    /// When what is left of the rolls can't matter any more.
    Star1,
    /// The same after one play of each roll has been looked at.
    #[default]
    Star2,
}

/// Settings of the search.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ExpectimaxSettings {
    /// How many plies it looks ahead, 1 to 4.
    pub plies: u32,
    /// Before each ply deeper at most so many plays are kept, of both sides.
    pub keep: usize,
    /// … and only those that are worth at most so many points less than the best.
    pub margin: f32,
    /// How chance nodes are cut. It changes how long a search takes, and what is known of plays that are not the best.
    pub pruning: Pruning,
}

/// What is cut off is this much worse than a filter's margin, so that rounding does not bring it back.
const HAIR: f32 = 1e-4;

/// No search looks further.
pub const MAX_PLIES: u32 = 4;

impl Default for ExpectimaxSettings {
    /// The filter is GNU Backgammon's usual one for its 2-ply.
    fn default() -> Self {
        ExpectimaxSettings { plies: 2, keep: 8, margin: 0.16, pruning: Pruning::Star2 }
    }
}

/// A play with what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedPlay<M> {
    /// The play.
    pub mv: M,
    /// In points, for the side that plays. A play that [`Expectimax::rank`] found to be worse than another may be worth still less.
    pub equity: f32,
    /// How many plies were looked ahead.
    pub plies: u32,
}

/// The best first; those of equal worth stay in their order.
fn sort<M>(plays: &mut [RankedPlay<M>]) {
    plays.sort_by(|a, b| b.equity.total_cmp(&a.equity));
}

/// What one depth of a search works with.
#[derive(Clone, Debug)]
struct Level<M> {
    rolls: Vec<(M, f32)>,
    moves: Vec<M>,
    ranked: Vec<(M, f32)>,
    /// For each roll what its probe found.
    probes: Vec<f32>,
    /// For each roll the play that was best when it was last searched.
    replies: Vec<Option<M>>,
}

impl<M> Default for Level<M> {
    fn default() -> Self {
        Level { rolls: Vec::new(), moves: Vec::new(), ranked: Vec::new(), probes: Vec::new(), replies: Vec::new() }
    }
}

/// The search, with the evaluation that it asks and buffers of its own.
///
/// ```
/// use afterstate_engine::search::expectimax::{Expectimax, ExpectimaxSettings};
/// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
/// use afterstate_games::backgammon::{Backgammon, Dice};
/// use afterstate_games::{Side, backgammon::Board, stream};
/// let network = BackgammonNetwork::random(10, &mut stream(1, 0));
/// let mut search = Expectimax::new(network, ExpectimaxSettings::default());
/// let game = Backgammon::at(Board::start(), Side::First, Dice::new(3, 1));
/// let plays = search.rank(&game);
/// assert_eq!((plays.len(), plays[0].plies), (16, 2));
/// assert!(plays[0].equity >= plays[1].equity);
/// ```
#[derive(Clone, Debug)]
pub struct Expectimax<G: Game, E> {
    evaluation: E,
    settings: ExpectimaxSettings,
    levels: Vec<Level<G::Move>>,
    evaluations: u64,
    limits: Option<Limits>,
}

/// What ends a search before all its plies are done.
#[derive(Clone, Debug)]
struct Limits {
    budget: Budget,
    /// No more evaluations than these, counted as [`Expectimax::evaluations`].
    last: Option<u64>,
    /// Whether it has been reached, so that what the search says since is nothing.
    reached: bool,
}

impl<G: Game, E: Equity<G>> Expectimax<G, E> {
    /// A search that asks `evaluation`.
    ///
    /// # Panics
    ///
    /// If it should look 0 plies ahead or more than [`MAX_PLIES`], or keep no play.
    pub fn new(evaluation: E, settings: ExpectimaxSettings) -> Self {
        assert!((1..=MAX_PLIES).contains(&settings.plies), "{} plies: expected 1 to {MAX_PLIES}", settings.plies);
        assert!(settings.keep > 0, "one play at least has to be kept");
        let levels = (0..settings.plies).map(|_| Level::default()).collect();
        Expectimax { evaluation, settings, levels, evaluations: 0, limits: None }
    }

    /// Forgets what was best in other positions, so that a search depends on nothing that came before it.
    pub fn forget(&mut self) {
        self.levels.iter_mut().for_each(|level| level.replies.clear());
    }

    /// Positions evaluated so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// What the search asks.
    pub fn evaluation(&mut self) -> &mut E {
        &mut self.evaluation
    }

    /// The settings.
    pub fn settings(&self) -> &ExpectimaxSettings {
        &self.settings
    }

    /// All plays of a position, the best first. Those that the filter left behind are ranked by fewer plies, after the others. Of the others
    /// behind the best one only bounds may be known, as much as it takes to choose: [`rank_exactly`](Self::rank_exactly) knows more.
    pub fn rank(&mut self, game: &G) -> Vec<RankedPlay<G::Move>> {
        self.rank_by(game, self.settings.plies)
    }

    /// The same with what each play is worth by the plies that it was looked at, and in the order of that, which takes longer.
    ///
    /// ```
    /// use afterstate_engine::search::expectimax::{Expectimax, ExpectimaxSettings};
    /// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
    /// use afterstate_games::backgammon::{Backgammon, Board, Dice};
    /// use afterstate_games::{Side, stream};
    /// let network = BackgammonNetwork::random(10, &mut stream(1, 0));
    /// let mut search = Expectimax::new(network, ExpectimaxSettings { keep: 3, ..ExpectimaxSettings::default() });
    /// let game = Backgammon::at(Board::start(), Side::First, Dice::new(3, 1));
    /// for play in search.rank_exactly(&game).iter().take_while(|play| play.plies == 2) {
    ///     assert_eq!(play.equity, search.equity_of(&game, play.mv));
    /// }
    /// ```
    pub fn rank_exactly(&mut self, game: &G) -> Vec<RankedPlay<G::Move>> {
        self.ranked(game, self.settings.plies, f32::INFINITY)
    }

    /// The same by fewer plies than the settings', or as many.
    ///
    /// # Panics
    ///
    /// If there are more.
    pub fn rank_by(&mut self, game: &G, plies: u32) -> Vec<RankedPlay<G::Move>> {
        assert!(plies <= self.settings.plies, "{plies} plies: the search was made for {}", self.settings.plies);
        self.ranked(game, plies, 0.0)
    }

    /// The same for as long as `budget` allows: plays for which it was too short are ranked by fewer plies, after the others. All are
    /// looked at one ply ahead in any case. Of a budget's simulations each evaluation counts as one, and some more may be made.
    ///
    /// ```
    /// use afterstate_engine::Budget;
    /// use afterstate_engine::search::expectimax::{Expectimax, ExpectimaxSettings};
    /// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
    /// use afterstate_games::backgammon::{Backgammon, Board, Dice};
    /// use afterstate_games::{Side, stream};
    /// let network = BackgammonNetwork::random(10, &mut stream(1, 0));
    /// let mut search = Expectimax::new(network, ExpectimaxSettings::default());
    /// let game = Backgammon::at(Board::start(), Side::First, Dice::new(3, 1));
    /// let short = Budget { simulations: Some(16), ..Budget::default() };
    /// assert_eq!(search.rank_within(&game, &short)[0].plies, 1);
    /// assert_eq!(search.rank_within(&game, &Budget::default())[0].plies, 2);
    /// ```
    pub fn rank_within(&mut self, game: &G, budget: &Budget) -> Vec<RankedPlay<G::Move>> {
        let plies = budget.depth.unwrap_or(u32::MAX).clamp(1, self.settings.plies);
        let last = budget.simulations.map(|count| self.evaluations.saturating_add(count));
        self.limits = Some(Limits { budget: budget.clone(), last, reached: false });
        let plays = self.ranked(game, plies, 0.0);
        self.limits = None;
        plays
    }

    /// Whether the budget is used up, if there is one. Costs a clock reading.
    fn stops(&mut self) -> bool {
        let evaluations = self.evaluations;
        self.limits.as_mut().is_some_and(|limits| {
            limits.reached |= limits.last.is_some_and(|last| evaluations >= last) || limits.budget.expired();
            limits.reached
        })
    }

    /// Whether it was used up when that was last asked.
    fn has_stopped(&self) -> bool {
        self.limits.as_ref().is_some_and(|limits| limits.reached)
    }

    /// The same, where plays that are worth at most `exact` points less than the best are known exactly.
    fn ranked(&mut self, game: &G, plies: u32, exact: f32) -> Vec<RankedPlay<G::Move>> {
        let Turn::Player(_) = game.turn() else { return Vec::new() };
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        self.evaluation.follow(game);
        let mut one_ply = |mv| RankedPlay { mv, equity: self.after(game, mv, 1, -E::BOUND, E::BOUND), plies: 1 };
        let mut plays: Vec<RankedPlay<G::Move>> = moves.into_iter().map(&mut one_ply).collect();
        sort(&mut plays);
        let mut kept = plays.len();
        for ahead in 2..=plies {
            kept = self.kept(plays[..kept].iter().map(|play| play.equity));
            if kept < 2 {
                break;
            }
            // The next filter has to know exactly which plays are within its margin.
            let slack = if ahead < plies { exact.max(self.settings.margin + HAIR) } else { exact };
            let mut alpha = -E::BOUND;
            for done in 0..kept {
                let equity = self.after(game, plays[done].mv, ahead, alpha, E::BOUND);
                if self.has_stopped() {
                    sort(&mut plays[..done]);
                    return plays;
                }
                (plays[done].equity, plays[done].plies) = (equity, ahead);
                alpha = alpha.max(equity - slack);
            }
            sort(&mut plays[..kept]);
        }
        plays
    }

    /// What the best play of a position is worth one ply ahead.
    pub fn best_equity(&mut self, game: &G) -> f32 {
        let mut moves = std::mem::take(&mut self.levels[0].moves);
        game.legal_moves(&mut moves);
        self.evaluation.follow(game);
        let best =
            moves.iter().map(|&mv| self.after(game, mv, 1, -E::BOUND, E::BOUND)).fold(f32::NEG_INFINITY, f32::max);
        self.levels[0].moves = moves;
        best
    }

    /// What a play is worth to who makes it, by the settings' plies: exactly, though a filter might leave it out and others be better.
    pub fn equity_of(&mut self, game: &G, mv: G::Move) -> f32 {
        self.after(game, mv, self.settings.plies, -E::BOUND, E::BOUND)
    }

    /// What a position before a throw of the dice is worth to who acts after it, by the settings' plies.
    pub fn equity(&mut self, game: &G) -> f32 {
        self.rolled(game, self.settings.plies - 1, -E::BOUND, E::BOUND)
    }

    /// How many plays the filter keeps of these, which are the best first.
    fn kept(&self, equities: impl Iterator<Item = f32>) -> usize {
        let (mut least, ExpectimaxSettings { keep, margin, .. }) = (None, self.settings);
        equities.take(keep).take_while(|&equity| equity >= *least.get_or_insert(equity - margin)).count()
    }

    /// What a position before a throw of the dice is worth to who plays the throw, if that is between `alpha` and `beta`; else
    /// some bound beyond.
    fn rolled(&mut self, game: &G, plies: u32, alpha: f32, beta: f32) -> f32 {
        if plies == 0 {
            self.evaluations += 1;
            return self.evaluation.equity(game);
        }
        if self.stops() {
            return 0.0;
        }
        let mut level = std::mem::take(&mut self.levels[plies as usize - 1]);
        game.chance_outcomes(&mut level.rolls);
        level.replies.resize(level.rolls.len(), None);
        let value = self.over_rolls(game, &mut level, plies, alpha, beta);
        self.levels[plies as usize - 1] = level;
        value
    }

    fn over_rolls(&mut self, game: &G, level: &mut Level<G::Move>, plies: u32, alpha: f32, beta: f32) -> f32 {
        let prunes = self.settings.pruning != Pruning::None;
        level.probes.clear();
        level.probes.resize(level.rolls.len(), -E::BOUND);
        // What the rolls that have not been searched are worth at least.
        let mut rest_at_least = -E::BOUND;
        // A probe says what a roll is worth at least, but for plays that a filter might leave out.
        if self.settings.pruning == Pruning::Star2 && beta < E::BOUND && plies == 1 {
            for index in 0..level.rolls.len() {
                let (roll, probability) = level.rolls[index];
                let mut rolled = game.clone();
                rolled.play(roll);
                if let Some(reply) = level.replies[index].filter(|&reply| rolled.is_legal(reply)) {
                    let probe = self.after(&rolled, reply, plies, -E::BOUND, E::BOUND);
                    level.probes[index] = probe;
                    rest_at_least += probability * (probe + E::BOUND);
                    if rest_at_least >= beta {
                        return rest_at_least;
                    }
                }
            }
        }
        let (mut sum, mut rest) = (0.0, 1.0);
        for index in 0..level.rolls.len() {
            let (roll, probability) = level.rolls[index];
            rest -= probability;
            rest_at_least -= probability * level.probes[index];
            let (mut low, mut high) = (-E::BOUND, E::BOUND);
            if prunes {
                low = low.max((alpha - sum - rest * E::BOUND) / probability);
                high = high.min((beta - sum - rest_at_least) / probability);
            }
            let mut rolled = game.clone();
            rolled.play(roll);
            let value = self.best(&rolled, level, index, plies, low, high);
            // A ply further down may have used the budget up.
            if plies > 1 && self.has_stopped() {
                return 0.0;
            }
            sum += probability * value;
            if prunes && value >= high && high < E::BOUND {
                return (sum + rest_at_least).max(beta);
            }
            if prunes && value <= low && low > -E::BOUND {
                return (sum + rest * E::BOUND).min(alpha);
            }
        }
        sum
    }

    /// What the best play of a roll is worth to who plays it.
    fn best(&mut self, game: &G, level: &mut Level<G::Move>, roll: usize, plies: u32, alpha: f32, beta: f32) -> f32 {
        game.legal_moves(&mut level.moves);
        // The play that was best in another position is often best in this one too.
        if let Some(first) = level.replies[roll].and_then(|reply| level.moves.iter().position(|&mv| mv == reply)) {
            level.moves.swap(0, first);
        }
        self.evaluation.follow(game);
        let mut best = f32::NEG_INFINITY;
        if plies > 1 {
            level.ranked.clear();
            for index in 0..level.moves.len() {
                let mv = level.moves[index];
                let equity = self.after(game, mv, 1, -E::BOUND, E::BOUND);
                level.ranked.push((mv, equity));
            }
            level.ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
            let kept = self.kept(level.ranked.iter().map(|play| play.1));
            level.moves.clear();
            level.moves.extend(level.ranked.iter().take(kept).map(|play| play.0));
        }
        for index in 0..level.moves.len() {
            let mv = level.moves[index];
            let value = self.after(game, mv, plies, alpha.max(best), beta);
            if value > best {
                best = value;
                level.replies[roll] = Some(mv);
                if best >= beta {
                    break;
                }
            }
        }
        best
    }

    /// What a play is worth to who makes it.
    #[inline]
    fn after(&mut self, game: &G, mv: G::Move, plies: u32, alpha: f32, beta: f32) -> f32 {
        let Turn::Player(side) = game.turn() else { return 0.0 };
        let mut after = game.clone();
        after.play(mv);
        match after.turn() {
            Turn::Over(outcome) => outcome.points(side),
            _ => -self.rolled(&after, plies - 1, -beta, -alpha),
        }
    }
}
