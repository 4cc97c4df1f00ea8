//! A typed model of `canada.json`, a GeoJSON feature collection.
//!
//! Coordinates are `f64`, as every user of GeoJSON has them. The document
//! writes 46 of its 111,126 coordinates as integers (`-75`), which the model
//! therefore encodes with a fraction (`-75.0`). All else is encoded to the
//! value it had.

use serde::{Deserialize, Serialize};

/// The whole document: a collection of features.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Canada {
    /// Always [`ObjectType::FeatureCollection`].
    #[serde(rename = "type")]
    pub object_type: ObjectType,
    /// The features; the document has one.
    pub features: Vec<Feature>,
}

/// A geometry with properties.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Always [`ObjectType::Feature`].
    #[serde(rename = "type")]
    pub object_type: ObjectType,
    /// What the feature is.
    pub properties: Properties,
    /// Where the feature is.
    pub geometry: Geometry,
}

/// The properties of a feature.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Properties {
    /// The country's name.
    pub name: String,
}

/// A polygon: rings of longitude and latitude.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Geometry {
    /// Always [`ObjectType::Polygon`].
    #[serde(rename = "type")]
    pub object_type: ObjectType,
    /// The rings; the document has 480 of them.
    pub coordinates: Vec<Vec<[f64; 2]>>,
}

/// The GeoJSON object types that occur in the document.
#[derive(Serialize, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectType {
    /// A collection of features.
    FeatureCollection,
    /// A geometry with properties.
    Feature,
    /// A list of linear rings.
    Polygon,
}
