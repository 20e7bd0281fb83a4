// Names of CLI11's classes, for headers: the library is one large header of inline code, which
// only the sources that define options need.
#pragma once

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI
