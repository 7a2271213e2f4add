//! Models in files: those that are there, and those that are written for one case.

use elnath::{Engine, LoadOptions, Loaded, Wanted, load};
use elnath_program::Interpreter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the names of files with Promela end.
pub(crate) const PROMELA: &[&str] = &["pml", "prom", "prm", "pm"];

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Our own models.
pub(crate) fn own_models() -> Vec<PathBuf> {
    let mut models = Vec::new();
    models_in(&root().join("tests/cases/promela"), PROMELA, &mut models);
    models_in(&root().join("examples"), PROMELA, &mut models);
    models
}

/// The files in a folder and below with one of these endings, in order.
pub(crate) fn models_in(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            models_in(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            found.push(path);
        }
    }
}

/// The interpreter of a model; nothing if it is none, or not for us.
pub(crate) fn interpreter_of(path: &Path) -> Option<Arc<Interpreter>> {
    let name = path.display().to_string();
    let (model, _) =
        elnath_promela::parse(&mut elnath_promela::FileSystem, &name, &elnath_promela::Options::default())
            .ok()?;
    let lowered = elnath_promela::lower(&model, &name).ok()?;
    Interpreter::new(lowered.program).ok().map(Arc::new)
}

/// A directory that belongs to one of several jobs, with nothing in it.
pub(crate) fn of_job(keep: &Path, job: usize) -> std::io::Result<PathBuf> {
    let directory = keep.join(format!("job-{job}"));
    if directory.exists() {
        std::fs::remove_dir_all(&directory)?;
    }
    std::fs::create_dir_all(&directory)?;
    Ok(directory)
}

/// A model in a file, which goes when this does.
pub(crate) struct File(PathBuf);

impl File {
    /// A file with Promela.
    pub(crate) fn new(name: &str, text: &str) -> Self {
        Self::with_ending(name, "pml", text)
    }

    /// A file in the language that this ending stands for.
    pub(crate) fn with_ending(name: &str, ending: &str, text: &str) -> Self {
        // Several cases are compared at once.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("elnath-{name}-{}-{number}.{ending}", std::process::id()));
        std::fs::write(&path, text).expect("a file can be written");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
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
