//! What every report has: properties, each with a verdict. The same for all commands, as text and as JSON.

use crate::report::render;
use crate::report::terminal::{Paint, Terminal};
use elnath::{PropertyKind, PropertyReport, Report, Verdict};
use serde_json::{Value, json};

/// What is concluded about a property: the line with the verdict.
pub(crate) struct Conclusion {
    /// The verdict in the words of the command.
    pub(crate) word: &'static str,
    pub(crate) paint: Paint,
    /// What was asked, what was found, and how sure that is.
    pub(crate) text: String,
}

impl Conclusion {
    pub(crate) fn new(word: &'static str, paint: Paint, text: String) -> Self {
        Self { word, paint, text }
    }

    /// As a line without colours.
    pub(crate) fn plain(&self) -> String {
        format!("{}: {}", self.word, self.text)
    }

    /// As a line.
    pub(crate) fn line(&self, terminal: &Terminal) -> String {
        format!("{}: {}", terminal.paint(self.paint, self.word), self.text)
    }
}

/// A property for machines.
pub(crate) fn entry<E, F>(property: &PropertyReport<E, F>, conclusion: &Conclusion) -> Value {
    json!({
        "name": property.name,
        "kind": property.kind.name(),
        "text": property.text,
        "place": property.place,
        "verdict": property.verdict.name(),
        "reason": property.limit().map(elnath::Limit::name),
        "violation": property.summary.as_ref().map(|summary| json!({
            "kind": summary.kind,
            "text": summary.text,
            "length": summary.length,
            "loop_start": summary.loop_start,
        })),
        "conclusion": conclusion.plain(),
    })
}

/// A property of a model that was too large to be asked about it.
pub(crate) fn not_asked(kind: PropertyKind, conclusion: &Conclusion) -> Value {
    json!({
        "name": null,
        "kind": kind.name(),
        "text": null,
        "place": null,
        "verdict": "unknown",
        "reason": "memory",
        "violation": null,
        "conclusion": conclusion.plain(),
    })
}

/// How many of several properties hold, fail, and are not known; nothing if there is one only.
pub(crate) fn in_all<E, F>(report: &Report<E, F>) -> Option<Conclusion> {
    let count = |name: &str| report.properties.iter().filter(|p| p.verdict.name() == name).count() as u64;
    if report.properties.len() < 2 {
        return None;
    }
    let (word, paint) = match report.verdict() {
        Verdict::Holds(_) => ("holds", Paint::Good),
        Verdict::Fails(_) => ("fails", Paint::Bad),
        Verdict::Unknown(_) => ("unknown", Paint::Doubt),
    };
    let [holds, fails, unknown] = ["holds", "fails", "unknown"].map(|name| render::grouped(count(name)));
    let all = render::grouped(report.properties.len() as u64);
    Some(Conclusion::new(
        word,
        paint,
        format!("{all} properties: {holds} hold, {fails} fail, {unknown} unknown"),
    ))
}
