// What the calls of a run and its end reveal about the tools. The texts here are for the agent's
// developer, who can change its tools and settings.
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <map>

#include "core/nearest.h"
#include "feedback/answer_words.h"
#include "feedback/findings.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostParameters = 20;

std::string shown(std::string_view text, std::size_t bytes = 200) {
  const std::string_view head = utf8_prefix(text, bytes);
  return std::string(head) + (head.size() < text.size() ? "…" : "");
}

// Calls of one tool that failed in the same way about the same thing.
struct FailureGroup {
  const CallRecord* first;
  int count = 0;
};

// For a string in quotes, of TOML or of JSON.
std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) continue;
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

std::string times(int count) {
  return count == 1 ? "" : fmt::format(" ({} times)", count);
}

// The members of a call's arguments, from which the missing tool is drafted.
std::vector<std::string> parameters_in(std::string_view arguments) {
  std::vector<std::string> names;
  const auto parsed = parse_json(arguments);
  const JsonObject* object = parsed ? parsed->if_object() : nullptr;
  if (object == nullptr) return names;
  for (const auto& [key, value] : *object) {
    if (names.size() == kMostParameters) break;
    names.emplace_back(utf8_prefix(key, kLongestName));
  }
  return names;
}

// A text member of a call's arguments; empty when there is none.
std::string argument(const CallRecord& call, std::initializer_list<std::string_view> names) {
  const auto parsed = parse_json(call.arguments);
  const JsonObject* object = parsed ? parsed->if_object() : nullptr;
  for (const std::string_view name : names) {
    const Json* value = object != nullptr ? object->if_contains(name) : nullptr;
    if (value != nullptr && value->is_string()) {
      return std::string(utf8_prefix(value->get_string(), kLongestName));
    }
  }
  return {};
}

class CallFindings {
 public:
  explicit CallFindings(const Evidence& evidence) : evidence_(evidence) {}

  Findings find() && {
    for (const auto& [key, group] : failures()) explain(group);
    explain_results();
    explain_answer();
    explain_end();
    return std::move(findings_);
  }

 private:
  std::map<std::string, FailureGroup> failures() const {
    std::map<std::string, FailureGroup> groups;
    for (const CallRecord& call : evidence_.calls) {
      if (call.state != CallRecord::State::failed) continue;
      const std::string key = fmt::format(
          "{}\n{}\n{}", call.name, static_cast<int>(call.failure.kind), call.failure.subject);
      FailureGroup& group = groups.try_emplace(key, FailureGroup{&call}).first->second;
      ++group.count;
    }
    return groups;
  }

  void limit(std::string description, Impact impact,
             std::optional<MissingCapability> missing = std::nullopt) {
    findings_.limitations.push_back({std::move(description), impact, missing});
  }
  void suggest(SuggestionType type, Impact priority, std::string description,
               std::optional<ProposedTool> tool, std::optional<ConfigChange> change) {
    findings_.suggestions.push_back(
        {type, priority, std::move(description), std::move(tool), std::move(change)});
  }

  void explain(const FailureGroup& group) {
    switch (group.first->failure.kind) {
      case FailureKind::none: break;
      case FailureKind::unknown_tool: return unknown_tool(group);
      case FailureKind::broken_arguments:
      case FailureKind::refused_arguments: return misunderstood(group);
      case FailureKind::unknown_field: return unknown_field(group);
      case FailureKind::unsupported_operator: return unsupported_operator(group);
      case FailureKind::unknown_entity: return unknown_entity(group);
      case FailureKind::unknown_relationship: return unknown_relationship(group);
      case FailureKind::permission: return permission(group);
      case FailureKind::timeout: return timeout(group);
      case FailureKind::too_much:
      case FailureKind::unavailable:
      case FailureKind::other: return other(group);
    }
  }

  void unknown_tool(const FailureGroup& group) {
    const std::string name = shown(group.first->name, kLongestName);
    limit(fmt::format("The model called {}, which does not exist{}", name, times(group.count)),
          Impact::high, MissingCapability::tool);
    if (const AvailableTool* there = available_tool(evidence_.available, name)) {
      findings_.suggestions.push_back(
          switch_on(*there, {there->name}, evidence_.agent, Impact::high));
      return;
    }
    std::vector<std::string_view> names;
    for (const ToolFacts& tool : evidence_.tools) names.push_back(tool.name);
    if (const auto near = nearest(name, names)) {
      suggest(SuggestionType::improve_existing, Impact::medium,
              fmt::format("Let {} answer to the name {} as well: the model used it", *near, name),
              std::nullopt,
              ConfigChange{std::string(*near), fmt::format("Add the alias {}", name),
                           fmt::format("spec.aliases = {{\"{}\"}}", name)});
      return;
    }
    suggest(SuggestionType::new_tool, Impact::high,
            fmt::format("Add {}: the model expected it and called it", name),
            ProposedTool{name,
                         fmt::format("What the model tried to do when asked: {}",
                                     shown(evidence_.query, 120)),
                         parameters_in(group.first->arguments)},
            std::nullopt);
  }

  void misunderstood(const FailureGroup& group) {
    const bool is_broken = group.first->failure.kind == FailureKind::broken_arguments;
    const std::string& name = group.first->name;
    limit(fmt::format("Calls of {} {}{}: {}", name,
                      is_broken ? "were not valid JSON" : "did not fit its parameters",
                      times(group.count), shown(group.first->error)),
          group.count > 1 ? Impact::medium : Impact::low);
    if (is_broken) return;
    suggest(SuggestionType::improve_existing, group.count > 1 ? Impact::medium : Impact::low,
            fmt::format("Make the parameters of {} easier to get right", name), std::nullopt,
            ConfigChange{name, "Describe the parameters that were wrong, with an example",
                         shown(group.first->error)});
  }

  void unknown_field(const FailureGroup& group) {
    const std::string& name = group.first->name;
    std::string field = group.first->failure.subject;
    if (field.empty()) field = argument(*group.first, {"field", "column"});
    const std::string what = field.empty() ? "a field" : fmt::format("the field {}", field);
    limit(fmt::format("{} does not know {}{}", name, what, times(group.count)), Impact::high,
          MissingCapability::field);
    if (field.empty()) return;
    std::string entity = argument(*group.first, {"entity_type", "entity", "table"});
    if (entity.empty()) entity = name;
    suggest(SuggestionType::expose_field, Impact::high,
            fmt::format("Let {} know {}: the model asked for it", name, field), std::nullopt,
            ConfigChange{entity, fmt::format("Add {} to what {} knows", field, name),
                         fmt::format("\"{}\": {{\"type\": \"string\"}}", field)});
  }

  void unsupported_operator(const FailureGroup& group) {
    const std::string& name = group.first->name;
    std::string wanted = group.first->failure.subject;
    if (wanted.empty()) wanted = argument(*group.first, {"operator", "op", "mode"});
    const std::string what =
        wanted.empty() ? "an operator" : fmt::format("the operator {}", wanted);
    limit(fmt::format("{} does not support {}{}", name, what, times(group.count)), Impact::high,
          MissingCapability::comparison);
    suggest(SuggestionType::improve_existing, Impact::high,
            fmt::format("Let {} compare by {}", name, wanted.empty() ? "more operators" : wanted),
            std::nullopt,
            ConfigChange{name,
                         fmt::format("Add {} to the operators",
                                     wanted.empty() ? "the operator that was refused" : wanted),
                         shown(group.first->error)});
  }

  void unknown_entity(const FailureGroup& group) {
    const std::string& name = group.first->name;
    std::string entity = group.first->failure.subject;
    if (entity.empty()) entity = argument(*group.first, {"entity_type", "entity", "table"});
    limit(fmt::format("{} does not know {}{}", name, entity.empty() ? "a type" : entity,
                      times(group.count)),
          Impact::medium, MissingCapability::field);
    suggest(SuggestionType::improve_existing, Impact::medium,
            fmt::format("Tell in the description of {} which types there are", name), std::nullopt,
            ConfigChange{name, "List the types that can be searched",
                         "\"enum\": [\"class\", \"function\"]"});
  }

  void unknown_relationship(const FailureGroup& group) {
    const std::string& name = group.first->name;
    std::string wanted = group.first->failure.subject;
    if (wanted.empty()) wanted = argument(*group.first, {"relationship", "relationship_type"});
    if (wanted.empty()) wanted = "the one that was asked for";
    limit(fmt::format("{} does not know the relationship {}{}", name, wanted, times(group.count)),
          Impact::high, MissingCapability::relationship);
    suggest(SuggestionType::add_relationship, Impact::high,
            fmt::format("Add the relationship {}", wanted), std::nullopt,
            ConfigChange{name, fmt::format("Add the relationship {}", wanted),
                         fmt::format("\"enum\": [\"{}\"]", wanted)});
  }

  void permission(const FailureGroup& group) {
    const std::string& name = group.first->name;
    limit(fmt::format("{} was not permitted{}: {}", name, times(group.count),
                      shown(group.first->error)),
          Impact::high);
    const std::string path = argument(*group.first, {"path", "file_path", "working_dir"});
    const bool is_outside =
        path.starts_with('/') || group.first->error.find("outside") != std::string::npos;
    const bool writes = name == "write_file" || name == "apply_patch";
    suggest(SuggestionType::improve_existing, Impact::medium,
            fmt::format("Decide whether {} may do this", name), std::nullopt,
            is_outside && !path.empty()
                ? ConfigChange{name,
                               fmt::format("Let file tools {} {}", writes ? "write" : "read", path),
                               fmt::format("[agent]\n{} = [\"{}\"]",
                                           writes ? "writable" : "readable", escaped(path))}
                : ConfigChange{name, "Ask a person instead of refusing",
                               fmt::format("[permissions]\n\"{}\" = \"ask\"", escaped(name))});
  }

  void timeout(const FailureGroup& group) {
    const std::string& name = group.first->name;
    limit(fmt::format("{} ran out of time{}", name, times(group.count)), Impact::high);
    suggest(
        SuggestionType::improve_existing, Impact::medium,
        fmt::format("Give {} more time, or a way to ask for less", name), std::nullopt,
        ConfigChange{evidence_.agent, "Raise the time limit of calls",
                     fmt::format("[agents.{}.tool_execution]\ntimeout = \"5m\"", evidence_.agent)});
  }

  void other(const FailureGroup& group) {
    limit(fmt::format("{} failed{}: {}", group.first->name, times(group.count),
                      shown(group.first->error)),
          group.count > 1 ? Impact::high : Impact::medium);
  }

  // Tools that returned nothing, or only a part.
  void explain_results() {
    std::map<std::string_view, int> empty;
    std::map<std::string_view, int> cut;
    std::map<std::string_view, int> unwell;
    for (const CallRecord& call : evidence_.calls) {
      if (call.state != CallRecord::State::succeeded) continue;
      if (call.shape.says_failure) {
        ++unwell[call.name];
      } else if (call.shape.is_empty) {
        ++empty[call.name];
      }
      if (call.shape.is_truncated) ++cut[call.name];
    }
    for (const auto& [name, count] : unwell) {
      limit(fmt::format("{} answered that it did not succeed{}", name, times(count)),
            Impact::medium);
    }
    for (const auto& [name, count] : empty) {
      limit(fmt::format("{} found nothing{}", name, times(count)),
            has_data(evidence_) ? Impact::low : Impact::high);
    }
    for (const auto& [name, count] : cut) {
      limit(fmt::format("{} returned only a part of what there is{}", name, times(count)),
            Impact::medium);
      const auto tool = std::ranges::find(evidence_.tools, name, &ToolFacts::name);
      const bool can_page = tool != evidence_.tools.end() &&
                            (tool->has_parameter("offset") || tool->has_parameter("limit") ||
                             tool->has_parameter("page") || tool->has_parameter("max_results") ||
                             tool->has_parameter("max_files"));
      if (can_page) continue;
      suggest(SuggestionType::improve_existing, Impact::medium,
              fmt::format("Let {} return its results page by page", name), std::nullopt,
              ConfigChange{std::string(name), "Add the parameters limit and offset",
                           "limit: integer, offset: integer"});
    }
  }

  void explain_answer() {
    if (evidence_.phase != Phase::done || !evidence_.answer) return;
    const AnswerWords words = words_of_answer(*evidence_.answer);
    switch (words.kind) {
      case AnswerWords::Kind::answer: return;
      case AnswerWords::Kind::nothing: return limit("The answer is empty", Impact::critical);
      case AnswerWords::Kind::refusal:
        return limit(fmt::format("The answer says that it cannot be given: {}", words.sentence),
                     is_refused(evidence_) ? Impact::critical : Impact::high);
      case AnswerWords::Kind::partial:
        return limit(fmt::format("The answer says that a part is missing: {}", words.sentence),
                     Impact::medium);
      case AnswerWords::Kind::asked_back:
        // After data it is mere courtesy.
        if (has_data(evidence_)) return;
        return limit(fmt::format("The answer asks back{}: {}",
                                 evidence_.calls.empty() && !evidence_.tools.empty()
                                     ? " before any tool was tried"
                                     : "",
                                 words.sentence),
                     Impact::high);
    }
  }

  void explain_end() {
    if (evidence_.phase == Phase::waiting) {
      limit("The run waits for a person", Impact::high);
      return;
    }
    if (evidence_.phase != Phase::failed) return;
    if (limit_of(evidence_.error) == Limit::iterations) {
      limit(fmt::format("The run reached its limit of {} {} before it had an answer",
                        evidence_.max_iterations, evidence_.max_iterations == 1 ? "turn" : "turns"),
            Impact::critical);
      suggest(SuggestionType::improve_existing, Impact::high,
              "Allow more turns, or offer tools that need fewer", std::nullopt,
              ConfigChange{evidence_.agent, "Raise max_iterations",
                           fmt::format("--max-iterations {}",
                                       std::min(evidence_.max_iterations, 500'000) * 2)});
      return;
    }
    limit(fmt::format("The run failed: {}", shown(evidence_.error.message)), Impact::critical);
  }

  const Evidence& evidence_;
  Findings findings_;
};

}  // namespace

Findings findings_from_calls(const Evidence& evidence) {
  return CallFindings(evidence).find();
}

}  // namespace wright::feedback
