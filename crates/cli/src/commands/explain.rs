//! `elnath explain`: the index of findings ([`elnath::findings::index`]).

use crate::Exit;
use crate::options::ExplainArgs;
use crate::report::json;
use crate::report::terminal::{Paint, Terminal};
use elnath::findings::index::{IndexEntry, entries, page};
use elnath::findings::{explanation, named};
use elnath::source::codes::{self, GROUPS};
use elnath::source::{Code, Message};
use serde_json::{Value, json};

pub(crate) fn run(args: &ExplainArgs, terminal: &Terminal) -> Exit {
    let (mut asked, mut wrong): (Vec<Vec<Code>>, Vec<Message>) = (Vec::new(), Vec::new());
    for word in &args.words {
        match named(word) {
            Ok(codes) => asked.push(codes),
            Err(help) => {
                let text = format!("there is no finding `{word}`");
                wrong.push(Message::about_file(text).code(codes::USAGE).help(help));
            }
        }
    }
    if !wrong.is_empty() {
        return terminal.bad_input(&wrong, "explain");
    }
    let listed: Vec<&IndexEntry> = match &asked[..] {
        [] => entries().collect(),
        asked => asked.iter().flatten().map(|&code| explanation(code)).collect(),
    };
    if terminal.json {
        let index: Vec<Value> = listed.iter().map(|entry| row(entry)).collect();
        let mut fields = json!({ "index": index });
        if args.markdown {
            fields["page"] = page().into();
        }
        terminal.object(&json::object("explain", fields));
    } else if args.markdown {
        terminal.say(page().trim_end());
    } else if asked.is_empty() {
        listed.iter().for_each(|entry| terminal.say(&line(entry)));
        terminal.say("\ngroups, for --deny:");
        for group in GROUPS {
            terminal.say(&format!("       {:<24} {}", group.name, group.meaning));
        }
    } else {
        let texts: Vec<String> = asked.iter().map(|codes| text(codes, terminal)).collect();
        terminal.say(&texts.join("\n\n"));
    }
    Exit::Holds
}

/// What a word asks for: one finding in full, a group as a list.
fn text(codes: &[Code], terminal: &Terminal) -> String {
    if let [code] = codes {
        let entry = explanation(*code);
        let title = terminal.paint(Paint::Strong, &format!("{code} {}: {}", code.name(), entry.title));
        return format!("{title}\n\n{}", entry.explanation());
    }
    let lines: Vec<String> = codes.iter().map(|&code| line(explanation(code))).collect();
    lines.join("\n")
}

fn line(entry: &IndexEntry) -> String {
    format!("{}  {:<24} {}", entry.code, entry.code.name(), entry.title)
}

fn row(entry: &IndexEntry) -> Value {
    let code = entry.code;
    let groups: Vec<&str> = GROUPS.iter().filter(|group| (group.has)(code)).map(|group| group.name).collect();
    json!({
        "code": code.text(),
        "name": code.name(),
        "severity": code.severity().name(),
        "title": entry.title,
        "explanation": entry.explanation(),
        "groups": groups,
    })
}
