// Database servers that belong to one test process.
#pragma once

#include <cstdint>
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
  std::uint16_t port() const { return port_; }

  void kill();
  void pause(bool stop) const;

 private:
  PrivateServer() = default;

  std::unique_ptr<server::Cluster> cluster_;
  std::string dsn_;
  std::uint16_t port_ = 0;
};

/// The data source name of the server of that kind that all tests of this process share; empty
/// when it is not installed. Ended at exit.
std::string private_dsn(const std::string& kind);

}  // namespace isolde::support
