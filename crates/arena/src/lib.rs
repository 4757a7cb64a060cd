//! Where players meet: clocks, external engines, games, tournaments, ratings, suites of positions, games looked at again.

pub mod adjudication;
pub mod analysis;
pub mod chess_files;
pub mod chess_openings;
pub mod clock;
pub mod crosstable;
pub mod curve;
mod expectimax_player;
pub mod external;
pub mod game_loop;
pub mod go_files;
mod learning_player;
pub mod mcts_player;
pub mod openings;
pub mod pairing;
pub mod pgn_file;
pub mod player;
pub mod players;
pub mod rating;
pub mod referee;
pub mod result_log;
pub mod sprt;
pub mod suite;
pub mod time_manager;
pub mod tournament;
pub mod tournament_player;

pub use clock::{Clock, FlagFall, TimeControl};
pub use expectimax_player::ExpectimaxPlayer;
pub use game_loop::{EndKind, Ending, GameResult, GameRules, play_game};
pub use learning_player::LearningPlayer;
pub use mcts_player::{Conduct, GoConduct, MctsPlayer, MctsPlayerSettings, MonteCarlo, Purpose};
pub use player::{Player, PlayerError, RandomPlayer, SearchPlayer};
pub use players::{AlphaBetaPlayer, ValuePlayer};
pub use referee::{AreaReferee, Referee, RulesReferee, Verdict};
pub use tournament_player::TournamentPlayer;
