#include "support/shrink.hpp"

#include <utility>

namespace isolde::support {
namespace {

using Fails = std::function<bool(const PlainHistory&)>;

// Replaces the history by `smaller` when that still fails.
bool keep(PlainHistory& history, PlainHistory smaller, const Fails& fails) {
  if (!fails(smaller)) return false;
  history = std::move(smaller);
  return true;
}

template <typename T>
void erase_at(std::vector<T>& items, std::size_t at) {
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
}

bool drop_txns(PlainHistory& history, const Fails& fails) {
  bool any = false;
  for (std::size_t t = history.size(); t-- > 0;) {
    PlainHistory smaller = history;
    erase_at(smaller, t);
    any = keep(history, std::move(smaller), fails) || any;
  }
  return any;
}

bool drop_contents(PlainHistory& history, const Fails& fails) {
  bool any = false;
  for (std::size_t at = history.start.size(); at-- > 0;) {
    PlainHistory smaller = history;
    erase_at(smaller.start, at);
    any = keep(history, std::move(smaller), fails) || any;
  }
  return any;
}

bool drop_ops(PlainHistory& history, const Fails& fails) {
  bool any = false;
  for (std::size_t t = 0; t < history.size(); ++t) {
    for (std::size_t o = history[t].ops.size(); o-- > 0;) {
      PlainHistory smaller = history;
      erase_at(smaller[t].ops, o);
      any = keep(history, std::move(smaller), fails) || any;
    }
  }
  return any;
}

bool drop_elements(PlainHistory& history, const Fails& fails) {
  bool any = false;
  for (std::size_t t = 0; t < history.size(); ++t) {
    for (std::size_t o = 0; o < history[t].ops.size(); ++o) {
      for (std::size_t e = history[t].ops[o].list.size(); e-- > 0;) {
        PlainHistory smaller = history;
        erase_at(smaller[t].ops[o].list, e);
        any = keep(history, std::move(smaller), fails) || any;
      }
    }
  }
  return any;
}

bool drop_rows(PlainHistory& history, const Fails& fails) {
  bool any = false;
  for (std::size_t t = 0; t < history.size(); ++t) {
    for (std::size_t o = 0; o < history[t].ops.size(); ++o) {
      for (std::size_t r = history[t].ops[o].selection.rows.size(); r-- > 0;) {
        PlainHistory smaller = history;
        erase_at(smaller[t].ops[o].selection.rows, r);
        any = keep(history, std::move(smaller), fails) || any;
      }
    }
  }
  return any;
}

bool drop_circumstances(PlainHistory& history, const Fails& fails) {
  bool any = false;
  for (std::size_t t = 0; t < history.size(); ++t) {
    PlainHistory smaller = history;
    if (history[t].times.start != kNoTime) {
      smaller[t].times.start = kNoTime;
      any = keep(history, smaller, fails) || any;
      smaller = history;
    }
    if (history[t].times.end != kNoTime) {
      smaller[t].times.end = kNoTime;
      any = keep(history, smaller, fails) || any;
      smaller = history;
    }
    if (history[t].status != TxnStatus::kCommitted) {
      smaller[t].status = TxnStatus::kCommitted;
      any = keep(history, std::move(smaller), fails) || any;
    }
  }
  return any;
}

}  // namespace

PlainHistory shrink(PlainHistory history, const Fails& fails) {
  bool any = true;
  while (any) {
    any = drop_txns(history, fails);
    any = drop_contents(history, fails) || any;
    any = drop_ops(history, fails) || any;
    any = drop_elements(history, fails) || any;
    any = drop_rows(history, fails) || any;
    any = drop_circumstances(history, fails) || any;
  }
  return history;
}

}  // namespace isolde::support
