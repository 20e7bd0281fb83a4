// The edge that a read adds because of something visible to its reader.
#pragma once

#include "history/certificate.hpp"
#include "infer/observations.hpp"

namespace isolde::checker {

/// `visible` precedes the source of the read; an edge to itself when that is the initial value.
inline Edge view_edge(const infer::Observations& seen, EdgeKind kind, TxnId visible,
                      const infer::ReadFrom& read, TxnId reader) {
  const TxnId source = seen.writer_or_none(read.source);
  return {visible, source.is_none() ? visible : source, kind, read.key, reader};
}

}  // namespace isolde::checker
