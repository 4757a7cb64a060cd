//! An [`Archive`] on disk: a snapshot with a checksum.

use super::start_positions::{Archive, Keep, Way};
use crate::value::checkpoint::write_whole;
use std::io;
use std::path::Path;

/// Writes an archive as a whole or not at all, how many entries of the present step's log it has seen, and how many moves its games
/// are [behind](super::training).
pub(super) fn save(archive: &Archive, (entered, behind): (usize, i64), path: &Path) -> io::Result<()> {
    let parts = (entered, behind, archive.offered(), archive.ways());
    let mut bytes = postcard::to_stdvec(&parts).map_err(io::Error::other)?;
    let crc = crc32fast::hash(&bytes);
    bytes.extend(crc.to_le_bytes());
    write_whole(path, &bytes)
}

/// Reads an archive of this kind, and what was written with it.
pub(super) fn load(path: &Path, keep: Keep, capacity: usize) -> io::Result<(Archive, (usize, i64))> {
    let bytes = std::fs::read(path)?;
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "damaged, or the archive of another run");
    let (payload, crc) = bytes.split_last_chunk::<4>().ok_or_else(damaged)?;
    if crc32fast::hash(payload) != u32::from_le_bytes(*crc) {
        return Err(damaged());
    }
    let parts: (usize, i64, u64, Vec<Way>) = postcard::from_bytes(payload).map_err(|_| damaged())?;
    let (entered, behind, offered, ways) = parts;
    let archive = Archive::restored(keep, capacity, ways, offered).ok_or_else(damaged)?;
    Ok((archive, (entered, behind)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::stream;

    #[test]
    fn an_archive_comes_back_and_a_damaged_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.bin");
        let mut archive = Archive::new(Keep::Reservoir, 5);
        (0..20).for_each(|number| archive.offer(&[number, 3], &mut stream(1, u64::from(number))));
        save(&archive, (7, -40), &path).unwrap();
        assert_eq!(load(&path, Keep::Reservoir, 5).unwrap(), (archive, (7, -40)));
        assert!(load(&path, Keep::Reservoir, 6).is_err(), "it would not be full");
        let bytes = std::fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 4;
            std::fs::write(&path, &damaged).unwrap();
            assert!(load(&path, Keep::Reservoir, 5).is_err(), "{place}");
        }
    }
}
