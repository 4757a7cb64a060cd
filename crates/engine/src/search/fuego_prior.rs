//! [`FuegoPrior`]: the prior of Fuego, which looks at the whole board and at the distance to the last move
//! (M. Enzenberger, M. Müller, B. Arneson and R. Segal, Fuego, IEEE Transactions on Computational Intelligence and AI
//! in Games 2, 2010; the figures are the program's for small boards).
//!
//! ```text
//!                                        a rule of the playouts chooses    only the random rule is left
//! H(s,a) = a is the choice of a rule                1.0  (9)
//!          a is self-atari, no throw-in             0.1  (9)                       0.2  (9)
//!          a puts stones in atari                   0.8  (9)                       1.0  (3)
//!          a fits a pattern                         0.6  (9)                       0.9  (3)
//!          a is any other stone                     0.4  (9)                       0.5  (3)
//!          a is a pass                              0.1  (9)                       0.1  (9)
//! and 1 for points 1, 2, 3 steps from the last move (4, 3, 2)
//! ```
//!
//! In brackets: equivalent experience, of which [`FuegoPrior::experience`] is what 9 stands for. The steps are those of
//! the common fate graph.

use super::prior::{Experience, NewPosition, Prior, PriorValue};
use afterstate_games::Side;
use afterstate_games::go::{FuegoPlayout, Go, Point};

/// What Fuego says of new moves.
///
/// ```
/// use afterstate_engine::search::{Experience, FuegoPrior, NewPosition, Prior, PriorValue};
/// use afterstate_games::{Game, Notation, go::Go};
/// let mut game = Go::new(9);
/// for text in ["E5", "A1"] {
///     game.play(game.parse_move(text).unwrap());
/// }
/// let moves = ["A2", "C1", "G7"].map(|text| game.parse_move(text).unwrap());
/// let mut priors = [PriorValue::default(); 3];
/// let position = NewPosition { game: &game, moves: &moves, line: &[], two_plies_up: &[] };
/// FuegoPrior::new(Experience { monte_carlo: 0, amaf: 9 }).fill(&position, &mut priors);
/// // One step from the last move, and a rule's choice; two steps; and far away.
/// let values = priors.map(|prior| prior.value().unwrap());
/// assert_eq!(values[0], 1.0);
/// assert!((values[1] - (9.0 * 0.4 + 3.0) / 12.0).abs() < 1e-6);
/// assert_eq!(values[2], 0.4);
/// ```
#[derive(Clone, Debug)]
pub struct FuegoPrior {
    /// Equivalent experience of a strong opinion.
    pub experience: Experience,
    rules: FuegoPlayout,
    /// What a rule of the playouts chooses among.
    good: Vec<Point>,
    /// Points near the last move, with their distance.
    near: Vec<(Point, u8)>,
}

impl FuegoPrior {
    /// With this equivalent experience.
    pub fn new(experience: Experience) -> Self {
        FuegoPrior { experience, rules: FuegoPlayout::default(), good: Vec::new(), near: Vec::new() }
    }

    /// The experience that the program's number stands for.
    fn share(&self, of_nine: u16) -> Experience {
        let Experience { monte_carlo, amaf } = self.experience;
        let part = |whole: u16| ((u32::from(whole) * u32::from(of_nine) + 4) / 9) as u16;
        Experience { monte_carlo: part(monte_carlo), amaf: part(amaf) }
    }
}

impl Prior<Go> for FuegoPrior {
    fn fill(&mut self, position: &NewPosition<'_, Go>, out: &mut [PriorValue]) {
        let game = position.game;
        let (board, side) = (game.board(), game.to_move());
        let (strong, weak) = (self.experience, self.share(3));
        let by_steps = [self.share(4), self.share(3), self.share(2)];
        self.near.clear();
        if let Some(last) = game.recent_stones()[0] {
            board.for_each_common_fate(last, 3, |point, steps| self.near.push((point, steps)));
        }
        self.good.clear();
        self.good.extend_from_slice(self.rules.good_moves(game).1);
        let rule = !self.good.is_empty();
        for (&mv, prior) in position.moves.iter().zip(out) {
            let Some(point) = mv.point() else {
                prior.add(if side == Side::First { 0.1 } else { 0.9 }, strong);
                continue;
            };
            let (value, experience) = if self.good.contains(&point) {
                (1.0, strong)
            } else if board.is_bad_self_atari(point, side) {
                (if rule { 0.1 } else { 0.2 }, strong)
            } else if board.puts_in_atari(point, side) {
                if rule { (0.8, strong) } else { (1.0, weak) }
            } else if self.rules.fits_pattern(point, side) {
                if rule { (0.6, strong) } else { (0.9, weak) }
            } else if rule {
                (0.4, strong)
            } else {
                (0.5, weak)
            };
            let mut say = |value: f32, experience| {
                prior.add(if side == Side::First { value } else { 1.0 - value }, experience);
            };
            say(value, experience);
            if let Some(&(_, steps)) = self.near.iter().find(|(near, _)| *near == point) {
                say(1.0, by_steps[usize::from(steps) - 1]);
            }
        }
    }
}
