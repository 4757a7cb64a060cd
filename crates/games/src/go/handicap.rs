//! Handicap stones.
