//! Random models with several processes of a kind that nothing tells apart.

use elnath_kernel::rng::Rng;
use std::fmt::Write;

/// A random model of up to four processes of one kind and, now and then, a few others. With `ends`, they may come to
/// their end. What tells processes apart is not in it, or only by accident: those who want symmetry ask whether there is.
pub fn random_symmetric(seed: u64, ends: bool) -> String {
    let rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5e11);
    let mut writer = Writer { rng, text: String::new(), ends };
    writer.model();
    writer.text
}

/// A random model of processes that know their numbers, but only to say whose something is. The first globals are `turn`,
/// which holds such a number, `own`, an array with an element for each, and the channel `t` of such numbers. If `told` is
/// true, processes keep numbers of others in a local `who`, their first.
pub fn random_numbered(seed: u64, told: bool) -> String {
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x901d);
    let mut text = String::from("byte turn = 255; byte own[4]; chan t = [2] of { byte }; byte g;\n");
    // In a table with an element for each, in variables of their own too, or not at all.
    let told: &[&str] = match (told, seed % 3) {
        (true, 0) => &TOLD[..3],
        (true, _) => &TOLD,
        (false, _) => &[],
    };
    if !told.is_empty() {
        text += "byte met[4] = 255;\n";
    }
    let count = 2 + rng.below(2);
    let created = rng.below(3) == 0;
    let head = if created { "proctype P()".to_owned() } else { format!("active [{count}] proctype P()") };
    let who = if told.len() > 3 { "byte who = 255; " } else { "" };
    // Whatever else there is, all of these hold numbers.
    let mut options = String::from(" :: turn = _pid; t!_pid; own[_pid] = 0\n");
    for _ in 0..1 + rng.below(3) {
        let statements: Vec<&str> = (0..1 + rng.below(3)).map(|_| numbered(&mut rng, told)).collect();
        options += &format!(" :: {}\n", statements.join("; "));
    }
    let first = numbered(&mut rng, told);
    text += &format!("{head} {{ {who}byte x; {first}; do\n{options} od }}\n");
    if rng.below(2) == 0 {
        // Its own element, or that of nobody.
        let element = if created { "_pid" } else { "3" };
        text += &format!(
            "active proctype M() {{ byte w = 255; do :: t?w :: own[{element}] = g :: w != 255 -> turn = w od }}\n"
        );
    }
    if created {
        let runs = vec!["run P()"; count as usize].join("; ");
        text += &format!("init {{ atomic {{ {runs} }} }}\n");
    }
    text
}

/// What a process does with the numbers of others.
const TOLD: [&str; 10] = [
    "met[_pid] = turn",
    "turn = met[_pid]",
    "met[_pid] != turn",
    "met[_pid] = who",
    "t?who",
    "who == _pid",
    "who = turn",
    "who = _pid",
    "who != turn",
    "who != 255 -> own[who] = 1",
];

/// Something that a process does with numbers.
fn numbered<'t>(rng: &mut Rng, told: &[&'t str]) -> &'t str {
    const ALWAYS: [&str; 18] = [
        "turn = _pid",
        "turn = 255",
        "turn == _pid",
        "turn != _pid",
        "turn == 255",
        "own[_pid] = x",
        "own[_pid] = 1",
        "own[_pid] == 0",
        "x = own[_pid]",
        "turn != 255 -> own[turn] = 2",
        "x = (x + 1) % 3",
        "t!_pid",
        "t?eval(_pid)",
        "t??eval(_pid)",
        "g = (g + own[_pid]) % 3",
        "nempty(t) -> t?turn",
        "x = (turn == _pid -> 1 : 2)",
        "assert(g != 2 || own[_pid] != 1)",
    ];
    if !told.is_empty() && rng.below(3) == 0 {
        told[rng.below(told.len() as u64) as usize]
    } else {
        ALWAYS[rng.below(ALWAYS.len() as u64) as usize]
    }
}

struct Writer {
    rng: Rng,
    text: String,
    ends: bool,
}

impl Writer {
    fn line(&mut self, text: &str) {
        writeln!(self.text, "{text}").expect("writing to a string");
    }

    fn model(&mut self) {
        self.line("byte g = 1; bool h; byte a[3];");
        let capacity = 1 + self.rng.below(2);
        self.line(&format!("chan q = [{capacity}] of {{ byte }}; chan m = [0] of {{ byte }};"));
        let count = 2 + self.rng.below(3);
        match self.rng.below(4) {
            0 => {
                // Created one by one, with arguments that may differ.
                self.process("proctype P(byte x)", "");
                let same = self.rng.chance(50);
                let (open, close) = if self.rng.chance(60) { ("atomic { ", " }") } else { ("", "") };
                let runs: Vec<String> =
                    (0..count.min(3)).map(|i| format!("run P({})", if same { 0 } else { i % 2 })).collect();
                let rest = match self.rng.below(4) {
                    0 => "; (_nr_pr == 1) -> g = 0",
                    1 => "; h = 1; g == 2 -> run P(1)",
                    _ => "",
                };
                self.line(&format!("init {{ {open}{}{close}{rest} }}", runs.join("; ")));
            }
            1 => {
                // Somebody else among them, who may know his own number, and two kinds of them.
                self.process(&format!("active [{}] proctype P()", count.min(3)), "byte x;");
                self.line(
                    "active proctype M() { do :: q?g :: g = _pid - 2; if :: h -> break :: else fi od }",
                );
                if self.rng.chance(50) {
                    self.process("active [2] proctype R()", "byte x;");
                }
            }
            2 => {
                self.process(&format!("active [{count}] proctype P()"), "byte x;");
                self.line("active proctype M() { byte x; do :: m?x; g = x :: m!g od }");
            }
            _ => self.process(&format!("active [{count}] proctype P()"), "byte x;"),
        }
    }

    fn process(&mut self, head: &str, locals: &str) {
        self.line(&format!("{head} {{ {locals} byte y;"));
        if self.ends && self.rng.chance(60) {
            let body = self.statements(3, 2);
            self.line(&body);
        } else {
            let before = self.statements(1, 1);
            let options = self.options(2);
            let leaving = if self.ends { " :: break" } else { "" };
            self.line(&format!("{before}; do {options}{leaving} od"));
        }
        self.line("}");
    }

    fn options(&mut self, depth: u32) -> String {
        let count = 1 + self.rng.below(3);
        let options: Vec<String> = (0..count)
            .map(|_| {
                let label = match self.rng.below(12) {
                    0 => "progress",
                    1 => "accept",
                    2 => "end",
                    _ => "",
                };
                let label = if label.is_empty() {
                    String::new()
                } else {
                    format!("{label}{}: ", self.rng.next_u64() % 1_000_000)
                };
                format!(":: {label}{}", self.statements(2, depth))
            })
            .collect();
        options.join(" ")
    }

    fn statements(&mut self, most: u64, depth: u32) -> String {
        let count = 1 + self.rng.below(most);
        let statements: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        statements.join("; ")
    }

    fn value(&mut self) -> &'static str {
        ["0", "1", "2", "x", "y", "g", "h", "a[1]"][self.rng.below(8) as usize]
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        let operator = ["==", "!=", "<", ">="][self.rng.below(4) as usize];
        match self.rng.below(8) {
            0 => "nfull(q)".to_owned(),
            1 => "len(q) > 0".to_owned(),
            2 => format!("q?[{a}]"),
            _ => format!("{a} {operator} {b}"),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let value = self.value();
        match self.rng.below(if depth == 0 { 11 } else { 16 }) {
            0 => "x = (x + 1) % 3".to_owned(),
            1 => format!("y = {value}"),
            2 | 3 => format!("g = {value}"),
            4 => format!("h = {}", self.condition()),
            5 => format!("a[{}] = {value}", self.rng.below(3)),
            6 => "q!x".to_owned(),
            7 => ["q?y", "q?x", "q?1", "q??eval(x)"][self.rng.below(4) as usize].to_owned(),
            8 => ["m!x", "m?y", "m!g", "m?x"][self.rng.below(4) as usize].to_owned(),
            9 => self.condition(),
            10 => match self.rng.below(6) {
                0 => format!("assert({})", self.condition()),
                1 => "printf(\"%d\\n\", _pid)".to_owned(),
                _ => "skip".to_owned(),
            },
            11 | 12 => {
                let options = self.options(depth - 1);
                let otherwise = if self.rng.chance(60) { " :: else" } else { "" };
                format!("if {options}{otherwise} fi")
            }
            13 => format!("atomic {{ {} }}", self.statements(3, depth - 1)),
            14 => format!("d_step {{ x = {value}; y = g; g = {} }}", self.value()),
            _ => {
                let condition = self.condition();
                format!("do :: {condition} -> {} :: else -> break od", self.statements(2, 0))
            }
        }
    }
}
