//! What becomes of labels: some are hidden, some get another name.
//!
//! A label meets the renamings in the order in which they were given, then what is hidden, then the list of what is not;
//! *the first that means it decides*. All of them look at the label as the model has it, never at what another rule has
//! made of it. So a renamed label is not hidden, and `a => b`, `b => a` exchanges two names.
//!
//! To whoever hides all but some labels, both ways of thinking are right: the list of what is kept may hold the names
//! before renaming or those after it, since renamed labels are not hidden either way.
//!
//! A renaming replaces the whole label. In its new text `\1` to `\9` are what the groups in parentheses matched, `\0` is
//! the old label, and `\\` is a backslash. A renamed *gate* (in networks) keeps the values behind it: `GET -> TAKE` makes
//! `TAKE !1` of `GET !1`. The new name may be `i`, which hides.

use crate::INTERNAL;
use crate::pattern::{BadPattern, Pattern};
use elnath_kernel::relation::is_internal;
use elnath_source::{Message, codes, nearest};
use regex::Regex;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Which labels are hidden, and which have another name. See the [module](self).
#[derive(Debug, Default)]
pub struct Rules {
    renamed: Vec<(Pattern, Template)>,
    hidden: Vec<Pattern>,
    /// If this is given, everything else is hidden.
    kept: Option<Vec<Pattern>>,
    /// Some labels that were met.
    met: Mutex<Met>,
}

/// Labels that rules were applied to.
#[derive(Debug, Default)]
struct Met {
    /// To find those that somebody may have meant.
    all: BTreeSet<String>,
    /// Those that became the internal action.
    hidden: BTreeSet<String>,
}

/// So many labels are remembered for messages.
const REMEMBERED: usize = 1000;

/// The new text of a renamed label.
#[derive(Debug)]
struct Template {
    /// Each piece of text has a group behind it, but for the last one.
    pieces: Vec<(String, Option<usize>)>,
}

impl Rules {
    /// None: every label stays as it is, only that the internal action is always called `i`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.renamed.is_empty() && self.hidden.is_empty() && self.kept.is_none()
    }

    /// Hides these labels.
    #[must_use]
    pub fn hide(mut self, pattern: Pattern) -> Self {
        self.hidden.push(pattern);
        self
    }

    /// Hides all labels but these, and but those of further calls.
    #[must_use]
    pub fn hide_all_but(mut self, pattern: Pattern) -> Self {
        self.kept.get_or_insert_default().push(pattern);
        self
    }

    /// Hides everything that is not [kept](Rules::hide_all_but).
    #[must_use]
    pub fn hide_all(mut self) -> Self {
        self.kept.get_or_insert_default();
        self
    }

    /// Gives these labels another name.
    ///
    /// # Errors
    /// If the new name refers to a group that the pattern does not have, or is no label.
    pub fn rename(mut self, pattern: Pattern, to: &str) -> Result<Self, BadPattern> {
        let template = Template::parse(&pattern, to)?;
        self.renamed.push((pattern, template));
        Ok(self)
    }

    /// Gives labels another name, as one text `PATTERN=>NEW` with a regular expression. Blanks around the arrow do not
    /// count; of several arrows the last one separates.
    ///
    /// # Errors
    /// If there is no arrow, no regular expression, or [`Rules::rename`] does not like it.
    pub fn rename_by(self, rule: &str) -> Result<Self, BadPattern> {
        let Some((pattern, to)) = Self::halves(rule) else {
            let mut error = BadPattern::new(format!("`{rule}` is not a renaming: it has no `=>`"));
            error.help = Some("write PATTERN=>NEW, as in 'PUT !(.*)=>in\\1'".to_owned());
            return Err(error);
        };
        self.rename(Pattern::regex(pattern)?, to)
    }

    /// The pattern and the new name of a renaming `PATTERN=>NEW`.
    pub fn halves(rule: &str) -> Option<(&str, &str)> {
        let (pattern, to) = rule.rsplit_once("=>")?;
        Some((pattern.trim(), to.trim()))
    }

    /// What becomes of a label.
    pub fn apply<'l>(&self, label: &'l str) -> Cow<'l, str> {
        if is_internal(label) {
            return Cow::Borrowed(INTERNAL);
        }
        let new = self.decide(label);
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        remember(&mut met.all, label);
        if is_internal(&new) {
            remember(&mut met.hidden, label);
        }
        new
    }

    fn decide<'l>(&self, label: &'l str) -> Cow<'l, str> {
        if let Some((pattern, template)) = self.renamed.iter().find(|(pattern, _)| pattern.matches(label)) {
            let new = template.fill(pattern, label);
            // Its keeper may know it by either name, and has met it then.
            self.kept.iter().flatten().for_each(|kept| _ = kept.matches(&new) || kept.matches(label));
            return if is_internal(&new) { Cow::Borrowed(INTERNAL) } else { Cow::Owned(new) };
        }
        let hidden = any(&self.hidden, label) || self.kept.as_ref().is_some_and(|kept| !any(kept, label));
        Cow::Borrowed(if hidden { INTERNAL } else { label })
    }

    /// The patterns that have met no label so far, as they were written.
    pub fn unmet(&self) -> Vec<&str> {
        self.patterns().filter(|pattern| !pattern.has_met()).map(Pattern::text).collect()
    }

    /// Whether each pattern has met a label.
    pub fn all_met(&self) -> bool {
        self.patterns().all(Pattern::has_met)
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let renamed = self.renamed.iter().map(|(pattern, _)| pattern);
        renamed.chain(&self.hidden).chain(self.kept.iter().flatten())
    }

    /// Labels that became the internal action so far; of very many, the first thousand.
    pub fn hidden(&self) -> Vec<String> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).hidden.iter().cloned().collect()
    }

    /// A warning for each pattern that has met no label, for when the walk is over; `complete` says whether it has seen
    /// everything. It is no error: a pattern may be meant for the other of two systems, or for what must never happen.
    pub fn warnings(&self, complete: bool) -> Vec<Message> {
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let warning = |pattern: &str| {
            let so_far = if complete { "" } else { " among those met so far" };
            let text = format!("no label matches `{pattern}`{so_far}");
            let message = Message::finding(codes::UNMATCHED_PATTERN, text, None);
            let whole = |(spelling, label): (String, &str)| {
                format!("a pattern must match the whole label: `{spelling}` matches `{label}`")
            };
            let near = || nearest(pattern, met.all.iter()).map(|near| format!("did you mean `{near}`?"));
            match part_of(pattern, &met.all).map(whole).or_else(near) {
                Some(help) => message.help(help),
                None => message,
            }
        };
        self.unmet().into_iter().map(warning).collect()
    }
}

fn remember(some: &mut BTreeSet<String>, label: &str) {
    if some.len() < REMEMBERED && !some.contains(label) {
        some.insert(label.to_owned());
    }
}

/// A label in which a pattern matches a part, and how to write a pattern that matches all labels with such a part.
fn part_of<'l>(pattern: &str, labels: &'l BTreeSet<String>) -> Option<(String, &'l str)> {
    let gate = Pattern::gate(pattern);
    if let Some(label) = labels.iter().find(|label| gate.matches(label)) {
        return Some((format!("{pattern}.*"), label));
    }
    let part = Regex::new(pattern).ok()?;
    let label = labels.iter().find(|label| part.is_match(label))?;
    // What is said about the ends of the label is said by leaving out `.*`; of several alternatives, by each of them.
    let (before, body) = match pattern.strip_prefix('^') {
        Some(body) if !pattern.contains('|') => ("", body),
        _ => (".*", pattern),
    };
    let (body, behind) = match body.strip_suffix('$') {
        Some(body) if !pattern.contains('|') && !body.ends_with('\\') => (body, ""),
        _ => (body, ".*"),
    };
    let body = if pattern.contains('|') { format!("({body})") } else { body.to_owned() };
    let spellings = [format!("{before}{body}{behind}"), format!(".*(?:{pattern}).*")];
    let matches = |spelling: &String| Pattern::regex(spelling).is_ok_and(|pattern| pattern.matches(label));
    Some((spellings.into_iter().find(matches)?, label))
}

/// Whether one of them means the label; all of those are asked, so that each knows that it has met one.
fn any(patterns: &[Pattern], label: &str) -> bool {
    patterns.iter().fold(false, |found, pattern| pattern.matches(label) | found)
}

impl Template {
    fn parse(pattern: &Pattern, text: &str) -> Result<Self, BadPattern> {
        let mut pieces = Vec::new();
        let mut piece = String::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let escaped = if c == '\\' { chars.next() } else { None };
            match (c, escaped) {
                ('\\', Some('\\')) => piece.push('\\'),
                ('\\', Some(digit @ '0'..='9')) => {
                    let group = digit as usize - '0' as usize;
                    if group > pattern.groups() {
                        return Err(no_such_group(pattern, group));
                    }
                    pieces.push((std::mem::take(&mut piece), Some(group)));
                }
                ('\\', _) => {
                    let error = format!("`{text}` has a backslash without a digit or a backslash behind it");
                    return Err(BadPattern::new(error));
                }
                (c, _) if c.is_control() => {
                    return Err(BadPattern::new("a label has no control characters"));
                }
                (c, _) => piece.push(c),
            }
        }
        if piece.is_empty() && pieces.is_empty() {
            let mut error = BadPattern::new(format!("`{}` is renamed to nothing", pattern.text()));
            error.help = Some("to hide it, rename it to `i`".to_owned());
            return Err(error);
        }
        pieces.push((piece, None));
        Ok(Self { pieces })
    }

    fn fill(&self, pattern: &Pattern, label: &str) -> String {
        let mut groups = Vec::new();
        pattern.captures(label, &mut groups);
        let mut new = String::new();
        for (text, group) in &self.pieces {
            new.push_str(text);
            new.push_str(group.map_or("", |group| groups.get(group).copied().unwrap_or_default()));
        }
        if !is_internal(&new) {
            new.push_str(pattern.behind_gate(label).unwrap_or_default());
        }
        new
    }
}

fn no_such_group(pattern: &Pattern, group: usize) -> BadPattern {
    let has = match pattern.groups() {
        0 => "no group in parentheses".to_owned(),
        1 => "only one group in parentheses".to_owned(),
        n => format!("only {n} groups in parentheses"),
    };
    BadPattern::new(format!("\\{group} stands for nothing: `{}` has {has}", pattern.text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regex(pattern: &str) -> Pattern {
        Pattern::regex(pattern).expect("a regular expression")
    }

    #[test]
    fn the_first_rule_that_means_a_label_decides() {
        let rules = Rules::new().rename_by("PUT !(.*) => in\\1").expect("a rule");
        let rules = rules.rename_by("(P)(.)T.*=>\\2\\1 \\0 \\\\").expect("a rule");
        let rules = rules.hide(regex("P.*")).hide(regex("POP"));
        assert_eq!(rules.apply("PUT !3"), "in3");
        assert_eq!(rules.apply("PAT 3"), "AP PAT 3 \\");
        assert_eq!(rules.apply("POP"), "i");
        assert_eq!(rules.apply("in3"), "in3");
        assert_eq!((rules.apply("i"), rules.apply("tau")), ("i".into(), "i".into()));
        assert!(rules.unmet().is_empty(), "{:?}", rules.unmet());
    }

    #[test]
    fn names_are_exchanged() {
        let rules = Rules::new().rename_by("a=>b").and_then(|rules| rules.rename_by("b=>a")).expect("rules");
        assert_eq!(
            (rules.apply("a"), rules.apply("b"), rules.apply("ab")),
            ("b".into(), "a".into(), "ab".into())
        );
    }

    #[test]
    fn all_but_some_are_hidden_by_either_name() {
        for kept in ["PUT !.*", "in.*"] {
            let rules = Rules::new().rename_by("PUT !(.*)=>in\\1").expect("a rule").hide_all_but(regex(kept));
            assert_eq!((rules.apply("PUT !3"), rules.apply("GET !3")), ("in3".into(), "i".into()));
            assert_eq!(rules.unmet(), Vec::<&str>::new().as_slice(), "{kept}");
        }
        assert_eq!(Rules::new().hide_all().apply("a"), "i");
    }

    #[test]
    fn a_gate_is_renamed_with_its_values() {
        let rules = Rules::new().rename(Pattern::gate("GET"), "TAKE").expect("a rule");
        let rules = rules.rename(Pattern::gate("PUT"), "i").expect("a rule");
        assert_eq!(rules.apply("GET !1"), "TAKE !1");
        assert_eq!(rules.apply("GET"), "TAKE");
        assert_eq!(rules.apply("PUT !1"), "i");
    }

    #[test]
    fn what_met_nothing_is_told() {
        let rules = Rules::new().hide(regex("a.*")).hide_all_but(regex("b")).hide_all_but(Pattern::gate("c"));
        assert_eq!(rules.apply("b"), "b");
        assert_eq!(rules.unmet(), ["a.*", "c"]);
        let rules = Rules::new().hide(regex("GET")).hide(regex("OPNE")).hide(regex("CLOSE"));
        assert_eq!((rules.apply("GET !1"), rules.apply("OPEN")), ("GET !1".into(), "OPEN".into()));
        let told: Vec<_> = rules.warnings(true).into_iter().map(|m| (m.to_string(), m.help)).collect();
        let help = |text: &str| Some(text.to_owned());
        let expected = [
            ("GET", help("a pattern must match the whole label: `GET.*` matches `GET !1`")),
            ("OPNE", help("did you mean `OPEN`?")),
            ("CLOSE", None),
        ];
        let text = |pattern| format!("warning: no label matches `{pattern}`");
        assert_eq!(told, expected.map(|(pattern, help)| (text(pattern), help)));
    }

    /// Each pattern that used to match parts is told with the spelling that matches the same labels.
    #[test]
    fn a_pattern_that_matches_parts_is_spelt_out() {
        let labels = ["x LOG 1", "done", "a$", "PUT !1"];
        for (pattern, spelling) in [
            ("LOG", ".*LOG.*"),
            ("^do", "do.*"),
            ("ne$", ".*ne"),
            ("one|LOG", ".*(one|LOG).*"),
            ("^x|done.", ".*(^x|done.).*"),
            ("\\$", ".*\\$.*"),
            ("T !", ".*T !.*"),
            ("PUT", "PUT.*"),
        ] {
            let rules = Rules::new().hide(regex(pattern));
            labels.iter().for_each(|label| _ = rules.apply(label));
            let help = rules.warnings(true).pop().and_then(|message| message.help).unwrap_or_default();
            let begin = format!("a pattern must match the whole label: `{spelling}` matches `");
            assert!(help.starts_with(&begin), "{pattern}: {help}");
        }
    }

    #[test]
    fn what_was_hidden_is_known() {
        let rules = Rules::new().rename_by("b=>i").expect("a rule").hide(regex("a.*"));
        ["b", "ab", "a", "c", "i", "a"].iter().for_each(|label| _ = rules.apply(label));
        assert_eq!(rules.hidden(), ["a", "ab", "b"]);
        assert!(rules.all_met());
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        let text = |rule: &str| Rules::new().rename_by(rule).expect_err(rule).text;
        assert_eq!(text("a->b"), "`a->b` is not a renaming: it has no `=>`");
        assert_eq!(text("a=>\\1"), "\\1 stands for nothing: `a` has no group in parentheses");
        assert_eq!(text("(a)=>\\2"), "\\2 stands for nothing: `(a)` has only one group in parentheses");
        assert_eq!(text("a=>b\\"), "`b\\` has a backslash without a digit or a backslash behind it");
        assert_eq!(text("a=>"), "`a` is renamed to nothing");
        assert_eq!(text("a=>b\u{7}"), "a label has no control characters");
    }
}
