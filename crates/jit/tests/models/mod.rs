//! Promela models as people have written them.

use elnath_program::Interpreter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The interpreter of a model; nothing if it is none, or not for us.
pub(crate) fn interpreter_of(path: &Path) -> Option<Arc<Interpreter>> {
    let name = path.display().to_string();
    let (model, _) =
        elnath_promela::parse(&mut elnath_promela::FileSystem, &name, &elnath_promela::Options::default())
            .ok()?;
    let lowered = elnath_promela::lower(&model, &name).ok()?;
    Interpreter::new(lowered.program).ok().map(Arc::new)
}

/// The models in a folder and below, in order.
pub(crate) fn models_in(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            models_in(&path, found);
        } else if path
            .extension()
            .is_some_and(|e| ["pml", "prom", "prm", "pm"].iter().any(|known| e == *known))
        {
            found.push(path);
        }
    }
    found.sort();
}
