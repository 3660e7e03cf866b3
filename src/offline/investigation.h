// One investigation: a plan asks for what it wants to know, and learns what is known already.
//
// A plan is written as if every tool answered at once. What the transcript already holds is
// returned; what it does not hold yet is noted as a call to make, and an empty value is returned.
// A plan that finds is_waiting() true returns early; it is run again, from its beginning, when the
// results are there. So a plan needs no state of its own.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "offline/findings.h"
#include "offline/transcript.h"
#include "wright/message.h"
#include "wright/tool.h"

namespace wright::offline {

// Turns with calls that one user message may cost; the final answer comes after them.
inline constexpr int kMostRounds = 5;

struct ListRequest {
  std::string pattern = "*";
  std::string path = {};
  bool is_recursive = true;
  bool with_details = false;
  bool with_hidden = false;
  std::string sort = {};  // name, size or modified
  int limit = 1000;
};

struct GrepRequest {
  std::string pattern;
  std::string path = {};
  std::string glob = {};
  bool ignores_case = false;
  std::string output_mode = {};  // content, files or count
  int limit = 100;
};

struct ReadRequest {
  std::string path;
  int offset = 0;  // line, from 1; 0 for the start
  int limit = 0;   // lines; 0 for the tool's own limit
};

class Investigation {
 public:
  Investigation(const Request& request, const Transcript& transcript);

  Listing list_files(const ListRequest& wanted);
  Matches grep(const GrepRequest& wanted);
  FileText read_file(const ReadRequest& wanted);

  // Any tool, by its name. Null while waiting and after a failure; text that is not JSON comes as
  // a string.
  Json call(std::string_view tool, JsonObject arguments);

  // Something asked for is not there yet: return now.
  bool is_waiting() const { return !calls_.empty(); }
  const std::vector<ToolCall>& calls() const { return calls_; }

  // Whether the agent offers the tool and it takes the parameters this planner would give it.
  bool offers(std::string_view tool) const;
  bool offers_file_tools() const;
  std::span<const Tool> tools() const { return tools_; }

  // What went wrong so far, one sentence each: failed calls, missing tools, used-up rounds.
  const std::vector<std::string>& problems() const { return problems_; }
  bool has_failed() const { return !problems_.empty(); }
  void forget_problems() { problems_.clear(); }
  // Then what was not found may be there all the same.
  bool has_reached_limit() const { return has_reached_limit_; }

 private:
  const Tool* find(std::string_view name) const;
  void report(std::string problem);

  std::span<const Tool> tools_;
  const Transcript& transcript_;
  std::size_t turn_;  // makes the ids of calls unique within a session
  std::string only_tool_;
  std::vector<ToolCall> calls_;
  std::vector<std::string> problems_;
  bool has_reached_limit_ = false;
};

}  // namespace wright::offline
