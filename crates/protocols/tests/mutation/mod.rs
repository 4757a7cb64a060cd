//! Lines of a protocol, damaged at random.

/// A small generator, so that the run depends on nothing but its seed.
pub struct Dice(pub u64);

impl Dice {
    /// A number from 0 on, below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = afterstate_games::rng::mix(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15));
        (self.0 % n.max(1) as u64) as usize
    }
}

/// A line of the corpus after a few changes.
pub fn mutate(dice: &mut Dice, corpus: &[&str]) -> Vec<u8> {
    let mut line = corpus[dice.below(corpus.len())].as_bytes().to_vec();
    for _ in 0..dice.below(4) {
        let at = dice.below(line.len() + 1);
        match dice.below(8) {
            0 => line.insert(at, dice.below(256) as u8),
            1 if at < line.len() => line[at] ^= 1 << dice.below(8),
            2 if at < line.len() => drop(line.remove(at)),
            3 => line.truncate(at),
            4 => {
                let other = corpus[dice.below(corpus.len())].as_bytes();
                line.truncate(at);
                line.extend_from_slice(&other[dice.below(other.len())..]);
            }
            5 => {
                let copy = line[at..].to_vec();
                line.extend_from_slice(&copy);
            }
            6 => {
                let number: &[u8] =
                    [&b"-1"[..], b"0", b"65536", b"1e308", b"NaN", b"18446744073709551616"][dice.below(6)];
                line.splice(at..at, number.iter().copied());
            }
            _ => line.push(b' '),
        }
    }
    line
}
