//! Fuego's playouts, which RLGO and the "vanilla UCT" of the papers used: capture and rescue beside the last move, low liberties, patterns around the last two moves, any capture, random; with correction of
//! self-atari (M. Enzenberger, M. Müller, B. Arneson, R. Segal, Fuego, IEEE Transactions on Computational
//! Intelligence and AI in Games 2, 2010).

use super::ruled::{self, Rule, Rules, View};
use super::uniform::Allows;
use crate::go::board::{Board, Color};
use crate::go::point::{Move, Point};
use crate::go::rules::Go;
use crate::rng::Rng;
use crate::{Outcome, PlayoutPolicy, Side};
use serde::{Deserialize, Serialize};

/// What Fuego's policy does; the defaults are Fuego's.
///
/// ```
/// use afterstate_games::go::FuegoSettings;
/// assert_eq!(FuegoSettings::default().mercy, 0.3);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FuegoSettings {
    /// Rule 1: capture the chain of the last move if it is in atari.
    pub capture_last: bool,
    /// Rule 2: take own stones out of the atari that the last move put them in.
    pub save: bool,
    /// Rule 3: of the last move's chain, and of own chains beside it, that have two liberties, play one where the
    /// chain's owner would gain liberties and which is no self-atari.
    pub low_liberties: bool,
    /// Rule 4: play a 3×3 pattern around the last move or the one before it that is no self-atari.
    pub patterns: bool,
    /// Rule 5: capture anything anywhere.
    pub captures: bool,
    /// A move of any rule that leaves its own chain with one liberty is replaced by that liberty, where this is
    /// no self-atari in its turn.
    pub correct_self_atari: bool,
    /// After rule 2: play the vital point of an eye space of up to six points beside the last move. Not Fuego's.
    pub nakade: bool,
    /// A playout is decided when one side has so many stones more, as a share of the points of the board; 0 switches
    /// this off.
    pub mercy: f32,
    /// A playout is counted as it stands after so many moves, as a multiple of the points of the board.
    pub move_limit: f32,
}

impl Default for FuegoSettings {
    fn default() -> Self {
        FuegoSettings {
            capture_last: true,
            save: true,
            low_liberties: true,
            patterns: true,
            captures: true,
            correct_self_atari: true,
            nakade: false,
            mercy: 0.3,
            move_limit: 3.0,
        }
    }
}

/// Fuego's playout policy. Its random moves leave out points that one colour surrounds, unless one of the
/// stones around is in atari.
///
/// ```
/// use afterstate_games::{PlayoutPolicy, go::{FuegoPlayout, Go}, stream};
/// let mut moves = Vec::new();
/// let outcome = FuegoPlayout::default().play_out(&mut Go::new(9), &mut moves, &mut stream(1, 0));
/// assert!(outcome.winner.is_some() && moves.len() <= 3 * 81);
/// ```
#[derive(Clone, Debug, Default)]
pub struct FuegoPlayout {
    settings: FuegoSettings,
    view: View,
}

impl FuegoPlayout {
    /// The policy with some of its rules.
    pub fn new(settings: FuegoSettings) -> FuegoPlayout {
        FuegoPlayout { settings, view: View::default() }
    }

    /// What was set.
    pub fn settings(&self) -> &FuegoSettings {
        &self.settings
    }

    /// Chooses one move as a playout from this position would, and says which rule did (the move may be its
    /// correction); a pass when the game is over.
    pub fn choose(&mut self, game: &Go, rng: &mut Rng) -> (Move, Rule) {
        ruled::choose(self, game, rng)
    }

    /// The moves among which the rules would choose, before any correction, and the rule that knows them; none
    /// when only the random rule is left.
    pub fn good_moves(&mut self, game: &Go) -> (Option<Rule>, &[Point]) {
        ruled::good_moves(self, game)
    }

    /// Whether a 3×3 pattern fits the empty `point` for the side to move, anywhere on the board. Looks at the position
    /// that [`FuegoPlayout::good_moves`] was last asked about.
    pub fn fits_pattern(&self, point: Point, side: Side) -> bool {
        self.view.fits_pattern(point, side)
    }

    /// Finds the good liberties of a stone's chain, if it has two.
    #[inline]
    fn find_good_liberties(&mut self, board: &Board, stone: Point, side: Side) {
        let Some(liberties) = board.two_liberties(stone) else { return };
        for liberty in liberties {
            if board.is_sensible(liberty, side)
                && board.gains_liberties(stone, liberties, liberty)
                && !board.is_self_atari(liberty, side)
            {
                self.view.found.add(liberty);
            }
        }
    }

    #[inline]
    fn find_low_liberties(&mut self, board: &Board, last: Point, side: Side) {
        self.find_good_liberties(board, last, side);
        let mut seen = [Point(0); 4];
        for (i, n) in board.neighbours_of(last).into_iter().enumerate() {
            if board.color(n) == Color::of(side) && !seen.contains(&board.chain(n)) {
                seen[i] = board.chain(n);
                self.find_good_liberties(board, n, side);
            }
        }
    }
}

impl Allows for FuegoPlayout {
    #[inline(always)]
    fn allows(board: &Board, point: Point, side: Side) -> bool {
        board.is_sensible(point, side) && !board.is_secured(point)
    }
}

impl Rules for FuegoPlayout {
    #[inline(always)]
    fn view(&mut self) -> &mut View {
        &mut self.view
    }

    #[inline(always)]
    fn find<const FOLLOWED: bool>(&mut self, board: &Board, side: Side, recent: [Option<Point>; 2]) -> Option<Rule> {
        let settings = self.settings;
        if let Some(last) = recent[0] {
            if settings.capture_last {
                self.view.find_capture_of(board, last, side);
                if !self.view.found.is_empty() {
                    return Some(Rule::CaptureLast);
                }
            }
            if settings.save {
                self.view.find_rescues(board, side);
                if !self.view.found.is_empty() {
                    return Some(Rule::Save);
                }
            }
            if settings.nakade {
                self.view.find_nakade(board, last, side);
                if !self.view.found.is_empty() {
                    return Some(Rule::Nakade);
                }
            }
            if settings.low_liberties {
                self.find_low_liberties(board, last, side);
                if !self.view.found.is_empty() {
                    return Some(Rule::LowLiberties);
                }
            }
        }
        if settings.patterns {
            for around in recent.into_iter().flatten() {
                self.view.find_patterns::<FOLLOWED>(board, around, side, false);
            }
            if !self.view.found.is_empty() {
                return Some(Rule::Pattern);
            }
        }
        if settings.captures {
            self.view.find_captures::<FOLLOWED>(board, side);
            if !self.view.found.is_empty() {
                return Some(Rule::Capture);
            }
        }
        None
    }

    #[inline(always)]
    fn correct(&self, board: &Board, point: Point, side: Side) -> Point {
        if self.settings.correct_self_atari
            && let Some(other) = board.liberty_left(point, side)
            && board.is_empty(other)
            && board.is_sensible(other, side)
            && !board.is_self_atari(other, side)
        {
            return other;
        }
        point
    }

    #[inline(always)]
    fn limits(&self, size: usize) -> (usize, u32) {
        ruled::limits(self.settings.mercy, self.settings.move_limit, size)
    }
}

impl PlayoutPolicy<Go> for FuegoPlayout {
    fn play_out(&mut self, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Outcome {
        ruled::play_out(self, game, trace, rng)
    }

    fn one_move(&mut self, game: &Go, rng: &mut Rng) -> Option<Move> {
        Some(self.choose(game, rng).0)
    }
}
