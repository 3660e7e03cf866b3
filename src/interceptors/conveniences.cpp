// The conveniences as one list.
#include "wright/interceptors.h"

namespace wright {

std::vector<Interceptor> conveniences(const ToolExecutionOptions& options, Logger logger,
                                      Redactor redactor) {
  std::vector<Interceptor> list;
  // Logging stands outermost, so that refused arguments are logged as well.
  if (options.enable_logging) {
    list.push_back(intercept::logging({.logger = logger,
                                       .log_arguments = options.log_arguments,
                                       .truncate_logs = options.truncate_logs,
                                       .redactor = redactor}));
  }
  if (options.enable_validation) {
    list.push_back(
        intercept::validation({.logger = std::move(logger), .redactor = std::move(redactor)}));
  }
  if (options.enable_metadata) list.push_back(intercept::metadata());
  if (options.enable_logging || options.enable_metadata) list.push_back(intercept::timing());
  return list;
}

}  // namespace wright
