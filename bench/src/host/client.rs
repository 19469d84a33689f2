//! A WebSocket client that costs little: hundreds of them share two cores with what they measure.

use std::io;
use std::time::Duration;

use tokio::io::Interest;
use tokio::net::TcpStream;

/// How long anything may take before a measurement is given up.
pub const PATIENCE: Duration = Duration::from_secs(120);

const PONG: u8 = 0x8A;
const TEXT: u8 = 0x81;

/// A connection.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    heard: Vec<u8>,
    /// How much of `heard` was read.
    read: usize,
    /// When the last bytes came.
    came_at: u64,
}

/// A message, and when its last byte came.
#[derive(Debug)]
pub struct Message<'a> {
    /// Its text.
    pub text: &'a [u8],
    /// Nanoseconds since 1970.
    pub came_at: u64,
}

impl Client {
    /// Connects. A token is for daemons that want one.
    pub async fn open(address: &str, path: &str, token: Option<&str>) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let bearer = token.map_or(String::new(), |it| format!("Authorization: Bearer {it}\r\n"));
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\n{bearer}Connection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        let mut client = Self { stream, heard: Vec::new(), read: 0, came_at: 0 };
        client.write(request.as_bytes()).await?;
        loop {
            client.fill().await?;
            if let Some(end) = find(&client.heard, b"\r\n\r\n") {
                if !client.heard.starts_with(b"HTTP/1.1 101") {
                    let said = String::from_utf8_lossy(&client.heard).into_owned();
                    return Err(io::Error::other(said));
                }
                client.read = end + 4;
                return Ok(client);
            }
        }
    }

    /// Says something.
    pub async fn say(&mut self, message: &serde_json::Value) -> io::Result<()> {
        self.send(TEXT, message.to_string().as_bytes()).await
    }

    /// Says a text as it is.
    pub async fn say_text(&mut self, text: &str) -> io::Result<()> {
        self.send(TEXT, text.as_bytes()).await
    }

    async fn send(&mut self, kind: u8, body: &[u8]) -> io::Result<()> {
        let mut frame = vec![kind];
        match u16::try_from(body.len()) {
            Ok(short) if short < 126 => frame.push(0x80 | body.len() as u8),
            Ok(length) => {
                frame.push(0x80 | 126);
                frame.extend(length.to_be_bytes());
            }
            Err(_) => {
                frame.push(0x80 | 127);
                frame.extend((body.len() as u64).to_be_bytes());
            }
        }
        // A mask of zeros leaves everything as it is.
        frame.extend([0; 4]);
        frame.extend(body);
        self.write(&frame).await
    }

    async fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.stream.writable().await?;
            match self.stream.try_write(bytes) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The next text message.
    pub async fn hear(&mut self) -> io::Result<Message<'_>> {
        loop {
            match self.frame() {
                None => self.fill().await?,
                Some((0x1, from, to)) => {
                    self.read = to;
                    let text = self.heard.get(from..to).unwrap_or_default();
                    return Ok(Message { text, came_at: self.came_at });
                }
                Some((0x8, ..)) => return Err(io::ErrorKind::ConnectionAborted.into()),
                Some((kind, from, to)) => {
                    self.read = to;
                    if kind == 0x9 {
                        let body = self.heard.get(from..to).unwrap_or_default().to_vec();
                        self.send(PONG, &body).await?;
                    }
                }
            }
        }
    }

    /// The next frame that is whole: its kind, and where its body stands.
    fn frame(&self) -> Option<(u8, usize, usize)> {
        let bytes = self.heard.get(self.read..)?;
        let (kind, length) = (*bytes.first()? & 0x0F, *bytes.get(1)? & 0x7F);
        let (head, length) = match length {
            126 => (4, u64::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?))),
            127 => (10, u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)),
            short => (2, u64::from(short)),
        };
        let from = self.read + head;
        let to = from.checked_add(usize::try_from(length).ok()?)?;
        (to <= self.heard.len()).then_some((kind, from, to))
    }

    async fn fill(&mut self) -> io::Result<()> {
        if self.read == self.heard.len() {
            self.heard.clear();
            self.read = 0;
        } else if self.read > 1 << 20 {
            self.heard.drain(..self.read);
            self.read = 0;
        }
        loop {
            self.stream.ready(Interest::READABLE).await?;
            self.heard.reserve(16 * 1024);
            match self.stream.try_read_buf(&mut self.heard) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {
                    self.came_at = super::now();
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
