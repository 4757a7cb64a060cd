//! Which program this is, for everything that says what made it.

/// The version and, where that is known, the revision that the program was built from, as `0.1.0 (76e1d5c0a1)`; `, changed` if its
/// sources were not those of the revision.
pub const VERSION: &str = env!("AFTERSTATE_VERSION");

/// The revision alone; empty where it is not known.
pub const REVISION: &str = env!("AFTERSTATE_REVISION");
