//! Plays as people write them (`8/5 6/5`, `bar/22`, `13/7*/2`, `6/off(2)`), positions as XGID.

use super::ids::{self, PositionId};
use super::{BAR, Backgammon, Board, Dice, Move, POINTS, Phase, Play, Step};
use crate::{Game, Notation, NotationError, Side};

/// What is written for a play of nothing.
const NOTHING: &str = "pass";

/// A man on its way: the places that it touches, and whether it hits there.
#[derive(Clone, PartialEq, Eq)]
struct Way {
    from: usize,
    stops: Vec<(Option<usize>, bool)>,
    /// How many men go the same way.
    men: usize,
}

impl Way {
    fn end(&self) -> Option<usize> {
        self.stops.last().map_or(Some(self.from), |stop| stop.0)
    }
}

/// A place as its own side calls it.
fn place_text(place: Option<usize>) -> String {
    match place {
        None => "off".to_string(),
        Some(BAR) => "bar".to_string(),
        Some(place) => (place + 1).to_string(),
    }
}

/// The ways of a play's men, the hindmost first.
fn ways(board: &Board, side: Side, play: &Play) -> Vec<Way> {
    let mut board = *board;
    let mut ways: Vec<Way> = Vec::new();
    for step in play.steps() {
        let hits = step.to().is_some_and(|to| board.men(side.other(), POINTS - 1 - to) == 1);
        board.step(side, step);
        let stop = (step.to(), hits);
        ways.push(Way { from: step.from(), stops: vec![stop], men: 1 });
    }
    ways.sort_by_key(|way| std::cmp::Reverse((way.from, way.end())));
    // A man that goes on from where another arrived might as well be that one.
    while let Some((before, after)) = (0..ways.len()).find_map(|before| {
        let after = ways.iter().position(|way| ways[before].end() == Some(way.from))?;
        Some((before, after))
    }) {
        let stops = ways[after].stops.clone();
        ways[before].stops.extend(stops);
        ways.remove(after);
    }
    let mut together: Vec<Way> = Vec::new();
    for way in ways {
        let same = |other: &&mut Way| {
            other.from == way.from && other.stops.iter().map(|stop| stop.0).eq(way.stops.iter().map(|stop| stop.0))
        };
        match together.iter_mut().find(same) {
            Some(other) => {
                other.men += 1;
                for (stop, also) in other.stops.iter_mut().zip(&way.stops) {
                    stop.1 |= also.1;
                }
            }
            None => together.push(way),
        }
    }
    // Where nobody is hit on the way only its end is told.
    for way in &mut together {
        let last = way.stops.len() - 1;
        let mut index = 0;
        way.stops.retain(|&(_, hits)| {
            index += 1;
            hits || index > last
        });
    }
    together
}

fn play_text(board: &Board, side: Side, play: &Play) -> String {
    if play.steps().next().is_none() {
        return NOTHING.to_string();
    }
    let texts = ways(board, side, play).into_iter().map(|way| {
        let mut text = place_text(Some(way.from));
        for (to, hits) in way.stops {
            text += "/";
            text += &place_text(to);
            text += if hits { "*" } else { "" };
        }
        if way.men > 1 {
            text += &format!("({})", way.men);
        }
        text
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Reads `8/5`, `bar/22*/18`, `6/off(2)`.
fn parse_way(text: &str) -> Option<Way> {
    let (body, men) = match text.strip_suffix(')') {
        Some(text) => {
            let (body, men) = text.split_once('(')?;
            (body, men.parse().ok().filter(|men| (1..=4).contains(men))?)
        }
        None => (text, 1),
    };
    let mut places = body.split('/');
    let from = match places.next()? {
        text if text.eq_ignore_ascii_case("bar") => BAR,
        text => parse_point(text)?,
    };
    let mut stops = Vec::new();
    for text in places {
        let (text, hits) = text.strip_suffix('*').map_or((text, false), |text| (text, true));
        let to = if text.eq_ignore_ascii_case("off") { None } else { Some(parse_point(text)?) };
        stops.push((to, hits));
    }
    let goes_forward = |from: Option<usize>, to: Option<usize>| from.is_some() && to < from;
    let mut before = Some(from);
    for &(to, hits) in &stops {
        if !goes_forward(before, to) || (hits && to.is_none()) {
            return None;
        }
        before = to;
    }
    (!stops.is_empty()).then_some(Way { from, stops, men })
}

fn parse_point(text: &str) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (1..=POINTS).contains(&number).then(|| number - 1)
}

/// The places that men are in after `ways`, as the number of men by place, and where they hit.
fn effect(board: &Board, side: Side, ways: &[Way]) -> ([i32; BAR + 1], u32) {
    let mut men: [i32; BAR + 1] = std::array::from_fn(|place| i32::from(board.men(side, place)));
    let mut hits = 0;
    for way in ways {
        men[way.from] -= way.men as i32;
        if let Some(end) = way.end() {
            men[end] += way.men as i32;
        }
        for stop in way.stops.iter().filter(|stop| stop.1) {
            hits |= 1 << stop.0.unwrap_or(BAR);
        }
    }
    (men, hits)
}

/// The play that `text` means here. One that is not legal is returned step by step as it was written.
fn parse_play(game: &Backgammon, text: &str) -> Result<Play, NotationError> {
    let error = |expected: &str| NotationError::new("move", text, expected);
    if text.eq_ignore_ascii_case(NOTHING) {
        return Ok(Play::NOTHING);
    }
    let words: Option<Vec<Way>> = text.split_whitespace().map(parse_way).collect();
    let wanted = words
        .filter(|ways| !ways.is_empty())
        .ok_or_else(|| error("a play such as 8/5 6/5, bar/22, 13/7*/2 or 6/off(2), or 'pass'"))?;
    if let Phase::ToPlay(side, _) = game.phase() {
        let (men, hits) = effect(game.board(), side, &wanted);
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let mut candidates = Vec::new();
        for mv in moves {
            let Move::Play(play) = mv else { continue };
            let (there, hit) = effect(game.board(), side, &ways(game.board(), side, &play));
            if there == men && hit == hits {
                return Ok(play);
            }
            if there == men {
                candidates.push(play);
            }
        }
        match candidates[..] {
            [play] => return Ok(play),
            [] => {}
            _ => return Err(error("a * at every point where a man is hit, since there are several ways")),
        }
    }
    let mut steps = Vec::new();
    for way in &wanted {
        for _ in 0..way.men {
            let mut from = way.from;
            for &(to, _) in &way.stops {
                steps.push(Step::new(from, to));
                from = to.unwrap_or(0);
            }
        }
    }
    if steps.len() > 4 {
        return Err(error("at most four steps"));
    }
    Ok(Play::new(&steps))
}

impl Notation for Backgammon {
    const NAME: &'static str = "backgammon";

    /// A roll is two digits, `31`, in the opening the first player's first. In a play men are named by the points that they
    /// leave and reach, each side counting from its own home.
    fn move_text(&self, mv: Move) -> String {
        match (mv, self.phase()) {
            (Move::Roll(Dice { one, other }), _) => format!("{one}{other}"),
            (Move::Play(play), Phase::ToPlay(side, _)) => play_text(self.board(), side, &play),
            (Move::Play(play), _) => format!("{:?}", play.steps().collect::<Vec<_>>()),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let is_roll = matches!(self.phase(), Phase::Opening | Phase::ToRoll(_));
        if let (true, [one @ b'0'..=b'9', other @ b'0'..=b'9']) = (is_roll, text.as_bytes()) {
            let dice = Dice::new(one - b'0', other - b'0');
            let dice = dice.ok_or_else(|| NotationError::new("roll", text, "two numbers from 1 to 6, such as 31"))?;
            return Ok(Move::Roll(if self.phase() == Phase::Opening { dice } else { dice.sorted() }));
        }
        if is_roll {
            return Err(NotationError::new("roll", text, "two numbers from 1 to 6, such as 31"));
        }
        parse_play(self, text).map(Move::Play)
    }

    /// As [`ids::write_xgid`] writes it.
    fn position_text(&self) -> String {
        ids::write_xgid(self)
    }

    /// What [`ids::read_xgid`] reads.
    fn parse_position(text: &str) -> Result<Backgammon, NotationError> {
        ids::read_xgid(text)
    }

    /// The board as the first player (X) sees it, with its points' numbers, both sides' pips, and GNU Backgammon's position ID.
    fn diagram(&self) -> String {
        let board = self.board();
        let [first, second] = [Side::First, Side::Second];
        // Up to five men stand on a point; of more the last shows how many there are.
        let cell = |mark: char, men: u8, row: u8| match men {
            men if row >= men.min(5) => " . ".to_string(),
            men if row == 4 && men > 5 => format!("{men:2} "),
            _ => format!(" {mark} "),
        };
        let point = |place: usize, row: u8| match (board.men(first, place), board.men(second, POINTS - 1 - place)) {
            (0, 0) if row == 0 => " . ".to_string(),
            (0, 0) => "   ".to_string(),
            (0, men) => cell('O', men, row).replace('.', " "),
            (men, _) => cell('X', men, row).replace('.', " "),
        };
        let bar = |side: Side, row: u8| match (board.men(side, BAR), side) {
            (men, _) if men <= row => " ".to_string(),
            (men, _) if row == 4 && men > 5 => char::from_digit(u32::from(men), 16).unwrap_or('+').to_string(),
            (_, Side::First) => "X".to_string(),
            (_, Side::Second) => "O".to_string(),
        };
        let line = |places: [usize; 12], side: Side, row: u8| {
            let half = |places: &[usize]| places.iter().map(|&place| point(place, row)).collect::<String>();
            format!("|{}| {} |{}|\n", half(&places[..6]), bar(side, row), half(&places[6..]))
        };
        let edge = |places: [usize; 12]| {
            let half = |places: &[usize]| places.iter().map(|place| format!("{:2} ", place + 1)).collect::<String>();
            format!("+{}+---+{}+\n", half(&places[..6]), half(&places[6..]))
        };
        let (top, bottom): ([usize; 12], [usize; 12]) =
            (std::array::from_fn(|index| 12 + index), std::array::from_fn(|index| 11 - index));
        let mut text = edge(top);
        (0..5).for_each(|row| text += &line(top, second, row));
        text += "|                  |BAR|                  |\n";
        (0..5).rev().for_each(|row| text += &line(bottom, first, row));
        text += &edge(bottom);
        for (mark, side) in [('X', first), ('O', second)] {
            let (pips, off) = (board.pips(side), board.off(side));
            text += &format!("{mark}: {pips} pips, {off} off\n");
        }
        let (side, phase) = match self.phase() {
            Phase::Opening => (first, "the opening roll".to_string()),
            Phase::ToRoll(side) => (side, format!("{} to roll", mark(side))),
            Phase::ToPlay(side, dice) => (side, format!("{} to play {}{}", mark(side), dice.one, dice.other)),
            Phase::Over(outcome) => (first, format!("{} has won", outcome.winner.map_or('?', mark))),
        };
        text + &format!("{phase}; position ID {}\n", PositionId::of(board, side))
    }
}

fn mark(side: Side) -> char {
    match side {
        Side::First => 'X',
        Side::Second => 'O',
    }
}
