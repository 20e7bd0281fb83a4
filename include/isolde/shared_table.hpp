// A table that the copies of a history share until one of them changes it. Most copies give the
// operations another meaning, or other neighbours, and leave conditions, texts and rows as they
// are, which in histories of SQL statements take more memory than all operations.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace isolde {

/// No part of the interface: see HistoryTables. Threads: copies may be made, read and destroyed
/// at once; edit() by one thread, that has the object to itself.
template <typename Table>
class SharedTable {
 public:
  SharedTable() = default;
  explicit SharedTable(Table table)
      : owned_(std::make_shared<Table>(std::move(table))), seen_(owned_.get()) {}
  SharedTable(const SharedTable&) = default;
  SharedTable& operator=(const SharedTable&) = default;
  SharedTable(SharedTable&& from) noexcept
      : owned_(std::move(from.owned_)), seen_(std::exchange(from.seen_, &kEmpty)) {}
  SharedTable& operator=(SharedTable&& from) noexcept {
    owned_ = std::move(from.owned_);
    seen_ = std::exchange(from.seen_, &kEmpty);
    return *this;
  }
  ~SharedTable() = default;

  const Table& operator*() const { return *seen_; }
  const Table* operator->() const { return seen_; }
  decltype(auto) operator[](std::size_t at) const { return (*seen_)[at]; }
  std::size_t size() const { return seen_->size(); }
  bool empty() const { return seen_->empty(); }

  /// For a change that other copies do not see. COST: copies the table when it is shared.
  Table& edit() {
    if (!owned_ || owned_.use_count() > 1) {
      owned_ = std::make_shared<Table>(*seen_);
      seen_ = owned_.get();
    }
    return *owned_;
  }

 private:
  static inline const Table kEmpty;
  std::shared_ptr<Table> owned_;  // none: the table is empty
  const Table* seen_ = &kEmpty;
};

}  // namespace isolde
