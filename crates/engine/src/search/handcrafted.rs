//! [`Handcrafted`]: the prior of MoGo's own rules (paper 003, §5.1: "MoGo heuristic").
//!
//! ```text
//! H(s,a) = 1 if the default policy's rules choose among a and others    (a saves, fits a pattern, or captures)
//!          0 if a puts its own chain in atari
//!          ½ otherwise
//! ```

use super::prior::{Experience, NewPosition, Prior, PriorValue};
use afterstate_games::Side;
use afterstate_games::go::{Go, MogoPlayout};

/// What the rules of MoGo's playouts say of a move.
///
/// ```
/// use afterstate_engine::search::{Experience, Handcrafted, NewPosition, Prior, PriorValue};
/// use afterstate_games::{Game, Notation, go::Go};
/// let mut game = Go::new(9);
/// // White's corner stone is put in atari: White had better save it, and not play into atari elsewhere.
/// for text in ["E5", "A1", "B1"] {
///     game.play(game.parse_move(text).unwrap());
/// }
/// let moves = ["A2", "C1", "G7"].map(|text| game.parse_move(text).unwrap());
/// let mut priors = [PriorValue::default(); 3];
/// let position = NewPosition { game: &game, moves: &moves, line: &[], two_plies_up: &[] };
/// Handcrafted::new(Experience::default()).fill(&position, &mut priors);
/// // Values are Black's.
/// assert_eq!(priors.map(|prior| prior.value()), [Some(0.0), Some(0.5), Some(0.5)]);
/// ```
#[derive(Clone, Debug)]
pub struct Handcrafted {
    /// Equivalent experience.
    pub experience: Experience,
    rules: MogoPlayout,
}

impl Handcrafted {
    /// With this equivalent experience.
    pub fn new(experience: Experience) -> Self {
        Handcrafted { experience, rules: MogoPlayout::default() }
    }
}

impl Prior<Go> for Handcrafted {
    fn fill(&mut self, position: &NewPosition<'_, Go>, out: &mut [PriorValue]) {
        let game = position.game;
        let (_, good) = self.rules.good_moves(game);
        for (&mv, prior) in position.moves.iter().zip(out) {
            let Some(point) = mv.point() else { continue };
            let seen = if MogoPlayout::is_bad(game, point) {
                0.0
            } else if good.contains(&point) {
                1.0
            } else {
                0.5
            };
            let value = if game.to_move() == Side::First { seen } else { 1.0 - seen };
            prior.add(value, self.experience);
        }
    }
}
