//! Which points of a board are decided for good: chains that live even if their owner passes for ever
//! (Benson 1976, *Life in the game of Go*), and regions among them in which the other side cannot make two eyes.

use afterstate_games::Side;
use afterstate_games::go::{Board, Color, Point};

/// For every point, by [`Point::ordinal`], the side that owns it whatever is played; `None` if that is open.
pub fn settled(board: &Board) -> Vec<Option<Side>> {
    let size = board.size();
    let mut owner = vec![None; size * size];
    for side in [Side::First, Side::Second] {
        let alive = alive_stones(board, side);
        for (ordinal, _) in alive.iter().enumerate().filter(|(_, alive)| **alive) {
            owner[ordinal] = Some(side);
        }
        for region in regions(board, |point| !alive[point.ordinal(size)]) {
            let mut apart = region.iter().filter(|&&point| {
                let beside = |n: &Point| board.color(*n) != Color::Border && alive[n.ordinal(size)];
                !board.neighbours_of(point).iter().any(beside)
            });
            // An eye of the enemy needs a point that touches no immortal stone, and one eye is not enough.
            if apart.nth(1).is_none() {
                region.iter().for_each(|point| owner[point.ordinal(size)] = Some(side));
            }
        }
    }
    owner
}

/// Stones of `side` that can never be captured, by ordinal.
fn alive_stones(board: &Board, side: Side) -> Vec<bool> {
    let size = board.size();
    let own = Color::of(side);
    let mut chains: Vec<Point> = Point::all(size).filter(|&p| board.color(p) == own && board.chain(p) == p).collect();
    let mut regions = regions(board, |point| board.color(point) != own);
    loop {
        let touches = |point: Point, chain: Point| {
            board.neighbours_of(point).iter().any(|&n| board.color(n) == own && board.chain(n) == chain)
        };
        let vital = |region: &&Vec<Point>, chain: Point| {
            let mut empty = region.iter().filter(|&&p| board.is_empty(p)).peekable();
            empty.peek().is_some() && empty.all(|&p| touches(p, chain))
        };
        let before = (chains.len(), regions.len());
        chains.retain(|&chain| regions.iter().filter(|region| vital(region, chain)).count() >= 2);
        regions.retain(|region| {
            let mut around = region.iter().flat_map(|&p| board.neighbours_of(p)).filter(|&n| board.color(n) == own);
            around.all(|n| chains.contains(&board.chain(n)))
        });
        if before == (chains.len(), regions.len()) {
            break;
        }
    }
    let alive = |p: Point| board.color(p) == own && chains.contains(&board.chain(p));
    Point::all(size).map(alive).collect()
}

/// The connected areas of points that `inside` accepts.
fn regions(board: &Board, inside: impl Fn(Point) -> bool) -> Vec<Vec<Point>> {
    let size = board.size();
    let mut seen = vec![false; size * size];
    let mut regions = Vec::new();
    for start in Point::all(size).filter(|&p| inside(p)) {
        if std::mem::replace(&mut seen[start.ordinal(size)], true) {
            continue;
        }
        let mut region = vec![start];
        let mut next = 0;
        while let Some(&point) = region.get(next) {
            next += 1;
            for n in board.neighbours_of(point) {
                if board.color(n) != Color::Border && inside(n) && !std::mem::replace(&mut seen[n.ordinal(size)], true)
                {
                    region.push(n);
                }
            }
        }
        regions.push(region);
    }
    regions
}
