// Starting and ending a history, and what does not belong to one session.
#include "isolde/recorder.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "record/json_put.hpp"
#include "record/state.hpp"

namespace isolde {

using record::shown;
using record::usage;

namespace {

/// Fields of the header that mean something; `about` must not bring them again.
constexpr std::array<std::string_view, 8> kReserved = {
    "isolde", "kind", "ends", "truncated", "sessions", "notes", "clock", "initial"};

constexpr std::string_view kEndEvent = "end";

/// As ISO 8601 in UTC.
std::string moment_text(std::int64_t wall_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::time_t whole = wall_ns / kSecond;
  std::tm parts{};
  gmtime_r(&whole, &parts);
  std::array<char, 32> seconds{};
  const std::size_t length =
      std::strftime(seconds.data(), seconds.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string fraction = std::to_string(wall_ns % kSecond);
  return std::string(seconds.data(), length) + '.' + std::string(9 - fraction.size(), '0') +
         fraction + 'Z';
}

/// Which clock tells the times, and what is known of it at their origin.
std::string clock_field(const base::ClockLook& origin) {
  std::string field = R"(,"clock":{"origin":")" + moment_text(origin.wall_ns) + '"';
  if (const std::string host = base::clock_host(); !host.empty()) {
    field +=
        R"(,"host":")" + host + R"(","monotonic_ns":)" + std::to_string(origin.monotonic_ns);
  }
  if (origin.error_ns != kNoTime) {
    field += R"(,"origin_error_ns":)" + std::to_string(origin.error_ns);
  }
  return field + '}';
}

/// False where it is null, or no UTF-8.
bool put_scalar(std::string& line, RecordedValue value) {
  if (value.is_null()) return false;
  if (!value.is_text()) {
    line += std::to_string(value.number());
    return true;
  }
  constexpr std::size_t kMostOfOne = 6;  // bytes for a character with an escape
  std::string text(value.text().size() * kMostOfOne + 2, '\0');
  const char* const end = record::put_text(text.data(), value.text());
  if (end == nullptr) return false;
  line.append(text.data(), static_cast<std::size_t>(end - text.data()));
  return true;
}

bool put_row(std::string& line, std::span<const RecordedColumn> columns) {
  line += '{';
  for (const RecordedColumn& column : columns) {
    if (line.back() != '{') line += ',';
    if (!put_scalar(line, column.name)) return false;
    line += ':';
    if (column.value.is_null()) {
      line += "null";
    } else if (!put_scalar(line, column.value)) {
      return false;
    }
  }
  line += '}';
  return true;
}

bool put_list(std::string& line, std::span<const RecordedValue> elements) {
  line += '[';
  for (const RecordedValue element : elements) {
    if (line.back() != '[') line += ',';
    if (!put_scalar(line, element)) return false;
  }
  line += ']';
  return true;
}

bool put_contents(std::string& line, const RecordedContents& held) {
  const int given = (held.value.is_null() ? 0 : 1) + (held.columns.empty() ? 0 : 1) +
                    (held.elements.empty() ? 0 : 1);
  line += '[';
  if (given != 1 || !put_scalar(line, held.key)) return false;
  line += ',';
  if (!held.elements.empty()) {
    if (!put_list(line, held.elements)) return false;
  } else if (!held.columns.empty()) {
    if (!put_row(line, held.columns)) return false;
  } else if (!put_scalar(line, held.value)) {
    return false;
  }
  line += ']';
  return true;
}

Result<std::string> header_line(const RecorderOptions& options, const base::ClockLook& origin) {
  std::string line = options.deletes || !options.initial.empty()
                         ? R"({"isolde":2,"kind":"history","ends":true)"
                         : R"({"isolde":1,"kind":"history","ends":true)";
  std::set<std::string_view> names(kReserved.begin(), kReserved.end());
  for (const auto& [name, text] : options.about) {
    if (!names.insert(name).second) {
      return usage("the field " + shown(name) +
                   " of the header is reserved or given twice; rename it");
    }
    line += ',' + record::readable_text(name) + ':' + record::readable_text(text);
  }
  if (!options.initial.empty()) line += R"(,"initial":[)";
  for (const RecordedContents& held : options.initial) {
    if (&held != options.initial.data()) line += ',';
    if (put_contents(line, held)) continue;
    return usage("initial contents are a key with a value, columns or elements, in UTF-8");
  }
  if (!options.initial.empty()) line += ']';
  return line + clock_field(origin) + "}\n";
}

}  // namespace

void Recorder::State::fail(Error error) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (!problem.ok() || closed) return;
  folder->mark_stopped();
  active = false;
  problem = std::move(error);
}

bool Recorder::State::append(std::string_view line) {
  Status status = file->append(line);
  if (status.ok()) return true;
  fail(status.error());
  return false;
}

record::Slot* Recorder::State::take_slot(std::string_view session) {
  Status trouble = ok_status();
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!active) return nullptr;
    if (session.find('/') != std::string_view::npos) {
      trouble = usage("session " + shown(session) +
                      ": '/' is reserved for the recorder; use another name");
    } else if (!names.emplace(session).second) {
      trouble = usage("session " + shown(session) +
                      ": the name is already in use; give each client its own");
    } else if (!free_slots.empty()) {
      record::Slot* const slot = free_slots.back();
      free_slots.pop_back();
      slot->lend_to(session);
      return slot;
    } else {
      const Result<record::Slot*> slot = folder->add_slot();
      if (slot.ok()) {
        (*slot)->lend_to(session);
        return *slot;
      }
      trouble = slot.error();
    }
  }
  fail(trouble.error());
  return nullptr;
}

void Recorder::State::look_at_clock(std::int64_t now) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  // Who comes meanwhile need not look, too.
  next_look.store(now + kSecond, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(mutex);
  bound.look(base::look_at_clocks());
}

Status Recorder::State::first_problem() const {
  const std::lock_guard<std::mutex> lock(mutex);
  return problem;
}

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path,
                                                 const RecorderOptions& options) {
  auto state = std::make_unique<State>();
  state->owner = getpid();
  state->deletes = options.deletes;
  if (!options.enabled) {
    state->origin = record::monotonic_now();
    return std::make_unique<Recorder>(std::move(state));
  }

  const base::ClockLook origin = base::look_at_clocks();
  state->origin = origin.monotonic_ns;
  state->bound = base::ClockBound(origin);
  const Result<std::string> header = header_line(options, origin);
  if (!header) return header.error();
  const Error exists = usage(path + ": exists; a history needs a new file, so choose another");
  if (access(path.c_str(), F_OK) == 0) return exists;
  // The folder first: a history that can be seen without it would look cut off.
  Result<std::unique_ptr<record::InflightFolder>> folder = record::InflightFolder::create(path);
  if (!folder) return folder.error();
  (*folder)->tell_clock(state->origin);
  const int file =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, options.mode);
  if (file < 0) {
    const int reason = errno;
    (*folder)->remove();
    if (reason == EEXIST) return exists;
    return Error{ErrorCode::kEnvironment, path + ": cannot create: " + std::strerror(reason)};
  }
  state->file = std::make_unique<record::LineFile>(file, path);
  state->folder = std::move(*folder);
  if (Status written = state->file->append(*header); !written) {
    unlink(path.c_str());
    state->folder->remove();
    return written.error();
  }
  state->active = true;
  return std::make_unique<Recorder>(std::move(state));
}

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}

Recorder::~Recorder() {
  if (state_->is_ours()) {
    static_cast<void>(close());
  } else {
    // Its threads are those of the parent.
    static_cast<void>(state_->companion.release());
  }
}

void Recorder::accompany(std::unique_ptr<Companion> companion) {
  state_->companion = std::move(companion);
}

void Recorder::event(std::string_view kind, std::string_view what, EventSpan span) {
  if (!state_->active) return;
  if (kind == kEndEvent) {
    state_->fail(usage("event \"end\": this kind is reserved for the recorder; use another"));
    return;
  }
  std::string part;
  if (!span.begins.empty()) {
    part = R"(,"begins":)" + record::readable_text(span.begins);
  } else if (!span.ends.empty()) {
    part = R"(,"ends":)" + record::readable_text(span.ends);
  }
  state_->append(R"({"event":)" + record::readable_text(kind) + R"(,"what":)" +
                 record::readable_text(what) + part + R"(,"at":)" +
                 std::to_string(state_->now()) + "}\n");
}

std::int64_t Recorder::now_ns() const { return state_->now(); }

Status Recorder::status() const { return state_->first_problem(); }

Status Recorder::close() {
  if (state_->file == nullptr) return ok_status();
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if (!state_->problem.ok() || state_->closed) return state_->problem;
  }
  for (const auto& slot : state_->folder->slots()) {
    if (slot->length() == 0) continue;
    state_->fail(usage("close() while session " + shown(slot->session()) +
                       " is in a transaction; end it, or destroy the session, first"));
    return status();
  }
  state_->active = false;
  const std::int64_t now = state_->now();
  state_->look_at_clock(now);
  std::string end = R"({"event":"end","at":)" + std::to_string(now);
  if (const std::int64_t error = state_->bound.error_ns(); error != kNoTime) {
    end += R"(,"clock_error_ns":)" + std::to_string(error);
  }
  if (state_->append(end + "}\n")) {
    state_->folder->remove();
    const Status finished =
        state_->companion == nullptr ? ok_status() : state_->companion->finish();
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->closed = true;
    if (!finished) state_->problem = finished;
  }
  return status();
}

}  // namespace isolde
