//! Files of chess of any length are read in little memory: what this test program allocates is counted.

use afterstate_games::chess::epd::EpdReader;
use afterstate_games::chess::pgn::{PgnGame, PgnMove, PgnReader};
use afterstate_games::rng::below;
use afterstate_games::{Chess, Game, stream};
use std::io::{BufReader, Read};

#[global_allocator]
static ALLOCATOR: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);

/// Texts one after the other, each made when it is needed.
struct Generated<F> {
    make: F,
    left: u64,
    text: Vec<u8>,
    read: usize,
}

fn generated<F: FnMut() -> Vec<u8>>(count: u64, make: F) -> BufReader<Generated<F>> {
    BufReader::new(Generated { make, left: count, text: Vec::new(), read: 0 })
}

impl<F: FnMut() -> Vec<u8>> Read for Generated<F> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.text.len() && self.left > 0 {
            (self.text, self.read, self.left) = ((self.make)(), 0, self.left - 1);
        }
        let length = buffer.len().min(self.text.len() - self.read);
        buffer[..length].copy_from_slice(&self.text[self.read..self.read + length]);
        self.read += length;
        Ok(length)
    }
}

/// A game of a few random moves.
fn small_game(seed: u64) -> Vec<u8> {
    let (mut rng, mut moves, mut position) = (stream(seed, 0), Vec::new(), Chess::new());
    let mut game = PgnGame { tags: vec![("White".into(), format!("Player {seed}"))], ..PgnGame::default() };
    for _ in 0..10 {
        position.legal_moves(&mut moves);
        let Some(_) = moves.first() else { break };
        let mv = moves[below(&mut rng, moves.len() as u32) as usize];
        position.play(mv);
        game.line.moves.push(PgnMove { comment: "a comment".into(), ..PgnMove::new(mv) });
    }
    game.to_string().into_bytes()
}

/// The most that reading takes beyond what was allocated before, in bytes; or what something earlier took, if that was more.
fn peak(read: impl FnOnce()) -> usize {
    let before = ALLOCATOR.allocated();
    read();
    ALLOCATOR.max_allocated().saturating_sub(before)
}

/// `AFTERSTATE_PGN_GAMES` sets the number of games.
#[test]
fn long_files_are_read_in_little_memory() {
    let games: u64 = std::env::var("AFTERSTATE_PGN_GAMES").map_or(5_000, |text| text.parse().unwrap());
    let read = |count: u64| {
        peak(|| {
            let mut seed = 0;
            let source = generated(count, || {
                seed += 1;
                small_game(seed)
            });
            let (mut read, mut moves) = (0, 0);
            for game in PgnReader::new(source) {
                read += 1;
                moves += game.unwrap().moves().count() as u64;
            }
            // A few games end in mate before.
            assert!(read == count && moves > 9 * count, "{read} games with {moves} moves");
        })
    };
    let (few, many) = (read(games / 10), read(games));
    println!("{many} bytes for {games} games, {few} for {}", games / 10);
    assert!(many < few + (16 << 10) && many < 256 << 10, "{many} bytes for {games} games, {few} for a tenth of them");

    // A line without an end is skipped, not kept.
    let line = peak(|| {
        let source = generated(1 << 14, || vec![b'x'; 1 << 16]).chain(&b"\n4k3/8/8/8/8/8/8/4K3 w - -\n"[..]);
        let lines: Vec<_> = EpdReader::new(BufReader::new(source)).collect();
        assert!(lines.len() == 2 && lines[0].is_err() && lines[1].is_ok());
    });
    assert!(line < 512 << 10, "{line} bytes for a line of 1 GiB");
    let comment = peak(|| {
        let source = b"1. e4 {".chain(generated(1 << 9, || vec![b'x'; 1 << 16])).chain(&b"} *\n\n1. d4 *\n"[..]);
        let games: Vec<_> = PgnReader::new(BufReader::new(source)).collect();
        assert!(games.len() <= 3 && games[0].is_err(), "{games:?}");
    });
    assert!(comment < 8 << 20, "{comment} bytes for a comment of 32 MiB");
}
