#include "explain/notation.hpp"

#include <algorithm>

#include "history/texts.hpp"

namespace isolde::explain {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_place(const History& history, TxnId txn, bool of_part) {
  if (history.label(txn).is_null()) return true;
  const std::string name = history.txn_name(txn);
  if (!of_part) return name == history.place_name(txn);
  return names_its_session(history, txn) && is_digits(name.substr(name.rfind(':') + 1));
}

}  // namespace

bool names_its_session(const History& history, TxnId txn) {
  const std::string place = history.place_name(txn);
  return history.txn_name(txn).starts_with(place.substr(0, place.rfind(':') + 1));
}

std::string place_words(const History& history, std::span<const ScenarioTxn> txns,
                        bool of_part) {
  const auto found = std::ranges::find_if(
      txns, [&](const ScenarioTxn& member) { return is_place(history, member.txn, of_part); });
  if (found == txns.end()) return {};
  const std::string name = history.txn_name(found->txn);
  const std::string number = name.substr(name.rfind(':') + 1);
  const std::string session = history::session_text(history, history.session_of(found->txn));
  return name + ", session " + session + "'s " +
         (number == "0" ? "first transaction" : "transaction " + number + ", counted from 0");
}

std::string number_words(const History& history, std::string_view text) {
  if (history.origin().notation.values.empty()) return {};
  for (std::size_t at = text.find("(#"); at != std::string_view::npos;
       at = text.find("(#", at + 1)) {
    const std::string_view rest = text.substr(at);
    const std::string_view found = rest.substr(0, rest.find(')') + 1);
    if (found.size() > 3 && is_digits(found.substr(2, found.size() - 3))) {
      return std::string(found) + ", a number that tells equal values apart";
    }
  }
  return {};
}

}  // namespace isolde::explain
