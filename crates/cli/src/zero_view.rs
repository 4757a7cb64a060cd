//! [`LiveView`]: how a run of AlphaZero or Go-Exploit is doing, in a few lines and as scalars for TensorBoard.

use crate::watch::{Milestone, percentages, recent_rates};
use afterstate_engine::zero::{Keep, StepReport, ZeroSettings};
use std::fmt;

/// What is shown beside the progress bar while training goes on.
#[derive(Debug, Default)]
pub struct LiveView {
    /// Examples that the buffer has room for.
    buffer: usize,
    /// Positions that the archive has room for; `None` without one, 0 if it keeps all.
    archive: Option<usize>,
    /// New examples that a learning step needs.
    wanted: usize,
    /// How many of them there are.
    pub fresh: u64,
    /// The last learning step.
    pub step: Option<StepReport>,
    /// Learning steps that a win rate is shown over.
    window: u64,
    /// What was measured so far.
    pub measured: Vec<Milestone>,
}

impl LiveView {
    /// Of a run that has not made a step yet.
    pub fn new(settings: &ZeroSettings, window: u64) -> LiveView {
        LiveView {
            buffer: settings.replay.capacity,
            archive: settings.archive.map(|archive| if archive.keep == Keep::Expanding { 0 } else { archive.capacity }),
            wanted: settings.replay.step,
            window,
            ..LiveView::default()
        }
    }

    /// Takes in a measurement. Its scalars, from 0 to 1 but for the rating: scores against earlier networks by how many
    /// measurements ago those were, against all others also over the last steps.
    pub fn add_measurement(&mut self, milestone: &Milestone) -> Vec<(String, f64)> {
        let place = self.measured.partition_point(|earlier| earlier.games < milestone.games);
        self.measured.insert(place, milestone.clone());
        of_milestone(milestone, &self.measured, self.window)
    }
}

/// One line for each: losses, states, archive, throughput, win rates. What is not known yet is left out.
impl fmt::Display for LiveView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LiveView { buffer, archive, wanted, fresh, step, window, measured } = self;
        if let Some(step) = step {
            let StepReport { loss, step: number, first_player_score, .. } = step;
            let first = 100.0 * first_player_score;
            let mut losses = format!("policy {:.3}, value {:.3}", loss.policy, loss.value);
            if loss.ownership > 0.0 {
                losses += &format!(", ownership {:.3}", loss.ownership);
            }
            writeln!(f, "loss        {losses} in step {number}; the first player won {first:.0} %")?;
        }
        write!(f, "states      {fresh} of {wanted} new")?;
        if let Some(step) = step {
            write!(f, ", {} of {buffer} kept; starts {:.1} moves deep", step.buffer, step.opening)?;
        }
        writeln!(f)?;
        if let (Some(step), Some(room)) = (step, archive) {
            let room = if *room > 0 { format!(" of {room}") } else { String::new() };
            writeln!(f, "archive     {}{room} positions", step.archive)?;
        }
        if let Some(step) = step {
            let [questions, asked] = step.questions.map(|count| count as f64);
            let known = 100.0 * (1.0 - asked / questions.max(1.0));
            let per_second = |count: f64| count / step.seconds.max(1e-9);
            let trajectories = per_second(step.trajectories as f64);
            write!(f, "throughput  ")?;
            // Who learns from others' games asks nothing.
            if questions > 0.0 {
                write!(f, "{:.0} questions/s, {known:.0} % known; ", per_second(questions))?;
            }
            writeln!(f, "{trajectories:.1} trajectories/s")?;
        }
        if let Some(last) = measured.last().filter(|last| !last.results.is_empty()) {
            let elo = last.elo.map_or(String::new(), |elo| format!("Elo {:.0}, ", elo.value));
            writeln!(f, "win rates   {elo}{} after {} steps", last.summary(), last.games)?;
            let recent = recent_rates(measured, last, *window);
            if !recent.is_empty() {
                writeln!(f, "            {} over {window} steps", percentages(recent))?;
            }
        }
        Ok(())
    }
}

/// The scalars of a learning step.
pub fn of_step(report: &StepReport) -> Vec<(String, f64)> {
    let StepReport { loss, trajectories, archive_games, sides, moves, examples, questions, seconds, .. } = *report;
    let per_trajectory = moves as f64 / trajectories.max(1) as f64;
    let per_second = |count: u64| count as f64 / seconds.max(1e-9);
    let ownership = (loss.ownership > 0.0).then(|| ("loss/ownership".to_string(), f64::from(loss.ownership)));
    let scalars = [
        ("loss/policy", f64::from(loss.policy)),
        ("loss/value", f64::from(loss.value)),
        ("self-play/trajectories", trajectories as f64),
        ("self-play/archive-games", archive_games as f64),
        ("self-play/sides", sides as f64),
        ("self-play/moves", per_trajectory),
        ("self-play/opening", report.opening),
        ("self-play/first-player-score", report.first_player_score),
        ("states/new", examples as f64),
        ("states/buffer", report.buffer as f64),
        ("states/archive", report.archive as f64),
        ("throughput/questions-per-second", per_second(questions[0])),
        ("throughput/asked-per-second", per_second(questions[1])),
        ("throughput/examples-per-second", per_second(examples)),
        ("throughput/seconds", seconds),
    ];
    scalars.map(|(tag, number)| (tag.to_string(), number)).into_iter().chain(ownership).collect()
}

fn of_milestone(milestone: &Milestone, log: &[Milestone], window: u64) -> Vec<(String, f64)> {
    let mut earlier = 0;
    let mut scalars: Vec<(String, f64)> = Vec::new();
    for against in &milestone.results {
        let is_earlier = against.opponent.parse::<u64>().is_ok();
        earlier += u32::from(is_earlier);
        let name = if is_earlier { format!("earlier-{earlier}") } else { against.opponent.clone() };
        scalars.push((format!("score/{name}"), against.score.mean()));
    }
    let recent = recent_rates(log, milestone, window).into_iter();
    scalars.extend(recent.map(|(opponent, rate)| (format!("score-window/{opponent}"), rate)));
    if let Some(elo) = &milestone.elo {
        scalars.push(("elo/value".to_string(), elo.value));
        scalars.push(("elo/margin".to_string(), elo.margin));
    }
    scalars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Score;
    use crate::watch::Against;

    fn step() -> StepReport {
        let loss = afterstate_engine::zero::Loss { policy: 1.25, value: 0.5, ownership: 0.0 };
        let (trajectories, moves, questions, seconds) = (10, 200, [4000, 1000], 2.0);
        let (step, buffer, archive, opening, first_player_score) = (3, 700, 90, 6.5, 0.75);
        StepReport {
            loss,
            trajectories,
            moves,
            questions,
            seconds,
            step,
            buffer,
            archive,
            opening,
            first_player_score,
            ..Default::default()
        }
    }

    /// After 10 steps.
    fn milestone() -> Milestone {
        let line = r#"{"games":10,"moves":1,"error":0,"first-player-score":0.5,"results":[
            {"opponent":"random","score":{"first":[2,0,0],"second":[1,1,0]}},
            {"opponent":"9","score":{"first":[1,0,1],"second":[0,0,2]}},
            {"opponent":"8","score":{"first":[2,0,0],"second":[2,0,0]}}],"elo":{"value":120.0,"margin":30.0}}"#;
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn the_view_has_a_line_for_everything_that_is_known() {
        let mut view = LiveView { buffer: 1000, archive: Some(100), wanted: 60, fresh: 20, ..LiveView::default() };
        assert_eq!(view.to_string(), "states      20 of 60 new\n");
        view.step = Some(step());
        view.add_measurement(&milestone());
        let expected = "loss        policy 1.250, value 0.500 in step 3; the first player won 75 %\n\
                        states      20 of 60 new, 700 of 1000 kept; starts 6.5 moves deep\n\
                        archive     90 of 100 positions\n\
                        throughput  2000 questions/s, 75 % known; 5.0 trajectories/s\n\
                        win rates   Elo 120, beats random 88 %, 9 25 %, 8 100 % after 10 steps\n";
        assert_eq!(view.to_string(), expected);
        view.window = 50;
        assert_eq!(view.to_string(), format!("{expected}            random 88 % over 50 steps\n"));
    }

    #[test]
    fn scalars_are_means_and_rates() {
        let of = |scalars: &[(String, f64)], tag: &str| scalars.iter().find(|(found, _)| found == tag).unwrap().1;
        let scalars = of_step(&step());
        let found = ["loss/policy", "self-play/moves", "throughput/asked-per-second"].map(|tag| of(&scalars, tag));
        assert_eq!(found, [1.25, 20.0, 500.0]);
        let mut view = LiveView { window: 5, ..LiveView::default() };
        let scalars = view.add_measurement(&milestone());
        let tags = ["score/random", "score/earlier-1", "score/earlier-2", "elo/value", "score-window/random"];
        assert_eq!(tags.map(|tag| of(&scalars, tag)), [0.875, 0.25, 1.0, 120.0, 0.875]);
    }

    #[test]
    fn win_rates_are_means_over_a_window_of_steps() {
        let mut view = LiveView { window: 5, ..LiveView::default() };
        let mut add = |games: u64, wins: u64| {
            let score = Score { first: [wins, 0, 10 - wins], second: [0; 3] };
            let results = vec![Against { opponent: "solver-1x".to_string(), score }];
            let scalars = view.add_measurement(&Milestone { games, results, elo: None, ..milestone() });
            scalars.iter().find(|(tag, _)| tag == "score-window/solver-1x").unwrap().1
        };
        // Of the last one alone, of two, of two again, of none before it; and one that was late does not change its place.
        assert_eq!([add(10, 1), add(14, 3), add(18, 9), add(30, 5)], [0.1, 0.2, 0.6, 0.5]);
        assert_eq!(add(12, 8), 0.45);
    }
}
