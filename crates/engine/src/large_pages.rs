//! Large pages for large tables.
//!
//! The processor remembers where a few thousand pages of memory are; usual ones have 4 KiB. A table of many MiB that is read
//! here and there has more of them than that, so that an entry costs a second look into memory: where its page is. Linux keeps
//! memory in pages of 2 MiB if it is asked to (<https://docs.kernel.org/admin-guide/mm/transhuge.html>), which saved the
//! tournament search of chess some seven hundredths of its time and TD search on 15×15 four (medians of 12 and 10 pairs of runs).
//!
//! It must be asked before the memory is touched for the first time. Other systems are not asked.

/// Asks for large pages wherever whole ones lie in `memory`. Nothing else changes, and nothing depends on whether they come.
///
/// Only room that nobody has written to yet gains: what `vec![0; n]` returns, or the spare capacity of a vector.
#[inline]
pub(crate) fn ask_for<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        /// What nearly all machines have.
        const PAGE: usize = 2 << 20;
        let bytes = size_of_val(memory);
        let to_first = memory.as_ptr().cast::<u8>().align_offset(PAGE);
        let whole = bytes.saturating_sub(to_first) / PAGE * PAGE;
        if whole > 0 {
            let first = memory.as_ptr().cast::<u8>().wrapping_add(to_first).cast_mut();
            // SAFETY: the range lies within `memory`. This advice changes no byte of it and takes no access away: it says what
            // the system should put behind these addresses. It may refuse, and then all is as it was.
            let _refused = unsafe { rustix::mm::madvise(first.cast(), whole, rustix::mm::Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_and_the_rest_can_be_written() {
        let mut table: Vec<u64> = vec![0; 1 << 20];
        table[77] = 5;
        ask_for(&table);
        assert!(table.iter().enumerate().all(|(at, &entry)| entry == if at == 77 { 5 } else { 0 }));
        let mut grown: Vec<u64> = Vec::with_capacity(1 << 20);
        ask_for(grown.spare_capacity_mut());
        grown.extend(0..1 << 20);
        assert_eq!(grown.iter().sum::<u64>(), (1 << 19) * ((1 << 20) - 1));
    }

    #[test]
    fn small_memory_and_none_are_left_alone() {
        ask_for::<u64>(&[]);
        ask_for(&[1u8, 2, 3]);
        ask_for(&[(); 1 << 22]);
    }
}
