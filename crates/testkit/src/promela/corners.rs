//! Random models made of what reductions trip over.
//!
//! A reduction is wrong where somebody notices what it takes for nobody's business: that a process has come to wait at a
//! rendez-vous (an `else` on the side of the sender, an atomic sequence that is blocked there, an escape), that nobody can
//! do anything any more (`timeout`), where a process is or what it holds (`P@here`, `P:x`), what a label says, how many
//! processes there are, what a fault left behind. Random models rarely have one of these *and* the local statements
//! beside it that a reduction would leave out. So here a model is made of phrases, each of which has one of them, in
//! chains of statements that concern nobody.
//!
//! **Names.** All models have the globals `g`, `h`, `own` (an array of 3), in this order, then `c` (a channel with
//! room) and `m` (a rendez-vous), so that questions can be asked about all of them in the same words ([`CORNER_FORMULAS`]).
//!
//! **Nothing is drowned.** In a model that does all sorts of things again and again, what is left out on one way is found on
//! another. So in every model most messages go through one channel; many have no loops around everything
//! and write down who came before whom: `own[2]` tells what was seen where nobody waited, and `g` the order of what happened; and some
//! are one scene, of one who comes to wait and one who notices.
//!
//! **Small.** Two or three processes of a few phrases each; loops that count are short. Assertions and divisions that may
//! fail are rare, since a model with a fault tells little else.

use elnath_kernel::rng::Rng;
use std::fmt::Write as _;

/// Formulas without X that can be asked about each of these models.
pub const CORNER_FORMULAS: [&str; 12] = [
    "[] <> (g == 1)",
    "<> [] (g != 1)",
    "[] ((g == 2) -> <> h)",
    "(g < 2) U h",
    "[] (own[0] == 0)",
    "<> (len(c) > 0)",
    "[] <> !h",
    "[] (h -> (g == 0))",
    "<> (h && (g == 1))",
    "([] <> (g == 1)) -> ([] <> h)",
    "[] ((own[1] == 1) -> <> (len(c) == 0))",
    "(<> [] h) || ([] <> (g == 0))",
];

/// The text of a model; the same for the same seed.
pub fn random_corners(seed: u64) -> String {
    let rng = Rng::new(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0xc0de);
    let mut writer = Writer {
        rng,
        text: String::new(),
        labels: 0,
        main: "m",
        once: false,
        scene: false,
        faults: false,
        kinds: 0,
        given: false,
        watched: Vec::new(),
    };
    writer.model();
    writer.text
}

struct Writer {
    rng: Rng,
    text: String,
    /// How many labels there are.
    labels: u32,
    /// Whether something in this model may fail.
    faults: bool,
    /// The channel that most messages go through.
    main: &'static str,
    /// Whether everything happens once.
    once: bool,
    /// Whether there is nothing in the model but one scene, with one channel.
    scene: bool,
    /// How many kinds of processes there are.
    kinds: u64,
    /// Whether the process that is being written was given a channel `p`.
    given: bool,
    /// Places that others can look at, as they are written.
    watched: Vec<String>,
}

impl Writer {
    fn model(&mut self) {
        self.scene = self.rng.chance(40);
        self.once = self.scene || self.rng.chance(40);
        self.faults = self.rng.chance(if self.scene { 10 } else { 30 });
        self.main = ["m", "m", "m", "c", "r[0]"][self.rng.below(5) as usize];
        self.kinds = 2 + u64::from(self.rng.chance(if self.scene { 60 } else { 40 }));
        let (room, some) = (1 + self.rng.below(2), self.rng.below(2));
        writeln!(
            self.text,
            "byte g; bool h; byte own[3];\nchan c = [{room}] of {{ byte }};\nchan m = [0] of {{ byte }};\n\
             chan r[2] = [{some}] of {{ byte }};\nchan only = [{room}] of {{ byte }};"
        )
        .expect("writing to a string");
        // The last kind may be one that others create.
        let created = self.rng.chance(if self.scene { 10 } else { 20 });
        let mut several = false;
        for kind in 0..self.kinds {
            let created = created && kind + 1 == self.kinds;
            // Two of a kind, and not more of them than the model can bear.
            let two = !created && !several && self.rng.chance(25);
            several |= two;
            self.process(kind, created, two);
        }
        if created {
            let last = self.kinds - 1;
            self.given = false;
            let first = self.phrase(0);
            let runs = if self.rng.chance(50) {
                format!("run P{last}(m)")
            } else {
                format!("run P{last}(c); run P{last}(m)")
            };
            let (open, close) = if self.rng.chance(50) { ("atomic { ", " }") } else { ("", "") };
            let after = self.rng.pick(&["", "; (_nr_pr == 1)", "; (_nr_pr == 1) -> h = 1", "; g = 2"]);
            writeln!(self.text, "init {{ byte x, y; {first}; {open}{runs}{close}{after} }}")
                .expect("writing to a string");
        }
    }

    fn process(&mut self, kind: u64, created: bool, two: bool) {
        self.given = created;
        let head = match (created, two) {
            (true, _) => format!("proctype P{kind}(chan p)"),
            (false, true) => format!("active [2] proctype P{kind}()"),
            (false, false) => format!("active proctype P{kind}()"),
        };
        let provided = if self.rng.chance(5) { " provided (g != 2)" } else { "" };
        let mut body = String::new();
        // Exclusive ends of a channel, which only these use.
        let exclusive = !two && !created && kind < 2 && self.rng.chance(if self.scene { 10 } else { 40 });
        if exclusive {
            body += if kind == 0 { "xs only; " } else { "xr only; " };
        }
        for number in 0..1 + self.rng.below(if self.scene { 2 } else { 3 }) {
            if number > 0 {
                body += ";\n  ";
            }
            body += &self.labelled(kind, number == 0, two || created);
        }
        if exclusive {
            body += if kind == 0 { "; only!x" } else { "; only?x" };
        }
        // Those that go on for ever have an end only now and then.
        let body = match if self.once && self.rng.chance(90) { 0 } else { self.rng.below(4) } {
            0 => body,
            1 => {
                let label = self.rng.pick(&["", "end0: ", "progress0: ", "accept0: "]);
                format!("{label}do :: {body}\n od")
            }
            2 => {
                let phrase = apart(self.phrase(1));
                format!("do :: {body}\n  :: {phrase}\n od")
            }
            _ => format!("do :: {body}\n  :: x == 2 -> break\n od;\n x = 0"),
        };
        let locals = self.rng.pick(&["byte x, y, z;", "byte x = 1, y, z;", "byte z; byte y; byte x;"]);
        writeln!(self.text, "{head}{provided}\n{{ {locals}\n  {body}\n}}").expect("writing to a string");
    }

    /// A phrase, perhaps with a label that means something or that others look at.
    fn labelled(&mut self, kind: u64, first: bool, several: bool) -> String {
        // One who comes to wait, and one who notices.
        let phrase = match kind {
            0 if first && self.scene && !several && self.rng.chance(40) => return self.is_seen(kind),
            0 if first && self.scene => self.waits(),
            1 if first && self.scene => self.notices(),
            2 if first && self.scene && self.rng.chance(70) => "(own[2] != 0); h = 1".to_owned(),
            _ => self.phrase(2),
        };
        if !self.rng.chance(30) {
            return phrase;
        }
        self.labels += 1;
        let name = self.rng.pick(&["accept", "progress", "end", "here", "here"]);
        let label = format!("{name}{}", self.labels);
        if name == "here" && !several {
            self.watched.push(format!("P{kind}@{label}"));
            self.watched.push(format!("(P{kind}:x == 1)"));
        }
        format!("{label}: {phrase}")
    }

    /// Something that concerns nobody else.
    fn local(&mut self) -> String {
        match self.rng.below(14) {
            0 => "x = 1 - x % 2".to_owned(),
            1 => "y = x".to_owned(),
            2 => "x = (x + 1) % 3".to_owned(),
            3 => "x = 0".to_owned(),
            4 => "y = 1".to_owned(),
            5 => "x = y; y = 0".to_owned(),
            6 => "skip".to_owned(),
            7 => "if :: x = 1 :: y = 1 fi".to_owned(),
            8 => "if :: x == 1 -> y = 0 :: else -> y = 1 fi".to_owned(),
            9 => "x = 0; do :: x < 2 -> x++ :: else -> break od".to_owned(),
            10 => "do :: x = 1 - x % 2 :: break od".to_owned(),
            11 => "d_step { x = (x + 2) % 3; y = 1 - y % 2 }".to_owned(),
            12 | 13 if self.faults => self
                .rng
                .pick(&["assert(x != 2)", "assert(x + y < 3)", "y = 1 / x", "x = own[x + y]"])
                .to_owned(),
            12 => "printf(\"%d\\n\", x)".to_owned(),
            _ => self.rng.pick(&["(x != 2)", "(x == 0 || y == 1)", "y = 1 - y % 2"]).to_owned(),
        }
    }

    /// Up to so many of them.
    fn locals(&mut self, most: u64) -> String {
        let locals: Vec<String> = (0..1 + self.rng.below(most)).map(|_| self.local()).collect();
        locals.join("; ")
    }

    /// Something that others see, and that is always possible or waits for a value.
    fn shared(&mut self) -> String {
        if self.once && self.rng.chance(if self.scene { 80 } else { 60 }) {
            // The order of these can be told from what they leave behind.
            return self
                .rng
                .pick(&[
                    "g = (2 * g + 1) % 31",
                    "g = (3 * g + 1) % 31",
                    "g = (2 * g + 3) % 31",
                    "own[2] = g + 1",
                    "own[1] = own[2] + g",
                ])
                .to_owned();
        }
        match self.rng.below(11) {
            0 | 1 => "g = (g + 1) % 3".to_owned(),
            2 => "g = x".to_owned(),
            3 => "h = !h".to_owned(),
            4 => "x = g".to_owned(),
            5 => "h = (g == 1)".to_owned(),
            6 => self
                .rng
                .pick(&[
                    "own[0] = x % 2",
                    "own[0] = _nr_pr",
                    "own[_pid % 3] = 1",
                    "y = own[1]",
                    "own[1] = 1 - own[1]",
                ])
                .to_owned(),
            7 => self
                .rng
                .pick(&["(g != 2)", "(h || g == 0)", "(nempty(c))", "(len(c) == 0)", "(nfull(c))"])
                .to_owned(),
            8 => self.seen(),
            9 if self.faults => self
                .rng
                .pick(&["assert(g != 2)", "assert(!h || g != 1)", "assert(x != 1 || g == 0)"])
                .to_owned(),
            _ => "h = 1".to_owned(),
        }
    }

    /// A look at another process, if that has been written already.
    fn seen(&mut self) -> String {
        if self.watched.is_empty() {
            return "g = 1".to_owned();
        }
        let at = self.rng.below(self.watched.len() as u64) as usize;
        let place = self.watched[at].clone();
        match self.rng.below(3) {
            0 => format!("({place})"),
            1 => format!("(!{place})"),
            _ => format!("h = {place}"),
        }
    }

    /// A channel, mostly the rendez-vous; `p` is what a created process was given.
    fn channel(&mut self) -> String {
        if self.given && self.rng.chance(60) {
            return "p".to_owned();
        }
        if self.scene || self.rng.chance(75) {
            return self.main.to_owned();
        }
        self.rng.pick(&["m", "c", "c", "r[0]", "r[1]", "r[_pid % 2]"]).to_owned()
    }

    fn send(&mut self) -> String {
        let channel = self.channel();
        let value = self.rng.pick(&["x", "y", "0", "1", "x"]);
        if channel == "c" && self.rng.chance(15) {
            format!("c!!{value}")
        } else {
            format!("{channel}!{value}")
        }
    }

    fn receive(&mut self) -> String {
        let channel = self.channel();
        match self.rng.below(12) {
            0 => format!("{channel}?1"),
            1 => format!("{channel}?eval(x)"),
            2 => format!("{channel}?_"),
            3 if !self.scene => "c??1".to_owned(),
            4 if !self.scene => "c?<y>".to_owned(),
            5 | 6 => format!("{channel}?y"),
            _ => format!("{channel}?x"),
        }
    }

    fn either(&mut self) -> String {
        if self.rng.chance(50) { self.send() } else { self.receive() }
    }

    /// Something short of any sort.
    fn any(&mut self) -> String {
        match self.rng.below(4) {
            0 => self.local(),
            1 => self.shared(),
            _ => self.either(),
        }
    }

    /// Something that others see; in a scene they wait for it.
    fn begins(&mut self) -> String {
        if self.scene && self.rng.chance(80) { "g = (2 * g + 1) % 31".to_owned() } else { self.shared() }
    }

    /// Comes to wait after something of its own, which comes after something that is seen.
    fn waits(&mut self) -> String {
        let (first, after, waits) = (self.begins(), self.locals(2), self.receive());
        let last = self.shared();
        format!("{first}; {after}; {waits}; {last}")
    }

    /// The same in the sight of others.
    fn is_seen(&mut self, kind: u64) -> String {
        self.labels += 1;
        let label = format!("here{}", self.labels);
        self.watched.push(format!("P{kind}@{label}"));
        self.watched.push(format!("(P{kind}:x == 1)"));
        let (first, before, after) = (self.begins(), self.locals(2), self.locals(2));
        let last = if self.rng.chance(50) { self.receive() } else { self.shared() };
        match self.rng.below(3) {
            0 => format!("{first}; {label}: {before}; {after}; {last}"),
            1 => format!("{first}; {before}; {label}: {after}; {last}"),
            _ => format!("{first}; x = 1; {before}; {label}: {last}; x = 0; {after}"),
        }
    }

    /// Notices where another process is, or what it holds.
    fn looks(&mut self) -> String {
        let at = self.rng.below(self.watched.len() as u64) as usize;
        let place = self.watched[at].clone();
        let does = self.shared();
        match self.rng.below(4) {
            0 => format!("({place}); own[2] = g + 1"),
            1 => format!("(g != 0); if :: {place} -> own[2] = g + 1 :: else -> {does} fi"),
            2 => format!("(g != 0); own[2] = g + {place}"),
            _ => format!("{does}; (!{place}); own[2] = g + 1"),
        }
    }

    /// Notices whether somebody waits, or has sent.
    fn notices(&mut self) -> String {
        if !self.watched.is_empty() && self.rng.chance(40) {
            return self.looks();
        }
        if self.rng.chance(20) {
            // As long as the escape is not possible, something else is.
            let (escape, does, after) = (self.send(), self.shared(), self.shared());
            let before = if self.rng.chance(60) { "(g != 0); " } else { "" };
            return format!("{before}{{ own[2] = g + 1; {does} }} unless {{ {escape} -> {after} }}");
        }
        if self.rng.chance(30) {
            // Blocked until somebody waits, or until others have seen what was done before.
            let (waits, does, after) = (self.either(), self.shared(), self.shared());
            return format!(
                "(g != 0); atomic {{ own[2] = g + 1; if :: {waits} -> {does} :: h -> {after} fi }}"
            );
        }
        if self.rng.chance(50) {
            let first = if self.rng.chance(70) { self.send() } else { self.receive() };
            let does = self.any();
            let otherwise = if self.rng.chance(50) { "own[2] = g + 1".to_owned() } else { self.shared() };
            let choice = format!("if :: {first} -> {does} :: else -> {otherwise} fi");
            // What is noticed before anything has happened tells nothing about what was left out later.
            return match self.rng.below(5) {
                0 => choice,
                1 => format!("{}; {choice}", self.any()),
                2 => format!("atomic {{ {choice} }}"),
                _ => format!("(g != 0); {choice}"),
            };
        }
        // An atomic sequence that may be blocked in the middle, after something that is local or is not.
        let first = if self.rng.chance(60) { self.locals(2) } else { self.any() };
        let (waits, last) = (self.either(), self.any());
        let otherwise = self.shared();
        match self.rng.below(4) {
            0 => format!("atomic {{ {first}; if :: {waits} -> {last} :: {otherwise} fi }}"),
            1 => format!("{otherwise}; atomic {{ {first}; {waits} }}"),
            2 => format!("atomic {{ {first}; {waits}; {last} }}; {otherwise}"),
            _ => format!("atomic {{ {waits}; {first}; {last} }}"),
        }
    }

    /// A few statements, with one of the corners in it.
    fn phrase(&mut self, depth: u64) -> String {
        let local = self.local();
        match self.rng.below(if depth == 0 { 8 } else { 16 }) {
            0 | 1 => self.waits(),
            2 => {
                let (first, sends) = (self.locals(2), self.send());
                format!("{first}; {sends}; {local}")
            }
            3 => {
                let (first, last) = (self.shared(), self.shared());
                format!("{first}; {local}; {last}")
            }
            4 => {
                let (a, b) = (self.locals(3), self.any());
                format!("{a}; {b}")
            }
            5 => self.either(),
            6 => format!("{}; {local}", self.any()),
            7 => {
                let (a, b) = (self.any(), self.any());
                format!("{a}; {b}")
            }
            8..12 => self.notices(),
            12 => {
                let (a, b, c) = (self.any(), apart(self.any()), self.shared());
                match self.rng.below(3) {
                    0 => format!("if :: {a} -> {local} :: {b} :: timeout -> {c} fi"),
                    1 => format!("{a}; timeout; {c}"),
                    _ => format!("if :: atomic {{ {a} -> {c} }} :: timeout fi; {b}"),
                }
            }
            13 => {
                let escape = match self.rng.below(3) {
                    0 => self.rng.pick(&["g == 1", "h", "nempty(c)", "g != 0"]).to_owned(),
                    1 => self.receive(),
                    _ => self.send(),
                };
                let (a, b, c) = (self.locals(2), self.any(), self.shared());
                format!("{{ {a}; {b}; {local} }} unless {{ {escape} -> {c} }}")
            }
            14 => match self.rng.below(3) {
                0 => {
                    let receive = self.receive();
                    format!("d_step {{ {receive} -> y = x; x = 0; g = (g + y) % 3 }}")
                }
                1 => "d_step { g == x -> if :: x == 1 -> h = 1 :: else -> y = 1 fi; x = 0 }".to_owned(),
                _ => {
                    let send = self.send();
                    format!("{local}; d_step {{ {send}; x = 1; y = 0 }}")
                }
            },
            _ => {
                // A choice between what is local and what is not, or a way back.
                let (a, b, c) = (self.phrase(depth - 1), self.local(), apart(self.any()));
                if self.rng.chance(60) {
                    format!("if :: {b} -> {a} :: {c} fi")
                } else {
                    self.labels += 1;
                    let (label, local) = (format!("again{}", self.labels), apart(local));
                    format!("{label}: {c}; if :: {b} -> goto {label} :: {local} fi; {a}")
                }
            }
        }
    }
}

/// As an option beside others: two `else` must not compete.
fn apart(text: String) -> String {
    if text.contains(":: else") { format!("skip; {text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::random_corners;

    #[test]
    fn every_corner_occurs() {
        let all: Vec<String> = (0..300).map(random_corners).collect();
        for part in [
            "atomic {",
            "d_step {",
            "timeout",
            ":: else",
            "unless",
            "xr only",
            "xs only",
            "active [2]",
            "run P",
            "@here",
            ":x == 1",
            "accept",
            "progress",
            "end0",
            "provided",
            "assert(",
            "_nr_pr",
            "goto",
            "c!!",
            "c??",
            "c?<y>",
            "?eval(x)",
        ] {
            assert!(all.iter().filter(|text| text.contains(part)).count() > 3, "{part} hardly ever occurs");
        }
        let different: std::collections::HashSet<&String> = all.iter().collect();
        assert!(different.len() > 290);
        assert_eq!(random_corners(7), all[7]);
    }
}
