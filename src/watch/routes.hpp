// Which request gets which answer.
#pragma once

#include <string>

#include "watch/board.hpp"
#include "watch/http.hpp"

namespace isolde::watch {

struct Access {
  /// Whoever asks must have it, as a bearer or as a password; empty: nobody needs one.
  std::string token;
  /// Requests name this machine, lest other pages of a browser read along.
  bool loopback_only = true;
};

/// The first line of the file. ERRORS: kEnvironment; kUsage: others may read it, or it is too
/// short to be a secret.
Result<std::string> read_token(const std::string& path);

/// Any number of threads may ask at once.
class Routes {
 public:
  /// The board outlives this object and its answers.
  Routes(const Board& board, Access access) : board_(board), access_(std::move(access)) {}

  HttpAnswer answer(const HttpRequest& request) const;

 private:
  bool may(const HttpRequest& request) const;

  const Board& board_;
  const Access access_;
};

}  // namespace isolde::watch
