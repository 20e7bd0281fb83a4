// Database servers that belong to one test process.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "server/server.hpp"

namespace isolde::support {

class PrivateServer {
 public:
  using Settings = std::map<std::string, std::string>;

  /// "postgres" or "mariadb". Null when the programs are not installed; a failed start ends the
  /// test process with what the server said.
  static std::unique_ptr<PrivateServer> start(const std::string& kind,
                                              const Settings& settings = {});

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

/// The same of a MariaDB server with MyRocks; empty when one of them is not installed.
std::string private_myrocks();

}  // namespace isolde::support
