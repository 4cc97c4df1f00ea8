//! Fifty structs as programs have them, to see how much machine code it takes to encode them. `.ci/code_size` builds the
//! programs in `bin` and compares their sizes.

use std::hint::black_box;

use serde::Serialize;

/// Encodes one value of each type.
pub trait Encode {
    fn encode<T: Serialize>(&mut self, value: &T);
}

macro_rules! structs {
    ($($name:ident { $($field:ident: $type:ty),* })*) => {
        $(
            #[derive(Default, Serialize)]
            pub struct $name {
                $(pub $field: $type,)*
            }
        )*

        /// All fifty.
        pub fn encode_all(encoder: &mut impl Encode) {
            $(encoder.encode(&black_box($name::default()));)*
        }
    };
}

structs! {
    Account { kind: String, tags: Vec<String>, currency: String, page: u32, city: String, status: String, rating: f64, street: String, owner: String }
    Address { comment: Option<String>, id: u64, middle_name: Option<String>, balance: i64 }
    Airport { language: String, size_in_bytes: u64, currency: String, image_url: Option<String>, summary: Option<String>, city: String, quantity: u32 }
    Album { title: String, expires_at: Option<u64>, locked: bool, temperature: f64, priority: u32, reference: Option<String>, position: u32, created_at: u64, parent_id: u64, image_url: Option<String>, public: bool, stock: u32 }
    Article { parent_id: u64, owner: String, description: String, note: String, price: f64, scores: Vec<u32>, middle_name: Option<String>, position: u32, page: u32, locked: bool, email: String, address: Address }
    Basket { scores: Vec<u32>, phone: String, keywords: Vec<String>, group_ids: Vec<u32>, size_in_bytes: u64, url: String, rank: u32, expires_at: Option<u64>, active: bool, count: u64, street: String, albums: Vec<Album> }
    Booking { offset: i64, country: String, rating: f64, image_url: Option<String>, owner: String, longitude: f64, group_ids: Vec<u32>, created_at: u64, street: String, scores: Vec<u32> }
    Branch { locked: bool, email: String, id: u64, owner: String }
    Brand { page: u32, image_url: Option<String>, title: String, temperature: f64, group_ids: Vec<u32>, offset: i64, balance: i64, public: bool, city: String, latitude: f64, description: String, expires_at: Option<u64>, basket: Basket }
    Building { language: String, comment: Option<String>, page: u32, status: String, size_in_bytes: u64 }
    Campaign { aliases: Vec<String>, page: u32, priority: u32, currency: String, public: bool, parent_id: u64, brands: Vec<Brand> }
    Carrier { description: String, views: u64, name: String, likes: u64, rank: u32, comment: Option<String> }
    Category { parent_id: u64, likes: u64, rank: u32, middle_name: Option<String>, deleted: bool, tags: Vec<String>, expires_at: Option<u64>, size_in_bytes: u64, updated_at: u64, public: bool, stock: u32, name: String, building: Building }
    Channel { deleted: bool, version: u64, temperature: f64, position: u32, street: String, verified: bool, rank: u32, locked: bool }
    Charge { deleted: bool, tags: Vec<String>, scores: Vec<u32>, difference: i64 }
    Cluster { verified: bool, temperature: f64, aliases: Vec<String>, kind: String, rating: f64, country: String, language: String, channels: Vec<Channel> }
    Comment { url: String, tags: Vec<String>, approved_by: Option<u64>, deleted: bool, channel: Channel }
    Company { middle_name: Option<String>, name: String, currency: String, verified: bool, temperature: f64, updated_at: u64 }
    Contact { updated_at: u64, likes: u64, version: u64, temperature: f64 }
    Coupon { label: String, discount: f64, middle_name: Option<String>, temperature: f64, verified: bool, summary: Option<String> }
    Course { active: bool, temperature: f64, name: String, country: String, note: String, approved_by: Option<u64>, title: String, stock: u32, locked: bool, reference: Option<String>, updated_at: u64, id: u64, company: Company, contacts: Vec<Contact> }
    Device { public: bool, comment: Option<String>, url: String, page: u32, locked: bool }
    Driver { count: u64, weight: f64, reference: Option<String>, verified: bool, deleted: bool, summary: Option<String>, latitude: f64, price: f64, offset: i64, quantity: u32, scores: Vec<u32>, language: String }
    Employee { email: String, url: String, parent_id: u64, offset: i64, street: String, owner: String, public: bool, priority: u32, version: u64 }
    Event { label: String, description: String, reference: Option<String>, discount: f64, kind: String, page: u32, closed_at: Option<u64>, active: bool, street: String, device: Device }
    Flight { email: String, id: u64, owner: String, group_ids: Vec<u32>, balance: i64, employees: Vec<Employee> }
    Folder { locked: bool, deleted: bool, email: String, country: String, price: f64, id: u64, tags: Vec<String>, parent_id: u64, expires_at: Option<u64>, url: String, description: String, reference: Option<String> }
    Forecast { expires_at: Option<u64>, street: String, country: String, id: u64, city: String, count: u64, verified: bool, views: u64 }
    Image { scores: Vec<u32>, version: u64, email: String, name: String, city: String, public: bool, views: u64, owner: String, group_ids: Vec<u32>, reference: Option<String>, deleted: bool, updated_at: u64, flight: Flight }
    Invoice { created_at: u64, offset: i64, language: String, status: String, keywords: Vec<String>, size_in_bytes: u64, title: String, kind: String, deleted: bool }
    Issue { id: u64, latitude: f64, email: String, price: f64, version: u64, page: u32, rank: u32, images: Vec<Image> }
    Item { updated_at: u64, rank: u32, description: String, balance: i64 }
    Journey { likes: u64, tags: Vec<String>, status: String, parent_id: u64, kind: String, comment: Option<String>, balance: i64, count: u64, language: String, group_ids: Vec<u32>, stock: u32, invoice: Invoice }
    Lesson { phone: String, approved_by: Option<u64>, title: String, public: bool, verified: bool, locked: bool, comment: Option<String>, scores: Vec<u32>, name: String, language: String, aliases: Vec<String> }
    License { offset: i64, comment: Option<String>, tags: Vec<String>, keywords: Vec<String>, scores: Vec<u32> }
    Machine { id: u64, temperature: f64, status: String, scores: Vec<u32>, deleted: bool, email: String, updated_at: u64, views: u64, public: bool, note: String, group_ids: Vec<u32>, lessons: Vec<Lesson> }
    Member { approved_by: Option<u64>, tags: Vec<String>, language: String, position: u32, lesson: Lesson }
    Message { approved_by: Option<u64>, name: String, active: bool, deleted: bool, scores: Vec<u32>, views: u64, likes: u64, rating: f64 }
    Order { summary: Option<String>, parent_id: u64, active: bool, views: u64, url: String }
    Parcel { balance: i64, parent_id: u64, comment: Option<String>, email: String, rank: u32, approved_by: Option<u64>, deleted: bool, label: String }
    Patient { public: bool, balance: i64, name: String, offset: i64, owner: String, priority: u32, quantity: u32, message: Message, orders: Vec<Order> }
    Payment { description: String, priority: u32, city: String, phone: String, version: u64, kind: String, difference: i64, label: String, temperature: f64 }
    Player { email: String, title: String, group_ids: Vec<u32>, tags: Vec<String>, count: u64, weight: f64, rank: u32, priority: u32 }
    Product { aliases: Vec<String>, middle_name: Option<String>, parent_id: u64, owner: String }
    Profile { expires_at: Option<u64>, aliases: Vec<String>, active: bool, summary: Option<String>, note: String, longitude: f64, count: u64, difference: i64, locked: bool, group_ids: Vec<u32>, country: String, payment: Payment }
    Project { city: String, public: bool, summary: Option<String>, longitude: f64, rating: f64, parent_id: u64, products: Vec<Product> }
    Receipt { page: u32, description: String, version: u64, updated_at: u64, owner: String, offset: i64 }
    Review { size_in_bytes: u64, version: u64, note: String, city: String, email: String, difference: i64, rating: f64, id: u64, title: String, discount: f64, locked: bool, active: bool }
    Sensor { difference: i64, rating: f64, parent_id: u64, created_at: u64, currency: String, project: Project }
    Ticket { title: String, language: String, id: u64, keywords: Vec<String>, created_at: u64, aliases: Vec<String>, public: bool, currency: String, phone: String, locked: bool, size_in_bytes: u64 }
}

/// Only the first one: what is left is what every program has.
pub fn encode_one(encoder: &mut impl Encode) {
    encoder.encode(&black_box(Account::default()));
}
