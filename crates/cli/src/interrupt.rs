//! Ctrl-C: asks whoever is at work to finish cleanly; a second one ends the program at once.

use anyhow::{Context, Result};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);
static INSTALL: Once = Once::new();

/// The flag that Ctrl-C (or a termination signal) sets. The first call installs the handler.
pub fn flag() -> Result<&'static AtomicBool> {
    let mut installed = Ok(());
    INSTALL.call_once(|| {
        installed = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            crate::output::tell!("finishing what is in progress; press Ctrl-C again to end at once");
        });
    });
    installed.context("cannot handle Ctrl-C")?;
    Ok(&STOP)
}
