//! Results of games as tables, JSON, CSV and game records.

use crate::output::{self, Table};
use crate::registry::GameSpec;
use afterstate_arena::rating::{Ratings, Results, Tally, maybe_infinite, student};
use afterstate_arena::result_log::LoggedGame;
use afterstate_arena::tournament::TournamentResults;
use afterstate_games::Side;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// The results by players' names, for rating them.
pub fn results(names: &[String], games: &[LoggedGame]) -> Result<Results> {
    let mut results = Results::new();
    for name in names {
        results.add_player(name);
    }
    for game in games.iter().filter(|game| game.result.counts()) {
        let name =
            |i: usize| names.get(game.agents[i]).with_context(|| format!("game {} has no such agent", game.index));
        results.record(name(0)?, name(1)?, game.result.outcome)?;
    }
    Ok(results)
}

/// How the games between two agents went, from the view of the first.
pub fn tally(games: &[LoggedGame]) -> Tally {
    let mut tally = Tally::default();
    for game in games.iter().filter(|game| game.result.counts()) {
        let winner = game.result.outcome.winner.map(|side| game.agents[side.index()]);
        match winner {
            Some(0) => tally.wins += 1,
            Some(_) => tally.losses += 1,
            None => tally.draws += 1,
        }
    }
    tally
}

/// What tells the first `moves` moves of a game from those of others: the sides, the first position and the moves. Agents without chance
/// repeat themselves when openings come again, which says nothing new. Of many games all that would fill the memory.
pub fn mark(game: &LoggedGame, moves: usize) -> u64 {
    let played = &game.result.moves;
    let mut hasher = DefaultHasher::new();
    (game.agents, &game.start, &played[..moves.min(played.len())]).hash(&mut hasher);
    hasher.finish()
}

/// How many different games there are.
pub fn different<'a>(games: impl IntoIterator<Item = &'a LoggedGame>) -> usize {
    games.into_iter().map(|game| mark(game, usize::MAX)).collect::<HashSet<_>>().len()
}

/// Says how many games are different, if not all are. `more` goes on with the sentence.
pub fn write_different(out: &mut dyn Write, different: usize, games: usize, more: &str) -> Result<()> {
    if different < games {
        writeln!(
            out,
            "{different} of the {games} games are different: intervals count the others as if they were, too{more}"
        )?;
    }
    Ok(())
}

/// Games that ended by a fault of a program rather than by play, as `agent: reason` with their number.
pub fn faults(names: &[String], games: &[LoggedGame]) -> Vec<(String, u64)> {
    let mut faults: Vec<(String, u64)> = Vec::new();
    for game in games.iter().filter(|game| game.result.ending.kind.is_fault()) {
        let name = |agent: usize| names.get(agent).map_or("?", String::as_str);
        let losers = match game.result.outcome.winner {
            Some(side) => name(game.agents[side.other().index()]).to_string(),
            None => game.agents.map(name).join(" and "),
        };
        let kind = serde_json::to_value(game.result.ending.kind).ok();
        let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("fault").to_string();
        let text = format!("{losers}: {kind} ({})", game.result.ending.detail);
        match faults.iter_mut().find(|(other, _)| *other == text) {
            Some((_, count)) => *count += 1,
            None => faults.push((text, 1)),
        }
    }
    faults
}

/// Prints faults, one kind a line.
pub fn write_faults(out: &mut dyn Write, faults: &[(String, u64)]) -> Result<()> {
    for (fault, count) in faults {
        writeln!(out, "lost by fault: {fault}, {count} games")?;
    }
    Ok(())
}

/// Who scored how much against whom, in points of games.
pub fn write_crosstable(out: &mut dyn Write, ratings: &Ratings, results: &Results) -> Result<()> {
    writeln!(out, "points of the row's agent against the column's (numbered by rank):")?;
    let width = ratings.players.iter().map(|player| player.name.width()).max().unwrap_or(0);
    for (i, row) in ratings.players.iter().enumerate() {
        write!(out, "{:>4} {}{}", row.rank, row.name, " ".repeat(width - row.name.width()))?;
        for (j, column) in ratings.players.iter().enumerate() {
            let tally = results.between(&row.name, &column.name);
            let cell = match tally.games() {
                _ if i == j => "-".to_string(),
                0 => ".".to_string(),
                games => format!("{}/{games}", tally.points()),
            };
            write!(out, " {cell:>9}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Prints the two agents of a match.
pub fn write_match(out: &mut dyn Write, names: &[String], games: &[LoggedGame]) -> Result<()> {
    let of = |side: Side| {
        let mut tally = Tally::default();
        let counts = |game: &&LoggedGame| game.result.counts() && game.agents[side.index()] == 0;
        for game in games.iter().filter(counts) {
            match game.result.outcome.winner {
                None => tally.draws += 1,
                Some(winner) if winner == side => tally.wins += 1,
                Some(_) => tally.losses += 1,
            }
        }
        tally
    };
    let mut table = Table::new(["", "games", "wins", "draws", "losses", "score"]);
    let mut row = |label: String, tally: Tally| {
        let percent = if tally.games() == 0 { 0.0 } else { 100.0 * tally.points() / tally.games() as f64 };
        let counts = [tally.games(), tally.wins, tally.draws, tally.losses].map(|count| count.to_string());
        let [games, wins, draws, losses] = counts;
        table.row([label, games, wins, draws, losses, format!("{percent:.1}%")]);
    };
    row(names[0].clone(), tally(games));
    row("  moving first".into(), of(Side::First));
    row("  moving second".into(), of(Side::Second));
    row(names[1].clone(), tally(games).reversed());
    Ok(table.write(out)?)
}

/// What the first agent won a game, in points, of games that are worth more than one now and then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PointsPerGame {
    /// Mean points of the first agent, less than 0 if it lost more.
    pub mean: f64,
    /// Half the width of the 95 % interval. The two games of a pair, which have the same dice, count as one. Infinite for a single pair.
    #[serde(with = "maybe_infinite")]
    pub margin: f64,
    /// Games that the first agent won by so many points (a gammon is 2, a backgammon 3).
    pub won: [u64; 3],
    /// Games that it lost by so many.
    pub lost: [u64; 3],
}

/// The points of a match; nothing if there are no games, or if none could be worth more than one.
pub fn points_per_game<'a>(
    game: GameSpec,
    games: impl Iterator<Item = &'a LoggedGame> + Clone,
) -> Option<PointsPerGame> {
    if !matches!(game, GameSpec::Backgammon) || games.clone().next().is_none() {
        return None;
    }
    let mut of_pairs: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    let (mut won, mut lost, mut sum) = ([0; 3], [0; 3], 0.0);
    for game in games {
        let side = if game.agents[0] == 0 { Side::First } else { Side::Second };
        let points = game.result.outcome.points(side);
        let column = usize::from(game.result.outcome.stake.clamp(1, 3)) - 1;
        if points > 0.0 {
            won[column] += 1;
        } else if points < 0.0 {
            lost[column] += 1;
        }
        sum += f64::from(points);
        of_pairs.entry(game.index / 2).or_default().push(f64::from(points));
    }
    let mean = sum / of_pairs.values().map(Vec::len).sum::<usize>() as f64;
    // Of pairs that are not complete yet a single game stands for both.
    let means: Vec<f64> = of_pairs.values().map(|points| points.iter().sum::<f64>() / points.len() as f64).collect();
    let count = means.len() as f64;
    let centre = means.iter().sum::<f64>() / count;
    // A virtual pair that was shared, so that winning all pairs alike is not taken as certainty.
    let variance = (means.iter().map(|mean| (mean - centre).powi(2)).sum::<f64>() + centre.powi(2)) / count;
    // One pair says nothing of how much they vary.
    let margin = if count > 1.0 { student(means.len() - 1) * (variance / count).sqrt() } else { f64::INFINITY };
    Some(PointsPerGame { mean, margin, won, lost })
}

/// Prints them.
pub fn write_points(out: &mut dyn Write, points: &PointsPerGame) -> Result<()> {
    let PointsPerGame { mean, margin, won, lost } = points;
    writeln!(out, "points per game {mean:+.3}, 95 % interval {:+.3} to {:+.3}", mean - margin, mean + margin)?;
    for (verb, [single, gammons, backgammons]) in [("won", won), ("lost", lost)] {
        writeln!(out, "{verb:<4} {single} single games, {gammons} gammons, {backgammons} backgammons")?;
    }
    Ok(())
}

/// One line a game, with a line of headings.
pub fn csv(results: &TournamentResults) -> Result<String> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record([
        "game",
        "round",
        "first",
        "second",
        "winner",
        "stake",
        "score",
        "ending",
        "detail",
        "moves",
        "first-seconds",
        "second-seconds",
    ])?;
    let names = &results.header.settings.agents;
    let name = |agent: usize| names.get(agent).map_or("", String::as_str);
    for game in &results.games {
        let result = &game.result;
        let kind = serde_json::to_value(result.ending.kind)?;
        let points = result.verdict.as_ref().and_then(|verdict| verdict.score).map(|score| score.to_string());
        out.write_record([
            game.index.to_string().as_str(),
            &game.round.to_string(),
            name(game.agents[0]),
            name(game.agents[1]),
            result.outcome.winner.map_or("", |side| name(game.agents[side.index()])),
            &result.outcome.winner.map_or_else(String::new, |_| result.outcome.stake.to_string()),
            &points.unwrap_or_default(),
            kind.as_str().unwrap_or_default(),
            &result.ending.detail,
            &result.moves.len().to_string(),
            &format!("{:.3}", result.seconds[0]),
            &format!("{:.3}", result.seconds[1]),
        ])?;
    }
    Ok(String::from_utf8(out.into_inner().map_err(|error| error.into_error())?)?)
}

/// Writes a text to a file, or to standard output for `-`.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    if path == Path::new("-") {
        let mut out = output::stdout();
        out.write_all(text.as_bytes())?;
        return Ok(out.flush()?);
    }
    afterstate_engine::value::checkpoint::write_whole(path, text.as_bytes()).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_arena::{EndKind, Ending, GameResult};
    use afterstate_games::Outcome;

    /// Two pairs that came out alike are no certainty: with one degree of freedom the interval is wide.
    #[test]
    fn few_pairs_have_wide_intervals() {
        let games = |pairs: u64| -> Vec<LoggedGame> {
            let game = |index: u64| LoggedGame {
                index,
                round: 0,
                agents: if index.is_multiple_of(2) { [0, 1] } else { [1, 0] },
                start: None,
                result: GameResult {
                    outcome: Outcome::win(if index.is_multiple_of(2) { Side::First } else { Side::Second }),
                    ending: Ending { kind: EndKind::Rules, detail: String::new() },
                    moves: Vec::new(),
                    opening: 0,
                    notes: Vec::new(),
                    seconds: [0.0; 2],
                    verdict: None,
                },
            };
            (0..2 * pairs).map(game).collect()
        };
        let points = |pairs| points_per_game(GameSpec::Backgammon, games(pairs).iter()).unwrap();
        assert_eq!((points(2).mean, points(2).won), (1.0, [4, 0, 0]));
        // The virtual pair is a point off, squared; half of that for each pair, and half again for the mean of two.
        assert!((points(2).margin - 12.706 * 0.25f64.sqrt()).abs() < 1e-9, "{}", points(2).margin);
        assert!(points(1).margin.is_infinite() && points(1000).margin < 0.003);
    }
}
