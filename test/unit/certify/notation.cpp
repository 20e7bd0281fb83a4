#include "notation.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <sstream>
#include <utility>

#include "certify/level_rules.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::certify::test {
namespace {

std::int64_t integer(std::string_view digits) {
  std::int64_t number = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  EXPECT_TRUE(end.ec == std::errc() && end.ptr == digits.data() + digits.size()) << digits;
  return number;
}

void add_header(HistoryBuilder& builder, std::string_view word) {
  TxnTimes times;
  if (const std::size_t at = word.find('@'); at != std::string_view::npos) {
    const std::string_view span = word.substr(at + 1);
    const std::size_t dash = span.find('-');
    times = {integer(span.substr(0, dash)), integer(span.substr(dash + 1))};
    word = word.substr(0, at);
  }
  TxnStatus status = TxnStatus::kCommitted;
  if (word.back() == '!') status = TxnStatus::kAborted;
  if (word.back() == '?') status = TxnStatus::kIndeterminate;
  if (status != TxnStatus::kCommitted) word.remove_suffix(1);
  builder.begin_txn(builder.session(word));
  builder.set_status(status);
  builder.set_times(times);
}

void add_op(HistoryBuilder& builder, std::string_view word) {
  const std::size_t equals = word.find('=');
  ASSERT_TRUE(word.size() > 2 && word[1] == ':' && equals != std::string_view::npos) << word;
  const KeyId key = builder.key(builder.string(word.substr(2, equals - 2)));
  std::string_view value = word.substr(equals + 1);
  if (word[0] == 'w') return builder.write(key, builder.integer(integer(value)));
  if (word[0] == 'a') return builder.append(key, builder.integer(integer(value)));
  if (value == "?") return builder.read_unknown(key);
  if (value == "_") return builder.read(key, Value::null());
  if (value.front() != '[') return builder.read(key, builder.integer(integer(value)));
  std::vector<Value> elements;
  value = value.substr(1, value.size() - 2);
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    elements.push_back(builder.integer(integer(value.substr(0, comma))));
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  builder.read_list(key, elements);
}

}  // namespace

History history(const std::vector<std::string>& txns) {
  HistoryBuilder builder;
  for (const std::string& text : txns) {
    std::istringstream words(text);
    std::string word;
    words >> word;
    add_header(builder, word);
    while (words >> word) add_op(builder, word);
  }
  Result<History> result = builder.finish();
  EXPECT_TRUE(result.ok());
  return std::move(result).value();
}

TxnId txn(std::uint32_t position) { return TxnId(position); }

KeyId key(const History& history, std::string_view name) {
  for (std::size_t i = 0; i < history.key_count(); ++i) {
    if (history.text(history.key_name(KeyId::at(i))) == name) return KeyId::at(i);
  }
  ADD_FAILURE() << "no key " << name;
  return {};
}

Certificate holds(const History& history, Level level, const std::vector<std::uint32_t>& order,
                  int mentions) {
  Witness witness;
  witness.mentions = mentions;
  for (const std::uint32_t position : order) witness.order.push_back(txn(position));
  return {level, history.digest(), 0, std::move(witness)};
}

Certificate found(const History& history, Level level, const Finding& finding) {
  return {level, history.digest(), 0, finding};
}

Certificate refuted(const History& history, Level level, std::vector<RefutationStep> steps) {
  return {level, history.digest(), 0, Refutation{std::move(steps)}};
}

VersionOrder order(std::uint32_t before, std::uint32_t after) {
  return {txn(before), txn(after)};
}

Edge so(std::uint32_t from, std::uint32_t to) {
  return {txn(from), txn(to), EdgeKind::kSessionOrder, {}, {}};
}
Edge rt(std::uint32_t from, std::uint32_t to) {
  return {txn(from), txn(to), EdgeKind::kRealTime, {}, {}};
}
Edge wr(std::uint32_t from, std::uint32_t to, KeyId key) {
  return {txn(from), txn(to), EdgeKind::kReadFrom, key, {}};
}
Edge ww(std::uint32_t from, std::uint32_t to, KeyId key) {
  return {txn(from), txn(to), EdgeKind::kVersionOrder, key, {}};
}
Edge rw(std::uint32_t from, std::uint32_t to, KeyId key, int via) {
  return {txn(from), txn(to), EdgeKind::kAntiDependency, key,
          via < 0 ? TxnId::none() : txn(static_cast<std::uint32_t>(via))};
}
Edge mv(std::uint32_t from, std::uint32_t to, KeyId key, std::uint32_t reader) {
  return {txn(from), txn(to), EdgeKind::kMonotonicView, key, txn(reader)};
}

std::vector<LevelInfo> ordinary_levels() {
  std::vector<LevelInfo> levels;
  for (const LevelInfo& level : all_levels()) {
    const LevelRules& asks = rules(level);
    const bool is_ordered = asks.test == Test::kStates || asks.test == Test::kPreceding ||
                            asks.test == Test::kSources;
    if (is_ordered && asks.clock == Clock::kNone && !asks.real_time_by_key) {
      levels.push_back(level);
    }
  }
  return levels;
}

std::string outcome(const History& history, const Certificate& certificate) {
  const VerifyResult result = verify(history, certificate);
  EXPECT_EQ(result.proves, result.reason.empty());
  EXPECT_EQ(result.reason.find('\n'), std::string::npos);
  return result.proves ? "proves" : result.reason;
}

std::string witness(const History& history, Level level,
                    const std::vector<std::uint32_t>& order, int mentions) {
  return outcome(history, holds(history, level, order, mentions));
}

std::string cycle(const History& history, Level level, const std::vector<Edge>& edges) {
  return outcome(history, refuted(history, level, {{{}, edges, {}}}));
}

}  // namespace isolde::certify::test
