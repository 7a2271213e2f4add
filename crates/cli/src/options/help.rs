//! The help texts: `-h` is one screen with the everyday options and examples, `--help` has everything.
//!
//! The options themselves are described where they are declared, for `--help`. What this file adds is a page per command ([`PAGES`]):
//! which options are everyday ones, in a few words each, and examples. An option without a row is in `--help` only, so
//! that a new one cannot push `-h` over the edge of the screen. Options that several commands have are under the
//! same heading in all of them ([`HEADINGS`]); derive's `next_help_heading` would also apply to what is declared after a
//! flattened struct.
//!
//! The examples are commands that run where the repository's `examples` are; `crates/cli/tests/help.rs` runs all of them.

use super::{LIMITS, SEARCHED, SHOWN};
use crate::commands::reduce::QUOTIENTS;
use clap::builder::Resettable;
use clap::{Arg, Command};

/// The help of a command.
struct Page {
    /// Its words, such as `experiment caching`.
    command: &'static str,
    /// The identifiers of the everyday arguments, with a few words on each.
    everyday: &'static [(&'static str, &'static str)],
    /// Commands and what they show; `-h` has the first three.
    examples: &'static [(&'static str, &'static str)],
    /// What `--help` says at last.
    more: &'static str,
}

/// How many examples `-h` has.
const SHORT_EXAMPLES: usize = 3;
/// The column at which the words about an example begin.
const COLUMN: usize = 46;
/// The lines of `-h` and its examples are at most so wide.
const WIDTH: usize = 80;

/// Options that are not for every day come after those that are, in the order of their declaration.
const RARE: usize = 500;

/// The heading of options that every command has.
const EVERYWHERE: &str = "In every command";

/// Options by their identifiers, and the heading under which they are in every command that has no other for them.
const HEADINGS: &[(&str, &[&str])] = &[
    (SHOWN, &["formula", "seq", "aut", "svg", "chart", "plot", "rounds", "certificates", "classes", "force"]),
    (SEARCHED, &["engine", "shortest", "search", "store", "window", "no_static", "seed", "as_written"]),
    (LIMITS, &["memory", "time", "depth", "firings"]),
    (EVERYWHERE, &["json", "quiet", "color", "deny"]),
];

const FILE: (&str, &str) = ("file", "The model (.pml, .fifo, .net, .aut, ...)");
const OUTPUT: (&str, &str) = ("output", "Where to write it; - for standard output");
const NAME: (&str, &str) = ("output", "Write NAME.csv and NAME.svg");
const FORCE: (&str, &str) = ("force", "Write over existing files");
const MEMORY: (&str, &str) = ("memory", "Memory, such as 2GiB [default: 3/4 of what is free]");
const TIME: (&str, &str) = ("time", "Time, such as 30s or 10m [default: no limit]");
const CHART: (&str, &str) = ("chart", "Draw the run as a chart (.svg, .txt)");

const PAGES: &[Page] = &[
    Page {
        command: "check",
        everyday: &[
            FILE,
            ("only", "Of what the model demands, check only this"),
            ("ltl", "Every run satisfies this formula"),
            ("fair", "Only runs that are fair: weak, strong, live"),
            ("all_errors", "Go on after an error and list them all, with a run each"),
            ("shortest", "Show a shortest run to an error"),
            CHART,
            MEMORY,
            TIME,
        ],
        examples: &[
            ("elnath check examples/stop-and-wait.pml", "all that it demands"),
            (
                "elnath check examples/abp.pml --chart abp.svg",
                "draw the counterexample as a message sequence chart, if there is one",
            ),
            (
                "elnath check examples/classics/peterson-fixed.pml --only returns --fair weak",
                "an ltl block of the model, on fair runs",
            ),
            ("elnath check examples/buffer.aut --all-errors", "list all errors of a graph"),
            (
                "elnath check examples/buffer.aut --ltl 'G(\"PUT !0\" -> F \"GET !0\")'",
                "in a graph the propositions are the actions",
            ),
            (
                "elnath check examples/buffer.aut --end-states ignore --forbid '^CRASH'",
                "is an action matching ^CRASH reachable?",
            ),
            (
                "elnath check examples/abp.pml --rename 'get!(.*)=>deliver \\1' --ltl '<> action(\"deliver.*\")'",
                "about labels, which are messages with their values",
            ),
            (
                "elnath check examples/connect-disconnect.aut --ltlf 'true' --finite prefix",
                "does every finite computation satisfy a formula?",
            ),
            (
                "elnath check examples/buffer.aut --mu '[true*] <true* . \"put!0\"> true'",
                "from everywhere, an action is possible again (mu-calculus)",
            ),
            ("elnath check examples/abp.pml --ctl 'A[] not deadlock'", "CTL"),
            (
                "elnath check examples/abp.pml --store replacing:cache=500k",
                "remember at most 500,000 states, still exact",
            ),
            (
                "elnath check examples/abp.pml --store bitstate --memory 256MiB",
                "a few bits per state: finds errors, proves nothing",
            ),
            (
                "elnath check examples/abp.pml --swarm 1s",
                "many such searches, each another way, for a second",
            ),
            (
                "elnath check examples/stop-and-wait.pml --trail stop-and-wait.trail",
                "write the run for spin -t -k stop-and-wait.trail -p stop-and-wait.pml",
            ),
        ],
        more: "",
    },
    Page {
        command: "compare",
        everyday: &[
            ("left", "The left model, in any language"),
            ("right", "The right model"),
            ("relation", "How they are compared; --help lists relations"),
            ("preorder", "Can the right one do what the left one does?"),
            ("hide", "Labels that become internal"),
            ("hide_all_but", "The only labels that stay visible"),
            ("shortest", "Find a shallowest difference"),
            ("formula", "Show a formula that tells them apart"),
        ],
        examples: &[
            ("elnath compare examples/abp.net examples/abp/service.aut -r branching", ""),
            ("elnath compare examples/buffer.aut examples/abp/service.aut --formula", ""),
            ("elnath compare examples/abp.net examples/abp/service.aut -r trace --preorder", ""),
            (
                "elnath compare examples/abp.pml examples/buffer.aut -r branching --hide-all-but '(put|get).*'",
                "a program against its service: of its messages, only these are seen",
            ),
            (
                "elnath compare examples/abp-broken.pml examples/buffer.aut -r safety --preorder --shortest",
                "does it do only what is allowed? The shallowest difference",
            ),
            (
                "elnath compare examples/buffer.aut examples/abp/line.aut --aut why.aut --svg why.svg --seq why.seq",
                "the difference in files",
            ),
            (
                "elnath compare examples/abp.net examples/abp.net -r tau-star-a --engine restart --store replacing",
                "in little memory, still a proof",
            ),
        ],
        more: "\
Relations, finer ones first: strong, divergence-branching, branching, delay, then weak and tau-star-a, then safety,
weak-trace; simulation, weak-simulation, ready-simulation; trace, failures, failures-divergences. As a preorder each of
them asks whether the right model can do what the left one does (for the last four: whether left refines right).",
    },
    Page {
        command: "explore",
        everyday: &[
            FILE,
            ("port", "The port of the page; 0 is any that is free"),
            ("trail", "Also show the run that a trail describes"),
        ],
        examples: &[
            ("elnath explore examples/abp.pml", "walk through it"),
            ("elnath explore examples/buffer.aut --port 8000", "under an address that stays"),
            ("elnath check examples/abp-broken.pml --explore", "the counterexample"),
            ("elnath compare examples/abp.net examples/abp/service.aut --explore", "play against elnath"),
            ("elnath bounded examples/abp.pml --explore", "a channel that grows"),
        ],
        more: "The page is for browsers on this machine, and for those who know the address: it has a token. See docs/explorer.md.",
    },
    Page {
        command: "simulate",
        everyday: &[
            FILE,
            ("steps", "Print a run by chance, of so many steps"),
            ("seed", "The seed of the choices"),
            ("interactive", "Ask line by line: a number, back, help"),
            ("trail", "Follow a trail; at a terminal, go on from there"),
            ("watches", "Show the value of an expression"),
            ("breakpoints", "Stop where this condition holds"),
            CHART,
        ],
        examples: &[
            ("elnath simulate examples/abp.pml", "at a terminal, the simulator; ? shows its keys"),
            ("elnath simulate examples/abp.pml --steps 30 --seed 7", "steps chosen by chance"),
            ("elnath simulate examples/abp.pml --interactive --plain", "choose each step, line by line"),
            ("elnath simulate examples/buffer.aut --steps 20", "a graph"),
            ("elnath simulate examples/abp.pml --show p,g", "statements and globals, as spin -p -g"),
            (
                "printf '1\\n2\\n1\\nq\\n' | elnath simulate examples/abp.pml --interactive",
                "choices from a file",
            ),
        ],
        more: "docs/explorer.md has a tour of the simulator, and what expressions mean in each language.",
    },
    Page {
        command: "replay",
        everyday: &[FILE, ("trail", "The trail"), CHART, FORCE],
        examples: &[
            ("elnath check examples/stop-and-wait.pml --trail run.trail", "write a trail"),
            ("elnath replay examples/stop-and-wait.pml run.trail --chart -", "and show it"),
        ],
        more: "A trail of SPIN's is read, too: spin -a m.pml && gcc -o pan pan.c && ./pan ; elnath replay m.pml m.pml.trail",
    },
    Page {
        command: "bounded",
        everyday: &[
            ("file", "Communicating machines or Promela"),
            ("channels", "Lift the capacities of these channels only"),
            ("search", "Make only this search"),
            CHART,
            ("plot", "Plot the lengths of the channels (.svg)"),
            MEMORY,
            TIME,
        ],
        examples: &[
            ("elnath bounded examples/fifo/producer.fifo", "can a channel grow for ever?"),
            ("elnath bounded examples/abp.pml", "without its declared capacities"),
            ("elnath bounded examples/abp.pml --channels to_sender", "lift only this one"),
            (
                "elnath bounded examples/fifo/s1.fifo --search bfs",
                "breadth first only: a short sequence that can be repeated",
            ),
            (
                "elnath bounded examples/fifo/s4.fifo --chart s4.svg --plot lengths.svg",
                "draw the run that floods, and how long the channels are along it",
            ),
        ],
        more: "",
    },
    Page {
        command: "compatible",
        everyday: &[
            ("file", "Communicating machines or session types"),
            ("k", "Ask about channels of this capacity only"),
            ("max_k", "The greatest capacity that is tried"),
            CHART,
            MEMORY,
            TIME,
        ],
        examples: &[
            ("elnath compatible examples/fifo/batches.fifo", "which capacity loses no behaviour?"),
            ("elnath compatible examples/fifo/batches.fifo --k 1", "this one does: how?"),
            ("elnath compatible examples/fifo/audit.fifo --chart -", "a message that nobody receives"),
        ],
        more: "\
Session automata: every transition sends or receives one message, no state does both, and a channel leads from one machine to
another. Lange and Yoshida (CAV 2019); docs/compatibility.md says what is decided.",
    },
    Page {
        command: "info",
        everyday: &[FILE, ("hide", "Labels that become internal"), ("hide_all_but", "The only labels that stay visible")],
        examples: &[
            ("elnath info examples/buffer.aut", "sizes, deadlocks, livelocks"),
            ("elnath info examples/buffer.aut --hide-all-but 'put.*'", "internal cycles?"),
            ("gzip -c examples/buffer.aut | elnath info -", "compressed, standard input"),
        ],
        more: "",
    },
    Page {
        command: "convert",
        everyday: &[
            ("input", "What to read; - for standard input"),
            ("output", "What to write (.aut, .dot, .aut.gz, .aut.zst)"),
            ("format", "The format [default: by the output's ending]"),
            ("hide", "Labels that become internal"),
            FORCE,
        ],
        examples: &[
            ("elnath convert examples/buffer.aut buffer.dot", "for dot -Tsvg"),
            ("elnath convert examples/buffer.aut b.aut.zst", "compressed by its ending"),
            ("elnath convert examples/abp.net abp.aut", "a network is generated first"),
            ("elnath convert examples/buffer.aut mcrl2.aut --format mcrl2", "another dialect"),
            ("elnath convert examples/abp.pml seen.aut --hide-all-but '(put|get).*'", "what can be seen of a program"),
        ],
        more: "",
    },
    Page {
        command: "reduce",
        everyday: &[
            FILE,
            ("relation", "What must stay the same; see --help"),
            OUTPUT,
            ("hide", "Labels that become internal"),
            ("hide_all_but", "The only labels that stay visible"),
            FORCE,
        ],
        examples: &[
            ("elnath reduce examples/buffer.aut -r strong -o small.aut", "the quotient"),
            ("elnath reduce examples/abp.net -r branching -o small.dot", "for dot -Tsvg"),
            ("elnath reduce examples/abp.net -r trace --json", "only how large it is"),
            (
                "elnath reduce examples/abp.pml -r divergence-branching --hide-all-but '(put|get).*'",
                "a program is generated first: its messages and prints, see docs/comparing.md",
            ),
            (
                "elnath reduce examples/buffer.aut -r safety --classes classes.txt -o safe.aut",
                "and which state went where",
            ),
        ],
        more: QUOTIENTS,
    },
    Page {
        command: "ltl",
        everyday: &[
            ("formula", "The formula, as Spot, SPIN or LTSmin write it"),
            ("format", "text, hoa, dot, never, svg"),
            ("negate", "The automaton of the negated formula"),
            ("finite", "The minimal automaton over finite words"),
            ("automaton", "Read an automaton (HOA) instead"),
            OUTPUT,
        ],
        examples: &[
            ("elnath ltl 'G(request -> F grant)'", "a table for people"),
            ("elnath ltl '[](p -> <>q)' --format hoa", "for other tools"),
            ("elnath ltl 'GFa & GFb' --type buchi -o gf.svg", "a picture"),
            ("elnath ltl 'G(p -> F q)' --negate --format never", "a never claim for SPIN: what must not happen"),
            ("elnath ltl 'G(a -> X(!a U b))' --finite --actions", "over finite words, one action at a time"),
            ("elnath ltl 'F a' --finite=prefix --actions", "as a property of every finite computation"),
            ("elnath ltl 'F a' -o f.hoa; elnath ltl --automaton f.hoa --format never", "read HOA, write something else"),
        ],
        more: "",
    },
    Page {
        command: "mu",
        everyday: &[
            ("formula", "The formula, of the mu-calculus or of CTL"),
            ("file", "Read the formulas of a file instead"),
        ],
        examples: &[
            ("elnath mu 'AG EF reset'", "CTL becomes fixpoints"),
            ("elnath mu '[true* . a . (not b)* . c] false'", "a regular modality becomes an automaton"),
            ("elnath mu 'nu X. mu Y. <a> X || <b> Y'", "fixpoints that alternate"),
        ],
        more: "",
    },
    Page {
        command: "explain",
        everyday: &[("words", "Codes, names or groups of findings; none: all")],
        examples: &[
            ("elnath explain W0102", "what this finding means"),
            ("elnath explain unknown-label", "by its name"),
            ("elnath explain vacuous", "those of --deny vacuous"),
            ("elnath explain", "all findings, a line each"),
        ],
        more: "",
    },
    Page {
        command: "random",
        everyday: &[
            ("states", "Bound on the number of states"),
            ("degree", "Largest number of successors of a state"),
            ("labels", "Number of different labels"),
            ("seed", "The seed"),
            OUTPUT,
            FORCE,
        ],
        examples: &[
            ("elnath random --states 10000 --degree 5 > g.aut", "the same every time"),
            ("elnath random --states 50000 --seed 7 -o g.aut.zst", "compressed"),
        ],
        more: "",
    },
    Page {
        command: "experiment replacement",
        everyday: &[
            ("file", "A model; without one, a random graph"),
            ("states", "Bound on the number of states"),
            ("degree", "Largest number of successors of a state"),
            ("runs", "Runs per memory size"),
            NAME,
        ],
        examples: &[
            ("elnath experiment replacement --states 2000 --degree 5 -o figure1", ""),
            ("elnath experiment replacement examples/connect-disconnect.aut --replacement lru -o lru", ""),
        ],
        more: "",
    },
    Page {
        command: "experiment connect-disconnect",
        everyday: &[("n", "Places of the channel from A to B"), ("runs", "Runs per size of the heap"), NAME],
        examples: &[("elnath experiment connect-disconnect -n 4 --runs 2 -o figure8", "")],
        more: "",
    },
    Page {
        command: "experiment datalink",
        everyday: &[("n", "Number of different messages"), ("relation", "How they are compared"), NAME],
        examples: &[("elnath experiment datalink -n 5 -n 10 --relation branching -o branching", "")],
        more: "",
    },
    Page {
        command: "experiment caching",
        everyday: &[("files", "The models"), ("strata", "Every N-th level is spared"), NAME],
        examples: &[("elnath experiment caching examples/abp.pml -o caching", "")],
        more: "",
    },
    Page {
        command: "completions",
        everyday: &[("shell", "The shell")],
        examples: &[("elnath completions bash > elnath.bash", "then source it")],
        more: "",
    },
    Page {
        command: "man",
        everyday: &[("directory", "The folder to write them to"), FORCE],
        examples: &[("elnath man man1", "one page per command"), ("elnath man - > elnath.1", "the page of elnath")],
        more: "",
    },
];

/// Which help is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `-h`: everyday options in one list, without headings, which would fill the screen.
    Short,
    /// `--help`, man pages and completions.
    Long,
}

/// `elnath -h`: the commands, and nothing else.
const MAIN: &str = "{about}\n{usage-heading} {usage}\n\nCommands:\n{subcommands}{after-help}";

/// The command line with its help texts.
pub(crate) fn with_pages(main: Command, form: Form) -> Command {
    let main = main.mut_args(|arg| arrange(arg, None, form));
    let main = match form {
        Form::Short => main
            .help_template(MAIN)
            .after_help("elnath COMMAND -h: its everyday options; elnath --help: more"),
        Form::Long => main,
    };
    page_by_page(main, "", form)
}

fn page_by_page(mut command: Command, words: &str, form: Form) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    for name in names {
        let words = format!("{words} {name}").trim_start().to_owned();
        command = command.mut_subcommand(&name, |inner| {
            let page = PAGES.iter().find(|page| page.command == words);
            let inner = inner.mut_args(|arg| arrange(arg, page, form));
            let inner = match page {
                Some(page) => examples(inner, page),
                None => inner,
            };
            page_by_page(inner, &words, form)
        });
    }
    command
}

/// Puts an argument into its place: everyday ones first and in `-h`, the others in `--help` only.
fn arrange(arg: Arg, page: Option<&Page>, form: Form) -> Arg {
    let id = arg.get_id().to_string();
    let everyday =
        page.and_then(|page| page.everyday.iter().position(|(name, _)| *name == id).zip(Some(page)));
    let arg = match everyday {
        Some((place, page)) => {
            let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
            arg.help(page.everyday[place].1).long_help(long).display_order(place)
        }
        None => arg.hide_short_help(true).display_order(RARE),
    };
    if form == Form::Short {
        let valued = arg.get_action().takes_values();
        let arg = arg.help_heading(Resettable::Reset).hide_default_value(valued);
        return arg.hide_possible_values(valued);
    }
    match HEADINGS.iter().find(|(_, ids)| ids.contains(&id.as_str())) {
        Some((heading, _)) if !arg.is_positional() => arg.help_heading(*heading),
        _ => arg,
    }
}

/// The end of the help: examples, a few or all.
fn examples(command: Command, page: &Page) -> Command {
    let few = &page.examples[..page.examples.len().min(SHORT_EXAMPLES)];
    let all_options = format!("All options: elnath {} --help", page.command);
    let mut long = listed(page.examples, true);
    if !page.more.is_empty() {
        long += "\n\n";
        long += page.more;
    }
    command.after_help(format!("{}\n{all_options}", listed(few, false))).after_long_help(long)
}

/// Examples one below the other. What they are about goes beside them, or in a long list below them if they are long.
fn listed(examples: &[(&str, &str)], below: bool) -> String {
    let mut text = "Examples:".to_owned();
    for (command, about) in examples {
        text += &format!("\n  {command}");
        if about.is_empty() {
            continue;
        }
        if command.len() + 4 <= COLUMN && COLUMN + about.len() <= WIDTH {
            text += &format!("{:1$}{about}", "", COLUMN - 2 - command.len());
        } else if command.len() + 4 + about.len() <= WIDTH {
            text += &format!("  {about}");
        } else if below {
            text += &format!("\n{:COLUMN$}{about}", "");
        }
    }
    text
}
