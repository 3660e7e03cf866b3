// A cut as it is kept with a session.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <string_view>

#include "core/context_layout.h"
#include "core/context_window.h"

namespace wright {
namespace {

constexpr std::size_t kLargestKeptSummary = 20'000;  // bytes

std::int64_t number(std::size_t place) {
  return static_cast<std::int64_t>(place);
}

std::optional<std::size_t> count_in(const JsonObject& object, std::string_view key) {
  const Json* count = object.if_contains(key);
  if (count == nullptr || !count->is_int64() || count->get_int64() < 0) return std::nullopt;
  return static_cast<std::size_t>(count->get_int64());
}

// A position in the messages; absent if it is not one.
std::optional<std::size_t> place_in(const JsonObject& object, std::string_view key,
                                    std::span<const Message> messages) {
  const auto at = count_in(object, key);
  if (!at) return std::nullopt;
  const bool is_boundary_or_end = *at == messages.size() || is_boundary(messages, *at);
  return is_boundary_or_end ? at : std::nullopt;
}

std::optional<ContextCut::Tight> tight_from(const Json& json, std::span<const Message> messages) {
  if (!json.is_object()) return std::nullopt;
  const auto begin = place_in(json.get_object(), "begin", messages);
  const auto end = place_in(json.get_object(), "end", messages);
  const auto kept = count_in(json.get_object(), "kept");
  if (!begin || !end || !kept) return std::nullopt;
  return ContextCut::Tight{*begin, *end, *kept};
}

// One, as older versions have it, or several.
std::optional<std::vector<ContextCut::Tight>> tights_from(const Json* json,
                                                          std::span<const Message> messages) {
  if (json == nullptr) return std::nullopt;
  std::vector<ContextCut::Tight> tights;
  if (json->is_object()) {
    const auto tight = tight_from(*json, messages);
    if (!tight) return std::nullopt;
    if (*tight != ContextCut::Tight{}) tights.push_back(*tight);
    return tights;
  }
  if (!json->is_array()) return std::nullopt;
  for (const Json& each : json->get_array()) {
    const auto tight = tight_from(each, messages);
    if (!tight) return std::nullopt;
    tights.push_back(*tight);
  }
  return tights;
}

// What older versions did not keep.
std::size_t turn_from(const JsonObject& object, std::size_t summarised,
                      std::span<const Message> messages) {
  const auto turn = count_in(object, "turn");
  if (turn) return *turn < summarised && messages[*turn].is_from_user() ? *turn : 0;
  if (summarised >= messages.size() || messages[summarised].is_from_user()) return 0;
  const std::size_t first = first_end(messages);
  for (std::size_t at = summarised; at > first; --at) {
    if (messages[at - 1].is_from_user()) return at - 1;
  }
  return 0;
}

}  // namespace

Json to_json(const ContextCut& cut) {
  JsonArray tight;
  for (const ContextCut::Tight& each : cut.tight) {
    tight.push_back(JsonObject{
        {"begin", number(each.begin)}, {"end", number(each.end)}, {"kept", number(each.kept)}});
  }
  return JsonObject{{"shortened", number(cut.shortened)},
                    {"kept", number(cut.kept)},
                    {"summarised", number(cut.summarised)},
                    {"summary", cut.summary},
                    {"turn", number(cut.turn)},
                    {"tight", std::move(tight)}};
}

Result<ContextCut> context_cut_from_json(const Json& json, std::span<const Message> messages) {
  const auto refused = [] {
    return fail(ErrorCode::invalid_argument, "This is not a cut of these messages");
  };
  const JsonObject* object = json.if_object();
  if (object == nullptr) return refused();
  const Json* summary = object->if_contains("summary");
  const auto shortened = place_in(*object, "shortened", messages);
  const auto summarised = place_in(*object, "summarised", messages);
  auto tight = tights_from(object->if_contains("tight"), messages);
  if (!shortened || !summarised || summary == nullptr || !summary->is_string() || !tight) {
    return refused();
  }
  return ContextCut{
      .shortened = *shortened,
      .kept = count_in(*object, "kept").value_or(ContextCut{}.kept),
      .summarised = *summarised,
      .summary = to_valid_utf8(std::string(summary->get_string()).substr(0, kLargestKeptSummary)),
      .turn = turn_from(*object, *summarised, messages),
      .tight = std::move(*tight)};
}

Json context_of_fork(const Json& kept, std::size_t messages) {
  const JsonObject* object = kept.if_object();
  if (object == nullptr) return {};
  const auto shortened = count_in(*object, "shortened");
  const auto summarised = count_in(*object, "summarised");
  if (!shortened || !summarised || *summarised > messages) return {};
  JsonObject forked = *object;
  forked["shortened"] = number(std::min(*shortened, messages));
  if (Json* tight = forked.if_contains("tight"); tight != nullptr && tight->is_array()) {
    JsonArray left;
    for (Json& each : tight->get_array()) {
      const auto end =
          each.is_object() ? count_in(each.get_object(), "end") : std::optional<std::size_t>();
      if (end && *end <= messages) left.push_back(std::move(each));
    }
    *tight = std::move(left);
  }
  if (const Json* measured = forked.if_contains("measured"); measured && measured->is_object()) {
    const auto count = count_in(measured->get_object(), "messages");
    if (!count || *count > messages) forked.erase("measured");
  }
  return forked;
}

}  // namespace wright
