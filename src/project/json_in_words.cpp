#include "project/json_in_words.h"

#include <boost/json/parser.hpp>

#include <cstddef>
#include <optional>
#include <utility>

#include "core/text.h"

namespace wright::project {
namespace {

// The value that the text begins with.
std::optional<JsonInWords> first_json(std::string_view text) {
  constexpr std::size_t kMostDepth = 64;  // each level may be tried again by itself
  boost::json::parse_options options;
  options.max_depth = kMostDepth;
  boost::json::parser parser({}, options);
  boost::json::error_code error;
  const std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (error) return std::nullopt;
  return JsonInWords{.value = parser.release(), .written = trimmed(text.substr(0, read))};
}

bool has_own_lines(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t line = text.find_last_of('\n', begin);
  const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
  const std::string_view behind = text.substr(end, text.find('\n', end) - end);
  return is_blank(text.substr(start, begin - start)) && is_blank(behind);
}

}  // namespace

std::vector<JsonInWords> json_in_words(std::string_view text) {
  std::vector<JsonInWords> found;
  std::size_t first_of_last_ones = 0;  // with no words between them
  std::size_t behind = 0;
  for (std::size_t at = text.find_first_of("{["); at != std::string_view::npos;
       at = text.find_first_of("{[", at)) {
    auto value = first_json(text.substr(at));
    if (!value) {
      ++at;
      continue;
    }
    if (!is_blank(text.substr(behind, at - behind))) first_of_last_ones = found.size();
    behind = at + value->written.size();
    value->has_own_lines = has_own_lines(text, at, behind);
    found.push_back(std::move(*value));
    at = behind;
  }
  if (!is_blank(text.substr(behind))) return found;
  for (std::size_t i = first_of_last_ones; i < found.size(); ++i) found[i].is_at_end = true;
  return found;
}

}  // namespace wright::project
