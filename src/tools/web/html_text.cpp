#include "tools/web/html_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <ranges>
#include <vector>

#include "core/text.h"
#include "tools/web/html_entities.h"
#include "tools/web/html_flow.h"
#include "tools/web/html_hidden.h"
#include "tools/web/html_tokens.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kMostTables = 8;  // inside of each other
constexpr std::size_t kLongestTarget = 2000;
constexpr std::size_t kLongestTitle = 500;
constexpr std::size_t kCharacterSetWithin = 1024;

constexpr auto kBlocks = std::to_array<std::string_view>(
    {"p",      "div",      "section", "article",    "header", "footer",  "main",    "aside",
     "nav",    "dl",       "form",    "figure",     "body",   "address", "details", "summary",
     "center", "fieldset", "legend",  "figcaption", "search", "hgroup",  "caption", "noscript"});
constexpr auto kCode = std::to_array<std::string_view>({"code", "kbd", "samp", "tt"});

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

  HtmlPage read(std::string_view html) {
    HtmlTokens tokens(html);
    HtmlPage made;
    while (true) {
      const HtmlToken token = tokens.next();
      if (token.kind == HtmlToken::Kind::end) break;
      take(token, made);
      if (flow().size() > options_.max_bytes) {
        made.is_cut = true;
        break;
      }
    }
    while (!tables_.empty()) end_table();
    made.text = std::move(page_).take();
    return made;
  }

 private:
  HtmlFlow& flow() {
    for (Table& table : tables_ | std::views::reverse) {
      if (table.cell) return *table.cell;
    }
    return page_;
  }

  void take(const HtmlToken& token, HtmlPage& made) {
    if (hidden_.contains(token)) return;
    switch (token.kind) {
      case HtmlToken::Kind::text: flow().text(decode_entities(token.text)); break;
      case HtmlToken::Kind::raw_text: take_raw(token, made); break;
      case HtmlToken::Kind::start_tag: start(token); break;
      case HtmlToken::Kind::end_tag: end(token.name); break;
      case HtmlToken::Kind::end: break;
    }
  }

  void take_raw(const HtmlToken& token, HtmlPage& made) {
    if (token.name == "title" && made.title.empty()) {
      HtmlFlow title(HtmlStyle::text);
      title.text(decode_entities(utf8_prefix(token.text, kLongestTitle)));
      made.title = on_one_line(std::move(title).take());
    } else if (token.name == "xmp") {
      flow().begin_preformatted();
      flow().text(token.text);
      flow().end_preformatted();
    }
  }

  void start(const HtmlToken& tag) {
    const std::string& name = tag.name;
    HtmlFlow& flow = this->flow();
    if (name == "a") {
      flow.begin_link(target_of(tag));
    } else if (name == "br" || name == "dt") {
      flow.line_break(1);
    } else if (const int level = heading_level(name); level > 0) {
      flow.begin_heading(level);
    } else if (name == "ul" || name == "menu") {
      flow.begin_list();
    } else if (name == "ol") {
      flow.begin_numbered_list(first_number(tag));
    } else if (name == "li") {
      flow.begin_item();
    } else if (name == "dd") {
      flow.begin_definition();
    } else if (name == "blockquote") {
      flow.begin_quote();
    } else if (name == "pre" || name == "listing") {
      flow.begin_preformatted();
    } else if (is_one_of(name, kCode)) {
      flow.begin_code();
    } else if (name == "hr") {
      flow.rule();
    } else if (name == "img") {
      image(tag);
    } else if (name == "base") {
      base(tag);
    } else if (!start_of_table(name) && is_one_of(name, kBlocks)) {
      flow.line_break(2);
    }
  }

  void end(std::string_view name) {
    HtmlFlow& flow = this->flow();
    if (name == "a") {
      flow.end_link();
    } else if (heading_level(name) > 0) {
      flow.end_heading();
    } else if (name == "ul" || name == "menu" || name == "ol") {
      flow.end_list();
    } else if (name == "blockquote") {
      flow.end_quote();
    } else if (name == "pre" || name == "listing") {
      flow.end_preformatted();
    } else if (is_one_of(name, kCode)) {
      flow.end_code();
    } else if (name == "li" || name == "dd" || name == "dt") {
      flow.line_break(1);
    } else if (name == "table") {
      if (ignored_tables_ > 0) {
        --ignored_tables_;
      } else if (!tables_.empty()) {
        end_table();
      }
    } else if (name == "td" || name == "th" || name == "tr") {
      if (ignored_tables_ > 0) {
        flow.line_break(1);
      } else if (!tables_.empty()) {
        end_cell();
      }
    } else if (is_one_of(name, kBlocks)) {
      flow.line_break(2);
    }
  }

  bool start_of_table(std::string_view name) {
    const bool is_cell = name == "td" || name == "th";
    if (name != "table" && name != "tr" && !is_cell) return false;
    if (name == "table") {
      flow().line_break(2);
      if (tables_.size() < kMostTables) {
        if (!tables_.empty()) tables_.back().has_table_inside = true;
        tables_.emplace_back();
      } else {
        ++ignored_tables_;
      }
    } else if (tables_.empty() || ignored_tables_ > 0) {
      flow().line_break(1);
    } else {
      end_cell();
      Table& table = tables_.back();
      if (name == "tr" || table.rows.empty()) table.rows.emplace_back();
      if (is_cell) table.cell.emplace(options_.style);
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

  std::string target_of(const HtmlToken& tag) const {
    if (!options_.resolve || options_.style == HtmlStyle::text) return {};
    const auto href = html_attribute(tag, "href");
    if (!href || href->empty() || href->starts_with('#') || href->size() > kLongestTarget)
      return {};
    std::string target = options_.resolve(*href, LinkRole::link);
    const bool has_blanks = std::ranges::any_of(
        target, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
    return has_blanks || target.size() > kLongestTarget ? std::string() : target;
  }

  void base(const HtmlToken& tag) const {
    const auto href = html_attribute(tag, "href");
    if (options_.resolve && href && href->size() <= kLongestTarget) {
      (void)options_.resolve(*href, LinkRole::base);
    }
  }

  void image(const HtmlToken& tag) {
    const auto words = html_attribute(tag, "alt");
    if (!words || words->find_first_not_of(" \t\r\n") == std::string::npos) return;
    flow().text("[image: ");
    flow().text(*words);
    flow().text("]");
  }

  static int first_number(const HtmlToken& tag) {
    constexpr int kMost = 1'000'000;
    const std::string text = html_attribute(tag, "start").value_or("");
    int first = 1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
    return error == std::errc() && first >= 0 && first <= kMost ? first : 1;
  }

  const HtmlOptions& options_;
  HtmlFlow page_;
  std::vector<Table> tables_;
  int ignored_tables_ = 0;
  HiddenParts hidden_;
};

}  // namespace

HtmlPage read_html(std::string_view html, const HtmlOptions& options) {
  return PageReader(options).read(html);
}

std::string html_character_set(std::string_view bytes) {
  HtmlTokens tokens(bytes.substr(0, kCharacterSetWithin));
  while (true) {
    const HtmlToken token = tokens.next();
    if (token.kind == HtmlToken::Kind::end) return {};
    if (token.kind != HtmlToken::Kind::start_tag || token.name != "meta") continue;
    if (auto set = html_attribute(token, "charset")) return std::move(*set);
    const auto content = html_attribute(token, "content");
    constexpr std::string_view kName = "charset=";
    const std::size_t at = content ? content->find(kName) : std::string::npos;
    if (at != std::string::npos) return content->substr(at + kName.size());
  }
}

}  // namespace wright::tools
