//! [`Chances`]: how the games from a position end.

use crate::value::backgammon_network::OUTPUTS;

/// How likely a side is to win and to lose, plainly or more, if the game is played to its end. Each number counts what is more
/// than it, too: a backgammon is a gammon and a win.
///
/// ```
/// use afterstate_engine::cube::Chances;
/// let chances = Chances::from([0.6, 0.2, 0.01, 0.1, 0.0]);
/// assert!((chances.equity() - 0.31).abs() < 1e-6);
/// assert!((chances.turned().equity() + 0.31).abs() < 1e-6);
/// // W and L of Janowski's paper: what a game counts when it is won, and when it is lost.
/// assert!((chances.average_win() - 1.35).abs() < 1e-6 && (chances.average_loss() - 1.25).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// To win, 0 to 1.
    pub win: f64,
    /// To win a gammon or more.
    pub gammon: f64,
    /// To win a backgammon.
    pub backgammon: f64,
    /// To lose a gammon or more.
    pub lost_gammon: f64,
    /// To lose a backgammon.
    pub lost_backgammon: f64,
}

impl From<[f32; OUTPUTS]> for Chances {
    /// The outputs of a network, which may contradict themselves: no number is let be larger than one that contains it.
    fn from(outputs: [f32; OUTPUTS]) -> Chances {
        let [win, gammon, backgammon, lost_gammon, lost_backgammon] = outputs.map(f64::from);
        let within = |chance: f64, most: f64| if chance > 0.0 { chance.min(most) } else { 0.0 };
        let win = within(win, 1.0);
        let (gammon, lost_gammon) = (within(gammon, win), within(lost_gammon, 1.0 - win));
        Chances {
            win,
            gammon,
            backgammon: within(backgammon, gammon),
            lost_gammon,
            lost_backgammon: within(lost_backgammon, lost_gammon),
        }
    }
}

impl Chances {
    /// Seen by the other side.
    pub fn turned(&self) -> Chances {
        Chances {
            win: 1.0 - self.win,
            gammon: self.lost_gammon,
            backgammon: self.lost_backgammon,
            lost_gammon: self.gammon,
            lost_backgammon: self.backgammon,
        }
    }

    /// What the side expects without a cube, −3 to 3 points.
    pub fn equity(&self) -> f64 {
        2.0 * self.win - 1.0 + self.gammon + self.backgammon - self.lost_gammon - self.lost_backgammon
    }

    /// Adds so large a share of other chances, for a mean over cases.
    pub(super) fn add(&mut self, chances: &Chances, share: f64) {
        self.win += share * chances.win;
        self.gammon += share * chances.gammon;
        self.backgammon += share * chances.backgammon;
        self.lost_gammon += share * chances.lost_gammon;
        self.lost_backgammon += share * chances.lost_backgammon;
    }

    /// W: what a game counts on average when the side wins it, 1 to 3 points; 1 if it never does.
    pub fn average_win(&self) -> f64 {
        1.0 + share(self.gammon + self.backgammon, self.win)
    }

    /// L: the same of games that it loses.
    pub fn average_loss(&self) -> f64 {
        self.turned().average_win()
    }

    /// Of the games that the side wins, the shares that are plain wins, gammons and backgammons.
    pub fn kinds_of_wins(&self) -> [f64; 3] {
        let (gammon, backgammon) = (share(self.gammon, self.win), share(self.backgammon, self.win));
        [1.0 - gammon, gammon - backgammon, backgammon]
    }

    /// The same shares of gammons and backgammons among wins and losses, with another chance to win.
    ///
    /// ```
    /// use afterstate_engine::cube::Chances;
    /// let even = Chances::from([0.8, 0.4, 0.0, 0.0, 0.0]).with_win(0.5);
    /// assert!((even.gammon - 0.25).abs() < 1e-6);
    /// ```
    pub fn with_win(&self, win: f64) -> Chances {
        let (own, other) = (self.kinds_of_wins(), self.turned().kinds_of_wins());
        Chances {
            win,
            gammon: win * (own[1] + own[2]),
            backgammon: win * own[2],
            lost_gammon: (1.0 - win) * (other[1] + other[2]),
            lost_backgammon: (1.0 - win) * other[2],
        }
    }
}

/// A part of a whole; nothing of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 1e-9 { (part / whole).min(2.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_and_what_is_no_number_are_cut() {
        let odd = Chances::from([0.4, 0.7, 0.9, 0.8, -0.1]);
        assert!((odd.gammon, odd.backgammon) == (odd.win, odd.win) && (odd.lost_gammon - 0.6).abs() < 1e-6);
        assert_eq!(odd.lost_backgammon, 0.0);
        let none = Chances::from([f32::NAN; 5]);
        assert_eq!((none.win, none.gammon, none.equity()), (0.0, 0.0, -1.0));
        assert_eq!((none.average_win(), none.kinds_of_wins()), (1.0, [1.0, 0.0, 0.0]));
    }
}
