//! Promela, the language of SPIN.
#![allow(dead_code, missing_docs)]
pub mod ast;
mod lexer;
mod parser;
mod preprocess;
pub mod sources;
pub fn tmp(name: &str) -> Vec<elnath_source::Message> {
    let mut map = sources::SourceMap::default();
    let p = preprocess::preprocess(&mut sources::FileSystem, &mut map, name, &[]);
    let mut m = p.messages;
    m.extend(parser::parse(&mut map, p.tokens).1);
    m
}
