// What all fuzz targets share: bytes as Inputs, and the promises that every reader makes.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/budget.hpp"
#include "base/ways.hpp"
#include "io/native.hpp"
#include "io/reader.hpp"
#include "isolde/history.hpp"

namespace isolde::fuzz {

/// A broken promise: prints it and aborts, so that libFuzzer keeps the input.
inline void require(bool condition, std::string_view promise, std::string_view detail = {}) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %.*s: %.*s\n", static_cast<int>(promise.size()),
               promise.data(), static_cast<int>(detail.size()), detail.data());
  std::abort();
}

inline io::Input input_of(std::string name, std::string_view bytes) {
  // Exactly the padding that is promised, so that a sanitizer sees reading beyond it.
  std::string copy;
  copy.reserve(bytes.size() + io::Input::kPadding);
  copy = bytes;
  return {std::move(name), std::move(copy)};
}

/// The bytes as one file.
inline io::Inputs file_of(const std::uint8_t* data, std::size_t size) {
  io::Inputs inputs{"fuzz", false, {}};
  inputs.files.push_back(
      input_of("fuzz", std::string_view(reinterpret_cast<const char*>(data), size)));
  return inputs;
}

/// The bytes as a directory: the separator "%%%%" ends one file and begins the next. Files are
/// called <prefix>0<suffix>, <prefix>1<suffix>, ...
inline io::Inputs directory_of(const std::uint8_t* data, std::size_t size,
                               std::string_view prefix, std::string_view suffix) {
  constexpr std::string_view kSeparator = "%%%%";
  io::Inputs inputs{"fuzz", true, {}};
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (bool last = false; !last;) {
    const std::size_t length = rest.find(kSeparator);
    last = length == std::string_view::npos;
    std::string name = "fuzz/";
    name += prefix;
    name += std::to_string(inputs.files.size());
    name += suffix;
    inputs.files.push_back(input_of(std::move(name), rest.substr(0, length)));
    if (!last) rest.remove_prefix(length + kSeparator.size());
  }
  return inputs;
}

/// Errors are one line that begins with the input's name; histories can be walked, and survive
/// being written and read again.
inline void check_promises(const io::Inputs& inputs, const Result<History>& result) {
  if (!result.ok()) {
    const Error& error = result.error();
    require(error.code == ErrorCode::kBadInput || error.code == ErrorCode::kLimit,
            "bad bytes are bad input", error.message);
    require(error.message.starts_with(inputs.name), "errors say where", error.message);
    require(error.message.find('\n') == std::string::npos, "errors are one line",
            error.message);
    return;
  }
  const History& history = *result;
  const std::uint64_t digest = history.digest();
  io::StringSink sink;
  if (!io::write_native(history, sink).ok()) return;  // names that are no UTF-8
  const std::string& text = sink.text();
  const io::Inputs again =
      file_of(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  base::Budget budget;
  const Result<History> reread = io::read_native(again, budget);
  require(reread.ok(), "what is written can be read",
          reread.ok() ? "" : reread.error().message);
  require(reread->digest() == digest, "writing and reading change nothing", text);
}

/// The same bytes in a file that is mapped. Empty ones cannot be.
inline io::Input mapped_twin(const io::Input& input) {
  const std::string_view bytes = input.view();
  const int file = memfd_create("fuzz", MFD_CLOEXEC);
  require(file >= 0 &&
              write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
          "this machine has files in memory");
  auto mapped = io::MappedFile::map(file, bytes.size(), io::Input::kPadding);
  close(file);
  require(mapped.has_value(), "this machine maps files");
  return {input.name, std::move(*mapped)};
}

inline io::Inputs mapped_twins(const io::Inputs& inputs) {
  io::Inputs twins{inputs.name, inputs.is_directory, {}};
  for (const io::Input& file : inputs.files) {
    twins.files.push_back(file.view().empty() ? input_of(file.name, {}) : mapped_twin(file));
  }
  twins.leftovers.state = inputs.leftovers.state;
  twins.leftovers.name = inputs.leftovers.name;
  for (const io::Input& file : inputs.leftovers.files) {
    twins.leftovers.files.push_back(input_of(file.name, file.view()));
  }
  return twins;
}

/// Two ways to read the same bytes give the same history and notes, or the same error.
inline void require_same(const Result<History>& one, const Result<History>& other,
                         std::string_view promise) {
  const auto text = [](const Result<History>& result) {
    return result.ok() ? std::string("read") : result.error().message;
  };
  require(text(one) == text(other), promise, text(one) + " / " + text(other));
  if (!one.ok()) return;
  require(one->digest() == other->digest(), promise, "another history");
  require(one->origin().notes == other->origin().notes, promise, "other notes");
  require(one->origin().truncated == other->origin().truncated, promise, "truncated");
}

/// Runs a format on the input: detection, reading, promises; mapped and by other ways as well
/// (base/ways.hpp).
inline void exercise(const io::Inputs& inputs, int (*detect)(const io::Inputs&),
                     Result<History> (*read)(const io::Inputs&, base::Budget&)) {
  const int score = detect(inputs);
  require(score >= 0 && score <= 100, "scores are 0 to 100");
  base::Budget budget;
  const Result<History> result = read(inputs, budget);
  check_promises(inputs, result);

  io::Inputs mapped = mapped_twins(inputs);
  require(detect(mapped) == score, "mapped files look the same");
  require_same(result, read(mapped, budget), "mapped files are the same");
  base::Ways& ways = base::ways();
  ways.usual_lines = false;
  ways.small_keys = 0;
  require_same(result, read(mapped, budget), "other ways give the same");
  ways = {};
  mapped.threads = 2;
  mapped.block_bytes = 16;
  require_same(result, read(mapped, budget), "blocks give the same as lines");
}

}  // namespace isolde::fuzz
