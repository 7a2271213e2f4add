//! How fast a file is read and how much memory that takes: `cargo run --release --example load -- FILE`;
//! with `--info` after it also how long it takes to write and to examine what was read.

use std::time::Instant;
use std::{env, fs, path::Path};

use elnath_lts::Info;
use elnath_lts::aut::{Dialect, ReadOptions, read_file, write};

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program, though a small one")]
fn main() {
    let Some(file) = env::args().nth(1) else {
        eprintln!("usage: load FILE [--info]");
        return;
    };
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let size = fs::metadata(&file).map_or(0, |m| m.len());
    let start = Instant::now();
    let loaded = match read_file(Path::new(&file), &ReadOptions::default()) {
        Ok(loaded) => loaded,
        Err(failure) => return failure.into_messages().iter().for_each(|e| eprintln!("{e}")),
    };
    let seconds = start.elapsed().as_secs_f64();
    let (n, bytes) = (loaded.lts.num_transitions(), loaded.lts.bytes());
    println!("read     {:.0} MB in {seconds:.3} s: {:.0} MB/s", megabytes(size), megabytes(size) / seconds);
    println!("table    {n} transitions, {:.2} bytes each", bytes as f64 / n.max(1) as f64);
    println!("peak     {} while loading, table {:.0} MB", peak(), megabytes(bytes as u64));
    if env::args().nth(2).is_none_or(|option| option != "--info") {
        return;
    }

    let start = Instant::now();
    write(&loaded.lts, Dialect::Cadp, std::io::sink()).expect("a sink takes everything");
    println!("write    {:.3} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let info = Info::new(&loaded.lts);
    println!("examine  {:.3} s, then peak {}", start.elapsed().as_secs_f64(), peak());
    println!("{info:#?}");
}

/// The most memory this process ever had, where the system tells.
fn peak() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_owned(), |size| size.trim().to_owned())
}
