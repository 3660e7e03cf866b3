#include "feedback/reporting_model.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "feedback/feedback_reading.h"
#include "wright/feedback.h"

namespace wright::feedback {
namespace {

constexpr std::string_view kBegin = "<tool_feedback";
constexpr std::string_view kEnd = "</tool_feedback>";

const ToolCall* report_in(const Part& part) {
  const auto* call = std::get_if<ToolCall>(&part);
  return call != nullptr && call->name == kReportToolFeedback ? call : nullptr;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// What was said before a report is whole, even if the report itself was cut.
void end_turn(Response& response) {
  if (response.stop_reason == StopReason::tool_use ||
      response.stop_reason == StopReason::max_tokens) {
    response.stop_reason = StopReason::end_turn;
  }
}

// Keeps a <tool_feedback> element out of text that is shown as it comes.
class TextFilter {
 public:
  explicit TextFilter(std::function<void(std::string_view)> show) : show_(std::move(show)) {}

  void add(std::string_view text) {
    held_ += text;
    while (!held_.empty()) {
      if (is_inside_) {
        const std::size_t end = held_.find(kEnd);
        if (end == std::string::npos) {
          held_.erase(0, held_.size() - std::min(held_.size(), kEnd.size() - 1));
          return;
        }
        held_.erase(0, end + kEnd.size());
        is_inside_ = false;
        continue;
      }
      const std::size_t begin = held_.find('<');
      release(std::min(begin, held_.size()));
      const std::size_t common = std::min(held_.size(), kBegin.size());
      if (std::string_view(held_).substr(0, common) != kBegin.substr(0, common)) {
        release(1);
      } else if (common < kBegin.size()) {
        return;  // perhaps; what comes next decides
      } else {
        is_inside_ = true;
      }
    }
  }

  // The text has ended, so nothing is held back any more.
  void finish() {
    if (!is_inside_) release(held_.size());
    reset();
  }
  void reset() {
    held_.clear();
    is_inside_ = false;
  }

 private:
  void release(std::size_t bytes) {
    if (bytes > 0) show_(std::string_view(held_).substr(0, bytes));
    held_.erase(0, bytes);
  }

  std::function<void(std::string_view)> show_;
  std::string held_;
  bool is_inside_ = false;
};

class ReportingBackend : public ModelBackend {
 public:
  ReportingBackend(Model model, OnReport on_report)
      : model_(std::move(model)), on_report_(std::move(on_report)) {}

  Result<Response> complete(const Request& request, const ModelCall& call) override {
    const auto filter = filter_for(call);
    Result<Response> response = model_.complete(request, filtered(call, filter));
    finish(filter, on_report_, response);
    return response;
  }

  void start(const Request& request, ModelCall call, ModelDone done) override {
    const auto filter = filter_for(call);
    model_.start(
        request, filtered(call, filter),
        [filter, on_report = on_report_, done = std::move(done)](Result<Response> response) {
          finish(filter, on_report, response);
          done(std::move(response));
        });
  }

  bool blocks() const override { return model_.blocks(); }
  double cost_usd(std::int64_t input_tokens, std::int64_t output_tokens) const override {
    return model_.cost_usd(input_tokens, output_tokens);
  }
  std::int64_t context_tokens() const override { return model_.context_tokens(); }

 private:
  using Filter = std::shared_ptr<TextFilter>;

  static Filter filter_for(const ModelCall& call) {
    return call.on_text ? std::make_shared<TextFilter>(call.on_text) : nullptr;
  }

  static ModelCall filtered(ModelCall call, const Filter& filter) {
    if (filter == nullptr) return call;
    call.on_text = [filter](std::string_view text) { filter->add(text); };
    call.on_retry = [filter, on_retry = std::move(call.on_retry)](const ModelRetry& retry) {
      filter->reset();
      if (on_retry) on_retry(retry);
    };
    return call;
  }

  static void finish(const Filter& filter, const OnReport& on_report, Result<Response>& response) {
    if (filter != nullptr) filter->finish();
    if (response) take_report(*response, on_report);
  }

  Model model_;
  OnReport on_report_;
};

void take_report_call(Response& response, const OnReport& on_report) {
  if (is_blank(response.text())) return;
  for (const Part& part : response.content) {
    if (const ToolCall* report = report_in(part)) on_report(report->arguments);
  }
  std::erase_if(response.content, [](const Part& part) { return report_in(part) != nullptr; });
  end_turn(response);
}

void take_report_text(Response& response, const OnReport& on_report) {
  auto split = split_answer(response.text());
  if (!split || is_blank(split->answer)) return;
  on_report(std::move(split->feedback));
  std::erase_if(response.content,
                [](const Part& part) { return std::holds_alternative<Text>(part); });
  response.content.emplace_back(Text{std::move(split->answer)});
  end_turn(response);
}

}  // namespace

Model reporting_model(Model model, OnReport on_report) {
  std::string provider = model.provider();
  std::string name = model.name();
  return Model(std::move(provider), std::move(name),
               std::make_shared<ReportingBackend>(std::move(model), std::move(on_report)));
}

void take_report(Response& response, const OnReport& on_report) {
  if (response.stop_reason == StopReason::content_filter) return;
  std::size_t calls = 0;
  std::size_t reports = 0;
  for (const Part& part : response.content) {
    if (std::holds_alternative<ToolCall>(part)) ++calls;
    if (report_in(part) != nullptr) ++reports;
  }
  if (calls == 0) {
    take_report_text(response, on_report);
  } else if (calls == reports) {
    take_report_call(response, on_report);
  }
}

}  // namespace wright::feedback
