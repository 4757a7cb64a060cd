//! [`ChessTerms`]: what a chess evaluation looks at (paper 002, §5: "five well-known, chess specific feature construction
//! concepts: material, piece square tables, pawn structure, mobility and king safety").
//!
//! A term is something that one side shows: a knight on f5, a passed pawn on the sixth rank whose next square is blocked.
//! Each is one weight. White's terms count it, Black's, seen from Black's side of the board, count it negative: so exchanging
//! the colours negates every sum, without anything having to be learnt twice. Most terms are shown or not; some are counted,
//! such as pawns, and then active as often as they are shown.
//!
//! No term says who is to move, though two families ask: pawns that nobody can stop any more, and (KnightCap's) men that hang. The
//! weight of one that says nothing else would learn how much there is to take in the positions of search trees, more than a
//! knight; and as quiescence compares positions with different sides to move, it would then take nothing any more.
//!
//! A `View` works out what all men attack; the functions of the groups read it and name the terms of one side.
//! Who collects them is a `Sink`: learners make a list of them, players sum their weights at once.

mod families;
mod family;
mod frozen;
mod king_safety;
mod knightcap;
mod late;
mod material;
mod mobility;
mod pawns;
mod view;

pub use family::Group;
pub use frozen::FrozenTerms;

use super::features::{ActiveSet, Features, Memory, Share};
use afterstate_games::Chess;
use afterstate_games::chess::cozy_chess::{BitBoard, Color};
use families::{FAMILIES, MEEP};
use serde::{Deserialize, Serialize};
use view::{Camp, View};

/// Which terms there are.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TermSet {
    /// Meep's five groups.
    #[default]
    Meep,
    /// The same and KnightCap's own.
    #[serde(rename = "knightcap")]
    KnightCap,
    /// Meep's, of which each has another one that counts once more with each quarter of the pieces that is gone.
    Tapered,
}

/// The terms of chess as features.
///
/// ```
/// use afterstate_engine::value::{ActiveSet, ChessTerms, Features, TermSet};
/// use afterstate_games::{Chess, Notation};
/// let terms = ChessTerms::new(TermSet::Meep);
/// let game = Chess::parse_position("4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap();
/// let mut set = ActiveSet::default();
/// terms.active(&game, &mut set);
/// let found: Vec<String> = set.shares().iter().map(|share| terms.describe(share.index())).collect();
/// assert!(found.contains(&"mobility: rook on an open file (file h)".to_string()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChessTerms {
    set: TermSet,
}

/// Takes the terms of one side as they are found, but for the late ones, which it knows by those that they belong to.
trait Sink {
    /// The side shows this term.
    #[inline(always)]
    fn add(&mut self, term: usize) {
        self.add_times(term, 1);
    }

    /// The side shows it so many times.
    fn add_times(&mut self, term: usize, times: usize);
}

/// The late terms of a position.
#[derive(Clone, Copy)]
struct Late {
    terms: TermSet,
    /// How often each counts.
    times: usize,
}

impl Late {
    fn new(terms: TermSet, game: &Chess) -> Late {
        Late { terms, times: terms.lateness(game.board()) }
    }

    /// The late term that shows with this one.
    #[inline(always)]
    fn of(self, term: usize) -> Option<usize> {
        if self.times == 0 { None } else { self.terms.late(term) }
    }
}

/// A list of shares.
struct Listing<'a> {
    set: &'a mut ActiveSet,
    minus: bool,
    late: Late,
}

impl Sink for Listing<'_> {
    #[inline(always)]
    fn add_times(&mut self, term: usize, times: usize) {
        let mut push = |term, times| (0..times).for_each(|_| self.set.push(Share::new(term, self.minus)));
        push(term, times);
        if let Some(late) = self.late.of(term) {
            push(late, times * self.late.times);
        }
    }
}

/// A sum of weights.
struct Summing<'a, M> {
    memory: &'a M,
    sum: f32,
    late: Late,
}

impl<M: Memory> Sink for Summing<'_, M> {
    #[inline(always)]
    fn add_times(&mut self, term: usize, times: usize) {
        self.sum += self.memory.worth(Share::new(term, false)) * times as f32;
        if let Some(late) = self.late.of(term) {
            self.sum += self.memory.worth(Share::new(late, false)) * (times * self.late.times) as f32;
        }
    }
}

impl ChessTerms {
    /// The terms of a set.
    pub fn new(set: TermSet) -> ChessTerms {
        ChessTerms { set }
    }

    /// Which set it is.
    pub fn set(&self) -> TermSet {
        self.set
    }

    /// The group that a term belongs to.
    ///
    /// # Panics
    ///
    /// If there is no such term.
    pub fn group(&self, term: usize) -> Group {
        let shown = self.set.early(term).unwrap_or(term);
        let family = FAMILIES.iter().find(|family| shown < family.end());
        family.expect("the term is one of those that are counted").group
    }

    /// All terms of one side.
    #[inline]
    fn visit(&self, game: &Chess, view: &View, camp: &Camp, other: &Camp, sink: &mut impl Sink) {
        let passed = pawns::structure(camp.pawns(), other.pawns(), camp.color, sink);
        self.visit_all_but_structure(game, view, (camp, other), passed, sink);
    }

    /// All terms of the first of two sides but those that pawns alone decide.
    #[inline]
    fn visit_all_but_structure(
        &self,
        game: &Chess,
        view: &View,
        (camp, other): (&Camp, &Camp),
        passed: BitBoard,
        sink: &mut impl Sink,
    ) {
        material::material(camp, sink);
        material::piece_squares(camp, sink);
        pawns::passed(view, camp, other, passed, sink);
        pawns::bishops_pawns(camp, sink);
        mobility::reach(camp, other, sink);
        mobility::threats(view, camp, other, sink);
        king_safety::shelter(game, camp, other, sink);
        king_safety::attack(view, camp, other, sink);
        king_safety::activity(view, camp, other, sink);
        if self.set == TermSet::KnightCap {
            knightcap::terms(view, camp, other, sink);
        }
    }
}

/// Both sides with their opponents.
fn sides(view: &View) -> [(&Camp, &Camp); 2] {
    let [white, black] = &view.camps;
    [(white, black), (black, white)]
}

impl Features<Chess> for ChessTerms {
    fn count(&self) -> usize {
        match self.set {
            TermSet::Meep => MEEP,
            TermSet::KnightCap => FAMILIES.last().map_or(0, family::Family::end),
            TermSet::Tapered => late::TAPERED,
        }
    }

    fn active(&self, game: &Chess, set: &mut ActiveSet) {
        set.clear();
        let (view, late) = (View::new(game), Late::new(self.set, game));
        for (camp, other) in sides(&view) {
            let minus = camp.color == Color::Black;
            self.visit(game, &view, camp, other, &mut Listing { set, minus, late });
        }
    }

    /// `king safety: tropism (knight, 3)`: the group, what it is, and its numbers.
    fn describe(&self, index: usize) -> String {
        let named = |term| FAMILIES.iter().find_map(|family| family.describe(term));
        let text = match self.set.early(index) {
            Some(early) if self.set == TermSet::Tapered => {
                named(early).map(|text| format!("{text}, once with each quarter of the pieces gone"))
            }
            _ => named(index),
        };
        text.filter(|_| index < self.count()).unwrap_or_else(|| "none".to_string())
    }

    fn sum<M: Memory>(&self, game: &Chess, memory: &M) -> f32 {
        let (view, late) = (View::new(game), Late::new(self.set, game));
        let [white, black] = sides(&view).map(|(camp, other)| {
            let mut summing = Summing { memory, sum: 0.0, late };
            self.visit(game, &view, camp, other, &mut summing);
            summing.sum
        });
        white - black
    }
}
