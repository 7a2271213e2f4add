//! Runs a program and asks the system what it cost: wall-clock time, processor time and the most memory it held.
//!
//! `wait4` gives all three of exactly one child and of the children that child waited for (a compiler driver's
//! compiler). The alternatives were worse: `getrusage(RUSAGE_CHILDREN)` gives the largest of *all* children so far, and
//! sampling `/proc` misses peaks.
//!
//! One surprise of Linux: a child's peak starts at the peak of the process that spawned it, since until it has become
//! another program it shares that one's memory. So this command must stay small itself: output of children goes to
//! files, which are read in pieces. What remains, a few MiB, is less than what any measured program occupies.
//!
//! This module contains unsafe code (the README lists all places). Invariant: the pid waited for is that of a child started here,
//! which nothing else waits for.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What a program cost.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// From its start to its end, in seconds.
    pub wall: f64,
    /// User and system time, in seconds.
    pub cpu: f64,
    /// The most memory resident at one time, in bytes.
    pub peak: u64,
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
}

/// Runs `command` with its output in the files `said` and `complained`.
pub fn run(command: &mut Command, said: &Path, complained: &Path) -> io::Result<Usage> {
    command.stdin(Stdio::null()).stdout(File::create(said)?).stderr(File::create(complained)?);
    let start = Instant::now();
    // It is waited for, but not through the handle, which would not tell what it cost.
    #[allow(clippy::zombie_processes)]
    let child = command.spawn()?;
    let (status, usage) = wait(child.id())?;
    let wall = start.elapsed().as_secs_f64();
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    // Linux and the BSDs count in KiB, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Ok(Usage {
        wall,
        cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak: usage.ru_maxrss as u64 * unit,
        code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
    })
}

fn wait(pid: u32) -> io::Result<(i32, libc::rusage)> {
    loop {
        let mut status = 0;
        // SAFETY: an all-zero rusage is a valid one, it is plain numbers. The call writes to the two places whose
        // addresses it gets, which live until it returns. The pid is a child's of this process that has not been waited
        // for, so it cannot be another program's by now.
        #[allow(unsafe_code)]
        let (waited, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::wait4(pid as libc::pid_t, &raw mut status, 0, &raw mut usage), usage)
        };
        if waited >= 0 {
            return Ok((status, usage));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> (Usage, String) {
        let directory = std::env::temp_dir().join(format!(
            "elnath-process-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        std::fs::create_dir_all(&directory).unwrap();
        let (said, complained) = (directory.join("said"), directory.join("complained"));
        let usage = run(Command::new("sh").args(["-c", script]), &said, &complained).unwrap();
        let text = std::fs::read_to_string(said).unwrap();
        std::fs::remove_dir_all(directory).unwrap();
        (usage, text)
    }

    #[test]
    fn exit_codes_output_and_time() {
        let (usage, text) = sh("echo hello; sleep 0.05; exit 3");
        assert_eq!((usage.code, text.as_str()), (Some(3), "hello\n"));
        assert!(usage.wall >= 0.05 && usage.cpu < usage.wall, "{usage:?}");
        assert_eq!(sh("kill -9 $$").0.code, None);
    }

    #[test]
    fn the_peak_is_that_of_the_child() {
        let (small, _) = sh("exit 0");
        // A line of 64 MiB without an end, which sort must hold.
        let (large, _) = sh("head -c 67108864 /dev/zero | tr '\\0' x | sort > /dev/null");
        assert!(large.peak >= small.peak + (48 << 20), "{small:?} {large:?}");
        // And it is not remembered from one child to the next.
        assert!(sh("exit 0").0.peak < 48 << 20);
    }
}
