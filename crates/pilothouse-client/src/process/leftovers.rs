//! What a run leaves behind when its CLI has ended: background shells and their children.

/// Ends every process that carries the mark of `run`.
#[cfg(target_os = "linux")]
pub(super) async fn end(run: &str, _group: Option<u32>) {
    let run = run.to_owned();
    let swept = tokio::task::spawn_blocking(move || crate::mark::end_marked(&run)).await;
    if let Err(error) = swept {
        tracing::warn!(%error, "could not look for left-over processes");
    }
}

/// Without `/proc` the group is all there is to go by.
#[cfg(not(target_os = "linux"))]
pub(super) async fn end(_run: &str, group: Option<u32>) {
    super::signal_group(group, super::Signal::Kill);
}
