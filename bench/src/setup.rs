//! What a measurement needs before it begins: the command, built as users get it, and a directory for files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds the command as users get it and says where it is.
pub fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root)
        .args(["build", "--release", "-p", "elnath-cli", "--bin", "elnath", "--message-format=json"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo: {error} (--elnath names a command that is already built)"))?;
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back();
    executable.filter(|_| output.status.success()).ok_or_else(|| "elnath does not build".to_owned())
}

/// A directory for the files of one run, gone afterwards.
pub struct Work(pub PathBuf);

impl Work {
    /// Makes it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new() -> std::io::Result<Work> {
        let directory = std::env::temp_dir().join(format!("versus-spin-{}", std::process::id()));
        fs::create_dir_all(&directory)?;
        fs::canonicalize(directory).map(Work)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // Left-over files in a temporary directory are not worth a failure.
        let _ = fs::remove_dir_all(&self.0);
    }
}
