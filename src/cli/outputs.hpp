// What comes out of a check in the forms of explain/form.hpp and report/forms.hpp: an option
// for each form, what goes where, and when. docs/outputs.md says which is for whom.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli11.hpp"
#include "explain/form.hpp"
#include "isolde/status.hpp"

namespace isolde::cli {

/// Of all layers, in the order of the help. The first is the report for people.
const std::vector<const explain::Form*>& all_forms();

class Outputs {
 public:
  enum class Of : std::uint8_t {
    kAll,
    kOwnText  ///< all but the report for people: the command has words of its own
  };
  explicit Outputs(Of of = Of::kAll);

  /// `of_several`: the command takes several histories. The parser keeps references into this
  /// object.
  void add_to(CLI::App& app, bool of_several = false);
  /// What was asked of the other one, as far as this one can do it, in place of add_to().
  void take(const Outputs& other);
  /// Some form besides the report for people was asked for.
  bool any_asked_for() const;
  /// Before anything is told. ERRORS: kUsage, when two of them would come out at standard
  /// output together.
  Status prepare();

  /// Several histories in one call of the program: files of one history get its number.
  void set_several(bool several) { several_ = several; }
  /// Standard output is for people, not for a program.
  bool prints_text() const;

  /// Runs work that writes about the input's levels, perhaps again with fewer explanations.
  using Teller = std::function<void(const std::function<void()>& work)>;
  /// Writes the files of one history, whose number begins at 1, collects for those of all, and
  /// puts what is for standard output into `printed`. ERRORS: of the first file that could not
  /// be written; all else is done all the same.
  Status add(const explain::ReportModel& model, std::size_t number, const Teller& tell,
             std::string& printed);
  /// A history that could not be read, or not written about. Returns what is for standard
  /// output.
  std::string add_failure(const std::string& file, const Error& error);

  /// Writes the documents of all histories. ERRORS: kEnvironment.
  Status write();

 private:
  struct Wish {
    const explain::Form* form = nullptr;
    bool given = false;  ///< of forms that take no file
    std::string path;    ///< of those that do
    std::unique_ptr<explain::Collection> collection = nullptr;

    bool is_wanted() const { return given || !path.empty(); }
    bool replaces_report() const;
  };

  std::string path_of(const Wish& wish, std::size_t number) const;
  Status render(const Wish& wish, const explain::ReportModel& model, std::size_t number,
                const Teller& tell, std::string& printed) const;

  std::vector<Wish> wishes_;
  bool several_ = false;
};

}  // namespace isolde::cli
