// Where the running thread is: for error logs, never for decisions.
#pragma once

#include <string>
#include <vector>

namespace wright {

// At most `count` frames, innermost first, without the first `skip` and without this function's
// own. A frame is "function+0x1f (program)" where the program exports its symbols (-rdynamic), else
// "program+0x1234", which addr2line understands.
std::vector<std::string> stack_frames(int count, int skip);

// The type of the exception that is being handled: "std::runtime_error".
std::string current_exception_type();

}  // namespace wright
