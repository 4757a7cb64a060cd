//! Learning values from play.
