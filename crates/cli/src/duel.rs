//! Many quick games between two of our own players: pairs from the same random opening with sides exchanged.
//!
//! Only results are kept. Whoever wants moves, clocks or external engines plays a match in the arena.

use afterstate_arena::player::Player;
use afterstate_arena::rating::{Results, Tally};
use afterstate_engine::Budget;
use afterstate_games::playout::draw_chance;
use afterstate_games::rng::{Rng, below, mix};
use afterstate_games::{Game, Outcome, Record, Side, Turn, stream};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};

/// How the games are played.
pub struct Conditions<G> {
    /// Where every game begins.
    pub start: G,
    /// Random moves before the players take over, the same for both games of a pair.
    pub opening_moves: usize,
    /// Opening of pair i: stream i.
    pub seed: u64,
}

/// Results of one player against another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Wins, draws and losses when moving first.
    pub first: [u64; 3],
    /// The same when moving second.
    pub second: [u64; 3],
}

impl Score {
    /// Games in all.
    pub fn games(&self) -> u64 {
        self.first.iter().chain(&self.second).sum()
    }

    /// Points for each game, a draw counting one half.
    pub fn mean(&self) -> f64 {
        let points = |[wins, draws, _]: [u64; 3]| wins as f64 + draws as f64 / 2.0;
        (points(self.first) + points(self.second)) / self.games().max(1) as f64
    }

    /// Counts the games of another score too.
    pub fn add(&mut self, other: &Score) {
        let pairs = [(&mut self.first, &other.first), (&mut self.second, &other.second)];
        for (mine, other) in pairs {
            for (count, more) in mine.iter_mut().zip(other) {
                *count += more;
            }
        }
    }

    /// Counts one more game, in which `mine` was the player's side.
    pub fn count(&mut self, outcome: Outcome, mine: Side) {
        let column = match outcome.winner {
            Some(side) if side == mine => 0,
            None => 1,
            Some(_) => 2,
        };
        match mine {
            Side::First => self.first[column] += 1,
            Side::Second => self.second[column] += 1,
        }
    }

    /// Adds these games to `results` under the names of the two players.
    pub fn add_to(&self, results: &mut Results, me: &str, opponent: &str) -> Result<()> {
        let tally = |[wins, draws, losses]: [u64; 3]| Tally { wins, draws, losses };
        let [wins, draws, losses] = self.second;
        results.add(me, opponent, tally(self.first))?;
        results.add(opponent, me, tally([losses, draws, wins]))?;
        Ok(())
    }
}

/// The random opening of pair number `pair`.
pub fn opening<G: Game>(conditions: &Conditions<G>, pair: u64) -> Vec<G::Move> {
    let mut rng = stream(conditions.seed, pair);
    let mut game = conditions.start.clone();
    let mut moves = Vec::new();
    let mut played = Vec::new();
    for _ in 0..conditions.opening_moves {
        game.candidate_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        let mv = moves[below(&mut rng, moves.len() as u32) as usize];
        game.play(mv);
        played.push(mv);
    }
    played
}

/// Two players that meet.
pub type Pairing<G> = [Box<dyn Player<G>>; 2];

/// Plays as many games as [`duel`] would, each of the pairings on a thread of its own: all of them are of the same two players.
pub fn duels<G: Game>(
    conditions: &Conditions<G>,
    pairings: Vec<Pairing<G>>,
    games: u64,
    stop: &AtomicBool,
) -> Result<Score> {
    let threads = pairings.len();
    let scores = std::thread::scope(|scope| {
        let play = |(first, [mut me, mut opponent]): (usize, Pairing<G>)| {
            let games = (first as u64..games).step_by(threads);
            scope.spawn(move || duel(conditions, &mut *me, &mut *opponent, games, stop))
        };
        let threads: Vec<_> = pairings.into_iter().enumerate().map(play).collect();
        threads.into_iter().map(|thread| thread.join().expect("players do not panic")).collect::<Result<Vec<_>>>()
    })?;
    let mut all = Score::default();
    scores.iter().for_each(|score| all.add(score));
    Ok(all)
}

/// Plays the games with numbers in `games`, the first player to move first in those with an even
/// number; fewer if `stop` is set meanwhile.
pub fn duel<G: Game>(
    conditions: &Conditions<G>,
    me: &mut dyn Player<G>,
    opponent: &mut dyn Player<G>,
    games: impl IntoIterator<Item = u64>,
    stop: &AtomicBool,
) -> Result<Score> {
    let mut score = Score::default();
    for number in games {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut record = Record::new(conditions.start.clone());
        for mv in opening(conditions, number / 2) {
            record.play(mv);
        }
        let mine = if number % 2 == 0 { Side::First } else { Side::Second };
        // Both games of a pair have the same throws of the dice.
        let mut dice = stream(mix(conditions.seed), number / 2);
        let outcome = finish(&mut record, me, opponent, mine, mix(conditions.seed ^ mix(number)), &mut dice)?;
        score.count(outcome, mine);
    }
    Ok(score)
}

/// Plays a game to its end.
fn finish<G: Game>(
    record: &mut Record<G>,
    me: &mut dyn Player<G>,
    opponent: &mut dyn Player<G>,
    mine: Side,
    seed: u64,
    dice: &mut Rng,
) -> Result<Outcome> {
    me.new_game(record, seed)?;
    opponent.new_game(record, mix(seed))?;
    let (budget, mut chances) = (Budget::default(), Vec::new());
    loop {
        let mv = match record.turn() {
            Turn::Over(outcome) => return Ok(outcome),
            Turn::Chance => {
                record.position().chance_outcomes(&mut chances);
                draw_chance(&chances, dice)
            }
            Turn::Player(side) => {
                let decision =
                    if side == mine { me.choose(record, &budget)? } else { opponent.choose(record, &budget)? };
                match decision.best {
                    Some(mv) => mv,
                    None => return Ok(Outcome::win(side.other())),
                }
            }
        };
        record.play(mv);
        me.move_played(record)?;
        opponent.move_played(record)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_arena::RandomPlayer;
    use afterstate_games::go::Go;

    #[test]
    fn equal_players_play_the_same_games_each_time() {
        let conditions = Conditions { start: Go::new(5).with_move_limit(75), opening_moves: 2, seed: 3 };
        let stop = AtomicBool::new(false);
        let play =
            || duel(&conditions, &mut RandomPlayer::default(), &mut RandomPlayer::default(), 0..20, &stop).unwrap();
        let score = play();
        assert_eq!(score, play());
        assert_eq!((score.games(), score.first.iter().sum::<u64>()), (20, 10));
        for threads in [1, 3, 20] {
            let pairing = |_| -> Pairing<Go> { [Box::new(RandomPlayer::default()), Box::new(RandomPlayer::default())] };
            let pairings = (0..threads).map(pairing).collect();
            assert_eq!(duels(&conditions, pairings, 20, &stop).unwrap(), score, "{threads} threads");
        }
    }
}
