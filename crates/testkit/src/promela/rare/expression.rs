//! Numbers, conditions and variables.

use super::{Scope, Writer};

impl Writer {
    /// Something to assign to.
    pub(super) fn variable(&mut self, scope: &Scope) -> String {
        match self.rng.below(10) {
            0 => format!("a[{}]", self.index(scope, 3)),
            1 => self.nested_field(scope),
            2 => {
                self.uses("array of structures");
                let (i, j) = (self.index(scope, 2), self.index(scope, 2));
                let whole = self.rng.chance(50);
                if whole { format!("s[{i}].f") } else { format!("s[{i}].k[{j}]") }
            }
            3 if !scope.inline => {
                let i = self.index(scope, 2);
                self.rng.pick(&["w.k[INDEX]", "b[INDEX]", "v.f", "w.f"]).replace("INDEX", &i)
            }
            4 if !self.priorities && self.rng.chance(50) => {
                self.uses("unsigned");
                "us".to_owned()
            }
            4 if !self.priorities => "fl".to_owned(),
            _ => self.rng.pick(&scope.variables),
        }
    }

    /// `u.t[i].k[j]`
    fn nested_field(&mut self, scope: &Scope) -> String {
        self.uses("structure in a structure");
        let (i, j) = (self.index(scope, 2), self.index(scope, 2));
        if self.rng.chance(70) { format!("u.t[{i}].k[{j}]") } else { format!("u.t[{i}].f") }
    }

    /// An index that is within an array of this length, or rarely not.
    fn index(&mut self, scope: &Scope, length: u64) -> String {
        if self.faults && self.rng.chance(6) {
            self.uses("fault in an index");
            return self.rng.pick(&["g / h", "g + h", "3 - g", "e % h"]).to_owned();
        }
        match self.rng.below(10) {
            0..=2 => {
                let scalars: Vec<String> =
                    scope.variables.iter().filter(|name| !name.contains('[')).cloned().collect();
                format!("{} % {length}", self.rng.pick(&scalars))
            }
            3 => {
                self.uses("process number");
                format!("_pid % {length}")
            }
            _ => self.rng.below(length).to_string(),
        }
    }

    /// A number, mostly small.
    pub(super) fn number(&mut self, scope: &Scope, depth: u32) -> String {
        if depth == 0 {
            return match self.rng.below(8) {
                0..=2 => self.rng.below(3).to_string(),
                3 => {
                    self.uses("process number");
                    "_pid".to_owned()
                }
                _ => self.variable(scope),
            };
        }
        match self.rng.below(17) {
            0..=2 => {
                let (a, b) = (self.number(scope, depth - 1), self.number(scope, depth - 1));
                let operator = self.rng.pick(&["+", "*", "|", "^", "-"]);
                format!("({a} {operator} {b})")
            }
            3 if !scope.inline => {
                self.uses("conditional expression");
                let (a, b) = (self.number(scope, 0), self.number(scope, 0));
                let condition = self.comparison(scope);
                format!("({condition} -> {a} : {b})")
            }
            4 | 5 => {
                self.uses("number of processes");
                "_nr_pr".to_owned()
            }
            6 => {
                let channel = self.rng.pick(&["q", "p", "link"]);
                format!("len({channel})")
            }
            7 if self.priorities => {
                self.uses("own priority");
                "_priority".to_owned()
            }
            8 if self.priorities => {
                self.uses("get_priority");
                self.rng.pick(&["get_priority(_pid)", "get_priority(0)"]).to_owned()
            }
            9 if !scope.inline && !scope.deterministic => {
                self.remote_variable().unwrap_or_else(|| "1".to_owned())
            }
            10 if self.rng.chance(40) => {
                self.uses("last process");
                "_last".to_owned()
            }
            11 if self.faults => {
                self.uses("division by zero");
                let (a, b) = (self.rng.pick(&scope.variables), self.rng.pick(&scope.variables));
                format!("({a} {} {b})", self.rng.pick(&["/", "%"]))
            }
            12 if self.faults => {
                self.uses("array index out of range");
                format!("a[{} + {}]", self.rng.pick(&scope.variables), 1 + self.rng.below(3))
            }
            13 => {
                let a = self.number(scope, depth - 1);
                format!("({a} / {})", 1 + self.rng.below(2))
            }
            _ => self.number(scope, 0),
        }
    }

    /// A number that stays small when it is assigned in a loop.
    pub(super) fn bounded(&mut self, scope: &Scope) -> String {
        match self.rng.below(6) {
            0 | 1 => self.rng.below(3).to_string(),
            2 => format!("{} % 3", self.number(scope, 1)),
            3 => format!("({} + 1) % {}", self.variable(scope), 2 + self.rng.below(2)),
            4 => format!("{} % 2", self.number(scope, 2)),
            _ => self.number(scope, 0),
        }
    }

    pub(super) fn comparison(&mut self, scope: &Scope) -> String {
        let left = if self.rng.chance(70) { self.variable(scope) } else { self.number(scope, 1) };
        let operator = self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
        format!("({left} {operator} {})", self.rng.below(3))
    }

    /// A condition of any sort.
    pub(super) fn condition(&mut self, scope: &Scope) -> String {
        match self.rng.below(24) {
            0 => {
                // The right side is not evaluated where it would fail.
                self.uses("short circuit");
                let (a, b) = (self.rng.pick(&scope.variables), self.rng.pick(&scope.variables));
                self.rng
                    .pick(&[
                        "(LEFT != 0 && RIGHT / LEFT > 0)",
                        "(LEFT == 0 || RIGHT % LEFT == 0)",
                        "(LEFT < 3 && a[LEFT] == 0)",
                        "(LEFT >= 3 || a[LEFT] > 0)",
                        "!(LEFT == 0 || RIGHT / LEFT == 1)",
                    ])
                    .replace("LEFT", &a)
                    .replace("RIGHT", &b)
            }
            1 | 20 | 21 if self.faults => {
                self.uses("fault in a guard");
                let (a, b) = (self.rng.pick(&scope.variables), self.rng.pick(&scope.variables));
                self.rng
                    .pick(&["(RIGHT / LEFT > 0)", "(a[LEFT + RIGHT] == 0)", "(RIGHT % LEFT != 1)"])
                    .replace("LEFT", &a)
                    .replace("RIGHT", &b)
            }
            2 | 22 | 23 if self.faults => {
                self.uses("fault behind && or ||");
                let (a, b) = (self.rng.pick(&scope.variables), self.rng.pick(&scope.variables));
                let first = self.comparison(scope);
                self.rng
                    .pick(&[
                        "(FIRST && RIGHT / LEFT > 0)",
                        "(FIRST || a[LEFT + 2] == 0)",
                        "(RIGHT / LEFT > 0 && FIRST)",
                        "(FIRST || (LEFT == 1 && RIGHT % LEFT == 0))",
                    ])
                    .replace("FIRST", &first)
                    .replace("LEFT", &a)
                    .replace("RIGHT", &b)
            }
            3 | 4 => {
                let question = self.rng.pick(&["empty", "nempty", "full", "nfull"]);
                format!("{question}({})", self.rng.pick(&["q", "p", "link", "m"]))
            }
            5 => {
                self.uses("poll");
                let value = self.rng.below(3);
                self.rng
                    .pick(&["q?[1,_]", "q?[VALUE,eval(g)]", "p?[m1,_]", "p?[mt,eval(h)]", "q?[_,VALUE]"])
                    .replace("VALUE", &value.to_string())
            }
            6 => {
                self.uses("poll at random");
                let value = self.rng.below(3);
                self.rng
                    .pick(&["q??[1,_]", "q??[VALUE,eval(h)]", "p??[m2,_]", "q??[_,VALUE]"])
                    .replace("VALUE", &value.to_string())
            }
            7 | 8 | 14 if !scope.inline && !scope.deterministic => {
                self.remote_label().unwrap_or_else(|| self.comparison(scope))
            }
            9 if !scope.inline && !scope.deterministic => match self.remote_variable() {
                Some(variable) => format!("({variable} == {})", self.rng.below(2)),
                None => self.comparison(scope),
            },
            10 => {
                self.uses("number of processes");
                format!("(_nr_pr {} {})", self.rng.pick(&["<", "==", ">"]), 1 + self.rng.below(4))
            }
            11 if !scope.deterministic && !scope.inline => {
                self.uses("timeout");
                "timeout".to_owned()
            }
            12 | 20 if self.priorities && !scope.deterministic && self.pid > 0 => {
                // Only without rendez-vous, and of another process.
                self.uses("enabled");
                "enabled(0)".to_owned()
            }
            13 => {
                self.uses("mtype");
                format!("(mt {} {})", self.rng.pick(&["==", "!="]), self.rng.pick(&["m0", "m1", "m2"]))
            }
            _ => self.comparison(scope),
        }
    }

    fn remote_label(&mut self) -> Option<String> {
        let there: Vec<_> =
            self.watched.iter().filter(|watched| !watched.labels.is_empty()).cloned().collect();
        if there.is_empty() {
            return None;
        }
        self.uses("label of another process");
        let watched = self.rng.pick(&there);
        let label = self.rng.pick(&watched.labels);
        let (name, pid) = (watched.name, watched.pid);
        Some(match self.rng.below(3) {
            0 => format!("({name}[{pid}]@{label})"),
            1 => format!("!({name}@{label})"),
            _ => format!("({name}@{label})"),
        })
    }

    fn remote_variable(&mut self) -> Option<String> {
        if self.watched.is_empty() {
            return None;
        }
        let watched = self.rng.pick(&self.watched);
        let (name, pid) = (watched.name, watched.pid);
        let variable = self.rng.pick(&["x", "y"]);
        Some(if self.rng.chance(50) {
            self.uses("remote variable by number");
            format!("{name}[{pid}]:{variable}")
        } else {
            self.uses("remote variable");
            format!("{name}:{variable}")
        })
    }
}
