//! A page of a small model, and requests as they are on the wire.

#![allow(dead_code, unreachable_pub)]

use elnath::{Model, Property};
use elnath_explore::Explorer;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Two hands that go round, and must not be at the same number.
pub struct Clock;

impl Model for Clock {
    type State = (u8, u8);
    type Action = &'static str;

    fn initial(&self) -> (u8, u8) {
        (0, 6)
    }

    fn actions(&self, _: &(u8, u8), actions: &mut Vec<&'static str>) {
        actions.extend(["short hand", "long hand"]);
    }

    fn next(&self, &(short, long): &(u8, u8), action: &&'static str) -> Option<(u8, u8)> {
        Some(if *action == "short hand" { ((short + 1) % 12, long) } else { (short, (long + 5) % 12) })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("apart", |_, (short, long)| short != long)]
    }
}

/// A server in a thread, which ends with this.
pub struct Page {
    pub address: String,
    pub token: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Page {
    pub fn open() -> Self {
        Self::of(Explorer::of_model("clock", Clock))
    }

    pub fn of(explorer: Explorer) -> Self {
        let server = explorer.bind(0).expect("a port is free");
        let url = server.url();
        let (address, token) = url
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once("/#token="))
            .expect("an address and a token");
        let (address, token) = (address.to_owned(), token.to_owned());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            server.serve(&|| stopped.load(Ordering::Relaxed)).expect("it serves");
        });
        Self { address, token, stop, thread: Some(thread) }
    }

    pub fn port(&self) -> u16 {
        self.address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port")
    }

    /// What a page of ours sends.
    pub fn ours(&self) -> Vec<(&str, &str)> {
        vec![("Host", &self.address), ("X-Elnath-Token", &self.token), ("Content-Type", "application/json")]
    }

    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.send("GET", path, headers, "")
    }

    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &self.ours(), body)
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
        request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        // A server that refuses a large body need not read all of it.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Reply::of(&String::from_utf8_lossy(&bytes))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status =
            lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|it| it.parse().ok()).unwrap_or(0);
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Self { status, headers, body: body.to_owned() }
    }

    pub fn header(&self, name: &str) -> Option<String> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
