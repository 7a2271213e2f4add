//! Formula to text, in the spelling of Spot or of SPIN.
//!
//! Every operand that has operands of its own stands in parentheses, so that no reader, human or tool, needs to know
//! whose precedence it was.

use std::fmt::Write as _;

use crate::formula::{Atom, Formulas, Id, Node};

const LONGEST_TEXT: usize = 1 << 16;

/// How operators are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `G F X X[!] U R W M & | !`, propositions that are not identifiers in double quotes.
    Spot,
    /// `[] <> X U V W && || !`, propositions that are not identifiers in parentheses. Both nexts are `X`, and the
    /// strong release, which SPIN lacks, is written with `U`.
    Spin,
}

impl Formulas {
    /// `f` as text, which [`crate::parse`] reads back as the same formula. A formula shares its parts and a text does
    /// not, so that a chain of equivalences may have a text of any length: what exceeds 64 KiB is cut, with `...` at
    /// the end.
    pub fn show(&self, f: Id, spelling: Spelling) -> String {
        let mut out = String::new();
        self.write(f, spelling, &mut out);
        if out.len() > LONGEST_TEXT {
            let end = (0..=LONGEST_TEXT).rev().find(|&at| out.is_char_boundary(at)).unwrap_or(0);
            out.truncate(end);
            out.push_str("...");
        }
        out
    }

    fn write(&self, f: Id, spelling: Spelling, out: &mut String) {
        if out.len() > LONGEST_TEXT {
            return;
        }
        let spin = spelling == Spelling::Spin;
        let mut unary = |operator: &str, g: Id| {
            out.push_str(operator);
            // A word needs a space before a proposition; a parenthesis follows any operator. Spot takes `XX` apart, SPIN
            // would take it for a name.
            let bare = matches!(self.node(g), Node::True | Node::False | Node::Proposition(_));
            let glued = spin && matches!(self.node(g), Node::Next(_) | Node::StrongNext(_));
            if bare && operator != "!" || glued && operator == "X" {
                out.push(' ');
            }
            self.write_operand(g, spelling, out);
        };
        match self.node(f) {
            Node::True => out.push_str("true"),
            Node::False => out.push_str("false"),
            Node::Proposition(p) => write_atom(&self.atoms()[*p as usize], spelling, out),
            Node::Not(g) => unary("!", *g),
            Node::Next(g) => unary("X", *g),
            Node::StrongNext(g) => unary(if spin { "X" } else { "X[!]" }, *g),
            Node::Eventually(g) => unary(if spin { "<>" } else { "F" }, *g),
            Node::Always(g) => unary(if spin { "[]" } else { "G" }, *g),
            Node::And(parts) => self.write_all(parts, if spin { " && " } else { " & " }, spelling, out),
            Node::Or(parts) => self.write_all(parts, if spin { " || " } else { " | " }, spelling, out),
            Node::Until(g, h) => self.write_all(&[*g, *h], " U ", spelling, out),
            Node::Release(g, h) => self.write_all(&[*g, *h], if spin { " V " } else { " R " }, spelling, out),
            Node::WeakUntil(g, h) => self.write_all(&[*g, *h], " W ", spelling, out),
            Node::StrongRelease(g, h) if spin => {
                self.write_operand(*h, spelling, out);
                out.push_str(" U (");
                self.write_all(&[*g, *h], " && ", spelling, out);
                out.push(')');
            }
            Node::StrongRelease(g, h) => self.write_all(&[*g, *h], " M ", spelling, out),
        }
    }

    fn write_all(&self, parts: &[Id], operator: &str, spelling: Spelling, out: &mut String) {
        for (i, &part) in parts.iter().enumerate() {
            if i > 0 {
                out.push_str(operator);
            }
            self.write_operand(part, spelling, out);
        }
    }

    /// Every operand with two or more operands of its own is put in parentheses, so that no reader, human or tool,
    /// needs to know whose precedence it was.
    fn write_operand(&self, f: Id, spelling: Spelling, out: &mut String) {
        let many = matches!(
            self.node(f),
            Node::And(_)
                | Node::Or(_)
                | Node::Until(..)
                | Node::Release(..)
                | Node::WeakUntil(..)
                | Node::StrongRelease(..)
        );
        if many {
            out.push('(');
        }
        self.write(f, spelling, out);
        if many {
            out.push(')');
        }
    }
}

fn write_atom(atom: &Atom, spelling: Spelling, out: &mut String) {
    match atom {
        Atom::State(text) if is_plain(text) => out.push_str(text),
        Atom::State(text) if spelling == Spelling::Spin => {
            let _ = write!(out, "({text})");
        }
        Atom::State(text) => write_quoted(text, out),
        Atom::Action(pattern) => out.push_str(&action_text(pattern)),
    }
}

fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}

/// Quotes are left out where the pattern is one plain word.
pub(crate) fn action_text(pattern: &str) -> String {
    let plain =
        !pattern.is_empty() && pattern.chars().all(|c| c.is_ascii_alphanumeric() || "_*?.".contains(c));
    let mut text = String::from("action(");
    if plain {
        text.push_str(pattern);
    } else {
        write_quoted(pattern, &mut text);
    }
    text.push(')');
    text
}

/// Whether a text may stand in a formula as it is and be one proposition there, whatever reads it.
fn is_plain(text: &str) -> bool {
    let operator =
        matches!(text, "U" | "V" | "W" | "R" | "M" | "true" | "false" | "xor" | "and" | "or" | "not");
    let mut chars = text.chars();
    let first = chars.next();
    !operator
        && first.is_some_and(|c| c.is_ascii_alphabetic() && !"GFX".contains(c) || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
