//! [`GameAnalyst`]: a search that goes along a game.

use crate::mcts_player::{Conduct, MonteCarlo, Purpose};
use afterstate_engine::search::Situation;
use afterstate_engine::{Budget, Value};
use afterstate_games::{Game, Record, Turn, stream};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Searches are cut into so many pieces, between which somebody may say that it is enough. Numbers of simulations rather
/// than times, so that the same seed gives the same analysis; not too many, because a tree may move when it grows.
const PIECES: u64 = 20;
/// The fewest and the most simulations of a piece.
const PIECE: (u64, u64) = (500, 20_000);

/// How a game is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GameAnalysisSettings {
    /// How many simulations each position gets, beside those that the tree holds from the one before. Default 3000.
    pub simulations: u64,
    /// Where the randomness comes from. Default 1.
    pub seed: u64,
}

impl Default for GameAnalysisSettings {
    fn default() -> Self {
        GameAnalysisSettings { simulations: 3000, seed: 1 }
    }
}

/// What a search thinks of one position of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment<M> {
    /// How many moves of the game were made before.
    pub moves_made: usize,
    /// What the position is worth.
    pub value: Value,
    /// The move that the search would play; `None` where the game has ended.
    pub best: Option<M>,
    /// The line that it expects, beginning with that move.
    pub line: Vec<M>,
    /// How many simulations were made here.
    pub simulations: u64,
    /// How many simulations the tree held in the end, with those from earlier positions.
    pub visits: u64,
}

/// A search that goes along a game and says what it thinks of each position.
///
/// It keeps its tree from one position to the next. A player's manners ([`Conduct`]) decide which moves are looked at,
/// and who has won in the end. The search should not stop early (`MctsSettings::early_stop`), for it is asked for values
/// and not only for moves.
///
/// ```
/// use afterstate_arena::analysis::{GameAnalysisSettings, GameAnalyst, judge};
/// use afterstate_engine::search::{Mcts, MctsSettings, PlayOut, Uct};
/// use afterstate_games::{Notation, Record, TicTacToe, UniformPlayout};
/// // O should have stopped the column, and takes a corner instead.
/// let mut game = Record::new(TicTacToe::default());
/// for text in ["5", "1", "2", "9", "8"] {
///     game.play(game.position().parse_move(text).unwrap());
/// }
/// let settings = MctsSettings { memory_mib: 1, early_stop: false, solver: true, ..MctsSettings::default() };
/// let search = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings);
/// let mut analyst = GameAnalyst::new(Box::new(search), (), GameAnalysisSettings::default());
/// let assessments = analyst.analyse(&game, 0..=5, &mut |_| true);
/// let moves = judge(&game, &assessments);
/// let text = |mv| game.start().move_text(mv);
/// // A sure draw became a sure loss.
/// assert_eq!((text(moves[3].played), text(moves[3].best.unwrap()), moves[3].loss), ("9".into(), "8".into(), 0.5));
/// assert_eq!(moves[4].after, 1.0);
/// ```
pub struct GameAnalyst<G: Game, C: Conduct<G>> {
    search: Box<dyn MonteCarlo<G, C::Observer>>,
    conduct: C,
    settings: GameAnalysisSettings,
}

impl<G: Game, C: Conduct<G>> GameAnalyst<G, C> {
    /// Looks at games with this search.
    pub fn new(search: Box<dyn MonteCarlo<G, C::Observer>>, conduct: C, settings: GameAnalysisSettings) -> Self {
        GameAnalyst { search, conduct, settings }
    }

    /// Assesses the positions of `game` after `range` moves, one after the other. With one thread the same game, range and
    /// settings give the same result.
    ///
    /// `goes_on` is told now and then how many simulations have been made, all positions together, and says whether to go
    /// on. When it says no, the positions that were finished are returned.
    pub fn analyse(
        &mut self,
        game: &Record<G>,
        range: RangeInclusive<usize>,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Vec<Assessment<G::Move>> {
        self.search.clear();
        let mut record = game.before_first_move();
        let mut assessments = Vec::new();
        let mut total = 0;
        for made in 0..=game.moves().len().min(*range.end()) {
            if range.contains(&made) {
                let Some(assessment) = self.assess(&record, &mut |simulations| goes_on(total + simulations)) else {
                    break;
                };
                // A position that is decided sooner counts in full: what is left of the work is what people want to know.
                total += self.settings.simulations;
                assessments.push(assessment);
            }
            if let Some(&mv) = game.moves().get(made) {
                record.play(mv);
                self.search.advance(mv, record.position());
            }
        }
        assessments
    }

    /// `None` if it was told to stop.
    fn assess(&mut self, record: &Record<G>, goes_on: &mut dyn FnMut(u64) -> bool) -> Option<Assessment<G::Move>> {
        let moves_made = record.moves().len();
        if let Turn::Over(outcome) = record.turn() {
            let observer = self.search.observer();
            let seen = observer.and_then(|observer| self.conduct.final_value(record.position(), observer));
            let value = seen.unwrap_or(outcome.into());
            return Some(Assessment { moves_made, value, best: None, line: Vec::new(), simulations: 0, visits: 0 });
        }
        let moves = self.moves(record);
        let situation = Situation::of(record, &moves);
        if let Some(observer) = self.search.observer() {
            self.conduct.begin(observer);
        }
        let mut rng = stream(self.settings.seed, moves_made as u64);
        let mut simulations = 0;
        let mut decision = None;
        let piece = (self.settings.simulations / PIECES).clamp(PIECE.0, PIECE.1);
        while simulations < self.settings.simulations {
            if !goes_on(simulations) {
                return None;
            }
            let piece = piece.min(self.settings.simulations - simulations);
            let budget = Budget { simulations: Some(piece), ..Budget::default() };
            let found = self.search.search(&situation, &budget, &mut rng, None);
            let effort = found.effort;
            simulations += effort;
            decision = Some(found);
            // What is proved needs no more.
            if effort < piece {
                break;
            }
        }
        let report = self.search.report();
        let (mut best, mut line) = decision.map_or((None, Vec::new()), |found| (found.best, found.principal_variation));
        let overruled = self
            .search
            .observer()
            .and_then(|observer| self.conduct.overrule(record, Purpose::Play, &report, observer))
            .filter(|&mv| record.is_legal(mv));
        if overruled.is_some() && overruled != best {
            best = overruled;
            line = overruled.into_iter().collect();
        }
        let value = report.value.unwrap_or(Value::EVEN);
        Some(Assessment { moves_made, value, best, line, simulations, visits: report.visits })
    }

    /// The moves to choose from: as a player would, those of the search that the record and the conduct allow.
    fn moves(&mut self, record: &Record<G>) -> Vec<G::Move> {
        let mut moves = Vec::new();
        self.search.candidates(record.position(), &mut moves);
        moves.retain(|&mv| record.is_legal(mv));
        if moves.is_empty() {
            record.legal_moves(&mut moves);
        }
        if self.search.observer().is_some() {
            self.conduct.consider(record, Purpose::Play, &mut moves);
        }
        moves
    }
}
