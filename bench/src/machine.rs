//! On what it was measured: without that, figures mean nothing to others.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The version measured and the machine, one fact per line.
pub struct Machine {
    /// The version of the project.
    pub commit: String,
    /// How many processors there are.
    pub cores: usize,
    facts: Vec<(&'static str, String)>,
}

impl Machine {
    /// Looks around; `root` is the project's directory.
    pub fn look(root: &Path) -> Machine {
        let commit = first_line(Command::new("git").current_dir(root).args([
            "describe",
            "--always",
            "--dirty=, with changes",
            "--exclude=*",
        ]));
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(unknown);
        let memory = field("/proc/meminfo", "MemTotal").and_then(|text| {
            let kib: f64 = text.split_whitespace().next()?.parse().ok()?;
            Some(format!("{:.1} GiB", kib / f64::from(1 << 20)))
        });
        let facts = vec![
            ("Processor", format!("{cpu}, {cores} cores")),
            ("Memory", memory.unwrap_or_else(unknown)),
            ("Load average at the start", load()),
            ("SPIN", first_line(Command::new("spin").arg("-V"))),
            ("C compiler", first_line(Command::new("gcc").arg("--version"))),
        ];
        Machine { commit, cores, facts }
    }

    /// As a list in Markdown.
    pub fn markdown(&self) -> String {
        let facts = self.facts.iter().map(|(name, fact)| format!("- {name}: {fact}\n"));
        format!("- elnath: commit {}\n{}", self.commit, facts.collect::<String>())
    }
}

/// The load averages of the last 1, 5 and 15 minutes. A busy machine is the usual case here, so every measurement
/// is kept with it.
pub fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<&str> = text.split_whitespace().take(3).collect();
    if load.is_empty() { unknown() } else { load.join(" ") }
}

/// Has so many bytes of memory touched, in huge pages and in small ones, by a process that ends at once: the memory of
/// this one would be counted as that of its children.
///
/// A virtual machine may give free memory back to its host, and pays for it, with up to 3 ns a byte, when it is used
/// again. That is more than some searches take, and it falls on whoever is first to come.
pub fn warm(bytes: usize) {
    let touch = std::env::current_exe()
        .and_then(|own| Command::new(own).arg("--touch").arg(bytes.to_string()).status());
    // Cold memory makes figures worse, and nothing else.
    let _ = touch;
}

/// What the process of [`warm`] does.
pub fn touch(bytes: usize) {
    const PAGE: usize = 4096;
    for huge in [false, true] {
        let Ok(mut memory) = memmap2::MmapMut::map_anon(bytes) else { return };
        #[cfg(target_os = "linux")]
        if huge {
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        memory.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
    }
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn first_line(command: &mut Command) -> String {
    let output = command.output().ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().map_or_else(unknown, |line| line.trim().to_owned())
}

fn unknown() -> String {
    "unknown".to_owned()
}
