#include "feedback/reporting_model.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "core/text.h"
#include "core/text_pieces.h"
#include "feedback/feedback_reading.h"
#include "wright/feedback.h"

namespace wright::feedback {
namespace {

constexpr std::string_view kReportBegin = "<tool_feedback";

const ToolCall* report_in(const Part& part) {
  const auto* call = std::get_if<ToolCall>(&part);
  return call != nullptr && call->name == kReportToolFeedback ? call : nullptr;
}

// What precedes a report is complete, even if the report itself was cut.
void end_turn(Response& response) {
  if (response.stop_reason == StopReason::tool_use ||
      response.stop_reason == StopReason::max_tokens) {
    response.stop_reason = StopReason::end_turn;
  }
}

// Keeps feedback out of text that is shown as it streams: a <tool_feedback> element, and JSON that
// may wrap the answer. JSON is held back until it is clear what it is.
class TextFilter {
 public:
  explicit TextFilter(TextSink show) : show_(std::move(show)) {}

  void add(TextPiece piece) {
    if (kinds_.empty() || kinds_.back().phase != piece.phase) {
      kinds_.push_back({all_.size(), piece.phase});
    }
    all_ += piece.text;
    while (state_ != State::feedback && at_ < all_.size()) {
      if (!advance()) break;
    }
    release(std::min(at_, all_.size()));
  }

  // The text has ended; shows the rest of what `parts` say.
  void finish(const std::vector<Part>& parts, std::string_view whole) {
    std::string_view said = std::string_view(all_).substr(0, shown_);
    if (!whole.starts_with(said)) said = trimmed(said);
    if (whole.starts_with(said)) {
      tell_texts(parts, show_, said.size());
    } else if (state_ != State::feedback) {
      release(all_.size());
    }
    reset();
  }
  // It was cut off.
  void abandon() {
    if (std::string_view(all_).substr(shown_).find("tool_feedback") == std::string_view::npos) {
      release(all_.size());
    }
    reset();
  }
  void reset() {
    all_.clear();
    kinds_.clear();
    at_ = shown_ = 0;
    state_ = State::text;
    is_line_start_ = true;
  }

 private:
  enum class State : std::uint8_t {
    text,
    object,      // from at_ on, JSON that is not closed yet
    data_fence,  // from at_ on, a fence that may hold JSON or XML
    code_fence,  // another fence: passes through
    feedback,    // from at_ on, to the end
  };

  // Takes one step; false when it needs more text to decide.
  bool advance() {
    switch (state_) {
      case State::text: return advance_in_text();
      case State::object: return advance_in_object();
      case State::data_fence:
      case State::code_fence: return advance_in_fence();
      case State::feedback: return false;
    }
    return false;
  }

  bool advance_in_text() {
    const std::string_view rest = std::string_view(all_).substr(at_);
    if (is_line_start_ && rest.front() == '{') {
      state_ = State::object;
      scanned_ = at_;
      depth_ = 0;
      is_string_ = false;
      return true;
    }
    if (is_line_start_ && rest.front() == '`') {
      constexpr std::string_view kFence = "```";
      if (!rest.starts_with(kFence.substr(0, std::min(rest.size(), kFence.size())))) return step();
      const std::size_t line_end = rest.find('\n');
      if (line_end == std::string_view::npos) return false;
      const std::string_view language = trimmed(rest.substr(kFence.size(), line_end - 3));
      const bool is_data =
          language.empty() || language == "json" || language == "JSON" || language == "xml";
      state_ = is_data ? State::data_fence : State::code_fence;
      scanned_ = at_ + line_end;
      return true;
    }
    if (rest.front() != '<') return step();
    const std::size_t common = std::min(rest.size(), kReportBegin.size());
    if (rest.substr(0, common) != kReportBegin.substr(0, common)) return step();
    if (rest.size() <= kReportBegin.size()) return false;
    if (rest[kReportBegin.size()] != '>' && rest[kReportBegin.size()] != ' ') return step();
    state_ = State::feedback;
    return true;
  }

  bool step() {
    const char c = all_[at_++];
    if (c == '\n') {
      is_line_start_ = true;
    } else if (c != ' ' && c != '\t') {
      is_line_start_ = false;
    }
    return true;
  }

  bool advance_in_object() {
    for (; scanned_ < all_.size(); ++scanned_) {
      const char c = all_[scanned_];
      if (is_string_) {
        if (c == '\\') {
          ++scanned_;
        } else if (c == '"') {
          is_string_ = false;
        }
      } else if (c == '"') {
        is_string_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if ((c == '}' || c == ']') && --depth_ <= 0) {
        return leave(scanned_ + 1);
      }
    }
    return false;
  }

  bool advance_in_fence() {
    const std::size_t end = all_.find("\n```", scanned_);
    if (state_ == State::code_fence) {
      at_ = end == std::string::npos ? all_.size() - std::min<std::size_t>(all_.size() - at_, 3)
                                     : end + 4;
      scanned_ = std::max(scanned_, at_);
      if (end == std::string::npos) return false;
      state_ = State::text;
      is_line_start_ = false;
      return true;
    }
    if (end == std::string::npos) {
      scanned_ = std::max(scanned_, all_.size() - std::min<std::size_t>(all_.size(), 3));
      return false;
    }
    return leave(end + 4);
  }

  // The text that was held back is complete.
  bool leave(std::size_t end) {
    const std::string_view held = std::string_view(all_).substr(at_, end - at_);
    if (held.find("tool_feedback") != std::string_view::npos) {
      state_ = State::feedback;
      return false;
    }
    at_ = end;
    state_ = State::text;
    is_line_start_ = false;
    return true;
  }

  void release(std::size_t end) {
    for (std::size_t i = 0; i < kinds_.size() && shown_ < end; ++i) {
      const std::size_t kind_end = i + 1 < kinds_.size() ? kinds_[i + 1].begin : all_.size();
      const std::size_t stop = std::min(end, kind_end);
      if (stop <= shown_) continue;
      show_({std::string_view(all_).substr(shown_, stop - shown_), kinds_[i].phase});
      shown_ = stop;
    }
  }

  struct Kind {
    std::size_t begin;  // of its words in all_
    Text::Phase phase;
  };

  TextSink show_;
  std::string all_;
  std::vector<Kind> kinds_;  // in order
  std::size_t at_ = 0;       // everything before it may be shown
  std::size_t shown_ = 0;    // everything before it has been shown
  State state_ = State::text;
  bool is_line_start_ = true;  // nothing but blanks since the line began
  std::size_t scanned_ = 0;    // State::object and the fences: how far the end was looked for
  int depth_ = 0;
  bool is_string_ = false;
};

class ReportingBackend : public ModelBackend {
 public:
  ReportingBackend(Model model, OnReport on_report)
      : model_(std::move(model)), on_report_(std::move(on_report)) {}

  Result<Response> complete(const Request& request, const ModelCall& call) override {
    const auto filter = filter_for(call);
    Result<Response> response = model_.complete(request, filtered(call, filter));
    finish(filter, on_report_, has_reported(request), response);
    return response;
  }

  void start(const Request& request, ModelCall call, ModelDone done) override {
    const auto filter = filter_for(call);
    model_.start(request, filtered(call, filter),
                 [filter, on_report = on_report_, has_reported = has_reported(request),
                  done = std::move(done)](Result<Response> response) {
                   finish(filter, on_report, has_reported, response);
                   done(std::move(response));
                 });
  }

  bool blocks() const override { return model_.blocks(); }
  std::optional<double> cost_usd(std::int64_t input_tokens,
                                 std::int64_t output_tokens) const override {
    return model_.cost_usd(input_tokens, output_tokens);
  }
  std::optional<std::int64_t> context_tokens() const override { return model_.context_tokens(); }
  bool guesses_context() const override { return model_.guesses_context(); }

 private:
  using Filter = std::shared_ptr<TextFilter>;

  static Filter filter_for(const ModelCall& call) {
    return call.on_text ? std::make_shared<TextFilter>(call.on_text) : nullptr;
  }

  static ModelCall filtered(ModelCall call, const Filter& filter) {
    if (filter == nullptr) return call;
    call.on_text = [filter](TextPiece piece) { filter->add(piece); };
    call.on_retry = [filter, on_retry = std::move(call.on_retry)](const ModelRetry& retry) {
      filter->reset();
      if (on_retry) on_retry(retry);
    };
    return call;
  }

  static bool has_reported(const Request& request) {
    return std::ranges::any_of(request.messages, [](const Message& message) {
      return std::ranges::any_of(message.parts,
                                 [](const Part& part) { return report_in(part) != nullptr; });
    });
  }

  static void finish(const Filter& filter, const OnReport& on_report, bool has_reported,
                     Result<Response>& response) {
    if (response) take_report(*response, on_report, has_reported ? Asking::no : Asking::once_more);
    if (filter == nullptr) return;
    if (response) {
      filter->finish(response->content, response->text());
    } else {
      filter->abandon();
    }
  }

  Model model_;
  OnReport on_report_;
};

void take_report_calls(Response& response, const OnReport& on_report) {
  for (const Part& part : response.content) {
    if (const ToolCall* report = report_in(part)) on_report(report->arguments);
  }
  std::erase_if(response.content, [](const Part& part) { return report_in(part) != nullptr; });
  end_turn(response);
}

void replace_text(Response& response, std::string text) {
  // What answer() reads.
  const bool has_commentary = !response.commentary().empty();
  const auto is_text = [&](const Part& part) {
    const auto* said = std::get_if<Text>(&part);
    return said != nullptr && !(has_commentary && said->phase == Text::Phase::commentary);
  };
  const auto first = std::ranges::find_if(response.content, is_text);
  if (first == response.content.end()) return;
  const auto phase = std::get<Text>(*first).phase;
  const auto place = first - response.content.begin();
  std::erase_if(response.content, is_text);
  if (!is_blank(text)) {
    response.content.insert(response.content.begin() + place, Text{std::move(text), phase});
  }
}

// Feedback in the text without an answer becomes the call that it should have been: the model is
// told that it was noted, and then answers.
void make_call_of_text(Response& response, std::string feedback) {
  replace_text(response, {});
  response.content.emplace_back(
      ToolCall{"tool_feedback", std::string(kReportToolFeedback), std::move(feedback)});
  response.stop_reason = StopReason::tool_use;
}

}  // namespace

Model reporting_model(Model model, OnReport on_report) {
  std::string provider = model.provider();
  std::string name = model.name();
  return Model(std::move(provider), std::move(name),
               std::make_shared<ReportingBackend>(std::move(model), std::move(on_report)));
}

void take_report(Response& response, const OnReport& on_report, Asking asking) {
  if (response.stop_reason == StopReason::content_filter) return;
  std::size_t calls = 0;
  std::size_t reports = 0;
  for (const Part& part : response.content) {
    if (std::holds_alternative<ToolCall>(part)) ++calls;
    if (report_in(part) != nullptr) ++reports;
  }
  if (auto split = split_answer(response.answer())) {
    const bool is_alone = calls == 0 && is_blank(split->answer);
    if (is_alone && asking == Asking::no) return;
    if (is_alone) return make_call_of_text(response, std::move(split->feedback));
    on_report(std::move(split->feedback));
    replace_text(response, std::move(split->answer));
    if (calls == 0) end_turn(response);
  }
  if (calls > 0 && calls == reports && !is_blank(response.text())) {
    take_report_calls(response, on_report);
  }
}

}  // namespace wright::feedback
