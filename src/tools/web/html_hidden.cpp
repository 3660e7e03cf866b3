#include "tools/web/html_hidden.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "tools/text/character_set.h"
#include "tools/web/html_tree.h"

namespace wright::tools {
namespace {

std::optional<double> number_at_start(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// "dis\70lay" → "display": the escapes of CSS, which hide a word from those who look for it.
std::string unescaped(std::string_view text) {
  constexpr std::size_t kMostDigits = 6;
  std::string made;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c != '\\') {
      made += c;
      continue;
    }
    std::uint32_t code_point = 0;
    const std::string_view digits = text.substr(0, kMostDigits);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code_point, 16);
    if (error != std::errc()) continue;  // it stands for the next character
    append_utf8(made, code_point);
    text.remove_prefix(static_cast<std::size_t>(end - digits.data()));
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  return made;
}

std::string without_comments(std::string_view text) {
  std::string made;
  while (true) {
    const std::size_t begin = text.find("/*");
    made += text.substr(0, begin);
    if (begin == std::string_view::npos) return made;
    const std::size_t end = text.find("*/", begin + 2);
    if (end == std::string_view::npos) return made;
    text.remove_prefix(end + 2);
  }
}

// What a style says. A property that is there more than once has all of its values: which of them a
// browser takes depends on which it understands.
class Look {
 public:
  explicit Look(std::string_view style) {
    std::string text = lower(unescaped(without_comments(style)));
    std::erase_if(text, [](unsigned char c) { return c <= ' '; });
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view each = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(each.size() + 1, rest.size()));
      const std::size_t colon = each.find(':');
      if (colon == std::string_view::npos) continue;
      const std::string_view value = each.substr(colon + 1);
      values_.push_back(
          {std::string(each.substr(0, colon)), std::string(value.substr(0, value.find('!')))});
    }
  }

  bool is_invisible() const {
    return is("display", "none") || is("visibility", "hidden") || is("visibility", "collapse") ||
           is("content-visibility", "hidden") || any("color", is_transparent) ||
           is_at_most("opacity", 0) || starts("clip", "rect(0") || starts("clip", "rect(1px") ||
           starts("clip-path", "inset(50%") || starts("clip-path", "inset(100%") ||
           starts("clip-path", "circle(0");
  }
  bool has_no_size() const {
    const bool is_clipped = is("overflow", "hidden") || is("overflow", "clip");
    const bool is_flat = any("height", is_a_dot) || any("max-height", is_a_dot) ||
                         any("width", is_a_dot) || any("max-width", is_a_dot);
    return any("font-size", is_a_dot) || is_at_most("font", 0) || is_at_most("zoom", 0) ||
           is_at_most("scale", 0) || starts("transform", "scale(0)") ||
           starts("transform", "scale(0,") || (is_clipped && is_flat);
  }
  bool is_off_the_page() const {
    constexpr double kFar = -900;
    const bool is_moved = is("position", "absolute") || is("position", "fixed");
    const bool is_translated = any("transform", [](std::string_view value) {
      const std::size_t bracket = value.find('(');
      return value.starts_with("translate") && bracket != std::string_view::npos &&
             number_at_start(value.substr(bracket + 1)).value_or(0) <= kFar;
    });
    return is_translated || is_at_most("text-indent", kFar) || is_at_most("margin-left", kFar) ||
           is_at_most("margin-top", kFar) ||
           (is_moved && (is_at_most("left", kFar) || is_at_most("top", kFar) ||
                         is_at_most("right", kFar) || is_at_most("bottom", kFar)));
  }

 private:
  struct Declaration {
    std::string property;
    std::string value;
  };

  // One pixel, or nothing.
  static bool is_a_dot(std::string_view value) {
    const auto number = number_at_start(value);
    return number && (*number <= 0 || (*number <= 1 && value.ends_with("px")));
  }
  // "transparent", "rgba(0,0,0,0)", "#fff0", "#ffffff00"
  static bool is_transparent(std::string_view value) {
    const bool has_alpha = value.starts_with("rgba(") || value.starts_with("hsla(");
    const bool is_hex = value.starts_with('#') && (value.size() == 5 || value.size() == 9);
    return value == "transparent" || (has_alpha && value.ends_with(",0)")) ||
           (is_hex && value.ends_with(value.size() == 5 ? "0" : "00"));
  }

  template <class Is>
  bool any(std::string_view property, const Is& is_so) const {
    return std::ranges::any_of(values_, [&](const Declaration& each) {
      return each.property == property && is_so(std::string_view(each.value));
    });
  }
  bool is(std::string_view property, std::string_view wanted) const {
    return any(property, [&](std::string_view value) { return value == wanted; });
  }
  bool starts(std::string_view property, std::string_view wanted) const {
    return any(property, [&](std::string_view value) { return value.starts_with(wanted); });
  }
  bool is_at_most(std::string_view property, double most) const {
    return any(property, [&](std::string_view value) {
      const auto number = number_at_start(value);
      return number && *number <= most;
    });
  }

  std::vector<Declaration> values_;
};

}  // namespace

bool is_hidden(const GumboElement& element) {
  if (html_attribute(element, "hidden")) return true;
  if (tag_name(element) == "dialog" && !html_attribute(element, "open")) return true;
  const auto style = html_attribute(element, "style");
  if (!style) return false;
  const Look look(*style);
  return look.is_invisible() || look.has_no_size() || look.is_off_the_page();
}

}  // namespace wright::tools
