//! Serves JSON with json-rope. `cargo run --release -p json-rope-serve`, then open <http://127.0.0.1:3000/>.
//!
//! An argument is another address to listen on. With port 0 the system chooses one; the address is printed.

use axum::serve::ListenerExt;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let listener = TcpListener::bind(&address).await?;
    println!("http://{}/", listener.local_addr()?);
    // Without this the last packet of many responses waits for an acknowledgement, for up to 40 ms.
    let listener = listener.tap_io(|tcp| {
        if let Err(error) = tcp.set_nodelay(true) {
            eprintln!("cannot set TCP_NODELAY: {error}");
        }
    });
    // Streams of events never end, so this waits for none of them.
    tokio::select! {
        result = axum::serve(listener, json_rope_serve::router()) => result,
        result = tokio::signal::ctrl_c() => result,
    }
}
