//! Backgammon in the terminal with the doubling cube: a game for money, or a match.

use super::{Args, Before, Session, Stakes, Terminal};
use crate::agent::AgentSpec;
use crate::output;
use crate::registry::{self, ChancesOf, Playable};
use afterstate_engine::cube::match_equity::MOST_POINTS;
use afterstate_engine::cube::{
    CubeAction, CubeAnswer, CubeDecision, MatchEquityTable, Resignation, decide, efficiency, judge_resignation,
};
use afterstate_games::backgammon::cube::{Cube, MatchScore, Situation, Terms};
use afterstate_games::backgammon::xgid::Xgid;
use afterstate_games::backgammon::{Backgammon, Board, Phase};
use afterstate_games::{Game, Notation, Outcome, Record, Side};
use anyhow::{Context, Result, ensure};
use std::io::IsTerminal;

/// What can be typed.
pub const HELP: &str = "a move, or roll, double, take, pass, hint (the agent's choice), moves (all legal ones), board, position (as one line), \
                        resign (or resign gammon, resign backgammon), quit";

/// Plays on standard input and output.
pub fn play(args: Args, spec: AgentSpec) -> Result<()> {
    let (start, situation) = start(&args)?;
    let away = match situation.terms {
        Terms::Money { .. } => 1,
        Terms::Match(score) => score.away(Side::First).max(score.away(Side::Second)),
    };
    ensure!((1..=MOST_POINTS).contains(&away), "a match to {away} points: expected 1 to {MOST_POINTS}");
    let chances = registry::chances(&spec.agent).with_context(|| format!("agent '{}' and the cube", spec.name))?;
    let mut session = Session::new(start, &args, spec)?;
    session.cube = true;
    let mut table = CubeTable {
        situation,
        human: session.human,
        name: session.name.clone(),
        chances,
        equities: MatchEquityTable::new(away),
    };
    let (mut input, mut out) = (std::io::stdin().lock(), output::stdout());
    let mut terminal = Terminal { input: &mut input, out: &mut out, prompt: std::io::stdin().is_terminal() };
    session.greet(&mut terminal)?;
    loop {
        table.announce(&mut terminal)?;
        let Some(outcome) = session.play_game(&mut table, &mut terminal)? else { break };
        if !table.settle(outcome, &mut terminal)? {
            break;
        }
        session.record = Record::new(Backgammon::default());
        session.seed = session.seed.wrapping_add(1);
    }
    Ok(terminal.out.flush()?)
}

/// The first position, and what is played for.
fn start(args: &Args) -> Result<(Backgammon, Situation)> {
    let money = Terms::Money { jacoby: args.jacoby, beavers: false };
    let of = |terms| Situation { cube: Cube::CENTRED, terms };
    let Some(text) = &args.position else {
        let terms = args.length.map_or(money, |length| Terms::Match(MatchScore::new(length)));
        return Ok((Backgammon::default(), of(terms)));
    };
    let xgid: Xgid = text.parse().context("--position")?;
    ensure!(!xgid.doubled, "--position: a double was offered there; begin before it, with 00 in place of D");
    let terms = match xgid.situation.terms {
        Terms::Money { jacoby, beavers } => {
            if beavers {
                crate::output::tell!("note: a double can be taken or passed here, not beavered");
            }
            Terms::Money { jacoby: jacoby || args.jacoby, beavers: false }
        }
        score => {
            ensure!(!args.jacoby, "--jacoby is a rule of money play, and --position is of a match: leave it out");
            score
        }
    };
    Ok((xgid.game, Situation { cube: xgid.situation.cube, terms }))
}

/// What is given up by a line such as `resign gammon`: the stake.
pub fn resigned_stake(line: &str) -> Option<u8> {
    match line {
        "resign" => Some(1),
        "resign gammon" => Some(2),
        "resign backgammon" => Some(3),
        _ => None,
    }
}

/// The cube and the score, and by what the agent judges them.
struct CubeTable {
    situation: Situation,
    human: Side,
    name: String,
    chances: ChancesOf,
    equities: MatchEquityTable,
}

impl CubeTable {
    fn decision(&mut self, game: &Backgammon, side: Side) -> CubeDecision {
        let (chances, x) = ((self.chances)(game.board(), side), efficiency(game.board(), side));
        decide(&chances, &self.situation, side, x, &self.equities)
    }

    /// What the agent thinks of a resignation of the human.
    fn judge(&mut self, game: &Backgammon, stake: u8) -> Resignation {
        let human = self.human;
        let mut after = |board: &Board, on_roll: Side| {
            let (chances, x) = ((self.chances)(board, on_roll), efficiency(board, on_roll));
            judge_resignation(&chances, &self.situation, on_roll, human, stake, x, &self.equities)
        };
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        // A roll that has been thrown is played as well as it can be.
        let plays = moves.into_iter().filter_map(|mv| {
            let mut played = *game;
            played.play(mv);
            matches!(played.phase(), Phase::ToRoll(_)).then(|| after(played.board(), human.other()))
        });
        let best = plays.min_by(|a, b| a.played_on.total_cmp(&b.played_on));
        best.unwrap_or_else(|| after(game.board(), human))
    }

    /// Says what is played for, if it is a match.
    fn announce(&self, terminal: &mut Terminal) -> Result<()> {
        if let Terms::Match(score) = self.situation.terms {
            let [own, other] = [self.human, self.human.other()].map(|side| score.points[side.index()]);
            let crawford = if score.crawford && score.length > 1 { ", the Crawford game: nobody doubles" } else { "" };
            writeln!(terminal.out, "Match to {}: you {own}, {} {other}{crawford}.", score.length, self.name)?;
        }
        Ok(())
    }

    /// Counts the points of a game, and says whether there is another one.
    fn settle(&mut self, outcome: Outcome, terminal: &mut Terminal) -> Result<bool> {
        let Some(winner) = outcome.winner else { return Ok(false) };
        let points = self.situation.points(outcome);
        let who = if winner == self.human { "You win".to_string() } else { format!("{} wins", self.name) };
        writeln!(terminal.out, "{who} {points} point{}.", if points == 1 { "" } else { "s" })?;
        let Terms::Match(score) = self.situation.terms else { return Ok(false) };
        let Some(after) = score.after(winner, points) else {
            writeln!(terminal.out, "{who} the match.")?;
            return Ok(false);
        };
        self.situation = Situation { cube: Cube::CENTRED, terms: Terms::Match(after) };
        Ok(true)
    }

    /// The human may double before the roll.
    fn human_rolls(&mut self, record: &Record<Backgammon>, terminal: &mut Terminal) -> Result<Before> {
        let game = record.position();
        writeln!(terminal.out, "\n{}", game.diagram().trim_end())?;
        writeln!(terminal.out, "Roll or double?")?;
        loop {
            let Some(line) = terminal.line(Backgammon::side_name(self.human))? else { return Ok(Before::Quit) };
            if let Some(stake) = resigned_stake(line.trim()) {
                match self.resigned(record, stake, terminal)? {
                    Some(outcome) => return Ok(Before::Over(outcome)),
                    None => continue,
                }
            }
            match line.trim() {
                "roll" | "" => return Ok(Before::Roll),
                "double" => break,
                "quit" | "exit" => return Ok(Before::Quit),
                "hint" => {
                    let decision = self.decision(game, self.human);
                    let would = if decision.action == CubeAction::Double { "double" } else { "roll" };
                    let CubeDecision { no_double, double_take, double_pass, .. } = decision;
                    writeln!(
                        terminal.out,
                        "{} would {would}  (no double {no_double:+.3}, take {double_take:+.3}, pass {double_pass:+.3})",
                        self.name
                    )?;
                }
                "board" => writeln!(terminal.out, "\n{}", game.diagram().trim_end())?,
                "position" => writeln!(terminal.out, "{}", self.position(record))?,
                "help" | "?" => writeln!(terminal.out, "Type {HELP}.")?,
                text => writeln!(terminal.out, "'{text}': expected roll or double; or type help")?,
            }
        }
        let decision = self.decision(game, self.human);
        if decision.answer == CubeAnswer::Pass {
            writeln!(terminal.out, "{} passes.", self.name)?;
            return Ok(Before::Over(Outcome::win(self.human)));
        }
        self.situation = self.situation.doubled(self.human);
        writeln!(terminal.out, "{} takes: the cube is at {}.", self.name, self.situation.cube.value)?;
        Ok(Before::Roll)
    }

    /// The agent may double before its roll.
    fn agent_rolls(&mut self, record: &Record<Backgammon>, terminal: &mut Terminal) -> Result<Before> {
        let agent = self.human.other();
        let game = record.position();
        let decision = self.decision(game, agent);
        if decision.action != CubeAction::Double {
            return Ok(Before::Roll);
        }
        let doubled = self.situation.doubled(agent);
        writeln!(terminal.out, "\n{}", game.diagram().trim_end())?;
        writeln!(terminal.out, "{} doubles to {}. Take or pass?", self.name, doubled.cube.value)?;
        loop {
            let Some(line) = terminal.line(Backgammon::side_name(self.human))? else { return Ok(Before::Quit) };
            match line.trim() {
                "" => {}
                "take" => {
                    self.situation = doubled;
                    return Ok(Before::Roll);
                }
                "pass" | "drop" => return Ok(Before::Over(Outcome::win(agent))),
                "quit" | "exit" => return Ok(Before::Quit),
                "hint" => {
                    let would = if decision.answer == CubeAnswer::Pass { "pass" } else { "take" };
                    let (take, pass) = (-decision.double_take, -decision.double_pass);
                    writeln!(terminal.out, "{} would {would}  (take {take:+.3}, pass {pass:+.3})", self.name)?;
                }
                "board" => writeln!(terminal.out, "\n{}", game.diagram().trim_end())?,
                "position" => {
                    let shown = Xgid { game: *game, situation: self.situation, doubled: true };
                    writeln!(terminal.out, "{shown}")?;
                }
                "help" | "?" => writeln!(terminal.out, "Type {HELP}.")?,
                text => writeln!(terminal.out, "'{text}': expected take or pass; or type help")?,
            }
        }
    }
}

impl Stakes<Backgammon> for CubeTable {
    fn before_chance(&mut self, record: &Record<Backgammon>, terminal: &mut Terminal) -> Result<Before> {
        match record.position().phase() {
            Phase::ToRoll(side) if self.situation.may_double(side) => {
                if side == self.human {
                    self.human_rolls(record, terminal)
                } else {
                    self.agent_rolls(record, terminal)
                }
            }
            _ => Ok(Before::Roll),
        }
    }

    fn resigned(&mut self, record: &Record<Backgammon>, stake: u8, terminal: &mut Terminal) -> Result<Option<Outcome>> {
        let outcome = Outcome { winner: Some(self.human.other()), stake };
        let judged = self.judge(record.position(), stake);
        if judged.accept {
            writeln!(terminal.out, "You resign.")?;
            return Ok(Some(outcome));
        }
        writeln!(
            terminal.out,
            "{} declines: playing on is worth {:+.3}, the resignation {:+.3}, in units of the cube.",
            self.name, judged.played_on, judged.accepted
        )?;
        Ok(None)
    }

    fn no_double(&self) -> String {
        let Situation { cube, terms } = &self.situation;
        match terms {
            Terms::Match(score) if score.crawford => "Nobody doubles in the Crawford game.".into(),
            _ if !cube.belongs_to(self.human) => format!("The cube is {}'s.", self.name),
            _ if self.situation.is_dead(self.human) => {
                "You win the match with this game as the cube is: there is nothing to double for.".into()
            }
            _ if !self.situation.is_double_legal(self.human) => "The cube cannot be turned any further.".into(),
            _ => "You have rolled already; a double comes before the roll.".into(),
        }
    }

    fn position(&self, record: &Record<Backgammon>) -> String {
        Xgid { game: *record.position(), situation: self.situation, doubled: false }.to_string()
    }
}
