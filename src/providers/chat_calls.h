// Assembles the calls of a chat completion from deltas. OpenAI numbers them; others leave out the
// number, the id or the name, repeat them, or send every call as number 0. See merge() for how a
// delta finds its call.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "providers/response_builder.h"
#include "wright/json.h"

namespace wright::providers {

class ChatCalls {
 public:
  // One entry of delta.tool_calls.
  void merge(const Json& delta, ResponseBuilder& answer);

  // One entry of message.tool_calls of a whole response: always a call of its own.
  static void add(const Json& call, ResponseBuilder& answer);

  // The form before there were tools: delta.function_call. There is only one.
  void merge_legacy(const Json& function, ResponseBuilder& answer);

 private:
  std::optional<std::size_t> find(std::optional<std::int64_t> index, std::string_view id,
                                  std::string_view name, ResponseBuilder& answer) const;

  std::map<std::int64_t, std::size_t> by_index_;  // the last call that had this index
};

}  // namespace wright::providers
