//! [`Octets`]: the memory of a tree, which comes when it is written to.
//!
//! A tree reserves as much as it may ever take. To write all of that before the first simulation would cost a second for
//! every GiB or so, on a clock that may be running. Memory that is asked for as zeros costs nothing until it is touched:
//! the system then gives it page by page. A `Vec` of octets cannot ask so, since the standard library writes the zeros
//! itself where more than the usual alignment is wanted; hence the `unsafe` code here.

use super::node::Octet;
use crate::large_pages::ask_for;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Deref;
use std::ptr::NonNull;

/// Allocators know of fresh zeros up to this alignment.
const USUAL_ALIGNMENT: usize = 16;

/// Octets in one allocation, all zeros until they are written, which is as they are by default.
#[derive(Debug)]
pub(super) struct Octets {
    /// The first octet, on a cache line's beginning within the allocation.
    first: NonNull<Octet>,
    len: usize,
    allocation: NonNull<u8>,
    layout: Layout,
}

impl Octets {
    /// So many octets, at least one; `None` if the machine cannot give so much memory.
    pub(super) fn zeroed(len: usize) -> Option<Octets> {
        let len = len.max(1);
        let room_to_align = align_of::<Octet>() - USUAL_ALIGNMENT;
        let bytes = len.checked_mul(size_of::<Octet>())?.checked_add(room_to_align)?;
        let layout = Layout::from_size_align(bytes, USUAL_ALIGNMENT).ok()?;
        // SAFETY: the layout's size is not 0.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        // SAFETY: so many zeros lie there, and nobody else knows of them yet.
        ask_for(unsafe { std::slice::from_raw_parts(allocation.as_ptr(), bytes) });
        let to_first = allocation.as_ptr().align_offset(align_of::<Octet>());
        assert!(to_first <= room_to_align, "memory of the usual alignment");
        // SAFETY: that is within the allocation, which has room for the way to the next cache line.
        let first = unsafe { allocation.add(to_first) }.cast();
        Some(Octets { first, len, allocation, layout })
    }
}

impl Deref for Octets {
    type Target = [Octet];

    #[inline(always)]
    fn deref(&self) -> &[Octet] {
        // SAFETY: `first` is aligned, and `len` octets from there on lie within the allocation, which lives as long as
        // `self` and holds nothing else. They were zeros at first, which every atomic integer may be, and all an octet
        // consists of is such integers; later they were written through references to octets only.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl Drop for Octets {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and nobody holds references into it any more.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) }
    }
}

// SAFETY: it owns its octets as a boxed slice would, and these may be sent and shared.
unsafe impl Send for Octets {}
// SAFETY: as above.
unsafe impl Sync for Octets {}

/// What the promises above rest on: octets may be sent and shared, and dropping their memory drops none.
const _: () = {
    const fn may_be_sent_and_shared<T: Send + Sync>() {}
    may_be_sent_and_shared::<Octet>();
    assert!(!std::mem::needs_drop::<Octet>());
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_aligned_and_begin_as_nothing() {
        for len in [0, 1, 2, 1000] {
            let octets = Octets::zeroed(len).unwrap();
            assert_eq!((octets.len(), octets.as_ptr().align_offset(align_of::<Octet>())), (len.max(1), 0));
            let (zeros, usual) = (format!("{:?}", octets.last().unwrap()), format!("{:?}", Octet::default()));
            assert_eq!(zeros, usual);
        }
    }

    #[test]
    fn what_one_thread_writes_others_read_at_both_ends() {
        let octets = Octets::zeroed(3).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| octets[0].first[0].store(7, std::sync::atomic::Ordering::Relaxed));
            scope.spawn(|| octets[2].count[7].store(9, std::sync::atomic::Ordering::Relaxed));
        });
        assert_eq!((octets[0].first[0].load(std::sync::atomic::Ordering::Relaxed), octets.len()), (7, 3));
        assert_eq!(octets[2].count[7].load(std::sync::atomic::Ordering::Relaxed), 9);
        // Nothing between them was touched.
        assert_eq!(format!("{:?}", octets[1]), format!("{:?}", Octet::default()));
    }

    #[test]
    fn more_than_there_can_be_is_no_panic() {
        assert!(Octets::zeroed(usize::MAX).is_none());
        assert!(Octets::zeroed(isize::MAX as usize / size_of::<Octet>()).is_none());
    }
}
