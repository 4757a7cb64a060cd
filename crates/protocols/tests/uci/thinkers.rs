//! Thinkers for tests.

use afterstate_engine::Decision;
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Game, Notation, Record};
use afterstate_protocols::uci::{GoLimits, Info, Line, OptionKind, Score, Thinker, UciOption};
use std::time::{Duration, Instant};

/// Says what it was asked for, prefers the move that comes first in the alphabet, and thinks as long as it may unless a depth,
/// a number of nodes or a mate limits it.
#[derive(Default)]
pub struct Scripted {
    /// `MultiPV`.
    pub lines: usize,
    /// Returns at once, whatever it is asked.
    pub hasty: bool,
    /// Leaves keeping its time to the session.
    pub timeless: bool,
}

/// All moves, or those that are asked for, by their text.
fn moves(position: &Chess, limits: &GoLimits) -> Vec<Move> {
    let mut moves = Vec::new();
    position.board().generate_moves(|of_a_piece| {
        moves.extend(of_a_piece);
        false
    });
    if !limits.search_moves.is_empty() {
        moves.retain(|mv| limits.search_moves.contains(mv));
    }
    moves.sort_by_key(|&mv| position.move_text(mv));
    moves
}

fn line(position: &Chess, first: Move) -> Vec<Move> {
    let mut after = position.clone();
    after.play(first);
    let reply = moves(&after, &GoLimits::default());
    [first].into_iter().chain(reply.first().copied()).collect()
}

impl Thinker for Scripted {
    fn options(&self) -> Vec<UciOption> {
        let combo = OptionKind::Combo { default: "Solid".into(), choices: vec!["Solid".into(), "Very Risky".into()] };
        vec![
            UciOption::new("Hash", OptionKind::Spin { default: 16, min: 1, max: 1024 }),
            UciOption::new("MultiPV", OptionKind::Spin { default: 1, min: 1, max: 9 }),
            UciOption::new("Clear Hash", OptionKind::Button),
            UciOption::new("Playing Style", combo),
            UciOption::new("Book File", OptionKind::Text { default: String::new() }),
        ]
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        if name == "MultiPV" {
            self.lines = value.parse().unwrap();
            return Ok(());
        }
        // Shown as errors are.
        Err(format!("set {name} to '{value}'"))
    }

    fn think(&mut self, record: &Record<Chess>, limits: &GoLimits, report: &mut dyn FnMut(&Info)) -> Decision<Move> {
        let position = record.position();
        let moves = moves(position, limits);
        let number = |number: Option<u64>| number.map_or("-".to_string(), |number| number.to_string());
        let time =
            limits.time.map_or("-".to_string(), |t| format!("{}/{}", t.share.as_millis(), t.longest.as_millis()));
        report(&Info::Text(format!(
            "depth {} nodes {} mate {} time {time} moves {}{}{}{}",
            number(limits.depth.map(u64::from)),
            number(limits.nodes),
            number(limits.mate.map(u64::from)),
            limits.search_moves.len(),
            if limits.infinite { " infinite" } else { "" },
            if limits.pondering() { " pondering" } else { "" },
            if limits.analyse { " analysing" } else { "" },
        )));
        for (i, &mv) in moves.iter().take(self.lines.max(1)).enumerate() {
            report(&Info::Line(Line {
                depth: limits.depth.unwrap_or(1),
                rank: (self.lines > 1).then_some(i as u32 + 1),
                score: Some(Score::Centipawns(30 - 10 * i as i32)),
                nodes: 20,
                moves: line(position, mv),
                ..Line::default()
            }));
        }
        let bounded = limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some() || self.hasty;
        let late = || !self.timeless && limits.soft_deadline().is_some_and(|deadline| Instant::now() >= deadline);
        while !bounded && !limits.stopped() && !late() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Decision { principal_variation: line(position, moves[0]), effort: 20, ..Decision::play(moves[0]) }
    }

    fn evaluate(&mut self, _: &Record<Chess>) -> Option<String> {
        Some("Evaluation: nothing much".into())
    }

    fn keeps_time(&self) -> bool {
        !self.timeless
    }
}

/// Makes every mistake that a thinker can make, one a search.
#[derive(Default)]
pub struct Wrong(pub u32);

impl Thinker for Wrong {
    fn think(&mut self, record: &Record<Chess>, _: &GoLimits, _: &mut dyn FnMut(&Info)) -> Decision<Move> {
        self.0 += 1;
        match self.0 {
            1 => panic!("on purpose"),
            2 => Decision::resign(),
            3 => Decision::play("e2e5".parse().unwrap()),
            _ => {
                let mut moves = Vec::new();
                record.legal_moves(&mut moves);
                // A line that does not go on.
                Decision { principal_variation: vec![moves[0], moves[0]], ..Decision::play(moves[0]) }
            }
        }
    }

    fn evaluate(&mut self, _: &Record<Chess>) -> Option<String> {
        panic!("on purpose")
    }
}
