// Tests a storage engine that one is writing: runs transactions on it, builds the history in
// memory and asks which isolation level it gave. The "engine" is a store with snapshots that
// has forgotten to look for conflicts; put yours in its place.
//
//     c++ -std=c++20 engine.cpp $(pkg-config --cflags --libs isolde) && ./a.out
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "isolde/isolde.hpp"

namespace {

class Store {
 public:
  using Rows = std::map<std::string, std::int64_t>;

  class Transaction {
   public:
    explicit Transaction(Store& store) : store_(store), snapshot_(store.rows_) {}
    std::optional<std::int64_t> get(const std::string& key) const {
      return written_.contains(key) ? find(written_, key) : find(snapshot_, key);
    }
    void put(const std::string& key, std::int64_t value) { written_[key] = value; }
    bool commit() {  // false: it has not happened
      for (const auto& [key, value] : written_) store_.rows_[key] = value;
      return true;
    }

   private:
    Store& store_;
    Rows snapshot_;
    Rows written_;
  };

 private:
  static std::optional<std::int64_t> find(const Rows& rows, const std::string& key) {
    const auto found = rows.find(key);
    if (found == rows.end()) return std::nullopt;
    return found->second;
  }

  Rows rows_;
};

/// Two clients take turns at random, each in a transaction of two reads and a write.
isolde::Result<isolde::History> run(Store& store) {
  using isolde::RecordKind;
  using isolde::Scalar;
  isolde::HistoryBuilder history;
  std::mt19937 random(7);
  std::int64_t next_value = 1;  // each value is written once, so that reads tell who wrote it
  for (int round = 0; round < 100; ++round) {
    std::vector<Store::Transaction> clients(2, Store::Transaction(store));
    std::vector<std::vector<isolde::OperationRecord>> operations(2);
    std::vector<std::string> keys = {"x", "y", "z"};
    for (int step = 0; step < 6; ++step) {
      const std::size_t who = random() % 2;
      const std::string& key = keys[random() % keys.size()];
      if (operations[who].size() == 3) continue;
      if (operations[who].size() == 2) {
        clients[who].put(key, next_value);
        operations[who].push_back(
            {.kind = RecordKind::kWrite, .key = key, .value = next_value++});
      } else {
        const auto seen = clients[who].get(key);
        operations[who].push_back({.kind = RecordKind::kRead,
                                   .key = key,
                                   .value = seen ? Scalar(*seen) : Scalar::null()});
      }
    }
    for (std::size_t who = 0; who < clients.size(); ++who) {
      history.begin_txn(history.session("client " + std::to_string(who + 1)));
      for (const isolde::OperationRecord& each : operations[who]) history.add(each);
      if (!clients[who].commit()) history.set_status(isolde::TxnStatus::kAborted);
    }
  }
  return history.finish();
}

int fail(const isolde::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main() {
  Store store;
  const isolde::Result<isolde::History> history = run(store);
  if (!history) return fail(history.error());

  isolde::CheckRequest request;
  request.levels = {isolde::Level::kSnapshotIsolation, isolde::Level::kReadAtomic};
  request.limits.seconds = 10;
  request.require_evidence = true;
  const isolde::Result<isolde::Report> report = isolde::check(*history, request);
  if (!report) return fail(report.error());
  std::printf("%s", report->text().c_str());

  // The verdict with its proof, for whoever does not believe it.
  const auto proof = report->certificate(isolde::Level::kSnapshotIsolation);
  if (!proof) return fail(proof.error());
  const auto verified = isolde::verify(*history, *proof);
  if (!verified) return fail(verified.error());
  std::printf("\n%s: %s\n", verified->proves ? "proved" : "not proved",
              verified->claim.c_str());
  return report->verdict(isolde::Level::kSnapshotIsolation) == isolde::Verdict::kHolds ? 0 : 2;
}
