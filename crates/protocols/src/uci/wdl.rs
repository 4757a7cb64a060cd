//! What a score in centipawns is worth in games: the model behind `UCI_ShowWDL`.

use super::info::Score;

/// a: the advantage with which every second game is won, in centipawns.
const EVERY_SECOND_GAME: f64 = 150.0;

/// b: how fast that changes, in centipawns.
const SPREAD: f64 = 90.0;

/// How many games of a thousand the side with this score wins, draws and loses: a logistic model.
///
/// ```text
/// win(x)  = 1 / (1 + e^((a − x)/b))         x: the score in centipawns
/// loss(x) = win(−x)
/// draw(x) = 1 − win(x) − loss(x)
/// ```
///
/// Nobody has measured a and b for our players yet: a = 150 and b = 90 let an even position be drawn in two games of
/// three, and a pawn win every third one.
///
/// ```
/// use afterstate_protocols::uci::{Score, win_draw_loss};
/// assert_eq!(win_draw_loss(Score::Centipawns(0)), [159, 682, 159]);
/// assert_eq!(win_draw_loss(Score::Mate(-3)), [0, 0, 1000]);
/// ```
pub fn win_draw_loss(score: Score) -> [u32; 3] {
    let thousandths = |x: f64| (1000.0 / (1.0 + ((EVERY_SECOND_GAME - x) / SPREAD).exp())).round() as u32;
    let (win, loss) = match score {
        Score::Centipawns(cp) => (thousandths(f64::from(cp)), thousandths(-f64::from(cp))),
        Score::Mate(moves) if moves > 0 => (1000, 0),
        Score::Mate(_) => (0, 1000),
    };
    [win, 1000 - win - loss, loss]
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
            assert_eq!(win_draw_loss(Score::Centipawns(-cp)), [loss, draw, win]);
            before = [win, draw, loss];
        }
        assert_eq!(win_draw_loss(Score::Centipawns(150))[0], 500);
        for score in [i32::MIN, i32::MAX] {
            assert_eq!(win_draw_loss(Score::Centipawns(score)).iter().sum::<u32>(), 1000);
        }
    }
}
