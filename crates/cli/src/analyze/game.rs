//! [`AnalysedGame`]: the game of an SGF file, with moves numbered as the file has them.

use afterstate_arena::analysis::Assessment;
use afterstate_games::Record;
use afterstate_games::go::sgf::{GameRecordFile, LONGEST_TEXT};
use afterstate_games::go::{Go, Move};
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;

/// A game that is looked at again.
pub struct AnalysedGame {
    /// The file as it is.
    pub bytes: Vec<u8>,
    /// What it holds.
    pub file: GameRecordFile,
}

impl AnalysedGame {
    /// Reads a game with a move at least.
    pub fn read(path: &Path) -> Result<AnalysedGame> {
        let name = || path.display().to_string();
        let mut bytes = Vec::new();
        // One byte more than a game may have, so that a longer file is refused and not cut.
        let file = File::open(path).with_context(name)?;
        file.take(LONGEST_TEXT as u64 + 1).read_to_end(&mut bytes).with_context(name)?;
        let file = GameRecordFile::read_bytes(&bytes).with_context(name)?;
        ensure!(!file.moves.is_empty(), "{}: expected a game with moves, but there are none", path.display());
        Ok(AnalysedGame { bytes, file })
    }

    /// The whole game.
    pub fn record(&self) -> Record<Go> {
        let mut record = Record::new(self.file.start.clone());
        self.file.moves.iter().for_each(|&mv| record.play(mv));
        record
    }

    /// The game in parts, each with how many moves are made before it. Where a side moved twice in a row a new part begins with that side
    /// to move: the pass between, which nobody made, must not be half of an agreement that the game is over.
    pub fn parts(&self) -> Vec<(usize, Record<Go>)> {
        let mut parts = vec![(0, Record::new(self.file.start.clone()))];
        for (index, &mv) in self.file.moves.iter().enumerate() {
            let (_, part) = parts.last_mut().expect("there is the first part");
            if self.is_added_pass(index) {
                let turned = part.position().clone().with_turn(part.position().to_move().other());
                let next = Record::continuing(turned, part.repetition_keys());
                parts.push((index + 1, next));
            } else {
                part.play(mv);
            }
        }
        parts
    }

    /// Which moves have numbers from `from` to `to` in the file, counted from 0; the last without `to`.
    pub fn moves_between(&self, from: usize, to: Option<usize>) -> Result<RangeInclusive<usize>> {
        let numbers = &self.file.move_numbers;
        let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
        let to = to.unwrap_or(last);
        let range = numbers.partition_point(|&number| number < from)..numbers.partition_point(|&number| number <= to);
        ensure!(
            (1..=to).contains(&from) && to <= last && !range.is_empty(),
            "--from {from} --to {to}: expected moves from {first} to {last}, the first before the last"
        );
        Ok(range.start..=range.end - 1)
    }

    /// The number in the file of a move, counted from 0 here.
    pub fn number(&self, index: usize) -> usize {
        self.file.move_numbers[index]
    }

    /// How many moves of the file are made where so many are made here.
    fn made_in_file(&self, made: usize) -> usize {
        match made.checked_sub(1) {
            None => self.file.handicap_moves,
            // A pass that stands in no file has the number of the move after it.
            Some(last) => self.number(last) - usize::from(self.is_added_pass(last)),
        }
    }

    /// Whether nobody made a move, counted from 0 here: it is the pass between two moves of one side.
    pub fn is_added_pass(&self, index: usize) -> bool {
        self.file.added_passes.contains(&index)
    }

    /// What was found of the positions of the file, each with how many of its moves are made there. Where one side moved twice in a row that
    /// is the position with this side to move.
    pub fn positions<'a>(
        &'a self,
        assessments: &'a [Assessment<Move>],
    ) -> impl Iterator<Item = (usize, &'a Assessment<Move>)> {
        let seen = assessments.iter().filter(|assessment| !self.is_added_pass(assessment.moves_made));
        seen.map(|assessment| (self.made_in_file(assessment.moves_made), assessment))
    }
}
