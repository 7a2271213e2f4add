//! XML as a tree, for the two formats that are read here: nets (PNML) and formulas (the Model Checking Contest).
//!
//! The elements lie in one list, parents before their children, and refer to each other by number. So a formula of a hundred thousand
//! nested operators is neither read nor dropped by recursion, and whoever goes through the list backwards meets children before parents.
//! Each element knows its bytes in the text, so that what is wrong with it can be shown there.

use elnath_source::{Message, SourceText, codes};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::ops::Range;

/// A text in XML. Its root is element 0.
pub(crate) struct Document<'s> {
    pub(crate) source: &'s SourceText,
    pub(crate) elements: Vec<Element>,
}

/// An element.
#[derive(Default)]
pub(crate) struct Element {
    /// Without its prefix.
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// The text directly in it.
    pub(crate) text: String,
    pub(crate) children: Vec<usize>,
    /// The bytes of its opening tag.
    pub(crate) at: Range<usize>,
}

impl<'s> Document<'s> {
    /// Reads a text.
    ///
    /// # Errors
    /// The first place at which it is no XML.
    pub(crate) fn read(source: &'s SourceText) -> Result<Self, Vec<Message>> {
        let wrong = |text: String, at: Range<usize>| {
            vec![Message::error(text, source.place(at.start, at.end)).code(codes::SYNTAX)]
        };
        let mut reader = Reader::from_str(source.text());
        let mut elements: Vec<Element> = Vec::new();
        // The elements that are open.
        let mut open: Vec<usize> = Vec::new();
        loop {
            let start = reader.buffer_position() as usize;
            let event = reader.read_event().map_err(|error| {
                let at = reader.error_position() as usize;
                wrong(format!("this is no XML: {error}"), at..at + 1)
            })?;
            let end = reader.buffer_position() as usize;
            match event {
                Event::Start(ref tag) | Event::Empty(ref tag) => {
                    let number = elements.len();
                    match open.last() {
                        Some(&parent) => elements[parent].children.push(number),
                        None if number > 0 => {
                            return Err(wrong("there is a second root element".to_owned(), start..end));
                        }
                        None => {}
                    }
                    let element = element(tag, start..end).map_err(|text| wrong(text, start..end))?;
                    elements.push(element);
                    if matches!(event, Event::Start(_)) {
                        open.push(number);
                    }
                }
                // That it closes the element that is open, the reader has checked.
                Event::End(_) => {
                    open.pop();
                }
                Event::Text(text) => {
                    let text = text.decode().map_err(|error| wrong(error.to_string(), start..end))?;
                    match open.last() {
                        Some(&inside) => elements[inside].text.push_str(&text),
                        None if text
                            .trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
                            .is_empty() => {}
                        None => {
                            return Err(wrong(
                                "there is text outside the root element".to_owned(),
                                start..end,
                            ));
                        }
                    }
                }
                Event::GeneralRef(name) => {
                    let name = name.decode().map_err(|error| wrong(error.to_string(), start..end))?;
                    let text = format!("&{name};");
                    let text = quick_xml::escape::unescape(&text);
                    let text = text.map_err(|error| wrong(error.to_string(), start..end))?;
                    if let Some(&inside) = open.last() {
                        elements[inside].text.push_str(&text);
                    }
                }
                Event::CData(data) => {
                    let text = data.decode().map_err(|error| wrong(error.to_string(), start..end))?;
                    if let Some(&inside) = open.last() {
                        elements[inside].text.push_str(&text);
                    }
                }
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
        if let Some(&inside) = open.last() {
            let Element { name, at, .. } = &elements[inside];
            return Err(wrong(format!("<{name}> is not closed"), at.clone()));
        }
        if elements.is_empty() {
            return Err(wrong("the text has no element".to_owned(), 0..0));
        }
        Ok(Self { source, elements })
    }

    /// The children of an element with this name.
    pub(crate) fn named<'d>(&'d self, of: usize, name: &'d str) -> impl Iterator<Item = usize> + 'd {
        self.children(of).filter(move |&child| self.elements[child].name == name)
    }

    /// All children.
    pub(crate) fn children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        self.elements[of].children.iter().copied()
    }

    /// An attribute.
    pub(crate) fn attribute(&self, of: usize, name: &str) -> Option<&str> {
        let attributes = &self.elements[of].attributes;
        attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// What PNML has for a value: the text in the `text` of the child with this name; with the element that it is in.
    pub(crate) fn label(&self, of: usize, name: &str) -> Option<(&str, usize)> {
        let label = self.named(of, name).next()?;
        let text = self.named(label, "text").next()?;
        Some((self.elements[text].text.trim(), text))
    }

    /// An error about an element.
    pub(crate) fn error(&self, about: usize, text: impl Into<String>) -> Message {
        let at = &self.elements[about].at;
        Message::error(text, self.source.place(at.start, at.end))
    }

    /// The line of an element, from 1.
    pub(crate) fn line(&self, of: usize) -> u32 {
        self.source.line_of(self.elements[of].at.start) as u32
    }
}

fn element(tag: &BytesStart<'_>, at: Range<usize>) -> Result<Element, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let name = text(tag.local_name().as_ref());
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let value = attribute.unescape_value().map_err(|error| error.to_string())?;
        attributes.push((text(attribute.key.local_name().as_ref()), value.into_owned()));
    }
    Ok(Element { name, attributes, at, ..Element::default() })
}
