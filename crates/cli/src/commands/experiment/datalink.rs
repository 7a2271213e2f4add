//! `elnath experiment datalink`: the table of equivalences-on-the-fly-1991, section 5.2.1.

use super::{Files, interrupted, measured};
use crate::Exit;
use crate::options::DatalinkArgs;
use crate::report::json;
use crate::report::plot::{self, Series};
use crate::report::terminal::Terminal;
use elnath::Relation;
use elnath_experiments::datalink::table::{Paper, Row, measure, paper, usual_sizes};
use serde_json::json;
use std::fmt::Write as _;

const COMMAND: &str = "experiment datalink";

pub(super) fn run(args: &DatalinkArgs, terminal: &Terminal) -> Exit {
    let files = match Files::new(&args.output, [], args.force, terminal) {
        Ok(files) => files,
        Err(messages) => return terminal.bad_input(&messages, "experiment"),
    };
    let sizes = if args.n.is_empty() { usual_sizes() } else { args.n.clone() };
    let mut rows = Vec::new();
    terminal.note("       N          n1          m1      n2        m2           n    seconds");
    for messages in sizes {
        let Some(row) = measured(|meter| measure(messages, args.relation, args.runs, meter)) else {
            return interrupted(terminal, COMMAND, None);
        };
        let (n1, m1) = row.left;
        let (n2, m2) = row.right;
        let pairs = row.pairs;
        let seconds = row.seconds;
        terminal.note(&format!(
            "{messages:>8}{n1:>12}{m1:>12}{n2:>8}{m2:>10}{pairs:>12}{seconds:>11.4}{}",
            match paper(messages) {
                Some(paper) if args.relation == Relation::TauStarA && paper.pairs == pairs =>
                    "  as in the paper",
                Some(_) if args.relation == Relation::TauStarA => "  not as in the paper",
                _ => "",
            }
        ));
        rows.push(row);
    }
    let title = format!("Datalink protocol against its service, {}", args.relation.name());
    if let Err(messages) = files.write(&csv(&rows, &title), &drawing(&rows, &title)) {
        return terminal.bad_input(&messages, "experiment");
    }
    let [csv, svg] = files.names();
    if terminal.json {
        let row = |row: &Row| {
            json!({
                "messages": row.messages,
                "left": { "states": row.left.0, "transitions": row.left.1, "seen": row.seen },
                "right": { "states": row.right.0, "transitions": row.right.1 },
                "pairs": row.pairs,
                "paper_pairs": paper(row.messages).map(|paper| paper.pairs),
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

fn csv(rows: &[Row], title: &str) -> String {
    let mut text = format!("# {title}\n");
    text += "messages,n1,m1,n2,m2,n,paper_n1,paper_m1,paper_n2,paper_m2,paper_n,paper_seconds,\
             related,engine,seconds,generating_seconds,bytes\n";
    for row in rows {
        let ((n1, m1), (n2, m2)) = (row.left, row.right);
        let _ = write!(text, "{},{n1},{m1},{n2},{m2},{},", row.messages, row.pairs);
        match paper(row.messages) {
            Some(Paper { left: (n1, m1), right: (n2, m2), pairs, seconds, .. }) => {
                let _ = write!(text, "{n1},{m1},{n2},{m2},{pairs},{seconds},");
            }
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
                    points: points(&|row| paper(row.messages).map(|paper| f64::from(paper.seconds))),
                },
            ],
        ),
    ];
    plot::over_numbers(title, "messages (N)", &panels)
}
