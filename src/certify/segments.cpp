#include "certify/segments.hpp"

#include <simdjson.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/assert.hpp"
#include "history/certificate.hpp"
#include "history/level_names.hpp"

namespace isolde::certify {
namespace {

namespace ondemand = simdjson::ondemand;
using JsonValue = simdjson::simdjson_result<ondemand::value>;

constexpr std::string_view kSeal = R"(,"chain":")";
constexpr std::size_t kMostOfLine = 1U << 16;  // transactions
constexpr std::uint64_t kNumberLimit = std::uint64_t{1} << 62;

std::string hexadecimal(std::uint64_t value) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[(value >> shift) & 15U];
  }
  return digits;
}

bool parse(std::string_view digits, std::uint64_t& into) {
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), into, 16);
  return end.ec == std::errc() && end.ptr == digits.data() + digits.size() &&
         digits.size() == 16;
}

/// Of a line without its seal, behind the lines before.
std::uint64_t chain_behind(std::uint64_t before, std::string_view line) {
  return XXH3_64bits_withSeed(line.data(), line.size(), before);
}

}  // namespace

std::string SegmentsText::end_before(const Place& place) {
  return std::string(kSeal) + hexadecimal(place.chain) + "\"}\n";
}

std::string SegmentsText::sealed(std::string line) {
  place_.chain = chain_behind(place_.chain, line);
  return line += end_before(place_);
}

std::string SegmentsText::header(const SegmentsHeader& header) {
  std::string line(kSegmentsBegin);
  (line += R"(1,"level":")") += info(header.level).name;
  (line += R"(","clock_error_ns":)") += std::to_string(header.clock_error_ns);
  if (!header.keys.empty()) line += R"(,"keys":)" + nlohmann::json(header.keys).dump();
  if (header.initial_is_unknown) line += R"(,"initial":"unknown")";
  return sealed(std::move(line));
}

std::string SegmentsText::settled(std::span<const std::uint64_t> order, std::uint64_t state,
                                  std::optional<std::int64_t> clock_error_ns) {
  std::string lines;
  while (true) {
    const std::span<const std::uint64_t> part =
        order.first(std::min(order.size(), kMostOfLine));
    order = order.subspan(part.size());
    std::string line = R"({"segment":)" + std::to_string(place_.segments++);
    if (clock_error_ns) line += R"(,"clock_error_ns":)" + std::to_string(*clock_error_ns);
    line += R"(,"order":[)";
    std::uint64_t before = 0;
    for (const std::uint64_t number : part) {
      ISOLDE_INVARIANT(number < kNumberLimit);
      char digits[24];
      const auto step = static_cast<std::int64_t>(number) - static_cast<std::int64_t>(before);
      const auto end = std::to_chars(digits, digits + sizeof digits, step);
      line.append(digits, end.ptr);
      line += ',';
      before = number;
    }
    if (!part.empty()) line.pop_back();
    line += ']';
    if (order.empty()) ((line += R"(,"state":")") += hexadecimal(state)) += '"';
    lines += sealed(std::move(line));
    if (order.empty()) return lines;
  }
}

std::string SegmentsText::end(const Segment::End& end) {
  return sealed(R"({"end":)" + std::to_string(end.transactions) + R"(,"contents":")" +
                hexadecimal(end.contents) + '"');
}

struct SegmentsReader::State {
  explicit State(std::string name) : path(std::move(name)) {}
  ~State() {
    if (file != nullptr && file != stdin) std::fclose(file);
    std::free(bytes);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Error error(const std::string& problem) const {
    return {ErrorCode::kBadInput, path + ":" + std::to_string(lines) + ": " + problem};
  }
  /// False: broken, or a member is not as read(name, value) wants it.
  template <typename Read>
  bool each_member(const simdjson::padded_string& text, const Read& read) {
    ondemand::document document;
    ondemand::object object;
    if (parser.iterate(text).get(document) != simdjson::SUCCESS) return false;
    if (document.get_object().get(object) != simdjson::SUCCESS) return false;
    for (auto field : object) {
      std::string_view name;
      if (field.unescaped_key().get(name) != simdjson::SUCCESS) return false;
      if (!read(name, field.value())) return false;
    }
    const char* behind = nullptr;
    return document.current_location().get(behind) != simdjson::SUCCESS;
  }

  std::string path;
  std::FILE* file = nullptr;
  char* bytes = nullptr;
  std::size_t capacity = 0;
  std::size_t lines = 0;
  std::uint64_t chain = 0;
  std::uint64_t segments = 0;
  bool has_ended = false;
  ondemand::parser parser;
};

SegmentsReader::SegmentsReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
SegmentsReader::SegmentsReader(SegmentsReader&&) noexcept = default;
SegmentsReader& SegmentsReader::operator=(SegmentsReader&&) noexcept = default;
SegmentsReader::~SegmentsReader() = default;

/// The next line without its seal, as an object; nothing at the end of the file.
Result<std::optional<std::string>> SegmentsReader::line() {
  State& state = *state_;
  errno = 0;
  const ssize_t size = getline(&state.bytes, &state.capacity, state.file);
  if (size <= 0) {
    if (std::ferror(state.file) == 0) return std::optional<std::string>();
    return Error{ErrorCode::kEnvironment, state.path + ": " + std::strerror(errno)};
  }
  ++state.lines;
  std::string_view text(state.bytes, static_cast<std::size_t>(size));
  if (text.back() != '\n') {
    is_cut_off_ = true;
    return std::optional<std::string>();
  }
  text.remove_suffix(1);
  const std::size_t seal = text.rfind(kSeal);
  std::uint64_t chain = 0;
  if (seal == std::string_view::npos || !text.ends_with("\"}") ||
      !parse(text.substr(seal + kSeal.size()).substr(0, text.size() - seal - kSeal.size() - 2),
             chain)) {
    return state.error("expected a line that ends with its chain; this is no file of segments");
  }
  state.chain = chain_behind(state.chain, text.substr(0, seal));
  if (state.chain != chain) {
    return state.error(
        "wrong checksum; the file is damaged, or lines are missing: copy it again");
  }
  return std::optional(std::string(text.substr(0, seal)) + '}');
}

namespace {

/// Reads the members of a line. Every function returns false after noting a problem.
struct Members {
  std::string problem;
  unsigned seen = 0;

  bool once(unsigned member) {
    if ((seen & member) != 0) return fail("each member once");
    seen |= member;
    return true;
  }
  bool fail(const char* what) {
    if (problem.empty()) problem = std::string("expected ") + what;
    return false;
  }
  bool number(JsonValue value, std::uint64_t limit, std::uint64_t& into) {
    if (value.get_uint64().get(into) == simdjson::SUCCESS && into < limit) return true;
    return fail("a whole number");
  }
  bool checksum(JsonValue value, std::uint64_t& into) {
    std::string_view digits;
    if (value.get_string().get(digits) == simdjson::SUCCESS && parse(digits, into)) return true;
    return fail("16 hexadecimal digits");
  }
  bool order(JsonValue value, std::vector<std::uint64_t>& into) {
    ondemand::array steps;
    if (value.get_array().get(steps) != simdjson::SUCCESS) return fail("an array of numbers");
    std::int64_t number = 0;
    for (auto each : steps) {
      std::int64_t step = 0;
      constexpr auto kLimit = static_cast<std::int64_t>(kNumberLimit);
      if (each.get_int64().get(step) != simdjson::SUCCESS || step < -kLimit || step > kLimit ||
          number + step < 0 || number + step >= kLimit) {
        return fail("steps between numbers of transactions");
      }
      into.push_back(static_cast<std::uint64_t>(number += step));
    }
    return true;
  }
};

}  // namespace

Result<SegmentsReader> SegmentsReader::open(const std::string& path) {
  auto state = std::make_unique<State>(path);
  state->file = path == "-" ? stdin : std::fopen(path.c_str(), "rbe");
  if (state->file == nullptr) {
    return Error{ErrorCode::kEnvironment, path + ": " + std::strerror(errno)};
  }
  SegmentsReader reader(std::move(state));
  const Result<std::optional<std::string>> first = reader.line();
  if (!first) return first.error();
  if (!*first) {
    return reader.state_->error(
        "expected the header of segments; the file is empty or cut off");
  }
  Members members;
  const simdjson::padded_string text(**first);
  const bool read =
      reader.state_->each_member(text, [&](std::string_view name, JsonValue value) {
        std::uint64_t number = 0;
        if (name == "isolde-segments") {
          return members.once(1) && members.number(value, kNumberLimit, number) &&
                 (number == 1 || members.fail("version 1 of the format"));
        }
        if (name == "level") {
          std::string_view word;
          const bool is_text = value.get_string().get(word) == simdjson::SUCCESS;
          const std::optional<Level> level =
              is_text ? history::level_written(word) : std::optional<Level>();
          if (level) reader.header_.level = *level;
          return members.once(2) && (level || members.fail("a level"));
        }
        if (name == "clock_error_ns") {
          constexpr auto kLimit = static_cast<std::uint64_t>(kMaxClockErrorNs) + 1;
          if (!members.once(4) || !members.number(value, kLimit, number)) return false;
          reader.header_.clock_error_ns = static_cast<std::int64_t>(number);
          return true;
        }
        if (name == "keys") {
          std::string_view pattern;
          const bool is_text = value.get_string().get(pattern) == simdjson::SUCCESS;
          reader.header_.keys = std::string(pattern);
          return members.once(16) &&
                 ((is_text && !pattern.empty()) || members.fail("a pattern of keys"));
        }
        if (name == "initial") {
          std::string_view word;
          const bool is_text = value.get_string().get(word) == simdjson::SUCCESS;
          reader.header_.initial_is_unknown = true;
          return members.once(8) &&
                 ((is_text && word == "unknown") || members.fail("\"unknown\" as initial"));
        }
        return members.fail("isolde-segments, level and clock_error_ns");
      });
  if (read && (members.seen & 7U) != 7)
    members.fail("isolde-segments, level and clock_error_ns");
  if (!members.problem.empty()) return reader.state_->error(members.problem);
  if (!read) return reader.state_->error("broken JSON");
  return reader;
}

Result<std::optional<Segment>> SegmentsReader::next() {
  Result<std::optional<std::string>> read = line();
  if (!read) return read.error();
  if (!*read) return std::optional<Segment>();
  State& state = *state_;
  if (state.has_ended) return state.error("expected nothing behind the end");
  const simdjson::padded_string text(**read);
  Segment segment;
  Segment::End end;
  Members members;
  const bool is_read = state.each_member(text, [&](std::string_view name, JsonValue value) {
    if (name == "segment") {
      std::uint64_t number = 0;
      return members.once(1) && members.number(value, kNumberLimit, number) &&
             (number == state.segments || members.fail("the number of the next segment"));
    }
    if (name == "order") return members.once(2) && members.order(value, segment.order);
    if (name == "clock_error_ns") {
      std::uint64_t number = 0;
      constexpr auto kLimit = static_cast<std::uint64_t>(kMaxClockErrorNs) + 1;
      if (!members.once(32) || !members.number(value, kLimit, number)) return false;
      segment.clock_error_ns = static_cast<std::int64_t>(number);
      return true;
    }
    if (name == "state") {
      return members.once(4) && members.checksum(value, segment.state.emplace());
    }
    if (name == "end") {
      return members.once(8) && members.number(value, kNumberLimit, end.transactions);
    }
    if (name == "contents") return members.once(16) && members.checksum(value, end.contents);
    return members.fail("segment, order and state, or end and contents");
  });
  constexpr unsigned kOfEnd = 24;
  constexpr unsigned kMayLack = 4 | 32;
  if (is_read && members.seen != kOfEnd && (members.seen & ~kMayLack) != 3U) {
    members.fail("segment, order and state, or end and contents");
  }
  if (!members.problem.empty()) return state.error(members.problem);
  if (!is_read) return state.error("broken JSON");
  state.has_ended = members.seen == kOfEnd;
  if (state.has_ended) {
    segment.end = end;
  } else {
    ++state.segments;
  }
  return std::optional(std::move(segment));
}

}  // namespace isolde::certify
