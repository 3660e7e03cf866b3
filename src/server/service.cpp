#include "server/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "core/json_size.h"
#include "core/try.h"
#include "server/described_parameters.h"
#include "server/embedded.h"
#include "server/problem.h"
#include "server/tenant_rule.h"

namespace wright::server {
namespace {

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    segments.push_back(segment);
    path.remove_prefix(segment.size());
  }
  return segments;
}

// What stands for {…}; absent where the path is another. A slash that is encoded divides nothing:
// it belongs to a name.
std::optional<std::vector<std::string>> matched(std::string_view pattern, std::string_view target) {
  const auto wanted = segments_of(pattern);
  const auto given = segments_of(target.substr(0, target.find('?')));
  if (wanted.size() != given.size()) return std::nullopt;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto word = http::percent_decoded(given[i]);
    if (!word) return std::nullopt;
    if (wanted[i].starts_with('{')) {
      words.push_back(std::move(*word));
    } else if (wanted[i] != *word) {
      return std::nullopt;
    }
  }
  return words;
}

std::optional<std::int64_t> number_from(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

http::Response method_not_allowed(const std::string& allowed) {
  http::Response response = json_response(
      {{"type", "about:blank"}, {"title", "method not allowed"}, {"status", 405}}, 405);
  response.headers.push_back({"Allow", allowed});
  return response;
}

// Whoever is not known may send little: a JSON takes many times its size once it is read.
std::size_t most_body_of(const Route& route) {
  constexpr std::size_t kOfAnybody = 4 * 1024;
  constexpr std::size_t kOfKnown = std::size_t{32} << 20;
  return route.most_body_bytes.value_or(route.access == Access::known ? kOfKnown : kOfAnybody);
}

}  // namespace

// Every response, also those that a browser shows.
void send_answer(const http::Responder& responder, http::Response response) {
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"Referrer-Policy", "no-referrer"});
  response.headers.push_back({"Cross-Origin-Resource-Policy", "same-origin"});
  responder.send(std::move(response));
}

Result<std::int64_t> Call::number(std::size_t index) const {
  const auto number = number_from(words.at(index));
  if (!number) {
    return fail(ErrorCode::not_found, fmt::format("'{}' is no number of anything", words[index]));
  }
  return *number;
}

Result<JsonObject> Call::body() const {
  if (request.body.empty()) return JsonObject();
  if (most_values_in(request.body) > kMostJsonValues) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("The body has more than {} values; nothing of it was read", kMostJsonValues));
  }
  auto json = TRY(parse_json(request.body));
  if (!json.is_object()) {
    return fail(ErrorCode::invalid_argument, "The body must be a JSON object");
  }
  return std::move(json.as_object());
}

Result<JsonObject> Call::body(std::initializer_list<std::string_view> known) const {
  auto object = TRY(body());
  for (const auto& member : object) {
    const std::string_view name = member.key();
    if (std::ranges::find(known, name) != known.end()) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is not known here; known: {}", utf8_prefix(name, 100),
                            fmt::join(known, ", ")));
  }
  return object;
}

Result<std::optional<std::int64_t>> Call::number_of(std::string_view parameter) const {
  const auto text = request.parameter(parameter);
  if (!text) return std::nullopt;
  const auto number = number_from(*text);
  if (!number) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} must be a number", parameter));
  }
  return number;
}

Result<std::size_t> Call::page_size(std::size_t otherwise) const {
  const auto limit = TRY(number_of("limit"));
  if (!limit) return otherwise;
  if (*limit < 1 || *limit > static_cast<std::int64_t>(kMostOfAPage)) {
    return fail(ErrorCode::invalid_argument, fmt::format("limit must be 1 to {}", kMostOfAPage));
  }
  return static_cast<std::size_t>(*limit);
}

Result<Page> Call::page() const {
  Page page;
  page.after = TRY(number_of("after"));
  page.before = TRY(number_of("before"));
  page.limit = TRY(page_size());
  if (request.parameter("keep") == "last") page.keep = Page::Keep::last;
  return page;
}

Result<std::optional<std::string>> Call::tenant(std::optional<std::string> wanted) const {
  if (!wanted) wanted = request.parameter("tenant");
  if (!caller.tenant) return wanted;
  if (wanted && *wanted != *caller.tenant) {
    return fail(ErrorCode::permission_denied,
                fmt::format("This token is for the tenant '{}' alone", *caller.tenant));
  }
  return caller.tenant;
}

Result<std::string> text_in(const JsonObject& object, std::string_view key,
                            std::optional<std::string> otherwise) {
  const Json* value = object.if_contains(key);
  if (value == nullptr || value->is_null()) {
    if (otherwise) return *otherwise;
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is missing", key));
  }
  if (!value->is_string()) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' must be a text", key));
  }
  return std::string(value->get_string());
}

Service::Service(ServiceOptions options)
    : options_(std::move(options)), guard_(options_.guard, options_.tokens) {}

void Service::add(std::vector<Route> routes) {
  for (Route& route : routes) routes_.push_back(std::move(route));
}

Result<PreparedAgent> make_answering(const ServiceOptions& options, std::string_view name,
                                     const Json& schema) {
  if (const auto compiled = JsonSchema::compile(schema); !compiled) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'schema' is no JSON schema: {}", compiled.error().message));
  }
  if (!options.agents.make_answering) {
    return fail(ErrorCode::unsupported, "this server has no agents that answer by a schema");
  }
  return options.agents.make_answering(name, schema);
}

void add_all_routes(Service& service) {
  service.add(health_routes(service.options()));
  const Json description = parse_json(openapi_document()).value_or(Json());
  for (const auto routes :
       {information_routes, session_routes, wait_routes, event_routes, replay_routes}) {
    service.add(with_parameters(routes(service.options()), description));
  }
}

Result<const Route*> Service::admit(Call& call, std::string& allowed) {
  const Route* found = nullptr;
  for (const Route& route : routes_) {
    auto words = matched(route.pattern, call.request.target);
    if (!words) continue;
    const bool is_same_method = route.method == call.request.method ||
                                (route.method == "GET" && call.request.method == "HEAD");
    if (!is_same_method) {
      allowed += (allowed.empty() ? "" : ", ") + route.method;
      continue;
    }
    found = &route;
    allowed.clear();
    call.words = std::move(*words);
    break;
  }
  // Who may not be here learns nothing about what is.
  const Access access = found == nullptr ? Access::known : found->access;
  call.caller = TRY(guard_.admit(call.request, access));
  if (found == nullptr) {
    return fail(ErrorCode::not_found, fmt::format("There is nothing at {}", call.request.path));
  }
  if (found->access == Access::known && !allows(call.caller.scopes, found->scope)) {
    return fail(ErrorCode::permission_denied,
                fmt::format("This token may not do that: it lacks the scope '{}'",
                            enum_name(found->scope)));
  }
  TRY(check_parameters(*found, call.request.query));
  TRY(check_tenant(options_.store, *found, call));
  return found;
}

void Service::handle(http::Request request, const http::Responder& responder) {
  const auto call =
      std::make_shared<Call>(Call{.request = std::move(request), .responder = responder});
  std::string allowed;
  const auto route = admit(*call, allowed);
  if (!route) {
    const bool is_other_method = route.error().code == ErrorCode::not_found && !allowed.empty();
    return send_answer(responder, is_other_method
                                      ? method_not_allowed(allowed)
                                      : error_response(call->request.path, route.error()));
  }
  const Route& found = **route;
  responder.read_body(most_body_of(found), [call, &found](std::string body) {
    call->request.body = std::move(body);
    const std::string path = call->request.path;
    // The body may have taken its time.
    if (!is_still_admitted(call->caller)) {
      return send_answer(call->responder, error_response(path, no_longer_admitted()));
    }
    const auto answered = found.answer(*call);
    if (answered && !*answered) return;
    send_answer(call->responder, answered ? **answered : error_response(path, answered.error()));
  });
}

}  // namespace wright::server
