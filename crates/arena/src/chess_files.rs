//! The chess games of a tournament as PGN: [`game_record`].

use crate::clock::{Clock, TimeControl};
use crate::game_loop::{EndKind, GameResult, MoveNote};
use crate::result_log::{Header, LoggedGame};
use afterstate_engine::value::centipawns::centipawns;
use afterstate_games::chess::pgn::{Evaluation, PgnGame, PgnMove};
use afterstate_games::{Chess, Game, Notation, NotationError, Outcome, Record, Side};
use std::time::Duration;
use thiserror::Error;

/// What stands before every name of an event.
pub(crate) const EVENT: &str = "afterstate ";

/// A position or move of the results that makes no sense in chess.
#[derive(Debug, Error)]
#[error("game {index}: {source}; is this a tournament of chess?")]
pub struct NotChess {
    /// The game's number.
    pub index: u64,
    /// What makes no sense.
    pub source: NotationError,
}

/// One game with what the players thought: after each move that was thought about `[%eval …]`, `[%clk …]` where clocks ran
/// down, the depth, the number of positions and the time. The tag `Termination` and the last comment say why it ended.
///
/// Scores of engines come as chances to win, and go back to centipawns by the same formula ([`afterstate_engine::value::centipawns`]);
/// forced mates are written as such (`#3`).
///
/// ```
/// # use afterstate_arena::{RulesReferee, RandomPlayer, chess_files, tournament};
/// # use afterstate_games::Chess;
/// # let settings = tournament::TournamentSettings {
/// #     agents: vec!["Ada".into(), "Bob".into()], games: 2, move_limit: 9, ..Default::default()
/// # };
/// # let results = tournament::run(
/// #     &settings, &Chess::new(), &|_| Ok(Box::new(RandomPlayer::default())), &|| Ok(Box::new(RulesReferee)),
/// #     &Default::default(), &mut |_| {},
/// # ).unwrap();
/// let game = chess_files::game_record(&results.header, &results.games[1]).unwrap();
/// assert_eq!((game.tag("White"), game.tag("Black"), game.moves().count()), (Some("Bob"), Some("Ada"), 9));
/// assert_eq!(game.tag("Termination"), Some("adjudication"));
/// ```
pub fn game_record(header: &Header, game: &LoggedGame) -> Result<PgnGame, NotChess> {
    let not_chess = |source| NotChess { index: game.index, source };
    let start = Chess::parse_position(game.start.as_ref().unwrap_or(&header.start)).map_err(not_chess)?;
    let result = &game.result;
    let mut record = Record::new(start.clone());
    let mut clocks = Clocks::new(header);
    let mut file = PgnGame { start, outcome: outcome(result), ..PgnGame::default() };
    for (number, text) in result.moves.iter().enumerate() {
        let position = record.position();
        let mv = position.parse_move(text).map_err(not_chess)?;
        if !position.is_legal(mv) {
            let expected = format!("a legal move as number {}", number + 1);
            return Err(not_chess(NotationError::new("move", text, expected)));
        }
        let mut played = PgnMove::new(mv);
        let note = number.checked_sub(result.opening).and_then(|thought| result.notes.get(thought)?.as_ref());
        if let Some(note) = note {
            played.evaluation = evaluation(note);
            played.clock = clocks.after(position.side_to_move(), note);
            played.comment = words(note);
        } else if number + 1 == result.opening {
            played.comment = "the end of the opening".into();
        }
        record.play(mv);
        file.line.moves.push(played);
    }
    let why = ending(result, &record);
    let said = file.line.moves.last_mut().map_or(&mut file.line.comment, |last| &mut last.comment);
    said.push_str(if said.is_empty() || why.is_empty() { "" } else { "; " });
    said.push_str(&why);
    file.tags = tags(header, game);
    Ok(file)
}

/// As White sees it.
fn evaluation(note: &MoveNote) -> Option<Evaluation> {
    let chance = note.value?.seen_by(Side::First);
    let moves = note.plies_to_end.and_then(|plies| i32::try_from(plies.div_ceil(2)).ok());
    Some(match moves {
        Some(moves) => Evaluation::Mate(if chance > 0.5 { moves } else { 0 - moves }),
        None => Evaluation::Centipawns(centipawns(chance).round() as i32),
    })
}

fn tags(header: &Header, game: &LoggedGame) -> Vec<(String, String)> {
    let settings = &header.settings;
    let name = |agent: usize| settings.agents.get(agent).cloned().unwrap_or_default();
    let mut tags = vec![
        ("Event", format!("{EVENT}{}", settings.format)),
        ("Round", (game.index + 1).to_string()),
        ("White", name(game.agents[0])),
        ("Black", name(game.agents[1])),
        ("TimeControl", time_control(settings.time)),
        ("Termination", termination(game.result.ending.kind).into()),
        ("PlyCount", game.result.moves.len().to_string()),
    ];
    if !settings.openings.is_empty() {
        tags.push(("OpeningSuite", settings.openings.clone()));
    }
    tags.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// A game that could not begin has no result.
fn outcome(result: &GameResult) -> Option<Outcome> {
    result.counts().then_some(result.outcome)
}

/// In the words of the standard (section 9.8.1).
fn termination(kind: EndKind) -> &'static str {
    match kind {
        EndKind::Rules | EndKind::Resignation => "normal",
        EndKind::MoveLimit | EndKind::Adjudication => "adjudication",
        EndKind::IllegalMove => "rules infraction",
        EndKind::Time => "time forfeit",
        EndKind::Crash | EndKind::Hang | EndKind::Garbage | EndKind::NotStarted => "abandoned",
    }
}

/// In the words of the standard (section 9.6.1), as far as it has any: seconds, and the increment after a plus.
fn time_control(control: TimeControl) -> String {
    let seconds = |time: Duration| time.as_secs_f64().to_string();
    match control {
        TimeControl::None => "-".into(),
        TimeControl::SuddenDeath(main) => seconds(main),
        TimeControl::Fischer { main, increment } => format!("{}+{}", seconds(main), seconds(increment)),
        // The standard has nothing for these.
        other => other.to_string(),
    }
}

/// Why the game ended, in words that a viewer shows after the last move.
fn ending(result: &GameResult, record: &Record<Chess>) -> String {
    let (end, detail) = (record.position(), &result.ending.detail);
    let named = match result.ending.kind {
        EndKind::Rules => rule(end),
        EndKind::MoveLimit => "at the limit of moves",
        EndKind::Resignation => "resigned",
        EndKind::Adjudication => "adjudicated",
        EndKind::IllegalMove => "illegal move",
        EndKind::Time => "lost on time",
        EndKind::Crash => "crashed",
        EndKind::Hang => "did not answer",
        EndKind::Garbage => "broke the protocol",
        EndKind::NotStarted => "could not start",
    };
    if detail.is_empty() { named.into() } else { format!("{named}: {detail}") }
}

/// Which rule ended the game.
fn rule(end: &Chess) -> &'static str {
    let board = end.board();
    let can_move = board.generate_moves(|_| true);
    match (can_move, board.checkers().is_empty()) {
        (false, false) => "checkmate",
        (false, true) => "stalemate",
        _ if end.has_insufficient_material() => "insufficient material",
        _ if board.halfmove_clock() >= 100 => "fifty moves",
        _ => "repetition",
    }
}

/// `depth 12, 34567 positions, 0.120 s`; nothing of a move without any thought.
fn words(note: &MoveNote) -> String {
    let mut words = Vec::new();
    words.extend(note.depth.map(|depth| format!("depth {depth}")));
    words.extend((note.effort > 0).then(|| format!("{} positions", note.effort)));
    if !words.is_empty() || note.value.is_some() {
        words.push(format!("{:.3} s", note.seconds));
    }
    words.join(", ")
}

/// What both clocks show, in controls in which they run down.
struct Clocks(Option<[Clock; 2]>);

impl Clocks {
    fn new(header: &Header) -> Clocks {
        let settings = &header.settings;
        let runs_down = matches!(settings.time, TimeControl::SuddenDeath(_) | TimeControl::Fischer { .. });
        let clock = Clock::new(settings.time, Duration::from_millis(settings.lag_ms));
        Clocks(runs_down.then(|| [clock.clone(), clock]))
    }

    fn after(&mut self, side: Side, note: &MoveNote) -> Option<Duration> {
        let clock = &mut self.0.as_mut()?[side.index()];
        clock.spend(Duration::try_from_secs_f64(note.seconds).ok()?).ok()?;
        Some(clock.main_left())
    }
}
