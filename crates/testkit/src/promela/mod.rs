//! Random small Promela models, for comparing answers with another tool.
//!
//! A model is written as text at once, not as a tree: what is compared is the whole way from characters to figures, and
//! text is what both tools read. The generator knows just enough of the language to stay within what is accepted (names
//! are declared before use and never hide others, an `else` has no rival, jumps do not leave deterministic sequences)
//! and aims at the corners where two implementations would part: where an atomic sequence ends, what an escape
//! interrupts, which statement a jump leads to, what a declaration in the middle of a body costs.
//!
//! **Small state spaces.** Values are mostly taken modulo 2 to 4, loops mostly run on a counter, bodies have a handful
//! of statements, and few processes exist at a time. There is no guarantee: a comparison must limit its searches.
//!
//! **Errors that stop the comparison are rare.** After a failed assertion both tools go on in the same state. After an
//! index out of range or a division by zero there is nothing to compare any more, so these get small odds.

mod corners;
mod creation;
mod expression;
mod formula;
mod rare;
mod statement;
mod symmetric;
mod tandem;

pub use corners::{CORNER_FORMULAS, random_corners};
pub use creation::{CREATION_MODELS, creation_model};
pub use formula::{random_promela_with_formula, random_promela_with_formulas};
pub use rare::{Occurrences, RARITIES, counted_rarities, random_rarities};
pub use symmetric::{random_numbered, random_symmetric};
pub use tandem::random_tandem;

use elnath_kernel::rng::Rng;
use std::fmt::Write as _;

/// The text of a model; the same for the same seed.
pub fn random_promela(seed: u64) -> String {
    let mut generator = Generator::new(seed);
    generator.model();
    generator.text
}

/// A type of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ty {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Unsigned(u8),
    Mtype,
    Pid,
}

impl Ty {
    fn signed(self) -> bool {
        matches!(self, Ty::Short | Ty::Int)
    }

    /// Whether every value of another type fits.
    fn holds(self, other: Ty) -> bool {
        let bits = |ty: Ty| match ty {
            Ty::Bit | Ty::Bool => 1,
            Ty::Unsigned(bits) => u32::from(bits),
            Ty::Byte | Ty::Pid | Ty::Mtype => 8,
            Ty::Short => 16,
            Ty::Int => 32,
        };
        bits(self) >= bits(other)
    }

    fn name(self) -> &'static str {
        match self {
            Ty::Bit => "bit",
            Ty::Bool => "bool",
            Ty::Byte => "byte",
            Ty::Short => "short",
            Ty::Int => "int",
            Ty::Unsigned(_) => "unsigned",
            Ty::Mtype => "mtype",
            Ty::Pid => "pid",
        }
    }
}

/// A variable, an array, or a scalar part of a structure: how to write it, with `#` where an index goes.
#[derive(Clone, Debug)]
struct Place {
    access: String,
    lengths: Vec<u32>,
    ty: Ty,
}

/// What a message field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Scalar(Ty),
    /// A channel with the signature of this number.
    Channel(usize),
    /// A structure, by the number of its type.
    Struct(usize),
}

/// What channels have in common that can stand for each other.
#[derive(Clone, Debug)]
struct Signature {
    rendezvous: bool,
    fields: Vec<Field>,
}

/// A channel or an array of them: how to write it, as for [`Place`].
#[derive(Clone, Debug)]
struct Channel {
    access: String,
    lengths: Vec<u32>,
    signature: usize,
}

/// A variable of a structured type.
#[derive(Clone, Debug)]
struct StructVar {
    name: String,
    typedef: usize,
}

/// The scalar parts of a structured type.
#[derive(Clone, Debug)]
struct Typedef {
    name: String,
    parts: Vec<Place>,
}

/// A parameter of a process.
#[derive(Clone, Copy, Debug)]
enum Parameter {
    Scalar(Ty),
    Channel(usize),
}

/// A process that others may start.
#[derive(Clone, Debug)]
struct Startable {
    name: String,
    parameters: Vec<Parameter>,
}

/// A process that exists from the start, for those who look at it from outside.
#[derive(Clone, Debug)]
struct Watched {
    name: String,
    pid: usize,
    labels: Vec<String>,
    locals: Vec<String>,
}

/// A body of text with parameters: `true` where a parameter is assigned to.
#[derive(Clone, Debug)]
struct Inline {
    name: String,
    assigned: Vec<bool>,
}

/// What is visible where a statement is written, and what is allowed there.
#[derive(Clone, Debug, Default)]
struct Scope {
    places: Vec<Place>,
    channels: Vec<Channel>,
    structs: Vec<StructVar>,
    /// Within a deterministic sequence: no jumps, no rendez-vous, no blocking.
    deterministic: bool,
    atomic: bool,
    /// Whether there is a loop to leave.
    in_loop: bool,
    /// How deep statements are nested.
    depth: u32,
    /// Within an inline body: no labels, no declarations.
    plain: bool,
}

struct Generator {
    rng: Rng,
    text: String,
    indent: usize,
    names: u32,
    symbols: Vec<String>,
    typedefs: Vec<Typedef>,
    signatures: Vec<Signature>,
    globals: Scope,
    startable: Vec<Startable>,
    watched: Vec<Watched>,
    inlines: Vec<Inline>,
    /// The labels of the process being written: all of them, and those not yet placed.
    labels: Vec<String>,
    unplaced: Vec<String>,
    has_priorities: bool,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed),
            text: String::new(),
            indent: 0,
            names: 0,
            symbols: Vec::new(),
            typedefs: Vec::new(),
            signatures: Vec::new(),
            globals: Scope::default(),
            startable: Vec::new(),
            watched: Vec::new(),
            inlines: Vec::new(),
            labels: Vec::new(),
            unplaced: Vec::new(),
            has_priorities: false,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound as u64) as usize
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn line(&mut self, text: &str) {
        let indent = self.indent;
        writeln!(self.text, "{:indent$}{text}", "").expect("writing to a string");
    }

    fn ty(&mut self) -> Ty {
        let mut types = vec![Ty::Bit, Ty::Bool, Ty::Byte, Ty::Byte, Ty::Byte, Ty::Short, Ty::Int, Ty::Pid];
        if !self.symbols.is_empty() {
            types.push(Ty::Mtype);
        }
        if self.has_priorities {
            // SPIN overlooks bits that share a word with a priority.
            types.retain(|ty| !matches!(ty, Ty::Bit | Ty::Bool));
        }
        self.rng.pick(&types)
    }

    fn model(&mut self) {
        self.has_priorities = self.rng.chance(4);
        if self.rng.chance(50) {
            let symbols: Vec<String> = (0..2 + self.below(2)).map(|_| self.name("M")).collect();
            self.line(&format!("mtype = {{ {} }};", symbols.join(", ")));
            self.symbols = symbols;
        }
        for _ in 0..self.below(3).min(1 + self.below(2)) {
            self.typedef();
        }
        for _ in 0..2 + self.below(3) {
            let mut globals = std::mem::take(&mut self.globals);
            self.declare_scalar(&mut globals, true);
            self.globals = globals;
        }
        if !self.typedefs.is_empty() && self.rng.chance(60) {
            let mut globals = std::mem::take(&mut self.globals);
            self.declare_struct(&mut globals);
            self.globals = globals;
        }
        for _ in 0..1 + self.below(3) {
            let mut globals = std::mem::take(&mut self.globals);
            self.declare_channel(&mut globals, 3);
            self.globals = globals;
        }
        for _ in 0..self.below(2) {
            self.inline();
        }
        let dynamic = if self.rng.chance(45) { 1 + self.below(2) } else { 0 };
        for _ in 0..dynamic {
            self.startable_process();
        }
        let active = if dynamic > 0 { 1 + self.below(2) } else { 2 + self.below(2) };
        // Those who are looked at must have been written before; pids go by the text.
        let mut pid = 0;
        for _ in 0..active {
            pid += self.active_process(pid);
        }
        if dynamic > 0 && self.rng.chance(60) {
            self.initial_process();
        }
    }

    fn typedef(&mut self) {
        let name = self.name("T");
        let mut parts = Vec::new();
        let mut fields = Vec::new();
        for _ in 0..1 + self.below(3) {
            let (field, ty) = (self.name("f"), self.ty());
            if self.rng.chance(30) {
                let length = 1 + self.below(3) as u32;
                fields.push(format!("{} {field}[{length}]", ty.name()));
                parts.push(Place { access: format!("{field}[#]"), lengths: vec![length], ty });
            } else if self.rng.chance(15) {
                fields.push(format!("unsigned {field} : 3"));
                parts.push(Place { access: field, lengths: Vec::new(), ty: Ty::Unsigned(3) });
            } else {
                fields.push(format!("{} {field}", ty.name()));
                parts.push(Place { access: field, lengths: Vec::new(), ty });
            }
        }
        if !self.typedefs.is_empty() && self.rng.chance(40) {
            let inner = self.below(self.typedefs.len());
            let inner = self.typedefs[inner].clone();
            let field = self.name("f");
            fields.push(format!("{} {field}", inner.name));
            for part in inner.parts {
                parts.push(Place { access: format!("{field}.{}", part.access), ..part });
            }
        }
        self.line(&format!("typedef {name} {{ {} }};", fields.join("; ")));
        self.typedefs.push(Typedef { name, parts });
    }

    /// A declaration of one variable, in the form its place allows: `list` where an initialiser list may stand.
    fn declare_scalar(&mut self, scope: &mut Scope, list: bool) {
        let ty = self.ty();
        let name = self.name("v");
        if !self.has_priorities && self.rng.chance(8) {
            let init = self.below(5);
            self.line(&format!("unsigned {name} : 3 = {init};"));
            scope.places.push(Place { access: name, lengths: Vec::new(), ty: Ty::Unsigned(3) });
            return;
        }
        let array = self.rng.chance(25);
        let value = match ty {
            Ty::Mtype => self.rng.pick(&self.symbols),
            _ if self.rng.chance(6) => self.rng.pick(&["300", "255", "2"]).to_owned(),
            _ => self.below(3).to_string(),
        };
        let hide = if list && self.rng.chance(3) { "local " } else { "" };
        if !array {
            let init = if self.rng.chance(60) { format!(" = {value}") } else { String::new() };
            self.line(&format!("{hide}{} {name}{init};", ty.name()));
            scope.places.push(Place { access: name, lengths: Vec::new(), ty });
            return;
        }
        let length = 1 + self.below(3) as u32;
        let init = match self.below(4) {
            0 if list && ty != Ty::Mtype => {
                let values: Vec<String> = (0..length).map(|_| self.below(3).to_string()).collect();
                format!(" = {{ {} }}", values.join(", "))
            }
            0 | 1 => format!(" = {value}"),
            _ => String::new(),
        };
        self.line(&format!("{} {name}[{length}]{init};", ty.name()));
        scope.places.push(Place { access: format!("{name}[#]"), lengths: vec![length], ty });
    }

    fn declare_struct(&mut self, scope: &mut Scope) {
        let index = self.below(self.typedefs.len());
        let typedef = self.typedefs[index].clone();
        let name = self.name("s");
        let array = self.rng.chance(30);
        let length = 1 + self.below(2) as u32;
        let brackets = if array { format!("[{length}]") } else { String::new() };
        self.line(&format!("{} {name}{brackets};", typedef.name));
        for part in &typedef.parts {
            let (access, mut lengths) = if array {
                (format!("{name}[#].{}", part.access), vec![length])
            } else {
                (format!("{name}.{}", part.access), Vec::new())
            };
            lengths.extend(&part.lengths);
            scope.places.push(Place { access, lengths, ty: part.ty });
        }
        if !array {
            scope.structs.push(StructVar { name, typedef: index });
        }
    }

    fn declare_channel(&mut self, scope: &mut Scope, most: usize) {
        // SPIN does not combine priorities with rendez-vous.
        let rendezvous = !self.has_priorities && self.rng.chance(40);
        let field = |generator: &mut Self| {
            let carried = generator.signatures.iter().position(|s| s.fields.len() == 1);
            match carried {
                Some(signature) if generator.rng.chance(15) => Field::Channel(signature),
                _ => Field::Scalar(generator.ty()),
            }
        };
        let sendable =
            |typedef: &Typedef| !typedef.parts.iter().any(|part| matches!(part.ty, Ty::Unsigned(_)));
        let sendable: Vec<usize> =
            (0..self.typedefs.len()).filter(|&index| sendable(&self.typedefs[index])).collect();
        let fields: Vec<Field> = if !sendable.is_empty() && self.rng.chance(15) {
            vec![Field::Struct(self.rng.pick(&sendable))]
        } else {
            (0..1 + self.below(most)).map(|_| field(self)).collect()
        };
        let names: Vec<String> = fields
            .iter()
            .map(|field| match field {
                Field::Scalar(ty) => ty.name().to_owned(),
                Field::Channel(_) => "chan".to_owned(),
                Field::Struct(typedef) => self.typedefs[*typedef].name.clone(),
            })
            .collect();
        let capacity = if rendezvous { 0 } else { 1 + self.below(2) };
        let name = self.name("q");
        let array = self.rng.chance(20);
        let (access, lengths) =
            if array { (format!("{name}[#]"), vec![2]) } else { (name.clone(), Vec::new()) };
        let brackets = if array { "[2]" } else { "" };
        self.line(&format!("chan {name}{brackets} = [{capacity}] of {{ {} }};", names.join(", ")));
        let known = self.signatures.iter().position(|s| s.rendezvous == rendezvous && s.fields == fields);
        let signature = known.unwrap_or(self.signatures.len());
        if known.is_none() {
            self.signatures.push(Signature { rendezvous, fields });
        }
        scope.channels.push(Channel { access, lengths, signature });
    }

    /// `inline f(a, b) { .. }`: assigned parameters are given variables, the others numbers.
    fn inline(&mut self) {
        let name = self.name("macro");
        let assigned: Vec<bool> = (0..1 + self.below(2)).map(|_| self.rng.chance(50)).collect();
        let parameters: Vec<String> = assigned.iter().map(|_| self.name("a")).collect();
        self.line(&format!("inline {name}({}) {{", parameters.join(", ")));
        self.indent += 2;
        for (parameter, &assigned) in parameters.iter().zip(&assigned) {
            if assigned {
                self.line(&format!("{parameter} = ({parameter} + 1) % 3;"));
            } else {
                self.line(&format!("printf(\"%d\\n\", {parameter});"));
            }
        }
        let mut scope = self.globals.clone();
        scope.plain = true;
        scope.depth = 2;
        self.statements(&mut scope, 2);
        self.indent -= 2;
        self.line("}");
        self.inlines.push(Inline { name, assigned });
    }

    fn parameters(&mut self, scope: &mut Scope) -> (Vec<Parameter>, String) {
        let mut parameters = Vec::new();
        let mut texts = Vec::new();
        for _ in 0..self.below(3) {
            if self.rng.chance(45) {
                let signature = self.below(self.signatures.len());
                let access = self.name("c");
                texts.push(format!("chan {access}"));
                parameters.push(Parameter::Channel(signature));
                scope.channels.push(Channel { access, lengths: Vec::new(), signature });
            } else {
                let (ty, access) = (self.ty(), self.name("p"));
                texts.push(format!("{} {access}", ty.name()));
                parameters.push(Parameter::Scalar(ty));
                scope.places.push(Place { access, lengths: Vec::new(), ty });
            }
        }
        (parameters, texts.join("; "))
    }

    fn suffixes(&mut self) -> String {
        let mut text = String::new();
        if self.has_priorities && self.rng.chance(60) {
            write!(text, " priority {}", 1 + self.below(3)).expect("writing to a string");
        }
        if self.rng.chance(5) {
            let scope = self.globals.clone();
            let condition = self.comparison(&scope, 1);
            write!(text, " provided ({condition})").expect("writing to a string");
        }
        text
    }

    fn startable_process(&mut self) {
        let name = self.name("d");
        let mut scope = self.globals.clone();
        let (parameters, text) = self.parameters(&mut scope);
        let suffixes = self.suffixes();
        self.line(&format!("proctype {name}({text}){suffixes}"));
        let statements = 2 + self.below(3);
        self.body(&mut scope, statements);
        self.startable.push(Startable { name, parameters });
    }

    /// Writes a process that exists from the start, and tells how many of it.
    fn active_process(&mut self, pid: usize) -> usize {
        let name = self.name("a");
        let mut scope = self.globals.clone();
        let count = if self.rng.chance(15) { 2 } else { 1 };
        let times = if count > 1 { "[2]" } else { "" };
        // Parameters of active processes are 0; a channel would be none.
        let text = if self.rng.chance(10) {
            let access = self.name("p");
            scope.places.push(Place { access: access.clone(), lengths: Vec::new(), ty: Ty::Byte });
            format!("byte {access}")
        } else {
            String::new()
        };
        let suffixes = self.suffixes();
        self.line(&format!("active {times} proctype {name}({text}){suffixes}"));
        let statements = 2 + self.below(4);
        let locals = self.body(&mut scope, statements);
        let labels = std::mem::take(&mut self.labels);
        if count == 1 {
            self.watched.push(Watched { name, pid, labels, locals });
        }
        count
    }

    fn initial_process(&mut self) {
        self.line("init");
        let mut scope = self.globals.clone();
        self.line("{");
        self.indent += 2;
        let atomic = self.rng.chance(50);
        if atomic {
            self.line("atomic {");
        }
        for _ in 0..1 + self.below(2) {
            self.start(&scope);
        }
        if atomic {
            self.line("}");
        }
        self.labels.clear();
        self.unplaced.clear();
        let statements = self.below(3);
        self.statements(&mut scope, statements);
        self.indent -= 2;
        self.line("}");
    }

    /// A body in braces; the names of the scalars declared at its start.
    fn body(&mut self, scope: &mut Scope, statements: usize) -> Vec<String> {
        self.line("{");
        self.indent += 2;
        let globals = scope.places.len();
        for _ in 0..self.below(3) {
            match self.below(10) {
                0 if !self.typedefs.is_empty() => self.declare_struct(scope),
                1 => self.declare_channel(scope, 2),
                _ => self.declare_scalar(scope, true),
            }
        }
        let scalars = scope.places[globals..].iter().filter(|place| place.lengths.is_empty());
        let locals = scalars.map(|place| place.access.clone()).filter(|name| !name.contains('.')).collect();
        self.labels.clear();
        for _ in 0..self.below(3) {
            let prefix = self.rng.pick(&["L", "L", "L", "end", "progress", "accept"]);
            let label = self.name(prefix);
            self.labels.push(label);
        }
        self.unplaced.clone_from(&self.labels);
        self.statements(scope, statements);
        for label in std::mem::take(&mut self.unplaced) {
            self.line(&format!("{label}: skip;"));
        }
        self.indent -= 2;
        self.line("}");
        locals
    }
}

#[cfg(test)]
mod tests {
    use super::random_promela;
    use std::collections::HashSet;

    #[test]
    fn the_same_seed_gives_the_same_text_and_others_give_others() {
        let texts: HashSet<String> = (0..50).map(random_promela).collect();
        assert_eq!(texts.len(), 50);
        assert_eq!(random_promela(7), random_promela(7));
    }

    #[test]
    fn every_construct_occurs() {
        let all: String = (0..400).map(random_promela).collect();
        for construct in [
            "atomic {", "d_step {", "unless", "else", "timeout", "for (", "select (", "goto ", "break",
            "end", "progress", "accept", "typedef", "mtype", "unsigned", "inline", "assert(", "printf(",
            "provided", "priority", "run ", "_pid", "_nr_pr", "len(", "nempty(", "nfull(", "!!", "??", "?<",
            "??<", "?[", "??[", "eval(", "_,", "->", "@", "chan c", "[0] of", "[2] = [",
        ] {
            assert!(all.contains(construct), "{construct} never occurs");
        }
    }
}
