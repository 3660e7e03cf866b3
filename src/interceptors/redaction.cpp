// Hides secrets in what tools tell: their results, and their progress.
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
    }
    return reply;
  };
}

}  // namespace wright::intercept
