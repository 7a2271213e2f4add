//! `elnath experiment datalink`: the table of equivalences-on-the-fly-1991, section 5.2.1.

use crate::Exit;
use crate::commands::convert;
use crate::limits::Listening;
use crate::options::DatalinkArgs;
use crate::report::plot::{self, Series};
use crate::report::terminal::Terminal;
use crate::report::{json, render};
use elnath::Verdict;
use elnath::datalink::{Datalink, Service};
use elnath::{Check, Compare, Limit, System};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

/// A row of the paper: N, n1, m1, n2, m2, n, and the seconds t2 of its algorithm on a SUN 3-80.
const PAPER: [(u16, u64, u64, u64, u64, u64, u32); 7] = [
    (20, 7241, 10560, 41, 440, 1661, 19),
    (30, 15661, 23040, 60, 930, 3691, 55),
    (40, 27281, 40320, 80, 1640, 6521, 105),
    (50, 42101, 62400, 101, 2600, 10151, 147),
    (60, 60121, 89280, 121, 3720, 14581, 222),
    (70, 81341, 120_960, 140, 4970, 19811, 402),
    (80, 105_761, 157_440, 161, 6560, 25841, 563),
];

/// One number of messages.
struct Row {
    messages: u16,
    /// States and transitions of the protocol and of the service.
    left: (u64, u64),
    right: (u64, u64),
    /// Pairs analysed, and states of the protocol seen while doing so.
    pairs: u64,
    seen: u64,
    related: bool,
    engine: &'static str,
    /// The median of the comparisons, and how long it takes to generate the protocol alone.
    seconds: f64,
    generating: f64,
    bytes: usize,
}

pub(crate) fn run(args: &DatalinkArgs, terminal: &Terminal) -> Exit {
    const COMMAND: &str = "experiment datalink";
    let files = ["csv", "svg"].map(|ending| args.output.with_added_extension(ending));
    if let Some(file) = files.iter().find(|file| file.exists() && !args.force) {
        let error = std::io::ErrorKind::AlreadyExists.into();
        return terminal.bad_input(&[render::file_error(file, &error)], "experiment");
    }
    let usual = PAPER.iter().map(|row| row.0).chain([160, 320, 640]);
    let sizes: Vec<u16> = if args.n.is_empty() { usual.collect() } else { args.n.clone() };
    let mut rows = Vec::new();
    terminal.note("       N          n1          m1      n2        m2           n    seconds");
    for messages in sizes {
        let Some(row) = measure(args, messages) else {
            if terminal.json {
                let fields = json!({ "verdict": "unknown", "reason": "interrupted" });
                terminal.object(&json::object(COMMAND, fields));
            }
            terminal.note("interrupted: nothing was written");
            return Exit::Unknown;
        };
        let (n1, m1) = row.left;
        let (n2, m2) = row.right;
        let pairs = row.pairs;
        let seconds = row.seconds;
        terminal.note(&format!(
            "{messages:>8}{n1:>12}{m1:>12}{n2:>8}{m2:>10}{pairs:>12}{seconds:>11.4}{}",
            match paper(messages) {
                Some(paper) if args.relation == elnath::Relation::TauStarA && paper.5 == pairs =>
                    "  as in the paper",
                Some(_) if args.relation == elnath::Relation::TauStarA => "  not as in the paper",
                _ => "",
            }
        ));
        rows.push(row);
    }
    let title = format!("Datalink protocol against its service, {}", args.relation.name());
    let texts = [csv(&rows, &title), drawing(&rows, &title)];
    for (file, text) in files.iter().zip(texts) {
        let written = convert::replace_file(file, args.force, |mut out| out.write_all(text.as_bytes()));
        if let Err(error) = written {
            return terminal.bad_input(&[render::file_error(file, &error)], "experiment");
        }
    }
    let [csv, svg] = files.each_ref().map(|file| file.display().to_string());
    if terminal.json {
        let row = |row: &Row| {
            json!({
                "messages": row.messages,
                "left": { "states": row.left.0, "transitions": row.left.1, "seen": row.seen },
                "right": { "states": row.right.0, "transitions": row.right.1 },
                "pairs": row.pairs,
                "paper_pairs": paper(row.messages).map(|paper| paper.5),
                "related": row.related,
                "engine": row.engine,
                "seconds": row.seconds,
                "generating_seconds": row.generating,
                "compare_bytes": row.bytes,
            })
        };
        let fields = json!({
            "relation": args.relation.name(),
            "rows": rows.iter().map(row).collect::<Vec<_>>(),
            "csv": csv,
            "svg": svg,
        });
        terminal.object(&json::object(COMMAND, fields));
    } else {
        terminal.say(&format!("{csv} and {svg} written"));
    }
    Exit::Holds
}

fn paper(messages: u16) -> Option<(u16, u64, u64, u64, u64, u64, u32)> {
    PAPER.into_iter().find(|row| row.0 == messages)
}

/// `None` if the user interrupts.
fn measure(args: &DatalinkArgs, messages: u16) -> Option<Row> {
    let listening = Listening::new();
    // The paper's service has 2N states for some N and 2N + 1 for others: the numbers are its, the comparison is not
    // influenced.
    let fresh = paper(messages).is_none_or(|row| row.3 % 2 == 1);
    let left: Arc<dyn System> = Arc::new(Datalink { messages, faulty: false });
    let right: Arc<dyn System> = Arc::new(Service { messages, fresh });
    let size = |system: &Arc<dyn System>| {
        let begin = Instant::now();
        let check = Check::system(Arc::clone(system)).ignore_deadlocks();
        let interrupted = || listening.interrupted().then_some(Limit::Interrupted);
        let report = check.watch(move |_| interrupted()).run().expect("the default plan is suitable");
        let complete = matches!(report.verdict(), Verdict::Holds(_));
        let size = (report.first().figures.counters.states, report.first().figures.counters.transitions);
        complete.then_some((size, begin.elapsed().as_secs_f64()))
    };
    let ((left_size, generating), (right_size, _)) = (size(&left)?, size(&right)?);
    let compared_with: Arc<dyn System> = Arc::new(Service { messages, fresh: true });
    let mut times = Vec::new();
    let mut row = None;
    for _ in 0..args.runs {
        let begin = Instant::now();
        let interrupted = || listening.interrupted().then_some(Limit::Interrupted);
        let compared = Compare::systems(Arc::clone(&left), Arc::clone(&compared_with))
            .relation(args.relation)
            .watch(move |_| interrupted())
            .run()
            .expect("every engine and store is the default");
        times.push(begin.elapsed().as_secs_f64());
        let property = compared.first();
        let comparison = &property.figures;
        if matches!(property.verdict, Verdict::Unknown(_)) {
            return None;
        }
        row = Some(Row {
            messages,
            left: left_size,
            right: right_size,
            pairs: comparison.pairs,
            seen: comparison.states[0],
            related: matches!(property.verdict, Verdict::Holds(_)),
            engine: comparison.decided.engine,
            seconds: 0.0,
            generating,
            bytes: comparison.peak_bytes,
        });
    }
    times.sort_by(f64::total_cmp);
    row.map(|row| Row { seconds: times[times.len() / 2], ..row })
}

fn csv(rows: &[Row], title: &str) -> String {
    let mut text = format!("# {title}\n");
    text += "messages,n1,m1,n2,m2,n,paper_n1,paper_m1,paper_n2,paper_m2,paper_n,paper_seconds,\
             related,engine,seconds,generating_seconds,bytes\n";
    for row in rows {
        let ((n1, m1), (n2, m2)) = (row.left, row.right);
        let _ = write!(text, "{},{n1},{m1},{n2},{m2},{},", row.messages, row.pairs);
        match paper(row.messages) {
            Some((_, n1, m1, n2, m2, n, t)) => _ = write!(text, "{n1},{m1},{n2},{m2},{n},{t},"),
            None => text += ",,,,,,",
        }
        let Row { related, engine, seconds, generating, bytes, .. } = row;
        let _ = writeln!(text, "{related},{engine},{seconds:.6},{generating:.6},{bytes}");
    }
    text
}

fn drawing(rows: &[Row], title: &str) -> String {
    let points = |value: &dyn Fn(&Row) -> Option<f64>| {
        rows.iter().filter_map(|row| value(row).map(|y| (f64::from(row.messages), y))).collect()
    };
    let panels = [
        (
            "states and pairs",
            vec![
                Series { name: "pairs analysed (n)".into(), points: points(&|row| Some(row.pairs as f64)) },
                Series {
                    name: "states of the protocol (n1)".into(),
                    points: points(&|row| Some(row.left.0 as f64)),
                },
            ],
        ),
        (
            "seconds",
            vec![
                Series { name: "today".into(), points: points(&|row| Some(row.seconds)) },
                Series {
                    name: "1991, on a SUN 3-80".into(),
                    points: points(&|row| paper(row.messages).map(|paper| f64::from(paper.6))),
                },
            ],
        ),
    ];
    plot::over_numbers(title, "messages (N)", &panels)
}
