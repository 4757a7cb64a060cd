//! Who beat whom how often, and who can be compared with whom.

use super::RatingError;
use afterstate_games::{Outcome, Side};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;

/// Counts of results from one side's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// So many wins, draws and losses.
    pub const fn new(wins: u64, draws: u64, losses: u64) -> Tally {
        Tally { wins, draws, losses }
    }

    /// Number of games. Like all counts here it stops at the largest `u64`, so that no file can overflow it.
    pub const fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// Points: one for a win, half for a draw.
    ///
    /// ```
    /// assert_eq!(afterstate_arena::rating::Tally::new(3, 1, 0).points(), 3.5);
    /// ```
    pub fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// The same games from the other side's view.
    #[must_use]
    pub const fn reversed(self) -> Tally {
        Tally { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, more: Tally) {
        self.wins = self.wins.saturating_add(more.wins);
        self.draws = self.draws.saturating_add(more.draws);
        self.losses = self.losses.saturating_add(more.losses);
    }
}

/// The games in which `first` moved first against `second`, counted from the view of `first`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairTally {
    /// Who moved first.
    pub first: String,
    /// Who moved second.
    pub second: String,
    /// Wins of `first`.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// Losses of `first`.
    pub losses: u64,
}

/// Results of a tournament: counts for every ordered pair of players.
///
/// ```
/// use afterstate_arena::rating::Results;
/// use afterstate_games::{Outcome, Side};
/// let mut results = Results::new();
/// results.record("black", "white", Outcome::win(Side::Second))?;
/// assert_eq!(results.of("white").wins, 1);
/// # Ok::<(), afterstate_arena::rating::RatingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "ResultsFile", into = "ResultsFile")]
pub struct Results {
    players: Vec<String>,
    index: HashMap<String, usize>,
    pairs: BTreeMap<(usize, usize), Tally>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultsFile {
    players: Vec<String>,
    pairs: Vec<PairTally>,
}

impl TryFrom<ResultsFile> for Results {
    type Error = RatingError;

    fn try_from(file: ResultsFile) -> Result<Self, RatingError> {
        let mut results = Results::new();
        for name in &file.players {
            results.add_player(name);
        }
        for p in &file.pairs {
            results.add(&p.first, &p.second, Tally::new(p.wins, p.draws, p.losses))?;
        }
        Ok(results)
    }
}

impl From<Results> for ResultsFile {
    fn from(results: Results) -> Self {
        ResultsFile { pairs: results.pairs().collect(), players: results.players }
    }
}

impl Results {
    /// No players, no games.
    pub fn new() -> Results {
        Results::default()
    }

    /// Makes a player known, with or without games, and returns its index in [`Results::players`].
    pub fn add_player(&mut self, name: &str) -> usize {
        if let Some(&i) = self.index.get(name) {
            return i;
        }
        self.players.push(name.to_string());
        self.index.insert(name.to_string(), self.players.len() - 1);
        self.players.len() - 1
    }

    /// Adds games in which `first` moved first; `tally` is from the view of `first`.
    ///
    /// # Errors
    ///
    /// [`RatingError::SelfPlay`] when both names are the same.
    pub fn add(&mut self, first: &str, second: &str, tally: Tally) -> Result<(), RatingError> {
        if first == second {
            return Err(RatingError::SelfPlay { player: first.to_string() });
        }
        let pair = (self.add_player(first), self.add_player(second));
        *self.pairs.entry(pair).or_default() += tally;
        Ok(())
    }

    /// Adds one game in which `first` moved first.
    ///
    /// # Errors
    ///
    /// [`RatingError::SelfPlay`] when both names are the same.
    pub fn record(&mut self, first: &str, second: &str, outcome: Outcome) -> Result<(), RatingError> {
        let tally = match outcome.winner {
            Some(Side::First) => Tally::new(1, 0, 0),
            Some(Side::Second) => Tally::new(0, 0, 1),
            None => Tally::new(0, 1, 0),
        };
        self.add(first, second, tally)
    }

    /// All players, in the order in which they became known.
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// All pairs with games, in a fixed order.
    pub fn pairs(&self) -> impl Iterator<Item = PairTally> + '_ {
        self.pairs.iter().map(|(&(i, j), t)| PairTally {
            first: self.players[i].clone(),
            second: self.players[j].clone(),
            wins: t.wins,
            draws: t.draws,
            losses: t.losses,
        })
    }

    /// Pairs as indices into [`Results::players`].
    pub(super) fn indexed(&self) -> impl Iterator<Item = (usize, usize, Tally)> + '_ {
        self.pairs.iter().map(|(&(i, j), &t)| (i, j, t))
    }

    /// All games of one player, whoever moved first, from its view. Empty for an unknown name.
    pub fn of(&self, name: &str) -> Tally {
        let mut sum = Tally::default();
        let Some(&player) = self.index.get(name) else { return sum };
        for (i, j, t) in self.indexed() {
            if i == player {
                sum += t;
            } else if j == player {
                sum += t.reversed();
            }
        }
        sum
    }

    /// All games between two players, whoever moved first, from the view of `a`.
    pub fn between(&self, a: &str, b: &str) -> Tally {
        let mut sum = Tally::default();
        let (Some(&a), Some(&b)) = (self.index.get(a), self.index.get(b)) else { return sum };
        sum += self.pairs.get(&(a, b)).copied().unwrap_or_default();
        sum += self.pairs.get(&(b, a)).copied().unwrap_or_default().reversed();
        sum
    }

    /// Number of games in all.
    pub fn games(&self) -> u64 {
        self.pairs.values().map(Tally::games).fold(0, u64::saturating_add)
    }

    /// The groups of players connected by games, the largest first. Ratings compare players of one group only.
    ///
    /// ```
    /// use afterstate_arena::rating::{Results, Tally};
    /// let mut results = Results::new();
    /// results.add("a", "b", Tally::new(1, 0, 0))?;
    /// results.add("c", "d", Tally::new(1, 0, 0))?;
    /// assert_eq!(results.groups(), [["a", "b"], ["c", "d"]]);
    /// # Ok::<(), afterstate_arena::rating::RatingError>(())
    /// ```
    pub fn groups(&self) -> Vec<Vec<String>> {
        let names = |g: Vec<usize>| g.into_iter().map(|i| self.players[i].clone()).collect();
        self.indexed_groups().into_iter().map(names).collect()
    }

    /// [`Results::groups`] as indices, each ascending.
    pub(super) fn indexed_groups(&self) -> Vec<Vec<usize>> {
        let mut next = vec![Vec::new(); self.players.len()];
        for (i, j, t) in self.indexed() {
            if t.games() > 0 {
                next[i].push(j);
                next[j].push(i);
            }
        }
        let mut seen = vec![false; self.players.len()];
        let mut groups = Vec::new();
        for start in 0..self.players.len() {
            if !seen[start] {
                groups.push(reachable(&next, start, &mut seen));
            }
        }
        groups.sort_by_key(|g: &Vec<usize>| std::cmp::Reverse(g.len()));
        groups
    }

    /// The players' results restricted to `names`: for rating one of several groups alone.
    #[must_use]
    pub fn among(&self, names: &[String]) -> Results {
        let mut part = Results::new();
        for name in names {
            part.add_player(name);
        }
        for p in self.pairs() {
            if part.index.contains_key(&p.first) && part.index.contains_key(&p.second) {
                let pair = (part.index[&p.first], part.index[&p.second]);
                *part.pairs.entry(pair).or_default() += Tally::new(p.wins, p.draws, p.losses);
            }
        }
        part
    }
}

/// Everybody who can be reached from `start` along `next`, in ascending order; marks them in `seen`.
pub(super) fn reachable(next: &[Vec<usize>], start: usize, seen: &mut [bool]) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), vec![start]);
    seen[start] = true;
    while let Some(i) = open.pop() {
        found.push(i);
        for &j in &next[i] {
            if !seen[j] {
                seen[j] = true;
                open.push(j);
            }
        }
    }
    found.sort_unstable();
    found
}
