#include "http_message/chunked_body.h"

#include <algorithm>
#include <charconv>

namespace wright::http {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

// Visible, a space or a tab, or a byte of something else than ASCII.
bool is_text(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return letter == '\t' || (byte >= ' ' && byte != 0x7F);
}

bool is_token(std::string_view word) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !word.empty() && std::ranges::all_of(word, [&](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= 'a' && letter <= 'z') || kOthers.find(letter) != std::string_view::npos;
  });
}

// What may stand behind a size: nothing, or extensions, of which nobody makes anything.
bool is_extension(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return true;
  if (text[begin] != ';') return false;
  bool is_quoted = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (!is_text(text[i])) return false;
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '\\' && is_quoted) ++i;
  }
  return !is_quoted;
}

}  // namespace

void ChunkedBody::refuse(int status) {
  state_ = State::refused;
  refused_status_ = status;
}

std::size_t ChunkedBody::feed(std::string_view bytes, std::string& body) {
  std::size_t used = 0;
  while (state_ != State::done && state_ != State::refused) {
    const std::string_view rest = bytes.substr(used);
    std::size_t taken = 0;
    if (state_ == State::data) {
      taken = std::min(rest.size(), left_);
      body += rest.substr(0, taken);
      left_ -= taken;
      if (left_ == 0) state_ = State::end_of_data;
    } else if (state_ == State::end_of_data) {
      taken = take_end_of_data(rest);
    } else if (state_ == State::size) {
      constexpr std::size_t kPlainSize = 2 * sizeof(std::size_t) + kLineEnd.size();
      taken = take_line(rest, kPlainSize);
      if (taken > 0) take_size(rest.substr(0, taken - kLineEnd.size()), body.size());
    } else {
      taken = take_line(rest, 0);
      if (taken > 0) take_trailer(rest.substr(0, taken - kLineEnd.size()));
    }
    if (taken == 0) break;
    used += taken;
  }
  return used;
}

// How long the line is that `bytes` begin with, its end included; 0 while it is not whole, or when it
// is refused. What is longer than `allowed` counts as beside the body.
std::size_t ChunkedBody::take_line(std::string_view bytes, std::size_t allowed) {
  const std::size_t line_feed = bytes.find('\n');
  const bool is_whole = line_feed != std::string_view::npos;
  const std::size_t size = is_whole ? line_feed + 1 : bytes.size();
  const std::size_t beside = size - std::min(size, allowed);
  if (beside > most_beside_) {
    refuse(431);
  } else if (is_whole && !bytes.substr(0, size).ends_with(kLineEnd)) {
    refuse(400);
  } else if (is_whole) {
    most_beside_ -= beside;
    return size;
  }
  return 0;
}

void ChunkedBody::take_size(std::string_view line, std::size_t so_far) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
  const auto digits = static_cast<std::size_t>(end - line.data());
  if (error != std::errc() || !is_extension(line.substr(digits))) return refuse(400);
  if (size > most_bytes_ - so_far) return refuse(413);
  left_ = size;
  state_ = size == 0 ? State::trailers : State::data;
}

std::size_t ChunkedBody::take_end_of_data(std::string_view bytes) {
  if (!kLineEnd.starts_with(bytes.substr(0, kLineEnd.size()))) {
    refuse(400);
    return 0;
  }
  if (bytes.size() < kLineEnd.size()) return 0;
  state_ = State::size;
  return kLineEnd.size();
}

// An empty line ends the body.
void ChunkedBody::take_trailer(std::string_view line) {
  if (line.empty()) {
    state_ = State::done;
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) ||
      !std::ranges::all_of(line.substr(colon + 1), is_text)) {
    refuse(400);
  }
}

}  // namespace wright::http
