// Jepsen's set and set-full: :add of an element, :read of all. A read says which elements were
// there, and by that also which of all others were not. So each element is a register of its
// own, written once it is added and initial before; a read is one transaction that reads the
// registers of all elements that anybody ever tried to add. This is exact:
//   - an element that is added twice is written twice with the same value, and stays;
//   - an :add with :info is a write of unknown outcome, and one that failed an aborted write;
//   - an element that nobody added is a value that nobody wrote.
// Elements that are there twice in one read say that the set is none, and are refused.
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/jepsen_workloads.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

class SetWorkload final : public JepsenWorkload {
 public:
  SetWorkload(const JepsenLog& log, HistoryBuilder& builder, base::Budget& budget)
      : log_(log), builder_(builder), budget_(budget), added_(builder.string("added")) {}

  Status understand() {
    for (std::size_t number = 0; number < log_.size(); ++number) {
      const JepsenOperation operation = log_.operation(number);
      if (operation.source().f != operation.first->f) {
        return bad_line(log_.file(), operation.source().line,
                        "found the end of a different operation than the one in line " +
                            std::to_string(operation.first->line));
      }
      if (operation.first->f != "add") continue;
      const Result<KeyId> element = added_element(*operation.first);
      if (budget_.exhausted()) return out_of_budget(log_.file(), budget_);
      if (!element) return element.error();
      if (is_new(*element)) elements_.push_back(*element);
    }
    return ok_status();
  }

  Status pass_on(const JepsenOperation& operation) override {
    if (operation.first->f == "add") {
      const Result<KeyId> element = added_element(*operation.first);
      if (!element) return element.error();
      builder_.write(*element, added_);
      return ok_status();
    }
    // Of any other read nothing is known.
    if (operation.end != JepsenType::kOk) return ok_status();
    return pass_on_read(operation.source(), operation.number + 1);
  }

 private:
  Result<KeyId> added_element(const JepsenEntry& entry) {
    EdnLexer lexer(log_.file(), entry.value, entry.value_line, &budget_);
    EdnToken token;
    if (!lexer.next(token)) return lexer.error();
    if (token.kind == EdnKind::kEnd) {
      return bad_line(log_.file(), entry.line,
                      "found an :add without :value; expected the element");
    }
    return element_of(lexer, token);
  }

  Result<KeyId> element_of(const EdnLexer& lexer, const EdnToken& token) {
    if (token.kind == EdnKind::kOpen || token.is_nil()) {
      return lexer.expected(token, "an element, not nil and not a collection");
    }
    return builder_.key(edn_scalar(builder_, token));
  }

  /// For the first time.
  bool is_new(KeyId element) {
    if (element.raw() >= seen_in_.size()) seen_in_.resize(element.raw() + std::size_t{1});
    if (is_element_.size() < seen_in_.size()) is_element_.resize(seen_in_.size());
    if (is_element_[element.raw()]) return false;
    is_element_[element.raw()] = true;
    return true;
  }

  /// `mark` tells this read from others.
  Status pass_on_read(const JepsenEntry& entry, std::size_t mark) {
    EdnLexer lexer(log_.file(), entry.value, entry.value_line, &budget_);
    EdnToken token;
    if (!lexer.next(token)) return lexer.error();
    if (!token.opens("#{") && !token.opens_sequence()) {
      if (token.kind != EdnKind::kEnd) {
        return lexer.expected(token, "the elements that were read, #{...} or [...]");
      }
      return bad_line(log_.file(), entry.line,
                      "found a :read with :ok and without :value; expected #{...} or [...]");
    }
    while (true) {
      if (!lexer.next(token)) return lexer.error();
      if (token.kind == EdnKind::kClose) break;
      const Result<KeyId> element = element_of(lexer, token);
      if (!element) return element.error();
      if (element->raw() >= seen_in_.size()) seen_in_.resize(element->raw() + std::size_t{1});
      if (seen_in_[element->raw()] == mark) {
        return lexer.expected(token,
                              "each element once in a read; a set that has one twice is none");
      }
      seen_in_[element->raw()] = mark;
      builder_.read(*element, added_);
    }
    for (const KeyId element : elements_) {
      if (seen_in_[element.raw()] != mark) builder_.read(element, Value::null());
    }
    budget_.spend(elements_.size());
    return ok_status();
  }

  const JepsenLog& log_;
  HistoryBuilder& builder_;
  base::Budget& budget_;
  Value added_;
  std::vector<KeyId> elements_;       // that anybody tried to add
  std::vector<bool> is_element_;      // by key
  std::vector<std::size_t> seen_in_;  // by key: the last read that showed it
};

}  // namespace

Status pass_on_sets(JepsenLog& log, HistoryBuilder& builder, base::Budget& budget) {
  SetWorkload workload(log, builder, budget);
  if (const Status status = workload.understand(); !status) return status.error();
  return log.pass_on(workload, budget);
}

}  // namespace isolde::io
