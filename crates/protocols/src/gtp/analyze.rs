//! Analysis while it happens, in the words of Leela Zero, KataGo and CGOS.
//!
//! Keys that ask for what we do not have, such as the ownership after each single move, are accepted and change nothing.

use super::analyst::{Analysis, Candidate, Inquiry};
use super::command::{Refusal, parse_argument, parse_color, quote, refuse};
use super::report::{Dialect, Extras, Report};
use super::session::{Answer, Call, Session, guarded};
use super::vertex::parse_move;
use afterstate_arena::PlayerError;
use afterstate_engine::{Budget, Decision};
use afterstate_games::go::{Go, Move};
use afterstate_games::{Record, Side};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

pub(super) fn lz_analyze(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    analyze(session, call, Dialect::LeelaZero)
}

pub(super) fn kata_analyze(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    analyze(session, call, Dialect::KataGo)
}

pub(super) fn cgos_analyze(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    analyze(session, call, Dialect::Cgos)
}

pub(super) fn lz_genmove(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    generate(session, call, Dialect::LeelaZero)
}

pub(super) fn kata_genmove(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    generate(session, call, Dialect::KataGo)
}

pub(super) fn cgos_genmove(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    generate(session, call, Dialect::Cgos)
}

/// What an analysis was asked for.
struct Wishes {
    side: Side,
    interval: Duration,
    min_moves: usize,
    max_moves: usize,
    /// Moves of `side` to leave out, and the only ones to show.
    avoid: Vec<Move>,
    allow: Option<Vec<Move>>,
    extras: Extras,
}

impl Wishes {
    /// `[COLOR] [INTERVAL] [KEY VALUE …]`, the interval in hundredths of a second.
    fn parse(args: &[String], position: &Go) -> Result<Wishes, Refusal> {
        let mut words = args.iter().map(String::as_str).peekable();
        let mut wishes = Wishes {
            side: position.to_move(),
            interval: Duration::from_secs(1),
            min_moves: 0,
            max_moves: usize::MAX,
            avoid: Vec::new(),
            allow: None,
            extras: Extras::default(),
        };
        if let Some(side) = words.peek().and_then(|word| parse_color(word).ok()) {
            wishes.side = side;
            words.next();
        }
        if let Some(centiseconds) = words.peek().and_then(|word| word.parse().ok()) {
            wishes.interval = interval(centiseconds);
            words.next();
        }
        while let Some(key) = words.next() {
            let mut value =
                || words.next().map_or_else(|| refuse(format!("syntax error: {} has no value", quote(key))), Ok);
            let whole = "a whole number";
            match key {
                "interval" => wishes.interval = interval(parse_argument(key, value()?, "hundredths of a second")?),
                "minmoves" => wishes.min_moves = parse_argument(key, value()?, whole)?,
                "maxmoves" => {
                    let expected = "a whole number from 1";
                    let most: NonZeroUsize = parse_argument(key, value()?, expected)?;
                    wishes.max_moves = most.get();
                }
                "avoid" | "allow" => {
                    let (side, moves) = (parse_color(value()?)?, value()?);
                    let _depth: u32 = parse_argument(key, value()?, whole)?;
                    let moves = moves.split(',').map(|text| parse_move(text, position.size()));
                    let moves: Vec<Move> = moves.collect::<Result<_, _>>()?;
                    if side == wishes.side {
                        if key == "avoid" {
                            wishes.avoid.extend(moves);
                        } else {
                            wishes.allow.get_or_insert_default().extend(moves);
                        }
                    }
                }
                "ownership" => wishes.extras.ownership = parse_argument(key, value()?, "true or false")?,
                "rootInfo" => wishes.extras.root = parse_argument(key, value()?, "true or false")?,
                "ownershipStdev"
                | "movesOwnership"
                | "movesOwnershipStdev"
                | "pvVisits"
                | "pvEdgeVisits"
                | "rawStats"
                | "noResultValue" => {
                    let _: bool = parse_argument(key, value()?, "true or false")?;
                }
                _ => {
                    return refuse(format!(
                        "syntax error: '{}': expected interval, minmoves, maxmoves, avoid, allow, ownership or rootInfo",
                        quote(key)
                    ));
                }
            }
        }
        Ok(wishes)
    }

    fn inquiry<'a>(&'a self, record: &'a Record<Go>, budget: &'a Budget) -> Inquiry<'a> {
        let (allow, avoid) = (self.allow.as_deref(), self.avoid.as_slice());
        Inquiry { record, budget, interval: self.interval, allow, avoid }
    }

    /// Those that were asked for: as many as wanted, and none that was not visited unless there are too few others.
    fn select(&self, analysis: &Analysis) -> Analysis {
        let wanted = |mv: &Move| !self.avoid.contains(mv) && self.allow.as_ref().is_none_or(|allow| allow.contains(mv));
        let limit = self.max_moves.max(self.min_moves);
        // Readers take priors for shares of all moves. Those of searches that have chances to win in their place add up to more.
        let all: f32 = analysis.candidates.iter().filter_map(|candidate| candidate.prior).sum();
        let scale = if all > 1.001 { 1.0 / all } else { 1.0 };
        let mut candidates: Vec<Candidate> = Vec::new();
        for candidate in analysis.candidates.iter().filter(|candidate| wanted(&candidate.mv)).take(limit) {
            if candidate.visits > 0 || candidates.len() < self.min_moves {
                candidates.push(Candidate { prior: candidate.prior.map(|prior| scale * prior), ..candidate.clone() });
            }
        }
        Analysis { candidates, ..analysis.clone() }
    }
}

/// From 10 ms, so that an interval of 0 does not flood the controller, to an hour.
fn interval(centiseconds: u32) -> Duration {
    Duration::from_millis(10 * u64::from(centiseconds.clamp(1, 360_000)))
}

/// Why an analyst is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// To know about a position.
    Knowledge,
    /// To play.
    Move,
}

impl Session {
    /// Asks the analyst, shows what it reports to `show` and in live graphics, and remembers the last report.
    pub(super) fn consult(
        &mut self,
        wanted: Wanted,
        inquiry: &Inquiry<'_>,
        show: &mut dyn FnMut(&Analysis),
    ) -> Result<Decision<Move>, PlayerError> {
        if wanted == Wanted::Knowledge {
            self.meet(inquiry.record)?;
        }
        let Some(analyst) = &mut self.analyst else {
            return Err(PlayerError::NotStarted("there is no search to ask".into()));
        };
        let (live, position) = (&mut self.live, inquiry.record.position());
        let mut last = None;
        let mut report = |analysis: &Analysis| {
            live.draw(position, analysis);
            show(analysis);
            last = Some(analysis.clone());
        };
        let decision = guarded(|| match wanted {
            Wanted::Knowledge => analyst.analyze(inquiry, &mut report),
            Wanted::Move => analyst.choose(inquiry, &mut report),
        });
        live.clear();
        // Of some moves alone nobody should be told as if they were all.
        if let Some(analysis) = last
            && inquiry.allow.is_none()
            && inquiry.avoid.is_empty()
        {
            self.seen = Some((position.clone(), analysis));
        }
        decision
    }

    /// Makes sure that the player, whose search the analyst may have, knows the game as it is: what it knows of another one, with other
    /// komi say, would be told of this one. Where the other side is to move, it has to hear of the game again before it plays on.
    fn meet(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
        let turned = record.turn() != self.history.record().turn();
        self.stale |= turned;
        let met = self.introduce(record);
        self.stale |= turned;
        met
    }

    /// The values of afterstates as an analysis, best for `side` first; nothing without an insight.
    fn static_analysis(&self, record: &Record<Go>, side: Side) -> Analysis {
        let values = self.insight.as_ref().and_then(|insight| insight.afterstate_values(record)).unwrap_or_default();
        let mut candidates: Vec<Candidate> = values.into_iter().map(|(mv, value)| Candidate::new(mv, value)).collect();
        candidates.sort_by(|a, b| b.value.seen_by(side).total_cmp(&a.value.seen_by(side)).then(a.mv.cmp(&b.mv)));
        let value = candidates.first().map(|best| best.value);
        Analysis { visits: candidates.len() as u64, candidates, value, ownership: None }
    }
}

/// Reports until the next line of input.
fn analyze(session: &mut Session, call: Call<'_>, dialect: Dialect) -> Result<Answer, Refusal> {
    let wishes = Wishes::parse(call.args, session.history.position())?;
    let record = session.record_for(wishes.side);
    let Call { id, out, interrupt, .. } = call;
    let mut report = Report::new(out, id, dialect, wishes.side, record.position()).with(wishes.extras);
    report.open();
    if session.analyst.is_some() {
        let budget = Budget { stop: Some(Arc::clone(&interrupt.pending)), ..Budget::default() };
        // An analyst that fails has nothing more to say; the response has begun and must end well.
        let _ = session.consult(Wanted::Knowledge, &wishes.inquiry(&record, &budget), &mut |analysis| {
            report.send(&wishes.select(analysis));
        });
    } else {
        report.send(&wishes.select(&session.static_analysis(&record, wishes.side)));
    }
    interrupt.wait();
    report.close(None)?;
    Ok(Answer::Streamed)
}

/// Reports, then chooses and plays.
fn generate(session: &mut Session, call: Call<'_>, dialect: Dialect) -> Result<Answer, Refusal> {
    let wishes = Wishes::parse(call.args, session.history.position())?;
    let record = session.record_for(wishes.side);
    let is_restricted = wishes.allow.is_some() || !wishes.avoid.is_empty();
    if is_restricted && wishes.inquiry(&record, &Budget::default()).moves().is_empty() {
        return refuse("avoid and allow leave no legal move");
    }
    let mut report = Report::new(call.out, call.id, dialect, wishes.side, record.position()).with(wishes.extras);
    // CGOS takes a single report: the last one.
    report.hold_back(dialect == Dialect::Cgos);
    let result = session.generate(wishes.side, |session, record, budget| {
        if session.analyst.is_some() {
            let mut show = |analysis: &Analysis| report.send(&wishes.select(analysis));
            return session.consult(Wanted::Move, &wishes.inquiry(record, budget), &mut show);
        }
        let player = &mut session.player;
        let decision = guarded(|| player.choose(record, budget))?;
        report.send(&wishes.select(&session.static_analysis(record, wishes.side)));
        Ok(decision)
    });
    match result {
        Ok(mv) => report.close(Some(&format!("play {}", session.decision_text(mv))))?,
        // Once a response has begun, it cannot become a refusal: it ends without a move.
        Err(Refusal::Says(_)) if report.begun() => report.close(None)?,
        Err(refusal) => return Err(refusal),
    }
    Ok(Answer::Streamed)
}
