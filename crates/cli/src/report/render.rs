//! Messages and figures as people read them.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use elnath::source::{Message, Place, Severity, codes};
pub(crate) use elnath::words::{grouped, plural};
use std::path::Path;

/// A message with the line it is about and a caret under the place.
pub(crate) fn message(message: &Message, colored: bool) -> String {
    message_at(message, message.severity, colored)
}

/// The same, as bad as somebody wants it to be taken.
pub(crate) fn message_at(message: &Message, severity: Severity, colored: bool) -> String {
    let level = match severity {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let mut groups = vec![];
    let title = level.primary_title(message.text.as_str());
    let title = match message.code {
        Some(code) => title.id(code.text()),
        None => title,
    };
    let mut main: Group<'_> = match &message.place {
        Some(place) => title.element(snippet(place, AnnotationKind::Primary, &message.label)),
        None => Group::with_title(title),
    };
    for (place, label) in &message.also {
        main = main.element(snippet(place, AnnotationKind::Context, label));
    }
    groups.push(main);
    let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
    if let (None, Some(help)) = (&message.place, &message.help) {
        // Between two titles without a snippet the renderer would draw the margin of one.
        return format!("{}\nhelp: {help}", renderer.render(&groups));
    }
    if let Some(help) = &message.help {
        groups.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
    }
    renderer.render(&groups)
}

fn snippet<'a>(
    place: &'a Place,
    kind: AnnotationKind,
    label: &'a str,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    // An empty range is drawn as one caret.
    let end = if place.end > place.start {
        place.end
    } else {
        (place.start + 1).min(place.text.len()).max(place.start)
    };
    let annotation = kind.span(place.start..end);
    let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
    Snippet::source(place.text.as_str())
        .path(place.file.as_str())
        .line_start(usize::try_from(place.line).unwrap_or(usize::MAX))
        .annotation(annotation)
}

/// What is wrong with a command line: what clap says about it, without its advice to look elsewhere.
pub(crate) fn usage_error(error: &clap::Error) -> Message {
    let text = error.to_string();
    let mut parts = text.split("\n\n");
    let what = parts.next().unwrap_or_default();
    let text = what.strip_prefix("error: ").unwrap_or(what).trim_end().to_owned();
    let message = Message::about_file(text).code(codes::USAGE);
    match parts.find_map(|part| part.trim().strip_prefix("tip: ")) {
        Some(tip) => message.help(tip),
        None => message,
    }
}

/// The message for a file that the system refuses.
pub(crate) fn file_error(path: &Path, error: &std::io::Error) -> Message {
    Message::about_file(format!("{}: {}", path.display(), io_reason(error))).code(codes::UNWRITABLE)
}

fn io_reason(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "no such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::AlreadyExists => "the file exists already (use --force to write over it)".to_owned(),
        ErrorKind::IsADirectory => "this is a directory".to_owned(),
        ErrorKind::StorageFull => "no space left on the device".to_owned(),
        _ => error.to_string(),
    }
}

/// 1234567 as 1.2 M, for progress lines.
pub(crate) fn rounded(number: f64) -> String {
    match number {
        n if n < 1e3 => format!("{n:.0}"),
        n if n < 1e6 => format!("{:.1} k", n / 1e3),
        n if n < 1e9 => format!("{:.1} M", n / 1e6),
        n => format!("{:.2} G", n / 1e9),
    }
}

/// An expected number, to three digits: 2,560, 3.14 or 2.56e-5.
pub(crate) fn estimate(number: f64) -> String {
    match number {
        n if n <= 0.0 => "0".to_owned(),
        n if !(0.01..1e15).contains(&n) => format!("{n:.2e}"),
        n if n < 10.0 => format!("{n:.2}"),
        n => {
            let unit = 10f64.powi((n.log10() as i32 - 2).max(0));
            grouped(((n / unit).round() * unit) as u64)
        }
    }
}

/// A number of bytes with a binary unit.
pub(crate) fn bytes(number: u64) -> String {
    let number = number as f64;
    match number {
        n if n < 1024.0 => format!("{n} B"),
        n if n < 1048576.0 => format!("{:.1} KiB", n / 1024.0),
        n if n < 1073741824.0 => format!("{:.1} MiB", n / 1048576.0),
        n => format!("{:.2} GiB", n / 1073741824.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath::source::SourceText;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(rounded(2_500_000.0), "2.5 M");
        assert_eq!([2564.0, 31.4, 3.1, 2.56e-5].map(estimate), ["2,560", "31", "3.10", "2.56e-5"]);
        assert_eq!(plural(1, "state") + &plural(2, "step"), "1 state2 steps");
    }

    #[test]
    fn a_message_shows_the_place() {
        let source = SourceText::new("a.aut", "des (0, x, 1)\n");
        let text = message(&Message::error("not a number", source.place(8, 9)).help("write a number"), false);
        assert!(text.contains("a.aut:1:9") && text.contains("des (0, x, 1)") && text.contains('^'), "{text}");
        assert!(text.contains("write a number"));
    }

    #[test]
    fn any_place_can_be_drawn() {
        for (line, start, end) in [("", 0, 0), ("x", 1, 1), ("é", 0, 2), ("tab\there", 3, 4)] {
            let source = SourceText::new("a", line);
            message(&Message::error("odd", source.place(start, end)), false);
        }
    }
}
