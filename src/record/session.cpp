// A session: the lines of one client, put together in its slot while the client works.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>

#include "record/session_state.hpp"

namespace isolde {

using record::put;
using record::put_number;
using record::put_text;
using record::room_of;
using record::shown;

bool RecordedSession::State::reserve(std::size_t bytes) {
  const int reason = slot->reserve(bytes);
  if (reason == 0) return true;
  recorder.fail({ErrorCode::kEnvironment,
                 recorder.folder->path() + ": cannot grow: " + std::strerror(reason) +
                     "; what the clients do from here on is not recorded"});
  return false;
}

namespace {

/// In quotes; nothing when the text is not UTF-8.
std::optional<std::string> json_text(std::string_view text) {
  std::string json(record::text_room(text), '\0');
  const char* const end = put_text(json.data(), text);
  if (end == nullptr) return std::nullopt;
  json.resize(static_cast<std::size_t>(end - json.data()));
  return json;
}

}  // namespace

/// What each line of this session begins with, which is the same but for the start time.
void RecordedSession::State::set_opening() {
  const std::optional<std::string> name =
      json_text(generation == 1 ? base : base + '/' + std::to_string(generation));
  if (!name) return fail("the name is not UTF-8");
  opening = R"({"session":)" + *name;
  if (!server.empty()) {
    const std::optional<std::string> text = json_text(server);
    if (!text) return fail("the server " + shown(server) + " is not UTF-8");
    opening += R"(,"server":)" + *text;
  }
  opening += R"(,"start":)";
}

void RecordedSession::State::set_name() {
  set_opening();
  position = 0;
}

bool RecordedSession::State::begin() {
  if (slot == nullptr || !recorder.active.load(std::memory_order_relaxed)) return false;
  if (in_transaction) {
    fail("begin() in a transaction; end it with commit(), abort() or unknown()");
    return false;
  }
  slot->clear(position);
  constexpr std::string_view kBehind = R"(,"ops":[)";
  if (!reserve(opening.size() + record::kNumberRoom + kBehind.size())) return false;
  char* at = put(slot->end(), opening);
  slot->open();
  // A start equal to the end before it would not count as later.
  std::int64_t start = recorder.now();
  while (start <= last_end) start = recorder.now();
  slot->opened(start);
  at = put_number(at, start);
  slot->publish(put(at, kBehind));
  in_transaction = true;
  before.clear();
  versions.clear();
  locks.clear();
  added.clear();
  unknown_read = 0;
  return true;
}

bool RecordedSession::State::is_version_2(std::string_view what) {
  if (recorder.deletes) return true;
  fail(std::string(what) +
       " needs a recorder that was opened with `deletes`, which makes the file one of version "
       "2");
  return false;
}

/// nullptr when the value cannot be recorded, which status() then tells.
char* RecordedSession::State::put_value(char* at, RecordedValue value, bool may_be_null) {
  if (value.is_text()) {
    char* const end = put_text(at, value.text());
    if (end == nullptr) {
      fail("the key or value " + shown(value.text()) +
           " is not UTF-8; encode it, for example in hexadecimal");
    }
    return end;
  }
  if (!value.is_null()) return put_number(at, value.number());
  if (may_be_null) return put(at, "null");
  fail("null is the initial value; it cannot be written, be a key or an element");
  return nullptr;
}

constexpr std::string_view kRead = R"(["r",)";

void RecordedSession::State::one_value(std::string_view kind, RecordedValue key,
                                       RecordedValue value) {
  operation(kind, key, room_of(value) + 1, [&](char* at) {
    *at++ = ',';
    return put_value(at, value, kind == kRead);
  });
}

template <typename Element>
void RecordedSession::State::list(RecordedValue key, std::span<const Element> elements) {
  std::size_t room = 3;
  for (const Element& element : elements) room += room_of(element) + 1;
  operation(kRead, key, room, [&](char* at) {
    at = put(at, ",[");
    bool first = true;
    for (const Element& element : elements) {
      if (!first) *at++ = ',';
      first = false;
      at = put_value(at, element, false);
      if (at == nullptr) return at;
    }
    *at++ = ']';
    return at;
  });
}

void RecordedSession::State::drop_last() {
  if (slot == nullptr || !recorder.active.load(std::memory_order_relaxed)) return;
  if (!in_transaction || before.empty()) {
    fail("drop_last() without an operation to drop");
    return;
  }
  slot->shorten(before.back());
  before.pop_back();
  if (versions.size() > before.size()) versions.pop_back();
  if (locks.size() > before.size()) locks.pop_back();
  if (added.size() > before.size()) added.pop_back();
}

/// The text of the operation in the slot.
std::string_view RecordedSession::State::text_of(std::size_t op) const {
  const std::string_view all = slot->text();
  const std::string_view rest = all.substr(before[op] + (op > 0 ? 1 : 0));
  return op + 1 < before.size() ? rest.substr(0, before[op + 1] - before[op] - (op > 0 ? 1 : 0))
                                : rest;
}

namespace {

constexpr std::string_view kWrite = R"(["w",)";
constexpr std::string_view kDelete = R"(["delete",)";
constexpr std::string_view kIncrement = R"(["inc",)";

bool is_number_of_increments(std::int64_t number) {
  return number >= RecordedBounds::kLeast && number <= RecordedBounds::kMost;
}

}  // namespace

void RecordedSession::State::set_version(std::size_t op, RecordedValue version) {
  if (!is_version_2("a version")) return give_up();
  std::string text(record::room_of(version), '\0');
  const char* const end = put_value(text.data(), version, false);
  if (end == nullptr) return give_up();
  text.resize(static_cast<std::size_t>(end - text.data()));
  versions.resize(std::max(versions.size(), op + 1));
  versions[op] = std::move(text);
}

void RecordedSession::State::version(RecordedValue version) {
  if (slot == nullptr || !recorder.active.load(std::memory_order_relaxed)) return;
  if (!in_transaction || before.empty()) {
    return fail("version() without an operation that it belongs to");
  }
  const std::string_view text = text_of(before.size() - 1);
  const bool has_result = text.starts_with(kRead) && before.size() != unknown_read;
  if (!has_result && !text.starts_with(kWrite) && !text.starts_with(kDelete)) {
    return fail(
        "version() after an operation that has none; it is for reads, writes and "
        "deletions");
  }
  set_version(before.size() - 1, version);
}

void RecordedSession::State::locked(RecordedLock mode) {
  constexpr std::string_view kSelect = R"(["select",)";
  if (slot == nullptr || !recorder.active.load(std::memory_order_relaxed)) return;
  if (!in_transaction || before.empty()) {
    return fail("locked() without an operation that it belongs to");
  }
  const std::string_view text = text_of(before.size() - 1);
  const bool has_result = text.starts_with(kRead) && before.size() != unknown_read;
  if (!has_result && !text.starts_with(kSelect)) {
    return fail(
        "locked() after an operation that is neither a read with a result nor a selection");
  }
  if (!is_version_2("a lock")) return give_up();
  locks.resize(before.size());
  locks.back() = mode == RecordedLock::kShare ? R"("share")" : R"("update")";
}

void RecordedSession::State::increment(RecordedValue key, std::int64_t by) {
  operation(kIncrement, key, record::kNumberRoom + 1, [&](char* at) {
    if (!is_version_2("an increment")) return static_cast<char*>(nullptr);
    if (!is_number_of_increments(by)) {
      fail("increment() by " + std::to_string(by) + ", which is not within -2^61 and 2^61 - 1");
      return static_cast<char*>(nullptr);
    }
    *at++ = ',';
    return put_number(at, by);
  });
}

bool RecordedSession::State::set_sum(std::size_t op, std::int64_t result) {
  if (!is_number_of_increments(result)) {
    fail("the sum " + std::to_string(result) + " is not within -2^61 and 2^61 - 1");
    give_up();
    return false;
  }
  added.resize(std::max(added.size(), op + 1));
  added[op] = std::to_string(result);
  return true;
}

void RecordedSession::State::sum(std::int64_t result) {
  if (slot == nullptr || !recorder.active.load(std::memory_order_relaxed)) return;
  if (!in_transaction || before.empty() ||
      !text_of(before.size() - 1).starts_with(kIncrement)) {
    return fail("sum() after an operation that is no increment");
  }
  set_sum(before.size() - 1, result);
}

void RecordedSession::State::sums(std::span<const std::int64_t> results) {
  if (slot == nullptr || !recorder.active.load(std::memory_order_relaxed)) return;
  if (!in_transaction) return fail("sums() outside of a transaction");
  std::size_t next = 0;
  for (std::size_t op = 0; op < before.size(); ++op) {
    if (!text_of(op).starts_with(kIncrement)) continue;
    if (next < results.size() && !set_sum(op, results[next])) return;
    ++next;
  }
  if (next != results.size()) {
    fail("sums() of " + std::to_string(results.size()) + " increments after " +
         std::to_string(next));
  }
}

void RecordedSession::State::version_of_writes(RecordedValue version) {
  if (slot == nullptr || !recorder.active.load(std::memory_order_relaxed)) return;
  if (!in_transaction) return fail("version_of_writes() outside of a transaction");
  for (std::size_t op = 0; op < before.size() && in_transaction; ++op) {
    const std::string_view text = text_of(op);
    if (!text.starts_with(kWrite) && !text.starts_with(kDelete)) continue;
    if (op >= versions.size() || versions[op].empty()) set_version(op, version);
  }
}

/// The line for the history. The slot does without versions, locks and sums, because what is in
/// it must be whole at any time, and an operation is there before its version is known. `end`:
/// of the last operation.
std::string RecordedSession::State::with_versions(std::size_t end) const {
  const std::string_view text = slot->text();
  std::string line(text.substr(0, before.front()));
  for (std::size_t op = 0; op < before.size(); ++op) {
    const std::size_t behind = op + 1 < before.size() ? before[op + 1] : end;
    line += text.substr(before[op], behind - before[op]);
    const bool has_version = op < versions.size() && !versions[op].empty();
    const bool has_lock = op < locks.size() && !locks[op].empty();
    if (op < added.size() && !added[op].empty()) {
      line.pop_back();
      ((line += ',') += added[op]) += ']';
    }
    if (!has_version && !has_lock) continue;
    line.pop_back();
    line += ",{";
    if (has_version) (line += R"("version":)") += versions[op];
    if (has_version && has_lock) line += ',';
    if (has_lock) (line += R"("lock":)") += locks[op];
    line += "}]";
  }
  return line += text.substr(end);
}

bool RecordedSession::State::finish(std::string_view status, bool has_end) {
  if (slot == nullptr) return false;
  const bool active = recorder.active.load(std::memory_order_relaxed);
  if (!in_transaction) {
    if (active) fail("the end of a transaction that has not begun; call begin() first");
    return false;
  }
  const std::int64_t end = has_end ? recorder.now() : last_end;
  recorder.heed_clock(end);
  in_transaction = false;
  constexpr std::size_t kFields = 64;
  if (!reserve(status.size() + record::kNumberRoom + kFields)) return false;
  const std::size_t ops_end = slot->length();
  char* at = put(slot->end(), "]");
  at = put(at, status);
  if (has_end) at = put_number(put(at, R"(,"end":)"), end);
  slot->publish(put(at, "}\n"));
  last_end = end;
  const bool written = versions.empty() && locks.empty() && added.empty()
                           ? recorder.append(slot->text())
                           : recorder.append(with_versions(ops_end));
  if (!written) return false;  // the slot keeps the line
  ++position;
  slot->clear(position);
  slot->close();
  return true;
}

void RecordedSession::State::give_back_slot() {
  if (slot == nullptr || slot->length() > 0) return;
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  recorder.free_slots.push_back(slot);
}

RecordedSession Recorder::session(std::string_view name) {
  auto session = std::make_unique<RecordedSession::State>(*state_, name);
  session->slot = state_->take_slot(name);
  if (session->slot != nullptr) session->set_name();
  return RecordedSession(std::move(session));
}

RecordedSession::RecordedSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordedSession::RecordedSession(RecordedSession&&) noexcept = default;

RecordedSession& RecordedSession::operator=(RecordedSession&& other) noexcept {
  RecordedSession old(std::move(*this));  // ends as any session does
  state_ = std::move(other.state_);
  return *this;
}

RecordedSession::~RecordedSession() {
  if (state_ == nullptr || !state_->recorder.is_ours()) return;
  if (state_->in_transaction) unknown();
  state_->give_back_slot();
}

void RecordedSession::server(std::string_view name) {
  if (state_->slot == nullptr || state_->server == name) return;
  state_->server = name;
  state_->set_opening();
}

void RecordedSession::begin() { state_->begin(); }

void RecordedSession::write(RecordedValue key, RecordedValue value) {
  state_->one_value(kWrite, key, value);
}

void RecordedSession::append(RecordedValue key, RecordedValue element) {
  state_->one_value(R"(["append",)", key, element);
}

void RecordedSession::remove(RecordedValue key) {
  state_->operation(kDelete, key, 0, [this](char* at) {
    return state_->is_version_2("a deletion") ? at : nullptr;
  });
}

void RecordedSession::write_row(RecordedValue key, std::span<const RecordedColumn> columns) {
  state_->row(kWrite, key, columns);
}

void RecordedSession::read_row(RecordedValue key, std::span<const RecordedColumn> columns) {
  state_->row(kRead, key, columns);
}

void RecordedSession::read(RecordedValue key, RecordedValue value) {
  state_->one_value(kRead, key, value);
}

void RecordedSession::read_list(RecordedValue key, std::span<const RecordedValue> elements) {
  state_->list(key, elements);
}

void RecordedSession::read_list(RecordedValue key, std::span<const std::int64_t> elements) {
  state_->list(key, elements);
}

void RecordedSession::read_not(RecordedValue key, RecordedValue value) {
  constexpr std::string_view kNot = R"(,{"not":)";
  state_->operation(kRead, key, kNot.size() + room_of(value) + 1, [&](char* at) {
    at = state_->put_value(put(at, kNot), value, false);
    if (at != nullptr) *at++ = '}';
    return at;
  });
}

void RecordedSession::read_unknown(RecordedValue key) {
  state_->operation(kRead, key, 0, [](char* at) { return at; });
  state_->unknown_read = state_->before.size();
}

void RecordedSession::select(const RecordedCondition& condition,
                             std::span<const RecordedRow> rows) {
  state_->select(condition, rows);
}

void RecordedSession::aggregate(const RecordedCondition& condition,
                                const RecordedAggregate& computed) {
  state_->aggregate(condition, computed);
}

void RecordedSession::drop_last() { state_->drop_last(); }

void RecordedSession::version(RecordedValue version) { state_->version(version); }

void RecordedSession::locked(RecordedLock mode) { state_->locked(mode); }

void RecordedSession::insert_refused(RecordedValue key) {
  state_->operation(R"(["refused",)", key, 0, [this](char* at) {
    return state_->is_version_2("a refused insert") ? at : nullptr;
  });
}

void RecordedSession::increment(RecordedValue key, std::int64_t by) {
  state_->increment(key, by);
}

void RecordedSession::sum(std::int64_t result) { state_->sum(result); }

void RecordedSession::sums(std::span<const std::int64_t> results) { state_->sums(results); }

void RecordedSession::version_of_writes(RecordedValue version) {
  state_->version_of_writes(version);
}

std::int64_t RecordedSession::fence(RecordedValue seen) {
  Recorder::State& recorder = state_->recorder;
  const std::int64_t value =
      recorder.first_fence + recorder.fences.fetch_add(1, std::memory_order_relaxed);
  read(kFenceKey, seen);
  write(kFenceKey, value);
  return value;
}

void RecordedSession::commit() { state_->finish({}, true); }

void RecordedSession::abort() { state_->finish(R"(,"status":"aborted")", true); }

void RecordedSession::unknown() {
  if (!state_->finish(R"(,"status":"indeterminate")", false)) return;
  ++state_->generation;
  state_->set_name();
}

}  // namespace isolde
