//! Random static specifications: what they consist of, and their text.
//!
//! The naive interpreter ([`super::naive`]) reads this structure, not the text: no parser of ours takes part on its side.

use elnath_kernel::rng::Rng;
use std::fmt::Write as _;

/// A number from 0 to 2, or from 0 to 1 where it is sent.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Const(i32),
    /// `x`, `y`.
    Var(usize),
    /// `a[..]`.
    Element(Box<Number>),
    /// `r.f`.
    Field,
    /// The parameter of the message.
    Parameter,
    /// The variable of `any`.
    Choice,
    /// `(.. + ..) mod 3`.
    Sum(Box<Number>, Box<Number>),
    /// A function that returns `(n * 2) mod 3`.
    Twice(Box<Number>),
}

#[derive(Clone, Debug)]
pub(super) enum Truth {
    Const(bool),
    Flag,
    Less(Number, Number),
    Equal(Number, Number),
    Not(Box<Truth>),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
    /// `n in s`.
    In(Number),
    /// `n in [a, b..2]`.
    Among(Number, i32, i32),
    /// `exist j: 0..2 suchthat a[j] = n`.
    Exist(Number),
    /// A function with a local variable and branches: `n > 1`.
    Large(Number),
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Assign(usize, Number),
    Element(Number, Number),
    Field(Number),
    Flag(Truth),
    /// `s := s + [n]`, or `-`.
    Set(bool, Number),
    /// Point, element, message, argument.
    Output(usize, usize, usize, Number),
    If(Truth, Vec<Statement>, Vec<Statement>),
    /// `for t := 0 to n do`; the body sees `t` as [`Number::Var`] 2.
    For(Number, Vec<Statement>),
    /// `while x < n do x := x + 1`.
    While(Number),
    /// `case n of 0: ..; 1, 2: .. end`.
    Case(Number, Vec<Statement>, Vec<Statement>),
    /// A procedure that adds a number to a variable that it is given.
    Add(usize, Number),
    /// `x := x + 1`, which may be too much.
    Increment,
}

#[derive(Clone, Debug)]
pub(super) struct Transition {
    pub from: Vec<usize>,
    pub to: Option<usize>,
    /// Point, element, message.
    pub when: Option<(usize, usize, usize)>,
    pub guard: Truth,
    /// It stands after another with `otherwise`, whose guard this is the negation of.
    pub otherwise: bool,
    pub priority: Option<u32>,
    /// Least and most; no most: `*`.
    pub delay: Option<(u32, Option<u32>)>,
    /// `any i: 0..1`.
    pub any: bool,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) struct Module {
    pub states: usize,
    pub initial: usize,
    pub transitions: Vec<Transition>,
    /// By interaction point: how many elements it has, and whether its queue is common.
    pub points: Vec<(usize, bool)>,
    /// The messages that it may send in all.
    pub budget: u32,
}

/// How the modules of a system move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A module alone.
    Single,
    /// Some, in turns.
    Activity,
    /// Some, together.
    Process,
    /// Some together, of which the first two take turns.
    Mixed,
}

/// An element of a point of a module: the numbers of the three.
type End = (usize, usize, usize);

#[derive(Clone, Debug)]
pub(super) struct Specification {
    pub modules: Vec<Module>,
    /// Kinds, and how many modules each has.
    pub systems: Vec<(Kind, usize)>,
    /// Of each element of a point of a module, the other end.
    pub peers: Vec<(End, End)>,
}

/// The messages of the channel, and whether they have a parameter. Both roles send them.
pub(super) const MESSAGES: [(&str, bool); 3] = [("m", true), ("k", false), ("z", true)];

impl Specification {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let mut systems = Vec::new();
        let mut count = 0;
        let wanted = 1 + rng.below(3) as usize;
        while systems.len() < wanted && count < 4 {
            let (kind, size) = match rng.below(8) {
                0..4 => (Kind::Single, 1),
                4 | 5 => (Kind::Process, 2),
                6 => (Kind::Activity, 2),
                _ => (Kind::Mixed, 3),
            };
            systems.push((kind, size));
            count += size;
        }
        let mut modules: Vec<Module> = (0..count)
            .map(|_| {
                let points =
                    (0..1 + rng.below(2)).map(|_| (1 + rng.below(2) as usize, rng.below(3) == 0)).collect();
                let states = 1 + rng.below(3) as usize;
                let initial = rng.below(states as u64) as usize;
                Module { states, initial, transitions: Vec::new(), points, budget: rng.below(3) as u32 }
            })
            .collect();
        // All ends in a row; neighbours are connected, some of them left alone. A role is that of the point, so that an end of an even point
        // goes with one of an odd point.
        let mut ends: [Vec<(usize, usize, usize)>; 2] = [Vec::new(), Vec::new()];
        for (number, module) in modules.iter().enumerate() {
            for (point, (elements, _)) in module.points.iter().enumerate() {
                let role = (number + point) % 2;
                ends[role].extend((0..*elements).map(|element| (number, point, element)));
            }
        }
        let mut peers = Vec::new();
        while !ends[0].is_empty() && !ends[1].is_empty() {
            let take = |ends: &mut Vec<_>, rng: &mut Rng| {
                let at = rng.below(ends.len() as u64) as usize;
                ends.swap_remove(at)
            };
            let (a, b) = (take(&mut ends[0], rng), take(&mut ends[1], rng));
            if rng.below(10) > 0 {
                peers.push((a, b));
                peers.push((b, a));
            }
        }
        for module in &mut modules {
            for _ in 0..1 + rng.below(4) {
                let transition = Transition::random(rng, module);
                if rng.below(5) == 0 && !matches!(transition.guard, Truth::Const(_)) {
                    let mut twin = Transition::random(rng, module);
                    twin.from.clone_from(&transition.from);
                    twin.to = transition.to;
                    twin.when = transition.when;
                    twin.any = transition.any;
                    twin.delay = twin.delay.filter(|_| twin.when.is_none());
                    // What it does must not speak of what it does not have.
                    let has_parameter = twin.when.is_some_and(|(_, _, message)| MESSAGES[message].1);
                    twin.body.retain(|statement| !statement.uses_more(has_parameter, twin.any));
                    twin.guard = Truth::Not(Box::new(transition.guard.clone()));
                    twin.otherwise = true;
                    module.transitions.push(transition);
                    module.transitions.push(twin);
                } else {
                    module.transitions.push(transition);
                }
            }
        }
        Self { modules, systems, peers }
    }

    /// Whether something in it may go wrong.
    pub(super) fn can_fail(&self) -> bool {
        self.modules.iter().flat_map(|module| &module.transitions).any(|transition| {
            transition.body.iter().any(|statement| matches!(statement, Statement::Increment))
        })
    }

    pub(super) fn has(&self, wanted: impl Fn(&Transition) -> bool) -> bool {
        self.modules.iter().flat_map(|module| &module.transitions).any(wanted)
    }

    pub(super) fn text(&self, rng: &mut Rng) -> String {
        let mut text = String::from("specification Random;\ntype number = 0..2; short = 0..1;\n");
        text += "channel C (A, B);\n  by A, B: m(v: short); k; z(v: number);\n";
        let mut inits = String::new();
        let mut first = 0;
        let mut vars = Vec::new();
        for (number, &(kind, size)) in self.systems.iter().enumerate() {
            let modules: Vec<usize> = (first..first + size).collect();
            first += size;
            let (class, inner) = match kind {
                Kind::Single => {
                    text += &self.module(modules[0], "systemprocess", rng);
                    vars.push(format!("M{}: T{}", modules[0], modules[0]));
                    let _ = writeln!(inits, "  init M{0} with D{0};", modules[0]);
                    continue;
                }
                Kind::Activity => ("systemactivity", "activity"),
                Kind::Process | Kind::Mixed => ("systemprocess", "process"),
            };
            // The points of the modules within are handed on by their parents.
            let _ = writeln!(text, "module G{number} {class};\n{}end;", self.handed(&modules));
            let _ = writeln!(text, "body H{number} for G{number};");
            if kind == Kind::Mixed {
                let (turns, rest) = modules.split_at(2);
                let _ = writeln!(text, "module I{number} activity;\n{}end;", self.handed(turns));
                let _ = writeln!(text, "body J{number} for I{number};");
                turns.iter().for_each(|&module| text += &self.module(module, "activity", rng));
                text += &self.inner(turns);
                text += "end;\n";
                rest.iter().for_each(|&module| text += &self.module(module, "process", rng));
                let declared =
                    rest.iter().map(|module| format!("M{module}: T{module}; ")).collect::<String>();
                let _ = writeln!(text, "modvar K: I{number}; {declared}");
                let _ = writeln!(text, "initialize begin\n  init K with J{number};");
                for module in rest {
                    let _ = writeln!(text, "  init M{module} with D{module};");
                }
                turns.iter().for_each(|&module| text += &self.attach(module, "K", &format!("M{module}_")));
                rest.iter().for_each(|&module| text += &self.attach(module, &format!("M{module}"), ""));
                text += "end;\n";
            } else {
                modules.iter().for_each(|&module| text += &self.module(module, inner, rng));
                text += &self.inner(&modules);
            }
            text += "end;\n";
            vars.push(format!("S{number}: G{number}"));
            let _ = writeln!(inits, "  init S{number} with H{number};");
        }
        let mut done = Vec::new();
        for (a, b) in &self.peers {
            if !done.contains(b) {
                done.push(*a);
                let _ = writeln!(inits, "  connect {} to {};", self.end(*a), self.end(*b));
            }
        }
        let _ = write!(text, "modvar {};\ninitialize begin\n{inits}end;\nend.\n", vars.join("; "));
        text
    }

    /// Interaction points of a group: those of its modules.
    fn handed(&self, modules: &[usize]) -> String {
        let mut text = String::from("  ip ");
        for &module in modules {
            for (point, (elements, _)) in self.modules[module].points.iter().enumerate() {
                let role = ["A", "B"][(module + point) % 2];
                let _ = write!(text, "M{module}_p{point}: array [1..{elements}] of C({role}); ");
            }
        }
        text + "\n"
    }

    /// Variables, initialisations and attachments of a group of modules.
    fn inner(&self, modules: &[usize]) -> String {
        let declared = modules.iter().map(|module| format!("M{module}: T{module}; ")).collect::<String>();
        let mut text = format!("modvar {declared}\ninitialize begin\n");
        for &module in modules {
            let _ = writeln!(text, "  init M{module} with D{module};");
        }
        modules.iter().for_each(|&module| text += &self.attach(module, &format!("M{module}"), ""));
        text + "end;\n"
    }

    fn attach(&self, module: usize, to: &str, prefix: &str) -> String {
        let mut text = String::new();
        for (point, (elements, _)) in self.modules[module].points.iter().enumerate() {
            let _ = writeln!(
                text,
                "  all i: 1..{elements} do attach M{module}_p{point}[i] to {to}.{prefix}p{point}[i];"
            );
        }
        text
    }

    /// An end, as the specification names it.
    fn end(&self, (module, point, element): (usize, usize, usize)) -> String {
        let mut first = 0;
        for (number, &(kind, size)) in self.systems.iter().enumerate() {
            if module < first + size {
                let element = element + 1;
                return match kind {
                    Kind::Single => format!("M{module}.p{point}[{element}]"),
                    _ => format!("S{number}.M{module}_p{point}[{element}]"),
                };
            }
            first += size;
        }
        unreachable!("every module is in a system")
    }

    fn module(&self, number: usize, class: &str, rng: &mut Rng) -> String {
        let module = &self.modules[number];
        let mut text = format!("module T{number} {class};\n  ip ");
        for (point, (elements, common)) in module.points.iter().enumerate() {
            let role = ["A", "B"][(number + point) % 2];
            let queue = if *common { "common" } else { "individual" };
            let _ = write!(text, "p{point}: array [1..{elements}] of C({role}) {queue} queue; ");
        }
        let names: Vec<String> = (0..module.states).map(|state| format!("Q{state}")).collect();
        let _ = write!(
            text,
            "\nend;\nbody D{number} for T{number};\n  state {};\n  stateset EVERY = [{0}];\n",
            names.join(", "),
        );
        text += "  var x, y, t: number; b: boolean; a: array [0..2] of number; r: record e: boolean; f: number end;\n";
        text += "    s: set of number; left: 0..3;\n";
        text += "  function twice(n: number): number; begin twice := (n * 2) mod 3 end;\n";
        text += "  function large(n: number): boolean; var u: 0..9;\n";
        text += "    begin u := n + 1; if u > 2 then large := true else large := false end;\n";
        text += "  procedure add(var n: number; m: number); begin n := (n + m) mod 3 end;\n";
        let _ = writeln!(
            text,
            "  initialize to Q{} begin x := 0; y := 0; t := 0; left := {}; s := []; all i: 0..2 do a[i] := 0 end;",
            module.initial, module.budget
        );
        let mut before: Option<&Transition> = None;
        for transition in &module.transitions {
            let shares = before.is_some_and(|before| before.from == transition.from) && rng.below(2) == 0;
            text += &transition.text(transition.otherwise || shares, module.states);
            before = Some(transition);
        }
        text + "end;\n"
    }
}

impl Transition {
    fn random(rng: &mut Rng, module: &Module) -> Self {
        let states = module.states as u64;
        let mut from: Vec<usize> = (0..module.states).filter(|_| rng.below(2) == 0).collect();
        if from.is_empty() {
            from.push(rng.below(states) as usize);
        }
        let to = (rng.below(3) > 0).then(|| rng.below(states) as usize);
        let when = (rng.below(2) == 0).then(|| {
            let point = rng.below(module.points.len() as u64) as usize;
            (point, rng.below(module.points[point].0 as u64) as usize, rng.below(3) as usize)
        });
        let any = rng.below(6) == 0;
        let mut scope = Scope {
            parameter: when.is_some_and(|(_, _, message)| MESSAGES[message].1),
            choice: any,
            counts: false,
        };
        let guard = if rng.below(2) == 0 { Truth::Const(true) } else { Truth::random(rng, &scope, 2) };
        let mut body: Vec<Statement> =
            (0..rng.below(4)).map(|_| Statement::random(rng, &mut scope, module, 2)).collect();
        if rng.below(40) == 0 {
            body.push(Statement::Increment);
        }
        let priority = (rng.below(4) == 0).then(|| rng.below(3) as u32);
        let least = rng.below(3) as u32;
        let delay = (when.is_none() && rng.below(5) == 0)
            .then(|| (least, (rng.below(3) > 0).then(|| least + rng.below(2) as u32)));
        Self { from, to, when, guard, otherwise: false, priority, delay, any, body }
    }

    fn text(&self, shares: bool, states: usize) -> String {
        let mut text = String::from(if shares { "   " } else { "  trans" });
        if !shares {
            let names: Vec<String> = self.from.iter().map(|state| format!("Q{state}")).collect();
            let all = self.from.len() == states && states > 1;
            let _ = write!(text, " from {}", if all { "EVERY".to_owned() } else { names.join(", ") });
        }
        if !self.otherwise {
            match self.to {
                Some(state) => _ = write!(text, " to Q{state}"),
                None => text += " to same",
            }
            if self.any {
                text += " any i: 0..1 do";
            }
            if let Some((point, element, message)) = self.when {
                let _ = write!(text, " when p{point}[{}].{}", element + 1, MESSAGES[message].0);
            }
        }
        if self.otherwise {
            text += " provided otherwise";
        } else {
            let _ = write!(text, " provided {}", self.guard.text());
        }
        if let Some(priority) = self.priority {
            let _ = write!(text, " priority {priority}");
        }
        if let Some((least, most)) = self.delay {
            let _ = match most {
                Some(most) if most == least => write!(text, " delay ({least})"),
                Some(most) => write!(text, " delay ({least}, {most})"),
                None => write!(text, " delay ({least}, *)"),
            };
        }
        let mut body = String::new();
        self.body.iter().for_each(|statement| body += &statement.text());
        let _ = writeln!(text, " begin {body}end;");
        text
    }
}

struct Scope {
    parameter: bool,
    choice: bool,
    /// Whether `t` counts.
    counts: bool,
}

impl Number {
    fn random(rng: &mut Rng, scope: &Scope, depth: u32) -> Self {
        match rng.below(if depth == 0 { 6 } else { 10 }) {
            0 | 1 => Number::Const(rng.below(3) as i32),
            2 => Number::Var(rng.below(2 + u64::from(scope.counts)) as usize),
            3 if scope.parameter => Number::Parameter,
            4 if scope.choice => Number::Choice,
            5 => Number::Field,
            6 => Number::Element(Box::new(Self::random(rng, scope, depth - 1))),
            7 => Number::Twice(Box::new(Self::random(rng, scope, depth - 1))),
            8 | 9 => Number::Sum(
                Box::new(Self::random(rng, scope, depth - 1)),
                Box::new(Self::random(rng, scope, depth - 1)),
            ),
            _ => Number::Var(0),
        }
    }

    fn text(&self) -> String {
        match self {
            Number::Const(value) => value.to_string(),
            Number::Var(var) => ["x", "y", "t"][*var].to_owned(),
            Number::Element(index) => format!("a[{}]", index.text()),
            Number::Field => "r.f".to_owned(),
            Number::Parameter => "v".to_owned(),
            Number::Choice => "i".to_owned(),
            Number::Sum(a, b) => format!("(({} + {}) mod 3)", a.text(), b.text()),
            Number::Twice(a) => format!("twice({})", a.text()),
        }
    }

    fn uses(&self, more: &dyn Fn(&Number) -> bool) -> bool {
        more(self)
            || match self {
                Number::Element(a) | Number::Twice(a) => a.uses(more),
                Number::Sum(a, b) => a.uses(more) || b.uses(more),
                _ => false,
            }
    }
}

impl Truth {
    fn random(rng: &mut Rng, scope: &Scope, depth: u32) -> Self {
        let number = |rng: &mut Rng| Number::random(rng, scope, 1);
        match rng.below(if depth == 0 { 7 } else { 10 }) {
            0 => Truth::Flag,
            1 => Truth::Less(number(rng), number(rng)),
            2 => Truth::Equal(number(rng), number(rng)),
            3 => Truth::In(number(rng)),
            4 => Truth::Among(number(rng), rng.below(3) as i32, rng.below(3) as i32),
            5 => Truth::Exist(number(rng)),
            6 => Truth::Large(number(rng)),
            7 => Truth::Not(Box::new(Self::random(rng, scope, depth - 1))),
            8 => Truth::And(
                Box::new(Self::random(rng, scope, depth - 1)),
                Box::new(Self::random(rng, scope, depth - 1)),
            ),
            _ => Truth::Or(
                Box::new(Self::random(rng, scope, depth - 1)),
                Box::new(Self::random(rng, scope, depth - 1)),
            ),
        }
    }

    fn text(&self) -> String {
        match self {
            Truth::Const(value) => value.to_string(),
            Truth::Flag => "b".to_owned(),
            Truth::Less(a, b) => format!("({} < {})", a.text(), b.text()),
            Truth::Equal(a, b) => format!("({} = {})", a.text(), b.text()),
            Truth::Not(a) => format!("not {}", a.text()),
            Truth::And(a, b) => format!("({} and {})", a.text(), b.text()),
            Truth::Or(a, b) => format!("({} or {})", a.text(), b.text()),
            Truth::In(a) => format!("({} in s)", a.text()),
            Truth::Among(a, one, least) => format!("({} in [{one}, {least}..2])", a.text()),
            Truth::Exist(a) => format!("(exist j: number suchthat a[j] = {})", a.text()),
            Truth::Large(a) => format!("large({})", a.text()),
        }
    }

    fn uses(&self, more: &dyn Fn(&Number) -> bool) -> bool {
        match self {
            Truth::Const(_) | Truth::Flag => false,
            Truth::Less(a, b) | Truth::Equal(a, b) => a.uses(more) || b.uses(more),
            Truth::Not(a) => a.uses(more),
            Truth::And(a, b) | Truth::Or(a, b) => a.uses(more) || b.uses(more),
            Truth::In(a) | Truth::Among(a, _, _) | Truth::Exist(a) | Truth::Large(a) => a.uses(more),
        }
    }
}

impl Statement {
    fn random(rng: &mut Rng, scope: &mut Scope, module: &Module, depth: u32) -> Self {
        let block = |rng: &mut Rng, scope: &mut Scope| -> Vec<Statement> {
            (0..1 + rng.below(2)).map(|_| Self::random(rng, scope, module, depth - 1)).collect()
        };
        match rng.below(if depth == 0 { 10 } else { 14 }) {
            0 => Statement::Assign(rng.below(2) as usize, Number::random(rng, scope, 2)),
            1 => Statement::Element(Number::random(rng, scope, 1), Number::random(rng, scope, 1)),
            2 => Statement::Field(Number::random(rng, scope, 1)),
            3 => Statement::Flag(Truth::random(rng, scope, 1)),
            4 => Statement::Set(rng.below(2) == 0, Number::random(rng, scope, 1)),
            5 => Statement::While(Number::random(rng, scope, 1)),
            6 => Statement::Add(rng.below(2) as usize, Number::random(rng, scope, 1)),
            7..10 => {
                let point = rng.below(module.points.len() as u64) as usize;
                let element = rng.below(module.points[point].0 as u64) as usize;
                Statement::Output(point, element, rng.below(3) as usize, Number::random(rng, scope, 1))
            }
            10 | 11 => Statement::If(Truth::random(rng, scope, 1), block(rng, scope), block(rng, scope)),
            12 => {
                let last = Number::random(rng, scope, 1);
                let before = std::mem::replace(&mut scope.counts, true);
                let body = vec![Self::random(rng, scope, module, 0)];
                scope.counts = before;
                Statement::For(last, body)
            }
            _ => Statement::Case(Number::random(rng, scope, 1), block(rng, scope), block(rng, scope)),
        }
    }

    /// Whether it speaks of a message or a choice that is not there.
    fn uses_more(&self, parameter: bool, choice: bool) -> bool {
        let more = |number: &Number| match number {
            Number::Parameter => !parameter,
            Number::Choice => !choice,
            _ => false,
        };
        self.uses(&more)
    }

    fn uses(&self, more: &dyn Fn(&Number) -> bool) -> bool {
        let any = |body: &[Statement]| body.iter().any(|statement| statement.uses(more));
        match self {
            Statement::Assign(_, a)
            | Statement::Field(a)
            | Statement::Set(_, a)
            | Statement::While(a)
            | Statement::Add(_, a)
            | Statement::Output(_, _, _, a) => a.uses(more),
            Statement::Element(a, b) => a.uses(more) || b.uses(more),
            Statement::Flag(a) => a.uses(more),
            Statement::If(condition, a, b) => condition.uses(more) || any(a) || any(b),
            Statement::For(last, body) => last.uses(more) || any(body),
            Statement::Case(value, a, b) => value.uses(more) || any(a) || any(b),
            Statement::Increment => false,
        }
    }

    fn text(&self) -> String {
        let all = |body: &[Statement]| body.iter().map(Statement::text).collect::<String>();
        match self {
            Statement::Assign(var, value) => format!("{} := {}; ", ["x", "y"][*var], value.text()),
            Statement::Element(index, value) => format!("a[{}] := {}; ", index.text(), value.text()),
            Statement::Field(value) => format!("with r do f := {}; ", value.text()),
            Statement::Flag(value) => format!("b := {}; ", value.text()),
            Statement::Set(true, value) => format!("s := s + [{}]; ", value.text()),
            Statement::Set(false, value) => format!("s := s - [{}]; ", value.text()),
            Statement::Output(point, element, message, value) => {
                let (name, has) = MESSAGES[*message];
                // What is sent with `m` is 0 or 1.
                let value = match name {
                    _ if !has => String::new(),
                    "m" => format!("({} mod 2)", value.text()),
                    _ => format!("({})", value.text()),
                };
                let output = format!("output p{point}[{}].{name}{value}", element + 1);
                format!("if left > 0 then begin left := left - 1; {output} end; ")
            }
            Statement::If(condition, a, b) => {
                format!("if {} then begin {}end else begin {}end; ", condition.text(), all(a), all(b))
            }
            Statement::For(last, body) => {
                format!("for t := 0 to {} do begin {}end; t := 0; ", last.text(), all(body))
            }
            Statement::While(value) => format!("while x < {} do x := x + 1; ", value.text()),
            Statement::Case(value, a, b) => {
                format!("case {} of 0: begin {}end; 1, 2: begin {}end end; ", value.text(), all(a), all(b))
            }
            Statement::Add(var, value) => format!("add({}, {}); ", ["x", "y"][*var], value.text()),
            Statement::Increment => "x := x + 1; ".to_owned(),
        }
    }
}
