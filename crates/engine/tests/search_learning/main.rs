//! The search that learners use, and what each rule learns from it.

mod hand_tree;
mod reference;
mod rules;
mod searching;
