// What the simulated world works on: agents three deep, models that answer from a seed, and tools
// that leave evidence. A model's answer depends only on the seed and on the conversation, so that
// fewer faults do not change the work.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wright/agent.h"

namespace wright::simulation {

class World;

enum class ToolKind : std::uint8_t {
  write,
  put,
  read,
  serial,
  exclusive,
  question,
  guarded,
  confirmed,  // a write that asks a person when it has acted
};
std::string_view to_string(ToolKind kind);
std::optional<ToolKind> tool_kind_from(std::string_view name);
// Whether it must never happen twice.
bool is_single(ToolKind kind);

class Workload {
 public:
  explicit Workload(World& world);

  // Every session has a number, which its first message says.
  static std::string prompt_of(std::int64_t number);
  static std::optional<std::int64_t> number_in(std::string_view prompt);

  std::shared_ptr<const Agent> root_agent(std::int64_t number);
  Limits limits_of(std::int64_t number) const;

 private:
  using AgentPointer = std::shared_ptr<const Agent>;

  std::shared_ptr<Agent> agent(std::string name, Limits limits);
  void add_specialist(Agent& agent, AgentPointer Workload::*which);
  Tool tool_of(ToolKind kind);
  Result<ToolReply> execute(ToolKind kind, const Context& context);
  Result<Response> answer(const Request& request);
  std::string result_of(const std::string& key) const;
  std::optional<std::int64_t> window_of(std::int64_t number) const;
  Result<Response> summary(const Request& request, class Random& random);
  std::vector<Part> calls(const Request& request, std::int64_t number, class Random& random);

  World& world_;
  AgentPointer deep_, digger_, helper_;
  std::map<std::int64_t, AgentPointer> roots_;
  std::map<std::pair<std::int64_t, std::size_t>, int> asked_;
  std::vector<Tool> tools_;
};

}  // namespace wright::simulation
