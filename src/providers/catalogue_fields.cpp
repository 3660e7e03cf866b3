#include "providers/catalogue_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/enum_names.h"
#include "core/try.h"

namespace wright {

WRIGHT_ENUM(Quirks::ToolChoiceSupport, full, automatic_only, none)
WRIGHT_ENUM(Quirks::CallIds, any, nine_alphanumeric)
WRIGHT_ENUM(Quirks::ReturnReasoning, never, within_turn, always, required)
WRIGHT_ENUM(Platform, direct, azure, aws, google)

}  // namespace wright

namespace wright::providers {
namespace {

using Kind = CatalogueValue::Kind;

template <class T>
using Value = std::expected<T, std::string>;

std::unexpected<std::string> must_be(std::string_view wanted, const CatalogueValue& node) {
  return std::unexpected(fmt::format("must be {}, not {}", wanted, kind_of(node)));
}

template <class T>
struct Reading;

template <>
struct Reading<bool> {
  static Value<bool> of(const CatalogueValue& node) {
    if (node.kind != Kind::boolean) return must_be("true or false", node);
    return node.boolean;
  }
};

template <>
struct Reading<std::string> {
  static Value<std::string> of(const CatalogueValue& node) {
    if (node.kind != Kind::string) return must_be("a string in quotes", node);
    const bool has_control =
        std::ranges::any_of(node.text, [](unsigned char c) { return c < ' ' || c == 0x7F; });
    if (has_control) return std::unexpected("must not contain control characters");
    return std::string(node.text);
  }
};

template <>
struct Reading<std::int64_t> {
  static Value<std::int64_t> of(const CatalogueValue& node) {
    if (node.kind != Kind::integer) return must_be("an integer", node);
    if (node.integer < 0) return std::unexpected("must not be negative");
    return node.integer;
  }
};

template <>
struct Reading<int> {
  static Value<int> of(const CatalogueValue& node) {
    const auto value = TRY(Reading<std::int64_t>::of(node));
    if (value > std::numeric_limits<int>::max()) return std::unexpected("is too large");
    return static_cast<int>(value);
  }
};

template <>
struct Reading<double> {
  static Value<double> of(const CatalogueValue& node) {
    if (node.kind != Kind::integer && node.kind != Kind::number) return must_be("a number", node);
    if (!std::isfinite(node.number) || node.number < 0) {
      return std::unexpected("must not be negative");
    }
    return node.number;
  }
};

template <class T>
struct Reading<std::optional<T>> {
  static Value<std::optional<T>> of(const CatalogueValue& node) {
    auto value = TRY(Reading<T>::of(node));
    return std::optional<T>(std::move(value));
  }
};

// A count: 0 says that there is none.
template <std::integral T>
struct Reading<std::optional<T>> {
  static Value<std::optional<T>> of(const CatalogueValue& node) {
    const auto value = TRY(Reading<T>::of(node));
    return value == 0 ? std::nullopt : std::optional<T>(value);
  }
};

template <>
struct Reading<std::vector<std::string>> {
  static Value<std::vector<std::string>> of(const CatalogueValue& node) {
    if (node.kind != Kind::array) return must_be("an array of strings", node);
    std::vector<std::string> values;
    for (const CatalogueValue& element : node.elements()) {
      auto value = Reading<std::string>::of(element);
      if (!value) return must_be("an array of strings", element);
      values.push_back(std::move(*value));
    }
    return values;
  }
};

template <>
struct Reading<Protocol> {
  static Value<Protocol> of(const CatalogueValue& node) {
    const auto name = TRY(Reading<std::string>::of(node));
    const auto protocol = protocol_from(name);
    if (!protocol) return std::unexpected(protocol.error().message);
    return *protocol;
  }
};

template <DescribedEnum E>
struct Reading<E> {
  static Value<E> of(const CatalogueValue& node) {
    const auto word = TRY(Reading<std::string>::of(node));
    if (const auto value = enum_named<E>(word)) return *value;
    return std::unexpected(fmt::format("must be {}, not '{}'", enum_names<E>(), word));
  }
};

template <class T>
struct Reading<std::map<std::string, T>> {
  static Value<std::map<std::string, T>> of(const CatalogueValue& node) {
    if (node.kind != Kind::table) return must_be("a table", node);
    std::map<std::string, T> values;
    for (const CatalogueValue& value : node.elements()) {
      auto read = Reading<T>::of(value);
      if (!read) return std::unexpected(fmt::format("{} {}", value.name, read.error()));
      values.emplace(std::string(value.name), std::move(*read));
    }
    return values;
  }
};

bool is_token(std::string_view text) {
  constexpr std::string_view kPunctuation = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPunctuation.contains(c);
  });
}

bool sounds_secret(std::string_view header_name) {
  std::string name(header_name);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::ranges::any_of(std::array{"auth", "key", "token", "secret", "cookie", "password"},
                             [&](const char* word) { return name.contains(word); });
}

template <>
struct Reading<std::vector<HttpHeader>> {
  static Value<std::vector<HttpHeader>> of(const CatalogueValue& node) {
    if (node.kind != Kind::table) return must_be("a table of strings", node);
    std::vector<HttpHeader> headers;
    for (const CatalogueValue& value : node.elements()) {
      if (!is_token(value.name)) {
        return std::unexpected(fmt::format("'{}' cannot be the name of a header", value.name));
      }
      auto text = Reading<std::string>::of(value);
      if (!text) return std::unexpected(fmt::format("{} {}", value.name, text.error()));
      headers.push_back({std::string(value.name), std::move(*text), sounds_secret(value.name)});
    }
    return headers;
  }
};

// Sets `member` from the value of a key.
template <auto member>
struct Sets;

template <class Row, class T, T Row::*member>
struct Sets<member> {
  static Value<std::function<void(Row&)>> read(const CatalogueValue& node) {
    auto value = TRY(Reading<T>::of(node));
    return [value = std::move(value)](Row& row) { row.*member = value; };
  }
};

template <class Row, auto member>
struct SetsPace;

template <class Row, class T, T Pace::*member>
struct SetsPace<Row, member> {
  static Value<std::function<void(Row&)>> read(const CatalogueValue& node) {
    const auto value = TRY(Reading<T>::of(node));
    return [value](Row& row) { row.pace.*member = value; };
  }
};

constexpr std::array<CatalogueField<Price>, 4> kPriceFields{{
    {"input", Sets<&Price::input>::read},
    {"output", Sets<&Price::output>::read},
    {"cached_input", Sets<&Price::cached_input>::read},
    {"cache_write", Sets<&Price::cache_write>::read},
}};

template <>
struct Reading<Price> {
  static Value<Price> of(const CatalogueValue& node) {
    if (node.kind != Kind::table) return must_be("a table: { input = 1.25, output = 10 }", node);
    Price price;
    for (const CatalogueValue& value : node.elements()) {
      const auto found = std::ranges::find(kPriceFields, value.name, &CatalogueField<Price>::name);
      if (found == kPriceFields.end()) {
        return std::unexpected(fmt::format(
            "has no '{}'; there are input, output, cached_input and cache_write", value.name));
      }
      const auto change = found->read(value);
      if (!change) return std::unexpected(fmt::format("{} {}", value.name, change.error()));
      (*change)(price);
    }
    if (node.find("input") == nullptr || node.find("output") == nullptr) {
      return std::unexpected("needs both input and output, in dollars for a million tokens");
    }
    return price;
  }
};

// The ways in which codecs can ask a model to think more or less.
Value<std::function<void(Quirks&)>> read_reasoning_request(const CatalogueValue& node) {
  static constexpr std::array<std::string_view, 6> kWays{
      "reasoning_effort", "reasoning", "thinking", "effort", "level", ""};
  auto way = TRY(Reading<std::string>::of(node));
  if (std::ranges::find(kWays, way) == kWays.end()) {
    return std::unexpected(fmt::format("must be one of {}, not '{}'", fmt::join(kWays, ", "), way));
  }
  return [way = std::move(way)](Quirks& quirks) { quirks.reasoning_request = way; };
}

Value<std::function<void(Quirks&)>> read_prompt_cache(const CatalogueValue& node) {
  static constexpr std::array<std::string_view, 5> kTimes{"", "off", "5m", "1h", "24h"};
  auto time = TRY(Reading<std::string>::of(node));
  if (std::ranges::find(kTimes, time) == kTimes.end()) {
    return std::unexpected(fmt::format("must be off, 5m, 1h or 24h, not '{}'", time));
  }
  return [time = std::move(time)](Quirks& quirks) { quirks.prompt_cache = time; };
}

Value<std::function<void(Quirks&)>> read_preserve_thinking(const CatalogueValue& node) {
  static constexpr std::array<std::string_view, 4> kWays{"", "keep", "clear_thinking",
                                                         "preserve_thinking"};
  auto way = TRY(Reading<std::string>::of(node));
  if (std::ranges::find(kWays, way) == kWays.end()) {
    return std::unexpected(
        fmt::format("must be keep, clear_thinking or preserve_thinking, not '{}'", way));
  }
  return [way = std::move(way)](Quirks& quirks) { quirks.preserve_thinking = way; };
}

constexpr std::array<CatalogueField<VendorInfo>, 22> kVendorFields{{
    {"title", Sets<&VendorInfo::title>::read},
    {"aliases", Sets<&VendorInfo::aliases>::read},
    {"protocol", Sets<&VendorInfo::protocol>::read},
    {"platform", Sets<&VendorInfo::platform>::read},
    {"base_url", Sets<&VendorInfo::base_url>::read},
    {"base_url_variables", Sets<&VendorInfo::base_url_variables>::read},
    {"base_url_values", Sets<&VendorInfo::base_url_values>::read},
    {"address_variables", Sets<&VendorInfo::address_variables>::read},
    {"api_version", Sets<&VendorInfo::api_version>::read},
    {"alternative_base_url", Sets<&VendorInfo::alternative_base_url>::read},
    {"alternative_setting", Sets<&VendorInfo::alternative_setting>::read},
    {"key_variables", Sets<&VendorInfo::key_variables>::read},
    {"key_setting", Sets<&VendorInfo::key_setting>::read},
    {"key_page", Sets<&VendorInfo::key_page>::read},
    {"needs_key", Sets<&VendorInfo::needs_key>::read},
    {"key_command", Sets<&VendorInfo::key_command>::read},
    {"batches", Sets<&VendorInfo::batches>::read},
    {"models_of", Sets<&VendorInfo::models_of>::read},
    {"headers", Sets<&VendorInfo::headers>::read},
    {"requests_per_minute", SetsPace<VendorInfo, &Pace::requests_per_minute>::read},
    {"tokens_per_minute", SetsPace<VendorInfo, &Pace::tokens_per_minute>::read},
    {"concurrent_requests", SetsPace<VendorInfo, &Pace::concurrent_requests>::read},
}};

constexpr std::array<CatalogueField<ModelInfo>, 7> kModelFields{{
    {"context_tokens", Sets<&ModelInfo::context_tokens>::read},
    {"max_output_tokens", Sets<&ModelInfo::max_output_tokens>::read},
    {"price", Sets<&ModelInfo::price>::read},
    {"protocol", Sets<&ModelInfo::protocol>::read},
    {"requests_per_minute", SetsPace<ModelInfo, &Pace::requests_per_minute>::read},
    {"tokens_per_minute", SetsPace<ModelInfo, &Pace::tokens_per_minute>::read},
    {"concurrent_requests", SetsPace<ModelInfo, &Pace::concurrent_requests>::read},
}};

constexpr std::array<CatalogueField<Quirks>, 22> kQuirkFields{{
    {"max_tokens_field", Sets<&Quirks::max_tokens_field>::read},
    {"supports_temperature", Sets<&Quirks::supports_temperature>::read},
    {"supports_tools", Sets<&Quirks::supports_tools>::read},
    {"supports_images", Sets<&Quirks::supports_images>::read},
    {"supports_parallel_calls", Sets<&Quirks::supports_parallel_calls>::read},
    {"supports_stream_usage", Sets<&Quirks::supports_stream_usage>::read},
    {"supports_response_schema", Sets<&Quirks::supports_response_schema>::read},
    {"strict_schemas", Sets<&Quirks::strict_schemas>::read},
    {"supports_schema_refs", Sets<&Quirks::supports_schema_refs>::read},
    {"system_as_developer", Sets<&Quirks::system_as_developer>::read},
    {"tool_choice", Sets<&Quirks::tool_choice>::read},
    {"supports_user_after_tool", Sets<&Quirks::supports_user_after_tool>::read},
    {"call_ids", Sets<&Quirks::call_ids>::read},
    {"reasoning_field", Sets<&Quirks::reasoning_field>::read},
    {"return_reasoning", Sets<&Quirks::return_reasoning>::read},
    {"split_reasoning", Sets<&Quirks::split_reasoning>::read},
    {"preserve_thinking", read_preserve_thinking},
    {"reasoning_request", read_reasoning_request},
    {"reasoning_off", Sets<&Quirks::reasoning_off>::read},
    {"reasoning_tokens", Sets<&Quirks::reasoning_tokens>::read},
    {"service_tier", Sets<&Quirks::service_tier>::read},
    {"prompt_cache", read_prompt_cache},
}};

}  // namespace

std::span<const CatalogueField<VendorInfo>> vendor_fields() {
  return kVendorFields;
}

std::span<const CatalogueField<ModelInfo>> model_fields() {
  return kModelFields;
}

std::span<const CatalogueField<Quirks>> quirk_fields() {
  return kQuirkFields;
}

std::string_view kind_of(const CatalogueValue& node) {
  switch (node.kind) {
    case Kind::table: return "a table";
    case Kind::array: return "an array";
    case Kind::string: return "a string";
    case Kind::integer: return "an integer";
    case Kind::number: return "a number with a fraction";
    case Kind::boolean: return "a boolean";
    case Kind::time: return "a date or time";
    case Kind::none: break;
  }
  return "nothing";
}

}  // namespace wright::providers
