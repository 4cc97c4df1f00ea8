//! A server with every kind of body, and clients for it, on loopback.

pub mod client;
pub mod routes;

use std::net::SocketAddr;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server on a port of its own, for HTTP/1.1 and for HTTP/2 without TLS.
pub struct Server {
    pub address: SocketAddr,
    shutdown: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
}

impl Server {
    /// Starts to serve. Without `nodelay`, the kernel may hold back small packets (Nagle's algorithm).
    pub async fn start(router: Router, nodelay: bool) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (shutdown, wait) = oneshot::channel::<()>();
        let listener = listener.tap_io(move |tcp| tcp.set_nodelay(nodelay).expect("a TCP socket"));
        let serving = axum::serve(listener, router).with_graceful_shutdown(async {
            // It is also shut down when the handle is dropped.
            _ = wait.await;
        });
        Server { address, shutdown, task: tokio::spawn(async { serving.await }) }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Accepts no more connections, and waits for the requests that are being answered.
    pub async fn shut_down(self) {
        self.begin_shutdown().await.expect("no panic").expect("no error");
    }

    /// Accepts no more connections. The task ends when all requests have been answered.
    pub fn begin_shutdown(self) -> JoinHandle<std::io::Result<()>> {
        self.shutdown.send(()).expect("the server runs");
        self.task
    }
}
