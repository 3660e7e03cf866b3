#include "tools/web/html_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <ranges>
#include <vector>

#include "core/text.h"
#include "tools/web/html_flow.h"
#include "tools/web/html_hidden.h"
#include "tools/web/html_tree.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kLongestPage = std::size_t{8} << 20U;
constexpr std::size_t kShortestPart = std::size_t{256} << 10U;
constexpr std::size_t kMostNestedTables = 8;  // inside of each other
constexpr std::size_t kLongestTarget = 2000;
constexpr std::size_t kLongestTitle = 500;
constexpr std::size_t kCharacterSetWithin = 1024;

constexpr auto kBlocks = std::to_array<std::string_view>(
    {"p",      "div",      "section", "article",    "header", "footer",  "main",    "aside",
     "nav",    "dl",       "form",    "figure",     "body",   "address", "details", "summary",
     "center", "fieldset", "legend",  "figcaption", "search", "hgroup",  "caption", "noscript"});
constexpr auto kPreformatted =
    std::to_array<std::string_view>({"pre", "listing", "xmp", "plaintext"});
// Nothing inside of these is for reading.
constexpr auto kNeverRead = std::to_array<std::string_view>(
    {"script", "style", "textarea", "iframe", "noembed", "noframes", "svg", "template", "object",
     "canvas", "audio", "video", "select", "datalist"});
// Pages hide these until their scripts have run.
constexpr auto kWholePage = std::to_array<std::string_view>({"html", "body"});
constexpr auto kCode = std::to_array<std::string_view>({"code", "kbd", "samp", "tt"});

bool is_html(const GumboElement& element) {
  return element.tag_namespace == GUMBO_NAMESPACE_HTML;
}

int heading_level(std::string_view name) {
  const bool is_heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
  return is_heading ? name[1] - '0' : 0;
}

// A table whose cells are collected until it is clear whether it holds data or is for layout.
struct Table {
  std::vector<std::vector<std::string>> rows;
  std::optional<HtmlFlow> cell;
  bool has_table_inside = false;
};

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

bool holds_data(const Table& table) {
  const auto is_short = [](const std::string& cell) {
    return std::ranges::count(cell, '\n') <= 2 && cell.find("\n\n") == std::string::npos;
  };
  const auto has_short_cells = [&](const auto& row) { return std::ranges::all_of(row, is_short); };
  const auto has_columns = [](const auto& row) { return row.size() > 1; };
  return !table.has_table_inside && std::ranges::any_of(table.rows, has_columns) &&
         std::ranges::all_of(table.rows, has_short_cells);
}

class PageReader {
 public:
  explicit PageReader(const HtmlOptions& options) : options_(options), page_(options.style) {}

  HtmlPage read(const GumboNode& root) {
    HtmlPage made;
    // Not by recursion: a page may be deeper than the stack.
    std::vector<Visit> open{{&root}};
    while (!open.empty() && !made.is_cut) {
      Visit& visit = open.back();
      const auto inside = children_of(*visit.node);
      if (visit.next == inside.size()) {
        end(*element_of(*visit.node));
        open.pop_back();
        continue;
      }
      const GumboNode& child = *inside[visit.next++];
      const GumboElement* element = element_of(child);
      if (element == nullptr) {
        flow().text(text_of(child));
      } else if (tag_name(*element) == "title" && is_html(*element)) {
        if (made.title.empty()) made.title = title_in(child);
      } else if (is_for_reading(*element)) {
        start(*element);
        open.push_back({&child});
      }
      made.is_cut = flow().size() > options_.max_bytes;
    }
    while (!tables_.empty()) end_table();
    made.text = std::move(page_).take();
    return made;
  }

 private:
  struct Visit {
    const GumboNode* node;
    std::size_t next = 0;  // of its children
  };

  static bool is_for_reading(const GumboElement& element) {
    const std::string name = tag_name(element);
    return !is_one_of(name, kNeverRead) && (is_one_of(name, kWholePage) || !is_hidden(element));
  }

  static std::string title_in(const GumboNode& node) {
    HtmlFlow title(HtmlStyle::text);
    for (const GumboNode* child : children_of(node)) {
      title.text(utf8_prefix(text_of(*child), kLongestTitle));
    }
    return on_one_line(std::move(title).take());
  }

  HtmlFlow& flow() {
    for (Table& table : tables_ | std::views::reverse) {
      if (table.cell) return *table.cell;
    }
    return page_;
  }

  void start(const GumboElement& element) {
    if (!is_html(element)) return;
    const std::string name = tag_name(element);
    HtmlFlow& flow = this->flow();
    if (name == "a") {
      flow.begin_link(target_of(element));
    } else if (name == "br" || name == "dt") {
      flow.line_break(1);
    } else if (const int level = heading_level(name); level > 0) {
      flow.begin_heading(level);
    } else if (name == "ul" || name == "menu") {
      flow.begin_list();
    } else if (name == "ol") {
      flow.begin_numbered_list(first_number(element));
    } else if (name == "li") {
      flow.begin_item();
    } else if (name == "dd") {
      flow.begin_definition();
    } else if (name == "blockquote") {
      flow.begin_quote();
    } else if (is_one_of(name, kPreformatted)) {
      flow.begin_preformatted();
    } else if (is_one_of(name, kCode)) {
      flow.begin_code();
    } else if (name == "hr") {
      flow.rule();
    } else if (name == "img") {
      image(element);
    } else if (name == "base") {
      base(element);
    } else if (!start_of_table(name) && is_one_of(name, kBlocks)) {
      flow.line_break(2);
    }
  }

  void end(const GumboElement& element) {
    if (!is_html(element)) return;
    const std::string name = tag_name(element);
    HtmlFlow& flow = this->flow();
    if (name == "a") {
      flow.end_link();
    } else if (heading_level(name) > 0) {
      flow.end_heading();
    } else if (name == "ul" || name == "menu" || name == "ol" || name == "blockquote") {
      flow.end_container();
    } else if (is_one_of(name, kPreformatted)) {
      flow.end_preformatted();
    } else if (is_one_of(name, kCode)) {
      flow.end_code();
    } else if (name == "li" || name == "dd" || name == "dt") {
      flow.line_break(1);
    } else if (!end_of_table(name) && is_one_of(name, kBlocks)) {
      flow.line_break(2);
    }
  }

  bool start_of_table(std::string_view name) {
    const bool is_cell = name == "td" || name == "th";
    if (name != "table" && name != "tr" && !is_cell) return false;
    if (name == "table") {
      flow().line_break(2);
      if (tables_.size() < kMostNestedTables) {
        if (!tables_.empty()) tables_.back().has_table_inside = true;
        tables_.emplace_back();
      } else {
        ++ignored_tables_;
      }
    } else if (tables_.empty() || ignored_tables_ > 0) {
      flow().line_break(1);
    } else {
      Table& table = tables_.back();
      if (name == "tr" || table.rows.empty()) table.rows.emplace_back();
      if (is_cell) table.cell.emplace(options_.style);
    }
    return true;
  }

  bool end_of_table(std::string_view name) {
    if (name != "table" && name != "tr" && name != "td" && name != "th") return false;
    if (ignored_tables_ > 0) {
      flow().line_break(1);
      if (name == "table") --ignored_tables_;
    } else if (!tables_.empty()) {
      name == "table" ? end_table() : end_cell();
    }
    return true;
  }

  void end_cell() {
    Table& table = tables_.back();
    if (!table.cell) return;
    table.rows.back().push_back(std::move(*table.cell).take());
    table.cell.reset();
  }

  void end_table() {
    end_cell();
    Table table = std::move(tables_.back());
    tables_.pop_back();
    std::erase_if(table.rows, [](const auto& row) {
      return std::ranges::all_of(row, [](const std::string& cell) { return cell.empty(); });
    });
    flow().line_break(2);
    if (holds_data(table)) {
      write_data(table);
    } else {
      write_layout(table);
    }
    flow().line_break(2);
  }

  void write_data(Table& table) {
    bool is_first = true;
    for (auto& row : table.rows) {
      std::string line = "|";
      for (std::string& cell : row) {
        line += ' ';
        for (const char c : on_one_line(std::move(cell))) {
          if (c == '|') line += '\\';
          line += c;
        }
        line += " |";
      }
      flow().lines(line);
      if (is_first && options_.style == HtmlStyle::markdown) {
        std::string below = "|";
        for (std::size_t i = 0; i < row.size(); ++i) below += "---|";
        flow().lines(below);
      }
      is_first = false;
    }
  }

  void write_layout(const Table& table) {
    for (const auto& row : table.rows) {
      for (const std::string& cell : row) {
        const int apart = cell.find('\n') == std::string::npos ? 1 : 2;
        flow().line_break(apart);
        flow().lines(cell);
        flow().line_break(apart);
      }
    }
  }

  std::string target_of(const GumboElement& element) const {
    if (!options_.resolve || options_.style == HtmlStyle::text) return {};
    const auto href = html_attribute(element, "href");
    if (!href || href->empty() || href->starts_with('#') || href->size() > kLongestTarget)
      return {};
    std::string target = options_.resolve(*href, LinkRole::link);
    const bool has_blanks = std::ranges::any_of(
        target, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
    return has_blanks || target.size() > kLongestTarget ? std::string() : target;
  }

  void base(const GumboElement& element) const {
    const auto href = html_attribute(element, "href");
    if (options_.resolve && href && href->size() <= kLongestTarget) {
      (void)options_.resolve(*href, LinkRole::base);
    }
  }

  void image(const GumboElement& element) {
    const auto words = html_attribute(element, "alt");
    if (!words || words->find_first_not_of(" \t\r\n") == std::string::npos) return;
    flow().text("[image: ");
    flow().text(*words);
    flow().text("]");
  }

  static int first_number(const GumboElement& element) {
    constexpr int kMost = 1'000'000;
    const std::string text = html_attribute(element, "start").value_or("");
    int first = 1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
    return error == std::errc() && first >= 0 && first <= kMost ? first : 1;
  }

  const HtmlOptions& options_;
  HtmlFlow page_;
  std::vector<Table> tables_;
  int ignored_tables_ = 0;
};

}  // namespace

Result<HtmlPage> read_html(std::string_view html, const HtmlOptions& options) {
  const auto deadline = HtmlTree::Clock::now() + options.limits.time;
  std::string_view kept = utf8_prefix(html, kLongestPage);
  auto tree = HtmlTree::parse(kept, options.limits.memory, deadline);
  // The first half of a page with very many elements is better than nothing.
  while (!tree && kept.size() > kShortestPart && HtmlTree::Clock::now() < deadline) {
    kept = utf8_prefix(kept, kept.size() / 2);
    tree = HtmlTree::parse(kept, options.limits.memory, deadline);
  }
  if (!tree) return std::unexpected(std::move(tree).error());
  HtmlPage page = PageReader(options).read(tree->root());
  page.is_cut = page.is_cut || kept.size() < html.size();
  return page;
}

std::string html_character_set(std::string_view bytes) {
  const HtmlLimits limits;
  const auto tree = HtmlTree::parse(bytes.substr(0, kCharacterSetWithin), limits.memory,
                                    HtmlTree::Clock::now() + limits.time);
  if (!tree) return {};
  std::vector<const GumboNode*> open{&tree->root()};
  while (!open.empty()) {
    const GumboNode& node = *open.back();
    open.pop_back();
    for (const GumboNode* child : children_of(node) | std::views::reverse) open.push_back(child);
    const GumboElement* element = element_of(node);
    if (element == nullptr || element->tag != GUMBO_TAG_META) continue;
    if (auto set = html_attribute(*element, "charset")) return std::move(*set);
    const auto content = html_attribute(*element, "content");
    constexpr std::string_view kName = "charset=";
    const std::size_t at = content ? content->find(kName) : std::string::npos;
    if (at != std::string::npos) return content->substr(at + kName.size());
  }
  return {};
}

}  // namespace wright::tools
