#include "cli/refusal.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace isolde::cli {
namespace {

/// A command of a program, with all that the parser can refuse.
class Refusals : public testing::Test {
 protected:
  Refusals() {
    app_.require_subcommand(1);
    CLI::App* const play = app_.add_subcommand("play");
    play->add_option("piece", piece_)->required()->type_name("PIECE");
    CLI::Option* const key = play->add_option("--key", key_)->type_name("KEY");
    play->add_option("--tune", tune_)->type_name("TUNE")->excludes(key);
    play->add_option("--tempo", tempo_)->type_name("TEMPO");
    play->add_flag("--loud", loud_)->needs(key);
    play->add_subcommand("again");
  }

  std::string refused(std::vector<std::string> arguments) {
    std::vector<std::string> backwards(arguments.rbegin(), arguments.rend());
    try {
      app_.parse(backwards);
    } catch (const CLI::ParseError& error) {
      const Error refused = refusal(app_, error, arguments);
      EXPECT_EQ(refused.code, ErrorCode::kUsage);
      return refused.message;
    }
    return "not refused";
  }

  CLI::App app_{"", "isolde"};
  std::string piece_, key_, tune_;
  int tempo_ = 0;
  bool loud_ = false;
};

TEST_F(Refusals, TellWhatIsWrongAndWhereHelpIs) {
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{}, "a command is missing; write isolde COMMAND (see isolde --help)"},
      {{"-x"}, "unknown option '-x' (see isolde --help)"},
      {{"--key", "play"},
       "'--key' stands before its command; write isolde play --key (see isolde play --help)"},
      {{"play"},
       "argument piece is missing; write at least: isolde play piece (see isolde play --help)"},
      {{"play", "--temp=3"},
       "unknown option '--temp' (did you mean --tempo?); see isolde play --help"},
      {{"play", "a", "b", "c"},
       "unexpected 'b' and 'c'; write isolde play piece (see isolde play --help)"},
      {{"play", "a", "--", "-b"},
       "unexpected '-b'; write isolde play piece (see isolde play --help)"},
      {{"play", "a", "again", "b"},
       "unexpected 'b'; isolde play again takes options only (see isolde play again --help)"},
      {{"play", "a", "--loud"},
       "--loud needs the option --key, which is not given (see isolde play --help)"},
      {{"play", "a", "--tune", "b", "--key", "c"},
       "--key and --tune cannot be given together; give one of them (see isolde play --help)"},
      {{"play", "a", "--key"}, "--key has no value; write --key KEY (see isolde play --help)"},
      {{"play", "a", "--key", "b", "--key"},
       "--key has no value; write --key KEY (see isolde play --help)"},
      {{"play", "a", "--key", "b", "--key", "c"},
       "--key is given 2 times; give it once (see isolde play --help)"},
      {{"play", "a", "--loud=so"},
       "--loud takes no value, and has 'so' (see isolde play --help)"},
      {{"play", "a", "--tempo", "--key"},
       "--tempo: '--key' is no TEMPO (see isolde play --help)"},
  };
  for (const auto& [arguments, expected] : rows) EXPECT_EQ(refused(arguments), expected);
}

}  // namespace
}  // namespace isolde::cli
