#include "db/embedded.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/assert.hpp"
#include "db/key_values.hpp"

namespace isolde::db {

namespace fs = std::filesystem;

EmbeddedDatabase::~EmbeddedDatabase() { ISOLDE_CHECK(sessions_ == 0); }

Status EmbeddedDatabase::open() {
  if (!folder_.marked()) return environment("holds no database created by Isolde");
  return open_store();
}

Status EmbeddedDatabase::create(std::span<const Key>, std::span<const Key>) {
  const std::lock_guard lock(mutex_);
  if (folder_.marked()) {
    if (!options_.force_reset) {
      return usage_error(
          path() + ": holds a database of an earlier run; remove it or use --force-reset");
    }
    if (Status removed = remove(); !removed) return removed;
  }
  // Registers and lists without a value have no key.
  if (Status claimed = folder_.claim(); !claimed) return claimed;
  return open();
}

Result<std::unique_ptr<Session>> EmbeddedDatabase::connect(std::uint32_t) {
  const std::lock_guard lock(mutex_);
  if (const Status opened = open(); !opened) return opened.error();
  return new_session();
}

Status EmbeddedDatabase::destroy() {
  const std::lock_guard lock(mutex_);
  return folder_.marked() ? remove() : ok_status();
}

Status EmbeddedDatabase::remove() {
  if (sessions_ > 0) return usage_error(path() + ": sessions are still connected");
  close_store();
  if (const Status removed = remove_store(); !removed) return removed;
  return folder_.release();
}

Status EmbeddedDatabase::remove_store() {
  std::error_code error;
  std::vector<fs::path> own;
  for (const fs::directory_entry& entry : fs::directory_iterator(path(), error)) {
    if (is_own_file(entry.path().filename().string())) own.push_back(entry.path());
  }
  if (error) return environment(error.message());
  for (const fs::path& file : own) {
    fs::remove(file, error);
    if (error) return Error{ErrorCode::kEnvironment, file.string() + ": " + error.message()};
  }
  return ok_status();
}

Reply EmbeddedSession::begin() {
  ISOLDE_CHECK(!open_);
  Reply reply = start(Purpose::kAsIsolated);
  open_ = reply.ok();
  return reply;
}

/// Ends the transaction after a reply that is not kOk.
Reply EmbeddedSession::settled(Reply reply) {
  if (!reply.ok() && std::exchange(open_, false)) abandon();
  return reply;
}

Reply EmbeddedSession::read_register(Key key, Purpose purpose,
                                     std::optional<std::int64_t>& value) {
  ISOLDE_CHECK(open_);
  const std::string name = kv::register_name(key);
  std::optional<std::string> text;
  value.reset();
  if (Reply reply = get(name, purpose, text); !reply.ok()) return settled(std::move(reply));
  if (!text) return {};
  value = kv::parse_number(*text);
  return value ? Reply{} : settled(kv::not_a_value(name, *text));
}

Reply EmbeddedSession::read(Key key, std::optional<std::int64_t>& value) {
  return read_register(key, Purpose::kAsIsolated, value);
}

Reply EmbeddedSession::write(Key key, std::int64_t value) {
  ISOLDE_CHECK(open_);
  return settled(put(kv::register_name(key), std::to_string(value)));
}

Reply EmbeddedSession::read_list(Key key, std::vector<std::int64_t>& elements) {
  ISOLDE_CHECK(open_);
  const std::string name = kv::list_name(key);
  std::optional<std::string> text;
  elements.clear();
  Reply reply = get(name, Purpose::kAsIsolated, text);
  if (!reply.ok()) return settled(std::move(reply));
  if (text && !kv::parse_list(*text, elements)) return settled(kv::not_a_value(name, *text));
  return {};
}

Reply EmbeddedSession::append(Key key, std::int64_t element) {
  ISOLDE_CHECK(open_);
  return settled(add(kv::list_name(key), std::to_string(element)));
}

Reply EmbeddedSession::add(const std::string& name, const std::string& element) {
  std::optional<std::string> text;
  if (Reply reply = get(name, Purpose::kToWrite, text); !reply.ok()) return reply;
  return put(name, text ? *text + "," + element : element);
}

Reply EmbeddedSession::compare_and_set(Key key, std::optional<std::int64_t> expected,
                                       std::int64_t value, CasResult& result) {
  const bool alone = !open_;
  if (alone) {
    if (Reply reply = start(Purpose::kToWrite); !reply.ok()) return reply;
    open_ = true;
  }
  std::optional<std::int64_t> found;
  if (Reply reply = read_register(key, Purpose::kToWrite, found); !reply.ok()) return reply;
  result.applied = found == expected;
  result.seen.reset();
  if (!result.applied) {
    result.seen = found;
    return alone ? rollback() : Reply{};
  }
  if (Reply reply = write(key, value); !reply.ok()) return reply;
  return alone ? commit() : Reply{};
}

Reply EmbeddedSession::commit() {
  ISOLDE_CHECK(open_);
  open_ = false;
  return finish();
}

Reply EmbeddedSession::rollback() {
  ISOLDE_CHECK(open_);
  open_ = false;
  abandon();
  return {};
}

Result<OwnFolder> own_folder_of(const Dsn& dsn, std::string_view product) {
  if (!dsn.endpoints.empty() || !dsn.user.empty()) {
    return usage_error(std::string(product) + " is embedded and has no server; expected " +
                       dsn.scheme + ":PATH");
  }
  return OwnFolder::at(dsn.path, dsn.scheme);
}

std::size_t isolation_index(std::span<const IsolationInfo> rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &IsolationInfo::name);
  ISOLDE_CHECK(row != rows.end());
  return static_cast<std::size_t>(row - rows.begin());
}

}  // namespace isolde::db
