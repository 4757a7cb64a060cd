//! The one source of randomness: an explicit, seeded generator with a pinned algorithm.
//!
//! Every game or simulation owns one stream, derived from a seed and an index, so results do not
//! depend on how many workers there are or which of them was first.

use rand::SeedableRng;

/// The generator that everything uses: xoshiro256++, whose output never changes between versions.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of stream number `index` under `seed`.
///
/// Streams with different indices are statistically independent: both numbers go through
/// SplitMix64's finaliser before they seed the generator.
///
/// ```
/// use afterstate_games::rng::{stream, below};
/// let (mut a, mut b) = (stream(7, 0), stream(7, 0));
/// assert_eq!(below(&mut a, 1000), below(&mut b, 1000));
/// ```
pub fn stream(seed: u64, index: u64) -> Rng {
    Rng::seed_from_u64(mix(seed ^ mix(index.wrapping_add(0x9e37_79b9_7f4a_7c15))))
}

/// A bijection of 64-bit numbers in which every input bit reaches every output bit (SplitMix64's finaliser).
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A number in `0..n`, by multiply and shift.
///
/// The bias is below `n / 2^32`: immaterial for choosing among moves, and it keeps division and
/// rejection out of the playout loop.
#[inline(always)]
pub fn below(rng: &mut Rng, n: u32) -> u32 {
    use rand::Rng as _;
    (((rng.next_u64() >> 32) * u64::from(n)) >> 32) as u32
}

/// Two numbers from one draw: one in `0..n`, and a function that gives one in `0..m` for an `m` known later.
#[inline(always)]
pub fn below_twice(rng: &mut Rng, n: u32) -> (u32, impl FnOnce(u32) -> u32) {
    use rand::Rng as _;
    let bits = rng.next_u64();
    ((((bits >> 32) * u64::from(n)) >> 32) as u32, move |m| (((bits & 0xffff_ffff) * u64::from(m)) >> 32) as u32)
}

/// Puts `items` in a random order (R. Fisher and F. Yates, 1938; R. Durstenfeld, 1964).
///
/// ```
/// use afterstate_games::{rng::shuffle, stream};
/// let mut moves = [1, 2, 3, 4];
/// shuffle(&mut moves, &mut stream(1, 0));
/// moves.sort();
/// assert_eq!(moves, [1, 2, 3, 4]);
/// ```
#[inline]
pub fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last as u32 + 1) as usize);
    }
}

/// A number in `[0, 1)` with 24 random bits.
#[inline(always)]
pub fn unit(rng: &mut Rng) -> f32 {
    use rand::Rng as _;
    (rng.next_u64() >> 40) as f32 * (1.0 / 16_777_216.0)
}
