//! Never claims: the same words are accepted, and SPIN takes them.

mod lassos;

use elnath_logic::automaton::{Automaton, Cube, Edge, Label, Marks, State};
use elnath_logic::never;
use lassos::accepts;
use proptest::prelude::*;
use std::collections::HashMap;
use std::process::Command;

/// Reads a claim in the shape in which it is written.
fn read(claim: &str, propositions: &[String]) -> Automaton {
    let mut names: HashMap<&str, u32> = HashMap::new();
    for name in claim.lines().filter_map(|line| line.strip_suffix(':')) {
        names.insert(name, names.len() as u32);
    }
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); names.len()];
    let mut current = "";
    for line in claim.lines() {
        if let Some(name) = line.strip_suffix(':') {
            current = name;
        } else if let Some(rest) = line.strip_prefix("\t:: ") {
            let (condition, target) = rest.split_once(" -> goto ").expect("an edge");
            let condition = &condition[1..condition.len() - 1];
            let cube = |text: &str| {
                let mut cube = Cube::TRUE;
                for literal in text.split(" && ") {
                    let negated = literal.contains('!');
                    let name = literal.trim_matches(['(', ')', '!']);
                    if name == "1" {
                        continue;
                    }
                    let p = propositions.iter().position(|p| p == name).expect("a proposition");
                    let one = Cube::literal(p, !negated);
                    cube = Cube { with: cube.with | one.with, without: cube.without | one.without };
                }
                cube
            };
            let label = Label(condition.split(" || ").map(cube).collect());
            let marks = Marks(u64::from(current.starts_with("accept")));
            edges[names[current] as usize].push(Edge { label, marks, to: State(names[target]) });
        }
    }
    Automaton { propositions: propositions.to_vec(), sets: 1, initial: State(0), edges }
}

fn automaton() -> impl Strategy<Value = Automaton> {
    let cube = (0u64..4, 0u64..4).prop_map(|(a, b)| Cube { with: a & !b, without: b & !a });
    let label = proptest::collection::vec(cube, 1..3).prop_map(Label);
    (1u32..4, 0u32..4, any::<bool>()).prop_flat_map(move |(states, sets, on_states)| {
        let edge = (label.clone(), 0u64..1 << sets, 0..states).prop_map(|(label, marks, to)| Edge {
            label,
            marks: Marks(marks),
            to: State(to),
        });
        let leaving = proptest::collection::vec(edge, 0..4);
        (proptest::collection::vec(leaving, states as usize), 0..states).prop_map(
            move |(mut edges, initial)| {
                for leaving in edges.iter_mut().filter(|_| on_states) {
                    let shared = leaving.first().map_or(Marks(0), |e| e.marks);
                    leaving.iter_mut().for_each(|e| e.marks = shared);
                }
                Automaton { propositions: vec!["p".into(), "q".into()], sets, initial: State(initial), edges }
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_claim_accepts_what_its_automaton_does(
        automaton in automaton(),
        words in proptest::collection::vec(
            (proptest::collection::vec(0u64..4, 0..3), proptest::collection::vec(0u64..4, 1..4)), 8,
        ),
    ) {
        let claim = never::write(&automaton, "random");
        let again = read(&claim, &automaton.propositions);
        for (prefix, cycle) in words {
            let (found, wanted) = (accepts(&again, &prefix, &cycle), accepts(&automaton, &prefix, &cycle));
            prop_assert_eq!(found, wanted, "{} on {:?} {:?}", claim, prefix, cycle);
        }
    }
}

/// GF p & GF q, with marks on edges.
fn both_again_and_again() -> Automaton {
    let edge = |letter, marks| Edge {
        label: Label(vec![Cube::letter(letter, 2)]),
        marks: Marks(marks),
        to: State(0),
    };
    let edges = vec![(0..4).map(|letter| edge(letter, letter)).collect()];
    Automaton { propositions: vec!["p".into(), "x > 3".into()], sets: 2, initial: State(0), edges }
}

#[test]
fn what_is_written() {
    let mut automaton = both_again_and_again();
    automaton.sets = 1;
    automaton.edges[0].truncate(2);
    let expected = "never { /* * / GF p */
T0_init:
\tdo
\t:: (!(p) && !(x > 3)) -> goto T0_init
\t:: ((p) && !(x > 3)) -> goto accept_S1
\tod;
accept_S1:
\tdo
\t:: (!(p) && !(x > 3)) -> goto T0_init
\t:: ((p) && !(x > 3)) -> goto accept_S1
\tod;
}
";
    assert_eq!(never::write(&automaton, "*/ GF p"), expected);
    automaton.edges[0].clear();
    assert_eq!(never::write(&automaton, ""), "never { /*  */\nT0_init:\n\tfalse;\n}\n");
}

/// SPIN's verdict on a model that makes p and x go through a word again and again.
fn spin_finds_a_match(claim: &str, cycle: &[u64], folder: &std::path::Path) -> bool {
    let steps: String = cycle
        .iter()
        .map(|letter| format!("d_step {{ p = {}; x = {} }};\n", letter & 1, (letter >> 1) * 5))
        .collect();
    // The first state is read before any step, so it is made to be the last letter of the loop.
    let last = cycle[cycle.len() - 1];
    let (p, x) = (last & 1, (last >> 1) * 5);
    let model =
        format!("bool p = {p}; byte x = {x};\nactive proctype m() {{ do :: {{ {steps} }} od }}\n{claim}");
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join("m.pml"), model).expect("a file");
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder).output().expect("runs");
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {text}");
        text
    };
    let said = run("spin", &["-a", "m.pml"]);
    assert!(!said.contains("rror"), "{said}");
    run("gcc", &["-w", "-O0", "-DNOREDUCE", "-o", "pan", "pan.c"]);
    let said = run("./pan", &["-a", "-n"]);
    said.contains("acceptance cycle")
}

#[test]
#[allow(clippy::print_stderr)] // The one thing a test says when it has nothing to test.
fn spin_takes_the_claim_and_means_the_same() {
    let there = |program: &str, flag: &str| Command::new(program).arg(flag).output().is_ok();
    if !there("spin", "-V") || !there("gcc", "--version") {
        eprintln!("note: no spin or no gcc, nothing compared");
        return;
    }
    let folder = std::env::temp_dir().join(format!("elnath-never-{}", std::process::id()));
    let automaton = both_again_and_again();
    let claim = never::write(&automaton, "GF p & GF x > 3");
    for cycle in [[1, 2], [1, 0]] {
        assert_eq!(
            spin_finds_a_match(&claim, &cycle, &folder),
            accepts(&automaton, &[], &cycle),
            "{cycle:?}"
        );
    }
    // A claim that can get stuck, one of whose states has no edges.
    let mut stuck = both_again_and_again();
    stuck.sets = 0;
    stuck.edges.push(Vec::new());
    stuck.edges[0][1].to = State(1);
    let claim = never::write(&stuck, "stuck after p");
    assert!(claim.contains("\tfalse;"));
    assert!(!spin_finds_a_match(&claim, &[1, 2], &folder));
    std::fs::remove_dir_all(&folder).expect("our own folder");
}
