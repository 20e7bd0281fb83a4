#include "cli/version.hpp"

#include <vector>

#include "db/driver.hpp"
#include "isolde/version.h"
#include "recipe/recipe.hpp"
#include "report/forms.hpp"
#include "stream/nats.hpp"
#include "survey/scenario.hpp"
#include "watch/http.hpp"

namespace isolde::cli {
namespace {

std::string line(const char* title, const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? text : "\n" + std::string(title) + text;
}

}  // namespace

std::string version_text() {
  std::vector<std::string> databases;
  std::vector<std::string> pictures;
  std::vector<std::string> absent;
  for (const db::DatabaseInfo* row : db::all_databases()) databases.emplace_back(row->name);
  for (const db::AbsentDriver& driver : db::absent_drivers()) absent.emplace_back(driver.name);
  for (const explain::Form* form : report::forms()) {
    (form->available() ? pictures : absent).push_back("--" + std::string(form->name));
  }
  if (!recipe::can_read_recipes()) absent.emplace_back("recipes");
  if (!survey::can_read_scenarios()) absent.emplace_back("survey");
  if (!stream::can_use_nats()) absent.emplace_back("publish");
  if (!watch::can_use_http()) absent.emplace_back("watch --listen");
  return "isolde " ISOLDE_VERSION + line("databases: ", databases) +
         line("pictures: ", pictures) + line("absent: ", absent);
}

}  // namespace isolde::cli
