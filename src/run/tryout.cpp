#include "run/tryout.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace isolde::run {
namespace {

using db::Key;
using db::Outcome;
using db::Reply;

// Each step has a key of its own, so that a fault of one is not found again by the next.
constexpr std::array<Key, 6> kRegisters = {0, 1, 2, 3, 4, 5};
// Rows, which create() does not make. Their values are nobody else's.
constexpr Key kFirstRow = 9000;
constexpr std::int64_t kRowValue = 9'000'000;
constexpr std::array<Key, 3> kLists = {10, 11, 12};
constexpr Key kLaterRegister = 7001;  // of which create() knows nothing, as in some workloads
constexpr Key kLaterList = 7002;

// Rows with columns: nobody else's stamps, and an item for each step.
constexpr std::array kItemColumns = {table::Column{.name = "qty", .least = 0, .indexed = true},
                                     table::Column{.name = "place"}};
constexpr std::array kOrderColumns = {table::Column{.name = "item", .refers_to = 0}};
constexpr std::array kTables = {table::Table{"item", kItemColumns},
                                table::Table{"orders", kOrderColumns}};
constexpr std::int64_t kStamp = 8'000'000;

std::string text(std::optional<std::int64_t> value) {
  return value ? std::to_string(*value) : "null";
}

std::string text(const std::vector<std::int64_t>& elements) {
  std::string all = "[";
  for (const std::int64_t each : elements) {
    all += (all.size() > 1 ? "," : "") + std::to_string(each);
  }
  return all + "]";
}

std::string text(const std::vector<db::Row>& rows) {
  std::string all = "[";
  for (const db::Row& row : rows) {
    all += (all.size() > 1 ? ",[" : "[") + std::to_string(row.key) + "," +
           std::to_string(row.value) + "]";
  }
  return all + "]";
}

std::string text(const table::Row& row) {
  std::string all = "[" + std::to_string(row.id) + "," + std::to_string(row.stamp);
  for (const table::Cell& cell : row.cells) all += "," + text(cell);
  return all + "]";
}

std::string text(const table::Change& change) {
  return text(change.after) + " after " + text(change.replaced);
}

template <typename Row>
std::string text_of_all(const std::vector<Row>& rows) {
  std::string all = "[";
  for (const Row& row : rows) all += (all.size() > 1 ? "," : "") + text(row);
  return all + "]";
}

std::string text(const Reply& reply) {
  switch (reply.outcome) {
    case Outcome::kOk:
      return {};
    case Outcome::kAborted:
      return "aborted: " + reply.message;
    case Outcome::kUnknown:
      return reply.message;  // nothing was to be committed yet
    case Outcome::kFailed:
      break;
  }
  return "failed: " + reply.message;
}

class Tour {
 public:
  Tour(db::Database& database, const db::Capabilities& can, const TryoutListener& listener,
       base::Budget& budget)
      : database_(database), can_(can), listener_(listener), budget_(budget) {}

  int take() {
    if (can_.tables) database_.use_tables(kTables);
    if (!step("create", [&] { return said(database_.create(kRegisters, kLists)); })) {
      return problems_;
    }
    if (connect("open a session", 0) && connect("open another session", 1)) visit();
    for (auto& session : sessions_) session.reset();
    if (step("destroy", [&] { return said(database_.destroy()); }) && budget_.look()) {
      step("create again, destroy again", [&] { return create_again(); });
    }
    // Most have nothing that could go wrong there.
    if (const Status ended = database_.end(); !ended) step("end", [&] { return said(ended); });
    return problems_;
  }

 private:
  using Step = std::function<std::string()>;

  /// Whether it went well.
  bool step(std::string_view what, const Step& work) {
    const std::string problem = work();
    if (!problem.empty()) ++problems_;
    listener_(what, problem);
    return problem.empty();
  }

  bool connect(std::string_view what, std::size_t number) {
    return step(what, [&] {
      auto session = database_.connect(static_cast<std::uint32_t>(number));
      if (!session) return session.error().message;
      sessions_[number] = std::move(session).value();
      return std::string();
    });
  }

  /// A step in both sessions. One that went wrong may have left them in the middle of
  /// something: the next one gets new ones. Does nothing once there are none to be had.
  void visit(std::string_view what, const Step& work) {
    if (!budget_.look() || sessions_[0] == nullptr || step(what, work)) return;
    for (auto& session : sessions_) session.reset();
    if (!connect("open a session again", 0) || !connect("open another session again", 1)) {
      sessions_[0].reset();
    }
  }

  static std::string said(const Status& status) {
    return status ? std::string() : status.error().message;
  }

  void visit() {
    if (can_.transactions) visit_registers();
    if (can_.transactions && can_.lists) visit_lists();
    if (can_.compare_and_set) visit_compare_and_set();
    if (can_.transactions && can_.increments) visit_increments();
    if (can_.transactions && can_.rows) visit_rows();
    if (can_.transactions && can_.tables) visit_tables();
    if (can_.transactions && can_.tables && can_.tries_inserts) visit_tries();
    if (can_.transactions && can_.tables && can_.aggregates) visit_aggregates();
    if (can_.transactions && can_.tables && can_.savepoints) visit_savepoints();
  }

  // --- Rows with columns

  static table::Request item(std::int64_t id, table::Cell qty, table::Cell place) {
    return {.id = id, .cells = {qty, place}};
  }
  static table::Condition by_qty(std::int64_t least, std::int64_t most) {
    return {{.column = 0, .least = least, .most = most}};
  }
  static table::Condition by_place(std::int64_t place) {
    return {{.column = 1, .least = place, .most = place}};
  }

  std::string inserted(const table::Request& request, std::int64_t stamp) {
    const Reply reply = sessions_[0]->insert_row(request, kStamp + stamp);
    return reply.ok() ? std::string() : "insert-row: " + text(reply);
  }

  std::string tried(const table::Request& request, std::int64_t stamp, bool meets) {
    auto became = db::Inserted::kDone;
    const Reply reply = sessions_[0]->try_insert_row(request, kStamp + stamp, became);
    if (!reply.ok()) return "try-insert-row: " + text(reply);
    if (meets && became == db::Inserted::kDone) return "told that a row is there twice";
    if (meets && became == db::Inserted::kMetColumn) return "told that a column was met";
    return meets || became == db::Inserted::kDone ? "" : "told that it was refused";
  }

  template <typename Row>
  static std::string compare_all(const std::vector<Row>& rows, const std::vector<Row>& wanted) {
    if (rows == wanted) return {};
    return "got " + text_of_all(rows) + ", expected " + text_of_all(wanted);
  }

  std::string found(std::size_t session, const table::Request& request,
                    const std::vector<table::Row>& wanted, bool is_whole = true) {
    table::Selected selected;
    const Reply reply = sessions_[session]->select_rows(request, selected);
    if (!reply.ok()) return "select-rows: " + text(reply);
    if (selected.is_whole && !is_whole) return "told that no limit was reached";
    return compare_all(selected.rows, wanted);
  }
  std::string expect_found(const table::Request& request, const std::vector<table::Row>& wanted,
                           bool is_whole = true) {
    return in_transaction(1, [&] { return found(1, request, wanted, is_whole); });
  }

  std::string updated(const table::Request& request, std::int64_t stamp,
                      const std::vector<table::Change>& wanted) {
    std::vector<table::Change> changes;
    const Reply reply = sessions_[0]->update_rows(request, kStamp + stamp, changes);
    return reply.ok() ? compare_all(changes, wanted) : "update-rows: " + text(reply);
  }

  std::string upserted(const table::Request& request, std::int64_t stamp,
                       const table::Change& wanted) {
    table::Change change;
    const Reply reply = sessions_[0]->upsert_row(request, kStamp + stamp, change);
    if (!reply.ok()) return "upsert-row: " + text(reply);
    return compare_all<table::Change>({change}, {wanted});
  }

  /// A transaction that the database must not let pass, and goes on after.
  std::string refused(const Step& work, const Reply& reply) {
    Reply begun = sessions_[0]->begin();
    if (!begun.ok()) return "begin: " + text(begun);
    if (std::string problem = work(); !problem.empty()) return problem;
    if (reply.ok()) return "it was not refused";
    return reply.outcome == Outcome::kAborted ? std::string() : text(reply);
  }

  void visit_tables() {
    visit("rows that were inserted are selected by a column", [&] {
      return first(in_transaction(0,
                                  [&] {
                                    return first(inserted(item(1, 10, {}), 1), [&] {
                                      return first(inserted(item(2, 20, 7), 2),
                                                   [&] { return inserted(item(3, 30, 7), 3); });
                                    });
                                  }),
                   [&] {
                     return expect_found({.where = by_qty(15, 30)},
                                         {{2, kStamp + 2, {20, 7}}, {3, kStamp + 3, {30, 7}}});
                   });
    });
    visit("a column without a value is null, and is found by that", [&] {
      return expect_found({.where = {{.column = 1, .is_null = true}}, .columns = {1}},
                          {{1, kStamp + 1, {table::Cell()}}});
    });
    visit("a limit takes the lowest ids, and tells that it was reached", [&] {
      return expect_found({.where = by_place(7), .limit = 1}, {{2, kStamp + 2, {20, 7}}},
                          false);
    });
    visit("an update by a condition tells the rows, and the stamps that they had", [&] {
      const table::Request request{
          .where = by_place(7),
          .set = {{.column = 0, .value = -5, .adds = true}, {.column = 1, .value = 8}}};
      return in_transaction(0, [&] {
        return first(updated(request, 4,
                             {{{2, kStamp + 4, {15, 8}}, kStamp + 2},
                              {{3, kStamp + 4, {25, 8}}, kStamp + 3}}),
                     [&] { return updated(request, 5, {}); });
      });
    });
    visit("an upsert inserts a row, and updates one that is there", [&] {
      const table::Request request{
          .set = {{.column = 0, .value = 1, .adds = true}}, .id = 4, .cells = {40, 9}};
      return in_transaction(0, [&] {
        return first(upserted(request, 6, {{4, kStamp + 6, {40, 9}}, {}}), [&] {
          return upserted(request, 7, {{4, kStamp + 7, {41, 9}}, kStamp + 6});
        });
      });
    });
    visit("a second row of an id is refused", [&] {
      Reply reply;
      return refused(
          [&] {
            reply = sessions_[0]->insert_row(item(4, 1, 1), kStamp + 8);
            return std::string();
          },
          reply);
    });
    visit("a delete by a condition tells the rows that it deleted", [&] {
      return first(in_transaction(0,
                                  [&] {
                                    std::vector<table::Row> removed;
                                    const Reply reply = sessions_[0]->remove_rows(
                                        {.where = by_place(8)}, removed);
                                    if (!reply.ok()) return "delete-rows: " + text(reply);
                                    return compare_all(removed, {{2, kStamp + 4, {15, 8}},
                                                                 {3, kStamp + 4, {25, 8}}});
                                  }),
                   [&] { return expect_found({.where = by_place(8)}, {}); });
    });
  }

  void visit_tries() {
    visit("an insert that meets a row tells so, and the transaction goes on", [&] {
      return first(in_transaction(0,
                                  [&] {
                                    return first(tried(item(4, 1, 1), 23, true), [&] {
                                      return tried(item(5, 50, 9), 24, false);
                                    });
                                  }),
                   [&] {
                     return expect_found({.where = by_place(9)},
                                         {{4, kStamp + 7, {41, 9}}, {5, kStamp + 24, {50, 9}}});
                   });
    });
  }

  std::string computed(const table::Request& request, table::Cell wanted) {
    table::Cell result;
    const Reply reply = sessions_[1]->aggregate_rows(request, result);
    if (!reply.ok()) return "aggregate-rows: " + text(reply);
    const auto shown = [](const table::Cell& cell) {
      return cell ? std::to_string(*cell) : std::string("null");
    };
    if (result == wanted) return {};
    return "got " + shown(result) + ", expected " + shown(wanted);
  }

  void visit_aggregates() {
    using Kind = AggregateKind;
    const auto all = [&](table::Condition where, table::Cell count, table::Cell sum,
                         table::Cell least, table::Cell most) {
      const std::array<std::pair<table::Computed, table::Cell>, 5> wanted = {
          {{{Kind::kCount}, count},
           {{Kind::kExists}, *count > 0 ? 1 : 0},
           {{Kind::kSum, 0}, sum},
           {{Kind::kMin, 0}, least},
           {{Kind::kMax, 0}, most}}};
      std::string problem;
      for (const auto& [what, result] : wanted) {
        if (problem.empty()) problem = computed({.where = where, .computed = what}, result);
      }
      return problem;
    };
    visit("rows are counted and summed, and a null is in no sum", [&] {
      return first(
          in_transaction(0,
                         [&] {
                           return first(inserted(item(20, 7, 6), 20), [&] {
                             return first(inserted(item(21, 9, 6), 21),
                                          [&] { return inserted(item(22, {}, 6), 22); });
                           });
                         }),
          [&] { return in_transaction(1, [&] { return all(by_place(6), 3, 16, 7, 9); }); });
    });
    visit("of no rows there are 0, and their sum is null",
          [&] { return in_transaction(1, [&] { return all(by_place(77), 0, {}, {}, {}); }); });
  }

  void visit_savepoints() {
    visit("what comes after a savepoint is taken back, and nothing else", [&] {
      const auto said = [](const Reply& reply) {
        return reply.ok() ? std::string() : text(reply);
      };
      return first(
          in_transaction(0,
                         [&] {
                           std::string problem = inserted(item(10, 1, 5), 10);
                           if (problem.empty()) problem = said(sessions_[0]->savepoint());
                           if (problem.empty()) problem = inserted(item(11, 1, 5), 11);
                           if (problem.empty()) {
                             problem = said(sessions_[0]->roll_back_to_savepoint());
                           }
                           return problem.empty() ? inserted(item(12, 1, 5), 12) : problem;
                         }),
          [&] {
            return expect_found({.where = by_place(5)},
                                {{10, kStamp + 10, {1, 5}}, {12, kStamp + 12, {1, 5}}});
          });
    });
  }

  // --- Registers as rows

  void visit_rows() {
    visit("a condition on keys selects the rows between them", [&] {
      return first(write_rows(0, 4), [&] { return expect_rows(1, by_keys(1, 2), {1, 2}); });
    });
    visit("a condition on values selects the rows between them", [&] {
      return expect_rows(1, by_values(1, 2), {1, 2});
    });
    visit("a condition on both selects what meets both", [&] {
      db::Condition both = by_keys(0, 2);
      both.values = by_values(2, 3).values;
      return expect_rows(1, both, {2});
    });
    visit("a transaction selects what it has written", [&] {
      return in_transaction(0, [&] {
        return first(write(0, kFirstRow + 4, kRowValue + 4), [&] {
          return selected(0, by_values(3, 9), {3, 4});
        });
      });
    });
    visit("a row that was deleted is not there", [&] {
      return first(in_transaction(0, [&] { return removed(0, kFirstRow + 3, true); }), [&] {
        return first(expect_rows(1, by_keys(2, 4), {2, 4}), [&] {
          return in_transaction(1, [&] { return expect(1, kFirstRow + 3, {}); });
        });
      });
    });
    visit("deleting a row that is not there deletes nothing",
          [&] { return in_transaction(0, [&] { return removed(0, kFirstRow + 3, false); }); });
    visit("a row that was deleted can be written again", [&] {
      return first(in_transaction(0, [&] { return write(0, kFirstRow + 3, kRowValue + 3); }),
                   [&] { return expect_rows(1, by_values(3, 3), {3}); });
    });
    if (!can_.deletes_selected) return;
    visit("a deletion by a condition deletes the rows that it tells", [&] {
      return first(in_transaction(0,
                                  [&] {
                                    return removed(0, by_values(1, 3), {1, 2, 3});
                                  }),
                   [&] {
                     return expect_rows(1, by_keys(0, 9), {0, 4});
                   });
    });
  }

  static db::Condition by_keys(std::int64_t first, std::int64_t last) {
    return {.keys = Predicate::Bounds{kFirstRow + first, kFirstRow + last}};
  }
  static db::Condition by_values(std::int64_t first, std::int64_t last) {
    return {.values = Predicate::Bounds{kRowValue + first, kRowValue + last}};
  }

  /// Row i has key kFirstRow + i and value kRowValue + i.
  std::string write_rows(std::size_t session, std::int64_t count) {
    return in_transaction(session, [&] {
      for (std::int64_t i = 0; i < count; ++i) {
        std::string problem = write(session, kFirstRow + i, kRowValue + i);
        if (!problem.empty()) return problem;
      }
      return std::string();
    });
  }

  std::string expect_rows(std::size_t session, const db::Condition& condition,
                          const std::vector<std::int64_t>& wanted) {
    return in_transaction(session, [&] { return selected(session, condition, wanted); });
  }

  std::string selected(std::size_t session, const db::Condition& condition,
                       const std::vector<std::int64_t>& wanted) {
    std::vector<db::Row> rows;
    const Reply reply = sessions_[session]->select(condition, rows);
    return reply.ok() ? compare(std::move(rows), wanted) : "select: " + text(reply);
  }

  std::string removed(std::size_t session, const db::Condition& condition,
                      const std::vector<std::int64_t>& wanted) {
    std::vector<db::Row> rows;
    const Reply reply = sessions_[session]->remove(condition, rows);
    return reply.ok() ? compare(std::move(rows), wanted) : "delete-selected: " + text(reply);
  }

  std::string removed(std::size_t session, Key key, bool wanted) {
    bool was_there = false;
    const Reply reply = sessions_[session]->remove(key, was_there);
    if (!reply.ok()) return "delete: " + text(reply);
    if (was_there == wanted) return {};
    return was_there ? "told of a row that was deleted" : "told that there was no row";
  }

  static std::string compare(std::vector<db::Row> rows,
                             const std::vector<std::int64_t>& wanted) {
    std::vector<db::Row> expected;
    for (const std::int64_t i : wanted) expected.push_back({kFirstRow + i, kRowValue + i});
    std::ranges::sort(rows, {}, &db::Row::key);
    if (rows == expected) return {};
    return "got " + text(rows) + ", expected " + text(expected);
  }

  void visit_registers() {
    visit("a register that was never written reads as null",
          [&] { return in_transaction(0, [&] { return expect(0, 0, {}); }); });
    visit("a transaction reads what it has written", [&] {
      return in_transaction(
          0, [&] { return first(write(0, 1, 5), [&] { return expect(0, 1, 5); }); });
    });
    visit("another session reads what was committed", [&] {
      return first(in_transaction(0, [&] { return write(0, 2, 5); }),
                   [&] { return in_transaction(1, [&] { return expect(1, 2, 5); }); });
    });
    visit("nobody reads what was rolled back", [&] { return rolled_back(3); });
    visit("negative and large values are kept", [&] { return extremes(4); });
    visit("a key that create did not name can be written and read", [&] {
      return in_transaction(0, [&] {
        return first(expect(0, kLaterRegister, {}), [&] {
          return first(write(0, kLaterRegister, 6),
                       [&] { return expect(0, kLaterRegister, 6); });
        });
      });
    });
  }

  void visit_lists() {
    visit("a list that was never appended to is empty",
          [&] { return in_transaction(0, [&] { return expect_list(0, kLists[0], {}); }); });
    visit("elements stay in the order of appends", [&] {
      return appended(0, kLists[1], {3, 1}, {3, 1});
    });
    visit("another session appends to the same list", [&] {
      return first(appended(0, kLists[2], {3, 1}, {3, 1}), [&] {
        return appended(1, kLists[2], {2}, {3, 1, 2});
      });
    });
    visit("a list that create did not name can be appended to",
          [&] { return appended(1, kLaterList, {9}, {9}); });
  }

  void visit_compare_and_set() {
    visit("compare-and-set of a register without value", [&] { return set(5, {}, 10, true); });
    visit("compare-and-set does not happen when another value is there",
          [&] { return set(5, 77, 11, false); });
    visit("compare-and-set replaces the value that is expected",
          [&] { return set(5, 10, 12, true); });
    visit("compare-and-set of no value does not happen when there is one",
          [&] { return set(5, {}, 13, false); });
  }

  std::string added(std::int64_t by, std::int64_t wanted) {
    std::optional<std::int64_t> sum;
    const Reply reply = sessions_[0]->increment(6, by, sum);
    if (!reply.ok()) return "increment: " + text(reply);
    if (!sum || *sum == wanted) return {};
    return "got " + std::to_string(*sum) + ", expected " + std::to_string(wanted);
  }

  void visit_increments() {
    visit("a number that was never written is 0, and is added to", [&] {
      return in_transaction(0,
                            [&] { return first(added(5, 5), [&] { return added(-7, -2); }); });
    });
    visit("what was added is read by others",
          [&] { return in_transaction(1, [&] { return expect(1, 6, -2); }); });
  }

  /// The first problem of both.
  static std::string first(std::string problem, const Step& next) {
    return problem.empty() ? next() : problem;
  }

  std::string in_transaction(std::size_t session, const Step& work) {
    Reply reply = sessions_[session]->begin();
    if (!reply.ok()) return "begin: " + text(reply);
    if (std::string problem = work(); !problem.empty()) return problem;
    reply = sessions_[session]->commit();
    const bool is_unknown = reply.outcome == Outcome::kUnknown;
    return reply.ok() ? std::string()
                      : (is_unknown ? "commit: outcome unknown: " : "commit: ") + text(reply);
  }

  std::string rolled_back(Key key) {
    std::string problem = in_transaction(0, [&] { return write(0, key, 5); });
    if (!problem.empty()) return problem;
    Reply reply = sessions_[0]->begin();
    if (!reply.ok()) return "begin: " + text(reply);
    problem = write(0, key, 8);
    if (!problem.empty()) return problem;
    reply = sessions_[0]->rollback();
    if (!reply.ok()) return "abort: " + text(reply);
    return first(in_transaction(1, [&] { return expect(1, key, 5); }),
                 [&] { return in_transaction(0, [&] { return expect(0, key, 5); }); });
  }

  std::string extremes(Key key) {
    constexpr std::int64_t kBeyondDoubles = (std::int64_t{1} << 53) + 1;
    for (const std::int64_t value : {std::int64_t{-1}, kBeyondDoubles}) {
      std::string problem = in_transaction(0, [&] {
        return first(write(0, key, value), [&] { return expect(0, key, value); });
      });
      if (!problem.empty()) return problem;
    }
    return {};
  }

  /// A transaction that appends and then reads.
  std::string appended(std::size_t session, Key key, const std::vector<std::int64_t>& elements,
                       const std::vector<std::int64_t>& wanted) {
    return in_transaction(session, [&] {
      for (const std::int64_t element : elements) {
        if (std::string problem = append(session, key, element); !problem.empty())
          return problem;
      }
      return expect_list(session, key, wanted);
    });
  }

  std::string create_again() {
    return first(said(database_.create(kRegisters, kLists)),
                 [&] { return said(database_.destroy()); });
  }

  std::string expect(std::size_t session, Key key, std::optional<std::int64_t> wanted) {
    std::optional<std::int64_t> value;
    const Reply reply = sessions_[session]->read(key, value);
    if (!reply.ok()) return "read: " + text(reply);
    if (value == wanted) return {};
    return "read " + text(value) + ", expected " + text(wanted);
  }

  std::string expect_list(std::size_t session, Key key,
                          const std::vector<std::int64_t>& wanted) {
    std::vector<std::int64_t> elements;
    const Reply reply = sessions_[session]->read_list(key, elements);
    if (!reply.ok()) return "read-list: " + text(reply);
    if (elements == wanted) return {};
    return "read " + text(elements) + ", expected " + text(wanted);
  }

  std::string write(std::size_t session, Key key, std::int64_t value) {
    const Reply reply = sessions_[session]->write(key, value);
    return reply.ok() ? std::string() : "write: " + text(reply);
  }

  std::string append(std::size_t session, Key key, std::int64_t element) {
    const Reply reply = sessions_[session]->append(key, element);
    return reply.ok() ? std::string() : "append: " + text(reply);
  }

  std::string set(Key key, std::optional<std::int64_t> expected, std::int64_t value,
                  bool applies) {
    db::CasResult result;
    const Reply reply = sessions_[0]->compare_and_set(key, expected, value, result);
    if (!reply.ok()) return text(reply);
    if (result.applied == applies) return {};
    return result.applied ? "it was applied" : "it was not applied";
  }

  db::Database& database_;
  const db::Capabilities can_;
  const TryoutListener& listener_;
  base::Budget& budget_;
  std::array<std::unique_ptr<db::Session>, 2> sessions_;
  int problems_ = 0;
};

}  // namespace

int try_out(db::Database& database, const db::Capabilities& capabilities,
            const TryoutListener& listener, base::Budget& budget) {
  return Tour(database, capabilities, listener, budget).take();
}

}  // namespace isolde::run
