//! The open part of a position whose other points are settled, small enough for one bit a point.
//!
//! The rules are written anew here, on sets of points, so that the proofs do not lean on the board that they test.
//! Nobody plays on settled points: there a stone only dies, and asks for no answer.

use super::settled::settled;
use afterstate_games::Side;
use afterstate_games::go::{Color, Go, Point};

/// A set of points of the fight.
pub type Set = u64;

/// What does not change during a fight.
pub struct Ground {
    /// The points, by bit.
    pub points: Vec<Point>,
    neighbours: Vec<Set>,
    /// Points beside settled stones of a side.
    anchored: [Set; 2],
    /// Black's settled points minus White's.
    pub settled: i32,
}

/// A moment of a fight.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fight {
    /// Black's stones, White's stones.
    pub stones: [Set; 2],
    /// Who moves.
    pub to_move: Side,
    /// Passes just before.
    pub passes: u8,
    /// The point that simple ko forbids.
    pub ko: Option<u8>,
}

fn bits(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(bit)
    })
}

impl Ground {
    /// The open points of `game`, and the fight there; an error if there are more than 64.
    pub fn new(game: &Go) -> Result<(Ground, Fight), String> {
        let (board, size) = (game.board(), game.size());
        let owner = settled(board);
        let points: Vec<Point> = Point::all(size).filter(|p| owner[p.ordinal(size)].is_none()).collect();
        if points.len() > 64 {
            return Err(format!("{} open points", points.len()));
        }
        let bit_of = |point: Point| points.iter().position(|&p| p == point);
        let neighbours = points
            .iter()
            .map(|&p| board.neighbours_of(p).iter().filter_map(|&n| bit_of(n)).fold(0, |set, bit| set | 1 << bit));
        let of_color = |color: Color| {
            points.iter().enumerate().filter(|(_, p)| board.color(**p) == color).fold(0, |set, (bit, _)| set | 1 << bit)
        };
        let anchored = |side: Side| {
            let settled = |n: &Point| board.color(*n) == Color::of(side) && owner[n.ordinal(size)] == Some(side);
            let beside = |p: &Point| board.neighbours_of(*p).iter().any(settled);
            points.iter().enumerate().filter(|(_, p)| beside(p)).fold(0, |set: Set, (bit, _)| set | 1 << bit)
        };
        let count = |side| owner.iter().filter(|owner| **owner == Some(side)).count() as i32;
        let ground = Ground {
            neighbours: neighbours.collect(),
            anchored: [anchored(Side::First), anchored(Side::Second)],
            settled: count(Side::First) - count(Side::Second),
            points: points.clone(),
        };
        let fight = Fight {
            stones: [of_color(Color::Black), of_color(Color::White)],
            to_move: game.to_move(),
            passes: game.passes(),
            ko: board.ko().and_then(bit_of).map(|bit| bit as u8),
        };
        Ok((ground, fight))
    }

    /// The bit of a point, if it is open.
    pub fn bit(&self, point: Point) -> Option<usize> {
        self.points.iter().position(|&p| p == point)
    }

    fn all(&self) -> Set {
        if self.points.len() == 64 { Set::MAX } else { (1 << self.points.len()) - 1 }
    }

    /// The points of the fight where nothing stands.
    pub fn empty(&self, fight: &Fight) -> Set {
        self.all() & !(fight.stones[0] | fight.stones[1])
    }

    fn around(&self, set: Set) -> Set {
        bits(set).fold(0, |around, bit| around | self.neighbours[bit])
    }

    /// What can be reached from `seed` within `inside`.
    fn flood(&self, seed: Set, inside: Set) -> Set {
        let (mut set, mut edge) = (seed & inside, seed & inside);
        while edge != 0 {
            edge = self.around(edge) & inside & !set;
            set |= edge;
        }
        set
    }

    fn breathes(&self, chain: Set, side: Side, empty: Set) -> bool {
        chain & self.anchored[side.index()] != 0 || self.around(chain) & empty != 0
    }

    /// The fight after a stone on `bit`; `None` if it is suicide or forbidden by ko.
    pub fn play(&self, fight: &Fight, bit: usize) -> Option<Fight> {
        let (me, it, stone) = (fight.to_move, fight.to_move.other(), 1 << bit);
        if fight.ko == Some(bit as u8) {
            return None;
        }
        let mut stones = fight.stones;
        stones[me.index()] |= stone;
        let empty = self.empty(fight) & !stone;
        let mut captured = 0;
        for neighbour in bits(self.neighbours[bit] & stones[it.index()]) {
            if captured >> neighbour & 1 == 0 {
                let chain = self.flood(1 << neighbour, stones[it.index()]);
                if !self.breathes(chain, it, empty) {
                    captured |= chain;
                }
            }
        }
        stones[it.index()] &= !captured;
        let empty = empty | captured;
        let chain = self.flood(stone, stones[me.index()]);
        if !self.breathes(chain, me, empty) {
            return None;
        }
        let alone = chain == stone && stone & self.anchored[me.index()] == 0;
        let is_ko = captured.count_ones() == 1 && alone && self.neighbours[bit] & empty == captured;
        let ko = is_ko.then_some(captured.trailing_zeros() as u8);
        Some(Fight { stones, to_move: it, passes: 0, ko })
    }

    /// The fight after a pass.
    pub fn pass(&self, fight: &Fight) -> Fight {
        Fight { to_move: fight.to_move.other(), passes: fight.passes + 1, ko: None, ..*fight }
    }

    /// Open points that `side` owns for good already: Benson's stones and the regions where no enemy can live.
    pub fn sure(&self, fight: &Fight, side: Side) -> Set {
        let (own, enemy) = (fight.stones[side.index()], side.other().index());
        let (empty, anchored) = (self.empty(fight), self.anchored[side.index()]);
        // Regions that reach the enemy's settled stones are endless: they give nobody an eye.
        let regions = |inside: Set| {
            let mut rest = inside;
            std::iter::from_fn(move || {
                while rest != 0 {
                    let region = self.flood(rest & rest.wrapping_neg(), inside);
                    rest &= !region;
                    if region & self.anchored[enemy] == 0 {
                        return Some(region);
                    }
                }
                None
            })
        };
        let immortal = self.flood(own & anchored, own);
        let mut alive = own;
        loop {
            let mut eyes: [u8; 64] = [0; 64];
            for region in regions(self.all() & !own) {
                let edge = self.around(region) & own;
                if edge & !alive != 0 || region & empty == 0 {
                    continue;
                }
                let mut rest = edge & !immortal;
                while rest != 0 {
                    let chain = self.flood(rest & rest.wrapping_neg(), own);
                    rest &= !chain;
                    if region & empty & !self.around(chain) == 0 {
                        eyes[chain.trailing_zeros() as usize] += 1;
                    }
                }
            }
            let mut still = immortal;
            let mut rest = alive & !immortal;
            while rest != 0 {
                let chain = self.flood(rest & rest.wrapping_neg(), own);
                rest &= !chain;
                if eyes[chain.trailing_zeros() as usize] >= 2 {
                    still |= chain;
                }
            }
            if still == alive {
                break;
            }
            alive = still;
        }
        let mut sure = alive;
        for region in regions(self.all() & !alive) {
            let apart = region & !self.around(alive) & !anchored;
            let one_eye = match apart.count_ones() {
                0 | 1 => true,
                2 => self.neighbours[apart.trailing_zeros() as usize] & apart != 0,
                _ => false,
            };
            if one_eye {
                sure |= region;
            }
        }
        sure
    }

    /// Black's area minus White's with every stone alive, settled points included.
    pub fn score(&self, fight: &Fight) -> i32 {
        let mut score = self.settled + fight.stones[0].count_ones() as i32 - fight.stones[1].count_ones() as i32;
        let empty = self.empty(fight);
        let mut rest = empty;
        while rest != 0 {
            let region = self.flood(rest & rest.wrapping_neg(), empty);
            rest &= !region;
            let edge = self.around(region);
            let reaches = |side: usize| edge & fight.stones[side] != 0 || region & self.anchored[side] != 0;
            score += region.count_ones() as i32 * (i32::from(reaches(0)) - i32::from(reaches(1)));
        }
        score
    }

    /// The lowest and the highest score that can still come out.
    pub fn bounds(&self, fight: &Fight) -> (i32, i32) {
        let count = |side| self.sure(fight, side).count_ones() as i32;
        let open = self.points.len() as i32;
        (self.settled + 2 * count(Side::First) - open, self.settled + open - 2 * count(Side::Second))
    }
}
