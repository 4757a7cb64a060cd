//! What to do with the cube in a position.

use crate::output::Table;
use afterstate_engine::cube::match_equity::MOST_POINTS;
use afterstate_engine::cube::{
    Chances, CubeAction, CubeAnswer, CubeDecision, CubePoints, MatchEquityTable, cube_points, decide, efficiency,
};
use afterstate_games::Side;
use afterstate_games::backgammon::cube::{Situation, Terms};
use afterstate_games::backgammon::{Backgammon, Phase};
use anyhow::{Result, ensure};
use serde::Serialize;
use std::io::Write;

/// Both sides' decisions in a position before the roll.
#[derive(Serialize)]
pub struct CubeReport {
    /// The cube's value, before a double.
    cube: u32,
    /// `X`, `O`, or nobody.
    owner: Option<char>,
    /// What is played for, as people say it.
    terms: String,
    /// Whether the side to move has doubled already, and only the other decides.
    doubled: bool,
    efficiency: f64,
    /// By the agent's plies: to win, to win a gammon or more, a backgammon, and the same of losing.
    chances: [f64; 5],
    #[serde(flatten)]
    decision: CubeDecision,
    points: CubePoints,
    #[serde(skip)]
    side: Side,
}

/// The match equities that a game needs.
pub fn table(situation: &Situation) -> Result<MatchEquityTable> {
    let Terms::Match(score) = situation.terms else { return Ok(MatchEquityTable::new(1)) };
    let away = score.away(Side::First).max(score.away(Side::Second));
    ensure!(away <= MOST_POINTS, "a match with {away} points to go: expected at most {MOST_POINTS}");
    Ok(MatchEquityTable::new(away))
}

impl CubeReport {
    pub fn new(
        chances: &Chances,
        game: &Backgammon,
        situation: &Situation,
        doubled: bool,
        x: Option<f64>,
        table: &MatchEquityTable,
    ) -> CubeReport {
        let side = match game.phase() {
            Phase::ToRoll(side) | Phase::ToPlay(side, _) => side,
            Phase::Opening | Phase::Over(_) => Side::First,
        };
        let x = x.unwrap_or_else(|| efficiency(game.board(), side));
        let Chances { win, gammon, backgammon, lost_gammon, lost_backgammon } = *chances;
        CubeReport {
            cube: situation.cube.value,
            owner: situation.cube.owner.map(name),
            terms: terms_text(&situation.terms),
            doubled,
            efficiency: x,
            chances: [win, gammon, backgammon, lost_gammon, lost_backgammon],
            decision: decide(chances, situation, side, x, table),
            points: cube_points(chances, situation, side, x, table),
            side,
        }
    }

    /// Writes it for people.
    pub fn write(&self, out: &mut impl Write) -> Result<()> {
        let place = self.owner.map_or_else(|| "in the middle".to_string(), |owner| format!("with {owner}"));
        writeln!(out, "\ncube {} {place}, {}", self.cube, self.terms)?;
        let CubeDecision { no_double, double_take, double_pass, match_chances, action, answer, .. } = self.decision;
        if action != CubeAction::Unavailable {
            let mut table = Table::new(["", "points", if match_chances.is_some() { "match" } else { "" }]);
            let names = [
                "no double",
                if answer == CubeAnswer::Beaver { "double, beaver" } else { "double, take" },
                "double, pass",
            ];
            for (index, (name, equity)) in names.into_iter().zip([no_double, double_take, double_pass]).enumerate() {
                let won = match_chances.map_or_else(String::new, |won| format!("{:.2} %", 100.0 * won[index]));
                table.row([name.to_string(), format!("{equity:+.3}"), won]);
            }
            table.write(out)?;
        } else {
            let won = match_chances.map_or_else(String::new, |won| format!(", wins the match {:.2} %", 100.0 * won[0]));
            writeln!(out, "{} {no_double:+.3} points{won}", name(self.side))?;
        }
        writeln!(out, "{}", self.advice())?;
        let CubePoints { take_point, doubling_point, cash_point, too_good_point } = self.points;
        let points = [
            ("take point", take_point),
            ("doubling point", doubling_point),
            ("cash point", cash_point),
            ("too good from", too_good_point),
        ];
        let points: Vec<String> = points
            .into_iter()
            .filter_map(|(name, point)| point.map(|point| format!("{name} {:.1} %", 100.0 * point)))
            .collect();
        if !points.is_empty() {
            writeln!(out, "{} (efficiency {:.2})", points.join(", "), self.efficiency)?;
        }
        Ok(())
    }

    fn advice(&self) -> String {
        let (own, other) = (name(self.side), name(self.side.other()));
        let answer = match self.decision.answer {
            CubeAnswer::Take => "takes",
            CubeAnswer::Beaver => "beavers",
            CubeAnswer::Pass => "passes",
        };
        if self.doubled {
            return format!("{own} has doubled: {other} {answer}");
        }
        match self.decision.action {
            CubeAction::Unavailable => format!("{own} cannot double"),
            CubeAction::NoDouble => format!("{own} does not double; {other} {answer}"),
            CubeAction::Double => format!("{own} doubles, {other} {answer}"),
            CubeAction::TooGood => format!("{own} does not double, it is too good; {other} {answer}"),
        }
    }
}

fn name(side: Side) -> char {
    if side == Side::First { 'X' } else { 'O' }
}

fn terms_text(terms: &Terms) -> String {
    match terms {
        Terms::Money { jacoby, beavers } => {
            let rules = [(*jacoby, ", Jacoby rule"), (*beavers, ", beavers")];
            let rules: String = rules.iter().filter(|(given, _)| *given).map(|(_, text)| *text).collect();
            format!("money play{rules}")
        }
        Terms::Match(score) => {
            let crawford = match () {
                () if score.crawford => ", Crawford game",
                () if score.is_post_crawford() => ", after the Crawford game",
                () => "",
            };
            let [own, other] = [Side::First, Side::Second].map(|side| score.away(side));
            format!("match to {}, X needs {own} and O {other}{crawford}", score.length)
        }
    }
}
