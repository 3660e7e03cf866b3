// A conversation from a text file: the script that a model follows, and the lines that must come of
// it. See README.md for the format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "wright/message.h"
#include "wright/request.h"

namespace wright::scenarios {

struct Scenario {
  std::string prompt;
  int max_iterations = 10;
  bool has_conveniences = false;
  std::vector<Result<Response>> script;
  std::vector<std::string> expected;  // every line but comments and limits
};

Result<Scenario> load(const std::filesystem::path& file);

// What happened, in the format of a scenario file. Line breaks in texts become \n.
class Protocol {
 public:
  void add(const Message& message);
  void add_model_error(const Error& error);
  void add_wait(const ToolCall& call, const Json& shown);
  void add_end(std::string_view status, std::string_view word, std::string_view text);

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void add_line(std::string_view word, std::string_view text);

  std::vector<std::string> lines_;
};

}  // namespace wright::scenarios
