// The JSON forms of feedback, and its schema. What a model wrote is read in feedback_reading.cpp.
#include <utility>

#include "wright/feedback.h"

namespace wright {
namespace {

constexpr int kReportVersion = 2;

}  // namespace

Json to_json(const ToolFeedback& feedback) {
  return encode(feedback);
}

Json tool_feedback_schema() {
  return schema_of<ToolFeedback>();
}

Json to_json(const FeedbackReport& report) {
  return encode(report);
}

Result<FeedbackReport> feedback_report_from_json(const Json& json) {
  if (const JsonObject* object = json.if_object()) {
    const Json* version = object->if_contains("version");
    if (version != nullptr && version->is_int64() && version->get_int64() > kReportVersion) {
      return fail(ErrorCode::unsupported, "This feedback was written by a newer version of Wright");
    }
  }
  auto report = decode<FeedbackReport>(json);
  if (!report) {
    return fail(report.error().code, "Not a feedback report: " + report.error().message);
  }
  return report;
}

}  // namespace wright
