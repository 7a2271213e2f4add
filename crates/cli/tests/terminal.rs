//! `elnath simulate` at a terminal: driven through tmux, as a person would, at two sizes. Without tmux this test cannot run, and says so.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A server of its own, so that nobody else's sessions are touched; it ends with this value.
struct Tmux {
    socket: PathBuf,
}

impl Tmux {
    /// A terminal of this size in which the binary runs. A shell stays behind it, so that the exit code can be seen.
    fn start(name: &str, (width, height): (u16, u16), arguments: &str) -> Option<Self> {
        let socket = std::env::temp_dir().join(format!("elnath-{}-{name}", std::process::id()));
        let tmux = Self { socket };
        let line = format!("{} {arguments}; echo \"code $?\"; cat", env!("CARGO_BIN_EXE_elnath"));
        let size = [width.to_string(), height.to_string()];
        let started =
            tmux.command(&["-f", "/dev/null", "new-session", "-d", "-x", &size[0], "-y", &size[1], &line]);
        started.map(|_| tmux)
    }

    fn command(&self, arguments: &[&str]) -> Option<String> {
        let mut command = Command::new("tmux");
        let output = command
            .arg("-S")
            .arg(&self.socket)
            .args(arguments)
            .env("TERM", "xterm-256color")
            .output()
            .ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn screen(&self) -> String {
        self.command(&["capture-pane", "-p"]).unwrap_or_default()
    }

    fn keys(&self, keys: &[&str]) {
        self.command(&[&["send-keys"], keys].concat()).expect("tmux takes keys");
    }

    fn resize(&self, (width, height): (u16, u16)) {
        let size = [width.to_string(), height.to_string()];
        self.command(&["resize-window", "-x", &size[0], "-y", &size[1]]).expect("tmux changes the size");
    }

    /// Waits until all of these are on the screen.
    fn until(&self, wanted: &[&str]) -> String {
        let patience = Instant::now() + Duration::from_secs(20);
        loop {
            let screen = self.screen();
            if wanted.iter().all(|part| screen.contains(part)) {
                return screen;
            }
            assert!(Instant::now() < patience, "{wanted:?} does not appear:\n{screen}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]);
        let _ = std::fs::remove_file(&self.socket);
    }
}

fn is_there() -> bool {
    let found = Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success());
    if !found {
        elnath_testkit::corpus::say("skipped: the simulator was not driven, for there is no tmux here");
    }
    found
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string()
}

/// The same walk at both sizes: a step, undone; a breakpoint, reached; the other size; quit.
fn walk(name: &str, size: (u16, u16), other: (u16, u16)) {
    if !is_there() {
        return;
    }
    let model = example("classics/peterson.pml");
    let Some(tmux) = Tmux::start(name, size, &format!("simulate {model} --color never")) else {
        panic!("tmux does not start");
    };
    let first = tmux.until(&["peterson.pml", "step 0", "Moves", "? shows the keys"]);
    let rows = first.lines().filter(|line| line.contains("┌") || line.contains("└")).count();
    assert!(rows >= 2, "there are frames:\n{first}");
    tmux.keys(&["Enter"]);
    tmux.until(&["step 1"]);
    tmux.keys(&["Enter"]);
    tmux.until(&["step 2"]);
    tmux.keys(&["u"]);
    tmux.until(&["step 1", "2 tried", "tried"]);
    tmux.keys(&["b"]);
    tmux.until(&["break where:"]);
    tmux.keys(&["-l", "turn == 1"]);
    tmux.keys(&["Enter"]);
    tmux.until(&["breakpoint 1"]);
    tmux.keys(&["G"]);
    tmux.until(&["a breakpoint holds after", "holds here"]);
    tmux.keys(&["s"]);
    tmux.until(&["State", "turn = 1"]);
    tmux.resize(other);
    let wide = other.0.max(size.0) == other.0;
    // All panes are there where there is room; where there is not, one beside the moves.
    let screen = tmux.until(&["Moves", "State", "turn = 1"]);
    let patience = Instant::now() + Duration::from_secs(20);
    while tmux.screen().contains("History") != wide {
        assert!(Instant::now() < patience, "the panes do not follow the size:\n{screen}");
        std::thread::sleep(Duration::from_millis(30));
    }
    tmux.keys(&["?"]);
    tmux.until(&["another continuation", "Keys"]);
    tmux.keys(&["?"]);
    tmux.keys(&["q"]);
    tmux.until(&["code 0", "stopped after"]);
}

#[test]
fn a_small_terminal() {
    walk("small", (80, 24), (200, 60));
}

#[test]
fn a_large_terminal() {
    walk("large", (200, 60), (80, 24));
}

/// A search in a model without end is stopped by Escape, and the terminal is as it was.
#[test]
fn escape_stops_a_search() {
    if !is_there() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("elnath-endless-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let model = folder.join("endless.pml");
    std::fs::write(&model, "int a, b, c; active proctype P() { do :: a++ :: b++ :: c++ od }")
        .expect("a file");
    let arguments = format!("simulate {} --color never", model.display());
    let tmux = Tmux::start("endless", (100, 30), &arguments).expect("tmux starts");
    tmux.until(&["Moves"]);
    tmux.keys(&["g"]);
    tmux.until(&["run until:"]);
    tmux.keys(&["-l", "a < 0"]);
    tmux.keys(&["Enter"]);
    tmux.keys(&["Escape"]);
    tmux.until(&["was not found in"]);
    tmux.keys(&["C-c"]);
    tmux.until(&["code 0"]);
    drop(tmux);
    std::fs::remove_dir_all(&folder).expect("it was made here");
}
