// View edges: what the axioms of Biswas & Enea (OOPSLA 2019) add to the order of commits. When
// t3 reads x from t1, and t2, which writes x too, was visible to t3, then t2 precedes t1. From
// monotonic atomic view over read atomic to transactional causal more and more is visible.
//
// That is all that these levels ask. With session order and read-from, and real time where it
// binds, the view edges are certain: which of them there are does not depend on the order that
// is looked for. So a level holds exactly when the graph of all these edges has no cycle: any
// topological order is then a witness, and a cycle is a refutation. No search is needed, and
// the cost is near-linear, where the levels above are NP-complete.
//
// Only some of the edges are listed. When t2 and t2' are visible to t3 for the same reason, and
// t2 precedes t2' by session order, the edge of t2' implies that of t2. That keeps the number
// of edges near the number of reads; listing all pairs would be quadratic in the length of a
// session. The reads of one transaction are compared with what its other reads read from: all
// with all in a short transaction, through an index by key in a long one (`ways().short_txn`
// forces either in tests).
#pragma once

#include <vector>

#include "base/budget.hpp"
#include "infer/event_graph.hpp"
#include "isolde/certificate.hpp"
#include "isolde/level.hpp"

namespace isolde::checker {

/// Monotonic atomic view: visible is what the transaction read from earlier (mv). Read atomic:
/// what it reads from at all, and with session or real-time order what precedes it there (av).
/// Where several transactions are visible for the same reason and come one after the other in
/// that order, only the last gets an edge. Transactional causal: those of read atomic, which
/// are among its own. Other base levels have no such edges.
std::vector<Edge> direct_views(const infer::Observations& seen, const LevelInfo& level,
                               std::int64_t clock_error_ns, base::Budget& budget,
                               unsigned threads = 1);

/// Transactional causal: visible is whatever leads to the transaction by a path of edges of
/// `past` (cv). Of each session the last visible writer gets an edge, unless a path leads from
/// it to t1 anyway. Empty when `past` has a cycle. REQUIRES: one event a transaction; session
/// order binds in `past`.
std::vector<Edge> causal_views(const infer::EventGraph& past, base::Budget& budget,
                               unsigned threads = 1);

/// All view edges of the level that the graph is of. REQUIRES: it is encoding() of a level with
/// Method::kViews.
std::vector<Edge> all_views(const infer::EventGraph& events, const LevelInfo& level,
                            unsigned threads, base::Budget& budget);

}  // namespace isolde::checker
