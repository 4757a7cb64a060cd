//! What the games of a point show.

use super::super::play::could_not_begin;
use super::recipe::{Match, Point};
use crate::contest;
use crate::standings::{self, PointsPerGame, points_per_game};
use afterstate_arena::rating::{
    EloInterval, Proportion, Tally, expected_score, match_elo, match_elo_of_repeated, wilson,
};
use afterstate_arena::result_log::LoggedGame;
use afterstate_arena::sprt::{Decision, Sprt, SprtStatus};
use afterstate_games::Side;
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;

/// A point with its games.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// The panel that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panel: Option<String>,
    /// The curve that it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    /// Where on that curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// Its agent spec, with the checkpoint named by its number of games.
    pub agent: String,
    /// All settings of the agent, defaults included.
    pub settings: String,
    /// What its opponent is called.
    pub opponent: String,
    /// The opponent's agent spec.
    pub opponent_agent: String,
    /// All settings of the opponent.
    pub opponent_settings: String,
    /// The paper's winning rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<f64>,
    /// Games that are to be played.
    pub planned: u32,
    /// Games that count.
    pub games: u64,
    /// How many of them are different. Agents without chance play some openings again as they did before, which says nothing new.
    pub different: u64,
    /// Wins, draws and losses when moving first.
    pub first: Tally,
    /// The same when moving second.
    pub second: Tally,
    /// Points for each game, with its 95 % interval: that of pairs of games where each opening is played by both, else Wilson's if there
    /// are no draws; as wide as if only the different games had been played. `None` without games.
    pub rate: Option<Proportion>,
    /// How much stronger than its opponent that makes it, with its 95 % interval, of pairs in the same cases.
    pub elo: Option<EloInterval>,
    /// The paper's points for each game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper_points: Option<f64>,
    /// Points for each game, in games that are worth several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<PointsPerGame>,
    /// Games lost by a fault of a program rather than by play: whose and why, and how many. They count.
    pub faults: BTreeMap<String, u64>,
    /// Games in which the referee named another winner than the plain area, and all that it counted.
    pub disagreements: [u64; 2],
    /// Where the test of the agent against its opponent stands, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtStatus>,
    /// Mean number of moves of a game, those of the opening included.
    pub mean_moves: f64,
    /// Mean seconds of a game that the agent and its opponent thought.
    pub mean_seconds: [f64; 2],
}

impl Measured {
    /// Counts the games of a point. Games that could not begin are none.
    pub fn of(
        point: &Point,
        planned: &Match,
        sprt: Option<Sprt>,
        names: &[String],
        games: &[LoggedGame],
    ) -> Result<Measured> {
        let games: Vec<&LoggedGame> = games.iter().filter(|game| !could_not_begin(game)).collect();
        let (mut first, mut second) = (Tally::default(), Tally::default());
        let mut faults = BTreeMap::new();
        let (mut disagreements, mut moves, mut seconds) = ([0, 0], 0, [0.0; 2]);
        for game in &games {
            let mine = if game.agents[0] == 0 { Side::First } else { Side::Second };
            let tally = if mine == Side::First { &mut first } else { &mut second };
            match game.result.outcome.winner {
                None => tally.draws += 1,
                Some(winner) if winner == mine => tally.wins += 1,
                Some(_) => tally.losses += 1,
            }
            let ending = &game.result.ending;
            if ending.kind.is_fault() {
                let loser = game.result.outcome.winner.map_or(0, |side| game.agents[side.other().index()]);
                let kind = serde_json::to_value(ending.kind).ok();
                let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("fault");
                let loser = names.get(loser).map_or("?", String::as_str);
                *faults.entry(format!("{loser}: {kind} ({})", ending.detail)).or_default() += 1;
            }
            if let Some(differs) = game.result.verdict.as_ref().and_then(|verdict| verdict.disagrees()) {
                disagreements[0] += u64::from(differs);
                disagreements[1] += 1;
            }
            moves += game.result.moves.len();
            seconds[0] += game.result.seconds[mine.index()];
            seconds[1] += game.result.seconds[mine.other().index()];
        }
        let number = games.len();
        let mean = |sum: f64| if number == 0 { 0.0 } else { sum / number as f64 };
        let all = Tally::new(first.wins + second.wins, first.draws + second.draws, first.losses + second.losses);
        let [agent, opponent] = [0, 1].map(|i| names.get(i).cloned().unwrap_or_default());
        let different = standings::different(games.iter().copied());
        let repeats = number as f64 / different.max(1) as f64;
        let pairs = contest::elo_of_pairs(games.iter().copied(), repeats);
        let elo = pairs.unwrap_or_else(|| match_elo_of_repeated(all, repeats));
        let [settings, opponent_settings] = [0, 1].map(|i| format!("{:?}", planned.agents[i].agent));
        Ok(Measured {
            name: point.name.clone(),
            panel: point.panel.clone(),
            series: point.series.clone(),
            x: point.x,
            agent,
            settings,
            opponent: planned.opponent.clone(),
            opponent_agent: opponent,
            opponent_settings,
            paper: point.paper,
            planned: planned.games,
            games: number as u64,
            different: different as u64,
            first,
            second,
            // Elo and back would only round.
            rate: (number > 0).then(|| if pairs.is_none() && repeats == 1.0 { rate(all) } else { rate_of(elo) }),
            elo: (number > 0).then_some(elo),
            paper_points: point.paper_points,
            points: points_per_game(planned.game, games.iter().copied()),
            faults,
            disagreements,
            sprt: sprt.map(|sprt| contest::tested(sprt, games.iter().copied())).transpose()?,
            mean_moves: mean(moves as f64),
            mean_seconds: seconds.map(mean),
        })
    }

    /// Whether no more games are to be played.
    pub fn is_complete(&self) -> bool {
        self.games >= u64::from(self.planned) || self.sprt.is_some_and(|status| status.decision != Decision::Continue)
    }

    /// Wins, draws and losses on both sides.
    pub fn tally(&self) -> Tally {
        let (a, b) = (self.first, self.second);
        Tally::new(a.wins + b.wins, a.draws + b.draws, a.losses + b.losses)
    }
}

/// Points for each game, with a 95 % interval.
pub fn rate(tally: Tally) -> Proportion {
    if tally.draws == 0 {
        return wilson(tally.wins as f64, tally.games());
    }
    rate_of(match_elo(tally))
}

/// The same by how much stronger one is than the other.
fn rate_of(elo: EloInterval) -> Proportion {
    Proportion { estimate: expected_score(elo.elo), low: expected_score(elo.low), high: expected_score(elo.high) }
}

/// How much stronger one player is than another, by their results against a third. The interval is made of both by
/// the method of variance estimates recovery (Zou and Donner 2008), which keeps their asymmetry.
pub fn difference(one: EloInterval, other: EloInterval) -> EloInterval {
    if !one.elo.is_finite() || !other.elo.is_finite() {
        // Somebody won or lost everything: all that is known is what the ends of the intervals allow.
        let elo = if one.elo == other.elo { 0.0 } else { one.elo - other.elo };
        return EloInterval { elo, low: one.low - other.high, high: one.high - other.low };
    }
    let elo = one.elo - other.elo;
    EloInterval {
        elo,
        low: elo - (one.elo - one.low).hypot(other.high - other.elo),
        high: elo + (one.high - one.elo).hypot(other.elo - other.low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() < within, "{a} is not {b}");
    }

    #[test]
    fn a_rate_has_wilsons_interval() {
        // 60 of 100: (0.6 + 1.92073/100 ± 1.96·√(0.0024 + 3.84146/40000)) / 1.0384146 by hand.
        let rate = rate(Tally::new(60, 0, 40));
        assert_eq!(rate.estimate, 0.6);
        close(rate.low, 0.50200, 1e-4);
        close(rate.high, 0.69060, 1e-4);
    }

    #[test]
    fn draws_count_a_half_and_make_the_interval_narrower() {
        let (plain, drawish) = (rate(Tally::new(60, 0, 40)), rate(Tally::new(40, 40, 20)));
        close(drawish.estimate, 0.6, 1e-12);
        assert!(drawish.low > plain.low && drawish.high < plain.high);
    }

    #[test]
    fn differences_keep_the_asymmetry_of_both_intervals() {
        let one = EloInterval { elo: 100.0, low: 70.0, high: 150.0 };
        let other = EloInterval { elo: 20.0, low: -10.0, high: 60.0 };
        // 80 − √(30² + 40²) and 80 + √(50² + 30²).
        let found = difference(one, other);
        close(found.elo, 80.0, 1e-9);
        close(found.low, 30.0, 1e-9);
        close(found.high, 80.0 + 3400f64.sqrt(), 1e-9);
        let back = difference(other, one);
        close(back.high, -30.0, 1e-9);
    }

    #[test]
    fn who_won_everything_is_at_least_so_much_stronger() {
        let all = match_elo(Tally::new(20, 0, 0));
        let half = match_elo(Tally::new(10, 0, 10));
        let found = difference(all, half);
        assert_eq!((found.elo, found.high), (f64::INFINITY, f64::INFINITY));
        close(found.low, all.low - half.high, 1e-9);
        let same = difference(all, all);
        assert_eq!((same.elo, same.low, same.high), (0.0, f64::NEG_INFINITY, f64::INFINITY));
    }
}
