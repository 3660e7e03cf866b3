#include "core/json_schema/leaf_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/counted.h"
#include "core/text.h"

namespace wright::json_schema {

using detail::Path;

namespace {

std::string shortened(const Json& value) {
  std::string text = to_text(value);
  if (text.size() <= 60) return text;
  return std::string(utf8_prefix(text, 60)) + "…";
}

// Most choices are words.
bool is_choice(const std::vector<Json>& choices, const Json& value) {
  if (const JsonString* text = value.if_string()) {
    const std::string_view wanted = *text;
    return std::ranges::any_of(choices, [&](const Json& choice) {
      const JsonString* word = choice.if_string();
      return word != nullptr && std::string_view(*word) == wanted;
    });
  }
  return std::ranges::any_of(choices, [&](const Json& choice) { return equal(choice, value); });
}

// Whether the number of bytes alone says so: a character has one to four.
bool has_surely_right_length(const StringRules& rules, std::string_view text) {
  return text.size() / 4 >= rules.min_length.value_or(0) &&
         text.size() <= rules.max_length.value_or(SIZE_MAX);
}

}  // namespace

bool check_choices(const Node& node, const Json& value, const Path& path, Findings* findings) {
  if (node.constant && !equal(*node.constant, value)) {
    return expect(false, findings, path, "const",
                  [&] { return "must be " + shortened(*node.constant); });
  }
  if (!node.choices) return true;
  return expect(is_choice(*node.choices, value), findings, path, "enum", [&] {
    std::vector<std::string> texts;
    for (const Json& choice : *node.choices) {
      texts.push_back(choice.is_string() ? std::string(choice.get_string()) : shortened(choice));
    }
    return fmt::format("must be one of: {}", fmt::join(texts, ", "));
  });
}

bool check_number(const NumberRules& rules, const Json& value, const Path& path,
                  Findings* findings) {
  bool is_valid = true;
  const auto expect_bound = [&](const std::optional<Json>& bound, std::string_view keyword,
                                std::string_view words, auto holds) {
    if (!bound || holds(compare_numbers(value, *bound))) return;
    is_valid = expect(false, findings, path, keyword, [&] {
      return fmt::format("must be {} {}, not {}", words, to_text(*bound), to_text(value));
    });
  };
  expect_bound(rules.minimum, "minimum", "at least", [](auto order) { return order >= 0; });
  expect_bound(rules.maximum, "maximum", "at most", [](auto order) { return order <= 0; });
  expect_bound(rules.exclusive_minimum, "exclusiveMinimum", "greater than",
               [](auto order) { return order > 0; });
  expect_bound(rules.exclusive_maximum, "exclusiveMaximum", "less than",
               [](auto order) { return order < 0; });
  if (rules.multiple_of && !is_multiple_of(value, *rules.multiple_of)) {
    is_valid = expect(false, findings, path, "multipleOf", [&] {
      return fmt::format("must be a multiple of {}, not {}", to_text(*rules.multiple_of),
                         to_text(value));
    });
  }
  return is_valid;
}

bool report_count(std::size_t count, const CountRule& rule, const Path& path, Findings* findings) {
  if (findings == nullptr) return false;
  if (rule.low && count < *rule.low) {
    report(findings, path, rule.low_keyword,
           fmt::format("must have at least {}, not {}", counted(*rule.low, rule.one, rule.many),
                       count));
  }
  if (rule.high && count > *rule.high) {
    report(findings, path, rule.high_keyword,
           fmt::format("must have at most {}, not {}", counted(*rule.high, rule.one, rule.many),
                       count));
  }
  return false;
}

bool check_string(const StringRules& rules, std::string_view text, const Path& path,
                  Findings* findings) {
  bool is_valid = true;
  if (!has_surely_right_length(rules, text)) {
    is_valid = check_count(
        count_characters(text),
        {rules.min_length, rules.max_length, "minLength", "maxLength", "character", "characters"},
        path, findings);
  }
  if (rules.pattern && !RE2::PartialMatch({text.data(), text.size()}, *rules.pattern)) {
    is_valid = expect(false, findings, path, "pattern",
                      [&] { return fmt::format("must match the pattern {}", rules.pattern_text); });
  }
  if (rules.format != nullptr && !rules.format(text)) {
    is_valid = expect(false, findings, path, "format",
                      [&] { return fmt::format("must be a valid {}", rules.format_name); });
  }
  return is_valid;
}

bool check_unique(const JsonArray& array, int max_depth, const Path& path, Findings* findings) {
  const auto is_too_deep = [&](const Json& item) { return is_deeper_than(item, max_depth); };
  if (std::ranges::any_of(array, is_too_deep)) {
    return report(findings, path, "uniqueItems", "is nested too deeply to be checked");
  }
  if (!has_duplicates(array)) return true;
  return report(findings, path, "uniqueItems", "must not hold the same item twice");
}

}  // namespace wright::json_schema
