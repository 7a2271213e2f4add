//! What specifications mean: their state spaces, as the interpreter walks them.

mod common;

use common::{Count, count, count_as, read};
use elnath_estelle::{Delays, Options, Stepping};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/estelle");

fn case(name: &str) -> String {
    std::fs::read_to_string(format!("{CASES}/{name}")).expect("the case is there")
}

fn select() -> Options {
    Options { stepping: Stepping::Select, ..Options::default() }
}

fn found(states: usize, transitions: usize, ends: usize) -> Count {
    Count { states, transitions, ends, faults: 0 }
}

#[test]
fn one_system_alternates_between_selecting_and_executing() {
    let text = case("abp.est");
    assert_eq!(count(&text), found(18, 24, 0));
    // Every transition has a state of its own in which it is selected.
    assert_eq!(count_as(&text, select()), found(42, 48, 0));
}

#[test]
fn several_systems_interleave() {
    let text = case("common_queue.est");
    assert_eq!(count(&text), found(17, 24, 1));
    assert_eq!(count_as(&text, select()), found(49, 80, 1));
}

#[test]
fn priorities_decide_among_what_is_enabled() {
    assert_eq!(count(&case("priority.est")), found(5, 4, 1));
}

/// One module with two interaction points that are connected to each other; `body` is the rest of its body.
fn alone(body: &str) -> String {
    format!(
        "specification S; channel C (A, B); by A: m(x: 0..3); k; by B: r(x: 0..3);
         module M systemprocess; ip p: C(A); q: C(B); end;
         body D for M; {body} end;
         modvar v: M; initialize begin init v with D; connect v.p to v.q end; end."
    )
}

#[test]
fn statements_of_pascal_are_one_step() {
    let text = alone(
        "type small = 0..15; var s, i: small; b: boolean; a: array [1..3] of small; r: record n: small; on: boolean end;
         state X, Y;
         function twice(n: small): small; begin twice := n * 2 end;
         procedure swap(var m, n: small); var t: small; begin t := m; m := n; n := t end;
         initialize to X begin s := 0; i := 0; b := false end;
         trans from X to Y begin
           for i := 1 to 4 do s := s + i;
           s := s mod 7;
           while i < 8 do i := i + 1;
           repeat s := s + 1 until s > 5;
           case s of 0..5: b := false; 6: b := true; otherwise s := 0 end;
           a[1] := twice(s); a[2] := 1; swap(a[1], a[2]);
           with r do begin n := a[2] div 5; on := (n = 2) and not odd(n) end;
           if r.on then i := r.n else i := 0
         end;",
    );
    let system = read(&text, Options::default());
    assert_eq!(common::walk(&system), found(2, 1, 1));
    for (proposition, expected) in [
        ("v.s == 6", true),
        ("v.i == 2", true),
        ("v.b", true),
        ("v.a[1] == 1", true),
        ("v.a[2] == 12", true),
        ("v.r.n == 2", true),
        ("v.r.on == false", false),
        ("v@Y", true),
        ("empty(v.q)", true),
        ("len(v.p) > 0", false),
    ] {
        assert_eq!(common::holds_at_end(&text, proposition), expected, "{proposition}");
    }
}

#[test]
fn guards_look_at_messages() {
    let body = "var n: 0..4; initialize begin n := 0 end;
         trans provided n < 4 begin output p.m(n); n := n + 1 end;
         trans when q.m";
    // The values 0 to 3 are sent one after the other. Of the states, (sent, taken), those are reached that the guard allows.
    assert_eq!(count(&alone(&format!("{body} provided x = 0 begin end;"))), found(9, 11, 1));
    assert_eq!(count(&alone(&format!("{body} provided (x < 2) or (x = 3) begin end;"))), found(12, 16, 1));
    assert_eq!(count(&alone(&format!("{body} begin end;"))), found(15, 20, 1));
    let pure = "function low(k: 0..3): boolean; var t: 0..9; begin t := k * 3; if t < 4 then low := true else low := false end;";
    let text = alone(&format!("{pure} {body} provided low(x) begin end;"));
    assert_eq!(count(&text), count(&alone(&format!("{body} provided x < 2 begin end;"))));
    let exist = format!("{body} provided exist i: 0..1 suchthat i = x begin end;");
    assert_eq!(count(&alone(&exist)), count(&alone(&format!("{body} provided x in [0, 1] begin end;"))));
}

#[test]
fn groups_share_clauses() {
    // `otherwise` is whatever the guards before it, in its place, leave.
    let text = alone(
        "type colour = (red, green, blue); var c: colour; state X; initialize to X begin c := red end;
         trans from X to same
           provided c = red begin c := green end;
           provided c = green begin c := blue end;
           provided otherwise begin c := red end;",
    );
    assert_eq!(count(&text), found(3, 3, 0));
    let any =
        alone("var n: 0..2; initialize begin end; trans any i: 0..2 do provided i <> n begin n := i end;");
    assert_eq!(count(&any), found(3, 6, 0));
    let set = alone(
        "type few = 0..2; var s: set of few; initialize begin s := [] end;
         trans any i: few do provided not (i in s) begin s := s + [i] end; provided i in s begin s := s - [i] end;",
    );
    assert_eq!(count(&set), found(8, 24, 0));
}

#[test]
fn faults_are_found() {
    let broken = [
        "var n: 0..2; initialize begin n := 0 end; trans begin n := n + 1 end;",
        "var n: 0..2; a: array [1..2] of boolean; initialize begin n := 0 end;
         trans begin a[n + 1] := true; n := (n + 1) mod 3 end;",
        "type c = (r, g); var n: c; initialize begin n := r end; trans begin n := succ(n) end;",
        "var n: 0..2; initialize begin n := 0 end; trans begin case n of 1: n := 2 end end;",
        "var n: 0..2; initialize begin n := 0 end; trans begin n := 2 div n end;",
    ];
    for body in broken {
        assert_eq!(count(&alone(body)).faults, 1, "{body}");
    }
}

/// Two children that each throw a message to the other once.
fn pair(class: &str, child: &str) -> String {
    let body = "state X, Y, Z; initialize to X begin end;
        trans from X to Y begin output p.m end; from Y to Z when p.m begin end;";
    format!(
        "specification S; channel C (A, B); by A, B: m;
         module T {class}; end;
         body U for T;
           module M {child}; ip p: C(A); end;
           module N {child}; ip p: C(B); end;
           body D for M; {body} end;
           body E for N; {body} end;
           modvar a: M; b: N;
           initialize begin init a with D; init b with E; connect a.p to b.p end;
         end;
         modvar top: T; initialize begin init top with U end; end."
    )
}

#[test]
fn children_of_a_process_move_together() {
    // Both throw, then both catch.
    assert_eq!(count(&pair("systemprocess", "process")), found(3, 2, 1));
    // In turns: a and b have thrown or not; each can catch when both have thrown.
    assert_eq!(count(&pair("systemactivity", "activity")), found(7, 8, 1));
    // Selected: both; then they are executed in two orders.
    assert_eq!(count_as(&pair("systemprocess", "process"), select()), found(9, 10, 1));
}

#[test]
fn delays_count_ticks() {
    let text = alone(
        "state X, Y, Z; initialize to X begin end;
         trans from X to Y delay (2) begin end; from X to Z delay (1, 3) begin end;",
    );
    // Untimed: either at once.
    assert_eq!(count(&text), found(3, 2, 2));
    // After one tick Z is possible, after two both are, and the first must be taken by then.
    let ticks = Options { delays: Delays::Ticks, ..Options::default() };
    assert_eq!(count_as(&text, ticks), found(5, 5, 2));
}

/// The connection protocol of the 1989 paper. The counts are those of docs/experiments/connect-disconnect.md.
#[test]
fn the_connection_protocol_has_the_states_of_the_paper() {
    let text = case("connect-disconnect.est");
    for n in 1..=10 {
        let options = Options { capacity: Some(n as u32), ..Options::default() };
        let expected = found(n * n / 4 + 3 * (n + 1), n * n / 4 + 6 * n + 2, n.div_ceil(2));
        assert_eq!(count_as(&text, options), expected, "{n} places");
    }
}
