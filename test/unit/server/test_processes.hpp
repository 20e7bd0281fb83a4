// Looks at processes from outside: which of them work in a folder, and whether one is there.
#pragma once

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace isolde::server {

/// Processes whose working directory is in `folder`. Backends of PostgreSQL have no other mark.
inline std::vector<pid_t> processes_in(const std::string& folder) {
  std::vector<pid_t> result;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return result;
  while (const dirent* entry = readdir(proc)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    char target[4096];
    const std::string link = "/proc/" + std::string(entry->d_name) + "/cwd";
    const ssize_t size = readlink(link.c_str(), target, sizeof target);
    if (size > 0 && std::string(target, static_cast<std::size_t>(size)).starts_with(folder)) {
      result.push_back(std::stoi(entry->d_name));
    }
  }
  closedir(proc);
  return result;
}

/// What is known of them, a line each, for the message of a test that failed.
inline std::string describe(const std::vector<pid_t>& processes) {
  std::string text;
  for (const pid_t pid : processes) {
    for (const char* const file : {"stat", "wchan"}) {
      std::ifstream stream("/proc/" + std::to_string(pid) + "/" + file);
      std::string line;
      std::getline(stream, line);
      text += line + (file[0] == 's' ? " in " : "\n");
    }
  }
  return text;
}

inline bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

/// Whether it becomes true within that time.
inline bool becomes(const std::function<bool()>& condition, int seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace isolde::server
