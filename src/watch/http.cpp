#include "watch/http.hpp"

#include <dlfcn.h>

namespace isolde::watch {

#ifdef ISOLDE_WITH_HTTPLIB

Status can_use_http() { return ok_status(); }

Result<const HttpModule*> http_module() {
  const auto cannot = [](const std::string& why) {
    return Error{ErrorCode::kEnvironment, "what answers HTTP cannot be loaded: " + why};
  };
  // By the program's run path (src/cli/CMakeLists.txt), and never unloaded.
  void* const module = dlopen("isolde-http.so", RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return cannot(dlerror());
  void* const symbol = dlsym(module, "isolde_http_module");
  if (symbol == nullptr) return cannot("isolde-http.so is something else");
  const auto* const found = reinterpret_cast<const HttpModule* (*)()>(symbol)();
  if (found->version != kHttpModuleVersion) {
    return cannot("isolde-http.so is of another version");
  }
  return found;
}

#else

Status can_use_http() {
  return Error{
      ErrorCode::kUsage,
      "this isolde was built without cpp-httplib (Debian: libcpp-httplib-dev), which speaks "
      "HTTP"};
}

Result<const HttpModule*> http_module() { return can_use_http().error(); }

#endif

}  // namespace isolde::watch
