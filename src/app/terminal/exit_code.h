// The exit codes of the `wright` program, in one place. Documented in `wright --help`.
#pragma once

namespace wright::app {

enum class ExitCode : int {
  ok = 0,
  failed = 1,         // the run, the tool or the check failed
  usage = 2,          // bad flags, bad configuration, an unknown agent
  waiting = 3,        // a person has to answer first
  busy = 75,          // nothing was begun: try again later (EX_TEMPFAIL of sysexits.h)
  interrupted = 130,  // Ctrl-C, SIGTERM or a closed terminal
  broken_pipe = 141,  // the reader of our output went away
};

}  // namespace wright::app
