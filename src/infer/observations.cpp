// Resolving a history, in four passes over its operations:
//
//   1. table of writes (write_table.hpp);
//   2. inclusion: committed transactions, and indeterminate ones that an included one read
//   from,
//      to a fixpoint. Leaving the others out is exact: taking a transaction that nobody read
//      from out of an execution that passes a commit test leaves one that passes;
//   3. numbering of final writes;
//   4. external reads with their sources, in transaction order; for lists the longest read of
//      each key first, because all reads of a list must be its prefixes.
//
// Findings are the reads that no execution has a state for. They are collected on the way, the
// first of the history is kept.
#include "infer/observations.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "infer/exclusion_sources.hpp"
#include "infer/write_table.hpp"

namespace isolde::infer {

using Source = WriteTable::Source;

WriteId Observations::find_write(TxnId txn, KeyId key) const {
  const auto first = write_key_.begin() + write_begin_[txn.raw()];
  const auto last = write_key_.begin() + write_begin_[txn.raw() + 1];
  const auto at = std::lower_bound(first, last, key);
  if (at == last || *at != key) return WriteId::none();
  return WriteId::at(static_cast<std::size_t>(at - write_key_.begin()));
}

class ObservationsBuilder {
 public:
  ObservationsBuilder(const History& history, base::Budget& budget)
      : history_(history),
        budget_(budget),
        table_(history, budget),
        exclusions_(history, budget) {
    out_.history_ = &history;
  }

  void leave_reads_open() { leaves_open_ = true; }
  void choose(const SourceOf& source_of) { source_of_ = &source_of; }

  Observations run() {
    // A pass that was cut short leaves gaps that look like findings to the next one.
    using Pass = void (ObservationsBuilder::*)();
    for (const Pass pass :
         {&ObservationsBuilder::find_included, &ObservationsBuilder::find_doubtful,
          &ObservationsBuilder::number_writes, &ObservationsBuilder::find_longest_lists,
          &ObservationsBuilder::order_lists, &ObservationsBuilder::find_reads,
          &ObservationsBuilder::index_reads}) {
      if (budget_.exhausted()) break;
      if (leaves_open_ && !out_.ambiguity_.empty()) break;
      (this->*pass)();
    }
    if (budget_.exhausted()) {
      out_.finding_.reset();
      out_.non_repeatable_.reset();
      out_.ambiguity_ = budget_.reason();
    }
    return std::move(out_);
  }

 private:
  /// The longest external list read of a key.
  struct Longest {
    std::span<const Value> elements;
    TxnId reader;
    std::uint32_t op = 0;
  };

  bool stopped() const { return out_.finding_ || !out_.ambiguity_.empty(); }

  void add_finding(FindingKind kind, TxnId txn, std::size_t op, std::size_t element = 0,
                   TxnId other = {}, std::size_t other_op = 0) {
    if (out_.finding_) return;
    out_.finding_ = Finding{kind,
                            txn,
                            static_cast<std::uint32_t>(op),
                            static_cast<std::uint32_t>(element),
                            other,
                            static_cast<std::uint32_t>(other_op)};
  }

  void add_ambiguity(TxnId txn, const Op& op, Value value, const std::string& why) {
    if (!out_.ambiguity_.empty()) return;
    out_.ambiguity_ = "transaction " + history_.txn_name(txn) + " read " +
                      history_.json(value) + " from key " +
                      history_.json(history_.key_name(op.key)) + ", " + why;
  }

  /// A row of a selection that its predicate does not select.
  bool is_unselected_row(TxnId txn, std::size_t i) const {
    const std::span<const Selection> selections = history_.selections(txn);
    const auto after =
        std::partition_point(selections.begin(), selections.end(),
                             [&](const Selection& selection) { return selection.first <= i; });
    if (after == selections.begin()) return false;
    const Selection& selection = *(after - 1);
    if (i >= selection.first + selection.rows) return false;
    const Op& row = history_.ops(txn)[i];
    const Predicate& predicate = history_.predicates()[selection.predicate];
    return !predicate.selects_key(history_.key_name(row.key)) ||
           !predicate.selects_value(row.value);
  }

  /// Calls on_external(op index, op, external list part) for each read that is not answered by
  /// the transaction's own writes, and on_internal(op index, op) for reads that contradict
  /// them or the condition that they were selected by.
  template <typename External, typename Internal>
  void visit_reads(TxnId txn, const External& on_external, const Internal& on_internal) {
    const std::span<const Op> ops = history_.ops(txn);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      if (op.is_write()) {
        own_stamp_[op.key.raw()] = txn;
        own_last_[op.key.raw()] = static_cast<std::uint32_t>(i);
        continue;
      }
      if (op.kind == OpKind::kReadUnknown) continue;
      const bool own = own_stamp_[op.key.raw()] == txn;
      if (op.is_exclusion()) {
        if (!own) {
          on_external(i, op, std::span<const Value>());
        } else if (history_.predicate(op).selects_value(ops[own_last_[op.key.raw()]].value)) {
          on_internal(i, op);
        }
        continue;
      }
      if (op.kind == OpKind::kRead) {
        if (is_unselected_row(txn, i)) {
          on_internal(i, op);
        } else if (!own) {
          on_external(i, op, std::span<const Value>());
        } else if (ops[own_last_[op.key.raw()]].value != op.value) {
          on_internal(i, op);
        }
        continue;
      }
      std::span<const Value> list = history_.list(op);
      if (own && !strip_own(ops.first(i), op.key, list)) {
        on_internal(i, op);
      } else {
        on_external(i, op, list);
      }
    }
  }

  /// Takes the transaction's own elements off the end; false when they are not there.
  static bool strip_own(std::span<const Op> before, KeyId key, std::span<const Value>& list) {
    for (std::size_t i = before.size(); i-- > 0;) {
      if (before[i].kind != OpKind::kAppend || before[i].key != key) continue;
      if (list.empty() || list.back() != before[i].value) return false;
      list = list.first(list.size() - 1);
    }
    return true;
  }

  void find_included() {
    const std::size_t txn_count = history_.txn_count();
    out_.included_.assign(txn_count, 0);
    own_stamp_.assign(history_.key_count(), TxnId::none());
    own_last_.assign(history_.key_count(), 0);
    bool any_indeterminate = false;
    std::vector<TxnId> work;
    for (std::size_t t = 0; t < txn_count; ++t) {
      const TxnStatus status = history_.status(TxnId::at(t));
      any_indeterminate = any_indeterminate || status == TxnStatus::kIndeterminate;
      if (status != TxnStatus::kCommitted) continue;
      out_.included_[t] = 1;
      ++out_.included_count_;
      work.push_back(TxnId::at(t));
    }
    if (!any_indeterminate) return;
    while (!work.empty()) {
      const TxnId txn = work.back();
      work.pop_back();
      const auto include = [&](const WriteTable::Answer& answer) {
        if (answer.source != Source::kWriter || out_.included_[answer.txn.raw()] != 0) return;
        out_.included_[answer.txn.raw()] = 1;
        ++out_.included_count_;
        work.push_back(answer.txn);
      };
      if (!budget_.spend(history_.ops(txn).size())) return;
      visit_reads(
          txn,
          [&](std::size_t i, const Op& op, std::span<const Value> list) {
            if (op.kind == OpKind::kRead && !op.value.is_null()) {
              include(find_source(txn, i, op));
            }
            if (op.is_exclusion() && source_of_ != nullptr) {
              const TxnId chosen = chosen_exclusion(txn, i, op);
              if (chosen.is_some()) include({Source::kWriter, chosen});
            }
            // The reader's own append of the same element would make the source uncertain.
            for (const Value element : list) {
              include(table_.find(TxnId::none(), op.key, element));
            }
          },
          [](std::size_t, const Op&) {});
    }
  }

  /// Where the register read came from, or was chosen to have come from.
  WriteTable::Answer find_source(TxnId txn, std::size_t i, const Op& op) const {
    const WriteTable::Answer answer = table_.find(txn, op.key, op.value);
    if (source_of_ == nullptr || answer.source != Source::kAmbiguous) return answer;
    return {Source::kWriter, (*source_of_)(txn, static_cast<std::uint32_t>(i))};
  }

  /// The chosen source of a read of which only is known what it did not return.
  TxnId chosen_exclusion(TxnId txn, std::size_t i, const Op& op) {
    if (exclusions_.find(txn, op).empty()) return {};
    return (*source_of_)(txn, static_cast<std::uint32_t>(i));
  }

  /// Includes all that may have taken effect, for the reads that are left open to choose from.
  void find_doubtful() {
    if (!leaves_open_) return;
    out_.doubtful_.assign(history_.txn_count(), 0);
    own_stamp_.assign(history_.key_count(), TxnId::none());  // they are visited once more
    std::vector<TxnId> work;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      if (out_.included_[t] != 0) work.push_back(TxnId::at(t));
    }
    while (!work.empty()) {
      const TxnId txn = work.back();
      work.pop_back();
      if (!budget_.spend(history_.ops(txn).size())) return;
      const auto look = [&](std::size_t, const Op& op, std::span<const Value>) {
        for (const TxnId writer : candidates(txn, op)) {
          if (out_.included_[writer.raw()] != 0) continue;
          out_.included_[writer.raw()] = 1;
          out_.doubtful_[writer.raw()] = 1;
          ++out_.included_count_;
          work.push_back(writer);
          check_doubtful(writer);
        }
      };
      visit_reads(txn, look, [](std::size_t, const Op&) {});
    }
  }

  /// All transactions that a read of a register can have come from, ascending.
  std::vector<TxnId> candidates(TxnId txn, const Op& op) {
    if (op.is_exclusion()) return exclusions_.find(txn, op);
    if (op.kind != OpKind::kRead || op.value.is_null()) return {};
    return table_.candidates(txn, op.key, op.value);
  }

  /// What a list says would depend on whether the transaction took effect.
  void check_doubtful(TxnId txn) {
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kAppend && op.kind != OpKind::kReadList) continue;
      if (!out_.ambiguity_.empty()) return;
      out_.ambiguity_ = "transaction " + history_.txn_name(txn) +
                        ", which uses lists, may or may not have taken effect";
    }
  }

  void number_writes() {
    const std::size_t txn_count = history_.txn_count();
    out_.write_begin_.reserve(txn_count + 1);
    for (std::size_t t = 0; t < txn_count; ++t) {
      out_.write_begin_.push_back(static_cast<std::uint32_t>(out_.write_key_.size()));
      if (out_.included_[t] == 0) continue;
      const std::size_t first = out_.write_key_.size();
      for (const Op& op : history_.ops(TxnId::at(t))) {
        if (op.is_write()) out_.write_key_.push_back(op.key);
      }
      const auto begin = out_.write_key_.begin() + static_cast<std::ptrdiff_t>(first);
      std::sort(begin, out_.write_key_.end());
      out_.write_key_.erase(std::unique(begin, out_.write_key_.end()), out_.write_key_.end());
      out_.write_txn_.resize(out_.write_key_.size(), TxnId::at(t));
    }
    out_.write_begin_.push_back(static_cast<std::uint32_t>(out_.write_key_.size()));
    out_.key_writes_ = base::Csr<WriteId>::build(history_.key_count(), [&](const auto& add) {
      for (std::size_t w = 0; w < out_.write_key_.size(); ++w) {
        add(out_.write_key_[w].raw(), WriteId::at(w));
      }
    });
  }

  /// Finds the longest read of each list and compares every other with it.
  void find_longest_lists() {
    bool any_list = false;
    for (std::size_t key = 0; key < history_.key_count(); ++key) {
      any_list = any_list || history_.is_list(KeyId::at(key));
    }
    if (!any_list) return;
    longest_.resize(history_.key_count());
    own_stamp_.assign(history_.key_count(), TxnId::none());
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      if (out_.included_[t] == 0) continue;
      const TxnId txn = TxnId::at(t);
      visit_reads(
          txn,
          [&](std::size_t i, const Op& op, std::span<const Value> list) {
            if (op.kind != OpKind::kReadList) return;
            Longest& longest = longest_[op.key.raw()];
            const std::size_t shared = std::min(list.size(), longest.elements.size());
            budget_.spend(shared);
            if (!std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(shared),
                            longest.elements.begin())) {
              add_finding(FindingKind::kIncompatibleOrder, txn, i, 0, longest.reader,
                          longest.op);
            }
            if (list.size() > longest.elements.size() || longest.reader.is_none()) {
              longest = {list, txn, static_cast<std::uint32_t>(i)};
            }
          },
          [](std::size_t, const Op&) {});
    }
  }

  /// Turns each key's longest read into a sequence of writes. Every transaction in it must show
  /// all its appends to the key, next to each other and in program order: states change only
  /// when transactions commit.
  void order_lists() {
    std::vector<std::uint32_t> begin;
    std::vector<WriteId> order;
    boundary_.resize(longest_.size());
    if (!longest_.empty()) {
      out_.list_rank_.assign(out_.write_count(), Observations::kUnseen);
    }
    std::vector<KeyId> seen_for(history_.txn_count());
    for (std::size_t k = 0; k < history_.key_count(); ++k) {
      begin.push_back(static_cast<std::uint32_t>(order.size()));
      if (k >= longest_.size() || stopped()) continue;
      const Longest& longest = longest_[k];
      boundary_[k].assign(longest.elements.size() + 1, WriteId::none());
      std::size_t at = 0;
      while (at < longest.elements.size() && !stopped()) {
        const TxnId txn = list_writer(longest, KeyId::at(k), at);
        if (txn.is_none()) break;
        if (seen_for[txn.raw()] == KeyId::at(k)) {
          add_finding(FindingKind::kDuplicateElement, longest.reader, longest.op, at);
          break;
        }
        seen_for[txn.raw()] = KeyId::at(k);
        const std::size_t end = match_run(longest, KeyId::at(k), txn, at);
        if (end == at) break;
        order.push_back(out_.find_write(txn, KeyId::at(k)));
        out_.list_rank_[order.back().raw()] =
            static_cast<std::uint32_t>(order.size()) - begin.back() - 1;
        boundary_[k][end] = order.back();
        at = end;
      }
    }
    begin.push_back(static_cast<std::uint32_t>(order.size()));
    out_.list_order_ = base::Csr<WriteId>::from_parts(std::move(begin), std::move(order));
  }

  /// Transaction that appended the element, or none after reporting why there is none.
  TxnId list_writer(const Longest& longest, KeyId key, std::size_t at) {
    const Value element = longest.elements[at];
    // Other readers see the same element, so the reader's own appends are candidates here too.
    const WriteTable::Answer answer = table_.find(TxnId::none(), key, element);
    const Op& op = history_.ops(longest.reader)[longest.op];
    switch (answer.source) {
      case Source::kWriter:
        if (answer.txn != longest.reader) {
          return appends_are_unique(longest, answer.txn, key) ? answer.txn : TxnId::none();
        }
        add_finding(own_element_finding(longest.reader, longest.op, element), longest.reader,
                    longest.op, at);
        break;
      case Source::kAborted:
        add_finding(FindingKind::kAbortedRead, longest.reader, longest.op, at, answer.txn);
        break;
      case Source::kUnwritten:
        add_unwritten(longest.reader, longest.op, op, element, at);
        break;
      case Source::kFuture:        // not without a reader
      case Source::kIntermediate:  // appends are never intermediate in the table
      case Source::kAmbiguous:
        add_ambiguity(longest.reader, op, element, "which several transactions appended");
        break;
    }
    return TxnId::none();
  }

  /// False after reporting that some element the transaction appended was appended twice.
  bool appends_are_unique(const Longest& longest, TxnId txn, KeyId key) {
    if (!table_.has_repeats()) return true;
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kAppend || op.key != key) continue;
      if (table_.find(TxnId::none(), key, op.value).source != Source::kAmbiguous) continue;
      add_ambiguity(longest.reader, op, op.value, "which was appended several times");
      return false;
    }
    return true;
  }

  /// The reader's own element in the external part of its read: appended before the read it
  /// shows twice (once as its own), appended after it comes from the future.
  FindingKind own_element_finding(TxnId txn, std::size_t read, Value element) const {
    const std::span<const Op> ops = history_.ops(txn);
    for (std::size_t i = 0; i < read; ++i) {
      const bool same = ops[i].kind == OpKind::kAppend && ops[i].value == element &&
                        ops[i].key == ops[read].key;
      if (same) return FindingKind::kDuplicateElement;
    }
    return FindingKind::kFutureRead;
  }

  /// One past the transaction's run of elements, or `at` after reporting that it is broken.
  std::size_t match_run(const Longest& longest, KeyId key, TxnId txn, std::size_t at) {
    std::size_t end = at;
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kAppend || op.key != key) continue;
      if (end < longest.elements.size() && longest.elements[end] == op.value) {
        ++end;
        continue;
      }
      const std::size_t last_seen = end > at ? end - 1 : at;
      add_finding(FindingKind::kIntermediateRead, longest.reader, longest.op, last_seen, txn);
      return at;
    }
    return end;
  }

  void add_unwritten(TxnId txn, std::size_t i, const Op& op, Value value,
                     std::size_t element = 0) {
    if (history_.origin().truncated) {
      add_ambiguity(txn, op, value,
                    "which no transaction wrote; the input is cut off, and what is missing "
                    "may have been the writer");
    } else {
      add_finding(FindingKind::kUnwrittenRead, txn, i, element);
    }
  }

  void find_reads() {
    std::vector<std::uint32_t> begin;
    std::vector<ReadFrom> reads;
    begin.reserve(history_.txn_count() + 1);
    own_stamp_.assign(history_.key_count(), TxnId::none());
    first_read_stamp_.assign(history_.key_count(), TxnId::none());
    first_read_.assign(history_.key_count(), {});
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      begin.push_back(static_cast<std::uint32_t>(reads.size()));
      if (out_.included_[t] == 0) continue;
      const TxnId txn = TxnId::at(t);
      if (!budget_.spend(history_.ops(txn).size())) return;
      visit_reads(
          txn,
          [&](std::size_t i, const Op& op, std::span<const Value> list) {
            if (leave_open(txn, i, op, reads.size() - begin.back())) return;
            const WriteId source = op.kind == OpKind::kReadList
                                       ? list_source(txn, i, op, list.size())
                                   : op.is_exclusion() ? exclusion_source(txn, i, op)
                                                       : register_source(txn, i, op);
            reads.push_back({op.key, source});
            note_first_read(txn, i, op, source);
          },
          [&](std::size_t i, const Op& op) {
            if (!out_.is_doubtful(txn)) {
              return add_finding(is_unselected_row(txn, i) ? FindingKind::kUnselectedRow
                                                           : FindingKind::kInternal,
                                 txn, i);
            }
            // It cannot have taken effect.
            out_.open_reads_.push_back(
                {txn, static_cast<std::uint32_t>(i), op.key, 0, false, {}});
          });
    }
    begin.push_back(static_cast<std::uint32_t>(reads.size()));
    out_.reads_ = base::Csr<ReadFrom>::from_parts(std::move(begin), std::move(reads));
  }

  /// True when the read was noted as open.
  bool leave_open(TxnId txn, std::size_t i, const Op& op, std::size_t place) {
    if (!leaves_open_ || op.kind == OpKind::kReadList) return false;
    if (op.is_exclusion()) return leave_exclusion_open(txn, i, op, place);
    const bool is_doubtful = out_.is_doubtful(txn);
    if (!is_doubtful && op.value.is_null()) return false;
    const Source known = table_.find(txn, op.key, op.value).source;
    if (!is_doubtful && known != Source::kAmbiguous) return false;
    OpenRead read{txn,
                  static_cast<std::uint32_t>(i),
                  op.key,
                  static_cast<std::uint32_t>(place),
                  op.value.is_null(),
                  {}};
    if (!read.is_initial) {
      for (const TxnId writer : table_.candidates(txn, op.key, op.value)) {
        read.sources.push_back(out_.find_write(writer, op.key));
      }
      if (known == Source::kUnwritten && history_.origin().truncated) {
        add_unwritten(txn, i, op, op.value);
      }
    }
    out_.open_reads_.push_back(std::move(read));
    if (!is_doubtful) note_first_read(txn, i, op, WriteId::none());
    return true;
  }

  bool leave_exclusion_open(TxnId txn, std::size_t i, const Op& op, std::size_t place) {
    check_cut_off(txn, op);
    const std::vector<TxnId> writers = exclusions_.find(txn, op);
    const bool is_doubtful = out_.is_doubtful(txn);
    if (!is_doubtful && writers.empty()) return false;
    OpenRead read{txn,    static_cast<std::uint32_t>(i),
                  op.key, static_cast<std::uint32_t>(place),
                  true,   {}};
    for (const TxnId writer : writers) {
      read.sources.push_back(out_.find_write(writer, op.key));
    }
    out_.open_reads_.push_back(std::move(read));
    if (!is_doubtful) note_first_read(txn, i, op, WriteId::none());
    return true;
  }

  /// What is missing may have written a value that does not match.
  void check_cut_off(TxnId txn, const Op& op) {
    if (!history_.origin().truncated || !history_.predicate(op).asks_for_value()) return;
    if (!out_.ambiguity_.empty()) return;
    out_.ambiguity_ = "transaction " + history_.txn_name(txn) + " did not read " +
                      history_.text(history_.predicate(op)) + " from key " +
                      history_.json(history_.key_name(op.key)) +
                      "; the input is cut off, and what is missing may have written what it "
                      "read instead";
  }

  WriteId exclusion_source(TxnId txn, std::size_t i, const Op& op) {
    if (source_of_ != nullptr) {
      const TxnId chosen = chosen_exclusion(txn, i, op);
      return chosen.is_none() ? WriteId::none() : out_.find_write(chosen, op.key);
    }
    check_cut_off(txn, op);
    if (out_.ambiguity_.empty() && !exclusions_.find(txn, op).empty()) {
      out_.ambiguity_ = "transaction " + history_.txn_name(txn) + " did not read " +
                        history_.text(history_.predicate(op)) + " from key " +
                        history_.json(history_.key_name(op.key)) +
                        ", and there are several versions that it may have read instead";
    }
    return WriteId::none();
  }

  WriteId register_source(TxnId txn, std::size_t i, const Op& op) {
    if (op.value.is_null()) return WriteId::none();
    const WriteTable::Answer answer = find_source(txn, i, op);
    switch (answer.source) {
      case Source::kWriter:
        return out_.find_write(answer.txn, op.key);
      case Source::kAborted:
        add_finding(FindingKind::kAbortedRead, txn, i, 0, answer.txn);
        break;
      case Source::kIntermediate:
        add_finding(FindingKind::kIntermediateRead, txn, i, 0, answer.txn);
        break;
      case Source::kFuture:
        add_finding(FindingKind::kFutureRead, txn, i);
        break;
      case Source::kUnwritten:
        add_unwritten(txn, i, op, op.value);
        break;
      case Source::kAmbiguous:
        add_ambiguity(txn, op, op.value, "which was written several times");
        break;
    }
    return WriteId::none();
  }

  WriteId list_source(TxnId txn, std::size_t i, const Op& op, std::size_t length) {
    if (length == 0 || stopped()) return WriteId::none();
    const std::vector<WriteId>& boundary = boundary_[op.key.raw()];
    const WriteId own = out_.find_write(txn, op.key);
    const bool own_seen = own.is_some() && out_.list_rank(own) != Observations::kUnseen &&
                          boundary[length].is_some() &&
                          out_.list_rank(own) <= out_.list_rank(boundary[length]);
    if (own_seen) {
      const auto own_end = std::find(boundary.begin(), boundary.end(), own);
      const std::size_t element = static_cast<std::size_t>(own_end - boundary.begin()) - 1;
      const Longest& longest = longest_[op.key.raw()];
      add_finding(own_element_finding(txn, i, longest.elements[element]), txn, i, element);
      return WriteId::none();
    }
    if (boundary[length].is_none()) {
      // The list ends inside the elements of one transaction.
      std::size_t end = length;
      while (end < boundary.size() && boundary[end].is_none()) ++end;
      if (end < boundary.size()) {
        const TxnId writer = out_.writer(boundary[end]);
        if (writer == txn) {
          const Value last = longest_[op.key.raw()].elements[length - 1];
          add_finding(own_element_finding(txn, i, last), txn, i, length - 1);
        } else {
          add_finding(FindingKind::kIntermediateRead, txn, i, length - 1, writer);
        }
      }
    }
    return boundary[length];
  }

  void note_non_repeatable(TxnId txn, std::size_t i, std::uint32_t earlier) {
    if (out_.non_repeatable_) return;
    out_.non_repeatable_ = Finding{FindingKind::kNonRepeatableRead,
                                   txn,
                                   static_cast<std::uint32_t>(i),
                                   0,
                                   TxnId::none(),
                                   earlier};
  }

  /// A value that was read and a predicate that did not select it, of one transaction.
  void compare_exclusions(TxnId txn, std::size_t i, const Op& op) {
    if (history_.predicates().empty() || op.kind == OpKind::kReadList) return;
    const std::span<const Op> ops = history_.ops(txn);
    if (last_exclusion_.empty()) {
      last_exclusion_.resize(history_.key_count());
    }
    LastExclusion& last = last_exclusion_[op.key.raw()];
    if (last.txn != txn) last = {txn, kNoOp};
    if (op.is_exclusion()) {
      earlier_exclusion_.resize(std::max(earlier_exclusion_.size(), ops.size()));
      earlier_exclusion_[i] = std::exchange(last.op, static_cast<std::uint32_t>(i));
      const FirstRead& first = first_read_[op.key.raw()];
      if (first_read_stamp_[op.key.raw()] == txn &&
          history_.predicate(op).selects_value(ops[first.op].value)) {
        note_non_repeatable(txn, i, first.op);
      }
      return;
    }
    for (std::uint32_t at = last.op; at != kNoOp; at = earlier_exclusion_[at]) {
      if (history_.predicate(ops[at]).selects_value(op.value)) note_non_repeatable(txn, i, at);
    }
  }

  void note_first_read(TxnId txn, std::size_t i, const Op& op, WriteId source) {
    compare_exclusions(txn, i, op);
    if (op.is_exclusion()) return;
    FirstRead& first = first_read_[op.key.raw()];
    if (first_read_stamp_[op.key.raw()] != txn) {
      first_read_stamp_[op.key.raw()] = txn;
      first = {source, static_cast<std::uint32_t>(i)};
      return;
    }
    // Registers by value: two open reads may, but need not, have different sources.
    const bool differs = op.kind == OpKind::kRead
                             ? history_.ops(txn)[first.op].value != op.value
                             : first.source != source;
    if (differs) note_non_repeatable(txn, i, first.op);
  }

  void index_reads() {
    if (stopped()) return;
    std::vector<TxnId> last(out_.write_count());
    out_.readers_ = base::Csr<TxnId>::build(out_.write_count(), [&](const auto& add) {
      last.assign(out_.write_count(), TxnId::none());
      for_each_read([&](TxnId txn, const ReadFrom& read) {
        if (read.source.is_none() || last[read.source.raw()] == txn) return;
        last[read.source.raw()] = txn;
        add(read.source.raw(), txn);
      });
    });
    out_.initial_readers_ = base::Csr<TxnId>::build(history_.key_count(), [&](const auto& add) {
      last.assign(history_.key_count(), TxnId::none());
      for_each_read([&](TxnId txn, const ReadFrom& read) {
        if (read.source.is_some() || last[read.key.raw()] == txn) return;
        last[read.key.raw()] = txn;
        add(read.key.raw(), txn);
      });
    });
  }

  template <typename Visit>
  void for_each_read(const Visit& visit) const {
    for (std::size_t t = 0; t < out_.txn_count(); ++t) {
      for (const ReadFrom& read : out_.reads(TxnId::at(t))) visit(TxnId::at(t), read);
    }
  }

  struct FirstRead {
    WriteId source;
    std::uint32_t op = 0;
  };
  static constexpr std::uint32_t kNoOp = 0xffffffffU;
  struct LastExclusion {
    TxnId txn;
    std::uint32_t op = kNoOp;
  };

  const History& history_;
  base::Budget& budget_;
  WriteTable table_;
  ExclusionSources exclusions_;
  bool leaves_open_ = false;
  const SourceOf* source_of_ = nullptr;
  Observations out_;
  std::vector<TxnId> own_stamp_;         // by key: last transaction seen writing it
  std::vector<std::uint32_t> own_last_;  // by key: index of that write
  std::vector<TxnId> first_read_stamp_;
  std::vector<FirstRead> first_read_;
  std::vector<LastExclusion> last_exclusion_;     // by key, or empty
  std::vector<std::uint32_t> earlier_exclusion_;  // by operation: one before it of the same key
  std::vector<Longest> longest_;                  // by key, when there are lists
  std::vector<std::vector<WriteId>> boundary_;  // by key and length: write that list ends with
};

Observations observe(const History& history, base::Budget& budget) {
  return ObservationsBuilder(history, budget).run();
}

Observations observe_open(const History& history, base::Budget& budget) {
  ObservationsBuilder builder(history, budget);
  builder.leave_reads_open();
  return builder.run();
}

Observations observe_chosen(const History& history, const SourceOf& source_of,
                            base::Budget& budget) {
  ObservationsBuilder builder(history, budget);
  builder.choose(source_of);
  return builder.run();
}

}  // namespace isolde::infer
