//! [`Conduct`]: how a game's player behaves beyond what its search says, above all when it ends a game.

use super::Purpose;
use afterstate_engine::Value;
use afterstate_engine::search::{GoOwnership, MoveReport, SearchReport};
use afterstate_games::go::{Go, Move, Point};
use afterstate_games::{Game, Record, Side};

/// What a player knows of a game's manners.
pub trait Conduct<G: Game>: Send {
    /// What has to be seen of simulations to behave well.
    type Observer: Send;

    /// A search in another position begins.
    fn begin(&mut self, observer: &mut Self::Observer) {
        let _ = observer;
    }

    /// How long a game from here usually is, in moves of both sides, if that depends on the position: on the size of the
    /// board, say. Thinking time is shared out by it.
    fn game_length(&self, game: &G) -> Option<f32> {
        let _ = game;
        None
    }

    /// Takes moves out of those that are considered, all of which are legal; one at least should stay. Only searches that are
    /// observed are asked for.
    fn consider(&self, record: &Record<G>, purpose: Purpose, moves: &mut Vec<G::Move>) {
        let _ = (record, purpose, moves);
    }

    /// A legal move to be played instead of the first one of `report`, which is the search's choice.
    fn overrule(
        &mut self,
        record: &Record<G>,
        purpose: Purpose,
        report: &SearchReport<G::Move>,
        observer: &Self::Observer,
    ) -> Option<G::Move> {
        let _ = (record, purpose, report, observer);
        None
    }

    /// Who has won a game that has ended, if what was seen of simulations just before knows better than the rules.
    fn final_value(&self, game: &G, observer: &Self::Observer) -> Option<Value> {
        let _ = (game, observer);
        None
    }
}

/// The search's choice, always.
impl<G: Game> Conduct<G> for () {
    type Observer = ();
}

/// When a player of Go passes, and how it captures what is dead.
///
/// * After the opponent's pass it passes if it wins the count with every stone alive, and the count without the
///   stones that simulations take to be dead.
/// * Else it answers no pass by a pass while it has a move that fills no eye: under area scoring a stone in one's own area
///   costs nothing, and dead stones can be captured. To pass first is a move like others, for the search to choose: in a
///   seki it may be the only good one.
/// * When a game is played on to clean up, it plays on liberties of the opponent's dead chains. As soon as there are none
///   it passes if it wins both counts, and either the opponent has passed or the search says that to pass costs nothing:
///   stones that invade may be neither dead nor alive yet.
/// * A game that has ended is counted without the stones that simulations took to be dead.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoConduct;

/// While cleaning up, moves are as good as the best if they are worth at most so much less.
const AS_GOOD: f32 = 0.05;

fn wins(side: Side, score: f64) -> bool {
    match side {
        Side::First => score > 0.0,
        Side::Second => score < 0.0,
    }
}

impl Conduct<Go> for GoConduct {
    type Observer = GoOwnership;

    /// Most games are decided, or given up, when nine tenths of the board are filled.
    fn game_length(&self, game: &Go) -> Option<f32> {
        Some(0.9 * (game.size() * game.size()) as f32)
    }

    fn begin(&mut self, observer: &mut GoOwnership) {
        observer.clear();
    }

    /// A pass that ends the game would draw all simulations to it, and none would say what is dead: whether to pass is
    /// decided afterwards. Where there is a single other move, which may lose a seki, the search has to compare them.
    fn consider(&self, record: &Record<Go>, _purpose: Purpose, moves: &mut Vec<Move>) {
        if moves.len() > 2 && record.position().passes() > 0 {
            moves.retain(|mv| !mv.is_pass());
        }
    }

    fn overrule(
        &mut self,
        record: &Record<Go>,
        purpose: Purpose,
        report: &SearchReport<Move>,
        observer: &GoOwnership,
    ) -> Option<Move> {
        let game = record.position();
        let side = game.to_move();
        let ownership = observer.mean()?;
        let won = || wins(side, game.score()) && wins(side, ownership.score(game));
        if purpose == Purpose::Play {
            return (game.passes() > 0 && won()).then_some(Move::PASS);
        }
        let board = game.board();
        let mut dead = ownership.dead_stones(board);
        dead.retain(|&stone| board.color(stone).side() == Some(side.other()));
        // Where everything wins, the search may have tried a single move: all-moves-as-first values know the others, too.
        let seen = |report: &MoveReport<Move>| {
            let own = report.value.filter(|_| report.visits > 0);
            let rapid = report.amaf_value.filter(|_| report.amaf_visits > 0);
            own.or(rapid).map_or(f32::NEG_INFINITY, |value| value.seen_by(side))
        };
        let best = report.moves.iter().map(seen).fold(f32::NEG_INFINITY, f32::max);
        if dead.is_empty() {
            let pass_is_as_good =
                || report.moves.iter().any(|report| report.mv.is_pass() && seen(report) >= best - AS_GOOD);
            return ((game.passes() > 0 || pass_is_as_good()) && won()).then_some(Move::PASS);
        }
        let presses = |point: Point| board.neighbours_of(point).iter().any(|n| dead.contains(n));
        let mut pressing: Vec<_> = report
            .moves
            .iter()
            .filter(|report| seen(report) >= best - AS_GOOD)
            .filter_map(|report| report.mv.point())
            .filter(|&point| {
                presses(point) && (board.captures_something(point, side) || !board.is_self_atari(point, side))
            })
            .collect();
        // Captures first; the order of the report, which is by merit, otherwise.
        pressing.sort_by_key(|&point| !board.captures_something(point, side));
        pressing.first().copied().map(Move::play)
    }

    fn final_value(&self, game: &Go, observer: &GoOwnership) -> Option<Value> {
        let score = observer.mean().filter(|ownership| ownership.size() == game.size())?.score(game);
        Some(if wins(Side::First, score) {
            Value(1.0)
        } else if wins(Side::Second, score) {
            Value(0.0)
        } else {
            Value::EVEN
        })
    }
}
