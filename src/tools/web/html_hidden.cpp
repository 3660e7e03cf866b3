#include "tools/web/html_hidden.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/text.h"

namespace wright::tools {
namespace {

constexpr std::size_t kMostInside = 1000;

// Nothing inside of these is for reading.
constexpr auto kNeverRead = std::to_array<std::string_view>(
    {"svg", "template", "object", "canvas", "audio", "video", "select", "datalist"});
constexpr auto kWithoutEnd =
    std::to_array<std::string_view>({"br", "hr", "img", "input", "meta", "link", "base", "wbr",
                                     "source", "col", "area", "embed", "track", "param"});
// Pages hide these until their scripts have run.
constexpr auto kWholePage = std::to_array<std::string_view>({"html", "body"});

// Whose end tag, or whose start inside of a paragraph, ends what has no end tag of its own.
constexpr auto kContainers = std::to_array<std::string_view>(
    {"address",  "article", "aside",  "blockquote", "body",       "details", "div",   "dl",
     "fieldset", "figure",  "footer", "form",       "figcaption", "h1",      "h2",    "h3",
     "h4",       "h5",      "h6",     "header",     "hgroup",     "html",    "main",  "menu",
     "nav",      "ol",      "pre",    "search",     "section",    "table",   "tbody", "td",
     "tfoot",    "th",      "thead",  "tr",         "ul"});

constexpr auto kPartsOfTables =
    std::to_array<std::string_view>({"tbody", "td", "tfoot", "th", "thead", "tr"});

// An element whose end tag may be left out, and before which others it then ends.
struct ImpliedEnd {
  std::string_view name;
  std::array<std::string_view, 4> before;
};
constexpr auto kImpliedEnds = std::to_array<ImpliedEnd>({
    {"p", {"p", "hr"}},  // and before every container
    {"li", {"li"}},
    {"dt", {"dt", "dd"}},
    {"dd", {"dt", "dd"}},
    {"tr", {"tr", "tbody", "tfoot"}},
    {"td", {"td", "th", "tr", "tbody"}},
    {"th", {"td", "th", "tr", "tbody"}},
    {"thead", {"tbody", "tfoot"}},
    {"tbody", {"tbody", "tfoot"}},
    {"tfoot", {"tbody"}},
});

const ImpliedEnd* implied_end_of(std::string_view name) {
  const auto found = std::ranges::find(kImpliedEnds, name, &ImpliedEnd::name);
  return found == kImpliedEnds.end() ? nullptr : &*found;
}

std::optional<double> number_at_start(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

using Style = std::map<std::string, std::string, std::less<>>;

// "Display : NONE !important" → display: none
Style style_from(std::string text) {
  std::erase_if(text, [](unsigned char c) { return c <= ' '; });
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  Style style;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view each = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(each.size() + 1, rest.size()));
    const std::size_t colon = each.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = each.substr(colon + 1);
    style[std::string(each.substr(0, colon))] = value.substr(0, value.find('!'));
  }
  return style;
}

class Look {
 public:
  explicit Look(Style style) : style_(std::move(style)) {}

  bool is_invisible() const {
    return is("display", "none") || is("visibility", "hidden") || is("visibility", "collapse") ||
           is("content-visibility", "hidden") || is("color", "transparent") ||
           is_at_most("opacity", 0) || starts("clip", "rect(0") || starts("clip", "rect(1px") ||
           starts("clip-path", "inset(50%") || starts("clip-path", "inset(100%") ||
           starts("transform", "scale(0)");
  }
  bool has_no_size() const {
    const bool is_clipped = is("overflow", "hidden") || is("overflow", "clip");
    const bool is_flat = is_at_most("height", 0) || is_at_most("max-height", 0) ||
                         is_at_most("width", 0) || is_at_most("max-width", 0);
    return is_at_most("font-size", 0) || (is_clipped && is_flat);
  }
  bool is_off_the_page() const {
    constexpr double kFar = -900;
    const bool is_moved = is("position", "absolute") || is("position", "fixed");
    return is_at_most("text-indent", kFar) ||
           (is_moved && (is_at_most("left", kFar) || is_at_most("top", kFar) ||
                         is_at_most("right", kFar) || is_at_most("bottom", kFar)));
  }

 private:
  std::string_view value(std::string_view property) const {
    const auto found = style_.find(property);
    return found == style_.end() ? std::string_view() : found->second;
  }
  bool is(std::string_view property, std::string_view wanted) const {
    return value(property) == wanted;
  }
  bool starts(std::string_view property, std::string_view wanted) const {
    return value(property).starts_with(wanted);
  }
  bool is_at_most(std::string_view property, double most) const {
    const auto number = number_at_start(value(property));
    return number && *number <= most;
  }

  Style style_;
};

}  // namespace

bool is_hidden(const HtmlToken& tag) {
  if (html_attribute(tag, "hidden")) return true;
  const auto style = html_attribute(tag, "style");
  if (!style) return false;
  const Look look(style_from(*style));
  return look.is_invisible() || look.has_no_size() || look.is_off_the_page();
}

bool HiddenParts::contains(const HtmlToken& token) {
  if (!element_.empty() && goes_on_with(token)) return true;
  note(token);
  if (token.kind != HtmlToken::Kind::start_tag || is_one_of(token.name, kWithoutEnd)) return false;
  const bool may_be_hidden = !is_one_of(token.name, kWholePage);
  const bool is_left_out = is_one_of(token.name, kNeverRead) || (may_be_hidden && is_hidden(token));
  if (!is_left_out || token.text.ends_with('/')) return false;
  if (is_one_of(token.name, kContainers)) --around_[token.name];
  element_ = token.name;
  depth_ = 1;
  inside_.clear();
  return true;
}

// Counts what is open around, so that a stray end tag does not end what is hidden.
void HiddenParts::note(const HtmlToken& token) {
  if (!is_one_of(token.name, kContainers)) return;
  int& open = around_[token.name];
  if (token.kind == HtmlToken::Kind::start_tag) ++open;
  if (token.kind == HtmlToken::Kind::end_tag) open = std::max(open - 1, 0);
}

bool HiddenParts::goes_on_with(const HtmlToken& token) {
  if (ends_before(token)) {
    element_.clear();
    return false;
  }
  const bool is_start = token.kind == HtmlToken::Kind::start_tag;
  const bool is_end = token.kind == HtmlToken::Kind::end_tag;
  if (implied_end_of(element_) == nullptr) {
    if (token.name == element_ && is_start) ++depth_;
    if (token.name == element_ && is_end) --depth_;
    if (depth_ == 0) element_.clear();
    return true;
  }
  if (is_end && token.name == element_ && inside_.empty()) {
    element_.clear();
  } else if (is_one_of(token.name, kContainers) && !is_one_of(token.name, kPartsOfTables)) {
    if (is_start && inside_.size() < kMostInside) inside_.push_back(token.name);
    const auto opened = std::find(inside_.rbegin(), inside_.rend(), token.name);
    if (is_end && opened != inside_.rend()) inside_.erase(std::prev(opened.base()), inside_.end());
  }
  return true;
}

bool HiddenParts::ends_before(const HtmlToken& token) const {
  const ImpliedEnd* implied = implied_end_of(element_);
  if (implied == nullptr || !inside_.empty()) return false;
  const bool is_container = is_one_of(token.name, kContainers);
  if (token.kind == HtmlToken::Kind::start_tag) {
    return is_one_of(token.name, implied->before) || (element_ == "p" && is_container);
  }
  const auto open = around_.find(token.name);
  return token.kind == HtmlToken::Kind::end_tag && token.name != element_ && is_container &&
         open != around_.end() && open->second > 0;
}

}  // namespace wright::tools
