// A request in the middle of which somebody is asked: what is stored with the wait, so that it goes
// on when they have answered, and what is said when it cannot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wright/people.h"

namespace wright::mcp_client {

struct Paused {
  enum class How : std::uint8_t {
    with_state,  // it is made again, with what the server gave along
    in_place,    // it is under way, as long as its process and its server live
    anew,        // the server refused it, and did nothing
    as_task,     // the server goes on with it, and is asked after it
  };
  How how = How::in_place;
  std::optional<std::string> request_state = {};
  std::string task = {};  // its id
  Json questions = {};    // that were put to the person (ServerQuestions); none: not known any more
};

Json paused_json(const Paused& paused);
// Nothing where it was stored by a Wright that kept nothing, or is none.
std::optional<Paused> paused_from(const Json& json);

Waiting waiting_for(const AskUserRequest& asked, const Paused& paused);

// What a call keeps of its task (Context::keep), for whoever goes on after a crash.
Json task_note(std::string_view id);
// Empty: it has none.
std::string task_in_note(const Json& note);

std::unexpected<Error> outcome_unknown(std::string_view server, std::string_view why);

}  // namespace wright::mcp_client
