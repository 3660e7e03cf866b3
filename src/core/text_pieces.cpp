#include "core/text_pieces.h"

#include <algorithm>

namespace wright {

void tell_texts(const std::vector<Part>& parts, const TextSink& on_text, std::size_t skipped) {
  const auto tell = [&](std::string_view words, Text::Phase phase) {
    const std::size_t left_out = std::min(skipped, words.size());
    skipped -= left_out;
    words.remove_prefix(left_out);
    if (!words.empty()) on_text({words, phase});
  };
  const Text* before = nullptr;
  for (const Part& part : parts) {
    const auto* text = std::get_if<Text>(&part);
    if (text == nullptr || text->text.empty()) continue;
    const bool is_apart = before != nullptr && (before->phase != Text::Phase::unmarked ||
                                                text->phase != Text::Phase::unmarked);
    if (is_apart) tell("\n\n", before->phase);
    tell(text->text, text->phase);
    before = text;
  }
}

}  // namespace wright
