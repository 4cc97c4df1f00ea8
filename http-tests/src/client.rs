//! hyper's client, for one version of HTTP.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::{Method, Request, Response};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client as Pool, Error};
use hyper_util::rt::TokioExecutor;

use crate::Server;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Http1,
    Http2,
}

pub const VERSIONS: [Version; 2] = [Version::Http1, Version::Http2];

#[derive(Clone)]
pub struct Client {
    pool: Pool<HttpConnector, Body>,
}

impl Client {
    pub fn new(version: Version) -> Client {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let pool = Pool::builder(TokioExecutor::new()).http2_only(version == Version::Http2).build(connector);
        Client { pool }
    }

    pub async fn request(&self, method: Method, server: &Server, path: &str) -> Response<Incoming> {
        let request = Request::builder().method(method).uri(server.url(path)).body(Body::empty()).expect("a request");
        self.send(request).await
    }

    pub async fn get(&self, server: &Server, path: &str) -> Response<Incoming> {
        self.request(Method::GET, server, path).await
    }

    pub async fn send(&self, request: Request<Body>) -> Response<Incoming> {
        self.try_send(request).await.expect("a response")
    }

    pub async fn try_send(&self, request: Request<Body>) -> Result<Response<Incoming>, Error> {
        within(self.pool.request(request)).await
    }
}

/// The whole body, or the error that ends it.
pub async fn body(response: Response<Incoming>) -> Result<Bytes, hyper::Error> {
    Ok(within(response.into_body().collect()).await?.to_bytes())
}

/// A header's text, or an empty one.
pub fn header<'r, B>(response: &'r Response<B>, name: &str) -> &'r str {
    response.headers().get(name).map_or("", |value| value.to_str().expect("text"))
}

/// What comes of `future` within a minute.
///
/// # Panics
/// If nothing does.
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("it takes more than a minute")
}
