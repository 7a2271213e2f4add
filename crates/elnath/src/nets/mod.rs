//! Properties of a Petri net, many at once: the files of the Model Checking Contest, and its examinations that need none.
//!
//! | property | decided by |
//! |---|---|
//! | about the initial marking | looking at it |
//! | `EF p`, `AG p`, bounds, and what an examination asks of all markings | one walk for all of them (`survey`), which ends when all is known |
//! | `A` and a formula of LTL | a search for bad runs each ([`elnath_check::temporal`]) |
//! | other formulas of CTL | a boolean graph each, solved locally, over markings that are walked as far as one of them needs (`branching`) |
//! | liveness | the components of the graph that nothing leaves (`survey`) |
//!
//! Runs are maximal, as the contest has it: in a dead marking EX is false and AX true, EG p is p there. For LTL the last marking lasts for ever.
//! What holds in all markings by the structure of the net (`facts`) is put into formulas of CTL first. In a file with such formulas `EF p` and `AG p` are
//! decided with them, where the exact store has room. What the formulas of one file share is the walk, so a store that forgets or omits states is refused: "never reached" would be
//! no answer.

pub mod bounds;
mod branching;
mod facts;
mod linear;
mod survey;

use crate::driver::Limits;
use crate::frontend::{LoadOptions, Loaded, read_text};
use crate::problem::Problem;
use crate::report::{PropertyKind, PropertyReport, Report};
use elnath_check::branching::Evidence;
use elnath_check::{SearchChoice, StorePlan};
use elnath_kernel::{Counters, Coverage, Limit, Run, System as _, Verdict};
use elnath_petri::contest::{self, ContestNode, ContestProperty, ContestQuestion, ContestShape};
use elnath_petri::predicate::{MarkingTest, PlainMarking, TokenSum};
use elnath_petri::{PetriSystem, Predicate};
use elnath_source::{Message, codes, nearest};
use std::path::Path;
use std::sync::Arc;

/// What is reported of properties of nets.
pub type NetReport = Report<NetEvidence, NetFigures>;
/// What is reported of one.
pub type NetProperty = PropertyReport<NetEvidence, NetFigures>;

/// What shows that a property fails; or holds, if it says that something is possible.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetEvidence {
    /// A run, replayed, if a run can show it.
    pub run: Option<Run>,
    /// The step with which its cycle begins, from 0, if it goes on for ever.
    pub loop_start: Option<usize>,
    /// The part of the graph on which a formula of branching time has the same value, checked.
    pub part: Option<Arc<Evidence>>,
}

/// What is known of a property besides its verdict.
#[derive(Clone)]
pub struct NetFigures {
    /// The net that the runs are of.
    pub net: Arc<PetriSystem>,
    /// The number that was asked for.
    pub value: Option<i64>,
    /// What it is at least, if that is all that is known of it.
    pub at_least: Option<i64>,
    /// What shows that it holds.
    pub witness: Option<NetEvidence>,
    /// How it was decided.
    pub method: &'static str,
    /// What the search did that it was decided by.
    pub counters: Counters,
    /// How many markings it asked for their successors, where markings are shared with other formulas.
    pub expanded: Option<u64>,
}

/// A question without a file.
pub struct NetExamination {
    /// Its name in the contest.
    pub name: &'static str,
    /// What it asks.
    pub meaning: &'static str,
    kind: Examination,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Examination {
    Deadlock,
    OneSafe,
    QuasiLiveness,
    StableMarking,
    Liveness,
    StateSpace,
}

/// All of them.
pub const EXAMINATIONS: &[NetExamination] = &[
    NetExamination {
        name: "ReachabilityDeadlock",
        meaning: "a marking can be reached in which no transition is enabled",
        kind: Examination::Deadlock,
    },
    NetExamination {
        name: "OneSafe",
        meaning: "no place ever holds more than one token",
        kind: Examination::OneSafe,
    },
    NetExamination {
        name: "QuasiLiveness",
        meaning: "each transition can be fired in some marking that can be reached",
        kind: Examination::QuasiLiveness,
    },
    NetExamination {
        name: "StableMarking",
        meaning: "some place holds the same number of tokens in all markings that can be reached",
        kind: Examination::StableMarking,
    },
    NetExamination {
        name: "Liveness",
        meaning: "from every marking that can be reached, each transition can be fired again",
        kind: Examination::Liveness,
    },
    NetExamination {
        name: "StateSpace",
        meaning: "how many markings and steps there are, and how many tokens in a place and in a marking",
        kind: Examination::StateSpace,
    },
];

/// The categories of the contest that ask formulas.
const WITH_FORMULAS: [&str; 7] = [
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "CTLCardinality",
    "CTLFireability",
    "LTLCardinality",
    "LTLFireability",
    "UpperBounds",
];

/// Questions about a net, to be asked with [`NetProperties::run`].
pub struct NetProperties<'a> {
    net: Arc<PetriSystem>,
    asked: Vec<Asked>,
    choice: SearchChoice,
    limits: Limits<'a>,
}

enum Asked {
    /// Properties of a file, with its name.
    File(String, Vec<ContestProperty>),
    Examination(&'static NetExamination),
}

/// What is known of a property.
pub(crate) struct NetAnswer {
    pub(crate) verdict: Verdict<NetEvidence>,
    pub(crate) value: Option<i64>,
    pub(crate) at_least: Option<i64>,
    pub(crate) witness: Option<NetEvidence>,
    pub(crate) method: &'static str,
    pub(crate) counters: Counters,
    pub(crate) expanded: Option<u64>,
}

impl NetAnswer {
    /// An answer without a run.
    pub(crate) fn plain(verdict: Verdict<NetEvidence>, method: &'static str, counters: Counters) -> Self {
        Self { verdict, value: None, at_least: None, witness: None, method, counters, expanded: None }
    }

    /// Whether something holds, of which all was seen.
    pub(crate) fn decided(
        holds: bool,
        evidence: NetEvidence,
        method: &'static str,
        counters: Counters,
    ) -> Self {
        let shown = evidence.run.is_some() || evidence.part.is_some();
        match holds {
            true => {
                let plain = Self::plain(Verdict::Holds(Coverage::Exhaustive), method, counters);
                Self { witness: shown.then_some(evidence), ..plain }
            }
            false => Self::plain(Verdict::Fails(evidence), method, counters),
        }
    }
}

impl<'a> NetProperties<'a> {
    /// The questions in a file about a net that was loaded; or an examination, by its name.
    ///
    /// # Errors
    /// All that is wrong with the file; or that the model is no net, or has other labels.
    pub fn of(loaded: &Loaded, what: &Path) -> Result<Self, Vec<Message>> {
        let Some(net) = &loaded.petri else {
            let text = "--properties reads formulas about Petri nets (.pnml)";
            let help = "of other models, ask with --ltl or --ltlf, or forbid actions with --forbid";
            return Err(vec![Message::about_file(text).code(codes::UNKNOWN_PROPERTY).help(help)]);
        };
        let asked = vec![asked_by(net, what)?];
        let choice = SearchChoice::default();
        Ok(Self { net: Arc::clone(net), asked, choice, limits: Limits::default() })
    }

    /// The questions of one more file, or one more examination.
    ///
    /// # Errors
    /// All that is wrong with the file.
    pub fn and(mut self, what: &Path) -> Result<Self, Vec<Message>> {
        self.asked.push(asked_by(&self.net, what)?);
        Ok(self)
    }

    /// Chooses how to search.
    #[must_use]
    pub fn choice(mut self, choice: SearchChoice) -> Self {
        self.choice = choice;
        self
    }

    /// Bytes that the net and a search may take together.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// The most states entered by a search.
    #[must_use]
    pub fn states(mut self, states: u64) -> Self {
        self.limits.states = states;
        self
    }

    /// The longest run that is followed.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.limits.depth = depth;
        self
    }

    /// Calls `watch` now and then with the figures so far; a returned limit stops the search.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(&Counters) -> Option<Limit> + 'a) -> Self {
        self.limits = self.limits.watched(watch);
        self
    }

    /// Asks.
    ///
    /// # Errors
    /// If the choices do not go together, or if a run could not be replayed (a bug of elnath).
    pub fn run(mut self) -> Result<NetReport, Problem> {
        let memory = self.limits.memory.saturating_sub(self.net.bytes());
        let plan = self.choice.plan(memory, false).map_err(Problem::Store)?;
        if !matches!(plan.store, StorePlan::Exact | StorePlan::Tree) || self.choice.swarm || self.choice.spill
        {
            let text = "--properties needs all states: choose the exact or the tree store, without --swarm and --spill";
            return Err(Problem::Store(text.to_owned()));
        }
        self.limits.memory = memory;
        let net = Arc::clone(&self.net);
        let mut teller = Teller { net: &net, plan, choice: self.choice, limits: self.limits };
        let mut properties = Vec::new();
        for asked in self.asked {
            properties.extend(match asked {
                Asked::Examination(examination) => teller.examination(examination)?,
                Asked::File(file, own) => teller.file(&file, &own)?,
            });
        }
        Ok(Report { properties, compilations: 0, findings: Vec::new() })
    }
}

/// What a file asks, or an examination: by its name, or in a file beside the net.
fn asked_by(net: &PetriSystem, what: &Path) -> Result<Asked, Vec<Message>> {
    let name = what.display().to_string();
    if what.exists() {
        return Ok(Asked::File(name, read_properties(net, what)?));
    }
    if let Some(examination) = EXAMINATIONS.iter().find(|examination| examination.name == name) {
        return Ok(Asked::Examination(examination));
    }
    let beside = Path::new(&net.net().file).with_file_name(format!("{name}.xml"));
    let is_a_word = name.chars().all(char::is_alphanumeric);
    if is_a_word && beside.exists() {
        return Ok(Asked::File(beside.display().to_string(), read_properties(net, &beside)?));
    }
    if WITH_FORMULAS.contains(&name.as_str()) {
        let text = format!("{name} asks the formulas of a file, and {} is not there", beside.display());
        let help = "give the file: --properties FILE.xml";
        return Err(vec![Message::about_file(text).code(codes::UNREADABLE).help(help)]);
    }
    let without = EXAMINATIONS.iter().map(|examination| examination.name);
    let near = nearest(&name, without.clone().chain(WITH_FORMULAS.iter().copied()));
    let message = Message::about_file(format!("there is no file `{name}`")).code(codes::UNREADABLE);
    Err(vec![message.help(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("without a file there are {}", without.collect::<Vec<_>>().join(", ")),
    })])
}

/// Reads a file of properties.
fn read_properties(net: &PetriSystem, path: &Path) -> Result<Vec<ContestProperty>, Vec<Message>> {
    let (source, _) = read_text(path, &LoadOptions::default()).map_err(crate::LoadError::into_messages)?;
    let properties = contest::read(net.net(), &source)?;
    // A formula that nothing here decides is refused before anything is searched.
    let mixed = |property: &&ContestProperty| match &property.asks {
        ContestQuestion::Formula(nodes) => matches!(shape_of(property, nodes), ContestShape::Mixed),
        ContestQuestion::Bound(_) => false,
    };
    let refused: Vec<Message> = properties
        .iter()
        .filter(mixed)
        .map(|property| {
            let text = format!(
                "{}:{}: `{}` is a formula of CTL*: it mixes path quantifiers and temporal operators as neither LTL nor CTL does",
                path.display(),
                property.line,
                property.id
            );
            Message::about_file(text).code(codes::FORMULA_SYNTAX)
        })
        .collect();
    if refused.is_empty() { Ok(properties) } else { Err(refused) }
}

/// How a property is decided. Formulas of the contest say in their identifiers which logic they are of.
fn shape_of(property: &ContestProperty, nodes: &[ContestNode]) -> ContestShape {
    contest::shape(nodes, property.id.contains("LTL"))
}

/// What is asked of all markings that can be reached.
pub(crate) enum Sought {
    /// Whether one satisfies this.
    Possibly(Predicate),
    /// Whether all do.
    Invariantly(Predicate),
    /// The most.
    Most(TokenSum),
}

/// Answers questions one after the other within the same limits.
pub(crate) struct Teller<'n, 'a> {
    pub(crate) net: &'n Arc<PetriSystem>,
    pub(crate) plan: elnath_check::Plan,
    pub(crate) choice: SearchChoice,
    pub(crate) limits: Limits<'a>,
}

impl Teller<'_, '_> {
    fn file(&mut self, file: &str, properties: &[ContestProperty]) -> Result<Vec<NetProperty>, Problem> {
        let mut answers: Vec<Option<NetAnswer>> = properties.iter().map(|_| None).collect();
        let mut sought: Vec<(usize, Sought)> = Vec::new();
        let mut branching: Vec<(usize, &[ContestNode])> = Vec::new();
        let mut kinds = vec![PropertyKind::Reachability; properties.len()];
        // Markings that a formula of CTL needs are there for the others.
        let is_branching = |property: &ContestProperty| match &property.asks {
            ContestQuestion::Formula(nodes) => matches!(shape_of(property, nodes), ContestShape::Branching),
            ContestQuestion::Bound(_) => false,
        };
        let together = self.plan.store == StorePlan::Exact && properties.iter().any(is_branching);
        for (number, property) in properties.iter().enumerate() {
            let nodes = match &property.asks {
                ContestQuestion::Bound(sum) => {
                    kinds[number] = PropertyKind::Bound;
                    sought.push((number, Sought::Most(sum.clone())));
                    continue;
                }
                ContestQuestion::Formula(nodes) => nodes,
            };
            match shape_of(property, nodes) {
                ContestShape::Initial(predicate) => {
                    let net = self.net.net();
                    let holds = predicate.holds(&PlainMarking(net, &net.initial));
                    let (evidence, counters) = (NetEvidence::default(), Counters::default());
                    answers[number] = Some(NetAnswer::decided(holds, evidence, "initial marking", counters));
                }
                ContestShape::Possibly(_) | ContestShape::Invariantly(_) if together => {
                    branching.push((number, nodes));
                }
                ContestShape::Possibly(predicate) => sought.push((number, Sought::Possibly(predicate))),
                ContestShape::Invariantly(predicate) => sought.push((number, Sought::Invariantly(predicate))),
                ContestShape::Linear(root) => {
                    kinds[number] = PropertyKind::Ltl;
                    answers[number] = Some(self.linear(&property.id, nodes, root)?);
                }
                ContestShape::Branching => {
                    kinds[number] = PropertyKind::Branching;
                    branching.push((number, nodes));
                }
                ContestShape::Mixed => unreachable!("refused when the file was read"),
            }
        }
        for (number, answer) in self.branching(&branching)? {
            // A walk needs less memory than a graph.
            if let Verdict::Unknown(Limit::Memory | Limit::Formula) = answer.verdict
                && let ContestQuestion::Formula(nodes) = &properties[number].asks
            {
                match shape_of(&properties[number], nodes) {
                    ContestShape::Possibly(predicate) => sought.push((number, Sought::Possibly(predicate))),
                    ContestShape::Invariantly(predicate) => {
                        sought.push((number, Sought::Invariantly(predicate)));
                    }
                    _ => {}
                }
            }
            answers[number] = Some(answer);
        }
        for (number, answer) in self.survey(sought)? {
            answers[number] = Some(answer);
        }
        let all = properties.iter().zip(answers).zip(kinds);
        let report = |((property, answer), kind): ((&ContestProperty, Option<NetAnswer>), PropertyKind)| {
            let place = Some(format!("{file}:{}", property.line));
            let name = Some(property.id.clone());
            self.property((name, kind, String::new(), place), answer.expect("each was asked about"))
        };
        Ok(all.map(report).collect())
    }

    fn examination(&mut self, examination: &NetExamination) -> Result<Vec<NetProperty>, Problem> {
        let net = Arc::clone(self.net.net());
        let places = 0..net.places.len() as u32;
        let sum =
            |places: Vec<u32>| TokenSum { places: places.into_iter().map(|p| (p, 1)).collect(), constant: 0 };
        let one = |teller: &mut Self, sought: Sought| {
            let mut answers = teller.survey(vec![(0, sought)])?;
            Ok::<_, Problem>(answers.pop().expect("one was asked").1)
        };
        let named = |teller: &Self, answer: NetAnswer| {
            let (name, text) = (examination.name.to_owned(), examination.meaning.to_owned());
            vec![teller.property((Some(name), PropertyKind::Reachability, text, None), answer)]
        };
        match examination.kind {
            Examination::Deadlock => {
                let answer = one(self, Sought::Possibly(Predicate::test(MarkingTest::Dead)))?;
                Ok(named(self, answer))
            }
            Examination::OneSafe => {
                let answer = one(self, Sought::Invariantly(survey::at_most_one(places.collect())))?;
                Ok(named(self, answer))
            }
            Examination::QuasiLiveness => {
                let answer = self.quasi_liveness()?;
                Ok(named(self, answer))
            }
            Examination::StableMarking => {
                let answer = self.stable_marking()?;
                Ok(named(self, answer))
            }
            Examination::Liveness => {
                let answer = self.liveness();
                Ok(named(self, answer))
            }
            Examination::StateSpace => {
                let mut sought: Vec<(usize, Sought)> =
                    places.clone().map(|place| (0, Sought::Most(sum(vec![place])))).collect();
                sought.push((0, Sought::Most(sum(places.collect()))));
                let mut answers: Vec<NetAnswer> =
                    self.survey(sought)?.into_iter().map(|(_, answer)| answer).collect();
                let in_marking = answers.pop().expect("it was asked for");
                let figure = |answer: &NetAnswer| answer.value.or(answer.at_least).unwrap_or(0);
                let most = answers.iter().map(figure).max().unwrap_or(0);
                let counters = in_marking.counters;
                let figures = [
                    ("states", counters.states as i64),
                    ("transitions", counters.transitions as i64),
                    ("max_tokens_in_place", most),
                    ("max_tokens_in_marking", figure(&in_marking)),
                ];
                let complete = matches!(in_marking.verdict, Verdict::Holds(_));
                let property = |(name, value): (&str, i64)| {
                    let plain = NetAnswer::plain(in_marking.verdict.clone(), in_marking.method, counters);
                    let (value, at_least) = if complete { (Some(value), None) } else { (None, Some(value)) };
                    let answer = NetAnswer { value, at_least, ..plain };
                    self.property((Some(name.to_owned()), PropertyKind::Bound, String::new(), None), answer)
                };
                Ok(figures.into_iter().map(property).collect())
            }
        }
    }

    fn property(
        &self,
        (name, kind, text, place): (Option<String>, PropertyKind, String, Option<String>),
        answer: NetAnswer,
    ) -> NetProperty {
        let NetAnswer { verdict, value, at_least, witness, method, counters, expanded } = answer;
        let net = Arc::clone(self.net);
        let figures = NetFigures { net, value, at_least, witness, method, counters, expanded };
        PropertyReport { name, kind, text, place, verdict, summary: None, figures }
    }
}
