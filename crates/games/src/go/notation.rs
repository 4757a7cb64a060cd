//! GTP coordinates and one-line positions.
