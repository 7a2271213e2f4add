//! The codes of findings: what elnath may have to say about input and answers, each kind with a code that never changes.
//!
//! A message is a sentence about one model. What it means in general, why it matters and what to do is the same for every
//! message of a kind; that is written in one place, in `elnath::findings`, and found by the code. Only the codes are here, since every
//! front end needs them. The letter is the severity:
//!
//! | letter | meaning | `--quiet` |
//! |---|---|---|
//! | E | error: there is no answer | shown |
//! | W | warning: it bears on the verdict, or the model probably does not say what its author means | shown |
//! | N | note: worth knowing; the verdict is what it seems to be | left out |
//!
//! A code is never given to another kind of finding; a kind that is no longer found leaves a gap. Not every message needs a kind
//! of its own: all syntax errors are one, since the message says what is wrong and an explanation could not say more.

use crate::{Severity, nearest};
use std::fmt;

/// Which kind of finding a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code {
    text: &'static str,
    name: &'static str,
}

impl Code {
    /// A letter and four digits.
    pub fn text(self) -> &'static str {
        self.text
    }

    /// A short name for people, and for `--deny`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// How bad it is.
    pub fn severity(self) -> Severity {
        match self.text.as_bytes()[0] {
            b'E' => Severity::Error,
            b'W' => Severity::Warning,
            _ => Severity::Note,
        }
    }

    /// The kind with this code or name, in capitals or not.
    pub fn find(word: &str) -> Option<Self> {
        let is_it =
            |code: &&Code| code.text.eq_ignore_ascii_case(word) || code.name.eq_ignore_ascii_case(word);
        ALL.iter().find(is_it).copied()
    }

    /// The code or name that may have been meant.
    pub fn near(word: &str) -> Option<String> {
        nearest(word, ALL.iter().flat_map(|code| [code.name, code.text]))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

macro_rules! codes {
    ($($rust:ident $text:literal $name:literal)*) => {
        $(
            #[doc = concat!($text, ", ", $name, ".")]
            pub const $rust: Code = Code { text: $text, name: $name };
        )*
        /// All codes, by severity and number.
        pub const ALL: &[Code] = &[$($rust),*];
    };
}

codes! {
    SYNTAX "E0001" "syntax"
    PREPROCESSOR "E0002" "preprocessor"
    EMBEDDED_C "E0003" "embedded-c"
    UNKNOWN_NAME "E0004" "unknown-name"
    DECLARED_TWICE "E0005" "declared-twice"
    WRONG_USE "E0006" "wrong-use"
    BEYOND_LIMIT "E0007" "beyond-limit"
    UNREADABLE "E0008" "unreadable-file"
    UNKNOWN_LANGUAGE "E0009" "unknown-language"
    USAGE "E0010" "usage"
    UNKNOWN_PROPERTY "E0011" "unknown-property"
    FORMULA_SYNTAX "E0012" "formula-syntax"
    UNKNOWN_PROPOSITION "E0013" "unknown-proposition"
    BAD_PATTERN "E0014" "bad-pattern"
    MALFORMED_GRAPH "E0015" "malformed-graph"
    EMPTY_MODEL "E0016" "empty-model"
    UNFIT_CHOICE "E0017" "unfit-choice"
    REFUSED_REDUCTION "E0018" "refused-reduction"
    FOREIGN_TRAIL "E0019" "foreign-trail"
    MALFORMED_AUTOMATON "E0020" "malformed-automaton"
    ACTING_CLAIM "E0021" "acting-claim"
    IDLE_OPTIONS "E0022" "contradictory-options"
    FAULT_AT_START "E0023" "fault-at-start"
    UNWRITABLE "E0024" "unwritable-file"
    NOT_SESSION_AUTOMATA "E0025" "not-session-automata"
    UNSUPPORTED_NET "E0028" "unsupported-net"
    BROKEN_NET "E0029" "broken-net"
    FORMULA_LIMIT "E0030" "formula-limit"
    UNKNOWN_LABEL "W0101" "unknown-label"
    ANTECEDENT "W0102" "antecedent-never-true"
    ALWAYS_TRUE "W0103" "always-true"
    NEVER_TRUE "W0104" "never-true"
    UNCHECKED "W0105" "unchecked"
    FORMULA_LEFT_OUT "W0106" "formula-left-out"
    CLAIM_FOLLOWED "W0107" "claim-followed"
    NO_ACCEPT_LABELS "W0108" "no-accept-labels"
    NO_PROGRESS_LABELS "W0109" "no-progress-labels"
    FAIRNESS_UNUSED "W0110" "fairness-unused"
    NO_PROCESS "W0111" "no-process"
    NO_RUN_ENDS "W0112" "no-run-ends"
    AMBIGUOUS_PROCESS "W0113" "ambiguous-process"
    IMPLICATION_CHAIN "W0114" "implication-chain"
    COMPARISON_OPERAND "W0115" "comparison-operand"
    FAULTS_IGNORED "W0117" "faults-ignored"
    UNMATCHED_PATTERN "W0118" "unmatched-pattern"
    TRACE_IGNORED "W0119" "trace-ignored"
    TRUNCATED "W0201" "truncated"
    DIVISION_BY_ZERO "W0202" "division-by-zero"
    INDEX_OUT_OF_RANGE "W0203" "index-out-of-range"
    UNREACHABLE "W0204" "unreachable"
    MISPLACED_ELSE "W0205" "misplaced-else"
    EMPTY_RANGE "W0206" "empty-range"
    MESSAGE_LENGTH "W0207" "message-length"
    MISSING_ARGUMENTS "W0208" "missing-arguments"
    INITIAL_VALUES "W0209" "initial-values"
    SHADOWED "W0210" "shadowed"
    NEVER_WRITTEN "W0211" "never-written"
    ENDLESS_LOOP "W0212" "endless-loop"
    ESCAPE_NEVER_TAKEN "W0213" "escape-never-taken"
    REVERSED_ARROW "W0214" "reversed-arrow"
    MACRO_REDEFINED "W0215" "macro-redefined"
    NO_KEYBOARD "W0216" "no-keyboard"
    USER_WARNING "W0217" "user-warning"
    NEVER_SENT "W0218" "never-sent"
    ONE_SIDED "W0219" "one-sided"
    UNDESCRIBED_STATE "W0220" "undescribed-state"
    VARIABLE_AS_CONSTANT "W0221" "variable-as-constant"
    BAD_STATES "W0222" "bad-states-ignored"
    GATE_ALIASING "W0223" "gate-aliasing"
    NESTED_COMMENT "W0226" "nested-comment"
    UNITS_IGNORED "W0230" "units-ignored"
    NET_PART_IGNORED "W0231" "net-part-ignored"
    FAULTS_AS_STEPS "W0232" "faults-as-steps"
    UNDEFINED_AS_FALSE "W0233" "undefined-as-false"
    UNTIMED "W0240" "untimed-delays"
    LOSSY "W0301" "lossy"
    NO_EFFECT "W0302" "no-effect"
    USUAL_SEARCH "W0303" "usual-search"
    GROWS "W0304" "grows-for-ever"
    GIVEN_UP "W0305" "given-up"
    UNUSED_VARIABLE "N0101" "unused-variable"
    NEVER_READ "N0102" "never-read"
    UNUSED_DEFINITION "N0103" "unused-definition"
    UNUSED_LABEL "N0104" "capital-label"
    FORMAT_ARGUMENTS "N0105" "format-arguments"
    STRAY_COMMENT_END "N0106" "stray-comment-end"
    NEVER_EXECUTED "N0201" "never-executed"
    NEVER_FULL "N0202" "never-full"
    ON_TERMS "N0203" "on-terms"
    EVIDENCE_TOO_LARGE "N0206" "evidence-too-large"
    NO_PROGRAM "N0207" "no-program"
    ATOMIC_STEPS "N0215" "atomic-steps"
    ONE_WORKER "N0301" "one-worker"
    REDUCTION_UNUSED "N0302" "reduction-unused"
    TREE_STORE "N0303" "tree-store"
    IDLE_AUTOMATON "N0304" "idle-automaton"
    NO_RUN_WRITTEN "N0305" "no-run-written"
    OLD_SPELLING "N0306" "old-spelling"
    UNBOUNDED_CHANNELS "N0307" "unbounded-channels"
    MORE_AUTOMATA "N0308" "more-automata"
}

/// Kinds that `--deny` names together.
pub struct Group {
    /// Its name, which is that of no code.
    pub name: &'static str,
    /// What they have in common.
    pub meaning: &'static str,
    /// Whether a kind is one of them.
    pub has: fn(Code) -> bool,
}

/// The groups.
pub const GROUPS: &[Group] = &[
    Group { name: "warnings", meaning: "all warnings", has: |code| code.severity() == Severity::Warning },
    Group {
        name: "vacuous",
        meaning: "the verdict says nothing, or less than it seems to",
        has: |code| VACUOUS.contains(&code),
    },
    Group {
        name: "ineffective",
        meaning: "an option or a reduction that made no difference",
        has: |code| INEFFECTIVE.contains(&code),
    },
    Group {
        name: "dead",
        meaning: "parts of the model that nothing uses or reaches",
        has: |code| DEAD.contains(&code),
    },
];

const VACUOUS: &[Code] = &[
    UNKNOWN_LABEL,
    ANTECEDENT,
    ALWAYS_TRUE,
    NEVER_TRUE,
    NO_ACCEPT_LABELS,
    NO_PROGRESS_LABELS,
    NO_PROCESS,
    NO_RUN_ENDS,
    IDLE_AUTOMATON,
];
const INEFFECTIVE: &[Code] =
    &[FAIRNESS_UNUSED, UNMATCHED_PATTERN, NO_EFFECT, USUAL_SEARCH, ONE_WORKER, REDUCTION_UNUSED];
const DEAD: &[Code] = &[
    UNREACHABLE,
    NEVER_WRITTEN,
    ESCAPE_NEVER_TAKEN,
    NEVER_SENT,
    UNUSED_VARIABLE,
    NEVER_READ,
    UNUSED_DEFINITION,
    NEVER_EXECUTED,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_well_formed_and_used_once() {
        let mut last: Option<Code> = None;
        for (number, code) in ALL.iter().enumerate() {
            let Code { text, name } = code;
            assert!(text.len() == 5 && text[1..].bytes().all(|byte| byte.is_ascii_digit()), "{code}");
            let ascends = |last: Code| last.severity() > code.severity() || last.text < *text;
            assert!(last.is_none_or(ascends), "{code} stands after {last:?}");
            last = Some(*code);
            let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(
                name.chars().all(is_word) && !GROUPS.iter().any(|group| group.name == *name),
                "{code}: {name}"
            );
            assert_eq!(ALL.iter().position(|other| other.name == *name), Some(number), "{name} is used once");
        }
    }

    #[test]
    fn a_kind_is_found_by_its_code_or_name() {
        assert_eq!(Code::find("w0101").map(Code::name), Some("unknown-label"));
        assert_eq!(Code::find("Unknown-Label").map(Code::text), Some("W0101"));
        assert_eq!(
            (Code::find("W9999"), Code::near("unknwon-label").as_deref()),
            (None, Some("unknown-label"))
        );
    }
}
