// Starts the real `wright` with a home folder of its own, talks to it, and waits for its end.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wright/json.h"

namespace wright::cli {

using Arguments = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

struct Finished {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  std::string output;
  std::string error;

  Json json() const;  // of the output; fails the test when it is none
};

// It ended by itself and has nothing to report; fails the test with its standard error if not.
void expect_ended_well(const Finished& finished);

// Where the program reads from, and what it writes to.
enum class Streams { pipes, terminal };

class Process {
 public:
  Process(const Arguments& arguments, const Variables& environment,
          const std::filesystem::path& folder, Streams streams);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void write(std::string_view text);
  void close_input();
  void close_output();  // as `| head` does
  void send(int signal) const;

  // Reads until `text` has come on standard error (on the terminal, there). Fails the test when the
  // program ends without it.
  void await(std::string_view text);
  Finished finish();

 private:
  bool read_some();  // false when all streams have ended

  pid_t id_ = -1;
  int input_ = -1;
  int output_ = -1;
  int error_ = -1;  // -1 on a terminal, where everything is output
  Finished finished_;
};

// A temporary home with a small project in it, removed at the end.
class Home {
 public:
  Home();
  ~Home();
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path project() const { return path_ / "project"; }
  std::filesystem::path config_file() const { return path_ / ".config/wright/config.toml"; }
  std::filesystem::path database() const { return path_ / ".local/share/wright/agents.db"; }

  // The variables every program gets; tests add to them.
  Variables environment;

  void write_config(std::string_view toml) const;
  void write_file(const std::string& name, std::string_view content) const;  // in the project

  // Runs in the project folder, with `input` on standard input.
  Finished wright(const Arguments& arguments, std::string_view input = {}) const;
  Finished wright_on_terminal(const Arguments& arguments, std::string_view typed = {}) const;

 private:
  std::filesystem::path path_;
};

inline bool has(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

}  // namespace wright::cli
