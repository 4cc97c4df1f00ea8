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
