//! The story of evidence in sentences: "after `open`, whatever happens next, `close` is never possible".
//!
//! The words of a state or an action are those of the formula: a proposition as it was written, an action formula as [`MuFormulas::show_action`] writes
//! it. Steps are named as the model names them.

use super::{BranchingFigures, Evidence, EvidenceStep};
use crate::words::plural;
use elnath_check::branching::{Chapter, Fact, Then, Whatever};
use elnath_kernel::{Run, System};
use elnath_logic::branching::lower::Tested;
use elnath_logic::branching::{MuFormulas, Positions};

/// A part of the story, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoryLine {
    /// A run from the initial state, perhaps with the step at which the cycle begins that it ends with.
    Run(Run, Option<usize>),
    /// A sentence without a full stop, indented so many times.
    Sentence(usize, String),
}

/// Steps with longer names are counted.
const LONGEST_NAMES: usize = 60;

impl BranchingFigures<'_> {
    /// The story of the evidence; nothing if there is no evidence, or if the initial state says it all.
    pub fn story(&self) -> Vec<StoryLine> {
        let Some(evidence) = &self.evidence else { return Vec::new() };
        let speaker = self.speaker(evidence);
        let mut told = Vec::new();
        let mut chapters = &evidence.story[..];
        if let Some((Chapter::Run { steps, again }, rest)) = chapters.split_first() {
            let states = steps.iter().map(|step| step.from).chain(steps.last().map(|step| step.to));
            let states = states.map(|state| evidence.states[state as usize].clone()).collect();
            let steps = steps.iter().map(|step| step.transition).collect();
            told.push(StoryLine::Run(Run { states, steps, fault: None }, *again));
            chapters = rest;
        }
        speaker.chapters(chapters, 0, &mut told);
        told
    }

    /// The story on one line.
    pub fn story_in_short(&self) -> Option<String> {
        let evidence = self.evidence.as_ref()?;
        self.speaker(evidence).in_short(&evidence.story)
    }

    fn speaker<'f>(&'f self, evidence: &'f Evidence) -> Speaker<'f> {
        Speaker {
            system: &*self.system,
            evidence,
            formulas: self.properties.formulas(),
            positions: &self.properties.list()[self.number].positions,
        }
    }
}

struct Speaker<'f> {
    system: &'f dyn System,
    evidence: &'f Evidence,
    formulas: &'f MuFormulas,
    positions: &'f Positions,
}

impl Speaker<'_> {
    fn chapters(&self, chapters: &[Chapter], indent: usize, told: &mut Vec<StoryLine>) {
        for chapter in chapters {
            let sentence = match chapter {
                Chapter::Run { steps, again } => self.run(steps, *again),
                Chapter::Seen(fact) => format!("there, {}", self.fact(*fact, false)),
                Chapter::Whatever(whatever) => {
                    self.whatever(whatever, indent, told);
                    continue;
                }
                Chapter::Parts(parts, more) => {
                    let all = count(parts.len() + more, "part");
                    told.push(StoryLine::Sentence(indent, format!("each of {all} matters:")));
                    for part in parts {
                        self.chapters(part, indent + 1, told);
                    }
                    if *more == 0 {
                        continue;
                    }
                    format!("  and {}", count(*more, "other part"))
                }
            };
            told.push(StoryLine::Sentence(indent, sentence));
        }
    }

    fn whatever(&self, whatever: &Whatever, indent: usize, told: &mut Vec<StoryLine>) {
        let Whatever { states, within, facts, ends, then, .. } = whatever;
        let mut first = format!("whatever happens next ({})", count(*states, "state"));
        if whatever.answers {
            first.push_str(", with the right answers");
        }
        if let Some(most) = within {
            first += &format!(", it is over after at most {}", count(*most, "step"));
        }
        let (always, sometimes): (Vec<(usize, Fact)>, Vec<_>) = facts
            .iter()
            .filter(|(_, fact)| within.is_none() || !is_progress(*fact))
            .partition(|(seen, _)| seen == states);
        if !always.is_empty() {
            let always: Vec<String> = always.iter().map(|(_, fact)| self.fact(*fact, true)).collect();
            first += &format!(", {}", always.join(" and "));
        }
        let more = !sometimes.is_empty() || !ends.is_empty() || !then.is_empty();
        if !more && always.is_empty() {
            first += &format!(", {}", self.outcome(whatever.position));
        }
        if more {
            first.push(':');
        }
        told.push(StoryLine::Sentence(indent, first));
        let mut say = |text: String| told.push(StoryLine::Sentence(indent + 1, text));
        for (seen, fact) in sometimes {
            say(format!("in {}, {}", count(seen, "state"), self.fact(fact, false)));
        }
        for (seen, fact) in ends {
            say(format!("it ends in {} in which {}", count(*seen, "state"), self.fact(*fact, false)));
        }
        for then in then {
            if let Some(sentence) = self.then(whatever, then) {
                told.push(StoryLine::Sentence(indent + 1, sentence));
            } else {
                let sentence = format!("from {}, for example:", which(whatever, then));
                told.push(StoryLine::Sentence(indent + 1, sentence));
                self.chapters(&then.longest, indent + 2, told);
            }
        }
    }

    fn in_short(&self, chapters: &[Chapter]) -> Option<String> {
        let (first, rest) = chapters.split_first()?;
        match first {
            Chapter::Run { steps, again } => Some(match self.in_short(rest) {
                Some(rest) => format!("{}, {rest}", self.run(steps, *again)),
                None => self.run(steps, *again),
            }),
            Chapter::Seen(fact) => Some(self.fact(*fact, false)),
            Chapter::Whatever(whatever) => Some(self.whatever_in_short(whatever)),
            Chapter::Parts(..) => None,
        }
    }

    fn whatever_in_short(&self, whatever: &Whatever) -> String {
        let mut parts = Vec::new();
        match whatever.within {
            Some(most) => {
                let ends = whatever.ends.iter().map(|(_, fact)| self.fact(*fact, false));
                let mut ends = ends.collect::<Vec<_>>().join(" or ");
                if ends.is_empty() {
                    ends = self.outcome(whatever.position);
                }
                parts.push(format!("after at most {} {ends}", count(most, "step")));
            }
            None => {
                let always = whatever.facts.iter().filter(|(states, _)| *states == whatever.states);
                parts.extend(always.map(|(_, fact)| self.fact(*fact, true)));
            }
        }
        parts.extend(whatever.then.first().and_then(|then| self.then(whatever, then)));
        if parts.is_empty() {
            parts.push(self.outcome(whatever.position));
        }
        let answers = if whatever.answers { " and with the right answers" } else { "" };
        format!("whatever happens next{answers}, {}", parts.join(" and "))
    }

    /// That the formula of a position has the value that is proved.
    fn outcome(&self, position: u32) -> String {
        match self.positions.positions[position as usize].origin {
            Some((formula, positive)) => {
                let verb = if positive == self.evidence.value { "holds" } else { "does not hold" };
                format!("`{}` {verb}", self.formulas.show(formula))
            }
            None => "it stays so".to_owned(),
        }
    }

    /// What follows, if that is a sentence.
    fn then(&self, whatever: &Whatever, then: &Then) -> Option<String> {
        let of = which(whatever, then);
        match &then.longest[..] {
            [Chapter::Run { again: None, .. }, Chapter::Seen(fact)] => {
                let steps = count(then.steps, "step");
                Some(format!("from {of} a run of at most {steps} leads to where {}", self.fact(*fact, false)))
            }
            [Chapter::Run { again: Some(_), .. }] => Some(format!("from {of} a run goes on for ever")),
            _ => None,
        }
    }

    /// "after a, b" or "after 12 steps, the last of which is b".
    fn run(&self, steps: &[EvidenceStep], again: Option<usize>) -> String {
        let name = |step: &EvidenceStep| {
            self.system.show_transition(&self.evidence.states[step.from as usize], step.transition)
        };
        let named = |steps: &[EvidenceStep]| {
            let names = steps.iter().map(name).collect::<Vec<_>>().join(", ");
            (names.chars().count() <= LONGEST_NAMES).then_some(names)
        };
        let (before, cycle) = steps.split_at(again.unwrap_or(steps.len()));
        let after = before.last().map(|last| match named(before) {
            Some(names) => format!("after {names}"),
            None if before.len() == 1 => format!("after {}", name(last)),
            None => format!("after {}, the last of which is {}", count(before.len(), "step"), name(last)),
        });
        let cycle = again.map(|_| match named(cycle) {
            Some(names) => format!("{names} again and again"),
            None => format!("{} again and again", count(cycle.len(), "step")),
        });
        after.into_iter().chain(cycle).collect::<Vec<_>>().join(", ")
    }

    /// A fact about one state, or about all of them.
    fn fact(&self, fact: Fact, always: bool) -> String {
        match fact {
            Fact::Test(test) => match (test.of, test.holds) {
                (Tested::Deadlock, true) => "no step is possible".to_owned(),
                (Tested::Deadlock, false) => "some step is possible".to_owned(),
                (Tested::Proposition(number), holds) => {
                    let verb = match (holds, always) {
                        (true, true) => "always holds",
                        (true, false) => "holds",
                        (false, true) => "never holds",
                        (false, false) => "does not hold",
                    };
                    format!("`{}` {verb}", self.formulas.propositions()[number as usize].0)
                }
            },
            Fact::Value(position) => self.outcome(position),
            Fact::Possible(action) => format!("`{}` is possible", self.formulas.show_action(action)),
            Fact::Impossible(action) => {
                let never = if always { "never" } else { "not" };
                match self.formulas.show_action(action).as_str() {
                    "true" => "no step is possible".to_owned(),
                    action => format!("`{action}` is {never} possible"),
                }
            }
        }
    }
}

/// Whether it only says that a run goes on.
fn is_progress(fact: Fact) -> bool {
    matches!(fact, Fact::Test(test) if test.of == Tested::Deadlock && !test.holds)
}

/// Which of the states that may be met lead on.
fn which(whatever: &Whatever, then: &Then) -> String {
    if then.states == whatever.states { "each state".to_owned() } else { count(then.states, "state") }
}

fn count(number: usize, noun: &str) -> String {
    plural(number as u64, noun)
}
