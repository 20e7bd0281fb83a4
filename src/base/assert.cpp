#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace isolde::base {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr,
               "isolde: internal error: check `%s` failed at %s:%d\n"
               "isolde: this is a bug in isolde; please report it with the history\n",
               condition, file, line);
  std::abort();
}

}  // namespace isolde::base
