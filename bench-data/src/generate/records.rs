//! Typed records, as services send and log them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{SplitMix64, plain_text, text};

/// How urgent a log record is.
#[derive(Serialize, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// For developers.
    Debug,
    /// All is well.
    Info,
    /// May need attention.
    Warn,
    /// Something failed.
    Error,
}

/// One record of a service's log.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct LogRecord {
    /// Milliseconds since 1970; never falls from record to record.
    pub timestamp: u64,
    /// How urgent it is.
    pub level: Level,
    /// The service that wrote it.
    pub service: String,
    /// What happened; some messages have quotes or line feeds.
    pub message: String,
    /// 32 hexadecimal digits.
    pub request_id: String,
    /// HTTP status.
    pub status: u16,
    /// Milliseconds, with three decimals.
    pub duration_ms: f64,
    /// The user, where one is known, and null elsewhere.
    pub user: Option<String>,
    /// One to three tags.
    pub tags: BTreeMap<String, String>,
}

/// `n` log records.
///
/// Of 100, about 15 have quotes in their message, five a stack trace of
/// several lines, and 60 a user.
pub fn log_records(seed: u64, n: usize) -> Vec<LogRecord> {
    let mut rng = SplitMix64::new(seed);
    let mut now = 1_767_225_600_000;
    (0..n)
        .map(|_| {
            now += rng.below(250);
            log_record(&mut rng, now)
        })
        .collect()
}

fn log_record(rng: &mut SplitMix64, timestamp: u64) -> LogRecord {
    let (level, status) = match rng.below(100) {
        0..10 => (Level::Debug, 200),
        10..80 => (Level::Info, rng.pick(&[200, 200, 201, 204, 304])),
        80..93 => (Level::Warn, rng.pick(&[400, 401, 404, 429])),
        _ => (Level::Error, rng.pick(&[500, 502, 503])),
    };
    LogRecord {
        timestamp,
        level,
        service: rng.pick(&["gateway", "billing", "search", "mailer", "inventory-sync"]).into(),
        message: log_message(rng),
        request_id: format!("{:016x}{:016x}", rng.next_u64(), rng.next_u64()),
        status,
        duration_ms: rng.below(2_000_000) as f64 / 1e3,
        user: rng.percent(60).then(|| format!("user-{}", rng.below(100_000))),
        tags: tags(rng),
    }
}

fn log_message(rng: &mut SplitMix64) -> String {
    let mut message = words(rng, 4, 14);
    match rng.below(100) {
        0..15 => {
            message.push_str(&format!(": header \"x-{}\" is missing", text::word(rng)));
        }
        15..20 => {
            for i in 0..3 + rng.below(4) {
                let (module, line) = (text::word(rng), rng.below(900));
                message.push_str(&format!("\n\t{i}: {module}::handle at src/{module}.rs:{line}"));
            }
        }
        _ => {}
    }
    message
}

fn tags(rng: &mut SplitMix64) -> BTreeMap<String, String> {
    let mut tags = BTreeMap::new();
    let region = rng.pick(&["eu-west-1", "us-east-2", "ap-south-1"]);
    tags.insert("region".into(), region.into());
    if rng.percent(50) {
        tags.insert("host".into(), format!("node-{:03}", rng.below(400)));
    }
    if rng.percent(30) {
        tags.insert("version".into(), format!("2.{}.0", rng.below(40)));
    }
    tags
}

fn words(rng: &mut SplitMix64, least: u64, most: u64) -> String {
    let count = least + rng.below(most - least + 1);
    let words: Vec<&str> = (0..count).map(|_| text::word(rng)).collect();
    words.join(" ")
}

/// A small message, as a queue or socket carries it.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// The message's number.
    pub id: u64,
    /// The topic it is sent to.
    pub topic: String,
    /// Who sent it.
    pub sender: String,
    /// Milliseconds since 1970.
    pub sent: u64,
    /// Greater is sooner.
    pub priority: u8,
    /// Whether it was sent before.
    pub redelivered: bool,
    /// The number of the message it answers.
    pub reply_to: Option<u64>,
    /// The text.
    pub body: String,
}

/// A message whose compact JSON is exactly 150 bytes long; always the same.
pub fn message() -> Message {
    Message {
        id: 48_151_623,
        topic: "orders.paid".into(),
        sender: "billing".into(),
        sent: 1_767_225_600_123,
        priority: 5,
        redelivered: false,
        reply_to: None,
        body: "order 471 paid".into(),
    }
}

/// An order: a typed object of about 2 KB, as a web service answers with.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Object2k {
    /// The order's number.
    pub id: u64,
    /// 32 hexadecimal digits.
    pub trace: String,
    /// The customer's name.
    pub customer: String,
    /// The customer's mail address.
    pub email: String,
    /// Whether it is paid.
    pub paid: bool,
    /// A coupon; null where there is none.
    pub coupon: Option<String>,
    /// Where to send the bill.
    pub billing: Address,
    /// Where to send the goods.
    pub shipping: Address,
    /// What is ordered: twelve lines.
    pub lines: Vec<OrderLine>,
    /// Ratings from 0 to 1: ten of them.
    pub scores: Vec<f64>,
    /// Remarks, in 640 bytes of plain text.
    pub remarks: String,
}

/// A postal address.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Address {
    /// Street and house number.
    pub street: String,
    /// The city.
    pub city: String,
    /// Five digits.
    pub postal_code: String,
    /// Code of the country.
    pub country: String,
}

/// One line of an order.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OrderLine {
    /// The article's code.
    pub sku: String,
    /// What it is; has a quote.
    pub title: String,
    /// How many.
    pub quantity: u32,
    /// Price of one.
    pub price: f64,
}

/// An order whose compact JSON is 1,900 to 2,100 bytes long, for any seed.
pub fn object_2kb(seed: u64) -> Object2k {
    let mut rng = SplitMix64::new(seed);
    let name = rng.pick(&["Ada Lovelace", "Alan Turing", "Grace Hopper", "Zoë Müller"]);
    Object2k {
        id: 10_000_000 + rng.below(90_000_000),
        trace: format!("{:016x}{:016x}", rng.next_u64(), rng.next_u64()),
        customer: name.into(),
        email: format!("customer{:05}@example.com", rng.below(100_000)),
        paid: rng.percent(50),
        coupon: rng.percent(50).then(|| format!("SAVE{:02}", rng.below(100))),
        billing: address(&mut rng),
        shipping: address(&mut rng),
        lines: (0..12).map(|_| order_line(&mut rng)).collect(),
        scores: (0..10).map(|_| rng.below(10_000) as f64 / 1e4).collect(),
        remarks: plain_text(rng.next_u64(), 640),
    }
}

fn address(rng: &mut SplitMix64) -> Address {
    Address {
        street: format!("{} street {}", text::word(rng), 1 + rng.below(200)),
        city: rng.pick(&["Köln", "Lyon", "Oslo", "Porto", "Gdańsk"]).into(),
        postal_code: format!("{:05}", rng.below(100_000)),
        country: rng.pick(&["DE", "FR", "NO", "PT", "PL"]).into(),
    }
}

fn order_line(rng: &mut SplitMix64) -> OrderLine {
    let (sku, inches) = (rng.below(1_000_000), 10 + rng.below(90));
    OrderLine {
        sku: format!("SKU-{sku:06}"),
        title: format!("{inches}\" {} for {}", text::word(rng), text::word(rng)),
        quantity: 1 + rng.below(20) as u32,
        price: (100 + rng.below(20_000)) as f64 / 100.0,
    }
}
