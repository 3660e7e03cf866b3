// Hides secrets in what tools tell: their results, their progress, what they ask people, and what
// they keep in files.
#include <boost/json/object.hpp>

#include "core/json_members.h"
#include "core/sha256.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

// A mark of all that a person was asked to approve, hidden or not.
constexpr std::string_view kWholeShown = "whole_shown";

void redact(Output& output, const Redactor& redactor) {
  std::size_t hidden = 0;
  output.value = redactor.redacted(std::move(output.value), hidden);
  for (Notice& notice : output.notices) {
    notice.text = redactor.redacted(std::string_view(notice.text));
  }
  if (hidden > 0) output.notices.push_back(notice(Notice::Kind::secrets_hidden));
}

void redact(Error& error, const Redactor& redactor) {
  error.message = redactor.redacted(std::string_view(error.message));
  error.detail = redactor.redacted(std::move(error.detail));
}

// Its reason alone may be another one when the call is executed again.
std::string mark_of(const Json& shown) {
  Json marked = shown;
  if (JsonObject* object = marked.if_object()) object->erase("reason");
  return sha256_hex(to_text(marked));
}

// What a server asks goes back to it, and leads people to its addresses. Its own tools alone have a
// definition.
Redactor for_waiting(const Waiting& waiting, const Tool& tool, const Redactor& redactor) {
  const bool asks_server = waiting.kind == WaitKind::question && !tool.spec.definition.empty();
  return asks_server ? redactor.sparing() : redactor;
}

// A call that a person approves, or that is run elsewhere, is meant as its model wrote it, and
// stored so: its arguments stay.
Json shown_without(const Waiting& waiting, const Redactor& redactor, std::size_t& hidden) {
  Json shown = redactor.redacted(waiting.shown, hidden);
  const Json* arguments = member(waiting.shown, "arguments");
  if (waiting.kind != WaitKind::question && arguments != nullptr) {
    shown.get_object()["arguments"] = *arguments;
  }
  return shown;
}

// Its state is left as it is: the call could not go on with another one, and nobody is shown it.
void redact(Waiting& waiting, const Redactor& redactor) {
  std::size_t hidden = 0;
  Json shown = shown_without(waiting, redactor, hidden);
  if (hidden > 0 && waiting.kind == WaitKind::approval && shown.is_object()) {
    shown.get_object()[kWholeShown] = mark_of(waiting.shown);
  }
  waiting.shown = std::move(shown);
}

// Whether this is what a person has approved, who was shown it without its secrets.
bool is_approved(const Waiting& waiting, const WaitAnswers& answers) {
  const Json* mark = member(answers.approved, kWholeShown);
  return mark != nullptr && answers.approval && waiting.kind == WaitKind::approval &&
         waiting.state.is_null() && *mark == Json(mark_of(waiting.shown));
}

Waiting* waiting_in(Result<ToolReply>& reply) {
  return reply ? std::get_if<Waiting>(&*reply) : nullptr;
}

}  // namespace

Interceptor redaction(Redactor redactor) {
  return [redactor](const Invocation& invocation, const Context& context,
                    const Next& next) -> Result<ToolReply> {
    Context quiet = context;
    if (context.progress) {
      quiet.progress = [&](std::string_view text) { context.progress(redactor.redacted(text)); };
    }
    if (context.spill) {
      quiet.spill = [&](std::string_view text) { return context.spill(redactor.redacted(text)); };
    }
    Result<ToolReply> reply = next(invocation, quiet);
    if (const Waiting* waiting = waiting_in(reply);
        waiting != nullptr && is_approved(*waiting, context.answers)) {
      quiet.answers.approved = waiting->shown;
      reply = next(invocation, quiet);
    }
    if (!reply) {
      redact(reply.error(), redactor);
    } else if (Output* output = std::get_if<Output>(&*reply)) {
      redact(*output, redactor);
    } else if (Waiting* waiting = waiting_in(reply)) {
      redact(*waiting, for_waiting(*waiting, invocation.tool, redactor));
    }
    return reply;
  };
}

}  // namespace wright::intercept
