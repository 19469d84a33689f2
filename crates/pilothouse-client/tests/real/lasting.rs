//! A shell command that lasts until it is ended, and lets itself be watched.

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

/// The command. It holds a connection to the test for as long as it lives, so that its beginning and
/// its end can be waited for.
pub(crate) struct Lasting {
    listener: TcpListener,
}

impl Lasting {
    pub(crate) async fn new() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    /// What to run, in bash.
    pub(crate) fn command(&self) -> String {
        let port = self.listener.local_addr().unwrap().port();
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}; exec tail -f /dev/null")
    }

    /// Waits until it runs.
    pub(crate) async fn started(&self) -> Running {
        Running(self.listener.accept().await.unwrap().0)
    }
}

/// The command, running.
pub(crate) struct Running(TcpStream);

impl Running {
    /// Waits until it has ended.
    pub(crate) async fn ended(mut self) {
        assert_eq!(self.0.read(&mut [0]).await.unwrap(), 0, "it says nothing");
    }
}
