//! Random models made of what models rarely contain.
//!
//! A generator shows nothing about what its author did not think of. Reviews named constructs that no random model of the
//! other generators had: priorities, channels whose process has ended, faults in guards, sequences nested four deep,
//! inlines whose parameters are expressions, variables and channels, arrays of structures with arrays in them, and more.
//! Here every model has several of them, at random places: a statement is drawn from the list of all constructs, with
//! the same odds for rare ones as for assignments.
//!
//! **No blind spot by accident.** Every construct has a name in [`RARITIES`], the generator counts each time it writes one,
//! and a test fails if one of the list never occurs.
//!
//! **Comparable with SPIN.** What SPIN refuses, or is known to do differently (`docs/spin-differences.md`), is not written,
//! as far as it can be told from the text: no rendez-vous beside priorities, `set_priority` only where each process comes
//! once, no `else` at the beginning of an escape. Faults are rare, since SPIN stops at most of them.
//!
//! **Small.** Two or three processes of a few statements, values modulo 2 or 3, loops that count.

mod expression;
mod statement;

use elnath_kernel::rng::Rng;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The constructs, by the names under which they are counted.
pub const RARITIES: [&str; 84] = [
    "active [2]",
    "array index out of range",
    "array of structures",
    "assert in d_step",
    "atomic",
    "blocked atomic",
    "channel ended",
    "channel given",
    "channel of a process",
    "conditional expression",
    "copying receive",
    "d_step",
    "division by zero",
    "else",
    "enabled",
    "escape with a receive",
    "escape with a send",
    "escape with atomic",
    "escape with d_step",
    "eval of a structure",
    "eval of an element",
    "eval of an expression",
    "fault behind && or ||",
    "fault in a guard",
    "fault in an index",
    "for in an array",
    "for in a channel",
    "for over a range",
    "get_priority",
    "goto",
    "goto into a sequence",
    "goto out of a sequence",
    "hidden variable",
    "inline",
    "inline in an inline",
    "inline over lines",
    "inline parameter as channel",
    "inline parameter as expression",
    "inline parameter as variable",
    "inline with a local",
    "inline with a return",
    "label of another process",
    "last process",
    "line breaks",
    "local variable modifier",
    "mtype",
    "nested atomic",
    "nested d_step",
    "nested twice",
    "nested three times",
    "nested four times",
    "nested unless",
    "number of processes",
    "option is a block",
    "own priority",
    "poll",
    "poll at random",
    "priority of a proctype",
    "priority of a run",
    "process ended",
    "process number",
    "provided",
    "random copying receive",
    "random receive",
    "remote variable",
    "remote variable by number",
    "rendez-vous",
    "rendez-vous with else",
    "run",
    "run in an assignment",
    "select",
    "select by a loop",
    "send in d_step",
    "set_priority",
    "short circuit",
    "show variable",
    "sorted send",
    "structure as a parameter",
    "structure in a message",
    "structure in a structure",
    "timeout",
    "unless",
    "unless in a loop",
    "unsigned",
];

/// How often each construct occurs.
pub type Occurrences = BTreeMap<&'static str, u64>;

/// The text of a model; the same for the same seed.
pub fn random_rarities(seed: u64) -> String {
    counted_rarities(seed).0
}

/// The text of a model, and what it is made of.
pub fn counted_rarities(seed: u64) -> (String, Occurrences) {
    let mut writer = Writer::new(seed);
    writer.model();
    (writer.text, writer.used)
}

/// What an inline takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameter {
    Expression,
    Variable,
    Channel,
}

#[derive(Clone, Debug)]
struct Inline {
    name: String,
    parameters: Vec<Parameter>,
    /// Whether it may stand in a `d_step`: it never blocks, and neither creates nor jumps.
    steady: bool,
    /// Whether the value of its `return` is assigned.
    returns: bool,
}

/// A process that others look at.
#[derive(Clone, Debug)]
struct Watched {
    name: String,
    pid: u64,
    labels: Vec<String>,
}

/// Where a statement is written.
#[derive(Clone, Debug, Default)]
struct Scope {
    /// Scalar variables that may be assigned to.
    variables: Vec<String>,
    /// Channels of two bytes.
    channels: Vec<String>,
    deterministic: bool,
    atomic: bool,
    in_loop: bool,
    in_unless: bool,
    /// Within an inline: no labels, no jumps, no locals of a process.
    inline: bool,
    /// Directly in the body of a process that is gone through once.
    straight: bool,
    /// How many blocks, sequences and escapes are around.
    depth: usize,
}

struct Writer {
    rng: Rng,
    text: String,
    used: Occurrences,
    names: u32,
    /// Whether there are priorities, and therefore no rendez-vous.
    priorities: bool,
    /// Whether something may fail.
    faults: bool,
    /// Whether statements are separated by line breaks where SPIN's lexer supplies the `;`.
    broken: bool,
    inlines: Vec<Inline>,
    watched: Vec<Watched>,
    /// The labels of the process being written, and those that have no place yet.
    labels: Vec<String>,
    unplaced: Vec<String>,
    /// Whether processes can be created, and whether with a structure as their argument.
    created: bool,
    structure: bool,
    /// The process being written, among those that exist from the start.
    pid: u64,
}

impl Writer {
    fn new(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed.wrapping_mul(0x9fb2_1c65_1e98_df25) ^ 0x4a4e),
            text: String::new(),
            used: Occurrences::new(),
            names: 0,
            priorities: false,
            faults: false,
            broken: false,
            inlines: Vec::new(),
            watched: Vec::new(),
            labels: Vec::new(),
            unplaced: Vec::new(),
            created: false,
            structure: false,
            pid: 0,
        }
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Counts a construct.
    fn uses(&mut self, construct: &'static str) {
        debug_assert!(RARITIES.contains(&construct), "{construct} has no row");
        *self.used.entry(construct).or_default() += 1;
    }

    fn line(&mut self, text: &str) {
        writeln!(self.text, "{text}").expect("writing to a string");
    }

    fn model(&mut self) {
        self.priorities = self.rng.chance(20);
        self.faults = self.rng.chance(25);
        self.broken = self.rng.chance(30);
        self.created = self.rng.chance(50);
        self.declarations();
        for _ in 0..1 + self.rng.below(2) {
            self.inline();
        }
        if self.created {
            self.created_process();
        }
        let active = 1 + u64::from(!self.created || self.rng.chance(40));
        let mut pid = 0;
        for _ in 0..active {
            pid += self.active_process(pid);
        }
        if self.created && self.rng.chance(50) {
            self.initial_process(pid);
        }
    }

    fn declarations(&mut self) {
        self.line("mtype = { m0, m1, m2 }");
        self.line("typedef T { byte f; byte k[2] }");
        self.line("typedef U { T t[2]; byte z }");
        // SPIN takes no structures with arrays as parameters or in messages.
        self.line("typedef V { byte f; byte o }");
        let modifier = self.rng.pick(&["", "", "show ", "local "]);
        match modifier {
            "show " => self.uses("show variable"),
            "local " => self.uses("local variable modifier"),
            _ => {}
        }
        let (first, second) = (self.rng.below(3), self.rng.below(2));
        self.line(&format!("byte g = {first}, h; {modifier}byte e = {second};"));
        self.line("byte a[3]; U u; T s[2]; V vs[2]; mtype mt = m1; hidden byte hid;");
        if !self.priorities {
            self.line("bool fl; unsigned us : 2;");
        }
        let (two, one) = (1 + self.rng.below(2), 1 + self.rng.below(2));
        self.line(&format!("chan q = [{two}] of {{ byte, byte }};"));
        self.line(&format!("chan p = [{one}] of {{ mtype, byte }};"));
        self.line("chan m = [1] of { V }; chan link = [1] of { chan };");
        if !self.priorities {
            self.line("chan r = [0] of { byte, byte };");
        }
    }

    /// The scope of a body: what is global, and the locals that every process has.
    fn scope(&self, locals: bool) -> Scope {
        let globals = ["g", "h", "e", "a[1]", "u.z"];
        let mut variables: Vec<String> = globals.iter().map(|&name| name.to_owned()).collect();
        if locals {
            variables.extend(["x", "y", "b[0]"].map(str::to_owned));
        }
        let mut channels = vec!["q".to_owned()];
        if !self.priorities {
            channels.push("r".to_owned());
        }
        Scope { variables, channels, ..Scope::default() }
    }

    /// `inline f(pe, pv, pc) { .. }`: an expression, a variable, a channel.
    fn inline(&mut self) {
        let name = self.name("inl");
        let parameters: Vec<Parameter> = (0..1 + self.rng.below(3))
            .map(|_| self.rng.pick(&[Parameter::Expression, Parameter::Variable, Parameter::Channel]))
            .collect();
        let names: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(index, parameter)| {
                let prefix = match parameter {
                    Parameter::Expression => "pe",
                    Parameter::Variable => "pv",
                    Parameter::Channel => "pc",
                };
                format!("{prefix}{index}")
            })
            .collect();
        let steady = self.rng.chance(40);
        let returns = self.rng.chance(15);
        let mut scope = self.scope(false);
        let mut statements = Vec::new();
        for (parameter, name) in parameters.iter().zip(&names) {
            match parameter {
                Parameter::Variable => {
                    scope.variables.push(name.clone());
                    scope.variables.push(name.clone());
                    statements.push(format!("{name} = ({name} + 1) % 3"));
                }
                Parameter::Expression => {
                    let variable = self.rng.pick(&scope.variables);
                    statements.push(match self.rng.below(3) {
                        0 => format!("{variable} = ({name}) % 3"),
                        1 if !steady => format!("if :: {name} == 1 -> {variable} = 1 :: else fi"),
                        _ => format!("printf(\"%d\\n\", {name})"),
                    });
                }
                Parameter::Channel => {
                    scope.channels.push(name.clone());
                    let value = self.rng.below(3);
                    statements.push(match self.rng.below(2) {
                        _ if steady => "skip".to_owned(),
                        0 => format!("{name}!{value},1"),
                        _ => format!("{name}?{value},_"),
                    });
                }
            }
        }
        scope.inline = true;
        scope.deterministic = steady;
        scope.depth = 2;
        if self.rng.chance(20) && !steady {
            self.uses("inline with a local");
            let local = self.name("t");
            statements.insert(0, format!("byte {local}; {local} = g; h = {local} % 2"));
        }
        for _ in 0..1 + self.rng.below(2) {
            statements.push(self.statement(&scope));
        }
        if returns {
            statements.push("return (g + 1) % 3".to_owned());
        }
        // Without `;` where a line ends: SPIN's lexer supplies it, also before a line that begins with a parameter.
        let over_lines = self.rng.chance(60);
        if over_lines {
            self.uses("inline over lines");
        }
        let mut body = String::new();
        for (index, statement) in statements.iter().enumerate() {
            if index > 0 {
                body += if over_lines && may_end_a_line(&statements[index - 1]) { "\n" } else { "; " };
            }
            body += statement;
        }
        self.line(&format!("inline {name}({}) {{ {body}\n}}", names.join(", ")));
        self.inlines.push(Inline { name, parameters, steady, returns });
    }

    fn created_process(&mut self) {
        let structure = self.rng.chance(25);
        self.structure = structure;
        if structure {
            self.uses("structure as a parameter");
        }
        let extra = if structure { "; V vv" } else { "" };
        let suffix = self.suffix();
        self.line(&format!("proctype D(chan c; byte n{extra}){suffix}"));
        let mut scope = self.scope(true);
        scope.variables.push("n".to_owned());
        if structure {
            scope.variables.push("vv.o".to_owned());
        }
        scope.channels.push("c".to_owned());
        if self.rng.chance(60) {
            // The process may end while others hold its channel.
            self.uses("channel of a process");
            scope.channels.push("own".to_owned());
            self.body(&scope, "chan own = [1] of { byte, byte };", "link!own");
        } else {
            self.body(&scope, "", "skip");
        }
    }

    fn suffix(&mut self) -> String {
        let mut text = String::new();
        if self.priorities && self.rng.chance(60) {
            self.uses("priority of a proctype");
            write!(text, " priority {}", 1 + self.rng.below(3)).expect("writing to a string");
        }
        if self.rng.chance(8) {
            self.uses("provided");
            let condition =
                self.rng.pick(&["g != 2", "h == 0 || e == 1", "len(q) < 2", "a[1] != 1", "_nr_pr > 1"]);
            write!(text, " provided ({condition})").expect("writing to a string");
        }
        text
    }

    /// Writes a process that exists from the start, and tells how many of it.
    fn active_process(&mut self, pid: u64) -> u64 {
        let name = self.name("P");
        let two = self.rng.chance(10);
        if two {
            self.uses("active [2]");
        }
        let times = if two { "[2] " } else { "" };
        let suffix = self.suffix();
        self.pid = pid;
        self.line(&format!("active {times}proctype {name}(){suffix}"));
        let scope = self.scope(true);
        self.body(&scope, "", "");
        let labels = std::mem::take(&mut self.labels);
        if !two {
            self.watched.push(Watched { name, pid, labels });
        }
        1 + u64::from(two)
    }

    fn initial_process(&mut self, pid: u64) {
        self.pid = pid;
        self.line("init");
        let scope = self.scope(true);
        let first = match self.rng.below(3) {
            0 => format!("atomic {{ {}; {} }}", self.run(&scope), self.run(&scope)),
            1 => format!("{}; {}", self.run(&scope), self.run(&scope)),
            _ => self.run(&scope),
        };
        self.body(&scope, "", &first);
    }

    /// A body in braces. `first` is its first statement, if it is given.
    fn body(&mut self, scope: &Scope, declared: &str, first: &str) {
        self.labels.clear();
        for _ in 0..self.rng.below(3) {
            let prefix = self.rng.pick(&["L", "L", "end", "progress"]);
            let label = self.name(prefix);
            self.labels.push(label);
        }
        self.unplaced.clone_from(&self.labels);
        let mut statements: Vec<String> = Vec::new();
        if !first.is_empty() {
            statements.push(first.to_owned());
        }
        let looped = self.rng.chance(25);
        let scope = Scope { straight: !looped, in_loop: looped, ..scope.clone() };
        for _ in 0..2 + self.rng.below(3) {
            let mut text = self.statement(&scope);
            if !statements.is_empty()
                && !self.unplaced.is_empty()
                && self.rng.chance(40)
                && may_be_labelled(&text)
            {
                let label = self.unplaced.remove(0);
                text = format!("{label}: {text}");
            }
            statements.push(text);
        }
        let mut text = self.sequence(&statements);
        for label in std::mem::take(&mut self.unplaced) {
            write!(text, ";\n {label}: skip").expect("writing to a string");
        }
        if looped {
            text = format!("do\n :: y < 2 -> y++; {text}\n :: else -> break\n od");
        }
        self.line(&format!(
            "{{ byte x, y, i; byte b[2]; T w; V v; chan z = [1] of {{ byte, byte }}; {declared}\n {text}\n}}"
        ));
    }

    /// Statements in a row, separated by `;`, `->` or the end of a line.
    fn sequence(&mut self, statements: &[String]) -> String {
        let mut text = String::new();
        for (index, statement) in statements.iter().enumerate() {
            if index > 0 {
                if self.broken && may_end_a_line(&text) && self.rng.chance(60) {
                    self.uses("line breaks");
                    text += "\n ";
                } else {
                    text += if self.rng.chance(5) { " -> " } else { ";\n " };
                }
            }
            text += statement;
        }
        text
    }
}

/// Whether SPIN's lexer supplies a `;` at the end of a line that ends with this text.
fn may_end_a_line(text: &str) -> bool {
    let last_word = text.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '}')) && last_word != "timeout"
}

/// A label names the loop of a `for` or `select` and not its first assignment, and does not go with jumps and inlines.
fn may_be_labelled(text: &str) -> bool {
    let first = text.trim_start();
    !["goto", "for", "select", "d_step", "inl", "x = inl", "{", "byte"]
        .iter()
        .any(|start| first.starts_with(start))
        && !text.contains("unless")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::print_stderr)] // Figures for those who change the generator.
    fn every_construct_occurs() {
        let mut all = Occurrences::new();
        for seed in 0..1000 {
            for (construct, times) in counted_rarities(seed).1 {
                *all.entry(construct).or_default() += times;
            }
        }
        for construct in RARITIES {
            eprintln!("{:>7}  {construct}", all.get(construct).copied().unwrap_or(0));
        }
        let never: Vec<&&str> =
            RARITIES.iter().filter(|construct| all.get(*construct).is_none_or(|&times| times < 5)).collect();
        assert!(never.is_empty(), "hardly ever or never in 1000 models: {never:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_text_and_others_give_others() {
        let texts: std::collections::HashSet<String> = (0..50).map(random_rarities).collect();
        assert_eq!(texts.len(), 50);
        assert_eq!(random_rarities(7), random_rarities(7));
    }
}
