//! Our own models with properties of infinite runs, compared with the SPIN that is installed: is what we expect of them
//! what SPIN says? It takes a compiler half a second per model.

use crate::files::root;
use crate::runner::say;
use crate::settings::Settings;
use crate::tally::Tally;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A line `//! check OPTIONS => VERDICT ..` of a model that SPIN can answer, too.
struct Directive {
    model: PathBuf,
    options: Vec<String>,
    verdict: String,
}

fn directives() -> Vec<Directive> {
    let cases = root().join("tests/cases/promela");
    let entries = ["temporal", "watch"].map(|folder| std::fs::read_dir(cases.join(folder)).expect("cases"));
    let mut models: Vec<PathBuf> = entries.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    models.sort();
    let mut directives = Vec::new();
    for model in models {
        let text = std::fs::read_to_string(&model).expect("a model");
        for line in text.lines().filter_map(|line| line.strip_prefix("//! check ")) {
            let Some((options, expected)) = line.split_once(" => ") else { continue };
            let verdict = expected.split_whitespace().next().unwrap_or_default().to_owned();
            let options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
            // What SPIN has no counterpart for.
            let ours = ["--ltl", "strong", "live", "--finite-runs", "--faults", "--search", "--all-errors"];
            let asks = ["--claim", "--non-progress", "--accept-cycles"];
            let has = |wanted: &[&str]| options.iter().any(|option| wanted.contains(&option.as_str()));
            if has(&asks) && !has(&ours) {
                directives.push(Directive { model: model.clone(), options, verdict });
            }
        }
    }
    directives
}

/// What SPIN says: `holds` or `fails`.
fn spin(compiler: &str, folder: &Path, directive: &Directive) -> Result<&'static str, String> {
    let has = |wanted: &str| directive.options.iter().any(|option| option == wanted);
    let said = |command: &mut Command| {
        let output = command.current_dir(folder).output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok::<String, String>(text + &String::from_utf8_lossy(&output.stderr))
    };
    std::fs::copy(&directive.model, folder.join("m.pml")).map_err(|error| error.to_string())?;
    let defines = directive.options.iter().filter(|option| option.starts_with("-D"));
    let refused = said(Command::new("spin").args(["-a", "-o1", "-o2", "-o3"]).args(defines).arg("m.pml"))?;
    let claim = directive.options.iter().skip_while(|option| *option != "--claim").nth(1);
    let mut flags = vec!["-w", "-O0", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"];
    if has("--non-progress") {
        flags.push("-DNP");
    }
    if claim.is_none() {
        flags.push("-DNOCLAIM");
    }
    let complaint = said(Command::new(compiler).args(flags))?;
    let mut pan = Command::new(folder.join("pan"));
    pan.args([if has("--non-progress") { "-l" } else { "-a" }, "-n"]);
    if has("--fair") {
        pan.arg("-f");
    }
    if let Some(claim) = claim.filter(|claim| *claim != "never") {
        pan.args(["-N", claim]);
    }
    let output = said(&mut pan)?;
    match output.split_once("errors: ").map(|(_, rest)| rest.starts_with('0')) {
        Some(true) => Ok("holds"),
        Some(false) => Ok("fails"),
        None => Err(refused + &complaint + &output),
    }
}

pub(super) const USAGE: &str = "\
spin-cases [--cc COMPILER]
  --cc COMPILER        compiles SPIN's verifiers: gcc (the default) or tcc
";

#[test]
fn there_are_cases_to_compare() {
    assert!(directives().len() > 20, "the cases are there");
}

pub(super) fn run(settings: &Settings) -> Result<Tally, String> {
    let compiler = match &settings.rest[..] {
        [] => "gcc",
        [option, compiler] if option == "--cc" => compiler,
        _ => return Err("spin-cases has no option but --cc; see --help".to_owned()),
    };
    if !crate::differential::spin::is_installed(compiler) {
        return Err(format!("SPIN or {compiler} is not installed"));
    }
    let folder = std::env::temp_dir().join(format!("elnath-live-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut tally = Tally::default();
    for directive in &directives() {
        if settings.is_over() {
            break;
        }
        tally.cases += 1;
        tally.compared += 1;
        let found = spin(compiler, &folder, directive);
        if found != Ok(directive.verdict.as_str()) {
            let Directive { model, options, verdict } = directive;
            let told = format!("{} {options:?}: expected {verdict}, SPIN {found:?}", model.display());
            say(&told);
            tally.differences.push(told);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    Ok(tally)
}
