// Tells which language the headers need. Those that all others include have it before anything
// that an older compiler would stumble over.
#pragma once

#if __cplusplus < 202002L
#error "isolde needs C++20: compile with -std=c++20 or above"
#include "isolde/needs-c++20"  // not there, so that compilers stop here
#endif
