// Feedback over many sessions: which tools to build, which fields to expose, which tools fail or
// confuse. Pure; sessions are passed in.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "wright/feedback.h"
#include "wright/store.h"

namespace wright::feedback {

// The same wish of several sessions.
struct Wish {
  Suggestion suggestion = {};            // as it was first made, with the highest priority
  int sessions = 0;                      // that had it
  double score = 0;                      // what they are ranked by: the sum of their priorities
  std::vector<SessionId> examples = {};  // some of these sessions, in the order they came
};

struct Trouble {
  std::string tool = {};
  int calls = 0;
  int failed = 0;
  int confused = 0;  // of the failed ones: those whose arguments did not fit
  std::vector<SessionId> examples = {};
  std::string example_error = {};
};

struct FeedbackSummary {
  int sessions = 0;
  int with_feedback = 0;
  int unreadable = 0;                     // feedback of a newer version, or broken
  int contradicted = 0;                   // sessions whose model said what did not happen
  std::vector<Wish> tools_to_build = {};  // all ranked, the most wanted first
  std::vector<Wish> fields_to_expose = {};
  std::vector<Wish> improvements = {};  // relationships to add, tools to improve
  std::vector<Trouble> troubled_tools = {};
};

// How an agent gets a tool that exists already; nothing for one that must be built.
using WayToTool =
    std::function<std::optional<AvailableTool>(std::string_view tool, std::string_view agent)>;

class FeedbackCollector {
 public:
  explicit FeedbackCollector(WayToTool way_to_tool = {}) : way_to_tool_(std::move(way_to_tool)) {}

  // Sessions without feedback count as well: by the calls that failed.
  void add(const Session& session, std::span<const StoredCall> calls);
  // More calls of the session that was added last: long ones are read page by page.
  void add_more(const Session& session, std::span<const StoredCall> calls);
  FeedbackSummary finish() &&;

 private:
  using Keys = std::set<std::string>;  // of one session
  void add_report(const Session& session);
  void add_call(const Session& session, const StoredCall& call);
  void add_wish(const Suggestion& suggestion, const Session& session);

  WayToTool way_to_tool_;
  Keys seen_;  // in the session that was added last
  FeedbackSummary summary_;
  std::map<std::string, Wish> wishes_;
  std::map<std::string, Trouble, std::less<>> troubles_;
};

// A first version of a tool's spec: name, description and a JSON schema of its parameters.
Json draft_tool_spec(const ProposedTool& tool);

Json to_json(const FeedbackSummary& summary);

}  // namespace wright::feedback
