// The folder where a cluster keeps its data and logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isolde/status.hpp"
#include "server/process.hpp"

namespace isolde::server {

/// Makes the folder `wanted`, or uses it if it is empty; when `wanted` is empty, makes a fresh
/// one for temporary files, which nobody but us and `owner` can enter. Returns its absolute
/// path. ERRORS: kUsage when it is not empty or `owner` cannot reach it; kEnvironment.
Result<std::string> make_cluster_folder(const std::string& wanted,
                                        const std::optional<Owner>& owner);

/// A new folder that belongs to `owner`, readable by nobody else. ERRORS: kEnvironment.
Status make_folder(const std::string& path, const std::optional<Owner>& owner);

enum class FileKind { kData, kProgram };

/// A file with that content that belongs to `owner`, of use to nobody else; replaced if it
/// exists. ERRORS: kEnvironment.
Status write_file(const std::string& path, std::string_view content,
                  const std::optional<Owner>& owner, FileKind kind = FileKind::kData);

/// The whole file; empty when it cannot be read.
std::string read_file(const std::string& path);

/// Removes a file, or a folder with everything below.
void remove_all(const std::string& path);

}  // namespace isolde::server
