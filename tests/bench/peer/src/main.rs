//! The published crate's side of the comparison (../ours.cpp is ours), by its public API: reading a
//! MIR graph and counting its bytes and FLOPs.
//! Usage: peer FILE
//! Prints nodes, bytes and FLOP, then ns a node, the same without names, and MB/s of reading.

use rlx_ir::Graph;
use rlx_opscope::bytes::analyze;
use std::error::Error;
use std::hint::black_box;

/// Of the processor, as ours: what else runs takes none of it.
fn cpu_seconds() -> f64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `t` is valid for the one write.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    assert_eq!(status, 0);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// Seconds that the quickest call took, of ten at least and half a second of them at least. What a
/// call returns is dropped within its time.
fn quickest<T>(f: impl Fn() -> T) -> f64 {
    let begun = cpu_seconds();
    let mut best = f64::MAX;
    let mut calls = 0;
    while calls < 10 || cpu_seconds() - begun < 0.5 {
        let start = cpu_seconds();
        drop(black_box(f()));
        best = best.min(cpu_seconds() - start);
        calls += 1;
    }
    best
}

/// RLX has no function for a graph's JSON, which serde derives; from_str is its quickest reader.
fn read(path: &str) -> Result<Graph, Box<dyn Error>> {
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: peer FILE")?;
    let size = std::fs::metadata(&path)?.len() as f64;
    let mut graph = read(&path)?;
    let cost = analyze(&graph);
    let nodes = graph.len() as f64;
    let rule = quickest(|| analyze(&graph)) / nodes;
    let reading = quickest(|| read(&path));

    // Optimised graphs have lost their names, which the crate copies for each node.
    for node in graph.nodes_mut() {
        node.name = None;
    }
    let nameless = quickest(|| analyze(&graph)) / nodes;
    println!(
        "{nodes} {} {}\n{:.2} {:.2} {:.0}",
        cost.total_bytes(),
        cost.total_flops(),
        rule * 1e9,
        nameless * 1e9,
        size / reading * 1e-6
    );
    Ok(())
}
