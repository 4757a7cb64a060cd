//! The search that learners use, and what each rule learns from it.

mod hand_tree;
mod pruning;
mod reference;
mod rules;
mod searching;
