#include "tools/shell/command_progress.h"

#include <algorithm>

#include "tools/shell/command_output.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kMostTold = 256 * 1024;  // of one command
constexpr std::size_t kLongestLine = 4 * 1024;

}  // namespace

void CommandProgress::add(OutputStream stream, std::string_view piece) {
  if (!tell_ || told_bytes_ >= kMostTold) return;
  std::string& unfinished = unfinished_[stream == OutputStream::error ? 1 : 0];
  const std::size_t end = piece.rfind('\n');
  if (end != std::string_view::npos) {
    unfinished += piece.substr(0, end + 1);
    say(unfinished);
    unfinished.clear();
    piece.remove_prefix(end + 1);
  }
  const std::size_t room = kLongestLine - std::min(kLongestLine, unfinished.size());
  unfinished += piece.substr(0, room);
}

void CommandProgress::finish() {
  for (std::string& unfinished : unfinished_) {
    if (tell_ && !unfinished.empty()) say(unfinished);
    unfinished.clear();
  }
}

void CommandProgress::say(std::string_view text) {
  if (told_bytes_ >= kMostTold) return;
  const std::string_view part = prefix_of_words(text, kMostTold - told_bytes_);
  told_bytes_ += text.size();
  tell_(to_valid_utf8(std::string(part)));
  if (told_bytes_ >= kMostTold) tell_("[What follows is not shown as it comes]\n");
}

}  // namespace wright::tools
