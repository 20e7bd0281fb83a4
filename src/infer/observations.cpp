// Resolving a history:
//
//   1. numbering of final writes (write_numbers.hpp), of all transactions that did not abort;
//   2. the sources of plain reads, all at once (read_join.hpp); for lists, and for reads that
//      this does not resolve, a table of writes (write_table.hpp);
//   3. inclusion: committed transactions, and indeterminate ones that an included one read
//      from, to a fixpoint. Leaving the others out is exact: an execution that passes a commit
//      test still passes without a transaction that nobody read from. Writes are renumbered
//      when some are left out;
//   4. external reads with their sources, in transaction order; for lists the longest read of
//      each key first, because all reads of a list must be its prefixes.
//
// Findings are reads that no state of any execution explains. They are collected on the way;
// the first in the history is kept.
//
// Threads take ranges of transactions; their results are joined in order.
#include "infer/observations.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/assert.hpp"
#include "base/parallel.hpp"
#include "base/ways.hpp"
#include "infer/partial_sources.hpp"
#include "infer/read_join.hpp"
#include "infer/read_notes.hpp"
#include "infer/read_walk.hpp"
#include "infer/repeats.hpp"
#include "infer/write_table.hpp"

namespace isolde::infer {

using Source = WriteTable::Source;

class ObservationsBuilder {
 public:
  ObservationsBuilder(const History& history, base::Budget& budget, unsigned threads = 1)
      : history_(history),
        budget_(budget),
        threads_(std::max(threads, 1U)),
        partial_(history, budget) {
    out_.history_ = &history;
  }

  void leave_reads_open() { leaves_open_ = true; }
  void choose(const SourceOf& source_of, const ReadCounts& counts) {
    source_of_ = &source_of;
    counts_ = counts ? &counts : nullptr;
  }

  Observations run() {
    // A pass that was cut short leaves gaps that the next one would take for findings.
    using Pass = void (ObservationsBuilder::*)();
    for (const Pass pass :
         {&ObservationsBuilder::join_reads, &ObservationsBuilder::find_included,
          &ObservationsBuilder::find_doubtful, &ObservationsBuilder::number_included,
          &ObservationsBuilder::index_writes, &ObservationsBuilder::find_longest_lists,
          &ObservationsBuilder::order_lists, &ObservationsBuilder::find_reads,
          &ObservationsBuilder::index_reads}) {
      if (budget_.exhausted()) break;
      if (leaves_open_ && !notes_.ambiguity.empty()) break;
      (this->*pass)();
    }
    if (budget_.exhausted()) {
      out_.ambiguity_ = budget_.reason();
    } else {
      out_.finding_ = notes_.finding;
      out_.non_repeatable_ = notes_.non_repeatable;
      out_.ambiguity_ = notes_.ambiguity;
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

  void add_ambiguity(ReadNotes& notes, TxnId txn, const Op& op, Value value,
                     const std::string& why) const {
    if (!notes.ambiguity.empty()) return;
    notes.ambiguity = "transaction " + history_.txn_name(txn) + " read " +
                      history_.json(value) + " from key " +
                      history_.json(history_.key_name(op.key)) + ", " + why;
  }

  /// Numbers the writes that may have been read, and finds the sources of plain reads.
  void join_reads() {
    std::vector<std::uint8_t> may_count(history_.txn_count());
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      may_count[t] = history_.status(TxnId::at(t)) == TxnStatus::kAborted ? 0 : 1;
    }
    out_.writes_ = WriteNumbers(history_, may_count, threads_);
    joined_.emplace(history_, out_.writes_, budget_, threads_);
    if (budget_.exhausted()) return;
    if (leaves_open_ || source_of_ != nullptr || needs_table()) {
      table_.emplace(history_, budget_, threads_);
    }
  }

  /// Whether there are lists, or reads that the join did not resolve.
  bool needs_table() const {
    if (out_.has_lists()) return true;
    std::atomic<bool> any = false;
    for_each_part(part_count(), [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t t = first; t < last && !any; ++t) {
        if (needs_table(TxnId::at(t))) any = true;
      }
    });
    return any;
  }

  bool needs_table(TxnId txn) const {
    if (history_.status(txn) == TxnStatus::kAborted) return false;
    const std::span<const Op> ops = history_.ops(txn);
    std::size_t read = joined_->first_read(txn);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (!ReadJoin::takes(ops[i]) || is_by_another(joined_->source(read++), txn)) continue;
      const bool is_own = std::any_of(
          ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(i),
          [&](const Op& earlier) { return earlier.is_write() && earlier.key == ops[i].key; });
      if (!is_own) return true;
    }
    return false;
  }

  /// Whether there is a source by another transaction.
  bool is_by_another(WriteId source, TxnId txn) const {
    return joins_ && source.is_some() &&
           (source < out_.writes_.first(txn) || source >= out_.writes_.end(txn));
  }

  void find_included() {
    const std::size_t txn_count = history_.txn_count();
    out_.included_.assign(txn_count, 0);
    bool any_indeterminate = false;
    std::vector<TxnId> work;
    for (std::size_t t = 0; t < txn_count; ++t) {
      const TxnStatus status = history_.status(TxnId::at(t));
      any_indeterminate = any_indeterminate || status == TxnStatus::kIndeterminate;
      if (status != TxnStatus::kCommitted) continue;
      out_.included_[t] = 1;
      ++out_.included_count_;
    }
    if (!any_indeterminate) return;
    for (std::size_t t = 0; t < txn_count; ++t) {
      if (out_.included_[t] != 0) work.push_back(TxnId::at(t));
    }
    while (!work.empty()) {
      const TxnId txn = work.back();
      work.pop_back();
      const auto include = [&](TxnId writer) {
        if (writer.is_none() || out_.included_[writer.raw()] != 0) return;
        out_.included_[writer.raw()] = 1;
        ++out_.included_count_;
        work.push_back(writer);
      };
      const auto include_found = [&](const WriteTable::Answer& answer) {
        if (answer.source == Source::kWriter) include(answer.txn);
      };
      if (!budget_.spend(history_.ops(txn).size())) return;
      PlainReads plain(history_, *joined_, txn);
      walk_.visit(
          history_, txn,
          [&](std::size_t i, const Op& op, std::span<const Value> list) {
            if (ReadJoin::takes(op)) {
              const WriteId source = plain.source(i);
              if (is_by_another(source, txn)) {
                include(out_.writer(source));
              } else {
                include_found(find_source(txn, i, op));
              }
            }
            if (op.is_partial()) include(find_partial_source(txn, i, op));
            // The reader's own append of the same element would make the source uncertain.
            for (const Value element : list) {
              include_found(table_->find(TxnId::none(), op.key, element));
            }
          },
          [](std::size_t, const Op&) {});
    }
  }

  /// The source of the register read, determined or chosen.
  WriteTable::Answer find_source(TxnId txn, std::size_t i, const Op& op) const {
    const WriteTable::Answer answer = table_->find(txn, op.key, op.value);
    if (source_of_ == nullptr || answer.source != Source::kAmbiguous) return answer;
    return {Source::kWriter, (*source_of_)(txn, static_cast<std::uint32_t>(i))};
  }

  /// The source of a partial read, determined or chosen, or none. May be missing, if any is.
  TxnId find_partial_source(TxnId txn, std::size_t i, const Op& op) {
    const bool is_open = history_.origin().truncated || history_.fits_initial(op);
    const TxnId only = is_open ? TxnId::none() : partial_.only(txn, op);
    if (only.is_some()) return only;
    if (source_of_ == nullptr || !partial_.any(txn, op)) return {};
    return (*source_of_)(txn, static_cast<std::uint32_t>(i));
  }

  /// Includes all that may have taken effect, as choices for open reads.
  void find_doubtful() {
    if (!leaves_open_) return;
    out_.doubtful_.assign(history_.txn_count(), 0);
    std::vector<TxnId> work;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      if (out_.included_[t] != 0) work.push_back(TxnId::at(t));
    }
    const auto include = [&](TxnId writer) {
      if (out_.included_[writer.raw()] != 0) return;
      out_.included_[writer.raw()] = 1;
      out_.doubtful_[writer.raw()] = 1;
      ++out_.included_count_;
      work.push_back(writer);
      check_doubtful(writer);
    };
    // All reads with the same result include the same transactions.
    SourceLists met;
    const auto look = [&](std::size_t, const Op& op, std::span<const Value>) {
      if (!may_show_a_write(op)) return;
      met.find(op, [&](std::vector<WriteId>&) {
        for_each_readable(op, [&](TxnId writer) {
          budget_.spend(2);
          include(writer);
        });
      });
    };
    while (!work.empty()) {
      const TxnId txn = work.back();
      work.pop_back();
      if (!budget_.spend(history_.ops(txn).size() * 4)) return;
      walk_.visit(history_, txn, look, [](std::size_t, const Op&) {});
    }
  }

  /// Calls visit(txn) for all possible sources of reads like this one, ascending; may include
  /// the reader itself. REQUIRES: may_show_a_write(op).
  template <typename Visit>
  void for_each_readable(const Op& op, const Visit& visit) {
    if (op.is_partial()) {
      for (const TxnId txn : partial_.find(op)) visit(txn);
    } else {
      table_->for_each_readable(op.key, op.value, visit);
    }
  }

  /// Records the possible sources of the read.
  void list_sources(const Op& op, OpenRead& read) {
    SourceLists& lists = out_.source_lists_;
    read.list = lists.find(op, [&](std::vector<WriteId>& writes) {
      for_each_readable(op, [&](TxnId writer) {
        budget_.spend(4);
        writes.push_back(out_.find_write(writer, op.key));
      });
    });
    const WriteId own = out_.find_write(read.txn, op.key);
    if (own.is_none()) return;
    const std::span<const WriteId> all = lists.list(read.list);
    const auto at = std::lower_bound(all.begin(), all.end(), own);
    if (at == all.end() || *at != own) return;
    read.own = static_cast<std::uint32_t>(at - all.begin());
  }

  /// What a list shows would depend on whether the transaction took effect.
  void check_doubtful(TxnId txn) {
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kAppend && op.kind != OpKind::kReadList) continue;
      if (!notes_.ambiguity.empty()) return;
      notes_.ambiguity = "transaction " + history_.txn_name(txn) +
                         ", which uses lists, may or may not have taken effect";
    }
  }

  /// Renumbers the writes, without those of excluded transactions.
  void number_included() {
    bool all_count = true;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const bool is_numbered = history_.status(TxnId::at(t)) != TxnStatus::kAborted;
      all_count = all_count && is_numbered == (out_.included_[t] != 0);
    }
    if (all_count) return;
    const WriteNumbers before =
        std::exchange(out_.writes_, WriteNumbers(history_, out_.included_, threads_));
    joined_->renumber([&](WriteId write) {
      const TxnId txn = before.writer(write);
      if (out_.included_[txn.raw()] == 0) return WriteId::none();
      return WriteId(out_.writes_.first(txn).raw() + write.raw() - before.first(txn).raw());
    });
  }

  void index_writes() {
    budget_.spend(out_.write_count());
    const auto emit = [&](const auto& add) {
      for (std::size_t w = 0; w < out_.write_count(); ++w) {
        add(out_.written_key(WriteId::at(w)).raw(), WriteId::at(w));
      }
    };
    out_.key_writes_ = base::Csr<WriteId>::scatter(threads_, history_.key_count(), emit);
    out_.deletions_ = find_deletions(out_, budget_);
  }

  std::size_t part_count() const { return base::part_count(threads_); }

  /// Calls work(part, first transaction, one past the last) on all threads.
  template <typename Work>
  void for_each_part(std::size_t parts, const Work& work) const {
    base::run_parts(threads_, parts, history_.txn_count(), work);
  }

  /// Finds the longest read of each list and compares every other read with it.
  void find_longest_lists() {
    if (!out_.has_lists()) return;
    longest_.resize(history_.key_count());
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      if (out_.included_[t] == 0) continue;
      const TxnId txn = TxnId::at(t);
      walk_.visit(
          history_, txn,
          [&](std::size_t i, const Op& op, std::span<const Value> list) {
            if (op.kind != OpKind::kReadList) return;
            Longest& longest = longest_[op.key.raw()];
            const std::size_t shared = std::min(list.size(), longest.elements.size());
            budget_.spend(shared);
            if (!std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(shared),
                            longest.elements.begin())) {
              notes_.add_finding(FindingKind::kIncompatibleOrder, txn, i, 0, longest.reader,
                                 longest.op);
            }
            if (list.size() > longest.elements.size() || longest.reader.is_none()) {
              longest = {list, txn, static_cast<std::uint32_t>(i)};
            }
          },
          [](std::size_t, const Op&) {});
    }
  }

  /// Turns each key's longest read into a sequence of writes. A transaction's appends to the
  /// key must all appear, adjacent and in program order: states change only at commits.
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
      if (k >= longest_.size() || notes_.stopped()) continue;
      const Longest& longest = longest_[k];
      boundary_[k].assign(longest.elements.size() + 1, WriteId::none());
      std::size_t at = 0;
      while (at < longest.elements.size() && !notes_.stopped()) {
        const TxnId txn = list_writer(longest, KeyId::at(k), at);
        if (txn.is_none()) break;
        if (seen_for[txn.raw()] == KeyId::at(k)) {
          notes_.add_finding(FindingKind::kDuplicateElement, longest.reader, longest.op, at);
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
    const WriteTable::Answer answer = table_->find(TxnId::none(), key, element);
    const Op& op = history_.ops(longest.reader)[longest.op];
    switch (answer.source) {
      case Source::kWriter:
        if (answer.txn != longest.reader) {
          return appends_are_unique(longest, answer.txn, key) ? answer.txn : TxnId::none();
        }
        notes_.add_finding(own_element_finding(longest.reader, longest.op, element),
                           longest.reader, longest.op, at);
        break;
      case Source::kAborted:
        notes_.add_finding(FindingKind::kAbortedRead, longest.reader, longest.op, at,
                           answer.txn);
        break;
      case Source::kUnwritten:
        add_unwritten(notes_, longest.reader, longest.op, op, element, at);
        break;
      case Source::kFuture:        // impossible without a reader
      case Source::kIntermediate:  // appends are never intermediate in the table
      case Source::kAmbiguous:
        add_ambiguity(notes_, longest.reader, op, element,
                      "which several transactions appended");
        break;
    }
    return TxnId::none();
  }

  /// False after reporting that some element the transaction appended was appended twice.
  bool appends_are_unique(const Longest& longest, TxnId txn, KeyId key) {
    if (!table_->has_repeats()) return true;
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kAppend || op.key != key) continue;
      if (table_->find(TxnId::none(), key, op.value).source != Source::kAmbiguous) continue;
      add_ambiguity(notes_, longest.reader, op, op.value, "which was appended several times");
      return false;
    }
    return true;
  }

  /// The reader's own element in the external part of its read: if appended before the read, it
  /// appears twice (once as its own); if appended after, it comes from the future.
  FindingKind own_element_finding(TxnId txn, std::size_t read, Value element) const {
    const std::span<const Op> ops = history_.ops(txn);
    for (std::size_t i = 0; i < read; ++i) {
      const bool same = ops[i].kind == OpKind::kAppend && ops[i].value == element &&
                        ops[i].key == ops[read].key;
      if (same) return FindingKind::kDuplicateElement;
    }
    return FindingKind::kFutureRead;
  }

  /// One past the transaction's run of elements, or `at` after reporting a broken run.
  std::size_t match_run(const Longest& longest, KeyId key, TxnId txn, std::size_t at) {
    std::size_t end = at;
    for (const Op& op : history_.ops(txn)) {
      if (op.kind != OpKind::kAppend || op.key != key) continue;
      if (end < longest.elements.size() && longest.elements[end] == op.value) {
        ++end;
        continue;
      }
      const std::size_t last_seen = end > at ? end - 1 : at;
      notes_.add_finding(FindingKind::kIntermediateRead, longest.reader, longest.op, last_seen,
                         txn);
      return at;
    }
    return end;
  }

  void add_unwritten(ReadNotes& notes, TxnId txn, std::size_t i, const Op& op, Value value,
                     std::size_t element = 0) const {
    if (history_.origin().truncated) {
      add_ambiguity(notes, txn, op, value,
                    "which no transaction wrote; the input is cut off, and what is missing "
                    "may have been the writer");
    } else {
      notes.add_finding(FindingKind::kUnwrittenRead, txn, i, element);
    }
  }

  static constexpr std::uint32_t kNoOp = ReadWalk::kNoOp;
  struct FirstRead {
    WriteId source;
    std::uint32_t op = kNoOp;
  };
  /// A range of transactions and what was found in it.
  struct Range {
    base::BudgetShare* budget = nullptr;  ///< of the thread working on it
    ReadNotes notes;
    std::vector<ReadFrom> reads;
    std::vector<std::uint32_t> steps;    ///< of reads, when there are selections
    std::vector<std::uint32_t> repeats;  ///< places of reads that repeat one of the transaction
    ReadWalk walk;
    std::vector<FirstRead> first_reads;  ///< by first use of a key, of one transaction
    /// Likewise, with predicates: the last partial read so far; by operation the one before it.
    std::vector<std::uint32_t> last_partial;
    std::vector<std::uint32_t> earlier_partial;
  };

  void find_reads() {
    // The possible sources of partial reads are cached.
    const bool serial = leaves_open_ || source_of_ != nullptr || !history_.predicates().empty();
    if (find_reads_in(serial ? 1 : part_count())) return;
    // How lists are resolved depends on whether there was a finding before.
    find_reads_in(1);
  }

  /// False when the parts cannot be joined.
  bool find_reads_in(std::size_t parts) {
    std::vector<Range> ranges(parts);
    std::vector<std::uint32_t> begin(history_.txn_count() + 1, 0);
    base::run_tasks(threads_, parts, [&](std::size_t part, unsigned worker) {
      base::BudgetShare budget(budget_, worker);
      ranges[part].budget = &budget;
      find_reads_of(ranges[part], base::part_begin(history_.txn_count(), parts, part),
                    base::part_begin(history_.txn_count(), parts, part + 1), begin, budget);
    });
    if (budget_.exhausted()) return true;
    std::vector<std::vector<ReadFrom>> reads(parts);
    std::size_t before = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      Range& range = ranges[part];
      if (parts > 1 && !longest_.empty() && range.notes.stopped()) {
        repeats_.clear();
        return false;
      }
      for (const std::uint32_t place : range.repeats) {
        repeats_.push_back(static_cast<std::uint32_t>(before + place));
      }
      before += range.reads.size();
      reads[part] = std::move(range.reads);
    }
    for (Range& range : ranges) notes_.add_later(std::move(range.notes));
    if (history_.has_selections()) out_.read_steps_ = std::move(ranges[0].steps);
    std::vector<ReadFrom> all = base::concatenate_rows(threads_, reads, begin);
    out_.reads_ = base::Csr<ReadFrom>::from_parts(std::move(begin), std::move(all));
    return true;
  }

  /// Ends of reads by transaction, counted from the range's begin, go to `begin`.
  void find_reads_of(Range& range, std::size_t first, std::size_t last,
                     std::vector<std::uint32_t>& begin, base::BudgetShare& budget) {
    if (first == last) return;
    range.reads.reserve(joined_->read_count(first, last));
    for (std::size_t t = first; t < last; ++t) {
      if (out_.included_[t] != 0) {
        if (!budget.spend(history_.ops(TxnId::at(t)).size())) return;
        find_reads_of(range, TxnId::at(t));
      }
      begin[t + 1] = static_cast<std::uint32_t>(range.reads.size());
    }
  }

  void find_reads_of(Range& range, TxnId txn) {
    range.first_reads.assign(history_.ops(txn).size(), {});
    if (!history_.predicates().empty()) {
      range.last_partial.assign(history_.ops(txn).size(), kNoOp);
      range.earlier_partial.resize(history_.ops(txn).size());
    }
    const std::size_t first = range.reads.size();
    PlainReads plain(history_, *joined_, txn);
    bool repeats_key = false;
    range.walk.visit(
        history_, txn,
        [&](std::size_t i, const Op& op, std::span<const Value> list) {
          if (leave_open(range, txn, i, op, range.reads.size() - first)) return;
          if (counts_ != nullptr && !(*counts_)(txn, static_cast<std::uint32_t>(i))) return;
          const WriteId source = op.kind == OpKind::kReadList
                                     ? list_source(range.notes, txn, i, op, list.size())
                                 : op.is_partial() ? partial_source(range.notes, txn, i, op)
                                                   : register_source(range, plain, txn, i, op);
          range.reads.push_back({op.key, source});
          if (history_.has_selections()) {
            range.steps.push_back(history_.step(txn, static_cast<std::uint32_t>(i)));
          }
          if (note_first_read(range, txn, i, op, source)) repeats_key = true;
        },
        [&](std::size_t i, const Op& op) {
          if (!out_.is_doubtful(txn)) {
            const bool unselected = is_unselected_row(history_, txn, i);
            return range.notes.add_finding(
                unselected ? FindingKind::kUnselectedRow : FindingKind::kInternal, txn, i);
          }
          // It cannot have taken effect.
          out_.open_reads_.push_back({txn, static_cast<std::uint32_t>(i), op.key, 0, false});
        });
    if (repeats_key) list_repeats(range.reads, first, range.repeats);
  }

  /// True when the read was noted as open.
  bool leave_open(Range& range, TxnId txn, std::size_t i, const Op& op, std::size_t place) {
    if (!leaves_open_ || op.kind == OpKind::kReadList) return false;
    if (op.is_partial()) return leave_partial_open(range, txn, i, op, place);
    const bool is_doubtful = out_.is_doubtful(txn);
    if (!is_doubtful && op.value.is_null()) return false;
    const Source known = table_->find(txn, op.key, op.value).source;
    if (!is_doubtful && known != Source::kAmbiguous) return false;
    OpenRead read{txn, static_cast<std::uint32_t>(i), op.key, static_cast<std::uint32_t>(place),
                  op.value.is_null()};
    if (!read.is_initial) {
      list_sources(op, read);
      if (known == Source::kUnwritten && history_.origin().truncated) {
        add_unwritten(range.notes, txn, i, op, op.value);
      }
    }
    out_.open_reads_.push_back(read);
    if (!is_doubtful) note_first_read(range, txn, i, op, WriteId::none());
    return true;
  }

  bool leave_partial_open(Range& range, TxnId txn, std::size_t i, const Op& op,
                          std::size_t place) {
    check_cut_off(range.notes, txn, op);
    const bool is_doubtful = out_.is_doubtful(txn);
    if (!is_doubtful && !partial_.any(txn, op)) return false;
    const bool may_be_initial = history_.fits_initial(op);
    if (!is_doubtful && !may_be_initial && partial_.only(txn, op).is_some()) return false;
    OpenRead read{txn, static_cast<std::uint32_t>(i), op.key, static_cast<std::uint32_t>(place),
                  may_be_initial};
    list_sources(op, read);
    out_.open_reads_.push_back(read);
    if (!is_doubtful) note_first_read(range, txn, i, op, WriteId::none());
    return true;
  }

  /// Missing records may have written what fits, too.
  void check_cut_off(ReadNotes& notes, TxnId txn, const Op& op) const {
    if (!history_.origin().truncated || !history_.may_have_seen_a_write(op)) return;
    if (notes.ambiguity.empty()) notes.ambiguity = why_cut_off(history_, txn, op);
  }

  WriteId partial_source(ReadNotes& notes, TxnId txn, std::size_t i, const Op& op) {
    if (const TxnId source = find_partial_source(txn, i, op); source.is_some()) {
      if (source_of_ == nullptr) check_cut_off(notes, txn, op);
      return out_.find_write(source, op.key);
    }
    const bool may_be_initial = history_.fits_initial(op);
    if (source_of_ != nullptr && (may_be_initial || partial_.any(txn, op))) {
      return WriteId::none();
    }
    check_cut_off(notes, txn, op);
    if (partial_.any(txn, op)) {
      if (notes.ambiguity.empty()) notes.ambiguity = why_open(history_, txn, op);
    } else if (!may_be_initial && !notes.finding && !history_.origin().truncated) {
      notes.finding = unexplained_row(history_, txn, static_cast<std::uint32_t>(i), budget_);
    }
    return WriteId::none();
  }

  WriteId register_source(Range& range, PlainReads& plain, TxnId txn, std::size_t i,
                          const Op& op) {
    if (op.value.is_null()) return WriteId::none();
    const WriteId source = plain.source(i);
    if (is_by_another(source, txn)) return source;
    const WriteTable::Answer answer = find_source(txn, i, op);
    switch (answer.source) {
      case Source::kWriter:
        return out_.find_write(answer.txn, op.key);
      case Source::kAborted:
        range.notes.add_finding(FindingKind::kAbortedRead, txn, i, 0, answer.txn);
        break;
      case Source::kIntermediate:
        range.notes.add_finding(FindingKind::kIntermediateRead, txn, i, 0, answer.txn);
        break;
      case Source::kFuture:
        range.notes.add_finding(FindingKind::kFutureRead, txn, i);
        break;
      case Source::kUnwritten:
        add_unwritten(range.notes, txn, i, op, op.value);
        break;
      case Source::kAmbiguous:
        add_ambiguity(range.notes, txn, op, op.value, "which was written several times");
        break;
    }
    return WriteId::none();
  }

  WriteId list_source(ReadNotes& notes, TxnId txn, std::size_t i, const Op& op,
                      std::size_t length) const {
    if (length == 0 || notes_.stopped() || notes.stopped()) return WriteId::none();
    const std::vector<WriteId>& boundary = boundary_[op.key.raw()];
    const WriteId own = out_.find_write(txn, op.key);
    const bool own_seen = own.is_some() && out_.list_rank(own) != Observations::kUnseen &&
                          boundary[length].is_some() &&
                          out_.list_rank(own) <= out_.list_rank(boundary[length]);
    if (own_seen) {
      const auto own_end = std::find(boundary.begin(), boundary.end(), own);
      const std::size_t element = static_cast<std::size_t>(own_end - boundary.begin()) - 1;
      const Longest& longest = longest_[op.key.raw()];
      notes.add_finding(own_element_finding(txn, i, longest.elements[element]), txn, i,
                        element);
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
          notes.add_finding(own_element_finding(txn, i, last), txn, i, length - 1);
        } else {
          notes.add_finding(FindingKind::kIntermediateRead, txn, i, length - 1, writer);
        }
      }
    }
    return boundary[length];
  }

  /// Compares reads of one transaction: values with what partial reads tell.
  void compare_partial(Range& range, TxnId txn, std::size_t i, const Op& op) const {
    if (history_.predicates().empty() || op.kind == OpKind::kReadList) return;
    const std::span<const Op> ops = history_.ops(txn);
    const FirstRead& first = range.first_reads[range.walk.first_uses()[i]];
    std::uint32_t& last = range.last_partial[range.walk.first_uses()[i]];
    if (op.is_partial()) {
      range.earlier_partial[i] = std::exchange(last, static_cast<std::uint32_t>(i));
      if (first.op != kNoOp && !history_.fits(op, ops[first.op].value)) {
        range.notes.add_non_repeatable(txn, i, first.op);
      }
      return;
    }
    for (auto at = last; at != kNoOp && range.budget->spend(1);
         at = range.earlier_partial[at]) {
      if (history_.fits(ops[at], op.value)) continue;
      range.notes.add_non_repeatable(txn, i, at);
    }
  }

  /// True when the transaction has read the key before, or may have.
  bool note_first_read(Range& range, TxnId txn, std::size_t i, const Op& op, WriteId source) {
    compare_partial(range, txn, i, op);
    if (op.is_partial()) return true;
    FirstRead& first = range.first_reads[range.walk.first_uses()[i]];
    if (first.op == kNoOp) {
      first = {source, static_cast<std::uint32_t>(i)};
      return false;
    }
    // Registers by value: two open reads may, but need not, have different sources.
    const bool differs = op.kind == OpKind::kRead
                             ? history_.ops(txn)[first.op].value != op.value
                             : first.source != source;
    if (differs) range.notes.add_non_repeatable(txn, i, first.op);
    return true;
  }

  void index_reads() {
    if (notes_.stopped()) return;
    table_.reset();  // makes room for the next lists
    out_.source_lists_.close();
    joined_.reset();
    const auto emit_readers = [&](const auto& add) {
      for_each_read([&](TxnId txn, const ReadFrom& read) {
        if (read.source.is_some()) add(read.source.raw(), txn);
      });
    };
    out_.readers_ = base::Csr<TxnId>::scatter(threads_, out_.write_count(), emit_readers);
    const auto emit_initial = [&](const auto& add) {
      for_each_read([&](TxnId txn, const ReadFrom& read) {
        if (read.source.is_none()) add(read.key.raw(), txn);
      });
    };
    out_.initial_readers_ =
        base::Csr<TxnId>::scatter(threads_, history_.key_count(), emit_initial);
  }

  /// Skips reads that repeat another of the same transaction.
  template <typename Visit>
  void for_each_read(const Visit& visit) const {
    std::uint32_t place = 0;
    auto repeat = repeats_.begin();
    for (std::size_t t = 0; t < out_.txn_count(); ++t) {
      for (const ReadFrom& read : out_.reads(TxnId::at(t))) {
        if (repeat != repeats_.end() && *repeat == place) {
          ++repeat;
        } else {
          visit(TxnId::at(t), read);
        }
        ++place;
      }
    }
  }

  const History& history_;
  base::Budget& budget_;
  unsigned threads_;
  const bool joins_ = base::ways().join_reads;
  std::optional<ReadJoin> joined_;
  std::optional<WriteTable> table_;
  PartialSources partial_;
  bool leaves_open_ = false;
  const SourceOf* source_of_ = nullptr;
  const ReadCounts* counts_ = nullptr;
  Observations out_;
  ReadNotes notes_;
  ReadWalk walk_;
  std::vector<std::uint32_t> repeats_;          // places in out_.reads_, ascending
  std::vector<Longest> longest_;                // by key, when there are lists
  std::vector<std::vector<WriteId>> boundary_;  // by key and length: write that list ends with
};

Observations observe(const History& history, base::Budget& budget, unsigned threads) {
  return ObservationsBuilder(history, budget, threads).run();
}

Observations observe_open(const History& history, base::Budget& budget) {
  ObservationsBuilder builder(history, budget);
  builder.leave_reads_open();
  return builder.run();
}

Observations observe_chosen(const History& history, const SourceOf& source_of,
                            base::Budget& budget, const ReadCounts& counts) {
  ObservationsBuilder builder(history, budget);
  builder.choose(source_of, counts);
  return builder.run();
}

}  // namespace isolde::infer
