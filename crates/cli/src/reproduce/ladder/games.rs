//! The games of the ladder: who meets whom how often, and every pair of games kept as it ends.

use super::{RANDOM, Size};
use crate::agent::AgentSpec;
use crate::duel::{Conditions, Score, duel, opening};
use crate::progress::Progress;
use crate::registry::{Playable, players};
use crate::reproduce::play::never_began;
use crate::reproduce::pool::{Duel, DuelLog, OPENING_MOVES, PlayerCache, weights_sum};
use crate::reproduce::{Workplace, gnugo};
use afterstate_arena::RandomPlayer;
use afterstate_arena::game_loop::{GameRules, play_game};
use afterstate_arena::player::Player;
use afterstate_games::Side;
use afterstate_games::go::Go;
use afterstate_games::rng::mix;
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One pairing: who, and how many games.
pub(super) struct Pairing {
    pub player: Seat,
    pub opponent: Seat,
    games: u64,
    seed: u64,
}

/// A player of the ladder.
#[derive(Clone)]
pub(super) enum Seat {
    Random,
    Greedy(u64, PathBuf),
    AlphaBeta(u32, PathBuf),
    GnuGo(u32),
}

impl Seat {
    pub fn name(&self) -> String {
        match self {
            Seat::Random => RANDOM.to_string(),
            Seat::Greedy(games, _) => format!("greedy@{games}"),
            Seat::AlphaBeta(depth, _) => format!("alpha-beta-{depth}"),
            Seat::GnuGo(level) => format!("gnugo-{level}"),
        }
    }

    /// A check sum of its weights, empty without any.
    pub fn weights(&self) -> Result<String> {
        weights_sum(match self {
            Seat::Greedy(_, path) | Seat::AlphaBeta(_, path) => Some(path.as_path()),
            Seat::Random | Seat::GnuGo(_) => None,
        })
    }

    fn is_external(&self) -> bool {
        matches!(self, Seat::GnuGo(_))
    }

    fn sit(&self, cache: &PlayerCache) -> Result<Box<dyn Player<Go>>> {
        let spec = match self {
            Seat::Random => return Ok(Box::new(RandomPlayer::default())),
            Seat::Greedy(_, path) => return Ok(Box::new(cache.greedy(path)?)),
            Seat::AlphaBeta(depth, path) => format!("alpha-beta:{},depth={depth}", path.display()),
            Seat::GnuGo(level) => gnugo::agent(*level),
        };
        Ok(players(&Go::new(9), &AgentSpec::parse(&spec)?)?()?)
    }
}

impl Pairing {
    fn weights(&self) -> Result<[String; 2]> {
        Ok([self.player.weights()?, self.opponent.weights()?])
    }
}

/// All pairings in the order in which they are worth playing.
pub(super) fn pairings(size: &Size, checkpoints: &[(u64, PathBuf)]) -> Vec<Pairing> {
    let mut seats: Vec<Seat> = vec![Seat::Random];
    seats.extend(checkpoints.iter().map(|(games, path)| Seat::Greedy(*games, path.clone())));
    let last = checkpoints.last().map(|(_, path)| path.clone()).unwrap_or_default();
    let final_seat = seats[seats.len() - 1].clone();
    // Depth 1 is the greedy player itself.
    let mut depths = vec![final_seat];
    depths.extend((2..=size.depths).map(|depth| Seat::AlphaBeta(depth, last.clone())));

    let mut pairs: Vec<(Seat, Seat, u64)> = Vec::new();
    let mut everybody = |seats: &[Seat], games| {
        for (i, a) in seats.iter().enumerate() {
            for b in &seats[..i] {
                pairs.push((a.clone(), b.clone(), games));
            }
        }
    };
    everybody(&seats, size.pair_games);
    everybody(&depths, size.depth_games);
    for level in &size.gnugo {
        let opponent = Seat::GnuGo(level.level);
        let last_checkpoints = seats.iter().rev().take(level.checkpoints);
        pairs.extend(last_checkpoints.map(|player| (player.clone(), opponent.clone(), level.checkpoint_games)));
        pairs.extend(depths.iter().map(|player| (player.clone(), opponent.clone(), level.games)));
    }
    // Pairings of the same two are not played twice: the first stands.
    let mut known: Vec<(String, String)> = Vec::new();
    pairs.retain(|(a, b, _)| {
        let pair = (a.name(), b.name());
        let new = !known.contains(&pair);
        known.push(pair);
        new
    });
    pairs
        .into_iter()
        .enumerate()
        .map(|(i, (player, opponent, games))| Pairing { player, opponent, games, seed: mix(0x7ab1e2 + i as u64) })
        .collect()
}

/// Plays what the log has not.
pub(super) fn play(place: &Workplace, size: &Size, checkpoints: &[(u64, PathBuf)]) -> Result<DuelLog> {
    let path = place.runs.join("ladder.jsonl");
    let log = DuelLog::open(&path)?;
    let cache = PlayerCache::default();
    // A pair of games is the unit of work: whatever is killed loses at most one.
    let mut work: Vec<(Pairing, u64)> = Vec::new();
    for pairing in pairings(size, checkpoints) {
        let played = log.played(&pairing.player.name(), &pairing.opponent.name(), &pairing.weights()?);
        if played < pairing.games {
            work.push((pairing, played));
        }
    }
    let total: u64 = work.iter().map(|(pairing, played)| pairing.games - played).sum();
    place.note(&format!("Playing {total} games"));
    let progress = Progress::new(total, 0, "games", place.json);
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let worker = || {
        while let Some((pairing, played)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = play_pairing(place, &log, &cache, pairing, *played, &|| {
                progress.set(done.fetch_add(2, Ordering::Relaxed) as u64 + 2);
            }) {
                *failure.lock().expect("setting does not panic") = Some(error);
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..place.jobs {
            scope.spawn(worker);
        }
    });
    progress.finish();
    place.go_on()?;
    match failure.into_inner().expect("setting does not panic") {
        Some(error) => Err(error),
        None => {
            // It is this program's alone as long as it is open.
            drop(log);
            DuelLog::open(&path)
        }
    }
}

fn play_pairing(
    place: &Workplace,
    log: &DuelLog,
    cache: &PlayerCache,
    pairing: &Pairing,
    played: u64,
    pair_done: &dyn Fn(),
) -> Result<()> {
    let (mut player, mut opponent) = (pairing.player.sit(cache)?, pairing.opponent.sit(cache)?);
    let weights = pairing.weights()?;
    let conditions =
        Conditions { start: Go::new(9).with_move_limit(300), opening_moves: OPENING_MOVES, seed: pairing.seed };
    for pair in played / 2..pairing.games / 2 {
        if place.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let games = 2 * pair..2 * pair + 2;
        let (score, disagreements, faults) = if pairing.opponent.is_external() {
            refereed(place, &conditions, [player.as_mut(), opponent.as_mut()], games)?
        } else {
            (duel(&conditions, player.as_mut(), opponent.as_mut(), games, place.stop)?, None, 0)
        };
        if score.games() < 2 {
            return Ok(());
        }
        log.append(&Duel {
            player: pairing.player.name(),
            opponent: pairing.opponent.name(),
            weights: weights.clone(),
            score,
            disagreements,
            faults,
        })?;
        pair_done();
    }
    Ok(())
}

/// Games against an external program, counted by GNU Go after it has taken dead stones off the board; how often its count differed, and
/// how often the program failed.
fn refereed(
    place: &Workplace,
    conditions: &Conditions<Go>,
    [player, opponent]: [&mut dyn Player<Go>; 2],
    games: std::ops::Range<u64>,
) -> Result<(Score, Option<[u64; 2]>, u64)> {
    let mut score = Score::default();
    let (mut disagreements, mut faults) = ([0, 0], 0);
    let mut referee = Go::referee("gnugo")?()?;
    for number in games {
        let moves = opening(conditions, number / 2);
        let rules = GameRules {
            seed: mix(conditions.seed ^ mix(number)),
            move_limit: 300,
            lag: Duration::from_secs(60),
            stop: Some(Arc::clone(place.stop)),
            ..GameRules::default()
        };
        let mine = if number % 2 == 0 { Side::First } else { Side::Second };
        let seats: [&mut dyn Player<Go>; 2] = match mine {
            Side::First => [&mut *player, &mut *opponent],
            Side::Second => [&mut *opponent, &mut *player],
        };
        let Some(result) = play_game(&conditions.start, &moves, seats, referee.as_mut(), &rules) else { break };
        // Whoever fails loses; but a program that cannot be started says nothing about anybody's strength.
        if never_began(&result) {
            bail!("a game against GNU Go could not begin: {}", result.ending.detail);
        }
        if let Some(differs) = result.verdict.as_ref().and_then(|verdict| verdict.disagrees()) {
            disagreements[0] += u64::from(differs);
            disagreements[1] += 1;
        }
        faults += u64::from(result.ending.kind.is_fault() && result.outcome.winner == Some(mine));
        score.count(result.outcome, mine);
        if place.stop.load(Ordering::Relaxed) && score.games() < 2 {
            return Ok((Score::default(), None, 0));
        }
    }
    Ok((score, Some(disagreements), faults))
}
