#include "stream/boundary.hpp"

namespace isolde::stream {
namespace {

bool is_text(Value value) {
  return value.kind() == Value::Kind::kString || value.kind() == Value::Kind::kLiteral;
}

}  // namespace

Boundary::Key Boundary::key(const History& history, KeyId key) {
  const Value name = history.key_name(key);
  const auto next = static_cast<std::uint32_t>(held_.size());
  Key entered;
  if (is_text(name)) {
    // What a literal says is never what a string says.
    std::string text(name.kind() == Value::Kind::kString ? "s" : "l");
    text += history.pooled_text(name);
    entered.at_ = texts_.try_emplace(std::move(text), next).first->second;
  } else {
    entered.at_ = numbers_.try_emplace(name.as_integer(), next).first->second;
  }
  if (entered.at_ == next) held_.emplace_back();
  return entered;
}

Value Boundary::held(Key key, HistoryBuilder& builder) const {
  const Value value = held_[key.at_];
  if (!is_text(value)) return value;
  const std::string& text = held_texts_[value.slot()];
  return value.kind() == Value::Kind::kString ? builder.string(text) : builder.literal(text);
}

void Boundary::hold(Key key, const History& history, Value value) {
  if (!is_text(value)) {
    held_[key.at_] = value;
    return;
  }
  if (held_texts_.size() < held_.size()) held_texts_.resize(held_.size());
  held_texts_[key.at_] = history.pooled_text(value);
  held_[key.at_] = Value::pooled(value.kind(), key.at_);
}

}  // namespace isolde::stream
