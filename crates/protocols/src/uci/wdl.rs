//! What a score in centipawns is worth in games: the model behind `UCI_ShowWDL`.

use super::info::Score;

/// A logistic model of how games end.
///
/// ```text
/// win(x)  = 1 / (1 + e^((a − x)/b))         x: the score in centipawns
/// loss(x) = win(−x)
/// draw(x) = 1 − win(x) − loss(x)
/// ```
///
/// This is Stockfish's form, without its dependence on how much material is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlModel {
    /// a: the advantage with which every second game is won, in centipawns, at least 0.
    pub every_second_game: f64,
    /// b: how fast that changes, in centipawns, above 0.
    pub spread: f64,
}

/// The model behind [`win_draw_loss`]. `afterstate reproduce meep/wdl` fits it to games of the tournament search, with the values
/// of men alone, against itself at 4,000 positions a move; `papers/2009-treestrap` says from how many, with intervals. Games of
/// other evaluations, and longer thinking, are drawn more or less often.
pub const MEASURED_WDL: WdlModel = WdlModel { every_second_game: 146.0, spread: 160.0 };

impl WdlModel {
    /// The parts of games that the side with this score, in centipawns, wins, draws and loses; 1 together.
    ///
    /// ```
    /// use afterstate_protocols::uci::WdlModel;
    /// let model = WdlModel { every_second_game: 100.0, spread: 50.0 };
    /// let [win, draw, loss] = model.chances(100.0);
    /// assert_eq!((win, win + draw + loss), (0.5, 1.0));
    /// assert!(loss < 0.02);
    /// ```
    pub fn chances(self, centipawns: f64) -> [f64; 3] {
        let win = |x: f64| 1.0 / (1.0 + ((self.every_second_game - x) / self.spread).exp());
        let (win, loss) = (win(centipawns), win(-centipawns));
        [win, (1.0 - win - loss).max(0.0), loss]
    }
}

/// How many games of a thousand the side with this score wins, draws and loses, by [`MEASURED_WDL`]; 1,000 together.
///
/// ```
/// use afterstate_protocols::uci::{Score, win_draw_loss};
/// let [win, draw, loss] = win_draw_loss(Score::Centipawns(0));
/// assert!(win == loss && win + draw + loss == 1000);
/// assert_eq!(win_draw_loss(Score::Mate(-3)), [0, 0, 1000]);
/// ```
pub fn win_draw_loss(score: Score) -> [u32; 3] {
    let (win, loss) = match score {
        Score::Centipawns(cp) => {
            let [win, _, loss] = MEASURED_WDL.chances(cp.into()).map(|part| (1000.0 * part).round() as u32);
            (win, loss)
        }
        Score::Mate(moves) if moves > 0 => (1000, 0),
        Score::Mate(_) => (0, 1000),
    };
    // Where hardly anything is drawn both may be rounded up.
    [win, 1000_u32.saturating_sub(win + loss), loss.min(1000 - win)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_games_are_counted_and_more_is_better() {
        let mut before = [0, 0, 1000];
        for cp in -3000..=3000 {
            let [win, draw, loss] = win_draw_loss(Score::Centipawns(cp));
            assert_eq!(win + draw + loss, 1000);
            assert!(win >= before[0] && loss <= before[2]);
            before = [win, draw, loss];
        }
        for score in [i32::MIN, i32::MAX] {
            assert_eq!(win_draw_loss(Score::Centipawns(score)).iter().sum::<u32>(), 1000);
        }
    }

    #[test]
    fn both_sides_expect_the_same_game() {
        for model in [MEASURED_WDL, WdlModel { every_second_game: 0.0, spread: 200.0 }] {
            for cp in [-900.0, -75.0, 0.0, 20.0, 400.0] {
                let [win, draw, loss] = model.chances(cp);
                let [other_win, other_draw, other_loss] = model.chances(-cp);
                assert!((win - other_loss).abs() + (loss - other_win).abs() + (draw - other_draw).abs() < 1e-12);
                assert!(draw >= 0.0 && (win + draw + loss - 1.0).abs() < 1e-12);
            }
            assert!((model.chances(model.every_second_game)[0] - 0.5).abs() < 1e-12);
        }
    }
}
