//! GNU Go as the papers' opponent.

/// The agent spec of GNU Go at a level. It counts by area, forbids repetition as our rules do, and plays on until
/// dead stones are off the board when its opponent does not pass.
pub fn agent(level: u32) -> String {
    format!("gtp:\"gnugo --mode gtp --level {level} --chinese-rules --positional-superko --capture-all-dead\"")
}
