//! Shared by serializers that accept only some kinds of values.

use serde::ser::Impossible;

use crate::error::Error;

/// The state of an array or object that is always refused.
pub(super) type Refused = Impossible<(), Error>;

/// Methods of a `Serializer` that call its `refuse`.
macro_rules! refuse {
    ($($method:ident($($type:ty),*) -> $result:ty;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<$result> {
            self.refuse()
        }
    )*};
}
pub(super) use refuse;

/// The methods of a `Serializer` that one for a single kind of value refuses, whatever that kind is. Those for strings, byte
/// strings, units and sequences are left to the caller. Its type for what is refused is `Refused`.
macro_rules! refuse_most {
    ($ok:ty) => {
        crate::ser::refuse::refuse! {
            serialize_bool(bool) -> $ok;
            serialize_i8(i8) -> $ok;
            serialize_i16(i16) -> $ok;
            serialize_i32(i32) -> $ok;
            serialize_i64(i64) -> $ok;
            serialize_u8(u8) -> $ok;
            serialize_u16(u16) -> $ok;
            serialize_u32(u32) -> $ok;
            serialize_u64(u64) -> $ok;
            serialize_f32(f32) -> $ok;
            serialize_f64(f64) -> $ok;
            serialize_char(char) -> $ok;
            serialize_none() -> $ok;
            serialize_unit_struct(&'static str) -> $ok;
            serialize_unit_variant(&'static str, u32, &'static str) -> $ok;
            serialize_tuple(usize) -> Refused;
            serialize_tuple_struct(&'static str, usize) -> Refused;
            serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Refused;
            serialize_map(Option<usize>) -> Refused;
            serialize_struct(&'static str, usize) -> Refused;
            serialize_struct_variant(&'static str, u32, &'static str, usize) -> Refused;
        }

        fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<$ok> {
            self.refuse()
        }

        fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, _: &T) -> Result<$ok> {
            self.refuse()
        }

        fn serialize_newtype_variant<T: ?Sized + Serialize>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<$ok> {
            self.refuse()
        }
    };
}
pub(super) use refuse_most;
