// Detection of formats, and reading in the one that was found. Every format scores the input by
// names and first bytes; the highest score wins, and a tie is an error rather than a guess,
// because two readers may make different histories of the same bytes.
#include "io/reader.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "base/budget.hpp"
#include "base/phrases.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "io/file_names.hpp"
#include "io/group_recording.hpp"
#include "io/native.hpp"
#include "io/page_watch.hpp"
#include "io/source.hpp"

namespace isolde::io {
namespace {

std::string format_names() {
  std::string names;
  for (const Format* format : formats()) {
    if (!names.empty()) names += ", ";
    names += format->name;
  }
  return names;
}

/// Of a directory: the first file that is a history by itself, in one of our formats.
const Input* native_member(const Inputs& inputs) {
  if (!inputs.is_directory) return nullptr;
  for (const Input& member : inputs.files) {
    Inputs alone{member.name, false, {}};
    alone.files.emplace_back(member.name, std::string(member.view()));
    if (detect_native(alone) > 0 || detect_native_binary(alone) > 0) return &member;
  }
  return nullptr;
}

bool is_certificate(const Input& file) {
  return file.view().starts_with("{\"isolde-certificate\":");
}

/// A native history that begins with a transaction.
bool is_headless(const Input& file) {
  const std::string_view head = head_of(file);
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.starts_with('{') && line.find("\"session\"") != std::string_view::npos &&
         line.find("\"ops\"") != std::string_view::npos;
}

/// What check --json prints.
bool is_report(const Input& file) { return file.view().starts_with("{\"schema\":1,\"file\":"); }

/// A text for people, a picture, a page, a program or a report, by its name.
bool has_other_name(std::string_view path) {
  constexpr std::string_view kNames[] = {"readme", "license", "makefile"};
  constexpr std::string_view kEndings[] = {
      ".md",  ".markdown", ".rst",  ".pdf", ".html",        ".htm",   ".css", ".js",   ".svg",
      ".png", ".jpg",      ".jpeg", ".gif", ".webp",        ".dot",   ".xml", ".sql",  ".sh",
      ".py",  ".toml",     ".yaml", ".yml", ".proof.jsonl", ".proof", ".clj", ".sarif"};
  const std::string name = base::plain_name(base_name(path));
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

/// Nothing that a folder of histories holds, whatever else it may be.
bool is_no_history(const Input& file) {
  return has_other_name(file.name) || is_certificate(file) || is_report(file);
}

/// Of a folder in which everything is_no_history().
Error no_history_in(const Inputs& folder) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> names;
  for (const Input& file : folder.files) {
    if (names.size() == kNamed) break;
    names.push_back(base::printable_path(base_name(file.name)));
  }
  if (const std::size_t more = folder.files.size() - names.size(); more > 0) {
    names.push_back(std::to_string(more) + " more");
  }
  return {ErrorCode::kBadInput,
          folder.name +
              ": is no history, and no file in it is one by its name and first "
              "bytes: " +
              base::joined(names, "and") +
              "; name the file that is one all the same, or a folder with files of one of the "
              "formats " +
              format_names()};
}

constexpr std::string_view kWriteHistory =
    "write it with (jepsen.store/write-history! TEST) in Jepsen's REPL, TEST as from "
    "(jepsen.store/latest)";

/// Of a file that somebody named.
Error stored_by_jepsen(const std::string& path) {
  return {ErrorCode::kBadInput, path +
                                    ": is Jepsen's own store of a run, which is not read; give "
                                    "history.edn beside it, or the folder; where there is "
                                    "none, " +
                                    std::string(kWriteHistory)};
}

Error only_stored(const std::string& path) {
  return {ErrorCode::kBadInput,
          path +
              ": is a run that Jepsen stored without history.edn, which is "
              "what can be read; " +
              std::string(kWriteHistory)};
}

Result<const Format*> detect(const Inputs& inputs) {
  const Format* best = nullptr;
  const Format* rival = nullptr;
  int best_score = 0;
  for (const Format* format : formats()) {
    if (inputs.is_directory && !format->directory) continue;
    const int score = format->detect(inputs);
    if (score <= 0 || score < best_score) continue;
    rival = score == best_score ? format : nullptr;
    if (score > best_score) best = format;
    best_score = score;
  }
  if (best == nullptr) {
    if (const Input* const history = native_member(inputs)) {
      return Error{ErrorCode::kBadInput,
                   inputs.name +
                       ": is a directory, and each native history in it is a single "
                       "file; name the file, for example " +
                       history->name};
    }
    if (inputs.is_directory && std::ranges::all_of(inputs.files, is_no_history)) {
      return no_history_in(inputs);
    }
    if (!inputs.is_directory && base_name(inputs.name).ends_with(".jepsen")) {
      return stored_by_jepsen(inputs.name);
    }
    if (!inputs.is_directory && is_certificate(inputs.files.front())) {
      return Error{ErrorCode::kBadInput,
                   inputs.name + ": is a certificate, not a history; " +
                       std::string(base::kTakersOfCertificates.of_library) +
                       ", together with its history"};
    }
    if (!inputs.is_directory && is_headless(inputs.files.front())) {
      return Error{ErrorCode::kBadInput,
                   inputs.name +
                       ": looks like a native history without its first line, which must be "
                       R"({"isolde":1,"kind":"history"})"
                       ", with 2 for 1 where it has more than reads, writes and appends"};
    }
    return Error{ErrorCode::kBadInput, inputs.name + ": no format recognises this " +
                                           (inputs.is_directory ? "directory" : "input") +
                                           "; name one of them with " +
                                           std::string(base::kFormatOption.of_library) + ": " +
                                           format_names()};
  }
  if (rival != nullptr) {
    return Error{ErrorCode::kBadInput, inputs.name + ": looks like " + std::string(best->name) +
                                           " and like " + std::string(rival->name) +
                                           "; say which with " +
                                           std::string(base::kFormatOption.of_library)};
  }
  return best;
}

Result<const Format*> choose(const Inputs& inputs, std::string_view name) {
  if (name.empty()) return detect(inputs);
  const Format* format = find_format(name);
  if (inputs.is_directory && !format->directory) {
    return Error{ErrorCode::kBadInput, inputs.name + ": is a directory, and format " +
                                           std::string(name) +
                                           " is a single file; name the file in it"};
  }
  return format;
}

/// Some format reads the directory as one history, or the named one does.
bool is_one_history(const Inputs& inputs, const Format* named) {
  if (named != nullptr) return named->directory;
  return std::ranges::any_of(formats(), [&](const Format* format) {
    return format->directory && format->detect(inputs) > 0;
  });
}

/// A member with this name, packed or not.
const Input* member_called(const Inputs& inputs, std::string_view name) {
  const auto found =
      std::find_if(inputs.files.begin(), inputs.files.end(),
                   [&](const Input& file) { return base_name(file.name) == name; });
  return found == inputs.files.end() ? nullptr : &*found;
}

/// Of a folder in which Jepsen has stored a run: the history. Empty for any other folder.
/// ERRORS: kBadInput, when the history is there in forms that nothing reads.
Result<std::string> jepsen_history(const Inputs& inputs) {
  if (const Input* const history = member_called(inputs, "history.edn")) return history->name;
  for (const std::string_view other : {"test.jepsen", "history.txt"}) {
    const Input* const stored = member_called(inputs, other);
    if (stored == nullptr) continue;
    return only_stored(stored->name);
  }
  return std::string();
}

Error out_of_memory(const std::string& path, const base::Budget& budget) {
  const std::string reason = budget.exhausted() ? budget.reason() : "not enough memory";
  return {ErrorCode::kLimit, path + ": " + reason + " while reading the input"};
}

/// What changes nothing in the result.
struct How {
  unsigned threads = 1;
  ReadProgress progress = {};
  bool lists_rows_later = false;
};

Result<History> read_inputs(Inputs& inputs, const Format& format, base::Budget& budget,
                            const How& how) {
  inputs.threads = how.threads;
  inputs.progress = how.progress;
  inputs.lists_rows_later = how.lists_rows_later;
  const PageWatch watch(inputs);
  Result<History> history = format.read(inputs, budget);
  // A part of a reader may know that there is no memory but not why.
  const bool says_why = history || history.error().code != ErrorCode::kLimit ||
                        !budget.exhausted() ||
                        history.error().message.find(budget.reason()) != std::string::npos;
  if (says_why) return history;
  return out_of_memory(inputs.name, budget);
}

Result<History> read_file(const std::string& path, std::string_view name, base::Budget& budget,
                          const How& how) {
  // Its text has what is not in a group yet, and what was under way.
  const bool is_unfinished = is_unfinished_recording(path);
  if (is_unfinished && (name.empty() || name == "native-binary")) name = "native";
  Result<Inputs> inputs = load(is_unfinished ? text_of_recording(path) : path, budget);
  if (!inputs) return inputs.error();
  if (is_unfinished) inputs->stands_for = path;
  const Result<const Format*> format = choose(*inputs, name);
  if (!format) return format.error();
  return read_inputs(*inputs, **format, budget, how);
}

Result<History> read_directory(const std::string& path, std::string_view name,
                               base::Budget& budget, const How& how) {
  Result<Directory> directory = look_into(path, budget);
  if (!directory) return directory.error();
  Inputs& inputs = directory->inputs;
  const Result<const Format*> format = choose(inputs, name);
  if (!format) {
    const Result<std::string> stored = jepsen_history(inputs);
    if (!stored) return stored.error();
    if (!stored->empty()) return read_file(*stored, name, budget, how);
    return directory->problem ? *directory->problem : format.error();
  }
  if (Status loaded = load_members(inputs, (*format)->takes, budget); !loaded) {
    return loaded.error();
  }
  return read_inputs(inputs, **format, budget, how);
}

Result<History> load_and_read(const std::string& path, std::string_view name,
                              base::Budget& budget, const How& how) {
  return is_directory(path) ? read_directory(path, name, budget, how)
                            : read_file(path, name, budget, how);
}

/// The members of a folder that is no history itself.
Result<std::vector<std::string>> members_of(const std::string& path, const Format* named,
                                            base::Budget& budget,
                                            std::vector<std::string>& left_out) {
  const Result<Directory> directory = look_into(path, budget);
  if (!directory) return directory.error();
  if (is_one_history(directory->inputs, named)) return std::vector<std::string>{path};
  const Result<std::string> stored = jepsen_history(directory->inputs);
  if (!stored) return stored.error();
  if (!stored->empty()) return std::vector<std::string>{*stored};
  std::vector<std::string> paths;
  for (const Input& member : directory->inputs.files) {
    (is_no_history(member) ? left_out : paths).push_back(member.name);
  }
  if (paths.empty()) return no_history_in(directory->inputs);
  return paths;
}

}  // namespace

const Format* find_format(std::string_view name) {
  for (const Format* format : formats()) {
    if (format->name == name) return format;
  }
  return nullptr;
}

namespace {

/// The border where the standard library's two ways to say "too much" become values.
template <typename Read>
std::invoke_result_t<Read> guarded(const std::string& path, std::string_view format,
                                   base::Budget& budget, const Read& read) {
  if (!format.empty() && find_format(format) == nullptr) {
    std::vector<std::string_view> names;
    for (const Format* known : formats()) names.push_back(known->name);
    return Error{ErrorCode::kUsage, "unknown format '" + std::string(format) + "'" +
                                        base::did_you_mean(base::plain_name(format), names) +
                                        "; the formats are " + format_names()};
  }
  try {
    return read();
  } catch (const std::bad_alloc&) {
    return out_of_memory(path, budget);
  } catch (const std::length_error&) {
    return out_of_memory(path, budget);
  }
}

}  // namespace

Result<std::vector<std::string>> histories_at(const std::string& path, std::string_view format,
                                              base::Budget& budget,
                                              std::vector<std::string>* left_out) {
  return guarded(path, format, budget, [&]() -> Result<std::vector<std::string>> {
    if (!is_directory(path)) return std::vector<std::string>{path};
    std::vector<std::string> others;
    return members_of(path, find_format(format), budget,
                      left_out == nullptr ? others : *left_out);
  });
}

Result<History> read_history(const std::string& path, std::string_view format,
                             base::Budget& budget, unsigned threads,
                             const ReadProgress& progress, bool lists_rows_later) {
  return guarded(path, format, budget, [&] {
    return load_and_read(path, format, budget, {threads, progress, lists_rows_later});
  });
}

Result<History> read_bytes(std::string_view bytes, const std::string& name,
                           std::string_view format, base::Budget& budget, unsigned threads) {
  return guarded(name, format, budget, [&]() -> Result<History> {
    Inputs inputs{name, false, {}};
    inputs.files.push_back(Input::padded(name, std::string(bytes)));
    const Result<const Format*> chosen = choose(inputs, format);
    if (!chosen) return chosen.error();
    return read_inputs(inputs, **chosen, budget, {threads});
  });
}

}  // namespace isolde::io
