// Inputs made by hand and histories as text, for the tests of the foreign readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "io/reader.hpp"
#include "isolde/history.hpp"

namespace isolde::io {

inline Input make_file(std::string name, std::string_view bytes) {
  std::string copy;
  copy.reserve(bytes.size() + Input::kPadding);
  copy = bytes;
  return {std::move(name), std::move(copy)};
}

inline Inputs one_file(std::string name, std::string_view bytes) {
  Inputs inputs;
  inputs.name = name;
  inputs.files.push_back(make_file(std::move(name), bytes));
  return inputs;
}

inline Inputs directory(std::vector<std::pair<std::string, std::string>> files) {
  Inputs inputs;
  inputs.name = "dir";
  inputs.is_directory = true;
  for (const auto& [name, bytes] : files) {
    inputs.files.push_back(make_file("dir/" + name, bytes));
  }
  return inputs;
}

inline Result<History> read_with(std::string_view format, const Inputs& inputs) {
  base::Budget budget;
  return find_format(format)->read(inputs, budget);
}

inline int detect_with(std::string_view format, const Inputs& inputs) {
  return find_format(format)->detect(inputs);
}

/// "s0:0 r(1)=initial w(1)=2; s1:0! ..." with ! behind aborted and ? behind indeterminate
/// transactions, or the error.
inline std::string text_of(const Result<History>& history) {
  if (!history.ok()) return history.error().message;
  std::string text;
  for (std::size_t i = 0; i < history->txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (i > 0) text += "; ";
    text += history->place_name(txn);
    if (history->status(txn) == TxnStatus::kAborted) text += '!';
    if (history->status(txn) == TxnStatus::kIndeterminate) text += '?';
    for (const Op& op : history->ops(txn)) {
      text += ' ';
      text += history->op_text(op);
    }
  }
  return text;
}

/// "[1,2] [3,-]": start and end of each transaction.
inline std::string times_of(const History& history) {
  std::string text;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnTimes times = history.times(TxnId::at(i));
    if (i > 0) text += ' ';
    text += '[';
    text += times.start == kNoTime ? "-" : std::to_string(times.start);
    text += ',';
    text += times.end == kNoTime ? "-" : std::to_string(times.end);
    text += ']';
  }
  return text;
}

inline std::string labels_of(const History& history) {
  std::string text;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    if (i > 0) text += ' ';
    text += history.json(history.label(TxnId::at(i)));
  }
  return text;
}

inline std::string positions_of(const History& history) {
  std::string text;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(history.position_in_input(TxnId::at(i)));
  }
  return text;
}

/// The lines of completions; 0 where there is none.
inline std::string completions_of(const History& history) {
  std::string text;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(history.completion_in_input(TxnId::at(i)));
  }
  return text;
}

/// All notes, joined.
inline std::string notes_of(const History& history) {
  std::string text;
  for (const std::string& note : history.origin().notes) {
    text += note;
    text += '\n';
  }
  return text;
}

/// Binary data written field by field.
class Bytes {
 public:
  Bytes& tag(char c) {
    text_ += c;
    return *this;
  }
  Bytes& big64(std::uint64_t word) { return big(word, 8); }
  Bytes& big32(std::uint64_t word) { return big(word, 4); }
  Bytes& little64(std::uint64_t word) { return little(word, 8); }
  Bytes& little32(std::uint64_t word) { return little(word, 4); }
  Bytes& text(std::string_view characters) {
    text_ += characters;
    return *this;
  }
  const std::string& str() const { return text_; }

 private:
  Bytes& big(std::uint64_t word, int count) {
    for (int i = count; i-- > 0;) text_ += static_cast<char>((word >> (8 * i)) & 0xff);
    return *this;
  }
  Bytes& little(std::uint64_t word, int count) {
    for (int i = 0; i < count; ++i) text_ += static_cast<char>((word >> (8 * i)) & 0xff);
    return *this;
  }

  std::string text_;
};

/// Checks a table of broken inputs: each must give bad input and a message with this start.
struct BrokenCase {
  const char* what;
  std::string bytes;
  const char* message_start;
};

inline void expect_refused(const Result<History>& history, std::string_view what,
                           std::string_view message_start) {
  ASSERT_FALSE(history.ok()) << what;
  EXPECT_EQ(history.error().code, ErrorCode::kBadInput) << what;
  EXPECT_EQ(history.error().message.find(message_start), 0U) << history.error().message;
}

}  // namespace isolde::io
