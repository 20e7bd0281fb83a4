// View edges: what the axioms of Biswas & Enea (OOPSLA 2019) add to the commit order. When t3
// reads x from t1, and t2, which also writes x, was visible to t3, then t2 precedes t1. From
// monotonic atomic view through read atomic to transactional causal, more and more is visible.
//
// These levels require no more. Like read-from, the orders that list reads show, and session
// order and real time where they bind, the view edges are certain where each read has one
// source: they do not depend on the commit order. So a level holds exactly when the graph of
// all these edges is acyclic: any topological order is then a witness, and a cycle is a
// refutation. No search is needed, whereas snapshot isolation and serializability are
// NP-complete.
//
// Only some of the edges are listed. When t2 and t2' are visible to t3 because of session order
// or real time, and t2 precedes t2' by it, the edge of t2' implies that of t2. That keeps the
// number of edges near the number of reads; listing all pairs would be quadratic in the length
// of a session. A transaction's reads are compared with the sources of its other reads
// (monotonic atomic view: of earlier ones): all pairs in a short transaction, through an index
// by key in a long one (`ways().short_txn` forces either in tests), and where a source wrote
// more than is read, by a look at its writes for each read.
#pragma once

#include <vector>

#include "base/budget.hpp"
#include "history/certificate.hpp"
#include "infer/event_graph.hpp"
#include "isolde/level.hpp"

namespace isolde::checker {

/// Monotonic atomic view: visible is what the transaction read from earlier (mv). Read atomic:
/// anything it reads from, and with session or real-time order what precedes it there (av).
/// Where several transactions are visible for the same reason and ordered by it, only the last
/// gets an edge. Transactional causal: the edges of read atomic, a subset of its own. Other
/// base levels have no such edges.
std::vector<Edge> direct_views(const infer::Observations& seen, const LevelInfo& level,
                               std::int64_t clock_error_ns, base::Budget& budget,
                               unsigned threads = 1);

/// Transactional causal: visible is whatever reaches the transaction by a path in `past` (cv).
/// The last visible writer of each session gets an edge, unless a path leads from it to t1
/// anyway. Empty when `past` has a cycle. REQUIRES: one event a transaction; session order
/// binds in `past`.
std::vector<Edge> causal_views(const infer::EventGraph& past, base::Budget& budget,
                               unsigned threads = 1);

/// All view edges of the graph's level. REQUIRES: the graph has the encoding() of a level with
/// Method::kViews, with or without the orders that lists show.
std::vector<Edge> all_views(const infer::EventGraph& events, const LevelInfo& level,
                            unsigned threads, base::Budget& budget);

}  // namespace isolde::checker
