// Keeps results short. Long strings inside an object are cut, so that its shape survives; only a
// result that is still too long becomes a cut text. Where there is a place for it, the whole result
// is written to a file first.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/cut_text.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

constexpr std::size_t kShortestCut = 32;
constexpr std::size_t kRemark = 48;  // about the length of what is added to a cut text
constexpr std::string_view kWholeFile = "full_output_file";

void for_each_string(Json& value, const std::function<void(Json&)>& visit) {
  if (value.is_string()) {
    visit(value);
  } else if (JsonArray* array = value.if_array()) {
    for (Json& item : *array) for_each_string(item, visit);
  } else if (JsonObject* object = value.if_object()) {
    for (auto& member : *object) for_each_string(member.value(), visit);
  }
}

// The greatest length to which all longer strings can be cut so that `excess` bytes are saved;
// nothing when even the shortest cut saves too little.
std::optional<std::size_t> cut_length(const std::vector<std::size_t>& lengths, std::size_t excess) {
  const auto freed = [&](std::size_t cap) {
    std::size_t sum = 0;
    for (const std::size_t length : lengths) {
      if (length > cap + kRemark) sum += length - cap - kRemark;
    }
    return sum;
  };
  if (freed(kShortestCut) < excess) return std::nullopt;
  std::size_t low = kShortestCut;  // frees enough
  std::size_t high = lengths.empty() ? low : std::ranges::max(lengths);
  while (low < high) {
    const std::size_t middle = low + (high - low + 1) / 2;
    if (freed(middle) >= excess) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Writes `text` to a file and returns its path; empty when it cannot be written.
std::string kept(std::string_view text, const Context& context) {
  if (!context.spill) return {};
  return context.spill(text).value_or(std::string());
}

std::string shortened(std::string_view text, std::size_t bytes, const std::string& file) {
  return file.empty() ? head_of(text, bytes) : head_and_tail(text, bytes, file);
}

Json limited(Json value, std::size_t bytes, const Context& context) {
  if (const JsonString* text = value.if_string()) {
    if (text->size() <= bytes) return value;
    return Json(shortened(*text, bytes, kept(*text, context)));
  }
  if (!value.is_structured()) return value;
  const std::string whole = to_text(value);
  if (whole.size() <= bytes) return value;
  // Text with lines can be read page by page.
  const std::string file = kept(to_pretty_text(value), context);
  std::size_t excess = whole.size() - bytes;
  if (!file.empty() && value.is_object()) excess += kWholeFile.size() + file.size() + 6;
  std::vector<std::size_t> lengths;
  for_each_string(value, [&](Json& text) { lengths.push_back(text.get_string().size()); });
  const auto length = cut_length(lengths, excess);
  if (!length) return Json(shortened(whole, bytes, file));
  for_each_string(value, [&](Json& text) {
    if (text.get_string().size() > *length + kRemark) text = head_of(text.get_string(), *length);
  });
  if (JsonObject* object = value.if_object(); object != nullptr && !file.empty()) {
    (*object)[kWholeFile] = file;
  }
  return value;
}

}  // namespace

Interceptor output_limit(std::size_t bytes) {
  return after([bytes](const Invocation&, const Context& context, Result<ToolReply>& reply) {
    if (Output* output = output_of(reply)) {
      output->value = limited(std::move(output->value), bytes, context);
    }
  });
}

}  // namespace wright::intercept
