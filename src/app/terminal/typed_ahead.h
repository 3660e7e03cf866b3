// What a person types while an answer comes: a line that is read in a thread of its own, shown by
// somebody else, and handed over when Enter ends it. What is unfinished at the end, or is for the
// prompt, is kept for the next line of the editor.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "app/terminal/person/keys.h"
#include "app/terminal/person/line_editor.h"
#include "core/file_descriptor.h"

namespace wright::app {

class TypedAhead {
 public:
  // Both are called in the thread of this object.
  struct Told {
    std::function<void(const LineEditor& line)> changed;
    // False: it is for the prompt.
    std::function<bool(const std::string& line)> entered;
  };

  // The terminal gives every key at once, and Ctrl-C is a signal (TerminalMode::keep_unseen()). The
  // decoder is nobody else's until this is gone.
  TypedAhead(int input, KeyDecoder& decoder, Told told);
  ~TypedAhead();
  TypedAhead(const TypedAhead&) = delete;
  TypedAhead& operator=(const TypedAhead&) = delete;

 private:
  void work();
  void take(char byte);
  void take(const Key& key);

  const int input_;
  KeyDecoder& decoder_;
  const Told told_;
  KeyDecoder own_;
  LineEditor line_;
  std::string bytes_;           // of the line, as they came: what is pasted stays so
  bool is_for_prompt_ = false;  // a line was: all behind it is, too
  FileDescriptor end_;
  FileDescriptor ended_;  // readable when the thread is to end
  std::thread thread_;
};

// As keys of a terminal that would type it.
std::string as_keys(std::string_view text);

}  // namespace wright::app
