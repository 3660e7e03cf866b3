#include "app/terminal/answer_stream.h"

namespace wright::app {

void AnswerStream::observe(const Event& event) {
  if (const auto* delta = std::get_if<TextDelta>(&event)) {
    print(delta->text);
  } else if (std::holds_alternative<ModelRetried>(event)) {
    if (is_printing_) {
      end_text();
      console_.note("(the answer broke off and begins again)\n");
    }
  } else if (const auto* ended = std::get_if<ModelEnded>(&event)) {
    has_printed_answer_ = is_printing_;
    if (!is_printing_) return;
    if (progress_ != nullptr) progress_->has_been_shown(ended->response.text());
    end_text();
  }
}

void AnswerStream::print(std::string_view text) {
  if (text.empty()) return;
  if (!is_printing_) {
    is_printing_ = true;
    if (progress_ != nullptr) {
      progress_->stand_still();
      if (console_.error().is_terminal) console_.note("\n");
    }
  }
  if (markdown_) {
    markdown_->fit(columns_now(console_.output()));
    show(markdown_->add(text));
  } else {
    console_.print_foreign(text);
    is_at_line_start_ = text.ends_with('\n');
  }
}

void AnswerStream::show(std::string_view text) {
  if (text.empty()) return;
  console_.print(text);
  is_at_line_start_ = text.ends_with('\n');
}

void AnswerStream::close() {
  if (is_printing_) end_text();
}

void AnswerStream::end_text() {
  if (markdown_) show(markdown_->finish());
  if (!is_at_line_start_) console_.print("\n");
  is_at_line_start_ = true;
  is_printing_ = false;
  if (progress_ == nullptr) return;
  if (console_.error().is_terminal) console_.note("\n");
  progress_->move_on();
}

}  // namespace wright::app
