#include "explain/supply_text.hpp"

#include <algorithm>

#include "explain/evidence.hpp"

namespace isolde::explain {
namespace {

/// Behind `verb`, "wrote" or "written": what the transaction did to the key in the end.
std::string changed(const History& history, TxnId txn, KeyId key, const std::string& verb) {
  const auto write = final_write(history, txn, key);
  if (!write) return verb + " another value";
  const Op& op = op_at(history, *write);
  return op.is_delete() ? "deleted it" : verb + " " + history.text(key, op.value);
}

/// The writer nearest in time stands for those that were earlier, or were too late as well.
std::string writers(const Names& names, const Supply& supply) {
  const std::string last = names.of(supply.writer);
  if (supply.count <= 1) return last;
  const std::size_t others = supply.count - 1;
  return last + ", and " + std::to_string(others) + (others == 1 ? " other" : " others") +
         (supply.why == Supply::Why::kTooLate ? " after it," : " before it,");
}

class Lines {
 public:
  Lines(const History& history, const Names& names, KeyId key)
      : history_(history), names_(names), key_(key) {}

  void add(const std::vector<Supply>& supplies, const std::string& value, std::size_t depth) {
    if (supplies.empty()) lines_.push_back({depth, "Nobody else wrote " + value + "."});
    for (const Supply& supply : supplies) add(supply, value, depth);
  }

  std::vector<SupplyLine> take() { return std::move(lines_); }

 private:
  void add(const Supply& supply, const std::string& value, std::size_t depth) {
    const std::string writer = supply.writer.is_none()
                                   ? "Nobody had written at the beginning"
                                   : writers(names_, supply) + " wrote " + value;
    switch (supply.why) {
      case Supply::Why::kTooLate:
        lines_.push_back({depth, writer + ", but started only afterwards."});
        break;
      case Supply::Why::kReplaced:
        lines_.push_back({depth, writer + ", but " + names_.of(supply.by) +
                                     " came between, which " +
                                     changed(history_, supply.by, key_, "wrote") + "."});
        break;
      case Supply::Why::kNeedsIt:
        lines_.push_back({depth, writer + ", but only after what is to be explained here."});
        break;
      case Supply::Why::kLacking: {
        const std::string needed =
            supply.needed.is_null() ? "nothing" : history_.text(key_, supply.needed);
        lines_.push_back(
            {depth, writer + " after it had found " + needed + ", which was not there:"});
        add(supply.needs, needed, depth + 1);
        break;
      }
    }
  }

  const History& history_;
  const Names& names_;
  KeyId key_;
  std::vector<SupplyLine> lines_;
};

}  // namespace

std::string unsupplied_text(const History& history, const Names& names,
                            const Unsupplied& read) {
  const Op& op = history.ops(read.reader)[read.op];
  std::string text = names.of(read.reader) + " read " + Phrase(history, names).state(op) +
                     ", which was not there at any time while it ran";
  if (read.supplies.empty() || read.supplies.front().why != Supply::Why::kReplaced) return text;
  const TxnId by = read.supplies.front().by;
  text += ": " + names.of(by) + " had " + changed(history, by, op.key, "written") + " before";
  const bool some_between =
      std::any_of(read.supplies.begin(), read.supplies.end(), [](const Supply& supply) {
        return supply.why == Supply::Why::kLacking || supply.why == Supply::Why::kNeedsIt;
      });
  if (op.value.is_null() || some_between) return text;
  return text + ", and nobody wrote " + history.text(op.key, op.value) + " between the two";
}

std::vector<SupplyLine> supply_lines(const History& history, const Names& names,
                                     const Unsupplied& read) {
  const Op& op = history.ops(read.reader)[read.op];
  Lines lines(history, names, op.key);
  lines.add(read.supplies, history.text(op.key, op.value), 0);
  return lines.take();
}

}  // namespace isolde::explain
