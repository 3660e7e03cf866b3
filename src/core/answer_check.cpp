// Whether a model's last word is what was asked for.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <exception>
#include <limits>

#include "core/try.h"
#include "wright/json.h"
#include "wright/run.h"

namespace wright {
namespace {

constexpr std::string_view kFence = "```";

std::string_view without_space_around(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// What stands between the two fences of a text; the text itself where there are not two.
std::string_view without_fence(std::string_view text) {
  const std::size_t opening = text.find(kFence);
  if (opening == std::string_view::npos) return text;
  const std::size_t line_end = text.find('\n', opening);  // behind the name of a language
  if (line_end == std::string_view::npos) return text;
  const std::size_t closing = text.find(kFence, line_end);
  if (closing == std::string_view::npos) return text;
  const bool has_more = text.find(kFence, closing + kFence.size()) != std::string_view::npos;
  return has_more ? text : text.substr(line_end, closing - line_end);
}

Result<Json> json_in(std::string_view text) {
  auto whole = parse_json(without_space_around(text));
  if (whole) return whole;
  const std::string_view inner = without_fence(text);
  if (inner.size() == text.size()) return whole;
  return parse_json(without_space_around(inner));
}

// Leaves out members that are null where that mends something. Some vendors let a model answer only
// with all members, and null stands for those that are not there.
class NullRemoval {
 public:
  NullRemoval(const JsonSchema& schema, Json& root) : schema_(schema), root_(root) {}

  void run() { remove_in(root_); }

 private:
  static constexpr int kMostTrials = 200;

  std::size_t problems() const {
    return schema_.violations(root_, std::numeric_limits<std::size_t>::max()).size();
  }

  void remove_in(Json& at) {
    if (JsonArray* array = at.if_array()) {
      for (Json& item : *array) remove_in(item);
    }
    JsonObject* object = at.if_object();
    if (object == nullptr) return;
    for (std::size_t i = 0; i < object->size();) {
      const bool is_null = (object->begin() + i)->value().is_null();
      if (is_null && is_better_without(*object, i)) continue;
      remove_in((object->begin() + i)->value());
      ++i;
    }
  }

  // The order of members that stay does not change.
  bool is_better_without(JsonObject& object, std::size_t i) {
    if (++trials_ > kMostTrials) return false;
    const std::size_t before = problems();
    JsonObject kept = object;
    object.stable_erase(object.begin() + i);
    if (problems() < before) return true;
    object = std::move(kept);
    return false;
  }

  const JsonSchema& schema_;
  Json& root_;
  int trials_ = 0;
};

Error does_not_fit(const std::vector<Violation>& violations) {
  std::vector<std::string_view> messages;
  JsonArray listed;
  for (const Violation& violation : violations) {
    messages.push_back(violation.message);
    listed.push_back({{"path", violation.path}, {"message", violation.message}});
  }
  return {ErrorCode::answer_refused,
          fmt::format("The answer does not fit its schema: {}", fmt::join(messages, "; ")),
          JsonObject{{"violations", std::move(listed)}}};
}

Result<void> checked_by_agent(const Agent& agent, std::string_view text) {
  if (!agent.check_answer) return {};
  try {
    return agent.check_answer(text);
  } catch (const std::exception& error) {
    return fail(ErrorCode::internal,
                fmt::format("The check of the answer threw: {}", error.what()));
  } catch (...) {
    return fail(ErrorCode::internal, "The check of the answer threw");
  }
}

}  // namespace

Result<Json> answer_json(std::string_view text, const Json& schema) {
  auto json = json_in(text);
  if (!json) {
    return fail(ErrorCode::answer_refused,
                fmt::format("The answer is not JSON: {}", json.error().message));
  }
  const auto compiled = TRY(JsonSchema::compile(schema));
  if (compiled.accepts(*json)) return json;
  NullRemoval(compiled, *json).run();
  const auto violations = compiled.violations(*json);
  if (violations.empty()) return json;
  return std::unexpected(does_not_fit(violations));
}

std::optional<AnswerRefused> refusal_of(const Agent& agent, const Run& run) {
  if (run.phase != Phase::done) return std::nullopt;
  const std::string text = run.messages.back().answer();
  const ResponseFormat& format = agent.sampling.response_format;
  if (format.kind == ResponseFormat::Kind::json_schema) {
    if (const auto fits = answer_json(text, format.schema); !fits) {
      return AnswerRefused{
          fmt::format("[{}. Answer again with one JSON value that fits this JSON schema, and "
                      "nothing else: no text around it, no code fence.\n{}]",
                      fits.error().message, to_text(format.schema))};
    }
  }
  if (format.kind == ResponseFormat::Kind::json_object) {
    if (const auto fits = answer_json(text, {{"type", "object"}}); !fits) {
      return AnswerRefused{
          fmt::format("[{}. Answer again with one JSON object, and nothing else: no text around "
                      "it, no code fence.]",
                      fits.error().message)};
    }
  }
  if (auto stands = checked_by_agent(agent, text); !stands) {
    return AnswerRefused{std::move(stands).error().message};
  }
  return std::nullopt;
}

}  // namespace wright
