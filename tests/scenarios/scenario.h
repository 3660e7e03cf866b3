// A conversation from a text file: the script that a model follows, and the lines that must come of
// it. See README.md for the format.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "wright/message.h"

namespace wright::scenarios {

// What people do when a run has stopped: answers to the calls that wait, or the next message.
struct Reply {
  std::string call_id;
  Json answer;
};
struct Continuation {
  std::vector<Reply> replies = {};
  std::string message = {};  // where there are no replies
};

struct Scenario {
  std::string prompt;
  int max_iterations = 10;
  bool has_conveniences = false;
  bool has_handoff = false;  // the agent can hand over to `heir`
  std::vector<Result<Response>> script;
  std::vector<Continuation> continuations;
  std::map<std::string, std::vector<Result<Response>>> specialists;  // scripts by name
  std::vector<std::string> expected;        // every line but comments, limits and specialists'
  std::vector<std::string> expected_below;  // what the sessions of specialists hold

  // One that knows other agents.
  bool needs_driver() const { return has_handoff || !specialists.empty(); }
};

Result<Scenario> load(const std::filesystem::path& file);

// What happened, in the format of a scenario file. Line breaks in texts become \n.
class Protocol {
 public:
  void add(const Message& message);
  void add_model_error(const Error& error);
  void add_wait(const ToolCall& call, const Json& shown);
  void add_reply(const Reply& reply);
  void add_specialist(std::string_view name);
  void add_end(std::string_view status, std::string_view word, std::string_view text);

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void add_line(std::string_view word, std::string_view text);

  std::vector<std::string> lines_;
};

}  // namespace wright::scenarios
