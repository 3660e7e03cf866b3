// Questions to a person, in the words of MCP (elicitation) and in ours (ask_user, approvals).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/json_rpc.h"
#include "wright/people.h"

namespace wright::mcp {

// Our questions as params of `elicitation/create`. Refuses passwords: what a person types into a
// form passes through the client.
Result<JsonObject> form_of(const AskUserRequest& request);
// What the client sent back, as answer_wait() takes it: the answers by id. A person who declined or
// closed the form gives an error.
Result<Json> answers_in_form(const JsonObject& result);

// What a decision can hold for, and so may be offered: where there is no session that remembers it,
// this call alone.
enum class DecisionHolds : std::uint8_t { for_this_call, for_its_kind_too };

// A call that a person has to approve: what they are asked about first, then all of it. Refuses
// (ErrorCode::limit_reached) what is longer than a form shows: nobody approves what they do not see.
inline constexpr std::size_t kLongestApproval = std::size_t{64} << 10;
Result<JsonObject> approval_form(std::string_view tool, const Json& shown, DecisionHolds holds);
// What they decided. Declined is refused.
Result<Approval> approval_in_form(const JsonObject& result);

// What a server asks as our questions: the fields of its form, or whether a person opens the
// address that it names (mode "url"; see address_question()). Refuses what is neither. What a
// hostile server writes may still be nothing that a person can be asked: see check() of
// wright/people.h.
Result<AskUserRequest> questions_in(const JsonObject& params);
// The result of `elicitation/create`. `answer` is what a call that waited gets back
// (AskUserResponse as JSON); questions that were left open are left out.
JsonObject elicitation_result(const JsonObject& params, const Json& answer);
JsonObject form_result(const Json& answer);
// Without a person: the defaults of the form where every required field has one, else nothing.
std::optional<JsonObject> defaults_of(const JsonObject& params);

// Params of mode "url" as a question to a person, who is shown the host and the whole address
// before anything else and opens it by themselves. Nothing here fetches it. Refuses what is no
// address of the web.
Result<AskUserRequest> address_question(const JsonObject& params);
// Agreeing has no content: what is typed there is typed elsewhere.
JsonObject address_result(const Json& answer);
bool asks_for_address(const JsonObject& params);

}  // namespace wright::mcp
