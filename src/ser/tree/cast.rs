//! Recognizes a `serde_json::Value` among values of any type, so that it is written by its own walk wherever it is.
//!
//! It is not looked for in the fields of structs and the elements of arrays, where it would make the code of every type
//! larger: there `Serialize for Value` comes first, which leads here with its elements or members.

#![allow(unsafe_code)]

use std::ptr;

use serde_json::Value;

/// `value`, if it is a tree or a reference to one. The comparison is made at compile time.
#[inline(always)]
pub(in crate::ser) fn as_tree<T: ?Sized>(value: &T) -> Option<&Value> {
    let id = typeid::of::<T>();
    if id == typeid::of::<Value>() {
        // SAFETY: `T` and `Value` have the same identity, and `Value` has no lifetimes in which they could differ, so they
        // are one type. The reference is as long as that to `value`.
        Some(unsafe { &*ptr::from_ref(value).cast::<Value>() })
    } else if id == typeid::of::<&Value>() {
        // SAFETY: `T` is `&Value` but for its lifetime. That is at least as long as the one of the reference to `value`,
        // through which it is read here and which bounds the result.
        Some(unsafe { *ptr::from_ref(value).cast::<&Value>() })
    } else {
        None
    }
}

/// The elements of an array of trees, given as what is iterated over.
#[inline(always)]
pub(in crate::ser) fn as_trees<I>(items: &I) -> Option<&[Value]> {
    if typeid::of::<I>() == typeid::of::<&Vec<Value>>() {
        // SAFETY: as in `as_tree`, for a reference to a vector.
        Some(unsafe { *ptr::from_ref(items).cast::<&Vec<Value>>() })
    } else {
        None
    }
}
