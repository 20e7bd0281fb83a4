// Versions that the database itself has names for: PostgreSQL's xmin, etcd's revisions, a
// version column. They lie beside the operations, so that a history without them pays nothing,
// and say nothing of themselves. Who trusts them gets a history in which the value of an
// operation is that of one version: whatever compares values then tells versions apart, and
// everything else, rows and conditions, looks at what the version holds (History::plain()).
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "history/builder_state.hpp"
#include "history/quoted.hpp"
#include "history/texts.hpp"

namespace isolde {
namespace {

std::string exact(const History& history, Value value) {
  return value.kind() == Value::Kind::kString ? history::quoted(history.pooled_text(value))
                                              : history.json(value);
}

/// No JSON, so it is the text of no other value.
std::string versioned_text(const History& history, Value plain, Value version) {
  return exact(history, plain) + '@' + exact(history, version);
}

}  // namespace

const History::Versioned* History::find_versioned(Value value) const {
  if (value.kind() != Value::Kind::kLiteral || value.slot() >= versioned_of_slot_.size()) {
    return nullptr;
  }
  const std::uint32_t number = versioned_of_slot_[value.slot()];
  return number == 0 ? nullptr : &versioned_[number - 1];
}

Value History::plain_of(Value value) const {
  const Versioned* const versioned = find_versioned(value);
  return versioned == nullptr ? value : versioned->plain;
}

Value History::trusted_version(Value value) const {
  const Versioned* const versioned = find_versioned(value);
  return versioned == nullptr ? Value() : versioned->version;
}

/// REQUIRES: the last text of the pool is that of this value.
Value History::add_versioned(Versioned versioned) {
  const auto slot = static_cast<std::uint32_t>(pool_begin_.size() - 2);
  versioned_.push_back(versioned);
  versioned_of_slot_.resize(slot + std::size_t{1}, 0);
  versioned_of_slot_[slot] = static_cast<std::uint32_t>(versioned_.size());
  if (is_row(versioned.plain)) {
    std::vector<std::uint32_t>& rows = row_of_slot_.edit();
    rows.resize(slot + std::size_t{1}, 0);
    rows[slot] = rows[versioned.plain.slot()];
  }
  return Value::pooled(Value::Kind::kLiteral, slot);
}

void HistoryBuilder::set_version(Value version) {
  if (version.is_null()) return;
  History& history = state_->history;
  if (history.ops_.empty() || history.ops_.size() == history.op_begin_.back()) {
    return state_->fail("a version needs an operation in front of it");
  }
  if (!history.increments_.empty() &&
      history.increments_.back().op + std::size_t{2} == history.ops_.size()) {
    return state_->fail("an increment has no version");
  }
  const Op& op = history.ops_.back();
  const bool has_one =
      op.kind == OpKind::kWrite || (op.kind == OpKind::kRead && !op.value.is_null());
  if (!has_one) {
    return state_->fail(
        "a version belongs to a write of a register, or to a read that returned a value of "
        "one");
  }
  if (version.is_dead() || history.is_row(version)) {
    return state_->fail("a version is an integer, a string or another scalar");
  }
  history.origin_.rows_are_deleted = true;  // as in any history of version 2
  history.op_version_.resize(history.ops_.size());
  history.op_version_.back() = version;
}

Value HistoryBuilder::versioned(Value value, Value version) {
  History& history = state_->history;
  const Value found =
      state_->pooled(Value::Kind::kLiteral, versioned_text(history, value, version));
  if (history.find_versioned(found) != nullptr) return found;
  return history.add_versioned({value, version});
}

void HistoryBuilder::State::check_versions() {
  if (!history.has_versions() || !history.origin_.versions_are_ordered) return;
  for (const Value version : history.op_version_) {
    if (version.is_null() || version.kind() == Value::Kind::kInteger) continue;
    return fail("version " + history.json(version) +
                " is not an integer of 62 bits, and the header says that versions are ordered");
  }
}

/// Makes History::with_trusted_versions().
class VersionTruster {
 public:
  explicit VersionTruster(const History& history)
      : history_(history), out_(history), own_(history.key_count()) {}

  Result<History> run();

 private:
  /// A key with a version or a value of it, or a value with a version.
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  struct PairHash {
    std::size_t operator()(const Pair& pair) const {
      return base::mix2(pair.first, pair.second);
    }
  };
  static Pair of(KeyId key, Value value) { return {key.raw(), value.bits()}; }

  /// The writes of one version of a key, by one transaction: places in all_ops(), ascending.
  struct Version {
    TxnId txn;
    std::vector<std::uint32_t> places;
  };
  /// Who wrote a value to a key.
  struct Written {
    bool without_version = false;
    bool with_several = false;  ///< different versions
    Value one;                  ///< as the value of its first version; null: none has one
  };
  /// A transaction's last write of a key so far.
  struct Own {
    TxnId txn;
    std::uint32_t place = 0;
  };

  const Op& op_at(std::uint32_t place) const { return history_.all_ops()[place]; }
  Value version_at(std::uint32_t place) const { return history_.version(op_at(place)); }
  bool may_be_own(TxnId txn, std::uint32_t place) const;

  Value versioned(Value plain, Value version);
  void collect(TxnId txn, std::uint32_t place);
  void resolve(TxnId txn);
  bool tells_value(const Op& op) const;
  bool all_tell_versions() const;
  void resolve_read(TxnId txn, std::uint32_t place, Value told);
  void resolve_match(TxnId txn, std::uint32_t place);
  void resolve_without_version(TxnId txn, std::uint32_t place, Value told);
  void resolve_unwritten(TxnId txn, std::uint32_t place, Value told);
  void become(std::uint32_t place, Value value) {
    out_.ops_[place] = {value, op_at(place).key, OpKind::kRead};
  }

  std::string about(TxnId txn, std::uint32_t place) const {
    std::string text = history_.txn_name(txn) + ' ' + history_.op_text(op_at(place));
    const Value version = version_at(place);
    return version.is_null() ? text : text + " of version " + history_.text(version);
  }
  void contradict(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

  const History& history_;
  History out_;
  std::unordered_map<Pair, Version, PairHash> versions_;  // by key and version
  std::unordered_map<Pair, Written, PairHash> written_;   // by key and value
  std::unordered_map<Pair, Value, PairHash> values_;      // by value and version
  std::vector<Own> own_;                                  // by key
  std::string problem_;
};

Value VersionTruster::versioned(Value plain, Value version) {
  const auto [entry, is_new] = values_.try_emplace(Pair(plain.bits(), version.bits()));
  if (is_new) {
    out_.pool_chars_.edit() += versioned_text(history_, plain, version);
    out_.pool_begin_.edit().push_back(out_.pool_chars_.size());
    entry->second = out_.add_versioned({plain, version});
  }
  return entry->second;
}

void VersionTruster::collect(TxnId txn, std::uint32_t place) {
  const Op& op = op_at(place);
  if (op.kind != OpKind::kWrite) return;
  const Value version = version_at(place);
  Written& written = written_[of(op.key, op.value)];
  if (version.is_null()) {
    written.without_version = true;
    return;
  }
  Version& known = versions_[of(op.key, version)];
  if (known.txn.is_some() && known.txn != txn) {
    contradict(about(known.txn, known.places.back()) + " and " + about(txn, place) +
               " are two transactions");
  }
  known.txn = txn;
  known.places.push_back(place);
  if (op.value.is_dead()) return;
  Value& value = out_.ops_[place].value;
  value = versioned(op.value, version);
  if (!written.one.is_null() && written.one != value) written.with_several = true;
  if (written.one.is_null()) written.one = value;
}

/// Whether the transaction has written the key before, and as far as versions tell the read
/// may have returned that.
bool VersionTruster::may_be_own(TxnId txn, std::uint32_t place) const {
  const Op& op = op_at(place);
  if (own_[op.key.raw()].txn != txn) return false;
  const Value version = version_at(place);
  const Value own = version_at(own_[op.key.raw()].place);
  if (version.is_null() || own == version) return true;
  if (!own.is_null()) return false;
  const auto known = versions_.find(of(op.key, version));
  return known == versions_.end() || known->second.txn == txn;
}

/// In program order, because a transaction reads its own writes.
void VersionTruster::resolve(TxnId txn) {
  const std::uint32_t begin = history_.first_op(txn);
  const auto count = static_cast<std::uint32_t>(history_.ops(txn).size());
  for (std::uint32_t place = begin; place < begin + count; ++place) {
    const Op& op = op_at(place);
    if (op.kind == OpKind::kWrite) {
      own_[op.key.raw()] = {txn, place};
    } else if (op.kind == OpKind::kRead && !history_.seen(op).is_null()) {
      resolve_read(txn, place, history_.seen(op));
    } else if (const Value told = history_.read_value(op); !told.is_null()) {
      resolve_read(txn, place, told);
    } else if (op.kind == OpKind::kReadMatch && !version_at(place).is_null()) {
      resolve_match(txn, place);
    }
  }
}

/// `told`: what the read returned as a whole.
void VersionTruster::resolve_read(TxnId txn, std::uint32_t place, Value told) {
  const Op& op = op_at(place);
  const Value version = version_at(place);
  const std::uint32_t own = own_[op.key.raw()].place;
  if (may_be_own(txn, place) && op_at(own).value == told) {
    if (!version_at(own).is_null()) become(place, out_.ops_[own].value);
    return;
  }
  if (version.is_null()) return resolve_without_version(txn, place, told);
  const auto known = versions_.find(of(op.key, version));
  if (known == versions_.end()) return resolve_unwritten(txn, place, told);
  const std::vector<std::uint32_t>& places = known->second.places;
  const auto wrote_it = [&](std::uint32_t write) { return op_at(write).value == told; };
  const bool is_written = std::any_of(places.begin(), places.end(), wrote_it);
  if (!is_written) {
    contradict(about(txn, place) + ", but " + about(known->second.txn, places.back()));
    return;
  }
  become(place, versioned(told, version));
}

/// Nobody wrote the version that it tells. Then it is of a write that tells none, or of what
/// the key held before all transactions, of which nothing tells a version.
void VersionTruster::resolve_unwritten(TxnId txn, std::uint32_t place, Value told) {
  const Op& op = op_at(place);
  const auto written = written_.find(of(op.key, told));
  const bool others_wrote_it = written != written_.end() && !written->second.without_version;
  if (!others_wrote_it || history_.origin().truncated) return;
  if (told == history_.initial(op.key)) return become(place, Value());
  contradict(about(txn, place) +
             ", which no transaction wrote, and each that wrote the "
             "value has another version");
}

/// Where several versions hold the value, a read that does not tell which cannot be told from
/// one of another version. The initial version is one of these.
void VersionTruster::resolve_without_version(TxnId txn, std::uint32_t place, Value told) {
  const Op& op = op_at(place);
  const auto written = written_.find(of(op.key, told));
  if (written == written_.end() || written->second.one.is_null()) return;
  const bool is_initial = told == history_.initial(op.key);
  if (!written->second.without_version && !written->second.with_several && !is_initial) {
    return become(place, written->second.one);
  }
  if (history_.status(txn) == TxnStatus::kAborted) return;
  contradict(about(txn, place) +
             " tells no version, and versions of that value are told elsewhere");
}

/// Becomes a read of the whole row that the version holds: of several writes of the version
/// the last that fits.
void VersionTruster::resolve_match(TxnId txn, std::uint32_t place) {
  const Op& op = op_at(place);
  const Value version = version_at(place);
  const auto fits = [&](std::uint32_t write) { return history_.fits(op, op_at(write).value); };
  if (may_be_own(txn, place) && fits(own_[op.key.raw()].place)) return;
  const auto known = versions_.find(of(op.key, version));
  if (known == versions_.end()) return;
  const std::vector<std::uint32_t>& places = known->second.places;
  const auto last = std::find_if(places.rbegin(), places.rend(), fits);
  if (last == places.rend()) {
    contradict(about(txn, place) + ", but " + about(known->second.txn, places.back()));
    return;
  }
  out_.ops_[place].kind = OpKind::kRead;
  out_.ops_[place].value = out_.ops_[*last].value;
}

/// Whether it wrote or returned something.
bool VersionTruster::tells_value(const Op& op) const {
  if (op.is_write()) return !op.is_delete();
  if (op.kind == OpKind::kReadList) return !history_.list(op).empty();
  return op.kind == OpKind::kReadMatch ||
         (op.kind == OpKind::kRead && !history_.seen(op).is_null());
}

/// Whether each operation with a value does. No version is written a second time.
bool VersionTruster::all_tell_versions() const {
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const std::uint32_t begin = history_.first_op(TxnId::at(t));
    for (std::size_t i = 0; i < history_.ops(TxnId::at(t)).size(); ++i) {
      const auto place = begin + static_cast<std::uint32_t>(i);
      const Op& op = op_at(place);
      if (tells_value(op) && version_at(place).is_null()) return false;
    }
  }
  return true;
}

Result<History> VersionTruster::run() {
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::uint32_t begin = history_.first_op(txn);
    const auto count = static_cast<std::uint32_t>(history_.ops(txn).size());
    for (std::uint32_t i = 0; i < count; ++i) collect(txn, begin + i);
  }
  for (std::size_t t = 0; t < history_.txn_count() && problem_.empty(); ++t) {
    resolve(TxnId::at(t));
  }
  if (problem_.empty()) {
    out_.origin_.values_repeat = history_.origin().values_repeat && !all_tell_versions();
    return std::move(out_);
  }
  return Error{ErrorCode::kBadInput,
               history_.origin().file + ": versions contradict values: " + problem_ +
                   "; this is a mistake of the recorder and no anomaly of the database; "
                   "check without trusting versions"};
}

Result<History> History::with_trusted_versions() const {
  if (!has_versions() || trusts_versions()) return *this;
  if (open_increments_ > 0) {
    return Error{ErrorCode::kBadInput,
                 origin_.file +
                     ": versions cannot be trusted where increments have unknown "
                     "results; check without trusting versions"};
  }
  return VersionTruster(*this).run();
}

}  // namespace isolde
