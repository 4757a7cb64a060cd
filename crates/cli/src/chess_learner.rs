//! Chess learnt by search, as a [`SearchRecipe`] says: from self-play, or from games against partners.

use crate::duel::{self, Conditions};
use crate::learning_games::LearningGames;
use crate::lesson::{Described, Learner};
use crate::partners::Partners;
use crate::search_learning::mean_squared_error;
use crate::search_recipe::SearchRecipe;
use afterstate_arena::game_loop::{GameResult, GameRules, play_game};
use afterstate_arena::openings::{Opening, OpeningSuite};
use afterstate_arena::{LearningPlayer, Player, RulesReferee, chess_openings};
use afterstate_engine::learning::{Adam, AveragedWeights, SharedAdam, TrainingTotals};
use afterstate_engine::search::TrainingSearch;
use afterstate_engine::value::{Checkpoint, ChessTerms, TermAgent, Weights};
use afterstate_games::rng::mix;
use afterstate_games::{Chess, Side};
use anyhow::{Context, Result};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

const NO_MEMORY: &str = "the checkpoint's memory is not that of its weights: go on from the checkpoint before it";

/// The weight of a pawn among those of [`ChessTerms`].
const PAWN: usize = 0;

/// Plays games by search and learns from them.
pub struct ChessLearner {
    recipe: SearchRecipe,
    terms: Arc<ChessTerms>,
    /// Shared by all games that are played at once.
    weights: Arc<Weights>,
    /// What is saved instead of them, if the recipe averages.
    averaged: Option<AveragedWeights>,
    adam: SharedAdam,
    partners: Option<Mutex<Partners>>,
    /// Weights that stay what they are: those of a pawn, early and late, if the recipe says so.
    frozen: Vec<(usize, f32)>,
    openings: Option<OpeningSuite<Chess>>,
}

impl ChessLearner {
    /// A learner that goes on from a checkpoint, or from the recipe's first weights.
    pub fn new(recipe: &SearchRecipe, last: Option<&Checkpoint<TermAgent>>) -> Result<ChessLearner> {
        let saved = match last {
            Some(last) => last.weights.clone(),
            None => recipe.first_weights()?.values(),
        };
        let mut memory = last.map_or(&[][..], |last| &last.memory);
        let mut learning = &saved[..];
        let averaged = (recipe.averaging > 0).then(|| AveragedWeights::new(&saved, recipe.averaging));
        // What is saved is the mean then, and the weights themselves are remembered.
        if averaged.is_some() && last.is_some() {
            (learning, memory) = memory.split_at_checked(saved.len()).context(NO_MEMORY)?;
        }
        let adam = Adam::from_memory(memory, saved.len()).context(NO_MEMORY)?;
        let ratings = last.map_or(&[][..], |last| &last.about.ratings);
        let partners = recipe.partners.as_ref().map(|settings| Partners::new(settings, ratings)).transpose()?;
        // As many as there can be, so that a run that is made longer goes on as it began.
        let suite =
            |path: &PathBuf| chess_openings::read(path, recipe.book_plies, chess_openings::MOST_OPENINGS, recipe.seed);
        Ok(ChessLearner {
            frozen: if recipe.frozen_pawn {
                [Some(PAWN), recipe.terms.late(PAWN)].into_iter().flatten().map(|term| (term, learning[term])).collect()
            } else {
                Vec::new()
            },
            openings: recipe.openings.as_ref().map(suite).transpose()?,
            recipe: recipe.clone(),
            terms: Arc::new(ChessTerms::new(recipe.terms)),
            weights: Arc::new(Weights::from_values(learning)),
            averaged,
            adam: Arc::new(Mutex::new(adam)),
            partners: partners.map(Mutex::new),
        })
    }

    fn player(&self) -> LearningPlayer<Chess, ChessTerms> {
        let search = TrainingSearch::new(
            self.terms.clone(),
            self.weights.clone(),
            self.recipe.value,
            self.recipe.search.clone(),
        );
        LearningPlayer::new(search, self.recipe.learner.build_sharing(&self.adam))
    }

    /// What a game begins with: an opening of the suite, or random moves. Two games in a row have the same, so that each side has
    /// both.
    fn opening(&self, number: u64) -> Opening<Chess> {
        let pair = number / 2;
        if let Some(opening) = self.openings.as_ref().and_then(|suite| suite.of_pair(pair)) {
            return opening.clone();
        }
        let SearchRecipe { seed, opening_moves, .. } = self.recipe;
        let conditions = Conditions { start: Chess::new(), opening_moves, seed };
        Opening { moves: duel::opening(&conditions, pair), start: conditions.start }
    }

    fn rules(&self, number: u64) -> GameRules {
        let seed = mix(self.recipe.seed ^ mix(number));
        GameRules { time: self.recipe.time, move_limit: self.recipe.move_limit, seed, ..GameRules::default() }
    }

    /// One game, against a partner or between two players that share what they learn.
    fn play(&self, number: u64, players: &mut [LearningPlayer<Chess, ChessTerms>; 2]) -> Option<GameResult> {
        let (Opening { start, moves }, rules) = (self.opening(number), self.rules(number));
        for player in &mut *players {
            player.set_rule(self.recipe.learner_at(number).build_sharing(&self.adam));
        }
        let [me, other] = players;
        let Some(partners) = &self.partners else {
            return play_game(&start, &moves, [me, other], &mut RulesReferee, &rules);
        };
        let (index, mut partner) = partners.lock().expect("no thread panics with the partners").invite(rules.seed);
        let side = if number.is_multiple_of(2) { Side::First } else { Side::Second };
        let seats: [&mut dyn Player<Chess>; 2] = match side {
            Side::First => [me, &mut *partner],
            Side::Second => [&mut *partner, me],
        };
        let result = play_game(&start, &moves, seats, &mut RulesReferee, &rules)?;
        partners.lock().expect("no thread panics with the partners").played(index, partner, side, &result);
        Some(result)
    }
}

impl Learner for ChessLearner {
    type About = TermAgent;

    fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals> {
        let begun = games.start;
        let played = |totals: TrainingTotals| {
            for &(term, weight) in &self.frozen {
                self.weights.set(term, weight);
            }
            if let Some(averaged) = &self.averaged {
                averaged.learnt(&self.weights, begun + totals.games);
            }
            progress(totals);
        };
        let games_to_play = LearningGames {
            threads: self.recipe.threads,
            may_go_on: &|| !stop.load(Ordering::Relaxed) && self.hindrance().is_none(),
            players: &|| [self.player(), self.player()],
            play: &|number, players| self.play(number, players).map(|result| totals_of(&result, players)),
            played: &played,
        };
        Ok(games_to_play.run(games))
    }

    fn weights(&self) -> &Weights {
        self.averaged.as_ref().map_or(&self.weights, AveragedWeights::mean)
    }

    fn memory(&self) -> Vec<f32> {
        let mut memory = if self.averaged.is_some() { self.weights.values() } else { Vec::new() };
        memory.extend(self.adam.lock().expect("no thread panics with the learner's memory").memory());
        memory
    }

    fn hindrance(&self) -> Option<String> {
        self.partners.as_ref()?.lock().expect("no thread panics with the partners").hindrance()
    }

    fn mishaps(&self) -> Vec<String> {
        let partners = self.partners.as_ref();
        partners.map_or_else(Vec::new, |all| all.lock().expect("no thread panics with the partners").mishaps())
    }

    fn describe(&self, about: TermAgent) -> TermAgent {
        let ratings = self
            .partners
            .as_ref()
            .map(|partners| partners.lock().expect("no thread panics with the partners").ratings());
        TermAgent { ratings: ratings.unwrap_or_default(), ..about }
    }
}

/// What a game between these adds to the totals.
fn totals_of(result: &GameResult, players: &[LearningPlayer<Chess, ChessTerms>]) -> TrainingTotals {
    TrainingTotals {
        games: 1,
        moves: result.moves.len() as u64,
        evaluations: result.notes.iter().flatten().map(|note| note.effort).sum(),
        squared_error: mean_squared_error(players),
        first_player_score: f64::from(result.outcome.first_player_score()),
    }
}

impl Described for TermAgent {
    const FIXED: &'static [&'static str] = &["terms", "squash"];
    const MOST: [u64; 2] = [1 << 20, 1 << 50];

    fn progress(&self) -> (u64, TrainingTotals) {
        (self.games, self.since_milestone)
    }

    fn rating(&self) -> Option<f64> {
        self.ratings.last().copied()
    }

    fn at(&self, games: u64, since_milestone: TrainingTotals) -> Self {
        TermAgent { games, since_milestone, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::value::{Features, TermSet};
    use afterstate_games::Notation;

    #[test]
    fn a_frozen_pawn_stays_what_it_was_while_all_else_learns() {
        let text = "first-weights = \"material\"\nfrozen-pawn = true\nvalue = \"logistic\"\n\
                    [learner]\nrule = \"td-leaf\"\nstep-size = 0.1\n[search]\ndepth = 1\ntable-mib = 1\n";
        let learner = |text: &str| {
            let recipe = SearchRecipe::parse(text).unwrap();
            let learner = ChessLearner::new(&recipe, None).unwrap();
            learner.run(0..4, &AtomicBool::new(false), &|_| ()).unwrap();
            (learner.weights.values(), recipe.first_weights().unwrap().values())
        };
        let (learnt, first) = learner(text);
        let late = TermSet::Meep.late(PAWN).unwrap();
        assert_eq!((learnt[PAWN], learnt[late]), (first[PAWN], first[late]));
        assert!(learnt[1..5] != first[1..5] && ChessTerms::default().describe(PAWN).contains("pawn"));
        let (learnt, first) = learner(&text.replace("frozen-pawn = true\n", ""));
        assert!(learnt[PAWN] != first[PAWN]);
    }

    #[test]
    fn pairs_of_games_share_an_opening_and_the_suite_comes_again() {
        let file = tempfile::Builder::new().suffix(".pgn").tempfile().unwrap();
        std::fs::write(&file, "1. e4 e5 2. Nf3 *\n\n1. d4 d5 2. c4 *\n\n1. c4 c5 2. Nc3 *\n").unwrap();
        let openings = |seed| {
            let openings = Some(file.path().to_path_buf());
            let recipe = SearchRecipe { seed, openings, book_plies: 2, ..SearchRecipe::default() };
            let learner = ChessLearner::new(&recipe, None).unwrap();
            (0..12).map(|number| learner.opening(number)).collect::<Vec<_>>()
        };
        let first = openings(1);
        assert!(first.iter().all(|opening| opening.moves.len() == 2 && opening.start == Chess::new()));
        assert!((0..6).all(|pair| first[2 * pair] == first[2 * pair + 1]));
        assert!(first[0] != first[2] && first[2] != first[4] && first[0] != first[4]);
        assert_eq!(first[..6], first[6..]);
        assert!((2..20).any(|seed| openings(seed) != first), "the seed decides the order");
        assert_eq!(openings(1), first);
        let mv = first[0].moves[0];
        assert!(["e2e4", "d2d4", "c2c4"].contains(&Chess::new().move_text(mv).as_str()));
    }
}
