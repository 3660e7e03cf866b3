#include "offline/memory_tree_testing.h"

#include <fnmatch.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "core/try.h"
#include "offline/wording.h"
#include "wright/model.h"
#include "wright/testing.h"

namespace wright::offline {
namespace {

std::string text_at(const Json& arguments, std::string_view key) {
  const Json* found = arguments.as_object().if_contains(key);
  return found == nullptr ? std::string() : std::string(found->as_string());
}

std::int64_t number_at(const Json& arguments, std::string_view key, std::int64_t otherwise) {
  const Json* found = arguments.as_object().if_contains(key);
  return found == nullptr ? otherwise : found->as_int64();
}

bool flag_at(const Json& arguments, std::string_view key, bool otherwise) {
  const Json* found = arguments.as_object().if_contains(key);
  return found == nullptr ? otherwise : found->as_bool();
}

std::vector<std::string> alternatives(const std::string& glob) {
  if (!glob.starts_with('{') || !glob.ends_with('}')) return {glob};
  std::vector<std::string> parts;
  std::string part;
  for (const char c : glob.substr(1, glob.size() - 2)) {
    if (c == ',') {
      parts.push_back(std::exchange(part, {}));
    } else {
      part += c;
    }
  }
  parts.push_back(part);
  return parts;
}

bool matches_glob(const std::string& glob, const std::string& path) {
  if (glob.empty()) return true;
  return std::ranges::any_of(alternatives(glob), [&](const std::string& part) {
    const bool has_slash = part.find('/') != std::string::npos;
    const std::string subject = has_slash ? path : std::string(file_name(path));
    return ::fnmatch(part.c_str(), subject.c_str(), 0) == 0;
  });
}

// Whether `path` lies in the folder `root`, or is it; "" is everything.
bool is_below(const std::string& root, const std::string& path) {
  return root.empty() || path == root || path.starts_with(root + "/");
}

Result<void> check_root(const MemoryTree& tree, const std::string& root) {
  const bool exists =
      std::ranges::any_of(tree, [&](const auto& file) { return is_below(root, file.first); });
  if (!exists && !root.empty()) return fail(ErrorCode::not_found, "There is no folder " + root);
  return {};
}

Result<Json> list(const MemoryTree& tree, const Json& arguments) {
  const std::string root = text_at(arguments, "path");
  TRY(check_root(tree, root));
  const bool is_recursive = flag_at(arguments, "recursive", true);
  const bool has_details = flag_at(arguments, "details", false);
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const auto& [path, content] : tree) {
    if (!is_below(root, path)) continue;
    const std::size_t start = root.empty() ? 0 : root.size() + 1;
    const std::size_t slash = path.find('/', start);
    if (!is_recursive && slash != std::string::npos) {
      const std::string folder = path.substr(0, slash + 1);
      if (found.empty() || found.back().first != folder) found.emplace_back(folder, 0);
    } else if (matches_glob(text_at(arguments, "pattern"), path)) {
      found.emplace_back(path, content.size());
    }
  }
  if (text_at(arguments, "sort") == "size") {
    std::ranges::stable_sort(found, std::ranges::greater{}, [](const auto& f) { return f.second; });
  }
  const auto limit = static_cast<std::size_t>(number_at(arguments, "limit", 1000));
  JsonArray files;
  for (std::size_t i = 0; i < found.size() && i < limit; ++i) {
    if (has_details) {
      files.push_back(JsonObject{{"path", found[i].first},
                                 {"size", found[i].second},
                                 {"modified", "2024-01-02T03:04:05Z"}});
    } else {
      files.emplace_back(found[i].first);
    }
  }
  const bool is_cut = files.size() < found.size();
  return JsonObject{{"current_path", root},
                    {"files", std::move(files)},
                    {"total_files", found.size()},
                    {"truncated", is_cut},
                    {"limit", limit}};
}

Result<Json> read(const MemoryTree& tree, const Json& arguments) {
  const auto found = tree.find(text_at(arguments, "file_path"));
  if (found == tree.end()) return fail(ErrorCode::not_found, "There is no such file");
  const auto lines = split_lines(found->second);
  const auto first = static_cast<std::size_t>(number_at(arguments, "offset", 1)) - 1;
  const auto limit = static_cast<std::size_t>(number_at(arguments, "limit", 2000));
  std::string content;
  std::size_t last = first;
  for (; last < lines.size() && last < first + limit; ++last) {
    content += lines[last];
    content += '\n';
  }
  return JsonObject{{"file_path", found->first},   {"content", content},
                    {"start_line", first + 1},     {"end_line", last},
                    {"total_lines", lines.size()}, {"truncated", last < lines.size()},
                    {"size", found->second.size()}};
}

Result<Json> grep(const MemoryTree& tree, const Json& arguments) {
  const std::string root = text_at(arguments, "path");
  TRY(check_root(tree, root));
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!flag_at(arguments, "-i", false));
  const RE2 pattern(text_at(arguments, "pattern"), options);
  if (!pattern.ok()) return fail(ErrorCode::invalid_argument, "Bad pattern: " + pattern.error());
  const std::string mode = text_at(arguments, "output_mode");
  const auto limit = static_cast<std::size_t>(number_at(arguments, "limit", 100));
  JsonArray matches;
  JsonArray files;
  std::int64_t total = 0;
  std::int64_t searched = 0;
  for (const auto& [path, content] : tree) {
    if (!is_below(root, path) || !matches_glob(text_at(arguments, "glob"), path)) continue;
    ++searched;
    std::int64_t count = 0;
    std::int64_t number = 0;
    for (const std::string_view line : split_lines(content)) {
      ++number;
      if (!RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), pattern)) continue;
      ++count;
      if (matches.size() >= limit) continue;
      matches.push_back(
          JsonObject{{"file_path", path}, {"line_number", number}, {"line_content", line}});
    }
    if (count > 0) files.push_back(JsonObject{{"file_path", path}, {"count", count}});
    total += count;
  }
  const auto with_matches = static_cast<std::int64_t>(files.size());
  JsonObject result{{"total_matches", total},
                    {"files_with_matches", with_matches},
                    {"files_searched", searched},
                    {"truncated", false}};
  if (mode == "count") {
    result["files"] = std::move(files);
  } else {
    result["truncated"] = static_cast<std::int64_t>(matches.size()) < total;
    result["matches"] = std::move(matches);
  }
  return result;
}

Json parameters_of(std::initializer_list<std::string_view> names, std::string_view required) {
  JsonObject properties;
  for (const std::string_view name : names) properties[name] = JsonObject{};
  return JsonObject{{"type", "object"},
                    {"properties", std::move(properties)},
                    {"required", JsonArray{required}},
                    {"additionalProperties", false}};
}

ToolResult run_tool(const std::vector<Tool>& tools, const ToolCall& call) {
  const auto tool =
      std::ranges::find_if(tools, [&](const Tool& t) { return t.spec.name == call.name; });
  if (tool == tools.end()) return {call.id, call.name, "No such tool", true};
  const auto arguments = parse_json(call.arguments);
  if (!arguments) return {call.id, call.name, arguments.error().message, true};
  const auto result = testing::answer_of(*tool, *arguments);
  if (!result) return {call.id, call.name, result.error().message, true};
  const bool is_text = result->is_string();
  return {call.id, call.name, is_text ? std::string(result->as_string()) : to_text(*result), false};
}

Result<ToolReply> replied(Result<Json> answer) {
  if (!answer) return std::unexpected(std::move(answer).error());
  return Output{.value = std::move(*answer)};
}

}  // namespace

std::vector<Tool> memory_tools(const MemoryTree& tree) {
  return {
      {{"list_files",
        "Lists files",
        parameters_of(
            {"pattern", "path", "recursive", "include_hidden", "details", "sort", "limit"},
            "pattern"),
        {}},
       [tree](const Json& arguments, const Context&) { return replied(list(tree, arguments)); }},
      {{"read_file",
        "Reads a file",
        parameters_of({"file_path", "offset", "limit"}, "file_path"),
        {}},
       [tree](const Json& arguments, const Context&) { return replied(read(tree, arguments)); }},
      {{"grep",
        "Searches lines",
        parameters_of({"pattern", "path", "type", "glob", "-i", "output_mode", "limit"}, "pattern"),
        {}},
       [tree](const Json& arguments, const Context&) { return replied(grep(tree, arguments)); }},
  };
}

Tool constant_tool(std::string name, Json parameters, Result<Json> answer) {
  return {{std::move(name), "Answers always the same", std::move(parameters), {}},
          [answer = std::move(answer)](const Json&, const Context&) { return replied(answer); }};
}

bool Conversation::called(std::string_view tool) const {
  return std::ranges::any_of(calls, [&](const ToolCall& call) { return call.name == tool; });
}

Conversation converse(const std::vector<Tool>& tools, std::vector<Message> messages) {
  constexpr int kMostTurns = 10;
  const Model model = offline_model();
  const Sampling sampling;
  Conversation conversation;
  while (conversation.model_calls < kMostTurns) {
    Request request;
    request.messages = messages;
    request.tools = tools;
    request.sampling = &sampling;
    const auto response = model.complete(request);
    ++conversation.model_calls;
    if (!response) {
      conversation.answer = "error: " + response.error().message;
      return conversation;
    }
    conversation.usage += response->usage;
    const std::vector<ToolCall> calls = response->tool_calls();
    conversation.answer = response->text();
    if (calls.empty()) {
      conversation.has_ended = true;
      return conversation;
    }
    messages.push_back({Role::assistant, response->content});
    for (const ToolCall& call : calls) {
      conversation.calls.push_back(call);
      messages.push_back(Message::tool(run_tool(tools, call)));
    }
  }
  return conversation;
}

Conversation ask(const std::vector<Tool>& tools, const std::string& prompt) {
  return converse(tools, {Message::user(prompt)});
}

Conversation ask(const MemoryTree& tree, const std::string& prompt) {
  return ask(memory_tools(tree), prompt);
}

}  // namespace wright::offline
