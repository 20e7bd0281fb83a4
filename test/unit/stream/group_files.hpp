// Files in groups, for tests of sources.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/native.hpp"
#include "io/sink.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::stream {

struct Group {
  std::vector<std::int64_t> starts;  ///< a transaction each, which ends 5 later
  std::int64_t open_since = kNoTime;
  bool is_last = false;
  bool promises_end = false;  ///< that there will be a last one
};

/// The group with that number in its file: each transaction writes its start to key "x".
inline std::string group_text(std::uint32_t number, const Group& group,
                              std::string_view session = "s") {
  HistoryBuilder builder;
  for (const std::int64_t start : group.starts) {
    builder.begin_txn(builder.session(session));
    builder.set_times({start, start + 5});
    builder.write(builder.key(builder.string("x")), builder.integer(start));
  }
  io::StringSink sink;
  const io::BinaryGroup about{number, group.is_last || group.promises_end, group.is_last,
                              group.open_since};
  EXPECT_TRUE(
      io::write_native_binary(std::move(builder.finish()).value(), sink, true, about).ok());
  return sink.text();
}

inline void append(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

}  // namespace isolde::stream
