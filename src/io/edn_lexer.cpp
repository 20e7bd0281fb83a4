#include "io/edn_lexer.hpp"

#include <charconv>

#include "base/budget.hpp"
#include "io/bad_input.hpp"
#include "io/scalar_text.hpp"
#include "io/text_cursor.hpp"
#include "isolde/history_builder.hpp"

namespace isolde::io {
namespace {

constexpr bool is_edn_blank(char c) {
  return c == ' ' || c == ',' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

constexpr char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0U | (code >> 6));
    put(0x80U | (code & 0x3fU));
  } else if (code >= 0xd800 && code < 0xe000) {
    append_utf8(out, 0xfffd);  // half of a surrogate pair
  } else if (code < 0x10000) {
    put(0xe0U | (code >> 12));
    put(0x80U | ((code >> 6) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  } else {
    put(0xf0U | (code >> 18));
    put(0x80U | ((code >> 12) & 0x3fU));
    put(0x80U | ((code >> 6) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  }
}

/// The code behind "u" at the begin of the text: four digits, or those of a surrogate pair,
/// "uD83D" and "\\uDE00". Returns how many bytes behind the u they take; 0: there is none.
std::size_t take_code(std::string_view text, std::uint32_t& code) {
  const auto four = [](std::string_view digits, std::uint32_t& number) {
    return digits.size() >= 4 &&
           std::from_chars(digits.data(), digits.data() + 4, number, 16).ptr ==
               digits.data() + 4;
  };
  if (!text.starts_with('u') || !four(text.substr(1), code)) return 0;
  std::uint32_t low = 0;
  const bool is_pair = code >= 0xd800 && code < 0xdc00 && text.substr(5).starts_with("\\u") &&
                       four(text.substr(7), low) && low >= 0xdc00 && low < 0xe000;
  if (!is_pair) return 4;
  code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
  return 10;
}

/// The characters of a string token.
std::string unescape(std::string_view text) {
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char c = text[++at];
    std::uint32_t code = 0;
    if (const std::size_t used = take_code(text.substr(at), code); used > 0) {
      append_utf8(out, code);
      at += used;
    } else if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (c == 'r') {
      out += '\r';
    } else {
      out += c;
    }
  }
  return out;
}

Value number_value(HistoryBuilder& builder, std::string_view text) {
  if (text.front() == '+') text.remove_prefix(1);
  std::string_view digits = text;
  if (digits.ends_with('N')) digits.remove_suffix(1);  // 12N is a BigInt
  TextCursor cursor("", digits);
  if (cursor.digits() && cursor.at_end()) return integer_value(builder, digits);
  if (text.ends_with('M')) text.remove_suffix(1);  // 1.5M is a BigDecimal
  return is_json_number(text) ? builder.literal(text) : builder.string(text);
}

}  // namespace

bool EdnLexer::fail(std::uint64_t line, std::string_view what) {
  error_ = bad_line(file_, line, what);
  return false;
}

Error EdnLexer::expected(const EdnToken& found, std::string_view expected) const {
  std::string what = "found ";
  what += found.kind == EdnKind::kEnd ? "end of file" : shown(found.text);
  what += "; expected ";
  what += expected;
  return bad_line(file_, found.line, what);
}

void EdnLexer::skip_blank() {
  while (at_ < text_.size()) {
    if (text_[at_] == ';') {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else if (is_edn_blank(text_[at_])) {
      line_ += text_[at_++] == '\n' ? 1 : 0;
    } else {
      return;
    }
  }
}

bool EdnLexer::is_delimiter(std::size_t at) const {
  if (at >= text_.size()) return true;
  return is_edn_blank(text_[at]) ||
         std::string_view("()[]{}\";").find(text_[at]) != std::string_view::npos;
}

void EdnLexer::take_atom(EdnToken& token, EdnKind kind, std::size_t from) {
  std::size_t end = from;
  while (!is_delimiter(end)) ++end;
  token.kind = kind;
  token.text = text_.substr(token.offset, end - token.offset);
  at_ = end;
}

bool EdnLexer::scan_string(EdnToken& token) {
  std::size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"') {
    if (text_[end] == '\\') ++end;
    if (end < text_.size() && text_[end] == '\n') ++line_;
    ++end;
  }
  if (end >= text_.size()) {
    return fail(token.line, "found a string without end; expected a closing \"");
  }
  token.kind = EdnKind::kString;
  token.text = text_.substr(at_, end + 1 - at_);
  at_ = end + 1;
  return true;
}

bool EdnLexer::scan_dispatch(EdnToken& token, Special& special) {
  const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (c == '{') {
    token.kind = EdnKind::kOpen;
    token.text = text_.substr(at_, 2);
    at_ += 2;
  } else if (c == '_') {
    special = Special::kDiscard;
    at_ += 2;
  } else if (c == '"') {  // a regular expression
    ++at_;
    return scan_string(token);
  } else if (c == '#') {  // ##Inf, ##NaN
    take_atom(token, EdnKind::kSymbol, at_ + 2);
  } else if (!is_delimiter(at_ + 1)) {
    special = Special::kTag;
    take_atom(token, EdnKind::kSymbol, at_ + 1);
  } else {
    return fail(token.line, "found a lone '#'; expected #{, #_ or a tag");
  }
  return true;
}

/// A file may be one form.
bool EdnLexer::scan(EdnToken& token, Special& special) {
  const std::size_t begin = at_;
  if (!take_token(token, special)) return false;
  if (budget_ == nullptr || budget_->spend(at_ - begin)) return true;
  error_ = out_of_budget(file_, *budget_);
  return false;
}

bool EdnLexer::take_token(EdnToken& token, Special& special) {
  special = Special::kNone;
  skip_blank();
  token.offset = at_;
  token.line = line_;
  if (at_ == text_.size()) {
    token.kind = EdnKind::kEnd;
    token.text = {};
    return true;
  }
  const char c = text_[at_];
  const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  switch (c) {
    case '(':
    case '[':
    case '{':
    case ')':
    case ']':
    case '}':
      token.kind = c == '(' || c == '[' || c == '{' ? EdnKind::kOpen : EdnKind::kClose;
      token.text = text_.substr(at_++, 1);
      return true;
    case '"':
      return scan_string(token);
    case '#':
      return scan_dispatch(token, special);
    case ':':
      take_atom(token, EdnKind::kKeyword, at_ + 1);
      return true;
    case '\\':
      if (after == '\0') return fail(line_, "found a lone '\\'; expected a character after it");
      if (after == '\n') ++line_;
      take_atom(token, EdnKind::kCharacter, at_ + 2);
      return true;
    default: {
      const bool number = is_digit(c) || ((c == '-' || c == '+') && is_digit(after));
      take_atom(token, number ? EdnKind::kNumber : EdnKind::kSymbol, at_ + 1);
      return true;
    }
  }
}

bool EdnLexer::next(EdnToken& token) {
  while (true) {
    Special special = Special::kNone;
    if (!scan(token, special)) return false;
    if (special == Special::kNone) return true;
    if (special == Special::kDiscard && !discard_forms()) return false;
  }
}

/// Behind "#_": drops the next form, and one more for each "#_" directly before it.
bool EdnLexer::discard_forms() {
  for (std::size_t pending = 1; pending > 0;) {
    EdnToken token;
    Special special = Special::kNone;
    if (!scan(token, special)) return false;
    if (special == Special::kDiscard) ++pending;
    if (special != Special::kNone) continue;
    if (token.kind == EdnKind::kEnd || token.kind == EdnKind::kClose) {
      return fail(token.line, "found nothing after #_; expected a form to discard");
    }
    if (!skip_form(token)) return false;
    --pending;
  }
  return true;
}

bool EdnLexer::skip_form(const EdnToken& first) {
  if (first.kind != EdnKind::kOpen) return true;
  std::string closers(1, closing(first.text.back()));
  while (!closers.empty()) {
    EdnToken token;
    Special special = Special::kNone;
    if (!scan(token, special)) return false;
    if (special != Special::kNone) continue;
    if (token.kind == EdnKind::kEnd) {
      std::string what = "found end of file; expected '";
      what += closers.back();
      what += "' for the bracket of line ";
      what += std::to_string(first.line);
      return fail(token.line, what);
    }
    if (token.kind == EdnKind::kOpen) {
      if (closers.size() >= kDepthMax) {
        return fail(token.line, "found brackets nested deeper than " +
                                    std::to_string(kDepthMax) + "; expected a history");
      }
      closers += closing(token.text.back());
    } else if (token.kind == EdnKind::kClose) {
      if (token.text.front() != closers.back()) {
        const char wanted[] = {'\'', closers.back(), '\'', '\0'};
        error_ = expected(token, wanted);
        return false;
      }
      closers.pop_back();
    }
  }
  return true;
}

std::string edn_string(const EdnToken& token) { return unescape(token.text); }

Value edn_scalar(HistoryBuilder& builder, const EdnToken& token) {
  switch (token.kind) {
    case EdnKind::kNumber:
      return number_value(builder, token.text);
    case EdnKind::kString:
      return builder.string(unescape(token.text));
    case EdnKind::kSymbol:
      if (token.is_nil()) return Value::null();
      if (token.text == "true" || token.text == "false") return builder.literal(token.text);
      return builder.string(token.text);
    default:
      return builder.string(token.text);
  }
}

}  // namespace isolde::io
