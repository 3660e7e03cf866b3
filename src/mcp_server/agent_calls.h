// An agent, called by a client as a tool. Its session is stored as any other; what it waits for is
// put to the client's person, and can be answered from anywhere else as well.
#pragma once

#include "mcp/server.h"
#include "mcp_server/host.h"

namespace wright::mcp_server {

struct AgentSessions {
  Store& store;
  BegunSessions& begun;
  const Observer& observer;
  const SessionTracing& tracing;
  bool are_all_open = false;   // else those that began here
  std::string dashboard = {};  // see Offering
};

// What a call wants of an agent.
struct AgentTurn {
  AgentToRun made = {};
  std::string prompt = {};
  std::optional<SessionId> session = {};  // that goes on; else a new one begins
};
// Refuses what has no prompt, and sessions that the caller may not go on with.
Result<AgentTurn> turn_of(const OfferedAgent& offered, const AgentSessions& sessions,
                          const mcp::Work& work);

// What is kept with the session, and whose it is.
Json config_of_caller(Json config, std::string_view principal);
// What an event says of the progress of its session; empty: nothing.
std::string words_on(const Event& event);
std::string answered_by(const mcp::ClientView& client);
// What a client is to ask its person for a wait, by "wait_ID": a form, or an address of the
// dashboard for what must not be typed there, or is too long to be shown there. An error where it
// cannot.
Result<mcp::NeedsInput::Request> request_to_client(const mcp::ClientView& client,
                                                   std::string_view dashboard,
                                                   const PersonWait& wait, SessionId session);
// By which a client of 2025-11-25 hears that what it sent its person away for is over.
inline constexpr std::string_view kIsOver = "notifications/elicitation/complete";
JsonObject what_is_over(SessionId session, WaitId wait);
// Whether a form can ask for it. What comes in one for anything else is no answer: nobody has been
// shown it.
bool fits_form(const StoredWait& wait);

mcp::WorkOutcome call_agent(const OfferedAgent& offered, const AgentSessions& sessions,
                            const mcp::Work& work, const WorkControls& controls);

}  // namespace wright::mcp_server
