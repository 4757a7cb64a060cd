//! Games of experiments: what is missing of a log is played, and who is not there has not lost.

use super::Workplace;
use crate::agent::AgentSpec;
use crate::contest::{self, Contest};
use crate::registry::{self, GameSpec, Playable, Visitor};
use afterstate_arena::result_log::{LoggedGame, lock, read_log};
use afterstate_arena::sprt::{Decision, Sprt};
use afterstate_arena::tournament::{TournamentResults, TournamentSettings};
use afterstate_arena::{EndKind, GameResult};
use afterstate_engine::value::checkpoint::write_whole;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Games of an experiment that have a log of their own.
pub struct Games {
    /// Which game.
    pub game: GameSpec,
    /// Who plays.
    pub agents: Vec<AgentSpec>,
    /// Which games. The game's own move limit is used.
    pub settings: TournamentSettings,
    /// Where results are logged.
    pub log: PathBuf,
    /// Whether the log keeps what players said about their moves.
    pub log_notes: bool,
    /// Ends them when it is decided.
    pub sprt: Option<Sprt>,
}

impl Games {
    /// Games with notes, and all of them.
    pub fn new(game: GameSpec, agents: Vec<AgentSpec>, settings: TournamentSettings, log: PathBuf) -> Games {
        Games { game, agents, settings, log, log_notes: true, sprt: None }
    }
}

impl Workplace {
    /// Plays what is missing of a contest, or until its test is decided. `each` is told of every game that ends, in place of a
    /// progress bar.
    ///
    /// # Errors
    ///
    /// A game that could not begin, or that somebody asked to stop.
    pub fn play(&self, games: Games, each: Option<&dyn Fn()>) -> Result<TournamentResults> {
        let Games { game, agents, settings, log, log_notes, sprt } = games;
        forget_unstarted(&log)?;
        let fingerprints = agents.iter().map(fingerprint).collect::<Result<_>>()?;
        let unstarted: RefCell<Option<String>> = RefCell::new(None);
        let watch = |game: &LoggedGame| {
            if could_not_begin(game) {
                *unstarted.borrow_mut() = Some(game.result.ending.detail.clone());
                return ControlFlow::Break(());
            }
            if let Some(each) = each {
                each();
            }
            ControlFlow::Continue(())
        };
        let played = contest::play(Contest {
            game,
            agents,
            settings: TournamentSettings { move_limit: 0, fingerprints, ..settings },
            workers: self.jobs,
            log: Some(log),
            log_notes,
            openings: None,
            pgn: None,
            sprt,
            watch: Some(Box::new(watch)),
            quiet: self.json || each.is_some(),
        })?;
        if let Some(why) = unstarted.into_inner() {
            bail!("a game could not begin: {why}");
        }
        let decided = played.sprt.is_some_and(|status| status.decision != Decision::Continue);
        ensure!(played.results.complete || decided, "stopped; the same command goes on from here");
        Ok(played.results)
    }

    /// The same of a tournament of chess; games begin with four random moves.
    pub fn play_chess(
        &self,
        agents: Vec<AgentSpec>,
        settings: TournamentSettings,
        log: PathBuf,
    ) -> Result<TournamentResults> {
        let settings = TournamentSettings { opening_moves: 4, referee: String::new(), ..settings };
        self.play(Games::new(GameSpec::Chess, agents, settings, log), None)
    }
}

/// The games of a log, none if there is no log, and the names that its agents have there.
///
/// # Errors
///
/// If they are other games than `agents` would play by `settings`.
pub fn logged(
    path: &Path,
    game: GameSpec,
    agents: &[AgentSpec],
    settings: &TournamentSettings,
) -> Result<(Vec<String>, Vec<LoggedGame>)> {
    let names = contest::names(agents);
    if !path.metadata().is_ok_and(|file| file.len() > 0) {
        return Ok((names, Vec::new()));
    }
    let contents = read_log(path)?;
    let known = &contents.header.settings;
    ensure!(
        known.agents == names && known.games == settings.games,
        "{}: a match of {} games of {} was begun here, but the experiment wants {} games of {}; put the log away, or give the \
         point another name",
        path.display(),
        known.games,
        known.agents.join(" against "),
        settings.games,
        names.join(" against ")
    );
    let (start, wanted) = registry::visit(game, Filled(settings.clone()));
    let found = &contents.header;
    let conditions = |start: &str, settings: &TournamentSettings| {
        let TournamentSettings { seed, opening_moves, referee, .. } = settings;
        format!("from {start}, {opening_moves} random moves first, referee {referee}, seed {seed}")
    };
    let [found, wanted] = [conditions(&found.start, known), conditions(&start, &wanted)];
    ensure!(
        found == wanted,
        "{}: these games were played {found}, but the experiment wants them {wanted}; put the log away, or give the point another name",
        path.display()
    );
    ensure!(
        known.time == settings.time && known.adjudication == settings.adjudication,
        "{}: these games had another clock or another adjudication than the experiment wants; put the log away, or give the point \
         another name",
        path.display()
    );
    // Logs of before say nothing of weights, and those that are gone cannot be compared.
    for ((known, name), agent) in known.fingerprints.iter().zip(&names).zip(agents) {
        let now = if known.is_empty() { String::new() } else { fingerprint(agent)? };
        ensure!(
            now.is_empty() || now == *known,
            "{}: '{name}' had other weights when these games were played; put the log away, or the weights back",
            path.display()
        );
    }
    Ok((names, contents.games.into_iter().map(|(_, game)| game).collect()))
}

/// What tells an agent's weights from others of the same name. Its settings are the experiment's own.
fn fingerprint(agent: &AgentSpec) -> Result<String> {
    agent.pinned().weights_fingerprint()
}

/// Settings with what a game says where they say nothing, and where it begins.
struct Filled(TournamentSettings);

impl Visitor for Filled {
    type Output = (String, TournamentSettings);

    fn visit<G: Playable>(self, start: G) -> (String, TournamentSettings) {
        let Filled(mut settings) = self;
        if settings.referee.is_empty() {
            settings.referee = G::REFEREES[0].to_string();
        }
        (start.position_text(), settings)
    }
}

/// Whether a program failed before the first move, which says nothing about anybody's strength.
pub fn could_not_begin(game: &LoggedGame) -> bool {
    never_began(&game.result)
}

/// The same of a game that nobody has logged.
pub fn never_began(result: &GameResult) -> bool {
    use EndKind::{Crash, Garbage, Hang, NotStarted};
    matches!(result.ending.kind, NotStarted | Crash | Garbage | Hang) && result.moves.len() == result.opening
}

/// Takes games that could not begin out of a log, so that they are played after all.
fn forget_unstarted(log: &Path) -> Result<()> {
    if !log.metadata().is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    let file = std::fs::File::open(log).with_context(|| log.display().to_string())?;
    if !lock(&file) {
        // Whoever plays there is found out when the log is opened.
        return Ok(());
    }
    let games = read_log(log)?.games;
    let unstarted: Vec<u64> = games.iter().filter(|(_, game)| could_not_begin(game)).map(|(line, _)| *line).collect();
    if unstarted.is_empty() {
        return Ok(());
    }
    let text = std::fs::read_to_string(log).with_context(|| log.display().to_string())?;
    let kept = text.split_inclusive('\n').zip(1u64..).filter(|(_, line)| !unstarted.contains(line));
    let kept: String = kept.map(|(line, _)| line).collect();
    write_whole(log, kept.as_bytes()).map_err(|error| anyhow!("{}: {error}", log.display()))
}
