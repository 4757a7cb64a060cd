//! What became of the claims of a match experiment.

use super::measured::{Measured, difference};
use super::recipe::{Claim, MatchExperiment};
use crate::reproduce::verdict::{NOT_MEASURED, Verdict, at_least, between};
use crate::standings::PointsPerGame;
use afterstate_arena::rating::EloInterval;

/// Judges every claim. Games that are still missing leave a claim about them undecided.
pub fn judge(experiment: &MatchExperiment, points: &[Measured]) -> Vec<Verdict> {
    experiment.claims.iter().map(|claim| judge_one(claim, points)).collect()
}

fn judge_one(claim: &Claim, points: &[Measured]) -> Verdict {
    let verdict = |measured: String, verdict| Verdict { claim: claim.text.clone(), measured, verdict };
    let find = |name: &str| points.iter().find(|point| point.name == name && point.games > 0);
    let Some(subject) = find(&claim.of) else { return verdict(String::new(), NOT_MEASURED) };
    let (Some(rate), Some(elo)) = (subject.rate, subject.elo) else { return verdict(String::new(), NOT_MEASURED) };
    let within = claim.within.unwrap_or(0.0);
    let mut compared = vec![subject];
    let other = [&claim.beats, &claim.equals, &claim.gains_more_than].into_iter().flatten().next();
    let (measured, outcome) = if let Some(other) = other {
        let Some(other) = find(other) else { return verdict(String::new(), NOT_MEASURED) };
        let Some(others) = other.elo else { return verdict(String::new(), NOT_MEASURED) };
        compared.push(other);
        let gain = difference(elo, others);
        let text = format!("{} against {}: {}", subject.name, other.name, elo_text(gain));
        let outcome = match claim.equals {
            Some(_) => between([gain.low, gain.high], -within, within),
            None => at_least(gain.low, gain.high, claim.by.unwrap_or(0.0)),
        };
        (text, outcome)
    } else if let Some(wanted) = claim.points_at_least {
        let Some(PointsPerGame { mean, margin, .. }) = subject.points else {
            return verdict(String::new(), NOT_MEASURED);
        };
        let text = format!("{}: {mean:+.3} points a game (± {margin:.3})", subject.name);
        (text, at_least(mean - margin, mean + margin, wanted))
    } else if let Some(wanted) = claim.elo_at_least {
        (format!("{}: {}", subject.name, elo_text(elo)), at_least(elo.low, elo.high, wanted))
    } else if let Some(wanted) = claim.elo_at_most {
        (format!("{}: {}", subject.name, elo_text(elo)), at_least(-elo.high, -elo.low, -wanted))
    } else if let Some(wanted) = claim.elo_about {
        let outcome = between([elo.low, elo.high], wanted - within, wanted + within);
        (format!("{}: {}", subject.name, elo_text(elo)), outcome)
    } else {
        let [estimate, low, high] = [rate.estimate, rate.low, rate.high].map(|share| 100.0 * share);
        let outcome = match claim.about {
            Some(wanted) => between([rate.low, rate.high], wanted - within, wanted + within),
            None => at_least(rate.low, rate.high, claim.at_least.unwrap_or(0.0)),
        };
        (format!("{}: {estimate:.1} % ({low:.1} to {high:.1})", subject.name), outcome)
    };
    // How many games there are was fixed beforehand; looking earlier decides nothing.
    let complete = compared.iter().all(|point| point.is_complete());
    match complete {
        true => verdict(measured, outcome),
        false => verdict(format!("{measured}, not all games played"), "undecided"),
    }
}

/// `+80 Elo (+51 to +110)`
fn elo_text(elo: EloInterval) -> String {
    format!("{:+.0} Elo ({:+.0} to {:+.0})", elo.elo, elo.low, elo.high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_arena::rating::{Tally, match_elo};

    fn point(name: &str, wins: u64, losses: u64) -> Measured {
        let tally = Tally::new(wins, 0, losses);
        let games = wins + losses;
        Measured {
            name: name.into(),
            panel: None,
            series: None,
            x: None,
            agent: String::new(),
            settings: String::new(),
            opponent: String::new(),
            opponent_agent: String::new(),
            opponent_settings: String::new(),
            paper: None,
            planned: 100,
            sprt: None,
            games,
            different: games,
            first: tally,
            second: Tally::default(),
            rate: (games > 0).then(|| super::super::measured::rate(tally)),
            elo: (games > 0).then(|| match_elo(tally)),
            paper_points: None,
            points: Some(PointsPerGame { mean: -0.25, margin: 0.05, won: [0; 3], lost: [0; 3] }),
            faults: Default::default(),
            disagreements: [0, 0],
            mean_moves: 0.0,
            mean_seconds: [0.0; 2],
        }
    }

    fn claim(of: &str) -> Claim {
        Claim {
            text: "so it is".into(),
            of: of.into(),
            at_least: None,
            about: None,
            beats: None,
            equals: None,
            gains_more_than: None,
            elo_at_least: None,
            elo_at_most: None,
            elo_about: None,
            points_at_least: None,
            by: None,
            within: None,
        }
    }

    #[test]
    fn claims_are_judged_by_whole_intervals() {
        let points = [point("strong", 80, 20), point("even", 50, 50), point("early", 9, 1), point("none", 0, 0)];
        let verdict = |claim: Claim| judge_one(&claim, &points).verdict;
        // Wilson's interval of 80 of 100 is 71.1 to 86.7 %, of 50 it is 40.4 to 59.6 %.
        assert_eq!(verdict(Claim { at_least: Some(0.71), ..claim("strong") }), "confirmed");
        assert_eq!(verdict(Claim { at_least: Some(0.72), ..claim("strong") }), "undecided");
        assert_eq!(verdict(Claim { at_least: Some(0.60), ..claim("even") }), "refuted");
        assert_eq!(verdict(Claim { about: Some(0.5), within: Some(0.1), ..claim("even") }), "confirmed");
        assert_eq!(verdict(Claim { about: Some(0.5), within: Some(0.05), ..claim("even") }), "undecided");
        assert_eq!(verdict(Claim { about: Some(0.5), within: Some(0.1), ..claim("strong") }), "refuted");
        assert_eq!(verdict(Claim { at_least: Some(0.5), ..claim("early") }), "undecided");
        assert_eq!(verdict(Claim { at_least: Some(0.0), ..claim("none") }), NOT_MEASURED);
        // In Elo: 80 % is +241 (+157 to +326), 50 % is 0 (−67 to +67); their difference +241 (+133 to +349).
        let beats = |by| Claim { beats: Some("even".into()), by: Some(by), ..claim("strong") };
        assert_eq!([130.0, 200.0, 360.0].map(|by| verdict(beats(by))), ["confirmed", "undecided", "refuted"]);
        // The same difference counts where the opponents are others.
        let gains = |by| Claim { gains_more_than: Some("even".into()), by: Some(by), ..claim("strong") };
        assert_eq!([130.0, 200.0, 360.0].map(|by| verdict(gains(by))), ["confirmed", "undecided", "refuted"]);
        let equals = |within| Claim { equals: Some("even".into()), within: Some(within), ..claim("strong") };
        assert_eq!([360.0, 200.0, 130.0].map(|w| verdict(equals(w))), ["confirmed", "undecided", "refuted"]);
        let elo = |wanted| Claim { elo_at_least: Some(wanted), ..claim("strong") };
        assert_eq!([150.0, 200.0, 330.0].map(|wanted| verdict(elo(wanted))), ["confirmed", "undecided", "refuted"]);
        let most = |wanted| Claim { elo_at_most: Some(wanted), ..claim("strong") };
        assert_eq!([330.0, 200.0, 150.0].map(|wanted| verdict(most(wanted))), ["confirmed", "undecided", "refuted"]);
        let a_game = |wanted| Claim { points_at_least: Some(wanted), ..claim("strong") };
        assert_eq!([-0.31, -0.25, -0.19].map(|wanted| verdict(a_game(wanted))), ["confirmed", "undecided", "refuted"]);
        assert_eq!(verdict(Claim { elo_about: Some(0.0), within: Some(70.0), ..claim("even") }), "confirmed");
        let text = judge_one(&beats(0.0), &points).measured;
        assert!(text.starts_with("strong against even: +241 Elo (+13"), "{text}");
    }
}
