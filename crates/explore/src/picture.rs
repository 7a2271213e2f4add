//! Pictures of a state: an SVG file beside the model, `MODEL.anim.svg`, in which `{{expression}}` stands for a value.
//!
//! The expressions are those of watches, read here and evaluated with the state; the page fills them in, in attributes and texts of the parsed
//! document and never in its source, so that no value can become an element. What an SVG file could do beside being drawn (scripts, references to
//! elsewhere) the page leaves out, and its policy forbids.

use crate::wire::Picture;
use std::path::Path;

/// A larger one is not read.
const LARGEST: u64 = 1 << 20;

/// The picture beside a model, if there is one.
pub(crate) fn beside(model: &Path) -> Option<Picture> {
    let name = model.file_name()?.to_string_lossy();
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
    let tried = [format!("{name}.anim.svg"), format!("{stem}.anim.svg")];
    let path = tried.iter().map(|name| model.with_file_name(name)).find(|path| path.is_file())?;
    if std::fs::metadata(&path).ok()?.len() > LARGEST {
        return None;
    }
    std::fs::read_to_string(&path).ok().map(of)
}

/// The picture in this text.
fn of(svg: String) -> Picture {
    let mut expressions: Vec<String> = Vec::new();
    let mut rest = svg.as_str();
    while let Some((_, after)) = rest.split_once("{{") {
        let Some((inside, beyond)) = after.split_once("}}") else { break };
        let expression = unescaped(inside.trim());
        if !expression.is_empty() && !expressions.contains(&expression) {
            expressions.push(expression);
        }
        rest = beyond;
    }
    Picture { svg, expressions }
}

/// What is written in XML, as it is meant.
fn unescaped(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (written, meant)| text.replace(written, meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_found_once_and_as_they_are_meant() {
        let svg = r#"<svg><rect x="{{ 10 * floor }}"/><text>{{floor}} {{ 10 * floor }} {{a &lt; b &amp;&amp; c}}</text>{{"#;
        assert_eq!(of(svg.to_owned()).expressions, ["10 * floor", "floor", "a < b && c"]);
    }
}
