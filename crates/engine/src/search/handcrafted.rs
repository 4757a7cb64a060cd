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

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::rng::below;
    use afterstate_games::{Game, stream};

    #[test]
    fn what_a_rule_chooses_is_good_even_in_self_atari() {
        let (mut mogo, mut fuego) = (MogoPlayout::default(), FuegoPlayout::default());
        let mut priors = [Handcrafted::new(Experience::default()), Handcrafted::fuego(Experience::default())];
        let (mut in_atari, mut bad) = (0, 0);
        for number in 0..40 {
            let (mut game, mut rng, mut moves) = (Go::new(9), stream(3, number), Vec::new());
            for _ in 0..100 {
                game.candidate_moves(&mut moves);
                let Some(&next) = moves.get(below(&mut rng, moves.len().max(1) as u32) as usize) else { break };
                let good = [mogo.good_moves(&game).1.to_vec(), fuego.good_moves(&game).1.to_vec()];
                let side = game.to_move();
                for (prior, good) in priors.iter_mut().zip(good) {
                    let mut out = vec![PriorValue::default(); moves.len()];
                    let position = NewPosition { game: &game, moves: &moves, line: &[], two_plies_up: &[] };
                    prior.fill(&position, &mut out);
                    for (mv, value) in moves.iter().zip(out) {
                        let Some(point) = mv.point() else { continue };
                        let black = value.value().unwrap();
                        let seen = if side == Side::First { black } else { 1.0 - black };
                        let atari = game.board().is_bad_self_atari(point, side);
                        let expected = if good.contains(&point) {
                            1.0
                        } else if atari {
                            0.0
                        } else {
                            0.5
                        };
                        assert_eq!(seen, expected, "{mv:?}");
                        in_atari += u32::from(atari && good.contains(&point));
                        bad += u32::from(atari && !good.contains(&point));
                    }
                }
                game.play(next);
            }
        }
        assert!(in_atari > 0 && bad > 0, "{in_atari} {bad}");
    }
}
