// A small forgiving XML reader, for feedback only: no namespaces, no document types, nothing
// external.
#include "feedback/feedback_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "core/text.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kDeepestElement = 16;
constexpr std::size_t kMostElements = 4'000;
constexpr std::string_view kOutermost = "tool_feedback";

struct Element {
  std::string name;
  std::string text;
  std::vector<Element> children;
};

void append_code_point(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// The character of "#65" or "#x41".
std::optional<std::uint32_t> numeric_reference(std::string_view name) {
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  int base = 10;
  if (name.starts_with('x') || name.starts_with('X')) {
    name.remove_prefix(1);
    base = 16;
  }
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, base);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (error != std::errc() || end != name.data() + name.size() || code == 0 || code > 0x10FFFF ||
      is_surrogate) {
    return std::nullopt;
  }
  return code;
}

// Text with its entities resolved; unknown ones stay as they are.
std::string unescaped(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
      {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};
  constexpr std::size_t kLongestName = 10;
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t ampersand = text.find('&');
    out += text.substr(0, ampersand);
    if (ampersand == std::string_view::npos) break;
    text.remove_prefix(ampersand);
    const std::size_t end = text.find(';');
    const std::string_view name =
        end == std::string_view::npos || end > kLongestName ? "" : text.substr(1, end - 1);
    const auto named = std::ranges::find(kNamed, name, &std::pair<std::string_view, char>::first);
    if (named != kNamed.end()) {
      out += named->second;
      text.remove_prefix(end + 1);
    } else if (const auto code = numeric_reference(name)) {
      append_code_point(out, *code);
      text.remove_prefix(end + 1);
    } else {
      out += '&';
      text.remove_prefix(1);
    }
  }
  return out;
}

// A forgiving reader of elements: it continues after every mistake, and notes it.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) { open_.push_back(&root_); }

  Element read() {
    while (!rest_.empty() && !is_done_) {
      const std::size_t tag = rest_.find('<');
      open_.back()->text += unescaped(rest_.substr(0, tag));
      if (tag == std::string_view::npos) break;
      rest_.remove_prefix(tag);
      read_markup();
    }
    if (open_.size() > 1 && !is_done_) {
      notes_.push_back(fmt::format("The XML ends inside <{}>", open_.back()->name));
    }
    return std::move(root_);
  }

  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  void read_markup() {
    if (rest_.starts_with("<!--")) return skip_past("-->");
    if (rest_.starts_with("<![CDATA[")) return read_cdata();
    if (rest_.starts_with("<?")) return skip_past("?>");
    if (rest_.starts_with("<!")) return skip_past(">");
    const std::size_t end = end_of_tag();
    const bool is_name = rest_.size() > 1 && (rest_[1] == '/' || is_name_character(rest_[1]));
    if (end == std::string_view::npos || !is_name) {
      // A bare "<" in a text.
      open_.back()->text += '<';
      rest_.remove_prefix(1);
      return;
    }
    const std::string_view tag = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (tag.starts_with('/')) {
      close(trimmed(tag.substr(1)));
    } else {
      open(tag);
    }
  }

  static bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ':';
  }

  // A ">" between quotes does not end a tag.
  std::size_t end_of_tag() const {
    char quote = 0;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '>') {
        return i;
      } else if (c == '<') {
        return std::string_view::npos;
      } else if (i > 1 && (c == '"' || c == '\'') && rest_[i - 1] == '=') {
        quote = c;
      }
    }
    return std::string_view::npos;
  }

  void skip_past(std::string_view end) {
    const std::size_t found = rest_.find(end);
    rest_.remove_prefix(found == std::string_view::npos ? rest_.size() : found + end.size());
  }

  void read_cdata() {
    rest_.remove_prefix(std::string_view("<![CDATA[").size());
    const std::size_t end = rest_.find("]]>");
    open_.back()->text += rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 3);
  }

  void open(std::string_view tag) {
    const bool is_closed = tag.ends_with('/');
    if (is_closed) tag.remove_suffix(1);
    std::size_t length = 0;
    while (length < tag.size() && is_name_character(tag[length])) ++length;
    if (++elements_ > kMostElements || open_.size() > kDeepestElement) {
      if (!is_closed) skipped_.emplace_back(tag.substr(0, length));
      if (!is_too_much_noted_) notes_.push_back("The XML has too many elements; some were dropped");
      is_too_much_noted_ = true;
      return;
    }
    // A reference to an element must not outlive a growing list: only the innermost list grows.
    Element& made = open_.back()->children.emplace_back();
    made.name = tag.substr(0, length);
    read_attributes(made, tag.substr(length));
    if (!is_closed) open_.push_back(&made);
  }

  static void read_attributes(Element& element, std::string_view text) {
    while (!(text = trimmed(text)).empty()) {
      const std::size_t equals = text.find('=');
      if (equals == std::string_view::npos || equals + 1 >= text.size()) return;
      const char quote = text[equals + 1];
      if (quote != '"' && quote != '\'') return;
      const std::size_t end = text.find(quote, equals + 2);
      if (end == std::string_view::npos) return;
      element.children.push_back({std::string(trimmed(text.substr(0, equals))),
                                  unescaped(text.substr(equals + 2, end - equals - 2)),
                                  {}});
      text.remove_prefix(end + 1);
    }
  }

  void close(std::string_view name) {
    if (!skipped_.empty()) {
      if (skipped_.back() == name) skipped_.pop_back();
      return;
    }
    const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                    [&](const Element* each) { return each->name == name; });
    if (found == open_.rend() || name.empty()) {
      notes_.push_back(fmt::format("The XML closes <{}>, which is not open", name));
      return;
    }
    while (open_.back()->name != name) {
      notes_.push_back(fmt::format("The XML does not close <{}>", open_.back()->name));
      open_.pop_back();
    }
    open_.pop_back();
    is_done_ = open_.size() == 1 && name == kOutermost;  // what follows is not ours
  }

  std::string_view rest_;
  Element root_;
  std::vector<Element*> open_;
  std::vector<std::string> skipped_;
  std::vector<std::string> notes_;
  std::size_t elements_ = 0;
  bool is_done_ = false;
  bool is_too_much_noted_ = false;
};

bool is_list_of_objects(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"tools_used", "tools_considered", "limitations", "suggestions", "alternatives"});
  return is_one_of(name, kNames);
}

bool is_list_of_texts(std::string_view name) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"parameters", "pros", "cons", "requires", "construction"});
  return is_one_of(name, kNames);
}

// Whether the element is itself the only item of a list: its children are an item's members.
bool is_single_item(const Element& element) {
  constexpr auto kFirstMembers = std::to_array<std::string_view>(
      {"name", "description", "impact", "type", "priority", "approach"});
  return std::ranges::any_of(element.children, [&](const Element& child) {
    return is_one_of(child.name, kFirstMembers) && child.children.empty();
  });
}

Json value_of(const Element& element);

Json object_of(const Element& element) {
  JsonObject object;
  for (const Element& child : element.children) {
    Json value = value_of(child);
    Json* before = object.if_contains(child.name);
    if (before != nullptr && before->is_array() && value.is_array()) {
      for (Json& item : value.get_array()) before->get_array().push_back(std::move(item));
    } else {
      object[child.name] = std::move(value);
    }
  }
  return object;
}

Json list_of(const Element& element) {
  JsonArray list;
  if (is_list_of_texts(element.name)) {
    for (const Element& child : element.children) list.emplace_back(trimmed(child.text));
    // "a, b" instead of elements.
    std::string_view text = trimmed(element.text);
    while (element.children.empty() && !text.empty()) {
      const std::size_t comma = text.find(',');
      if (const auto item = trimmed(text.substr(0, comma)); !item.empty()) list.emplace_back(item);
      text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
  } else if (is_single_item(element)) {
    list.push_back(object_of(element));
  } else {
    for (const Element& child : element.children) list.push_back(object_of(child));
  }
  return list;
}

Json number_or_text(std::string_view text) {
  std::string_view digits = text;
  if (digits.ends_with('%')) digits = trimmed(digits.substr(0, digits.size() - 1));
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = !digits.empty() && error == std::errc() &&
                         end == digits.data() + digits.size() && std::isfinite(number);
  return is_number ? Json(number) : Json(text);
}

Json value_of(const Element& element) {
  if (is_list_of_objects(element.name) || is_list_of_texts(element.name)) return list_of(element);
  if (!element.children.empty()) return object_of(element);
  const std::string_view text = trimmed(element.text);
  if (element.name == "success" && (text == "true" || text == "false")) return text == "true";
  if (element.name == "completeness" || element.name == "confidence") return number_or_text(text);
  return Json(text);
}

}  // namespace

XmlFeedback feedback_from_xml(std::string_view text) {
  Reader reader(text);
  const Element root = reader.read();
  XmlFeedback feedback;
  // <tool_feedback>…</tool_feedback>, or its parts without it.
  const bool is_wrapped = root.children.size() == 1 && !is_list_of_objects(root.children[0].name) &&
                          root.children[0].name != "answer_quality";
  feedback.json = object_of(is_wrapped ? root.children[0] : root);
  feedback.notes = reader.take_notes();
  return feedback;
}

}  // namespace wright::feedback
