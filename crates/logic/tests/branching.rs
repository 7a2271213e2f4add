//! Formulas of branching time: reading, printing, and what they become; also formulas that nobody would write.

use elnath_logic::branching::{Door, MuFormulas, Positions, lower, parse_branching};
use elnath_source::{Message, SourceText};

fn read(text: &str, door: Door) -> Result<(String, Positions), Box<Message>> {
    let mut formulas = MuFormulas::new();
    let f = parse_branching(&mut formulas, &SourceText::new("formula", text), 0..text.len(), door)?;
    let positions = lower(&mut formulas, f);
    Ok((formulas.show(f), positions))
}

fn shown(text: &str) -> String {
    read(text, Door::Own).unwrap_or_else(|message| panic!("{text}: {}", message.text)).0
}

fn wrong(text: &str, door: Door) -> String {
    read(text, door).expect_err(text).text
}

#[test]
fn both_logics_are_read_and_printed_back() {
    for (text, printed) in [
        ("nu X. [true]X && <true>true", "nu X. [true] X && <true> true"),
        ("[true*. a. (not b)*. c] false", "[(((true*) . a) . ((not b)*)) . c] false"),
        ("A[] not deadlock", "AG !deadlock"),
        ("E<> p", "EF p"),
        ("p --> q", "AG (p -> AF q)"),
        ("A[p U x == 1] or E(p W q)", "A[p U \"x == 1\"] || E[p W q]"),
        ("<a+ . b? | c> @", "<((a+) . (b?)) | c> @"),
        ("[tau+] -|", "[tau+] -|"),
        ("<\"SEND\".*> true", "<\"SEND.*\"> true"),
        ("<~\"GET.[0-9]\"> true and ['PUT.*'] false", "<~\"GET.[0-9]\"> true && [~\"PUT.*\"] false"),
        ("min X. p or <true> X", "mu X. p || <true> X"),
        ("!mu X. X", "!(mu X. X)"),
    ] {
        assert_eq!(shown(text), printed);
        assert_eq!(shown(printed), printed, "{printed} is read as itself");
    }
}

#[test]
fn other_tools_files_are_read_as_these_mean_them() {
    let (text, _) = read("[true*] % no way\n <b|a(1, 2)> true", Door::Mcf).expect("a formula");
    assert_eq!(text, "[true*] <a(1,2)|b> true");
    let (text, _) = read("(* never *) [ true* . \"a.*\" ] false", Door::Mcl).expect("a formula");
    assert_eq!(text, "[(true*) . \"a.*\"] false");
    assert!(wrong("forall n:Nat. <a(n)> true", Door::Mcf).contains("`forall` over data"));
    assert!(wrong("<exists n:Nat. a(n)> true", Door::Mcf).contains("`exists` over data"));
    assert!(wrong("nu X(n: Nat = 0). [true] X(n)", Door::Mcf).contains("parameter of a fixpoint"));
    assert!(wrong("val(n == 1)", Door::Mcf).contains("val(..)"));
    assert!(wrong("[ {GET ?x:nat} ] false", Door::Mcl).contains("binds values"));
    assert!(wrong("[ {GET !x where x > 1} ] false", Door::Mcl).contains("`where`"));
    assert!(wrong("[ { } ] false", Door::Mcl).contains("values in braces"));
    assert!(wrong("< true{3} > true", Door::Mcl).contains("how often"));
    assert!(wrong("< for n:nat from 1 to 3 do A end for > true", Door::Mcl).contains("`for`"));
    assert!(wrong("act a, b; form <a> true", Door::Mcf).contains("`act`"));
    let (text, _) = read("< true* . {SEND !1 ! X} . true* > true", Door::Mcl).expect("a formula");
    assert_eq!(text, "<((true*) . \"SEND !1 !X\") . (true*)> true");
}

#[test]
fn what_is_wrong_is_said() {
    for (text, why) in [
        ("mu X. !X", "odd number of negations"),
        ("mu X. X -> p", "odd number of negations"),
        ("nu X. (X <-> p)", "odd number of negations"),
        ("G p", "no path quantifier"),
        ("[] p", "no path quantifier"),
        ("p U q", "stands outside"),
        ("A[p]", "needs `U`"),
        ("(p", "never closed"),
        ("<a true", "does not go on"),
        ("<not (a . b)> p", "join actions"),
        ("p q", "operator is missing"),
        ("mu X p", "not followed by a dot"),
        ("<> ", "no path quantifier"),
        ("p &&", "operand is missing"),
    ] {
        assert!(wrong(text, Door::Own).contains(why), "{text}: {}", wrong(text, Door::Own));
    }
}

#[test]
fn alternation_is_counted_where_fixpoints_depend_on_each_other() {
    for (text, depth) in [
        ("<a> true", 0),
        ("AG EF p", 1),
        ("nu X. mu Y. (p && <true> X) || <true> Y", 2),
        ("nu X. (mu Y. p || <true> Y) && [true] X", 1),
        ("mu Z. nu X. mu Y. (p && <a> X) || <b> Y || <c> Z", 3),
        ("<(a* . b)> @", 2),
        ("<a> @", 1),
        ("mu X. mu Y. <a> X || <b> Y", 1),
    ] {
        let (_, positions) = read(text, Door::Own).expect(text);
        assert_eq!(positions.alternation(), depth, "{text}");
    }
    let (_, positions) = read("AG EF p", Door::Own).expect("a formula");
    assert_eq!(
        positions.positions.len() - 2,
        3,
        "one position for each operator, and one for the steps of the inner"
    );
}

#[test]
fn formulas_that_nobody_would_write_are_read() {
    let many = 100_000;
    for text in [
        format!("{}p", "<a> ".repeat(many)),
        format!("{}p", "!".repeat(many)),
        format!("{}p{}", "(".repeat(many), ")".repeat(many)),
        format!("{}p", "AG EF ".repeat(many / 2)),
        format!("<{}a{}> p", "(".repeat(many), ")*".repeat(many)),
        format!("{}p", "p -> ".repeat(many)),
    ] {
        let printed = shown(&text);
        assert!(!printed.is_empty());
    }
    for text in [
        format!("{}p{}", "A[p U ".repeat(many), "]".repeat(many)),
        format!("{}p{}", "p <-> (".repeat(many / 2), ")".repeat(many / 2)),
        format!("<{}b{}> @", "(a | ".repeat(many), ")*".repeat(many)),
        format!("<{}a> p", "not ".repeat(many)),
    ] {
        assert!(read(&text, Door::Own).is_ok(), "{text:.40}");
    }
    let nested: String = (0..10_000).map(|n| format!("{} X{n}. <a> ", ["mu", "nu"][n % 2])).collect();
    let (_, positions) = read(&format!("{nested} X0"), Door::Own).expect("a formula");
    assert!(positions.alternation() >= 1);
    assert!(wrong(&"(".repeat(many), Door::Own).contains("never closed"));
    assert!(wrong(&"<".repeat(many), Door::Own).contains("operand is missing"));
}

/// Ten thousand fixpoints in each other, whose variables all occur in the innermost, behind a step or at once. With a small stack.
#[test]
fn ten_thousand_fixpoints_are_lowered() {
    const MANY: usize = 10_000;
    let formula = |kinds: [&str; 2], before: &str, step: &str| {
        let binders: String = (0..MANY).map(|n| format!("{} X{n}. {before}", kinds[n % 2])).collect();
        let variables: Vec<String> = (0..MANY).map(|n| format!("{step}X{n}")).collect();
        format!("{binders}({})", variables.join(" || "))
    };
    let depth = |text: &str| {
        let read = read(text, Door::Own).map(|(_, positions)| positions.alternation());
        read.map_err(|message| message.text)
    };
    let lowered = move || {
        assert_eq!(depth(&formula(["mu", "mu"], "", "<a> ")), Ok(1));
        assert_eq!(depth(&formula(["mu", "nu"], "", "<a> ")), Ok(MANY as u32));
        assert!(depth(&formula(["mu", "nu"], "", "")).is_ok(), "unguarded variables are variables");
        assert!(depth(&formula(["mu", "mu"], "!!", "<a> ")).is_ok(), "pairs of negations are none");
        let why = depth(&formula(["mu", "mu"], "!", "<a> ")).expect_err("odd numbers of negations");
        assert!(why.contains("odd number of negations"), "{why}");
    };
    std::thread::Builder::new()
        .stack_size(1 << 18)
        .spawn(lowered)
        .expect("a thread")
        .join()
        .expect("no overflow");
}
