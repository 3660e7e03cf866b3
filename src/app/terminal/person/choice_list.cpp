#include "app/terminal/person/choice_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/terminal/screen_text.h"

namespace wright::app {

ChoiceList::ChoiceList(std::vector<std::string> options, Choose choose,
                       std::vector<std::size_t> chosen)
    : options_(std::move(options)), choose_(choose), is_chosen_(options_.size()) {
  for (const std::size_t position : chosen) {
    if (position >= options_.size()) continue;
    is_chosen_[position] = true;
    if (choose_ == Choose::one) cursor_ = position;
  }
}

void ChoiceList::type_digit(char digit) {
  const auto value = static_cast<std::size_t>(digit - '0');
  typed_ = typed_ * 10 + value;
  // A digit that leads nowhere begins another number.
  if (typed_ > options_.size()) typed_ = value;
  if (typed_ >= 1 && typed_ <= options_.size()) {
    cursor_ = typed_ - 1;
  } else {
    typed_ = 0;
  }
}

void ChoiceList::apply(const Key& key) {
  const bool is_digit =
      key.kind == KeyKind::text && key.text.size() == 1 && key.text[0] >= '0' && key.text[0] <= '9';
  if (is_digit) return type_digit(key.text[0]);
  typed_ = 0;
  const std::size_t last = options_.empty() ? 0 : options_.size() - 1;
  switch (key.kind) {
    case KeyKind::up: cursor_ = cursor_ == 0 ? last : cursor_ - 1; return;
    case KeyKind::down: cursor_ = cursor_ == last ? 0 : cursor_ + 1; return;
    case KeyKind::home: cursor_ = 0; return;
    case KeyKind::end: cursor_ = last; return;
    case KeyKind::text:
      if (key.text == " " && choose_ == Choose::any_number && !options_.empty()) {
        is_chosen_[cursor_] = !is_chosen_[cursor_];
      }
      return;
    default: return;
  }
}

std::vector<std::size_t> ChoiceList::chosen() const {
  if (choose_ == Choose::one) return {cursor_};
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    if (is_chosen_[i]) positions.push_back(i);
  }
  return positions;
}

std::vector<std::string> ChoiceList::lines(std::size_t columns, std::size_t rows) const {
  const std::size_t count = options_.size();
  const bool is_cut = count > rows;
  // Two rows tell what is left out above and below.
  const std::size_t shown = !is_cut ? count : std::max<std::size_t>(rows, 3) - 2;
  std::size_t first = cursor_ < shown / 2 ? 0 : cursor_ - shown / 2;
  first = std::min(first, count - shown);
  const std::size_t digits = fmt::formatted_size("{}", count);
  std::vector<std::string> made;
  if (is_cut) made.push_back(shortened(fmt::format("    … {} above", first), columns));
  for (std::size_t i = first; i < first + shown; ++i) {
    const std::string_view pointer = i == cursor_ ? "❯" : " ";
    const std::string_view box = choose_ == Choose::one ? "" : is_chosen_[i] ? "[x] " : "[ ] ";
    made.push_back(shortened(
        fmt::format("{} {:>{}}) {}{}", pointer, i + 1, digits, box, options_[i]), columns));
  }
  if (is_cut) {
    made.push_back(shortened(fmt::format("    … {} below", count - first - shown), columns));
  }
  return made;
}

}  // namespace wright::app
