//! The languages elnath reads, in one visible list.

use crate::engine::{Compilations, Engine, INTERPRETER};
use crate::estelle::load_estelle;
use crate::foreign::{FILES, ForeignFile};
use crate::labels;
use crate::lotos::load_lotos;
use crate::machines::MachineSafety;
use crate::network::load_net;
use crate::petri::load_petri;
use crate::property::{self, Promela, TemporalProperty, Vocabulary, Wanted, actions::Actions};
use crate::subject::Subject;
use elnath_kernel::System;
use elnath_logic::Limits;
use elnath_lotos::LotosSystem;
use elnath_lts::{Lts, aut};
use elnath_net::{Network, Rules};
use elnath_petri::PetriSystem;
use elnath_program::{Claimed, Interpreter, Observed, Traced};
use elnath_promela::{Lowered, TrailTable};
use elnath_source::{Message, SourceText, codes};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A language.
pub struct FrontEnd {
    /// Its name.
    pub name: &'static str,
    /// How names of files in it end (before `.gz` or `.zst`, where the reader takes these); the longest one counts.
    pub extensions: &'static [&'static str],
    /// Reads a file.
    pub load: fn(&Path, &LoadOptions) -> Result<Loaded, LoadError>,
}

/// What a user may want to be read differently.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The language, by the name of its [`FrontEnd`]; the default is to tell it by the name of the file.
    pub language: Option<String>,
    /// The labels that count as the internal action; the default is `i` and `tau`.
    pub taus: Option<Vec<String>>,
    /// Macro definitions, `NAME` or `NAME=VALUE`, for languages with a preprocessor.
    pub defines: Vec<String>,
    /// What is to be checked of the infinite runs of the model: its propositions are read together with it.
    pub property: Option<Wanted>,
    /// Formulas and claims of the model, by their names, that are to be checked on one program ([`Loaded::together`]); only without a
    /// `property`.
    pub together: Vec<String>,
    /// Expressions over the state that somebody will ask about, in the language of the model; only without a `property`. What they look at
    /// stays visible in the states (Promela).
    pub looks_at: Vec<String>,
    /// The most bytes that the model itself may take; by default there is no limit.
    pub memory: Option<usize>,
    /// What computes the transitions of programs.
    pub engine: Engine,
    /// Whether the actions of programs are what is seen from outside, as comparisons and networks want it, instead of
    /// statements: see [`elnath_program::Observed`].
    pub observed: bool,
    /// What becomes of the labels: see [`crate::labels`]. Programs are observed then.
    pub rules: Option<Arc<Rules>>,
    /// The text of the model, where it was read before: standard input can be read only once ([`Loaded::input`]).
    pub input: Option<Arc<str>>,
    /// The networks that are being read, outermost first: one that contains itself is refused.
    pub within: Vec<PathBuf>,
    /// The most messages that a channel of communicating machines holds where the model does not say; by default any
    /// number.
    pub capacity: Option<u32>,
    /// What the translation of a formula may spend.
    pub formulas: Limits,
    /// The values of sorts of numbers (LOTOS).
    pub ranges: Vec<elnath_lotos::Range>,
    /// Which values belong to a state (LOTOS).
    pub identity: elnath_lotos::StateIdentity,
    /// What it means that one gate is given for two (LOTOS).
    pub aliasing: elnath_lotos::Aliasing,
    /// What integers, steps and delays are (Estelle).
    pub estelle: elnath_estelle::Options,
}

/// Why there is no model.
#[derive(Clone, Debug)]
pub enum LoadError {
    /// All that is wrong with the file.
    Broken(Vec<Message>),
    /// The model does not fit into [`LoadOptions::memory`]: not an error, but something that ran out.
    TooLarge {
        /// How many transitions did fit.
        transitions: u64,
    },
}

impl LoadError {
    /// What is wrong, for callers that set no limit.
    pub fn into_messages(self) -> Vec<Message> {
        match self {
            LoadError::Broken(messages) => messages,
            LoadError::TooLarge { transitions } => aut::Failure::TooLarge { transitions }.into_messages(),
        }
    }
}

impl From<Vec<Message>> for LoadError {
    fn from(messages: Vec<Message>) -> Self {
        LoadError::Broken(messages)
    }
}

impl From<aut::Failure> for LoadError {
    fn from(failure: aut::Failure) -> Self {
        match failure {
            aut::Failure::Broken(messages) => LoadError::Broken(messages),
            aut::Failure::TooLarge { transitions } => LoadError::TooLarge { transitions },
        }
    }
}

/// A model that was read.
pub struct Loaded {
    /// What can be asked about.
    pub subject: Subject<'static>,
    /// What can be walked.
    pub system: Arc<dyn System>,
    /// The explicit graph, if that is what the file contains, with the labels that it has there: see [`Loaded::into_graph`].
    pub explicit: Option<Arc<Lts>>,
    /// The same as a program of guarded commands, if that is what the file contains.
    pub program: Option<Arc<Interpreter>>,
    /// How SPIN's trails name the commands of the program.
    pub trail: Option<TrailTable>,
    /// What computes its transitions, as reports name it.
    pub engine: &'static str,
    /// The names of its claims.
    pub claims: Vec<String>,
    /// The names of its formulas.
    pub formulas: Vec<String>,
    /// Their texts, without the name and the braces.
    pub formula_texts: Vec<String>,
    /// The text of standard input, if that is what was read (Promela and machines).
    pub input: Option<Arc<str>>,
    /// The names of its formulas with mistakes, which matter only to those who ask about them.
    pub unreadable: Vec<String>,
    /// The property that was wanted.
    pub property: Option<TemporalProperty>,
    /// Those that were wanted together, one for each name, where they can be checked so.
    pub together: Vec<Option<TemporalProperty>>,
    /// What is asked of communicating machines where no property is wanted.
    pub machines: Option<Arc<MachineSafety>>,
    /// The names of its actions, where formulas use them.
    pub(crate) actions: Option<Actions>,
    /// What has become of the labels: see [`LoadOptions::rules`].
    pub rules: Option<Arc<Rules>>,
    /// The specification, if it is one in LOTOS, with the labels that it has there.
    pub lotos: Option<Arc<LotosSystem>>,
    /// The network of components, if it is one, with the labels that it has there.
    pub network: Option<Arc<Network>>,
    /// The net, if it is one, with the labels that it has there.
    pub petri: Option<Arc<PetriSystem>>,
    /// The names of its modules and queues, if it is a specification in Estelle.
    pub estelle: Option<Arc<elnath_estelle::Names>>,
    /// What is doubtful about it.
    pub warnings: Vec<Message>,
}

/// All languages.
pub const FRONT_ENDS: &[FrontEnd] = &[
    FrontEnd { name: "aut", extensions: &["aut"], load: load_aut },
    FrontEnd {
        name: "promela",
        extensions: &["pml", "prom", "promela", "prm", "pm", "pr", "spin", "pml.txt"],
        load: load_promela,
    },
    FrontEnd { name: "network", extensions: &["net"], load: load_net },
    FrontEnd { name: "lotos", extensions: &["lotos", "lot"], load: load_lotos },
    FrontEnd { name: "estelle", extensions: &["est", "estelle"], load: load_estelle },
    FrontEnd { name: "petri", extensions: &["pnml"], load: load_petri },
    FrontEnd { name: "machines", extensions: &["fifo", "scm", "fsa", "cfsm", "txt"], load: load_machines },
];

/// The languages' file name endings, for messages.
pub fn known_extensions() -> String {
    let all: Vec<String> =
        FRONT_ENDS.iter().flat_map(|f| f.extensions).map(|extension| format!(".{extension}")).collect();
    all.join(", ")
}

/// Reads a model in the language that the options name, or else the file's name tells. Then standard input (`-`) and
/// names without an ending are read as `.aut`.
///
/// # Errors
/// All that is wrong with the file, or that it is too large.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let mut loaded = read(path, options)?;
    if let (Some(property), Subject::Program { program, .. }) = (&loaded.property, &loaded.subject) {
        loaded.warnings.extend(property::doubtful_patterns(property, program));
    }
    Ok(loaded)
}

fn read(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    if let Some(language) = &options.language {
        let Some(front_end) = FRONT_ENDS.iter().find(|front_end| front_end.name == language) else {
            let names: Vec<&str> = FRONT_ENDS.iter().map(|front_end| front_end.name).collect();
            let text = format!("there is no language `{language}`");
            let help = format!("the languages are {}", names.join(", "));
            return Err(LoadError::Broken(vec![
                Message::about_file(text).code(codes::UNKNOWN_LANGUAGE).help(help),
            ]));
        };
        return (front_end.load)(path, options);
    }
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let stem = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    let ends_so = |extension: &&str| stem.strip_suffix(extension).is_some_and(|before| before.ends_with('.'));
    let longest = |front_end: &FrontEnd| {
        front_end
            .extensions
            .iter()
            .filter(|extension| ends_so(extension))
            .map(|extension| extension.len())
            .max()
    };
    let by_name =
        FRONT_ENDS.iter().filter(|front_end| longest(front_end).is_some()).max_by_key(|f| longest(f));
    let ending = stem.rsplit_once('.').map(|(_, ending)| ending);
    match (by_name, ending) {
        (Some(front_end), _) => (front_end.load)(path, options),
        (None, Some(ending)) if foreign(ending).is_some() => {
            let file = foreign(ending).expect("it was found");
            let text =
                format!("{}: a .{ending} file is {}, which is not read here", path.display(), file.what);
            let help = format!("convert it to .aut first: {}", file.convert);
            Err(LoadError::Broken(vec![Message::about_file(text).code(codes::UNKNOWN_LANGUAGE).help(help)]))
        }
        (None, Some(ending)) if path.exists() && !path.is_dir() => {
            let text = format!("{}: I do not know the language of a .{ending} file", path.display());
            let help = format!("known endings are {}; or name it: --language promela", known_extensions());
            Err(LoadError::Broken(vec![Message::about_file(text).code(codes::UNKNOWN_LANGUAGE).help(help)]))
        }
        _ => load_aut(path, options),
    }
}

/// The kind of file of another tool with this ending.
fn foreign(ending: &str) -> Option<&'static ForeignFile> {
    FILES.iter().find(|file| file.ending == ending)
}

fn load_aut(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let mut read_options =
        aut::ReadOptions { memory: options.memory.unwrap_or(usize::MAX), ..aut::ReadOptions::default() };
    if let Some(taus) = &options.taus {
        read_options.taus = elnath_lts::Taus::new(taus.iter().cloned());
    }
    let loaded = if path.as_os_str() == "-" {
        aut::read("<standard input>", std::io::stdin().lock(), &read_options)?
    } else {
        aut::read_file(path, &read_options)?
    };
    let lts = Arc::new(loaded.lts);
    let rules = options.rules.clone();
    let internal = labels::internal(options.taus.clone(), rules.is_some());
    let actions = Actions::of_graph(&lts, internal, rules.as_deref());
    let system = labels::relabelled(Arc::clone(&lts) as Arc<dyn System>, rules.as_ref(), false);
    let mut loaded = Loaded {
        subject: Subject::System(Arc::clone(&system)),
        system,
        explicit: Some(Arc::clone(&lts)),
        actions: Some(actions.clone()),
        program: None,
        trail: None,
        engine: "graph",
        claims: Vec::new(),
        formulas: Vec::new(),
        formula_texts: Vec::new(),
        unreadable: Vec::new(),
        input: None,
        machines: None,
        property: None,
        together: Vec::new(),
        rules,
        lotos: None,
        network: None,
        petri: None,
        estelle: None,
        warnings: loaded.warnings,
    };
    if let Some(wanted) = &options.property {
        property::of_actions(&mut loaded, &actions, wanted, &options.formulas)?;
    }
    Ok(loaded)
}

fn load_promela(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let name = path.display().to_string();
    let Promela {
        lowered,
        property,
        together,
        claim,
        formulas,
        formula_texts,
        unreadable,
        input,
        mut warnings,
    } = property::load(&name, options)?;
    let Lowered { program, claims, trace, trail } = lowered;
    let interpreter = Interpreter::new(program).map_err(|fault| {
        vec![
            Message::about_file(format!("{name}: {} while the initial state is made", fault.cause.text()))
                .code(codes::FAULT_AT_START),
        ]
    })?;
    let observed = options.observed || options.rules.is_some();
    let all_ways = trace.is_some() || observed;
    let interpreter = Arc::new(if all_ways { interpreter.keeping_all_ways() } else { interpreter });
    let compilations = Compilations::default();
    let (plain, engine) = options.engine.make(&interpreter, &compilations);
    let claim_names = claims.iter().map(|claim| claim.name.clone()).collect();
    if observed && !options.observed && (claim.is_some() || trace.is_some()) {
        let what = if claim.is_some() { "this claim" } else { "its `trace`" };
        let text =
            format!("{name}: {what} is about statements, and cannot be checked of renamed or hidden labels");
        let help = "leave out --hide, --hide-all-but and --rename";
        return Err(LoadError::Broken(vec![Message::about_file(text).code(codes::IDLE_OPTIONS).help(help)]));
    }
    // What watches a program looks at its steps one by one, as only the interpreter shows them.
    let (subject, engine) = match (claim, trace) {
        (None, trace) if observed => {
            if trace.is_some() {
                let text =
                    format!("{name}: its `trace` is not looked at when the model is seen from outside");
                warnings.push(Message::finding(codes::TRACE_IGNORED, text, None));
            }
            (observe(&interpreter, (plain, compilations), options), engine)
        }
        (Some(claim), _) => {
            let claimed = Claimed::new(Arc::clone(&interpreter), claim);
            let claimed = claimed.map_err(|why| {
                vec![Message::about_file(format!("{name}: {why}")).code(codes::ACTING_CLAIM)]
            })?;
            (Subject::System(Arc::new(claimed)), INTERPRETER)
        }
        (None, Some(trace)) => {
            (Subject::System(Arc::new(Traced::new(Arc::clone(&interpreter), trace))), INTERPRETER)
        }
        (None, None) => {
            let (program, made_by) = (Arc::clone(&interpreter), options.engine);
            (Subject::Program { program, engine: made_by, system: plain, compilations }, engine)
        }
    };
    let system = subject.system();
    Ok(Loaded {
        subject,
        system,
        explicit: None,
        actions: None,
        program: Some(interpreter),
        trail: Some(trail),
        engine,
        claims: claim_names,
        formulas,
        formula_texts,
        unreadable,
        input,
        machines: None,
        property,
        together,
        rules: options.rules.clone(),
        lotos: None,
        network: None,
        petri: None,
        estelle: None,
        warnings,
    })
}

/// A program as it is seen from outside, with the labels that are wanted.
pub(crate) fn observe(
    program: &Arc<Interpreter>,
    (engine, compilations): (Arc<dyn System>, Compilations),
    options: &LoadOptions,
) -> Subject<'static> {
    let observed = Arc::new(Observed::new(Arc::clone(program), engine));
    let system = Arc::clone(&observed) as Arc<dyn System>;
    let system = labels::relabelled(system, options.rules.as_ref(), !options.observed);
    Subject::Observed { observed, system, compilations }
}

/// The text of a model, and, if it came from standard input, that for those who read it again.
pub(crate) fn read_text(
    path: &Path,
    options: &LoadOptions,
) -> Result<(SourceText, Option<Arc<str>>), LoadError> {
    read_decoded(path, options, |bytes| String::from_utf8(bytes).ok())
}

/// The same, for texts in other encodings than UTF-8.
pub(crate) fn read_decoded(
    path: &Path,
    options: &LoadOptions,
    decode: impl FnOnce(Vec<u8>) -> Option<String>,
) -> Result<(SourceText, Option<Arc<str>>), LoadError> {
    let name = path.display().to_string();
    let unreadable = |text: String| vec![Message::about_file(text).code(codes::UNREADABLE)];
    let standard = path.as_os_str() == "-";
    let text = match &options.input {
        Some(text) => text.as_bytes().to_vec(),
        None if standard => {
            let mut text = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut text);
            read.map_err(|error| unreadable(format!("cannot read standard input: {error}")))?;
            text
        }
        None => std::fs::read(path).map_err(|error| unreadable(format!("cannot read {name}: {error}")))?,
    };
    let name = if standard { "<standard input>".to_owned() } else { name };
    let text = decode(text).ok_or_else(|| unreadable(format!("{name}: this is not text in UTF-8")))?;
    // It can be read only once.
    let input: Option<Arc<str>> = standard.then(|| Arc::from(text.as_str()));
    Ok((SourceText::new(name, text), input))
}

fn load_machines(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let (source, input) = read_text(path, options)?;
    let name = source.name().to_owned();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let format = elnath_cfsm::Format::guess(&ending.unwrap_or_default(), source.text());
    let (network, mut warnings) = elnath_cfsm::parse(&source, format)?;
    let capacity = elnath_cfsm::Options { capacity: options.capacity };
    let mut program = elnath_cfsm::lower(&network, capacity)?;
    let wanted = options.property.as_ref();
    if wanted == Some(&Wanted::EventualReception) && options.rules.is_some() {
        let text =
            "eventual reception is told by labels of messages, so that these cannot be hidden or renamed";
        return Err(vec![Message::about_file(text).code(codes::IDLE_OPTIONS)].into());
    }
    let property = wanted
        .map(|wanted| {
            property::of_machines(
                Vocabulary::Machines(&network),
                &mut program,
                wanted,
                &options.formulas,
                &mut warnings,
            )
        })
        .transpose()?;
    // Those who compare or compose machines look at their labels only.
    let asked = options.property.is_none() && !options.observed;
    let machines = asked.then(|| Arc::new(MachineSafety::of(network, capacity, &mut program)));
    let interpreter = Interpreter::new(program).map_err(|fault| {
        vec![
            Message::about_file(format!("{name}: {} while the initial state is made", fault.cause.text()))
                .code(codes::FAULT_AT_START),
        ]
    })?;
    let observed = options.observed || options.rules.is_some();
    let interpreter = Arc::new(if observed { interpreter.keeping_all_ways() } else { interpreter });
    let compilations = Compilations::default();
    let (plain, engine) = options.engine.make(&interpreter, &compilations);
    let subject = if observed {
        observe(&interpreter, (plain, compilations), options)
    } else {
        let (program, engine) = (Arc::clone(&interpreter), options.engine);
        Subject::Program { program, engine, system: plain, compilations }
    };
    let system = subject.system();
    Ok(Loaded {
        subject,
        system,
        explicit: None,
        actions: None,
        program: Some(interpreter),
        trail: None,
        engine,
        claims: Vec::new(),
        formulas: Vec::new(),
        formula_texts: Vec::new(),
        unreadable: Vec::new(),
        input,
        machines,
        property: property.flatten(),
        together: Vec::new(),
        rules: options.rules.clone(),
        lotos: None,
        network: None,
        petri: None,
        estelle: None,
        warnings,
    })
}
