//! Our players behind the protocols that other programs speak: for Go [`gtp`], for chess [`uci`].

pub mod gtp;
mod line;
pub mod uci;
