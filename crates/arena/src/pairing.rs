//! Who plays whom, in which order: a pure function of the settings, and for Swiss
//! tournaments of the earlier rounds' results. That is what makes resuming exact.

use afterstate_games::rng::mix;
use afterstate_games::{NotationError, Outcome};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// How the agents of a tournament meet.
///
/// ```
/// use afterstate_arena::pairing::Format;
/// assert_eq!("swiss:5".parse(), Ok(Format::Swiss { rounds: 5 }));
/// assert_eq!(Format::RoundRobin.to_string(), "round-robin");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Format {
    /// Two agents.
    Match,
    /// The first agent against each of the others.
    Gauntlet,
    /// Everyone against everyone.
    RoundRobin,
    /// In every round, agents with like scores who have not met yet. With an odd number one sits out a
    /// round, and is credited with wins.
    Swiss {
        /// How many rounds.
        rounds: u32,
    },
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Match => write!(f, "match"),
            Format::Gauntlet => write!(f, "gauntlet"),
            Format::RoundRobin => write!(f, "round-robin"),
            Format::Swiss { rounds } => write!(f, "swiss:{rounds}"),
        }
    }
}

impl FromStr for Format {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<Self, NotationError> {
        let rounds = |text: &str| text.parse().ok().filter(|rounds| (1..=10_000).contains(rounds));
        match text {
            "match" => Some(Format::Match),
            "gauntlet" => Some(Format::Gauntlet),
            "round-robin" => Some(Format::RoundRobin),
            _ => text.strip_prefix("swiss:").and_then(rounds).map(|rounds| Format::Swiss { rounds }),
        }
        .ok_or_else(|| {
            NotationError::new("format", text, "match, gauntlet, round-robin, or swiss:N with N rounds (1 to 10000)")
        })
    }
}

impl TryFrom<String> for Format {
    type Error = NotationError;
    fn try_from(text: String) -> Result<Self, NotationError> {
        text.parse()
    }
}

impl From<Format> for String {
    fn from(format: Format) -> String {
        format.to_string()
    }
}

/// A game that is to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScheduledGame {
    /// Its number in the tournament; numbers may have gaps.
    pub index: u64,
    /// Its round, from 0; always 0 outside Swiss tournaments.
    pub round: u32,
    /// The agents, by number; the first one plays first.
    pub agents: [usize; 2],
    /// Games of the same pair begin with the same opening.
    pub pair: u64,
}

impl ScheduledGame {
    /// The seed of this game's players.
    pub fn seed(&self, tournament_seed: u64) -> u64 {
        mix(mix(tournament_seed) ^ mix(self.index.wrapping_add(0x67616d65)))
    }

    /// The seed of this game's dice: both games of a pair have the same throws, so that luck cancels out ("duplicate dice").
    pub fn dice(&self, tournament_seed: u64) -> u64 {
        mix(mix(tournament_seed) ^ mix(self.pair.wrapping_add(0x6469_6365)))
    }
}

/// Every game of one round: `games` for each pairing, two by two with colours swapped and the same opening. All pairings play their
/// first two games before any plays its third. None of them is kept anywhere: there may be billions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Who meets whom.
    pub pairings: Vec<[usize; 2]>,
    /// Games of each pairing.
    pub games: u32,
    /// The round, from 0.
    pub round: u32,
    /// How many pairs of games earlier rounds hold.
    pub pairs_before: u64,
}

impl Schedule {
    /// How many games there are.
    pub fn total(&self) -> u64 {
        self.pairings.len() as u64 * u64::from(self.games)
    }

    /// The numbers of all games, and of some gaps.
    pub fn indices(&self) -> Range<u64> {
        let pairs = self.pairings.len() as u64 * u64::from(self.games.div_ceil(2));
        2 * self.pairs_before..2 * (self.pairs_before + pairs)
    }

    /// The game with this number, if it is one of the round.
    pub fn game(&self, index: u64) -> Option<ScheduledGame> {
        let pair = index / 2;
        let (pairings, of_round) = (self.pairings.len() as u64, pair.checked_sub(self.pairs_before)?);
        let before = 2 * of_round.checked_div(pairings)? + index % 2;
        let [a, b] = self.pairings[(of_round % pairings) as usize];
        let agents = if index.is_multiple_of(2) { [a, b] } else { [b, a] };
        (before < u64::from(self.games)).then_some(ScheduledGame { index, round: self.round, agents, pair })
    }

    /// All games, in the order in which they are begun.
    pub fn iter(&self) -> impl Iterator<Item = ScheduledGame> + Clone + '_ {
        self.indices().filter_map(|index| self.game(index))
    }
}

/// The pairings of a tournament without rounds; `None` for Swiss.
pub fn fixed_pairings(format: Format, agents: usize) -> Option<Vec<[usize; 2]>> {
    match format {
        Format::Match => Some(vec![[0, 1]]),
        Format::Gauntlet => Some((1..agents).map(|opponent| [0, opponent]).collect()),
        Format::RoundRobin => Some((0..agents).flat_map(|a| (a + 1..agents).map(move |b| [a, b])).collect()),
        Format::Swiss { .. } => None,
    }
}

/// What a Swiss tournament knows of an agent before a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Twice the points: 2 for a win, 1 for a draw.
    pub half_points: u64,
    /// Whom it met.
    pub opponents: Vec<usize>,
    /// In how many pairings it was named first; with one game a pairing, how often it moved first.
    pub firsts: u32,
    /// Whether it sat out a round.
    pub bye: bool,
}

impl Standing {
    /// Enters one pairing's games into the standings. `outcomes` names the first side's agent first.
    pub fn enter(standings: &mut [Standing], [a, b]: [usize; 2], outcomes: &[([usize; 2], Outcome)]) {
        standings[a].opponents.push(b);
        standings[b].opponents.push(a);
        standings[a].firsts += 1;
        for (agents, outcome) in outcomes {
            match outcome.winner {
                None => agents.iter().for_each(|&agent| standings[agent].half_points += 1),
                Some(side) => standings[agents[side.index()]].half_points += 2,
            }
        }
    }
}

/// How many ways of pairing a round are tried before rematches are allowed.
const TRIES: u32 = 100_000;

/// The pairings of the next Swiss round, and who sits out.
///
/// Agents are ranked by points, then by number. From the top, everyone meets the next agent below
/// that it has not met yet, as long as the rest can still be paired without rematches; when that is
/// impossible, neighbours in the ranking meet again.
pub fn swiss_round(standings: &[Standing]) -> (Vec<[usize; 2]>, Option<usize>) {
    let mut ranking: Vec<usize> = (0..standings.len()).collect();
    ranking.sort_by_key(|&agent| (std::cmp::Reverse(standings[agent].half_points), agent));
    let bye = (ranking.len() % 2 == 1).then(|| {
        let lowest = ranking.iter().rposition(|&agent| !standings[agent].bye).unwrap_or(ranking.len() - 1);
        ranking.remove(lowest)
    });
    let mut pairs = Vec::new();
    let mut tries = TRIES;
    if !pair_up(&mut ranking.clone(), standings, &mut pairs, &mut tries) {
        pairs = ranking.chunks_exact(2).map(|two| [two[0], two[1]]).collect();
    }
    for pair in &mut pairs {
        if standings[pair[0]].firsts > standings[pair[1]].firsts {
            pair.swap(0, 1);
        }
    }
    (pairs, bye)
}

fn pair_up(unpaired: &mut Vec<usize>, standings: &[Standing], pairs: &mut Vec<[usize; 2]>, tries: &mut u32) -> bool {
    if unpaired.is_empty() {
        return true;
    }
    let top = unpaired.remove(0);
    for i in 0..unpaired.len() {
        if standings[top].opponents.contains(&unpaired[i]) {
            continue;
        }
        if *tries == 0 {
            break;
        }
        *tries -= 1;
        let opponent = unpaired.remove(i);
        pairs.push([top, opponent]);
        if pair_up(unpaired, standings, pairs, tries) {
            return true;
        }
        pairs.pop();
        unpaired.insert(i, opponent);
    }
    unpaired.insert(0, top);
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::Side;
    use std::collections::HashSet;

    #[test]
    fn colours_alternate_and_openings_are_shared_by_twos() {
        let pairings = fixed_pairings(Format::RoundRobin, 4).unwrap();
        assert_eq!(pairings.len(), 6);
        let schedule = Schedule { pairings, games: 6, ..Schedule::default() };
        assert_eq!((schedule.total(), schedule.iter().count()), (36, 36));
        assert_eq!(schedule.iter().map(|game| game.index).collect::<HashSet<_>>().len(), 36);
        for a in 0..4 {
            for b in 0..4 {
                let games: Vec<_> = schedule.iter().filter(|game| game.agents == [a, b]).collect();
                assert_eq!(games.len(), if a == b { 0 } else { 3 });
                for game in games {
                    assert!(schedule.iter().any(|other| other.agents == [b, a] && other.pair == game.pair));
                }
            }
        }
    }

    #[test]
    fn an_odd_number_of_games_leaves_one_unpaired() {
        let schedule = Schedule { pairings: vec![[0, 1]], games: 3, round: 0, pairs_before: 10 };
        let agents: Vec<_> = schedule.iter().map(|game| (game.index, game.agents)).collect();
        assert_eq!(agents, [(20, [0, 1]), (21, [1, 0]), (22, [0, 1])]);
        assert_eq!((schedule.total(), schedule.indices()), (3, 20..24));
        assert_eq!([19, 23, 24].map(|index| schedule.game(index)), [None; 3]);
    }

    #[test]
    fn all_pairings_play_two_games_before_any_plays_its_third() {
        let schedule = Schedule { pairings: vec![[0, 1], [2, 3]], games: 3, round: 4, pairs_before: 4 };
        let agents: Vec<_> = schedule.iter().map(|game| (game.index, game.pair, game.agents)).collect();
        let first = [(8, 4, [0, 1]), (9, 4, [1, 0]), (10, 5, [2, 3]), (11, 5, [3, 2])];
        assert_eq!(agents, [&first[..], &[(12, 6, [0, 1]), (14, 7, [2, 3])]].concat());
        let most = Schedule { games: u32::MAX, ..schedule };
        assert_eq!(most.game(most.indices().end - 2).map(|game| game.agents), Some([2, 3]));
    }

    #[test]
    fn a_gauntlet_is_the_first_agent_against_the_others() {
        assert_eq!(fixed_pairings(Format::Gauntlet, 4).unwrap(), [[0, 1], [0, 2], [0, 3]]);
        assert_eq!(fixed_pairings(Format::Swiss { rounds: 3 }, 4), None);
    }

    /// Plays Swiss rounds in which the agent with the smaller number always wins.
    fn swiss(agents: usize, rounds: usize) -> (Vec<Standing>, Vec<Vec<[usize; 2]>>) {
        let mut standings = vec![Standing::default(); agents];
        let mut all = Vec::new();
        for _ in 0..rounds {
            let (pairs, bye) = swiss_round(&standings);
            for &[a, b] in &pairs {
                let winner = if a < b { Side::First } else { Side::Second };
                Standing::enter(&mut standings, [a, b], &[([a, b], Outcome::win(winner))]);
            }
            if let Some(agent) = bye {
                assert!(!standings[agent].bye, "agent {agent} sits out twice");
                standings[agent].bye = true;
                standings[agent].half_points += 2;
            }
            all.push(pairs);
        }
        (standings, all)
    }

    #[test]
    fn swiss_rounds_have_no_rematch_while_one_can_be_avoided() {
        for agents in 2..=12 {
            let rounds = if agents % 2 == 0 { agents - 1 } else { agents };
            // Pairing by score can paint itself into a corner near the end; half the rounds never do.
            let (standings, all) = swiss(agents, rounds.div_ceil(2));
            for (agent, standing) in standings.iter().enumerate() {
                let met: HashSet<_> = standing.opponents.iter().collect();
                assert_eq!(
                    met.len(),
                    standing.opponents.len(),
                    "{agents} agents: {agent} met {:?}",
                    standing.opponents
                );
                assert!(!met.contains(&agent));
            }
            for pairs in all {
                assert_eq!(pairs.len(), agents / 2);
                assert_eq!(pairs.iter().flatten().collect::<HashSet<_>>().len(), agents / 2 * 2);
            }
        }
    }

    #[test]
    fn swiss_finds_the_best_and_survives_too_many_rounds() {
        let (standings, _) = swiss(8, 3);
        assert_eq!(standings[0].half_points, 6);
        assert!(standings[1..].iter().all(|standing| standing.half_points < 6));
        let (standings, _) = swiss(4, 9);
        assert!(standings.iter().all(|standing| standing.opponents.len() == 9));
    }

    #[test]
    fn formats_read_what_they_print() {
        for text in ["match", "gauntlet", "round-robin", "swiss:7"] {
            assert_eq!(text.parse::<Format>().unwrap().to_string(), text);
        }
        for text in ["", "swiss", "swiss:0", "swiss:-1", "Match", "knockout"] {
            assert!(text.parse::<Format>().unwrap_err().to_string().contains("swiss:N"));
        }
    }
}
