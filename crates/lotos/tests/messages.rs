//! Broken specifications: what is wrong, at which line and column; and all of it at once.

use elnath_source::{Message, SourceText};

/// Messages as `LINE:COLUMN: text`.
fn messages(text: &str) -> Vec<String> {
    let shown = |message: &Message| match &message.place {
        Some(place) => {
            assert!(place.start < place.end || place.text.len() == place.start, "a caret: {message:?}");
            format!("{}:{}: {}", place.line, place.column(), message.text)
        }
        None => message.text.clone(),
    };
    match elnath_lotos::read(SourceText::new("broken.lotos", text), &|_| None, &[]) {
        Ok((_, warnings)) => warnings.iter().map(shown).collect(),
        Err(messages) => {
            assert!(messages.iter().all(|message| message.code.is_some()), "{messages:?}");
            messages.iter().map(shown).collect()
        }
    }
}

/// A behaviour (line 13) over gates `a` and `b`, a process P with one gate and a parameter of sort Nat, and types Boolean, NaturalNumber and Colour.
fn behaviour(text: &str) -> String {
    format!(
        "specification S [a, b] : noexit
library Boolean, NaturalNumber endlib
type Colour is Boolean
  sorts Colour
  opns
    red (*! constructor *), green (*! constructor *) : -> Colour
    swap : Colour -> Colour
  eqns
    ofsort Colour swap (red) = green; swap (green) = red
endtype
behaviour
(* the next line is the thirteenth *)
{text}
where
process P [g] (n : Nat) : noexit := g !n; P [g] (n) endproc
endspec
"
    )
}

/// A type (from line 3 on) that imports Boolean and NaturalNumber.
fn of_type(text: &str) -> String {
    format!(
        "specification S [a] : noexit
library Boolean, NaturalNumber endlib
{text}
behaviour stop
endspec
"
    )
}

#[test]
fn broken_behaviours() {
    let cases = [
        ("a; c; stop", vec!["13:4: there is no gate `c` here"]),
        ("a; stop [] ", vec!["14:1: expected a behaviour, found `where`"]),
        ("a stop", vec!["13:3: expected an operator, `where` or the end of the definition, found `stop`"]),
        ("a !nothing; stop", vec!["13:4: there is no value `nothing` here"]),
        ("a !succ (red); stop", vec!["13:4: no operation `succ` takes `colour`"]),
        ("a !red + 1; stop", vec!["13:4: no operation `+` takes `colour`, `nat`"]),
        ("P [a]", vec!["13:1: the process `P` needs 1 value, and 0 are given"]),
        ("P [a, b] (1)", vec!["13:1: the process `P` needs 1 gate, and 2 are given"]),
        ("P [a] (red)", vec!["13:8: this is of sort `colour`, and sort `nat` is needed"]),
        ("Q [a]", vec!["13:1: there is no process `Q` here"]),
        ("p1 [a] (1)", vec!["13:1: there is no process `p1` here"]),
        ("a ?x : Color; stop", vec!["13:8: there is no sort `Color` here"]),
        ("[red] -> stop", vec!["13:2: this is of sort `colour`, and sort `bool` is needed"]),
        ("[red = 1] -> stop", vec!["13:8: the left side is of sort `colour`, the right side of sort `nat`"]),
        ("exit", vec!["1:26: this process is declared `noexit`, and its body may end with `exit`"]),
        ("a; exit", vec!["1:26: this process is declared `noexit`, and its body may end with `exit`"]),
        ("a !1 of Colour; stop", vec!["13:4: this is of sort `nat`, and sort `colour` is needed"]),
        ("hide c, c in c; stop", vec!["13:9: the gate `c` is declared twice"]),
        ("let x : Nat = red in stop", vec!["13:15: this is of sort `colour`, and sort `nat` is needed"]),
        (
            "a; exit (1) >> accept x : Bool in stop",
            vec![
                "13:1: what stands before `>>` ends with `exit (nat)`, and what follows accepts `exit (bool)`",
            ],
        ),
        (
            "a; exit (1) [] b; exit",
            vec![
                "13:16: one side ends with `exit (nat)`, the other with `exit`",
                "1:26: this process is declared `noexit`, and its body may end with `exit (nat)`",
            ],
        ),
        ("(a; stop", vec!["14:1: expected `)`, found `where`"]),
        ("a; stop)", vec!["13:8: expected an operator, `where` or the end of the definition, found `)`"]),
        ("a ?x : Nat ?x : Nat; stop", vec!["13:13: the variable `x` is declared twice"]),
        ("a !x; stop", vec!["13:4: there is no value `x` here"]),
        ("choice g in [a, c] [] g; stop", vec!["13:17: there is no gate `c` here"]),
        ("choice x : Nat a !x; stop", vec!["13:16: expected `[]`, found `a`"]),
        ("par g in [a, b] g; stop", vec!["13:17: expected a parallel operator, found `g`"]),
        ("a |[b]| stop", vec!["13:1: there is no process `a` here"]),
        ("[true] stop", vec!["13:8: expected `->`, found `stop`"]),
        ("a !1; stop || b !(2; stop", vec!["13:20: expected `)`, found `;`"]),
        ("P [a] (1, 2)", vec!["13:1: the process `P` needs 1 value, and 2 are given"]),
        ("i !1; stop", vec!["13:3: expected `;`, found `!`"]),
        ("stop >> accept x in stop", vec!["13:18: expected `:`, found `in`"]),
        ("a !swap; stop", vec!["13:4: no operation `swap` takes nothing"]),
        ("let x : Nat, y : Nat = 1 in stop", vec!["13:12: expected `=`, found `,`"]),
        ("a; $ stop", vec!["13:4: `$` means nothing in LOTOS"]),
        (
            "P [a, c] (1)",
            vec!["13:7: there is no gate `c` here", "13:1: the process `P` needs 1 gate, and 2 are given"],
        ),
        (
            "a !0 !nil; stop [] c; stop",
            vec!["13:7: there is no value `nil` here", "13:20: there is no gate `c` here"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(messages(&behaviour(text)), expected, "{text}");
    }
}

#[test]
fn broken_types() {
    let cases = [
        ("type T is Bolean endtype", vec!["3:11: there is no type `Bolean`"]),
        ("type T is sorts S opns f : -> X endtype", vec!["3:31: there is no sort `X` here"]),
        (
            "type T is sorts S opns f : -> S f : -> S endtype",
            vec!["3:33: the operation `f` is declared twice with these sorts"],
        ),
        ("type T is T endtype", vec!["3:6: the type `T` imports itself"]),
        (
            "type T is NaturalNumber opns f : Nat -> Nat eqns forall x, y : Nat ofsort Nat f (x) = y endtype",
            vec!["3:79: this equation uses a variable that its left side does not have"],
        ),
        (
            "type T is NaturalNumber opns f : Nat -> Nat eqns forall x : Nat ofsort Nat f (f (x)) = x endtype",
            vec!["3:76: the left side uses `f`, which is no constructor"],
        ),
        (
            "type T is NaturalNumber opns f : Nat -> Nat eqns ofsort Nat f (0) = true endtype",
            vec!["3:69: this is of sort `bool`, and sort `nat` is needed"],
        ),
        (
            "type T is NaturalNumber eqns forall x : Nat ofsort Nat Succ (x) = x endtype",
            vec![
                "3:56: `Succ` is a constructor (or one of our library's operations), and no equation can define it",
            ],
        ),
        (
            "type T is sorts S opns f : -> S (*! external *) endtype",
            vec!["3:24: the operation `f` is external, which means C code, and none is executed here"],
        ),
        (
            "type T is Boolean renamedby sortnames C for Colour endtype",
            vec!["3:45: there is no sort `Colour` here"],
        ),
        (
            "type T is sorts S opns f : S -> S eqns forall x : S f (x) = x; g (x) = x endtype",
            vec!["3:64: there is no operation `g` here"],
        ),
        ("type T is sorts S opns f S -> S endtype", vec!["3:26: expected `:`, found `S`"]),
        (
            "type T is sorts S type U is sorts S endtype",
            vec!["3:19: expected `sorts`, `opns`, `eqns` or `endtype`, found `type`"],
        ),
        (
            "type T is formalsorts F endtype type U is T actualizedby Boolean endtype",
            vec![
                "3:38: nothing takes the place of the formal sort `f`: there is no sort `f` in the actual types",
            ],
        ),
        ("type T is sorts S endtype type T is sorts S endtype", vec!["3:32: the type `T` is declared twice"]),
        (
            "type T is Boolean eqns forall x : Nat ofsort Bool x = x endtype",
            vec!["3:35: there is no sort `Nat` here"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(messages(&of_type(text)), expected, "{text}");
    }
}

#[test]
fn broken_texts() {
    let cases = [
        ("", vec!["1:1: expected `specification`, found the end of the file"]),
        ("process P : noexit := stop endproc", vec!["1:1: expected `specification`, found `process`"]),
        (
            "specification S : noexit behaviour stop",
            vec![
                "1:40: expected an operator, `where` or the end of the definition, found the end of the file",
            ],
        ),
        ("specification S [a] behaviour stop endspec", vec!["1:21: expected `:`, found `behaviour`"]),
        (
            "specification S : noexit library Bolean endlib behaviour stop endspec",
            vec!["1:34: there is no library `Bolean`"],
        ),
        (
            "specification S : noexit library Nowhere endlib behaviour stop endspec",
            vec!["1:34: there is no library `Nowhere`"],
        ),
        (
            "specification S : noexit behaviour stop (* endspec",
            vec![
                "1:41: this comment does not end",
                "1:51: expected an operator, `where` or the end of the definition, found the end of the file",
            ],
        ),
        (
            "specification S [a, a] : noexit behaviour a; stop endspec",
            vec!["1:21: the gate `a` is declared twice"],
        ),
        (
            "specification S (n : Nat) : noexit library NaturalNumber endlib behaviour stop endspec",
            vec!["1:18: the parameter `n` of the specification has no value"],
        ),
        (
            "specification S [a] : noexit behaviour P [a] where process P [g] : noexit := g stop endproc process Q [h] : noexit := h; R [h] endproc process Q [h] : noexit := h; stop process V : noexit := stop endproc endspec",
            vec![
                "1:80: expected an operator, `where` or the end of the definition, found `stop`",
                "1:205: expected `endproc`, found `endspec`",
            ],
        ),
        (
            "specification S [a] : noexit behaviour P where process P : noexit := stop endproc process P : noexit := stop endproc endspec",
            vec!["1:91: the process `P` is defined twice"],
        ),
        (
            "specification S [a] : noexit behaviour [true] -> stop endspec",
            vec!["1:41: there is no sort `Bool` with `true` here, which a condition needs"],
        ),
        (
            "specification S [a] : noexit behaviour a; stop endspec more",
            vec!["1:56: the specification has ended before this"],
        ),
        (
            "specification S [a] : noexit behaviour P [a, a] where process P [g, h] : noexit := g; h; stop endproc endspec",
            vec!["1:46: the gate `a` is given to `P` twice"],
        ),
        (
            "specification S [a] : noexit behaviour P [a] where process P [g] : noexit := g; stop ||| P [g] endproc endspec",
            vec![
                "1:90: P calls itself through a parallel operator, `>>`, `[>` or with a hidden gate, without an action before it while the initial state is made",
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(messages(text), expected, "{text}");
    }
}

/// Texts for other tools, and in languages that come from LOTOS: each construct that is not read is named.
#[test]
fn foreign_texts() {
    let cases = [
        (
            "module M is process MAIN [A: any] is A end process end module",
            vec!["1:1: this is LNT or E-LOTOS and not LOTOS: it begins with `module`"],
        ),
        (
            "specification S is gates g : nat behaviour g endspec",
            vec!["1:15: this is E-LOTOS and not LOTOS: it has `is` after its name"],
        ),
        (
            "specification S [a : nat, b : nat] : noexit behaviour a; b; stop endspec",
            vec!["1:20: a gate has no type in LOTOS"],
        ),
        (
            "specification S [a] : noexit behaviour a !\"one two\" !'c'; loop where process P [a] : noexit is a; stop endproc endspec",
            vec![
                "1:43: LOTOS has no literals for strings and characters",
                "1:54: LOTOS has no literals for strings and characters",
                "1:93: expected `:=`, found `is`",
            ],
        ),
        (
            "specification S [a] : noexit behaviour a; loop endspec",
            vec!["1:43: there is no process `loop` here"],
        ),
        (
            "specification S [a] : noexit library X_REAL, X_STRING, Nothing endlib behaviour a; stop endspec",
            vec![
                "1:38: the library `X_REAL` of CADP is C code, and none is executed here",
                "1:46: the library `X_STRING` of CADP is C code, and none is executed here",
                "1:56: there is no library `Nothing`",
            ],
        ),
        (
            "specification S [a] : noexit (* one (* two *) [three *) behaviour a; stop endspec",
            vec!["1:54: a comment stands within a comment; both end here"],
        ),
        (
            "specification S [a] : noexit three *) behaviour a; stop endspec",
            vec!["1:36: this ends no comment", "1:30: expected `behaviour`, found `three`"],
        ),
        (
            "specification S [a] : noexit type T is sorts T (*! implementedby T external *) opns f (*! implementedby F constructor external *) : -> T g (*! external *) : T -> T endtype behaviour a; stop endspec",
            vec![
                "1:46: the sort `T` is external, which means C code, and none is executed here",
                "1:85: the operation `f` is external, which means C code, and none is executed here",
                "1:138: the operation `g` is external, which means C code, and none is executed here",
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(messages(text), expected, "{text}");
    }
}

/// All libraries, under every name that the standard and CADP have for them, alone and together.
#[test]
fn libraries_by_name() {
    let names = [
        "Boolean",
        "X_BOOLEAN",
        "Bit",
        "X_BIT",
        "Natural",
        "NaturalNumber",
        "BasicNaturalNumber",
        "X_NATURAL",
        "Integer",
        "X_INTEGER",
        "Octet",
        "X_OCTET",
        "FBoolean",
        "Element",
        "String",
        "BasicNonEmptyString",
        "RicherNonEmptyString",
        "NonEmptyString",
        "Set",
        "OctetString",
        "BitString",
        "BitNatRepr",
        "OctDigit",
        "OctString",
        "OctNatRepr",
        "DecDigit",
        "DecString",
        "DecNatRepr",
        "HexDigit",
        "HexString",
        "HexNatRepr",
        "NatRepresentations",
    ];
    let with = |names: &str, more: &str| {
        format!("specification S [a] : noexit library {names} endlib {more} behaviour a; stop endspec")
    };
    for name in names {
        let none: [String; 0] = [];
        assert_eq!(messages(&with(name, "")), none, "{name}");
        // A type of this name is there.
        assert_eq!(messages(&with(name, &format!("type Own is {name} endtype"))), none, "{name}");
    }
    assert_eq!(messages(&with(&names.join(", "), "")).len(), 0);
    // What is only another name for a type gives way to the specification's own.
    let own = "type Natural is NaturalNumber opns two : -> Nat eqns ofsort Nat two = 2 endtype";
    assert_eq!(messages(&with("NaturalNumber", own)).len(), 0);
    let own = "type NaturalNumber is Boolean sorts Nat endtype";
    assert!(messages(&with("NaturalNumber", own))[0].contains("the type `NaturalNumber` is declared twice"));
}

/// What is nested too deep is refused, and what is only long is not.
#[test]
fn deep_and_long_texts() {
    let nested = |count: usize| behaviour(&format!("{}stop{}", "(".repeat(count), ")".repeat(count)));
    assert!(messages(&nested(50)).is_empty());
    assert!(messages(&nested(5000)).iter().all(|message| message.contains("nested more than")));
    let chain = |count: usize, step: &str| behaviour(&format!("{}stop", step.repeat(count)));
    assert!(messages(&chain(250, "a; ")).is_empty());
    assert!(messages(&chain(250, "a; stop [] ")).is_empty());
    assert!(messages(&chain(100_000, "a; ")).iter().all(|message| message.contains("nested more than")));
    assert!(
        messages(&chain(100_000, "a; stop [] ")).iter().all(|message| message.contains("nested more than"))
    );
    let plus = behaviour(&format!("a !0{}; stop", " + 0".repeat(100_000)));
    assert!(messages(&plus).iter().all(|message| message.contains("nested more than")));
}

/// What is known elsewhere, and how to get it here.
#[test]
fn advice() {
    let helps = |text: &str| -> Vec<String> {
        let read = elnath_lotos::read(SourceText::new("broken.lotos", text), &|_| None, &[]);
        let messages = read.map(|_| ()).expect_err("it is broken");
        messages.into_iter().map(|message| message.help.unwrap_or_default()).collect()
    };
    let received = behaviour("a ?x : Nat !(x + 1); stop");
    assert_eq!(
        helps(&received),
        [
            "a variable that an action receives is known in its predicate and after it: write `?y : SORT [y = ...]`"
        ]
    );
    let outer = "specification S [a, b] (size : Nat) : noexit library NaturalNumber endlib
        behaviour P [a] where process P [g] : noexit := g !size; b; stop endproc endspec";
    assert_eq!(
        helps(outer),
        [
            "it is a parameter of `S`, which this process does not see: add a parameter `size` here, and give it in calls",
            "it is a gate of `S`, which this process does not see: add a gate `b` here, and give it in calls",
            "give a value to each: `-D size=VALUE`",
        ]
    );
}

/// Parameters of a specification get values from outside; what is wrong with them is told.
#[test]
fn values_of_parameters() {
    let read = |values: &[&str]| -> Vec<String> {
        let text = "specification S [a] (size : Nat, other : Bool) : noexit library NaturalNumber endlib
            behaviour [other] -> a !size; stop endspec";
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        let source = SourceText::new("parameters.lotos", text);
        let read = elnath_lotos::read_as(source, &|_| None, &[], elnath_lotos::Aliasing::Cadp, &values);
        read.map(|_| ()).err().unwrap_or_default().into_iter().map(|message| message.text).collect()
    };
    assert_eq!(read(&["size=2", "Other = not (false)"]), [""; 0]);
    assert_eq!(read(&["size=2"]), ["the parameter `other` of the specification has no value"]);
    assert_eq!(read(&["size=true", "other=true"]), ["this is of sort `bool`, and sort `nat` is needed"]);
    assert_eq!(read(&["size=2 +", "other=true"]), ["expected a value, found the end of the file"]);
    assert_eq!(
        read(&["sise=2", "size=2", "other=true"]),
        ["the specification has no parameter `sise` that could have a value"]
    );
}

/// `false and x` is `false` whatever `x` is: the second operand is evaluated only where it matters.
#[test]
fn truth_without_a_value() {
    let labels = |condition: &str| {
        let text = format!(
            "specification S [yes, no] : noexit library Boolean endlib
             type T is Boolean sorts T opns x, y : -> T only_x : T -> Bool eqns ofsort Bool only_x (x) = true endtype
             behaviour [{condition}] -> yes; stop [] [not ({condition})] -> no; stop endspec"
        );
        match elnath_lotos::read(SourceText::new("truth.lotos", text), &|_| None, &[]) {
            Err(messages) => messages[0].text.clone(),
            Ok((system, _)) => {
                let system: &dyn elnath_kernel::System = &system;
                let (mut stepper, mut state) = (system.stepper(), Vec::new());
                stepper.initial(&mut state);
                let mut successors = elnath_kernel::Successors::default();
                stepper.successors(&state, &mut successors);
                assert_eq!(successors.len(), 1);
                system.describe().action_name(stepper.action(&state, successors.get(0).transition))
            }
        }
    };
    assert_eq!(labels("false and only_x (y)"), "NO");
    assert_eq!(labels("true or only_x (y)"), "YES");
    assert_eq!(labels("false implies only_x (y)"), "YES");
    assert_eq!(labels("true and only_x (x)"), "YES");
    for undefined in
        ["true and only_x (y)", "false or only_x (y)", "true implies only_x (y)", "only_x (y) and false"]
    {
        assert!(labels(undefined).starts_with("no equation applies to ONLY_X (Y)"), "{}", labels(undefined));
    }
}
