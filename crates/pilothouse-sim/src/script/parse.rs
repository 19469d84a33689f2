//! Reads the lines of a script. Every mistake is reported with its line.

use std::time::Duration;

use serde_json::Value;

use super::{ApiError, Reply, Step, Usage};

/// A script that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault} in `{text}`")]
pub struct ScriptError {
    /// Counted from 1, from the line after `#script`.
    pub line: usize,
    /// The line itself.
    pub text: String,
    /// What is wrong with it.
    pub fault: String,
}

/// The replies, and the one for when a call was refused.
pub(super) fn replies(source: &str) -> Result<(Vec<Reply>, Option<Reply>), ScriptError> {
    let mut replies = Vec::new();
    let mut reply = Reply::default();
    let mut is_last = false;
    for (index, line) in source.lines().enumerate() {
        let line = line.trim();
        match line {
            "" | "#script" => {}
            "#end" => break,
            // What failed is asked again, so failures alone do not use a reply up.
            "---" if only_failures(&reply) => {}
            "---" => replies.push(std::mem::take(&mut reply)),
            "--- refused" => {
                replies.push(std::mem::take(&mut reply));
                is_last = true;
            }
            comment if comment.starts_with("//") => {}
            directive => read(directive, &mut reply).map_err(|fault| ScriptError {
                line: index + 1,
                text: line.to_owned(),
                fault,
            })?,
        }
    }
    if is_last {
        return Ok((replies, Some(reply)));
    }
    replies.push(reply);
    Ok((replies, None))
}

fn only_failures(reply: &Reply) -> bool {
    let mut steps = reply.steps.iter().peekable();
    steps.peek().is_some()
        && steps.all(|step| matches!(step, Step::Error(_) | Step::Cut { .. }))
        && reply.stop.is_none()
}

fn read(line: &str, reply: &mut Reply) -> Result<(), String> {
    let (directive, rest) = split_word(line);
    match directive {
        "say" => reply.steps.push(Step::Say(text(rest)?)),
        "think" => reply.steps.push(Step::Think(text(rest)?)),
        "more" => match reply.steps.iter().rev().find(|step| step.is_content()) {
            Some(Step::Say(_) | Step::Think(_) | Step::More(_)) => {
                reply.steps.push(Step::More(text(rest)?));
            }
            _ => return Err("`more` needs a `say` or `think` before it".to_owned()),
        },
        "redacted" => reply.steps.push(bare(rest, Step::Redacted)?),
        "cut" => reply.steps.push(Step::Cut {
            times: if rest.is_empty() { 1 } else { times(rest).ok_or("expected xN")? },
        }),
        "tool" => {
            let (name, json) = split_word(rest);
            let [input] = values(json)?;
            reply.steps.push(Step::Tool { name: word(name)?, input });
        }
        "server_tool" => {
            let (name, json) = split_word(rest);
            let [input, result] = values(json)?;
            reply.steps.push(Step::ServerTool { name: word(name)?, input, result });
        }
        "stop" => reply.stop = Some(word(rest)?),
        "model" => reply.model = Some(word(rest)?),
        "usage" => reply.usage = Some(usage(rest)?),
        "chunk" => match number(rest)? {
            0 => return Err("a chunk has at least one character".to_owned()),
            size => reply.steps.push(Step::Chunk(usize::try_from(size).unwrap_or(usize::MAX))),
        },
        "pace" => reply.steps.push(Step::Pace(Duration::from_millis(number(rest)?))),
        "hold" => reply.steps.push(Step::Hold(word(rest)?)),
        "error" => reply.steps.push(Step::Error(error(rest)?)),
        _ => return Err(format!("unknown directive `{directive}`")),
    }
    Ok(())
}

fn split_word(line: &str) -> (&str, &str) {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word, rest.trim())
}

fn bare(rest: &str, step: Step) -> Result<Step, String> {
    if rest.is_empty() { Ok(step) } else { Err(format!("nothing may follow here, found `{rest}`")) }
}

/// `x3`: three times.
fn times(word: &str) -> Option<u32> {
    word.strip_prefix('x')?.parse().ok()
}

fn word(rest: &str) -> Result<String, String> {
    if rest.is_empty() || rest.contains(char::is_whitespace) {
        Err("expected one word".to_owned())
    } else {
        Ok(rest.to_owned())
    }
}

fn number(rest: &str) -> Result<u64, String> {
    rest.parse().map_err(|_| format!("expected a whole number, found `{rest}`"))
}

fn text(rest: &str) -> Result<String, String> {
    if rest.starts_with('"') {
        serde_json::from_str(rest).map_err(|fault| format!("not a JSON string ({fault})"))
    } else {
        Ok(rest.to_owned())
    }
}

fn values<const N: usize>(json: &str) -> Result<[Value; N], String> {
    let values = serde_json::Deserializer::from_str(json)
        .into_iter::<Value>()
        .collect::<Result<Vec<_>, _>>()
        .map_err(|fault| format!("not JSON ({fault})"))?;
    let found = values.len();
    values.try_into().map_err(|_| format!("expected {N} JSON value(s), found {found}"))
}

fn usage(rest: &str) -> Result<Usage, String> {
    let counts = rest.split_whitespace().map(number).collect::<Result<Vec<_>, _>>()?;
    match *counts.as_slice() {
        [input, output] => Ok(Usage { input, output, cache_creation: 0, cache_read: 0 }),
        [input, output, cache_creation, cache_read] => {
            Ok(Usage { input, output, cache_creation, cache_read })
        }
        _ => Err("expected two or four counts".to_owned()),
    }
}

fn error(rest: &str) -> Result<ApiError, String> {
    let (words, message) = match rest.split_once("message=") {
        Some((words, message)) => (words, Some(text(message.trim())?)),
        None => (rest, None),
    };
    let mut words = words.split_whitespace();
    let status = words
        .next()
        .and_then(|word| word.parse::<u16>().ok())
        .filter(|status| (400..600).contains(status))
        .ok_or("expected a status from 400 to 599")?;
    let mut error = ApiError {
        times: 1,
        ..ApiError::always(status, message.unwrap_or_else(|| format!("scripted {status}")))
    };
    for word in words {
        if let Some(times) = times(word) {
            error.times = times;
        } else if let Some(seconds) = word.strip_prefix("retry-after=") {
            error.retry_after = match seconds.parse::<f64>() {
                Ok(seconds_number) if seconds_number >= 0.0 => Some(seconds.to_owned()),
                _ => return Err(format!("retry-after takes seconds, found `{seconds}`")),
            };
        } else {
            error.kind = word.to_owned();
        }
    }
    Ok(error)
}

/// `error.type` that the API uses with a status.
pub(super) fn error_type(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        402..500 => "invalid_request_error",
        _ => "api_error",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Script;
    use super::*;

    fn steps(source: &str) -> Vec<Step> {
        let script = Script::parse(source).unwrap();
        assert_eq!(script.replies.len(), 1, "{source}");
        script.replies.into_iter().next().unwrap().steps
    }

    fn fault(source: &str) -> String {
        Script::parse(source).unwrap_err().to_string()
    }

    #[test]
    fn a_text_without_script_has_none() {
        assert_eq!(Script::find("hello\n #script is not alone here\n"), None);
        assert_eq!(Script::find(""), None);
    }

    #[test]
    fn a_script_stands_between_its_marks() {
        let script = Script::find("please\n#script\nsay a\n---\nsay b\n#end\nsay no\n").unwrap();
        let said: Vec<_> = script.replies.iter().map(|r| r.steps.clone()).collect();
        assert_eq!(said, [vec![Step::Say("a".to_owned())], vec![Step::Say("b".to_owned())]]);
        assert_eq!(script.source, "say a\n---\nsay b");
    }

    #[test]
    fn the_last_script_of_a_text_counts() {
        let script = Script::find("#script\nsay a\n#end\nand\n#script\r\nsay b\r\n").unwrap();
        assert_eq!(script.replies[0].steps, [Step::Say("b".to_owned())]);
    }

    #[test]
    fn every_directive_is_read() {
        let source = r#"
            // a comment
            think hm
            more  and more
            say "two\nlines"
            redacted
            tool Write {"file_path": "/a b", "content": "x"}
            server_tool web_search {"query": "q"} [{"title": "t"}]
            chunk 3
            pace 20
            hold here
            cut x2
        "#;
        assert_eq!(
            steps(source),
            [
                Step::Think("hm".to_owned()),
                Step::More("and more".to_owned()),
                Step::Say("two\nlines".to_owned()),
                Step::Redacted,
                Step::Tool {
                    name: "Write".to_owned(),
                    input: json!({"file_path": "/a b", "content": "x"}),
                },
                Step::ServerTool {
                    name: "web_search".to_owned(),
                    input: json!({"query": "q"}),
                    result: json!([{"title": "t"}]),
                },
                Step::Chunk(3),
                Step::Pace(Duration::from_millis(20)),
                Step::Hold("here".to_owned()),
                Step::Cut { times: 2 },
            ]
        );
    }

    #[test]
    fn settings_belong_to_the_reply() {
        let reply = Script::parse("stop max_tokens\nusage 1 2 3 4\nmodel m\nsay x")
            .unwrap()
            .replies
            .remove(0);
        assert_eq!(reply.stop.as_deref(), Some("max_tokens"));
        assert_eq!(reply.model.as_deref(), Some("m"));
        assert_eq!(
            reply.usage,
            Some(Usage { input: 1, output: 2, cache_creation: 3, cache_read: 4 })
        );
    }

    #[test]
    fn errors_take_their_type_from_the_status_unless_told() {
        assert_eq!(
            steps("error 529 x3 retry-after=0.5\nerror 400 odd_error message=prompt is too long"),
            [
                Step::Error(ApiError {
                    status: 529,
                    times: 3,
                    kind: "overloaded_error".to_owned(),
                    message: "scripted 529".to_owned(),
                    retry_after: Some("0.5".to_owned()),
                }),
                Step::Error(ApiError {
                    status: 400,
                    times: 1,
                    kind: "odd_error".to_owned(),
                    message: "prompt is too long".to_owned(),
                    retry_after: None,
                }),
            ]
        );
    }

    #[test]
    fn errors_alone_join_the_next_reply() {
        let script = Script::parse("error 529\n---\ncut\n---\nsay a\n---\nsay b").unwrap();
        assert_eq!(script.replies.len(), 2);
        assert_eq!(script.replies[0].steps.len(), 3);
    }

    #[test]
    fn mistakes_name_their_line() {
        assert_eq!(fault("say a\nsya b"), "line 2: unknown directive `sya` in `sya b`");
        assert!(fault("tool Bash {").contains("not JSON"));
        assert!(fault("tool Bash").contains("expected 1 JSON value(s), found 0"));
        assert!(fault("say \"open").contains("not a JSON string"));
        assert!(fault("redacted\nmore x").contains("needs a `say`"));
        assert!(fault("redacted x").contains("nothing may follow"));
        assert!(fault("error ok").contains("status"));
        assert!(fault("chunk 0").contains("at least one"));
        assert!(fault("cut here").contains("expected xN"));
    }

    #[test]
    fn a_script_with_a_mistake_fails_every_request() {
        let script = Script::find("#script\nsya b").unwrap();
        let [Step::Error(error)] = script.replies[0].steps.as_slice() else {
            panic!("{script:?}");
        };
        assert_eq!((error.status, error.times), (400, u32::MAX));
        assert!(error.message.contains("sya b"), "{}", error.message);
    }
}
