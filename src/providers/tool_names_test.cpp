#include "providers/tool_names.h"

#include <gtest/gtest.h>

#include "wright/tool.h"

namespace wright::providers {
namespace {

std::vector<Tool> tools_named(const std::vector<std::string>& names) {
  std::vector<Tool> tools;
  for (const std::string& name : names) tools.push_back(Tool{{.name = name}, {}});
  return tools;
}

TEST(ToolNames, leaves_alone_what_is_allowed) {
  const auto tools = tools_named({"read_file", "Grep-2"});
  const ToolNames names(Request{.tools = tools}, {});
  EXPECT_EQ(names.on_wire("read_file"), "read_file");
  EXPECT_EQ(names.from_wire("Grep-2"), "Grep-2");
}

TEST(ToolNames, maps_odd_names_there_and_back_without_collisions) {
  const auto tools = tools_named({"files.read", "files:read", "files_read", "", "größe",
                                  std::string(100, 'a'), std::string(101, 'a')});
  const ToolNames names(Request{.tools = tools}, {});
  EXPECT_EQ(names.on_wire("files_read"), "files_read");
  std::map<std::string, int> seen;
  for (const Tool& tool : tools) {
    const std::string wire(names.on_wire(tool.spec.name));
    EXPECT_EQ(++seen[wire], 1) << wire;
    EXPECT_EQ(names.from_wire(wire), tool.spec.name);
    EXPECT_LE(wire.size(), 64U);
    EXPECT_EQ(wire.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_-"),
              std::string::npos)
        << wire;
  }
}

TEST(ToolNames, knows_names_that_stand_in_the_history_only) {
  const std::vector<Message> messages{{Role::assistant, {ToolCall{"1", "old:tool", "{}"}}}};
  const ToolNames names(Request{.messages = messages}, {});
  EXPECT_EQ(names.on_wire("old:tool"), "old_tool");
}

TEST(ToolNames, can_demand_a_letter_first) {
  const auto tools = tools_named({"2fa", "a.b:c"});
  const ToolNames names(Request{.tools = tools},
                        {.punctuation = "_-.:", .starts_with_letter = true});
  EXPECT_EQ(names.on_wire("2fa"), "_2fa");
  EXPECT_EQ(names.on_wire("a.b:c"), "a.b:c");
}

TEST(ToolNames, leaves_a_name_that_was_never_sent) {
  EXPECT_EQ(ToolNames(Request{}, {}).from_wire("invented"), "invented");
}

}  // namespace
}  // namespace wright::providers
