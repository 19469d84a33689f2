//! A collector on loopback: takes OTLP over HTTP as its specification says, and nothing of ours.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// One request, as it came.
#[derive(Debug)]
pub(crate) struct Post {
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: ExportTraceServiceRequest,
}

/// A collector.
pub(crate) struct Collector {
    pub(crate) base: String,
    posts: Receiver<Post>,
}

impl Collector {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (sender, posts) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let sender = sender.clone();
                std::thread::spawn(move || serve(stream, &sender));
            }
        });
        Self { base, posts }
    }

    /// Everything that has come by now.
    pub(crate) fn posts(&self) -> Vec<Post> {
        self.posts.try_iter().collect()
    }
}

/// Until the client closes the connection.
fn serve(stream: TcpStream, posts: &Sender<Post>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).ok()? == 0 {
            return None;
        }
        let path = first.split(' ').nth(1)?.to_owned();
        assert!(first.starts_with("POST "), "{first}");
        let mut headers = HashMap::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim().split_once(':') else { break };
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
        let length: usize = headers.get("content-length")?.parse().ok()?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let body = ExportTraceServiceRequest::decode(&*body).expect("a request of OTLP");
        posts.send(Post { path, headers, body }).ok()?;
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
        writer.write_all(answer.as_bytes()).ok()?;
    }
}

/// The spans of some posts.
pub(crate) fn spans(posts: &[Post]) -> Vec<Span> {
    let scopes = posts.iter().flat_map(|post| &post.body.resource_spans);
    scopes.flat_map(|scope| &scope.scope_spans).flat_map(|scope| scope.spans.clone()).collect()
}

/// Attributes as text.
pub(crate) fn attributes(attributes: &[KeyValue]) -> HashMap<String, String> {
    attributes.iter().map(|pair| (pair.key.clone(), text(pair.value.as_ref()))).collect()
}

fn text(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::DoubleValue(number)) => number.to_string(),
        Some(Value::BoolValue(answer)) => answer.to_string(),
        other => format!("{other:?}"),
    }
}

/// Spans as an indented tree, children in the order in which they began.
pub(crate) fn tree(spans: &[Span]) -> String {
    let known = |id: &[u8]| spans.iter().any(|span| span.span_id == id);
    let mut out = String::new();
    let mut roots: Vec<&Span> = spans.iter().filter(|span| !known(&span.parent_span_id)).collect();
    roots.sort_by_key(|span| span.start_time_unix_nano);
    for root in roots {
        branch(spans, root, 0, &mut out);
    }
    out
}

fn branch(spans: &[Span], span: &Span, depth: usize, out: &mut String) {
    let took = (span.end_time_unix_nano - span.start_time_unix_nano) / 1_000_000;
    let took = if took > 0 { format!(" {took} ms") } else { String::new() };
    out.push_str(&format!("{}{}{took}\n", "  ".repeat(depth), span.name));
    let mut below: Vec<&Span> =
        spans.iter().filter(|child| child.parent_span_id == span.span_id).collect();
    below.sort_by_key(|child| (child.start_time_unix_nano, child.name.clone()));
    for child in below {
        branch(spans, child, depth + 1, out);
    }
}
