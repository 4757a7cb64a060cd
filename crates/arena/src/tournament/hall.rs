//! The games of a round, several at once.

use super::{PlayerFactory, RefereeFactory, TournamentError, TournamentSettings};
use crate::game_loop::play_game;
use crate::openings::{Opening, OpeningSuite, extend};
use crate::pairing::ScheduledGame;
use crate::player::{Player, PlayerError};
use crate::referee::Referee;
use crate::result_log::{LogError, LoggedGame};
use afterstate_engine::{Budget, Decision};
use afterstate_games::{Notation, Record};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Where the games of a round are played.
pub(super) struct Hall<'a, G: Notation> {
    pub(super) settings: &'a TournamentSettings,
    pub(super) start: &'a G,
    pub(super) suite: Option<&'a OpeningSuite<G>>,
    pub(super) players: PlayerFactory<'a, G>,
    pub(super) referees: RefereeFactory<'a, G>,
    pub(super) stop: &'a Arc<AtomicBool>,
}

impl<G: Notation> Hall<'_, G> {
    /// Plays the games and hands each finished one to `done`, in the order in which they end.
    pub(super) fn play(
        &self,
        games: impl Iterator<Item = ScheduledGame> + Send,
        workers: usize,
        done: &mut dyn FnMut(LoggedGame) -> Result<(), LogError>,
    ) -> Result<(), TournamentError> {
        let queue = Mutex::new(games);
        // Bounded, so that little is lost in the moment in which somebody stops the tournament.
        let (sender, receiver) = sync_channel(workers);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (queue, sender) = (&queue, sender.clone());
                scope.spawn(move || self.work(queue, &sender));
            }
            drop(sender);
            let mut outcome = Ok(());
            for message in receiver {
                let handled = message.map_err(TournamentError::Referee).and_then(|game| Ok(done(game)?));
                if outcome.is_ok() && handled.is_err() {
                    outcome = handled;
                    // Nothing more can be recorded, so nothing more is begun, and what is in play would be lost.
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
            outcome
        })
    }

    fn work(
        &self,
        queue: &Mutex<impl Iterator<Item = ScheduledGame>>,
        results: &SyncSender<Result<LoggedGame, PlayerError>>,
    ) {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let mut referee: Option<Box<dyn Referee<G>>> = None;
        while !self.stop.load(Ordering::Relaxed)
            && let Some(game) = next()
        {
            let referee = match &mut referee {
                Some(referee) => referee,
                none => match (self.referees)().and_then(|mut referee| referee.prepare().map(|()| referee)) {
                    Ok(ready) => none.insert(ready),
                    Err(error) => {
                        let _ = results.send(Err(error));
                        return;
                    }
                },
            };
            let Opening { start, moves } = self.opening(game.pair);
            let [mut first, mut second] = game.agents.map(|agent| self.build(agent));
            let rules = self.settings.rules(&game, self.stop);
            let result = play_game(&start, &moves, [&mut *first, &mut *second], &mut **referee, &rules);
            let Some(result) = result else { continue };
            let ScheduledGame { index, round, agents, .. } = game;
            let (here, usual) = (start.position_text(), self.start.position_text());
            let game = LoggedGame { index, round, agents, start: (here != usual).then_some(here), result };
            if results.send(Ok(game)).is_err() {
                return;
            }
        }
    }

    /// The opening of the suite, or else the usual start, and the random moves.
    fn opening(&self, pair: u64) -> Opening<G> {
        let Opening { start, moves } = match self.suite.and_then(|suite| suite.of_pair(pair)) {
            Some(opening) => opening.clone(),
            None => Opening { start: self.start.clone(), moves: Vec::new() },
        };
        let mut record = Record::new(start.clone());
        moves.into_iter().for_each(|mv| record.play(mv));
        Opening { start, moves: extend(record, self.settings.seed, pair, self.settings.opening_moves) }
    }

    /// The agent, or somebody who explains why there is none.
    fn build(&self, agent: usize) -> Box<dyn Player<G>> {
        catch_unwind(AssertUnwindSafe(|| (self.players)(agent)))
            .unwrap_or_else(|_| Err(PlayerError::NotStarted("panicked while it was built".into())))
            .unwrap_or_else(|error| Box::new(Absent(error)))
    }
}

/// Stands in for a player that could not be built: loses at once, with the reason.
struct Absent(PlayerError);

impl<G: Notation> Player<G> for Absent {
    fn new_game(&mut self, _record: &Record<G>, _seed: u64) -> Result<(), PlayerError> {
        Err(self.0.clone())
    }

    fn choose(&mut self, _record: &Record<G>, _budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        Err(self.0.clone())
    }
}
