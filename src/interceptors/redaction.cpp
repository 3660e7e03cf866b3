// Hides secrets in the results of tools.
#include "wright/interceptors.h"

namespace wright::intercept {

Interceptor redaction(Redactor redactor) {
  return after([redactor](const Invocation&, const Context&, Result<ToolReply>& reply) {
    if (!reply) {
      Error& error = reply.error();
      error.message = redactor.redacted(std::string_view(error.message));
      error.detail = redactor.redacted(std::move(error.detail));
    } else if (Output* output = output_of(reply)) {
      std::size_t hidden = 0;
      output->value = redactor.redacted(std::move(output->value), hidden);
      for (Notice& notice : output->notices) {
        notice.text = redactor.redacted(std::string_view(notice.text));
      }
      if (hidden > 0) output->notices.push_back(notice(Notice::Kind::secrets_hidden));
    }
  });
}

}  // namespace wright::intercept
