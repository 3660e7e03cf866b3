#include "app/wiring/remote_rows.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <utility>

#include "core/try.h"
#include "store/damage.h"

namespace wright::app {
namespace {

// Up to here JSON numbers are exact, and sums and differences of a few stay far from overflowing.
constexpr std::int64_t kLargestNumber = std::int64_t{1} << 53;

bool is_sane(std::int64_t number) {
  return -kLargestNumber <= number && number <= kLargestNumber;
}

// Reads members, and remembers the first that is not what it should be.
class RowReader {
 public:
  RowReader(std::string_view kind, const Json& json) : kind_(kind), object_(json.if_object()) {
    if (object_ == nullptr) wrong_ = "is no object";
  }

  std::string text(std::string_view key) {
    const Json* value = find(key);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
    note(key);
    return {};
  }
  std::optional<std::string> optional_text(std::string_view key) {
    const Json* value = find(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    return text(key);
  }
  std::int64_t number(std::string_view key) {
    const Json* value = find(key);
    if (value != nullptr && value->is_int64() && is_sane(value->get_int64())) {
      return value->get_int64();
    }
    note(key);
    return 0;
  }
  std::optional<std::int64_t> optional_number(std::string_view key) {
    const Json* value = find(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    return number(key);
  }
  Json json(std::string_view key) const {
    const Json* value = find(key);
    return value != nullptr ? *value : Json();
  }
  Usage usage(std::string_view key) {
    const auto read = usage_from(json(key));
    if (read) return *read;
    note(key);
    return {};
  }
  // By one of the …_from() of the library.
  template <class Value>
  Value word(std::string_view key, Result<Value> (*from)(std::string_view)) {
    const auto read = from(text(key));
    if (read) return *read;
    note(key);
    return {};
  }
  template <class Value>
  std::optional<Value> optional_word(std::string_view key,
                                     Result<Value> (*from)(std::string_view)) {
    const Json* value = find(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    return word(key, from);
  }
  std::vector<std::int64_t> numbers(std::string_view key) {
    std::vector<std::int64_t> list;
    const Json* value = find(key);
    if (value == nullptr || !value->is_array()) {
      note(key);
      return list;
    }
    for (const Json& each : value->get_array()) {
      if (each.is_int64()) list.push_back(each.get_int64());
    }
    return list;
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> list;
    const Json* value = find(key);
    if (value == nullptr || !value->is_array()) return list;
    for (const Json& each : value->get_array()) {
      if (each.is_string()) list.emplace_back(each.get_string());
    }
    return list;
  }

  template <class Row>
  Result<Row> done(Row row) const {
    if (wrong_.empty()) return row;
    return fail(ErrorCode::protocol,
                fmt::format("The server sent no {} that can be read: {}", kind_, wrong_));
  }

 private:
  const Json* find(std::string_view key) const {
    return object_ == nullptr ? nullptr : object_->if_contains(key);
  }
  void note(std::string_view key) {
    if (wrong_.empty()) wrong_ = fmt::format("its '{}' is missing or wrong", key);
  }

  const std::string_view kind_;
  const JsonObject* const object_;
  std::string wrong_;
};

template <class Samples>
void read_samples(RowReader& reader, Samples& samples) {
  samples.agent_name = reader.text("agent");
  samples.provider = reader.text("provider");
  samples.model = reader.text("model");
  samples.count = reader.number("count");
  samples.failed = reader.number("failed");
  samples.durations_ms = reader.numbers("durations_ms");
}

}  // namespace

Result<Usage> usage_from(const Json& json) {
  const auto usage = TRY(usage_from_json(json));
  for (const std::int64_t count : {usage.input_tokens, usage.output_tokens, usage.cached_tokens,
                                   usage.reasoning_tokens, usage.cache_write_tokens}) {
    if (!is_sane(count)) {
      return fail(ErrorCode::protocol, fmt::format("The server counts {} tokens", count));
    }
  }
  return usage;
}

Result<Session> session_from(const Json& json) {
  RowReader reader("session", json);
  Session session{.id = reader.number("id"),
                  .agent_name = reader.text("agent"),
                  .provider = reader.text("provider"),
                  .model = reader.text("model"),
                  .system_prompt = reader.optional_text("system_prompt"),
                  .user_prompt = reader.text("prompt"),
                  .status = reader.word("status", session_status_from),
                  .started_at = reader.number("started_at"),
                  .ended_at = reader.optional_number("ended_at"),
                  .result = reader.optional_text("result"),
                  .error = reader.optional_text("error"),
                  .error_code = reader.optional_word("error_code", error_code_from),
                  .limit = reader.optional_word("limit", limit_from),
                  .parent_session_id = reader.optional_number("parent_session_id"),
                  .usage = reader.usage("usage"),
                  .iterations = static_cast<int>(reader.number("iterations")),
                  .config = reader.json("config"),
                  .forked_from = reader.optional_number("forked_from"),
                  .feedback = reader.json("feedback"),
                  .cancel_reason = reader.optional_text("cancel_reason"),
                  .tenant = reader.optional_text("tenant").value_or("")};
  // Of one that has ended, what people are told it took.
  session.worked_ms = reader.optional_number("worked_ms");
  if (!session.worked_ms) session.worked_ms = reader.optional_number("duration_ms");
  if (reader.json("is_damaged") == Json(true)) session.format_version = store::kFormatOfDamaged;
  return reader.done(std::move(session));
}

Result<StoredMessage> stored_message_from(const Json& json) {
  RowReader reader("message", json);
  auto message = TRY(message_from_json(reader.json("message")));
  return reader.done(StoredMessage{.id = reader.number("id"),
                                   .session_id = reader.number("session_id"),
                                   .message = std::move(message),
                                   .content = reader.text("text"),
                                   .created_at = reader.number("created_at")});
}

Result<StoredCall> call_from(const Json& json) {
  RowReader reader("tool call", json);
  StoredCall call{.id = reader.number("id"),
                  .session_id = reader.number("session_id"),
                  .message_id = reader.optional_number("message_id"),
                  .tool_call_id = reader.text("call_id"),
                  .tool_name = reader.text("tool"),
                  .request = reader.text("arguments"),
                  .status = reader.word("status", call_status_from),
                  .created_at = reader.number("created_at"),
                  .completed_at = reader.optional_number("completed_at"),
                  .execution_time_ms = reader.optional_number("execution_time_ms"),
                  .error_details = reader.optional_text("error")};
  if (Json response = reader.json("response"); !response.is_null()) {
    call.response = std::move(response);
  }
  return reader.done(std::move(call));
}

Result<StoredWait> wait_from(const Json& json) {
  RowReader reader("wait", json);
  return reader.done(StoredWait{.id = reader.number("id"),
                                .session_id = reader.number("session_id"),
                                .call_id = reader.number("call_id"),
                                .kind = reader.word("kind", wait_kind_from),
                                .shown = reader.json("shown"),
                                .covers = reader.texts("covers"),
                                .status = reader.word("status", wait_status_from),
                                .created_at = reader.number("created_at"),
                                .expires_at = reader.optional_number("expires_at"),
                                .answered_at = reader.optional_number("answered_at"),
                                .answered_by = reader.optional_text("answered_by")});
}

Result<Runner> runner_from(const Json& json) {
  RowReader reader("runner", json);
  return reader.done(Runner{.id = reader.number("id"),
                            .name = reader.text("name"),
                            .expires_at = reader.number("expires_at")});
}

Result<StoreStats> samples_from(const Json& json) {
  StoreStats stats;
  const JsonObject* object = json.if_object();
  const Json* runs = object != nullptr ? object->if_contains("runs") : nullptr;
  const Json* calls = object != nullptr ? object->if_contains("calls") : nullptr;
  if (runs == nullptr || !runs->is_array() || calls == nullptr || !calls->is_array()) {
    return fail(ErrorCode::protocol, "The server sent no figures that can be read");
  }
  for (const Json& each : runs->get_array()) {
    RowReader reader("figures", each);
    RunSamples samples;
    read_samples(reader, samples);
    samples.usage = reader.usage("usage");
    auto read = TRY(reader.done(std::move(samples)));
    stats.runs.push_back(std::move(read));
  }
  for (const Json& each : calls->get_array()) {
    RowReader reader("figures", each);
    CallSamples samples;
    samples.tool_name = reader.text("tool");
    read_samples(reader, samples);
    samples.unknown = reader.optional_number("unknown").value_or(0);
    auto read = TRY(reader.done(std::move(samples)));
    stats.calls.push_back(std::move(read));
  }
  return stats;
}

Result<StoredEvent> event_from(const Json& json) {
  RowReader reader("event", json);
  return reader.done(StoredEvent{.sequence = reader.number("sequence"),
                                 .session_id = reader.number("session_id"),
                                 .type = reader.text("type"),
                                 .data = reader.json("data"),
                                 .at = reader.number("at")});
}

Result<StoredEvent> event_from(std::string_view text) {
  const auto json = TRY(parse_json(text));
  return event_from(json);
}

}  // namespace wright::app
