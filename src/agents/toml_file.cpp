#include "agents/toml_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <sstream>
#include <vector>

#include "core/endless_keys.h"
#include "core/file_descriptor.h"
#include "core/permission_names.h"

namespace wright {
namespace {

constexpr std::size_t kLargestFile = 1024 * 1024;

}  // namespace

Result<std::string> read_toml_file(const std::filesystem::path& path, std::string_view what) {
  const auto cannot_read = [&](int error) {
    const ErrorCode code = error == ENOENT ? ErrorCode::not_found : ErrorCode::permission_denied;
    return fail(code,
                fmt::format("{}: cannot read {}: {}", path.string(), what, std::strerror(error)));
  };
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return cannot_read(errno);
  std::string text;
  std::array<char, 16 * 1024> buffer{};
  while (text.size() <= kLargestFile) {
    const ssize_t count = read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(errno);
    if (count == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (text.size() > kLargestFile) {
    return fail(ErrorCode::limit_reached,
                fmt::format("{}: {} is larger than 1 MB", path.string(), what));
  }
  return text;
}

Result<toml::table> parse_toml(std::string_view text, const std::filesystem::path& path) {
  const auto invalid = [&](std::size_t line, std::string_view why) {
    return fail(
        ErrorCode::invalid_argument,
        to_valid_utf8(fmt::format("{}:{}: not valid TOML: {}", path.string(), line, why)));
  };
  if (const auto line = line_of_endless_key(text)) {
    return invalid(*line, fmt::format("more than {} levels", kMostTomlLevels));
  }
  try {
    return toml::parse(text, std::string_view(path.native()));
  } catch (const toml::parse_error& error) {
    return invalid(error.source().begin.line, error.description());
  }
}

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "an integer";
    case toml::node_type::floating_point: return "a number with a fraction";
    case toml::node_type::boolean: return "a boolean";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time: return "a date or time";
    case toml::node_type::none: break;
  }
  return "nothing";
}

int line_of(const toml::source_region& source) {
  return static_cast<int>(source.begin.line);
}

Json json_from(const toml::node& node) {
  if (const toml::table* table = node.as_table()) {
    JsonObject object;
    for (const auto& [name, value] : *table) object[name.str()] = json_from(value);
    return object;
  }
  if (const toml::array* array = node.as_array()) {
    JsonArray list;
    for (const toml::node& item : *array) list.push_back(json_from(item));
    return list;
  }
  if (const auto value = node.value_exact<std::string>()) return Json(to_valid_utf8(*value));
  if (const auto value = node.value_exact<bool>()) return *value;
  if (const auto value = node.value_exact<std::int64_t>()) return *value;
  if (const auto value = node.value_exact<double>(); value && std::isfinite(*value)) return *value;
  std::ostringstream text;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_value<decltype(value)>) text << value;
  });
  return Json(text.str());
}

void TomlProblems::report(int line, std::string_view key, std::string_view what) {
  problems_.push_back({line, fmt::format("{}:{}: {}: {}", file_.string(), line, key, what)});
}

void TomlProblems::wrong_kind(int line, std::string_view key, std::string_view wanted,
                              const toml::node& node) {
  report(line, key, fmt::format("must be {}, not {}", wanted, kind_of(node)));
}

std::unexpected<Error> TomlProblems::as_error() const {
  std::vector<Problem> sorted = problems_;
  std::ranges::stable_sort(sorted, {}, &Problem::line);
  std::string message;
  for (const Problem& problem : sorted) {
    message += fmt::format("{}{}", message.empty() ? "" : "\n", problem.message);
  }
  return fail(ErrorCode::invalid_argument, to_valid_utf8(std::move(message)));
}

std::vector<TomlRule> rules_in(std::string_view section, const toml::table& table,
                               TomlProblems& problems) {
  // toml++ sorts by name; the order of the file is that of the places.
  std::vector<std::pair<toml::source_position, TomlRule>> found;
  for (const auto& [name, node] : table) {
    const std::string key = fmt::format("{}.{}", section, name.str());
    const int line = line_of(name.source());
    const auto word = node.value_exact<std::string>();
    const auto permission = enum_named<Permission>(word.value_or(""));
    if (!word) {
      problems.wrong_kind(line, key, "a string in quotes", node);
    } else if (!permission) {
      problems.report(line, key, fmt::format("must be allow, deny or ask, not '{}'", *word));
    } else {
      found.push_back({name.source().begin, {std::string(name.str()), *permission, line}});
    }
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<TomlRule> rules;
  rules.reserve(found.size());
  for (auto& [place, rule] : found) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace wright
