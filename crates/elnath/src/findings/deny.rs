//! Findings that are not to be put up with: by code, by name, or by group.

use elnath_source::codes::GROUPS;
use elnath_source::{Code, nearest};

/// Which findings are errors.
#[derive(Clone, Debug, Default)]
pub struct Denied(Vec<Code>);

impl Denied {
    /// Adds what a word names: a code, the name of one, or a group of them.
    ///
    /// # Errors
    /// If it names nothing, with what may have been meant.
    pub fn add(&mut self, word: &str) -> Result<(), String> {
        self.0.extend(named(word)?);
        Ok(())
    }

    /// Whether this kind is denied.
    pub fn has(&self, code: Code) -> bool {
        self.0.contains(&code)
    }
}

/// The kinds that a word names: a code, the name of one, or a group of them.
///
/// # Errors
/// If it names nothing, with what may have been meant.
pub fn named(word: &str) -> Result<Vec<Code>, String> {
    if let Some(group) = GROUPS.iter().find(|group| group.name.eq_ignore_ascii_case(word)) {
        return Ok(elnath_source::codes::ALL.iter().copied().filter(|&code| (group.has)(code)).collect());
    }
    Code::find(word).map(|code| vec![code]).ok_or_else(|| {
        let near = nearest(word, GROUPS.iter().map(|group| group.name)).or_else(|| Code::near(word));
        match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`elnath explain` lists all codes, names and groups".to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use elnath_source::codes;

    #[test]
    fn a_word_names_a_code_a_name_or_a_group() {
        let mut denied = Denied::default();
        denied.add("w0201").expect("a code");
        denied.add("vacuous").expect("a group");
        assert!(
            denied.has(codes::TRUNCATED) && denied.has(codes::ANTECEDENT) && !denied.has(codes::SHADOWED)
        );
        assert_eq!(denied.add("vacous"), Err("did you mean `vacuous`?".to_owned()));
        assert_eq!(named("truncated"), Ok(vec![codes::TRUNCATED]));
        assert!(named("nothing-like-it").is_err());
    }
}
