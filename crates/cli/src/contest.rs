//! What `match` and `tournament` share: building the agents, playing the games, following a sequential test.

mod pgn;

use crate::agent::{Agent, AgentSpec};
use crate::conditions;
use crate::interrupt;
use crate::progress::Progress;
use crate::registry::{self, GameSpec, Playable, PlayerFactory, Visitor};
use crate::standings::mark;
use afterstate_arena::PlayerError;
use afterstate_arena::adjudication::Adjudication;
use afterstate_arena::openings::opening;
use afterstate_arena::rating::{EloInterval, Tally};
use afterstate_arena::result_log::{LoggedGame, read_log};
use afterstate_arena::sprt::{self, Decision, GameCounts, Score, Sprt, SprtStatus};
use afterstate_arena::tournament::{self, RunOptions, TournamentResults, TournamentSettings};
use afterstate_games::backgammon::Backgammon;
use afterstate_games::{Notation, Record, Side};
use anyhow::{Context, Result, ensure};
use pgn::Pgn;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Is told of every game that ends, and may end the contest.
pub type Watch<'a> = Box<dyn FnMut(&LoggedGame) -> ControlFlow<()> + 'a>;

/// Games to be played.
pub struct Contest<'a> {
    /// Which game.
    pub game: GameSpec,
    /// Who plays; their names are in the settings.
    pub agents: Vec<AgentSpec>,
    /// Which games. An empty `referee` and a `move_limit` of 0 stand for the game's own.
    pub settings: TournamentSettings,
    /// Games at once.
    pub workers: usize,
    /// Where results are logged and resumed from.
    pub log: Option<PathBuf>,
    /// Whether the log keeps what players said about their moves.
    pub log_notes: bool,
    /// Where games begin, if not where the game usually does.
    pub openings: Option<OpeningFile>,
    /// A PGN file to which every game is appended as soon as it has ended.
    pub pgn: Option<PathBuf>,
    /// Stop when this test of the first agent against the second is decided.
    pub sprt: Option<Sprt>,
    /// Who else follows the games.
    pub watch: Option<Watch<'a>>,
    /// Show no progress.
    pub quiet: bool,
}

/// A suite of openings.
pub struct OpeningFile {
    /// Where it is.
    pub path: PathBuf,
    /// How many moves of a game or book are played, of both sides.
    pub plies: u32,
}

/// What came of it.
pub struct Played {
    /// All games.
    pub results: TournamentResults,
    /// Where the test stands.
    pub sprt: Option<SprtStatus>,
}

/// Finds out whether agents can sit down at a board: better before the first game than hours later.
pub fn check_start(game: GameSpec, agents: &[AgentSpec]) -> Result<()> {
    let agents: Vec<AgentSpec> = agents.iter().map(AgentSpec::pinned).collect();
    registry::visit(game, CanStart(&agents))
}

/// Puts the game's own referee and limit of moves where none are said.
pub fn complete<G: Playable>(settings: &mut TournamentSettings, start: &G) {
    if settings.referee.is_empty() {
        settings.referee = G::REFEREES[0].to_string();
    }
    if settings.move_limit == 0 {
        settings.move_limit = start.move_limit();
    }
}

/// Whether such games can be decided before their end.
pub fn check_adjudication(game: GameSpec, settings: &TournamentSettings) -> Result<()> {
    ensure!(
        settings.adjudication == Adjudication::default() || game.name() != Backgammon::NAME,
        "win and draw: games of backgammon are played to their end, by how much they are won depends on it; leave both out"
    );
    Ok(())
}

/// Plays what is still missing.
pub fn play(mut contest: Contest<'_>) -> Result<Played> {
    for agent in &mut contest.agents {
        *agent = agent.pinned();
    }
    contest.settings.agents = names(&contest.agents);
    check_adjudication(contest.game, &contest.settings)?;
    if let Some(sprt) = &contest.sprt {
        sprt.check()?;
        ensure!(contest.agents.len() == 2, "a sequential test compares 2 agents, not {}", contest.agents.len());
    }
    registry::visit(contest.game, Play(contest))
}

/// The agents' names, with a number behind those that appear again.
pub fn names(agents: &[AgentSpec]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for agent in agents {
        let mut name = agent.name.clone();
        for number in 2.. {
            if !names.contains(&name) {
                break;
            }
            name = format!("{}#{number}", agent.name);
        }
        names.push(name);
    }
    names
}

/// What the agents' names do not say about them; see [`AgentSpec::fingerprint`].
pub fn fingerprints(agents: &[AgentSpec]) -> Result<Vec<String>> {
    agents.iter().map(|agent| agent.pinned().fingerprint()).collect()
}

/// Sends who watches away when it goes itself, in a panic, too.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct CanStart<'a>(&'a [AgentSpec]);

impl Visitor for CanStart<'_> {
    type Output = Result<()>;

    fn visit<G: Playable>(self, start: G) -> Result<()> {
        for spec in self.0 {
            let describe = || format!("agent '{}'", spec.name);
            let mut player = registry::players(&start, spec)?().with_context(describe)?;
            player.new_game(&Record::new(start.clone()), 1).with_context(describe)?;
        }
        Ok(())
    }
}

struct Play<'a>(Contest<'a>);

impl Visitor for Play<'_> {
    type Output = Result<Played>;

    fn visit<G: Playable>(self, start: G) -> Result<Played> {
        let Play(Contest {
            agents, mut settings, workers, log, log_notes, openings, pgn, sprt, mut watch, quiet, ..
        }) = self;
        let players = agents.iter().map(|spec| registry::players(&start, spec)).collect::<Result<Vec<_>>>()?;
        complete(&mut settings, &start);
        let referee = G::referee(&settings.referee)?;
        if settings.referee == "area" && agents.iter().any(|spec| matches!(spec.agent, Agent::Gtp { .. })) {
            crate::output::tell!(
                "note: 'area' counts every stone as alive; if a GTP engine passes early, use --referee gnugo"
            );
        }
        agents.iter().try_for_each(|spec| conditions::check_time(spec, settings.time))?;
        for note in agents.iter().filter_map(|spec| conditions::what_time_is_told(spec, settings.time)) {
            crate::output::tell!("note: {note}");
        }
        settings.check()?;
        let suite = match &openings {
            Some(OpeningFile { path, plies }) => {
                Some(G::openings(path, *plies, settings.total_openings(), settings.seed)?)
            }
            None => None,
        };
        let moves = settings.opening_moves;
        if suite.is_none() && opening(&start, settings.seed, 0, moves).len() < moves as usize {
            crate::output::tell!(
                "note: games end before {moves} random moves: openings stop where one move is left, so ask for fewer"
            );
        }
        settings.openings = suite.as_ref().map_or_else(String::new, |suite| suite.name.clone());
        let header = tournament::header(&settings, &start);
        let mut pgn = pgn.as_deref().map(|path| Pgn::open::<G>(path, &header)).transpose()?;
        let interrupted = interrupt::flag()?;
        let stop = Arc::new(AtomicBool::new(false));
        let mut test = sprt.map(Test::new);
        let mut already = 0;
        // What cannot be read is mended, or refused, where the log is opened.
        if let Some(logged) = log.as_deref().and_then(|path| read_log(path).ok()) {
            // Somebody else's log is refused below.
            let ours = logged.header.difference(&header).is_none() || logged.header.grows_to(&header);
            for (_, game) in logged.games {
                already += 1;
                test.iter_mut().for_each(|test| test.add(&game));
                pgn.iter_mut().filter(|_| ours).try_for_each(|pgn| pgn.catch_up(&game))?;
            }
        }
        if test.as_ref().is_some_and(Test::is_decided) {
            stop.store(true, Ordering::Relaxed);
        }
        if let Some(folder) = log.as_deref().and_then(|path| path.parent()) {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let progress = Progress::new(settings.total_games(), already, "games", quiet);
        let build = |agent: usize| make(&players, agent);
        let (log, revision) = (log.as_deref(), crate::version::REVISION);
        let options = RunOptions { workers, log, log_notes, revision, stop: stop.clone() };
        let results = std::thread::scope(|scope| {
            // Ctrl-C and the test both stop the games, but only the one is remembered for the whole program.
            let (over, stopping) = (Over(Arc::new(AtomicBool::new(false))), stop.clone());
            let seen = over.0.clone();
            scope.spawn(move || {
                while !seen.load(Ordering::Relaxed) {
                    if interrupted.load(Ordering::Relaxed) {
                        stopping.store(true, Ordering::Relaxed);
                    }
                    std::thread::park_timeout(std::time::Duration::from_millis(50));
                }
            });
            let mut on_game = |state: tournament::Progress<'_>| {
                progress.set(state.finished);
                if let Some(pgn) = &mut pgn {
                    pgn.add(state.game);
                    if pgn.has_failed() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                if let Some(test) = &mut test {
                    test.add(state.game);
                    if test.is_decided() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                if watch.as_mut().is_some_and(|watch| watch(state.game).is_break()) {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            let suite = suite.as_ref();
            let results = tournament::run_from(&settings, &start, suite, &build, &*referee, &options, &mut on_game);
            drop(over);
            results
        })?;
        progress.finish();
        pgn.map_or(Ok(()), Pgn::close)?;
        if let Some(notice) = &results.notice {
            crate::output::tell!("note: {notice}");
        }
        let decided = test.as_ref().is_some_and(Test::is_decided);
        if !results.complete && !decided {
            let how = match &log {
                Some(log) => format!("run the same command again to go on from {}", log.display()),
                None => "with --log an interrupted run can go on later".to_string(),
            };
            crate::output::tell!("note: {} of {} games played; {how}", results.games.len(), settings.total_games());
        }
        Ok(Played { results, sprt: test.map(|test| test.status).transpose()? })
    }
}

fn make<G: Playable>(
    players: &[PlayerFactory<G>],
    agent: usize,
) -> Result<Box<dyn afterstate_arena::Player<G>>, PlayerError> {
    match players.get(agent) {
        Some(factory) => factory(),
        None => Err(PlayerError::NotStarted(format!("there is no agent number {agent}"))),
    }
}

/// A sequential test that follows the games.
///
/// Only pairs before which every pair is complete count, in the order of their numbers, so that the
/// decision does not depend on which game happened to end first. A pair of which neither game is new does not
/// count: agents without chance would decide a test by one opening. Between agents with chance it does: the usual course of
/// a short game comes again, and to leave that out would favour the unusual ones.
struct Test {
    sprt: Sprt,
    /// All pairs, and those of which a game is new.
    counts: [GameCounts; 2],
    next: u64,
    /// Without a score where neither side could start; with marks of the opening and of the whole game.
    waiting: BTreeMap<u64, (Option<Score>, [u64; 2])>,
    seen: HashSet<u64>,
    /// The first game of each opening; how many games came after one of the same opening, and how many of these went on otherwise.
    first: HashMap<u64, u64>,
    repeated: [u64; 2],
    status: Result<SprtStatus, afterstate_arena::sprt::SprtError>,
}

/// Where a test of the first agent against the second stands after these games.
pub fn tested<'a>(sprt: Sprt, games: impl IntoIterator<Item = &'a LoggedGame>) -> Result<SprtStatus> {
    let mut test = Test::new(sprt);
    games.into_iter().for_each(|game| test.add(game));
    Ok(test.status?)
}

/// How much stronger the first agent is than the second by games in which each opening was played once by either with either side, with
/// the 95 % interval of such pairs: an unbalanced opening favours both, and chance decides less than in as many games that have nothing
/// to do with each other. `None` if the openings are no pairs. A game whose partner is missing counts half as much as a pair. `repeats`: how
/// often each different game was played, on average.
pub fn elo_of_pairs<'a>(games: impl IntoIterator<Item = &'a LoggedGame>, repeats: f64) -> Option<EloInterval> {
    let mut pairs: BTreeMap<u64, Vec<&LoggedGame>> = BTreeMap::new();
    let played = games.into_iter().filter(|game| game.result.counts());
    played.for_each(|game| pairs.entry(game.index / 2).or_default().push(game));
    let score_of = |game: &LoggedGame| {
        let side = if game.agents[0] == 0 { Side::First } else { Side::Second };
        Score::of(game.result.outcome, side)
    };
    let (mut counts, mut singles) = (GameCounts::NO_PAIRS, Tally::default());
    for pair in pairs.values() {
        let &[one, other] = &pair[..] else {
            pair.iter().for_each(|game| match score_of(game) {
                Score::Win => singles.wins += 1,
                Score::Draw => singles.draws += 1,
                Score::Loss => singles.losses += 1,
            });
            continue;
        };
        if one.agents == other.agents || !has_opening_of(one, other) {
            return None;
        }
        counts.add_pair(score_of(one), score_of(other));
    }
    match counts {
        GameCounts::Pentanomial(pairs) if counts.games() > 0 => Some(sprt::elo_of_pairs(&pairs, singles, repeats)),
        _ => None,
    }
}

/// Whether both games begin with the same moves, or at the same place, that nobody chose.
fn has_opening_of(one: &LoggedGame, other: &LoggedGame) -> bool {
    let opening = |game: &LoggedGame| game.result.moves.get(..game.result.opening).map(<[String]>::to_vec);
    one.start == other.start
        && opening(one) == opening(other)
        && (one.start.is_some() || opening(one).is_some_and(|moves| !moves.is_empty()))
}

impl Test {
    fn new(sprt: Sprt) -> Test {
        let counts = [GameCounts::NO_PAIRS; 2];
        let (waiting, seen, first) = (BTreeMap::new(), HashSet::new(), HashMap::new());
        Test { status: sprt.status(&counts[0]), sprt, counts, next: 0, waiting, seen, first, repeated: [0; 2] }
    }

    fn is_decided(&self) -> bool {
        self.status.as_ref().is_ok_and(|status| status.decision != Decision::Continue)
    }

    fn add(&mut self, game: &LoggedGame) {
        let side = if game.agents[0] == 0 { Side::First } else { Side::Second };
        let score = game.result.counts().then(|| Score::of(game.result.outcome, side));
        let marks = [game.result.opening, usize::MAX].map(|moves| mark(game, moves));
        self.waiting.insert(game.index, (score, marks));
        while !self.is_decided() && [0, 1].iter().all(|game| self.waiting.contains_key(&(self.next + game))) {
            let [(one, first), (other, second)] =
                [0, 1].map(|game| self.waiting.remove(&(self.next + game)).expect("both are there"));
            self.next += 2;
            let (Some(one), Some(other)) = (one, other) else { continue };
            self.compare(first);
            self.compare(second);
            self.counts[0].add_pair(one, other);
            // Both are remembered.
            if self.seen.insert(first[1]) | self.seen.insert(second[1]) {
                self.counts[1].add_pair(one, other);
            }
            // One tenth: a deterministic program's games differ now and then, by a clock, say.
            let [repeated, otherwise] = self.repeated;
            let has_chance = 10 * otherwise > repeated;
            self.status = self.sprt.status(&self.counts[usize::from(!has_chance)]);
        }
    }

    /// Compares a game with the first one of its opening.
    fn compare(&mut self, [opening, course]: [u64; 2]) {
        match self.first.entry(opening) {
            Entry::Vacant(first) => _ = first.insert(course),
            Entry::Occupied(first) => {
                self.repeated[0] += 1;
                self.repeated[1] += u64::from(*first.get() != course);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standings;
    use afterstate_arena::rating::{Tally, match_elo};
    use afterstate_arena::{EndKind, Ending};
    use afterstate_games::Outcome;

    fn game(index: u64, winner: Side) -> LoggedGame {
        LoggedGame {
            index,
            round: 0,
            agents: if index.is_multiple_of(2) { [0, 1] } else { [1, 0] },
            start: None,
            result: afterstate_arena::GameResult {
                outcome: Outcome::win(winner),
                ending: Ending { kind: EndKind::Rules, detail: String::new() },
                moves: Vec::new(),
                opening: 0,
                notes: Vec::new(),
                seconds: [0.0; 2],
                verdict: None,
            },
        }
    }

    #[test]
    fn a_test_counts_pairs_in_their_order_whatever_ends_first() {
        // Agent 0 wins both games of most pairs, and every third pair is shared.
        let games: Vec<LoggedGame> = (0..400)
            .map(|index| {
                let shared = index / 2 % 3 == 0;
                let mut game = game(index, if shared || index % 2 == 0 { Side::First } else { Side::Second });
                game.result.moves = vec![format!("D{index}")];
                game
            })
            .collect();
        let decided_after = |order: &mut dyn Iterator<Item = &LoggedGame>| {
            let mut test = Test::new(Sprt { elo1: 50.0, ..Sprt::default() });
            order.for_each(|game| test.add(game));
            assert!(test.is_decided());
            test.status.unwrap()
        };
        let status = decided_after(&mut games.iter());
        assert_eq!(status, decided_after(&mut games.iter().rev()));
        assert_eq!(status.decision, Decision::AcceptH1);
        assert!(status.games < 400);
    }

    #[test]
    fn a_test_learns_nothing_from_games_that_it_knows() {
        // The same two games again and again, and once another one with the first of them.
        let games = (0..400).map(|index| {
            let mut game = game(index, if index % 2 == 0 { Side::First } else { Side::Second });
            game.result.moves = vec![if index == 101 { "D4" } else { "E4" }.to_string()];
            game
        });
        let games: Vec<LoggedGame> = games.collect();
        let status = tested(Sprt::default(), &games).unwrap();
        assert_eq!((status.decision, status.games), (Decision::Continue, 4));
        assert_eq!(tested(Sprt::default(), games.iter().rev()).unwrap(), status);
    }

    /// A usual draw comes again and again, and should count as often as it does.
    #[test]
    fn games_of_agents_with_chance_count_although_they_are_known() {
        let games = (0..400u64).map(|index| {
            let won = index / 2 % 5 == 0;
            let mut game = game(index, if index % 2 == 0 { Side::First } else { Side::Second });
            game.result.moves = vec![if won { format!("D{index}") } else { "E4".to_string() }];
            if !won {
                game.result.outcome = Outcome::DRAW;
            }
            game
        });
        let games: Vec<LoggedGame> = games.collect();
        let never = Sprt { elo0: 0.0, elo1: 1e-3, ..Sprt::default() };
        let test = games.iter().fold(Test::new(never), |mut test, game| {
            test.add(game);
            test
        });
        assert_eq!(test.counts[0].games(), 400);
        assert_eq!(test.counts[1].games(), 82);
        assert_eq!(test.status.unwrap().games, 400);
    }

    #[test]
    fn games_that_nobody_could_start_count_for_nobody() {
        let void = |index| {
            let mut game = game(index, Side::First);
            game.result.outcome = Outcome::DRAW;
            game.result.ending.kind = EndKind::NotStarted;
            game
        };
        let games: Vec<LoggedGame> = (0..4000).map(void).collect();
        assert_eq!(tested(Sprt::default(), &games).unwrap().games, 0);
        assert_eq!(standings::tally(&games), Tally::default());
        assert!(elo_of_pairs(&games, 1.0).is_none());
        let names = ["a", "b"].map(str::to_string);
        assert_eq!(standings::results(&names, &games).unwrap().games(), 0);
        assert_eq!(standings::faults(&names, &games[..1]), [("a and b: not-started ()".to_string(), 1)]);
    }

    #[test]
    fn openings_that_both_play_are_observed_once() {
        // Whoever moves first wins: a coin says nothing of who is stronger, these pairs say that nobody is.
        let with_opening = |index: u64, text: &str| {
            let mut game = game(index, Side::First);
            game.result.moves = vec![text.to_string(), "C3".to_string()];
            game.result.opening = 1;
            game
        };
        let mut games: Vec<LoggedGame> = (0..41).map(|index| with_opening(index, &format!("D{}", index / 2))).collect();
        let (last, complete) = games.split_last().unwrap();
        let pairs = elo_of_pairs(complete, 1.0).unwrap();
        let singles = match_elo(Tally::new(20, 0, 20));
        assert_eq!((pairs.elo, singles.elo), (0.0, 0.0));
        assert!(pairs.high < 0.5 * singles.high && pairs.low > 0.5 * singles.low, "{pairs:?}");
        // Without its partner a game counts half, and in this order or another they say the same.
        assert_eq!(last.agents[0], 0);
        let with_last = elo_of_pairs(&games, 1.0).unwrap();
        assert!((with_last.elo - match_elo(Tally::new(21, 0, 20)).elo).abs() < 1e-9, "{with_last:?}");
        games.rotate_left(7);
        assert_eq!(elo_of_pairs(&games, 1.0), Some(with_last));
        games[3].result.moves[0] = "A1".into();
        assert_eq!(elo_of_pairs(&games, 1.0), None);
        // The empty board is no opening.
        assert_eq!(elo_of_pairs(&[game(0, Side::First), game(1, Side::Second)], 1.0), None);
        assert_eq!(elo_of_pairs(&[with_opening(0, "D4")], 1.0), None);
    }

    #[test]
    fn the_same_agent_twice_gets_two_names() {
        let spec = |name: &str| AgentSpec { name: name.into(), agent: Agent::Random };
        assert_eq!(names(&[spec("a"), spec("b"), spec("a"), spec("a")]), ["a", "b", "a#2", "a#3"]);
    }
}
