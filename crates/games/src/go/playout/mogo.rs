//! MoGo's playouts: four rules that answer the last move, in order (paper 003, §3.6).

use super::ruled::{self, Rule, Rules, View};
use super::uniform::Allows;
use crate::go::board::Board;
use crate::go::point::{Move, Point};
use crate::go::rules::Go;
use crate::rng::Rng;
use crate::{Outcome, PlayoutPolicy, Side};
use serde::{Deserialize, Serialize};

/// What MoGo's policy does; the defaults are the paper's.
///
/// ```
/// use afterstate_games::go::MogoSettings;
/// let settings = MogoSettings { patterns: false, ..MogoSettings::default() };
/// assert!(settings.save && settings.captures && !settings.avoid_self_atari);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MogoSettings {
    /// Rule 1: take own stones out of the atari that the last move put them in, by a move on their last liberty
    /// that gives them more than one, or by capturing stones beside them.
    pub save: bool,
    /// Rule 2: play a 3×3 pattern on one of the eight points around the last move.
    pub patterns: bool,
    /// Rule 3: capture anything anywhere.
    pub captures: bool,
    /// Rule 2 leaves out moves that put their own chain in atari. The paper does not say so.
    pub avoid_self_atari: bool,
    /// A playout is decided when one side has so many stones more, as a share of the points of the board; 0 switches
    /// this off. The paper does not have it.
    pub mercy: f32,
    /// A playout is counted as it stands after so many moves, as a multiple of the points of the board: repeated
    /// captures in several kos could otherwise go on for ever.
    pub move_limit: f32,
}

impl Default for MogoSettings {
    fn default() -> Self {
        MogoSettings {
            save: true,
            patterns: true,
            captures: true,
            avoid_self_atari: false,
            mercy: 0.0,
            move_limit: 3.0,
        }
    }
}

/// MoGo's default policy: after the opponent's move, (1) a move that saves own stones which it put in atari, else
/// (2) a move beside it that matches a simple pattern, else (3) a capture, else (4) any move that fills no own eye.
///
/// ```
/// use afterstate_games::{PlayoutPolicy, go::{Go, MogoPlayout}, stream};
/// let mut moves = Vec::new();
/// let outcome = MogoPlayout::default().play_out(&mut Go::new(9), &mut moves, &mut stream(1, 0));
/// assert!(outcome.winner.is_some() && moves.len() > 60);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MogoPlayout {
    settings: MogoSettings,
    view: View,
}

impl MogoPlayout {
    /// The policy with some of its rules.
    pub fn new(settings: MogoSettings) -> MogoPlayout {
        MogoPlayout { settings, view: View::default() }
    }

    /// What was set.
    pub fn settings(&self) -> &MogoSettings {
        &self.settings
    }

    /// Chooses one move as a playout from this position would, and says which rule did; a pass when the game is
    /// over. Slower than the playout itself, which does not look at the whole board before every move.
    ///
    /// ```
    /// use afterstate_games::{Game, go::{Go, MogoPlayout, Move, Point, Rule}, stream};
    /// let mut game = Go::new(9);
    /// // White's corner stone is put in atari and runs.
    /// for (x, y) in [(4, 4), (0, 0), (1, 0)] {
    ///     game.play(Move::play(Point::at(x, y, 9)));
    /// }
    /// let (_, rule) = MogoPlayout::default().choose(&game, &mut stream(1, 0));
    /// assert_eq!(rule, Rule::Save);
    /// ```
    pub fn choose(&mut self, game: &Go, rng: &mut Rng) -> (Move, Rule) {
        ruled::choose(self, game, rng)
    }

    /// The moves among which the rules would choose, and the rule that knows them; none when only the random
    /// rule is left. What the handcrafted prior of heuristic MC-RAVE calls good (paper 003, §5).
    pub fn good_moves(&mut self, game: &Go) -> (Option<Rule>, &[Point]) {
        ruled::good_moves(self, game)
    }
}

impl Allows for MogoPlayout {
    #[inline(always)]
    fn allows(board: &Board, point: Point, side: Side) -> bool {
        board.is_sensible(point, side)
    }
}

impl Rules for MogoPlayout {
    #[inline(always)]
    fn view(&mut self) -> &mut View {
        &mut self.view
    }

    #[inline(always)]
    fn find<const FOLLOWED: bool>(&mut self, board: &Board, side: Side, recent: [Option<Point>; 2]) -> Option<Rule> {
        let (settings, view) = (&self.settings, &mut self.view);
        if let Some(last) = recent[0] {
            if settings.save {
                view.find_rescues(board, side);
                if !view.found.is_empty() {
                    return Some(Rule::Save);
                }
            }
            if settings.patterns {
                view.find_patterns::<FOLLOWED>(board, last, side, !settings.avoid_self_atari);
                if !view.found.is_empty() {
                    return Some(Rule::Pattern);
                }
            }
        }
        if settings.captures {
            view.find_captures::<FOLLOWED>(board, side);
            if !view.found.is_empty() {
                return Some(Rule::Capture);
            }
        }
        None
    }

    #[inline(always)]
    fn correct(&self, _board: &Board, point: Point, _side: Side) -> Point {
        point
    }

    #[inline(always)]
    fn limits(&self, size: usize) -> (usize, u32) {
        ruled::limits(self.settings.mercy, self.settings.move_limit, size)
    }
}

impl PlayoutPolicy<Go> for MogoPlayout {
    fn play_out(&mut self, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Outcome {
        ruled::play_out(self, game, trace, rng)
    }

    fn one_move(&mut self, game: &Go, rng: &mut Rng) -> Option<Move> {
        Some(self.choose(game, rng).0)
    }
}
