//! A typed model of `twitter.json`, a response of Twitter's search API.
//!
//! No member of the document is null in one place and missing in another. A
//! plain `Option` here is a member that may be null and is always written; an
//! `Option` that is skipped when it is `None` is a member that may be missing.
//!
//! Members have the document's order, but for [`Sizes`], whose members come in
//! a different order from picture to picture.

use serde::{Deserialize, Serialize};

/// The whole document.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Twitter {
    /// The tweets found.
    pub statuses: Vec<Status>,
    /// How the search went.
    pub search_metadata: SearchMetadata,
}

/// How the search went.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct SearchMetadata {
    /// Seconds the search took.
    pub completed_in: f64,
    /// Greatest tweet id, as rounded by a double.
    pub max_id: u64,
    /// Greatest tweet id, exact.
    pub max_id_str: String,
    /// Query string of the next page.
    pub next_results: String,
    /// What was searched for, percent-encoded.
    pub query: String,
    /// Query string that finds newer tweets.
    pub refresh_url: String,
    /// Tweets per page.
    pub count: u32,
    /// Least tweet id.
    pub since_id: u64,
    /// Least tweet id, as text.
    pub since_id_str: String,
}

/// One tweet.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Why it was found.
    pub metadata: Metadata,
    /// When it was written.
    pub created_at: String,
    /// Its id.
    pub id: u64,
    /// Its id, as text.
    pub id_str: String,
    /// What it says.
    pub text: String,
    /// The program it was sent with: an HTML link.
    pub source: String,
    /// Whether the text was cut.
    pub truncated: bool,
    /// The tweet it answers, or null.
    pub in_reply_to_status_id: Option<u64>,
    /// The same, as text.
    pub in_reply_to_status_id_str: Option<String>,
    /// Whom it answers, or null.
    pub in_reply_to_user_id: Option<u64>,
    /// The same, as text.
    pub in_reply_to_user_id_str: Option<String>,
    /// The same, by name.
    pub in_reply_to_screen_name: Option<String>,
    /// Who wrote it.
    pub user: User,
    /// Latitude and longitude; null in the document.
    pub geo: Option<Point>,
    /// Longitude and latitude; null in the document.
    pub coordinates: Option<Point>,
    /// The place it speaks of; null in the document.
    pub place: Option<Place>,
    /// Other writers; null in the document.
    pub contributors: Option<Vec<u64>>,
    /// The tweet that this one repeats; may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retweeted_status: Option<Box<Status>>,
    /// How often it was repeated.
    pub retweet_count: u32,
    /// How often it was liked.
    pub favorite_count: u32,
    /// What the text mentions.
    pub entities: Entities,
    /// Whether the searching user liked it.
    pub favorited: bool,
    /// Whether the searching user repeated it.
    pub retweeted: bool,
    /// Whether links may be offensive; may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possibly_sensitive: Option<bool>,
    /// Language code.
    pub lang: String,
}

/// Why a tweet was found.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// Kind of the result: `recent`.
    pub result_type: String,
    /// Language code.
    pub iso_language_code: String,
}

/// A GeoJSON point; does not occur in the document.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Always `Point`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The two coordinates.
    pub coordinates: [f64; 2],
}

/// A named place; does not occur in the document.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Its id.
    pub id: String,
    /// Its kind, such as `city`.
    pub place_type: String,
    /// Its name.
    pub full_name: String,
    /// Code of its country.
    pub country_code: String,
}

/// The account that wrote a tweet.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// Its id.
    pub id: u64,
    /// Its id, as text.
    pub id_str: String,
    /// The name shown.
    pub name: String,
    /// The name used in mentions.
    pub screen_name: String,
    /// Where the user claims to be.
    pub location: String,
    /// What the user says of themself.
    pub description: String,
    /// The user's page, or null.
    pub url: Option<String>,
    /// Links in the fields above.
    pub entities: UserEntities,
    /// Whether tweets are hidden.
    pub protected: bool,
    /// Number of followers.
    pub followers_count: u32,
    /// Number of users followed.
    pub friends_count: u32,
    /// Number of lists it is in.
    pub listed_count: u32,
    /// When it was made.
    pub created_at: String,
    /// Number of tweets liked.
    pub favourites_count: u32,
    /// Seconds east of Greenwich, or null.
    pub utc_offset: Option<i32>,
    /// Name of the time zone, or null.
    pub time_zone: Option<String>,
    /// Whether tweets may have a place.
    pub geo_enabled: bool,
    /// Whether it is verified.
    pub verified: bool,
    /// Number of tweets.
    pub statuses_count: u32,
    /// Language code.
    pub lang: String,
    /// Whether others may write.
    pub contributors_enabled: bool,
    /// Whether the user translates Twitter.
    pub is_translator: bool,
    /// Whether translation is on.
    pub is_translation_enabled: bool,
    /// Colour, in hexadecimal.
    pub profile_background_color: String,
    /// Address of the background.
    pub profile_background_image_url: String,
    /// The same, over HTTPS.
    pub profile_background_image_url_https: String,
    /// Whether the background is repeated.
    pub profile_background_tile: bool,
    /// Address of the picture.
    pub profile_image_url: String,
    /// The same, over HTTPS.
    pub profile_image_url_https: String,
    /// Address of the banner; may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_banner_url: Option<String>,
    /// Colour, in hexadecimal.
    pub profile_link_color: String,
    /// Colour, in hexadecimal.
    pub profile_sidebar_border_color: String,
    /// Colour, in hexadecimal.
    pub profile_sidebar_fill_color: String,
    /// Colour, in hexadecimal.
    pub profile_text_color: String,
    /// Whether the background is shown.
    pub profile_use_background_image: bool,
    /// Whether the colours were never changed.
    pub default_profile: bool,
    /// Whether the picture was never changed.
    pub default_profile_image: bool,
    /// Whether the searching user follows it.
    pub following: bool,
    /// Whether the searching user asked to.
    pub follow_request_sent: bool,
    /// Whether the searching user is notified.
    pub notifications: bool,
}

/// Links in a user's fields.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct UserEntities {
    /// Links of the page; may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Urls>,
    /// Links of the description.
    pub description: Urls,
}

/// A list of links.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Urls {
    /// The links.
    pub urls: Vec<Url>,
}

/// One link.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Url {
    /// The short address, as in the text.
    pub url: String,
    /// The full address.
    pub expanded_url: String,
    /// The address as shown.
    pub display_url: String,
    /// Where it stands in the text, in characters.
    pub indices: [u32; 2],
}

/// What the text of a tweet mentions.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Entities {
    /// Words after `#`.
    pub hashtags: Vec<Hashtag>,
    /// Words after `$`; always empty in the document.
    pub symbols: Vec<Hashtag>,
    /// Links.
    pub urls: Vec<Url>,
    /// Users, by their screen name.
    pub user_mentions: Vec<UserMention>,
    /// Pictures; may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<Vec<Media>>,
}

/// A word after `#`.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Hashtag {
    /// The word.
    pub text: String,
    /// Where it stands in the text, in characters.
    pub indices: [u32; 2],
}

/// A user named in a tweet.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct UserMention {
    /// The name used in mentions.
    pub screen_name: String,
    /// The name shown.
    pub name: String,
    /// The id.
    pub id: u64,
    /// The id, as text.
    pub id_str: String,
    /// Where it stands in the text, in characters.
    pub indices: [u32; 2],
}

/// A picture.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Media {
    /// Its id.
    pub id: u64,
    /// Its id, as text.
    pub id_str: String,
    /// Where its link stands in the text, in characters.
    pub indices: [u32; 2],
    /// Address of the picture.
    pub media_url: String,
    /// The same, over HTTPS.
    pub media_url_https: String,
    /// The short address, as in the text.
    pub url: String,
    /// The address as shown.
    pub display_url: String,
    /// The full address.
    pub expanded_url: String,
    /// Always `photo`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The sizes it can be had in.
    pub sizes: Sizes,
    /// The tweet it came from; may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_status_id: Option<u64>,
    /// The same, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_status_id_str: Option<String>,
}

/// The sizes that a picture can be had in.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// The medium size.
    pub medium: Size,
    /// The small size.
    pub small: Size,
    /// The least size.
    pub thumb: Size,
    /// The greatest size.
    pub large: Size,
}

/// One size of a picture.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Width in pixels.
    pub w: u32,
    /// Height in pixels.
    pub h: u32,
    /// How it was made.
    pub resize: Resize,
}

/// How a picture was brought to a size.
#[derive(Serialize, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Resize {
    /// Shrunk to fit.
    Fit,
    /// Cut to a square.
    Crop,
}
