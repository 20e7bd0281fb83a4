// What readers of directories learn from the names of the files in them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "io/reader.hpp"

namespace isolde::io {

/// The name without folders and without the suffix of the compression it was unpacked from.
inline std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  for (const std::string_view suffix : {".zst", ".gz"}) {
    if (path.ends_with(suffix)) path.remove_suffix(suffix.size());
  }
  return path;
}

// What formats read of a directory.
inline bool is_log(std::string_view path) { return base_name(path).ends_with(".log"); }
inline bool is_viper_log(std::string_view path) {
  return is_log(path) && base_name(path).starts_with('J');
}
inline bool is_bincode(std::string_view path) { return base_name(path).ends_with(".bincode"); }

/// The session that a file holds: its number for T12.log and J12.log, otherwise its stem.
inline std::string_view session_of_file(std::string_view path) {
  std::string_view stem = base_name(path);
  const std::size_t dot = stem.rfind('.');
  if (dot != std::string_view::npos && dot > 0) stem = stem.substr(0, dot);
  if (stem.size() < 2 || (stem[0] != 'T' && stem[0] != 'J')) return stem;
  std::string_view digits = stem.substr(1);
  if (digits.size() > 1 && digits[0] == '-') digits.remove_prefix(1);
  const bool number =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? stem.substr(1) : stem;
}

/// The files of the input that end in `suffix`; all of them when the input is one file, which
/// may be called anything.
inline std::vector<const Input*> files_ending_in(const Inputs& inputs,
                                                 std::string_view suffix) {
  std::vector<const Input*> files;
  for (const Input& file : inputs.files) {
    if (!inputs.is_directory || base_name(file.name).ends_with(suffix)) files.push_back(&file);
  }
  return files;
}

/// First bytes of a file, for detection.
inline std::string_view head_of(const Input& file) { return file.view().substr(0, kHeadBytes); }

/// First bytes of the input when it is one file, otherwise empty.
inline std::string_view head_of(const Inputs& inputs) {
  if (inputs.is_directory || inputs.files.size() != 1) return {};
  return head_of(inputs.files.front());
}

}  // namespace isolde::io
