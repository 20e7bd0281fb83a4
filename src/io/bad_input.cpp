#include "io/bad_input.hpp"

#include <utility>

#include "base/budget.hpp"
#include "io/file_names.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {

Error bad_line(std::string_view file, std::uint64_t line, std::string_view what) {
  return {ErrorCode::kBadInput,
          std::string(file) + ":" + std::to_string(line) + ": " + std::string(what)};
}

Error bad_byte(std::string_view file, std::uint64_t offset, std::string_view what) {
  return {ErrorCode::kBadInput,
          std::string(file) + "@" + std::to_string(offset) + ": " + std::string(what)};
}

Error out_of_budget(std::string_view file, const base::Budget& budget) {
  return {ErrorCode::kLimit, std::string(file) + ": " + budget.reason() + " while reading"};
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 24;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15U];
    }
  }
  out += text.size() > kMost ? "...'" : "'";
  return out;
}

Error passes_differ(std::string_view file, std::uint64_t offset) {
  return {ErrorCode::kInternal,
          std::string(file) + "@" + std::to_string(offset) +
              ": internal error: two passes over the file found different transactions; if "
              "nobody wrote to it meanwhile, this is a bug, please report it"};
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

Result<History> finish_history(HistoryBuilder& builder, const Inputs& inputs,
                               std::string_view format) {
  HistoryOrigin& origin = builder.origin();
  origin.file = inputs.name;
  origin.format = format;
  for (const Input& file : inputs.files) {
    origin.compressed = origin.compressed || file.compressed;
  }
  if (inputs.is_directory && origin.session_files.empty()) {
    for (const Input* const file : files_ending_in(inputs, ".log")) {
      origin.session_files.emplace(session_of_file(file->name), file->name);
    }
  }
  for (const Input& file : inputs.files) {
    if (inputs.is_directory && file.name.ends_with(".log") && file.view().empty()) {
      origin.notes.push_back(file.name + " is empty");
    }
  }
  Result<History> history = builder.finish();
  if (!history.ok()) {
    return Error{history.error().code, inputs.name + ": " + history.error().message};
  }
  return history;
}

}  // namespace isolde::io
