//! Pages that may not ask: another origin, a name that was bound to this machine afterwards, nobody with the token. Raw requests, as a browser would send
//! them; what a browser would not send is tried as well.

mod common;

use common::{Page, Reply};

#[test]
fn who_has_the_token_is_answered() {
    let page = Page::open();
    let reply = page.get("/api/info", &[("Host", &page.address), ("X-Elnath-Token", &page.token)]);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.body.contains("\"schema\":1"), "{reply:?}");
    // The same under the other name of this machine, and as a page of ours asks.
    let local = format!("localhost:{}", page.port());
    let origin = format!("http://{local}");
    let headers = [
        ("Host", local.as_str()),
        ("Origin", &origin),
        ("Sec-Fetch-Site", "same-origin"),
        ("X-Elnath-Token", &page.token),
    ];
    assert_eq!(page.get("/api/info", &headers).status, 200);
}

#[test]
fn without_the_token_nothing_is_told() {
    let page = Page::open();
    let wrong = "0".repeat(page.token.len());
    for token in [None, Some(""), Some(wrong.as_str()), Some(&page.token[1..])] {
        let mut headers = vec![("Host", page.address.as_str())];
        headers.extend(token.map(|token| ("X-Elnath-Token", token)));
        let reply = page.get("/api/info", &headers);
        assert_eq!(reply.status, 401, "{token:?}: {reply:?}");
        assert!(!reply.body.contains("models"), "{reply:?}");
    }
    // Neither in the address nor as a cookie: both would be sent or kept by others.
    let address = format!("/api/info?token={}", page.token);
    assert_eq!(page.get(&address, &[("Host", &page.address)]).status, 401);
    let cookie = format!("token={}", page.token);
    assert_eq!(page.get("/api/info", &[("Host", &page.address), ("Cookie", &cookie)]).status, 401);
}

#[test]
fn another_origin_is_refused_even_with_the_token() {
    let page = Page::open();
    let others =
        ["http://evil.example", "https://evil.example:443", "null", "http://127.0.0.1", "http://127.0.0.1:1"];
    for origin in others {
        let headers = [("Host", page.address.as_str()), ("Origin", origin), ("X-Elnath-Token", &page.token)];
        for path in ["/api/info", "/", "/app.js"] {
            let reply = page.get(path, &headers);
            assert_eq!(reply.status, 403, "{origin} {path}: {reply:?}");
            assert!(reply.header("access-control-allow-origin").is_none(), "{reply:?}");
        }
    }
    for site in ["cross-site", "same-site"] {
        let headers =
            [("Host", page.address.as_str()), ("Sec-Fetch-Site", site), ("X-Elnath-Token", &page.token)];
        assert_eq!(page.get("/api/info", &headers).status, 403, "{site}");
    }
    // Permission to send the header is asked for first, and never given.
    let asked = [
        ("Host", page.address.as_str()),
        ("Origin", "http://evil.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "x-elnath-token"),
    ];
    let reply = page.send("OPTIONS", "/api/step", &asked, "");
    assert_eq!(reply.status, 403, "{reply:?}");
    assert!(reply.header("access-control-allow-headers").is_none(), "{reply:?}");
}

#[test]
fn a_name_that_was_bound_to_this_machine_is_refused() {
    let page = Page::open();
    let port = page.port();
    let names = [
        format!("evil.example:{port}"),
        "evil.example".to_owned(),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        String::new(),
    ];
    for host in &names {
        for path in ["/", "/app.js", "/api/info"] {
            let reply = page.get(path, &[("Host", host), ("X-Elnath-Token", &page.token)]);
            // A host that is empty is refused by the parser of requests already.
            assert!(matches!(reply.status, 400 | 403), "{host:?} {path}: {reply:?}");
        }
    }
    let two = [("Host", page.address.as_str()), ("Host", "evil.example"), ("X-Elnath-Token", &page.token)];
    assert!(matches!(page.get("/api/info", &two).status, 400 | 403));
}

#[test]
fn a_hostile_page_cannot_drive_it() {
    let page = Page::open();
    // What a form or an image of another page can send without being asked: no header of ours, no JSON.
    let simple =
        [("Host", page.address.as_str()), ("Content-Type", "text/plain"), ("Origin", "http://evil.example")];
    let reply = page.send("POST", "/api/step", &simple, r#"{"node":0,"move":0}"#);
    assert_eq!(reply.status, 403, "{reply:?}");
    let without = [("Host", page.address.as_str()), ("Content-Type", "application/json")];
    assert_eq!(page.send("POST", "/api/step", &without, r#"{"node":0,"move":0}"#).status, 401);
    let tree = page.get("/api/tree", &page.ours());
    assert!(tree.body.contains("\"total\":1"), "nothing was tried: {tree:?}");
    let step = page.post("/api/step", r#"{"node":0,"move":0}"#);
    assert_eq!(step.status, 200, "{step:?}");
    let tree = page.get("/api/tree", &page.ours());
    assert!(tree.body.contains("\"total\":2"), "{tree:?}");
}

#[test]
fn every_answer_has_the_policy() {
    let page = Page::open();
    let check = |reply: &Reply, path: &str| {
        let policy = reply.header("content-security-policy").unwrap_or_default();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(reply.header("x-content-type-options").as_deref(), Some("nosniff"), "{path}");
        assert_eq!(reply.header("cache-control").as_deref(), Some("no-store"), "{path}");
        assert_eq!(reply.header("referrer-policy").as_deref(), Some("no-referrer"), "{path}");
    };
    for path in ["/", "/app.js", "/layout.js", "/app.css", "/nothing", "/api/info", "/../Cargo.toml"] {
        check(&page.get(path, &[("Host", &page.address)]), path);
        check(&page.get(path, &page.ours()), path);
        check(&page.get(path, &[("Host", "evil.example")]), path);
    }
    assert_eq!(page.get("/../Cargo.toml", &page.ours()).status, 404);
    assert_eq!(page.send("DELETE", "/", &page.ours(), "").status, 405);
}

#[test]
fn a_request_that_makes_no_sense_is_refused_and_the_next_one_answered() {
    let page = Page::open();
    for (path, body) in [
        ("/api/step", "{"),
        ("/api/step", r#"{"node":0,"move":99999}"#),
        ("/api/step", r#"{"node":77,"move":0}"#),
        ("/api/view", r#"{"model":5,"node":0}"#),
        ("/api/follow", r#"{"node":0,"path":"0*4000000000"}"#),
        ("/api/until", r#"{"node":0,"expression":"(("}"#),
        ("/api/play", r#"{"game":3,"move":0}"#),
        ("/api/game", r#"{"relation":"strong","direction":"preorder","attacker":"you"}"#),
        ("/api/stop", r#"{"job":9}"#),
        ("/api/check", r#"{"seconds":-1}"#),
    ] {
        let reply = page.post(path, body);
        assert!((400..500).contains(&reply.status), "{path} {body}: {reply:?}");
    }
    let large = format!(r#"{{"node":0,"path":"{}"}}"#, "0.".repeat(1 << 20));
    assert_eq!(page.post("/api/follow", &large).status, 413);
    assert_eq!(page.post("/api/view", r#"{"node":0}"#).status, 200);
}
