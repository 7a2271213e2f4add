//! Space on a disk that a search may use, and gives back whatever happens.
//!
//! Files never have a name: where the system can make one without (Linux, `O_TMPFILE`) it is never seen in the directory;
//! elsewhere it is made in a fresh name and the name is taken away at once. So nothing is left behind when the process
//! ends, is interrupted or is killed, and nothing that exists is touched. What is written is accounted against a budget;
//! a full disk and an exceeded budget are the same to a search: something ran out.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A directory and how many bytes may be written there.
#[derive(Clone, Debug)]
pub struct Disk(Arc<Space>);

#[derive(Debug)]
struct Space {
    directory: PathBuf,
    most: u64,
    used: AtomicU64,
    peak: AtomicU64,
    /// What went wrong, for the report.
    trouble: Mutex<Option<String>>,
}

/// A file without a name.
#[derive(Debug)]
pub(crate) struct Scratch {
    file: Mutex<File>,
    len: AtomicU64,
    disk: Disk,
}

impl Disk {
    /// The right to write so many bytes in this directory.
    ///
    /// # Errors
    /// If no file can be made there.
    pub fn new(directory: &Path, most: u64) -> io::Result<Self> {
        let space = Space {
            directory: directory.to_owned(),
            most,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            trouble: Mutex::new(None),
        };
        nameless(&space.directory)?;
        Ok(Self(Arc::new(space)))
    }

    /// Bytes now occupied.
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::Relaxed)
    }

    /// The most bytes that were occupied at a time.
    pub fn peak(&self) -> u64 {
        self.0.peak.load(Ordering::Relaxed)
    }

    /// What went wrong when a search ended for want of disk, in the words of the system.
    pub fn trouble(&self) -> Option<String> {
        self.0.trouble.lock().expect("no panic while it is held").clone()
    }

    pub(crate) fn scratch(&self) -> io::Result<Scratch> {
        let file = self.noting(nameless(&self.0.directory))?;
        Ok(Scratch { file: Mutex::new(file), len: AtomicU64::new(0), disk: self.clone() })
    }

    fn take(&self, bytes: u64) -> io::Result<()> {
        let used = self.0.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if used > self.0.most {
            self.0.used.fetch_sub(bytes, Ordering::Relaxed);
            let text = format!("the budget of {} bytes is spent", self.0.most);
            return self.noting(Err(io::Error::new(ErrorKind::QuotaExceeded, text)));
        }
        self.0.peak.fetch_max(used, Ordering::Relaxed);
        Ok(())
    }

    fn noting<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            let mut trouble = self.0.trouble.lock().expect("no panic while it is held");
            trouble.get_or_insert_with(|| error.to_string());
        }
        result
    }
}

impl Scratch {
    pub(crate) fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.disk.take(bytes.len() as u64)?;
        let mut file = self.file.lock().expect("no panic while it is held");
        let at = self.len.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let written = file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes));
        self.disk.noting(written)
    }

    /// Fills the buffer from there.
    pub(crate) fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut file = self.file.lock().expect("no panic while it is held");
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(buffer));
        self.disk.noting(read)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.disk.0.used.fetch_sub(self.len(), Ordering::Relaxed);
    }
}

/// A new file in this directory that has no name there.
fn nameless(directory: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).mode(0o600).custom_flags(libc::O_TMPFILE);
        // Not every file system can do it; a true error comes again below.
        if let Ok(file) = options.open(directory) {
            return Ok(file);
        }
    }
    for attempt in 0u32.. {
        let name = directory.join(format!("elnath-{}-{attempt}.tmp", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).open(&name) {
            Ok(file) => {
                std::fs::remove_file(&name)?;
                return Ok(file);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 10_000 => {}
            Err(error) => return Err(error),
        }
    }
    unreachable!("the loop ends by returning")
}
