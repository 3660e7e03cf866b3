// Combines the findings: no repetitions, the most serious first.
#include "feedback/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "feedback/answer_words.h"

namespace wright::feedback {
namespace {

std::string normalised(std::string_view text) {
  std::string key;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') key += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80) {
      key += c;
    }
  }
  return key;
}

template <class Item, class Key>
void keep_first(std::vector<Item>& items, Key key) {
  std::set<std::string> seen;
  std::erase_if(items, [&](const Item& item) { return !seen.insert(key(item)).second; });
}

constexpr std::string_view kSwitchOn = "Switch on ";

// The tools that a suggestion of switch_on() names; none for any other.
std::vector<std::string> switched_on_by(const Suggestion& suggestion) {
  std::string_view text = suggestion.description;
  const std::size_t end = text.find(": ");
  if (!suggestion.config_change || !text.starts_with(kSwitchOn) || end == std::string_view::npos) {
    return {};
  }
  text = text.substr(kSwitchOn.size(), end - kSwitchOn.size());
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(", "), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 2, text.size()));
  }
  return names;
}

// The first of those that ask for the same, with what the others add.
void join_same(std::vector<Suggestion>& suggestions) {
  std::vector<Suggestion> joined;
  for (Suggestion& each : suggestions) {
    const auto known = std::ranges::find(joined, key_of(each), key_of);
    if (known == joined.end()) {
      joined.push_back(std::move(each));
    } else {
      join_into(*known, each);
    }
  }
  suggestions = std::move(joined);
}

template <class Item>
void append(std::vector<Item>& items, std::vector<Item> more) {
  items.insert(items.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

}  // namespace

std::string key_of(const Suggestion& suggestion) {
  const std::string type = std::to_string(static_cast<int>(suggestion.type));
  if (suggestion.tool_spec) return type + ":" + normalised(suggestion.tool_spec->name);
  if (suggestion.config_change) {
    return type + ":" + normalised(suggestion.config_change->entity) + ":" +
           normalised(suggestion.config_change->change);
  }
  return type + ":" + normalised(suggestion.description);
}

const AvailableTool* available_tool(const std::vector<AvailableTool>& available,
                                    std::string_view name) {
  const std::string wanted = normalised(name);
  const auto found = std::ranges::find_if(
      available, [&](const AvailableTool& each) { return normalised(each.name) == wanted; });
  return found == available.end() ? nullptr : &*found;
}

Suggestion switch_on(const AvailableTool& first, const std::vector<std::string>& names,
                     std::string_view agent, Impact priority) {
  const bool is_one = names.size() == 1;
  return {
      SuggestionType::improve_existing, priority,
      fmt::format("{}{}: {} there already, and the agent does not have {}", kSwitchOn,
                  fmt::join(names, ", "), is_one ? "it is" : "they are", is_one ? "it" : "them"),
      std::nullopt, ConfigChange{std::string(agent), first.change, first.example}};
}

void join_into(Suggestion& known, const Suggestion& more) {
  known.priority = std::min(known.priority, more.priority);
  std::vector<std::string> names = switched_on_by(known);
  if (names.empty()) return;
  for (std::string& name : switched_on_by(more)) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  const ConfigChange& change = *known.config_change;
  const AvailableTool first{names.front(), change.change, change.example};
  known.description = switch_on(first, names, change.entity, known.priority).description;
}

bool is_refused(const Evidence& evidence) {
  if (evidence.phase != Phase::done || !evidence.answer) return false;
  const AnswerWords words = words_of_answer(*evidence.answer);
  switch (words.kind) {
    case AnswerWords::Kind::nothing: return true;
    case AnswerWords::Kind::refusal: return !words.answers_anyway || !has_data(evidence);
    default: return false;
  }
}

bool has_data(const Evidence& evidence) {
  return std::ranges::any_of(evidence.calls, [](const CallRecord& call) {
    return call.state == CallRecord::State::succeeded && !call.shape.is_empty &&
           !call.shape.says_failure;
  });
}

Findings all_findings(const Evidence& evidence) {
  Findings findings = findings_from_query(evidence);
  Findings more = findings_from_calls(evidence);
  append(findings.limitations, std::move(more.limitations));
  append(findings.suggestions, std::move(more.suggestions));
  append(findings.alternatives, std::move(more.alternatives));
  std::ranges::stable_sort(findings.limitations, {}, &Limitation::impact);
  std::ranges::stable_sort(findings.suggestions, {}, &Suggestion::priority);
  keep_first(findings.limitations,
             [](const Limitation& each) { return normalised(each.description); });
  join_same(findings.suggestions);
  keep_first(findings.alternatives,
             [](const Alternative& each) { return normalised(each.approach); });
  return findings;
}

}  // namespace wright::feedback
