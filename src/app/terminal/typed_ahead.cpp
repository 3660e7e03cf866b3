#include "app/terminal/typed_ahead.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "core/text.h"
#include "wright/json.h"

namespace wright::app {

std::string as_keys(std::string_view text) {
  std::string keys;
  for (const char c : text) {
    if (c == '\n') keys += '\x1b';  // Alt-Enter: a line break inside of a message
    keys += c == '\n' ? '\r' : c;
  }
  return keys;
}

TypedAhead::TypedAhead(int input, KeyDecoder& decoder, Told told)
    : input_(input), decoder_(decoder), told_(std::move(told)) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  ended_ = FileDescriptor(ends[0]);
  end_ = FileDescriptor(ends[1]);
  thread_ = std::thread([this] { work(); });
}

TypedAhead::~TypedAhead() {
  if (!thread_.joinable()) return;
  end_ = FileDescriptor();
  thread_.join();
  decoder_.feed(bytes_);
}

void TypedAhead::work() {
  while (true) {
    std::array<pollfd, 2> both{pollfd{input_, POLLIN, 0}, pollfd{ended_.get(), POLLIN, 0}};
    if (::poll(both.data(), both.size(), -1) < 0 && errno != EINTR) return;
    if (both[1].revents != 0) return;
    if ((both[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return;
    if ((both[0].revents & POLLIN) == 0) continue;
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(input_, buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return;
    for (ssize_t i = 0; i < count; ++i) take(buffer[static_cast<std::size_t>(i)]);
  }
}

// One by one, so that the bytes of a line are known.
void TypedAhead::take(char byte) {
  bytes_ += byte;
  if (is_for_prompt_) return;
  own_.feed({&byte, 1});
  while (const auto key = own_.next()) take(*key);
}

void TypedAhead::take(const Key& key) {
  if (key.kind == KeyKind::enter) {
    const std::string line = line_.text();
    line_.clear();
    const bool is_nothing = bytes_.size() == 1;
    is_for_prompt_ = !is_nothing && (is_blank(line) || !told_.entered(line));
    if (!is_for_prompt_) bytes_.clear();
  } else if (key.kind == KeyKind::end_of_input || key.kind == KeyKind::up ||
             key.kind == KeyKind::down || key.kind == KeyKind::search) {
    is_for_prompt_ = true;
    line_.clear();
  } else if (key.kind == KeyKind::text || key.kind == KeyKind::paste) {
    line_.apply({key.kind, to_valid_utf8(key.text)});
  } else {
    line_.apply(key);
  }
  told_.changed(line_);
}

}  // namespace wright::app
