//! Minimax and quiescence as anybody would write them first.

use afterstate_engine::search::Score;
use afterstate_engine::value::{Features, Weights};
use afterstate_games::{Game, Repetition, Side, Tactics, Turn};

pub struct Reference<'a, F> {
    pub features: &'a F,
    pub weights: &'a Weights,
    pub limit: f32,
}

impl<F> Reference<'_, F> {
    fn best(side: Side, scores: impl Iterator<Item = Score>) -> Option<Score> {
        scores.max_by(|a, b| a.seen_by(side).total_cmp(&b.seen_by(side)))
    }

    fn evaluate<G: Tactics>(&self, game: &G) -> Score
    where
        F: Features<G>,
    {
        Score::heuristic(self.features.sum(game, self.weights).clamp(-self.limit, self.limit))
    }

    /// `path` holds the keys of all positions before.
    pub fn score<G: Tactics>(&self, game: &G, depth: u32, ply: u32, path: &mut Vec<u64>) -> Score
    where
        F: Features<G>,
    {
        let side = match game.turn() {
            Turn::Over(outcome) => return Score::ended(outcome, ply, 0.0),
            _ => game.to_move(),
        };
        if matches!(G::REPETITION, Repetition::DrawAt(_)) && path.contains(&game.repetition_key()) {
            return Score::heuristic(0.0);
        }
        let depth = if ply > 0 && game.is_check() { depth + 1 } else { depth };
        if depth == 0 {
            return self.quiet(game, ply);
        }
        let mut moves = Vec::new();
        game.candidate_moves(&mut moves);
        path.push(game.repetition_key());
        let scores: Vec<Score> =
            moves.iter().map(|&mv| self.score(&after(game, mv), depth - 1, ply + 1, path)).collect();
        path.pop();
        Self::best(side, scores.into_iter()).unwrap()
    }

    fn quiet<G: Tactics>(&self, game: &G, ply: u32) -> Score
    where
        F: Features<G>,
    {
        if let Turn::Over(outcome) = game.turn() {
            return Score::ended(outcome, ply, 0.0);
        }
        let mut moves = Vec::new();
        let stand = if game.is_check() {
            game.candidate_moves(&mut moves);
            None
        } else {
            game.forcing_moves(&mut moves);
            Some(self.evaluate(game))
        };
        let scores = moves.iter().map(|&mv| self.quiet(&after(game, mv), ply + 1));
        Self::best(game.to_move(), stand.into_iter().chain(scores)).unwrap()
    }
}

fn after<G: Game>(game: &G, mv: G::Move) -> G {
    let mut after = game.clone();
    after.play(mv);
    after
}
