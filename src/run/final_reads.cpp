#include "run/final_reads.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/recorded_ops.hpp"

namespace isolde::run {
namespace {

constexpr std::size_t kMostKeys = 256;
constexpr std::size_t kInOneTxn = 8;

class Reader {
 public:
  Reader(db::Session& session, const gen::Planner& planner, RecordedSession& recorded)
      : session_(session), planner_(planner), recorded_(recorded), ops_(recorded) {}

  /// Returns whether there is any use in going on.
  bool read(std::span<const std::int64_t> keys, bool lists) {
    recorded_.begin();
    db::Reply reply = session_.begin();
    for (const std::int64_t key : keys) {
      if (reply.ok()) reply = read(key, lists);
    }
    if (reply.ok()) reply = session_.commit();
    ops_.end(reply);
    return reply.connected && reply.outcome != db::Outcome::kFailed;
  }

 private:
  db::Reply read(std::int64_t key, bool list) {
    // Numbers stay numbers in the history.
    const bool is_number = planner_.is_named_by_number(key);
    const std::string text = is_number ? "" : planner_.key_name(key);
    const RecordedValue name =
        is_number ? RecordedValue(key) : RecordedValue(std::string_view(text));
    if (list) return ops_.read_list(session_, key, name, elements_);
    std::optional<std::int64_t> value;
    return ops_.read(session_, key, name, value);
  }

  db::Session& session_;
  const gen::Planner& planner_;
  RecordedSession& recorded_;
  RecordedOps ops_;
  std::vector<std::int64_t> elements_;
};

bool read_all(Reader& reader, std::span<const std::int64_t> keys, bool lists) {
  keys = keys.first(std::min(keys.size(), kMostKeys));
  while (!keys.empty()) {
    const std::size_t count = std::min(keys.size(), kInOneTxn);
    if (!reader.read(keys.first(count), lists)) return false;
    keys = keys.subspan(count);
  }
  return true;
}

}  // namespace

void read_finally(db::Database& database, const gen::Planner& planner, Recorder& recorder,
                  std::size_t sessions) {
  const std::vector<std::int64_t> registers = planner.initial_keys();
  const std::vector<std::int64_t> lists = planner.initial_lists();
  recorder.event("phase", "final reads");
  for (std::size_t i = 0; i < sessions; ++i) {
    const auto session = database.connect(static_cast<std::uint32_t>(i));
    if (!session) continue;
    RecordedSession recorded = recorder.session("final " + std::to_string(i));
    recorded.server((*session)->server());
    Reader reader(**session, planner, recorded);
    if (read_all(reader, registers, false)) read_all(reader, lists, true);
  }
}

}  // namespace isolde::run
