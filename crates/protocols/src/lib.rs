//! Our players behind the protocols that other programs speak: for Go, [`gtp`].

pub mod gtp;
