//! Every kind of features keeps the contract, and what breaks it is found.

use afterstate_engine::value::{
    ActiveChange, ActiveSet, ChessTerms, Features, GridShapes, LocalShapes, Memory, Share, Sharing, TermSet,
    WindowSizes, check_features,
};
use afterstate_games::conformance::Settings;
use afterstate_games::go::Go;
use afterstate_games::{Chess, ConnectFour, Game, Grid, Side, TicTacToe};

fn some(games: u32, longest_game: u32) -> Settings {
    Settings { games, longest_game, ..Settings::default() }
}

#[test]
fn local_shapes_keep_the_contract() {
    for (size, sharing) in [(5, Sharing::Both), (6, Sharing::LocationIndependent), (7, Sharing::None)] {
        let shapes = LocalShapes::new(size, WindowSizes::ALL, sharing);
        check_features(&shapes, &shapes.track(Go::new(size)), some(4, 150)).unwrap();
    }
}

#[test]
fn grid_shapes_keep_the_contract() {
    let game = ConnectFour::new();
    check_features(&GridShapes::new(&game, WindowSizes::ALL), &game, some(20, 100)).unwrap();
}

#[test]
fn chess_terms_keep_the_contract() {
    for set in [TermSet::Meep, TermSet::KnightCap] {
        check_features(&ChessTerms::new(set), &Chess::new(), some(2, 120)).unwrap();
    }
}

/// Whose stone is where, as it should be or not.
#[derive(Clone, Copy, PartialEq)]
enum Squares {
    Right,
    /// Counts one weight too few.
    Short,
    /// Says nothing of a weight.
    Silent,
    /// Leaves what was in the set.
    Heaped,
    /// Finds another sum.
    WrongSum,
    /// Forgets the last move's sum.
    FewSums,
    /// Takes every stone for the first player's.
    WrongChange,
}

impl Features<TicTacToe> for Squares {
    fn count(&self) -> usize {
        if *self == Squares::Short { 8 } else { 9 }
    }

    fn active(&self, game: &TicTacToe, set: &mut ActiveSet) {
        if *self != Squares::Heaped {
            set.clear();
        }
        for square in 0..9 {
            if let Some(side) = game.stone(square % 3, square / 3) {
                set.push(Share::new(square, side == Side::Second));
            }
        }
    }

    fn describe(&self, index: usize) -> String {
        if *self == Squares::Silent { String::new() } else { format!("a stone on square {index}") }
    }

    fn change(&self, game: &TicTacToe, mv: <TicTacToe as Game>::Move, change: &mut ActiveChange) {
        let mut after = *game;
        after.play(mv);
        for square in 0..9 {
            if let (None, Some(side)) = (game.stone(square % 3, square / 3), after.stone(square % 3, square / 3)) {
                change.start(Share::new(square, side == Side::Second && *self != Squares::WrongChange));
            }
        }
    }

    fn sum<M: Memory>(&self, game: &TicTacToe, memory: &M) -> f32 {
        let mut set = ActiveSet::default();
        self.active(game, &mut set);
        let sum: f32 = set.shares().iter().map(|&share| memory.worth(share)).sum();
        if *self == Squares::WrongSum { sum + 1.0 } else { sum }
    }

    fn afterstate_sums<M: Memory>(
        &self,
        game: &TicTacToe,
        moves: &[<TicTacToe as Game>::Move],
        memory: &M,
        sums: &mut Vec<f32>,
    ) {
        sums.clear();
        sums.extend(moves.iter().map(|&mv| {
            let mut after = *game;
            after.play(mv);
            self.sum(&after, memory)
        }));
        if *self == Squares::FewSums {
            sums.pop();
        }
    }
}

#[test]
fn each_broken_promise_is_named() {
    let checked = |features: Squares| check_features(&features, &TicTacToe::new(), some(10, 100));
    assert!(checked(Squares::Right).unwrap() > 50);
    for (features, promise, detail) in [
        (Squares::Short, "weights are numbered from 0 to below their count", "there is weight 8 of 8"),
        (Squares::Silent, "every weight has a description", "has none"),
        (Squares::Heaped, "a position has the same active features again", "there are 1 and then 2"),
        (Squares::WrongSum, "the sum is that of the active features' weights", "it is 1 and not 0"),
        (Squares::FewSums, "every move has the sum of its afterstate", "there are 8 sums for 9 moves"),
        (
            Squares::WrongChange,
            "what a move changes leads to the active features after it",
            "counting 1 times, and in the position it counts -1 times",
        ),
    ] {
        let broken = checked(features).unwrap_err();
        assert_eq!(broken.promise, promise);
        assert!(broken.detail.contains(detail), "{broken}");
        assert!(broken.to_string().starts_with("features: expected that "), "{broken}");
    }
}
