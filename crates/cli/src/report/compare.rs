//! Answers of `elnath compare`, as text and as JSON: two forms of one value.

use crate::report::properties::{self, Conclusion};
use crate::report::terminal::{Paint, Terminal};
use crate::report::{components, json, render};
use elnath::compare::{
    Counterexample, Difference, Exchange, Explored, GameDiagnosis, LabelKind, PairStore, SideNames, Why,
};
use elnath::{
    CompareReport, ComparisonFigures, Coverage, Direction, Limit, PropertyKind, PropertyReport, Relation,
    Verdict,
};
use serde_json::{Value, json};

const COMMAND: &str = "compare";
/// Lines of a story that are shown on the terminal.
const STORY: usize = 40;

/// An answer, with what is to be told beside it.
pub(crate) struct Compared<'r, 'a> {
    pub(crate) files: [&'r str; 2],
    /// What computes the transitions of each model.
    pub(crate) engines: [&'r str; 2],
    pub(crate) report: &'r CompareReport<'a>,
    /// Whether a formula is wanted.
    pub(crate) formula: bool,
    /// Whether somebody chose who decides.
    pub(crate) engine_chosen: bool,
    /// The files that the difference was written to.
    pub(crate) written: Vec<String>,
    pub(crate) loading: f64,
    pub(crate) seconds: f64,
}

type Property<'a> = PropertyReport<Difference, ComparisonFigures<'a>>;

impl<'a> Compared<'_, 'a> {
    /// For people.
    pub(crate) fn text(&self, terminal: &Terminal) {
        for property in &self.report.properties {
            terminal.say(&self.conclusion(property).line(terminal));
        }
        if let Some(all) = properties::in_all(self.report) {
            terminal.say(&all.line(terminal));
        }
        for property in &self.report.properties {
            let figures = &property.figures;
            if let Some(difference) = property.verdict.evidence() {
                self.tell_difference(terminal, difference, figures.names());
            }
            for (side, faulty) in figures.faults.into_iter().enumerate() {
                if faulty {
                    let name = figures.names()[side];
                    terminal.note(&format!(
                        "{name}: some transitions break a rule of the model (see elnath check)"
                    ));
                }
            }
            self.tell_figures(terminal, figures);
        }
    }

    fn tell_difference(&self, terminal: &Terminal, difference: &Difference, names: SideNames<'_>) {
        let told = || {
            for line in difference.story(names, STORY) {
                terminal.detail(&format!("  {line}"));
            }
        };
        match difference {
            Difference::Game(diagnosis) => {
                if diagnosis.exchanged {
                    terminal
                        .detail(&format!("{} is below {}, but not the other way round:", names[0], names[1]));
                }
                told();
                if let Some(option) = diagnosis.shallower_with() {
                    let note = format!("  ({option} finds a shallowest difference)");
                    terminal.detail(&terminal.paint(Paint::Dim, &note));
                }
                self.tell_formula(terminal, diagnosis, names);
                self.tell_files(terminal);
            }
            Difference::Untold(limit) => {
                terminal.note(&format!(
                    "no diagnosis: explaining the difference reached the limit of {}; a higher limit or --shortest may help",
                    limit.name()
                ));
                self.tell_files(terminal);
            }
            Difference::Observation(_) => {
                self.tell_files(terminal);
                told();
                if self.formula {
                    terminal
                        .note("--formula: relations between runs are explained by runs; there is no formula");
                }
            }
        }
    }

    fn tell_formula(&self, terminal: &Terminal, diagnosis: &GameDiagnosis, names: SideNames<'_>) {
        if diagnosis.looks_through() {
            let note = "  (internal steps before or after an action are looked through)";
            terminal.detail(&terminal.paint(Paint::Dim, note));
        }
        if self.formula {
            terminal.detail(&format!("a formula that is true of {} and false of {}:", names[0], names[1]));
            for (name, text) in diagnosis.formula() {
                terminal.detail(&format!("  {name} = {text}"));
            }
            terminal.detail(&terminal.paint(Paint::Dim, &format!("  {}", diagnosis.modality_in_words())));
        }
    }

    fn tell_files(&self, terminal: &Terminal) {
        for file in &self.written {
            terminal.detail(&format!("{file} written"));
        }
    }

    fn tell_figures(&self, terminal: &Terminal, figures: &ComparisonFigures<'_>) {
        let (decided, names) = (&figures.decided, figures.names());
        for (told, name) in figures.components.iter().zip(names) {
            if let Some(told) = told {
                components::text(told, name, terminal);
            }
        }
        let passes = match decided.passes {
            None => String::new(),
            Some(1) => ", one pass".to_owned(),
            Some(n) => format!(", {} passes", render::grouped(n)),
        };
        terminal.detail(&format!(
            "{} analysed; {} of {} and {} of {} seen",
            render::plural(figures.pairs, "pair"),
            render::plural(figures.states[0], "state"),
            names[0],
            render::grouped(figures.states[1]),
            names[1],
        ));
        if let Some(explored) = &figures.explored {
            terminal.more(&format!(
                "{} explored, {} left out since a harder one was known, {} dropped when one was found; {} in the antichain; {} of states, the largest of {}",
                render::plural(explored.pairs, "pair"),
                render::grouped(explored.covered),
                render::grouped(explored.dropped),
                render::grouped(explored.antichain),
                render::plural(explored.sets, "set"),
                render::grouped(explored.largest_set),
            ));
        }
        terminal.detail(&format!(
            "{} engine ({}){passes}; {}; {:.3} s, and {:.3} s to load",
            decided.engine,
            decided.why,
            render::bytes(figures.peak_bytes as u64),
            self.seconds,
            self.loading,
        ));
    }

    /// What is concluded about two models.
    fn conclusion(&self, property: &Property<'a>) -> Conclusion {
        let figures = &property.figures;
        let ([left, right], relation) = (figures.names(), figures.relation.name());
        let (positive, negative) = figures.asked();
        match &property.verdict {
            Verdict::Holds(Coverage::Exhaustive) => {
                let text = format!("{left} {positive} {right} ({relation})");
                Conclusion::new("related", Paint::Good, text)
            }
            Verdict::Holds(Coverage::Lossy { .. }) => {
                let doubt = "a few bits per pair are no proof";
                let text = format!("{left} may be related to {right} ({relation}); {doubt}");
                Conclusion::new("no difference found", Paint::Doubt, text)
            }
            Verdict::Fails(_) => {
                let why = property.violation_text().unwrap_or_default();
                let text = format!("{left} {negative} {right} ({relation}): {why}");
                Conclusion::new("not related", Paint::Bad, text)
            }
            Verdict::Unknown(limit) => {
                Conclusion::new("unknown", Paint::Doubt, self.unknown(*limit, figures.store))
            }
        }
    }

    fn unknown(&self, limit: Limit, store: PairStore) -> String {
        match limit {
            Limit::Memory => {
                let more = if store == PairStore::Exact && self.engine_chosen {
                    "; --engine restart --store replacing needs less"
                } else {
                    ""
                };
                format!("the comparison ran out of memory (--memory){more}")
            }
            Limit::Time => "the comparison ran out of time (--time)".to_owned(),
            Limit::Interrupted => "interrupted".to_owned(),
            Limit::Witness => {
                "what tells them apart was found, but something ran out before it could be shown".to_owned()
            }
            Limit::Sequence => "a single step of a model has too many outcomes to compute".to_owned(),
            other => format!("the comparison reached the limit of {}", other.name()),
        }
    }

    /// For machines: what is told of one property is told of the worst.
    pub(crate) fn json(&self) -> Value {
        let worst = self.report.worst();
        let figures = &worst.figures;
        let [left, right] = [0, 1].map(|side| {
            json!({
                "model": self.files[side],
                "engine": self.engines[side],
                "states": figures.states[side],
                "faults": figures.faults[side],
                "components": components::json(figures.components[side].as_ref()),
            })
        });
        json::object(
            COMMAND,
            json!({
                "verdict": worst.verdict.name(),
                "reason": worst.limit().map(Limit::name),
                "properties": self.report.properties.iter()
                    .map(|property| properties::entry(property, &self.conclusion(property)))
                    .collect::<Vec<_>>(),
                "relation": figures.relation.name(),
                "direction": match figures.direction {
                    Direction::Preorder => "preorder",
                    Direction::Equivalence => "equivalence",
                },
                "left": left,
                "right": right,
                "states": figures.states[0] + figures.states[1],
                "pairs": figures.pairs,
                "engine": figures.decided.engine,
                "why": figures.decided.why,
                "passes": figures.decided.passes,
                "forgotten": figures.decided.forgotten,
                "explored": explored(figures.explored),
                "store": figures.store.name(),
                "coverage": coverage(&worst.verdict),
                "compare_bytes": figures.peak_bytes,
                "load_seconds": self.loading,
                "seconds": self.seconds,
                "reductions": [],
                "diagnosis": match worst.verdict.evidence() {
                    Some(Difference::Game(diagnosis)) => self.diagnosis(worst, diagnosis),
                    Some(Difference::Observation(example)) => observation(worst, example),
                    Some(Difference::Untold(_)) | None => Value::Null,
                },
                "diagnosis_shortest": match worst.verdict.evidence() {
                    Some(Difference::Game(diagnosis)) => json!(diagnosis.shallowest),
                    Some(Difference::Observation(example)) => json!(example.shortest),
                    Some(Difference::Untold(_)) | None => Value::Null,
                },
                "diagnosis_limit": match worst.verdict.evidence() {
                    Some(Difference::Untold(limit)) => json!(limit.name()),
                    _ => Value::Null,
                },
            }),
        )
    }

    fn diagnosis(&self, property: &Property<'a>, diagnosis: &GameDiagnosis) -> Value {
        const MOST: usize = 10_000;
        let side = |side: usize| if side == 0 { "left" } else { "right" };
        let exchange = |exchange: &Exchange| {
            let states = property.figures.show_states(diagnosis, exchange);
            json!({
                "left": states[0],
                "right": states[1],
                "mover": side(exchange.mover),
                "label": diagnosis.label(exchange.label),
                "kind": match diagnosis.kind(exchange.label) {
                    LabelKind::Internal => "internal",
                    LabelKind::Divergence => "divergence",
                    LabelKind::Visible => "visible",
                },
                "unheard_of": exchange.unheard_of,
                "answers": exchange.answers.iter().map(|answer| json!({
                    "then": answer.then,
                    "about": if answer.disputes_before { "before" } else { "after" },
                })).collect::<Vec<_>>(),
            })
        };
        let (steps, last) = diagnosis.main_line();
        let line = steps.iter().map(|step| step.label).chain([last.label]);
        json!({
            "text": property.violation_text(),
            "sequence": diagnosis.is_sequence(),
            "exchanged": diagnosis.exchanged,
            "depth": diagnosis.ranks()[0],
            "labels": line.map(|label| diagnosis.label(label)).collect::<Vec<_>>(),
            "exchanges_in_all": diagnosis.exchanges.len(),
            "exchanges": diagnosis.exchanges.iter().take(MOST).map(exchange).collect::<Vec<_>>(),
            "formula": if self.formula {
                let parts = diagnosis.formula();
                json!(parts.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect::<Vec<_>>())
            } else {
                Value::Null
            },
        })
    }
}

/// What was explored where observations are compared.
fn explored(explored: Option<Explored>) -> Value {
    let Some(explored) = explored else { return Value::Null };
    json!({
        "pairs": explored.pairs,
        "covered": explored.covered,
        "dropped": explored.dropped,
        "antichain": explored.antichain,
        "sets": explored.sets,
        "largest_set": explored.largest_set,
    })
}

fn coverage(verdict: &Verdict<Difference>) -> Value {
    match verdict {
        Verdict::Holds(Coverage::Exhaustive) => json!({ "kind": "exhaustive" }),
        Verdict::Holds(Coverage::Lossy { expected_omissions, omission_probability }) => json!({
            "kind": "lossy",
            "expected_omissions": expected_omissions,
            "omission_probability": omission_probability,
        }),
        Verdict::Fails(_) | Verdict::Unknown(_) => json!({ "kind": "partial" }),
    }
}

/// A run that one model can do and the other does not allow.
fn observation(property: &Property<'_>, example: &Counterexample) -> Value {
    let (kind, offered, allowed) = match &example.why {
        Why::Label => ("label", None, None),
        Why::Refusal { offered, allowed } => ("refusal", Some(offered), Some(allowed)),
        Why::Divergence { .. } => ("divergence", None, None),
    };
    json!({
        "text": property.violation_text(),
        "sequence": true,
        "exchanged": example.mover == 1,
        "depth": example.trace.len(),
        "labels": example.trace,
        "mover": if example.mover == 0 { "left" } else { "right" },
        "steps": example.labels,
        "kind": kind,
        "offered": offered,
        "allowed": allowed,
    })
}

/// The answer when not even a model fits into the memory.
pub(crate) struct TooLarge<'r> {
    pub(crate) file: &'r str,
    pub(crate) relation: Relation,
    /// Bytes granted.
    pub(crate) memory: u64,
}

impl TooLarge<'_> {
    fn conclusion(&self) -> Conclusion {
        let granted = render::bytes(self.memory);
        let text = format!("{} alone needs more than the {granted} granted (--memory)", self.file);
        Conclusion::new("unknown", Paint::Doubt, text)
    }

    pub(crate) fn text(&self, terminal: &Terminal) {
        terminal.say(&self.conclusion().line(terminal));
    }

    pub(crate) fn json(&self) -> Value {
        let conclusion = self.conclusion();
        json::object(
            COMMAND,
            json!({
                "verdict": "unknown",
                "reason": "memory",
                "properties": [properties::not_asked(PropertyKind::Relation, &conclusion)],
                "relation": self.relation.name(),
                "pairs": 0,
                "diagnosis": null,
                "text": conclusion.text,
            }),
        )
    }
}
