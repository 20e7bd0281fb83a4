#include "certify/archive_chain.hpp"

#include <simdjson.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/sha256.hpp"
#include "history/certificate.hpp"
#include "history/level_names.hpp"

namespace isolde::certify {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kSeal = R"(,"chain":")";
constexpr std::size_t kDigest = 64;

std::string hexadecimal(std::uint64_t value) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[(value >> shift) & 15U];
  }
  return digits;
}

bool get(const dom::element& line, std::string_view name, std::uint64_t& into) {
  return line[name].get_uint64().get(into) == simdjson::SUCCESS;
}
bool get(const dom::element& line, std::string_view name, std::int64_t& into) {
  return line[name].get_int64().get(into) == simdjson::SUCCESS;
}
bool get(const dom::element& line, std::string_view name, std::string& into) {
  std::string_view text;
  if (line[name].get_string().get(text) != simdjson::SUCCESS) return false;
  into = text;
  return true;
}

bool get_file(const dom::element& line, ArchiveLine::File& file) {
  std::uint64_t groups = 0;
  std::string contents;
  if (!get(line, "transactions", file.transactions) || !get(line, "bytes", file.bytes) ||
      !get(line, "groups", groups) || groups > UINT32_MAX || !get(line, "contents", contents) ||
      !get(line, "size", file.size) || !get(line, "until", file.until) ||
      !get(line, "history", file.history) || !get(line, "order", file.order)) {
    return false;
  }
  file.groups = static_cast<std::uint32_t>(groups);
  const char* const end = contents.data() + contents.size();
  const auto read = std::from_chars(contents.data(), end, file.contents, 16);
  if (read.ec != std::errc() || read.ptr != end) return false;
  if (!get(line, "next", file.next)) return line["next"].error() == simdjson::NO_SUCH_FIELD;
  return get(line, "latest_start", file.latest_start);
}

}  // namespace

std::string ArchiveChainText::sealed(const std::string& line) {
  chain_ = base::sha256(chain_ + line);
  return line + std::string(kSeal) + chain_ + "\"}\n";
}

std::string ArchiveChainText::header(const ArchiveHeader& header) {
  std::string line = std::string(kArchiveBegin) + R"(1,"level":")" +
                     std::string(info(header.level).name) + R"(","clock_error_ns":)" +
                     std::to_string(header.clock_error_ns);
  if (!header.keys.empty()) line += R"(,"keys":)" + nlohmann::json(header.keys).dump();
  return sealed(line);
}

std::string ArchiveChainText::line(const ArchiveLine& line) {
  if (line.end) return sealed(R"({"end":)" + std::to_string(*line.end));
  if (line.deleted) return sealed(R"({"deleted":)" + std::to_string(*line.deleted));
  const ArchiveLine::File& file = *line.file;
  std::string text = R"({"file":)" + std::to_string(file.first);
  (text += R"(,"transactions":)") += std::to_string(file.transactions);
  (text += R"(,"bytes":)") += std::to_string(file.bytes);
  (text += R"(,"groups":)") += std::to_string(file.groups);
  ((text += R"(,"contents":")") += hexadecimal(file.contents)) += '"';
  (text += R"(,"size":)") += std::to_string(file.size);
  (text += R"(,"until":)") += std::to_string(file.until);
  ((text += R"(,"history":")") += file.history) += '"';
  ((text += R"(,"order":")") += file.order) += '"';
  if (!file.next.empty()) {
    ((text += R"(,"next":")") += file.next) += '"';
    (text += R"(,"latest_start":)") += std::to_string(file.latest_start);
  }
  return sealed(text);
}

Error ArchiveChainReader::error(const std::string& problem) const {
  return {ErrorCode::kBadInput, path_ + ":" + std::to_string(lines_) + ": " + problem};
}

/// Without its seal, as an object; nothing: there is no more.
Result<std::optional<std::string>> ArchiveChainReader::line() {
  const std::size_t end = text_.find('\n', at_);
  if (end == std::string::npos) return std::optional<std::string>();
  const std::string_view line = std::string_view(text_).substr(at_, end - at_);
  at_ = end + 1;
  ++lines_;
  const std::size_t seal = line.rfind(kSeal);
  if (seal == std::string_view::npos ||
      line.size() != seal + kSeal.size() + kDigest + std::string_view("\"}").size() ||
      !line.ends_with("\"}")) {
    return error("expected a line that ends with its chain; this is no chain of an archive");
  }
  const std::string body(line.substr(0, seal));
  chain_ = base::sha256(chain_ + body);
  if (line.substr(seal + kSeal.size(), kDigest) != chain_) {
    return error("wrong digest; the line was changed, or lines before it are missing");
  }
  return std::optional(body + '}');
}

Result<ArchiveChainReader> ArchiveChainReader::open(std::string text, const std::string& path) {
  ArchiveChainReader reader;
  reader.path_ = path;
  reader.text_ = std::move(text);
  const Result<std::optional<std::string>> first = reader.line();
  if (!first) return first.error();
  if (!*first) return reader.error("expected the header; the file is empty or cut off");
  dom::parser parser;
  dom::element line;
  std::uint64_t version = 0;
  std::string level;
  if (parser.parse(**first).get(line) != simdjson::SUCCESS ||
      !get(line, "isolde-archive", version) || !get(line, "level", level) ||
      !get(line, "clock_error_ns", reader.header_.clock_error_ns)) {
    return reader.error("expected isolde-archive, level and clock_error_ns");
  }
  if (version != 1) return reader.error("expected version 1 of the format");
  const bool has_keys = line["keys"].error() != simdjson::NO_SUCH_FIELD;
  if (has_keys && (!get(line, "keys", reader.header_.keys) || reader.header_.keys.empty())) {
    return reader.error("expected a pattern of keys");
  }
  const std::optional<Level> known = history::level_written(level);
  const std::int64_t clock_error_ns = reader.header_.clock_error_ns;
  if (!known) return reader.error("expected a level");
  if (clock_error_ns < 0 || clock_error_ns > kMaxClockErrorNs) {
    return reader.error("expected a clock error that certificates may have");
  }
  reader.header_.level = *known;
  return reader;
}

Result<std::optional<ArchiveLine>> ArchiveChainReader::next() {
  const Result<std::optional<std::string>> text = line();
  if (!text) return text.error();
  if (!*text) return std::optional<ArchiveLine>();
  ArchiveLine read;
  dom::parser parser;
  dom::element line;
  const Error wrong = error("expected a file, what was deleted, or the end");
  if (parser.parse(**text).get(line) != simdjson::SUCCESS) return wrong;
  std::uint64_t number = 0;
  if (get(line, "end", number)) {
    read.end = number;
  } else if (get(line, "deleted", number)) {
    read.deleted = number;
  } else if (get(line, "file", number)) {
    ArchiveLine::File file;
    file.first = number;
    if (!get_file(line, file)) return wrong;
    read.file = std::move(file);
  } else {
    return wrong;
  }
  return std::optional(std::move(read));
}

}  // namespace isolde::certify
