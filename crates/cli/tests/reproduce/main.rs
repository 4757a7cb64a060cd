//! `afterstate reproduce`, run as a user would.

#[path = "../support/mod.rs"]
mod support;

mod learners;
mod matches;
