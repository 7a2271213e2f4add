//! Writing `.aut` in the dialect of one tool or the other.
//!
//! What is written is what the other tool would call the same graph, so two things change: tau gets that tool's name
//! (and if several labels were tau, they become one), and for CADP, which always starts in state 0, the initial state
//! and state 0 change places. A label that would change its meaning on the way is refused before anything is written,
//! never renamed: a visible `i` is tau for CADP, and mCRL2 cannot read a quote within quotes.

use std::io::{self, Write};

use crate::lts::Lts;

/// Whose rules to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Tau is `i`, the initial state is 0, labels are quoted if they have to be, raw quotes within quotes.
    Cadp,
    /// Tau is `tau`, any initial state, all labels are quoted, no quotes within quotes.
    Mcrl2,
}

impl Dialect {
    /// What this dialect calls the internal action.
    pub fn tau(self) -> &'static str {
        match self {
            Dialect::Cadp => "i",
            Dialect::Mcrl2 => "tau",
        }
    }
}

/// Writes the system, state by state, each state's transitions in their order.
///
/// # Errors
/// Those of `out`; and one of kind `InvalidInput`, before anything is written, if a label cannot be said in this dialect.
pub fn write(lts: &Lts, dialect: Dialect, out: impl Write) -> io::Result<()> {
    let forms = (0..lts.labels().len() as u32)
        .map(|label| form(lts, dialect, label))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|text| io::Error::new(io::ErrorKind::InvalidInput, text))?;
    // Exchanging two numbers is its own inverse, so the same function leads from old to new numbers and back.
    let first = match dialect {
        Dialect::Cadp => lts.initial(),
        Dialect::Mcrl2 => 0,
    };
    let exchange = |state: u32| match state {
        0 => first,
        s if s == first => 0,
        s => s,
    };

    let mut out = Output { out, buffer: Vec::with_capacity(2 * FLUSH) };
    let (initial, comma) = match dialect {
        Dialect::Cadp => (0, ", "),
        Dialect::Mcrl2 => (lts.initial(), ","),
    };
    out.text("des (").number(initial).text(comma).number(lts.num_transitions() as u32);
    out.text(comma).number(lts.num_states() as u32).text(")\n");
    for state in lts.states() {
        for edge in lts.edges(exchange(state)) {
            out.text("(").number(state).text(comma);
            match forms[edge.label as usize] {
                Form::Tau => out.text(dialect.tau()),
                Form::Bare => out.text(lts.label(edge.label)),
                Form::Quoted => out.text("\"").text(lts.label(edge.label)).text("\""),
            };
            out.text(comma).number(exchange(edge.target)).text(")\n");
            out.flush_if_full()?;
        }
    }
    out.flush()
}

/// How a label is written.
#[derive(Clone, Copy)]
enum Form {
    Tau,
    Bare,
    Quoted,
}

fn form(lts: &Lts, dialect: Dialect, label: u32) -> Result<Form, String> {
    if lts.is_tau(label) {
        return Ok(Form::Tau);
    }
    let text = lts.label(label);
    if text == dialect.tau() {
        return Err(format!(
            "the visible label `{text}` cannot be written: in this dialect it is the internal action"
        ));
    }
    if crate::labels::as_text(text.as_bytes()).is_err() {
        return Err(format!("the label {text:?} cannot be written: it holds a control character"));
    }
    match dialect {
        Dialect::Cadp if is_bare(text) => Ok(Form::Bare),
        Dialect::Mcrl2 if text.contains('"') => Err(format!(
            "the label `{text}` cannot be written: in mCRL2's dialect there are no quotes in labels"
        )),
        _ => Ok(Form::Quoted),
    }
}

/// CADP's rule for labels that need no quotes: a letter and then letters, digits and underscores, or a star alone.
fn is_bare(label: &str) -> bool {
    label == "*"
        || label.starts_with(|c: char| c.is_ascii_alphabetic())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

const FLUSH: usize = 64 << 10;

/// A buffer that appends text and numbers without the machinery of `write!`.
struct Output<W> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> Output<W> {
    fn text(&mut self, text: &str) -> &mut Self {
        self.buffer.extend_from_slice(text.as_bytes());
        self
    }

    fn number(&mut self, mut number: u32) -> &mut Self {
        let mut digits = [0; 10];
        let mut start = digits.len();
        loop {
            start -= 1;
            digits[start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.buffer.extend_from_slice(&digits[start..]);
        self
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() >= FLUSH {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;
    use crate::labels::Taus;

    fn text(lts: &Lts, dialect: Dialect) -> Result<String, String> {
        let mut out = Vec::new();
        write(lts, dialect, &mut out).map_err(|e| e.to_string())?;
        Ok(String::from_utf8(out).expect("labels are text"))
    }

    #[test]
    fn each_dialect_has_its_rules() {
        let mut builder = Builder::new();
        builder.add(0, "PUT_6", 2);
        builder.add(2, "tau", 4_000);
        builder.add(2, "PUT !6", 0);
        builder.add(1, "*", 1);
        let lts = builder.finish(2);
        let cadp = "des (0, 4, 4001)\n(0, i, 4000)\n(0, \"PUT !6\", 2)\n(1, *, 1)\n(2, PUT_6, 0)\n";
        assert_eq!(text(&lts, Dialect::Cadp).as_deref(), Ok(cadp));
        let mcrl2 = "des (2,4,4001)\n(0,\"PUT_6\",2)\n(1,\"*\",1)\n(2,tau,4000)\n(2,\"PUT !6\",0)\n";
        assert_eq!(text(&lts, Dialect::Mcrl2).as_deref(), Ok(mcrl2));
    }

    #[test]
    fn a_label_that_would_change_its_meaning_is_refused() {
        let with = |label: &str| {
            let mut builder = Builder::new();
            builder.taus(Taus::new(["hidden"]));
            builder.add(0, label, 0);
            builder.finish(0)
        };
        assert!(text(&with("i"), Dialect::Cadp).is_err());
        assert!(text(&with("i"), Dialect::Mcrl2).is_ok());
        assert!(text(&with("tau"), Dialect::Cadp).is_ok());
        assert!(text(&with("tau"), Dialect::Mcrl2).is_err());
        assert!(text(&with("say \"a\""), Dialect::Cadp).is_ok());
        assert!(text(&with("say \"a\""), Dialect::Mcrl2).is_err());
        assert!(text(&with("two\nlines"), Dialect::Cadp).is_err());
        assert_eq!(text(&with("hidden"), Dialect::Cadp).as_deref(), Ok("des (0, 1, 1)\n(0, i, 0)\n"));
    }
}
