//! The incremental board against one that is recomputed from scratch, after every move of random games.

use afterstate_games::go::{Board, Color, Go, Move, Point, Scoring};
use afterstate_games::rng::{below, stream};
use afterstate_games::{Game, Record, Side, Turn};
use std::collections::{HashMap, HashSet};

/// Go as the rule book tells it: a grid, and flood fill for everything.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Naive {
    size: usize,
    /// Row by row from A1: 'X', 'O' or '.'.
    grid: Vec<char>,
    ko: Option<usize>,
}

fn symbol(side: Side) -> char {
    match side {
        Side::First => 'X',
        Side::Second => 'O',
    }
}

impl Naive {
    fn new(size: usize) -> Naive {
        Naive { size, grid: vec!['.'; size * size], ko: None }
    }

    fn neighbours(&self, at: usize) -> Vec<usize> {
        let (x, y) = (at % self.size, at / self.size);
        let mut list = Vec::new();
        if x > 0 {
            list.push(at - 1);
        }
        if x + 1 < self.size {
            list.push(at + 1);
        }
        if y > 0 {
            list.push(at - self.size);
        }
        if y + 1 < self.size {
            list.push(at + self.size);
        }
        list
    }

    /// The connected points of the same symbol, and the symbols and points around them.
    fn region(&self, at: usize) -> (Vec<usize>, HashSet<usize>) {
        let (mut inside, mut around) = (vec![at], HashSet::new());
        let mut seen = vec![false; self.grid.len()];
        seen[at] = true;
        let mut next = 0;
        while next < inside.len() {
            for n in self.neighbours(inside[next]) {
                if self.grid[n] != self.grid[at] {
                    around.insert(n);
                } else if !std::mem::replace(&mut seen[n], true) {
                    inside.push(n);
                }
            }
            next += 1;
        }
        (inside, around)
    }

    fn liberties(&self, at: usize) -> Vec<usize> {
        self.region(at).1.into_iter().filter(|&n| self.grid[n] == '.').collect()
    }

    /// The stones that a stone here would capture.
    fn captures(&self, at: usize, side: Side) -> HashSet<usize> {
        let mut captured = HashSet::new();
        for n in self.neighbours(at) {
            if self.grid[n] == symbol(side.other()) && self.liberties(n) == [at] {
                captured.extend(self.region(n).0);
            }
        }
        captured
    }

    fn play(&mut self, at: usize, side: Side) -> usize {
        let captured = self.captures(at, side);
        self.grid[at] = symbol(side);
        for &stone in &captured {
            self.grid[stone] = '.';
        }
        let lone = captured.len() == 1 && self.region(at).0.len() == 1 && self.liberties(at).len() == 1;
        self.ko = if lone { captured.iter().next().copied() } else { None };
        captured.len()
    }

    fn is_legal(&self, at: usize, side: Side) -> bool {
        if self.grid[at] != '.' || self.ko == Some(at) {
            return false;
        }
        let mut after = self.clone();
        after.play(at, side);
        !after.liberties(at).is_empty()
    }

    /// A point whose neighbours are all of one side, with fewer than two hostile diagonals, or none on the edge.
    fn is_eye(&self, at: usize, side: Side) -> bool {
        let (x, y, last) = ((at % self.size) as i32, (at / self.size) as i32, self.size as i32 - 1);
        let mut hostile = 0;
        for (dx, dy) in [(-1, -1), (-1, 1), (1, -1), (1, 1)] {
            let (a, b) = (x + dx, y + dy);
            if (0..=last).contains(&a) && (0..=last).contains(&b) {
                hostile += i32::from(self.grid[b as usize * self.size + a as usize] == symbol(side.other()));
            }
        }
        let on_edge = x == 0 || y == 0 || x == last || y == last;
        self.neighbours(at).iter().all(|&n| self.grid[n] == symbol(side)) && hostile < if on_edge { 1 } else { 2 }
    }

    /// Tromp-Taylor: stones, and the empty regions that touch one colour only.
    fn area_difference(&self) -> i32 {
        let mut difference = 0;
        for at in 0..self.grid.len() {
            let reaches = |c: char| self.region(at).1.iter().any(|&n| self.grid[n] == c);
            difference += match self.grid[at] {
                'X' => 1,
                'O' => -1,
                _ => i32::from(reaches('X') && !reaches('O')) - i32::from(reaches('O') && !reaches('X')),
            };
        }
        difference
    }

    /// The same stones, put down from nothing.
    fn rebuilt(&self) -> Board {
        let color = |at: usize| match self.grid[at] {
            'X' => Color::Black,
            'O' => Color::White,
            _ => Color::Empty,
        };
        let stones = Point::all(self.size).enumerate().map(|(at, point)| (point, color(at)));
        Go::set_up(self.size, stones).expect("every chain has a liberty").board().clone()
    }
}

fn compare(board: &Board, naive: &Naive) {
    let size = naive.size;
    let ordinals = |points: &mut dyn Iterator<Item = Point>| points.map(|p| p.ordinal(size)).collect::<HashSet<_>>();
    assert_eq!(board.hash(), naive.rebuilt().hash());
    assert_eq!(board.ko().map(|p| p.ordinal(size)), naive.ko);
    assert_eq!(board.area_difference(), naive.area_difference());
    for side in [Side::First, Side::Second] {
        assert_eq!(board.stone_count(side), naive.grid.iter().filter(|&&c| c == symbol(side)).count());
    }
    let empty: HashSet<usize> = (0..naive.grid.len()).filter(|&at| naive.grid[at] == '.').collect();
    assert_eq!(board.empty_count(), empty.len());
    assert_eq!(ordinals(&mut board.empty_points()), empty);

    let mut captured = Vec::new();
    for (at, point) in Point::all(size).enumerate() {
        assert_eq!(board.color(point).side().map_or('.', symbol), naive.grid[at]);
        for side in [Side::First, Side::Second] {
            assert_eq!(board.is_legal(point, side), naive.is_legal(at, side), "{side:?} {}", point.label(size));
            if naive.grid[at] == '.' {
                let expected = naive.captures(at, side);
                board.captures(point, side, &mut captured);
                assert_eq!(captured.len(), expected.len(), "no stone is named twice");
                assert_eq!(ordinals(&mut captured.iter().copied()), expected);
                assert_eq!(board.captures_something(point, side), !expected.is_empty());
                assert_eq!(board.is_eye(point, side), naive.is_eye(at, side), "{side:?} {}", point.label(size));
                let sensible = naive.is_legal(at, side) && !naive.is_eye(at, side);
                assert_eq!(board.is_sensible(point, side), sensible);
            }
        }
        if naive.grid[at] != '.' {
            let (chain, liberties) = (naive.region(at).0, naive.liberties(at));
            assert_eq!(board.chain_len(point), chain.len());
            assert_eq!(ordinals(&mut board.chain_stones(point)), chain.iter().copied().collect());
            assert!(chain.iter().all(|&stone| board.chain(Point::from_ordinal(stone, size)) == board.chain(point)));
            let single = if let [liberty] = liberties[..] { Some(liberty) } else { None };
            assert_eq!(board.atari_liberty(point).map(|p| p.ordinal(size)), single);
        }
    }
}

/// Plays a random game; every second one fills its own eyes, so that large chains die.
fn random_game(size: usize, seed: u64, longest: usize, mut each: impl FnMut(&Go, &Naive)) {
    let rng = &mut stream(seed, size as u64);
    let (mut game, mut naive, mut moves) = (Go::new(size), Naive::new(size), Vec::new());
    for _ in 0..longest {
        let Turn::Player(side) = game.turn() else { break };
        if seed.is_multiple_of(2) {
            game.candidate_moves(&mut moves)
        } else {
            game.legal_moves(&mut moves)
        }
        let mv = moves[below(rng, moves.len() as u32) as usize];
        let captured = match mv.point() {
            Some(point) => naive.play(point.ordinal(size), side),
            None => {
                naive.ko = None;
                0
            }
        };
        let before = game.board().stone_count(side.other());
        game.play(mv);
        assert_eq!(before - game.board().stone_count(side.other()), captured);
        each(&game, &naive);
    }
}

#[test]
fn incremental_board_equals_recomputation() {
    for (size, games, longest) in [(5, 40, 300), (6, 10, 300), (7, 6, 300), (9, 4, 250), (13, 1, 300), (19, 1, 120)] {
        for seed in 0..games {
            random_game(size, seed, longest, |game, naive| compare(game.board(), naive));
        }
    }
}

#[test]
fn tromp_taylor_score_equals_flood_fill() {
    for (size, games) in [(5, 200), (9, 40), (13, 10), (19, 4)] {
        for seed in 0..games {
            // Positions from all stages of games: open ones have regions that touch both colours.
            let longest = 1 + (seed as usize * 7) % (2 * size * size);
            let mut last = None;
            random_game(size, seed, longest, |game, naive| last = Some((game.clone(), naive.clone())));
            let (game, naive) = last.expect("at least one move");
            assert_eq!(game.score(), f64::from(naive.area_difference()) - 7.5);
            let (chinese, stones) = (game.clone().with_scoring(Scoring::Chinese), naive.area_difference());
            assert_eq!(chinese.score(), f64::from(stones) - 7.5, "no handicap, no compensation");
            for point in Point::all(size) {
                let (_, around) = naive.region(point.ordinal(size));
                let touches = |c: char| around.iter().any(|&n| naive.grid[n] == c);
                let owner = match naive.grid[point.ordinal(size)] {
                    'X' => Some(Side::First),
                    'O' => Some(Side::Second),
                    _ if touches('X') && !touches('O') => Some(Side::First),
                    _ if touches('O') && !touches('X') => Some(Side::Second),
                    _ => None,
                };
                assert_eq!(game.board().owner(point), owner);
            }
        }
    }
}

#[test]
fn equal_stones_have_equal_hashes_and_no_others() {
    let mut hashes: HashMap<u64, Vec<char>> = HashMap::new();
    for seed in 0..300 {
        random_game(5, seed, 300, |game, naive| {
            let known = hashes.entry(game.board().hash()).or_insert_with(|| naive.grid.clone());
            assert_eq!(*known, naive.grid);
        });
    }
    assert!(hashes.len() > 5000);
}

#[test]
fn superko_is_what_the_history_of_positions_says() {
    let (mut forbidden, mut moves) = (0, Vec::new());
    for seed in 0..400 {
        let rng = &mut stream(seed, 77);
        let mut record = Record::new(Go::new(5));
        let mut naive = Naive::new(5);
        let mut history = HashSet::from([naive.grid.clone()]);
        for _ in 0..300 {
            let Turn::Player(side) = record.turn() else { break };
            record.legal_moves(&mut moves);
            for (at, point) in Point::all(5).enumerate() {
                let mut legal = naive.is_legal(at, side);
                if legal {
                    let mut after = naive.clone();
                    after.play(at, side);
                    legal = !history.contains(&after.grid);
                    forbidden += usize::from(!legal);
                }
                assert_eq!(record.is_legal(Move::play(point)), legal);
                assert_eq!(moves.contains(&Move::play(point)), legal);
            }
            assert!(moves.contains(&Move::PASS));
            // Stones rather than passes, which would end the game early.
            let choices = if moves.len() > 1 { moves.len() - 1 } else { 1 };
            let mv = moves[below(rng, choices as u32) as usize];
            match mv.point() {
                Some(point) => drop(naive.play(point.ordinal(5), side)),
                None => naive.ko = None,
            }
            record.play(mv);
            history.insert(naive.grid.clone());
        }
    }
    assert!(forbidden > 100, "superko forbade only {forbidden} moves: too few to test it");
}

/// White sends two stones and Black returns one: the third move would recreate the start, which
/// simple ko does not notice.
#[test]
fn sending_two_and_returning_one_is_forbidden() {
    use afterstate_games::Notation;
    let mut record = Record::new(Go::parse_position("5/5/5/XXOO1/1O1O1 w").unwrap());
    let mut play = |text: &str| {
        let mv = record.position().parse_move(text).unwrap();
        let allowed = (record.position().is_legal(mv), record.is_legal(mv));
        if allowed.1 {
            record.play(mv);
        }
        allowed
    };
    assert_eq!(play("A1"), (true, true));
    assert_eq!(play("C1"), (true, true));
    assert_eq!(play("B1"), (true, false));
    // After an exchange elsewhere the position would be a new one.
    assert_eq!(play("E5"), (true, true));
    assert_eq!(play("A5"), (true, true));
    assert_eq!(play("B1"), (true, true));
    // Taking moves back takes them out of the history as well.
    for _ in 0..6 {
        record.undo();
    }
    assert_eq!(record.position().position_text(), "5/5/5/XXOO1/1O1O1 w komi=7.5");
    assert!(record.is_legal(record.position().parse_move("A1").unwrap()));
}
