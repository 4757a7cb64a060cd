//! [`Handcrafted`]: the prior of the default policy's own rules (paper 003, §5.1: "MoGo heuristic").
//!
//! ```text
//! H(s,a) = 1 if the default policy's rules choose among a and others    (a saves, fits a pattern, or captures)
//!          0 if a puts its own chain in atari, and is no throw-in    (Board::is_bad_self_atari), else
//!          ½
//! ```
//!
//! A rule's choice is good whatever becomes of its chain, as nakade and captures are: greedy play by this prior is to be the default
//! policy's. Which patterns are the paper's bad ones it does not say.

use super::prior::{Experience, NewPosition, Prior, PriorValue};
use afterstate_games::Side;
use afterstate_games::go::{FuegoPlayout, Go, MogoPlayout};

/// What the rules of playouts say of a move.
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
    rules: Rules,
}

#[derive(Clone, Debug)]
enum Rules {
    Mogo(MogoPlayout),
    Fuego(FuegoPlayout),
}

impl Handcrafted {
    /// MoGo's rules with this equivalent experience.
    pub fn new(experience: Experience) -> Self {
        Handcrafted::of_mogo(MogoPlayout::default(), experience)
    }

    /// The rules of a policy of MoGo's kind, perhaps without some of them.
    pub fn of_mogo(rules: MogoPlayout, experience: Experience) -> Self {
        Handcrafted { experience, rules: Rules::Mogo(rules) }
    }

    /// The same of Fuego's kind.
    pub fn of_fuego(rules: FuegoPlayout, experience: Experience) -> Self {
        Handcrafted { experience, rules: Rules::Fuego(rules) }
    }

    /// Fuego's rules (M. Enzenberger, M. Müller, B. Arneson and R. Segal, Fuego, 2010).
    ///
    /// ```
    /// use afterstate_engine::search::{Experience, Handcrafted, NewPosition, Prior, PriorValue};
    /// use afterstate_games::{Game, Notation, go::Go};
    /// let mut game = Go::new(9);
    /// for text in ["E5", "A1"] {
    ///     game.play(game.parse_move(text).unwrap());
    /// }
    /// // White's corner stone has two liberties, and on either of them it would gain more: Fuego takes them away.
    /// let moves = ["A2", "B1", "G7"].map(|text| game.parse_move(text).unwrap());
    /// let position = NewPosition { game: &game, moves: &moves, line: &[], two_plies_up: &[] };
    /// let values = |mut prior: Handcrafted| {
    ///     let mut priors = [PriorValue::default(); 3];
    ///     prior.fill(&position, &mut priors);
    ///     priors.map(|prior| prior.value().unwrap())
    /// };
    /// assert_eq!(values(Handcrafted::fuego(Experience::default())), [1.0, 1.0, 0.5]);
    /// assert_eq!(values(Handcrafted::new(Experience::default())), [0.5, 0.5, 0.5]);
    /// ```
    pub fn fuego(experience: Experience) -> Self {
        Handcrafted::of_fuego(FuegoPlayout::default(), experience)
    }
}

impl Prior<Go> for Handcrafted {
    fn fill(&mut self, position: &NewPosition<'_, Go>, out: &mut [PriorValue]) {
        let game = position.game;
        let (board, side) = (game.board(), game.to_move());
        let (_, good) = match &mut self.rules {
            Rules::Mogo(rules) => rules.good_moves(game),
            Rules::Fuego(rules) => rules.good_moves(game),
        };
        for (&mv, prior) in position.moves.iter().zip(out) {
            let Some(point) = mv.point() else { continue };
            let seen = if good.contains(&point) {
                1.0
            } else if board.is_bad_self_atari(point, side) {
                0.0
            } else {
                0.5
            };
            let value = if side == Side::First { seen } else { 1.0 - seen };
            prior.add(value, self.experience);
        }
    }
}
