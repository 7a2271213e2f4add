//! Random models of processes that mostly mind their own business: local steps and loops, channels with one sender and one
//! receiver (named outright, by number of the process, or given as arguments), and now and then a shared variable, a look
//! at a channel, an atomic sequence, an `else`, a `timeout`, an assertion. These are the models that reductions of
//! interleavings are made for, and each of the exceptions is a way to get one wrong.

use elnath_kernel::rng::Rng;
use std::fmt::Write as _;

/// The text of a model; the same for the same seed.
pub fn random_tandem(seed: u64) -> String {
    let mut writer =
        Writer { rng: Rng::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x7a4d), text: String::new() };
    writer.model();
    writer.text
}

struct Writer {
    rng: Rng,
    text: String,
}

/// How a process names its channels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Outright,
    ByPid,
    Arguments,
}

impl Writer {
    fn line(&mut self, text: &str) {
        writeln!(self.text, "{text}").expect("writing to a string");
    }

    fn model(&mut self) {
        let count = 2 + self.rng.below(2);
        let naming = [Naming::Outright, Naming::ByPid, Naming::Arguments][self.rng.below(3) as usize];
        let capacities: Vec<u64> = (0..count).map(|_| self.capacity()).collect();
        self.line("byte g = 1; bool h; byte own[4];");
        if naming == Naming::Outright {
            for (channel, capacity) in capacities.iter().enumerate() {
                self.line(&format!("chan q{channel} = [{capacity}] of {{ byte }};"));
            }
        } else {
            self.line(&format!("chan q[{count}] = [{}] of {{ byte }};", capacities[0]));
        }
        match naming {
            Naming::Outright => {
                for pid in 0..count {
                    let (from, to) = (format!("q{pid}"), format!("q{}", (pid + 1) % count));
                    self.process(&format!("active proctype P{pid}()"), &from, &to, 3);
                }
            }
            Naming::ByPid => {
                let to = format!("q[(_pid + 1) % {count}]");
                self.process(&format!("active [{count}] proctype P()"), "q[_pid]", &to, 3);
            }
            Naming::Arguments => {
                self.process("proctype P(chan from, to)", "from", "to", 3);
                let (open, close) = if self.rng.chance(60) { ("atomic { ", " }") } else { ("", "") };
                let mut runs = String::new();
                for pid in 0..count {
                    write!(runs, "run P(q[{pid}], q[{}]); ", (pid + 1) % count).expect("writing to a string");
                }
                self.line(&format!("init {{ {open}{runs}{close} }}"));
            }
        }
    }

    fn capacity(&mut self) -> u64 {
        if self.rng.chance(15) { 0 } else { 1 + self.rng.below(2) }
    }

    fn process(&mut self, head: &str, from: &str, to: &str, most: u64) {
        self.line(head);
        self.line("{ byte x; byte y; byte i;");
        let endless = self.rng.chance(50);
        if endless {
            let label = ["", "", "end: ", "progress: "][self.rng.below(4) as usize];
            self.line(&format!("{label}do ::"));
        }
        for _ in 0..1 + self.rng.below(most) {
            self.statement(from, to, 2);
        }
        if endless {
            if self.rng.chance(40) {
                self.line(":: x > 1 -> break");
            }
            self.line("od");
        }
        self.line("}");
    }

    fn statement(&mut self, from: &str, to: &str, depth: u64) {
        let kinds = if depth == 0 { 12 } else { 20 };
        match self.rng.below(kinds) {
            0 => self.line("x = (x + 1) % 3;"),
            1 => self.line("y = x;"),
            2 => self.line("x = 1 - y;"),
            3 | 4 => self.line(&format!("{to}!x;")),
            5 | 6 => self.line(&format!("{from}?x;")),
            7 => {
                let text = [
                    "g = (g + x) % 3;",
                    "h = !h;",
                    "x = g;",
                    "(g != 2);",
                    "own[_pid] = x;",
                    "y = own[_pid];",
                ];
                let text = text[self.rng.below(6) as usize];
                self.line(text);
            }
            8 => self.line("(x != 2 || y == 0);"),
            9 if self.rng.chance(50) => self.line("assert(x + y < 3);"),
            9 => self.line("skip;"),
            10 => {
                let text = [
                    format!("(len({from}) > 0);"),
                    format!("(nfull({to}));"),
                    format!("{to}!!y;"),
                    format!("{from}??1;"),
                    format!("{from}?<y>;"),
                    format!("{from}?eval(y);"),
                    "timeout;".to_owned(),
                    "(_nr_pr > 1);".to_owned(),
                    format!("{to}?y;"),
                    format!("{from}!y;"),
                ];
                let text = &text[self.rng.below(10) as usize];
                self.line(text);
            }
            11 => self.line("y = (y + x) % 2;"),
            12 => {
                let most = 1 + self.rng.below(3);
                self.line(&format!("i = 0; do :: i < {most} -> i++;"));
                self.statement(from, to, depth - 1);
                self.line(":: else -> break od;");
            }
            13 => {
                // An `else` wants options that begin with something that may be false, and has no rival.
                let otherwise = self.rng.chance(50);
                let (first, second) = if otherwise { ("x > y ->", "x == 2 ->") } else { ("", "") };
                let depth = if otherwise { depth - 1 } else { 0 };
                self.line(&format!("if :: {first}"));
                self.statement(from, to, depth);
                self.line(&format!(":: {second}"));
                self.statement(from, to, depth);
                if otherwise {
                    self.line(":: else");
                }
                self.line("fi;");
            }
            14 => {
                // What begins with something local may go on with something that is not.
                let first = ["", "(x != 2 || y == 0);", "x = 1 - y;"][self.rng.below(3) as usize];
                self.line(&format!("atomic {{ {first}"));
                self.statement(from, to, 0);
                self.statement(from, to, 0);
                self.line("}");
            }
            15 => {
                self.line(&format!("if :: {from}?x :: else -> y = 1 fi;"));
            }
            16 => {
                self.line(&format!("if :: {to}!y :: else -> x = 0 fi;"));
            }
            17 | 18 => {
                // Asking first, so that what follows is never blocked; or almost never.
                let asked = [
                    format!("nempty({from})"),
                    format!("nfull({to})"),
                    format!("nempty({from}) && nfull({to})"),
                    format!("nfull({to}) && x < 2 && nempty({from})"),
                    format!("nempty({from}) && 2 / x > 0 && nfull({to})"),
                ];
                let done = [
                    format!("{from}?x"),
                    format!("{to}!x"),
                    format!("{from}?x; {to}!x"),
                    format!("{to}!y; {from}?x"),
                    format!("{from}?<y>; x = y; {from}?y"),
                    format!("{from}?x; y = x; {from}?x"),
                ];
                let (asked, done) = (&asked[self.rng.below(5) as usize], &done[self.rng.below(6) as usize]);
                let (open, close) = if self.rng.chance(80) { ("atomic {", "}") } else { ("", "") };
                self.line(&format!("{open} {asked} -> {done} {close};"));
            }
            _ => self.line("d_step { x = (x + 2) % 3; y = 1 - y % 2 }"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::random_tandem;

    #[test]
    fn the_same_seed_gives_the_same_text_and_others_give_others() {
        let texts: std::collections::HashSet<String> = (0..50).map(random_tandem).collect();
        assert!(texts.len() > 45);
        assert_eq!(random_tandem(7), random_tandem(7));
    }
}
