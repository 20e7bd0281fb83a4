// Scripts by which shells complete commands. They hold all names that there are, so that no
// shell starts the program to complete a word.
#include <algorithm>
#include <map>

#include "cli/command_texts.hpp"
#include "isolde/version.h"

namespace isolde::cli {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

/// Menus have room for one sentence.
std::string first_sentence(const std::string& help) { return help.substr(0, help.find(". ")); }

std::string replaced(const std::string& text, char from, std::string_view to) {
  std::string out;
  for (const char c : text) c == from ? out += to : out += c;
  return out;
}

std::string heading(std::string_view shell) {
  return "# Completes the commands of isolde " ISOLDE_VERSION ". Made by: isolde manual " +
         std::string(shell) + "\n";
}

std::string function_name(const CommandText& command) {
  return "_isolde" + (command.path.empty() ? "" : "_" + replaced(command.path, ' ', "_"));
}

std::string last_word(const std::string& path) { return path.substr(path.rfind(' ') + 1); }

const CommandText& subcommand(std::span<const CommandText> commands, const CommandText& command,
                              const std::string& name) {
  const std::string path = command.path.empty() ? name : command.path + " " + name;
  return *std::ranges::find(commands, path, &CommandText::path);
}

// bash

/// Patterns "check:--level" by what follows them.
std::map<std::string, std::string> values_in_bash(std::span<const CommandText> commands) {
  std::map<std::string, std::string> cases;
  for (const CommandText& command : commands) {
    for (const OptionText& option : command.options) {
      if (option.value.empty()) continue;
      const Choices& choices = option.choices;
      const std::string words =
          choices.words.empty() ? "" : "words=$" + std::string(choices.name) + " ";
      std::string& patterns = cases[words + (choices.is_file ? "files=yes " : "")];
      for (const std::string& name : option.names) {
        patterns += (patterns.empty() ? "\"" : " | \"") + command.path + ":" + name + "\"";
      }
    }
  }
  return cases;
}

/// What stands where no option waits for its value.
std::string words_in_bash(const CommandText& command) {
  std::string text = "    \"" + command.path + "\")\n      options=\"";
  for (const OptionText& option : command.options) text += joined(option.names, " ") + " ";
  text += "\"\n      words=\"" + joined(command.subcommands, " ");
  bool files = false;
  for (const OptionText& argument : command.arguments) {
    files = files || argument.choices.is_file;
    if (!argument.choices.words.empty()) text += " $" + std::string(argument.choices.name);
  }
  return text + "\"\n" + (files ? "      files=yes\n" : "") + "      ;;\n";
}

/// Each list of names once.
std::string lists_in_bash(std::span<const CommandText> commands) {
  std::map<std::string_view, std::string> lists;
  for (const CommandText& command : commands) {
    for (const auto* options : {&command.options, &command.arguments}) {
      for (const OptionText& option : *options) {
        if (option.choices.words.empty()) continue;
        lists[option.choices.name] = joined(option.choices.words, " ");
      }
    }
  }
  std::string text;
  for (const auto& [name, words] : lists) {
    text += "  local " + std::string(name) + "=\"" + words + "\"\n";
  }
  return text;
}

constexpr std::string_view kBashBegin = R"(
_isolde() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}"
  # To bash, --level=ser is three words.
  if [[ $word == "=" ]]; then
    word=""
  elif [[ $before == "=" ]]; then
    before="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  local path="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${COMP_WORDS[i]}" in
)";

constexpr std::string_view kBashEnd = R"(    esac
    [[ $word != -* ]] || words=$options files=no
    ;;
  esac
  # Of names with commas between them, the last one.
  local begun="${word%"${word##*,}"}"
  COMPREPLY=($(compgen -P "$begun" -W "$words" -- "${word##*,}"))
  [[ ${COMPREPLY[*]} != *: ]] || compopt -o nospace 2>/dev/null
  [[ $files == no ]] || compopt -o default 2>/dev/null
}
complete -F _isolde isolde
)";

// zsh

std::string in_single_quotes(const std::string& text) {
  return "'" + replaced(text, '\'', "'\\''") + "'";
}

/// The part of a specification that says what a value may be.
std::string value_in_zsh(const OptionText& option) {
  const std::string name = replaced(option.value, ':', "\\:");
  const Choices& choices = option.choices;
  if (!choices.words.empty()) {
    std::vector<std::string> words;
    for (const std::string& word : choices.words) words.push_back(replaced(word, ':', "\\:"));
    return ":" + name + ":(" + joined(words, " ") + ")";
  }
  return ":" + name + ":" + (choices.is_file ? "_files" : " ");
}

std::string option_in_zsh(const OptionText& option) {
  const std::string help =
      replaced(replaced(first_sentence(option.help), '[', "\\["), ']', "\\]");
  std::string text;
  for (const std::string& name : option.names) {
    text += " \\\n    " +
            in_single_quotes((option.is_repeated ? "*" : "") + name + "[" + help + "]" +
                             (option.value.empty() ? "" : value_in_zsh(option)));
  }
  return text;
}

std::string function_in_zsh(std::span<const CommandText> commands, const CommandText& command) {
  std::string text = "\n" + function_name(command) + "() {\n";
  std::string options;
  for (const OptionText& option : command.options) options += option_in_zsh(option);
  if (command.subcommands.empty()) {
    text += "  _arguments" + options;
    for (const OptionText& argument : command.arguments) {
      text += " \\\n    " +
              in_single_quotes((argument.is_repeated ? "*" : "") + value_in_zsh(argument));
    }
    return text + "\n}\n";
  }
  text +=
      "  local curcontext=\"$curcontext\" state line\n  local -A opt_args\n  local -a "
      "commands=(";
  std::string cases;
  for (const std::string& name : command.subcommands) {
    const CommandText& sub = subcommand(commands, command, name);
    text += "\n    " + in_single_quotes(name + ":" + first_sentence(sub.summary));
    cases += "    " + name + ") " + function_name(sub) + " ;;\n";
  }
  text += "\n  )\n  _arguments -C" + options +
          " \\\n    '1: :->first' \\\n    '*:: :->rest'\n  case $state in\n  first)\n" +
          "    _describe command commands\n";
  for (const OptionText& argument : command.arguments) {
    text += "    compadd -- " + joined(argument.choices.words, " ") + "\n";
  }
  return text + "    ;;\n  rest)\n    case $words[1] in\n" + cases + "    esac\n    ;;\n" +
         "  esac\n}\n";
}

// fish

std::string in_fish(const std::string& text) {
  return "'" + replaced(replaced(text, '\\', "\\\\"), '\'', "\\'") + "'";
}

std::string values_in_fish(const Choices& choices, bool of_option) {
  std::string text = choices.is_file ? " -F" : "";
  if (of_option) text = choices.is_file ? " -r -F" : " -x";
  if (choices.words.empty()) return text;
  return text + " -a " + in_fish(joined(choices.words, " "));
}

std::string command_in_fish(std::span<const CommandText> commands, const CommandText& command) {
  std::string when;
  std::string rest = command.path.empty() ? "" : command.path + " ";
  for (; !rest.empty(); rest.erase(0, rest.find(' ') + 1)) {
    when += (when.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") +
            rest.substr(0, rest.find(' '));
  }
  const std::string begin = "complete -c isolde" + (when.empty() ? " -n __fish_use_subcommand"
                                                                 : " -n " + in_fish(when));
  std::string text;
  for (const std::string& name : command.subcommands) {
    const CommandText& sub = subcommand(commands, command, name);
    text += begin + " -a " + last_word(sub.path) + " -d " +
            in_fish(first_sentence(sub.summary)) + "\n";
  }
  for (const OptionText& option : command.options) {
    text += begin;
    for (const std::string& name : option.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.value.empty()) text += values_in_fish(option.choices, true);
    text += " -d " + in_fish(first_sentence(option.help)) + "\n";
  }
  for (const OptionText& argument : command.arguments) {
    const std::string values = values_in_fish(argument.choices, false);
    if (!values.empty()) text += begin + values + "\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(std::span<const CommandText> commands) {
  std::string text = heading("bash") + std::string(kBashBegin);
  for (const CommandText& command : commands.subspan(1)) {
    const std::size_t blank = command.path.find(' ');
    text += "    \"" + (blank == std::string::npos ? " " + command.path : command.path) +
            "\") path=\"" + command.path + "\" ;;\n";
  }
  text += "    esac\n  done\n" + lists_in_bash(commands) +
          "  local options=\"\" words=\"\" files=no\n  case \"$path:$before\" in\n";
  for (const auto& [values, patterns] : values_in_bash(commands)) {
    text += "  " + patterns + ") " + values + ";;\n";
  }
  text += "  *)\n    case \"$path\" in\n";
  for (const CommandText& command : commands) text += words_in_bash(command);
  return text + std::string(kBashEnd);
}

std::string zsh_completion(std::span<const CommandText> commands) {
  std::string text = "#compdef isolde\n" + heading("zsh");
  for (const CommandText& command : commands) text += function_in_zsh(commands, command);
  return text +
         "\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _isolde \"$@\"\nelse\n"
         "  compdef _isolde isolde\nfi\n";
}

std::string fish_completion(std::span<const CommandText> commands) {
  std::string text = heading("fish") + "complete -c isolde -f\n";
  for (const CommandText& command : commands) text += command_in_fish(commands, command);
  return text;
}

}  // namespace isolde::cli
