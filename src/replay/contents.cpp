#include "replay/contents.hpp"

#include <algorithm>
#include <memory>

#include "history/initial.hpp"

namespace isolde::replay {
namespace {

/// Refused, or not done for another reason.
Error failed(const db::Reply& reply) {
  return {ErrorCode::kEnvironment,
          "the database does not take the initial contents: " + reply.message};
}

}  // namespace

std::vector<KeyId> keys_with_contents(const Numbering& numbering) {
  const History& history = numbering.history();
  std::vector<KeyId> keys = history::keys_with_contents(history);
  std::vector<char> is_used(history.key_count(), 0);
  for (const Op& op : history.all_ops()) is_used[op.key.raw()] = 1;
  std::erase_if(keys, [&](KeyId key) { return is_used[key.raw()] == 0; });
  return keys;
}

Status load_contents(db::Database& database, const Numbering& numbering) {
  const History& history = numbering.history();
  const std::vector<KeyId> keys = keys_with_contents(numbering);
  if (keys.empty()) return ok_status();
  const auto number = static_cast<std::uint32_t>(history.session_count());
  const Result<std::unique_ptr<db::Session>> session = database.connect(number);
  if (!session) return session.error();
  if (const db::Reply reply = (*session)->begin(); !reply.ok()) return failed(reply);
  for (const KeyId key : keys) {
    for (const Value element : history.initial_list(key)) {
      const db::Reply reply = (*session)->append(numbering.key(key), numbering.value(element));
      if (!reply.ok()) return failed(reply);
    }
    if (history.is_list(key)) continue;
    const db::Reply reply =
        (*session)->write(numbering.key(key), numbering.value(history.initial(key)));
    if (!reply.ok()) return failed(reply);
  }
  const db::Reply reply = (*session)->commit();
  return reply.ok() ? ok_status() : Status(failed(reply));
}

std::vector<RecordedContents> recorded_contents(const Numbering& numbering) {
  const History& history = numbering.history();
  const auto recorded = [&](Value value) {
    return numbering.recorded_value(numbering.value(value));
  };
  std::vector<RecordedContents> contents;
  for (const KeyId key : keys_with_contents(numbering)) {
    RecordedContents& held =
        contents.emplace_back(RecordedContents{numbering.recorded_key(key)});
    for (const Value element : history.initial_list(key)) {
      held.elements.push_back(recorded(element));
    }
    if (!history.is_list(key)) held.value = recorded(history.initial(key));
  }
  return contents;
}

}  // namespace isolde::replay
