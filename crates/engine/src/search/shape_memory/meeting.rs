//! How threads learn together: each with a memory of its own, and weights that all know of.
//!
//! The differences that a memory keeps are true of its own weights alone. So its threads do not change each other's weights
//! under way, but exchange what they learnt now and then, when all is computed anew anyhow.

use super::ShapeMemory;
use crate::value::Weights;
use std::sync::Arc;

/// Threads put off a meeting while it would have to look at more than so many weights for each time that they were asked
/// to. It takes about as long as a simulation of 9×9 then.
const WEIGHTS: usize = 1 << 15;

/// θ̄ of all threads, and what this one knows of it.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    shared: Arc<Weights>,
    before: Vec<f32>,
    /// How often it was put off.
    put_off: usize,
}

impl ShapeMemory {
    /// Memories for so many other threads.
    pub(super) fn fork(&mut self, others: usize) -> Vec<ShapeMemory> {
        let before = self.weights();
        let shared = Arc::new(Weights::from_values(&before));
        self.meeting = Some(Meeting { shared, before, put_off: 0 });
        vec![self.clone(); others]
    }

    /// Exchanges what was learnt with the other threads, unless it is better put off.
    pub(super) fn exchange(&mut self, finally: bool) {
        let count = self.weights.len();
        let Some(meeting) = &mut self.meeting else { return };
        meeting.put_off += 1;
        if !finally && meeting.put_off * WEIGHTS < count {
            return;
        }
        meeting.put_off = 0;
        self.settle();
        let Some(Meeting { shared, before, .. }) = &mut self.meeting else { return };
        for (index, (before, [weight, _])) in before.iter_mut().zip(&mut self.weights).enumerate() {
            let learnt = *weight - *before;
            *weight = if learnt == 0.0 { shared.get(index) } else { shared.add_exactly(index, learnt) };
            *before = *weight;
        }
        self.rebuild();
    }
}
