// The folder of a database that lives in this process, and the marker that tells whether Isolde
// made what is in it. The marker is a file beside those of the database, so that a folder of
// somebody else is recognised without opening the database, which would change its files.
#pragma once

#include <string>

#include "isolde/status.hpp"

namespace isolde::db {

class OwnFolder {
 public:
  /// An empty path stands for a fresh temporary folder. Nothing is made yet.
  /// ERRORS: kUsage when the path is something else than a folder.
  static Result<OwnFolder> at(const std::string& path, const std::string& database);

  OwnFolder(OwnFolder&& other) noexcept;
  OwnFolder& operator=(OwnFolder&&) = delete;
  /// Removes a temporary folder that is still there, with all that is in it.
  ~OwnFolder();

  const std::string& path() const { return path_; }
  bool temporary() const { return temporary_; }
  /// Whether Isolde made a database here.
  bool marked() const;

  /// Makes the folder if need be, and the marker. ERRORS: kUsage when the folder is not empty
  /// and has no marker; kEnvironment when it cannot be made.
  Status claim();
  /// Removes the marker, and the folder if claim() made it and nothing else is in it. To be
  /// called when the files of the database are gone.
  Status release();

 private:
  OwnFolder(std::string path, std::string database, bool temporary)
      : path_(std::move(path)), database_(std::move(database)), temporary_(temporary) {}
  std::string marker() const;

  std::string path_;
  std::string database_;
  bool temporary_ = false;
};

}  // namespace isolde::db
