//! What can be wrong from the start, each with an error that says what to do.

use pilothouse_client::wire::invocation::{Effort, McpServer, Rejection, SettingSource, Thinking};
use pilothouse_client::wire::permission::PermissionMode;
use pilothouse_client::{Cli, Client, StartError, TurnError};
use serde_json::json;

use crate::bed::Bed;

on_every_version!(
    wrong_path,
    not_a_program,
    no_such_directory,
    too_old,
    wrong_mode,
    wrong_mcp,
    not_logged_in,
    ends_at_once
);

async fn wrong_path(bed: &Bed) {
    let path = bed.harness.cwd().join("no-claude-here");
    let options = bed.options(bed.invocation()).cli(Cli::At(path.clone()));
    let error = bed.start_fails(options).await;
    assert!(
        matches!(&error, StartError::NoSuchProgram { path: wrong } if *wrong == path),
        "{error:?}"
    );
    let text = error.to_string();
    assert!(text.contains("no-claude-here") && text.contains("correct the path"), "{text}");
}

async fn not_a_program(bed: &Bed) {
    bed.write("claude", "not a program");
    let path = bed.harness.cwd().join("claude");
    let options = bed.options(bed.invocation()).cli(Cli::At(path.clone()));
    let error = bed.start_fails(options).await;
    assert!(
        matches!(&error, StartError::NotExecutable { path: wrong } if *wrong == path),
        "{error:?}"
    );
    assert!(error.to_string().contains("chmod +x"), "{error}");
}

async fn no_such_directory(bed: &Bed) {
    let cwd = bed.harness.cwd().join("gone");
    let error = bed.start_fails(bed.options(bed.invocation().cwd(cwd.clone()))).await;
    assert!(matches!(&error, StartError::NoSuchDirectory { path } if *path == cwd), "{error:?}");
    assert!(error.to_string().contains("create it or choose another"), "{error}");
}

async fn too_old(bed: &Bed) {
    let mut out = Vec::new();
    for invocation in [
        bed.invocation().effort(Effort::High),
        bed.invocation().hook_events(),
        bed.invocation().thinking(Thinking::Adaptive),
    ] {
        match Client::start(bed.options(invocation)).await {
            Ok((client, _)) => {
                client.stop().await;
                out.push("started".to_owned());
            }
            Err(e) => out.push(format!("{e:?} {e}")),
        }
    }
    panic!("{out:#?}");
}

async fn wrong_mode(bed: &Bed) {
    let error = bed
        .start_fails(
            bed.options(bed.invocation().permission_mode(PermissionMode::from("nonsense"))),
        )
        .await;
    panic!("{error:?} {error}");
}

async fn wrong_mcp(bed: &Bed) {
    let file = bed.path("mcp.json");
    bed.write("mcp.json", "{\"mcpServers\": {\"broken\": {\"command\": 7}}}");
    let mut out = Vec::new();
    match Client::start(bed.options(bed.invocation().mcp_config_files([file]))).await {
        Ok((client, _)) => {
            out.push(format!("started {:?}", client.mcp_status().await));
            client.stop().await;
        }
        Err(e) => out.push(format!("{e:?} {e}")),
    }
    bed.write("mcp2.json", "this is not JSON");
    match Client::start(bed.options(bed.invocation().mcp_config_files([bed.path("mcp2.json")])))
        .await
    {
        Ok((client, _)) => {
            out.push(format!("started {:?}", client.mcp_status().await));
            client.stop().await;
        }
        Err(e) => out.push(format!("{e:?} {e}")),
    }
    match Client::start(bed.options(bed.invocation().mcp_config_files([bed.path("none.json")])))
        .await
    {
        Ok((client, _)) => {
            out.push(format!("started {:?}", client.mcp_status().await));
            client.stop().await;
        }
        Err(e) => out.push(format!("{e:?} {e}")),
    }
    panic!("{out:#?}");
}

async fn not_logged_in(bed: &Bed) {
    let mut invocation = bed.invocation();
    invocation.extra_env =
        bed.harness.env().into_iter().filter(|(name, _)| name != "ANTHROPIC_API_KEY").collect();
    match Client::start(bed.options(invocation)).await {
        Ok((client, mut messages)) => {
            client.prompt("#script\nsay Never said.").await.unwrap();
            let e = messages.turn().await;
            panic!("{e:?} {}", e.as_ref().err().map(ToString::to_string).unwrap_or_default());
        }
        Err(e) => panic!("{e:?} {e}"),
    }
}

async fn ends_at_once(bed: &Bed) {
    let options = bed.options(bed.invocation()).cli(Cli::At("/bin/false".into()));
    let error = bed.start_fails(options).await;
    panic!("{error:?} {error}");
}
