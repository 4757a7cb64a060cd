//! Many games between several agents, several at once, in a log from which a killed tournament goes on.
//!
//! Which games are played, from which openings and with which seeds, follows from the
//! [`TournamentSettings`] alone (and, in Swiss rounds, from earlier results). So the results depend
//! neither on the number of workers nor on interruptions, as long as the players themselves depend on
//! nothing but their seeds.

mod hall;

use crate::adjudication::Adjudication;
use crate::clock::TimeControl;
use crate::game_loop::GameRules;
use crate::openings::OpeningSuite;
use crate::pairing::{Format, Schedule, ScheduledGame, Standing, fixed_pairings, swiss_round};
use crate::player::{Player, PlayerError};
use crate::referee::Referee;
use crate::result_log::{Header, LAYOUT, LogError, LoggedGame, Opened, ResultLog};
use afterstate_games::{Notation, Outcome};
use hall::Hall;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use thiserror::Error;

/// Everything that decides which games a tournament plays.
///
/// ```
/// use afterstate_arena::tournament::TournamentSettings;
/// let settings = TournamentSettings { agents: vec!["new".into(), "old".into()], ..Default::default() };
/// assert!(settings.check().is_ok());
/// assert_eq!(settings.total_games(), 100);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TournamentSettings {
    /// The agents' names, which must differ. Whoever reads the log identifies agents by them, so they
    /// should say everything that decides how an agent plays.
    pub agents: Vec<String>,
    /// What tells agents of the same name apart, for example a check sum of their weights: one text for each, or none at all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fingerprints: Vec<String>,
    /// Who meets whom.
    pub format: Format,
    /// Games for each pairing (of each round, in Swiss tournaments). Even numbers give everyone both
    /// sides of every opening.
    pub games: u32,
    /// The opening suite, in words that tell it from any other; empty if there is none.
    pub openings: String,
    /// Random moves at the beginning of a game, after the opening of the suite if there is one.
    pub opening_moves: u32,
    /// Decides random openings and seeds the players.
    pub seed: u64,
    /// Each side's time.
    pub time: TimeControl,
    /// How far a move may exceed its time, in milliseconds.
    pub lag_ms: u64,
    /// Games are stopped and judged after so many moves.
    pub move_limit: usize,
    /// When the players' agreement ends a game.
    pub adjudication: Adjudication,
    /// Who judges finished games, in words that identify the referee.
    pub referee: String,
}

impl Default for TournamentSettings {
    fn default() -> Self {
        TournamentSettings {
            agents: Vec::new(),
            fingerprints: Vec::new(),
            format: Format::RoundRobin,
            games: 100,
            openings: String::new(),
            opening_moves: 2,
            seed: 1,
            time: TimeControl::None,
            lag_ms: 500,
            move_limit: 1000,
            adjudication: Adjudication::default(),
            referee: "rules".into(),
        }
    }
}

impl TournamentSettings {
    /// Whether such a tournament can be played, and if not, why.
    pub fn check(&self) -> Result<(), TournamentError> {
        let fail = |why: String| Err(TournamentError::Settings(why));
        let agents = self.agents.len();
        if agents < 2 || (self.format == Format::Match && agents != 2) {
            let expected = if self.format == Format::Match { "exactly 2" } else { "at least 2" };
            return fail(format!("agents: there are {agents}, a {} needs {expected}", self.format));
        }
        for (number, name) in self.agents.iter().enumerate() {
            if self.agents[..number].contains(name) {
                return fail(format!("agents: '{name}' appears twice; give each a name of its own"));
            }
        }
        if self.games == 0 {
            return fail("games: expected at least 1".into());
        }
        if self.move_limit == 0 {
            return fail("move-limit: expected at least 1".into());
        }
        self.adjudication.check().map_err(TournamentError::Settings)
    }

    /// How many games the whole tournament has.
    pub fn total_games(&self) -> u64 {
        self.pairings() * u64::from(self.games)
    }

    /// How many openings it takes: two games share one.
    pub fn total_openings(&self) -> u64 {
        self.pairings() * u64::from(self.games.div_ceil(2))
    }

    /// Of all rounds.
    fn pairings(&self) -> u64 {
        match (self.format, fixed_pairings(self.format, self.agents.len())) {
            (Format::Swiss { rounds }, _) => u64::from(rounds) * (self.agents.len() / 2) as u64,
            (_, Some(pairings)) => pairings.len() as u64,
            (_, None) => 0,
        }
    }

    fn rules(&self, game: &ScheduledGame, stop: &Arc<AtomicBool>) -> GameRules {
        GameRules {
            time: self.time,
            lag: Duration::from_millis(self.lag_ms),
            move_limit: self.move_limit,
            adjudication: self.adjudication,
            seed: game.seed(self.seed),
            dice: game.dice(self.seed),
            stop: Some(Arc::clone(stop)),
        }
    }
}

/// Why a tournament could not be played, or not to its end.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// The settings contradict themselves.
    #[error("tournament settings: {0}")]
    Settings(String),
    /// The referee cannot work.
    #[error("referee: {0}")]
    Referee(PlayerError),
    /// The log cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Builds the agent of a number anew for each of its games, so that no game can leak into another.
pub type PlayerFactory<'a, G> = &'a (dyn Fn(usize) -> Result<Box<dyn Player<G>>, PlayerError> + Sync);
/// Builds a referee for one worker.
pub type RefereeFactory<'a, G> = &'a (dyn Fn() -> Result<Box<dyn Referee<G>>, PlayerError> + Sync);

/// How far a tournament has come, told after every game.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Games finished, earlier runs included.
    pub finished: u64,
    /// Games in all.
    pub total: u64,
    /// The game that has just ended.
    pub game: &'a LoggedGame,
}

/// What a tournament has brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentResults {
    /// What was played.
    pub header: Header,
    /// All finished games, by number, those of earlier runs included.
    pub games: Vec<LoggedGame>,
    /// Whether all games were played.
    pub complete: bool,
    /// What the user should know about the log.
    pub notice: Option<String>,
}

/// How a tournament is run, which does not change its results.
#[derive(Clone, Debug)]
pub struct RunOptions<'a> {
    /// Games at once; at least 1.
    pub workers: usize,
    /// Where results are logged, and where an interrupted tournament goes on from.
    pub log: Option<&'a Path>,
    /// Whether results and their log keep what players said about their moves, most of what is in them; who follows the games sees it.
    pub log_notes: bool,
    /// What a new log says of the program that plays, beside its version.
    pub revision: &'a str,
    /// Set it to abandon the games in play and return what is finished. A referee or log that fails sets it, too.
    pub stop: Arc<AtomicBool>,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        RunOptions { workers: 1, log: None, log_notes: true, revision: "", stop: Arc::default() }
    }
}

/// Plays a tournament of games from `start`, or what its log says is still missing.
///
/// A failing player loses its game; a failing log or referee ends the tournament with an error.
pub fn run<G: Notation>(
    settings: &TournamentSettings,
    start: &G,
    players: PlayerFactory<'_, G>,
    referees: RefereeFactory<'_, G>,
    options: &RunOptions<'_>,
    on_game: &mut dyn FnMut(Progress<'_>),
) -> Result<TournamentResults, TournamentError> {
    run_from(settings, start, None, players, referees, options, on_game)
}

/// The first line of a tournament's log.
pub fn header<G: Notation>(settings: &TournamentSettings, start: &G) -> Header {
    Header {
        format: LAYOUT,
        version: env!("CARGO_PKG_VERSION").into(),
        revision: String::new(),
        game: G::NAME.into(),
        start: start.position_text(),
        settings: settings.clone(),
    }
}

/// Plays a tournament as [`run`] does, with games from an opening suite: [`TournamentSettings::openings`] must be its name.
pub fn run_from<G: Notation>(
    settings: &TournamentSettings,
    start: &G,
    suite: Option<&OpeningSuite<G>>,
    players: PlayerFactory<'_, G>,
    referees: RefereeFactory<'_, G>,
    options: &RunOptions<'_>,
    on_game: &mut dyn FnMut(Progress<'_>),
) -> Result<TournamentResults, TournamentError> {
    settings.check()?;
    if suite.map_or("", |suite| &suite.name) != settings.openings {
        return Err(TournamentError::Settings(format!(
            "openings: '{}' is not the name of the suite",
            settings.openings
        )));
    }
    let header = Header { revision: options.revision.into(), ..header(settings, start) };
    let (mut log, logged, notice) = match options.log {
        Some(path) => {
            let Opened { log, games, notice } = ResultLog::open(path, &header)?;
            (Some(log), games, notice)
        }
        None => (None, Vec::new(), None),
    };
    let mut finished = Finished::new(logged, options.log)?;
    let mut rounds = Rounds::new(settings);
    while let Some(schedule) = rounds.next(&finished.games) {
        let missing = finished.missing(&schedule, options.log)?;
        if missing > 0 {
            finished.refuse_strangers(options.log)?;
        }
        let known: HashSet<u64> = finished.games.keys().copied().collect();
        let games = schedule.iter().filter(|game| !known.contains(&game.index));
        let workers = options.workers.clamp(1, usize::try_from(missing).unwrap_or(usize::MAX).max(1));
        let hall = Hall { settings, start, suite, players, referees, stop: &options.stop };
        hall.play(games, workers, &mut |game| {
            let mut logged = game.clone();
            if !options.log_notes {
                logged.result.notes.clear();
            }
            if let Some(log) = &mut log {
                log.append(&logged)?;
            }
            finished.games.insert(game.index, logged);
            on_game(Progress { finished: finished.games.len() as u64, total: settings.total_games(), game: &game });
            Ok(())
        })?;
        if finished.missing(&schedule, options.log)? > 0 {
            break;
        }
    }
    finished.refuse_strangers(options.log)?;
    if let Some(log) = &mut log {
        log.sync()?;
    }
    let complete = finished.games.len() as u64 == settings.total_games();
    Ok(TournamentResults { header, games: finished.games.into_values().collect(), complete, notice })
}

/// The games that have been played, and which lines of the log nobody has asked for yet.
struct Finished {
    games: BTreeMap<u64, LoggedGame>,
    unchecked: BTreeMap<u64, u64>,
}

impl Finished {
    fn new(logged: Vec<(u64, LoggedGame)>, path: Option<&Path>) -> Result<Finished, LogError> {
        let mut finished = Finished { games: BTreeMap::new(), unchecked: BTreeMap::new() };
        for (line, game) in logged {
            if finished.unchecked.insert(game.index, line).is_some() {
                return Err(stranger(path, line, format!("game {} appears twice", game.index)));
            }
            finished.games.insert(game.index, game);
        }
        Ok(finished)
    }

    /// How many games of a schedule are still to be played, after checking those that the log holds.
    fn missing(&mut self, schedule: &Schedule, path: Option<&Path>) -> Result<u64, LogError> {
        let mut missing = schedule.total();
        for (index, logged) in self.games.range(schedule.indices()) {
            let Some(game) = schedule.game(*index) else { continue };
            missing -= 1;
            if let Some(line) = self.unchecked.remove(index)
                && (logged.agents != game.agents || logged.round != game.round)
            {
                let what = format!("game {} is not between the agents that the schedule says", game.index);
                return Err(stranger(path, line, what));
            }
        }
        Ok(missing)
    }

    fn refuse_strangers(&self, path: Option<&Path>) -> Result<(), LogError> {
        match self.unchecked.iter().next() {
            Some((index, &line)) => Err(stranger(path, line, format!("game {index} is not in the schedule"))),
            None => Ok(()),
        }
    }
}

fn stranger(path: Option<&Path>, line: u64, what: String) -> LogError {
    LogError::Corrupt { path: path.unwrap_or(Path::new("")).into(), line, what }
}

/// The schedule, round by round.
struct Rounds<'a> {
    settings: &'a TournamentSettings,
    next: u32,
    standings: Vec<Standing>,
    /// The pairings of the last Swiss round, whose results are not in the standings yet.
    open: Vec<[usize; 2]>,
    schedule: Schedule,
}

impl<'a> Rounds<'a> {
    fn new(settings: &'a TournamentSettings) -> Self {
        let standings = vec![Standing::default(); settings.agents.len()];
        Rounds { settings, next: 0, standings, open: Vec::new(), schedule: Schedule::default() }
    }

    /// The games of the next round; all games of the round before must be among `games`.
    fn next(&mut self, games: &BTreeMap<u64, LoggedGame>) -> Option<Schedule> {
        let settings = self.settings;
        let Format::Swiss { rounds } = settings.format else {
            let pairings = fixed_pairings(settings.format, settings.agents.len()).filter(|_| self.next == 0)?;
            self.next = 1;
            return Some(Schedule { pairings, games: settings.games, ..Schedule::default() });
        };
        if self.next == rounds {
            return None;
        }
        for &pairing in &self.open {
            let outcomes: Vec<([usize; 2], Outcome)> = games
                .range(self.schedule.indices())
                .filter(|(_, game)| game.agents.contains(&pairing[0]) && game.agents.contains(&pairing[1]))
                .map(|(_, logged)| (logged.agents, logged.result.outcome))
                .collect();
            Standing::enter(&mut self.standings, pairing, &outcomes);
        }
        let (pairings, bye) = swiss_round(&self.standings);
        if let Some(agent) = bye {
            self.standings[agent].bye = true;
            self.standings[agent].half_points += 2 * u64::from(settings.games);
        }
        let pairs_before = u64::from(self.next) * pairings.len() as u64 * u64::from(settings.games.div_ceil(2));
        self.open.clone_from(&pairings);
        self.schedule = Schedule { pairings, games: settings.games, round: self.next, pairs_before };
        self.next += 1;
        Some(self.schedule.clone())
    }
}
