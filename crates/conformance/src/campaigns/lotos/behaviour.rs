//! Behaviours as the generator makes them and the naive interpreter takes them, and their texts.

/// A value: its sort (0: `E` with three values, 1: `F` with two) and its number.
pub(super) type Value = (u8, u8);

/// How many values a sort has.
pub(super) fn values(sort: u8) -> u8 {
    [3, 2][usize::from(sort)]
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Expr {
    Value(Value),
    Variable(String),
    /// The next value of its sort, round in a circle.
    Next(Box<Expr>),
    /// Of sort `E`: the next value where both are the same, and else the second.
    Pick(Box<(Expr, Expr)>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Offer {
    Send(Expr),
    Receive(String, u8),
}

/// Gates on which both sides meet; none: all.
pub(super) type Sync = Option<Vec<String>>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Behaviour {
    Stop,
    /// After `exit`; not part of texts.
    Ended,
    Exit(Vec<Result<Expr, u8>>),
    /// Without a gate: internal.
    Action(Option<String>, Vec<Offer>, Option<(Expr, Expr)>, Box<Behaviour>),
    Guard(Expr, Expr, Box<Behaviour>),
    Choice(Box<Behaviour>, Box<Behaviour>),
    Parallel(Sync, Box<Behaviour>, Box<Behaviour>),
    Hide(Vec<String>, Box<Behaviour>),
    Let(String, u8, Expr, Box<Behaviour>),
    ChoiceValue(String, u8, Box<Behaviour>),
    ChoiceGate(String, Vec<String>, Box<Behaviour>),
    ParGate(String, Vec<String>, Sync, Box<Behaviour>),
    Call(usize, Vec<String>, Expr),
    Enable(Box<Behaviour>, Option<String>, Box<Behaviour>),
    Disable(Box<Behaviour>, Box<Behaviour>),
    /// Gates of the body, and those that they are outside: after a call as the standard has it; not part of texts.
    Relabel(Vec<(String, String)>, Box<Behaviour>),
}

/// The operators as they are counted: those whose rules differ are told apart.
pub(super) const KINDS: [&str; 19] = [
    "stop", "exit", "exit v", "exit any", "i;", "g;", "[..]->", "[]", "|||", "||", "|[..]|", "hide", "let",
    "choice x", "choice g", "par", "P", ">>", "[>",
];

/// Whether behaviours of this kind have others within them.
pub(super) fn has_operands(kind: &str) -> bool {
    kind != "stop" && kind != "P" && !kind.starts_with("exit")
}

/// How a process may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Never,
    Plainly,
    /// With a value of sort `E`.
    WithValue,
}

/// Each process has the gates `x` and `y` and the parameter `v` of sort `E`.
pub(super) struct Specification {
    pub(super) body: Behaviour,
    pub(super) ends: Ends,
    pub(super) processes: Vec<(Ends, Behaviour)>,
    /// Whether gates are renamed after synchronisation, as in the standard, or replaced before it, as in CADP.
    pub(super) iso: bool,
}

impl Behaviour {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Stop | Self::Ended => "stop",
            Self::Exit(results) => match results[..] {
                [] => "exit",
                [Ok(_), ..] => "exit v",
                [Err(_), ..] => "exit any",
            },
            Self::Action(None, ..) => "i;",
            Self::Action(..) => "g;",
            Self::Guard(..) => "[..]->",
            Self::Choice(..) => "[]",
            Self::Parallel(None, ..) => "||",
            Self::Parallel(Some(gates), ..) => {
                if gates.is_empty() {
                    "|||"
                } else {
                    "|[..]|"
                }
            }
            Self::Hide(..) => "hide",
            Self::Let(..) => "let",
            Self::ChoiceValue(..) => "choice x",
            Self::ChoiceGate(..) => "choice g",
            Self::ParGate(..) => "par",
            Self::Call(..) => "P",
            Self::Enable(..) => ">>",
            Self::Disable(..) => "[>",
            Self::Relabel(..) => "relabel",
        }
    }

    /// How deep operators are nested.
    pub(super) fn depth(&self) -> u64 {
        let inner = self.operands().iter().map(|inner| inner.depth()).max();
        inner.map_or(0, |inner| inner + 1)
    }

    pub(super) fn operands(&self) -> Vec<&Behaviour> {
        match self {
            Self::Stop | Self::Ended | Self::Exit(_) | Self::Call(..) => Vec::new(),
            Self::Action(.., inner)
            | Self::Guard(.., inner)
            | Self::Hide(_, inner)
            | Self::Let(.., inner)
            | Self::ChoiceValue(.., inner)
            | Self::ChoiceGate(.., inner)
            | Self::ParGate(.., inner)
            | Self::Relabel(_, inner) => vec![inner],
            Self::Choice(left, right)
            | Self::Parallel(_, left, right)
            | Self::Enable(left, _, right)
            | Self::Disable(left, right) => vec![left, right],
        }
    }

    fn calls(&self) -> bool {
        matches!(self, Self::Call(..)) || self.operands().iter().any(|inner| inner.calls())
    }

    /// The text, in parentheses where an operator of this priority needs them.
    fn text(&self, priority: u8) -> String {
        let (own, text) = match self {
            Self::Stop | Self::Ended => (9, "stop".to_owned()),
            Self::Exit(results) if results.is_empty() => (9, "exit".to_owned()),
            Self::Exit(results) => {
                let result = |result: &Result<Expr, u8>| match result {
                    Ok(expr) => expr.text(),
                    Err(sort) => format!("any {}", sort_name(*sort)),
                };
                (9, format!("exit ({})", results.iter().map(result).collect::<Vec<_>>().join(", ")))
            }
            Self::Action(gate, offers, guard, next) => {
                let mut text = gate.clone().unwrap_or_else(|| "i".to_owned());
                for offer in offers {
                    text += &match offer {
                        Offer::Send(expr) => format!(" !{}", expr.text()),
                        Offer::Receive(name, sort) => format!(" ?{name} : {}", sort_name(*sort)),
                    };
                }
                if let Some((left, right)) = guard {
                    text += &format!(" [{} = {}]", left.text(), right.text());
                }
                (4, format!("{text}; {}", next.text(4)))
            }
            Self::Guard(left, right, next) => {
                (4, format!("[{} = {}] -> {}", left.text(), right.text(), next.text(4)))
            }
            Self::Choice(left, right) => (3, format!("{}\n [] {}", left.text(4), right.text(3))),
            Self::Parallel(sync, left, right) => {
                (2, format!("{} {} {}", left.text(3), operator(sync), right.text(2)))
            }
            Self::Disable(left, right) => (1, format!("{} [> {}", left.text(2), right.text(1))),
            Self::Enable(left, accept, right) => {
                let accept =
                    accept.as_ref().map_or_else(String::new, |name| format!("accept {name} : E in "));
                (0, format!("{} >> {accept}{}", left.text(1), right.text(0)))
            }
            // These extend as far right as possible: in parentheses, wherever something may follow.
            Self::Hide(gates, body) => (0, format!("hide {} in {}", gates.join(", "), body.text(0))),
            Self::Let(name, sort, expr, body) => {
                (0, format!("let {name} : {} = {} in {}", sort_name(*sort), expr.text(), body.text(0)))
            }
            Self::ChoiceValue(name, sort, body) => {
                (0, format!("choice {name} : {} [] {}", sort_name(*sort), body.text(0)))
            }
            Self::ChoiceGate(name, gates, body) => {
                (0, format!("choice {name} in [{}] [] {}", gates.join(", "), body.text(0)))
            }
            Self::ParGate(name, gates, sync, body) => {
                (0, format!("par {name} in [{}] {} {}", gates.join(", "), operator(sync), body.text(0)))
            }
            Self::Relabel(..) => unreachable!("it is made by calls only"),
            Self::Call(process, gates, value) => {
                (9, format!("P{process} [{}] ({})", gates.join(", "), value.text()))
            }
        };
        if own < priority { format!("({text})") } else { text }
    }
}

fn operator(sync: &Sync) -> String {
    match sync {
        None => "||".to_owned(),
        Some(gates) if gates.is_empty() => "|||".to_owned(),
        Some(gates) => format!("|[{}]|", gates.join(", ")),
    }
}

fn sort_name(sort: u8) -> &'static str {
    ["E", "F"][usize::from(sort)]
}

impl Expr {
    fn text(&self) -> String {
        match self {
            Self::Value((sort, number)) => format!("{}{number}", ["e", "f"][usize::from(*sort)]),
            Self::Variable(name) => name.clone(),
            Self::Next(inner) => format!("next ({})", inner.text()),
            Self::Pick(both) => format!("pick ({}, {})", both.0.text(), both.1.text()),
        }
    }
}

impl Ends {
    fn text(self) -> &'static str {
        match self {
            Self::Never => "noexit",
            Self::Plainly => "exit",
            Self::WithValue => "exit (E)",
        }
    }
}

const DATA: &str = "
type Data is
  sorts E, F
  opns
    e0 (*! constructor *), e1 (*! constructor *), e2 (*! constructor *) : -> E
    f0, f1 : -> F
    next : E -> E
    next : F -> F
    pick : E, E -> E
  eqns
    forall x, z : E, y : F
    ofsort E
      next (e0) = e1;
      next (e1) = e2;
      next (x) = e0;
      pick (x, x) = next (x);
      pick (x, z) = z;
    ofsort F
      y = f1 => next (y) = f0;
      next (f0) = f1
endtype
";

impl Specification {
    pub(super) fn behaviours(&self) -> Vec<&Behaviour> {
        std::iter::once(&self.body).chain(self.processes.iter().map(|(_, body)| body)).collect()
    }

    pub(super) fn is_recursive(&self) -> bool {
        self.processes.iter().any(|(_, body)| body.calls())
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "specification Random [a, b, c] : {}\n{DATA}\nbehaviour\n  {}\nwhere\n",
            self.ends.text(),
            self.body.text(0)
        );
        for (number, (ends, body)) in self.processes.iter().enumerate() {
            let (ends, body) = (ends.text(), body.text(0));
            text += &format!("process P{number} [x, y] (v : E) : {ends} :=\n  {body}\nendproc\n");
        }
        text + "endspec\n"
    }
}
