#include "golden/golden_case.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>

namespace wright::golden {
namespace {

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<Json> read_json(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return {};
  auto json = parse_json(*text);
  if (!json) throw std::runtime_error(fmt::format("{}: {}", path.string(), json.error().message));
  return *json;
}

// Reads fields by name and refuses those that nobody knows, so that a misspelt one is noticed.
class Fields {
 public:
  using Setter = std::function<void(const Json&)>;

  Fields& on(std::string_view key, Setter set) {
    setters_.emplace(key, std::move(set));
    return *this;
  }
  Fields& on(std::string_view key, std::string& to) {
    return on(key, [&to](const Json& value) { to = value.as_string(); });
  }
  Fields& on(std::string_view key, bool& to) {
    return on(key, [&to](const Json& value) { to = value.as_bool(); });
  }
  void read(const Json& json) const {
    for (const auto& [key, value] : json.as_object()) {
      const auto setter = setters_.find(key);
      if (setter == setters_.end()) {
        throw std::runtime_error(fmt::format("unknown field '{}'", std::string_view(key)));
      }
      setter->second(value);
    }
  }

 private:
  std::map<std::string, Setter, std::less<>> setters_;
};

template <class Enum>
Fields::Setter one_of(Enum& to, std::map<std::string, Enum, std::less<>> names) {
  return [&to, names = std::move(names)](const Json& value) {
    to = names.at(std::string(value.as_string()));
  };
}

Quirks read_quirks(const Json& json) {
  Quirks quirks;
  Fields()
      .on("max_tokens_field", quirks.max_tokens_field)
      .on("supports_temperature", quirks.supports_temperature)
      .on("supports_tools", quirks.supports_tools)
      .on("supports_images", quirks.supports_images)
      .on("supports_parallel_calls", quirks.supports_parallel_calls)
      .on("supports_stream_usage", quirks.supports_stream_usage)
      .on("supports_response_schema", quirks.supports_response_schema)
      .on("strict_schemas", quirks.strict_schemas)
      .on("supports_schema_refs", quirks.supports_schema_refs)
      .on("system_as_developer", quirks.system_as_developer)
      .on("supports_user_after_tool", quirks.supports_user_after_tool)
      .on("reasoning_field", quirks.reasoning_field)
      .on("service_tier", quirks.service_tier)
      .on("prompt_cache", quirks.prompt_cache)
      .on("split_reasoning", quirks.split_reasoning)
      .on("preserve_thinking", quirks.preserve_thinking)
      .on("reasoning_request", quirks.reasoning_request)
      .on("reasoning_off", quirks.reasoning_off)
      .on("tool_choice",
          one_of(quirks.tool_choice, {{"full", Quirks::ToolChoiceSupport::full},
                                      {"automatic_only", Quirks::ToolChoiceSupport::automatic_only},
                                      {"none", Quirks::ToolChoiceSupport::none}}))
      .on("call_ids",
          one_of(quirks.call_ids, {{"any", Quirks::CallIds::any},
                                   {"nine_alphanumeric", Quirks::CallIds::nine_alphanumeric}}))
      .on("return_reasoning",
          one_of(quirks.return_reasoning, {{"required", Quirks::ReturnReasoning::required},
                                           {"never", Quirks::ReturnReasoning::never},
                                           {"within_turn", Quirks::ReturnReasoning::within_turn},
                                           {"always", Quirks::ReturnReasoning::always}}))
      .read(json);
  return quirks;
}

Price read_price(const Json& json) {
  Price price;
  const auto number = [](double& to) {
    return [&to](const Json& value) { to = value.to_number<double>(); };
  };
  Fields()
      .on("input", number(price.input))
      .on("output", number(price.output))
      .on("cached_input", [&](const Json& v) { price.cached_input = v.to_number<double>(); })
      .on("cache_write", [&](const Json& v) { price.cache_write = v.to_number<double>(); })
      .read(json);
  return price;
}

Endpoint read_endpoint(const Json& json, Protocol protocol) {
  Endpoint endpoint;
  endpoint.vendor.protocol = protocol;
  endpoint.vendor.name = "example";
  endpoint.vendor.base_url = "https://api.example.com/v1";
  endpoint.model.name = "model-1";
  // The row of the catalogue comes first: what else is said changes it.
  if (const Json* row = json.as_object().if_contains("row")) {
    endpoint = Catalogue::built_in().find(std::string(row->as_string())).value();
  }
  const bool has_row = json.as_object().contains("row");
  Fields()
      .on("row", [](const Json&) {})
      .on("vendor", endpoint.vendor.name)
      .on("base_url", endpoint.vendor.base_url)
      .on("platform", one_of(endpoint.vendor.platform, {{"azure", Platform::azure},
                                                        {"aws", Platform::aws},
                                                        {"google", Platform::google}}))
      .on("api_version", endpoint.vendor.api_version)
      .on("model", endpoint.model.name)
      .on("key", endpoint.key)
      .on("headers",
          [&](const Json& value) {
            for (const auto& [name, item] : value.as_object()) {
              endpoint.vendor.headers.push_back(
                  {std::string(name), std::string(item.as_string()), false});
            }
          })
      .on("context_tokens",
          [&](const Json& value) { endpoint.model.context_tokens = value.as_int64(); })
      .on("max_output_tokens",
          [&](const Json& value) { endpoint.model.max_output_tokens = value.as_int64(); })
      .on("price", [&](const Json& value) { endpoint.model.price = read_price(value); })
      .on("quirks", [&](const Json& value) { endpoint.model.quirks = read_quirks(value); })
      .read(json);
  if (!has_row) endpoint.vendor.quirks = endpoint.model.quirks;
  endpoint.model.vendor = endpoint.vendor.name;
  return endpoint;
}

ToolChoice read_tool_choice(const Json& json) {
  const std::string name(json.as_string());
  if (name == "auto") return ToolChoice::automatic();
  if (name == "required") return ToolChoice::required();
  if (name == "none") return ToolChoice::none();
  return ToolChoice::one(name);
}

ResponseFormat read_format(const Json& json) {
  ResponseFormat format;
  Fields()
      .on("kind", one_of(format.kind, {{"text", ResponseFormat::Kind::text},
                                       {"json_object", ResponseFormat::Kind::json_object},
                                       {"json_schema", ResponseFormat::Kind::json_schema}}))
      .on("name", format.name)
      .on("schema", [&](const Json& value) { format.schema = value; })
      .read(json);
  return format;
}

Sampling read_sampling(const Json& json) {
  Sampling sampling;
  ReasoningEffort effort{};
  const auto read_effort = one_of(effort, {{"none", ReasoningEffort::none},
                                           {"low", ReasoningEffort::low},
                                           {"medium", ReasoningEffort::medium},
                                           {"high", ReasoningEffort::high}});
  Fields()
      .on("max_tokens", [&](const Json& value) { sampling.max_tokens = value.to_number<int>(); })
      .on("temperature",
          [&](const Json& value) { sampling.temperature = value.to_number<double>(); })
      .on("top_p", [&](const Json& value) { sampling.top_p = value.to_number<double>(); })
      .on("stop",
          [&](const Json& value) {
            for (const Json& one : value.as_array()) {
              sampling.stop_sequences.emplace_back(one.as_string());
            }
          })
      .on("reasoning",
          [&](const Json& value) {
            read_effort(value);
            sampling.reasoning = effort;
          })
      .on("vendor_tools",
          [&](const Json& value) {
            for (const Json& one : value.as_array()) sampling.vendor_tools.push_back(one);
          })
      .on("tool_choice", [&](const Json& value) { sampling.tool_choice = read_tool_choice(value); })
      .on("response_format",
          [&](const Json& value) { sampling.response_format = read_format(value); })
      .read(json);
  return sampling;
}

Tool read_tool(const Json& json) {
  Tool tool;
  Fields()
      .on("name", tool.spec.name)
      .on("description", tool.spec.description)
      .on("parameters", [&](const Json& value) { tool.spec.parameters = value; })
      .read(json);
  return tool;
}

void read_request(Case& read, const Json& json) {
  Fields()
      .on("system", read.system)
      .on("messages",
          [&](const Json& value) {
            for (const Json& one : value.as_array()) {
              auto message = message_from_json(one);
              if (!message) throw std::runtime_error(message.error().message);
              read.messages.push_back(std::move(*message));
            }
          })
      .on("tools",
          [&](const Json& value) {
            for (const Json& one : value.as_array()) read.tools.push_back(read_tool(one));
          })
      .on("sampling", [&](const Json& value) { read.sampling = read_sampling(value); })
      .read(json);
}

Case read_or_throw(const std::filesystem::path& folder) {
  const auto protocol = protocol_from(folder.parent_path().filename().string());
  if (!protocol) throw std::runtime_error(protocol.error().message);
  const auto input = read_json(folder / "case.json");
  if (!input) throw std::runtime_error("there is no case.json");
  Case read;
  read.folder = folder;
  read.endpoint = read_endpoint(JsonObject(), *protocol);
  Fields()
      .on("about", [](const Json&) {})
      .on("endpoint", [&](const Json& v) { read.endpoint = read_endpoint(v, *protocol); })
      .on("request", [&](const Json& v) { read_request(read, v); })
      .on("delivery",
          one_of(read.delivery, {{"streamed", Delivery::streamed}, {"whole", Delivery::whole}}))
      .read(*input);
  read.expected_request = read_json(folder / "request.json");
  read.expected_response = read_json(folder / "response.json");
  read.answer = read_file(folder / "stream.txt");
  if (!read.answer) read.answer = read_file(folder / "body.json");
  return read;
}

}  // namespace

Request Case::request() const {
  return {.messages = messages,
          .system = system,
          .model = endpoint.model.name,
          .tools = tools,
          .sampling = &sampling};
}

Result<Case> read_case(const std::filesystem::path& folder) {
  try {
    return read_or_throw(folder);
  } catch (const std::exception& problem) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: {}", folder.string(), problem.what()));
  }
}

Json to_json(const Error& error) {
  JsonObject json{{"code", to_string(error.code)}, {"message", error.message}};
  if (!error.detail.is_null()) json["detail"] = error.detail;
  return JsonObject{{"error", std::move(json)}};
}

Json to_json(const HttpRequest& request) {
  JsonObject headers;
  for (const HttpHeader& header : request.headers) headers[header.name] = header.value;
  auto body = parse_json(request.body);
  return JsonObject{{"url", request.url},
                    {"headers", std::move(headers)},
                    {"body", body ? std::move(*body) : Json(body.error().message)}};
}

Json to_json(const Response& response) {
  const Json message = wright::to_json(Message{Role::assistant, response.content});
  return JsonObject{{"content", message.at("parts")},
                    {"stop_reason", to_string(response.stop_reason)},
                    {"usage", wright::to_json(response.usage)},
                    {"model", response.model}};
}

}  // namespace wright::golden
