// The classes are those of the test cases in Tencent's 3TS (src/dbtest), which follow table 2
// of the paper: which transaction reads, writes, commits or aborts when.
#include "schedule/coo.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.hpp"

namespace isolde::schedule {
namespace {

constexpr std::array kClasses = {
    CooClass{"dirty-read", "RAT", "wr x, T1 aborts", "W1x R2x A1 C2"},
    CooClass{"non-repeatable-read", "RAT", "rw x, wr x", "R1x W2x R1x C1 C2"},
    CooClass{"intermediate-read", "RAT", "wr x, rw x", "W1x R2x W1x C1 C2"},
    CooClass{"intermediate-read-committed", "RAT", "wr x, rw x", "W1x R2x C2 W1x C1"},
    CooClass{"lost-self-update", "RAT", "ww x, wr x", "W1x W2x R1x C1 C2"},
    CooClass{"write-read-skew", "RAT", "wr x, wr y", "W1x W2y R2x R1y C1 C2"},
    CooClass{"write-read-skew-committed", "RAT", "wr x, wr y", "W1x W2y R2x C2 R1y C1"},
    CooClass{"double-write-skew-1", "RAT", "wr x, ww y", "W1x R2x W2y W1y C1 C2"},
    CooClass{"double-write-skew-1-committed", "RAT", "wr x, ww y", "W1x R2x W2y C2 W1y C1"},
    CooClass{"double-write-skew-2", "RAT", "ww x, wr y", "W1x W2x W2y R1y C1 C2"},
    CooClass{"read-skew", "RAT", "rw x, wr y", "R1x W2x W2y R1y C1 C2"},
    CooClass{"read-skew-2", "RAT", "wr x, rw y", "W1x R2x R2y W1y C1 C2"},
    CooClass{"read-skew-2-committed", "RAT", "wr x, rw y", "W1x R2x R2y C2 W1y C1"},
    CooClass{"step-rat", "RAT", "wr x, wr y, wr z", "W1x W2y R2x W3z R3y R1z C1 C2 C3"},
    CooClass{"step-rat-long-fork", "RAT", "wr x, rw y, wr y, rw x",
             "R4x W1x R2y R2x W3y R4y C1 C2 C3 C4"},
    CooClass{"dirty-write", "WAT", "ww x", "W1x W2x C1 C2"},
    CooClass{"dirty-write-aborted", "WAT", "ww x, T1 aborts", "W1x W2x A1 C2"},
    CooClass{"full-write", "WAT", "ww x, ww x", "W1x W2x W1x C1 C2"},
    CooClass{"full-write-committed", "WAT", "ww x, ww x", "W1x W2x C2 W1x C1"},
    CooClass{"lost-update", "WAT", "rw x, ww x", "R1x W2x W1x C1 C2"},
    CooClass{"lost-self-update-committed", "WAT", "ww x, wr x", "W1x W2x C2 R1x C1"},
    CooClass{"double-write-skew-2-committed", "WAT", "ww x, wr y", "W1x W2x W2y C2 R1y C1"},
    CooClass{"full-write-skew", "WAT", "ww x, ww y", "W1x W2x W2y W1y C1 C2"},
    CooClass{"full-write-skew-committed", "WAT", "ww x, ww y", "W1x W2x W2y C2 W1y C1"},
    CooClass{"read-write-skew-1", "WAT", "rw x, ww y", "R1x W2x W2y W1y C1 C2"},
    CooClass{"read-write-skew-2", "WAT", "ww x, rw y", "W1x R2y W2x W1y C1 C2"},
    CooClass{"read-write-skew-2-committed", "WAT", "ww x, rw y", "W1x R2y W2x C2 W1y C1"},
    CooClass{"step-wat", "WAT", "ww x, ww y, ww z", "W1x W2y W2x W3z W3y W1z C1 C2 C3"},
    CooClass{"non-repeatable-read-committed", "IAT", "rw x, wr x", "R1x W2x C2 R1x C1"},
    CooClass{"lost-update-committed", "IAT", "rw x, ww x", "R1x W2x C2 W1x C1"},
    CooClass{"read-skew-committed", "IAT", "rw x, wr y", "R1x W2x W2y C2 R1y C1"},
    CooClass{"read-write-skew-1-committed", "IAT", "rw x, ww y", "R1x W2x W2y C2 W1y C1"},
    CooClass{"write-skew", "IAT", "rw x, rw y", "R1x R2y W2x W1y C1 C2"},
    CooClass{"write-skew-committed", "IAT", "rw x, rw y", "R1x R2y W2x C2 W1y C1"},
    CooClass{"step-iat", "IAT", "rw x, rw y, rw z", "R1x R2y R3z W2x W3y W1z C1 C2 C3"},
    CooClass{"step-iat-causality-violation", "IAT", "rw x, wr x, wr y",
             "R1x W2x C2 R3x W3y C3 R1y C1"},
    CooClass{"step-iat-cross-phenomenon", "IAT", "rw x, wr x, rw y, wr y",
             "R1x R3y W2x C2 W4y C4 R3x C3 R1y C1"},
    CooClass{"step-iat-read-only", "IAT", "rw x, wr x, rw y",
             "R1x R1y R2x W2x C2 R3x R3y C3 W1y C1"},
    CooClass{"step-iat-unnamed", "IAT", "rw x, wr y, wr z",
             "R1x R2y W2y R2x W2x C2 R3z W3z R3y W3y C3 R1z C1"},
};

using Deletes = Form::Deletes;

constexpr std::array kForms = {
    Form{"registers", "items are registers, read by key", false, false, Deletes::kNothing},
    Form{"lists", "items are lists, which show the order of what was appended", true, false,
         Deletes::kNothing},
    Form{"selections", "items are rows, selected by conditions; their first write inserts them",
         false, true, Deletes::kNothing},
    Form{"deletions", "the first write of each item deletes its row; read by key", false, false,
         Deletes::kFirst},
    Form{"selected-deletions", "likewise, but selected by conditions", false, true,
         Deletes::kFirst},
    Form{"last-deletions", "the last of several writes of an item deletes its row; read by key",
         false, false, Deletes::kLast},
};

struct Action {
  char what;  ///< R, W, C or A
  char txn;
  char item;
};

std::vector<Action> actions_of(const CooClass& what) {
  std::vector<Action> actions;
  for (std::size_t i = 0; i < what.steps.size(); i += actions.back().item == ' ' ? 3 : 4) {
    const char what_for = what.steps[i];
    const bool has_item = what_for == 'R' || what_for == 'W';
    actions.push_back({what_for, what.steps[i + 1], has_item ? what.steps[i + 2] : ' '});
  }
  return actions;
}

/// Writes the steps of one class in one form.
class Writer {
 public:
  explicit Writer(const Schedule& schedule)
      : form_(*schedule.form), actions_(actions_of(*schedule.what)) {
    for (const Action& action : actions_) {
      if (action.item == ' ') continue;
      items_[action.item] = action.item - 'x' + 1;
      if (action.what == 'W') ++writes_[action.item];
    }
  }

  std::string text() {
    if (form_.deletes != Deletes::kNothing) initial();
    std::map<char, int> written;
    std::map<char, bool> began;
    for (const Action& action : actions_) {
      // Reports call transactions T1, T2 as they come.
      const std::string who(1, static_cast<char>('A' + (action.txn - '1')));
      if (!std::exchange(began[action.txn], true)) add(who, "begin");
      switch (action.what) {
        case 'R':
          add(who, read(action.item));
          break;
        case 'W':
          add(who, write(action.item, ++written[action.item]));
          break;
        default:
          add(who, action.what == 'C' ? "commit" : "rollback");
      }
    }
    final_reads();
    return text_;
  }

 private:
  void add(const std::string& who, const std::string& step) {
    text_ += who + ": " + step + "\n";
  }

  /// Conditions on values tell the items apart: 10 to 19 is x.
  int value(char item, int count) const { return items_.at(item) * 10 + count; }
  std::string key(char item) const {
    return form_.conditions ? std::to_string(items_.at(item)) : std::string(1, item);
  }

  std::string put(char item, int count) const {
    return (form_.lists ? "append(" : "w(") + key(item) + ", " +
           std::to_string(value(item, count)) + ")";
  }

  std::string read(char item) const {
    if (!form_.conditions) return "r(" + key(item) + ")";
    return "select(values " + std::to_string(value(item, 0)) + " to " +
           std::to_string(value(item, 9)) + ")";
  }

  std::string write(char item, int count) const {
    const bool deletes = form_.deletes == Deletes::kFirst
                             ? count == 1
                             : form_.deletes == Deletes::kLast && count == writes_.at(item);
    return deletes ? "d(" + key(item) + ")" : put(item, count);
  }

  void initial() {
    add("S", "begin");
    for (const auto& [item, number] : items_) add("S", put(item, 0));
    add("S", "commit");
  }

  void final_reads() {
    add("F", "begin");
    if (form_.conditions) {
      add("F", "select()");
    } else {
      for (const auto& [item, number] : items_) add("F", read(item));
    }
    add("F", "commit");
  }

  const Form& form_;
  const std::vector<Action> actions_;
  std::map<char, int> items_;   // their numbers, from 1
  std::map<char, int> writes_;  // how many each has
  std::string text_;
};

/// Where every item is written once, the last write is the first one.
bool is_apart(const CooClass& what, const Form& form) {
  if (form.deletes != Deletes::kLast) return true;
  std::map<char, int> writes;
  for (const Action& action : actions_of(what)) {
    if (action.what == 'W' && ++writes[action.item] > 1) return true;
  }
  return false;
}

}  // namespace

std::span<const CooClass> coo_classes() { return kClasses; }

std::span<const Form> all_forms() { return kForms; }

std::vector<Schedule> all_schedules() {
  std::vector<Schedule> schedules;
  for (const CooClass& what : kClasses) {
    for (const Form& form : kForms) {
      if (!is_apart(what, form)) continue;
      schedules.push_back(
          {std::string(what.name) + "." + std::string(form.name), &what, &form});
    }
  }
  return schedules;
}

Result<Schedule> find_schedule(std::string_view name) {
  std::vector<Schedule> schedules = all_schedules();
  std::vector<std::string_view> names;
  for (Schedule& schedule : schedules) {
    if (schedule.name == name) return std::move(schedule);
    if (schedule.what->name == name) return std::move(schedule);  // the first form
    names.push_back(schedule.name);
  }
  return usage_error("no schedule '" + std::string(name) + "'" +
                     base::did_you_mean(name, names) + "; isolde schedules lists them");
}

std::string steps_of(const Schedule& schedule) { return Writer(schedule).text(); }

}  // namespace isolde::schedule
