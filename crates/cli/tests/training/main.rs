//! Training that is killed, stopped and resumed, and everything that is refused on the way.

#[cfg(unix)]
mod interruption;
mod refusal;
mod resuming;
mod runs;
#[path = "../support/mod.rs"]
mod support;
