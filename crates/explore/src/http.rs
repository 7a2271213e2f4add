//! What is asked under which address, and what is served as it is. See docs/explorer.md.

use crate::check::{self, Checkable};
use crate::guard::{Guard, guard};
use crate::jobs::{Jobs, Said};
use crate::play::{Command, Handle, Player, Setting, Shown};
use crate::walker::Way;
use crate::wire::{self, Compared, Graph, Info, Line, Refusal, Tree, View};
use crate::{around, play, walk};
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use elnath::{Direction, Relation, System};
use futures_core::Stream;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// What comes in is small.
const LARGEST_REQUEST: usize = 1 << 20;
/// So many games are remembered.
const GAMES: usize = 16;
/// A sign of life on a connection on which nothing is said.
const SILENCE: Duration = Duration::from_secs(15);

/// A model with what can be done with it.
pub(crate) struct Hosted {
    pub(crate) way: Way,
    pub(crate) checkable: Checkable,
    pub(crate) system: Arc<dyn System>,
}

/// Two models that are compared.
pub(crate) struct Pairing {
    pub(crate) names: [String; 2],
    pub(crate) relation: Relation,
    pub(crate) direction: Direction,
    pub(crate) internal: Arc<dyn Fn(&str) -> bool + Send + Sync>,
}

/// Everything that is served.
pub(crate) struct Served {
    pub(crate) guard: Guard,
    pub(crate) models: Vec<Hosted>,
    pub(crate) pairing: Option<Pairing>,
    pub(crate) memory: usize,
    pub(crate) jobs: Jobs,
    pub(crate) games: Mutex<(u64, BTreeMap<u64, Handle>)>,
}

type Answer<T> = Result<Json<T>, Refusal>;
type Shared = State<Arc<Served>>;

/// The parts of the page, which the program carries along: it reads no file to serve them.
const PAGE: &[(&str, &str, &[u8])] = &[
    ("/", "text/html; charset=utf-8", include_bytes!("../built/index.html")),
    ("/app.js", "text/javascript; charset=utf-8", include_bytes!("../built/app.js")),
    ("/layout.js", "text/javascript; charset=utf-8", include_bytes!("../built/layout.js")),
    ("/app.css", "text/css; charset=utf-8", include_bytes!("../built/app.css")),
];

/// Who answers what.
pub(crate) fn router(served: &Arc<Served>) -> Router {
    let mut router = Router::new()
        .route("/api/info", get(info))
        .route("/api/view", post(view))
        .route("/api/step", post(step))
        .route("/api/follow", post(follow))
        .route("/api/random", post(random))
        .route("/api/other", post(other))
        .route("/api/until", post(until))
        .route("/api/line", get(line))
        .route("/api/tree", get(tree))
        .route("/api/graph", get(graph))
        .route("/api/check", post(start_check))
        .route("/api/walk", post(start_walk))
        .route("/api/stop", post(stop))
        .route("/api/events", get(events))
        .route("/api/game", post(start_game))
        .route("/api/play", post(go_on));
    for &(path, kind, bytes) in PAGE {
        let serve = move || async move { ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], bytes) };
        router = router.route(path, get(serve));
    }
    router
        .fallback(|| async { Refusal::unknown("there is nothing here") })
        .layer(DefaultBodyLimit::max(LARGEST_REQUEST))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(served), guard))
        .with_state(Arc::clone(served))
}

impl Served {
    fn model(&self, number: usize) -> Result<&Hosted, Refusal> {
        self.models.get(number).ok_or_else(|| Refusal::unknown(format!("there is no model {number}")))
    }
}

/// A position, as all requests name it.
#[derive(Deserialize)]
struct At {
    #[serde(default)]
    model: usize,
    #[serde(default)]
    node: u32,
    #[serde(default)]
    watches: Vec<String>,
}

async fn info(State(served): Shared) -> Answer<Value> {
    let mut models: Vec<Info> = Vec::new();
    for hosted in &served.models {
        models.push(hosted.way.ask(|walker| Ok(walker.info())).await?);
    }
    let compared = served.pairing.as_ref().map(|pairing| Compared {
        names: pairing.names.clone(),
        relation: pairing.relation.name(),
        direction: play::direction(pairing.direction),
        relations: Relation::NAMES.iter().map(|&(name, _)| name).collect(),
    });
    let elnath = env!("CARGO_PKG_VERSION");
    Ok(Json(json!({ "schema": wire::SCHEMA, "elnath": elnath, "models": models, "compared": compared })))
}

async fn view(State(served): Shared, Json(at): Json<At>) -> Answer<View> {
    let model = served.model(at.model)?;
    model.way.ask(move |walker| walker.view(at.node, &at.watches)).await.map(Json)
}

#[derive(Deserialize)]
struct StepOf {
    #[serde(flatten)]
    at: At,
    #[serde(rename = "move")]
    choice: u32,
}

async fn step(State(served): Shared, Json(StepOf { at, choice }): Json<StepOf>) -> Answer<View> {
    let model = served.model(at.model)?;
    let walked = model.way.ask(move |walker| {
        let node = walker.step(at.node, choice)?;
        walker.view(node, &at.watches)
    });
    walked.await.map(Json)
}

#[derive(Deserialize)]
struct FollowOf {
    #[serde(flatten)]
    at: At,
    path: String,
}

async fn follow(State(served): Shared, Json(FollowOf { at, path }): Json<FollowOf>) -> Answer<View> {
    let model = served.model(at.model)?;
    let choices = wire::choices(&path)?;
    let walked = model.way.ask(move |walker| {
        let node = walker.follow(at.node, &choices)?;
        walker.view(node, &at.watches)
    });
    walked.await.map(Json)
}

#[derive(Deserialize)]
struct RandomOf {
    #[serde(flatten)]
    at: At,
    steps: u64,
    seed: u64,
}

async fn random(State(served): Shared, Json(asked): Json<RandomOf>) -> Answer<View> {
    let RandomOf { at, steps, seed } = asked;
    let model = served.model(at.model)?;
    let walked = model.way.ask(move |walker| {
        let node = walker.random(at.node, steps, seed)?;
        walker.view(node, &at.watches)
    });
    walked.await.map(Json)
}

async fn other(State(served): Shared, Json(at): Json<At>) -> Answer<View> {
    let model = served.model(at.model)?;
    let walked = model.way.ask(move |walker| {
        let node = walker.other(at.node)?;
        walker.view(node, &at.watches)
    });
    walked.await.map(Json)
}

#[derive(Deserialize)]
struct UntilOf {
    #[serde(flatten)]
    at: At,
    expression: String,
}

async fn until(State(served): Shared, Json(UntilOf { at, expression }): Json<UntilOf>) -> Answer<View> {
    let model = served.model(at.model)?;
    let walked = model.way.ask(move |walker| {
        let (node, note) = walker.until(at.node, &expression)?;
        let mut view = walker.view(node, &at.watches)?;
        view.note = Some(note);
        Ok(view)
    });
    walked.await.map(Json)
}

async fn line(State(served): Shared, Query(at): Query<Named>) -> Answer<Line> {
    served.model(at.model)?.way.ask(move |walker| walker.line(at.node)).await.map(Json)
}

/// A position, as addresses name it.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    model: usize,
    #[serde(default)]
    node: u32,
    #[serde(default = "usual")]
    most: usize,
}

fn usual() -> usize {
    around::MOST
}

async fn tree(State(served): Shared, Query(at): Query<Named>) -> Answer<Tree> {
    served.model(at.model)?.way.ask(|walker| walker.tree()).await.map(Json)
}

async fn graph(State(served): Shared, Query(at): Query<Named>) -> Answer<Graph> {
    served.model(at.model)?.way.ask(move |walker| walker.graph(at.node, at.most)).await.map(Json)
}

#[derive(Deserialize)]
struct CheckOf {
    #[serde(default)]
    model: usize,
    #[serde(default)]
    properties: Vec<String>,
    ltl: Option<String>,
    seconds: f64,
}

async fn start_check(State(served): Shared, Json(asked): Json<CheckOf>) -> Answer<Value> {
    let hosted = served.model(asked.model)?;
    let (what, way) = (hosted.checkable.clone(), hosted.way.clone());
    let time = Duration::try_from_secs_f64(asked.seconds).map_err(|_| Refusal::wrong("this is no time"))?;
    let (properties, formula, memory) = (asked.properties, asked.ltl, served.memory);
    let wanted = check::Wanted { properties, formula, time, memory };
    let job = served.jobs.start(move |job| check::check(&what, &wanted, &way, job))?;
    Ok(Json(json!({ "job": job })))
}

#[derive(Deserialize)]
struct WalkOf {
    #[serde(default)]
    model: usize,
    states: usize,
}

async fn start_walk(State(served): Shared, Json(asked): Json<WalkOf>) -> Answer<Value> {
    let system = Arc::clone(&served.model(asked.model)?.system);
    let job = served.jobs.start(move |job| walk::walk(&*system, asked.states, job))?;
    Ok(Json(json!({ "job": job })))
}

#[derive(Deserialize)]
struct JobOf {
    job: u64,
}

async fn stop(State(served): Shared, Json(JobOf { job }): Json<JobOf>) -> Answer<Value> {
    served.jobs.stop(job)?;
    Ok(Json(json!({})))
}

/// What a job says, as server-sent events, until it is over.
async fn events(State(served): Shared, Query(JobOf { job }): Query<JobOf>) -> Result<Response, Refusal> {
    let said = served.jobs.listen(job)?;
    let (lines, received) = mpsc::channel(8);
    tokio::spawn(tell(said, lines));
    let mut response = Body::from_stream(Lines(received)).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

/// Passes on what a job says, as long as somebody listens.
async fn tell(mut said: watch::Receiver<Said>, lines: mpsc::Sender<Bytes>) {
    let mut told: Vec<(&'static str, Value)> = Vec::new();
    loop {
        let news = tokio::time::timeout(SILENCE, said.changed()).await;
        let now = match news {
            Ok(Ok(())) => said.borrow_and_update().clone(),
            Ok(Err(_)) => return,
            Err(_) => {
                if lines.send(Bytes::from_static(b": still there\n\n")).await.is_err() {
                    return;
                }
                continue;
            }
        };
        for (kind, what) in &now.events {
            if told.iter().any(|(known, before)| known == kind && before == what) {
                continue;
            }
            told.retain(|(known, _)| known != kind);
            told.push((kind, what.clone()));
            if lines.send(Bytes::from(format!("event: {kind}\ndata: {what}\n\n"))).await.is_err() {
                return;
            }
        }
        if now.over {
            return;
        }
    }
}

/// A channel as a stream.
struct Lines(mpsc::Receiver<Bytes>);

impl Stream for Lines {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|line| line.map(Ok))
    }
}

#[derive(Deserialize)]
struct GameOf {
    relation: String,
    direction: String,
    attacker: String,
}

async fn start_game(State(served): Shared, Json(asked): Json<GameOf>) -> Answer<Shown> {
    let (Some(pairing), [left, right]) = (&served.pairing, served.models.as_slice()) else {
        return Err(Refusal::wrong("a game needs two models: elnath compare LEFT RIGHT --explore"));
    };
    let relation = Relation::NAMES.iter().find(|(name, _)| *name == asked.relation);
    let (_, relation) = relation.ok_or_else(|| Refusal::wrong("there is no such relation"))?;
    let setting = Setting {
        systems: [Arc::clone(&left.system), Arc::clone(&right.system)],
        names: pairing.names.clone(),
        internal: Arc::clone(&pairing.internal),
        relation: *relation,
        direction: if asked.direction == "preorder" { Direction::Preorder } else { Direction::Equivalence },
        attacker: if asked.attacker == "elnath" { Player::Elnath } else { Player::You },
    };
    let answered = {
        let mut games = served.games.lock().unwrap_or_else(PoisonError::into_inner);
        games.0 += 1;
        let id = games.0;
        let handle = Handle::new(id, setting);
        let answered = handle.give(Command::Look)?;
        games.1.insert(id, handle);
        while games.1.len() > GAMES {
            games.1.pop_first();
        }
        answered
    };
    answered.await.unwrap_or_else(|_| Err(Refusal::broken())).map(Json)
}

#[derive(Deserialize)]
struct PlayOf {
    game: u64,
    #[serde(rename = "move")]
    what: Value,
}

async fn go_on(State(served): Shared, Json(asked): Json<PlayOf>) -> Answer<Shown> {
    let command = match (&asked.what, asked.what.as_str()) {
        (Value::Number(number), _) => {
            let number = number.as_u64().and_then(|number| usize::try_from(number).ok());
            Command::Move(number.ok_or_else(|| Refusal::wrong("this is no move"))?)
        }
        (_, Some("undo")) => Command::Undo,
        (_, Some("hint")) => Command::Hint,
        (_, Some("strategy")) => Command::Strategy,
        _ => return Err(Refusal::wrong("this is no move")),
    };
    let answered = {
        let games = served.games.lock().unwrap_or_else(PoisonError::into_inner);
        let handle = games.1.get(&asked.game);
        handle.ok_or_else(|| Refusal::unknown("this game is over: begin another one"))?.give(command)?
    };
    answered.await.unwrap_or_else(|_| Err(Refusal::broken())).map(Json)
}
