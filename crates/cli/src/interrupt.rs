//! Ctrl-C: asks whoever is at work to finish cleanly; a second one ends the program at once.

use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that Ctrl-C (or a termination signal) sets. The first call installs the handler.
pub fn stop_flag() -> Result<Arc<AtomicBool>> {
    if let Some(flag) = STOP.get() {
        return Ok(flag.clone());
    }
    let flag = STOP.get_or_init(|| Arc::new(AtomicBool::new(false))).clone();
    let seen = flag.clone();
    ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        eprintln!("finishing what is in progress; press Ctrl-C again to end at once");
    })
    .context("cannot handle Ctrl-C")?;
    Ok(flag)
}
