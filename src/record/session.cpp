// A session: the lines of one client, put together in its slot while the client works.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>

#include "isolde/recorder.hpp"
#include "record/state.hpp"

namespace isolde {

using record::put;
using record::put_number;
using record::put_text;
using record::shown;
using record::usage;

struct RecordedSession::State {
  State(Recorder::State& owner, std::string_view name) : recorder(owner), base(name) {}

  bool begin();
  template <typename Put>
  void operation(std::size_t room, Put put_all);
  template <typename PutRest>
  void operation(std::string_view kind, RecordedValue key, std::size_t room, PutRest put_rest);
  void one_value(std::string_view kind, RecordedValue key, RecordedValue value);
  template <typename Element>
  void list(RecordedValue key, std::span<const Element> elements);
  void select(const RecordedCondition& condition, std::span<const RecordedRow> rows);
  void drop_last();
  /// Ends the transaction. `status` is the field in front of the end, which is left out when it
  /// means nothing.
  bool finish(std::string_view status, bool has_end);
  void give_back_slot();

  /// After a failed operation: the transaction stays in the slot without it and without an
  /// outcome, because with later operations it could contradict itself.
  void give_up() { in_transaction = false; }
  bool reserve(std::size_t bytes);
  void fail(std::string problem) {
    recorder.fail(usage("session " + shown(base) + ": " + std::move(problem)));
  }
  char* put_value(char* at, RecordedValue value, bool may_be_null);
  char* put_condition(char* at, const RecordedCondition& condition);
  char* put_rows(char* at, std::span<const RecordedRow> rows);
  bool check(const RecordedCondition& condition, std::span<const RecordedRow> rows);
  void set_name();
  void set_opening();

  Recorder::State& recorder;
  record::Slot* slot = nullptr;  // none when the session does not record
  std::string base;              // the name as given
  std::string server;            // where its transactions run; empty: not told
  std::string opening;           // beginning of each line, up to the start time
  std::uint64_t generation = 1;
  std::uint64_t position = 0;
  std::int64_t last_end = -1;
  bool in_transaction = false;
  std::vector<std::size_t> before;  // length of the text before each operation
};

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
  // A start equal to the end before it would not count as later.
  std::int64_t start = recorder.now();
  while (start <= last_end) start = recorder.now();
  at = put_number(at, start);
  slot->publish(put(at, kBehind));
  in_transaction = true;
  before.clear();
  return true;
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

namespace {

std::size_t room_of(RecordedValue value) {
  return value.is_text() ? record::text_room(value.text()) : record::kNumberRoom;
}
std::size_t room_of(std::int64_t) { return record::kNumberRoom; }

}  // namespace

/// One operation: `put_all` writes it but for the bracket at its end, at most `room` bytes, and
/// returns the place behind it, or nullptr.
template <typename Put>
void RecordedSession::State::operation(std::size_t room, Put put_all) {
  if (slot == nullptr) return;
  if (!in_transaction) {
    if (recorder.active.load(std::memory_order_relaxed)) {
      fail("an operation outside of a transaction; call begin() first");
    }
    return;
  }
  constexpr std::size_t kCommaAndBracket = 2;
  if (!reserve(room + kCommaAndBracket)) return give_up();
  const std::size_t length = slot->length();
  char* at = slot->end();
  if (!before.empty()) *at++ = ',';
  at = put_all(at);
  if (at == nullptr) return give_up();
  *at++ = ']';
  slot->publish(at);
  before.push_back(length);
}

/// One of one key: `put_rest` writes what follows it.
template <typename PutRest>
void RecordedSession::State::operation(std::string_view kind, RecordedValue key,
                                       std::size_t room, PutRest put_rest) {
  operation(kind.size() + room_of(key) + room, [&](char* at) {
    at = put_value(put(at, kind), key, false);
    return at == nullptr ? at : put_rest(at);
  });
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

namespace {

bool are_valid(const std::optional<RecordedBounds>& bounds) {
  const auto fits = [](std::int64_t number) {
    return RecordedBounds::kLeast <= number && number <= RecordedBounds::kMost;
  };
  return !bounds || (fits(bounds->min) && fits(bounds->max));
}

std::size_t room_of(const RecordedCondition& condition) {
  constexpr std::string_view kWithoutValues = R"({"keys":[,],"values":[,],"equal":})";
  return kWithoutValues.size() + 4 * record::kNumberRoom + room_of(condition.equal);
}

char* put_bounds(char* at, std::string_view name, const RecordedBounds& bounds) {
  at = put_number(put(at, name), bounds.min);
  *at++ = ',';
  at = put_number(at, bounds.max);
  *at++ = ']';
  return at;
}

}  // namespace

/// What the reader would refuse, when all is known and nothing can be helped any more.
bool RecordedSession::State::check(const RecordedCondition& condition,
                                   std::span<const RecordedRow> rows) {
  if (!are_valid(condition.keys) || !are_valid(condition.values)) {
    fail("the bounds of a selection do not lie between -2^61 and 2^61 - 1");
    return false;
  }
  for (const RecordedRow& row : rows) {
    if (!row.key.is_null() && !row.value.is_null()) continue;
    fail(
        "a selection returned a row with null, which means that there is no row; encode the "
        "database's own NULL as text");
    return false;
  }
  return true;
}

char* RecordedSession::State::put_condition(char* at, const RecordedCondition& condition) {
  *at++ = '{';
  const char* const begin = at;
  const auto comma = [&] {
    if (at != begin) *at++ = ',';
  };
  if (condition.keys) at = put_bounds(at, R"("keys":[)", *condition.keys);
  if (condition.values) {
    comma();
    at = put_bounds(at, R"("values":[)", *condition.values);
  }
  if (!condition.equal.is_null()) {
    comma();
    at = put_value(put(at, R"("equal":)"), condition.equal, false);
    if (at == nullptr) return at;
  }
  *at++ = '}';
  return at;
}

char* RecordedSession::State::put_rows(char* at, std::span<const RecordedRow> rows) {
  *at++ = '[';
  bool first = true;
  for (const RecordedRow& row : rows) {
    if (!first) *at++ = ',';
    first = false;
    *at++ = '[';
    at = put_value(at, row.key, false);
    if (at == nullptr) return at;
    *at++ = ',';
    at = put_value(at, row.value, false);
    if (at == nullptr) return at;
    *at++ = ']';
  }
  *at++ = ']';
  return at;
}

void RecordedSession::State::select(const RecordedCondition& condition,
                                    std::span<const RecordedRow> rows) {
  constexpr std::string_view kSelect = R"(["select",)";
  constexpr std::size_t kBrackets = 4;  // and commas
  std::size_t room = kSelect.size() + room_of(condition) + kBrackets;
  for (const RecordedRow& row : rows) room += room_of(row.key) + room_of(row.value) + kBrackets;
  operation(room, [&](char* at) -> char* {
    if (!check(condition, rows)) return nullptr;
    at = put_condition(put(at, kSelect), condition);
    if (at == nullptr) return at;
    *at++ = ',';
    return put_rows(at, rows);
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
}

bool RecordedSession::State::finish(std::string_view status, bool has_end) {
  if (slot == nullptr) return false;
  const bool active = recorder.active.load(std::memory_order_relaxed);
  if (!in_transaction) {
    if (active) fail("the end of a transaction that has not begun; call begin() first");
    return false;
  }
  const std::int64_t end = has_end ? recorder.now() : last_end;
  in_transaction = false;
  constexpr std::size_t kFields = 64;
  if (!reserve(status.size() + record::kNumberRoom + kFields)) return false;
  char* at = put(slot->end(), "]");
  at = put(at, status);
  if (has_end) at = put_number(put(at, R"(,"end":)"), end);
  slot->publish(put(at, "}\n"));
  last_end = end;
  if (!recorder.append(slot->text())) return false;  // the slot keeps the line
  ++position;
  slot->clear(position);
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
  state_->one_value(R"(["w",)", key, value);
}

void RecordedSession::append(RecordedValue key, RecordedValue element) {
  state_->one_value(R"(["append",)", key, element);
}

void RecordedSession::remove(RecordedValue key) {
  state_->operation(R"(["delete",)", key, 0, [this](char* at) {
    if (state_->recorder.deletes) return at;
    state_->fail(
        "a deletion needs a recorder that was opened with `deletes`, which makes the "
        "file one of version 2");
    return static_cast<char*>(nullptr);
  });
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
}

void RecordedSession::select(const RecordedCondition& condition,
                             std::span<const RecordedRow> rows) {
  state_->select(condition, rows);
}

void RecordedSession::drop_last() { state_->drop_last(); }

void RecordedSession::commit() { state_->finish({}, true); }

void RecordedSession::abort() { state_->finish(R"(,"status":"aborted")", true); }

void RecordedSession::unknown() {
  if (!state_->finish(R"(,"status":"indeterminate")", false)) return;
  ++state_->generation;
  state_->set_name();
}

}  // namespace isolde
