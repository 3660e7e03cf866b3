// What a person who must approve a call is asked. Nothing here fails a call or changes anything.
#pragma once

#include "wright/log.h"
#include "wright/tool.h"

namespace wright {

// More than this is not added to what a person is shown.
inline constexpr std::size_t kMostPreviewBytes = std::size_t{96} * 1024;

// The members of the tool's preview for these arguments. Empty without a preview; a "problem"
// instead when the preview throws or is too large.
JsonObject preview_of(const Tool& tool, const Json& arguments);

// The same where it is not too large. Otherwise a "problem", and the hash of it all, by which it is
// told whether this was approved.
JsonObject shown_part(JsonObject preview);

// The kind of call that an approval for the session holds for.
std::string approval_kind(const Invocation& invocation);

// The tool, its arguments, and what it would touch.
JsonObject approval_question(const Invocation& invocation);

// The tool with secrets hidden in the diffs of its preview, which holds what files hold. Of the
// arguments nothing is hidden: they are what is approved.
Tool with_hidden_secrets(Tool tool, const Redactor& redactor);

}  // namespace wright
