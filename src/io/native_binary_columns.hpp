// A group of a file in the native binary format as columns: its header and its table of
// sections, checked against each other, and the elements of each column in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "io/column_bytes.hpp"
#include "io/native_binary.hpp"
#include "io/reader.hpp"

namespace isolde::io {

/// What returns bool gives false after the first problem and leaves it in error().
class BinaryColumns {
 public:
  using Column = binary::Column;

  /// A file, or a part of it from the beginning of a group on, of which so many bytes and
  /// groups lie before the part. The input must outlive this object.
  explicit BinaryColumns(const Input& input, std::uint64_t bytes_before = 0,
                         std::uint32_t groups_before = 0)
      : input_(input), bytes_before_(bytes_before), groups_(groups_before) {}

  /// Header and sections of the next group; the columns that must be there are, and those of
  /// one table have the same number of rows. An absent column counts as empty. Must come first.
  bool open();
  /// After open() failed: the group begins where whole groups end, and is there in part.
  bool is_torn() const { return is_torn_; }
  /// Another group follows, or a part of one.
  bool has_more() const { return end_ < input_.view().size(); }
  /// Where the group begins in the file.
  std::uint64_t begin() const { return bytes_before_ + begin_; }

  const Input& input() const { return input_; }
  const binary::Header& header() const { return header_; }
  /// The version that knows deletions, rows and versions.
  bool knows_deletes() const { return header_.version >= binary::kVersionOfDeletes; }

  ColumnBytes& of(Column column) { return columns_[static_cast<std::size_t>(column)]; }
  bool has(Column column) const { return present_[static_cast<std::size_t>(column)]; }
  std::uint64_t rows(Column column) {
    return of(column).left() / binary::kWidths[static_cast<std::size_t>(column)];
  }

  template <typename T>
  bool next(Column column, T& value) {
    if (of(column).next(value)) return true;
    return fail_in(column, "the column ends too early; the file is inconsistent");
  }
  /// `begin` is the end of the text before.
  bool next_text(Column ends, Column chars, std::uint64_t& begin, std::string& text);
  /// The only one of its column, if that is there.
  bool read_number(Column column, std::int64_t& number);
  /// The column as one text, if it is there, of so many bytes at most.
  bool take_all(Column column, std::uint64_t most, std::string& text);
  /// Nothing is left in any column.
  bool check_ends();

  const Error& error() const { return error_; }
  bool fail(const Error& error) {
    error_ = error;
    return false;
  }
  bool fail(ErrorCode code, const std::string& problem) {
    error_ = {code, input_.name + problem};
    return false;
  }
  /// At the element of the column that was read last.
  bool fail_in(Column column, const std::string& problem) {
    const ColumnBytes& bytes = of(column);
    return fail_at(bytes.offset(), bytes.problem().empty() ? problem : bytes.problem());
  }

 private:
  bool fail_at(std::uint64_t offset, const std::string& problem) {
    return fail(ErrorCode::kBadInput,
                "@" + std::to_string(bytes_before_ + offset) + ": " + problem);
  }
  bool open_header();
  std::uint64_t front_bytes() const {
    return sizeof header_ + header_.section_count * sizeof(binary::Section);
  }
  bool is_front_whole(std::string_view group) const;
  bool open_section(const binary::Section& section, std::uint64_t earliest);
  bool check_columns();

  const Input& input_;
  std::uint64_t bytes_before_ = 0;
  std::uint64_t begin_ = 0;  // of the group in the input
  std::uint64_t end_ = 0;
  std::uint32_t groups_ = 0;
  bool is_torn_ = false;
  binary::Header header_;
  std::array<ColumnBytes, binary::kColumnCount + 1> columns_;
  std::array<bool, binary::kColumnCount + 1> present_{};
  Error error_;
};

}  // namespace isolde::io
