//! [`Charset`]: how the text of a file is written.

use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;

/// How the bytes of a file stand for characters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Charset {
    /// UTF-8, or another one by the file's own account: second bytes of characters may look like brackets.
    Known(&'static Encoding),
    /// Latin-1, or what looks like it: one byte a character, there and back.
    Bytes,
}

impl Charset {
    /// UTF-8 if it can be that, else what the first property CA says if it can be that.
    pub fn of(bytes: &[u8]) -> Charset {
        if std::str::from_utf8(bytes).is_ok() {
            return Charset::Known(UTF_8);
        }
        match named(bytes) {
            Some(encoding) if encoding.decode_without_bom_handling_and_without_replacement(bytes).is_some() => {
                Charset::Known(encoding)
            }
            _ => Charset::Bytes,
        }
    }

    /// The text.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Charset::Known(encoding) => encoding.decode_without_bom_handling(bytes).0,
            Charset::Bytes => bytes.iter().map(|&byte| char::from(byte)).collect(),
        }
    }

    /// Characters that there are no bytes for become question marks, or references by number.
    pub fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Charset::Known(encoding) => encoding.encode(text).0.into_owned(),
            Charset::Bytes => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
        }
    }
}

/// By the value of the first property CA.
fn named(bytes: &[u8]) -> Option<&'static Encoding> {
    let begins = |at: usize| bytes[at..].starts_with(b"CA[") && !bytes[..at].last().is_some_and(u8::is_ascii_uppercase);
    let start = 3 + (0..bytes.len()).find(|&at| begins(at))?;
    let name = bytes[start..].split(|&byte| byte == b']').next()?;
    let label = name.to_ascii_lowercase();
    // What Windows calls Japanese is no name of it elsewhere.
    Encoding::for_label(if label == b"cp932" { b"shift_jis" } else { &label })
}
