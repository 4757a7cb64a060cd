//! TD search and Dyna-2 against numbers worked out by hand, a textbook that computes everything anew, and tree search.

mod as_mcts;
mod by_hand;
mod decisions;
mod incremental;
mod memories;
mod script;
mod settings;
