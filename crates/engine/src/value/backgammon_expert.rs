//! What experts count in a position of backgammon, as inputs behind TD-Gammon's 198: the *hand-crafted features* that made
//! TD-Gammon strong (G. Tesauro, *Temporal difference learning and TD-Gammon*, CACM 38(3), 1995, "TD-Gammon 1.0") and that
//! GNU Backgammon has too. Men and points say all of this, but by how they stand to each other, which is hard to learn.
//!
//! ```text
//! for each side:   pips that it has to go / 167
//!                  pips until its men have passed the other's / 100
//!                  the chance that a man of the other's on the bar cannot enter
//!                  its longest prime, in points / 6
//!                  rolls that the other's hindmost man cannot play / 36
//!                  the most such rolls wherever a man of the other's would have to pass / 36
//!                  rolls by which it would hit a man of the other's / 36
//! for both:        whether it is a race: 1, 0          pips that the side about to roll is ahead / 50
//! ```

use super::perceptron::SparseInputs;
use afterstate_games::Side;
use afterstate_games::backgammon::{BAR, Board, POINTS};

/// How many of these inputs there are for each side.
const EACH: usize = 7;

/// How many there are.
pub const EXPERT_INPUTS: usize = 2 * EACH + 2;

/// Adds them to `inputs`, from the index `first` on, for a board on which `side` is about to roll.
///
/// ```
/// use afterstate_engine::value::backgammon_expert::{EXPERT_INPUTS, push_expert_inputs};
/// use afterstate_engine::value::perceptron::SparseInputs;
/// use afterstate_games::{Side, backgammon::Board};
/// let mut inputs = SparseInputs::default();
/// push_expert_inputs(&Board::start(), Side::First, 198, &mut inputs);
/// // 167 pips to go, and nobody is ahead.
/// assert_eq!(inputs.iter().next(), Some((198, 1.0)));
/// assert!(inputs.iter().all(|(index, _)| index < 198 + EXPERT_INPUTS - 2));
/// ```
pub fn push_expert_inputs(board: &Board, side: Side, first: usize, inputs: &mut SparseInputs) {
    let mut push = |index: usize, value: f32| {
        if value != 0.0 {
            inputs.push(first + index, value);
        }
    };
    let sides = [side, side.other()];
    let [own, other] = sides.map(|side| Men::of(board, side));
    for (i, (men, against)) in [(&own, &other), (&other, &own)].into_iter().enumerate() {
        let home = (men.points & 0x3f).count_ones();
        let numbers = [
            men.pips as f32 / 167.0,
            men.pips_to_pass(against) as f32 / 100.0,
            (home * home) as f32 / 36.0,
            men.longest_prime() as f32 / 6.0,
            against.hindmost.map_or(0.0, |place| f32::from(unplayable(men.points_ahead(place))) / 36.0),
            men.containment(against) / 36.0,
            f32::from(men.shots(against)) / 36.0,
        ];
        numbers.into_iter().enumerate().for_each(|(number, value)| push(EACH * i + number, value));
    }
    push(2 * EACH, if board.is_race() { 1.0 } else { 0.0 });
    push(2 * EACH + 1, (other.pips as f32 - own.pips as f32) / 50.0);
}

/// The men of one side. Places are bits, as it counts them; the bar is the bit behind the last point.
struct Men {
    /// Places with men.
    places: u32,
    /// Points that it holds with two men or more.
    points: u32,
    /// Its blots.
    blots: u32,
    /// Men on the bar.
    on_bar: u8,
    pips: u32,
    hindmost: Option<usize>,
    men: [u8; BAR + 1],
}

impl Men {
    fn of(board: &Board, side: Side) -> Men {
        let (mut places, mut points, mut pips, mut men) = (0u32, 0u32, 0, [0; BAR + 1]);
        board.for_each_change(&Board::default(), side, |place, count, _| {
            places |= 1 << place;
            points |= u32::from(count > 1) << place;
            pips += u32::from(count) * (place as u32 + 1);
            men[place] = count;
        });
        let bar = 1 << BAR;
        let hindmost = board.hindmost(side);
        Men { places, points: points & !bar, blots: places & !points & !bar, on_bar: men[BAR], pips, hindmost, men }
    }

    /// Pips until no man stands behind the hindmost one of the other side. From the same point it may still be met.
    fn pips_to_pass(&self, other: &Men) -> usize {
        let Some(hindmost) = other.hindmost else { return 0 };
        // Where the other's hindmost man stands, as this side counts; below 0 is its bar.
        let wall = POINTS as isize - 1 - hindmost as isize;
        let behind = |(place, &count): (usize, &u8)| (place as isize - wall).max(0) as usize * usize::from(count);
        self.men.iter().enumerate().map(behind).sum()
    }

    /// Points held side by side.
    fn longest_prime(&self) -> u32 {
        let (mut left, mut length) = (self.points, 0);
        while left != 0 {
            left &= left << 1;
            length += 1;
        }
        length
    }

    /// Which of the twelve points in front of a man of the other side, in `place` as that counts, are held: the nearest is bit 0.
    fn points_ahead(&self, place: usize) -> u32 {
        // The nearest point in front of it is the one that this side counts as 24 - place.
        (self.points >> (POINTS - place)) & 0xfff
    }

    /// The most rolls that a man of the other's could not play, from wherever its hindmost has still to go.
    fn containment(&self, other: &Men) -> f32 {
        let Some(hindmost) = other.hindmost else { return 0.0 };
        (POINTS / 2..=hindmost).map(|place| unplayable(self.points_ahead(place))).max().map_or(0.0, f32::from)
    }

    /// Of 36 rolls how many hit a blot of the other's.
    fn shots(&self, other: &Men) -> u8 {
        let turned = |places: u32| (places & 0xff_ffff).reverse_bits() >> (32 - POINTS);
        let (blots, free) = (turned(other.blots), !turned(other.points) & 0xff_ffff);
        if blots == 0 || self.places == 0 {
            return 0;
        }
        let bar = 1u32 << BAR;
        // Men that may move by the first number, and those that may by the second, too, once a man has come off the bar.
        let (movers, others) = match self.on_bar {
            0 => (self.places, 0),
            1 => (bar, self.places & !bar),
            _ => (bar, 0),
        };
        let mut shots = 0;
        for first in 1..=6 {
            // All four steps of a double, or as many as there are: where men can be that began in `movers`.
            let (mut reached, mut hit) = (movers, false);
            for step in 0..4 {
                reached = (reached >> first) & free;
                hit |= reached & blots != 0;
                if reached == 0 {
                    break;
                }
                if step == 0 {
                    reached |= others;
                }
                if self.on_bar > 1 {
                    break;
                }
            }
            shots += u8::from(hit);
            for second in first + 1..=6 {
                let hits = |a: u32, b: u32| {
                    let reached = (movers >> a) & free;
                    let next = if reached == 0 { 0 } else { reached | others };
                    reached & blots != 0 || (self.on_bar < 2 && (next >> b) & blots != 0)
                };
                shots += 2 * u8::from(hits(first, second) || hits(second, first));
            }
        }
        shots
    }
}

/// Of 36 rolls how many a single man cannot play to the end, if of the twelve points in front of it those of the set are held
/// (bit 0 is the nearest), and nothing further on is.
fn unplayable(held: u32) -> u8 {
    static TABLE: [u8; 1 << 12] = unplayable_rolls();
    TABLE[(held & 0xfff) as usize]
}

const fn unplayable_rolls() -> [u8; 1 << 12] {
    let mut table = [0; 1 << 12];
    let mut held = 0;
    while held < 1 << 12 {
        let mut first = 1;
        while first <= 6 {
            let mut second = first;
            while second <= 6 {
                let whole = held >> (first + second - 1) & 1 == 1;
                let ways = (held >> (first - 1) & 1 == 0) || (held >> (second - 1) & 1 == 0);
                if whole || !ways {
                    table[held] += if first == second { 1 } else { 2 };
                }
                second += 1;
            }
            first += 1;
        }
        held += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::rng::below;
    use afterstate_games::stream;

    fn board(own: &[(usize, u8)], other: &[(usize, u8)]) -> Board {
        let mut men = [[0; BAR + 1]; 2];
        for (side, places) in men.iter_mut().zip([own, other]) {
            places.iter().for_each(|&(place, count)| side[place] = count);
        }
        Board::from_men(men).unwrap()
    }

    fn men(board: &Board) -> [Men; 2] {
        [Men::of(board, Side::First), Men::of(board, Side::Second)]
    }

    /// Shots by playing every roll out.
    fn played_shots(board: &Board) -> u8 {
        fn hits(board: &Board, dice: &[usize]) -> bool {
            let Some((&die, rest)) = dice.split_first() else { return false };
            let from: Vec<usize> = match board.men(Side::First, BAR) {
                0 => (die..BAR).filter(|&place| board.men(Side::First, place) > 0).collect(),
                _ => vec![BAR],
            };
            from.into_iter().any(|from| {
                let step = afterstate_games::backgammon::Step::new(from, Some(from - die));
                let Some(after) = board.after_step(Side::First, step) else { return false };
                after.men(Side::Second, BAR) > board.men(Side::Second, BAR) || hits(&after, rest)
            })
        }
        let mut shots = 0;
        for first in 1..=6 {
            shots += u8::from(hits(board, &[first; 4]));
            for second in first + 1..=6 {
                shots += 2 * u8::from(hits(board, &[first, second]) || hits(board, &[second, first]));
            }
        }
        shots
    }

    #[test]
    fn shots_are_the_rolls_that_hit() {
        // A direct shot from six points away, nothing between: 11 rolls, and 5-1, 4-2, 3-3 and 2-2.
        assert_eq!(men(&board(&[(10, 2)], &[(19, 1)]))[0].places, 1 << 10);
        let shot = board(&[(10, 2)], &[(19, 1)]);
        let [own, other] = men(&shot);
        assert_eq!(own.shots(&other), 17);
        let mut random = stream(4, 0);
        let (mut boards, mut with_shots) = (0, 0);
        while boards < 3000 {
            let mut men_of = [[0u8; BAR + 1]; 2];
            for side in &mut men_of {
                (0..1 + below(&mut random, 9)).for_each(|_| side[below(&mut random, 24) as usize] += 1);
            }
            men_of[0][BAR] = below(&mut random, 4).saturating_sub(2) as u8;
            let Some(board) = Board::from_men(men_of) else { continue };
            let [own, other] = men(&board);
            assert_eq!(own.shots(&other), played_shots(&board), "{board:?}");
            boards += 1;
            with_shots += u32::from(own.shots(&other) > 0);
        }
        assert!(with_shots > 500, "{with_shots}");
    }

    #[test]
    fn primes_hold_men_and_pips_are_counted() {
        // The first side holds its points 4 to 9, a man of the other's is right behind them.
        let prime = board(&[(3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (8, 2)], &[(21, 1), (0, 2)]);
        let [own, other] = men(&prime);
        assert_eq!(own.longest_prime(), 6);
        // From place 21, which the first counts as 2, the points up to six ahead are held: no roll can be played.
        assert_eq!(unplayable(own.points_ahead(21)), 36);
        assert_eq!(own.containment(&other), 36.0);
        // Men at 3 to 8 have 1 to 6 pips to the place of the other's hindmost man.
        assert_eq!((own.pips, own.pips_to_pass(&other)), (2 * (4 + 5 + 6 + 7 + 8 + 9), 2 * (1 + 2 + 3 + 4 + 5 + 6)));
        assert_eq!((other.pips, other.pips_to_pass(&own)), (22 + 2, 21 - 15));
    }

    #[test]
    fn a_man_plays_a_roll_if_it_finds_a_way() {
        assert_eq!(unplayable(0), 0);
        // Six ahead: every 6 but 6-6 can begin with the other number, unless both together are held.
        assert_eq!(unplayable(1 << 5), 2 * 2 + 1 + 1);
        assert_eq!(unplayable(0xfff), 36);
    }

    #[test]
    fn both_sides_count_the_same_where_they_stand_the_same() {
        let (mut first, mut second) = (SparseInputs::default(), SparseInputs::default());
        push_expert_inputs(&Board::start(), Side::First, 0, &mut first);
        push_expert_inputs(&Board::start(), Side::Second, 0, &mut second);
        assert_eq!(first, second);
        let half: Vec<_> = first.iter().filter(|(index, _)| *index < EACH).collect();
        let other: Vec<_> = first.iter().map(|(index, value)| (index.wrapping_sub(EACH), value)).collect();
        assert_eq!(half[..], other[half.len()..]);
    }
}
