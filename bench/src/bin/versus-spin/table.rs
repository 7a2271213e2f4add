//! The table of models to run.
//!
//! A tab-separated file. Its first line is a comment that gives the flags of SPIN's translator and of the compiler,
//! `# spin -a -o1; gcc -O2 -DSAFETY; anything`, the second names the columns:
//!
//! | column | meaning |
//! |---|---|
//! | `name` | how the model is called here |
//! | `file` | the model, relative to the table |
//! | `edit` | empty, or `#define N 4`: the line of the model that defines `N` is replaced by this; or `-DN=4 -DM=2`, for both tools |
//! | `states_ref`, `transitions_ref` | what SPIN's reference mode gives; without them the two tools must agree |
//! | `pan_flags` | flags of SPIN's verifier. `-E` (end states are fine) and `-c0` (go on after errors) are translated for ours, `-n`, `-m` and `-w` mean nothing to us, others are refused |
//! | `ltl`, `verdict` | optional: a formula that the infinite runs are to satisfy, and whether they do: `holds` or `fails`. SPIN finds it as an `ltl` block, as we do, and `pan_flags` should have `-a`. Then the two agree if their verdicts are this one: they count the states of different automata |
//! | `sides` | optional: `elnath` for a model that is too large for SPIN, run only with `--large` |
//! | `elnath_flags` | optional: further options for ours, `{work}` being a directory for files |
//!
//! Other columns are ignored.

use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) spin: Vec<String>,
    pub(crate) gcc: Vec<String>,
    pub(crate) models: Vec<Entry>,
}

impl Table {
    /// The same models for the tools as they come: nothing switched off.
    pub(crate) fn with_defaults(mut self) -> Table {
        self.spin.retain(|flag| !flag.starts_with("-o"));
        self.gcc.retain(|flag| flag != "-DNOREDUCE");
        for model in &mut self.models {
            model.as_they_come = true;
        }
        self
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    pub(crate) edit: Option<Edit>,
    pub(crate) states: Option<u64>,
    pub(crate) transitions: Option<u64>,
    pub(crate) pan: Vec<String>,
    pub(crate) spin_too: bool,
    pub(crate) elnath: Vec<String>,
    pub(crate) property: Option<Property>,
    /// Both tools are run as they come, with their reductions; what they must agree on is the verdict.
    pub(crate) as_they_come: bool,
}

/// What is true of the infinite runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Property {
    pub(crate) formula: String,
    pub(crate) holds: bool,
}

impl Property {
    /// The name of its `ltl` block.
    pub(crate) const NAME: &str = "measured";
}

/// How a model is made larger or smaller.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// The line that defines this macro is replaced by this line.
    Line { macro_name: String, line: String },
    /// `-DNAME=VALUE`, any number of them, for both tools.
    Defines(Vec<String>),
}

/// Reads a table; `directory` is where it lies. All that is wrong with it is told, with line numbers.
pub(crate) fn read(text: &str, directory: &Path) -> Result<Table, Vec<String>> {
    let mut lines = (1..).zip(text.lines());
    let Some((_, comment)) = lines.next().filter(|(_, line)| line.starts_with('#')) else {
        return Err(vec!["line 1: the flags are missing: # spin -a ...; gcc -O2 ...".to_owned()]);
    };
    let flags = |program: &str| -> Vec<String> {
        let commands = comment.trim_start_matches('#').split(';');
        let mut words = commands.map(str::split_whitespace).filter_map(|mut words| {
            (words.next() == Some(program)).then(|| words.map(str::to_owned).collect())
        });
        words.next().unwrap_or_default()
    };
    let (spin, gcc) = (flags("spin"), flags("gcc"));
    if spin.is_empty() || gcc.is_empty() {
        return Err(vec!["line 1: the flags are missing: # spin -a ...; gcc -O2 ...".to_owned()]);
    }
    let Some((_, header)) = lines.next() else { return Err(vec!["line 2: no columns are named".to_owned()]) };
    let columns: Vec<&str> = header.split('\t').map(str::trim).collect();
    let needed = ["name", "file", "pan_flags"];
    let missing: Vec<String> = needed
        .iter()
        .filter(|name| !columns.contains(name))
        .map(|name| format!("line 2: there is no column {name}"))
        .collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let (mut models, mut wrong) = (Vec::<Entry>::new(), Vec::new());
    for (number, line) in lines {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        let cell = |name: &str| {
            let column = columns.iter().position(|column| *column == name)?;
            cells.get(column).copied().filter(|cell| !cell.is_empty())
        };
        match entry(cell, directory) {
            Ok(entry) if models.iter().any(|other| other.name == entry.name) => {
                wrong.push(format!("line {number}: a second model is called {}", entry.name));
            }
            Ok(entry) => models.push(entry),
            Err(messages) => wrong.extend(messages.iter().map(|message| format!("line {number}: {message}"))),
        }
    }
    if models.is_empty() && wrong.is_empty() {
        wrong.push("there are no models".to_owned());
    }
    if wrong.is_empty() { Ok(Table { spin, gcc, models }) } else { Err(wrong) }
}

fn entry<'a>(cell: impl Fn(&str) -> Option<&'a str>, directory: &Path) -> Result<Entry, Vec<String>> {
    let mut wrong = Vec::new();
    let mut number = |name: &str| {
        let text = cell(name)?;
        let value = text.parse().ok();
        if value.is_none() {
            wrong.push(format!("{name} is not a number: {text}"));
        }
        value
    };
    let (states, transitions) = (number("states_ref"), number("transitions_ref"));
    let words = |name: &str| cell(name).unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    let pan: Vec<String> = words("pan_flags");
    for flag in &pan {
        let with_number = |letter: &str| {
            flag.strip_prefix(letter).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let about_cycles = flag == "-a" && cell("ltl").is_some();
        if !(about_cycles
            || matches!(flag.as_str(), "-E" | "-c0" | "-n")
            || with_number("-m")
            || with_number("-w"))
        {
            wrong.push(format!("it is not known what pan's {flag} is for elnath"));
        }
    }
    let edit = cell("edit").and_then(|text| {
        let edit = read_edit(text);
        if edit.is_none() {
            wrong.push(format!("an edit is #define NAME VALUE or -DNAME=VALUE, not {text}"));
        }
        edit
    });
    let property = match (cell("ltl"), cell("verdict")) {
        (None, None) => None,
        (Some(formula), Some(verdict @ ("holds" | "fails"))) => {
            Some(Property { formula: formula.to_owned(), holds: verdict == "holds" })
        }
        (_, verdict) => {
            wrong.push(format!(
                "a formula has a verdict, holds or fails, not {}",
                verdict.unwrap_or("nothing")
            ));
            None
        }
    };
    let sides = cell("sides").unwrap_or("both");
    if !matches!(sides, "both" | "elnath") {
        wrong.push(format!("sides are both or elnath, not {sides}"));
    }
    let [name, file] = ["name", "file"].map(|name| {
        cell(name).unwrap_or_else(|| {
            wrong.push(format!("there is no {name}"));
            ""
        })
    });
    if wrong.is_empty() {
        Ok(Entry {
            name: name.to_owned(),
            file: directory.join(file),
            edit,
            states,
            transitions,
            pan,
            spin_too: sides == "both",
            elnath: words("elnath_flags"),
            property,
            as_they_come: false,
        })
    } else {
        Err(wrong)
    }
}

fn read_edit(text: &str) -> Option<Edit> {
    if text.starts_with("-D") {
        let defines: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let right = defines.iter().all(|define| define.starts_with("-D") && define.len() > 2);
        return right.then_some(Edit::Defines(defines));
    }
    defined(text).map(|name| Edit::Line { macro_name: name.to_owned(), line: text.to_owned() })
}

/// The macro that a line defines.
fn defined(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    let name = rest.strip_prefix([' ', '\t'])?.trim_start();
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
    (end > 0).then(|| &name[..end])
}

/// The model with the line that defines `macro_name` replaced.
pub(crate) fn edited(model: &str, macro_name: &str, line: &str) -> Result<String, String> {
    let places = model.lines().filter(|line| defined(line) == Some(macro_name)).count();
    if places != 1 {
        return Err(format!("{macro_name} is defined in {places} places, not in one"));
    }
    let lines = model.lines().map(|old| if defined(old) == Some(macro_name) { line } else { old });
    Ok(lines.flat_map(|line| [line, "\n"]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &str = "# spin -a -o1; gcc -O2 -DSAFETY; -E because models end\n";
    const COLUMNS: &str = "name\tfile\tedit\tstates_ref\ttransitions_ref\tspin_cpu_s\tpan_flags\n";

    #[test]
    fn tables_are_read() {
        let text = format!(
            "{FLAGS}{COLUMNS}a\tx/a.pml\t\t10\t20\t0.1\t-E -c0 -n -m2000 -w23\n\nb\tb.pml\t#define N 4\t\t\t\t-c0\n\
             # c\tc.pml\nd\td.pml\t-DN=4 -DM=2\t1\t2\n"
        );
        let table = read(&text, Path::new("models")).unwrap();
        assert_eq!(table.spin, ["-a", "-o1"]);
        assert_eq!(table.gcc, ["-O2", "-DSAFETY"]);
        let [a, b, d] = &table.models[..] else { panic!("{table:?}") };
        assert_eq!((a.name.as_str(), a.file.as_path()), ("a", Path::new("models/x/a.pml")));
        assert_eq!((a.states, a.transitions, a.edit.as_ref()), (Some(10), Some(20), None));
        assert_eq!(a.pan, ["-E", "-c0", "-n", "-m2000", "-w23"]);
        let line = Edit::Line { macro_name: "N".to_owned(), line: "#define N 4".to_owned() };
        assert_eq!((b.edit.as_ref(), b.states, b.spin_too), (Some(&line), None, true));
        assert_eq!(d.edit, Some(Edit::Defines(vec!["-DN=4".to_owned(), "-DM=2".to_owned()])));
    }

    #[test]
    fn optional_columns() {
        let text = format!(
            "{FLAGS}sides\tname\tfile\tpan_flags\telnath_flags\nelnath\ta\ta.pml\t\t--store tree\n\tb\tb.pml\t\t\n"
        );
        let table = read(&text, Path::new("")).unwrap();
        assert!(!table.models[0].spin_too && table.models[1].spin_too);
        assert_eq!(table.models[0].elnath, ["--store", "tree"]);
    }

    #[test]
    fn nothing_is_switched_off_in_tools_as_they_come() {
        let text = "# spin -a -o1 -o2; gcc -O2 -DNOREDUCE -DSAFETY\nname\tfile\tpan_flags\na\ta.pml\t-c0\n";
        let table = read(text, Path::new("")).unwrap().with_defaults();
        assert_eq!(
            (table.spin, table.gcc),
            (vec!["-a".to_owned()], vec!["-O2".to_owned(), "-DSAFETY".to_owned()])
        );
        assert!(table.models[0].as_they_come);
    }

    #[test]
    fn formulas_have_verdicts() {
        let columns = format!("{FLAGS}name\tfile\tpan_flags\tltl\tverdict\n");
        let table = |row: &str| read(&format!("{columns}{row}"), Path::new(""));
        let models = table("a\ta.pml\t-a\t[] (x -> <> y)\tfails\n").unwrap().models;
        let property = Property { formula: "[] (x -> <> y)".to_owned(), holds: false };
        assert_eq!(models[0].property, Some(property));
        for wrong in ["a\ta.pml\t-a\t[] x\t\n", "a\ta.pml\t-a\t[] x\tyes\n", "a\ta.pml\t-a\t\tholds\n"] {
            assert!(table(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_table_of_formulas_is_right() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
        let table = read(&std::fs::read_to_string(directory.join("ltl.tsv")).unwrap(), directory).unwrap();
        let holding =
            table.models.iter().filter(|model| model.property.as_ref().is_some_and(|p| p.holds)).count();
        assert!(holding >= 3 && table.models.len() >= holding + 3, "{table:?}");
        assert!(table.models.iter().all(|model| model.property.is_some()), "{table:?}");
    }

    #[test]
    fn all_that_is_wrong_is_told() {
        let text =
            format!("{FLAGS}{COLUMNS}a\ta.pml\tN=4\tmany\t1\t\t-c0 -a\na\t\t\t\t\t\t\nb\tb\t\nb\tb\t\n");
        let wrong = read(&text, Path::new("")).unwrap_err();
        assert_eq!(
            wrong,
            [
                "line 3: states_ref is not a number: many",
                "line 3: it is not known what pan's -a is for elnath",
                "line 3: an edit is #define NAME VALUE or -DNAME=VALUE, not N=4",
                "line 4: there is no file",
                "line 6: a second model is called b",
            ]
        );
        for text in ["", "name\tfile\n", "# spin -a\n", FLAGS, &format!("{FLAGS}{COLUMNS}")] {
            assert!(read(text, Path::new("")).is_err(), "{text}");
        }
        assert_eq!(read(&format!("{FLAGS}name\n"), Path::new("")).unwrap_err().len(), 2);
    }

    #[test]
    fn models_are_edited() {
        let model = "#define NN 7\n # define\tN\t5 /* number */\nbyte x[N];\n";
        assert_eq!(edited(model, "N", "#define N 4").unwrap(), "#define NN 7\n#define N 4\nbyte x[N];\n");
        assert!(edited(model, "M", "#define M 4").is_err());
        assert!(edited("#define N 1\n#define N 2\n", "N", "#define N 3").is_err());
    }

    #[test]
    fn the_table_that_comes_with_the_project_is_right() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let table = read(&std::fs::read_to_string(directory.join("BENCH.tsv")).unwrap(), &directory).unwrap();
        for model in table.models {
            assert!(model.file.is_file(), "{model:?}");
            assert!(model.states.is_some(), "{model:?}");
        }
    }
}
