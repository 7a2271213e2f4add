//! Random nets and random formulas about them, as texts in XML.

use elnath_kernel::rng::Rng;
use std::fmt::Write as _;

/// A net, with the numbers of its places and transitions.
pub(super) struct RandomNet {
    pub(super) text: String,
    pub(super) places: u64,
    pub(super) transitions: u64,
}

/// A small net: some places, transitions that take from and put on a few of them, often one token for another, units now and then. Most
/// have few markings, and some have no end of them.
pub(super) fn net(rng: &mut Rng) -> RandomNet {
    let (places, transitions) = (1 + rng.below(6), 1 + rng.below(6));
    let heavy = rng.chance(40);
    let grows = rng.chance(20);
    let mut text = String::from(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n\
         <net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">\n",
    );
    for place in 0..places {
        let tokens = match rng.below(if heavy { 12 } else { 6 }) {
            0 | 1 => 1,
            2 => 2,
            11 => 300,
            _ => 0,
        };
        writeln!(
            text,
            "<place id=\"p{place}\"><initialMarking><text>{tokens}</text></initialMarking></place>"
        )
        .expect("a text");
    }
    let mut arcs = 0;
    for t in 0..transitions {
        writeln!(text, "<transition id=\"t{t}\"><name><text>l{}</text></name></transition>", t / 2)
            .expect("a text");
        let takes = 1 + rng.below(3);
        // What puts more than it takes is rare, or there would be no end of markings.
        let puts = if grows { rng.below(4) } else { rng.below(takes + 1) };
        for (count, takes) in [(takes, true), (puts, false)] {
            for _ in 0..count {
                let place = rng.below(places);
                let weight = if heavy && rng.chance(25) { 1 + rng.below(3) } else { 1 };
                let weight = if !takes && !grows { 1 } else { weight };
                let (source, target) = if takes { ("p", "t") } else { ("t", "p") };
                let (from, to) = if takes { (place, t) } else { (t, place) };
                writeln!(
                    text,
                    "<arc id=\"a{arcs}\" source=\"{source}{from}\" target=\"{target}{to}\"><inscription><text>{weight}</text>\
                     </inscription></arc>"
                )
                .expect("a text");
                arcs += 1;
            }
        }
    }
    if rng.chance(50) {
        text.push_str(
            "<toolspecific tool=\"nupn\" version=\"1.1\"><structure units=\"2\" root=\"u0\" safe=\"true\">\n",
        );
        let border = rng.below(places + 1);
        for (unit, range) in [(0, 0..border), (1, border..places)] {
            let own: Vec<String> = range.map(|place| format!("p{place}")).collect();
            writeln!(text, "<unit id=\"u{unit}\"><places>{}</places><subunits/></unit>", own.join(" "))
                .expect("a text");
        }
        text.push_str("</structure></toolspecific>\n");
    }
    text.push_str("</page></net></pnml>\n");
    RandomNet { text, places, transitions }
}

/// A formula of CTL.
#[derive(Clone, Debug)]
pub(super) enum Ctl {
    /// The tokens on these places are at most those on the others, or than a number.
    AtMost(Vec<u64>, Result<Vec<u64>, u64>),
    Fireable(Vec<u64>),
    Dead,
    Not(Box<Ctl>),
    And(Vec<Ctl>),
    Or(Vec<Ctl>),
    /// An operator for all runs, or for some.
    Runs(bool, &'static str, Vec<Ctl>),
}

/// A random one, so many operators deep.
pub(super) fn formula(rng: &mut Rng, net: &RandomNet, depth: u64) -> Ctl {
    let some_places =
        |rng: &mut Rng| -> Vec<u64> { (0..1 + rng.below(2)).map(|_| rng.below(net.places)).collect() };
    match if depth == 0 { rng.below(4) } else { rng.below(12) } {
        0 | 1 => {
            let left = some_places(rng);
            let right = if rng.chance(50) { Err(rng.below(3)) } else { Ok(some_places(rng)) };
            Ctl::AtMost(left, right)
        }
        2 => Ctl::Fireable((0..1 + rng.below(2)).map(|_| rng.below(net.transitions)).collect()),
        3 if rng.chance(30) => Ctl::Dead,
        3 => Ctl::Fireable(vec![rng.below(net.transitions)]),
        4 => Ctl::Not(Box::new(formula(rng, net, depth - 1))),
        5 => Ctl::And((0..2).map(|_| formula(rng, net, depth - 1)).collect()),
        6 => Ctl::Or((0..2).map(|_| formula(rng, net, depth - 1)).collect()),
        _ => {
            let operator = rng.pick(&["next", "finally", "globally", "until"]);
            let count = if operator == "until" { 2 } else { 1 };
            Ctl::Runs(rng.chance(50), operator, (0..count).map(|_| formula(rng, net, depth - 1)).collect())
        }
    }
}

impl Ctl {
    /// As the contest writes it.
    pub(super) fn xml(&self, out: &mut String) {
        let list = |tag: &str, letter: &str, numbers: &[u64]| -> String {
            numbers.iter().map(|number| format!("<{tag}>{letter}{number}</{tag}>")).collect()
        };
        let tokens = |places: &[u64]| format!("<tokens-count>{}</tokens-count>", list("place", "p", places));
        match self {
            Ctl::AtMost(left, right) => {
                let right = match right {
                    Ok(places) => tokens(places),
                    Err(number) => format!("<integer-constant>{number}</integer-constant>"),
                };
                *out += &format!("<integer-le>{}{right}</integer-le>", tokens(left));
            }
            Ctl::Fireable(all) => {
                *out += &format!("<is-fireable>{}</is-fireable>", list("transition", "t", all));
            }
            Ctl::Dead => *out += "<deadlock/>",
            Ctl::Not(inner) => {
                *out += "<negation>";
                inner.xml(out);
                *out += "</negation>";
            }
            Ctl::And(all) | Ctl::Or(all) => {
                let tag = if matches!(self, Ctl::And(_)) { "conjunction" } else { "disjunction" };
                *out += &format!("<{tag}>");
                all.iter().for_each(|part| part.xml(out));
                *out += &format!("</{tag}>");
            }
            Ctl::Runs(all, operator, parts) => {
                let quantifier = if *all { "all-paths" } else { "exists-path" };
                *out += &format!("<{quantifier}><{operator}>");
                for (part, tag) in parts.iter().zip(["before", "reach"]) {
                    let wrapped = *operator == "until";
                    if wrapped {
                        *out += &format!("<{tag}>");
                    }
                    part.xml(out);
                    if wrapped {
                        *out += &format!("</{tag}>");
                    }
                }
                *out += &format!("</{operator}></{quantifier}>");
            }
        }
    }
}
