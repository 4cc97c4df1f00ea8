//! json-rope with actix-web. No feature of json-rope is for it: a rope needs the few lines of `RopeBody`, and a stream of
//! chunks none at all.
//!
//! ```sh
//! cd actix && cargo run --release      # then open http://127.0.0.1:3000/rope and http://127.0.0.1:3000/stream
//! cd actix && cargo test
//! ```

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::http::StatusCode;
use actix_web::web::{self, ServiceConfig};
use actix_web::{App, HttpResponse, HttpServer, ResponseError, rt};
use bytes::Bytes;
use json_rope::{Encoder, IntoIter, Rope};
use serde::Serialize;

/// One for all requests: it remembers how long documents are.
static ENCODER: LazyLock<Encoder> = LazyLock::new(Encoder::new);

/// A rope as the body of a response: a chunk at a time, none of them copied together.
struct RopeBody {
    len: u64,
    chunks: IntoIter,
}

impl From<Rope> for RopeBody {
    fn from(rope: Rope) -> RopeBody {
        RopeBody { len: rope.len() as u64, chunks: rope.into_iter() }
    }
}

impl MessageBody for RopeBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.len)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(self.chunks.next().map(Ok))
    }
}

/// An error that was found before the response began: a 500 that does not show the value.
#[derive(Debug)]
struct EncodeError(json_rope::Error);

impl std::fmt::Display for EncodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0) // for the log
    }
}

impl ResponseError for EncodeError {
    fn error_response(&self) -> HttpResponse {
        HttpResponse::build(StatusCode::INTERNAL_SERVER_ERROR).body("the response could not be encoded")
    }
}

fn json(value: &impl Serialize) -> Result<HttpResponse<RopeBody>, EncodeError> {
    let rope = ENCODER.encode(value).map_err(EncodeError)?;
    Ok(HttpResponse::Ok().content_type("application/json").message_body(RopeBody::from(rope)).expect("a valid header"))
}

#[derive(Serialize)]
struct Row {
    id: u32,
    name: &'static str,
}

fn rows(count: u32) -> impl Iterator<Item = Row> {
    (0..count).map(|id| Row { id, name: "tea" })
}

/// Encoded first, sent with its length.
async fn rope() -> Result<HttpResponse<RopeBody>, EncodeError> {
    json(&rows(10_000).collect::<Vec<_>>())
}

/// Encoded while it is sent. An error breaks the transfer off.
async fn stream() -> HttpResponse {
    let chunks = ENCODER.array(rows(10_000)).into_stream();
    HttpResponse::Ok().content_type("application/json").streaming(chunks)
}

fn routes(config: &mut ServiceConfig) {
    config.route("/rope", web::get().to(rope)).route("/stream", web::get().to(stream));
}

fn main() -> std::io::Result<()> {
    rt::System::new().block_on(async {
        println!("http://127.0.0.1:3000/rope and http://127.0.0.1:3000/stream");
        HttpServer::new(|| App::new().configure(routes)).bind(("127.0.0.1", 3000))?.run().await
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::to_bytes;
    use actix_web::test::{TestRequest, call_service, init_service};

    #[test]
    fn both_ways_send_the_same_bytes() {
        rt::System::new().block_on(async {
            let app = init_service(App::new().configure(routes)).await;
            let expected = json_rope::to_vec(&rows(10_000).collect::<Vec<_>>()).unwrap();
            for (path, size) in [("/rope", BodySize::Sized(expected.len() as u64)), ("/stream", BodySize::Stream)] {
                let response = call_service(&app, TestRequest::get().uri(path).to_request()).await;
                assert_eq!(response.status(), 200);
                assert_eq!(response.headers()["content-type"], "application/json");
                assert_eq!(response.response().body().size(), size, "{path}");
                let body = to_bytes(response.into_body()).await.ok().unwrap();
                assert!(body == expected, "{path}");
            }
        });
    }

    #[test]
    fn an_error_is_a_500_that_does_not_show_the_value() {
        let bad = [std::collections::BTreeMap::from([(vec!["secret"], 1)])];
        let error = json(&bad).map(drop).unwrap_err();
        assert!(error.0.is_data());
        let response = error.error_response();
        assert_eq!(response.status(), 500);
        let body = rt::System::new().block_on(to_bytes(response.into_body())).ok().unwrap();
        assert_eq!(body, "the response could not be encoded");
    }
}
