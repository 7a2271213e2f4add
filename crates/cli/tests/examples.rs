//! The commands that docs/comparing.md shows, with what they answer.

mod common;

use common::{Folder, Ran, run};

const OPTIONS: [&str; 4] = ["--relation", "tau-star-a", "--hide-all-but", "(put|get).*"];

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn compare(left: &str, right: &str, options: &[&str]) -> Ran {
    let (left, right) = (example(left), example(right));
    run(["compare", left.as_str(), right.as_str()].into_iter().chain(options.iter().copied()))
}

fn first(ran: &Ran) -> &str {
    ran.out.lines().next().unwrap_or_default()
}

#[test]
fn a_protocol_is_its_service() {
    for relation in ["branching", "weak", "tau-star-a", "weak-trace"] {
        let options = ["--relation", relation, "--hide-all-but", "(put|get).*"];
        let ran = compare("abp.pml", "buffer.aut", &options);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:#?}");
        assert_eq!(first(&ran), format!("related: abp.pml is equivalent to buffer.aut ({relation})"));
    }
    let ran = compare("abp.net", "abp/service.aut", &["--relation", "branching"]);
    assert_eq!(
        (ran.code, first(&ran)),
        (Some(0), "related: abp.net is equivalent to service.aut (branching)")
    );
}

#[test]
fn a_broken_protocol_is_told_why() {
    let ran = compare("abp-broken.pml", "buffer.aut", &[&OPTIONS[..], &["--shortest"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let story = [
        "  abp-broken.pml can do put!0; buffer.aut has one answer",
        "  then abp-broken.pml can do get!0; buffer.aut has one answer",
        "  then abp-broken.pml can do get!0, buffer.aut cannot",
    ];
    assert!(ran.out.contains(&story.join("\n")), "{}", ran.out);
    assert_eq!(
        first(&ran),
        "not related: abp-broken.pml is not equivalent to buffer.aut (tau-star-a): \
         after put!0, get!0, abp-broken.pml can do get!0, buffer.aut cannot"
    );
}

#[test]
fn divergence_is_seen_by_those_who_look_for_it() {
    let options =
        ["--preorder", "--relation", "failures-divergences", "--hide-all-but", "(put|get).*", "--quiet"];
    let ran = compare("abp.pml", "buffer.aut", &options);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_eq!(
        first(&ran),
        "not related: abp.pml does not refine buffer.aut (failures-divergences): \
         after put!0, abp.pml can be busy inside for ever, buffer.aut cannot"
    );
}

#[test]
fn a_pattern_that_means_nothing_is_told() {
    let ran = compare("abp.pml", "buffer.aut", &[&OPTIONS[..], &["--hide", "acknowledge"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.err.contains("warning[W0118]: no label matches `acknowledge`"), "{}", ran.err);
}

#[test]
fn a_network_is_explored_told_and_described() {
    let network = example("abp.net");
    let ran = run(["check", network.as_str()]);
    assert_eq!((ran.code, first(&ran)), (Some(0), "holds: no deadlock in any of the 64 states (exhaustive)"));
    let ran = run(["simulate", network.as_str(), "--steps", "2"]);
    assert!(ran.out.contains("Sender") && ran.out.contains("put"), "{}", ran.out);
    let ran = run(["info", network.as_str()]);
    assert_eq!(ran.out.lines().next(), Some("components              4: Sender, Receiver, There, Back"));
    let ran = run(["check", network.as_str(), "--ltl", "G (put -> F get)", "--shortest"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.out.contains("i (send !0)"), "{}", ran.out);
}

/// The LOTOS examples are their services; a transmitter that waits for the wrong acknowledgement is not.
#[test]
fn lotos_specifications_are_their_services() {
    let related = |left: &str, right: &str, options: &[&str]| {
        let ran = compare(&format!("lotos/{left}"), &format!("lotos/{right}"), options);
        assert!(ran.err.is_empty(), "{ran:#?}");
        ran.code
    };
    let tau_star_a = ["--relation", "tau-star-a"];
    assert_eq!(related("alternating-bit.lotos", "buffer.aut", &tau_star_a), Some(0));
    let seen = ["--hide", "CRASH", "--hide", "GET !2.*", "--range", "Nat=0..4", "--relation"];
    let with = |relation: &'static str| [&seen[..], &[relation]].concat();
    assert_eq!(related("multicast.lotos", "chain.aut", &with("safety")), Some(0));
    assert_eq!(related("multicast.lotos", "chain.aut", &with("tau-star-a")), Some(1));
    assert_eq!(related("multicast.lotos", "chain-or-stop.aut", &with("tau-star-a")), Some(0));
    let folder = Folder::new("lotos-examples");
    let service = folder.file("service.aut", "des (0, 2, 2)\n(0, \"GET !0\", 1)\n(1, \"GIVE !0\", 0)\n");
    let text = std::fs::read_to_string(example("lotos/datalink.lotos")).expect("an example");
    for (acknowledged, code) in [("!not (s) !empty; exit", 0), ("!s !empty; exit", 1)] {
        let changed = text.replace("!not (s) !empty; exit", acknowledged);
        let model = folder.file("datalink.lotos", changed);
        let ran = run(["compare", &model, &service, "--range", "Msg=0..0", "--relation", "tau-star-a"]);
        assert_eq!(ran.code, Some(code), "{ran:#?}");
        assert_eq!(ran.out.contains("cannot"), code == 1, "{ran:#?}");
    }
}

/// A network takes LOTOS specifications as components.
#[test]
fn a_network_of_specifications() {
    let folder = Folder::new("lotos-network");
    let cell = "specification Cell [put, get] : noexit library Bit endlib behaviour P [put, get] where \
                process P [put, get] : noexit := put ?b : Bit; get !b; P [put, get] endproc endspec";
    folder.file("cell.lotos", cell);
    let net = folder.file(
        "two.net",
        "(rename GET -> MID in \"cell.lotos\") |[MID]| (rename PUT -> MID in \"cell.lotos\")\n",
    );
    // Two cells in a row: each is empty or holds a bit.
    let answer = run(["check", &net, "--json", "--reductions", "none"]).json();
    assert_eq!((&answer["verdict"], &answer["states"]), (&"holds".into(), &9.into()), "{answer:#}");
}
