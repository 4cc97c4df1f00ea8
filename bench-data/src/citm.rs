//! A typed model of `citm_catalog.json`, the event catalogue of a concert hall.
//!
//! All maps of the document are sorted by key and all their integer keys have
//! nine digits, so a `BTreeMap` with integer keys keeps the document's order.
//! Members that are null everywhere in the document are `Option<String>`, and
//! encode as null.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The number that names an area, event, topic or category.
pub type Id = u32;

/// The whole document.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CitmCatalog {
    /// Names of the areas of the hall.
    pub area_names: BTreeMap<Id, String>,
    /// Names of the kinds of audience.
    pub audience_sub_category_names: BTreeMap<Id, String>,
    /// Names of blocks; empty in the document.
    pub block_names: BTreeMap<Id, String>,
    /// The events.
    pub events: BTreeMap<Id, Event>,
    /// The dates on which the events are played.
    pub performances: Vec<Performance>,
    /// Names of the seat categories.
    pub seat_category_names: BTreeMap<Id, String>,
    /// Names of the subtopics.
    pub sub_topic_names: BTreeMap<Id, String>,
    /// Names of subjects; empty in the document.
    pub subject_names: BTreeMap<String, String>,
    /// Names of the topics.
    pub topic_names: BTreeMap<Id, String>,
    /// The subtopics of each topic.
    pub topic_sub_topics: BTreeMap<Id, Vec<Id>>,
    /// Names of the venues, by code.
    pub venue_names: BTreeMap<String, String>,
}

/// One event.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Event {
    /// Null in the document.
    pub description: Option<String>,
    /// The event's own id, equal to its key.
    pub id: Id,
    /// Path of a picture; null for about half of the events.
    pub logo: Option<String>,
    /// The name, in French.
    pub name: String,
    /// Subtopics it belongs to.
    pub sub_topic_ids: Vec<Id>,
    /// Null in the document.
    pub subject_code: Option<String>,
    /// Null in the document.
    pub subtitle: Option<String>,
    /// Topics it belongs to.
    pub topic_ids: Vec<Id>,
}

/// One performance of an event.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Performance {
    /// The event that is performed.
    pub event_id: Id,
    /// The performance's id.
    pub id: Id,
    /// Path of a picture; null for about half of the performances.
    pub logo: Option<String>,
    /// Null in the document.
    pub name: Option<String>,
    /// What seats cost.
    pub prices: Vec<Price>,
    /// Which seats there are.
    pub seat_categories: Vec<SeatCategory>,
    /// Null in the document.
    pub seat_map_image: Option<String>,
    /// Start, in milliseconds since 1970.
    pub start: u64,
    /// Code of the venue.
    pub venue_code: String,
}

/// What a seat costs one kind of audience.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Price {
    /// The price, in thousandths.
    pub amount: u32,
    /// The kind of audience.
    pub audience_sub_category_id: Id,
    /// The seat category.
    pub seat_category_id: Id,
}

/// The areas of the hall that have seats of one category.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SeatCategory {
    /// The areas.
    pub areas: Vec<Area>,
    /// The category.
    pub seat_category_id: Id,
}

/// One area of the hall.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Area {
    /// The area.
    pub area_id: Id,
    /// Blocks of the area; always empty in the document.
    pub block_ids: Vec<Id>,
}
