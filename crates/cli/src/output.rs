//! The one place where files are written, with one set of rules for all commands:
//!
//! - A path is tried before anything is searched ([`Outputs`]): a folder that is missing or cannot be written to, a file
//!   that exists already, an ending that names no format are told at once.
//! - An existing file is replaced only with `--force`, and what the command reads never: not under another name either
//!   (symbolic and hard links are the same file).
//! - A file is written under another name in its folder and renamed when it is complete, so that nobody ever finds half
//!   of it. It keeps the permissions of the file that it replaces. Ctrl-C leaves no such half behind ([`discard_partial`]).
//! - A symbolic link is followed. What is not a regular file (`/dev/null`, a pipe) is written in place: renaming would
//!   replace the device by a file.
//! - `-` is standard output.
//!
//! Considered and not done: holding the temporary file open during the search, which would leave it behind when the
//! process is killed; files without a name (`O_TMPFILE`), which cannot replace a file in one step.

use crate::report::render;
use crate::report::terminal::Terminal;
use elnath::source::{Message, codes};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// How the name of a trail may end: as SPIN has it, or as text.
pub(crate) const TRAILS: &[&str] = &["trail", "txt"];

/// Where something will be written, tried beforehand.
pub(crate) struct Output {
    /// As the user wrote it.
    path: PathBuf,
    target: Target,
    /// The ending that says the format, of those that were offered.
    ending: &'static str,
}

enum Target {
    Standard,
    /// What is not a regular file, or one in a folder that admits no new files.
    InPlace(PathBuf),
    /// A regular file; whether it may exist already.
    File(PathBuf, bool),
}

impl Output {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_standard(&self) -> bool {
        matches!(self.target, Target::Standard)
    }

    /// Of the endings that were offered, the one of this name; the first one where the name has none.
    pub(crate) fn ending(&self) -> &'static str {
        self.ending
    }

    /// Writes a text.
    pub(crate) fn text(&self, text: &str) -> Result<(), Vec<Message>> {
        self.write(|out| out.write_all(text.as_bytes()))
    }

    /// Writes what `fill` writes.
    pub(crate) fn write(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Vec<Message>> {
        let filled = |file: &mut dyn Write| {
            let mut out = BufWriter::new(file);
            fill(&mut out)?;
            out.flush()
        };
        let written = match &self.target {
            Target::Standard => match filled(&mut io::stdout().lock()) {
                // A reader that has gone away, such as head, is no reason to complain.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                other => other,
            },
            Target::InPlace(path) => {
                let is_file = fs::metadata(path).is_ok_and(|found| found.is_file()) && !is_descriptor(path);
                let file = OpenOptions::new().write(true).truncate(is_file).open(path);
                file.and_then(|mut file| filled(&mut file))
            }
            Target::File(path, force) => Partial::beside(path).and_then(|mut partial| {
                filled(&mut partial.file)?;
                partial.becomes(path, *force)
            }),
        };
        written.map_err(|error| vec![render::file_error(&self.path, &error)])
    }
}

/// The files that a command will write, and all that is wrong with them.
pub(crate) struct Outputs {
    inputs: Vec<PathBuf>,
    force: bool,
    planned: Vec<PathBuf>,
    /// What goes to standard output, and whether it is part of the report there.
    standard: Option<(&'static str, bool)>,
    wrong: Vec<Message>,
}

impl Outputs {
    /// Outputs of a command that reads these files.
    pub(crate) fn beside<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>, force: bool) -> Self {
        let inputs = inputs.into_iter().map(|input| match input.as_ref() {
            path if path.as_os_str() == "-" => PathBuf::from("/dev/stdin"),
            path => path.to_owned(),
        });
        Self { inputs: inputs.collect(), force, planned: Vec::new(), standard: None, wrong: Vec::new() }
    }

    /// An output whose name may end in anything.
    pub(crate) fn any(&mut self, path: &Path, what: &'static str) -> Option<Output> {
        self.planned(path, what, "")
    }

    /// The chart of a run: with `-` it is part of the report.
    pub(crate) fn chart(&mut self, path: &Path) -> Option<Output> {
        let output = self.ending_in(path, "the chart", &["svg", "txt"]);
        if output.as_ref().is_some_and(Output::is_standard) {
            self.standard = self.standard.map(|(what, _)| (what, true));
        }
        output
    }

    /// An output whose name ends in one of these; with `-`, or what is no regular file, the first.
    pub(crate) fn ending_in(
        &mut self,
        path: &Path,
        what: &'static str,
        endings: &[&'static str],
    ) -> Option<Output> {
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        let found = endings.iter().find(|&&known| known == ending);
        let is_named = path.as_os_str() != "-" && fs::metadata(path).map_or(true, |found| found.is_file());
        match (found, is_named) {
            (Some(ending), _) => self.planned(path, what, ending),
            (None, false) => self.planned(path, what, endings[0]),
            (None, true) => {
                let dotted: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
                let text = format!("{}: I cannot tell the format of {what} from this name", path.display());
                self.wrong.push(
                    Message::about_file(text)
                        .code(codes::UNWRITABLE)
                        .help(format!("end it in {}", dotted.join(" or "))),
                );
                None
            }
        }
    }

    /// What is wrong, if anything is. If one of the outputs is standard output, the report goes to standard error.
    pub(crate) fn tried(mut self, terminal: &Terminal) -> Result<(), Vec<Message>> {
        match self.standard {
            Some((what, _)) if terminal.json => {
                let text = format!("--json and {what} would both go to standard output");
                self.wrong.push(
                    Message::about_file(text).code(codes::UNWRITABLE).help("name a file to write it to"),
                );
            }
            Some((_, false)) => terminal.step_aside(),
            _ => {}
        }
        if self.wrong.is_empty() { Ok(()) } else { Err(self.wrong) }
    }

    /// What is wrong so far, if anything is: for an output that is named while the command runs.
    pub(crate) fn wrong_so_far(&mut self) -> Result<(), Vec<Message>> {
        if self.wrong.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.wrong)) }
    }

    fn planned(&mut self, path: &Path, what: &'static str, ending: &'static str) -> Option<Output> {
        let same = |other: &PathBuf| path == other || same_file(path, other);
        let refused = if self.inputs.iter().any(same) {
            let text =
                format!("{}: this is an input of the command, which is not written over", path.display());
            Some(Message::about_file(text).code(codes::UNWRITABLE).help("name another file"))
        } else if self.planned.iter().any(same) {
            let text = match path.as_os_str() == "-" {
                true => "two outputs would go to standard output".to_owned(),
                false => format!("{}: two outputs would go to this file", path.display()),
            };
            Some(Message::about_file(text).code(codes::UNWRITABLE).help("name a file for each"))
        } else {
            None
        };
        if let Some(message) = refused {
            self.wrong.push(message);
            return None;
        }
        match target(path, self.force) {
            Ok(target) => {
                self.planned.push(path.to_owned());
                if let Target::Standard = target {
                    self.standard = Some((what, false));
                }
                Some(Output { path: path.to_owned(), target, ending })
            }
            Err((path, error)) => {
                self.wrong.push(render::file_error(&path, &error));
                None
            }
        }
    }
}

/// Where a path leads to, and whether it can be written there; else what cannot, and why.
fn target(path: &Path, force: bool) -> Result<Target, (PathBuf, io::Error)> {
    let refused = |error: io::Error| (path.to_owned(), error);
    if path.as_os_str() == "-" || path == Path::new("/dev/stdout") {
        return Ok(Target::Standard);
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(refused(ErrorKind::IsADirectory.into())),
        Ok(found) if !found.is_file() || is_descriptor(path) => Ok(Target::InPlace(path.to_owned())),
        Ok(_) if !force => Err(refused(ErrorKind::AlreadyExists.into())),
        Ok(_) => {
            // Opened only: a file that must not be written to is not to be replaced either.
            OpenOptions::new().append(true).open(path).map_err(refused)?;
            let path = path.canonicalize().map_err(refused)?;
            match Partial::beside(&path) {
                Ok(_) => Ok(Target::File(path, true)),
                Err(_) => Ok(Target::InPlace(path)),
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let path = end_of_links(path);
            if path.file_name().is_none() {
                return Err((path, ErrorKind::NotFound.into()));
            }
            match Partial::beside(&path) {
                Ok(_) => Ok(Target::File(path, force)),
                // It is the folder that is missing or must not be written to.
                Err(error) => Err((folder(&path).to_owned(), error)),
            }
        }
        Err(error) => Err(refused(error)),
    }
}

/// Whether a path is another name of an open file: writing there goes on where others have stopped.
fn is_descriptor(path: &Path) -> bool {
    path.starts_with("/dev/fd") || path.starts_with("/proc")
}

/// Follows symbolic links that lead to no file yet.
fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many as Linux follows.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => break,
        }
    }
    path
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether two names are those of one regular file.
pub(crate) fn same_file(one: &Path, other: &Path) -> bool {
    let (Ok(found), Ok(of_other)) = (fs::metadata(one), fs::metadata(other)) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        found.is_file() && (found.dev(), found.ino()) == (of_other.dev(), of_other.ino())
    }
    #[cfg(not(unix))]
    {
        found.is_file() && of_other.is_file() && one.canonicalize().ok() == other.canonicalize().ok()
    }
}

/// Files that are being written; who holds the lock may rename and remove them.
static PARTIAL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A file that is not yet complete. It goes away with this value, unless it is renamed.
struct Partial {
    file: File,
    path: PathBuf,
}

impl Partial {
    /// A new file in the folder of `path`.
    fn beside(path: &Path) -> io::Result<Self> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder(path).join(format!(".elnath.{}.{number}.partial", std::process::id()));
        let mut partial = PARTIAL.lock().unwrap_or_else(PoisonError::into_inner);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        partial.push(path.clone());
        Ok(Self { file, path })
    }

    /// Gives the file its name.
    fn becomes(self, path: &Path, force: bool) -> io::Result<()> {
        if let Ok(replaced) = fs::metadata(path) {
            if !force {
                return Err(ErrorKind::AlreadyExists.into());
            }
            keep_owner(&self.file, &replaced);
            self.file.set_permissions(replaced.permissions())?;
        }
        let _lock = PARTIAL.lock().unwrap_or_else(PoisonError::into_inner);
        if force {
            return fs::rename(&self.path, path);
        }
        // A link is refused where another process has just made a file of this name; renaming would replace that. Some
        // file systems have no links.
        match fs::hard_link(&self.path, path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => fs::rename(&self.path, path),
            other => other,
        }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let mut partial = PARTIAL.lock().unwrap_or_else(PoisonError::into_inner);
        partial.retain(|path| *path != self.path);
        // If it was renamed there is nothing to remove.
        let _ = fs::remove_file(&self.path);
    }
}

/// Only the superuser can give files away; for others the new file is theirs, as with any program that renames.
fn keep_owner(file: &File, replaced: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let _ = std::os::unix::fs::fchown(file, Some(replaced.uid()), Some(replaced.gid()));
    }
    #[cfg(not(unix))]
    let _ = (file, replaced);
}

/// Removes files that are not complete. The process must end after this: the lock is never given back, so that nothing is
/// renamed any more.
pub(crate) fn discard_partial() {
    let partial = PARTIAL.lock().unwrap_or_else(PoisonError::into_inner);
    for path in partial.iter() {
        let _ = fs::remove_file(path);
    }
    std::mem::forget(partial);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("elnath-output-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path.canonicalize().unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<_> =
                entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn planned(path: &Path, force: bool) -> Result<Output, Vec<Message>> {
        let mut outputs = Outputs::beside::<&Path>([], force);
        let output = outputs.any(path, "it");
        outputs.tried(&Terminal::plain()).map(|()| output.expect("nothing is wrong"))
    }

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let folder = Folder::new("complete");
        let output = planned(&folder.path("a"), false).unwrap();
        assert!(folder.names().is_empty());
        let seen = output.write(|out| {
            out.write_all(b"half")?;
            assert!(folder.names().iter().all(|name| name.ends_with(".partial")));
            Err(io::Error::other("no"))
        });
        assert!(seen.is_err() && folder.names().is_empty());
        output.text("all").unwrap();
        assert_eq!(folder.names(), ["a"]);
        // What somebody else has written in the meantime stays.
        assert!(output.text("again").is_err());
        assert_eq!(fs::read_to_string(folder.path("a")).unwrap(), "all");
        assert_eq!(folder.names(), ["a"]);
    }

    #[test]
    fn an_existing_file_needs_force_and_an_input_is_never_replaced() {
        let folder = Folder::new("force");
        let (model, other) = (folder.path("m"), folder.path("o"));
        fs::write(&model, "model").unwrap();
        fs::write(&other, "old").unwrap();
        assert!(planned(&other, false).is_err_and(|wrong| wrong[0].text.contains("--force")));
        planned(&other, true).unwrap().text("new").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "new");
        let link = folder.path("hard");
        fs::hard_link(&model, &link).unwrap();
        for path in [&model, &link] {
            let mut outputs = Outputs::beside([&model], true);
            assert!(outputs.any(path, "it").is_none() && outputs.tried(&Terminal::plain()).is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn modes_are_kept_and_links_followed() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = Folder::new("links");
        let (file, link) = (folder.path("f"), folder.path("l"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("f", &link).unwrap();
        planned(&link, true).unwrap().text("new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let dangling = folder.path("d");
        symlink("made", &dangling).unwrap();
        planned(&dangling, false).unwrap().text("x").unwrap();
        assert_eq!(fs::read_to_string(folder.path("made")).unwrap(), "x");
        planned(Path::new("/dev/null"), false).unwrap().text("x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn what_cannot_be_written_is_told_beforehand() {
        let folder = Folder::new("beforehand");
        let missing = planned(&folder.path("no/such"), false);
        assert!(missing.is_err_and(|wrong| wrong[0].text.ends_with("no: no such file or directory")));
        assert!(planned(&folder.0, true).is_err_and(|wrong| wrong[0].text.contains("directory")));
        let mut outputs = Outputs::beside::<&Path>([], false);
        assert!(outputs.ending_in(&folder.path("x.png"), "a chart", &["svg", "txt"]).is_none());
        assert_eq!(
            outputs.ending_in(&folder.path("x.TXT"), "a chart", &["svg", "txt"]).unwrap().ending(),
            "txt"
        );
        assert!(outputs.any(&folder.path("x.TXT"), "it").is_none());
        let wrong = outputs.tried(&Terminal::plain()).unwrap_err();
        assert!(wrong[0].help.as_ref().is_some_and(|help| help == "end it in .svg or .txt"));
        assert!(wrong[1].text.contains("two outputs"), "{}", wrong[1].text);
    }
}
