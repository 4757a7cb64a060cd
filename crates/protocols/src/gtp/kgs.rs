//! What kgsGtp, the bridge to the KGS server, sends.

use super::command::{Refusal, parse_color, quote, refuse};
use super::session::{Answer, Call, Session, guarded};
use super::time::{Clocks, parse_kgs};
use afterstate_games::go::Scoring;

/// Area scoring, which differs in what handicap stones are worth. New Zealand's rules allow suicide, which is not played here.
pub(super) fn rules(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let scoring = match call.args[0].to_ascii_lowercase().as_str() {
        "chinese" => Scoring::Chinese,
        "aga" => Scoring::Aga,
        other => return refuse(format!("rules '{}' are not supported: expected chinese or aga", quote(other))),
    };
    session.history.change_start(|go| go.with_scoring(scoring));
    session.changed();
    Answer::done()
}

pub(super) fn time_settings(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    session.clocks = Clocks::new(parse_kgs(call.args)?);
    Answer::done()
}

/// A move of a game that is played on because the sides disagree about which stones are dead.
pub(super) fn genmove_cleanup(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let side = parse_color(&call.args[0])?;
    let mv = session.generate(side, |session, record, budget| {
        let player = &mut session.player;
        guarded(|| player.clean_up(record, budget))
    })?;
    Answer::text(session.decision_text(mv))
}

pub(super) fn game_over(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    session.report_end();
    Answer::done()
}

/// Says who is playing, whatever was said.
pub(super) fn chat(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    match call.args[0].as_str() {
        "game" | "private" => Answer::text(format!("I am {} {}, a program.", session.name, session.version)),
        other => refuse(format!("syntax error: '{}': expected game or private", quote(other))),
    }
}
