//! Who may ask: only a page that this server has sent, in a browser of this machine.
//!
//! The server listens on the loopback interface, which every program of this machine and, through the browser, every page of the world can reach.
//! What keeps them out:
//!
//! | who | what stops it |
//! |---|---|
//! | a page of another origin | the token, which it does not know; `Origin` and `Sec-Fetch-Site`; no answer allows another origin to read it |
//! | a page whose name is bound to 127.0.0.1 after it was loaded (DNS rebinding) | `Host` must be the address that was bound; and the token |
//! | a frame around the page | `frame-ancestors 'none'` |
//! | a model whose texts are scripts | the policy: scripts only from this server, no inline ones, no requests elsewhere |
//! | another user of this machine | the token: 128 random bits, in the fragment of the URL, which no browser sends anywhere |
//!
//! The token comes as a header, which a page of another origin cannot set without being asked for permission first, and that is never given. A
//! cookie would be sent along by the browser on its own; that is why there is none.

use crate::http::Served;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

/// The header in which the token comes.
pub(crate) const TOKEN: &str = "x-elnath-token";

/// What the page may do: run our scripts, ask this server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Who is let in.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    token: String,
    /// What `Host` may be.
    hosts: Vec<String>,
}

impl Guard {
    /// A guard of this address with a new token.
    ///
    /// # Errors
    /// If the operating system has no random numbers.
    pub(crate) fn new(address: SocketAddr) -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        let mut token = String::new();
        bytes.iter().for_each(|byte| _ = write!(token, "{byte:02x}"));
        let port = address.port();
        let hosts = vec![address.to_string(), format!("localhost:{port}")];
        Ok(Self { token, hosts })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Whether a request may be answered; or why not.
    fn admits(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Refused> {
        let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|value| value.to_str().ok());
        if hosts.next().is_some() || !host.is_some_and(|host| self.hosts.iter().any(|known| known == host)) {
            return Err(Refused(
                StatusCode::FORBIDDEN,
                "this server answers only under the address that it has printed",
            ));
        }
        if let Some(origin) = headers.get(header::ORIGIN) {
            let ours = |origin: &str| origin.strip_prefix("http://").is_some_and(|it| Some(it) == host);
            if !origin.to_str().is_ok_and(ours) {
                return Err(Refused(StatusCode::FORBIDDEN, "another origin may not ask"));
            }
        }
        let site = text(header::HeaderName::from_static("sec-fetch-site"));
        if !path.starts_with("/api/") {
            return match *method {
                Method::GET | Method::HEAD => Ok(()),
                _ => Err(Refused(StatusCode::METHOD_NOT_ALLOWED, "this is only read")),
            };
        }
        if site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Err(Refused(StatusCode::FORBIDDEN, "another site may not ask"));
        }
        let given = headers.get(TOKEN).map_or(&[][..], HeaderValue::as_bytes);
        if !same(given, self.token.as_bytes()) {
            return Err(Refused(
                StatusCode::UNAUTHORIZED,
                "the token is missing or belongs to another run of elnath",
            ));
        }
        Ok(())
    }
}

/// Whether two texts are equal, in a time that does not tell where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// Why a request is not answered.
struct Refused(StatusCode, &'static str);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, axum::Json(serde_json::json!({ "error": self.1 }))).into_response()
    }
}

/// Lets a request through or not, and says in every answer what may be done with it.
pub(crate) async fn guard(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    let admitted = served.guard.admits(request.method(), request.uri().path(), request.headers());
    let mut response = match admitted {
        Ok(()) => next.run(request).await,
        Err(refused) => refused.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
