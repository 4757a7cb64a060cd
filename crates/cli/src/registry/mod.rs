//! Which games there are: where the program matches on a game's name, as `train` does for recipes (`any_recipe`).
//!
//! [`GameSpec`] is a game with its options; [`visit`] makes its first position and hands it to a
//! [`Visitor`], which from there on is generic. [`Playable`] is what the program needs of a game beyond
//! its rules: how agents become players of it.

mod backgammon;
mod chess;
mod go;
mod go_monte_carlo;
mod go_searcher;
mod monte_carlo;
mod plain_searches;
mod puct;
mod short_term;
mod td_search;

pub use backgammon::{ChancesOf, Evaluated, chances, evaluate, judge, rolled_out};
pub use chess::chess_evaluation;
pub use go_searcher::GoSearcher;
pub use plain_searches::plain_searches;
pub use puct::network;

use crate::agent::catalogue::did_you_mean;
use crate::agent::{Agent, AgentSpec};
use afterstate_arena::openings::OpeningSuite;
use afterstate_arena::result_log::{Header, LoggedGame};
use afterstate_arena::{AlphaBetaPlayer, Player, PlayerError, RandomPlayer, Referee, RulesReferee, ValuePlayer};
use afterstate_engine::Value;
use afterstate_engine::search::AlphaBeta;
use afterstate_engine::value::{
    AfterstateValues, ChessNetworkAgent, GridAgent, GridShapes, Indifferent, Linear, NetworkAgent, ShapeAgent,
    TermAgent,
};
use afterstate_games::backgammon::Backgammon;
use afterstate_games::go::{Go, Komi, MAX_SIZE, MIN_SIZE};
use afterstate_games::{Chess, ConnectFour, Deterministic, Grid, IndexedMoves, Notation, Record, Side, TicTacToe};
use afterstate_nets::ResidualAgent;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// A game as `games` lists it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GameInfo {
    /// What it is called in commands and files.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Boards.
    pub boards: &'static str,
    /// How moves are written.
    pub moves: &'static str,
}

/// All games, the simplest first.
pub const GAMES: &[GameInfo] = &[
    GameInfo {
        name: TicTacToe::NAME,
        summary: "three in a row; the smallest complete game",
        boards: "3x3",
        moves: "the square: 1 (upper left) to 9 (lower right), row by row",
    },
    GameInfo {
        name: ConnectFour::NAME,
        summary: "four in a row, stones fall down",
        boards: "7 columns of 6",
        moves: "the column: 1 (left) to 7",
    },
    GameInfo {
        name: Backgammon::NAME,
        summary: "gammons and backgammons count double and threefold; play has the doubling cube, for money and in matches",
        boards: "24 points",
        moves: "a play of both dice, points counted from one's own home: 8/5 6/5, bar/22, 13/7*/2, 6/off(2); pass",
    },
    GameInfo {
        name: Chess::NAME,
        summary: "all rules, with draws by repetition, fifty moves and insufficient material",
        boards: "8x8",
        moves: "as UCI or people write them: e2e4, e7e8q, Nf3, O-O",
    },
    GameInfo {
        name: Go::NAME,
        summary: "area scoring, positional superko, suicide illegal",
        boards: "5x5 to 19x19: go5 … go19, or go with --size (default 9); komi in half points, default 7.5",
        moves: "column letter without I, and row: A1 (lower left), E5, or pass",
    },
];

/// A game with its options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GameSpec {
    /// Tic-tac-toe.
    TicTacToe,
    /// Connect Four.
    ConnectFour,
    /// Backgammon.
    Backgammon,
    /// Chess.
    Chess,
    /// Go.
    Go {
        /// Points along one edge.
        size: usize,
        /// White's compensation.
        komi: Komi,
    },
}

/// Options that name a game.
#[derive(clap::Args, Clone, Debug)]
pub struct GameArgs {
    /// The game (see `afterstate games`)
    #[arg(long, default_value = "go", value_name = "GAME")]
    pub game: String,
    #[command(flatten)]
    pub options: GameOptions,
}

/// Options of games.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct GameOptions {
    /// Go: points along one edge, 5 to 19 [default: 9]
    #[arg(long, value_name = "N")]
    pub size: Option<usize>,
    /// Go: white's compensation in points, in steps of 0.5 [default: 7.5]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    pub komi: Option<f64>,
}

impl GameArgs {
    /// The game that they name.
    pub fn spec(&self) -> Result<GameSpec> {
        GameSpec::parse(&self.game, self.options)
    }
}

impl GameSpec {
    /// Reads a name (`go13`, `connect-four`, …) and options.
    pub fn parse(name: &str, options: GameOptions) -> Result<GameSpec> {
        let plain = |spec| {
            ensure!(
                options.size.is_none() && options.komi.is_none(),
                "{name} has neither --size nor --komi; leave them out"
            );
            Ok(spec)
        };
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        match base {
            TicTacToe::NAME if base == name => plain(GameSpec::TicTacToe),
            ConnectFour::NAME if base == name => plain(GameSpec::ConnectFour),
            Backgammon::NAME if base == name => plain(GameSpec::Backgammon),
            Chess::NAME if base == name => plain(GameSpec::Chess),
            Go::NAME => {
                let written = Some(&name[base.len()..]).filter(|digits| !digits.is_empty());
                let written = written.map(|digits| digits.parse::<usize>().unwrap_or(usize::MAX));
                if let (Some(written), Some(size)) = (written, options.size) {
                    ensure!(written == size, "{name} with --size {size}: the sizes differ; leave one out");
                }
                let size = written.or(options.size).unwrap_or(9);
                ensure!(
                    (MIN_SIZE..=MAX_SIZE).contains(&size),
                    "game '{name}': board size {}: expected {MIN_SIZE} to {MAX_SIZE}",
                    written.map_or(size.to_string(), |_| name[base.len()..].to_string())
                );
                let komi = match options.komi {
                    None => Komi::DEFAULT,
                    Some(points) => Komi::try_from(points).map_err(|error| anyhow!(error))?,
                };
                Ok(GameSpec::Go { size, komi })
            }
            _ => {
                let names: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
                bail!(
                    "game '{name}': expected {} (or go5 to go19){}",
                    names.join(", "),
                    did_you_mean(name, names.iter().copied())
                )
            }
        }
    }

    /// Its name, as results are filed under: `go9`, `connect-four`.
    pub fn name(&self) -> String {
        match self {
            GameSpec::TicTacToe => TicTacToe::NAME.to_string(),
            GameSpec::ConnectFour => ConnectFour::NAME.to_string(),
            GameSpec::Backgammon => Backgammon::NAME.to_string(),
            GameSpec::Chess => Chess::NAME.to_string(),
            GameSpec::Go { size, .. } => format!("{}{size}", Go::NAME),
        }
    }

    /// Random moves at the beginning of a game of a match, when nothing else is asked for. Dice make every game another.
    pub fn opening_moves(&self) -> u32 {
        match self {
            GameSpec::Backgammon => 0,
            _ => 2,
        }
    }
}

/// Something that works for every game.
pub trait Visitor {
    /// What comes out.
    type Output;

    /// Does it for the game that begins at `start`.
    fn visit<G: Playable>(self, start: G) -> Self::Output;
}

/// Lets `visitor` work on the first position of `game`.
pub fn visit<V: Visitor>(game: GameSpec, visitor: V) -> V::Output {
    match game {
        GameSpec::TicTacToe => visitor.visit(TicTacToe::default()),
        GameSpec::ConnectFour => visitor.visit(ConnectFour::default()),
        GameSpec::Backgammon => visitor.visit(Backgammon::default()),
        GameSpec::Chess => visitor.visit(Chess::default()),
        GameSpec::Go { size, komi } => visitor.visit(Go::new(size).with_komi(komi)),
    }
}

/// Makes players of one agent; several at once may play, each in its own game.
pub type PlayerFactory<G> = Arc<dyn Fn() -> Result<Box<dyn Player<G>>, PlayerError> + Send + Sync>;

/// Makes a referee for each worker.
pub type RefereeMaker<G> = Box<dyn Fn() -> Result<Box<dyn Referee<G>>, PlayerError> + Sync>;

/// A game that the program can play.
pub trait Playable: Notation {
    /// How players of `agent` are made. Everything that can be wrong with the agent is found now, and what its players
    /// share (weights above all) is loaded once.
    fn players(&self, agent: &Agent) -> Result<PlayerFactory<Self>>;

    /// What a checkpoint has learnt that positions are worth.
    fn values(&self, checkpoint: &str) -> Result<Arc<dyn AfterstateValues<Self>>> {
        bail!("{checkpoint}: no checkpoint of values plays {} so; leave it out", Self::NAME)
    }

    /// Names of the referees that the game has, the usual one first.
    const REFEREES: &'static [&'static str] = &["rules"];

    /// A maker of referees, by a name of [`Playable::REFEREES`].
    fn referee(name: &str) -> Result<RefereeMaker<Self>> {
        match name {
            "rules" => Ok(Box::new(|| Ok(Box::new(RulesReferee)))),
            _ => bail!("referee '{name}': {} has {}", Self::NAME, Self::REFEREES.join(", ")),
        }
    }

    /// After how many moves a game of a match is stopped and judged.
    fn move_limit(&self) -> usize {
        1000
    }

    /// What a side is called.
    fn side_name(side: Side) -> &'static str {
        match side {
            Side::First => "X",
            Side::Second => "O",
        }
    }

    /// What a value is to a side, as people say it.
    fn value_text(value: Value, side: Side) -> String {
        format!("{:.0} % for {}", 100.0 * value.seen_by(side), Self::side_name(side))
    }

    /// Whether games can be written as PGN, and if not, why.
    fn has_pgn() -> Result<()> {
        bail!("only games of chess can be written as PGN, not of {}; leave --pgn out", Self::NAME)
    }

    /// A game of a tournament as PGN, with an empty line behind it.
    fn pgn(header: &Header, game: &LoggedGame) -> Result<String> {
        let _ = (header, game);
        Self::has_pgn().map(|()| String::new())
    }

    /// Openings for so many pairs of games from a file, of whose games or book the first `plies` moves are played.
    fn openings(path: &Path, plies: u32, pairs: u64, seed: u64) -> Result<OpeningSuite<Self>> {
        let _ = (plies, pairs, seed);
        bail!("openings '{}': only chess has suites of them, not {}", path.display(), Self::NAME)
    }

    /// The board as people see it, with the last move marked where the game can.
    fn board(record: &Record<Self>, unicode: bool) -> String {
        let _ = unicode;
        record.position().diagram()
    }

    /// The first player's lead, in games that count points.
    fn points(&self) -> Option<f64> {
        None
    }
}

/// How players of `spec` are made for games from `start`.
pub fn players<G: Playable>(start: &G, spec: &AgentSpec) -> Result<PlayerFactory<G>> {
    start.players(&spec.agent).with_context(|| format!("agent '{}'", spec.name))
}

fn factory<G: Playable, P: Player<G> + 'static>(make: impl Fn() -> P + Send + Sync + 'static) -> PlayerFactory<G> {
    Arc::new(move || Ok(Box::new(make())))
}

/// The agents that every game without dice has. `game_length`: in moves of both sides, as a rule.
fn general<G: Playable + Deterministic + IndexedMoves>(
    start: &G,
    agent: &Agent,
    game_length: f32,
) -> Result<PlayerFactory<G>> {
    match agent {
        Agent::Random => Ok(factory(RandomPlayer::default)),
        Agent::Greedy { checkpoint, .. } if ResidualAgent::load(checkpoint).is_ok() => {
            bail!("networks play by search: use puct:{checkpoint}")
        }
        Agent::Greedy { checkpoint, epsilon } => {
            let (value, epsilon) = (start.values(checkpoint)?, *epsilon);
            Ok(factory(move || ValuePlayer::new(value.clone()).with_epsilon(epsilon)))
        }
        Agent::AlphaBeta { checkpoint, search } => {
            let (values, settings) = (values_or_none(start, checkpoint.as_deref())?, search.clone());
            Ok(factory(move || AlphaBetaPlayer::new(AlphaBeta::indexed(values.clone(), settings.clone()), G::clone)))
        }
        Agent::MonteCarlo(agent) => monte_carlo::plain_players(start, agent, game_length),
        Agent::TdSearch(_) => bail!("{} has no features that could be learnt yet: use uct or alpha-beta", G::NAME),
        Agent::Puct(_) => bail!("puct plays go, connect-four and tic-tac-toe, not {}: use alpha-beta", G::NAME),
        Agent::Tournament(_) => bail!("tournament-search plays chess, not {}: use alpha-beta", G::NAME),
        Agent::Expectimax(_) => bail!("expectimax plays games with dice, not {}: use alpha-beta", G::NAME),
        Agent::Gnubg { .. } => bail!("gnubg plays backgammon, not {}: use random or alpha-beta", G::NAME),
        Agent::Gtp { .. } => bail!("GTP engines play Go, not {}: use random or alpha-beta", G::NAME),
        Agent::Uci(_) | Agent::Xboard(_) => {
            bail!("UCI's and XBoard's engines play chess, not {}: use random or alpha-beta", G::NAME)
        }
    }
}

/// What a checkpoint says that positions are worth; without one all are worth the same.
fn values_or_none<G: Playable>(start: &G, checkpoint: Option<&str>) -> Result<Arc<dyn AfterstateValues<G>>> {
    checkpoint.map_or_else(|| Ok(Arc::new(Indifferent) as Arc<dyn AfterstateValues<G>>), |name| start.values(name))
}

/// What was learnt of a game on a grid.
fn grid_value<G: Playable + Grid>(start: &G, checkpoint: &str) -> Result<Linear<GridShapes>> {
    let learnt = || GridAgent::load(checkpoint)?.value_in(start).map_err(|problem| anyhow!("{checkpoint}: {problem}"));
    of_this_game::<G, _>(checkpoint, learnt())
}

/// What was read of a checkpoint; if it could not be read because it is of another game, that is said.
fn of_this_game<G: Playable, T>(checkpoint: &str, read: Result<T>) -> Result<T> {
    read.map_err(|error| match learnt_game(checkpoint) {
        Some(game) if !game.eq_ignore_ascii_case(G::NAME) => {
            anyhow!("{checkpoint} holds values of {game}, not of {}: name a checkpoint of that game", G::NAME)
        }
        _ => error.context(format!("values of {}", G::NAME)),
    })
}

/// The game of a checkpoint of values.
fn learnt_game(checkpoint: &str) -> Option<String> {
    if let Ok(grid) = GridAgent::load(checkpoint) {
        return Some(grid.about.grid_game);
    }
    if ShapeAgent::load(checkpoint).is_ok() {
        return Some("Go".to_string());
    }
    if TermAgent::load(checkpoint).is_ok() || ChessNetworkAgent::load(checkpoint).is_ok() {
        return Some(Chess::NAME.to_string());
    }
    NetworkAgent::load(checkpoint).ok().map(|_| Backgammon::NAME.to_string())
}

impl Playable for TicTacToe {
    fn players(&self, agent: &Agent) -> Result<PlayerFactory<Self>> {
        match agent {
            Agent::TdSearch(agent) => td_search::grid_players(self, agent, 9.0),
            Agent::MonteCarlo(agent) if agent.short_term().is_some() => short_term::grid_players(self, agent, 9.0),
            Agent::Puct(agent) => puct::players(self, agent, 9.0),
            other => general(self, other, 9.0),
        }
    }

    fn values(&self, checkpoint: &str) -> Result<Arc<dyn AfterstateValues<Self>>> {
        Ok(Arc::new(grid_value(self, checkpoint)?))
    }
}

impl Playable for ConnectFour {
    fn players(&self, agent: &Agent) -> Result<PlayerFactory<Self>> {
        match agent {
            Agent::TdSearch(agent) => td_search::grid_players(self, agent, 36.0),
            Agent::MonteCarlo(agent) if agent.short_term().is_some() => short_term::grid_players(self, agent, 36.0),
            Agent::Puct(agent) => puct::players(self, agent, 36.0),
            other => general(self, other, 36.0),
        }
    }

    fn values(&self, checkpoint: &str) -> Result<Arc<dyn AfterstateValues<Self>>> {
        Ok(Arc::new(grid_value(self, checkpoint)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(name: &str, size: Option<usize>, komi: Option<f64>) -> Result<GameSpec> {
        GameSpec::parse(name, GameOptions { size, komi })
    }

    #[test]
    fn go_takes_its_size_from_its_name_or_the_option() {
        let go = |size| GameSpec::Go { size, komi: Komi::DEFAULT };
        assert_eq!(parsed("go", None, None).unwrap(), go(9));
        assert_eq!(parsed("go13", None, None).unwrap(), go(13));
        assert_eq!(parsed("go", Some(19), None).unwrap(), go(19));
        assert_eq!(
            parsed("go5", Some(5), Some(-0.5)).unwrap(),
            GameSpec::Go { size: 5, komi: Komi::new(-0.5).unwrap() }
        );
        for bad in [parsed("go13", Some(9), None), parsed("go4", None, None), parsed("go", Some(20), None)] {
            assert!(bad.unwrap_err().to_string().contains("size"));
        }
        assert!(parsed("go99999999999999999999", None, None).is_err());
        assert!(parsed("go", None, Some(0.3)).unwrap_err().to_string().contains("multiple of 0.5"));
    }

    #[test]
    fn other_games_have_no_options() {
        assert_eq!(parsed("connect-four", None, None).unwrap(), GameSpec::ConnectFour);
        assert!(parsed("connect-four", Some(9), None).unwrap_err().to_string().contains("leave them out"));
        assert!(parsed("conect-four", None, None).unwrap_err().to_string().contains("did you mean 'connect-four'?"));
        assert!(parsed("connect-four4", None, None).is_err());
    }
}
