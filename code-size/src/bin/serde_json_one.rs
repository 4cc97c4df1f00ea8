//! One of the structs through `to_vec`.

use json_rope_code_size::{Encode, encode_one};
use serde::Serialize;

struct Bytes(usize);

impl Encode for Bytes {
    fn encode<T: Serialize>(&mut self, value: &T) {
        self.0 += serde_json::to_vec(value).expect("encodes").len();
    }
}

fn main() {
    let mut bytes = Bytes(0);
    encode_one(&mut bytes);
    println!("{}", bytes.0);
}
