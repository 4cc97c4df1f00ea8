//! Every order in which threads can meet at a slot, by loom: `.ci/loom`.

use std::panic;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::super::slot::Slot;

/// A slot, and how often its work was done.
type Shared = Arc<(Slot<u8, u8>, AtomicUsize)>;

fn shared() -> Shared {
    Arc::new((Slot::new(7), AtomicUsize::new(0)))
}

fn run(shared: &Shared) -> bool {
    let (slot, done) = &**shared;
    slot.run(|work| {
        done.fetch_add(1, Ordering::Relaxed);
        work + 1
    })
}

#[test]
fn work_is_done_once_and_the_caller_gets_it() {
    loom::model(|| {
        let shared = shared();
        let others: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || run(&shared))
            })
            .collect();
        let mine = run(&shared);
        let outcome = shared.0.finish();
        assert_eq!(outcome.and_then(Result::ok), Some(8));
        let theirs = others.into_iter().map(|other| other.join().unwrap());
        assert_eq!(theirs.filter(|ran| *ran).count() + usize::from(mine), 1);
        assert_eq!(shared.1.load(Ordering::Relaxed), 1);
        assert!(!run(&shared), "nothing is left");
    });
}

#[test]
fn work_is_done_or_cancelled() {
    loom::model(|| {
        let shared = shared();
        let other = thread::spawn({
            let shared = shared.clone();
            move || run(&shared)
        });
        shared.0.cancel();
        let outcome = shared.0.finish();
        let ran = other.join().unwrap();
        assert_eq!(outcome.is_some(), ran);
        assert_eq!(shared.1.load(Ordering::Relaxed), usize::from(ran));
    });
}

#[test]
fn a_panic_reaches_the_caller_who_waits() {
    panic::set_hook(Box::new(|_| {}));
    loom::model(|| {
        let slot = Arc::new(Slot::<u8, u8>::new(7));
        let other = thread::spawn({
            let slot = slot.clone();
            move || slot.run(|_| panic::resume_unwind(Box::new("no")))
        });
        let mine = slot.run(|work| work);
        match slot.finish() {
            Some(Ok(work)) => assert!(mine && work == 7),
            Some(Err(payload)) => assert!(!mine && *payload.downcast::<&str>().unwrap() == "no"),
            None => panic!("nobody did the work"),
        }
        assert_ne!(other.join().unwrap(), mine);
    });
}
