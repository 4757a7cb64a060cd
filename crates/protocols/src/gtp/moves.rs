//! Setting the game up, and moves: the commands that every controller uses.

use super::analyst::Inquiry;
use super::analyze::Wanted;
use super::command::{Refusal, parse_argument, parse_color, quote, refuse};
use super::history::{MAX_MOVES, Unplayable};
use super::live::LIVE_INTERVAL;
use super::session::{Answer, Call, Session, guarded};
use super::vertex::{move_text, parse_move};
use afterstate_arena::PlayerError;
use afterstate_engine::{Budget, Decision};
use afterstate_games::go::{Go, Komi, Move};
use afterstate_games::{Record, Side};

pub(super) fn boardsize(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    // A number too large to be read is an unacceptable size, too.
    let digits = call.args[0].bytes().all(|byte| byte.is_ascii_digit());
    let size: i64 = if digits {
        call.args[0].parse().unwrap_or(i64::MAX)
    } else {
        parse_argument("SIZE", &call.args[0], "a whole number")?
    };
    match usize::try_from(size) {
        Ok(size) if session.sizes.contains(&size) => {
            let start = rules_of(session.history.start(), Go::new(size));
            session.start_game(start);
            Answer::done()
        }
        _ => refuse("unacceptable size"),
    }
}

pub(super) fn clear_board(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    let old = session.history.start();
    let start = rules_of(old, Go::new(old.size()));
    session.start_game(start);
    Answer::done()
}

/// `to` with the komi and the scoring of `from`, which outlive a game.
fn rules_of(from: &Go, to: Go) -> Go {
    to.with_komi(from.komi()).with_scoring(from.scoring())
}

pub(super) fn komi(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let expected = "a multiple of 0.5 between -1000 and 1000";
    let points: f64 = parse_argument("komi", &call.args[0], expected)?;
    let Some(komi) = Komi::new(points) else {
        return refuse(format!("syntax error: komi '{}': expected {expected}", quote(&call.args[0])));
    };
    // Some controllers say it before every move.
    if komi != session.history.start().komi() {
        session.history.change_start(|go| go.with_komi(komi));
        session.changed();
    }
    Answer::done()
}

pub(super) fn play(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let side = parse_color(&call.args[0])?;
    let mv = parse_move(&call.args[1], session.history.position().size())?;
    session.play(side, mv)?;
    Answer::done()
}

pub(super) fn genmove(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let side = parse_color(&call.args[0])?;
    let mv = session.generate(side, |session, record, budget| {
        if session.live.is_on() && session.analyst.is_some() {
            let inquiry = Inquiry { interval: LIVE_INTERVAL, ..Inquiry::new(record, budget) };
            return session.consult(Wanted::Move, &inquiry, &mut |_| {});
        }
        let player = &mut session.player;
        guarded(|| player.choose(record, budget))
    })?;
    Answer::text(session.decision_text(mv))
}

/// The move that `genmove` would choose, without playing it.
pub(super) fn reg_genmove(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let side = parse_color(&call.args[0])?;
    // Out of turn, it chooses in a record that the player has not seen.
    session.stale |= session.history.turned_to(side).is_some();
    let record = session.record_for(side);
    let clocks = session.clocks.running(side, session.waited());
    let budget = clocks.budget(side);
    let decision = session.introduce(&record).and_then(|()| {
        session.player.clocks(clocks.both());
        let player = &mut session.player;
        guarded(|| player.choose(&record, &budget))
    });
    // The player has chosen without a move that follows, perhaps in another record.
    session.stale = true;
    let decision = session.checked(&record, decision)?;
    Answer::text(session.decision_text(decision.best))
}

pub(super) fn undo(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    if !session.history.undo() {
        return refuse("cannot undo");
    }
    session.changed();
    Answer::done()
}

impl Session {
    /// The present record, or the one in which `side` moves out of turn.
    pub(super) fn record_for(&self, side: Side) -> Record<Go> {
        self.history.turned_to(side).unwrap_or_else(|| self.history.record().clone())
    }

    /// Plays a move that the controller, or the player itself, has chosen.
    pub(super) fn play(&mut self, side: Side, mv: Move) -> Result<(), Refusal> {
        if self.stale && self.history.turned_to(side).is_none() {
            let record = self.history.record().clone();
            // A player that cannot begin now gets another chance when it has to choose a move.
            let _ = self.introduce(&record);
        }
        match self.history.play(side, mv) {
            Ok(rebuilt) if rebuilt || self.stale => self.changed(),
            Ok(_) => self.moved(),
            Err(Unplayable::Illegal) => return refuse("illegal move"),
            Err(Unplayable::TooLong) => return refuse(format!("illegal move: the game has {MAX_MOVES} moves already")),
        }
        Ok(())
    }

    /// Lets `choose` decide on a move of `side` and plays it; `None` resigns.
    pub(super) fn generate(
        &mut self,
        side: Side,
        choose: impl FnOnce(&mut Session, &Record<Go>, &Budget) -> Result<Decision<Move>, PlayerError>,
    ) -> Result<Option<Move>, Refusal> {
        self.stale |= self.history.turned_to(side).is_some();
        let record = self.record_for(side);
        let clocks = self.clocks.running(side, self.waited());
        let budget = clocks.budget(side);
        let decision = self.introduce(&record).and_then(|()| {
            self.player.clocks(clocks.both());
            choose(self, &record, &budget)
        });
        self.clocks.spend(side, self.waited());
        // Until the move has been played, the player has chosen without a move that follows.
        self.stale = true;
        let decision = self.checked(&record, decision)?;
        if let Some(mv) = decision.best {
            if self.history.play(side, mv).is_err() {
                return refuse(format!("illegal move: the game has {MAX_MOVES} moves already"));
            }
            // What was played in is the record that the player chose in, or one just like it.
            self.stale = false;
            self.moved();
        }
        Ok(decision.best)
    }

    /// A decision that can be played in `record`.
    pub(super) fn checked(
        &self,
        record: &Record<Go>,
        decision: Result<Decision<Move>, PlayerError>,
    ) -> Result<Decision<Move>, Refusal> {
        match decision {
            Err(error) => refuse(format!("the player cannot move: {error}")),
            Ok(Decision { best: Some(mv), .. }) if !record.is_legal(mv) => {
                refuse(format!("the player chose the illegal move {}", move_text(mv, record.position().size())))
            }
            Ok(decision) => Ok(decision),
        }
    }

    /// A move, or `resign`.
    pub(super) fn decision_text(&self, mv: Option<Move>) -> String {
        mv.map_or_else(|| "resign".to_owned(), |mv| move_text(mv, self.history.position().size()))
    }
}
