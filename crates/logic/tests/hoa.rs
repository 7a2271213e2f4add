//! HOA files: what is read, what is refused and where, and that nothing breaks the reader.

mod lassos;

use elnath_logic::automaton::{Automaton, Cube, Edge, Label, Marks, State};
use elnath_logic::hoa::{Loaded, count, read, write};
use elnath_source::{Message, SourceText};
use lassos::accepts;
use proptest::prelude::*;

fn load(text: &str) -> Result<Loaded, Vec<Message>> {
    read(&SourceText::new("a.hoa", text), 0)
}

fn automaton(text: &str) -> Automaton {
    load(text).unwrap_or_else(|messages| panic!("{messages:?}")).automaton
}

/// The first complaint, in one line.
fn complaint(text: &str) -> String {
    load(text).expect_err("this should be refused")[0].to_string()
}

const P: Cube = Cube { with: 1, without: 0 };
const NOT_P: Cube = Cube { with: 0, without: 1 };

/// GFp & GFq with one state, in several spellings.
const SPELLINGS: [&str; 4] = [
    r#"HOA: v1 name: "GFp \"and\" \\GFq" States: 1 Start: 0 AP: 2 "p" "q"
       acc-name: generalized-Buchi 2 Acceptance: 2 Inf(0) & Inf(1)
       properties: trans-labels explicit-labels
       --BODY-- State: 0 [!0&!1] 0 [0&!1] 0 {0} [!0&1] 0 {1} [0&1] 0 {0 1} --END--"#,
    r#"HOA: v1.1
       /* the aliases /* and the conditions */ stand before what they use */
       Acceptance: 3 (Inf(2)) & Inf(!1) & t
       Alias: @p 0
       Alias: @both @p & 1
       spot.highlight.states: 0 1
       properties: !deterministic stutter-invariant
       AP: 2 "p" "q"
       Start: 0
       --BODY--
       State: 0 "GF\"p"
       [!@both & !@p & !1] 0 {1}
       [!@both & @p] 0 {1 2}
       [!@both & 1] 0
       [@both] 0 {2}
       --END--"#,
    r#"HOA: v1 States: 1 Start: 0 AP: 2 "p" "q" Acceptance: 2 Inf(0) & Inf(1)
       --BODY-- State: 0 0 0 {0} 0 {1} 0 {0 1} --END--"#,
    r#"HOA: v1 States: 3 Start: 1 AP: 2 "p" "q" Acceptance: 2 Inf(1) & Inf(0)
       --BODY-- State: 1 [0] 0 [!0] 1 State: 2 {0 1} [t] 1 [f] 7 State: 0 {0} [1] 2 [!1] 0 --END--"#,
];

fn spelling(i: usize) -> String {
    // The last one has an edge that cannot be taken to a state that does not exist, for the test of messages.
    SPELLINGS[i].replace("[f] 7", "[f] 2")
}

#[test]
fn every_spelling_of_an_automaton_means_the_same() {
    let all: Vec<Automaton> = (0..4).map(|i| automaton(&spelling(i))).collect();
    for code in 0u64..1 << 12 {
        // Words of up to three letters before the loop and up to three in it.
        let letters: Vec<u64> = (0..6).map(|i| code >> (2 * i) & 3).collect();
        for (prefix, cycle) in [(0, 1), (1, 2), (2, 3), (3, 3)] {
            let (prefix, cycle) = (&letters[..prefix], &letters[3..3 + cycle]);
            let expected = cycle.iter().any(|l| l & 1 != 0) && cycle.iter().any(|l| l & 2 != 0);
            for (i, a) in all.iter().enumerate() {
                assert_eq!(accepts(a, prefix, cycle), expected, "spelling {i}: {prefix:?} {cycle:?}");
            }
            if code > 1 << 8 {
                break;
            }
        }
    }
    assert_eq!(load(&spelling(0)).unwrap().name.as_deref(), Some(r#"GFp "and" \GFq"#));
}

#[test]
fn labels_on_states_and_several_initial_states() {
    // The standard's example for GFa with labels on states.
    let a = automaton(
        "HOA: v1 States: 2 Start: 0 Start: 1 Acceptance: 1 Inf(0) AP: 1 \"a\"
         --BODY-- State: [0] 0 {0} 0 1 State: [!0] 1 0 1 --END--",
    );
    assert_eq!((a.states(), a.initial), (3, State(2)));
    let edge = |cube, marks, to| Edge { label: Label(vec![cube]), marks: Marks(marks), to: State(to) };
    assert_eq!(a.edges[2], [edge(P, 1, 0), edge(P, 1, 1), edge(NOT_P, 0, 0), edge(NOT_P, 0, 1)]);
    assert!(accepts(&a, &[0], &[0, 1]) && !accepts(&a, &[1], &[0]));
}

#[test]
fn no_initial_state_and_no_state_at_all_accept_nothing() {
    for text in [
        "HOA: v1 Acceptance: 0 t States: 0 --BODY-- --END--",
        "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--",
        "HOA: v1 Start: 0 Acceptance: 0 f --BODY-- State: 0 [t] 0 --END--",
    ] {
        assert!(!accepts(&automaton(text), &[], &[0]), "{text}");
    }
    assert!(accepts(&automaton("HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 0 --END--"), &[], &[0]));
}

#[test]
fn a_stream_of_automata() {
    let one =
        |n: u32| format!("HOA: v1 name: \"{n}\" Start: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--\n");
    let aborted = "HOA: v1 name: \"half --ABORT--";
    let text = format!("{}{aborted}\" --ABORT-- {}%%% {}", one(0), one(1), one(2));
    let source = SourceText::new("a.hoa", text);
    assert_eq!(count(&source), 3);
    let name = |i| read(&source, i).map(|loaded| loaded.name);
    assert_eq!(name(0).unwrap().as_deref(), Some("0"));
    assert_eq!(name(1).unwrap().as_deref(), Some("1"));
    assert_eq!(name(2).unwrap_err()[0].to_string(), "a.hoa:3:1: error: no token begins with this character");
    assert_eq!(
        name(3).unwrap_err()[0].to_string(),
        "error: a.hoa: no automaton number 3 (counted from 0): it holds 3 automata"
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let header = "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0)";
    let body = "--BODY-- State: 0 [0] 0 {0} --END--";
    let edge = |edge: &str| format!("{header} --BODY-- State: 0 {edge} --END--");
    let cases: [(String, &str, &str); 17] = [
        (format!("HOA: v2 Start: 0 Acceptance: 0 t {body}"), "v2", "unknown version of the format"),
        (format!("{header} Fairness: 1 {body}"), "Fairness:", "unknown header Fairness:"),
        (format!("{header} AP: 0 {body}"), "AP:", "AP: is given twice"),
        ("HOA: v1 Start: 0 --BODY-- --END--".into(), "", "there is no Acceptance: line"),
        (header.into(), "", "the automaton is not finished"),
        (edge("[1] 0"), "1", "there is no proposition 1: 1 are declared"),
        (edge("[0] 0 {1}"), "1", "there is no acceptance set 1: 1 are declared"),
        (edge("[0] 0&0"), "&", "alternating automata are not supported"),
        (edge("[0] 0 0"), "0", "either all edges of a state have a label, or none"),
        (edge("0"), "0", "without labels there is one edge for each of the 2^1 letters, and here are 1"),
        (edge("[@x] 0"), "@x", "this alias is not defined (before here)"),
        (edge("State: 0"), "0", "state 0 is described twice"),
        (edge("[0] 99999"), "99999", "this number of states is larger than the whole file"),
        (SPELLINGS[3].into(), "7", "there is no state 7: 3 are declared"),
        (
            format!("HOA: v1 Acceptance: 65 t {body}"),
            "65",
            "65 acceptance sets are too many: at most 64 are supported",
        ),
        (
            format!("HOA: v1 AP: 2 \"p\" Acceptance: 1 Inf(0) {body}"),
            "2",
            "2 propositions are announced and 1 are named",
        ),
        (format!("HOA: v1 Acceptance: 1 {}t {body}", "(".repeat(500)), "(", "this is nested too deeply"),
    ];
    for (text, marked, expected) in cases {
        let message = load(&text).expect_err("this should be refused").remove(0);
        let place = message.place.expect("a place");
        assert_eq!((&place.text[place.start..place.end], &*message.text), (marked, expected), "{text}");
    }
    let nothing = load("").unwrap_err();
    assert_eq!(
        nothing[0].to_string(),
        "error: a.hoa: no automaton number 0 (counted from 0): there is no automaton in it"
    );
    // All that is wrong, not only the first.
    let text = "HOA: v1 Start: 0\nAcceptance: 1 Inf(1)\n--BODY--\nState: 0 [3] 0\nState: 1 [t 0\nState: 2 {\n--END--";
    let lines: Vec<u64> =
        load(text).unwrap_err().iter().filter_map(|m| m.place.as_ref()).map(|p| p.line).collect();
    assert_eq!(lines, [2, 4, 5, 6]);
}

#[test]
fn labels_that_explode_are_refused_and_those_that_only_look_so_are_not() {
    let propositions: String = (0..64).map(|i| format!("\"p{i}\" ")).collect();
    let pairs: Vec<String> = (0..32).map(|i| format!("({}|{})", 2 * i, 2 * i + 1)).collect();
    let file = |label: &str| {
        format!(
            "HOA: v1 Start: 0 AP: 64 {propositions} Acceptance: 0 t --BODY-- State: 0 [{label}] 0 --END--"
        )
    };
    assert!(complaint(&file(&pairs.join("&"))).contains("this label is too large"));
    let negated = automaton(&file(&format!("!({})", pairs.join("&"))));
    assert_eq!(negated.edges[0][0].label.0.len(), 32);
    // Aliases that double thirty times over.
    let aliases: String = (1..30).map(|i| format!("Alias: @{i} @{0} & (@{0} | 1) ", i - 1)).collect();
    let text = format!(
        "HOA: v1 Start: 0 AP: 2 \"p\" \"q\" Alias: @0 0 {aliases} Acceptance: 0 t --BODY-- State: 0 [!@29] 0 --END--"
    );
    assert_eq!(automaton(&text).edges[0][0].label, Label(vec![NOT_P]));
}

/// A random condition over three sets, as text and as what it says of the sets met again and again (`inf`) and of
/// those whose complement is (`co`).
#[derive(Clone, Debug)]
enum Condition {
    Atom { fin: bool, set: u32, complement: bool },
    Constant(bool),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    fn text(&self) -> String {
        match self {
            Condition::Atom { fin, set, complement } => {
                format!("{}({}{set})", if *fin { "Fin" } else { "Inf" }, if *complement { "!" } else { "" })
            }
            Condition::Constant(value) => if *value { "t" } else { "f" }.into(),
            Condition::And(a, b) => format!("({})&({})", a.text(), b.text()),
            Condition::Or(a, b) => format!("({})|{}", a.text(), b.text()),
        }
    }

    fn holds(&self, inf: u64, co: u64) -> bool {
        match self {
            Condition::Atom { fin, set, complement } => {
                (if *complement { co } else { inf } >> set & 1 != 0) != *fin
            }
            Condition::Constant(value) => *value,
            Condition::And(a, b) => a.holds(inf, co) && b.holds(inf, co),
            Condition::Or(a, b) => a.holds(inf, co) || b.holds(inf, co),
        }
    }
}

fn condition() -> impl Strategy<Value = Condition> {
    let atom = (any::<bool>(), 0u32..3, any::<bool>()).prop_map(|(fin, set, complement)| Condition::Atom {
        fin,
        set,
        complement,
    });
    let leaf = prop_oneof![8 => atom, 1 => any::<bool>().prop_map(Condition::Constant)];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let pair = (inner.clone(), inner).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        prop_oneof![
            pair.clone().prop_map(|(a, b)| Condition::And(a, b)),
            pair.prop_map(|(a, b)| Condition::Or(a, b)),
        ]
    })
}

/// A deterministic complete automaton over one proposition: by state and letter, the target and the marks.
type Table = Vec<[(u32, u64); 2]>;

fn table() -> impl Strategy<Value = Table> {
    (1u32..4)
        .prop_flat_map(|n| proptest::collection::vec(proptest::array::uniform2((0..n, 0u64..8)), n as usize))
}

fn word() -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
    (proptest::collection::vec(0u64..2, 0..3), proptest::collection::vec(0u64..2, 1..4))
}

fn braces(marks: u64) -> String {
    let sets: Vec<String> = (0..3).filter(|i| marks >> i & 1 != 0).map(|i| i.to_string()).collect();
    format!("{{{}}}", sets.join(" "))
}

/// The only run of a deterministic automaton, followed until it must repeat; then the marks of one more round.
fn only_run(table: &Table, prefix: &[u64], cycle: &[u64]) -> (u64, u64) {
    let mut state = 0;
    let mut step = |letter: u64| {
        let (to, marks) = table[state as usize][letter as usize];
        state = to;
        marks
    };
    for &letter in prefix.iter().chain(cycle.repeat(table.len()).iter()) {
        step(letter);
    }
    let (mut inf, mut co) = (0, 0);
    for letter in cycle.repeat(12) {
        let marks = step(letter);
        inf |= marks;
        co |= !marks;
    }
    (inf, co)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Any acceptance condition, on automata whose only run can be followed.
    #[test]
    fn acceptance_is_as_the_condition_says(table in table(), condition in condition(), (prefix, cycle) in word()) {
        let rows: String = (0..).zip(&table).map(|(i, row)| {
            let [(a, x), (b, y)] = *row;
            format!("State: {i} {a} {} {b} {}\n", braces(x), braces(y))
        }).collect();
        let text = format!(
            "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 3 {}\n--BODY--\n{rows}--END--", condition.text()
        );
        let read = automaton(&text);
        let (inf, co) = only_run(&table, &prefix, &cycle);
        prop_assert_eq!(accepts(&read, &prefix, &cycle), condition.holds(inf, co), "{}", text);
        let again = automaton(&write(&read, Some("again")));
        prop_assert_eq!(&again, &read);
    }

    /// Valid files, broken: an answer, never a panic, and every message can be drawn; what is read can be written.
    #[test]
    fn nothing_breaks_the_reader(
        which in 0usize..5,
        changes in proptest::collection::vec((any::<u32>(), any::<u32>(), 0u8..7), 1..8),
    ) {
        const BITS: [&str; 16] = [
            "0", "1", "{", "}", "[", "]", "&", "|", "!", "(", ")", "\"", "/*", "State:", "@x", "\u{e9}",
        ];
        let mut text: Vec<char> = match which {
            4 => "HOA: v1 Start: 0 Start: 1 AP: 1 \"a\" Acceptance: 2 Fin(0)&Inf(1)|Fin(1)\n\
                  --BODY--\nState: [0] 0 {0} 0 1\nState: [!0] 1 0 1\n--END--".to_owned(),
            i => spelling(i),
        }.chars().collect();
        for (a, b, kind) in changes {
            let n = text.len().max(1);
            let (from, to) = (a as usize % n, (a as usize % n + b as usize % 12).min(text.len()));
            match kind {
                0 => { text.drain(from.min(to)..to); }
                1 => { let copy: Vec<char> = text[from.min(to)..to].to_vec(); text.splice(from..from, copy); }
                2 => text.truncate(from),
                3 => { text.splice(from.min(to)..to, std::iter::empty()); text.push('\n'); }
                _ => { let bit = BITS[b as usize % BITS.len()]; let at = from.min(text.len()); text.splice(at..at, bit.chars()); }
            }
        }
        let text: String = text.into_iter().collect();
        let source = SourceText::new("broken.hoa", text);
        for i in 0..=count(&source) {
            match read(&source, i) {
                Ok(loaded) => {
                    let again = automaton(&write(&loaded.automaton, loaded.name.as_deref()));
                    prop_assert_eq!(again, loaded.automaton);
                }
                Err(messages) => {
                    prop_assert!((1..=20).contains(&messages.len()));
                    for message in messages {
                        prop_assert!(!message.to_string().is_empty());
                        prop_assert!(message.place.is_none_or(|p| p.text.get(p.start..p.end).is_some()));
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_written() {
    let text = write(&automaton(&spelling(3)), Some("say \"GF\""));
    let expected = r#"HOA: v1
name: "say \"GF\""
States: 3
Start: 1
AP: 2 "p" "q"
acc-name: generalized-Buchi 2
Acceptance: 2 Inf(0)&Inf(1)
properties: trans-labels explicit-labels state-acc deterministic
--BODY--
State: 0 {1}
[1] 2
[!1] 0
State: 1
[0] 0
[!0] 1
State: 2 {0 1}
[t] 1
--END--
"#;
    assert_eq!(text, expected);
    let edges = write(&automaton(&spelling(0)), None);
    assert!(edges.contains("trans-acc") && edges.contains("[0&1] 0 {0 1}\n"), "{edges}");
}
