//! Statements, from assignments to escapes.

use super::{Parameter, Scope, Writer};

/// How deep sequences, blocks and escapes are nested.
const DEEPEST: usize = 4;

impl Writer {
    pub(super) fn statement(&mut self, scope: &Scope) -> String {
        let compound = if scope.depth < 2 { 45 } else { 55 };
        if scope.depth < DEEPEST && self.rng.chance(compound) {
            return self.compound(scope);
        }
        if scope.deterministic { self.steady(scope) } else { self.simple(scope) }
    }

    /// A statement without parts that is always possible.
    fn steady(&mut self, scope: &Scope) -> String {
        match self.rng.below(14) {
            0 => {
                self.uses("assert in d_step");
                format!("assert({})", self.comparison(scope))
            }
            1 => format!("printf(\"%d\\n\", {})", self.number(scope, 0)),
            2 => self.call(scope, true).unwrap_or_else(|| self.assignment(scope)),
            3 => {
                self.uses("send in d_step");
                let value = self.rng.below(3);
                self.rng
                    .pick(&[
                        "if :: nfull(q) -> q!VALUE,1 :: else fi",
                        "if :: nempty(q) -> q?g,_ :: else -> skip fi",
                        "if :: nfull(q) -> q!!VALUE,0 :: else fi",
                    ])
                    .replace("VALUE", &value.to_string())
            }
            4 if !scope.inline => {
                self.uses("select");
                "select (x : 0 .. 2)".to_owned()
            }
            5 => self.hidden(scope),
            _ => self.assignment(scope),
        }
    }

    fn simple(&mut self, scope: &Scope) -> String {
        match self.rng.below(48) {
            0..=7 => self.assignment(scope),
            8..=10 => self.send(scope),
            11..=14 => self.receive(scope),
            15 | 16 => self.condition(scope),
            17 => format!("assert({})", self.comparison(scope)),
            18 => format!("printf(\"%d\\n\", {})", self.number(scope, 1)),
            19 | 20 if !scope.inline && !self.labels.is_empty() => self.jump(scope),
            21 | 22 if self.created && !scope.inline => self.run(scope),
            23..=26 => self.call(scope, false).unwrap_or_else(|| self.assignment(scope)),
            27 | 28 | 47 if !scope.inline => self.linked(scope),
            29..=31 | 42..=46 if self.priorities && scope.straight => self.sets_priority(),
            32 if !scope.inline => {
                let variable = self.rng.pick(&["x", "y", "g"]);
                let (upper, count) = self.rng.pick(&[("2", "select"), ("1 + 1", "select by a loop")]);
                self.uses(count);
                format!("select ({variable} : 0 .. {upper})")
            }
            33 => self.hidden(scope),
            34 if !scope.inline => {
                self.uses("structure in a message");
                self.rng.pick(&["m!v", "m?v", "m!vs[1]", "m?vs[0]"]).to_owned()
            }
            35 => {
                self.uses("mtype");
                self.rng.pick(&["p!m1,1", "p!mt(0)", "p?m1,_", "p?mt,_", "mt = m2", "p?m0(h)"]).to_owned()
            }
            36 if self.created && !scope.inline => {
                self.uses("process ended");
                format!("(_nr_pr == {})", self.pid + 1 + self.rng.below(2))
            }
            37 if scope.in_loop && !scope.inline => {
                let condition = self.comparison(scope);
                format!("if :: {condition} -> break :: else fi")
            }
            _ => self.assignment(scope),
        }
    }

    fn assignment(&mut self, scope: &Scope) -> String {
        format!("{} = {}", self.variable(scope), self.bounded(scope))
    }

    /// A hidden variable is no part of the state: it is written, and read in the same step or not at all.
    fn hidden(&mut self, scope: &Scope) -> String {
        self.uses("hidden variable");
        let value = self.bounded(scope);
        let variable = self.rng.pick(&scope.variables);
        if self.rng.chance(50) {
            format!("hid = {value}")
        } else {
            format!("d_step {{ hid = {value}; {variable} = (hid + 1) % 3 }}")
        }
    }

    fn jump(&mut self, scope: &Scope) -> String {
        self.uses("goto");
        if scope.depth > 0 {
            self.uses("goto out of a sequence");
        }
        let label = self.rng.pick(&self.labels);
        // Jumps back must come to an end.
        format!("if :: y < 2 -> y++; goto {label} :: else fi")
    }

    fn sets_priority(&mut self) -> String {
        // Each process sets its own, in places where it comes once: for SPIN, states that differ in nothing but a priority
        // are equal.
        let level = 1 + self.rng.below(4);
        if self.rng.chance(40) {
            self.uses("own priority");
            format!("_priority = {level}")
        } else {
            self.uses("set_priority");
            format!("set_priority(_pid, {level})")
        }
    }

    /// `run D(..)`, where not too many processes exist.
    pub(super) fn run(&mut self, scope: &Scope) -> String {
        self.uses("run");
        let channel = self.rng.pick(&scope.channels);
        if channel != "q" && channel != "r" {
            self.uses("channel given");
        }
        let value = self.bounded(scope);
        let mut text = format!("run D({channel}, {value}");
        if self.structure {
            text += ", vs[1]";
        }
        text += ")";
        if self.priorities && self.rng.chance(50) {
            self.uses("priority of a run");
            text += &format!(" priority {}", 1 + self.rng.below(4));
        }
        if self.rng.chance(30) {
            self.uses("run in an assignment");
            let variable = self.rng.pick(&scope.variables);
            text = format!("{variable} = {text}");
        }
        format!("if :: _nr_pr < {} -> {text} :: else fi", 3 + self.rng.below(2))
    }

    /// What is done with a channel that another process has given away, and that may be gone with it.
    fn linked(&mut self, scope: &Scope) -> String {
        let value = self.rng.below(3);
        let variable = self.rng.pick(&scope.variables);
        if self.created && self.rng.chance(if self.faults { 60 } else { 10 }) {
            self.uses("channel ended");
            let after = self.rng.pick(&["z!VALUE,0", "z?VAR,_", "nfull(z)"]);
            return format!("link?z; (_nr_pr <= {}); {after}", self.pid + 1)
                .replace("VALUE", &value.to_string())
                .replace("VAR", &variable);
        }
        self.uses("channel given");
        self.rng
            .pick(&[
                "link?z; z!VALUE,0",
                "link?z; z?VAR,_",
                "z!VALUE,1; link!z",
                "link!z; z?VAR,_",
                "z!1,VALUE",
                "link!q",
            ])
            .replace("VALUE", &value.to_string())
            .replace("VAR", &variable)
    }

    /// A channel, and whether it is known to have room for messages.
    fn channel(&mut self, scope: &Scope) -> (String, bool) {
        let channel = self.rng.pick(&scope.channels);
        if channel == "r" {
            self.uses("rendez-vous");
        }
        let buffered = matches!(&channel[..], "q" | "own");
        (channel, buffered)
    }

    fn send(&mut self, scope: &Scope) -> String {
        let (channel, buffered) = self.channel(scope);
        let (first, second) = (self.rng.below(3), self.bounded(scope));
        if buffered && self.rng.chance(30) {
            self.uses("sorted send");
            // SPIN sorts by the value that is sent, before it is cut to the field.
            return format!("{channel}!!{first},{}", self.rng.below(3));
        }
        format!("{channel}!{first},{second}")
    }

    fn receive(&mut self, scope: &Scope) -> String {
        let (channel, buffered) = self.channel(scope);
        let pattern = self.pattern(scope);
        if !buffered {
            return format!("{channel}?{pattern}");
        }
        match self.rng.below(10) {
            0 | 1 => {
                self.uses("random receive");
                format!("{channel}??{pattern}")
            }
            2 => {
                self.uses("copying receive");
                format!("{channel}?<{pattern}>")
            }
            3 => {
                self.uses("random copying receive");
                format!("{channel}??<{pattern}>")
            }
            _ => format!("{channel}?{pattern}"),
        }
    }

    /// Two fields. SPIN undoes a receive by computing `eval` again, so it must not depend on what is received.
    fn pattern(&mut self, scope: &Scope) -> String {
        let value = self.rng.below(3).to_string();
        match self.rng.below(10) {
            0 => {
                self.uses("eval of an element");
                let index = self.rng.below(3);
                format!("eval(a[{index}]),_")
            }
            1 => {
                self.uses("eval of a structure");
                self.rng
                    .pick(&["eval(u.t[1].k[0]),_", "_,eval(s[0].f)", "eval(u.z),eval(s[1].k[1])"])
                    .to_owned()
            }
            2 => {
                self.uses("eval of an expression");
                self.rng
                    .pick(&["eval(g + 1),_", "eval(1 - h),eval(e)", "_,eval((g + h) % 2)", "eval(_pid),_"])
                    .to_owned()
            }
            3 => format!("{value},_"),
            4 => format!("_,{value}"),
            _ => {
                let variable = self.rng.pick(&scope.variables);
                if self.rng.chance(50) { format!("{variable},_") } else { format!("{value},{variable}") }
            }
        }
    }

    /// A call of an inline, in a deterministic sequence only of one that always goes on.
    fn call(&mut self, scope: &Scope, steady: bool) -> Option<String> {
        let known: Vec<_> = self.inlines.iter().filter(|inline| !steady || inline.steady).cloned().collect();
        if known.is_empty() {
            return None;
        }
        let inline = self.rng.pick(&known);
        self.uses(if scope.inline { "inline in an inline" } else { "inline" });
        let mut arguments = Vec::new();
        for parameter in &inline.parameters {
            arguments.push(match parameter {
                Parameter::Expression => {
                    self.uses("inline parameter as expression");
                    match self.rng.below(4) {
                        0 => self.rng.below(3).to_string(),
                        1 => self.variable(scope),
                        2 => format!("({} + 1)", self.variable(scope)),
                        _ => self.comparison(scope),
                    }
                }
                Parameter::Variable => {
                    self.uses("inline parameter as variable");
                    self.variable(scope)
                }
                Parameter::Channel => {
                    self.uses("inline parameter as channel");
                    self.rng.pick(&scope.channels)
                }
            });
        }
        let separator = self.rng.pick(&[", ", ", ", ","]);
        let call = format!("{}({})", inline.name, arguments.join(separator));
        if inline.returns {
            self.uses("inline with a return");
            let variable = self.rng.pick(&["g", "h", "e"]);
            return Some(format!("{variable} = {call}"));
        }
        Some(call)
    }

    /// A statement with parts.
    fn compound(&mut self, scope: &Scope) -> String {
        let inner = Scope { straight: false, ..scope.clone() };
        match self.rng.below(16) {
            0 | 1 => self.selection(&inner, false),
            2 => self.selection(&inner, true),
            3 | 4 if !scope.inline => self.counted(&inner),
            5..=7 => self.atomic(&inner),
            8..=10 => self.deterministic(&inner),
            11..=14 if !scope.deterministic => self.unless(&inner),
            _ => {
                let deeper = self.deeper(&inner);
                format!("{{ {} }}", self.statements(&deeper, 2))
            }
        }
    }

    /// The scope within another block; counts how deep that is.
    fn deeper(&mut self, scope: &Scope) -> Scope {
        match scope.depth {
            1 => self.uses("nested twice"),
            2 => self.uses("nested three times"),
            3 => self.uses("nested four times"),
            _ => {}
        }
        Scope { depth: scope.depth + 1, ..scope.clone() }
    }

    /// Up to so many statements. Now and then there is a label between them, for jumps into the sequence.
    fn statements(&mut self, scope: &Scope, most: u64) -> String {
        let mut statements = vec![self.statement(scope)];
        for _ in 1..1 + self.rng.below(most) {
            let text = self.statement(scope);
            let labelled =
                !scope.deterministic && !scope.inline && !self.unplaced.is_empty() && self.rng.chance(30);
            if labelled && super::may_be_labelled(&text) {
                self.uses("goto into a sequence");
                let label = self.unplaced.remove(0);
                statements.push(format!("{label}: {text}"));
            } else {
                statements.push(text);
            }
        }
        self.sequence(&statements)
    }

    fn atomic(&mut self, scope: &Scope) -> String {
        self.uses("atomic");
        if scope.atomic || scope.deterministic {
            self.uses("nested atomic");
        }
        let deeper = Scope { atomic: true, ..self.deeper(scope) };
        let mut first = String::new();
        if !scope.deterministic && self.rng.chance(20) {
            self.uses("blocked atomic");
            let condition = self.condition(scope);
            first = format!("g = (g + 1) % 2; {condition}; ");
        }
        format!("atomic {{ {first}{} }}", self.statements(&deeper, 3))
    }

    fn deterministic(&mut self, scope: &Scope) -> String {
        self.uses("d_step");
        if scope.deterministic {
            self.uses("nested d_step");
        }
        let deeper = Scope { deterministic: true, in_loop: false, ..self.deeper(scope) };
        // Only the first statement may block; SPIN executes one that begins with `printf` or `assert` even while others
        // are about to meet.
        let first = if !scope.deterministic && self.rng.chance(50) {
            match self.rng.below(4) {
                0 => "q?g,_".to_owned(),
                1 => "nfull(q); q!1,h".to_owned(),
                _ => self.condition(&deeper),
            }
        } else {
            self.assignment(scope)
        };
        format!("d_step {{ {first}; {} }}", self.statements(&deeper, 2))
    }

    fn unless(&mut self, scope: &Scope) -> String {
        self.uses("unless");
        if scope.in_unless {
            self.uses("nested unless");
        }
        if scope.in_loop {
            self.uses("unless in a loop");
        }
        let deeper = Scope { in_unless: true, ..self.deeper(scope) };
        let main = self.statements(&deeper, 2);
        // In an atomic sequence SPIN is stuck at an `unless` that begins with a jump.
        let main = if scope.atomic { format!("skip; {main}") } else { main };
        // Nothing that is drawn is thrown away: it may have placed a label, and was counted.
        let after = deeper.clone();
        let mut scope = deeper;
        let escape = match self.rng.below(8) {
            0 => {
                self.uses("escape with a receive");
                format!("{{ {}; {} }}", self.receive(&scope), self.statement(&after))
            }
            1 => {
                // SPIN forgets that an inner escape was possible when an outer one finds nobody to meet.
                self.uses("escape with a send");
                scope.channels = vec!["q".to_owned()];
                format!("{{ {} -> {} }}", self.send(&scope), self.statement(&after))
            }
            2 => {
                self.uses("escape with d_step");
                scope.deterministic = true;
                format!("d_step {{ {}; {} }}", self.comparison(&scope), self.steady(&scope))
            }
            3 => {
                self.uses("escape with atomic");
                format!("atomic {{ {}; {} }}", self.condition(&scope), self.statement(&after))
            }
            _ => format!("{{ {} -> {} }}", self.condition(&scope), self.statement(&after)),
        };
        format!("{{ {main} }} unless {escape}")
    }

    /// `if`, or a `do` that counts.
    fn selection(&mut self, scope: &Scope, repeat: bool) -> String {
        let counter = match (repeat, scope.inline, scope.deterministic) {
            (false, ..) => None,
            (true, false, _) => Some("i"),
            (true, true, _) => Some("e"),
        };
        let inner = Scope { in_loop: scope.in_loop || repeat, ..scope.clone() };
        let mut text = String::from(if repeat { "do" } else { "if" });
        let mut met = false;
        for _ in 0..1 + self.rng.below(2) {
            let (head, meets) = self.head(&inner);
            met |= meets;
            let head = match counter {
                Some(counter) => format!("{counter} < 2 -> {counter}++; {head}"),
                None => head,
            };
            text += &format!("\n :: {head}");
            if self.rng.chance(60) {
                let rest = Scope { depth: scope.depth + 1, ..inner.clone() };
                text += &format!(" -> {}", self.statement(&rest));
            }
        }
        if repeat {
            text += "\n :: else -> break\n od";
            return text;
        }
        if scope.deterministic || self.rng.chance(45) {
            self.uses("else");
            if met {
                self.uses("rendez-vous with else");
            }
            let otherwise = if scope.deterministic { self.steady(scope) } else { self.simple(&inner) };
            text += &format!("\n :: else -> {otherwise}");
        }
        text += "\n fi";
        text
    }

    /// How an option begins, and whether that is a rendez-vous.
    fn head(&mut self, scope: &Scope) -> (String, bool) {
        if scope.deterministic {
            return (self.comparison(scope), false);
        }
        match self.rng.below(12) {
            0 | 1 => {
                let send = self.send(scope);
                let meets = send.starts_with('r');
                (send, meets)
            }
            2 | 3 => {
                let receive = self.receive(scope);
                let meets = receive.starts_with('r');
                (receive, meets)
            }
            4 => (self.assignment(scope), false),
            5 => {
                self.uses("option is a block");
                let open = self.rng.pick(&["atomic {", "{", "d_step {"]);
                let condition =
                    if open.starts_with('d') { self.comparison(scope) } else { self.condition(scope) };
                let rest = self.assignment(scope);
                (format!("{open} {condition}; {rest} }}"), false)
            }
            _ => (self.condition(scope), false),
        }
    }

    fn counted(&mut self, scope: &Scope) -> String {
        let inner = Scope { in_loop: !scope.deterministic, depth: scope.depth + 1, ..scope.clone() };
        let body = if scope.deterministic { self.assignment(scope) } else { self.statement(&inner) };
        match self.rng.below(3) {
            0 => {
                self.uses("for in an array");
                format!("for (i in a) {{ {body} }}")
            }
            1 if !scope.deterministic => {
                self.uses("for in a channel");
                format!("for (v in m) {{ {body} }}")
            }
            _ => {
                self.uses("for over a range");
                format!("for (i : 0 .. {}) {{ {body} }}", 1 + self.rng.below(2))
            }
        }
    }
}
