//! Networks on an NVIDIA graphics card, by NVIDIA's own library of convolutions, cuDNN: [`CardNetwork`] answers, [`CardTrainer`] has
//! gradients.
//!
//! Weights remain what they are everywhere else, one flat vector on the host: a network is made of them, and a trainer is lent
//! them for each batch. Boards lie on the card as positions × cells × channels, and channels are filled up to multiples of 8, as
//! the card's matrix units want them.

mod layer;
mod network;
#[cfg(test)]
mod tests;
mod trainer;

pub use network::CardNetwork;
pub use trainer::CardTrainer;

use cudarc::cudnn::sys::cudnnTensorFormat_t;
use cudarc::driver::{CudaContext, CudaModule};
use std::error::Error;
use std::sync::Arc;

/// Channels come in multiples of so many.
const CHANNELS: usize = 8;

const FORMAT: cudnnTensorFormat_t = cudnnTensorFormat_t::CUDNN_TENSOR_NHWC;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// An NVIDIA graphics card that has cuDNN.
#[derive(Clone, Debug)]
pub struct Card(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    context: Arc<CudaContext>,
    /// What trainers need beside cuDNN, compiled for the card.
    kernels: Arc<CudaModule>,
}

impl Card {
    /// The card of this number, from 0.
    ///
    /// # Errors
    ///
    /// What is missing, on one line.
    pub fn open(index: usize) -> Result<Card, String> {
        // SAFETY: loading the libraries runs their initialisers, NVIDIA's own.
        let [driver, library, compiler] = unsafe {
            [
                cudarc::driver::sys::is_culib_present(),
                cudarc::cudnn::sys::is_culib_present(),
                cudarc::nvrtc::sys::is_culib_present(),
            ]
        };
        let context = driver.then(|| CudaContext::new(index).ok()).flatten();
        let context = context.ok_or("expected an NVIDIA graphics card and its driver")?;
        if !(library && compiler) {
            return Err("expected CUDA's libraries cuDNN 9 (libcudnn.so) and NVRTC (libnvrtc.so)".to_string());
        }
        // SAFETY: events let streams wait for each other's slices; every slice here belongs to one stream alone. With events a
        // stream's work could not be captured as a graph.
        unsafe { context.disable_event_tracking() };
        let one_line = |error: Box<dyn Error>| error.to_string().trim().replace('\n', "; ");
        let kernels = layer::compile(&context)
            .map_err(|error| format!("expected an NVRTC that compiles for this card: {}", one_line(error)))?;
        Ok(Card(Arc::new(Opened { context, kernels })))
    }
}

/// The planes of boards, cell by cell, into `there`, where each cell has room for `channels` numbers and the rest stays as it is.
fn by_cells<T>(inputs: &[f32], [planes, cells, channels]: [usize; 3], convert: impl Fn(f32) -> T, there: &mut [T]) {
    let boards = inputs.chunks_exact(planes * cells).zip(there.chunks_exact_mut(cells * channels));
    for (board, there) in boards {
        for (plane, numbers) in board.chunks_exact(cells).enumerate() {
            for (number, cell) in numbers.iter().zip(there.chunks_exact_mut(channels)) {
                cell[plane] = convert(*number);
            }
        }
    }
}
