//! Players of Go: those that learnt, and external programs.

use super::{GoSearcher, Playable, PlayerFactory, RefereeMaker, factory, general, of_this_game};
use crate::agent::Agent;
use afterstate_arena::external::{EngineCommand, GtpEngine, GtpReferee, Limits};
use afterstate_arena::{AlphaBetaPlayer, AreaReferee, Player, PlayerError, ValuePlayer};
use afterstate_engine::search::AlphaBeta;
use afterstate_engine::value::{AfterstateValues, Checkpoint, FusedShapes, ShapeAgent};
use afterstate_engine::{Budget, Decision};
use afterstate_games::go::{Diagram, Go};
use afterstate_games::{Game, Outcome, Record, Side};
use anyhow::{Result, bail, ensure};
use std::sync::Arc;

impl Playable for Go {
    fn players(&self, agent: &Agent) -> Result<PlayerFactory<Self>> {
        match agent {
            Agent::Greedy { checkpoint, epsilon } => {
                let learnt = learnt(checkpoint, self.size())?;
                let (size, value, epsilon) = (self.size(), Arc::new(learnt.value()), *epsilon);
                Ok(factory(move || OneSize { size, inner: ValuePlayer::new(value.clone()).with_epsilon(epsilon) }))
            }
            Agent::AlphaBeta { checkpoint: Some(checkpoint), search } => {
                let value = learnt(checkpoint, self.size())?.value();
                let shapes = Arc::new(FusedShapes::new(&value.features, &value.weights, value.squash));
                let (size, settings) = (self.size(), search.clone());
                Ok(factory(move || {
                    let (search, shapes) = (AlphaBeta::indexed(shapes.clone(), settings.clone()), shapes.clone());
                    OneSize { size, inner: AlphaBetaPlayer::new(search, move |game: &Go| shapes.track(game.clone())) }
                }))
            }
            Agent::Gtp { command, start, per_move, per_command } => {
                let limits = Limits { start: *start, per_move: *per_move, command: *per_command };
                // A command line that cannot be run should not wait for the first game to say so.
                EngineCommand::parse(command)?.resolve()?;
                let command = command.clone();
                Ok(Arc::new(move || Ok(Box::new(GtpEngine::new(&command)?.with_limits(limits)))))
            }
            other => match GoSearcher::of(other, self.size())? {
                Some(searcher) => Ok(searcher.players()),
                None => general(self, other, 0.9 * (self.size() * self.size()) as f32),
            },
        }
    }

    fn values(&self, checkpoint: &str) -> Result<Arc<dyn AfterstateValues<Self>>> {
        Ok(Arc::new(learnt(checkpoint, self.size())?.value()))
    }

    const REFEREES: &'static [&'static str] = &["area", "gnugo"];

    fn referee(name: &str) -> Result<RefereeMaker<Self>> {
        match name {
            "area" => Ok(Box::new(|| Ok(Box::new(AreaReferee)))),
            "gnugo" => Ok(Box::new(|| Ok(Box::new(GtpReferee::gnugo()?)))),
            _ => bail!("referee '{name}': go has {}", Self::REFEREES.join(", ")),
        }
    }

    /// Three moves for every point: RLGO's players never pass while they can move, so games are long.
    fn move_limit(&self) -> usize {
        3 * self.size() * self.size()
    }

    fn side_name(side: Side) -> &'static str {
        match side {
            Side::First => "Black",
            Side::Second => "White",
        }
    }

    fn board(record: &Record<Go>, unicode: bool) -> String {
        let mut diagram = Diagram::new(record.position());
        if unicode {
            diagram = diagram.unicode();
        }
        if let Some(&mv) = record.moves().last() {
            diagram = diagram.last_move(mv);
        }
        diagram.to_string()
    }

    fn points(&self) -> Option<f64> {
        Some(self.score())
    }
}

/// A checkpoint for a board of `size`.
pub(super) fn learnt(name: &str, size: usize) -> Result<Checkpoint<ShapeAgent>> {
    let checkpoint = of_this_game::<Go, _>(name, ShapeAgent::load(name).map_err(anyhow::Error::new))?;
    let learnt = checkpoint.about.board_size;
    ensure!(
        learnt == size,
        "{name} was learnt on {learnt}x{learnt}, the game is on {size}x{size}: use --size {learnt}, or train on {size}x{size}"
    );
    Ok(checkpoint)
}

/// A player whose features belong to one board size: it refuses games on others.
pub(super) struct OneSize<P> {
    pub(super) size: usize,
    pub(super) inner: P,
}

impl<P> OneSize<P> {
    fn fits(&self, record: &Record<Go>) -> Result<(), PlayerError> {
        let (learnt, asked) = (self.size, record.position().size());
        if learnt == asked {
            return Ok(());
        }
        Err(PlayerError::NotStarted(format!("plays on {learnt}x{learnt} only, the board is {asked}x{asked}")))
    }
}

impl<P: Player<Go>> Player<Go> for OneSize<P> {
    fn new_game(&mut self, record: &Record<Go>, seed: u64) -> Result<(), PlayerError> {
        self.fits(record)?;
        self.inner.new_game(record, seed)
    }

    fn clocks(&mut self, clocks: &[afterstate_arena::Clock; 2]) {
        self.inner.clocks(clocks);
    }

    fn choose(&mut self, record: &Record<Go>, budget: &Budget) -> Result<Decision<<Go as Game>::Move>, PlayerError> {
        self.fits(record)?;
        self.inner.choose(record, budget)
    }

    fn clean_up(&mut self, record: &Record<Go>, budget: &Budget) -> Result<Decision<<Go as Game>::Move>, PlayerError> {
        self.fits(record)?;
        self.inner.clean_up(record, budget)
    }

    fn move_played(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
        self.fits(record)?;
        self.inner.move_played(record)
    }

    fn game_over(&mut self, record: &Record<Go>, outcome: Outcome) {
        self.inner.game_over(record, outcome);
    }

    fn broken_off(&mut self, record: &Record<Go>, outcome: Outcome) {
        self.inner.broken_off(record, outcome);
    }
}
