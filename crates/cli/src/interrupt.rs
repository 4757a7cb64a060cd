//! Ctrl-C: asks whoever is at work to finish cleanly; a second one ends the program at once.

use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that Ctrl-C (or a termination signal) sets. The first call installs the handler.
pub fn flag() -> Result<&'static AtomicBool> {
    let mut installed = Ok(());
    let flag = STOP.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = flag.clone();
        installed = ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            eprintln!("finishing what is in progress; press Ctrl-C again to end at once");
        });
        flag
    });
    installed.context("cannot handle Ctrl-C")?;
    Ok(flag)
}

/// The same flag, for whoever keeps it (see `Budget::stop`).
pub fn shared_flag() -> Result<Arc<AtomicBool>> {
    flag()?;
    Ok(STOP.get().expect("installed by the call before").clone())
}
