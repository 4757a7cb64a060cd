//! Random damage done to texts that a reader must survive.

use afterstate_games::rng::{Rng, below};
use afterstate_games::stream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// Changes a few bytes: flips, copies, deletions, and pieces of syntax put in.
fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>, pieces: &[&[u8]]) {
    loop {
        let at = below(rng, bytes.len() as u32 + 1) as usize;
        let end = (at + below(rng, 40) as usize).min(bytes.len());
        match below(rng, 8) {
            0 | 1 if at < bytes.len() => bytes[at] = below(rng, 256) as u8,
            2 if at < end => bytes.swap(at, end - 1),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                let to = below(rng, bytes.len() as u32 + 1) as usize;
                bytes.splice(to..to, copy);
            }
            5 if below(rng, 4) == 0 => bytes.truncate(at),
            _ => {
                let piece = pieces[below(rng, pieces.len() as u32) as usize];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
        if below(rng, 2) == 0 {
            return;
        }
    }
}

/// Tries damaged texts. `try_one` says whether one could still be read; some of those are damaged further.
pub fn fuzz(name: &str, texts: &[Vec<u8>], pieces: &[&[u8]], mut try_one: impl FnMut(&[u8]) -> bool) {
    let seconds = std::env::var("AFTERSTATE_FUZZ_SECONDS").ok().map(|text| {
        Duration::from_secs(
            text.parse().unwrap_or_else(|_| panic!("AFTERSTATE_FUZZ_SECONDS='{text}': expected whole seconds")),
        )
    });
    let (begin, rng) = (Instant::now(), &mut stream(3, 0));
    let mut corpus = texts.to_vec();
    let (mut tried, mut accepted, mut slowest) = (0u64, 0u64, Duration::ZERO);
    while seconds.map_or(tried < 10_000, |limit| begin.elapsed() < limit) {
        let mut bytes = corpus[below(rng, corpus.len() as u32) as usize].clone();
        mutate(rng, &mut bytes, pieces);
        tried += 1;
        let mut timed = || {
            let begun = Instant::now();
            let read = catch_unwind(AssertUnwindSafe(|| try_one(&bytes))).unwrap_or_else(|panic| {
                println!("{name}: {:?}", String::from_utf8_lossy(&bytes));
                resume_unwind(panic)
            });
            (read, begun.elapsed())
        };
        let (read, mut took) = timed();
        // Other programs may have kept it from running: only what is slow again and again is slow.
        for _ in 0..3 {
            took = if took > slowest { took.min(timed().1) } else { took };
        }
        slowest = slowest.max(took);
        if read {
            accepted += 1;
            if bytes.len() < 4000 && below(rng, 4) == 0 {
                let slot = texts.len() + below(rng, 200) as usize;
                if slot < corpus.len() { corpus[slot] = bytes } else { corpus.push(bytes) }
            }
        }
    }
    println!("{name}: {tried} damaged texts, {accepted} of them readable, the slowest took {slowest:?}");
    assert!(accepted > tried / 50, "too few get past the outline to test what follows: {accepted} of {tried}");
}

/// Texts as bytes.
pub fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
