//! Expressions: numbers that stay small, conditions, questions about channels and other processes.

use super::{Channel, Field, Generator, Place, Scope, Ty};

impl Generator {
    /// How to write an element of a variable.
    pub(super) fn element(&mut self, scope: &Scope, access: &str, lengths: &[u32]) -> String {
        let mut text = String::new();
        let mut lengths = lengths.iter();
        for part in access.split('#') {
            if !text.is_empty() {
                let length = *lengths.next().expect("one length per index");
                text += &self.index(scope, length);
            }
            text += part;
        }
        text
    }

    /// An index that is within the array, or hardly ever not.
    fn index(&mut self, scope: &Scope, length: u32) -> String {
        let unsigned: Vec<Place> =
            scope.places.iter().filter(|p| !p.ty.signed() && p.lengths.is_empty()).cloned().collect();
        match self.below(100) {
            0 if !unsigned.is_empty() => self.rng.pick(&unsigned).access,
            1..=25 if !unsigned.is_empty() => format!("{} % {length}", self.rng.pick(&unsigned).access),
            26..=35 => format!("_pid % {length}"),
            _ => self.below(length as usize).to_string(),
        }
    }

    pub(super) fn place(&mut self, scope: &Scope) -> (String, Ty) {
        let place = self.rng.pick(&scope.places);
        (self.element(scope, &place.access, &place.lengths), place.ty)
    }

    pub(super) fn channel(&mut self, scope: &Scope, channel: &Channel) -> String {
        self.element(scope, &channel.access, &channel.lengths)
    }

    /// A number, mostly small.
    pub(super) fn number(&mut self, scope: &Scope, depth: u32) -> String {
        if depth == 0 || self.rng.chance(30) {
            return match self.below(12) {
                0..=4 => self.below(4).to_string(),
                5..=9 => self.place(scope).0,
                10 => "_pid".to_owned(),
                _ if self.rng.chance(40) => {
                    self.rng.pick(&["300", "-1", "255", "256", "-129", "40000", "70000"]).to_owned()
                }
                _ => self.below(3).to_string(),
            };
        }
        match self.below(20) {
            0..=5 => {
                let (a, b) = (self.number(scope, depth - 1), self.number(scope, depth - 1));
                let operator = self.rng.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({a} {operator} {b})")
            }
            6..=9 => {
                let a = self.number(scope, depth - 1);
                let operator = self.rng.pick(&["%", "%", "/"]);
                format!("({a} {operator} {})", 2 + self.below(2))
            }
            10 => {
                let a = self.number(scope, depth - 1);
                let operator = self.rng.pick(&["<<", ">>"]);
                format!("({a} {operator} {})", self.below(3))
            }
            11 => {
                let (a, b) = (self.number(scope, depth - 1), self.number(scope, depth - 1));
                let condition = self.comparison(scope, depth - 1);
                format!("({condition} -> {a} : {b})")
            }
            12 => {
                let a = self.number(scope, depth - 1);
                let operator = self.rng.pick(&["-", "~", "!"]);
                format!("({operator}{a})")
            }
            13 => self.comparison(scope, depth - 1),
            14 => {
                // While two meet, SPIN has the message in the channel: its length is 1 then.
                let buffered = |channel: &&Channel| !self.signatures[channel.signature].rendezvous;
                let buffered: Vec<Channel> = scope.channels.iter().filter(buffered).cloned().collect();
                if buffered.is_empty() {
                    return self.place(scope).0;
                }
                let channel = self.rng.pick(&buffered);
                format!("len({})", self.channel(scope, &channel))
            }
            15 => "_nr_pr".to_owned(),
            16 if self.rng.chance(8) => {
                // A variable on the left: C compilers know what 0 divided by anything is.
                let (a, b) = (self.place(scope).0, self.place(scope).0);
                format!("({a} {} {b})", self.rng.pick(&["/", "%"]))
            }
            _ => self.place(scope).0,
        }
    }

    /// A number that does not grow when it is assigned in a loop.
    pub(super) fn bounded(&mut self, scope: &Scope, ty: Ty) -> String {
        if ty == Ty::Mtype {
            return match self.below(4) {
                0 => "0".to_owned(),
                _ => self.rng.pick(&self.symbols),
            };
        }
        match self.below(10) {
            0..=3 => self.below(4).to_string(),
            4..=6 => format!("({} + 1) % {}", self.place(scope).0, 2 + self.below(2)),
            7 => self.place(scope).0,
            8 => format!("{} % {}", self.number(scope, 2), 2 + self.below(3)),
            _ => self.number(scope, 1),
        }
    }

    /// Something that is true or false.
    pub(super) fn comparison(&mut self, scope: &Scope, depth: u32) -> String {
        if depth > 0 && self.rng.chance(15) {
            let (a, b) = (self.comparison(scope, depth - 1), self.comparison(scope, depth - 1));
            return format!("({a} {} {b})", self.rng.pick(&["&&", "||"]));
        }
        let (place, ty) = self.place(scope);
        let operator = self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let right = match ty {
            Ty::Mtype => self.rng.pick(&self.symbols),
            _ if self.rng.chance(70) => self.below(3).to_string(),
            _ => self.number(scope, depth.min(1)),
        };
        let equality = if ty == Ty::Mtype { self.rng.pick(&["==", "!="]) } else { operator };
        format!("({place} {equality} {right})")
    }

    /// A condition that may also ask about channels, other processes and the system as a whole.
    pub(super) fn condition(&mut self, scope: &Scope) -> String {
        match self.below(24) {
            0..=1 if !scope.channels.is_empty() => {
                let channel = self.rng.pick(&scope.channels);
                let question = self.rng.pick(&["empty", "nempty", "full", "nfull"]);
                format!("{question}({})", self.channel(scope, &channel))
            }
            2..=3 => self.poll(scope).unwrap_or_else(|| self.comparison(scope, 1)),
            4..=6 if !scope.plain && !scope.deterministic => {
                self.remote().unwrap_or_else(|| self.comparison(scope, 1))
            }
            7 => format!("(_nr_pr {} {})", self.rng.pick(&["<", "==", ">"]), 1 + self.below(4)),
            8 if !scope.deterministic => "timeout".to_owned(),
            9 => {
                let (a, b) = (self.comparison(scope, 1), self.comparison(scope, 0));
                format!("({a} -> {b} : {})", self.below(2))
            }
            _ => self.comparison(scope, 1),
        }
    }

    /// `q?[1,eval(x)]`, of a buffered channel but for one case in a hundred.
    fn poll(&mut self, scope: &Scope) -> Option<String> {
        let any = self.rng.chance(1);
        let buffered: Vec<Channel> = scope
            .channels
            .iter()
            .filter(|channel| any || !self.signatures[channel.signature].rendezvous)
            .cloned()
            .collect();
        if buffered.is_empty() {
            return None;
        }
        let channel = self.rng.pick(&buffered);
        let fields = self.signatures[channel.signature].fields.clone();
        let mut patterns = Vec::new();
        for field in fields {
            match field {
                Field::Scalar(Ty::Mtype) => patterns.push(self.rng.pick(&self.symbols)),
                Field::Scalar(_) if self.rng.chance(50) => patterns.push(self.below(3).to_string()),
                Field::Scalar(_) if self.rng.chance(60) => {
                    patterns.push(format!("eval({})", self.number(scope, 1)));
                }
                Field::Scalar(_) | Field::Channel(_) => patterns.push("_".to_owned()),
                Field::Struct(_) => return None,
            }
        }
        // SPIN computes what a `??[..]` looks for even if the channel is empty, and may run into a fault there.
        let divides = |text: &str| {
            let parts = text.split(['/', '%']).skip(1);
            parts.filter_map(|rest| rest.trim_start().chars().next()).any(|c| !c.is_ascii_digit())
        };
        let may_fail = patterns.iter().any(|text| text.contains('[') || divides(text));
        let operator = match self.rng.pick(&["?", "??"]) {
            "??" if may_fail => "?",
            operator => operator,
        };
        Some(format!("{}{operator}[{}]", self.channel(scope, &channel), patterns.join(",")))
    }

    /// Where another process is, or what it has in a variable.
    fn remote(&mut self) -> Option<String> {
        if self.watched.is_empty() {
            return None;
        }
        let watched = self.rng.pick(&self.watched);
        if !watched.labels.is_empty() && self.rng.chance(60) {
            let label = self.rng.pick(&watched.labels);
            return Some(match self.below(2) {
                0 => format!("({}[{}]@{label})", watched.name, watched.pid),
                _ => format!("({}@{label})", watched.name),
            });
        }
        if watched.locals.is_empty() {
            return None;
        }
        let local = self.rng.pick(&watched.locals);
        Some(format!("({}[{}]:{local} == {})", watched.name, watched.pid, self.below(3)))
    }
}
