//! Smaller models with the same difference: parts of the text are taken away, largest first, as long as the difference
//! stays (delta debugging, Zeller and Hildebrandt 2002, over the parts that the structure names).

use super::Source;
use super::structure::{Kind, Structure};
use super::text::{Site, Text, apply};
use std::ops::Range;
use std::time::{Duration, Instant};

/// The fewest of some things with which `fails` holds, as far as taking away runs of them can tell.
pub fn fewest<T: Clone>(all: &[T], limit: Duration, mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let start = Instant::now();
    let mut kept = all.to_vec();
    let mut size = kept.len().div_ceil(2);
    while size > 0 && start.elapsed() < limit {
        let mut at = 0;
        while at < kept.len() && kept.len() > 1 && start.elapsed() < limit {
            let mut fewer = kept.clone();
            fewer.drain(at..(at + size).min(kept.len()));
            if !fewer.is_empty() && fails(&fewer) {
                kept = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    kept
}

/// A smaller text for which `fails` holds.
pub fn smaller(text: &str, limit: Duration, mut fails: impl FnMut(&Source) -> bool) -> String {
    let start = Instant::now();
    let mut text = text.to_owned();
    if let Some(bare) = without_comments(&text).filter(|bare| fails(&Source::new(bare.clone()))) {
        text = bare;
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        let mut tried = 0;
        loop {
            let parts = parts(&Source::new(text.clone()));
            let Some(part) = parts.get(tried) else { break };
            if start.elapsed() > limit {
                return text;
            }
            let fewer = apply(&text, &[&Site::default().replace(part.0.clone(), part.1)]).0;
            if fails(&Source::new(fewer.clone())) {
                (text, changed) = (fewer, true);
            } else {
                tried += 1;
            }
        }
    }
    text
}

/// What may be taken away, or become `skip`; largest first.
fn parts(source: &Source) -> Vec<(Range<usize>, &'static str)> {
    let Source { text, structure, .. } = source;
    let bytes = |first: usize, last: usize| text.tokens[first].range.start..text.tokens[last].range.end;
    let mut parts: Vec<(Range<usize>, &'static str)> = Vec::new();
    for item in &structure.items {
        let separated = text.at(item.last + 1) == ";";
        parts.push((bytes(item.first, item.last + usize::from(separated)), ""));
    }
    parts.extend(text.directives.iter().map(|range| (range.clone(), "")));
    for s in &structure.statements {
        let separated = matches!(text.at(s.last + 1), ";" | "->");
        parts.push((bytes(s.first, s.last + usize::from(separated)), ""));
        parts.extend(s.options.iter().map(|&(first, last)| (bytes(first, last), "")));
        if s.last > s.first {
            parts.push((bytes(s.first, s.last), "skip"));
        }
        // The statements of a block without the block.
        if let (Some((open, close)), Kind::Block | Kind::Atomic | Kind::DStep | Kind::For) = (s.body, s.kind)
        {
            parts.push((bytes(s.first, open), ""));
            parts.push((bytes(close, close), ""));
        }
    }
    parts.retain(|(range, _)| !range.is_empty());
    parts.sort_by_key(|(range, with)| (std::cmp::Reverse(range.len()), with.len()));
    parts
}

fn without_comments(text: &str) -> Option<String> {
    let found = Text::new(text.to_owned());
    let sites: Vec<Site> =
        found.comments.iter().map(|range| Site::default().replace(range.clone(), " ")).collect();
    let bare = apply(text, &sites.iter().collect::<Vec<_>>()).0;
    let lines: Vec<&str> = bare.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let bare = lines.join("\n") + "\n";
    Structure::new(&Text::new(bare.clone())).complete.then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let long = Duration::from_secs(10);
        assert_eq!(
            fewest(&[1, 2, 3, 4, 5, 6, 7], long, |some| some.contains(&3) && some.contains(&6)),
            [3, 6]
        );
        let text = "byte x; /* why */ byte y;\nactive proctype p() { if :: x = 1; y = 2 :: skip fi; d_step { x = 3 } }";
        let small = smaller(text, long, |source| source.text.text.contains("y = 2"));
        assert_eq!(small.split_whitespace().collect::<String>(), "activeproctypep(){if::y=2fi;}");
    }
}
