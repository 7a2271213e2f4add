//! Answers of `elnath bounded`, as text and as JSON: two forms of one value.

use crate::report::properties::{self, Conclusion};
use crate::report::story::Beside;
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render, story};
use elnath::bounded::{
    BoundedProperty, BoundedReport, BoundednessFigures, ChannelAnswer, Class, Flood, PairCondition,
    PairSearchReport, Reason,
};
use elnath::{Describe as _, Limit, Story, Verdict};
use serde_json::{Value, json};

/// Longer runs to where channels hold most are not told step by step.
const LONGEST: usize = 1000;
/// Rounds that are drawn, and whose contents are shown.
pub(crate) const ROUNDS: usize = 3;

/// An answer, with what is to be told beside it.
pub(crate) struct BoundedAnswer<'r> {
    pub(crate) file: &'r str,
    pub(crate) report: &'r BoundedReport,
    /// How many rounds of what is repeated are shown.
    pub(crate) rounds: usize,
    /// Whether the certificates of static bounds are shown.
    pub(crate) certificates: bool,
    pub(crate) seconds: f64,
}

impl BoundedAnswer<'_> {
    /// For people.
    pub(crate) fn text(&self, terminal: &Terminal) {
        for property in &self.report.properties {
            terminal.say(&conclusion(property).line(terminal));
        }
        if let Some(all) = properties::in_all(self.report) {
            terminal.say(&all.line(terminal));
        }
        for property in &self.report.properties {
            let figures = &property.figures;
            match &property.verdict {
                Verdict::Fails(flood) => self.tell_flood(terminal, property, flood),
                Verdict::Holds(_) => self.tell_capacities(terminal, figures),
                Verdict::Unknown(_) => self.tell_channels(terminal, figures),
            }
            figures.searches.iter().for_each(|search| tell_search(terminal, search));
            self.tell_figures(terminal, figures);
        }
    }

    fn tell_figures(&self, terminal: &Terminal, figures: &BoundednessFigures) {
        let class = figures.class.map_or_else(String::new, |class| format!(", class: {}", class.name()));
        terminal.detail(&format!("{:.2} s, seed {}{class}", self.seconds, figures.seed));
        if !figures.lifted.is_empty() {
            let lifted: Vec<String> = figures
                .lifted
                .iter()
                .map(|lifted| format!("{} ({})", lifted.name, lifted.capacity))
                .collect();
            terminal.detail(&format!(
                "lifted capacities: {}; a full channel no longer blocks, `full` is never true",
                lifted.join(", ")
            ));
        }
        let faults = figures.searches.iter().map(|search| search.figures.faults).max().unwrap_or(0);
        if faults > 0 {
            terminal.detail(&format!(
                "{} in a fault of the model, behind which nothing was looked at; elnath check shows it",
                if faults == 1 {
                    "1 transition ends".to_owned()
                } else {
                    format!("{} transitions end", render::grouped(faults))
                },
            ));
        }
    }

    fn tell_flood(&self, terminal: &Terminal, property: &BoundedProperty, flood: &Flood) {
        if let Some((run, begins)) = property.flood_run(self.rounds) {
            let beside = Beside { loop_start: Some(begins), truths: None };
            story::tell(terminal, &Story::new(&*property.figures.system, &run), beside);
        }
        let width = flood.growing.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, contents) in &flood.growing {
            for (round, content) in contents.iter().enumerate().take(ROUNDS + 1) {
                let when = match round {
                    0 => "before".to_owned(),
                    1 => "after 1 round".to_owned(),
                    n => format!("after {n} rounds"),
                };
                let name = if round == 0 { name.as_str() } else { "" };
                let content = if content.is_empty() { "nothing" } else { content.as_str() };
                terminal.detail(&format!("        {name:width$}  {when:<14}  {content}"));
            }
        }
        let others = property.figures.channels.iter().filter(|channel| !channel.grows);
        others.for_each(|channel| self.bound_line(terminal, channel));
    }

    fn tell_capacities(&self, terminal: &Terminal, figures: &BoundednessFigures) {
        let explored = figures.reason == Some(Reason::Explored);
        let width = figures.channels.iter().map(|channel| channel.name.chars().count()).max().unwrap_or(0);
        for channel in &figures.channels {
            let declared = figures.lifted.iter().find(|lifted| lifted.name == base(&channel.name));
            let declared =
                declared.map_or_else(String::new, |lifted| format!(", declared {}", lifted.capacity));
            let least = match &channel.bound {
                _ if explored => channel.longest.to_string(),
                Some(bound) if bound.most == channel.longest as u64 => channel.longest.to_string(),
                Some(bound) => format!("{} to {}", channel.longest, bound.most),
                None => format!("at least {}", channel.longest),
            };
            let run = match channel.run.len() {
                0 => "held at first".to_owned(),
                n => format!("first held after {}", render::plural(n as u64, "step")),
            };
            terminal.detail(&format!("        {:width$}  needs {least}{declared}; {run}", channel.name));
            if self.certificates {
                self.bound_line(terminal, channel);
            }
        }
    }

    fn tell_channels(&self, terminal: &Terminal, figures: &BoundednessFigures) {
        for channel in &figures.channels {
            let watched = channel.watched.map_or_else(String::new, |by| {
                format!("; it is watched by {by}, so that no repetition of what makes it grow can be trusted")
            });
            terminal.detail(&format!("        {} held up to {}{watched}", channel.name, channel.longest));
            self.bound_line(terminal, channel);
        }
    }

    /// What is statically known of a channel, with its certificate if that is wanted.
    fn bound_line(&self, terminal: &Terminal, channel: &ChannelAnswer) {
        let Some(bound) = &channel.bound else { return };
        terminal.detail(&format!(
            "        {} never holds more than {}, by {}",
            channel.name, bound.most, bound.by
        ));
        if self.certificates && !bound.weights.is_empty() {
            let weights: Vec<String> =
                bound.weights.iter().map(|(about, weight)| format!("{weight} {about}")).collect();
            terminal.detail(&format!("          weights: {}", weights.join(", ")));
        }
    }

    /// For machines: what is told of one property is told of the worst.
    pub(crate) fn json(&self) -> Value {
        let worst = self.report.worst();
        let figures = &worst.figures;
        let (verdict, reason) = match &worst.verdict {
            Verdict::Holds(_) => ("bounded", figures.reason.map(Reason::name)),
            Verdict::Fails(_) => ("unbounded", None),
            Verdict::Unknown(limit) => ("unknown", Some(limit.name())),
        };
        let last = figures.searches.last().map(|search| &search.figures);
        json::object(
            "bounded",
            json!({
                "model": self.file,
                "verdict": verdict,
                "reason": reason,
                "properties": self.report.properties.iter()
                    .map(|property| properties::entry(property, &conclusion(property))).collect::<Vec<_>>(),
                "class": figures.class.map(Class::name),
                "relation": match figures.condition {
                    PairCondition::Th93 => "th93",
                    PairCondition::Theta => "theta",
                },
                "channels": figures.channels.iter()
                    .map(|channel| channel_object(figures, channel)).collect::<Vec<_>>(),
                "flood": flood_object(worst),
                "lifted": figures.lifted.iter()
                    .map(|lifted| json!({ "name": lifted.name, "capacity": lifted.capacity })).collect::<Vec<_>>(),
                "searches": figures.searches.iter().map(search_object).collect::<Vec<_>>(),
                "states": last.map(|figures| figures.states),
                "transitions": last.map(|figures| figures.fired),
                "depth": last.map(|figures| figures.depth),
                "seconds": self.seconds,
                "engine": "interpreter",
                "seed": figures.seed,
            }),
        )
    }
}

/// What is concluded about the channels.
fn conclusion(property: &BoundedProperty) -> Conclusion {
    let figures = &property.figures;
    match &property.verdict {
        Verdict::Fails(_) => {
            let text = property.violation_text().unwrap_or_default().to_owned();
            Conclusion::new("unbounded", Paint::Bad, text)
        }
        Verdict::Holds(_) => Conclusion::new("bounded", Paint::Good, why_bounded(figures)),
        Verdict::Unknown(limit) => {
            let class = match figures.class {
                Some(class) => format!("; its class ({}) is decided, so larger limits will do", class.name()),
                None => String::new(),
            };
            let fired: u64 = figures.searches.iter().map(|search| search.figures.fired).sum();
            let limit = match limit {
                Limit::States => "--firings",
                limit => limit.name(),
            };
            let fired = render::plural(fired, "transition");
            let text = format!("no pair of states and no end of them in {fired} ({limit}){class}");
            Conclusion::new("unknown", Paint::Doubt, text)
        }
    }
}

fn why_bounded(figures: &BoundednessFigures) -> String {
    match figures.reason.expect("what is bounded is so for a reason") {
        Reason::NoChannels => "there is no channel without bound to ask about".to_owned(),
        Reason::Explored => {
            let states = figures.searches.last().map_or(0, |search| search.figures.states);
            let states = render::plural(states, "state");
            format!("all {states} were seen; with these capacities no send ever blocks")
        }
        Reason::Static => {
            "proved without seeing all states: least capacities are known within limits".to_owned()
        }
        Reason::Class => "decided for its class without seeing all states".to_owned(),
    }
}

fn tell_search(terminal: &Terminal, search: &PairSearchReport) {
    let figures = &search.figures;
    let end = match search.limit {
        Some(Limit::States) => ", used up its transitions".to_owned(),
        Some(limit) => format!(", ran out of {}", limit.name()),
        None => String::new(),
    };
    let refuted = match figures.refuted {
        0 => String::new(),
        n => format!(", {} refuted by replay", render::plural(n, "pair")),
    };
    terminal.detail(&format!(
        "{}: {}, {}, depth {}, {} compared{refuted}{end}",
        search.search.name(),
        render::plural(figures.states, "state"),
        render::plural(figures.fired, "transition"),
        render::grouped(figures.depth as u64),
        render::plural(figures.tested, "pair"),
    ));
}

/// The name that a channel was declared with.
fn base(name: &str) -> String {
    let name = name.split('[').next().unwrap_or(name);
    // A process has a number behind its name.
    match name.split_once(':') {
        Some((process, rest)) => match rest.split_once('.') {
            Some((_, channel)) => format!("{process}.{channel}"),
            None => name.to_owned(),
        },
        None => name.to_owned(),
    }
}

fn channel_object(figures: &BoundednessFigures, channel: &ChannelAnswer) -> Value {
    let explored = figures.reason == Some(Reason::Explored);
    let settled = channel.bound.as_ref().is_some_and(|bound| bound.most == channel.longest as u64);
    let declared = figures.lifted.iter().find(|lifted| lifted.name == base(&channel.name));
    json!({
        "name": channel.name,
        "declared": declared.map(|lifted| lifted.capacity),
        "longest": channel.longest,
        "capacity": if explored || settled { Some(channel.longest) } else { None },
        "bound": channel.bound.as_ref().map(|bound| json!({
            "most": bound.most,
            "by": bound.by,
            "weights": bound.weights.iter()
                .map(|(about, weight)| json!([about, weight.to_string()])).collect::<Vec<_>>(),
        })),
        "grows": channel.grows,
        "watched": channel.watched,
        "run_length": channel.run.len(),
        "run": if channel.run.len() > LONGEST { None } else {
            Some(story::json_steps(&Story::new(&*figures.system, &figures.peak_run(channel))))
        },
    })
}

fn flood_object(property: &BoundedProperty) -> Option<Value> {
    let flood = property.verdict.evidence()?;
    let (run, begins) = property.flood_run(ROUNDS)?;
    let system = &*property.figures.system;
    Some(json!({
        "prefix": flood.prefix.len(),
        "length": flood.pumped.rounds[0].len(),
        "rounds": flood.pumped.rounds.len(),
        "loop_start": begins,
        "growing": flood.growing.iter()
            .map(|(name, contents)| json!({ "channel": name, "contents": contents })).collect::<Vec<_>>(),
        "initial": system.show_state(&run.states[0]),
        "steps": story::json_steps(&Story::new(system, &run)),
    }))
}

fn search_object(search: &PairSearchReport) -> Value {
    let figures = &search.figures;
    json!({
        "search": search.search.name(),
        "limit": search.limit.map(Limit::name),
        "states": figures.states,
        "fired": figures.fired,
        "depth": figures.depth,
        "compared": figures.tested,
        "refuted": figures.refuted,
        "replaced": figures.replaced,
        "faults": figures.faults,
        "bytes": figures.bytes,
    })
}
