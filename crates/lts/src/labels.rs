//! The label table: every distinct label once, numbered in the order of first appearance.

use std::fmt;
use std::ops::Deref;

use elnath_kernel::Texts;

/// Distinct labels and their numbers: [`Texts`] of one line each.
#[derive(Clone, Default)]
pub struct Labels(Texts);

/// A label must be text of one line; the payload is the offset of the first byte that is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotText(pub usize);

impl Labels {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a label, which is added if it is new.
    pub fn intern(&mut self, label: &str) -> u32 {
        self.0.intern(label)
    }

    /// As [`Labels::intern`], for bytes that come from outside.
    ///
    /// # Errors
    /// If the label is not UTF-8 or holds a control character other than a tab.
    pub fn intern_bytes(&mut self, label: &[u8]) -> Result<u32, NotText> {
        self.0.intern_bytes(label, as_text)
    }
}

/// What can be asked of the texts.
impl Deref for Labels {
    type Target = Texts;

    fn deref(&self) -> &Texts {
        &self.0
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The bytes as text of one line: UTF-8 without control characters other than tabs.
///
/// # Errors
/// The offset of the first byte that is something else.
pub fn as_text(bytes: &[u8]) -> Result<&str, NotText> {
    let (valid, rest) = match str::from_utf8(bytes) {
        Ok(text) => (text, Ok(text)),
        Err(error) => {
            let valid = str::from_utf8(&bytes[..error.valid_up_to()]).expect("valid up to here");
            (valid, Err(NotText(valid.len())))
        }
    };
    match valid.char_indices().find(|&(_, c)| c.is_control() && c != '\t') {
        Some((at, _)) => Err(NotText(at)),
        None => rest,
    }
}

/// Which labels are the internal action, tau.
///
/// CADP calls it `i` and lets `tau` be an ordinary action; mCRL2 the other way round. By default both are tau, which
/// is right for files of either origin unless one of them uses the other's word for something visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taus(Vec<String>);

impl Taus {
    /// Exactly these labels; none at all is allowed too.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// The names.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether this label is tau.
    pub fn contains(&self, label: &str) -> bool {
        self.0.iter().any(|name| name == label)
    }
}

impl Default for Taus {
    fn default() -> Self {
        Self::new(["i", "tau"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_text_of_one_line() {
        let mut labels = Labels::new();
        assert_eq!(labels.intern_bytes("gr\u{fc}n\tx".as_bytes()), Ok(0));
        assert_eq!(labels.intern_bytes(b"a\x07b"), Err(NotText(1)));
        assert_eq!(labels.intern_bytes(b"ab\xff"), Err(NotText(2)));
        assert_eq!(labels.intern_bytes(b"a\nb\xff"), Err(NotText(1)));
        assert_eq!(labels.len(), 1);
    }
}
