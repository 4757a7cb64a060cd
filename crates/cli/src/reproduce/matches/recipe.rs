//! Experiment files about matches: who plays whom how often, and what the paper says comes out.

use crate::agent::AgentSpec;
use crate::agent::catalogue::did_you_mean;
use crate::registry::{GameOptions, GameSpec};
use crate::reproduce::{Scale, folder_name};
use afterstate_arena::TimeControl;
use afterstate_arena::adjudication::Adjudication;
use afterstate_arena::sprt::Sprt;
use anyhow::{Context, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A table or figure whose points are matches.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchExperiment {
    /// Figure and section of the paper.
    pub source: String,
    /// What it is about.
    pub title: String,
    /// The game.
    #[serde(default = "go")]
    pub game: String,
    /// Go: points along one edge.
    pub board_size: Option<usize>,
    /// Go: White's compensation.
    pub komi: Option<f64>,
    /// Who judges finished games; empty: the game's usual referee.
    #[serde(default)]
    pub referee: String,
    /// Random moves at the beginning of every pair of games.
    #[serde(default)]
    pub opening_moves: u32,
    /// Seeds the games of every point.
    #[serde(default = "one")]
    pub seed: u64,
    /// The opponent of every point that names no other.
    pub opponent: Option<Opponent>,
    /// What has to be learnt before the games.
    #[serde(rename = "training", default)]
    pub trainings: Vec<Training>,
    /// When the players' agreement ends a game, at points that say nothing about it.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// Whether logs keep what players said about their moves, most of what is in them.
    #[serde(default = "yes")]
    pub notes: bool,
    /// A test that ends each match as soon as it is decided, before all games are played.
    pub sprt: Option<Sprt>,
    /// Sizes by scale.
    pub scale: BTreeMap<String, Size>,
    /// How points with an `x` are drawn.
    pub plot: Option<Plot>,
    /// The parts of a figure that has several, each with a plot of its own.
    #[serde(rename = "panel", default)]
    pub panels: Vec<Panel>,
    /// The matches.
    #[serde(rename = "point")]
    pub points: Vec<Point>,
    /// What the paper says.
    #[serde(rename = "claim", default)]
    pub claims: Vec<Claim>,
}

fn go() -> String {
    "go".into()
}

fn yes() -> bool {
    true
}

fn one() -> u64 {
    1
}

/// Somebody to play against.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Opponent {
    /// In tables.
    pub name: String,
    /// Its agent spec.
    pub agent: String,
}

/// A run of learning whose weights agents of the experiment use.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// A training recipe, in the experiment's folder or beside it.
    pub recipe: PathBuf,
    /// The run's folder, as the agents name it.
    pub folder: PathBuf,
}

/// How much is played.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Games of each point, even so that both sides are played.
    pub games: u32,
    /// Only these points, the first of them first.
    pub points: Option<Vec<String>>,
}

/// What the vertical axis shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Points for each game, in per cent.
    #[default]
    WinningRate,
    /// The Elo difference that this shows.
    Elo,
}

/// A plot of points over their `x`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plot {
    /// Below the horizontal axis.
    pub x_label: String,
    /// Whether the horizontal axis is logarithmic.
    #[serde(default = "yes")]
    pub log_x: bool,
    /// What is drawn.
    #[serde(default)]
    pub measure: Measure,
    /// Dashed lines, in the measure's unit: what the paper has.
    #[serde(rename = "line", default)]
    pub lines: Vec<Line>,
}

/// A dashed line.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// In the legend.
    pub name: String,
    /// Its height.
    pub y: f64,
}

/// A part of a figure.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// Short, for file names and points: `a`, `b`, …
    pub name: String,
    /// Above the plot.
    pub title: String,
    /// How its points are drawn.
    pub plot: Plot,
}

/// A match.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Point {
    /// In tables, claims and the log's file name.
    pub name: String,
    /// Its agent spec.
    pub agent: String,
    /// Its opponent, if not the experiment's.
    pub opponent: Option<Opponent>,
    /// Points along one edge of its board, if not the experiment's.
    pub board_size: Option<usize>,
    /// Who judges its games, if not the experiment's referee.
    pub referee: Option<String>,
    /// The panel that it belongs to.
    pub panel: Option<String>,
    /// The curve that it is on.
    pub series: Option<String>,
    /// Where on that curve. A point without it is drawn as a dashed line if the experiment has a plot.
    pub x: Option<f64>,
    /// Both sides' time, as `match --time` understands it.
    pub time: Option<String>,
    /// When the players' agreement ends its games, if not the experiment's; `{}` for never.
    pub adjudication: Option<Adjudication>,
    /// The paper's winning rate, 0 to 1, where it prints one.
    pub paper: Option<f64>,
    /// The paper's points for each game, where it prints them.
    pub paper_points: Option<f64>,
    /// Games at scales where the number differs.
    #[serde(default)]
    pub games: BTreeMap<String, u32>,
}

/// Something the paper says that games can confirm or refute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// In words.
    pub text: String,
    /// The point that it is about.
    pub of: String,
    /// It wins at least this share of its games.
    pub at_least: Option<f64>,
    /// It wins about this share.
    pub about: Option<f64>,
    /// It is stronger than this other point, which has the same opponent.
    pub beats: Option<String>,
    /// It is stronger than its opponent by at least so many Elo.
    pub elo_at_least: Option<f64>,
    /// It is stronger than its opponent by at most so many Elo; with a negative number it is weaker.
    pub elo_at_most: Option<f64>,
    /// It is stronger than its opponent by about so many Elo.
    pub elo_about: Option<f64>,
    /// It wins at least so many points for each game, in games that are worth several.
    pub points_at_least: Option<f64>,
    /// It is about as strong as this other point, which has the same opponent.
    pub equals: Option<String>,
    /// It is ahead of its own opponent by more Elo than this other point is of its own.
    pub gains_more_than: Option<String>,
    /// By at least so many Elo, for `beats` and `gains-more-than`.
    pub by: Option<f64>,
    /// Tolerance of `about` (a share), `elo-about` and `equals` (Elo).
    pub within: Option<f64>,
}

/// A point at one scale, with its agents read.
#[derive(Clone, Debug)]
pub struct Match {
    /// Its place among the experiment's points, in which reports are written.
    pub point: usize,
    /// Matches are played in this order: the scale's list, or the points'.
    pub turn: usize,
    /// Whether it is to be played; otherwise what there is of it is reported.
    pub wanted: bool,
    /// The agent and its opponent.
    pub agents: [AgentSpec; 2],
    /// The game.
    pub game: GameSpec,
    /// Who judges its games.
    pub referee: String,
    /// What the opponent is called.
    pub opponent: String,
    /// Games.
    pub games: u32,
    /// Both sides' time.
    pub time: TimeControl,
    /// When the players' agreement ends its games.
    pub adjudication: Adjudication,
    /// The log's file name.
    pub log: String,
}

impl MatchExperiment {
    /// Reads an experiment file.
    pub fn load(path: &Path) -> Result<MatchExperiment> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let experiment: MatchExperiment = toml::from_str(&text)
            .map_err(|error| anyhow!("{}: {}", path.display(), error.to_string().trim().replace('\n', "; ")))?;
        experiment.check().with_context(|| path.display().to_string())?;
        Ok(experiment)
    }

    fn game_on(&self, board_size: Option<usize>) -> Result<GameSpec> {
        GameSpec::parse(&self.game, GameOptions { size: board_size.or(self.board_size), komi: self.komi })
    }

    /// Its size at a scale.
    pub fn size(&self, scale: Scale) -> Result<&Size> {
        scale.of(&self.scale)
    }

    /// The matches of a scale, in the order in which they are played.
    pub fn matches(&self, scale: Scale) -> Result<Vec<Match>> {
        let size = self.size(scale)?;
        let wanted = |point: &Point| size.points.as_ref().is_none_or(|names| names.contains(&point.name));
        let chosen = self.points.iter().enumerate().filter(|(_, point)| wanted(point));
        chosen
            .map(|(number, point)| self.match_of(number, scale).with_context(|| format!("point '{}'", point.name)))
            .collect()
    }

    fn match_of(&self, number: usize, scale: Scale) -> Result<Match> {
        let point = &self.points[number];
        let opponent = point.opponent.as_ref().or(self.opponent.as_ref()).context("there is no opponent")?;
        let listed = self.size(scale)?.points.as_ref();
        let games = point.games.get(scale.name()).copied().unwrap_or(self.size(scale)?.games);
        ensure!(games > 0 && games % 2 == 0, "games = {games}: expected an even number, so that both sides are played");
        Ok(Match {
            point: number,
            turn: listed.and_then(|names| names.iter().position(|name| *name == point.name)).unwrap_or(number),
            wanted: true,
            agents: [AgentSpec::parse(&point.agent)?, AgentSpec::parse(&opponent.agent)?],
            game: self.game_on(point.board_size)?,
            referee: point.referee.as_ref().unwrap_or(&self.referee).clone(),
            opponent: opponent.name.clone(),
            games,
            time: point.time.as_deref().unwrap_or("none").parse().map_err(|error| anyhow!("{error}"))?,
            adjudication: point.adjudication.unwrap_or(self.adjudication),
            log: format!("{}.jsonl", folder_name(&point.name)),
        })
    }

    /// Wants only the matches of these points.
    pub fn choose(&self, matches: &mut [Match], names: &[String]) -> Result<()> {
        let known = || matches.iter().map(|planned| self.points[planned.point].name.as_str());
        for name in names {
            ensure!(
                known().any(|known| known == name),
                "there is no point '{name}' at this scale{}: expected one of '{}'",
                did_you_mean(name, known()),
                known().collect::<Vec<_>>().join("', '")
            );
        }
        for planned in matches {
            planned.wanted = names.contains(&self.points[planned.point].name);
        }
        Ok(())
    }

    /// The number of a point.
    pub fn point(&self, name: &str) -> Result<usize> {
        self.points.iter().position(|point| point.name == name).with_context(|| format!("there is no point '{name}'"))
    }

    fn check(&self) -> Result<()> {
        self.game_on(None)?;
        self.sprt.as_ref().map_or(Ok(()), Sprt::check).context("[sprt]")?;
        let adjudications = self.points.iter().filter_map(|point| point.adjudication);
        adjudications
            .chain([self.adjudication])
            .try_for_each(|rules| rules.check().map_err(|why| anyhow!("adjudication: {why}")))?;
        for (number, panel) in self.panels.iter().enumerate() {
            let letters = !panel.name.is_empty() && panel.name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            ensure!(letters, "panel '{}': expected a name of letters and digits", panel.name);
            let twice = self.panels[..number].iter().any(|other| other.name == panel.name);
            ensure!(!twice, "panel '{}' stands there twice", panel.name);
        }
        let mut logs = BTreeSet::new();
        for point in &self.points {
            let log = folder_name(&point.name).to_lowercase();
            ensure!(logs.insert(log), "point '{}': another point's log would have the same name", point.name);
            let plot = match &point.panel {
                None => self.plot.as_ref(),
                Some(name) => {
                    let panel = self.panels.iter().find(|panel| panel.name == *name);
                    Some(&panel.with_context(|| format!("point '{}': there is no panel '{name}'", point.name))?.plot)
                }
            };
            let drawn = point.x.is_none() || (point.series.is_some() && plot.is_some());
            ensure!(drawn, "point '{}' has an x, but no series, or there is no [plot]", point.name);
            ensure!(
                point.paper.is_none_or(|rate| (0.0..=1.0).contains(&rate)),
                "point '{}': paper is a winning rate from 0 to 1",
                point.name
            );
        }
        for scale in [Scale::Quick, Scale::Full] {
            for name in self.size(scale)?.points.iter().flatten() {
                self.point(name).with_context(|| format!("[scale.{}]", scale.name()))?;
            }
            let matches = self.matches(scale).with_context(|| format!("[scale.{}]", scale.name()))?;
            ensure!(!matches.is_empty(), "[scale.{}]: there is no point to play", scale.name());
        }
        ensure!(
            self.sprt.is_none() || self.claims.is_empty(),
            "[[claim]] with [sprt]: claims are judged by intervals of fixed numbers of games, and a test ends them by what came out: \
             leave one of them out"
        );
        self.claims
            .iter()
            .try_for_each(|claim| self.check_claim(claim).with_context(|| format!("claim '{}'", claim.text)))
    }

    fn check_claim(&self, claim: &Claim) -> Result<()> {
        let of = &self.points[self.point(&claim.of)?];
        let numbers = [
            claim.at_least,
            claim.about,
            claim.elo_at_least,
            claim.elo_at_most,
            claim.elo_about,
            claim.points_at_least,
        ];
        let others = [&claim.beats, &claim.equals, &claim.gains_more_than];
        let kinds = numbers.iter().flatten().count() + others.into_iter().flatten().count();
        ensure!(
            kinds == 1,
            "expected one of at-least, about, beats, equals, gains-more-than, elo-at-least, elo-at-most, elo-about, points-at-least"
        );
        let tolerant = claim.about.is_some() || claim.elo_about.is_some() || claim.equals.is_some();
        ensure!(
            claim.within.is_some() == tolerant,
            "'about', 'elo-about' and 'equals' need 'within', and nothing else has it"
        );
        let ordered = claim.beats.is_some() || claim.gains_more_than.is_some();
        ensure!(claim.by.is_none() || ordered, "'by' belongs to 'beats' and 'gains-more-than'");
        if let Some(other) = claim.beats.as_ref().or(claim.equals.as_ref()) {
            let other = &self.points[self.point(other)?];
            let alike = other.opponent == of.opponent && other.board_size == of.board_size;
            ensure!(alike, "'{}' and '{}' have different opponents", of.name, other.name);
        }
        claim.gains_more_than.iter().try_for_each(|other| self.point(other).map(|_| ()))
    }
}
