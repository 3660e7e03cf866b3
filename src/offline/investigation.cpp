#include "offline/investigation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "offline/wording.h"

namespace wright::offline {
namespace {

// The parameters without which the planner cannot use a file tool.
struct NeededParameters {
  std::string_view tool;
  std::string_view parameter;
};
constexpr auto kFileTools = std::to_array<NeededParameters>(
    {{"list_files", "pattern"}, {"read_file", "file_path"}, {"grep", "pattern"}});

const JsonObject* properties_of(const Tool& tool) {
  const JsonObject* schema = tool.spec.parameters.if_object();
  const Json* properties = schema == nullptr ? nullptr : schema->if_contains("properties");
  return properties == nullptr ? nullptr : properties->if_object();
}

bool takes(const Tool& tool, std::string_view parameter) {
  const JsonObject* properties = properties_of(tool);
  return properties == nullptr || properties->contains(parameter);
}

// Whether every parameter that the tool requires is in `given`.
bool is_satisfied(const Tool& tool, const JsonObject& given) {
  const JsonObject* schema = tool.spec.parameters.if_object();
  const Json* required = schema == nullptr ? nullptr : schema->if_contains("required");
  if (required == nullptr || !required->is_array()) return true;
  return std::ranges::all_of(required->get_array(), [&](const Json& name) {
    return !name.is_string() || given.contains(name.get_string());
  });
}

JsonObject known_to(const Tool& tool, const JsonObject& arguments) {
  JsonObject known;
  for (const auto& [key, value] : arguments) {
    if (takes(tool, key)) known[key] = value;
  }
  return known;
}

void set_if(JsonObject& arguments, std::string_view key, const std::string& value) {
  if (!value.empty()) arguments[key] = value;
}

std::string one_line(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  std::string line = to_valid_utf8(std::string(utf8_prefix(text, kLongest)));
  std::ranges::replace(line, '\n', ' ');
  return line;
}

}  // namespace

Investigation::Investigation(const Request& request, const Transcript& transcript)
    : tools_(request.tools), transcript_(transcript), turn_(request.messages.size()) {
  if (request.sampling == nullptr) return;
  const ToolChoice choice = request.tool_choice();
  if (choice.kind == ToolChoice::Kind::none) tools_ = {};
  if (choice.kind == ToolChoice::Kind::one) only_tool_ = choice.tool;
}

const Tool* Investigation::find(std::string_view name) const {
  if (!only_tool_.empty() && name != only_tool_) return nullptr;
  const auto found =
      std::ranges::find_if(tools_, [&](const Tool& t) { return t.spec.name == name; });
  return found == tools_.end() ? nullptr : &*found;
}

bool Investigation::offers(std::string_view name) const {
  const Tool* tool = find(name);
  if (tool == nullptr) return false;
  const auto needed = std::ranges::find(kFileTools, name, &NeededParameters::tool);
  if (needed == kFileTools.end()) return true;
  return takes(*tool, needed->parameter) &&
         is_satisfied(*tool, JsonObject{{needed->parameter, ""}, {"path", ""}});
}

bool Investigation::offers_file_tools() const {
  return std::ranges::any_of(kFileTools, [&](const auto& needed) { return offers(needed.tool); });
}

void Investigation::report(std::string problem) {
  if (std::ranges::count(problems_, problem) == 0) problems_.push_back(std::move(problem));
}

Json Investigation::call(std::string_view name, JsonObject arguments) {
  const Tool* tool = find(name);
  if (tool == nullptr) {
    report(fmt::format("This needs the tool `{}`, which the agent does not offer.", name));
    return {};
  }
  arguments = known_to(*tool, arguments);
  // As they will be read back from the transcript: 30.0 is written as 30, which is an integer.
  std::string text = to_text(arguments);
  if (const auto written = parse_json(text)) arguments = written->get_object();
  if (!is_satisfied(*tool, arguments) || !offers(name)) {
    report(fmt::format("The tool `{}` takes other parameters than this planner knows.", name));
    return {};
  }
  if (const Exchange* known = transcript_.find(name, arguments)) {
    if (known->is_error) {
      report(fmt::format("`{}` failed: {}", name, one_line(known->content)));
      return {};
    }
    if (auto parsed = parse_leniently(known->content)) return std::move(*parsed);
    return Json(known->content);
  }
  if (transcript_.rounds >= kMostRounds) {
    has_reached_limit_ = true;
    report("Not everything was looked at: the planner's limit of calls was reached.");
    return {};
  }
  const bool is_repeated = std::ranges::any_of(
      calls_, [&](const ToolCall& other) { return other.name == name && other.arguments == text; });
  if (!is_repeated) {
    calls_.push_back({fmt::format("offline_{}_{}", turn_, calls_.size() + 1), std::string(name),
                      std::move(text)});
  }
  return {};
}

Listing Investigation::list_files(const ListRequest& wanted) {
  JsonObject arguments{{"pattern", wanted.pattern}};
  set_if(arguments, "path", wanted.path);
  if (!wanted.is_recursive) arguments["recursive"] = false;
  if (wanted.with_details) arguments["details"] = true;
  if (wanted.with_hidden) arguments["include_hidden"] = true;
  set_if(arguments, "sort", wanted.sort);
  arguments["limit"] = wanted.limit;
  const Json found = call("list_files", std::move(arguments));
  if (!found.is_null() && !found.is_object())
    report("`list_files` answered in a form unknown to this planner.");
  return read_listing(found);
}

Matches Investigation::grep(const GrepRequest& wanted) {
  JsonObject arguments{{"pattern", wanted.pattern}};
  set_if(arguments, "path", wanted.path);
  set_if(arguments, "glob", wanted.glob);
  if (wanted.ignores_case) arguments["-i"] = true;
  set_if(arguments, "output_mode", wanted.output_mode);
  arguments["limit"] = wanted.limit;
  const Json found = call("grep", std::move(arguments));
  if (!found.is_null() && !found.is_object())
    report("`grep` answered in a form unknown to this planner.");
  return read_matches(found);
}

FileText Investigation::read_file(const ReadRequest& wanted) {
  JsonObject arguments{{"file_path", wanted.path}};
  if (wanted.offset > 0) arguments["offset"] = wanted.offset;
  if (wanted.limit > 0) arguments["limit"] = wanted.limit;
  const Json found = call("read_file", std::move(arguments));
  FileText text = read_file_text(found);
  if (found.is_string()) text.content = std::string_view(found.get_string());
  if (text.path.empty()) text.path = wanted.path;
  return text;
}

}  // namespace wright::offline
