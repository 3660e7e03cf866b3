// Exceptions of toml++ end here.
#include "app/settings/config_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "agents/toml_file.h"
#include "app/settings/setting_value.h"
#include "core/nearest.h"
#include "core/text.h"
#include "core/try.h"
#include "wright/json.h"

namespace wright::app {
namespace {

// A basic string of TOML is a string of JSON.
std::string toml_text(std::string_view text) {
  return to_text(Json(to_valid_utf8(std::string(text))));
}

// A line of a value, or of a part of it.
struct ValueLine {
  std::string comment = {};  // "# why"; empty: none
  int opened = 0;            // more brackets than it closes
};

ValueLine value_line(std::string_view line) {
  ValueLine read;
  char quote = 0;  // that a text within it began with
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      read.comment = trimmed(line.substr(i));
      break;
    } else if (c == '[' || c == ']') {
      read.opened += c == '[' ? 1 : -1;
    }
  }
  return read;
}

}  // namespace

Result<const ConfigKey*> config_key_named(std::string_view full_name) {
  std::vector<std::string> names;
  for (const ConfigKey& key : kConfigKeys) {
    names.push_back(key.full_name());
    if (names.back() == full_name) return &key;
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  std::string suggestion = did_you_mean(full_name, candidates);
  if (suggestion.empty()) suggestion = "; `wright config` lists the keys";
  return fail(ErrorCode::not_found, fmt::format("unknown key '{}'{}", full_name, suggestion));
}

Result<std::string> toml_value(const ConfigKey& key, std::string_view text) {
  const auto value = setting_value_from(key, text);
  if (!value) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} {}", key.full_name(), value.error().message));
  }
  if (const auto* flag = std::get_if<bool>(&*value)) return std::string(*flag ? "true" : "false");
  if (const auto* count = std::get_if<std::int64_t>(&*value)) return std::to_string(*count);
  if (key.type != KeyType::names) return toml_text(text);
  std::vector<std::string> quoted;
  for (const std::string_view name : names_in(std::get<std::string>(*value))) {
    quoted.push_back(toml_text(name));
  }
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

namespace {

// Line by line, which sees no difference between a line and one inside of a text. The comment
// behind an old value stays behind the new one; those between the lines of an old one stand above
// it.
std::string edited_lines(std::string_view text, const ConfigKey& key, std::string_view value) {
  const std::string assignment = fmt::format("{} = {}", key.name, value);
  std::string out;
  std::optional<std::size_t> end_of_section;  // in `out`
  bool is_inside = false;
  bool is_written = false;
  int opened = 0;  // brackets of the old value
  const auto take_old = [&](std::string_view part) {
    const ValueLine old = value_line(part);
    opened = std::max(0, opened + old.opened);
    if (opened > 0) {
      if (!old.comment.empty()) out += old.comment + '\n';
      return;
    }
    if (is_written && old.comment.empty()) return;
    if (!is_written) out += assignment;
    if (!old.comment.empty()) out += (is_written ? "" : "  ") + old.comment;
    out += '\n';
    is_written = true;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view whole = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    const std::string_view words = trimmed(whole);
    if (opened > 0) {
      take_old(words);
      continue;
    }
    if (words.starts_with('[')) {
      const std::string_view header = words.substr(1, words.find(']') - 1);
      is_inside = trimmed(header) == key.section;
    }
    const std::size_t equals = words.find('=');
    const bool is_old = is_inside && equals != std::string_view::npos &&
                        trimmed(words.substr(0, equals)) == key.name;
    if (is_old) {
      take_old(words.substr(equals + 1));
      continue;
    }
    out += whole;
    if (is_inside && !words.empty()) {
      if (!out.ends_with('\n')) out += '\n';
      end_of_section = out.size();
    }
  }
  if (is_written) return out;
  const std::string line = assignment + '\n';
  if (end_of_section) return out.insert(*end_of_section, line);
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  if (!out.empty()) out += '\n';
  return out + fmt::format("[{}]\n{}", key.section, line);
}

std::optional<toml::table> parsed(std::string_view text) {
  auto document = parse_toml(text, "");
  if (!document) return std::nullopt;
  return std::move(*document);
}

// Takes the key out, and its section where nothing else is in it. The value, or nothing.
std::optional<toml::table> taken_out(toml::table& document, const ConfigKey& key) {
  toml::table* section = document.at_path(key.section).as_table();
  if (section == nullptr) return std::nullopt;
  toml::table found;
  if (const toml::node* node = section->get(key.name)) found.insert("value", *node);
  section->erase(key.name);
  if (section->empty() && key.section.find('.') == std::string_view::npos) {
    document.erase(key.section);
  }
  if (found.empty()) return std::nullopt;
  return found;
}

}  // namespace

Result<std::string> with_value(std::string_view text, const ConfigKey& key,
                               std::string_view value) {
  std::string out = edited_lines(text, key, value);
  auto before = parsed(text);
  // What was no TOML before stays none: whoever reads it says where.
  if (!before) return out;
  auto after = parsed(out);
  const auto wanted = parsed(fmt::format("value = {}", value));
  taken_out(*before, key);
  const auto got = after ? taken_out(*after, key) : std::nullopt;
  if (got && wanted && *got == *wanted && *before == *after) return out;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} stands in the file in a way that is not changed from here (an inline "
                          "table, a dotted key, or a text of several lines): set it there yourself",
                          key.full_name()));
}

}  // namespace wright::app
