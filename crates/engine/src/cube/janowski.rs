//! Janowski's cube model for money play (R. Janowski, *Take-points in money games*, 1993).
//!
//! ```text
//! W, L   what a game counts on average when it is won, and when it is lost        p   chance to win       x   efficiency
//! dead cube      E = p (W + L) − L
//! live cube      piecewise linear in p, through
//!                  take point  TP = (L − ½) / (W + L + ½), where the side is doubled out:  E = −1
//!                  cash point  CP = (L + 1) / (W + L + ½), where it doubles out:           E = +1
//!                  and −L at p = 0, W at p = 1; the take point counts only where the other side may double, the cash
//!                  point where this one may
//! any cube       E = (1 − x) E(dead) + x E(live)                               equities in units of the cube
//! ```
//!
//! Inside the window this is the paper's general model: with the cube owned E = p (W + L + x/2) − L, with the cube unavailable
//! E = p (W + L + x/2) − L − x/2. In the middle the paper also gives the closed form 4/(4 − x) (p (W + L + x/2) − L − x/4); here, as in
//! GNU Backgammon, that equity is interpolated like the others, which is the same for x = 0 and x = 1.

use super::Chances;

/// Where the cube lies, as a side sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// In the middle: both sides may double.
    Centred,
    /// This side alone may double.
    Owned,
    /// The other side alone may.
    Unavailable,
}

/// What `chances` are worth in money play with a cube of efficiency `x`, 0 to 1, in units of the cube's value. `jacoby`: gammons
/// don't count while the cube is in the middle.
///
/// ```
/// use afterstate_engine::cube::{Access, Chances, janowski::cubeful};
/// // Without gammons and with a live cube: even in the middle at 50 %, −1 at the take point of 20 %.
/// let at = |win: f32| Chances::from([win, 0.0, 0.0, 0.0, 0.0]);
/// assert!(cubeful(&at(0.5), Access::Centred, false, 1.0).abs() < 1e-9);
/// assert!((cubeful(&at(0.2), Access::Unavailable, false, 1.0) + 1.0).abs() < 1e-6);
/// // With a dead cube it is the cubeless equity.
/// assert!((cubeful(&at(0.6), Access::Owned, false, 0.0) - 0.2).abs() < 1e-6);
/// ```
pub fn cubeful(chances: &Chances, access: Access, jacoby: bool, x: f64) -> f64 {
    (1.0 - x) * dead(chances, access, jacoby) + x * live(chances, access, jacoby)
}

/// With a cube that nobody will turn: the lower bound of who owns it.
pub fn dead(chances: &Chances, access: Access, jacoby: bool) -> f64 {
    if jacoby && access == Access::Centred { 2.0 * chances.win - 1.0 } else { chances.equity() }
}

/// With a cube that is always turned at the right moment: the upper bound of who owns it.
///
/// ```
/// use afterstate_engine::cube::{Access, Chances, janowski::live};
/// let at = |win: f32| Chances::from([win, 0.0, 0.0, 0.0, 0.0]);
/// assert!((live(&at(0.5), Access::Owned, false) - 0.25).abs() < 1e-6);
/// ```
pub fn live(chances: &Chances, access: Access, jacoby: bool) -> f64 {
    let p = chances.win;
    // Nobody can be doubled out of a game that is decided.
    if !(1e-7..=1.0 - 1e-7).contains(&p) {
        return dead(chances, access, jacoby);
    }
    let (w, l) = (chances.average_win(), chances.average_loss());
    let (take_point, cash_point) = ((l - 0.5) / (w + l + 0.5), (l + 1.0) / (w + l + 0.5));
    // By the Jacoby rule nobody plays on for a gammon before he has doubled.
    let (most, least) = if jacoby && access == Access::Centred { (1.0, -1.0) } else { (w, -l) };
    let corners = match access {
        Access::Centred => &[(0.0, least), (take_point, -1.0), (cash_point, 1.0), (1.0, most)][..],
        Access::Owned => &[(0.0, least), (cash_point, 1.0), (1.0, most)],
        Access::Unavailable => &[(0.0, least), (take_point, -1.0), (1.0, most)],
    };
    interpolate(corners, p)
}

/// The height over `p` of the line through these corners, which are in order.
pub(super) fn interpolate(corners: &[(f64, f64)], p: f64) -> f64 {
    let pair = corners.windows(2).find(|pair| p <= pair[1].0).or_else(|| corners.windows(2).next_back());
    let Some(&[(left, low), (right, high)]) = pair else { return 0.0 };
    // Corners may lie upon each other.
    if right - left > 1e-12 { low + (high - low) * (p - left) / (right - left) } else { high }
}

/// The take point by the closed form of the paper: at this chance to win, taking a double costs as much as passing.
///
/// ```
/// use afterstate_engine::cube::janowski::take_point;
/// // A quarter with a dead cube, a fifth with a live one.
/// assert_eq!((take_point(1.0, 1.0, 0.0), take_point(1.0, 1.0, 1.0)), (0.25, 0.2));
/// ```
pub fn take_point(w: f64, l: f64, x: f64) -> f64 {
    (l - 0.5) / (w + l + 0.5 * x)
}

/// The initial doubling point without the Jacoby rule, by the closed form of the paper: from here on to double and be taken is worth
/// more than to leave the cube in the middle.
pub fn initial_doubling_point(w: f64, l: f64, x: f64) -> f64 {
    (l + 0.5 * x * (3.0 - x) / (2.0 - x)) / (w + l + 0.5 * x)
}

/// The redoubling point by the closed form of the paper.
pub fn redoubling_point(w: f64, l: f64, x: f64) -> f64 {
    (l + x) / (w + l + 0.5 * x)
}

/// The cash point by the closed form of the paper: here the other side's take point is reached.
pub fn cash_point(w: f64, l: f64, x: f64) -> f64 {
    (l + 0.5 + 0.5 * x) / (w + l + 0.5 * x)
}

/// The point from which a position is too good to double, by the closed form of the paper.
pub fn too_good_point(w: f64, l: f64, x: f64) -> f64 {
    (l + 1.0) / (w + l + 0.5 * x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(win: f64, gammons: f64, lost: f64) -> Chances {
        Chances { win, gammon: gammons * win, backgammon: 0.0, lost_gammon: lost * (1.0 - win), lost_backgammon: 0.0 }
    }

    #[test]
    fn the_paper_s_general_model_holds_inside_the_window() {
        // W = 1.4, L = 1.2.
        for x in [0.0, 0.4, 0.68, 1.0] {
            for win in [0.35, 0.5, 0.65] {
                let (w, l) = (1.4, 1.2);
                let slope = win * (w + l + 0.5 * x) - l;
                let chances = at(win, 0.4, 0.2);
                assert!((cubeful(&chances, Access::Owned, false, x) - slope).abs() < 1e-12);
                assert!((cubeful(&chances, Access::Unavailable, false, x) - slope + 0.5 * x).abs() < 1e-12);
            }
        }
        // In the middle at both ends of x: 4/3 (0.5 · 3.1 − 1.2 − 0.25) with a live cube.
        let live = cubeful(&at(0.5, 0.4, 0.2), Access::Centred, false, 1.0);
        assert!((live - 4.0 / 3.0 * 0.1).abs() < 1e-12, "{live}");
    }

    #[test]
    fn closed_forms_are_where_equities_meet() {
        // No gammons, x = 0.68, by hand: 0.5/2.34, (1 + 0.68)/2.34, 1.84/2.34.
        assert!((take_point(1.0, 1.0, 0.68) - 0.21368).abs() < 1e-5);
        assert!((redoubling_point(1.0, 1.0, 0.68) - 0.71795).abs() < 1e-5);
        assert!((cash_point(1.0, 1.0, 0.68) - 0.78632).abs() < 1e-5);
        // The classical points: double at 50 % with a dead cube, at 80 % with a live one.
        assert_eq!(initial_doubling_point(1.0, 1.0, 0.0), 0.5);
        assert_eq!(initial_doubling_point(1.0, 1.0, 1.0), 0.8);
        assert_eq!((redoubling_point(1.0, 1.0, 1.0), too_good_point(1.0, 1.0, 1.0)), (0.8, 0.8));
        for x in [0.0, 0.5, 1.0] {
            let (gammons, lost) = (0.3, 0.25);
            let (w, l) = (1.3, 1.25);
            let take = at(take_point(w, l, x), gammons, lost);
            assert!((2.0 * cubeful(&take, Access::Owned, false, x) + 1.0).abs() < 1e-12);
            let redouble = at(redoubling_point(w, l, x), gammons, lost);
            let (hold, turn) = (Access::Owned, Access::Unavailable);
            assert!((cubeful(&redouble, hold, false, x) - 2.0 * cubeful(&redouble, turn, false, x)).abs() < 1e-12);
            let cash = at(cash_point(w, l, x), gammons, lost);
            assert!((2.0 * cubeful(&cash, turn, false, x) - 1.0).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn equities_are_ordered_and_antisymmetric(
            win in 0.001f64..0.999, gammons in 0.0f64..1.0, lost in 0.0f64..1.0, x in 0.0f64..1.0, jacoby: bool,
        ) {
            let chances = at(win, gammons, lost);
            let of = |access| cubeful(&chances, access, false, x);
            prop_assert!(of(Access::Owned) >= of(Access::Centred) - 1e-9 && of(Access::Centred) >= of(Access::Unavailable) - 1e-9);
            let turned = chances.turned();
            let centred = cubeful(&turned, Access::Centred, jacoby, x);
            prop_assert!((cubeful(&chances, Access::Centred, jacoby, x) + centred).abs() < 1e-9);
            prop_assert!((of(Access::Owned) + cubeful(&turned, Access::Unavailable, false, x)).abs() < 1e-9);
            prop_assert!(of(Access::Owned) <= 2.0 && of(Access::Unavailable) >= -2.0);
        }
    }
}
