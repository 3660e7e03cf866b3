#include "tools/web/html_tokens.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "tools/web/html_entities.h"

namespace wright::tools {
namespace {

constexpr std::size_t kLongestTag = 64;

constexpr auto kRawElements = std::to_array<std::string_view>(
    {"script", "style", "title", "textarea", "iframe", "xmp", "noembed", "noframes"});

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool equals_ignoring_case(std::string_view text, std::string_view small) {
  return std::ranges::equal(text, small, {}, to_lower);
}

// Where "</name" begins; the size of `text` when it does not.
std::size_t find_end_tag(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find("</"); at != std::string_view::npos;
       at = text.find("</", at + 2)) {
    const std::string_view found = text.substr(at + 2, name.size());
    const std::size_t behind = at + 2 + name.size();
    const bool ends = behind >= text.size() || is_space(text[behind]) || text[behind] == '>' ||
                      text[behind] == '/';
    if (ends && equals_ignoring_case(found, name)) return at;
  }
  return text.size();
}

// Walks over the attributes of a tag.
class Attributes {
 public:
  explicit Attributes(std::string_view text) : text_(text) {}

  struct Attribute {
    std::string_view name;
    std::string_view value;
  };

  // Nothing at the end of the tag.
  std::optional<Attribute> next() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '/')) ++at_;
    if (at_ >= text_.size() || text_[at_] == '>') return std::nullopt;
    const std::size_t begin = at_++;  // also one that begins with '='
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '/' && text_[at_] != '>' &&
           text_[at_] != '=') {
      ++at_;
    }
    Attribute made{text_.substr(begin, at_ - begin), {}};
    std::size_t equals = at_;
    while (equals < text_.size() && is_space(text_[equals])) ++equals;
    if (equals >= text_.size() || text_[equals] != '=') return made;
    at_ = equals + 1;
    made.value = value();
    return made;
  }

  // How far it has walked.
  std::size_t position() const { return at_; }

 private:
  std::string_view value() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ >= text_.size()) return {};
    const char quote = text_[at_];
    if (quote != '"' && quote != '\'') {
      const std::size_t begin = at_;
      while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '>') ++at_;
      return text_.substr(begin, at_ - begin);
    }
    const std::size_t begin = at_ + 1;
    const std::size_t end = std::min(text_.find(quote, begin), text_.size());
    at_ = std::min(end + 1, text_.size());
    return text_.substr(begin, end - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> html_attribute(const HtmlToken& tag, std::string_view name) {
  Attributes attributes(tag.text);
  while (const auto attribute = attributes.next()) {
    if (equals_ignoring_case(attribute->name, name)) return decode_entities(attribute->value);
  }
  return std::nullopt;
}

HtmlToken HtmlTokens::next() {
  if (!raw_element_.empty()) {
    const std::size_t end = find_end_tag(rest_, raw_element_);
    HtmlToken token{HtmlToken::Kind::raw_text, rest_.substr(0, end), std::move(raw_element_)};
    raw_element_.clear();
    rest_.remove_prefix(end);
    return token;
  }
  while (!rest_.empty()) {
    if (rest_.front() != '<') {
      const std::size_t end = std::min(rest_.find('<'), rest_.size());
      HtmlToken token{HtmlToken::Kind::text, rest_.substr(0, end), {}};
      rest_.remove_prefix(end);
      return token;
    }
    const char next = rest_.size() > 1 ? rest_[1] : '\0';
    if (is_letter(next) || (next == '/' && rest_.size() > 2 && is_letter(rest_[2]))) return tag();
    if (next == '!' || next == '?' || next == '/') {
      skip_comment();
      continue;
    }
    HtmlToken token{HtmlToken::Kind::text, rest_.substr(0, 1), {}};
    rest_.remove_prefix(1);
    return token;
  }
  return {};
}

HtmlToken HtmlTokens::tag() {
  HtmlToken token;
  token.kind = rest_[1] == '/' ? HtmlToken::Kind::end_tag : HtmlToken::Kind::start_tag;
  rest_.remove_prefix(token.kind == HtmlToken::Kind::end_tag ? 2 : 1);
  const std::size_t end = std::min(rest_.find_first_of(" \t\n\r\f/>"), rest_.size());
  token.name = std::string(rest_.substr(0, std::min(end, kLongestTag)));
  std::ranges::transform(token.name, token.name.begin(), to_lower);
  rest_.remove_prefix(end);
  Attributes attributes(rest_);
  while (attributes.next()) {
  }
  const std::size_t length = attributes.position();
  token.text = rest_.substr(0, length);
  rest_.remove_prefix(std::min(length + 1, rest_.size()));  // with the '>'
  const bool is_raw = std::ranges::find(kRawElements, token.name) != kRawElements.end();
  if (token.kind == HtmlToken::Kind::start_tag && is_raw) raw_element_ = token.name;
  return token;
}

// "<!-- … -->", "<!DOCTYPE …>", "<?xml … ?>", "</ …>"; one that does not end goes to the end.
void HtmlTokens::skip_comment() {
  const bool is_comment = rest_.starts_with("<!--");
  if (is_comment && (rest_.starts_with("<!-->") || rest_.starts_with("<!--->"))) {
    rest_.remove_prefix(rest_.find('>') + 1);
    return;
  }
  const std::string_view mark = is_comment ? "-->" : ">";
  const std::size_t end = rest_.find(mark, is_comment ? 4 : 2);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + mark.size());
}

}  // namespace wright::tools
