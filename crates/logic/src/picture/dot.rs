//! Pictures as DOT graphs, for Graphviz to lay out.

use super::{Picture, discs};
use std::fmt::Write;

impl Picture {
    /// As a DOT graph. The initial state has an arrow from nowhere.
    pub fn dot(&self) -> String {
        let mut out = String::from(
            "digraph automaton {\n  rankdir=LR;\n  start [shape=none, label=\"\", width=0];\n  node [shape=circle];\n",
        );
        for (i, circle) in self.circles.iter().enumerate() {
            let double = if circle.double { ", shape=doublecircle" } else { "" };
            let name = format!("{}{}", circle.name, discs(circle.marks));
            let _ = writeln!(out, "  {i} [label=\"{}\"{double}];", escaped(&name));
        }
        let _ = writeln!(out, "  start -> {};", self.initial);
        for arrow in &self.arrows {
            let lines: Vec<String> = arrow.lines.iter().map(|line| escaped(&line.text())).collect();
            let _ = writeln!(out, "  {} -> {} [label=\"{}\"];", arrow.from, arrow.to, lines.join("\\n"));
        }
        out.push_str("}\n");
        out
    }
}

/// A text within a DOT string, where a backslash begins an escape such as `\N`, the node's name.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
