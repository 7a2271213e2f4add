//! The formats in which graphs are written, in one visible list. One more is a writer and a row.

use crate::aut::{self, Dialect};
use crate::{Lts, dot};
use std::io::{self, Write};
use std::path::Path;

/// A format in which a graph is written.
#[derive(Clone, Copy, Debug)]
pub struct GraphFormat {
    /// The name used on the command line.
    pub name: &'static str,
    /// What it is, on one line.
    pub meaning: &'static str,
    /// Endings of file names that stand for it.
    pub endings: &'static [&'static str],
    write: fn(&Lts, &mut dyn Write) -> io::Result<()>,
}

/// All formats; the first one is the default.
pub const GRAPH_FORMATS: &[GraphFormat] = &[
    GraphFormat {
        name: "cadp",
        meaning: ".aut as CADP writes it: the internal action is i",
        endings: &["aut"],
        write: |lts, out| aut::write(lts, Dialect::Cadp, out),
    },
    GraphFormat {
        name: "mcrl2",
        meaning: ".aut as mCRL2 writes it: the internal action is tau",
        endings: &[],
        write: |lts, out| aut::write(lts, Dialect::Mcrl2, out),
    },
    GraphFormat {
        name: "dot",
        meaning: "Graphviz",
        endings: &["dot", "gv"],
        write: |lts, out| dot::write(lts, out),
    },
];

impl GraphFormat {
    /// The format of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        GRAPH_FORMATS.iter().find(|format| format.name == name)
    }

    /// The format that the ending of a file's name stands for.
    pub fn by_ending(path: &Path) -> Option<&'static Self> {
        let ending = path.extension()?.to_str()?;
        GRAPH_FORMATS.iter().find(|format| format.endings.contains(&ending))
    }

    /// Writes a graph.
    ///
    /// # Errors
    /// Those of `out`; and one of kind `InvalidInput`, before anything is written, if the format cannot express a label.
    pub fn write(&self, lts: &Lts, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(lts, out)
    }
}
