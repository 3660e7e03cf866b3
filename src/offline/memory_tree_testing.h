// For tests: list_files, read_file and grep over files in memory, and a loop that lets the offline
// model use them until it answers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "wright/message.h"
#include "wright/tool.h"

namespace wright::offline {

using MemoryTree = std::map<std::string, std::string>;  // path → content

std::vector<Tool> memory_tools(const MemoryTree& tree);

// A tool that answers every call with `content`, whatever it is.
Tool constant_tool(std::string name, Json parameters, Result<Json> answer);

struct Conversation {
  std::string answer;
  std::vector<ToolCall> calls;
  int model_calls = 0;
  Usage usage;
  bool has_ended = false;  // false when the model still wanted tools after ten turns

  bool called(std::string_view tool) const;
  bool says(std::string_view text) const { return answer.find(text) != std::string::npos; }
};

Conversation converse(const std::vector<Tool>& tools, std::vector<Message> messages);
Conversation ask(const std::vector<Tool>& tools, const std::string& prompt);
Conversation ask(const MemoryTree& tree, const std::string& prompt);

}  // namespace wright::offline
