#include "providers/reasoning_details.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "providers/response_json.h"

namespace wright::providers {
namespace {

constexpr std::array<std::string_view, 3> kContinued{"text", "summary", "data"};

bool continues(const Json& block, const Json& piece) {
  const Json* index = field(&piece, "index");
  return index != nullptr && field(&block, "index") != nullptr &&
         *field(&block, "index") == *index &&
         text_field(&block, "type") == text_field(&piece, "type");
}

bool is_continued(std::string_view key) {
  return std::ranges::find(kContinued, key) != kContinued.end();
}

// Whether the piece begins with all that is there: a few characters may do so by chance.
bool is_whole(const Json& block, const Json& piece) {
  constexpr std::size_t kByChance = 4;
  const std::string_view known = text_field(&block, "text");
  return known.size() > kByChance && text_field(&piece, "text").starts_with(known);
}

// Copies, because the piece lives in the memory of its event.
void append(JsonObject& block, const JsonObject& piece) {
  for (const auto& [key, value] : piece) {
    Json* known = block.if_contains(key);
    if (known != nullptr && known->is_string() && value.is_string() && is_continued(key)) {
      known->get_string().append(value.get_string());
    } else if (!value.is_null() || known == nullptr) {
      block[key] = value;
    }
  }
}

}  // namespace

std::string ReasoningDetails::merge(const JsonArray& pieces, Pieces kind) {
  std::string text;
  for (const Json& piece : pieces) {
    if (!piece.is_object()) continue;
    const bool repeats = kind == Pieces::may_repeat && !blocks_.empty() &&
                         continues(blocks_.back(), piece) && is_whole(blocks_.back(), piece);
    if (repeats) {
      text += text_field(&piece, "text").substr(text_field(&blocks_.back(), "text").size());
      blocks_.back() = piece;
      continue;
    }
    text += text_field(&piece, "text");
    text += text_field(&piece, "summary");
    if (!blocks_.empty() && continues(blocks_.back(), piece)) {
      append(blocks_.back().get_object(), piece.get_object());
    } else {
      blocks_.push_back(piece);
    }
  }
  return text;
}

Json ReasoningDetails::block() const {
  return JsonObject{{"reasoning_details", blocks_}};
}

}  // namespace wright::providers
