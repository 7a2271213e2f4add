//! SPIN's side: the three commands of its reference mode, in a directory of their own, with limits.

use super::{Figures, Kind};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What SPIN made of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spin {
    /// The figures of a complete search.
    Done(Figures),
    /// The search was given up after errors of these kinds; figures mean nothing.
    Stopped(BTreeSet<Kind>),
    /// The search was cut by a limit of ours.
    TooLarge,
    /// The model was refused.
    Refused(String),
}

/// How far SPIN's search may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest run.
    pub depth: u32,
    /// How long the search may take.
    pub time: Duration,
}

/// Whether SPIN and a C compiler are installed.
pub fn is_installed(compiler: &str) -> bool {
    let runs = |program: &str, argument: &str| {
        Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    runs("spin", "-V") && runs(compiler, "-v")
}

/// Runs the reference mode on `model`, which lies in `directory`, where all its files go. The compiler is `gcc`, or one
/// that takes the same options.
///
/// # Errors
/// If one of the programs cannot be started.
pub fn answer(
    directory: &Path,
    model: &str,
    defines: &[String],
    end_states: bool,
    compiler: &str,
    limits: Limits,
) -> std::io::Result<Spin> {
    let spin = Command::new("spin")
        .current_dir(directory)
        .args(["-a", "-o1", "-o2", "-o3"])
        .args(defines.iter().map(|define| format!("-D{define}")))
        .arg(model)
        .output()?;
    let said = String::from_utf8_lossy(&spin.stdout).into_owned() + &String::from_utf8_lossy(&spin.stderr);
    if !spin.status.success() || !directory.join("pan.c").exists() {
        return Ok(Spin::Refused(said));
    }
    verify(directory, said, end_states, compiler, limits)
}

/// Whether SPIN complains about nothing but an `else` beside a send or receive. It writes a verifier all the same, which
/// [`verify`] runs: what that does is what `else` means there.
pub fn is_only_dubious(said: &str) -> bool {
    let mut errors = said.lines().filter(|line| line.contains("Error:")).peekable();
    errors.peek().is_some() && errors.all(|line| line.contains("dubious use of 'else'"))
}

/// Compiles and runs the verifier that lies in `directory`; `said` is what SPIN said when it wrote it.
///
/// # Errors
/// If one of the programs cannot be started.
pub fn verify(
    directory: &Path,
    said: String,
    end_states: bool,
    compiler: &str,
    limits: Limits,
) -> std::io::Result<Spin> {
    // Compiling takes longer than searching: no optimisation, and none of what is not used (fairness and compression
    // are a fifth of the verifier).
    let compiled = Command::new(compiler)
        .current_dir(directory)
        .args([
            "-w",
            "-O0",
            "-DSAFETY",
            "-DNOREDUCE",
            "-DNOCLAIM",
            "-DNOFAIR",
            "-DNOCOMP",
            "-DVECTORSZ=8192",
            "-o",
            "pan",
            "pan.c",
        ])
        .output()?;
    if !compiled.status.success() {
        return Ok(Spin::Refused(said + &String::from_utf8_lossy(&compiled.stderr)));
    }
    let depth = format!("-m{}", limits.depth);
    let mut flags = vec!["-c0", "-n", "-w18", &depth];
    if !end_states {
        flags.push("-E");
    }
    let Some((status, output)) = run(directory, &flags, limits.time)? else { return Ok(Spin::TooLarge) };
    Ok(read(&output, status))
}

/// Runs the verifier; nothing if it takes too long. How it ended is told by the signal that ended it.
fn run(directory: &Path, flags: &[&str], limit: Duration) -> std::io::Result<Option<(Option<i32>, String)>> {
    use std::os::unix::process::ExitStatusExt as _;
    let ended = run_command(Command::new(directory.join("pan")).current_dir(directory).args(flags), limit)?;
    Ok(ended.map(|(status, output)| (status.signal(), output)))
}

/// The same with any program.
pub(crate) fn run_command(
    command: &mut Command,
    limit: Duration,
) -> std::io::Result<Option<(ExitStatus, String)>> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut stdout = child.stdout.take().expect("it was piped");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before a failure is still worth something.
        let _ = stdout.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(4));
    };
    let output = reader.join().unwrap_or_default();
    Ok(status.map(|status| (status, output)))
}

/// Understands what the verifier printed.
fn read(output: &str, signal: Option<i32>) -> Spin {
    const SIGFPE: i32 = 8;
    let mut kinds = BTreeSet::new();
    for line in output.lines() {
        let Some(text) =
            line.strip_prefix("pan:").and_then(|rest| rest.split_once(": ")).map(|(_, text)| text)
        else {
            continue;
        };
        if line.contains("(at depth") {
            kinds.insert(kind(text));
        }
    }
    if output.contains("max search depth too small") || output.contains("out of memory") {
        return Spin::TooLarge;
    }
    let refused = ["self-loop", "VECTORSZ", "cannot happen", "illegal use"];
    if let Some(line) = output.lines().find(|line| refused.iter().any(|why| line.contains(why))) {
        return Spin::Refused(line.to_owned());
    }
    if signal == Some(SIGFPE) {
        kinds.insert(Kind::Division);
        return Spin::Stopped(kinds);
    }
    let number = |before: &str| {
        let line = output.lines().find(|line| line.contains(before))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let errors = || output.split_once("errors: ")?.1.split_whitespace().next()?.parse().ok();
    let figures = (number("states, stored"), number("transitions (= stored+matched)"), errors());
    let (Some(states), Some(transitions), Some(errors)) = figures else {
        return if kinds.is_empty() { Spin::Refused(output.to_owned()) } else { Spin::Stopped(kinds) };
    };
    if output.contains("Search not completed") || signal.is_some() {
        return Spin::Stopped(kinds);
    }
    Spin::Done(Figures { states, transitions, errors, kinds, asserts_inside: false, has_sequences: false })
}

fn kind(text: &str) -> Kind {
    let table = [
        ("invalid end state", Kind::EndState),
        ("invalid array index", Kind::Index),
        ("assertion violated", Kind::Assertion),
        ("uninitialized chan", Kind::NoChannel),
        ("bad queue", Kind::NoChannel),
        ("parameters in send", Kind::Arity),
        ("missing pars in receive", Kind::Arity),
        ("too many fields in recv", Kind::Arity),
        ("wrong nr of msg fields", Kind::Arity),
        ("poll rendezvous", Kind::Poll),
        ("too many processes", Kind::Processes),
        ("too many queues", Kind::Channels),
        ("block in d_step", Kind::BlockedBody),
        ("blocking sel in d_step", Kind::BlockedBody),
        // Nobody can be met there, which for us is one way of being blocked.
        ("rv-attempt in d_step", Kind::BlockedBody),
    ];
    table.iter().find(|(part, _)| text.contains(part)).map_or(Kind::Other, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::{Spin, is_only_dubious, read};
    use crate::differential::Kind;

    #[test]
    fn what_is_only_dubious_is_told_from_errors() {
        let dubious = "spin: model.pml:2, Error: dubious use of 'else' combined with i/o,\tsaw ''}' = 125'\n";
        assert!(is_only_dubious(dubious));
        assert!(!is_only_dubious(&format!(
            "{dubious}spin: model.pml:22, Error: jump into d_step sequence\n"
        )));
        assert!(!is_only_dubious(""));
    }

    #[test]
    fn figures_and_kinds_are_read() {
        let output = "pan:1: assertion violated (x==2) (at depth 7)\npan:9: invalid end state (at depth 9)\n\
                      State-vector 52 byte, depth reached 10, errors: 9\n       10 states, stored\n\
                      \x20        2 states, matched\n       12 transitions (= stored+matched)\n";
        let Spin::Done(figures) = read(output, None) else { panic!("{:?}", read(output, None)) };
        assert_eq!((figures.states, figures.transitions, figures.errors), (10, 12, 9));
        assert_eq!(figures.kinds.into_iter().collect::<Vec<_>>(), [Kind::EndState, Kind::Assertion]);
        assert!(matches!(read("", Some(8)), Spin::Stopped(_)), "a division by zero ends it");
        assert_eq!(read("error: max search depth too small", None), Spin::TooLarge);
    }
}
