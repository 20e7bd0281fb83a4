// Database servers that belong to one test process.
#pragma once

#include <memory>
#include <string>

#include "server/server.hpp"

namespace isolde::support {

class PrivateServer {
 public:
  /// "postgres" or "mariadb". Null when the programs are not installed; a failed start ends the
  /// test process with what the server said.
  static std::unique_ptr<PrivateServer> start(const std::string& kind);

  const std::string& dsn() const { return dsn_; }

  void kill();
  void pause(bool stop) const;

 private:
  PrivateServer() = default;

  std::unique_ptr<server::Cluster> cluster_;
  std::string dsn_;
};

/// The data source name of the server of that kind that all tests of this process share; empty
/// when it is not installed. Ended at exit.
std::string private_dsn(const std::string& kind);

}  // namespace isolde::support
