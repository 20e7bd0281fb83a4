// The quick way through a native line. simdjson's On-Demand costs about 80 ns for an operation
// like ["w","x",1], because each of its three tiny values goes through an iterator that must be
// ready for anything; a scanner that expects exactly this shape needs a fifth of that. Lines it
// does not expect are parsed by simdjson (native_reader.cpp), which decides what is right, so
// this file may refuse anything but must never accept what the other refuses. A test holds both
// against each other, and the fuzz target does.
#include "io/native_line.hpp"

#include <array>
#include <limits>
#include <utility>

#include "base/budget.hpp"
#include "base/ways.hpp"
#include "history/level_names.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

/// Characters that stand for themselves in a string: printable ASCII but quote and backslash.
constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::size_t kLookOps = std::size_t{1} << 16;
constexpr std::array<bool, 256> kPlain = plain_characters();

/// Walks over the line. Needs no bounds checks: the newline or NUL behind the line is neither
/// expected anywhere nor a plain character. (The reader does without this where the line is the
/// last and has no newline: a mapped file may grow.)
class UsualLine {
 public:
  UsualLine(std::string_view line, HistoryBuilder& builder, LineTxn& txn, base::Budget& budget)
      : at_(line.data()),
        end_(line.data() + line.size()),
        look_at_(next_look()),
        builder_(builder),
        txn_(txn),
        budget_(budget) {}

  bool parse();

 private:
  static constexpr std::ptrdiff_t kLookBytes = std::ptrdiff_t{1} << 20;

  bool eat(char expected) {
    while (*at_ == ' ') ++at_;
    if (*at_ != expected) return false;
    ++at_;
    return true;
  }
  /// Between the items of an array or object: true at a comma, false at `close`, which is
  /// eaten. Everything else stops the walk.
  bool more(char close) {
    if (eat(',')) return at_ < look_at_ || look();
    if (!eat(close)) usual_ = false;
    return false;
  }
  /// There are lines of gigabytes.
  bool look() {
    look_at_ = next_look();
    usual_ = budget_.look();
    return usual_;
  }
  const char* next_look() const { return end_ - at_ > kLookBytes ? at_ + kLookBytes : end_; }
  bool text(std::string_view& out);
  bool digits(std::int64_t& out);
  bool integer(std::int64_t& out);
  bool scalar(Value& out);
  bool null();
  bool field(std::string_view name);
  bool session();
  bool status();
  bool time(std::int64_t& out);
  bool level();
  bool server();
  bool ops();
  bool op_kind(LineOp& op);
  bool op();
  bool value(LineOp& op);
  bool list(LineOp& op);
  bool version();
  Value column_name(std::size_t place, std::string_view name);
  bool row(Value& out);
  bool select(LineOp& op);
  bool condition(Predicate& out);
  bool condition(std::string_view name, Predicate& out);
  bool bounds(std::optional<Predicate::Bounds>& out);
  bool columns(Predicate& out);
  bool test(Predicate::Test& out);
  bool test_of_range(Predicate::Test& out);
  bool rows();

  const char* at_;
  const char* end_;
  const char* look_at_;  // behind the next megabyte
  bool usual_ = true;
  HistoryBuilder& builder_;
  LineTxn& txn_;
  base::Budget& budget_;
  std::vector<ColumnValue> columns_;                       // of a row
  std::vector<std::pair<std::string_view, Value>> names_;  // of columns, by place in a row
};

// Hot loops walk with a local pointer: through at_ the compiler would store every step.

bool UsualLine::text(std::string_view& out) {
  if (!eat('"')) return false;
  const char* at = at_;
  while (kPlain[static_cast<unsigned char>(*at)]) ++at;
  out = std::string_view(at_, static_cast<std::size_t>(at - at_));
  at_ = at + 1;
  return *at == '"';
}

/// At most eighteen digits, which fit; what stands behind them is the caller's business.
bool UsualLine::digits(std::int64_t& out) {
  const char* at = at_;
  const char* const limit = at + 18;
  std::int64_t number = 0;
  for (; at < limit; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
    if (digit > 9) break;
    number = number * 10 + digit;
  }
  const bool leading_zero = *at_ == '0' && at - at_ > 1;
  const bool some = at > at_;
  at_ = at;
  out = number;
  return some && !leading_zero;
}

bool UsualLine::integer(std::int64_t& out) {
  while (*at_ == ' ') ++at_;
  const bool negative = *at_ == '-';
  if (negative) ++at_;
  if (!digits(out)) return false;
  if (negative) out = -out;
  // A longer number, a fraction or an exponent is not usual.
  return *at_ == ',' || *at_ == ']' || *at_ == '}' || *at_ == ' ';
}

bool UsualLine::scalar(Value& out) {
  while (*at_ == ' ') ++at_;
  if (*at_ == '"') {
    std::string_view characters;
    if (!text(characters)) return false;
    out = builder_.string(characters);
    return true;
  }
  std::int64_t number = 0;
  if (!integer(number)) return false;
  out = builder_.integer(number);
  return true;
}

bool UsualLine::null() {
  while (*at_ == ' ') ++at_;
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with("null")) {
    return false;
  }
  at_ += 4;
  return true;
}

bool UsualLine::session() {
  if (txn_.has_session) return false;
  txn_.has_session = true;
  while (*at_ == ' ') ++at_;
  if (*at_ == '"') {
    std::string_view name;
    if (!text(name)) return false;
    txn_.session = name;
    return true;
  }
  std::int64_t number = 0;
  if (!integer(number)) return false;
  txn_.session = std::to_string(number);
  return true;
}

bool UsualLine::status() {
  std::string_view name;
  if (!text(name)) return false;
  if (name == "aborted") {
    txn_.status = TxnStatus::kAborted;
  } else if (name == "indeterminate") {
    txn_.status = TxnStatus::kIndeterminate;
  } else {
    txn_.status = TxnStatus::kCommitted;
    return name == "committed";
  }
  return true;
}

bool UsualLine::time(std::int64_t& out) {
  while (*at_ == ' ') ++at_;
  std::int64_t number = 0;
  if (!digits(number)) return false;
  // Nanoseconds since 1970 have nineteen digits.
  if (*at_ >= '0' && *at_ <= '9') {
    constexpr std::int64_t kSafe = (std::numeric_limits<std::int64_t>::max() - 9) / 10;
    if (number > kSafe) return false;
    number = number * 10 + (*at_++ - '0');
  }
  out = number;
  return *at_ == ',' || *at_ == '}' || *at_ == ' ';
}

bool UsualLine::level() {
  std::string_view name;
  if (!text(name)) return false;
  txn_.level = history::level_written(name);
  return txn_.level.has_value();
}

bool UsualLine::server() {
  std::string_view name;
  if (!text(name)) return false;
  txn_.server = builder_.string(name);
  return true;
}

bool UsualLine::list(LineOp& op) {
  op.kind = OpKind::kReadList;
  op.list_begin = txn_.elements.size();
  ++at_;  // the bracket
  if (!eat(']')) {
    do {
      Value element;
      if (!scalar(element)) return false;
      txn_.elements.push_back(element);
    } while (more(']'));
  }
  op.list_end = txn_.elements.size();
  return usual_;
}

/// Rows of a line mostly have the same columns, in the same order.
Value UsualLine::column_name(std::size_t place, std::string_view name) {
  if (place >= names_.size()) names_.resize(place + 1);
  auto& [text, known] = names_[place];
  if (known.is_null() || text != name) {
    text = name;
    known = builder_.string(name);
  }
  return known;
}

/// Columns, each a scalar or null. {"not":value} is no row.
bool UsualLine::row(Value& out) {
  columns_.clear();
  if (!eat('{')) return false;
  do {
    std::string_view name;
    ColumnValue column;
    if (!text(name) || name == "not" || !eat(':')) return false;
    column.name = column_name(columns_.size(), name);
    while (*at_ == ' ') ++at_;
    if (!(*at_ == 'n' ? null() : scalar(column.value))) return false;
    columns_.push_back(column);
  } while (more('}'));
  if (!usual_) return false;
  out = builder_.row(columns_);
  return true;
}

bool UsualLine::value(LineOp& op) {
  while (*at_ == ' ') ++at_;
  const bool is_row = *at_ == '{' && op.kind != OpKind::kAppend;
  if (op.kind != OpKind::kReadUnknown) return is_row ? row(op.value) : scalar(op.value);
  if (*at_ == '[') return list(op);
  op.kind = OpKind::kRead;
  if (is_row) return row(op.value);
  if (*at_ == 'n') return null();
  return scalar(op.value);
}

bool UsualLine::op_kind(LineOp& op) {
  std::string_view name;
  if (!text(name)) return false;
  if (name.size() == 1) {
    op.kind = name[0] == 'w' ? OpKind::kWrite : OpKind::kReadUnknown;  // until a result follows
    return name[0] == 'w' || name[0] == 'r';
  }
  if (name == "delete") {
    op.kind = OpKind::kWrite;
    op.value = Value::dead();
    return true;
  }
  op.kind = name == "select" ? OpKind::kReadAbsent : OpKind::kAppend;
  return op.kind == OpKind::kReadAbsent || name == "append";
}

bool UsualLine::bounds(std::optional<Predicate::Bounds>& out) {
  if (out) return false;
  Predicate::Bounds& ends = out.emplace(Predicate::Bounds{});
  return eat('[') && integer(ends.min) && eat(',') && integer(ends.max) && eat(']') &&
         ends.are_valid();
}

/// {"min":1,"max":9}, or one of them.
bool UsualLine::test_of_range(Predicate::Test& out) {
  bool has_min = false;
  bool has_max = false;
  Predicate::Bounds& ends = out.bounds.emplace(Predicate::Bounds{});
  if (!eat('{')) return false;
  do {
    std::string_view name;
    if (!text(name) || (name != "min" && name != "max") || !eat(':')) return false;
    bool& has = name == "min" ? has_min : has_max;
    if (has || !integer(name == "min" ? ends.min : ends.max)) return false;
    has = true;
  } while (more('}'));
  return usual_ && ends.are_valid();
}

bool UsualLine::test(Predicate::Test& out) {
  while (*at_ == ' ') ++at_;
  if (*at_ == '{') return test_of_range(out);
  out.is_null = *at_ == 'n';
  return out.is_null ? null() : scalar(out.in.emplace(1).front());
}

bool UsualLine::columns(Predicate& out) {
  if (!eat('{')) return false;
  do {
    std::string_view name;
    if (!text(name) || !eat(':')) return false;
    out.tests.emplace_back().column = builder_.string(name);
    if (!test(out.tests.back())) return false;
  } while (more('}'));
  return usual_;
}

bool UsualLine::condition(std::string_view name, Predicate& out) {
  if (name == "keys") return bounds(out.keys);
  if (name == "values") return bounds(out.values);
  if (name == "columns") return columns(out);
  return name == "equal" && out.equal.is_null() && scalar(out.equal);
}

bool UsualLine::condition(Predicate& out) {
  if (!eat('{')) return false;
  if (eat('}')) return true;
  do {
    std::string_view name;
    if (!text(name) || !eat(':') || !condition(name, out)) return false;
  } while (more('}'));
  return usual_;
}

/// Each a key and what the row holds.
bool UsualLine::rows() {
  if (!eat('[')) return false;
  if (eat(']')) return true;
  do {
    Value key;
    Value held;
    if (!eat('[') || !scalar(key) || !eat(',')) return false;
    while (*at_ == ' ') ++at_;
    if (!(*at_ == '{' ? row(held) : scalar(held)) || !eat(']')) return false;
    txn_.elements.push_back(key);
    txn_.elements.push_back(held);
  } while (more(']'));
  return usual_;
}

/// ["select",condition,rows], behind the first comma.
bool UsualLine::select(LineOp& op) {
  op.predicate = txn_.predicates.size();
  if (!condition(txn_.predicates.emplace_back()) || !eat(',')) return false;
  op.list_begin = txn_.elements.size();
  if (!rows() || !eat(']')) return false;
  op.list_end = txn_.elements.size();
  txn_.ops.push_back(op);
  return true;
}

bool UsualLine::op() {
  LineOp op;
  if (!eat('[') || !op_kind(op) || !eat(',')) return false;
  if (op.kind == OpKind::kReadAbsent) return select(op);
  if (!scalar(op.key)) return false;
  if (eat(',')) {
    if (op.value.is_dead() || !value(op)) return false;
  } else if (op.kind != OpKind::kReadUnknown && !op.value.is_dead()) {
    return false;
  }
  if (!eat(']')) {
    const bool takes_version = op.kind == OpKind::kRead || op.kind == OpKind::kWrite;
    if (!takes_version || !version() || !eat(']')) return false;
  }
  txn_.ops.push_back(op);
  return true;
}

/// {"version":17}, of reads and writes with a value.
bool UsualLine::version() {
  std::string_view name;
  Value version;
  if (!eat(',') || !eat('{') || !text(name) || name != "version" || !eat(':')) return false;
  if (!scalar(version) || !eat('}')) return false;
  txn_.set_version(version);
  return true;
}

bool UsualLine::ops() {
  if (txn_.has_ops || !eat('[')) return false;
  txn_.has_ops = true;
  if (eat(']')) return true;
  do {
    if (!op()) return false;
  } while (more(']'));
  return usual_;
}

bool UsualLine::field(std::string_view name) {
  if (name == "ops") return ops();
  if (name == "session") return session();
  if (name == "status") return status();
  if (name == "start") return time(txn_.times.start);
  if (name == "end") return time(txn_.times.end);
  if (name == "db_start") return time(txn_.database_times.start);
  if (name == "db_commit") return time(txn_.database_times.commit);
  if (name == "level") return level();
  if (name == "server") return server();
  return name == "id" && scalar(txn_.label);
}

bool UsualLine::parse() {
  if (!eat('{')) return false;
  do {
    std::string_view name;
    if (!text(name) || !eat(':') || !field(name)) return false;
  } while (more('}'));
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\r')) ++at_;
  return usual_ && at_ == end_ && txn_.has_session && txn_.has_ops;
}

}  // namespace

void LineTxn::clear() {
  status = TxnStatus::kCommitted;
  times = {};
  database_times = {};
  level = std::nullopt;
  label = {};
  server = {};
  ops.clear();
  elements.clear();
  predicates.clear();
  aggregates.clear();
  versions.clear();
  locks.clear();
  element_versions.clear();
  has_session = false;
  has_ops = false;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool is_closed(std::string_view line) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return depth == 1 && is_blank(line.substr(at + 1));
      --depth;
    }
  }
  return false;
}

bool parse_usual_line(std::string_view line, HistoryBuilder& builder, LineTxn& txn,
                      base::Budget& budget) {
  if (!base::ways().usual_lines) return false;
  return UsualLine(line, builder, txn, budget).parse();
}

namespace {

/// An increment or a compare-and-set.
void add_change(const LineTxn& txn, const LineOp& op, KeyId key, HistoryBuilder& builder) {
  if (op.is_cas) {
    return builder.compare_and_set(key, op.value, op.written, op.swap, op.found);
  }
  op.list_end == op.list_begin
      ? builder.increment(key, op.value.as_integer())
      : builder.increment(key, op.value.as_integer(), txn.elements[op.list_begin].as_integer());
}

void add_extras(const LineTxn& txn, const LineOp& op, HistoryBuilder& builder) {
  const auto at = static_cast<std::size_t>(&op - txn.ops.data());
  if (at < txn.versions.size()) builder.set_version(txn.versions[at]);
  if (at < txn.locks.size()) builder.set_lock(txn.locks[at]);
}

}  // namespace

void add_line_txn(const LineTxn& txn, SessionId session, std::uint64_t position_in_input,
                  HistoryBuilder& builder, base::Budget& budget) {
  builder.begin_txn(session, position_in_input);
  builder.set_status(txn.status);
  builder.set_times(txn.times);
  builder.set_database_times(txn.database_times);
  if (txn.level) builder.set_stated_level(*txn.level);
  builder.set_label(txn.label);
  if (!txn.server.is_null()) builder.set_server(txn.server);
  std::vector<Row> rows;
  std::size_t until_look = kLookOps;
  const bool has_extras = !txn.versions.empty() || !txn.locks.empty();
  for (const LineOp& op : txn.ops) {
    if (--until_look == 0) {
      until_look = kLookOps;
      if (!budget.look()) return;
    }
    if (op.kind == OpKind::kReadAbsent && op.is_aggregate) {
      builder.aggregate(txn.predicates[op.predicate], txn.aggregates[op.list_begin]);
      continue;
    }
    if (op.kind == OpKind::kReadAbsent) {
      rows.clear();
      for (std::size_t i = op.list_begin; i < op.list_end; i += 2) {
        const Value version =
            i + 1 < txn.element_versions.size() ? txn.element_versions[i + 1] : Value();
        rows.push_back({builder.key(txn.elements[i]), txn.elements[i + 1], version});
      }
      builder.select(txn.predicates[op.predicate], rows);
      if (has_extras) add_extras(txn, op, builder);
      continue;
    }
    const KeyId key = builder.key(op.key);
    switch (op.kind) {
      case OpKind::kRead:
        builder.read(key, op.value);
        break;
      case OpKind::kWrite:
        op.value.is_dead() ? builder.remove(key) : builder.write(key, op.value);
        break;
      case OpKind::kAppend:
        builder.append(key, op.value);
        break;
      case OpKind::kReadList:
        builder.read_list(key, std::span<const Value>(txn.elements)
                                   .subspan(op.list_begin, op.list_end - op.list_begin));
        break;
      case OpKind::kReadUnknown:
        op.is_refused ? builder.insert_refused(key) : builder.read_unknown(key);
        break;
      case OpKind::kReadExcept:
        builder.read_except(key, op.value);
        break;
      case OpKind::kReadMatch:
        add_change(txn, op, key, builder);
        break;
      case OpKind::kReadAbsent:  // above
        break;
    }
    if (has_extras) add_extras(txn, op, builder);
  }
}

}  // namespace isolde::io
