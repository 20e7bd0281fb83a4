// The edge that a read adds because of something visible to its reader.
#pragma once

#include "infer/observations.hpp"
#include "isolde/certificate.hpp"

namespace isolde::checker {

/// None for the initial version.
inline TxnId writer_of(const infer::Observations& seen, infer::WriteId write) {
  return write.is_none() ? TxnId::none() : seen.writer(write);
}

/// `visible` precedes the source of the read; an edge to itself when that is the initial value.
inline Edge view_edge(const infer::Observations& seen, EdgeKind kind, TxnId visible,
                      const infer::ReadFrom& read, TxnId reader) {
  const TxnId source = writer_of(seen, read.source);
  return {visible, source.is_none() ? visible : source, kind, read.key, reader};
}

}  // namespace isolde::checker
