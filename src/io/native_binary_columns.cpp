#include "io/native_binary_columns.hpp"

#include <simdjson.h>
#include <xxhash.h>

#include <cstring>
#include <string_view>

namespace isolde::io {

using binary::Encoding;
using binary::Section;

/// Header and section table have the checksum that the header says. REQUIRES: they are there.
bool BinaryColumns::is_front_whole(std::string_view group) const {
  const std::string_view hashed =
      group.substr(binary::kHashedFrom, front_bytes() - binary::kHashedFrom);
  return XXH3_64bits(hashed.data(), hashed.size()) == header_.hash;
}

/// What a recorder that was killed leaves of a group: a part of it, or zeros.
bool BinaryColumns::open_header() {
  const std::string_view file = input_.view().substr(begin_);
  is_torn_ = groups_ > 0 && file.find_first_not_of('\0') == std::string_view::npos;
  if (file.size() < sizeof header_) {
    is_torn_ = groups_ > 0;
    return fail_at(begin_ + file.size(), "the file ends in a header");
  }
  std::memcpy(&header_, file.data(), sizeof header_);
  if (std::string_view(header_.magic.data(), header_.magic.size()) != binary::kMagic) {
    return fail_at(begin_, groups_ == 0
                               ? "the file does not begin with ISOLDEB1; this is another format"
                               : "what follows a group does not begin with ISOLDEB1");
  }
  if (header_.version < binary::kVersion || header_.version > binary::kVersionOfDeletes) {
    return fail_at(begin_ + 16,
                   "this is version " + std::to_string(header_.version) +
                       " of the native binary format and this Isolde reads versions 1 and 2; "
                       "use a newer Isolde");
  }
  if (header_.group != groups_) {
    return fail_at(begin_ + 28, "here is group " + std::to_string(header_.group) +
                                    " and should be group " + std::to_string(groups_) +
                                    "; put the parts of the file in order");
  }
  if (header_.group_bytes > file.size()) {
    is_torn_ = groups_ > 0 && (front_bytes() > file.size() || is_front_whole(file));
    return fail_at(begin_ + 32,
                   "the file has " + std::to_string(file.size()) + " bytes and should have " +
                       std::to_string(header_.group_bytes) + "; it was cut, copy it again");
  }
  return true;
}

bool BinaryColumns::open() {
  begin_ = end_;
  columns_ = {};
  present_ = {};
  if (!open_header()) return false;
  const std::string_view group = input_.view().substr(begin_, header_.group_bytes);
  if (group.size() < sizeof header_ ||
      header_.section_count > (group.size() - sizeof header_) / sizeof(Section)) {
    return fail_at(begin_ + 24, "the section table is longer than the group");
  }
  if (!is_front_whole(group)) {
    return fail_at(begin_ + 8,
                   "wrong checksum of the header; the file is damaged, copy it again");
  }
  ++groups_;
  end_ = begin_ + header_.group_bytes;
  std::uint64_t earliest = begin_ + front_bytes();
  for (std::uint32_t i = 0; i < header_.section_count; ++i) {
    Section section;
    std::memcpy(&section, group.data() + sizeof header_ + i * sizeof section, sizeof section);
    section.offset += begin_;
    if (!open_section(section, earliest)) return false;
    earliest = section.offset + section.stored_bytes;
  }
  return check_columns();
}

bool BinaryColumns::open_section(const Section& section, std::uint64_t earliest) {
  const std::string_view file = input_.view().substr(0, end_);
  const std::string name = "section " + std::to_string(section.column);
  if (section.offset % 8 != 0 || section.offset < earliest || section.offset > file.size() ||
      section.stored_bytes > file.size() - section.offset) {
    return fail_at(earliest,
                   name + " does not lie after the previous one and within the group");
  }
  if (XXH3_64bits(file.data() + section.offset, section.stored_bytes) != section.hash) {
    return fail_at(section.offset,
                   "wrong checksum of " + name + "; the file is damaged, copy it again");
  }
  // Columns of later revisions that this version does not need.
  if (section.column == 0 || section.column > binary::kColumnCount) return true;
  if (section.encoding != Encoding::kRaw && section.encoding != Encoding::kZstd) {
    return fail_at(section.offset, name + " has an encoding that is neither raw nor zstd");
  }
  const bool raw = section.encoding == Encoding::kRaw;
  if (raw ? section.raw_bytes != section.stored_bytes
          : section.raw_bytes / binary::kRatioMax > section.stored_bytes) {
    return fail_at(section.offset, name + " has an impossible size");
  }
  if (section.raw_bytes % binary::kWidths[section.column] != 0) {
    return fail_at(section.offset, name + " does not hold whole elements");
  }
  if (present_[section.column]) return fail_at(section.offset, name + " occurs twice");
  present_[section.column] = true;
  columns_[section.column] = ColumnBytes(file, section);
  return true;
}

/// The columns that must be there are, and those of one table have the same number of rows. An
/// absent column counts as empty.
bool BinaryColumns::check_columns() {
  const std::uint64_t txns = rows(Column::kTxnSessions);
  for (const Column column : {Column::kTxnStatuses, Column::kTxnOpCounts}) {
    if (rows(column) != txns)
      return fail_in(column, "the transaction columns differ in length");
  }
  for (const Column column :
       {Column::kTxnStarts, Column::kTxnEnds, Column::kTxnLabels, Column::kTxnDatabaseStarts,
        Column::kTxnDatabaseCommits, Column::kTxnLevels, Column::kTxnServers}) {
    if (has(column) && rows(column) != txns) {
      return fail_in(column, "the transaction columns differ in length");
    }
  }
  if (has(Column::kTxnStarts) != has(Column::kTxnEnds) ||
      has(Column::kTxnDatabaseStarts) != has(Column::kTxnDatabaseCommits)) {
    return fail_at(begin_, "only one of the two columns of times is present");
  }
  for (const Column column : {Column::kOpKeys, Column::kOpValues, Column::kOpVersions}) {
    const bool may_miss = column == Column::kOpVersions && !has(column);
    if (!may_miss && rows(column) != rows(Column::kOpKinds)) {
      return fail_in(column, "the operation columns differ in length");
    }
  }
  if (has(Column::kOpVersions) && !knows_deletes()) {
    return fail_in(Column::kOpVersions, "versions in a file of version 1");
  }
  if (rows(Column::kStringKinds) != rows(Column::kStringEnds)) {
    return fail_in(Column::kStringKinds, "the string columns differ in length");
  }
  for (const Column column :
       {Column::kEventTimes, Column::kEventKinds, Column::kEventTexts, Column::kEventNames}) {
    if (rows(column) != rows(Column::kEventParts)) {
      return fail_in(column, "the columns of events differ in length");
    }
  }
  for (const Column column : {Column::kInitialValues, Column::kInitialCounts}) {
    if (rows(column) != rows(Column::kInitialKeys)) {
      return fail_in(column, "the columns of initial contents differ in length");
    }
  }
  for (const Column column :
       {Column::kClockOrigin, Column::kClockMonotonic, Column::kClockError}) {
    if (has(column) && rows(column) != 1) {
      return fail_in(column, "what is told of the clock is not one number");
    }
  }
  if (has(Column::kOpenSince) && rows(Column::kOpenSince) != 1) {
    return fail_in(Column::kOpenSince, "the start of what is open is not one number");
  }
  return true;
}

/// `begin` is the end of the text before.
bool BinaryColumns::next_text(Column ends, Column chars, std::uint64_t& begin,
                              std::string& text) {
  std::uint64_t end = 0;
  text.clear();
  if (!next(ends, end)) return false;
  if (end < begin || end - begin > of(chars).left()) {
    return fail_in(ends, "a text ends outside of its characters");
  }
  if (!of(chars).take(end - begin, text)) return fail_in(chars, "the column ends too early");
  if (!simdjson::validate_utf8(text)) return fail_in(chars, "a text is not valid UTF-8");
  begin = end;
  return true;
}

bool BinaryColumns::read_number(Column column, std::int64_t& number) {
  std::uint64_t bits = 0;
  if (!has(column)) return true;
  if (!next(column, bits)) return false;
  number = static_cast<std::int64_t>(bits);
  return true;
}

bool BinaryColumns::take_all(Column column, std::uint64_t most, std::string& text) {
  if (!has(column)) return true;
  if (rows(column) > most) return fail_in(column, "the text is too long");
  if (!of(column).take(of(column).left(), text)) {
    return fail_in(column, "the column ends too early");
  }
  return simdjson::validate_utf8(text) || fail_in(column, "a text is not valid UTF-8");
}

bool BinaryColumns::check_ends() {
  for (std::size_t number = 1; number <= binary::kColumnCount; ++number) {
    const auto column = static_cast<Column>(number);
    if (of(column).left() > 0) {
      return fail_in(column,
                     "section " + std::to_string(number) + " has unused data at its end");
    }
  }
  return true;
}

}  // namespace isolde::io
