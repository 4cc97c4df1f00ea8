//! json-rope over real connections on loopback, HTTP/1.1 and HTTP/2.

mod errors;
mod example;
mod live;
mod other_clients;
mod shapes;
mod slow;
mod socket;
