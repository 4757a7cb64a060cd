//! The board as text.
