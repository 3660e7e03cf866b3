#include "providers/chat_usage.h"

#include <algorithm>

#include "providers/response_json.h"

namespace wright::providers {
namespace {

constexpr double kLargestCost = 1e9;  // of one answer, in dollars

std::int64_t first_count(const Json* object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::int64_t count = count_field(object, key); count > 0) return count;
  }
  return 0;
}

const Json* first_field(const Json* object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const Json* value = field(object, key)) return value;
  }
  return nullptr;
}

}  // namespace

std::optional<Usage> read_openai_usage(const Json* usage) {
  if (usage == nullptr) return {};
  const Json* input = first_field(usage, {"prompt_tokens_details", "input_tokens_details"});
  const Json* output = first_field(usage, {"completion_tokens_details", "output_tokens_details"});
  Usage read;
  read.input_tokens = first_count(usage, {"prompt_tokens", "input_tokens"});
  read.output_tokens = first_count(usage, {"completion_tokens", "output_tokens"});
  read.cached_tokens = first_count(input, {"cached_tokens"});
  if (read.cached_tokens == 0) {
    read.cached_tokens = first_count(usage, {"prompt_cache_hit_tokens", "cached_tokens"});
  }
  read.cached_tokens = std::min(read.cached_tokens, read.input_tokens);
  read.cache_write_tokens = first_count(input, {"cache_write_tokens"});
  read.reasoning_tokens = first_count(output, {"reasoning_tokens"});
  if (read.reasoning_tokens == 0) read.reasoning_tokens = first_count(usage, {"reasoning_tokens"});
  // xAI counts reasoning separately from the text; the total shows which.
  const std::int64_t total = count_field(usage, "total_tokens");
  const bool counts_apart = total == read.input_tokens + read.output_tokens + read.reasoning_tokens;
  if (read.reasoning_tokens > read.output_tokens || counts_apart) {
    read.output_tokens += read.reasoning_tokens;
  }
  if (const Json* cost = field(usage, "cost"); cost != nullptr && cost->is_number()) {
    read.cost_usd = std::clamp(cost->to_number<double>(), 0.0, kLargestCost);
  }
  if (read == Usage()) return {};
  return read;
}

}  // namespace wright::providers
