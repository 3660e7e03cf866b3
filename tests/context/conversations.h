// Long conversations with a recording server, on every driver.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "context/recording_server.h"
#include "wright/driver.h"
#include "wright/fitting.h"
#include "wright/runtime.h"
#include "wright/schema.h"

namespace wright::context {

struct Place {
  int at = 0;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(at))

// What one conversation is like.
struct Talk {
  std::string name = {};
  std::int64_t window = 8'000;  // as the catalogue says
  int max_tokens = 1'000;
  std::size_t instructions = 200;  // bytes
  int more_tools = 0;
  std::size_t bytes_of_tool = 380;  // of the description of each of those
  std::size_t first = 40;           // bytes of the first message
  int messages = 1;                 // of the user
  std::size_t result = 3'000;       // bytes of each
  ServerOptions server = {};
};

inline Tool looking(std::size_t bytes) {
  return tool("look", "Looks", [bytes](const Place& place) {
    return fmt::format("place {} {}", place.at, std::string(bytes, 'r'));
  });
}

inline Agent agent_of(const Talk& talk, const RecordingServer& server) {
  Agent agent{.name = "looker",
              .instructions = "Look. " + std::string(talk.instructions, 'i'),
              .model = server.model(talk.window),
              .tools = {looking(talk.result)},
              .limits = {.max_iterations = 100'000, .max_repeats = {}},
              .sampling = {.max_tokens = talk.max_tokens}};
  for (int i = 0; i < talk.more_tools; ++i) {
    agent.tools.push_back(tool(fmt::format("tool{}", i), std::string(talk.bytes_of_tool, 'd'),
                               [](const Place&) { return "done"; }));
  }
  return agent;
}

inline std::string message_of(const Talk& talk, int number) {
  return number == 0 ? "Look around. " + std::string(talk.first, 'f')
                     : fmt::format("And once more, the {}th time", number);
}

// The blocking driver, with a store: how it ended.
inline std::string talk_blocking(const Talk& talk, const Agent& agent, Store& store,
                                 const RunOptions& options = {}) {
  SessionId session = 0;
  for (int i = 0; i < talk.messages; ++i) {
    const auto answer = session == 0 ? run(store, agent, message_of(talk, i), options)
                                     : send(store, agent, session, message_of(talk, i), options);
    if (!answer) return answer.error().message;
    session = answer->session_id;
  }
  return "ok";
}

// The two-phase agent, with all of its history every time.
inline std::string talk_two_phase(const Talk& talk, const Agent& agent) {
  TwoPhaseAgent two_phase(agent);
  std::vector<Message> history;
  for (int i = 0; i < talk.messages; ++i) {
    history.push_back(Message::user(message_of(talk, i)));
    while (true) {
      auto response = two_phase.process_with_results(history).get();
      if (!response) return response.error().message;
      if (const auto needs = needs_tools(response)) {
        history = needs->messages;
        for (const ToolCall& call : needs->tool_calls) {
          history.push_back(Message::tool(execute(agent, call, {}).result));
        }
        continue;
      }
      const auto text = text_of(response)->all();
      history.push_back(Message::assistant(text ? *text : ""));
      break;
    }
  }
  return "ok";
}

// A program's own loop over ContextFitting.
inline std::string talk_by_own_driver(const Talk& talk, const Agent& agent) {
  ContextFitting fitting;
  Run run = start(agent, message_of(talk, 0));
  for (int i = 0; i < talk.messages; ++i) {
    if (i > 0 && !accept(run, UserSaid{Message::user(message_of(talk, i))})) return "refused";
    while (true) {
      const Step step = fitting.next(agent, run);
      if (const auto* call = std::get_if<CallModel>(&step)) {
        const auto taken = fitting.accept(agent, run, fitting.model(agent).complete(call->request));
        if (!taken) return taken.error().message;
      } else if (const auto* tools = std::get_if<CallTools>(&step)) {
        for (const ToolCall& call : tools->calls) {
          if (!accept(run, ToolFinished{execute(agent, call, {}).result})) return "refused";
        }
      } else if (const auto* failed = std::get_if<Failed>(&step)) {
        return failed->error.message;
      } else {
        break;
      }
    }
  }
  return "ok";
}

}  // namespace wright::context
