//! Models in files of their own.

use elnath::{Engine, LoadOptions, Loaded, Wanted, load};
use std::path::PathBuf;

/// A model in a file, which goes when this does.
pub(crate) struct File(PathBuf);

impl File {
    /// The name is one that no other test of this program uses at the same time.
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("elnath-{name}-{}.pml", std::process::id()));
        std::fs::write(&path, text).expect("a file can be written");
        Self(path)
    }

    /// The model with a property; nothing if it is no good model.
    pub(crate) fn load(&self, property: Option<Wanted>, engine: Engine) -> Option<Loaded> {
        load(&self.0, &LoadOptions { property, engine, ..LoadOptions::default() }).ok()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
