#include "providers/model_list.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/percent.h"
#include "core/text.h"
#include "core/try.h"
#include "providers/platform_address.h"
#include "providers/provider_errors.h"
#include "providers/request_headers.h"
#include "providers/response_json.h"

namespace wright::providers {
namespace {

constexpr std::size_t kMostListed = 20'000;

// Bedrock's list is on the host of its control plane.
std::string bedrock_list_url(std::string_view base) {
  constexpr std::string_view kRuntime = "bedrock-runtime";
  std::string url(base);
  if (const std::size_t at = url.find(kRuntime); at != std::string::npos) {
    url.replace(at, kRuntime.size(), "bedrock");
  }
  return url + "/foundation-models";
}

// The first of these fields that holds a count.
std::optional<std::int64_t> first_told(const Json* model,
                                       std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::int64_t count = count_field(model, key); count > 0) return count;
  }
  return {};
}

std::optional<double> amount_in(const Json* value) {
  if (value == nullptr) return {};
  if (value->is_number()) {
    const double amount = value->to_number<double>();
    return std::isfinite(amount) && amount >= 0 ? std::optional(amount) : std::nullopt;
  }
  const std::string_view text = text_in(value);
  double amount = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), amount);
  const bool is_amount = problem == std::errc() && end == text.data() + text.size() &&
                         std::isfinite(amount) && amount >= 0;
  return is_amount ? std::optional(amount) : std::nullopt;
}

// Dollars for a million tokens, to the millionth: 0.00000015 for one token is 0.15.
std::optional<double> per_million(std::optional<double> for_one) {
  if (!for_one) return {};
  return std::round(*for_one * 1e12) / 1e6;
}

// OpenRouter and those who follow it name the price of one token, in strings; Together that of a
// million, in numbers.
std::optional<Price> price_in(const Json& model) {
  const Json* pricing = field(&model, "pricing");
  if (object_in(pricing) == nullptr) return {};
  if (const auto input = per_million(amount_in(field(pricing, "prompt")))) {
    const auto output = per_million(amount_in(field(pricing, "completion")));
    if (!output) return {};
    return Price{.input = *input,
                 .output = *output,
                 .cached_input = per_million(amount_in(field(pricing, "input_cache_read"))),
                 .cache_write = per_million(amount_in(field(pricing, "input_cache_write")))};
  }
  const auto input = amount_in(field(pricing, "input"));
  const auto output = amount_in(field(pricing, "output"));
  if (!input || !output || (*input == 0 && *output == 0)) return {};
  return Price{.input = *input, .output = *output};
}

ListedModel listed_model(const Json& model, std::string_view name) {
  ListedModel listed{.name = valid_text(name)};
  listed.context_tokens =
      first_told(&model, {"context_length", "context_window", "max_context_length",
                          "max_input_tokens", "inputTokenLimit", "max_model_len"});
  listed.max_output_tokens = first_told(
      &model, {"max_completion_tokens", "max_output_tokens", "outputTokenLimit", "max_tokens"});
  if (!listed.max_output_tokens) {
    listed.max_output_tokens = first_told(field(&model, "top_provider"), {"max_completion_tokens"});
  }
  listed.price = price_in(model);
  return listed;
}

const JsonArray* list_in(const Json& document) {
  if (const JsonArray* whole = document.if_array()) return whole;  // Together's
  for (const std::string_view key : {"data", "models", "modelSummaries", "result"}) {
    if (const JsonArray* list = array_in(field(&document, key))) return list;
  }
  return nullptr;
}

}  // namespace

Result<HttpRequest> encode_model_list(const Endpoint& endpoint, std::string_view page) {
  const VendorInfo& vendor = endpoint.vendor;
  const std::string next = percent_encoded(page);
  HttpRequest request{.method = "GET"};
  std::vector<HttpHeader> own{bearer(endpoint)};
  switch (endpoint.protocol()) {
    case Protocol::openai_chat:
    case Protocol::openai_responses: request.url = vendor.base_url + "/models"; break;
    case Protocol::ollama_chat: request.url = vendor.base_url + "/tags"; break;
    case Protocol::bedrock_converse: request.url = bedrock_list_url(vendor.base_url); break;
    case Protocol::anthropic_messages:
      request.url = vendor.base_url + "/models?limit=1000" +
                    (next.empty() ? std::string() : "&after_id=" + next);
      own = {{"x-api-key", endpoint.key, true}, {"anthropic-version", "2023-06-01"}};
      break;
    case Protocol::gemini_generate:
      request.url = vendor.base_url + "/models?pageSize=1000" +
                    (next.empty() ? std::string() : "&pageToken=" + next);
      own = {{"x-goog-api-key", endpoint.key, true}};
      break;
  }
  if (vendor.platform == Platform::google) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} has no list of models that can be compared", vendor.title));
  }
  request.headers = request_headers(endpoint, std::move(own));
  // There is no body, so it has no type.
  std::erase_if(request.headers,
                [](const HttpHeader& header) { return header.name == "content-type"; });
  Endpoint current = endpoint;
  current.vendor.api_version.clear();
  return addressed(std::move(request), current);
}

Result<ModelListPage> decode_model_list(const Endpoint& endpoint, std::string_view body) {
  const auto document = parse_json(body);
  if (!document) return std::unexpected(malformed_answer(endpoint, document.error().message));
  const JsonArray* list = list_in(*document);
  if (list == nullptr) return std::unexpected(malformed_answer(endpoint, "There is no list in it"));
  if (list->size() > kMostListed) {
    return std::unexpected(malformed_answer(endpoint, "It lists too many models"));
  }
  ModelListPage page;
  for (const Json& model : *list) {
    std::string_view name = text_field(&model, "id");
    if (endpoint.protocol() == Protocol::gemini_generate || name.empty()) {
      name = text_field(&model, "name");
    }
    if (name.empty()) name = text_field(&model, "modelId");
    if (name.starts_with("models/")) name.remove_prefix(7);
    if (!name.empty()) page.models.push_back(listed_model(model, name));
  }
  const Json* has_more = field(&*document, "has_more");
  if (has_more != nullptr && has_more->is_bool() && has_more->get_bool()) {
    page.next = valid_text(text_field(&*document, "last_id"));
  } else {
    page.next = valid_text(text_field(&*document, "nextPageToken"));
  }
  return page;
}

}  // namespace wright::providers

namespace wright {
namespace {

struct Difference {
  const ModelInfo& row;
  const ListedModel& listed;
  std::vector<ModelDifference>& found;

  void count(std::string_view field, std::optional<std::int64_t> ours,
             std::optional<std::int64_t> theirs) {
    if (theirs && ours != theirs) {
      found.push_back({row.name, std::string(field), static_cast<double>(ours.value_or(0)),
                       static_cast<double>(*theirs)});
    }
  }

  void amount(std::string_view field, std::optional<double> ours, std::optional<double> theirs) {
    constexpr double kSame = 1e-6;
    if (theirs && std::abs(ours.value_or(-1) - *theirs) > kSame) {
      found.push_back({row.name, std::string(field), ours, *theirs});
    }
  }
};

}  // namespace

ModelComparison compare(const Catalogue& catalogue, const VendorInfo& vendor,
                        const std::vector<ListedModel>& listed) {
  ModelComparison comparison;
  std::vector<const ModelInfo*> seen;
  for (const ListedModel& model : listed) {
    const ModelInfo* row = catalogue.find_model(vendor, model.name);
    if (row == nullptr) {
      comparison.without_row.push_back(model.name);
      continue;
    }
    seen.push_back(row);
    Difference difference{*row, model, comparison.different};
    difference.count("context_tokens", row->context_tokens, model.context_tokens);
    difference.count("max_output_tokens", row->max_output_tokens, model.max_output_tokens);
    if (!model.price) continue;
    const Price ours = row->price.value_or(Price{-1, -1});
    difference.amount("price.input", ours.input, model.price->input);
    difference.amount("price.output", ours.output, model.price->output);
    difference.amount("price.cached_input", ours.cached_input, model.price->cached_input);
    difference.amount("price.cache_write", ours.cache_write, model.price->cache_write);
  }
  for (const ModelInfo& row : catalogue.models()) {
    const bool is_listed = std::ranges::find(seen, &row) != seen.end();
    if (row.vendor == vendor.name && !is_listed) comparison.not_listed.push_back(row.name);
  }
  std::ranges::sort(comparison.without_row);
  return comparison;
}

}  // namespace wright
