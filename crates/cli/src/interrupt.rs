//! Ctrl-C: asks whoever is at work to finish cleanly; a second one ends the program at once.

use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Once};

/// What a program that Ctrl-C has stopped exits with, by the convention of shells.
pub const STATUS: u8 = 130;

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static INSTALL: Once = Once::new();

/// The flag that Ctrl-C (or a termination signal) sets. The first call installs the handler.
pub fn flag() -> Result<&'static Arc<AtomicBool>> {
    let mut installed = Ok(());
    INSTALL.call_once(|| {
        installed = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::SeqCst) {
                std::process::exit(STATUS.into());
            }
            crate::output::tell!("finishing what is in progress; press Ctrl-C again to end at once");
        });
    });
    installed.context("cannot handle Ctrl-C")?;
    Ok(&STOP)
}

/// Whether somebody asked to stop.
pub fn came() -> bool {
    STOP.load(Ordering::Relaxed)
}
