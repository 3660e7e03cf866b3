// Hides secrets in what tools tell: their results, their progress, and the diffs that a person who
// must approve a call is shown.
#include "core/call_preview.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

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

// Only what files hold: what the call itself says is shown whole, since that is what is approved.
void redact(Waiting& waiting, const Redactor& redactor) {
  JsonObject* shown = waiting.shown.if_object();
  const Json* diff = shown == nullptr ? nullptr : shown->if_contains("diff");
  if (diff == nullptr || !diff->is_string()) return;
  std::size_t hidden = 0;
  std::string text = redactor.redacted(std::string_view(diff->get_string()), hidden);
  if (hidden == 0) return;
  remember_facts(*shown);
  (*shown)["diff"] = std::move(text);
}

}  // namespace

Interceptor redaction(Redactor redactor) {
  return [redactor](const Invocation& invocation, const Context& context,
                    const Next& next) -> Result<ToolReply> {
    const auto go_on = [&]() -> Result<ToolReply> {
      if (!context.progress) return next(invocation, context);
      Context quiet = context;
      quiet.progress = [&](std::string_view text) { context.progress(redactor.redacted(text)); };
      return next(invocation, quiet);
    };
    Result<ToolReply> reply = go_on();
    if (!reply) {
      redact(reply.error(), redactor);
    } else if (Output* output = std::get_if<Output>(&*reply)) {
      redact(*output, redactor);
    } else if (Waiting* waiting = std::get_if<Waiting>(&*reply)) {
      redact(*waiting, redactor);
    }
    return reply;
  };
}

}  // namespace wright::intercept
