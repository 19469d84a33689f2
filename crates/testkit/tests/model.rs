//! The scripted model as a plain HTTP client sees it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use serde_json::{Value, json};
use testkit::answer::DEFAULT_TEXT;
use testkit::model::ScriptedModel;
use testkit::script::Script;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A response as it came over the connection.
struct Reply {
    status: u16,
    head: String,
    body: String,
    /// The body came to its own end; the connection was not closed in the middle of it.
    whole: bool,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn events(&self) -> Vec<Value> {
        self.body
            .split("\n\n")
            .filter(|event| !event.trim().is_empty())
            .map(|event| {
                let (name, data) = event.split_once("\ndata: ").unwrap();
                let data: Value = serde_json::from_str(data).unwrap();
                assert_eq!(name, format!("event: {}", data["type"].as_str().unwrap()));
                data
            })
            .collect()
    }

    fn text(&self) -> String {
        let events = self.events();
        events.iter().filter_map(|event| event["delta"]["text"].as_str()).collect()
    }
}

async fn open(model: &ScriptedModel, path: &str, body: &Value) -> TcpStream {
    let address = model.base_url().replace("http://", "");
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nx-test: yes\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

async fn finish(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // A connection that is reset has said what it had to say, too.
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8(bytes).unwrap();
    let (head, rest) = text.split_once("\r\n\r\n").unwrap();
    let head = head.to_ascii_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let (body, whole) = if head.contains("transfer-encoding: chunked") {
        dechunk(rest)
    } else {
        (rest.to_owned(), true)
    };
    Reply { status, head, body, whole }
}

fn dechunk(mut rest: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        body.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    (body, false)
}

fn asking(prompt: &str) -> Value {
    json!({
        "model": "claude-x",
        "stream": true,
        "max_tokens": 10,
        "messages": [{"role": "user", "content": prompt}],
    })
}

async fn ask(model: &ScriptedModel, prompt: &str) -> Reply {
    finish(open(model, "/v1/messages", &asking(prompt)).await).await
}

#[tokio::test]
async fn a_stream_and_a_whole_message_say_the_same() {
    let model = ScriptedModel::start().await.unwrap();
    let prompt = "#script\nusage 7 8 9 10\nsay A somewhat longer sentence.\n#end";
    let streamed = ask(&model, prompt).await;
    assert_eq!(streamed.status, 200);
    assert!(streamed.head.contains("content-type: text/event-stream"));
    assert!(streamed.whole);
    assert_eq!(streamed.text(), "A somewhat longer sentence.");
    let events = streamed.events();
    assert_eq!(events[0]["message"]["model"], "claude-x");
    let end = &events[events.len() - 2];
    assert_eq!(end["delta"]["stop_reason"], "end_turn");

    let mut plain = asking(prompt);
    plain["stream"] = json!(false);
    let whole = finish(open(&model, "/v1/messages", &plain).await).await.json();
    assert_eq!(whole["content"][0]["text"], "A somewhat longer sentence.");
    assert_eq!(whole["usage"], end["usage"]);
    assert_eq!(whole["usage"]["cache_read_input_tokens"], 10);
}

#[tokio::test]
async fn each_error_has_its_body_and_comes_as_often_as_told() {
    let model = ScriptedModel::start().await.unwrap();
    for (status, kind) in [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (529, "overloaded_error"),
    ] {
        let prompt = format!("#script\nerror {status} x2 retry-after=3\n---\nsay fine\n#end");
        for _ in 0..2 {
            let reply = ask(&model, &prompt).await;
            assert_eq!(reply.status, status);
            assert!(reply.head.contains("retry-after: 3"), "{}", reply.head);
            assert!(reply.head.contains("request-id: req_"), "{}", reply.head);
            let body = reply.json();
            assert_eq!(body["type"], "error");
            assert_eq!(body["error"]["type"], kind);
        }
        assert_eq!(ask(&model, &prompt).await.text(), "fine");
    }
}

#[tokio::test]
async fn an_error_in_mid_stream_is_an_event() {
    let model = ScriptedModel::start().await.unwrap();
    let prompt = "#script\nsay half\nerror 529\nmore whole\n#end";
    let events = ask(&model, prompt).await.events();
    let last = events.last().unwrap();
    assert_eq!(last["error"]["type"], "overloaded_error");
    assert!(events.iter().any(|event| event["delta"]["text"] == "half"));
    assert_eq!(ask(&model, prompt).await.text(), "halfwhole");
}

#[tokio::test]
async fn a_cut_closes_the_connection_after_what_came_before_it() {
    let model = ScriptedModel::start().await.unwrap();
    let prompt = "#script\nsay half\ncut\nmore whole\n#end";
    let torn = ask(&model, prompt).await;
    assert!(!torn.whole);
    assert_eq!(torn.text(), "half");
    let mended = ask(&model, prompt).await;
    assert!(mended.whole);
    assert_eq!(mended.text(), "halfwhole");
}

#[tokio::test]
async fn a_hold_holds_until_released() {
    let model = ScriptedModel::start().await.unwrap();
    let mut stream =
        open(&model, "/v1/messages", &asking("#script\nsay one\nhold h\nsay two\n#end")).await;
    model.wait_held("h").await.unwrap();
    let mut early = String::new();
    let mut buffer = [0; 1024];
    while !early.contains("content_block_stop") {
        let length = stream.read(&mut buffer).await.unwrap();
        assert_ne!(length, 0, "{early}");
        early.push_str(std::str::from_utf8(&buffer[..length]).unwrap());
    }
    assert!(early.contains("one") && !early.contains("two"), "{early}");
    model.release("h");
    let mut late = String::new();
    stream.read_to_string(&mut late).await.unwrap();
    assert!(late.contains("two") && late.contains("message_stop"), "{late}");
}

#[tokio::test]
async fn it_is_noticed_when_the_client_leaves_at_a_hold() {
    let model = ScriptedModel::start().await.unwrap();
    for prompt in ["#script\nhold first\nsay x", "#script\nsay x\nhold second"] {
        let stream = open(&model, "/v1/messages", &asking(prompt)).await;
        let name =
            prompt.split_whitespace().find(|word| matches!(*word, "first" | "second")).unwrap();
        model.wait_held(name).await.unwrap();
        drop(stream);
        model.wait_abandoned(name).await.unwrap();
    }
}

#[tokio::test]
async fn requests_are_kept_and_can_be_waited_for() {
    let model = ScriptedModel::start().await.unwrap();
    let big = "x".repeat(3 << 20);
    let mut body = asking("look");
    body["messages"] = json!([{"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [
            {"type": "text", "text": "sorry"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": big}},
        ]},
        {"type": "text", "text": "look"},
    ]}]);
    let (reply, seen) = tokio::join!(
        async { finish(open(&model, "/v1/messages", &body).await).await },
        model.wait_for_request(|request| request.last_user_text() == "look"),
    );
    assert_eq!(reply.text(), DEFAULT_TEXT);
    let seen = seen.unwrap();
    assert_eq!(seen.header("x-test"), Some("yes"));
    assert_eq!(seen.user_blocks("image").len(), 1);
    let results = seen.tool_results();
    assert_eq!((results[0].text.as_str(), results[0].is_error), ("sorry", true));
    assert_eq!(model.requests(), [seen]);
}

#[tokio::test]
async fn other_paths() {
    let model = ScriptedModel::start().await.unwrap();
    let counted = finish(open(&model, "/v1/messages/count_tokens", &asking("hi")).await).await;
    assert!(counted.json()["input_tokens"].as_u64().unwrap() > 0);
    let missing = finish(open(&model, "/v1/elsewhere", &json!({})).await).await;
    assert_eq!(
        (missing.status, missing.json()["error"]["type"].as_str()),
        (404, Some("not_found_error"))
    );
    let faulty = finish(open(&model, "/v1/messages", &json!({})).await).await;
    assert_eq!(faulty.status, 400);
    let paths: Vec<_> = model.other_requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/v1/messages/count_tokens", "/v1/elsewhere"]);
}

#[tokio::test]
async fn a_script_from_elsewhere_serves_conversations_but_not_side_calls() {
    let script = Script::parse("say first\n---\nsay second").unwrap();
    let model = ScriptedModel::start_with(script).await.unwrap();
    assert_eq!(ask(&model, "a title please").await.text(), DEFAULT_TEXT);
    let mut body = asking("hello");
    body["tools"] = json!([{"name": "Bash"}]);
    let reply = finish(open(&model, "/v1/messages", &body).await).await;
    assert_eq!(reply.text(), "first");
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": "first"}));
    messages.push(json!({"role": "user", "content": "and?"}));
    let reply = finish(open(&model, "/v1/messages", &body).await).await;
    assert_eq!(reply.text(), "second");
}

#[tokio::test]
async fn the_subagent_tool_is_called_by_the_name_that_is_offered() {
    let model = ScriptedModel::start().await.unwrap();
    for (scripted, offered) in [("Agent", "Task"), ("Task", "Agent"), ("Agent", "Agent")] {
        let mut body = asking(&format!("#script\ntool {scripted} {{}}\n#end"));
        body["tools"] = json!([{"name": offered}]);
        let reply = finish(open(&model, "/v1/messages", &body).await).await;
        let events = reply.events();
        let start = events.iter().find(|event| event["type"] == "content_block_start").unwrap();
        assert_eq!(start["content_block"]["name"], offered);
    }
}

#[tokio::test]
async fn dropping_it_closes_what_is_open() {
    let model = ScriptedModel::start().await.unwrap();
    let address = model.base_url().replace("http://", "");
    let stream = open(&model, "/v1/messages", &asking("#script\nsay x\nhold for_ever")).await;
    model.wait_held("for_ever").await.unwrap();
    drop(model);
    assert!(!finish(stream).await.whole);
    assert!(TcpStream::connect(&address).await.is_err());
}
