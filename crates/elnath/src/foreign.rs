//! The words of other tools, and ours for them: who comes from SPIN, mCRL2 or CADP writes these first.
//!
//! A word with the same meaning is understood. One without a counterpart is answered with what to write or to do instead; nothing is
//! silently ignored that could change an answer.

use crate::frontend::FRONT_ENDS;
use elnath_kernel::Relation;

/// Names of relations in mCRL2 (`ltscompare -e`) and CADP (`bcg_cmp`, `bisimulator`).
pub const RELATIONS: &[(&str, Relation)] = &[
    ("bisim", Relation::Strong),
    ("strong-bisim", Relation::Strong),
    ("branching-bisim", Relation::Branching),
    ("dpbranching-bisim", Relation::DivergenceBranching),
    ("divbranching", Relation::DivergenceBranching),
    ("weak-bisim", Relation::Weak),
    ("observational", Relation::Weak),
    ("tau*.a", Relation::TauStarA),
    ("taustar", Relation::TauStarA),
    ("sim", Relation::Simulation),
    ("ready-sim", Relation::ReadySimulation),
    ("traces", Relation::Trace),
    ("weak-traces", Relation::WeakTrace),
    ("weaktrace", Relation::WeakTrace),
];

/// A kind of file that another tool can turn into a graph that is read here.
pub struct ForeignFile {
    /// How its name ends.
    pub ending: &'static str,
    /// What it is.
    pub what: &'static str,
    /// The command that converts `m.ENDING`.
    pub convert: &'static str,
}

/// Files of other tools.
pub const FILES: &[ForeignFile] = &[
    ForeignFile { ending: "bcg", what: "a graph of CADP", convert: "bcg_io m.bcg m.aut" },
    ForeignFile { ending: "lts", what: "a graph of mCRL2", convert: "ltsconvert m.lts m.aut" },
    ForeignFile { ending: "fsm", what: "a graph of mCRL2", convert: "ltsconvert m.fsm m.aut" },
    ForeignFile {
        ending: "mcrl2",
        what: "a specification of mCRL2",
        convert: "mcrl22lps m.mcrl2 m.lps && lps2lts m.lps m.aut",
    },
    ForeignFile { ending: "lps", what: "a linear process of mCRL2", convert: "lps2lts m.lps m.aut" },
    ForeignFile {
        ending: "lnt",
        what: "a model in LNT of CADP",
        convert: "lnt.open m.lnt generator m.bcg && bcg_io m.bcg m.aut",
    },
    ForeignFile {
        ending: "lotos",
        what: "a model in LOTOS of CADP",
        convert: "caesar.open m.lotos generator m.bcg && bcg_io m.bcg m.aut",
    },
];

/// What to write for an option of SPIN or of its verifier `pan`.
pub enum Instead {
    /// These words mean the same.
    Words(&'static [&'static str]),
    /// These words, the last with what follows the option: `-m10000`.
    With(&'static [&'static str]),
    /// Nothing: it is done anyway. Why.
    Anyway(&'static str),
    /// There is nothing that means the same: what to do.
    Answer(&'static str),
}

/// Options of SPIN and `pan`.
pub const PAN: &[(&str, Instead)] = &[
    ("-run", Instead::Anyway("nothing need be generated or compiled")),
    ("-search", Instead::Anyway("nothing need be generated or compiled")),
    (
        "-a",
        Instead::Anyway(
            "acceptance cycles are looked for wherever the model has a claim, a formula or acceptance labels",
        ),
    ),
    ("-f", Instead::Words(&["--fair", "weak"])),
    ("-l", Instead::Words(&["--non-progress"])),
    ("-bfs", Instead::Words(&["--search", "bfs"])),
    ("-i", Instead::Words(&["--shortest"])),
    ("-I", Instead::Words(&["--shortest"])),
    ("-e", Instead::Words(&["--all-errors"])),
    ("-c0", Instead::Words(&["--all-errors"])),
    ("-E", Instead::Words(&["--end-states", "ignore"])),
    ("-m", Instead::With(&["--depth"])),
    (
        "-w",
        Instead::Answer(
            "the store grows with the states; --memory grants what it may take, such as --memory 2GiB",
        ),
    ),
    ("-t", Instead::Answer("elnath replay MODEL TRAIL shows the run of a trail")),
];

/// Macros for the C compiler of `pan`, and what serves here.
pub const PAN_MACROS: &[(&str, &str)] = &[
    ("NFAIR", "--fair weak needs no limit"),
    ("SAFETY", "--safety-only checks safety alone"),
    ("BITSTATE", "--store bitstate"),
    ("COLLAPSE", "--store tree"),
    ("HC4", "--store compact"),
    ("MEMLIM", "--memory, such as --memory 2GiB"),
    ("NOREDUCE", "--reductions none"),
    ("BFS", "--search bfs"),
    ("VECTORSZ", "states may have any length"),
    ("NP", "--non-progress"),
];

/// Whether a name is one of a file that is read here or that another tool can convert.
pub fn is_model(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    let ours = FRONT_ENDS.iter().flat_map(|front_end| front_end.extensions).copied();
    let mut endings = ours.chain(FILES.iter().map(|file| file.ending));
    endings.any(|ending| name.strip_suffix(ending).is_some_and(|before| before.ends_with('.')))
}
