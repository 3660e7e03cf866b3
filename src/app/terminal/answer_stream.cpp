#include "app/terminal/answer_stream.h"

#include <utility>

namespace wright::app {

void AnswerStream::observe(const Event& event) {
  if (const auto* delta = std::get_if<TextDelta>(&event)) {
    if (delta->phase == Text::Phase::commentary) {
      remark_ += delta->text;
      return;
    }
    show_remark();
    print(delta->text);
  } else if (std::holds_alternative<ModelRetried>(event)) {
    remark_.clear();
    if (is_printing_) {
      end_text();
      console_.note("(the answer broke off and begins again)\n");
    }
  } else if (const auto* ended = std::get_if<ModelEnded>(&event)) {
    has_printed_answer_ = is_printing_;
    // What is nothing but a remark is the answer, which is printed whole.
    if (!is_printing_) return remark_.clear();
    if (progress_ != nullptr) progress_->has_been_shown(ended->response.text());
    end_text();
    show_remark();
  }
}

// A remark is no part of the answer: it stands with the progress, as those of whole answers do.
void AnswerStream::show_remark() {
  const std::string remark = std::exchange(remark_, {});
  if (remark.empty()) return;
  if (is_printing_) end_text();
  if (progress_ != nullptr) progress_->remark(remark);
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
