#include "wright/requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/try.h"

namespace wright {
namespace {

// The content of each fenced block, in the order of the text. A block that is never closed reaches
// to the end: answers may be cut.
std::vector<std::string_view> fenced_blocks(std::string_view text) {
  std::vector<std::string_view> blocks;
  std::size_t begin = std::string_view::npos;  // of the open block
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("```")) {
      if (begin == std::string_view::npos) {
        begin = std::min(end + 1, text.size());
      } else {
        blocks.push_back(text.substr(begin, at - begin));
        begin = std::string_view::npos;
      }
    }
    at = end + 1;
  }
  if (begin != std::string_view::npos) blocks.push_back(text.substr(begin));
  return blocks;
}

Result<RequirementsDocument> document_from(std::string_view text) {
  const auto json = TRY(parse_json(text));
  return decode<RequirementsDocument>(json);
}

// One line, so that no text of a document can begin a heading or a fence.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return line;
}

// Text that begins a line, unlike list items, and must not begin any markup.
std::string as_paragraph(std::string_view text) {
  std::string line = on_one_line(text);
  const std::size_t first = line.find_first_not_of(' ');
  const bool is_markup = first != std::string::npos && (line[first] == '`' || line[first] == '#');
  if (is_markup) line.insert(first, "\\");
  return line;
}

class Markdown {
 public:
  void section(std::string_view title, std::string_view text) {
    if (text.empty()) return;
    text_ += fmt::format("{}## {}\n\n{}\n", text_.empty() ? "" : "\n", title, text);
  }

  void list(std::string_view title, const std::vector<std::string>& items, std::string_view mark) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string begin = mark == "1." ? fmt::format("{}.", i + 1) : std::string(mark);
      text += fmt::format("{}{} {}", text.empty() ? "" : "\n", begin, on_one_line(items[i]));
    }
    section(title, text);
  }

  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string line_of(const DataSource& source) {
  std::string line = source.type;
  if (!source.name.empty()) line += fmt::format(" ({})", source.name);
  if (!source.use.empty()) line += fmt::format(": {}", source.use);
  return line;
}

}  // namespace

Result<RequirementsDocument> requirements_from(std::string_view answer) {
  std::optional<Error> nearest;
  const auto blocks = fenced_blocks(answer);
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    auto document = document_from(*block);
    if (document) return document;
    // The error of a JSON block that is not a document says more than that of a block that is not
    // JSON.
    const bool is_nearer = !nearest || nearest->code == ErrorCode::invalid_json;
    if (is_nearer) nearest = std::move(document).error();
  }
  if (auto document = document_from(answer)) return document;
  if (!nearest) {
    return fail(ErrorCode::not_found, "The answer has no requirements document in it");
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("The requirements document cannot be read: {}", nearest->message),
              nearest->detail);
}

std::string to_markdown(const RequirementsDocument& document) {
  Markdown markdown;
  std::vector<std::string> sources;
  for (const DataSource& source : document.data_sources) sources.push_back(line_of(source));
  markdown.section("Goal", as_paragraph(document.goal));
  markdown.list("Actors", document.actors, "-");
  markdown.list("Data sources", sources, "-");
  markdown.list("Steps", document.steps, "1.");
  markdown.list("Examples", document.examples, "-");
  markdown.list("Open points", document.open_points, "-");
  return std::move(markdown).take();
}

std::string to_answer(const RequirementsDocument& document) {
  return fmt::format("{}\n```json\n{}\n```\n", to_markdown(document),
                     to_pretty_text(encode(document)));
}

}  // namespace wright
