//! The list of campaigns. One more of them is a file here and a row in [`CAMPAIGNS`]; its parts have a test each in
//! `tests/campaigns.rs`, which fails if one is forgotten.

use crate::settings::Settings;
use crate::tally::Tally;
use crate::trial::Trial;

mod asking;
mod blocked;
mod boundedness;
mod branching;
mod combinations;
mod compatibility;
mod cycles;
mod engines;
mod estelle;
mod faults;
mod finite_runs;
mod finite_words;
mod formulas;
mod interpreter;
mod lotos;
mod metamorphic;
mod networks;
mod observed;
mod oracle;
mod orbits;
mod parallel_cycles;
mod petri;
mod por;
mod quotients;
mod reference;
mod reference_temporal;
mod relation;
mod runs;
mod simplified;
mod sizes;
mod sleep;
mod spin;
mod spin_cases;
mod spin_enumerate;
mod spin_temporal;
mod stutter;
mod sweep;
mod symmetric;
mod temporal;
mod tiered;
mod together;
mod verdicts;
mod walks;
mod ways;

/// Something that compares.
#[derive(Debug)]
pub struct Campaign {
    /// How it is called on the command line.
    pub name: &'static str,
    /// What is compared with what.
    pub meaning: &'static str,
    /// How.
    pub work: Work,
}

/// How a campaign is made.
#[derive(Debug)]
pub enum Work {
    /// Parts over seeds, from one file or several.
    Parts(&'static [&'static [Part]]),
    /// Something with options of its own.
    Command {
        /// The help for these.
        usage: &'static str,
        /// What it does.
        run: fn(&Settings) -> Result<Tally, String>,
    },
}

/// A part of a campaign: cases of one sort.
#[derive(Debug)]
pub struct Part {
    /// How it is called.
    pub name: &'static str,
    /// What its cases are.
    pub meaning: &'static str,
    /// Compares them.
    pub run: fn(&mut Trial<'_>),
}

impl Campaign {
    /// Its parts; none if it is a command.
    pub fn parts(&self) -> impl Iterator<Item = &'static Part> + use<> {
        let groups: &'static [&'static [Part]] = match self.work {
            Work::Parts(groups) => groups,
            Work::Command { .. } => &[],
        };
        groups.iter().copied().flatten()
    }
}

/// All of them.
pub const CAMPAIGNS: &[Campaign] = &[
    Campaign {
        name: "engines",
        meaning: "machine code against the interpreter: successors, faults, propositions, labels",
        work: Work::Parts(&[engines::PARTS, tiered::PARTS, observed::PARTS]),
    },
    Campaign {
        name: "reductions",
        meaning: "partial order reduction, merging, dead variables and slicing against walks and verdicts without them",
        work: Work::Parts(&[por::PARTS, simplified::PARTS, verdicts::PARTS]),
    },
    Campaign {
        name: "symmetry",
        meaning: "symmetry reduction against orbits found by trying all permutations, and verdicts without it",
        work: Work::Parts(&[orbits::PARTS, symmetric::PARTS]),
    },
    Campaign {
        name: "combinations",
        meaning: "every combination of reductions, for every question, search, store, engine and number of workers",
        work: Work::Parts(&[combinations::PARTS]),
    },
    Campaign {
        name: "machines",
        meaning: "what is wrong with communicating machines, against the definitions on every configuration",
        work: Work::Parts(&[blocked::PARTS]),
    },
    Campaign {
        name: "together",
        meaning: "all properties of a model at once, on one recording of its graph, against each by itself",
        work: Work::Parts(&[together::PARTS]),
    },
    Campaign {
        name: "runs",
        meaning: "all errors of random models against a naive walk, and polished runs against what was found",
        work: Work::Parts(&[runs::PARTS]),
    },
    Campaign {
        name: "interpreter",
        meaning: "the interpreter of programs against a naive one; their text and their verifier",
        work: Work::Parts(&[interpreter::PARTS]),
    },
    Campaign {
        name: "searches",
        meaning: "searches over every store, by one worker and by many, against naive oracles on random graphs",
        work: Work::Parts(&[sleep::PARTS, cycles::PARTS, parallel_cycles::PARTS]),
    },
    Campaign {
        name: "quotients",
        meaning: "quotients of random graphs against the definitions",
        work: Work::Parts(&[quotients::PARTS]),
    },
    Campaign {
        name: "networks",
        meaning: "networks of systems against products made explicitly",
        work: Work::Parts(&[networks::PARTS]),
    },
    Campaign {
        name: "lotos",
        meaning: "LOTOS on terms against a naive interpreter of syntax trees",
        work: Work::Parts(&[lotos::PARTS]),
    },
    Campaign {
        name: "estelle",
        meaning: "static Estelle against a naive interpreter of what the texts were made of",
        work: Work::Parts(&[estelle::PARTS]),
    },
    Campaign {
        name: "petri",
        meaning: "Petri nets: markings in bits, properties and bounds against the definitions; the answers of the Model Checking Contest",
        work: Work::Parts(&[petri::PARTS]),
    },
    Campaign {
        name: "relations",
        meaning: "comparisons of systems by every relation and engine against the definitions",
        work: Work::Parts(&[
            relation::RANDOM,
            relation::SECOND,
            relation::REFINEMENT,
            relation::LATTICE,
            relation::MUTANTS,
        ]),
    },
    Campaign {
        name: "temporal",
        meaning: "properties of infinite and finite runs against all short runs of random systems",
        work: Work::Parts(&[temporal::PARTS, faults::PARTS, finite_runs::PARTS]),
    },
    Campaign {
        name: "formulas",
        meaning: "automata of formulas against the definition of the logic on words",
        work: Work::Parts(&[formulas::PARTS, stutter::PARTS, finite_words::PARTS, sizes::PARTS]),
    },
    Campaign {
        name: "boundedness",
        meaning: "can a channel grow for ever: random machines against a naive explorer and an independent program",
        work: Work::Parts(&[boundedness::PARTS]),
    },
    Campaign {
        name: "compatibility",
        meaning: "k-multiparty compatibility: random session automata and those of the tool KMC against the definitions",
        work: Work::Parts(&[compatibility::PARTS]),
    },
    Campaign {
        name: "reference",
        meaning: "models by other people against what SPIN has said of them",
        work: Work::Parts(&[reference::PARTS, reference_temporal::PARTS]),
    },
    Campaign {
        name: "spin",
        meaning: "random models and files against SPIN, live: states, transitions and errors",
        work: Work::Command { usage: spin::USAGE, run: spin::run },
    },
    Campaign {
        name: "spin-cases",
        meaning: "the verdicts we expect of our own models with properties of infinite runs, against SPIN",
        work: Work::Command { usage: spin_cases::USAGE, run: spin_cases::run },
    },
    Campaign {
        name: "spin-enumerate",
        meaning: "small models enumerated from a grammar against SPIN",
        work: Work::Command { usage: spin_enumerate::USAGE, run: spin_enumerate::run },
    },
    Campaign {
        name: "spin-temporal",
        meaning: "properties of infinite runs of random models and files against SPIN",
        work: Work::Command { usage: spin_temporal::USAGE, run: spin_temporal::run },
    },
    Campaign {
        name: "metamorphic",
        meaning: "rewritings of models against the models themselves, and small changes against SPIN",
        work: Work::Command { usage: metamorphic::USAGE, run: metamorphic::run },
    },
    Campaign {
        name: "sweep",
        meaning: "limits change no verdict: failing models by other people with little memory and more",
        work: Work::Command { usage: sweep::USAGE, run: sweep::run },
    },
    Campaign {
        name: "branching",
        meaning: "the mu-calculus and CTL by all engines against definitions on all states, their evidence, and LTL",
        work: Work::Parts(&[branching::PARTS]),
    },
];
