//! Statements, from assignments to escapes.

use super::{Channel, Field, Generator, Parameter, Scope, Ty};

/// What a receive does with the fields that are not fixed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Statement,
    Guard,
}

impl Generator {
    /// So many statements, one after the other.
    pub(super) fn statements(&mut self, scope: &mut Scope, count: usize) {
        for index in 0..count {
            if index > 0 && self.rng.chance(8) && !scope.plain && !scope.deterministic {
                // In the middle of a body a declaration is a statement.
                self.declare_scalar(scope, false);
            }
            // The first statement of a sequence is left without a label: there SPIN moves or refuses them.
            if index > 0
                && !scope.plain
                && !scope.deterministic
                && !self.unplaced.is_empty()
                && self.rng.chance(35)
            {
                let label = self.unplaced.remove(0);
                self.line(&format!("{label}:"));
                // A jump to a jump may go round for ever, which SPIN refuses.
                self.labelled(scope);
                continue;
            }
            self.statement(scope);
        }
    }

    fn statement(&mut self, scope: &mut Scope) {
        let compound = scope.depth < 3 && self.rng.chance(45);
        if compound { self.compound(scope) } else { self.basic(scope) }
    }

    /// A statement that a label may name.
    fn labelled(&mut self, scope: &mut Scope) {
        match self.below(6) {
            0 => self.send(scope, Form::Guard),
            1 => self.receive(scope, Form::Guard),
            2 => {
                let mut inner = scope.clone();
                inner.depth += 1;
                inner.atomic = true;
                self.braces("atomic {", &mut inner, 3);
            }
            3 => {
                let mut inner = scope.clone();
                inner.depth += 1;
                let repeat = self.rng.chance(50);
                self.selection(&mut inner, repeat);
            }
            _ => self.assignment(scope),
        }
    }

    /// A statement without parts.
    fn basic(&mut self, scope: &mut Scope) {
        match self.below(40) {
            0..=11 => self.assignment(scope),
            12..=17 if !scope.deterministic => self.send(scope, Form::Statement),
            18..=23 if !scope.deterministic => self.receive(scope, Form::Statement),
            24..=26 if !scope.deterministic => {
                let condition = self.condition(scope);
                self.line(&format!("{condition};"));
            }
            27 => {
                let condition = self.comparison(scope, 1);
                self.line(&format!("assert({condition});"));
            }
            28 => {
                let value = self.number(scope, 1);
                self.line(&format!("printf(\"%d\\n\", {value});"));
            }
            29 => self.line("skip;"),
            // Jumps backwards within atomic sequences mostly make endless ones.
            30..=31
                if !scope.deterministic
                    && !scope.plain
                    && !self.labels.is_empty()
                    && (!scope.atomic || self.rng.chance(60)) =>
            {
                let label = self.rng.pick(&self.labels);
                self.line(&format!("goto {label};"));
            }
            32 if scope.in_loop => self.line("break;"),
            33..=34 if !scope.deterministic && !scope.plain => self.start(scope),
            35 if !scope.plain => self.call(scope),
            36 => self.choose(scope),
            37 => {
                let value = self.number(scope, 1);
                self.line(&format!("_ = {value};"));
            }
            _ => self.assignment(scope),
        }
    }

    fn assignment(&mut self, scope: &Scope) {
        let (place, ty) = self.place(scope);
        let counts = matches!(ty, Ty::Bit | Ty::Bool | Ty::Unsigned(_));
        match self.below(8) {
            0 if counts => self.line(&format!("{place}++;")),
            1 if counts => self.line(&format!("{place}--;")),
            _ => {
                let value = self.bounded(scope, ty);
                self.line(&format!("{place} = {value};"));
            }
        }
    }

    /// `run p(..)`, where not too many processes exist.
    pub(super) fn start(&mut self, scope: &Scope) {
        if self.startable.is_empty() {
            self.line("skip;");
            return;
        }
        let startable = self.rng.pick(&self.startable);
        let mut arguments = Vec::new();
        for parameter in &startable.parameters {
            match parameter {
                Parameter::Scalar(ty) => arguments.push(self.bounded(scope, *ty)),
                Parameter::Channel(signature) => {
                    let fitting: Vec<Channel> =
                        scope.channels.iter().filter(|c| c.signature == *signature).cloned().collect();
                    if fitting.is_empty() {
                        self.line("skip;");
                        return;
                    }
                    let channel = self.rng.pick(&fitting);
                    arguments.push(self.channel(scope, &channel));
                }
            }
        }
        let priority = if self.has_priorities && self.rng.chance(40) { " priority 2" } else { "" };
        let run = format!("run {}({}){priority}", startable.name, arguments.join(", "));
        let numbers = |ty: Ty| matches!(ty, Ty::Byte | Ty::Int | Ty::Short | Ty::Pid);
        let (place, ty) = self.place(scope);
        let text =
            if numbers(ty) && self.rng.chance(30) { format!("{place} = {run};") } else { format!("{run};") };
        // Starting without end would make 255 processes before anything is compared.
        if self.rng.chance(90) {
            let most = 3 + self.below(3);
            self.line("if");
            self.line(&format!(":: _nr_pr < {most} -> {text}"));
            self.line(":: else");
            self.line("fi;");
        } else {
            self.line(&text);
        }
    }

    fn call(&mut self, scope: &Scope) {
        if self.inlines.is_empty() {
            self.assignment(scope);
            return;
        }
        let inline = self.rng.pick(&self.inlines);
        let mut arguments = Vec::new();
        for assigned in &inline.assigned {
            arguments.push(if *assigned { self.place(scope).0 } else { self.below(3).to_string() });
        }
        self.line(&format!("{}({});", inline.name, arguments.join(", ")));
    }

    fn choose(&mut self, scope: &Scope) {
        let scalars: Vec<_> = scope
            .places
            .iter()
            .filter(|p| p.lengths.is_empty() && p.ty != Ty::Mtype && !p.access.contains('.'))
            .cloned()
            .collect();
        if scalars.is_empty() {
            self.line("skip;");
            return;
        }
        let place = self.rng.pick(&scalars);
        let counts = !matches!(place.ty, Ty::Bit | Ty::Bool);
        let place = place.access;
        let upper = match self.below(3) {
            // A loop up to this number, which a bit never reaches.
            0 if counts => "1 + 1".to_owned(),
            _ => (1 + self.below(2)).to_string(),
        };
        self.line(&format!("select ({place} : 0 .. {upper});"));
    }

    fn send(&mut self, scope: &mut Scope, form: Form) {
        match self.send_text(scope) {
            Some(text) => self.line(&format!("{text};")),
            None if form == Form::Guard => self.line("true;"),
            None => self.assignment(scope),
        }
    }

    fn send_text(&mut self, scope: &Scope) -> Option<String> {
        if scope.channels.is_empty() {
            return None;
        }
        let channel = self.rng.pick(&scope.channels);
        let signature = self.signatures[channel.signature].clone();
        let sorted = !signature.rendezvous && self.rng.chance(20);
        let mut values = Vec::new();
        for field in &signature.fields {
            match field {
                Field::Scalar(Ty::Mtype) if sorted => values.push(self.rng.pick(&self.symbols)),
                // SPIN sorts by the value that is sent, and stores what fits into the field: here, both are the same.
                Field::Scalar(ty) if sorted => {
                    let (place, of) = self.place(scope);
                    let most = if matches!(ty, Ty::Bit | Ty::Bool) { 2 } else { 3 };
                    // An element of an array of bits may be greater than 1.
                    let fits = ty.holds(of) && ty.signed() == of.signed() && !place.contains('[');
                    let number = self.below(most).to_string();
                    values.push(if fits && self.rng.chance(40) { place } else { number });
                }
                Field::Scalar(ty) if self.rng.chance(4) => values.push(self.bounded(scope, *ty)),
                Field::Scalar(Ty::Mtype) => values.push(self.rng.pick(&self.symbols)),
                Field::Scalar(_) if self.rng.chance(60) => values.push(self.below(3).to_string()),
                Field::Scalar(_) => values.push(self.place(scope).0),
                Field::Channel(wanted) => {
                    let fitting: Vec<Channel> =
                        scope.channels.iter().filter(|c| c.signature == *wanted).cloned().collect();
                    if fitting.is_empty() {
                        return None;
                    }
                    let carried = self.rng.pick(&fitting);
                    values.push(self.channel(scope, &carried));
                }
                Field::Struct(typedef) => {
                    let fitting: Vec<_> =
                        scope.structs.iter().filter(|s| s.typedef == *typedef).cloned().collect();
                    if fitting.is_empty() {
                        return None;
                    }
                    values.push(self.rng.pick(&fitting).name);
                }
            }
        }
        let operator = if sorted { "!!" } else { "!" };
        let text = self.channel(scope, &channel);
        if values.len() > 1 && self.rng.chance(15) {
            let rest = values.split_off(1).join(",");
            return Some(format!("{text}{operator}{}({rest})", values[0]))
                .filter(|_| values[0].chars().all(|c| c.is_alphanumeric()));
        }
        Some(format!("{text}{operator}{}", values.join(",")))
    }

    fn receive(&mut self, scope: &mut Scope, form: Form) {
        match self.receive_text(scope) {
            Some(text) => self.line(&format!("{text};")),
            None if form == Form::Guard => self.line("true;"),
            None => self.assignment(scope),
        }
    }

    fn receive_text(&mut self, scope: &mut Scope) -> Option<String> {
        if scope.channels.is_empty() {
            return None;
        }
        let channel = self.rng.pick(&scope.channels);
        let signature = self.signatures[channel.signature].clone();
        let mut patterns = Vec::new();
        for field in &signature.fields {
            match field {
                Field::Scalar(Ty::Mtype) if self.rng.chance(50) => {
                    patterns.push(self.rng.pick(&self.symbols));
                }
                Field::Scalar(sent) => patterns.push(match self.below(10) {
                    // SPIN wants every variable, and every array, at most once in a receive.
                    0..=5 => {
                        let (place, ty) = self.place(scope);
                        // SPIN undoes a receive with the value that arrived: what was cut off on the way is lost.
                        let single = signature.fields.len() == 1 && matches!(sent, Ty::Bit | Ty::Bool);
                        if !ty.holds(if single { Ty::Byte } else { *sent }) {
                            return None;
                        }
                        let root = |text: &str| text.split(['[', '.']).next().map(str::to_owned);
                        let known = patterns.iter().any(|known: &String| root(known) == root(&place));
                        if known { "_".to_owned() } else { place }
                    }
                    6 => "_".to_owned(),
                    7 => format!("eval({})", self.number(scope, 1)),
                    _ => self.below(3).to_string(),
                }),
                Field::Channel(wanted) => {
                    let fitting: Vec<Channel> =
                        scope.channels.iter().filter(|c| c.signature == *wanted).cloned().collect();
                    patterns.push(if fitting.is_empty() || self.rng.chance(70) {
                        "_".to_owned()
                    } else {
                        let carried = self.rng.pick(&fitting);
                        self.channel(scope, &carried)
                    });
                }
                Field::Struct(typedef) => {
                    let fitting: Vec<_> =
                        scope.structs.iter().filter(|s| s.typedef == *typedef).cloned().collect();
                    if fitting.is_empty() {
                        return None;
                    }
                    patterns.push(self.rng.pick(&fitting).name);
                }
            }
        }
        if patterns.iter().any(|pattern| pattern.starts_with("eval(")) {
            // SPIN undoes such a receive with the value that eval has afterwards, so nothing may change it.
            for pattern in &mut patterns {
                // The receive itself changes the length; and other names may mean the same channel.
                if pattern.contains("len(") {
                    *pattern = "1".to_owned();
                }
                let fixed = pattern.starts_with("eval(") || pattern.parse::<u32>().is_ok();
                if !fixed && !self.symbols.contains(pattern) {
                    *pattern = "_".to_owned();
                }
            }
        }
        let random = if !signature.rendezvous && self.rng.chance(25) { "??" } else { "?" };
        // A fixed index: SPIN undoes a receive on the channel that the index means afterwards.
        let text = self.channel(&Scope::default(), &channel);
        let text = text.replace("_pid % 2", "1");
        let patterns = patterns.join(",");
        if !signature.rendezvous && self.rng.chance(15) {
            return Some(format!("{text}{random}<{patterns}>"));
        }
        Some(format!("{text}{random}{patterns}"))
    }

    /// A statement with parts.
    fn compound(&mut self, scope: &mut Scope) {
        let mut inner = scope.clone();
        inner.depth += 1;
        match self.below(20) {
            0..=5 => self.selection(&mut inner, false),
            6..=9 => self.selection(&mut inner, true),
            10..=12 if !scope.deterministic => {
                inner.atomic = true;
                self.braces("atomic {", &mut inner, 3);
            }
            13..=14 if !scope.deterministic && !scope.plain => self.deterministic(&mut inner),
            15..=16 if !scope.deterministic => self.unless(&mut inner),
            17 if !scope.plain => self.counted(&mut inner),
            18 if !scope.deterministic => self.braces("{", &mut inner, 2),
            _ => self.selection(&mut inner, false),
        }
    }

    fn braces(&mut self, open: &str, scope: &mut Scope, most: usize) {
        self.line(open);
        self.indent += 2;
        let count = 1 + self.below(most);
        self.statements(scope, count);
        self.indent -= 2;
        self.line("};");
    }

    /// `if` or `do`. A loop gets a way out, mostly.
    fn selection(&mut self, scope: &mut Scope, repeat: bool) {
        self.line(if repeat { "do" } else { "if" });
        let outer = scope.in_loop;
        scope.in_loop = repeat || outer;
        let options = 1 + self.below(3);
        for _ in 0..options {
            self.option(scope, repeat);
        }
        match self.below(10) {
            0..=4 | 9 if scope.deterministic || repeat => {
                // Within a deterministic sequence something must be executable.
                self.line(if repeat { ":: else -> break;" } else { ":: else -> skip;" });
            }
            5..=6 if repeat && !scope.deterministic => self.line(":: break;"),
            _ if scope.deterministic && repeat => self.line(":: else -> break;"),
            _ if scope.deterministic => self.line(":: else;"),
            0..=3 => {
                self.line(":: else ->");
                self.indent += 3;
                self.statements(scope, 1);
                self.indent -= 3;
            }
            _ => {}
        }
        scope.in_loop = outer;
        self.line(if repeat { "od;" } else { "fi;" });
    }

    /// An option with a guard. In a deterministic loop the guard counts, so that the loop ends; in an atomic one, too,
    /// nearly always: SPIN goes round there until its stack is full.
    fn option(&mut self, scope: &mut Scope, repeat: bool) {
        let mut scope = scope.clone();
        let counters: Vec<_> = scope
            .places
            .iter()
            .filter(|p| p.lengths.is_empty() && matches!(p.ty, Ty::Byte | Ty::Int))
            .cloned()
            .collect();
        if repeat && scope.deterministic {
            if counters.is_empty() {
                self.line(":: false -> skip;");
            } else {
                let counter = self.rng.pick(&counters).access;
                self.line(&format!(":: {counter} < 2 -> {counter}++;"));
            }
            return;
        }
        if repeat && scope.atomic && !counters.is_empty() && scope.places.len() > 1 && self.rng.chance(95) {
            let counter = self.rng.pick(&counters).access;
            self.line(&format!(":: {counter} < 2 -> {counter}++;"));
            scope.places.retain(|place| place.access != counter);
            self.indent += 3;
            let count = self.below(3);
            self.statements(&mut scope, count);
            self.indent -= 3;
            return;
        }
        self.text.push_str(&" ".repeat(self.indent));
        self.text.push_str(":: ");
        let indent = std::mem::replace(&mut self.indent, 0);
        let mut alone = false;
        match self.below(20) {
            0..=8 => {
                let condition = self.condition(&scope);
                self.line(&format!("{condition} ->"));
            }
            9..=11 if !scope.deterministic => self.send(&mut scope, Form::Guard),
            12..=14 if !scope.deterministic => self.receive(&mut scope, Form::Guard),
            15 if !scope.deterministic && !scope.plain && !self.labels.is_empty() => {
                let label = self.rng.pick(&self.labels);
                self.line(&format!("goto {label};"));
                alone = true;
            }
            16 if !scope.deterministic && !scope.plain && scope.depth < 3 => {
                self.indent = indent + 3;
                self.guard_block(&mut scope);
            }
            _ => self.assignment(&scope),
        }
        self.indent = indent + 3;
        // A loop of one step that changes nothing is refused by SPIN.
        let count = if alone { 0 } else { usize::from(repeat) + self.below(2) };
        self.statements(&mut scope, count);
        self.indent = indent;
    }

    /// An option that begins with a block.
    fn guard_block(&mut self, scope: &mut Scope) {
        let mut inner = scope.clone();
        inner.depth += 1;
        match self.below(4) {
            0 => {
                inner.atomic = true;
                self.braces("atomic {", &mut inner, 3);
            }
            1 => self.deterministic(&mut inner),
            2 => {
                // No selection first: its `else` would meet that of the selection around it.
                self.line("{");
                self.indent += 2;
                self.assignment(&inner);
                self.statements(&mut inner, 1);
                self.indent -= 2;
                self.line("};");
            }
            _ => {
                self.line("if");
                self.option(&mut inner, false);
                self.option(&mut inner, false);
                self.line("fi;");
            }
        }
    }

    fn deterministic(&mut self, scope: &mut Scope) {
        let outer = scope.in_loop;
        scope.deterministic = true;
        scope.in_loop = false;
        self.line("d_step {");
        self.indent += 2;
        if self.rng.chance(40) {
            // Only the first statement may block.
            match self.below(4) {
                0 => {
                    let buffered: Vec<Channel> = scope
                        .channels
                        .iter()
                        .filter(|channel| !self.signatures[channel.signature].rendezvous)
                        .cloned()
                        .collect();
                    let all = std::mem::replace(&mut scope.channels, buffered);
                    self.receive(scope, Form::Guard);
                    scope.channels = all;
                }
                _ => {
                    let condition = self.condition(scope);
                    self.line(&format!("{condition};"));
                }
            }
        } else {
            // SPIN executes a sequence that begins with `assert` or `printf` even while others are about to meet.
            self.assignment(scope);
            if self.rng.chance(3) {
                let condition = self.comparison(scope, 1);
                self.line(&format!("{condition};"));
            }
        }
        let count = self.below(3);
        self.statements(scope, count);
        self.indent -= 2;
        self.line("};");
        scope.deterministic = false;
        scope.in_loop = outer;
    }

    /// `{ .. } unless { .. }`
    fn unless(&mut self, scope: &mut Scope) {
        let open = if self.rng.chance(25) { "atomic {" } else { "{" };
        self.line(open);
        self.indent += 2;
        let count = 1 + self.below(3);
        let mut main = scope.clone();
        main.atomic |= open.starts_with("atomic");
        let start = self.text.len();
        self.statements(&mut main, count);
        // In an atomic sequence SPIN gets stuck at an `unless` that begins with a jump out of it.
        let first = self.text[start..].trim_start_matches(['{', ' ', '\n']);
        if scope.atomic && (first.starts_with("goto") || first.starts_with("break")) {
            self.text.insert_str(start, &format!("{:1$}skip;\n", "", self.indent));
        }
        let nested = self.text[start..].contains("unless");
        self.indent -= 2;
        let escape = self.rng.pick(&["} unless {", "} unless {", "} unless atomic {", "} unless d_step {"]);
        self.line(escape);
        self.indent += 2;
        let mut inner = scope.clone();
        inner.atomic |= escape.contains("atomic");
        if escape.contains("d_step") {
            inner.deterministic = true;
            inner.in_loop = false;
            let condition = self.comparison(&inner, 1);
            self.line(&format!("{condition};"));
        } else {
            match self.below(6) {
                0 => {
                    let mut sending = inner.clone();
                    if nested {
                        // SPIN forgets that an inner escape was possible when the outer one finds nobody to meet.
                        let buffered = |channel: &Channel| !self.signatures[channel.signature].rendezvous;
                        sending.channels.retain(buffered);
                    }
                    self.send(&mut sending, Form::Guard);
                }
                1 => self.receive(&mut inner, Form::Guard),
                _ => {
                    let condition = self.condition(&inner);
                    self.line(&format!("{condition};"));
                }
            }
        }
        let count = self.below(3);
        self.statements(&mut inner, count);
        self.indent -= 2;
        self.line("};");
    }

    /// `for`, over numbers or an array. The counter is a variable that the body may change, too.
    fn counted(&mut self, scope: &mut Scope) {
        let counters: Vec<_> = scope
            .places
            .iter()
            .filter(|p| p.lengths.is_empty() && matches!(p.ty, Ty::Byte | Ty::Int | Ty::Short))
            .filter(|p| !p.access.contains('.'))
            .cloned()
            .collect();
        if counters.is_empty() {
            self.line("skip;");
            return;
        }
        let counter = self.rng.pick(&counters);
        let arrays: Vec<String> = scope
            .places
            .iter()
            .filter(|p| p.lengths.len() == 1 && p.access.ends_with("[#]") && !p.access.contains('.'))
            .map(|p| p.access.replace("[#]", ""))
            .collect();
        let head = if !arrays.is_empty() && self.rng.chance(40) {
            format!("{} in {}", counter.access, self.rng.pick(&arrays))
        } else {
            format!("{} : 0 .. {}", counter.access, self.below(3))
        };
        // In a deterministic sequence the loop must end, in an atomic one it should.
        let mut inner = scope.clone();
        inner.in_loop = true;
        if scope.deterministic || scope.atomic {
            inner.places.retain(|place| place.access != counter.access);
        }
        if scope.deterministic {
            inner.depth = 3;
        }
        if inner.places.is_empty() {
            self.line("skip;");
            return;
        }
        self.line(&format!("for ({head}) {{"));
        self.indent += 2;
        let count = 1 + self.below(2);
        if scope.deterministic {
            for _ in 0..count {
                self.assignment(&inner);
            }
        } else {
            self.statements(&mut inner, count);
        }
        self.indent -= 2;
        self.line("}");
    }
}
