// The conveniences as one list.
#include "wright/interceptors.h"

namespace wright {

std::vector<Interceptor> conveniences(const ToolExecutionOptions& options, Logger logger,
                                      Redactor redactor) {
  std::vector<Interceptor> list;
  // Logging stands outermost, so that refused calls are logged as well.
  if (options.enable_logging) {
    list.push_back(intercept::logging({.logger = std::move(logger),
                                       .log_arguments = options.log_arguments,
                                       .truncate_logs = options.truncate_logs,
                                       .redactor = std::move(redactor)}));
  }
  if (options.enable_metadata) list.push_back(intercept::metadata());
  if (options.enable_logging || options.enable_metadata) list.push_back(intercept::timing());
  return list;
}

void add_conveniences(Agent& agent, const ToolExecutionOptions& options, Logger logger,
                      Redactor redactor) {
  agent.validation.logger = logger;
  agent.validation.redactor = redactor;
  if (!options.enable_validation) agent.validation.strictness = Strictness::off;
  for (const Tool& tool : agent.tools) {
    if (!tool.schema || !options.enable_validation) continue;
    for (const std::string& rule : tool.schema->warnings()) {
      logger.log(LogLevel::warning,
                 "[TOOL EXECUTION] A rule of " + tool.spec.name + " is not enforced",
                 {{"tool", tool.spec.name}, {"rule", rule}});
    }
  }
  for (Interceptor& each : conveniences(options, std::move(logger), std::move(redactor))) {
    agent.interceptors.push_back(std::move(each));
  }
}

}  // namespace wright
