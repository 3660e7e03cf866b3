#include "app/settings/setting_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace wright::app {
namespace {

constexpr std::chrono::milliseconds kLongest = std::chrono::hours(1000);
constexpr double kFastest = 1e6;  // calls per second

// A number at the front of a text, and what follows it.
struct Quantity {
  double number;
  std::string_view unit;
};

std::optional<Quantity> quantity_from(std::string_view text) {
  // Neither a sign nor "inf" and "nan", which from_chars would take.
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  return Quantity{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

struct Unit {
  std::string_view name;
  double factor;
};

std::optional<double> factor_of(std::string_view name, std::span<const Unit> units) {
  const auto found = std::ranges::find(units, name, &Unit::name);
  if (found == units.end()) return std::nullopt;
  return found->factor;
}

std::string one_of(std::span<const std::string_view> words) {
  if (words.size() == 1) return std::string(words.front());
  return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

// What a text for `key` has to look like.
std::string allowed(const ConfigKey& key) {
  const auto words = names_in(key.words);
  const std::string also = words.empty() ? "" : fmt::format(", or {}", one_of(words));
  switch (key.type) {
    case KeyType::flag: return "true or false";
    case KeyType::count: return "a whole number";
    case KeyType::choice: return one_of(words);
    case KeyType::duration:
      return "a duration from 1ms to 1000h, such as 250ms, 30s, 5m or 1h" + also;
    case KeyType::rate: return "a rate such as 5/s, 100/min or 1000/h" + also;
    case KeyType::names:
      if (words.empty()) return "a list of names";
      return fmt::format("a list of some of {}", fmt::join(words, ", "));
    case KeyType::text:
    case KeyType::path:
    case KeyType::secret: break;
  }
  return "a text";
}

std::unexpected<Error> refuse(const ConfigKey& key, std::string_view text) {
  return fail(ErrorCode::invalid_argument, fmt::format("must be {}, not '{}'", allowed(key), text));
}

Result<SettingValue> count_from(const ConfigKey& key, std::string_view text) {
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stopped != end) return refuse(key, text);
  if (std::string problem = problem_with_count(key, count); !problem.empty()) {
    return fail(ErrorCode::invalid_argument, std::move(problem));
  }
  return SettingValue(count);
}

std::unexpected<Error> refuse_list(std::string_view text) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("must be a list such as a, b or [\"a\", \"b\"], not '{}'", text));
}

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// ["a", 'b'], as the configuration file has it, as a, b.
Result<std::string> without_brackets(std::string_view text) {
  std::string list;
  std::string_view rest = without_blanks(text.substr(1, text.size() - 2));
  while (!rest.empty()) {
    const char quote = rest.front();
    const std::size_t end = rest.find(quote, 1);
    if ((quote != '"' && quote != '\'') || end == std::string_view::npos) return refuse_list(text);
    const std::string_view name = rest.substr(1, end - 1);
    if (name.empty() || name.find_first_of(",\\") != std::string_view::npos) {
      return refuse_list(text);
    }
    list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
    rest = without_blanks(rest.substr(end + 1));
    if (rest.empty()) break;
    if (rest.front() != ',') return refuse_list(text);
    rest = without_blanks(rest.substr(1));
  }
  return list;
}

// Kept in one form, whatever the spaces were.
Result<SettingValue> names_from(const ConfigKey& key, std::string_view text) {
  const auto known = names_in(key.words);
  std::string list(without_blanks(text));
  if (list.size() >= 2 && list.front() == '[' && list.back() == ']') {
    auto plain = without_brackets(list);
    if (!plain) return std::unexpected(std::move(plain).error());
    list = std::move(*plain);
  }
  const auto names = names_in(list);
  // Half of a list in brackets is a name of nothing: nobody would be protected by it.
  const auto is_quote = [](char c) { return c == '"' || c == '\''; };
  for (const std::string_view name : names) {
    if (is_quote(name.front()) || is_quote(name.back())) return refuse_list(text);
  }
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (!known.empty() && std::ranges::find(known, *name) == known.end()) return refuse(key, *name);
    if (std::find(names.begin(), name, *name) != name) {
      return fail(ErrorCode::invalid_argument, fmt::format("names '{}' twice", *name));
    }
  }
  return SettingValue(fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace

Result<SettingValue> setting_value_from(const ConfigKey& key, std::string_view text) {
  const auto words = names_in(key.words);
  const bool is_word = std::ranges::find(words, text) != words.end();
  switch (key.type) {
    case KeyType::flag:
      if (text != "true" && text != "false") return refuse(key, text);
      return SettingValue(text == "true");
    case KeyType::count: return count_from(key, text);
    case KeyType::choice:
      if (!is_word) return refuse(key, text);
      break;
    case KeyType::duration:
      if (!is_word && !duration_from(text)) return refuse(key, text);
      break;
    case KeyType::rate:
      if (!is_word && !rate_from(text)) return refuse(key, text);
      break;
    case KeyType::names: return names_from(key, text);
    case KeyType::text:
    case KeyType::path:
    case KeyType::secret: break;
  }
  return SettingValue(std::string(text));
}

std::string problem_with_count(const ConfigKey& key, std::int64_t value) {
  if (value >= key.least && value <= key.most) return {};
  return fmt::format("must be from {} to {}, not {}", key.least, key.most, value);
}

std::optional<std::chrono::milliseconds> duration_from(std::string_view text) {
  constexpr std::array kUnits{Unit{"ms", 1}, Unit{"s", 1e3}, Unit{"m", 60e3}, Unit{"min", 60e3},
                              Unit{"h", 3600e3}};
  const auto quantity = quantity_from(text);
  const auto factor = quantity ? factor_of(quantity->unit, kUnits) : std::nullopt;
  if (!factor) return std::nullopt;
  const double milliseconds = std::round(quantity->number * *factor);
  if (!(milliseconds >= 1 && milliseconds <= static_cast<double>(kLongest.count()))) {
    return std::nullopt;
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
}

std::optional<double> rate_from(std::string_view text) {
  constexpr std::array kUnits{Unit{"/s", 1}, Unit{"/min", 1.0 / 60}, Unit{"/m", 1.0 / 60},
                              Unit{"/h", 1.0 / 3600}};
  const auto quantity = quantity_from(text);
  const auto factor = quantity ? factor_of(quantity->unit, kUnits) : std::nullopt;
  if (!factor) return std::nullopt;
  const double rate = quantity->number * *factor;
  if (!(rate > 0 && rate <= kFastest)) return std::nullopt;
  return rate;
}

std::vector<std::string_view> names_in(std::string_view list) {
  std::vector<std::string_view> names;
  while (!list.empty()) {
    std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(name.size() + 1, list.size()));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace wright::app
