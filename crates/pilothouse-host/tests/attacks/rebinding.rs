//! Names that other people's DNS points at loopback.
//!
//! A page of such a name is of the same origin as the daemon for its browser: `Origin`, `Host` and
//! `Sec-Fetch-Site` all agree, and there is no preflight. Only the name tells.

use serde_json::json;

use super::raw::{Target, owned, upgrade};

/// Services and habits that make names of addresses, names that resolvers or `/etc/hosts` give to
/// loopback, and names that a local network can give to anybody.
const NAMES: [&str; 62] = [
    "rebind.evil.example",
    "a.rebind.evil.example",
    "s-127.0.0.1-0.0.0.0-1-e.evil.example",
    "7f000001.c0a80001.rbndr.us",
    "127.0.0.1.nip.io",
    "app.127.0.0.1.nip.io",
    "7f000001.nip.io",
    "127-0-0-1.nip.io",
    "127.0.0.1.sslip.io",
    "127-0-0-1.sslip.io",
    "--1.sslip.io",
    "0.0.0.0.nip.io",
    "0-0-0-0.sslip.io",
    "127.0.0.1.xip.io",
    "127.0.0.1.traefik.me",
    "127-0-0-1.traefik.me",
    "127-0-0-1.backname.io",
    "make-127.0.0.1-rr.1u.ms",
    "make-1.2.3.4-rebind-127.0.0.1-rr.1u.ms",
    "a.1.2.3.4.1time.127.0.0.1.forever.evil.example",
    "localtest.me",
    "app.localtest.me",
    "lvh.me",
    "app.lvh.me",
    "vcap.me",
    "lacolhost.com",
    "yoogle.com",
    "fuf.me",
    "local.gd",
    "localhost.direct",
    "readme.localtest.me",
    "localhst.co.uk",
    "loopback.jp",
    "loopback.evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "1.0.0.127.in-addr.arpa",
    "1.0.0.127.dnsbug.evil.example",
    "localhost.localdomain",
    "localhost4",
    "localhost6",
    "localhost4.localdomain4",
    "ip6-localhost",
    "ip6-loopback",
    "loopback",
    "broadcasthost",
    "host.docker.internal",
    "gateway.docker.internal",
    "kubernetes.docker.internal",
    "host.containers.internal",
    "metadata.google.internal",
    "instance-data",
    "router.lan",
    "router.home.arpa",
    "printer.local",
    "wpad",
    "wpad.home",
    "_gateway",
    "evil.localhost",
    "localhost.localhost",
    "app.test",
    "evil.onion",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_others_point_at_loopback_are_rejected() {
    let target = Target::open().await;
    let (port, before) = (target.port().to_owned(), target.stored());
    let session = json!({"cwd": target.bed.path("work"), "title": "rebound"}).to_string();
    let code = json!({"code": "a".repeat(43)}).to_string();
    let json = || owned(&["Content-Type: application/json"]);
    let surfaces = [
        ("GET /", Vec::new(), ""),
        ("GET /api/v1/health", Vec::new(), ""),
        ("GET /api/v1/sessions", Vec::new(), ""),
        ("POST /api/v1/sessions", json(), &*session),
        ("POST /api/v1/login", json(), &*code),
        ("GET /api/v1/ws", upgrade(), ""),
        ("OPTIONS /api/v1/sessions", owned(&["Access-Control-Request-Method: POST"]), ""),
    ];
    for name in NAMES {
        for host in [format!("{name}:{port}"), name.to_owned(), format!("{name}.:{port}")] {
            for (start, lines, body) in &surfaces {
                let page = vec![
                    format!("Host: {host}"),
                    format!("Origin: http://{host}"),
                    "Sec-Fetch-Site: same-origin".to_owned(),
                    // The page could have been given it by mistake; it must not help.
                    target.bearer(),
                ];
                let reply = target.ask(start, &[page, lines.clone()].concat(), body).await;
                assert_eq!(reply.status(), 421, "{start} for {host}: {reply:?}");
                assert_eq!(reply.problem(), "wrong-host", "{start} for {host}");
                assert!(!reply.has_header("set-cookie"), "{start} for {host}: {reply:?}");
            }
        }
    }
    assert_eq!(target.stored(), before, "no handler had an effect");
    target.serves_its_owner().await;
    target.close().await;
}
