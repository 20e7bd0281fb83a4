#include "run/recorded_ops.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/assert.hpp"

namespace isolde::run {

void RecordedOps::record(LockMode lock) {
  if (lock == LockMode::kNone) return;
  recorded_.locked(lock == LockMode::kShare ? RecordedLock::kShare : RecordedLock::kUpdate);
}

db::Reply RecordedOps::read(db::Session& session, db::Key key, RecordedValue name,
                            std::optional<std::int64_t>& value) {
  ISOLDE_ASSERT(!holds_);
  db::Reply reply = session.read(key, value);
  if (!reply.ok()) return reply;
  recorded_.read(name, value ? name_of(*value) : RecordedValue::null());
  const std::optional<std::int64_t> version = session.version();
  if (value && version) recorded_.version(*version);
  record(session.lock());
  return reply;
}

db::Reply RecordedOps::read_list(db::Session& session, db::Key key, RecordedValue name,
                                 std::vector<std::int64_t>& elements) {
  elements.clear();
  db::Reply reply = session.read_list(key, elements);
  if (!reply.ok()) return reply;
  if (holds_) {
    held_.push_back({.kind = Held::Kind::kReadList,
                     .row = {key},
                     .lock = session.lock(),
                     .elements = elements});
    return reply;
  }
  if (!names_) {
    recorded_.read_list(name, elements);
  } else {
    std::vector<RecordedValue> named;
    for (const std::int64_t element : elements) named.push_back(name_of(element));
    recorded_.read_list(name, named);
  }
  record(session.lock());
  return reply;
}

db::Reply RecordedOps::write(db::Session& session, db::Key key, RecordedValue name,
                             std::int64_t value) {
  if (holds_) {
    db::Reply reply = session.write(key, value);
    if (!reply.ok()) return reply;
    wrote_ = &session;
    held_.push_back({.kind = Held::Kind::kWrite, .row = {key, value, session.version()}});
    return reply;
  }
  recorded_.write(name, name_of(value));
  db::Reply reply = session.write(key, value);
  if (!reply.ok()) return reply;
  wrote_ = &session;
  if (const auto version = session.version()) recorded_.version(*version);
  return reply;
}

db::Reply RecordedOps::append(db::Session& session, db::Key key, RecordedValue name,
                              std::int64_t element) {
  if (holds_) {
    held_.push_back({.kind = Held::Kind::kAppend, .row = {key, element}});
  } else {
    recorded_.append(name, name_of(element));
  }
  return session.append(key, element);
}

db::Reply RecordedOps::increment(db::Session& session, db::Key key, RecordedValue name,
                                 std::int64_t by, std::optional<std::int64_t>& sum) {
  ISOLDE_ASSERT(!holds_);
  recorded_.increment(name, by);
  db::Reply reply = session.increment(key, by, sum);
  const bool is_refused =
      reply.outcome == db::Outcome::kAborted || reply.outcome == db::Outcome::kFailed;
  if (is_refused) recorded_.drop_last();
  if (!reply.ok()) return reply;
  wrote_ = &session;
  if (sum) recorded_.sum(*sum);
  return reply;
}

db::Reply RecordedOps::remove(db::Session& session, db::Key key, RecordedValue name,
                              bool& removed) {
  if (!holds_) recorded_.remove(name);
  db::Reply reply = session.remove(key, removed);
  if (holds_) {
    if (reply.ok() && removed) held_.push_back({.kind = Held::Kind::kRemove, .row = {key}});
  } else if (reply.ok() && !removed) {
    recorded_.drop_last();
  }
  return reply;
}

namespace {

RecordedCondition recorded_condition(const db::Condition& condition) {
  const auto bounds = [](const std::optional<Predicate::Bounds>& given) {
    return given ? std::optional(RecordedBounds{given->min, given->max}) : std::nullopt;
  };
  return {.keys = bounds(condition.keys), .values = bounds(condition.values)};
}

}  // namespace

RecordedAggregate::Kind recorded_kind(AggregateKind kind) {
  using Kind = RecordedAggregate::Kind;
  constexpr std::array kKinds = {Kind::kCount, Kind::kExists, Kind::kSum, Kind::kMin,
                                 Kind::kMax};
  static_assert(kKinds.size() == kAggregateKindCount);
  return kKinds[static_cast<std::size_t>(kind)];
}

void RecordedOps::record(const db::Condition& condition, const KeyNames& keys,
                         std::vector<db::Row>& rows) {
  std::ranges::stable_sort(rows, {}, &db::Row::key);
  std::vector<RecordedRow> named;
  for (const db::Row& row : rows) {
    RecordedRow& each = named.emplace_back(RecordedRow{keys(row.key), name_of(row.value)});
    if (row.version) each.version = *row.version;
  }
  recorded_.select(recorded_condition(condition), named);
}

db::Reply RecordedOps::select(db::Session& session, const db::Condition& condition,
                              const KeyNames& keys, std::vector<db::Row>& rows) {
  db::Reply reply = session.select(condition, rows);
  if (!reply.ok()) return reply;
  if (holds_) {
    std::ranges::stable_sort(rows, {}, &db::Row::key);
    held_.push_back({.kind = Held::Kind::kSelect,
                     .condition = condition,
                     .rows = rows,
                     .lock = session.lock()});
  } else {
    record(condition, keys, rows);
    record(session.lock());
  }
  return reply;
}

db::Reply RecordedOps::remove(db::Session& session, const db::Condition& condition,
                              const KeyNames& keys, std::vector<db::Row>& rows) {
  db::Reply reply = session.remove(condition, rows);
  if (!reply.ok()) return reply;
  if (holds_) {
    std::ranges::stable_sort(rows, {}, &db::Row::key);
    held_.push_back({.kind = Held::Kind::kSelect, .condition = condition, .rows = rows});
  } else {
    record(condition, keys, rows);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // A row that was found in two places is gone but once.
    if (i > 0 && rows[i].key == rows[i - 1].key) continue;
    if (holds_) {
      held_.push_back({.kind = Held::Kind::kRemove, .row = {rows[i].key}});
    } else {
      recorded_.remove(keys(rows[i].key));
    }
  }
  return reply;
}

db::Reply RecordedOps::aggregate(db::Session& session, const db::Condition& condition,
                                 AggregateKind kind, std::optional<std::int64_t>& result) {
  db::Reply reply = session.aggregate(condition, kind, result);
  if (!reply.ok()) return reply;
  recorded_.aggregate(recorded_condition(condition),
                      {.kind = recorded_kind(kind), .result = result});
  return reply;
}

db::Reply RecordedOps::savepoint(db::Session& session) {
  ISOLDE_CHECK(!names_);
  db::Reply reply = session.savepoint();
  if (!reply.ok()) return reply;
  release();
  holds_ = true;
  return reply;
}

db::Reply RecordedOps::roll_back_to_savepoint(db::Session& session) {
  ISOLDE_CHECK(holds_);
  db::Reply reply = session.roll_back_to_savepoint();
  if (!reply.ok()) return reply;
  std::vector<Held> taken = std::exchange(held_, {});
  std::set<db::Key> written;
  for (Held& each : taken) {
    using enum Held::Kind;
    if (each.kind == kWrite || each.kind == kRemove || each.kind == kAppend) {
      written.insert(each.row.key);
    } else if (each.kind == kReadList) {
      if (!written.contains(each.row.key)) emit(each);
    } else if (each.kind == kSelect && written.empty()) {
      emit(each);
    } else {
      // What it did not return may be missing because of a write that never was.
      for (const db::Row& row : each.rows) {
        if (written.contains(row.key)) continue;
        Held read{.kind = kRead, .row = row, .lock = each.lock};
        emit(read);
      }
    }
  }
  return reply;
}

void RecordedOps::release() {
  for (Held& each : held_) emit(each);
  held_.clear();
  holds_ = false;
}

void RecordedOps::emit(Held& held) {
  const auto name = [](db::Key key) { return RecordedValue(key); };
  const db::Row& row = held.row;
  switch (held.kind) {
    case Held::Kind::kRead:
      recorded_.read(row.key, row.value);
      break;
    case Held::Kind::kWrite:
      recorded_.write(row.key, row.value);
      break;
    case Held::Kind::kRemove:
      return recorded_.remove(row.key);
    case Held::Kind::kSelect:
      record(held.condition, name, held.rows);
      return record(held.lock);
    case Held::Kind::kAppend:
      recorded_.append(row.key, row.value);
      break;
    case Held::Kind::kReadList:
      recorded_.read_list(row.key, held.elements);
      break;
  }
  if (row.version) recorded_.version(*row.version);
  record(held.lock);
}

void RecordedOps::end(const db::Reply& reply) {
  const db::Session* const wrote = std::exchange(wrote_, nullptr);
  switch (reply.outcome) {
    case db::Outcome::kOk:
      if (wrote != nullptr) {
        if (const auto version = wrote->version_of_writes()) {
          recorded_.version_of_writes(*version);
        }
        const std::vector<std::int64_t> sums = wrote->sums();
        if (!sums.empty()) recorded_.sums(sums);
      }
      return recorded_.commit();
    case db::Outcome::kUnknown:
      return recorded_.unknown();
    case db::Outcome::kAborted:
    case db::Outcome::kFailed:
      return recorded_.abort();
  }
}

}  // namespace isolde::run
