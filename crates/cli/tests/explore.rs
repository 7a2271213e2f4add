//! `elnath explore` and `--explore`: the address is printed and answers, and Ctrl-C ends the command with the code of its answer. What the page does is tested
//! in `crates/explore`, and in a browser by `.ci/explorer`.

mod common;

use common::{elnath, run};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string()
}

/// A command that serves a page, with what it has printed.
struct Serving {
    child: Child,
    address: String,
    token: String,
    said: String,
}

impl Serving {
    fn start(arguments: &[&str], on_stderr: bool) -> Self {
        let mut command = elnath(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("elnath can be started");
        let mut serving = Self { child, address: String::new(), token: String::new(), said: String::new() };
        let child = &mut serving.child;
        let mut out: Box<dyn std::io::BufRead + Send> = match on_stderr {
            true => Box::new(BufReader::new(child.stderr.take().expect("a pipe"))),
            false => Box::new(BufReader::new(child.stdout.take().expect("a pipe"))),
        };
        let mut line = String::new();
        loop {
            line.clear();
            let read = out.read_line(&mut line).expect("it prints text");
            assert!(read > 0, "{arguments:?}: no address in: {}", serving.said);
            serving.said.push_str(&line);
            if let Some((_, rest)) = line.split_once("http://") {
                let (address, token) =
                    rest.trim().trim_end_matches([',', '"']).split_once("/#token=").expect("a token");
                (serving.address, serving.token) = (address.to_owned(), token.to_owned());
                // What follows is read, too, so that the command is not stopped by a full pipe.
                std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
                return serving;
            }
        }
    }

    fn info(&self) -> Value {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let request = format!(
            "GET /api/info HTTP/1.1\r\nHost: {}\r\nX-Elnath-Token: {}\r\nConnection: close\r\n\r\n",
            self.address, self.token
        );
        stream.write_all(request.as_bytes()).expect("it listens");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("it answers");
        let (head, body) = reply.split_once("\r\n\r\n").expect("an answer");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        serde_json::from_str(body).expect("JSON")
    }

    /// Ctrl-C, and the code with which it ends.
    fn end(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        let killed = Command::new("kill").args(["-INT", &pid]).status().expect("kill can be started");
        assert!(killed.success());
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Serving {
    /// A test that fails leaves nothing behind.
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.child.kill().and_then(|()| self.child.wait()).expect("it can be ended");
        }
    }
}

#[test]
fn every_language_is_served_until_ctrl_c() {
    for (name, language) in [
        ("abp.pml", "promela"),
        ("buffer.aut", "aut"),
        ("abp.net", "network"),
        ("fifo/producer.fifo", "machines"),
        ("lotos/alternating-bit.lotos", "lotos"),
    ] {
        let serving = Serving::start(&["explore", &example(name)], false);
        assert!(serving.address.starts_with("127.0.0.1:"), "{}", serving.address);
        assert_eq!(serving.token.len(), 32);
        let info = serving.info();
        assert_eq!(info["models"][0]["language"], language, "{name}");
        assert_eq!(info["compared"], Value::Null);
        assert_eq!(serving.end(), Some(0), "{name}");
    }
}

#[test]
fn the_answer_comes_first_and_decides_the_code() {
    let serving = Serving::start(&["check", &example("stop-and-wait.pml"), "--explore"], true);
    let info = serving.info();
    let run = &info["models"][0]["runs"][0];
    assert!(run["text"].as_str().is_some_and(|text| text.contains("assertion violated")), "{run}");
    assert_eq!(
        info["models"][0]["open"],
        *run["nodes"].as_array().and_then(|nodes| nodes.last()).expect("an end")
    );
    assert_eq!(serving.end(), Some(1));
    let serving = Serving::start(&["bounded", &example("abp.pml"), "--explore"], true);
    let run = serving.info()["models"][0]["runs"][0].clone();
    assert!(run["loop"].is_u64() && run["closes"] == false, "a channel that grows is not as it was: {run}");
    assert_eq!(serving.end(), Some(1));
    let (left, right) = (example("abp.net"), example("abp/service.aut"));
    let serving = Serving::start(&["compare", &left, &right, "-r", "branching", "--explore"], true);
    let info = serving.info();
    assert_eq!(info["compared"]["relation"], "branching");
    assert_eq!(info["models"].as_array().map(Vec::len), Some(2));
    assert_eq!(serving.end(), Some(0));
}

#[test]
fn machines_and_scripts_get_the_address() {
    let serving = Serving::start(&["explore", &example("buffer.aut"), "--json"], false);
    assert!(serving.said.contains("\"command\": \"explore\""), "{}", serving.said);
    assert_eq!(serving.end(), Some(0));
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("an address").port().to_string();
    let ran = run(["explore", &example("buffer.aut"), "--port", &port]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("without --port"), "{ran:#?}");
    assert_eq!(run(["check", &example("buffer.aut"), "--port", "0"]).code, Some(2), "a port of nothing");
    assert_eq!(run(["explore", &example("missing.pml")]).code, Some(2));
}
