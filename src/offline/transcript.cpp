#include "offline/transcript.h"

#include <algorithm>

#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr std::size_t kEarlierMessages = 5;

// Where a cut JSON text was last whole, and the brackets that were open there.
struct WholePart {
  std::size_t length = 0;
  std::string closing;
};

WholePart whole_part(std::string_view text) {
  WholePart whole;
  std::string open;  // the closing brackets that are due, outermost first
  bool in_string = false;
  for (std::size_t i = 0; i < text.size() && open.size() < kMaxJsonDepth; ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    switch (c) {
      case '"': in_string = true; break;
      case '{': open += '}'; break;
      case '[': open += ']'; break;
      case '}':
      case ']':
        if (open.empty() || open.back() != c) return whole;
        open.pop_back();
        whole = {i + 1, std::string(open.rbegin(), open.rend())};
        break;
      case ',': whole = {i, std::string(open.rbegin(), open.rend())}; break;
      default: break;
    }
  }
  return whole;
}

}  // namespace

const Exchange* Transcript::find(std::string_view tool, const JsonObject& arguments) const {
  const auto found = std::ranges::find_if(exchanges, [&](const Exchange& exchange) {
    const JsonObject* asked = exchange.arguments.if_object();
    return exchange.tool == tool && asked != nullptr && *asked == arguments;
  });
  return found == exchanges.end() ? nullptr : &*found;
}

Transcript read_transcript(const Request& request) {
  Transcript transcript;
  std::size_t start = request.messages.size();
  for (std::size_t i = request.messages.size(); i-- > 0;) {
    const Message& message = request.messages[i];
    if (message.role != Role::user) continue;
    std::string text = message.text();
    if (trim(text).empty()) continue;
    if (start == request.messages.size()) {
      start = i;
      transcript.prompt = std::move(text);
    } else if (transcript.earlier.size() < kEarlierMessages) {
      transcript.earlier.push_back(std::move(text));
    }
  }
  const auto since = request.messages.subspan(std::min(start, request.messages.size()));
  for (std::size_t i = 0; i < since.size(); ++i) {
    bool has_calls = false;
    for (const Part& part : since[i].parts) {
      const auto* call = std::get_if<ToolCall>(&part);
      if (call == nullptr) continue;
      has_calls = true;
      for (const Message& later : since.subspan(i)) {
        for (const Part& other : later.parts) {
          const auto* result = std::get_if<ToolResult>(&other);
          if (result == nullptr || result->call_id != call->id) continue;
          transcript.exchanges.push_back({call->name, parse_json(call->arguments).value_or(Json()),
                                          result->content, result->is_error});
        }
      }
    }
    if (has_calls) ++transcript.rounds;
  }
  return transcript;
}

std::optional<Json> parse_leniently(std::string_view text) {
  if (auto parsed = parse_json(text)) return std::move(*parsed);
  const std::string repaired = to_valid_utf8(std::string(text));
  if (auto parsed = parse_json(repaired)) return std::move(*parsed);
  const WholePart whole = whole_part(repaired);
  if (whole.length == 0) return std::nullopt;
  auto parsed = parse_json(repaired.substr(0, whole.length) + whole.closing);
  if (!parsed) return std::nullopt;
  return std::move(*parsed);
}

}  // namespace wright::offline
