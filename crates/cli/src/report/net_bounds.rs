//! Answers of `elnath bounded` about Petri nets, as text and as JSON: two forms of one value.

use crate::report::properties::{self, Conclusion};
use crate::report::story::Beside;
use crate::report::terminal::{Paint, Terminal};
use crate::report::{json, render, story};
use elnath::nets::bounds::{NetBoundsProperty, NetBoundsReport};
use elnath::{Limit, Story, Verdict};
use serde_json::{Value, json};

/// An answer, with what is to be told beside it.
pub(crate) struct NetBoundsAnswer<'r> {
    pub(crate) file: &'r str,
    pub(crate) report: &'r NetBoundsReport,
    pub(crate) seconds: f64,
}

impl NetBoundsAnswer<'_> {
    /// For people.
    pub(crate) fn text(&self, terminal: &Terminal) {
        const MOST: usize = 20;
        let property = self.report.first();
        let figures = &property.figures;
        terminal.say(&conclusion(property).line(terminal));
        if let Some(flood) = property.verdict.evidence() {
            let beside = Beside { loop_start: Some(flood.growth.prefix.len()), truths: None };
            story::tell(terminal, &Story::new(&*figures.net, &flood.run), beside);
        }
        // Those that hold most come first.
        let mut places: Vec<(&str, Option<u32>)> = figures
            .net
            .net()
            .places
            .iter()
            .map(|place| place.name.as_str())
            .zip(figures.most.iter().copied())
            .collect();
        places.sort_by_key(|(_, most)| std::cmp::Reverse(most.map_or(u64::MAX, u64::from)));
        let width = places.iter().take(MOST).map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let least = if figures.complete { "" } else { "at least " };
        for (name, most) in places.iter().take(MOST) {
            let most = match most {
                Some(most) => format!("holds {least}{most} at most"),
                None => "holds any number".to_owned(),
            };
            let most = if figures.complete { most } else { most.replace(" at most", "") };
            terminal.detail(&format!("        {name:width$}  {most}"));
        }
        if places.len() > MOST {
            terminal.detail(&format!("        ... and {} more places (--json has all)", places.len() - MOST));
        }
        terminal.detail(&format!(
            "{}, {}, {:.2} s",
            render::plural(figures.counters.states, "marking"),
            render::plural(figures.counters.transitions, "step"),
            self.seconds
        ));
    }

    /// For machines.
    pub(crate) fn json(&self) -> Value {
        let property = self.report.first();
        let figures = &property.figures;
        let (verdict, reason) = match &property.verdict {
            Verdict::Holds(_) => ("bounded", Some("coverability")),
            Verdict::Fails(_) => ("unbounded", None),
            Verdict::Unknown(limit) => ("unknown", Some(limit.name())),
        };
        let places = figures.net.net().places.iter().zip(&figures.most);
        let place = |(place, most): (&elnath::petri_net::NetNode, &Option<u32>)| {
            json!({
                "name": place.name,
                "id": place.id,
                "most": most.filter(|_| figures.complete),
                "at_least": most,
                "grows": most.is_none(),
            })
        };
        json::object(
            "bounded",
            json!({
                "model": self.file,
                "verdict": verdict,
                "reason": reason,
                "properties": [properties::entry(property, &conclusion(property))],
                "places": places.map(place).collect::<Vec<_>>(),
                "flood": flood(property),
                "states": figures.counters.states,
                "transitions": figures.counters.transitions,
                "seconds": self.seconds,
                "engine": "markings",
            }),
        )
    }
}

fn flood(property: &NetBoundsProperty) -> Option<Value> {
    let flood = property.verdict.evidence()?;
    let net = &property.figures.net;
    let growing = flood
        .growth
        .places
        .iter()
        .map(|&(place, more)| json!({ "place": net.net().places[place as usize].name, "more": more }));
    Some(json!({
        "prefix": flood.growth.prefix.len(),
        "length": flood.growth.round.len(),
        "loop_start": flood.growth.prefix.len(),
        "growing": growing.collect::<Vec<_>>(),
        "steps": story::json_steps(&Story::new(&**net, &flood.run)),
    }))
}

fn conclusion(property: &NetBoundsProperty) -> Conclusion {
    let figures = &property.figures;
    match &property.verdict {
        Verdict::Fails(_) => {
            Conclusion::new("unbounded", Paint::Bad, property.violation_text().unwrap_or_default().to_owned())
        }
        Verdict::Holds(_) => {
            let most = figures.most.iter().flatten().max().copied().unwrap_or(0);
            let tokens = render::plural(u64::from(most), "token");
            let text = format!("no place ever holds more than {tokens}");
            Conclusion::new("bounded", Paint::Good, text)
        }
        Verdict::Unknown(limit) => {
            let limit = match limit {
                Limit::States => "--firings",
                limit => limit.name(),
            };
            let steps = render::plural(figures.counters.transitions, "step");
            let text =
                format!("no place was found to grow for ever, and no end of markings, in {steps} ({limit})");
            Conclusion::new("unknown", Paint::Doubt, text)
        }
    }
}
