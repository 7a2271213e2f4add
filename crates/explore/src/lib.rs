//! The explorer: a page, served from the program itself, in which one walks through a model, sees counterexamples, and plays the game of a
//! relation.
//!
//! A model is a [session](elnath::session) here: positions with their history, of which nothing is generated beyond what is shown. The page is
//! stateless for the server: each request names its position, a node of the tree of history, so that several tabs share one history and
//! a browser that dies loses nothing. What takes long (checks, walks) runs in threads and reports as server-sent events.
//!
//! | module | what |
//! |---|---|
//! | [`guard`] | who may ask: loopback, a token, `Host` and `Origin`, a strict policy |
//! | [`http`] | addresses, and the page that is served (`page/`, built into `built/`) |
//! | [`walker`] | a session in a thread |
//! | [`wire`] | what is sent (docs/explorer.md) |
//! | [`around`] | the graph around a position |
//! | [`check`], [`walk`], [`jobs`] | checks and walks while one looks |
//! | [`play`] | games against elnath |
//! | [`picture`] | pictures of the state |
//!
//! Not done: a server for several users (the token is for one), WebSockets (nothing is sent but answers and progress), and files that the page could name:
//! it shows what it was started with, and writes nothing.
//!
//! ```no_run
//! # use elnath::{Model, Property};
//! # struct Counter;
//! # impl Model for Counter {
//! #     type State = u8;
//! #     type Action = &'static str;
//! #     fn initial(&self) -> u8 { 0 }
//! #     fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) { actions.push("count") }
//! #     fn next(&self, state: &u8, _: &&'static str) -> Option<u8> { Some(state.wrapping_add(1)) }
//! # }
//! let server = elnath_explore::Explorer::of_model("counter", Counter).bind(0).unwrap();
//! println!("{}", server.url());
//! server.serve(&|| false).unwrap();
//! ```

mod around;
mod check;
mod guard;
mod http;
mod jobs;
mod picture;
mod play;
mod walk;
mod walker;
mod wire;

use check::Checkable;
use elnath::compare::internal_labels;
use elnath::session::Session;
use elnath::source::Message;
use elnath::{
    Direction, LoadError, LoadOptions, Loaded, Model, ModelSystem, Relation, System, Transition, ViolatingRun,
};
use guard::Guard;
use http::{Hosted, Pairing, Served};
use jobs::Jobs;
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use walker::{Walker, Way};
use wire::Info;

/// How often it is asked whether the server is to end.
const TICK: Duration = Duration::from_millis(50);
/// The memory that a check may take, unless something else is granted.
const MEMORY: usize = 2 << 30;

/// What is to be explored.
pub struct Explorer {
    models: Vec<Opened>,
    pairing: Option<Pairing>,
    memory: usize,
}

struct Opened {
    session: Session<'static>,
    info: Info,
    checkable: Checkable,
    system: Arc<dyn System>,
}

/// Two models, how they are read and what they are called.
pub struct Sides<'p> {
    /// The files.
    pub files: [&'p Path; 2],
    /// How they are read.
    pub options: [LoadOptions; 2],
    /// What they are called.
    pub names: [String; 2],
    /// What was read.
    pub loaded: [Loaded; 2],
}

impl Explorer {
    /// A model in a file, and what is doubtful about it.
    ///
    /// # Errors
    /// All that is wrong with the file, or that it is too large.
    pub fn of_file(path: &Path, options: &LoadOptions) -> Result<(Self, Vec<Message>), LoadError> {
        let info = named(path);
        let looked_at = info.picture.as_ref().map_or_else(Vec::new, |picture| picture.expressions.clone());
        // What a picture looks at has to be part of the states. If one of its expressions is wrong, the picture says so, and the model is shown.
        let seeing =
            LoadOptions { looks_at: [&options.looks_at[..], &looked_at].concat(), ..options.clone() };
        let (session, warnings) = match Session::open(path, &seeing) {
            Err(_) if !looked_at.is_empty() => Session::open(path, options)?,
            opened => opened?,
        };
        let checked = LoadOptions { engine: elnath::Engine::Auto, property: None, ..options.clone() };
        let checkable = Checkable::File(path.to_owned(), Arc::new(checked));
        let explorer = Self::of(vec![Opened { info, system: session.shared(), session, checkable }]);
        Ok((explorer, warnings))
    }

    /// A model in Rust. It lives until the program ends.
    pub fn of_model<M: Model + 'static>(name: &str, model: M) -> Self {
        let model: &'static M = Box::leak(Box::new(model));
        Self::of_system(name, Arc::new(ModelSystem::new(model)))
    }

    /// Any system.
    pub fn of_system(name: &str, system: Arc<dyn System>) -> Self {
        let session = Session::of_system(Arc::clone(&system));
        let info = Info { name: name.to_owned(), ..Info::default() };
        let checkable = Checkable::System(Arc::clone(&system));
        Self::of(vec![Opened { session, info, checkable, system }])
    }

    /// A program that was made of a model in a file: that which `bounded` walks, for example.
    pub fn of_program(path: &Path, program: &Arc<elnath::program::Interpreter>) -> Self {
        let session = Session::of_program(&path.display().to_string(), program);
        let system = session.shared();
        let checkable = Checkable::System(Arc::clone(&system));
        Self::of(vec![Opened { session, info: named(path), checkable, system }])
    }

    /// Two models that are compared.
    pub fn comparing(
        sides: Sides<'_>,
        relation: Relation,
        direction: Direction,
        taus: Option<Vec<String>>,
    ) -> Self {
        let Sides { files, options, names, loaded } = sides;
        let mut models = Vec::new();
        for ((path, options), loaded) in files.into_iter().zip(options).zip(loaded) {
            let session = Session::of_loaded(path, &options, &loaded);
            let checkable = Checkable::File(path.to_owned(), Arc::new(options));
            let info = Info { formulas: false, ..named(path) };
            models.push(Opened { session, info, checkable, system: Arc::clone(&loaded.system) });
        }
        let internal = internal_labels(taus);
        let pairing = Pairing { names, relation, direction, internal: Arc::from(internal) };
        Self { pairing: Some(pairing), ..Self::of(models) }
    }

    fn of(models: Vec<Opened>) -> Self {
        Self { models, pairing: None, memory: MEMORY }
    }

    /// The memory that a check may take.
    #[must_use]
    pub fn memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// Shows a run that violates something; `checked` is the model that was checked, if that was another reading of the same file.
    ///
    /// # Errors
    /// That the model cannot do it.
    pub fn show_violation(
        &mut self,
        names: (&str, &str),
        run: &ViolatingRun,
        checked: Option<&Loaded>,
    ) -> Result<(), elnath::session::Trouble> {
        self.models[0].session.load_violation(names, run, checked).map(|_| ())
    }

    /// Shows the run that a trail describes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn show_trail(&mut self, name: &str, text: &str) -> Result<(), Vec<Message>> {
        self.models[0].session.load_trail(name, text).map(|_| ())
    }

    /// Shows a run by its transitions, and the step from which on it can be repeated.
    ///
    /// # Errors
    /// That the model cannot do it.
    pub fn show_steps(
        &mut self,
        names: (&str, &str),
        steps: &[Transition],
        loop_start: Option<usize>,
    ) -> Result<(), elnath::session::Trouble> {
        self.models[0].session.load_steps(names, steps, loop_start).map(|_| ())
    }

    /// Opens a port of the loopback interface; 0 is any that is free.
    ///
    /// # Errors
    /// That the port is taken, for example.
    pub fn bind(self, port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let guard = Guard::new(listener.local_addr()?)?;
        let host = |opened: Opened| {
            let Opened { session, info, checkable, system } = opened;
            Hosted { way: Way::to(Walker::new(session, info)), checkable, system }
        };
        let served = Served {
            guard,
            models: self.models.into_iter().map(host).collect(),
            pairing: self.pairing,
            memory: self.memory,
            jobs: Jobs::default(),
            games: Mutex::new((0, BTreeMap::new())),
        };
        Ok(Server { listener, served: Arc::new(served) })
    }
}

/// What is known of a file before it is read.
fn named(path: &Path) -> Info {
    let name =
        path.file_name().map_or_else(|| path.display().to_string(), |it| it.to_string_lossy().into_owned());
    let picture = picture::beside(path);
    Info { name, file: path.display().to_string(), formulas: true, picture, ..Info::default() }
}

/// A port at which the page is served.
pub struct Server {
    listener: TcpListener,
    served: Arc<Served>,
}

impl Server {
    /// Where the page is. The token is in the fragment, which browsers send to nobody.
    pub fn url(&self) -> String {
        let address =
            self.listener.local_addr().map_or_else(|_| String::new(), |address| address.to_string());
        format!("http://{address}/#token={}", self.served.guard.token())
    }

    /// Serves the page until `stop` says so. What is still running is ended then, and nothing is left.
    ///
    /// # Errors
    /// If the operating system cannot wait for connections.
    pub fn serve(self, stop: &dyn Fn() -> bool) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let Self { listener, served } = self;
        let router = http::router(&served);
        let result = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let serving = tokio::spawn(async move { axum::serve(listener, router).await });
            // Connections that are kept open would keep a graceful end waiting: they are cut.
            while !stop() && !serving.is_finished() {
                tokio::time::sleep(TICK).await;
            }
            if serving.is_finished() {
                return serving.await.map_err(io::Error::other)?;
            }
            serving.abort();
            Ok(())
        });
        served.jobs.stop_all();
        runtime.shutdown_background();
        result
    }
}
