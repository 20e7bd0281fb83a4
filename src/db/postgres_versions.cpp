#include "db/postgres_versions.hpp"

namespace isolde::db {
namespace {

constexpr std::string_view kXmin = "@xmin::text::bigint";

}  // namespace

std::string nearest_whole(std::string_view in_row, std::string_view near) {
  const std::string low(in_row);
  return "(" + low + " + ((" + std::string(near) + " - " + low + " + 2147483648) >> 32 << 32))";
}

const VersionTexts& version_texts(bool xid8) {
  static const VersionTexts kNow = {
      nearest_whole(kXmin, "pg_snapshot_xmax(pg_current_snapshot())::text::bigint"),
      nearest_whole(kXmin, "pg_current_xact_id()::text::bigint")};
  static const VersionTexts kOld = {
      nearest_whole(kXmin, "txid_snapshot_xmax(txid_current_snapshot())"),
      nearest_whole(kXmin, "txid_current()")};
  return xid8 ? kNow : kOld;
}

}  // namespace isolde::db
