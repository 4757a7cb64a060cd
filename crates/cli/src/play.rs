//! `afterstate play`: a game in the terminal against any agent.

mod cube;

use crate::agent::AgentSpec;
use crate::output;
use crate::registry::{self, GameArgs, GameSpec, Playable, PlayerFactory, Visitor};
use afterstate_arena::{Clock, Player, TimeControl};
use afterstate_engine::Decision;
use afterstate_games::playout::draw_chance;
use afterstate_games::{Outcome, Record, Rng, Side, Turn, stream};
use anyhow::{Context, Result, bail, ensure};
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Arguments of `play`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate play --agent runs/quick\n  \
                        afterstate play --game connect-four --agent alpha-beta,depth=8 --side second\n  \
                        afterstate play --game connect-four --agent uct:20000,solver=true\n  \
                        afterstate play --game tic-tac-toe --position X../.O./... --agent uct:20000,solver=true\n  \
                        afterstate play --agent 'gtp:gnugo --mode gtp --level 10' --size 13\n  \
                        afterstate play --game backgammon --agent expectimax:runs/gammon,plies=2 --length 5\n\n\
                        In the game: a move, or undo, hint, moves, board, position, resign, quit, help.\n\
                        With the cube also roll, double, take, pass, resign gammon and resign backgammon; a resignation is\n\
                        declined if playing on brings more. Moves are not taken back then.")]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,
    /// Whom to play against (see `afterstate agents`)
    #[arg(long, default_value = "random", value_name = "SPEC")]
    agent: String,
    /// Begin at this position, as 'position' prints it in a game; --size and --komi do not matter then, and with --cube the cube and
    /// the score are what an XGID says
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    position: Option<String>,
    /// Backgammon: play with the doubling cube, a game for money
    #[arg(long, conflicts_with = "length")]
    cube: bool,
    /// With --cube: gammons count only once the cube was turned
    #[arg(long, requires = "cube", conflicts_with = "length")]
    jacoby: bool,
    /// Backgammon: play a match to so many points, with the doubling cube and the Crawford rule
    #[arg(long, value_name = "POINTS", conflicts_with = "position")]
    length: Option<u32>,
    /// Which side you are
    #[arg(long, value_enum, default_value = "first")]
    side: HumanSide,
    /// How long the agent may think: 5s/move, 1000sims/move, none (see `afterstate match --help`)
    #[arg(long, default_value = "none", value_name = "CONTROL")]
    time: TimeControl,
    /// Seed of the agent's random choices, and of the dice: with the same seed these are the same in every game [default: another
    /// one each time; it is shown at the beginning]
    #[arg(long)]
    seed: Option<u64>,
    /// Go: draw stones as discs (as they look on a light background)
    #[arg(long)]
    unicode: bool,
}

/// Which side the human plays.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum HumanSide {
    /// Moves first
    #[value(alias = "black", alias = "x")]
    First,
    /// Moves second
    #[value(alias = "white", alias = "o")]
    Second,
}

/// Plays on standard input and output.
pub fn run(args: Args) -> Result<()> {
    let spec = AgentSpec::parse(&args.agent)?;
    let game = args.game.spec()?;
    if args.cube || args.length.is_some() {
        ensure!(game == GameSpec::Backgammon, "only backgammon has a doubling cube: leave --cube and --length out");
        return cube::play(args, spec);
    }
    registry::visit(game, Start { args, spec })
}

struct Start {
    args: Args,
    spec: AgentSpec,
}

impl Visitor for Start {
    type Output = Result<()>;

    fn visit<G: Playable>(self, start: G) -> Result<()> {
        let start = match &self.args.position {
            Some(text) => G::parse_position(text).context("--position")?,
            None => start,
        };
        let mut session = Session::new(start, &self.args, self.spec)?;
        let mut input = std::io::stdin().lock();
        let mut out = output::stdout();
        let mut terminal = Terminal { input: &mut input, out: &mut out, prompt: std::io::stdin().is_terminal() };
        session.play(&mut terminal)
    }
}

/// Where the human is.
struct Terminal<'a> {
    input: &'a mut dyn BufRead,
    out: &'a mut dyn Write,
    /// Whether to ask for input.
    prompt: bool,
}

/// What is played for, besides the game itself.
trait Stakes<G: Playable> {
    /// Before chance acts: whether it may, or the game ends here.
    fn before_chance(&mut self, record: &Record<G>, terminal: &mut Terminal) -> Result<Before>;

    /// The human gives up a game of such a stake: how it ends, or nothing if that is declined.
    fn resigned(&mut self, record: &Record<G>, stake: u8, terminal: &mut Terminal) -> Result<Option<Outcome>>;

    /// Why a double that is asked for with a roll on the board was not possible before.
    fn no_double(&self) -> String {
        "There is no cube.".into()
    }

    /// The position as a line.
    fn position(&self, record: &Record<G>) -> String {
        record.position().position_text()
    }
}

/// What comes before a roll.
enum Before {
    Roll,
    Over(Outcome),
    Quit,
}

/// A game for nothing but itself.
struct Plain {
    human: Side,
}

impl<G: Playable> Stakes<G> for Plain {
    fn before_chance(&mut self, _record: &Record<G>, _terminal: &mut Terminal) -> Result<Before> {
        Ok(Before::Roll)
    }

    fn resigned(&mut self, _record: &Record<G>, _stake: u8, terminal: &mut Terminal) -> Result<Option<Outcome>> {
        writeln!(terminal.out, "You resign.")?;
        Ok(Some(Outcome::win(self.human.other())))
    }
}

struct Session<G: Playable> {
    record: Record<G>,
    human: Side,
    agent: Box<dyn Player<G>>,
    factory: PlayerFactory<G>,
    name: String,
    time: TimeControl,
    seed: u64,
    unicode: bool,
    dice: Rng,
    /// Whether there is a cube: then a gammon may be resigned, and no move is taken back.
    cube: bool,
}

/// A seed that nobody chose, short enough to be typed again.
fn fresh_seed() -> u64 {
    RandomState::new().hash_one(()) % 1_000_000
}

/// What the human wants.
enum Order<M> {
    Move(M),
    Undo,
    /// With the stake.
    Resign(u8),
    Quit,
}

const HELP: &str = "a move, or undo (your last move), hint (the agent's choice), moves (all legal ones), \
                    board, position (as one line), resign, quit";

impl<G: Playable> Session<G> {
    fn new(start: G, args: &Args, spec: AgentSpec) -> Result<Session<G>> {
        let factory = registry::players(&start, &spec)?;
        let seed = args.seed.unwrap_or_else(fresh_seed);
        Ok(Session {
            record: Record::new(start),
            human: if args.side == HumanSide::First { Side::First } else { Side::Second },
            agent: factory()?,
            factory,
            name: spec.name,
            time: args.time,
            seed,
            unicode: args.unicode,
            dice: stream(seed, 2),
            cube: false,
        })
    }

    fn play(&mut self, terminal: &mut Terminal) -> Result<()> {
        self.greet(terminal)?;
        let mut stakes = Plain { human: self.human };
        let Some(outcome) = self.play_game(&mut stakes, terminal)? else { return Ok(terminal.out.flush()?) };
        let points = match self.record.turn() {
            Turn::Over(_) => self.record.position().points(),
            _ => None,
        };
        let by = match (points, outcome.stake) {
            (Some(points), _) => format!(" by {} points", points.abs()),
            (None, 2) => " a gammon".to_string(),
            (None, 3) => " a backgammon".to_string(),
            (None, _) => String::new(),
        };
        match outcome.winner {
            Some(side) if side == self.human => writeln!(terminal.out, "You win{by}.")?,
            Some(_) => writeln!(terminal.out, "{} wins{by}.", self.name)?,
            None => writeln!(terminal.out, "A draw.")?,
        }
        Ok(terminal.out.flush()?)
    }

    fn greet(&self, terminal: &mut Terminal) -> Result<()> {
        let [own, other] = [self.human, self.human.other()].map(G::side_name);
        writeln!(terminal.out, "You are {own}, {} is {other}.", self.name)?;
        writeln!(terminal.out, "Type {}.", self.help())?;
        writeln!(terminal.out, "The same again: --seed {}", self.seed)?;
        Ok(())
    }

    fn help(&self) -> &'static str {
        if self.cube { cube::HELP } else { HELP }
    }

    /// Plays a game from the record's position to its end; nothing if the human quits.
    fn play_game(&mut self, stakes: &mut dyn Stakes<G>, terminal: &mut Terminal) -> Result<Option<Outcome>> {
        self.agent.new_game(&self.record, self.seed)?;
        let mut chances = Vec::new();
        let outcome = loop {
            match self.record.turn() {
                Turn::Over(outcome) => break outcome,
                Turn::Player(side) if side == self.human => {
                    self.show(terminal.out)?;
                    match self.ask(stakes, terminal)? {
                        Order::Move(mv) => self.advance(mv)?,
                        Order::Undo => self.undo(terminal.out)?,
                        Order::Resign(stake) => {
                            if let Some(outcome) = stakes.resigned(&self.record, stake, terminal)? {
                                break outcome;
                            }
                        }
                        Order::Quit => return Ok(None),
                    }
                }
                Turn::Player(side) => {
                    let decision = choose(&mut *self.agent, &self.record, self.time)?;
                    let Some(mv) = decision.best else {
                        writeln!(terminal.out, "{} resigns.", self.name)?;
                        break Outcome::win(self.human);
                    };
                    let text = describe(&self.record, &decision, self.agent.proved(), side);
                    if !self.record.is_legal(mv) {
                        bail!("{} played {text}, which is not legal here", self.name);
                    }
                    writeln!(terminal.out, "{} plays {text}", self.name)?;
                    self.advance(mv)?;
                }
                Turn::Chance => {
                    match stakes.before_chance(&self.record, terminal)? {
                        Before::Roll => {}
                        Before::Over(outcome) => break outcome,
                        Before::Quit => return Ok(None),
                    }
                    self.record.position().chance_outcomes(&mut chances);
                    let roll = draw_chance(&chances, &mut self.dice);
                    let text = self.record.position().move_text(roll);
                    self.advance(roll)?;
                    match self.record.turn() {
                        Turn::Player(side) if side == self.human => writeln!(terminal.out, "You roll {text}.")?,
                        _ => writeln!(terminal.out, "{} rolls {text}.", self.name)?,
                    }
                }
            }
        };
        self.agent.game_over(&self.record, outcome);
        self.show(terminal.out)?;
        Ok(Some(outcome))
    }

    fn show(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "\n{}", G::board(&self.record, self.unicode).trim_end())?;
        Ok(())
    }

    fn ask(&mut self, stakes: &dyn Stakes<G>, terminal: &mut Terminal) -> Result<Order<G::Move>> {
        loop {
            let Some(line) = terminal.line(G::side_name(self.human))? else { return Ok(Order::Quit) };
            if let Some(stake) = cube::resigned_stake(line.trim()).filter(|&stake| stake == 1 || self.cube) {
                return Ok(Order::Resign(stake));
            }
            let out = &mut *terminal.out;
            match line.trim() {
                "" => {}
                "quit" | "exit" => return Ok(Order::Quit),
                "undo" if self.cube => writeln!(out, "With the cube no move is taken back.")?,
                "double" if self.cube => writeln!(out, "{}", stakes.no_double())?,
                "undo" => return Ok(Order::Undo),
                "help" | "?" => writeln!(out, "Type {}.", self.help())?,
                "board" => self.show(out)?,
                "position" => writeln!(out, "{}", stakes.position(&self.record))?,
                "moves" => {
                    let mut moves = Vec::new();
                    self.record.legal_moves(&mut moves);
                    let texts: Vec<String> = moves.iter().map(|&mv| self.record.position().move_text(mv)).collect();
                    // Plays of backgammon have spaces of their own, or could be read as parts of one.
                    let between = if texts.iter().any(|text| text.contains([' ', '/'])) { ", " } else { " " };
                    writeln!(out, "{}", texts.join(between))?;
                }
                "hint" => self.hint(out)?,
                text => match self.record.position().parse_move(text) {
                    Err(error) => writeln!(out, "{error}; or type help")?,
                    Ok(mv) if !self.record.is_legal(mv) => writeln!(
                        out,
                        "{text} is not legal here{}; 'moves' lists what is",
                        if self.record.position().is_legal(mv) { ": it repeats an earlier position" } else { "" }
                    )?,
                    Ok(mv) => return Ok(Order::Move(mv)),
                },
            }
        }
    }

    /// What the agent would play in the human's place. A second player of the same kind is asked, so that
    /// the opponent's own thoughts stay as they are.
    fn hint(&mut self, out: &mut dyn Write) -> Result<()> {
        let mut adviser = (self.factory)()?;
        adviser.new_game(&self.record, self.seed)?;
        let decision = choose(&mut *adviser, &self.record, self.time)?;
        let text = describe(&self.record, &decision, adviser.proved(), self.human);
        writeln!(out, "{} would play {text}", self.name)?;
        Ok(())
    }

    fn advance(&mut self, mv: G::Move) -> Result<()> {
        self.record.play(mv);
        Ok(self.agent.move_played(&self.record)?)
    }

    /// Takes moves back until the human is to move again.
    fn undo(&mut self, out: &mut dyn Write) -> Result<()> {
        let mut before = self.record.clone();
        while before.undo() {
            if before.turn() == Turn::Player(self.human) {
                self.record = before;
                self.agent.new_game(&self.record, self.seed)?;
                return Ok(());
            }
        }
        writeln!(out, "There is no move of yours to take back.")?;
        Ok(())
    }
}

/// A move of `player` with a fresh clock: a human waits, but not for a flag to fall.
fn choose<G: Playable>(player: &mut dyn Player<G>, record: &Record<G>, time: TimeControl) -> Result<Decision<G::Move>> {
    let clock = Clock::new(time, Duration::from_secs(1));
    if time != TimeControl::None {
        player.clocks(&[clock.clone(), clock.clone()]);
    }
    Ok(player.choose(record, &clock.budget(Instant::now()))?)
}

/// `E5  (61 % for Black, 4 plies, 12345 positions, expects E5 D4 …)`, and `proven win for Black` for what is certain. In backgammon it
/// is points.
fn describe<G: Playable>(
    record: &Record<G>,
    decision: &Decision<G::Move>,
    proved: Option<Outcome>,
    side: Side,
) -> String {
    let mut position = record.position().clone();
    let Some(best) = decision.best else { return "resign".to_string() };
    let mut text = position.move_text(best);
    let mut notes = Vec::new();
    if let Some(outcome) = proved {
        let winner = outcome.winner.map(|winner| format!("win for {}", G::side_name(winner)));
        notes.push(format!("proven {}", winner.unwrap_or_else(|| "draw".to_string())));
    } else if let Some(value) = decision.value {
        notes.push(G::value_text(value, side));
    }
    if let Some(depth) = decision.depth {
        notes.push(if depth == 1 { "1 ply".to_string() } else { format!("{depth} plies") });
    }
    if decision.effort > 0 {
        notes.push(format!("{} positions", decision.effort));
    }
    if decision.principal_variation.len() > 1 {
        let mut line = Vec::new();
        for &mv in &decision.principal_variation {
            if !position.is_legal(mv) {
                break;
            }
            line.push(position.move_text(mv));
            position.play(mv);
        }
        notes.push(format!("expects {}", line.join(" ")));
    }
    if !notes.is_empty() {
        text += &format!("  ({})", notes.join(", "));
    }
    text
}

impl Terminal<'_> {
    /// What the human types next; nothing, after saying so, at the end of input.
    fn line(&mut self, who: &str) -> Result<Option<String>> {
        if self.prompt {
            write!(self.out, "{who} > ")?;
        }
        self.out.flush()?;
        let line = read_line(self.input)?;
        if line.is_none() {
            writeln!(self.out, "End of input.")?;
        }
        Ok(line)
    }
}

/// A line of at most 1,000 bytes (longer ones are cut, and what is not text is replaced); `None` at the end.
fn read_line(input: &mut dyn BufRead) -> Result<Option<String>> {
    const LONGEST: usize = 1000;
    let mut line = Vec::new();
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error).context("standard input"),
        };
        if buffer.is_empty() {
            return Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()));
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(buffer.len());
        line.extend_from_slice(&buffer[..taken.min(LONGEST.saturating_sub(line.len()))]);
        input.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
        }
    }
}
