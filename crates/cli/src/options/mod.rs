//! The command line: what can be asked, with examples.

mod bounded;
mod compare;
mod compatible;
mod experiment;
mod explain;
mod explore;
mod finite;
pub(crate) mod foreign;
mod help;
mod labels;
mod ltl;
mod mu;

pub(crate) use bounded::{BoundedArgs, Relation, Walk};
pub(crate) use compare::{CompareArgs, CompareEngine, PairOrder, PairStore};
pub(crate) use compatible::CompatibleArgs;
pub(crate) use experiment::{CachingArgs, DatalinkArgs, ExperimentCommand, ProtocolArgs, ReplacementArgs};
pub(crate) use explain::ExplainArgs;
pub(crate) use explore::{ExploreArgs, ThenArgs};
pub(crate) use finite::{EmptyWord, FiniteArgs, Which};
pub(crate) use labels::LabelArgs;
pub(crate) use ltl::{AutomatonFormat, AutomatonType, Dialect, FiniteWords, LtlArgs, Next};
pub(crate) use mu::{BranchingArgs, MuArgs};

use crate::commands::reduce::ReduceArgs;
use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use elnath::StoreChoice;
use elnath::findings::Denied;
use elnath::lts::{GRAPH_FORMATS, GraphFormat};
use std::path::PathBuf;
use std::time::Duration;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Verify communicating systems on the fly, in the memory you grant.
///
/// Exit codes: 0 holds, 1 fails, 2 bad input or usage, 3 unknown (something ran out, or was interrupted).
#[derive(Parser)]
#[command(name = "elnath", version, styles = STYLES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command line as a value, with its help texts.
pub(crate) fn described() -> clap::Command {
    help::with_pages(Args::command(), help::Form::Long)
}

/// What was given; or why it cannot be read, or the help that was asked for.
pub(crate) fn read(given: Vec<std::ffi::OsString>) -> Result<Args, clap::Error> {
    let mut words = std::env::args().skip(1).take_while(|word| word != "--");
    let form = if words.any(|word| word == "-h") { help::Form::Short } else { help::Form::Long };
    let mut command = help::with_pages(Args::command(), form);
    let mut matches = command.try_get_matches_from_mut(given)?;
    Args::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Options of every command.
#[derive(ClapArgs, Clone)]
pub(crate) struct Common {
    /// Print one JSON object on standard output instead of text (schema: docs/json.md)
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print nothing but the verdict and what bears on it (with --json: no progress)
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print more about how the answer was found: engine, seed, automaton, every reduction
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print every step of a run, however long it is
    #[arg(long, global = true)]
    pub(crate) full: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Make findings errors (exit code 2): a code, a name or a group of `elnath explain`, such as `vacuous` or `warnings`;
    /// may be given several times
    #[arg(long, global = true, value_name = "FINDING", value_delimiter = ',', value_parser = finding)]
    pub(crate) deny: Vec<String>,
}

impl Common {
    /// Which findings are errors.
    pub(crate) fn denied(&self) -> Denied {
        let mut denied = Denied::default();
        for word in &self.deny {
            denied.add(word).expect("the words were looked at when they were read");
        }
        denied
    }
}

/// A word that names findings.
fn finding(word: &str) -> Result<String, String> {
    let found = elnath::findings::named(word).map_err(|help| format!("there is no such finding: {help}"))?;
    debug_assert!(!found.is_empty(), "groups have members");
    Ok(word.to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check a model: deadlocks, assertions, temporal properties
    Check(Box<CheckArgs>),
    /// Are two models related? Neither is generated beforehand
    ///
    /// Exit codes: 0 related, 1 not related, 2 bad input or usage, 3 unknown (something ran out, or was interrupted).
    Compare(Box<CompareArgs>),
    /// Explore a model in the browser: steps, charts, graphs, checks
    ///
    /// Prints the address of a page that this command serves, on this machine only, until Ctrl-C: moves with the reasons for those that are
    /// not possible, the state and what has changed, a message sequence chart, the graph around the state, the history as a tree, and checks
    /// while one looks (docs/explorer.md). Exit codes: 0 fine, 2 bad input or usage.
    Explore(ExploreArgs),
    /// Follow one run of a model: by chance, by hand or after a trail
    ///
    /// Prints each statement with its process, line and what it changed. Exit codes: 0 fine, 1 the run met an error,
    /// 2 bad input or usage.
    Simulate(SimulateArgs),
    /// Show the run that a trail describes, SPIN's or ours
    ///
    /// Exit codes: 0 the run ends without an error, 1 it ends in the error shown, 2 the trail is not one of the model.
    Replay(ReplayArgs),
    /// Can channels grow for ever? Which capacities are enough?
    ///
    /// Capacities that a model declares are lifted first: a full channel no longer blocks. Exit codes: 0 bounded,
    /// 1 unbounded, 2 bad input or usage, 3 unknown.
    Bounded(BoundedArgs),
    /// Which capacity loses no behaviour? Is every message received?
    ///
    /// k-multiparty compatibility of communicating session automata: with channels of capacity k every send gets room, every message
    /// that is sent can be received, and every machine that waits can go on; and whether that holds with unbounded channels,
    /// too. Exit codes: 0 compatible, 1 incompatible, 2 bad input or usage, 3 unknown.
    Compatible(CompatibleArgs),
    /// Describe a transition system: size, deadlocks, livelocks
    Info(InfoArgs),
    /// Write a transition system in another format
    Convert(ConvertArgs),
    /// Write the smallest system that is equivalent to a model
    ///
    /// Exit codes: 0 fine, 2 bad input or usage, 3 something ran out, or it was interrupted.
    Reduce(Box<ReduceArgs>),
    /// Show the automaton of a temporal formula, or convert one from HOA
    ///
    /// Exit codes: 0 fine, 2 bad input or usage.
    Ltl(LtlArgs),
    /// Show what a formula of branching time becomes
    ///
    /// Exit codes: 0 fine, 2 bad input or usage.
    Mu(MuArgs),
    /// Generate a random graph as an .aut file
    ///
    /// The graphs are those of Jard, Jéron, Fernandez and Mounier (1993), section 2.3: generated breadth first, the
    /// number of successors evenly distributed between 0 and the degree, half of the successors new until half of the
    /// states exist, then fewer and fewer.
    Random(RandomArgs),
    /// Repeat an experiment of the papers
    #[command(subcommand)]
    Experiment(ExperimentCommand),
    /// Explain findings: what a code in a message means
    Explain(ExplainArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages
    Man {
        /// The folder to write them to, which is made if need be; - for the page of elnath on standard output
        directory: PathBuf,
        /// Write over existing files
        #[arg(long, short)]
        force: bool,
    },
}

/// The headings of the options of `check`.
pub(crate) const ASKED: &str = "What to check";
pub(crate) const RUNS: &str = "Which runs count";
const SHOWN: &str = "What to show";
const READ: &str = "How the model is read";
const SEARCHED: &str = "How to search";
const LIMITS: &str = "Limits";

#[derive(ClapArgs)]
pub(crate) struct CheckArgs {
    /// The model: Promela (.pml, .prom), communicating machines (.fifo, .scm, .fsa), a network (.net), a Petri net (.pnml) or a graph
    /// (.aut, .aut.gz, .aut.zst); - for standard input, which holds a graph unless --language names another language
    pub(crate) file: PathBuf,
    /// Of what the model demands, check only this: the name of an ltl block or never claim, `safety`, `acceptance` or
    /// `progress`; of machines `deadlock`, `unspecified-reception`, `orphan-message` or `full-channel`; may be given several
    /// times
    #[arg(long, value_name = "NAME", conflicts_with = "property", help_heading = ASKED)]
    pub(crate) only: Vec<String>,
    /// Check deadlocks, assertions and other faults only, not the claims, formulas and labels of the model
    #[arg(long, conflicts_with_all = ["property", "only"], help_heading = ASKED)]
    pub(crate) safety_only: bool,
    /// Report a reachable transition whose whole label matches this regular expression
    #[arg(long, value_name = "PATTERN", help_heading = ASKED)]
    pub(crate) forbid: Vec<elnath::ActionPattern>,
    #[command(flatten)]
    pub(crate) finite: FiniteArgs,
    #[command(flatten)]
    pub(crate) property: PropertyArgs,
    #[command(flatten)]
    pub(crate) branching: BranchingArgs,
    #[command(flatten)]
    pub(crate) runs: RunsArgs,
    /// Reductions to use where they are sound, with commas between them; `none` is the reference mode
    #[arg(
        long,
        value_parser = reduction_names(),
        value_delimiter = ',',
        default_value = "usual",
        value_name = "WHICH",
        help_heading = SEARCHED
    )]
    pub(crate) reductions: Vec<String>,
    /// Whether a state without transitions is an error
    #[arg(long, value_enum, default_value_t = EndStates::Check, value_name = "WHAT", help_heading = ASKED)]
    pub(crate) end_states: EndStates,
    /// Go on after an error, and list every distinct error with its place, how often it was met, and a run
    #[arg(long, help_heading = ASKED)]
    pub(crate) all_errors: bool,
    /// What computes transitions: machine code where the model can be compiled, or the interpreter
    #[arg(long, value_enum, default_value_t = Engine::Auto, help_heading = SEARCHED)]
    pub(crate) engine: Engine,
    /// Write the run to the error as a trail that spin -t replays (Promela); - for standard output
    #[arg(long, value_name = "FILE", help_heading = SHOWN)]
    pub(crate) trail: Option<PathBuf>,
    /// Draw the run to the error as a message sequence chart (.svg, or .txt for text); - for text in the report
    #[arg(long, alias = "msc", value_name = "FILE", help_heading = SHOWN)]
    pub(crate) chart: Option<PathBuf>,
    /// Write over existing files; the model is never written over
    #[arg(long, help_heading = SHOWN)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) then: ThenArgs,
}

/// What must be true of the infinite runs; without any of these, everything that the model demands is checked.
#[derive(ClapArgs)]
#[command(next_help_heading = ASKED)]
#[group(id = "property", multiple = false, conflicts_with_all = ["forbid", "all_errors", "end_states"])]
pub(crate) struct PropertyArgs {
    /// Every run satisfies this formula: G F X U R W M (or [] <> V), ! && || -> <->; propositions are expressions of the
    /// model (`x > 3`, `p[1]@label`, `len(q)`; in braces or quotes if need be), action("PATTERN"), in a graph or network
    /// labels, with `tau` for the internal action and `other` for every action not named
    #[arg(long, value_name = "FORMULA")]
    pub(crate) ltl: Option<String>,
    /// An ltl block holds, or a never claim is not matched, by its name in the model; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) claim: Vec<String>,
    /// No run is accepted by the automaton in this file (HOA format): it describes the *bad* runs
    #[arg(long, value_name = "FILE")]
    pub(crate) automaton: Option<PathBuf>,
    /// Of a Petri net, all properties of this file of the Model Checking Contest, or an examination by its name:
    /// ReachabilityDeadlock, OneSafe, QuasiLiveness, StableMarking, Liveness, StateSpace, and those with formulas
    /// if the file is beside the net; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) properties: Vec<PathBuf>,
    /// No run is without progress from some point on (labels that begin with `progress`)
    #[arg(long)]
    pub(crate) non_progress: bool,
    /// No run is again and again at a label that begins with `accept`
    #[arg(long)]
    pub(crate) accept_cycles: bool,
    /// Of communicating machines: every message that is sent is received in the end, on runs that are weakly fair to each
    /// machine
    #[arg(long)]
    pub(crate) eventual_reception: bool,
}

/// Which infinite runs count.
#[derive(ClapArgs)]
#[command(next_help_heading = RUNS)]
pub(crate) struct RunsArgs {
    /// Only runs that are fair to each process
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) fair: Option<Fair>,
    /// What a run that ends is taken for [default: extend; ignore for --non-progress]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) finite_runs: Option<FiniteRuns>,
    /// Whether a failed assertion or another fault of the model that is met on the way is an error, and a proposition that
    /// cannot be evaluated; if not, the run goes on, and the proposition is false
    #[arg(long, value_enum, default_value_t = Faults::Check, value_name = "WHAT")]
    pub(crate) faults: Faults,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fair {
    /// No process is able to move for ever without moving
    Weak,
    /// No process is able to move again and again without moving
    Strong,
    /// Each process with accept labels is at one of them again and again
    Live,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FiniteRuns {
    /// Its last state lasts for ever, as in SPIN
    Extend,
    /// Only infinite runs count
    Ignore,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Faults {
    /// It is an error, whatever the property says of the run
    Check,
    /// The property alone decides
    Ignore,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// The reference: slower, and what machine code is compared with
    Interpreter,
    /// Machine code from the first state on
    Jit,
    /// The interpreter first, and machine code as soon as it is worth compiling; LOTOS is flattened where control is static
    Auto,
    /// The reference of LOTOS: terms, also where control is static
    Terms,
    /// LOTOS as units, the parts between parallel operators: what `auto` takes where control is static
    Units,
    /// LOTOS as a program of guarded commands that meet at gates, where it can be translated to one
    Program,
}

impl From<Engine> for elnath::Engine {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Interpreter => elnath::Engine::Interpreter,
            Engine::Jit => elnath::Engine::Jit,
            Engine::Auto => elnath::Engine::Auto,
            Engine::Terms => elnath::Engine::Terms,
            Engine::Units => elnath::Engine::Units,
            Engine::Program => elnath::Engine::Program,
        }
    }
}

/// What `--reductions` may name: all, none, and the library's list.
fn reduction_names() -> PossibleValuesParser {
    let usual: Vec<&str> = elnath::Reductions::USUAL.rows().map(|reduction| reduction.name).collect();
    let usual = format!("Those that keep every verdict: {}", usual.join(", "));
    let rows = elnath::REDUCTIONS.iter().map(|reduction| {
        let insists = if reduction.insists { "; refused where it is not sound" } else { "" };
        let help = format!("{}: {}{insists}", reduction.title, reduction.meaning);
        PossibleValue::new(reduction.name).help(help)
    });
    let others = [
        PossibleValue::new("none").help("Every state and transition"),
        PossibleValue::new("usual").help(usual),
    ];
    others.into_iter().chain(rows).collect::<Vec<_>>().into()
}

/// The reductions of a list; what is not one, in words.
pub(crate) fn reductions(list: &[String]) -> Result<elnath::Reductions, String> {
    let mut reductions = elnath::Reductions::NONE;
    for name in list {
        match name.as_str() {
            "none" if list.len() > 1 => return Err("--reductions: `none` stands alone".to_owned()),
            "none" => {}
            "usual" => reductions = reductions | elnath::Reductions::USUAL,
            name => reductions = reductions.with(name),
        }
    }
    Ok(reductions)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EndStates {
    /// A state without transitions is a deadlock
    Check,
    /// States without transitions are fine
    Ignore,
    /// Nothing else is an error, not even a failed assertion: a reduction can leave out more
    Only,
}

/// How the model is read.
#[derive(ClapArgs, Clone)]
#[command(next_help_heading = READ)]
pub(crate) struct ModelArgs {
    /// The language of the model [default: told by the ending of its name]
    #[arg(long, value_name = "NAME", value_parser = languages())]
    pub(crate) language: Option<String>,
    /// Labels that count as the internal action [default: i and tau]
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub(crate) tau: Option<Vec<String>>,
    /// Define a macro of the preprocessor (Promela)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
    /// The most messages that a channel holds where the model does not say (communicating machines, Estelle) [default: any number]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) capacity: Option<u32>,
    /// The values of a sort of numbers (LOTOS), such as Nat=0..7 [default: 0..255 for natural numbers, -128..127 for integers]
    #[arg(long, value_name = "SORT=LEAST..GREATEST", value_parser = elnath::Range::parse)]
    pub(crate) range: Vec<elnath::Range>,
    /// Which values belong to a state (LOTOS)
    #[arg(long, value_enum, default_value_t = Identity::Live, value_name = "WHICH")]
    pub(crate) state_identity: Identity,
    /// What `P [c, c]` means (LOTOS), which gives one gate for two
    #[arg(long, value_name = "TRADITION", default_value = "cadp", value_parser = traditions())]
    pub(crate) aliasing: elnath::Aliasing,
    /// The values of `integer` (Estelle), such as 0..7 [default: integers without bounds are refused]
    #[arg(long, value_name = "LEAST..GREATEST", value_parser = integers, allow_hyphen_values = true)]
    pub(crate) int: Option<(i32, i32)>,
    /// Transitions are selected in one step and executed in another, as in the standard (Estelle)
    #[arg(long)]
    pub(crate) iso_select: bool,
    /// What `delay` means (Estelle)
    #[arg(long, value_enum, default_value_t = DelayMeaning::Untimed, value_name = "MEANING")]
    pub(crate) delays: DelayMeaning,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DelayMeaning {
    /// A delayed transition may fire at any time while it is enabled: more than the specification allows
    Untimed,
    /// Time passes in ticks, when no transition without delay is enabled
    Ticks,
}

/// A range of integers.
fn integers(text: &str) -> Result<(i32, i32), String> {
    let ends = text
        .split_once("..")
        .and_then(|(low, high)| Some((low.trim().parse::<i32>().ok()?, high.trim().parse::<i32>().ok()?)));
    match ends {
        Some((low, high)) if low <= high => Ok((low, high)),
        Some(_) => Err("the range is empty".to_owned()),
        None => Err("a range is written `0..7`".to_owned()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Identity {
    /// Those that can still be used
    Live,
    /// Those that variables were last set to, and calls are places, as in the tables of 1991: more states, and the same quotients
    Caesar90,
}

impl From<Identity> for elnath::StateIdentity {
    fn from(identity: Identity) -> Self {
        match identity {
            Identity::Live => elnath::StateIdentity::Live,
            Identity::Caesar90 => elnath::StateIdentity::Caesar90,
        }
    }
}

/// What `--aliasing` may name.
fn traditions() -> impl TypedValueParser<Value = elnath::Aliasing> {
    let value = |&(name, aliasing): &(&'static str, elnath::Aliasing)| {
        PossibleValue::new(name).help(match aliasing {
            elnath::Aliasing::Cadp => "Gates are replaced before actions are synchronised, as in CADP",
            elnath::Aliasing::Iso => "Gates are renamed after actions were synchronised, as in ISO 8807",
        })
    };
    PossibleValuesParser::new(elnath::Aliasing::NAMES.iter().map(value)).map(|name| {
        let found = elnath::Aliasing::NAMES.iter().find(|(other, _)| *other == name);
        found.expect("one of the possible values").1
    })
}

/// The names of all languages.
/// The formats in which graphs are written.
pub(crate) fn graph_formats() -> PossibleValuesParser {
    let value = |format: &GraphFormat| PossibleValue::new(format.name).help(format.meaning);
    GRAPH_FORMATS.iter().map(value).collect::<Vec<_>>().into()
}

fn languages() -> PossibleValuesParser {
    elnath::FRONT_ENDS.iter().map(|front_end| front_end.name).collect::<Vec<_>>().into()
}

/// Old spellings of options, with what to write instead. They work until the next release.
pub(crate) const OLD: &[(&str, &str)] = &[
    ("--msc", "--chart"),
    ("--cache", "--store replacing:cache=STATES"),
    ("--replacement", "--store replacing:policy=WHICH"),
    ("--strata", "--store replacing:policy=stratified,strata=N"),
    ("--thrashing", "--store replacing:thrashing=FACTOR"),
    ("--hashes", "--store bitstate:hashes=K"),
    ("--fingerprint", "--store compact:fingerprint=BITS"),
];

/// The names of all searches.
fn search_names() -> PossibleValuesParser {
    let value = |search: &elnath::SearchKind| PossibleValue::new(search.name).help(search.meaning);
    elnath::SEARCHES.iter().map(value).collect::<Vec<_>>().into()
}

/// Reads a store with its parameters.
#[derive(Clone)]
struct StoreParser;

impl TypedValueParser for StoreParser {
    type Value = StoreChoice;

    fn parse_ref(
        &self,
        _: &clap::Command,
        _: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<StoreChoice, clap::Error> {
        StoreChoice::parse(&value.to_string_lossy()).map_err(|why| {
            clap::Error::raw(clap::error::ErrorKind::ValueValidation, format!("--store: {why}\n"))
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(elnath::STORES.iter().map(|store| {
            let parameters = store.parameters.iter().map(|p| format!("; {}: {}", p.name, p.meaning));
            PossibleValue::new(store.name).help(store.meaning.to_owned() + &parameters.collect::<String>())
        })))
    }
}

/// How the states are walked and what that may cost.
#[derive(ClapArgs, Clone)]
#[command(next_help_heading = SEARCHED)]
pub(crate) struct SearchArgs {
    /// The order in which states are visited [default: portfolio with the exact and the tree store, dfs with the others; for a
    /// property of infinite runs, what its automaton needs]
    #[arg(long, value_parser = search_names(), value_name = "SEARCH")]
    pub(crate) search: Option<String>,
    /// Show a shortest run to an error (that is, --search bfs), or a shortest lasso; not with the replacing store
    #[arg(long, conflicts_with = "search")]
    pub(crate) shortest: bool,
    /// Workers of a search with the exact, the tree or the bitstate store [default: all processors; with the bitstate store
    /// 1, unless in a swarm]; 1 gives the same output every time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// How states are remembered, with parameters as in replacing:cache=500k,policy=lru [default: exact, and if that does not fit
    /// into the memory, tree]
    #[arg(long, value_parser = StoreParser, value_name = "STORE[:PARAMETER=VALUE,..]")]
    pub(crate) store: Option<StoreChoice>,
    /// When the memory is used up, go on on disk in this directory: tree store, breadth first; nothing is left behind
    #[arg(long, value_name = "DIR", conflicts_with_all = ["store", "search"])]
    pub(crate) spill: Option<PathBuf>,
    /// Most bytes that --spill may occupy on disk [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "spill", help_heading = LIMITS)]
    pub(crate) disk: Option<u64>,
    /// The same as --store replacing:cache=STATES
    #[arg(long, value_name = "STATES", value_parser = count, hide = true)]
    pub(crate) cache: Option<u64>,
    /// The same as --store replacing:policy=WHICH
    #[arg(long, value_enum, value_name = "WHICH", hide = true)]
    pub(crate) replacement: Option<Replacement>,
    /// The same as --store replacing:policy=stratified,strata=N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide = true)]
    pub(crate) strata: Option<u32>,
    /// The same as --store replacing:thrashing=FACTOR
    #[arg(long, value_name = "FACTOR", value_parser = clap::value_parser!(u64).range(1..), hide = true)]
    pub(crate) thrashing: Option<u64>,
    /// The same as --store bitstate:hashes=K
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64), hide = true)]
    pub(crate) hashes: Option<u32>,
    /// The same as --store compact:fingerprint=BITS
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(40..=64), hide = true)]
    pub(crate) fingerprint: Option<u32>,
    /// Many different searches with the bitstate store, on all processors, for this long, such as 10m (without a unit:
    /// seconds): finds errors, proves nothing
    #[arg(
        long,
        value_name = "TIME",
        value_parser = some_time,
        conflicts_with_all = ["store", "search", "spill", "shortest", "all_errors", "time", "hashes"]
    )]
    pub(crate) swarm: Option<Duration>,
    /// The seed of everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Memory for the model and the search, such as 512MiB or 2GB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = LIMITS)]
    pub(crate) memory: Option<u64>,
    /// Time for all searches, such as 30s, 10m or 1h30m; without a unit, seconds [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = LIMITS)]
    pub(crate) time: Option<Duration>,
    /// Longest run followed, in transitions [default: no limit]
    #[arg(long, value_name = "STEPS", value_parser = count, help_heading = LIMITS)]
    pub(crate) depth: Option<u64>,
    /// Most states visited [default: no limit]
    #[arg(long, value_name = "STATES", value_parser = count, help_heading = LIMITS)]
    pub(crate) states: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Replacement {
    Random,
    /// Least recently used
    Lru,
    /// Random among the levels that are not spared, see --strata
    Stratified,
}

impl Replacement {
    /// The value of the parameter `policy` of the replacing store, which is also how it is written here.
    pub(crate) fn policy(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[derive(ClapArgs)]
pub(crate) struct SimulateArgs {
    /// The model
    pub(crate) file: PathBuf,
    /// Most steps made of a run by chance, which is printed also at a terminal [default: 200]
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) steps: Option<u64>,
    /// The seed of the choices
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Ask for each choice on standard input: a number, `back`, `state`, `help` and more
    #[arg(long, short)]
    pub(crate) interactive: bool,
    /// Do not open the simulator at a terminal: print a run, or ask line by line
    #[arg(long)]
    pub(crate) plain: bool,
    /// Follow a trail, then stop; the simulator and --interactive go on from there
    #[arg(long, value_name = "FILE")]
    pub(crate) trail: Option<PathBuf>,
    /// Show the value of an expression at every step; may be given several times
    #[arg(long = "watch", value_name = "EXPR")]
    pub(crate) watches: Vec<String>,
    /// Stop runs by chance where this condition holds; may be given several times
    #[arg(long = "break", value_name = "EXPR")]
    pub(crate) breakpoints: Vec<String>,
    /// At the end, write everything that was tried to a file (.json)
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Begin with what such a file says
    #[arg(long, value_name = "FILE", conflicts_with = "trail")]
    pub(crate) replay: Option<PathBuf>,
    /// What to show [default: statements,globals,locals]; what is printed by the model is always shown
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    pub(crate) show: Vec<Show>,
    /// Draw the run as a message sequence chart (.svg, or .txt for text); - for text in the report
    #[arg(long, alias = "msc", value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,
    /// Write over an existing file; what is read is never written over
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Show {
    /// Every statement (short: p, as in spin -p)
    #[value(alias = "p")]
    Statements,
    /// Changes of globals and channels (short: g)
    #[value(alias = "g")]
    Globals,
    /// Changes of locals (short: l)
    #[value(alias = "l")]
    Locals,
    /// Statements that send (short: s)
    #[value(alias = "s")]
    Sends,
    /// Statements that receive (short: r)
    #[value(alias = "r")]
    Receives,
}

#[derive(ClapArgs)]
pub(crate) struct ReplayArgs {
    /// The model
    pub(crate) file: PathBuf,
    /// The trail
    pub(crate) trail: PathBuf,
    /// Draw the run as a message sequence chart (.svg, or .txt for text); - for text in the report
    #[arg(long, alias = "msc", value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,
    /// Write over an existing file; what is read is never written over
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(ClapArgs)]
pub(crate) struct InfoArgs {
    /// The transition system; - for standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(ClapArgs)]
pub(crate) struct ConvertArgs {
    /// What to read; - for standard input
    pub(crate) input: PathBuf,
    /// What to write (.aut, .dot; .gz or .zst is appended for compression); - for standard output
    pub(crate) output: PathBuf,
    /// The format to write [default: by the ending of the output's name]
    #[arg(long, value_parser = graph_formats())]
    pub(crate) format: Option<String>,
    /// Write over an existing file
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Memory for the model and its graph, such as 512MiB or 2GB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Time for generating the graph, such as 30s, 10m or 1h30m; without a unit, seconds [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time: Option<Duration>,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(ClapArgs)]
pub(crate) struct RandomArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Where to write it; - for standard output
    #[arg(long, short, default_value = "-")]
    pub(crate) output: PathBuf,
    /// Write over an existing file
    #[arg(long, short)]
    pub(crate) force: bool,
}

/// A random graph.
#[derive(ClapArgs, Clone)]
pub(crate) struct GraphArgs {
    /// Bound on the number of states (the paper's R_max)
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=2_000_000_000))]
    pub(crate) states: u32,
    /// Largest number of successors of a state (the paper's d_max)
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) degree: u32,
    /// Number of different labels
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) labels: u32,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// A number that may be written 500_000 or 5e5.
fn count(text: &str) -> Result<u64, String> {
    let plain: String = text.chars().filter(|&c| c != '_' && c != ',').collect();
    if let Ok(number) = plain.parse() {
        return Ok(number);
    }
    match plain.parse::<f64>() {
        Ok(number) if (0.0..1e18).contains(&number) && number.fract() == 0.0 => Ok(number as u64),
        _ => Err("expected a whole number such as 500000, 500_000 or 5e5".to_owned()),
    }
}

/// An amount of memory. A small number without a unit was meant with one.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    let bytes = size(text)?;
    let has_unit = text.contains(|c: char| c.is_ascii_alphabetic());
    if !has_unit && bytes < 1 << 20 {
        return Err(format!("{text} without a unit is {text} bytes; did you mean {text}MiB? (or {text}B)"));
    }
    Ok(bytes)
}

/// A number of bytes with a unit.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let help = || "expected a size such as 512MiB, 2GB or 4GiB".to_owned();
    let digits = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
    let number: f64 = text[..digits].parse().map_err(|_| help())?;
    let unit: f64 = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(help()),
    };
    Ok((number * unit) as u64)
}

/// A duration with units, such as `1h30m` or `2.5s`; a bare number is seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let help = || "expected a time such as 30s, 10m, 1h30m or 500ms".to_owned();
    let (mut rest, mut seconds) = (text.trim(), 0.0);
    if rest.is_empty() {
        return Err(help());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| help())?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        seconds += number
            * match &rest[..letters] {
                "" | "s" => 1.0,
                "ms" => 1e-3,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                "d" => 86400.0,
                _ => return Err(help()),
            };
        rest = &rest[letters..];
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| help())
}

/// A duration in which something can be done.
fn some_time(text: &str) -> Result<Duration, String> {
    match time(text)? {
        Duration::ZERO => Err("--swarm needs a duration greater than zero".to_owned()),
        time => Ok(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        described().debug_assert();
    }

    #[test]
    fn sizes_times_and_counts_are_read_as_people_write_them() {
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("1.5 MB"), Ok(1_500_000));
        assert_eq!(size("100"), Ok(100));
        assert_eq!((memory("100B"), memory("2000000")), (Ok(100), Ok(2_000_000)));
        assert!(memory("1000").is_err_and(|text| text.contains("did you mean 1000MiB?")));
        assert!(size("lots").is_err() && size("1XB").is_err() && size("").is_err());
        assert_eq!(time("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(time("10"), Ok(Duration::from_secs(10)));
        assert!(time("soon").is_err() && time("").is_err() && time("-1s").is_err());
        assert_eq!(count("500_000"), Ok(500_000));
        assert_eq!(count("2e6"), Ok(2_000_000));
        assert!(count("-1").is_err() && count("1.5").is_err());
    }
}
