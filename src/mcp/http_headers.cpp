#include "mcp/http_headers.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/base64.h"
#include "core/text.h"
#include "core/try.h"
#include "mcp/protocol.h"

namespace wright::mcp {
namespace {

constexpr std::string_view kMark = "x-mcp-header";
constexpr std::string_view kEncodedBegin = "=?base64?";
constexpr std::string_view kEncodedEnd = "?=";
constexpr int kDeepest = 16;

bool is_header_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_';
  });
}

// Only what lies below `properties` can be repeated.
Result<void> collect(const JsonObject& schema, std::vector<std::string>& path,
                     std::vector<HeaderParameter>& found, int depth) {
  const JsonObject* properties = object_in(schema, "properties");
  if (properties == nullptr || depth > kDeepest) return {};
  for (const auto& [name, value] : *properties) {
    const JsonObject* property = value.if_object();
    if (property == nullptr) continue;
    path.emplace_back(name);
    if (const Json* mark = property->if_contains(kMark)) {
      const std::string type = text_in(*property, "type");
      if (!mark->is_string() || !is_header_name(mark->get_string()) ||
          (type != "string" && type != "integer" && type != "boolean")) {
        return fail(ErrorCode::protocol,
                    fmt::format("{} of {} cannot be followed", kMark, std::string_view(name)));
      }
      const std::string header = std::string(mark->get_string());
      const auto is_same = [&](const HeaderParameter& other) {
        return lower(other.header) == lower(header);
      };
      if (std::ranges::any_of(found, is_same)) {
        return fail(ErrorCode::protocol,
                    fmt::format("two parameters have the {} {}", kMark, header));
      }
      found.push_back({path, header});
    }
    TRY(collect(*property, path, found, depth + 1));
    path.pop_back();
  }
  return {};
}

// The value of a parameter as text; absent where there is none.
std::optional<std::string> parameter_text(const JsonObject& params, const HeaderParameter& each) {
  const Json* value = params.if_contains("arguments");
  for (const std::string& name : each.path) {
    const JsonObject* object = value != nullptr ? value->if_object() : nullptr;
    value = object != nullptr ? object->if_contains(name) : nullptr;
  }
  if (value == nullptr || value->is_null()) return std::nullopt;
  return value->is_string() ? std::string(value->get_string()) : to_text(*value);
}

std::string_view name_key(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method.starts_with("tasks/")) return "taskId";
  return "";
}

// The alphabet of headers is that of base64 with + and /.
std::string to_plain_alphabet(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  while (text.size() % 4 != 0) text += '=';
  return text;
}

const HttpHeader* header_named(const std::vector<HttpHeader>& headers, std::string_view name) {
  const auto found = std::ranges::find_if(headers, [&](const HttpHeader& header) {
    return std::ranges::equal(header.name, name, {}, to_lower, to_lower);
  });
  return found == headers.end() ? nullptr : &*found;
}

Problem mismatch(std::string_view header, std::string_view what) {
  return {code::kHeaderMismatch, fmt::format("the header {} {}", header, what)};
}

}  // namespace

Result<std::vector<HeaderParameter>> header_parameters(const Json& input_schema) {
  std::vector<HeaderParameter> found;
  const JsonObject* schema = input_schema.if_object();
  if (schema == nullptr) return found;
  std::vector<std::string> path;
  TRY(collect(*schema, path, found, 0));
  return found;
}

std::string header_value(std::string_view text) {
  const bool is_plain = !text.empty() && text.front() != ' ' && text.back() != ' ' &&
                        std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7E; }) &&
                        !text.starts_with(kEncodedBegin);
  if (is_plain) return std::string(text);
  return fmt::format("{}{}{}", kEncodedBegin, to_plain_alphabet(base64url_of(text)), kEncodedEnd);
}

std::optional<std::string> from_header_value(std::string_view value) {
  value = trimmed(value, " \t");
  if (!value.starts_with(kEncodedBegin) || !value.ends_with(kEncodedEnd) ||
      value.size() < kEncodedBegin.size() + kEncodedEnd.size()) {
    return std::string(value);
  }
  std::string inner(
      value.substr(kEncodedBegin.size(), value.size() - kEncodedBegin.size() - kEncodedEnd.size()));
  // The padding has to be there, and no letters of the other alphabet.
  if (inner.size() % 4 != 0 || inner.find_first_of("-_") != std::string::npos) return std::nullopt;
  for (int i = 0; i < 2 && inner.ends_with('='); ++i) inner.pop_back();
  std::ranges::replace(inner, '+', '-');
  std::ranges::replace(inner, '/', '_');
  return from_base64url(inner);
}

std::vector<HttpHeader> request_headers(std::string_view method, const JsonObject& params,
                                        const std::vector<HeaderParameter>& parameters) {
  std::vector<HttpHeader> headers{{std::string(kVersionHeader), std::string(kModernVersion)},
                                  {std::string(kMethodHeader), std::string(method)}};
  if (const std::string_view key = name_key(method); !key.empty()) {
    headers.push_back({std::string(kNameHeader), header_value(text_in(params, key))});
  }
  for (const HeaderParameter& each : parameters) {
    const auto text = parameter_text(params, each);
    if (text) headers.push_back({fmt::format("Mcp-Param-{}", each.header), header_value(*text)});
  }
  return headers;
}

std::optional<Problem> problem_with_headers(const std::vector<HttpHeader>& headers,
                                            const Request& request,
                                            const std::vector<HeaderParameter>& parameters) {
  const auto differs = [&](std::string_view name,
                           std::string_view wanted) -> std::optional<Problem> {
    const HttpHeader* header = header_named(headers, name);
    if (header == nullptr) return mismatch(name, "is missing");
    const auto value = from_header_value(header->value);
    if (!value || *value != wanted) return mismatch(name, "does not say what the body says");
    return std::nullopt;
  };
  const JsonObject* meta = object_in(request.params, "_meta");
  const std::string version = meta != nullptr ? text_in(*meta, meta::kVersion) : "";
  if (auto problem = differs(kVersionHeader, version)) return problem;
  if (auto problem = differs(kMethodHeader, request.method)) return problem;
  if (const std::string_view key = name_key(request.method); !key.empty()) {
    if (auto problem = differs(kNameHeader, text_in(request.params, key))) return problem;
  }
  for (const HeaderParameter& each : parameters) {
    const std::string name = fmt::format("Mcp-Param-{}", each.header);
    const auto wanted = parameter_text(request.params, each);
    if (wanted) {
      if (auto problem = differs(name, *wanted)) return problem;
    } else if (header_named(headers, name) != nullptr) {
      return mismatch(name, "is there, and the body has no such argument");
    }
  }
  return std::nullopt;
}

}  // namespace wright::mcp
