// Tokens of EDN (extensible data notation, https://github.com/edn-format/edn) with lines.
// Commas are white space; comments, #_ discarded forms and tags such as #inst are dropped on
// the way, so that a tagged form reads as the form behind the tag.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isolde/history_builder.hpp"
#include "isolde/status.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde::io {

enum class EdnKind : std::uint8_t {
  kEnd,
  kOpen,   ///< ( [ { or #{
  kClose,  ///< ) ] or }
  kString,
  kKeyword,
  kSymbol,  ///< nil, true and false are symbols too
  kNumber,
  kCharacter,
};

struct EdnToken {
  EdnKind kind = EdnKind::kEnd;
  std::string_view text;  ///< as it stands in the input: ":ok", "\"a\"", "#{"
  std::size_t offset = 0;
  std::uint64_t line = 1;

  bool opens(std::string_view bracket) const {
    return kind == EdnKind::kOpen && text == bracket;
  }
  /// A vector or list; Clojure prints lazy sequences as lists.
  bool opens_sequence() const { return opens("[") || opens("("); }
  bool is_nil() const { return kind == EdnKind::kSymbol && text == "nil"; }
};

class EdnLexer {
 public:
  /// REQUIRES: file, text and budget outlive the lexer. `line` is that of the text's first
  /// character.
  EdnLexer(std::string_view file, std::string_view text, std::uint64_t line = 1,
           base::Budget* budget = nullptr)
      : file_(file), text_(text), line_(line), budget_(budget) {}

  /// The next token. ERRORS: false when the text is not EDN or the budget is exhausted, see
  /// error().
  bool next(EdnToken& token);

  /// Goes behind the form that begins with `first`, the token just read. ERRORS: as next(),
  /// also when brackets do not match or nest deeper than kDepthMax.
  bool skip_form(const EdnToken& first);

  /// Where the next token is looked for.
  std::size_t offset() const { return at_; }

  /// REQUIRES: next() or skip_form() was false.
  const Error& error() const { return error_; }

  /// "file:line: found <token>; expected <expected>".
  Error expected(const EdnToken& found, std::string_view expected) const;

 private:
  static constexpr std::size_t kDepthMax = 512;

  /// Tokens with the kinds that next() hides.
  enum class Special : std::uint8_t { kNone, kDiscard, kTag };

  bool scan(EdnToken& token, Special& special);
  bool take_token(EdnToken& token, Special& special);
  bool scan_string(EdnToken& token);
  bool scan_dispatch(EdnToken& token, Special& special);
  bool discard_forms();
  void skip_blank();
  bool is_delimiter(std::size_t at) const;
  void take_atom(EdnToken& token, EdnKind kind, std::size_t from);
  bool fail(std::uint64_t line, std::string_view what);

  std::string_view file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  base::Budget* budget_;
  Error error_;
};

/// The characters of a string. REQUIRES: the token is one.
std::string edn_string(const EdnToken& token);

/// The scalar as a history value: nil is null; keywords keep their colon so that :x and "x"
/// stay different. REQUIRES: the token is not a bracket or the end.
Value edn_scalar(HistoryBuilder& builder, const EdnToken& token);

}  // namespace isolde::io
