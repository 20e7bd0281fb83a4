// What increments come to, in words.
#include <string>
#include <vector>

#include "base/text.hpp"
#include "explain/phrase.hpp"

namespace isolde::explain {
namespace {

std::string number(certify::SumRange::Wide of) {
  std::string digits;
  for (auto rest = of < 0 ? -of : of; digits.empty() || rest != 0; rest /= 10) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  return of < 0 ? "-" + digits : digits;
}

}  // namespace

std::string Phrase::sums(const certify::SumRange& range, TxnId reader) const {
  const bool is_one = range.keys.size() == 1;
  std::string what =
      is_one ? key(range.keys.front()) : std::to_string(range.keys.size()) + " keys";
  if (!is_one && range.keys.size() <= kWritersTold) {
    std::vector<std::string> keys;
    for (const KeyId each : range.keys) keys.push_back(key(each));
    what = base::joined(keys, "and");
  }
  std::string text = names_.of(reader) + " read " + number(range.found) +
                     (is_one ? " from " : " in all from ") + what + ", where only " +
                     number(range.least());
  text += range.least() == range.most() ? " is possible: "
                                        : " to " + number(range.most()) + " are possible: ";
  text += (is_one ? "it began with " : "they began with ") + number(range.begin);
  if (range.before != 0) {
    text += ", transactions before " + names_.of(reader) +
            (range.before < 0 ? " took away " : " added ") +
            number(range.before < 0 ? -range.before : range.before);
  }
  if (range.less == 0 && range.more == 0)
    return text + ", and nobody else can have changed that";
  text += ", and others can have ";
  if (range.more > 0) text += "added up to " + number(range.more);
  if (range.more > 0 && range.less < 0) text += ", or ";
  if (range.less < 0) text += "taken away up to " + number(-range.less);
  return text;
}

}  // namespace isolde::explain
