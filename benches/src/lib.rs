//! Nothing but benchmarks; see the files beside this folder.
