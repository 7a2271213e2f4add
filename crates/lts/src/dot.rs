//! Drawing: Graphviz DOT, for systems small enough to look at.

use std::io::{self, BufWriter, Write};

use crate::lts::Lts;

/// Writes the system as a DOT graph: the initial state has an arrow from nowhere, tau is drawn dashed.
///
/// # Errors
/// Those of `out`.
pub fn write(lts: &Lts, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    writeln!(out, "digraph lts {{")?;
    writeln!(out, "  start [shape=none, label=\"\"];")?;
    writeln!(out, "  node [shape=circle];")?;
    writeln!(out, "  start -> {};", lts.initial())?;
    for state in lts.states() {
        // Every state is named once, so that those without transitions are drawn too.
        writeln!(out, "  {state};")?;
        for edge in lts.edges(state) {
            let style = if lts.is_tau(edge.label) { ", style=dashed" } else { "" };
            writeln!(
                out,
                "  {state} -> {} [label=\"{}\"{style}];",
                edge.target,
                escaped(lts.label(edge.label))
            )?;
        }
    }
    writeln!(out, "}}")?;
    out.flush()
}

/// A label within a DOT string, where a backslash begins an escape such as `\N`, the node's name.
fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    #[test]
    fn a_small_graph() {
        let mut builder = Builder::new();
        builder.add(0, "say \"\\N\"", 1);
        builder.add(1, "i", 0);
        builder.at_least_states(3);
        let mut out = Vec::new();
        write(&builder.finish(1), &mut out).expect("memory does not fail");
        let expected = r#"digraph lts {
  start [shape=none, label=""];
  node [shape=circle];
  start -> 1;
  0;
  0 -> 1 [label="say \"\\N\""];
  1;
  1 -> 0 [label="i", style=dashed];
  2;
}
"#;
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
