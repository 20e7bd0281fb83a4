// Values for logs in which a read names the write it saw instead of the value: the write's id
// where that tells the writes of each key apart, otherwise "transaction/write".
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/hash.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {

class WriteIdentity {
 public:
  /// Call for every write and for every write that a read names, before value().
  void see(KeyId key, std::int64_t write, std::int64_t writer) {
    const auto [entry, fresh] = writers_.try_emplace({key.raw(), write}, writer);
    if (!fresh && entry->second != writer) ids_suffice_ = false;
  }

  Value value(HistoryBuilder& builder, std::int64_t write, std::int64_t writer) const {
    if (ids_suffice_) return builder.integer(write);
    return builder.string(std::to_string(writer) + "/" + std::to_string(write));
  }

 private:
  struct Name {
    std::uint32_t key = 0;
    std::int64_t write = 0;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct Hash {
    std::size_t operator()(const Name& name) const {
      return base::mix2(name.key, static_cast<std::uint64_t>(name.write));
    }
  };

  std::unordered_map<Name, std::int64_t, Hash> writers_;
  bool ids_suffice_ = true;
};

}  // namespace isolde::io
